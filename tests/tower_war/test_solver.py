"""Tower War's solvers against slow, obvious versions of the same."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from tests.oracles import naive_tower_war as naive
from towerlab.analysis.tower_war.battle import ask_battle
from towerlab.games.cards import DECK_54, card_text, cards_mask, mask_cards, parse_card, parse_mask
from towerlab.games.tower_war import TowerWar, TowerWarOptions, rules, turns
from towerlab.games.tower_war.rules import FOLLOWER, LEADER, NO_SIDE, OUTCOMES, outcome_adder, outcome_loser
from towerlab.solver.tower_war.battle import (
    MAX_WAYS,
    WAY_CARD,
    WAY_ROOM,
    WAY_SHOWN,
    WAY_SIZE,
    battle_payoffs,
    solve_battle,
    stash_bases,
    war_chances,
    ways_to_play,
)
from towerlab.solver.tower_war.decks import TRIPLES, best_deck, deck_value, pool_value, search_deck, triple_index
from towerlab.solver.tower_war.equilibrium import (
    battle_game,
    best_response,
    best_single_strategy,
    open_play,
    solve_equilibrium,
    strategy_values,
)
from towerlab.solver.tower_war.model import shipped_draft, shipped_hand_values, shipped_model, shipped_stakes
from towerlab.solver.tower_war.pimc import OPTIONS, Battle, average_options, possible_hands

OPTIONS_OF_WAR = TowerWarOptions()
ADVANCED = TowerWarOptions(advanced=True)
BASIC = (5, 5, 5)


def random_hands(dice: random.Random, joker: float = 0.5) -> tuple[list[str], list[str]]:
    pack = [card for card in naive.PACK if card[0] != "X"]
    cards = dice.sample(pack, 6)
    for place, name in ((0, "X1"), (3, "X2")):
        if dice.random() < joker:
            cards[place] = name
    return cards[:3], cards[3:]


def mask_of(hand: list[str]) -> int:
    return cards_mask(parse_card(card) for card in hand)


def ways_of(hand: list[str]) -> tuple[np.ndarray, int]:
    ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    return ways, ways_to_play(mask_of(hand), 0, ways)


def root_value(first: list[str], second: list[str], payoffs: np.ndarray) -> float:
    cells = np.zeros((MAX_WAYS, MAX_WAYS, 3))
    leader, leaders = ways_of(first)
    follower, followers = ways_of(second)
    solve_battle(leader, leaders, follower, followers, payoffs, False, 0, False, cells)
    return max(cells[row, 0, 0] for row in range(leaders))


def test_tw_10_and_13_the_ways_to_play_a_hand_are_the_naive_ones():
    dice = random.Random(1)
    for _ in range(300):
        hand, _ = random_hands(dice)
        ways, count = ways_of(hand)
        found = []
        for row in range(count):
            cards = [card_text(int(card)) for card in ways[row, WAY_CARD : WAY_CARD + 3]]
            shown = [card_text(int(card)) for card in ways[row, WAY_SHOWN : WAY_SHOWN + 3]]
            found.append([c if c == s else f"{c}:{s}" for c, s in zip(cards, shown, strict=True)])
        assert sorted(found) == naive.ways_to_play(hand)
        assert 1 <= count <= MAX_WAYS


def test_a_battle_with_open_hands_equals_naive_minimax():
    dice = random.Random(2)
    pay = {"leader": Fraction(-5), "follower": Fraction(4), None: Fraction(0)}
    adds = {"leader": Fraction(-3, 2), "follower": Fraction(1)}
    payoffs = np.zeros((OUTCOMES, 3))
    for outcome in range(OUTCOMES):
        worth = {LEADER: pay["leader"], FOLLOWER: pay["follower"], NO_SIDE: pay[None]}[int(outcome_loser(outcome))]
        for k in range(3):
            worth += {LEADER: adds["leader"], FOLLOWER: adds["follower"], NO_SIDE: 0}[int(outcome_adder(outcome, k))]
        payoffs[outcome] = float(worth)
    for _ in range(150):
        first, second = random_hands(dice)
        assert root_value(first, second, payoffs) == float(naive.battle_value(first, second, pay, adds)), first + second


def test_a_battle_with_choices_of_size_equals_its_explicit_tree():
    dice = random.Random(3)
    rng = np.random.default_rng(3)
    for _ in range(60):
        payoffs = rng.random((OUTCOMES, 3))
        first, second = random_hands(dice)
        game = battle_game([mask_of(first)], [mask_of(second)], payoffs)
        assert root_value(first, second, payoffs) == pytest.approx(open_play(game)[0][0], abs=1e-12)


def naive_war(stashes: tuple[int, ...], leader: int, frequencies: np.ndarray, hazard: np.ndarray) -> float:
    """P(player 0 wins) of the model in solver/tower_war/battle.py, by plain recursion; frequencies without ties."""
    start = sum(stashes)

    def falls(player: int, action: int, size: int, level: int) -> float:
        return float(rules.fall_probability(hazard, player, action, size, level))

    @lru_cache(None)
    def value(stash: tuple[int, ...], lead: int) -> float:
        level = 1 + (start - sum(stash)) // 3
        groups: dict[tuple[int, int], list[float]] = {}
        for outcome in np.flatnonzero(frequencies):
            turns = [int(outcome_adder(outcome, k)) for k in range(3)]
            order = [side for side in turns if side != NO_SIDE]
            first = next((k for k, side in enumerate(turns) if side != NO_SIDE), 3)
            order += [int(outcome_loser(outcome))] * (3 - len(order))
            group = groups.setdefault((first, order[0]), [0.0, 0.0, 0.0])
            for size in range(3):
                group[size] += frequencies[outcome] * one_battle(stash, lead, level, order, size)
        total = 0.0
        for (_, side), values in groups.items():
            total += max(values) if (lead + side) % 2 == 0 else min(values)
        return total

    def one_battle(stash: tuple[int, ...], lead: int, level: int, order: list[int], size: int) -> float:
        left = list(stash)
        going = 1.0
        won = 0.0
        loser = (lead + order[-1]) % 2
        for side in order:
            player = (lead + side) % 2
            if left[3 * player + size] == 0:
                return won + going * player
            risk = falls(player, rules.PLACE, size, level)
            won += going * risk * player
            going *= 1 - risk
            left[3 * player + size] -= 1
        risk = falls(loser, rules.STACK, size, level)
        return won + going * risk * loser + going * (1 - risk) * value(tuple(left), 1 - lead)

    return value(stashes, leader)


def test_tw_21_the_war_table_equals_plain_recursion():
    # Outcomes whose last pyramid is the battle loser's: the order of adding then tells who stacks.
    rng = np.random.default_rng(4)
    frequencies = np.zeros(OUTCOMES)
    for outcome in range(OUTCOMES):
        turns = [int(outcome_adder(outcome, k)) for k in range(3)]
        full = NO_SIDE not in turns
        if outcome_loser(outcome) != NO_SIDE and (not full or turns[-1] == outcome_loser(outcome)):
            frequencies[outcome] = rng.random()
    frequencies /= frequencies.sum()
    options = TowerWarOptions(kappa_one=2.0, alpha_place=0.03)
    stashes = (2, 1, 3, 1, 3, 2)
    wins = war_chances(stash_bases(stashes[:3], stashes[3:]), frequencies, rules.fall_chances(options.hazard()), 1)
    for leader in (0, 1):
        expected = naive_war(stashes, leader, frequencies, options.hazard())
        assert wins[-1, leader] == pytest.approx(expected, abs=1e-12)


def test_the_war_table_is_fair_between_equals_and_knows_who_is_worse_off():
    wins = shipped_stakes(OPTIONS_OF_WAR).wins
    assert wins[-1, 0] + wins[-1, 1] == pytest.approx(1.0)
    clumsy = shipped_stakes(TowerWarOptions(kappa_one=3.0)).wins
    assert clumsy[-1].max() < wins[-1].min() - 0.1


def test_ties_in_the_war_table_satisfy_their_own_equation():
    frequencies = np.zeros(OUTCOMES)
    frequencies[[0 * 27 + 1 * 9 + 2 * 3 + NO_SIDE, 26 * 3 + LEADER]] = 0.4, 0.6  # a tie with pyramids; leader loses
    falls = rules.fall_chances(TowerWarOptions(collapse="none").hazard())
    wins = war_chances(stash_bases((1, 1, 1), (1, 1, 1)), frequencies, falls, 1)
    # The leader cannot place three of a size: whoever leads the decided battle loses.
    expected = 0.6 / (1 - 0.4 * 0.4) * np.array([0.4, 1.0])
    assert wins[-1] == pytest.approx(expected, abs=1e-9)


def battle_payoffs_of(game: TowerWar) -> np.ndarray:
    return battle_payoffs(game.tower_array(), game.state().leader, 0, shipped_stakes(game.options))


def game_with_hands(first: list[str], second: list[str]) -> TowerWar:
    options = TowerWarOptions(deck_size=3)
    game = TowerWar(options)
    game.decks([mask_of(first), mask_of(second)])
    for hand in (first, second):
        game.draw([parse_card(card) for card in hand])
    return game


def options_of(game: TowerWar, player: int, hands: np.ndarray, choosing: bool = False) -> np.ndarray:
    values = np.zeros(OPTIONS)
    ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    stakes = shipped_stakes(game.options)
    battle = Battle(game.seats_array(), game.tower_array(), game.state().leader)
    own = average_options(battle, player, hands, choosing, stakes, ways, values)
    return values[: 3 if choosing else own]


def test_decisions_in_the_middle_of_a_battle_agree_with_its_root():
    dice = random.Random(6)
    for _ in range(25):
        first, second = random_hands(dice, joker=0.3)
        game = game_with_hands(first, second)
        known = np.array([mask_of(second)])
        root = root_value(first, second, battle_payoffs_of(game))
        values = options_of(game, 0, known)
        assert values.max() == pytest.approx(root, abs=1e-12)
        ways, _ = ways_of(first)
        game.play(int(ways[values.argmax(), WAY_CARD]))
        held = mask_of(first) & ~(1 << int(ways[values.argmax(), WAY_CARD]))
        answers = options_of(game, 1, np.array([held]))
        assert 1 - answers.max() == pytest.approx(root, abs=1e-12)


def test_tw_15_whoever_chooses_a_size_expects_the_leaders_best_next_card():
    """The pyramid can fall under who adds it, in both: the best card counts from the second skirmish on."""
    leader, follower = ["4H", "8H", "3H"], ["2H", "QH", "X1"]
    game = game_with_hands(leader, follower)
    for card in (parse_card("4H"), parse_card("2H")):
        game.play(card)
    chances = options_of(game, 1, np.array([mask_of(leader[1:])]), choosing=True)
    for size, chance in enumerate(chances):
        (after := game.copy()).apply({"action": "add", "player": 1, "size": "LMS"[size], "falls": False})
        stands = 1 - options_of(after, 0, np.array([mask_of(follower[1:])])).max()
        falls = game.fall_probability(rules.PLACE, size)
        assert chance == pytest.approx(stands * (1 - falls), abs=1e-12)


def test_the_hands_an_opponent_may_hold_are_455_and_hold_the_true_one():
    rng = np.random.default_rng(7)
    pack = [int(card) for card in rng.permutation(54)]
    decks = [cards_mask(pack[:15]), cards_mask(pack[15:30])]
    stashes = (9, 9, 9), (9, 9, 9)  # enough for the decks to be shuffled anew
    game = TowerWar(TowerWarOptions(collapse="none"))
    game.decks(decks, stashes)
    room = np.zeros(1000, np.int64)
    looks = []
    while game.phase != "OVER" and game.state().battle < 12:
        for player in (0, 1) if game.phase == "PLAY" else ():
            count = possible_hands(game.seats_array(), player, decks[player], 15, decks[player], room)
            assert int(game.seats_array()[player, turns.HAND]) in room[:count]
            assert len(set(room[:count].tolist())) == count <= 455
            looks.append(count)
        game.apply(game.chance(rng) if game.to_act is None else game.legal().sample(rng))
    assert looks[0] == 455 and game.state().battle > 6


# --------------------------------------------------------------------------------------------- hidden hands


def small_game(leader: str, follower: str):
    sides = [
        [cards_mask(hand) for hand in itertools.combinations(mask_cards(parse_mask(text, DECK_54)), 3)]
        for text in (leader, follower)
    ]
    payoffs = battle_payoffs(rules.new_tower(BASIC, BASIC), 0, 0, shipped_stakes(OPTIONS_OF_WAR))
    return battle_game(*sides, payoffs), battle_game(sides[0][:1], sides[1], payoffs)


def test_an_equilibrium_of_small_decks_cannot_be_exploited():
    game, _ = small_game("AH TH 6C 5C", "KS 9S 4S X1")
    found = solve_equilibrium(game, 300)
    assert game.pairs == 16
    assert 0 <= found.exploitability < 1e-4
    low, high = best_response(game, found.strategy, FOLLOWER)[0], best_response(game, found.strategy, LEADER)[0]
    assert low <= found.value <= high
    assert high - low == pytest.approx(2 * found.exploitability)
    # A player who always takes their first choice can be exploited, and the measure sees it.
    naive_play = np.zeros_like(found.strategy)
    naive_play[:, 0] = 1.0
    value = strategy_values(game, naive_play, LEADER)[0][: game.pairs].mean()
    assert best_response(game, naive_play, LEADER)[0] > value + 0.001


def test_one_strategy_for_all_hands_is_worth_less_than_seeing_them():
    _, open_leader = small_game("AH TH 6C 5C", "KS 9S 4S 7D 2C X1")
    seen = open_play(open_leader)[0][: open_leader.pairs].mean()
    planned, strategy = best_single_strategy(open_leader, LEADER)
    safe = solve_equilibrium(open_leader, 300)
    assert seen >= planned - 1e-12
    assert planned >= safe.value - safe.exploitability * 2 - 1e-9
    assert strategy.sum() > 0
    with pytest.raises(ValueError, match="one hand"):
        best_single_strategy(open_leader, FOLLOWER)


def test_battle_with_hands_known_is_the_exact_minimax():
    dice = random.Random(4)
    for _ in range(12):
        mine, theirs = random_hands(dice)
        for leader in ("me", "them"):
            answer = ask_battle(" ".join(mine), " ".join(theirs), leader=leader)
            side = ("me", "them").index(leader)
            payoffs = battle_payoffs(rules.new_tower(BASIC, BASIC), side, 0, shipped_stakes(OPTIONS_OF_WAR))
            exact = root_value(*((mine, theirs) if leader == "me" else (theirs, mine)), payoffs)
            assert answer.win == pytest.approx(exact if leader == "me" else 1 - exact, abs=1e-12)
            assert answer.pairs == 1 and answer.exploitability == 0 and answer.seen == answer.win
            played = [card for card in answer.line if not card.startswith("size") and card != "none"]
            named = [card.partition(":")[0] for card in played]
            assert len(set(named)) == len(named) and set(named) <= {*mine, *theirs}
            best = {}
            for play in answer.plays:
                best[play.led] = max(best.get(play.led, 0.0), play.win)
            assert min(best.values()) == pytest.approx(answer.win, abs=1e-12)


def test_battle_with_decks_known_is_an_equilibrium_of_all_their_hands():
    hand = "AH TH 6C"
    deck = "KS 9S 4S 7D X1"
    hidden = ask_battle(hand, their_deck=deck, my_deck=hand + " 5C")
    open_hand = ask_battle(hand, their_deck=deck)
    led = ask_battle(hand, their_deck=deck, leader="them")
    assert (hidden.pairs, open_hand.pairs) == (40, 10)
    for answer in (hidden, open_hand, led):
        assert answer.exploitability < 1e-4
        for card in {play.led for play in answer.plays}:
            assert sum(play.mix for play in answer.plays if play.led == card) == pytest.approx(1)
    # What the first cards are worth, as often as they are played, is what the hand is worth.
    assert sum(play.mix * play.win for play in open_hand.plays) == pytest.approx(open_hand.win, abs=1e-9)
    # One plan against somebody who sees the hand is the safe value or more; seeing both hands is best for nobody less.
    assert open_hand.win - 2 * open_hand.exploitability <= open_hand.planned <= open_hand.seen + 1e-12
    assert hidden.planned is None and hidden.line is None and led.recommend is None
    each = [ask_battle(hand, " ".join(held)).win for held in itertools.combinations(deck.split(), 3)]
    assert open_hand.seen == pytest.approx(np.mean(each), abs=1e-12)


# ------------------------------------------------------------------------------------------------ decks and pools


def test_tw_7_the_best_deck_of_a_pool_is_the_best_of_all_subsets():
    rng = np.random.default_rng(9)
    worths = rng.normal(size=TRIPLES).astype(np.float32)
    for _ in range(10):
        cards = [int(card) for card in rng.choice(54, 10, replace=False)]
        found = best_deck(cards_mask(cards), 6, worths)
        expected = max(float(deck_value(cards_mask(deck), worths)) for deck in itertools.combinations(cards, 6))
        assert float(deck_value(found, worths)) == pytest.approx(expected)
        assert int(found).bit_count() == 6 and not int(found) & ~cards_mask(cards)


def test_tw_7_the_search_for_a_deck_finds_the_best_one_almost_always():
    rng = np.random.default_rng(10)
    worths = shipped_hand_values()
    exact = 0
    for _ in range(20):
        pool = cards_mask(int(card) for card in rng.choice(54, 20, replace=False))
        found, best = (float(deck_value(build(pool, 15, worths), worths)) for build in (search_deck, best_deck))
        assert best - 0.02 < found <= best + 1e-6
        exact += found > best - 1e-6
    assert exact >= 15


def test_a_deck_is_worth_the_mean_of_its_hands():
    worths = shipped_hand_values()
    cards = mask_cards(parse_mask("AS KD 7C 7H X1 2S", DECK_54))
    hands = [float(worths[triple_index(*hand)]) for hand in itertools.combinations(cards, 3)]
    assert float(deck_value(cards_mask(cards), worths)) == pytest.approx(math.fsum(hands) / 20, rel=1e-6)


def test_the_shipped_model_prefers_what_is_better():
    def worth(text: str) -> float:
        pool = parse_mask(text, DECK_54)
        return float(pool_value(pool, 5 * max(1, pool.bit_count() // 2), shipped_draft(TowerWarOptions())))

    assert worth("AS KS QS X1 TS") > worth("2S 3D 4C 2H 5D") + 0.5
    assert shipped_model().frequencies.sum() == pytest.approx(1, abs=1e-3)


def test_tw_6_battle_takes_stashes_of_the_advanced_game(inside):
    """Where no pyramid was drafted both games are the same; those that were drafted count."""
    hands: tuple[str, ...] = ("battle", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S")
    hands += ("--their-stash", "LLMMSS")
    basic = inside(*hands, "--my-stash", "LLMMSS", "--json").json
    hands += ("--option", "advanced=true")
    same = inside(*hands, "--my-stash", "LLMMSS", "--json").json
    assert basic["levels"] == same["levels"] == 7 and same["win"] == pytest.approx(basic["win"], abs=1e-9)
    more = inside(*hands, "--my-stash", "LLLMMMSSS", "--levels", "7", "--json").json
    assert more["levels"] == 7 and more["win"] > basic["win"] + 0.01
    assert "Cards in the tower: 6." in inside(*hands, "--my-stash", "LLLMMMSSS").stdout
