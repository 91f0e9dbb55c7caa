"""What does a study keep, so that it can be taken up again and be trusted?

    OUT/manifest.json               the study: game, name, parameters, seed, versions, commit, a hash of these
    OUT/chunks/000012-DIGEST.parquet    chunk 12; the digest of its bytes is part of its name
    OUT/chunks/chunk000012-000000040-DIGEST.npz  a long chunk that is not finished, after 40 steps
    OUT/NAME.parquet, OUT/NAME.csv  the tables; other files of a study under names of its own
    OUT/NAME.npy                    an array that the chunks fill themselves, too large for a table
    OUT/summary.json                the headline numbers, written last

Every file is written under another name and renamed, so that it is whole or missing whenever the process dies. A file
whose bytes do not match the digest in its name was cut short or changed; it counts as missing. Other files in the
folder are left alone. The content does not depend on the time, the machine or the number of workers.

Versions are of packages and of code: every module that the study can reach by imports, towerlab's and the user's own.
The standard library and installed packages count by version, or not at all.

>>> sorted(versions("towerlab.analysis.towers.studies"))
['code', 'numba', 'numpy', 'pandas', 'pyarrow', 'towerlab']
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import io
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from towerlab.analysis.players import FILE
from towerlab.analysis.present import json_value
from towerlab.analysis.present.progress import note
from towerlab.analysis.study.definition import Parameters, Study, StudyResult
from towerlab.analysis.version import exact_version, version
from towerlab.analysis.whole_files import Lock, whole_file
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import source_digest
from towerlab.games.untrusted import read_json

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1  # of the folder; another number is another version
_CHUNK_FILE = re.compile(r"(\d{6,7})-[0-9a-f]{16}\.parquet", re.ASCII)
_CHECKPOINT_FILE = re.compile(r"chunk(\d{6,7})-(\d{9,})(-[0-9a-f]{16})?\.npz", re.ASCII)
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{8}\.part")  # as `whole_file` names them
SECONDS_BETWEEN_CHECKPOINTS = 120.0
CHECKPOINT_BYTES_PER_SECOND = 1e7  # a large state is kept more rarely
_LOCK = ".lock"


_PACKAGES = ("numpy", "numba", "pandas", "pyarrow")
_INSTALLED = {"site-packages", "dist-packages"}
_MAIN = "__main__"


State = Mapping[str, np.ndarray]  # 0-dimensional arrays for numbers


class StudyFolder:
    """One run of one study on disk.

    Args:
        path: the folder.
        study, parameters, seed: the study, parameters and seed of the computation in it.
        chunks: how many chunks it has.
    """

    def __init__(self, path: Path, study: Study, parameters: Parameters, seed: int, chunks: int) -> None:
        self.path = path
        self.chunks = chunks
        self.chunks_path = path / "chunks"
        self._manifest = _describe(study, parameters, seed, chunks)

    # ------------------------------------------------------------------------------------------------------- opening

    @contextmanager
    def open_for_run(self, resume: bool) -> Iterator[None]:
        """Start in an empty folder, or go on in one of the same study; no other run can work there meanwhile.

        Raises:
            TowerlabError: the folder holds something else, or a study without `resume` being asked for, or another
                study than this one; the message names the difference.
            OSError: it cannot be made or written.
        """
        if self.path.exists() and not self.path.is_dir():
            raise TowerlabError(f"{self.path} is a file; expected a folder for the study")
        manifest = self.path / "manifest.json"
        if manifest.exists():
            if not resume:
                raise TowerlabError(f"{self.path} already holds a study; expected --resume or an empty folder")
            self._check_same(_read_manifest(manifest))
        elif not _is_unused(self.path):
            raise TowerlabError(f"{self.path} holds other files and no study; expected an empty or a new folder")
        self.chunks_path.mkdir(parents=True, exist_ok=True)
        held = Lock(self.chunks_path / _LOCK, f"another run is working in {self.path}; expected it to end first")
        try:
            for path in (*self.path.iterdir(), *self.chunks_path.iterdir()):
                if _UNFINISHED.fullmatch(path.name) and path.is_file():
                    path.unlink()
            if not manifest.exists():
                _write(manifest, _json_bytes(self._manifest))
            yield
        finally:
            held.release()

    def holds_same_study(self) -> bool:
        """Return whether the folder has an earlier run of this very study, which can be resumed."""
        try:
            return _first_difference(_read_manifest(self.path / "manifest.json"), self._manifest) is None
        except (OSError, TowerlabError):
            return False

    def _check_same(self, manifest: Mapping[str, Any]) -> None:
        difference = _first_difference(manifest, self._manifest)
        if difference is not None:
            name, theirs, ours = difference
            if name == "versions.code":
                name = "the digest of the study's source code (versions.code)"
            raise TowerlabError(
                f"{self.path} holds another study: {name} is {_short(theirs)} there and {_short(ours)} here; "
                "expected the same, or another folder"
            )

    # -------------------------------------------------------------------------------------------------------- chunks

    def finished_chunks(self) -> tuple[dict[int, Path], int]:
        """Return the files of the chunks that are whole, and how many others were cut short or changed and so removed.

        Raises:
            TowerlabError: a folder or a pipe has the name of a chunk.
        """
        finished = {}
        damaged = 0
        for path in sorted(self.chunks_path.iterdir()):
            named = _CHUNK_FILE.fullmatch(path.name)
            if named is None or int(named[1]) >= self.chunks:
                continue
            if _is_whole(path):
                finished[int(named[1])] = path
            else:
                path.unlink()
                damaged += 1
        return finished, damaged

    def write_chunk(self, chunk: int, frame: pd.DataFrame) -> Path:
        """Keep a finished chunk.

        Raises:
            OSError: the disk is full or cannot be written.
        """
        content = _parquet_bytes(frame)
        path = self.chunks_path / f"{chunk:06d}-{_new_digest(content).hexdigest()}.parquet"
        _write(path, content)
        return path

    # ------------------------------------------------------------------------------------------------------- results

    def progress(self) -> str:
        """Return in words how many chunks a later run with ``--resume`` can use."""
        finished = sum(_CHUNK_FILE.fullmatch(path.name) is not None for path in self.chunks_path.iterdir())
        return f"{finished} of {self.chunks} chunks"

    def write_result(self, result: StudyResult) -> None:
        """The files, the tables as Parquet and CSV, then the summary."""
        for name, content in result.files.items():
            _write(self.path / name, content)
        for name, table in result.tables.items():
            _write(self.path / f"{name}.parquet", _parquet_bytes(table))
            _write(self.path / f"{name}.csv", table.to_csv(index=False, lineterminator="\n").encode())
        _write(self.path / "summary.json", _json_bytes(result.summary))


class Checkpoint:
    """The stored state of a chunk of many minutes.

    Args:
        folder: the study's folder of chunks.
        chunk: number of the chunk.
        quiet: whether `note` says nothing.
    """

    def __init__(self, folder: Path, chunk: int, quiet: bool = True) -> None:
        self._folder = folder
        self._chunk = chunk
        self._quiet = quiet
        self._saved = time.monotonic()

    def latest(self) -> tuple[int, State] | None:
        """Return (steps done, state) of the newest checkpoint that is whole; None without one."""
        for steps, path in reversed(self._files()):
            if _is_whole(path):
                with np.load(path, allow_pickle=False) as arrays:
                    return steps, dict(arrays)
            path.unlink()
        return None

    def offer(self, steps: int, state: State) -> None:
        """Keep this state if the last one is some minutes old; a larger state is kept less often."""
        size = sum(np.asarray(array).nbytes for array in state.values())
        least = max(SECONDS_BETWEEN_CHECKPOINTS, size / CHECKPOINT_BYTES_PER_SECOND)
        if time.monotonic() - self._saved >= least:
            self.keep(steps, state)

    def keep(self, steps: int, state: State) -> None:
        """Keep this state, and the one before it in case this one gets damaged."""
        for _, old in self._files()[:-1]:
            old.unlink()
        path = self._folder / f"chunk{self._chunk:06d}-{steps:09d}.npz"
        with whole_file(path) as unfinished, unfinished.open("wb") as file:  # to disk: a state may be half the memory
            np.savez(file, **{name: np.asarray(array) for name, array in state.items()})  # type: ignore[arg-type]
        path.replace(path.with_stem(f"{path.stem}-{_digest_of(path)}"))
        self._saved = time.monotonic()

    def shared_array(self, name: str, shape: tuple[int, ...]) -> np.memmap[Any, Any]:
        """Return an array NAME.npy with the results, for data too large for a table; each chunk writes its part.

        Made by the first chunk that asks for it, all zero; a chunk that is done again writes its part again.
        """
        path = self._folder.parent / f"{name}.npy"
        if not path.exists():
            unfinished = path.with_name(f".{path.name}.{os.getpid():08x}.part")
            np.lib.format.open_memmap(unfinished, "w+", np.float32, shape).flush()
            with suppress(FileExistsError):  # by a chunk that runs at the same time
                path.hardlink_to(unfinished)
            unfinished.unlink()
        elif not path.is_file():
            raise TowerlabError(f"{path} is no regular file; expected one, or another --out")
        array = np.lib.format.open_memmap(path, "r+")
        if array.shape != shape:
            raise TowerlabError(f"{path} has the shape {array.shape}; expected {shape}, or another --out")
        return array

    def note(self, text: str) -> None:
        """One line on stderr about how far the chunk is."""
        note(text, self._quiet)

    def remove(self) -> None:
        """The chunk is finished."""
        for _, path in self._files():
            path.unlink()

    def _files(self) -> list[tuple[int, Path]]:
        """Return the checkpoints of the chunk by the steps that they have."""
        named = ((_CHECKPOINT_FILE.fullmatch(path.name), path) for path in self._folder.iterdir())
        return sorted((int(match[2]), path) for match, path in named if match and int(match[1]) == self._chunk)


def remove_study(path: Path, result: StudyResult) -> None:
    """Remove from its folder the files of a study that is over, and the folder where it holds nothing else.

    Raises:
        OSError: one of them cannot be removed.
    """
    tables = (f"{name}{suffix}" for name in result.tables for suffix in (".parquet", ".csv"))
    chunks = path / "chunks"
    named = (_CHUNK_FILE, _CHECKPOINT_FILE, re.compile(re.escape(_LOCK)))
    own = [each for each in chunks.iterdir() if any(name.fullmatch(each.name) for name in named)]
    for file in (*own, *(path / name for name in ("manifest.json", "summary.json", *tables, *result.files))):
        if file.is_file():
            file.unlink()
    for folder in (chunks, path):
        with suppress(OSError):  # it holds something of somebody else's
            folder.rmdir()


# ------------------------------------------------------------------------------------------------------------ manifest


def _describe(study: Study, parameters: Parameters, seed: int, chunks: int) -> dict[str, Any]:
    content = {
        "format": FORMAT,
        "made_by": exact_version(),
        "game": study.game,
        "study": study.name,
        "parameters": dict(parameters),
        "seed": seed,
        "chunks": chunks,
        "versions": versions(*study.modules(parameters)),
    }
    content = dict(json.loads(_json_bytes(content)))  # as it will be read back: tuples are lists
    return content | {"hash": _hash(content)}


def _hash(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.blake2b(canonical, digest_size=16).hexdigest()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = read_json(path, "the manifest of a study")
        whole = manifest.get("hash") == _hash({name: value for name, value in manifest.items() if name != "hash"})
    except TowerlabError:
        whole = False
    if not whole:
        raise TowerlabError(f"{path} was changed since the study wrote it; expected the original, or another --out")
    return dict(manifest)


def _first_difference(
    theirs: Mapping[str, Any], ours: Mapping[str, Any], prefix: str = ""
) -> tuple[str, Any, Any] | None:
    """Return (name, their value, our value) of the first entry that differs, looking into nested ones.

    Of the code its digest is compared (`versions`): several commits have the same.
    """
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        if name in ("hash", "made_by") or (name in theirs and name in ours and theirs[name] == ours[name]):
            continue
        left, right = theirs.get(name, "missing"), ours.get(name, "missing")
        if isinstance(left, dict) and isinstance(right, dict):
            return _first_difference(left, right, f"{prefix}{name}.")
        return prefix + name, left, right
    return None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


# --------------------------------------------------------------------------------------------------------------- files


def _is_unused(folder: Path) -> bool:
    """Return whether the folder has only files of a run that died before it wrote its manifest."""
    return all(path.name in ("chunks", _LOCK) or _UNFINISHED.fullmatch(path.name) for path in folder.rglob("*"))


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(content)


def _is_whole(path: Path) -> bool:
    """Return whether a file has the digest in its name.

    Raises:
        TowerlabError: it is a folder or a pipe.
    """
    if not path.is_file():
        raise TowerlabError(f"{path} is no regular file; expected it elsewhere before the study goes on")
    return path.stem.rpartition("-")[2] == _digest_of(path)


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, _new_digest).hexdigest()


def _new_digest(content: bytes = b"") -> Any:
    return hashlib.blake2b(content, digest_size=8)


def _parquet_bytes(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, engine="pyarrow", index=False, compression="zstd")
    return buffer.getvalue()


def _json_bytes(content: Any) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False, default=json_value) + "\n").encode()


# ---------------------------------------------------------------------------------------- versions of packages and code


def versions(*modules: str) -> dict[str, str]:
    """Return versions of the packages, and as ``code`` a digest of the sources that these modules reach.

    Raises:
        TowerlabError: one of the modules is not found here.
    """
    packages = {package: metadata.version(package) for package in _PACKAGES}
    return {"towerlab": version(), **packages, "code": _code_digest(modules)}


def modules_to_send(module: str) -> tuple[str, ...]:
    """Return the modules that another computer must have to run a study: for a script only its imports."""
    path = _user_source(_MAIN) if module == _MAIN else None
    if path is None:
        return (module,) if module != _MAIN else ()
    return tuple(sorted(name for name in set(_imports(path, _MAIN)) if _is_towerlab(name) or _user_source(name)))


def _code_digest(modules: tuple[str, ...]) -> str:
    if len(modules) == 1 and _is_towerlab(modules[0]):
        return source_digest(modules[0])
    sources: dict[str, bytes] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in sources:
            continue
        is_strategy = name.endswith(FILE) and name in modules  # the module pyarrow.parquet is none
        path = Path(name) if is_strategy else _user_source(name)
        if _is_towerlab(name):
            sources[name] = source_digest(name).encode()
        elif path is not None:
            sources[name] = path.read_bytes()
            waiting += _imports(path, name)
        elif name == _MAIN:  # a notebook or the prompt: no text is known
            sources[name] = os.urandom(8)
        elif name in modules:
            raise TowerlabError(f"the module {name} of the study is not found here; expected its folder in PYTHONPATH")
    digest = hashlib.blake2b(digest_size=8)
    for name, source in sorted(sources.items()):
        digest.update(b"%s\0%d\0%s" % (name.encode(), len(source), source))
    return digest.hexdigest()


def _is_towerlab(name: str) -> bool:
    return name.partition(".")[0] == "towerlab"


def _user_source(name: str) -> Path | None:
    """Return the file of a module that the user has written; None of all others."""
    top = name.partition(".")[0]
    if name == _MAIN:
        file = getattr(sys.modules[_MAIN], "__file__", None)
        return Path(file) if file else None
    if top in sys.stdlib_module_names or _is_towerlab(name):
        return None
    for module in dict.fromkeys((top, name)):  # the package first: looking into one imports it
        spec = None
        with suppress(ImportError, ValueError, AttributeError):
            spec = importlib.util.find_spec(module)
        if spec is None:
            return None
        places = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or ())
        if any(_INSTALLED & set(Path(place).parts) for place in places):
            return None
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None


def _imports(path: Path, module: str) -> list[str]:
    """Return every name that a source may import, with the packages these are in; some are no modules."""
    if path.suffix != ".py":
        return []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    if module == _MAIN:
        package = getattr(sys.modules[_MAIN], "__package__", None) or ""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: 1 - node.level or None]
                base = ".".join(filter(None, (*parent, base)))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names += [str(argument.value) for argument in node.args[:1] if isinstance(argument, ast.Constant)]
    parts = [name.split(".") for name in names]
    return [".".join(words[:depth]) for words in parts for depth in range(1, len(words) + 1) if all(words)]
