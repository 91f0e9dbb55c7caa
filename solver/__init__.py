"""What is best play? Exact answers, or answers whose error is measured.

two_hands          the tablebase: every position of two open hands
double_dummy       three and four open hands
claims             what can be claimed whatever the others hold
towers_and_bowers  up-card layouts, the bidding equilibrium, whole hands with hidden cards
towers, tower_war  endings, battles, decks
"""
