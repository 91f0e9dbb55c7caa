"""Towers: players and whole games between them."""
