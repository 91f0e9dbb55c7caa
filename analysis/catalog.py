"""Which games does towerlab play, and where are their parts? Each part is imported on its first use.

A new game needs one entry here; the commands for every game (`simulate`, `study`, `report`, `players`, `options`,
`warmup`) find it by that. docs/extend.md has all the steps.

>>> find_game("towie").title, find_game("towie").rules
('Towie', 'towerlab.games.towie')
"""

import pkgutil
from dataclasses import dataclass, replace
from typing import Any

from towerlab.games.errors import TowerlabError, did_you_mean


@dataclass(frozen=True)
class Game:
    """The places of a game's parts, each as ``"module:name"``; None where the game has no such part.

    Attributes:
        name: the name on the command line and in JSON.
        title: the name for people.
        options: the frozen dataclass of its rule options; ``rules.md`` is in the same package.
        players: mapping of a player's name to a `sim.own_players.KnownPlayer`.
        simulate: a `sim.batch.GameSimulation`.
        studies: mapping of a study's name to an `analysis.study.Study`.
        report: an `analysis.report.studies.Report`.
        puzzles: function (game's name) → the page of puzzles.
        table: a `table.game.TableGame`.
        views: function (lines of a saved game, `table`) → the same as `table.record.replay_views`.
        writes_pbn: whether `table` also writes its games in the Portable Bridge Notation.
        strategy_file: function (path) → a file of probabilities as a player, a `sim.own_players.OwnPlayer`.
        links: function (link) → the linked position; its `question()` returns a command and its options.
        claims: an `analysis.player_knowledge.Seating`, for a game with tricks.
    """

    name: str
    title: str
    options: str
    players: str | None = None
    simulate: str | None = None
    studies: str | None = None
    report: str | None = None
    table: str | None = None
    claims: str | None = None
    strategy_file: str | None = None
    links: str | None = None
    writes_pbn: bool = False
    views: str = "towerlab.table.record:replay_views"
    puzzles: str = "towerlab.web.puzzles:report_of"

    @property
    def rules(self) -> str:
        """The package that holds its rules."""
        return self.options.partition(":")[0]

    def load(self, part: str) -> Any:
        """Return the object behind one of the attributes above.

        Raises:
            TowerlabError: this game has no such part.
        """
        place = getattr(self, part)
        if place is None:
            having = ", ".join(game.name for game in GAMES.values() if getattr(game, part))
            raise TowerlabError(f"{self.name} has no {part.replace('_', ' ')}; expected one of: {having or 'none yet'}")
        return pkgutil.resolve_name(place)


def _game(name: str, title: str, options: str, **own: Any) -> Game:
    """Return a game whose parts are in a package of its name in every layer, but for its `own` places."""
    package = name.replace("-", "_")
    places = {part: f"towerlab.{place.format(package)}" for part, place in _PLACES.items()}
    return Game(name, title, f"towerlab.games.{package}:{options}", **places | own)


_PLACES = {
    "players": "sim.{}:PLAYERS",
    "simulate": "analysis.{}.simulation:SIMULATION",
    "studies": "analysis.{}.studies:STUDIES",
    "report": "analysis.{}.report:REPORT",
    "table": "table.{}:TABLE",
    "claims": "analysis.{}.claims:SEATING",
}
_OWN = "towerlab.analysis.towers_and_bowers"
GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        _game(
            "towers-and-bowers",
            "Towers & Bowers",
            "TowersAndBowersOptions",
            players=f"{_OWN}.simulation:PLAYERS",
            claims=f"{_OWN}.position:SEATING",
            strategy_file=f"{_OWN}.whole_strategies:player_of_file",
            links="towerlab.games.towers_and_bowers.links:read_link",
        ),
        _game("bowers", "Bowers", "BowersOptions"),
        _game("towie", "Towie", "TowieOptions", writes_pbn=True),
        _game("towers", "Towers", "TowersOptions", claims=None),
        _game("tower-war", "Tower War", "TowerWarOptions", claims=None),
    )
}


def find_game(name: str | Game) -> Game:
    """Return the game of that name, or the one that is given itself.

    Raises:
        TowerlabError: no such game; the message offers the nearest name.
    """
    if isinstance(name, Game):
        return name
    if name not in GAMES:
        raise TowerlabError(f"unknown game {name!r}; {did_you_mean(name, GAMES)}")
    return GAMES[name]


def find_study(game: str, name: str) -> Any:
    """Return the study of that name, an `analysis.study.Study`.

    Raises:
        TowerlabError: no such game or study.
    """
    studies = find_game(game).load("studies")
    if name not in studies:
        raise TowerlabError(f"{game} has no study {name!r}; {did_you_mean(name, studies)}")
    return studies[name]


def find_report(game: str, page: str | None = None) -> Any:
    """Return the report of a game, or one more page of it: an `analysis.report.studies.Report`.

    Raises:
        TowerlabError: no such game or page.
    """
    report = find_game(game).load("report")
    pages = {**report.pages, "puzzles": find_game(game).load("puzzles")(game)}
    if page is None:
        return replace(report, pages=pages)
    if page not in pages:
        raise TowerlabError(f"{game} has no page {page!r}; {did_you_mean(page, pages)}")
    return pages[page]
