"""A responder who knows a player's whole strategy and looks ahead over beliefs: local best response.

After Lisý and Bowling (2017), *Equilibrium approximation quality of current no-limit poker bots*. The responder sees
what anybody in that seat sees. For each decision the responder lists hands that the player can hold — those with which
the player would have called, discarded and played as seen — and values each action as if the responder went on by a
fixed default and the player by the known strategy, to the end of the hand. Looking ahead with a default misses some of
what a best response would win; since the responder is a strategy like any other, what it does win is a lower bound of
it. With two cards left and every hand listed nothing is missed: the last trick is forced.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.bits import deposit_bits, lowest_bit, lowest_index, next_subset, popcount
from towerlab.games.cards import DECK_24, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import LARGEST_HAND
from towerlab.sim.choices import random_subset
from towerlab.sim.towers_and_bowers.hand import (
    BIDDER,
    DEALER,
    DISCARD,
    HELD,
    NONDEALER,
    POOL,
    POSITION_SIZE,
    SIZE,
    SURE,
    TRUMP,
    UP,
    by_seat,
    choose_card,
    finish,
    lay_out,
    payoff_of,
    put_card,
    state_at,
    turn,
)
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, PASS, BidPlan, Model, Rules
from towerlab.sim.towers_and_bowers.perfect_information import binomial, distinct_plays
from towerlab.sim.towers_and_bowers.players import PIMC, follows_habits, plan_bids
from towerlab.solver.two_hands.tablebase import leader_tricks

MARGIN: Final = 0.001  # a decision other than the default's has to seem better by so much: fewer coins are tossed
FEWEST: Final = 16  # hands of a sample below which the default is trusted
_COMPARED: Final = 2  # discards that are played out: the best ones with open cards


class Effort(NamedTuple):
    """How hard the responder thinks.

    Attributes:
        layouts: hands to bid over; all of them where there are no more.
        played: of these, how many are played out; the others correct the mean by their value with open cards.
        tries: hands to look through before a card; all of them where there are no more.
        beliefs: of a sample, how many that fit are enough.
    """

    layouts: int
    played: int
    tries: int
    beliefs: int


class Responder(NamedTuple):
    """Where the responder sits and whom it meets.

    Attributes:
        own: printed mask of the responder's dealt cards.
        up: the up-card (id).
        seat: `NONDEALER` or `DEALER`.
        player: number of the player who is answered, `RANDOM` …
        default: number of the player as whom the responder goes on.
        effort: how many hands are looked at.
        rules: as the game is played.
        payoffs: float64[2, 8], P(the responder wins the tower) by being the bidder or not, and tricks taken.
        is_pure: whether the player tosses no coins; of who does, a list of all hands would not tell how likely each is.
    """

    own: int
    up: int
    seat: int
    player: int
    default: int
    effort: Effort
    rules: Rules
    payoffs: Any
    is_pure: bool


class PlannedHands(NamedTuple):
    """Hands of the player with the bids planned for each.

    Attributes:
        hands: int64[layouts], printed masks.
        plans: int64[layouts, 4], the fields of each `BidPlan`.
    """

    hands: Any
    plans: Any


@kernel
def default_of(player: int) -> int:
    """As whom a responder goes on: as the player does, or as `pimc` where the player follows habits."""
    return PIMC if follows_habits(player) else player


# ------------------------------------------------------------------------------------------------------ the beliefs


@kernel
def draw_layouts(who: Responder, layouts: PlannedHands, may_list: bool, model: Model, random: Any) -> int:
    """Fill in hands dealt to the player and the plans for them, drawn alike, or all of them where allowed and they fit.

    Returns:
        How many were filled in.
    """
    n, cards = popcount(who.own), DECK_24 & ~who.own & ~(1 << who.up)
    room = layouts.hands.shape[0]
    ways = binomial(popcount(cards), n)
    lists_all = may_list and ways <= room
    places, count = (1 << n) - 1, ways if lists_all else room
    for row in range(count):
        layouts.hands[row] = deposit_bits(places, cards) if lists_all else random_subset(cards, n, random)
        if lists_all:
            places = next_subset(places)
        plan = plan_bids(who.player, layouts.hands[row], who.up, who.seat == NONDEALER, who.rules, model, random)
        layouts.plans[row, 0], layouts.plans[row, 1] = plan.accepts, plan.names
        layouts.plans[row, 2], layouts.plans[row, 3] = plan.discard, plan.discard_for_other
    return count


@kernel
def list_beliefs(
    who: Responder, view: Any, line: Any, cards: int, model: Model, random: Any, beliefs: Any
) -> tuple[int, bool]:
    """List positions that are as the responder sees them, with hands of the player that would have been played so.

    Args:
        who: the responder.
        view: int64[POSITION_SIZE], the responder's position, of which no card of the other's is read.
        line: int64[..], the cards played so far, play order.
        cards: how many these are.
        model, random: as elsewhere.
        beliefs: int64[tries, POSITION_SIZE], filled.

    Returns:
        How many were found, 0 if there are fewer than `FEWEST` of a sample; whether they are all that there are.
    """
    shown = _shown_cards(who, view, line, cards)
    pool = DECK_24 & ~who.own & ~(1 << who.up) & ~shown
    hidden = popcount(who.own) - popcount(shown)
    ways = binomial(popcount(pool), hidden)
    lists_all = ways <= who.effort.tries and who.is_pure
    places, found = (1 << hidden) - 1, 0
    for _ in range(ways if lists_all else who.effort.tries):
        dealt = shown | (deposit_bits(places, pool) if lists_all else random_subset(pool, hidden, random))
        if lists_all and places:
            places = next_subset(places)
        if _could_be(who, view, line, cards, dealt, model, random, beliefs[found]):
            found += 1
            if not lists_all and found == who.effort.beliefs:
                break
    return found if lists_all or found >= FEWEST else 0, lists_all


@kernel
def _shown_cards(who: Responder, view: Any, line: Any, cards: int) -> int:
    """Printed mask of the cards that the player has played, without the up-card."""
    played = 0
    for place in range(cards):
        played |= to_printed(line[place], view[TRUMP], True)
    return int(played & ~who.own & ~(1 << who.up))


@kernel
def _could_be(who: Responder, view: Any, line: Any, cards: int, dealt: int, model: Model, random: Any, at: Any) -> bool:
    """Whether the player, dealt these cards, would have done what was seen; `at` is then the position."""
    seat, other, up = who.seat, 1 - who.seat, view[UP]
    bidder, trump = view[BIDDER], view[TRUMP]
    # Before the player is asked anything: all cards left but one, at least, must be possible for that hand.
    left = to_play_order(dealt, trump, True) & ~(view[SURE + seat] | view[POOL + seat])
    for place in range(cards):
        left &= ~line[place]
    if popcount(left) > int(seat == NONDEALER and trump == up // 13):
        return False
    plan = plan_bids(who.player, dealt, up, other == DEALER, who.rules, model, random)
    accepts = bidder == seat and trump == up // 13
    names = trump if bidder == seat and not accepts else PASS
    contract = contract_between(who, bidding(accepts, names, view[DISCARD]), plan)
    if contract[0] != bidder or contract[1] != trump:
        return False
    lay_out(by_seat(seat, who.own, dealt), up, *contract, who.rules.allow_discard_upcard, at)
    for place in range(cards):
        card = line[place]
        if turn(at) == other and (at[HELD + other] & card == 0 or choose_card(who.player, at, model, random) != card):
            return False
        put_card(at, card)
    return True


# --------------------------------------------------------------------------------------------------------- the play


@kernel
def respond(
    who: Responder, view: Any, line: Any, cards: int, model: Model, random: Any, beliefs: Any
) -> tuple[int, float]:
    """Return the card (play order) of the responder, and its gain over the usual one; arguments as for `list_beliefs`.

    The gain is the difference of the cards' values if the responder goes on by the default, over hands that are as
    likely as what it sees makes them: all that fit, or the half of a sample that had no say in the choice.
    """
    plays = distinct_plays(state_at(view, who.seat))
    if popcount(plays) == 1:
        return plays, 0.0
    usual = choose_card(who.default, view, model, random)
    found, lists_all = list_beliefs(who, view, line, cards, model, random, beliefs)
    if found == 0:
        return usual, 0.0
    deciding = beliefs[:found] if lists_all else beliefs[: found // 2]
    payoffs, usual_payoffs = np.empty(deciding.shape[0]), np.empty(deciding.shape[0])
    payoffs_after(who, usual, deciding, model, random, usual_payoffs)
    best, most, gain = usual, 0.0, 0.0
    plays &= ~usual
    while plays:
        card = lowest_bit(plays)
        plays ^= card
        payoffs_after(who, card, deciding, model, random, payoffs)
        payoffs -= usual_payoffs
        lead = payoffs.mean()
        doubt = 0.0 if lists_all else payoffs.std() / np.sqrt(payoffs.shape[0])
        if lead - doubt > max(most, MARGIN):
            best, most, gain = card, lead - doubt, lead
    if best == usual or lists_all:
        return best, gain
    judging = beliefs[found // 2 : found]
    payoffs, usual_payoffs = np.empty(judging.shape[0]), np.empty(judging.shape[0])
    payoffs_after(who, best, judging, model, random, payoffs)
    payoffs_after(who, usual, judging, model, random, usual_payoffs)
    return best, float(payoffs.mean() - usual_payoffs.mean())


@kernel
def payoffs_after(who: Responder, card: int, positions: Any, model: Model, random: Any, payoffs: Any) -> None:
    """Fill in the value of a card of the responder's in each of some positions, going on by the default.

    Args:
        who, model, random: as elsewhere.
        card: in play order.
        positions: int64[positions, POSITION_SIZE].
        payoffs: float64[positions], filled: P(the responder wins the tower).
    """
    players, at = by_seat(who.seat, who.default, who.player), np.empty(POSITION_SIZE, dtype=np.int64)
    for row in range(positions.shape[0]):
        at[:] = positions[row]
        put_card(at, card)
        finish(players, at, model, random)
        payoffs[row] = payoff_of(at, who.seat, who.payoffs)


@kernel
def play_response(
    who: Responder, other: int, contract: tuple[int, int, int], model: Model, random: Any, beliefs: Any
) -> tuple[float, float]:
    """Return the responder's payoff of playing a contract, and the gain of the responder's cards on the way.

    Args:
        who, model, random, beliefs: as for `list_beliefs`.
        other: the player's dealt cards, a printed mask.
        contract: bidder, trump and discard.

    Returns:
        P(the responder wins the tower), and what the cards have gained over the usual ones (`respond`).
    """
    at, view, gained = np.empty(POSITION_SIZE, dtype=np.int64), np.empty(POSITION_SIZE, dtype=np.int64), 0.0
    line, cards = np.zeros(2 * LARGEST_HAND, dtype=np.int64), 0
    hands = by_seat(who.seat, who.own, other)
    lay_out(hands, who.up, contract[0], contract[1], contract[2], who.rules.allow_discard_upcard, at)
    while at[HELD] | at[HELD + 1]:
        if turn(at) != who.seat:
            card = choose_card(who.player, at, model, random)
        else:
            see(at, who.seat, view)
            card, gain = respond(who, view, line, cards, model, random, beliefs)
            gained += gain
        line[cards] = card
        cards += 1
        put_card(at, card)
    return payoff_of(at, who.seat, who.payoffs), gained


@kernel
def see(at: Any, seat: int, view: Any) -> None:
    """Write into `view` what a seat sees of a position; both int64[POSITION_SIZE]."""
    view[:] = at
    view[HELD + 1 - seat] = view[SURE + 1 - seat] = view[POOL + 1 - seat] = 0
    if seat == NONDEALER:
        view[DISCARD] = NO_CARD


# ----------------------------------------------------------------------------------------------------- the bidding


@kernel
def estimate(
    who: Responder, layouts: PlannedHands, wanted: Any, answers: BidPlan, played: int, model: Model, random: Any
) -> float:
    """Return the mean value of bidding so over those layouts that are wanted, cards open, corrected by some played out.

    Args:
        who, layouts, model, random: as elsewhere.
        wanted: int64[..], numbers of layouts, not empty.
        answers: how the responder bids.
        played: how many of the layouts, the first ones, are played out.
    """
    at = np.empty(POSITION_SIZE, dtype=np.int64)
    players = by_seat(who.seat, who.default, who.player)
    seen, correction, tries = 0.0, 0.0, min(played, wanted.shape[0])
    for place in range(wanted.shape[0]):
        row = wanted[place]
        contract = contract_between(who, answers, layouts.plans[row])
        hands = by_seat(who.seat, who.own, layouts.hands[row])
        lay_out(hands, who.up, *contract, who.rules.allow_discard_upcard, at)
        first = leader_tricks(model.tables, at[HELD], at[HELD + 1])
        tricks = first if who.seat == NONDEALER else at[SIZE] - first
        value = who.payoffs[int(contract[0] == who.seat), tricks]
        seen += value
        if place < tries:
            finish(players, at, model, random)
            correction += payoff_of(at, who.seat, who.payoffs) - value
    return float(seen / wanted.shape[0] + (correction / tries if tries else 0.0))


@kernel
def _best_discard(
    who: Responder, layouts: PlannedHands, wanted: Any, accepts: bool, usual: int, model: Model, random: Any
) -> tuple[int, float]:
    """The discard of a responder who deals and accepts, or not, and its value; without layouts the usual one."""
    if wanted.shape[0] == 0:
        return usual, 0.0
    n = popcount(who.own)
    open_payoffs, cards, left = np.empty(n), np.empty(n, dtype=np.int64), who.own
    for place in range(n):
        cards[place] = lowest_index(left)
        left &= left - 1
        answers = bidding(accepts, PASS, cards[place])
        open_payoffs[place] = estimate(who, layouts, wanted, answers, 0, model, random)
        open_payoffs[place] += MARGIN if cards[place] == usual else 0.0
    best, most = usual, -1.0
    for _ in range(min(n, _COMPARED)):
        place = int(np.argmax(open_payoffs))
        open_payoffs[place] = -1.0
        answers = bidding(accepts, PASS, cards[place])
        value = estimate(who, layouts, wanted, answers, who.effort.played, model, random)
        value += MARGIN if cards[place] == usual else 0.0
        if value > most:
            best, most = cards[place], value
    return best, most


@kernel
def _best_suit(
    who: Responder, layouts: PlannedHands, wanted: Any, usual: int, model: Model, random: Any
) -> tuple[int, float]:
    """The responder's second call and its value; only the non-dealer may pass."""
    if wanted.shape[0] == 0:
        return usual, 0.0
    best, most = usual, -1.0
    for suit in range(PASS, 4):
        if suit == who.up // 13 or (suit == PASS and who.seat == DEALER):
            continue
        answers = bidding(False, suit, NO_CARD)
        value = estimate(who, layouts, wanted, answers, who.effort.played, model, random)
        value += MARGIN if suit == usual else 0.0
        if value > most:
            best, most = suit, value
    return best, most


@kernel
def answer_bids(
    who: Responder, layouts: PlannedHands, count: int, usual: BidPlan, model: Model, random: Any
) -> BidPlan:
    """Return how the responder bids, from hands of the player and the bids planned with them.

    Args:
        who: the responder.
        layouts, count: of `draw_layouts`.
        usual: how the default would bid.
        model, random: as elsewhere.
    """
    taken, silent = layouts.plans[:count, 0] != 0, layouts.plans[:count, 1] == PASS  # the up-card; in the second round
    accepted, refused = np.flatnonzero(taken), np.flatnonzero(~taken)
    shared, opened = (model, random), (who.effort.played, model, random)
    if who.seat == NONDEALER:
        accepts = estimate(who, layouts, np.arange(count), bidding(True, PASS, NO_CARD), *opened)
        names, later = _best_suit(who, layouts, refused, usual.names, *shared)
        passes = later * refused.shape[0]
        if accepted.shape[0]:
            passes += estimate(who, layouts, accepted, bidding(False, PASS, NO_CARD), *opened) * accepted.shape[0]
        passes /= count
        discard = for_other = NO_CARD
    else:
        for_other, _ = _best_discard(who, layouts, accepted, False, usual.discard_for_other, *shared)
        discard, accepts = _best_discard(who, layouts, refused, True, usual.discard, *shared)
        left, named = np.flatnonzero(~taken & silent), np.flatnonzero(~taken & ~silent)
        names, later = _best_suit(who, layouts, left, usual.names, *shared)
        passes = later * left.shape[0]
        if named.shape[0]:
            passes += estimate(who, layouts, named, bidding(False, PASS, NO_CARD), *opened) * named.shape[0]
        passes /= max(refused.shape[0], 1)
    lead = accepts - passes + (MARGIN if usual.accepts else -MARGIN)
    return BidPlan(lead > 0.0, names, discard, for_other)


@kernel
def bidding(accepts: bool, names: int, discard: int) -> BidPlan:
    """A plan with one discard, whoever accepts."""
    return BidPlan(accepts, names, discard, discard)


@kernel
def contract_between(who: Responder, answers: BidPlan, plan: Any) -> tuple[int, int, int]:
    """Return bidder, trump and discard when the responder bids so and the player by a row of `PlannedHands.plans`."""
    theirs = BidPlan(plan[0] != 0, int(plan[1]), int(plan[2]), int(plan[3]))
    nondealers, dealers = (answers, theirs) if who.seat == NONDEALER else (theirs, answers)
    if nondealers.accepts:
        return NONDEALER, who.up // 13, dealers.discard_for_other
    if dealers.accepts:
        return DEALER, who.up // 13, dealers.discard
    return (NONDEALER, nondealers.names, NO_CARD) if nondealers.names != PASS else (DEALER, dealers.names, NO_CARD)


# -------------------------------------------------------------------------------------------------------- measuring


@kernel
def measure_hand(
    who: Responder,
    layouts: PlannedHands,
    fresh: PlannedHands,
    responses: int,
    model: Model,
    random: Any,
    beliefs: Any,
    found: Any,
) -> None:
    """Fill in what the responder gains with one hand over the player in the same place.

    The hands met are drawn after the decision.

    Args:
        who: the responder.
        layouts, fresh: workspace: hands to bid over, and those met.
        responses: against how many of the latter the play is responded to as well.
        model, random, beliefs: as elsewhere.
        found: float64[3], filled: what the calls and discards gain over the player's own, playing on by default; what
            the play gains more, as `respond` judges it, and as it came out.
    """
    usual = plan_bids(who.default, who.own, who.up, who.seat == DEALER, who.rules, model, random)
    theirs = plan_bids(who.player, who.own, who.up, who.seat == DEALER, who.rules, model, random)
    count = draw_layouts(who, layouts, True, model, random)
    answers = answer_bids(who, layouts, count, usual, model, random)
    at, found[:] = np.empty(POSITION_SIZE, dtype=np.int64), 0.0
    met = draw_layouts(who, fresh, False, model, random)
    for row in range(met):
        other = fresh.hands[row]
        hands = by_seat(who.seat, who.own, other)
        own_contract = contract_between(who, theirs, fresh.plans[row])
        contract = contract_between(who, answers, fresh.plans[row])
        bid = 0.0
        if row < responses or contract != own_contract or who.default != who.player:
            lay_out(hands, who.up, *contract, who.rules.allow_discard_upcard, at)
            finish(by_seat(who.seat, who.default, who.player), at, model, random)
            bid = payoff_of(at, who.seat, who.payoffs)
        if contract != own_contract or who.default != who.player:  # else both are the same
            lay_out(hands, who.up, *own_contract, who.rules.allow_discard_upcard, at)
            finish((who.player, who.player), at, model, random)
            found[0] += (bid - payoff_of(at, who.seat, who.payoffs)) / met
        if row < responses:
            played, gained = play_response(who, other, contract, model, random, beliefs)
            found[1] += gained / responses
            found[2] += (played - bid) / responses
