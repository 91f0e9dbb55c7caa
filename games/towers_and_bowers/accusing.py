"""Accusations of a renege and their penalties (TB-24 .. TB-27)."""

from __future__ import annotations

import dataclasses

from towerlab.games.engine import sure
from towerlab.games.errors import IllegalAction, demand
from towerlab.games.towers_and_bowers.records import (
    Ending,
    HandState,
    Outcome,
    Penalty,
    Phase,
    Renege,
)
from towerlab.games.towers_and_bowers.table import MatchTable, other


class Accusing(MatchTable):
    """Actions after a suspected renege.

    Rulings beyond RULES 1.6: to accuse the leader of a trick is a false accusation; once the penalty for a renege has
    been decided no other is heard in that hand (only the first is penalised); `stand` needs a result as played, so a
    renege penalty declined before the hand is over undoes the renege; a hand restored by `undo` is played out legally,
    so that an accusation in it can only be false.
    """

    def verify_accuse(self, player: int, trick: int | None = None) -> None:
        """Check `accuse`.

        Raises:
            IllegalAction: reneges are impossible or their time is over, or the trick can still be corrected.
        """
        demand(self.options.enforces_reneges, "no renege is possible with renege_mode=forbidden", "TB-24")
        demand(player in (0, 1), f"{player!r} is no player; expected 0 or 1", "TB-24")
        hand = self._state.hand
        if hand is None or hand.bidder is None:
            raise IllegalAction("no hand is open to accusations; the time for one is over or not yet come", "TB-25")
        demand(self.phase != Phase.PENALTY, "a penalty is being decided; expected it to be taken or declined", "TB-24")
        demand(not hand.renege_settled, "a renege of this hand has been penalised; only the first is", "TB-26")
        closed = hand.closed_tricks()
        demand(closed > 0, "no trick is past correction yet; expected an accusation after the next lead", "TB-23")
        if self.options.accuse_scope == "hand":
            demand(trick is None, "an accusation names no trick with accuse_scope=hand", "TB-24")
            return
        if trick is None or not 1 <= trick <= closed:
            raise IllegalAction(
                f"trick {trick!r} cannot be accused; expected the number of one from 1 to {closed}", "TB-24"
            )

    def accuse(self, player: int, trick: int | None = None) -> None:
        """Accuse the other player of a renege in a trick (with `accuse_scope=hand`, somewhere in the hand).

        Proven, it offers the tower to the one who did not renege first (TB-24, TB-26), even if the hand is over and a
        tower awarded (TB-25). Disproven before the last lead, it offers the tower to the accused; later, nothing.
        """
        hand = self._hand
        accused = other(player)
        closed = [renege for renege in hand.reneges if renege.trick <= hand.closed_tricks()]
        proven = any(renege.player == accused and trick in (None, renege.trick) for renege in closed)
        penalty = self._penalty(hand, player, closed[0] if proven else None)
        self._record("accuse", player=player, trick=trick)
        if penalty is not None:
            self._set(phase=Phase.PENALTY, penalty=penalty, claim=None)

    def verify_take_penalty(self) -> None:
        """Check `take_penalty`.

        Raises:
            IllegalAction: no penalty is on offer.
        """
        self._verify_penalty("taking a penalty", "TB-24")

    def take_penalty(self) -> None:
        """The aggrieved player takes the tower, whatever the hand's result was (TB-24, TB-25)."""
        penalty = self._decided("take_penalty")
        taken = self._hand.taken
        self._reopen()
        self._set_hand(renege_settled=penalty.trick is not None)
        self._close(Outcome(Ending.PENALTY, taken, tower_to=penalty.aggrieved, next_dealer=None))

    def verify_decline_penalty(self) -> None:
        """Check `decline_penalty`.

        Raises:
            IllegalAction: no penalty is on offer.
        """
        self._verify_penalty("declining a penalty", "TB-27")

    def decline_penalty(self) -> None:
        """The aggrieved player does without the tower (TB-27).

        After a false accusation the hand resumes; after a renege the option `renege_declined` says what follows.
        """
        penalty = self._decided("decline_penalty")
        hand = self._hand
        if penalty.trick is None:
            self._set(phase=penalty.resume, penalty=None)
        elif self.options.renege_declined == "award_hand":
            self._reopen()
            self._set_hand(renege_settled=True)
            self._close(Outcome(Ending.AWARDED, hand.taken, tower_to=None, next_dealer=penalty.aggrieved))
        elif self.options.renege_declined == "stand" and hand.outcome is not None:
            self._set(phase=penalty.resume, penalty=None)
            self._set_hand(renege_settled=True)
        else:
            self._undo(penalty.trick)

    def verify_offer_undo(self) -> None:
        """Check `offer_undo`.

        Raises:
            IllegalAction: no renege has been proved, or the offer was made before.
        """
        penalty = self._verify_penalty("an offer to undo", "TB-27")
        demand(penalty.trick is not None, "a false accusation leaves nothing to undo; expected a renege", "TB-27")
        demand(penalty.offered is None, "the offer to undo has been declined; expected another answer", "TB-27")

    def offer_undo(self) -> None:
        """The aggrieved player offers to undo the renege instead of taking the tower (TB-27)."""
        self._answer_offer("offer_undo", True)

    def verify_accept_undo(self) -> None:
        """Check `accept_undo`.

        Raises:
            IllegalAction: no offer waits for an answer.
        """
        self._verify_penalty("an answer to an offer", "TB-27", is_offered=True)

    def accept_undo(self) -> None:
        """The offender agrees: the hand goes on from the bad trick, played legally, to its result (TB-27)."""
        self._undo(sure(self._decided("accept_undo").trick))

    verify_decline_undo = verify_accept_undo

    def decline_undo(self) -> None:
        """The offender does not want the renege undone: the aggrieved player takes or declines the tower (TB-27)."""
        self._answer_offer("decline_undo", False)

    def _verify_penalty(self, what: str, rule: str, is_offered: bool = False) -> Penalty:
        """The penalty on offer, where it is the aggrieved player's to decide, or after an offer the offender's.

        Raises:
            IllegalAction: there is none, or it is the other's.
        """
        self._demand_phase(what, rule, Phase.PENALTY)
        penalty = sure(self._state.penalty)
        due = "an offer to undo" if is_offered else "an answer to the offer to undo"
        demand(bool(penalty.offered) == is_offered, f"{what} is not due; expected {due} first", rule)
        return penalty

    def _answer_offer(self, action: str, offered: bool) -> None:
        penalty = self._decided(action)
        self._set(penalty=dataclasses.replace(penalty, offered=offered))

    def _penalty(self, hand: HandState, accuser: int, first: Renege | None) -> Penalty | None:
        """Return the penalty that an accusation offers, given the first renege of the hand if it was proven."""
        resume = Phase.PLAY if self.phase == Phase.CONSENT else self.phase
        if first is not None:
            return Penalty(first.player, other(first.player), first.trick, resume)
        if hand.last_lead_is_made:
            return None
        return Penalty(accuser, other(accuser), None, resume)

    def _decided(self, action: str) -> Penalty:
        penalty = sure(self._state.penalty)
        self._record(action, player=self._actor())
        return penalty

    def _undo(self, number: int) -> None:
        """Restore the hand to the reply in that trick; both players have seen the cards that return (TB-27)."""
        self._reopen()
        hand = self._hand
        bad = hand.tricks[number - 1]
        undone = hand.tricks[number - 1 :]
        back = [0, 0]
        for trick in undone:
            back[trick.leader] |= 1 << trick.led
            back[other(trick.leader)] |= 1 << trick.reply
        if hand.led is not None:
            back[hand.leader] |= 1 << hand.led
        back[bad.leader] &= ~(1 << bad.led)
        self._set_hand(
            hands=(hand.hands[0] | back[0], hand.hands[1] | back[1]),
            shown=(hand.shown[0] | back[0], hand.shown[1] | back[1]),
            tricks=hand.tricks[: number - 1],
            leader=bad.leader,
            led=bad.led,
            reneges=(),
            legal_only=True,
        )
