"""Claims with one or two hidden hands, for any game with tricks: a question in words, an answer with its reasons.

`knowledge.py` turns what a player knows into a `solver.claims.belief.Belief`, `answers.py` judges it, `present.py`
shows it. A game says who sits where in a `Seating` (`analysis.bowers.claims`, `analysis.towie.claims`).
"""
