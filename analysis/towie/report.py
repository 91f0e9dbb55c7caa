"""The Towie report as a page: figures, tables and the findings in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.claims.page import ClaimsData, checks_of_claims, claims_section
from analysis.report.checks import Check, agrees, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import FINDING, ends_of, error_bars, in_intervals, interval_columns, or_dash, told
from analysis.report.page import (
    Caption,
    Column,
    Figure,
    KeyNumber,
    Page,
    Points,
    Sampled,
    Section,
    Table,
    rules_in_force,
)
from analysis.report.palette import HATCHES, INK, series
from analysis.report.studies import Part, Report, Runs
from analysis.towie.bidding_page import BiddingCard, bidding_sections
from analysis.towie.studies import STUDIES
from games.towie import TowieOptions

DOUBLE_DUMMY: Final = "double-dummy: all see all cards after the auction"
ALIKE: Final = "simulated play, all players alike"
WARNING: Final = (
    "Two models stand behind these numbers. What a contract is worth is counted double-dummy, as if declarer and "
    "defenders saw all cards; over all deals that flatters both about equally, in a single deal it can be tricks off. "
    "How people bid is played by programs: novices count points, pimc deals layouts and solves them. Other players "
    "bid otherwise, so read what they reach as a picture, and the differences between rules as the finding."
)
_PERCENT = ".1%"
_NOVICE_ARMS = ("3 novices", "4 novices", "5 novices")


@dataclass(frozen=True)
class ReportData:
    """What the page is made of.

    Attributes:
        studies: by name: bidding-accuracy, duplicate, exposed, goulash, auction, claim-accuracy.
        rules: `rules_in_force`.
        seed: of the studies.
    """

    studies: Runs
    rules: str
    seed: int

    @property
    def card(self) -> BiddingCard:
        """The table card."""
        return BiddingCard(self.studies["bidding-accuracy"])

    def table(self, study: str, name: str) -> pd.DataFrame:
        return self.studies[study].tables[name]

    def rows(self, study: str, name: str, key: str) -> dict[str, dict[str, Any]]:
        """The rows of a table by one of its columns."""
        records = self.table(study, name).to_dict("records")
        return {str(row[key]): {str(k): v for k, v in row.items()} for row in records}

    def statistic(self, arm: str, name: str) -> dict[str, Any]:
        """A row of the study `auction`'s statistics."""
        table = self.table("auction", "statistics")
        row = table[(table["arm"] == arm) & (table["statistic"] == name)].iloc[0]
        return {str(key): value for key, value in row.items()}

    @property
    def claims(self) -> ClaimsData:
        """What ways of claiming get wrong."""
        return ClaimsData(self.studies["claim-accuracy"], "13 cards, dummy open")

    def sampled(self, n: float, of: str, interval: str) -> Sampled:
        return Sampled(int(n), of, self.seed, interval)

    def caption(self, text: str, size: str, model: str, certainty: Sampled, rules: str = "") -> Caption:
        return Caption(text, rules or self.rules, size, model, certainty)


def build_page(data: ReportData, command: str) -> Page:
    """The whole report.

    Args:
        data: results of the studies.
        command: what makes the page again.
    """
    return Page(
        title="Towie",
        question="What to bid beside a dummy of which you see six cards, and who gets to play.",
        answer=_answer(data),
        warning=WARNING,
        sections=(
            *bidding_sections(data.card, data.studies["duplicate"]),
            Section("six", "What the six cards tell", (_six_words(data), six_figure(data), choices_table(data))),
            Section(
                "goulash",
                "How wild a goulash is",
                (*_goulash_words(data), lengths_figure(data), contracts_figure(data)),
            ),
            Section("game", "From auction to game", (_game_words(data), length_figure(data), statistics_table(data))),
            Section("price", "The price of bidding", (_price_words(data), price_table(data))),
            Section("seats", "Who plays when the vulnerable must wait", (_seats_words(data), seats_figure(data))),
            claims_section(data.claims),
        ),
        method=Section("method", "Method", _method(data)),
        command=command,
        checks=_checks(data),
        key_numbers=_key_numbers(data),
        sources={"studies": list(data.studies), "seed": data.seed},
    )


# --------------------------------------------------------------------------------------------------------- in words


def _share(row: Mapping[str, Any], key: str = "mean") -> str:
    low, high = ends_of(key, row)
    return told(row, ".1%" if row[high] - row[low] < 0.03 else ".0%", key)


def _slope(data: ReportData) -> str:
    slope, low, high = data.studies["exposed"].summary["chance_a_point"]
    return f"{100 * slope:.1f} percentage points ({100 * low:.1f} to {100 * high:.1f})"


def _answer(data: ReportData) -> tuple[str, ...]:
    """The first screen: the rule, what it costs, a worked hand, the error to avoid."""
    novice, high = data.statistic("3 novices", "made"), data.statistic("3 novices", "too_high")
    error = (
        "The error to avoid is bidding at all, not bidding too high" if high["high"] < 0.5
        else "Bidding at all and bidding too high are both dear"
    )  # fmt: skip
    return (
        *data.card.sentences(),
        f"{error}: novices make {_share(novice)} of their contracts, and of those that fail {_share(high)} would have "
        "made the lowest game of their suit.",
    )


def _key_numbers(data: ReportData) -> tuple[KeyNumber, ...]:
    exposed, goulash = data.studies["exposed"].summary, data.rows("goulash", "contracts", "arm")["goulash"]
    price = data.statistic("3 novices", "lost")
    return (
        data.card.key_number(),
        KeyNumber(
            f"{100 * exposed['chance_a_point'][0]:+.1f}",
            "percentage points of chance of a game for a point among the six",
            data.sampled(exposed["hands"], "hands", "Student (slope)"),
        ),
        KeyNumber(
            f"{goulash['game']:.0%}", "of goulashes hold a game for somebody",
            data.sampled(goulash["deals"], "goulashes", "Wilson"),
        ),
        KeyNumber(
            f"{price['mean']:.0f}", "points that bidding costs a contract, against hindsight",
            data.sampled(price["games"], "games of three novices", "Student (ratio)"),
        ),
    )  # fmt: skip


def _six_words(data: ReportData) -> Points:
    rows = [row for row in data.rows("exposed", "worth", "six_points").values() if row["hands"] > 1]
    few, many = rows[1], rows[-1]  # the first row is of all hands
    changed = data.studies["exposed"].summary["changed"]
    choices = {(row["bidder"], row["contract"]): row for row in data.table("exposed", "contracts").to_dict("records")}
    seen, blind = choices["sees the six", "no bid"], choices["does not", "no bid"]
    return Points(
        (
            f"With {few['six_points']} points among the six a random hand can make some game {few['game']:.0%} of the "
            f"time, {_chance(few)} against an average dummy; with {many['six_points']}, {many['game']:.0%}, "
            f"{_chance(many)}.",
            f"A point there adds {_slope(data)}. It is the six that differ; the other seven cards stay average.",
            f"A bidder who sees them chooses another kind of contract than a blind one on {changed:.0%} of the "
            f"layouts; it stays out of {seen['share']:.0%} of them, the blind one of {blind['share']:.0%}.",
        )
    )


def _chance(row: Mapping[str, Any]) -> str:
    gained, low, high = (100 * row[f"game_gained{end}"] for end in ("", "_low", "_high"))
    return f"{gained:+.0f} percentage points ({low:+.0f} to {high:+.0f})"


def _goulash_words(data: ReportData) -> tuple[str, ...]:
    shapes, contracts = data.rows("goulash", "shapes", "arm"), data.rows("goulash", "contracts", "arm")
    plain, wild = shapes["ordinary"], shapes["goulash"]
    ranked, uncut = contracts["sorted by rank"], contracts["not cut"]
    same = ranked["game_low"] <= contracts["goulash"]["game_high"] and (
        contracts["goulash"]["game_low"] <= ranked["game_high"]
    )
    sorting = "makes no measurable difference" if same else "makes a difference"
    return (
        f"The longest suit of a hand has {plain['longest']:.2f} cards in an ordinary deal and {wild['longest']:.2f} "
        f"after a goulash; hands with seven cards or more in a suit come {_share(wild, 'seven')} of the time instead "
        f"of {_share(plain, 'seven')}, and a void {_share(wild, 'void')} instead of {_share(plain, 'void')}.",
        f"Somebody of the three can make a slam in {_share(contracts['goulash'], 'slam')} of goulashes "
        f"({_share(contracts['ordinary'], 'slam')} of ordinary deals), and two or more players can make a game in "
        f"{_share(contracts['goulash'], 'two')} ({_share(contracts['ordinary'], 'two')}): an auction after a goulash "
        f"is a fight. Whether suits are sorted by rank {sorting} to games ({_share(ranked, 'game')}); without a cut it "
        f"is {_share(uncut, 'game')}.",
    )


def _game_words(data: ReportData) -> Points:
    reach, first = data.statistic("3 novices", "reach"), data.statistic("3 novices", "reach_at_once")
    strict = data.statistic("3 novices, doubles do not count", "reach")
    lengths = [data.statistic(arm, "played") for arm in _NOVICE_ARMS]
    return Points(
        (
            f"Of three novices' auctions {_share(reach)} reach game, of those on an ordinary deal {_share(first)}; the "
            f"others end in a goulash, {told(data.statistic('3 novices', 'goulashes'), '.1f')} of them a game.",
            f"With doubles that do not lift a low contract to game, {_share(strict)} of auctions reach it.",
            f"A game lasts {told(lengths[0], '.1f')} played deals with three players, "
            f"{told(lengths[1], '.1f')} with four and {told(lengths[2], '.1f')} with five.",
        )
    )


def _price_words(data: ReportData) -> Points:
    lost, made = data.statistic("3 novices", "lost"), data.statistic("3 novices", "made")
    down, high = data.statistic("3 novices", "went_down"), data.statistic("3 novices", "too_high")
    return Points(
        (
            f"Novices make {_share(made)} of their contracts. A failed one gives every opponent "
            f"{told(down, '.0f')} points.",
            f"Only {_share(high)} of the failed contracts were too high: for the others the lowest game of the suit "
            "would have failed, too, and no bid was right.",
            f"The price of bidding is {told(lost, '.0f')} points a contract: what the declarer would have had, bidding "
            "the lowest game of the suit if it makes and nothing otherwise, less what was got.",
        )
    )


def _seats_words(data: ReportData) -> Points:
    four, five = (data.statistic(arm, "vulnerable_active") for arm in _NOVICE_ARMS[1:])
    stay = data.statistic("5 novices, retiree may stay", "vulnerable_active")
    moved = stay["low"] > five["high"] or stay["high"] < five["low"]
    return Points(
        (
            f"Three of four players sit, three quarters each. Who has won a game sits {_share(four)} of the deals in "
            f"which not all are alike, the others {_share(data.statistic('4 novices', 'other_active'))}.",
            f"With five the fair share is 60 %: the vulnerable sit {_share(five)}, the others "
            f"{_share(data.statistic('5 novices', 'other_active'))}. Who needs one game more to win gets the "
            "fewest chances to bid for it, which makes games longer.",
            f"If the retiring declarer may come in again at once, the vulnerable sit {_share(stay)}"
            f"{'' if moved else ', no measurable difference'}.",
        )
    )


def _method(data: ReportData) -> tuple[str, ...]:
    exposed, goulash = data.studies["exposed"].summary, data.studies["goulash"].summary
    return (
        "Bidding: random hands at their turn in an auction of novices, when nobody has bid, when somebody has bid game "
        "and after a goulash, not vulnerable. All calls are judged on the same layouts. The reference makes the call "
        "that is best on all layouts but one and is paid on that one, so it is paid for no luck in its own sample.",
        f"The six: {exposed['hands']} random hands with six random cards of the dummy, {exposed['layouts']} pairs of "
        "layouts each. The two layouts of a pair differ only by moving the six to random places, which makes their "
        "difference less noisy. Who sees the six chooses by the other layouts with them, the blind bidder by the other "
        "layouts with average dummies; both are paid on the layout left out, not vulnerable, without honours and "
        "overtricks; two down or more count as two down.",
        f"Goulashes: {goulash['deals']:,} deals of each kind for the shapes, {goulash['solved']:,} of them solved. A "
        "goulash starts from an ordinary deal, whatever its auction would have been. Each player in turn declares "
        "opposite the dummy in the best strain; a game is the lowest undoubled one.",
        "Played games are whole ones, seats rotating, until somebody has won two. A game is one observation; shares of "
        "deals are ratios of sums over games with a Student interval of the linearised ratio. The statistics of who "
        "sits count only deals before which some player, but not every one, has won a game.",
        "Points are those of the ledger: an opponent of the declarer gets the undertricks, the declarer what is made; "
        "honours count in points scored, not in the price of bidding.",
        FINDING,
    )


# ---------------------------------------------------------------------------------------------------- figures, tables


def six_figure(data: ReportData) -> Figure:
    """Chance of a game gained by the points in the six."""
    worth = data.table("exposed", "worth").iloc[1:]
    worth = worth[worth["hands"] > 1].reset_index(drop=True)
    with drawing(7.2, 3.2) as (figure, axes):
        places = np.arange(len(worth))
        kinds = (("notrump_gained", "three no trump", "o"), ("game_gained", "any game", "s"))
        for step, (key, label, marker) in enumerate(kinds):
            error = error_bars(worth, key)
            axes.errorbar(
                places + 0.16 * step - 0.08, worth[key], yerr=error, color=series(step), marker=marker, capsize=3,
                linestyle="none", label=label,
            )  # fmt: skip
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_xticks(places, worth["six_points"])
        axes.set(xlabel="high-card points among the six", ylabel="chance of a game more\nthan with an average dummy")
        axes.legend()
    text = (
        "Chance that a random hand makes a game opposite a dummy with these six cards, less that with an average dummy."
    )
    caption = data.caption(
        text, "13 cards, six of the dummy seen", DOUBLE_DUMMY,
        data.sampled(worth["hands"].sum(), "hands", "Student"),
    )  # fmt: skip
    keys = ["six_points", "hands", "game"]
    for key in ("notrump_gained", "game_gained", "gained"):
        keys += [key, f"{key}_low", f"{key}_high"]
    columns = (
        Column("six_points", "points"), Column("hands", "hands", ","), Column("game", "a game makes", ".0%"),
        *_interval_columns("game_gained", "more than average", "+.0%"),
        *_interval_columns("notrump_gained", "three no trump", "+.0%"),
        *_interval_columns("gained", "points gained by seeing them", "+.0f"),
    )  # fmt: skip
    alt = (
        f"The chance of a game rises from {worth['game_gained'].iloc[0]:+.0%} with the fewest points among the six to "
    )
    alt += f"{worth['game_gained'].iloc[-1]:+.0%} with the most."
    return Figure("exposed-six", "What the six are worth", figure, alt, caption, worth[keys], columns)


def choices_table(data: ReportData) -> Table:
    """Contracts of a bidder who sees the six and of one who does not."""
    frame = data.table("exposed", "contracts")
    text = "The contract that is best on the other layouts, and what it gets on the layout left out."
    caption = data.caption(
        text, "13 cards, not vulnerable", DOUBLE_DUMMY,
        data.sampled(frame["layouts"].sum() / 2, "layouts, several of a hand", "Wilson (as if independent)"),
    )  # fmt: skip
    columns = (
        Column("bidder", "bidder"), Column("contract", "contract"), Column("share", "chosen", _PERCENT),
        Column("made", "made", or_dash(_PERCENT)), Column("made_low", "from", or_dash(_PERCENT)),
        Column("made_high", "to", or_dash(_PERCENT)), Column("points", "points", or_dash("+.0f")),
    )  # fmt: skip
    return Table("contracts-chosen", "Contracts with and without the six", frame, caption, columns)


def lengths_figure(data: ReportData) -> Figure:
    """The longest suit of a hand, ordinary and after goulashes."""
    frame = data.table("goulash", "longest")
    arms = ("ordinary", "goulash", "second goulash")
    shares = frame[frame["arm"].isin(arms)].pivot_table(index="longest", columns="arm", values="share")[list(arms)]
    shares = shares[shares.max(axis=1) >= 0.001]
    with drawing(7.2, 3.2) as (figure, axes):
        for step, arm in enumerate(arms):
            axes.bar(
                shares.index + 0.27 * (step - 1), shares[arm], width=0.26, label=arm, color=series(step),
                edgecolor=INK, linewidth=0.5, hatch=HATCHES[step],
            )  # fmt: skip
        axes.set(xlabel="cards in the longest suit of a hand", ylabel="share of hands")
        axes.legend()
    deals = data.table("goulash", "shapes")["deals"].iloc[0]
    caption = data.caption(
        "How often the longest suit of a hand has so many cards; lengths rarer than one in a thousand are left out.",
        "52 cards, four hands of 13", "dealt as the rules say, no play",
        data.sampled(deals, "deals of each kind", "no"),
    )  # fmt: skip
    wide = shares.reset_index()
    columns = (Column("longest", "cards"), *(Column(arm, arm, ".2%") for arm in arms))
    alt = "After a goulash the bars lie one to two cards further to the right than in ordinary deals."
    return Figure("longest-suits", "The longest suit of a hand", figure, alt, caption, wide, columns)


def contracts_figure(data: ReportData) -> Figure:
    """Games and slams by way of dealing."""
    contracts = data.table("goulash", "contracts").merge(data.table("goulash", "shapes")[["arm", "longest"]], on="arm")
    with drawing(7.2, 3.4) as (figure, axes):
        places = np.arange(len(contracts))[::-1]
        kinds = (("game", "a game", "o"), ("two", "two players a game each", "s"), ("slam", "a small slam", "D"))
        for step, (key, label, marker) in enumerate(kinds):
            error = error_bars(contracts, key)
            axes.errorbar(
                contracts[key], places + 0.2 * (1 - step), xerr=error, color=series(step), marker=marker, capsize=3,
                linestyle="none", label=label,
            )  # fmt: skip
        axes.set_yticks(places, contracts["arm"])
        axes.set(xlabel="share of deals in which somebody can make …", xlim=(0, 1))
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    text = (
        "Each of the three players in turn declares opposite the dummy, in the best strain. The lower rows change one "
        "option each: goulash_sort=rank_desc, goulash_cut=26, goulash_cut=0."
    )
    caption = data.caption(
        text, "13 cards", DOUBLE_DUMMY, data.sampled(contracts["deals"].iloc[0], "deals of each kind", "Wilson")
    )
    keys = ["arm", "longest", "deals"] + [f"{key}{end}" for key, _, _ in kinds for end in ("", "_low", "_high")]
    columns = (
        Column("arm", "deal"), Column("longest", "longest suit", ".2f"), Column("deals", "deals", ","),
        *_interval_columns("game", "game", ".0%"), *_interval_columns("two", "two games", ".0%"),
        *_interval_columns("slam", "slam", ".0%"),
    )  # fmt: skip
    alt = "Points with intervals: all goulashes offer more games and slams than ordinary deals."
    return Figure("makeable-contracts", "What can be made", figure, alt, caption, contracts[keys], columns)


def length_figure(data: ReportData) -> Figure:
    """Length of a game by players."""
    table = data.table("auction", "statistics")
    rows = table[(table["statistic"] == "played") & table["arm"].str.fullmatch(r"\d (novices|pimc)")].copy()
    rows["players"] = rows["arm"].str[0].astype(int)
    rows["kind"] = rows["arm"].str[2:]
    rows = rows.sort_values(["kind", "players"], ignore_index=True)
    with drawing(7.2, 3.0) as (figure, axes):
        for step, (kind, of_kind) in enumerate(rows.groupby("kind")):
            error = error_bars(of_kind)
            axes.errorbar(
                of_kind["players"] + 0.05 * step, of_kind["mean"], yerr=error, color=series(step), marker="os"[step],
                capsize=3, label=str(kind), linestyle="-:"[step],
            )  # fmt: skip
        axes.set(xlabel="players", ylabel="played deals a game", ylim=(0, None), xticks=[3, 4, 5])
        axes.legend()
    caption = data.caption(
        "Deals that reach game, until somebody has won two games.", "3 to 5 players", ALIKE,
        data.sampled(rows["games"].sum(), "games", "Student"),
    )  # fmt: skip
    columns = (
        Column("kind", "all are"), Column("players", "players"), *interval_columns("mean", "played deals", ".2f"),
        Column("games", "games", ","),
    )  # fmt: skip
    frame = rows[["kind", "players", "mean", "low", "high", "games"]]
    alt = f"The length of a game rises with the players, from {rows['mean'].min():.1f} to {rows['mean'].max():.1f}."
    return Figure("game-length", "How long a game lasts", figure, alt, caption, frame, columns)


def statistics_table(data: ReportData) -> Table:
    """Everything measured, by table."""
    frame = data.table("auction", "statistics").drop(columns="statistic")
    text = "Shares are between 0 and 1. Rules as in the name of the table: retiree_waits=true, doubled_counts=false."
    caption = data.caption(
        text, "3 to 5 players", ALIKE,
        data.sampled(frame.groupby("arm")["games"].first().sum(), "games", "Student (ratios linearised)"),
        rules="default rules but where the name says otherwise",
    )  # fmt: skip
    columns = (
        Column("arm", "table"), Column("words", "what"), *interval_columns("mean", "mean", ".3g"),
        Column("games", "games", ","),
    )  # fmt: skip
    return Table("played-games", "Everything that was measured", frame, caption, columns, rows=12, folded=True)


def price_table(data: ReportData) -> Table:
    """Contracts by height: how they fare and what they cost."""
    frame = data.table("auction", "contracts")
    frame = frame[frame["arm"].isin((*_NOVICE_ARMS, "3 pimc"))].reset_index(drop=True)
    text = (
        "A game is the lowest bid of its strain worth 100; a slam is six or seven. Points: declarer's less those of an "
        "opponent. Lost: against the lowest game or no bid, had the tricks been known."
    )
    caption = data.caption(
        text, "3 to 5 players", ALIKE,
        data.sampled(frame["contracts"].sum(), "played contracts", "Wilson and Student (ratios over games)"),
    )  # fmt: skip
    columns = (
        Column("arm", "table"), Column("contract", "contract"), Column("share", "share", _PERCENT),
        *_interval_columns("made", "made", ".0%"), *_interval_columns("net", "points", "+.0f"),
        *_interval_columns("lost", "lost", ".0f"), Column("contracts", "contracts", ","),
    )  # fmt: skip
    return Table("price-of-bidding", "Contracts and what they bring", frame, caption, columns)


def seats_figure(data: ReportData) -> Figure:
    """Who sits, vulnerable or not."""
    table = data.table("auction", "statistics")
    rows = table[table["statistic"].isin(("vulnerable_active", "other_active"))].reset_index(drop=True)
    fair = {arm: 3 / int(arm[0]) for arm in rows["arm"]}
    rows["fair"] = rows["arm"].map(fair)
    arms = list(dict.fromkeys(rows["arm"]))
    with drawing(7.2, 3.2) as (figure, axes):
        places = np.arange(len(arms))[::-1]
        for step, (name, label) in enumerate((("vulnerable_active", "has won a game"), ("other_active", "has not"))):
            of_name = rows[rows["statistic"] == name].set_index("arm").loc[arms]
            error = error_bars(of_name)
            axes.errorbar(
                of_name["mean"], places, xerr=error, color=series(step), marker="os"[step], capsize=3,
                linestyle="none", label=label,
            )  # fmt: skip
        axes.scatter([fair[arm] for arm in arms], places, color=INK, marker="|", s=120, label="fair share")
        axes.set_yticks(places, arms)
        axes.set(xlabel="share of deals in which a player sits", xlim=(0, 1))
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    caption = data.caption(
        "Deals before which some, but not all, have won a game. After every deal the declarer goes out; no player who "
        "has won a game comes in while one waits who has not.",
        "4 and 5 players", ALIKE,
        data.sampled(rows["games"].sum() / 2, "games", "Student (ratios linearised)"),
        rules="default rules but for retiree_waits=true where the name says so",
    )  # fmt: skip
    columns = (
        Column("arm", "table"), Column("words", "who"), Column("fair", "fair share", ".0%"),
        Column("mean", "sits", _PERCENT), Column("low", "from", _PERCENT), Column("high", "to", _PERCENT),
    )  # fmt: skip
    frame = rows[["arm", "words", "fair", "mean", "low", "high", "games"]]
    alt = "Players who have won a game sit well below their fair share, the others above it."
    return Figure("who-sits", "Who sits", figure, alt, caption, frame, columns)


def _interval_columns(key: str, title: str, form: str) -> tuple[Column, Column, Column]:
    return interval_columns(key, title, or_dash(form))


def _checks(data: ReportData) -> tuple[Check, ...]:
    statistics = data.table("auction", "statistics")
    contracts = data.table("goulash", "contracts")
    longest = data.table("goulash", "longest").groupby("arm")["share"].sum()
    chosen = data.table("exposed", "contracts").groupby("bidder")["share"].sum()
    arms = data.table("auction", "contracts").groupby("arm")["share"].sum()
    worth = data.table("exposed", "worth")
    return (
        *data.card.checks(),
        in_intervals("every statistic lies in its interval", statistics),
        holds("a longest suit has 4 to 13 cards in every hand", np.allclose(longest, 1)),
        holds("kinds of contract add up to all of them", np.allclose(chosen, 1) and np.allclose(arms, 1)),
        holds("a slam or a second game is no more frequent than a game",
              ((contracts["slam"] <= contracts["game"]) & (contracts["two"] <= contracts["game"])).all()),
        agrees("hands by points in the six are all hands", float(worth["hands"].iloc[1:].sum()),
               float(worth["hands"].iloc[0])),
        agrees("points gained are points with the six less points without", float(worth["gained"].iloc[0]),
               float(worth["seen_points"].iloc[0] - worth["blind_points"].iloc[0])),
        *checks_of_claims(data.claims),
    )  # fmt: skip


# Some fourteen core-minutes in all, half of them for the deals and the games of pimc.
SIZES: Final[Mapping[str, Mapping[str, Any]]] = {
    "bidding-accuracy": {"chunks": 24, "decisions": 7, "layouts": 16},
    "duplicate": {"chunks": 144, "deals": 12, "samples": 8},
    "exposed": {"chunks": 36, "hands": 8, "layouts": 6},
    "goulash": {"chunks_per_arm": 16, "solved": 6},
    "auction": {"games": 2000, "pimc_games": 10, "samples": 8},
    "claim-accuracy": {},
}


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    return build_page(ReportData(runs, rules_in_force(TowieOptions()), seed), command)


REPORT: Final = Report("towie", build, [Part(STUDIES[name], sizes) for name, sizes in SIZES.items()])
