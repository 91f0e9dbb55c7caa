"""Which cards follow suit, and which card wins a trick? Kernels over play-order masks (see games/cards.py).

The same four functions serve the engines, the simulators and the solvers of all trick games (TB-17..19, TO-8,
BO-8, BO-9).
"""

from __future__ import annotations

from towerlab.games.cards import SUIT_BITS, TRUMP_SHIFT
from towerlab.games.jit import kernel


@kernel
def field_of(card: int, trumps: int) -> int:
    """The field a card belongs to and has to be followed in.

    Args:
        card: play-order mask of one card.
        trumps: the trump field, `games.cards.trump_field(trump)`.
    """
    if card & trumps:
        return trumps
    if card < 1 << 13:
        return SUIT_BITS
    if card < 1 << 26:
        return SUIT_BITS << 13
    if card < 1 << TRUMP_SHIFT:
        return SUIT_BITS << 26
    return SUIT_BITS << TRUMP_SHIFT


@kernel
def legal_followers(hand: int, field: int) -> int:
    """Cards of a non-empty hand that may be played when `field` was led: that field if held, else anything."""
    following = hand & field
    return following if following else hand


@kernel
def beats(card: int, best: int, trumps: int) -> bool:
    """Whether a card played later beats the best so far: higher, and of its field or a trump."""
    return card > best and (card & (field_of(best, trumps) | trumps)) != 0


@kernel
def leader_wins(led: int, reply: int, trumps: int) -> bool:
    """Whether the card led wins a trick of two cards."""
    return not beats(reply, led, trumps)
