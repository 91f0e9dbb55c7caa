"""How are cards played, and how is a renege corrected in time? The plays as actions of a match (TB-16 .. TB-23).

>>> _remove_card((0b1011, 0b0100), player=0, card=1)
(9, 4)
"""

from towerlab.games.cards import card_text, holds
from towerlab.games.engine import require
from towerlab.games.errors import IllegalAction, demand
from towerlab.games.towers_and_bowers.progress import MatchProgress, other, replace_value
from towerlab.games.towers_and_bowers.records import Ending, Phase, Renege, Trick
from towerlab.games.towers_and_bowers.rules import card_led_wins, hand_is_over, is_renege, legal_replies


class Playing(MatchProgress):
    """Actions of the play."""

    def legal_plays(self) -> int:
        """Printed mask of the cards with which the player to act follows the rules; 0 when no card is due.

        With `renege_mode=enforced` any card held may be played, which is what makes a renege possible.
        """
        hand = self._state.hand
        player = self._player_to_play()
        if hand is None or player is None:
            return 0
        if hand.led is None:
            return hand.hands[player]
        return int(legal_replies(hand.hands[player], 1 << hand.led, require(hand.trump)))

    def verify_play(self, card: int) -> None:
        """Check `play`.

        Raises:
            IllegalAction: not time to play, a card not held, or one that does not follow suit.
        """
        self._demand_phase("playing a card", "TB-18", Phase.PLAY, Phase.DISCARD)
        player = self._player_to_play()
        hand = self._hand
        if player is None:
            raise IllegalAction("the first card is led already; expected the dealer's discard", "TB-15")
        demand(holds(hand.hands[player], card), f"player {player} does not hold {card_text(card)}", "TB-18")
        if self.options.enforces_reneges and not hand.legal_only:
            return
        follows = bool(self.legal_plays() >> card & 1)
        led = "" if hand.led is None else card_text(hand.led)
        demand(follows, f"{card_text(card)} does not follow {led}; expected a card of the suit led", "TB-18")

    def play(self, card: int) -> None:
        """Play a card of the player to act; the non-dealer leads first, then the winner of each trick (TB-18).

        The non-dealer may lead before the discard is down, though waiting is right (TB-15).
        """
        player = require(self._player_to_play())
        hand = self._hand
        self._record("play", player=player, card=card_text(card))
        if hand.led is None:
            self._set_hand(hands=_remove_card(hand.hands, player, card), led=card)
            return
        reneges = hand.reneges
        if is_renege(hand.hands[player], 1 << hand.led, 1 << card, require(hand.trump)):
            reneges = (*reneges, Renege(player, len(hand.tricks) + 1))
        trick = _judge_trick(hand.leader, hand.led, card, require(hand.trump))
        self._set_hand(
            hands=_remove_card(hand.hands, player, card),
            tricks=(*hand.tricks, trick),
            leader=trick.winner,
            led=None,
            reneges=reneges,
        )
        if self._is_played_out():
            self._close_by_tricks(Ending.PLAYED, self._hand.taken)

    def verify_correct(self, card: int) -> None:
        """Check `correct`.

        Raises:
            IllegalAction: the last trick was no renege, the next was led, or the card does not follow suit.
        """
        hand = self._hand
        if hand.outcome is None:
            self._demand_phase("a correction", "TB-23", Phase.PLAY, Phase.CONSENT)
        demand(hand.led is None, "the next trick is led; a renege can no longer be corrected", "TB-23")
        demand(self.phase != Phase.PENALTY, "a penalty is being decided; expected it to be taken or declined", "TB-24")
        reneged = bool(hand.reneges) and hand.reneges[-1].trick == len(hand.tricks)
        demand(reneged, "the last trick holds no renege; expected nothing to correct", "TB-23")
        was_accepted = hand.outcome is not None and hand.outcome.ending == Ending.CLAIMED  # no trick was led since
        in_time = was_accepted or hand.closed_tricks() < len(hand.tricks)
        demand(in_time, "the hand is over; a renege can no longer be corrected", "TB-23")
        trick = hand.tricks[-1]
        able = hand.hands[other(trick.leader)] | 1 << trick.reply
        legal = int(legal_replies(able, 1 << trick.led, require(hand.trump)))
        demand(holds(legal, card), f"{card_text(card)} does not correct it; expected a card of the suit led", "TB-23")

    def correct(self, card: int) -> None:
        """Take back the renege in the last trick and play this card instead, without penalty (TB-23).

        It cancels a claim made meanwhile, even one that was proved or accepted and closed the hand: play goes on. The
        sheet allows it "before the next trick is led", and after a claim no trick is led. Once a claim is accepted, the
        other player can no longer insist on play, so an accusation is possible as well: the first of the two counts.
        """
        if self._hand.outcome is not None:
            self._reopen()
        self._set(phase=Phase.PLAY, claim=None)
        hand = self._hand
        wrong = hand.tricks[-1]
        player = other(wrong.leader)
        shown = 1 << wrong.reply
        trick = _judge_trick(wrong.leader, wrong.led, card, require(hand.trump))
        self._set_hand(
            hands=replace_value(hand.hands, player, (hand.hands[player] | shown) & ~(1 << card)),
            tricks=(*hand.tricks[:-1], trick),
            leader=trick.winner,
            reneges=hand.reneges[:-1],
            shown=replace_value(hand.shown, player, hand.shown[player] | shown),
        )
        self._record("correct", player=player, card=card_text(card))

    def _player_to_play(self) -> int | None:
        """Return the player who may play a card now; while the dealer discards, the non-dealer may already lead."""
        hand = self._state.hand
        if hand is not None and self.phase == Phase.DISCARD:
            return other(hand.dealer) if hand.led is None else None
        return self.to_act if self.phase == Phase.PLAY else None

    def _is_played_out(self) -> bool:
        """Return whether all tricks are played, or the others can change nothing and the match stops early (TB-21)."""
        hand = self._hand
        if hand.plays_out:
            return hand.tricks_left == 0
        bidder = require(hand.bidder)
        return bool(hand_is_over(hand.n, hand.taken[bidder], hand.taken[other(bidder)], self.options.hand_rules))


def _judge_trick(leader: int, led: int, reply: int, trump: int) -> Trick:
    winner = leader if card_led_wins(1 << led, 1 << reply, trump) else other(leader)
    return Trick(leader, led, reply, winner)


def _remove_card(masks: tuple[int, int], player: int, card: int) -> tuple[int, int]:
    return replace_value(masks, player, masks[player] & ~(1 << card))
