"""The linear estimate of double-dummy tricks: its kernel against plain Python, its fit, and the studies of bids."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import slow
from towerlab.analysis.bidding.trick_estimate import FILE, stored_estimate
from towerlab.analysis.bowers.studies import STUDIES as BOWERS
from towerlab.analysis.study import Study, parse_parameters, run_study
from towerlab.analysis.towie.studies import STUDIES as TOWIE
from towerlab.games.bowers import MISERE, bid_of, bid_trumps, to_bid_order
from towerlab.games.cards import NO_TRUMP, cards_mask, mask_cards, trump_field
from towerlab.games.towie.dealing import DUMMY
from towerlab.games.towie.scoring import honours_in
from towerlab.sim.bowers.continuation import bidder_hands
from towerlab.sim.bowers.habits import habitual_bury
from towerlab.sim.towie.outcomes import honour_points
from towerlab.solver.double_dummy.estimate import MOST_LENGTH, TOPS, TrickEstimate, holding_numbers, steps_of


def naive_numbers(hands: list[list[int]], trumps: list[int]) -> list[list[int]]:
    """As `holding_numbers` of one deal, from cards as places in play order."""
    fields = [list(range(13 * field, 13 * field + 13)) for field in range(4)]
    fields[3] = sorted({*fields[3], *trumps})
    numbers = []
    for field in fields:
        in_play = sorted((card for hand in hands for card in hand if card in field), reverse=True)
        row = []
        for hand in hands:
            number = min(sum(card in field for card in hand), MOST_LENGTH)
            for place in range(TOPS):
                number = 2 * number + (place < len(in_play) and in_play[place] in hand)
            row.append(number)
        numbers.append(row)
    return numbers


@pytest.mark.parametrize("trump", [0, NO_TRUMP])
@pytest.mark.parametrize(("count", "size"), [(3, 10), (4, 13), (3, 2)])
def test_holdings_are_those_of_plain_python(trump: int, count: int, size: int) -> None:
    random = np.random.default_rng(size + trump)
    trumps = int(trump_field(trump))
    for _ in range(20):
        cards = random.permutation(52 if trump == NO_TRUMP else 54)[: count * size]  # the bowers are 52 and 53
        hands = [cards[size * seat : size * (seat + 1)].tolist() for seat in range(count)]
        masks = np.array([[cards_mask(hand) for hand in hands]])
        assert holding_numbers(masks, trumps)[0].tolist() == naive_numbers(hands, mask_cards(trumps))


def test_the_bidder_buries_by_habit_and_the_others_follow_from_the_left() -> None:
    random = np.random.default_rng(1)
    cards = random.permutation(np.arange(32)) + 5  # any cards will do
    hands = np.array([[cards_mask(cards[10 * seat : 10 * seat + 10].tolist()) for seat in range(3)]])
    kitties = np.array([cards_mask(cards[30:].tolist())])
    for seat in range(3):
        for bid in (int(bid_of(7, 2)), int(bid_of(5, NO_TRUMP)), MISERE):
            out = bidder_hands(hands, kitties, seat, bid)
            own, left, right = (int(to_bid_order(int(hands[0, (seat + step) % 3]), bid)) for step in range(3))
            if bid != MISERE:
                own |= int(to_bid_order(int(kitties[0]), bid))
                own &= ~int(habitual_bury(own, bid_trumps(bid), 2))
            assert out[0].tolist() == [own, left, right]


def test_to_17_honours_count_for_the_side_that_holds_them() -> None:
    deal = [cards_mask(part.tolist()) for part in np.split(np.random.default_rng(2).permutation(52), 4)]
    out = honour_points(np.array([deal]))
    for declarer in range(3):
        for strain in range(5):
            points = [int(honours_in(hand, strain)) for hand in deal]
            ours = points[declarer] + points[DUMMY]
            assert out[0, declarer, strain] == 2 * ours - sum(points)


@pytest.mark.parametrize("game", ["bowers", "towie"])
def test_chances_add_up_and_follow_the_estimate(game: str) -> None:
    most = 10 if game == "bowers" else 13
    estimate = stored_estimate(game)
    for without in (0, 1):
        chances = estimate.chances(without, most)
        assert chances.sum(axis=1) == pytest.approx(1) and (chances >= 0).all()
        means = chances @ np.arange(most + 1)
        middle = steps_of(np.array([most / 2]), most)[0]
        assert means[middle] == pytest.approx(most / 2, abs=0.1) and (np.diff(means) > 0).all()
        assert (estimate.chances(without, most, 1.0) @ np.arange(most + 1) > means).all()


@pytest.mark.parametrize("study", [BOWERS["trick-estimate"], slow(TOWIE["trick-estimate"])])
def test_the_fit_says_by_how_much_it_is_off(study: Study, tmp_path: Path) -> None:
    result = run_study(study, tmp_path, jobs=1, quiet=True, parameters=parse_parameters(study, ["hands=100"]))
    errors = result.tables["errors"]
    assert errors["n"].tolist() == [400, 400] and (errors["bias"] < errors["spread"]).all()
    with np.load(io.BytesIO(result.files[FILE])) as arrays:
        fitted = TrickEstimate(*(arrays[name] for name in TrickEstimate._fields))
    assert [part.shape for part in fitted] == [part.shape for part in stored_estimate(study.game)]


@pytest.mark.slow
@pytest.mark.parametrize("study", [BOWERS["bid-precision"], TOWIE["bid-precision"]])
def test_intervals_of_bids_hold_the_truth(study: Study, tmp_path: Path) -> None:
    """At every look, of all calls: those still in the race, those that left it, those that were not solved."""
    sizes = ["questions=8", "layouts=64", "seeds=1", "truth=2000", "resamples=20"]
    if study.game == "towie":
        sizes = ["questions=3", "layouts=64", "seeds=1", "truth=200", "resamples=40"]
    result = run_study(study, tmp_path, jobs=1, quiet=True, parameters=parse_parameters(study, sizes))
    coverage = result.tables["coverage"]
    assert (coverage["held"] >= 0.93).all() and {"all", "left early"} <= {*coverage["calls"]}
    bias = result.tables["bias"]
    assert (bias["bias"].abs() < bias["bias_high"] - bias["bias_low"]).all()  # twice the interval: some 4 of 1,000 miss
    precision = result.tables["precision"]
    assert precision["best"].iloc[1] < precision["best"].iloc[0] and (precision["lead"] > 0).all()
