"""Towers & Bowers at the table (`game`), and a recorded match graded: what decisions cost, what was luck.

game        what the game brings to the table: `TABLE`
steps       the transcript replayed, with what each player saw at every action
grading     decisions, their costs and marks; players; hands
ledger      hand by hand, and luck over the match
review      the whole answer

Decisions are valued by `move` of the analysis, matches by its `open_hands`.

The reference of bids and discards is that of `upcard` and `discard`: up to four cards the solution, above the learned
policy; indifferent alternatives cost nothing. That of plays, claims and everything else is perfect information *after*
the decision: each alternative has the mean, over every hand of the opponent, weighted by the bids too, of P(win the
tower) when both see all cards from then on. Under other rules all hands count alike (*pimc*).
"""

from towerlab.table.towers_and_bowers.game import TABLE
