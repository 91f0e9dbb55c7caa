"""`towerlab value`, and the whole strategies behind it: the value of dealing, and how exploitable it is

Up to the hand size that has been solved the values are the game's; above it they are those of the learned policy
against itself, sampled.

Whole strategies, play included, of one and two cards ship as ``data/exact-strategy-N.npz``. They come from the study
`hand-equilibrium` and are here to be checked: `measure_whole_hand` computes the best responses of both sides again,
`export_strategy` writes every information set with the probability of each action in words that need no code of ours.

The play of three cards is too large to ship (0.3 GB). ``towerlab study towers-and-bowers hand-equilibrium --set cards=3
--set play=true --out FOLDER`` makes it as ``exact-play-3.npy``; it is found in the folder that `TOWERLAB_DATA` names.
That of four cards, 21 GB, is not kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import note, open_progress
from towerlab.analysis.towers_and_bowers.solutions.bidding import bidding_at_hand, check_solved, read_arrays
from towerlab.analysis.towers_and_bowers.solutions.deal_value import (
    ValueOfDeal,
    best_deal_value,
    deal_value,
    hidden_value,
    whole_hand_values,
)
from towerlab.analysis.towers_and_bowers.solutions.shipped import FOLDER_VARIABLE, data_file, shipped_file
from towerlab.analysis.towers_and_bowers.solutions.strategy_file import rows_of, write_rows
from towerlab.games.arrays import Floats
from towerlab.games.cards import card_text
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import GAME, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.players.equilibrium import stack_play
from towerlab.sim.towers_and_bowers.players.knowledge import SolvedPlay
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, Strategy, hand_game, normalised
from towerlab.solver.towers_and_bowers.whole_hand.hand import DECISIONS, MOST_ENTRIES
from towerlab.solver.towers_and_bowers.whole_hand.responses import exploitability, unmirrored
from towerlab.solver.towers_and_bowers.whole_hand.strategies import as_strategy, probabilities
from towerlab.solver.towers_and_bowers.whole_hand.tables import LARGEST_PLAYED, UP_SUIT, Floats32
from towerlab.solver.two_hands.tablebase import MOST_CARDS

SIZES: Final = (1, 2)
PLAY_STEM: Final = "exact-play-"
NO_PLAY: Final = (
    "the play of {cards} cards does not ship, so that there is nothing to check; towerlab study towers-and-bowers "
    f"hand-equilibrium --set cards={{cards}} --set play=true --out DIR makes it, {FOLDER_VARIABLE}=DIR uses it"
)
NOT_KEPT: Final = (
    "the play of {cards} cards takes 21 GB and is not kept; towerlab study towers-and-bowers hand-equilibrium measures "
    f"it as it solves the hand; expected 1 to {LARGEST_PLAYED} cards"
)


@functools.lru_cache(maxsize=2)
def load_strategy(cards: int, rank: int) -> tuple[HandGame, Strategy]:
    """The game of one hand size and up-card rank, and the strategy that ships for it.

    Raises:
        TowerlabError: none ships for this hand size.
    """
    if cards not in SIZES:
        raise TowerlabError(f"no whole strategy of {cards} cards is at hand; expected one of 1 and 2")
    stored = read_arrays(shipped_file(f"exact-strategy-{cards}.npz"), card_text(13 * UP_SUIT + rank))
    next_deal = whole_hand_values()[cards - 1].dealer if cards > 1 else 0.0
    game = hand_game(cards, rank, next_deal, mirror=True)
    shape = (DECISIONS, int(game.sets[cards]), MOST_ENTRIES)
    strategy = Strategy(np.zeros(shape), np.zeros(game.play_size))
    strategy.bidding.reshape(-1)[stored["bidding-entry"]] = stored["bidding-probability"]
    if "play-entry" in stored:  # one card is played without a choice
        strategy.play[stored["play-entry"]] = stored["play-probability"]
    return game, Strategy(normalised(strategy.bidding, cards), strategy.play)  # stored in single precision


def load_play(sizes: tuple[int, ...]) -> SolvedPlay:
    """The play of these hand sizes, as far as it is at hand, as the player `equilibrium` takes it.

    Raises:
        TowerlabError: a file is damaged, or of a study that was not finished.
    """
    games: dict[tuple[int, int], HandGame] = {}
    weights = {}
    for cards in range(2, LARGEST_PLAYED + 1):  # one card is played without a choice
        made = data_file(f"{PLAY_STEM}{cards}.npy")
        if cards not in sizes or (made is None and cards not in SIZES):
            continue
        of_size = games_of(cards)
        games |= {(cards, rank): game for rank, game in of_size.items()}
        weights[cards] = _shipped_play(cards, of_size) if made is None else _made_play(made, of_size)
    return stack_play(games, weights)


def games_of(cards: int) -> dict[int, HandGame]:
    """By rank of the up-card, for the places where play is stored: the value of the next deal is left out."""
    return {rank: hand_game(cards, rank, 0.0, mirror=True) for rank in UP_RANKS}


def play_shape(games: Mapping[int, HandGame]) -> tuple[int, int]:
    """A row a rank of the up-card, as long as the longest."""
    return len(games), max(game.play_size for game in games.values())


def _shipped_play(cards: int, games: Mapping[int, HandGame]) -> Floats32:
    """float32[ranks, longest]: the play of every rank of the up-card."""
    play = np.zeros(play_shape(games), dtype=np.float32)
    for row, (rank, game) in zip(play, games.items(), strict=True):
        row[: game.play_size] = load_strategy(cards, rank)[1].play
    return play


def _made_play(path: Path, games: Mapping[int, HandGame]) -> Floats32:
    """As `_shipped_play`, of a file that the study has left; it stays on disk until it is read."""
    expected = play_shape(games)
    try:
        play = np.load(path, mmap_mode="c", allow_pickle=False)
    except (ValueError, EOFError):
        play = np.empty(0)
    if play.shape != expected or play.dtype != np.float32:
        raise TowerlabError(f"{path} is damaged; expected {expected[0]} by {expected[1]} numbers in single precision")
    for row, game in zip(play, games.values(), strict=True):
        if not row[: int(np.sort(game.node_starts[game.node_starts >= 0])[1])].any():  # the first lead
            raise TowerlabError(f"{path} is of a study that was not finished; expected the whole of it (--resume)")
    weights: Floats32 = play.view(np.ndarray)
    return weights


def measure_whole_hand(cards: int, done: Callable[[], None] | None = None) -> float:
    """Exploitability of the whole strategy at hand, averaged over up-cards: best responses computed anew.

    Args:
        cards: 1..3; the play of three cards is what the study has left.
        done: called after every up-card.

    Raises:
        TowerlabError: no play of that size is at hand.
    """
    gains = []
    for rank in UP_RANKS:
        gains.append(exploitability(*stored_strategy(cards, rank)))
        if done is not None:
            done()
    return float(np.mean(gains))


def stored_strategy(cards: int, rank: int) -> tuple[HandGame, Strategy]:
    """As `load_strategy`; of three cards the bidding that ships and the play that the study has left.

    Raises:
        TowerlabError: no play of that size is at hand.
    """
    if cards in SIZES:
        return load_strategy(cards, rank)
    check_play(cards)
    stored = bidding_at_hand(cards, rank)
    game = hand_game(cards, rank, stored.next_deal or 0.0, mirror=True)
    made = _made_play(data_file(f"{PLAY_STEM}{cards}.npy"), games_of(cards))
    play = made[UP_RANKS.index(rank), : game.play_size].astype(np.float64)
    return game, as_strategy(game, rank, make_deals(cards, stored.up), stored.strategies, play)


@functools.lru_cache(maxsize=6)
def whole_game(cards: int, rank: int) -> HandGame:
    """Return the game of one hand size and rank of the up-card, later hands at W(n - 1), not mirrored.

    Raises:
        TowerlabError: a hand size that is not solved.
    """
    if not 1 <= cards <= LARGEST_PLAYED:
        raise TowerlabError(f"hands of {cards} cards cannot be measured exactly; expected 1..{LARGEST_PLAYED}")
    return hand_game(cards, rank, deal_value(cards - 1))


@functools.lru_cache(maxsize=1)
def unmirrored_solution(cards: int, rank: int) -> Strategy:
    """Return the solution at hand in the places of `whole_game`.

    Raises:
        TowerlabError: there is none, such as the play of three cards, which does not ship.
    """
    game, strategy = stored_strategy(cards, rank)
    return unmirrored(game, whole_game(cards, rank), strategy)


def solved_bidding(cards: int, rank: int) -> Floats:
    """Return `Strategy.bidding` of the solution, which ships for every size."""
    if cards in SIZES:
        return load_strategy(cards, rank)[1].bidding
    stored = bidding_at_hand(cards, rank)
    deals = make_deals(cards, stored.up)
    return as_strategy(whole_game(cards, rank), rank, deals, stored.strategies, np.zeros(0)).bidding


def check_play(cards: int) -> None:
    """Refuse a hand size whose play is not at hand.

    Raises:
        TowerlabError: it says how to make it.
    """
    if cards > LARGEST_PLAYED:
        raise TowerlabError(NOT_KEPT.format(cards=cards))
    if cards not in SIZES and data_file(f"{PLAY_STEM}{cards}.npy") is None:
        raise TowerlabError(NO_PLAY.format(cards=cards))


def export_strategy(path: str | Path, cards: int | None = None, options: TowersAndBowersOptions | None = None) -> int:
    """Write the strategies of one and two cards, or of one of these sizes, as Parquet; returns the number of rows.

    Columns: cards, up, information_set, action, probability. An information set reads ``player | up-card | cards held
    | discard | calls so far | cards played``; an action is a call, a card to play or a card to discard.

    Args:
        path: of the file.
        cards: 1, 2 or None for both.
        options: of the rules; only those that change no solution.

    Raises:
        TowerlabError: no whole strategy of that size is at hand, or rules not solved.
        OSError: the file cannot be written.
    """
    check_solved(options)
    return write_rows(
        Path(path),
        (
            row
            for size in ([cards] if cards is not None else SIZES)
            for rank in UP_RANKS
            for known, shares in probabilities(load_strategy(size, rank)[0], rank, load_strategy(size, rank)[1])
            for row in rows_of(size, known, shares)
        ),
    )


_TOO_LONG: Final = "takes minutes: ask for it with --cards"
_NOT_SOLVED: Final = "is not solved: nobody knows how exploitable the learned policy is there"


@dataclass(frozen=True)
class ValueAnswer(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present:value_report",
    table="values",
    keys="values unchecked?",
):
    """The answer of `towerlab value`."""

    values: tuple[ValueOfDeal, ...]
    unchecked: Mapping[int, str] = field(default_factory=dict)  # by hand size, why it was not checked though asked for
    cards: int | None = None  # the one that was asked for


def ask_value(
    cards: int | None = None,
    check: bool = False,
    quiet: bool = True,
    options: TowersAndBowersOptions | None = None,
    export: Path | None = None,
) -> ValueAnswer:
    """Return the value of dealing a hand of `cards`, or of every size that is at hand.

    Args:
        cards: 1..7, None for all.
        check: compute the best responses again; without `cards` of the sizes where that takes seconds.
        quiet: no progress on stderr.
        options: of the rules; only those that change no solution.
        export: a file to write the whole strategy of one and two cards to.

    Raises:
        TowerlabError: a hand size that is not at hand or cannot be checked; rules not solved.
    """
    if export is not None:
        note(f"{export_strategy(export, cards):,} rows written to {export}", quiet)
    check_solved(options)
    sizes = range(1, MOST_CARDS + 1)
    values = [value for value in map(hidden_value, sizes) if value] if cards is None else [best_deal_value(cards)]
    if not check:
        return ValueAnswer(tuple(values), cards=cards, options=options)
    unchecked = {value.cards: _NOT_SOLVED for value in values if value.exploitability is None}
    if cards is not None and unchecked:
        raise TowerlabError(f"a hand of {cards} cards {_NOT_SOLVED}; expected the question without --check")
    if cards is None:
        unchecked = {value.cards: _TOO_LONG for value in values if value.cards not in SIZES} | unchecked
    checked = [value if value.cards in unchecked else _checked(value, quiet) for value in values]
    return ValueAnswer(tuple(checked), unchecked, cards, options=options)


def _checked(value: ValueOfDeal, quiet: bool) -> ValueOfDeal:
    """With its exploitability computed again."""
    with open_progress(f"best responses, {number_of(value.cards, 'card')}", len(up_cards()), quiet) as advance:
        return replace(value, checked=measure_whole_hand(value.cards, advance))
