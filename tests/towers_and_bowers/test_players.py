"""The players and the batch simulator of Towers & Bowers: same rules as the engine, nothing seen that is hidden."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.oracles.claim_beliefs import belief_of
from tests.oracles.replayed_deals import (
    OTHER_RULES,
    STANDARD,
    Deal,
    PlayedHand,
    deals,
    dealt_match,
    read_record,
    replay,
)
from tests.oracles.small_simulations import play
from towerlab.analysis.stats import bounded_interval
from towerlab.analysis.study.workers import chunk_seed
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.simulation import EQUILIBRIUM, play_batch, stored_solution
from towerlab.analysis.towers_and_bowers.values import evaluate_view
from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards, parse_card
from towerlab.games.jit import uncompiled
from towerlab.games.towers_and_bowers import Phase, TowersAndBowersOptions, View
from towerlab.sim.batch import BatchRequest
from towerlab.sim.towers_and_bowers import KernelPlayer, simulate_units
from towerlab.sim.towers_and_bowers.info_state import NO_SUIT, InfoState, legal_plays, make_model
from towerlab.sim.towers_and_bowers.match import RECORD_SIZE, play_hand
from towerlab.sim.towers_and_bowers.pimc import guaranteed_after
from towerlab.sim.towers_and_bowers.players import (
    CAUTIOUS,
    PIMC,
    PLAYER_IDS,
    choose_play,
    plan_bids,
    searched_bids,
    searched_play,
)
from towerlab.sim.towers_and_bowers.seats import history_of, state_of, take_step
from towerlab.solver.claims.search import play_values
from towerlab.solver.two_hands.tablebase import lead_tricks, load_tablebase, reply_tricks

DETERMINISTIC = ("novice", "family", "pimc", "cautious")


def simulated(deal: Deal, players: tuple[str, str], options: TowersAndBowersOptions = STANDARD) -> PlayedHand:
    """One hand in the kernel; players are non-dealer and dealer."""
    record = np.zeros(RECORD_SIZE, dtype=np.int64)
    numbers = (PLAYER_IDS[players[0]], PLAYER_IDS[players[1]])
    model = make_model(options, deal_values(options))
    play_hand(numbers, deal[:2], deal[2], options.hand_rules, model, np.random.default_rng(deal[2]), record)
    return read_record(record)


# ------------------------------------------------------------------------------------- the same rules as the engine


@pytest.mark.parametrize("options", [STANDARD, OTHER_RULES], ids=["standard", "other rules"])
@pytest.mark.parametrize("players", [("random", "random"), ("family", "random"), ("novice", "family")])
def test_hands_replayed_in_the_engine_are_legal_and_end_alike(
    players: tuple[str, str], options: TowersAndBowersOptions
) -> None:
    for n in range(1, 8):
        for deal in deals(n, 12, seed=n):
            hand = simulated(deal, players, options)
            match = dealt_match(deal, options)
            replay(match, hand)
            outcome = match.state().hand.outcome
            assert outcome.taken == hand.taken[::-1]  # player 0 is the dealer
            gainer = outcome.next_dealer if outcome.tower_to is None else outcome.tower_to
            if hand.winner is None:
                assert outcome.ending == "thrown in"
            else:
                assert gainer == 1 - hand.winner
                assert (outcome.tower_to is not None) == hand.is_tower


@pytest.mark.parametrize("options", [STANDARD, OTHER_RULES], ids=["standard", "other rules"])
@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_player_in_the_engine_decides_as_in_the_kernel(name: str, options: TowersAndBowersOptions) -> None:
    act = KernelPlayer(name, options, deal_values(options)).act
    for n in (1, 2, 4, 7):
        for deal in deals(n, 5, seed=n):
            hand = simulated(deal, (name, name), options)
            match = dealt_match(deal, options)
            while match.state().hand.outcome is None:
                take_step(match, (act, act), np.random.default_rng(0))
            played = [parse_card(action["card"]) for action in match.actions if action["action"] == "play"]
            assert played == list(hand.plays)
            made = match.state().hand
            assert (made.trump, made.discard) == (hand.trump, hand.discard)


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_stopping_early_changes_no_result(name: str) -> None:
    to_the_end = TowersAndBowersOptions(early_stop=False)
    for deal in deals(5, 40):
        stopped = simulated(deal, (name, name))
        whole = simulated(deal, (name, name), to_the_end)
        assert (stopped.winner, stopped.is_tower) == (whole.winner, whole.is_tower)
        assert sum(whole.taken) == 5


def simulate(
    unit: str, units: int, players: tuple[str, str], options: TowersAndBowersOptions, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    request = BatchRequest(players, 0, units, np.random.SeedSequence(seed), unit, None, options)
    return simulate_units(request, deal_values(options))


def test_tb_1_tb_2_matches_end_with_three_towers_for_the_winner() -> None:
    winners, towers = simulate("match", 300, ("random", "novice"), STANDARD, 1)
    assert (towers.max(axis=1) == 3).all()
    assert (towers.argmax(axis=1) == winners).all()
    assert (towers.sum(axis=1) <= 5).all()
    winners, towers = simulate("tower", 300, ("random", "novice"), STANDARD, 1)
    assert (towers.sum(axis=1) == 1).all()


def test_tb_8_deals_are_disjoint_and_every_card_is_alike() -> None:
    count = 6000
    seen = np.zeros((3, 52))
    for first, second, up in deals(7, count, seed=3):
        assert first.bit_count() == second.bit_count() == 7
        assert not first & second and not (first | second) >> up & 1
        assert not (first | second | 1 << up) & ~DECK_24
        for row, mask in enumerate((first, second, 1 << up)):
            seen[row, mask_cards(mask)] += 1
    share = seen[:, mask_cards(DECK_24)] / count
    for row, expected in enumerate((7 / 24, 7 / 24, 1 / 24)):
        assert np.abs(share[row] - expected).max() < 4.5 * np.sqrt(expected * (1 - expected) / count)


# --------------------------------------------------------------------------------------------------------------- pimc


@pytest.mark.parametrize("options", [STANDARD, OTHER_RULES], ids=["standard", "other rules"])
@pytest.mark.parametrize("n", range(1, 8))
def test_pimc_bids_and_discards_what_upcard_recommends(n: int, options: TowersAndBowersOptions) -> None:
    model = make_model(options, deal_values(options))
    rules = options.hand_rules
    for first, second, up in deals(n, 8 if n > 2 else 3, seed=n):
        for hand, is_dealer in ((first, False), (second, True)):
            plan = searched_bids(PIMC, hand, up, is_dealer, rules, model, np.random.default_rng(0))
            answer = evaluate_view(calling_view(hand, up, is_dealer), options)
            assert answer.recommend == ("accept" if plan.accepts else "pass")
            if is_dealer:
                assert answer.actions["accept"].discard == card_text(plan.discard)  # type: ignore[union-attr]
            later = evaluate_view(calling_view(hand, up, is_dealer, True), options)
            assert later.recommend == ("pass" if plan.names == NO_SUIT else SUITS[plan.names])


def decisions(n: int, count: int, name: str = "novice") -> Iterator[tuple[InfoState, View]]:
    """Moments at which a card is to be played, from hands played in the engine."""
    act = KernelPlayer(name, STANDARD, deal_values(STANDARD)).act
    for deal in deals(n, count, seed=n):
        match = dealt_match(deal, STANDARD)
        while match.state().hand.outcome is None:
            if match.phase == Phase.PLAY:
                view = match.view(match.to_act)
                yield state_of(view), view
            take_step(match, (act, act), np.random.default_rng(0))


def possible_hands(state: InfoState) -> list[int]:
    """Every hand the opponent can hold, one by one."""
    held = state.hand.bit_count() - (state.led != 0)
    pool = [1 << card for card in range(64) if state.pool >> card & 1]
    return [
        state.opponent_holds | sum(cards)
        for cards in itertools.combinations(pool, held - state.opponent_holds.bit_count())
    ]


def naive_worth(state: InfoState, values: Any, card: int) -> float:
    """Mean payoff of a card over every possible hand, from the tablebase."""
    tablebase = load_tablebase()
    hand = state.hand
    led = state.led
    worths = []
    for other in possible_hands(state):
        if led:
            more = hand.bit_count() - reply_tricks(tablebase, other | led, hand, led, card)
        else:
            more = lead_tricks(tablebase, hand, other, card)
        worths.append(values[state.taken + more])
    return float(np.mean(worths))


def own_values(view: View) -> Any:
    return make_model(STANDARD, deal_values(STANDARD)).payoffs[view.n, int(view.bidder == view.player)]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_pimc_plays_the_card_worth_most_over_every_possible_hand(n: int) -> None:
    model = make_model(STANDARD, deal_values(STANDARD))
    for state, view in decisions(n, 6):
        values = own_values(view)
        legal = [1 << card for card in range(64) if legal_plays(state) >> card & 1]
        chosen = searched_play(PIMC, state, history_of(view), values, model, np.random.default_rng(0))
        worths = {card: naive_worth(state, values, card) for card in legal}
        assert worths[chosen] == pytest.approx(max(worths.values()), abs=1e-12)


# ------------------------------------------------------------------------------------------------------------ cautious


def test_cautious_keeps_the_best_result_that_is_proved() -> None:
    model = make_model(STANDARD, deal_values(STANDARD))
    kept = 0
    for state, view in decisions(4, 25):
        values = own_values(view)
        proved = play_values(belief_of(state.hand, state.opponent_holds, state.pool, state.led))
        worth = {card: values[state.taken + tricks] for card, tricks in proved.items()}
        chosen = searched_play(CAUTIOUS, state, history_of(view), values, model, np.random.default_rng(0))
        assert worth[chosen] == max(worth.values())
        kept += min(worth.values()) < max(worth.values())
        assert guaranteed_after(state, chosen, model) == proved[chosen]
    assert kept > 5  # information states in which another card would have given it away


# ---------------------------------------------------------------------------------------------------------- simulations


@pytest.mark.parametrize("weaker", ["random", "novice", "family"])
def test_pimc_beats_who_does_not_look_ahead(weaker: str) -> None:
    result = play("pimc", weaker, games=100)
    assert result.interval[0][0] > 0.5


def test_the_habits_are_ranked() -> None:
    assert play("family", "novice", games=1000).interval[0][0] > 0.5
    assert play("novice", "random", games=200).interval[0][0] > 0.9


def test_tb_6_option_starter_fixed_lets_seat_0_deal_every_tower() -> None:
    """With one card a tower the deal is worth W(1) between players who bid alike."""
    options = TowersAndBowersOptions(first_n=1, starter="fixed", towers_to_win=1)
    winners, _ = simulate("match", 3000, ("family", "family"), options, 5)
    dealer_wins = np.mean(winners == np.arange(3000) % 2)  # player p sits in seat (p + unit) % 2
    assert dealer_wins > 0.7
    drawn = TowersAndBowersOptions(first_n=1, towers_to_win=1)
    winners, _ = simulate("match", 3000, ("family", "family"), drawn, 5)
    assert abs(np.mean(winners == np.arange(3000) % 2) - 0.5) < 0.04


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("random", {}),
        ("novice", {"where": "trumps(dealer) >= 2"}),
        ("random", {"options": TowersAndBowersOptions(force_dealer_to_name=False)}),  # some are thrown in
        ("family", {"cards": 3}),
        ("learned", {"games": 40}),
        ("tests.players_of_users:Careful", {}),
    ],
)
def test_a_player_against_itself_gives_exactly_even(name: str, how: dict[str, Any]) -> None:
    """Each deal is played from both seats with the same draws, in kernels, side by side and in the engine."""
    result = play(name, name, unit="hand", **{"games": 60} | how)
    assert result.wins[0] == result.wins[1] and result.mean[0] == result.mean[1]
    assert result.lead[2].mean == 0 and result.decided is None
    assert result.interval_kind == "paired"
    assert result.interval[0] == pytest.approx(bounded_interval([0.5] * (result.games // 2), 0, 1).ends) or result.draws


def test_both_players_see_each_deal_from_both_seats_and_the_interval_is_of_deals() -> None:
    seen: dict[str, list[tuple[bool, int]]] = {"one": [], "two": []}

    def watching(name: str) -> Any:
        def act(view: View, legal: Any, random: Any) -> Any:
            if not view.tricks and view.phase in (Phase.BID1_ND, Phase.BID1_D):
                seen[name].append((view.dealer == view.player, view.hand))
            return next((action for action in legal if action["action"] == "pass"), legal[0])

        return act

    odd = play(watching("one"), watching("two"), unit="hand", games=21, options=TowersAndBowersOptions(first_n=3))
    pairs = zip(seen["one"], seen["two"], strict=True)
    deals = [(mine, theirs) if mine[0] else (theirs, mine) for mine, theirs in pairs]
    assert deals[:11] == deals[11:] and len(set(deals)) == 11
    dealt = [is_dealer for is_dealer, _ in seen["one"]]
    assert dealt[:11] == [not is_dealer for is_dealer in dealt[11:]]
    assert odd.games == 21
    result = play("novice", "random", unit="hand", games=400, cards=3)
    batch = BatchRequest(("novice", "random"), 0, 400, chunk_seed(0, 0), "hand", 3, STANDARD)
    by_deal = play_batch(batch).winners
    assert result.interval[0] == bounded_interval((by_deal == 0).reshape(-1, 2).mean(axis=1), 0, 1).ends


def test_cards_chooses_the_size_of_the_first_hand() -> None:
    one_card = play("novice", "random", unit="hand", cards=1, games=400)
    assert sum(one_card.mean) == 1  # one trick is all of one: every hand is a tower
    seven = play("novice", "random", unit="hand", games=400)
    assert sum(seven.mean) < 0.6


# -------------------------------------------------------------------------------------------------------- every player


def decided(player: int) -> list[tuple[Any, ...]]:
    """The bids of a player, by number, with hands of two and four cards, and the cards that it plays."""
    made: list[tuple[Any, ...]] = []
    plan = uncompiled(plan_bids)  # as at a table: compiled whole, each takes as long as all that it calls
    choose = uncompiled(choose_play)
    for n in (2, 4):
        options = TowersAndBowersOptions(first_n=n)
        model = make_model(options, deal_values(options), stored_solution((EQUILIBRIUM,), "tower", options))
        for first, second, up in deals(n, 12, seed=n):
            for hand, is_dealer in ((first, False), (second, True)):
                made.append(plan(player, hand, up, is_dealer, options.hand_rules, model, np.random.default_rng(0)))
        for state, view in decisions(n, 25):
            values = model.payoffs[view.n, int(view.bidder == view.player)]
            made.append((choose(player, state, history_of(view), values, model, np.random.default_rng(0)),))
    return made


def test_no_player_decides_as_another_for_want_of_a_dispatch() -> None:
    made = {name: decided(number) for name, number in PLAYER_IDS.items()}
    alike = [pair for pair in itertools.combinations(made, 2) if made[pair[0]] == made[pair[1]]]
    place = "habitual_bids, searched_bids, habitual_play and searched_play in sim/towers_and_bowers/players.py"
    assert not alike, f"one of each pair has no decision of its own; expected its number in {place}"
    assert decided(max(PLAYER_IDS.values()) + 1) == made["pimc"]  # as a number that nobody dispatches does
