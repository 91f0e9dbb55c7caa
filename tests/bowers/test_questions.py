"""`towerlab bid bowers` and `bury bowers`: against brute force on small hands, and as a user runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import Answer
from tests.oracles import naive_bowers as naive
from tests.oracles.naive_double_dummy import naive_tricks
from towerlab.analysis.bowers import ask_bid, ask_bury
from towerlab.analysis.bowers.bid import BowersQuestion, FollowedCalls
from towerlab.analysis.bowers.bury import distinct_buries, draw_hands
from towerlab.analysis.bowers.score_states import novice_deals, win_chances
from towerlab.analysis.present import percent
from towerlab.games.bowers import (
    ANY_PACK,
    MISERE,
    PASS,
    Auction,
    BowersOptions,
    bid_trumps,
    call_level,
    call_text,
    is_made,
    parse_call,
)
from towerlab.games.cards import DECK_32, card_texts, cards_mask, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.sim.bowers.continuation import PlayedBid, leader_seat

STRONG = "JS JC AS KS QS TS 9S AH AD 7C"
FAIR = "JS JC AS KS 8S 9D TD AH QD 7C"
POOR = "7S 8S QS 7H 9H TH 7D 8D QD 7C"


def small_case(seed: int, own: int, unseen: int) -> tuple[int, int]:
    """Random printed masks of so many cards."""
    cards = [int(card) for card in np.random.default_rng(seed).permutation(mask_cards(DECK_32))]
    return cards_mask(cards[:own]), cards_mask(cards[own : own + unseen])


def all_layouts(unseen: int) -> np.ndarray:
    """Every way to give half of the cards to the left hand."""
    cards = mask_cards(unseen)
    lefts = [cards_mask(chosen) for chosen in combinations(cards, len(cards) // 2)]
    return np.array([(left, unseen & ~left) for left in lefts], dtype=np.int64)


def naive_table(own: int, buries: list[int], contract: PlayedBid, hands: np.ndarray) -> np.ndarray:
    """Tricks [layouts, buries] by plain minimax."""
    trumps = int(bid_trumps(contract.call))
    deals = [[(own & ~bury, int(left), int(right)) for bury in buries] for left, right in hands]
    fewest = contract.call == MISERE
    return np.array([[naive_tricks(deal, trumps, contract.leader, fewest=fewest) for deal in row] for row in deals])


# -------------------------------------------------------------------------------------------------------- drawing


def test_hands_are_drawn_evenly_and_share_no_card():
    _, unseen = small_case(1, 0, 6)
    hands = draw_hands(unseen, 6000, np.random.default_rng(2))
    assert (hands[:, 0] & hands[:, 1] == 0).all() and (hands[:, 0] | hands[:, 1] == unseen).all()
    counts = np.unique(hands[:, 0], return_counts=True)[1]
    assert len(counts) == comb(6, 3) and abs(counts - 300).max() < 5 * np.sqrt(300)


def test_bo_8_the_first_leader_is_counted_from_the_bidder():
    bidder = BowersOptions().rules()
    eldest = BowersOptions(first_lead="left_of_dealer").rules()
    assert [leader_seat(bidder, place) for place in range(3)] == [0, 0, 0]
    assert [(place + leader_seat(eldest, place)) % 3 for place in range(3)] == [0, 0, 0]


# -------------------------------------------------------------------------------------------------------- burying


@pytest.mark.parametrize(("bid", "leader"), [("1S", 0), ("1D", 1), ("1NT", 1)])
def test_buries_are_worth_what_brute_force_says(bid: str, leader: int):
    own, unseen = small_case(7 + leader, 6, 8)
    contract = PlayedBid(parse_call(bid), leader)
    own, others = contract.order(own), contract.order(unseen)
    layouts = contract.orders(all_layouts(unseen))
    classes = distinct_buries(own, others, int(bid_trumps(contract.call)), 2)
    everyone = [cards_mask(two) for two in combinations(mask_cards(own), 2)]
    assert sorted(bury for same in classes.values() for bury in same) == sorted(everyone)
    naive = dict(zip(everyone, naive_table(own, everyone, contract, layouts).T, strict=True))
    found = contract.tricks(own & ~np.array(list(classes), dtype=np.int64), layouts).T
    for place, same in enumerate(classes.values()):
        for bury in same:  # also those that were not played out
            assert (naive[bury] == found[:, place]).all()


def ask_mask(text: str) -> int:
    from towerlab.games.cards import parse_mask

    return parse_mask(text, ANY_PACK)


# -------------------------------------------------------------------------------------------------------- bidding


@pytest.mark.parametrize(
    ("hand", "auction", "options"),
    [
        (FAIR, "P 5H", {}),
        (STRONG, "6S P", {"first_lead": "left_of_dealer"}),
        ("X1 7S 8S 7H 8H 7D 8D 9D 7C 8C", "6H", {"joker": "add", "opponents_score_when_made": True}),
    ],
)
def test_what_follows_a_call_is_what_the_naive_twin_says(hand: str, auction: str, options: dict[str, object]):
    """The auction goes on call by call in plain Python, the deal is buried and played out naively."""
    given = BowersOptions(**options)
    called = Auction.parse(auction)
    asked = BowersQuestion(ask_mask(hand), called, given.rules())
    found = FollowedCalls(asked, 4, seed=3, quiet=True)
    before = [call_text(call) for call in called.calls]
    mine = card_texts(mask_cards(asked.hand))
    for row in range(4):
        theirs = [card_texts(mask_cards(int(held))) for held in found.contracts.hands[row, 1:]]
        for place, call in enumerate(asked.calls):
            whole = naive.play_auction_on([mine, *theirs], before, call_text(call), "novice")
            _, who, bid = naive.run_auction(whole)
            assert call_text(int(found.results[row, place, 0])) == bid
            assert who is not None and found.results[row, place, 1] == (who - asked.place) % 3


def test_passing_is_worth_what_happens_when_somebody_else_plays():
    """With a poor hand over a bid: those who pass defend; if nobody bids the deal is thrown in and worth nothing."""
    answer = ask_bid(POOR, "5S", kitties=4, quiet=True, jobs=1)
    passed = answer.actions[0]
    assert passed.defends == 1 and passed.declares == 0 and passed.score.mean != 0 and passed.make is None
    assert answer.defending.by == "right"
    assert answer.to_json()["defending"]["bid"] == "5S"
    silent = ask_bid(POOR, others="pass", kitties=1, quiet=True, jobs=1)
    assert silent.actions[0].score[:3] == (0, 0, 0) and silent.actions[0].defends == 0
    assert silent.defending is None and "pass from now on" in silent.assumes["score"]
    assert all(action.declares == 1 for action in silent.actions[1:])


def test_near_the_end_of_a_game_the_score_decides():
    """With 44 points a bid of six wins the game at once: nothing more is needed, and a seven only risks it."""
    near = ask_bid(STRONG, scores="44,10,10", kitties=6, quiet=True, jobs=1)
    by_call = {call_text(action.call): action for action in near.actions}
    assert by_call["6S"].win.mean == pytest.approx(by_call["6S"].make, abs=0.1)
    assert by_call["6S"].win.mean > by_call["10S"].win.mean
    assert near.to_json()["scores"] == [44, 10, 10] and "novices" in near.assumes["win"]
    level = ask_bid(STRONG, scores="0,0,0", kitties=6, quiet=True, jobs=1)
    assert 0.2 < level.actions[0].win.mean < by_call["6S"].win.mean
    doubled = ask_bid(STRONG, doubled=True, kitties=2, quiet=True, jobs=1)
    single = ask_bid(STRONG, kitties=2, quiet=True, jobs=1)
    assert [action.score.mean for action in doubled.actions] == pytest.approx(
        [2 * action.score.mean for action in single.actions]
    )


def test_bo_14_states_of_the_score_are_what_playing_on_says():
    """Against whole games between novices that start there; somebody who has won has won."""
    options = BowersOptions()
    tables = win_chances((44, 30, 30), 0, 1, options)
    six = parse_call("6S")
    made = 7
    assert tables[six, 0, made] == 1 and tables[PASS, 0, 0] == tables[PASS, 2, 5]
    deals = novice_deals(options, 4000)
    assert deals.shape == (4000, 3) and abs(deals.mean(axis=0)).max() < 3
    naive_wins = []
    rng = np.random.default_rng(1)
    for _ in range(3000):
        scores = [44 - 6, 30 + 5, 30 + 5]
        dealer = 0
        factor = 1
        while max(scores) < 50 or sorted(scores)[-1] == sorted(scores)[-2]:
            row = deals[rng.integers(len(deals))]
            for place in range(3):
                scores[(dealer + 1 + place) % 3] += factor * int(row[place])
            factor, dealer = (1 if row.any() else 2), (dealer + 1) % 3
        naive_wins.append(scores.index(max(scores)) == 0)
    share = float(np.mean(naive_wins))
    assert abs(share - tables[six, 0, 5]) < 4 * (0.25 / 2000 + 0.25 / 3000) ** 0.5


def test_bid_for_programs(inside: Callable[..., Answer]):
    answer = inside(
        "bid", "bowers", "--hand", FAIR, "--auction", "P 6NT", "--kitties", "12", "--seed", "3", "--json"
    ).json
    assert answer["layouts"] == answer["kitties"] == 12
    bids = [action["bid"] for action in answer["actions"]]
    assert bids[:6] == ["P", "6C", "6D", "6H", "6S", "M"] and len(bids) == 26
    looked_at = {strain: shares for strain, shares in answer["tricks"].items() if shares is not None}
    assert looked_at and all(len(shares) == 11 and sum(shares) == pytest.approx(1) for shares in looked_at.values())
    passed = answer["actions"][0]
    assert (passed["bid"], passed["make"]) == ("P", None) and passed["defends"] + passed["declares"] == 1
    for action in answer["actions"][1:]:
        call = parse_call(action["bid"])
        strain = "misere" if call == MISERE else action["bid"].lstrip("0123456789")
        assert (action["make"] is None) == (strain not in looked_at)
        if strain in looked_at:
            made = sum(share for tricks, share in enumerate(looked_at[strain]) if is_made(call, tricks))
            assert action["make"] == pytest.approx(made)
        assert action["interval"][0] <= action["score"] <= action["interval"][1]
    assert answer["recommend"] == max(answer["actions"], key=lambda action: action["score"])["bid"]


def test_a_clear_case_stops_early_and_the_same_seed_says_the_same():
    first = ask_bid(POOR, "9S", kitties=400, seed=5, quiet=True, jobs=1)
    assert first.recommend == "P" and first.decided and first.kitties < 400
    one, again, other = (ask_bid(FAIR, kitties=2, seed=seed, quiet=True) for seed in (5, 5, 6))
    assert one.to_json() == again.to_json() and one.tricks.tolist() != other.tricks.tolist()


def test_with_10s_over_them_only_passing_is_left():
    answer = ask_bid(FAIR, "10S", kitties=1, quiet=True)
    assert answer.recommend == "P" and answer.decided
    assert answer.to_json()["runner_up"] is None


def test_a_kitty_of_three_with_an_added_joker():
    answer = ask_bury("X1 JS JC AS KS 8S 9D TD AH QD 7C 7H 8H", "6S", BowersOptions(joker="add"), layouts=2, quiet=True)
    assert len(answer.buries) == comb(13, 3) and len(answer.recommend.split()) == 3
    assert "X1" not in answer.recommend
    assert ask_bid("X1 " + FAIR[3:], options=BowersOptions(joker="add"), kitties=1, quiet=True).layouts == 1


def test_bury_for_programs(inside: Callable[..., Answer]):
    hand = FAIR + " KC 8H"
    answer = inside("bury", "bowers", "--hand", hand, "--bid", "7S", "--layouts", "20", "--json").json
    assert len({bury["bury"] for bury in answer["buries"]}) == len(answer["buries"]) == 66
    assert answer["recommend"] == answer["buries"][0]["bury"]
    ranks = [(-bury["score"], -bury["tricks"]) for bury in answer["buries"]]
    assert ranks == sorted(ranks)
    best = answer["buries"][0]
    for bury in answer["buries"]:
        assert bury["difference"] == pytest.approx(bury["score"] - best["score"])
        assert bury["interval"][0] <= bury["difference"] <= bury["interval"][1]
        assert 0 <= bury["make"] <= 1 and call_level(parse_call("7S")) >= 7 * bury["make"]
    assert answer["distinct"] < 66


def test_python_callers_are_refused_too():
    with pytest.raises(TowerlabError, match="expected at least 1"):
        tl.bid_bowers(STRONG, kitties=0)
    with pytest.raises(TowerlabError, match="place"):
        tl.bury_bowers(STRONG + " 8C KD", "6S", place=3)


def test_reasons_change_with_their_numbers() -> None:
    """What a bid and a bury say for themselves is read off the numbers of the answer."""
    bid = ask_bid(STRONG, kitties=3, quiet=True, jobs=1)
    rows = {value.call: value for value in bid.actions}
    assert f"is made {percent(bid.best.make or 0)} of the time" in bid.why
    passed = replace(rows[PASS], defends=0.125)
    others = tuple(value for value in bid.actions if value.call != PASS)
    assert "after a pass you defend 12.5 % of the time" in replace(bid, actions=(passed, *others)).why
    assert replace(bid, actions=(passed,)).why.startswith("After a pass you defend 12.5 %")
    bury = ask_bury(STRONG + " 8C KD", "9S", layouts=3, quiet=True)
    best = replace(bury.buries[0], make=0.375, tricks=4.25)
    assert "you make the bid 37.5 % of the time, 4.25 tricks" in replace(bury, buries=(best, *bury.buries[1:])).why
