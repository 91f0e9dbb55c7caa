"""`towerlab bid towie`: layouts, contracts, calls, and the command as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import Answer
from tests.oracles.towie_auctions import card_words, naive_continuation, naive_novice_call, naive_points
from towerlab.analysis.bidding.trick_estimate import stored_estimate
from towerlab.analysis.present import console
from towerlab.analysis.towie.bid import ask_bid
from towerlab.analysis.towie.calls import (
    RESTS,
    FollowedCalls,
    Prospects,
    TowieQuestion,
    TrickQuestions,
    callers_of,
    deal_layouts,
    sample_pairs,
)
from towerlab.analysis.towie.contracts import LEFT, ME, RIGHT, TowieStakes
from towerlab.games.arrays import Bools, Ints
from towerlab.games.cards import DECK_52, NO_TRUMP, SUIT_BITS, TRUMPS, parse_mask
from towerlab.games.pbn import parse_hand
from towerlab.games.towie.auction import DOUBLE, PASS, REDOUBLE, parse_auction, parse_call
from towerlab.games.towie.dealing import DUMMY
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract
from towerlab.sim.towie.games import play_on
from towerlab.sim.towie.outcomes import Outcomes
from towerlab.sim.towie.players import NOVICE
from towerlab.sim.towie.state import new_state, start_game
from towerlab.solver.double_dummy import trick_table

HAND = "AKQ94.AK3.QJ7.82"
SIX = "JS 6S QH JH AC 4D"
# in spades all that matters is who holds the ace of hearts
SOLID = "AKQJT9876543.2.."
SMALL = "2C 3C 4C 5C 6C 7C"


@pytest.fixture(scope="module")
def solid() -> Any:
    return ask_bid(SOLID, SMALL, seed=3, jobs=1, quiet=True, layouts=24)


def test_average_dummies_are_uniform_and_keep_most_cards() -> None:
    hand = parse_hand(HAND)
    six = parse_mask(SIX)
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
    """South declares opposite North; West, on their left, leads."""
    deals = sample_pairs(parse_hand(HAND), parse_mask(SIX), 2, np.random.default_rng(4))[0]
    left, right = {ME: (LEFT, RIGHT), LEFT: (RIGHT, ME), RIGHT: (ME, LEFT)}[declarer]
    exact = Outcomes(deals, 0)
    rows = np.arange(2)
    found = np.stack([exact.count_tricks(rows, declarer, strain) for strain in range(5)], axis=1)
    for deal, tricks in zip(deals.tolist(), found.tolist(), strict=True):
        table = trick_table((deal[DUMMY], deal[right], deal[declarer], deal[left]))
        assert tricks == [table[2, strain] for strain in range(5)]
    makes = Outcomes(deals, 0).takes(rows, declarer, NO_TRUMP, 9)
    assert makes.tolist() == (found[:, NO_TRUMP] >= 9).tolist()


def test_shares_are_those_of_counting_layouts(solid: Any) -> None:
    """All thirteen tricks if and only if the ace of hearts is one of dummy's seven hidden cards: 7 of 33."""
    spades = solid.strains[TRUMPS.index("S")]
    assert spades[:12] == (0.0,) * 12 and spades[12] + spades[13] == pytest.approx(1)
    assert abs(spades[13] - 7 / 33) < 0.25
    best = solid.contracts[0]
    assert (str(best.contract), best.make.mean, best.interval_kind) == ("6S", 1.0, "wilson") and solid.tested == best
    # 6S: tricks 180, bonus 500, slam 500, an overtrick 50 where there is one, honours 150.
    worth = 180 + 500 + 500 + 150 + 50 * 7 / 33
    assert best.score.low <= worth <= best.score.high
    assert solid.recommend == parse_call("6S")
    assert any(item.make is None and item.score is None for item in solid.contracts)  # not looked at
    exposed_value = solid.exposed_value  # six small clubs: never better than an average dummy, which may hold the ace
    assert str(exposed_value.contract) == "6S" and exposed_value.tricks.mean <= 0.1 and exposed_value.make == 1.0
    tested = ask_bid(SOLID, SMALL, seed=3, jobs=1, quiet=True, layouts=16, until_width=0.2).tested
    assert tested.interval_kind == "wilson" and tested.make.width <= 0.2 and tested.make.mean == 1.0


def judged(auction: str, others: str = "pass", stakes: TowieStakes | None = None, count: int = 6) -> Any:
    """Legal calls with a hand of 6 ♠ and much else: where each leads in the first layout, by place, and its values."""
    calls = parse_auction(auction)
    asked = TowieQuestion(parse_hand(HAND), parse_mask(SIX), calls, stakes or TowieStakes(), others)
    deals = FollowedCalls(asked, count, seed=4, quiet=True, jobs=1)
    values = deals.values(np.arange(count), deals.results)
    first = dict(zip(deals.calls, (deals.contract(int(code)) for code in deals.codes(deals.results[0])), strict=True))
    return first, dict(zip(deals.calls, values.T, strict=True))


def test_calls_lead_to_contracts_if_all_pass() -> None:
    ends, at = judged("2S")
    assert ends[PASS] is None and (at[PASS] == 0).all()  # a goulash: 2S is below game
    # the dealer is on the right of the next caller
    assert ends[DOUBLE] == Contract(parse_call("2S"), 2, RIGHT) and (at[DOUBLE] != 0).all()
    assert ends[parse_call("3NT")] == Contract(parse_call("3NT"), 1, ME) and parse_call("2H") not in ends
    strict = TowieStakes(TowieOptions(doubled_counts=False))
    assert (judged("2S", stakes=strict)[1][DOUBLE] == 0).all()
    assert judged("pass 4H pass", count=1)[0][PASS] == Contract(parse_call("4H"), 1, LEFT)
    ends, _ = judged("2S X pass", count=1)  # my own, doubled
    assert ends[PASS] == Contract(parse_call("2S"), 2, ME) and ends[REDOUBLE] == Contract(parse_call("2S"), 4, ME)


@pytest.mark.parametrize(
    ("auction", "goulashes"), [("", 0), ("pass", 0), ("4H pass", 0), ("2S X", 0), ("", 1), ("3NT", 2)]
)
def test_the_auction_goes_on_as_the_engine_and_a_plain_solver_have_it(auction: str, goulashes: int) -> None:
    """Every call on every layout against the engine with seated novices, contracts counted and scored the slow way."""
    stakes = TowieStakes(TowieOptions(), frozenset([LEFT]))
    calls = parse_auction(auction)
    asker = len(calls) % 3
    asked = TowieQuestion(parse_hand(HAND), parse_mask(SIX), calls, stakes, goulashes=goulashes)
    deals = FollowedCalls(asked, 2, seed=6, quiet=True, jobs=1)
    deals.estimate = None  # all tricks are counted
    values = deals.values(np.arange(2), deals.results)
    columns = [*callers_of(asker), DUMMY]
    for row, by_caller in enumerate(deals.layouts.tolist()):
        vulnerable = [caller == columns[LEFT] for caller in range(3)]
        for place, call in enumerate(deals.calls):
            contract = naive_continuation(by_caller, parse_mask(SIX), [*calls, call], asker)
            reached = deals.contract(int(deals.codes(deals.results[row, place])))
            if contract is None:
                assert reached is None
            else:
                assert reached is not None
                bid, doubling, declarer = contract
                assert reached.bid == parse_call(bid) and "X" * (reached.doubling // 2) == doubling
                assert columns[reached.declarer] == declarer
            points = naive_points(contract, by_caller, asker, vulnerable)
            assert values[row, place] == pytest.approx(points)


@pytest.mark.parametrize("contract", [Contract(parse_call("3NT")), Contract(parse_call("4H"), 2, LEFT)])
def test_values_by_few_questions_have_no_bias(contract: Contract) -> None:
    """Whatever the estimate and the true tricks are, the mean over the second questions is the value of the tricks."""
    chances = stored_estimate("towie").chances(int(contract.strain == NO_TRUMP), 13)
    points = TowieStakes(vulnerable=frozenset([ME])).points(contract)
    asked = TrickQuestions(chances, points, contract.needed, np.arange(len(chances)))
    assert asked.mean == pytest.approx(chances @ points)
    for step in range(0, len(chances), 8):
        for tricks in range(14):
            edges = np.unique([0.0, *asked._second_chances[step, int(tricks >= contract.needed)].cumsum(), 1.0])
            middles = (edges[1:] + edges[:-1]) / 2

            def takes(rows: Ints, least: int, tricks: int = tricks) -> Bools:
                return np.full(len(rows), tricks >= least)

            values = asked.value(np.full(len(middles), step), takes, middles)
            assert values @ np.diff(edges) == pytest.approx(points[tricks])


def test_values_by_few_questions_follow_those_of_all_tricks() -> None:
    asked = TowieQuestion(parse_hand(HAND), parse_mask(SIX), (), TowieStakes())
    deals = FollowedCalls(asked, 48, seed=8, quiet=True, jobs=1)
    rows = np.arange(48)
    column = [deals.calls.index(parse_call("4S"))]
    few = deals.values(rows, deals.results[:, column])[:, 0]
    assert deals.values(rows[::3], deals.results[::3][:, column])[:, 0] == pytest.approx(few[::3])
    expected = deals.forecast().expected[:, column[0]]
    likely = deals.forecast().likely[:, column[0]]
    deals.estimate = None
    exact = deals.values(rows, deals.results[:, column])[:, 0]
    assert np.corrcoef(expected, exact)[0, 1] > 0.2 and np.corrcoef(few, exact)[0, 1] > 0.8
    assert (few - expected).std() == pytest.approx(likely.std(), rel=0.4)
    assert abs((few - exact).mean()) < 3 * (few - exact).std() / 48**0.5


def test_what_others_have_called_tells_their_hands() -> None:
    """A novice who bids 4♥ over six cards with the queen and jack of hearts holds more of them, and points."""
    weak = parse_hand("T5432.2.T532.T43")
    six = parse_mask(SIX)
    random = np.random.default_rng(3)
    told, silent = (
        deal_layouts(TowieQuestion(weak, six, (parse_call("4H"),), TowieStakes(), others), 30, random)
        for others in ("novice", "pass")
    )
    right = 0  # the dealer
    lengths = [np.bitwise_count(layouts[:, right] & (SUIT_BITS << 26)).mean() for layouts in (told, silent)]
    assert lengths[0] > lengths[1] + 0.8
    said = [naive_novice_call(card_words(int(deal[right])), card_words(six), []) for deal in told]
    assert said.count("4H") > 25


def test_chances_to_win_follow_the_ledger() -> None:
    """Who has won a game and makes another one ends the game; equals share; far behind they do not win by one deal."""
    deal = np.array([[SUIT_BITS << 39, SUIT_BITS << 26, SUIT_BITS << 13, SUIT_BITS]])  # spades mine, hearts left
    seven = np.array([[parse_call("7S"), 1, ME]])
    tricks = np.array([[13, 13]])
    vulnerable = TowieStakes(vulnerable=frozenset([ME]))
    for scores, expected in (((0, 0, 0), 1.0), ((0, 9000, 0), 0.0), ((0, 210 + 1500 + 1000 + 150, 0), 0.5)):
        found = Prospects(scores, vulnerable, 0).win_chances(deal, seven, tricks)
        assert found[0] == pytest.approx(expected)
    goulash = np.array([[0, 1, ME]])
    even = [Prospects((0, 0, 0), TowieStakes(), asker).win_chances(deal, goulash, 0 * tricks)[0] for asker in range(3)]
    assert sum(even) == pytest.approx(1) and all(abs(share - 1 / 3) < 0.08 for share in even)
    ahead = Prospects((600, 0, 0), vulnerable, 1).win_chances(deal, goulash, 0 * tricks)[0]
    assert ahead > max(even) + 0.15


def test_to_20_chances_to_win_of_five_follow_who_sits_and_who_waits() -> None:
    """Games of novices from the state that the rules give by hand after the deal.

    Callers 0, 1, 2, waiting 3, 4 (vulnerable). Caller 1 makes 4♠: 3 takes the seat, deals next; 4 and 1 wait.
    """
    options = TowieOptions(n_players=5)
    games = frozenset([RIGHT, 4])
    deal = np.array([[SUIT_BITS, SUIT_BITS << 39, SUIT_BITS << 26, SUIT_BITS << 13]])  # left holds the spades
    four = np.array([[parse_call("4S"), 1, LEFT]])
    tricks = np.array([[10, 10]])
    scores = (300, 0, 650, 100, 700)
    stakes = TowieStakes(options, games)
    found = Prospects(scores, stakes, 0).win_chances(deal, four, tricks)[0]
    after = {0: 300, 1: 120 + 500 + 150, 2: 650, 3: 100, 4: 700}  # 150 for the honours
    won = {0: 0, 1: 1, 2: 1, 3: 0, 4: 1}
    state = new_state(options, 5)
    random = np.random.default_rng(5)
    share = 0.0
    for _ in range(RESTS):
        start_game(state, np.array([3, 2, 0, 4, 1]))
        state.ledger[:] = list(after.values())
        state.games[:] = list(won.values())
        play_on(state, np.full(5, NOVICE), random, random)
        winners = np.flatnonzero(state.ledger == state.ledger.max())
        share += (0 in winners) / len(winners) / RESTS
    assert abs(found - share) < 4 * (2 * found * (1 - found) / RESTS) ** 0.5


def test_to_18_points_go_to_each_opponent() -> None:
    four = Contract(parse_call("4S"))
    assert TowieStakes().points(four)[[10, 8]].tolist() == [620, -100]
    vulnerable = TowieStakes(TowieOptions(n_players=5), frozenset([ME, LEFT]))
    assert vulnerable.points(four)[[10, 8]].tolist() == [1120, -300]
    theirs = vulnerable.points(Contract(parse_call("4S"), 2, LEFT))
    assert theirs[[10, 8]].tolist() == [-(240 + 100 + 1000) / 4, 600 / 4]  # one opponent of four, three stay level


def test_the_report_says_what_to_do_and_how_sure(solid: Any) -> None:
    shown = console()
    with shown.capture() as captured:
        shown.print(solid)
    text = " ".join(captured.get().split())
    for words in (
        "Bid 6♠: +",
        "it makes 100.0 % of the time",
        "not looked at further",
        "seed 3",
        "Calls after the call the others call as the player novice does",
        "Contracts double-dummy",
    ):
        assert words in text
    assert "In 6♠ the six cards add" in text and "against an average dummy, with which it makes 100.0 %" in text


def test_a_table_alone_needs_no_trump_and_no_lead(inside: Callable[..., Answer]) -> None:
    deal = "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763"
    alone = tl.solve_towie(deal, table=True, vul="ew")
    led = tl.solve_towie(deal, trump="S", lead="W", table=True)
    assert alone.by_seat == led.by_seat and alone.par is not None and alone.par.score < 0
    assert alone.to_frame().equals(led.to_frame("table")) and alone.to_frame().shape == (4, 6) and "Par" in str(alone)
    row = tl.solve_many([{"deal": deal}], table=True, vul="ew", jobs=1).iloc[0]
    assert [row[f"{seat}_NT"] for seat in "NESW"] == [tricks["NT"] for tricks in alone.by_seat.values()]
    assert inside("solve", "towie", "--deal", deal, "--table", "--json").own["table"]["E"]["D"] == 10
    inside("solve", "towie", "--deal", deal).assert_refused("no trump is given; expected --trump")
