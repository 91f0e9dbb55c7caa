"""The page on claims of a game with tricks: which way of claiming is safe, what it misses, and how early."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.claims.accuracy import ALL, FEW, MANY, PROVER, ROLES, TOP, TRUMPS, WAYS
from analysis.report.checks import Check, adds_up, agrees, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import FINDING, error_bars, interval_columns, is_finding, or_dash, told
from analysis.report.page import Caption, Column, Figure, Points, Section, Table
from analysis.report.palette import HATCHES, INK, series
from analysis.report.studies import Run

_WHO: Final = {
    "declarer": "a declarer",
    "defender": "a defender",
    "misère": "the declarer of a misère",
    "player": "a player",
}
_ENOUGH: Final = 100  # positions of a kind, for a sentence about it


class ClaimsData:
    """What the page is made of: a run of the study, the hand size for captions, and what a deal is called."""

    def __init__(self, run: Run, size: str, unit: str = "deals") -> None:
        self.run, self.size, self.unit = run, size, unit
        self.summary: Mapping[str, Any] = run.result.summary

    def table(self, name: str) -> pd.DataFrame:
        return self.run.tables[name]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that were asked, those with too few positions for a sentence left out."""
        counts = self.table("tricks").groupby("role")["positions"].sum()
        return tuple(role for role in ROLES if counts.get(role, 0) >= _ENOUGH) or tuple(counts.index[:1])

    def way(self, role: str, way: str) -> dict[str, Any]:
        """The row of a way of claiming."""
        ways = self.table("ways")
        found = ways[(ways["role"] == role) & (ways["way"] == way)].iloc[0]
        return {str(name): value for name, value in found.items()}

    def caption(self, text: str, interval: str) -> Caption:
        model = f"simulated: {self.summary['player']} against {self.summary['player']}"
        count = (int(self.summary["positions"]), f"positions of {self.summary['deals']} {self.unit}")
        return self.run.caption(text, self.size, model, count, interval)


def claims_section(data: ClaimsData) -> Section:
    """The same as one section of another page."""
    points = Points((*_way_words(data), *_first_words(data)))
    shown = (points, _ways_figure(data, data.roles[0]), _ways_table(data), _tricks_table(data), _concessions(data))
    return Section("claims", "When to claim", shown)


# ------------------------------------------------------------------------------------------------------------ words


def _false(row: Mapping[str, Any], key: str = "false") -> str:
    return f"{told(row, '.0f', key)} of 1,000 claims"


def _open(row: Mapping[str, Any]) -> str:
    """What is not settled, where that is more than nothing."""
    return f" ({row['unsettled']:.0f} more are not settled)" if round(row["unsettled"]) else ""


def many_of(way: str) -> str:
    """The number in a way's name."""
    return way.partition(" ")[0]


def _way_words(data: ClaimsData) -> tuple[str, ...]:
    sentences, comparisons = [], 3 * len(data.roles)
    for role in data.roles:
        who, ways = _WHO[role], {way: data.way(role, way) for way in WAYS}
        wrong = [
            f"{_name(role, way)} {_false(row)}{_open(row)}"
            for way, row in ways.items()
            if way in (TRUMPS, TOP, FEW, MANY) and row["claims"]
        ]
        sentences.append(f"Too much is claimed by {who}, by way: {'; '.join(wrong)}.")
        sentences += [*_whole_words(role, ways[TOP], ways[MANY]), *_all_words(role, ways[ALL])]
        if is_finding(ways[MANY], "false", of=comparisons):
            sentences.append(
                f"Do not take {many_of(MANY)} layouts for a proof as {who}: the share of false claims is above 0 after "
                f"correction for {comparisons} comparisons."
            )
        if role != "misère" and is_finding(ways[TOP], "missed", of=comparisons):
            sentences.append(
                f"Counting top tricks also misses {told(ways[TOP], '.0f', 'missed')} sound tricks in 1,000 claims of "
                f"{who}: long suits, ruffs and forced plays (above 0 after correction for {comparisons} comparisons)."
            )
    return tuple(sentences)


def _name(role: str, way: str) -> str:
    """A misère counts from below."""
    return "low cards" if (role, way) == ("misère", TOP) else way


def _whole_words(role: str, top: Mapping[str, Any], many: Mapping[str, Any]) -> tuple[str, ...]:
    """Claims of all the rest, where a role that can claim less makes enough of them."""
    if role == "misère" or min(top["wholes"], many["wholes"]) < _ENOUGH // 4:
        return ()
    return (
        f"When {_WHO[role]} claims all the rest, it is false for top tricks in {_false(top, 'whole_false')} "
        f"({top['wholes']:,} claims), for {many_of(MANY)} layouts in {_false(many, 'whole_false')} "
        f"({many['wholes']:,} claims).",
    )


def _all_words(role: str, every: Mapping[str, Any]) -> tuple[str, ...]:
    """What counting all layouts gives, where it can be done."""
    if not every["claims"]:
        return ()
    kind = "no claim is found wrong" if every["false"] == 0 else f"{_false(every)} are wrong"
    why = ": a partner need not play as if seeing all cards" if every["false"] and role == "defender" else ""
    return (
        f"Where all layouts can be counted ({every['claims']:,} claims of {_WHO[role]}), {kind}{_open(every)}{why}.",
    )


def _first_words(data: ClaimsData) -> tuple[str, ...]:
    first, sentences = data.table("first"), []
    for role in data.roles:
        rows = first[first["role"] == role]
        told_of = [
            f"{told(row, '.0%', 'by_then')} with {row['to_come']}"
            for row in rows.to_dict("records")
            if row["to_come"] in (2, 4, 6, 8)
        ]
        sentences.append(
            f"All the rest can be claimed soundly by {_WHO[role]} in {', '.join(told_of)} or more tricks to come "
            f"({int(rows['deals'].iloc[0])} deals)."
        )
    return tuple(sentences)


def _method(data: ClaimsData) -> tuple[str, ...]:
    summary = data.summary
    told_of = [f"{summary['goulash_deals']} after a goulash"] if summary["goulash_deals"] else []
    told_of += [f"{summary['doubled_deals']} doubled"] if summary["doubled_deals"] else []
    kinds = f" ({', '.join(told_of)})" if told_of else ""
    return (
        f"{summary['deals']} deals{kinds} between {summary['player']} players, every start of a trick with two or more "
        "to come: the declarer is asked, and one defender drawn at random. A claim is for tricks of the own side; a "
        "defender's partner is hidden and counts as if playing for the declarer.",
        "Top trumps: trumps above every other one. Top tricks: cards above every other one of their suit, a suit no "
        f"oftener than the longer of the own hands can play it. {many_of(FEW)} and {many_of(MANY)} layouts: random "
        "ones that fit the cards, voids and counts seen; the fewest tricks that best play with all cards seen takes in "
        f"any of them. All layouts: the same where there are at most {summary['layouts']:,}. Prover: what is proved "
        f"within {summary['nodes']:,} nodes a search.",
        f"The reference: the same prover with {summary['limit']:,} nodes a search, and layouts that beat a claim. A "
        "claim above what is refuted is false; one between what is proved and what is refuted is not settled.",
        "Missed: tricks that are proved and not claimed. Of a misère a claim says that the declarer takes none of the "
        "rest. Intervals are of ratios over deals, since positions of a deal hang together; where nothing was found in "
        "any deal, Wilson's, a deal being one observation.",
        FINDING,
        f"Made by `{data.run.command}`.",
    )


# -------------------------------------------------------------------------------------------------- figures, tables


def _ways_figure(data: ClaimsData, role: str) -> Figure:
    """Bars: false and unsettled claims of every way."""
    rows = data.table("ways")
    rows = rows[(rows["role"] == role) & (rows["claims"] > 0)].reset_index(drop=True)
    names = {"false": "false", "unsettled": "not settled"}
    with drawing(7.2, 2.8) as (figure, axes):
        for number, (key, label) in enumerate(names.items()):
            places = np.arange(len(rows)) + 0.38 * (number - 0.5)
            axes.barh(
                places, rows[key], 0.38, xerr=error_bars(rows, key), capsize=2, color=series(1 - number),
                hatch=HATCHES[1 - number], edgecolor=INK, linewidth=0.6, label=label,
            )  # fmt: skip
        axes.set_yticks(range(len(rows)), rows["way"])
        axes.set(xlabel="per 1,000 claims")
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.legend()
    seen = "; ".join(f"{row['way']} {row['false']:.0f} and {row['unsettled']:.0f}" for row in rows.to_dict("records"))
    text = f"False claims of {_WHO[role]}, and claims that the prover did not settle, of 1,000 that each way makes."
    return Figure(
        "ways-of-claiming", "What is claimed too much", figure, f"Bars of false and of unsettled claims: {seen}.",
        data.caption(text, "ratio of sums over deals,"), rows, _way_columns(),
    )  # fmt: skip


def _way_columns() -> tuple[Column, ...]:
    show = or_dash(".0f")
    return (
        Column("way", "way"), Column("claims", "claims", ",d"),
        Column("made", "made", show, help="claims in 1,000 positions"),
        *interval_columns("false", "false", show), *interval_columns("unsettled", "not settled", show),
        *interval_columns("missed", "tricks missed", show), Column("wholes", "claims of all", ",d"),
        *interval_columns("whole_false", "false", show), Column("whole_unsettled", "not settled", show),
    )  # fmt: skip


def _ways_table(data: ClaimsData) -> Table:
    text = "Of 1,000 claims that each way makes: false ones, those not settled, and sound tricks that were not claimed."
    ways = data.table("ways")
    names = [f"{role}: {_name(role, way)}" for role, way in zip(ways["role"], ways["way"], strict=True)]
    frame = ways.assign(who=names)
    columns = (Column("who", "who, by what"), *_way_columns()[1:])
    return Table("every-way", "Every way, every role", frame, data.caption(text, "ratio of sums over deals,"), columns)


def _tricks_table(data: ClaimsData) -> Table:
    text = "What is proved, by tricks to come; “all” is a claim of all the rest. The last columns are means of tricks."
    columns = (
        Column("role", "role"), Column("to_come", "tricks to come"), Column("positions", "positions"),
        *interval_columns("settled", "settled", ".0%"), *interval_columns("some", "one or more", ".0%"),
        *interval_columns("whole", "all", ".0%"), Column("maybe", "all not refuted", ".0%"),
        Column("none", "none possible", or_dash(".0%")),
        Column("proved", "proved", ".2f"), Column(MANY, f"by {MANY}", ".2f"),
        Column("layouts", "layouts, median", ",.0f"),
    )  # fmt: skip
    return Table("by-tricks", "What can be claimed", data.table("tricks"), data.caption(text, "Wilson"), columns)


def _concessions(data: ClaimsData) -> Table:
    text = (
        "Ways of conceding everything: of 1,000 concessions, how many give a trick away that some continuation takes; "
        "of 1,000 sound ones, how many are not made."
    )
    columns = (
        Column("role", "role"), Column("way", "way"), Column("positions", "positions", ",d"),
        Column("concessions", "concessions", ",d"), *interval_columns("made", "made", or_dash(".0f")),
        *interval_columns("false", "false", or_dash(".0f")), *interval_columns("missed", "missed", or_dash(".0f")),
    )  # fmt: skip
    caption = data.caption(text, "ratio of sums over deals,")
    return Table("concessions", "What can be conceded", data.table("concessions"), caption, columns)


# ----------------------------------------------------------------------------------------------------------- checks


def checks_of_claims(data: ClaimsData) -> tuple[Check, ...]:
    ways, tricks, first = data.table("ways"), data.table("tricks"), data.table("first")
    whole = tricks.groupby("role")["positions"].sum()
    top = ways[ways["way"] == TOP].set_index("role")["positions"]
    made = ways.pivot(index="role", columns="way", values="claims")
    return (
        holds("the prover's claims are never false", (ways.loc[ways["way"] == PROVER, "false"].fillna(0) == 0).all()),
        holds("counting every layout claims no more than counting some", bool((made[MANY] <= made[FEW]).all())),
        holds("what is proved is not refuted", (tricks["whole"] <= tricks["maybe"] + 1e-12).all()),
        holds("a way is asked no oftener than there are positions", (ways["claims"] <= ways["positions"]).all()),
        adds_up("by tricks to come every position stands once", tricks["positions"], data.summary["positions"]),
        holds("who could claim earlier could claim by now",
              (first.groupby("role")["by_then"].diff().dropna() <= 1e-12).all()),
        *(agrees(f"positions of {role} add up", float(top[str(role)]), float(count)) for role, count in whole.items()),
    )  # fmt: skip
