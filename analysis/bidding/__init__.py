"""Shared code of bidding at Bowers and Towie.

`arguments` reads the scores of a question, `accuracy` scores rules in the same decisions.
"""
