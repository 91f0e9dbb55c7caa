"""Three cards of Towers & Bowers by a second program, written from the rule sheet alone.

Nothing of ``games`` or ``solver`` is used. Given what both players call, discard and play, `Hand.values` walks every
pair of hands card by card and finds what each call of each hand wins with the best replies. `solve_calls` learns calls,
discards and play by regret matching. Cards are 0..23, suit by suit (clubs, diamonds, hearts, spades), 9 T J Q K A in
each; the up-card is a spade.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np

JACK = 2
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NOBODY = 24  # in place of the card led: one leads oneself
CONTRACTS = ("accept", "answer", "name_C", "name_D", "name_H", "left_C", "left_D", "left_H")
TRUMPS = (SPADES, SPADES, CLUBS, DIAMONDS, HEARTS, CLUBS, DIAMONDS, HEARTS)
MIRRORED = np.array([card + {DIAMONDS: 6, HEARTS: -6}.get(card // 6, 0) for card in range(24)])
Array = np.ndarray[Any, Any]


class States(NamedTuple):
    """Both seats in a contract, the non-dealer's hands first: a row for each hand, of the dealer hand and discard.

    Attributes:
        cards: int64[S, 3], what is played.
        dealt: int64[S], the cards that the other cannot hold then, as a mask.
        weight: float64[S], how likely calls and discard are with them.
        first: float64[S, 25, 3], P(each card) to the first trick, by the card led.
        second: float32[S, 3, 24, 25], P(the lower of two left) to the second, by the place of the own card and the
            other's card in the first and the card led.
    """

    cards: Array
    dealt: Array
    weight: Array
    first: Array
    second: Array


@numba.njit
def follows(card: int, beside: int, third: int, led: int, suits: Array) -> bool:
    """Whether a card held beside two others (or twice one) may be played to one led."""
    return bool(suits[card] == suits[led] or (suits[beside] != suits[led] and suits[third] != suits[led]))


@numba.njit
def reaching(
    cards: Array, reach: Array, start: int, end: int, card: int, led: int, suits: Array, played: bool
) -> list[tuple[int, int, int, int, float]]:
    """Rows from start to end that may play a card to one led (or that do): row, place, cards left, how likely it is."""
    rows = []
    for row in range(start, end):
        for own in range(3):
            if cards[row, own] == card and (reach[own, row] > 0 or not played):
                left = cards[row, int(own == 0)], cards[row, 2 - int(own == 2)]
                if led == NOBODY or follows(card, left[0], left[1], led, suits):
                    rows.append((row, own, left[0], left[1], reach[own, row]))
    return rows


@numba.njit
def walk(states: States, dealers: int, seats: int, suits: Array, beaten: Array, pay: Array) -> tuple[Array, Array]:
    """What each card wins, weighed by how likely the other's calls and cards lead there.

    Args:
        states: of both; the dealer's from row `dealers` on.
        seats: 0 for what the non-dealer's cards win alone, 1 for the dealer's, 2 for both.
        suits: of each card the suit it belongs to, the left bower to trumps.
        beaten: int64[24, 24], 1 where a card led loses to a reply.
        pay: float64[4], P(the non-dealer wins the tower) by tricks of that player.

    Returns:
        float64[S, 25, 3] to the first trick, and float32[S, 3, 24, 25] how much more the lower card wins to the second.
    """
    cards, dealt, weight, first, second = states
    worth = np.zeros(first.shape)
    better = np.zeros(second.shape, np.float32)
    for led, met in np.ndindex(24, 24):
        lost = beaten[led, met]  # then the dealer leads to the second trick
        wins = 1 - pay[2::-1] if lost else pay[1:]  # of the leader to it, by tricks of the last two
        ones = reaching(cards, weight * first[:, NOBODY].T, 0, dealers, led, NOBODY, suits, seats == 1)
        twos = reaching(cards, weight * first[:, led].T, dealers, len(cards), met, led, suits, seats == 0)
        leaders, followers = (twos, ones) if lost else (ones, twos)
        leader_met, follower_met = (led, NOBODY) if lost else (NOBODY, led)
        theirs, replied = (led, met) if lost else (met, led)
        for leader, own, lower, higher, to_follower in leaders:
            share = np.float64(second[leader, own, theirs, NOBODY])
            for lead, last, often, sign in ((lower, higher, share, 1.0), (higher, lower, 1 - share, -1.0)):
                if often == 0 and seats == 1 - lost:
                    continue  # the follower alone is asked
                for follower, place, low, high, to_leader in followers:
                    if dealt[leader] & dealt[follower]:
                        continue
                    if_low = wins[beaten[high, last] if beaten[lead, low] else 2 - beaten[last, high]]
                    if_high = wins[beaten[low, last] if beaten[lead, high] else 2 - beaten[last, low]]
                    may = follows(low, high, high, lead, suits)
                    chance = np.float32(may)
                    if may and follows(high, low, low, lead, suits):
                        chance = second[follower, place, replied, lead]
                        better[follower, place, replied, lead] += to_follower * often * (if_high - if_low)
                    won = chance * if_low + (1 - chance) * if_high
                    better[leader, own, theirs, NOBODY] += sign * to_leader * won
                    worth[leader, leader_met, own] += to_leader * often * won
                    worth[follower, follower_met, place] += to_follower * often * (1 - won)
    return worth, better


@numba.njit
def learn(
    states: States,
    dealers: int,
    found: tuple[Array, Array],
    memory: Any,
    step: int,
    suits: Array,
    rows: Any,
    often: Array,
) -> None:
    """One step of one seat: sum what was played, add regrets above zero, match them with the last ones counted twice.

    Args:
        states, dealers, suits: of `walk`; the strategies are replaced.
        found: what `walk` has returned.
        memory: regrets of the first card and of both second ones, summed strategies of either; added to.
        step: 1, 2, …
        rows: the seat's.
        often: float64[S], how far the own calls lead here in this step.
    """
    cards, _, _, first, second = states
    worth, better = found
    regrets, lower, higher, sums, second_sums = memory
    hopes = np.zeros(3)
    for row in rows:
        weight = float(step) ** 2 * often[row]
        for own in range(3):
            for met in range(24):
                played = weight * first[row, NOBODY if row < dealers else met, own]
                for led in range(25):
                    share = second[row, own, met, led]
                    gap = better[row, own, met, led]
                    second_sums[row, own, met, led] += played * share
                    low = max(lower[row, own, met, led] + (1 - share) * gap, 0.0)
                    high = max(higher[row, own, met, led] - share * gap, 0.0)
                    lower[row, own, met, led] = low
                    higher[row, own, met, led] = high
                    low, high = max(low + (1 - share) * gap, 0.0), max(high - share * gap, 0.0)
                    second[row, own, met, led] = low / (low + high) if low + high > 0 else 0.5
        for led in range(25):
            mean = (first[row, led] * worth[row, led]).sum()
            free = 0
            for own in range(3):
                sums[row, led, own] += weight * first[row, led, own]
                beside = cards[row, (own + 1) % 3]
                third = cards[row, (own + 2) % 3]
                hopes[own] = -1.0  # of a card that may not be played
                if led == NOBODY or follows(cards[row, own], beside, third, led, suits):
                    more = worth[row, led, own] - mean
                    regrets[row, led, own] = max(regrets[row, led, own] + more, 0.0)
                    hopes[own], free = max(regrets[row, led, own] + more, 0.0), free + 1
            total = np.maximum(hopes, 0.0).sum()
            for own in range(3):
                even = 1.0 if hopes[own] >= 0 else 0.0
                first[row, led, own] = max(hopes[own], 0.0) / total if total > 0 else even / free


class Contract:
    """The play of one contract, learnt step by step.

    Args:
        states: of both.
        dealers: the first row of the dealer's.
        trump: the suit.
        pay: of `walk`.
    """

    def __init__(self, states: States, dealers: int, trump: int, pay: Array) -> None:
        suits = np.arange(24) // 6
        ranks = np.arange(24) % 6
        suits[6 * (3 - trump) + JACK] = trump
        ranks[6 * (3 - trump) + JACK] = 6
        ranks[6 * trump + JACK] = 7
        higher = (suits == suits[:, None]) & (ranks > ranks[:, None])
        beaten = (higher | ((suits == trump) & (suits[:, None] != trump))).astype(np.int64)
        shapes = (states.first, states.second, states.second, states.first, states.second)
        self.states = states
        self.dealers = dealers
        self._rules = (suits, beaten, pay)
        self._memory = tuple(np.zeros_like(array) for array in shapes)
        self._found = (np.zeros_like(states.first), np.zeros_like(states.second))
        self._seats = np.arange(dealers), np.arange(dealers, len(states.cards))
        for seat in range(2):  # step 0 makes even what may be played
            self.learn(0, seat, np.ones(len(states.cards)))

    def walk(self, states: States | None = None, seats: int = 2) -> tuple[Array, Array]:
        """`walk` of the strategies in hand, or of others."""
        return walk(states or self.states, self.dealers, seats, *self._rules)

    def won(self, seat: int) -> Array:
        """float64[S]: what each hand of a seat wins by the strategies in hand, after which `learn` goes on from it."""
        self._found = self.walk(seats=seat)
        return (self.states.first * self._found[0]).sum((1, 2))

    def learn(self, step: int, seat: int, often: Array) -> None:
        """One step of one seat from what `won` has walked; the arguments are those of `learn`."""
        rows = self._seats[seat]
        learn(self.states, self.dealers, self._found, self._memory, step, self._rules[0], rows, often)

    def take_means(self) -> None:
        """Play by the mean strategies from here on."""
        states = self.states
        sums, second_sums = self._memory[3:]
        leads = np.arange(len(sums)) < self.dealers
        led = sums[:, NOBODY, :, None]
        replied = sums[:, :NOBODY].transpose(0, 2, 1)
        played = np.where(leads[:, None, None], led, replied)[..., None]
        means = (states.first, sums, sums.sum(2, keepdims=True)), (states.second, second_sums, played)
        for mean, summed, total in means:
            mean[:] = np.divide(summed, total, out=np.full(mean.shape, 0.5), where=total > 0)

    def best(self) -> Array:
        """float64[S]: what best replies win against the other's strategy in hand.

        CardResults by how likely the other's calls lead here, and summed over the hands that the other can hold.
        """
        states = self.states
        leads = np.arange(len(states.cards)) < self.dealers
        better = self.walk()[1]
        won = np.zeros(len(leads))
        for seat, rows in enumerate((leads, ~leads)):
            replies = states._replace(second=np.where(rows[:, None, None, None], better > 0, states.second))
            won[rows] = self.walk(replies, seat)[0].max(2).sum(1)[rows]
        return won


def meets(ours: Array, theirs: Array) -> Array:
    """float64[ours, theirs]: 1 where two sets of cards have none in common."""
    return ((ours[:, None] & theirs) == 0).astype(np.float64)


class Calls(NamedTuple):
    """What both call and discard with each of H hands, from the lowest card; rows add up to 1 but for the two chances.

    Attributes:
        hands: int64[H, 3], cards dealt.
        accept, answer: float64[H], P(the non-dealer, the dealer accepts).
        names, left: float64[H, 4] and [H, 3], the second round: clubs, diamonds, hearts, pass.
        discards, own_discards: float64[H, 3], when the non-dealer, the dealer has accepted.
    """

    hands: Array
    accept: Array
    names: Array
    discards: Array
    answer: Array
    own_discards: Array
    left: Array


class Hand:
    """The contracts of a hand beside one up-card; diamonds are the mirror image of hearts.

    Args:
        up: the up-card, a spade.
        hands: int64[H, 3], cards dealt.
        next_deal: P(the dealer of two cards wins the tower).
    """

    def __init__(self, up: int, hands: Array, next_deal: float) -> None:
        dealt = (1 << hands).sum(1)
        count = len(hands)
        rows = {mask: row for row, mask in enumerate(dealt.tolist())}
        self.mirror = [rows[mask] for mask in (1 << MIRRORED[hands]).sum(1).tolist()]
        self.met = meets(dealt, dealt)
        discarded = np.repeat(hands[None], 3, 0)
        discarded[range(3), :, range(3)] = up
        pay = np.array([0, 1 - next_deal, next_deal, 1])  # of three tricks who takes two deals next, whoever has bid
        self.contracts = {}
        for name, trump in zip(CONTRACTS, TRUMPS, strict=True):
            if trump == DIAMONDS:
                continue
            played = discarded if trump == SPADES else hands[None]
            size = count * (1 + len(played))
            states = States(
                np.concatenate([hands, *played]),
                np.tile(dealt, 1 + len(played)),
                np.ones(size),
                np.zeros((size, 25, 3)),
                np.zeros((size, 3, 24, 25), np.float32),
            )
            self.contracts[name] = Contract(states, count, trump, pay)

    def reach(self, calls: Calls) -> dict[str, Array]:
        """float64[S] by contract: how far the own calls and discards lead there."""
        passes = 1 - calls.accept
        refuses = 1 - calls.answer
        ours, theirs = {"accept": calls.accept, "answer": passes}, {"accept": calls.discards}
        theirs["answer"] = calls.answer[:, None] * calls.own_discards
        for place, suit in enumerate("CDH"):
            ours |= {f"name_{suit}": passes * calls.names[:, place], f"left_{suit}": passes * calls.names[:, 3]}
            theirs |= {f"name_{suit}": refuses[:, None], f"left_{suit}": (refuses * calls.left[:, place])[:, None]}
        return {name: np.concatenate([ours[name], theirs[name].T.ravel()]) for name in self.contracts}

    def by_seat(self, won: dict[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
        """Of what is won in each contract the non-dealer's, float64[H], and the dealer's, of spades by the discard."""
        shaped = {name: wins.reshape(-1, len(self.mirror)) for name, wins in won.items()}
        shaped |= {f"{stem}_D": shaped[f"{stem}_H"][:, self.mirror] for stem in ("name", "left")}
        own = {name: wins[0] for name, wins in shaped.items()}
        return own, {name: wins[1:] if len(wins) > 2 else wins[1] for name, wins in shaped.items()}

    def values(self, calls: Calls, floor: float) -> tuple[dict[str, Array], float]:
        """What every call and discard wins, with best replies to the play in hand.

        Args:
            calls: of both, the same for hands that differ by diamonds and hearts changing places.
            floor: least probability of every call of a best reply.

        Returns:
            float64[H] by ``accept``, ``pass``, ``name_C`` …, ``name_pass``, ``discard_1`` …, ``answer``,
            ``answer_pass``, ``own_discard_1`` …, ``left_C`` …, each with the best calls after it; and what best replies
            of both gain in the whole hand.
        """
        won = {}
        for name, weight in self.reach(calls).items():
            self.contracts[name].states.weight[:] = weight
            won[name] = self.contracts[name].best()
        own, dealers = self.by_seat(won)
        met = self.met
        passes = 1 - calls.accept
        refuses = 1 - calls.answer
        every = met.sum(1)
        comes = met @ refuses
        passed = met @ passes
        left_to = met @ (passes * calls.names[:, 3])
        second = [*(own[name] for name in NAMED), sum(own[name] for name in LEFT)]
        last = [dealers[name] for name in LEFT]
        named = sum(dealers[name] for name in NAMED)
        takes = dealers["answer"].max(0)
        given = dealers["accept"].max(0)
        found = dict(zip([*NAMED, "name_pass"], second / comes, strict=True))
        found |= {name: wins / left_to for name, wins in zip(LEFT, last, strict=True)}
        found |= {"accept": own["accept"] / every, "pass": (own["answer"] + np.max(second, 0)) / every}
        found |= {"answer": takes / passed, "answer_pass": (named + np.max(last, 0)) / passed}
        for place in range(3):
            found[f"discard_{place + 1}"] = dealers["accept"][place] / (met @ calls.accept)
            found[f"own_discard_{place + 1}"] = dealers["answer"][place] / passed

        def best(*wins: Array) -> Array:
            return (1 - len(wins) * floor) * np.max(wins, 0) + floor * np.sum(wins, 0)

        both = best(own["accept"], own["answer"] + best(*second)) + given + best(takes, named + best(*last))
        return found, float(both.sum() / every.sum()) - 1


NAMED, LEFT = ([f"{stem}_{suit}" for suit in "CDH"] for stem in ("name", "left"))


class Decision:
    """A call or discard of every hand, learnt as cards are: the last regrets count twice, none is below zero."""

    def __init__(self, hands: int, choices: int, floor: float) -> None:
        self._regrets = np.zeros((hands, choices))
        self._sums = np.zeros((hands, choices))
        self._floor = floor
        self.now = np.full((hands, choices), 1 / choices)

    def learn(self, step: int, won: list[Array], comes: float, often: Array | float) -> Array:
        """Go on by what each choice wins where it comes so often; returns what the mix in hand has won."""
        wins = np.stack(won, axis=1)
        value: Array = (self.now * wins).sum(1)
        self._sums += step**2 * np.reshape(often, (-1, 1)) * self.now
        more = (wins - value[:, None]) / comes
        self._regrets = np.maximum(self._regrets + more, 0)
        hopes = np.maximum(self._regrets + more, 0)
        total = hopes.sum(1, keepdims=True)
        choices = wins.shape[1]
        shares = np.where(total > 0, hopes / np.where(total > 0, total, 1), 1 / choices)
        self.now = self._floor + (1 - choices * self._floor) * shares
        return value

    def mean(self) -> Array:
        """The mean mix."""
        return self._sums / self._sums.sum(1, keepdims=True)


def solve_calls(up: int, hands: Array, next_deal: float, floor: float, steps: int) -> tuple[Calls, float]:
    """Learn calls, discards and play of all contracts together, no call rarer than a floor.

    Args:
        up, hands, next_deal: of `Hand`.
        floor: least probability of every call.
        steps: how many; the second half counts.

    Returns:
        What is called on the mean, and what best replies gain against it and the mean play.
    """
    hand = Hand(up, hands, next_deal)
    count = len(hands)
    first, answer = (Decision(count, 2, floor) for _ in range(2))
    names = Decision(count, 4, floor)
    left = Decision(count, 3, floor)
    discards, own_discards = (Decision(count, 3, 0.0) for _ in range(2))

    def calls_of(mix: Callable[[Decision], Array]) -> Calls:
        accepts = mix(first)[:, 0]
        answers = mix(answer)[:, 0]
        return Calls(hands, accepts, mix(names), mix(discards), answers, mix(own_discards), mix(left))

    for number, seat in itertools.product(range(1, steps + 1), range(2)):
        step = max(number - steps // 2, 0)  # calls of the first half, most of them gone later, are in no mean
        here = calls_of(lambda decision: decision.now)
        won = {}
        for name, reach in hand.reach(here).items():
            contract = hand.contracts[name]
            means = reach[:count].mean(), reach[count:].mean()
            scale = np.repeat(means, [count, len(reach) - count])
            contract.states.weight[:] = reach / scale  # as if it always came there: floors would be learnt too slowly
            won[name] = contract.won(seat) * np.repeat(means[::-1], [count, len(reach) - count])
            contract.learn(step, seat, reach)
        own, dealers = hand.by_seat(won)
        passes = 1 - here.accept
        refuses = 1 - here.answer
        if seat == 0:
            later = sum(own[name] for name in LEFT)
            second = names.learn(step, [*(own[name] for name in NAMED), later], refuses.mean(), passes)
            first.learn(step, [own["accept"], own["answer"] + second], 1.0, 1.0)
            continue
        thrice = (passes * here.names[:, 3]).mean()
        last = left.learn(step, [dealers[name] for name in LEFT], thrice, refuses)
        discards.learn(step, [*dealers["accept"]], here.accept.mean(), 1.0)
        takes = own_discards.learn(step, [*dealers["answer"]], passes.mean(), here.answer)
        answer.learn(step, [takes, sum(dealers[name] for name in NAMED) + last], passes.mean(), 1.0)
    for contract in hand.contracts.values():
        contract.take_means()
    means = calls_of(Decision.mean)
    return means, hand.values(means, floor)[1]
