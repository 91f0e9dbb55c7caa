"""Is this claim sound? May I concede? The questions of TB-29 and TB-30, answered with proofs (exact).

>>> answer = judge_claim("JD 9H", trump="H", lead="them", tricks=1)
>>> answer.sound, answer.guaranteed, answer.layouts
(True, 1, 231)

The guarantee is against every hand the opponent can hold: one strategy that depends on nothing but what the claimant
has seen. Behind it are `solver.claims.two_hands` (the proof) and `solver.claims.refutation` (why a claim fails).
"""

from __future__ import annotations

from analysis.towers_and_bowers.claims.answers import (
    COLUMNS,
    ClaimAnswer,
    ConcessionAnswer,
    Question,
    answer_row,
    judge,
    judge_claim,
    judge_concession,
    read_question,
    warm_up,
    write_certificate,
)
from analysis.towers_and_bowers.claims.position import SEATING, Knowledge
