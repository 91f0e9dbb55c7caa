"""Which card should I play next in a battle, or which pyramid should I add? `towerlab move tower-war`, and advice.

All hands that the other player can hold are equally likely, and both players see all cards from here on. The war table
of `solver.tower_war.battle` values the outcome of the battle.

>>> answer = ask_move("8C 2H", played="TC", their_played="9S", theirs="4S 2S", size="M")
>>> answer.recommend, answer.hands
('8C', 1)
"""

import itertools
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.analysis.decision import Alternative, DecidedAnswer, Decision
from towerlab.analysis.tower_war.battle import played_text
from towerlab.analysis.tower_war.drafting import check_apart, read_cards, read_tower, war_decision
from towerlab.games.arrays import Array
from towerlab.games.cards import card_symbol, cards_mask, mask_cards, parse_card
from towerlab.games.errors import at_fault, demand
from towerlab.games.tower_war import TowerWarOptions, rules
from towerlab.games.tower_war.records import parse_played
from towerlab.games.tower_war.turns import (
    ADDING,
    BY_STASH,
    HAND,
    LEADING,
    PHASE,
    PLAYED,
    PLAYER,
    PLAYING,
    REASON,
    War,
    after_draw,
    after_handling,
    handle,
    new_seats,
    play,
    start_war,
)
from towerlab.games.written import Mask, Record
from towerlab.solver.tower_war.battle import WAY_CARD, WAY_ROOM, WAY_SHOWN, WAY_SIZE, Stakes
from towerlab.solver.tower_war.model import battle_stakes
from towerlab.solver.tower_war.pimc import OPTIONS, Battle, average_options

MODEL: Final = (
    "every hand that the other player can hold counts alike; both see all hands from here on; the battle's outcome is "
    "valued by the table of later battles"
)
MOST_HANDS: Final = 5_000
ME = 0
THEM = 1


@dataclass(frozen=True)
class RankedOption(Record, keys="play win cost"):
    """An option of mine.

    Attributes:
        play: a card (a joker as ``X1:TC``), or a size of pyramid.
        win: P(I win the war) after it.
        cost: how much less that is than after the best option.
    """

    play: str
    win: float
    cost: float

    @property
    def words(self) -> str:
        """The card or the size as people read it."""
        cards = self.play.split(":")
        return (
            self.play
            if self.play in tuple(rules.SIZE_LETTERS)
            else " as ".join(card_symbol(parse_card(card)) for card in cards)
        )


@dataclass(frozen=True)
class MoveAnswer(
    DecidedAnswer,
    game="tower-war",
    method="pimc",
    shown_by="towerlab.analysis.tower_war.present:move_report",
    table="plays",
    keys="leader hand played their_played theirs hands levels decides recommend plays model",
):
    """Every legal card of mine, or every size of pyramid that I can add, the best first.

    Attributes:
        leader: ``"me"`` or ``"them"``.
        hand: my cards.
        played, their_played: the cards of the battle as played, in order.
        theirs: their cards, or the cards from which theirs come.
        hands: how many equally likely hands they can hold.
        levels: number of cards in the tower, the base included.
        decides: whether I choose a ``"card"`` or a ``"size"``.
        plays: the options, the best first.
    """

    leader: str
    hand: Mask
    played: tuple[str, ...]
    their_played: tuple[str, ...]
    theirs: Mask
    hands: int
    levels: int
    decides: str
    plays: tuple[RankedOption, ...]

    model = MODEL
    cards = rules.SKIRMISHES

    @property
    def recommend(self) -> str:
        return self.plays[0].play

    @property
    def decision(self) -> Decision[Alternative]:
        """The cards, or the sizes, as alternatives."""
        verb = "add a pyramid of size" if self.decides == "size" else "play"
        return war_decision([(f"{verb} {play.words}", play.win) for play in self.plays], self.model)


def ask_move(
    hand: str = "",
    *,
    played: str = "",
    their_played: str = "",
    theirs: str = "",
    their_deck: str = "",
    leader: str = "me",
    size: str | None = None,
    my_stash: str | None = None,
    their_stash: str | None = None,
    levels: int | None = None,
    options: TowerWarOptions | None = None,
) -> MoveAnswer:
    """Return the value of each of my next cards in a battle, or of each size of a level's first pyramid if I add it.

    Args:
        hand: the cards that I still hold.
        played, their_played: the cards of this battle in the order played, a joker as ``X1:TC``.
        theirs: the cards that they still hold, if these are known.
        their_deck: otherwise, the cards from which the rest of their hand comes.
        leader: ``"me"`` or ``"them"``.
        size: the size (L, M or S) of the pyramids added in this battle; None if none was added, or I am to choose.
        my_stash, their_stash, levels: the same as in `read_tower`, when the battle began.
        options: rule options.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: impossible cards (TW-9, TW-10, TW-13), a size that does not fit them (TW-15), impossible stashes,
            or nothing for me to decide.
    """
    options = options or TowerWarOptions()
    sides = [
        parse_played(text, what) if text.strip() else ([], [])
        for text, what in ((played, "my cards played"), (their_played, "their cards played"))
    ]
    (mine, my_shown), (others, their_shown) = sides
    held = read_cards(hand, "my hand", 0)
    count = held.bit_count() + len(mine)
    demand(count == rules.SKIRMISHES, f"my hand and the cards I played are {count}; expected three", "TW-9")
    pool = _read_theirs(theirs, their_deck, cards_mask(others))
    more = rules.SKIRMISHES - len(others)
    places = {"my hand": held, "my cards played": cards_mask(mine), "their cards": pool | cards_mask(others)}
    check_apart(places)
    demand(pool.bit_count() >= more, f"their deck has too few cards; expected {more} at least", "TW-9")
    hands = [cards_mask(hand_cards) for hand_cards in itertools.combinations(mask_cards(pool), more)]
    demand(len(hands) <= MOST_HANDS, f"{len(hands):,} hands are too many; expected at most {MOST_HANDS:,}", "TW-9")
    leads = ("me", "them").index(leader)
    tower = read_tower(options, my_stash, their_stash, levels)
    war = start_war(new_seats(0, 0), tower, 1, options.tens_only, False)
    war.seats[:, HAND] = held | cards_mask(mine), hands[0] | cards_mask(others)
    war.turn[LEADING] = war.turn[PLAYER] = leads
    for _ in sides:
        after_draw(war)
    _play_to_decision(war, [list(zip(*side, strict=True)) for side in sides], size)
    choosing = bool(war.turn[PHASE] == ADDING)
    stakes = battle_stakes(options, tower)
    ranked = rank_options(Battle(war.seats, tower, leads), ME, np.array(hands), choosing, stakes)
    return MoveAnswer(
        leader=leader,
        hand=held,
        played=tuple(map(played_text, mine, my_shown)),
        their_played=tuple(map(played_text, others, their_shown)),
        theirs=pool,
        hands=len(hands),
        levels=int(tower[rules.LEVELS]),
        decides="size" if choosing else "card",
        plays=tuple(
            RankedOption(
                rules.SIZE_LETTERS[option] if copy is None else played_text(option, copy), win, ranked[0][-1] - win
            )
            for option, copy, win in ranked
        ),
        options=options,
    )


def _read_theirs(theirs: str, deck: str, played: int) -> int:
    """Return the cards that they can hold, as a mask: their hand, or their deck without the played cards."""
    more = rules.SKIRMISHES - played.bit_count()
    demand(
        bool(theirs.strip()) + bool(deck.strip()) == bool(more),
        "expected the cards they still hold, or the deck they come from" if more else "they hold no card any more",
        "TW-9",
    )
    if theirs.strip():
        return read_cards(theirs, "their hand", more, more)
    return read_cards(deck, "their deck", 0) & ~played


def _play_to_decision(war: War, plays: list[list[tuple[int, int]]], size: str | None) -> None:
    """Play the battle up to my decision: a card, or the size of its first pyramid.

    Args:
        war: a battle about to begin, changed.
        plays: the cards of both players in order of play, each with the card it was played as.
        size: the size of the pyramids that were added; None if none was added, or I am to choose.

    Raises:
        IllegalAction: cards out of turn (TW-10), a size that contradicts them (TW-15), or no decision to make.
    """
    ahead = len(plays[war.turn[LEADING]]) - len(plays[1 - war.turn[LEADING]])
    letter = (size or "").strip().upper()
    expected = "the leader plays first, then the other; expected as many cards of the leader, or one more"
    demand(ahead in (0, 1), expected, "TW-10")
    with at_fault("size"):
        while (adds := war.turn[PHASE] == ADDING) or war.turn[PHASE] == PLAYING:
            player = int(war.turn[PLAYER])
            if adds and (size is not None or any(plays)):
                problem = f"{size!r} is no size" if size else "pyramids were added in this battle"
                demand(letter in tuple(rules.SIZE_LETTERS), f"{problem}; expected --size with L, M or S", "TW-15")
                place = rules.SIZE_LETTERS.index(letter)
                who = ("I", "they")[player]
                fits = rules.addable_sizes(war.tower, player) >> place & 1
                demand(bool(fits), f"{who} had no pyramid of size {letter}; expected another size", "TW-21")
                handle(war, rules.PLACE, place, rules.NO_CARD)
                after_handling(war, rules.PLACE)
            elif not adds and plays[player]:
                play(war, *plays[player].pop(0))
            else:
                break
        lost = war.turn[REASON] == BY_STASH
        demand(not lost, f"somebody had no pyramid of size {letter}; expected another size", "TW-21")
        needless = size is not None and not war.tower[rules.TOP_COUNT]
        demand(not needless, "nobody has added a pyramid in this battle; expected no --size", "TW-15")
        they_choose = adds and player == THEM
        demand(not they_choose, "they choose the size of the pyramid; expected --size", "TW-15")
    over = war.turn[PHASE] not in (PLAYING, ADDING)
    demand(not over, "the battle is over; expected a card to play or a level's first pyramid", "TW-17")
    demand(player == ME, "they are to play; expected a place where I am", "TW-10")


def rank_options(
    battle: Battle, player: int, hands: Array, choosing: bool, stakes: Stakes
) -> list[tuple[int, int | None, float]]:
    """Return every card with the card it is played as, or every size of the player's with None, and P(the player wins).

    Args:
        battle, player, hands, choosing, stakes: the same as in `solver.tower_war.pimc.average_options`.

    Arrays: hands int64[hands].
    """
    ways = np.zeros((WAY_ROOM, WAY_SIZE), dtype=np.int64)
    values = np.zeros(OPTIONS)
    count = average_options(battle, player, hands, choosing, stakes, ways, values)
    options: list[tuple[int, int | None, float]] = []
    if choosing:
        stash = battle.tower[rules.STASH + 3 * player :]
        options = [(size, None, float(values[size])) for size in range(len(rules.SIZE_LETTERS)) if stash[size]]
    else:  # a way that begins as an earlier one has the value -1
        place = int(battle.seats[player, PLAYED])
        rows = [row for row in range(count) if values[row] >= 0]
        options = [
            (int(ways[row, WAY_CARD + place]), int(ways[row, WAY_SHOWN + place]), float(values[row])) for row in rows
        ]
    return sorted(options, key=lambda option: -option[-1])
