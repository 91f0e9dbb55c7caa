"""Every number of an up-card answer is the mean over the stated layouts under the stated weights and model.

Where the game is solved to the last card the numbers are what ships of it, looked up once more here (`test_floors`
checks those, `test_bidding_solution` the calls).
"""

from __future__ import annotations

import functools
import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.conftest import exhaustive
from towerlab.analysis.towers_and_bowers.answers import ContractValue
from towerlab.analysis.towers_and_bowers.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.exploitability import ask_exploit
from towerlab.analysis.towers_and_bowers.move import ask_move
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS
from towerlab.analysis.towers_and_bowers.stored_bidding import (
    StoredBidding,
    all_value_columns,
    contract_rows,
    load_bidding,
    unpack_tricks,
    up_card_rows,
)
from towerlab.analysis.towers_and_bowers.upcard import UpcardQuestion, ask_discard, ask_upcard
from towerlab.analysis.towers_and_bowers.values import discard_solved, solved_values
from towerlab.analysis.towers_and_bowers.whole_strategies import ask_value
from towerlab.games.cards import DECK_24, SUITS, card_text, cards_mask, mask_cards, mask_text, parse_card, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.options import typed_text
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import make_deals, suit_renamings, up_cards

NUMBERS = ("make", "sweep", "swept", "tricks", "tower")


@dataclass(frozen=True)
class Bids:
    """What is stored of one hand, in its own suits and cards, without floors."""

    row: int
    suits: list[str]  # what is called clubs, diamonds, hearts
    given: list[str]  # its cards, as they are counted
    accepts: float
    names: dict[str, float]
    discards: dict[str, float]
    answers: float
    own_discards: dict[str, float]
    left: dict[str, float]


@functools.cache
def stored_rows(cards: int, rank: int) -> tuple[StoredBidding, dict[int, int]]:
    found = load_bidding(cards, rank)
    return found, {hand: row for row, hand in enumerate(found.hands.tolist())}


def bids_of(hand: int, up: int) -> Bids:
    """By the first renaming that makes the up-card a spade and the hand one that is stored."""
    held = mask_cards(hand)
    stored, rows = stored_rows(len(held), up % 13)
    for names in suit_renamings():
        renamed = {card: 13 * names[card // 13] + card % 13 for card in held}
        row = rows.get(sum(1 << card for card in renamed.values()))
        if names[up // 13] == 3 and row is not None:
            break
    assert row is not None
    shares = (stored.packed[row] / stored.scale).tolist()
    suits = [SUITS[names.index(suit)] for suit in range(3)]
    given = [card_text(card) for card in sorted(held, key=renamed.__getitem__)]
    n = len(held)

    def choice(first: int, words: list[str]) -> dict[str, float]:
        part = shares[first : first + len(words)]
        return {word: share / sum(part) for word, share in zip(words, part, strict=True)}

    return Bids(
        row,
        suits,
        given,
        shares[0],
        choice(1, [*suits, "pass"]),
        choice(5, given),
        shares[5 + n],
        choice(6 + n, given),
        choice(6 + 2 * n, suits),
    )


def solved_numbers(hand: int, up: int, is_dealer: bool) -> dict[str, dict[str, float]]:
    """Return what ships of every contract and pass, by its column in the suits and cards of the question."""
    cards = hand.bit_count()
    found = bids_of(hand, up)
    stored, _ = stored_rows(cards, up % 13)
    taken = unpack_tricks(stored.tricks[found.row]).tolist()
    by_name = dict(zip(all_value_columns(cards), stored.values[found.row].tolist(), strict=True))
    towers = {name: by_name[name] for name in (*contract_rows(cards), *by_name)}
    numbers: dict[str, dict[str, float]] = {}
    for column, tower in towers.items():
        stem, _, last = column.rpartition("_")
        name = f"{stem}_{found.suits['CDH'.index(last)]}" if last in ("C", "D", "H") else column
        if last.isdigit():
            name = f"{stem}_{found.given[int(last) - 1]}"
        numbers[name] = {"tower": tower}
        if len(numbers) <= len(taken):
            shares = taken[len(numbers) - 1]
            asker_bids = stem in ("own_discard", "left") if is_dealer else stem == "name" or column == "accept"
            needed = cards // 2 + 1 if asker_bids else (cards + 1) // 2
            own = sum(shares[needed:])
            make = own if asker_bids else 1 - own
            mean = sum(number * share for number, share in enumerate(shares))
            numbers[name] |= {"make": make, "sweep": shares[-1], "swept": shares[0], "tricks": mean}
    return numbers


def check_solved(hand: int, up: int, told: dict[str, Any], is_dealer: bool, second_round: bool, where: Any) -> None:
    """Of a game that is solved to the last card."""
    numbers = solved_numbers(hand, up, is_dealer)
    cards = hand.bit_count()
    assert told["method"] == "equilibrium" and told["exploitability_of"] == "game", where
    assert "off_path" not in told, where
    stems = {True: ("own_discard", "discard", "left", "met"), False: ("accept", "answered", "name", "named")}[is_dealer]
    for contract in told["contracts"]:
        mine = contract["bidder"] == "me"
        suit = contract["trump"]
        accepted = suit == SUITS[up // 13]
        name = stems[not mine] if accepted else f"{stems[3 - mine]}_{suit}"
        if accepted and is_dealer:
            of = {key: of["tower"] for key, of in numbers.items() if key.startswith(f"{name}_")}
            name = f"{name}_{contract['discard']}"
            assert of[name] == max(of.values()), where
        assert contract["tower"] == pytest.approx(numbers[name]["tower"], abs=1e-9), (where, contract)
        assert contract["tower"] == pytest.approx(tower_of(contract, mine, cards), abs=1e-8), (
            where,
            contract,
        )
        rounding = 0.02 if cards == 4 else 1e-4  # of stored tricks
        assert {key: contract[key] for key in NUMBERS} == pytest.approx(numbers[name], abs=rounding), (where, contract)
        assert "off_path" not in contract, (where, contract)
    passing = "answer_pass" if is_dealer else "name_pass" if second_round else "pass"
    if "pass" in told["actions"]:
        assert told["actions"]["pass"]["tower"] == pytest.approx(numbers[passing]["tower"], abs=1e-9), where


def tower_of(contract: dict[str, Any], mine: bool, cards: int) -> float:
    """P(win the tower) by the tricks that are reported, which are rounded."""
    most = contract["make"] if mine else 1 - contract["make"]
    deal = deal_value(cards - 1)
    return float(contract["sweep"] + (most - contract["sweep"]) * deal + (1 - most - contract["swept"]) * (1 - deal))


def check(hand: int, up: int, seat: str, holds: int = 0, lacks: int = 0) -> None:
    """Both rounds of one question."""
    cards = hand.bit_count()
    is_dealer = seat == "dealer"
    layouts = map(cards_mask, itertools.combinations(mask_cards(DECK_24 & ~hand & ~(1 << up)), cards))
    fitting = [other for other in layouts if other & holds == holds and not other & lacks]
    for second_round in (False, True):
        told = UpcardQuestion(calling_view(hand, up, is_dealer, second_round, lacks & ~hand, holds)).answer().to_json()
        where = (told["cards"], seat, second_round, card_text(up), mask_text(hand))
        assert told["layouts"] == len(fitting), where
        towers = {name: action["tower"] for name, action in told["actions"].items()}
        if not holds | lacks:
            check_solved(hand, up, told, is_dealer, second_round, where)
            continue
        assert told["method"] == "self-play" and told["rollouts"]["n"] == ROLLOUTS, where
        rows = {(contract["bidder"], contract["trump"]): contract for contract in told["contracts"]}
        for name in towers.keys() - {"pass"}:
            row = rows["me", SUITS[up // 13] if name == "accept" else name]
            assert {key: told["actions"][name][key] for key in NUMBERS} == {key: row[key] for key in NUMBERS}, where
        for (bidder, _), row in rows.items():
            assert row["tower"] == pytest.approx(tower_of(row, bidder == "me", cards), abs=1e-9), where


@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
@pytest.mark.parametrize(
    ("cards", "count"), [(1, 6), (2, 4), (3, 2), (4, 1), *(exhaustive(cards, 200) for cards in (1, 2, 3, 4))]
)
def test_numbers_are_means_over_the_stated_layouts(cards: int, count: int, seat: str) -> None:
    rng = random.Random(f"{cards}{seat}")
    for _ in range(count):
        *dealt, up = rng.sample(mask_cards(DECK_24), cards + 1)
        check(cards_mask(dealt), up, seat)


@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
def test_with_cards_known_calls_are_played_out_over_what_fits(seat: str) -> None:
    rng = random.Random(f"known{seat}")
    for _ in range(2):  # the other bids as solved
        *dealt, up, held, gone, gone_too = rng.sample(mask_cards(DECK_24), 7)
        check(cards_mask(dealt), up, seat, holds=1 << held)
        check(cards_mask(dealt), up, seat, lacks=1 << gone | 1 << gone_too)


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_first_calls_add_up_to_the_value_of_the_hand(cards: int) -> None:
    """The best first calls of all hands win what the non-dealer wins, up to what a best reply gains."""
    for up in up_cards():
        stored = load_bidding(cards, up % 13)
        assert stored is not None
        weights = make_deals(cards, up).weights
        best = stored.values[:, :2].astype(float).max(1)
        assert weights @ best / weights.sum() == pytest.approx(
            1 - stored.dealer, abs=stored.exploitability + stored.floor
        )


# --------------------------------------------------------------------------------------- what is said of these numbers


def test_where_nobody_would_come_the_same_solution_answers() -> None:
    """Three cards: with an odd number nobody passes on purpose."""
    answer = ask_upcard("QH KS 9H", "AC", "dealer", second_round=True)
    assert (answer.recommend, answer.method) == ("H", "equilibrium")
    sure = ask_upcard("9S 9H 9D", "AC", "dealer", second_round=True)
    assert all(isinstance(value, ContractValue) and value.make < 0.2 for value in sure.actions.values())
    said = " ".join(str(answer).split())
    assert "cards hidden to the end" in said and "see all cards" not in said
    discard = discard_solved(parse_mask("AH KD"), parse_card("JS"), False)
    assert discard is not None and discard.mix is not None
    assert max(discard.mix.probabilities, key=discard.mix.probabilities.__getitem__) == next(iter(discard.values))


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_made_and_swept_give_the_chance_of_every_contract(cards: int) -> None:
    for up, dealer in itertools.product(up_cards(), (False, True)):
        stored = load_bidding(cards, up % 13)
        assert stored is not None
        deal = stored.next_deal or 0.0
        for bids, of in solved_values(stored, np.arange(len(stored.hands)), dealer).contracts.items():
            most = of.make if bids else 1 - of.make
            towers = of.sweep + (most - of.sweep) * deal + (1 - most - of.swept) * (1 - deal)
            np.testing.assert_allclose(towers, of.tower, atol=1e-8)


@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
@pytest.mark.parametrize("second_round", [False, True])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_printed_numbers_of_an_answer_add_up(cards: int, second_round: bool, seat: str) -> None:
    """Ten hands: chances of a row give its chance to win, shares of a mix a whole, within the digits printed."""
    draw = random.Random(2 * cards + second_round)
    for _ in range(10):
        *held, up = draw.sample(mask_cards(DECK_24), cards + 1)
        answer = ask_upcard(" ".join(map(card_text, held)), card_text(up), seat, second_round=second_round).to_json()
        deal = answer["deal_value"] or 0.0
        for row in (*answer["contracts"], *(call for call in answer["actions"].values() if "make" in call)):
            make, sweep, swept, tower = (round(row[name], 3) for name in ("make", "sweep", "swept", "tower"))
            most = make if row.get("bidder", "me") == "me" else 1 - make
            expected = sweep + (most - sweep) * deal + (1 - most - swept) * (1 - deal)
            assert tower == pytest.approx(expected, abs=0.0005 * 3)
            if cards <= 3:  # of more cards the row does not say how often the others are taken
                tricks = {1: sweep, 2: 1 + sweep - swept, 3: 1 + most + sweep - swept}[cards]
                assert row["tricks"] == pytest.approx(tricks, abs=0.0005 * 4)
        mixes = [answer["discards"][by].values() for by in answer["discards"]]
        mixes.append([call["probability"] for call in answer["actions"].values()])
        for mix in mixes:  # None where best play hardly ever comes
            assert None in mix or sum(round(share, 3) for share in mix) == pytest.approx(1, abs=0.0005 * len(mix))
        for name, call in answer["actions"].items():  # a call and the contract it leads to
            trump = {"accept": card_text(up)[1]}.get(name, name)
            for row in answer["contracts"]:
                assert (row["bidder"], row["trump"]) != ("me", trump) or row["tower"] == call["tower"]


@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
@pytest.mark.parametrize("second_round", [False, True])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_the_accuracy_is_that_of_the_decision(cards: int, second_round: bool, seat: str) -> None:
    names = {("nondealer", False): ["accepted", "passed"], ("nondealer", True): ["passed_twice"]}
    names |= {("dealer", False): ["passed"], ("dealer", True): ["passed_thrice"]}
    for up in ("TS", "QH"):
        row = next(row for row in up_card_rows(f"exact-bidding-{cards}") if row["up"][0] == up[0])
        answer = ask_upcard("9C KD AH JC"[: 3 * cards - 1], up, seat, second_round=second_round)
        gain = max(float(row[f"{name}_gain"]) for name in names[seat, second_round])
        accuracy = answer.to_json()["accuracy"]
        assert accuracy["gain"] == pytest.approx(max(gain, 0.0))
        assert "points on the mean over hands" in (said := " ".join(str(answer).split()))
        assert ("in another run is not known" in said) == (cards == 4) == ("spread" not in accuracy)


@pytest.mark.parametrize("option", [{"tie_to": "bidder"}, {"renege_mode": "enforced"}, {"allow_discard_upcard": True}])
def test_options_that_no_solution_is_of_are_named_by_every_question(option: dict[str, Any]) -> None:
    rules = TowersAndBowersOptions(**option)
    hand = "AC KD QH"
    said = f"hands are not solved with {next(iter(option))}={typed_text(next(iter(option.values())))}"
    call = ask_upcard(hand, "TS", "dealer", options=rules)
    given = ask_discard(hand, "TS", "me", options=rules)
    card = ask_move(hand, "S", "me", "me", up="TS", options=rules)
    assert call.method == given.method == "pimc" and card.method == ("pimc" if rules.enforces_reneges else "hidden")
    assert all(said in " ".join(str(answer).split()) for answer in (call, given, card))
    with pytest.raises(TowerlabError, match=said):
        ask_upcard(hand, "TS", "dealer", method="equilibrium", options=rules)
    for ask in (ask_value, ask_exploit):
        with pytest.raises(TowerlabError, match=said):
            ask(options=rules)


def test_a_hand_larger_than_a_match_has_is_refused_by_every_question() -> None:
    rules = TowersAndBowersOptions(first_n=3)
    hand = "AC KD QH TC"
    with pytest.raises(TowerlabError, match="4 cards in a full hand cannot be; expected 1 to 3"):
        ask_upcard(hand, "TS", "dealer", options=rules)
    with pytest.raises(TowerlabError, match="4 cards in a full hand cannot be; expected 1 to 3"):
        ask_discard(hand, "TS", "me", options=rules)
    with pytest.raises(TowerlabError, match="your hand has 4 cards; expected at most 3"):
        ask_move(hand, "S", "me", "me", up="TS", options=rules)


def test_contracts_of_one_table_are_of_one_model() -> None:
    """With an odd number of cards who bids is no matter: the same cards played out alike, the same chance."""
    told = ask_upcard("JH JC 9H", "KC", "nondealer").to_json()
    mine, theirs = (row["tower"] for row in told["contracts"] if row["trump"] == "C")
    assert mine == pytest.approx(theirs, abs=1e-3)
