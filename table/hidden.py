"""How is a game recorded from the view of one seat? ``"?"`` stands for a card that nobody has named.

A `SeatRecord` holds the records, and the engine after them with made-up cards in place of the unseen ones. If a new
record contradicts these cards, they are drawn again from the layouts that fit (`table.fitting_layouts`); if none fits,
the record is refused. The seat's view is the same in every such layout, so its decisions can be graded.

    towerlab record towers-and-bowers --out match.jsonl
"""

import contextlib
import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from towerlab.analysis.present import number_of
from towerlab.games.engine import Engine, require
from towerlab.games.errors import TowerlabError, demand
from towerlab.games.transcript import Action
from towerlab.table.drawing import card_words
from towerlab.table.fitting_layouts import CardLeft, ExcludedCards, Holdings, NoLayoutFits
from towerlab.table.game import MOST_LISTED, TableGame
from towerlab.table.rows import possessive
from towerlab.table.scene import Cards, Facts, Part, counting_from_one
from towerlab.table.unknown import (
    PROVED,
    UNKNOWN,
    all_unknown,
    cards_in,
    cards_named,
    complete_record,
    fill_unknown,
    is_open,
)

AnyEngine: TypeAlias = Engine[Any, Any]
FittedGame: TypeAlias = tuple[AnyEngine, list[ExcludedCards]]
_SEED: Final = 0  # always the same, so that the same records are refused
_CHANCE_SAMPLES: Final = 40  # samples of what chance may visibly decide
_TRIALS: Final = 20  # for each way that is drawn; their square where hidden cards have decided something
_COPY: Final = "#"  # equal cards of a pack are kept apart by the place that stands behind it
_ANEW: Final = "or u to take back what was wrong"


class RecordRefusedError(TowerlabError):
    """The rules do not allow a record with the made-up cards; a bar says which cards they cannot have been."""

    def __init__(self, reason: str, bar: ExcludedCards | None) -> None:
        super().__init__(reason)
        self.bar = bar


class SeatRecord:
    """The records of a game from the view of one seat, and one layout of its unseen cards.

    Attributes are replaced, never changed in place.

    Args:
        game: the game at the table.
        options: rule options.
        seat: the seat that records.
        start: the state of the match at its beginning, as of `Engine.starting_from`.

    Attributes:
        records: the records as the seat saw them, `UNKNOWN` for cards that nobody has named.
        engine: the game after the records, with made-up unseen cards.
        first: the number of the record, from 0, that began the present deal.
        by_chance: for each record, whether it is an action of chance.
        names: the names of all players for the seat.
        deck: the cards of the pack, sorted; empty in a game that deals no pack.
        has_copies: whether some of these cards are equal.
    """

    def __init__(
        self, game: TableGame, options: Any, seat: int, start: Mapping[str, Sequence[int]] | None = None
    ) -> None:
        self.game = game
        self.options = options
        self.seat = seat
        self.records = list[Action]()
        self.by_chance = list[bool]()
        self.engine: AnyEngine = game.open_record(options, start or {})
        if seat not in self.engine.seats:
            raise TowerlabError(f"there is no seat {seat + 1}; expected 1 to {len(self.engine.seats)}")
        self.names = tuple("you" if place == seat else f"player {place + 1}" for place in self.engine.seats)
        self._ended_deals = list[SeatRecord]()
        self._rng = np.random.default_rng(_SEED)
        self._begin()

    def _begin(self) -> None:
        """Begin another deal: unseen cards are laid anew from here on."""
        self._before, self.first = self.engine, len(self.records)
        self._bars = list[ExcludedCards]()
        self._got = dict[int, tuple[int, int]]()  # place of the pack → who got it, by which record of the deal
        self.deck = list[str]()
        self.has_copies = False

    # --------------------------------------------------------------------------------------------- the records

    def add(self, record: Action) -> None:
        """Add a record, with `UNKNOWN` for unseen cards.

        Raises:
            TowerlabError: it cannot have been so, however the unseen cards lie; nothing has changed.
        """
        engine = self.engine
        deal = self.deal
        bars = self._bars
        by_chance = self.engine.to_act is None
        try:
            after = self._replayed(engine, [record], {})
        except TowerlabError:
            if by_chance or (self._actor(record) == self.seat and PROVED not in record):
                raise
            after, bars = self._refitted(record)
        if not by_chance and not is_open(record):
            before, then = ({card for row in self._rows(at) for card in row.cards} for at in (engine, after))
            is_shown = record["action"] == "play" or (then - before).intersection(_unnamed(record, after.last_action))
            if is_shown or self._actor(record) == self.seat:
                raise TowerlabError(f"a card of {record['action']} lies open on the table; expected which one it was")
        if "pack" in record:
            self.settle()
            self._ended_deals = [*self._ended_deals, copy.copy(self)]
            self._begin()
            deal, bars, self.deck = [], self._bars, sorted(after.last_action["pack"])
            self.has_copies = len({*self.deck}) < len(self.deck)
        deal = [*deal, {**record, "player": after.last_action["player"]} if "player" in after.last_action else record]
        if self.has_copies and not by_chance:  # with equal cards, a card that left a hand fixes its place in the pack
            deal[0] = {**deal[0], "pack": self._holdings(deal, bars).known}
            after, bars = self._played(deal)
        self.records, self.by_chance = [*self.records[: self.first], *deal], [*self.by_chance, by_chance]
        self.engine = after
        self._bars = bars
        self._deal_out(engine)

    @property
    def deal(self) -> list[Action]:
        """The records of the present deal."""
        return self.records[self.first :]

    def unnamed_row(self) -> tuple[str, list[str]] | None:
        """Return a row of cards that the seat sees and has not named: its title and the cards made up; None without."""
        return next(self.unnamed_rows(), None)

    def unnamed_rows(self) -> Iterator[tuple[str, list[str]]]:
        """Yield all such rows."""
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
        named = dict(zip(labels, cards, strict=True))
        deal = list[Action]()
        for record, full in zip(self.deal, self._full(), strict=True):
            deal.append(fill_unknown(record, [named.get(label, UNKNOWN) for label in _unnamed(record, full)]))
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
        """Enter the cards of a deal that is over which have become known since.

        Cards that were in nobody's hand all the time stay where they were made up, if nothing else is unknown.
        """
        deal = self.deal
        full = self._full()
        if not self.deck or self.has_copies:
            return
        unnamed = list(map(_unnamed, deal, full))
        unknown = set().union(*unnamed) - cards_named(deal[1:])
        held = {full[0]["pack"][place] for place in self._got}
        if len(unknown) > 1 and unknown & held:
            cards = ([UNKNOWN if card in unknown else card for card in row] for row in unnamed)
            full = list(map(fill_unknown, deal, cards))
        self.records = [*self.records[: self.first], *full]

    def read_back(self) -> None:
        """Check that the records of the deal can be read back from the file.

        Raises:
            TowerlabError: one is refused.
        """
        again = copy.copy(self)
        first = self.first
        again.engine = self._before
        again.records = self.records[:first]
        again.by_chance = self.by_chance[:first]
        again._begin()
        for record in self.deal:
            again.add(record)

    def chance_outcomes(self) -> dict[str, list[Action]]:
        """Return the outcomes of chance that the seat can tell apart: the words of each, and its records."""
        outcomes: dict[tuple[Any, ...], list[Action]] = {}
        for _ in range(_CHANCE_SAMPLES):
            first = self.engine.chance(self._rng)
            flags = [key for key, value in first.items() if isinstance(value, bool)]
            for start in (*({**first, key: not first[key]} for key in flags), first):
                chain = [start]
                twin = self.engine.copy()
                twin.apply(chain[0])
                while twin.to_act is None and twin.result is None and len(chain) < 60:
                    chain.append(twin.chance(self._rng))
                    twin.apply(chain[-1])
                key = (*self.facts(twin), twin.to_act, twin.result is None)
                if key not in outcomes or len(chain) < len(outcomes[key]):
                    outcomes[key] = chain
        words = _differences(list(outcomes), self.seat)
        rows = sorted(zip(words, outcomes.values(), strict=True), key=lambda lot: lot[0])  # always in the same order
        return {word: _face_down(chain) for word, chain in rows}

    def suppose(self, action: Action) -> AnyEngine:
        """The game as it now stands, the unseen cards such that a player can take an action as far as it is known.

        Raises:
            TowerlabError: there is no such way.
        """
        return self._played([*self.deal, action], is_supposed=True)[0]

    def unseen(self) -> list[str]:
        """Return cards that nobody has named, as texts, lowest place first."""
        deal = self.deal
        named = cards_named(deal) if not self.has_copies else set()
        labels = [label for record, full in zip(deal, self._full(), strict=True) for label in _unnamed(record, full)]
        return [text for text in dict.fromkeys(map(card_of, labels)) if text not in named]

    def unseen_in_order(self) -> tuple[str, ...]:
        """Return `unseen` in the order of suits; nothing where the game has no one pack, or cards that are equal."""
        unseen = set(self.unseen()) if self.deck and not self.has_copies else set[str]()
        return tuple(sorted(unseen, key=lambda card: ("SHDC".find(card[-1]), -"23456789TJQKA".find(card[0]))))

    # ---------------------------------------------------------------------------------------- what it can have been

    def sample_games(self, many: int) -> list[AnyEngine]:
        """Return the game in so many equally likely layouts of its unseen cards; none where none fits."""
        deals = [*self._ended_deals, *[self] * (self.unnamed_row() is None)]  # cards in sight cannot be drawn
        games = []
        for layouts in zip(*(deal._layouts(many) for deal in deals), strict=False):  # none where one deal has none
            games.append(self.engine.reset_copy())
            for record in itertools.chain(*layouts):
                games[-1].apply(record)
        return games

    def _layouts(self, many: int) -> list[Sequence[Action]]:
        """Return the records of the deal in so many layouts, all cards named; none where too few fit."""
        if all(map(is_open, self.deal)) or not self._got:
            return [self.engine.actions[self.first :]] * many
        seen = self.engine.view(self.seat)
        most = _TRIALS * many
        self._rng = np.random.default_rng(_SEED)  # the same record has the same layouts, entered or read
        layouts = list[Sequence[Action]]()
        with contextlib.suppress(TowerlabError):
            for engine, _ in itertools.islice(self._fitting(self.deal, [], most), most):
                if engine.view(self.seat) == seen:
                    layouts.append(engine.actions[self.first :])
                if len(layouts) == many:
                    return layouts
        return []

    # ------------------------------------------------------------------------------------------------ making it fit

    def _made_up(self, engine: AnyEngine, record: Action) -> Action:
        """Return a record as it can have been, its known cards at their places."""
        if is_open(record):
            return record
        if engine.to_act is None:
            sample = engine.chance(self._rng)
            if sample["action"] != record["action"]:
                raise TowerlabError(f"{record['action']} is not due; expected {sample['action']}")
            return complete_record(record, sample)
        legal = engine.legal(record.get("player"))
        if not len(legal) or legal[0]["action"] != record["action"]:
            raise TowerlabError(f"{record['action']} is not possible now")
        return complete_record(record, legal[0])

    def _refitted(self, record: Action) -> FittedGame:
        """Return the game after another player's record that contradicts the cards made up so far.

        Raises:
            TowerlabError: nor do any others; says why, as far as one earlier record shows it.
        """
        try:
            return self._played([*self.deal, record])
        except TowerlabError as error:
            cards = sorted(cards_named([record]))
            holder = self._actor(record)
            shown = [self.first + bar.step + 1 for bar in self._bars if bar.seat == holder and {*cards} & bar.cards]
            why = next(filter(None, map(self._whereabouts, cards)), "")
            if (
                not why and isinstance(error, RecordRefusedError) and error.bar is None
            ):  # no unseen card has to do with it
                raise
            if not why and shown:
                why = f"action {shown[0]}, as you recorded it, shows that {self.names[holder]} had no card like that"
            why = why or str(NoLayoutFits())
            said = " ".join([str(record["action"]), *map(card_words, cards)])
            raise TowerlabError(f"{said} is not possible: {why}; expected another card, {_ANEW}") from error

    def _whereabouts(self, card: str) -> str:
        """Return where a card is known to be; empty where it is not known."""
        if self.has_copies:
            return ""
        if card not in self.deck:
            return f"{card_words(card)} is no card of this game"
        for step, record in enumerate(self.deal, self.first):
            if step > self.first and not self.by_chance[step] and card in cards_in(record):
                return f"{card_words(card)} left {possessive(self.names[record['player']])} hand with action {step + 1}"
        pack = self.records[self.first]["pack"]
        if card not in pack:
            return ""
        holder = self._got.get(pack.index(card))
        where = "lies in no player's hand" if holder is None else f"was dealt to {self.names[holder[0]]}"
        return f"{card_words(card)} {where}"

    def _played(self, deal: Sequence[Action], is_supposed: bool = False) -> FittedGame:
        """Return the first game of `_fitting`, with many trials where unseen cards have decided a claim."""
        trials = _TRIALS * _TRIALS * any(PROVED in record for record in deal)
        return next(self._fitting(deal, self._bars, trials, is_supposed))

    def _fitting(
        self, deal: Sequence[Action], bars: list[ExcludedCards], trials: int, is_supposed: bool = False
    ) -> Iterator[FittedGame]:
        """Yield the game after records of the deal, its unseen cards drawn again and again so that they fit.

        Args:
            bars: cards that earlier records show not to have been held.
            trials: the number of draws that the rules may refuse without showing why.
            is_supposed: the last record is possible, but is not taken.

        Yields:
            The game, and all bars that are known by then.

        Raises:
            NoLayoutFits: no layout fits.
            RecordRefusedError: the rules do not allow a record.
        """
        layouts = None
        while True:
            try:
                if layouts is None:
                    layouts = self._holdings(deal, bars).layouts(self._rng) if self.deck else itertools.repeat({})
                yield self._replayed(self._before, deal, next(layouts), is_supposed), bars
            except RecordRefusedError as refused:
                if refused.bar is not None and refused.bar not in bars:
                    bars, layouts = [*bars, refused.bar], None
                elif trials:
                    trials -= 1
                else:
                    raise

    def _replayed(
        self, engine: AnyEngine, deal: Sequence[Action], cards: Mapping[int, Sequence[str]], is_supposed: bool = False
    ) -> AnyEngine:
        """Return the game after some records.

        Args:
            engine: the game before them.
            deal: the records.
            cards: the unseen cards of records, by the place of the record; those of other records are made up.
            is_supposed: the last record is possible, but is not taken.

        Raises:
            RecordRefusedError: the rules do not allow a record.
        """
        for step, record in enumerate(deal):
            try:
                if is_supposed and step == len(deal) - 1:
                    is_legal = any(
                        record.items() <= legal.items() for legal in engine.legal(record["player"])[:MOST_LISTED]
                    )
                    demand(is_legal, f"{record['action']} is not possible", "")
                    return engine
                full = record
                if not is_open(record):
                    full = fill_unknown(record, cards[step]) if step in cards else self._made_up(engine, record)
                    if engine.to_act is not None and not engine.can(full):
                        full = self._made_up(engine, record)
                    full = self.game.guess(engine, self.seat, deal[step:], full)
                after = engine.copy()
                with counting_from_one():
                    after.apply({key: value for key, value in full.items() if key != PROVED})
                if PROVED in record and (
                    self.game.rests_on(engine, after.last_action) is None
                    or self.game.is_proved(after, record) is not record[PROVED]
                ):
                    how = "" if record[PROVED] else "not "
                    raise TowerlabError(f"{record['action']} cannot have been {how}proved")
                engine = after
            except TowerlabError as error:
                raise RecordRefusedError(str(error), self._shown_by(engine, step, record)) from error
        return engine

    def _shown_by(self, engine: AnyEngine, step: int, record: Action) -> ExcludedCards | None:
        """Return the cards that a player cannot have held, who did not play one of them at a refused record."""
        seat = record.get("player", engine.to_act)
        if seat is None or seat == self.seat or seat != engine.to_act or not self.deck:
            return None
        held = cards_named(action for action in engine.legal(seat)[:MOST_LISTED] if action["action"] == "play")
        return ExcludedCards(seat, step, frozenset(held)) if held and held.isdisjoint(cards_in(record)) else None

    def _holdings(self, deal: Sequence[Action], bars: Sequence[ExcludedCards]) -> Holdings:
        """Return the layouts that fit records of the deal, the last of them perhaps not yet added."""
        by_chance = [*self.by_chance[self.first :], False]
        cards_left = [
            CardLeft(step, self._actor(record), card)
            for step, record in enumerate(deal)
            if step and not by_chance[step]
            for card in cards_in(record)
        ]
        return Holdings(self.deck, deal[0]["pack"], self._got, cards_left, bars)

    def _actor(self, action: Action) -> int:
        """Return the seat that takes an action."""
        seat = action.get("player", self.engine.to_act)
        return int(require(seat))

    def _deal_out(self, before: AnyEngine) -> None:
        """Note who got which places of the pack by the record that has just been added, which names no card played."""
        engine = self.engine
        step = len(self.records) - self.first - 1
        got = dict[int, int]()
        if self.has_copies:
            got = dict(enumerate(self.game.draws(engine.last_action, before), len(self._got)))
        elif self.deck and engine.to_act is not None and (self.by_chance[-1] or not cards_in(self.records[-1])):
            at = {card: place for place, card in enumerate(self._full()[0]["pack"])}
            for action in engine.legal(engine.to_act)[:MOST_LISTED]:  # who may give away an up-card has it
                if "card" in action and action["action"] != "play":
                    got[at[action["card"]]] = engine.to_act
            got |= {at[card]: seat for seat in engine.seats for card in self.game.hand(engine, seat)}
        self._got = {place: (seat, step) for place, seat in got.items()} | self._got

    # ---------------------------------------------------------------------------------------------------- the ground

    def _full(self) -> list[Action]:
        """Return the records of the deal as they can have been, their cards in the order of those recorded."""
        full = list(self.engine.actions[self.first :])
        if self.has_copies:
            full[0] = {**full[0], "pack": [f"{card}{_COPY}{place}" for place, card in enumerate(full[0]["pack"])]}
        return full

    def _parts(self, engine: AnyEngine) -> Sequence[Part]:
        return self.game.scene(engine.view(self.seat), self.names, engine.options).parts

    def _rows(self, engine: AnyEngine) -> list[Cards]:
        return [part for part in self._parts(engine) if isinstance(part, Cards)]

    def facts(self, engine: AnyEngine | None = None) -> tuple[tuple[str, str], ...]:
        """Return the facts that the seat is shown, now or in another game."""
        parts = self._parts(engine or self.engine)
        return tuple(fact for part in parts if isinstance(part, Facts) for fact in part.facts)

    def _unnamed_of(self, shown: set[str], full: Sequence[Action]) -> list[str]:
        """Return cards in sight that chance has dealt and nobody has named since."""
        deal = self.deal
        unnamed = set[str]()
        for step, is_chance in enumerate(self.by_chance[self.first :]):
            if is_chance and (hidden := shown.intersection(_unnamed(deal[step], full[step]))):
                unnamed |= hidden - cards_named(deal[step:])
        return sorted(unnamed)

    def _unnamed_copies(self, row: Cards, shown: Sequence[str], full: Sequence[Action]) -> list[str]:
        """Return the unnamed cards of a hand that is shown, in a game with equal cards."""
        seat = self.seat if row.own else self.names.index(row.title) if row.title in self.names else None
        if seat is None or not shown:
            return []
        held = [role for role in self._holdings(self.deal, self._bars).roles if role.holder == seat]
        unknown = [full[0]["pack"][role.place] for role in held if role.card is None]
        return unknown[: len(shown) - len(held) + len(unknown)]


def _unnamed(record: Action, full: Action) -> list[str]:
    """Return the cards of a full record where the one that was entered has none."""
    if "pack" in record:
        return [card for recorded, card in zip(record["pack"], full["pack"], strict=True) if recorded == UNKNOWN]
    return [card for card in cards_in(full) if card not in cards_in(record)]


def _face_down(chain: Sequence[Action]) -> list[Action]:
    """Return records of chance with unknown cards, but for those of a pack that another replaces: the starter's."""
    dealt = max((place for place, action in enumerate(chain) if "pack" in action), default=0)
    return [*chain[:dealt], *map(all_unknown, chain[dealt:])]


def card_of(label: str) -> str:
    """Return the text of a card without what keeps it apart from equal ones."""
    return label.partition(_COPY)[0]


def _differences(outcomes: Sequence[tuple[Any, ...]], seat: int) -> list[str]:
    """Return how some outcomes differ, in words."""
    shared = set(outcomes[0][:-2]).intersection(*(outcome[:-2] for outcome in outcomes[1:])) if outcomes else set()
    turns = {outcome[-2] for outcome in outcomes}
    words = []
    for *facts, to_act, goes_on in outcomes:
        said = [f"{name} {value}" for name, value in facts if (name, value) not in shared]
        if len(turns) > 1 and to_act is not None:
            said.append("your turn" if to_act == seat else f"player {to_act + 1} to act")
        words.append(", ".join([*said, *([] if goes_on else ["the game is over"])]) or "as before")
    return words
