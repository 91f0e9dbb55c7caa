"""How auctions go on and what they come to: the kernels against plain Python on random hands."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.oracles import naive_bowers as naive
from towerlab.games.bowers import MISERE, OPEN, PASS, Auction, BowersOptions, bid_trumps, call_text, to_bid_order
from towerlab.games.cards import card_texts, cards_mask, mask_cards
from towerlab.sim.bowers.continuation import (
    CALL_RULES,
    SolvedBids,
    calls_of_others,
    draw_layouts,
    finish_auctions,
    measure_misfits,
    strain_of,
)
from towerlab.sim.bowers.habits import (
    call_misfit,
    counted_levels,
    habitual_bury,
    highest_call,
    looks_like_misere,
    novice_call,
)
from towerlab.solver.double_dummy import DoubleDummy, Position

PACKS = ("none", "replace_7c", "add")


def texts(mask: int) -> list[str]:
    return card_texts(mask_cards(mask))


def deal(options: BowersOptions, rng: np.random.Generator) -> tuple[list[int], int]:
    cards = [int(card) for card in rng.permutation(mask_cards(options.deck))]
    return [cards_mask(cards[10 * seat : 10 * seat + 10]) for seat in range(3)], cards_mask(cards[30:])


def an_open_auction(rng: np.random.Generator, hands: list[int], options: BowersOptions) -> Auction:
    """Some calls, by lot or as novices make them, after which somebody is still to call."""
    auction = Auction((), options.min_bid)
    rules = options.rules()
    for seat in range(int(rng.integers(0, 6))):
        made = int(novice_call(hands[seat % 3], auction.standing, rules))
        if rng.random() < 0.4:
            made = int(rng.choice(auction.legal_calls()[:20]))
        if auction.after(made).status != OPEN:
            break
        auction = auction.after(made)
    return auction


@pytest.mark.parametrize("others", ["novice", "careful", "pass"])
def test_bo_3_to_6_auctions_go_on_as_in_plain_python(others: str) -> None:
    """Every legal call after random auctions, with and without a joker: also misères, and deals thrown in."""
    rng = np.random.default_rng(5)
    seen = Counter[str]()
    for number in range(60):
        options = BowersOptions(joker=PACKS[number % 3], min_bid=1 + 7 * (number % 4 == 0))
        hands, _ = deal(options, rng)
        if number % 3 == 0:  # hands of low cards, or no misère would be heard
            low = sorted(mask_cards(options.deck & (1 << 52) - 1), key=lambda card: card % 13)[:10]
            rest = [int(card) for card in rng.permutation([c for c in mask_cards(options.deck) if c not in low])]
            hands = [cards_mask(rest[:10]), cards_mask(low), cards_mask(rest[10:20])]
        auction = an_open_auction(rng, hands, options)
        place = len(auction.calls) % 3
        turned = [hands[(place + step) % 3] for step in range(3)]
        calls = np.array(auction.legal_calls(), dtype=np.int64)
        bidder = -1 if auction.bidder is None else (auction.bidder - place) % 3
        standing = (auction.standing, bidder, auction.passes)
        found = finish_auctions(np.array([turned]), calls, *standing, CALL_RULES[others], options.rules(), rng)
        before = [call_text(call) for call in auction.calls]
        cards = [texts(hand) for hand in turned]
        for made, (won, seat) in zip(calls.tolist(), found[0].tolist(), strict=True):
            whole = naive.play_auction_on(cards, before, call_text(made), others, options.min_bid)
            how, who, bid = naive.run_auction(whole)
            assert call_text(won) == bid and seat == (-1 if who is None else (who - place) % 3)
            seen[how] += 1
            seen["misère"] += bid == "M"
            seen["beaten"] += made != PASS and won != made
    assert seen["thrown in"] and seen["misère"] and (seen["beaten"] > 200) == (others != "pass")


def test_a_novice_fits_their_own_calls_and_nobody_elses() -> None:
    """Misfit is 0 for what they call; where it is not 0, they would have called something else."""
    rng = np.random.default_rng(8)
    rules = BowersOptions().rules()
    zeros = 0
    for _ in range(300):
        (hand, *_), _ = deal(BowersOptions(), rng)
        standing = int(rng.integers(0, 40))
        made = int(novice_call(hand, standing, rules))
        assert call_misfit(hand, 0, standing, made, rules) == 0
        for other in (PASS, MISERE, *rng.integers(1, 52, 4).tolist()):
            far = int(call_misfit(hand, 0, standing, other, rules))
            assert far >= 0
            if far and other != made:
                zeros += 1
                continue
            # What fits is their call, or a bid that they count in another trump than their best, or a misère.
            same = naive.level(call_text(other)) == 0 or (
                min(10, naive.counted_eighths(texts(hand), call_text(other).lstrip("0123456789")) // 8)
                == naive.level(call_text(other))
            )
            assert same and (other != PASS or made in (PASS, MISERE))
            assert other != MISERE or looks_like_misere(hand)
    assert zeros > 1000


def test_the_careful_fit_their_own_calls_and_not_those_of_novices() -> None:
    """With a trick in hand a novice's bid is one too many where less may be bid."""
    rng = np.random.default_rng(9)
    rules = BowersOptions().rules()
    far = 0
    for _ in range(400):
        (hand, *_), _ = deal(BowersOptions(), rng)
        standing = int(rng.integers(0, 40))
        levels = counted_levels(hand)
        low = looks_like_misere(hand)
        made, bold = (int(highest_call(levels, spare, low, standing, rules)) for spare in (1, 0))
        assert call_misfit(hand, 1, standing, made, rules) == 0 and (bold == PASS) == (made == PASS)
        far += bold != made and int(call_misfit(hand, 1, standing, bold, rules)) > 0
    assert far > 60


def test_layouts_are_those_in_which_the_others_would_have_called_so() -> None:
    """After novices' own calls the layouts fit far better than chance; without calls all are alike."""
    rng = np.random.default_rng(4)
    options = BowersOptions()
    rules = options.rules()
    better = 0
    for _ in range(12):
        hands, _ = deal(options, rng)
        calls: list[int] = []
        for seat in range(2):
            standing = next((call for call in reversed(calls) if call), PASS)
            calls.append(int(novice_call(hands[seat], standing, rules)))
        spoken = calls_of_others(calls)
        assert spoken[:, 0].tolist() == [1, 2] and spoken[:, 2].tolist() == calls
        pool = options.deck & ~hands[2]
        far = {}
        for wanted in (spoken, spoken[:0]):
            drawn = draw_layouts(pool, wanted, CALL_RULES["novice"], rules, 40, rng)
            assert (np.bitwise_count(drawn) == [10, 10, 2]).all() and (drawn.sum(axis=1) == pool).all()
            far[len(wanted)] = measure_misfits(drawn, spoken, CALL_RULES["novice"], rules).mean()
        better += far[2] < 0.6 * far[0]
    assert better >= 10
    assert draw_layouts(pool, spoken, CALL_RULES["pass"], rules, 3, np.random.default_rng(1)).tolist() == (
        draw_layouts(pool, spoken[:0], CALL_RULES["novice"], rules, 3, np.random.default_rng(1)).tolist()
    )


@pytest.mark.parametrize("joker", PACKS)
@pytest.mark.parametrize("first", [None, 2])
def test_contracts_are_what_the_engine_and_one_search_a_deal_say(joker: str, first: int | None) -> None:
    """Kitty taken, buried by habit, led by the bidder or the eldest; misère made or not; every seat is the bidder."""
    leads = "bidder" if first is None else "left_of_dealer"
    options = BowersOptions(joker=joker, first_lead=leads)
    rng = np.random.default_rng(3)
    solver = DoubleDummy()
    deals = [deal(options, rng) for _ in range(4)]
    layouts = np.array([[hands[1], hands[2], kitty] for hands, kitty in deals], dtype=np.int64)
    bids = ["5S", "4NT", "M", "7D", "P"]
    for row, (hands, kitty) in enumerate(deals):
        contracts = SolvedBids(hands[0], layouts[row : row + 1], 1, options.rules())  # after the eldest
        for seat in range(3):
            for bid in bids:
                number = Auction.parse("6S M").standing if bid == "M" else Auction.parse(bid).standing
                result = np.array([[[number, seat if number else -1]]])
                found = int(contracts.tricks_of(result)[0, 0])
                if number == PASS:
                    assert found == 0
                    continue
                trumps = int(bid_trumps(number))
                played = [int(to_bid_order(hand, number)) for hand in hands]
                if number != MISERE:
                    taken = played[seat] | int(to_bid_order(kitty, number))
                    played[seat] = taken & ~int(habitual_bury(taken, trumps, options.rules().kitty))
                position = Position(
                    tuple(played), trumps, seat if first is None else first, declarer=seat, fewest=number == MISERE
                )
                tricks = solver.tricks(position)
                assert found == (min(tricks, 1) if number == MISERE else tricks)
                assert contracts.tricks[0, seat, strain_of(number)] == found
