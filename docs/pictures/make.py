"""The README's pictures of a table and of a published page: ``python docs/pictures/make.py``, with Chromium."""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.kit.test_table_browser import FIRST, click, opened, sit_down  # noqa: E402
from tests.oracles.browser import Browser  # noqa: E402
from tests.oracles.serving import free_port, served  # noqa: E402

WIDTH = 940
HEIGHT = 700
CLICKS = 9  # of the first choice: by then some tricks are played


def main() -> None:
    """Write both beside this file."""
    with tempfile.TemporaryDirectory() as made, opened(Path(made), WIDTH) as browser:
        port = free_port()
        with served(Path(made), port):
            sit_down(browser, "towers-and-bowers", Path(made), port)
            for _ in range(CLICKS):
                click(browser, FIRST)
            photograph(browser, "table")
    with Browser(ROOT / "reports" / "towers-and-bowers" / "explorer.html") as browser:
        browser.look(width=WIDTH)
        browser.run("new Promise(done => setTimeout(done, 3000))")
        photograph(browser, "explorer")


def photograph(browser: Browser, name: str) -> None:
    """Write the upper part of the page that is open."""
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
    shot = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    (Path(__file__).parent / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
