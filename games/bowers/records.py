"""What are the parts of a game of Bowers? Frozen records: deal, state, view, trick, outcome.

Players are seats 0, 1, 2 clockwise, cards are ids of `games.cards`, sets of cards are printed masks.

>>> Outcome(call=PASS, bidder=None, taken=(0, 0, 0), points=(0, 0, 0)).thrown_in
True
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from towerlab.games.bowers.rules import PASS, PLAYERS, Auction, from_bid_order
from towerlab.games.bowers.state import (
    BEST_SEAT,
    BIDDER,
    BURIED,
    CARDS_IN_TRICK,
    DEALER,
    DEALS,
    DEALT_BY,
    FACTOR,
    HANDS,
    KITTY,
    NAMED,
    PHASE,
    POINTS,
    SCORES,
    STAKES,
    STANDING,
    TAKEN,
    TO_ACT,
    WINNER,
)

Three = tuple[int, int, int]


def as_triple(values: Sequence[int]) -> Three:
    """Return values by seat."""
    first, second, third = values
    return first, second, third


class Phase(enum.StrEnum):
    """The phases of a game, by what it waits for.

    Taking the kitty and scoring need no decision: they happen with the call and the card.
    """

    DEAL = "DEAL"  # a shuffled pack (BO-1); the last deal's outcome is still there
    BID = "BID"  # a call (BO-3 .. BO-6)
    BURY = "BURY"  # the bidder, who has taken the kitty, buries as many cards (BO-7)
    PLAY = "PLAY"  # a card (BO-8, BO-9)
    OVER = "OVER"  # somebody has won (BO-14)


@dataclass(frozen=True)
class Trick:
    """A trick: who led, its three cards in order of play, the suit that a led joker named, and who won it."""

    leader: int
    cards: Three
    named: int | None
    winner: int


@dataclass(frozen=True)
class Outcome:
    """How a deal ended.

    Attributes:
        call: the bid that was played, or `PASS` if the deal was thrown in.
        bidder: the seat of the bidder, or None.
        taken: the tricks taken by each seat.
        points: the points by seat, the factor included.
    """

    call: int
    bidder: int | None
    taken: Three
    points: Three

    @property
    def thrown_in(self) -> bool:
        """Whether everybody passed (BO-6)."""
        return self.bidder is None


@dataclass(frozen=True)
class DealState:
    """A deal in play or just over.

    Attributes:
        dealer, factor: the seat that dealt, and the factor by which the points are multiplied.
        hands: printed masks by seat as they are now.
        kitty: the kitty as it was dealt.
        auction: the auction, in which player 0 is the one on the dealer's left.
        bidder, call: the seat and the bid once the auction is won, else None and `PASS`.
        buried: printed mask, 0 before and at misère.
        tricks: the completed tricks.
        leader: the seat that leads, or has led, the current trick; None before the play.
        plays: the cards on the table, in order.
        named: the suit named by a joker that was led to this trick, else None.
        outcome: the outcome, once the deal is over.
    """

    dealer: int
    factor: int
    hands: Three
    kitty: int
    auction: Auction
    bidder: int | None = None
    call: int = PASS
    buried: int = 0
    tricks: tuple[Trick, ...] = ()
    leader: int | None = None
    plays: tuple[int, ...] = ()
    named: int | None = None
    outcome: Outcome | None = None

    @property
    def taken(self) -> Three:
        """Tricks by seat."""
        winners = [trick.winner for trick in self.tricks]
        return winners.count(0), winners.count(1), winners.count(2)


@dataclass(frozen=True)
class GameState:
    """Everything: equal states and options mean games that go on alike.

    Attributes:
        array: the places of `games.bowers.state`.
        auction: the auction of the deal in play or just over, in which player 0 is the one on the dealer's left.
        tricks: the completed tricks of this deal.
        plays: the cards on the table, in order.
    """

    array: tuple[int, ...]
    auction: Auction
    tricks: tuple[Trick, ...] = ()
    plays: tuple[int, ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase, by what the game waits for."""
        return tuple(Phase)[self.array[PHASE]]

    @property
    def scores(self) -> Three:
        """The scores by seat."""
        return self._three(SCORES)

    @property
    def dealer(self) -> int | None:
        """The dealer of this deal or, in phase DEAL, of the next; None before the first."""
        return self.array[DEALER] if self.array[DEALS] else None

    @property
    def factor(self) -> int:
        """The factor of this deal or the next (BO-6, BO-13)."""
        return self.array[FACTOR]

    @property
    def winner(self) -> int | None:
        """The seat of the winner, or None."""
        return self.array[WINNER] if self.array[WINNER] >= 0 else None

    @cached_property
    def deal(self) -> DealState | None:
        """The deal in play or just over, None before the first."""
        array = self.array
        if not array[DEALS]:
            return None
        call = PASS if self.phase == Phase.BID else array[STANDING]
        bidder = array[BIDDER] if call != PASS else None
        taken = self._three(TAKEN)
        is_played = self.phase == Phase.PLAY
        leads = (array[TO_ACT] - array[CARDS_IN_TRICK]) % PLAYERS
        hands = [int(from_bid_order(hand, call)) if is_played else hand for hand in self._three(HANDS)]
        is_over = self.phase in (Phase.DEAL, Phase.OVER)
        return DealState(
            dealer=array[DEALT_BY],
            factor=array[STAKES],
            hands=as_triple(hands),
            kitty=array[KITTY],
            auction=self.auction,
            bidder=bidder,
            call=call,
            buried=array[BURIED],
            tricks=self.tricks,
            leader=leads if is_played else array[BEST_SEAT] if self.tricks else None,
            plays=self.plays,
            named=array[NAMED].bit_length() // 13 - 1 if array[NAMED] else None,
            outcome=Outcome(call, bidder, taken, self._three(POINTS)) if is_over else None,
        )

    def _three(self, place: int) -> Three:
        return as_triple(self.array[place : place + PLAYERS])


@dataclass(frozen=True)
class View:
    """The view of one player: enough to decide any of their actions, and nothing that player may not know.

    Attributes:
        phase, to_act, scores, dealer, factor: the public state of the game.
        hand: printed mask held now; twelve cards (thirteen of 33) while burying.
        kitty: the kitty that the player took; 0 for everybody else, and at misère.
        buried: the cards that the player buried.
        calls: the legal calls, while it is this player's turn to call.
        legal: printed mask of the cards that may be played now; 0 when it is not this player's turn.
        auction, bidder, call, tricks, leader, plays, named, taken, outcome: the public state of this deal.
        counts: the number of cards held by each seat.
        unseen: printed mask of cards in other hands, in a kitty not taken, or buried by somebody else.
        possible: the cards that each seat may hold: unseen ones of suits always followed; the player's own hand.
        array: the state as kernels read it (`games.bowers.state`), without what this player has not seen.
    """

    player: int
    phase: Phase
    to_act: int | None
    scores: Three
    dealer: int | None
    factor: int
    hand: int = 0
    kitty: int = 0
    buried: int = 0
    calls: tuple[int, ...] = ()
    legal: int = 0
    auction: Auction | None = None
    bidder: int | None = None
    call: int = PASS
    tricks: tuple[Trick, ...] = ()
    leader: int | None = None
    plays: tuple[int, ...] = ()
    named: int | None = None
    taken: Three = (0, 0, 0)
    counts: Three = (0, 0, 0)
    unseen: int = 0
    possible: Three = (0, 0, 0)
    outcome: Outcome | None = None
    array: tuple[int, ...] = field(default=(), repr=False)
