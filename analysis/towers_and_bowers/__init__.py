"""Towers & Bowers: its questions, solutions, studies and report."""
