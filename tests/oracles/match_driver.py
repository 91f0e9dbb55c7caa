"""Set up and drive matches of Towers & Bowers in tests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards, parse_card, parse_cards, parse_mask
from towerlab.games.towers_and_bowers import (
    ClaimQuestion,
    Match,
    Phase,
    TowersAndBowersOptions,
    packet_schedules,
    shuffled_pack,
)

# with starter=fixed
DEALER = 0
NON_DEALER = 1


def never(question: ClaimQuestion) -> bool:
    """A judge to whom nothing is proved."""
    return False


def stacked_pack(n: int, nondealer: str, dealer: str, up_card: str) -> list[int]:
    """A pack that deals these hands by the first packet schedule; the rest in the order of the ids."""
    waiting = {NON_DEALER: parse_cards(nondealer), DEALER: parse_cards(dealer)}
    assert len(waiting[NON_DEALER]) == len(waiting[DEALER]) == n
    top: list[int] = []
    for size in packet_schedules(n)[0]:
        for player in (NON_DEALER, DEALER):
            top += waiting[player][:size]
            del waiting[player][:size]
    top.append(parse_card(up_card))
    return top + [card for card in mask_cards(DECK_24) if card not in top]


def deal_hands(nondealer: str, dealer: str, up_card: str, *, judge: Any = never, **options: Any) -> Match:
    """A match whose first hand has just been dealt as said; player 0 deals, player 1 is the non-dealer."""
    n = len(nondealer.split())
    match = Match(TowersAndBowersOptions(starter="fixed", first_n=n, **options), judge)
    match.shuffle(stacked_pack(n, nondealer, dealer, up_card))
    match.decline_cut()
    match.deal()
    return match


def name_trump(match: Match, suit: str) -> Match:
    """The non-dealer names a trump after two passes."""
    match.pass_()
    match.pass_()
    match.name(SUITS.index(suit))
    return match


def play(match: Match, cards: str) -> Any:
    """Play these cards in order; what they led to."""
    for word in cards.split():
        match.play(parse_card(word))
    return led_to(match)


def done(match: Match, action: str, *given: Any) -> Any:
    """Take an action; what it led to."""
    getattr(match, action)(*given)
    return led_to(match)


def led_to(match: Match) -> Any:
    """How the hand stands: its outcome and last trick, a claim or penalty, and whether that is for a proven renege."""
    state = match.state()
    hand = match.state().hand
    return SimpleNamespace(
        outcome=hand.outcome,
        trick=hand.tricks[-1] if hand.tricks else None,
        claim=state.claim or hand.proved,
        penalty=state.penalty,
        proven=state.penalty is not None and state.penalty.trick is not None,
    )


def random_action(match: Match, rng: np.random.Generator) -> dict[str, Any]:
    """One of the JSON actions that are possible now, at random; one time in ten a claim, accusation or correction."""
    special = _special_actions(match, rng) if rng.random() < 0.1 else []
    candidates = special or _regular_actions(match, rng)
    return candidates[int(rng.integers(len(candidates)))]


def random_match(rng: np.random.Generator, options: TowersAndBowersOptions, judge: Any = never) -> Match:
    """A whole match of random actions."""
    match = Match(options, judge)
    for _ in range(20_000):
        if match.phase == Phase.MATCH_OVER:
            return match
        match.apply(random_action(match, rng))
    raise AssertionError("the match does not end")


def _regular_actions(match: Match, rng: np.random.Generator) -> list[dict[str, Any]]:
    candidates: list[dict[str, Any]]
    match match.phase:
        case Phase.STARTER | Phase.SHUFFLE | Phase.HAND_OVER | Phase.TOWER_OVER:
            pack = [card_text(card) for card in shuffled_pack(rng)]
            candidates = [
                {"action": "shuffle_starter", "pack": pack, "turner": int(rng.integers(2))},
                {"action": "shuffle", "pack": pack},
            ]
        case Phase.TURN:
            candidates = [{"action": "turn"}]
        case Phase.CUT:
            candidates = [{"action": "cut", "position": int(rng.integers(3, 22))}, {"action": "decline_cut"}]
        case Phase.DEAL:
            candidates = [{"action": "deal", "packets": list(one)} for one in packet_schedules(match.state().n)]
        case Phase.PENALTY:
            words = ("take_penalty", "decline_penalty", "offer_undo", "accept_undo", "decline_undo")
            candidates = [{"action": word} for word in words]
        case Phase.CONSENT:
            candidates = [{"action": "consent"}, {"action": "insist"}]
        case Phase.PLAY:
            candidates = _with_cards("play", _held_by(match, match.to_act))
        case Phase.DISCARD:
            candidates = _with_cards("discard", _held_by(match, match.to_act)) + _with_cards("play", _held_by(match, 1))
        case _:
            names = [{"action": "name", "suit": suit} for suit in SUITS]
            candidates = [{"action": "accept"}, {"action": "pass"}, *names]
    return [action for action in candidates if is_possible(match, action)]


def _held_by(match: Match, player: int | None) -> list[str]:
    hand = match.state().hand
    assert player is not None
    return _texts(hand.hands[player] | 1 << hand.up_card)


def _with_cards(action: str, cards: list[str]) -> list[dict[str, Any]]:
    return [{"action": action, "card": card} for card in cards]


def _texts(mask: int) -> list[str]:
    """The cards of a mask as texts."""
    return [card_text(card) for card in mask_cards(mask)]


def _special_actions(match: Match, rng: np.random.Generator) -> list[dict[str, Any]]:
    player = int(rng.integers(2))
    number = int(rng.integers(1, 8))
    stated = [
        {"action": "claim", "player": player, "tricks": number},
        {"action": "concede", "player": player, "tricks": number},
        {"action": "accuse", "player": player, "trick": number},
        {"action": "accuse", "player": player},
        *(_with_cards("correct", _texts(DECK_24)) if match.options.enforces_reneges else []),
    ]
    return [action for action in stated if is_possible(match, action)]


def is_possible(match: Match, action: dict[str, Any]) -> bool:
    """What the `can_` method of a JSON action says."""
    values = {key: value for key, value in action.items() if key != "action"}
    if "card" in values:
        values["card"] = parse_card(values["card"])
    if "suit" in values:
        values["suit"] = SUITS.index(values["suit"])
    if "pack" in values:
        values["pack"] = [parse_card(card) for card in values["pack"]]
    name = "pass_" if action["action"] == "pass" else action["action"]
    return bool(getattr(match, f"can_{name}")(**values))


def mask(text: str) -> int:
    """A printed mask."""
    return parse_mask(text)
