"""The sections of the page: tables, figures and what they show."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from analysis.report import (
    Caption,
    Column,
    Exact,
    Figure,
    Points,
    Section,
    Table,
    colour,
    drawing,
    rules_in_force,
    series,
)
from analysis.report.intervals import error_bars, interval_columns
from analysis.stats import wilson
from analysis.towers.move import move
from analysis.towers.report.board import boards_svg
from analysis.towers.report.findings import TABLE_SIZES, UNIT, advice, rule_name, seat_sentence
from analysis.towers.report.results import StudyTables, sampled, simulated
from games.towers import Board, TowersOptions, resolve_play, resolve_raze
from sim.towers.games import PLAYERS

_SHEET: Final = "J Qb | K Qb Kb | 9 7 Kb K | -"
_WORKED: Final = ("8 5 Tb | Q 9 Tb | K | -", "5 3 J 9", ("5:3", "9:3"))
_GREAT: Final = "K 4b 2 A K K 6 5 2 2 | 7 4b 3 Kb 7 2 | Q J 8 Kb Q 9 8 4 4 | 6 5 A Q 6 5"  # from a game of our own


def worked_play() -> Markup:
    """Two plays of equal points: what the lower card is worth more."""
    board, hand, kept = _WORKED
    answer = move(board, hand, samples=1_000, seed=0)
    plays = {play.play: play for play in answer.plays}
    chosen, other = (plays[play] for play in kept)
    told = [f"{play.value.mean:+.2f} ({play.value.low:+.2f} to {play.value.high:+.2f})" for play in (chosen, other)]
    return Markup(
        "You hold {} beside the board <code>{}</code>. The {} and the {} each bring {} on T{}; over {:,} deals of the "
        "unseen cards the {} leaves you {} points to come, the {} {}: play the {}."
    ).format(
        hand, board, chosen.play[0], other.play[0], "a point" if chosen.points == 1 else f"{chosen.points} points",
        chosen.columns[0], answer.samples, chosen.play[0], told[0], other.play[0], told[1],
        (chosen if chosen.value.mean >= other.value.mean else other).play[0],
    )  # fmt: skip


def example_section() -> Section:
    """Two boards before and after: the sheet's example, and a great raze."""
    options = TowersOptions()
    sheet = resolve_play(Board.parse(_SHEET), 3, 11, options)
    great = resolve_raze(Board.parse(_GREAT), 2, options)
    caption = Caption(
        "Grey: tower cards; coloured: bridges. towerlab step towers prints the same in text.",
        rules_in_force(options), "boards as drawn", "the rules alone", Exact(1, "board"),
    )  # fmt: skip
    return Section(
        "examples",
        "How things fall",
        (
            "A jack is played on the empty tower T4. The two jacks, equal and level, leave the game. The queen's "
            "bridge lands on the ground; the king's bridge becomes uneven and crushes the 7: two points.",
            Figure(
                "sheet-example",
                "The example of the rule sheet",
                boards_svg([("before: J to T4", sheet.before), ("after", sheet.after)]),
                "Two boards of four columns; two bridges before, one after.",
                caption,
                _log_frame(sheet),
            ),
            f"The largest cascade of the recorded test game: T2 is razed, which nobody scores, and then "
            f"{len(great.collected)} sections fall to the razer.",
            Figure(
                "great-raze",
                "A raze that scores nine",
                boards_svg([("before: T2 is razed", great.before), ("after", great.after)]),
                "Two boards of four columns; the second column is gone afterwards.",
                caption,
                _log_frame(great),
            ),
        ),
    )


def strength_section(study: StudyTables) -> Section:
    """Every pair of players on the same packs."""
    frame = study.rows("lead").merge(study.rows("won"), on="cell", suffixes=("", "_won"))
    frame = frame.merge(study.rows("lost"), on="cell", suffixes=("", "_lost"))
    frame = frame.rename(columns={"cell": "duel", "mean": "lead", "n": "packs", "mean_won": "won", "mean_lost": "lost"})
    frame["shared"] = 1 - frame["won"] - frame["lost"]
    frame = frame[["duel", "lead", "low", "high", "won", "shared", "lost", "packs"]]
    caption = Caption(
        f"Mean lead of the first named player in {UNIT} a game, with 95 % interval.",
        "default rules", "2 players, 5 cards each", simulated("as named"),
        sampled(study, int(frame["packs"].min()), "packs at least, each from both seats", "paired"),
    )  # fmt: skip
    players = Table(
        "players",
        "The players",
        pd.DataFrame({"player": list(PLAYERS), "plays": list(PLAYERS.values())}),
        Caption(
            "As towerlab players towers lists them.", "default rules", "2 to 10 players", "by definition",
            Exact(len(PLAYERS), "players"),
        ),
    )  # fmt: skip
    sentences = tuple(
        f"{duel.replace(' v ', ' against ')}: {study.of(duel, 'lead')} {UNIT} a game, wins alone "
        f"{study.of(duel, 'won').share}."
        for duel in frame["duel"]
    )
    picture = _bars(frame, "duel", "lead", "lead in sections a game")
    return Section(
        "strength",
        "How strong the players are",
        (
            Points(sentences),
            Figure("duels", "Every pair of players", picture, _alt(frame, "duel", "lead"), caption, frame,
                   _columns(frame, "duel")),
            players,
        ),
    )  # fmt: skip


def habit_section(study: StudyTables) -> Section:
    """What one habit beside the points now is worth."""
    frame = study.rows("lead").rename(columns={"cell": "habit", "mean": "lead", "n": "packs"})
    caption = Caption(
        "Lead over a greedy player of one who takes the most points too but weighs one thing more; the habits that are "
        "worth a hundredth of a section decide only between plays of equal points.",
        "default rules", "2 players, 5 cards each", simulated("greedy with a habit against greedy"),
        sampled(study, int(frame["packs"].iloc[0]), "packs, each from both seats", "paired"),
    )  # fmt: skip
    return Section(
        "advice",
        "What to look at besides the points now",
        (
            Points(advice(study)),
            Figure("habits", "What a habit is worth", _bars(frame, "habit", "lead", "lead in sections a game"),
                   _alt(frame, "habit", "lead"), caption, frame, _columns(frame, "habit")),
        ),
    )  # fmt: skip


def seat_section(study: StudyTables) -> Section:
    """The first player's share of wins at tables of 2 to 10."""
    rows = [
        {
            "table": f"{players} {kind}",
            "players": players,
            "play": kind,
            "fair": 1 / players,
            "first": study.of(f"{players} {kind}", "wins 0").mean,
            "low": study.of(f"{players} {kind}", "wins 0").low,
            "high": study.of(f"{players} {kind}", "wins 0").high,
            "last": study.of(f"{players} {kind}", f"wins {players - 1}").mean,
            "games": study.of(f"{players} {kind}", "wins 0").n,
        }
        for kind in ("greedy", "random")
        for players in TABLE_SIZES
    ]
    frame = pd.DataFrame(rows)
    with drawing(7.2, 3.2) as (_, axes):
        axes.axhline(0, color=colour("line"), linewidth=1)
        for number, (kind, part) in enumerate(frame.groupby("play", sort=False)):
            gap = 100 * (part["first"] - part["fair"])
            axes.errorbar(
                part["players"] + 0.12 * number, gap, yerr=100 * (part["high"] - part["first"]), capsize=3,
                color=series(number), marker="os"[number], linestyle="-", label=str(kind),
            )  # fmt: skip
        axes.set(
            xlabel="players at the table", ylabel="wins of the first player above\na fair share, percentage points"
        )
        axes.legend()
        picture = axes.figure
    caption = Caption(
        "Share of wins of seat 0, who begins, minus 1/players; a shared win counts in parts.",
        "default rules", "2 to 10 players, 5 cards each", simulated("all alike, greedy or random"),
        sampled(study, int(frame["games"].min()), "games a table at least"),
    )  # fmt: skip
    columns = (
        Column("table", "table"), Column("fair", "fair share", ".1%"), Column("first", "first player wins", ".1%"),
        Column("low", "95 % from", ".1%"), Column("high", "to", ".1%"), Column("last", "last seat wins", ".1%"),
        Column("games", "games", ",d"),
    )  # fmt: skip
    return Section(
        "seats",
        "Does it help to begin?",
        (
            seat_sentence(study),
            Figure("first-player", "First-player advantage", picture,
                   "Two lines over tables of 2 to 10 players, with intervals around zero.", caption, frame, columns),
        ),
    )  # fmt: skip


def cascade_section(study: StudyTables) -> Section:
    """How many sections fall at once."""
    frame = study.cascades[study.cascades["cell"] == "2 greedy"].drop(columns="cell").reset_index(drop=True)
    totals = frame.groupby("kind")["times"].transform("sum")
    frame["share"] = frame["times"] / totals
    frame[["low", "high"]] = [wilson(int(times), int(n)) for times, n in zip(frame["times"], totals, strict=True)]
    with drawing(7.2, 3.2) as (_, axes):
        for number, (kind, part) in enumerate(frame.groupby("kind", sort=False)):
            axes.plot(part["sections"], 100 * part["share"], marker="os"[number], color=series(number), label=str(kind))
        axes.set(xlabel="sections collected", ylabel="% of all, log scale", yscale="log", xlim=(-0.5, 15.5))
        axes.legend()
        picture = axes.figure
    meetings = frame[frame["kind"] == "meeting"]
    razes = frame[frame["kind"] == "raze"]
    nothing = float(meetings.loc[meetings["sections"] == 0, "share"].sum())
    many = float(meetings.loc[meetings["sections"] >= 4, "share"].sum())
    caption = Caption(
        "How many sections a meeting of equal cards, or a raze, brings the player on turn; the pair itself and the "
        "razed tower are nobody's.",
        "default rules", "2 players, 5 cards each", simulated("greedy against greedy"),
        sampled(study, int(frame["times"].sum()), "meetings and razes", "Wilson"),
    )  # fmt: skip
    columns = (
        Column("kind", "after"), Column("sections", "sections"), Column("times", "times", ",d"),
        Column("share", "share", ".3%"), Column("low", "95 % from", ".3%"), Column("high", "to", ".3%"),
    )  # fmt: skip
    mean = {kind: float((part["sections"] * part["share"]).sum()) for kind, part in frame.groupby("kind")}
    return Section(
        "cascades",
        "How much falls at once",
        (
            Points(
                (
                    f"{100 * nothing:.0f} % of the meetings of equal cards bring nothing at all, {100 * many:.1f} % "
                    f"bring four sections or more; the mean is {mean['meeting']:.2f}.",
                    f"A raze brings {mean['raze']:.2f} sections on average; the largest seen brought "
                    f"{int(razes['sections'].max())}, the largest meeting {int(meetings['sections'].max())}.",
                )
            ),
            Figure("cascade-sizes", "Sizes of cascades", picture,
                   "Two falling curves on a logarithmic scale.", caption, frame, columns),
        ),
    )  # fmt: skip


def raze_section(study: StudyTables) -> Section:
    """How often razing is forced, and what it brings."""
    rows = []
    for kind in ("greedy", "random"):
        for players in TABLE_SIZES:
            cell = f"{players} {kind}"
            razes = study.of(cell, "razes")
            rows.append(
                {
                    "table": cell,
                    "razes": razes.mean,
                    "low": razes.low,
                    "high": razes.high,
                    "games_with_one": study.of(cell, "any raze").mean,
                    "share_of_turns": razes.mean / study.of(cell, "turns").mean,
                    "share_of_points": study.of(cell, "raze points").mean / study.of(cell, "points").mean,
                    "games": razes.n,
                }
            )
    frame = pd.DataFrame(rows)
    two = frame[frame["table"] == "2 greedy"].iloc[0]
    ten = frame[frame["table"] == "10 greedy"].iloc[0]
    columns = (
        Column("table", "table"), *interval_columns("razes", "razes a game", ".2f", bare=True, start="95 % from"),
        Column("games_with_one", "games with one", ".1%"),
        Column("share_of_turns", "share of turns", ".1%"), Column("share_of_points", "share of points", ".1%"),
        Column("games", "games", ",d"),
    )  # fmt: skip
    return Section(
        "razes",
        "How often razing is forced",
        (
            Points(
                (
                    f"Two greedy players are stuck {two['razes']:.2f} times a game ({two['low']:.2f} to "
                    f"{two['high']:.2f}), one turn in {1 / two['share_of_turns']:.0f}; "
                    f"{100 * (1 - two['games_with_one']):.0f} % of games see no raze.",
                    f"Those turns make {100 * two['share_of_points']:.0f} % of the points. At a table of ten it is "
                    f"{ten['razes']:.2f} razes a game and {100 * ten['share_of_points']:.0f} % of the points.",
                )
            ),
            Table(
                "razes-by-table", "Razes by number of players", frame,
                Caption(
                    "Forced razes, and what part of all points they make.", "default rules",
                    "2 to 10 players, 5 cards each", simulated("all alike, greedy or random"),
                    sampled(study, int(frame["games"].min()), "games a table at least"),
                ), columns,
            ),
        ),
    )  # fmt: skip


def layout_section(study: StudyTables) -> Section:
    """Line against square on the same packs."""
    names = {"points": "points a game, both", "razes": "razes a game", "raze points": "points by razing",
             "first lead": "lead of the first seat", "turns": "turns a game"}  # fmt: skip
    frame = pd.DataFrame(
        {
            "measure": title,
            "line": study.of("default", name).mean,
            "difference": study.of("layout=square", name).mean,
            "low": study.of("layout=square", name).low,
            "high": study.of("layout=square", name).high,
            "packs": study.of("layout=square", name).n,
        }
        for name, title in names.items()
    )
    frame.insert(2, "square", frame["line"] + frame["difference"])
    duels = {layout: study.of(f"builder v greedy, {layout}", "lead") for layout in ("line", "square")}
    wider = "more" if duels["square"].low > duels["line"].high else (
        "less" if duels["square"].high < duels["line"].low else "neither clearly more nor less"
    )  # fmt: skip
    columns = (
        Column("measure", "measure"), Column("line", "line", ".2f"), Column("square", "square", ".2f"),
        Column("difference", "difference", "+.2f"), Column("low", "95 % from", "+.2f"), Column("high", "to", "+.2f"),
        Column("packs", "packs", ",d"),
    )  # fmt: skip
    points, razes = study.of("layout=square", "points"), study.of("layout=square", "razes")
    return Section(
        "layout",
        "Line against square",
        (
            Points(
                (
                    f"A fourth place for bridges changes the points of a game by {points}, forced razes by {razes}.",
                    f"Skill counts {wider} in a square: the builder leads greedy by {duels['line']} in a line and by "
                    f"{duels['square']} in a square.",
                )
            ),
            Table(
                "line-and-square", "The two layouts on the same packs", frame,
                Caption(
                    "Line is the default; differences are square minus line.", "layout=line and layout=square",
                    "2 players, 5 cards each", simulated("greedy against greedy"),
                    sampled(study, points.n, "packs", "paired"),
                ), columns,
            ),
        ),
    )  # fmt: skip


def rule_section(study: StudyTables) -> Section:
    """Each rule option changed alone."""
    frame = study.rows("points")
    frame = frame[(frame["cell"] != "default") & ~frame["cell"].str.startswith("builder")]
    frame = frame.rename(columns={"cell": "rule", "mean": "points", "n": "packs"}).reset_index(drop=True)
    for measure in ("razes", "first lead"):
        rows = [study.of(rule, measure) for rule in frame["rule"]]
        frame[measure.replace(" ", "_")] = [row.mean for row in rows]
        frame[measure.replace(" ", "_") + "_settled"] = [row.settled(len(frame)) for row in rows]
    frame.insert(1, "words", frame["rule"].map(rule_name))
    order = frame["points"].abs().sort_values(ascending=False, kind="stable").index
    frame = frame.loc[order].reset_index(drop=True)
    clear = [study.of(rule, "points").settled(len(frame)) for rule in frame["rule"]]
    settled = frame[clear]
    rest = frame[~frame["rule"].isin(settled["rule"])]
    caption = Caption(
        "Change of the points a game when one option leaves its default, all others unchanged.",
        "each option alone against the default rules", "2 players, 5 cards each", simulated("greedy against greedy"),
        sampled(study, int(frame["packs"].min()), "packs", "paired"),
    )  # fmt: skip
    columns = (
        Column("words", "rule"), Column("rule", "option"),
        *interval_columns("points", "points a game", "+.2f", bare=True, start="95 % from"),
        Column("razes", "razes a game", "+.2f"),
        Column("first_lead", "lead of the first seat", "+.2f"), Column("packs", "packs", ",d"),
    )  # fmt: skip
    changed = tuple(
        f"{rule_name(str(row.rule)).capitalize()} (`{row.rule}`): {row.points:+.2f} points a game ({row.low:+.2f} to "
        f"{row.high:+.2f}), {row.razes:+.2f} razes."
        for row in settled.itertuples()
    )
    unclear = (
        f"No clear change of the points, of {len(frame)} rules: {'; '.join(map(rule_name, rest['rule']))}."
        if len(rest)
        else ""
    )
    return Section(
        "rules",
        "What each rule option changes",
        (
            Points((*changed, unclear) if unclear else changed),
            Figure("rule-options", "One option at a time", _bars(frame, "words", "points", "change of points a game"),
                   _alt(frame, "words", "points"), caption, frame, columns),
        ),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ pieces


def _bars(frame: pd.DataFrame, label: str, value: str, axis: str) -> Any:
    """Horizontal bars with intervals, the first row on top."""
    with drawing(7.2, 0.5 + 0.32 * len(frame)) as (_, axes):
        places = range(len(frame), 0, -1)
        errors = error_bars(frame, value)
        colours = [colour("accept-3") if mean > 0 else colour("pass-3") for mean in frame[value]]
        hatches = ["" if mean > 0 else "////" for mean in frame[value]]
        axes.barh(places, frame[value], xerr=errors, color=colours, hatch=hatches, capsize=3, height=0.7)
        axes.axvline(0, color=colour("line"), linewidth=1)
        axes.set_yticks(list(places), [str(text) for text in frame[label]])
        axes.set(xlabel=axis)
        axes.grid(axis="y", visible=False)
        return axes.figure


def _alt(frame: pd.DataFrame, label: str, value: str) -> str:
    return "Bars: " + "; ".join(f"{row[label]} {row[value]:+.2f}" for _, row in frame.iterrows()) + "."


def _columns(frame: pd.DataFrame, first: str) -> tuple[Column, ...]:
    """The usual columns of a table of leads."""
    shown = [Column(first, first), *interval_columns("lead", "lead", "+.2f", bare=True, start="95 % from")]  # fmt: skip
    shown += [Column(name, name, ".1%") for name in ("won", "shared", "lost") if name in frame.columns]
    return (*shown, Column("packs", "packs", ",d"))


def _log_frame(resolution: Any) -> pd.DataFrame:
    return pd.DataFrame(
        [(number, entry.step, " ".join(entry.cards)) for number, entry in enumerate(resolution.log, 1)],
        columns=["number", "step", "cards"],
    )
