"""Which towerlab is this? `exact_version`, with the commit, is what answers and files name.

The build reads this file by itself, before there is a towerlab: it imports nothing of it.

>>> exact_version().startswith(version())
True
"""

import functools
import importlib.metadata
import subprocess
import tomllib
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]  # of a checkout; a link in `towerlab/` leads here
_PROJECT: Final = _ROOT / "pyproject.toml"


@functools.cache
def version() -> str:
    """Return the version of the sources that run, such as ``"1.1.0"``, even if another one is installed."""
    if _PROJECT.is_file():
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
    return importlib.metadata.version("towerlab")


@functools.cache
def exact_version() -> str:
    """Return ``"1.1.0+g664c9b1"``: version and commit as PEP 440 joins them, ``.edited`` where code has changed since.

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


def _git(*words: str) -> str | None:
    """Return git's answer for the checkout; None where it fails or is missing."""
    here = ("git", f"--git-dir={_ROOT / '.git'}", f"--work-tree={_ROOT}")
    try:
        done = subprocess.run([*here, *words], cwd=_ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return None if done.returncode else done.stdout.strip()
