"""Second calls played out: the readers again on card texts, the interval, what is answered and what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from towerlab.analysis.towers_and_bowers.solutions.bidding import load_bidding
from towerlab.analysis.towers_and_bowers.upcard.answers import ContractValue
from towerlab.analysis.towers_and_bowers.upcard.asking import ask_upcard, read_question
from towerlab.analysis.towers_and_bowers.upcard.played import (
    _PART,
    MOST_DEALS,
    Readers,
    find_decision,
    follow,
    play_out,
)
from towerlab.games.cards import DECK_24, card_text, mask_cards, parse_card, parse_mask, to_play_order
from towerlab.games.errors import TowerlabError
from towerlab.sim.towers_and_bowers.reading import Bids, make_workspace, play_readers
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order
from towerlab.solver.towers_and_bowers.classes import hands_from
from towerlab.solver.two_hands.tablebase import load_tables

from tests.oracles import naive

CLOSE = {"hand": "AS 9H 9D AC QC", "up": "TD", "seat": "nondealer"}
Hand = frozenset[str]


def _in_order(card: str, trump: str) -> int:
    return int(to_play_order(1 << parse_card(card), "CDHS".index(trump), True))


def naive_choice(own: Hand, led: str, taken: int, layouts: dict[Hand, float], worth: list[float], trump: str) -> str:
    """The best card by its mean: then more tricks, then the lowest."""
    if min(worth[taken : taken + len(own) + 1]) == max(worth[taken : taken + len(own) + 1]):
        return min(naive.legal_replies(own, led, trump) if led else own, key=lambda card: _in_order(card, trump))
    merits = {}
    for card in sorted(naive.legal_replies(own, led, trump) if led else own, key=lambda card: _in_order(card, trump)):
        value = tricks = 0.0
        for other, share in layouts.items():
            if led:
                more = len(own) - naive.tricks_after(other | {led}, own, trump, led, card)
            else:
                replies = naive.legal_replies(other, card, trump)
                more = min(naive.tricks_after(own, other, trump, card, reply) for reply in replies)
            value, tricks = value + share * worth[taken + more], tricks + share * more
        total = sum(layouts.values())
        merits[card] = (round(value / total, 9), round(tricks / total, 9))
    return max(merits, key=lambda card: merits[card])  # the first of equals


def naive_tricks(hands: list[Hand], bids: list[dict[Hand, float]], worth: list[list[float]], trump: str) -> int:
    """The non-dealer's tricks when both read the bids."""
    layouts = [{hand: share for hand, share in bids[1 - seat].items() if not hand & hands[seat]} for seat in (0, 1)]
    own, taken, leader = list(hands), [0, 0], 0
    while own[0]:
        led = ""
        for seat in (leader, 1 - leader):
            card = naive_choice(own[seat], led, taken[seat], layouts[seat], worth[seat], trump)
            own[seat] -= {card}
            layouts[1 - seat] = {
                hand - {card}: share
                for hand, share in layouts[1 - seat].items()
                if card in (naive.legal_replies(hand, led, trump) if led else hand)
            }
            led, reply = led or card, card
        leader = leader if naive.leader_wins(led, reply, trump) else 1 - leader
        taken[leader] += 1
    return taken[0]


@pytest.mark.parametrize(("cards", "deals"), [(2, 30), pytest.param(3, 20, marks=pytest.mark.slow)])
def test_readers_play_as_on_card_texts(cards: int, deals: int) -> None:
    random, up = np.random.default_rng(cards), parse_card("QD")
    hands = hands_from(mask_cards(DECK_24 & ~(1 << up)), cards)
    texts = [frozenset(map(card_text, mask_cards(int(hand)))) for hand in hands]
    took = set()
    for trump in "CHS":
        number = "CDHS".index(trump)
        shares, worth = random.random((2, len(hands))) ** 4 + 1e-6, random.random((2, cards + 1)).cumsum(1)
        bids = Bids(in_play_order(hands, number), shares, worth)
        told = [dict(zip(texts, share.tolist(), strict=True)) for share in shares]
        for _ in range(deals):
            rows = random.permutation(len(hands))[:2]
            if hands[rows[0]] & hands[rows[1]]:
                continue
            dealt, tricks = in_play_order(hands[rows][None], number), np.empty((1, 2), dtype=np.int64)
            play_readers(load_tables(), bids, dealt, make_workspace(), tricks)
            both = [texts[row] for row in rows]
            assert tricks[0].tolist() == [
                naive_tricks(both, told, worth.tolist(), trump),
                naive.leader_tricks(both[0], both[1], trump),
            ]
            took.add(tuple(tricks[0].tolist()))
    assert any(played != seen for played, seen in took)


def test_a_close_second_call_is_played_out() -> None:
    answer, model = ask_upcard(**CLOSE, second_round=True), read_question(**CLOSE, second_round=True).answer()
    played = answer.played
    assert played is not None and answer.method == "played" and answer.method_asked is None and not answer.exact
    assert model.played is None and model.exact and model.method == "equilibrium"  # as tables and reviews are graded
    told = answer.to_json()
    assert told["seed"] == 0 and told["played"]["deals"] in range(256, MOST_DEALS + 1, 256)
    first, second = played.calls
    assert answer.tower(first) - answer.tower(second) == pytest.approx(played.lead.mean)
    assert answer.too_close == (not played.settled) and (played.settled or played.lead.n == MOST_DEALS)
    best = first if played.lead.mean > 0 else second
    assert answer.recommend == best and answer.margin == pytest.approx(abs(played.lead.mean))
    for contract in answer.contracts:
        if contract.bidder == "me":
            assert contract.value == answer.actions[contract.trump]
    others = [name for name in answer.actions if name not in played.calls]
    assert others and all(answer.actions[name] == model.actions[name] for name in others)
    assert (
        ask_upcard(**CLOSE, second_round=True, seed=1).played != played == ask_upcard(**CLOSE, second_round=True).played
    )


def test_what_is_not_close_is_not_played_out() -> None:
    clear = {"hand": "JS AS KS QS 9S", "up": "TD", "seat": "nondealer"}
    assert ask_upcard(**clear, second_round=True).played is None
    assert ask_upcard(**clear, second_round=True, method="played").played is not None
    assert ask_upcard(**CLOSE).played is None and ask_upcard(**CLOSE, second_round=True, method="equilibrium").exact


@pytest.mark.parametrize("question", [{"hand": "AS 9H 9D"}, {"second_round": False}])
def test_played_is_for_second_rounds_of_four_to_seven(question: dict[str, object]) -> None:
    with pytest.raises(TowerlabError, match="expected second rounds of 5 to 7 cards"):
        ask_upcard(**(CLOSE | {"second_round": True, "method": "played"} | question))  # type: ignore[arg-type]


def test_values_move_by_half_of_what_play_changes() -> None:
    """The numbers of a contract, again from the tricks of the same deals."""
    hand, up = parse_mask(CLOSE["hand"], DECK_24, "the hand"), parse_card(CLOSE["up"])
    decision = find_decision(hand, up, False, True)
    played, changes = play_out(decision, 5)
    stored, weights = load_bidding(5, up % 13), decision.weighing.way.paths().second
    assert stored is not None
    readers, own = Readers(stored, decision), [[], []]
    for part in range(played.lead.n // _PART):
        random = np.random.default_rng((5, part))
        rows = random.choice(len(weights), size=_PART, p=weights / weights.sum())
        for place, call in enumerate(decision.calls):
            made = follow(decision, call, rows, random)
            own[place].append(readers.tricks(rows, made, make_workspace()))
    for place in (0, 1):
        tricks = np.concatenate(own[place])
        counted = [tricks >= 3, tricks == 5, tricks == 0, tricks, decision.payoffs[0][tricks]]
        halves = [float((of[:, 0].astype(float) - of[:, 1]).mean()) / 2 for of in counted]
        assert changes[place].tolist() == pytest.approx(halves)
    assert played.lead.mean == pytest.approx(decision.gap + changes[0, -1] - changes[1, -1])


def test_a_call_that_is_not_settled_says_what_it_needs() -> None:
    answer = ask_upcard(**CLOSE, second_round=True)
    assert answer.played is not None
    lead = answer.played.lead._replace(low=-0.01, high=0.01)
    close = dataclasses.replace(answer, played=dataclasses.replace(answer.played, lead=lead))
    bid, needed = close.actions[close.best_bid], close.make_needed
    assert isinstance(bid, ContractValue) and needed is not None and close.deal_value is not None
    moved = bid.tower + (needed - bid.make) * (2 * close.deal_value - 1)  # makes as often as needed: as good
    assert moved == pytest.approx(close.tower(close.best_other))
    assert "Too close to call." in str(close) and "is right if you make it more than" in str(close)


@pytest.mark.slow
def test_an_interval_that_stopped_holds_what_a_fixed_run_finds() -> None:
    hand, up = parse_mask("KS 9S AD 10H", DECK_24, "the hand"), parse_card("9C")
    decision = find_decision(hand, up, False, True)
    leads = [play_out(decision, seed)[0].lead for seed in range(40)]
    mean = sum(lead.mean * lead.n for lead in leads[20:]) / sum(lead.n for lead in leads[20:])
    assert sum(not lead.low <= mean <= lead.high for lead in leads[:20]) <= 3
