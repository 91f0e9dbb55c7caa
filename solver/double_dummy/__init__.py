"""How many tricks does best play take with three or four open hands? A double-dummy solver (solver.py); its positions
are checked in position.py, and estimate.py guesses before a search.

It works on play-order masks and fields only, so that trumps, bowers, no trump and the joker need no special cases. From
the outside in:

*Zero windows* (search.py). A search answers whether side 0 takes at least k tricks. Tests from an estimate up or down
approach the number; two of them, k yes and k + 1 no, prove it.

*The search* (search.py) is depth first over single cards, on an explicit stack. A side succeeds at a node if one of its
cards does; it fails if all of them do. So the right card should come first: ordering.py scores leads and sorts
followers into classes, and before any sorting comes the card that cut off in the same situation before.

*Bounds* (bounds.py) end the search at the start of a trick: tricks that can be cashed at once, or that can never be
lost.

*Relevance and partition patterns* (transpositions.py). If the ace took the trick, the owner of the seven did not
matter. Every result has, for each suit, the lowest card whose owner mattered for its proof. It then holds for all
positions with the same suit lengths (the *shape*) in which the same hands hold the cards from the top of each suit down
to that one (the *pattern*), cards counting by their rank among those that remain. So an entry of the table answers for
many positions, even of other deals. And if a card failed in a proof in which the low cards of its suit did not matter,
the lower cards of that suit need not be tried.

*Equal cards.* Neighbours in a hand are one move if no card of another hand and not the winning card is between them.

Sources: zero windows and quick tricks in bridge: Chang, "Building a fast double-dummy bridge solver" (1996) and
Haglund, "Search algorithms for a bridge double dummy solver" (2010); partition search: Ginsberg, "Partition search"
(1996).

A solver is an object with all its memory (at most 64 MB); there is no global state, and the kernels hold no lock.
"""

from towerlab.solver.double_dummy.position import PLAIN_FIELDS, Position
from towerlab.solver.double_dummy.solver import DoubleDummy, shared_solver, trick_table

__all__ = ["PLAIN_FIELDS", "DoubleDummy", "Position", "shared_solver", "trick_table"]
