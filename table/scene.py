"""What does one seat see, as something to draw? Rows of cards, towers, facts. Terminal and browser draw the same.

A card is its text (``"JS"``, ``"7"``, ``"X1"``); the empty text is a card face down.

    towerlab play towers
"""

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from towerlab.analysis.present import capital
from towerlab.games.cards import NO_TRUMP, bower_cards, card_text, effective_suit, mask_cards
from towerlab.games.errors import TowerlabError

FACE_DOWN: Final = ""
BOTTOM = "bottom"
LEFT = "left"
TOP = "top"
RIGHT = "right"
MIDDLE = "middle"
LAST = "last"
ASIDE = "aside"
_AROUND: Final = {3: (BOTTOM, LEFT, RIGHT), 4: (BOTTOM, LEFT, TOP, RIGHT)}


def side_of(step: int, seats: int) -> str:
    """Return the side of the table for the player who sits `step` places to one's left."""
    step %= seats
    return _AROUND[seats][step] if seats in _AROUND else TOP if step else BOTTOM


@contextlib.contextmanager
def counting_from_one() -> Iterator[None]:
    """An engine's complaint, in which players count from 0, in the words of people."""
    try:
        yield
    except TowerlabError as error:
        raise TowerlabError(re.sub(r"(?<=player )\d+", lambda seat: str(int(seat[0]) + 1), str(error))) from error


def trump_names(trump: int, deck: int, bowers: bool) -> dict[str, str]:
    """Return the name of each trump of a deck: ``"trump"``, ``"right bower"`` or ``"left bower"``."""
    highest = {}
    if bowers and trump != NO_TRUMP:
        highest = dict(zip(bower_cards(trump), ("right bower", "left bower"), strict=True))
    trumps = (card for card in mask_cards(deck) if effective_suit(card, trump, bowers) == trump)
    return {card_text(card): highest.get(card, "trump") for card in trumps}


@dataclass(frozen=True)
class Cards:
    """A row of cards.

    Attributes:
        title: the words for whose or what cards they are.
        cards: the texts of the cards, `FACE_DOWN` where the seat may not see one.
        note: a remark behind the row.
        own: whether it is the hand of the seat itself.
        marked: the places of cards that stand out, such as the one that wins the trick.
        labels: the words under each card; none or one a card.
        area: the side of the table of the player whose cards they are; `MIDDLE` the trick on the table, `LAST` tricks
            before it, `ASIDE` what is out of play; empty for other cards.
        areas: the side from which each card of a trick came; empty for other cards.
        badges: what else is known of that player: dealer, bid, tricks.
        due: whether it is that player's turn.
        came: the words for cards of the hand that came to it after others: ``"The kitty"``.
    """

    kind: ClassVar = "cards"
    title: str
    cards: tuple[str, ...]
    note: str = ""
    own: bool = False
    marked: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    area: str = ""
    areas: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    due: bool = False
    came: str = ""


class Hand(Cards):
    """The hand of the seat itself."""


@dataclass(frozen=True)
class Block:
    """A section of a tower.

    Attributes:
        text: the card, or what else stands there.
        ends: (column, level) where it stands, from 0; a bridge has two.
        kind: ``"card"``, ``"bridge"``, ``"level"``.
        gone: whether it falls with the play that is shown.
    """

    text: str
    ends: tuple[tuple[int, int], ...]
    kind: str = "card"
    gone: bool = False


@dataclass(frozen=True)
class Towers:
    """Columns of blocks that stand on the ground.

    Attributes:
        note: a sentence beside them.
    """

    kind: ClassVar = "towers"
    title: str
    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    note: str = ""

    @property
    def height(self) -> int:
        """The number of levels of the highest column."""
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
        heading: the stage of the game, in a line.
        parts: the parts of the picture, from top to bottom.
        verdict: the words for how the game ended; empty before.
        trumps: the name of each trump, by its text: ``"right bower"``.
    """

    heading: str
    parts: tuple[Part, ...]
    verdict: str = ""
    trumps: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HandEnd:
    """How a hand ended, and its line of the score sheet.

    Attributes:
        name: the name of the hand.
        sentences: the sentences about the hand, the result first.
        gains: the gain of each seat in the hand, in seat order.
        totals: the total of each seat after the hand.
        counted: the units of gains and totals: ``("tricks", "towers")``.
    """

    name: str
    sentences: tuple[str, ...]
    gains: tuple[int, ...]
    totals: tuple[int, ...]
    counted: tuple[str, str]

    def line(self, seat: int) -> str:
        """Return the result in a line, that seat's first: ``"Hand of 7: you 4 : 1; towers 2 : 1"``."""
        both = [
            " : ".join(map(str, (numbers[seat], *numbers[seat + 1 :], *numbers[:seat])))
            for numbers in (self.gains, self.totals)
        ]
        return f"{self.name}: you {both[0]}; {self.counted[1]} {both[1]}"

    @property
    def said(self) -> tuple[str, ...]:
        """The sentences, which may begin with a player's name, as they are written."""
        return tuple(map(capital, self.sentences))
