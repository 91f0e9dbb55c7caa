"""Bowers simulated: the same game as the engine's, what players may know, and who beats whom."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import towerlab as tl
from tests.oracles import naive_bowers as naive
from towerlab.games.bowers import (
    PASS,
    BowersOptions,
    bid_trumps,
    call_text,
    from_bid_order,
    parse_call,
    shuffled_pack,
    to_bid_order,
)
from towerlab.games.bowers import state as places
from towerlab.games.cards import (
    DECK_32,
    NO_TRUMP,
    TRUMPS,
    card_text,
    card_texts,
    mask_cards,
    parse_mask,
    to_play_order,
    to_printed,
    trump_field,
)
from towerlab.games.tricks import field_of
from towerlab.sim.bowers import MOST_DEALS, Pimc, result_values, simulate_units
from towerlab.sim.bowers.games import advance
from towerlab.sim.bowers.habits import TrickView, counted_tricks, habitual_bury, novice_card, random_call
from towerlab.sim.bowers.pimc import fits_bid
from towerlab.sim.choices import deal_two_hands

RULES = BowersOptions().rules()
JOKERS = st.sampled_from(["none", "replace_7c", "add"])
SEEDS = st.integers(0, 2**32)
TABLES = st.tuples(*[st.sampled_from(["random", "novice"])] * 3)


# ------------------------------------------------------------------------------------------ the engine's own game


def test_deals_do_not_depend_on_who_plays_them(tmp_path: Path) -> None:
    first = []
    dealers = []
    for name in ("random", "novice", "pimc:1"):
        players = (name, name, "random")
        file = tmp_path / f"{name}.jsonl"
        options = {"target": 1}
        tl.simulate("bowers", players, 1, seed=1, options=options, jobs=1, quiet=True, transcripts=file)
        first.append(file.read_text().splitlines()[1])
        dealers.append(
            simulate_units("deal", 0, 4, players, BowersOptions(), np.random.SeedSequence(1)).dealers.tolist()
        )
    assert first[0] == first[1] == first[2] and dealers[0] == dealers[1] == dealers[2]


def test_a_game_that_nobody_bids_in_is_called_off() -> None:
    assert MOST_DEALS >= 100
    state = places.new_state()
    places.start_game(state, 0)
    pack = np.array(mask_cards(DECK_32), dtype=np.int64)
    generator = np.random.default_rng(1)
    kinds = np.array([0, 0, 0], dtype=np.int64)
    advance(state, kinds, RULES, pack, generator, generator, 2)
    assert state[places.DEALS] == 2 and state[places.PHASE] == places.DEAL and state[places.WINNER] == -1


def test_a_deal_is_won_by_the_most_points_alone() -> None:
    players = ("novice", "random", "random")
    winners, points, _ = simulate_units("deal", 0, 200, players, BowersOptions(), np.random.SeedSequence(4))
    for winner, row in zip(winners, points, strict=True):
        best = [player for player in range(3) if row[player] == row.max()]
        assert winner == (best[0] if len(best) == 1 else -1)
    assert (winners >= 0).any() and (winners < 0).any()


# --------------------------------------------------------------------------------------------------------- layouts


@given(SEEDS, st.integers(0, 3), st.integers(1, 10))
def test_layouts_fit_what_has_been_seen(seed: int, rest: int, size: int) -> None:
    random = np.random.default_rng(seed)
    cards = random.permutation(np.array(mask_cards(DECK_32)))[: 2 * size + rest]
    truth = [sum(1 << int(card) for card in part) for part in np.split(cards, [size, 2 * size])]
    pool = truth[0] | truth[1] | truth[2]
    suits = [0x1FFF << 13 * suit for suit in range(4)]
    may = [pool & ~sum(suit for suit in suits if not suit & truth[seat] and random.random() < 0.7) for seat in (0, 1)]
    found = np.empty((20, 3), dtype=np.int64)
    assert deal_two_hands(pool, may[0], may[1], size, size, random, found)
    for first, second, left_over in found.tolist():
        assert first ^ second ^ left_over == pool == first | second | left_over
        assert first.bit_count() == second.bit_count() == size
        assert first & ~may[0] == 0 and second & ~may[1] == 0


def test_every_layout_that_fits_is_as_likely_as_any_other() -> None:
    pool = 0b1111111
    first_may = 0b0001111
    second_may = 0b0111100
    fitting = [
        (sum(1 << card for card in first), sum(1 << card for card in second))
        for first in itertools.combinations(range(7), 2)
        for second in itertools.combinations(set(range(7)) - set(first), 3)
        if all(first_may >> card & 1 for card in first) and all(second_may >> card & 1 for card in second)
    ]
    found = np.empty((20_000, 3), dtype=np.int64)
    assert deal_two_hands(pool, first_may, second_may, 2, 3, np.random.default_rng(1), found)
    counts = Counter((first, second) for first, second, _ in found.tolist())
    assert set(counts) == set(fitting)
    expected = len(found) / len(fitting)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < len(fitting) + 5 * (2 * len(fitting)) ** 0.5


def test_no_layout_fits_a_contradiction() -> None:
    found = np.empty((1, 3), dtype=np.int64)
    assert not deal_two_hands(0b111111, 0b000111, 0b000111, 3, 3, np.random.default_rng(1), found)


# ---------------------------------------------------------------------------------------------------------- habits


@given(SEEDS, JOKERS, st.sampled_from(TRUMPS))
def test_the_novice_counts_and_buries_as_its_naive_twin(seed: int, joker: str, trump: str) -> None:
    options = BowersOptions(joker=joker)
    pack = shuffled_pack(options, np.random.default_rng(seed))
    hand, kitty = (sum(1 << card for card in cards) for cards in (pack[:10], pack[30:]))
    number = TRUMPS.index(trump)
    assert counted_tricks(hand, number) == naive.counted_eighths(card_texts(mask_cards(hand)), trump)
    held = int(to_play_order(hand | kitty, number, True))
    buried = int(habitual_bury(held, int(trump_field(number)), options.kitty))
    assert buried & ~held == 0 and buried.bit_count() == options.kitty
    texts = card_texts(mask_cards(hand | kitty))
    chosen = card_texts(mask_cards(int(to_printed(buried, number, True))))
    assert any(naive.goes_first(texts, order, trump) for order in itertools.permutations(chosen))


STRONG = "JC JS AC KC QC TC AH AD 9H 8H"


def test_random_takes_the_next_rung_or_passes() -> None:
    random = np.random.default_rng(1)
    over = Counter(call_text(int(random_call(parse_call("6NT"), 1, random))) for _ in range(400))
    assert set(over) == {"P", "6C", "6D", "6H", "6S"} and 150 < over["P"] < 250
    assert {call_text(int(random_call(parse_call("6S"), 1, random))) for _ in range(50)} == {"P", "M"}
    assert {int(random_call(parse_call("10S"), 1, random)) for _ in range(20)} == {PASS}


def sight(hand: str, led: str = "", best: str = "", trump: str = "C", **known: Any) -> TrickView:
    """What a player sees who holds `hand`; all other cards are unseen."""
    number = TRUMPS.index(trump)
    trumps = int(trump_field(number))
    mine, led_card, best_card = (
        int(to_play_order(parse_mask(text), number, True)) for text in (hand, led, best or led)
    )
    field = int(field_of(led_card, trumps)) if led else 0
    unseen = int(to_play_order(DECK_32 & ~parse_mask(hand), number, True)) & ~(led_card | best_card)
    values = {"enemy_wins": 1, "declarer_to_come": 0, "is_declarer": 0, "wants_none": 0} | known
    return TrickView(mine, mine & field or mine, unseen, field, best_card, trumps=trumps, **values)


@pytest.mark.parametrize(
    "seen, card",
    [
        (sight("JC 9C AS 7H", is_declarer=1), "JC"),  # draws trumps
        (sight("AS 7H 9C"), "AS"),  # cashes a master
        (sight("KS 7S 9H", led="QS", is_declarer=1), "KS"),  # wins
        (sight("AS KS 7H", led="QS"), "KS"),  # as cheaply as they can
        (sight("AS 7S 7H", led="QS", enemy_wins=0), "7S"),  # their partner has it
        (sight("KS 7S 7H", led="QS", enemy_wins=0, declarer_to_come=1), "7S"),
        (sight("KS 8S 7H", led="QH", best="QH"), "7H"),
        (sight("9C 7S", led="AH"), "9C"),  # ruffs
        (sight("QS 8S 7H", led="KS", trump="NT", is_declarer=1, wants_none=1), "QS"),  # ducks high
        (sight("AS 7S", led="KS", trump="NT", is_declarer=1, wants_none=1), "7S"),
        (sight("AS QS 7S", led="KS", trump="NT", wants_none=1, declarer_to_come=1), "7S"),
        (sight("AS QS 7S", led="KS", trump="NT", wants_none=1, enemy_wins=0), "AS"),  # the bidder is beaten anyway
    ],
)
def test_what_the_novice_plays(seen: TrickView, card: str) -> None:
    number = TRUMPS.index("C") if seen.trumps == trump_field(0) else NO_TRUMP
    assert card_text(mask_cards(int(to_printed(novice_card(seen), number, True)))[0]) == card


# ------------------------------------------------------------------------------------------------------------ pimc


def test_worth_of_a_deal_is_points_less_the_mean_of_the_others() -> None:
    worths = result_values(BowersOptions(opponents_score_when_made=True))
    for call, tricks in itertools.product(("1NT", "6S", "M", "7H", "9NT"), range(11)):
        points = naive.points(call, (tricks, 10 - tricks, 0), made_scores=True)
        others = (points[1] + points[2]) / 2
        assert worths[parse_call(call), 0, tricks] == points[0] - others
        assert worths[parse_call(call), 1, tricks] == others - (points[0] + others) / 2


def ending(call: str, mine: str, hidden: str, taken: tuple[int, int, int], trick: str = "") -> places.Ints:
    """Seat 0, the bidder, is to play; everything but their cards, `hidden` ones and the trick has been played."""
    state = places.new_state()
    bid = parse_call(call)
    places.start_game(state, 2)
    state[places.PHASE], state[places.TO_ACT], state[places.BIDDER], state[places.STANDING] = places.PLAY, 0, 0, bid
    state[places.TAKEN : places.TAKEN + 3] = taken
    state[places.HANDS] = to_bid_order(parse_mask(mine), bid)
    state[places.PLAYED] = to_bid_order(DECK_32 & ~parse_mask(f"{mine} {hidden}"), bid)
    cards = [int(to_bid_order(parse_mask(text), bid)) for text in trick.split()]
    state[places.CARDS_IN_TRICK], state[places.TRICK : places.TRICK + len(cards)] = len(cards), cards
    if cards:
        state[places.LED] = field_of(cards[0], bid_trumps(bid))
        state[places.BEST] = max(cards)
        state[places.BEST_SEAT] = 3 - len(cards)
    return state


@pytest.mark.parametrize(
    "state, card",
    [
        # Their ace is safe only after the last trump is drawn.
        (ending("5C", "JC AS", "JS 8H AD KD", (3, 5, 0)), "JC"),
        # At misère they get rid of the queen under the king: the ten may be led next.
        (ending("M", "QS 8S", "TS 7D 8D 9D", (0, 4, 4), trick="KS 9S"), "QS"),
    ],
)
def test_pimc_takes_what_is_sure(state: places.Ints, card: str) -> None:
    bid = int(state[places.STANDING])
    chosen, named = Pimc(BowersOptions(), np.random.default_rng(1), 20).choose_card(state)
    assert card_text(mask_cards(int(from_bid_order(chosen, bid)))[0]) == card and named == 0


# -------------------------------------------------------------------------------------------------------- commands


def test_a_defender_believes_that_the_bidder_holds_what_they_bid() -> None:
    weak, strong, stronger = (
        int(to_bid_order(parse_mask(text), parse_call("6C")))
        for text in ("9C 8C QD 9D TH 8H 7H TS 9S 7S", "JC AC KC 9C 8C AD KD 9H 8H TS", STRONG)
    )
    held = np.array([weak, strong, weak, stronger], dtype=np.int64)
    assert fits_bid(held, parse_call("6C")).tolist() == [False, True, False, True]
    assert fits_bid(held, parse_call("9C")).tolist() == [False, False, False, True]  # the best quarter


@pytest.mark.exhaustive
def test_pimc_beats_novice_and_novice_beats_random() -> None:
    """In the same seat on the same deals against the same two: their lead over them grows by more than two errors."""
    for better, worse, deals in (("pimc", "novice", 120), ("novice", "random", 1000)):
        growth = lead(better, worse, deals) - lead(worse, worse, deals)
        assert growth.mean() > 2 * growth.std() / deals**0.5


def lead(player: str, others: str, deals: int) -> np.ndarray:
    """Points of a player less the mean of two others, deal by deal."""
    _, points, _ = simulate_units(
        "deal", 0, deals, (player, others, others), BowersOptions(), np.random.SeedSequence(1)
    )
    return points[:, 0] - points[:, 1:].mean(axis=1)
