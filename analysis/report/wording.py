"""How text is set on every page: one minus sign, one way to write percents, code as code, no zero with a sign."""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

_MINUS: Final = re.compile(r"(?<![\w\-=.])-(?=\d)")
_SIGNED_ZERO: Final = re.compile(r"(?<![\w.])[−-](?=0(?:\.0+)?(?![\d.]))")
_PERCENT: Final = re.compile(r"(?<=\d)%")
_POINTS: Final = re.compile(r"(?<![\w.])([+−]\d[\d,.]*)\s?%")
_OPTION: Final = re.compile(r"(?<![\w/.`&#-])([a-z]+(?:_[a-z0-9]+)+(?:=[\w.]+)?|[a-z]{3,}=[\w.]+)")
_NO_WIDTH: Final = re.compile(r"(\S+) \((\S+)(?: to |–)\2\)")
_CODE: Final = re.compile(r"`([^`]+)`")
_TAG: Final = re.compile(r"(<code.*?</code>|<[^>]+>)", re.DOTALL)
_UNFIT: Final = re.compile(r"`|\b(?:nan|inf)\b|(?<![\w.])−0(?:\.0+)?(?![\d.])")


def characters(text: str) -> str:
    """Numbers as books print them; a difference of shares is in percentage points (pp).

    >>> characters("-2.3 mt (-4 to -0.0) beside 41%, +4.7% more").replace("\u202f", "_")
    '−2.3 mt (−4 to 0.0) beside 41_%, +4.7_pp more'
    """
    numbers = _POINTS.sub("\\1\u202fpp", _MINUS.sub("−", _SIGNED_ZERO.sub("", text)))
    return _PERCENT.sub("\u202f%", numbers)


def typeset(text: str) -> Markup:
    """A sentence as HTML; what stands between backticks, and options by name, is code. Tags and code of `Markup` stay.

    >>> typeset("Made by `study --set n=-5`: -5 < 3")
    Markup('Made by <code>study --set n=-5</code>: −5 &lt; 3')
    >>> typeset("rules: deck_size=12")
    Markup('rules: <code>deck_size=12</code>')
    """
    if not isinstance(text, Markup):
        text = _CODE.sub(r"<code>\1</code>", str(escape(text)))
    parts = _TAG.split(str(text))
    parts[::2] = [_OPTION.sub(r"<code>\1</code>", characters(words)) for words in parts[::2]]  # between them tags
    return Markup("".join(parts))


def unfit(text: str) -> str | None:
    """The first thing in a shown text that no page may show.

    That is a raw backtick, a number that is none, a signed zero, an option's name as a word, an interval of no width.

    >>> unfit("a cost of −0.00 mt"), unfit("a cost of −0.05 mt")
    ('−0.00', None)
    >>> unfit("every deck_size"), unfit("100 (100–100) of 10 hands"), unfit("99 (98 to 100)")
    ('deck_size', '100 (100–100)', None)
    """
    found = _UNFIT.search(text) or _OPTION.search(text) or _NO_WIDTH.search(text)
    return found and found.group()
