"""Double-dummy solver for trick games of three and four hands: what best play takes when all cards are seen.

Works on play-order masks and fields only, so that trumps, bowers, no trump and the joker are all the same to it. For a
newcomer, from the outside in:

*Zero windows* (roots.py). A search only answers whether side 0 takes at least k tricks. Tests from an estimate up or
down close in on the number; two of them, k yes and k + 1 no, prove it.

*The search* (search.py) goes depth first through single cards, on an explicit stack. Of the cards of the side to move
one that keeps its side's aim is enough; only if all fail the other side has proved its point. So what matters is to try
the right card first (leads.py scores them, followers.py sorts them into classes, and what cut off in the same situation
before is tried before anything is sorted), and to stop early.

*Bounds* (bounds.py) stop at the start of a trick: tricks that can be cashed at once, or that can never be lost.

*Relevance and partition patterns* (table.py). Where the ace took the trick, it did not matter who had the seven. Every
result comes with the lowest card of each suit whose owner mattered for its proof. It then holds for all positions with
the same suit lengths (the *shape*) in which the cards from the top of each suit down to that one are with the same
hands (the *pattern*): cards count by their rank among those that remain. So one entry of the table answers for many
positions, even of other deals. And when a card failed in a proof in which the low cards of its suit did not matter,
the lower cards of that suit need not be tried at all.

*Equal cards.* Neighbours in one hand, parted by no card of another hand and not by the card that is winning, are one
move.

Sources: zero windows and quick tricks in bridge: Chang, "Building a fast double-dummy bridge solver" (1996) and
Haglund, "Search algorithms for a bridge double dummy solver" (2010); partition search: Ginsberg, "Partition search"
(1996).

A solver is an object with all its memory (at most 64 MB); there is no global state, and the kernels hold no lock.
"""

from towerlab.solver.double_dummy.position import PLAIN_FIELDS, Position, check_position
from towerlab.solver.double_dummy.solver import CardValue, DoubleDummy, shared_solver, trick_table

__all__ = [
    "PLAIN_FIELDS",
    "CardValue",
    "DoubleDummy",
    "Position",
    "check_position",
    "shared_solver",
    "trick_table",
]
