"""What is shipped: one package in the wheel, all that a reader needs in the sdist; a checkout without links."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest

import towerlab
from tests.conftest import ROOT, run_python

LINK = "120000"  # as git names the mode of a file that is a symbolic link


def tracked() -> set[str]:
    """The files that git tracks, named as in an sdist: a part of the package lies where the link to it does."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-s"], check=True, capture_output=True, text=True)
    modes = {name: entry.split()[0] for entry, name in (row.split("\t") for row in listed.stdout.splitlines())}
    parts = {Path(name).name for name, mode in modes.items() if mode == LINK}
    assert len(parts) == 8
    files = [name for name, mode in modes.items() if mode != LINK]
    return {f"towerlab/{name}" if name.split("/")[0] in parts else name for name in files}


@pytest.fixture(scope="module")
def without_links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone as git makes it on Windows: each link is a file of text."""
    clone = tmp_path_factory.mktemp("without-links") / "clone"
    subprocess.run(["git", "clone", "-q", "-c", "core.symlinks=false", str(ROOT), str(clone)], check=True)
    assert (clone / "towerlab" / "games").read_text() == "../games"
    return clone


def answer_upcard(package: Path, folder: Path) -> str:
    """The file of the entry point, and an answer, of the `towerlab` in `package` as seen from `folder`."""
    words = ["upcard", "--hand", "JS AS", "--up", "QS", "--seat", "dealer"]
    assert run_python("-m", "towerlab", *words, cwd=folder, PYTHONPATH=str(package)).stdout.startswith("You hold J♠ A♠")
    where = run_python("-c", "from towerlab import cli; print(cli.__file__)", cwd=folder, PYTHONPATH=str(package))
    return where.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("links", [True, False])
def test_wheel_and_sdist_hold_what_git_tracks(links: bool, without_links: Path, tmp_path: Path) -> None:
    """The wheel is built from the checkout, or of one without links from the sdist; it answers when it is unpacked."""
    source, kind = (ROOT, ["--sdist", "--wheel"]) if links else (without_links, [])
    words = ["-m", "build", *kind, "--outdir", str(tmp_path / "built"), str(source)]
    subprocess.run([sys.executable, *words], check=True, capture_output=True, timeout=300)
    (wheel,) = (tmp_path / "built").glob("*.whl")
    (sdist,) = (tmp_path / "built").glob("*.tar.gz")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    parts = [name for name in tracked() if name.startswith("towerlab/")]
    assert sorted(names) == sorted([*parts, "towerlab/version.txt"])
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    beside = {"PKG-INFO", "towerlab/version.txt"} | ({"cli.py"} if links else set())  # to cli.py its link leads
    assert sorted(names) == sorted(tracked() | beside)
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    shown = run_python("-m", "towerlab", "--version", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site")).stdout
    assert shown.removesuffix(".edited\n").rstrip() == f"towerlab {towerlab.__version__}".removesuffix(".edited")
    assert answer_upcard(tmp_path / "site", Path("/")) == str(tmp_path / "site" / "towerlab" / "cli.py")


def test_a_checkout_without_symbolic_links_answers(without_links: Path) -> None:
    assert answer_upcard(without_links, without_links) == str(without_links / "cli.py")


@pytest.mark.slow
def test_a_checkout_without_symbolic_links_runs_its_tests(without_links: Path) -> None:
    words = ["-m", "pytest", "-n", "0", "-q", "tests/kit/test_cards.py"]
    assert " passed" in run_python(*words, cwd=without_links, PYTHONPATH=str(without_links)).stdout


ALL_MODULES = """
import importlib, pathlib, pkgutil, sys, towerlab
for module in pkgutil.walk_packages(towerlab.__path__, "towerlab."):
    importlib.import_module(module.name) if module.name != "towerlab.__main__" else None
for name, module in sorted(sys.modules.items()):
    if getattr(module, "__file__", None) is not None:
        print(name, pathlib.Path(module.__file__).resolve(), sep="\t")
"""


def test_no_file_is_two_modules() -> None:
    """By a link and by the folder behind it."""
    names = defaultdict(list)
    for line in run_python("-c", ALL_MODULES).stdout.splitlines():
        name, _, file = line.partition("\t")
        if "site-packages" not in file and Path(file).is_relative_to(ROOT):
            names[file].append(name)
    assert len(names) > 300 and [several for several in names.values() if len(several) > 1] == []
