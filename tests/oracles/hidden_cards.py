"""Cards that a seat has not seen, by the referee's state, and the same game with two of them exchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from towerlab.games.bowers import MISERE, BowersGame
from towerlab.games.cards import card_texts, cards_mask, mask_cards
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.tower_war import TowerWar
from towerlab.games.towers import TowersGame, parse_rank
from towerlab.games.towers_and_bowers import Match


def hidden_from(game: Engine[Any, Any], seat: int) -> int:
    """Mask of cards of the current deal that a seat has not seen, from the whole state."""
    state = game.state()
    if isinstance(game, Match):
        if state.phase in ("TURN", "CUT", "DEAL"):
            return cards_mask(state.pack[state.turned :])
        hand = state.hand
        if hand is None:
            return 0
        taken = 1 << hand.up_card if hand.calls and hand.calls[-1].call == "accept" else 0
        discard = 0 if hand.discard is None or seat == hand.dealer else 1 << hand.discard
        return (hand.hands[1 - seat] | cards_mask(hand.stock) | discard) & ~taken
    deal = state.deal
    if deal is None:
        return 0
    if isinstance(game, BowersGame):
        others = sum(deal.hands[other] for other in game.seats if other != seat)
        if seat == deal.bidder and deal.call != MISERE:
            return others
        return others | deal.buried | (deal.kitty if deal.bidder is None or deal.call == MISERE else 0)
    own = deal.players.index(seat) if seat in deal.players else None
    others = sum(hand for place, hand in enumerate(deal.hands[:3]) if place != own and place not in deal.faced)
    dummy = 0 if deal.dummy_is_faced else deal.hands[3] & ~deal.exposed
    seen_before = 0
    if deal.old is not None:
        seen_before = (0 if own is None else deal.old[own]) | (
            deal.old[3] if own == 0 or game.options.goulash_open else 0
        )
    return (others | dummy) & ~seen_before


def swapped(value: Any, a: str, b: str) -> Any:
    """A record with two cards in each other's place."""
    if isinstance(value, list):
        return [swapped(item, a, b) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "call" else swapped(item, a, b) for key, item in value.items()}
    return {a: b, b: a}.get(value, value) if isinstance(value, str) else value


def twins(game: Engine[Any, Any], seat: int, rng: np.random.Generator) -> Iterator[Engine[Any, Any]]:
    """The same game with two cards exchanged that the seat has not seen, where it can be played alike."""
    actions = list(game.actions)
    packs = ("shuffle", "shuffle_starter") if isinstance(game, Match) else ("deal",)
    begun = max((n for n, action in enumerate(actions) if action["action"] in packs), default=0)
    changes: list[list[dict[str, Any]]] = []
    if isinstance(game, TowersGame):
        places = unseen_places(game, seat)
        for _ in range(6 if len(places) > 1 else 0):
            first, second = (places[int(i)] for i in rng.choice(len(places), 2, replace=False))
            pack = list(actions[0]["pack"])
            pack[first], pack[second] = pack[second], pack[first]
            changes.append([actions[0] | {"pack": pack}, *actions[1:]])
    elif isinstance(game, TowerWar):
        state = game.state()
        other = 1 - seat
        row = state.cards[other] if state.battle else [0] * 13
        mine = card_texts(mask_cards(row[0] | row[1]))
        left = card_texts(mask_cards(state.unused[other]))
        for _ in range(6 if mine and left else 0):
            a, b = mine[int(rng.integers(len(mine)))], left[int(rng.integers(len(left)))]
            theirs = ("build", "draw")
            changes.append([
                swapped(one, a, b) if one["action"] in theirs and one["player"] == other else one for one in actions
            ])  # fmt: skip
    else:
        cards = card_texts(mask_cards(hidden_from(game, seat)))
        for _ in range(6 if len(cards) > 1 else 0):
            a, b = (cards[int(i)] for i in rng.choice(len(cards), 2, replace=False))
            changes.append([one if n < begun else swapped(one, a, b) for n, one in enumerate(actions)])
    for changed in changes:
        twin = game.reset_copy()
        try:
            for record in changed:
                twin.apply(record)
        except TowerlabError:  # the other players could not have played so
            continue
        if twin.phase == game.phase and twin.to_act == game.to_act:
            yield twin


def unseen_places(game: TowersGame, seat: int) -> list[int]:
    """Places in the pack of Towers that a seat has not seen: what is to be drawn, and what others hold."""
    state, deal, *turns = game.state(), *game.actions
    owners = [(deal["first_player"] + place) % len(game.seats) for place in range(5 * len(game.seats))]
    owners += [turn["player"] for turn in turns if turn["action"] == "play"]
    drawn = 52 - len(state.source)
    held = [Counter(hand) - Counter(shown) for hand, shown in zip(state.hands, state.shown, strict=True)]
    places = list(range(drawn, 52))
    for place, owner in reversed(list(enumerate(owners[:drawn]))):  # what they showed they had drawn before
        value = parse_rank(deal["pack"][place])
        if owner != seat and held[owner][value]:
            held[owner][value] -= 1
            places.append(place)
    return places
