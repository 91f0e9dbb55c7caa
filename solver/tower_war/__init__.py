"""Tower War solved: battles, wars, decks and pools.

ways         every way to play a hand of three
battle       a battle with open hands: minimax
hidden       decisions against every hand the opponent may hold
information  one strategy for all hidden hands, equilibria and their exploitability
war_value    P(win the war) over levels, stashes and leader
decks        values of hands and decks, the best deck of a pool
pools        values of pools in the draft, splits and picks
model        the fitted numbers behind the last three
"""
