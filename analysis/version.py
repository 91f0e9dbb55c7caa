"""Which towerlab is this, and how is it cited? `exact_version`, with the commit, is what answers and files name."""

from __future__ import annotations

import functools
import importlib.metadata
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

from towerlab.games.errors import TowerlabError, shown

_ROOT: Final = Path(__file__).resolve().parents[1]  # of a checkout; a link in `towerlab/` leads here
_PROJECT: Final = _ROOT / "pyproject.toml"


@functools.cache
def version() -> str:
    """``"1.1.0"``: of the sources that run, whichever version is installed."""
    if _PROJECT.is_file():
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
    return importlib.metadata.version("towerlab")


@functools.cache
def exact_version() -> str:
    """``"1.1.0+g664c9b1"``: version and commit as PEP 440 joins them, ``.edited`` where code has changed since.

    Of the checkout, or of that from which the package was made; the version alone where neither is known.
    """
    if not (_ROOT / ".git").exists():
        packed = _ROOT / "version.txt"
        return packed.read_text(encoding="utf-8") if packed.is_file() else version()
    commit = _git("rev-parse", "--short=7", "HEAD")
    if commit is None:
        return version()
    edited = _git("diff", "--quiet", "HEAD", "--", ":!reports", ":!docs") is None
    return f"{version()}+g{commit}{'.edited' * edited}"


def cite(answer: Any = None) -> str:
    """Return a reference to towerlab as BibTeX, to paste into a paper; its DOI is left open until there is one.

    Args:
        answer: an `analysis.present.answers.Answer` whose number is quoted: the note then names its game, changed rule
            options, hand size, seed and method.

    Raises:
        TowerlabError: `answer` is no answer.

    >>> print(cite().splitlines()[0])
    @software{towerlab,
    """
    note = ""
    if answer is not None:
        if not hasattr(answer, "about"):
            raise TowerlabError(f"{shown(answer)} is no answer; expected what a question or a simulation returned")
        about = answer.about()
        seed = "" if about["seed"] is None else f"seed {about['seed']}"
        cards = f"{about['cards']} cards" if about["cards"] else ""
        note = "; ".join(filter(None, (about["game"], answer.rules, cards, seed, about["method"])))
    fields = {
        "author": "{The towerlab maintainers}",
        "title": "towerlab: exact solvers, {Monte Carlo} studies and strategy reports for five card games",
        "version": exact_version(),
        "note": note,
        "doi": "",
    }
    return "\n".join(["@software{towerlab,", *(f"  {name} = {{{value}}}," for name, value in fields.items()), "}"])


def _git(*words: str) -> str | None:
    """Return git's answer for the checkout; None where it fails or is missing."""
    here = ("git", f"--git-dir={_ROOT / '.git'}", f"--work-tree={_ROOT}")
    try:
        done = subprocess.run([*here, *words], cwd=_ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return None if done.returncode else done.stdout.strip()
