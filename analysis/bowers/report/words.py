"""The Bowers report in words: every number comes from the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.bowers.bidding_accuracy import ALL, CARD_RULE
from analysis.bowers.report.data import LEADING, ReportData
from analysis.report.intervals import FINDING, told
from analysis.report.page import KeyNumber, Points, Sampled
from analysis.stats import wilson


def _share(row: Mapping[Any, Any], key: str = "mean") -> str:
    return told(row, ".1%", key)


def _mean(row: Mapping[Any, Any], key: str = "mean") -> str:
    return told(row, ".2f", key)


def key_numbers(data: ReportData) -> tuple[KeyNumber, ...]:
    kitty = data.row("kitty", trump="best suit", what="kitty")
    random = data.row("misere-success", joker="none", leader="the bidder")
    card = data.row("rules", kind=ALL, rule=CARD_RULE)
    return (
        KeyNumber(
            f"{card['cost']:.2f}", "points a deal: what following the card costs",
            Sampled(int(card["decisions"]), "first calls", data.seed, "Student"),
        ),
        KeyNumber(
            f"{kitty['mean']:+.2f}", "tricks from the kitty in the best suit",
            Sampled(data.hands, "hands", data.seed, "Student"),
        ),
        KeyNumber(
            f"{random['mean']:.1%}", "of random misères succeed",
            Sampled(int(random["n"]), "hands", data.seed, "Student"),
        ),
    )  # fmt: skip


def hands_words(data: ReportData) -> Points:
    """The six most frequent holdings."""
    frame = data.tables["holdings"]
    usual = frame.sort_values("n", ascending=False).head(6).sort_values("tricks", ascending=False)
    bowers = ("no bower", "one bower", "both bowers")
    return Points(
        tuple(
            f"{str(row['trumps']).capitalize()} trumps with {bowers[row['bowers']]}: {row['tricks']:.2f} tricks "
            f"({row['tricks_low']:.2f} to {row['tricks_high']:.2f}); 5 are made with {row['made_5']:.0%}, 6 with "
            f"{row['made_6']:.0%}, 7 with {row['made_7']:.0%} of layouts ({row['n']} hands)."
            for row in usual.to_dict("records")
        )
    )


def needs_words(data: ReportData) -> Points:
    """What each level needs."""
    rows = [data.row("levels", level=level) for level in (5, 6, 7, 8)]
    return Points(
        (
            *(
                f"A bid of {row['level']} breaks even, at as many points as the mean of the others, when it is made "
                f"{row['needed']:.0%} of the time: when it fails each opponent gets {row['lost']:.1f}."
                for row in rows
                if row["needed"] == row["needed"]
            ),
            "Somebody who would else defend needs less than that: what passing is worth stands above.",
        )
    )


def kitty_words(data: ReportData) -> Points:
    suit, plain = (data.row("kitty", trump=trump, what="kitty") for trump in ("best suit", "no trump"))
    helps, costs = (
        data.row("kitty", trump="best suit", what=what)
        for what in ("kitty gains a trick or more", "kitty costs a trick")
    )
    lead, plain_lead = (data.row("kitty", trump=trump, what="leading first") for trump in ("best suit", "no trump"))
    quick, short, low = (
        data.row("burying", trump="best suit", way=way)
        for way in ("quick guess alone", "shortest side suit", "lowest side cards")
    )
    return Points(
        (
            f"Taking the kitty and burying two adds {_mean(suit)} tricks in the best suit and {_mean(plain)} at no "
            f"trump; in the suit it gains at least a trick in {helps['mean']:.0%} of layouts and costs one in "
            f"{costs['mean']:.1%}.",
            f"Burying the shortest side suit, low cards first and aces kept, costs {_mean(short, 'loss')} tricks "
            f"against trying every bury on eight layouts; the lowest side cards cost {_mean(low, 'loss')}; the quick "
            f"guess that “towerlab bid” starts from costs {_mean(quick, 'loss')}.",
            f"Leading first is worth {_mean(lead)} tricks in the best suit and {_mean(plain_lead)} at no trump: that "
            "is what first_lead=left_of_dealer takes from a bidder whose left-hand opponent leads.",
        )
    )


def misere_words(data: ReportData) -> Points:
    success = {who: data.row("misere-success", joker="none", leader=who) for who in LEADING}
    usual = data.row("misere-values", joker="none", leader="the bidder", value=10)
    left = data.row("misere-values", joker="none", leader="the player on the left", value=10)
    dear = data.row("misere-values", joker="none", leader="the bidder", value=25)
    lost = 10 * (2 * usual["needed"] - 1) / (1 - usual["needed"])  # of needed = (V + lost) / (2 V + lost) at V = 10
    joker = data.row("misere-success", joker="add", leader="the bidder")
    return Points(
        (
            f"A random hand survives a misère in {_share(success['the bidder'])} of layouts when the bidder leads, in "
            f"{_share(success['the player on the left'])} when the player on the left does, in "
            f"{_share(success['the player on the right'])} when the one on his right does.",
            f"At 10 points misère breaks even at a success of {usual['needed']:.0%}, because a failure costs the 10 "
            "and "
            f"gives each opponent about {lost:.1f}. {_share(usual, 'share')} of hands promise more and make it with "
            f"{usual['made']:.0%} of fresh layouts; when the player on the left leads it is {_share(left, 'share')}.",
            f"Rare it stays at any value: at 25 points it is {_share(dear, 'share')} of hands. At 0, the sheet read "
            "literally, misère can only lose.",
            f"With a joker added to the pack a random misère survives {_share(joker)} of layouts.",
        )
    )


def rungs_words(data: ReportData) -> Points:
    """Which rungs the players reach."""
    frame = data.tables["rungs"]
    sentences = []
    for lineup, part in frame.groupby("lineup", sort=False):
        deals = int(part["deals"].iloc[0])
        bids = part[part["won"] > 0]
        played = bids[bids["made"].notna()]
        top = bids.sort_values("share").to_dict("records")[-1]
        made, won = round((played["made"] * played["won"]).sum()), int(played["won"].sum())
        low, high = wilson(made, won)
        thrown_in = float(part[part["rung"] == "thrown in"]["share"].sum())
        sentences.append(
            f"Between three {lineup} players ({deals:,} deals) the rung that wins most often is {top['rung']}, "
            f"{_share(top, 'share')}; {_reaching(part, 6):.0%} of auctions end at 6 or higher, "
            f"{_reaching(part, 7):.0%} at 7 or higher, {thrown_in:.1%} are "
            f"thrown in. The bid that wins is made {made / max(1, won):.0%} of the time ({low:.0%} to {high:.0%})."
        )
    return Points(tuple(sentences))


def _reaching(part: Any, level: int) -> float:
    """Share of auctions that end at a bid of so many tricks, or higher; misère counts as a 6."""
    levels = part["rung"].str.extract(r"^(\d+)")[0].astype(float)
    high = (levels >= level) | ((part["rung"] == "misère") & (level <= 6))
    return float(part[high]["share"].sum())


def joker_words(data: ReportData) -> str:
    """Tricks by pack."""

    def of(what: str) -> str:
        means = [f"{data.row('jokers', joker=joker, what=what)['mean']:.2f}" for joker in ("none", "replace_7c", "add")]
        return "{}, {} and {}".format(*means)

    return (
        "Without a joker, with one in place of the 7♣ and with one as a 33rd card (three in the kitty) the bidder "
        f"takes {of('tricks in the best suit')} tricks in the best suit, {of('tricks at no trump')} at no trump. The "
        "samples with a joker are small: compare the intervals."
    )


def method(data: ReportData) -> tuple[str, ...]:
    return (
        f"{data.hands:,} random hands, {data.summary['kitties_a_hand']} kitties each. For each kitty the other cards "
        "are dealt at random; in the two suits that a quick guess likes best and at no trump a bury is chosen by its "
        "tricks on four layouts (the four best buries of the guess are tried) and judged on two fresh ones, solved "
        "double-dummy for three hands. Nothing is judged on layouts that helped to choose it: bids are picked on all "
        "kitties of a hand but one and judged on that one.",
        f"Bidding accuracy: a player's first call in a deal, those before having called as novices, "
        f"{data.summary['scored']:,} decisions scored and {data.summary['fitted']:,} to fit on, "
        f"{data.summary['layouts']} layouts each, drawn so that novices would have made the calls made so far. After "
        "each legal call the others go on as novices on their sampled hands and the player passes; the contract is "
        "then solved double-dummy, buried by habit. A deal thrown in is worth nothing, a pass what follows it.",
        f"Misère: {int(data.summary['misere_hands']):,} random hands with all packs, twelve layouts each; those that "
        "survive three of them are judged on 48 fresh ones. A failed misère is counted with the fewest tricks the "
        "bidder can be held to.",
        "Auctions: single deals between three of the same player, who then play the cards as they play; nobody sees "
        "through them. What these players are is told by “towerlab players bowers”.",
        "A hand is one observation: its kitties, layouts and trumps hang together. Intervals of the count come from "
        "200 resamplings of the hands.",
        FINDING,
    )
