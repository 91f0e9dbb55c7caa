"""What can a user do wrong? Every such error is a class here. Each message says in one line what is wrong and what was
expected. An error may carry the names of the wrong arguments, so that a form can mark their fields.

>>> with at_fault("trump"):
...     raise TowerlabError("trump='X' is no suit; expected S, H, D, C or NT")
Traceback (most recent call last):
towerlab.games.errors.TowerlabError: trump='X' is no suit; expected S, H, D, C or NT
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known one, else all of them."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"expected one of: {', '.join(names) or 'none yet'}"


_LONGEST_SHOWN = 80
_QUOTED = re.compile(
    rf"""(?<!\w)(['"])(?![\s;,.:)])((?:(?!\1).){{{_LONGEST_SHOWN - 3}}})(?:(?!\1).){{2,}}\1""", re.DOTALL
)
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def strip_controls(text: str) -> str:
    """Return a text without the characters that move a terminal's cursor or change its colours."""
    return _CONTROLS.sub(" ", text)


class TowerlabError(ValueError):
    """A question or an action that cannot be taken; the command line prints its message and exits with 2.

    Args:
        message: the message in one line; what it quotes is cut where it is long.
    """

    def __init__(self, message: str = "") -> None:
        if len(message) > _LONGEST_SHOWN or not message.isprintable():
            message = _QUOTED.sub(r"\1\2…\1", strip_controls(message))
        super().__init__(message)


class CardError(TowerlabError):
    """A card that does not exist, is named twice, or a set of cards of the wrong size."""


class CallError(TowerlabError):
    """A word that is no call of an auction."""


class OptionError(TowerlabError):
    """A rule option that does not exist, or a value it cannot take."""


class DealError(TowerlabError):
    """Conditions on a deal that cannot be read, or that no deal fits."""


class TranscriptError(TowerlabError):
    """A recorded game that cannot be read back; the message names the line."""


class IllegalAction(TowerlabError):
    """An action that the rules do not allow now.

    Args:
        reason: what is wrong and what was expected.
        rule: id of the rule that forbids it, such as ``"TB-18"``.
    """

    def __init__(self, reason: str, rule: str) -> None:
        super().__init__(f"{reason} ({rule})")
        self.reason = reason
        self.rule = rule

    def __reduce__(self) -> tuple[type[IllegalAction], tuple[str, str]]:  # so that workers can send it home
        return type(self), (self.reason, self.rule)


def demand(condition: bool, reason: str, rule: str) -> None:
    """Refuse an action unless the condition holds.

    Raises:
        IllegalAction: with the reason and the rule.
    """
    if not condition:
        raise IllegalAction(reason, rule)


def quote_value(value: object) -> str:
    """Return a value as a message quotes it: on one line and not too long, whatever somebody wrote into a file."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, lists nested as deeply
        return f"{type(value).__name__} too large to print"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def plain_word(text: str) -> str:
    """Return a word in one spelling: ``"Non-dealer"`` becomes ``"nondealer"``."""
    return text.strip().casefold().replace("-", "").replace("_", "").replace(" ", "").replace("\ufe0f", "")


Refusal = TypeVar("Refusal", bound=TowerlabError)
_KEPT = "fields"


def blame(error: Refusal, *fields: str) -> Refusal:
    """Return the error with the names of the wrong arguments, unless it already has some."""
    error.__dict__.setdefault(_KEPT, fields)
    return error


@contextmanager
def at_fault(*fields: str) -> Iterator[None]:
    """Blame these arguments for every error inside."""
    try:
        yield
    except TowerlabError as error:
        blame(error, *fields)
        raise


def fields_of(error: Exception) -> tuple[str, ...]:
    """Return the names of the wrong arguments; empty where the error has none."""
    fields: tuple[str, ...] = error.__dict__.get(_KEPT, ("option",) if isinstance(error, OptionError) else ())
    return fields
