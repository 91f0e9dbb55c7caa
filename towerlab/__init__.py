"""towerlab from Python: every question of the five games, simulations and studies, as functions.

>>> import towerlab as tl
>>> answer = tl.upcard("JS AS KS 9S AD 10H 9C", "QS", "nondealer")
>>> answer.recommend, answer.layouts
('accept', 11440)

A function has the name of its command; where several games have the command, the game follows: `tl.bid_bowers` is
`towerlab bid bowers`. `help(tl.upcard)` prints its arguments; a hand may also be a list of cards, a path a text, rule
options a mapping or what `tl.options` returns. What comes back is a frozen record: it prints as the command does, shows
itself in a notebook, has `to_json()` with the command's keys and, where it holds a table, `to_frame()`. `tl.simulate`,
`tl.study` and `tl.studies` are for every game. Whatever cannot be answered raises `tl.TowerlabError` with one line that
says what was expected. Nothing is loaded before it is used.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, Unpack, get_args, get_origin, get_type_hints

if not Path(__file__).with_name("games").is_dir():  # a checkout: the packages lie beside this folder, not in it
    __path__.append(str(Path(__file__).parents[1]))

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from towerlab.analysis.bowers import ask_bid as bid_bowers
    from towerlab.analysis.bowers import ask_bury as bury_bowers
    from towerlab.analysis.bowers.claims import judge_claim as claim_bowers
    from towerlab.analysis.bowers.move import ask_move as move_bowers
    from towerlab.analysis.bowers.open_hands import solve_open_hands as solve_bowers
    from towerlab.analysis.claims.certificates import check_file as check
    from towerlab.analysis.simulation import SimulationResult
    from towerlab.analysis.simulation.rule_options import Comparison
    from towerlab.analysis.study import Study, StudyResult
    from towerlab.analysis.tower_war import build_deck as build_tower_war
    from towerlab.analysis.tower_war import pick_pile as pick_tower_war
    from towerlab.analysis.tower_war import split_cards as split_tower_war
    from towerlab.analysis.tower_war import step_battle as step_tower_war
    from towerlab.analysis.tower_war.battle import ask_battle as battle_tower_war
    from towerlab.analysis.towers import move as move_towers
    from towerlab.analysis.towers import step as step_towers
    from towerlab.analysis.towers_and_bowers.claims import judge_claim as claim
    from towerlab.analysis.towers_and_bowers.claims import judge_concession as concession
    from towerlab.analysis.towers_and_bowers.exploitability.answers import ask_exploit as exploit
    from towerlab.analysis.towers_and_bowers.exploitability.answers import exploitability
    from towerlab.analysis.towers_and_bowers.exploitability.matchups import matchup
    from towerlab.analysis.towers_and_bowers.exploitability.strategies import all_information_sets as information_sets
    from towerlab.analysis.towers_and_bowers.move import ask_move as move
    from towerlab.analysis.towers_and_bowers.open_hands import solve_open_hands as solve_towers_and_bowers
    from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_values
    from towerlab.analysis.towers_and_bowers.solutions.strategy_file import information_set, write_strategy
    from towerlab.analysis.towers_and_bowers.upcard.asking import ask_upcard as upcard
    from towerlab.analysis.towers_and_bowers.value import ask_value as value
    from towerlab.analysis.towers_and_bowers.value_against import ask_value_against as value_against
    from towerlab.analysis.towie import ask_bid as bid_towie
    from towerlab.analysis.towie.claims import judge_claim as claim_towie
    from towerlab.analysis.towie.move import ask_move as move_towie
    from towerlab.analysis.towie.open_hands import solve_open_hands as solve_towie
    from towerlab.games.errors import TowerlabError
    from towerlab.table.commanding import review_all
    from towerlab.table.commanding import show_all as show
    from towerlab.table.environment import GameEnvironment
    from towerlab.table.review import review_file as review

# Where the questions are asked, loaded when one is. A new one stands here and, for editors, among the imports above.
QUESTIONS: Final[dict[str, str]] = {
    "TowerlabError": "towerlab.games.errors:TowerlabError",
    "battle_tower_war": "towerlab.analysis.tower_war.battle:ask_battle",
    "bid_bowers": "towerlab.analysis.bowers:ask_bid",
    "bid_towie": "towerlab.analysis.towie:ask_bid",
    "build_tower_war": "towerlab.analysis.tower_war:build_deck",
    "bury_bowers": "towerlab.analysis.bowers:ask_bury",
    "check": "towerlab.analysis.claims.certificates:check_file",
    "claim": "towerlab.analysis.towers_and_bowers.claims:judge_claim",
    "claim_bowers": "towerlab.analysis.bowers.claims:judge_claim",
    "claim_towie": "towerlab.analysis.towie.claims:judge_claim",
    "concession": "towerlab.analysis.towers_and_bowers.claims:judge_concession",
    "deal_values": "towerlab.analysis.towers_and_bowers.solutions.deal_value:deal_values",
    "exploit": "towerlab.analysis.towers_and_bowers.exploitability.answers:ask_exploit",
    "exploitability": "towerlab.analysis.towers_and_bowers.exploitability.answers:exploitability",
    "information_sets": "towerlab.analysis.towers_and_bowers.exploitability.strategies:all_information_sets",
    "information_set": "towerlab.analysis.towers_and_bowers.solutions.strategy_file:information_set",
    "matchup": "towerlab.analysis.towers_and_bowers.exploitability.matchups:matchup",
    "move_bowers": "towerlab.analysis.bowers.move:ask_move",
    "move_towers": "towerlab.analysis.towers:move",
    "move": "towerlab.analysis.towers_and_bowers.move:ask_move",
    "move_towie": "towerlab.analysis.towie.move:ask_move",
    "pick_tower_war": "towerlab.analysis.tower_war:pick_pile",
    "review": "towerlab.table.review:review_file",
    "review_all": "towerlab.table.commanding:review_all",
    "show": "towerlab.table.commanding:show_all",
    "solve_bowers": "towerlab.analysis.bowers.open_hands:solve_open_hands",
    "solve_towers_and_bowers": "towerlab.analysis.towers_and_bowers.open_hands:solve_open_hands",
    "solve_towie": "towerlab.analysis.towie.open_hands:solve_open_hands",
    "split_tower_war": "towerlab.analysis.tower_war:split_cards",
    "step_tower_war": "towerlab.analysis.tower_war:step_battle",
    "step_towers": "towerlab.analysis.towers:step",
    "upcard": "towerlab.analysis.towers_and_bowers.upcard.asking:ask_upcard",
    "value": "towerlab.analysis.towers_and_bowers.value:ask_value",
    "value_against": "towerlab.analysis.towers_and_bowers.value_against:ask_value_against",
    "write_strategy": "towerlab.analysis.towers_and_bowers.solutions.strategy_file:write_strategy",
}
# Where the tables of a question are, below the package of the game.
_TABLES: Final = {"upcard": "upcard.asking", "claim": "claims", "solve": "open_hands", "move": "move"}
_EVERY_GAME: Final = (
    "compare",
    "env",
    "kernel",
    "options",
    "players",
    "rules",
    "simulate",
    "studies",
    "study",
    *(f"{name}_many" for name in _TABLES),
)
_KINDS: Final = {str: "a text", int: "a whole number", float: "a number", bool: "True or False", Path: "a path"}

__all__ = [*QUESTIONS, *_EVERY_GAME]


def simulate(
    game: str,
    players: Sequence[object],
    games: int,
    *,
    until_width: float | None = None,
    until_decided: bool = False,
    **given: Any,
) -> SimulationResult:
    """Let players play a game against each other, seats rotating, and count who wins.

    Args:
        game: as on the command line, such as ``"towers-and-bowers"``.
        players: for every seat a name (`players` lists them), ``"module:Player"``, a strategy file, or a class, object
            or function of your own; one may come twice.
        games: how many units to play; with `until_…` at most so many.
        until_width, until_decided: stop as soon as an interval valid at every look is so narrow, or decides.
        given: ``unit``, ``cards``, ``where``, ``options`` (see `options`), ``seed``, ``jobs``, ``quiet``,
            ``transcripts``, as `analysis.simulation.simulate` explains them.

    Raises:
        TowerlabError: an unknown game, player or unit, or numbers that cannot be.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.simulation import simulate
    from towerlab.analysis.stats import StoppingRule

    found, rule = find_game(game), StoppingRule(until_width, until_decided)
    kinds = {"options": found.load("options"), "transcripts": Path, "cards": int, "seed": int, "jobs": int}
    given = {name: _as_kind(name, value, kinds.get(name, object) | None) for name, value in given.items()}
    return simulate(found, players, _as_kind("games", games, int), until=rule, **given)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function over numbers and arrays for a player of your own; it may call the kernels of towerlab.

    What a game's kernels are given and return is on the page "Your own player" of the documentation.

    Raises:
        TypeError: what is no function.
    """
    from towerlab.games.own_kernels import own_kernel

    return own_kernel(function)


def upcard_many(questions: pd.DataFrame | str | Path, **how: Any) -> pd.DataFrame:
    """Up-card questions, a row each: a frame whose columns are the arguments of `upcard`, or a file of them.

    Args:
        questions: columns ``hand``, ``up``, ``seat``, and as far as they are wanted the others; ``id`` and ``note`` may
            stand beside them.
        how: ``out``, ``options``, ``jobs``, ``resume``, ``quiet``, as `analysis.batches.ask_frame` explains them, and
            what a row means that leaves a column empty.

    Returns:
        The same rows with the columns of the answers; ``error`` says what is wrong with a row that has none.

    Raises:
        TowerlabError: no questions, or an unknown column.
    """
    return _ask_many("upcard", "towers-and-bowers", questions, how)


def claim_many(questions: pd.DataFrame | str | Path, game: str = "towers-and-bowers", **how: Any) -> pd.DataFrame:
    """Claims, or concessions where ``concede`` is yes, a row each: as `upcard_many`.

    Args:
        questions: columns named as the arguments of the game's `claim`.
        game: as on the command line.
        how: as of `upcard_many`.

    Raises:
        TowerlabError: as `upcard_many`, or the game has no such question.
    """
    return _ask_many("claim", game, questions, how)


def solve_many(questions: pd.DataFrame | str | Path, game: str = "towie", **how: Any) -> pd.DataFrame:
    """Open hands solved, a row each: as `upcard_many`; a file of bridge deals may also be PBN.

    Args:
        questions: columns named as the arguments of the game's `solve_…`.
        game: as on the command line.
        how: as of `upcard_many`.

    Raises:
        TowerlabError: as `upcard_many`, or the game has no such question.
    """
    return _ask_many("solve", game, questions, how)


def move_many(questions: pd.DataFrame | str | Path, game: str = "towers-and-bowers", **how: Any) -> pd.DataFrame:
    """Which card to play, a row each: as `upcard_many`.

    Args:
        questions: columns named as the arguments of the game's `move_…`.
        game: as on the command line.
        how: as of `upcard_many`.

    Raises:
        TowerlabError: as `upcard_many`, or the game has no such question.
    """
    return _ask_many("move", game, questions, how)


def _ask_many(question: str, game: str, questions: pd.DataFrame | str | Path, how: Mapping[str, Any]) -> pd.DataFrame:
    from towerlab.analysis.batches import ask_frame
    from towerlab.analysis.catalog import find_game
    from towerlab.games.errors import TowerlabError

    try:
        tables = importlib.import_module(
            f"towerlab.analysis.{find_game(game).name.replace('-', '_')}.{_TABLES[question]}"
        )
    except ModuleNotFoundError:
        raise TowerlabError(f"{game} has no question {question}; expected a game that has") from None
    return ask_frame(tables.MANY, questions, **how)


def study(
    game: str | Study,
    name: str = "",
    out: str | Path = "",
    *,
    options: Any = None,
    seed: int = 0,
    jobs: int | None = None,
    resume: bool = False,
    scheduler: str | None = None,
    quiet: bool = False,
    **parameters: Any,
) -> StudyResult:
    """Run a study in parallel, into a folder that survives interruptions.

    Args:
        game, name: of the study; `studies` lists them. A study of your own (`analysis.study.Study`) stands alone.
        out: the folder, new or empty, or of the same study with `resume`; by default ./GAME-NAME.
        options: rule options, by name or as `options` returns them, for a study that takes them.
        seed: every chunk gets its own child of it; the result depends on nothing else.
        jobs: worker processes; None for all cores.
        resume: go on where an earlier run in this folder was interrupted.
        scheduler: address of a Dask cluster to run on instead.
        parameters: of the study, such as ``cards=3``.

    Returns:
        Its tables as DataFrames (`tables`) and its headline numbers (`summary`).

    Raises:
        TowerlabError: no such study, parameter or option, or a folder that holds something else.
    """
    from towerlab.analysis.catalog import find_game, find_study
    from towerlab.analysis.study import Study, parse_parameters, run_study
    from towerlab.games.options import changed_options

    found = game if isinstance(game, Study) else find_study(game, name)
    if options is not None and not isinstance(options, Mapping):
        options = changed_options(
            _as_kind("options", options, found.rule_options or find_game(found.game).load("options"))
        )
    assigned = [f"{key}={_as_typed(given)}" for key, given in parameters.items()]
    chosen = [f"{key}={_as_typed(given)}" for key, given in (options or {}).items()]
    return run_study(
        found,
        Path(out or f"{found.game}-{found.name}"),
        seed=seed,
        jobs=jobs,
        resume=resume,
        scheduler=scheduler,
        quiet=quiet,
        parameters=parse_parameters(found, assigned, chosen),
    )


def compare(
    game: str, options: Mapping[str, Any] | None = None, players: Sequence[str] | None = None, **given: Any
) -> Comparison:
    """Play the same games by the usual rules and by others, and say what changes.

    Args:
        game: as on the command line, such as ``"towers"``.
        options: by name, a value or a list of values; every combination is played. None: each option alone.
        players: a name for every seat; None for novices.
        given: ``games`` (a combination, 2,000), ``seed``, ``jobs``, ``quiet``.

    Raises:
        TowerlabError: options or players that cannot be, or rules that the players do not know.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.simulation.rule_options import compare_rules

    each = {name: values if isinstance(values, (list, tuple)) else [values] for name, values in (options or {}).items()}
    assignments = [f"{name}={','.join(map(_as_typed, values))}" for name, values in each.items()]
    return compare_rules(find_game(game), assignments, players, **given)


def env(game: str, *, options: Any = None, most_steps: int = 100_000) -> GameEnvironment:
    """A game as an environment of PettingZoo (AEC), in which any agents can sit down together.

    An agent says an action word by word (``env.words``); the observation is a dict of ``observation``, float32, made of
    what the agent knows and nothing else, and ``action_mask``. ``env.view(agent)`` is the same as a record.

    Args:
        game: as on the command line, such as ``"bowers"``.
        options: rule options, by name or as `options` returns them.
        most_steps: after so many words the game is cut off: players at random may never end one of Bowers.

    Returns:
        The environment. Rewards come at the end: the share of the win less an even share, so that they sum to zero.

    Raises:
        TowerlabError: no such game or option, or PettingZoo is not installed.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.errors import TowerlabError

    found = find_game(game)
    try:
        from towerlab.table.environment import GameEnvironment
    except ModuleNotFoundError as error:
        raise TowerlabError("PettingZoo is not installed; expected `pip install pettingzoo` first") from error
    kind = found.load("options")
    chosen = kind() if options is None else _as_kind("options", options, kind)
    return GameEnvironment(found.load("table"), chosen, _as_kind("most_steps", most_steps, int))


def studies(game: str) -> dict[str, str]:
    """The studies of a game, with a line each.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game

    return {name: found.help for name, found in find_game(game).load("studies").items()}


def players(game: str) -> dict[str, str]:
    """The players that `simulate` knows for a game, with a line each.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game

    return dict(find_game(game).load("players"))


def rules(game: str) -> dict[str, str]:
    """The rules of a game in our own words, by id.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.rulebook import read_rules

    return {rule.id: rule.text for rule in read_rules(find_game(game).rules)}


def options(game: str, **changed: Any) -> Any:
    """The rule options of a game, some changed: what the questions and `simulate` take as `options`.

    >>> options("bowers", target=30).target
    30

    Raises:
        TowerlabError: no such game or option, or a value that it cannot have.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.options import parse_options

    return parse_options(find_game(game).load("options"), [f"{key}={_as_typed(to)}" for key, to in changed.items()])


def _as_typed(value: Any) -> str:
    """A value as it is typed behind NAME=."""
    import json

    return value if isinstance(value, str) else json.dumps(value)


def _asked_from_python(name: str, question: Callable[..., Any]) -> Callable[..., Any]:
    """A question that takes its arguments in any form that `_as_kind` knows."""
    kinds = {key: one.annotation for key, one in inspect.signature(question, eval_str=True).parameters.items()}
    order = list(kinds)
    for more in [kind for kind in kinds.values() if get_origin(kind) is Unpack]:
        kinds |= get_type_hints(get_args(more)[0])

    @functools.wraps(question)
    def ask(*given: Any, **named: Any) -> Any:
        known = [_as_kind(key, value, kinds[key]) for key, value in zip(order, given, strict=False)]
        rest = {key: _as_kind(key, value, kinds.get(key)) for key, value in named.items()}
        return question(*known, *given[len(known) :], **rest)

    ask.__module__, ask.__qualname__ = __name__, name  # where pickle finds it
    return ask


def _as_kind(name: str, value: Any, kind: Any) -> Any:
    """A value as a parameter of that type wants it: cards in a list as a text, a text as a path, a mapping as options.

    Raises:
        TowerlabError: it cannot be of that type.
    """
    from towerlab.games.errors import TowerlabError, shown
    from towerlab.games.options import parse_options

    if get_origin(kind) is Callable and not callable(value):
        raise TowerlabError(f"{name}={shown(value)} is not understood; expected a function")
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if value is None or not all(isinstance(one, type) for one in kinds) or isinstance(value, kinds):
        return value
    rules = next((one for one in kinds if hasattr(one, "__dataclass_fields__")), None)
    if str in kinds and isinstance(value, (list, tuple)):
        return ("," if all(isinstance(part, Integral) for part in value) else " ").join(map(str, value))
    if Path in kinds and isinstance(value, str):
        return Path(value)
    if isinstance(value, Mapping) and rules is not None:
        return parse_options(rules, [f"{key}={_as_typed(to)}" for key, to in value.items()])
    if isinstance(value, Real) and float in kinds:
        return float(value)
    if int in kinds and (isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())):
        return int(value)
    expected = " or ".join(_KINDS.get(one, one.__name__) for one in kinds if one is not type(None))
    raise TowerlabError(f"{name}={shown(value)} is not understood; expected {expected}")


def __getattr__(name: str) -> Any:
    place = QUESTIONS.get(name)
    if place is None:
        raise AttributeError(f"towerlab has no {name!r}; dir(towerlab) lists what it has")
    found = pkgutil.resolve_name(place)
    if inspect.isfunction(found):
        found = _asked_from_python(name, found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
