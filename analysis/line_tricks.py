"""The tricks of a line of play: who leads, the cards, who takes them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from towerlab.games.cards import to_play_order, trump_field
from towerlab.games.tricks import beats
from towerlab.games.written import bare_card


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
