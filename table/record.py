"""What did one seat see of a real game? Its cards and the up-card, calls, cards as they fell, entered answer by answer.

The engine decides the next question: the result of chance, cards that the seat now sees, or an action of the player on
turn. A card that leaves another hand face down and a forced play are recorded without a question. The file has the
format of docs/transcripts.md with ``"?"`` for cards that nobody saw, and is written after every answer; it also holds
the answers, so that each of them can be changed.

>>> from towerlab.analysis.catalog import find_game
>>> from towerlab.table.commanding import table_of
>>> options = find_game("towers-and-bowers").load("options")()
>>> record = Recording(table_of("towers-and-bowers"), options, seat=0, path=None)
>>> record.answer("dealer you")
>>> record.ask().question
'Up-card: which card?'
"""

import contextlib
import copy
import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.advice import Choice
from towerlab.analysis.catalog import find_game
from towerlab.analysis.present import capital
from towerlab.analysis.saved_games import header_line, read_header, write_lines
from towerlab.analysis.whole_files import Lock
from towerlab.games.cards import card_text, parse_card, split_cards
from towerlab.games.engine import Engine
from towerlab.games.errors import CardError, TowerlabError, TranscriptError, quote_value
from towerlab.games.transcript import Action, replay
from towerlab.table.drawing import card_words
from towerlab.table.game import Prompt, TableGame
from towerlab.table.hidden import SeatRecord, card_of
from towerlab.table.reading import Ambiguous, pick_hint, plain_words, read_action
from towerlab.table.scene import Facts, Scene
from towerlab.table.session import KINDS, verdict_of
from towerlab.table.unknown import CARD_KEYS, PROVED, UNKNOWN, all_unknown, cards_in, is_open

_PLAIN: Final = {"action", "player", "card"}  # an action that the name of its card tells
_SEAT: Final = "seat"  # in a header's table: whose views the record holds
_START: Final = "begun"  # the score and the like where it begins in the middle of a match
_ENTRIES: Final = "entries"  # the answers that made it
_VERDICT: Final = re.compile(r"(.+), (not )?proved")  # behind an accusation that rests on cards nobody saw
_GOES_ON: Final = "the game goes on"
_SHOWN: Final = 3  # cards of a hint
_MOST: Final = 4  # words of an answer that is not listed, such as ``player 2: claim 3``


@dataclass(frozen=True)
class Ask:
    """The next question.

    Attributes:
        question: the question, in one line.
        choices: the words that may be answered, by what they say; empty where cards are typed.
        hint: a hint at other ways to answer.
        asides: the choices that may be said at any time, such as a claim.
        cards: the cards to choose from.
        many: the number of cards that the answer names.
        is_row: whether these cards are in sight.
        is_over: whether the game has ended.
    """

    question: str
    choices: tuple[str, ...] = ()
    hint: str = ""
    asides: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    many: int = 1
    is_row: bool = False
    is_over: bool = False


class Recording:
    """A real game that is being entered.

    Args:
        game: the game's part of the table.
        options: rule options.
        seat: the seat whose views are entered.
        path: the file; None keeps the game in memory.
        start: the place in a match where it begins, as in `Engine.starting_from`.
        entries: the answers that made the records, where they are known.
    """

    held: Lock | None = None  # on its file

    def __init__(
        self,
        game: TableGame,
        options: Any,
        seat: int,
        path: Path | None,
        start: Mapping[str, Sequence[int]] | None = None,
        entries: Sequence[str] = (),
    ) -> None:
        self.game = game
        self.options = options
        self.seat = seat
        self.path = path
        self.start = start or {}
        self.entries = list(entries)
        self.layout = SeatRecord(game, options, seat, self.start)
        self.names = self.layout.names
        self._unsaid_since = list[int]()  # numbers of what was recorded after the last answer without a question
        self.ended_hands = list[str]()  # hands that ended with it, a line each
        self.understood = list[str]()  # what it was taken for
        self._next_question: Ask | None = None  # None until `ask` has looked for it
        self._numbered = False  # whether its choices stand numbered on the screen

    @property
    def scene(self) -> Scene:
        """Return the scene of the seat; without cards as long as some of them have not been named."""
        scene = self.game.scene(self.layout.engine.view(self.seat), self.names, self.options)
        if self.layout.unnamed_row() is None:
            return scene
        return replace(scene, parts=tuple(part for part in scene.parts if isinstance(part, Facts)))

    def ask(self) -> Ask:
        """Return the next question; what chance decided without anybody seeing it is written down on the way."""
        if self._next_question is None:
            self._next_question = self._go_on()
        return self._next_question

    def _go_on(self) -> Ask:
        layout = self.layout
        while True:
            if (row := layout.unnamed_row()) is not None:
                title, labels = row
                many = f"{len(labels)} cards" if len(labels) > 1 else "card"
                some = layout.unseen()[: min(len(labels), _SHOWN)]
                hint = f"such as {' '.join(map(_typed, some))}{' …' if len(labels) > _SHOWN else ''}"
                cards = layout.unseen_in_order()
                return Ask(f"{title}: which {many}?", hint=hint, cards=cards, many=len(labels), is_row=True)
            engine = layout.engine
            if engine.result is not None:
                layout.settle()
                return Ask(verdict_of(self.game, engine, self.names), tuple(self._objections()), is_over=True)
            if engine.to_act is not None and (unsaid := self._unsaid(engine.to_act)) is not None:
                self._add(layout, unsaid)
                self._unsaid_since = [*self._unsaid_since, len(layout.records)]
                continue
            if engine.to_act is not None:
                return self._turn(engine.to_act)
            outcomes = self._outcomes()
            if len(outcomes) > 1:
                kinds = {words.split()[0] for words in outcomes}
                known = {"dealer": "Who deals?"}
                kind, *others = kinds
                question = "What happened?" if others else known.get(kind, f"Which {kind}?")
                return Ask(question, tuple(outcomes))
            self._add(layout, *next(iter(outcomes.values())))

    def _objections(self) -> dict[str, list[Action]]:
        """Return what players may still say of a hand that has ended, in words (TB-25, TB-28)."""
        engine = self.layout.engine
        said = [
            (seat, choice)
            for seat in engine.seats
            for choice in self._prompt(seat).choices
            if choice.action["action"] != "sort"
        ]
        return {f"{self.names[seat]}: {choice.text}": [{**choice.action, "player": seat}] for seat, choice in said}

    def _outcomes(self) -> dict[str, list[Action]]:
        """Return what may happen while nobody is to act: visible chance, and objections to the hand before."""
        outcomes = self.layout.chance_outcomes()
        said = self._objections()
        return ({_GOES_ON: next(iter(outcomes.values()))} if said and len(outcomes) == 1 else outcomes) | said

    def answer(self, line: str, numbered: bool = True) -> None:
        """Take an answer, or the next ones in a line: ``9C/AC AH/QC``. The file is written.

        ``#7 QC`` is another answer in place of the seventh; those after it stay.

        Args:
            line: the line as it was typed.
            numbered: whether the choices stand numbered on the screen.

        Raises:
            TowerlabError: one is none, or cannot be, or could not be read back; nothing has changed.
        """
        changed = re.fullmatch(r"# ?(\d{1,6}) +(.+)", line.strip())
        number, said = (int(changed[1]), changed[2]) if changed else (len(self.entries) + 1, line)
        if not 1 <= number <= len(self.entries) + (changed is None):
            known = f"one from 1 to {len(self.entries)}" if self.entries else "none as yet"
            raise TowerlabError(f"there is no answer {number}; expected {known}")
        is_next = numbered and number == len(self.entries) + 1
        self._answer_from(number, [said, *self.entries[number:]], is_next)

    def take_back(self) -> bool:
        """Back before the last answer; whether there was one."""
        if self.entries:
            self._answer_from(len(self.entries), [])
            return True
        return False

    @contextlib.contextmanager
    def _unchanged_by_errors(self) -> Iterator[None]:
        """Restore everything where an error is raised inside: attributes are replaced, never changed."""
        before = vars(self).copy()
        try:
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _answer_from(self, number: int, lines: Sequence[str], numbered: bool = False) -> None:
        """Replace the answers from a number on; enter earlier ones again where the answer is not one more.

        Args:
            number: the number of the first answer that is replaced, from 1.
            lines: the answers in their place.
            numbered: whether the choices stand numbered on the screen, for the first of them.

        Raises:
            TowerlabError: one does not go with those before it; nothing has changed.
        """
        understood = list[str]()
        with self._unchanged_by_errors():
            if number <= len(self.entries):
                lines, self.entries = [*self.entries[: number - 1], *lines], []
                self._unsaid_since = []
                self.ended_hands = []
                self._stand_at(SeatRecord(self.game, self.options, self.seat, self.start))
            for said in lines:
                self.ask()
                self._unsaid_since, self.ended_hands, self.understood, place = [], [], [], len(self.entries) + 1
                self._numbered = numbered and place == number
                try:
                    self._enter_all(said)
                except TowerlabError as error:
                    later = "" if place == number else f"answer {place}, {said!r}, does not go with it: "
                    raise TowerlabError(f"{later}{error}") from error
                understood = self.understood if place == number else understood
            self.ask()
            try:
                self.layout.read_back()
            except TowerlabError as error:
                raise TowerlabError(f"that does not go with what was entered before: {error}") from error
            self.understood = understood
        self.save()

    def _enter_all(self, line: str) -> None:
        """One answer, or where the line is none as a whole, its words one after the other."""
        line = re.sub(r"[^\s,/]+", lambda word: " ".join(split_cards(word[0])), line.strip())
        ask = self.ask()
        words = re.split(r"[\s,/]+", line)
        done = 0
        try:
            self._enter(line)
            return
        except TowerlabError as error:
            if ask.is_over or _VERDICT.fullmatch(line) or len(words) == 1:
                raise
            whole = error
        while done < len(words):
            ask = self.ask()
            unsaid = (self.layout.records[number - 1] for number in self._unsaid_since)
            if any(plain_words(words[done]) == record.get("card") for record in unsaid):
                done += 1  # it went without saying
                continue
            if ask.is_over:
                raise TowerlabError(f"the game is over before {words[done]!r}; expected a line that ends there")
            most = max([_MOST, ask.many, *(len(choice.split()) for choice in ask.choices)])
            for size in range(min(ask.many if ask.is_row else most, len(words) - done), 0, -1):
                try:
                    self._enter(" ".join(words[done : done + size]))
                    break
                except TowerlabError as error:
                    if size == 1 or ask.is_row:
                        raise TowerlabError(f"at word {done + 1} of the line: {error}") if done else whole from error
            done, self._numbered = done + size, False

    def _enter(self, line: str) -> None:
        """Take one answer.

        Raises:
            TowerlabError: it is none; nothing has changed.
        """
        with self._unchanged_by_errors():
            ask = self.ask()
            words = line.replace(",", " ").split()
            first = line.partition(",")[0]
            self._stand_at(layout := copy.copy(self.layout))
            last = layout.records[-1] if layout.records else {}
            length = len(layout.records)
            was_chance = layout.engine.to_act is None and not ask.is_row
            if self._numbered and re.fullmatch("[0-9]{1,6}", first) and 1 <= int(first) <= len(ask.choices):
                if (prompt := self.prompt) is not None:
                    read_action(first, prompt)  # refused where it is a card, too
                line = ask.choices[int(first) - 1] + line.removeprefix(first)
            verdict = _VERDICT.fullmatch(line)
            if len(words) > 1 and words[0] == last.get("action") and not is_open(last):  # it was seen after all
                key = "cards" if "cards" in last else "card"
                cards = [self._card(word) for word in words[1:]]
                layout.replace([*layout.deal[:-1], {**last, key: cards if key == "cards" else cards[0]}])
            elif ask.is_over and not ask.choices:
                raise TowerlabError("nothing more can be entered; expected u to take back, or q")
            elif ask.is_row:
                layout.name_cards([self._card(word) for word in words])
            elif layout.engine.to_act is None:
                outcomes = self._objections() if ask.is_over else self._outcomes()
                said = verdict[1] if verdict else line
                if _GOES_ON in outcomes and said not in outcomes:
                    self._add(layout, *outcomes[_GOES_ON])
                    return self._enter(line)
                said = _chosen(said, ask.choices)
                if said in self._objections():
                    self._add(layout, self._judged(outcomes[said][0], verdict))
                else:
                    self._add(layout, *outcomes[said])
                line = line if verdict else said
            else:
                self._add(layout, self._judged(self._read(verdict[1] if verdict else line), verdict))
            self._next_question = None
            if ask.is_row:
                row = " ".join(card_words(self._card(word)) for word in words)
                understood = [f"{ask.question.partition(':')[0]}: {row}"]
            else:
                understood = [line] if was_chance else [said for _, said in self.event_lines(length)] or [line]
            self.understood = [*self.understood, *understood]
            self.entries = [*self.entries, line]

    def _stand_at(self, layout: SeatRecord) -> None:
        self.layout = layout
        self._next_question = None

    def _judged(self, action: Action, verdict: re.Match[str] | None) -> Action:
        """An action and, where it rests on another's hand, whether it was proved at the table."""
        if self.game.rests_on(self.layout.engine, action) in (None, self.seat):
            if verdict is not None:
                raise TowerlabError("what you have seen settles how that ended; expected the words without it")
            return action
        if verdict is None and action["action"] == "accuse":
            how = "accuse …, proved or accuse …, not proved"
            raise TowerlabError(f"whether that is so rests on cards that nobody saw; expected how it ended: {how}")
        return {**action, PROVED: verdict is not None and verdict[2] is None}  # else the other player answers

    @property
    def made_up(self) -> Counter[str]:
        """Return the cards in sight that nobody has named, as they were made up, in words."""
        return Counter(card_words(card_of(label)) for _, labels in self.layout.unnamed_rows() for label in labels)

    def event_lines(self, since: int = 0) -> list[tuple[int, str]]:
        """Return what happened, as the game says it to the seat, with the numbers of the records.

        Args:
            since: the number of records that are left out.
        """
        again = self.layout.engine.reset_copy()
        made_up = self.made_up
        lines = []
        for number, action in enumerate(self.layout.engine.actions, 1):
            again.apply(action)
            line = None if number <= since else self.game.action_line(action, again.view(self.seat), self.names)
            if line is not None:
                lines.append((number, hide_cards(line, made_up if number > self.layout.first else ())))
        return lines

    def lines(self) -> list[str]:
        """The record as lines of its file."""
        is_whole = self.layout.engine.result is not None and all(map(is_open, self.layout.records))
        table: dict[str, Any] = {"players": ["human"] * len(self.names), "seed": 0}
        if not is_whole or self.start:
            table |= {_SEAT: self.seat, _START: self.start, _ENTRIES: self.entries}
        head = header_line(self.game.name, self.options, table)
        return [head, *map(json.dumps, self.layout.records)]

    @property
    def lines_without_question(self) -> list[str]:
        """Return what was recorded after the last answer without a question, in words."""
        unsaid = self._unsaid_since
        return [said for number, said in self.event_lines(unsaid[0] - 1) if number in unsaid] if unsaid else []

    def save(self) -> None:
        """Write the file."""
        if self.path is not None:
            write_lines(self.path, self.lines())

    def _add(self, layout: SeatRecord, *records: Action) -> None:
        """Add records, and the line of a hand that ends with one."""
        for record in records:
            layout.add(record)
            end = self.game.hand_end(layout.engine.view(self.seat), self.names, self.options)
            if end and (line := end.line(self.seat)) not in self.ended_hands:
                self.ended_hands = [*self.ended_hands, line]

    def _unsaid(self, seat: int) -> Action | None:
        """Return the action on turn that nobody has to enter: the only card there is, or one that lies face down."""
        engine = self.layout.engine
        prompt = self._prompt(seat)
        choices = [choice for choice in prompt.choices if not choice.is_aside]
        is_last = len(self.game.hand(engine, seat)) == 1 or len(choices) == len(prompt.choices)
        if seat == self.seat and len(choices) == 1 and prompt.pick is None and is_last:
            return {**choices[0].action, "player": seat}
        legal = engine.legal(seat)
        said = set[str | None]()
        if seat == self.seat or len(legal) < 2 or not all(map(_names_cards, choices)):
            return None
        for action in (legal[0], legal[-1]):
            (after := engine.copy()).apply(action)
            said.add(self.game.action_line(action, after.view(self.seat), self.names))
        return {**all_unknown(legal[0]), "player": seat} if len(said) == 1 and None not in said else None

    def _turn(self, seat: int) -> Ask:
        prompt = self._prompt(seat)
        asides = tuple(choice.text for choice in prompt.choices if choice.is_aside)
        named = [choice.text for choice in prompt.choices if seat == self.seat or not _names_cards(choice)]
        listed = [text for text in named if text not in asides]
        if seat == self.seat:
            return Ask(prompt.question, (*listed, *asides), pick_hint(prompt.pick) if prompt.pick else "", asides)
        kinds = dict.fromkeys(str(choice.action["action"]) for choice in prompt.choices if _names_cards(choice))
        unseen = "" if "play" in kinds else ", ? if nobody saw it"
        placed = (
            choice.words[0] for choice in prompt.choices if "card" in choice.action and not set(choice.action) <= _PLAIN
        )
        words = next(placed, "")
        hint = f"to {' or '.join(kinds)}: {f'such as {words}' if words else 'the card'}{unseen}" if kinds else ""
        if prompt.pick is not None and not kinds:
            hint = pick_hint(prompt.pick)
        plays = [choice.action for choice in prompt.choices if "card" in choice.action]
        cards = self.layout.unseen_in_order() if plays and set(plays[0]) <= _PLAIN else ()
        deals = ", dealer" if ("dealer", self.names[seat]) in self.layout.facts() else ""
        source = f" from {prompt.source}" if prompt.source else ""
        own = self._prompt(self.seat)
        first = next((str(choice.action["action"]) for choice in prompt.choices if not choice.is_aside), "answer")
        kind = KINDS.get(first, "answer" if "_" in first else first)
        said = (
            choice for choice in own.choices if own.pick is None and choice.action["action"] not in ("claim", "concede")
        )
        spoken = tuple(f"{self.names[self.seat]}: {choice.text}" for choice in said)
        question = f"{capital(self.names[seat])}{deals}: {'an' if kind[0] in 'aeiou' else 'a'} {kind}{source}"
        return Ask(question, (*listed, *asides, *spoken), hint, (*asides, *spoken), cards)

    @property
    def prompt(self) -> Prompt | None:
        """Return what the seat itself is to decide; None if it is not its turn."""
        engine = self.layout.engine
        if self.layout.unnamed_row() is not None or engine.result is not None or engine.to_act != self.seat:
            return None
        return self._prompt(self.seat)

    def _prompt(self, seat: int) -> Prompt:
        return self.game.ask(self.layout.engine, seat)

    def _read(self, line: str) -> Action:
        """The action that a line means; ``player 2: claim 3`` is the second player's, ``you: claim 3`` one's own."""
        engine = self.layout.engine
        named = re.fullmatch(r"(?:player (\d)|you) ?: ?(.+)", line, re.IGNORECASE)
        seat = engine.to_act
        word = line
        if named and (place := self.seat if named[1] is None else int(named[1]) - 1) in engine.seats:
            seat = place
            word = named[2]
        assert seat is not None
        prompt = self._prompt(seat)
        if seat == self.seat:
            return {**read_action(word, prompt, numbered=False), "player": seat}
        open_choices = tuple(choice for choice in prompt.choices if not _names_cards(choice))
        hidden = [choice for choice in prompt.choices if _names_cards(choice)]
        if word == UNKNOWN and hidden and hidden[0].action["action"] != "play":  # which everybody saw
            return all_unknown(hidden[0].action)
        try:
            pick = None if hidden else prompt.pick
            return {**read_action(word, Prompt(prompt.question, open_choices, pick), numbered=False), "player": seat}
        except TowerlabError:
            if len(open_choices) == len(prompt.choices) and not self.layout.deck:
                raise
        return self._with_card(seat, word, hidden)

    def _with_card(self, seat: int, word: str, hidden: Sequence[Choice]) -> Action:
        """Another player's action with a card that may be held for all we know."""
        plain = [choice.action for choice in hidden if set(choice.action) <= _PLAIN]
        said = word.removeprefix(f"{plain[0]['action']} ") if plain else ""
        if plain and not re.search(r"[\s:]", said):  # else a joker and the card that it copies
            return {**plain[0], "player": seat, "card": self._card(said)}
        for supposed in self._supposed(seat, word, hidden):
            try:
                prompt = self.game.ask(self.layout.suppose(supposed), seat)
                return {**read_action(word, prompt, numbered=False), "player": seat}
            except Ambiguous:
                raise
            except TowerlabError:
                continue
        due = self.names[self.layout.engine.to_act or 0]
        expected = f"such as {hidden[0].words[0]}" if hidden else f"an answer for {due}"
        raise TowerlabError(f"{word[:30]!r} is nothing that {self.names[seat]} can do now; expected {expected}")

    def _supposed(self, seat: int, word: str, hidden: Sequence[Choice]) -> Iterator[Action]:
        """Yield what a line may mean though made-up cards do not allow it: its first word, or an action with a card."""
        words = re.split(r"[\s:]", word)
        if words[0] in self.layout.engine.ACTIONS:
            yield {"action": words[0], "player": seat}
        kind = hidden[0].action["action"] if hidden else "play"
        for part in words:
            with contextlib.suppress(TowerlabError):
                yield {"action": kind, "player": seat, "card": self._card(part)}

    def _card(self, word: str) -> str:
        """A card as it is written in records."""
        text = plain_words(word)
        named = {plain_words(card_words(card)): card for card in self.layout.deck}
        if len(jokers := [card for card in self.layout.deck if card[0] == "X"]) == 1:
            named["JOKER"] = jokers[0]
        try:
            return named[text] if text in named else text if text in self.layout.deck else card_text(parse_card(text))
        except CardError:
            shown = " ".join(map(card_words, self.layout.unseen()[:6]))
            raise TowerlabError(f"{word[:20]!r} is no card; expected one such as {shown}") from None


def _typed(card: str) -> str:
    """Return a card as it is typed: ``"10H"``, ``"Joker1"``."""
    return card_words(card) if card[0] == "X" else card.replace("T", "10")


def hide_cards(line: str, cards: Container[str]) -> str:
    """Return a line with `UNKNOWN` in place of cards, given in words."""
    return " ".join(UNKNOWN if word.strip(".,:()") in cards else word for word in line.split(" "))


def _names_cards(choice: Choice) -> bool:
    return "card" in choice.action or "cards" in choice.action


def _chosen(line: str, words: Sequence[str]) -> str:
    said = line.casefold().split(", ")
    meant = [choice for choice in words if line == choice or set(said) <= set(choice.casefold().split(", "))]
    if len(meant) == 1:
        return meant[0]
    raise TowerlabError(f"{line[:30]!r} is no answer; expected one of {' | '.join(words)}")


# ------------------------------------------------------------------------------------------------------------- files


def is_record(lines: Sequence[str]) -> bool:
    """Whether a transcript holds the views of one seat."""
    table = read_header(lines).get("table")
    return isinstance(table, dict) and _SEAT in table


def read_record(lines: Sequence[str], game: TableGame, path: Path | None = None) -> Recording:
    """A record of views, checked.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    table = read_header(lines)["table"]
    begins = table.get(_START, {})
    entries = table.get(_ENTRIES, [])
    seat = table.get(_SEAT)
    if not isinstance(begins, dict) or not all(isinstance(numbers, list) for numbers in begins.values()):
        raise TranscriptError(f'line 1: "{_START}" is {quote_value(begins)}; expected lists of numbers by name')
    if not isinstance(entries, list) or not all(isinstance(line, str) for line in entries):
        raise TranscriptError(f'line 1: "{_ENTRIES}" is {quote_value(entries)}; expected texts')
    if type(seat) is not int:
        raise TranscriptError(
            f'line 1: the seat of "table" is {quote_value(seat)}; expected the one whose views these are'
        )

    def start(options: Any) -> Recording:
        return Recording(game, options, seat, path, begins, entries)

    def take(recording: Recording, record: Action) -> None:
        _check_form(recording.layout.engine, record)
        recording.layout.add(record)

    try:
        return replay(lines, game.name, find_game(game.name).load("options"), start, take)
    except TranscriptError:
        raise
    except TowerlabError as error:
        raise TranscriptError(f"line 1: {error}") from error


def _check_form(engine: Engine[Any, Any], record: Action) -> None:
    """Refuse a record of which a value is of the wrong kind; what nobody saw is a text, or lists of them."""
    if type(record.get(PROVED, True)) is not bool:
        raise TowerlabError(f"{PROVED} is {quote_value(record[PROVED])}; expected true or false")
    hidden = [key for key in CARD_KEYS if not is_open({key: record[key]} if key in record else {})]
    for key in hidden:
        if not all(isinstance(card, str) for card in cards_in({key: record[key]})):
            raise TowerlabError(f"{key} is {quote_value(record[key])}; expected texts, {UNKNOWN!r} where nobody saw")
    engine.read_form({key: value for key, value in record.items() if key != PROVED}, hidden)
    if record.get("player", 0) not in engine.seats:
        raise TowerlabError(
            f"there is no player {quote_value(record['player'])}; expected 0 to {len(engine.seats) - 1}"
        )


def replay_views(
    lines: Sequence[str], game: TableGame, draws: int = 0
) -> tuple[Engine[Any, Any], tuple[int, ...] | None, list[Engine[Any, Any]] | None]:
    """A transcript, or a record of views, for grading.

    Args:
        draws: the number of ways in which the unseen cards of a record are laid.

    Returns:
        The game (in a record the unseen cards are made up), the seats whose views it holds (None for all), and the game
        of a record in those ways, None of a whole transcript.

    Raises:
        TranscriptError: the number of the line and what is wrong with it.
    """
    if not is_record(lines):
        return game.replay(lines), None, None
    record = read_record(lines, game)
    return record.layout.engine, (record.seat,), record.layout.sample_games(draws) if draws else []
