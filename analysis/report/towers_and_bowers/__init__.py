"""The Towers & Bowers report: accept or pass at seven cards, over every hand and up-card.

view      the up-card book with the columns that the report groups and counts by
figures   accept charts, closeness, outcomes, how often, W(n)
tables    ledger, habits, when to pass, striking hands
findings  the numbers that its sentences quote
page      the findings in words, and the sections
sums      what has to add up
"""

from analysis.report.towers_and_bowers.page import build_page

__all__ = ["build_page"]
