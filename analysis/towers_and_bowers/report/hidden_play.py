"""The section on hidden play: how far the model's gaps are from played ones, and how often a call turns round."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.checks import Check, holds
from analysis.report.drawing import drawing
from analysis.report.page import Caption, Column, Figure, Points, Sampled, Section, Table
from analysis.report.palette import series
from analysis.towers_and_bowers.report.view import SEAT_NAMES
from analysis.towers_and_bowers.solutions.model_error import ALL, FEWEST_CARDS, model_errors, stored_lines
from analysis.towers_and_bowers.studies.hidden_play import BANDS, HIDDEN_PLAY

_COMMAND: Final = f"towerlab study {HIDDEN_PLAY.game} {HIDDEN_PLAY.name}"
_ERROR: Final = (
    Column("model_error", "error, mt", ".1f", help="root mean square of played less model's gap, noise taken out"),
    Column("model_error_low", "95 % from", ".1f"),
    Column("model_error_high", "to", ".1f"),
)
_TURNED: Final = (
    Column("turned", "turned", ".0%", help="the better call is the other one in play; of gaps of 1 mt or more"),
    Column("turned_low", "95 % from", ".0%"),
    Column("turned_high", "to", ".0%"),
)
_KIND: Final = (Column("cards", "cards n"), Column("seat", "seat", SEAT_NAMES.__getitem__))


def hidden_play_frame() -> pd.DataFrame:
    """What ships, a row a hand size, seat, round and size of gap."""
    return pd.read_csv(io.StringIO("\n".join(stored_lines())))


def hidden_play_section(rules: str) -> Section:
    """Findings, the error by hand size, by size of gap, and where the truth is known."""
    frame = hidden_play_frame()
    modelled = frame[(frame["round"] == 1) & (frame["cards"] >= FEWEST_CARDS)]
    whole, bands = modelled[modelled["band"] == ALL], modelled[modelled["band"] != ALL]
    solved = frame[(frame["band"] == ALL) & frame["true_error"].notna()]
    return Section(
        "hidden",
        "Does hidden play turn a call round?",
        (Points(_findings(whole, bands, solved)), _errors(whole, rules), _by_gap(bands, rules), _solved(solved, rules)),
    )


def _findings(whole: pd.DataFrame, bands: pd.DataFrame, solved: pd.DataFrame) -> tuple[str, ...]:
    dealer, other = (whole[whole["seat"] == seat] for seat in ("dealer", "nondealer"))
    wide, told = f"{BANDS[-1]:g} mt", whole.dropna(subset="turned")
    most, least = (told.loc[getattr(told["turned"], end)()] for end in ("idxmax", "idxmin"))
    even = other[other["cards"] % 2 == 0]
    first = solved[solved["round"] == 1]
    return (
        f"Of calls whose gap is below {wide}, play with hidden cards moves the dealer's gap by "
        f"{_list(dealer)}; the non-dealer's by {_list(even)}. These are the errors that `towerlab upcard` and the "
        "explorer tell: a smaller gap is “too close for the model”.",
        f"It turns {most['turned']:.0%} of the {_who(most)}'s calls at n = {most['cards']} round (95 % "
        f"{most['turned_low']:.0%} to {most['turned_high']:.0%}), and {least['turned']:.0%} of the {_who(least)}'s at "
        f"n = {least['cards']} ({least['turned_low']:.0%} to {least['turned_high']:.0%}), of gaps from {BANDS[0]:g} to "
        f"{wide}. With an odd number of cards hardly any gap of the non-dealer's is that large: there is nothing to "
        "turn round.",
        "The players of the study are two of pimc, who do not read bids. Where the game is solved that can be "
        "checked: "
        + "; ".join(
            f"n = {row['cards']}, {_who(row)}: play is {row['players_error']:.1f} mt from the truth, the "
            f"model {row['true_error']:.1f}"
            for row in first.to_dict("records")
        )
        + ". So the error says how far a gap can be trusted, not which call is better.",
    )  # fmt: skip


def _list(rows: pd.DataFrame) -> str:
    told = [
        f"{row['model_error']:.0f} mt at n = {row['cards']} (95 % {row['model_error_low']:.0f} to "
        f"{row['model_error_high']:.0f})"
        for row in rows.to_dict("records")
    ]
    return ", ".join(told)


def _who(row: Any) -> str:
    return str(SEAT_NAMES[row["seat"]])


def _caption(text: str, frame: pd.DataFrame, rules: str, size: str) -> Caption:
    sampled = Sampled(int(frame["hands"].sum()), "hands", 0, "Student's t and bootstrap")
    return Caption(
        f"{text} Each call is played on the same {frame['deals'].sum() // frame['hands'].sum()} deals a hand, drawn as "
        f"the equilibrium weighs them; the value with open cards is the control variate. Made by `{_COMMAND}`.",
        rules,
        size,
        "equilibrium bidding against play between two of pimc",
        sampled,
    )


def _errors(whole: pd.DataFrame, rules: str) -> Figure:
    with drawing(7.2, 3.0) as (figure, axes):
        for number, (seat, rows) in enumerate(whole.groupby("seat")):
            ends = np.array(
                [rows["model_error"] - rows["model_error_low"], rows["model_error_high"] - rows["model_error"]]
            )
            axes.errorbar(
                rows["cards"] + 0.08 * (2 * number - 1), rows["model_error"], yerr=ends, fmt="os"[number], capsize=3,
                color=series(number), label=SEAT_NAMES[str(seat)],
            )  # fmt: skip
        axes.set(xlabel="cards in the hand, n", ylabel="error of a gap, mt", xticks=sorted(whole["cards"].unique()))
        axes.set_ylim(bottom=0)
        axes.legend()
    return Figure(
        name="hidden-play",
        title="How far hidden cards move the gap between accepting and passing",
        drawing=figure,
        alt="Points with intervals: the error of the model's gap against the hand size, one series a seat.",
        caption=_caption(
            f"First calls of random hands whose gap is below {BANDS[-1]:g} mt. Slope: of the played gap on the "
            "model's, 1 if the model is right on the mean.",
            whole,
            rules,
            "n = 4 to 7",
        ),
        frame=whole,
        columns=(
            *_KIND,
            Column("hands", "hands", ",d"),
            *_ERROR,
            Column("bias", "mean, mt", "+.1f", help="played less model's gap of accepting over passing"),
            Column("slope", "slope", ".2f"),
            Column("slope_low", "95 % from", ".2f"),
            Column("slope_high", "to", ".2f"),
            *_TURNED,
        ),
    )


def _by_gap(bands: pd.DataFrame, rules: str) -> Table:
    return Table(
        name="hidden-play-by-gap",
        title="By size of the model's gap",
        frame=bands,
        caption=_caption(
            "First calls by how large the model's gap is; sizes of fewer than 20 hands are left out.",
            bands, rules, "n = 4 to 7",
        ),
        columns=(*_KIND, Column("band", "gap, mt", _dashed), Column("hands", "hands", ",d"), *_ERROR, *_TURNED),
    )  # fmt: skip


def _dashed(band: str) -> str:
    return band.replace("-", "–")


def _solved(solved: pd.DataFrame, rules: str) -> Table:
    return Table(
        name="hidden-play-solved",
        title="Where the game is solved",
        frame=solved,
        caption=_caption(
            "How far the model's gap and the played one are from the true one, root mean square: second "
            "calls show why no error is told of second calls.",
            solved, rules, "n = 2 and 3",
        ),
        columns=(
            *_KIND,
            Column("round", "call"),
            Column("hands", "hands", ",d"),
            Column("true_error", "model from truth, mt", ".1f"),
            Column("players_error", "play from truth, mt", ".1f"),
            Column("model_error", "play from model, mt", ".1f"),
        ),
    )  # fmt: skip


def checks_of_hidden_play() -> tuple[Check, ...]:
    """What ships hangs together."""
    frame = hidden_play_frame()
    whole = frame[frame["band"] == ALL]
    inside = whole["model_error"].between(whole["model_error_low"], whole["model_error_high"])
    sizes = whole[whole["cards"] >= FEWEST_CARDS].groupby("cards")["hands"].sum()
    told = {(row["cards"], row["seat"]): row["model_error"] for row in whole[whole["round"] == 1].to_dict("records")}
    return (
        holds("every error of the model lies in its interval", inside.all()),
        holds("at least 400 hands of every size from four cards on were played out", (sizes >= 400).all()),
        holds(
            "the errors told by `towerlab upcard` are those of the table",
            all(told[each] == error for each, error in model_errors().items()),
        ),
    )
