"""What the engine returns: one frozen record an action. Players are 0 (player one) and 1; card sets are masks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dealt:
    cards: int


@dataclass(frozen=True)
class Split:
    player: int
    piles: tuple[int, int]
    pyramids: tuple[int, ...]
    beside: int


@dataclass(frozen=True)
class Taken:
    """`player` took `pile`; the splitter got the other one."""

    player: int
    pile: int


@dataclass(frozen=True)
class BaseLaid:
    card: int


@dataclass(frozen=True)
class Built:
    player: int
    deck: int


@dataclass(frozen=True)
class Drawn:
    """The cards drawn in order; `shuffled` tells whether the discards became a new deck on the way (TW-9)."""

    player: int
    cards: tuple[int, ...]
    shuffled: bool


@dataclass(frozen=True)
class Played:
    """A card and its value when played; with the second card of a skirmish who won it and who adds (None: nobody)."""

    player: int
    card: int
    shown: int
    value: int
    is_double: bool
    ends_skirmish: bool = False
    winner: int | None = None
    adder: int | None = None


@dataclass(frozen=True)
class Added:
    player: int
    size: int
    fell: bool


@dataclass(frozen=True)
class Capped:
    player: int
    card: int
    fell: bool


@dataclass(frozen=True)
class TakenBack:
    player: int
    fell: bool


@dataclass(frozen=True)
class WarResult:
    """How a war ended: `loser` is None when it was drawn.

    `reason`: ``"fall"`` (TW-21a), ``"stash"`` (TW-21b), ``"short"`` (no card to draw or to stack, W6) or
    ``"battles"`` (W13).
    """

    loser: int | None
    reason: str

    @property
    def winner(self) -> int | None:
        return None if self.loser is None else 1 - self.loser
