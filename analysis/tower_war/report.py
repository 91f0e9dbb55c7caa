"""The Tower War report as a page: figures, tables and the findings in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from analysis.report.cards import cards_html
from analysis.report.checks import Check, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import FINDING, error_bars, interval_columns, is_finding, or_dash, told
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
from analysis.tower_war.card_values import CARD_VALUES
from analysis.tower_war.drafting import split_cards
from analysis.tower_war.strategy import STRATEGY
from games.tower_war import TowerWarOptions
from games.tower_war.draft import ROUNDS
from sim.tower_war.players import sum_points
from solver.tower_war.model import shipped_model

SIZE = "2 players, decks of 15"
SIMULATED = "simulated play between the named players"
FITTED = "fitted value model (log-odds of winning a war between pimc players)"
WARNING = (
    "Falling is a model with placeholder parameters (hazard), and the players are programs: pimc averages over the "
    "hidden hands as if both sides saw them, novices follow simple rules. Values of cards come from a regression on "
    "simulated wars; read them as how much they matter between such players, not as a law of the game."
)
_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "joker")
_PERCENT = ".1%"
COMPARED: Final = 8  # pairs of players in the table from which the sentences pick
_FIVE: Final = "AH TC 6C 9S X1"  # split as the worked hand


@dataclass(frozen=True)
class ReportData:
    """What the page is made of.

    Attributes:
        arms, heights: tables of the study `strategy`.
        values: table of the study `card-values`.
        scores: of the value model on wars it was not fitted on.
        rules: `rules_in_force`.
        seed: of the studies.
    """

    arms: pd.DataFrame
    heights: pd.DataFrame
    values: pd.DataFrame
    scores: pd.DataFrame
    rules: str
    seed: int

    def arm(self, name: str) -> dict[str, Any]:
        """A row of `arms`."""
        row = self.arms[self.arms["arm"] == name].iloc[0]
        return {str(key): value for key, value in row.items()}

    def kind(self, name: str) -> pd.DataFrame:
        """The rows of `values` of one kind."""
        return self.values[self.values["kind"] == name].reset_index(drop=True)

    def sampled(self, n: float, of: str, interval: str = "Wilson") -> Sampled:
        return Sampled(int(n), of, self.seed, interval)

    def caption(self, text: str, certainty: Sampled, model: str = SIMULATED, rules: str = "") -> Caption:
        return Caption(text, rules or self.rules, SIZE, model, certainty)


def build_page(data: ReportData, command: str) -> Page:
    """The whole report.

    Args:
        data: tables of the two studies and the model's scores.
        command: what makes the page again.
    """
    return Page(
        title="Tower War",
        question="How to split five cards and which pile to take; what cards, the first seat, steady hands are worth.",
        answer=_answer(data),
        warning=WARNING,
        sections=(
            Section("cards", "What cards are worth", (*_cards_words(data), cards_figure(data), pairs_table(data))),
            Section("draft", "How good is an even cut?", (_split_words(data), even_cut_figure(data))),
            Section("players", "Players, the lead and the advanced draft", (_players_words(data), players_table(data))),
            Section("skill", "Steady hands", (_skill_words(data), skill_figure(data))),
            Section("hazard", "How high towers grow", (_hazard_words(data), towers_figure(data), hazard_table(data))),
            Section("model", "How good the value model is", (_model_words(data), scores_table(data))),
        ),
        method=Section("method", "Method", _method(data)),
        command=command,
        checks=_checks(data),
        key_numbers=_key_numbers(data),
        sources={
            "studies": ["strategy", "card-values"],
            "seed": data.seed,
            "model": "solver/tower_war/data/tower_war.json",
        },
    )


# ------------------------------------------------------------------------------------------------------- in words


def _mt(value: float) -> str:
    return f"{value:+.0f} mt"


def _share(row: dict[str, Any], key: str = "won") -> str:
    return told(row, ".1%", key)


def _mean(data: ReportData, kind: str, name: str) -> float:
    values = data.kind(kind)
    return float(values[values["name"] == name]["mean"].iloc[0])


def _verdict(row: dict[str, Any], key: str, more: str, less: str, neither: str) -> str:
    """Words for a share that is above, below or not clearly off one half, of all arms that were played."""
    if not is_finding(row, key, null=0.5, of=COMPARED):
        return neither
    return more if row[key] > 0.5 else less


def _answer(data: ReportData) -> tuple[str | Markup, ...]:
    """The first screen: what to count, how to split, a worked five, what it costs."""
    split, cuts = data.arm("split"), data.kind("even cut")
    cut = _verdict(
        split, "won", "wins more", "wins less", "does not measurably win more"
    )  # fmt: skip
    tens = ", ".join(f"{_name(rank)} {_tens(data, rank)}" for rank in ("joker", "A", "K", "Q", "J", "T"))
    return (
        f"Count in tens of mt what a card adds to a deck: {tens}, a nine or eight nothing; low cards do not help a "
        "deck, and two of a suit help each other.",
        "Splitting five: make the two piles worth the same by that count, not by their number of cards, for the other "
        "takes the better one; a joker may well lie alone. Taking: take the pile that counts more.",
        _worked(data),
        f"What it costs to cut three to two, as even in points as can be, instead: {cuts['mean'].min():.0f} to "
        f"{cuts['mean'].max():.0f} mt a round by the model, over {len(cuts)} rounds; a player who splits by the model "
        f"{cut} in play, {_share(split)} of the wars on the same packs. What the count in tens loses against the model "
        "has not been measured.",
    )


def _name(rank: str) -> str:
    return {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}.get(rank, rank)


def _tens(data: ReportData, rank: str) -> int:
    return round(_mean(data, "card", rank) / 10)


def _worked(data: ReportData) -> Markup:
    """Five cards of a first round: the best division by the model, and the most even one of three to two."""
    answer = split_cards(_FIVE)
    best = answer.splits[0]
    even = min(
        (split for split in answer.splits if split.piles[0].bit_count() in (2, 3)),
        key=lambda split: abs(sum_points(split.piles[0]) - sum_points(split.piles[1])),
    )
    told = [Markup(" against ").join(cards_html(pile) for pile in split.piles) for split in (best, even)]
    return Markup("In the first round you split {}: {} leaves you {:.0f} mt more than {}.").format(
        cards_html(answer.cards), told[0], 1000 * (best.value - even.value), told[1]
    )


def _key_numbers(data: ReportData) -> tuple[KeyNumber, ...]:
    split, mirror = data.arm("split"), data.arm("novice")
    decks = int(data.kind("card")["n"].max())
    return (
        KeyNumber(
            f"{split['won']:.1%}", "of wars won by value splits against even cuts",
            data.sampled(split["observations"], "pairs of games on one pack", "paired Student"),
        ),
        KeyNumber(
            _mt(_mean(data, "card", "joker")), "a joker against an average card",
            data.sampled(decks, "random decks", "no"),
        ),
        KeyNumber(
            f"{mirror['player_one']:.1%}", "of novices' wars won by player one, who splits and leads first",
            data.sampled(mirror["observations"], "games"),
        ),
    )  # fmt: skip


def _cards_words(data: ReportData) -> tuple[str, ...]:
    pairs = data.kind("pair").set_index("name")["mean"]
    return (
        "Put one card into a random deck in place of an average one: this is by how much P(win the war) changes, in mt "
        "(thousandths). The model has one term for the points of a card and one for its rank, so the even steps from "
        "ten to ace are its form and not a finding.",
        f"Two cards of a suit help each other: by the fit two ten-pointers of a suit add "
        f"{_mt(pairs['two ten-pointers of a suit'])} to a deck beyond their single worths. Pairs of a rank, and of two "
        "suits, come out within a few mt of nothing, which the number of wars behind the fit does not support.",
    )


def _split_words(data: ReportData) -> str:
    cuts = data.kind("even cut")
    alone = data.kind("alone").iloc[0]
    split = data.arm("split")
    verdict = _verdict(split, "won", "It pays in play, too", "In play it loses", "In play the gain does not show")
    return (
        f"By the model an even cut (three cards to two, as even in points as can be) costs the splitter "
        f"{cuts['mean'].min():.0f} to {cuts['mean'].max():.0f} mt, depending on the round; the best cut leaves a card "
        f"alone in {alone['mean']:.0%} of the rounds ({alone['low']:.0%} to {alone['high']:.0%}). {verdict}: pimc "
        f"wins {_share(split)} against a pimc who always cuts evenly, on the same packs with seats swapped."
    )


def _players_words(data: ReportData) -> Points:
    novice, pimc, advanced = data.arm("novice"), data.arm("pimc"), data.arm("advanced pimc")
    basic_skill, advanced_skill = data.arm("pimc against novice"), data.arm("advanced pimc against novice")
    lead = _verdict(
        novice,
        "player_one",
        "Splitting and leading first helps",
        "Splitting and leading first hurts",
        "Splitting and leading first makes no measurable difference",
    )
    pimc_lead = _verdict(pimc, "player_one", "it helps", "it hurts", "no difference can be measured")
    return Points(
        (
            f"pimc beats novices in {_share(basic_skill)} and random play in "
            f"{_share(data.arm('pimc against random'))} of games.",
            f"{lead} between novices: player one wins {_share(novice, 'player_one')}. Between pimc players "
            f"{pimc_lead}: {_share(pimc, 'player_one')}. Player one does both, so the two are not told apart.",
            f"Between pimc players a war lasts {advanced['battles']:.1f} battles after the advanced draft and "
            f"{pimc['battles']:.1f} after the basic one; {advanced['falls']:.0%} and {pimc['falls']:.0%} end by a "
            "fall.",
            f"Against novices pimc wins {_share(advanced_skill)} of advanced games, {_share(basic_skill)} of basic.",
        )
    )


def _skill_words(data: ReportData) -> str:
    steady, clumsy, usual = data.arm("kappa 0.25"), data.arm("kappa 4"), data.arm("kappa 1")
    return (
        f"A player's hazard of making the tower fall has a factor (the option `kappa_one`). With player two at 1, a "
        f"player one at 0.25 wins {_share(steady, 'player_one')}, at 1 {_share(usual, 'player_one')}, at 4 "
        f"{_share(clumsy, 'player_one')}; wars last {steady['battles']:.1f}, {usual['battles']:.1f} and "
        f"{clumsy['battles']:.1f} battles."
    )


def _hazard_words(data: ReportData) -> str:
    none, usual, wild = data.arm("hazard 0"), data.arm("hazard 1"), data.arm("hazard 4")
    return (
        f"Without falls a war between novices lasts {none['battles']:.1f} battles and ends when somebody lacks a "
        f"pyramid. With the default hazard {usual['falls']:.0%} of the wars end by a fall and they last "
        f"{usual['battles']:.1f} battles; with four times the hazard {wild['falls']:.0%} and {wild['battles']:.1f}."
    )


def _model_words(data: ReportData) -> str:
    scores = data.scores.set_index("predictor")["log_loss"]
    decks, points = scores["decks and pyramids"], scores["sum of points (baseline)"]
    better = "better" if decks < points else "no better"
    return (
        f"On wars that it was not fitted on the model predicts the winner with a log loss of {decks:.4f}, {better} "
        f"than the sum of points ({points:.4f}) and than no knowledge ({scores['constant (baseline)']:.4f}). "
        "A calibration slope of 1 means that its percentages can be taken at their word; below 1 it is too sure. "
        "Early in the draft a pool says little: most of the final decks is still to come."
    )


def _method(data: ReportData) -> tuple[str, ...]:
    return (
        "Games are simulated whole: shuffle, ten rounds of draft, decks, and the war with falls drawn from the hazard "
        "model of the rules. Players swap seats every game. In the paired comparison each pack is dealt twice with the "
        "seats swapped, and a pair is one observation.",
        "pimc solves each battle against up to 32 of the hands that the opponent may hold, both hands open, for P(win "
        "the war); after the battle a table over levels, stashes and the leader goes on, made by backward induction "
        "from how often each outcome of a battle occurs. He guesses the opponent's deck from the public pool and "
        "corrects the guess by what he sees. In the advanced game he takes more than five pyramids of a size for five.",
        "The value of hands is a logistic regression of the winner on the difference of both decks' mean hand features "
        f"({int(data.scores['wars'].iloc[0] * 4):,} simulated wars, a quarter held out); the value of a pool in a "
        "round of the draft is a least-squares fit of the final decks' worths. The study value-model makes both again.",
        "mt = one thousandth of P(win the war), at even chances. Card and pair values are means over random decks; "
        "they have no intervals, because those of the decks would leave out the larger error, that of a fit on so "
        "many wars.",
        f"{FINDING} Of pairs of players there are {COMPARED}.",
    )


# ------------------------------------------------------------------------------------------------ figures, tables


def cards_figure(data: ReportData) -> Figure:
    """Bars: what each rank adds to a random deck."""
    cards = data.kind("card").set_index("name").loc[list(_RANKS)].reset_index()
    with drawing(7.2, 3.2) as (figure, axes):
        colours = [series(0) if mean >= 0 else series(1) for mean in cards["mean"]]
        bars = axes.bar(cards["name"], cards["mean"], color=colours, edgecolor=INK, linewidth=0.5)
        for bar, mean in zip(bars, cards["mean"], strict=True):
            bar.set_hatch(HATCHES[0] if mean >= 0 else HATCHES[1])
        axes.set(xlabel="rank", ylabel="worth, mt")
        axes.axhline(0, color=INK, linewidth=0.8)
    text = "What a card adds to P(win the war) in place of an average card, in a random deck of 15; suits averaged."
    return Figure(
        "card-values", "Worth of a card", figure,
        f"Bars rising from {_mt(cards['mean'].min())} for a two to {_mt(cards['mean'].max())} for a joker.",
        data.caption(text, data.sampled(cards["n"].max(), "random decks", "no"), FITTED),
        cards[["name", "mean"]],
        (Column("name", "card"), Column("mean", "worth, mt", "+.0f")),
    )  # fmt: skip


def pairs_table(data: ReportData) -> Table:
    """What two cards add beyond their single worths."""
    pairs = data.kind("pair").sort_values("mean", ascending=False, ignore_index=True)
    text = "What two cards in one deck add beyond the sum of what each adds alone."
    caption = data.caption(text, data.sampled(pairs["n"].max(), "random decks", "no"), FITTED)
    columns = (
        Column("name", "pair"),
        Column("mean", "worth together, mt", "+.0f"),
        Column("n", "decks", ","),
    )
    return Table(
        "pair-values", "Worth of a pair", pairs[["name", "mean", "n"]], caption, columns, sorted_by="mean",
        descending=True,
    )  # fmt: skip


def even_cut_figure(data: ReportData) -> Figure:
    """What the even cut costs, by round."""
    cuts = data.kind("even cut").copy()
    cuts["round"] = range(1, len(cuts) + 1)
    with drawing(7.2, 3.0) as (figure, axes):
        error = error_bars(cuts)
        axes.errorbar(cuts["round"], cuts["mean"], yerr=error, color=series(0), marker="o", capsize=3)
        axes.set(xlabel="round of the draft", ylabel="cost of the even cut, mt", ylim=(0, None))
    text = (
        "Value of the best split minus value of the split three to two that is most even in points, the taker choosing "
        "the better pile for himself; drafts in which both follow the model."
    )
    return Figure(
        "even-cut", "What an even cut costs", figure,
        f"A line between {cuts['mean'].min():.0f} and {cuts['mean'].max():.0f} mt over ten rounds.",
        data.caption(text, data.sampled(cuts["n"].max(), "drafts", "Student"), FITTED),
        cuts[["round", "mean", "low", "high"]],
        (Column("round", "round"), *interval_columns("mean", "cost, mt", "+.1f")),
    )  # fmt: skip


_PLAYER_ARMS = {
    "split": "pimc against even cuts", "pimc against novice": "pimc against novice",
    "pimc against random": "pimc against random", "novice against random": "novice against random",
    "pimc": "pimc against himself", "novice": "novice against himself",
    "advanced pimc": "advanced draft: pimc against himself",
    "advanced pimc against novice": "advanced draft: pimc against novice",
}  # fmt: skip


def players_table(data: ReportData) -> Table:
    """Every pair of players."""
    rows = data.arms[data.arms["arm"].isin(_PLAYER_ARMS)].copy()
    rows["arm"] = rows["arm"].map(_PLAYER_ARMS)
    text = "Share of games won by the player named first, and by player one (who leads first), whoever he is."
    certainty = data.sampled(rows["observations"].sum(), "games or pairs of games", "Wilson and (paired) Student")
    caption = data.caption(text, certainty, rules="default rules; advanced=true where said")
    return Table("player-pairs", "Players against each other", rows, caption, (Column("arm", "game"), *_ARM_COLUMNS))


def hazard_table(data: ReportData) -> Table:
    """Length and endings by hazard."""
    rows = data.arms[data.arms["arm"].str.contains("hazard")].copy()
    rows["times"] = rows["arm"].str.rsplit(" ").str[-1].astype(float)
    text = "All three alphas of the hazard model are multiplied by the factor; 0 is the pure card game."
    caption = data.caption(
        text,
        data.sampled(rows["observations"].sum(), "games", "Wilson and Student"),
        rules="default rules but for the alphas",
    )
    columns = (Column("players", "players"), Column("times", "hazard ×", "g"), *_ARM_COLUMNS[3:])
    return Table("hazards", "Hazard, length and endings", rows, caption, columns)


def skill_figure(data: ReportData) -> Figure:
    """Who wins and how long, by player one's kappa."""
    rows = data.arms[data.arms["arm"].str.startswith("kappa")].copy()
    rows["kappa"] = rows["arm"].str.removeprefix("kappa ").astype(float)
    with drawing(7.2, 3.2, ncols=2) as (figure, (left, right)):
        for axes, key, label in ((left, "player_one", "player one wins"), (right, "battles", "battles")):
            error = error_bars(rows, key)
            axes.errorbar(rows["kappa"], rows[key], yerr=error, color=series(0), marker="o", capsize=3)
            axes.set(xlabel="factor of player one's hazard", ylabel=label, xscale="log")
            axes.minorticks_off()
            axes.set_xticks(rows["kappa"], [f"{kappa:g}" for kappa in rows["kappa"]])
        left.axhline(0.5, color=INK, linewidth=0.8, linestyle=":")
    text = "Novices; player two's kappa is 1. Left: share of wars won by player one; right: battles of a war."
    return Figure(
        "unsteady-hands", "Unsteady hands", figure,
        f"Player one's share falls from {rows['player_one'].max():.0%} to {rows['player_one'].min():.0%} and wars get "
        "shorter as his kappa grows from a quarter to four.",
        data.caption(
            text, data.sampled(rows["observations"].sum(), "games", "Wilson and Student"),
            rules="default rules but for kappa_one",
        ),
        rows[["kappa", *(f"{key}{end}" for key in ("player_one", "battles") for end in ("", "_low", "_high"))]],
    )  # fmt: skip


_TOWERS = {"hazard 0": "no falls", "novice": "default hazard", "hazard 4": "hazard × 4"}


def towers_figure(data: ReportData) -> Figure:
    """Towers drawn: how often a war reaches each level."""
    rows = data.heights[data.heights["arm"].isin(_TOWERS)].copy()
    rows["tower"] = rows["arm"].map(_TOWERS)
    text = (
        "The share of wars between novices whose tower reaches a level (a level is a card; the base is level 1). "
        "Levels reached by fewer than one war in two hundred are not drawn."
    )
    arms = data.arms[data.arms["arm"].isin(_TOWERS)]
    return Figure(
        "towers", "How high towers grow", _towers_svg(rows), "Three towers of levels that get fainter with height; the "
        "one without falls is the tallest, the one with four times the hazard the shortest.",
        data.caption(
            text, data.sampled(arms["observations"].sum(), "games"), rules="default rules but for the alphas"
        ),
        rows[["tower", "level", "share"]],
        (Column("tower", "tower"), Column("level", "level"), Column("share", "reached in", ".2%")),
    )  # fmt: skip


def _towers_svg(rows: pd.DataFrame) -> str:
    """Cards and pyramids in a column a tower, with the share of wars beside each level."""
    drawn = rows[rows["share"] >= 0.005]
    step, width, base = 34, 235, 40 + 34 * int(drawn["level"].max())
    parts = []
    for column, name in enumerate(_TOWERS.values()):
        left = 20 + column * width
        parts.append(f'<text x="{left + 60}" y="{base + 22}" text-anchor="middle">{name}</text>')
        for level, share in drawn[drawn["tower"] == name][["level", "share"]].itertuples(index=False):
            y = base - step * (int(level) - 1)
            fade = f'opacity="{0.25 + 0.75 * share:.2f}"'
            parts.append(f'<rect x="{left}" y="{y - 5}" width="120" height="5" fill="var(--series-2)" {fade}/>')
            parts.append(f'<text x="{left + 130}" y="{y + 2}">{share:.0%}</text>')
            if level > 1:  # the pyramids that carry this card
                for place in range(3):
                    x = left + 12 + 36 * place
                    points = f"{x},{y + step - 5} {x + 24},{y + step - 5} {x + 12},{y}"
                    parts.append(f'<polygon points="{points}" fill="var(--series-1)" {fade}/>')
    size = f'viewBox="0 0 {20 + 3 * width} {base + 34}"'
    style = 'font-size="13" fill="currentColor"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><g {style}>{"".join(parts)}</g></svg>'


def scores_table(data: ReportData) -> Table:
    """The value model on wars it was not fitted on."""
    text = "Log loss and Brier score (lower is better), P(the winner is ranked higher), and the calibration slope."
    caption = Caption(
        text, data.rules + ", basic and advanced drafts in turn", SIZE, "simulated wars between pimc players",
        Sampled(int(data.scores["wars"].iloc[0]), "wars not fitted on", 1, "no"),
    )  # fmt: skip
    columns = (
        Column("predictor", "predictor"), Column("log_loss", "log loss", ".4f"), Column("brier", "Brier", ".4f"),
        Column("auc", "ranked right", ".3f"), Column("calibration_slope", "calibration slope", or_dash(".2f")),
        Column("r2_of_deck_difference", "R² of the decks' difference", or_dash(".2f")),
    )  # fmt: skip
    return Table("model-scores", "The value model on other wars", data.scores, caption, columns)


_ARM_COLUMNS = (
    *interval_columns("won", "first wins", _PERCENT),
    *interval_columns("player_one", "player one wins", _PERCENT),
    *interval_columns("battles", "battles", ".2f"),
    Column("falls", "end by a fall", _PERCENT), Column("observations", "games or pairs", ","),
)  # fmt: skip


def _checks(data: ReportData) -> tuple[Check, ...]:
    arms = data.arms
    inside = (arms["won_low"] <= arms["won"]) & (arms["won"] <= arms["won_high"])
    base = data.heights[data.heights["level"] == 1]["share"]
    falling = data.heights.groupby("arm")["share"].apply(lambda share: share.is_monotonic_decreasing)
    values = data.values
    means_inside = (values["low"] <= values["mean"]) & (values["mean"] <= values["high"])
    return (
        holds("every share lies in its interval", inside.all()),
        holds("every tower has a base, and no level is reached more often than the one below", (base == 1).all()),
        holds("higher levels are rarer", falling.all()),
        holds("nothing falls without hazard", data.arm("hazard 0")["falls"] == 0),
        holds("every mean lies in its interval", means_inside.all()),
        holds("a higher card is worth more, and eights and nines next to nothing", _rises(data)),
        holds("every round of the draft has its even cut", len(data.kind("even cut")) == ROUNDS),
        holds("the pairs of players are as many as said", arms["arm"].isin(_PLAYER_ARMS).sum() == COMPARED),
        holds("all ranks are valued", set(data.kind("card")["name"]) == set(_RANKS)),
    )  # fmt: skip


def _rises(data: ReportData) -> bool:
    """What the first screen's count takes for granted."""
    worth = data.kind("card").set_index("name")["mean"].loc[list(_RANKS)]
    return bool(worth.is_monotonic_increasing and abs(_tens(data, "8")) <= 1 and abs(_tens(data, "9")) <= 1)


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the two studies, once they have been run, and of the model that ships."""
    strategy, values = runs[STRATEGY.name].tables, runs[CARD_VALUES.name].tables
    scores = pd.DataFrame(shipped_model().made["scores"])
    rules = rules_in_force(TowerWarOptions())
    data = ReportData(strategy["arms"], strategy["heights"], values["values"], scores, rules, seed)
    return build_page(data, command)


REPORT: Final = Report("tower-war", build, (Part(STRATEGY), Part(CARD_VALUES)))
