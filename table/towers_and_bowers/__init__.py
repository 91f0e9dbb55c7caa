"""What does Towers & Bowers bring to the table, and how is a recorded match graded? What decisions cost, what was luck.

game        what the game brings to the table: `TABLE`
steps       the transcript replayed, with what each player saw at every action
grading     decisions, their costs and marks; players; hands
ledger      hand by hand, and luck over the match
review      the whole answer

Decisions are valued by `move` of the analysis, matches by its `open_hands`.

The reference of bids and discards is that of `upcard` and `discard`: up to four cards the solution, above the learned
policy played out; indifferent alternatives cost nothing. Plays are valued as `move` does: with three cards left by the
solved ending, before that by the learned policy played out, cards hidden to the end. Under other rules, or with the
reference ``pimc``, an alternative has the mean of P(win the tower) over every hand of the opponent when both see all
cards from then on.
"""

from towerlab.table.towers_and_bowers.game import TABLE
