"""How text is set on every page: one minus sign, one way to write percents, code as code, no zero with a sign."""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

_MINUS: Final = re.compile(r"(?<![\w\-=.])-(?=\d)")
_SIGNED_ZERO: Final = re.compile(r"(?<![\w.])[−-](?=0(?:\.0+)?(?![\d.]))")
_PERCENT: Final = re.compile(r"(?<=\d)%")
_CODE: Final = re.compile(r"`([^`]+)`")
_TAG: Final = re.compile(r"(<code.*?</code>|<[^>]+>)", re.DOTALL)
_UNFIT: Final = re.compile(r"`|\b(?:nan|inf)\b|(?<![\w.])−0(?:\.0+)?(?![\d.])")


def characters(text: str) -> str:
    """Numbers as books print them.

    >>> characters("-2.3 mt (-4 to -0.0) beside 41%").replace("\u202f", "_")
    '−2.3 mt (−4 to 0.0) beside 41_%'
    """
    return _PERCENT.sub("\u202f%", _MINUS.sub("−", _SIGNED_ZERO.sub("", text)))


def typeset(text: str) -> Markup:
    """A sentence as HTML; what stands between backticks is code. Tags and code of `Markup` stay as they are.

    >>> typeset("Made by `study --set n=-5`: -5 < 3")
    Markup('Made by <code>study --set n=-5</code>: −5 &lt; 3')
    """
    if not isinstance(text, Markup):
        text = _CODE.sub(r"<code>\1</code>", str(escape(text)))
    parts = _TAG.split(str(text))
    return Markup("".join(part if place % 2 else characters(part) for place, part in enumerate(parts)))


def unfit(text: str) -> str | None:
    """The first thing in a shown text that no page may show: a raw backtick, a number that is none, a signed zero.

    >>> unfit("a cost of −0.00 mt"), unfit("a cost of −0.05 mt")
    ('−0.00', None)
    """
    found = _UNFIT.search(text)
    return found and found.group()
