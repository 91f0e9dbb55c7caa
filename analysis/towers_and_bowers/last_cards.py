"""How are the last three cards of a hand played while the hands are hidden?

The ending is solved for the *ranges* of both players: the probability of each hand that a player may hold, as the
opponent sees it.

- With three cards left (or at the first lead of a smaller hand), the range follows from the probability of the player's
  calls, discard and plays with each hand (`ranges.replay`). Under rules that are not solved, all legal cards before
  that count as equally likely.
- After that, the solved ending gives the probability of each card. A card that it plays less than once in `STRAY_ODDS`
  is a *stray*: it counts as equally likely with every hand, and the ending is solved anew for the ranges after it. So
  the ranges, the values and the gain of an answer belong together.
- In a position without its whole history, only voids and the cards that are gone count.

>>> from towerlab.games.cards import parse_card
>>> calls = Calls(cards=3, up=parse_card("QS"), trump=3, nondealer_bids=True)
>>> PlayedHistory(calls, True, (0.0, 0.3, 0.7, 1.0), (parse_card("AS"), parse_card("JS"))).seats  # 0 led, 1 took
[0, 1, 1]
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from towerlab.analysis.moves.answers import DIGITS, LEAST_SHARE, MoveAnswer
from towerlab.analysis.present import SUIT_NAMES
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.position import (
    by_former_names,
    cards_played,
    hands_by_former_names,
    rename_view,
    standard_names,
)
from towerlab.analysis.towers_and_bowers.ranges import (
    STRAY_ODDS,
    Calls,
    calls_likelihood,
    calls_of,
    contract_values,
    dealt_cards,
    replay,
)
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED, is_learned
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import (
    DECK_24,
    cards_mask,
    effective_suit,
    former_names,
    mask_cards,
    parse_card,
    rename_card,
    suit_of,
)
from towerlab.games.engine import require
from towerlab.games.towers_and_bowers import View
from towerlab.games.towers_and_bowers.rules import card_led_wins
from towerlab.solver.towers_and_bowers.ending_solver import PublicState, SolvedEnding, solve_consistently, solve_ending
from towerlab.solver.towers_and_bowers.whole_hand.arrays import DEALER, NONDEALER

HIDDEN_CARDS: Final = 3  # hands are solved with hidden cards from here on
_LEAST: Final = 1e-9  # the least probability of a possible hand, as a share of the likeliest one's
ITERATIONS: Final = 24  # for a first lead, twice
_MOST_ITERATIONS: Final = 100  # for other endings; nearly all stop earlier
_MOST_GAIN: Final = 2e-4  # a later state is solved anew if best responses gain more, in P(win the tower)
_ALONE: Final = threading.RLock()  # decisions of a hand share the arrays of its solution
_MOST_LOST: Final = 1e-3  # a card in a mix may lose no more, in P(win the tower)


class PlayedHistory(NamedTuple):
    """The public state of a hand in play.

    Attributes:
        calls: the bidding.
        weighs_bids: whether ranges depend on the calls, by the solution or the learned policy.
        payoffs: the non-dealer's P(win the tower) by the non-dealer's tricks of the whole hand.
        played: the cards played, in order.
    """

    calls: Calls
    weighs_bids: bool
    payoffs: tuple[float, ...]
    played: tuple[int, ...]

    @property
    def seats(self) -> list[int]:
        """The player of each card played, then the player whose turn it is."""
        leader = NONDEALER
        players = []
        for place, card in enumerate(self.played):
            if place % 2 == 0:
                players.append(leader)
                continue
            players.append(1 - leader)
            if not card_led_wins(1 << self.played[place - 1], 1 << card, self.calls.trump):
                leader = 1 - leader
        return [*players, leader if len(self.played) % 2 == 0 else 1 - leader]

    @property
    def first(self) -> int:
        """How many cards had been played when each player had three left; all so far, if that is still to come."""
        return min(2 * max(0, self.calls.cards - HIDDEN_CARDS), len(self.played))

    def cards_of(self, seat: int) -> int:
        """Return the printed mask of the cards that a seat has played."""
        return cards_mask(card for card, player in zip(self.played, self.seats, strict=False) if player == seat)

    @property
    def before(self) -> PlayedHistory:
        """The state one card earlier."""
        return self._replace(played=self.played[:-1])

    def after(self, card: int) -> PlayedHistory:
        """Return the state one card later."""
        return self._replace(played=(*self.played, card))

    def ending(self) -> PublicState:
        """Return the state in the solver's form."""
        whole = len(self.played) // 2 * 2
        calls = self.calls
        seats = self.seats
        gone = cards_mask(self.played[:whole])
        tricks = sum(winner == NONDEALER for winner in seats[2 : whole + 1 : 2])
        holds = calls.accepted and not gone >> calls.up & 1
        cards = calls.cards - whole // 2
        return PublicState(
            calls.trump,
            DECK_24 & ~(gone | 1 << calls.up),
            cards,
            seats[whole],
            self.payoffs[tricks : tricks + cards + 1],
            calls.accepted,
            calls.up if holds else None,
            self.played[-1] if len(self.played) > whole else None,
        )


@functools.lru_cache(maxsize=128)
def ranges_at(public: PlayedHistory) -> tuple[Floats, Floats]:
    """Return the range of each player, float64[states] of `PublicState.states`."""
    if len(public.played) > public.first:
        return _ranges_after(public.before, public.played[-1])
    ranges = []
    for seat in (NONDEALER, DEALER):
        hands, away = public.ending().states(seat).T
        held = hands | public.cards_of(seat)
        likely = np.where(held & public.cards_of(1 - seat) == 0, _uniform_replies(public, seat, held), 0.0)
        possible = likely > 0
        if _weighs_actions(public):
            both = [np.zeros_like(held[possible])] * 2
            both[seat] = held[possible]
            likely[possible] = replay(public.calls, public.played, seat, both, away[possible])[1]
        likely = np.where(possible, np.maximum(likely, _LEAST * max(likely.max(initial=0.0), _LEAST)), 0.0)
        ranges.append(likely / max(likely.sum(), 1e-300))
    return ranges[NONDEALER], ranges[DEALER]


def _weighs_actions(public: PlayedHistory) -> bool:
    """Return whether the solution or the learned policy weighs the actions before the last three cards."""
    is_bid = public.calls.cards > LARGEST_STORED or calls_likelihood(public.calls, False) is not None
    return public.weighs_bids and is_learned() and is_bid


def _ranges_after(public: PlayedHistory, card: int) -> tuple[Floats, Floats]:
    """Return the ranges after another card."""
    before = public.ending()
    later = public.after(card).ending()
    ranges = list(ranges_at(public))
    ranges[before.to_play] = ranges[before.to_play] * card_shares(public, card).shares
    ranges[1 - before.to_play] = np.where(
        before.states(1 - before.to_play)[:, 0] >> card & 1, 0.0, ranges[1 - before.to_play]
    )
    for seat in (NONDEALER, DEALER):
        played = card if seat == before.to_play else before.led
        gone = 1 << played if later.cards < before.cards and played is not None else 0
        weights = dict(zip(map(tuple, before.states(seat).tolist()), ranges[seat].tolist(), strict=True))
        likely = np.array([weights.get((hand | gone, away), 0.0) for hand, away in later.states(seat).tolist()])
        ranges[seat] = likely / max(likely.sum(), 1e-300)
    return ranges[NONDEALER], ranges[DEALER]


class CardShares(NamedTuple):
    """The probability of a card with each hand, and whether it is a stray.

    Attributes:
        shares: float64[states], the probabilities of the player to move; 0 only where the rules forbid the card.
        is_stray: whether the range plays the card less than once in `STRAY_ODDS`.
    """

    shares: Floats
    is_stray: bool


@functools.lru_cache(maxsize=16)
def card_shares(public: PlayedHistory, card: int) -> CardShares:
    """Return the probability that the solution plays a card, with each hand of the player to move."""
    ending = public.ending()
    ranges = ranges_at(public)[ending.to_play]
    states = ending.states(ending.to_play)
    shares, choices = np.zeros((2, len(states)))
    is_last_reply = ending.led is not None and ending.cards == 2  # decided by the solution of the state before the lead
    solved = solved_at(public.before if is_last_reply else public) if ending.cards > 1 else None
    for place in np.flatnonzero((states[:, 0] >> card & 1) * ranges):
        hand, away = states[place].tolist()
        mix = solved.mix(hand, away, () if ending.led is None else (ending.led,)) if solved else {card: 1.0}
        if card in mix:
            shares[place] = max(mix[card], _LEAST)
            choices[place] = len(mix)
    is_stray = bool(ranges @ shares < 1 / STRAY_ODDS)
    if is_stray:
        shares = np.where(choices > 0, (1 - 1 / STRAY_ODDS) * shares + 1 / STRAY_ODDS / np.maximum(choices, 1), 0.0)
    return CardShares(shares, is_stray)


def _uniform_replies(public: PlayedHistory, seat: int, held: Ints) -> Floats:
    """Return by hand the probability of a seat's replies before `PlayedHistory.first`, legal cards equally likely."""
    likely = np.ones(len(held))
    seats = public.seats
    suits = _suit_masks(public.calls.trump)
    for place in range(1, public.first, 2):
        card = public.played[place]
        led = public.played[place - 1]
        if seats[place] == seat:
            left = held & ~cards_mask(public.played[:place])
            suit = next(mask for mask in suits if mask >> led & 1)
            suited = np.bitwise_count(left & suit).astype(np.float64)
            follows = float(suit >> card & 1)
            likely *= np.where(suited > 0, follows / np.maximum(suited, 1), 1 / np.bitwise_count(left))
    return likely


@functools.cache
def _suit_masks(trump: int) -> tuple[int, ...]:
    """Return printed masks of the cards of each suit, the left bower with the trumps."""
    cards = mask_cards(DECK_24)
    return tuple(cards_mask(card for card in cards if effective_suit(card, trump, True) == suit) for suit in range(4))


def solve_public(public: PlayedHistory) -> SolvedEnding:
    """Return the solution of a public state for the ranges of `ranges_at`.

    It is the rest of the solution one card earlier, unless that card is a stray or best responses gain more than
    `_MOST_GAIN` from there on. Then the state is solved anew.
    """
    ending = public.ending()
    ranges = ranges_at(public)
    if len(public.played) > public.first:
        card = public.played[-1]
        if not card_shares(public.before, card).is_stray:
            possible = ranges[NONDEALER] > 0, ranges[DEALER] > 0
            rest = solved_at(public.before).after_card(ending, card, possible)
            if rest is not None and rest.gain <= _MOST_GAIN:
                return rest
    elif public.weighs_bids and public.calls.cards <= HIDDEN_CARDS:
        states = [(seat, *ending.states(seat).T) for seat in (NONDEALER, DEALER)]
        had = [
            contract_values(
                public.calls, seat == DEALER, dealt_cards(public.calls, hands, away) if seat else hands, away
            )
            for seat, hands, away in states
        ]
        if had[NONDEALER] is not None and had[DEALER] is not None:
            return solve_consistently(ending, ranges, (had[NONDEALER], had[DEALER]), ITERATIONS)
    return _solve(ending, ranges)


solved_at: Final = functools.lru_cache(maxsize=4)(solve_public)  # 100 MB each


def _solve(ending: PublicState, ranges: tuple[Floats, Floats]) -> SolvedEnding:
    """Solve an ending with a fixed number of iterations, the same on every machine."""
    return solve_ending(ending, ranges, most=_MOST_ITERATIONS, seconds=float("inf"))


# ------------------------------------------------------------------------------------------------------- one decision


@dataclass(frozen=True)
class HiddenPlay:
    """The opponent's range and the solved decision of a player.

    Attributes:
        hands: int64[hands], printed masks of the hands that the opponent can hold now.
        weights: float64[hands], their probabilities.
        model: where these come from, in words.
        values: P(win the tower) by card. None where nothing has to be solved, since the result is settled or all cards
            are forced: the value of a card is then a mean over the hands.
        makes: P(the contract is made) by card.
        mix: the probability of each card; 0 for cards that lose more than 1 mt.
        gain: the sum of the gains of both best responses.
        hides: the suit still held that the opponent least expects, by card of the mix, and the probability that
            the opponent gives it.
        waiting: P(win the tower) of a player who is not to move, if it was solved; else None.
    """

    hands: Ints
    weights: Floats
    model: str
    values: Mapping[int, float] | None = None
    makes: Mapping[int, float] | None = None
    mix: Mapping[int, float] | None = None
    gain: float = 0.0
    hides: Mapping[int, tuple[int, float]] | None = None
    waiting: float | None = None


def is_solved(view: View) -> bool:
    """Return whether the view is solved with hidden hands: three cards or fewer are left, and a card has been seen."""
    led = 0 if view.led is None else 1 << view.led
    return view.hand.bit_count() <= HIDDEN_CARDS and (view.up_card is not None or view.gone & ~led != 0)


def hidden_play(
    view: View, payoffs: tuple[float, ...], made: Callable[[int], bool] | None, weighs_bids: bool
) -> HiddenPlay:
    """Return the decision of a player with three cards or fewer.

    Args:
        view: the view of the player.
        payoffs: the player's P(win the tower) by the player's tricks of the whole hand.
        made: whether the contract is made, by those tricks; None to solve the mix only.
        weighs_bids: the same as in `PlayedHistory`.
    """
    names = standard_names(view)
    with _ALONE:
        play = _solve_decision(rename_view(view, names[0]), payoffs, made, weighs_bids)
    hands, places = np.unique(hands_by_former_names(play.hands, names), return_inverse=True)
    weights = np.bincount(places.ravel(), np.tile(play.weights, len(names))) / len(names)
    if play.mix is None:
        return replace(play, hands=hands, weights=weights)
    back = former_names(names[0])
    values, makes, mix = (
        None if numbers is None else by_former_names(numbers, names) for numbers in (play.values, play.makes, play.mix)
    )
    hides = {rename_card(card, back): (back[suit], share) for card, (suit, share) in (play.hides or {}).items()}
    return replace(play, hands=hands, weights=weights, values=values, makes=makes, mix=mix, hides=hides)


def _solve_decision(
    view: View, payoffs: tuple[float, ...], made: Callable[[int], bool] | None, weighs_bids: bool
) -> HiddenPlay:
    """Return `hidden_play` under the standard names of the suits."""
    me = DEALER if view.deals else NONDEALER
    for public in (_public_state(view, me, payoffs, weighs_bids), None):
        if public is not None:
            ending = public.ending()
            ranges = ranges_at(public)
            model = _range_words(public)
        else:
            ending, ranges, model = _unknown_history(view, me, payoffs)
        discard = 1 << view.discard if ending.puts_away(me) and view.discard is not None else 0
        theirs = ending.states(1 - me)
        weights = ranges[1 - me]
        fits = (theirs.sum(axis=1) & (view.hand | discard) == 0) & (weights > 0)
        if fits.any() and (ending.states(me) == (view.hand, discard)).all(axis=1).any():
            break  # else the dealer discarded the up-card, or a player reneged: only voids and cards gone count
    led = 0 if ending.led is None else 1 << ending.led
    hands, places = np.unique(theirs[fits, 0] & ~led, return_inverse=True)
    model = f"hidden to the end; {model}"
    play = HiddenPlay(hands, np.bincount(places, weights[fits]) / weights[fits].sum(), model)
    waits = ending.to_play != me
    is_forced = ending.cards < 2 + bool(led) or (not waits and view.legal & view.legal - 1 == 0)
    if is_forced or len(set(ending.payoffs)) == 1:
        return play
    own = (ending.states(me) == (view.hand, discard)).all(axis=1)
    solved = solved_at(public) if public is not None else _solve(ending, ranges)
    if np.isnan(solved.values[me][own]).any():  # the solution reaches this with (nearly) none of the possible hands
        believed = np.where(fits, weights, 0.0)
        solved = _solve(ending, (ranges[me], believed) if me == NONDEALER else (believed, ranges[me]))
    if waits:
        return replace(play, waiting=float(solved.values[me][own][0]))
    values = solved.card_values(view.hand, discard)
    before = () if ending.led is None else (ending.led,)
    mix = solved.mix(view.hand, discard, before)
    best = max(values.values())
    likely = {card: share for card, share in mix.items() if best - values[card] <= _MOST_LOST}
    likely = likely if sum(likely.values()) > 0 else {max(values, key=values.__getitem__): 1.0}
    mix = {card: likely.get(card, 0.0) / sum(likely.values()) for card in values}
    if made is None:
        return replace(play, mix=mix)
    counted = tuple(float(made(_own_tricks(me, view, tricks))) for tricks in range(ending.cards + 1))
    makes = solved.mean_values(view.hand, discard, counted)
    makes = {card: 1 - share if me == DEALER else share for card, share in makes.items()}
    hides = {
        card: _find_hidden_suit(solved, ranges[me], me, card, view.hand) for card, share in mix.items() if share > 0
    }
    hidden = {card: suit for card, suit in hides.items() if suit is not None}
    return replace(play, values=values, makes=makes, mix=mix, gain=max(solved.gain, 0.0), hides=hidden)


def _own_tricks(me: int, view: View, tricks: int) -> int:
    """Return the player's tricks of the whole hand, from the non-dealer's tricks from here on."""
    left = view.n - sum(view.taken)
    return view.taken[view.player] + (tricks if me == NONDEALER else left - tricks)


def _public_state(view: View, me: int, payoffs: tuple[float, ...], weighs_bids: bool) -> PlayedHistory | None:
    """Return the public state; None where the view does not have all of it."""
    if view.up_card is None or view.trump is None or view.dealer is None or view.bidder is None:
        return None
    if len(view.tricks) != view.n - view.hand.bit_count():
        return None
    calls = calls_of(view)
    if calls.accepted and me == DEALER and view.discard is None:
        return None
    whole = payoffs if me == NONDEALER else tuple(1 - value for value in reversed(payoffs))
    whole = tuple(round(value, 12) for value in whole)  # the same from both sides
    return PlayedHistory(calls, weighs_bids, whole, tuple(cards_played(view)))


def _unknown_history(view: View, me: int, payoffs: tuple[float, ...]) -> tuple[PublicState, tuple[Floats, Floats], str]:
    """Return state, ranges and model of a position of unknown history: possible hands are equally likely."""
    takes = me == NONDEALER and view.up_card is not None and suit_of(view.up_card) == view.trump
    holds = view.up_card if takes and view.up_card is not None and view.opponent_holds >> view.up_card & 1 else None
    unseen = DECK_24 & ~view.gone | (0 if view.led is None else 1 << view.led)
    cards = view.hand.bit_count()
    mine = [payoffs[_own_tricks(me, view, tricks)] for tricks in range(cards + 1)]
    wins = tuple(mine if me == NONDEALER else (1 - value for value in mine))
    leader = me if view.leader == view.player else 1 - me
    up_card = 0 if holds is None else 1 << holds
    ending = PublicState(require(view.trump), unseen & ~up_card, cards, leader, wins, takes, holds, view.led)
    ranges = [np.ones(len(ending.states(seat))) for seat in (NONDEALER, DEALER)]
    ranges[1 - me] *= (ending.states(1 - me)[:, 0] & view.opponent_holds) == view.opponent_holds
    return ending, (ranges[NONDEALER], ranges[DEALER]), "every hand that can be counts alike"


def _range_words(public: PlayedHistory) -> str:
    """Return the source of the ranges, in words."""
    weighs = _weighs_actions(public)
    policy = "the learned policy"
    words = "all hands that can be alike"
    plays = ", every legal card before the last three alike"
    if weighs:
        words = f"hands as likely as {'the equilibrium' if public.calls.cards <= LARGEST_STORED else policy} bids so"
        words, plays = f"{words} with them", f", and {policy} plays the cards before the last three"
    return words + plays * bool(public.first) + ", then as solved" * (len(public.played) > public.first)


def _find_hidden_suit(solved: SolvedEnding, weights: Floats, me: int, card: int, hand: int) -> tuple[int, float] | None:
    """Return the suit still held after a card that the opponent least expects, its probability; None if expected."""
    states = solved.ending.states(me)
    before = () if solved.ending.led is None else (solved.ending.led,)
    likely = np.zeros(len(states))
    for place in np.flatnonzero((states[:, 0] >> card & 1) & (weights > weights.max() / 1000)):
        likely[place] = weights[place] * solved.mix(int(states[place, 0]), int(states[place, 1]), before).get(card, 0.0)
    if not likely.sum() > 0:
        return None
    likely /= likely.sum()
    left = hand & ~(1 << card)
    has = {
        suit: float(likely @ (states[:, 0] & ~(1 << card) & mask != 0))
        for suit, mask in enumerate(_suit_masks(solved.ending.trump))
        if left & mask
    }
    least = min(has, key=has.__getitem__)
    return (least, has[least]) if has[least] < 1 / 2 else None


def put_hidden_play(answer: MoveAnswer, hidden: HiddenPlay) -> MoveAnswer:
    """Replace the open-card values of an answer by the values, the mix and the reasons of hidden play."""
    assert hidden.values is not None and hidden.makes is not None and hidden.mix is not None
    best = max(hidden.values.values())
    played = []
    for play in answer.plays:
        card = parse_card(play.card)
        value = hidden.values[card]
        share = hidden.mix[card]
        loss = best - hidden.values[card]
        loss = 0.0 if loss <= hidden.gain else loss
        why = (
            f"best play does so {100 * share:.0f} % of the time"
            if share >= LEAST_SHARE
            else "best play hardly ever does so"
        )
        if share >= LEAST_SHARE and (hides := (hidden.hides or {}).get(card)) is not None:
            suit = SUIT_NAMES[hides[0]]
            why += f". It hides your {suit}: only {100 * hides[1]:.0f} % of the hands that play this hold one"
        estimate = Estimate(loss, loss, loss, answer.layouts)
        why += f"; with all cards seen it wins {100 * play.value:.1f} %"
        made = round(hidden.makes[card], DIGITS)
        played.append(replace(play, value=round(value, DIGITS), make=made, loss=estimate, reason=why, share=share))
    played.sort(key=lambda play: (-play.value, -(play.share or 0.0)))
    return replace(answer, plays=tuple(played))
