"""Which card? Every legal one with its value, its cost and the reason, and the proved tricks.

The JSON of an answer, as on the command line::

    towerlab move bowers --hand "JC AC 7H" --bid 8C --lead declarer --won 6 --seen "JS KC QC TC 9C 8C" --json
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from rich.console import Group

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.claims.asking import claim_sentence, prove_tricks_now
from towerlab.analysis.decision import SCALES, Alternative, DecidedAnswer, Decision, exact_costs, paired_costs
from towerlab.analysis.moves.weighing import CardResults
from towerlab.analysis.player_knowledge import Knowledge, describe
from towerlab.analysis.present import number_of, percent, table
from towerlab.analysis.question_rows import BatchQuestion, answer_each
from towerlab.analysis.stats import FIRST_LOOK, Estimate
from towerlab.games.cards import card_symbol
from towerlab.games.transcript import Action
from towerlab.games.written import Record

EQUAL: Final = 1e-9
DIGITS: Final = 12  # of means; smaller differences are rounding errors of sums
FEWEST: Final = 10  # a reason is given if a card is worse in at least so many drawn layouts
MOSTLY: Final = 0.7
LEAST_SHARE: Final = 0.005  # the least share of a mix that is reported
TELLING: Final = 0.2  # how much more often a reason must hold in the layouts where a card is worse than in all


@dataclass(frozen=True)
class RankedCard(Record, keys="card value make cost=loss.mean interval=loss.ends share reason"):
    """One legal card.

    Attributes:
        card: the card as in JSON; a joker with the suit that it names: ``"X1:S"``.
        symbol: the card as people read it.
        value: P(win the tower), or expected points.
        make: how often the contract is made.
        loss: the cost of the card against the best; both ends are the cost where all layouts are counted.
        reason: why the card costs, as the layouts show.
        share: how often best play plays the card; None where no mix is known.
    """

    card: str
    symbol: str
    value: float
    make: float
    loss: Estimate
    reason: str
    share: float | None = None


@dataclass(frozen=True)
class MoveAnswer(
    DecidedAnswer,
    shown_by="towerlab.analysis.moves.answers:move_report",
    table="plays",
    keys="layouts exact counted best=best.card plays proved",
):
    """Every legal card of a player on turn, the best first.

    Attributes:
        knowledge: what the player knows.
        cards: number of cards in a full hand.
        method: how the layouts are weighted.
        model: the same in words.
        layouts: how many layouts fit the knowledge.
        counted: how many of them were counted; all of them if `exact`.
        plays: the cards, the best first.
        proved_tricks: the tricks of the player's side that are proved now (for a misère's declarer, the most that are
            lost); None where nothing is proved.
        unit: the unit of `RankedCard.value`: ``"points"`` or ``"tower"``.
        is_played_out: whether each card was played out by a player `counted` times, instead of solving the layouts.
    """

    knowledge: Annotated[Knowledge, describe]
    cards: int
    method: str
    model: str
    layouts: int
    counted: int
    exact: bool
    plays: tuple[RankedCard, ...]
    proved_tricks: int | None
    unit: str
    is_played_out: bool = False

    @property
    def game(self) -> str:
        return self.knowledge.seating.game

    @property
    def decision(self) -> Decision[Alternative]:
        """The cards as alternatives; chances in mt."""
        scale = SCALES[self.game]
        factor = 1000.0 if self.unit == "tower" else 1.0
        cards = (
            Alternative(f"play {play.symbol}", factor * play.value, play.loss.scaled(factor)) for play in self.plays
        )
        drawn = 0 if self.exact else self.counted
        return Decision(tuple(cards), scale, self.basis, drawn, "rollout" if self.is_played_out else "layout")

    @property
    def best(self) -> RankedCard:
        """The card with the highest value."""
        return self.plays[0]

    @property
    def proved(self) -> dict[str, int] | None:
        """The tricks that can be claimed now, as in JSON; None where nothing is proved."""
        return None if self.proved_tricks is None else {"tricks": self.proved_tricks}

    @property
    def mix(self) -> str:
        """How often the solution plays each card, in words; empty where it plays one, or a player plays cards out."""
        if self.is_played_out:
            return ""
        shares = [(play.symbol, play.share or 0.0) for play in self.plays]
        often = [f"{card} {100 * share:.0f} %" for card, share in shares if share >= LEAST_SHARE]
        return ", ".join(often) if len(often) > 1 else ""

    @property
    def basis(self) -> str:
        """How many layouts were counted."""
        if self.exact:
            return f"exact: {number_of(self.layouts, 'layout')} counted"
        if self.is_played_out:
            return rollouts_basis(self.counted, self.layouts, self.seed)
        return f"sampled: {self.counted:,} of {number_of(self.layouts, 'layout')}, seed {self.seed}"

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table of answers."""
        unit = self.unit
        second = self.plays[1] if len(self.plays) > 1 else None
        return {
            "best": self.best.card,
            unit: self.best.value,
            "make": self.best.make,
            "second": None if second is None else second.card,
            f"second_costs_{unit}": None if second is None else second.loss.mean,
            "proved_tricks": self.proved_tricks,
            "fitting_layouts": self.layouts,
            "counted_layouts": self.counted,
        }

    def advice(self, choice: Callable[[Action], Choice], player: int) -> Advice:
        """Return the answer as advice at the table.

        Args:
            choice: the function that names an action as that table does.
            player: the player on turn.
        """
        options = []
        decision = self.decision
        for play, card in zip(self.plays, decision.alternatives, strict=True):
            name, _, named = play.card.partition(":")
            action = choice({"action": "play", "player": player, "card": name} | ({"names": named} if named else {}))
            made = f"{play.value:+.2f}, made {100 * play.make:.0f} %"
            note = made if self.unit == "points" else f"{100 * play.value:.1f} %"
            options.append(AdvisedAction(action.text, card.value, card.cost, action.action, note, play.reason))
        remark = " ".join(
            filter(None, (f"Mix {self.mix}." * bool(self.mix), claim_sentence(self.knowledge, self.proved_tricks)))
        )
        return Advice(
            tuple(options), decision.scale, self.basis, decision.drawn, decision.draws, model=self.model, remark=remark
        )


def rollouts_basis(count: int, layouts: int, seed: int | None) -> str:
    """Return how cards were played out, in words."""
    return f"sampled: {count:,} rollouts of each card on {number_of(layouts, 'layout')}, seed {seed}"


def rank_cards(
    weighed: CardResults,
    *,
    cards: int,
    method: str,
    model: str,
    unit: str,
    options: Any,
    seed: int = 0,
    level: float = FIRST_LOOK,
) -> MoveAnswer:
    """Return the answer about weighed cards.

    Args:
        weighed: the cards and their results.
        level: the level of the intervals.
        cards, method, model, unit, options, seed: the same as in `MoveAnswer`.
    """
    layouts = weighed.layouts
    order = weighed.order
    means = layouts.weights @ weighed.values
    made = layouts.weights @ weighed.makes
    costs = exact_costs(means.tolist()) if layouts.exact else paired_costs(weighed.values, level, weighed.kinds)
    plays = []
    for column in order:
        suit = weighed.named_suit(column)
        symbol = f"{card_symbol(weighed.card(column))}{suit and f' naming {suit}'}"
        value, make = (round(float(of[column]), DIGITS) for of in (means, made))
        reason = _reason(weighed, column, order[0])
        plays.append(RankedCard(weighed.text(column), symbol, value, make, costs[column], reason))
    return MoveAnswer(
        knowledge=weighed.knowledge,
        cards=cards,
        method=method,
        model=model,
        layouts=layouts.fitting,
        counted=layouts.fitting if layouts.exact else len(layouts.hands),
        exact=layouts.exact,
        seed=None if layouts.exact else seed,
        options=options,
        plays=tuple(plays),
        proved_tricks=prove_tricks_now(weighed.knowledge),
        unit=unit,
    )


def batch_of_moves(
    game: str, asks: Callable[..., MoveAnswer], options: type[Any], unit: str = "points", **more: Any
) -> BatchQuestion:
    """Return the batch question of a game's moves.

    Args:
        game, asks, options: the same as in `BatchQuestion`.
        unit: the same as in `MoveAnswer`.
        more: the arguments that all rows share.
    """

    def row(question: Mapping[str, Any], rules: Any) -> Mapping[str, Any]:
        return asks(**question, options=rules, **more).to_row()

    kinds = {
        **dict.fromkeys(("best", "second"), "string"),
        **dict.fromkeys((unit, "make", f"second_costs_{unit}"), "Float64"),
        **dict.fromkeys(("proved_tricks", "fitting_layouts", "counted_layouts"), "Int64"),
    }
    return BatchQuestion(game, asks, answer_each(row), options=options, rows=20, kinds=kinds)


def _reason(weighed: CardResults, column: int, best: int) -> str:
    """Say in how many layouts a card is worse than the best, and which fact is true of most of them."""
    values = weighed.values
    weights = weighed.layouts.weights
    what = "hands" if weighed.knowledge.belief.is_two_handed else "layouts"
    if column == best:
        top = float(weights[values[:, best] >= values.max(axis=1) - EQUAL].sum())
        return f"no card does better in {_share(top)} of the {what}" if top < 1 - EQUAL else "no card ever does better"
    name = card_symbol(weighed.card(best))
    worse, better = (sign * (values[:, best] - values[:, column]) > EQUAL for sign in (1, -1))
    losing = float(weights[worse].sum())
    winning = float(weights[better].sum())
    if not losing and not winning:
        return f"as good as {name} in all {what} counted"
    telling = []
    because = ""
    for text, is_so in weighed.facts:
        within = float(weights[worse & is_so].sum()) / (losing or 1)
        anywhere = float(weights[is_so].sum())
        if within >= MOSTLY and within - anywhere >= TELLING:
            telling.append((within - anywhere, within, text))
    if telling and (weighed.layouts.exact or int(worse.sum()) >= FEWEST):
        _, within, text = max(telling)
        because = f" ({text} in {_share(within)} of those)"
    also = f", better in {_share(winning)}" if winning else ""
    return f"worse than {name} in {_share(losing)} of the {what}{because}{also}"


def _share(share: float) -> str:
    """Return a share in percent, never rounded to all or none."""
    if 0 < share < 0.005:
        return "less than 1 %"
    return "more than 99 %" if 0.995 <= share < 1 - EQUAL else f"{100 * share:.0f} %"


def move_report(answer: MoveAnswer) -> Group:
    """Return the text of an answer: the card to play, the value of every card, and why."""
    decision = answer.decision
    sentence = decision.sentence or f"Play {answer.best.symbol}: it is the only card you may play."
    if answer.mix:
        sentence = f"Mix {answer.mix}."
    values = "tower" if answer.unit == "tower" else "points"
    rows = table("card", values, "makes", f"costs, {decision.scale.short}", "verdict", "why", texts=1)
    for column in rows.columns[-2:]:
        column.justify = "left"
    for play, card in zip(answer.plays, decision.alternatives, strict=True):
        value = percent(play.value) if answer.unit == "tower" else f"{play.value:+.2f}"
        cost = decision.scale.cost_cell(card.cost)
        rows.add_row(play.symbol, value, percent(play.make), cost, decision.word(card), play.reason)
    counted = "the one layout" if answer.layouts == 1 else f"all {answer.layouts:,} layouts"
    if not answer.exact:
        counted = f"{answer.counted:,} of {answer.layouts:,} layouts, drawn with seed {answer.seed}"
    if answer.is_played_out:
        counted = answer.basis.removeprefix("sampled: ")
    claim = claim_sentence(answer.knowledge, answer.proved_tricks)
    last = [f"Claim    {claim}"] if claim else []
    return Group(sentence, "", rows, "", f"Counted  {counted}", f"Model    {answer.model}", *last)
