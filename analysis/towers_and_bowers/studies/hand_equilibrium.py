"""The study `hand-equilibrium`: the whole hand of 1 to 4 cards solved with hidden hands, one chunk an up-card.

It writes the bidding and the discards of every class in the form of `analysis.towers_and_bowers.solutions.bidding`
(``exact-bidding-N``), the
value and how exploitable the solution is (``exact-values-N``), its way there (``exact-log-N``), and for one and two
cards the whole strategy, play included (``exact-strategy-N``), which is what others can check. With ``play=true`` the
play of every up-card becomes one array in single precision (``exact-play-N.npy``), which is what players play by. Four
cards take 14 GB and hours, in two threads; with ``play=true`` they leave two arrays an up-card, as the solver has them.

At odd n the payoff does not depend on who bid: the non-dealer loses nothing by accepting at once, and the hand is worth
what the accepted game is. There it is solved first, and what follows a pass after it, with every bid at least as likely
as the floor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.study.workers import map_in_threads
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, archive, class_table, shipped_files
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import next_deal_of
from towerlab.analysis.towers_and_bowers.solutions.rules import stamped
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import (
    COMPACT,
    PLAY_STEM,
    compact_stems,
    games_of,
    play_shape,
)
from towerlab.games.cards import RANKS, card_text
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding.packed import pack, unpack
from towerlab.solver.towers_and_bowers.whole_hand import (
    UP_RANKS,
    HandGame,
    HandSolver,
    Schedule,
    Strategy,
    best_response_values,
    hand_game,
)
from towerlab.solver.towers_and_bowers.whole_hand.best_response import accepted_values
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, by_class, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.call_values import values_of_calls
from towerlab.solver.towers_and_bowers.whole_hand.hand import ACCEPTED, PART_NAMES, WHOLE
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    DEALER,
    LARGEST_PLAYED,
    LARGEST_SOLVED,
    NONDEALER,
    UP_SUIT,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import deals as count_deals
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import probabilities

LARGEST_EXPORTED: Final = 2  # hand size whose whole strategy is written
TARGETS: Final = {1: 1e-8, 2: 1e-7, 3: 1e-6, 4: 5e-4}  # exploitability to reach
STEPS: Final = {1: 50, 2: 500, 3: 150, 4: 10}  # iterations before the first measurement and between two
MOST_STEPS: Final = {1: 1_000, 2: 20_000, 3: 900, 4: 100}  # in all, and again after a pass
SCHEDULES: Final = Schedule(average_every=3), Schedule(alpha=2.0, beta=0.0, average_every=2)  # up to three cards, four
ACCEPTED_TARGET: Final = 0.5  # how much of the exploitability the accepted game may use up
Log = list[tuple[float, ...]]  # rows of the measurements named next
_LOGGED: Final = ("stage", "iterations", "nondealer", "nondealer_gain", "dealer_gain")
FLOOR: Final = 1e-8
PARAMETERS: Final = {
    "cards": 2,
    "next_deal": None,
    "target": None,
    "every": None,
    "most": None,
    "floor": FLOOR,
    "play": False,
    "ups": "9TJQKA",
}
SECONDS_OF_SILENCE: Final = 20.0


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """One an up-card.

    Raises:
        TowerlabError: a hand size that is not solved whole, or up-cards that are none.
    """
    if not 1 <= int(parameters["cards"]) <= LARGEST_SOLVED:
        raise TowerlabError(f"cards={parameters['cards']} is not solved whole; expected 1 to {LARGEST_SOLVED}")
    return len(_ranks(parameters))


def _ranks(parameters: Mapping[str, Any]) -> list[int]:
    """The ranks of the up-cards that are worked on, in that order."""
    every = "".join(RANKS[rank] for rank in UP_RANKS)
    letters = str(parameters.get("ups", every))
    if not letters or set(letters) - set(every) or len(set(letters)) < len(letters):
        raise TowerlabError(f"ups={letters} names no up-cards; expected some of {every}, each once")
    return [RANKS.index(letter) for letter in letters]


def warm_up() -> None:
    """Compile the kernels."""
    solver = HandSolver(hand_game(1, UP_RANKS[0], 0.0))
    solver.run(1)
    solver.measure()


def solve_chunk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    """Solve one up-card and measure it exactly, as found and as it ships (nothing is drawn: the seed is not used)."""
    rank = _ranks(parameters)[chunk]
    solver, log = solve_up_card(rank, parameters, checkpoint)
    if parameters["play"]:
        leave_play(rank, solver, checkpoint)
    return _table(solver, rank, log, next_deal_of(parameters), float(parameters["floor"]))


def leave_play(rank: int, solver: HandSolver, checkpoint: Checkpoint) -> None:
    """Write the play of one up-card into the array that all chunks share; of a compact solver into two of its own."""
    stem, game = f"{PLAY_STEM}{solver.game.cards}", solver.game
    if not solver.compact:
        shared = checkpoint.shared_array(stem, play_shape(games_of(game.cards)))
        shared[UP_RANKS.index(rank), : game.play_size] = solver.strategy().play
        shared.flush()
        return
    for name, file in zip(COMPACT, compact_stems(game.cards, rank), strict=True):
        array = getattr(solver.play, name)
        shared = checkpoint.shared_array(file, array.shape, array.dtype)
        shared[:] = array
        shared.flush()


def solve_up_card(rank: int, parameters: Mapping[str, Any], checkpoint: Checkpoint) -> tuple[HandSolver, Log]:
    """Iterate to the exploitability asked for: the solver, and all measurements on the way."""
    cards = int(parameters["cards"])
    every = int(parameters["every"] or STEPS[cards])
    target = float(parameters["target"] or TARGETS[cards])
    most = int(parameters["most"] or MOST_STEPS[cards])
    game = hand_game(cards, rank, next_deal_of(parameters), mirror=True)
    schedule = replace(SCHEDULES[cards > 3], averages_from=every // 2 + 1, floor=float(parameters["floor"]))
    solver = HandSolver(game, schedule, ACCEPTED if cards % 2 == 1 else WHOLE, both=_in_threads if cards > 3 else map)
    size = (sum(array.nbytes for array in solver.play) + game.node_starts.nbytes) / 1e9
    checkpoint.note(f"{cards} cards, {RANKS[rank]} turned up: {game.play_size:,} entries, {size:.1f} GB")
    log: Log = []
    kept = checkpoint.latest()
    if kept is not None:
        state = dict(kept[1])
        log = [tuple(row) for row in state.pop("log").tolist()]
        solver.restore(state)
    if solver.part == ACCEPTED:
        _improve(solver, rank, log, target * ACCEPTED_TARGET, every, most, checkpoint)
        solver.turn_to_passes()
    _improve(solver, rank, log, target, every, most, checkpoint)
    return solver, log


def _in_threads(function: Callable[[int], None], bidders: Iterable[int]) -> list[None]:
    return map_in_threads(lambda _, bidder: function(bidder), list(bidders), lambda: None, 2)


def _improve(
    solver: HandSolver, rank: int, log: Log, target: float, every: int, most: int, checkpoint: Checkpoint
) -> None:
    """Iterate until the part in hand is as hard to exploit as asked for, or the most iterations are done."""
    part = f"{solver.game.cards} cards, {RANKS[rank]} turned up, {PART_NAMES[solver.part]}"
    before = sum(row[1] for row in log[-1:] if row[0] != solver.part)
    while not log or log[-1][0] != solver.part or (sum(log[-1][3:]) > target and solver.iterations < most):
        began = time.monotonic()
        solver.run(1)
        seconds = time.monotonic() - began
        if seconds > SECONDS_OF_SILENCE:
            left = (most - solver.iterations) * seconds / 3600
            checkpoint.note(
                f"{part}: {solver.iterations} iterations, {seconds:.0f} s each, at most {left:.1f} hours left"
            )
        if solver.iterations % every == 0:
            log.append((solver.part, solver.iterations, *solver.measure()))
            checkpoint.note(f"{part}: {solver.iterations} iterations, exploitability {sum(log[-1][3:]):.2e}")
        rows = np.array(log, dtype=np.float64).reshape(-1, len(_LOGGED))
        checkpoint.offer(int(before) + solver.iterations, solver.state() | {"log": rows})


def measure(game: HandGame, rank: int, strategy: Strategy, part: int = WHOLE) -> tuple[float, float, float]:
    """(value to the non-dealer, gain of their best response, gain of the dealer's), exact.

    The value lies between what both best responses leave; it is told as their middle. Of the accepted game alone where
    `part` says so, else of the hand.
    """
    values = accepted_values if part == ACCEPTED else best_response_values
    best = values(game, rank, strategy, NONDEALER).sum() / count_deals(game)
    least = 1.0 - values(game, rank, strategy, DEALER).sum() / count_deals(game)
    value = (best + least) / 2
    return float(value), float(best - value), float(value - least)


# ------------------------------------------------------------------------------------------------------- what ships


def _table(solver: HandSolver, rank: int, log: Log, next_deal: float, floor: float) -> pd.DataFrame:
    """One table of three kinds of rows: the classes, the log, the entries of the whole strategy."""
    up, game, bids = 13 * UP_SUIT + rank, solver.game, solver.bids()
    deals, bidding = by_class(game, rank, Strategy(bids, np.zeros(0)))
    packed = pack(bidding)
    rounded = as_strategy(game, rank, deals, unpack(packed, game.cards), np.zeros(0)).bidding
    measured = (*solver.measure(rounded), next_deal, floor)
    numbers = numbers_of(game, rank)
    hands = np.array([numbers[int(hand)] for hand in deals.classes])
    values = values_of_calls(game, bids, hands, *(solver.best_plays(bids, seat)[hands] for seat in (NONDEALER, DEALER)))
    classes = class_table(game.cards, up, deals.classes, packed, measured, values).assign(kind="class")
    steps = pd.DataFrame(log, columns=list(_LOGGED)).assign(kind="log")
    parts = [classes, steps]
    if game.cards <= LARGEST_EXPORTED:
        parts.append(_strategy_rows(game, rank, solver.strategy()))
    return pd.concat(parts, ignore_index=True).assign(up=up)


def _strategy_rows(game: HandGame, rank: int, strategy: Strategy) -> pd.DataFrame:
    rows = [
        ("bidding" if known.is_bidding else "play", entry, share)
        for known, shares in probabilities(game, rank, strategy)
        for entry, share in zip(known.entries, shares, strict=True)
        if share > 0
    ]
    return pd.DataFrame(rows, columns=["part", "entry", "probability"]).assign(kind="strategy")


def combine_chunks(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """The files that ship."""
    cards, found = int(parameters["cards"]), pd.concat(tables, ignore_index=True)
    kinds = dict(list(found.groupby("kind")))
    classes, by_up = shipped_files(cards, kinds["class"])
    stems = [f"exact-bidding-{cards}"]
    if parameters["play"] and cards > LARGEST_PLAYED:
        stems += [stem for rank in _ranks(parameters) for stem in compact_stems(cards, rank)]
    elif parameters["play"]:
        stems.append(f"{PLAY_STEM}{cards}")
    files = {f"exact-bidding-{cards}.npz": classes} | stamped(*stems)
    log = kinds["log"][["up", *_LOGGED]].astype({"iterations": np.int64})
    log["stage"] = log.stage.astype(int).map(PART_NAMES.__getitem__)
    values = _values(cards, log, by_up.assign(up=sorted(kinds["class"].up.unique())))
    tables_by_name = {
        f"exact-bidding-{cards}-up-cards": by_up,
        f"exact-values-{cards}": values,
        f"exact-log-{cards}": log.assign(up=log.up.map(card_text)).reset_index(drop=True),
    }
    if "strategy" in kinds:
        files[f"exact-strategy-{cards}.npz"] = archive(
            {
                f"{card_text(int(str(up)))}-{part}-{column}": entries[column].to_numpy().astype(kind)
                for (up, part), entries in kinds["strategy"].groupby(["up", "part"])
                for column, kind in (("entry", np.int32), ("probability", np.float32))
            }
        )
    last = values.iloc[-1]
    summary = {
        "cards": cards,
        "classes": len(kinds["class"]),
        "next_deal": float(by_up["next_deal"].iloc[0]) if cards > 1 else None,
        "dealer": float(last.dealer),
        "exploitability": float(last.exploitability),
        "exploitability_of": WHOLE_HAND,
        "iterations": {
            card_text(int(str(up))): int(part.groupby("stage").iterations.max().sum()) for up, part in log.groupby("up")
        },
    }
    return StudyResult(tables_by_name, summary, files)


def _values(cards: int, log: pd.DataFrame, as_shipped: pd.DataFrame) -> pd.DataFrame:
    """The dealer's value by up-card and over all of them, which are equally likely.

    Of the solution and of what ships the better one counts: with one card rounding takes away the last trace of
    learning, and the value is a fraction.
    """
    rows: list[dict[str, Any]] = []
    for up, measured in pd.concat([log.groupby("up").tail(1), as_shipped]).groupby("up"):
        gains = (measured.nondealer_gain + measured.dealer_gain).to_numpy()
        best = int(gains.argmin())
        dealer = 1 - float(measured.nondealer.iloc[best])
        rank = RANKS[int(str(up)) % 13]
        rows.append({"cards": cards, "up": rank, "dealer": dealer, "exploitability": max(0.0, float(gains[best]))})
    every: dict[str, Any] = {"cards": cards, "up": "all"}
    for name in ("dealer", "exploitability"):
        every[name] = float(np.mean([row[name] for row in rows]))
    return pd.DataFrame([*rows, every])


HAND_EQUILIBRIUM: Final = Study(
    game="towers-and-bowers",
    name="hand-equilibrium",
    help="Solve the whole hand of 1 to 4 cards with hidden hands, bidding, discard and play; how exploitable it is.",
    parameters=PARAMETERS,
    count_chunks=count_chunks,
    run_chunk=solve_chunk,
    combine=combine_chunks,
    warm_up=warm_up,
    keeps_checkpoints=True,
)
