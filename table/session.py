"""Who sits where, and what comes next? A game under way between people and players, saved after every action.

Chance and what players draw come from the seed and the number of draws before them: a session read back goes on as it
would have gone on, and the same seed deals the same cards to another way of playing.

>>> from towerlab.analysis.catalog import find_game
>>> from towerlab.table.commanding import table_of
>>> seating = Lineup(("novice", "novice"), seed=7)
>>> session = Session.begin(table_of("towers"), find_game("towers").load("options")(), seating, path=None)
>>> session.step(), session.length, session.is_over
(True, 1, False)
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from towerlab.analysis.advice import Advice
from towerlab.analysis.players import Player, is_foreign, stored_player, written_name
from towerlab.analysis.present import capital
from towerlab.analysis.saved_games import (
    append_action,
    header_line,
    hold,
    mend_end,
    read_header,
    read_lines,
    write_lines,
)
from towerlab.analysis.whole_files import Lock
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError, TranscriptError
from towerlab.games.transcript import Action
from towerlab.sim.batch import CHANCE, Seats, generator_of_draw
from towerlab.table.game import HUMAN, MOST_LISTED, Prompt, TableGame
from towerlab.table.grading import ReviewedDecision
from towerlab.table.rows import label_values, possessive, winning
from towerlab.table.scene import Cards, HandEnd, Part, Scene, counting_from_one

KINDS: Final = {"play": "card", "consent": "answer", **dict.fromkeys(("accept", "pass", "name", "call"), "call")}
"""What people call an action, by its name."""


@dataclass(frozen=True)
class Lineup:
    """The players of a table and its seed.

    Attributes:
        players: the player in each seat, `HUMAN` or one that plays (`analysis.players.find_player`).
        seed: the seed of the cards and of what players draw.
        by_hand: whether people cut, sort and face cards themselves, where the game lets a player do so.
        lesson: whether the game is explained while it is played.
    """

    players: tuple[Player, ...]
    seed: int
    by_hand: bool = False
    lesson: bool = False

    @property
    def humans(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, player in enumerate(self.players) if player == HUMAN)

    def names(self, seat: int) -> tuple[str, ...]:
        """Return all players' names as a seat reads them: ``"you"``, ``"pimc"``, ``"player 3"``."""
        seats = len(self.players)

        def name(place: int) -> str:
            if place == seat:
                return "you"
            return f"player {place + 1}" if seats > 2 or self.players[place] == HUMAN else str(self.players[place])

        return tuple(map(name, range(seats)))


class _Done(NamedTuple):
    """An action that was taken.

    Attributes:
        by: the seat that chose the action; None for chance.
        lines: the line about the action for each person, by seat.
        ends: the end of the hand with this action for each person, by seat; empty while one is played.
        effect: a drawing of what the action destroyed.
    """

    by: int | None
    lines: Mapping[int, str | None]
    ends: Mapping[int, HandEnd]
    effect: Part | None


class Session:
    """A game and its file.

    Args:
        game: the game's part of the table.
        engine: the game as far as it has been played.
        seating: the players in the seats, and the seed.
        path: the path of its file; None keeps the session in memory.
    """

    def __init__(self, game: TableGame, engine: Engine[Any, Any], seating: Lineup, path: Path | None) -> None:
        self.game = game
        self.engine = engine
        self.seating = seating
        self.path = path
        self._seats = Seats(game.simulation.seat, seating.players, engine.options, seating.seed)
        self._done: list[_Done] = []
        self._held: Lock | None = None  # on its file
        self._agreed = set[int]()  # people who leave it at how the last hand ended
        self._left_to_chance = set[tuple[int, int]]()  # what could be done by hand: by seat and actions so far
        self.judged: dict[
            int, tuple[ReviewedDecision, ...]
        ] = {}  # by the number of an action, as far as it was asked for
        self.post_mortems: dict[tuple[int, int], Any] = {}  # by seat and the number of the action that ended a deal

    # ---------------------------------------------------------------------------------------------- how it begins

    @classmethod
    def begin(cls, game: TableGame, options: Any, seating: Lineup, path: Path | None) -> Session:
        """Return a new session, its file written.

        Raises:
            TowerlabError: not as many players as the game has seats.
        """
        check_seats(game, options, seating.players)
        session = cls(game, game.start(options), seating, path)
        session._begin_file()
        return session

    @classmethod
    def resume(cls, game: TableGame, path: Path, own: Collection[str] = ()) -> Session:
        """Return a session read back; a transcript without a table is taken up by a person in seat 0.

        Args:
            own: players of the user's that may sit there; no file alone has code run.

        Raises:
            TowerlabError: it is open elsewhere.
            TranscriptError: what is wrong with the file, and in which line.
        """
        held = hold(path)
        lines = read_lines(path)
        engine = game.replay(lines)
        seating = read_lineup(read_header(lines), game, engine.options, own)
        if foreign := [
            player for player in seating.players if isinstance(player, str) and is_foreign(player, game.name)
        ]:
            raise TranscriptError(
                f"line 1: {foreign[0]!r} is none of our players; --against {foreign[0]} lets it play on"
            )
        session = cls(game, engine, seating, path).branch(engine.length, None)
        session.path = path
        session._held = held
        mend_end(path, lines)
        return session

    def branch(self, actions: int, path: Path | None) -> Session:
        """Return another session that begins with the first actions of this one."""
        other = Session(self.game, self.game.start(self.engine.options), self.seating, path)
        for action in self.engine.actions[:actions]:
            other._apply(action)
        other._begin_file()
        return other

    # ------------------------------------------------------------------------------------------------- how it goes

    @property
    def is_over(self) -> bool:
        return self.engine.result is not None

    @property
    def length(self) -> int:
        """The number of actions so far."""
        return len(self._done)

    @property
    def waits_for(self) -> int | None:
        """The person whose turn it is, or who may object to how a hand ended; None while others act and after all."""
        seat = self.engine.to_act
        if seat is None:
            return next(filter(self._may_speak, self.seating.humans), None)
        return seat if not self.is_over and seat in self.seating.humans else None

    def _may_speak(self, seat: int) -> bool:
        """Return whether a person is asked while nobody is to act: to do what chance does otherwise, or to object."""
        if self._left_to_chance_or(seat):
            return self.seating.by_hand
        legal = self.engine.legal(seat)
        return seat not in self._agreed and len(legal) > 0 and legal[0]["action"] != "sort"  # chance sorts otherwise

    def by_hand(self, seat: int) -> Prompt | None:
        """Return what a person may do now that chance does otherwise; None where there is no choice."""
        return self._left_to_chance_or(seat) if self.seating.by_hand else None

    def _left_to_chance_or(self, seat: int) -> Prompt | None:
        does = None if self.is_over else self.game.by_hand
        if does is None or self.engine.to_act is not None or (seat, self.length) in self._left_to_chance:
            return None
        return does(self.engine, seat, generator_of_draw(self.seating.seed, CHANCE, self._drawn))

    def agree(self, seat: int) -> None:
        """Accept the end of the hand for a person, or leave the choice to chance."""
        if self.by_hand(seat):
            self._left_to_chance.add((seat, self.length))
        if self.engine.to_act is None:
            self._agreed.add(seat)

    @property
    def is_between_hands(self) -> bool:
        """Whether a hand has just ended and nobody is due: people look at it before it goes on."""
        return self.waits_for is None and not self.is_over and self._has_just_ended(self.length)

    def _has_just_ended(self, length: int) -> bool:
        return length > 0 and bool(self._done[length - 1].ends) and not (length > 1 and self._done[length - 2].ends)

    @property
    def _drawn(self) -> int:
        """How many actions were chance's."""
        return sum(action.by is None for action in self._done)

    def step(self) -> bool:
        """Let chance or a player act once, and save it; return whether there was anything to do without a person."""
        if self.is_over or self.waits_for is not None:
            return False
        for seat in {*self.engine.seats} - {*self.seating.humans}:
            said = self.game.interruption(self.engine.view(seat), self.engine.options)
            if said is not None and self.engine.can(said):
                self._take(said)
                return True
        self._take(self._seats.next_action(self.engine, self._drawn))
        return True

    def advance(self) -> int:
        """Let chance and players act until a person is due or the game is over; return the number of actions."""
        before = self.length
        while self.step():
            pass
        return self.length - before

    def act(self, seat: int, action: Action) -> None:
        """An action of a person, saved.

        Raises:
            TowerlabError: it is not that person's seat, or the rules do not allow it; nothing has changed.
        """
        if seat not in self.seating.humans:
            people = " or ".join(str(human + 1) for human in self.seating.humans) or "none"
            raise TowerlabError(f"seat {seat + 1} is not a person's; expected {people}")
        if action.get("player", seat) != seat:
            raise TowerlabError(f"that action is player {action['player'] + 1}'s; expected one of player {seat + 1}")
        self._take({**action, "player": seat})

    def take_back(self, seat: int) -> bool:
        """Go back to the last decision of a person, in the file as well; return whether there was one."""
        for place in range(self.length - 1, -1, -1):
            if self._done[place].by == seat:
                self._rewind(place, saves=True)
                return True
        return False

    def prompt(self, seat: int) -> Prompt:
        """Return the question to a person."""
        if (prompt := self.by_hand(seat)) is not None:
            return prompt
        return self.game.ask(self.engine, seat)

    def names(self, seat: int) -> tuple[str, ...]:
        """Return the names of everybody for a seat, players with parameters by their level."""
        return tuple(map(self.game.level_name, self.seating.names(seat)))

    def lesson_sentences(self, seat: int) -> tuple[str, ...]:
        """Return what a lesson says before a decision of a person; nothing in other games."""
        lesson = self.game.lesson if self.seating.lesson and self.engine.to_act == seat else None
        return lesson.explain(self.engine.view(seat)) if lesson else ()

    def scene(self, seat: int) -> Scene:
        """Return the scene of a seat."""
        names = self.names(seat)
        verdict = verdict_of(self.game, self.engine, names) if self.is_over else ""
        scene = self.game.scene(self.engine.view(seat), names, self.engine.options)
        prompt = self.by_hand(seat)
        lying = (Cards("Face down", prompt.pick.cards, own=True),) if prompt and prompt.pick else ()
        return dataclasses.replace(scene, parts=(*scene.parts, *lying), verdict=verdict)

    def log(self, seat: int, since: int = 0) -> list[str]:
        """Return what has happened, in lines as that seat may know it."""
        return [line for _, line in self.history(seat, since)]

    def history(self, seat: int, since: int = 0, until: int | None = None) -> list[tuple[int, str]]:
        """Return the lines of `log`, each with the number of its action."""
        numbered = enumerate(self._done[since:until], since + 1)
        return [(number, line) for number, action in numbered if (line := action.lines.get(seat))]

    def scene_after(self, seat: int, length: int) -> Scene:
        """Return what that seat saw after `length` actions."""
        before = self.engine.reset_copy()
        for action in self.engine.actions[:length]:
            before.apply(action)
        names = self.names(seat)
        verdict = "" if before.result is None else verdict_of(self.game, before, names)
        return dataclasses.replace(self.game.scene(before.view(seat), names, before.options), verdict=verdict)

    def place(self, seat: int, length: int) -> str:
        """Return where the game stood after `length` actions, and who was to act: ``"hand 5, trick 2, your card"``."""
        if not self.length:
            return "the beginning"
        place = next(itertools.islice(self.game.places(self.engine), min(length, self.length - 1), None))
        if length == self.length:
            return f"{place}, the end"
        if (actor := self._done[length].by) is None:
            return place
        kind = str(self.engine.actions[length]["action"])
        return f"{place}, {possessive(self.names(seat)[actor])} {KINDS.get(kind, kind.replace('_', ' '))}"

    def hand_end(self, seat: int, length: int) -> HandEnd | None:
        """Return the end of the hand that was over after `length` actions."""
        return self._done[length - 1].ends.get(seat) if length else None

    def hand_ends(self, seat: int, since: int = 0) -> list[tuple[int, HandEnd]]:
        """Return the hands that have ended, with the numbers of the actions that ended them."""
        lengths = (length for length in range(since + 1, self.length + 1) if self._has_just_ended(length))
        return [(length, end) for length in lengths if (end := self.hand_end(seat, length))]

    def hand_began(self, length: int) -> int:
        """Return how many actions came before the hand that was under way or had just ended after `length`."""
        while length and self._done[length - 1].ends:
            length -= 1
        while length and not self._done[length - 1].ends:
            length -= 1
        return length

    def deciders(self, seat: int, length: int) -> dict[int, int]:
        """Return the seat of each action, by number, of a hand that is over after `length`, or of a game without hands.

        Those of `seat` come first. Nothing while it is played: what is said of them would be advice.
        """
        if not (self.is_over and length == self.length) and self.hand_end(seat, length) is None:
            return {}
        actions = enumerate(self._done[self.hand_began(length) : length], self.hand_began(length) + 1)
        acted = {number: action.by for number, action in actions if action.by is not None}
        return dict(sorted(acted.items(), key=lambda item: item[1] != seat))

    def decided_by(self, seat: int) -> dict[int, int]:
        """Return the numbers of a seat's actions, each with the seat."""
        return {number: seat for number, action in enumerate(self._done, 1) if action.by == seat}

    def hand_over(self, seat: int, length: int) -> int:
        """Return the number of actions up to the end of that hand; of all so far while it is being played."""
        return next((number for number, _ in self.hand_ends(seat) if number >= length), self.length)

    def effects(self, seat: int) -> list[Part]:
        """Return what was destroyed by that seat's last action and by those after it."""
        last = max((place for place, action in enumerate(self._done) if action.by == seat), default=0)
        return [action.effect for action in self._done[last:] if action.effect is not None]

    def preview_effect(self, seat: int, action: Action) -> tuple[str, Part | None]:
        """Return what an action of that seat would destroy, in words and drawn; empty in games where nothing is."""
        if self.game.effects is None:
            return "", None
        after = self.engine.copy()
        return self.game.effects(after.apply({**action, "player": seat})) or ("nothing falls", None)

    def forced_action(self) -> Action | None:
        """Return the only card that the person who is due may play."""
        if (seat := self.waits_for) is None:
            return None
        choices = [choice for choice in self.prompt(seat).choices if not choice.is_aside]
        return choices[0].action if len(choices) == 1 and choices[0].card else None

    def advice(self, seat: int) -> Advice | None:
        """The advice for a decision of that seat, from its view alone; None where one card alone may be played."""
        return None if self.forced_action() else self.game.advise(self.engine.view(seat), self.engine.options)

    # --------------------------------------------------------------------------------------------------- the ground

    def _take(self, action: Action) -> None:
        was_over = self.is_over
        self._apply(action)
        if self.path is not None:
            try:
                append_action(self.path, self.engine.last_action)
            except TowerlabError:  # a full disk: the game stands where its file does
                self._rewind(self.length - 1, saves=False)
                raise
            if self.is_over or was_over:  # the list of tables reads the result in the header
                self._save_whole()

    def _apply(self, action: Action) -> None:
        """Apply an action and tell every person of it."""
        engine = self.engine
        chooser = action.get("player", self.engine.to_act)
        if engine.to_act is None and all(
            choice["action"] != action["action"] for choice in engine.legal()[:MOST_LISTED]
        ):
            chooser = None  # of chance, though it names a player
        with counting_from_one():
            returned = engine.apply(action)
        effect = None if self.game.effects is None else self.game.effects(returned)
        done = engine.last_action
        lines = dict[int, str | None]()
        ends = dict[int, HandEnd]()
        for seat in self.seating.humans:
            view = engine.view(seat)
            names = self.names(seat)
            lines[seat] = self.game.line_with_effect(done, returned, view, names)
            if end := self.game.hand_end(view, names, engine.options):
                ends[seat] = end
        if chooser is not None:
            self._agreed.clear()
        self._done.append(_Done(chooser, lines, ends, None if effect is None else effect[1]))

    def _rewind(self, length: int, *, saves: bool) -> None:
        before = self.branch(length, None)
        if saves:
            before.path = self.path
            before._save_whole()
        self.engine = before.engine
        self._done = before._done
        self.judged = {number: judged for number, judged in self.judged.items() if number <= length}
        self.post_mortems.clear()

    def _begin_file(self) -> None:
        self._save_whole()
        if self.path is not None:
            self._held = hold(self.path)

    def _save_whole(self) -> None:
        if self.path is not None:
            table: dict[str, Any] = {
                "players": list(map(written_name, self.seating.players)),
                "seed": self.seating.seed,
            } | {name: True for name in ("by_hand", "lesson") if getattr(self.seating, name)}
            if self.is_over:
                table["result"] = verdict_of(self.game, self.engine, self.names(next(iter(self.seating.humans), 0)))
            head = header_line(self.game.name, self.engine.options, table)
            write_lines(self.path, [head, *map(json.dumps, self.engine.actions)])


def verdict_of(game: TableGame, engine: Engine[Any, Any], names: Sequence[str]) -> str:
    """Return how a game ended, or that it is unfinished."""
    result = engine.result
    if result is None:
        return "The game is unfinished."
    if game.winner_words is not None:
        return capital(game.winner_words(engine, names))
    reason = f" ({engine.REASONS.get(result.reason, result.reason)})" if result.reason else ""
    return f"{capital(winning(result.winners, names))} the game: {label_values(names, result.scores)}{reason}."


def new_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(62)


def check_seats(game: TableGame, options: Any, players: Sequence[Player]) -> None:
    """Refuse too many players, or too few.

    Raises:
        TowerlabError: how many there are, and seats.
    """
    if len(players) != game.seats(options):
        raise TowerlabError(f"{len(players)} players for {game.seats(options)} seats of {game.name}")


def read_lineup(head: Mapping[str, Any], game: TableGame, options: Any, own: Collection[str] = ()) -> Lineup:
    """Return the players of a transcript's header; without any, a person in seat 0 and the usual opponents.

    Args:
        own: players of the user's that may sit there; others that are none of ours stay texts.

    Raises:
        TranscriptError: a table that cannot be.
    """
    table = head.get("table")
    if table is None:
        return Lineup((HUMAN, *[game.against] * (game.seats(options) - 1)), new_seed())
    players, seed = (table.get("players"), table.get("seed")) if isinstance(table, dict) else (None, None)
    if not isinstance(players, list) or not all(isinstance(player, str) for player in players):
        raise TranscriptError('line 1: "table" names no players; expected {"players": ["human", …], "seed": 7}')
    if type(seed) is not int or seed < 0:
        raise TranscriptError(f'line 1: the seed of "table" is {seed!r}; expected a whole number')
    try:
        stay = {HUMAN, *(name for name in players if is_foreign(name, game.name))} - {*own}
        lineup = tuple(name if name in stay else stored_player(name, game.name, own) for name in players)
        check_seats(game, options, lineup)
    except TowerlabError as error:
        raise TranscriptError(f"line 1: {error}") from error
    return Lineup(lineup, seed, table.get("by_hand") is True, table.get("lesson") is True)


def seat_players(against: Sequence[Player], seats: int, own: int, people: int = 1) -> tuple[Player, ...]:
    """Return players by seat: a person in seat `own` (people in all seats from it on, if several), the others in order.

    Raises:
        TowerlabError: as many as cannot sit down.
    """
    if not 0 <= own < seats:
        raise TowerlabError(f"there is no seat {own + 1}; expected 1 to {seats}")
    if not 1 <= people <= seats:
        raise TowerlabError(f"{people} people for {seats} seats; expected 1 to {seats}")
    taken = {(own + place) % seats for place in range(people)}
    free = [seat for seat in range(seats) if seat not in taken]
    if len(against) not in (1, len(free)) and free:
        raise TowerlabError(f"{len(against)} players named for {len(free)} free seats; expected 1 or {len(free)}")
    named = dict(zip(free, itertools.cycle(against), strict=False))
    return tuple(HUMAN if seat in taken else named[seat] for seat in range(seats))
