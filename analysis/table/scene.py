"""What one seat sees of a game, as something to draw: rows of cards, towers, facts. Terminal and browser draw the same.

A card is its text (``"JS"``, ``"7"``, ``"X1"``); the empty text is a card face down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

FACE_DOWN: Final = ""


@dataclass(frozen=True)
class Cards:
    """A row of cards.

    Attributes:
        title: whose or what they are.
        cards: their texts, `FACE_DOWN` where the seat may not see one.
        note: said behind the row.
        own: whether it is the hand of the seat itself.
        marked: places of cards that stand out, such as the one that wins the trick.
        labels: said under each card; none or one a card.
    """

    kind: ClassVar = "cards"
    title: str
    cards: tuple[str, ...]
    note: str = ""
    own: bool = False
    marked: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()


class Hand(Cards):
    """The hand of the seat itself."""


@dataclass(frozen=True)
class Block:
    """A section of a tower.

    Attributes:
        text: the card, or what else stands there.
        ends: (column, level) where it stands, from 0; a bridge has two.
        kind: ``"card"``, ``"bridge"``, ``"level"``.
    """

    text: str
    ends: tuple[tuple[int, int], ...]
    kind: str = "card"


@dataclass(frozen=True)
class Towers:
    """Columns of blocks that stand on the ground."""

    kind: ClassVar = "towers"
    title: str
    names: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def height(self) -> int:
        """Levels of the highest column."""
        return max((level + 1 for block in self.blocks for _, level in block.ends), default=0)


@dataclass(frozen=True)
class Facts:
    """Short facts: what is known by name."""

    kind: ClassVar = "facts"
    facts: tuple[tuple[str, str], ...]


Part: TypeAlias = Cards | Towers | Facts


@dataclass(frozen=True)
class Scene:
    """Everything one seat sees.

    Attributes:
        heading: where the game stands, in a line.
        parts: from top to bottom.
        verdict: how the game ended; empty before.
    """

    heading: str
    parts: tuple[Part, ...]
    verdict: str = ""
