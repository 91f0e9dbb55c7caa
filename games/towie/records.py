"""What are the parts of a game of Towie, and how do bridge programs read a deal? Frozen records, and PBN.

Players are numbered from 0; seats 0, 1, 2 are the active ones, clockwise. In a deal, hands and callers are numbered
from the dealer: 0 the dealer's, 1 the left neighbour's, 2 the right neighbour's, hand 3 dummy's; positions of the
play are those of `games.towie.dealing`, counted from declarer. Cards are ids, sets of cards printed masks.

A PBN record (Portable Bridge Notation) that we write has declarer in the South (without a contract the dealer), so that
dummy is North, and West leads: what other programs know of it (deal, contract, result, play) is a bridge deal. The rest
stands in tags of our own: ``TowieDummy``, ``TowieExposed``, ``TowieGoulashes``, ``TowieAuction``, ``TowieScore``.
Vulnerability is declarer's; that of the others scores nothing::

    print(deal_to_pbn(game.state().deal))
"""

import enum
from dataclasses import dataclass
from typing import Final

from towerlab.games.cards import SYMBOLS, card_text, mask_text
from towerlab.games.pbn import COMPASS_SEATS, deal_text
from towerlab.games.towie.auction import DOUBLE, PASS, REDOUBLE, auction_text, contract_text, level_of, strain_of
from towerlab.games.towie.dealing import DUMMY, HAND_SIZE, HANDS, LEADER, hand_at
from towerlab.games.towie.scoring import tricks_needed


class Phase(enum.StrEnum):
    """The phases of a game, by what it waits for."""

    DEAL = "DEAL"  # chance: a shuffled pack (TO-2)
    EXPOSE = "EXPOSE"  # chance: the dealer faces six of dummy's cards (TO-3)
    AUCTION = "AUCTION"  # TO-4
    GOULASH = "GOULASH"  # chance: the hands are sorted, stacked, cut and dealt again (TO-9)
    LEAD = "LEAD"  # declarer's left neighbour leads (TO-8)
    PLAY = "PLAY"  # TO-8
    CLAIM = "CLAIM"  # the other two agree to a claim, or have the cards played (TO-8)
    GAME_OVER = "GAME-OVER"  # a player owns two games (TO-21)


def call_symbol(call: int) -> str:
    """Return a call for people: ``"4♠"``, ``"3NT"``, ``"pass"``, ``"double"``."""
    known = {PASS: "pass", DOUBLE: "double", REDOUBLE: "redouble"}
    return known.get(call) or f"{level_of(call)}{(*SYMBOLS, 'NT')[strain_of(call)]}"


@dataclass(frozen=True)
class Contract:
    """A contract that is played.

    Attributes:
        bid: the bid, 1..35, see `games.towie.auction`.
        doubling: the factor of the stakes: 1, 2 doubled, 4 redoubled.
        declarer: caller 0..2 from the dealer; in questions a column of a deal, 0 the asker.
    """

    bid: int
    doubling: int = 1
    declarer: int = 0

    @property
    def strain(self) -> int:
        """0..4 for C D H S NT."""
        return int(strain_of(self.bid))

    @property
    def needed(self) -> int:
        """Tricks that make it (TO-8)."""
        return int(tricks_needed(self.bid))

    @property
    def symbol(self) -> str:
        """For people: ``"4♠X"``."""
        return call_symbol(self.bid) + {1: "", 2: "X", 4: "XX"}[self.doubling]

    def __str__(self) -> str:
        return contract_text(self.bid, self.doubling)


@dataclass(frozen=True)
class Trick:
    """A trick of four: leader, cards in order of play, winner; positions from declarer."""

    leader: int
    cards: tuple[int, ...]
    winner: int

    def card_of(self, position: int) -> int:
        """Return the card played from a position."""
        return self.cards[(position - self.leader) % 4]


@dataclass(frozen=True)
class Score:
    """How a played deal ended.

    Attributes:
        contract: the contract, with its declarer as caller.
        player: the declarer.
        tricks: the tricks that declarer and dummy took.
        made: whether the contract was made, and so a game won (TO-13).
        declarer_points, opponent_points: the points entered for the declarer, and for each of the others (TO-18).
        honours: the points among these for honours of declarer and dummy, and of the others (TO-17); 0 without honours.
        entered: the player who took the declarer's seat, or None (TO-20).
    """

    contract: Contract
    player: int
    tricks: int
    made: bool
    declarer_points: int
    opponent_points: int
    honours: tuple[int, int]
    entered: int | None


@dataclass(frozen=True)
class Claim:
    """Tricks that are claimed, or with the rest conceded (TO-8).

    Attributes:
        caller: the caller who claims, counted from the dealer.
        tricks: the tricks, of those left, for the claimant's side.
        agreed: the number of the other two who have agreed, the left neighbour first.
    """

    caller: int
    tricks: int
    agreed: int = 0


@dataclass(frozen=True)
class DealState:
    """One deal, from the cards dealt until the next ones are.

    Attributes:
        players: the callers: dealer, left, right.
        dealt: hands as last dealt, printed masks [4].
        hands: the cards left.
        exposed: dummy's six faced cards.
        calls: the calls of the auction in progress or just over.
        goulashes: the number of goulashes in this deal so far.
        old: hands before the last goulash, printed masks [4]; None before the first.
        piles: those hands as they were sorted, card ids from the top [4][13]; None before the first goulash.
        sorted: the piles, by hand, that players have sorted for the goulash to come; empty ones where chance will.
        contract: the contract, None until a game contract is reached.
        tricks: the tricks that have been played out.
        leader: the position that leads, or has led, the trick in progress.
        plays: cards of the trick in progress in order of play.
        claim: the claim that waits for answers.
        faced: callers who have claimed: their cards are open.
        conceded: tricks that declarer and dummy have been given by a claim.
        score: the score, None until the deal has been played.
    """

    players: tuple[int, int, int]
    dealt: tuple[int, int, int, int]
    hands: tuple[int, int, int, int]
    exposed: int = 0
    calls: tuple[int, ...] = ()
    goulashes: int = 0
    old: tuple[int, int, int, int] | None = None
    piles: tuple[tuple[int, ...], ...] | None = None
    sorted: tuple[tuple[int, ...], ...] = ((),) * 4
    contract: Contract | None = None
    tricks: tuple[Trick, ...] = ()
    leader: int = 1
    plays: tuple[int, ...] = ()
    claim: Claim | None = None
    faced: tuple[int, ...] = ()
    conceded: int = 0
    score: Score | None = None

    @property
    def declarer_tricks(self) -> int:
        """Tricks that declarer and dummy have won."""
        return sum(trick.winner % 2 == 0 for trick in self.tricks) + self.conceded

    @property
    def dummy_is_faced(self) -> bool:
        """Whether dummy's hand is open: from the opening lead on (TO-8)."""
        return bool(self.tricks or self.plays)


@dataclass(frozen=True)
class GameState:
    """Everything a game is at one moment; two games with equal states and options go on alike.

    Attributes:
        active: players in seats 0, 1, 2.
        waiting: the others, the one who waits longest first.
        dealer: seat of the dealer of the deal in progress, or of the next one.
        ledger: the points of each player (TO-19).
        games: the games won by each player (TO-13).
        played: the number of deals that were played, not passed out.
        deal: the deal in progress or just over; None before the first.
    """

    phase: Phase
    active: tuple[int, int, int]
    waiting: tuple[int, ...]
    dealer: int
    ledger: tuple[int, ...]
    games: tuple[int, ...]
    played: int = 0
    deal: DealState | None = None


# ------------------------------------------------------------------------------------------------ views


@dataclass(frozen=True)
class View:
    """The view of one player: enough to decide any of their actions, and nothing that player may not know.

    Attributes:
        phase, to_act: the phase, and the player that the game waits for (None: nobody).
        active, waiting, dealer, ledger, games: the public state of the game.
        caller: the player's number in this deal, None while waiting.
        hand: printed mask of the player's cards, 0 while waiting.
        exposed: dummy's six faced cards, those played included.
        dummy: dummy's hand now, once it is open; else None.
        dealt: the player's hand as it was dealt, 0 while waiting.
        dealt_dummy: dummy's 13 cards, once they are open; else None.
        calls, contract, tricks, leader, plays, score, goulashes: the public state of this deal.
        claimant, claimed: the caller who claims, and how many of the tricks left; None without a pending claim.
        shown: the hands faced by a claim, by caller, printed masks [3].
        old_hand, old_dummy: hands before the last goulash that the player has seen (TO-11), in their order as sorted,
            from the top; empty otherwise. Dummy's is known to the dealer, who sorted it, or with `goulash_open`
            to all, then without its order.
        legal: printed mask of the cards that may be played now; 0 when none is due from this player.
        unseen: printed mask of the cards not seen in this deal: those in the other players' hands and face
            down in dummy.
        voids: suits that a position has shown to be out of, by position [4].
    """

    player: int
    phase: Phase
    to_act: int | None
    active: tuple[int, int, int]
    waiting: tuple[int, ...]
    dealer: int
    ledger: tuple[int, ...]
    games: tuple[int, ...]
    caller: int | None = None
    hand: int = 0
    exposed: int = 0
    dummy: int | None = None
    dealt: int = 0
    dealt_dummy: int | None = None
    calls: tuple[int, ...] = ()
    contract: Contract | None = None
    tricks: tuple[Trick, ...] = ()
    leader: int | None = None
    plays: tuple[int, ...] = ()
    score: Score | None = None
    goulashes: int = 0
    old_hand: tuple[int, ...] = ()
    old_dummy: tuple[int, ...] = ()
    claimant: int | None = None
    claimed: int | None = None
    shown: tuple[int, int, int] = (0, 0, 0)
    legal: int = 0
    unseen: int = 0
    voids: tuple[tuple[int, ...], ...] = ((), (), (), ())


_COMPASS: Final = "SWNE"  # by position from declarer


def deal_to_pbn(deal: DealState, vulnerable: bool = False) -> str:
    """Return a deal as a PBN record.

    Args:
        deal: the deal at any moment.
        vulnerable: whether declarer had won a game before it.
    """
    south = 0 if deal.contract is None else deal.contract.declarer
    place = {int(hand_at(position, south)): _COMPASS[position] for position in range(HANDS)}
    hands = {place[hand]: mask for hand, mask in enumerate(deal.dealt)}
    tags = {
        "Event": "Towie",
        "Dealer": place[0],
        "Vulnerable": "NS" if vulnerable else "None",
        "Deal": deal_text(tuple(hands[seat] for seat in COMPASS_SEATS)),
        "TowieDummy": place[DUMMY],
        "TowieExposed": mask_text(deal.exposed),
        "TowieGoulashes": str(deal.goulashes),
        "TowieAuction": auction_text(deal.calls),
    }
    if deal.contract is not None:
        tags |= {"Declarer": "S", "Contract": str(deal.contract)}
    if deal.score is not None:
        ours, theirs = deal.score.declarer_points, deal.score.opponent_points
        tags |= {"Result": str(deal.score.tricks), "Score": f"NS {ours}" if deal.score.made else f"EW {theirs}"}
        tags["TowieScore"] = f"{ours} {theirs}"
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join(lines + _play_lines(deal)) + "\n"


def _play_lines(deal: DealState) -> list[str]:
    """Return the play section: a row a trick, its columns W N E S whichever seat led."""
    if not deal.dummy_is_faced:
        return []
    tricks = [(trick.leader, trick.cards) for trick in deal.tricks]
    if deal.plays:
        tricks.append((deal.leader, deal.plays))
    rows = ['[Play "W"]']
    for leader, cards in tricks:
        row = ["- "] * HANDS
        for step, card in enumerate(cards):
            text = card_text(card)
            row[(leader + step - LEADER) % HANDS] = text[1] + text[0]
        rows.append(" ".join(row).rstrip())
    return rows if len(deal.tricks) == HAND_SIZE else [*rows, "*"]
