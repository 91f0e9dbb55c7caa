"""`towerlab.env`: PettingZoo's own tests, games against the engine, and what an observation holds."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import exhaustive
from tests.kit.test_engine import random_options
from towerlab.analysis.catalog import GAMES, find_game
from towerlab.games.cards import card_texts, mask_cards
from towerlab.games.engine import Action, Choices
from towerlab.games.errors import TowerlabError

OURS = {"player_1": "novice"}
_RESHUFFLES = 4  # the first seed of a game of Tower War in which discards are shuffled again
_LARGEST = 2**20
pettingzoo_test = pytest.importorskip("pettingzoo.test")
turn_based_aec_to_parallel = pytest.importorskip("pettingzoo.utils.conversions").turn_based_aec_to_parallel


def words_of(value: Any) -> Iterator[str]:
    """An action in the order in which it is said."""
    if isinstance(value, dict):
        value = [part for key, part in value.items() if key != "player"]
        yield from (word for part in value for word in words_of(part))
    elif isinstance(value, list):
        yield from [str(len(value)), *(word for part in value for word in words_of(part))]
    else:
        yield str(value)


def possible(env: Any, agent: str) -> set[str]:
    """The words that the mask allows."""
    return {env.words[number] for number in np.flatnonzero(env.observe(agent)["action_mask"])}


def say(env: Any, legal: Choices, action: Action, rng: np.random.Generator) -> None:
    """Say an action: cards of a set in any order; else only where other actions go on otherwise."""
    agent = env.agent_selection
    if action["action"] in ("bury", "build"):
        for word in rng.permutation(action["cards"]):
            assert word in possible(env, agent)
            env.step(env.words.index(word))
        return
    words = [*words_of(action), "end"]
    others = [[*words_of(other), "end"] for other in legal]
    for place, word in enumerate(words):
        following = {other[place] for other in others if other[:place] == words[:place]}
        if len(following) > 1:
            assert possible(env, agent) == following
            env.step(env.words.index(word))


def play_a_game(game: str, seed: int, most_actions: int) -> None:
    """A random game by random options: said to the environment, applied in an engine of its own."""
    rng = np.random.default_rng([seed, 1])
    table = find_game(game).load("table")
    options = random_options(find_game(game).load("options"), rng)
    env = tl.env(game, options=options)
    twin = table.start(options)
    chance = np.random.default_rng(seed)
    env.reset(seed=seed)
    for played in range(most_actions + 1):
        while twin.result is None and (twin.to_act is None or len(twin.legal(twin.to_act)) == 1):
            twin.apply(twin.chance(chance) if twin.to_act is None else twin.legal(twin.to_act)[0])
        assert env.engine.state() == twin.state()
        if twin.result is not None or played == most_actions:
            break
        assert env.agent_selection == f"player_{twin.to_act}"
        legal = twin.legal(twin.to_act)
        action = legal.sample(rng)
        say(env, legal, action, rng)
        twin.apply(action)
    assert list(env.engine.transcript()) == list(twin.transcript())
    result = twin.result
    assert all(env.terminations.values()) == (result is not None)
    assert sum(env.rewards.values()) == pytest.approx(0)
    if result is not None:
        for seat, agent in enumerate(env.agents):
            share = (seat in result.winners) / len(result.winners) if result.winners else 1 / len(twin.seats)
            assert env.rewards[agent] == pytest.approx(share - 1 / len(twin.seats))
            assert env.infos[agent]["score"] == result.scores[seat]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("games", "most"), [(2, 40), exhaustive(1_000, 300)])
def test_random_games_go_as_in_the_engine(game: str, games: int, most: int) -> None:
    """Most of the many to their end, but those of Bowers and Towie, where random games hardly come to one."""
    for seed in range(games):
        play_a_game(game, seed, min(most, 60) if game in ("bowers", "towie") else most)


@pytest.mark.parametrize("game", GAMES)
def test_it_passes_pettingzoos_own_tests(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that observations with a mask are no bare arrays
        pettingzoo_test.api_test(tl.env(game), num_cycles=30)
        pettingzoo_test.parallel_api_test(turn_based_aec_to_parallel(tl.env(game)), num_cycles=30)
    pettingzoo_test.seed_test(lambda: tl.env(game), num_cycles=15)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("games", "most"), [(2, 120), exhaustive(200, 3_000)])
def test_observations_are_in_their_space_to_the_end_of_a_game(game: str, games: int, most: int) -> None:
    """Nor is a set of cards one large number: every other number is small."""
    rng = np.random.default_rng(games)
    env = tl.env(game, most_steps=most)
    assert len(set(env.columns)) == len(env.columns)
    for seed in range(_RESHUFFLES, _RESHUFFLES + games):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            seen, _, ended, cut, _ = env.last()
            assert env.observation_space(agent).contains(seen)
            large = np.flatnonzero(np.abs(seen["observation"]) > _LARGEST)
            assert not len(large), [env.columns[column] for column in large]
            env.step(None if ended or cut else int(rng.choice(np.flatnonzero(seen["action_mask"]))))


@pytest.mark.parametrize("game", GAMES)
def test_a_column_says_what_its_number_is_of(game: str) -> None:
    """Of the fields of the view that hold one number or a set of cards."""
    env = tl.env(game)
    env.reset(seed=3)
    for _ in range(12):
        agent = env.agent_selection
        seen = env.observe(agent)
        numbers = dict(zip(env.columns, seen["observation"], strict=True))
        view = vars(env.view(agent))
        assert numbers["player"] == view["player"]
        if "hand.JS" in numbers:
            held = [column for column, number in numbers.items() if column.startswith("hand.") and number]
            assert held == [f"hand.{card}" for card in card_texts(mask_cards(view["hand"]))]
        env.step(int(np.flatnonzero(seen["action_mask"])[0]))


@pytest.mark.parametrize("game", GAMES)
def test_a_pickled_game_goes_on_as_the_one_it_was_taken_from(game: str) -> None:
    """Also before the first game, inside an action, with a player of ours, and after the end."""
    rng = np.random.default_rng(4)
    env = tl.env(game, most_steps=60, against=OURS)
    pickle.loads(pickle.dumps(env)).reset(seed=1)
    env.reset(seed=1)
    while env.agents:
        twin = pickle.loads(pickle.dumps(env))
        agent = env.agent_selection
        done = env.terminations[agent] or env.truncations[agent]
        word = None if done else int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"])))
        for each in (env, twin):
            each.step(word)
        assert (twin.agents, twin.rewards, twin.engine.state()) == (env.agents, env.rewards, env.engine.state())
        for each in env.agents:
            ours, theirs = (side.observe(each) for side in (env, twin))
            assert all(np.array_equal(ours[part], theirs[part]) for part in ours)


@pytest.mark.parametrize("game", GAMES)
def test_an_observation_holds_what_the_agent_knows_and_nothing_else(game: str) -> None:
    """All games that look alike to an agent give the same numbers; what another one is saying is not seen."""
    rng = np.random.default_rng(7)
    env = tl.env(game)
    numbers_of: dict[str, bytes] = {}
    for seed in range(2):
        env.reset(seed=seed)
        for _ in range(25):
            before = {agent: env.observe(agent)["observation"].tobytes() for agent in env.agents}
            for agent, numbers in before.items():
                known = repr(env.view(agent)) + (" ".join(env._decision.said) if agent == env.agent_selection else "")
                assert numbers_of.setdefault(known, numbers) == numbers
            actor = env.agent_selection
            done = len(env.engine.actions)
            env.step(env.words.index(rng.choice(sorted(possible(env, actor)))))
            if len(env.engine.actions) == done:
                others = [agent for agent in env.agents if agent != actor]
                assert all(env.observe(agent)["observation"].tobytes() == before[agent] for agent in others)
                assert env.observe(actor)["observation"].tobytes() != before[actor]
            if any(env.terminations.values()):
                break
    assert len(set(numbers_of.values())) == len(numbers_of)  # nor is anything lost


def test_a_word_that_cannot_be_said_changes_nothing() -> None:
    env = tl.env("towers")
    env.reset(seed=1)
    for number in (env.words.index("raze"), -1, len(env.words), 1.5, None):
        with pytest.raises(TowerlabError, match=r"player_0 answers .*; expected one of: "):
            env.step(number)
    assert possible(env, "player_0")
    assert not possible(env, "player_1")


def test_a_game_that_does_not_end_is_cut_off() -> None:
    env = tl.env("bowers", options={"target": 1000}, most_steps=40)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    while not any(env.truncations.values()):
        env.step(env.words.index(rng.choice(sorted(possible(env, env.agent_selection)))))
    assert env._steps == 40
    assert not any(env.rewards.values())


def test_without_pettingzoo_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "towerlab.table.environment", None)
    with pytest.raises(TowerlabError, match="pip install pettingzoo"):
        tl.env("towie")


@pytest.mark.parametrize("game", ["towers-and-bowers", "towers"])
def test_players_of_ours_sit_in_place_of_agents(game: str) -> None:
    env = tl.env(game, options={"towers_to_win": 1, "claims": "off"} if "bowers" in game else None, against=OURS)
    assert env.possible_agents == ["player_0"]
    pettingzoo_test.api_test(env, num_cycles=40)
    env.reset(seed=1)
    while not env.terminations["player_0"]:
        assert env.agent_selection == "player_0" and env.engine.to_act == 0
        env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"])[0]))
    assert -0.5 <= env.rewards["player_0"] <= 0.5
    with pytest.raises(TowerlabError, match="there is no agent 'player_9'; expected some of player_0, player_1"):
        tl.env(game, against={"player_9": "novice"})
    with pytest.raises(TowerlabError, match="unknown player 'nobody'"):
        tl.env(game, against={"player_1": "nobody"})
