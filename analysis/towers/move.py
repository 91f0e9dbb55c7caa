"""Which play is best in Towers, and what does a play do? `towerlab move towers` and `step towers`.

>>> step("J Qb | K Qb Kb | 9 7 Kb K | -", play="J:4").collected
('Q', '7')
"""

import itertools
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.decision import SCALES, Alternative, DecidedAnswer, Decision, exact_costs, paired_costs
from towerlab.analysis.present import capital, number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.stats import FIRST_LOOK, Estimate, mean_interval
from towerlab.games import towers
from towerlab.games.arrays import Array
from towerlab.games.engine import require
from towerlab.games.errors import CardError, IllegalAction, TowerlabError, at_fault, blame
from towerlab.games.jit import uncompiled
from towerlab.games.towers.options import SPANS
from towerlab.games.towers.records import actions_of
from towerlab.games.towers.rules import COLUMNS, KING, NO_LOG, PACK_SIZE, new_board, resolve
from towerlab.games.towers.state import HAND_SIZE, HANDS, MOST_ACTIONS, PACK, state_of
from towerlab.games.written import Record
from towerlab.solver.towers.ending import solve_ending
from towerlab.solver.towers.search import WHOLE_GAME, count_unseen, new_sampler, points_of, sample_actions

_PLAY = re.compile(r"\s*(\S+?)\s*:\s*(\d+)\s*(?:-\s*(\d+))?\s*")


SAMPLES: Final = 1_000
_SAMPLES_AT_ONCE: Final = 50
_MOST_NODES: Final = 20_000_000

MODEL: Final = (
    "unseen cards at random in the other hands and the source; after the play everybody takes the most points at once, "
    "of equal ones the lowest card"
)


@dataclass(frozen=True)
class RankedPlay(
    Record,
    keys="play columns difference=value.mean interval=value.ends exact points cost=cost.mean cost_interval=cost.ends",
):
    """One action and its value.

    Attributes:
        action: the kernel's number.
        play: the action as `towerlab step towers` takes it: ``"J:4"``, ``"5:2-3"``, or ``"raze 1"``.
        columns: 1..4.
        value: the points to come until the end of the game, the player's less the best other player's; if exact, both
            ends of the interval are the value.
        exact: whether the value is proved (an ending) or sampled.
        points: the points collected at once.
        cost: the cost against the best, with its interval; actions of one kind (`action_kinds`) have the same cost.
    """

    action: int
    play: str
    columns: tuple[int, ...]
    value: Estimate
    exact: bool
    points: int
    cost: Estimate


@dataclass(frozen=True)
class MoveAnswer(
    DecidedAnswer,
    game="towers",
    shown_by="towerlab.analysis.towers.present:move_report",
    table="plays",
    keys="shown=held? plays samples model recommend margin=lead",
):
    """All legal actions, the best first.

    Attributes:
        board, hand: the player's position.
        plays: the actions, the best first.
        margin: the cost of the best action of another kind; None if all are of one kind.
        samples: number of deals of the unseen cards; 0 for an exact answer.
        source: number of cards left to draw.
        other_hands: sizes of the other hands, in the order of play.
        shown: the cards of each other hand that were shown to raze and are still held.
    """

    board: towers.Board
    hand: tuple[str, ...]
    plays: tuple[RankedPlay, ...]
    margin: Estimate | None
    samples: int
    source: int
    other_hands: tuple[int, ...]
    shown: tuple[tuple[str, ...], ...] = ()

    @property
    def held(self) -> list[list[str]] | None:
        return [list(cards) for cards in self.shown] if any(self.shown) else None

    @property
    def exact(self) -> bool:
        return self.samples == 0

    @property
    def cards(self) -> int:
        """The number of cards in the hand."""
        return len(self.hand)

    @property
    def method(self) -> str:
        return "exact" if self.exact else "sampled"

    @property
    def model(self) -> str:
        return "best play by both sides" if self.exact else MODEL

    @property
    def recommend(self) -> str:
        return self.plays[0].play

    @property
    def decision(self) -> Decision[Alternative]:
        """The actions as alternatives."""
        plays = (Alternative(play.play, play.value.mean, play.cost) for play in self.plays)
        basis = "exact: the ending is solved" if self.exact else f"sampled: {self.samples:,} deals, seed {self.seed}"
        return Decision(tuple(plays), SCALES["towers"], basis, self.samples, "deal")

    @property
    def why(self) -> str:
        """Why the best action is best (`why_best`)."""
        return why_best(self.decision, {play.play: play.points for play in self.plays})

    @property
    def lead(self) -> dict[str, Any] | None:
        margin = self.margin
        return None if margin is None else {"difference": margin.mean, "interval": margin.ends}


def move(
    board: str,
    hand: str,
    gone: str = "",
    players: int = 2,
    options: towers.TowersOptions | None = None,
    *,
    shown: str = "",
    samples: int = SAMPLES,
    seconds: float | None = None,
    seed: int = 0,
) -> MoveAnswer:
    """Return every legal action of the player on turn, the best first.

    With two players and an empty source the answer is exact. Otherwise the unseen cards are dealt many times, and every
    action is played on to the end of the game on each deal (`solver.towers.search`). The other hands are assumed to
    have five cards each, or what is left of the unseen cards, dealt from the next player on.

    Args:
        board: the board in notation.
        hand: the ranks held, one to five.
        gone: the ranks out of the game: met, razed or collected.
        players: number of players.
        options: rule options; `n_players` is ignored.
        shown: the ranks that others have shown to raze (TR-4) and still hold, the next player's first: ``"K Q | 9"``.
        samples: number of deals of the unseen cards, at least 2.
        seconds: the time after which to stop instead; the number of deals and the answer then depend on the machine.
        seed: the seed of the deals.

    Raises:
        TowerlabError: an impossible board, an unknown card, a fifth card of a rank, or a hand of the wrong size.
    """
    options = options or towers.TowersOptions()
    parsed_board = towers.Board.parse(board, options)
    held = towers.parse_ranks(hand)
    lost = towers.parse_ranks(gone)
    if not 1 <= len(held) <= HAND_SIZE:
        raise blame(CardError(f"a hand of {len(held)} cards; expected 1 to {HAND_SIZE} (TR-2)"), "hand")
    with at_fault("players"):
        replace(options, n_players=players)  # refuses impossible boards
    if samples < 2:
        raise blame(TowerlabError(f"{samples} samples give no interval; expected at least 2"), "samples")
    state = assumed_state(parsed_board, held, lost, players)
    sizes = tuple(int(size) for size in state[HANDS + 1 :, 0])
    seen = _read_shown(shown, state)
    rules = options.rules()
    actions = actions_of(state, rules)
    source = PACK_SIZE - int(state[PACK, 0])
    kinds = action_kinds(state, actions, rules)
    shown_before = shown_counts([(), *seen])
    differences, exact = action_differences(state, actions, rules, samples, seconds, seed, shown_before)
    costs = exact_costs(differences[0].tolist()) if exact else paired_costs(differences, FIRST_LOOK, kinds)
    order = np.argsort(-differences.mean(axis=0), kind="stable").tolist()
    plays = tuple(_rank_action(state, int(actions[i]), differences[:, i], rules, exact, costs[i]) for i in order)
    margin = next((costs[i] for i in order if kinds[i] != kinds[order[0]]), None)
    return MoveAnswer(
        board=parsed_board,
        hand=tuple(towers.rank_text(value) for value in held),
        plays=plays,
        margin=margin,
        samples=0 if exact else len(differences),
        seed=seed,
        source=source,
        other_hands=sizes,
        shown=tuple(tuple(map(towers.rank_text, cards)) for cards in seen),
        options=options,
    )


def assumed_state(board: towers.Board, held: list[int], gone: list[int], players: int = 2) -> Array:
    """Return a state that fits what the player on turn knows, int64[6 + players, 53].

    The other hands are full, with arbitrary unseen cards: a search deals them anew.

    Raises:
        CardError: a fifth card of a rank (TR-1).
    """
    known = board.values() + Counter(held) + Counter(gone)
    for value, count in known.items():
        if count > 4:
            raise CardError(f"{count} cards of rank {towers.rank_text(value)} in all; the pack has four (TR-1)")
    unseen = [value for value in range(1, KING + 1) for _ in range(4 - known[value])]
    others = players - 1
    dealt = HAND_SIZE * (players - 1)
    hands = [held, *(unseen[place:dealt:others] for place in range(others))]
    return state_of(board.to_array(), hands, unseen[dealt:], 0)


def _read_shown(text: str, state: Array) -> list[tuple[int, ...]]:
    """Return the values that each other hand has shown, the next player's first.

    Raises:
        CardError: more hands, more cards than a hand holds, or cards that are not unseen.
    """
    parts = text.split("|") if text.strip() else []
    others = len(state) - HANDS - 1
    with at_fault("shown"):
        if len(parts) > others:
            raise CardError(f"{len(parts)} hands are shown; expected at most {others}, of the other players")
        shown = [tuple(towers.parse_ranks(part)) for part in parts] + [()] * (others - len(parts))
        for cards, size in zip(shown, state[HANDS + 1 :, 0], strict=True):
            if len(cards) > size:
                problem = f"{len(cards)} cards are shown of a hand of {size}"
                raise CardError(f"{problem}; expected no more than it holds (TR-4)")
        counts = shown_counts(shown).sum(axis=0)
        unseen = np.zeros(KING + 1, np.int64)
        count_unseen(state, 0, unseen)
        for value in (np.flatnonzero(counts[1:] > unseen[1:]) + 1).tolist():
            problem = f"{counts[value]} of rank {towers.rank_text(int(value))} are shown"
            raise CardError(f"{problem}; expected at most {unseen[value]} (TR-1)")
    return shown


def shown_counts(shown: Sequence[Sequence[int]]) -> Array:
    """Return how many cards of each value each seat has shown: int64[players, 14], ``[seat, 0]`` in all."""
    counts = np.array([np.bincount(np.array(cards, dtype=np.int64), minlength=KING + 1) for cards in shown])
    counts[:, 0] = counts.sum(axis=1)
    return counts


def action_kinds(state: Array, actions: Array, rules: Array) -> list[int]:
    """Return for each action the place of the first one with the same result: the same board or its mirror image.

    The columns of a line can be counted from either end, those of a square from any corner either way round. (Sections
    that fall one after another do so from the left; that difference is left out.)

    Arrays: state int64[6 + players, 53], actions int64[actions], rules int64[9].
    """
    ways = [(0, 1), (COLUMNS - 1, -1)]
    if rules[SPANS] == COLUMNS:
        ways = list(itertools.product(range(COLUMNS), (1, -1)))
    orders = [[(first + step * place) % COLUMNS for place in range(COLUMNS)] for first, step in ways]
    results = []
    for action in actions.tolist():
        board = state[:COLUMNS].copy()
        points = int(resolve(board, action, rules, NO_LOG))
        columns = [board[column, 1 : board[column, 0] + 1].tolist() for column in range(COLUMNS)]
        results.append((action >> 3, points, min(_reorder_columns(columns, order) for order in orders)))
    return [results.index(result) for result in results]


def _reorder_columns(columns: Sequence[Sequence[int]], order: Sequence[int]) -> list[list[int]]:
    """Return the sections of a board with its columns in another order."""

    def renamed(section: int) -> int:
        if not section >> 4:
            return section
        left = order.index((section >> 4) - 1)
        right = order.index((section >> 4) % COLUMNS)
        span = left if (left + 1) % COLUMNS == right else right
        return section & 15 | 16 * (1 + span)

    return [[renamed(section) for section in columns[column]] for column in order]


def action_differences(
    state: Array,
    actions: Array,
    rules: Array,
    samples: int,
    seconds: float | None,
    seed: int,
    shown: Array | int = 0,
) -> tuple[NDArray[np.int64], bool]:
    """Return the value of each action in points to come, int64[deals, actions], and whether it is proved (an ending).

    Of actions with the same result (`action_kinds`), only one is played out.

    Args:
        state: the position as `games.towers.state` describes it; unseen cards are in any order.
        actions: the legal actions.
        rules: the rules of the game.
        samples, seconds, seed: the same as in `move`, unless the state is an ending.
        shown: what `shown_counts` returns; 0 if nothing was shown.

    Arrays: state int64[6 + players, 53], actions int64[actions], rules int64[9], shown int64[players, 14].
    """
    if len(state) - HANDS == 2 and state[PACK, 0] == PACK_SIZE:
        ending = solve_ending(state, rules, most_nodes=_MOST_NODES)
        if ending is not None:
            return ending[None, :], True
    rng = np.random.default_rng(seed)
    work = new_sampler(len(state) - HANDS)
    work.shown[:] = shown
    leads = np.zeros((_SAMPLES_AT_ONCE, MOST_ACTIONS), dtype=np.int64)
    until = time.monotonic() + (seconds or 0.0)
    batches: list[NDArray[np.int64]] = []
    left = samples
    distinct, columns = np.unique(action_kinds(state, actions, rules), return_inverse=True)
    while not batches or (left > 0 if seconds is None else time.monotonic() < until):
        count = min(_SAMPLES_AT_ONCE, left) if seconds is None else _SAMPLES_AT_ONCE
        sample_actions(state, actions[distinct], count, WHOLE_GAME, rules, rng, work, leads)
        batches.append(leads[:count, columns].copy())
        left -= count
    return np.concatenate(batches), False


def points_now(state: Array, actions: Array, rules: Array) -> list[int]:
    """Return the number of sections that each action collects at once.

    Arrays: state int64[6 + players, 53], actions int64[actions], rules int64[9].
    """
    points = uncompiled(points_of)
    return [int(points(state, int(action), rules, new_board(), NO_LOG)) for action in actions]


def why_best(decision: Decision[Any], now: Mapping[str, int]) -> str:
    """Return why the best action is best: what it and the most tempting other one make now and afterwards.

    The most tempting one has the most points now, if the best has fewer; else it is the next best of another value. The
    text is empty if there is none.

    Args:
        decision: the decision; its values are the points to come until the end of the game, those at once included,
            less the best other player's.
        now: the points at once, by the text of an action.
    """
    best, *others = (same[0] for same in decision.groups)
    if not others:
        return ""
    tempting = max(others, key=lambda option: now[option.text])  # of equal ones the best
    other = tempting if now[tempting.text] > now[best.text] else others[0]
    points, fewer = (
        number_of(now[option.text], "point") if now[option.text] else "nothing" for option in (best, other)
    )
    later, less = (option.value - now[option.text] for option in (best, other))
    gains = f"gains {later:.2f} on" if later >= 0 else f"loses {-later:.2f} to"
    changes = f"gains {less:.2f}" if less >= 0 else f"loses {-less:.2f}"
    first = f"{capital(best.text)} makes {points} now and {gains} the best opponent afterwards"
    return f"{first}; {other.text} makes {fewer} and {changes}."


def _rank_action(
    state: Array, action: int, differences: Array, rules: Array, exact: bool, cost: Estimate
) -> RankedPlay:
    (points,) = points_now(state, np.array([action]), rules)
    value = _exact_estimate(int(differences[0])) if exact else mean_interval(differences)
    columns = towers.columns_of(action & 7) if action >= 8 else (action + 1,)
    return RankedPlay(action, action_text(action), columns, value, exact, points, cost)


def action_text(action: int) -> str:
    """Return an action as `towerlab step towers` takes it."""
    if action < 8:
        return f"raze {action + 1}"
    return f"{towers.rank_text(action >> 3)}:{'-'.join(map(str, towers.columns_of(action & 7)))}"


def _exact_estimate(value: int) -> Estimate:
    return Estimate(value, value, value, 1)


@dataclass(frozen=True)
class StepAnswer(
    Answer, game="towers", method="exact", shown_by="towerlab.analysis.towers.present:step_report", table="log"
):
    """The result of an action.

    Attributes:
        legal: whether the rules allow the action.
        reason: why they do not, with the rule's id; None if it is legal.
        before, after: the boards; equal if the action is illegal.
        collected: the ranks that the player on turn scores, in the order in which they went.
        removed: the ranks that no player scores: the equal cards that met, or the razed tower.
        log: what happened, step by step.
    """

    legal: bool
    reason: str | None
    before: towers.Board
    after: towers.Board
    collected: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    log: tuple[towers.LogEntry, ...] = ()


def step(
    board: str, play: str | None = None, raze: int | None = None, options: towers.TowersOptions | None = None
) -> StepAnswer:
    """Return the result of playing a card or razing a tower on any board, reachable or not, forced to raze or not.

    Args:
        board: the board in notation, such as ``"J Qb | K Qb Kb | 9 7 Kb K | -"``.
        play: a card and its column, or two for a bridge: ``"J:4"``, ``"5:2-3"``.
        raze: a column 1..4; exactly one of `play` and `raze` is given.
        options: rule options; None for the defaults.

    Raises:
        TowerlabError: an impossible board, an unknown card or column, a fifth card of a rank.
    """
    options = options or towers.TowersOptions()
    before = towers.Board.parse(board, options)
    if (play is None) == (raze is None):
        raise TowerlabError("expected either a play such as J:4 or 5:2-3, or a column to raze")
    try:
        if raze is not None:
            done = towers.resolve_raze(before, _column(raze), options)
        else:
            value, columns = parse_play(require(play))
            if before.values()[value] == 4:
                raise CardError(f"a fifth {towers.rank_text(value)}: the board holds all four of the pack (TR-1)")
            done = towers.resolve_play(before, towers.place_of(columns), value, options)
    except IllegalAction as illegal:
        return StepAnswer(False, str(illegal), before, before, options=options)
    return StepAnswer(True, None, before, done.after, done.collected, done.removed, done.log, options=options)


def parse_play(text: str) -> tuple[int, tuple[int, ...]]:
    """Return the value and the columns of ``"J:4"`` or, for a bridge, ``"5:2-3"``.

    Raises:
        TowerlabError: not a play, an unknown card, or columns that do not exist.
    """
    match = _PLAY.fullmatch(text)
    if match is None:
        raise TowerlabError(f"{text!r} is not a play; expected a card and its column, J:4, or a bridge, 5:2-3 (TR-5)")
    columns = tuple(_column(int(column)) for column in match.groups()[1:] if column is not None)
    return towers.parse_rank(match[1]), columns


def _column(column: int) -> int:
    if column not in range(1, 5):
        raise TowerlabError(f"column {column} does not exist; expected 1 to 4 (TR-2)")
    return column
