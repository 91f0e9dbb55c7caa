"""The games that towerlab plays and where each one's parts are, loaded only when asked for.

A new game adds one entry here; the generic commands (`simulate`, `study`, `report`, `players`, `options`, `warmup`)
then know it.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import Any

from games.errors import TowerlabError, did_you_mean


@dataclass(frozen=True)
class Game:
    """Where the parts of a game live, each as ``"module:name"``; None where the game has no such part.

    Attributes:
        name: as on the command line and in JSON.
        title: for people.
        options: the frozen dataclass of its rule options.
        players: mapping of a player's name to one line about him.
        simulate: an `sim.batch.GameSimulation`.
        studies: mapping of a study's name to an `analysis.study.Study` or `IterativeStudy`.
        report: function (folder, *, seed, jobs, quiet) that writes the published report.
        pages: mapping of the names of further pages to such functions.
        warm_up: function () that compiles every kernel of the game.
    """

    name: str
    title: str
    options: str
    players: str | None = None
    simulate: str | None = None
    studies: str | None = None
    report: str | None = None
    pages: str | None = None
    warm_up: str | None = None

    def load(self, part: str) -> Any:
        """The object behind one of the attributes above.

        Raises:
            TowerlabError: this game has no such part.
        """
        place = getattr(self, part)
        if place is None:
            having = ", ".join(game.name for game in GAMES.values() if getattr(game, part))
            raise TowerlabError(f"{self.name} has no {part.replace('_', ' ')}; expected one of: {having or 'none yet'}")
        module, _, name = place.partition(":")
        return getattr(importlib.import_module(module), name)


GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        Game(
            "towers-and-bowers",
            "Towers & Bowers",
            options="games.towers_and_bowers:TowersAndBowersOptions",
            players="sim.towers_and_bowers:PLAYERS",
            simulate="analysis.towers_and_bowers.simulation:SIMULATION",
            studies="analysis.towers_and_bowers.studies:STUDIES",
            report="analysis.towers_and_bowers.report:write_report",
            pages="analysis.towers_and_bowers.report:PAGES",
            warm_up="analysis.towers_and_bowers.studies:warm_up",
        ),
        Game(
            "bowers",
            "Bowers",
            options="games.bowers:BowersOptions",
            players="sim.bowers:PLAYER_HELP",
            simulate="analysis.bowers.simulation:SIMULATION",
            studies="analysis.bowers.studies:STUDIES",
            report="analysis.bowers.report:write_report",
            warm_up="analysis.bowers.simulation:warm_up",
        ),
        Game(
            "towie",
            "Towie",
            options="games.towie:TowieOptions",
            players="sim.towie:PLAYERS",
            simulate="analysis.towie.simulation:SIMULATION",
            studies="analysis.towie.studies:STUDIES",
            report="analysis.towie.publish:publish_report",
            warm_up="analysis.towie.simulation:warm_up",
        ),
        Game(
            "towers",
            "Towers",
            options="games.towers:TowersOptions",
            players="sim.towers.games:PLAYERS",
            simulate="analysis.towers.simulation:SIMULATION",
            studies="analysis.towers.studies:STUDIES",
            report="analysis.towers.report:write_report",
            warm_up="analysis.towers.simulation:warm_up",
        ),
        Game(
            "tower-war",
            "Tower War",
            options="games.tower_war:TowerWarOptions",
            players="analysis.tower_war.simulation:PLAYER_HELP",
            simulate="analysis.tower_war.simulation:SIMULATION",
            studies="analysis.tower_war.studies:STUDIES",
            report="analysis.tower_war.publish:publish_report",
            warm_up="analysis.tower_war.simulation:warm_up",
        ),
    )
}


def find_game(name: str) -> Game:
    """The game of that name.

    Raises:
        TowerlabError: no such game; the message offers the nearest name.
    """
    if name not in GAMES:
        raise TowerlabError(f"unknown game {name!r}; {did_you_mean(name, GAMES)}")
    return GAMES[name]


def find_study(game: str, name: str) -> Any:
    """The study of that name, an `analysis.study.Study` or `IterativeStudy`.

    Raises:
        TowerlabError: no such game or study.
    """
    studies = find_game(game).load("studies")
    if name not in studies:
        raise TowerlabError(f"{game} has no study {name!r}; {did_you_mean(name, studies)}")
    return studies[name]


def find_report(game: str, page: str | None = None) -> Any:
    """The function that writes the report of a game, or one more page of it.

    Raises:
        TowerlabError: no such game or page.
    """
    found = find_game(game)
    if page is None:
        return found.load("report")
    pages = found.load("pages")
    if page not in pages:
        raise TowerlabError(f"{game} has no page {page!r}; {did_you_mean(page, pages)}")
    return pages[page]


def warm_up(name: str | None = None, quiet: bool = False) -> None:
    """Compile the kernels of one game, or of every game that has any.

    Raises:
        TowerlabError: no such game.
    """
    games = [find_game(name)] if name else [game for game in GAMES.values() if game.warm_up]
    for game in games:
        if not quiet:
            print(f"compiling the kernels of {game.title} …", file=sys.stderr, flush=True)
        game.load("warm_up")()
