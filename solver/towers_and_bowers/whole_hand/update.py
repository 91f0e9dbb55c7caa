"""One pass of counterfactual regret minimisation over the play of a contract.

A pass walks the histories depth first. It carries one vector a player: for every set of cards he can still hold (and,
for a dealer who took the up-card, every discard), how far his own choices let him come here. Entries with a card that
has been seen are left as they are and skipped by whoever reads them. At the last trick both vectors meet, and
inclusion–exclusion takes out pairs that share a card: a pass costs as many steps as there are histories times sets,
not pairs of hands (`solver.towers_and_bowers.whole_hand.last_cards`).

Regrets are discounted (Brown & Sandholm, "Solving imperfect-information games via discounted regret minimization",
2019). A block that no hand of the opponent reaches stays as it is; its discounts are made up for at the next visit, so
that the result is the same as if every block were discounted at every iteration.

The innermost loops run over discards: a plain `for` over neighbouring floats, which compiles to vector instructions.
"""

from __future__ import annotations

from games.jit import lean_kernel
from solver.towers_and_bowers.whole_hand.desk import (
    Desk,
    PlayArrays,
    Weights,
    cards_to_choose,
    discards_of,
    discounts_since,
    player_at,
    trick_winner,
)
from solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    DEALER,
    DEALER_ACCEPTS,
    FIRST_DIAMOND,
    FIRST_HEART,
    FIRST_SPADE,
    NONDEALER,
    UP_CARD,
    HandGame,
    is_own_image,
)
from solver.towers_and_bowers.whole_hand.last_cards import decide_without_discards, last_trick, value_last_decision


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
    if game.cards == 1:
        last_trick(game, contract, updated, desk)
        return
    last, depth = 2 * game.cards - 3, 0
    _open(game, contract, updated, depth, play, desk)
    while True:
        actor = player_at(depth, desk)
        desk.card[depth] = _next_card(game, contract, depth, actor, desk)
        if desk.card[depth] == CARDS:
            if actor == updated:
                _close(game, contract, updated, depth, weights, play, desk)
            if depth == 0:
                return
            depth -= 1
            _take_up(game, contract, updated, depth, desk)
        elif _descend(game, contract, depth, actor, desk) and _matters(updated, depth + 1, weights, desk):
            if depth + 1 < last:
                depth += 1
                _open(game, contract, updated, depth, play, desk)
                continue
            if contract > DEALER_ACCEPTS:
                decide_without_discards(game, contract, updated, last, weights, play, desk)
            else:
                _open(game, contract, updated, last, play, desk)
                if desk.comes[1 - updated, last]:
                    value_last_decision(game, contract, updated, last, desk)
                if player_at(last, desk) == updated:
                    _close(game, contract, updated, last, weights, play, desk)
            _take_up(game, contract, updated, depth, desk)


# -------------------------------------------------------------------------------------------------------- the walk


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
        for state in range(game.sets[desk.hidden[player, 0]] * discards_of(contract, player)):
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
        winner = trick_winner(game, contract, desk.leader[depth], desk.card[depth - 1], card)
        desk.leader[below] = winner
        desk.tricks[below] += 1 if winner == NONDEALER else 0
    return True


@lean_kernel
def _matters(updated: int, depth: int, weights: Weights, desk: Desk) -> bool:
    """Whether a depth can change anything: regrets where the opponent comes, averages where he himself does."""
    return desk.comes[1 - updated, depth] or (weights.average > 0.0 and desk.comes[updated, depth])


@lean_kernel
def _pass_on_reach(game: HandGame, contract: int, depth: int, actor: int, card: int, desk: Desk) -> bool:
    """The actor's vector after he has played a card; whether any of his hands does."""
    hidden, discards = desk.hidden[actor, depth], discards_of(contract, actor)
    choices = cards_to_choose(depth, actor, desk)
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
    actor = player_at(depth, desk)
    hidden, discards, choices = (
        desk.hidden[actor, depth],
        discards_of(contract, actor),
        cards_to_choose(depth, actor, desk),
    )
    start = game.node_starts[contract, game.depth_starts[depth] + desk.history[depth]]
    for state in range(game.sets[desk.hidden[updated, depth]] * discards_of(contract, updated)):
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
    actor, card = player_at(depth, desk), game.mirror_card[desk.card[depth]]
    hidden, discards = desk.hidden[updated, depth + 1], discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, desk)
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
    actor, card = player_at(depth, desk), desk.card[depth]
    hidden, discards = desk.hidden[updated, depth + 1], discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, desk)
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
    hidden, discards = desk.hidden[updated, depth], discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, desk)
    node = game.depth_starts[depth] + desk.history[depth]
    start = game.node_starts[contract, node]
    at = desk.reach_at[updated, depth]
    opponent_comes = desk.comes[1 - updated, depth]
    since, now = play.visited[contract, node], weights.iteration
    positive, negative = discounts_since(weights, since)
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
