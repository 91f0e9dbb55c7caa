"""Claims and concessions (TB-28 .. TB-30)."""

from __future__ import annotations

from towerlab.games.engine import sure
from towerlab.games.errors import demand
from towerlab.games.towers_and_bowers.playing import Playing
from towerlab.games.towers_and_bowers.records import (
    ClaimQuestion,
    Ending,
    PendingClaim,
    Phase,
    View,
)
from towerlab.games.towers_and_bowers.table import other
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
        claim = sure(self._state.claim)
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
        claim = sure(self._proved() or self._state.claim)
        self._record("insist", player=other(claim.player))
        if self._proved() is not None:
            self._reopen()
            self._set_hand(needs_consent=True)
        self._set(phase=Phase.PLAY, claim=None)

    def _has_stopped(self) -> bool:
        """Whether the hand is over with tricks left that could change nothing (TB-21)."""
        hand = self._state.hand
        outcome = None if hand is None or self.phase == Phase.PENALTY else hand.outcome
        return outcome is not None and outcome.ending == Ending.PLAYED and self._hand.tricks_left > 0

    def _proved(self) -> PendingClaim | None:
        """The claim that closed the hand without consent, while it can still be played out."""
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
        """The judge's verdict, or None where only consent counts."""
        partial_concession = is_concession and tricks < self._hand.tricks_left
        if self.options.claims != "verified" or partial_concession or self._hand.needs_consent:
            return None
        return bool(sure(self.judge)(self.claim_question(player, tricks, is_concession)))

    def _close_by_claim(self, claim: PendingClaim) -> None:
        hand = self._hand
        gains = [hand.tricks_left - claim.tricks] * 2
        gains[other(claim.player) if claim.is_concession else claim.player] = claim.tricks
        self._close_by_tricks(Ending.CLAIMED, (hand.taken[0] + gains[0], hand.taken[1] + gains[1]))
