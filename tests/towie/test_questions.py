"""`towerlab bid towie`: layouts, contracts, calls, early stopping, and the command as a user runs it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analysis.present import console
from analysis.stats import SequentialShare
from analysis.study import runner
from analysis.towie.bid import ask_bid, possible_calls
from analysis.towie.contracts import Contract, Evidence, Table
from analysis.towie.layouts import DUMMY, LEFT, ME, RIGHT, sample_layouts, sample_pairs, solve_makes, solve_strains
from analysis.towie.present import bid_report
from games.cards import DECK_52, NO_TRUMP, TRUMPS, cards_mask, parse_mask
from games.pbn import hand_text, parse_hand
from games.towie.auction import DOUBLE, PASS, parse_auction, parse_call
from games.towie.options import TowieOptions
from solver.double_dummy import trick_table
from tests.conftest import Answer

Run = Callable[..., Answer]

HAND, SIX = "AKQ94.AK3.QJ7.82", "JS 6S QH JH AC 4D"
SOLID, SMALL = "AKQJT9876543.2..", "2C 3C 4C 5C 6C 7C"  # in spades all that matters is who holds the ace of hearts
QUICK = ("--layouts", "8", "--until-width", "0.2", "--jobs", "1", "--quiet")


@pytest.fixture(scope="module")
def solid() -> Any:
    return ask_bid(SOLID, SMALL, seed=3, jobs=1, quiet=True, layouts=24)


def test_layouts_fit_the_hand_and_the_exposed_cards() -> None:
    hand, six = parse_hand(HAND), parse_mask(SIX)
    deals = sample_layouts(hand, six, 200, np.random.default_rng(1))
    assert (np.bitwise_count(deals) == 13).all()
    assert (np.bitwise_or.reduce(deals, axis=1) == DECK_52).all()
    assert (deals[:, ME] == hand).all() and (deals[:, DUMMY] & six == six).all()
    assert len(np.unique(deals[:, LEFT])) > 190


def test_average_dummies_are_uniform_and_keep_most_cards() -> None:
    hand, six = parse_hand(HAND), parse_mask(SIX)
    given, average = sample_pairs(hand, six, 6000, np.random.default_rng(2))
    assert (np.bitwise_count(average) == 13).all() and (np.bitwise_or.reduce(average, axis=1) == DECK_52).all()
    assert (given[:, DUMMY] & six == six).all() and (average[:, ME] == hand).all()
    for seat in (LEFT, DUMMY, RIGHT):  # each unseen card is with each of the three a third of the time
        held = [(average[:, seat] >> card & 1).mean() for card in range(52) if not hand >> card & 1]
        assert len(held) == 39 and max(abs(share - 1 / 3) for share in held) < 0.025
    assert np.bitwise_count(given[:, LEFT] & average[:, LEFT]).mean() > 10  # of 13: that is what pairing is for
    both = np.bitwise_count(average[:, DUMMY] & six)
    assert abs((both == 0).mean() - 0.0706) < 0.015  # C(33, 13) / C(39, 13)


@pytest.mark.parametrize("declarer", [ME, LEFT, RIGHT])
def test_to_8_dummy_sits_opposite_whoever_declares(declarer: int) -> None:
    """South declares opposite North; West, on his left, leads."""
    deals = sample_layouts(parse_hand(HAND), parse_mask(SIX), 2, np.random.default_rng(4))
    left, right = {ME: (LEFT, RIGHT), LEFT: (RIGHT, ME), RIGHT: (ME, LEFT)}[declarer]
    found = solve_strains(deals, declarer)
    for deal, tricks in zip(deals.tolist(), found.tolist(), strict=True):
        table = trick_table((deal[DUMMY], deal[right], deal[declarer], deal[left]))
        assert tricks == [table[2, strain] for strain in range(5)]
    makes = solve_makes(deals, NO_TRUMP, 9, declarer)
    assert makes.tolist() == (found[:, NO_TRUMP] >= 9).tolist()


def test_shares_are_those_of_counting_layouts(solid: Any) -> None:
    """All thirteen tricks if and only if the ace of hearts is one of dummy's seven hidden cards: 7 of 33."""
    spades = solid.strains[TRUMPS.index("S")]
    assert spades[:12] == (0.0,) * 12 and spades[12] + spades[13] == pytest.approx(1)
    assert abs(spades[13] - 7 / 33) < 0.2
    best = solid.contracts[0]
    assert (str(best.contract), best.make, best.anytime) == ("6S", 1.0, True)
    assert best.interval[1] - best.interval[0] <= 0.04
    grand = next(value for value in solid.contracts if str(value.contract) == "7S")
    assert grand.interval[0] <= 7 / 33 <= grand.interval[1] and grand.make == pytest.approx(spades[13])
    # 6S: tricks 180, bonus 500, slam 500, an overtrick 50 where there is one, honours 150.
    assert best.score == pytest.approx(180 + 500 + 500 + 150 + 50 * spades[13])
    assert grand.score == pytest.approx(spades[13] * 1710 - 50 * spades[12] + 150)
    assert solid.recommend == parse_call("6S")
    worth = solid.worth_exposed  # six small clubs: never better than an average dummy, which may hold the ace
    assert str(worth.contract) == "6S" and worth.tricks.mean <= 0 and worth.make == 1.0 and worth.layouts == 24


def test_calls_lead_to_contracts_if_all_pass() -> None:
    table = Table()
    calls = possible_calls(parse_auction("1S"), table)
    assert calls[PASS] is None and calls[DOUBLE] is None  # 1S doubled is 60
    assert calls[parse_call("3NT")] == Contract(parse_call("3NT")) and parse_call("2S") not in calls
    calls = possible_calls(parse_auction("2S"), table)
    assert calls[DOUBLE] == Contract(parse_call("2S"), 2, RIGHT)  # the dealer is on the right of the next caller
    assert possible_calls(parse_auction("2S"), Table(TowieOptions(doubled_counts=False)))[DOUBLE] is None
    calls = possible_calls(parse_auction("pass 4H pass"), table)
    assert calls[PASS] == Contract(parse_call("4H"), 1, LEFT)
    calls = possible_calls(parse_auction("2S X pass"), table)  # my own, doubled
    assert calls[PASS] == Contract(parse_call("2S"), 2, ME) and calls[parse_call("XX")].doubling == 4  # type: ignore


def test_to_18_points_go_to_each_opponent() -> None:
    four = Contract(parse_call("4S"))
    assert Table().points(four)[[10, 8]].tolist() == [620, -100]
    vulnerable = Table(TowieOptions(n_players=5), frozenset([ME, LEFT]))
    assert vulnerable.points(four)[[10, 8]].tolist() == [1120, -300]
    theirs = vulnerable.points(Contract(parse_call("4S"), 2, LEFT))
    assert theirs[[10, 8]].tolist() == [-(240 + 100 + 1000) / 4, 600 / 4]  # one opponent of four, three stay level


def test_evidence_joins_solved_layouts_and_questions() -> None:
    found = Evidence(np.array([8, 9, 10, 10, 11, 12, 12, 12]), honours=0.0)
    assert found.distribution()[12] == 3 / 8 and found.share(10).mean == 6 / 8
    share = found.plan(10, width=0.2)
    share.add(share.planned * 9 // 10, share.planned)
    found.asked[10] = share
    tricks = found.distribution()
    made = share.estimate.mean
    assert tricks.sum() == pytest.approx(1) and tricks[10:].sum() == pytest.approx(made) == pytest.approx(0.9, abs=0.02)
    assert tricks[12] == pytest.approx(made * 3 / 6) and tricks[8] == pytest.approx((1 - made) / 2)
    low, high = found.share(10).low, found.share(10).high
    assert low < made < high <= low + 0.2


@pytest.mark.parametrize(("p", "prior"), [(0.5, (0, 0)), (0.9, (2, 20))])
def test_early_stopping_is_honest(p: float, prior: tuple[int, int]) -> None:
    """Looked at all the time, the interval leaves the truth out in at most 5 % of runs, however bad the expectation."""
    random = np.random.default_rng(5)
    looks = np.unique(np.geomspace(1, 4000, 20).astype(int))
    missed = 0
    for _ in range(200):
        hits = np.cumsum(random.random(4000) < p)
        share = SequentialShare(*prior)
        for before, now in zip([0, *looks], looks, strict=False):
            share.add(int(hits[now - 1] - (hits[before - 1] if before else 0)), int(now - before))
            low, high = share.estimate.low, share.estimate.high
            if not low <= p <= high:
                missed += 1
                break
    assert missed <= 18  # 5 % of 200, and three standard deviations


def test_the_answer_is_the_same_for_any_jobs(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SECONDS_ALONE", 0.0)
    arguments = ("bid", "towie", "--hand", SOLID, "--dummy", SMALL, *QUICK, "--json", "--seed", "5")
    timed = ("seconds", "solves_per_second")
    one, two = (inside(*arguments, "--jobs", jobs).json for jobs in ("1", "2"))
    assert {key: one[key] for key in one if key not in timed} == {key: two[key] for key in two if key not in timed}
    other = inside(*arguments[:-1], "6").json
    assert other["exposed"] != one["exposed"]


def test_keys_of_the_answer(inside: Run) -> None:
    arguments = ("--vul", "me,left", "--auction", "2S 3NT", "--json", *QUICK, "--option", "n_players=4")
    answer = inside("bid", "towie", "--hand", SOLID, "--dummy", SMALL, *arguments).json
    assert list(answer)[:8] == ["game", "model", "hand", "dummy", "auction", "vulnerable", "layouts", "strains"]
    assert answer["hand"] == SOLID and answer["auction"] == ["2S", "3NT"] and answer["vulnerable"] == ["me", "left"]
    assert list(answer["strains"]) == ["NT", "S", "H", "D", "C"]
    assert all(len(s["tricks"]) == 14 and sum(s["tricks"]) == pytest.approx(1) for s in answer["strains"].values())
    assert all({"contract", "make", "score", "interval"} <= set(value) for value in answer["contracts"])
    names = [value["contract"] for value in answer["contracts"]]
    assert len(set(names)) == 4 + 2 * 4 + 2 * 3 and "3NT" not in names  # 4NT, 4H, 4S, 5C, 5D and up
    assert answer["calls"]["pass"] == {
        "score": answer["calls"]["pass"]["score"],
        "leads_to": "3NT",
        "declarer": "right",
    }
    assert answer["recommend"] in answer["calls"] and answer["recommend"] == "6S"


def test_the_report_says_what_to_do_and_how_sure(solid: Any) -> None:
    shown = console()
    with shown.capture() as captured:
        shown.print(bid_report(solid))
    text = " ".join(captured.get().split())
    for words in (
        "Bid 6♠: worth +",
        "it makes 100.0 % of the time",
        "more, all worse",
        "seed 3",
        "Model: double-dummy",
    ):
        assert words in text
    assert "In 6♠ the six cards are worth" in text and "against an average dummy, with which it makes 100.0 %" in text


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--hand": "AKQ94.AK3.QJ7.8"}, ("12 cards", "expected 13")),
        ({"--hand": "AKQ94.AK3.QJ7.88"}, ("8C stands twice",)),
        ({"--hand": "AKQ94.AK3.QJ782"}, ("3 suits", "three dots")),
        ({"--dummy": "JS 6S QH JH AC"}, ("5 cards", "expected 6")),
        ({"--dummy": "JS 6S QH JH AC AS"}, ("AS of --dummy is in the hand",)),
        ({"--dummy": "JS 6S QH JH AC AC"}, ("AC stands twice in --dummy",)),
        ({"--dummy": "JS 6S QH JH AC 1D"}, ("'1D' is not a card",)),
        ({"--auction": "1S 1H"}, ("1H", "not above 1S")),
        ({"--auction": "1S X X"}, ("call 3, X", "doubled already")),
        ({"--auction": "1S 8C"}, ("'8C' is not a call",)),
        ({"--auction": "3NT pass pass"}, ("is over",)),
        ({"--vul": "south"}, ("--vul 'south'",)),
        ({"--option": "honors=true"}, ("honours",)),
        ({"--layouts": "1"}, ("--layouts",)),
    ],
)
def test_bad_input_is_one_line(inside: Run, changed: dict[str, str], words: tuple[str, ...]) -> None:
    arguments = {"--hand": HAND, "--dummy": SIX} | changed
    inside("bid", "towie", *(word for pair in arguments.items() for word in pair), "--json").assert_refused(*words)


def test_hands_in_pbn_come_back_as_they_were() -> None:
    assert hand_text(parse_hand(SOLID)) == SOLID
    assert parse_hand("akq.10..", count=4) == cards_mask([50, 49, 51, 34])


@pytest.mark.slow
def test_the_example_in_the_help(towerlab: Run) -> None:
    help_text = towerlab("bid", "towie", "--help").stdout
    line = help_text.split("Example:")[1].replace("\\\n", " ").strip().splitlines()[-1]
    assert "points" in towerlab(*shlex.split(line)[1:]).stdout
