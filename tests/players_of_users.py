"""Two players as a user writes them: one of Towers & Bowers, one of Towie."""

import numpy as np

JACKS = 0b0001000000000_0001000000000_0001000000000_0001000000000  # printed sets: thirteen cards a suit, spades highest


class Careful:
    """Towers & Bowers: accepts with two jacks in sight, else passes; names at random; plays low."""

    name = "careful"

    def probabilities(self, views):
        alike = views.may / views.may.sum(axis=1, keepdims=True)
        if views.phase.startswith("BID1"):
            jacks = np.bitwise_count((views.hand | 1 << views.up) & JACKS)
            return np.where(jacks[:, None] > 1, [1.0, 0.0], [0.0, 1.0])
        if views.phase.startswith("BID2"):
            return alike
        place = np.argmax(views.may, axis=1)  # the lowest that is possible
        return np.eye(views.columns)[place]


def patient(view, legal, random):
    """Towie: passes, and plays one of its three lowest cards."""
    if legal[0]["action"] == "call":
        return legal[0]
    return legal[int(random.integers(min(3, len(legal))))]
