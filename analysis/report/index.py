"""The index of the published pages: `reports/index.html`, made from the pages that lie in its folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from markupsafe import Markup

from analysis.present.answers import version
from analysis.report.render import CSP, check_html, css_variables, template_text, templates
from games.errors import TowerlabError

INDEX_FILE: Final = "index.html"


@dataclass(frozen=True)
class Entry:
    """A page as the index tells of it.

    Attributes:
        address: from the index.
        title: its heading.
        question: what it answers.
        first: the first sentence or two of its answer, where it has one.
    """

    address: str
    title: str
    question: str
    first: str


def write_index(folder: Path, games: Iterable[tuple[str, str]]) -> Path:
    """Write the index of a folder of reports and return its path.

    Args:
        folder: holds a folder a game, each with its ``index.html`` and further pages.
        games: (folder's name, title), in the order in which they are listed; those without pages are left out.

    Raises:
        TowerlabError: there is no page at all.
        ReportError: the index is not sound.
        OSError: the folder cannot be written.
    """
    listed = [(title, entries) for name, title in games if (entries := pages_of(folder, name))]
    if not listed:
        raise TowerlabError(f"{folder} holds no report; expected folders named like the games, each with an index.html")
    html = (
        templates()
        .get_template("index.html.j2")
        .render(
            games=listed,
            csp=Markup(CSP),
            version=version(),
            variables=Markup(css_variables()),
            style=Markup(template_text("style.css")),
        )
    )
    check_html(html, beside={entry.address for _, entries in listed for entry in entries})
    path = folder / INDEX_FILE
    path.write_text(html, encoding="utf-8", newline="\n")
    return path


def pages_of(folder: Path, game: str) -> list[Entry]:
    """The pages of a game: its report first, then further ones by name."""
    further = sorted({*(folder / game).glob("*.html"), *(folder / game).glob(f"*/{INDEX_FILE}")})
    report = folder / game / INDEX_FILE
    return [_entry(folder, path) for path in (report, *(path for path in further if path != report)) if path.is_file()]


def _entry(folder: Path, path: Path) -> Entry:
    reader = _Reader()
    with path.open(encoding="utf-8") as file:
        reader.feed(file.read(200_000))  # the first screen; a page may hold megabytes of data behind it
    found = {name: " ".join("".join(parts).split()) for name, parts in reader.found.items()}
    return Entry(path.relative_to(folder).as_posix(), found["title"], found["question"], found["answer"])


class _Reader(HTMLParser):
    """The heading of a page, its question and the first paragraph of its answer."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {"title": [], "question": [], "answer": []}
        self._inside: str | None = None
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kind = "title" if tag == "h1" else dict(attrs).get("class") if tag == "p" else None
        if self._inside is None and kind in self.found and not self.found[kind]:
            self._inside, self._tag = kind, tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._tag:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.found[self._inside].append(data)
