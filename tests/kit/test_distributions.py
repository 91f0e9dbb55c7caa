"""What is shipped: one package in the wheel, and all that a reader needs in the sdist."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = ("games", "solver", "sim", "analysis", "table", "commands", "web")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], check=True, capture_output=True)
    return folder


def tracked(*places: str) -> set[str]:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", *places], check=True, capture_output=True, text=True)
    return set(listed.stdout.splitlines())


@pytest.mark.slow
def test_the_wheel_holds_one_package_and_every_file_of_it(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {f"towerlab/{name}" for name in tracked(*PACKAGES, "cli.py")} | tracked("towerlab")


@pytest.mark.slow
def test_the_sdist_holds_all_that_is_tracked(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert tracked() - names == set() and names - tracked() == {"PKG-INFO"}
