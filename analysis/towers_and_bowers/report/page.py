"""What does the page of Towers & Bowers say? What its file of prose names, and its checks.

The first screen has the rule for the table, its cost by the equilibrium, and hands in order of what to do
(`TableCard`). Charts show kinds of hands by the equilibrium, from the tables that ship
(`analysis.towers_and_bowers.studies.answer_book`), with open cards as a comparison. After the first call: what rules of
thumb cost that say what to discard, which suit to name, what to lead.

    towerlab report towers-and-bowers --seed 0 --out reports/towers-and-bowers
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from towerlab.analysis.claims.accuracy import checks_of_claims, claims_values
from towerlab.analysis.decision import CHANCES
from towerlab.analysis.present import printed
from towerlab.analysis.report.drawing import accept_or_pass
from towerlab.analysis.report.page import Check, Page, check_equal, check_that
from towerlab.analysis.report.prose import read_page
from towerlab.analysis.report.render import Cell, Panel, grid_svg
from towerlab.analysis.report.studies import Run
from towerlab.analysis.report.wording import hand_html
from towerlab.analysis.towers_and_bowers.answers import SEATS
from towerlab.analysis.towers_and_bowers.deal_value import open_deal_values
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.studies.answer_book import ANSWER_BOOK
from towerlab.analysis.towers_and_bowers.studies.call_rule import THE_RULE, accepts, best_rules, sentence, stored_rules
from towerlab.analysis.towers_and_bowers.studies.hand_kinds import DISSENT, HOLDINGS, UP_LETTERS, stored_kinds
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import CLAIMING, LAST, RULE_OPTIONS, RULES_OF_THUMB
from towerlab.analysis.towers_and_bowers.upcard import UpcardQuestion
from towerlab.games.cards import SUITS, parse_card, parse_mask
from towerlab.games.engine import require
from towerlab.games.towers_and_bowers.links import LinkedPosition
from towerlab.solver.towers_and_bowers.bidding import SPADES

SEAT_NAMES: Final = {"nondealer": "non-dealer", "dealer": "dealer"}
SHADES: Final = CHANCES.bands  # mt at which the four strengths of colour begin
CHARTED: Final = (2, 4, 6)  # cards; with an odd number everybody accepts
SIZES: Final = {1: "one card", 2: "two cards", 3: "three cards", 4: "four cards", 5: "five cards", 6: "six cards",
                7: "seven cards"}  # fmt: skip


MT_A_POINT: Final = 10.0  # a percentage point is ten thousandths
_FREE: Final = 1.0  # mt a decision: what the rule may lose on the best number of trumps to accept with
_BOOK_SEED: Final = 0  # of the study `answer-book` whose tables ship
_SHOWN: Final = np.array([0.03, 0.2, 0.4, 0.6, 0.8, 0.97])  # of a seat's hands in order, those that are drawn


class TableCard:
    """The rule and what it costs, in mt."""

    def __init__(self) -> None:
        rules = stored_rules()
        self._rules: dict[Any, Any] = rules.set_index(["cards", "seat", "trumps"]).to_dict("index")
        self._best = best_rules(rules).set_index(["cards", "seat"])["cost_mt"]
        self.sizes = sorted(rules["cards"].unique().tolist())
        counts = rules.drop_duplicates(["cards", "seat"])
        self.sampled = int(counts["sampled"].sum())
        self.solved = int(counts.loc[(counts["sampled"] == 0) & (counts["seat"] == SEATS[0]), "hands"].sum())

    def accepting(self, cards: int, seat: str, trumps: int = 0) -> float:
        """Return the cost a decision of accepting with at least `trumps` trumps; over `cards` it is always passing."""
        return float(self._rules[cards, seat, min(trumps, cards + 1)]["cost_mt"])

    def cost(self, cards: int, seat: str) -> float:
        """Return the cost of the rule a decision, over every hand."""
        return self.accepting(cards, seat, THE_RULE)

    def worst_to_accept(self, cards: int) -> tuple[int, int]:
        """Return the non-dealer's hand, printed mask, and up-card with which accepting costs most."""
        row = self._rules[cards, "nondealer", 0]
        return parse_mask(row["worst_hand"]), parse_card(row["worst_up"])

    def frame(self) -> pd.DataFrame:
        """Return the mean and worst cost of the rule and of doing always the same, in points: a row a size and seat."""
        rows = []
        for cards, seat in ((cards, seat) for cards in self.sizes for seat in SEATS):
            of = self._rules[cards, seat, THE_RULE]
            rows.append({
                "cards": cards, "seat": SEAT_NAMES[seat], "cost": of["cost_mt"] / MT_A_POINT, "over": 100 * of["over"],
                "worst": of["worst_mt"] / MT_A_POINT, "worst_hand": f"{of['worst_hand']} up {of['worst_up']}",
                "accepting": self.accepting(cards, seat) / MT_A_POINT,
                "passing": self.accepting(cards, seat, cards + 1) / MT_A_POINT,
            })  # fmt: skip
        return pd.DataFrame(rows)

    def checks(self) -> tuple[Check, ...]:
        """Return the check that no number of trumps to accept with is much better at any size."""
        every = [(cards, seat) for cards in self.sizes for seat in SEATS]
        gained = {each: self.cost(*each) - float(self._best[each]) for each in every}
        worst = max(every, key=lambda each: gained[each])
        return (
            check_that(
                f"no number of trumps to accept with gains {_FREE / MT_A_POINT:g} points on the rule for the table",
                gained[worst] < _FREE,
                f"at most {gained[worst] / MT_A_POINT:.2f} points, {worst[1]} of {worst[0]} cards, of {len(every)} "
                "sizes and seats",
            ),
        )


def hands_in_order(cards: int) -> pd.DataFrame:
    """Return hands of a size from clear accept to clear pass: those of every seat that stand at `_SHOWN` of its kinds.

    Returns:
        ``hand`` (with its up-card), ``seat``, ``gap`` (percentage points that accepting gains with this hand), ``best``
        and ``rule`` (calls).
    """
    parts = []
    for seat in SEATS:
        kinds = stored_kinds().query("cards == @cards and seat == @seat").sort_values("gap", ascending=False)
        kinds = kinds.iloc[np.searchsorted(kinds["pairs"].cumsum() / kinds["pairs"].sum(), _SHOWN)]
        hands = np.array([parse_mask(hand) for hand in kinds["example"]], dtype=np.int64)
        ups = np.array([parse_card(f"{up}S") for up in kinds["up"]], dtype=np.int64)
        deals = zip(hands.tolist(), ups.tolist(), strict=True)
        gaps = np.array(
            [100 * UpcardQuestion(calling_view(*pair, dealer=seat == SEATS[0])).answer().margin for pair in deals]
        )
        calls = {"best": gaps >= 0, "rule": accepts(seat, cards, hands, ups)}
        named = {name: np.where(accepting, "accept", "pass") for name, accepting in calls.items()}
        about = {"hand": kinds["example"] + " up " + kinds["up"] + "S", "seat": SEAT_NAMES[seat]}
        parts.append(pd.DataFrame({**about, "gap": gaps, **named}).sort_values("gap", ascending=False, kind="stable"))
    return pd.concat(parts, ignore_index=True)


def draw(text: str) -> Markup:
    """Return a hand with its up-card drawn as cards, from ``"9S JH up QS"``."""
    hand, _, up = text.partition(" up ")
    return hand_html(parse_mask(hand), parse_card(up), SPADES, True)


DISCARDS: Final = {
    "discard, the dealer bid": "Discard, having accepted as dealer",
    "discard, the other bid": "Discard, the non-dealer having accepted",
}
SUITS_TO_NAME: Final = {
    "second round, nondealer": "Second round, non-dealer: which suit",
    "second round, dealer": "Second round, dealer: which suit",
}
BIDDING: Final = DISCARDS | SUITS_TO_NAME
PLAY: Final = {
    "first lead": "First lead",
    f"lead with {LAST} cards left": f"Lead with {LAST} cards left",
    f"reply with {LAST} cards left": f"Reply with {LAST} cards left",
}


def choices_values(run: Run) -> dict[str, Any]:
    """Return what the page names of discards, suits and leads: costs in percentage points, and the rules found."""
    rules = run.tables["rules"]
    rules = rules.assign(when=rules["decision"].map(BIDDING | PLAY))
    for name, column in {"cost": "cost_mt", "low": "low", "high": "high", "found": "found_mt"}.items():
        rules[name] = rules[column] / MT_A_POINT
    order = [*BIDDING.values(), *PLAY.values()]
    rules = rules.sort_values(["when", "cost"], key=lambda of: of.map(order.index) if of.name == "when" else of)
    best = rules.loc[rules.groupby("decision")["found"].idxmin()].set_index("decision")
    return {
        "thumb": run,
        "choosing": rules[rules["when"].isin([*BIDDING.values()])].reset_index(drop=True),
        "playing": rules[rules["when"].isin([*PLAY.values()])].reset_index(drop=True),
        "best": {str(name): row for name, row in best.to_dict("index").items()},
    }


def checks_of_the_choices(run: Run) -> tuple[Check, ...]:
    """Return every decision has its rules, and no rule costs less than nothing."""
    rules = run.tables["rules"]
    named = {*BIDDING, *PLAY}
    return (
        check_that("rules of every decision are measured", set(rules["decision"]) == named, f"{len(named)} decisions"),
        check_that(
            "no rule costs less than the best choice", (rules["cost_mt"] >= 0).all() and (rules["low"] >= 0).all()
        ),
    )


EXPLORER: Final = "explorer.html"
_JACKS: Final = ("no jack of the other colour", "one of its two jacks", "both its jacks")
_TELLS: Final = ("hands", "should accept", "accept − pass, points", "makes it", "if both saw all cards", "what decides")


def charted_kinds() -> pd.DataFrame:
    """Return a row a kind of hands, with the share of all hands that are of it."""
    kinds = stored_kinds()
    return kinds.assign(share=kinds["pairs"] / kinds["cards"].map(every_pair), points=kinds["gap"] / MT_A_POINT)


def checks_of_kinds(every: pd.DataFrame, card: TableCard) -> tuple[Check, ...]:
    """Return the checks that the cells hold every hand, with the gaps of the rules on the first screen."""
    missing = []
    gaps = []
    accepted = []
    for (cards, seat), kinds in every.groupby(["cards", "seat"]):
        size = int(str(cards))
        who = str(seat)
        gap, accepting = (float(np.average(kinds[of], weights=kinds["pairs"])) for of in ("gap", "accepting_costs"))
        missing.append(kinds["pairs"].sum() - every_pair(size))
        gaps.append(gap - card.accepting(size, who, size + 1) + card.accepting(size, who))
        accepted.append(accepting - card.accepting(size, who))
    checks = (
        check_equal("the cells hold every hand of every size and seat", missing),
        check_equal("their mean gap is what accepting all gains on passing all", gaps, 0.01),
        check_equal("accepting them all costs what the first screen says", accepted, 0.001),
    )
    lettered = every[every["accepts"].map(_call) != "mixed"]
    agree = ((lettered["gap"] >= 0) == (lettered["accepts"] > 0.5)).all()
    claim = "every letter is what the mean gap of its hands says, too"
    return (*checks, check_that(claim, agree, f"of {len(lettered)} cells with a letter"))


def chart(kinds: pd.DataFrame) -> tuple[str, ...]:
    """Return the kinds of one hand size and seat as a grid, a panel a number of jacks of the other colour."""
    panels = [
        Panel(
            _JACKS[int(str(jacks))],
            {(row["holding"], up_name(row["up"])): _cell(row) for row in part.to_dict("records")},
        )
        for jacks, part in kinds.groupby("other_jacks")
    ]
    held = [name for name in HOLDINGS if (kinds["holding"] == name).any()]
    ups = [up_name(up) for up in UP_LETTERS]
    return grid_svg(panels, held, ups, row_axis="trumps held", column_axis="up-card", tells=_TELLS)


def chart_in_words(kinds: pd.DataFrame) -> str:
    """Return how many cells say what."""
    called = kinds["accepts"].map(_call).value_counts()
    words = ", ".join(f"{word} in {called.get(word, 0)}" for word in ("accept", "pass", "mixed"))
    return f"{kinds['other_jacks'].nunique()} grids by jacks of the other colour, {len(kinds)} cells in all: {words}."


def every_pair(cards: int) -> int:
    """Return hands with an up-card."""
    return comb(24, cards) * (24 - cards)


def up_name(rank: str) -> str:
    """Return a rank as it is written."""
    return rank.replace("T", "10")


def _call(accepts: float) -> str:
    if DISSENT < accepts < 1 - DISSENT:
        return "mixed"
    return "accept" if accepts > 0.5 else "pass"


def _cell(row: dict[Any, Any]) -> Cell:
    gap = row["gap"]
    accepts = row["accepts"]
    up = parse_card(f"{row['up']}{SUITS[SPADES]}")
    dealer = row["seat"] == SEATS[0]
    link = f"{EXPLORER}#{LinkedPosition(parse_mask(row['example']), up, dealer, 'p' * dealer)}"
    if _call(accepts) == "mixed":
        return Cell(f"{accepts:.0%}", "even", tells=_tells(row), link=link)
    size = f"{abs(gap) / MT_A_POINT:.1f}" if abs(gap) >= 1 else "<0.1"
    return Cell(f"{'A' if accepts > 0.5 else 'P'} {size}", accept_or_pass(gap, SHADES), tells=_tells(row), link=link)


def _tells(row: dict[Any, Any]) -> tuple[str, ...]:
    """Return the words of a chosen cell, by `_TELLS`."""
    mean, least, most, open_gap = (row[of] / MT_A_POINT for of in ("gap", "least", "most", "open_gap"))
    gap = f"{mean:+.1f} ({least:+.1f} to {most:+.1f})"
    seen = f"{row['open_accepts']:.0%} accept, {open_gap:+.1f} points"
    words = f"{row['share']:.2%} of all", f"{row['accepts']:.0%}", gap, f"{row['make']:.0%}", seen, row["decides"]
    return tuple(map(printed, words))


def build_page(runs: Mapping[str, Run], command: str) -> Page:
    """Return the whole report.

    Args:
        runs: the sampled studies, by name.
        command: the command that makes the page again.
    """
    card = TableCard()
    kinds = charted_kinds()
    thumb, claiming, changes = (runs[study.name] for study in (RULES_OF_THUMB, CLAIMING, RULE_OPTIONS))
    worked = UpcardQuestion(calling_view(*card.worst_to_accept(6), dealer=False)).answer()
    costs = card.frame()
    deals = ANSWER_BOOK.parameters["deals"]
    values: dict[str, Any] = {
        "costs": costs,
        "ordered": hands_in_order(LARGEST_STORED),
        "drawn": draw,
        "dealer_rule": sentence("dealer"),
        "other_rule": sentence("nondealer"),
        "sampled_hands": card.sampled,
        "solved_hands": card.solved,
        "deals": deals,
        "played_out": f"hands of {SIZES[LARGEST_STORED + 1]} and more, {deals} deals a call",
        "book_seed": _BOOK_SEED,
        "worked": worked,
        "spades": SPADES,
        "error": require(worked.model_error) / MT_A_POINT,
        "kinds": kinds,
        "picture": chart,
        "in_words": chart_in_words,
        "every_pair": every_pair,
        "rank": up_name,
        "charted": CHARTED,
        "sizes": SIZES,
        "changes": changes.tables["changes"],
        "seeds": {name: run.seed for name, run in runs.items()},
        "largest": LARGEST_STORED,
        "solved": SIZES[LARGEST_STORED],
        "modelled": SIZES[LARGEST_STORED + 1],
        **choices_values(thumb),
        "claims": claims_values(claiming, "matches"),
        "commands": [run.command for run in runs.values()],
    }
    checks = (
        *card.checks(),
        *checks_of_kinds(kinds, card),
        *checks_of_the_choices(thumb),
        *checks_of_claims(claiming),
    )
    return read_page(
        "towerlab.analysis.towers_and_bowers.report",
        "page.md",
        values,
        command=command,
        checks=checks,
        sources={"studies": {name: run.command for name, run in runs.items()}},
        quantities={f"W({value.cards}), perfect information": value.dealer for value in open_deal_values()},
    )
