"""The index of the published pages: `reports/index.html`, made from the pages in its folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.report.render import frame_values, templates
from towerlab.analysis.report.write import MANIFEST_FILE
from towerlab.analysis.whole_files import write_whole
from towerlab.games.errors import TowerlabError

INDEX_FILE: Final = "index.html"


def write_index(folder: Path, games: Iterable[tuple[str, str]]) -> Path:
    """Write the index of a folder of reports and return its path.

    Args:
        folder: holds a folder a game, each with its ``index.html`` and further pages.
        games: (folder's name, title), in the order in which they are listed; those without pages are left out.

    Raises:
        TowerlabError: there is no page at all, or the folder cannot be written.
    """
    listed = [(title, entries) for name, title in games if (entries := pages_of(folder, name))]
    if not listed:
        raise TowerlabError(f"{folder} holds no report; expected folders named like the games, each with an index.html")
    html = templates().get_template("index.html.j2").render(games=listed, **frame_values())
    path = folder / INDEX_FILE
    write_whole(path, html)
    return path


def pages_of(folder: Path, game: str) -> list[dict[str, Any]]:
    """The manifests of a game's pages with their ``address`` from the index: the report first, then others by name."""
    first = folder / game / MANIFEST_FILE
    further = sorted({*(folder / game).glob(f"*-{MANIFEST_FILE}"), *(folder / game).glob(f"*/{MANIFEST_FILE}")})
    return [_page_of(folder, path) for path in (first, *further) if path.is_file()]


def _page_of(folder: Path, path: Path) -> dict[str, Any]:
    manifest = json.loads(path.read_text(encoding="utf-8"))
    page = next(name for name in manifest["files"] if name.endswith(".html"))
    return {**manifest, "address": (path.parent / page).relative_to(folder).as_posix()}
