"""Exact answers: tablebase, double-dummy search, claim proofs, endgames, equilibria."""
