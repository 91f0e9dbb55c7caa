"""A question in, a table out: decisions, claims, studies, statistics and reports."""

import random

_state = random.getstate()
import rich.style  # noqa: E402  draws numbers as it is imported, of the user's own random generator

random.setstate(_state)
