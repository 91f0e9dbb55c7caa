"""`towerlab discard`: which card the dealer gives for the up-card, whoever accepted it.

The discard comes before the first lead (TB-10). Each card's value is P(win the tower). Up to four cards it is the
solution's, with cards hidden to the end. Above, each card is played out by the learned policy, with the numbers that
`upcard` has for the contract. ``--method pimc`` counts every hand alike. Advice, reviews and training ask the same
function.

>>> ask_discard("AH KH 9C", "JD", "them").recommend
'9C'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from towerlab.analysis.decision import SCALES, Alternative, Decision
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.position import ME, THEM
from towerlab.analysis.towers_and_bowers.questions.answers import EQUILIBRIUM, SELF_PLAY, DiscardAnswer, Mix, Rollouts
from towerlab.analysis.towers_and_bowers.questions.played import VALUES_OF, discard_played
from towerlab.analysis.towers_and_bowers.questions.upcard import NOT_PLAYED, check_size, no_solution, read_question
from towerlab.analysis.towers_and_bowers.questions.values import discard_solved, evaluate_discard
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS, check_rollouts
from towerlab.analysis.towers_and_bowers.solutions.accuracy import Accuracy
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, rules_are_solved
from towerlab.games.cards import card_symbol, parse_card
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.engine import GAME
from towerlab.games.towers_and_bowers.links import LinkedPosition
from towerlab.games.written import CardId, Mask, Record
from towerlab.solver.towers_and_bowers.self_play.bundle import bundle_in_use, own_bundle, playing_by

BIDDERS: Final = (ME, THEM)
OPEN_CARDS: Final = "perfect information"


@dataclass(frozen=True)
class RankedDiscard(Record, keys="card tower cost probability interval? error?"):
    """A card: P(the dealer wins the tower) without it, its cost, how often it is given (None: unknown).

    Where cards are played out, `interval` is that of the cost, simultaneous over the cards, and `error` the standard
    error of `tower`.
    """

    card: str
    tower: float
    cost: float
    probability: float | None
    interval: tuple[float, float] | None = None
    error: float | None = None


@dataclass(frozen=True)
class RankedDiscards(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present:discard_report",
    table="discards",
    keys="dealt up bidder layouts exact recommend margin discards values_of rollouts? accuracy?",
):
    """Every card that the dealer can give, the best first.

    Attributes:
        dealt: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        bidder: ``"me"`` where the dealer accepted, ``"them"`` where the other did.
        layouts: hands of the other that were counted, all of them.
        values_of: what the values are exact in.
        mix: of the equilibrium, else None.
        rollouts: how cards were played out, else None.
    """

    dealt: Mask
    up: CardId
    bidder: str
    layouts: int
    discards: tuple[RankedDiscard, ...]
    method: str
    values_of: str
    mix: Mix | None = None
    rollouts: Rollouts | None = None

    @property
    def accuracy(self) -> Accuracy | None:
        """How far the equilibrium's values may be off."""
        return None if self.mix is None else self.mix.accuracy

    @property
    def accuracy_words(self) -> str:
        """The same in words."""
        if self.method == SELF_PLAY:
            return "costs with 95 % intervals of the sample; how far the policy's play is from the game's is not known"
        return "exact in this model" if self.mix is None else self.mix.accuracy_words

    @property
    def decision(self) -> Decision[Alternative]:
        """Return the cards as alternatives, the recommended one first; chances in mt."""
        cards = []
        for ranked in self.discards:
            low, high = ranked.interval or (ranked.cost, ranked.cost)
            cost = Estimate(ranked.cost, low, high, 1).scaled(1000)
            cards.append(Alternative(f"discard {card_symbol(parse_card(ranked.card))}", 1000 * ranked.tower, cost))
        drawn = 0 if self.rollouts is None else self.rollouts.n
        return Decision(tuple(cards), SCALES[GAME], drawn=drawn, draws="deal")

    @property
    def exact(self) -> bool:
        """Whether the values are the game's; every hand is counted in any case."""
        return self.values_of == WHOLE_HAND

    @property
    def cards(self) -> int:
        """Hand size n."""
        return self.dealt.bit_count()

    @property
    def recommend(self) -> str:
        return self.discards[0].card

    @property
    def margin(self) -> float:
        """The cost of the next card that costs anything."""
        return next((ranked.cost for ranked in self.discards if ranked.cost > 0), 0.0)


def ask_discard(
    hand: str,
    up: str,
    bidder: str,
    *,
    method: str | None = None,
    rollouts: int | None = None,
    policy: str = "",
    options: TowersAndBowersOptions | None = None,
) -> RankedDiscards:
    """Return every card that the dealer can give for the up-card.

    Args:
        hand: the dealer's cards as they were dealt.
        up: the up-card.
        bidder: ``"me"`` where the dealer accepted, ``"them"`` where the other did.
        method: ``"equilibrium"``, ``"self-play"``, ``"pimc"``, or None for the best there is.
        rollouts: deals on which each card is played out; None for the usual number.
        policy: the folder of a learned policy of the user's, in place of the one that ships.
        options: the rules.

    Raises:
        TowerlabError: cards that cannot be, or a method that cannot answer.
    """
    with playing_by(own_bundle(policy)):
        return _ranked(hand, up, bidder, method, rollouts, options)


def _ranked(
    hand: str, up: str, bidder: str, method: str | None, rollouts: int | None, options: TowersAndBowersOptions | None
) -> RankedDiscards:
    question = read_question(hand, up, "dealer", method=method)
    options = options or TowersAndBowersOptions()
    check_size(question.cards, options)
    model = question.model(options)
    if model is None or (model == SELF_PLAY and not rules_are_solved(options)):
        raise no_solution(question.cards, options, str(method))
    count = check_rollouts(ROLLOUTS if rollouts is None else rollouts)
    answer = value_discards(question.hand, question.up, bidder == BIDDERS[0], options, model, count)
    if rollouts is not None and answer.rollouts is None:
        raise blame(TowerlabError(f"--rollouts {rollouts} {NOT_PLAYED}"), "rollouts")
    lost = answer.losses()
    mix = answer.mix
    probabilities = answer.made if mix is None else mix.probabilities if mix.holds else {}
    ends = {card: cost.ends for card, cost in answer.costs.items()}
    ranked = [
        RankedDiscard(card, value, lost.of[card], probabilities.get(card), ends.get(card), answer.errors.get(card))
        for card, value in answer.values.items()
    ]
    position = LinkedPosition(question.hand, question.up, True, "pa" if bidder == BIDDERS[0] else "a")
    return RankedDiscards(
        dealt=question.hand,
        up=question.up,
        bidder=bidder,
        layouts=answer.layouts,
        discards=tuple(sorted(ranked, key=lambda ranked: (ranked.card != lost.best, ranked.cost, -ranked.tower))),
        method=answer.method,
        method_asked=method,
        values_of=mix.values_of if mix is not None else VALUES_OF if answer.made else OPEN_CARDS,
        mix=mix,
        rollouts=answer.rollouts,
        options=options,
        link=str(position),
        policy="" if answer.rollouts is None else bundle_in_use().digest,
    )


def value_discards(
    hand: int, up: int, asker_bids: bool, options: TowersAndBowersOptions, method: str, count: int = ROLLOUTS
) -> DiscardAnswer:
    """The value of each discard.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer accepted.
        options: the rules.
        method: of `upcard.answers.METHODS`, one that can answer (`upcard.asking.best_method`).
        count: deals on which each card is played out.
    """
    if method == SELF_PLAY:
        return discard_played(bundle_in_use(), hand, up, asker_bids, count)
    answer = discard_solved(hand, up, asker_bids) if method == EQUILIBRIUM else None
    return answer or evaluate_discard(hand, up, asker_bids, options)
