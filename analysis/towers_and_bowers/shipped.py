"""Which files ship, and which rules was each made for? The tables of solutions and studies are read here.

Tables are read as texts or as a frame, from ``data/`` or from the user's folder. A study leaves a digest of the rules
(`games.towers_and_bowers.digest`) beside its files, in ``NAME.rules.json``; the learned policy has its own
(`solver.towers_and_bowers.self_play.policies`). A file is not used once the rules have been edited. After an edit that
changes no result, `STAMP` writes the digests again (`stamp`).

>>> sorted(stamp_study_files("bids3"))
['bids3.rules.json']
"""

from __future__ import annotations

import csv
import functools
import json
import os
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from towerlab.analysis.whole_files import write_whole
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.digest import rules_digest
from towerlab.games.untrusted import read_json
from towerlab.solver.towers_and_bowers.self_play.policies import bundle_in_use

if TYPE_CHECKING:
    import pandas as pd

SUFFIX: Final = ".rules.json"
STAMP: Final = "python -m towerlab.analysis.towers_and_bowers.stamp"
STAMP_WORDS: Final = f"; where the edit changes no result, {STAMP} stamps it"
LEARNED_FILE: Final = "policy.npz"  # of the bundle in use
SHIPPED: Final = files("towerlab.analysis.towers_and_bowers").joinpath("data")
MADE_BY: Final = {  # studies, by how the names of their files begin
    "deal_outcomes": "deal-outcomes",
    "exact": "hand-equilibrium",
    "policy": "self-play-distil",
}


def shipped_file(name: str) -> Any:
    """Return a file in ``data/``.

    Raises:
        TowerlabError: the rules were edited since it was made.
    """
    if not is_current(SHIPPED, name):
        raise TowerlabError(f"{other_rules(name)}; its place is {SHIPPED}")
    return SHIPPED.joinpath(name)


def other_rules(name: str, or_not: str = "") -> str:
    """Return why a file is not used, and what makes it again."""
    study = next((study for stem, study in MADE_BY.items() if name.startswith(stem)), "answer-book")
    how = f"towerlab study towers-and-bowers {study} --out DIR makes it again"
    return f"{name} is not used: the rules were edited since it was made{or_not}; {how}{STAMP_WORDS}"


def is_current(folder: Any, name: str) -> bool:
    """Return whether a file was made for the rules as they are; False where nothing says for which."""
    made_for: dict[str, Any] = {}
    for path in sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX)):
        status = path.stat()
        made_for |= _read_stamps(path, status.st_ino, status.st_mtime_ns)
    whole, _, bare = str(made_for.get(name)).partition(" ")
    return whole == rules_digest(with_comments=True) or bare == rules_digest()


def is_learned() -> bool:
    """Return whether the learned policy was made for the rules as they are."""
    return bundle_in_use().is_current


@functools.cache
def _read_stamps(path: Path, file: int, written: int) -> dict[str, Any]:
    """Return the rules that files were made for, read once as long as the file (its number) is not written again."""
    return read_json(path, "which rules files were made for")


def stamp(names: Iterable[str]) -> bytes:
    """Return the content of a ``NAME.rules.json`` for files made now: digests with and without comments."""
    now = f"{rules_digest(with_comments=True)} {rules_digest()}"  # the first is quick to compare
    return (json.dumps(dict.fromkeys(sorted(names), now), indent=0) + "\n").encode()


def stamp_study_files(*stems: str) -> dict[str, bytes]:
    """Return the files that a study leaves beside those that it makes of these names."""
    kinds = (".npz", ".npy", "-up-cards.csv", ".csv")
    return {f"{stem}{SUFFIX}": stamp(stem + kind for kind in kinds) for stem in stems}


def stamp_files(folder: Path, *names: str) -> None:
    """Write that these files of a folder are of the rules as they are."""
    listed = folder / f"all{SUFFIX}"
    known = read_json(listed, "which rules files were made for") if listed.exists() else {}
    known |= json.loads(stamp(names))
    write_whole(listed, json.dumps(known, indent=0, sort_keys=True) + "\n")


LARGEST_STORED: Final = 4  # cards of the largest hands that are solved to the last card
FOLDER_VARIABLE: Final = "TOWERLAB_DATA"
UNSTAMPED: Final = f", or no file *{SUFFIX} beside it says for which"


def data_file(name: str) -> Any:
    """Return a file of that name, the user's before ours; None if there is none, or ours is of rules edited since.

    Raises:
        TowerlabError: the user's is of other rules.
    """
    own = Path(os.environ.get(FOLDER_VARIABLE) or os.devnull)
    if (own / name).is_file():
        if not is_current(own, name):
            raise TowerlabError(f"{own}: {other_rules(name, UNSTAMPED)}")
        return own / name
    return SHIPPED.joinpath(name) if SHIPPED.joinpath(name).is_file() and is_current(SHIPPED, name) else None


def rows_of_file(path: Any) -> list[dict[str, str]]:
    """Return the rows of a CSV file by column."""
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def shipped_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file that ships, by column."""
    return rows_of_file(shipped_file(name))


def shipped_frame(name: str, **how: Any) -> pd.DataFrame:
    """Return a CSV file that ships, read by pandas with these arguments of `read_csv`."""
    import pandas as pd

    with as_file(shipped_file(name)) as file:
        frame: pd.DataFrame = pd.read_csv(file, **how)
    return frame
