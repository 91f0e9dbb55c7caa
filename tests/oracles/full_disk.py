"""Commands on a disk that becomes full: below Python the n-th write into a folder fails, and all after it.

A write is `write` or `pwrite` to a file of the folder, `rename` into it and `mkdir` in it. Of the first write that
fails half is written. One process of its own runs all the commands, as the library must be loaded before Python.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import ROOT

COMPILER = shutil.which("cc")
_LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char folder[PATH_MAX];
static long fails, made;
void watch(const char *path, long number) { strncpy(folder, path, PATH_MAX - 1); fails = number; made = 0; }
long writes(void) { return made; }
static long late(const char *path) { /* how many writes too many that is, from 1 on */
  return *folder && !strncmp(path, folder, strlen(folder)) && ++made >= fails && fails ? made - fails + 1 : 0;
}
static long late_file(int file) {
  char link[64], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, path, PATH_MAX - 1) > 0 ? late(path) : 0;
}
static size_t left(long late, size_t size) { return late == 1 ? size / 2 : late ? 0 : size; }
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define TRY(is_late, call) return (is_late) ? (errno = ENOSPC, -1) : (call)
#define SOME size_t some = left(late_file(file), size)
ssize_t write(int file, const void *data, size_t size) { SOME; TRY(size && !some, REAL(write)(file, data, some)); }
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
  SOME; TRY(size && !some, REAL(pwrite)(file, data, some, at));
}
int rename(const char *old, const char *new) { TRY(late(new), REAL(rename)(old, new)); }
int mkdir(const char *path, mode_t mode) { TRY(late(path), REAL(mkdir)(path, mode)); }
"""
_SERVER = """
import ctypes, io, json, os, signal, sys
from towerlab import cli
disk, path, answers = ctypes.CDLL(None), sys.path[:], os.fdopen(os.dup(1), "w")
os.dup2(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_APPEND), 1), os.dup2(1, 2)
def run(words, folder, stdin, fails):
    signal.alarm(300)
    os.ftruncate(1, 0), os.chdir(folder)
    sys.argv, sys.stdin, sys.path[:] = ["towerlab", *words], io.StringIO(stdin), [*path, folder]
    disk.watch(os.fsencode(os.path.realpath(folder)), fails)
    status = 0
    try:
        cli.main()
    except SystemExit as stop:
        status = int(stop.code or 0)
    sys.stdout.flush(), sys.stderr.flush()
    print(json.dumps([status, disk.writes()]), file=answers, flush=True)
for question in sys.__stdin__:
    run(**json.loads(question))
"""


class Done(NamedTuple):
    """How a command ended, what it printed, and how many writes it tried."""

    status: int
    said: str
    writes: int


@contextmanager
def full_disk(work: Path) -> Iterator[Callable[..., Done]]:
    """Yield what runs a command: words, folder, stdin, and the write from which on all fail; 0 for none."""
    library = work / "full.so"
    said = work / "said"
    source = work / "full.c"
    source.write_text(_LIBRARY)
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=300)
    environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)}
    server = [sys.executable, "-c", _SERVER, said]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(server, env=environment, **pipes) as process:

        def run(words: Sequence[str], folder: Path, stdin: str, fails: int = 0) -> Done:
            question = {"words": words, "folder": str(folder), "stdin": stdin, "fails": fails}
            print(json.dumps(question), file=process.stdin, flush=True)
            status, writes = json.loads(process.stdout.readline() if process.stdout else "")
            return Done(status, said.read_text(), writes)

        yield run
