"""What are the parts of a match of Towers & Bowers? Frozen records, the view of a player among them.

Players are 0 and 1, cards are ids of `games.cards`, sets of cards are printed masks, tricks are numbered from 1.

>>> Trick(leader=0, led=50, reply=12, winner=0).card_of(1)
12
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass


class Phase(enum.StrEnum):
    """The phases of a match, by what it waits for."""

    STARTER = "STARTER"  # a tower begins: the pack is shuffled to find its first dealer (TB-6)
    TURN = "TURN"  # cards are turned until a black jack (TB-6)
    SHUFFLE = "SHUFFLE"  # the dealer is known, the pack is shuffled (TB-7)
    CUT = "CUT"  # the non-dealer cuts or declines (TB-7)
    DEAL = "DEAL"  # TB-8
    BID1_ND = "BID1-ND"  # the non-dealer accepts the up-card or passes (TB-10)
    BID1_D = "BID1-D"
    DISCARD = "DISCARD"  # the dealer discards for the up-card (TB-10)
    BID2_ND = "BID2-ND"  # the non-dealer names a suit or passes (TB-12)
    BID2_D = "BID2-D"
    PLAY = "PLAY"  # TB-18
    CONSENT = "CONSENT"  # the other player accepts a claim or insists on play (TB-28)
    PENALTY = "PENALTY"  # the aggrieved player takes or declines the tower (TB-24)
    HAND_OVER = "HAND-OVER"  # the next hand may be shuffled; late accusations are heard (TB-25)
    TOWER_OVER = "TOWER-OVER"  # the next tower may begin; late accusations are heard (TB-25)
    MATCH_OVER = "MATCH-OVER"  # late accusations are heard: no card follows that would end their time (TB-25)


class Ending(enum.StrEnum):
    """How a hand ended."""

    PLAYED = "played"  # every trick, or until nothing could change (TB-20, TB-21)
    CLAIMED = "claimed"  # by a claim or concession, proved or consented to (TB-28)
    PENALTY = "penalty"  # the tower was taken as a penalty (TB-24)
    AWARDED = "awarded"  # a declined penalty gave the next deal to the aggrieved player (TB-27)
    THROWN_IN = "thrown in"  # nobody named a trump (option `force_dealer_to_name` off)


# ---------------------------------------------------------------------------------------------------- inside a hand


@dataclass(frozen=True)
class Call:
    """One call of the bidding: ``"accept"``, ``"pass"`` or ``"name"`` (with its suit)."""

    player: int
    call: str
    suit: int | None = None


class CallCode(enum.IntEnum):
    """A call as a number, for arrays and for programs that know actions by numbers; `Call` says the same in words."""

    PASS = 0
    ACCEPT = 1
    CLUBS = 2  # names clubs, and so on
    DIAMONDS = 3
    HEARTS = 4
    SPADES = 5

    @classmethod
    def naming(cls, suit: int) -> CallCode:
        """Return the call that names a suit, 0..3 for C D H S."""
        return cls(cls.CLUBS + suit)

    @property
    def suit(self) -> int | None:
        """The suit that is named, or None."""
        return self - CallCode.CLUBS if self >= CallCode.CLUBS else None

    @property
    def word(self) -> str:
        """``"pass"``, ``"accept"``, or the letter of the suit that is named.

        >>> CallCode.naming(3).word, CallCode.PASS.word
        ('S', 'pass')
        """
        return self.name.lower() if self.suit is None else self.name[0]


@dataclass(frozen=True)
class Trick:
    """A trick: the card led, the reply, and who won it."""

    leader: int
    led: int
    reply: int
    winner: int

    def card_of(self, player: int) -> int:
        """Return the card that player put into the trick."""
        return self.led if player == self.leader else self.reply


@dataclass(frozen=True)
class Renege:
    """A failure to follow suit that has not been corrected (TB-22)."""

    player: int
    trick: int


@dataclass(frozen=True)
class Outcome:
    """How a hand ended.

    Attributes:
        ending: the way in which it ended.
        taken: the tricks of player 0 and player 1, those of an accepted claim included.
        tower_to: the player who gets the tower, or None when the tower goes on.
        next_dealer: the player who deals the next hand, or None when the tower is over.
    """

    ending: Ending
    taken: tuple[int, int]
    tower_to: int | None
    next_dealer: int | None


@dataclass(frozen=True)
class PendingClaim:
    """A claim, or a concession, of some of the tricks left (TB-28).

    Attributes:
        player: the player who claims or concedes.
        tricks: the number of tricks claimed, or conceded to the other player.
        is_concession: whether it is a concession.
        verdict: the judge's verdict, or None when there was none.
    """

    player: int
    tricks: int
    is_concession: bool
    verdict: bool | None


@dataclass(frozen=True)
class HandState:
    """One hand, from the deal until a card of the next one is dealt.

    Attributes:
        n: cards dealt to each player.
        hands: printed masks of the cards held now.
        stock: undealt cards below the up-card, top first.
        discard: the card that the dealer gave for the up-card, or None (nobody accepted, or not yet).
        leader: the player who leads, or led, the trick in progress.
        led: the card on the table, or None between tricks.
        reneges: the uncorrected reneges, earliest first.
        shown: cards of each player that went back to the hand after the other had seen them.
        legal_only: whether the hand is played legally, since a renege has been undone (TB-27).
        renege_settled: whether the penalty for a renege of this hand has been decided (TB-26).
        proved: the claim that closed the hand without the other player's consent, who may insist on play (TB-28).
        needs_consent: whether the other player has insisted, so that further claims in this hand need consent.
        plays_out: whether somebody has insisted on the tricks that an early stop had left (TB-21).
        outcome: the outcome of the hand, None until it is over.
    """

    n: int
    dealer: int
    hands: tuple[int, int]
    up_card: int
    stock: tuple[int, ...]
    leader: int
    calls: tuple[Call, ...] = ()
    trump: int | None = None
    bidder: int | None = None
    discard: int | None = None
    tricks: tuple[Trick, ...] = ()
    led: int | None = None
    reneges: tuple[Renege, ...] = ()
    shown: tuple[int, int] = (0, 0)
    legal_only: bool = False
    renege_settled: bool = False
    proved: PendingClaim | None = None
    needs_consent: bool = False
    plays_out: bool = False
    outcome: Outcome | None = None

    @property
    def taken(self) -> tuple[int, int]:
        """Tricks that players 0 and 1 have won by play."""
        by_one = sum(trick.winner for trick in self.tricks)
        return len(self.tricks) - by_one, by_one

    @property
    def tricks_left(self) -> int:
        """Tricks not yet won, the one in progress included."""
        return self.n - len(self.tricks)

    @property
    def last_lead_is_made(self) -> bool:
        """Whether the last trick has been led, or the hand is over before it (TB-24)."""
        return self.outcome is not None or self.tricks_left == 0 or (self.tricks_left == 1 and self.led is not None)

    def closed_tricks(self) -> int:
        """Return how many tricks can no longer be corrected, because the next was led or the hand is over (TB-23).

        A proved claim, whoever makes it, closes the hand but leaves the correction open (TB-28): the accuser may insist
        on play, and accuse once the next trick is led.
        """
        if self.led is not None or not self.tricks:
            return len(self.tricks)
        return len(self.tricks) - (self.outcome is None or self.proved is not None)


# --------------------------------------------------------------------------------------------------- inside a match


@dataclass(frozen=True)
class Penalty:
    """A tower that the aggrieved player may take or decline (TB-24).

    Attributes:
        trick: the trick of the renege, or None for a false accusation.
        resume: the phase in which the accusation was made.
        offered: whether the offender is to answer an offer to undo the renege; None before one (TB-27).
    """

    offender: int
    aggrieved: int
    trick: int | None
    resume: Phase
    offered: bool | None = None


@dataclass(frozen=True)
class MatchState:
    """Everything a match is at one moment; two matches with equal states and options go on alike.

    Attributes:
        towers: the towers of player 0 and player 1.
        n: cards of the hand being played, or of the next one.
        dealer: the dealer of that hand; None until the starter has found one.
        turner: the player who turns the cards of the starter.
        pack: the cards in use before a deal, top first; for the starter, all 24 with `turned` face up.
        hand: the hand in play or just over; None before the first deal and once a starter's card is turned.
        winner: the winner of the match, or None.
    """

    phase: Phase
    towers: tuple[int, int]
    n: int
    dealer: int | None
    turner: int | None = None
    pack: tuple[int, ...] = ()
    turned: int = 0
    hand: HandState | None = None
    claim: PendingClaim | None = None
    penalty: Penalty | None = None
    winner: int | None = None


# ------------------------------------------------------------------------------------------------ what a player sees


@dataclass(frozen=True)
class View:
    """The view of one player: enough to decide any of the player's actions, and nothing the player may not know.

    Attributes:
        phase, to_act: the phase, and the player that the match waits for (None: either player).
        towers: the towers of player 0 and player 1.
        n, dealer: the hand size and dealer of this hand (also when it is just over), or of the next one.
        hand: printed mask of the cards held now.
        up_card: the up-card, None while no card has been turned up.
        discard: the player's own discard, of a dealer who has exchanged.
        calls, trump, bidder, tricks, leader, led, taken, outcome: the public state of this hand.
        claim, penalty: the claim or the penalty that waits for an answer.
        legal: printed mask of the cards that may be played now under TB-18; 0 when it is not the player's turn.
        gone: printed mask of the cards that can be in neither player's hand.
        opponent_cards: the number of cards that the other player holds.
        opponent_holds: printed mask of cards surely held: an up-card taken and not yet played, cards taken back.
        opponent_voids: the effective suits (0..3) that the other cannot hold, from failures to follow.
        turned: the cards of a starter turned so far, the first for the player who does not turn.
    """

    player: int
    phase: Phase
    to_act: int | None
    towers: tuple[int, int]
    n: int
    dealer: int | None
    hand: int = 0
    up_card: int | None = None
    discard: int | None = None
    calls: tuple[Call, ...] = ()
    trump: int | None = None
    bidder: int | None = None
    tricks: tuple[Trick, ...] = ()
    leader: int | None = None
    led: int | None = None
    taken: tuple[int, int] = (0, 0)
    outcome: Outcome | None = None
    claim: PendingClaim | None = None
    penalty: Penalty | None = None
    legal: int = 0
    gone: int = 0
    opponent_cards: int = 0
    opponent_holds: int = 0
    opponent_voids: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()

    @property
    def up(self) -> int:
        """The up-card of a hand that has been dealt."""
        assert self.up_card is not None
        return self.up_card

    @property
    def deals(self) -> bool:
        """Whether the player is the dealer of the hand."""
        return self.player == self.dealer

    @property
    def is_second_round(self) -> bool:
        """Whether a call of the second round is asked for: the up-card has been turned down."""
        return self.phase in (Phase.BID2_ND, Phase.BID2_D)


@dataclass(frozen=True)
class ClaimQuestion:
    """The question that a judge has to decide, with exactly what the claimant has seen (TB-29, TB-30).

    A claim of k is sound if one strategy of the claimant takes k of the tricks left against every hand of the other
    player's that the view allows; a concession of k if no continuation leaves the claimant more than
    the rest.

    Attributes:
        view: the view of the claimant; no void in it rests on a card that may still be taken back.
        tricks: the number of tricks claimed or conceded, of those left, that in progress included.
        is_concession: whether the tricks are conceded rather than claimed.
    """

    view: View
    tricks: int
    is_concession: bool


Judge = Callable[[ClaimQuestion], bool]
