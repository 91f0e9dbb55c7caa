"""The page of Towers: what is strong, what falls, what each rule changes."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.report.checks import Check, adds_up, agrees, holds
from analysis.report.intervals import FINDING
from analysis.report.page import KeyNumber, Page, Points, Section
from analysis.towers.report.findings import TABLE_SIZES, card_sentences, checks_of_the_card
from analysis.towers.report.results import StudyTables, sampled
from analysis.towers.report.sections import (
    cascade_section,
    example_section,
    habit_section,
    layout_section,
    raze_section,
    rule_section,
    seat_section,
    strength_section,
    worked_play,
)
from sim.towers.games import SEARCH_HORIZON, SEARCH_SAMPLES


def build_page(studies: Mapping[str, StudyTables], command: str) -> Page:
    """The page from the results of all studies."""
    strength, seats, rules, habits = (studies[name] for name in ("strength", "seats", "rules", "habits"))
    best = strength.of("builder v greedy", "lead")
    square = rules.of("layout=square", "points")
    in_a_line = square.low < square.high  # else the square is the rule in force
    page = Page(
        title="Towers: what wins, and what falls",
        question="Which card to play and what to leave the next player; how much seat, luck, layout and rules matter.",
        answer=card_sentences(strength, habits, worked_play()),
        warning=(
            "All figures but the drawn examples are simulated between the players named; a stronger player may find "
            "other things important. Units are sections, the points of the game."
        ),
        key_numbers=(
            KeyNumber(
                f"{strength.of('builder v greedy', 'won').mean:.0%}",
                "of games the rule wins alone against a player who only takes the most points",
                sampled(strength, best.n, "packs, both seats"),
            ),
            KeyNumber(
                f"{seats.of('2 greedy', 'razes').mean:.1f}",
                "forced razes a game of two greedy players",
                sampled(seats, seats.of("2 greedy", "razes").n, "games"),
            ),
            *(
                (
                    KeyNumber(
                        f"{square.mean:+.1f}",
                        "sections scored a game in a square instead of a line",
                        sampled(rules, square.n, "packs", "paired"),
                    ),
                )
                if in_a_line
                else ()
            ),
        ),
        sections=(
            example_section(),
            strength_section(strength),
            habit_section(habits),
            seat_section(seats),
            cascade_section(seats),
            raze_section(seats),
            *((layout_section(rules),) if in_a_line else ()),
            rule_section(rules),
        ),
        method=_method(),
        command=command,
        checks=_checks(studies),
        sources={name: {"seed": study.seed} for name, study in studies.items()},
    )
    return page.checked_in_tables(page.answer[:-1])  # the last one is a worked play, with estimates of its own


def _method() -> Section:
    return Section(
        "method",
        "Method",
        (
            Points(
                (
                    "Games are played by the compiled rules that also answer `towerlab step towers`; they equal a slow "
                    "version with cards as objects on more than 100,000 random plays and razes.",
                    "Duels: every pack is played twice with the seats changed; one observation is the mean of the two "
                    "games. Rule options: every pack is played under both rules; one observation is the difference. "
                    "Tables of alike players: one observation is a game.",
                    f"Intervals are 95 %, mean ± 1.96 standard errors of independent observations. {FINDING}",
                    f"The search player deals the unseen cards {SEARCH_SAMPLES} times, tries every play on each deal "
                    f"and plays on for {SEARCH_HORIZON} turns, everybody taking the most points at once and of equal "
                    "ones the lowest card; once the source is empty two players play exactly. It concludes nothing "
                    "from what others played or showed.",
                )
            ),
        ),
    )


def _checks(studies: Mapping[str, StudyTables]) -> tuple[Check, ...]:
    """What the page says must add up."""
    strength, seats, rules, habits = (studies[name] for name in ("strength", "seats", "rules", "habits"))
    made = list(checks_of_the_card(strength, habits))
    for players in TABLE_SIZES:
        shares = [seats.of(f"{players} greedy", f"wins {seat}").mean for seat in range(players)]
        made.append(adds_up(f"the shares of wins at a table of {players} add up to one", shares, 1.0, within=1e-6))
    points = [seats.of("2 greedy", f"points {seat}").mean for seat in (0, 1)]
    made.append(adds_up("points by seat add up to the points of a game", points, seats.of("2 greedy", "points").mean))
    cascades = seats.cascades[seats.cascades["cell"] == "2 greedy"]
    scored = float((cascades["sections"] * cascades["times"]).sum())
    games = seats.of("2 greedy", "points").n
    made.append(
        agrees("the cascades make all points of the games", scored, seats.of("2 greedy", "points").mean * games, 1e-3)
    )
    nothing = habits.of("nothing but the points now", "lead")
    made.append(
        holds(
            "a greedy player by another name is as good as greedy, within three standard errors",
            abs(nothing.mean) < 1.6 * (nothing.high - nothing.low) / 2 + 1e-9,
            str(nothing),
        )
    )
    for duel in strength.rows("lead")["cell"]:
        made.append(
            holds(
                f"{duel}: no more than all games are won and lost",
                strength.of(duel, "won").mean + strength.of(duel, "lost").mean <= 1 + 1e-9,
            )
        )
    made.append(holds("every rule option was played on as many packs", rules.rows("points")["n"].nunique() <= 2))
    return tuple(made)
