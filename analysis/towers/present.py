"""How are the answers of Towers shown in a terminal? Boards as pictures, the log of a cascade.

Example:
    towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --play J:4
"""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from towerlab.analysis.present import closing_lines, number_of, stack_parts, table
from towerlab.analysis.towers import MoveAnswer, StepAnswer
from towerlab.games.towers import Board, BoardSection

_CELL = 8  # characters a column of the picture takes
_WORDS = {
    "match": "equal cards met at one level and left the game: {}",
    "raze": "razed, nobody scores them: {}",
    "landing": "landed on the ground or on a bridge: {}",
    "crushing": "crushed by an uneven bridge: {}",
    "instability": "bridge uneven by two: {}",
    "support": "too weak for the card on it: {}",
    "equal level": "equal cards had become level: {}",
}


def board_picture(board: Board) -> str:
    """Return a board as text, a line for each level; ``╱`` or ``╲`` breaks an uneven bridge over its two columns."""
    rows = [[" " * _CELL for _ in board.columns] for _ in range(max(1, *board.heights))]
    for section in board.sections():
        for (column, level), cell in zip(section.ends, _cells(section), strict=True):
            rows[level - 1][column] = cell
    lines = [f"{level:>3} " + "".join(rows[level - 1]).rstrip() for level in range(len(rows), 0, -1)]
    ground = "    " + "".join(" " + "▔" * (_CELL - 2) + " " for _ in board.columns)
    names = "    " + "".join(f"T{number}".center(_CELL) for number in range(1, len(board.columns) + 1))
    return "\n".join([*lines, ground.rstrip(), names.rstrip()])


def step_report(answer: StepAnswer) -> Group:
    """Return the board before, each step, and the board after."""
    before, after = (
        Group(Text(when, style="bold"), str(board), board_picture(board))
        for when, board in (("Before", answer.before), ("After", answer.after))
    )
    if not answer.legal:
        return stack_parts(before, Text(f"Illegal: {answer.reason}", style="bold"))
    words = (_WORDS[entry.step].format(" ".join(entry.cards)) for entry in answer.log)
    steps = [f"{number}. {sentence}" for number, sentence in enumerate(words, 1)]
    happened = "\n".join(steps or ["No equal card at that level: nothing happens (TR-7)."])
    collected = f": {' '.join(answer.collected)}" if answer.collected else ""
    points = f"Points: {len(answer.collected)}{collected}"
    return stack_parts(before, happened, after, Text(points, style="bold"))


def move_report(answer: MoveAnswer) -> Group:
    """Return the board, every action with its value, and how that is known."""
    decision = answer.decision
    rows = table("play", "points now", "difference to come", "costs, points", "verdict")
    for play, option in zip(answer.plays, decision.alternatives, strict=True):
        value = _signed(play.value.mean, play.exact)
        cost = decision.scale.cost_cell(play.cost)
        rows.add_row(play.play, str(play.points), value, cost, decision.word(option))
    seen = [f" ({' '.join(cards)} shown)" if cards else "" for cards in answer.shown]
    others = " and ".join(f"{size}{cards}" for size, cards in zip(answer.other_hands, seen, strict=True))
    source = number_of(answer.source, "card")
    best = Text(decision.sentence or f"Best: {answer.recommend}, the only action.", style="bold")
    held = f"Hand: {' '.join(answer.hand)}; the others hold {others}, the source {source}."
    return stack_parts(board_picture(answer.board), held, rows, best, answer.why or None, _how_known(answer))


def _how_known(answer: MoveAnswer) -> Table:
    counted = f"{number_of(answer.samples, 'deal')} of the unseen cards"
    accuracy = "95 % intervals, those of the costs simultaneous"
    if answer.exact:
        counted = "every continuation: the source is empty and both hands are known"
        accuracy = "exact"
    return closing_lines(("Counted", counted), ("Model", answer.model), ("Accuracy", accuracy))


def _signed(number: float, exact: bool = False) -> str:
    return f"{number:+.0f}" if exact else f"{number:+.2f}"


def _cells(section: BoardSection) -> tuple[str, ...]:
    """Return a cell for each end of a section, its left column first."""
    if not section.is_bridge:
        return (section.rank.center(_CELL),)
    (left, low), (right, high) = section.ends
    if right < left:  # the last side of a square runs round the edge of the picture
        return f" [═{section.rank}═══»", f"«═══{section.rank}═] "
    if low == high:
        return f" [═════{section.rank}", "══════] "
    slope = "╱" if high > low else "╲"
    return f" [═{section.rank}══{slope} ", f" {slope}══{section.rank}═] "
