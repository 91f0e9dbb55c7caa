"""How does a drawing look in light, in dark and on paper?

A token of the palette is a hex code in matplotlib and a CSS variable on the page. Purple means "accept" and good
outcomes, orange "pass" and bad ones, both in four strengths. On the weak strengths (1, 2) text is ink, on the strong
ones (3, 4) it is paper; tests hold the contrast. `inline_svg` makes figures of matplotlib, and SVG of our own, a part
of the page: black becomes `currentColor`, the background stays transparent, ids get the figure's name in front, and
nothing in the text depends on when or where it was drawn::

    with drawing(7.2, 3.4) as (figure, axes):
        axes.bar(names, values, color=colour("accept-3"), hatch="////")
    Figure("outcomes", "What becomes of a hand", figure, …)
"""

import io
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup, escape

from towerlab.analysis.report.page import ReportError
from towerlab.analysis.report.wording import fit

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
    """Return the colour of the number-th series of a figure, from 0."""
    return colour(f"series-{number % 5 + 1}")


def accept_or_pass(gap: float, bounds: Sequence[float]) -> str:
    """Return the token for a gap (value of accept minus value of pass): ``"accept-1"`` .. ``"pass-4"`` or ``"even"``.

    Args:
        gap: any unit; not NaN.
        bounds: four rising absolute gaps, in that unit, at which the strengths 1, 2, 3 and 4 begin.
    """
    strength = sum(abs(gap) >= bound for bound in bounds)
    if strength == 0:
        return "even"
    return f"{'accept' if gap > 0 else 'pass'}-{strength}"


def ink_on(token: str) -> str:
    """Return the token of readable text on a coloured cell: paper on the strong shades, ink on all others."""
    return "paper" if token.endswith(("-3", "-4")) else "ink"


def css_variables() -> str:
    """Return the palette as CSS: dark where the reader's system is, light on paper."""
    light = " ".join(f"--{token}: {colours.light};" for token, colours in PALETTE.items())
    dark = " ".join(f"--{token}: {colours.dark};" for token, colours in PALETTE.items())
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        "@media print { :root { color-scheme: light; } }"
    )


_DRAWING = re.compile(r'.*?<svg\b(?=[^>]*\bviewBox="0 0 ([\d.]+) )([^>]*)>(.*)</svg>\s*', re.S)
_OF_THE_ROOT = re.compile(r'\s(?:xmlns(?::xlink)?|width|height|version|id|baseProfile)="[^"]*"')
_DROPPED = re.compile(r"<(style|metadata|title|desc)\b.*?</\1>", re.S)  # our own title and description take their place
_FORBIDDEN = re.compile(r"<(script|foreignObject|image|a)\b")
_TAG = re.compile(r"(<[^>]*>)")
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r'(?:url\(|href=")#([^)"]+)')
_NAMED = re.compile(r'(\bid="|url\(#|href="#)')
_NO_TURN = re.compile(r' transform="rotate\(-0 [^"]*"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?![\de])")
_FONT_FAMILY = re.compile(r"""(font(?:-family)?:[^;'"]*?)\s*(?:'[^;"]*|DejaVu[^;"]*|sans-serif[^;"]*)""")
_HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", re.I)
_POINTS_TO_PIXELS = 96 / 72

_VARIABLES = {colours.light: f"var(--{token})" for token, colours in PALETTE.items()}
_VARIABLES |= {INK: "currentColor", "#000": "currentColor", "#fff": "var(--paper)"}

_STYLE = Path(__file__).parent / "templates" / "drawing.mplstyle"
_LINES = ("axes.edgecolor", "grid.color", "legend.edgecolor")


@contextmanager
def drawing(width: float = 7.2, height: float = 3.6, **subplots: Any) -> Iterator[tuple[Any, Any]]:
    """A matplotlib figure and its axes in the reports' style.

    Args:
        width, height: the size in inches; 7.2 is the width of the page's text.
        subplots: arguments of `matplotlib.figure.Figure.subplots` (`nrows`, `ncols`, `sharey` …).
    """
    import matplotlib
    from matplotlib.figure import Figure

    style = {**matplotlib.rcParamsDefault, **matplotlib.rc_params_from_file(_STYLE, use_default_template=False)}
    style |= dict.fromkeys(_LINES, colour("line")) | {"backend": "svg"}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(width, height))
        yield figure, figure.subplots(**subplots)


def inline_svg(picture: Any, name: str, title: str, description: str) -> Markup:
    """Return a drawing as SVG to place in a page.

    Args:
        picture: a matplotlib figure, or SVG as text.
        name: the text that goes before every id of the drawing.
        title, description: texts that are read out in place of the picture.

    Raises:
        ReportError: no SVG with a size, or one with a script, a link or a picture from outside.
    """
    text = picture if isinstance(picture, str) else _matplotlib_svg(picture, name)
    if forbidden := _FORBIDDEN.search(text):
        raise ReportError(f"the drawing of figure {name!r} has a <{forbidden[1]}>; expected shapes and text only")
    drawn = _DRAWING.fullmatch(text)
    if drawn is None:
        raise ReportError(
            f"the drawing of figure {name!r} is not SVG with a viewBox; expected viewBox='0 0 WIDTH HEIGHT'"
        )
    width = float(drawn[1]) * (_POINTS_TO_PIXELS if re.search(r'\bwidth="[\d.]+pt"', drawn[2]) else 1)
    parts = _TAG.split(_DROPPED.sub("", drawn[3]))
    parts[::2] = [fit(words) if words.strip() else "" for words in parts[::2]]
    parts[1::2] = [_clean_tag(tag, name) for tag in parts[1::2]]
    shapes = "".join(parts)
    used = {*_REFERENCE.findall(shapes)}
    shapes = _ID.sub(lambda match: match[0] if match[1] in used else "", shapes)
    # Shapes without a colour take the text's.
    return Markup(
        f'<svg{_OF_THE_ROOT.sub("", drawn[2])} role="img" aria-labelledby="{name}-title {name}-desc" '
        f'fill="currentColor" stroke-linejoin="round" style="--width:{width:.0f}px">'
        f'<title id="{name}-title">{escape(fit(title))}</title>'
        f'<desc id="{name}-desc">{escape(fit(description))}</desc>{shapes}</svg>'
    )


def _clean_tag(tag: str, name: str) -> str:
    """Return a tag with prefixed ids, the page's colours and font, and short numbers."""
    tag = _NO_TURN.sub("", _NAMED.sub(rf"\g<1>{name}-", " ".join(tag.split()).replace("xlink:href", "href")))
    tag = _FONT_FAMILY.sub(r"\1 sans-serif", _HEX.sub(lambda code: _VARIABLES.get(code[0].lower(), code[0]), tag))
    if "scale(" in tag:
        return tag
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), tag)


def _matplotlib_svg(figure: Any, name: str) -> str:
    """Return a matplotlib figure as SVG, without a date and on no background; refuse headings that collide."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "towerlab"}):
        titles = (title for axes in figure.axes for title in (axes._left_title, axes.title, axes._right_title))
        headings = [text for text in (*titles, *figure.texts) if text.get_text()]
        if len(headings) > 1:
            figure.draw_without_rendering()  # which places them
        for heading, other in itertools.combinations(headings, 2):
            if heading.get_window_extent().overlaps(other.get_window_extent()):
                words = f"the headings {heading.get_text()!r} and {other.get_text()!r} collide"
                raise ReportError(f"in the chart of figure {name!r} {words}")
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()
