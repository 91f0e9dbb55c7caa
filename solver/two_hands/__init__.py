"""Two hands with all cards seen: the tablebase."""
