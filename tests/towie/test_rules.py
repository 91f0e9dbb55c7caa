"""Rule kernels of Towie against the vectors of RULES 3.7 and against naive twins."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import naive_towie as naive
from tests.oracles.towie_tables import parse_contract
from towerlab.games.cards import (
    DECK_52,
    SUITS,
    TRUMPS,
    card_text,
    cards_mask,
    mask_cards,
    mask_text,
    parse_card,
    parse_cards,
    parse_mask,
)
from towerlab.games.errors import CardError, IllegalAction, OptionError, TowerlabError
from towerlab.games.options import parse_options
from towerlab.games.towie import auction, dealing, ledger, play, scoring, seats
from towerlab.games.towie.options import TowieOptions

RULES = TowieOptions().rules()
DOUBLINGS = {"": 1, "X": 2, "XX": 4}
PLACES = {"D": dealing.DEALER, "L": dealing.LEFT, "R": dealing.RIGHT, "N": dealing.DUMMY}


def contract_of(calls: str) -> tuple[str, int, bool]:
    """Contract, declarer 0..2 from the dealer, and whether it is played, after a finished auction."""
    end = auction.auction_of(auction.parse_auction(calls))
    assert auction.auction_is_over(end), calls
    bid, doubling = int(end[auction.BID]), int(end[auction.DOUBLING])
    text = auction.contract_text(bid, doubling)
    return text, int(end[auction.BIDDER]), bool(auction.is_game_contract(bid, doubling, 1))


def score(contract: str, vulnerable: bool, over: int, options: TowieOptions | None = None) -> tuple[int, int]:
    bid, doubling = parse_contract(contract)
    tricks = int(scoring.tricks_needed(bid)) + over
    rules = (options or TowieOptions()).rules()
    return scoring.deal_score(bid, doubling, int(vulnerable), tricks, 0, 0, rules)


# ----------------------------------------------------------------------------------------------------- the auction


def test_to_4_auction_of_the_sheet() -> None:
    """Dealer S; S 1S, W pass, E 3NT, S pass, W pass: E declares, S leads."""
    assert contract_of("1S pass 3NT pass pass") == ("3NT", dealing.RIGHT, True)
    assert play.hand_at(play.LEADER, dealing.RIGHT) == dealing.DEALER


@pytest.mark.parametrize(
    "calls, contract, declarer, played",
    [
        ("pass pass pass", "", -1, False),
        ("1S pass pass", "1S", 0, False),
        ("2S X pass pass", "2SX", 0, True),
        ("1NT X pass XX pass pass", "1NTXX", 0, True),
        ("3D X pass 3H pass pass", "3H", 0, False),
        ("4H pass X pass pass", "4HX", 0, True),
        ("pass pass 4S pass pass", "4S", 2, True),
    ],
)
def test_to_5_derived_auctions(calls: str, contract: str, declarer: int, played: bool) -> None:
    assert contract_of(calls) == (contract, declarer, played)


def test_to_4_doubled_bidder_may_pass_redouble_or_bid_and_left_may_not_double_again() -> None:
    doubled = auction.auction_of(auction.parse_auction("4H pass X"))
    legal = {auction.call_text(call) for call in auction.legal_calls(doubled)}
    assert {"pass", "XX", "4S", "7NT"} <= legal and "X" not in legal and "4H" not in legal
    with pytest.raises(IllegalAction, match=r"call 5, X by the player on the left.*doubled already.*\(TO-4\)"):
        auction.parse_auction("4H pass X pass X")


@pytest.mark.parametrize(
    "calls, complaint",
    [
        ("1S 1H", "call 2, 1H by the player on the left, is illegal: it is not above 1S"),
        ("X", "nobody has bid yet"),
        ("1S pass pass X", "the auction is over"),
        ("pass 1S pass XX", "only the bidder may redouble"),
        ("1S X XX", "only the bidder may redouble"),
        ("1S pass 2H XX", "only the bidder may redouble"),
        ("8C", "'8C' is not a call"),
        ("1S pass X X", "doubled already"),
    ],
)
def test_to_4_illegal_auctions_name_the_call_and_why(calls: str, complaint: str) -> None:
    with pytest.raises(TowerlabError, match=complaint):
        auction.parse_auction(calls)


def test_to_4_own_bid_cannot_be_doubled() -> None:
    after = auction.auction_of(auction.parse_auction("1S pass"))
    auction.make_call(after, auction.PASS)  # out of order on purpose: the auction is over now
    with pytest.raises(IllegalAction, match="over"):
        auction.verify_call(after, auction.DOUBLE)
    own = np.array([auction.parse_call("1S"), 0, 1, 0, 3])  # the dealer is to call and holds the last bid
    with pytest.raises(IllegalAction, match="1S is the caller's own bid"):
        auction.verify_call(own, auction.DOUBLE)


@pytest.mark.parametrize("text", ["pass", "p", "P", "3nt", "3N", "4♠", "x", "dbl", "redouble", "XX"])
def test_calls_are_read_as_people_write_them(text: str) -> None:
    call = auction.parse_call(text)
    assert auction.parse_call(auction.call_text(call)) == call


@pytest.mark.parametrize("text", ["", "0NT", "8S", "3", "NT", "3Z", "XXX", "4SX"])
def test_what_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(TowerlabError, match="is not a call"):
        auction.parse_call(text)


def test_contracts_are_read_and_written() -> None:
    for bid in range(1, auction.LAST_BID + 1):
        for doubling in (1, 2, 4):
            assert parse_contract(auction.contract_text(bid, doubling)) == (bid, doubling)


@pytest.mark.parametrize("doubled_counts", [True, False])
def test_to_7_game_contracts(doubled_counts: bool) -> None:
    for number, bid in enumerate(naive.BIDS, 1):
        for doubled, doubling in DOUBLINGS.items():
            expected = naive.naive_is_game(bid, doubled, doubled_counts)
            assert auction.is_game_contract(number, doubling, int(doubled_counts)) == expected, (bid, doubled)
    assert not auction.is_game_contract(0, 1, 1)


def test_to_7_low_doubled_contract_is_a_goulash_without_doubled_counts() -> None:
    assert auction.is_game_contract(auction.parse_call("2S"), 2, 1)
    assert not auction.is_game_contract(auction.parse_call("2S"), 2, 0)


@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_to_4_legal_calls_equal_the_naive_twin(lots: list[int]) -> None:
    state, calls = auction.new_auction(), []
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

V, NV = True, False


@pytest.mark.parametrize(
    "contract, vulnerable, over, points",
    [
        ("3NT", V, 0, 1105),  # the sheet's auction
        ("3NT", NV, 0, 605),
        ("3NT", NV, 1, 655),
        ("4S", NV, 0, 620),
        ("4S", V, 2, 1220),
        ("5C", NV, 0, 600),
        ("5DX", NV, 0, 750),
        ("4HX", V, 1, 1540),
        ("4HXX", V, 1, 1980),
        ("3NTX", NV, 2, 960),
        ("3NTXX", NV, 0, 970),
        ("2SX", NV, 0, 670),
        ("6C", NV, 0, 1120),
        ("6S", V, 0, 1930),
        ("6NT", NV, 1, 1260),
        ("7NT", NV, 0, 1745),
        ("7NT", V, 0, 2745),
        ("7SXX", V, 0, 3440),
    ],
)
def test_to_12_to_16_contracts_made(contract: str, vulnerable: bool, over: int, points: int) -> None:
    assert score(contract, vulnerable, over) == (points, 0)


@pytest.mark.parametrize(
    "contract, vulnerable, under, points",
    [
        ("4SX", NV, 5, 1000),
        ("4SX", V, 3, 1000),
        ("4SXX", NV, 3, 800),
        ("4S", V, 2, 300),
        ("7NTXX", V, 13, 10000),
    ],
)
def test_to_18_contracts_failed(contract: str, vulnerable: bool, under: int, points: int) -> None:
    assert score(contract, vulnerable, -under) == (0, points)


@pytest.mark.parametrize(
    "contract, vulnerable, row",
    [
        ("4S", NV, (50, 100, 150, 200, 250, 300, 350, 400)),
        ("4SX", NV, (100, 200, 400, 600, 1000, 1400, 1800, 2200)),
        ("4S", V, (100, 300, 500, 700, 900, 1100, 1300, 1500)),
        ("4SX", V, (200, 600, 1000, 1400, 1800, 2200, 2600, 3000)),
        ("4SXX", V, (400, 1200, 2000, 2800, 3600, 4400, 5200, 6000)),
    ],
)
def test_to_18_undertrick_table(contract: str, vulnerable: bool, row: tuple[int, ...]) -> None:
    assert tuple(score(contract, vulnerable, -under)[1] for under in range(1, 9)) == row


def test_to_14_parlett_pays_a_redoubled_contract_twice() -> None:
    parlett = TowieOptions(insult="parlett")
    assert score("3NTXX", NV, 0, parlett) == (1020, 0)
    assert score("3NTX", NV, 0, parlett) == score("3NTX", NV, 0)


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


@pytest.mark.parametrize(
    "hand, strain, points",
    [
        ("AS KS QS JS TS", "S", 150),
        ("AS KS QS JS 9S", "S", 100),
        ("AS QS JS TS 9S", "S", 100),
        ("AS KS QS 9S 8S", "S", 0),
        ("AS KS QS JS TS", "H", 0),
        ("AS AH AD AC", "NT", 150),
        ("AS AH AD KC", "NT", 0),
        ("AS AH AD AC", "S", 0),
    ],
)
def test_to_17_honours(hand: str, strain: str, points: int) -> None:
    assert scoring.honours_in(parse_mask(hand), TRUMPS.index(strain)) == points


def test_to_17_honours_go_to_declarer_or_to_every_opponent_and_are_an_option() -> None:
    bid = auction.parse_call("4S")
    assert scoring.deal_score(bid, 1, 0, 9, 100, 0, RULES) == (100, 50)
    assert scoring.deal_score(bid, 1, 0, 10, 0, 150, RULES) == (620, 150)
    assert scoring.deal_score(bid, 1, 0, 9, 100, 150, TowieOptions(honours=False).rules()) == (0, 50)


@given(st.sets(st.integers(0, 51), min_size=13, max_size=13), st.integers(0, 4))
def test_to_17_honours_equal_the_naive_twin(hand: set[int], strain: int) -> None:
    words = {card_text(card) for card in hand}
    assert scoring.honours_in(cards_mask(hand), strain) == naive.naive_honours(words, TRUMPS[strain])


# -------------------------------------------------------------------------------------------------------- the ledger


def test_to_19_ledger_of_five_when_the_declarer_fails() -> None:
    totals, games = np.zeros(5, dtype=np.int64), np.array([1, 0, 0, 0, 0])
    _, each = score("4S", V, -2)
    ledger.post(totals, games, 0, 0, each, False)
    assert totals.tolist() == [0, 300, 300, 300, 300] and games.tolist() == [1, 0, 0, 0, 0]
    assert ledger.settlement(totals.tolist()) == [-1200, 300, 300, 300, 300]


def test_to_13_a_contract_made_is_a_game_and_the_second_ends_play() -> None:
    totals, games = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    ledger.post(totals, games, 2, 620, 0, True)
    assert totals.tolist() == [0, 0, 620] and ledger.is_vulnerable(games, 2) and not ledger.game_is_over(games)
    ledger.post(totals, games, 2, 1120, 0, True)
    assert ledger.game_is_over(games) and ledger.overall_winner(totals) == 2


def test_to_21_highest_total_wins_even_if_another_ended_the_game() -> None:
    assert ledger.overall_winner(np.array([1740, 2000, 0])) == 1
    assert ledger.overall_winner(np.array([500, 500, 0])) == ledger.NOBODY


@given(st.lists(st.integers(0, 20_000), min_size=3, max_size=10))
def test_to_19_settlement_adds_up_to_nothing(totals: list[int]) -> None:
    paid = ledger.settlement(totals)
    owed = [[max(0, theirs - mine) for theirs in totals] for mine in totals]  # by player, to player
    assert sum(paid) == 0
    for player, received in enumerate(paid):
        assert received == sum(row[player] for row in owed) - sum(owed[player])


# ------------------------------------------------------------------------------------------------------- the goulash


def suit_from_the_top(suit: str) -> list[str]:
    return [rank + suit for rank in reversed(naive.RANKS)]


PILES = {
    "L": suit_from_the_top("S"),
    "N": suit_from_the_top("H"),
    "R": suit_from_the_top("D"),
    "D": suit_from_the_top("C"),
}


def deal_goulash(piles: dict[str, list[str]], cut: int) -> dict[str, set[str]]:
    """The kernels on words."""
    stacked = np.zeros((4, 13), dtype=np.int64)
    for place, pile in piles.items():
        stacked[PLACES[place]] = [parse_card(card) for card in pile]
    pack, dealt = np.zeros(52, dtype=np.int64), np.zeros(4, dtype=np.int64)
    dealing.stack_piles(stacked, cut, pack)
    dealing.deal_packets(pack, dealt)
    return {place: set(mask_text(int(dealt[hand])).split()) for place, hand in PLACES.items()}


@pytest.mark.parametrize(
    "cut, hands",
    [
        (
            26,
            {
                "L": "AS KS QS JS TS 7C 6C 5C 4C 3C KH QH JH",
                "N": "9S 8S 7S 6S 5S 2C AD KD QD JD TH 9H 8H",
                "R": "4S 3S 2S AC KC TD 9D 8D 7D 6D 7H 6H 5H",
                "D": "QC JC TC 9C 8C 5D 4D 3D 2D AH 4H 3H 2H",
            },
        ),
        (
            4,
            {
                "L": "TD 9D 8D 7D 6D 3H 2H AS KS QS 9C 8C 7C",
                "N": "5D 4D 3D 2D AH JS TS 9S 8S 7S 6C 5C 4C",
                "R": "KH QH JH TH 9H 6S 5S 4S 3S 2S 3C 2C AD",
                "D": "8H 7H 6H 5H 4H AC KC QC JC TC KD QD JD",
            },
        ),
    ],
    ids=["k=26", "k=4"],
)
def test_to_9_to_10_goulash_vectors(cut: int, hands: dict[str, str]) -> None:
    assert deal_goulash(PILES, cut) == {place: set(text.split()) for place, text in hands.items()}
    assert naive.naive_goulash(PILES, cut) == {place: text.split() for place, text in hands.items()}


@given(st.randoms(use_true_random=False), st.integers(0, 51))
def test_to_9_to_10_goulash_equals_the_naive_twin(lots: random.Random, cut: int) -> None:
    cards = [rank + suit for suit in SUITS for rank in naive.RANKS]
    lots.shuffle(cards)
    piles = {place: cards[13 * i : 13 * i + 13] for i, place in enumerate("LNRD")}
    expected = naive.naive_goulash(piles, cut)
    assert deal_goulash(piles, cut) == {place: set(cards) for place, cards in expected.items()}


def test_to_2_deal_goes_singly_from_the_dealers_left() -> None:
    pack = np.random.default_rng(1).permutation(52)
    hands = np.zeros(4, dtype=np.int64)
    dealing.deal_singly(pack, hands)
    expected = naive.naive_deal([card_text(int(card)) for card in pack])
    for place, hand in PLACES.items():
        assert {card_text(card) for card in mask_cards(int(hands[hand]))} == set(expected[place])


def shuffled_hands(seed: int) -> np.ndarray:
    hands = np.zeros(4, dtype=np.int64)
    dealing.deal_singly(np.random.default_rng(seed).permutation(52), hands)
    return hands


@given(
    st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["random", "rank_desc"]), st.sampled_from([None, 0, 26])
)
def test_to_9_goulashes_conserve_the_cards(seed: int, times: int, sort: str, cut: int | None) -> None:
    options = TowieOptions(goulash_sort=sort, goulash_cut=cut)
    rng, hands = np.random.default_rng(seed), shuffled_hands(seed)
    piles, pack = np.zeros((4, 13), dtype=np.int64), np.zeros(52, dtype=np.int64)
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
    rng, hands = np.random.default_rng(7), shuffled_hands(3)
    hand, pile = int(hands[0]), np.zeros(13, dtype=np.int64)
    tops, cuts = np.zeros(4), np.zeros(53)
    for _ in range(6000):
        dealing.sort_hand(hand, 0, rng, pile)
        tops[pile[0] // 13] += 1
        cuts[dealing.draw_cut(RULES, rng)] += 1
    assert ((hand >> np.arange(0, 52, 13)) & 0x1FFF).all()  # all four suits are held
    assert (abs(tops / 6000 - 0.25) < 0.03).all()
    assert cuts[:4].sum() == cuts[49:].sum() == 0 and (abs(cuts[4:49] / 6000 - 1 / 45) < 0.012).all()


def test_to_3_six_cards_are_exposed_uniformly() -> None:
    rng, dummy = np.random.default_rng(5), int(shuffled_hands(8)[dealing.DUMMY])
    seen = np.zeros(52)
    for _ in range(5000):
        exposed = int(dealing.expose_at_random(dummy, rng))
        dealing.check_exposed(exposed, dummy)
        seen[mask_cards(exposed)] += 1
    assert (abs(seen[mask_cards(dummy)] / 5000 - 6 / 13) < 0.03).all()


def test_to_9_piles_packs_and_exposures_that_cannot_be_are_refused() -> None:
    hand = parse_mask("AS KS QS JS TS 9S 8S AH KH QH JH TH 9H", DECK_52)
    by_suit = parse_cards("QS KS AS JS TS 9S 8S 9H KH QH JH TH AH")
    dealing.check_pile(by_suit, hand, False)
    with pytest.raises(IllegalAction, match="TO-11"):
        dealing.check_pile(by_suit, hand, True)
    with pytest.raises(IllegalAction, match="TO-9"):
        dealing.check_pile([*by_suit[1:], by_suit[0]], hand, False)
    with pytest.raises(CardError, match="other cards"):
        dealing.check_pile([parse_card("7S"), *by_suit[1:]], hand, False)
    with pytest.raises(CardError, match="expected 52"):
        dealing.check_pack(by_suit)
    with pytest.raises(CardError, match="AS stands twice"):
        dealing.check_pack([51, 51, *range(50)])
    with pytest.raises(CardError, match="not among dummy's"):
        dealing.check_exposed(parse_mask("2C AS KS QS JS TS"), hand)
    with pytest.raises(CardError, match="5 exposed"):
        dealing.check_exposed(parse_mask("AS KS QS JS TS"), hand)
    with pytest.raises(IllegalAction, match="expected 4 to 48"):
        dealing.check_cut(3, None)
    with pytest.raises(IllegalAction, match="expected 26"):
        dealing.check_cut(25, 26)


# ------------------------------------------------------------------------------------------------ retirement, dealer


class Table:
    """Players by letter on the kernels."""

    def __init__(self, active: str, waiting: str, retiree_waits: bool = False) -> None:
        self.active = np.array([ord(name) - ord("A") for name in active])
        self.waiting = np.array([ord(name) - ord("A") for name in waiting], dtype=np.int64)
        self.games = np.zeros(len(active) + len(waiting), dtype=np.int64)
        self.retiree_waits = int(retiree_waits)

    def declares(self, name: str, made: bool) -> None:
        player = ord(name) - ord("A")
        self.games[player] += made
        seat = self.active.tolist().index(player)
        seats.change_seats(self.active, self.waiting, self.games, seat, self.retiree_waits)

    @property
    def letters(self) -> tuple[str, str]:
        return tuple("".join(chr(ord("A") + player) for player in group) for group in (self.active, self.waiting))  # type: ignore[return-value]


def test_to_20_retirement_of_five() -> None:
    table = Table("ABC", "DE")
    table.declares("A", made=True)
    assert table.letters == ("DBC", "EA")
    table.declares("B", made=False)
    assert table.letters == ("DEC", "AB")
    table.declares("C", made=True)
    assert table.letters == ("DEB", "AC")  # B passes the vulnerable A
    table.declares("D", made=True)
    assert table.letters == ("AEB", "CD")


def test_to_20_retirement_of_four() -> None:
    table = Table("ABC", "D")
    table.declares("A", made=True)
    table.declares("B", made=False)
    assert table.letters == ("DAC", "B")


def test_to_20_retirement_of_four_with_retiree_waits() -> None:
    table = Table("ABC", "D", retiree_waits=True)
    table.declares("A", made=True)
    assert table.letters == ("DBC", "A")
    table.declares("B", made=False)
    assert table.letters == ("DBC", "A")  # B stays


def test_to_20_nobody_moves_at_a_table_of_three() -> None:
    table = Table("ABC", "")
    table.declares("B", made=True)
    assert table.letters == ("ABC", "")


@given(st.integers(3, 8), st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=15), st.booleans())
def test_to_20_seats_equal_the_naive_twin(n: int, deals: list[tuple[int, bool]], retiree_waits: bool) -> None:
    names = "ABCDEFGH"[:n]
    table = Table(names[:3], names[3:], retiree_waits)
    active, waiting, vulnerable = list(names[:3]), list(names[3:]), set()
    for seat, made in deals:
        declarer = active[seat]
        vulnerable |= {declarer} if made else set()
        active, waiting = naive.naive_change_seats(active, waiting, vulnerable, seat, retiree_waits)
        table.declares(declarer, made)
        assert table.letters == ("".join(active), "".join(waiting))
        assert sorted("".join(table.letters)) == sorted(names)


def test_to_22_deal_passes_clockwise() -> None:
    assert [int(seats.next_dealer(seat)) for seat in range(3)] == [1, 2, 0]


# ---------------------------------------------------------------------------------------------------------- the play


def test_to_8_dummy_plays_opposite_declarer() -> None:
    for declarer in range(3):
        order = [int(play.hand_at(position, declarer)) for position in range(4)]
        assert order == [declarer, (declarer + 1) % 3, dealing.DUMMY, (declarer + 2) % 3]
        callers = [int(play.caller_at(position, declarer)) for position in range(4)]
        assert callers == [declarer, (declarer + 1) % 3, declarer, (declarer + 2) % 3]


@given(st.permutations(range(52)), st.integers(0, 4), st.integers(0, 3))
def test_to_8_following_and_winning_equal_the_naive_twin(cards: list[int], strain: int, leader: int) -> None:
    trick, hand = cards[:4], cards[4:12]
    played = np.zeros(4, dtype=np.int64)
    for step, card in enumerate(trick):
        played[(leader + step) % 4] = 1 << card
    words = [card_text(card) for card in trick]
    assert play.trick_winner(played, leader, strain) == (leader + naive.naive_trick(words, TRUMPS[strain])) % 4
    held = {card_text(card) for card in hand}
    for led in (0, 1 << trick[0]):
        legal = {card_text(card) for card in mask_cards(int(play.legal_cards(cards_mask(hand), led, strain)))}
        assert legal == naive.naive_legal_cards(held, words[0] if led else None)


# ----------------------------------------------------------------------------------------------------------- options


def test_options_of_chapter_3_6_and_their_defaults() -> None:
    options = parse_options(TowieOptions, [])
    assert vars(options) == {
        "n_players": 3, "doubled_counts": True, "honours": True, "slam_bonus": "bridge", "insult": "sheet",
        "overtrick_undoubled": 50, "max_goulash": None, "goulash_sort": "random", "goulash_cut": None,
        "goulash_open": False, "retiree_waits": False, "claims": False,
    }  # fmt: skip
    assert parse_options(TowieOptions, ["max_goulash=7", "goulash_cut=26"]).rules()[[5, 7]].tolist() == [7, 26]
    with pytest.raises(OptionError):
        TowieOptions(n_players=2)
    with pytest.raises(OptionError):
        parse_options(TowieOptions, ["goulash_sort=none"])


# ------------------------------------------------------------------------------------------------------ plain Python
