"""The study `hand-equilibrium`: the whole hand of 1, 2 or 3 cards solved with hidden hands, one chunk an up-card.

It writes the bidding and the discards of every class in the form of `analysis.towers_and_bowers.solutions.bidding`
(``exact-bidding-N``), the
value and how exploitable the solution is (``exact-values-N``), its way there (``exact-log-N``), and for one and two
cards the whole strategy, play included (``exact-strategy-N``), which is what others can check. With ``play=true`` the
play of every up-card becomes one array in single precision (``exact-play-N.npy``), which is what players play by.

At odd n the payoff does not depend on who bid: the non-dealer loses nothing by accepting at once, and the hand is worth
what the accepted game is. There it is solved first, and what follows a pass after it, with every bid at least as likely
as the floor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.study import Study, StudyResult
from analysis.study.folder import Checkpoint
from analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, archive, class_table, shipped_files
from analysis.towers_and_bowers.solutions.hidden_values import next_deal_of
from analysis.towers_and_bowers.solutions.whole_hand import PLAY_STEM, games_of, play_shape
from games.arrays import Floats
from games.cards import RANKS, card_text
from games.errors import TowerlabError
from solver.towers_and_bowers.bidding.packed import pack, unpack
from solver.towers_and_bowers.whole_hand import (
    UP_RANKS,
    HandGame,
    HandSolver,
    Schedule,
    Strategy,
    best_response_values,
    hand_game,
)
from solver.towers_and_bowers.whole_hand.best_response import accepted_values
from solver.towers_and_bowers.whole_hand.by_class import as_strategy, by_class, numbers_of
from solver.towers_and_bowers.whole_hand.call_values import call_values
from solver.towers_and_bowers.whole_hand.hand import ACCEPTED, PART_NAMES, WHOLE
from solver.towers_and_bowers.whole_hand.hand_game import DEALER, LARGEST_SOLVED, NONDEALER, UP_SUIT
from solver.towers_and_bowers.whole_hand.hand_game import deals as count_deals
from solver.towers_and_bowers.whole_hand.information_sets import probabilities

LARGEST_EXPORTED: Final = 2  # hand size whose whole strategy is written
TARGETS: Final = {1: 1e-8, 2: 1e-7, 3: 1e-6}  # exploitability to reach
STEPS: Final = {1: 50, 2: 500, 3: 150}  # iterations before the first measurement and between two
MOST_STEPS: Final = {1: 1_000, 2: 20_000, 3: 900}  # in all, and again after a pass
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
}


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """One an up-card rank.

    Raises:
        TowerlabError: a hand size that is not solved whole.
    """
    if not 1 <= int(parameters["cards"]) <= LARGEST_SOLVED:
        raise TowerlabError(f"cards={parameters['cards']} is not solved whole; expected 1 to {LARGEST_SOLVED}")
    return len(UP_RANKS)


def warm_up() -> None:
    """Compile the kernels."""
    solver = HandSolver(hand_game(1, UP_RANKS[0], 0.0))
    solver.run(1)
    measure(solver.game, UP_RANKS[0], solver.strategy())


def solve_chunk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    """Solve one up-card and measure it exactly, as found and as it ships (nothing is drawn: the seed is not used)."""
    solver, log = solve_up_card(UP_RANKS[chunk], parameters, checkpoint)
    if parameters["play"]:
        leave_play(chunk, solver.game, solver.strategy().play, checkpoint)
    floor = float(parameters["floor"])
    return _table(solver.game, UP_RANKS[chunk], solver.strategy(), log, next_deal_of(parameters), floor)


def leave_play(chunk: int, game: HandGame, play: Floats, checkpoint: Checkpoint) -> None:
    """Write the play of one up-card into the array that all chunks share."""
    shared = checkpoint.shared_array(f"{PLAY_STEM}{game.cards}", play_shape(games_of(game.cards)))
    shared[chunk, : game.play_size] = play
    shared.flush()


def solve_up_card(rank: int, parameters: Mapping[str, Any], checkpoint: Checkpoint) -> tuple[HandSolver, Log]:
    """Iterate to the exploitability asked for: the solver, and all measurements on the way."""
    cards = int(parameters["cards"])
    every = int(parameters["every"] or STEPS[cards])
    target = float(parameters["target"] or TARGETS[cards])
    most = int(parameters["most"] or MOST_STEPS[cards])
    game = hand_game(cards, rank, next_deal_of(parameters), mirror=True)
    schedule = Schedule(averages_from=every // 2 + 1, average_every=3, floor=float(parameters["floor"]))
    solver = HandSolver(game, schedule, ACCEPTED if cards % 2 == 1 else WHOLE)
    log: Log = []
    kept = checkpoint.latest()
    if kept is not None:
        state = dict(kept[1])
        log = [tuple(row) for row in state.pop("log").tolist()]
        solver.restore(state)
    if solver.part == ACCEPTED:
        _improve(solver, rank, log, target * ACCEPTED_TARGET, every, most, checkpoint)
        solver.turn_to_passes(accepted_values(game, rank, solver.strategy(), NONDEALER))
    _improve(solver, rank, log, target, every, most, checkpoint)
    return solver, log


def _improve(
    solver: HandSolver, rank: int, log: Log, target: float, every: int, most: int, checkpoint: Checkpoint
) -> None:
    """Iterate until the part in hand is as hard to exploit as asked for, or the most iterations are done."""
    part = PART_NAMES[solver.part]
    before = sum(row[1] for row in log[-1:] if row[0] != solver.part)
    while not log or log[-1][0] != solver.part or (sum(log[-1][3:]) > target and solver.iterations < most):
        solver.run(1)
        if solver.iterations % every == 0:
            log.append((solver.part, solver.iterations, *measure(solver.game, rank, solver.strategy(), solver.part)))
            checkpoint.note(
                f"{solver.game.cards} cards, {RANKS[rank]} turned up, {part}: {solver.iterations} iterations, "
                f"exploitability {sum(log[-1][3:]):.2e}"
            )
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


def _table(game: HandGame, rank: int, strategy: Strategy, log: Log, next_deal: float, floor: float) -> pd.DataFrame:
    """One table of three kinds of rows: the classes, the log, the entries of the whole strategy."""
    up = 13 * UP_SUIT + rank
    deals, bidding = by_class(game, rank, strategy)
    packed = pack(bidding)
    rounded = as_strategy(game, rank, deals, unpack(packed, game.cards), strategy.play)
    measured = (*measure(game, rank, rounded), next_deal, floor)
    numbers = numbers_of(game, rank)
    values = call_values(game, rank, strategy, np.array([numbers[int(hand)] for hand in deals.classes]))
    classes = class_table(game.cards, up, deals.classes, packed, measured, values).assign(kind="class")
    steps = pd.DataFrame(log, columns=list(_LOGGED)).assign(kind="log")
    parts = [classes, steps]
    if game.cards <= LARGEST_EXPORTED:
        parts.append(_strategy_rows(game, rank, strategy))
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
    files = {f"exact-bidding-{cards}.npz": classes}
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
    help="Solve the whole hand of 1, 2 or 3 cards with hidden hands, bidding, discard and play; how exploitable it is.",
    parameters=PARAMETERS,
    count_chunks=count_chunks,
    run_chunk=solve_chunk,
    combine=combine_chunks,
    warm_up=warm_up,
    keeps_checkpoints=True,
)
