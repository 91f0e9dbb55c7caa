"""One pass of counterfactual regret minimisation over the play of a contract.

A pass walks the histories depth first. It carries one vector a player: for every set of cards still possible (and,
for a dealer who took the up-card, every discard), how far the player's own choices lead here. Entries with a card that
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
from solver.towers_and_bowers.whole_hand.workspace import (
    PlayArrays,
    Weights,
    Workspace,
    cards_to_choose,
    discards_of,
    discounts_since,
    player_at,
    trick_winner,
)


@lean_kernel
def play_pass(game: HandGame, contract: int, updated: int, weights: Weights, play: PlayArrays, work: Workspace) -> None:
    """Update one player's regrets and averages in the play of a contract, and find the contract's value to that player.

    Args:
        contract: 0..7.
        updated: whose regrets.
        work: `reach[:, 0]` holds both players' vectors at the first lead. On return `values[0]` holds the updated
            player's counterfactual values; a dealer's payoffs are minus the non-dealer's.
    """
    _start_hand(game, contract, updated, work)
    if not work.reachable[NONDEALER, 0] and not work.reachable[DEALER, 0]:
        return
    if game.cards == 1:
        last_trick(game, contract, updated, work)
        return
    last, depth = 2 * game.cards - 3, 0
    _enter_node(game, contract, updated, depth, play, work)
    while True:
        actor = player_at(depth, work)
        work.card[depth] = _next_card(game, contract, depth, actor, work)
        if work.card[depth] == CARDS:
            if actor == updated:
                _leave_node(game, contract, updated, depth, weights, play, work)
            if depth == 0:
                return
            depth -= 1
            _return_to(game, contract, updated, depth, work)
        elif _descend(game, contract, depth, actor, work) and _matters(updated, depth + 1, weights, work):
            if depth + 1 < last:
                depth += 1
                _enter_node(game, contract, updated, depth, play, work)
                continue
            if contract > DEALER_ACCEPTS:
                decide_without_discards(game, contract, updated, last, weights, play, work)
            else:
                _enter_node(game, contract, updated, last, play, work)
                if work.reachable[1 - updated, last]:
                    value_last_decision(game, contract, updated, last, work)
                if player_at(last, work) == updated:
                    _leave_node(game, contract, updated, last, weights, play, work)
            _return_to(game, contract, updated, depth, work)


# -------------------------------------------------------------------------------------------------------- the walk


@lean_kernel
def _start_hand(game: HandGame, contract: int, updated: int, work: Workspace) -> None:
    """The first lead."""
    work.history[0] = work.seen[0] = work.tricks[0] = 0
    work.leader[0] = NONDEALER
    work.holds_up_card[0] = 1 if contract <= DEALER_ACCEPTS else 0
    work.hidden[NONDEALER, 0] = game.cards
    work.hidden[DEALER, 0] = game.cards - work.holds_up_card[0]
    for player in range(2):
        work.reach_at[player, 0] = 0
        work.reachable[player, 0] = False
        for state in range(game.sets[work.hidden[player, 0]] * discards_of(contract, player)):
            work.reachable[player, 0] |= work.reach[player, 0, state] > 0.0
    for state in range(work.values.shape[1]):
        work.values[0, state] = 0.0


@lean_kernel
def _next_card(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> int:
    """The next card to try after the one in hand, 24 when there is none."""
    twins = game.uses_mirror and is_own_image(contract, work.seen[depth])
    for card in range(work.card[depth] + 1, CARDS):
        if twins and FIRST_HEART <= card < FIRST_SPADE:
            continue  # found with its diamond
        if card == UP_CARD:
            if actor == DEALER and work.holds_up_card[depth]:
                return card
        elif work.hidden[actor, depth] > 0 and not work.seen[depth] >> card & 1:
            return card
    return CARDS


@lean_kernel
def _descend(game: HandGame, contract: int, depth: int, actor: int, work: Workspace) -> bool:
    """Play the card in hand: make the next depth. False if no hand of either comes there."""
    card, below = work.card[depth], depth + 1
    work.reachable[1 - actor, below] = work.reachable[1 - actor, depth]
    work.reachable[actor, below] = (
        _pass_on_reach(game, contract, depth, actor, card, work) and work.reachable[actor, depth]
    )
    if not work.reachable[NONDEALER, below] and not work.reachable[DEALER, below]:
        return False
    work.reach_at[1 - actor, below] = work.reach_at[1 - actor, depth]
    work.reach_at[actor, below] = below
    work.history[below] = work.history[depth] * CARDS + card
    work.seen[below] = work.seen[depth] | 1 << card
    work.hidden[1 - actor, below] = work.hidden[1 - actor, depth]
    work.hidden[actor, below] = work.hidden[actor, depth] - (1 if card != UP_CARD else 0)
    work.holds_up_card[below] = work.holds_up_card[depth] if card != UP_CARD else 0
    work.leader[below], work.tricks[below] = work.leader[depth], work.tricks[depth]
    if depth % 2 == 1:
        winner = trick_winner(game, contract, work.leader[depth], work.card[depth - 1], card)
        work.leader[below] = winner
        work.tricks[below] += 1 if winner == NONDEALER else 0
    return True


@lean_kernel
def _matters(updated: int, depth: int, weights: Weights, work: Workspace) -> bool:
    """Whether a depth can change anything: regrets where the opponent comes, averages where the player does."""
    return work.reachable[1 - updated, depth] or (weights.average > 0.0 and work.reachable[updated, depth])


@lean_kernel
def _pass_on_reach(game: HandGame, contract: int, depth: int, actor: int, card: int, work: Workspace) -> bool:
    """The actor's vector after a card has been played; whether any hand plays it."""
    hidden, discards = work.hidden[actor, depth], discards_of(contract, actor)
    choices = cards_to_choose(depth, actor, work)
    at = work.reach_at[actor, depth]
    left = hidden if card == UP_CARD else hidden - 1
    comes = False
    for number in range(game.sets[left]):
        joined, place = number, hidden
        if card != UP_CARD:
            joined, place = game.join[left, number, card], game.place[left, number, card]
        if joined < 0 or game.set_masks[hidden, joined] & work.seen[depth]:
            continue
        state, before, entry = number * discards, joined * discards, (joined * choices + place) * discards
        for discard in range(discards):
            reach = work.reach[actor, at, before + discard] * work.strategy[depth, entry + discard]
            work.reach[actor, depth + 1, state + discard] = reach
        for discard in range(discards):
            comes |= work.reach[actor, depth + 1, state + discard] > 0.0
    return comes


# --------------------------------------------------------------------------------------------------- one decision


@lean_kernel
def _enter_node(game: HandGame, contract: int, updated: int, depth: int, play: PlayArrays, work: Workspace) -> None:
    """Regret matching for every hand that can be here; the values of this depth are cleared."""
    work.card[depth] = -1
    actor = player_at(depth, work)
    hidden, discards, choices = (
        work.hidden[actor, depth],
        discards_of(contract, actor),
        cards_to_choose(depth, actor, work),
    )
    start = game.node_starts[contract, game.depth_starts[depth] + work.history[depth]]
    for state in range(game.sets[work.hidden[updated, depth]] * discards_of(contract, updated)):
        work.values[depth, state] = 0.0
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth]:
            continue
        if actor != updated and not _any_reach(actor, work.reach_at[actor, depth], number * discards, discards, work):
            continue  # what would be stored is multiplied by zero
        legal_cards = _find_legal(game, contract, depth, number, hidden, choices, work)
        work.legal_cards[depth, number] = legal_cards
        first = number * choices * discards
        for discard in range(discards):
            work.row[discard] = 0.0
        for choice in range(choices):
            if work.legal[choice]:
                entry = first + choice * discards
                for discard in range(discards):
                    positive = max(play.regrets[start + entry + discard], 0.0)
                    work.row[discard] += positive
                    work.strategy[depth, entry + discard] = positive
        for choice in range(choices):
            entry = first + choice * discards
            if work.legal[choice]:
                for discard in range(discards):
                    total = work.row[discard]
                    share = work.strategy[depth, entry + discard] / total if total > 0.0 else 1.0 / legal_cards
                    work.strategy[depth, entry + discard] = share
            else:
                for discard in range(discards):
                    work.strategy[depth, entry + discard] = 0.0
            for discard in range(discards):
                work.card_values[depth, entry + discard] = 0.0
    if game.uses_mirror and is_own_image(contract, work.seen[depth]):
        _mirror_strategy(game, depth, hidden, choices, discards, work)


@lean_kernel
def _mirror_strategy(game: HandGame, depth: int, hidden: int, choices: int, discards: int, work: Workspace) -> None:
    """Make mirrored hands play alike to the last bit: rounding would let them drift apart."""
    strategy = work.strategy
    for number in range(game.sets[hidden]):
        image = game.mirror_set[hidden, number]
        if image < number or game.set_masks[hidden, number] & work.seen[depth]:
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
def _any_reach(player: int, at: int, first: int, discards: int, work: Workspace) -> bool:
    """Whether a set comes so far with any discard."""
    comes = False
    for state in range(first, first + discards):
        comes |= work.reach[player, at, state] > 0.0
    return comes


@lean_kernel
def _find_legal(
    game: HandGame, contract: int, depth: int, number: int, hidden: int, choices: int, work: Workspace
) -> int:
    """Which cards of a set may be played: any card to lead, the suit led if held (TB-17, TB-18); how many."""
    field = game.fields[contract, work.card[depth - 1]] if depth % 2 == 1 else 0
    legal_cards = 0
    for choice in range(choices):
        card = game.members[hidden, number, choice] if choice < hidden else UP_CARD
        work.legal[choice] = game.fields[contract, card] == field
        legal_cards += 1 if work.legal[choice] else 0
    if legal_cards > 0:
        return legal_cards
    for choice in range(choices):
        work.legal[choice] = True
    return choices


@lean_kernel
def _return_to(game: HandGame, contract: int, updated: int, depth: int, work: Workspace) -> None:
    """Add what was found at the next depth to this one."""
    if not work.reachable[1 - updated, depth + 1]:
        return
    _return_to_card(game, contract, updated, depth, work)
    card = work.card[depth]
    if game.uses_mirror and FIRST_DIAMOND <= card < FIRST_HEART and is_own_image(contract, work.seen[depth]):
        _return_to_image(game, contract, updated, depth, work)


@lean_kernel
def _return_to_image(game: HandGame, contract: int, updated: int, depth: int, work: Workspace) -> None:
    """What was found for a diamond holds for its heart, with all cards mirrored."""
    actor, card = player_at(depth, work), game.mirror_card[work.card[depth]]
    hidden, discards = work.hidden[updated, depth + 1], discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, work)
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth + 1]:
            continue
        image = game.mirror_set[hidden, number]
        for discard in range(discards):
            other = game.mirror_card[discard] if discards > 1 else 0
            value = work.values[depth + 1, number * discards + discard]
            if actor != updated:
                if discards == 1 or other != card:
                    work.values[depth, image * discards + other] += value
            else:
                joined, place = game.join[hidden, image, card], game.place[hidden, image, card]
                work.card_values[depth, (joined * choices + place) * discards + other] = value


@lean_kernel
def _return_to_card(game: HandGame, contract: int, updated: int, depth: int, work: Workspace) -> None:
    """The values of a card for who played it, or its share in the values of the other."""
    actor, card = player_at(depth, work), work.card[depth]
    hidden, discards = work.hidden[updated, depth + 1], discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, work)
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth + 1]:
            continue
        found = number * discards
        if actor != updated:
            skipped = work.values[depth, found + card] if discards > 1 else 0.0
            for discard in range(discards):
                work.values[depth, found + discard] += work.values[depth + 1, found + discard]
            if discards > 1:  # what the other has just played is nobody's discard
                work.values[depth, found + card] = skipped
            continue
        joined, place = number, hidden
        if card != UP_CARD:
            joined, place = game.join[hidden, number, card], game.place[hidden, number, card]
        entry = (joined * choices + place) * discards
        for discard in range(discards):
            work.card_values[depth, entry + discard] = work.values[depth + 1, found + discard]


@lean_kernel
def _leave_node(
    game: HandGame, contract: int, updated: int, depth: int, weights: Weights, play: PlayArrays, work: Workspace
) -> None:
    """All cards have been tried: value of each hand here, its regrets, its share in the average."""
    hidden, discards = work.hidden[updated, depth], discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, work)
    node = game.depth_starts[depth] + work.history[depth]
    start = game.node_starts[contract, node]
    at = work.reach_at[updated, depth]
    opponent_comes = work.reachable[1 - updated, depth]
    since, now = play.visited[contract, node], weights.iteration
    positive, negative = discounts_since(weights, since)
    fade_positive, fade_negative = weights.positive[now], weights.negative[now]
    averages = weights.average > 0.0 and work.reachable[updated, depth]
    if opponent_comes:
        play.visited[contract, node] = now
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth]:
            continue
        state, first = number * discards, number * choices * discards
        if averages and _any_reach(updated, at, state, discards, work):
            for choice in range(choices):
                entry = first + choice * discards
                for discard in range(discards):
                    weight = weights.average * work.reach[updated, at, state + discard]
                    play.averages[start + entry + discard] += weight * work.strategy[depth, entry + discard]
        if not opponent_comes:
            continue
        for choice in range(choices):
            entry = first + choice * discards
            for discard in range(discards):
                value = work.strategy[depth, entry + discard] * work.card_values[depth, entry + discard]
                work.values[depth, state + discard] += value
        if work.legal_cards[depth, number] == 1:
            continue
        for choice in range(choices):
            entry = first + choice * discards
            for discard in range(discards):
                regret = play.regrets[start + entry + discard]
                regret *= positive if regret > 0.0 else negative
                regret += work.card_values[depth, entry + discard] - work.values[depth, state + discard]
                regret *= fade_positive if regret > 0.0 else fade_negative
                play.regrets[start + entry + discard] = regret
