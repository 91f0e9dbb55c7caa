"""High Card: how it is simulated."""
