"""Exact answers of Towers & Bowers: up-card layouts, the bidding equilibrium, whole hands."""
