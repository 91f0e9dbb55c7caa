"""How is a hand bid for, and the up-card exchanged? Calls and the discard as actions of a match (TB-10 .. TB-15).

>>> from towerlab.games.towers_and_bowers.engine import Match
>>> [name for name in Match.ACTIONS if hasattr(Bidding, name)]
['accept', 'name', 'discard']
"""

from towerlab.games.cards import SUITS, card_text, holds, suit_of
from towerlab.games.errors import IllegalAction, demand
from towerlab.games.towers_and_bowers.progress import MatchProgress, other, replace_value
from towerlab.games.towers_and_bowers.records import Call, Ending, Outcome, Phase

_AFTER_PASS = {Phase.BID1_ND: Phase.BID1_D, Phase.BID1_D: Phase.BID2_ND, Phase.BID2_ND: Phase.BID2_D}


class Bidding(MatchProgress):
    """Actions of the two rounds of bidding and the discard."""

    def verify_accept(self) -> None:
        """Check `accept`.

        Raises:
            IllegalAction: the up-card is not on offer.
        """
        self._demand_phase("accepting the up-card", "TB-10", Phase.BID1_ND, Phase.BID1_D)

    def accept(self) -> None:
        """Make the up-card's suit trump and become the bidder; the dealer discards next (TB-10, TB-13)."""
        self._record("accept", player=self._actor())
        self._settle(Call(self._actor(), "accept"), suit_of(self._hand.up_card), Phase.DISCARD)

    def verify_pass_(self) -> None:
        """Check `pass_`.

        Raises:
            IllegalAction: nobody is bidding, or the dealer has to name a trump.
        """
        self._demand_phase("a pass", "TB-12", *_AFTER_PASS, Phase.BID2_D)
        forced = self.phase == Phase.BID2_D and self.options.force_dealer_to_name
        demand(not forced, "the dealer may not pass a second time; expected one of the three other suits", "TB-12")

    def pass_(self) -> None:
        """Pass; after the dealer's first pass the up-card is turned down and out of play (TB-12).

        With `force_dealer_to_name` off, the dealer's second pass throws the hand in: the same dealer deals again.
        """
        player = self._actor()
        self._record("pass", player=player)
        self._set_hand(calls=(*self._hand.calls, Call(player, "pass")))
        if self.phase == Phase.BID2_D:
            self._close(Outcome(Ending.THROWN_IN, (0, 0), tower_to=None, next_dealer=player))
        else:
            self._set(phase=_AFTER_PASS[self.phase])

    def verify_name(self, suit: int) -> None:
        """Check `name`.

        Raises:
            IllegalAction: not the second round, or the suit of the up-card.
        """
        self._demand_phase("naming a trump", "TB-12", Phase.BID2_ND, Phase.BID2_D)
        turned_down = suit_of(self._hand.up_card)
        nameable = [other for other in range(4) if other != turned_down]
        if suit not in nameable:
            named = SUITS[suit] if suit == turned_down else repr(suit)
            expected = ", ".join(SUITS[other] for other in nameable)
            raise IllegalAction(f"{named} cannot be named; expected one of {expected}", "TB-12")

    def name(self, suit: int) -> None:
        """Name one of the three suits that were not turned up and become the bidder (TB-12, TB-13)."""
        self._record("name", player=self._actor(), suit=SUITS[suit])
        self._settle(Call(self._actor(), "name", suit), suit, Phase.PLAY)

    def verify_discard(self, card: int) -> None:
        """Check `discard`.

        Raises:
            IllegalAction: nobody accepted, or a card that the dealer may not give.
        """
        self._demand_phase("a discard", "TB-10", Phase.DISCARD, Phase.BID1_D)
        hand = self._hand
        if card == hand.up_card:
            demand(self.options.allow_discard_upcard, "the up-card may not be the discard", "TB-11")
            return
        demand(
            holds(hand.hands[hand.dealer], card), f"{card_text(card)} is not among the dealer's {hand.n} cards", "TB-10"
        )

    def discard(self, card: int) -> None:
        """The dealer gives a card, face down, and takes the up-card (TB-10).

        While the up-card is on offer to the dealer, discarding is the same as accepting (TB-14). Taking the up-card
        before or after is no difference (TB-15); the non-dealer may already have led.
        """
        if self.phase == Phase.BID1_D:
            self._settle(Call(self._actor(), "accept"), suit_of(self._hand.up_card), Phase.DISCARD)
        hand = self._hand
        held = (hand.hands[hand.dealer] | 1 << hand.up_card) & ~(1 << card)
        self._set_hand(hands=replace_value(hand.hands, hand.dealer, held), discard=card)
        self._set(phase=Phase.PLAY)
        self._record("discard", player=hand.dealer, card=card_text(card))

    def _settle(self, call: Call, trump: int, phase: Phase) -> None:
        hand = self._hand
        self._set_hand(calls=(*hand.calls, call), trump=trump, bidder=call.player, leader=other(hand.dealer))
        self._set(phase=phase)
