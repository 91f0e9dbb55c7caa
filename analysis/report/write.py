"""What does a report write? A folder: the page, its tables in a folder of their own, a README and a manifest with
checksums; and the index of the published pages, `reports/index.html`, made from the pages in its folder.

    towerlab report towers --out reports/towers
"""

import hashlib
import importlib.metadata
import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from towerlab.analysis.report import render
from towerlab.analysis.report.page import DEFAULT_RULES, Page, ReportError
from towerlab.analysis.report.wording import typeset
from towerlab.analysis.version import exact_version
from towerlab.analysis.whole_files import whole_file, write_whole
from towerlab.games.errors import TowerlabError

INDEX_FILE: Final = "index.html"


PAGE_FILE: Final = "index.html"
MANIFEST_FILE: Final = "manifest.json"
_TOOLS = ("numpy", "pandas", "pyarrow", "matplotlib", "jinja2")


@dataclass(frozen=True)
class SingleFile:
    """A page that is HTML already, without files but its manifest.

    Attributes:
        html: the whole page as HTML.
        title, question: the same as in `Page`.
        command: the command that makes the page again.
        quantities: the same as in `Page`.
    """

    html: str
    title: str
    question: str
    command: str = ""
    quantities: Mapping[str, float] = field(default_factory=dict)


def render_file(
    package: str,
    name: str,
    most: int,
    title: str,
    question: str,
    command: str,
    quantities: Mapping[str, float],
    **values: object,
) -> SingleFile:
    """Return a page made of the templates ``NAME.html.j2``, ``NAME.css`` and ``NAME.js`` of a package.

    Args:
        package, name: the package, and the name of the template.
        most: how many bytes the page may have.
        title, question, command, quantities: the same as in `SingleFile`.
        values: the template's further variables.

    Raises:
        ReportError: the page is too large.
    """
    frame = render.frame_values(render.template_text(f"{name}.css", package))
    script = Markup(render.template_text(f"{name}.js", package))
    details = {"title": title, "question": question, "command": command, "rules": DEFAULT_RULES}
    html = render.templates(package).get_template(f"{name}.html.j2").render(script=script, **frame, **details, **values)
    if (size := len(html.encode())) > most:
        raise ReportError(f"the {name} page has {size:,} bytes; expected at most {most:,}")
    return SingleFile(html, title, question, command, quantities)


def write_file(folder: Path, page: SingleFile) -> Path:
    """Write such a page and return its path, a file named like the folder of a report.

    Its manifest is ``NAME-manifest.json`` in the same folder.

    Raises:
        OSError: the file cannot be written.
    """
    path = folder.with_name(f"{folder.name}.html")
    manifest: dict[str, Any] = {"title": page.title, "question": page.question, "command": page.command}
    manifest |= {"quantities": dict(page.quantities), "versions": _made_with()}
    with whole_file(path) as unfinished:
        _write(unfinished, page.html)
        content = _json(manifest | {"files": {path.name: _fingerprint(unfinished)}})
        write_whole(folder.with_name(f"{folder.name}-{MANIFEST_FILE}"), content)
    return path


def write_report(folder: Path, page: Page) -> Path:
    """Write a report and return the path of its page.

    Everything is made in a temporary folder first and then moved into place, the page last: readers see the old report
    or the new one, and an error leaves the old one unchanged. Files of an earlier report (by its manifest) that this
    one no longer has are removed; other files in the folder stay.

    Args:
        folder: the folder of the report; made if missing.
        page: the page; every table of it, those of figures included, is written under its name.

    Raises:
        ReportError: the page is not fit to be published (see `analysis.report.render.render_page`).
        OSError: the folder cannot be written.
    """
    html = render.render_page(page)
    frames = {table.name: table.frame for table in page.tables()}
    earlier = _files_of_manifest(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as temporary:
        new = Path(temporary)
        about = {
            "page": page.title,
            "towerlab": exact_version(),
            "made by": page.command,
            "seeds": json.dumps(page.sources, default=str),
        }
        context = {"page": page, "frames": frames, "columns": render.write_tables(new, frames, page.tables(), about)}
        _write(new / PAGE_FILE, html)
        for file in ("README.md", render.COLUMNS_FILE):
            _write(new / file, render.templates().get_template(f"{Path(file).name}.j2").render(context))
        _write(new / MANIFEST_FILE, _manifest(page, new))
        (folder / render.FOLDER).mkdir(exist_ok=True)
        names = sorted(_files(new), key=lambda name: (name == PAGE_FILE, name))
        for name in names:
            (new / name).replace(folder / name)
    for name in earlier - set(names):
        (folder / name).unlink(missing_ok=True)
    return folder / PAGE_FILE


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _manifest(page: Page, folder: Path) -> str:
    """Return everything that the bytes of the report depend on, and their checksums; it has no date."""
    manifest: dict[str, Any] = {
        "title": page.title,
        "question": page.question,
        "answer": typeset(page.answer[0]).striptags(),
        "command": page.command,
        "sources": dict(page.sources),
        "versions": _made_with(),
        "checks": [check.claim for check in page.checks],
        "quantities": dict(page.quantities),
        "files": {name: _fingerprint(folder / name) for name in _files(folder)},
    }
    return _json(manifest)


def _made_with() -> dict[str, str]:
    return {"towerlab": exact_version()} | {tool: importlib.metadata.version(tool) for tool in _TOOLS}


def _fingerprint(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _files(folder: Path) -> list[str]:
    """Return the names of all files of a report, those of the tables with their folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, default=str) + "\n"


def _files_of_manifest(folder: Path) -> set[str]:
    """Return the files of an earlier report in a folder; none if its manifest cannot be read."""
    try:
        files = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))["files"]
        return {name for name in files if name in (Path(name).name, f"{render.FOLDER}/{Path(name).name}")}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def write_index(folder: Path, games: Iterable[tuple[str, str]]) -> Path:
    """Write the index of a folder of reports and return its path.

    Args:
        folder: the folder that holds a folder a game, each with its ``index.html`` and further pages.
        games: (folder's name, title), in the order in which they are listed; those without pages are left out.

    Raises:
        TowerlabError: there is no page at all, or the folder cannot be written.
    """
    listed = [(title, entries) for name, title in games if (entries := pages_of(folder, name))]
    if not listed:
        raise TowerlabError(f"{folder} holds no report; expected folders named like the games, each with an index.html")
    html = render.templates().get_template("index.html.j2").render(games=listed, **render.frame_values())
    path = folder / INDEX_FILE
    write_whole(path, html)
    return path


def pages_of(folder: Path, game: str) -> list[dict[str, Any]]:
    """Return the manifests of a game's pages with their ``address`` from the index, the report first."""
    first = folder / game / MANIFEST_FILE
    further = sorted({*(folder / game).glob(f"*-{MANIFEST_FILE}"), *(folder / game).glob(f"*/{MANIFEST_FILE}")})
    return [_page_of(folder, path) for path in (first, *further) if path.is_file()]


def _page_of(folder: Path, path: Path) -> dict[str, Any]:
    manifest = json.loads(path.read_text(encoding="utf-8"))
    page = next(name for name in manifest["files"] if name.endswith(".html"))
    return {**manifest, "address": (path.parent / page).relative_to(folder).as_posix()}
