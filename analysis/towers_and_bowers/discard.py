"""`towerlab discard`: which card the dealer gives for the up-card, whoever accepted it.

The discard comes before the first lead (TB-10). Each card's value is P(win the tower). Up to four cards it is the
solution's, with cards hidden to the end. Above, the learned policy names the card, and each card is played out by it
(`learned_play`), with a paired 95 % interval of its cost against that one. ``--method pimc`` counts every hand alike.
Advice, reviews and training ask the same function.

>>> ask_discard("AH KH 9C", "JD", "them").recommend
'9C'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from towerlab.analysis.present.answers import Answer
from towerlab.analysis.towers_and_bowers.learned_play import played_discards
from towerlab.analysis.towers_and_bowers.solutions.accuracy import Accuracy
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, rules_are_solved
from towerlab.analysis.towers_and_bowers.upcard.answers import EQUILIBRIUM, SELF_PLAY, DiscardAnswer, Mix
from towerlab.analysis.towers_and_bowers.upcard.asking import check_size, no_solution, read_question
from towerlab.analysis.towers_and_bowers.upcard.open_cards import evaluate_discard
from towerlab.analysis.towers_and_bowers.upcard.solved import discard_solved
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.engine import GAME
from towerlab.games.towers_and_bowers.links import LinkedPosition
from towerlab.games.written import CardId, Mask, Record

BIDDERS: Final = ("me", "them")
OPEN_CARDS: Final = "perfect information"
PLAYED_OUT: Final = "the learned policy against itself, by rollouts"


@dataclass(frozen=True)
class RankedDiscard(Record, keys="card tower cost probability interval?"):
    """A card: P(the dealer wins the tower) without it, its cost, how often it is given (None: unknown).

    Where cards are played out, `interval` is that of the cost before it is cut at 0.
    """

    card: str
    tower: float
    cost: float
    probability: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class RankedDiscards(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present.discard:discard_report",
    table="discards",
    keys="dealt up bidder layouts exact recommend margin discards values_of basis? accuracy?",
):
    """Every card that the dealer can give, the best first.

    Attributes:
        dealt: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        bidder: ``"me"`` where the dealer accepted, ``"them"`` where the other did.
        layouts: hands of the other that were counted, all of them.
        values_of: what the values are exact in.
        mix: of the equilibrium, else None.
        basis: how cards were played out, else None.
    """

    dealt: Mask
    up: CardId
    bidder: str
    layouts: int
    discards: tuple[RankedDiscard, ...]
    method: str
    values_of: str
    mix: Mix | None = None
    basis: str | None = None

    @property
    def accuracy(self) -> Accuracy | None:
        """How far the equilibrium's values may be off."""
        return None if self.mix is None else self.mix.accuracy

    @property
    def accuracy_words(self) -> str:
        """The same in words."""
        if self.method == SELF_PLAY:
            return "costs with 95 % intervals; the card that the policy gives most costs nothing"
        return "exact in this model" if self.mix is None else self.mix.accuracy_words

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
        return next(ranked.card for ranked in self.discards if ranked.cost <= 0)

    @property
    def margin(self) -> float:
        """The cost of the next card that costs anything."""
        return next((ranked.cost for ranked in self.discards if ranked.cost > 0), 0.0)


def ask_discard(
    hand: str, up: str, bidder: str, *, method: str | None = None, options: TowersAndBowersOptions | None = None
) -> RankedDiscards:
    """Return every card that the dealer can give for the up-card.

    Args:
        hand: the dealer's cards as they were dealt.
        up: the up-card.
        bidder: ``"me"`` where the dealer accepted, ``"them"`` where the other did.
        method: ``"equilibrium"``, ``"self-play"``, ``"pimc"``, or None for the best there is.
        options: the rules.

    Raises:
        TowerlabError: cards that cannot be, or a method that cannot answer.
    """
    question, options = read_question(hand, up, "dealer", method=method), options or TowersAndBowersOptions()
    check_size(question.cards, options)
    model = question.model(options)
    if model is None or (model == SELF_PLAY and not rules_are_solved(options)):
        raise no_solution(question.cards, options, str(method))
    answer = value_discards(question.hand, question.up, bidder == BIDDERS[0], options, model)
    lost = answer.losses()
    mix = answer.mix
    probabilities = answer.made if mix is None else mix.probabilities if mix.holds else {}
    ends = {card: cost.ends for card, cost in answer.costs.items()}
    ranked = [
        RankedDiscard(card, value, lost.of[card], probabilities.get(card), ends.get(card))
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
        values_of=mix.values_of if mix is not None else PLAYED_OUT if answer.made else OPEN_CARDS,
        mix=mix,
        basis=answer.basis or None,
        options=options,
        link=str(position),
    )


def value_discards(hand: int, up: int, asker_bids: bool, options: TowersAndBowersOptions, method: str) -> DiscardAnswer:
    """The value of each discard.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer accepted.
        options: the rules.
        method: of `upcard.answers.METHODS`, one that can answer (`upcard.asking.best_method`).
    """
    answer = discard_solved(hand, up, asker_bids) if method == EQUILIBRIUM else None
    if method == SELF_PLAY:
        answer = played_discards(hand, up, asker_bids)
    return answer or evaluate_discard(hand, up, asker_bids, options)
