"""axe-core, the accessibility checker, fetched from the npm registry for the tests that may."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from tests.oracles.browser import Browser

PACKAGE = "axe-core@4"
# Every rule that axe runs by itself, and one that it knows but leaves off.
FINDINGS = """axe.run(document, {resultTypes: ['violations'], rules: {'label-content-name-mismatch': {enabled: true}}})
  .then((result) => result.violations.map((rule) => rule.id + ': ' + rule.nodes.length + ' '
    + rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')))"""


@functools.cache
def _source() -> str:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm to fetch axe-core with")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([npm, "pack", PACKAGE, "--silent"], cwd=folder, capture_output=True, timeout=300)
        packed = next(Path(folder).glob("*.tgz"), None)
        if done.returncode or packed is None:
            pytest.skip("axe-core cannot be fetched from the npm registry")
        with tarfile.open(packed) as archive:
            file = archive.extractfile("package/axe.min.js")
            return file.read().decode()


def axe_findings(browser: Browser) -> list[str]:
    """Return what axe finds in the open page, of any severity."""
    if not browser.run("'axe' in window"):
        browser.run(f"{_source()};0")
    findings: list[str] = browser.run(FINDINGS)
    return findings
