"""Shared code of bidding at Bowers and Towie.

`arguments` reads what a question says of the others and of the scores, `accuracy` scores rules in the same decisions.
"""
