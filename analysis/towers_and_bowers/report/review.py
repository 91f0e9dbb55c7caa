"""A graded match as one HTML page that stands alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pandas as pd

from analysis.report.checks import Check, adds_up, agrees, holds
from analysis.report.drawing import drawing
from analysis.report.page import Caption, Column, Exact, Figure, KeyNumber, Page, Points, Section, Table, rules_in_force
from analysis.report.palette import colour
from analysis.table.hindsight import told_parts
from analysis.towers_and_bowers.present.review import hand_text, luck, not_graded, rate, verdict
from analysis.towers_and_bowers.review import BLUNDER_MT, DOUBTFUL_MT, MISTAKE_MT, HandReview, Mark, Review
from analysis.towers_and_bowers.review.grading import action_text
from analysis.towers_and_bowers.review.ledger import points
from games.cards import SYMBOLS, card_symbol
from games.errors import TowerlabError

_SHOWN_COSTLIEST: Final = 30
_DECISIVE: Final = 3
_PHASES: Final = {
    "bids": ("BID1-ND", "BID1-D", "BID2-ND", "BID2-D"),
    "discards": ("DISCARD",),
    "plays": ("PLAY",),
    "claims and answers": ("CLAIM", "CONSENT"),
}
_STATEMENTS: Final = ("claim", "concede")

WARNING: Final = (
    "A decision is graded by what it is worth when both players see all cards after it (after the bidding, where the "
    "equilibrium grades), averaged over every hand that the opponent could still hold. That is exact and the same for "
    "everybody, but it is not perfect play: it thinks that nobody has to guess in the play that follows, and it infers "
    "nothing from the opponent's plays, from his bids only where the equilibrium grades. Small costs are within its "
    "error; trust the blunders."
)


def build_page(review: Review, command: str) -> Page:
    """The page of a review.

    Args:
        command: the line that makes it again.

    Raises:
        TowerlabError: nothing was decided in the match.
    """
    if not review.decisions:
        raise TowerlabError("the transcript holds no decision to show; expected at least one bid")
    frames = Frames(review)
    won = told_parts(review.parts, ("Player 0", "Player 1"), winnable_only=True)
    return Page(
        title="Review of a match of Towers & Bowers",
        question="Who played better, what did every decision cost, and how much of the result was luck?",
        answer=(*verdict(review), *luck(review), *_decisive_sentences(review)),
        warning=WARNING,
        key_numbers=_key_numbers(review),
        sections=(
            Section("players", "The players", (frames.players(), frames.phases())),
            Section(
                "hands",
                "The hands that decided",
                (_LEDGER_TEXT, frames.equity(), frames.hands(), _WON_TEXT, Points(tuple(won))),
            ),
            Section("costliest", "The costliest decisions", (_MARKS_TEXT, frames.costliest())),
            Section("decisions", "Every decision", (frames.decisions(),)),
        ),
        method=Section("method", "How it was graded", (Points(_method(review)),)),
        command=command,
        checks=tuple(_checks(review, frames)),
        stands_alone=True,
    )


_MARKS_TEXT: Final = (
    f"Doubtful from {DOUBTFUL_MT:g} mt on, a mistake from {MISTAKE_MT:g} mt, a blunder from {BLUNDER_MT:g} mt: bounds "
    "set before any match was looked at. One mt is 0.001 of the probability of winning the tower."
)
_LEDGER_TEXT: Final = (
    "All numbers are player 0's probability of winning the match; player 1's is the rest. Luck is the change by "
    "starter and deal alone. The costs of a player are those of his graded decisions, times what the tower under way "
    "is worth in the match. What is left is what the unseen cards made of the decisions: costs are averages over the "
    "hands that the opponent could hold, the change is that of the one he held. It is not nought on average, because "
    "nobody plays as well as one who sees all cards."
)
_WON_TEXT: Final = "Could it have been won? Of the lost hands, those that open cards would have turned:"
_VALUES: Final = (
    "By perfect information every alternative is worth the mean, over all hands that the opponent can hold, of P(win "
    "the tower) when both see all cards from then on; the hands agree with the cards played, failures to follow, the "
    "up-card and who took it, and the player's own discard, and all count alike."
)
_WEIGHTED: Final = (
    "By the equilibrium the hands are weighted by how likely it bids with them as the opponent has bid so far, his "
    "later bids are the equilibrium's and the player's own best; once the trump is made both see all cards. Each bid "
    "of his has a least probability, so that one which the equilibrium never makes still tells something."
)
_METHOD: Final = (
    "Cost = value of the best alternative minus value of the one taken, never negative. The error rate is the sum of "
    "the costs over the number of unforced decisions: those with more than one alternative of different meaning. A "
    "forced play is none, neither is a choice among equal cards, nor any once the tricks left can change nothing, nor "
    "a bid or discard of which the equilibrium says that no alternative costs anything.",
    "A discard is judged by what the dealer knew before the first lead.",
    "A claim or concession that ended the hand is compared with playing on; one that was refused changed nothing and "
    "costs nothing. To consent and to insist are compared for who answers. Whether a statement was sound (proved "
    "against every hand, TB-29, TB-30) is noted, but it is its worth that is graded: an unsound claim that the other "
    "accepts costs the one who accepts.",
    "P(win the match) follows from that of the tower under way and the score; towers to come are even where a starter "
    "is turned (with p for every tower and q = 1 − p a match at 0–0 is won with p³(1 + 3q + 6q²)). Inside a hand it "
    "is that of best play by both with all cards seen.",
    "Luck is what starters and deals were worth by a baseline whose mean over all deals is known exactly: it is nought "
    "on average, so that the rest, skill, is unbiased. Its interval takes the hands as scattered as they were.",
    "The numbers say how this match was played. A few hands say little about how somebody plays in general.",
)


def _method(review: Review) -> tuple[str, ...]:
    """The reference, how values and costs are made, what was not graded."""
    why = () if review.fallback is None else (f"Not all of it: {review.fallback}.",)
    weighted = (_WEIGHTED, review.indifference) if review.indifference else ()
    return (f"Reference: {review.model}.", *why, *weighted, _VALUES, *_METHOD, *not_graded(review))


def _decisive_sentences(review: Review) -> list[str]:
    sentences = []
    if review.decisive:
        named = "; ".join(
            f"{hand_text(hand)} ({100 * hand.before:.0f} % → {100 * hand.after:.0f} %)"
            for hand in review.decisive[:_DECISIVE]
        )
        sentences.append(f"The hands that moved P(player 0 wins the match) most: {named}.")
    if review.costliest:
        worst = review.costliest[0]
        sentences.append(
            f"The costliest decision: in hand {worst.hand} player {worst.player} chose to {action_text(worst.action)}; "
            f"to {action_text(worst.best)} was worth {worst.cost_mt:.0f} mt more."
        )
    return sentences


def _key_numbers(review: Review) -> tuple[KeyNumber, ...]:
    numbers = []
    for number, player in enumerate(review.players):
        sure = Exact(player.unforced, "unforced decisions")
        numbers.append(KeyNumber(rate(player.mt_per_decision), f"mt per unforced decision, player {number}", sure))
        numbers.append(KeyNumber(str(player.marks[Mark.BLUNDER]), f"blunders of player {number}", sure))
    return tuple(numbers)


class Frames:
    """The tables of the page, each with its caption."""

    def __init__(self, review: Review) -> None:
        self.review = review
        sizes = sorted({hand.last.n for hand in review.hands if hand.last is not None})
        self._size = f"hands of {sizes[0]} to {sizes[-1]} cards" if len(sizes) > 1 else f"n = {sizes[0]}"
        self.graded = pd.DataFrame(
            {
                "hand": decision.hand,
                "player": decision.player,
                "phase": decision.phase,
                "kind": _kind(decision.phase, decision.action),
                "action": action_text(decision.action),
                "best": action_text(decision.best),
                "cost_mt": decision.cost_mt,
                "mark": decision.mark.value,
                "unforced": decision.is_unforced,
                "layouts": decision.layouts or None,
                "reference": decision.reference,
                "note": decision.note,
            }
            for decision in review.decisions
        ).astype({"layouts": "Int64"})
        self.ledger = pd.DataFrame([_ledger_row(hand) for hand in review.hands])

    def _caption(self, text: str, count: int | None = None, of: str = "decisions") -> Caption:
        certainty = Exact(len(self.graded) if count is None else count, of)
        return Caption(text, rules_in_force(self.review.options), self._size, self.review.model, certainty)

    def players(self) -> Table:
        """A row a player."""
        rows = [
            {
                "player": number,
                "decisions": player.decisions,
                "unforced": player.unforced,
                "cost_mt": player.cost_mt,
                "mt_per_decision": float("nan") if player.mt_per_decision is None else player.mt_per_decision,
                **{str(mark.value): player.marks[mark] for mark in (Mark.DOUBTFUL, Mark.MISTAKE, Mark.BLUNDER)},
            }
            for number, player in enumerate(self.review.players)
        ]
        return Table(
            "error-rates",
            "Error rates",
            pd.DataFrame(rows),
            self._caption("What the decisions of each player cost against the reference."),
            columns=(
                Column("player", "player"),
                Column("decisions", "decisions"),
                Column("unforced", "unforced", help="more than one alternative of different meaning"),
                Column("cost_mt", "cost, mt", ".1f", help="sum over decisions, 0.001 of a tower"),
                Column("mt_per_decision", "mt per unforced decision", ".1f", help="the error rate"),
                Column("doubtful", "doubtful", help=f"{DOUBTFUL_MT:g} to {MISTAKE_MT:g} mt"),
                Column("mistake", "mistakes", help=f"{MISTAKE_MT:g} to {BLUNDER_MT:g} mt"),
                Column("blunder", "blunders", help=f"{BLUNDER_MT:g} mt and more"),
            ),
        )

    def phases(self) -> Table:
        """A row a player and kind of decision."""
        groups = self.graded.groupby(["player", "kind"], sort=True)
        frame = groups.agg(decisions=("hand", "size"), unforced=("unforced", "sum"), cost_mt=("cost_mt", "sum"))
        frame = frame.reset_index()
        frame["mt_per_decision"] = frame["cost_mt"] / frame["unforced"].where(frame["unforced"] > 0)
        return Table(
            "by-kind",
            "Where the costs come from",
            frame,
            self._caption("The same, by kind of decision."),
            columns=(
                Column("kind", "kind"), Column("player", "player"), Column("decisions", "decisions"),
                Column("unforced", "unforced"), Column("cost_mt", "cost, mt", ".1f"),
                Column("mt_per_decision", "mt per unforced decision", ".1f"),
            ),
        )  # fmt: skip

    def equity(self) -> Figure:
        """P(player 0 wins the match) after every hand."""
        line = self.ledger[["hand", "after"]].rename(columns={"after": "wins"})
        start = pd.DataFrame({"hand": [self.ledger["hand"].iloc[0] - 1], "wins": [self.ledger["before"].iloc[0]]})
        frame = pd.concat([start, line], ignore_index=True)
        with drawing(7.2, 3.2) as (figure, axes):
            axes.axhline(50, color=colour("line"), linewidth=1)
            axes.plot(frame["hand"], 100 * frame["wins"], color=colour("series-1"), marker="o")
            _draw_score(axes, self.ledger)
            axes.set(xlabel="after hand", ylabel="P(player 0 wins the match), %", ylim=(-4, 104))
            axes.xaxis.get_major_locator().set_params(integer=True)
        return Figure(
            "equity",
            "How the match went",
            figure,
            f"A line from {100 * frame['wins'].iloc[0]:.0f} % to {100 * frame['wins'].iloc[-1]:.0f} % over "
            f"{len(line)} hands.",
            self._caption("Vertical lines: a new tower begins, with the score.", len(line), "hands"),
            frame,
            columns=(Column("hand", "after hand"), Column("wins", "P(player 0 wins the match)", ".1%")),
        )

    def hands(self) -> Table:
        """A row a hand, the largest swing first."""
        change = "points of P(player 0 wins the match)"
        frame = self.ledger.reindex(self.ledger["swing"].abs().sort_values(ascending=False, kind="stable").index)
        return Table(
            "ledger",
            "Luck and skill, hand by hand",
            frame,
            self._caption(
                "A change of P(player 0 wins the match) is the sum of the last four columns.", len(frame), "hands"
            ),
            columns=(
                Column("hand", "hand"), Column("score", "towers"), Column("cards", "cards"), Column("dealer", "dealer"),
                Column("up_card", "up-card"), Column("trump", "trumps"), Column("bidder", "bidder"),
                Column("before", "before", ".1%", help="P(player 0 wins the match)"),
                Column("after", "after", ".1%", help="P(player 0 wins the match)"),
                Column("swing", "change", points, help=change),
                Column("luck", "luck", points, help=f"by starter and deal, {change}"),
                Column("costs_0", "costs of player 0", points, help=change),
                Column("costs_1", "costs of player 1", points, help=change),
                Column("unseen", "unseen", points, help=f"what the unseen cards made of the decisions, {change}"),
            ),
        )  # fmt: skip

    def costliest(self) -> Table:
        """The decisions that cost most."""
        frame = self.graded[self.graded["cost_mt"] > 0].sort_values("cost_mt", ascending=False, kind="stable")
        return Table(
            "costliest-decisions",
            "What cost most",
            frame,
            self._caption("Decisions that cost something, the costliest first.", len(frame)),
            columns=_DECISION_COLUMNS,
            rows=_SHOWN_COSTLIEST,
            sorted_by="cost_mt",
            descending=True,
        )

    def decisions(self) -> Table:
        """All decisions in order."""
        return Table(
            "all-decisions",
            "All graded decisions",
            self.graded,
            self._caption("In the order of the match; forced ones included."),
            columns=_DECISION_COLUMNS,
            folded=True,
        )


_DECISION_COLUMNS: Final = (
    Column("hand", "hand"), Column("player", "player"), Column("phase", "in"), Column("action", "did"),
    Column("best", "best", help="an alternative worth most; the action itself if none is worth more"),
    Column("cost_mt", "cost, mt", ".1f"), Column("mark", "mark"), Column("unforced", "unforced"),
    Column("layouts", "hands counted", help="hands that the opponent could hold"), Column("reference", "graded by"),
    Column("note", "note"),
)  # fmt: skip


def _kind(phase: str, action: str) -> str:
    word = action.split()[0]
    if word in _STATEMENTS:
        phase = "CLAIM"
    if word == "play":  # a lead can come before the discard (TB-15)
        phase = "PLAY"
    return next(kind for kind, phases in _PHASES.items() if phase in phases)


def _ledger_row(hand: HandReview) -> dict[str, Any]:
    last = hand.last
    return {
        "hand": hand.number,
        "score": f"{hand.towers[0]}–{hand.towers[1]}",
        "cards": None if last is None else last.n,
        "dealer": None if last is None else last.dealer,
        "up_card": "–" if last is None else card_symbol(last.up_card),
        "trump": "–" if last is None or last.trump is None else SYMBOLS[last.trump],
        "bidder": "–" if last is None or last.bidder is None else str(last.bidder),
        "before": hand.before,
        "after": hand.after,
        "swing": hand.swing,
        "luck": hand.luck,
        "costs_0": hand.skill[0],
        "costs_1": hand.skill[1],
        "unseen": hand.unseen,
    }


def _draw_score(axes: Any, ledger: pd.DataFrame) -> None:
    """A vertical line and the score where a tower begins."""
    begins = ledger[ledger["score"] != ledger["score"].shift()]
    for hand, score in zip(begins["hand"].tolist(), begins["score"].tolist(), strict=True):
        axes.axvline(hand - 1, color=colour("line"), linewidth=1, linestyle=":")
        axes.text(hand - 0.9, 100, score, va="top")


def _checks(review: Review, frames: Frames) -> Iterable[Check]:
    ledger, graded = frames.ledger, frames.graded
    parts = ledger[["luck", "costs_0", "costs_1", "unseen"]].to_numpy().sum()
    yield holds("no cost is negative", (graded["cost_mt"] >= 0).all())
    for number, player in enumerate(review.players):
        own = graded[graded["player"] == number]
        yield adds_up(f"the costs of player {number}'s decisions add up", own["cost_mt"], player.cost_mt, 1e-3)
        yield agrees(f"player {number}'s decisions are all in the table", player.decisions, len(own))
    yield agrees(
        "luck, costs and unseen cards add up to the change of P(player 0 wins the match)",
        float(ledger["after"].iloc[-1] - ledger["before"].iloc[0]),
        float(parts),
    )
    shown = ledger[["before", "after"]].to_numpy()
    yield holds("every probability lies between 0 and 1", ((shown >= 0) & (shown <= 1)).all())
