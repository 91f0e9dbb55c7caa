"""A game of Towers move by move: what may be done now, why not, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from games.errors import CardError, IllegalAction
from games.towers.board import Board, parse_rank, rank_text
from games.towers.options import SPANS, TowersOptions
from games.towers.rules import COLUMNS, KING, MATCH, PACK_SIZE, RAZE, STEPS, legal_places, new_log, resolve
from games.towers.table import (
    HANDS,
    NOBODY,
    PACK,
    TURN,
    act,
    deal,
    has_play,
    new_table,
    sorted_pack,
)
from games.transcript import Action, replay, transcript_lines


@dataclass(frozen=True)
class LogEntry:
    """Sections that went at the same moment.

    Attributes:
        step: ``match``, ``raze``, or a step of TR-8.
        cards: their ranks, column by column from the ground up; a bridge in its first column.
    """

    step: str
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Resolution:
    """What a play or a raze did to a board.

    Attributes:
        before, after: the boards.
        removed: ranks that nobody scores: the played card and its matches, or the razed tower.
        collected: ranks that the player on turn scores, in the order in which they went.
        log: step by step, the removed ones first.
    """

    before: Board
    after: Board
    removed: tuple[str, ...]
    collected: tuple[str, ...]
    log: tuple[LogEntry, ...]


@dataclass(frozen=True)
class Dealt:
    """The deal: hands as ranks, seat by seat, and who begins."""

    hands: tuple[tuple[str, ...], ...]
    first_player: int


@dataclass(frozen=True)
class Played:
    """A turn with a card; `drew` is None once the source is empty."""

    player: int
    card: str
    columns: tuple[int, ...]
    resolution: Resolution
    drew: str | None


@dataclass(frozen=True)
class Razed:
    """A turn without a legal play; `shown` is the hand that proves it (TR-4)."""

    player: int
    column: int
    shown: tuple[str, ...]
    resolution: Resolution


def place_of(columns: Sequence[int]) -> int:
    """The kernel's place for columns 1..4: one for a tower card, two for a bridge.

    Raises:
        IllegalAction: no such columns, or two that are never adjacent (TR-2, TR-5).
    """
    if len(columns) not in (1, 2) or any(column not in range(1, COLUMNS + 1) for column in columns):
        raise IllegalAction(f"columns {_join(columns)} do not exist; expected one of 1..4, or two such as 2-3", "TR-2")
    if len(columns) == 1:
        return columns[0] - 1
    first, second = columns[0] - 1, columns[1] - 1
    if (first + 1) % COLUMNS == second:
        return COLUMNS + first
    if (second + 1) % COLUMNS == first:
        return COLUMNS + second
    raise IllegalAction(f"columns {_join(columns)} are not adjacent; a bridge joins neighbours", "TR-5")


def columns_of(place: int) -> tuple[int, ...]:
    """Columns 1..4 of a kernel's place, in the order of the layout (4, 1 for the last side of a square)."""
    column = place % COLUMNS
    return (column + 1,) if place < COLUMNS else (column + 1, (column + 1) % COLUMNS + 1)


def verify_place(board: Board, place: int, value: int, options: TowersOptions) -> None:
    """Whether a card may be played there (TR-5).

    Raises:
        IllegalAction: why not.
    """
    rules = options.rules()
    if legal_places(board.to_array(), value, rules) >> place & 1:
        return
    columns, heights = columns_of(place), board.heights
    if place < COLUMNS:
        top = rank_text(board.columns[place][-1] % 16)
        need = "a higher card or an ace" if not options.equal_supports else "its equal, a higher card or an ace"
        raise IllegalAction(f"{rank_text(value)} cannot stand on {top} of column {columns[0]}; it needs {need}", "TR-5")
    name = f"columns {_join(columns)}"
    if place - COLUMNS >= rules[SPANS]:
        raise IllegalAction(f"{name} are adjacent only in a square; this layout is a line", "TR-2")
    first, second = (heights[column - 1] for column in columns)
    if first != second:
        raise IllegalAction(f"a bridge needs equal heights; {name} have {first} and {second}", "TR-5")
    if first == 0:
        raise IllegalAction(f"a bridge cannot rest on the ground; {name} are empty", "TR-5")
    raise IllegalAction(f"both ends would rest on one and the same bridge, the top of {name}", "TR-5")


def resolve_play(board: Board, place: int, value: int, options: TowersOptions) -> Resolution:
    """Play a card on any board (TR-7, TR-8).

    Raises:
        IllegalAction: the card may not be played there.
    """
    verify_place(board, place, value, options)
    array, log = board.to_array(), new_log()
    resolve(array, 8 * value + place, options.rules(), log)
    return _resolution(board, array, log)


def resolve_raze(board: Board, column: int, options: TowersOptions) -> Resolution:
    """Raze column 1..4 of any board, whether or not a game would force it (TR-11).

    Raises:
        IllegalAction: no such column, or nothing on it.
    """
    _verify_tower(board, column)
    array, log = board.to_array(), new_log()
    resolve(array, column - 1, options.rules(), log)
    return _resolution(board, array, log)


class TowersGame:
    """One game, from the deal to the last card.

    `phase` is ``"deal"``, ``"play"``, ``"raze"`` (the player on turn has no legal play) or ``"over"``. Every action is
    a triple ``can_x / verify_x / x``; `verify_x` raises `IllegalAction`, `x` returns a record of what happened.

        >>> game = TowersGame()
        >>> dealt = game.deal("A23456789TJQK" * 4)
        >>> game.play("A", [1]).drew
        'J'
    """

    def __init__(self, options: TowersOptions | None = None) -> None:
        self.options = options or TowersOptions()
        self.actions: list[Action] = []
        self._rules = self.options.rules()
        self._table = new_table(self.options.n_players)
        self._dealt = False

    # ----------------------------------------------------------------------------------------------- what is seen

    @property
    def phase(self) -> str:
        if not self._dealt:
            return "deal"
        if self._table[TURN, 0] == NOBODY:
            return "over"
        hand = self._table[HANDS + self._table[TURN, 0]]
        return "play" if has_play(self._table, hand, self._rules) else "raze"

    @property
    def player(self) -> int | None:
        """Seat on turn; None before the deal and after the end."""
        return int(self._table[TURN, 0]) if self.phase in ("play", "raze") else None

    @property
    def board(self) -> Board:
        return Board.from_array(self._table[:COLUMNS], int(self._rules[SPANS]))

    @property
    def points(self) -> tuple[int, ...]:
        """Sections collected, seat by seat (TR-13)."""
        return tuple(int(points) for points in self._table[TURN, 1 : 1 + self.options.n_players])

    @property
    def source(self) -> int:
        """Cards left to draw."""
        return PACK_SIZE - int(self._table[PACK, 0])

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats with the highest score once the game is over; several share the win (TR-13)."""
        if self.phase != "over":
            return ()
        return tuple(seat for seat, points in enumerate(self.points) if points == max(self.points))

    def hand(self, seat: int) -> tuple[str, ...]:
        """Ranks held, lowest first."""
        counts = self._table[HANDS + seat]
        return tuple(rank_text(value) for value in range(1, KING + 1) for _ in range(counts[value]))

    def legal_plays(self) -> list[tuple[str, tuple[int, ...]]]:
        """Every play of the player on turn as (card, columns 1..4); empty when he has to raze."""
        if self.phase != "play":
            return []
        array = self._table
        return [
            (card, columns_of(place))
            for card in dict.fromkeys(self.hand(int(self._table[TURN, 0])))
            for place in range(2 * COLUMNS)
            if legal_places(array, parse_rank(card), self._rules) >> place & 1
        ]

    # ---------------------------------------------------------------------------------------------------- actions

    def can_deal(self, pack: Iterable[str | int], first_player: int = 0) -> bool:
        return _is_legal(self.verify_deal, pack, first_player)

    def verify_deal(self, pack: Iterable[str | int], first_player: int = 0) -> None:
        """Check that the pack has four of each rank and that the first player is the one the options say."""
        self._verify_phase("deal", "TR-2")
        if sorted(_pack_values(pack)) != sorted_pack().tolist():
            raise IllegalAction("the pack is not four cards of each rank A..K", "TR-1")
        if first_player not in range(self.options.n_players):
            raise IllegalAction(f"no seat {first_player}; expected 0..{self.options.n_players - 1}", "TR-3")
        if self.options.first_player == "0" and first_player != 0:
            raise IllegalAction("seat 0 begins unless the option first_player is random", "TR-3")

    def deal(self, pack: Iterable[str | int], first_player: int = 0) -> Dealt:
        """Deal from a shuffled pack of 52 ranks (texts or values), which is also the order of the source."""
        values = _pack_values(pack)
        self.verify_deal(values, first_player)
        self._table[PACK, 1:] = values
        deal(self._table, first_player)
        self._dealt = True
        self.actions.append(
            {"action": "deal", "pack": [rank_text(value) for value in values], "first_player": first_player}
        )
        return Dealt(tuple(self.hand(seat) for seat in range(self.options.n_players)), first_player)

    def can_play(self, card: str, columns: Sequence[int]) -> bool:
        return _is_legal(self.verify_play, card, columns)

    def verify_play(self, card: str, columns: Sequence[int]) -> None:
        """Check that the player on turn holds the card and that it may be played on these columns (1..4)."""
        self._verify_phase("play", "TR-4")
        value = parse_rank(card)
        if self._table[HANDS + self._table[TURN, 0], value] == 0:
            held = " ".join(self.hand(int(self._table[TURN, 0])))
            raise IllegalAction(f"player {self.player} does not hold {rank_text(value)}; he holds {held}", "TR-3")
        verify_place(self.board, place_of(columns), value, self.options)

    def play(self, card: str, columns: Sequence[int]) -> Played:
        """Play a card on one column, or over two as a bridge, and draw."""
        self.verify_play(card, columns)
        player, value, place = int(self._table[TURN, 0]), parse_rank(card), place_of(columns)
        before, drawn, log = self.board, int(self._table[PACK, 0]), new_log()
        act(self._table, 8 * value + place, self._rules, log)
        drew = rank_text(int(self._table[PACK, drawn + 1])) if drawn < PACK_SIZE else None
        self.actions.append(
            {"action": "play", "player": player, "card": rank_text(value), "columns": list(columns_of(place))}
        )
        resolution = _resolution(before, self._table[:COLUMNS], log)
        return Played(player, rank_text(value), columns_of(place), resolution, drew)

    def can_raze(self, column: int) -> bool:
        return _is_legal(self.verify_raze, column)

    def verify_raze(self, column: int) -> None:
        """Check that the player on turn has no legal play and that the column (1..4) exists."""
        self._verify_phase("raze", "TR-4")
        _verify_tower(self.board, column)

    def raze(self, column: int) -> Razed:
        """Show the hand and raze a column; no card is drawn."""
        self.verify_raze(column)
        player, before, log = int(self._table[TURN, 0]), self.board, new_log()
        act(self._table, column - 1, self._rules, log)
        self.actions.append({"action": "raze", "player": player, "column": column})
        return Razed(player, column, self.hand(player), _resolution(before, self._table[:COLUMNS], log))

    def _verify_phase(self, phase: str, rule: str) -> None:
        if self.phase != phase:
            raise IllegalAction(f"the game is in phase {self.phase!r}; expected {phase!r}", rule)

    # ------------------------------------------------------------------------------------------------ transcripts

    def transcript(self) -> list[str]:
        """The game so far as JSON lines."""
        return list(transcript_lines("towers", self.options, self.actions))

    @classmethod
    def from_transcript(cls, lines: Iterable[str]) -> TowersGame:
        """A game played again.

        Raises:
            TranscriptError: the line that cannot be played and why.
        """
        return replay(lines, "towers", TowersOptions, cls, _apply)


def _apply(game: TowersGame, action: Action) -> None:
    kind = action["action"]
    if kind == "deal":
        game.deal(action["pack"], action.get("first_player", 0))
        return
    if "player" in action and action["player"] != game.player:
        raise IllegalAction(f"player {action['player']} is not on turn; expected {game.player}", "TR-3")
    if kind == "play":
        game.play(action["card"], action["columns"])
    elif kind == "raze":
        game.raze(action["column"])
    else:
        raise IllegalAction(f"unknown action {kind!r}; expected deal, play or raze", "TR-3")


def _pack_values(pack: Iterable[str | int]) -> list[int]:
    values = [parse_rank(card) if isinstance(card, str) else int(card) for card in pack]
    if any(value not in range(1, KING + 1) for value in values):
        raise CardError("a pack of Towers has values 1..13 (TR-1)")
    return values


def _is_legal(verify: Any, *arguments: Any) -> bool:
    try:
        verify(*arguments)
    except (IllegalAction, CardError):
        return False
    return True


def _join(columns: Sequence[int]) -> str:
    return "-".join(str(column) for column in columns)


def _verify_tower(board: Board, column: int) -> None:
    if column not in range(1, COLUMNS + 1):
        raise IllegalAction(f"column {column} does not exist; expected 1..4", "TR-2")
    if not board.columns[column - 1]:
        raise IllegalAction(f"column {column} is empty; only a tower can be razed", "TR-11")


def _resolution(before: Board, array: Any, log: Any) -> Resolution:
    rows = log[1 : log[0, 0] + 1].tolist()
    batches: dict[int, list[tuple[int, str]]] = {}
    for batch, step, section in rows:
        batches.setdefault(batch, []).append((step, rank_text(section % 16)))
    entries = tuple(LogEntry(STEPS[cards[0][0]], tuple(rank for _, rank in cards)) for cards in batches.values())
    removed = tuple(card for entry in entries if entry.step in (STEPS[MATCH], STEPS[RAZE]) for card in entry.cards)
    collected = tuple(
        card for entry in entries if entry.step not in (STEPS[MATCH], STEPS[RAZE]) for card in entry.cards
    )
    return Resolution(before, Board.from_array(array, before.spans), removed, collected, entries)
