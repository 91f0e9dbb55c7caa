"""How does a record write itself? As `repr` for people, with cards instead of numbers, and as `to_json` for programs.

The type of a field says how it is written: a `Mask` is cards, a `CardId` one card, a `SuitId` a suit.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Led(Record, keys="game:chess card hand line=hand trick?"):
...     hand: Mask
...     card: CardId
...     trick: int | None = None
>>> led = Led(hand=1 << 50 | 1 << 22, card=50)
>>> led
Led(hand=K♠ J♦, card=K♠, trick=None)
>>> led.to_json()
{'game': 'chess', 'card': 'KS', 'hand': ['KS', 'JD'], 'line': ['KS', 'JD']}
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, ClassVar, TypeAlias, cast, get_args, get_origin, get_type_hints

from towerlab.games.cards import NO_TRUMP, SUITS, SYMBOLS, card_symbol, card_text, card_texts, sorted_cards


def _cards(mask: int) -> str:
    return " ".join(map(card_symbol, sorted_cards(mask)))


def _card_texts(mask: int) -> list[str]:
    return card_texts(sorted_cards(mask))


def _suit(suit: int) -> str:
    return "NT" if suit == NO_TRUMP else SYMBOLS[suit]


def _suit_text(suit: int) -> str:
    return "NT" if suit == NO_TRUMP else SUITS[suit]


_NAMED = 64


def named_card(card: int, suit: int | None) -> int:
    """Return a play as a number: the card, and for a joker that is led and names a suit that suit."""
    return card if suit is None else card + _NAMED * (suit + 1)


def bare_card(play: int) -> int:
    """Return the card of a play."""
    return play % _NAMED


def play_text(play: int) -> str:
    """Return a play in every notation: a card, a joker with the suit it names: ``"X1:D"``."""
    text = card_text(bare_card(play))
    return text if play < _NAMED else f"{text}:{SUITS[play // _NAMED - 1]}"


def play_symbol(play: int) -> str:
    """Return the same for people."""
    return card_symbol(play) if play < _NAMED else play_text(play)


# Types of fields: an int, how people see it and how JSON has it. A game may have more.
Mask: TypeAlias = Annotated[int, _cards, _card_texts]
CardId: TypeAlias = Annotated[int, card_symbol, card_text]
PlayId: TypeAlias = Annotated[int, play_symbol, play_text]
SuitId: TypeAlias = Annotated[int, _suit, _suit_text]


class Record:
    """Base of frozen dataclasses that write their fields.

    Args of a subclass:
        keys: the keys of `to_json`, in order; by default the fields' names. A key is the name of a field or property,
            or says where its value is found (``interval=score.ends``, ``first=rows.0``), or what it always is
            (``game:towers``); with a ``?`` it is left out where there is nothing to say.
    """

    _keys: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, keys: str = "", **given: Any) -> None:
        super().__init_subclass__(**given)
        cls._keys = tuple(keys.split()) or cls._keys
        cls.__repr__ = Record.__repr__  # type: ignore[method-assign]  # else @dataclass puts its own here

    def __repr__(self) -> str:
        kind: type = type(self)
        written = (f"{name}={_as_text(getattr(self, name), _hint(kind, name))}" for name in _names(self))
        return f"{type(self).__name__}({', '.join(written)})"

    def to_json(self) -> dict[str, Any]:
        """Return the object of these `keys`."""
        made: dict[str, Any] = {}
        for key in self._keys or _names(self):
            name, is_said, constant = key.partition(":")
            if is_said:
                made[name] = constant
                continue
            name, _, path = key.rstrip("?").partition("=")
            value = _value_at(self, path or name)
            says_nothing = value is None or value is False or value == {}
            if not (says_nothing and key.endswith("?")):
                made[name] = value
        return made


def _value_at(value: Any, path: str) -> Any:
    """Return what a key holds, as JSON."""
    hint = None
    for step in path.split("."):
        if value is None:
            return None
        kind: type = type(value)
        hint = _hint(kind, step) if isinstance(value, Record) else None
        value = value[int(step)] if step.isdigit() else getattr(value, step)
    return as_json(value, hint)


def as_json(value: Any, hint: Any = None) -> Any:
    """Return a value as JSON has it, by the type of its field; what has no form of its own is its text."""
    if value is None or hasattr(value, "to_json"):
        return None if value is None else value.to_json()
    if get_origin(hint := _not_none(hint)) is Annotated:
        return get_args(hint)[-1](value)
    if isinstance(value, Mapping):
        key, entry = _of_items(hint, 2)
        return {as_json(name, key): as_json(item, entry) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item, kind) for item, kind in zip(value, _of_items(hint, len(value)), strict=True)]
    if hasattr(value, "tolist"):  # of numpy
        return value.tolist()
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _as_text(value: Any, hint: Any) -> str:
    """Return a value for people, by the type of its field."""
    if get_origin(hint := _not_none(hint)) is Annotated:
        return "None" if value is None else str(get_args(hint)[1](value))
    if isinstance(value, Mapping):
        key, entry = _of_items(hint, 2)
        return "{" + ", ".join(f"{_as_text(k, key)}: {_as_text(v, entry)}" for k, v in value.items()) + "}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(_as_text(item, _of_items(hint, 1)[0]) for item in sorted(value)) + "}"
    if type(value) in (tuple, list):
        kinds = _of_items(hint, len(value))
        return "(" + ", ".join(_as_text(item, kind) for item, kind in zip(value, kinds, strict=True)) + ")"
    if isinstance(value, float):
        return f"{value:.6g}"
    if hasattr(value, "shape") and value.shape:
        return f"array of {' × '.join(map(str, value.shape))}"
    return repr(value)


def _names(record: Record) -> list[str]:
    return [field.name for field in fields(cast("Any", record)) if field.repr]  # a dataclass, as every subclass is


@functools.cache
def _hint(kind: Any, name: str) -> Any:
    """Return the type of a field or property."""
    attribute = getattr(kind, name, None)
    getter = getattr(attribute, "fget", None) or getattr(attribute, "func", None)  # of a property, of a cached one
    return get_type_hints(getter or kind, include_extras=True).get("return" if getter else name)


def _not_none(hint: Any) -> Any:
    """X of ``X | None``."""
    inner = get_args(hint)
    is_optional = type(None) in inner and get_origin(hint) is not Annotated
    return next(kind for kind in inner if kind is not type(None)) if is_optional else hint


def _of_items(hint: Any, count: int) -> Sequence[Any]:
    """Return the types of so many items: ``tuple[X, ...]`` and ``list[X]`` have one for all."""
    inner = get_args(hint)
    if inner[1:] in ((), (...,)):
        return [inner[0] if inner else None] * count
    return inner if len(inner) == count else [None] * count
