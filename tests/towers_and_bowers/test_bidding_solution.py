"""The bidding game with hidden hands on double-dummy play: against brute force, a linear program, and what ships."""

from __future__ import annotations

import functools
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Answer, slow
from tests.oracles import naive, naive_bidding
from tests.oracles.call_values import call_values
from towerlab.analysis.study import parse_parameters, run_study
from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    archive,
    load_bidding,
)
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values, open_deal_values
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import best_deal_value, bidding_value
from towerlab.analysis.towers_and_bowers.solutions.rules import stamp_files
from towerlab.analysis.towers_and_bowers.solutions.shipped import FOLDER_VARIABLE
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import load_strategy
from towerlab.analysis.towers_and_bowers.studies import EQUILIBRIUM_BIDDING
from towerlab.analysis.towers_and_bowers.studies.reached_gains import measure_up_card
from towerlab.analysis.towers_and_bowers.upcard.answers import INDIFFERENT, ContractValue, Mix, losses
from towerlab.analysis.towers_and_bowers.upcard.asking import UpcardQuestion, ask_upcard
from towerlab.analysis.towers_and_bowers.upcard.weighted import answer_discard
from towerlab.analysis.towers_and_bowers.value import measure_bidding
from towerlab.games.cards import (
    DECK_24,
    RANKS,
    card_text,
    cards_mask,
    mask_cards,
    parse_card,
    parse_mask,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.knowledge import PASS, make_model, rules_of
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, plan_bids
from towerlab.solver.towers_and_bowers.bidding import (
    BiddingStrategies,
    Deals,
    evaluate,
    exploitability,
    make_deals,
    payoffs,
    solve_up_card,
    up_cards,
)
from towerlab.solver.towers_and_bowers.bidding import solve as solving
from towerlab.solver.towers_and_bowers.bidding.packed import floored, pack, unpack, value_columns
from towerlab.solver.towers_and_bowers.bidding.strategies import dealer_value, nondealer_value, symmetric
from towerlab.solver.towers_and_bowers.bidding.views import dealer_views
from towerlab.solver.towers_and_bowers.classes import UpCardClasses, suit_renamings, up_card_classes
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import card_numbers

NEXT_DEAL = 0.7
DATA = Path(__file__).parents[2] / "analysis" / "towers_and_bowers" / "data"
SMALL = "AJT"


def accepted_value(classes: UpCardClasses, next_deal: float, nondealer_accepts: bool = True) -> float:
    """P(the dealer wins the tower) over some classes of their hands when the up-card is trumps whatever is bid.

    They make the discard that is best for each class; at odd sizes it is no matter who accepts.
    """
    cards = int(classes.hands[0]).bit_count()
    worth = payoffs(cards, next_deal)[0 if nondealer_accepts else 1]
    won, total = 0.0, 0.0
    for up in up_cards():
        of = classes.ups == up
        counts = dealer_views(classes.hands[of], up, None, open_bidding(cards, next_deal)).open_own
        won += float(classes.weights[of] @ (counts @ worth).min(1))
        total += float(classes.weights[of] @ counts[:, 0].sum(1))
    return 1 - won / total


def any_strategies(deals: Deals, seed: int) -> BiddingStrategies:
    """Some strategies, alike for mirrored hands."""
    rng = np.random.default_rng(seed)
    size = len(deals.classes)

    def choice(width: int) -> Any:
        return rng.dirichlet(np.ones(width), size)

    shares = choice(2)[:, 0], choice(4), choice(deals.cards), choice(2)[:, 0], choice(deals.cards), choice(3)
    return symmetric(deals, BiddingStrategies(*shares))


def small_pack(ranks: str) -> int:
    """The cards of some ranks in all four suits."""
    return cards_mask(13 * suit + RANKS.index(rank) for suit in range(4) for rank in ranks)


def game_of(deals: Deals, ranks: str | None, next_deal: float) -> naive_bidding.Game:
    pack_mask = DECK_24 if ranks is None else small_pack(ranks)
    cards = frozenset(map(card_text, mask_cards(pack_mask)))
    return naive_bidding.Game(cards, card_text(deals.up), deals.cards, next_deal)


def way_of(deals: Deals, strategies: BiddingStrategies, hand: frozenset[str], dealer: bool) -> naive_bidding.Way:
    """How one printed hand is bid: rows, mirror images and cards looked up the slow way."""
    swap = str.maketrans("DH", "HD")
    mask = parse_mask(" ".join(hand))
    mirrored = mask not in deals.classes
    standing = frozenset(card[0] + card[1].translate(swap) for card in hand) if mirrored else hand
    row = list(deals.classes).index(parse_mask(" ".join(standing)))
    cards = [card_text(card) for card in mask_cards(int(deals.classes[row]))]
    suits = "CDH"
    if mirrored:
        cards = [card[0] + card[1].translate(swap) for card in cards]
        suits = "CHD"
    if dealer:
        return naive_bidding.Way(
            strategies.answers[row],
            dict(zip(suits, strategies.left[row], strict=True)),
            dict(zip(cards, strategies.discards[row], strict=True)),
            dict(zip(cards, strategies.own_discards[row], strict=True)),
        )
    names = dict(zip([*suits, "pass"], strategies.names[row], strict=True))
    return naive_bidding.Way(strategies.accepts[row], names, {}, {})


@pytest.mark.parametrize(("cards", "ranks"), [(1, None), (2, SMALL)])
def test_values_of_actions_equal_brute_force(cards: int, ranks: str | None) -> None:
    pack_mask = DECK_24 if ranks is None else small_pack(ranks)
    deals = make_deals(cards, up_cards(pack_mask)[1], pack_mask)
    strategies = any_strategies(deals, cards)
    worth = evaluate(deals, strategies, payoffs(cards, NEXT_DEAL))
    game = game_of(deals, ranks, NEXT_DEAL)
    rng = random.Random(cards)
    for row in rng.sample(range(len(deals.classes)), 6):
        hand = frozenset(map(card_text, mask_cards(int(deals.classes[row]))))
        others = [other for other in game.hands() if not other & hand]
        for dealer, best in ((False, max), (True, min)):
            ways = {other: way_of(deals, strategies, other, not dealer) for other in others}
            first = naive_bidding.best_answer(game, hand, dealer, ways, False)
            found = worth.dealer[row] if dealer else worth.nondealer[row]
            if dealer:
                reach = sum(1 - way.accepts for way in ways.values()) / len(ways)
                accept = 1 - found[cards : 2 * cards].min() / reach
                passing = 1 - (found[2 * cards] + found[2 * cards + 1 :].min()) / reach
            else:
                accept, passing = found[0], found[1] + found[2:].max()
            assert accept == pytest.approx(first["accept"], abs=1e-12)
            assert passing == pytest.approx(first["pass"], abs=1e-12)
            assert best in (max, min)


@pytest.mark.parametrize(("cards", "ranks"), [(1, None), (2, None), (3, SMALL)])
def test_what_one_side_wins_the_other_loses(cards: int, ranks: str | None) -> None:
    pack_mask = DECK_24 if ranks is None else small_pack(ranks)
    for up in up_cards(pack_mask)[:2]:
        deals = make_deals(cards, up, pack_mask)
        strategies = any_strategies(deals, up)
        worth = evaluate(deals, strategies, payoffs(cards, NEXT_DEAL))
        one, other = nondealer_value(strategies, worth), dealer_value(strategies, worth)
        assert deals.weights @ one == pytest.approx(deals.weights @ other, abs=1e-9)
        assert exploitability(deals, strategies, worth).nondealer_gain >= 0


@pytest.mark.parametrize(("cards", "ranks", "places"), [(1, None, range(6)), (2, SMALL, range(2))])
def test_a_linear_program_finds_the_same_value(cards: int, ranks: str | None, places: range) -> None:
    pack_mask = DECK_24 if ranks is None else small_pack(ranks)
    for place in places:
        deals = make_deals(cards, up_cards(pack_mask)[place], pack_mask)
        solved = solve_up_card(deals, NEXT_DEAL, floor=0.0, steps=300)
        measured = exploitability(
            deals, solved.strategies, evaluate(deals, solved.strategies, payoffs(cards, NEXT_DEAL))
        )
        assert measured.total < 1e-5
        expected = naive_bidding.value_by_linear_program(game_of(deals, ranks, NEXT_DEAL))
        assert measured.value == pytest.approx(expected, abs=measured.total + 1e-8)


@pytest.mark.parametrize("most", [solving.MOST_SETTLED, 300_000])
def test_the_second_round_is_settled_where_hardly_anybody_passes(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gains as `reached-gains` measures them, sharing nothing with the solver; a sample of pairs is nearly as good."""
    monkeypatch.setattr(solving, "MOST_SETTLED", most)
    stored = load_bidding(3, 7, model=True)
    deals, made = make_deals(3, stored.up), stored.strategies
    ruined = replace(made, names=np.tile([1 / 3, 1 / 3, 1 / 3, 0], (len(made.names), 1)), left=made.left * 0 + 1 / 3)

    def gains(strategies: BiddingStrategies) -> Any:
        found = measure_up_card(replace(stored, packed=pack(strategies)), deals.hands[::9])
        sums = found[found["round"] == 2].groupby("seat")[["gain", "reach"]].sum()
        return 1000 * sums.gain / sums.reach

    settled = solving.settle_second_round(deals, ruined, stored.next_deal or 0.0, floor=stored.floor)
    assert (gains(ruined) > 100).all() and (gains(settled) < 1).all()
    for name in ("accepts", "answers", "discards", "own_discards"):
        assert getattr(settled, name) == pytest.approx(getattr(made, name), abs=1e-9)


@pytest.mark.slow
def test_a_linear_program_finds_the_same_value_at_two_cards_of_the_whole_pack() -> None:
    deals = make_deals(2, parse_card("JS"))
    expected = naive_bidding.value_by_linear_program(game_of(deals, None, deal_value(1)))
    stored = load_bidding(2, 9, model=True)
    assert 1 - stored.dealer == pytest.approx(expected, abs=stored.exploitability + 1e-8)


def test_active_classes_alone_reach_the_same_value(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = make_deals(2, up_cards()[3])
    whole = solve_up_card(deals, NEXT_DEAL, steps=150)
    monkeypatch.setattr(solving, "MOST_PAIRS", 10_000)
    parts = solve_up_card(deals, NEXT_DEAL, steps=150, rounds=4)
    values = []
    for solved in (whole, parts):
        measured = exploitability(deals, solved.strategies, evaluate(deals, solved.strategies, payoffs(2, NEXT_DEAL)))
        assert measured.total < 2e-4
        values.append(measured.value)
    assert values[0] == pytest.approx(values[1], abs=2e-4)
    assert len(parts.perturbed) > 1


# ------------------------------------------------------------------------------------------------------ odd hand sizes


def test_at_odd_sizes_the_accepted_game_is_the_whole_game() -> None:
    """Solved bidding and the accepted game alone, whatever the value of the next deal."""
    for cards in (1, 3):
        stored = bidding_value(cards)
        value = accepted_value(up_card_classes(cards), stored.next_deal or 0.0)
        assert stored.dealer == pytest.approx(value, abs=stored.exploitability + 1e-12)
        assert stored.exploitability < 1e-4


def test_at_even_sizes_it_matters_who_bids() -> None:
    classes = up_card_classes(2)
    accepted = [accepted_value(classes, deal_value(1), nondealer) for nondealer in (True, False)]
    stored = bidding_value(2)
    assert accepted[0] > stored.dealer + 0.01  # accepting blindly, the non-dealer gives something away
    assert accepted[0] > accepted[1] + 0.01  # a tie goes to the defender


def test_the_value_of_dealing_three_cards_grows_with_that_of_two() -> None:
    classes = UpCardClasses(*(column[::7] for column in up_card_classes(3)))
    values = [accepted_value(classes, next_deal) for next_deal in (0.5, 0.6, 0.7, 0.8, 0.9)]
    assert values == sorted(values) and len(set(values)) == 5


# --------------------------------------------------------------------------------------------------------- what ships


@pytest.mark.parametrize("cards", range(1, 8))
def test_what_ships_is_whole(cards: int) -> None:
    if bidding_value(cards) is None:
        pytest.skip(f"no equilibrium of {cards} cards ships")
    for rank in range(7, 13):
        stored = load_bidding(cards, rank)  # checks its checksum
        classes = up_card_classes(cards)
        assert (stored.hands == classes.hands[classes.ups == stored.up]).all()
        assert len(stored.strategies.accepts) == len(stored.hands)
        for _, array in stored.strategies.arrays():
            assert (array >= 0).all()
            assert array.ndim == 1 or np.allclose(array.sum(1), 1, atol=1e-6)


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_exploitability_of_what_ships_is_measured_again(cards: int) -> None:
    value = bidding_value(cards)
    found = []
    for up in up_cards():
        stored = load_bidding(cards, up % 13, model=True)
        deals = make_deals(cards, up)
        assert (pack(stored.strategies) == pack(unpack(pack(stored.strategies), cards))).all()
        worth = evaluate(deals, stored.strategies, payoffs(cards, stored.next_deal or 0.0))
        found.append(exploitability(deals, stored.strategies, worth))
        assert found[-1].total == pytest.approx(stored.exploitability, abs=1e-9)
    assert 1 - np.mean([one.value for one in found]) == pytest.approx(value.dealer, abs=1e-12)


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(DATA / "bidding-1-up-cards.csv", tmp_path)
    stamp_files(tmp_path, "bidding-1.npz", "bidding-1-up-cards.csv")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with np.load(DATA / "bidding-1.npz") as stored:
        arrays = dict(stored)
    arrays["9S-shares"][0, 0] = 10_000 - arrays["9S-shares"][0, 0]
    for content in (archive(arrays), (DATA / "bidding-1.npz").read_bytes()[:-100], b"", b"not an archive"):
        (tmp_path / "bidding-1.npz").write_bytes(content)
        with pytest.raises(TowerlabError, match="damaged"):
            load_bidding.__wrapped__(1, 7, model=True)


def test_an_interrupted_study_ends_alike(tmp_path: Path) -> None:
    parameters = parse_parameters(EQUILIBRIUM_BIDDING, ["cards=1", "steps=20"])
    run_study(EQUILIBRIUM_BIDDING, tmp_path / "one", jobs=1, quiet=True, parameters=parameters)
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    for path in (tmp_path / "other").iterdir():
        if path.is_file() and path.name != "manifest.json":
            path.unlink()  # killed with three chunks done
    for path in sorted((tmp_path / "other" / "chunks").glob("*.parquet"))[3:]:
        path.unlink()
    run_study(EQUILIBRIUM_BIDDING, tmp_path / "other", jobs=1, quiet=True, resume=True, parameters=parameters)
    for name in ("bidding-1.npz", "bidding-1-up-cards.csv", "summary.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


# ---------------------------------------------------------------------------------------------------------- questions


@pytest.fixture
def of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions are answered in the double-dummy model even where the game itself has been solved."""
    of_the_model = functools.partial(load_bidding, model=True)
    monkeypatch.setattr("towerlab.analysis.towers_and_bowers.upcard.weighted.load_bidding", of_the_model)


def towers(answer: Any) -> dict[str, float]:
    return {name: answer.tower(name) for name in answer.actions}


@pytest.mark.usefixtures("of_the_model")
@pytest.mark.parametrize("cards", [1, 2, 3])
def test_answers_are_the_values_of_the_stored_strategies(cards: int) -> None:
    """Two ways to the same number: over the layouts of one hand, and in the pass over all pairs."""
    rng = random.Random(cards)
    dealt = rng.sample(mask_cards(DECK_24), cards + 1)
    names = next(names for names in suit_renamings() if names[dealt[-1] // 13] == 3)
    up = 39 + dealt[-1] % 13
    hand = cards_mask(13 * names[card // 13] + card % 13 for card in dealt[:-1])
    stored = load_bidding(cards, up % 13, model=True)
    deals = make_deals(cards, up)
    row = deals.row[np.searchsorted(deals.hands, hand)]
    worth = evaluate(deals, with_floor(stored.strategies, stored.floor), payoffs(cards, deal_value(cards - 1)))
    asked = " ".join(map(card_text, dealt[:-1])), card_text(dealt[-1])
    nondealer = ask_upcard(*asked, "nondealer", method="equilibrium")
    assert nondealer.method == "equilibrium"
    assert nondealer.tower("accept") == pytest.approx(worth.nondealer[row, 0], abs=1e-9)
    assert nondealer.tower("pass") == pytest.approx(worth.nondealer[row, 1] + worth.nondealer[row, 2:].max(), abs=1e-9)
    dealer = ask_upcard(*asked, "dealer", method="equilibrium")
    accepting = worth.dealer[row, cards : 2 * cards].min()
    passing = worth.dealer[row, 2 * cards] + worth.dealer[row, 2 * cards + 1 :].min()
    reached = (1 - dealer.tower("accept")) * passing, (1 - dealer.tower("pass")) * accepting
    assert reached[0] == pytest.approx(reached[1], abs=1e-9)  # both over the same chance of a first pass
    assert dealer.mix is not None and dealer.mix.probabilities["accept"] == pytest.approx(
        stored.strategies.answers[row]
    )


def with_floor(strategies: BiddingStrategies, floor: float) -> BiddingStrategies:
    def two(array: Any) -> Any:
        return floored(np.stack([array, 1 - array], axis=1), floor)[:, 0]

    return replace(
        strategies,
        accepts=two(strategies.accepts),
        answers=two(strategies.answers),
        names=floored(strategies.names, floor),
        left=floored(strategies.left, floor),
    )


@pytest.mark.parametrize("cards", [2, 3])
def test_renaming_suits_changes_no_equilibrium_answer(cards: int) -> None:
    rng = random.Random(cards)
    for _ in range(4):
        dealt = rng.sample(naive.PACK, cards + 1)
        seat, second = rng.choice(["dealer", "nondealer"]), rng.choice([True, False])
        answers = []
        for names in suit_renamings():
            texts = [card[0] + "CDHS"[names["CDHS".index(card[1])]] for card in dealt]
            answer = ask_upcard(" ".join(texts[:-1]), texts[-1], seat, second_round=second)
            back = {"CDHS"[name]: "CDHS"[suit] for suit, name in enumerate(names)}
            shares = answer.mix.probabilities if answer.mix is not None else dict.fromkeys(answer.actions, 0.0)
            answers.append({back.get(n, n): (v, shares[n]) for n, v in towers(answer).items()})
        for other in answers[1:]:
            assert other.keys() == answers[0].keys()
            for name, pair in other.items():
                assert pair == pytest.approx(answers[0][name], abs=1e-9)


@pytest.mark.usefixtures("of_the_model")
@pytest.mark.parametrize("dealer_bids", [True, False], ids=["their own", "the other's"])
@pytest.mark.parametrize(("cards", "hands"), [(1, 4), (2, 4), (3, 1)])
def test_values_of_discards_equal_enumeration(cards: int, hands: int, dealer_bids: bool) -> None:
    rng = random.Random(cards)
    for _ in range(hands):
        up = rng.choice("9TJQKA") + "S"
        hand = frozenset(rng.sample([card for card in naive.PACK if card != up], cards))
        stored = load_bidding(cards, parse_card(up) % 13, model=True)
        deals, strategies = make_deals(cards, stored.up), with_floor(stored.strategies, stored.floor)
        game = naive_bidding.Game(frozenset(naive.PACK), up, cards, deal_value(cards - 1))
        ways = {other: way_of(deals, strategies, other, False) for other in game.hands() if not other & hand}
        answer = answer_discard(parse_mask(" ".join(hand)), parse_card(up), dealer_bids)
        assert answer.layouts == len(ways)
        assert answer.values == pytest.approx(naive_bidding.discard_values(game, hand, ways, dealer_bids), abs=1e-9)


@pytest.mark.parametrize("cards", [2, 3, 5])
def test_renaming_suits_changes_no_value_of_a_discard_and_the_best_is_what_accepting_is_worth(cards: int) -> None:
    rng = random.Random(cards)
    for dealer_bids in (True, False):
        *hand, up = rng.sample(mask_cards(DECK_24), cards + 1)
        expected = None
        for names in suit_renamings():
            renamed = {card: 13 * names[card // 13] + card % 13 for card in (*hand, up)}
            asked = cards_mask(renamed[card] for card in hand), renamed[up]
            answer = answer_discard(*asked, dealer_bids)
            given = [card_text(renamed[card]) for card in hand]
            shares = answer.mix.probabilities if answer.mix is not None else answer.values
            found = [(answer.values[card], shares[card]) for card in given]
            expected = expected or found
            assert np.array(found) == pytest.approx(np.array(expected), abs=1e-9)
            if dealer_bids:
                accepted = UpcardQuestion(*asked, dealer=True).answer().tower("accept")
                assert max(answer.values.values()) == pytest.approx(accepted, abs=1e-12)


@pytest.mark.parametrize("cards", [1, 2])
def test_where_the_game_is_solved_answers_are_its_own(cards: int) -> None:
    """Against the whole strategy that ships, whose play the model does not know."""
    rng = random.Random(cards)
    for _ in range(3):
        up = rng.choice("9TJQKA") + "S"
        hand = [card for card in rng.sample(naive.PACK, cards + 1) if card != up][:cards]
        rank = parse_card(up) % 13
        (game, strategy), stored = load_strategy(cards, rank), load_bidding(cards, rank)
        assert stored is not None
        numbers = card_numbers(rank)
        deals = make_deals(cards, stored.up)
        strategy = as_strategy(game, rank, deals, stored.strategies, strategy.play, stored.floor)
        held = sorted(numbers.index(parse_card(card)) for card in hand)
        number = game.members[cards, : int(game.sets[cards]), :cards].tolist().index(held)
        found = call_values(game, rank, strategy, np.array([number]))[0].tolist()
        values = dict(zip(value_columns(cards), found, strict=True))
        rounds = [("nondealer", False, {"accept": "accept", "pass": "pass"})]
        rounds += [("nondealer", True, {"C": "name_C", "D": "name_D", "H": "name_H", "pass": "name_pass"})]
        rounds += [("dealer", False, {"accept": "answer", "pass": "answer_pass"})]
        rounds += [("dealer", True, {"C": "left_C", "D": "left_D", "H": "left_H"})]
        for seat, second_round, names in rounds:
            answer = ask_upcard(" ".join(hand), up, seat, second_round=second_round)
            assert answer.mix.values_of == "game"
            expected = {call: values[column] for call, column in names.items() if not np.isnan(values[column])}
            assert {call: answer.tower(call) for call in expected} == pytest.approx(expected, abs=2e-5)
            assert answer.mix.costs[answer.mix.usual] < 1e-3  # the most frequent call is a best one
        for asker_bids, stem in ((False, "discard"), (True, "own_discard")):
            told = answer_discard(parse_mask(" ".join(hand)), parse_card(up), asker_bids)
            for place, card in enumerate(held, 1):
                value = values[f"{stem}_{place}"]
                assert told.values[card_text(numbers[card])] == pytest.approx(value, abs=2e-5)


def test_indifferent_choices_cost_nothing() -> None:
    values = {"accept": 0.5, "pass": 0.5 + 0.9 * INDIFFERENT, "S": 0.5 - 2 * INDIFFERENT}
    assert losses(values, "pass").of == pytest.approx({"accept": 0.9 * INDIFFERENT, "pass": 0, "S": 2.9 * INDIFFERENT})
    mix = Mix({"accept": 0.02, "pass": 0.0, "S": 0.98}, {}, 1e-6, 0.0, "game")
    assert losses(values, "pass", mix).of == pytest.approx({"accept": 0, "pass": 0, "S": 2.9 * INDIFFERENT})


@pytest.mark.parametrize("second_round", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
@pytest.mark.parametrize(("cards", "player"), [(1, "random"), (1, "pimc"), (2, "novice"), slow(2, "family")])
def test_against_a_player_equals_brute_force(cards: int, player: str, seat: str, second_round: bool) -> None:
    rng = random.Random(f"{cards}{player}{seat}")
    dealt = rng.sample(naive.PACK, cards + 1)
    hand, up = frozenset(dealt[:-1]), dealt[-1]
    next_deal = best_deal_value(cards - 1).dealer if cards > 1 else 0.0
    game = naive_bidding.Game(frozenset(naive.PACK), up, cards, next_deal)
    ways = {other: way_of_player(player, other, up, seat != "dealer") for other in game.hands() if not other & hand}
    expected = naive_bidding.best_answer(game, hand, seat == "dealer", ways, second_round)
    answer = ask_upcard(" ".join(hand), up, seat, second_round=second_round, against=player)
    reached = any((1 - way.accepts) * (way.names["pass"] if seat == "dealer" else 1) for way in ways.values())
    if second_round and not reached:
        pytest.skip("this player never lets it come to that")
    assert towers(answer) == pytest.approx(expected, abs=1e-9)
    assert answer.to_json()["against"] == player


def way_of_player(player: str, hand: frozenset[str], up: str, dealer: bool) -> naive_bidding.Way:
    suits = [suit for suit in "CDHS" if suit != up[1]]
    if player == "random":
        calls = suits if dealer else [*suits, "pass"]
        alike = {card: 1 / len(hand) for card in hand}
        return naive_bidding.Way(0.5, {"pass": 0.0, **{call: 1 / len(calls) for call in calls}}, alike, alike)
    options = TowersAndBowersOptions()
    model = make_model(options, deal_values(options))
    mask = parse_mask(" ".join(hand))
    rng = np.random.default_rng(0)
    plan = plan_bids(PLAYER_IDS[player], mask, parse_card(up), dealer, rules_of(options), model, rng)
    names = dict.fromkeys((*suits, "pass"), 0.0)
    names["pass" if plan.names == PASS else "CDHS"[plan.names]] = 1.0
    discards = [{card_text(card): 1.0} if dealer else {} for card in (plan.discard_for_other, plan.discard)]
    return naive_bidding.Way(float(plan.accepts), names, *discards)


def test_without_a_solution_pimc_answers_and_says_so(inside: Callable[..., Answer]) -> None:
    asked = ("upcard", "--hand", "KH QH", "--up", "9D", "--seat", "dealer", "--option", "tie_to=bidder", "--json")
    answer = inside(*asked)
    assert answer.json["method"] == "pimc"
    assert "pimc answers" in answer.stderr
    assert isinstance(ask_upcard("KH QH", "9D", "dealer", method="pimc").actions["accept"], ContractValue)


def test_the_price_of_the_models_is_told_beside_the_exact_value() -> None:
    model, seen = [bidding_value(cards) for cards in (1, 2)], [value.dealer for value in open_deal_values()]
    assert model[0].dealer == pytest.approx(seen[0])  # play is forced
    assert model[1].dealer < seen[1] - 0.01
    assert measure_bidding(1) == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_a_check_counts_what_is_done(inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.analysis.present.progress.SECONDS_BETWEEN_LINES", 0.0)
    answer = inside("value", "--cards", "2", "--check", "--json")
    (entry,) = answer.json["values"]
    assert entry["exploitability"] < 1e-7  # of the run without floors, which W(2) is of
    assert entry["checked"] == pytest.approx(entry["floored"]["without_floor"], rel=1e-6)
    assert entry["checked"] < 1e-5 and abs(entry["dealer"] - entry["floored"]["dealer"]) < entry["floored"]["floor"]
    told = [line for line in answer.stderr.splitlines() if line.startswith("best responses, 2 cards: ")]
    assert len(told) >= 6 and all(line.endswith(" left") for line in told[1:])  # the first chunk compiles for all
    stored = bidding_value(4)
    assert measure_bidding(4) == pytest.approx(stored.exploitability, abs=1e-12)


def test_a_check_that_is_impossible_is_refused(
    inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = inside("value", "--check", "--json").json
    assert [entry["cards"] for entry in told["values"] if "checked" in entry] == [1, 2]
    assert list(told["unchecked"]) == [str(entry["cards"]) for entry in told["values"]][2:]
