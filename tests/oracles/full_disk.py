"""A disk that is full from the n-th write on, below Python: a library that is loaded before libc.

Run as a program, it lets every write of a command fail in turn, in one process::

    LD_PRELOAD=full_disk.so python -m tests.oracles.full_disk FOLDER CASES.json
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long first, count;

void disk_full_from(const char *path, long write) { strcpy(folder, path); first = write; count = 0; }
long disk_writes(void) { return count; }

static int is_ours(const char *path) { return folder[0] && !strncmp(path, folder, strlen(folder)); }

static int is_our_file(int file) {
    char link[64], path[PATH_MAX];
    struct stat status;
    if (!folder[0] || fstat(file, &status) || !S_ISREG(status.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return is_ours(path);
}

static int is_our_path(const char *path) {
    char here[PATH_MAX];
    if (path[0] == '/') return is_ours(path);
    return getcwd(here, sizeof here) && strncat(here, "/", 2) && is_ours(here);
}

static long next(void) { return __sync_add_and_fetch(&count, 1); }
static int refused(void) { errno = ENOSPC; return -1; }
static int is_full(void) { return first && next() >= first; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRITES(name, parameters, arguments, half)                    \
    ssize_t name parameters {                                        \
        long now = is_our_file(file) ? next() : 0;                   \
        if (!first || now < first) return REAL(name) arguments;      \
        if (now == first && size > 1) { size /= 2; return REAL(name) half; } \
        return refused();                                            \
    }
#define CHANGES(name, parameters, arguments, ours) \
    int name parameters { return (ours) && is_full() ? refused() : REAL(name) arguments; }
#define OPENS(name, parameters, arguments, ours)                     \
    int name parameters {                                            \
        mode_t mode = 0;                                             \
        if (flags & (O_CREAT | O_TMPFILE)) {                         \
            va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); \
            if ((flags & O_CREAT) && (ours) && is_full()) return refused(); \
        }                                                            \
        return REAL(name) arguments;                                 \
    }

WRITES(write, (int file, const void *from, size_t size), (file, from, size), (file, from, size))
WRITES(pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at), (file, from, size, at))
WRITES(pwrite64, (int file, const void *from, size_t size, off64_t at), (file, from, size, at), (file, from, size, at))
WRITES(writev, (int file, const struct iovec *from, int size), (file, from, size), (file, from, size))
OPENS(open, (const char *path, int flags, ...), (path, flags, mode), is_our_path(path))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode), is_our_path(path))
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), is_our_path(path))
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), is_our_path(path))
CHANGES(mkdir, (const char *path, mode_t mode), (path, mode), is_our_path(path))
CHANGES(rename, (const char *from, const char *to), (from, to), is_our_path(to))
CHANGES(link, (const char *from, const char *to), (from, to), is_our_path(to))
"""


def build(folder: Path) -> Path:
    """The library, built by gcc."""
    source, library = folder / "full_disk.c", folder / "full_disk.so"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but locks."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def serve() -> tuple[int, str]:
    """A game, a record and the file that the browser is opened with, by requests to the server of the folder."""
    from tests.oracles.serving import visit
    from towerlab.games.errors import TowerlabError
    from towerlab.web import app, guard

    def first_free(folder: Path, game: str) -> Path:
        return next(path for n in range(9) if not (path := folder / f"{game}-{n}.jsonl").exists())

    app.new_file = first_free  # else it is drawn
    server = app.TableServer(Path("out"))
    client, game = visit(server), {"token": server.token, "game": "towers", "against": "novice", "seed": "3"}
    answers = [client.post("/new", data=game), client.post("/record", data={**game, "seat": "1", "begin": ""})]
    acts = [client.post("/table/towers-0/advance", data={**game, "seat": "1", "length": ""}) for _ in range(2)]
    said = [answer.text for answer in answers if answer.status_code != 200]
    assert all(answer.status_code < 500 for answer in (*answers, *acts))
    try:
        guard.write_door(server.tables.folder, 8080, "an address")
    except TowerlabError as error:
        said.append(str(error))
    return int(bool(said)), "\n".join(said)


def report() -> tuple[int, str]:
    """A page with its tables."""
    from tests.kit.test_report import page
    from towerlab.analysis.report.write import write_report

    try:
        write_report(Path("out"), page())
    except OSError as error:
        return 1, str(error)
    return 0, ""


def run(words: Sequence[str], stdin: str = "") -> tuple[int, str]:
    """`towerlab WORDS` in this process: its status, and what it said on stderr; to a person on stdout."""
    from towerlab import cli

    if len(words) == 1:
        return {"serve": serve, "report": report}[words[0]]()
    status, said = 0, io.StringIO()
    shown = said if stdin else io.StringIO()
    sys.argv, sys.stdin = ["towerlab", *words], io.StringIO(stdin)
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
    return status, said.getvalue()


def fail_in_turn(folder: Path, begin: Callable[[], None], do: Callable[[bool], tuple[int, str]], grows: bool) -> int:
    """Let every write below a folder fail, and all after it; how many there are.

    Args:
        begin: puts into the empty folder what lies there before.
        do: the command, or the one that goes on after a failure; its status and what it says.
        grows: whether it appends to its file, which is then as long as it came.
    """
    disk = ctypes.CDLL(None)

    def afresh() -> dict[str, bytes]:
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        begin()
        return files_of(folder)

    afresh()
    assert (answer := do(False))[0] == 0, answer
    whole, write = files_of(folder), 0
    while True:
        write += 1
        before = afresh()
        disk.disk_full_from(os.fsencode(f"{folder}/"), ctypes.c_long(write))
        status, said = do(False)
        made = disk.disk_writes()
        disk.disk_full_from(b"", ctypes.c_long(0))
        after, at = files_of(folder), f"write {write}: {said}"
        assert "Traceback" not in said and "failed inside" not in said, at
        for name, content in before.items():
            kept = after.get(name)
            assert kept in (content, whole[name]) or (grows and kept and kept.startswith(content)), f"{name}, {at}"
        assert status in (0, 1), at
        assert status or after.keys() >= whole.keys() or (grows and "cannot be written" in said), at
        if made < write:
            return write - 1
        if status:
            assert len(said.strip().splitlines()) >= 1, at
            assert not [name for name in after if name.endswith(".part")], (at, [*after])
            assert (again := do(True))[0] == 0, f"{at}; then {again[1]}"
        assert grows or files_of(folder) == whole, at


def main() -> None:
    folder, cases = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    os.chdir(folder)
    for case in cases:

        def begin(case: dict[str, object] = case) -> None:
            for name, text in case["files"].items():  # type: ignore[attr-defined]
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(text)

        def do(resumes: bool, case: dict[str, object] = case) -> tuple[int, str]:
            words = case["then"] if resumes and (folder / case["out"]).exists() else case["words"]  # type: ignore[operator]
            return run(words, case["stdin"])  # type: ignore[arg-type]

        print(case["words"][0], fail_in_turn(folder, begin, do, case["grows"]), flush=True)


if __name__ == "__main__":
    main()
