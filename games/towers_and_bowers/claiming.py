"""How does a hand end before its last trick? By claims and concessions (TB-28 .. TB-30), or by accusing the other of a
renege (TB-24 .. TB-27).

>>> from towerlab.games.towers_and_bowers.engine import Match
>>> [name for name in Match.ACTIONS if hasattr(Claiming, name) and not hasattr(Playing, name)]
['claim', 'concede', 'consent', 'insist']
"""

import dataclasses

from towerlab.games.engine import require
from towerlab.games.errors import IllegalAction, demand
from towerlab.games.towers_and_bowers.playing import Playing
from towerlab.games.towers_and_bowers.progress import MatchProgress, other
from towerlab.games.towers_and_bowers.records import (
    ClaimQuestion,
    Ending,
    HandState,
    Outcome,
    Penalty,
    PendingClaim,
    Phase,
    Renege,
    View,
)
from towerlab.games.towers_and_bowers.view import view_of


class Claiming(Playing):
    """Actions around claims, and the views they rest on.

    A claim of k ends the hand, if it stands, with k of the tricks left to the claimant and the others to the
    opponent; a concession of k with k to the opponent. The judge is asked about every claim, and about concessions of
    all tricks left: to close the hand on a concession of fewer would give the conceder the rest unproved, so that
    needs consent.
    """

    def _view(self, seat: int, for_judge: bool = False) -> View:
        legal = self.legal_plays() if self._player_to_play() == seat else 0
        return view_of(self._state, seat, self.to_act, legal, self.options, for_judge)

    def claim_question(self, player: int, tricks: int, is_concession: bool = False) -> ClaimQuestion:
        """Return the question to a judge if the player claimed, or conceded, so many tricks now.

        Raises:
            IllegalAction: not during the play, or more tricks than are left.
        """
        self._verify_statement(player, tricks)
        return ClaimQuestion(self._view(player, for_judge=True), tricks, is_concession)

    def verify_claim(self, player: int, tricks: int) -> None:
        """Check `claim`.

        Raises:
            IllegalAction: claims are off, not during the play, or more tricks than are left.
        """
        demand(self.options.claims != "off", "claims are off; expected the cards to be played", "TB-28")
        self._verify_statement(player, tricks)

    def claim(self, player: int, tricks: int) -> None:
        """Claim so many of the tricks left, at any time of the play (TB-28); a proved claim closes the hand (TB-29)."""
        self._state_claim("claim", player, tricks)

    verify_concede = verify_claim

    def concede(self, player: int, tricks: int) -> None:
        """Give so many of the tricks left to the other player (TB-28); proved, it closes the hand (TB-30)."""
        self._state_claim("concede", player, tricks)

    def verify_consent(self) -> None:
        """Check `consent`.

        Raises:
            IllegalAction: no claim waits for an answer.
        """
        self._demand_phase("consent", "TB-28", Phase.CONSENT)

    def consent(self) -> None:
        """Accept the other player's claim or concession, sound or not: it is final but for reneges (TB-28, TB-30)."""
        claim = require(self._state.claim)
        self._record("consent", player=self._actor())
        self._close_by_claim(claim)

    def verify_insist(self, player: int | None = None) -> None:
        """Check `insist`.

        Raises:
            IllegalAction: no claim waits for an answer, none has closed the hand without the other's consent, and it
                has not stopped early; or the other player is to insist.
        """
        if self._has_stopped():
            demand(player in (None, 0, 1), f"{player!r} is no player; expected 0 or 1", "TB-28")
            return
        proved = self._proved()
        if proved is None:
            self._demand_phase("insisting on play", "TB-28", Phase.CONSENT)
        expected = self.to_act if proved is None else other(proved.player)
        demand(player in (None, expected), f"player {player} claims; expected player {expected} to insist", "TB-28")

    def insist(self, player: int | None = None) -> None:
        """Have the cards played; the hand goes on as if nothing had been said (TB-28).

        Either player may insist on the tricks that an early stop has left (TB-21).

        A hand that a proved claim has closed is reopened until the first card of the next one is dealt (TB-25); what
        is claimed in it from then on needs consent.
        """
        if self._has_stopped():
            self._record("insist", player=player)
            self._reopen()
            self._set_hand(plays_out=True)
            return
        claim = require(self._proved() or self._state.claim)
        self._record("insist", player=other(claim.player))
        if self._proved() is not None:
            self._reopen()
            self._set_hand(needs_consent=True)
        self._set(phase=Phase.PLAY, claim=None)

    def _has_stopped(self) -> bool:
        """Return whether the hand is over with tricks left that could change nothing (TB-21)."""
        hand = self._state.hand
        outcome = None if hand is None or self.phase == Phase.PENALTY else hand.outcome
        return outcome is not None and outcome.ending == Ending.PLAYED and self._hand.tricks_left > 0

    def _proved(self) -> PendingClaim | None:
        """Return the claim that closed the hand without consent, while it can still be played out."""
        hand = self._state.hand
        return None if hand is None or self.phase == Phase.PENALTY else hand.proved

    def _verify_statement(self, player: int, tricks: int) -> None:
        self._demand_phase("a claim", "TB-28", Phase.PLAY)
        demand(player in (0, 1), f"{player!r} is no player; expected 0 or 1", "TB-28")
        left = self._hand.tricks_left
        demand(1 <= tricks <= left, f"{tricks} tricks stated of {left} left; expected 1 to {left}", "TB-28")

    def _state_claim(self, action: str, player: int, tricks: int) -> None:
        is_concession = action == "concede"
        verdict = self._verdict(player, tricks, is_concession)
        claim = PendingClaim(player, tricks, is_concession, verdict)
        self._record(action, player=player, tricks=tricks)
        if verdict:
            self._set_hand(proved=claim)
            self._close_by_claim(claim)
        else:
            self._set(phase=Phase.CONSENT, claim=claim)

    def _verdict(self, player: int, tricks: int, is_concession: bool) -> bool | None:
        """Return the judge's verdict, or None where only consent counts."""
        partial_concession = is_concession and tricks < self._hand.tricks_left
        if self.options.claims != "verified" or partial_concession or self._hand.needs_consent:
            return None
        return bool(require(self.judge)(self.claim_question(player, tricks, is_concession)))

    def _close_by_claim(self, claim: PendingClaim) -> None:
        hand = self._hand
        gains = [hand.tricks_left - claim.tricks] * 2
        gains[other(claim.player) if claim.is_concession else claim.player] = claim.tricks
        self._close_by_tricks(Ending.CLAIMED, (hand.taken[0] + gains[0], hand.taken[1] + gains[1]))


class Accusing(MatchProgress):
    """Actions after a suspected renege.

    Rulings beyond TB-22 to TB-27: to accuse the leader of a trick is a false accusation; once the penalty for a renege
    has been decided no other is heard in that hand (only the first is penalised); `stand` needs a result as played, so
    a renege penalty declined before the hand is over undoes the renege; a hand restored by `undo` is played out
    legally, so that an accusation in it can only be false.
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
        self._undo(require(self._decided("accept_undo").trick))

    verify_decline_undo = verify_accept_undo

    def decline_undo(self) -> None:
        """The offender does not want the renege undone: the aggrieved player takes or declines the tower (TB-27)."""
        self._answer_offer("decline_undo", False)

    def _verify_penalty(self, what: str, rule: str, is_offered: bool = False) -> Penalty:
        """Return the penalty on offer, where it is the aggrieved player's to decide, or after an offer the offender's.

        Raises:
            IllegalAction: there is none, or it is the other's.
        """
        self._demand_phase(what, rule, Phase.PENALTY)
        penalty = require(self._state.penalty)
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
        penalty = require(self._state.penalty)
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
