"""The prover for one or two hidden hands against explicit layouts, strategies written out, and attacks."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest

from tests.conftest import exhaustive
from tests.oracles import hidden_hands as oracle
from tests.oracles.hidden_positions import mask, random_case
from towerlab.games.cards import NO_TRUMP, parse_trump, trump_field
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.certificate import certify
from towerlab.solver.claims.checker import check
from towerlab.solver.claims.explanation import helpful_line, replay_tricks
from towerlab.solver.claims.judging import (
    all_layouts,
    beating_layout,
    draw_freak_layout,
    draw_layout,
    judge,
    judge_layout,
    most_possible,
)
from towerlab.solver.claims.search import NOT_SETTLED, PROVED, REFUTED, Prover

TABLES = ("towie", "bowers", "towers-and-bowers")
LIMIT = 2_000_000


def most_taken(prover: Prover, belief: Belief, **how: bool) -> int:
    taken = 0
    while taken < belief.tricks and prover.takes(belief, taken + 1, LIMIT, **how) == PROVED:
        taken += 1
    return taken


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("count", "most_cards", "most_layouts", "seed"),
    [(25, 3, 24, 1), exhaustive(2_400, 3, 60, 2), exhaustive(800, 4, 60, 3)],
)
def test_equals_search_over_explicit_layouts(
    table: str, count: int, most_cards: int, most_layouts: int, seed: int
) -> None:
    draw = random.Random(f"{table} {seed}")
    prover = Prover()
    for _ in range(count):
        game, state, belief = random_case(table, draw, most_cards, most_layouts)
        assert belief.layouts == len(state.layouts)
        value = oracle.value(state, game)
        assert most_taken(prover, belief) == value, (game, state)
        assert most_taken(prover, belief, unseen=True) <= value, (game, state)
        if value < belief.tricks:
            assert prover.takes(belief, value + 1, LIMIT) == REFUTED


def test_a_hidden_hand_has_room_for_one_of_its_winners_only() -> None:
    """The 9♣ and *one* of A♣, J♣ (the left bower), Q♣: they cannot cash two of them, one trick is certain."""
    game = oracle.Game(2, (1,), frozenset({0}), frozenset({0}), "S", bowers=True)
    known = (frozenset({"TC", "KC"}), frozenset({"9C"}))
    layouts = frozenset((frozenset({"9C", card}),) for card in ("AC", "JC", "QC"))
    state = oracle.State((known[0], frozenset()), layouts, 1, ())
    assert oracle.value(state, game) == 1
    own = tuple(mask(cards, game) for cards in known)
    belief = Belief(
        own=own, hidden=(1,), pools=(mask(("AC", "JC", "QC"), game),), claimant=frozenset({0}), scoring=frozenset({0}),
        tricks=2, turn=1, trumps=int(trump_field(parse_trump("S"))),
    )  # fmt: skip
    assert most_taken(Prover(), belief) == 1


def test_a_hidden_hand_leaves_the_other_one_its_share() -> None:
    """Left holds one of A♠ K♠, right the other beside two diamonds: they fall together, and both aces are sure."""
    game = oracle.Game(3, (1, 2), frozenset({0}), frozenset({0}), "NT", bowers=True)
    hand = ("9S", "AH", "AD")
    pools: dict[int, Iterable[str]] = {1: ("AS", "KS", "7H", "8H"), 2: ("AS", "KS", "7D", "8D")}
    layouts = oracle.layouts(pools, {1: frozenset(), 2: frozenset()}, {1: 3, 2: 3})
    assert oracle.value(oracle.State((frozenset(hand), frozenset(), frozenset()), layouts, 1), game) == 2
    belief = Belief(
        own=(mask(hand, game), 0, 0), hidden=(1, 2), pools=tuple(mask(pools[seat], game) for seat in (1, 2)),
        claimant=frozenset({0}), scoring=frozenset({0}), tricks=3, turn=1, trumps=int(trump_field(NO_TRUMP)),
    )  # fmt: skip
    assert most_taken(Prover(), belief) == 2


@pytest.mark.parametrize("table", TABLES)
def test_concessions_equal_the_best_of_all_continuations(table: str) -> None:
    draw = random.Random(table)
    prover = Prover()
    for _ in range(12):
        game, state, belief = random_case(table, draw, 3, 20)
        possible = oracle.value(state, game._replace(cooperative=True))
        assert most_taken(prover, belief, cooperative=True) == possible, (game, state)
        given = helpful_line(belief, possible, LIMIT)
        assert given.layout in set(all_layouts(belief))
        assert replay_tricks(belief, given.layout, given.line) == possible


@pytest.mark.parametrize("table", TABLES)
def test_best_play_takes_all_from_both_defenders(table: str) -> None:
    """A conceding defender's partner plays with the conceder: best play is the declarer's alone (issue 25.2)."""
    draw = random.Random(f"{table} concessions")
    answers = {True: 0, False: 0}
    for _ in range(120):
        game, state, belief = random_case(table, draw, 3, 20)
        if not game.claimant <= game.scoring:
            continue  # a misère is not conceded
        allies = game._replace(claimant=game.scoring)
        takes_all = all(oracle.value(state._replace(layouts=frozenset({one})), allies) == 0 for one in state.layouts)
        assert most_possible(belief, LIMIT).best_play_takes_all is takes_all, (game, state)
        answers[takes_all] += 1
    assert min(answers.values()) > 8, answers


@pytest.mark.parametrize("table", TABLES)
def test_layouts_are_listed_and_drawn_as_they_are_counted(table: str) -> None:
    draw = random.Random(table)
    for _ in range(60):
        belief = random_case(table, draw, 3, 40).belief
        listed = set(all_layouts(belief))
        assert len(listed) == belief.layouts
        for _ in range(10):
            assert draw_layout(belief, draw) in listed
            assert draw_freak_layout(belief, draw) in listed


ATTACKS = [(15, 4, 1), *(exhaustive(10_000, 5, seed) for seed in range(2, 7))]  # those take some four minutes


@pytest.mark.parametrize("table", ("towie", "bowers"))
@pytest.mark.parametrize(("claims", "most_cards", "seed"), ATTACKS)
def test_sound_claims_survive_attacks(table: str, claims: int, most_cards: int, seed: int) -> None:
    """Claims judged sound are attacked: layouts are tried double-dummy, and the prover's play is played against some.

    Against each layout a claimant who sees it must take as many tricks; and the play that the prover keeps to, which
    sees nothing, must take them whatever the hidden hands play: any legal card, or what hurts most with all cards seen.
    """
    draw = random.Random(f"{table} {seed}")
    attacked = 0
    while attacked < claims:
        belief = random_case(table, draw, most_cards, None).belief
        prover = Prover()
        taken = most_taken(prover, belief)
        if taken == 0:
            continue
        attacked += 1
        for number in range(6):
            layout = (draw_freak_layout if number % 2 else draw_layout)(belief, draw)
            assert judge_layout(belief, layout, taken) == PROVED, (belief, layout, taken)
        for spiteful in (False, True):
            layout = (draw_freak_layout if spiteful else draw_layout)(belief, draw)
            assert strategy_takes(prover, belief, layout, taken, draw, spiteful) >= taken, (belief, layout, taken)


def strategy_takes(
    prover: Prover, belief: Belief, layout: tuple[int, ...], need: int, draw: random.Random, spiteful: bool
) -> int:
    """Tricks of the prover's play, which knows the belief only, with a layout that the hidden hands play by."""
    hands = dict(zip(belief.hidden, layout, strict=True))
    won = 0
    while belief.tricks:
        seat = belief.turn
        if seat in hands:
            held = belief.with_layout(tuple(hands[other] for other in belief.hidden))
            plays = held.plays()
            draw.shuffle(plays)
            play = plays[0]
            if spiteful:
                left = max(1, need - won)
                play = next((one for one in plays if prover.takes(*after(held, one, left), LIMIT) != PROVED), play)
            hands[seat] &= ~held.card_of(play)
        else:
            plays = belief.plays()
            draw.shuffle(plays)
            left = need - won
            kept = (one for one in plays if left <= 0 or prover.takes(*after(belief, one, left), LIMIT) == PROVED)
            play = next(kept, plays[0])
        belief, counted = belief.after(play)
        won += counted
    return won


def after(belief: Belief, play: int, need: int) -> tuple[Belief, int]:
    """The position after a play, and what is needed from there."""
    left, counted = belief.after(play)
    return left, need - counted


@pytest.mark.parametrize("table", TABLES)
def test_certificates_say_what_explicit_layouts_say(table: str) -> None:
    """Every claim of a small position, sound or not, has a certificate that other code accepts, and no other."""
    draw = random.Random(f"{table} certificates")
    for _ in range(6):
        game, state, belief = random_case(table, draw, 3, 24)
        value = oracle.value(state, game)
        trump = parse_trump(game.trump)
        seats = tuple("nesw"[: game.seats])
        for need in range(1, belief.tricks + 1):
            sound = value >= need
            certificate = certify(belief, need, sound, trump, game.bowers, seats, LIMIT)
            assert check(json.loads(json.dumps(certificate)))[0], (game, state, need)
            opposite = certificate | {"sound": not sound, "unseen_discards": False}
            assert not check(opposite)[0], (game, state, need)


def test_a_layout_that_is_not_settled_is_not_said_to_stand() -> None:
    """A defender's claim with one layout is searched; at the limit the answer is neither yes nor no."""
    draw = random.Random(3)
    outcomes = set()
    for _ in range(60):
        belief = random_case("bowers", draw, 5, None).belief
        if not belief.layouts or 0 in belief.claimant:
            continue
        layout = draw_layout(belief, draw)
        exact = judge_layout(belief, layout, 1, LIMIT)
        early = judge_layout(belief, layout, 1, 2)
        assert exact != NOT_SETTLED and early in (exact, NOT_SETTLED)
        outcomes.add(early)
    assert NOT_SETTLED in outcomes


def test_a_search_that_ends_early_says_so() -> None:
    draw = random.Random(1)
    prover = Prover()
    outcomes = set()
    for _ in range(60):
        belief = random_case("towie", draw, 4, 2_000_000).belief
        exact = prover.takes(belief, 1, LIMIT)
        early = prover.takes(belief, 1, 3)
        assert early in (exact, NOT_SETTLED)
        outcomes.add(early)
    assert NOT_SETTLED in outcomes


@pytest.mark.parametrize("table", ("towie", "bowers"))
def test_a_layout_that_beats_a_claim_is_one_against_which_it_fails(table: str) -> None:
    draw = random.Random(table)
    found = 0
    for _ in range(30):
        game, state, belief = random_case(table, draw, 3, 24)
        for need in range(1, belief.tricks + 1):
            layout = beating_layout(belief, need, 100)
            least = min(oracle.value(state._replace(layouts=frozenset({one})), game) for one in state.layouts)
            assert (layout is not None) == (least < need), (game, state, need)
            found += layout is not None
            assert judge(belief, need).outcome == (PROVED if oracle.value(state, game) >= need else REFUTED)
    assert found > 8
