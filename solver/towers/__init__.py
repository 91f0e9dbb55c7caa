"""Which play is best in Towers? Exact endings, and search over the cards that cannot be seen.

ending    exact values once the source is empty and two players are left
search    before that: deal the unseen cards many times and play on; actions chosen at a glance
"""
