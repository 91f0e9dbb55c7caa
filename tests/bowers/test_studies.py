"""The studies of Bowers and the report made of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.bowers import bidding_observations
from analysis.bowers.auctions import combine_auctions, plan_auctions, play_auctions, rung_name
from analysis.bowers.bidding_accuracy import (
    ALL,
    CARD_RULE,
    OPENING,
    SUIT_COUNTS,
    bid_counted,
    combine_bidding,
    count_table,
    counted,
    describe,
    relative_calls,
)
from analysis.bowers.bidding_observations import observe_bidding
from analysis.bowers.claim_accuracy import CLAIMING
from analysis.bowers.findings import Hands, _leave_one_out, combine
from analysis.bowers.misere_findings import needed_success, values_table
from analysis.bowers.observations import describe_hand, observe, plan
from analysis.bowers.options_compared import RULE_OPTIONS
from analysis.bowers.report import REPORT
from analysis.bowers.studies import count_chunks
from analysis.claims.accuracy import combine as combine_claims
from analysis.report.studies import Run
from analysis.report.write import write_report
from analysis.study import StudyResult
from analysis.study.definition import default_parameters
from games.bowers import BowersOptions, bid_trumps, bidder_points, opponent_points, parse_call, to_bid_order
from games.cards import TRUMPS, cards_mask, mask_cards, parse_mask
from games.errors import OptionError
from sim.bowers import worth_tables

SMALL = {"hands": 4, "kitties": 2, "misere_hands": 40, "bury_hands": 1, "joker_share": 0.25}


def made_up_rows(hands: int, kitties: int, seed: int) -> pd.DataFrame:
    """Observations as the study makes them, with tricks drawn around what trumps and aces promise."""
    rng = np.random.default_rng(seed)
    rows = []
    for joker, hand in product(("none", "replace_7c", "add"), range(hands)):
        for kitty, trump in product(range(kitties), ("S", "H", "NT")):
            counts = dict(
                zip(("trumps", "bowers", "top", "aces"), (hand % 5 + 2, hand % 3, hand % 4, hand % 2), strict=True)
            )
            row = {"kind": "hands", "joker": joker, "hand": f"{joker}{hand}", "trump": trump, "kitty": kitty, **counts}
            row |= {"jokers": hand % 2, "kings": hand // 2 % 3, "voids": hand // 3 % 2, "longest": 3 + hand % 2}
            for letter in "ab":
                tricks = int(np.clip(rng.normal(counts["trumps"] + counts["bowers"] - (trump == "NT"), 1), 0, 10))
                row |= {f"tricks_{letter}": tricks, f"bare_{letter}": max(tricks - 1, 0), f"left_{letter}": tricks}
            rows.append(row)
        for number in range(5):
            made = 12 if number == 0 else 4 if number == 1 else 0
            row = {
                "kind": "misere",
                "joker": joker,
                "hand": f"m{joker}{hand}-{number}",
                "low": 4 + number,
                "aces": number % 2,
            }
            row |= {f"first_{who}": made for who in ("me", "left", "right")}
            row |= {f"fresh_{who}": 4 * made for who in ("me", "left", "right")}
            rows.append(row | {"fresh": 48 if made else 0, "failed_tricks": 1.5 if made else np.nan})
        if joker == "none":
            for trump, way in product(("S", "NT"), ("every bury tried", "as in bid", "quick guess alone")):
                rows.append(
                    {"kind": "bury", "joker": joker, "hand": f"b{hand}", "trump": trump, "way": way, "mean_tricks": 5.0}
                )
            for trump, way in product(("S", "NT"), ("shortest side suit", "lowest side cards")):
                loss = rng.random()
                rows.append(
                    {
                        "kind": "bury",
                        "joker": joker,
                        "hand": f"b{hand}",
                        "trump": trump,
                        "way": way,
                        "mean_tricks": 5 - loss,
                    }
                )
    return pd.DataFrame(rows)


def made_up(seed: int = 1) -> StudyResult:
    return combine([made_up_rows(60, 3, seed)], {})


def test_the_plan_covers_every_hand_once():
    parts = plan({**SMALL, "hands": 13, "misere_hands": 600})
    counted = {(part.kind, part.joker): 0 for part in parts}
    for part in parts:
        counted[part.kind, part.joker] += part.hands
    assert counted == {
        ("hands", "none"): 13, ("misere", "none"): 600, ("bury", "none"): 1, ("hands", "replace_7c"): 3,
        ("misere", "replace_7c"): 150, ("hands", "add"): 3, ("misere", "add"): 150,
    }  # fmt: skip


def test_too_few_hands_are_refused():
    assert count_chunks({**SMALL, "bury_hands": 2}) == len(plan({**SMALL, "bury_hands": 2}))
    with pytest.raises(OptionError, match="bury_hands=1 is too few"):
        count_chunks(SMALL)


def test_what_is_counted_in_a_hand():
    hand = parse_mask("JS JC AS KS 8S AD KD AH 7H QC")
    spades, plain = parse_call("6S"), parse_call("6NT")
    counted = describe_hand(int(to_bid_order(hand, spades)), int(bid_trumps(spades)))
    assert counted == {
        "trumps": 5, "bowers": 2, "jokers": 0, "top": 2, "aces": 2, "kings": 1, "voids": 0, "longest": 2,
    }  # fmt: skip
    counted = describe_hand(int(to_bid_order(hand, plain)), int(bid_trumps(plain)))
    assert counted["trumps"] == counted["bowers"] == 0 and counted["aces"] == 3 and counted["longest"] == 4


@pytest.mark.parametrize("kind", ["hands", "misere", "bury"])
def test_a_chunk_is_the_same_again(kind: str):
    small = {**SMALL, "hands": 1, "kitties": 1, "misere_hands": 60}
    chunk = next(number for number, part in enumerate(plan(small)) if part.kind == kind)
    one, again = (observe(chunk, np.random.SeedSequence(3), small) for _ in range(2))
    pd.testing.assert_frame_equal(one, again)
    assert (one["kind"] == kind).all()
    if kind == "hands":
        assert len(one) == 3 and list(one["trump"])[-1] == "NT"
        assert (one[["tricks_a", "bare_a", "left_a"]] <= 10).all(axis=None)
    elif kind == "misere":
        assert (one["first_me"] <= 12).all() and (one["fresh_me"] <= one["fresh"]).all()
    else:
        assert len(one) == 10 and one["mean_tricks"].between(0, 10).all()


def test_nothing_is_judged_on_what_picked_it():
    scores = np.random.default_rng(1).normal(size=(3, 2, 4, 5))
    picked, judged = _leave_one_out(scores)
    for hand, kitty in product(range(3), range(4)):
        others = np.delete(scores[hand], kitty, axis=1).sum(axis=1)
        trump, level = np.unravel_index(others.argmax(), others.shape)
        assert picked[hand, kitty] == (trump if others.max() > 0 else -1)
        assert judged[hand, kitty] == scores[hand, trump, kitty, level]


def test_scores_are_those_of_the_rules():
    rows = made_up_rows(6, 2, seed=4)
    hands = Hands(rows, "none")
    scores, rules = hands.scores(), BowersOptions().rules()
    row = rows[(rows["hand"] == "none3") & (rows["trump"] == "H") & (rows["kitty"] == 1)].iloc[0]
    for level in (1, 6, 7, 9):
        call = parse_call(f"{level}H")
        tricks = [int(row["tricks_a"]), int(row["tricks_b"])]
        points = [bidder_points(call, t, 1, rules) - opponent_points(call, t, 0, 1, rules) for t in tricks]
        assert scores[3, 1, 1, level - 1] == pytest.approx(np.mean(points))


def test_bo_12_the_success_that_a_misere_needs():
    assert needed_success(10, 9) == pytest.approx(19 / 29)
    assert pytest.approx(0) == 19 / 29 * 10 - 10 / 29 * (10 + 9)


def test_miseres_are_picked_on_the_first_layouts_and_judged_on_fresh_ones():
    rows = made_up_rows(2, 1, seed=1)
    rows.loc[rows["first_me"] == 12, "fresh_me"] = 36  # they do worse than they promised
    table = values_table(rows[(rows["kind"] == "misere")])
    ten = table[(table["joker"] == "none") & (table["leader"] == "the bidder") & (table["value"] == 10)].iloc[0]
    assert ten["bids"] == 2 and ten["n"] == 10 and ten["made"] == 0.75
    assert ten["points_a_deal"] == pytest.approx(2 / 10 * (0.75 * 10 - 0.25 * (10 + 8.5)))


@pytest.fixture(scope="module", params=[10, pytest.param(30, marks=pytest.mark.slow)])
def decisions(request: pytest.FixtureRequest) -> int:
    """In a chunk; among 60 there is a misère."""
    return request.param


@pytest.fixture(scope="module")
def bidding(decisions: int) -> StudyResult:
    """A small run of the study, two chunks."""
    sizes = {"decisions": 2 * decisions}
    with pytest.MonkeyPatch.context() as here:
        here.setattr(bidding_observations, "DECISIONS_A_CHUNK", decisions)
        tables = [observe_bidding(chunk, np.random.SeedSequence(chunk), sizes) for chunk in range(2)]
    return combine_bidding(tables, sizes)


def test_the_report_says_what_the_tables_say(tmp_path, bidding):
    result = made_up()
    few = {"games": 12, "options": {}}
    changes = [RULE_OPTIONS.run_chunk(n, np.random.SeedSequence(n), few) for n in range(RULE_OPTIONS.count_chunks(few))]
    sizes = default_parameters(CLAIMING) | {"deals": 2, "nodes": 300, "limit": 1_000, "layouts": 100}
    claims = combine_claims([CLAIMING.run_chunk(0, np.random.SeedSequence(3), sizes)], sizes)
    parts = zip(REPORT.parts, (result, bidding, claims, RULE_OPTIONS.combine(changes, few)), strict=True)
    runs = {part.study.name: Run(part.study, 1, found, {}) for part, found in parts}
    write_report(tmp_path, REPORT.build(runs, 1, "towerlab report bowers --seed 1"))
    page = (tmp_path / "index.html").read_text().replace("\u202f%", "%").replace("−", "-")
    assert len(page) < 1_000_000 and "double-dummy" in page
    count = bidding.tables["count"].set_index(["in", "counted"])["in quarters"]
    assert f"{count['suit', 'trumps']:g} a trump" in page or not count["suit", "trumps"]
    off = -count["suit", "to begin with"] - bidding.summary["over_margin"]
    assert f"else {off:.2g}; bid that" in " ".join(page.split())
    card = bidding.tables["rules"].set_index(["kind", "rule"]).loc[(ALL, CARD_RULE)]
    gained = bidding.tables["gained"].set_index("less").loc["always pass"]
    assert f"{card['cost']:.2f} (" in page and f"{gained['mean']:+.2f} (" in page


def test_costs_are_what_the_reference_scores_more(bidding, decisions):
    """Fitted on one half and scored on the other; a pass is worth what follows it."""
    rules, calls = bidding.tables["rules"], bidding.tables["calls"]
    assert set(rules.loc[rules["kind"] == ALL, "decisions"]) == {decisions} and bidding.summary["fitted"] == decisions
    opening = rules[rules["kind"] == OPENING].set_index("rule")["cost"]
    worth = calls[calls["when"] == OPENING].set_index("what")["mean"]
    assert opening["always pass"] == pytest.approx(worth["the reference"] - worth["passing"]) and worth["passing"] != 0
    all_calls = rules[rules["kind"] == ALL].set_index("rule")["cost"]
    gained = bidding.tables["gained"].set_index("less")["mean"]
    assert gained["always pass"] == pytest.approx(all_calls["always pass"] - all_calls[CARD_RULE])
    lists = bidding.tables["lists"]
    assert (lists["fitted_cost"].diff().dropna() <= 1e-9).all() and lists["clauses"].tolist() == [1, 2, 3, 4, 5]
    assert "misère" in calls["what"].tolist() or decisions < 30
    assert (calls[calls["what"] == "misère"]["when"] == "over 6").all()


def test_a_count_is_bid_with_its_margin_where_that_is_legal():
    weights = {
        "suit": dict.fromkeys(("to begin with", *SUIT_COUNTS), 0.0) | {"trumps": 1.0, "bowers": 1.0},
        "no trump": {"to begin with": 0.0, "aces": 1.0},
    }
    hand = parse_mask("JS JC AS KS 8S AD KD AH 7H QC")
    counts = counted([hand, hand, hand], weights)
    assert counts[0].tolist() == [5, 2, 2, 7, 3]  # both black jacks are bowers of either black suit
    views = pd.DataFrame({"standing": [0, parse_call("6H"), parse_call("7H")]})
    calls = bid_counted(counts, views, -0.5, 0.5).tolist()
    assert calls == [parse_call("6S"), parse_call("7S"), 0]
    assert relative_calls(counts, views)[:, 1].tolist() == [parse_call(bid) for bid in ("1S", "7S", "8S")]
    assert relative_calls(counts, views)[:, -1].tolist() == [0, parse_call("M"), 0]


def test_weights_are_found_again():
    rng = np.random.default_rng(1)
    hands = [cards_mask(rng.permutation(mask_cards(BowersOptions().deck))[:10].tolist()) for _ in range(80)]
    views = pd.DataFrame({"hand": hands})
    for place, trump in enumerate(TRUMPS):
        held = [describe(hand)[place] for hand in hands]
        views[f"tricks {trump}"] = [
            1.5 * h["aces"] - 1 if trump == "NT" else h["trumps"] + 2 * h["bowers"] + 0.25 * h["voids"] for h in held
        ]
    count = count_table(views).set_index(["in", "counted"])
    assert count["tricks"].to_numpy() == pytest.approx([0, 1, 2, 0, 0, 0, 0.25, -1, 1.5, 0, 0], abs=1e-9)
    assert (count["in quarters"] == count["tricks"].round(2)).all() and (count["high"] - count["low"]).max() < 1e-9
    views["tricks S"] += rng.normal(size=80)
    noisy = count_table(views).set_index(["in", "counted"])
    assert noisy.loc[("suit", "trumps"), "low"] < 1 < noisy.loc[("suit", "trumps"), "high"]


def test_bo_11_points_of_simulated_deals_fit_their_bids():
    parameters = {"pimc_deals": 0, "novice_deals": 150}
    assert plan_auctions(parameters) == [("novice", 150)]
    deals = play_auctions(0, np.random.SeedSequence(1), parameters)
    points = worth_tables(BowersOptions())[:, 0]
    for deal in deals.itertuples():
        assert deal.points in points[deal.call]
        assert deal.made == (deal.points > 0)
    table = combine_auctions([deals], parameters).tables["rungs"]
    assert table["share"].sum() == pytest.approx(1) and table["won"].sum() == 150
    assert [rung_name(parse_call(text)) for text in ("P", "6H", "M", "7NT")] == [
        "thrown in",
        "6 of a suit",
        "misère",
        "7NT",
    ]
