"""The report of Towers: the tables that its file of prose shows, and its checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from analysis.report.checks import Check, adds_up, agrees, holds
from analysis.report.drawing import inline_svg
from analysis.report.intervals import FINDING, findings
from analysis.report.page import Page
from analysis.report.prose import one_row, read_page
from analysis.report.studies import Part, Report, Runs
from analysis.stats import wilson
from analysis.towers.boards import boards_svg
from analysis.towers.move import move
from analysis.towers.studies import RULE_CHANGES, STUDIES, TABLE_SIZES
from games.towers import Board, Resolution, TowersOptions, resolve_play, resolve_raze
from sim.towers.games import PLAYERS, SEARCH_HORIZON, SEARCH_SAMPLES

_SHEET: Final = "J Qb | K Qb Kb | 9 7 Kb K | -"
_WORKED: Final = ("8 5 Tb | Q 9 Tb | K | -", "5 3 J 9", ("5:3", "9:3"))
_GREAT: Final = "K 4b 2 A K K 6 5 2 2 | 7 4b 3 Kb 7 2 | Q J 8 Kb Q 9 8 4 4 | 6 5 A Q 6 5"  # from a game of our own
_LAYOUTS: Final = {
    "points": "points a game, both",
    "razes": "razes a game",
    "raze points": "points by razing",
    "first lead": "lead of the first seat",
    "turns": "turns a game",
}


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    means = {name: run.tables["means"] for name, run in runs.items()}
    duels, seats = _duels(means["strength"]), _seats(means["seats"])
    habits = _measured(means["habits"], "lead", "lead").rename(columns={"cell": "habit", "n": "packs"})
    razes, cascades = _razes(means["seats"]), _cascades(runs["seats"].tables["cascades"])
    changed = means["rules"][means["rules"]["cell"] == "layout=square"].set_index("measure")
    square = changed.to_dict("index")
    skill = _measured(means["rules"], "lead", "lead").assign(layout=lambda rows: rows["cell"].str.split(", ").str[1])
    board, hand, kept = _WORKED
    answer = move(board, hand, samples=1_000, seed=0)
    drawn = boards_svg([("the board", Board.parse(board))])
    page = read_page(
        "analysis.towers",
        "page.md",
        {
            "duels": duels,
            "habits": habits,
            "seats": seats,
            "razes": razes,
            "cascades": cascades,
            "square": square if square["points"]["low"] < square["points"]["high"] else None,  # else the rule in force
            "layouts": _layouts(means["rules"], changed),
            "skill": skill,
            "options": _options(means["rules"]),
            "players": PLAYERS,
            "hand": hand,
            "deals": answer.samples,
            "plays": [next(one for one in answer.plays if one.play == play) for play in kept],
            "drawn": inline_svg(drawn, "worked", "The board", "Four towers, a bridge across the first two."),
            "examples": _examples(),
            "findings": findings,
            "finding": FINDING,
            "search_samples": SEARCH_SAMPLES,
            "search_horizon": SEARCH_HORIZON,
            "seeds": {name: run.seed for name, run in runs.items()},
            "rules": runs["rules"].rules,
        },
        command=command,
        checks=_checks(means, habits, duels, cascades),
        sources={name: {"seed": run.seed} for name, run in runs.items()},
        rules=runs["rules"].rules,
    )
    return page.checked_in_tables(page.answer[:-1])  # the last one is a worked play, with estimates of its own


def _measured(means: pd.DataFrame, measure: str, name: str) -> pd.DataFrame:
    """All cells that have this measure, in the order of the study: cell, the mean by that name with its ends, n."""
    rows = means[means["measure"] == measure].drop(columns="measure").reset_index(drop=True)
    return rows.rename(columns={"mean": name, "low": f"{name}_low", "high": f"{name}_high"})


def _duels(means: pd.DataFrame) -> pd.DataFrame:
    """Every pair of players: the lead of the first, and what share of the games was won, shared and lost."""
    wide = means.pivot(index="cell", columns="measure", values="mean")
    duels = _measured(means, "lead", "lead").merge(wide[["won", "lost"]], on="cell")
    return duels.assign(shared=1 - duels["won"] - duels["lost"]).rename(columns={"cell": "duel", "n": "packs"})


def _seats(means: pd.DataFrame) -> pd.DataFrame:
    """The first player's share of wins by number of players, and how far it is from a fair one."""
    seats = _measured(means, "wins 0", "first").rename(columns={"n": "games"})
    last = [one_row(means, cell=cell, measure=f"wins {int(cell.split()[0]) - 1}")["mean"] for cell in seats["cell"]]
    seats = seats.assign(players=seats["cell"].str.split().str[0].astype(int), last=last)
    gaps = {f"gap{end}": 100 * (seats[f"first{end}"] - 1 / seats["players"]) for end in ("", "_low", "_high")}
    return seats.assign(fair=1 / seats["players"], **gaps)


def _razes(means: pd.DataFrame) -> pd.DataFrame:
    """Forced razes by number of players, and what part of turns and points they make."""
    wide = means.pivot(index="cell", columns="measure", values="mean").reset_index()
    shares = wide[["cell"]].assign(
        players=wide["cell"].str.split().str[0].astype(int),
        games_with_one=wide["any raze"],
        share_of_turns=wide["razes"] / wide["turns"],
        share_of_points=wide["raze points"] / wide["points"],
    )
    return _measured(means, "razes", "razes").merge(shares, on="cell").rename(columns={"n": "games"})


def _cascades(cascades: pd.DataFrame) -> pd.DataFrame:
    """How many sections a meeting or a raze of two players brings: shares of all of the kind."""
    frame = cascades[cascades["cell"] == "2 greedy"].drop(columns="cell").reset_index(drop=True)
    totals = frame.groupby("kind")["times"].transform("sum")
    ends = [wilson(int(times), int(n)) for times, n in zip(frame["times"], totals, strict=True)]
    return frame.assign(share=frame["times"] / totals, low=[low for low, _ in ends], high=[high for _, high in ends])


def _layouts(means: pd.DataFrame, changed: pd.DataFrame) -> pd.DataFrame:
    """Line against square on the same packs."""
    line = means[means["cell"] == "default"].set_index("measure")["mean"]
    rows = changed.loc[list(_LAYOUTS)].rename(columns={"mean": "difference", "n": "packs"})
    return rows.assign(what=list(_LAYOUTS.values()), line=line, square=line + rows["difference"]).reset_index()


def _options(means: pd.DataFrame) -> pd.DataFrame:
    """Each rule option changed alone, the largest change of points first."""
    wide = means.pivot(index="cell", columns="measure", values="mean")
    rows = _measured(means, "points", "points").rename(columns={"cell": "rule", "n": "packs"})
    changes = rows["points_low"] < rows["points_high"]  # else the rule is in force already
    rows = rows[rows["rule"].isin(RULE_CHANGES) & changes]
    beside = wide.loc[rows["rule"], ["razes", "first lead"]].set_axis(["razes", "first_lead"], axis=1)
    rows = rows.assign(words=rows["rule"].map(RULE_CHANGES)).merge(beside, left_on="rule", right_index=True)
    return rows.sort_values("points", key=abs, ascending=False, kind="stable", ignore_index=True)


def _examples() -> list[dict[str, Any]]:
    """Two boards before and after: the sheet's example, and a great raze."""
    sheet = resolve_play(Board.parse(_SHEET), 3, 11, TowersOptions())
    great = resolve_raze(Board.parse(_GREAT), 2, TowersOptions())
    return [
        {
            "name": "sheet-example",
            "title": "The example of the rule sheet",
            "alt": "Two boards of four columns; two bridges before, one after.",
            "finding": "A jack is played on the empty tower T4. The two jacks, equal and level, leave the game. The "
            "queen's bridge lands on the ground; the king's becomes uneven and crushes the 7: two points.",
            **_fallen(sheet, "before: J to T4"),
        },
        {
            "name": "great-raze",
            "title": "A raze that scores nine",
            "alt": "Two boards of four columns; the second column is gone afterwards.",
            "finding": "The largest cascade of a recorded game: T2 is razed, which nobody scores, and then "
            f"{len(great.collected)} sections fall to the razer.",
            **_fallen(great, "before: T2 is razed"),
        },
    ]


def _fallen(done: Resolution, before: str) -> dict[str, Any]:
    rows = [(number, entry.step, " ".join(entry.cards)) for number, entry in enumerate(done.log, 1)]
    return {
        "picture": boards_svg([(before, done.before), ("after", done.after)]),
        "log": pd.DataFrame(rows, columns=["number", "step", "cards"]),
    }


def _checks(
    means: Mapping[str, pd.DataFrame], habits: pd.DataFrame, duels: pd.DataFrame, cascades: pd.DataFrame
) -> tuple[Check, ...]:
    """What the page says must add up."""
    leads = habits.set_index("habit").to_dict("index")
    nothing = leads["nothing but the points now"]
    seats = means["seats"].set_index(["cell", "measure"])["mean"]
    two = one_row(means["seats"], cell="2 greedy", measure="points")
    scored = float((cascades["sections"] * cascades["times"]).sum())
    packs = means["rules"].loc[means["rules"]["measure"] == "points", "n"]
    return (
        *(
            holds(f"the rule for the table, {part}: it pays", leads[part]["lead"] > 0)
            for part in ("low cards first", "give the next player little", "all of it: the builder")
        ),
        *(
            adds_up(
                f"the shares of wins at a table of {n} add up to one",
                [seats[f"{n} greedy", f"wins {seat}"] for seat in range(n)], 1.0, within=1e-6,
            )
            for n in TABLE_SIZES
        ),
        adds_up(
            "points by seat add up to the points of a game",
            [seats["2 greedy", f"points {seat}"] for seat in (0, 1)], two["mean"],
        ),
        agrees("the cascades make all points of the games", scored, two["mean"] * two["n"], 1e-3),
        holds(
            "a greedy player by another name is as good as greedy, within three standard errors",
            abs(nothing["lead"]) < 0.8 * (nothing["lead_high"] - nothing["lead_low"]) + 1e-9,
        ),
        holds("no more than all games are won and lost", (duels["shared"] >= -1e-9).all()),
        holds("every rule option was played on as many packs", packs.nunique() <= 2),
    )  # fmt: skip


# Each study has a seed of its own, so that no two of them play the same packs.
REPORT: Final = Report("towers", build, [Part(study, seed=number) for number, study in enumerate(STUDIES.values())])
