"""Drawings for a page: matplotlib figures, or SVG of our own, made into inline SVG that suits light, dark and paper.

    with drawing(7.2, 3.4) as (figure, axes):
        axes.bar(names, values, color=colour("accept-3"), hatch="////")
    Figure("outcomes", "What becomes of a hand", figure, …)

Colours of the palette become the page's variables, black becomes `currentColor`, the background stays transparent,
ids get the figure's name in front, and nothing in the text depends on when or where it was drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup
from towerlab.analysis.report.charts import mend_charts
from towerlab.analysis.report.checks import ReportError
from towerlab.analysis.report.palette import INK, PALETTE
from towerlab.analysis.report.wording import characters

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {"style", "metadata", "title", "desc"}  # our own title and description take their place
_FORBIDDEN = {"script", "foreignObject", "image", "a"}
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?![\de])")
_FONT_FAMILY = re.compile(r"(font(?:-family)?:[^;']*?)\s*(?:'[^;]*|DejaVu[^;]*|sans-serif[^;]*)")
_REFERENCE = re.compile(r"(?:^|url\()#([^)]+)")
_HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", re.I)
_POINTS_TO_PIXELS = 96 / 72

_VARIABLES = {colours.light: f"var(--{token})" for token, colours in PALETTE.items()}
_VARIABLES |= {INK: "currentColor", "#000": "currentColor", "#fff": "var(--paper)"}

_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": PALETTE["line"].light,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "grid.color": PALETTE["line"].light,
    "grid.linewidth": 0.4,
    "hatch.linewidth": 0.8,
    "legend.edgecolor": PALETTE["line"].light,
    "legend.fancybox": False,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "towerlab",
}


@contextmanager
def drawing(width: float = 7.2, height: float = 3.6, **subplots: Any) -> Iterator[tuple[Any, Any]]:
    """A matplotlib figure and its axes in the reports' style.

    Args:
        width, height: in inches; 7.2 is the width of the page's text.
        subplots: as for `matplotlib.figure.Figure.subplots` (`nrows`, `ncols`, `sharey` …).
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **_STYLE, "backend": "svg"}):
        figure = Figure(figsize=(width, height))
        yield figure, figure.subplots(**subplots)


def inline_svg(picture: Any, name: str, title: str, description: str) -> Markup:
    """A drawing as SVG to stand in a page.

    Args:
        picture: a matplotlib figure, or SVG as text.
        name: goes before every id of the drawing.
        title, description: read out in place of the picture.

    Raises:
        ReportError: SVG that cannot be read, has no size, or holds a script, a link or a picture from outside.
    """
    text = picture if isinstance(picture, str) else _matplotlib_svg(picture, name)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ReportError(f"the drawing of figure {name!r} is not SVG: {error}") from None
    _drop_children(root, name)
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = _clean_attributes(element, name)
        if element.text:
            element.text = characters(element.text)
        if _XLINK_HREF in element.attrib:
            element.set("href", element.attrib.pop(_XLINK_HREF))
    _drop_unused_ids(root)
    _frame(root, name, title, description)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _matplotlib_svg(figure: Any, name: str) -> str:
    """What matplotlib draws once it is mended, without a date and on no background."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "towerlab"}):
        mend_charts(figure, name)
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _drop_children(root: ElementTree.Element, name: str) -> None:
    """Take out global styles and metadata; refuse what could run or load something."""
    for parent in list(root.iter()):
        for child in list(parent):
            tag = child.tag.removeprefix(_SVG)
            if tag in _FORBIDDEN:
                raise ReportError(f"the drawing of figure {name!r} has a <{tag}>; expected shapes and text only")
            if tag in _DROPPED:
                parent.remove(child)
        if parent.text and not parent.text.strip():
            parent.text = None
        for child in parent:
            if child.tail and not child.tail.strip():
                child.tail = None


def _clean_attributes(element: ElementTree.Element, name: str) -> dict[str, str]:
    """The attributes with prefixed ids, the page's colours and short numbers."""
    cleaned = {}
    for key, value in element.attrib.items():
        if key == "id":
            value = f"{name}-{value}"
        value = re.sub(r"url\(#", f"url(#{name}-", value)
        if key == _XLINK_HREF or key == "href":
            value = re.sub(r"^#", f"#{name}-", value)
        if key in ("style", "fill", "stroke", "color"):
            value = _HEX.sub(lambda code: _VARIABLES.get(code[0].lower(), code[0]), value)
        if key == "style" and element.tag == "text":
            value = _FONT_FAMILY.sub(r"\1 sans-serif", value)
        if key == "transform" and value.startswith("rotate(-0 "):
            continue
        if "scale" not in value and key != "id":
            value = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
        cleaned[key] = " ".join(value.split())
    return cleaned


def _drop_unused_ids(root: ElementTree.Element) -> None:
    """Keep only the ids that something in the drawing refers to."""
    used = {
        reference
        for element in root.iter()
        for value in element.attrib.values()
        for reference in _REFERENCE.findall(value)
    }
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)


def _frame(root: ElementTree.Element, name: str, title: str, description: str) -> None:
    """Size, role and words of the outermost element; what has no colour of its own is drawn in the text's."""
    box = root.get("viewBox")
    if box is None:
        raise ReportError(f"the drawing of figure {name!r} has no viewBox; expected viewBox='0 0 WIDTH HEIGHT'")
    points = (root.get("width") or "").endswith("pt")
    width = float(box.split()[2]) * (_POINTS_TO_PIXELS if points else 1)
    for attribute in ("width", "height", "version", "id", "baseProfile"):
        root.attrib.pop(attribute, None)
    words = {"title": characters(title), "desc": characters(description)}
    for place, (tag, text) in enumerate(words.items()):
        element = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(place, element)
    root.attrib |= {
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-desc",
        "fill": "currentColor",
        "stroke-linejoin": "round",
        "style": f"--width:{width:.0f}px",
    }
