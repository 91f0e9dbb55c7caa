"""How are files and JSON read that anybody may have written? Read within stated limits, refused in one line.

The one reader of transcripts, certificates, manifests, trainings and tables of questions. A file must be a regular
one (no device and no pipe, which may never end) of at most so many bytes. JSON must be what JSON is: no NaN, no
infinity, no key twice, no half of a surrogate pair; its numbers and its nesting are bounded. `FORMATS` lists the
formats of tables by suffix.

>>> parse_json('{"cards": ["JS"]}')
{'cards': ['JS']}
"""

import codecs
import contextlib
import gzip
import io
import itertools
import json
import math
import os
import re
import stat
import zlib
from pathlib import Path
from typing import Any, Final, NamedTuple

from towerlab.games.errors import TowerlabError

LARGEST_FILE: Final = 20_000_000
"""Bytes of a file, where its reader names no other limit; a long match has a tenth of a million."""
DEEPEST: Final = 100
LONGEST_NUMBER: Final = 40
"""Digits; a seed of the operating system has 39."""


PACKED: Final = ".gz"


class Format(NamedTuple):
    """A format of tables: its name, whether answers are written in it, what it holds and whether it is text."""

    name: str
    is_written: bool = True
    of_deals: bool = False
    is_text: bool = True


FORMATS: Final = {
    ".csv": Format("CSV"),
    ".json": Format("JSON"),
    ".jsonl": Format("JSON lines"),
    ".ndjson": Format("JSON lines"),
    ".parquet": Format("Parquet", is_text=False),
    ".xlsx": Format("Excel", is_written=False, is_text=False),
    ".pbn": Format("PBN", of_deals=True),
    ".lin": Format("LIN", is_written=False, of_deals=True),
}
"""By suffix. Readers, writers and help know no other list; a text may also be packed (`PACKED`)."""


def suffix_of(path: Path) -> str:
    """Return the suffix of a file without its compression: ``".csv"`` of ``hands.CSV.gz``."""
    return next((suffix for suffix in reversed(path.suffixes) if suffix.lower() != PACKED), "").lower()


def formats(of_deals: bool, written: bool = False) -> str:
    """Return the formats of questions, or those of answers, in words: ``".csv, .json or .parquet; .csv.gz"``.

    Args:
        of_deals: whether the questions are about bridge deals.
        written: whether only formats in which answers are written are listed.
    """
    *first, last = (
        suffix if suffix[1:] == format.name.lower() and not format.of_deals else f"{suffix} ({format.name})"
        for suffix, format in FORMATS.items()
        if (of_deals or not format.of_deals) and (format.is_written or not written)
    )
    return f"{', '.join(first)} or {last}; texts also packed ({PACKED})"


class JsonError(TowerlabError):
    """A text that is no JSON, or JSON beyond the limits; the message says why."""


def read_bytes(path: Path, expected: str, largest: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a file.

    Args:
        expected: the words in the message for what it should be: ``"a transcript of JSON lines"``.
        largest: the most bytes that it may have.

    Raises:
        TowerlabError: no such file, not a regular one, or a larger one.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TowerlabError(f"{path} is not a regular file; expected {expected}")
            content = file.read(largest + 1)
    except (OSError, ValueError) as error:  # a ValueError for a name with a zero byte
        if isinstance(error, TowerlabError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise TowerlabError(f"{path} cannot be read: {reason}; expected {expected}") from error
    if len(content) > largest:
        raise TowerlabError(f"{path} is larger than {largest:,} bytes; expected {expected}")
    return content


class Written(NamedTuple):
    """A text as a file holds it: its lines end in a line feed here, in `newline` there."""

    text: str
    encoding: str
    newline: str


def read_text(path: Path, expected: str, largest: int = LARGEST_FILE) -> str:
    """Return the text of a file, of which `read_written` says more; arguments and errors as there."""
    return read_written(path, expected, largest).text


def read_written(path: Path, expected: str, largest: int = LARGEST_FILE, otherwise: str | None = None) -> Written:
    """Return the text of a file in UTF-8, or in UTF-16 with a mark, and how it is written.

    Args:
        path, expected, largest: the arguments of `read_bytes`; a file packed with gzip is held to what it unpacks to.
        otherwise: the encoding of a text that is not UTF-8 and names none itself (``charset=…``), such as
            ``"latin-1"``.

    Raises:
        TowerlabError: as `read_bytes`, or no such text.
    """
    content = read_bytes(path, expected, largest)
    if content.startswith(b"\x1f\x8b"):
        content = _unpack(content, path, expected, largest)
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if is_wide else "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if otherwise is None or is_wide:
            raise TowerlabError(f"{path} is not UTF-8 text; expected {expected}") from None
        encoding = otherwise
        named = re.search(rb"charset=((?:iso-?8859|windows|cp)-?\d+)", content[:1000], re.IGNORECASE)
        if named is not None:
            with contextlib.suppress(LookupError, UnicodeDecodeError):
                content.decode(named[1].decode())
                encoding = named[1].decode()
        text = content.decode(encoding)
    newline = re.search(r"\r\n|\r|\n", text)
    return Written(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, newline[0] if newline else "\n")


def _unpack(content: bytes, path: Path, expected: str, largest: int) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(largest + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TowerlabError(f"{path} cannot be unpacked: {error}; expected {expected}") from None
    if len(unpacked) > largest:
        raise TowerlabError(f"{path} unpacks to more than {largest:,} bytes; expected {expected}")
    return unpacked


def read_json(path: Path, expected: str, largest: int = LARGEST_FILE) -> dict[str, Any]:
    """Return the object that a file of JSON holds; arguments and errors as of `read_bytes`."""
    text = read_text(path, expected, largest)
    try:
        value = parse_json(text)
    except JsonError as error:
        raise TowerlabError(f"{path} is not JSON: {error}; expected {expected}") from error
    if not isinstance(value, dict):
        raise TowerlabError(f"{path} holds no JSON object; expected {expected}")
    return value


def parse_json(text: str) -> Any:
    """Return the value of a text of JSON.

    Raises:
        JsonError: it is none, or beyond the limits of this file.
    """
    try:
        value = json.loads(
            text, parse_int=_whole, parse_float=_decimal, parse_constant=_refuse, object_pairs_hook=_object
        )
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # refuses half a pair, which nothing could print
    except RecursionError:
        raise JsonError(f"nested deeper than {DEEPEST}") from None
    except UnicodeEncodeError:
        raise JsonError("half of a surrogate pair is no text") from None
    except ValueError as error:
        raise JsonError(str(error)) from None
    if text.count("[") + text.count("{") > DEEPEST and not _is_shallow(value):
        raise JsonError(f"nested deeper than {DEEPEST}")
    return value


def _open_at_once(name: str, flags: int) -> int:
    """Also a pipe that nobody writes to."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise JsonError(f"a number of {len(digits):,} digits; expected at most {LONGEST_NUMBER}")
    return int(digits)


def _decimal(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits[:LONGEST_NUMBER])


def _refuse(constant: str) -> Any:
    raise JsonError(f"{constant} is no number of JSON; expected a finite one")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise JsonError("a key stands twice in an object")
    return made


def _is_shallow(value: Any) -> bool:
    """Return whether nothing is nested too deep: level by level, so that no depth can exhaust the stack."""
    level = [value]
    for _ in range(DEEPEST):
        opened = (
            value.values() if isinstance(value, dict) else value for value in level if isinstance(value, (dict, list))
        )
        level = list(itertools.chain.from_iterable(opened))
        if not level:
            return True
    return False
