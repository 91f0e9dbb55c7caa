"""What bidding rules cost, as a section of a game's page: words, a chart of rules, one of decision lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.bidding.costs import PLAYER, shortest_good_list
from analysis.report.checks import Check, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import error_bars, in_intervals, interval_columns, told
from analysis.report.page import Caption, Column, Figure, Points
from analysis.report.palette import INK, series
from analysis.report.studies import Run

_MARKERS: Final = "osD"
_LOGARITHMIC: Final = 10  # times the cheapest list's cost: from there on an axis of equal factors


@dataclass(frozen=True)
class BiddingCosts:
    """The tables of `analysis.report.bidding.costs` with what a page says of them.

    Attributes:
        run: of the study.
        unit: of the costs, such as ``"points a decision"``.
        form: of the costs.
        size, model: as of a caption.
        about: what the reference is.
    """

    run: Run
    unit: str
    form: str
    size: str
    model: str
    about: str

    def caption(self, text: str, of: str = "decisions", interval: str = "Student's t") -> Caption:
        """A caption with the decisions that rules were scored on."""
        return self.run.caption(text, self.size, self.model, (int(self.run.summary["scored"]), of), interval)

    def rule(self, kind: str, name: str) -> dict[str, Any]:
        """A row of the table ``rules``."""
        rules = self.run.tables["rules"]
        row = rules[(rules["kind"] == kind) & (rules["rule"] == name)].iloc[0]
        return {str(key): value for key, value in row.items()}

    def cost(self, row: Mapping[Any, Any]) -> str:
        """A cost with its interval and unit."""
        return f"{told(row, self.form, 'cost')} {self.unit}"

    def words(self) -> Points:
        """By kind of decision: the shortest good decision list, the cheapest rule of thumb, pimc."""
        lists, rules = self.run.tables["lists"], self.run.tables["rules"]
        sentences = []
        for kind, rows in lists.groupby("kind", sort=False):
            good, constant = shortest_good_list(rows), rows.iloc[0].to_dict()
            thumb = rules[(rules["kind"] == kind) & ~rules["rule"].str.startswith(PLAYER)].sort_values(
                "cost", kind="stable"
            )
            best = thumb.iloc[0].to_dict()
            longer = f" (the constant “{constant['rule']}”: {self.cost(constant)})" if good["clauses"] > 1 else ""
            sentences.append(
                f"{str(kind).capitalize()}: of {len(thumb)} rules of thumb “{best['rule']}” is the cheapest, "
                f"{self.cost(best)}; the decision list “{good['rule']}” costs {self.cost(good)}{longer}; to bid as "
                f"pimc costs {self.cost(self.rule(str(kind), f'{PLAYER}pimc'))}."
            )
        return Points(tuple(sentences))

    def rules_figure(self) -> Figure:
        """Dots with intervals: what every rule costs, by kind of decision."""
        frame = self.run.tables["rules"]
        names = list(frame.sort_values("cost", kind="stable")["rule"].unique())
        kinds = list(frame["kind"].unique())
        with drawing(7.2, 0.9 + 0.32 * len(names)) as (figure, axes):
            for step, kind in enumerate(kinds):
                rows = frame[frame["kind"] == kind]
                places = np.array([names.index(rule) for rule in rows["rule"]]) + 0.22 * (step - 1)
                axes.errorbar(
                    rows["cost"], places, xerr=error_bars(rows, "cost"), color=series(step), marker=_MARKERS[step],
                    capsize=2, linestyle="none", label=kind,
                )  # fmt: skip
            axes.axvline(0, color=INK, linewidth=0.8)
            axes.set_yticks(range(len(names)), names)
            axes.invert_yaxis()
            axes.set(xlabel=self.unit)
            axes.legend(loc="lower center", bbox_to_anchor=(0.3, 1.0), ncols=len(kinds))
        text = f"What a rule gets less than the reference in the same decisions. {self.about}"
        columns = (
            Column("rule", "rule"), Column("kind", "when"), *interval_columns("cost", self.unit, self.form, bare=True),
            Column("no_worse", "no worse than the reference", ".1%"), Column("decisions", "decisions", ","),
        )  # fmt: skip
        alt = "; ".join(f"{row['rule']}, {row['kind']}: {row['cost']:{self.form}}" for row in frame.to_dict("records"))
        return Figure("rule-costs", "What rules cost", figure, alt, self.caption(text), frame, columns)

    def lists_figure(self) -> Figure:
        """Cost against the number of clauses, scored and where fitted."""
        frame = self.run.tables["lists"]
        with drawing(7.2, 3.2) as (figure, axes):
            for step, (kind, rows) in enumerate(frame.groupby("kind", sort=False)):
                style: dict[str, Any] = {"color": series(step), "marker": _MARKERS[step]}
                axes.errorbar(
                    rows["clauses"], rows["cost"], yerr=error_bars(rows, "cost"), capsize=4, label=kind, **style
                )
                axes.plot(rows["clauses"], rows["fitted_cost"], "--", **style, alpha=0.5)
            axes.set(xlabel="clauses (dashed: where fitted)", ylabel=self.unit)
            axes.set_xticks(sorted(frame["clauses"].unique()))
            if frame["low"].min() > 0 and frame["cost"].max() > _LOGARITHMIC * frame["cost"].min():
                axes.set_yscale("log")
            axes.legend()
        text = (
            "A list of k + 1 clauses is the list of k with one more put before it, the one that gains most (greedily; "
            "a clause is one condition, or two joined by “and”; the first that fits decides). Chosen on one half of "
            "the decisions, scored on the other."
        )
        columns = (
            Column("kind", "when"), Column("clauses", "clauses"), Column("rule", "decision list"),
            *interval_columns("cost", self.unit, self.form, bare=True),
            Column("fitted_cost", "where fitted", self.form), Column("decisions", "decisions", ","),
        )  # fmt: skip
        alt = "; ".join(
            f"{row['kind']}, {row['clauses']}: {row['cost']:{self.form}}" for row in frame.to_dict("records")
        )
        title = "Decision lists: how far simple rules get"
        return Figure("decision-lists", title, figure, alt, self.caption(text), frame, columns)

    def checks(self) -> tuple[Check, ...]:
        """That costs lie in their intervals, and what fitting gains."""
        rules, lists = self.run.tables["rules"], self.run.tables["lists"]
        return (
            in_intervals("every cost lies in its interval", rules, lists, key="cost"),
            holds(
                "no clause raises the cost where it was fitted",
                all((rows["fitted_cost"].diff().dropna() <= 1e-9).all() for _, rows in lists.groupby("kind")),
            ),
        )


def make_up(rules: pd.DataFrame, whole: str) -> tuple[Check, ...]:
    """That the decisions of the other kinds make up those of all together, and so do their costs, rule by rule."""
    sums = rules.assign(total=rules["cost"] * rules["decisions"]).groupby([rules["kind"] == whole, "rule"])
    every, parts = (sums[["decisions", "total"]].sum().loc[key] for key in (True, False))
    return (
        holds(f"the parts' decisions make up those of {whole}", (every["decisions"] == parts["decisions"]).all()),
        holds("so do their costs", np.allclose(every["total"], parts["total"])),
    )
