"""How does a page look after an edit? `python -m towerlab.analysis.report.preview GAME [SECTION]`: the page over small
runs, or a section of it.

The first preview runs the page's studies in small sizes and computes its tables. They stay in the user's cache until
code that they depend on changes, so an edit of the page's prose shows at once. Checks that fail on the small samples
are printed, and do not stop the preview.
"""

import pickle
import sys
from dataclasses import replace
from pathlib import Path

from joblib import wrap_non_picklable_objects

from towerlab.analysis.catalog import find_report
from towerlab.analysis.present.progress import note
from towerlab.analysis.report.page import Page, ReportError, check_that
from towerlab.analysis.report.render import render_page
from towerlab.analysis.report.studies import Report
from towerlab.analysis.whole_files import write_whole
from towerlab.games.cache_folder import cache_root
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import source_digest

_SEED = 2


def preview(game: str, section: str = "") -> Path:
    """Write a page of HTML with all sections of a game's report, or the one of that name, and return its path.

    Raises:
        TowerlabError: no such game or section, or no folder for the tables.
        ReportError: the file of prose cannot be read.
    """
    root = cache_root()
    if root is None:
        raise TowerlabError("no cache folder can be written; expected one in TOWERLAB_CACHE_DIR")
    folder = root / "previews" / game
    page = _page(find_report(game), folder)
    names = [part.name for part in page.sections]
    if section and section not in names:
        raise TowerlabError(f"the page of {game} has no section {section!r}; expected one of: {', '.join(names)}")
    for check in page.checks:
        if not check.holds:
            note(f"does not hold over small runs: {check.claim} ({check.detail})")
    shown = tuple(part for part in page.sections if section in ("", part.name))
    path = folder / "index.html"
    write_whole(path, render_page(replace(page, sections=shown, checks=(check_that("a preview", True),))))
    return path


def _page(report: Report, folder: Path) -> Page:
    """Return the page by its file of prose as it is now, over the values that are stored, or new ones."""
    stored = folder / f"{source_digest(report.build.__module__)}.pickle"
    if not stored.exists():
        page = report.page_of(folder, _SEED, {part.study.name: part.small for part in report.parts}, is_ours=True)
        assert isinstance(page, Page)  # pages without prose are further ones
        for earlier in folder.glob("*.pickle"):
            earlier.unlink()
        write_whole(stored, pickle.dumps(wrap_non_picklable_objects(page.read_again)))
    return pickle.loads(stored.read_bytes())()  # type: ignore[no-any-return]  # ours: the folder is this user's


if __name__ == "__main__":
    try:
        print(preview(*sys.argv[1:3]))
    except (TowerlabError, ReportError, TypeError) as error:
        sys.exit(f"{error}; expected GAME [SECTION]" if isinstance(error, TypeError) else str(error))
