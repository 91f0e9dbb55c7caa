"""The sections of the page: tables, figures and what they show."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from analysis.report.drawing import drawing, inline_svg
from analysis.report.intervals import error_bars, interval_columns, told
from analysis.report.page import Caption, Column, Exact, Figure, Section, Table, rules_in_force
from analysis.report.palette import colour, series
from analysis.stats import wilson
from analysis.towers.move import move
from analysis.towers.report.board import boards_svg
from analysis.towers.report.findings import TABLE_SIZES, UNIT, rule_name, seat_sentence, verdicts
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
    values = [told(play.value._asdict(), "+.2f") for play in (chosen, other)]
    picture = boards_svg([("the board", Board.parse(board))])
    drawn = inline_svg(picture, "worked", "The board", "Four towers, a bridge across the first two.")
    words = Markup(
        "You hold {} beside the board drawn here. The {} and the {} each bring {} on T{}; over {:,} deals of the "
        "unseen cards the {} leaves you {} points to come, the {} {}: play the {}."
    ).format(
        hand, chosen.play[0], other.play[0], "a point" if chosen.points == 1 else f"{chosen.points} points",
        chosen.columns[0], answer.samples, chosen.play[0], values[0], other.play[0], values[1],
        (chosen if chosen.value.mean >= other.value.mean else other).play[0],
    )  # fmt: skip
    return words + Markup('<span class="drawing">{}</span>').format(drawn)


def example_section() -> Section:
    """Two boards before and after: the sheet's example, and a great raze."""
    options = TowersOptions()
    sheet = resolve_play(Board.parse(_SHEET), 3, 11, options)
    great = resolve_raze(Board.parse(_GREAT), 2, options)

    def caption(finding: str) -> Caption:
        text = "Grey: tower cards; coloured: bridges. `towerlab step towers` prints the same in text."
        return Caption(text, rules_in_force(options), "boards as drawn", "the rules alone", Exact(1, "board"), finding)

    return Section(
        "examples",
        "How things fall",
        (
            Figure(
                "sheet-example",
                "The example of the rule sheet",
                boards_svg([("before: J to T4", sheet.before), ("after", sheet.after)]),
                "Two boards of four columns; two bridges before, one after.",
                caption(
                    "A jack is played on the empty tower T4. The two jacks, equal and level, leave the game. "
                    "The queen's bridge lands on the ground; the king's becomes uneven and crushes the 7: two points."
                ),
                _log_frame(sheet),
            ),
            Figure(
                "great-raze",
                "A raze that scores nine",
                boards_svg([("before: T2 is razed", great.before), ("after", great.after)]),
                "Two boards of four columns; the second column is gone afterwards.",
                caption(
                    "The largest cascade of a recorded game: T2 is razed, which nobody scores, and then "
                    f"{len(great.collected)} sections fall to the razer."
                ),
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
        study.rules, "2 players, 5 cards each", simulated("as named"),
        sampled(study, int(frame["packs"].min()), "packs at least, each from both seats", "paired"),
        verdicts({duel.replace(" v ", " leads "): study.of(duel, "lead") for duel in frame["duel"]}, "clear", "behind"),
    )  # fmt: skip
    players = Table(
        "players",
        "The players",
        pd.DataFrame({"player": list(PLAYERS), "plays": list(PLAYERS.values())}),
        Caption(
            "As `towerlab players towers` lists them.", study.rules, "2 to 10 players", "by definition",
            Exact(len(PLAYERS), "players"),
        ),
    )  # fmt: skip
    picture = _bars(frame, "duel", "lead", "lead in sections a game")
    return Section(
        "strength",
        "How strong the players are",
        (
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
        study.rules, "2 players, 5 cards each", simulated("greedy with a habit against greedy"),
        sampled(study, int(frame["packs"].iloc[0]), "packs, each from both seats", "paired"),
        verdicts({name: study.of(name, "lead") for name in frame["habit"].iloc[1:]}, "these pay", "these cost"),
    )  # fmt: skip
    return Section(
        "advice",
        "What to look at besides the points now",
        (
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
        study.rules, "2 to 10 players, 5 cards each", simulated("all alike, greedy or random"),
        sampled(study, int(frame["games"].min()), "games a table at least"), seat_sentence(study),
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
        axes.set(xlabel="sections collected", ylabel="share of all, %, log scale", yscale="log", xlim=(-0.5, 15.5))
        axes.legend()
        picture = axes.figure
    meetings = frame[frame["kind"] == "meeting"]
    razes = frame[frame["kind"] == "raze"]
    nothing = float(meetings.loc[meetings["sections"] == 0, "share"].sum())
    many = float(meetings.loc[meetings["sections"] >= 4, "share"].sum())
    mean = {kind: float((part["sections"] * part["share"]).sum()) for kind, part in frame.groupby("kind")}
    finding = (
        f"{nothing:.0%} of the {int(meetings['times'].sum()):,} meetings of equal cards bring nothing at all, "
        f"{many:.1%} four sections or more; the mean is {mean['meeting']:.2f}, the largest "
        f"{int(meetings['sections'].max())}. The mean of the {int(razes['times'].sum()):,} razes is "
        f"{mean['raze']:.2f}, the largest {int(razes['sections'].max())}."
    )
    caption = Caption(
        "How many sections a meeting of equal cards, or a raze, brings the player on turn; the pair itself and the "
        "razed tower are nobody's.",
        study.rules, "2 players, 5 cards each", simulated("greedy against greedy"),
        sampled(study, int(frame["times"].sum()), "meetings and razes", "Wilson"), finding,
    )  # fmt: skip
    columns = (
        Column("kind", "after"), Column("sections", "sections"), Column("times", "times", ",d"),
        Column("share", "share", ".3%"), Column("low", "95 % from", ".3%"), Column("high", "to", ".3%"),
    )  # fmt: skip
    return Section(
        "cascades",
        "How much falls at once",
        (
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
    finding = (
        f"Two greedy players are stuck {told(dict(two), '.2f', 'razes')} times a game, one turn in "
        f"{1 / two['share_of_turns']:.0f}; {1 - two['games_with_one']:.0%} of games see no raze. Those turns make "
        f"{two['share_of_points']:.0%} of the points; at a table of ten {ten['share_of_points']:.0%}."
    )
    return Section(
        "razes",
        "How often razing is forced",
        (
            Table(
                "razes-by-table", "Razes by number of players", frame,
                Caption(
                    "Forced razes, and what part of all points they make.", study.rules,
                    "2 to 10 players, 5 cards each", simulated("all alike, greedy or random"),
                    sampled(study, int(frame["games"].min()), "games a table at least"), finding,
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
    skill = pd.DataFrame(
        [{"layout": name, "lead": duel.mean, "low": duel.low, "high": duel.high} for name, duel in duels.items()]
    )
    wider = "more" if duels["square"].low > duels["line"].high else (
        "less" if duels["square"].high < duels["line"].low else "neither clearly more nor less"
    )  # fmt: skip
    columns = (
        Column("measure", "measure"), Column("line", "line", ".2f"), Column("square", "square", ".2f"),
        Column("difference", "difference", "+.2f"), Column("low", "95 % from", "+.2f"), Column("high", "to", "+.2f"),
        Column("packs", "packs", ",d"),
    )  # fmt: skip
    points, razes = study.of("layout=square", "points"), study.of("layout=square", "razes")
    finding = (
        f"A fourth place for bridges changes the points of a game by {points}, forced razes by {razes}. Skill counts "
        f"{wider} in a square: the builder leads greedy by {duels['line']} in a line, by {duels['square']} in a square."
    )
    return Section(
        "layout",
        "Line against square",
        (
            Table(
                "line-and-square", "The two layouts on the same packs", frame,
                Caption(
                    "Differences are square minus line.", f"{study.rules} but for layout=line and layout=square",
                    "2 players, 5 cards each", simulated("greedy against greedy"),
                    sampled(study, points.n, "packs", "paired"), finding,
                ), columns,
            ),
            Table("skill-by-layout", "How much skill counts in each", skill, Caption(
                "Lead of the builder over a greedy player, sections a game.",
                f"{study.rules} but for layout=line and layout=square", "2 players, 5 cards each",
                simulated("builder against greedy"),
                sampled(study, duels["line"].n, "packs, each from both seats", "paired"),
            ), (Column("layout", "layout"), *interval_columns("lead", "lead", "+.2f", bare=True))),
        ),
    )  # fmt: skip


def rule_section(study: StudyTables) -> Section:
    """Each rule option changed alone."""
    frame = study.rows("points")
    frame = frame[(frame["cell"] != "default") & ~frame["cell"].str.startswith("builder")]
    frame = frame[frame["low"] < frame["high"]]  # a rule that is in force already changes nothing
    frame = frame.rename(columns={"cell": "rule", "mean": "points", "n": "packs"}).reset_index(drop=True)
    for measure in ("razes", "first lead"):
        rows = [study.of(rule, measure) for rule in frame["rule"]]
        frame[measure.replace(" ", "_")] = [row.mean for row in rows]
    frame.insert(1, "words", frame["rule"].map(rule_name))
    order = frame["points"].abs().sort_values(ascending=False, kind="stable").index
    frame = frame.loc[order].reset_index(drop=True)
    changes = {str(row.words): study.of(str(row.rule), "points") for row in frame.itertuples()}
    caption = Caption(
        "Change of the points a game when one option leaves its default, all others unchanged.",
        f"each option alone against {study.rules}", "2 players, 5 cards each", simulated("greedy against greedy"),
        sampled(study, int(frame["packs"].min()), "packs", "paired"), verdicts(changes, "more points", "fewer points"),
    )  # fmt: skip
    columns = (
        Column("words", "rule"), Column("rule", "option"),
        *interval_columns("points", "points a game", "+.2f", bare=True, start="95 % from"),
        Column("razes", "razes a game", "+.2f"),
        Column("first_lead", "lead of the first seat", "+.2f"), Column("packs", "packs", ",d"),
    )  # fmt: skip
    return Section(
        "rules",
        "What each rule option changes",
        (
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
