"""Where a hand stands, step by step from the deal to its result: immutable, the play by `sim.towers_and_bowers.hand`.

Actions are numbered for OpenSpiel: 0..23 are the cards of the pack in printed order, then pass, accept and the four
suits that can be named. Chance deals cards by the same numbers.

Chance deals card by card, each hand from its lowest card up, with the odds that make all deals alike: a deal has one
history, and no node has more than 24 branches. The last trick, which is forced, is no decision: it plays itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from towerlab.games.cards import DECK_24, card_text, mask_cards, suit_of, to_play_order, to_printed
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.towers_and_bowers.records import CallCode
from towerlab.games.towers_and_bowers.rules import hand_result, result_is_settled, result_value
from towerlab.games.towers_and_bowers.table import put
from towerlab.sim.towers_and_bowers.hand import (
    DEALER,
    HELD,
    LED,
    NONDEALER,
    POSITION_SIZE,
    TAKEN,
    lay_out,
    put_card,
    seat_to_play,
    state_at,
)
from towerlab.sim.towers_and_bowers.players.knowledge import NO_CARD, legal_plays

CHANCE_PLAYER: Final = -1
TERMINAL: Final = -4
NOBODY: Final = -1

PACK: Final = tuple(mask_cards(DECK_24))
NUMBERS: Final = {card: number for number, card in enumerate(PACK)}
CALLS_FROM: Final = len(PACK)  # the action of a call is its code and so much
ACTIONS: Final = CALLS_FROM + len(CallCode)
LAST_CALL: Final = 3  # the dealer's, who may not pass


@dataclass(frozen=True, slots=True)
class HandPosition:
    """A hand that is being dealt, bid or played.

    Attributes:
        n: cards a player.
        up: the up-card (id), `NO_CARD` until it is turned.
        dealt: the cards dealt to non-dealer and dealer, printed masks.
        calls: of non-dealer, dealer, non-dealer, dealer, as far as made.
        discard: the dealer's card, `NO_CARD` if there is none or not yet.
        plays: (player, card) in the order of play.
        at: the position (`hand`) once bidding and discard are over, else empty.
    """

    n: int
    up: int
    dealt: tuple[int, int] = (0, 0)
    calls: tuple[CallCode, ...] = ()
    discard: int = NO_CARD
    plays: tuple[tuple[int, int], ...] = ()
    at: tuple[int, ...] = ()

    def __deepcopy__(self, memo: object) -> HandPosition:
        return self  # immutable, and OpenSpiel copies at every step

    # ------------------------------------------------------------------------------------------- what follows from it

    @property
    def bidder(self) -> int:
        """The player that has accepted or named a suit, or `NOBODY`."""
        return (len(self.calls) - 1) % 2 if self.calls and self.calls[-1] != CallCode.PASS else NOBODY

    @property
    def trump(self) -> int:
        """The suit that was accepted or named."""
        named = self.calls[-1].suit
        return suit_of(self.up) if named is None else named

    @property
    def hands(self) -> tuple[int, int]:
        """The cards of non-dealer and dealer now, printed masks."""
        return (self._printed(HELD), self._printed(HELD + 1)) if self.at else self.dealt

    @property
    def taken(self) -> tuple[int, int]:
        """Tricks of non-dealer and dealer."""
        return (self.at[TAKEN], self.at[TAKEN + 1]) if self.at else (0, 0)

    def _printed(self, place: int) -> int:
        return int(to_printed(self.at[place], self.trump, True))

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
        return self.bidder != NOBODY and not self.at

    def player(self) -> int:
        """Return the next to act: a player, `CHANCE_PLAYER` or `TERMINAL`."""
        if not self.is_dealt():
            return CHANCE_PLAYER
        if self.bidder == NOBODY:
            return len(self.calls) % 2
        if not self.at:
            return DEALER
        return TERMINAL if self.is_over() else int(seat_to_play(np.array(self.at)))

    def is_over(self) -> bool:
        """Whether the tricks left can change nothing (TB-21)."""
        if not self.at or self.at[LED]:
            return False
        return bool(result_is_settled(self.n, self.taken[self.bidder], self.taken[1 - self.bidder], DEFAULT_RULES))

    # ---------------------------------------------------------------------------------------------------- actions

    def deals(self) -> list[tuple[int, float]]:
        """Chance's actions and their probabilities."""
        player = self.being_dealt_to()
        left = DECK_24 & ~(self.dealt[0] | self.dealt[1])
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
                return [CALLS_FROM + CallCode.PASS, CALLS_FROM + CallCode.ACCEPT]
            names = [CALLS_FROM + CallCode.naming(suit) for suit in range(4) if suit != suit_of(self.up)]
            return names if len(self.calls) == LAST_CALL else [CALLS_FROM + CallCode.PASS, *names]
        hand = self.dealt[DEALER]
        if self.at:
            hand = int(to_printed(legal_plays(state_at(np.array(self.at), self.player())), self.trump, True))
        return [NUMBERS[card] for card in mask_cards(hand)]

    def after(self, action: int) -> HandPosition:
        """The position after an action of chance or of the player to act, and after what that forces on both."""
        position = self._after(action)
        return position._last_trick() if position.bidder != NOBODY else position

    def _after(self, action: int) -> HandPosition:
        if not self.is_dealt():
            player = self.being_dealt_to()
            card = PACK[action]
            if player == NOBODY:
                return replace(self, up=card)
            return replace(self, dealt=put(self.dealt, player, self.dealt[player] | 1 << card))
        if self.bidder == NOBODY:
            call = CallCode(action - CALLS_FROM)
            called = replace(self, calls=(*self.calls, call))
            return called if call.suit is None else called._laid_out()
        return (self._after_discard if self.must_discard() else self._after_play)(PACK[action])

    def _last_trick(self) -> HandPosition:
        """After the last trick if it is all that is left: a dealer of one card has no choice of a discard either."""
        position = self
        if position.n == 1 and position.must_discard():
            position = position._after_discard(position.dealt[DEALER].bit_length() - 1)
        while len(position.plays) >= 2 * self.n - 2 and not position.must_discard() and not position.is_over():
            position = position._after_play(position.hands[position.player()].bit_length() - 1)
        return position

    def _after_discard(self, card: int) -> HandPosition:
        """The dealer gives a card and takes the up-card (TB-10)."""
        return replace(self, discard=card)._laid_out()

    def _laid_out(self) -> HandPosition:
        at = np.empty(POSITION_SIZE, dtype=np.int64)
        lay_out(self.dealt, self.up, self.bidder, self.trump, self.discard, DEFAULT_RULES, at)
        return replace(self, at=tuple(at.tolist()))

    def _after_play(self, card: int) -> HandPosition:
        at = np.array(self.at)
        put_card(at, to_play_order(1 << card, self.trump, True))
        return replace(self, at=tuple(at.tolist()), plays=(*self.plays, (self.player(), card)))

    def nondealer_value(self, deal_value: float) -> float:
        """The non-dealer's P(win the tower) when the hand is over (TB-20)."""
        result = hand_result(self.n, self.taken[self.bidder], DEFAULT_RULES)
        return float(result_value(result, self.bidder == NONDEALER, deal_value))


def action_text(action: int) -> str:
    """An action for people: ``"JS"``, ``"pass"``, ``"accept"``, ``"H"``."""
    return card_text(PACK[action]) if action < CALLS_FROM else CallCode(action - CALLS_FROM).word
