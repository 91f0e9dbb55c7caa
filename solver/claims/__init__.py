"""The provers of claims: is there *one* way of playing that takes k tricks against everything the others may hold?

**What is asked.** The claimant sees one hand, in Towie the dummy too, and every card that is played. A claim is
sound if one strategy, depending on nothing else, takes k tricks against every layout of the unseen cards and
every legal play. The others know everything. Since the strategy is fixed before they choose, it does not matter when
they choose: they may as well decide *as late as they like* which of them holds an unseen card, as long as some layout
still explains all they have played. That is what makes the question a game with nothing hidden, whose positions are
beliefs.

**A belief** (`belief.py`) is what the claimant knows: the cards each hidden hand surely holds, and for every other
unseen card the hands it may be with. How many cards each hand holds follows from the tricks left; what is left over
lies out of play. Three things happen to it: a card that is played leaves it, a hand that fails to follow loses every
card of the suit led, and when a hand takes just as many cards as it may hold, they are surely there.

**The search** (`search.py`) is a minimax over beliefs with a table of what has been found out, for one number of tricks
at a time. Cards that no other card stands between are tried once. `bounds.py` ends it early: cards that win by
themselves, suits that run because nobody can hold enough of them, trumps that draw all others, and the same for a
hidden hand on lead. After so many nodes it says that the claim is *not settled*; it never guesses.

**Unseen discards.** A proof is first tried in an easier game *for the others*: a hidden hand that cannot follow throws
a card away without showing which, so that all of them stay possible. A claim that holds there holds, since every
layout that remains after a discard remains there too; and a position has one discard instead of twenty. Only squeezes
and counts need to see what is thrown, and then the search is done again with discards seen.

Files: `two_hands.py` is the special case of one hidden hand (Towers & Bowers), small enough to be solved in
microseconds. `belief.py`, `bounds.py`, `search.py` are the prover for one
or two hidden hands; `judging.py` puts proofs and refutations together; `layouts.py` counts and draws layouts;
`explanation.py` says why a claim fails; `certificate.py` writes a whole strategy down and `checker.py` checks it.
"""
