"""Should I accept the up-card? Exact under the model, over every hand the opponent can hold.

`--method equilibrium`, the default where a solution is at hand: the opponent bids as in the equilibrium of the bidding
with hidden hands, the play after it is with all cards seen. `--against PLAYER`: he bids as that player
(`analysis.towers_and_bowers.upcard.against`). Both weigh hands by `analysis.towers_and_bowers.upcard.weighted`. What
follows is `pimc`'s.

`--method pimc` (perfect-information Monte Carlo, without the Monte Carlo): at the decision the player fixes one
action for all layouts (for a dealer who accepts: one discard); everything afterwards is played with all cards seen,
each side maximising its P(win the tower). Layouts weigh equally; W(n - 1) is
`analysis.towers_and_bowers.solutions.deal_value`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np

from analysis.answers import Answer
from analysis.questions import require, truth
from analysis.towers_and_bowers.solutions.deal_value import deal_value
from games.cards import DECK_24, SUITS, card_text, parse_card, parse_mask, suit_of
from games.errors import CardError, TowerlabError
from games.towers_and_bowers import TowersAndBowersOptions, tricks_to_deal_next
from games.written import CardId, Mask, Record
from solver.towers_and_bowers.open_bidding import Ending, OpenBidding, count_endings, open_bidding, value_of_endings
from solver.towers_and_bowers.upcard import Counts, LayoutCounts, best_discard, count_layouts, named_suits
from solver.two_hands.tablebase import MOST_CARDS

GAME: Final = "towers-and-bowers"
METHODS: Final = ("equilibrium", "pimc")
HIDDEN_MODEL: Final = "equilibrium with hidden hands (of more than 3 cards: double-dummy play after the bidding)"
COLUMNS: Final = ("hand", "up", "seat", "second_round", "method", "against")
SEATS: Final = ("dealer", "nondealer")
PASS: Final = "pass"
ACCEPT: Final = "accept"
DIGITS: Final = 12  # values are rounded here: what differs less is an artefact of adding in floating point
INDIFFERENT: Final = 0.001  # calls that differ by no more count as equally good
_ROUNDING: Final = 1e-9  # values that differ by less differ by rounding only
_MIXED: Final = 0.01  # a call made less often is not part of a mix
_SUIT_ORDER: Final = "SHDC"


@dataclass(frozen=True)
class ContractValue(Record):
    """A contract for the asker, averaged over the layouts.

    Attributes:
        make: P(the bidder takes his majority).
        sweep, swept: P(the asker takes all tricks / none).
        tricks: the asker's mean tricks.
        tower: P(the asker wins the tower).
        discard: the one card the asking dealer discards in all layouts, or None.
    """

    make: float
    sweep: float
    swept: float
    tricks: float
    tower: float
    discard: str | None = None


@dataclass(frozen=True)
class BidderContract(Record):
    """A contract evaluated as if reached: the accepted up-card or a named suit."""

    bidder: str
    trump: str
    value: ContractValue

    def to_json(self) -> dict[str, Any]:
        return {"bidder": self.bidder, "trump": self.trump, **asdict(self.value)}


@dataclass(frozen=True)
class Mix(Record):
    """What the equilibrium does with the asker's hand.

    Attributes:
        probabilities: of each call.
        discards: of each card he may discard, by who has accepted: ``"me"`` or ``"them"``; empty for the non-dealer.
        exploitability: of the whole strategy.
        exploitability_of: ``"double-dummy model"`` or ``"game"``.
        floor: least probability of every bid of the opponent: the perturbed game.
        values_of: what the values of the calls are exact in: ``"double-dummy model"`` or ``"game"``.
        costs: by how much each call, made always, is worse than the best one.
    """

    probabilities: Mapping[str, float]
    discards: Mapping[str, Mapping[str, float]]
    exploitability: float
    exploitability_of: str
    floor: float
    values_of: str
    costs: Mapping[str, float] = field(default_factory=dict)

    def complete(self, towers: Mapping[str, float]) -> Mix:
        """With the costs that follow from the value of each call."""
        best = max(towers.values())
        return replace(self, costs={name: _rounded(best - tower) for name, tower in towers.items()})

    @property
    def indifferent(self) -> bool:
        """Whether another call is as good as the best one, or all but."""
        return sorted(self.costs.values())[1] <= INDIFFERENT if len(self.costs) > 1 else False

    @property
    def made(self) -> list[str]:
        """The calls that are part of the mix, the most frequent first."""
        calls = [name for name, share in self.probabilities.items() if share >= _MIXED]
        return sorted(calls, key=lambda name: -self.probabilities[name])


@dataclass(frozen=True)
class Losses:
    """What the alternatives of a decision cost when somebody is graded by them; indifferent ones cost nothing.

    Without a mix an alternative costs what it is worth less than the best one. Against an equilibrium it costs nothing
    up to `INDIFFERENT`: the stored solutions are exploitable by a tenth of that, on the mean over hands, and a single
    hand may be further off.

    Attributes:
        best: what the others are compared with.
        of: P(win the tower) lost by each alternative, never negative.
    """

    best: str
    of: Mapping[str, float]


def losses(values: Mapping[str, float], best: str, mix: Mix | None = None) -> Losses:
    """Of the alternatives of one decision.

    Args:
        values: P(win the tower) of each.
        best: one worth most.
        mix: the equilibrium's, if its values they are.
    """
    least = _ROUNDING if mix is None else INDIFFERENT
    lost = {name: values[best] - value for name, value in values.items()}
    return Losses(best, {name: cost if cost > least else 0.0 for name, cost in lost.items()})


@dataclass(frozen=True)
class UpcardAnswer(Answer, shown_by="analysis.towers_and_bowers.present.upcard:upcard_report", table="actions"):
    """The answer to a bidding decision; `to_json` gives the keys of the command.

    Attributes:
        cards: hand size n.
        seat: ``"dealer"`` or ``"nondealer"``.
        up: the up-card.
        hand: printed mask of the dealt cards.
        second_round: whether the decision is the second one.
        layouts: how many opponent's hands were counted, all of them.
        deal_value: the W(n - 1) used, None at n = 1.
        actions: by ``"accept"``, ``"pass"`` or a suit letter: its contract, or the bare P(win the tower) of a pass.
        recommend: the best action.
        margin: lead in P(win the tower) over a pass (first round) or over the next best action.
        method: ``"pimc"``, ``"equilibrium"`` or ``"against"``.
        mix: of the equilibrium, else None.
        against: the player whose way of bidding is answered, else None.
        likelihood: how often the other bids so as to lead to this decision, else None.
    """

    cards: int
    seat: str
    up: CardId
    hand: Mask
    second_round: bool
    layouts: int
    deal_value: float | None
    actions: Mapping[str, ContractValue | float]
    contracts: tuple[BidderContract, ...]
    recommend: str
    margin: float
    method: str = "pimc"
    mix: Mix | None = None
    against: str | None = None
    likelihood: float | None = None

    def tower(self, action: str) -> float:
        """P(win the tower) of an action."""
        return tower_of(self.actions[action])

    def losses(self) -> Losses:
        """What each call costs who makes it."""
        return losses({name: self.tower(name) for name in self.actions}, best_action(self.actions), self.mix)

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab upcard --json`."""
        answer = self._plain_json()
        if self.likelihood is not None:
            answer["likelihood"] = self.likelihood
        if self.against is not None:
            answer["against"] = self.against
        if self.mix is not None:
            for name, action in answer["actions"].items():
                action["probability"] = self.mix.probabilities[name]
                action["cost"] = self.mix.costs[name]
            answer |= {
                "indifferent": self.mix.indifferent,
                "discards": {bidder: dict(shares) for bidder, shares in self.mix.discards.items()},
                "exploitability": self.mix.exploitability,
                "exploitability_of": self.mix.exploitability_of,
                "floor": self.mix.floor,
                "values_of": self.mix.values_of,
            }
        return answer

    def _plain_json(self) -> dict[str, Any]:
        return {
            "game": GAME,
            "cards": self.cards,
            "seat": self.seat,
            "up": card_text(self.up),
            "method": self.method,
            "layouts": self.layouts,
            "exact": True,
            "deal_value": self.deal_value,
            "recommend": self.recommend,
            "margin": self.margin,
            "actions": {
                name: {"tower": value} if isinstance(value, float) else asdict(value)
                for name, value in self.actions.items()
            },
            "contracts": [contract.to_json() for contract in self.contracts],
        }


@dataclass(frozen=True)
class UpcardQuestion:
    """A checked bidding decision.

    Attributes:
        hand: printed mask of the 1..7 dealt cards.
        up: the up-card, a card id.
        dealer: whether the asker deals.
        second_round: whether the up-card has been turned down.
        method: ``"equilibrium"``, ``"pimc"`` or None for the best there is.
        against: a player whose way of bidding is answered, or None.
    """

    hand: int
    up: int
    dealer: bool
    second_round: bool = False
    method: str | None = None
    against: str | None = None

    def answer(self, options: TowersAndBowersOptions | None = None) -> UpcardAnswer:
        """Count every layout; see the module's text for the models.

        Raises:
            TowerlabError: rules that `against` does not cover.
        """
        from analysis.towers_and_bowers.solutions.bidding import rules_are_solved

        options = options or TowersAndBowersOptions()
        if self.against is not None:
            from analysis.towers_and_bowers.upcard.against import answer_against

            return answer_against(self, self.against, options)
        if self.method != "pimc" and rules_are_solved(options):
            from analysis.towers_and_bowers.upcard.weighted import answer_equilibrium

            answer = answer_equilibrium(self)
            if answer is not None:
                return answer
        return evaluate_upcard(self.hand, self.up, self.dealer, self.second_round, options)

    def answered_otherwise(self, answer: UpcardAnswer) -> bool:
        """Whether the equilibrium was wanted and something else was given."""
        return self.against is None and self.method != "pimc" and answer.method != "equilibrium"


def why_no_equilibrium(cards: int, options: TowersAndBowersOptions) -> str:
    """Why a question was not answered from an equilibrium, and what to do about it."""
    from analysis.towers_and_bowers.solutions.bidding import HOW_TO_MAKE, rules_are_solved

    if not rules_are_solved(options):
        return "the equilibrium is that of the default rules"
    return f"no equilibrium of {cards} cards is at hand ({HOW_TO_MAKE.format(cards=cards)})"


def ask_upcard(
    hand: str,
    up: str,
    seat: str,
    *,
    second_round: bool = False,
    method: str | None = None,
    against: str | None = None,
    options: TowersAndBowersOptions | None = None,
) -> UpcardAnswer:
    """Answer a question given as texts.

    >>> ask_upcard("JS AS KS 9S AD 10H 9C", "QS", "nondealer").recommend
    'accept'

    The arguments and errors are those of `read_question`; `options` are the rules.
    """
    asked = read_question(hand, up, seat, second_round=second_round, method=method, against=against)
    return asked.answer(options)


def read_question(
    hand: str,
    up: str,
    seat: str,
    *,
    second_round: bool = False,
    method: str | None = None,
    against: str | None = None,
) -> UpcardQuestion:
    """Check a question given as texts.

    Args:
        hand: the 1..7 dealt cards, without the up-card.
        up: the up-card.
        seat: ``"dealer"`` or ``"nondealer"``.
        second_round: the up-card has been turned down; which suit to name, or pass?
        method: how the other's bids are modelled, one of `METHODS`; None for the equilibrium where it is at hand.
        against: a player of `towerlab players towers-and-bowers` whose way of bidding is to be answered.

    Raises:
        CardError: an unknown card, one named twice, an impossible number of cards, the up-card in the hand.
        TowerlabError: an unknown seat or method, or a method beside a player.
    """
    if seat not in SEATS:
        raise TowerlabError(f"unknown seat {seat!r}; expected {' or '.join(SEATS)}")
    if method is not None and method not in METHODS:
        raise TowerlabError(f"unknown method {method!r}; expected {' or '.join(METHODS)}")
    if method is not None and against is not None:
        raise TowerlabError(f"--method {method} and --against {against} are two ways of bidding; expected one of them")
    held = parse_mask(hand, DECK_24, "the hand")
    if not 1 <= held.bit_count() <= MOST_CARDS:
        raise CardError(f"the hand has {held.bit_count()} cards; expected the 1 to {MOST_CARDS} cards dealt")
    turned = parse_card(up)
    if not DECK_24 >> turned & 1:
        raise CardError(f"the up-card {card_text(turned)} is not in this game's pack of 24 cards")
    if held >> turned & 1:
        raise CardError(f"the up-card {card_text(turned)} is in the hand too; expected the dealt cards without it")
    return UpcardQuestion(held, turned, seat == "dealer", second_round, method, against)


def answer_row(cells: Mapping[str, str], options: TowersAndBowersOptions | None = None) -> dict[str, Any]:
    """Answer one row of a table of questions, its cells named as `COLUMNS`.

    Raises:
        TowerlabError: as `ask_upcard`, or a missing cell.
    """
    require({name: cells.get(name) for name in COLUMNS}, "hand", "up", "seat")
    asked = (cells["hand"], cells["up"], cells["seat"])
    second_round = truth(cells, "second_round")
    method, against = cells.get("method"), cells.get("against")
    return ask_upcard(*asked, second_round=second_round, method=method, against=against, options=options).to_json()


def evaluate_upcard(
    hand: int,
    up: int,
    dealer: bool,
    second_round: bool = False,
    options: TowersAndBowersOptions | None = None,
) -> UpcardAnswer:
    """Answer a question given as masks; the arguments are those of `UpcardQuestion`."""
    options = options or TowersAndBowersOptions()
    counts = count_layouts(hand, up, dealer, options.allow_discard_upcard)
    view = _View(hand, up, dealer, options, counts)
    actions: dict[str, ContractValue | float]
    if second_round:
        actions = {SUITS[trump]: view.named(trump, asker_bids=True) for trump in _in_order(named_suits(up))}
        passing = view.second_pass()
    else:
        actions = {ACCEPT: view.accepted(asker_bids=True)}
        passing = view.first_pass()
    if passing is not None:
        actions[PASS] = passing
    recommend = best_action(actions)
    return UpcardAnswer(
        cards=view.cards,
        seat=SEATS[0] if dealer else SEATS[1],
        up=up,
        hand=hand,
        second_round=second_round,
        layouts=counts.layouts,
        deal_value=view.next_deal,
        actions=actions,
        contracts=tuple(view.contracts(second_round)),
        recommend=recommend,
        margin=lead(actions, recommend, second_round),
    )


class _View:
    """What one player sees, with the values of everything that can follow, for him."""

    def __init__(self, hand: int, up: int, dealer: bool, options: TowersAndBowersOptions, counts: LayoutCounts) -> None:
        self.cards, self.up, self.dealer, self.counts = hand.bit_count(), up, dealer, counts
        self.next_deal = deal_value(self.cards - 1, options) if self.cards > 1 else None
        self.needed = int(tricks_to_deal_next(self.cards, options.tie_to_bidder))
        self.same_deal = None if options.force_dealer_to_name else deal_value(self.cards, options)
        self.bidding: OpenBidding = open_bidding(
            self.cards, self.next_deal or 0.0, options.tie_to_bidder, self.same_deal
        )

    def accepted(self, asker_bids: bool) -> ContractValue:
        """The up-card accepted; a dealer who accepts himself discards one card for all layouts."""
        if not (self.dealer and asker_bids):
            return self._contract(self.counts.joint.sum((1, 2)), asker_bids)
        row = best_discard(self.counts, self.up, self.bidding.dealer_bids.value)
        return self._contract(self.counts.exchanged[row], asker_bids, card_text(self.counts.discards[row]))

    def named(self, trump: int, asker_bids: bool) -> ContractValue:
        return self._contract(self.counts.named[named_suits(self.up).index(trump)], asker_bids)

    def first_pass(self) -> float:
        if self.dealer:
            return self._mean(self.counts.joint.sum(0), self.bidding.second_round)
        return self._mean(self.counts.joint, self.bidding.dealer_answers)

    def second_pass(self) -> float | None:
        """None where the dealer has to name."""
        if not self.dealer:
            return self._mean(self.counts.joint.sum((0, 1)), self.bidding.dealer_names)
        return None if self.same_deal is None else _rounded(self.same_deal)

    def contracts(self, second_round: bool) -> list[BidderContract]:
        """Every contract by either bidder that the asker's round still speaks of, his own first."""
        made: list[BidderContract] = []
        for bidder, asker_bids in (("me", True), ("them", False)):
            if not second_round:
                made.append(BidderContract(bidder, SUITS[suit_of(self.up)], self.accepted(asker_bids)))
            made += [
                BidderContract(bidder, SUITS[trump], self.named(trump, asker_bids))
                for trump in _in_order(named_suits(self.up))
            ]
        return made

    def _contract(self, tricks: Counts, asker_bids: bool, discard: str | None = None) -> ContractValue:
        """From counts of layouts by the non-dealer's tricks."""
        nondealer_bids = asker_bids != self.dealer
        own = tricks[: self.cards + 1]
        own = own[::-1] if self.dealer else own
        share = own / self.counts.layouts
        bidder_share = share if asker_bids else share[::-1]
        ending = self.bidding.nondealer_bids if nondealer_bids else self.bidding.dealer_bids
        return ContractValue(
            make=_rounded(float(bidder_share[self.needed :].sum())),
            sweep=_rounded(float(share[-1])),
            swept=_rounded(float(share[0])),
            tricks=_rounded(float(share @ np.arange(self.cards + 1))),
            tower=self._mean(tricks, ending),
            discard=discard,
        )

    def _mean(self, counts: Counts, ending: Ending) -> float:
        endings = count_endings(counts, ending)
        nondealer = float(value_of_endings(endings, self.next_deal or 0.0, self.same_deal))
        return _rounded(1 - nondealer if self.dealer else nondealer)


def best_action(actions: Mapping[str, ContractValue | float]) -> str:
    """Most P(win the tower); of equals the one with more tricks, a bid before a pass, then S H D C."""

    def merit(name: str) -> tuple[float, float]:
        value = actions[name]
        return (tower_of(value), -1.0 if isinstance(value, float) else value.tricks)

    return max(actions, key=merit)


def lead(actions: Mapping[str, ContractValue | float], recommend: str, second_round: bool) -> float:
    """Of accepting over a pass, or of what is recommended over the next best."""
    if not second_round:
        return _rounded(tower_of(actions[ACCEPT]) - tower_of(actions[PASS]))
    others = [tower_of(value) for name, value in actions.items() if name != recommend]
    return _rounded(tower_of(actions[recommend]) - max(others))


def tower_of(value: ContractValue | float) -> float:
    """P(win the tower)."""
    return value if isinstance(value, float) else value.tower


def _in_order(suits: tuple[int, ...]) -> list[int]:
    return sorted(suits, key=lambda suit: _SUIT_ORDER.index(SUITS[suit]))


def _rounded(value: float) -> float:
    return round(value, DIGITS)
