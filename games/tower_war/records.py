"""What are the parts of a game of Tower War? Frozen records of its state and views, and the splits of its draft.

Players are 0 (player one) and 1, card sets printed masks, pyramids counted large, medium, small. In the draft (TW-3..7)
five cards are split in two piles, and in the advanced game pyramids beside one of them.

>>> ROUNDS * ROUND_CARDS  # of the 54 cards of the pack
50
"""

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from towerlab.games.cards import DECK_52, DECK_54, JOKER_1, card_text, mask_cards, mask_text, parse_card, parse_cards
from towerlab.games.engine import Action, Choices
from towerlab.games.errors import CardError, IllegalAction, demand, quote_value
from towerlab.games.tower_war.options import BASIC_STASH
from towerlab.games.tower_war.rules import NO_CARD, SKIRMISHES

ROUNDS = 10
ROUND_CARDS = 5
THIRD_STASH = (5, 5, 5)
NO_PYRAMIDS = (0, 0, 0)
MOST_OF_A_SIZE = 10  # pyramids of one player: the own five and the third stash's


def pile_splits(cards: int) -> list[tuple[int, int]]:
    """Return every division of some cards into two piles of at least one, as masks; each unordered pair once (TW-3).

    The pile without the lowest card stands first; five cards have 15 divisions.
    """
    others = mask_cards(cards)[1:]
    splits = []
    for size in range(1, len(others) + 1):
        for chosen in itertools.combinations(others, size):
            pile = sum(1 << card for card in chosen)
            splits.append((pile, cards & ~pile))
    return splits


def pyramid_offers(stash: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return every multiset of a common stash that can be laid beside a pile, the empty one first (TW-6)."""
    return list(itertools.product(*(range(count + 1) for count in stash)))


def split_choices(seat: int, face_up: int, stash: tuple[int, ...]) -> Choices:
    """Return every division of the five cards, and then each with every offer beside one of its piles (TW-3, TW-6)."""
    splits = pile_splits(face_up)
    empty, *offers = pyramid_offers(stash)
    options = [(empty, 0), *((offer, pile) for offer in offers for pile in range(2))]

    def make(index: int) -> Action:
        pyramids, pile = options[index // len(splits)]
        piles = [mask_text(part).split() for part in splits[index % len(splits)]]
        more = {"pyramids": list(pyramids), "beside": pile} if any(pyramids) else {}
        return {"action": "split", "player": seat, "piles": piles, **more}

    return Choices(len(splits) * len(options), make)


def check_split(piles: Sequence[int], pyramids: Sequence[int], pile: int, face_up: int, stash: tuple[int, ...]) -> None:
    """Refuse a division that is none of the five cards, or pyramids that are not in the third stash.

    Raises:
        IllegalAction: what was expected.
    """
    whole = len(piles) == 2 and piles[0] & piles[1] == 0 and piles[0] | piles[1] == face_up
    demand(whole, f"the {len(piles)} piles are not the five cards; expected two that make them up", "TW-3")
    demand(all(piles), "a pile is empty; expected one to four of the five cards", "TW-3")
    fits = len(pyramids) == len(stash) and all(0 <= n <= most for n, most in zip(pyramids, stash, strict=True))
    demand(fits, f"pyramids {quote_value(list(pyramids))} are not in the third stash of {stash}", "TW-6")
    demand(pile in (0, 1), f"there is no pile {pile!r} for the pyramids; expected 0 or 1", "TW-6")


def check_decks(decks: Sequence[int], stashes: Sequence[Sequence[int]], deck_size: int) -> None:
    """Refuse decks and stashes that cannot be laid down instead of a draft.

    Raises:
        IllegalAction: not two of each, or a stash that cannot be.
        CardError: a deck of the wrong size, or a card in both.
    """
    two = len(decks) == 2 and len(stashes) == 2
    demand(two, f"{len(decks)} decks and {len(stashes)} stashes; expected two of each", "TW-7")
    for name, deck in zip(("one", "two"), decks, strict=True):
        if not 1 <= deck.bit_count() <= deck_size:
            raise CardError(f"deck {name} has {deck.bit_count()} cards; expected 1 to {deck_size} (TW-7)")
    if decks[0] & decks[1]:
        raise CardError(f"{mask_text(decks[0] & decks[1])} is in both decks; expected every card once (TW-1)")
    for stash in stashes:
        fits = len(stash) == 3 and all(type(n) is int and 0 <= n <= MOST_OF_A_SIZE for n in stash)
        expected = f"expected large, medium and small ones, 0 to {MOST_OF_A_SIZE} each"
        demand(fits, f"a stash of {quote_value(list(stash))}; {expected}", "TW-1")


Pyramids = tuple[int, ...]


class Phase(enum.StrEnum):
    """The phases of a game."""

    DEAL = "DEAL"  # chance: five cards face up (TW-3)
    SPLIT = "SPLIT"  # TW-3
    TAKE = "TAKE"  # TW-3
    BASE = "BASE"  # chance: one of the last four cards (TW-5)
    BUILD = "BUILD"  # both decks, in either order (TW-7)
    DRAW = "DRAW"  # chance: a hand for the battle (TW-9)
    PLAY = "PLAY"  # TW-10
    ADD = "ADD"  # a pyramid (TW-15, TW-17)
    CAP = "CAP"  # a card on the full level (TW-17)
    TAKE_BACK = "TAKE-BACK"  # a pyramid, after equal totals (TW-18)
    FALL = "FALL"  # chance: whether the tower falls after the last action (TW-21)
    OVER = "OVER"


@dataclass(frozen=True)
class Handling:
    """Something done to the tower before chance has decided whether it falls.

    Attributes:
        action: `PLACE`, `REMOVE`, `STACK` or `ADJUST` of `games.tower_war.rules`.
        size: the size of the pyramid, or of the three under the card.
        card: the card that is stacked, else `NO_CARD`.
    """

    action: int
    size: int
    card: int = NO_CARD


@dataclass(frozen=True)
class GameState:
    """Everything; equal states and options mean games that go on alike.

    Attributes:
        player: the player on turn, or the one for whom chance draws.
        round: the round of the draft, 1..10.
        undealt: the cards left in the pack; after the draft the base and the three set aside.
        face_up: the five cards of the round.
        piles: the division of the five cards while it waits to be taken.
        offer: the pyramids of a pile, and which pile.
        third_stash: the pyramids left in it (TW-6).
        stashes: the stashes of both players before the war.
        pools, decks, unused: the cards that each player drafted, put into the deck (0 before), and left out.
        base: the card under the tower.
        battle: number of the running battle, from 1; leader: its leader.
        tower: the numbers of `games.tower_war.rules`.
        cards: the cards of both players, the rows of `games.tower_war.turns`.
        handling: what was done to the tower, in phase FALL.
        adjusted: whether the pyramids of the top level have been adjusted since one was added (TW-20).
        loser, reason: the loser of the war (None: a draw) and the reason, once it is over.
    """

    phase: Phase = Phase.DEAL
    player: int = 0
    round: int = 1
    undealt: int = DECK_54
    face_up: int = 0
    piles: tuple[int, int] = (0, 0)
    offer: tuple[Pyramids, int] = (NO_PYRAMIDS, 0)
    third_stash: Pyramids = NO_PYRAMIDS
    stashes: tuple[Pyramids, Pyramids] = (BASIC_STASH, BASIC_STASH)
    pools: tuple[int, int] = (0, 0)
    decks: tuple[int, int] = (0, 0)
    unused: tuple[int, int] = (0, 0)
    base: int | None = None
    battle: int = 0
    leader: int = 1  # the first battle turns it to player one (TW-8)
    tower: tuple[int, ...] = ()
    cards: tuple[tuple[int, ...], ...] = ()
    handling: Handling | None = None
    adjusted: bool = False
    loser: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class View:
    """Everything one player may know: enough to decide any of the player's actions.

    Attributes:
        phase, to_act, round, face_up, piles, offer, third_stash, base, battle, leader: the public part of `GameState`.
        stashes: the pyramids of both players as they are now.
        pools: cards drafted by each player; None for a pool that the player does not see or remember (option `recall`:
            drafted piles are face down until the draft ends).
        pool_counts: the number of cards in each pool.
        deck: the player's own, 0 before it is built; unused: the cards left out.
        has_built: whether each player has built a deck.
        hand: the player's cards, draws: the rest of the deck, in unknown order.
        counts: the number of cards in hand and in the deck, by player.
        discards, built: the discards and the cards built in of both players; open to both.
        played, shown: by player, this battle's cards in order, and the cards they were played as (None: a skirmish
            forfeited).
        reshuffled: by player, the discards that were shuffled in the middle of this battle's draw, when the last cards
            of the deck had been drawn; 0 where none were.
        opponent_cards: cards that the other player may have in hand or deck.
        levels, top_size, top_count: the tower: its cards, and size (None: empty) and number of the pyramids on top.
        placed: the pyramids that each player has placed in this battle.
        adjusted: whether pyramids have been adjusted, as in `GameState`.
    """

    player: int
    phase: Phase
    to_act: int | None
    round: int
    face_up: int
    piles: tuple[int, int]
    offer: tuple[Pyramids, int]
    third_stash: Pyramids
    stashes: tuple[Pyramids, Pyramids]
    pools: tuple[int | None, ...]
    pool_counts: tuple[int, int]
    has_built: tuple[bool, bool]
    deck: int
    unused: int
    base: int | None
    battle: int
    leader: int
    opponent_cards: int
    hand: int = 0
    draws: int = 0
    counts: tuple[tuple[int, int], ...] = ((0, 0), (0, 0))
    discards: tuple[int, ...] = (0, 0)
    built: tuple[int, ...] = (0, 0)
    reshuffled: tuple[int, ...] = (0, 0)
    played: tuple[tuple[int | None, ...], ...] = ((), ())
    shown: tuple[tuple[int | None, ...], ...] = ((), ())
    levels: int = 1
    top_size: int | None = None
    top_count: int = 0
    placed: tuple[int, int] = (0, 0)
    adjusted: bool = False


def parse_played(text: str, what: str = "the cards played") -> tuple[list[int], list[int]]:
    """Return one side of a battle: the cards, and the same as played.

    >>> parse_played("TC X1:TC")
    ([8, 52], [8, 8])

    Raises:
        CardError: not a card, or named twice.
        IllegalAction: no card or more than three (TW-9), a joker first or not the copy of an earlier card (TW-13).
    """
    cards: list[int] = []
    shown: list[int] = []
    for word in text.replace(",", " ").split():
        name, copies, copied = word.replace("=", ":").partition(":")
        card = parse_card(name)
        if card in cards:
            raise CardError(f"{card_text(card)} stands twice in {what}; expected every card once (TW-1)")
        if card >= JOKER_1:
            shown.append(_parse_copy(card_text(card), copied, shown, what))
        elif copies:
            raise IllegalAction(f"{word} in {what}: only a joker (X1, X2) can be played as another card", "TW-13")
        else:
            shown.append(card)
        cards.append(card)
    if not 1 <= len(cards) <= SKIRMISHES:
        raise IllegalAction(f"{what} has {len(cards)} cards; expected the three of a battle", "TW-9")
    return cards, shown


def _parse_copy(joker: str, copied: str, earlier: list[int], what: str) -> int:
    if not earlier:
        raise IllegalAction(f"{joker} is first in {what}; a joker cannot be the first card of a battle", "TW-13")
    choices = " or ".join(f"{joker}:{card_text(card)}" for card in earlier)
    if not copied:
        raise IllegalAction(f"{joker} in {what} copies nothing; expected {choices}", "TW-13")
    card = parse_cards(copied, DECK_52, f"{joker}:{copied}")
    if len(card) != 1 or card[0] not in earlier:
        raise IllegalAction(
            f"{joker}:{copied} in {what} copies a card not played before it; expected {choices}", "TW-13"
        )
    return card[0]
