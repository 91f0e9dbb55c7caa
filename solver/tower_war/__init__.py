"""How are battles, wars, decks and pools of Tower War best played?

battle       P(win the war) between battles; every way to play a hand of three, a battle with open hands: minimax
pimc         decisions against every hand the opponent may hold
equilibrium  one strategy for all hidden hands, equilibria and their exploitability
decks        values of hands and decks, the best deck of a pool; values of pools in the draft, splits and picks
model        the fitted numbers behind them
"""
