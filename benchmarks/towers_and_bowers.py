"""Tablebase, up-card evaluation and the commands of Towers & Bowers: `python -m benchmarks.towers_and_bowers`."""

from __future__ import annotations

import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.towers_and_bowers.upcard.book import book_rows
from benchmarks.timing import print_ratio, time_in_turn
from games.bits import lowest_index
from games.cards import DECK_24, mask_cards, parse_card, parse_mask, to_play_order
from games.jit import kernel
from solver.towers_and_bowers.classes import up_card_classes
from solver.towers_and_bowers.upcard import count_layouts, subsets
from solver.two_hands.tablebase import POSITIONS, TableArrays, leader_tricks, load_tables, printed_tricks

POSITIONS_A_LOOP = 50_000  # their masks stay in the processor's cache beside the table
ROOT = Path(__file__).resolve().parent.parent
Masks = NDArray[np.int64]


# ------------------------------------------------------------------------------------------------------ yardsticks


@kernel
def _bare_reads(table: Any, places: Any) -> int:
    total = 0
    for index in range(places.shape[0]):
        total += table[np.uint64(places[index])]
    return total


@kernel
def _play_order_lookups(tables: TableArrays, leaders: Any, followers: Any) -> int:
    total = 0
    for index in range(leaders.shape[0]):
        total += leader_tricks(tables, leaders[index], followers[index])
    return total


@kernel
def _printed_lookups(tables: TableArrays, leaders: Any, followers: Any, trumps: Any) -> int:
    total = 0
    for index in range(leaders.shape[0]):
        total += printed_tricks(tables, leaders[index], followers[index], trumps[index])
    return total


@kernel
def _upcard_by_lookups(tables: TableArrays, hand: int, up: int, dealer: bool, pool: Any, layouts: Any) -> int:
    """The same answer by one printed look-up for each layout, contract and discard."""
    total = 0
    for layout in range(layouts.shape[0]):
        other, places = 0, layouts[layout]
        while places:
            other |= 1 << pool[lowest_index(places)]
            places &= places - 1
        leader, follower = (other, hand) if dealer else (hand, other)
        fewest, discards = 8, follower
        while discards:
            kept = follower & ~(discards & -discards) | (1 << up)
            discards &= discards - 1
            fewest = min(fewest, printed_tricks(tables, leader, kept, up // 13))
        total += fewest
        for trump in range(4):
            if trump != up // 13:
                total += printed_tricks(tables, leader, follower, trump)
    return total


# ---------------------------------------------------------------------------------------------------- measurements


def _random_positions(count: int) -> tuple[Masks, Masks, Masks]:
    """Printed seven-card hands and trumps."""
    rng = np.random.default_rng(20261120)
    cards = np.array(mask_cards(DECK_24))[np.argsort(rng.random((count, 24)), axis=1)]
    bits = np.int64(1) << cards
    return bits[:, :7].sum(1), bits[:, 7:14].sum(1), rng.integers(0, 4, count)


def measure_tablebase() -> None:
    tables = load_tables()
    load_tables.cache_clear()
    start = time.perf_counter()
    load_tables()
    built = time.perf_counter() - start
    size = sum(array.nbytes for array in tables)
    print(f"table build, kernels compiled: {built:.3f} s (aim 0.2), {size:,} bytes in all (aim 1 MiB)")

    leaders, followers, trumps = _random_positions(POSITIONS_A_LOOP)
    in_play = [
        np.array([to_play_order(m, t, True) for m, t in zip(masks.tolist(), trumps.tolist(), strict=True)])
        for masks in (leaders, followers)
    ]
    places = np.random.default_rng(1).integers(0, POSITIONS, POSITIONS_A_LOOP).astype(np.int32)
    timings = time_in_turn(
        {
            "bare": lambda: _bare_reads(tables.tricks, places),
            "play": lambda: _play_order_lookups(tables, *in_play),
            "printed": lambda: _printed_lookups(tables, leaders, followers, trumps),
        },
        rounds=300,
    )
    bare = timings["bare"].median
    for name, what, aim in (("play", "play-order masks", "≤ 3"), ("printed", "printed masks", "≤ 8")):
        seconds = timings[name].median
        rate = f"{POSITIONS_A_LOOP / seconds / 1e6:.0f} million a second"
        print_ratio(f"look-up on {what}", seconds / bare, "a bare random read of the table", rate, aim)


def measure_upcard() -> None:
    hand, up = parse_mask("JS AS KS 9S AD TH 9C"), parse_card("QS")
    pool = np.array(mask_cards(DECK_24 & ~hand & ~(1 << up)), dtype=np.int64)
    layouts = subsets(16, 7)
    for dealer, seat in ((False, "non-dealer"), (True, "dealer")):
        fast = functools.partial(count_layouts, hand, up, dealer)
        slow = functools.partial(_upcard_by_lookups, load_tables(), hand, up, dealer, pool, layouts)
        timings = time_in_turn({"fast": fast, "slow": slow})
        gain = timings["slow"].median / timings["fast"].median
        figure = f"{1e3 * timings['fast'].median:.2f} ms"
        print_ratio(f"pimc at n = 7, {seat}, faster by", gain, "looping over printed look-ups", figure, "≥ 2")


def measure_book(classes: int = 2_000) -> None:
    total = len(up_card_classes(7).ups)
    book_rows(7, 0, 2)
    start = time.perf_counter()
    book_rows(7, total // 2, total // 2 + classes)
    minutes = (time.perf_counter() - start) / classes * total / 60
    print(f"book of {total:,} classes, both seats: {minutes:.1f} core-minutes, so {minutes / 2:.1f} on 2 (aim 5)")


def measure_commands() -> None:
    question = ["-m", "cli", "upcard", "--hand", "JS AS KS 9S AD 10H 9C", "--up", "QS", "--seat", "dealer"]
    nothing = _median_wall(["-c", "pass"], os.environ)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TOWERLAB_CACHE_DIR": folder}
        first = _wall(question, environment)
        warm = _median_wall(question, environment)
    help_text = _median_wall(["-m", "cli", "--help"], os.environ)
    for what, seconds, aim in (("--help", help_text, 0.25), ("upcard, warm", warm, 1.2), ("upcard, first", first, 15)):
        print_ratio(
            f"towerlab {what}", seconds / nothing, "a Python that does nothing", f"{seconds:.2f} s", f"≤ {aim} s"
        )


def _median_wall(arguments: list[str], environment: Mapping[str, str], rounds: int = 7) -> float:
    return statistics.median(_wall(arguments, environment) for _ in range(rounds))


def _wall(arguments: list[str], environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, cwd=ROOT, env=dict(environment))
    return time.perf_counter() - start


if __name__ == "__main__":
    measure_tablebase()
    measure_upcard()
    measure_book()
    measure_commands()
