"""PIMC again, by plain recursion over card texts, every hand of the other's for itself."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracles.naive_equilibrium import NONDEALER, PLAYERS, Game, History, Own
from towerlab.games.cards import card_text
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import InformationSet

Weight = Callable[[Own, History, str], float]  # how likely the other does what they did


def standing_of(known: InformationSet) -> tuple[str, Own, History]:
    """An information set as the naive game has it."""
    history = list(known.calls)
    if known.calls[-1:] == ("accept",) and not known.discards:
        history.append("discards")
    history += [card_text(card) for card in known.played]
    discard = "" if known.discard is None else card_text(known.discard)
    return PLAYERS[known.player], Own(tuple(map(card_text, known.dealt)), discard), tuple(history)


def open_value(game: Game, owns: dict[str, Own], history: History) -> float:
    """The non-dealer's P(win the tower) when both see all cards."""
    player = game.standing(history).to_play
    if not player:
        return game.payoff(history)
    values = []
    for action in game.actions(owns[player], history):
        then, later = game.after(owns[player], history, action)
        values.append(open_value(game, owns | {player: then}, later))
    return max(values) if player == NONDEALER else min(values)


def worlds(game: Game, player: str, own: Own, history: History, weight: Weight | None = None) -> dict[Own, float]:
    """The hands that the other may have, and how likely each is; all alike if none is."""
    other = next(one for one in PLAYERS if one != player)
    found = dict.fromkeys(game.hands(own.dealt), 1.0)
    for turn, action in enumerate(history):
        before = history[:turn]
        if game.standing(before).to_play != other:
            continue
        following: dict[Own, float] = {}
        for held, share in found.items():
            actions = game.actions(held, before)
            for chosen in actions if action == "discards" else [action] if action in actions else []:
                then, _ = game.after(held, before, chosen)
                following[then] = share * (weight(held, before, chosen) if weight and len(action) != 2 else 1.0)
        found = following
    return found if any(found.values()) else dict.fromkeys(found, 1.0)


def means(
    game: Game, player: str, own: Own, history: History, layouts: dict[Own, float], later: int
) -> dict[str, float]:
    """The mean of each action over the layouts, the cards opened so many of one's own actions later."""
    other, total = next(one for one in PLAYERS if one != player), sum(layouts.values())
    found = {}
    for action in game.actions(own, history):
        then, after = game.after(own, history, action)
        if later and game.standing(after).to_play == player:
            found[action] = max(means(game, player, then, after, layouts, later - 1).values())
            continue
        values = (share * open_value(game, {player: then, other: held}, after) for held, share in layouts.items())
        mean = sum(values) / total
        found[action] = mean if player == NONDEALER else 1 - mean
    return found
