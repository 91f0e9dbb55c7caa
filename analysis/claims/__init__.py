"""Is a claim sound? Claims with one or two hidden hands, for any game with tricks.

asking    the question, once, in tables, or while a game is played; `analysis.player_knowledge` reads it as a belief
answers   what an answer holds
present   how it is shown
accuracy  which way of claiming is safe: a study of several games

A game names its seats in a `Seating`, as `analysis.bowers.claims` does.
"""
