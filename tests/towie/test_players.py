"""Players of Towie, layouts of unseen cards, whole games against the engine, `simulate towie`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.naive_towie import naive_trick
from towerlab.analysis.stats import mean_interval, wilson
from towerlab.games.cards import DECK_52, TRUMPS, card_text, cards_mask, mask_cards, parse_mask
from towerlab.games.towie import TowieOptions
from towerlab.games.towie.auction import BID, strain_of
from towerlab.games.towie.dealing import DUMMY, trick_winner
from towerlab.games.towie.scoring import tricks_needed
from towerlab.sim.choices import deal_two_hands
from towerlab.sim.towie import goulash_pool, sample_layouts, simulate_games
from towerlab.sim.towie.pimc import Pimc
from towerlab.sim.towie.players import NOVICE, RANDOM, card_as_novice, choose, high_card_points
from towerlab.sim.towie.sampling import RENAMINGS, goulash_likelihood, length_odds
from towerlab.sim.towie.state import (
    AUCTION,
    CHANCE,
    LEAD_POSITION,
    PHASE,
    PLAY,
    WON,
    TowieState,
    act_call,
    act_play,
    deal_cards,
    legal_plays,
    new_state,
    position_to_act,
    start_game,
    suit_length,
)
from towerlab.solver.double_dummy import DoubleDummy


def test_a_rotation_has_the_same_first_cards() -> None:
    alike = simulate_games(
        ("novice", "novice", "novice"), 6, np.random.SeedSequence(7)
    )  # who sits where does not matter then
    for rotation in (0, 3):
        assert (
            sorted(alike.points[rotation]) == sorted(alike.points[rotation + 1]) == sorted(alike.points[rotation + 2])
        )


def state_at(seed: int, cards: int, options: TowieOptions | None = None) -> TowieState:
    """A deal between novices in the auction's first call, or after so many cards of its play."""
    options = options or TowieOptions()
    state = new_state(options, 3)
    start_game(state, np.arange(3))
    rng = np.random.default_rng(seed)
    while True:
        if state.now[PHASE] == CHANCE:
            deal_cards(state, rng)
            if cards < 0:
                return state
        held = sum(mask.bit_count() for mask in state.hands.tolist())
        if state.now[PHASE] == PLAY and 52 - held == cards:
            return state
        kind = NOVICE if state.now[PHASE] == PLAY else RANDOM
        choice = choose(kind, state, rng)
        (act_call if state.now[PHASE] == AUCTION else act_play)(state, choice)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(0, 51))
def test_players_choose_legal_cards(seed: int, cards: int) -> None:
    state = state_at(seed, cards)
    rng = np.random.default_rng(seed)
    for kind in (RANDOM, NOVICE):
        card = choose(kind, state, rng)
        assert card & legal_plays(state) and not card & (card - 1)


def test_high_card_points() -> None:
    assert high_card_points(parse_mask("AS KS QS JS TS AH KD QC JC 2C")) == 4 + 3 + 2 + 1 + 4 + 3 + 2 + 1
    assert high_card_points(DECK_52) == 40


def test_novice_wins_as_fourth_hand_as_cheaply_as_they_can_unless_their_partner_does() -> None:
    won = 0
    for seed in range(150):
        state = state_at(seed, 3)
        position = int(position_to_act(state))
        leader = int(state.now[LEAD_POSITION])
        strain = int(strain_of(state.auction[BID]))

        def wins(card: int, state: TowieState = state, at: tuple[int, int, int] = (position, leader, strain)) -> bool:
            trick = state.trick.copy()
            trick[at[0]] = 1 << card
            return int(trick_winner(trick, at[1], at[2])) == at[0]

        winners = [card for card in mask_cards(int(legal_plays(state))) if wins(card)]
        words = [card_text(mask_cards(int(state.trick[(leader + step) % 4]))[0]) for step in range(3)]
        partner_wins = (leader + naive_trick(words, TRUMPS[strain])) % 4 == (position + 2) % 4
        chosen = mask_cards(int(card_as_novice(state)))[0]
        if winners and not partner_wins:
            assert chosen == min(winners)
            won += 1
    assert won > 20


# ------------------------------------------------------------------------------------------------------------ layouts


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(0, 2), st.integers(0, 2))
def test_layouts_of_an_auction_fit_what_is_seen(seed: int, caller: int, goulashes: int) -> None:
    rng = np.random.default_rng(seed)
    cards = rng.permutation(52)
    hand = cards_mask(cards[:13].tolist())
    exposed = cards_mask(cards[13:19].tolist())
    layouts = sample_layouts(caller, hand, exposed, 5, rng, goulash_pool(TowieOptions().rules(), goulashes))
    assert (layouts[:, caller] == hand).all() and ((layouts[:, DUMMY] & exposed) == exposed).all()
    assert (np.bitwise_or.reduce(layouts, axis=1) == DECK_52).all() and (np.bitwise_count(layouts) == 13).all()


def with_shape(pool: np.ndarray, hand: int, shape: list[int]) -> np.ndarray:
    """Those of a pool in which a hand has these suit lengths in any order."""
    return pool[(np.sort(pool[:, hand], axis=1) == shape).all(axis=1)]


def test_layouts_after_a_goulash_have_the_suit_lengths_of_goulashes() -> None:
    """Against plain rejection: goulashes in which the dealer has 4-3-3-3 and dummy's exposed six are 3-2-1-0."""
    hand = parse_mask("AS 9S 5S 2S KH 8H 4H QD 7D 3D JC 6C 2C")
    exposed = parse_mask("KS QS TS AH 2H AD")
    pool = goulash_pool(TowieOptions().rules(), 1)
    rng = np.random.default_rng(3)
    layouts = sample_layouts(0, hand, exposed, 3000, rng, pool)
    spades = np.array([suit_length(int(layout[1]), 3) for layout in layouts])
    weights = np.zeros(14)
    for lengths in with_shape(pool, 0, [3, 3, 3, 4]):
        for names in RENAMINGS:
            if [lengths[0][name] for name in names] == [3, 3, 3, 4]:
                ways = [
                    math.comb(int(lengths[3][name]), faced) for name, faced in zip(names, (0, 1, 2, 3), strict=True)
                ]
                weights[lengths[1][names[3]]] += math.prod(ways)
    expected = (weights / weights.sum()) @ np.arange(14)
    spread = math.sqrt((weights / weights.sum()) @ (np.arange(14) - expected) ** 2)
    assert abs(spades.mean() - expected) < 4 * spread / math.sqrt(len(spades))
    plain = np.array([suit_length(int(one[1]), 3) for one in sample_layouts(0, hand, exposed, 3000, rng)])
    assert spades.std() > 1.2 * plain.std()  # goulash hands are wilder


def test_two_hands_after_a_goulash_follow_the_odds_of_their_lengths() -> None:
    """All 26 unknown cards: the share of each choice of lengths is the pool's, with the prior mixed in."""
    rules = TowieOptions().rules()
    rng = np.random.default_rng(4)
    mine = parse_mask("AS 9S 5S 2S KH 8H 4H QD 7D 3D JC 6C 2C")
    dummy = parse_mask("KS QS TS AH 2H AD 9D 8D KC QC TC 9C 8C")
    pool = goulash_pool(rules, 1)
    odds = length_odds(0, mine, dummy, 1, pool)
    fits = [
        lengths[1][names[3]]
        for lengths in with_shape(with_shape(pool, 0, [3, 3, 3, 4]), 3, [2, 3, 3, 5])
        for names in RENAMINGS
        if [lengths[0][name] for name in names] == [3, 3, 3, 4] and [lengths[3][name] for name in names] == [5, 3, 2, 3]
    ]
    assert odds.sum() == len(fits) > 20
    layouts = np.zeros((40_000, 3), dtype=np.int64)
    unknown = DECK_52 & ~mine & ~dummy
    assert deal_two_hands(unknown, unknown, unknown, 13, 13, rng, layouts)
    weights = goulash_likelihood(layouts[:, 0], 0, mine, dummy, 1, pool)
    spades = np.average([suit_length(int(layout[0]), 3) for layout in layouts], weights=weights)
    expected = (sum(fits) + 3.0) / (len(fits) + 1)  # the prior deals half of six spades
    assert abs(spades - expected) < 0.25


# --------------------------------------------------------------------------------------------------------------- pimc


def test_whether_a_card_makes_the_contract_agrees_with_its_tricks() -> None:
    solver = DoubleDummy()
    different = 0
    for seed in range(100):
        state = state_at(seed, 21)
        pimc = Pimc(TowieOptions(), 4)
        rng = np.random.default_rng(seed)
        need = int(tricks_needed(int(state.auction[BID]))) - int(state.now[WON])
        hands, like = pimc._worlds(state, int(position_to_act(state)), 2, rng)
        exact, quick = (solver.cards_of_many(hands, like, asked)[1] >= need for asked in (0, need))
        assert (exact == quick).all()
        different += len(np.unique(exact)) == 2
    assert different > 5


# ----------------------------------------------------------------------------------------------------------- simulate


def test_novice_beats_random() -> None:
    games = simulate_games(("novice", "random", "random"), 60, np.random.SeedSequence(11))
    low, _ = wilson(int((games.winners == 0).sum()), 60)
    assert low > 1 / 3


@pytest.mark.exhaustive
def test_pimc_beats_novice() -> None:
    """By what settling the ledgers brings them a game, with a 95 % interval over whole rotations of the seats."""
    games = simulate_games(("pimc", "novice", "novice"), 24, np.random.SeedSequence(12), samples=4)
    gained = 3 * games.points[:, 0] - games.points.sum(axis=1)
    assert mean_interval(gained.reshape(-1, 3).mean(axis=1)).low > 0
