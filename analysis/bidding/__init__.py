"""Shared code of bidding at Bowers and Towie: how rules for it are scored in the same decisions (`accuracy`)."""
