"""The player `equilibrium`: it bids and discards as often as the stored solution says, in every naming of the suits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.oracles.equilibrium_model import model_of
from tests.oracles.replayed_deals import OTHER_RULES, STANDARD, deals, dealt_match, read_record, replay
from tests.towers_and_bowers.test_upcard_values import bids_of
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.simulation import stored_solution
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard
from towerlab.games.cards import DECK_24, SUITS, mask_cards, parse_card
from towerlab.games.errors import TowerlabError
from towerlab.sim.towers_and_bowers.info_state import NO_CARD, NO_SOLUTION, NO_SUIT, BidPlan, make_model
from towerlab.sim.towers_and_bowers.match import RECORD_SIZE, play_hand
from towerlab.sim.towers_and_bowers.players import EQUILIBRIUM, PIMC, searched_bids

DRAWS = 1000


def expected_shares(hand: int, up: int, is_dealer: bool) -> dict[str, dict[int, float]]:
    """The stored mixes of a hand and an up-card, in its own suits and cards."""
    bids = bids_of(hand, up)
    names, accepts = (bids.left, bids.answers) if is_dealer else (bids.names, bids.accepts)
    shares = {
        "accepts": {1: accepts, 0: 1 - accepts},
        "names": {NO_SUIT if call == "pass" else SUITS.index(call): share for call, share in names.items()},
    }
    for name, discards in (("discard_for_other", bids.discards), ("discard", bids.own_discards)) if is_dealer else ():
        shares[name] = {parse_card(card): share for card, share in discards.items()}
    return shares


def hands_beside(up: int, cards: int, count: int) -> list[int]:
    others = [card for card in mask_cards(DECK_24) if card != up]
    random = np.random.default_rng(cards)
    return [sum(1 << int(card) for card in random.choice(others, cards, replace=False)) for _ in range(count)]


def drawn_plans(hand: int, up: int, is_dealer: bool, draws: int) -> list[BidPlan]:
    random = np.random.default_rng(up)
    rules = STANDARD.hand_rules
    model = model_of(4)
    return [searched_bids(EQUILIBRIUM, hand, up, is_dealer, rules, model, random) for _ in range(draws)]


@pytest.mark.parametrize("up", ["QS", "JC", "9H", "AD"])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_he_bids_and_discards_as_often_as_is_stored(cards: int, up: str) -> None:
    up_card = parse_card(up)
    mixed = 0
    for hand in hands_beside(up_card, cards, 24):
        for is_dealer in (False, True):
            shares = expected_shares(hand, up_card, is_dealer)
            often = max(min(max(choice.values()), 1 - max(choice.values())) for choice in shares.values())
            draws = DRAWS if often > 0.02 and mixed < 3 else 5
            mixed += draws == DRAWS
            plans = drawn_plans(hand, up_card, is_dealer, draws)
            for name, choice in shares.items():
                made = [int(getattr(plan, name)) for plan in plans]
                possible = {action: share for action, share in choice.items() if share > 0}
                assert set(made) <= possible.keys()
                if len(possible) > 1 and draws == DRAWS:
                    counts = [made.count(action) for action in possible]
                    expected = np.array(list(possible.values())) * draws / sum(possible.values())
                    assert chisquare(counts, expected).pvalue > 1e-5
            if not is_dealer:
                assert {plan.discard for plan in plans} == {plan.discard_for_other for plan in plans} == {NO_CARD}
    assert mixed or cards == 1


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 5])
def test_his_hands_replayed_in_the_engine_are_legal_and_end_alike(cards: int) -> None:
    """With five cards nothing may be stored, and they go on as `pimc`."""
    rules = STANDARD.hand_rules
    model = model_of(5)
    random = np.random.default_rng(1)
    record = np.zeros(RECORD_SIZE, dtype=np.int64)
    for number, deal in enumerate(deals(cards, 20, seed=cards)):
        seats = (EQUILIBRIUM, EQUILIBRIUM if number % 2 else PIMC)
        play_hand(seats, deal[:2], deal[2], rules, model, random, record)
        hand = read_record(record)
        match = dealt_match(deal, STANDARD)
        replay(match, hand)
        outcome = match.state().hand.outcome
        assert outcome.taken == hand.taken[::-1]  # player 0 is the dealer


def test_without_what_is_stored_equilibrium_bids_as_pimc() -> None:
    assert stored_solution(("pimc", "family"), "hand", STANDARD) is NO_SOLUTION
    model = make_model(STANDARD, deal_values(STANDARD))
    rules = STANDARD.hand_rules
    for hand, other, up in deals(2, 10):
        for cards, is_dealer in ((hand, False), (other, True)):
            plans = {
                searched_bids(player, cards, up, is_dealer, rules, model, np.random.default_rng(0))
                for player in (PIMC, EQUILIBRIUM)
            }
            assert len(plans) == 1


def test_under_rules_that_are_not_solved_it_is_refused() -> None:
    with pytest.raises(TowerlabError, match="equilibrium knows the default rules only"):
        stored_solution(("equilibrium", "pimc"), "hand", OTHER_RULES)


def test_the_best_answer_to_equilibrium_counts_with_its_mixes() -> None:
    """It differs from the answer in equilibrium by their floor, and by what the learned policy plays."""
    for seat in ("dealer", "nondealer"):
        against = ask_upcard("KH QH", "9D", seat, against="equilibrium")
        usual = ask_upcard("KH QH", "9D", seat)
        assert {name: against.tower(name) for name in against.actions} == pytest.approx(
            {name: usual.tower(name) for name in usual.actions}, abs=2e-2
        )
