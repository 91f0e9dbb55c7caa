"""How do OpenSpiel's algorithms run on our game? A hand of Towers & Bowers as a game of OpenSpiel.

`load_game` makes the game; `openspiel_game` has the classes around pyspiel, which is imported when a game is asked for.
`HandPosition` is where a hand stands, step by step from the deal to its result: immutable, the play by
`sim.towers_and_bowers.match`. What a player knows is a tensor or a string.

Actions are numbered: 0..23 are the cards of the pack in printed order, then pass, accept and the four suits that can be
named. Chance deals cards by the same numbers, card by card, each hand from its lowest card up, with the odds that make
all deals alike: a deal has one history, and no node has more than 24 branches. The last trick, which is forced, is no
decision: it plays itself.

>>> position = HandPosition(n=1, up=PACK[0])
>>> [action_text(action) for action, _ in position.deals()][:3]  # cards that chance may deal
['TC', 'JC', 'QC']
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from towerlab.games.cards import (
    DECK_24,
    card_text,
    cards_mask,
    mask_cards,
    mask_text,
    suit_of,
    to_play_order,
    to_printed,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.towers_and_bowers.progress import replace_value
from towerlab.games.towers_and_bowers.records import CallCode
from towerlab.games.towers_and_bowers.rules import hand_result, result_is_settled, result_value
from towerlab.sim.towers_and_bowers.info_state import NO_CARD, legal_plays
from towerlab.sim.towers_and_bowers.match import (
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
from towerlab.solver.towers_and_bowers.whole_hand.strategies import InformationSet

CHANCE_PLAYER: Final = -1
TERMINAL: Final = -4
NOBODY: Final = -1

PACK: Final = tuple(mask_cards(DECK_24))
NUMBERS: Final = {card: number for number, card in enumerate(PACK)}
CALLS_FROM: Final = len(PACK)  # the action of a call is its code and so much
ACTIONS: Final = CALLS_FROM + len(CallCode)
LAST_CALL: Final = 3  # the dealer's, who may not pass


def load_game(cards: int, up_card: str = "", deal_value: float = 0.5) -> Any:
    """The `pyspiel.Game` of one hand: bidding, hidden discard, play. Player 0 is the non-dealer, player 1 the dealer.

    Args:
        cards: hand size n, 1..7.
        up_card: the up-card, for example ``"9S"``; empty if it is dealt too.
        deal_value: W(n - 1), the value of dealing the next hand to its dealer (`towerlab value`); without
            a sweep, the value of the hand is that or one minus it. Not read at n = 1.

    Returns:
        The game. Utilities are P(win the tower) - 1/2, so that they sum to zero.

    Raises:
        TowerlabError: OpenSpiel is not installed; a size, card or value that cannot be.
    """
    try:
        from towerlab.sim.towers_and_bowers.openspiel_game import TowersAndBowersGame
    except ModuleNotFoundError as error:
        raise TowerlabError("OpenSpiel is not installed; expected `pip install open_spiel` first") from error
    return TowersAndBowersGame({"cards": cards, "up_card": up_card, "deal_value": float(deal_value)})


@dataclass(frozen=True, slots=True)
class HandPosition:
    """A hand that is being dealt, bid or played.

    Attributes:
        n: the number of cards dealt to each player.
        up: the up-card (id), `NO_CARD` until it is turned.
        dealt: the cards dealt to non-dealer and dealer, printed masks.
        calls: the calls of non-dealer, dealer, non-dealer, dealer, as far as made.
        discard: the dealer's card, `NO_CARD` if there is none or not yet.
        plays: (player, card) in the order of play.
        position: the position in the play (`match`) once bidding and discard are over, else empty.
    """

    n: int
    up: int
    dealt: tuple[int, int] = (0, 0)
    calls: tuple[CallCode, ...] = ()
    discard: int = NO_CARD
    plays: tuple[tuple[int, int], ...] = ()
    position: tuple[int, ...] = ()

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
        return (self._printed(HELD), self._printed(HELD + 1)) if self.position else self.dealt

    @property
    def taken(self) -> tuple[int, int]:
        """Tricks of non-dealer and dealer."""
        return (self.position[TAKEN], self.position[TAKEN + 1]) if self.position else (0, 0)

    def _printed(self, place: int) -> int:
        return int(to_printed(self.position[place], self.trump, True))

    def being_dealt_to(self) -> int:
        """Return the player whose hand is not full, else `NOBODY`."""
        for player in (NONDEALER, DEALER):
            if self.dealt[player].bit_count() < self.n:
                return player
        return NOBODY

    def is_dealt(self) -> bool:
        """Return whether both hands are full and the up-card is turned."""
        return self.up != NO_CARD and self.being_dealt_to() == NOBODY

    def must_discard(self) -> bool:
        """Return whether somebody has accepted and the dealer has not discarded yet."""
        return self.bidder != NOBODY and not self.position

    def player(self) -> int:
        """Return the next to act: a player, `CHANCE_PLAYER` or `TERMINAL`."""
        if not self.is_dealt():
            return CHANCE_PLAYER
        if self.bidder == NOBODY:
            return len(self.calls) % 2
        if not self.position:
            return DEALER
        return TERMINAL if self.is_over() else int(seat_to_play(np.array(self.position)))

    def is_over(self) -> bool:
        """Return whether the tricks left can change nothing (TB-21)."""
        if not self.position or self.position[LED]:
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
        """Return the legal actions of the player to act, rising (TB-10 .. TB-12, TB-17, TB-18)."""
        if self.bidder == NOBODY:
            if len(self.calls) < 2:
                return [CALLS_FROM + CallCode.PASS, CALLS_FROM + CallCode.ACCEPT]
            names = [CALLS_FROM + CallCode.naming(suit) for suit in range(4) if suit != suit_of(self.up)]
            return names if len(self.calls) == LAST_CALL else [CALLS_FROM + CallCode.PASS, *names]
        hand = self.dealt[DEALER]
        if self.position:
            hand = int(to_printed(legal_plays(state_at(np.array(self.position), self.player())), self.trump, True))
        return [NUMBERS[card] for card in mask_cards(hand)]

    def after(self, action: int) -> HandPosition:
        """Return the position after an action of chance or of the player to act, and after what that forces on both."""
        position = self._after(action)
        return position._last_trick() if position.bidder != NOBODY else position

    def _after(self, action: int) -> HandPosition:
        if not self.is_dealt():
            player = self.being_dealt_to()
            card = PACK[action]
            if player == NOBODY:
                return replace(self, up=card)
            return replace(self, dealt=replace_value(self.dealt, player, self.dealt[player] | 1 << card))
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
        position = np.empty(POSITION_SIZE, dtype=np.int64)
        lay_out(self.dealt, self.up, self.bidder, self.trump, self.discard, DEFAULT_RULES, position)
        return replace(self, position=tuple(position.tolist()))

    def _after_play(self, card: int) -> HandPosition:
        position = np.array(self.position)
        put_card(position, to_play_order(1 << card, self.trump, True))
        return replace(self, position=tuple(position.tolist()), plays=(*self.plays, (self.player(), card)))

    def nondealer_value(self, deal_value: float) -> float:
        """Return the non-dealer's P(win the tower) when the hand is over (TB-20)."""
        result = hand_result(self.n, self.taken[self.bidder], DEFAULT_RULES)
        return float(result_value(result, self.bidder == NONDEALER, deal_value))


def action_text(action: int) -> str:
    """Return an action for people: ``"JS"``, ``"pass"``, ``"accept"``, ``"H"``."""
    return card_text(PACK[action]) if action < CALLS_FROM else CallCode(action - CALLS_FROM).word


_CARDS = len(PACK)
_CALLS = 4
_CALL_KINDS = len(CallCode)


class HandObserver:
    """Observer in the sense of `open_spiel.python.observation`: all that a player knows, with perfect recall.

    Pieces of the tensor, float32, 1 where it is so: ``player`` (2); ``dealt``, ``held``, ``discard``, ``up`` (24 each,
    by card of the pack); ``calls`` (4 × 6); ``plays`` (2n × 2 × 24: turn, player, card). The string holds the same.
    """

    def __init__(self, cards: int) -> None:
        shapes: dict[str, tuple[int, ...]] = {"player": (2,)}
        shapes |= dict.fromkeys(("dealt", "held", "discard", "up"), (_CARDS,))
        shapes |= {"calls": (_CALLS, _CALL_KINDS), "plays": (2 * cards, 2, _CARDS)}
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def set_from(self, state: Any, player: int) -> None:
        """Fill `tensor`, and with it the named views of `dict`."""
        position: HandPosition = state.position
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        self.dict["dealt"][_numbers(position.dealt[player])] = 1
        self.dict["held"][_numbers(position.hands[player])] = 1
        if player == DEALER and position.discard != NO_CARD:
            self.dict["discard"][NUMBERS[position.discard]] = 1
        if position.up != NO_CARD:
            self.dict["up"][NUMBERS[position.up]] = 1
        for place, call in enumerate(position.calls):
            self.dict["calls"][place, call] = 1
        for place, (who, card) in enumerate(position.plays):
            self.dict["plays"][place, who, NUMBERS[card]] = 1

    def string_from(self, state: Any, player: int) -> str:
        """Return what the player knows: ``"p1 dealt AC up 9S calls pass accept discard AC exchanged plays 0:KC"``."""
        position: HandPosition = state.position
        words = [f"p{player}", "dealt", mask_text(position.dealt[player])]
        words += [] if position.up == NO_CARD else ["up", card_text(position.up)]
        words += ["calls", *(call.word for call in position.calls)]
        if position.discard != NO_CARD:
            words += ["discard", card_text(position.discard)] if player == DEALER else []
            words += ["exchanged"]  # the act is seen, the card is not
        return " ".join([*words, "plays", *(f"{who}:{card_text(card)}" for who, card in position.plays)])


def _numbers(mask: int) -> list[int]:
    return [NUMBERS[card] for card in mask_cards(mask)]


def to_openspiel(known: InformationSet) -> str:
    """Return OpenSpiel's string: ``"p1 dealt QD JC up 9S calls pass accept discard QD exchanged plays 0:KH"``.

    Args:
        known: an information set, whose `str` is the key of strategy files.

    Raises:
        TowerlabError: from `towerlab.openspiel_key`, not an information set.
    """
    words = [f"p{known.player}", "dealt", mask_text(cards_mask(known.dealt)), "up", card_text(known.up), "calls"]
    words += known.calls
    if known.discard is not None:
        words += ["discard", card_text(known.discard)]
    exchanged = known.calls[-1:] == ("accept",) and not known.discards
    words += ["exchanged"] if exchanged else []
    return " ".join([*words, "plays", *(f"{player}:{card_text(card)}" for player, card in known.plays)])
