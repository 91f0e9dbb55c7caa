"""How far the numbers of `towerlab upcard` are from what `pimc` against `pimc` makes of the same cards.

`upcard` lets both sides see all cards once the bidding decision is taken. Here `pimc` bids and plays both hands,
seeing only what a player sees, and four numbers are compared for the bidder of each contract:

- *predicted*: what `upcard` told him before he bid, over every hand the other could hold;
- *seen*: the contract with the actual hands, all cards seen, the discard of a dealer who has not bid included;
- *open*: the same with the discard that the dealer made without seeing the other hand (the tablebase);
- *played*: what he made.

Seen less predicted is what the bidding gave away: who bids, and what the other did not bid, say something about the
hands. Open less seen is the blind discard: when the non-dealer accepts, the model lets the dealer discard with all
cards seen, and no dealer can. (A dealer who accepts discards one card for all layouts in the model, too.) At odd n
pimc's non-dealer accepts every hand, so that nothing is selected, and the blind discard is all there is. Played less
open is what hidden cards cost or give in the play. All values are P(the bidder wins the tower), with W(n - 1) of the
model for the next deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats import Estimate, mean_interval
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from analysis.towers_and_bowers.upcard.answers import ContractValue
from analysis.towers_and_bowers.upcard.open_cards import evaluate_upcard
from games.cards import SUITS, mask_cards
from games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from games.towers_and_bowers.rules import tricks_to_deal_next
from sim.towers_and_bowers.hand import DEALER, NONDEALER, PlayedHand, deal_hand, new_record, play_hand, read_record
from sim.towers_and_bowers.knowledge import make_mind, rules_of
from sim.towers_and_bowers.match import generators
from sim.towers_and_bowers.players import PIMC
from solver.two_hands.tablebase import load_tables, printed_tricks

# Every trick is played: a hand that stops early would not tell how many its bidder took.
OPTIONS: Final = TowersAndBowersOptions(early_stop=False)
CONTRACTS: Final = ("nondealer accepts", "dealer accepts", "nondealer names", "dealer names")
ENOUGH_HANDS: Final = 20  # for a contract to have an interval and to be named in the finding
DIFFERENCES: Final = {
    "bidding": ("seen", "predicted"),
    "discard": ("open", "seen"),
    "play": ("played", "open"),
    "gap": ("played", "predicted"),
}
VALUES: Final = ("predicted", "seen", "open", "played")


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a hand."""
    deals, choices = generators(seed)
    mind, rules = make_mind(OPTIONS, believed_deal_values(OPTIONS)), rules_of(OPTIONS)
    record, rows = new_record(), []
    for cards in range(1, LARGEST_HAND + 1):
        for _ in range(parameters["hands"]):
            first, second, up = deal_hand(cards, deals)
            play_hand((PIMC, PIMC), (first, second), up, rules, mind, choices, record)
            rows.append(_row((first, second), up, read_record(record)))
    return pd.DataFrame(rows)


def _row(hands: tuple[int, int], up: int, played: PlayedHand) -> dict[str, Any]:
    """The four values of the contract, and what the dealer made of the hand."""
    assert played.bidder is not None and played.trump is not None
    cards = hands[NONDEALER].bit_count()
    worth = make_mind(OPTIONS, believed_deal_values(OPTIONS)).payoffs[cards, 1]
    predicted = _predicted(hands[played.bidder], up, played)
    open_tricks, seen_tricks = (_open_tricks(hands, up, played, seeing) for seeing in (False, True))
    tricks = played.taken[played.bidder]
    needed = int(tricks_to_deal_next(cards, OPTIONS.tie_to_bidder))
    return {
        "cards": cards,
        "contract": CONTRACTS[len(played.calls) - 1],
        "predicted": predicted.tower,
        "seen": float(worth[seen_tricks]),
        "open": float(worth[open_tricks]),
        "played": float(worth[tricks]),
        "make_predicted": predicted.make,
        "make_open": float(open_tricks >= needed),
        "make_played": float(tricks >= needed),
        "dealer": float(worth[tricks] if played.bidder == DEALER else 1 - worth[tricks]),
    }


def _predicted(hand: int, up: int, played: PlayedHand) -> ContractValue:
    """What `upcard` told the bidder of his contract."""
    second_round = len(played.calls) > 2
    answer = evaluate_upcard(hand, up, played.bidder == DEALER, second_round, OPTIONS)
    value = answer.actions[SUITS[played.trump or 0] if second_round else "accept"]
    assert isinstance(value, ContractValue)
    return value


def _open_tricks(hands: tuple[int, int], up: int, played: PlayedHand, seeing: bool = False) -> int:
    """The bidder's tricks with the hands as they were, all cards seen from the first lead.

    Args:
        seeing: a dealer who has not bid discards what is best against this very hand, instead of what he did.
    """
    assert played.trump is not None
    dealer, kept = hands[DEALER], [hands[DEALER]]
    if played.discard is not None:
        blind = not seeing or played.bidder == DEALER
        given = [played.discard] if blind else mask_cards(dealer)
        kept = [(dealer | 1 << up) & ~(1 << card) for card in given]
    found = [int(printed_tricks(load_tables(), hands[NONDEALER], each, played.trump)) for each in kept]
    nondealer_tricks = min(found)
    return nondealer_tricks if played.bidder == NONDEALER else dealer.bit_count() - nondealer_tricks


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``contracts`` (by hand size and contract) and ``deals`` (W(n) against what the dealer made)."""
    hands = pd.concat(tables, ignore_index=True)
    contracts = pd.DataFrame([_contract_row(rows) for _, rows in hands.groupby(["cards", "contract"])])
    deals = pd.DataFrame([_deal_row(rows) for _, rows in hands.groupby("cards")])
    return StudyResult({"contracts": contracts, "deals": deals}, _summary(hands, contracts, deals))


def _contract_row(rows: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {**rows[["cards", "contract"]].iloc[0], "hands": len(rows)}
    for name in (*VALUES, "make_predicted", "make_open", "make_played"):
        row[name] = rows[name].mean()
    for name, (minuend, subtrahend) in DIFFERENCES.items():
        difference = mean_interval(rows[minuend] - rows[subtrahend])
        sure = difference.n >= ENOUGH_HANDS and difference.width > 0  # else the sample says nothing of its own spread
        row |= difference.if_sure(sure).row(name)
    return row


def _deal_row(rows: pd.DataFrame) -> dict[str, Any]:
    cards = int(rows["cards"].iloc[0])
    made = mean_interval(rows["dealer"])
    model = believed_deal_values(OPTIONS)[cards]
    return {"cards": cards, "hands": made.n, "model": model, **made.row("played", bare=True)}


def _summary(hands: pd.DataFrame, contracts: pd.DataFrame, deals: pd.DataFrame) -> dict[str, Any]:
    estimates = {
        name: mean_interval(hands[minuend] - hands[subtrahend]) for name, (minuend, subtrahend) in DIFFERENCES.items()
    }
    outside = deals[(deals["model"] < deals["low"]) | (deals["model"] > deals["high"])]["cards"].tolist()
    sizes = f"at n = {', '.join(map(str, outside))}" if outside else "at no hand size"
    bidding, discard, play, gap = (_in_mt(estimates[name]) for name in DIFFERENCES)
    seen = contracts[contracts["hands"] >= ENOUGH_HANDS]
    worst = max(seen.to_dict("records"), key=lambda row: abs(float(row["gap"])), default=None)
    return {
        "hands": len(hands),
        **{name: {"mt": 1000 * e.mean, "interval_mt": [1000 * e.low, 1000 * e.high]} for name, e in estimates.items()},
        "deal_values_outside": outside,
        "worst_contract": worst
        and {
            "cards": int(worst["cards"]),
            "contract": str(worst["contract"]),
            "gap_mt": 1000 * worst["gap"],
        },
        "finding": (
            f"Over {len(hands):,} hands, as many of each size, pimc's bidders made {gap} against what upcard told: "
            f"{bidding} because the bidding selects the hands, {discard} because the dealer discards blind, {play} "
            f"because cards are hidden in the play. {_worst_in_words(worst, len(seen))}"
            f"The model's W(n) lies outside the 95 % interval of what its dealers made {sizes}."
        ),
    }


def _worst_in_words(worst: Mapping[Any, Any] | None, contracts: int) -> str:
    if worst is None:
        return f"No contract came up in {ENOUGH_HANDS} hands. "
    gap = Estimate(worst["gap"], worst["gap_low"], worst["gap_high"], int(worst["hands"]))
    return (
        f"Of {contracts} contracts with {ENOUGH_HANDS} hands or more, furthest off is '{worst['contract']}' at "
        f"n = {worst['cards']}: {_in_mt(gap)}. "
    )


def _in_mt(estimate: Estimate) -> str:
    return f"{1000 * estimate.mean:+.0f} mt (95 % {1000 * estimate.low:+.0f} to {1000 * estimate.high:+.0f})"


GAP: Final = Study(
    game="towers-and-bowers",
    name="double-dummy-gap",
    help="What upcard predicts, what open cards would yield, and what pimc against pimc makes, by contract.",
    parameters={"chunks": 20, "hands": 100},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
