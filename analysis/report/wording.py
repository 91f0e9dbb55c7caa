"""How is text set on every page? Numbers as `present.printed` sets them, code as code, cards with the symbols of suits.

Suits have four colours: black spades, red hearts, blue diamonds, green clubs.

>>> fit("-2.3 of 41"), cards_html(1 << 9)
('−2.3 of 41', Markup('<span class="card c">J♣</span>'))
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from towerlab.analysis.present import printed
from towerlab.analysis.report.page import ReportError
from towerlab.games.cards import NO_TRUMP, SUITS, card_symbol, sorted_cards, suit_of

_OPTION: Final = re.compile(r"(?<![\w/.`&#-])([a-z]+(?:_[a-z0-9]+)+(?:=[\w.]+)?|[a-z]{3,}=[\w.]+)")
_NO_WIDTH: Final = re.compile(r"(?<!\S)(\S+) \((\S+)(?: to |–)\2\)")
_UNFIT: Final = re.compile(r"`|\b(?:nan|inf)\b")
_MARKDOWN: Final = MarkdownIt("zero", {"html": True}).enable(["backticks", "emphasis", "entity", "html_inline", "list"])


def fit(text: str) -> str:
    """Return a text as a page shows it outside of code.

    Raises:
        ReportError: it has a raw backtick, a number that is none, an option's name as a word, an interval of no width.
    """
    shown = printed(text)
    if fault := _UNFIT.search(shown) or _OPTION.search(shown) or _NO_WIDTH.search(shown):
        raise ReportError(f"the page shows what none may show: {fault.group()!r} in {shown.strip()[:60]!r}")
    return shown


def typeset(text: str, *, blocks: bool = False) -> Markup:
    """Return Markdown as HTML: bold words, code, options by name as code; cards and other tags of `Markup` stay.

    Args:
        text: a sentence; plain text is escaped first.
        blocks: whether it is paragraphs and lists.

    >>> typeset("Made by `study --set n=-5`: -5 < 3")
    Markup('Made by <code>study --set n=-5</code>: −5 &lt; 3')
    >>> typeset("rules: deck_size=12")
    Markup('rules: <code>deck_size=12</code>')
    """
    return Markup((_MARKDOWN.render if blocks else _MARKDOWN.renderInline)(str(escape(text))))


def _shown_text(renderer: Any, tokens: Sequence[Any], place: int, *_: Any) -> str:
    parts = _OPTION.split(tokens[place].content)
    parts[::2] = [str(escape(fit(words))) for words in parts[::2]]
    parts[1::2] = [f"<code>{option}</code>" for option in parts[1::2]]
    return "".join(parts)


_MARKDOWN.add_render_rule("text", _shown_text)


def card_html(card: int) -> Markup:
    """Return a card as HTML.

    >>> card_html(9)
    Markup('<span class="card c">J♣</span>')
    """
    suit, name = (SUITS[suit_of(card)].lower(), card_symbol(card)) if card < 52 else ("x", "joker")
    return Markup('<span class="card {}">{}</span>').format(suit, name)


def hand_html(mask: int, up: int | None = None, trump: int = NO_TRUMP, bowers: bool = False) -> Markup:
    """Draw a hand as cards, trumps first, and the up-card."""
    held = Markup().join(card_html(card) for card in sorted_cards(mask, trump, bowers))
    turned = Markup('<span class="up">up {}</span>').format(card_html(up)) if up is not None else ""
    return Markup('<span class="hand">{}{}</span>').format(held, turned)


def cards_html(mask: int, trump: int = NO_TRUMP, bowers: bool = False) -> Markup:
    """Return cards as HTML in a player's order, trumps first."""
    return Markup(" ").join(card_html(card) for card in sorted_cards(mask, trump, bowers))
