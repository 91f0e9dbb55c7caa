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
says what was expected. Nothing that answers is loaded before it is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if not Path(__file__).with_name("games").is_dir():  # a checkout: the packages lie beside this folder, not in it
    __path__.append(str(Path(__file__).parents[1]))

from towerlab.commands.arguments import Jobs, Seed
from towerlab.commands.bowers import bid as bid_bowers
from towerlab.commands.bowers import bury as bury_bowers
from towerlab.commands.bowers import claim as claim_bowers
from towerlab.commands.bowers import move as move_bowers
from towerlab.commands.bowers import solve as solve_bowers
from towerlab.commands.question import as_typed, checked, question, rules_of
from towerlab.commands.tower_war import battle as battle_tower_war
from towerlab.commands.tower_war import build as build_tower_war
from towerlab.commands.tower_war import pick as pick_tower_war
from towerlab.commands.tower_war import split as split_tower_war
from towerlab.commands.tower_war import step as step_tower_war
from towerlab.commands.towers import move as move_towers
from towerlab.commands.towers import step as step_towers
from towerlab.commands.towers_and_bowers import claim, concession, exploit, move, upcard
from towerlab.commands.towers_and_bowers import solve as solve_towers_and_bowers
from towerlab.commands.towie import bid as bid_towie
from towerlab.commands.towie import claim as claim_towie
from towerlab.commands.towie import move as move_towie
from towerlab.commands.towie import solve as solve_towie
from towerlab.games.errors import TowerlabError

if TYPE_CHECKING:
    import pandas as pd

    from towerlab.analysis.claims.certificates import CheckAnswer
    from towerlab.analysis.simulation import SimulationResult
    from towerlab.analysis.simulation.rule_options import Comparison
    from towerlab.analysis.study import Study, StudyResult
    from towerlab.analysis.towers_and_bowers.exploitability.answers import ExploitAnswer
    from towerlab.analysis.towers_and_bowers.exploitability.matchups import Matchup
    from towerlab.analysis.towers_and_bowers.solutions.deal_value import DealValue
    from towerlab.analysis.towers_and_bowers.value import ValueAnswer
    from towerlab.analysis.towers_and_bowers.value_against import ValueAgainst
    from towerlab.games.towers_and_bowers import TowersAndBowersOptions, View
    from towerlab.solver.towers_and_bowers.whole_hand.information_sets import InformationSet
    from towerlab.table.environment import GameEnvironment
    from towerlab.table.review import GameReview
    from towerlab.table.showing import ShownGame

__all__ = [
    "TowerlabError", "battle_tower_war", "bid_bowers", "bid_towie", "build_tower_war", "bury_bowers", "check",
    "claim", "claim_bowers", "claim_many", "claim_towie", "compare", "concession", "deal_values", "env", "exploit",
    "exploitability", "information_set", "information_sets", "kernel", "matchup", "move", "move_bowers",
    "move_many", "move_towers", "move_towie", "options", "pick_tower_war", "players", "review", "review_all",
    "rules", "show", "simulate", "solve_bowers", "solve_many", "solve_towers_and_bowers", "solve_towie",
    "split_tower_war", "step_tower_war", "step_towers", "studies", "study", "upcard", "upcard_many", "value",
    "value_against", "write_strategy",
]  # fmt: skip

_TB = "towers-and-bowers"


@question(_TB, "value:ask_value")
def value(
    cards: int | None = None,
    check: bool = False,
    quiet: bool = True,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "ValueAnswer":
    """The value of dealing a hand of Towers & Bowers, or of every size solved; with `check` checked again.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question(_TB, "value_against:ask_value_against")
def value_against(
    player: object,
    cards: int,
    quiet: bool = True,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "ValueAgainst":
    """What the best bids win from a player, and more than the equilibrium's, in the double-dummy model.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question(_TB, "solutions.deal_value:deal_values")
def deal_values(
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "tuple[DealValue, ...]":
    """W(1), …, W(7) of the perfect-information model, exact.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question(_TB, "exploitability.answers:exploitability")
def exploitability(
    policy: Callable[["InformationSet"], Sequence[float] | Mapping[Any, float]],
    cards: int = 2,
    name: str = "policy",
    quiet: bool = True,
) -> "ExploitAnswer":
    """How exploitable a function is that maps an information set to a probability for each of its `actions`.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question(_TB, "exploitability.matchups:matchup")
def matchup(first: object, second: object, cards: int = 2) -> "Matchup":
    """Two players, of the simulator or your own, or searches, against each other, every deal counted.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question(_TB, "exploitability.strategies:all_information_sets")
def information_sets(cards: int) -> "Iterator[InformationSet]":
    """Every information set with a choice of a hand of so many cards, the up-card a spade.

    A hand of one card has 552 of them, one of two 225,540, one of three 6·10⁷; each stands for all that differ by a
    renaming of suits.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question(_TB, "solutions.strategy_file:information_set")
def information_set(view: "View", renamed: bool = True) -> "InformationSet":
    """The information set of a player of a hand who has this view (`env.view`) and is to bid, to discard or to play.

    With `renamed` its suits are renamed so that the up-card is a spade, as strategies are measured and solved.

    Raises:
        TowerlabError: it is not this player's turn.
    """


@question(_TB, "solutions.strategy_file:write_strategy")
def write_strategy(
    path: str | Path, strategy: "Mapping[InformationSet, Sequence[float] | Mapping[int | str, float]]"
) -> int:
    """Write a strategy as a file that plays (`simulate`) and is measured (`exploit`), and return how many rows it has.

    By information set: how likely each of its actions is, in their order or by action.

    Raises:
        TowerlabError: an action that cannot be done there, or what are no probabilities.
    """


@question("", "analysis.claims.certificates:check_file")
def check(path: str | Path) -> "CheckAnswer":
    """Check the certificate of a claim with a program that shares nothing with the prover but the rules.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question("", "table.review:review_file")
def review(path: str | Path, reference: object = "equilibrium", seats: Sequence[int] | None = None) -> "GameReview":
    """Grade the recorded game of a file: what every decision cost, by seats from 0, all of them by default.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question("", "table.commanding:review_all")
def review_all(
    path: str | Path, reference: object = "equilibrium", seats: Sequence[int] | None = None
) -> "list[GameReview]":
    """Grade every recorded game of a file, as `review` does one.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@question("", "table.commanding:show_all")
def show(path: str | Path) -> "list[ShownGame]":
    """Every recorded game of a file in words, card by card, all hands open.

    Raises:
        TowerlabError: a question that cannot be answered.
    """


@checked
def simulate(
    game: str,
    players: Sequence[object],
    games: int,
    *,
    unit: str | None = None,
    cards: int | None = None,
    where: str = "",
    options: object = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: bool = False,
    until_width: float | None = None,
    until_decided: bool = False,
    transcripts: str | Path | None = None,
) -> "SimulationResult":
    """Let players play a game against each other, seats rotating, and count who wins.

    Args:
        game: as on the command line, such as ``"towers-and-bowers"``.
        players: for every seat a name (`players` lists them), ``"module:Player"``, a strategy file, or a class, object
            or function of your own; one may come twice.
        games: how many units to play; with `until_…` at most so many.
        unit: what is counted; None for the game's usual unit.
        cards: hand size, where the game has several.
        where: a condition on the deals, where the game takes one.
        options: rule options, by name or as `options` returns them.
        seed: of the whole simulation.
        jobs: worker processes, None for all cores; the result does not depend on it.
        quiet: no progress on stderr.
        until_width, until_decided: stop as soon as an interval valid at every look is so narrow, or decides.
        transcripts: play in the engine and write every game to this file.

    Raises:
        TowerlabError: an unknown game, player or unit, or numbers that cannot be.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.simulation import simulate
    from towerlab.analysis.stats import StoppingRule

    return simulate(
        find_game(game),
        players,
        games,
        unit=unit,
        cards=cards,
        where=where,
        options=rules_of(game, options),
        seed=seed,
        jobs=jobs,
        quiet=quiet,
        until=StoppingRule(until_width, until_decided),
        transcripts=None if transcripts is None else Path(transcripts),
    )


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function over numbers and arrays for a player of your own; it may call the kernels of towerlab.

    What a game's kernels are given and return is on the page "Your own player" of the documentation.

    Raises:
        TypeError: what is no function.
    """
    from towerlab.games.own_kernels import own_kernel

    return own_kernel(function)


@checked
def upcard_many(
    questions: "pd.DataFrame | str | Path",
    *,
    out: str | Path | None = None,
    options: object = None,
    jobs: Jobs = None,
    resume: bool = False,
    quiet: bool = True,
    **given: object,
) -> "pd.DataFrame":
    """Up-card questions, a row each: a frame whose columns are the arguments of `upcard`, or a file of them.

    Args:
        questions: columns ``hand``, ``up``, ``seat``, and as far as they are wanted the others; ``id`` and ``note`` may
            stand beside them.
        out: a file to write the answers to as well, by its suffix.
        options: rule options, by name or as `options` returns them.
        jobs: worker processes; None for all cores.
        resume: go on with the `out` of an interrupted run.
        quiet: no progress on stderr.
        given: what a row means that leaves a column empty.

    Returns:
        The same rows with the columns of the answers; ``error`` says what is wrong with a row that has none.

    Raises:
        TowerlabError: no questions, or an unknown column.
    """
    return _ask_many("upcard.asking", _TB, questions, out, options, jobs, resume, quiet, given)


@checked
def claim_many(
    questions: "pd.DataFrame | str | Path",
    game: str = "towers-and-bowers",
    *,
    out: str | Path | None = None,
    options: object = None,
    jobs: Jobs = None,
    resume: bool = False,
    quiet: bool = True,
    **given: object,
) -> "pd.DataFrame":
    """Claims, or concessions where ``concede`` is yes, a row each: as `upcard_many`.

    Args:
        questions: columns named as the arguments of the game's `claim`.
        game: as on the command line.
        out, options, jobs, resume, quiet, given: as of `upcard_many`.

    Raises:
        TowerlabError: as `upcard_many`, or the game has no such question.
    """
    return _ask_many("claims", game, questions, out, options, jobs, resume, quiet, given)


@checked
def solve_many(
    questions: "pd.DataFrame | str | Path",
    game: str = "towie",
    *,
    out: str | Path | None = None,
    options: object = None,
    jobs: Jobs = None,
    resume: bool = False,
    quiet: bool = True,
    **given: object,
) -> "pd.DataFrame":
    """Open hands solved, a row each: as `upcard_many`; a file of bridge deals may also be PBN.

    Args:
        questions: columns named as the arguments of the game's `solve_…`.
        game: as on the command line.
        out, options, jobs, resume, quiet, given: as of `upcard_many`.

    Raises:
        TowerlabError: as `upcard_many`, or the game has no such question.
    """
    return _ask_many("open_hands", game, questions, out, options, jobs, resume, quiet, given)


@checked
def move_many(
    questions: "pd.DataFrame | str | Path",
    game: str = "towers-and-bowers",
    *,
    out: str | Path | None = None,
    options: object = None,
    jobs: Jobs = None,
    resume: bool = False,
    quiet: bool = True,
    **given: object,
) -> "pd.DataFrame":
    """Which card to play, a row each: as `upcard_many`.

    Args:
        questions: columns named as the arguments of the game's `move_…`.
        game: as on the command line.
        out, options, jobs, resume, quiet, given: as of `upcard_many`.

    Raises:
        TowerlabError: as `upcard_many`, or the game has no such question.
    """
    return _ask_many("move", game, questions, out, options, jobs, resume, quiet, given)


def _ask_many(
    place: str,
    game: str,
    questions: "pd.DataFrame | str | Path",
    out: str | Path | None,
    options: object,
    jobs: int | None,
    resume: bool,
    quiet: bool,
    given: Mapping[str, object],
) -> "pd.DataFrame":
    """The tables of a question, which are in that module of the game's package."""
    from towerlab.analysis.batches import Many, ask_frame
    from towerlab.analysis.catalog import find_game

    try:
        tables = import_module(f"towerlab.analysis.{find_game(game).name.replace('-', '_')}.{place}")
    except ModuleNotFoundError:
        raise TowerlabError(f"{game} has no such question; expected a game that has") from None
    rules = None if options is None else rules_of(game, options)
    many: Many = tables.MANY
    return ask_frame(many, questions, out=out, options=rules, jobs=jobs, resume=resume, quiet=quiet, **given)


@checked
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
    from towerlab.analysis.catalog import find_study
    from towerlab.analysis.study import Study, parse_parameters, run_study
    from towerlab.games.options import changed_options

    found = game if isinstance(game, Study) else find_study(game, name)
    if options is not None and not isinstance(options, Mapping):
        options = changed_options(rules_of(found.game, options))
    assigned = [f"{key}={as_typed(given)}" for key, given in parameters.items()]
    chosen = [f"{key}={as_typed(given)}" for key, given in (options or {}).items()]
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


@checked
def compare(
    game: str,
    options: Mapping[str, object] | None = None,
    players: Sequence[str] | None = None,
    *,
    games: int = 2_000,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: bool = False,
) -> "Comparison":
    """Play the same games by the usual rules and by others, and say what changes.

    Args:
        game: as on the command line, such as ``"towers"``.
        options: by name, a value or a list of values; every combination is played. None: each option alone.
        players: a name for every seat; None for novices.
        games: a combination.
        seed, jobs, quiet: as of `simulate`.

    Raises:
        TowerlabError: options or players that cannot be, or rules that the players do not know.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.simulation.rule_options import compare_rules

    each = {name: values if isinstance(values, (list, tuple)) else [values] for name, values in (options or {}).items()}
    assignments = [f"{name}={','.join(map(as_typed, values))}" for name, values in each.items()]
    return compare_rules(find_game(game), assignments, players, games=games, seed=seed, jobs=jobs, quiet=quiet)


@checked
def env(game: str, *, options: object = None, most_steps: int = 100_000) -> "GameEnvironment":
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

    found = find_game(game)
    try:
        from towerlab.table.environment import GameEnvironment
    except ModuleNotFoundError as error:
        raise TowerlabError("PettingZoo is not installed; expected `pip install pettingzoo` first") from error
    return GameEnvironment(found.load("table"), rules_of(game, options), most_steps)


@checked
def studies(game: str) -> dict[str, str]:
    """The studies of a game, with a line each.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game

    return {name: found.help for name, found in find_game(game).load("studies").items()}


@checked
def players(game: str) -> dict[str, str]:
    """The players that `simulate` knows for a game, with a line each.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game

    return dict(find_game(game).load("players"))


@checked
def rules(game: str) -> dict[str, str]:
    """The rules of a game in our own words, by id.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.rulebook import read_rules

    return {rule.id: rule.text for rule in read_rules(find_game(game).rules)}


@checked
def options(game: str, **changed: object) -> Any:
    """The rule options of a game, some changed: what the questions and `simulate` take as `options`.

    >>> options("bowers", target=30).target
    30

    Raises:
        TowerlabError: no such game or option, or a value that it cannot have.
    """
    return rules_of(game, changed)


def __dir__() -> list[str]:
    return sorted(__all__)
