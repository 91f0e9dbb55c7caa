"""The end of a walk: the last decision of a hand and what it leaves, worked out at once for all hands.

After the last decision each player has one card. What that card is worth against a vector of the other's last cards is
a sum over pairs of cards; pairs that cannot be, because a card would be in two places, are taken out again: the card
that the decision itself plays, and the card that the dealer has put away.
"""

from __future__ import annotations

from games.jit import lean_kernel
from solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    DEALER,
    NONDEALER,
    OTHERS,
    UP_CARD,
    HandGame,
    is_own_image,
)
from solver.towers_and_bowers.whole_hand.workspace import (
    PlayArrays,
    Weights,
    Workspace,
    discards_of,
    discounts_since,
    player_at,
    trick_winner,
)


@lean_kernel
def value_last_decision(game: HandGame, contract: int, updated: int, depth: int, work: Workspace) -> None:
    """Values for the updated player where the dealer has put a card away.

    They are those of the player's cards (`card_values`) where that player decides, else of the hands (`values`). The
    decision is always a follower's, between two cards; `work.strategy` holds it.
    """
    actor = player_at(depth, work)
    _find_winners(game, contract, depth, actor, work)
    if actor == updated:
        _weigh_last_cards(game, contract, depth, actor, work)
        _value_cards(game, contract, depth, actor, work)
    elif actor == NONDEALER:
        _value_hands_with_discards(game, contract, depth, actor, work)
    else:
        _value_hands_against_discards(game, contract, depth, actor, work)


@lean_kernel
def decide_without_discards(
    game: HandGame, contract: int, updated: int, depth: int, weights: Weights, play: PlayArrays, work: Workspace
) -> None:
    """Where nobody has put a card away: strategy, values and regrets in one go, for most of a pass is spent here."""
    actor, node = player_at(depth, work), game.depth_starts[depth] + work.history[depth]
    _find_winners(game, contract, depth, actor, work)
    if actor == updated:
        if work.reachable[1 - updated, depth]:
            _weigh_last_cards(game, contract, depth, actor, work)
        _learn(game, contract, depth, node, weights, play, work)
    elif work.reachable[actor, depth]:
        _value_hands(game, contract, depth, node, play, work)


@lean_kernel
def last_trick(game: HandGame, contract: int, updated: int, work: Workspace) -> None:
    """Values of the only trick of a hand of one card."""
    dealers, discards = UP_CARD if work.holds_up_card[0] else 0, discards_of(contract, DEALER)
    for nondealers in range(OTHERS):
        reach = work.reach[NONDEALER, 0, nondealers]
        for state in range(OTHERS):  # the dealer's discard, or the own card where none is put away
            card = dealers if discards > 1 else state
            payoff = game.last_payoffs[contract, NONDEALER, 0, NONDEALER, nondealers, card]
            if state == nondealers:
                continue
            if updated == NONDEALER:
                work.values[0, nondealers] += payoff * work.reach[DEALER, 0, state]
            else:
                work.values[0, state] -= payoff * reach


@lean_kernel
def _find_winners(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> None:
    for card in range(CARDS if actor == DEALER else OTHERS):
        work.winner[card] = trick_winner(game, contract, 1 - actor, work.card[depth - 1], card)


@lean_kernel
def _tricks_after(winner: int, depth: int, work: Workspace) -> int:
    """The non-dealer's tricks when this one has been won."""
    return int(work.tricks[depth]) + (1 if winner == NONDEALER else 0)


@lean_kernel
def _may_be_last(card: int, player: int, depth: int, work: Workspace) -> bool:
    """Whether a card can be the last one of a player who has only one: the up-card while it is held."""
    if player == DEALER and work.holds_up_card[depth]:
        return card == UP_CARD
    return card != UP_CARD and not work.seen[depth] >> card & 1


@lean_kernel
def _card_of(game: HandGame, hidden: int, number: int, choice: int) -> int:
    """The first or second card of a hand of two, one of which may be the up-card."""
    return int(game.members[hidden, number, choice]) if choice < hidden else UP_CARD


# ------------------------------------------------------------------------------------------------ the own decision


@lean_kernel
def _weigh_last_cards(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> None:
    """Fill `last_reach`, `last_values` and `last_overlaps` from the other's vector, payoffs being the actor's."""
    other, at, seen = 1 - actor, work.reach_at[1 - actor, depth], work.seen[depth]
    discards, sign = discards_of(contract, other), 1.0 if actor == NONDEALER else -1.0
    for winner in range(2):
        for kept in range(CARDS):
            work.last_values[winner, kept] = 0.0
            if discards > 1:
                for card in range(CARDS):
                    work.last_overlaps[winner, kept, card] = 0.0
    for last in range(CARDS):
        work.last_reach[last] = 0.0
        if not _may_be_last(last, other, depth, work):
            continue
        state = last * discards if last != UP_CARD else 0
        if discards == 1:
            work.last_reach[last] = sign * work.reach[other, at, state]
        else:
            for discard in range(OTHERS):
                work.row[discard] = 0.0 if seen >> discard & 1 else sign * work.reach[other, at, state + discard]
            for discard in range(OTHERS):
                work.last_reach[last] += work.row[discard]
        if work.last_reach[last] == 0.0:
            continue
        for winner in range(2):
            tricks = _tricks_after(winner, depth, work)
            for kept in range(CARDS):
                payoff = game.last_payoffs[contract, winner, tricks, other, last, kept]
                work.last_values[winner, kept] += work.last_reach[last] * payoff
            if discards > 1:
                _weigh_overlaps(game, contract, depth, actor, winner, last, work)


@lean_kernel
def _weigh_overlaps(
    game: HandGame, contract: int, depth: int, actor: int, winner: int, last: int, work: Workspace
) -> None:
    """One last card of a dealer, with the discards in `work.row`, in what the non-dealer's cards take out of the sums.

    Hands in which the dealer has put away the card kept go out at once; those with the card played are listed by it.
    """
    tricks = _tricks_after(winner, depth, work)
    for kept in range(OTHERS):
        if work.seen[depth] >> kept & 1:
            continue
        payoff = game.last_payoffs[contract, winner, tricks, actor, kept, last]
        work.last_values[winner, kept] -= work.row[kept] * payoff
        for card in range(OTHERS):
            work.last_overlaps[winner, kept, card] += work.row[card] * payoff
        if last != UP_CARD:
            work.last_overlaps[winner, kept, last] += (work.last_reach[last] - work.row[kept]) * payoff


@lean_kernel
def _value_cards(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> None:
    """What each card of each hand is worth, with the other card kept for the last trick."""
    hidden, discards = work.hidden[actor, depth], discards_of(contract, actor)
    overlaps = discards_of(contract, 1 - actor) > 1
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth]:
            continue
        for choice in range(2):
            card = _card_of(game, hidden, number, choice)
            kept = _card_of(game, hidden, number, 1 - choice)
            winner = work.winner[card]
            tricks = _tricks_after(winner, depth, work)
            value = work.last_values[winner, kept]
            if overlaps:
                value -= work.last_overlaps[winner, kept, card]
            else:
                value -= work.last_reach[card] * game.last_payoffs[contract, winner, tricks, actor, kept, card]
            entry = (number * 2 + choice) * discards
            if discards == 1:
                work.card_values[depth, entry] = value
                continue
            for discard in range(OTHERS):
                payoff = game.last_payoffs[contract, winner, tricks, actor, kept, discard]
                work.card_values[depth, entry + discard] = value - work.last_reach[discard] * payoff


# --------------------------------------------------------------------------------------- the decision is the other's


@lean_kernel
def _value_hands_against_discards(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> None:
    """Values of the non-dealer's last cards when it is the dealer, who has put a card away, who decides."""
    at, hidden, seen = work.reach_at[actor, depth], work.hidden[actor, depth], work.seen[depth]
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & seen:
            continue
        for choice in range(2):
            entry, total = (number * 2 + choice) * OTHERS, 0.0
            for discard in range(OTHERS):
                reach = work.reach[actor, at, number * OTHERS + discard]
                comes = reach > 0.0 and not seen >> discard & 1
                work.row[discard] = reach * work.strategy[depth, entry + discard] if comes else 0.0
            for discard in range(OTHERS):
                total += work.row[discard]
            if total == 0.0:
                continue
            card = _card_of(game, hidden, number, choice)
            kept = _card_of(game, hidden, number, 1 - choice)
            winner = work.winner[card]
            tricks = _tricks_after(winner, depth, work)
            own = work.values[depth, card] if card != UP_CARD else 0.0
            for last in range(OTHERS):
                payoff = game.last_payoffs[contract, winner, tricks, actor, kept, last]
                work.values[depth, last] += payoff * (total - work.row[last])
            if card != UP_CARD:
                work.values[depth, card] = own


@lean_kernel
def _value_hands_with_discards(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> None:
    """Values of the dealer's last cards and discards when it is the non-dealer who decides."""
    at = work.reach_at[actor, depth]
    for last in range(CARDS):
        if not _may_be_last(last, DEALER, depth, work):
            continue
        total, state = 0.0, last * OTHERS if last != UP_CARD else 0
        for number in range(game.sets[2]):
            reach = work.reach[actor, at, number]
            if reach == 0.0 or game.set_masks[2, number] & work.seen[depth]:
                continue
            for choice in range(2):
                card, kept = game.members[2, number, choice], game.members[2, number, 1 - choice]
                if last in (card, kept):
                    continue
                winner = work.winner[card]
                tricks = _tricks_after(winner, depth, work)
                payoff = game.last_payoffs[contract, winner, tricks, actor, kept, last]
                gain = -reach * work.strategy[depth, number * 2 + choice] * payoff
                total += gain
                work.values[depth, state + card] -= gain
                work.values[depth, state + kept] -= gain
        for discard in range(OTHERS):
            work.values[depth, state + discard] += total


# ------------------------------------------------------------------------------------------------- without discards


@lean_kernel
def _learn(
    game: HandGame, contract: int, depth: int, node: int, weights: Weights, play: PlayArrays, work: Workspace
) -> None:
    """Values, regrets and averages of the player whose decision it is; of mirrored sets one learns for both."""
    actor, now, since = player_at(depth, work), weights.iteration, play.visited[contract, node]
    start, at = game.node_starts[contract, node], work.reach_at[actor, depth]
    positive, negative = discounts_since(weights, since)
    twins = game.uses_mirror and is_own_image(contract, work.seen[depth])
    opponent_comes, averages = (
        work.reachable[1 - actor, depth],
        weights.average > 0.0 and work.reachable[actor, depth],
    )
    if opponent_comes:
        play.visited[contract, node] = now
    for number in range(game.sets[2]):
        image = game.mirror_set[2, number] if twins else number
        if game.set_masks[2, number] & work.seen[depth] or image < number:
            continue
        share = _share_of_first(game, contract, depth, number, start, twins, play, work)
        if averages:
            weight = weights.average * work.reach[actor, at, number]
            _add_to_average(start + 2 * number, weight, share, play)
            if image > number:
                swapped = game.mirror_place[2, number, 0] == 1
                _add_to_average(start + 2 * image, weight, 1.0 - share if swapped else share, play)
        if not opponent_comes:
            continue
        first, second = game.members[2, number, 0], game.members[2, number, 1]
        of_first = _value_of_card(game, contract, depth, actor, first, second, work)
        of_second = _value_of_card(game, contract, depth, actor, second, first, work)
        value = share * of_first + (1.0 - share) * of_second
        work.values[depth, number] = work.values[depth, image] = value
        if _is_forced(game, contract, depth, first, second, work):
            continue
        entry = start + 2 * number
        for choice in range(2):
            regret = play.regrets[entry + choice]
            regret *= positive if regret > 0.0 else negative
            regret += (of_first if choice == 0 else of_second) - value
            play.regrets[entry + choice] = regret * (weights.positive[now] if regret > 0.0 else weights.negative[now])


@lean_kernel
def _add_to_average(entry: int, weight: float, share: float, play: PlayArrays) -> None:
    play.averages[entry] += weight * share
    play.averages[entry + 1] += weight * (1.0 - share)


@lean_kernel
def _value_of_card(
    game: HandGame, contract: int, depth: int, actor: int, card: int, kept: int, work: Workspace
) -> float:
    """A card now and another in the last trick, against all last cards but these two."""
    winner = work.winner[card]
    payoff = game.last_payoffs[contract, winner, _tricks_after(winner, depth, work), actor, kept, card]
    return float(work.last_values[winner, kept] - work.last_reach[card] * payoff)


@lean_kernel
def _value_hands(game: HandGame, contract: int, depth: int, node: int, play: PlayArrays, work: Workspace) -> None:
    """Values of the last cards of the player whose decision it is not."""
    actor, start = player_at(depth, work), game.node_starts[contract, node]
    at, sign = work.reach_at[actor, depth], 1.0 if actor == DEALER else -1.0
    twins = game.uses_mirror and is_own_image(contract, work.seen[depth])
    for last in range(CARDS):
        work.values[depth, last] = work.last_values[0, last] = work.last_values[1, last] = 0.0
    for number in range(game.sets[2]):
        reach = sign * work.reach[actor, at, number]
        if reach == 0.0 or game.set_masks[2, number] & work.seen[depth]:
            continue
        share = _share_of_first(game, contract, depth, number, start, twins, play, work)
        for choice in range(2):
            card, kept = game.members[2, number, choice], game.members[2, number, 1 - choice]
            winner, weight = work.winner[card], reach * (share if choice == 0 else 1.0 - share)
            payoff = game.last_payoffs[contract, winner, _tricks_after(winner, depth, work), actor, kept, card]
            work.last_values[winner, kept] += weight
            work.values[depth, card] -= weight * payoff
    for winner in range(2):
        tricks = _tricks_after(winner, depth, work)
        for kept in range(OTHERS):
            weight = work.last_values[winner, kept]
            if weight != 0.0:
                for last in range(OTHERS):
                    payoff = game.last_payoffs[contract, winner, tricks, actor, kept, last]
                    work.values[depth, last] += weight * payoff


@lean_kernel
def _is_forced(game: HandGame, contract: int, depth: int, first: int, second: int, work: Workspace) -> bool:
    """Whether only one of two cards follows suit (TB-17, TB-18)."""
    field = game.fields[contract, work.card[depth - 1]]
    return bool((game.fields[contract, first] == field) != (game.fields[contract, second] == field))


@lean_kernel
def _share_of_first(
    game: HandGame,
    contract: int,
    depth: int,
    number: int,
    start: int,
    twins: bool,
    play: PlayArrays,
    work: Workspace,
) -> float:
    """How often the first card of a set is played, by regret matching.

    Args:
        start: where the regrets of this history are stored.
        twins: whether a set and its mirror image decide alike, by the regrets of the one with the lower number:
            rounding would let them drift apart.
    """
    first, second = game.members[2, number, 0], game.members[2, number, 1]
    if _is_forced(game, contract, depth, first, second, work):
        return 1.0 if game.fields[contract, first] == game.fields[contract, work.card[depth - 1]] else 0.0
    swapped = False
    if twins:
        image = game.mirror_set[2, number]
        if image <= number:
            swapped = game.mirror_place[2, number, 0] == 1
            if swapped and image == number:
                return 0.5
            number = image
    entry, other = start + 2 * number, start + 2 * number + 1
    if swapped:
        entry, other = other, entry
    positive = max(play.regrets[entry], 0.0)
    total = positive + max(play.regrets[other], 0.0)
    return positive / total if total > 0.0 else 0.5
