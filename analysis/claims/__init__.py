"""Claims with one or two hidden hands, for any game with tricks: a question in words, an answer with its reasons.

`analysis.knowledge` reads a player's knowledge as a `solver.claims.belief.Belief`, `answers.py` judges it, `present.py`
shows it. A game names its seats in a `Seating` (`analysis.bowers.claims`, `analysis.towie.claims`).
"""
