"""Records in which ``"?"`` stands for a card that nobody has told, beside full ones of which they can be views."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action

UNKNOWN: Final = "?"
_COPY: Final = "#"  # equal cards of a pack are told apart by what stands behind it
State = list[tuple[Action, Action]]  # records as they were told, and as they can have been


def exchanged(told: Action, full: Action, swap: Mapping[str, str]) -> Action:
    """A full record with other cards where they were not told."""
    changed: Action = joined(told, full, lambda label: swap.get(label, label))
    return changed


def is_open(told: Any) -> bool:
    """Whether all of a record, or of a value in it, was told."""
    return f'"{UNKNOWN}"' not in json.dumps(told)


def joined(told: Any, full: Any, change: Callable[[str], str]) -> Any:
    """What was told, with what `change` makes of the full record where it was not."""
    if told == UNKNOWN:
        return change(full)
    if isinstance(told, dict):
        return {key: joined(value, full.get(key), change) for key, value in told.items()}
    if isinstance(told, list) and isinstance(full, list):
        return [joined(one, other, change) for one, other in zip(told, full, strict=True)]
    return told if full is None else full


def joined_with(told: Action, full: Action) -> Action:
    """A record that can have been, its cards moved to where they were told; TowerlabError if that has other lengths."""
    made = {**full, **{key: value for key, value in told.items() if is_open(value)}}
    for key, value in told.items():
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            cards = list(full[key])
            if len(value) != len(cards):
                raise TowerlabError(f"{told['action']} has {len(value)} {key}; expected {len(cards)}")
            for place, card in enumerate(value):
                if card != UNKNOWN and card_of(cards[place]) != card:
                    there = next((at for at, one in enumerate(cards) if card_of(one) == card != value[at]), None)
                    if there is None:
                        cards[place] = card
                    else:
                        cards[place], cards[there] = cards[there], cards[place]
            made[key] = cards
    return made


def can_be(told: Action, action: Action) -> bool:
    """Whether an action can be the one of which so much was told."""
    for key, value in told.items():
        other = action.get(key)
        if isinstance(value, list) and isinstance(other, list):
            known = [one for one in value if one != UNKNOWN]
            if len(value) != len(other) or not all(one in other for one in known):
                return False
        elif value not in (UNKNOWN, other):
            return False
    return True


def not_told(told: Any, full: Any) -> Iterator[str]:
    """The cards at the places that were not told."""
    if told == UNKNOWN:
        yield full
    elif isinstance(told, dict):
        for key, value in told.items():
            yield from not_told(value, full.get(key))
    elif isinstance(told, list) and isinstance(full, list):
        for one, other in zip(told, full, strict=True):
            yield from not_told(one, other)


CARD_KEYS: Final = ("card", "cards", "pack", "piles", "decks")


def cards_named(records: Sequence[Action]) -> set[str]:
    """The cards that records name."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.add(card_of(value))
        elif isinstance(value, list):
            for one in value:
                walk(one)

    for record in records:
        for key in CARD_KEYS:
            walk(record.get(key, []))
    return found - {UNKNOWN}


def nothing_told(action: Action) -> Action:
    """A record of which no card has been told."""

    def blank(value: Any) -> Any:
        return [blank(one) for one in value] if isinstance(value, list) else UNKNOWN

    return {key: blank(value) if key in CARD_KEYS else value for key, value in action.items()}


def labels_of(pack: Sequence[str]) -> list[str]:
    """The cards of a pack, equal ones told apart."""
    if len(set(pack)) == len(pack):
        return list(pack)
    seen = Counter[str]()
    labels = []
    for card in pack:
        seen[card] += 1
        labels.append(f"{card}{_COPY}{seen[card]}")
    return labels


def from_engine(action: Action) -> Action:
    """A record whose equal cards of a pack are told apart."""
    return {**action, "pack": labels_of(action["pack"])} if "pack" in action else dict(action)


def to_engine(action: Action) -> Action:
    """A record as the engine reads it."""
    pack = action.get("pack")
    return action if pack is None else {**action, "pack": [card_of(card) for card in pack]}


def card_of(label: str) -> str:
    """The text of a card that may be told apart from equal ones."""
    return label.partition(_COPY)[0]
