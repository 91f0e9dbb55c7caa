"""Which of the last three cards to play, with hidden hands: equal to the solution's values, blind to what is hidden."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from tests.conftest import exhaustive
from tests.oracles import naive
from tests.oracles.hidden_play import best_value, value_by_linear_program
from tests.oracles.match_driver import deal_hands, name_trump, play
from tests.oracles.naive_endings import NaiveEnding, Own, odds_of
from towerlab.analysis.towers_and_bowers import last_cards
from towerlab.analysis.towers_and_bowers.last_cards import PlayedHistory, ranges_at, solved_at
from towerlab.analysis.towers_and_bowers.move import HIDDEN, SELF_PLAY, Reference, ask_move
from towerlab.analysis.towers_and_bowers.ranges import Calls, calls_likelihood, dealt_cards
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard
from towerlab.games.cards import (
    DECK_24,
    SUITS,
    card_text,
    cards_mask,
    effective_suit,
    mask_cards,
    mask_text,
    parse_card,
    parse_mask,
    suit_of,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.ending_solver import TARGET, SolvedEnding
from towerlab.solver.towers_and_bowers.whole_hand.arrays import DEALER, NONDEALER

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
LIKELY = 1e-2  # to be on the path


def _public(cards: int, up: str, trump: str, nondealer_bids: bool) -> PlayedHistory:
    """The first lead of a hand, as `move` asks for it."""
    payoffs = Reference(TowersAndBowersOptions()).payoff(cards, nondealer_bids)[: cards + 1]
    calls = Calls(cards, parse_card(up), SUITS.index(trump), nondealer_bids)
    return PlayedHistory(calls, True, tuple(round(value, 12) for value in payoffs.tolist()), ())


def _drawn(cards: int, draw: random.Random) -> tuple[str, str, int]:
    """A hand, an up-card and a seat; of three cards a spade, so that solved endings serve several."""
    pack = mask_cards(DECK_24)
    up = draw.choice([card for card in pack if cards < 3 or card // 13 == 3])
    hand = draw.sample([card for card in pack if card != up], cards)
    return card_text(up), " ".join(map(card_text, hand)), draw.choice((NONDEALER, DEALER))


def _comes(calls: Calls, seat: int, hand: int, away: int) -> float:
    """How often the path comes to a contract with a hand: every hand of the other alike."""
    own, other = (calls_likelihood(calls, of_dealer) for of_dealer in (seat == DEALER, seat == NONDEALER))
    assert own is not None and other is not None
    rest = [card for card in mask_cards(DECK_24 & ~hand) if card != calls.up]
    dealt = []
    gone = []
    for held in itertools.combinations(rest, calls.cards):
        discards = held if calls.accepted and seat == NONDEALER else (0,)
        dealt += [cards_mask(held)] * len(discards)
        gone += [1 << card if card else 0 for card in discards]
    others = float(other(np.array(dealt), np.array(gone)).sum()) / math.comb(len(rest), calls.cards)
    return others * float(own(np.array([hand]), np.array([away]))[0])


@pytest.mark.parametrize(
    ("hands", "sizes", "seed"),
    [(24, (1, 2), 1), exhaustive(200, (1, 2, 3), 3)],
    ids=["small", "many"],
)
def test_at_the_first_lead_a_contract_is_worth_what_the_up_card_answer_says(
    hands: int, sizes: tuple[int, ...], seed: int
) -> None:
    """Every contract that the path comes to once in a hundred hands, both seats; no card of a mix loses 1 mt."""
    draw = random.Random(seed)
    asked = []
    differences = []
    for place in range(hands):
        up, hand, seat = _drawn(sizes[place % len(sizes)], draw)
        for contract in ask_upcard(hand, up, "dealer" if seat == DEALER else "nondealer").contracts:
            nondealer_bids = (contract.bidder == "me") == (seat == NONDEALER)
            asked.append(((len(hand.split()), up, contract.trump, nondealer_bids), hand, seat, contract))
    for beside, hand, seat, contract in sorted(asked, key=lambda each: each[0]):  # each ending is solved once
        public = _public(*beside)
        own = parse_mask(hand)
        discard = parse_mask(contract.value.discard) if contract.value.discard else 0
        if _comes(public.calls, seat, own, discard) < LIKELY:
            continue
        if seat == NONDEALER:
            answer = ask_move(hand, contract.trump, contract.bidder, "me", up=beside[1])
            assert answer.method == HIDDEN and all(play.loss.mean <= 1e-3 for play in answer.plays if play.share)
            found = answer.best.value
        elif public.calls.cards == 1:
            continue  # who replies with the last card decides nothing
        else:
            held = own & ~discard | (parse_mask(beside[1]) if discard else 0)
            states = public.ending().states(DEALER).tolist()
            found = float(solved_at(public).values[DEALER][states.index([held, discard])])
        differences.append(100 * abs(found - contract.value.tower))
    print(f"{len(differences)} contracts, at most {max(differences):.3f} points, mean {np.mean(differences):.4f}")
    assert len(differences) > hands / 2
    assert max(differences) <= 0.3 and np.mean(differences) <= 0.05


def test_under_other_rules_earlier_cards_count_as_legal_ways_of_playing_them() -> None:
    """With five cards dealt, against a loop over words: each reply by one over the legal cards."""
    tricks = ["AD/9D", "KC/9H"]
    played = tuple(parse_card(card) for trick in tricks for card in trick.split("/"))
    calls = Calls(5, parse_card("QS"), SUITS.index("C"), True)
    public = PlayedHistory(calls, False, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), played)
    hands = public.ending().states(DEALER)[:, 0]
    found = ranges_at(public)[DEALER]
    draw = random.Random(5)
    ratios = []
    for place in draw.sample(range(len(hands)), 200):
        held = set(mask_text(int(hands[place])).split()) | {"9D", "9H"}
        likely = 1.0
        for led, reply in (trick.split("/") for trick in tricks):
            legal = naive.legal_replies(sorted(held), led, "C")
            likely *= (reply in legal) / len(legal)
            held -= {reply}
        assert (likely > 0) == (found[place] > 0)
        ratios += [found[place] / likely] if likely else []
    assert np.ptp(ratios) <= 1e-9 * max(ratios)


@pytest.mark.parametrize("hand", ["AH TS", "AH TS KD", "9H AS JS"])
def test_advice_does_not_change_with_the_hidden_hand(hand: str) -> None:
    """The same public record and own cards, every other card exchanged."""
    options = TowersAndBowersOptions()
    answers = defaultdict(list)
    others = {2: ("KH JC", "9C 9D"), 3: ("KH JC AD", "9C 9D TD")}[len(hand.split())]
    for other in others:
        match = name_trump(deal_hands(hand, other, "QC", claims="off"), "H")
        view = match.view(match.to_act or 0)
        answers[mask_text(view.hand)].append(Reference(options).move(view).to_json())
    assert [len(found) for found in answers.values()] == [2]
    for one, other in answers.values():
        assert one == other and one["method"] == HIDDEN


def test_four_cards_are_played_out_by_the_policy_and_not_solved() -> None:
    answer = ask_move("AS AD TC JC", "S", "me", "me", up="9S")
    assert answer.method == SELF_PLAY and "the learned policy plays on" in answer.model
    with pytest.raises(TowerlabError, match="hidden cards are solved for the last 3 of a hand"):
        ask_move("AS AD TC JC", "S", "me", "me", up="9S", method=HIDDEN)


def _sparse(
    draw: random.Random, cards: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[PlayedHistory, list[list[set[int]]]]:
    """A hand bid so that each player is known to hold one of eight hands, and those hands, which share all but some."""
    up, *pack = draw.sample(mask_cards(DECK_24), 24)
    nondealer_bids = draw.random() < 0.5
    accepted = draw.random() < 0.5
    trump = suit_of(up) if accepted else draw.choice([suit for suit in range(4) if suit != suit_of(up)])
    gone = cards - left
    shared = [set(pack[:gone]), set(pack[gone : 2 * gone])]
    rest = pack[2 * gone :]
    dealt = [[common | set(draw.sample(rest, left)) for _ in range(8)] for common in shared]
    weights: list[dict[tuple[int, int], float]] = [{}, {}]
    for seat, hands in enumerate(dealt):
        for hand in hands:
            away = draw.choice(sorted(hand - shared[seat])) if seat == DEALER and accepted else None
            weights[seat][cards_mask(hand), 0 if away is None else 1 << away] = draw.random() + 0.01
            if away is not None:
                hand ^= {away, up}

    def likelihood(calls: Calls, of_dealer: bool) -> Any:
        return np.vectorize(lambda hand, away: weights[of_dealer].get((hand, away), 0.0), otypes=[float])

    for cached in (last_cards.ranges_at, last_cards.card_shares, last_cards.solved_at):
        cached.cache_clear()

    def replay(calls: Calls, _: Any, seat: int, held: list[Any], away: Any) -> tuple[None, Any]:
        hands = dealt_cards(calls, held[seat], away) if seat == DEALER else held[seat]
        return None, likelihood(calls, seat == DEALER)(hands, away)

    monkeypatch.setattr(last_cards, "calls_likelihood", likelihood)
    monkeypatch.setattr(last_cards, "replay", replay)
    payoffs = tuple(sorted(draw.random() for _ in range(cards + 1)))
    return PlayedHistory(Calls(cards, up, trump, nondealer_bids), True, payoffs, ()), dealt


def _legal(public: PlayedHistory, hand: set[int]) -> list[int]:
    left = sorted(hand - set(public.played))
    if len(public.played) % 2 == 0:
        return left
    words = naive.legal_replies(
        [card_text(card) for card in left], card_text(public.played[-1]), SUITS[public.calls.trump]
    )
    return [parse_card(card) for card in words]


def _played(
    draw: random.Random, public: PlayedHistory, dealt: list[list[set[int]]], until: int, stray: bool
) -> PlayedHistory | None:
    """Some cards later, played at random by two of the hands, cards of all eight first; the last is a stray, or none.

    None if the hands share a card or have no such last card.
    """
    hands = next((pair for pair in draw.sample(list(itertools.product(*dealt)), 64) if not pair[0] & pair[1]), None)
    while hands is not None:
        seat = public.seats[-1]
        legal = _legal(public, hands[seat])
        if len(public.played) == until - 1:
            legal = [card for card in legal if last_cards.card_shares(public, card).is_stray == stray]
            return public.after(draw.choice(legal)) if legal else None
        public = public.after(draw.choice([card for card in legal if card in set.intersection(*dealt[seat])] or legal))
    return None


def _as_naive(public: PlayedHistory) -> NaiveEnding:
    ending = public.ending()
    ranges = []
    for seat, weights in enumerate(ranges_at(public)):
        states = zip(ending.states(seat).tolist(), weights.tolist(), strict=True)
        ranges.append(
            {
                Own(frozenset(mask_text(hand).split()), mask_text(away)): weight
                for (hand, away), weight in states
                if weight > 1e-7
            }
        )
    up, led = ("" if card is None else card_text(card) for card in (ending.up_card, ending.led))
    unseen = tuple(mask_text(ending.unseen).split())
    return NaiveEnding(
        SUITS[ending.trump],
        ending.leader,
        ending.payoffs,
        led,
        up,
        ending.hides_discard,
        unseen,
        (ranges[0], ranges[1]),
    )


def _gain(words: NaiveEnding, ending: SolvedEnding) -> float:
    """The gain of the best answers on words to both mixes."""
    best = sum(
        weight * best_value(words, odds_of(ending), seat, own)
        for seat, ranges in enumerate(words.ranges)
        for own, weight in ranges.items()
    )
    return best / sum(pair[2] for pair in words.deals) - 1


@pytest.mark.parametrize(("endings", "seed"), [((3, 1), 1), exhaustive((200, 40), 3)], ids=["few", "many"])
@pytest.mark.parametrize("left", [2, 3])
def test_values_and_gains_are_those_of_the_ranges_that_are_stated(
    left: int, endings: tuple[int, int], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Endings after random cards, a third of them with a last card that the solution hardly ever plays."""
    draw = random.Random(seed)
    solved = 0
    while solved < endings[left - 2]:
        cards = draw.randint(4, 7)
        first, dealt = _sparse(draw, cards, left, monkeypatch)
        public = _played(draw, first, dealt, 2 * (cards - left) + (left == 3), stray=solved % 3 == 0)
        if public is None:
            continue
        words = _as_naive(public)
        ending = solved_at(public)
        if sum(pair[2] for pair in words.deals) < 0.01:
            continue  # the likeliest hands share a card: what the words leave out would count
        assert ending.value == pytest.approx(value_by_linear_program(words), abs=TARGET), public
        assert ending.gain <= 2 * TARGET
        assert ending.gain == pytest.approx(_gain(words, ending), abs=1e-6)
        solved += 1


def test_a_card_that_the_solution_plays_with_no_hand_that_fits_leaves_a_value() -> None:
    """The non-dealer keeps two clubs as it never does, and the dealer's hearts rule out all hands that play so."""
    match = deal_hands("KC JH TH 9D AC 9C", "QS JS AD AH KH 9H", "9S", claims="off")
    match.pass_()
    match.accept()
    match.discard(parse_card("9H"))
    play(match, "KC 9S JS 9D QS TH AD JH")
    for seat in (0, 1):
        assert 0 <= Reference(match.options).play_on(match.view(seat))[0] <= 1
    assert all(0 <= card.value <= 1 for card in Reference(match.options).move(match.view(0)).plays)


def test_reasons_name_a_suit_that_is_left_and_that_the_other_does_not_expect() -> None:
    told = 0
    draw = random.Random(4)
    for _ in range(12):  # of one ending, which is solved once
        held = draw.sample(mask_cards(DECK_24 & ~(1 << parse_card("QC"))), 3)
        for option in ask_move(" ".join(map(card_text, held)), "H", "me", "me", up="QC").plays:
            hides = re.search(r"It hides your (\w+): only (\d+) %", option.reason)
            left = {effective_suit(card, 2, True) for card in held if card_text(card) != option.card}
            assert hides is None or (SUIT_NAMES.index(hides[1]) in left and int(hides[2]) <= 50)
            told += hides is not None
    assert told
