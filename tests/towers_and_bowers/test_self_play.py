"""Self-play: hands in batches against the engine, what a seat sees, and the network against a naive twin."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import towerlab as tl
from tests.conftest import exhaustive
from tests.oracles import naive
from towerlab.games.cards import (
    DECK_24,
    SUITS,
    card_text,
    cards_mask,
    effective_suit,
    mask_cards,
    parse_card,
    to_play_order,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import HandState, Match, MatchState, Phase, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers import learned
from towerlab.sim.towers_and_bowers.seats import views_of
from towerlab.solver.towers_and_bowers.self_play import environment, network, policies
from towerlab.solver.towers_and_bowers.self_play.environment import State

GOLDEN = Path(__file__).parents[1] / "golden"
VECTORS_FILE = GOLDEN / "self_play.jsonl"  # written by the program that trained the policy
RANKS = "9TJQKA"
DEALER = 1


# ------------------------------------------------------------------------------------------------------- the frames


def suits_from(up: str) -> str:
    """The four suits as the frame of an up-card numbers them."""
    black = "SC"
    red = "HD"
    mate = {"S": "C", "C": "S", "H": "D", "D": "H"}[up[1]]
    return up[1] + mate + (red if up[1] in black else black)


def frame(up: str, trump: str | None) -> list[str]:
    """The 24 cards as the numbers of actions name them: the cards of both frames, written out."""
    suits = suits_from(up)
    if trump is None:
        return [rank + suit for suit in suits for rank in RANKS]
    mate = suits[suits.index(trump) ^ 1]
    cards = [*(rank + trump for rank in "9TQKA"), "J" + mate, "J" + trump, *(rank + mate for rank in "9TQKA")]
    return cards + [rank + suit for suit in suits if suit not in (trump, mate) for rank in RANKS]


def test_the_highest_card_of_a_suit_is_that_of_play_order() -> None:
    for suit, trump in enumerate(SUITS):
        cards = [int(to_play_order(1 << parse_card(card), suit, True)) for card in frame("9S", trump)]
        assert cards[:7] == sorted(cards[:7]) and min(cards[:7]) > max(cards[7:])
        assert all(cards[low:high] == sorted(cards[low:high]) for low, high in ((7, 12), (12, 18), (18, 24)))


# ------------------------------------------------------------------------------------------------------- the engine


def engine_at(up: str, hands: list[list[str]]) -> Match:
    """A match before the first call of a hand, the dealer being player 1; nothing stops early."""
    match = Match(TowersAndBowersOptions(claims="off", early_stop=False))
    masks = [cards_mask(map(parse_card, hand)) for hand in hands]
    hand = HandState(len(hands[0]), DEALER, (masks[0], masks[1]), parse_card(up), (), 0)
    match._state = MatchState(Phase.BID1_ND, (0, 0), hand.n, DEALER, hand=hand)
    return match


def action_of(number: int, seat: int, match: Match, up: str) -> dict[str, Any]:
    """The engine's record of an action of the environment."""
    trump = match.state().hand.trump
    if number < environment.CARDS:
        word = "discard" if match.phase == Phase.DISCARD else "play"
        return {"action": word, "player": seat, "card": frame(up, None if trump is None else SUITS[trump])[number]}
    if environment.NAME_ACTION <= number < environment.SECOND_PASS_ACTION:
        return {"action": "name", "player": seat, "suit": suits_from(up)[number - environment.NAME_ACTION + 1]}
    return {"action": "accept" if number == environment.ACCEPT_ACTION else "pass", "player": seat}


def play_at_random(count: int, seed: int) -> tuple[list[State], list[np.ndarray]]:
    """Return random hands: the states before every decision and after the last, and the actions."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, environment.LARGEST_HAND + 1, count)
    states = [environment.deal(random.random((count, environment.CARDS)), sizes)]
    actions = []
    for _ in range(environment.MOST_DECISIONS):
        legal = environment.legal(states[-1])
        actions.append(network.choose(legal.astype(float), random.random(count)))
        states.append(environment.step(states[-1], actions[-1]))
    return states, actions


def check_hands(count: int, seed: int) -> None:
    """Play random hands of the environment in the engine and compare what is seen, legal and won."""
    states, actions = play_at_random(count, seed)
    inputs = [network.inputs(state) for state in states]
    masks = [environment.legal(state) for state in states]
    for row in range(count):
        up_suit = "SCHD"[row % 4]
        first = State(*(array[row].tolist() for array in states[0]))
        up = RANKS[mask_cards(first.up)[0]] + up_suit
        match = engine_at(up, [[frame(up, None)[card] for card in mask_cards(hand)] for hand in first.hands])
        for state, legal, rows, action in zip(states, masks, inputs, actions, strict=False):
            if state.decision[row] == environment.OVER:
                break
            seat = match.to_act
            assert seat == state.turn[row]
            expected = [action_of(int(number), seat, match, up) for number in np.flatnonzero(legal[row])]
            assert sorted(map(str, expected)) == sorted(map(str, match.legal(seat)))
            if state.decision[row] >= environment.LEAD:
                check_cards_seen(match, seat, up, int(network.may_hold(state, row, seat)))
            if row % 10 == 0:
                seen = network.inputs(learned.state_of(views_of(match.view(seat))))
                assert (seen[0] == rows[row]).all()
            match.apply(action_of(int(action[row]), seat, match, up))
        hand = match.state().hand
        assert hand.outcome is not None and states[-1].decision[row] == environment.OVER
        assert hand.outcome.taken == tuple(states[-1].tricks[row])
        tower = environment.tower_winner(states[-1])[row]
        deals = environment.next_dealer(states[-1])[row]
        assert hand.outcome.tower_to == (None if tower < 0 else tower)
        assert hand.outcome.next_dealer == (deals if tower < 0 else None)


def check_cards_seen(match: Match, seat: int, up: str, possible: int) -> None:
    """The cards that the other player may hold, against the engine's view."""
    view = match.view(seat)
    cards = frame(up, SUITS[view.trump])
    expected = {
        card_text(card)
        for card in mask_cards(DECK_24 & ~(view.hand | view.gone))
        if effective_suit(card, view.trump, True) not in view.opponent_voids
    }
    assert {cards[number] for number in mask_cards(possible)} == expected


@pytest.mark.parametrize(("count", "seed"), [(500, 1), exhaustive(2_500, 2)])
def test_hands_are_those_of_the_engine(count: int, seed: int) -> None:
    check_hands(count, seed)


# ------------------------------------------------------------------------------------------------- what a seat sees


def cards_of_seats(vector: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The cards that each seat has played in a decision of the file."""
    played: tuple[list[str], list[str]] = ([], [])
    leader = 0
    for trick in vector["plays"]:
        for follows, card in enumerate(trick):
            played[leader ^ follows].append(card)
        if len(trick) == 2 and not naive.leader_wins(*trick, vector["trump"]):
            leader = 1 - leader
    return played


def state_of(vector: dict[str, Any]) -> State:
    """Play a decision of the file from its first call; of the other seat's cards only those played are dealt."""
    up = vector["up"]
    seat = int(vector["seat"] == "dealer")
    calls = vector["calls"]
    hands = cards_of_seats(vector)
    discard = vector["discard"]
    hands[seat].extend(vector["hand"])
    if calls[-1:] == ["accept"] and (seat == 0 or discard is not None):
        gives = discard or min(set(frame(up, None)) - {up, *hands[0], *hands[1]})
        hands[DEALER][:] = [gives, *(card for card in hands[DEALER] if card != up)]
        calls = [*calls, gives]
    masks = [[sum(1 << frame(up, None).index(card) for card in hand) for hand in hands]]
    up_mask = np.array([1 << frame(up, None).index(up)], dtype=np.int32)
    state = environment.start(np.array([vector["n"]]), np.array(masks, dtype=np.int32), up_mask)
    for word in [*calls, *(card for trick in vector["plays"] for card in trick)]:
        passes = (
            environment.PASS_ACTION if state.decision[0] == environment.FIRST_CALL else environment.SECOND_PASS_ACTION
        )
        if word.startswith("name "):
            action = environment.NAME_ACTION + suits_from(up).index(word[-1]) - 1
        else:
            calls_of = {"accept": environment.ACCEPT_ACTION, "pass": passes}
            action = calls_of[word] if word in calls_of else frame(up, vector["trump"]).index(word)
        state = environment.step(state, np.array([action]))
    return state


VECTORS = [json.loads(line) for line in VECTORS_FILE.read_text().splitlines()]


def test_inputs_are_those_that_the_policy_was_trained_on() -> None:
    for vector in VECTORS:
        assert np.flatnonzero(network.inputs(state_of(vector))[0]).tolist() == vector["inputs"], vector


def test_inputs_read_no_card_of_the_other_hand() -> None:
    states, _ = play_at_random(300, seed=3)
    for state in states:
        is_turn = np.arange(2) == state.turn[:, None]
        blind = state._replace(
            hands=np.where(is_turn, state.hands, 0), discard=np.where(state.turn == 1, state.discard, 0)
        )
        assert (network.inputs(state) == network.inputs(blind)).all()
        seen = network.critic_inputs(state)
        assert (seen[:, : network.INPUTS] == network.inputs(state)).all()
        others = environment.of_seat(state.hands, 1 - state.turn)
        assert (seen[:, network.INPUTS : network.INPUTS + 24] == environment.bits_of(others, 24)).all()


# ------------------------------------------------------------------------------------------------------- the network


def naive_outputs(path: Path, row: np.ndarray) -> np.ndarray:
    """The outputs for one row, layer by layer as the file's description has them, in float64."""
    arrays = {name: array.astype(np.float64) for name, array in np.load(path).items()}
    x = row.astype(np.float64)
    for layer in range(3):
        y = x @ arrays[f"layer{layer}_weight"] + arrays[f"layer{layer}_bias"]
        y = (y - y.mean()) / np.sqrt(y.var() + 1e-5) * arrays[f"layer{layer}_scale"] + arrays[f"layer{layer}_shift"]
        x = np.maximum(y, 0) + (x if layer else 0)
    return x @ arrays["layer3_weight"] + arrays["layer3_bias"]


def test_the_network_is_its_naive_twin_in_any_batch() -> None:
    policy = policies.stored_bundle().policy.network
    path = policies.STORED / policies.POLICY_FILE
    states, _ = play_at_random(150, seed=4)
    for state in states[::3]:
        encoded = network.encode(state, np.arange(150), symmetric=True)
        outputs = policy.outputs_of_views(encoded)
        rows = network.to_dense(encoded)
        assert policy.outputs(rows) == pytest.approx(outputs, abs=1e-3)
        for place in range(0, 150, 37):
            assert outputs[place] == pytest.approx(naive_outputs(path, rows[place]), abs=2e-3)
            alone = policy.outputs_of_views(network.some_views(encoded, np.array([place])))
            assert alone[0] == pytest.approx(outputs[place], abs=1e-4)


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    policy = policies.stored_bundle().policy
    rows = np.eye(network.INPUTS, dtype=np.uint8)
    for is_symmetric in (True, False):
        network.write_policy(tmp_path / "policy.npz", policy._replace(is_symmetric=is_symmetric))
        again = network.read_policy(tmp_path / "policy.npz")
        assert again.is_symmetric == is_symmetric
        assert (again.network.outputs(rows) == policy.network.outputs(rows)).all()


def test_probabilities_are_of_legal_actions_and_lower_temperatures_choose_the_likeliest() -> None:
    policy = policies.stored_bundle().policy
    states, _ = play_at_random(200, seed=5)
    for state in states:
        is_legal = environment.legal(state)
        shares = network.action_probabilities(policy, state)
        cold = network.action_probabilities(policy, state, temperature=1e-3)
        over = state.decision == environment.OVER
        assert (shares[~is_legal] == 0).all() and shares[~over].sum(axis=1) == pytest.approx(1)
        assert (shares[over] == 0).all() and (cold.max(axis=1)[~over] > 0.49).all()
        assert (is_legal[~over, network.choose(shares, np.full(len(over), 0.999))[~over]]).all()


def test_payoffs_are_the_values_of_the_next_deal() -> None:
    states, _ = play_at_random(300, seed=6)
    last = states[-1]
    values = np.array([0.0, 0.8, 0.7, 0.6, 0.65, 0.62, 0.61])
    payoffs = environment.payoffs(last, values)
    for row in range(300):
        n = last.size[row]
        tricks = last.tricks[row]
        bidder = last.bidder[row]
        if n in tricks:
            expected = float(tricks[1] == n)
        else:
            deals = bidder if tricks[bidder] >= n // 2 + 1 else 1 - bidder
            expected = values[n - 1] if deals == 1 else 1 - values[n - 1]
        assert payoffs[row] == pytest.approx([1 - expected, expected])
    for before, after in itertools.pairwise(states):
        settled = environment.is_settled(before)
        assert (environment.payoffs(before, values)[settled] == payoffs[settled]).all()
        assert environment.is_settled(after)[settled].all()


def test_products_use_one_thread_and_leave_what_others_set_alone() -> None:
    def threads() -> list[int]:
        return [library.num_threads for library in network._blas_libraries()]

    rows = np.zeros((4, network.INPUTS))
    used: list[list[int]] = []

    class Weights(np.ndarray):
        """Says how many threads a product with it may use."""

        def __array_ufunc__(self, ufunc: Any, method: str, *of: Any, **kwargs: Any) -> Any:
            used.append(threads())
            plain = [np.asarray(array) for array in of]
            return getattr(ufunc, method)(*plain, **kwargs)

    policy = policies.stored_bundle().policy.network
    watched = policy._replace(weight=policy.weight.view(Weights))
    with threadpool_limits(2, "blas"):
        before = threads()
        assert before and set(before) == {2}
        barrier = threading.Barrier(3)

        def ask() -> None:
            barrier.wait()
            for _ in range(20):
                watched.outputs(rows)

        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        assert threads() == before
    assert len(used) == 60 and all(set(counts) == {1} for counts in used)


# ------------------------------------------------------------------------------------- what belongs to a policy


def copy_of_the_stored(folder: Path) -> Path:
    """The bundle that ships in another folder."""
    return Path(shutil.copytree(policies.STORED, folder))


def test_files_that_do_not_belong_together_are_refused_by_name(tmp_path: Path) -> None:
    stored = policies.stored_bundle()
    assert stored.is_current and len(stored.rows(policies.VALUES_FILE)) == 18
    assert set(stored.files) == {policies.POLICY_FILE, policies.VALUES_FILE, policies.ERRORS_FILE}
    other = (GOLDEN / "self_play_2x128.npz").read_bytes()
    for name in stored.files:  # issue: a replaced policy is not noticed
        folder = copy_of_the_stored(tmp_path / f"replaced-{name}")
        (folder / name).write_bytes(other)
        with pytest.raises(TowerlabError, match=f"{name} is not the file that bundle.json names"):
            policies.read_bundle(folder)
        (folder / name).unlink()
        with pytest.raises(TowerlabError, match=f"{name} is not the file that bundle.json names"):
            policies.read_bundle(folder)
    with pytest.raises(TowerlabError, match="holds no learned policy; expected a folder"):
        policies.read_bundle(tmp_path)
    (tmp_path / policies.BUNDLE_FILE).write_text('{"files": {"../secret": ""}}')
    with pytest.raises(TowerlabError, match=r"names no policy\.npz"):
        policies.read_bundle(tmp_path)


def test_a_training_of_ones_own_is_a_bundle(tmp_path: Path) -> None:
    other = (GOLDEN / "self_play_2x128.npz").read_bytes()
    for name, content in policies.bundle_files({policies.POLICY_FILE: other}).items():
        (tmp_path / name).write_bytes(content)
    own = policies.current_bundle(tmp_path)
    assert own.policy.is_symmetric and own.digest != policies.stored_bundle().digest
    assert own.rows(policies.ERRORS_FILE) == []
    measured = own.with_file(policies.VALUES_FILE, b"cards\n5\n")
    assert set(measured) == {policies.POLICY_FILE, policies.VALUES_FILE, policies.BUNDLE_FILE}
    assert policies.policy_in_use() is policies.stored_bundle().policy
    with policies.answer_with(own):
        assert policies.policy_in_use() is own.policy
    assert policies.policy_in_use() is policies.stored_bundle().policy
    (tmp_path / policies.BUNDLE_FILE).write_bytes(measured[policies.BUNDLE_FILE].replace(own.rules.encode(), b"older"))
    (tmp_path / policies.VALUES_FILE).write_bytes(b"cards\n5\n")
    with pytest.raises(TowerlabError, match="trained before the rules were edited"):
        policies.current_bundle(tmp_path)


# --------------------------------------------------------------------------------------------------- names of suits


def read_symmetric(name: str) -> network.Policy:
    """A small policy of the golden files."""
    return network.read_policy(GOLDEN / f"self_play_{name}.npz")


def mirror_of(shares: np.ndarray, state: State) -> np.ndarray:
    """Probabilities with the two suits of the other colour exchanged, written out."""
    cards = [*range(12), *range(18, 24), *range(12, 18)]
    calls = [24, 25, 26, 28, 27, 29]
    named_only = np.isin(state.trump, (2, 3))
    return np.where(named_only[:, None], shares, shares[:, cards + calls])


@pytest.mark.parametrize(("count", "seed"), [(400, 9), exhaustive(4_000, 10)])
def test_renaming_suits_changes_no_probability(count: int, seed: int) -> None:
    policy = read_symmetric("2x128")
    states, _ = play_at_random(count, seed)
    ties = 0
    for state in states:
        mirrored = environment.mirror_hands(state)
        shares = network.action_probabilities(policy, state)
        assert (network.action_probabilities(policy, mirrored) == mirror_of(shares, state)).all()
        encoded = network.encode(state, np.arange(count), symmetric=True)
        again = network.encode(mirrored, np.arange(count), symmetric=True)
        assert (network.to_dense(encoded) == network.to_dense(again)).all() and (encoded.tied == again.tied).all()
        ties += encoded.tied.sum()
        back = environment.mirror_hands(mirrored)
        assert all((array == same).all() for array, same in zip(back, state, strict=True))
    assert ties > count / 10


def test_a_small_policy_has_the_probabilities_of_the_program_that_made_it() -> None:
    policy = read_symmetric("2x128")
    exact = policy._replace(network=policy.network.in_double())
    for line in (GOLDEN / "self_play_2x128.jsonl").read_text().splitlines():
        vector = json.loads(line)
        row = np.zeros((1, network.INPUTS))
        row[0, vector["ones"]] = 1
        logits = network.symmetric_outputs(exact.network, row, np.array([vector["tied"]]), np)
        weights = np.exp(logits[0, vector["legal"]])
        assert weights / weights.sum() == pytest.approx(vector["probabilities"], abs=1e-6)


def test_a_policy_of_ones_own_answers_and_is_said_not_to_be_measured(tmp_path: Path) -> None:
    """`upcard`, `discard` and `move --policy FOLDER`: other numbers, its digest in `about()`, no measured accuracy."""
    content = (GOLDEN / "self_play_2x128.npz").read_bytes()
    for name, file in policies.bundle_files({policies.POLICY_FILE: content}).items():
        (tmp_path / name).write_bytes(file)
    digest = policies.read_bundle(tmp_path).digest
    hand = {"hand": "JS AS KS 9S AD", "up": "QS"}
    history = {"up": "QS", "history": "KH/AH", "first_lead": "them", "lead": "me", "cards": 5, "seen": "9D"}
    questions = [
        (tl.upcard, hand | {"seat": "nondealer", "rollouts": 300}),
        (tl.discard, hand | {"bidder": "them", "rollouts": 300}),
        (tl.move, {"hand": "QS 9C QC 9H", "trump": "S", "bidder": "me", "rollouts": 300} | history),
    ]
    for ask, question in questions:
        ours = ask(**question)
        own = ask(**question, policy=str(tmp_path))
        assert ours.about()["policy"] == policies.stored_bundle().digest
        assert own.about()["policy"] == digest and own.to_json() != ours.to_json()
        assert ask(**question).to_json() == ours.to_json()
    upcard = tl.upcard(**hand, seat="nondealer", rollouts=300, policy=str(tmp_path))
    assert upcard.model_error is None
    assert "distance from the game was not measured" in " ".join(str(upcard).replace("│", " ").split())
    with pytest.raises(TowerlabError, match="holds no learned policy"):
        tl.upcard(**hand, seat="nondealer", policy=str(tmp_path / "none"))
