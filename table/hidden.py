"""A game that is recorded as one seat saw it; ``"?"`` stands for a card that nobody has named.

The records are kept, and an engine after a deal that fits them. A record that does not go with the cards made up has
the deal laid anew (`table.laying`), or is refused if no way fits. What the seat may know is the same in every such
way (its view holds nothing hidden), so that it can be graded although the rest is made up.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from towerlab.analysis.present import number_of
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError, demand
from towerlab.games.transcript import Action
from towerlab.table.drawing import card_words
from towerlab.table.game import MOST_LISTED, TableGame
from towerlab.table.laying import Bar, Holdings, Misfit, Parting
from towerlab.table.rows import whose
from towerlab.table.scene import Cards, Facts, Part, counting_from_one
from towerlab.table.unknown import (
    PROVED,
    UNKNOWN,
    all_unknown,
    cards_in,
    cards_named,
    completed,
    filled,
    is_open,
)

_LOTS: Final = 40  # samples of what chance may visibly decide
_TRIALS: Final = 20  # for each way that is drawn; their square where hidden cards have decided something
_COPY: Final = "#"  # equal cards of a pack are kept apart by the place that stands behind it
_ANEW: Final = "or u to take back what was wrong"


class Refused(TowerlabError):
    """The rules do not allow a record with the cards as they were laid; a bar says which ones they cannot have been."""

    def __init__(self, reason: str, bar: Bar | None) -> None:
        super().__init__(reason)
        self.bar = bar


class Layout:
    """The records, and a way the unseen cards can lie. What it holds is replaced, never changed: copies are cheap.

    Args:
        game: what it brings to the table.
        options: rule options.
        seat: whose views they are.
        begun: where in a match the record begins, as of `Engine.starting_from`.

    Attributes:
        records: what the seat saw, `UNKNOWN` for cards that nobody has named.
        engine: the game after them, unseen cards made up.
        first: the number of the record, from 0, that began the deal.
        by_chance: of each record, whether it is one of chance.
    """

    def __init__(
        self, game: TableGame, options: Any, seat: int, begun: Mapping[str, Sequence[int]] | None = None
    ) -> None:
        self.game, self.options, self.seat = game, options, seat
        self.records, self.by_chance = list[Action](), list[bool]()
        self.engine: Engine[Any, Any] = game.open_record(options, begun or {})
        if seat not in self.engine.seats:
            raise TowerlabError(f"there is no seat {seat + 1}; expected 1 to {len(self.engine.seats)}")
        self._over = list[Layout]()  # at the end of every deal before
        self._rng = np.random.default_rng(0)
        self._begin()

    def _begin(self) -> None:
        """Another deal: unseen cards are laid anew from here on."""
        self._before, self.first = self.engine, len(self.records)
        self._bars = list[Bar]()
        self._got = dict[int, tuple[int, int]]()  # place of the pack → who got it, by which record of the deal
        self._deck, self.has_copies = list[str](), False  # the cards of the pack, none without one; some are equal

    # --------------------------------------------------------------------------------------------- the records

    def add(self, record: Action, full: Action | None = None) -> None:
        """One more record.

        Args:
            record: with `UNKNOWN` for cards not seen.
            full: a way it can have been; None looks for one.

        Raises:
            TowerlabError: it cannot have been so, however the unseen cards lie; nothing has changed.
        """
        engine, deal, bars = self.engine, self.records[self.first :], self._bars
        by_chance = engine.to_act is None
        try:
            after = self._after(engine, record, full or self._made_up(engine, record))
        except TowerlabError:
            if by_chance or (self._actor(record) == self.seat and PROVED not in record):
                raise
            after, bars = self._refitted(record)
        if not by_chance and not is_open(record):
            before, then = ({card for row in self._rows(at) for card in row.cards} for at in (engine, after))
            if self._actor(record) == self.seat or (then - before).intersection(_unnamed(record, after.last_action)):
                raise TowerlabError(f"a card of {record['action']} lies open on the table; expected which one it was")
        if "pack" in record:
            self.settle()
            self._over = [*self._over, copy.copy(self)]
            self._begin()
            deal, bars, self._deck = [], self._bars, sorted(after.last_action["pack"])
            self.has_copies = len({*self._deck}) < len(self._deck)
        deal = [*deal, {**record, "player": after.last_action["player"]} if "player" in after.last_action else record]
        if self.has_copies and not by_chance:  # of a card that has left the place is named
            deal[0] = {**deal[0], "pack": self._holdings(deal, bars).known}
            after, bars = self._played(deal)
        self.records, self.by_chance = [*self.records[: self.first], *deal], [*self.by_chance, by_chance]
        self.engine, self._bars = after, bars
        self._deal_out(engine)

    def unnamed_row(self) -> tuple[str, list[str]] | None:
        """Return a row of cards that the seat sees and has not named: its title and the cards made up; None without."""
        return next(self.unnamed_rows(), None)

    def unnamed_rows(self) -> Iterator[tuple[str, list[str]]]:
        """All such rows."""
        full = self._full()
        for row in self._rows(self.engine):
            shown = [card for card in row.cards if card]
            labels = self._unnamed_copies(row, shown, full) if self.has_copies else self._unnamed_of({*shown}, full)
            if labels:
                yield row.came if row.came and len(labels) < len(shown) else row.title, labels

    def name_cards(self, cards: Sequence[str]) -> None:
        """Name the cards of `unnamed_row`.

        Raises:
            TowerlabError: not so many, or they cannot be; nothing has changed.
        """
        _, labels = self.unnamed_row() or ("", [])
        if len(cards) != len(labels):
            raise TowerlabError(f"{number_of(len(cards), 'card')} told; expected {len(labels)}")
        if not self.has_copies and (twice := [card for card in cards if cards.count(card) > 1]):
            raise TowerlabError(f"{card_words(twice[0])} is told twice; expected every card once")
        named, deal = dict(zip(labels, cards, strict=True)), list[Action]()
        for record, full in zip(self.records[self.first :], self._full(), strict=True):
            deal.append(filled(record, [named.get(label, UNKNOWN) for label in _unnamed(record, full)]))
        try:
            self.replace(deal)
        except TowerlabError as error:
            where = next(filter(None, map(self._whereabouts, cards)), "")
            why = where or f"{' '.join(map(card_words, cards))} cannot lie there by what you recorded before"
            raise TowerlabError(f"{why}; expected other cards, {_ANEW}") from error

    def replace(self, deal: Sequence[Action]) -> None:
        """Replace the records of the deal by others, which name more cards.

        Raises:
            TowerlabError: they cannot be; nothing has changed.
        """
        self.engine, self._bars = self._played(deal)
        self.records = [*self.records[: self.first], *deal]

    def settle(self) -> None:
        """Write down, where a deal is over, where the cards lay that have become known since.

        Cards that were in nobody's hand all the time stay where they were made up, if nothing else is unknown.
        """
        deal, full = self.records[self.first :], self._full()
        if not self._deck or self.has_copies:
            return
        named = cards_named(deal[1:])
        deal = [
            filled(record, [card if card in named else UNKNOWN for card in _unnamed(record, one)])
            for record, one in zip(deal, full, strict=True)
        ]
        held = {full[0]["pack"][place] for place in self._got}
        unknown = {card for record, one in zip(deal, full, strict=True) for card in _unnamed(record, one)}
        self.records = [*self.records[: self.first], *(full if len(unknown) == 1 or not unknown & held else deal)]

    def read_back(self) -> None:
        """Add the records of the deal as they will be read from the file.

        Raises:
            TowerlabError: one is refused.
        """
        again, first = copy.copy(self), self.first
        again.engine, again.records, again.by_chance = self._before, self.records[:first], self.by_chance[:first]
        again._begin()
        for record in self.records[self.first :]:
            again.add(record)

    def lots(self) -> dict[str, list[tuple[Action, Action]]]:
        """Return what chance may visibly decide now, by words: its records, as entered and as they can have been."""
        found: dict[tuple[Any, ...], list[Action]] = {}
        for _ in range(_LOTS):
            first = self.engine.chance(self._rng)
            flags = [key for key, value in first.items() if isinstance(value, bool)]
            for begun in (*({**first, key: not first[key]} for key in flags), first):
                chain, twin = [begun], self.engine.copy()
                twin.apply(chain[0])
                while twin.to_act is None and twin.result is None and len(chain) < 60:
                    chain.append(twin.chance(self._rng))
                    twin.apply(chain[-1])
                key = (*self.facts(twin), twin.to_act, twin.result is None)
                if key not in found or len(chain) < len(found[key]):
                    found[key] = chain
        words = _differences(list(found), self.seat)
        lots = sorted(zip(words, found.values(), strict=True), key=lambda lot: lot[0])  # asked again: the same numbers
        return {word: [(all_unknown(action), action) for action in chain] for word, chain in lots}

    def supposing(self, action: Action) -> Engine[Any, Any]:
        """The game as it now stands, the unseen cards such that a player can take an action as far as it is known.

        Raises:
            TowerlabError: there is no such way.
        """
        return self._played([*self.records[self.first :], action], is_supposed=True)[0]

    def unseen(self) -> list[str]:
        """Return cards that nobody has named, as texts, lowest place first."""
        deal = self.records[self.first :]
        named = cards_named(deal) if not self.has_copies else set()
        labels = [label for one, full in zip(deal, self._full(), strict=True) for label in _unnamed(one, full)]
        return [text for text in dict.fromkeys(map(card_of, labels)) if text not in named]

    def nameable(self) -> tuple[str, ...]:
        """The same in the order of suits, where they are of one pack and no two are equal; else none."""
        unseen = set(self.unseen()) if self._deck and not self.has_copies else set[str]()
        return tuple(sorted(unseen, key=lambda card: ("SHDC".find(card[-1]), -"23456789TJQKA".find(card[0]))))

    @property
    def pack(self) -> frozenset[str]:
        """The cards that are dealt, as texts."""
        return frozenset(self._deck)

    # ---------------------------------------------------------------------------------------- what it can have been

    def worlds(self, many: int) -> list[Engine[Any, Any]]:
        """The game in so many ways in which its unseen cards can lie, all layouts alike; none where none is found."""
        deals = [*self._over, *[self] * (self.unnamed_row() is None)]  # what is in sight and not named cannot be drawn
        games = []
        for ways in zip(*(deal._ways(many) for deal in deals), strict=True):
            games.append(self.engine.reset_copy())
            for record in itertools.chain(*ways):
                games[-1].apply(record)
        return games

    def _ways(self, many: int) -> list[Sequence[Action]]:
        """The records of the deal in so many ways; none where a card in sight was not named."""
        deal, seen, found = self.records[self.first :], self.engine.view(self.seat), list[Sequence[Action]]()
        if all(map(is_open, deal)) or not self._got:
            return [self.engine.actions[self.first :]] * many
        # Whatever was drawn and seen before: the same record has the same layouts, entered or read.
        self._rng, bars = np.random.default_rng(0), list[Bar]()
        ways = self._holdings(deal, bars).ways(self._rng)
        for _ in range(_TRIALS * many):
            try:
                engine = self._replayed(deal, next(ways))
            except Refused as refused:
                if refused.bar is not None:
                    ways = self._holdings(deal, bars := [*bars, refused.bar]).ways(self._rng)
                continue
            if engine.view(self.seat) == seen:
                found.append(engine.actions[self.first :])
            if len(found) == many:
                return found
        return []

    # ------------------------------------------------------------------------------------------------ making it fit

    def _made_up(self, engine: Engine[Any, Any], record: Action) -> Action:
        """A record as it can have been, its known cards at their places."""
        if is_open(record):
            return record
        if engine.to_act is None:
            sample = engine.chance(self._rng)
            if sample["action"] != record["action"]:
                raise TowerlabError(f"{record['action']} is not due; expected {sample['action']}")
            return completed(record, sample)
        legal = engine.legal(record.get("player"))
        if not len(legal) or legal[0]["action"] != record["action"]:
            raise TowerlabError(f"{record['action']} is not possible now")
        return completed(record, legal[0])

    def _refitted(self, record: Action) -> tuple[Engine[Any, Any], list[Bar]]:
        """The game after another player's record with which the cards as they were made up do not go.

        Raises:
            TowerlabError: nor do any others; says why, as far as one earlier record shows it.
        """
        try:
            return self._played([*self.records[self.first :], record])
        except TowerlabError as error:
            cards, holder = sorted(cards_named([record])), self._actor(record)
            shown = [self.first + bar.step + 1 for bar in self._bars if bar.seat == holder and {*cards} & bar.cards]
            why = next(filter(None, map(self._whereabouts, cards)), "")
            if not why and not isinstance(error, Misfit):
                raise
            if not why and shown:
                why = f"action {shown[0]}, as you recorded it, shows that {self.names[holder]} had no card like that"
            why = why or "it does not go with what you recorded before, however the unseen cards lie"
            said = " ".join([str(record["action"]), *map(card_words, cards)])
            raise TowerlabError(f"{said} is not possible: {why}; expected another card, {_ANEW}") from error

    def _whereabouts(self, card: str) -> str:
        """Where a card is known to be; empty where it is not known."""
        if self.has_copies:
            return ""
        if card not in self._deck:
            return f"{card_words(card)} is no card of this game"
        for step, record in enumerate(self.records[self.first :], self.first):
            if step > self.first and not self.by_chance[step] and card in cards_in(record):
                return f"{card_words(card)} left {whose(self.names[record['player']])} hand with action {step + 1}"
        pack = self.records[self.first]["pack"]
        if card not in pack:
            return ""
        holder = self._got.get(pack.index(card))
        where = "lies in no player's hand" if holder is None else f"was dealt to {self.names[holder[0]]}"
        return f"{card_words(card)} {where}"

    def _played(self, deal: Sequence[Action], is_supposed: bool = False) -> tuple[Engine[Any, Any], list[Bar]]:
        """The game after the records of the deal, its unseen cards laid so that they fit.

        Args:
            is_supposed: the last of them is not taken, but can be.

        Returns:
            The game, and what its records, as far as was tried, show not to have been held.

        Raises:
            Misfit: they fit in no way.
            Refused: the rules do not allow one.
        """
        bars = self._bars
        trials = _TRIALS * _TRIALS * any(PROVED in record for record in deal)  # hidden cards have decided something
        while True:
            try:
                way = self._holdings(deal, bars).way(self._rng) if self._deck else {}
                return self._replayed(deal, way, is_supposed), bars
            except Refused as refused:
                if refused.bar is not None and refused.bar not in bars:
                    bars = [*bars, refused.bar]
                elif trials:
                    trials -= 1
                else:
                    raise

    def _replayed(
        self, deal: Sequence[Action], way: Mapping[int, Sequence[str]], is_supposed: bool = False
    ) -> Engine[Any, Any]:
        """The game after the records of the deal, the unknown cards of some as a way says, or `Refused`."""
        engine = self._before
        for step, record in enumerate(deal):
            try:
                if is_supposed and step == len(deal) - 1:
                    can = any(record.items() <= one.items() for one in engine.legal(record["player"])[:MOST_LISTED])
                    demand(can, f"{record['action']} is not possible", "")
                    return engine
                full = record
                if not is_open(record):
                    full = filled(record, way[step]) if step in way else self._made_up(engine, record)
                    if self.game.guess is not None:
                        full = self.game.guess(engine, self.seat, deal[step:], full)
                    elif engine.to_act is not None and not engine.can(full):
                        full = self._made_up(engine, record)
                engine = self._after(engine, record, full)
            except TowerlabError as error:
                raise Refused(str(error), self._shown_by(engine, step, record)) from error
        return engine

    def _shown_by(self, engine: Engine[Any, Any], step: int, record: Action) -> Bar | None:
        """Return the cards that a player had not, who with the cards made up could not do what a record says."""
        seat = record.get("player", engine.to_act)
        if seat is None or seat == self.seat or seat != engine.to_act or not self._deck:
            return None
        held = cards_named(action for action in engine.legal(seat)[:MOST_LISTED] if action["action"] == "play")
        return Bar(seat, step, frozenset(held)) if held and held.isdisjoint(cards_in(record)) else None

    def _after(self, engine: Engine[Any, Any], record: Action, full: Action) -> Engine[Any, Any]:
        """The game after a record, which the rules allow and which ended as recorded."""
        after = engine.copy()
        with counting_from_one():
            after.apply({key: value for key, value in full.items() if key != PROVED})
        rests = PROVED in record and self.game.rests_on(engine, after.last_action) is not None
        if PROVED in record and not (rests and self.game.is_proved(after, record) is record[PROVED]):
            raise TowerlabError(f"{record['action']} cannot have been {'' if record[PROVED] else 'not '}proved")
        return after

    def _holdings(self, deal: Sequence[Action], bars: Sequence[Bar]) -> Holdings:
        """Who can hold what, by the records of the deal and one that is not yet added."""
        by_chance = [*self.by_chance[self.first :], False]
        partings = [
            Parting(step, self._actor(record), card)
            for step, record in enumerate(deal)
            if step and not by_chance[step]
            for card in cards_in(record)
        ]
        return Holdings(self._deck, deal[0]["pack"], self._got, partings, bars)

    def _actor(self, action: Action) -> int:
        """Who takes an action of a player."""
        seat = action.get("player", self.engine.to_act)
        assert seat is not None
        return int(seat)

    def _deal_out(self, before: Engine[Any, Any]) -> None:
        """Note who got which places of the pack by the record that has just been added, which names no card played."""
        engine, step, got = self.engine, len(self.records) - self.first - 1, dict[int, int]()
        if self.has_copies:
            assert self.game.draws is not None
            got = dict(enumerate(self.game.draws(engine.last_action, before), len(self._got)))
        elif self._deck and engine.to_act is not None and (self.by_chance[-1] or not cards_in(self.records[-1])):
            at = {card: place for place, card in enumerate(self._full()[0]["pack"])}
            for action in engine.legal(engine.to_act)[:MOST_LISTED]:  # who may give away an up-card has it
                if "card" in action and action["action"] != "play":
                    got[at[action["card"]]] = engine.to_act
            got |= {at[card]: seat for seat in engine.seats for card in self.game.hand(engine, seat)}
        self._got = {place: (seat, step) for place, seat in got.items()} | self._got

    # ---------------------------------------------------------------------------------------------------- the ground

    def _full(self) -> list[Action]:
        """The records of the deal as they can have been, their cards in the order of those recorded."""
        full = list(self.engine.actions[self.first :])
        if self.has_copies:
            full[0] = {**full[0], "pack": [f"{card}{_COPY}{place}" for place, card in enumerate(full[0]["pack"])]}
        return full

    @property
    def names(self) -> tuple[str, ...]:
        """Return the name of everybody."""
        return tuple("you" if seat == self.seat else f"player {seat + 1}" for seat in self.engine.seats)

    def _parts(self, engine: Engine[Any, Any]) -> Sequence[Part]:
        return self.game.scene(engine.view(self.seat), self.names, engine.options).parts

    def _rows(self, engine: Engine[Any, Any]) -> list[Cards]:
        return [part for part in self._parts(engine) if isinstance(part, Cards)]

    def facts(self, engine: Engine[Any, Any] | None = None) -> tuple[tuple[str, str], ...]:
        """Return the facts that the seat is shown, now or in another game."""
        parts = self._parts(engine or self.engine)
        return tuple(fact for part in parts if isinstance(part, Facts) for fact in part.facts)

    def _unnamed_of(self, shown: set[str], full: Sequence[Action]) -> list[str]:
        """Cards in sight that chance has dealt and nobody has named since."""
        deal, found = self.records[self.first :], set[str]()
        for step, is_chance in enumerate(self.by_chance[self.first :]):
            if is_chance and (hidden := shown.intersection(_unnamed(deal[step], full[step]))):
                found |= hidden - cards_named(deal[step:])
        return sorted(found)

    def _unnamed_copies(self, row: Cards, shown: Sequence[str], full: Sequence[Action]) -> list[str]:
        """The same where cards are equal: places in a hand that is shown."""
        seat = self.seat if row.own else self.names.index(row.title) if row.title in self.names else None
        if seat is None or not shown:
            return []
        held = [role for role in self._holdings(self.records[self.first :], self._bars).roles if role.holder == seat]
        unknown = [full[0]["pack"][role.place] for role in held if role.card is None]
        return unknown[: len(shown) - len(held) + len(unknown)]


def _unnamed(record: Action, full: Action) -> list[str]:
    """Return the cards of a full record where the one that was entered has none."""
    if "pack" in record:
        return [card for one, card in zip(record["pack"], full["pack"], strict=True) if one == UNKNOWN]
    return [card for card in cards_in(full) if card not in cards_in(record)]


def card_of(label: str) -> str:
    """Return the text of a card without what keeps it apart from equal ones."""
    return label.partition(_COPY)[0]


def _differences(found: Sequence[tuple[Any, ...]], seat: int) -> list[str]:
    """Return how some outcomes differ, in words."""
    shared = set(found[0][:-2]).intersection(*(one[:-2] for one in found[1:])) if found else set()
    turns = {one[-2] for one in found}
    words = []
    for *facts, to_act, goes_on in found:
        said = [f"{name} {value}" for name, value in facts if (name, value) not in shared]
        if len(turns) > 1 and to_act is not None:
            said.append("your turn" if to_act == seat else f"player {to_act + 1} to act")
        words.append(", ".join([*said, *([] if goes_on else ["the game is over"])]) or "as before")
    return words
