"""What does one player of Towers see? Their own hand, the board, and hands that were shown to raze.

>>> rank_texts([1, 10, 13])
('A', 'T', 'K')
"""

from collections import Counter
from collections.abc import Iterable

from towerlab.games.towers.board import rank_text
from towerlab.games.towers.records import GameState, View


def view_of(state: GameState, player: int) -> View:
    """Return the view of one player."""
    shown = [() if seat == player else cards for seat, cards in enumerate(state.shown)]
    unseen = Counter(state.source)
    for seat, hand in enumerate(state.hands):
        if seat != player:
            unseen.update(hand)
            unseen.subtract(shown[seat])
    return View(
        player=player,
        phase=state.phase,
        to_act=state.player,
        board=state.board,
        points=state.points,
        hand=rank_texts(state.hands[player]),
        source=len(state.source),
        counts=tuple(len(hand) for hand in state.hands),
        shown=tuple(rank_texts(cards) for cards in shown),
        unseen=rank_texts(sorted(unseen.elements())),
    )


def rank_texts(values: Iterable[int]) -> tuple[str, ...]:
    """Return values as ranks, in their order."""
    return tuple(rank_text(value) for value in values)
