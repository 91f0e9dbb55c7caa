"""Cards with more than three left: the range against the engine and the player, rollouts, one answer everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import Answer, exhaustive
from tests.oracles.match_driver import deal_hands
from tests.oracles.policy_twin import Twin, every_hand, up_frame
from towerlab.analysis.towers_and_bowers.last_cards import hidden_play
from towerlab.analysis.towers_and_bowers.move import Reference, ask_move
from towerlab.analysis.towers_and_bowers.played import PlayedCalls
from towerlab.analysis.towers_and_bowers.position import calling_view, rename_view, standard_names
from towerlab.analysis.towers_and_bowers.ranges import (
    MOST_LAYOUTS_IN_PLAY,
    STRAY_ODDS,
    has_history,
    policy_calls,
    range_of,
)
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS, TABLE_ROLLOUTS, policy_mix
from towerlab.analysis.towers_and_bowers.upcard import ask_discard
from towerlab.games.cards import DECK_24, card_text, cards_mask, mask_cards, mask_text, parse_card, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions, View
from towerlab.sim.towers_and_bowers.learned import Learned
from towerlab.sim.towers_and_bowers.seats import actions_of, views_of
from towerlab.solver.towers_and_bowers.bidding import suit_renamings
from towerlab.solver.towers_and_bowers.self_play.policies import POLICY_FILE, STORED, policy_in_use
from towerlab.table.towers_and_bowers.game import TABLE
from towerlab.table.towers_and_bowers.review import grade


def choices(view: View) -> list[tuple[dict[str, Any], float]]:
    """What the policy may do at a decision of the engine, and how likely it is."""
    views = views_of(view)
    shares = Learned().probabilities(views)[0][views.may[0]]
    actions = [{**action, "player": view.player} for action in actions_of(views, 0)]
    return list(zip(actions, shares.tolist(), strict=True))


def plays(cards: int, seed: int, up: str = "QS", left: int = 4) -> Iterator[tuple[Match, View]]:
    """Decisions with so many cards left or more, of hands that the policy plays with an up-card."""
    random = np.random.default_rng(seed)
    while True:
        pack = [card for card in random.permutation(mask_cards(DECK_24)).tolist() if card_text(card) != up]
        nondealer, dealer = (" ".join(map(card_text, pack[start : start + cards])) for start in (0, cards))
        match = deal_hands(nondealer, dealer, up, claims="off")
        while match.result is None and match.to_act is not None and match.state().n == cards:
            view = match.view(match.to_act)
            if view.phase == Phase.PLAY and view.hand.bit_count() >= left and view.legal & (view.legal - 1):
                yield match.copy(), view
            actions, shares = zip(*choices(view), strict=True)
            match.apply(actions[int(random.choice(len(actions), p=np.array(shares) / sum(shares)))])


def likelihood(match: Match, view: View, hand: int, away: int, cards: int) -> float:
    """How likely the policy acts as the other did, holding that hand now, played through the engine."""
    played = [0, 0]
    for trick in view.tricks:
        for seat in (0, 1):
            played[seat] |= 1 << trick.card_of(seat)
    if view.led is not None:
        played[1 - view.player] |= 1 << view.led
    other = 1 - view.player
    up = 1 << (view.up_card or 0)
    dealt = {view.player: view.hand | played[view.player], other: hand | played[other]}
    if view.trump == 3:  # accepted: seat 0 deals
        given = 1 << (view.discard or 0) if view.player == 0 else away
        dealt[0] = dealt[0] & ~up | given
    again = deal_hands(mask_text(dealt[1]), mask_text(dealt[0]), mask_text(up), claims="off")
    likely = 1.0
    for action in match.actions[len(again.actions) :]:
        seat = again.to_act
        assert seat is not None
        action = {**action, "card": mask_text(away)} if action["action"] == "discard" and seat == other else action
        if seat == other:
            shares = [share for one, share in choices(again.view(seat)) if one == action]
            if not shares:
                return 0.0
            likely *= max(shares[0], 1 / STRAY_ODDS)
        again.apply(action)
    return likely


@pytest.mark.parametrize(("cards", "seed"), [(5, 1), (5, 2), (6, 3)])
def test_the_range_is_how_likely_the_policy_acts_so(cards: int, seed: int) -> None:
    """Against the engine and the player, hand by hand, with a spade turned up and the names as they are."""
    random = np.random.default_rng(seed)
    checked = 0
    close = 1e-4 if policy_in_use().is_symmetric else 0.5  # else calls are those of the hand's class
    for match, view in plays(cards, seed):
        if standard_names(view)[0] != (0, 1, 2, 3) or not view.tricks:
            continue
        believed = range_of(view, policy_calls)
        assert believed.weights.sum() == pytest.approx(1) and believed.fitting >= len(believed.hands)
        likely = []
        for row in random.choice(len(believed.hands), 6):
            away = int(believed.away[row])
            likely.append(likelihood(match, view, int(believed.hands[row]), away, cards) / believed.weights[row])
        assert np.ptp(likely) <= close * max(likely)
        mix = policy_mix(believed)
        assert set(mix) == set(mask_cards(view.legal)) and sum(mix.values()) == pytest.approx(1)
        checked += 1
        if checked == 3:
            return


def test_the_last_three_cards_begin_with_the_same_range() -> None:
    for _, view in plays(5, 2, left=3):
        if view.hand.bit_count() == 3 and view.led is None and view.trump != 3:
            known = hidden_play(view, (0.5,) * 6, None, True)
            believed = range_of(view, policy_calls)
            assert dict(zip(known.hands.tolist(), known.weights, strict=True)) == pytest.approx(
                dict(zip(believed.former_hands.tolist(), believed.weights, strict=True)), rel=1e-4
            )
            return


@pytest.mark.slow
def test_values_are_means_of_games_between_two_players_of_the_policy() -> None:
    """Two cards played through the engine 120 times each, the other's hand drawn from the range."""
    random = np.random.default_rng(4)
    match, view = next((match, view) for match, view in plays(5, 11) if view.trump != 3)
    answer = Reference(match.options).move(view, rollouts=4_000)
    believed = range_of(view, policy_calls)
    for play in (answer.plays[0], answer.plays[-1]):
        won = []
        for row in random.choice(len(believed.hands), 120, p=believed.weights):
            again = _with_other_hand(match, view, int(believed.former_hands[row]))
            again.apply({"action": "play", "player": view.player, "card": play.card})
            won.append(_result(again, view.player, random))
        assert abs(np.mean(won) - play.value) < 4 * np.std(won) / 120**0.5 + 0.01


def test_a_discard_and_the_wait_for_a_card_have_means_of_such_games() -> None:
    """The non-dealer has accepted; the first and the last discard, then the dealer before the first lead."""
    random = np.random.default_rng(8)
    held = "JS KS 9H TH AD"
    up = "QS"
    answer = ask_discard(held, up, "them")
    dealt = calling_view(parse_mask(held), parse_card(up), True)
    believed = None
    cards = [answer.discards[0], answer.discards[-1]]
    for discard in cards:
        won = []
        waiting = 0.0
        for hand in ["AS 9S AH QC TC"] + [None] * 100:
            if hand is None:
                assert believed is not None
                hand = mask_text(int(random.choice(believed.former_hands, p=believed.weights)))
            match = deal_hands(hand, held, up, claims="off")
            match.apply({"action": "accept", "player": 1})
            believed = believed or range_of(dealt, policy_calls).to_contract(0)
            match.apply({"action": "discard", "player": 0, "card": discard.card})
            waiting = waiting or Reference(match.options).play_on(match.view(0))[0]
            won.append(_result(match, 0, random))
        for value in (discard.tower, waiting):
            assert abs(np.mean(won[1:]) - value) < 4 * np.std(won[1:]) / 10 + 0.01
    assert answer.discards[0].interval[0] == 0 < answer.discards[-1].interval[0]  # type: ignore[index]


def _result(match: Match, player: int, random: np.random.Generator) -> float:
    """What a player wins once two players of the policy have played a hand of five cards on."""
    while match.state().hand is not None and match.state().hand.outcome is None:  # type: ignore[union-attr]
        actions, shares = zip(*choices(match.view(match.to_act or 0)), strict=True)
        match.apply(actions[int(random.choice(len(actions), p=np.array(shares) / sum(shares)))])
    outcome = match.state().hand.outcome  # type: ignore[union-attr]
    assert outcome is not None
    return Reference(match.options).value_of_outcome(5, outcome, player)


def _with_other_hand(match: Match, view: View, hand: int) -> Match:
    """The same hand, turned down, with another hand of the other's."""
    own = view.hand
    theirs = hand
    for trick in view.tricks:
        own, theirs = own | 1 << trick.card_of(view.player), theirs | 1 << trick.card_of(1 - view.player)
    theirs |= 0 if view.led is None else 1 << view.led
    dealt = {view.player: own, 1 - view.player: theirs}
    again = deal_hands(mask_text(dealt[1]), mask_text(dealt[0]), card_text(view.up_card or 0), claims="off")
    for action in match.actions[len(again.actions) :]:
        again.apply(action)
    return again


@pytest.mark.parametrize("cards", [4, 5, 7])
def test_one_play_has_one_answer_everywhere(cards: int, inside: Callable[..., Answer]) -> None:
    """The command, the table's advice, the review and a question typed from the position's link."""
    decisions = plays(cards, 20 + cards)
    for _ in range(3):
        match, view = next(decisions)
        assert has_history(view)
        answer = Reference(match.options).move(view)
        assert answer.method == "self-play" and answer.counted == ROLLOUTS and not answer.exact
        assert answer.best.loss.mean == 0 and sum(play.share or 0 for play in answer.plays) == pytest.approx(1)
        advice = TABLE.advise(view, match.options)
        assert advice is not None
        costs = {option.action["card"]: option.cost.mean for option in advice.alternatives}
        again = ask_move(**_typed(view), options=match.options)
        assert again.to_json()["plays"] == answer.to_json()["plays"]
        worst = answer.plays[-1]
        match.apply({"action": "play", "player": view.player, "card": worst.card})
        decision = grade(match, ("player 1", "player 2"), (view.player,), "equilibrium").decisions[-1]
        for cost in (costs[worst.card], decision.cost.mean):
            assert cost == pytest.approx(1000 * worst.loss.mean, abs=1e-5)
        assert decision.is_forced or decision.cost.ends == pytest.approx([1000 * end for end in worst.loss.ends])


def _typed(view: View) -> dict[str, Any]:
    """A decision as it is typed."""
    words = [f"{card_text(trick.led)}/{card_text(trick.reply)}" for trick in view.tricks]
    words += [] if view.led is None else [f"{card_text(view.led)}/"]
    assert view.trump is not None
    typed: dict[str, Any] = {"hand": mask_text(view.hand), "trump": "CDHS"[view.trump], "up": card_text(view.up)}
    typed["bidder"] = "me" if view.bidder == view.player else "them"
    first = "them" if view.deals else "me"
    typed |= {"history": " ".join(words), "first_lead": first} if words else {"lead": first}
    return typed | ({} if view.discard is None else {"seen": card_text(view.discard)})


def test_names_of_suits_change_nothing() -> None:
    """Nor where the position is its own mirror image: mirrored cards are then equal."""
    for _, view in (next(plays(6, seed)) for seed in (1, 2)):
        answer = {play.card: play for play in Reference(TowersAndBowersOptions()).move(view).plays}
        for names in suit_renamings():
            for play in Reference(TowersAndBowersOptions()).move(rename_view(view, names)).plays:
                first = answer[play.card[0] + "CDHS"[names.index("CDHS".index(play.card[1]))]]
                assert (play.value, play.loss, play.share) == (first.value, first.loss, first.share)


def test_hands_are_drawn_where_there_are_many_and_rollouts_as_many_as_asked(inside: Callable[..., Answer]) -> None:
    line = ["move", "towers-and-bowers", "--hand", "QS 9S QH AC KC 9C 9D", "--trump", "D", "--bidder", "me"]
    line += ["--lead", "me", "--up", "TS", "--json"]
    few, many = (inside(*line, *more).json for more in ([], ["--rollouts", "800"]))
    assert few["layouts"] > MOST_LAYOUTS_IN_PLAY and (few["counted"], many["counted"]) == (ROLLOUTS, 800)
    assert few["method"] == "self-play" and few["seed"] == 0 and not few["exact"]
    assert all(low < 0.1 for low, _ in (play["interval"] for play in few["plays"]))
    row = {word[2:]: text for word, text in zip(line[2:-1:2], line[3:-1:2], strict=True)}
    rows = tl.move_many(pd.DataFrame([row, row | {"rollouts": 800}]), jobs=1)
    assert rows["counted_layouts"].tolist() == [TABLE_ROLLOUTS, 800] and rows["tower"][1] == many["plays"][0]["value"]
    for more, why in ((["--rollouts", "1"], "expected 2 to"), (["--rollouts", "9", "--method", "pimc"], "needs")):
        refused = inside(*line, *more)
        assert refused.status == 2 and why in refused.stderr
    with pytest.raises(TowerlabError, match="needs the default rules"):
        ask_move("AH 9S", "H", "me", lead="me", rollouts=50)


# ------------------------------------------------------------------------------------------------- against the twin


def _twin_values(asked: dict[str, Any], count: int, seed: int, discard: str | None) -> dict[str, tuple[float, float]]:
    """P(win the tower) of every call, and its standard error, by `count` hands each that the twin plays."""
    random = np.random.default_rng(seed)
    held = asked["hand"].split()
    up = asked["up"]
    cards = len(held)
    seat = int(asked["seat"] == "dealer")
    second = asked["second_round"]
    twin = Twin(STORED / POLICY_FILE, cards, up, random)
    layouts = every_hand(twin.up_names, {*held, up}, cards)
    first_calls = twin.call_shares(layouts, 1 - seat, False)
    weights = np.ones(len(layouts))
    if seat or second:
        weights *= np.maximum(first_calls[:, 25], 1 / STRAY_ODDS)
    if seat and second:
        weights *= np.maximum(twin.call_shares(layouts, 1 - seat, True)[:, 29], 1 / STRAY_ODDS)
    own = np.tile(twin.cards_of(held, twin.up_names), (count, 1))
    dealt = layouts[random.choice(len(layouts), count, p=weights / weights.sum())]
    hands = np.stack([dealt, own] if seat else [own, dealt], axis=1)
    suits = up_frame(up)[6::6]
    calls = [card[1] for card in suits] if second else ["accept"]
    values = {}
    for call in calls if second and seat else [*calls, "pass"]:
        if call == "pass":
            contract = _contracts_after_pass(twin, hands, seat, second)
        else:
            contract = np.full(count, 4 * seat + (0 if call == "accept" else 1 + calls.index(call)))
        won = np.empty(count)
        for number in np.unique(contract):
            rows = contract == number
            trump = up[1] if number % 4 == 0 else suits[number % 4 - 1][1]
            given = discard if number == 4 and seat else None
            tricks = twin.play(hands[rows], trump, int(number >= 4), given)
            won[rows] = _won(cards, tricks, number >= 4, seat)
        values[call] = float(won.mean()), float(won.std() / count**0.5)
    return values


def _contracts_after_pass(twin: Twin, hands: np.ndarray, seat: int, second: bool) -> np.ndarray:
    """The contract of each hand once a seat has passed, all later calls being the policy's."""
    nondealer, dealer = hands[:, 0], hands[:, 1]
    contract = np.full(len(hands), -1)
    if not (seat or second):
        contract[twin.choose(twin.call_shares(dealer, 1, False)) == 24] = 4
    if not second or seat:
        named = twin.choose(twin.call_shares(nondealer, 0, True))
        contract = np.where((contract < 0) & (named < 29), named - 25, contract)
    left = twin.choose(twin.call_shares(dealer, 1, True)) - 25
    return np.where(contract < 0, 4 + left, contract)


def _won(cards: int, tricks: np.ndarray, dealer_bids: bool, seat: int) -> np.ndarray:
    """P(win the tower) of a seat by the non-dealer's tricks."""
    bidder = cards - tricks if dealer_bids else tricks
    dealer_deals = (bidder > cards // 2) == dealer_bids
    next_deal = tl.value(cards - 1).values[0].dealer
    dealer = np.where(
        tricks == cards, 0.0, np.where(tricks == 0, 1.0, np.where(dealer_deals, next_deal, 1 - next_deal))
    )
    return dealer if seat else 1 - dealer


QUESTIONS = [
    (cards, seat, second) for cards in (5, 6, 7) for seat in ("dealer", "nondealer") for second in (False, True)
]


@pytest.mark.parametrize(("count", "each"), [(600, 1), exhaustive(20_000, 3)])
def test_values_are_those_of_the_twin(count: int, each: int) -> None:
    """Every call of hands drawn at random: few are more than two standard errors off, none is far off."""
    random = np.random.default_rng(each)
    off = []
    for number, (cards, seat, second) in enumerate(QUESTIONS * each):
        *hand, up = random.permutation([card_text(card) for card in mask_cards(DECK_24)])[: cards + 1].tolist()
        asked = {"hand": " ".join(hand), "up": up, "seat": seat, "second_round": second}
        answer = tl.upcard(**asked, rollouts=count)  # type: ignore[arg-type]
        accept = answer.actions.get("accept")
        values = _twin_values(asked, count, number, getattr(accept, "discard", None))
        for name, (mean, error) in values.items():
            value = answer.actions[name]
            assert value.error is not None
            off.append((value.tower - mean) / max(float(np.hypot(value.error, error)), 1e-3))
    assert np.abs(off).max() < 4.5 and np.mean(np.abs(off) > 2) < 0.12, off


@pytest.mark.slow
def test_standard_errors_are_how_far_two_samples_of_deals_are_apart() -> None:
    """The gap of two calls by 200 deals and by 2,000 others, of hands of five to seven cards drawn at random."""
    random = np.random.default_rng(5)
    off = []
    for number in range(40):
        *hand, up = random.permutation(mask_cards(DECK_24))[: 6 + number % 3].tolist()
        view = calling_view(cards_mask(hand), up, bool(number // 3 % 2), bool(number // 6 % 2))
        believed = range_of(view, policy_calls)
        samples = [
            PlayedCalls(view, believed, policy_calls, count, seed, is_whole=False)
            for count, seed in ((200, number), (2_000, 1_000 + number))
        ]
        first, second = samples[0].compared_calls()
        gaps = [sample.played.towers[first] - sample.played.towers[second] for sample in samples]
        errors = [sample.played.error_of_lead(first, second) for sample in samples]
        off.append((gaps[0] - gaps[1]) / float(np.hypot(*errors)))
    assert np.mean(np.abs(off) <= 1.96) >= 0.85 and 0.6 < np.std(off) < 1.4, off
