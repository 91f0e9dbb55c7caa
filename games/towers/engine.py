"""How is Towers driven, move by move? What may be done now, why not, and what came of it.

>>> game = TowersGame()
>>> game.deal("A23456789TJQK" * 4)
>>> game.to_act, game.hand(0)
(0, ('A', '3', '5', '7', '9'))
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.engine import INTEGER, INTEGERS, TEXT, Action, Choices, Engine, Reader, Result, list_reader, require
from towerlab.games.errors import CardError, IllegalAction, demand
from towerlab.games.towers import records
from towerlab.games.towers.board import Board, parse_rank, rank_text
from towerlab.games.towers.options import SPANS, TowersOptions
from towerlab.games.towers.rules import COLUMNS, KING, new_log
from towerlab.games.towers.state import HANDS, NOBODY, ON_TURN, PACK, act, deal, new_state, sorted_pack, state_of
from towerlab.games.towers.view import rank_texts, view_of

GAME: Final = "towers"


class TowersGame(Engine[TowersOptions, records.GameState]):
    """One game, from the deal to the last card; see `games.engine` for how it is driven.

    >>> game = TowersGame()
    >>> game.deal("A23456789TJQK" * 4)
    >>> print(game.play("A", [1]).after)
    A | - | - | -
    """

    GAME = GAME
    OPTIONS = TowersOptions
    ACTIONS = ("deal", "play", "raze")
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {
        "pack": list_reader(TEXT, "a list of ranks"),
        "first_player": INTEGER,
        "card": TEXT,
        "columns": INTEGERS,
        "column": INTEGER,
    }

    def __init__(self, options: TowersOptions | None = None) -> None:
        options = options or TowersOptions()
        self._rules = options.rules()
        empty = ((),) * options.n_players
        board = Board(((),) * COLUMNS, int(self._rules[SPANS]))
        points = (0,) * options.n_players
        super().__init__(options, records.GameState(records.Phase.DEAL, None, board, empty, (), points, empty))

    # ----------------------------------------------------------------------------------------------- what is seen

    @property
    def seats(self) -> range:
        """The players."""
        return range(self.options.n_players)

    @property
    def to_act(self) -> int | None:
        """The seat on turn; None before the deal and after the end."""
        return self._state.player

    @property
    def result(self) -> Result | None:
        """The highest score wins; several share the win (TR-13)."""
        if self.phase != records.Phase.OVER:
            return None
        points = self._state.points
        winners = tuple(seat for seat in self.seats if points[seat] == max(points))
        return Result(winners, points, "sections collected")

    def hand(self, seat: int) -> tuple[str, ...]:
        """Ranks held, lowest first."""
        return rank_texts(self._state.hands[seat])

    def _view(self, seat: int) -> records.View:
        return view_of(self._state, seat)

    def _choices(self, seat: int) -> Choices:
        if seat != self.to_act:
            return Choices()
        return Choices.of(
            records.record_of(action, seat) for action in records.actions_of(self._array(), self._rules).tolist()
        )

    def chance(self, rng: np.random.Generator) -> Action:
        """Return a shuffled pack, and who begins where that is drawn (TR-2, TR-3)."""
        if self.phase != records.Phase.DEAL:
            raise self._no_chance()
        pack = [rank_text(int(value)) for value in rng.permutation(sorted_pack())]
        first = 0 if self.options.first_player == "0" else int(rng.integers(self.options.n_players))
        return {"action": "deal", "pack": pack, "first_player": first}

    # ---------------------------------------------------------------------------------------------------- actions

    def verify_deal(self, pack: Sequence[str | int], first_player: int = 0) -> None:
        """Check that the pack has four of each rank and that the first player is the one the options say."""
        self._demand_phase("a deal", "TR-2", records.Phase.DEAL)
        whole = sorted(_pack_values(pack)) == sorted_pack().tolist()
        demand(whole, "the pack is not four cards of each rank A..K", "TR-1")
        demand(first_player in self.seats, f"no seat {first_player}; expected 0..{len(self.seats) - 1}", "TR-3")
        drawn = self.options.first_player == "random"
        demand(drawn or first_player == 0, "seat 0 begins unless the option first_player is random", "TR-3")

    def deal(self, pack: Sequence[str | int], first_player: int = 0) -> None:
        """Deal from a shuffled pack of 52 ranks (texts or values), which is also the order of the source."""
        values = _pack_values(pack)
        array = new_state(self.options.n_players)
        array[PACK, 1:] = values
        deal(array, first_player)
        self._take_from(array, ((),) * self.options.n_players)
        self._record("deal", pack=list(rank_texts(values)), first_player=first_player)

    def verify_play(self, card: str, columns: Sequence[int]) -> None:
        """Check that the player on turn holds the card and that it may be played on these columns (1..4)."""
        self._demand_phase("playing a card", "TR-4", records.Phase.PLAY)
        player = require(self._state.player)
        value = parse_rank(card)
        if value not in self._state.hands[player]:
            held = " ".join(self.hand(player))
            raise IllegalAction(f"player {player} does not hold {rank_text(value)}; expected one of {held}", "TR-3")
        records.verify_place(self._state.board, records.place_of(columns), value, self.options)

    def play(self, card: str, columns: Sequence[int]) -> records.Resolution:
        """Play a card on one column, or over two as a bridge, and draw."""
        left = list(self._state.shown[require(self._state.player)])
        if (value := parse_rank(card)) in left:
            left.remove(value)
        return self._act(8 * value + records.place_of(columns), tuple(left))

    def verify_raze(self, column: int) -> None:
        """Check that the player on turn has no legal play and that the column (1..4) exists."""
        self._demand_phase("razing a tower", "TR-4", records.Phase.RAZE)
        records.verify_tower(self._state.board, column)

    def raze(self, column: int) -> records.Resolution:
        """Show the hand and raze a column; no card is drawn."""
        return self._act(column - 1, self._state.hands[require(self._state.player)])

    # -------------------------------------------------------------------------------------------------- the state

    def _act(self, action: int, shown: tuple[int, ...]) -> records.Resolution:
        """Take an action of the kernels for the player on turn, of whose hand the others then know these cards."""
        state = self._state
        player = require(self._state.player)
        array = self._array()
        log = new_log()
        act(array, action, self._rules, log)
        self._take_from(array, (*state.shown[:player], shown, *state.shown[player + 1 :]))
        self._record(**records.record_of(action, player))
        return records.resolution_of(state.board, array[:COLUMNS], log)

    def _array(self) -> Array:
        """Return the state as the kernels take it."""
        state = self._state
        return state_of(state.board.to_array(), state.hands, state.source, require(self._state.player), state.points)

    def _take_from(self, array: Array, shown: tuple[tuple[int, ...], ...]) -> None:
        """Take the state from an array of the kernels."""
        turn = int(array[ON_TURN, 0])
        players = len(self.seats)
        if turn == NOBODY:
            phase = records.Phase.OVER
        else:
            phase = (
                records.Phase.PLAY
                if records.actions_of(array, self._rules)[0] >= records.FIRST_PLAY
                else records.Phase.RAZE
            )
        self._state = records.GameState(
            phase,
            None if turn == NOBODY else turn,
            Board.from_array(array[:COLUMNS], int(self._rules[SPANS])),
            tuple(
                tuple(value for value in range(1, KING + 1) for _ in range(array[HANDS + seat, value]))
                for seat in self.seats
            ),
            tuple(array[PACK, array[PACK, 0] + 1 :].tolist()),
            tuple(array[ON_TURN, 1 : 1 + players].tolist()),
            shown,
        )


def _pack_values(pack: Sequence[str | int]) -> list[int]:
    values = [parse_rank(card) if isinstance(card, str) else int(card) for card in pack]
    if any(value not in range(1, KING + 1) for value in values):
        raise CardError("a pack of Towers has values 1..13 (TR-1)")
    return values
