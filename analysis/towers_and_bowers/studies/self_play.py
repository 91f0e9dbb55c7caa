# pyright: reportMissingImports=false
"""How is a learned policy made: by self-play, or by distilling a larger one?

`self-play`: a network learns hidden play of one to seven cards by playing against itself. One chunk, which is kept
every two minutes (`solver.towers_and_bowers.self_play.training` has the recipe). `hands` ends the run, or `minutes`
where no hands are named: only a run of so many hands is the same each time. ``curve.png`` and the table `curve` say how
it learned. It is measured at one card, where a best response is known exactly.

`self-play-distil`: a small symmetric network learns to act as a larger policy does
(`solver.towers_and_bowers.self_play.training`). A chunk is hands that the teacher plays with itself; the last one
is kept out of training. The table `learning` says how it learned.

Both leave a bundle (`solver.towers_and_bowers.self_play.bundle`) with the policy, and need JAX
(``pip install 'towerlab[train]'``).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import io
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.present.progress import note
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.towers_and_bowers.exploitability.answers import answer_of
from towerlab.analysis.towers_and_bowers.exploitability.measure import source_of_player
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT, whole_hand_values
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import LARGEST_HAND
from towerlab.sim.own import own_player
from towerlab.sim.towers_and_bowers.players.learned import Learned
from towerlab.solver.towers_and_bowers.self_play import training
from towerlab.solver.towers_and_bowers.self_play.bundle import (
    POLICY_FILE,
    bundle_files,
    policy_in_use,
    read_bundle,
)
from towerlab.solver.towers_and_bowers.self_play.network import Network, Policy, read_policy, write_policy
from towerlab.solver.towers_and_bowers.self_play.training import (
    Lessons,
    Recipe,
    distil,
    held_out_loss,
    play_lessons,
)

POINTS: Final = 20  # of the learning curve
SECONDS_OF_SILENCE = 20.0
_SHOWN: Final = 1e-6  # mt: less is drawn as so much
_DEALER: Final = [f"dealer_{cards}" for cards in range(1, LARGEST_HAND + 1)]
CURVE: Final = ["iterations", "hands", "exploitability_mt", "entropy", "critic_error", *_DEALER]


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    """One.

    Raises:
        TowerlabError: JAX is not installed, or no network or run of this kind can be.
    """
    if not all(map(importlib.util.find_spec, ("jax", "optax"))):
        raise TowerlabError("JAX is not installed; expected `pip install -e '.[test,train]'` in a checkout first")
    least = {"width": 1, "layers": 1, "batch": training.MINIBATCHES}
    for name, number in least.items():
        if parameters[name] < number:
            raise TowerlabError(f"{name}={parameters[name]} cannot be; expected {number} or more")
    if not (parameters["minutes"] if parameters["hands"] is None else parameters["hands"]):
        raise TowerlabError("a run of no hands; expected minutes or hands above 0")
    _start(parameters)
    return 1


def _start(parameters: Mapping[str, Any]) -> Network | None:
    """Return the policy that a run continues; None where it starts anew.

    Raises:
        TowerlabError: its folder has none.
    """
    path = str(parameters["start_from"])
    return read_bundle(Path(path)).policy.network if path else None


def run_chunk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    """Train; a row a point of the curve, the last with the policy's file and what the run took."""
    import jax

    start = _start(parameters)
    batch = int(parameters["batch"])
    solved = whole_hand_values()
    known = tuple(solved[cards].dealer for cards in sorted(solved))  # W(1) to W(4)
    run = training.start_run(seed, int(parameters["width"]), int(parameters["layers"]), start)
    rows = np.empty((0, len(CURVE)))
    before = 0.0
    done = 0
    stored = checkpoint.latest()
    if stored is not None:
        done, state = stored
        run, rows, before = _restored(run, state), state["rows"], float(state["seconds"])
    waits = 0 if start is None else training.CRITIC_FIRST
    progress = _progress(done, before, parameters)
    if progress < 1:  # `minutes` are of training: whatever compiles does so before
        training.iterate(run, progress, batch, known, waits)
        exploitability_mt(_file_of(run))
    began = noted = time.monotonic()
    while progress < 1:
        run, measures = training.iterate(run, progress, batch, known, waits)
        done += 1
        entropy, miss = map(float, measures)  # waits until they are computed
        now = time.monotonic()
        seconds = before + now - began
        reached, progress = int(POINTS * progress), _progress(done, seconds, parameters)
        if int(POINTS * progress) > reached:
            lost = exploitability_mt(_file_of(run))
            rows = np.vstack([rows, (done, done * batch, lost, entropy, miss, *np.asarray(run.dealer_wins)[1:])])
        if now - noted >= SECONDS_OF_SILENCE:
            noted = now
            checkpoint.note(
                f"self-play: {done * batch:,} hands, {done * batch / seconds:,.0f} a second, "
                f"entropy {entropy:.3f} nats, {seconds * (1 / progress - 1) / 60:.1f} minutes left"
            )
            checkpoint.offer(done, _arrays_of(run) | {"rows": rows, "seconds": np.array(seconds)})
    last: dict[str, Any] = {"policy": _file_of(run), "seconds": before + time.monotonic() - began}
    last |= {"device": jax.devices()[0].device_kind, "jax": jax.__version__}
    curve = pd.DataFrame(rows, columns=CURVE).astype({"iterations": np.int64, "hands": np.int64})
    return curve.assign(**{name: [None] * (len(rows) - 1) + [value] for name, value in last.items()})


def _progress(done: int, seconds: float, parameters: Mapping[str, Any]) -> float:
    """The part of the run that is finished after so many iterations and seconds, from 0 to 1."""
    if parameters["hands"] is None:
        return seconds / (60 * float(parameters["minutes"]))
    return done / max(round(float(parameters["hands"]) / int(parameters["batch"])), 1)


def _arrays_of(run: training.TrainingRun) -> dict[str, NDArray[Any]]:
    """The arrays of a run by name, for a checkpoint."""
    import jax

    return {f"array{place:04d}": np.asarray(array) for place, array in enumerate(jax.tree.leaves(run))}


def _restored(run: training.TrainingRun, state: Mapping[str, Any]) -> training.TrainingRun:
    """Return a run with the arrays of a checkpoint."""
    import jax

    arrays, structure = jax.tree.flatten(run)
    stored = [state[f"array{place:04d}"] for place in range(len(arrays))]
    return jax.tree.unflatten(structure, stored)  # type: ignore[no-any-return]


def _file_of(run: training.TrainingRun) -> bytes:
    """The bytes of the file of the policy that answers."""
    buffer = io.BytesIO()
    write_policy(buffer, Policy(run.average, is_symmetric=True))
    return buffer.getvalue()


def exploitability_mt(file: bytes, cards: int = 1) -> float:
    """Return the exploitability of the policy of a file, both seats added up, in mt, exactly."""
    player = own_player(Learned(policy=read_policy(io.BytesIO(file))))
    return max(MT * answer_of(source_of_player(player, cards)).exploitability, 0.0)


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``curve``, the same drawn, and the policy."""
    table = pd.concat(tables, ignore_index=True)
    curve = table[CURVE]
    last = table.iloc[-1]
    summary = {
        "exploitability_one_card_mt": round(float(last["exploitability_mt"]), 3),
        "hands": int(last["hands"]),
        "seconds": round(float(last["seconds"]), 1),
        "hands_a_second": round(float(last["hands"] / last["seconds"])),
        "device": last["device"],
        "jax": last["jax"],
        "weights": hashlib.blake2b(last["policy"], digest_size=8).hexdigest(),
        "dealer": {cards: round(float(last[name]), 4) for cards, name in enumerate(_DEALER, 1)},
    }
    files = bundle_files({POLICY_FILE: last["policy"]}) | {"curve.png": _drawn(curve)}
    return StudyResult({"curve": curve}, summary, files)


def _drawn(curve: pd.DataFrame) -> bytes:
    """The learning curve as PNG."""
    from towerlab.analysis.report.drawing import drawing

    buffer = io.BytesIO()
    shown = {
        "exploitability_mt": "exploitability,\none card (mt)",
        "entropy": "entropy (nats)",
        "critic_error": "error of the critic",
    }
    with drawing(7.2, 6.0, nrows=len(shown), sharex=True) as (figure, grid):
        for axes, (name, label) in zip(grid, shown.items(), strict=True):
            axes.plot(curve["hands"] / 1e6, curve[name].clip(lower=_SHOWN), marker=".")
            axes.set_ylabel(label)
        grid[0].set_yscale("log")
        grid[-1].set_xlabel("hands played, millions")
        figure.savefig(buffer, format="png", dpi=120, bbox_inches="tight", metadata={"Software": None})
    return buffer.getvalue()


SELF_PLAY: Final = Study(
    game="towers-and-bowers",
    name="self-play",
    help="Train a network in hidden play by self-play; its exploitability at one card, exactly.",
    parameters={"width": 128, "layers": 2, "batch": 2048, "minutes": 5.0, "hands": None, "start_from": ""},
    count_chunks=_count_chunks,
    run_chunk=run_chunk,
    combine=_combine,
    keeps_checkpoints=True,
)


# ------------------------------------------------------------------------------------------------------- distillation

_AT_ONCE: Final = 4_000  # hands
_BITS: Final = "seen"
_SHARES: Final = "share"


def run_lessons_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Decisions of hands that the teacher plays."""
    teacher = _teacher(str(parameters["teacher"]))
    random = np.random.default_rng(seed)
    hands = int(parameters["hands"])
    parts = [
        play_lessons(teacher, min(_AT_ONCE, hands - done), random, parameters["sizes"])
        for done in range(0, hands, _AT_ONCE)
    ]
    lessons = Lessons(*map(np.concatenate, zip(*parts, strict=True)))
    bits = {f"{_BITS}{place}": column for place, column in enumerate(lessons.seen.T)}
    shares = {f"{_SHARES}{place}": column for place, column in enumerate(lessons.shares.T)}
    return pd.DataFrame({**bits, "legal": lessons.legal, "tied": lessons.tied, **shares})


@functools.lru_cache(maxsize=1)
def _teacher(path: str) -> Policy:
    return read_bundle(Path(path)).policy if path else policy_in_use()


def _lessons_of(table: pd.DataFrame) -> Lessons:
    def columns(stem: str) -> list[str]:
        return [name for name in table.columns if name.startswith(stem)]

    return Lessons(
        table[columns(_BITS)].to_numpy(np.uint8),
        table["legal"].to_numpy(np.int32),
        table["tied"].to_numpy(np.bool_),
        table[columns(_SHARES)].to_numpy(np.float16),
    )


def _combine_lessons(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``learning``, and the policy."""
    *taught, last = map(_lessons_of, tables)
    lessons = Lessons(*map(np.concatenate, zip(*taught, strict=True))) if taught else last
    recipe = Recipe(**{name: parameters[name] for name in ("width", "layers", "steps", "rate")})
    learning: list[dict[str, Any]] = []

    def report(step: int, loss: float, network: Network) -> None:
        learning.append({"step": step, "loss": loss, "held_out": held_out_loss(network, last)})
        note(f"self-play-distil: step {step:,} of {recipe.steps:,}, held out {learning[-1]['held_out']:.4f} nats")

    network = distil(
        lessons, recipe, np.random.default_rng(int(parameters["weights_seed"])), report, _start(parameters)
    )
    buffer = io.BytesIO()
    write_policy(buffer, Policy(network, True))
    policy = buffer.getvalue()
    summary = {
        "hands": int(parameters["hands"]) * int(parameters["chunks"]),
        "decisions": len(lessons.legal),
        "held_out_nats": round(held_out_loss(network, last), 4),
        "weights": hashlib.blake2b(policy, digest_size=8).hexdigest(),
    }
    return StudyResult({"learning": pd.DataFrame(learning)}, summary, bundle_files({POLICY_FILE: policy}))


SELF_PLAY_DISTIL: Final = Study(
    game="towers-and-bowers",
    name="self-play-distil",
    help="Train a small symmetric network to act as a larger policy does.",
    parameters={
        "teacher": "",
        "chunks": 24,
        "hands": 29_000,
        "width": 192,
        "layers": 3,
        "steps": 10_000,
        "rate": 0.02,
        "sizes": list(training.SIZES),
        "start_from": "",
        "weights_seed": 0,
    },
    run_chunk=run_lessons_chunk,
    combine=_combine_lessons,
)
