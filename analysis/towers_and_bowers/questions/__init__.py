"""The questions about a hand: which call, which discard, which card; every alternative with its value and its cost."""
