"""The sentences of the page, as the intervals allow them."""

from __future__ import annotations

from typing import Final

from analysis.towers.report.results import StudyTables

UNIT: Final = "sections"
TABLE_SIZES: Final = range(2, 11)


def habit_sentence(study: StudyTables) -> str:
    """What the order of high and low cards is worth."""
    low, high = study.of("low cards first", "lead"), study.of("high cards first", "lead")
    if low.low > 0 > high.high:
        return (
            f"Between plays of equal points the lower card is better: that habit alone is worth {low.mean:+.1f} "
            f"{UNIT} a game against greedy ({low.low:+.1f} to {low.high:+.1f}), its opposite {high.mean:+.1f}."
        )
    return f"Low cards first is worth {low}, high cards first {high} {UNIT} a game against greedy."


def seat_sentence(study: StudyTables) -> str:
    """Whether it helps to begin."""
    gaps = {players: study.of(f"{players} greedy", "wins 0") for players in TABLE_SIZES}
    clear = [
        players
        for players, share in gaps.items()
        if abs(share.mean - 1 / players) > 3 / 1.96 * (share.high - share.mean)  # three standard errors: nine tables
    ]
    two = gaps[2]
    start = f"Of two greedy players the one who begins wins {two.share} of the games (shared wins halved)"
    if not clear:
        return start + "; at no table of 2 to 10 does the first seat clearly win more or less than its share."
    words = [f"{players} ({100 * (gaps[players].mean - 1 / players):+.1f} percentage points)" for players in clear]
    return start + f"; the first seat's share differs clearly from a fair one at tables of {', '.join(words)}."


def advice(study: StudyTables) -> tuple[str, ...]:
    """A sentence a habit, as the intervals allow it."""
    texts = {
        "low cards first": "Of plays with equal points take the lower card",
        "high cards first": "Of plays with equal points take the higher card",
        "give the next player little": "Count what the next player could make of the board, and take off half of it",
        "keep points for the next turn": "Count what your own hand could make next time",
        "keep cards playable": "Keep as many of your cards playable as possible",
        "lay bridges": "Of plays with equal points lay a bridge",
        "avoid bridges": "Of plays with equal points avoid bridges",
        "give little and keep points": "Do both: give little, keep your own points",
        "all of it: the builder": "All of it together",
    }
    sentences = []
    for habit, text in texts.items():
        lead = study.of(habit, "lead")
        verdict = "it pays" if lead.low > 0 else "it costs" if lead.high < 0 else "no clear effect"
        sentences.append(f"{text}: {verdict}, {lead} {UNIT} a game against greedy.")
    return tuple(sentences)
