"""One pass of counterfactual regret minimisation over the play of a contract.

A pass walks the histories depth first. It carries one vector a player: for every set of cards he can still hold (and,
for a dealer who took the up-card, every discard), how far his own choices let him come here. Entries with a card that
has been seen are left as they are and skipped by whoever reads them. At the last trick both vectors meet, and
inclusion–exclusion takes out pairs that share a card: a pass costs as many steps as there are histories times sets,
not pairs of hands.

Regrets are discounted (Brown & Sandholm, "Solving imperfect-information games via discounted regret minimization",
2019). A block that no hand of the opponent reaches stays as it is; its discounts are made up for at the next visit, so
that the result is the same as if every block were discounted at every iteration.

The innermost loops run over discards: a plain `for` over neighbouring floats, which compiles to vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.jit import lean_kernel
from solver.equilibrium.hand_game import (
    CARDS,
    DEALER,
    DEALER_ACCEPTS,
    FIRST_DIAMOND,
    FIRST_HEART,
    FIRST_SPADE,
    NONDEALER,
    OTHERS,
    TRUMPS,
    UP_CARD,
    Floats,
    HandGame,
    Ints,
    is_own_image,
)

Flags = NDArray[np.bool_]


class Weights(NamedTuple):
    """What the iteration in hand multiplies with.

    Attributes:
        iteration: its number, from 1.
        positive, negative: float64[iterations + 1], factors of positive and negative regrets after each iteration.
        positive_product, negative_product: running products of those.
        average: weight of this iteration's strategy in the average.
        floor: least probability of every bid.
    """

    iteration: int
    positive: Floats
    negative: Floats
    positive_product: Floats
    negative_product: Floats
    average: float
    floor: float


class PlayArrays(NamedTuple):
    """What play has learnt.

    Attributes:
        regrets, averages: float64[play_size], by history, set, card and discard, see `HandGame.node_starts`.
        visited: int64[8, nodes], the iteration of the last change of a history's regrets.
    """

    regrets: Floats
    averages: Floats
    visited: Ints


class Desk(NamedTuple):
    """Room to work in and the way to where the walk is, an entry a depth (number of cards played).

    Attributes:
        reach: float64[2, depths, sets × discards], how far each player's choices let him come.
        reach_at: int64[2, depths], at which depth his vector of this depth lies: it changes when he plays.
        values: float64[depths, sets × discards], counterfactual values of the player who is updated.
        strategy, card_values: float64[depths, entries of a block].
        row: float64[24], one more row.
        last_reach, last_values: float64[24], reach and values of the last cards.
        legal: bool[4], which cards of the set in hand may be played.
        legal_cards: int64[depths, sets], how many may be played of each set.
        history, seen, leader, tricks: the cards played in base 24, the same as bits, who leads or has led this trick,
            tricks of the non-dealer.
        card: the card tried at this depth.
        holds_up_card: 1 while the dealer has the up-card.
        hidden: int64[2, depths], how many unknown cards each has.
        comes: bool[2, depths], whether any hand of each comes here.
    """

    reach: Floats
    reach_at: Ints
    values: Floats
    strategy: Floats
    card_values: Floats
    row: Floats
    last_reach: Floats
    last_values: Floats
    legal: Flags
    legal_cards: Ints
    history: Ints
    seen: Ints
    leader: Ints
    tricks: Ints
    card: Ints
    holds_up_card: Ints
    hidden: Ints
    comes: Flags


def make_desk(game: HandGame) -> Desk:
    """Room for passes at one hand size."""
    widest = int(max(game.sets[game.cards], game.sets[game.cards - 1] * OTHERS))
    depths = 2 * game.cards - 1
    return Desk(
        reach=np.zeros((2, depths, widest)),
        reach_at=np.zeros((2, depths), dtype=np.int64),
        values=np.zeros((depths, widest)),
        strategy=np.zeros((depths, widest * game.cards)),
        card_values=np.zeros((depths, widest * game.cards)),
        row=np.zeros(CARDS),
        last_reach=np.zeros(CARDS),
        last_values=np.zeros(CARDS),
        legal=np.zeros(4, dtype=np.bool_),
        legal_cards=np.zeros((depths, widest), dtype=np.int64),
        history=np.zeros(depths, dtype=np.int64),
        seen=np.zeros(depths, dtype=np.int64),
        leader=np.zeros(depths, dtype=np.int64),
        tricks=np.zeros(depths, dtype=np.int64),
        card=np.zeros(depths, dtype=np.int64),
        holds_up_card=np.zeros(depths, dtype=np.int64),
        hidden=np.zeros((2, depths), dtype=np.int64),
        comes=np.zeros((2, depths), dtype=np.bool_),
    )


@lean_kernel
def play_pass(game: HandGame, contract: int, updated: int, weights: Weights, play: PlayArrays, desk: Desk) -> None:
    """Update one player's regrets and averages in the play of a contract, and find what the contract is worth to him.

    Args:
        contract: 0..7.
        updated: whose regrets.
        desk: `reach[:, 0]` holds both players' vectors at the first lead. On return `values[0]` holds the updated
            player's counterfactual values; a dealer's payoffs are minus the non-dealer's.
    """
    _sit_down(game, contract, updated, desk)
    if not desk.comes[NONDEALER, 0] and not desk.comes[DEALER, 0]:
        return
    deepest = 2 * (game.cards - 1)
    if deepest == 0:
        _last_trick(game, contract, updated, 0, desk)
        return
    depth = 0
    _open(game, contract, updated, depth, play, desk)
    while True:
        actor = _player_at(depth, desk)
        desk.card[depth] = _next_card(game, contract, depth, actor, desk)
        if desk.card[depth] == CARDS:
            if actor == updated:
                _close(game, contract, updated, depth, weights, play, desk)
            if depth == 0:
                return
            depth -= 1
            _take_up(game, contract, updated, depth, desk)
        elif _descend(game, contract, depth, actor, desk) and _matters(updated, depth + 1, weights, desk):
            if depth + 1 < deepest:
                depth += 1
                _open(game, contract, updated, depth, play, desk)
            else:
                _last_trick(game, contract, updated, depth + 1, desk)
                _take_up(game, contract, updated, depth, desk)


# -------------------------------------------------------------------------------------------------------- the walk


@lean_kernel
def _discards(contract: int, player: int) -> int:
    """How many entries a set has in a player's vectors: one a discard for a dealer who took the up-card."""
    return OTHERS if contract <= DEALER_ACCEPTS and player == DEALER else 1


@lean_kernel
def _player_at(depth: int, desk: Desk) -> int:
    """Who is to play."""
    return int(desk.leader[depth] if depth % 2 == 0 else 1 - desk.leader[depth])


@lean_kernel
def _cards_to_choose(depth: int, player: int, desk: Desk) -> int:
    """How many cards a player has at a depth, the up-card included."""
    return int(desk.hidden[player, depth]) + int(desk.holds_up_card[depth] if player == DEALER else 0)


@lean_kernel
def _sit_down(game: HandGame, contract: int, updated: int, desk: Desk) -> None:
    """The first lead."""
    desk.history[0] = desk.seen[0] = desk.tricks[0] = 0
    desk.leader[0] = NONDEALER
    desk.holds_up_card[0] = 1 if contract <= DEALER_ACCEPTS else 0
    desk.hidden[NONDEALER, 0] = game.cards
    desk.hidden[DEALER, 0] = game.cards - desk.holds_up_card[0]
    for player in range(2):
        desk.reach_at[player, 0] = 0
        desk.comes[player, 0] = False
        for state in range(game.sets[desk.hidden[player, 0]] * _discards(contract, player)):
            desk.comes[player, 0] |= desk.reach[player, 0, state] > 0.0
    for state in range(desk.values.shape[1]):
        desk.values[0, state] = 0.0


@lean_kernel
def _next_card(game: HandGame, contract: int, depth: int, actor: int, desk: Desk) -> int:
    """The next card to try after the one in hand, 24 when there is none."""
    twins = game.uses_mirror and is_own_image(contract, desk.seen[depth])
    for card in range(desk.card[depth] + 1, CARDS):
        if twins and FIRST_HEART <= card < FIRST_SPADE:
            continue  # found with its diamond
        if card == UP_CARD:
            if actor == DEALER and desk.holds_up_card[depth]:
                return card
        elif desk.hidden[actor, depth] > 0 and not desk.seen[depth] >> card & 1:
            return card
    return CARDS


@lean_kernel
def _descend(game: HandGame, contract: int, depth: int, actor: int, desk: Desk) -> bool:
    """Play the card in hand: make the next depth. False if no hand of either comes there."""
    card, below = desk.card[depth], depth + 1
    desk.comes[1 - actor, below] = desk.comes[1 - actor, depth]
    desk.comes[actor, below] = _pass_on_reach(game, contract, depth, actor, card, desk) and desk.comes[actor, depth]
    if not desk.comes[NONDEALER, below] and not desk.comes[DEALER, below]:
        return False
    desk.reach_at[1 - actor, below] = desk.reach_at[1 - actor, depth]
    desk.reach_at[actor, below] = below
    desk.history[below] = desk.history[depth] * CARDS + card
    desk.seen[below] = desk.seen[depth] | 1 << card
    desk.hidden[1 - actor, below] = desk.hidden[1 - actor, depth]
    desk.hidden[actor, below] = desk.hidden[actor, depth] - (1 if card != UP_CARD else 0)
    desk.holds_up_card[below] = desk.holds_up_card[depth] if card != UP_CARD else 0
    desk.leader[below], desk.tricks[below] = desk.leader[depth], desk.tricks[depth]
    if depth % 2 == 1:
        led, leader = desk.card[depth - 1], desk.leader[depth]
        if leader == NONDEALER:
            takes = game.nondealer_wins[contract, leader, card, led]
        else:
            takes = game.nondealer_wins[contract, leader, led, card]
        desk.leader[below] = NONDEALER if takes > 0.0 else DEALER
        desk.tricks[below] += 1 if takes > 0.0 else 0
    return True


@lean_kernel
def _matters(updated: int, depth: int, weights: Weights, desk: Desk) -> bool:
    """Whether a depth can change anything: regrets where the opponent comes, averages where he himself does."""
    return desk.comes[1 - updated, depth] or (weights.average > 0.0 and desk.comes[updated, depth])


@lean_kernel
def _pass_on_reach(game: HandGame, contract: int, depth: int, actor: int, card: int, desk: Desk) -> bool:
    """The actor's vector after he has played a card; whether any of his hands does."""
    hidden, discards = desk.hidden[actor, depth], _discards(contract, actor)
    choices = _cards_to_choose(depth, actor, desk)
    at = desk.reach_at[actor, depth]
    left = hidden if card == UP_CARD else hidden - 1
    comes = False
    for number in range(game.sets[left]):
        joined, place = number, hidden
        if card != UP_CARD:
            joined, place = game.join[left, number, card], game.place[left, number, card]
        if joined < 0 or game.set_masks[hidden, joined] & desk.seen[depth]:
            continue
        state, before, entry = number * discards, joined * discards, (joined * choices + place) * discards
        for discard in range(discards):
            reach = desk.reach[actor, at, before + discard] * desk.strategy[depth, entry + discard]
            desk.reach[actor, depth + 1, state + discard] = reach
        for discard in range(discards):
            comes |= desk.reach[actor, depth + 1, state + discard] > 0.0
    return comes


# --------------------------------------------------------------------------------------------------- one decision


@lean_kernel
def _open(game: HandGame, contract: int, updated: int, depth: int, play: PlayArrays, desk: Desk) -> None:
    """Regret matching for every hand that can be here; the values of this depth are cleared."""
    desk.card[depth] = -1
    actor = _player_at(depth, desk)
    hidden, discards, choices = (
        desk.hidden[actor, depth],
        _discards(contract, actor),
        _cards_to_choose(depth, actor, desk),
    )
    start = game.node_starts[contract, game.depth_starts[depth] + desk.history[depth]]
    for state in range(game.sets[desk.hidden[updated, depth]] * _discards(contract, updated)):
        desk.values[depth, state] = 0.0
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & desk.seen[depth]:
            continue
        if actor != updated and not _any_reach(actor, desk.reach_at[actor, depth], number * discards, discards, desk):
            continue  # what would be stored is multiplied by zero
        legal_cards = _find_legal(game, contract, depth, number, hidden, choices, desk)
        desk.legal_cards[depth, number] = legal_cards
        first = number * choices * discards
        for discard in range(discards):
            desk.row[discard] = 0.0
        for choice in range(choices):
            if desk.legal[choice]:
                entry = first + choice * discards
                for discard in range(discards):
                    positive = max(play.regrets[start + entry + discard], 0.0)
                    desk.row[discard] += positive
                    desk.strategy[depth, entry + discard] = positive
        for choice in range(choices):
            entry = first + choice * discards
            if desk.legal[choice]:
                for discard in range(discards):
                    total = desk.row[discard]
                    share = desk.strategy[depth, entry + discard] / total if total > 0.0 else 1.0 / legal_cards
                    desk.strategy[depth, entry + discard] = share
            else:
                for discard in range(discards):
                    desk.strategy[depth, entry + discard] = 0.0
            for discard in range(discards):
                desk.card_values[depth, entry + discard] = 0.0
    if game.uses_mirror and is_own_image(contract, desk.seen[depth]):
        _mirror_strategy(game, depth, hidden, choices, discards, desk)


@lean_kernel
def _mirror_strategy(game: HandGame, depth: int, hidden: int, choices: int, discards: int, desk: Desk) -> None:
    """Make mirrored hands play alike to the last bit: rounding would let them drift apart."""
    strategy = desk.strategy
    for number in range(game.sets[hidden]):
        image = game.mirror_set[hidden, number]
        if image < number or game.set_masks[hidden, number] & desk.seen[depth]:
            continue
        for choice in range(choices):
            place = game.mirror_place[hidden, number, choice] if choice < hidden else choice
            for discard in range(discards):
                other = game.mirror_card[discard] if discards > 1 else 0
                here = (number * choices + choice) * discards + discard
                there = (image * choices + place) * discards + other
                if image > number or other > discard:
                    strategy[depth, there] = strategy[depth, here]
                elif other == discard and place > choice:
                    strategy[depth, here] = (strategy[depth, here] + strategy[depth, there]) / 2
                    strategy[depth, there] = strategy[depth, here]


@lean_kernel
def _any_reach(player: int, at: int, first: int, discards: int, desk: Desk) -> bool:
    """Whether a set comes so far with any discard."""
    comes = False
    for state in range(first, first + discards):
        comes |= desk.reach[player, at, state] > 0.0
    return comes


@lean_kernel
def _find_legal(game: HandGame, contract: int, depth: int, number: int, hidden: int, choices: int, desk: Desk) -> int:
    """Which cards of a set may be played: any card to lead, the suit led if held (TB-17, TB-18); how many."""
    field = game.fields[contract, desk.card[depth - 1]] if depth % 2 == 1 else 0
    legal_cards = 0
    for choice in range(choices):
        card = game.members[hidden, number, choice] if choice < hidden else UP_CARD
        desk.legal[choice] = game.fields[contract, card] == field
        legal_cards += 1 if desk.legal[choice] else 0
    if legal_cards > 0:
        return legal_cards
    for choice in range(choices):
        desk.legal[choice] = True
    return choices


@lean_kernel
def _take_up(game: HandGame, contract: int, updated: int, depth: int, desk: Desk) -> None:
    """Add what was found at the next depth to this one."""
    if not desk.comes[1 - updated, depth + 1]:
        return
    _take_up_card(game, contract, updated, depth, desk)
    card = desk.card[depth]
    if game.uses_mirror and FIRST_DIAMOND <= card < FIRST_HEART and is_own_image(contract, desk.seen[depth]):
        _take_up_image(game, contract, updated, depth, desk)


@lean_kernel
def _take_up_image(game: HandGame, contract: int, updated: int, depth: int, desk: Desk) -> None:
    """What was found for a diamond holds for its heart, with all cards mirrored."""
    actor, card = _player_at(depth, desk), game.mirror_card[desk.card[depth]]
    hidden, discards = desk.hidden[updated, depth + 1], _discards(contract, updated)
    choices = _cards_to_choose(depth, updated, desk)
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & desk.seen[depth + 1]:
            continue
        image = game.mirror_set[hidden, number]
        for discard in range(discards):
            other = game.mirror_card[discard] if discards > 1 else 0
            value = desk.values[depth + 1, number * discards + discard]
            if actor != updated:
                if discards == 1 or other != card:
                    desk.values[depth, image * discards + other] += value
            else:
                joined, place = game.join[hidden, image, card], game.place[hidden, image, card]
                desk.card_values[depth, (joined * choices + place) * discards + other] = value


@lean_kernel
def _take_up_card(game: HandGame, contract: int, updated: int, depth: int, desk: Desk) -> None:
    """The values of a card for who played it, or its share in the values of the other."""
    actor, card = _player_at(depth, desk), desk.card[depth]
    hidden, discards = desk.hidden[updated, depth + 1], _discards(contract, updated)
    choices = _cards_to_choose(depth, updated, desk)
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & desk.seen[depth + 1]:
            continue
        found = number * discards
        if actor != updated:
            skipped = desk.values[depth, found + card] if discards > 1 else 0.0
            for discard in range(discards):
                desk.values[depth, found + discard] += desk.values[depth + 1, found + discard]
            if discards > 1:  # what the other has just played is nobody's discard
                desk.values[depth, found + card] = skipped
            continue
        joined, place = number, hidden
        if card != UP_CARD:
            joined, place = game.join[hidden, number, card], game.place[hidden, number, card]
        entry = (joined * choices + place) * discards
        for discard in range(discards):
            desk.card_values[depth, entry + discard] = desk.values[depth + 1, found + discard]


@lean_kernel
def _close(
    game: HandGame, contract: int, updated: int, depth: int, weights: Weights, play: PlayArrays, desk: Desk
) -> None:
    """All cards have been tried: value of each hand here, its regrets, its share in the average."""
    hidden, discards = desk.hidden[updated, depth], _discards(contract, updated)
    choices = _cards_to_choose(depth, updated, desk)
    node = game.depth_starts[depth] + desk.history[depth]
    start = game.node_starts[contract, node]
    at = desk.reach_at[updated, depth]
    opponent_comes = desk.comes[1 - updated, depth]
    since, now = play.visited[contract, node], weights.iteration
    positive = weights.positive_product[now - 1] / weights.positive_product[since]
    negative = weights.negative_product[now - 1] / weights.negative_product[since]
    fade_positive, fade_negative = weights.positive[now], weights.negative[now]
    averages = weights.average > 0.0 and desk.comes[updated, depth]
    if opponent_comes:
        play.visited[contract, node] = now
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & desk.seen[depth]:
            continue
        state, first = number * discards, number * choices * discards
        if averages and _any_reach(updated, at, state, discards, desk):
            for choice in range(choices):
                entry = first + choice * discards
                for discard in range(discards):
                    weight = weights.average * desk.reach[updated, at, state + discard]
                    play.averages[start + entry + discard] += weight * desk.strategy[depth, entry + discard]
        if not opponent_comes:
            continue
        for choice in range(choices):
            entry = first + choice * discards
            for discard in range(discards):
                value = desk.strategy[depth, entry + discard] * desk.card_values[depth, entry + discard]
                desk.values[depth, state + discard] += value
        if desk.legal_cards[depth, number] == 1:
            continue
        for choice in range(choices):
            entry = first + choice * discards
            for discard in range(discards):
                regret = play.regrets[start + entry + discard]
                regret *= positive if regret > 0.0 else negative
                regret += desk.card_values[depth, entry + discard] - desk.values[depth, state + discard]
                regret *= fade_positive if regret > 0.0 else fade_negative
                play.regrets[start + entry + discard] = regret


# ------------------------------------------------------------------------------------------------- the last trick


@lean_kernel
def _last_trick(game: HandGame, contract: int, updated: int, depth: int, desk: Desk) -> None:
    """Values of the last cards, which are forced."""
    if not desk.comes[1 - updated, depth]:
        return
    lost = game.payoffs[contract, desk.tricks[depth]]
    won = game.payoffs[contract, desk.tricks[depth] + 1]
    if updated == NONDEALER:
        _last_trick_of_nondealer(game, contract, depth, lost, won, desk)
    else:
        _last_trick_of_dealer(game, contract, depth, lost, won, desk)


@lean_kernel
def _last_trick_of_nondealer(game: HandGame, contract: int, depth: int, lost: float, won: float, desk: Desk) -> None:
    """His values by his last card: against each of the dealer's, with all discards but that card."""
    seen, leader, at = desk.seen[depth], desk.leader[depth], desk.reach_at[DEALER, depth]
    discards = _discards(contract, DEALER)
    for his in range(CARDS):
        desk.last_reach[his] = 0.0
        if _may_be_last(his, depth, desk):
            state = his * discards if his != UP_CARD else 0
            if discards == 1:
                desk.last_reach[his] = desk.reach[DEALER, at, state]
            else:
                for discard in range(OTHERS):
                    if not seen >> discard & 1:
                        desk.last_reach[his] += desk.reach[DEALER, at, state + discard]
    _weigh_last_cards(game, contract, leader == NONDEALER, won, lost, desk)
    for mine in range(OTHERS):
        desk.values[depth, mine] = desk.last_values[mine]
    if discards == 1:
        return
    for his in range(CARDS):
        if desk.last_reach[his] > 0.0:
            state = his * discards if his != UP_CARD else 0
            for mine in range(OTHERS):
                takes = game.nondealer_wins[contract, leader, his, mine]
                gives = game.nondealer_loses[contract, leader, his, mine]
                desk.values[depth, mine] -= desk.reach[DEALER, at, state + mine] * (won * takes + lost * gives)


@lean_kernel
def _last_trick_of_dealer(game: HandGame, contract: int, depth: int, lost: float, won: float, desk: Desk) -> None:
    """His values by last card and discard: against all cards of the non-dealer but these two."""
    seen, leader, at = desk.seen[depth], desk.leader[depth], desk.reach_at[NONDEALER, depth]
    discards = _discards(contract, DEALER)
    desk.last_reach[UP_CARD] = 0.0
    for his in range(OTHERS):
        desk.last_reach[his] = desk.reach[NONDEALER, at, his] if not seen >> his & 1 else 0.0
    _weigh_last_cards(game, contract, leader == DEALER, -lost, -won, desk)
    for mine in range(CARDS):
        if not _may_be_last(mine, depth, desk):
            continue
        if discards == 1:
            desk.values[depth, mine] = desk.last_values[mine]
            continue
        state = mine * discards if mine != UP_CARD else 0
        for discard in range(OTHERS):
            takes = game.nondealer_wins[contract, leader, mine, discard]
            gives = game.nondealer_loses[contract, leader, mine, discard]
            shared = desk.last_reach[discard] * (won * takes + lost * gives)
            desk.values[depth, state + discard] = desk.last_values[mine] + shared


@lean_kernel
def _may_be_last(card: int, depth: int, desk: Desk) -> bool:
    """Whether a card can be the dealer's last: the up-card while he holds it, else any that has not been seen."""
    if desk.holds_up_card[depth]:
        return card == UP_CARD
    return card != UP_CARD and not desk.seen[depth] >> card & 1


@lean_kernel
def _weigh_last_cards(game: HandGame, contract: int, leads: bool, if_won: float, if_lost: float, desk: Desk) -> None:
    """`desk.last_values` of each card against all others of `desk.last_reach`, by running sums over each suit.

    A card that is led loses to the higher ones of its suit and to trumps; one that follows wins against the lower
    ones of its suit, and a trump against every other suit.
    """
    total, trumps = 0.0, 0.0
    for card in range(CARDS):
        total += desk.last_reach[card]
        trumps += desk.last_reach[card] if game.fields[contract, card] == TRUMPS else 0.0
    for end in range(2):  # once from below, once from above: only the sum that is needed is taken
        if leads == (end == 0):
            continue
        field, running = -1, 0.0
        for step in range(CARDS):
            card = game.play_order[contract, step if end == 0 else CARDS - 1 - step]
            if game.fields[contract, card] != field:
                field, running = game.fields[contract, card], 0.0
            other = desk.last_reach[card]
            if leads:
                loses = running + (trumps if field != TRUMPS else 0.0)
                wins = total - other - loses
            else:
                wins = running + (total - trumps if field == TRUMPS else 0.0)
                loses = total - other - wins
            desk.last_values[card] = if_won * wins + if_lost * loses
            running += other
