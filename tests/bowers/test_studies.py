"""The studies of Bowers and the report made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.conftest import exhaustive
from towerlab.analysis.bidding.accuracy import PASSING
from towerlab.analysis.bowers.bury import draw_hands
from towerlab.analysis.bowers.report import REPORT
from towerlab.analysis.bowers.studies import bidding_accuracy
from towerlab.analysis.bowers.studies.bidding_accuracy import (
    ALL,
    CARD_RULE,
    COUNT,
    OFF,
    OPENING,
    RULE,
    TIES,
    call_of_count,
    combine_bidding,
    count_rows,
    count_tricks,
    describe,
    observe_bidding,
)
from towerlab.analysis.bowers.studies.claim_accuracy import CLAIMING
from towerlab.analysis.bowers.studies.misere import LAYOUTS, combine_hands, observe_hands
from towerlab.analysis.bowers.studies.rule_options import RULE_OPTIONS
from towerlab.analysis.claims.accuracy import combine as combine_claims
from towerlab.analysis.report.studies import Run
from towerlab.analysis.report.write import write_report
from towerlab.analysis.study import StudyResult
from towerlab.analysis.study.definition import default_parameters
from towerlab.games.bowers import MISERE, PASS, BowersOptions, call_text, parse_call
from towerlab.games.cards import card_text, cards_mask, mask_cards, parse_mask
from towerlab.sim.bowers.continuation import PlayedBid


def read_rule(cards, standing):
    """The call of the printed sentences, read card by card: level and suit, or a pass."""
    counts = {}
    for suit, mate in zip("CDHS", "SHDC", strict=True):
        bowers = {f"J{suit}", f"J{mate}"} & {*cards}
        trumps = {card for card in cards if card[1] == suit} | bowers
        sides = [
            [card[0] for card in cards if card[1] == side and card not in trumps] for side in "CDHS" if side != suit
        ]
        top = sum(card[0] in "AKQ" for card in trumps)
        kings = sum("K" in side and len(side) > 1 for side in sides)
        extras = sum("A" in side for side in sides) + 1.25 * len(bowers) + 0.25 * (top + kings + sides.count([]))
        counts[suit] = len(trumps) + extras
    best = max(counts, key=counts.get)  # of equal ones the first: clubs, diamonds, hearts, spades
    bid = min(int((counts[best] - 2.25) // 1), 10)
    return PASS if bid < 1 or bid <= standing else parse_call(f"{bid}{best}")


def test_the_program_that_is_measured_bids_what_the_sentences_say():
    assert RULE == (
        "count tricks for each suit: each trump 1, side ace 1, bower 1.25 more, trump ace/king/queen 0.25 more, "
        "guarded king 0.25, void 0.25. Take off 2.25 and bid the rest, rounded down, in your best suit"
    )
    assert "clubs before diamonds, hearts, spades. Bid ten at most; pass where the bid is below one or does not" in TIES
    random = np.random.default_rng(1)
    deck = np.array(mask_cards(BowersOptions().deck))
    passed = 0
    for standing in (*[0] * 150, *random.integers(1, 8, size=150)):
        hand = cards_mask(random.permutation(deck)[:10].tolist())
        said = read_rule([card_text(card) for card in mask_cards(hand)], standing)
        assert call_of_count(count_tricks(hand), parse_call(f"{standing}S") if standing else PASS) == said
        passed += said == PASS
    assert 20 < passed < 280


def made_up_hands() -> StudyResult:
    """Hands of every number of low cards, a third of which have an ace."""
    low = np.arange(120) % 11
    return combine_hands([pd.DataFrame({"low": low, "aces": np.arange(120) % 3 // 2, "succeeds": low / 10})], {})


def test_bo_12_hands_by_what_they_hold_and_how_often_they_succeed():
    frame = made_up_hands().tables["misere-hands"].set_index(["aces", "low_cards"])
    assert frame["n"].sum() == 120 and frame.loc[("no ace", "6"), "mean"] == pytest.approx(0.6)
    assert 0 < frame.loc[("no ace", "4 or fewer"), "mean"] < 0.4 < 0.8 < frame.loc[("no ace", "8 or more"), "mean"]


def test_a_misere_succeeds_where_best_play_takes_no_trick():
    """As `towerlab bid` would find of the same layouts, asked one by one."""
    rows = observe_hands(0, np.random.SeedSequence(3), {"hands": 40})
    rng = np.random.default_rng(np.random.SeedSequence(3))
    deck = BowersOptions().deck
    for row in rows.head(5).itertuples():
        hand = cards_mask(rng.permutation(mask_cards(deck))[:10].tolist())
        order = PlayedBid(MISERE)
        layouts = order.orders(draw_hands(deck & ~hand, LAYOUTS, rng, 10))
        tricks = order.tricks(order.order(hand), layouts)[0]
        assert row.succeeds == pytest.approx((tricks == 0).mean())
        assert row.aces == sum(card % 13 == 12 for card in mask_cards(hand))


@pytest.fixture(scope="module", params=[10, exhaustive(30)])
def decisions(request: pytest.FixtureRequest) -> int:
    """In a chunk; among 60 there is a misère."""
    return request.param


@pytest.fixture(scope="module")
def bidding(decisions: int) -> StudyResult:
    """A small run of the study, two chunks."""
    sizes = {"decisions": 2 * decisions}
    with pytest.MonkeyPatch.context() as here:
        here.setattr(bidding_accuracy, "DECISIONS_A_CHUNK", decisions)
        tables = [observe_bidding(chunk, np.random.SeedSequence(chunk), sizes) for chunk in range(2)]
    return combine_bidding(tables, sizes)


def test_the_report_says_what_the_tables_say(tmp_path, bidding, monkeypatch):
    monkeypatch.setattr("towerlab.analysis.bowers.report._KITTIES", 100)
    result = made_up_hands()
    few = {**RULE_OPTIONS.parameters, "games": 12, "options": {}}
    changes = [RULE_OPTIONS.run_chunk(n, np.random.SeedSequence(n), few) for n in range(RULE_OPTIONS.count_chunks(few))]
    sizes = default_parameters(CLAIMING) | {"deals": 2, "nodes": 300, "limit": 1_000, "layouts": 100}
    claims = combine_claims([CLAIMING.run_chunk(0, np.random.SeedSequence(3), sizes)], sizes)
    parts = zip(REPORT.parts, (result, bidding, claims, RULE_OPTIONS.combine(changes, few)), strict=True)
    runs = {part.study.name: Run(part.study, 1, found, {}) for part, found in parts}
    write_report(tmp_path, REPORT.build(runs, 1, "towerlab report bowers --seed 1"))
    page = (tmp_path / "index.html").read_text().replace("\u202f%", "%").replace("−", "-")
    assert len(page) < 1_000_000 and "double-dummy" in page
    assert f"bower {COUNT['bowers']:g} more" in page and f"Take off {OFF:g} and bid the rest" in " ".join(page.split())
    card = bidding.tables["rules"].set_index(["kind", "rule"]).loc[(ALL, CARD_RULE)]
    assert f"{card['cost']:.2f} (" in page and f"{card['gain']:+.2f} (" in page


def test_costs_are_what_the_reference_scores_more(bidding, decisions):
    """A pass is worth what follows it."""
    rules = bidding.tables["rules"]
    calls = bidding.tables["calls"]
    assert set(rules.loc[rules["kind"] == ALL, "n"]) == {2 * decisions}
    opening = rules[rules["kind"] == OPENING].set_index("rule")["cost"]
    worth = calls[calls["when"] == OPENING].set_index("what")["mean"]
    assert opening[PASSING] == pytest.approx(worth["the reference"] - worth["passing"]) and worth["passing"] != 0
    all_calls = rules[rules["kind"] == ALL].set_index("rule")
    costs = all_calls["cost"]
    (novice,) = bidding.tables["gained"]["mean"]
    assert all_calls.loc[CARD_RULE, "gain"] == pytest.approx(costs[PASSING] - costs[CARD_RULE])
    assert novice == pytest.approx(costs["player novice"] - costs[CARD_RULE])
    assert "misère" in calls["what"].tolist() or decisions < 30
    assert (calls[calls["what"] == "misère"]["when"] == "over 6").all()


def test_single_hands_are_called_as_the_sentence_says(bidding, decisions):
    single = bidding.tables["single"]
    assert single["n"].sum() == 2 * decisions and (single["over_low"] <= single["over"]).all()
    for row in single.to_dict("records"):
        standing = parse_call(row["over_bid"]) if row["over_bid"] != "P" else PASS
        assert call_text(call_of_count(count_tricks(parse_mask(row["hand"])), standing)) == row["said"]
        assert row["worst_low"] <= row["worst"] <= row["worst_high"]


def test_weights_are_found_again():
    rng = np.random.default_rng(1)
    hands = [cards_mask(rng.permutation(mask_cards(BowersOptions().deck))[:10].tolist()) for _ in range(80)]
    views = pd.DataFrame({"hand": hands})
    for place, trump in enumerate("CDHS"):
        held = [describe(hand)[place] for hand in hands]
        views[f"tricks {trump}"] = [h["trumps"] + 2 * h["bowers"] + 0.25 * h["voids"] - 1 for h in held]
    count = count_rows(views).set_index("counted")
    weights = {"to begin with": -1, "trumps": 1, "bowers": 2, "voids": 0.25}
    assert count["tricks"].tolist() == pytest.approx([weights.get(name, 0) for name in count.index], abs=1e-9)
    assert (count["tricks_high"] - count["tricks_low"]).max() < 1e-9
    views["tricks S"] += rng.normal(size=80)
    noisy = count_rows(views).set_index("counted")
    assert noisy.loc["trumps", "tricks_low"] < 1 < noisy.loc["trumps", "tricks_high"]
