"""Which cards beat the best so far, and who takes each trick of a line of play?

In a file of its own: stored solutions are stamped with the kernels of `games.tricks`, and this is no rule of its own.

>>> from towerlab.games.cards import parse_cards
>>> line = parse_cards("9S AS 10H 9H")  # two players, hearts are trumps
>>> [(trick.leader, trick.taker) for trick in tricks_of_line(line, seats=2, leader=0, trump=2, bowers=True)]
[(0, 1), (1, 1)]
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from towerlab.games.cards import to_play_order, trump_field
from towerlab.games.jit import kernel
from towerlab.games.tricks import beats, field_of
from towerlab.games.written import bare_card


@kernel
def cards_that_beat(cards: int, best: int, trumps: int) -> int:
    """Return those of some cards that beat the best so far: the higher ones of its field and the higher trumps.

    Args:
        cards: play-order mask.
        best: play-order mask of one card, or 0.
        trumps: the trump field, `games.cards.trump_field(trump)`.
    """
    return cards & -best & ~best & (field_of(best, trumps) | trumps)


class LineTrick(NamedTuple):
    """A trick of a line: the seats that lead and take it, its cards (`PlayId`) in order of play."""

    leader: int
    cards: tuple[int, ...]
    taker: int


def tricks_of_line(line: Sequence[int], seats: int, leader: int, trump: int, bowers: bool) -> Iterator[LineTrick]:
    """Yield the tricks of a line of printed cards; an unfinished last one belongs to the best card so far."""
    for start in range(0, len(line), seats):
        cards = tuple(line[start : start + seats])
        trick = LineTrick(leader, cards, (leader + winning_place(cards, trump, bowers)) % seats)
        yield trick
        leader = trick.taker


def winning_place(cards: Sequence[int], trump: int, bowers: bool) -> int:
    """Return the place of the best card of a trick, 0 for the card led."""
    masks = [int(to_play_order(1 << bare_card(card), trump, bowers)) for card in cards]
    best = 0
    for place in range(1, len(masks)):
        if beats(masks[place], masks[best], int(trump_field(trump))):
            best = place
    return best
