"""The sentences of the page, as the intervals allow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup

from analysis.report.checks import Check, holds
from analysis.towers.report.results import Measured, StudyTables

UNIT: Final = "sections"
TABLE_SIZES: Final = range(2, 11)


RULES: Final = {
    "layout=square": "a square of towers, not a line",
    "ace_strength=13": "bridges of kings crush aces",
    "landing=both_ends_on_bridge": "bridges fall on bridges only with both ends",
    "support_check=after_bridge_loss": "weak supports fail only where a bridge went",
    "support_check=off": "supports never fail",
    "equal_supports=false": "a cascade destroys a card under its equal",
    "equal_group=pair": "equal cards leave one pair at a time",
    "uneven_level=higher": "uneven bridges count at their higher end",
    "uneven_level=lower": "uneven bridges count at their lower end",
}
"""What each changed rule means; the option stands beside it."""


def rule_name(option: str) -> str:
    """A rule option in words."""
    return RULES.get(option, option)


def card_sentences(strength: StudyTables, habits: StudyTables, worked: Markup) -> tuple[Any, ...]:
    """The first screen: the rule, what it is worth and what it costs, a worked play."""
    builder, lead = strength.of("builder v greedy", "lead"), strength.of("search v builder", "lead")
    low, little = habits.of("low cards first", "lead"), habits.of("give the next player little", "lead")
    both = habits.of("nothing but the points now", "lead")
    return (
        "Take the most points now, less half of what the next player could take from the board you leave. Of plays "
        "that come out equal take the one with the lowest card, and keep what your own hand could take next time. "
        "Stuck, choose the tower to raze by the same count.",
        f"That rule, the builder's, is worth {builder} {UNIT} a game against a player who only takes the most points; "
        f"low cards first alone {low}, leaving little alone {little} (no habit at all: {both}).",
        "What it costs: a player who deals out the unseen cards and plays on "
        + (f"beats it by {lead} {UNIT} a game." if lead.settled(1) else f"does not measurably beat it: {lead} {UNIT}."),
        worked,
    )


def checks_of_the_card(strength: StudyTables, habits: StudyTables) -> tuple[Check, ...]:
    """That the rule's parts are findings, and that the first screen's order of players is that of the duels."""
    parts = ("low cards first", "give the next player little", "all of it: the builder")
    return (
        *(
            holds(
                f"the rule for the table, {part}: it pays",
                habits.of(part, "lead").mean > 0,
                str(habits.of(part, "lead")),
            )
            for part in parts
        ),
    )


def seat_sentence(study: StudyTables) -> str:
    """Whether it helps to begin."""
    gaps = {players: study.of(f"{players} greedy", "wins 0") for players in TABLE_SIZES}
    clear = [players for players, share in gaps.items() if share.settled(len(gaps), null=1 / players)]
    two = gaps[2]
    start = f"Of two greedy players the one who begins wins {two.share} of the games (shared wins halved)"
    if not clear:
        return start + f"; at none of {len(gaps)} tables does the first seat's share differ clearly from a fair one."
    words = [f"{players} ({100 * (gaps[players].mean - 1 / players):+.1f} percentage points)" for players in clear]
    return start + (
        f"; of {len(gaps)} tables the first seat's share differs clearly from a fair one at those of "
        f"{', '.join(words)}."
    )


def verdicts(found: Mapping[str, Measured], gain: str, loss: str) -> str:
    """Which of some differences are findings, picked from all of them, and which way they go.

    >>> told = {"lay bridges": Measured(0.5, 0.3, 0.7, 99), "keep cards": Measured(-0.1, -0.2, 0.1, 99)}
    >>> verdicts(told, "pay", "cost")
    'Of 2, pay: lay bridges +0.50 (+0.30 to +0.70). No clear effect: keep cards.'
    """
    settled = {name: measured for name, measured in found.items() if measured.settled(len(found))}
    parts = []
    for way, sign in ((gain, 1), (loss, -1)):
        told = [f"{name} {measured}" for name, measured in settled.items() if sign * measured.mean > 0]
        parts += [f"{way}: {', '.join(told)}"] if told else []
    rest = [name for name in found if name not in settled]
    unclear = f" No clear effect: {', '.join(rest)}." if rest else ""
    return f"Of {len(found)}, {'; '.join(parts) or 'none is clear'}.{unclear}"
