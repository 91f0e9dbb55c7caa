"""The field's searches as whole strategies: against plain recursions, against `pimc`, and against each other."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from analysis.towers_and_bowers.exploitability.answers import ask_exploit
from analysis.towers_and_bowers.exploitability.matchups import match_sources
from analysis.towers_and_bowers.exploitability.strategies import MEASURED, source_of_player, whole_game
from games.cards import DECK_24, card_text, mask_cards, parse_card
from games.errors import TowerlabError
from sim.towers_and_bowers.knowledge import Situation
from sim.towers_and_bowers.openspiel import load_game
from sim.towers_and_bowers.perfect_information import MOST_GAPS, distinct_plays, gaps_between, list_layouts
from sim.towers_and_bowers.searches import SEARCHES, is_mcts
from sim.towers_and_bowers.searches.averages import mean_play
from sim.towers_and_bowers.searches.fronts import front, front_values, undominated
from sim.towers_and_bowers.searches.is_mcts import visits
from sim.towers_and_bowers.searches.plans import make_nodes, plan_value
from sim.towers_and_bowers.searches.strategies import call_values
from sim.towers_and_bowers.searches.trees import PLAY, Around, View, around, first_view, open_values, steps
from solver.towers_and_bowers.whole_hand import Strategy, hand_game
from solver.towers_and_bowers.whole_hand.best_response import play_order_of
from solver.towers_and_bowers.whole_hand.hand import DECISIONS, FIRST_CALL
from solver.towers_and_bowers.whole_hand.hand_game import CARDS, CONTRACTS, OTHERS, UP_CARD, UP_SUIT, card_numbers
from solver.towers_and_bowers.whole_hand.information_sets import (
    InformationSet,
    information_sets,
    play_set,
    probabilities,
)
from solver.two_hands.tablebase import load_tables
from tests.oracles.naive_equilibrium import Game, History, Own
from tests.oracles.naive_searches import after_first_call, best_plan, best_pure, means, standing_of, worlds

RANKS = (7, 9)  # of the up-card
OF_MEANS = ("alphamu-1", "pimc-weighted")


@cache
def strategy_of(name: str, cards: int, rank: int) -> Strategy:
    return source_of_player(name, cards).strategy_beside(13 * UP_SUIT + rank)


@cache
def told(name: str, rank: int) -> list[tuple[InformationSet, list[float]]]:
    """Every set of hands of two cards with what a search does there."""
    return list(probabilities(whole_game(2, rank), rank, strategy_of(name, 2, rank)))


@cache
def table_of(rank: int) -> Around:
    return around(whole_game(2, rank), rank)


def naive_game(rank: int) -> Game:
    payoffs = whole_game(2, rank).payoffs[0]  # 0, what a hand without a sweep is worth, 1
    return Game(2, card_text(13 * UP_SUIT + rank), 1 - float(payoffs[1]))


def action_text(action: int | str) -> str:
    return action if isinstance(action, str) else card_text(action)


# ------------------------------------------------------------------------------------------------------------- means


@pytest.mark.parametrize("cards", [1, 2])
@pytest.mark.parametrize("rank", RANKS)
def test_one_move_of_alphamu_is_pimc(cards: int, rank: int) -> None:
    """Whatever the player `pimc` of the simulator does is among what is best here; nothing else is in the bidding."""
    ours, pimc = strategy_of("alphamu-1", cards, rank), strategy_of("pimc", cards, rank)
    assert not ((pimc.bidding > 0) & (ours.bidding == 0)).any()
    assert not ((pimc.play > 0) & (ours.play == 0)).any()
    assert (ours.bidding > 0).sum() < 1.1 * (pimc.bidding > 0).sum()
    assert np.count_nonzero(ours.play) <= 1.1 * np.count_nonzero(pimc.play)


@pytest.mark.parametrize("name", OF_MEANS)
def test_means_are_those_of_a_plain_recursion(name: str) -> None:
    """A sample of sets of every kind: what a search does is what the recursion finds best."""
    rank, chosen = 9, random.Random(4)
    game, sets = naive_game(rank), told(name, rank)
    by_standing = {standing_of(known): (known, shares) for known, shares in sets}

    def weight(held: Own, history: History, action: str) -> float:
        player = game.standing(history).to_play
        known, shares = by_standing[player, held, history]
        return dict(zip(map(action_text, known.actions), shares, strict=True))[action]

    reached = strategy_of(name, 2, rank)
    asked = []
    for calls in sorted({known.calls for known, _ in sets}):
        group = [pair for pair in sets if pair[0].calls == calls]
        own = [pair for pair in group if pair[0].is_bidding or reached.play[list(pair[0].entries)].any()]
        calls_made, cards_played = ([pair for pair in own if pair[0].is_bidding == kind] for kind in (True, False))
        asked += chosen.sample(calls_made, min(3, len(calls_made)))
        asked += chosen.sample(cards_played, min(6, len(cards_played)))
    assert len(asked) > 60
    for known, shares in asked:
        player, own, history = standing_of(known)
        layouts = worlds(game, player, own, history, weight if name == "pimc-weighted" else None)
        later = 1 if known.calls == ("pass",) else 0  # who accepts chooses his discard once
        found = means(game, player, own, history, layouts, later)
        best = max(found.values())
        does = {action_text(action): share for action, share in zip(known.actions, shares, strict=True) if share > 0}
        assert does and all(found[action] > best - 1e-8 for action in does), (str(known), does, found)


def test_calls_are_the_same_by_tree_and_by_table() -> None:
    """αμ of one move is PIMC, in every decision of the bidding."""
    for decision, hand in itertools.product(range(DECISIONS), range(0, 253, 23)):
        view, weights = first_view(table_of(9), 9, decision, hand)
        assert weights.sum() == table_of(9).cards.fits[hand].sum()
        one = front_values(table_of(9), view, weights, 1)
        does = strategy_of("alphamu-1", 2, 9).bidding[decision, hand, : len(one)]
        assert (one[does > 0] > one.max() - 1e-7).all()


# ---------------------------------------------------------------------------------------------------------------- αμ


def test_plans_are_worth_what_all_of_them_tried_out_are() -> None:
    """The non-dealer's first call, where he has one plan a lead or a second call."""
    game, rank = naive_game(9), 9
    for hand in (3, 77, 140, 201):
        known = next(known for known, _ in told("alphamu-1", rank)
                     if not known.calls and known.entries[0] == 4 * hand)  # fmt: skip
        _, own, _ = standing_of(known)
        pure = call_values(table_of(rank), rank, FIRST_CALL, hand)
        assert pure[0] == pytest.approx(best_pure(after_first_call(game, own, "accept")), abs=1e-7)


def test_more_moves_in_ignorance_are_worth_less() -> None:
    """αμ of more moves is bound to more than αμ of fewer."""
    for decision, hand in itertools.product(range(DECISIONS), range(5, 253, 61)):
        view, weights = first_view(table_of(7), 7, decision, hand)
        fronts = [front_values(table_of(7), view, weights, moves) for moves in (1, 2, 3)]
        for more, fewer in itertools.pairwise(fronts):
            assert (more >= fewer - 1e-9).all()


def test_a_front_has_every_undominated_plan_once() -> None:
    generator = np.random.default_rng(2)
    for worlds_count in (2, 3, 4):
        vectors = generator.integers(0, 3, (30, worlds_count)).astype(float)
        kept = undominated(vectors)
        assert all((kept >= vector).all(axis=1).any() for vector in vectors)
        for place, one in enumerate(kept):
            assert not (np.delete(kept, place, axis=0) >= one).all(axis=1).any()


def test_a_reply_is_prepared_for_every_lead() -> None:
    """The dealer has named and waits for the lead: a front's vectors are the plans, a reply to each lead, tried out."""
    view, weights = first_view(table_of(9), 9, 3, 120)
    named = steps(table_of(9), view)[0].view
    leads = steps(table_of(9), named)
    replies = [steps(table_of(9), step.view) for step in leads]
    best = 0.0
    for plan in itertools.product(*replies):
        worst = np.full(len(named.worlds), np.inf)
        for lead, reply in zip(leads, plan, strict=True):
            worst[lead.worlds] = np.minimum(worst[lead.worlds], open_values(table_of(9), reply.view))
        best = max(best, float(worst @ weights))
    assert len(list(itertools.product(*replies))) > 1
    assert (front(table_of(9), named, 1) @ weights).max() == pytest.approx(best, abs=1e-9)


# --------------------------------------------------------------------------------------------- αμ with three cards


def first_trick(rank: int, contract: int, number: int, discard: int, *played: int) -> tuple[InformationSet, Any] | None:
    """A turn in the first trick of three, and the same as kernels know it; None where there is no choice."""
    order = play_order_of(rank)[contract]
    try:
        known = play_set(whole_game(3, rank), contract, list(played), number, discard, rank)
    except StopIteration:
        return None
    numbers = {card: place for place, card in enumerate(card_numbers(rank))}
    held = [numbers[card] for card in known.held]
    sure = int(order[UP_CARD]) if contract < 2 and known.player == 0 else 0
    gone = {*held, *played, UP_CARD, *([] if known.discard is None else [numbers[known.discard]])}
    pool = [card for card in range(OTHERS) if card not in gone]
    masks = (sum(int(order[card]) for card in cards) for cards in (held, pool, played))
    hand, unseen, led = masks
    return known, Situation(3, 0, hand, sure, unseen, led)


def his_payoffs(rank: int, known: InformationSet, contract: int) -> Any:
    payoffs = whole_game(3, rank).payoffs[contract]
    return payoffs if known.player == 0 else 1 - payoffs[::-1]


def turns(rank: int, replies: bool, count: int, seed: int) -> list[tuple[int, InformationSet, Any]]:
    """Some turns of the first trick, of every contract."""
    generator, found = random.Random(seed), []
    game = whole_game(3, rank)
    while len(found) < count:
        contract = len(found) % CONTRACTS
        hidden = 2 if replies and contract < 2 else 3
        number = generator.randrange(int(game.sets[hidden]))
        held = set(game.members[hidden, number, :hidden].tolist())
        others = generator.sample([card for card in range(OTHERS) if card not in held], 2)
        turn = first_trick(rank, contract, number, others[0], *others[1 : 1 + replies])
        if turn is not None:
            found.append((contract, *turn))
    return found


def mask_in_order(rank: int, contract: int, card: int) -> int:
    return int(play_order_of(rank)[contract][card_numbers(rank).index(card)])


def plan_values(
    rank: int, contract: int, known: InformationSet, situation: Any, layouts: Any, gaps: Any
) -> list[float]:
    """The sum over layouts of each action's best plan; layouts None for all, hands in gaps as one."""
    nodes = make_nodes(1771)
    if layouts is None:
        count = list_layouts(situation, gaps, len(gaps), nodes.layouts, nodes.weights)
    else:
        count = len(layouts)
        nodes.layouts[:count], nodes.weights[:count] = layouts, 1
    payoffs, tables = his_payoffs(rank, known, contract), load_tables()
    return [plan_value(situation, mask_in_order(rank, contract, card), payoffs, tables, gaps, count, -1.0, nodes)
            for card in known.actions]  # fmt: skip


@pytest.mark.parametrize(("replies", "few"), [(False, 4), (True, 6)])
def test_a_plan_of_three_cards_is_the_best_of_all_tried_out(replies: bool, few: int) -> None:
    """Some hands of the other's, both seats, every contract: branch and bound against every plan played to the end."""
    rank, generator = 9, random.Random(3)
    payoffs = whole_game(3, rank).payoffs[0]
    game = Game(3, card_text(13 * UP_SUIT + rank), float(payoffs[2]))
    differ = 0
    for contract, known, situation in turns(rank, replies, 16, 5):
        player, own, history = standing_of(known)
        layouts = generator.sample(list(worlds(game, player, own, history)), few)
        masks = [
            sum(
                mask_in_order(rank, contract, parse_card(card))
                for card in (*held.dealt, *([game.up] if held.discard else []))
                if card != held.discard and card not in history
            )
            for held in layouts
        ]
        found = plan_values(rank, contract, known, situation, masks, np.empty(0, dtype=np.int64))
        naive = [best_plan(game, player, own, (*history, card_text(card)), layouts) for card in known.actions]
        assert np.array(found) / few == pytest.approx(naive, abs=1e-7), str(known)
        differ += max(naive) - min(naive) > 1e-6
    assert differ > 4


@pytest.mark.parametrize("replies", [False, True])
def test_touching_cards_are_one_layout(replies: bool) -> None:
    """Eight cards unseen: over all hands a plan is worth what it is over one for all that differ in touching cards."""
    fewer = 0
    for contract, known, situation in turns(8, replies, 16, 6):
        single = [1 << bit for bit in range(64) if situation.pool >> bit & 1][2:10]
        situation = situation._replace(pool=sum(single))
        gaps = np.empty(MOST_GAPS, dtype=np.int64)
        gap_count = gaps_between(situation.pool, situation.hand | situation.led | situation.sure, gaps)
        merged = plan_values(8, contract, known, situation, None, gaps[:gap_count])
        fewer += gap_count < len(single)
        missing = 3 - (situation.led != 0) - (situation.sure != 0)
        hands = [situation.sure + sum(cards) for cards in itertools.combinations(single, missing)]
        plain = plan_values(8, contract, known, situation, hands, np.empty(0, dtype=np.int64))
        assert merged == pytest.approx(plain, abs=1e-6)
    assert fewer == 16


def test_plays_of_three_cards_are_those_of_the_fronts() -> None:
    """Hands of a few cards, walked through: the replies of `alphamu-2` have the best plan by every front kept."""
    rank, pack = 9, sum(1 << card for card in card_numbers(9)[2:18:3]) | 1 << 13 * UP_SUIT + 9
    small = hand_game(3, rank, 0.6, pack=pack)
    table, shares = around(small, rank), np.zeros((DECISIONS, int(small.sets[3]), 4))
    play, asked = mean_play(small, rank, shares, plans=True), 0
    numbers = {card: place for place, card in enumerate(card_numbers(rank))}
    for hand, contract in itertools.product(np.flatnonzero(small.dealt).tolist()[::3], range(CONTRACTS)):
        members = small.members[3, hand].tolist()
        number, discard = (int(small.kept[hand, 1]), members[1]) if contract < 2 else (hand, -1)
        led = next(card for card in range((7 * hand + contract) % 23, 23) if card not in members)
        turn = first_trick(rank, contract, number, discard, led)
        if turn is None:
            continue
        known, situation = turn
        pool = [card for card in range(OTHERS) if card not in (*members, led)]
        masks = np.array([sum(1 << card for card in cards) for cards in itertools.combinations(pool, 2)])
        held = sum(1 << numbers[card] for card in known.held)
        view = View(known.player, PLAY, contract, held, masks, np.zeros(CARDS, dtype=np.int64), led=led)
        values = front_values(table, view, np.ones(len(masks)), 2)
        does = play[list(known.entries)] > 0
        assert does.any() and (values[does] > values.max() - 1e-9).all(), str(known)
        assert (values[~does] < values.max() - 1e-9).all() or distinct_plays(situation).bit_count() < len(values)
        asked += 1
    assert asked > 20


# -------------------------------------------------------------------------------------------------- how good they are


@pytest.mark.parametrize("name", [name for name in SEARCHES if name != "is-mcts"])
def test_with_one_card_nobody_can_be_exploited_but_who_samples(name: str) -> None:
    assert ask_exploit(name, 1).exploitability == pytest.approx(0.0, abs=1e-12)


def test_meetings_of_searches_are_zero_sum() -> None:
    sources = [source_of_player(name, 2) for name in (*OF_MEANS, "novice")]
    found = match_sources(sources)
    for (one, other), met in found.items():
        assert met.first == (*OF_MEANS, "novice")[one] and met.second == (*OF_MEANS, "novice")[other]
        last = len(OF_MEANS)
        assert met.edge > 10 if other == last and one != last else abs(met.edge) < 10 or one == last
    assert all(met.edge == pytest.approx(-found[other, one].edge, abs=1e-12) for (one, other), met in found.items())


def test_what_is_not_computed_is_refused() -> None:
    with pytest.raises(TowerlabError, match="is-mcts is not computed for hands of 3 cards; expected at most 2"):
        source_of_player("is-mcts", 3)
    with pytest.raises(TowerlabError, match="no player 'alphamu'"):
        source_of_player("alphamu", 2)
    assert set(SEARCHES) < set(MEASURED)


def test_openspiels_is_mcts_is_the_same_in_every_run() -> None:
    pytest.importorskip("open_spiel")
    game = whole_game(1, 12)
    asked = [known for known in information_sets(game, 12) if known.calls == ("pass",)][:3]
    first, second = ([visits(load_game(1, "AS"), known) for known in asked] for _ in range(2))
    assert np.array_equal(first, second)
    assert all(shares[0] > 0.6 and shares.sum() == pytest.approx(1.0) for shares in first)  # accepting is right


def test_a_dealer_who_follows_with_two_cards_is_asked_as_openspiel_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of many runs of OpenSpiel's search against the kernel that stands for it."""
    pytest.importorskip("open_spiel")
    rank = 9
    game, deal = whole_game(2, rank), 1 - whole_game(2, rank).payoffs[0, 1]
    replies = [known for known in information_sets(game, rank) if known.played]
    monkeypatch.setitem(is_mcts.RUNS, 2, 12)
    for known in replies[700::6000]:
        state = load_game(2, "JS", float(deal)).new_initial_state()
        monkeypatch.setattr(is_mcts, "_state", lambda openspiel, told, state=state: _at(state, told))
        found = visits(state.get_game(), known)
        kernel = is_mcts.follow_shares(game, rank, known, 400)
        assert kernel.sum() == pytest.approx(1.0)
        assert found == pytest.approx(kernel, abs=0.12)  # one run of hundred visits is within 0.3


def _at(state: Any, known: InformationSet) -> Any:
    """The turn of a dealer who is to follow; the other holds the card led and some card."""
    unseen = [card for card in mask_cards(DECK_24) if card not in (known.up, *known.dealt, *known.played)]
    for card in (known.played[0], unseen[0], *known.dealt):
        state.apply_action(is_mcts.NUMBERS[card])
    for call in known.calls:
        state.apply_action(is_mcts._number(call))
    for card in ([] if known.discard is None else [known.discard]) + list(known.played):
        state.apply_action(is_mcts.NUMBERS[card])
    return state


def test_mirrored_sets_are_asked_once() -> None:
    renamed = {known: is_mcts._seen(known, is_mcts._mirrored) for known in information_sets(whole_game(2, 7), 7)}
    plain = {is_mcts._seen(known, lambda action: action) for known in renamed}
    assert set(renamed.values()) == plain and len(plain) == len(renamed)
