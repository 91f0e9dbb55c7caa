# pyright: reportMissingImports=false
"""How is a learned policy trained, how do its hands end, and what is the error of the margins that it plays out?

`self-play`: a network learns hidden play of one to seven cards by playing against itself
(`solver.towers_and_bowers.self_play.training` has the recipe). The study is one chunk, saved every two minutes. `hands`
ends the run, or `minutes` if no hands are given; only a run by `hands` can be repeated exactly. ``curve.png`` and the
table `curve` show how it learned. It is measured with one card, where a best response is known exactly.

`self-play-distil`: a small symmetric network learns to act like a larger policy, its teacher. A chunk is hands that the
teacher plays against itself; the last chunk is kept out of training. The table `learning` shows how it learned. Both
studies need JAX (``pip install 'towerlab[train]'``).

`self-play-values` counts how hands of five to seven cards end. ``values.csv`` has a row for each hand size and rank of
the up-card: how many hands were dealt, how many the dealer swept (`won`) or the non-dealer (`lost`), and after how many
the dealer deals next (`deals`). Payoffs enter where the file is read, since W(6) needs W(5).

`self-play-accuracy` makes ``errors.csv``. With four cards, the solution and rollouts answer random hands. With five to
seven cards the truth is not known: other policies, trained from other seeds (`others`, their folders), play the same
hands out. The error is then a multiple of the distance between policies, the multiple being the one at four cards,
where both are known. Without `others`, the errors at four cards stand for those of larger hands.

A *gap* is the value of accepting less that of passing; in the second round, the lead of the policy's best call over the
next. Its *error* is the gap less the solution's gap of the same two calls; its *spread* is the gap less another
policy's. The sampling error is subtracted from both in squares; the rest is the policy's own error, which answers state
as `model_error`. At four cards, half of the hands give the error, and the other half count how often intervals of this
error hold the solution's gap.

Each study leaves a bundle (`solver.towers_and_bowers.self_play.policies`): the policy, and a file more.

    towerlab study towers-and-bowers self-play-accuracy --set policy=run --out mine
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import io
import itertools
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.present.progress import note
from towerlab.analysis.stats import LEVEL, normal_quantile
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.towers_and_bowers.answers import SEATS
from towerlab.analysis.towers_and_bowers.deal_value import MT, whole_hand_values
from towerlab.analysis.towers_and_bowers.exploitability import measure_source, source_of_player
from towerlab.analysis.towers_and_bowers.played import PlayedCalls
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.ranges import policy_calls, range_of
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.values import answer_solved
from towerlab.games.cards import RANKS
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import LARGEST_HAND, View
from towerlab.sim.own_players import wrap_player
from towerlab.sim.towers_and_bowers.learned import Learned
from towerlab.sim.towers_and_bowers.match import deal_hand
from towerlab.solver.towers_and_bowers.self_play import training
from towerlab.solver.towers_and_bowers.self_play.environment import CARDS, deal, next_dealer, tower_winner
from towerlab.solver.towers_and_bowers.self_play.network import Network, Policy, read_policy, write_policy
from towerlab.solver.towers_and_bowers.self_play.policies import (
    ERRORS_FILE,
    POLICY_FILE,
    VALUES_FILE,
    Bundle,
    answer_with,
    bundle_files,
    bundle_in_use,
    draw_numbers,
    play_out,
    policy_in_use,
    read_bundle,
)
from towerlab.solver.towers_and_bowers.self_play.training import Lessons, Recipe, distil, held_out_loss, play_lessons

POINTS: Final = 20  # of the learning curve
SECONDS_OF_SILENCE = 20.0
_SHOWN: Final = 1e-6  # mt: less is drawn as so much
_DEALER: Final = [f"dealer_{cards}" for cards in range(1, LARGEST_HAND + 1)]
CURVE: Final = ["iterations", "hands", "exploitability_mt", "entropy", "critic_error", *_DEALER]


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    """Return the number of chunks, which is one.

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
    """Return the part of the run that is finished after `done` iterations and these seconds, from 0 to 1."""
    if parameters["hands"] is None:
        return seconds / (60 * float(parameters["minutes"]))
    return done / max(round(float(parameters["hands"]) / int(parameters["batch"])), 1)


def _arrays_of(run: training.TrainingRun) -> dict[str, NDArray[Any]]:
    """Return the arrays of a run by name, for a checkpoint."""
    import jax

    return {f"array{place:04d}": np.asarray(array) for place, array in enumerate(jax.tree.leaves(run))}


def _restored(run: training.TrainingRun, state: Mapping[str, Any]) -> training.TrainingRun:
    """Return a run with the arrays of a checkpoint."""
    import jax

    arrays, structure = jax.tree.flatten(run)
    stored = [state[f"array{place:04d}"] for place in range(len(arrays))]
    return jax.tree.unflatten(structure, stored)  # type: ignore[no-any-return]


def _file_of(run: training.TrainingRun) -> bytes:
    """Return the bytes of the file of the policy that answers."""
    buffer = io.BytesIO()
    write_policy(buffer, Policy(run.average, is_symmetric=True))
    return buffer.getvalue()


def exploitability_mt(file: bytes, cards: int = 1) -> float:
    """Return the exploitability of the policy of a file, both seats added up, in mt, exactly."""
    player = wrap_player(Learned(policy=read_policy(io.BytesIO(file))))
    return max(MT * measure_source(source_of_player(player, cards)).exploitability, 0.0)


def _combine(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table ``curve``, the same drawn, and the policy."""
    frame = pd.concat(frames, ignore_index=True)
    curve = frame[CURVE]
    last = frame.iloc[-1]
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
    """Return the learning curve as PNG."""
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


SELF_PLAY_STUDY: Final = Study(
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
    """Return decisions of hands that the teacher plays."""
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


def _lessons_of(frame: pd.DataFrame) -> Lessons:
    def columns(stem: str) -> list[str]:
        return [name for name in frame.columns if name.startswith(stem)]

    return Lessons(
        frame[columns(_BITS)].to_numpy(np.uint8),
        frame["legal"].to_numpy(np.int32),
        frame["tied"].to_numpy(np.bool_),
        frame[columns(_SHARES)].to_numpy(np.float16),
    )


def _combine_lessons(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table ``learning``, and the policy."""
    *taught, last = map(_lessons_of, frames)
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


VALUED_SIZES: Final = range(LARGEST_STORED + 1, LARGEST_HAND + 1)
_HANDS_OF_CHUNK: Final = 5_000  # of a chunk
_KEYS: Final = ["cards", "up"]
_LOWEST_RANK: Final = RANKS.index("9")


def run_values_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Play some hands of one size."""
    policy = bundle_of(parameters).policy
    cards = VALUED_SIZES[chunk % len(VALUED_SIZES)]
    random = np.random.default_rng(seed)
    dealt = deal(random.random((_HANDS_OF_CHUNK, CARDS)), np.full(_HANDS_OF_CHUNK, cards))
    ended = play_out(policy, dealt, draw_numbers(_HANDS_OF_CHUNK, random), to_end=False)
    winner = tower_winner(ended)
    ranks = np.bitwise_count(dealt.up - 1).astype(np.int64)
    hands = pd.DataFrame(
        {
            "cards": cards,
            "up": [RANKS[_LOWEST_RANK + rank] for rank in ranks.tolist()],
            "hands": 1,
            "won": (winner == 1).astype(np.int64),
            "lost": (winner == 0).astype(np.int64),
            "deals": ((winner < 0) & (next_dealer(ended) == 1)).astype(np.int64),
        }
    )
    return hands.groupby(_KEYS, as_index=False).sum()


def _combine_values(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    values = pd.concat(frames).groupby(_KEYS, as_index=False).sum()
    content = values.to_csv(index=False, lineterminator="\n").encode()
    files = bundle_of(parameters).with_file(VALUES_FILE, content)
    return StudyResult({}, {"hands": int(values["hands"].sum())}, files)


def bundle_of(parameters: Mapping[str, Any]) -> Bundle:
    """Return the bundle of the folder that a study's parameter `policy` names, by default the one in use."""
    folder = str(parameters["policy"])
    return read_bundle(Path(folder)) if folder else bundle_in_use()


SELF_PLAY_VALUES: Final = Study(
    game="towers-and-bowers",
    name="self-play-values",
    help="How hands of five to seven cards end between two players of the learned policy: W(5) to W(7).",
    parameters={"policy": "", "chunks": 80},
    count_chunks=lambda parameters: len(VALUED_SIZES) * int(parameters["chunks"]),
    run_chunk=run_values_chunk,
    combine=_combine_values,
)


# ----------------------------------------------------------------------------------------------------------- accuracy

KIND: Final = ["cards", "seat", "round"]
BANDS: Final = (0.0, 50.0)  # mt, the least gap of each band
_SPREAD: Final = "spread"  # columns of how far others' gaps lie from the policy's, a number each, then their noise
_NOISE: Final = "noise"
# How much further policies of other seeds lay apart than with four cards, where that was more (docs/methods).
_APART: Final = {("dealer", 7): 1.42}


def run_accuracy_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each random hand of each size, seat and round, in mt."""
    random = np.random.default_rng(seed)
    policy = bundle_of(parameters)
    others = [read_bundle(Path(folder)) for folder in _others(parameters)]
    sizes = [LARGEST_STORED, *(range(LARGEST_STORED + 1, LARGEST_HAND + 1) if others else ())]
    rollouts = int(parameters["rollouts"])
    rows = []
    for cards, seat, second in itertools.product(sizes, SEATS, (False, True)):
        compared = int(parameters["compared"])
        for number in range(int(parameters["hands"]) if cards == LARGEST_STORED else compared):
            nondealer, dealer, up = deal_hand(cards, random)
            view = calling_view(dealer if seat == SEATS[0] else nondealer, up, seat == SEATS[0], second)
            with answer_with(policy):
                play = _play(view, rollouts, random)
            row = {"cards": cards, "seat": seat, "round": 1 + second, "hand": view.hand, "up": up}
            row |= {"gap": MT * play.gap(), "sample_error": _error(play, play)}
            if cards == LARGEST_STORED:
                row |= _errors(view, play)
            for place, other in enumerate(others if number < compared else ()):
                with answer_with(other):
                    second_play = _play(view, rollouts, random)
                row[f"{_SPREAD}{place}"] = MT * (play.gap() - _gap_of(second_play, play))
                row[f"{_NOISE}{place}"] = float(np.hypot(_error(play, play), _error(second_play, play)))
            rows.append(row)
    return pd.DataFrame(rows)


def _others(parameters: Mapping[str, Any]) -> list[str]:
    """Return the folders of the other policies."""
    return [folder for folder in parameters["others"] if folder]


def _play(view: View, count: int, random: np.random.Generator) -> PlayedCalls:
    seed = int(random.integers(1 << 31))
    return PlayedCalls(view, range_of(view, policy_calls), policy_calls, count, seed, is_whole=False)


def _gap_of(play: PlayedCalls, of: PlayedCalls) -> float:
    """Return the gap of the two calls that another's gap is of."""
    first, second = (play.actions[list(of.actions)[place]].tower for place in of.compared_calls())
    return first - second


def _error(play: PlayedCalls, of: PlayedCalls) -> float:
    """Return the standard error of `_gap_of`, mt."""
    return MT * play.played.error_of_lead(*of.compared_calls())


def _errors(view: View, play: PlayedCalls) -> dict[str, float]:
    """Return how far a gap and the best call's value are off, and what following the policy costs; mt."""
    true = answer_solved([view])[0]
    names = list(play.actions)
    first, second = (names[place] for place in play.compared_calls())
    best = max(names, key=lambda name: play.actions[name].tower)
    most = max(true.tower(name) for name in names)
    return {
        "error": MT * (play.gap() - true.tower(first) + true.tower(second)),
        "best_error": MT * (play.actions[best].tower - most),
        "cost": MT * (most - true.tower(best)),
    }


def _combine_accuracy(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the tables ``accuracy`` and ``spread`` by kind, and the bundle with ``errors.csv`` by kind and band."""
    hands = pd.concat(frames, ignore_index=True)
    hands["band"] = np.take(BANDS, np.searchsorted(BANDS, hands["gap"].abs(), side="right") - 1)
    solved = hands[hands["cards"] == LARGEST_STORED]
    half = np.random.default_rng(int(parameters["halves"])).random(len(hands)) < 0.5
    accuracy = pd.DataFrame([of | _accuracy(part) for of, part in _groups(solved, KIND)])
    kinds = [*KIND, "band"]
    errors = pd.DataFrame([of | _band(part, half[part.index]) for of, part in _groups(solved, kinds)])
    made = {"accuracy": accuracy}
    summary: dict[str, Any] = {"hands": len(hands), "rollouts": int(parameters["rollouts"])}
    if _others(parameters):
        apart = hands[hands[f"{_SPREAD}0"].notna()]
        made[_SPREAD] = pd.DataFrame([of | _spreads(part) for of, part in _groups(apart, KIND)])
        ratio = _ratio(apart, solved)
        summary["error_to_spread"] = ratio
        larger = apart[apart["cards"] > LARGEST_STORED]
        scaled = [of | {"hands": len(part), "error": ratio * _spread(part)} for of, part in _groups(larger, kinds)]
        errors = pd.concat([errors, pd.DataFrame(scaled)], ignore_index=True)
    else:
        errors = pd.concat([errors, *(_as_at_four(errors, cards) for cards in VALUED_SIZES)], ignore_index=True)
    content = errors.to_csv(index=False, lineterminator="\n").encode()
    bundle = bundle_of(parameters)
    if VALUES_FILE not in bundle.files:
        raise TowerlabError(f"{bundle.folder} has no {VALUES_FILE}; expected the folder of a study self-play-values")
    summary["accuracy"] = accuracy.to_dict("records")
    return StudyResult(made, summary, bundle.with_file(ERRORS_FILE, content))


def _as_at_four(errors: pd.DataFrame, cards: int) -> pd.DataFrame:
    """Return the errors of four cards for larger hands, of which none were tested."""
    apart = np.array([_APART.get((seat, cards), 1.0) for seat in errors["seat"]])
    return errors.assign(cards=cards, error=apart * errors["error"], tested=0, held=np.nan)


def _groups(frame: pd.DataFrame, names: list[str]) -> Iterable[tuple[dict[str, Any], pd.DataFrame]]:
    for values, part in frame.groupby(names, sort=False):
        yield dict(zip(names, values, strict=True)), part


def _accuracy(part: pd.DataFrame) -> dict[str, Any]:
    close = part[part["band"] == BANDS[0]]
    return {
        "hands": len(part),
        "gap": _root_of_excess(part["error"], part["sample_error"]),
        "close_hands": len(close),
        "close_gap": _root_of_excess(close["error"], close["sample_error"]),
        "best_value": _root_of_excess(part["best_error"], part["sample_error"]),
        "cost": float(part["cost"].mean()),
    }


def _band(part: pd.DataFrame, half: Any) -> dict[str, Any]:
    """Return the policy's error of all hands, and how often the interval that one half gives holds the other's."""
    tested = part[~half]
    estimated = _root_of_excess(part[half]["error"], part[half]["sample_error"])
    width = normal_quantile(LEVEL) * np.hypot(estimated, tested["sample_error"])
    held = 100 * float((tested["error"].abs() <= width).mean()) if len(tested) else np.nan
    error = _root_of_excess(part["error"], part["sample_error"])
    return {"hands": len(part), "error": error, "tested": len(tested), "held": held}


def _spreads(part: pd.DataFrame) -> dict[str, Any]:
    """Return how far each other policy lies from this one, and all of them."""
    count = sum(name.startswith(_SPREAD) for name in part.columns)
    each = {
        f"{_SPREAD}{place}": _root_of_excess(part[f"{_SPREAD}{place}"], part[f"{_NOISE}{place}"])
        for place in range(count)
    }
    return {"hands": len(part)} | each | {_SPREAD: _spread(part)}


def _spread(part: pd.DataFrame) -> float:
    names = [name.removeprefix(_SPREAD) for name in part.columns if name.startswith(_SPREAD)]
    apart, noise = (np.concatenate([part[f"{stem}{name}"] for name in names]) for stem in (_SPREAD, _NOISE))
    return _root_of_excess(apart, noise)


def _ratio(apart: pd.DataFrame, solved: pd.DataFrame) -> float:
    """Return the error at four cards over the spread there: the roots of the mean squares of all kinds."""
    kinds = [
        (_root_of_excess(part["error"], part["sample_error"]), _spread(apart[_is_kind(apart, of)]))
        for of, part in _groups(solved, KIND)
    ]
    errors, spreads = np.array(kinds).T
    return float(np.sqrt((errors**2).sum() / (spreads**2).sum()))


def _is_kind(frame: pd.DataFrame, kind: Mapping[str, Any]) -> Any:
    return np.logical_and.reduce([frame[name] == value for name, value in kind.items()])


def _root_of_excess(values: Any, noise: Any) -> float:
    """Return the root mean square of values, less the noise's part of it."""
    if not len(values):
        return float("nan")
    return float(np.sqrt(max(0.0, (np.asarray(values) ** 2 - np.asarray(noise) ** 2).mean())))


SELF_PLAY_ACCURACY: Final = Study(
    game="towers-and-bowers",
    name="self-play-accuracy",
    help="How far may a margin be off that the learned policy plays out?",
    parameters={
        "policy": "",
        "others": [""],
        "chunks": 40,
        "hands": 10,
        "compared": 2,
        "rollouts": 500,
        "halves": 0,
    },
    run_chunk=run_accuracy_chunk,
    combine=_combine_accuracy,
)
