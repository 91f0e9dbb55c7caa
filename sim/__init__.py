"""Players and batch simulators of whole games."""
