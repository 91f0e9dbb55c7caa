"""What is best play in Towers & Bowers? Up-card layouts, the bidding equilibrium, whole hands.

upcard         the hands that the opponent can hold for an up-card, and their tricks
layout_counts  many hands at once: how many layouts end with how many tricks
bidding        strategies of both seats by class of hands
whole_hand     hands of one to four cards, solved with hidden cards
ending_solver  the last cards of a hand, with hidden cards
self_play      a policy learned by playing against itself, for larger hands
"""
