"""Training by self-play: a tiny network learns, goes on after a kill, and its parts against naive twins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from towerlab.analysis.study import parse_parameters, run_study
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.towers_and_bowers.studies import self_play
from towerlab.games.errors import OptionError, TowerlabError
from towerlab.solver.towers_and_bowers.self_play import environment, network, policies, training

jax = pytest.importorskip("jax")
pytest.importorskip("optax")

SEED = np.random.SeedSequence(0)
TINY = ["width=64", "batch=512", "hands=30720"]


class StruckCheckpoint(Checkpoint):
    """Keeps every state that is offered, and is struck down at the eleventh."""

    def offer(self, steps: int, state: Any) -> None:
        self.keep(steps, state)
        if steps == 11:
            raise KeyboardInterrupt


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_play, "SECONDS_OF_SILENCE", 0.0)
    monkeypatch.setattr(self_play, "POINTS", 2)
    parameters = parse_parameters(self_play.SELF_PLAY_STUDY, TINY)
    folders = [tmp_path / name for name in ("whole", "struck")]
    for folder in folders:
        folder.mkdir()
    whole = self_play.run_chunk(0, SEED, parameters, Checkpoint(folders[0], 0))
    with pytest.raises(KeyboardInterrupt):
        self_play.run_chunk(0, SEED, parameters, StruckCheckpoint(folders[1], 0))
    resumed = self_play.run_chunk(0, SEED, parameters, Checkpoint(folders[1], 0))
    assert whole["iterations"].tolist() == [30, 60]
    assert whole["exploitability_mt"].iloc[-1] < whole["exploitability_mt"].iloc[0] / 2
    assert whole["policy"].iloc[-1] == resumed["policy"].iloc[-1]
    pd.testing.assert_frame_equal(whole.drop(columns="seconds"), resumed.drop(columns="seconds"), check_exact=True)


def test_minutes_are_of_training_without_what_compiles_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that compiling moves by an hour and an iteration by a second."""
    clock = [0.0]

    def iterate(run: Any, *_: object) -> Any:
        clock[0] += 1 if clock[0] else 3600
        return run, (0.0, 0.0)

    monkeypatch.setattr(self_play.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(self_play.training, "iterate", iterate)
    monkeypatch.setattr(self_play, "exploitability_mt", lambda _: 0.0)
    parameters = parse_parameters(self_play.SELF_PLAY_STUDY, ["width=16", "minutes=1"])
    curve = self_play.run_chunk(0, SEED, parameters, Checkpoint(tmp_path, 0))
    assert curve["iterations"].iloc[-1] == 60
    assert curve["seconds"].iloc[-1] == 60


@pytest.mark.slow
def test_a_small_network_becomes_hard_to_exploit(tmp_path: Path) -> None:
    parameters = parse_parameters(self_play.SELF_PLAY_STUDY, ["width=64", "batch=1024", "hands=200000"])
    result = run_study(self_play.SELF_PLAY_STUDY, tmp_path / "run", quiet=True, parameters=parameters)
    policy = network.read_policy(tmp_path / "run" / policies.POLICY_FILE).network
    lost = result.tables["curve"]["exploitability_mt"]
    assert lost.iloc[-1] == pytest.approx(result.summary["exploitability_one_card_mt"], abs=1e-3)
    assert lost.iloc[-1] < 10 < lost.iloc[0] and len(policy.hidden) == 2
    more = parse_parameters(self_play.SELF_PLAY_STUDY, [f"start_from={tmp_path / 'run'}", "hands=8192"])
    continued = run_study(self_play.SELF_PLAY_STUDY, tmp_path / "more", quiet=True, parameters=more)
    assert continued.summary["exploitability_one_card_mt"] < 20


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("layers=0", "layers=0 cannot be; expected 1 or more"),
        ("batch=4", "expected 8 or more"),
        ("hands=0", "expected minutes or hands above 0"),
        ("start_from=pyproject.toml", "holds no learned policy; expected a folder"),
    ],
)
def test_runs_that_cannot_be_are_refused(changed: str, message: str) -> None:
    parameters = parse_parameters(self_play.SELF_PLAY_STUDY, [changed])
    with pytest.raises(TowerlabError, match=message):
        self_play.SELF_PLAY_STUDY.count_chunks(parameters)
    with pytest.raises(OptionError, match="no parameter"):
        parse_parameters(self_play.SELF_PLAY_STUDY, ["epochs=3"])


# -------------------------------------------------------------------------------------------------------- the parts


def played(hands: int) -> tuple[training.TrainingRun, environment.State, Any, np.ndarray]:
    """A run, the hands that it dealt, the decisions in them with their advantages, and what the dealer won."""
    run = training.start_run(SEED, 16, 2)
    run = run._replace(policy=network.new_network(np.random.default_rng(4), 304, 16, 2, 30))
    random = np.random.default_rng(1)
    dealt = environment.deal(random.random((hands, 24)), np.arange(hands) % 7 + 1)
    values = np.array([0, 0.85, 0.67, 0.71, 0.64, 0.6, 0.6])
    decisions, won, _ = training.play_hands(run, environment.copy_hands(dealt), values, random, 0.06)
    return run, dealt, decisions, won


def test_decisions_and_their_advantages_are_those_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []
    judge = training._judge
    monkeypatch.setattr(training, "_judge", lambda of, won: steps.extend(of) or judge(of, won))
    run, state, decisions, won = played(70)
    policy = network.Policy(jax.tree.map(np.asarray, run.policy), is_symmetric=True)
    steps_of: dict[int, list[tuple[int, float, bool]]] = {hand: [] for hand in range(70)}
    place = len(decisions.gain)
    for rows, turn, made in steps:
        place -= len(rows)  # the last decisions come first in `decisions`
        while True:
            possible = environment.legal(state)
            open_choice = (possible.sum(axis=1) > 1) & ~environment.is_settled(state)
            if np.array_equal(np.flatnonzero(open_choice), rows):
                break
            forced = ~open_choice & ~environment.is_settled(state)
            assert forced.any()
            state = environment.select_hands(forced, environment.step(state, possible.argmax(axis=1)), state)
        assert (state.turn[rows] == turn).all()
        shares = network.action_probabilities(policy, state)
        calls = (state.decision <= environment.SECOND_CALL)[:, None] & possible
        shares = np.where(calls, 0.06 + (1 - 0.06 * calls.sum(1, keepdims=True)) * shares, shares)[rows]
        encoded = network.encode(state, rows, symmetric=True)
        action = np.where(encoded.mirrored, network.MIRRORED_ACTIONS[made.action], made.action)
        assert made.share == pytest.approx(shares[np.arange(len(rows)), action], abs=1e-5)
        assert possible[rows, action].all()
        after = environment.copy_hands(state)
        environment.act_in(after, rows, action)
        state = after
        for offset, hand in enumerate(rows.tolist()):
            steps_of[hand].append((place + offset, float(made.value[offset]), bool(turn[offset])))
    assert environment.is_settled(state).sum() > 30
    for hand, path in steps_of.items():
        values = [value if deals else 1 - value for _, value, deals in path] + [float(won[hand])]
        for start, (number, value, deals) in enumerate(path):
            later = range(start, len(path))
            gain = sum(0.9 ** (step - start) * (values[step + 1] - values[step]) for step in later)
            gain = gain if deals else -gain
            assert decisions.gain[number] == pytest.approx(gain, abs=1e-5)
            assert decisions.value[number] == pytest.approx(np.clip(value + gain, 0, 1), abs=1e-5)


def test_a_policy_is_continued_only_after_the_critic_has_learned() -> None:
    start = network.new_network(np.random.default_rng(2), 304, 16, 1, 30)
    run = training.start_run(SEED, 99, 9, start)
    policies = []
    critics = []
    for _ in range(3):
        run, _ = training.iterate(run, 0.0, 64, (0.85, 0.67), waits=2)
        policies.append(np.asarray(run.policy.hidden[0].weight))
        critics.append(np.asarray(run.critic.hidden[0].bias))
    assert (policies[1] == start.hidden[0].weight).all() and (policies[2] != start.hidden[0].weight).any()
    assert (critics[0] != 0).any() and (np.asarray(run.dealer_wins)[1:] > 0).any()


def test_the_network_of_jax_is_that_of_numpy() -> None:
    policy = policies.stored_bundle().policy.network
    rows = np.random.default_rng(3).integers(0, 2, (40, 304)).astype(np.float32)
    outputs = jax.jit(lambda rows: network.outputs_of(policy, rows, jax.numpy))(rows)
    assert np.asarray(outputs) == pytest.approx(policy.outputs(rows), abs=1e-3)


# ------------------------------------------------------------------------------------------------------- distillation


def golden_bundle(folder: Path) -> Path:
    """The folder of a small symmetric policy."""
    folder.mkdir()
    content = (Path(__file__).parents[1] / "golden" / "self_play_2x128.npz").read_bytes()
    for name, file in policies.bundle_files({policies.POLICY_FILE: content}).items():
        (folder / name).write_bytes(file)
    return folder


def test_lessons_are_the_mean_of_the_teacher_over_both_orders_of_the_suits() -> None:
    teacher = policies.stored_bundle().policy._replace(is_symmetric=False)  # so that the order of the suits matters
    lessons = training.play_lessons(teacher, 150, np.random.default_rng(5))
    seen, possible, tied, shares = training.lesson_rows(lessons, slice(None))
    assert len(seen) > 1000 and 0 < tied.mean() < 0.2
    assert (shares[~possible] == 0).all() and shares.sum(axis=1) == pytest.approx(1, abs=1e-6)
    mirrored = np.where(tied[:, None], shares[:, network.MIRRORED_ACTIONS], shares)
    assert mirrored == pytest.approx(shares, abs=1e-3)  # half floats
    outputs = teacher.network.outputs(seen).astype(np.float64)
    weights = np.where(possible, np.exp(outputs), 0)
    alone = weights / weights.sum(axis=1, keepdims=True)
    assert np.abs(alone - shares).sum(axis=1).mean() < 0.2  # one of both orders; the target is the mean


def test_a_small_network_learns_from_a_teacher_and_is_a_bundle(tmp_path: Path) -> None:
    teacher = golden_bundle(tmp_path / "teacher")
    sets = [f"teacher={teacher}", "chunks=2", "hands=1500", "width=32", "layers=2", "steps=500"]
    parameters = parse_parameters(self_play.SELF_PLAY_DISTIL, sets)
    result = run_study(self_play.SELF_PLAY_DISTIL, tmp_path / "run", quiet=True, parameters=parameters)
    random = np.random.default_rng(6)
    policy = policies.read_bundle(teacher).policy
    lessons = training.play_lessons(policy, 300, random)
    untrained = training.held_out_loss(network.new_network(random, 304, 8, 1, 30), lessons)
    assert result.summary["held_out_nats"] < 0.6 * untrained
    made = policies.current_bundle(tmp_path / "run")
    assert made.policy.is_symmetric and len(made.policy.network.hidden) == 2
    assert training.held_out_loss(made.policy.network, lessons) < 0.6 * untrained
    assert training.held_out_loss(policy.network, lessons) < 1e-4
