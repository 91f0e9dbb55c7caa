"""The study `self-play-distil`: a small symmetric network learns to act as a larger policy does.

A chunk is hands that the teacher plays with itself (`solver.towers_and_bowers.self_play.distillation`); the last one is
kept out of training. ``policy.npz`` is the small network, the table `learning` says how it learned.

Training needs JAX (``pip install 'towerlab[train]'``).
"""

from __future__ import annotations

import functools
import hashlib
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.present.progress import note
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.studies.self_play import POLICY_FILE, policy_file
from towerlab.solver.towers_and_bowers.self_play.distillation import (
    Lessons,
    Recipe,
    distil,
    held_out_loss,
    play_lessons,
)
from towerlab.solver.towers_and_bowers.self_play.network import STORED_POLICY, Network, Policy, write_policy

_AT_ONCE: Final = 4_000  # hands
_BITS: Final = "seen"
_SHARES: Final = "share"


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Decisions of hands that the teacher plays."""
    teacher = _teacher(str(parameters["teacher"]))
    random = np.random.default_rng(seed)
    hands = int(parameters["hands"])
    parts = [play_lessons(teacher, min(_AT_ONCE, hands - done), random) for done in range(0, hands, _AT_ONCE)]
    lessons = Lessons(*map(np.concatenate, zip(*parts, strict=True)))
    bits = {f"{_BITS}{place}": column for place, column in enumerate(lessons.seen.T)}
    shares = {f"{_SHARES}{place}": column for place, column in enumerate(lessons.shares.T)}
    return pd.DataFrame({**bits, "legal": lessons.legal, "tied": lessons.tied, **shares})


@functools.lru_cache(maxsize=1)
def _teacher(path: str) -> Policy:
    return policy_file(Path(path) if path else STORED_POLICY, "teacher")


def _lessons_of(table: pd.DataFrame) -> Lessons:
    def columns(stem: str) -> list[str]:
        return [name for name in table.columns if name.startswith(stem)]

    return Lessons(
        table[columns(_BITS)].to_numpy(np.uint8),
        table["legal"].to_numpy(np.int32),
        table["tied"].to_numpy(np.bool_),
        table[columns(_SHARES)].to_numpy(np.float16),
    )


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``learning``, and the policy."""
    *taught, last = map(_lessons_of, tables)
    lessons = Lessons(*map(np.concatenate, zip(*taught, strict=True))) if taught else last
    recipe = Recipe(**{name: parameters[name] for name in ("width", "layers", "steps")})
    learning: list[dict[str, Any]] = []

    def report(step: int, loss: float, network: Network) -> None:
        learning.append({"step": step, "loss": loss, "held_out": held_out_loss(network, last)})
        note(f"self-play-distil: step {step:,} of {recipe.steps:,}, held out {learning[-1]['held_out']:.4f} nats")

    network = distil(lessons, recipe, np.random.default_rng(int(parameters["weights_seed"])), report)
    buffer = io.BytesIO()
    write_policy(buffer, Policy(network, True))
    policy = buffer.getvalue()
    summary = {
        "hands": int(parameters["hands"]) * int(parameters["chunks"]),
        "decisions": len(lessons.legal),
        "held_out_nats": round(held_out_loss(network, last), 4),
        "weights": hashlib.blake2b(policy, digest_size=8).hexdigest(),
    }
    return StudyResult({"learning": pd.DataFrame(learning)}, summary, {POLICY_FILE: policy})


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
        "weights_seed": 0,
    },
    run_chunk=run_chunk,
    combine=_combine,
)
