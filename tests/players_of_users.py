"""Two players as a user writes them: one of Towers & Bowers, one of Towie."""

import numpy as np

JACKS = 0b0001000000000_0001000000000_0001000000000_0001000000000  # printed sets: thirteen cards a suit, spades highest


class Careful:
    """Towers & Bowers: accepts with two jacks in sight, else passes; names at random; plays high or low."""

    name = "careful"

    def probabilities(self, view, legal):
        words = [action["action"] for action in legal]
        if "accept" in words:
            jacks = (view.hand | 1 << view.up_card) & JACKS
            return np.array([word == ("accept" if jacks.bit_count() > 1 else "pass") for word in words], dtype=float)
        if words[0] in ("play", "discard"):
            return np.eye(len(legal))[0 if view.led is not None else -1]
        return np.full(len(legal), 1 / len(legal))


def patient(view, legal, random):
    """Towie: passes, and plays one of its three lowest cards."""
    if legal[0]["action"] == "call":
        return legal[0]
    return legal[int(random.integers(min(3, len(legal))))]
