"""Claims with one or two hidden hands, for any game with tricks.

`analysis.knowledge` reads a player's knowledge as a `solver.claims.belief.Belief`, `answers.py` judges a claim,
`present.py` shows the answer. A game names its seats in a `Seating`, as `analysis.bowers.claims` does.
"""
