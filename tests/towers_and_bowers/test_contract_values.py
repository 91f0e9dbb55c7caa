"""Values learned by self-play: the policy's bids by class, contracts played out, what is learned of them, answers."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import towerlab as tl
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.upcard.answers import SEATS
from towerlab.analysis.towers_and_bowers.upcard.asking import ask_upcard
from towerlab.games.cards import DECK_24, SUITS, card_text, cards_mask, mask_cards, parse_card
from towerlab.solver.towers_and_bowers.classes import up_card_classes
from towerlab.solver.towers_and_bowers.self_play import environment
from towerlab.solver.towers_and_bowers.self_play.bundle import policy_in_use
from towerlab.solver.towers_and_bowers.self_play.calls import NAMES, PolicyBids, policy_bids
from towerlab.solver.towers_and_bowers.self_play.network import action_probabilities
from towerlab.solver.towers_and_bowers.self_play.playouts import CONTRACTS, DrawnHands, drawn_hands
from towerlab.solver.towers_and_bowers.self_play.value_training import (
    NONE,
    Lesson,
    Recipe,
    add_samples,
    contract_loss,
    contract_rows,
    empty_lesson,
    examples,
    open_tricks,
    play_shard,
    train,
)
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES
from towerlab.solver.two_hands.tablebase import Tablebase

UP = parse_card("JS")
# The cards of the two frames beside a spade, by number.
FRAME = [rank + suit for suit in "SCHD" for rank in "9TJQKA"]
TRUMP_FRAME = [*["9S", "TS", "QS", "KS", "AS", "JC", "JS", "9C", "TC", "QC", "KC", "AC"], *FRAME[12:]]


def framed(cards: list[int]) -> int:
    """The mask of the up-card frame of some cards, card by card."""
    return sum(1 << FRAME.index(card_text(card)) for card in cards)


def printed(mask: int) -> int:
    """The inverse of `framed`."""
    return cards_mask(parse_card(FRAME[place]) for place in mask_cards(mask))


@pytest.fixture(scope="module")
def drawn() -> DrawnHands:
    """All hands of three cards beside the jack of spades, with the stored policy's bids."""
    classes = up_card_classes(3)
    hands = classes.hands[classes.ups == UP]
    return drawn_hands(3, UP, policy_bids(policy_in_use(), hands, UP))


def decide(hand: int, seat: int, calls: tuple[int, ...]) -> np.ndarray:
    """What the policy does with a hand after some calls, in a state made card by card."""
    own = np.zeros((1, 2), dtype=np.int32)
    own[0, seat] = framed(mask_cards(hand))
    state = environment.start(np.array([hand.bit_count()]), own, np.array([framed([UP])], dtype=np.int32))
    for call in calls:
        state = environment.step(state, np.array([call]))
    return action_probabilities(policy_in_use(), state)[0]


def test_bids_by_class_are_the_policys(drawn: DrawnHands) -> None:
    accept = environment.ACCEPT
    give_up = environment.PASS
    second = environment.SECOND_PASS
    bids: PolicyBids = drawn.bids
    for row in range(0, len(drawn.classes), 97):
        hand = int(drawn.classes[row])
        cards = [TRUMP_FRAME.index(card_text(card)) for card in mask_cards(hand)]
        first = decide(hand, 0, ())
        again = decide(hand, 0, (give_up, give_up))
        assert bids.nondealer.accepts[row] == pytest.approx(first[accept], abs=1e-5)
        assert bids.nondealer.names[row] == pytest.approx(again[[*NAMES, second]], abs=1e-5)
        answer = decide(hand, 1, (give_up,))
        left = decide(hand, 1, (give_up, give_up, second))
        assert bids.dealer.answers[row] == pytest.approx(answer[accept], abs=1e-5)
        assert bids.dealer.left[row] == pytest.approx(left[list(NAMES)], abs=1e-5)
        assert bids.dealer.discards[row] == pytest.approx(decide(hand, 1, (accept,))[cards], abs=1e-5)
        assert bids.dealer.own_discards[row] == pytest.approx(decide(hand, 1, (give_up, accept))[cards], abs=1e-5)


def test_hands_played_are_deals_and_their_open_tricks_those_of_the_tablebase(drawn: DrawnHands) -> None:
    shard = play_shard(policy_in_use(), drawn, 400, np.random.default_rng(1))
    tablebase = Tablebase.load()
    opened = open_tricks(UP, shard)
    assert set(shard["contract"]) == set(range(CONTRACTS))
    for row, tricks in zip(shard, opened, strict=True):
        nondealer = printed(int(row["nondealer"]))
        dealer = printed(int(row["dealer"]))
        assert nondealer.bit_count() == dealer.bit_count() == 3 and not nondealer & dealer
        assert not (nondealer | dealer) >> UP & 1 and (nondealer | dealer) & ~DECK_24 == 0
        trump = SUITS.index("SCHD"[row["contract"] & 3])
        assert (row["discard"] == NONE) == (row["contract"] & 3 != 0)
        if row["discard"] != NONE:
            given = 1 << parse_card(TRUMP_FRAME[row["discard"]])
            assert dealer & given
            dealer = (dealer | 1 << UP) & ~given
        assert tricks == tablebase.tricks(nondealer, dealer, trump) and row["tricks"] <= 3


def test_open_chances_of_a_lesson_are_the_means_of_what_was_drawn(drawn: DrawnHands) -> None:
    """The control variate has the mean that is put in its place, in every contract of either seat."""
    shard = play_shard(policy_in_use(), drawn, 15_000, np.random.default_rng(2))
    shard["tricks"] = open_tricks(UP, shard)
    plain = empty_lesson(drawn, 0), empty_lesson(drawn, 1)
    add_samples(plain, drawn, shard, 0.0)
    for lesson in plain:
        weights = lesson.weights.sum(0)
        told = lesson.sums.sum(0) / weights[:, None]
        expected = (lesson.weights[..., None] * lesson.exact).sum(0) / weights[:, None]
        # Weights are at most 3, so that so many hands are worth at least a third of their weight.
        assert (np.abs(told - expected) < 5 * np.sqrt(3 * expected * (1 - expected) / weights[:, None]) + 1e-3).all()
        assert np.allclose(lesson.exact.sum(2), 1.0, atol=1e-5) and np.allclose(lesson.calls[:, 1:].sum(1), 1.0)


def test_what_is_played_as_with_open_cards_is_learned_exactly(drawn: DrawnHands) -> None:
    shard = play_shard(policy_in_use(), drawn, 2_000, np.random.default_rng(3))
    shard["tricks"] = open_tricks(UP, shard)
    lessons = empty_lesson(drawn, 0), empty_lesson(drawn, 1)
    add_samples(lessons, drawn, shard, 1.0)
    for lesson in lessons:
        assert np.allclose(lesson.sums, lesson.weights[..., None] * lesson.exact, atol=1e-3)


def test_training_lowers_the_loss_of_hands_left_out(drawn: DrawnHands) -> None:
    jax = pytest.importorskip("jax")
    _ = pytest.importorskip("optax")
    given, left_out = (
        examples(played_lessons(drawn, count, seed), deal_value(2)) for count, seed in ((20_000, 4), (5_000, 5))
    )
    rows = contract_rows(left_out, 4_000, np.random.default_rng(6))
    recipe = Recipe(width=32, layers=2, steps=400, rows=512)
    network = train(functools.partial(contract_rows, given), contract_loss, OUTCOMES, recipe)
    opened = np.zeros((len(rows[0]), OUTCOMES), dtype=np.float32)
    assert contract_loss(network.outputs(rows[0]), *rows[1:]) < contract_loss(opened, *rows[1:]) - 0.02
    assert contract_loss(opened, *rows[1:]) == pytest.approx(naive_loss(*rows[1:]), abs=1e-4)
    assert jax.numpy.isfinite(network.weight).all()


def played_lessons(drawn: DrawnHands, count: int, seed: int) -> tuple[Lesson, Lesson]:
    lessons = empty_lesson(drawn, 0), empty_lesson(drawn, 1)
    add_samples(lessons, drawn, play_shard(policy_in_use(), drawn, count, np.random.default_rng(seed)), 1.0)
    return lessons


def naive_loss(logits: np.ndarray, targets: np.ndarray, weights: np.ndarray, paid: np.ndarray) -> float:
    """What `contract_loss` says if the open chances are told, row by row."""
    total = 0.0
    for logit, target, weight, pays in zip(logits, targets, weights, paid, strict=True):
        chances = np.exp(logit.astype(float)) / np.exp(logit.astype(float)).sum()
        value = sum(chances * pays)
        total += weight * sum(chances**2) - 2 * sum(chances * target)
        total += 3 * (weight * value**2 - 2 * value * sum(target * pays))
    return total / len(logits)


# ------------------------------------------------------------------------------------------------------------- answers


def test_rollouts_are_near_the_networks() -> None:
    for seat, second in itertools.product(SEATS, (False, True)):
        asked = functools.partial(ask_upcard, "JD AS KH 9H", "TH", seat, second_round=second, method="self-play")
        answer = asked(rollouts=100, seed=3)
        assert answer.rollouts is not None
        assert set(answer.rollouts.actions) == set(answer.actions) and answer.rollouts.n == 100
        for call, played in answer.rollouts.actions.items():
            assert abs(played.tower - answer.actions[call].tower) < 4 * played.error + 0.1
        assert answer.to_json()["rollouts"]["seed"] == 3
    assert asked(rollouts=100, seed=3).rollouts == answer.rollouts


def test_many_questions_are_answered_as_alone() -> None:
    asked = [
        ("JD AS KH 9H", "TH", "dealer"),
        ("JD AS KH 9H", "TC", "nondealer"),
        ("9S TS JS QS AD", "AS", "dealer"),
        ("9S TS JS QS AD KD", "AS", "dealer"),
        ("9S TS JS QS KS AD 9C", "AS", "nondealer"),
    ]
    for hand, up, seat in asked:
        answer = tl.upcard(hand, up, seat, method="self-play")
        assert answer.method == "self-play" and not answer.exact
        accept = answer.actions["accept"]
        assert 0 < accept.tower < 1 and (accept.discard is not None) == (seat == "dealer")
        low, high = answer.interval
        assert low <= answer.gap <= high
