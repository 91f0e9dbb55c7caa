"""The README's pictures of the published pages: ``python docs/pictures/make.py``, in a checkout, with Chromium."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.oracles.browser import Browser  # noqa: E402

WIDTH, HEIGHT = 940, 700
PICTURES = {  # name → page, what is done on it, what stands at the top
    "look-up": (
        "towers-and-bowers/index.html",
        "document.querySelectorAll('[role=tab]')[5].click();"
        "const cell = document.querySelectorAll('#chart-dealer-6 [data-tells]')[3];"
        "cell.scrollIntoView({block: 'center'}); const box = cell.getBoundingClientRect();"
        "const at = {bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2};"
        "cell.closest('svg').dispatchEvent(new MouseEvent('click', at))",
        "#look-up",
    ),
    "explorer": ("towers-and-bowers/explorer.html", "new Promise(done => setTimeout(done, 3000))", "body"),
}


def main() -> None:
    """Write both beside this file."""
    for name, (page, action, top) in PICTURES.items():
        with Browser(ROOT / "reports" / page) as browser:
            browser.look(width=WIDTH)
            browser.run(action)
            y = browser.run(f"document.querySelector('{top}').getBoundingClientRect().top + scrollY")
            clip = {"x": 0, "y": max(0, y - 16), "width": WIDTH, "height": HEIGHT, "scale": 1}
            shot = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
            (Path(__file__).parent / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
