"""Where a hand stands, step by step from the deal to its result: immutable, with every rule from `games`.

Actions are numbered for OpenSpiel: 0..23 are the cards of the pack in printed order, then pass, accept and the four
suits that can be named. Chance deals cards by the same numbers.

Chance deals card by card, each hand from its lowest card up, with the odds that make all deals alike: a deal has one
history, and no node has more than 24 branches. The last trick, which is forced, is no decision: it plays itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards, suit_of, to_play_order, trump_field
from towerlab.games.towers_and_bowers.rules import (
    card_led_wins,
    hand_result,
    legal_replies,
    result_is_settled,
    result_value,
)
from towerlab.games.tricks import field_of

NONDEALER: Final = 0
DEALER: Final = 1
CHANCE: Final = -1
OVER: Final = -4
NOBODY: Final = -1
NO_CARD: Final = -1
NO_TRUMP_YET: Final = -1

PACK: Final = tuple(mask_cards(DECK_24))
NUMBERS: Final = {card: number for number, card in enumerate(PACK)}
PASS: Final = len(PACK)
ACCEPT: Final = PASS + 1
NAME: Final = ACCEPT + 1  # ..NAME + 3, by suit
ACTIONS: Final = NAME + 4
LAST_CALL: Final = 3  # the dealer's, who may not pass


@dataclass(frozen=True, slots=True)
class Position:
    """A hand that is being dealt, bid or played.

    Attributes:
        n: cards a player.
        up: the up-card (id), `NO_CARD` until it is turned.
        dealt: the cards dealt to non-dealer and dealer, printed masks.
        hands: what they hold now.
        calls: actions of non-dealer, dealer, non-dealer, dealer, as far as made.
        bidder: player, or `NOBODY`.
        trump: suit, or `NO_TRUMP_YET`.
        discard: the dealer's card, `NO_CARD` if there is none or not yet.
        plays: (player, card) in the order of play.
        leader: who leads the trick in hand.
        taken: tricks of non-dealer and dealer.
    """

    n: int
    up: int
    dealt: tuple[int, int] = (0, 0)
    hands: tuple[int, int] = (0, 0)
    calls: tuple[int, ...] = ()
    bidder: int = NOBODY
    trump: int = NO_TRUMP_YET
    discard: int = NO_CARD
    plays: tuple[tuple[int, int], ...] = ()
    leader: int = NONDEALER
    taken: tuple[int, int] = (0, 0)

    def __deepcopy__(self, memo: object) -> Position:
        return self  # immutable, and OpenSpiel copies at every step

    # ------------------------------------------------------------------------------------------------- whose turn

    def being_dealt_to(self) -> int:
        """The player whose hand is not full, else `NOBODY`."""
        for player in (NONDEALER, DEALER):
            if self.dealt[player].bit_count() < self.n:
                return player
        return NOBODY

    def is_dealt(self) -> bool:
        """Whether both hands are full and the up-card is turned."""
        return self.up != NO_CARD and self.being_dealt_to() == NOBODY

    def must_discard(self) -> bool:
        """Whether somebody has accepted and the dealer has not discarded yet."""
        return self.bidder != NOBODY and self.trump == suit_of(self.up) and self.discard == NO_CARD

    def player(self) -> int:
        """Who acts: a player, `CHANCE` or `OVER`."""
        if not self.is_dealt():
            return CHANCE
        if self.bidder == NOBODY:
            return len(self.calls) % 2
        if self.must_discard():
            return DEALER
        if self.is_over():
            return OVER
        return self.leader if self.led() == NO_CARD else 1 - self.leader

    def led(self) -> int:
        """The card led to the trick in hand, or `NO_CARD`."""
        return self.plays[-1][1] if len(self.plays) % 2 == 1 else NO_CARD

    def is_over(self) -> bool:
        """Whether the tricks left can change nothing (TB-21)."""
        if self.bidder == NOBODY or self.must_discard() or self.led() != NO_CARD:
            return False
        return bool(result_is_settled(self.n, self.taken[self.bidder], self.taken[1 - self.bidder], False))

    # ---------------------------------------------------------------------------------------------------- actions

    def deals(self) -> list[tuple[int, float]]:
        """Chance's actions and their probabilities."""
        player, left = self.being_dealt_to(), DECK_24 & ~(self.dealt[0] | self.dealt[1])
        if self.up != NO_CARD:
            left &= ~(1 << self.up)
        if player == NOBODY:
            return [(NUMBERS[card], 1 / left.bit_count()) for card in mask_cards(left)]
        missing = self.n - self.dealt[player].bit_count()
        above = left >> self.dealt[player].bit_length() << self.dealt[player].bit_length()
        cards = mask_cards(above)
        ways = math.comb(len(cards), missing)
        return [
            (NUMBERS[card], math.comb(len(cards) - place - 1, missing - 1) / ways)
            for place, card in enumerate(cards[: len(cards) - missing + 1])
        ]

    def actions(self) -> list[int]:
        """The legal actions of the player to act, rising (TB-10 .. TB-12, TB-17, TB-18)."""
        if self.bidder == NOBODY:
            if len(self.calls) < 2:
                return [PASS, ACCEPT]
            names = [NAME + suit for suit in range(4) if suit != suit_of(self.up)]
            return names if len(self.calls) == LAST_CALL else [PASS, *names]
        hand = self.hands[self.player()]
        if self.led() != NO_CARD:
            hand = int(legal_replies(hand, 1 << self.led(), self.trump))
        return [NUMBERS[card] for card in mask_cards(hand)]

    def after(self, action: int) -> Position:
        """The position after an action of chance or of the player to act, and after what that forces on both."""
        position = self._after(action)
        return position._last_trick() if position.bidder != NOBODY else position

    def _after(self, action: int) -> Position:
        if not self.is_dealt():
            player, card = self.being_dealt_to(), PACK[action]
            if player == NOBODY:
                return replace(self, up=card)
            hands = _replaced(self.dealt, player, self.dealt[player] | 1 << card)
            return replace(self, dealt=hands, hands=hands)
        if self.bidder == NOBODY:
            calls = (*self.calls, action)
            if action == PASS:
                return replace(self, calls=calls)
            trump = suit_of(self.up) if action == ACCEPT else action - NAME
            return replace(self, calls=calls, bidder=len(self.calls) % 2, trump=trump)
        return (self._after_discard if self.must_discard() else self._after_play)(PACK[action])

    def _last_trick(self) -> Position:
        """After the last trick if it is all that is left: a dealer of one card has no choice of a discard either."""
        position = self
        if position.n == 1 and position.must_discard():
            position = position._after_discard(position.dealt[DEALER].bit_length() - 1)
        while len(position.plays) >= 2 * self.n - 2 and not position.must_discard() and not position.is_over():
            position = position._after_play(position.hands[position.player()].bit_length() - 1)
        return position

    def _after_discard(self, card: int) -> Position:
        """The dealer gives a card and takes the up-card (TB-10)."""
        dealers = self.hands[DEALER] & ~(1 << card) | 1 << self.up
        return replace(self, hands=(self.hands[NONDEALER], dealers), discard=card)

    def _after_play(self, card: int) -> Position:
        player, led = self.player(), self.led()
        hands = _replaced(self.hands, player, self.hands[player] & ~(1 << card))
        plays = (*self.plays, (player, card))
        if led == NO_CARD:
            return replace(self, hands=hands, plays=plays)
        winner = self.leader if card_led_wins(1 << led, 1 << card, self.trump) else player
        taken = _replaced(self.taken, winner, self.taken[winner] + 1)
        return replace(self, hands=hands, plays=plays, leader=winner, taken=taken)

    def nondealer_value(self, deal_value: float) -> float:
        """The non-dealer's P(win the tower) when the hand is over (TB-20)."""
        result = hand_result(self.n, self.taken[self.bidder], False)
        return float(result_value(result, self.bidder == NONDEALER, deal_value))

    # --------------------------------------------------------------------------------------------- hidden cards

    def redealt(self, player: int, uniform: Callable[[], float]) -> tuple[tuple[int, int], int]:
        """Other hidden cards that fit all the player has seen, every (deal, discard) that fits alike.

        What a player knows of the other: the cards played; suits not followed; of a dealer who took
        the up-card, that it is held until it is played. Bids say nothing here: they depend on how one bids.

        Args:
            player: whose knowledge stays as it is.
            uniform: draws from [0, 1).

        Returns:
            The cards dealt to non-dealer and dealer, and the discard.
        """
        other = 1 - player
        has_up = other == DEALER and self.discard != NO_CARD
        shown = sum(1 << card for who, card in self.plays if who == other and not (has_up and card == self.up))
        hidden = self.hands[other] & ~(1 << self.up)
        unseen = DECK_24 & ~(1 << self.up) & ~shown & ~self.dealt[player]
        redrawn = _draw(unseen & ~self._not_held(other), hidden.bit_count(), uniform)
        discard = self.discard
        theirs = shown | redrawn
        if has_up:
            thrown = _draw(unseen & ~redrawn, 1, uniform)
            discard = thrown.bit_length() - 1
            theirs |= thrown
        return _replaced(self.dealt, other, theirs), discard

    def _not_held(self, player: int) -> int:
        """Cards of the suits that a player has failed to follow (TB-17), printed."""
        missing = 0
        for (_, led), (replier, reply) in zip(self.plays[::2], self.plays[1::2], strict=False):
            if replier == player and self._field(led) != self._field(reply):
                missing |= sum(1 << card for card in PACK if self._field(card) == self._field(led))
        return missing

    def _field(self, card: int) -> int:
        return int(field_of(to_play_order(1 << card, self.trump, True), trump_field(self.trump)))


def action_text(action: int) -> str:
    """An action for people: ``"JS"``, ``"pass"``, ``"accept"``, ``"H"``."""
    if action < PASS:
        return card_text(PACK[action])
    return "pass" if action == PASS else "accept" if action == ACCEPT else SUITS[action - NAME]


def _replaced(pair: tuple[int, int], player: int, value: int) -> tuple[int, int]:
    return (value, pair[1]) if player == NONDEALER else (pair[0], value)


def _draw(cards: int, count: int, uniform: Callable[[], float]) -> int:
    """So many of some cards, every set alike."""
    left, drawn = mask_cards(cards), 0
    for _ in range(count):
        drawn |= 1 << left.pop(min(int(uniform() * len(left)), len(left) - 1))
    return drawn
