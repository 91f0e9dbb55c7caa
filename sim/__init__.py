"""Who wins over many games? Players, and simulators of whole games in batches.

batch        what a game's simulator is asked, and who sits where
own_players  players besides ours: a class, an object, a function of the user's
choices      chance: numbers, cards, layouts that fit what a player has seen
deals        deals that fit conditions

bowers, tower_war, towers, towers_and_bowers, towie: the players of a game, and its games.
"""
