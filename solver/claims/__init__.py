"""The provers of claims: is there *one* way of playing that takes k tricks against everything the others may hold?

**The question.** The claimant sees one hand, in Towie also the dummy, and every card that is played. A claim is sound
if a strategy that depends on nothing else takes k tricks against every layout of the unseen cards and every legal play.
The others know all cards. Since the strategy is fixed before they choose, it does not matter when they choose: they may
decide *as late as they like* which of them holds an unseen card, as long as some layout explains all their plays. So
the question is a game of perfect information, whose positions are beliefs.

**A belief** (`belief.py`) is the claimant's knowledge: the known cards of each hidden hand, and for every other unseen
card the hands that may hold it. The size of each hand follows from the tricks left; the rest of the cards is out of
play. A belief changes in three ways: a played card leaves it, a hand that fails to follow loses every card of the suit
led, and if a hand needs all cards that it may hold, they become known.

**The search** (`search.py`) is a minimax over beliefs with a transposition table, for one number of tricks at a time.
Of cards without another card between them it tries one. `bounds.py` ends it early: cards that win by themselves,
trumps that draw all others, and the same for a hidden hand on lead. At its limit of nodes it returns that the claim is
*not settled*; it never guesses.

**Unseen discards.** A proof is first tried in a game that is easier *for the others*: a hidden hand that cannot follow
discards a card without showing it, so that all its cards stay possible. A claim that is sound there is sound, since
every layout that remains after a seen discard remains after an unseen one; and a position has one discard instead of
twenty. Only squeezes and counts need to see discards; for them the search is repeated with discards seen.

Files: `belief.py`, `bounds.py` and `search.py` are the prover for one or two hidden hands (one, as in Towers & Bowers,
is settled at once); `judging.py` counts and draws layouts and combines proofs and refutations; `explanation.py`
explains why a claim fails; `certificate.py` writes a whole strategy and `checker.py` checks it.
"""
