"""A game of which one seat tells what it saw; ``"?"`` stands for a card that nobody has told.

Beside what was told stands one way in which the unseen cards can lie, so that the engine can play it: whatever is told
next and does not fit is made to fit by exchanging unseen cards, or refused. What the seat may know is the same in every
such way (its view holds nothing hidden), so that it can be graded although the rest is made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from analysis.table.drawing import card_words
from analysis.table.game import TableGame
from analysis.table.scene import Cards, Facts
from games.engine import Engine
from games.errors import TowerlabError
from games.transcript import Action

UNKNOWN: Final = "?"
_COPY: Final = "#"  # equal cards of a pack are told apart by what stands behind it
_TRIES: Final = 900  # exchanges before something told is refused
State = list[tuple[Action, Action]]
_LOTS: Final = 40  # samples of what chance may visibly decide


class Layout:
    """What was told, and a way the unseen cards can lie.

    Args:
        game: what it brings to the table.
        options: rule options.
        seat: whose views they are.

    Attributes:
        told: the records, with `UNKNOWN`.
        engine: the game after them, unseen cards made up.
        is_blurred: whether a card on the table has not been told, so that what the seat knew is not known.
        unclear: the numbers, from 1, of actions before which it was so.
    """

    def __init__(self, game: TableGame, options: Any, seat: int) -> None:
        self.game, self.options, self.seat = game, options, seat
        self.told: list[Action] = []
        self.engine: Engine[Any, Any] = game.start(options)
        if seat not in self.engine.seats:
            raise TowerlabError(f"there is no seat {seat}; expected 0 to {len(self.engine.seats) - 1}")
        self.is_blurred, self.unclear = False, set[int]()
        self._shown = 0  # cards of others that were told where cards are equal
        self._full: list[Action] = []
        self._by_chance: list[bool] = []
        self._before, self._first = self.engine.copy(), 0  # the deal: unseen cards are exchanged from here on
        self._rng = np.random.default_rng(0)

    # --------------------------------------------------------------------------------------------- what was told

    def add(self, told: Action, full: Action | None = None, later: Sequence[Action] = ()) -> None:
        """One more record.

        Args:
            told: with `UNKNOWN` for cards not seen.
            full: a way it can have been; None looks for one.
            later: what is told after it, where that is known.

        Raises:
            TowerlabError: it cannot have been so, however the unseen cards lie; nothing has changed.
        """
        by_chance = self.engine.to_act is None
        state = self._deal()
        try:
            full = self._fill(told, _names(later)) if full is None else _labelled(full)
            after = self.engine.copy()
            after.apply(_stripped(full))
        except TowerlabError as error:
            if by_chance:
                state, full, after = self._other_chance(state, told, error)
            elif full is None or told.get("player", self.engine.to_act) == self.seat:
                raise
            else:
                *state, (_, full), after = self._mended([*state, (told, full)])
        self._full[self._first :] = [record for _, record in state]
        if "pack" in told:
            self._before, self._first = self._play(state)[0], len(self._full)
            self.is_blurred, self._shown = False, 0
        done = after.actions[-1]
        self.told.append(told if "player" not in done else {**told, "player": done["player"]})
        self._full.append(full)
        self._by_chance.append(by_chance)
        self.engine = after
        if not by_chance and (made_up := set(map(_text, _hidden(told, full)))):
            self.is_blurred |= any(made_up & set(row.cards) for row in self._rows())
        if self.is_blurred:
            self.unclear.add(len(self.told) + 1)

    def untold(self) -> tuple[str, list[str]] | None:
        """A row of cards that the seat sees and has not told: its title and the cards made up; None without."""
        for row in self._rows():
            shown = [card for card in row.cards if card]
            labels = self._untold_copies(row) if self._has_copies else self._untold_of(set(shown))
            if labels:
                return row.title, labels
        return None

    def tell(self, title: str, labels: Sequence[str], cards: Sequence[str]) -> None:
        """What the cards of `untold` are.

        Raises:
            TowerlabError: not so many, or they cannot be; nothing has changed.
        """
        if len(cards) != len(labels):
            raise TowerlabError(f"{len(cards)} cards told; expected {len(labels)}")
        if not self._has_copies and len(set(cards)) < len(cards):
            raise TowerlabError("a card is told twice; expected every card once")
        left, open_labels = list(cards), []
        for label in labels:
            if _text(label) in left:
                left.remove(_text(label))
            else:
                open_labels.append(label)
        known = [label for label in labels if label not in open_labels]
        state = _marked(self._deal(), known)
        for label, card in zip(open_labels, left, strict=True):
            state = self._with(state, label, card, open_labels)
        engine, _ = self._play(state)
        self._shown += len(labels) * all(row.title != title for row in self._rows() if row.own)
        self.told[self._first :] = [told for told, _ in state]
        self._full[self._first :] = [full for _, full in state]
        self.engine = engine

    def settle(self) -> None:
        """Write down, where a deal is over, where the cards lay that have become known since."""
        for place in range(self._first, len(self.told)):
            later = _names(self.told[place + 1 :])
            made = _joined(self.told[place], self._full[place], lambda c, k=later: c if c in k else UNKNOWN)  # type: ignore[misc]
            hidden = list(_hidden(made, self._full[place]))
            if not self._has_copies:
                is_last = len(hidden) == 1 and "pack" in made  # all the others of a pack are known
                self.told[place] = self._full[place] if is_last else made

    @property
    def is_full(self) -> bool:
        """Whether every card has been told: a transcript like any other."""
        return not any(UNKNOWN in json.dumps(told) for told in self.told)

    def lots(self) -> dict[str, list[tuple[Action, Action]]]:
        """What chance may visibly decide now, by words: the records that do, as told and as they can have been."""
        found: dict[tuple[Any, ...], list[Action]] = {}
        for _ in range(_LOTS):
            first = self.engine.chance(self._rng)
            for begun in ({**first, key: not value} for key, value in [*_flags(first), ("action", None)]):
                chain, twin = [{**begun, "action": first["action"]}], self.engine.copy()
                twin.apply(chain[0])
                while twin.to_act is None and twin.result is None and len(chain) < 60:
                    chain.append(twin.chance(self._rng))
                    twin.apply(chain[-1])
                key = (*self._facts(twin), twin.to_act, twin.result is None)
                if key not in found or len(chain) < len(found[key]):
                    found[key] = chain
        words = _differences(list(found), self.seat)
        lots = sorted(zip(words, found.values(), strict=True), key=lambda lot: lot[0])  # asked again: the same numbers
        return {word: [(_blank(action), action) for action in chain] for word, chain in lots}

    def holding(self, seat: int, card: str) -> Iterator[Engine[Any, Any]]:
        """The game as it now stands, with an unseen card in the hand of a player."""
        state = self._deal()
        for label in self._held(self.engine, seat, state):
            for name in self._labels_of(card, state):
                engine, done = self._play(_exchanged(state, label, name))
                if done == len(state) and card in _own(self.game, engine, seat):
                    yield engine

    def cornered(self, seat: int) -> Iterator[Engine[Any, Any]]:
        """The game as it now stands, with ever fewer cards in that player's hand that he could play."""
        state, worth = self._deal(), self._worth(self.engine, seat, ())
        for _ in range(200):
            pair = self._pair(state, self._play(state)[0], seat, set())
            if pair is None:
                return
            other = _exchanged(state, *pair)
            engine, done = self._play(other)
            if done == len(other):
                yield engine
                if (new := self._worth(engine, seat, ())) >= worth:
                    state, worth = other, new

    def unseen(self) -> list[str]:
        """Cards that nobody has told, as texts, lowest place first."""
        told = _names(self.told[self._first :]) if not self._has_copies else set()
        labels = dict.fromkeys(_hidden_labels(self._deal()))
        return [text for text in dict.fromkeys(map(_text, labels)) if text not in told]

    # ------------------------------------------------------------------------------------------------ making it fit

    def _fill(self, told: Action, later: set[str]) -> Action:
        """A record as it can have been, its known cards at their places; best without cards that come later."""
        if UNKNOWN not in json.dumps(told):
            return dict(told)
        if self.engine.to_act is None:
            return self._drawn(self.engine, told)
        legal = self.engine.legal(told.get("player"))
        many = range(len(legal)) if len(legal) <= 400 else self._rng.integers(len(legal), size=400)
        fitting = [action for place in many if _fits(told, action := legal[int(place)])]
        if fitting:
            return _joined_with(told, min(fitting, key=lambda action: len(_names([action]) & later)))
        raise TowerlabError(f"{told['action']} is not possible now")

    def _drawn(self, engine: Engine[Any, Any], told: Action) -> Action:
        """What chance can have done, of which so much was told."""
        sample = _labelled(engine.chance(self._rng))
        if sample["action"] != told["action"]:
            raise TowerlabError(f"{told['action']} is not due; expected {sample['action']}")
        return _joined_with(told, sample)

    def _other_chance(self, state: State, told: Action, error: TowerlabError) -> tuple[State, Action, Engine[Any, Any]]:
        """The deal begun otherwise, so that chance could do what was told."""
        deal = state[0][0] if state else {}
        for _ in range(_TRIES if UNKNOWN in json.dumps(deal) else 0):
            again = [(deal, self._drawn(self._before, deal)), *state[1:]]
            engine, done = self._play(again)
            if done == len(state) and engine.to_act is None:
                try:
                    full = self._drawn(engine, told)
                    engine.apply(_stripped(full))
                except TowerlabError:
                    continue
                return again, full, engine
        raise error

    def _mended(self, state: State) -> list[Any]:
        """A deal that cannot be applied, with cards exchanged so that it can, and the game after it.

        Raises:
            TowerlabError: no such exchanges were found.
        """
        tries = 0
        while tries < _TRIES:
            trial, (engine, done) = state, self._play(state)
            for _ in range(80):
                tries += 1
                told = trial[done][0]
                actor = int(told.get("player", -1 if engine.to_act is None else engine.to_act))
                pair = None if actor in (-1, self.seat) else self._pair(trial, engine, actor, _names([told]))
                if pair is None:
                    break
                other = _exchanged(trial, *pair)
                after, so_far = self._play(other)
                if so_far == len(other):
                    return [*other, after]
                if so_far < done:
                    continue
                wanted = sorted(_names([told]))
                if so_far > done or self._worth(after, actor, wanted) >= self._worth(engine, actor, wanted):
                    trial, engine, done = other, after, so_far
        said = " ".join(card_words(card) for card in sorted(_names([state[-1][0]])))
        raise TowerlabError(
            f"{state[-1][0]['action']} {said} cannot have been: it contradicts what was told before, however the "
            "unseen cards lie; expected another card, or u to take back what was wrong"
        )

    def _worth(self, engine: Engine[Any, Any], actor: int, wanted: Sequence[str]) -> tuple[int, int]:
        """How near a layout is to what is wanted: its cards held, then as few other actions as can be."""
        held = _own(self.game, engine, actor)
        return sum(card in held for card in wanted), -len(engine.legal(actor))

    def _pair(self, state: State, engine: Engine[Any, Any], actor: int, wanted: set[str]) -> tuple[str, str] | None:
        """Two cards to exchange: a wanted one for one he holds, else one that stands in the way for an unseen one."""
        held, mine = _own(self.game, engine, actor), self._held(engine, actor, state)
        missing = [card for card in wanted if card not in held]
        if missing:
            names = self._labels_of(missing[0], state)
            mine = [label for label in mine if _text(label) not in wanted]
            return None if not names or not mine else (self._any(names), self._any(mine))
        in_the_way = {card for action in engine.legal(actor)[:80] for card in _names([action])} - wanted
        there = [label for label in mine if _text(label) in in_the_way]
        unseen = [label for label in _hidden_labels(state) if label not in mine and _text(label) not in wanted]
        return None if not there or not unseen else (self._any(there), self._any(unseen))

    def _any(self, labels: Sequence[str]) -> str:
        return labels[int(self._rng.integers(len(labels)))]

    def _with(self, state: State, label: str, card: str, taken: Sequence[str]) -> State:
        """The deal with a card in the place of another one."""
        for name in self._labels_of(card, state):
            if name not in taken:
                other = _marked(_exchanged(state, label, name), [name])
                if self._play(other)[1] == len(other):
                    return other
                try:
                    return self._mended(other)[:-1]
                except TowerlabError:
                    continue
        raise TowerlabError(f"{card_words(card)} cannot lie there; expected a card that was not told before")

    # ---------------------------------------------------------------------------------------------------- the ground

    def _deal(self) -> State:
        """The records of the deal: as told, and as they can have been."""
        return list(zip(self.told[self._first :], self._full[self._first :], strict=True))

    def _play(self, state: State) -> tuple[Engine[Any, Any], int]:
        """The game after the records of the deal, as far as they can be applied, and how many that were."""
        engine = self._before.copy()
        for done, (_, full) in enumerate(state):
            try:
                engine.apply(_stripped(full))
            except TowerlabError:
                return engine, done
        return engine, len(state)

    def _labels_of(self, card: str, state: State) -> list[str]:
        """Under which names a card may lie among the unseen ones."""
        named = [label for label in _hidden_labels(state) if _text(label) == card]
        return named if self._has_copies or named else [card]

    def _held(self, engine: Engine[Any, Any], seat: int, state: State) -> list[str]:
        held = _own(self.game, engine, seat)
        return [label for label in _hidden_labels(state) if _text(label) in held]

    @property
    def _has_copies(self) -> bool:
        return any(_COPY in str(full.get("pack", "")) for full in self._full[self._first :][:1])

    @property
    def names(self) -> tuple[str, ...]:
        """What everybody is called."""
        return tuple("you" if seat == self.seat else f"player {seat + 1}" for seat in self.engine.seats)

    def _rows(self, engine: Engine[Any, Any] | None = None) -> list[Cards]:
        scene = self.game.scene((self.engine if engine is None else engine).view(self.seat), self.names)
        return [part for part in scene.parts if isinstance(part, Cards)]

    def _facts(self, engine: Engine[Any, Any]) -> tuple[Any, ...]:
        parts = self.game.scene(engine.view(self.seat), self.names).parts
        return tuple(fact for part in parts if isinstance(part, Facts) for fact in part.facts)

    def _untold_of(self, shown: set[str]) -> list[str]:
        """Cards in sight that chance has dealt and nobody has named since."""
        found: dict[str, None] = {}
        for place in range(self._first, len(self.told)):
            if self._by_chance[place]:
                hidden = set(_hidden(self.told[place], self._full[place])) & shown
                if hidden:
                    found |= dict.fromkeys(sorted(hidden - _names(self.told[place:])))
        return list(found)

    def _untold_copies(self, row: Cards) -> list[str]:
        """The same where cards are equal: those whose exchange with another one changes the row."""
        state, shown = self._deal(), tuple(card for card in row.cards if card)
        if not shown:
            return []
        plays = [told for told in self.told[self._first :] if told["action"] == "play"]
        mine = sum(told.get("player") == self.seat for told in plays)
        told = sum(card != UNKNOWN for card in self.told[self._first].get("pack", ()))
        most = len(shown) + mine - told + self._shown if row.own else len(shown)
        found, labels = list[str](), _hidden_labels(state)
        for label in labels:
            if len(found) == most:
                break
            if _text(label) in shown and self._is_seen(label, labels, row, state):
                found.append(label)
        return found

    def _is_seen(self, label: str, labels: Sequence[str], row: Cards, state: State) -> bool:
        others = [other for other in reversed(labels) if _text(other) != _text(label)]
        for other in others[:6]:
            engine, done = self._play(_exchanged(state, label, other))
            if done == len(state):
                after = [one.cards for one in self._rows(engine) if one.title == row.title]
                return bool(after) and after[0].count(_text(label)) < row.cards.count(_text(label))
        return False


# ------------------------------------------------------------------------------------------------- records with "?"


def _exchanged(state: State, one: str, other: str) -> State:
    """The records with two cards exchanged wherever they were not told."""
    swap = {one: other, other: one}
    return [(told, _joined(told, full, lambda label: swap.get(label, label))) for told, full in state]


def _marked(state: State, known: Sequence[str]) -> State:
    """The records with some cards told, wherever they lie."""
    return [
        (_stripped(_joined(told, full, lambda label: label if label in known else UNKNOWN)), full)
        for told, full in state
    ]


def _hidden_labels(state: State) -> list[str]:
    return list(dict.fromkeys(label for told, full in state for label in _hidden(told, full)))


def _joined(told: Any, full: Any, change: Callable[[str], str]) -> Any:
    """What was told, with what `change` makes of the full record where it was not."""
    if told == UNKNOWN:
        return change(full)
    if isinstance(told, dict):
        return {key: _joined(value, full.get(key), change) for key, value in told.items()}
    if isinstance(told, list) and isinstance(full, list):
        return [_joined(one, other, change) for one, other in zip(told, full, strict=True)]
    return told if full is None else full


def _joined_with(told: Action, full: Action) -> Action:
    """A record that can have been, its cards moved to where they were told."""
    made = {**full, **{key: value for key, value in told.items() if UNKNOWN not in json.dumps(value)}}
    for key, value in told.items():
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            cards = list(full[key])
            for place, card in enumerate(value):
                if card != UNKNOWN and _text(cards[place]) != card:
                    there = next((at for at, one in enumerate(cards) if _text(one) == card != value[at]), None)
                    if there is None:
                        cards[place] = card
                    else:
                        cards[place], cards[there] = cards[there], cards[place]
            made[key] = cards
    return made


def _fits(told: Action, action: Action) -> bool:
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


def _hidden(told: Any, full: Any) -> Iterator[str]:
    """The cards at the places that were not told."""
    if told == UNKNOWN:
        yield full
    elif isinstance(told, dict):
        for key, value in told.items():
            yield from _hidden(value, full.get(key))
    elif isinstance(told, list) and isinstance(full, list):
        for one, other in zip(told, full, strict=True):
            yield from _hidden(one, other)


_CARDS: Final = ("card", "cards", "pack", "piles", "decks")


def _names(records: Sequence[Action]) -> set[str]:
    """The cards that records name."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.add(_text(value))
        elif isinstance(value, list):
            for one in value:
                walk(one)

    for record in records:
        for key in _CARDS:
            walk(record.get(key, []))
    return found - {UNKNOWN}


def _blank(action: Action) -> Action:
    """A record of which no card has been told."""

    def blank(value: Any) -> Any:
        return [blank(one) for one in value] if isinstance(value, list) else UNKNOWN

    return {key: blank(value) if key in _CARDS else value for key, value in action.items()}


def _labelled(action: Action) -> Action:
    """A record whose equal cards of a pack are told apart."""
    pack = action.get("pack")
    if pack is None or len(set(pack)) == len(pack):
        return dict(action)
    seen: dict[str, int] = {}
    labels = []
    for card in pack:
        seen[card] = seen.get(card, 0) + 1
        labels.append(f"{card}{_COPY}{seen[card]}")
    return {**action, "pack": labels}


def _stripped(action: Action) -> Action:
    """A record as the engine reads it."""
    pack = action.get("pack")
    return action if pack is None else {**action, "pack": [_text(card) for card in pack]}


def _text(label: str) -> str:
    return label.partition(_COPY)[0]


def _flags(action: Action) -> list[tuple[str, bool]]:
    return [(key, value) for key, value in action.items() if isinstance(value, bool)]


def _own(game: TableGame, engine: Engine[Any, Any], seat: int) -> tuple[str, ...]:
    """The cards a seat plays from."""
    names = [""] * len(engine.seats)
    rows = [part for part in game.scene(engine.view(seat), names).parts if isinstance(part, Cards) and part.own]
    return tuple(card for row in rows for card in row.cards if card)


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
