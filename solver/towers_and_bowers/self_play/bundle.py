"""Which learned policy answers, and what belongs to it: one folder, whose files name each other.

    policy.npz   the policy
    values.csv   how hands of five to seven cards end between two players of it: W(5) to W(7)
    errors.csv   how far values by it may be off, by seat, round and hand size
    bundle.json  the digests of these files and of the rules that the policy learned

A folder of one training has the policy at least; the studies `self-play-values` and `self-play-accuracy` make a folder
with one file more from it. Files that were not made for each other are refused by name.

>>> sorted(stored_bundle().files)
['errors.csv', 'policy.npz', 'values.csv']
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.digest import rules_digest
from towerlab.games.untrusted import read_json
from towerlab.solver.towers_and_bowers.self_play.encoding import INPUTS
from towerlab.solver.towers_and_bowers.self_play.environment import ACTIONS
from towerlab.solver.towers_and_bowers.self_play.network import Policy, read_policy

STORED: Final = Path(__file__).parents[1] / "learned"
POLICY_FILE: Final = "policy.npz"
VALUES_FILE: Final = "values.csv"
ERRORS_FILE: Final = "errors.csv"
BUNDLE_FILE: Final = "bundle.json"
_FILES: Final = (POLICY_FILE, VALUES_FILE, ERRORS_FILE)


@dataclass(frozen=True, eq=False)
class Bundle:
    """A policy with what was measured of it.

    Attributes:
        folder: its folder.
        files: the content of its files by name.
        rules: the digest of the rules that the policy learned.
        policy: it decides.
    """

    folder: Path
    files: Mapping[str, bytes]
    rules: str
    policy: Policy

    @functools.cached_property
    def digest(self) -> str:
        """The digest of all files."""
        return _digest(_manifest(self.files, self.rules))

    @functools.cached_property
    def exact_policy(self) -> Policy:
        """The policy in double precision: its answers do not depend on what else is asked."""
        return self.policy._replace(network=self.policy.network.in_double())

    @property
    def is_current(self) -> bool:
        """Whether the policy learned the rules as they are."""
        return self.rules == rules_digest()

    @property
    def is_stored(self) -> bool:
        """Whether it is the one that ships."""
        return self.folder == STORED

    def rows(self, name: str) -> list[dict[str, str]]:
        """The rows of a CSV file by column; none where it has not been made."""
        return list(csv.DictReader(self.files.get(name, b"").decode().splitlines()))

    def with_file(self, name: str, content: bytes) -> dict[str, bytes]:
        """Return the files of a bundle that has one more, or a newer one; what depends on it is left out."""
        kept = {known: self.files[known] for known in _FILES[: _FILES.index(name)] if known in self.files}
        return bundle_files(kept | {name: content}, self.rules)


def bundle_files(files: Mapping[str, bytes], rules: str = "") -> dict[str, bytes]:
    """Return the files of a bundle, `BUNDLE_FILE` among them.

    Args:
        files: the content of `POLICY_FILE` and, if they were made with it, of the others.
        rules: the digest of the rules that it learned; by default of those as they are.
    """
    return dict(files) | {BUNDLE_FILE: _manifest(files, rules or rules_digest())}


def read_bundle(folder: Path) -> Bundle:
    """Return the bundle of a folder.

    Raises:
        TowerlabError: there is none, or its files were not made for each other.
    """
    if not (folder / BUNDLE_FILE).is_file():
        raise TowerlabError(
            f"{folder} holds no learned policy; expected a folder of `towerlab study towers-and-bowers self-play`"
        )
    manifest = read_json(folder / BUNDLE_FILE, "the files of a learned policy")
    named = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(named, dict) or POLICY_FILE not in named or not set(named) <= set(_FILES):
        raise TowerlabError(f"{folder / BUNDLE_FILE} names no {POLICY_FILE}; expected a file that a study has written")
    files = {}
    for name, digest in named.items():
        path = folder / name
        content = path.read_bytes() if path.is_file() else b""
        if _digest(content) != digest:
            raise TowerlabError(
                f"{path} is not the file that {BUNDLE_FILE} names; expected the files of one training together"
            )
        files[name] = content
    return Bundle(folder, files, str(manifest.get("rules")), policy_of(files[POLICY_FILE], folder / POLICY_FILE))


def current_bundle(folder: Path) -> Bundle:
    """Return the bundle of a folder, of the rules as they are.

    Raises:
        TowerlabError: as `read_bundle`, or it was made for other rules.
    """
    bundle = read_bundle(folder)
    if not bundle.is_current:
        raise TowerlabError(f"{folder} was trained before the rules were edited; expected a training of these rules")
    return bundle


def own_bundle(folder: str) -> Bundle | None:
    """Return the bundle of a folder that the user names, read once until it is written again; None for no name.

    Raises:
        TowerlabError: as `current_bundle`.
    """
    if not folder:
        return None
    written = Path(folder) / BUNDLE_FILE
    return _own_bundle(folder, written.stat().st_mtime_ns if written.is_file() else 0)


@functools.lru_cache(maxsize=4)
def _own_bundle(folder: str, written: int) -> Bundle:
    del written
    return current_bundle(Path(folder))


def policy_of(content: bytes, path: Path) -> Policy:
    """Return the policy in the content of a file.

    Raises:
        TowerlabError: it has none.
    """
    try:
        policy = read_policy(io.BytesIO(content))
        fits = policy.network.hidden[0].weight.shape[0] == INPUTS and len(policy.network.bias) == ACTIONS
    except (OSError, ValueError, LookupError, EOFError, BadZipFile):
        fits = False
    if not fits:
        raise TowerlabError(f"{path} is no policy; expected a {POLICY_FILE} of the study self-play")
    return policy


@functools.cache
def stored_bundle() -> Bundle:
    """Return the bundle that ships."""
    return read_bundle(STORED)


_IN_USE: ContextVar[Bundle | None] = ContextVar("learned policy", default=None)


def bundle_in_use() -> Bundle:
    """Return the bundle that answers: the one that ships, or another within `playing_by`."""
    return _IN_USE.get() or stored_bundle()


def policy_in_use() -> Policy:
    """Return the policy of the bundle that answers."""
    return bundle_in_use().policy


def exact_policy_in_use() -> Policy:
    """As `policy_in_use`, in double precision: its answers do not depend on what else is asked."""
    return bundle_in_use().exact_policy


@contextmanager
def playing_by(bundle: Bundle | None) -> Iterator[None]:
    """Let another bundle answer in this thread; None leaves what is in use."""
    token = _IN_USE.set(bundle or _IN_USE.get())
    try:
        yield
    finally:
        _IN_USE.reset(token)


def _manifest(files: Mapping[str, bytes], rules: str) -> bytes:
    names = {name: _digest(files[name]) for name in _FILES if name in files}
    return (json.dumps({"rules": rules, "files": names}, indent=1) + "\n").encode()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()
