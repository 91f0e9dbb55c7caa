"""The Tower War report as a page: figures, tables and the findings in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from analysis.report.cards import cards_html
from analysis.report.checks import Check, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import FINDING, error_bars, in_intervals, interval_columns, is_finding, told
from analysis.report.page import Caption, Column, Figure, KeyNumber, Page, Sampled, Section, Table
from analysis.report.palette import HATCHES, INK, series
from analysis.report.studies import Part, Report, Runs
from analysis.tower_war.card_values import CARD_VALUES, PAIRS, RANK_NAMES
from analysis.tower_war.drafting import split_cards
from analysis.tower_war.splitting import ALL_ROUNDS, SPLITTING, uneven
from analysis.tower_war.splitting import RULES as SPLIT_RULES
from analysis.tower_war.strategy import RULES, STRATEGY
from games.cards import JOKER_1
from games.tower_war.draft import ROUNDS
from sim.tower_war.players import TENS, count_in_tens, sum_worths
from solver.tower_war.model import shipped_model

SIZE = "2 players, decks of 15"
SIMULATED = "simulated play between the named players"
REGRESSION = "regression of the winner of simulated wars between pimc players"
MODELLED = "fitted value model (log-odds of winning a war between pimc players)"
WARNING = (
    "Falling is a model with placeholder parameters (hazard), and the players are programs: pimc averages over the "
    "hidden hands as if both sides saw them, novices follow simple rules. Values of cards come from a regression on "
    "simulated wars; read them as how much they matter between such players, not as a law of the game. mt: a "
    "thousandth of the chance to win the war."
)
_PERCENT = ".1%"
_FIVE: Final = "AH TC 6C 9S X1"  # split as the worked hand


@dataclass(frozen=True)
class ReportData:
    """What the page is made of.

    Attributes:
        arms, heights: tables of the study `strategy`.
        values: table of the study `card-values`.
        costs: table of the study `splitting`.
        rules: `rules_in_force`.
        seed: of the studies.
    """

    arms: pd.DataFrame
    heights: pd.DataFrame
    values: pd.DataFrame
    costs: pd.DataFrame
    rules: str
    seed: int

    def arm(self, name: str) -> dict[str, Any]:
        """A row of `arms`."""
        row = self.arms[self.arms["arm"] == name].iloc[0]
        return {str(key): value for key, value in row.items()}

    def kind(self, name: str) -> pd.DataFrame:
        """The rows of `values` of one kind."""
        return self.values[self.values["kind"] == name].reset_index(drop=True)

    def cost(self, rule: str) -> dict[str, Any]:
        """What a rule of splitting costs a round by the model, over all rounds, in mt."""
        rows = self.costs[(self.costs["rule"] == rule) & (self.costs["round"] == ALL_ROUNDS)]
        return {str(key): value for key, value in rows.iloc[0].items()}

    def lost(self, arm: str) -> dict[str, Any]:
        """What a rule loses against pimc, in mt a war: how far its share of wins is below one half."""
        row = self.arm(arm)
        mean, low, high = (1000 * (0.5 - row[key]) for key in ("won", "won_high", "won_low"))
        return {"arm": arm, "mean": mean, "low": low, "high": high, "n": row["observations"]}

    def sampled(self, n: float, of: str, interval: str = "Wilson") -> Sampled:
        return Sampled(int(n), of, self.seed, interval)

    def caption(self, finding: str, text: str, certainty: Sampled, model: str = SIMULATED, but: str = "") -> Caption:
        """`but` says which rules an arm changes besides."""
        return Caption(text, self.rules + (but and f" but for {but}"), SIZE, model, certainty, finding)


def build_page(data: ReportData, command: str) -> Page:
    """The whole report.

    Args:
        data: tables of the studies.
        command: what makes the page again.
    """
    return Page(
        title="Tower War",
        question="How to split five cards, build a deck and play a battle; what cards, seats, steady hands are worth.",
        answer=_answer(data),
        warning=WARNING,
        sections=(
            Section("rules", "What following a rule costs", (rules_figure(data),)),
            Section("cards", "What cards are worth", (cards_figure(data), pairs_figure(data))),
            Section("draft", "Splitting five cards", (split_figure(data),)),
            Section("players", "Players, the first seat and the advanced draft", (players_table(data),)),
            Section("skill", "Steady hands", (skill_figure(data),)),
            Section("hazard", "How high towers grow", (towers_figure(data), hazard_table(data))),
        ),
        method=Section("method", "Method", _method(data)),
        command=command,
        checks=_checks(data),
        key_numbers=_key_numbers(data),
        sources={
            "studies": [CARD_VALUES.name, SPLITTING.name, STRATEGY.name],
            "seed": data.seed,
            "model": "solver/tower_war/data/tower_war.json",
        },
    ).checked_in_tables()


# ------------------------------------------------------------------------------------------------------- in words


def _mt(value: float) -> str:
    return f"{value:+.0f} mt"


def _share(row: dict[str, Any], key: str = "won") -> str:
    return told(row, _PERCENT, key)


def _cost(row: Any) -> str:
    return f"{told(row, '.0f')} mt"


def _against(row: dict[str, Any]) -> str:
    """What a rule loses a war against pimc, or gains, in words."""
    turned = {"mean": -row["mean"], "low": -row["high"], "high": -row["low"]}
    return f"loses {_cost(row)}" if row["mean"] >= 0 else f"gains {_cost(turned)}"


def _verdict(row: dict[str, Any], key: str, more: str, less: str, neither: str) -> str:
    """Words for a share that is above, below or not clearly off one half, of all pairs of players in the table."""
    if not is_finding(row, key, null=0.5, of=len(_PLAYER_ARMS)):
        return neither
    return more if row[key] > 0.5 else less


def _card(name: str) -> str:
    return {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}.get(name, name)


def _tens(name: str) -> int:
    """The count of the table card, which the players that follow it use."""
    return int(count_in_tens(JOKER_1 if name == "joker" else RANK_NAMES.index(name)))


def _answer(data: ReportData) -> tuple[str | Markup, ...]:
    """The first screen: what to count, how to split, a worked five, how to play a battle, what it costs."""
    counts = ", ".join(f"{_card(name)} {_tens(name)}" for name in reversed(RANK_NAMES) if _tens(name))
    lead, other = sorted(("high", "low"), key=lambda way: float(data.lost(f"{way} lead")["mean"]))
    return (
        f"Draft. Count {counts}, all others nothing. Split five cards into piles of equal count, whatever their number "
        f"of cards; take the pile that counts more; build the deck of the fifteen that count most. By the model the "
        f"split costs {_cost(data.cost('even by the count in tens'))} a round, the even cut of the points "
        f"{_cost(data.cost('even in points'))}; in play the draft by count {_against(data.lost('tens draft'))} a "
        f"war against pimc, who drafts by the model; the even cut {_against(data.lost('even split'))}.",
        _worked(),
        f"Battle. Lead {lead}, answer with the lowest card that wins or else your lowest: that "
        f"{_against(data.lost(f'{lead} lead'))} a war against working every battle out; leading {other} "
        f"{_against(data.lost(f'{other} lead'))}.",
        f"Stacking. Who loses a battle lays one of the three cards on the level: the lowest one, which "
        f"{_against(data.lost('low cap'))} a war against the one that the deck misses least.",
        f"All of it together {_against(data.lost('card'))} a war against pimc.",
    )


def _worked() -> Markup:
    """Five cards of a first round, split by the count, and what that costs by the model."""
    answer = split_cards(_FIVE)
    best, chosen = answer.splits[0], min(answer.splits, key=lambda split: uneven(TENS, split.piles))
    piles = [Markup(" against ").join(cards_html(pile) for pile in split.piles) for split in (chosen, best)]
    counts = " against ".join(f"{sum_worths(TENS, pile):.0f}" for pile in chosen.piles)
    rest = (
        Markup("the model splits it so too.")
        if chosen.piles == best.piles
        else Markup("the model would split {}, worth {:.0f} mt more to you.").format(
            piles[1], 1000 * (best.value - chosen.value)
        )
    )
    return Markup("In the first round you split {}: {}, count {}; {}").format(
        cards_html(answer.cards), piles[0], counts, rest
    )


def _key_numbers(data: ReportData) -> tuple[KeyNumber, ...]:
    card, values = data.arm("card"), data.kind("card").set_index("name")
    mirror = data.arm("novice")
    return (
        KeyNumber(
            _share(card), "of wars won by the whole table card against pimc",
            data.sampled(card["observations"], "pairs of games on one pack", "paired Student"),
        ),
        KeyNumber(
            f"{told(dict(values.loc['joker']), '+.0f')} mt", "a joker in the deck instead of an average card",
            data.sampled(values["n"].max(), "wars", "bootstrap"),
        ),
        KeyNumber(
            _share(mirror, "player_one"), "of novices' wars won by player one, who splits and leads first",
            data.sampled(mirror["observations"], "games"),
        ),
    )  # fmt: skip


def _found(rows: pd.DataFrame) -> list[dict[Any, Any]]:
    """Those that count as findings, picked from all of them."""
    return [row for row in rows.to_dict("records") if is_finding(row, of=len(rows))]


def _cards_words(data: ReportData) -> str:
    steps = data.kind("step").tail(6).reset_index(drop=True)  # from nine upwards
    clear = _found(steps)
    words = ", ".join(f"{row['name'].replace('T', 'ten')} {told(row, '+.0f')}" for row in clear)
    return f"Of the {len(steps)} steps from nine to joker {len(clear)} are clear, in mt: {words}."


def _pairs_words(data: ReportData) -> str:
    pairs = data.kind("pair")
    clear = _found(pairs)
    words = "; ".join(f"{row['name']} {told(row, '+.0f')} mt" for row in clear)
    return (
        f"Of {len(pairs)} kinds of pairs {len(clear)} are clearly worth more or less than their cards singly: {words}."
    )


def _split_words(data: ReportData) -> str:
    shape, points = data.cost("three to two, the best of them by the model"), data.cost("even in points")
    alone = data.cost("alone")
    return (
        f"Never leaving a card alone costs {_cost(shape)} a round, going by points {_cost(points)}: what is counted "
        f"matters, not the shape. The best split leaves a card alone in {alone['mean']:.0%} of the rounds."
    )


def _rules_words(data: ReportData) -> str:
    rows = [data.lost(name) for name in RULES]
    worst = max(rows, key=lambda row: float(row["mean"]))
    clear = [row for row in rows if is_finding(row, of=len(rows))]
    gains = [f"“{RULES[row['arm']].help}” {_against(row)}" for row in clear if row["mean"] < 0]
    unclear = [RULES[row["arm"]].help for row in rows if row not in clear]
    rest = [*gains, *([f"no clear effect: {'; '.join(unclear)}"] if unclear else [])]
    words = [f"Of {len(rows)} rules “{RULES[worst['arm']].help}” does worst: it {_against(worst)} a war", *rest]
    return "; ".join(words) + "."


def _players_words(data: ReportData) -> str:
    novice, pimc, advanced = data.arm("novice"), data.arm("pimc"), data.arm("advanced pimc")
    lead = _verdict(novice, "player_one", "helps", "hurts", "makes no measurable difference")
    pimc_lead = _verdict(pimc, "player_one", "it helps", "it hurts", "no difference can be measured")
    return (
        f"Splitting and leading first, which player one does both, {lead} between novices: it wins "
        f"{_share(novice, 'player_one')}; between pimc players {pimc_lead}: {_share(pimc, 'player_one')}. After the "
        f"advanced draft their wars last {advanced['battles']:.1f} battles instead of {pimc['battles']:.1f}."
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


def _method(data: ReportData) -> tuple[str, ...]:
    wars = int(data.kind("card")["n"].max())
    return (
        "Games are simulated whole: shuffle, ten rounds of draft, decks, and the war with falls drawn from the hazard "
        "model of the rules. Players swap seats every game. In the paired comparison each pack is dealt twice with the "
        "seats swapped, and a pair is one observation.",
        "pimc solves each battle against up to 32 of the hands that the opponent may hold, both hands open, for P(win "
        "the war); after the battle a table over levels, stashes and the leader goes on, made by backward induction "
        "from how often each outcome of a battle occurs. It guesses the opponent's deck from the public pool and "
        "corrects the guess by what it sees. In the advanced game it takes more than five pyramids of a size for five.",
        "The value of hands is a logistic regression of the winner on the difference of both decks' mean hand features "
        f"({shipped_model().made['wars']:,} simulated wars, a quarter held out); the value of a pool in a "
        "round of the draft is a least-squares fit of the final decks' worths. The study value-model makes both again.",
        f"What cards are worth is a logistic regression of the winner of {wars:,} wars on how many cards of each rank "
        "both decks hold, one free term a rank; pairs have a term a kind beside the ranks. Intervals reach 1.96 "
        "standard errors of fits to whole wars drawn again with replacement. A rule of splitting is scored by the "
        "value model on drafts that it was not fitted on, and in play by letting pimc follow it against pimc.",
        "mt = one thousandth of P(win the war), at even chances.",
        f"{FINDING} Comparisons: {len(RULES)} rules, {len(PAIRS)} kinds of pairs, steps between ranks as said, "
        f"{len(_PLAYER_ARMS)} pairs of players.",
    )


# ------------------------------------------------------------------------------------------------ figures, tables


def rules_figure(data: ReportData) -> Figure:
    """Bars: what each rule of the card loses against pimc, and what the whole card does."""
    rows = pd.DataFrame([{"rule": player.help, **data.lost(name)} for name, player in RULES.items()])
    rows = rows.sort_values("mean", ignore_index=True)
    with drawing(7.2, 0.8 + 0.34 * len(rows)) as (figure, axes):
        axes.barh(rows["rule"], rows["mean"], xerr=error_bars(rows), capsize=3, color=series(0), height=0.6)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set(xlabel="lost against pimc, mt a war")
        axes.grid(axis="y", visible=False)
    text = (
        "pimc with one part of the game played by the rule, the last but for what else is said the whole card, against "
        "pimc: how far it stays below half of the wars, on the same packs with the seats swapped."
    )
    return Figure(
        "rules-in-play", "What a rule loses in play", figure,
        f"Bars from {rows['mean'].min():.0f} to {rows['mean'].max():.0f} mt.",
        data.caption(
            _rules_words(data), text, data.sampled(rows["n"].min(), "pairs of games a rule at least", "paired Student")
        ),
        rows[["rule", "mean", "low", "high", "n"]],
        (Column("rule", "the player"), *interval_columns("mean", "lost, mt a war", ".0f"), Column("n", "pairs", ",")),
    )  # fmt: skip


def cards_figure(data: ReportData) -> Figure:
    """Bars: what each rank adds to a deck."""
    cards = data.kind("card")
    with drawing(7.2, 3.2) as (figure, axes):
        colours = [series(0) if mean >= 0 else series(1) for mean in cards["mean"]]
        hatches = [HATCHES[0] if mean >= 0 else HATCHES[1] for mean in cards["mean"]]
        names = cards["name"].replace("T", "10")
        axes.bar(names, cards["mean"], yerr=error_bars(cards), capsize=3, color=colours, hatch=hatches, edgecolor=INK,
                 linewidth=0.5)  # fmt: skip
        axes.set(xlabel="rank", ylabel="worth, mt")
        axes.axhline(0, color=INK, linewidth=0.8)
    text = "What a card in the deck adds to P(win the war) in place of an average card of the pack; suits averaged."
    return Figure(
        "card-values", "Worth of a card", figure,
        f"Bars rising from {_mt(cards['mean'].min())} for the lowest to {_mt(cards['mean'].max())} for a joker.",
        data.caption(_cards_words(data), text, data.sampled(cards["n"].max(), "wars", "bootstrap"), REGRESSION),
        pd.concat([cards, data.kind("step")], ignore_index=True)[["name", "mean", "low", "high"]],
        (Column("name", "card, or step"), *interval_columns("mean", "worth, mt", "+.0f")),
    )  # fmt: skip


def pairs_figure(data: ReportData) -> Figure:
    """Bars: what two cards add beyond their single worths."""
    pairs = data.kind("pair").sort_values("mean", ignore_index=True)
    with drawing(7.2, 0.8 + 0.34 * len(pairs)) as (figure, axes):
        axes.barh(pairs["name"], pairs["mean"], xerr=error_bars(pairs), capsize=3, color=series(0), height=0.6)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set(xlabel="worth together, mt")
        axes.grid(axis="y", visible=False)
    text = "What two cards in one deck add beyond the sum of what each adds alone."
    return Figure(
        "pair-values", "Worth of a pair", figure,
        f"Bars from {_mt(pairs['mean'].min())} to {_mt(pairs['mean'].max())}, with intervals.",
        data.caption(_pairs_words(data), text, data.sampled(pairs["n"].max(), "wars", "bootstrap"), REGRESSION),
        pairs[["name", "mean", "low", "high"]],
        (Column("name", "pair"), *interval_columns("mean", "worth together, mt", "+.0f")),
    )  # fmt: skip


def split_figure(data: ReportData) -> Figure:
    """What rules of splitting cost, by round."""
    rounds = data.costs[(data.costs["round"] != ALL_ROUNDS) & data.costs["rule"].isin(SPLIT_RULES)]
    with drawing(7.2, 3.6) as (figure, axes):
        for number, name in enumerate(SPLIT_RULES):
            rows = rounds[rounds["rule"] == name]
            places = rows["round"].astype(int) + 0.08 * (number - 1.5)
            axes.errorbar(
                places, rows["mean"], yerr=error_bars(rows), color=series(number), marker="osD^"[number], capsize=2,
                linewidth=1.4, label=name,
            )  # fmt: skip
        axes.set(xlabel="round of the draft", ylabel="cost, mt", ylim=(0, None), xticks=range(1, ROUNDS + 1))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    text = (
        "Value of the best split minus value of the one that the rule chooses, the taker choosing the better "
        "pile; drafts in which both follow the model."
    )
    every = data.costs[data.costs["rule"].isin(SPLIT_RULES)]
    return Figure(
        "splitting", "What rules of splitting cost", figure,
        "Four lines over ten rounds; the rule of three to two by the model lies lowest.",
        data.caption(_split_words(data), text, data.sampled(every["n"].max(), "drafts", "Student"), MODELLED),
        every[["rule", "round", "mean", "low", "high"]],
        (Column("rule", "rule"), Column("round", "round"), *interval_columns("mean", "cost, mt", ".1f")),
    )  # fmt: skip


_PLAYER_ARMS = {
    "pimc against novice": "pimc against novice",
    "pimc against random": "pimc against random", "novice against random": "novice against random",
    "pimc": "pimc against itself", "novice": "novice against itself",
    "advanced pimc": "advanced draft: pimc against itself",
    "advanced pimc against novice": "advanced draft: pimc against novice",
}  # fmt: skip


def players_table(data: ReportData) -> Table:
    """Every pair of players."""
    rows = data.arms[data.arms["arm"].isin(_PLAYER_ARMS)].copy()
    rows["arm"] = rows["arm"].map(_PLAYER_ARMS)
    text = "Share of games won by the player named first, and by player one (who leads first), whoever that is."
    certainty = data.sampled(rows["observations"].sum(), "games", "Wilson")
    caption = data.caption(_players_words(data), text, certainty, but="advanced=true where said")
    return Table("player-pairs", "Players against each other", rows, caption, (Column("arm", "game"), *_ARM_COLUMNS))


def hazard_table(data: ReportData) -> Table:
    """Length and endings by hazard."""
    rows = data.arms[data.arms["arm"].str.contains("hazard")].copy()
    rows["times"] = rows["arm"].str.rsplit(" ").str[-1].astype(float)
    text = "All three alphas of the hazard model are multiplied by the factor; 0 is the pure card game."
    certainty = data.sampled(rows["observations"].sum(), "games", "Wilson and Student")
    caption = data.caption("", text, certainty, but="the alphas")
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
        "shorter as that player's kappa grows from a quarter to four.",
        data.caption(
            _skill_words(data), text, data.sampled(rows["observations"].sum(), "games", "Wilson and Student"),
            but="kappa_one",
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
        data.caption(_hazard_words(data), text, data.sampled(arms["observations"].sum(), "games"), but="the alphas"),
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


_ARM_COLUMNS = (
    *interval_columns("won", "first wins", _PERCENT),
    *interval_columns("player_one", "player one wins", _PERCENT),
    *interval_columns("battles", "battles", ".2f"),
    Column("falls", "end by a fall", _PERCENT), Column("observations", "games", ","),
)  # fmt: skip


def _checks(data: ReportData) -> tuple[Check, ...]:
    arms = data.arms
    base = data.heights[data.heights["level"] == 1]["share"]
    falling = data.heights.groupby("arm")["share"].apply(lambda share: share.is_monotonic_decreasing)
    costs = data.costs[data.costs["rule"].isin(SPLIT_RULES)]
    cards = data.kind("card").set_index("name")
    wide = float((cards["high"] - cards["low"]).max())
    off = max(abs(10 * _tens(name) - float(cards.loc[name, "mean"])) for name in RANK_NAMES if _tens(name))
    gains = [float(data.cost(rule)["mean"]) for rule in SPLIT_RULES]
    return (
        in_intervals("every share lies in its interval", arms, key="won"),
        holds("every tower has a base, and no level is reached more often than the one below", (base == 1).all()),
        holds("higher levels are rarer", falling.all()),
        holds("nothing falls without hazard", data.arm("hazard 0")["falls"] == 0),
        in_intervals("every mean lies in its interval", data.values),
        holds("the count in tens is the fit's, rounded, within an interval's width", off <= 5 + wide, f"{off:.1f} mt"),
        holds("no rule of splitting beats the model's own split", (costs["mean"] >= -1e-9).all()),
        holds("the count in tens costs less a round than points do", gains[0] < gains[1]),
        holds("every round of the draft has its costs", len(costs) == (ROUNDS + 1) * len(SPLIT_RULES)),
        holds("the pairs of players are as many as said", arms["arm"].isin(_PLAYER_ARMS).sum() == len(_PLAYER_ARMS)),
        holds("all ranks are valued", tuple(cards.index) == RANK_NAMES),
    )  # fmt: skip


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    tables = {name: table for run in runs.values() for name, table in run.tables.items()}
    rules = runs[STRATEGY.name].rules
    data = ReportData(tables["arms"], tables["heights"], tables["values"], tables["costs"], rules, seed)
    return build_page(data, command)


REPORT: Final = Report("tower-war", build, (Part(CARD_VALUES), Part(SPLITTING), Part(STRATEGY, {"scale": 0.5})))
