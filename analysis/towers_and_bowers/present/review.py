"""A graded match for people: who played how well, the costliest decisions, the hands that decided."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from analysis import present
from analysis.table.hindsight import told_parts
from analysis.towers_and_bowers.review import BLUNDER_MT, DOUBTFUL_MT, MISTAKE_MT, Decision, HandReview, Mark, Review
from analysis.towers_and_bowers.review.grading import action_text
from analysis.towers_and_bowers.review.ledger import points

_SHOWN_DECISIONS = 8
_SHOWN_HANDS = 3


def review_report(review: Review) -> RenderableType:
    """The verdict, both players, the costliest decisions, the decisive hands, luck, and how it was graded."""
    parts: list[RenderableType] = [Text(" ".join(verdict(review)), style="bold"), "", _players(review)]
    if review.costliest:
        parts += ["", _decisions(review.costliest[:_SHOWN_DECISIONS])]
    if review.hands:
        parts += ["", _hands(review.decisive[:_SHOWN_HANDS])]
    if review.parts:
        parts += ["", Text("Could it have been won?", style="bold")]
        parts += map(Text, told_parts(review.parts, ("player 0", "player 1"), winnable_only=True))
    parts += ["", *(Text(sentence) for sentence in (*luck(review), *not_graded(review)))]
    counted = (
        f"exact: {len(review.decisions):,} decisions graded. Model: {review.model}.",
        review.indifference,
        f"1 mt is 0.001 of P(win the tower); from {DOUBTFUL_MT:g} mt on a decision is doubtful, from {MISTAKE_MT:g} a "
        f"mistake, from {BLUNDER_MT:g} a blunder.",
    )
    return Group(*parts, Text(" ".join(filter(None, counted)), style="dim"))


# --------------------------------------------------------------------------------- sentences, also of the HTML page


def verdict(review: Review) -> list[str]:
    """Who played better by the reference, and how the match went."""
    return [_comparison(review), _result(review)]


def luck(review: Review) -> list[str]:
    """How luck and skill moved P(player 0 wins the match), and what of the skill were costs."""
    match = review.match
    if match is None:
        return []
    own, gained = (sum(hand.skill[player] for hand in review.hands) for player in (0, 1))
    return [
        match.sentence("player 0"),
        f"Of the skill, {points(own)} points are his own costs and {points(gained)} those of player 1; the rest is "
        "what the unseen cards made of the decisions.",
    ]


def not_graded(review: Review) -> list[str]:
    """What the reference cannot judge, if the match has any of it."""
    if not review.not_graded:
        return []
    kinds = {"renege": "reneges", "correct": "corrections", "accuse": "accusations"}
    kinds |= {"take_penalty": "penalties taken", "decline_penalty": "penalties declined"}
    counted = ", ".join(f"{kinds[kind]}: {count}" for kind, count in review.not_graded.items())
    return [f"Not graded, the reference knows only legal play: {counted}."]


def rate(value: float | None) -> str:
    """An error rate, or a dash where nothing was to decide."""
    return "–" if value is None else f"{value:.1f}"


def hand_text(hand: HandReview) -> str:
    """A hand in a few words: ``"hand 3, 5 cards at 1–0"``."""
    size = "not dealt" if hand.last is None else f"{hand.last.n} card{'s' if hand.last.n > 1 else ''}"
    return f"hand {hand.number}, {size} at {hand.towers[0]}–{hand.towers[1]}"


def _comparison(review: Review) -> str:
    rates = [player.mt_per_decision for player in review.players]
    if rates[0] is None or rates[1] is None:
        return "Not both players had something to decide."
    sentence = f"Player 0 lost {rates[0]:.1f} mt per unforced decision, player 1 {rates[1]:.1f}"
    if rates[0] == rates[1]:
        return f"{sentence}: neither played better by the reference."
    return f"{sentence}: player {int(rates[1] < rates[0])} played better by the reference."


def _result(review: Review) -> str:
    score = f"{review.end.towers[0]}–{review.end.towers[1]}"
    if review.end.winner is None:
        return f"The match is unfinished at {score} towers."
    return f"Player {review.end.winner} won the match; the towers are {score}."


# ---------------------------------------------------------------------------------------------------------- tables


def _players(review: Review) -> RenderableType:
    table = present.table("player", "decisions", "unforced", "cost, mt", "mt each", "doubtful", "mistakes", "blunders")
    for number, player in enumerate(review.players):
        marks = (player.marks[mark] for mark in (Mark.DOUBTFUL, Mark.MISTAKE, Mark.BLUNDER))
        counts = (str(player.decisions), str(player.unforced), f"{player.cost_mt:.1f}", rate(player.mt_per_decision))
        table.add_row(str(number), *counts, *map(str, marks))
        for name, beside in player.beside.items():
            table.add_row(f"  {name} in his place", "", "", "", rate(beside))
    return table


def _decisions(costliest: list[Decision]) -> RenderableType:
    table = present.table("hand", "player", "in", "did", "better", "cost, mt", "mark", title="The costliest decisions")
    for decision in costliest:
        table.add_row(
            str(decision.hand),
            str(decision.player),
            decision.phase,
            action_text(decision.action),
            action_text(decision.best),
            f"{decision.cost_mt:.1f}",
            decision.mark.value,
        )
    return table


def _hands(decisive: list[HandReview]) -> RenderableType:
    table = present.table(
        *("hand", "from", "to", "luck", "his costs", "costs of 1", "unseen"),
        title="The hands that decided: P(player 0 wins the match), its change in percentage points",
    )
    for hand in decisive:
        ends = (present.percent(value) for value in (hand.before, hand.after))
        table.add_row(hand_text(hand), *ends, *map(points, (hand.luck, *hand.skill, hand.unseen)))
    return table
