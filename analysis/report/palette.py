"""Colours that work on white and on black: a token is a hex code in matplotlib and a CSS variable on the page.

Purple means "accept" and good outcomes, orange for "pass" and bad ones, both in four strengths. On the weak
strengths (1, 2) text is ink, on the strong ones (3, 4) it is paper, in either mode; tests hold the contrast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

INK: Final = "#000000"  # text and lines; the page's text colour in either mode
PAPER: Final = "#ffffff"  # the page itself


@dataclass(frozen=True)
class Colour:
    """A colour in light and in dark mode."""

    light: str
    dark: str


PALETTE: Final[dict[str, Colour]] = {
    "paper": Colour(PAPER, "#16161a"),
    "ink": Colour("#1b1b1f", "#ececf1"),
    "muted": Colour("#5d5e66", "#a9abb6"),
    "line": Colour("#85868f", "#777984"),
    "faint": Colour("#f3f2f7", "#222228"),
    "even": Colour("#efeff1", "#2b2b31"),
    "accept-1": Colour("#dcdaec", "#2f2a45"),
    "accept-2": Colour("#b9b1d9", "#4b4175"),
    "accept-3": Colour("#75669f", "#9f90da"),
    "accept-4": Colour("#4b2480", "#d3c9f7"),
    "pass-1": Colour("#fde3bf", "#3d2a16"),
    "pass-2": Colour("#f9bd6d", "#6b430f"),
    "pass-3": Colour("#b55a00", "#e5973a"),
    "pass-4": Colour("#7a3705", "#ffcf94"),
    "series-1": Colour("#5b3f96", "#a996e6"),
    "series-2": Colour("#b05700", "#e99a3c"),
    "series-3": Colour("#12766f", "#57c4bb"),
    "series-4": Colour("#ad2367", "#ee82ae"),
    "series-5": Colour("#33691e", "#9ccc65"),
    "clubs": Colour("#1b6e2e", "#6cc784"),
    "diamonds": Colour("#0b5cad", "#74b3f2"),
    "hearts": Colour("#b3202c", "#f2838b"),
}

# A mark for each series, so that no figure needs its colours; none of dots, whose curves make a drawing of 200 kB.
HATCHES: Final = ("", "////", "----", "xxxx", "||||")


def colour(token: str) -> str:
    """Return the hex code of a token in a drawing, which inlining replaces by the page's variable."""
    return PALETTE[token].light


def series(number: int) -> str:
    """Colour of the number-th series of a figure, from 0."""
    return colour(f"series-{number % 5 + 1}")


def accept_or_pass(gap: float, bounds: Sequence[float]) -> str:
    """The token for a gap (value of accept minus value of pass): ``"accept-1"`` .. ``"pass-4"`` or ``"even"``.

    Args:
        gap: any unit; not NaN.
        bounds: four rising absolute gaps, in that unit, at which the strengths 1, 2, 3 and 4 begin.
    """
    strength = sum(abs(gap) >= bound for bound in bounds)
    if strength == 0:
        return "even"
    return f"{'accept' if gap > 0 else 'pass'}-{strength}"


def ink_on(token: str) -> str:
    """The token of readable text on a coloured cell: paper on the strong shades, ink on all others."""
    return "paper" if token.endswith(("-3", "-4")) else "ink"


def css_variables() -> str:
    """The palette as CSS: dark where the reader's system is, light on paper."""
    light = " ".join(f"--{token}: {colours.light};" for token, colours in PALETTE.items())
    dark = " ".join(f"--{token}: {colours.dark};" for token, colours in PALETTE.items())
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        "@media print { :root { color-scheme: light; } }"
    )
