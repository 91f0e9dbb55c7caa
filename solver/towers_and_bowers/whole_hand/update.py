"""What does one pass of counterfactual regret minimisation do? It walks the play of a contract and updates both
players.

A pass walks the histories depth first. It carries one vector a player: for every set of cards still possible (and,
for a dealer who took the up-card, every discard), how far the player's own choices lead here. Entries with a card that
has been seen are left as they are and skipped by every reader. At the last two tricks both vectors meet, and
inclusion–exclusion takes out pairs that share a card: a pass costs as many steps as there are histories times sets,
not pairs of hands (`solver.towers_and_bowers.whole_hand.last_tricks`).

Regrets are discounted (Brown & Sandholm, "Solving imperfect-information games via discounted regret minimization",
2019). A block that no hand of the opponent reaches stays as it is; its discounts are made up for at the next visit, so
that the result is the same as if every block were discounted at every iteration.

The innermost loops run over discards: a plain `for` over neighbouring floats, which compiles to vector instructions.

    towerlab study towers-and-bowers hand-equilibrium --set cards=2 --out folder
"""

from __future__ import annotations

from towerlab.games.bits import popcount
from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    DEALER,
    DEALER_ACCEPTS,
    DEPTH_STARTS,
    FIRST_DIAMOND,
    FIRST_HEART,
    FIRST_SPADE,
    MIRRORED,
    NONDEALER,
    OTHER_CARDS,
    UP_CARD,
    HandGame,
    is_own_image,
    place_in_set,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import find_groups, led_cards, rank_among, rows_of
from towerlab.solver.towers_and_bowers.whole_hand.iteration import (
    PlayArrays,
    WalkBuffers,
    Weights,
    cards_to_choose,
    discards_of,
    discounts_since,
    player_at,
    trick_winner,
)
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks import LastTricks, last_trick, last_two_tricks


@fast_kernel
def play_pass(
    game: HandGame,
    contract: int,
    updated: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    tricks: LastTricks,
) -> None:
    """Update one player's regrets and averages in the play of a contract, and find the contract's value to that player.

    Args:
        contract: the number of the contract, 0..7.
        updated: the player whose regrets are updated.
        work: `reach[:, 0]` holds both players' vectors at the first lead. On return `values[0]` holds the updated
            player's counterfactual values; a dealer's payoffs are minus the non-dealer's.
        tricks: the buffers of the last tricks.
    """
    _start_hand(game, contract, updated, weights, play, work)
    if not work.reachable[NONDEALER, 0] and not work.reachable[DEALER, 0]:
        return
    if game.cards == 1:
        last_trick(game, contract, updated, work)
        return
    last = 2 * game.cards - 4
    depth = 0
    if last == 0:
        last_two_tricks(game, contract, updated, 0, weights, play, work, tricks)
        return
    _enter_node(game, contract, updated, depth, weights, play, work)
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
        elif _descend(game, contract, updated, depth, actor, weights, play, work) and _matters(
            updated, depth + 1, weights, work
        ):
            if depth + 1 < last:
                depth += 1
                _enter_node(game, contract, updated, depth, weights, play, work)
                continue
            last_two_tricks(game, contract, updated, last, weights, play, work, tricks)
            _return_to(game, contract, updated, depth, work)


# -------------------------------------------------------------------------------------------------------- the walk


@fast_kernel
def _start_hand(
    game: HandGame, contract: int, updated: int, weights: Weights, play: PlayArrays, work: WalkBuffers
) -> None:
    """The first lead."""
    work.history[0] = work.tricks[0] = 0
    work.leader[0] = game.leader
    work.seen[0] = game.seen
    work.holds_up_card[0] = 1 if contract <= DEALER_ACCEPTS and not game.seen >> UP_CARD & 1 else 0
    work.allowed[NONDEALER, 0] = (1 << OTHER_CARDS) - 1 & ~game.seen
    work.allowed[DEALER, 0] = work.allowed[NONDEALER, 0] | work.holds_up_card[0] << UP_CARD
    work.hidden[NONDEALER, 0] = game.cards
    work.hidden[DEALER, 0] = game.cards - work.holds_up_card[0]
    for player in range(2):
        work.reach_at[player, 0] = 0
        work.reachable[player, 0] = False
        for state in range(game.sets[work.hidden[player, 0]] * discards_of(contract, player)):
            work.reachable[player, 0] |= work.reach[player, 0, state] > 0.0
    for state in range(work.values.shape[1]):
        work.values[0, state] = 0.0
    if weights.average > 0.0:
        for state in range(game.sets[work.hidden[updated, 0]] * discards_of(contract, updated)):
            play.comes[contract, updated, state] += weights.average * work.reach[updated, 0, state]
            work.comes[0, state] = play.comes[contract, updated, state]


@fast_kernel
def _next_card(game: HandGame, contract: int, depth: int, actor: int, work: WalkBuffers) -> int:
    """Return the next card to try after the current one, 24 when there is none."""
    twins = game.uses_mirror and is_own_image(contract, work.seen[depth])
    left = game.line_cards - 1 - depth
    for card in range(work.card[depth] + 1, CARDS):
        if left >= 0 and card != game.line // CARDS**left % CARDS:
            continue
        if twins and FIRST_HEART <= card < FIRST_SPADE:
            continue  # its diamond has filled it
        if card == UP_CARD:
            if actor == DEALER and work.holds_up_card[depth]:
                return card
        elif work.hidden[actor, depth] > 0 and work.allowed[actor, depth] >> card & 1:
            return card
    return CARDS


@fast_kernel
def _descend(
    game: HandGame,
    contract: int,
    updated: int,
    depth: int,
    actor: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
) -> bool:
    """Play the current card: make the next depth. False if it cannot be played, or no hand of either comes there."""
    card = work.card[depth]
    below = depth + 1
    work.history[below] = work.history[depth] * CARDS + card
    if game.node_starts[contract, DEPTH_STARTS[below] + work.history[below]] < 0:
        return False  # a dealer would not have followed with the up-card
    work.reachable[1 - actor, below] = work.reachable[1 - actor, depth]
    work.reachable[actor, below] = (
        _pass_on_reach(game, contract, depth, actor, card, work) and work.reachable[actor, depth]
    )
    if not work.reachable[NONDEALER, below] and not work.reachable[DEALER, below]:
        return False
    if actor == updated and weights.average > 0.0 and len(play.averages) < game.play_size:
        _pass_on_averages(game, contract, depth, actor, card, weights, play, work)
    work.reach_at[1 - actor, below] = work.reach_at[1 - actor, depth]
    work.reach_at[actor, below] = below
    work.seen[below] = work.seen[depth] | 1 << card
    work.allowed[1 - actor, below] = work.allowed[1 - actor, depth] & ~(1 << card)
    work.allowed[actor, below] = work.allowed[actor, depth] & ~(1 << card)
    if depth % 2 == 1 and game.fields[contract, card] != game.fields[contract, work.card[depth - 1]]:
        work.allowed[actor, below] &= ~game.field_masks[contract, game.fields[contract, work.card[depth - 1]]]
    work.hidden[1 - actor, below] = work.hidden[1 - actor, depth]
    work.hidden[actor, below] = work.hidden[actor, depth] - (1 if card != UP_CARD else 0)
    work.holds_up_card[below] = work.holds_up_card[depth] if card != UP_CARD else 0
    work.leader[below], work.tricks[below] = work.leader[depth], work.tricks[depth]
    if depth % 2 == 1:
        winner = trick_winner(game, contract, work.leader[depth], work.card[depth - 1], card)
        work.leader[below] = winner
        work.tricks[below] += 1 if winner == NONDEALER else 0
    return True


@fast_kernel
def _matters(updated: int, depth: int, weights: Weights, work: WalkBuffers) -> bool:
    """Return whether a depth can change anything: regrets where the opponent comes, averages where the player does."""
    return work.reachable[1 - updated, depth] or (weights.average > 0.0 and work.reachable[updated, depth])


@fast_kernel
def _pass_on_reach(game: HandGame, contract: int, depth: int, actor: int, card: int, work: WalkBuffers) -> bool:
    """Write the actor's vector after a card has been played; return whether any hand plays it."""
    hidden = work.hidden[actor, depth]
    discards = discards_of(contract, actor)
    choices = cards_to_choose(depth, actor, work)
    at = work.reach_at[actor, depth]
    left = hidden if card == UP_CARD else hidden - 1
    comes = False
    for number in range(game.sets[left]):
        joined = number
        place = hidden
        if card != UP_CARD:
            joined = game.join[left, number, card]
            place = place_in_set(card, game.set_masks[left, number])
        if joined < 0 or game.set_masks[hidden, joined] & work.seen[depth]:
            continue
        state = number * discards
        before = joined * discards
        entry = (joined * choices + place) * discards
        for discard in range(discards):
            reach = work.reach[actor, at, before + discard] * work.strategy[depth, entry + discard]
            work.reach[actor, depth + 1, state + discard] = reach
        for discard in range(discards):
            comes |= work.reach[actor, depth + 1, state + discard] > 0.0
    return comes


@fast_kernel
def _pass_on_averages(
    game: HandGame,
    contract: int,
    depth: int,
    actor: int,
    card: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
) -> None:
    """How much has gone into the actor's averages on the way past a card, this iteration's included."""
    hidden = work.hidden[actor, depth]
    discards = discards_of(contract, actor)
    at = work.reach_at[actor, depth]
    rows = work.rows[depth]
    up_card = cards_to_choose(depth, actor, work) - hidden
    start = game.node_starts[contract, DEPTH_STARTS[depth] + work.history[depth]]
    led = led_cards(game, contract, depth, work.history[depth])
    left = hidden if card == UP_CARD else hidden - 1
    for number in range(game.sets[left]):
        joined = number if card == UP_CARD else game.join[left, number, card]
        if joined < 0 or game.set_masks[hidden, joined] & ~work.allowed[actor, depth]:
            continue
        held = game.set_masks[hidden, joined] | up_card << UP_CARD
        legal = held & led if held & led else held
        before, after = joined * discards, number * discards
        if popcount(legal) == 1:
            for discard in range(discards):
                work.comes[depth + 1, after + discard] = work.comes[at, before + discard]
            continue
        entry = start + work.stored[depth, joined] + popcount(legal & (1 << card) - 1) * work.step[depth, joined]
        for row in range(rows):
            discard = work.unseen[depth, row] if discards > 1 else 0
            now = weights.average * work.reach[actor, depth + 1, after + discard]
            work.comes[depth + 1, after + discard] = play.averages[entry + row] + now


# --------------------------------------------------------------------------------------------------- one decision


@fast_kernel
def _find_sets(game: HandGame, contract: int, depth: int, actor: int, work: WalkBuffers) -> None:
    """Where the sets of the player to move are stored (`game.list_entries` does it for one)."""
    allowed = work.allowed[actor, depth - depth % 2] & (1 << OTHER_CARDS) - 1
    seen = work.seen[depth - depth % 2]
    led = led_cards(game, contract, depth, work.history[depth])
    hidden = work.hidden[actor, depth]
    rows = 0
    for card in range(OTHER_CARDS):
        if not seen >> card & 1:
            work.unseen[depth, rows] = card
            rows += 1
    work.rows[depth] = rows = rows_of(contract, actor, ~seen & (1 << OTHER_CARDS) - 1)
    find_groups(hidden, cards_to_choose(depth, actor, work) - hidden, allowed, led, rows, work.groups)
    for number in range(game.sets[hidden]):
        if not game.set_masks[hidden, number] & ~allowed:
            held, rank = rank_among(game.set_masks[hidden, number], allowed, led)
            work.stored[depth, number] = work.groups[held, 0] + rank * rows
            work.step[depth, number] = work.groups[held, 1]


@fast_kernel
def _enter_node(
    game: HandGame, contract: int, updated: int, depth: int, weights: Weights, play: PlayArrays, work: WalkBuffers
) -> None:
    """Regret matching for every hand that can be here; the values of this depth are cleared."""
    work.card[depth] = -1
    actor = player_at(depth, work)
    hidden = work.hidden[actor, depth]
    discards = discards_of(contract, actor)
    choices = cards_to_choose(depth, actor, work)
    start = game.node_starts[contract, DEPTH_STARTS[depth] + work.history[depth]]
    for state in range(game.sets[work.hidden[updated, depth]] * discards_of(contract, updated)):
        work.values[depth, state] = 0.0
    _find_sets(game, contract, depth, actor, work)
    rows = work.rows[depth]
    learnt = play.averages if weights.responds and actor != updated else play.regrets
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & ~work.allowed[actor, depth]:
            continue
        if actor != updated and not _any_reach(actor, work.reach_at[actor, depth], number * discards, discards, work):
            continue  # what would be stored is multiplied by zero
        legal_cards = _find_legal(game, contract, depth, number, hidden, choices, work)
        first = number * choices * discards
        for discard in range(discards):
            work.row[discard] = 0.0
        entry = start + work.stored[depth, number]
        for choice in range(choices):
            if work.legal[choice] and legal_cards > 1:
                for row in range(rows):
                    discard = work.unseen[depth, row] if rows > 1 else 0
                    positive = max(learnt[entry + row], 0.0)
                    work.row[discard] += positive
                    work.strategy[depth, first + choice * discards + discard] = positive
                entry += work.step[depth, number]
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


@fast_kernel
def _mirror_strategy(game: HandGame, depth: int, hidden: int, choices: int, discards: int, work: WalkBuffers) -> None:
    """Make mirrored hands play alike to the last bit: rounding would let them drift apart."""
    strategy = work.strategy
    for number in range(game.sets[hidden]):
        image = game.mirror_set[hidden, number]
        if image < number or game.set_masks[hidden, number] & work.seen[depth]:
            continue
        for choice in range(choices):
            place = choice
            if choice < hidden:
                place = place_in_set(MIRRORED[game.members[hidden, number, choice]], game.set_masks[hidden, image])
            for discard in range(discards):
                other = MIRRORED[discard] if discards > 1 else 0
                here = (number * choices + choice) * discards + discard
                there = (image * choices + place) * discards + other
                if image > number or other > discard:
                    strategy[depth, there] = strategy[depth, here]
                elif other == discard and place > choice:
                    strategy[depth, here] = (strategy[depth, here] + strategy[depth, there]) / 2
                    strategy[depth, there] = strategy[depth, here]


@fast_kernel
def _any_reach(player: int, at: int, first: int, discards: int, work: WalkBuffers) -> bool:
    """Return whether a set comes so far with any discard."""
    comes = False
    for state in range(first, first + discards):
        comes |= work.reach[player, at, state] > 0.0
    return comes


@fast_kernel
def _find_legal(
    game: HandGame, contract: int, depth: int, number: int, hidden: int, choices: int, work: WalkBuffers
) -> int:
    """Mark which cards of a set may be played: any to lead, the suit led if held (TB-17, TB-18); return how many."""
    led = led_cards(game, contract, depth, work.history[depth])
    legal_cards = 0
    for choice in range(choices):
        card = game.members[hidden, number, choice] if choice < hidden else UP_CARD
        work.legal[choice] = led >> card & 1 == 1
        legal_cards += 1 if work.legal[choice] else 0
    if legal_cards > 0:
        return legal_cards
    for choice in range(choices):
        work.legal[choice] = True
    return choices


@fast_kernel
def _return_to(game: HandGame, contract: int, updated: int, depth: int, work: WalkBuffers) -> None:
    """Add the values of the next depth to this one."""
    if not work.reachable[1 - updated, depth + 1]:
        return
    _return_to_card(game, contract, updated, depth, work)
    card = work.card[depth]
    if game.uses_mirror and FIRST_DIAMOND <= card < FIRST_HEART and is_own_image(contract, work.seen[depth]):
        _return_to_image(game, contract, updated, depth, work)


@fast_kernel
def _return_to_image(game: HandGame, contract: int, updated: int, depth: int, work: WalkBuffers) -> None:
    """Copy the values of a diamond to its heart, with all cards mirrored."""
    actor = player_at(depth, work)
    card = MIRRORED[work.card[depth]]
    hidden = work.hidden[updated, depth + 1]
    discards = discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, work)
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth + 1]:
            continue
        image = game.mirror_set[hidden, number]
        for discard in range(discards):
            other = MIRRORED[discard] if discards > 1 else 0
            value = work.values[depth + 1, number * discards + discard]
            if actor != updated:
                if discards == 1 or other != card:
                    work.values[depth, image * discards + other] += value
            else:
                joined = game.join[hidden, image, card]
                place = place_in_set(card, game.set_masks[hidden, image])
                work.card_values[depth, (joined * choices + place) * discards + other] = value


@fast_kernel
def _return_to_card(game: HandGame, contract: int, updated: int, depth: int, work: WalkBuffers) -> None:
    """Store the values of a card for the player who played it, or add its share to the values of the opponent."""
    actor = player_at(depth, work)
    card = work.card[depth]
    hidden = work.hidden[updated, depth + 1]
    discards = discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, work)
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & work.seen[depth + 1]:
            continue
        states = number * discards
        if actor != updated:
            skipped = work.values[depth, states + card] if discards > 1 else 0.0
            for discard in range(discards):
                work.values[depth, states + discard] += work.values[depth + 1, states + discard]
            if discards > 1:  # what the other has just played is nobody's discard
                work.values[depth, states + card] = skipped
            continue
        joined = number
        place = hidden
        if card != UP_CARD:
            joined = game.join[hidden, number, card]
            place = place_in_set(card, game.set_masks[hidden, number])
        entry = (joined * choices + place) * discards
        for discard in range(discards):
            work.card_values[depth, entry + discard] = work.values[depth + 1, states + discard]


@fast_kernel
def _leave_node(
    game: HandGame, contract: int, updated: int, depth: int, weights: Weights, play: PlayArrays, work: WalkBuffers
) -> None:
    """All cards have been tried: value of each hand here, its regrets, its share in the average."""
    hidden = work.hidden[updated, depth]
    discards = discards_of(contract, updated)
    choices = cards_to_choose(depth, updated, work)
    node = DEPTH_STARTS[depth] + work.history[depth]
    start = game.node_starts[contract, node]
    at = work.reach_at[updated, depth]
    rows = work.rows[depth]
    opponent_comes = work.reachable[1 - updated, depth]
    since = play.visited[contract, node]
    now = weights.iteration
    positive, negative = discounts_since(weights, since)
    fade_positive = weights.positive[now]
    fade_negative = weights.negative[now]
    averages = weights.average > 0.0 and work.reachable[updated, depth]
    if opponent_comes and not weights.responds:
        play.visited[contract, node] = now
    for number in range(game.sets[hidden]):
        if game.set_masks[hidden, number] & ~work.allowed[updated, depth]:
            continue
        legal = _find_legal(game, contract, depth, number, hidden, choices, work)
        state = number * discards
        first = number * choices * discards
        entry = start + work.stored[depth, number]
        if averages and legal > 1 and _any_reach(updated, at, state, discards, work):
            for choice in range(choices):
                if work.legal[choice]:
                    for row in range(rows):
                        discard = work.unseen[depth, row] if rows > 1 else 0
                        weight = weights.average * work.reach[updated, at, state + discard]
                        play.averages[entry + row] += weight * work.strategy[depth, first + choice * discards + discard]
                    entry += work.step[depth, number]
        if not opponent_comes:
            continue
        if weights.responds:
            _take_best(depth, state, first, choices, discards, work)
            if weights.keeps_values and legal > 1:
                _keep_values(depth, start + work.stored[depth, number], number, first, choices, discards, play, work)
            continue
        for choice in range(choices):
            entry = first + choice * discards
            for discard in range(discards):
                value = work.strategy[depth, entry + discard] * work.card_values[depth, entry + discard]
                work.values[depth, state + discard] += value
        if legal == 1:
            continue
        entry = start + work.stored[depth, number]
        for choice in range(choices):
            if work.legal[choice]:
                for row in range(rows):
                    discard = work.unseen[depth, row] if rows > 1 else 0
                    regret = play.regrets[entry + row]
                    regret *= positive if regret > 0.0 else negative
                    value = work.card_values[depth, first + choice * discards + discard]
                    regret += value - work.values[depth, state + discard]
                    regret *= fade_positive if regret > 0.0 else fade_negative
                    play.regrets[entry + row] = regret
                entry += work.step[depth, number]


@fast_kernel
def _take_best(depth: int, state: int, first: int, choices: int, discards: int, work: WalkBuffers) -> None:
    """The value of the best legal card of a set, for each discard."""
    has_value = False
    for choice in range(choices):
        if work.legal[choice]:
            for discard in range(discards):
                value = work.card_values[depth, first + choice * discards + discard]
                best = work.values[depth, state + discard]
                work.values[depth, state + discard] = max(value, best) if has_value else value
            has_value = True


@fast_kernel
def _keep_values(
    depth: int, entry: int, number: int, first: int, choices: int, discards: int, play: PlayArrays, work: WalkBuffers
) -> None:
    """Write the values of the legal cards of a set in the place of their regrets, from an entry on."""
    for choice in range(choices):
        if work.legal[choice]:
            for row in range(work.rows[depth]):
                discard = work.unseen[depth, row] if discards > 1 else 0
                play.regrets[entry + row] = work.card_values[depth, first + choice * discards + discard]
            entry += work.step[depth, number]
