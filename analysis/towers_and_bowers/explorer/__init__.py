"""The explorer: a page that answers every bidding question, and the book of answers that it holds.

answers   every class of hands beside one up-card at once: what `towerlab upcard` says of each
packed    the answers as columns of small numbers, and how they are read again
page      the page that holds them
"""
