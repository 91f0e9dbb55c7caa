"""Where can a deal's unseen cards be, given its record? The layouts that fit: a bipartite matching of cards with roles.

A deal has as many *roles* as cards: in the stock, in a hand to the end, out of a hand by a record that names the card
or by one that does not. The records forbid some cards in some roles. Every matching of the others fits the record,
wherever in the pack the cards then lie.

    towerlab record bowers
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.errors import TowerlabError
from towerlab.table.unknown import UNKNOWN

_EXCHANGES: Final = 40  # a role, between two ways that are drawn
_NEVER: Final = 1e6


class NoLayoutFits(TowerlabError):
    """No layout fits a record."""

    def __init__(self) -> None:
        super().__init__("it does not go with what you recorded before, however the unseen cards lie")


class CardLeft(NamedTuple):
    """A card that left a hand.

    Attributes:
        step: number of the record in its deal.
        seat: the seat that held the card.
        card: the text of the card, or `UNKNOWN`.
    """

    step: int
    seat: int
    card: str


class ExcludedCards(NamedTuple):
    """Cards that somebody was seen not to hold as a record was made, the one it names aside."""

    seat: int
    step: int
    cards: frozenset[str]


@dataclass(eq=False)
class Role:
    """A part that a card can have had.

    Attributes:
        place: the place in the pack where such a card lies.
        holder: the seat that gets the card; None for nobody.
        since: number of the record that gave it to the holder.
        card: the card that is known to lie at that place.
        until: number of the record by which it left that hand unseen; None if it did not.
    """

    place: int
    holder: int | None
    since: int
    card: str | None
    until: int | None = None


class Holdings:
    """The ways in which a deal can lie.

    Args:
        deck: the cards of the deal, without their order.
        pack: the cards by their places in the pack, `UNKNOWN` where nobody named the card.
        got: place in the pack → the seat that got the card there, and the number of the record that gave it.
        cards_left: the cards that left hands, in the order of the records.
        bars: the cards that seats were seen not to hold.

    Attributes:
        known: the pack with all cards whose place can be said to be known.

    Raises:
        NoLayoutFits: cards are named that cannot be.
    """

    def __init__(
        self,
        deck: Sequence[str],
        pack: Sequence[str],
        got: Mapping[int, tuple[int, int]],
        cards_left: Iterable[CardLeft],
        bars: Sequence[ExcludedCards],
    ) -> None:
        self.known = list(pack)
        self._pack = pack
        self._bars = bars
        self._has_copies = len({*deck}) < len(deck)
        self.roles = []
        for place, card in enumerate(pack):
            holder, since = got.get(place, (None, 0))
            self.roles.append(Role(place, holder, since, None if card == UNKNOWN else card))
        unseen = list[CardLeft]()
        seen = set[str]()
        for card_left in cards_left:
            if card_left.card == UNKNOWN:
                unseen.append(card_left)
            elif self._has_copies or card_left.card not in seen:  # else it had come back to the hand
                seen.add(card_left.card)
                role = self._source(card_left)
                self.roles.remove(role)
                self.known[role.place] = card_left.card
        for step, seat, _ in unseen:
            staying = [role for role in self.roles if role.holder == seat and role.until is None]
            if not staying:
                raise NoLayoutFits
            min(staying, key=lambda role: role.card is not None).until = step
        free = Counter(deck)
        free.subtract(card for card in self.known if card != UNKNOWN)
        if min(free.values()) < 0:
            raise NoLayoutFits
        self._cards: list[tuple[str, Role | None]] = [(role.card, role) for role in self.roles if role.card]
        self._cards += [(card, None) for card in free.elements()]
        self._hiders = {seat for _, seat, _ in unseen}

    @functools.cached_property
    def _allowed(self) -> list[list[bool]]:
        """Whether each role can be had by each card."""
        barred = [self._barred(role, role.until) for role in self.roles]
        return [
            [card not in never and self._fits(role, home) for card, home in self._cards]
            for role, never in zip(self.roles, barred, strict=True)
        ]

    def _source(self, card_left: CardLeft) -> Role:
        """Return the role of a card that was seen to leave a hand, which is a role no longer."""
        step, seat, card = card_left
        held = [role for role in self.roles if role.holder == seat and role.since < step]
        known = [role for role in (held if self._has_copies else self.roles) if role.card == card]
        roles = known or [role for role in held if role.card is None]
        role = next((role for role in roles if card not in self._barred(role, step)), None)
        if role is None or role.holder not in (seat, None):  # nobody's are dummy's, which another plays
            raise NoLayoutFits
        return role

    def _barred(self, role: Role, until: int | None) -> frozenset[str]:
        """Return the cards that one in a hand up to a record cannot be."""
        bars = (bar for bar in self._bars if bar.seat == role.holder and bar.step > role.since)
        return frozenset().union(*(bar.cards for bar in bars if until is None or bar.step <= until))

    def _fits(self, role: Role, home: Role | None) -> bool:
        """Return whether a card can have a role by where it is known to lie; cards may have left a hand unseen."""
        if role is home or not (home or role).card:
            return True
        return role.holder in self._hiders and (home is None or home.holder == role.holder)

    def layouts(self, rng: np.random.Generator) -> Iterator[dict[int, list[str]]]:
        """Yield layouts that fit, each as likely as any other that exchanges of two cards lead to.

        Yields:
            By the number of a record the cards it does not name, those of the pack under 0.

        Raises:
            NoLayoutFits: none fits.
        """
        places = self._matched(rng)
        allowed = self._allowed
        while True:
            for first, second in rng.integers(len(places), size=(_EXCHANGES * len(places), 2)).tolist():
                if allowed[first][places[second]] and allowed[second][places[first]]:
                    places[first], places[second] = places[second], places[first]
            yield self._written(places)

    def _matched(self, rng: np.random.Generator) -> list[int]:
        """Return the number of each role's card."""
        from scipy.optimize import linear_sum_assignment  # imported late: answers without records do not need it

        if not self.roles:
            return []
        costs = np.where(self._allowed, rng.random((len(self.roles), len(self._cards))), _NEVER)
        rows, columns = linear_sum_assignment(costs)
        if costs[rows, columns].max() >= _NEVER:
            raise NoLayoutFits
        return [int(column) for column in columns]

    def _written(self, lies: Sequence[int]) -> dict[int, list[str]]:
        pack = list(self.known)
        spare = dict[int | None, list[str]]()
        left = dict[int, list[str]]()
        for role, lie in zip(self.roles, lies, strict=True):
            card, home = self._cards[lie]
            if home is None:
                spare.setdefault(role.holder, []).append(card)
            if role.until is not None:
                left.setdefault(role.until, []).append(card)
        for role in self.roles:
            if role.card is None:
                pack[role.place] = spare[role.holder].pop(0)
        return {**left, 0: [card for card, recorded in zip(pack, self._pack, strict=True) if recorded == UNKNOWN]}
