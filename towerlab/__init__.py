"""towerlab from Python: every question of the five games, simulations and studies, as functions.

>>> import towerlab as tl
>>> answer = tl.upcard("JS AS KS 9S AD 10H 9C", "QS", "nondealer")
>>> answer.recommend, answer.layouts
('accept', 11440)

A function has the name of its command; where several games have the command, the game follows: `tl.bid_bowers` is
`towerlab bid bowers`. `help(tl.upcard)` prints its arguments; a hand may also be a list of cards, a path a text, rule
options a mapping or the result of `tl.options`. An answer is a frozen record: it prints as the command does, shows
itself in a notebook, has `to_json()` with the command's keys and, where it holds a table, `to_frame()`. `tl.simulate`,
`tl.study` and `tl.studies` are for every game. A question that cannot be answered raises `tl.TowerlabError` with a line
that says what was expected. A question's code is imported at its first call.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if not Path(__file__).with_name("games").is_dir():  # a checkout without symbolic links: these are files of text there
    __path__.insert(0, str(Path(__file__).parents[1]))

from towerlab.commands.bowers import bid as bid_bowers
from towerlab.commands.bowers import bury as bury_bowers
from towerlab.commands.bowers import claim as claim_bowers
from towerlab.commands.bowers import move as move_bowers
from towerlab.commands.bowers import solve as solve_bowers
from towerlab.commands.question import ArgumentError, Jobs, Seed, check_arguments, options_of_game
from towerlab.commands.simulations import check, compare, simulate
from towerlab.commands.tower_war import battle as battle_tower_war
from towerlab.commands.tower_war import build as build_tower_war
from towerlab.commands.tower_war import move as move_tower_war
from towerlab.commands.tower_war import pick as pick_tower_war
from towerlab.commands.tower_war import split as split_tower_war
from towerlab.commands.tower_war import step as step_tower_war
from towerlab.commands.towers import move as move_towers
from towerlab.commands.towers import step as step_towers
from towerlab.commands.towers_and_bowers import claim, discard, exploit, move, open, upcard, value
from towerlab.commands.towers_and_bowers import solve as solve_towers_and_bowers
from towerlab.commands.towie import bid as bid_towie
from towerlab.commands.towie import claim as claim_towie
from towerlab.commands.towie import move as move_towie
from towerlab.commands.towie import solve as solve_towie
from towerlab.games.errors import TowerlabError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from towerlab.analysis.present.answers import cite as cite
    from towerlab.analysis.study import Study as Study
    from towerlab.analysis.study import StudyResult as StudyResult
    from towerlab.analysis.towers_and_bowers.deal_value import open_deal_values as open_deal_values
    from towerlab.analysis.towers_and_bowers.exploitability import all_information_sets as information_sets
    from towerlab.analysis.towers_and_bowers.exploitability import exploitability as exploitability
    from towerlab.analysis.towers_and_bowers.exploitability import matchup as matchup
    from towerlab.analysis.towers_and_bowers.whole_strategies import export_strategy as strategy
    from towerlab.analysis.towers_and_bowers.whole_strategies import information_set as information_set
    from towerlab.analysis.towers_and_bowers.whole_strategies import write_strategy as write_strategy
    from towerlab.analysis.towie.played import review_boards as review_boards
    from towerlab.games.towers_and_bowers import View as View
    from towerlab.sim.towers_and_bowers.openspiel import load_game as load_game
    from towerlab.sim.towers_and_bowers.openspiel import to_openspiel as openspiel_key
    from towerlab.solver.towers_and_bowers.whole_hand.strategies import InformationSet as InformationSet
    from towerlab.table.commanding import review_all as review_all
    from towerlab.table.commanding import show_all as show
    from towerlab.table.environment import GameEnvironment
    from towerlab.table.review import review_file as review

_ELSEWHERE = {  # imported on use; functions are checked as questions are
    "cite": "analysis.present.answers:cite",
    "InformationSet": "solver.towers_and_bowers.whole_hand.strategies:InformationSet",
    "Study": "analysis.study:Study",
    "StudyResult": "analysis.study:StudyResult",
    "View": "games.towers_and_bowers:View",
    "open_deal_values": "analysis.towers_and_bowers.deal_value:open_deal_values",
    "exploitability": "analysis.towers_and_bowers.exploitability:exploitability",
    "information_set": "analysis.towers_and_bowers.whole_strategies:information_set",
    "information_sets": "analysis.towers_and_bowers.exploitability:all_information_sets",
    "load_game": "sim.towers_and_bowers.openspiel:load_game",
    "matchup": "analysis.towers_and_bowers.exploitability:matchup",
    "openspiel_key": "sim.towers_and_bowers.openspiel:to_openspiel",
    "review": "table.review:review_file",
    "review_all": "table.commanding:review_all",
    "review_boards": "analysis.towie.played:review_boards",
    "show": "table.commanding:show_all",
    "strategy": "analysis.towers_and_bowers.whole_strategies:export_strategy",
    "write_strategy": "analysis.towers_and_bowers.whole_strategies:write_strategy",
}
# `open` is left out, which `from towerlab import *` would put in the place of Python's.
__all__ = [
    "InformationSet", "Study", "StudyResult", "TowerlabError", "View", "__version__", "battle_tower_war",
    "bid_bowers", "bid_towie", "build_tower_war", "bury_bowers", "check", "cite", "claim", "claim_bowers", "claim_many",
    "claim_towie", "compare", "discard", "env", "exploit", "exploitability",
    "information_set", "information_sets", "load_game", "matchup", "move", "move_bowers", "move_many", "move_tower_war",
    "move_towers", "move_towie", "open_deal_values", "openspiel_key", "options", "pick_tower_war", "players", "review",
    "review_all", "review_boards", "rules", "show", "simulate", "solve_bowers", "solve_many", "solve_towers_and_bowers",
    "solve_towie", "split_tower_war", "step_tower_war", "step_towers", "strategy", "studies", "study", "upcard",
    "upcard_many", "value", "write_strategy",
]  # fmt: skip

_TB = "towers-and-bowers"


def _many(name: str, usual: str = _TB) -> Callable[..., "pd.DataFrame"]:
    """The tables of a question, as each game declares it."""

    @check_arguments
    def ask(
        questions: "pd.DataFrame | Sequence[Mapping[str, object]] | str | Path | Any",
        game: str = usual,
        *,
        out: str | Path | None = None,
        options: object = None,
        jobs: Jobs = None,
        resume: bool = False,
        quiet: bool = True,
        **given: Any,
    ) -> "pd.DataFrame":
        """Answer a table of questions: a row each of a frame whose columns are their arguments, or of a file.

        Args:
            questions: a frame, or what one can be made of; its columns are arguments of the game's question, others
                pass through. Or the path of a file: CSV, Parquet, JSON, JSON lines, of bridge deals also PBN and LIN.
            game: as on the command line.
            out: a file to write the answers to as well, by its suffix.
            options: rule options, by name or as `options` returns them.
            jobs: worker processes; None for all cores.
            resume: go on with the `out` of an interrupted run.
            quiet: no progress on stderr.
            given: what a row means that leaves a column empty.

        Returns:
            The same rows with the columns of the answers; ``error`` says what is wrong with a row that has none.

        Raises:
            TowerlabError: no questions, an unknown column, or a game that has no such question.
        """
        from towerlab.analysis.batches import ask_frame
        from towerlab.analysis.catalog import find_game
        from towerlab.analysis.question_rows import BatchQuestion

        declared = getattr(import_module(f"towerlab.commands.{find_game(game).name.replace('-', '_')}"), name, None)
        if declared is None or declared.question.tables is None:
            raise TowerlabError(f"{game} has no such question; expected a game that has")
        batch: BatchQuestion = resolve_name(declared.question.tables)
        if wrong := next((name for name in given if name not in batch.columns), None):
            raise ArgumentError(f"{name}_many takes no {wrong}; {did_you_mean(wrong, batch.columns)}")
        rules = None if options is None else options_of_game(game, options)
        how: dict[str, Any] = {"out": out, "options": rules, "jobs": jobs, "resume": resume, "quiet": quiet}
        return ask_frame(batch, questions, **how, **given)

    ask.__name__ = ask.__qualname__ = f"{name}_many"
    return ask


upcard_many = _many("upcard")
claim_many = _many("claim")
solve_many = _many("solve", "towie")
move_many = _many("move")


@check_arguments
def study(
    game: "str | Study",
    name: str = "",
    out: str | Path = "",
    *,
    options: object = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    resume: bool = False,
    scheduler: str | None = None,
    quiet: bool = False,
    **parameters: object,
) -> "StudyResult":
    """Run a study in parallel, into a folder that survives interruptions.

    Args:
        game, name: of the study; `studies` lists them. A study of your own (`analysis.study.Study`) needs no name.
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
        TowerlabError: no such study, parameter or option, or a folder with other files.
    """
    from towerlab.analysis.catalog import find_study
    from towerlab.analysis.study import Study, parse_parameters, run_study
    from towerlab.games.options import changed_options, typed_text

    chosen = game if isinstance(game, Study) else find_study(game, name)
    if options is not None and not isinstance(options, Mapping):
        options = changed_options(options_of_game(chosen.game, options))
    assigned = [f"{key}={typed_text(value)}" for key, value in parameters.items()]
    rules = [f"{key}={typed_text(value)}" for key, value in (options or {}).items()]
    return run_study(
        chosen,
        Path(out or f"{chosen.game}-{chosen.name}"),
        seed=seed,
        jobs=jobs,
        resume=resume,
        scheduler=scheduler,
        quiet=quiet,
        parameters=parse_parameters(chosen, assigned, rules),
    )


@check_arguments
def env(
    game: str, *, options: object = None, against: Mapping[str, object] | None = None, most_steps: int = 100_000
) -> "GameEnvironment":
    """A game as an environment of PettingZoo (AEC), in which any agents can sit down together.

    An agent says an action word by word (``env.words``); the observation is a dict of ``observation``, float32, made of
    the agent's view, and ``action_mask``. ``env.view(agent)`` is the same as a record, ``env.columns`` says what each
    number is of.

    Args:
        game: as on the command line, such as ``"bowers"``.
        options: rule options, by name or as `options` returns them.
        most_steps: the game is cut off after so many words: random players may never end a game of Bowers.

    Returns:
        The environment. Rewards come at the end: the share of the win minus 1/players, so that they sum to zero.

    Raises:
        TowerlabError: no such game, option, agent or player, or PettingZoo is not installed.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.players import find_player

    entry = find_game(game)
    try:
        from towerlab.table.environment import GameEnvironment
    except ModuleNotFoundError as error:
        raise TowerlabError("PettingZoo is not installed; expected `pip install pettingzoo` first") from error
    rules = options_of_game(game, options)
    seated = {agent: find_player(player, entry) for agent, player in (against or {}).items()}
    return GameEnvironment(entry.load("table"), rules, most_steps, seated)


@check_arguments
def studies(game: str) -> dict[str, str]:
    """The studies of a game, with a line each.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game

    return {name: entry.help for name, entry in find_game(game).load("studies").items()}


@check_arguments
def players(game: str) -> dict[str, str]:
    """The players that `simulate` knows for a game, with a line each.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.players import player_lines

    return player_lines(game)


@check_arguments
def rules(game: str) -> dict[str, str]:
    """The rules of a game in our own words, by id.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.rulebook import read_rules

    return {rule.id: rule.text for rule in read_rules(find_game(game).rules)}


@check_arguments
def options(game: str, **changed: object) -> Any:
    """The rule options of a game, some changed, for the argument `options` of questions and `simulate`.

    >>> options("bowers", target=30).target
    30

    Raises:
        TowerlabError: no such game or option, or a value that it cannot have.
    """
    return options_of_game(game, changed)


if TYPE_CHECKING:
    __version__: str  # with the commit, in a checkout
else:

    def __getattr__(name: str) -> Any:
        if name in _ELSEWHERE:
            member = resolve_name(f"towerlab.{_ELSEWHERE[name]}")
            return globals().setdefault(
                name, member if isinstance(member, type) else check_arguments(member, _TB, name)
            )
        if name != "__version__":
            raise AttributeError(f"module 'towerlab' has no attribute {name!r}")
        from towerlab.analysis.version import exact_version

        return exact_version()


def __dir__() -> list[str]:
    return sorted([*__all__, "open"])
