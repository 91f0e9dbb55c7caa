"""A game of which one seat tells what it saw; ``"?"`` stands for a card that nobody has told.

Beside what was told stands one way in which the unseen cards can lie, so that the engine can play it. Whatever is told
next and does not fit is answered by laying the unseen cards anew, by an assignment that fits all that was told
(`table.laying`), or refused if there is none. What the seat may know is the same in every such way (its view
holds nothing hidden), so that it can be graded although the rest is made up.
"""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.table.drawing import card_words
from towerlab.table.game import TableGame
from towerlab.table.laying import Bar, Item, Place, assign, drawn
from towerlab.table.scene import Cards, Facts
from towerlab.table.session import MOST_LISTED
from towerlab.table.unknown import (
    UNKNOWN,
    State,
    can_be,
    card_of,
    cards_named,
    exchanged,
    from_engine,
    is_open,
    joined,
    joined_with,
    labels_of,
    not_told,
    nothing_told,
    to_engine,
)

_LOTS: Final = 40  # samples of what chance may visibly decide
_MOST_WAYS: Final = 500  # in which cards can have left hands unseen
_TRIALS: Final = 20  # for each way that is drawn
_NOISES: Final = (0.0, *[2.0] * 30)  # of the assignments looked at; more than one where a card in sight was not told


class Layout:
    """What was told, and a way the unseen cards can lie.

    Args:
        game: what it brings to the table.
        options: rule options.
        seat: whose views they are.
        begun: where in a match the record begins, as of `Engine.begun`.
        draws: how many ways each deal can lie are drawn for `worlds`.

    Attributes:
        told: the records, with `UNKNOWN`.
        engine: the game after them, unseen cards made up.
        first: the number of the record, from 0, that began the deal.
        is_blurred: whether a card on the table has not been told, so that what the seat knew is not known.
        unclear: the numbers, from 1, of actions before which it was so.
    """

    def __init__(
        self, game: TableGame, options: Any, seat: int, begun: Mapping[str, Sequence[int]] | None = None, draws: int = 0
    ) -> None:
        self.game, self.options, self.seat, self.draws = game, options, seat, draws
        self.told: list[Action] = []
        self.engine: Engine[Any, Any] = game.open_record(options, begun or {})
        if seat not in self.engine.seats:
            raise TowerlabError(f"there is no seat {seat + 1}; expected 1 to {len(self.engine.seats)}")
        self.is_blurred, self.unclear = False, set[int]()
        self._full: list[Action] = []
        self._drawn_deals: list[list[list[Action]]] = []  # of every deal that is over, in `draws` ways
        self._by_chance: list[bool] = []
        self._rng = np.random.default_rng(0)
        self._begin(self.engine.copy())

    def copy(self) -> Layout:
        """Another one that stands where this one does."""
        shared = (self.game, self.options, self.engine, self._before, *self.told, *self._full)  # never changed
        return copy.deepcopy(self, {id(one): one for one in shared})

    def _begin(self, engine: Engine[Any, Any]) -> None:
        """Another deal: unseen cards are laid anew from here on."""
        self._before, self.first = engine, len(self.told)
        self._bars: list[Bar] = []
        self._holders: dict[int, tuple[int, int]] = {}  # place of the pack → who got it, in which record
        self._left: set[int] = set()  # places whose cards have left a hand, where cards are equal
        self.is_blurred = False

    # --------------------------------------------------------------------------------------------- what was told

    def add(self, told: Action, full: Action | None = None) -> None:
        """One more record.

        Args:
            told: with `UNKNOWN` for cards not seen.
            full: a way it can have been; None looks for one.

        Raises:
            TowerlabError: it cannot have been so, however the unseen cards lie; nothing has changed.
        """
        by_chance = self.engine.to_act is None
        state, bars, actor = self._deal(), self._bars, told.get("player", self.engine.to_act)
        if not by_chance and actor != self.seat and not self.is_blurred:
            bars = [*bars, *self._barred(told, len(self.told))]
        try:
            full = self._fill(self.engine, told) if full is None else from_engine(full)
            after = self.engine.copy()
            after.apply(to_engine(full))
            anew = not by_chance and self.has_copies
        except TowerlabError as error:
            if by_chance:
                state, full, after = self._other_chance(state, told, error)
            elif full is None or actor == self.seat:
                raise
            anew = not by_chance
        if anew:
            assert full is not None
            *state, (_, full), after = self._laid([*state, (told, full)], bars)
        assert full is not None
        for key, value in told.items():
            if isinstance(value, list) and len(value) != (size := len(full.get(key, value))):
                raise TowerlabError(f"{told['action']} has {len(value)} {key}; expected {size}")
        self._full[self.first :] = [record for _, record in state]
        done, self._bars = after.last_action, bars
        if "pack" in told:
            self._drawn_deals.append(self._ways())
            self.settle()
            self._begin(self._play(state)[0])
        self.told.append(told if "player" not in done else {**told, "player": done["player"]})
        self._full.append(full)
        self._by_chance.append(by_chance)
        self._deal_out(full, after)
        self.engine = after
        if not by_chance and (made_up := set(map(card_of, not_told(told, full)))):
            self.is_blurred |= any(made_up & set(row.cards) for row in self._rows())
        if self.is_blurred:
            self.unclear.add(len(self.told) + 1)

    def untold(self) -> tuple[str, list[str]] | None:
        """A row of cards that the seat sees and has not told: its title and the cards made up; None without."""
        return next(self.untold_rows(), None)

    def untold_rows(self) -> Iterator[tuple[str, list[str]]]:
        """All such rows."""
        for row in self._rows():
            shown = [card for card in row.cards if card]
            labels = self._untold_copies(row, shown) if self.has_copies else self._untold_of(set(shown))
            if labels:
                yield row.came if row.came and len(labels) < len(shown) else row.title, labels

    def tell(self, title: str, labels: Sequence[str], cards: Sequence[str]) -> None:
        """What the cards of `untold` are.

        Raises:
            TowerlabError: not so many, or they cannot be; nothing has changed.
        """
        if len(cards) != len(labels):
            raise TowerlabError(f"{len(cards)} cards told; expected {len(labels)}")
        if not self.has_copies and len(set(cards)) < len(cards):
            raise TowerlabError("a card is told twice; expected every card once")
        state = self._deal()
        places = {label: place for place, label in enumerate(self._pack(state))}
        if all(label in places for label in labels):
            *state, engine = self._laid(state, self._bars, (frozenset(places[label] for label in labels), cards))
            named = [self._pack(state)[places[label]] for label in labels]
        else:  # cards that are not dealt from a shuffled pack
            open_labels = [label for label in labels if label not in cards]
            for label, card in zip(open_labels, [card for card in cards if card not in labels], strict=True):
                swap = {label: card, card: label}
                state = [(told, exchanged(told, full, swap)) for told, full in state]
            engine, done = self._play(state)
            named = list(cards)
            if done < len(state):
                raise TowerlabError(_cannot_lie(cards))
        self.told[self.first :] = [
            to_engine(joined(told, full, lambda label: label if label in named else UNKNOWN)) for told, full in state
        ]
        self._full[self.first :] = [full for _, full in state]
        self.engine = engine

    def settle(self) -> None:
        """Write down, where a deal is over, where the cards lay that have become known since.

        Cards that were in nobody's hand all the time stay where they were made up, if nothing else is unknown.
        """
        state = self._deal()
        if self.has_copies or not self._pack(state):
            return
        named = cards_named([told for told, _ in state[1:]])
        state = [(joined(told, full, lambda c: c if c in named else UNKNOWN), full) for told, full in state]
        unknown = {label for told, full in state for label in not_told(told, full)}
        pack = self._pack(state)
        if not unknown & {pack[place] for place in self._holders} or len(unknown) == 1:
            state = [(full, full) for _, full in state]
        self.told[self.first :] = [told for told, _ in state]

    @property
    def is_full(self) -> bool:
        """Whether every card has been told: a transcript like any other."""
        return is_open(self.told)

    def lots(self) -> dict[str, list[tuple[Action, Action]]]:
        """What chance may visibly decide now, by words: the records that do, as told and as they can have been."""
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
                key = (*self._facts(twin), twin.to_act, twin.result is None)
                if key not in found or len(chain) < len(found[key]):
                    found[key] = chain
        words = _differences(list(found), self.seat)
        lots = sorted(zip(words, found.values(), strict=True), key=lambda lot: lot[0])  # asked again: the same numbers
        return {word: [(nothing_told(action), action) for action in chain] for word, chain in lots}

    def supposing(self, action: Action) -> Engine[Any, Any]:
        """The game as it now stands, the unseen cards such that a player can take an action as far as it is told.

        Raises:
            TowerlabError: there is no such way.
        """
        bars = [*self._bars, *self._barred(action, len(self.told))]
        left = self._left
        try:
            engine: Engine[Any, Any] = self._laid([*self._deal(), (action, action)], bars, is_supposed=True)[-1]
        finally:
            self._left = left
        return engine

    def unseen(self) -> list[str]:
        """Cards that nobody has told, as texts, lowest place first."""
        told = cards_named(self.told[self.first :]) if not self.has_copies else set()
        labels = (label for one, full in self._deal() for label in not_told(one, full))
        return [text for text in dict.fromkeys(map(card_of, labels)) if text not in told]

    def nameable(self) -> tuple[str, ...]:
        """The same in the order of suits, where no two cards are equal; else none."""
        unseen = set() if self.has_copies else set(self.unseen())
        return tuple(sorted(unseen, key=lambda card: ("SHDC".find(card[-1]), -"23456789TJQKA".find(card[0]))))

    @property
    def pack(self) -> frozenset[str]:
        """The cards that are dealt, as texts."""
        return frozenset(map(card_of, self._pack(self._deal())))

    # ---------------------------------------------------------------------------------------- what it can have been

    def worlds(self) -> list[Engine[Any, Any]]:
        """The game in `draws` ways in which its unseen cards can lie, all layouts alike; none where none is found."""
        games, last = [], [] if self.untold() else [self._ways()]  # what is in sight and not told cannot be drawn
        for deals in zip(*self._drawn_deals, *last, strict=False):
            games.append(self.engine.anew())
            for record in itertools.chain(*deals):
                games[-1].apply(to_engine(record))
        return games

    def _ways(self) -> list[list[Action]]:
        """The records of the deal in `draws` ways; none where a card in sight was not told."""
        state, seen, found = self._deal(), self.engine.view(self.seat), list[list[Action]]()
        if all(is_open(told) for told, _ in state) or not self._holders:
            return [[full for _, full in state]] * self.draws
        if self.is_blurred or not self._pack(state) or not self.draws:
            return []
        places, items = self._ground(state)
        laid = assign(places, items, self._bars, 0.0, self._rng)
        trials = drawn(places, laid or (), self._bars, self._rng)
        for trial, left in itertools.islice(trials, _TRIALS * self.draws * bool(laid)):
            way = self._relaid(self._leaving(state, places, left), trial)
            full, engine = self._applied(way, len(state))
            if engine is not None and full == way and engine.view(self.seat) == seen:
                found.append([record for _, record in full])
            if len(found) == self.draws:
                return found
        return []

    # ------------------------------------------------------------------------------------------------ making it fit

    def _fill(self, engine: Engine[Any, Any], told: Action) -> Action:
        """A record as it can have been, its known cards at their places."""
        if is_open(told):
            return dict(told)
        if engine.to_act is None:
            return self._drawn(engine, told)
        legal = engine.legal(told.get("player"))
        many = range(len(legal)) if len(legal) <= 400 else self._rng.integers(len(legal), size=400)
        fitting = next((action for place in many if can_be(told, action := legal[int(place)])), None)
        if fitting is None:
            raise TowerlabError(f"{told['action']} is not possible now")
        return joined_with(told, fitting)

    def _drawn(self, engine: Engine[Any, Any], told: Action) -> Action:
        """What chance can have done, of which so much was told."""
        sample = from_engine(engine.chance(self._rng))
        if sample["action"] != told["action"]:
            raise TowerlabError(f"{told['action']} is not due; expected {sample['action']}")
        return joined_with(told, sample)

    def _other_chance(self, state: State, told: Action, error: TowerlabError) -> tuple[State, Action, Engine[Any, Any]]:
        """The deal begun otherwise, so that chance could do what was told."""
        deal = state[0][0] if state else {}
        for _ in range(0 if is_open(deal) else 900):
            again = [(deal, self._drawn(self._before, deal)), *state[1:]]
            engine, done = self._play(again)
            if done == len(state) and engine.to_act is None:
                try:
                    full = self._drawn(engine, told)
                    engine.apply(to_engine(full))
                except TowerlabError:
                    continue
                return again, full, engine
        raise error

    def _laid(
        self,
        state: State,
        bars: Sequence[Bar],
        news: tuple[frozenset[int], Sequence[str]] | None = None,
        is_supposed: bool = False,
    ) -> list[Any]:
        """The deal with its unseen cards laid so that it can be applied, and the game after it.

        Args:
            state: its records; of the last ones the unseen cards may not fit.
            bars: what was seen not to be held.
            news: places, and the cards that have just been told to lie there.
            is_supposed: the last record is only looked at: it is not applied.

        Raises:
            TowerlabError: no layout fits.
        """
        left, blurred = self._left, not all(is_open(told.get("card")) for told, _ in state)
        for noise in _NOISES if blurred else _NOISES[:2]:
            for begun in itertools.islice(self._hiding_places(state, bars), _MOST_WAYS):
                trial = self._assigned(begun, bars, news, noise) if self._pack(state) else begun
                if trial is None:
                    continue
                full, engine = self._applied(trial, len(trial) - is_supposed)
                if engine is not None:
                    return [*full, engine]
        self._left = left
        raise TowerlabError(_cannot_lie(news[1]) if news is not None else self._contradiction(state[-1][0], bars))

    def _contradiction(self, told: Action, bars: Sequence[Bar]) -> str:
        """Why a record cannot be, as far as one earlier record shows it."""
        cards, holder = sorted(cards_named([told])), told.get("player")
        why = "it does not go with what you recorded before, however the unseen cards lie"
        shown = [bar.at + 1 for bar in bars if bar.holder == holder and not bar.cards.isdisjoint(cards)]
        if holder is not None and shown and shown[0] <= len(self.told):
            why = f"action {shown[0]}, as you recorded it, shows that {self.names[holder]} had no card like that"
        said = " ".join([str(told["action"]), *map(card_words, cards)])
        return f"{said} is not possible: {why}; expected another card, or u to take back what was wrong"

    def _applied(self, state: State, most: int) -> tuple[State, Engine[Any, Any] | None]:
        """The records as they can be applied one after the other, and the game after them; None if they cannot."""
        engine, done = self._before.copy(), State()
        for step, (told, full) in enumerate(state[:most]):
            try:
                if self.game.guess is not None:
                    full = self.game.guess(engine, self.seat, [later for later, _ in state[step:]], full)
                elif not is_open(told) and engine.to_act is not None and not engine.can(full):
                    full = self._fill(engine, told)
                engine.apply(to_engine(full))
            except TowerlabError:
                return done, None
            done.append((told, full))
        return done, engine

    def _hiding_places(self, state: State, bars: Sequence[Bar], first: int = 1) -> Iterator[State]:
        """The deal with other cards leaving a hand unseen from a record on, the ways that change least first.

        Cards known to lie in that hand and shown by a bar not to be there later must have left; those seen to be played
        later cannot have. Which of the unknown ones left is the same, they are laid anew afterwards: it only counts how
        many of the free known ones did.
        """
        pack, parted = self._pack(state), {card for card, *_ in self._seen(state)}
        told_of = dict(zip(pack, self._pack([(told, told) for told, _ in state]), strict=True))
        left = {label for told, full in state[1:first] for label in not_told(told, full)}
        for step, (told, full) in enumerate(state[first:], first):
            gone = list(not_told(told, full)) if "player" in told and not self._was_chance(step) else []
            if gone and not told_of.keys().isdisjoint(gone):
                break
        else:
            yield state
            return
        holder, at = told["player"], self.first + step
        barred = {card for bar in bars if bar.holder == holder and bar.at > at for card in bar.cards}
        mine = [pack[place] for place, (who, since) in self._holders.items() if who == holder and since < at]
        mine = sorted((card for card in mine if card not in left), key=lambda card: card not in gone)
        unknown = [card for card in mine if told_of[card] == UNKNOWN]
        known = [card for card in mine if told_of[card] != UNKNOWN and card not in parted]
        must, free = [c for c in known if c in barred], [c for c in known if c not in barred]
        spare, before = len(gone) - len(must), len(set(free) & set(gone))
        for many in sorted(range(max(0, spare - len(unknown)), spare + 1), key=lambda many: abs(many - before)):
            for chosen in itertools.combinations(free, many):
                leaving = [*must, *chosen, *unknown[: spare - many]]
                stay = [card for card in gone if card not in leaving]
                swap = dict(zip(stay, [card for card in leaving if card not in gone], strict=True))
                changed = [*state[:step], (told, exchanged(told, full, swap)), *state[step + 1 :]]
                yield from self._hiding_places(changed, bars, step + 1)

    def _was_chance(self, step: int) -> bool:
        """Whether a record of the deal was one of chance."""
        return self.first + step < len(self.told) and self._by_chance[self.first + step]

    def _assigned(
        self, state: State, bars: Sequence[Bar], news: tuple[frozenset[int], Sequence[str]] | None, noise: float
    ) -> State | None:
        """The deal with its cards laid anew; None where no layout fits what was told of them one by one."""
        places, items = self._ground(state, news)
        found = assign(places, items, bars, noise, self._rng) if len(items) == len(places) else None
        if found is None:
            return None
        if self.has_copies:
            self._left = {place for place, item in enumerate(found) if item.holder is not None}
        return self._relaid(state, found)

    def _ground(
        self, state: State, news: tuple[frozenset[int], Sequence[str]] | None = None
    ) -> tuple[list[Place], list[Item]]:
        """The places of the deal and the cards that lie there; more cards where some are named too often."""
        pack, known = self._pack(state), self._pack([(told, told) for told, _ in state])
        left = Counter(map(card_of, pack))
        items = [Item(*seen) for seen in self._seen(state)]
        if news is not None:
            named = Counter(news[1])
            items = [item for item in items if self.has_copies or item.card not in named]
            items += [Item(card, within=news[0]) for card in news[1]]
        left.subtract(item.card for item in items)
        return self._places(state, pack, known), items + [Item(card) for card in left.elements()]

    def _relaid(self, state: State, found: Sequence[Item]) -> State:
        """The deal with those cards at its places."""
        labels = labels_of([item.card for item in found])
        swap = dict(zip(self._pack(state), labels, strict=True))
        return [
            (told, {**full, "pack": labels} if "pack" in told else exchanged(told, full, swap)) for told, full in state
        ]

    def _leaving(self, state: State, places: Sequence[Place], left: Sequence[int | None]) -> State:
        """The deal with other places leaving hands unseen: of each the number of the record."""
        pack, changed = self._pack(state), list(state)
        for step in {place.until for place in places if place.until is not None}:
            gone = [card for card, place in zip(pack, places, strict=True) if place.until == step]
            leaving = [card for card, until in zip(pack, left, strict=True) if until == step]
            stay, come = ([card for card in one if card not in two] for one, two in ((gone, leaving), (leaving, gone)))
            told, full = state[step - self.first]
            changed[step - self.first] = told, exchanged(told, full, dict(zip(stay, come, strict=True)))
        return changed

    def _places(self, state: State, pack: Sequence[str], known: Sequence[str]) -> list[Place]:
        until: dict[str, int] = {}
        for step, (told, full) in enumerate(state):
            if step and not self._was_chance(step):
                until |= dict.fromkeys(not_told(told, full), self.first + step)
        return [
            Place(None if told == UNKNOWN else told, holder, since, until.get(card), card_of(card))
            for place, (told, card) in enumerate(zip(known, pack, strict=True))
            for holder, since in [self._holders.get(place, (None, 0))]
        ]

    def _seen(self, state: State) -> Iterator[tuple[str, int, int]]:
        """Cards that somebody was seen to part with: card, who, in which record."""
        found = set[str]()
        for step, (told, _) in enumerate(state):
            for card in cards_named([told]) if step and "player" in told and not self._was_chance(step) else ():
                if self.has_copies or card not in found:
                    found.add(card)
                    yield card, int(told["player"]), self.first + step

    def _barred(self, action: Action, step: int) -> list[Bar]:
        """What an action shows its player not to hold besides."""
        if self.game.bars is None or self.engine.to_act is None:
            return []
        actor = int(action.get("player", self.engine.to_act))
        cards = self.game.bars(self.engine.view(self.seat), action, self.options)
        return [Bar(actor, step, frozenset(cards))] if cards else []

    def _deal_out(self, full: Action, after: Engine[Any, Any]) -> None:
        """Note who got which places of the pack by the record that has just been added."""
        state, step = self._deal(), len(self.told) - 1
        pack = self._pack(state)
        if not pack:
            return
        if self.has_copies:
            assert self.game.draws is not None
            first = len(self._holders)
            for place, seat in enumerate(self.game.draws(full, self.engine), first):
                self._holders[place] = (seat, step)
            return
        if after.to_act is None:
            return  # not dealt yet: the rows are those of the deal before
        at = {label: place for place, label in enumerate(pack)}
        for seat in after.seats:
            for card in self.game.hand(after, seat):
                self._holders.setdefault(at[card], (seat, step))
        for action in after.legal(after.to_act)[:MOST_LISTED]:  # who may give away an up-card has it
            if "card" in action and action["action"] != "play":
                self._holders.setdefault(at[action["card"]], (after.to_act, step))

    # ---------------------------------------------------------------------------------------------------- the ground

    def _deal(self) -> State:
        """The records of the deal: as told, and as they can have been."""
        return list(zip(self.told[self.first :], self._full[self.first :], strict=True))

    def _pack(self, state: State) -> list[str]:
        """The cards of the deal by their place in the pack; none where none was shuffled."""
        return list(state[0][1].get("pack", ())) if state else []

    def _play(self, state: State) -> tuple[Engine[Any, Any], int]:
        """The game after the records of the deal, as far as they can be applied, and how many that were."""
        engine = self._before.copy()
        for done, (_, full) in enumerate(state):
            try:
                engine.apply(to_engine(full))
            except TowerlabError:
                return engine, done
        return engine, len(state)

    @property
    def has_copies(self) -> bool:
        """Whether some cards of the pack are equal."""
        return len({card_of(card) for card in self._pack(self._deal())}) < len(self._pack(self._deal()))

    @property
    def names(self) -> tuple[str, ...]:
        """What everybody is called."""
        return tuple("you" if seat == self.seat else f"player {seat + 1}" for seat in self.engine.seats)

    def _rows(self) -> list[Cards]:
        scene = self.game.scene(self.engine.view(self.seat), self.names)
        return [part for part in scene.parts if isinstance(part, Cards)]

    def _facts(self, engine: Engine[Any, Any]) -> tuple[Any, ...]:
        parts = self.game.scene(engine.view(self.seat), self.names).parts
        return tuple(fact for part in parts if isinstance(part, Facts) for fact in part.facts)

    def _untold_of(self, shown: set[str]) -> list[str]:
        """Cards in sight that chance has dealt and nobody has named since."""
        found: dict[str, None] = {}
        for place in range(self.first, len(self.told)):
            if self._by_chance[place]:
                hidden = set(not_told(self.told[place], self._full[place])) & shown
                if hidden:
                    found |= dict.fromkeys(sorted(hidden - cards_named(self.told[place:])))
        return list(found)

    def _untold_copies(self, row: Cards, shown: Sequence[str]) -> list[str]:
        """The same where cards are equal: places in a hand that is shown."""
        seat = self.seat if row.own else self.names.index(row.title) if row.title in self.names else None
        state = self._deal()
        if seat is None or not shown or not state:
            return []
        held = [place for place, (holder, _) in self._holders.items() if holder == seat and place not in self._left]
        told = state[0][0]["pack"]
        open_places = [place for place in held if told[place] == UNKNOWN]
        return [self._pack(state)[place] for place in open_places[: len(shown) - len(held) + len(open_places)]]


def _differences(found: Sequence[tuple[Any, ...]], seat: int) -> list[str]:
    """What tells some outcomes apart, in words."""
    shared = set(found[0][:-2]).intersection(*(one[:-2] for one in found[1:])) if found else set()
    turns = {one[-2] for one in found}
    words = []
    for *facts, to_act, goes_on in found:
        said = [f"{name} {value}" for name, value in facts if (name, value) not in shared]
        if len(turns) > 1 and to_act is not None:
            said.append("your turn" if to_act == seat else f"player {to_act + 1} to act")
        words.append(", ".join([*said, *([] if goes_on else ["the game is over"])]) or "as before")
    return words


def _cannot_lie(cards: Sequence[str]) -> str:
    said = " ".join(map(card_words, cards))
    return (
        f"{said} cannot lie there by what you recorded before; expected other cards, or u to take back what was wrong"
    )
