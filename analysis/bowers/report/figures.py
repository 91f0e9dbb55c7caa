"""The figures and tables of the Bowers report."""

from __future__ import annotations

import itertools

from analysis.bowers.report.data import LEADING, MISERE_MODEL, PLAYED, ReportData
from analysis.report.drawing import drawing
from analysis.report.intervals import error_bars, interval_columns, or_dash
from analysis.report.page import Column, Figure, Table
from analysis.report.palette import HATCHES, INK, series

_PERCENT = ".1%"


def makes_figure(data: ReportData) -> Figure:
    """Lines: P(at least k tricks) by trumps held."""
    frame = data.tables["makes"]
    names = list(dict.fromkeys(frame["holding"]))
    with drawing(7.2, 3.6) as (figure, axes):
        for number, name in enumerate(names):
            part = frame[frame["holding"] == name]
            style = "--" if name == "no trump" else "-"
            axes.plot(part["level"], part["mean"], style, color=series(number), marker="osD^v"[number % 5], label=name)
        axes.set(xlabel="tricks", ylabel="P(at least so many)", ylim=(0, 1.02), xticks=range(1, 11))
        axes.legend(title="held in ten cards")
    text = (
        "How often the bidder takes at least so many tricks, by the trumps among the ten cards (bowers included); the "
        "two suits a hand likes best, and no trump with every hand."
    )
    return Figure(
        "makes", "Tricks by trumps held", figure, "Falling curves, further to the right the more trumps are held.",
        data.caption(text, data.hands, "hands", "Student (by hand)"), frame,
        (Column("holding", "held"), Column("level", "at least"), *interval_columns("mean", "share", _PERCENT),
         Column("n", "hands", ",")),
    )  # fmt: skip


def holdings_table(data: ReportData) -> Table:
    """Tricks and success by trumps and bowers."""
    text = (
        "Mean tricks and how often 5, 6 and 7 are made, by trumps and bowers among the ten cards; at least eight hands."
    )
    made = (interval_columns(f"made_{level}", f"makes {level}", ".0%") for level in (5, 6, 7))
    columns = (
        Column("trumps", "trumps"), Column("bowers", "bowers"), *interval_columns("tricks", "tricks", ".2f"),
        *itertools.chain(*made), Column("n", "hands", ","),
    )  # fmt: skip
    caption = data.caption(text, data.hands, "hands", "Student (by hand)")
    return Table("holdings", "What holdings make", data.tables["holdings"], caption, columns)


def levels_table(data: ReportData) -> Table:
    """Each level by itself: what it needs."""
    text = (
        "For each level: what each opponent scores when such a bid fails, and the success at which it breaks even, "
        "at as "
        "many points as the mean of the others; of hands that promise more than that."
    )
    columns = (
        Column("level", "level"), Column("lost", "lost to each", or_dash(".2f")),
        Column("needed", "breaks even at", or_dash(".1%")), Column("n", "of hands", ","),
    )  # fmt: skip
    caption = data.caption(text, data.hands, "hands", "")
    return Table("levels", "What each level needs", data.tables["levels"], caption, columns)


def kitty_table(data: ReportData) -> Table:
    """What kitty and lead are worth."""
    text = (
        "Tricks, paired on the same layouts: with the kitty and a bury less without them; leading first less the "
        "player on the left leading; and how often the kitty changes something."
    )
    columns = (
        Column("trump", "in"), Column("what", "what"), *interval_columns("mean", "mean", ".3f"),
        Column("n", "hands", ","),
    )  # fmt: skip
    caption = data.caption(text, data.hands, "hands", "paired Student")
    return Table("kitty", "Kitty and lead", data.tables["kitty"], caption, columns)


def bury_figure(data: ReportData) -> Figure:
    """Bars: tricks lost by ways of burying."""
    frame = data.tables["burying"]
    shown = [way for way in dict.fromkeys(frame["way"]) if way != "every bury tried"]
    with drawing(7.2, 2.8) as (figure, axes):
        for number, trump in enumerate(("best suit", "no trump")):
            part = frame[frame["trump"] == trump].set_index("way").loc[shown]
            error = error_bars(part, "loss")
            places = [place + 0.4 * number for place in range(len(shown))]
            axes.barh(
                places, part["loss"], 0.36, xerr=error, color=series(number), hatch=HATCHES[number], edgecolor=INK,
                linewidth=0.5, ecolor=INK, capsize=2, label=trump,
            )  # fmt: skip
        axes.set(xlabel="tricks lost", yticks=[place + 0.2 for place in range(len(shown))])
        axes.set_yticklabels(shown)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.legend()
    text = (
        "Mean tricks on fresh layouts lost against the best of all buries on eight common layouts. “As in bid”: the "
        "four best of the quick guess on four layouts; negative: better than the yardstick."
    )
    columns = (
        Column("trump", "in"), Column("way", "way"), Column("tricks", "tricks", ".2f"),
        *interval_columns("loss", "lost", ".3f", bare=True), Column("n", "hands", ","),
    )  # fmt: skip
    return Figure(
        "burying", "Ways to bury", figure,
        f"Bars between {frame['loss'].min():.2f} and {frame['loss'].max():.2f} tricks.",
        data.caption(text, frame["n"].max(), "hands with a kitty", "paired Student"), frame, columns,
    )  # fmt: skip


def misere_figure(data: ReportData) -> Figure:
    """Lines: what misère is worth a deal, by its value and who leads."""
    frame = data.tables["misere-values"]
    with drawing(7.2, 3.2) as (figure, axes):
        for number, who in enumerate(LEADING):
            part = frame[(frame["joker"] == "none") & (frame["leader"] == who)]
            error = error_bars(part, "points_a_deal")
            axes.errorbar(
                part["value"] + 0.15 * (number - 1), part["points_a_deal"], yerr=error, color=series(number),
                marker="osD"[number], capsize=2, label=who,
            )  # fmt: skip
        axes.set(xlabel="points for a misère", ylabel="points a deal")
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.legend(title="who leads first")
    text = (
        "What misère scores a deal and player, by its value, if the hands that promise more than to break even bid it. "
        "They are picked on twelve layouts and judged on fresh ones. Needed: the success at which it breaks even."
    )
    columns = (
        Column("joker", "joker"), Column("leader", "leads"), Column("value", "points for a misère"),
        Column("needed", "needed", _PERCENT), *interval_columns("share", "hands that bid it", ".2%"),
        *interval_columns("made", "made", _PERCENT),
        *interval_columns("points_a_deal", "points a deal", "+.4f", bare=True),
        Column("bids", "bids", ","), Column("n", "hands", ","),
    )  # fmt: skip
    usual = int(frame[frame["joker"] == "none"]["n"].iloc[0])
    return Figure(
        "misere-values", "What misère is worth", figure, "Rising lines of a few hundredths of a point.",
        data.caption(
            text, usual, "hands of the usual pack", "Student and Wilson", MISERE_MODEL,
            f"{data.rules} but for joker, misere_value and who leads",
        ),
        frame, columns,
    )  # fmt: skip


def rungs_figure(data: ReportData) -> Figure:
    """Bars: the rung on which auctions end, by players."""
    frame = data.tables["rungs"]
    reached = frame.groupby("rung", sort=False)["won"].transform("sum") > 0
    shown = frame[reached]
    rungs = list(dict.fromkeys(shown["rung"]))
    with drawing(7.2, 3.4) as (figure, axes):
        for number, lineup in enumerate(dict.fromkeys(shown["lineup"])):
            part = shown[shown["lineup"] == lineup].set_index("rung").loc[rungs]
            error = error_bars(part, "share")
            places = [place + 0.4 * number for place in range(len(rungs))]
            axes.bar(
                places, part["share"], 0.38, yerr=error, color=series(number), hatch=HATCHES[number], edgecolor=INK,
                linewidth=0.5, ecolor=INK, capsize=2, label=lineup,
            )  # fmt: skip
        axes.set(ylabel="share of deals", xticks=[place + 0.2 for place in range(len(rungs))], ylim=(0, None))
        axes.set_xticklabels(rungs, rotation=45, ha="right")
        axes.legend(title="three players")
    text = (
        "The rung of the bid that wins the auction; made, and the bidder's points less the mean of the others', in the "
        "play that follows."
    )
    columns = (
        Column("lineup", "players"), Column("rung", "rung"), *interval_columns("share", "deals", _PERCENT, bare=True),
        *interval_columns("made", "made", _PERCENT), Column("points", "points", "+.2f"),
        Column("won", "deals so", ","), Column("deals", "of", ","),
    )  # fmt: skip
    deals = frame.groupby("lineup", sort=False)["deals"].first()
    of = "deals: " + ", ".join(f"{count:,} of {lineup}" for lineup, count in deals.items())
    return Figure(
        "rungs", "Where auctions end", figure, "Bars by rung for two kinds of players.",
        data.caption(text, deals.sum(), of, "Wilson", PLAYED), frame, columns,
    )  # fmt: skip


def misere_hands_table(data: ReportData) -> Table:
    """Which hands survive."""
    frame = data.tables["misere-hands"]
    text = "How often a misère succeeds, by the cards below the ten among the ten cards and the aces; the bidder leads."
    columns = (
        Column("aces", "aces"), Column("low_cards", "sevens, eights and nines"),
        *interval_columns("mean", "succeeds", _PERCENT),
        Column("n", "hands", ","),
    )  # fmt: skip
    caption = data.caption(text, frame["n"].sum(), "hands", model=MISERE_MODEL)
    return Table("misere-hands", "Hands for a misère", frame, caption, columns)


def misere_success_table(data: ReportData) -> Table:
    """Random misères by pack and leader."""
    frame = data.tables["misere-success"]
    text = "How often a random hand survives a misère, by pack and leader."
    columns = (
        Column("joker", "joker"), Column("leader", "leads"), *interval_columns("mean", "succeeds", _PERCENT),
        Column("n", "hands", ","),
    )  # fmt: skip
    rules = f"{data.rules} but for joker and who leads"
    caption = data.caption(text, frame["n"].max(), "hands", model=MISERE_MODEL, rules=rules)
    return Table("misere-success", "Random misères", frame, caption, columns)


def jokers_table(data: ReportData) -> Table:
    """Packs side by side."""
    frame = data.tables["jokers"]
    text = "The same means with the usual pack, with a joker in place of the 7♣, and with a joker as a 33rd card."
    columns = (
        Column("joker", "joker"), Column("what", "what"), *interval_columns("mean", "mean", ".2f"),
        Column("n", "hands", ","),
    )  # fmt: skip
    caption = data.caption(text, frame["n"].max(), "hands, fewer with a joker", rules=f"{data.rules} but for joker")
    return Table("jokers", "Packs side by side", frame, caption, columns)
