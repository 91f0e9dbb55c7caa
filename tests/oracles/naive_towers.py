"""Towers with a card as an object and a column as a list of objects: slow, and close to the words of the rules.

The oracle of the kernels. It shares nothing with them but the options.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from towerlab.games.towers import TowersOptions

ACE = 1


@dataclass(eq=False)
class Card:
    """A section on the table; `towers` has one entry, or two for a bridge."""

    value: int
    towers: tuple[int, ...]

    @property
    def is_bridge(self) -> bool:
        return len(self.towers) == 2


@dataclass
class NaiveBoard:
    """Four lists of cards from the ground up. A bridge is one object in two lists."""

    options: TowersOptions
    columns: list[list[Card]] = field(default_factory=lambda: [[], [], [], []])

    # ------------------------------------------------------------------------------------------------- looking

    def neighbours(self) -> list[tuple[int, int]]:
        pairs = [(0, 1), (1, 2), (2, 3)]
        return [*pairs, (3, 0)] if self.options.layout == "square" else pairs

    def cards(self) -> list[Card]:
        unique: list[Card] = []
        for column in self.columns:
            unique += [card for card in column if not any(card is known for known in unique)]
        return unique

    def level(self, card: Card, tower: int) -> int:
        return next(i for i, other in enumerate(self.columns[tower], 1) if other is card)

    def under(self, card: Card, tower: int) -> Card | None:
        level = self.level(card, tower)
        return None if level == 1 else self.columns[tower][level - 2]

    def unevenness(self, card: Card) -> int:
        first, second = (self.level(card, tower) for tower in card.towers)
        return abs(first - second)

    def holds_up(self, support: Card, value: int) -> bool:
        if support.value == ACE:
            return True
        return support.value >= value if self.options.equal_supports else support.value > value

    def strength(self, card: Card) -> int:
        return self.options.ace_strength if card.value == ACE else card.value

    def meeting_levels(self, card: Card) -> list[tuple[int, int]]:
        """(tower, level) wherever the card can meet its equals."""
        places = [(tower, self.level(card, tower)) for tower in card.towers]
        levels = [level for _, level in places]
        if self.options.uneven_level == "higher":
            return [place for place in places if place[1] == max(levels)]
        if self.options.uneven_level == "lower":
            return [place for place in places if place[1] == min(levels)]
        return places

    # ------------------------------------------------------------------------------------------------- playing

    def legal(self, value: int) -> list[tuple[int, ...]]:
        """Towers on which a card may be played: (t,) as a tower card, (t, u) as a bridge."""
        found: list[tuple[int, ...]] = []
        for tower, column in enumerate(self.columns):
            if not column or column[-1].value == ACE or column[-1].value >= value:  # the sheet: equal to or lower
                found.append((tower,))
        for left, right in self.neighbours():
            a, b = self.columns[left], self.columns[right]
            if len(a) == len(b) > 0 and a[-1] is not b[-1]:
                found.append((left, right))
        return found

    def play(self, value: int, towers: tuple[int, ...]) -> list[tuple[str, list[int]]]:
        """Play a card; the log as (step, values), the first entry being the pair that nobody scores."""
        played = Card(value, towers)
        for tower in towers:
            self.columns[tower].append(played)
        level = len(self.columns[towers[0]])
        matches = [
            card
            for card in self.cards()
            if card is not played
            and card.value == value
            and any(at == level and tower not in towers for tower, at in self.meeting_levels(card))
        ]
        if not matches:
            return []
        return self.remove_and_cascade("match", [*matches, played])

    def raze(self, tower: int) -> list[tuple[str, list[int]]]:
        return self.remove_and_cascade("raze", list(self.columns[tower]))

    def remove_and_cascade(self, step: str, cards: list[Card]) -> list[tuple[str, list[int]]]:
        lain_on = self.supports()
        log = [self.remove(step, cards)]
        bereft: list[Card] = []
        while True:
            landed = self.landed(lain_on)
            lain_on = self.supports()
            step, gone = self.first_destruction(landed, bereft)
            if not gone:
                return log
            if step == "instability":
                bereft += [above for card in gone for above in self.resting_on(card)]
            log.append(self.remove(step, gone))

    def remove(self, step: str, cards: list[Card]) -> tuple[str, list[int]]:
        self.columns = [[card for card in column if not any(card is c for c in cards)] for column in self.columns]
        return step, sorted(card.value for card in cards)

    # ------------------------------------------------------------------------------------------------- TR-8

    def supports(self) -> dict[tuple[int, int], Card | None]:
        """What each end of each bridge lies on."""
        return {
            (id(card), tower): self.under(card, tower)
            for card in self.cards()
            if card.is_bridge
            for tower in card.towers
        }

    def resting_on(self, card: Card) -> list[Card]:
        return [above for column in self.columns for below, above in pairwise(column) if below is card]

    def first_destruction(self, landed: list[Card], bereft: list[Card]) -> tuple[str, list[Card]]:
        steps = (
            ("landing", landed),
            ("crushing", self.crushed()),
            ("instability", [c for c in self.cards() if c.is_bridge and self.unevenness(c) >= 2]),
            ("support", self.failing_support(bereft)),
            ("equal level", self.level_equals()),
        )
        return next(((name, cards) for name, cards in steps if cards), ("", []))

    def landed(self, lain_on: dict[tuple[int, int], Card | None]) -> list[Card]:
        lost = []
        for card in self.cards():
            if not card.is_bridge:
                continue
            below = [self.under(card, tower) for tower in card.towers]
            came_down = [lain_on[id(card), t] is not b for t, b in zip(card.towers, below, strict=True)]
            on_ground = [down and b is None for down, b in zip(came_down, below, strict=True)]
            on_bridge = [down and b is not None and b.is_bridge for down, b in zip(came_down, below, strict=True)]
            both_lie_on_bridges = all(b is not None and b.is_bridge for b in below)
            if any(on_ground) or (any(on_bridge) and (self.options.landing == "any_end" or both_lie_on_bridges)):
                lost.append(card)
        return lost

    def crushed(self) -> list[Card]:
        candidates = []
        for card in self.cards():
            if card.is_bridge and self.unevenness(card) >= 1:
                tower = max(card.towers, key=lambda t: self.level(card, t))
                below = self.under(card, tower)
                assert below is not None
                if card.value >= self.strength(below):
                    candidates.append((self.level(below, tower), tower, below))
        return [min(candidates, key=lambda c: c[:2])[2]] if candidates else []

    def failing_support(self, bereft: list[Card]) -> list[Card]:
        if self.options.support_check == "off":
            return []
        candidates = []
        for card in self.cards():
            if card.is_bridge:
                continue
            if self.options.support_check == "after_bridge_loss" and not any(card is b for b in bereft):
                continue
            tower = card.towers[0]
            below = self.under(card, tower)
            if below is not None and not self.holds_up(below, card.value):
                candidates.append((self.level(below, tower), tower, below))
        return [min(candidates, key=lambda c: c[:2])[2]] if candidates else []

    def level_equals(self) -> list[Card]:
        pairs = []
        cards = self.cards()
        for i, one in enumerate(cards):
            for two in cards[i + 1 :]:
                if one.value != two.value:
                    continue
                for tower, level in self.meeting_levels(one):
                    for other, at in self.meeting_levels(two):
                        if level == at and tower != other:
                            pairs.append((level, *sorted((tower, other)), one, two))
        if self.options.equal_group == "pair":
            return list(min(pairs, key=lambda p: p[:3])[3:]) if pairs else []
        gone: list[Card] = []
        for *_, one, two in pairs:
            gone += [card for card in (one, two) if not any(card is g for g in gone)]
        return gone

    # ------------------------------------------------------------------------------------------------- TR-10

    def broken_invariants(self) -> list[str]:
        """What a board at rest may not show."""
        broken = []
        for card in self.cards():
            if card.is_bridge and any(self.under(card, tower) is None for tower in card.towers):
                broken.append("a bridge on the ground")
            if card.is_bridge and self.unevenness(card) > 1:
                broken.append("a bridge uneven by two")
            if not card.is_bridge and self.options.support_check == "always":
                below = self.under(card, card.towers[0])
                if below is not None and below.value != ACE and below.value < card.value:
                    broken.append("a tower card on too weak a support")
        if self.level_equals():
            broken.append("equal cards level")
        return broken

    def codes(self) -> list[list[tuple[int, tuple[int, ...]]]]:
        """Columns as (value, towers), to compare with the kernel's board."""
        return [[(card.value, card.towers) for card in column] for column in self.columns]
