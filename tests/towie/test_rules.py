"""Rule kernels of Towie against naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import naive_towie as naive
from tests.oracles.towie_driver import Seats
from towerlab.games.cards import DECK_52, TRUMPS, card_text, cards_mask, mask_cards
from towerlab.games.options import parse_options
from towerlab.games.towie import auction, dealing, scoring
from towerlab.games.towie.options import CUT, MAX_GOULASH, TowieOptions

RULES = TowieOptions().rules()
DOUBLINGS = {"": 1, "X": 2, "XX": 4}
PLACES = {"D": dealing.DEALER, "L": dealing.LEFT, "R": dealing.RIGHT, "N": dealing.DUMMY}


# ----------------------------------------------------------------------------------------------------- the auction


@pytest.mark.parametrize("doubled_counts", [True, False])
def test_to_7_game_contracts(doubled_counts: bool) -> None:
    for number, bid in enumerate(naive.BIDS, 1):
        for doubled, doubling in DOUBLINGS.items():
            expected = naive.naive_is_game(bid, doubled, doubled_counts)
            assert auction.is_game_contract(number, doubling, int(doubled_counts)) == expected, (bid, doubled)
    assert not auction.is_game_contract(0, 1, 1)


@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_to_4_legal_calls_equal_the_naive_twin(lots: list[int]) -> None:
    state = auction.new_auction()
    calls = []
    for lot in lots:
        legal = auction.legal_calls(state)
        assert {auction.call_text(call) for call in legal} == naive.naive_legal_calls(calls)
        assert bool(auction.auction_is_over(state)) == naive.naive_is_over(calls)
        if not legal:
            break
        low = [call for call in legal if call < 12 or call > auction.LAST_BID]  # long auctions
        call = (low or legal)[lot % len(low or legal)]
        auction.make_call(state, call)
        calls.append(auction.call_text(call))
    contract = naive.naive_contract(calls)
    if contract is not None:
        bid, bidder, doubled = contract
        assert auction.contract_text(int(state[0]), int(state[2])) == bid + doubled and state[1] == bidder


# -------------------------------------------------------------------------------------------------------- the scores


@pytest.mark.parametrize("parlett", [False, True])
@pytest.mark.parametrize("slams", [False, True])
def test_to_12_to_18_scores_equal_the_naive_twin(parlett: bool, slams: bool) -> None:
    options = TowieOptions(
        insult="parlett" if parlett else "sheet", slam_bonus="bridge" if slams else "none", overtrick_undoubled=30
    )
    rules = options.rules()
    for number, bid in enumerate(naive.BIDS, 1):
        for doubled, doubling in DOUBLINGS.items():
            for vulnerable in (False, True):
                for tricks in range(14):
                    expected = naive.naive_score(
                        bid, doubled, vulnerable, tricks, parlett=parlett, slams=slams, overtrick=30
                    )
                    found = scoring.deal_score(number, doubling, int(vulnerable), tricks, 0, 0, rules)
                    assert found == expected, (bid, doubled, vulnerable, tricks)


@given(st.sets(st.integers(0, 51), min_size=13, max_size=13), st.integers(0, 4))
def test_to_17_honours_equal_the_naive_twin(hand: set[int], strain: int) -> None:
    words = {card_text(card) for card in hand}
    assert scoring.honours_in(cards_mask(hand), strain) == naive.naive_honours(words, TRUMPS[strain])


# -------------------------------------------------------------------------------------------------------- the ledger


@given(st.lists(st.integers(0, 20_000), min_size=3, max_size=10))
def test_to_19_settlement_adds_up_to_nothing(totals: list[int]) -> None:
    paid = scoring.settlement(totals)
    owed = [[max(0, theirs - mine) for theirs in totals] for mine in totals]  # by player, to player
    assert sum(paid) == 0
    for player, received in enumerate(paid):
        assert received == sum(row[player] for row in owed) - sum(owed[player])


# ------------------------------------------------------------------------------------------------------- the goulash


def shuffled_hands(seed: int) -> np.ndarray:
    hands = np.zeros(4, dtype=np.int64)
    dealing.deal_singly(np.random.default_rng(seed).permutation(52), hands)
    return hands


@given(
    st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["random", "rank_desc"]), st.sampled_from([None, 0, 26])
)
def test_to_9_goulashes_conserve_the_cards(seed: int, times: int, sort: str, cut: int | None) -> None:
    options = TowieOptions(goulash_sort=sort, goulash_cut=cut)
    rng = np.random.default_rng(seed)
    hands = shuffled_hands(seed)
    piles = np.zeros((4, 13), dtype=np.int64)
    pack = np.zeros(52, dtype=np.int64)
    for _ in range(times):
        before = hands.copy()
        at = dealing.goulash(hands, options.rules(), rng, piles, pack)
        for hand in range(4):
            dealing.check_pile(piles[hand].tolist(), int(before[hand]), options.goulash_sort == "rank_desc")
        dealing.check_cut(int(at), cut)
        dealing.check_pack(pack.tolist())
        assert int(np.bitwise_or.reduce(hands)) == DECK_52 and all(np.bitwise_count(hands) == 13)
        words = {place: [card_text(int(c)) for c in piles[hand]] for place, hand in PLACES.items()}
        for place, cards in naive.naive_goulash(words, int(at)).items():
            assert set(cards) == {card_text(card) for card in mask_cards(int(hands[PLACES[place]]))}


def test_to_11_cuts_and_orders_of_suits_are_uniform() -> None:
    rng = np.random.default_rng(7)
    hands = shuffled_hands(3)
    hand = int(hands[0])
    pile = np.zeros(13, dtype=np.int64)
    tops = np.zeros(4)
    cuts = np.zeros(53)
    for _ in range(6000):
        dealing.sort_hand(hand, 0, rng, pile)
        tops[pile[0] // 13] += 1
        cuts[dealing.draw_cut(RULES, rng)] += 1
    assert ((hand >> np.arange(0, 52, 13)) & 0x1FFF).all()  # all four suits are held
    assert (abs(tops / 6000 - 0.25) < 0.03).all()
    assert cuts[:4].sum() == cuts[49:].sum() == 0 and (abs(cuts[4:49] / 6000 - 1 / 45) < 0.012).all()


def test_to_3_six_cards_are_exposed_uniformly() -> None:
    rng = np.random.default_rng(5)
    dummy = int(shuffled_hands(8)[dealing.DUMMY])
    seen = np.zeros(52)
    for _ in range(5000):
        exposed = int(dealing.expose_at_random(dummy, rng))
        dealing.check_exposed(exposed, dummy)
        seen[mask_cards(exposed)] += 1
    assert (abs(seen[mask_cards(dummy)] / 5000 - 6 / 13) < 0.03).all()


# ------------------------------------------------------------------------------------------------ retirement, dealer


@given(st.integers(3, 8), st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=15), st.booleans())
def test_to_20_seats_equal_the_naive_twin(n: int, deals: list[tuple[int, bool]], retiree_waits: bool) -> None:
    names = "ABCDEFGH"[:n]
    table = Seats(names[:3], names[3:], retiree_waits)
    active = list(names[:3])
    waiting = list(names[3:])
    vulnerable = set()
    for seat, made in deals:
        declarer = active[seat]
        vulnerable |= {declarer} if made else set()
        active, waiting = naive.naive_change_seats(active, waiting, vulnerable, seat, retiree_waits)
        table.declares(declarer, made)
        assert table.letters == ("".join(active), "".join(waiting))
        assert sorted("".join(table.letters)) == sorted(names)


# ---------------------------------------------------------------------------------------------------------- the play


def test_to_8_dummy_plays_opposite_declarer() -> None:
    for declarer in range(3):
        order = [int(dealing.hand_at(position, declarer)) for position in range(4)]
        assert order == [declarer, (declarer + 1) % 3, dealing.DUMMY, (declarer + 2) % 3]
        callers = [int(dealing.caller_at(position, declarer)) for position in range(4)]
        assert callers == [declarer, (declarer + 1) % 3, declarer, (declarer + 2) % 3]


@given(st.permutations(range(52)), st.integers(0, 4), st.integers(0, 3))
def test_to_8_following_and_winning_equal_the_naive_twin(cards: list[int], strain: int, leader: int) -> None:
    trick = cards[:4]
    hand = cards[4:12]
    played = np.zeros(4, dtype=np.int64)
    for step, card in enumerate(trick):
        played[(leader + step) % 4] = 1 << card
    words = [card_text(card) for card in trick]
    assert dealing.trick_winner(played, leader, strain) == (leader + naive.naive_trick(words, TRUMPS[strain])) % 4
    held = {card_text(card) for card in hand}
    for led in (0, 1 << trick[0]):
        legal = {card_text(card) for card in mask_cards(int(dealing.legal_cards(cards_mask(hand), led, strain)))}
        assert legal == naive.naive_legal_cards(held, words[0] if led else None)


# ----------------------------------------------------------------------------------------------------------- options


def test_options_of_chapter_3_6_and_their_defaults() -> None:
    options = parse_options(TowieOptions, [])
    assert vars(options) == {
        "n_players": 3, "doubled_counts": True, "honours": True, "slam_bonus": "bridge", "insult": "sheet",
        "overtrick_undoubled": 50, "max_goulash": None, "goulash_sort": "random", "goulash_cut": None,
        "goulash_open": False, "retiree_waits": False, "claims": False,
    }  # fmt: skip
    rules = parse_options(TowieOptions, ["max_goulash=7", "goulash_cut=26"]).rules()
    assert rules[[MAX_GOULASH, CUT]].tolist() == [7, 26]
