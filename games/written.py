"""Records that write themselves as a person would: `repr` shows cards instead of numbers.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Led(Record):
...     hand: Mask
...     card: CardId
>>> Led(hand=1 << 50 | 1 << 22, card=50)
Led(hand=K♠ J♦, card=K♠)
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import Field, fields
from itertools import zip_longest
from typing import Annotated, Any, TypeAlias, cast, get_args, get_origin

from games.cards import NO_TRUMP, SYMBOLS, card_symbol, sorted_cards


def _cards(mask: int) -> str:
    return " ".join(map(card_symbol, sorted_cards(mask)))


def _suit(suit: int) -> str:
    return "NT" if suit == NO_TRUMP else SYMBOLS[suit]


# Types of fields: an int that is written as `Annotated`'s function says. A game may have more (`Annotated[int, text]`).
Mask: TypeAlias = Annotated[int, _cards]
CardId: TypeAlias = Annotated[int, card_symbol]
SuitId: TypeAlias = Annotated[int, _suit]


class Record:
    """Base of frozen dataclasses that write their fields for people."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.__repr__ = Record.__repr__  # type: ignore[method-assign]  # else @dataclass puts its own here

    def __repr__(self) -> str:
        entries = fields(cast("Any", self))  # a dataclass, as every subclass is
        written = (f"{one.name}={_written(getattr(self, one.name), _hint(self, one))}" for one in entries)
        return f"{type(self).__name__}({', '.join(written)})"


def _hint(record: object, field: Field[Any]) -> Any:
    """The type of a field, in the words of the class that names it; None where only type checkers know them."""
    if not isinstance(field.type, str):
        return field.type
    named = next(kind for kind in type(record).__mro__ if field.name in inspect.get_annotations(kind))
    try:
        return eval(field.type, vars(sys.modules[named.__module__]))
    except (NameError, TypeError):
        return None


def _written(value: Any, hint: Any) -> str:
    """A value for people, by the type of its field."""
    inner = get_args(hint)
    if get_origin(hint) is Annotated:
        return "None" if value is None else str(inner[1](value))
    if type(None) in inner:  # X | None
        return _written(value, next(one for one in inner if one is not type(None)))
    if isinstance(value, Mapping):
        key, entry = inner if len(inner) == 2 else (None, None)
        return "{" + ", ".join(f"{_written(k, key)}: {_written(v, entry)}" for k, v in value.items()) + "}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(_written(one, inner[0] if inner else None) for one in sorted(value)) + "}"
    if type(value) in (tuple, list):
        kinds = inner[:1] * len(value) if inner[1:] in ((), (...,)) else inner
        return "(" + ", ".join(_written(one, kind) for one, kind in zip_longest(value, kinds[: len(value)])) + ")"
    if isinstance(value, float):
        return f"{value:.6g}"
    if hasattr(value, "shape") and value.shape:
        return f"array of {' × '.join(map(str, value.shape))}"
    return repr(value)
