"""The book of answers that the explorer holds; its page is `analysis.towers_and_bowers.report.explorer`.

answers   every class of hands beside one up-card at once: what `towerlab upcard` says of each
packed    the answers as columns of small numbers
"""
