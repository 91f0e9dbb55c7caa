"""How is a game an environment of PettingZoo? Any of the five, over the one engine.

An agent takes a decision word by word: the record ``{"action": "play", "card": "JS"}`` is the words ``play JS``; a list
begins with its length; cards of a set are picked one by one, in any order. Forced words and actions are taken without
asking, and chance draws by itself. An observation holds the agent's view and the words of its action so far. An agent
can claim or accuse at its own turn only.

    env = tl.env("towers-and-bowers")
"""

import dataclasses
import enum
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from towerlab.analysis.catalog import find_game
from towerlab.analysis.players import Player
from towerlab.games.cards import card_text
from towerlab.games.engine import Action, Engine, require
from towerlab.games.errors import TowerlabError
from towerlab.sim.own_players import Act, offered_actions
from towerlab.table.game import TableGame

Words: TypeAlias = list[str]

_CARDS: Final = 54
_NUMBERS: Final = 33  # no count in an action is larger than a deck of 25
_END: Final = "end"  # said only where an action may go on
_MOST_WORDS: Final = 32  # of an action that is still being said
_BOUND: Final = float(2**24)  # beyond it float32 skips whole numbers


class GameEnvironment(AECEnv):  # type: ignore[misc]  # PettingZoo is not followed by mypy
    """One game from the deal to its end.

    Attributes:
        words: the meaning of each action number.
        columns: the meaning of each number of an observation: ``"hand.JS"``, ``"tricks.2.cards.0"``, ``"said.0"``.
        engine: the game as it stands; it holds every hidden card.
    """

    metadata = {"name": "towerlab", "is_parallelizable": False, "render_modes": []}  # noqa: RUF012  # as PettingZoo has it
    render_mode = None

    def __init__(self, table: TableGame, options: Any, most_steps: int, against: Mapping[str, Player]) -> None:
        """See `towerlab.env`; `against` holds who acts in place of agents."""
        super().__init__()
        self._table = table
        self._options = options
        self._most_steps = most_steps
        self._against = against
        self._acts = self._seated()
        self._rng = np.random.default_rng()
        self.engine: Engine[Any, Any] = table.start(options)
        self.metadata = {**self.metadata, "name": f"towerlab_{table.name.replace('-', '_')}"}
        cards = [card_text(card) for card in range(_CARDS)]
        said = (*self.engine.ACTIONS, *cards, *map(str, range(_NUMBERS)), _END, *table.numbering.words())
        self.words = tuple(dict.fromkeys(said))
        self._number_of = {word: number for number, word in enumerate(self.words)}
        self._flat = _ViewEncoder(table, len(self.engine.seats), self._number_of)
        self._seats = {f"player_{seat}": seat for seat in self.engine.seats}
        if unknown := next((agent for agent in against if agent not in self._seats), None):
            raise TowerlabError(f"there is no agent {unknown!r}; expected some of {', '.join(self._seats)}")
        self.possible_agents = [agent for agent in self._seats if agent not in against]
        self.columns = (*self._flat.columns(self.engine.view(0)), *(f"said.{word}" for word in range(_MOST_WORDS)))
        space = spaces.Dict(
            {
                "observation": spaces.Box(-_BOUND, _BOUND, (len(self.columns),), np.float32),
                "action_mask": spaces.Box(0, 1, (len(self.words),), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(len(self.words)) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """Return a dict of ``observation``, float32, and ``action_mask``, int8 [words]."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of word numbers, the places in `words`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begin a new game.

        Args:
            seed: the seed of all that chance draws; None goes on with the generator as it is.
            options: the options of PettingZoo; not used.
        """
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.engine = self._table.start(self._options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._steps = 0
        self._go_on()

    def step(self, action: int | None) -> None:
        """Say one word.

        Raises:
            TowerlabError: it is none of those that the mask allows.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        possible = self._decision.next_words()
        word = self.words[action] if isinstance(action, (int, np.integer)) and 0 <= action < len(self.words) else None
        if word not in possible:
            raise TowerlabError(f"{agent} answers {action!r} ({word}); expected one of: {', '.join(possible)}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._steps += 1
        done = self._decision.say(word)
        if done is not None:
            self.engine.apply(done)
            self._go_on()
        if not any(self.terminations.values()) and self._steps >= self._most_steps:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent knows, and the words that can be said now: none unless it is that agent's turn."""
        mask = np.zeros(len(self.words), np.int8)
        said = np.full(_MOST_WORDS, -1.0, np.float32)
        if agent == self.agent_selection and self.engine.result is None:
            mask[[self._number_of[word] for word in self._decision.next_words()]] = 1
            now = [self._number_of[word] for word in self._decision.said]
            said[: len(now)] = now
        view = self._flat.numbers(self.view(agent))
        return {"observation": np.concatenate([np.array(view, np.float32), said]), "action_mask": mask}

    def view(self, agent: str) -> Any:
        """Return the game's own frozen record, of which the observation is made."""
        return self.engine.view(self._seats[agent])

    def render(self) -> None:
        """Nothing: `view` prints."""

    def close(self) -> None:
        """Nothing is held open; PettingZoo wants it beside `render`."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for `pickle`: of a decision what was said of it, of a seated player which it is."""
        return {**self.__dict__, "_decision": self._decision.said if hasattr(self, "_decision") else [], "_acts": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._acts = self._seated()
        if self.engine.result is None and self.engine.to_act is not None:
            self._decision = _Decision(self._table, self.engine)
            while len(self._decision.said) < len(said := state["_decision"]):
                self._decision.say(said[len(self._decision.said)])

    def _seated(self) -> dict[str, Act]:
        simulation = find_game(self._table.name).load("simulate")
        return {agent: simulation.seat(player, self._options) for agent, player in self._against.items()}

    def _go_on(self) -> None:
        """Let chance and what is forced happen, until somebody has a choice or the game is over."""
        engine = self.engine
        while engine.result is None:
            if engine.to_act is None:
                engine.apply(engine.chance(self._rng))
                continue
            agent = f"player_{engine.to_act}"
            legal = engine.legal(engine.to_act)
            act = self._acts.get(agent)
            if len(legal) > 1 and act is None:
                self.agent_selection = agent
                self._decision = _Decision(self._table, engine)
                return
            engine.apply(act(self.view(agent), offered_actions(engine, engine.to_act), self._rng) if act else legal[0])
        result = engine.result
        even = 1 / len(self._seats)
        for agent in self.agents:
            seat = self._seats[agent]
            won = (seat in result.winners) / len(result.winners) if result.winners else even
            self.rewards[agent] = won - even
            self.infos[agent] = {"score": result.scores[seat], "reason": result.reason}
        self.terminations = dict.fromkeys(self.agents, True)


class _Decision:
    """An action that is being said."""

    def __init__(self, table: TableGame, engine: Engine[Any, Any]) -> None:
        legal = engine.legal(engine.to_act)
        pick = table.prompt(engine.view(require(engine.to_act)), legal[:1]).pick
        self._pick = pick if pick is not None and pick.least == pick.most else None
        spoken = {} if self._pick else {(*_words(action), _END): action for action in legal}
        self._paths = list(spoken.items())
        self.said: Words = []
        self._skip_forced()

    def next_words(self) -> Words:
        """Return the words that can come next."""
        if self._pick is not None:
            return [card for card in self._pick.cards if card not in self.said]
        return list(dict.fromkeys(path[len(self.said)] for path, _ in self._paths))

    def say(self, word: str) -> Action | None:
        """Add a word and return the action once it is complete."""
        self.said.append(word)
        if self._pick is not None:
            return self._pick.make(self.said) if len(self.said) == self._pick.most else None
        place = len(self.said) - 1
        self._paths = [(path, action) for path, action in self._paths if path[place] == word]
        if len(self._paths) == 1:
            return self._paths[0][1]
        self._skip_forced()
        return None

    def _skip_forced(self) -> None:
        while self._pick is None and len(words := self.next_words()) == 1:
            self.said += words


def _words(value: Any) -> Iterator[str]:
    """Yield an action, or a part of one, as words; who takes it goes without saying."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "player":
                yield from _words(part)
    elif isinstance(value, list):
        yield str(len(value))
        for part in value:
            yield from _words(part)
    else:
        yield str(value)


_types = functools.cache(get_type_hints)


class _ViewEncoder:
    """Writes a view as numbers, always as many: sets of cards as 54 zeros and ones, −1 where there is nothing."""

    def __init__(self, table: TableGame, seats: int, number_of: dict[str, int]) -> None:
        self._table = table
        self._seats = seats
        self._number_of = number_of

    def numbers(self, view: Any) -> list[float]:
        """Return the numbers of a view, field by field as its class declares them; of long lists the newest entries."""
        return [number for _, numbers in self._record(type(view), view, "") for number in numbers]

    def columns(self, view: Any) -> Iterator[str]:
        """Yield the meaning of each of the numbers: its field, place and card."""
        for path, numbers in self._record(type(view), view, ""):
            yield from (f"{path}.{card_text(card)}" for card in range(_CARDS)) if len(numbers) == _CARDS else (path,)

    def _record(self, kind: type, record: Any, path: str) -> Iterator[tuple[str, list[float]]]:
        hints = _types(kind)
        for field in dataclasses.fields(kind):
            if field.repr:  # a hidden field repeats others
                lengths = self._table.numbering.lengths.get(field.name, ())
                value = getattr(record, field.name, None)
                yield from self._value(hints[field.name], value, path + field.name, lengths)

    def _value(self, kind: Any, value: Any, path: str, lengths: Sequence[int]) -> Iterator[tuple[str, list[float]]]:
        inner = [part for part in get_args(kind) if part is not type(None)]
        if get_origin(kind) is tuple:
            if inner[-1] is Ellipsis:
                most, lengths = (lengths[0] or self._seats, lengths[1:]) if lengths else (self._seats, lengths)
                inner, value = inner[:1] * most, (value or ())[-most:]
            value = (*(value or ()), *[None] * len(inner))
            for place, (part, item) in enumerate(zip(inner, value, strict=False)):
                yield from self._value(part, item, f"{path}.{place}", lengths)
        elif inner:  # or None
            yield from self._value(inner[0], value, path, lengths)
        elif dataclasses.is_dataclass(kind):
            assert isinstance(kind, type)
            yield from self._record(kind, value, f"{path}.")
        elif _field_of(path) in self._table.numbering.cards:
            held = [-1.0] * _CARDS if value is None else [float(value >> card & 1) for card in range(_CARDS)]
            yield path, held
        elif value is None:
            yield path, [-1.0]
        elif isinstance(value, enum.Enum):
            yield path, [float(list(type(value)).index(value))]
        else:
            yield path, [float(self._number_of[value] if isinstance(value, str) else value)]


def _field_of(path: str) -> str:
    """Return the field of a record that a column belongs to: ``"hand"`` of ``claim.hand.1``."""
    return next(part for part in reversed(path.split(".")) if not part.isdigit())
