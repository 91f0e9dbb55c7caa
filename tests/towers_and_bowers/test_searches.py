"""The field's searches as whole strategies: against plain recursions, against `pimc`, and against each other."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.oracles.naive_equilibrium import Game, History, Own
from tests.oracles.naive_searches import after_first_call, best_pure, means, standing_of, worlds
from towerlab.analysis.towers_and_bowers.exploitability.answers import ask_exploit
from towerlab.analysis.towers_and_bowers.exploitability.matchups import match_sources
from towerlab.analysis.towers_and_bowers.exploitability.strategies import MEASURED, source_of_player, whole_game
from towerlab.games.cards import DECK_24, card_text, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.sim.towers_and_bowers.openspiel import load_game
from towerlab.sim.towers_and_bowers.searches import SEARCHES, is_mcts
from towerlab.sim.towers_and_bowers.searches.fronts import front, front_values, undominated
from towerlab.sim.towers_and_bowers.searches.is_mcts import visits
from towerlab.sim.towers_and_bowers.searches.strategies import call_values
from towerlab.sim.towers_and_bowers.searches.trees import Around, around, first_view, open_values, steps
from towerlab.solver.towers_and_bowers.whole_hand import Strategy
from towerlab.solver.towers_and_bowers.whole_hand.hand import DECISIONS, FIRST_CALL
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import UP_SUIT
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import (
    InformationSet,
    information_sets,
    probabilities,
)

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
        asked += chosen.sample(calls_made, min(2, len(calls_made)))
        asked += chosen.sample(cards_played, min(3, len(cards_played)))
    assert len(asked) > 30
    for known, shares in asked:
        player, own, history = standing_of(known)
        layouts = worlds(game, player, own, history, weight if name == "pimc-weighted" else None)
        later = 1 if known.calls == ("pass",) else 0  # who accepts chooses their discard once
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
    """The non-dealer's first call, where they have one plan a lead or a second call."""
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


# -------------------------------------------------------------------------------------------------- how good they are


@pytest.mark.parametrize("name", [name for name in SEARCHES if name != "is-mcts"])
def test_with_one_card_nobody_can_be_exploited_but_who_samples(name: str) -> None:
    assert ask_exploit(name, 1).exploitability == pytest.approx(0.0, abs=1e-12)


@pytest.mark.exhaustive
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
    with pytest.raises(TowerlabError, match="alphamu-2 is not computed for hands of 3 cards; expected at most 2"):
        source_of_player("alphamu-2", 3)
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


@pytest.mark.slow
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
