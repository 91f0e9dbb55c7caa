"""`towerlab report towers-and-bowers --page research`: the value of the deal, and how good players are, exactly.

The tables that the file of prose shows, and their checks.
"""

from __future__ import annotations

import json
import re
from typing import Final

import numpy as np
import pandas as pd

from towerlab.analysis.moves.answers import MoveAnswer
from towerlab.analysis.report.cards import card_html, cards_html
from towerlab.analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from towerlab.analysis.report.intervals import in_intervals
from towerlab.analysis.report.page import Page
from towerlab.analysis.report.prose import read_page
from towerlab.analysis.report.studies import Report, ReportStudy, Run, Runs
from towerlab.analysis.stats import LEVEL
from towerlab.analysis.towers_and_bowers.explorer.kinds import UP_RANKS
from towerlab.analysis.towers_and_bowers.move import ask_move
from towerlab.analysis.towers_and_bowers.reference import HIDDEN
from towerlab.analysis.towers_and_bowers.report.lookup import up_name
from towerlab.analysis.towers_and_bowers.report.view import SIZES
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND
from towerlab.analysis.towers_and_bowers.solutions.deal_value import open_deal_values
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import (
    best_deal_value,
    whole_hand_values,
)
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.studies.exploitability import EXPLOITABILITY, stored_players, stored_worst
from towerlab.analysis.towers_and_bowers.studies.local_best_response import LOCAL_BEST_RESPONSE, SEED, stored_bounds
from towerlab.analysis.towers_and_bowers.studies.tournament import RESULTS, TOURNAMENT, both_ways
from towerlab.analysis.towers_and_bowers.upcard.answers import EQUILIBRIUM
from towerlab.games.cards import SUITS, SYMBOLS, card_symbol, parse_card, parse_mask
from towerlab.games.towers_and_bowers import LARGEST_HAND
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import LARGEST_PLAYED

SOLUTION: Final = "equilibrium"
_PARTS: Final = ("bidding", "discard", "play")
_FLOOR: Final = 2e-5  # mt: the axis begins here, and what is below is drawn there
_WORTH: Final = 1.0  # mt of exact exploitability from which a share of it is reported
_EQUAL: Final = 1e-9  # one card is counted, both bounds being its value
_ALL: Final = range(1, LARGEST_HAND + 1)
_CARD: Final = re.compile(r"\b[2-9TJQKA][CDHS]\b")
_ENDINGS: Final = (  # hand, up-card, trump, who made it trump, why; the non-dealer leads
    ("9C 9H", "9S", "C", "me", "who cannot follow must choose a suit to keep, and does not know that it is hearts"),
    ("JH QD TD", "9S", "H", "them", "a dealer who trumps the diamond mostly leads another trump, into the bower"),
    ("JS 9S JH", "AD", "D", "me", "they trump a spade and nearly always lead another trump, into the bower"),
)  # fmt: skip
_UNITS: Final = {"hand": f"hands, n = {LARGEST_HAND}", "tower": "towers", "match": "matches"}


def build_page(runs: Runs, command: str) -> Page:
    """The page of the studies `exploitability` and `tournament`, and of what is stored of larger hands."""
    values, by_up = values_frame(), by_up_frame()
    by_up["up_rank"] = by_up["up_rank"].map(up_name)
    tables, tournament = runs[EXPLOITABILITY.name].tables, runs[TOURNAMENT.name]
    measured, every = tables["players"], tables["matchups"]
    names = set(measured["player"])
    stored_rows, stored_costs = (table[table["player"].isin(names)] for table in (stored_players(), stored_worst()))
    players = pd.concat([measured, stored_rows, _solution_of_three()], ignore_index=True)
    worst = pd.concat([tables["worsts"], stored_costs], ignore_index=True)
    players["total"] = (players["dealer"] + players["nondealer"]).fillna(players["total"]).clip(lower=0.0)
    players = players.sort_values(["cards", "total"], kind="stable").reset_index(drop=True)
    players["hand"] = [f"n = {cards}" for cards in players["cards"]]
    largest = int(measured["cards"].max())  # of those that meet each other
    bounds, both = stored_bounds(), both_ways(tournament.tables[RESULTS])
    places = {name: f"{place} {name}" for place, name in enumerate(both["a"].unique(), 1)}
    shown = players[players["cards"] > 1]  # one card is no game
    sets = shown.drop_duplicates("cards").set_index("cards")["information_sets"].astype(int)
    return read_page(
        "towerlab.analysis.towers_and_bowers.report",
        "research.md",
        {
            "sizes": SIZES,
            "last": LARGEST_STORED,
            "level": f"{LEVEL:.0%}",
            "values": values,
            "solved": values[values["solved"] == WHOLE_HAND]["cards"].astype(str).str.cat(sep=", "),
            "by_up": by_up[by_up["cards"] > 1],
            "endings": turned_endings(),
            "cards": lambda hand: cards_html(hand, SPADES, True),
            "one_card": card_html,
            "players": shown,
            "measured_players": players,
            "largest": largest,
            "sets": sets,
            "floor": _FLOOR,
            "by_part": _by_part(shown),
            "spades": SPADES,
            "larger": bounds[bounds["cards"] > LARGEST_PLAYED],
            "tight": _against_exact(bounds, players),
            "bounds_command": f"towerlab study {LOCAL_BEST_RESPONSE.game} {LOCAL_BEST_RESPONSE.name} --seed {SEED}",
            "seed": SEED,
            "worst": _shown_worst(worst[worst["cards"] > 1]),
            "tournament": tournament,
            "both": both,
            "drawn": both.assign(
                title=both["unit"].map(_UNITS), a=both["a"].map(places), against=both["b"].map(places).str[:1]
            ).sort_values("a", kind="stable"),
        },
        command=command,
        checks=(
            *_checks_of_values(values, by_up),
            *_checks(players, every, tables["replays"]),
            *_checks_of_larger_hands(bounds, players),
            *checks_of_the_tournament(tournament),
        ),
        sources={"players": sorted(names), "cards": largest, "stored": sorted(set(stored_rows["player"])),
                 "studies": {name: run.command for name, run in runs.items()}},
        quantities=quantities(values),
    )  # fmt: skip


def quantities(values: pd.DataFrame) -> dict[str, float]:
    """Every W(n) of the page, which others show, too."""
    models = ("dealer", "perfect_information")
    rows = values.to_dict("records")
    return {f"W({row['cards']}), {model.replace('_', ' ')}": row[model] for row in rows for model in models}


def turned_endings() -> pd.DataFrame:
    """Leads of the last cards that hidden hands turn, asked afresh: a row each, chances in percentage points."""
    found = []
    for hand, up, trump, bidder, why in _ENDINGS:
        hidden, seen = (ask_move(hand, trump, bidder, "me", up=up, method=method) for method in (HIDDEN, EQUILIBRIUM))
        lead, other = hidden.best.card, seen.best.card
        better, seen_better = (100 * (of[lead] - of[other]) for of in map(_values, (hidden, seen)))
        found.append({"hand": parse_mask(hand), "up": parse_card(up), "trump": SYMBOLS[SUITS.index(trump)],
                      "lead": parse_card(lead), "other": parse_card(other), "better": better,
                      "seen_better": seen_better, "why": why, "layouts": hidden.layouts})  # fmt: skip
    return pd.DataFrame(found)


def _values(answer: MoveAnswer) -> dict[str, float]:
    return {play.card: play.value for play in answer.plays}


def values_frame() -> pd.DataFrame:
    """A row a hand size: W(n), what it is of and its interval, and W(n) of perfect information."""
    rows = []
    for seen in open_deal_values():
        best = best_deal_value(seen.cards)
        low, high = (best.sampled.low, best.sampled.high) if best.sampled else best.bounds
        rows.append({
            "cards": seen.cards, "dealer": best.dealer, "dealer_low": low, "dealer_high": high,
            "perfect_information": seen.dealer, "name": f"n = {seen.cards}", "solved": best.exploitability_of,
            "exploitability": None if best.exploitability is None else 1000 * best.exploitability,
            "n": best.sampled.n if best.sampled else None, "deals": seen.deals,
        })  # fmt: skip
    return pd.DataFrame(rows)


def by_up_frame() -> pd.DataFrame:
    """W(n) by up-card rank: a row a hand size and rank."""
    rows = [
        (cards, value.exploitability_of, rank, value.by_up[rank], value.by_up[rank] - value.dealer)
        for cards, value in ((cards, best_deal_value(cards)) for cards in _ALL)
        for rank in UP_RANKS
    ]
    frame = pd.DataFrame(rows, columns=["cards", "solved", "up_rank", "dealer", "above"])
    return frame.assign(size=[f"n = {cards}" for cards in frame["cards"]])


def _solution_of_three() -> pd.DataFrame:
    """Return what was measured when the solution of three cards was made; its play does not ship."""
    lost = 1000.0 * (whole_hand_values()[3].exploitability or 0.0)
    sets = int(stored_players()["information_sets"].max())
    return pd.DataFrame([{"cards": 3, "player": SOLUTION, "total": lost, "information_sets": sets}])


def _by_part(players: pd.DataFrame) -> pd.DataFrame:
    """Losses by seat and part, what is only left of learning as zero."""
    losses = ["total", "dealer", "nondealer", *_PARTS]
    frame = players.sort_values(["cards", "total"], ascending=[False, True], kind="stable", ignore_index=True)
    numbers = frame[losses].astype(float)
    small = numbers.where((numbers.abs() > 1e-6) | numbers.isna(), 0.0)
    return frame[["player", "cards"]].join(small).join(frame["information_sets"])


def _against_exact(bounds: pd.DataFrame, players: pd.DataFrame) -> pd.DataFrame:
    """Bounds of hands whose exploitability is exact, and the share they catch, of players who lose anything."""
    known = players[["cards", "player", "total"]].rename(columns={"total": "exact"}).dropna()
    # Here `equilibrium` plays three cards as pimc does; the row of three cards is that of the solution's own play.
    known = known[(known["player"] != SOLUTION) & (known["exact"] > _WORTH)]
    found = bounds.merge(known, on=["cards", "player"])
    return found.assign(caught=found["total"] / found["exact"])


def _shown_worst(worst: pd.DataFrame) -> pd.DataFrame:
    frame = worst[worst["cost"] > 1e-6].reset_index(drop=True)
    frame["does"] = [
        ", ".join(_cards(action) + (f" {share:.0%}" if share <= 0.9995 else "") for action, share in chosen.items())
        for chosen in map(json.loads, frame["does"])
    ]
    for name in ("hand", "up", "best", "history"):
        frame[name] = frame[name].map(_cards)
    return frame


def _cards(text: str) -> str:
    """Cards in symbols; other words as they are."""
    return _CARD.sub(lambda card: card_symbol(parse_card(card[0])), text)


# ------------------------------------------------------------------------------------------------------------ checks


def _checks_of_values(values: pd.DataFrame, by_up: pd.DataFrame) -> tuple[Check, ...]:
    open_more = values["perfect_information"] - values["dealer"]
    return (
        vanishes("W(n) by up-card averages to W(n)", by_up.groupby("cards")["above"].mean(), 1e-7),
        holds(
            "at every size the deal is worth least beside a nine and most beside a jack",
            all(
                list(part.sort_values("dealer")["up_rank"].iloc[[0, -1]]) == [UP_RANKS[0], UP_RANKS[-1]]
                for _, part in by_up.groupby("cards")
            ),
        ),
        in_intervals("every W(n) lies in its interval", values, key="dealer"),
        holds("every W(n) is a probability", values["dealer"].between(0, 1).all()),
        holds("exploitability is never negative", (values["exploitability"].dropna() > -1e-6).all()),
        holds("dealing is an advantage at every size", (values["dealer"] > 0.5).all()),
        agrees("with one card both models agree: there is nothing to see", float(open_more.iloc[0]), 0.0),
    )


def _checks(players: pd.DataFrame, meetings: pd.DataFrame, replays: pd.DataFrame) -> tuple[Check, ...]:
    rows = meetings.to_dict("records")
    edges = {(int(row["cards"]), row["first"], row["second"]): float(row["edge"]) for row in rows}
    losses = {(int(row["cards"]), row["player"]): float(row["total"]) for row in players.to_dict("records")}
    pairs = [
        (losses[cards, first] / 2 + losses[cards, SOLUTION], -edge)
        for (cards, first, second), edge in edges.items()
        if second == SOLUTION
    ]
    one_card = [lost for (cards, name), lost in losses.items() if cards == 1 and name != "random"]
    return (
        vanishes("what one wins the other loses",
                 [edge + edges[cards, other, one] for (cards, one, other), edge in edges.items()], 1e-9),
        vanishes("no player wins from itself", [edge for (_, one, other), edge in edges.items() if one == other], 1e-9),
        holds("a best response never loses", bool((players["total"] > -1e-6).all())),
        holds("nobody loses more in a meeting than to the best response",
              all(most > lost - 1e-9 for most, lost in pairs)),
        holds("the solution is the hardest to exploit",
              all(losses[cards, SOLUTION] < lost + 1e-9 for (cards, _), lost in losses.items())),
        vanishes("the costliest decisions cost as much when they are replayed",
                 replays["replayed"] - replays["beside"], 1e-9),
        holds("with one card nobody can be exploited but who does anything", max(one_card) < 1e-4),
        holds("decisions were replayed", len(replays) >= 2),
    )  # fmt: skip


def _checks_of_larger_hands(bounds: pd.DataFrame, players: pd.DataFrame) -> tuple[Check, ...]:
    """The bounds that ship are lower bounds where that can be checked, and add up."""
    solved = _against_exact(bounds, players)
    return (
        holds("no bound is higher than the exact loss by more than chance",
              (solved["total"] - (solved["high"] - solved["low"]) < solved["exact"]).all()),
        holds("calls and cards add up to the bound",
              (bounds["calls"] + bounds["play"] - bounds["total"]).abs().max() < 0.01),
        in_intervals("every bound lies in its interval", bounds, key="total"),
    )  # fmt: skip


def checks_of_the_tournament(run: Run) -> tuple[Check, ...]:
    """Everybody meets everybody, and the wins of all make up what was played."""
    results, players = both_ways(run.tables[RESULTS]), run.summary["ranking"]
    matches = results[results["unit"] == "match"]
    means = [matches.loc[matches["a"] == player, "share"].mean() for player in players]
    stated = list(run.summary["match_share"].values())
    return (
        agrees("every player meets every other in hands, towers and matches",
               len(results), 3 * len(players) * (len(players) - 1)),
        adds_up("the mean shares of all players are a half each", means, len(players) / 2),
        vanishes("the ranking is by the shares of matches that the grid shows", np.subtract(means, stated)),
        in_intervals("every share lies in its interval", results, key="share"),
        holds(
            "no pairing of a unit was played more often than another",
            results.groupby("unit")["count"].nunique().eq(1).all(),
        ),
    )  # fmt: skip


RESEARCH_PAGE: Final = Report(
    "towers-and-bowers",
    lambda runs, seed, command: build_page(runs, command),
    (ReportStudy(EXPLOITABILITY, seed=None), ReportStudy(TOURNAMENT, {"chunks": 5})),
    page="research",
    file="research/index.html",
    about="What play is worth: research",
)
