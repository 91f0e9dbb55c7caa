"""How far is a match? Its state, who acts next, how a hand and a tower end: the base class of all actions.

>>> other(0), replace_value((1, 2), player=0, value=5)
(1, (5, 2))
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from towerlab.games.engine import Engine, Result, require
from towerlab.games.errors import IllegalAction, TowerlabError
from towerlab.games.towers_and_bowers.options import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.records import Ending, HandState, Judge, MatchState, Outcome, Phase
from towerlab.games.towers_and_bowers.rules import BIDDER_DEALS, BIDDER_SWEEPS, DEFENDER_SWEEPS, hand_result


def other(player: int) -> int:
    """Return the other player."""
    return 1 - player


class MatchProgress(Engine[TowersAndBowersOptions, MatchState]):
    """The state of a match, and the helpers of its actions."""

    def __init__(self, options: TowersAndBowersOptions | None = None, judge: Judge | None = None) -> None:
        options = options or TowersAndBowersOptions()
        if options.claims == "verified" and judge is None:
            raise TowerlabError("a match with claims=verified needs a judge; expected judge=… or claims=off or free")
        self.judge = judge
        state = _new_tower((0, 0), Phase.SHUFFLE, options)
        super().__init__(
            options, state if state.dealer is not None else dataclasses.replace(state, phase=Phase.STARTER)
        )

    # ------------------------------------------------------------------------------------------- what can be seen

    @property
    def to_act(self) -> int | None:
        """The player whose turn it is; None while chance shuffles, cuts and deals, and after the end."""
        state = self._state
        hand = self._state.hand
        if state.penalty is not None:
            return state.penalty.offender if state.penalty.offered else state.penalty.aggrieved
        if state.claim is not None:
            return other(state.claim.player)
        if hand is not None and state.phase == Phase.PLAY:
            return hand.leader if hand.led is None else other(hand.leader)
        if state.phase in (Phase.BID1_ND, Phase.BID2_ND):
            return other(require(state.dealer))
        if state.phase in (Phase.BID1_D, Phase.DISCARD, Phase.BID2_D):
            return state.dealer
        return None

    @property
    def result(self) -> Result | None:
        """The winner and the towers; accusations are heard, and a proved claim may be played out, all the same."""
        if self.phase != Phase.MATCH_OVER:
            return None
        return Result(
            (require(self._state.winner),),
            self._state.towers,
            f"{self.options.towers_to_win} tower{'s' * (self.options.towers_to_win > 1)}",
        )

    def _begins(self) -> Mapping[str, tuple[int, int, int]]:
        return {
            "score": (2, 0, self.options.towers_to_win - 1),
            "cards": (1, 1, self.options.first_n),
            "dealer": (1, 0, 1),
        }

    def _begin_at(self, start: Mapping[str, tuple[int, ...]]) -> MatchState:
        if "cards" in start and "dealer" not in start:
            raise TowerlabError("cards without a dealer; expected dealer=0 or dealer=1 beside it")
        first, second = start.get("score", (0, 0))
        new = _new_tower((first, second), self._first.phase, self.options)
        if "dealer" not in start:
            return new
        (n,) = start.get("cards", (new.n,))
        (dealer,) = start["dealer"]
        return dataclasses.replace(new, phase=Phase.SHUFFLE, n=n, dealer=dealer)

    # ------------------------------------------------------------------------------------------- for the actions

    @property
    def _hand(self) -> HandState:
        """The hand in play or just over.

        Raises:
            IllegalAction: no cards have been dealt.
        """
        if self._state.hand is None:
            raise IllegalAction("no cards have been dealt; expected a deal first", "TB-8")
        return self._state.hand

    def _actor(self) -> int:
        """Return the player to act, where it can be only one."""
        return require(self.to_act)

    def _set_hand(self, **changes: Any) -> None:
        self._set(hand=dataclasses.replace(self._hand, **changes))

    # ---------------------------------------------------------------------------------- the end of hands and towers

    def _close_by_tricks(self, ending: Ending, taken: tuple[int, int]) -> None:
        """End the hand with so many tricks for each player (TB-20)."""
        bidder = require(self._hand.bidder)
        result = int(hand_result(self._hand.n, taken[bidder], self.options.hand_rules))
        bidder_gains = result in (BIDDER_SWEEPS, BIDDER_DEALS)
        gainer = bidder if bidder_gains else other(bidder)
        if result in (BIDDER_SWEEPS, DEFENDER_SWEEPS):
            self._close(Outcome(ending, taken, tower_to=gainer, next_dealer=None))
        else:
            self._close(Outcome(ending, taken, tower_to=None, next_dealer=gainer))

    def _close(self, outcome: Outcome) -> None:
        """End the hand: award the tower or make the next hand ready (TB-1, TB-2, TB-3)."""
        hand = dataclasses.replace(self._hand, outcome=outcome)
        towers = self._state.towers
        if outcome.tower_to is None:
            n = hand.n if outcome.ending == Ending.THROWN_IN else hand.n - 1
            self._state = MatchState(Phase.HAND_OVER, towers, n, outcome.next_dealer, hand=hand)
            return
        towers = replace_value(towers, outcome.tower_to, towers[outcome.tower_to] + 1)
        self._state = dataclasses.replace(_new_tower(towers, Phase.TOWER_OVER, self.options), hand=hand)
        if towers[outcome.tower_to] == self.options.towers_to_win:
            self._set(phase=Phase.MATCH_OVER, winner=outcome.tower_to)

    def _reopen(self) -> None:
        """Take back the hand's outcome, an awarded tower included (TB-25); what was made ready since is dropped."""
        hand = self._hand
        towers = self._state.towers
        if hand.outcome is not None and hand.outcome.tower_to is not None:
            towers = replace_value(towers, hand.outcome.tower_to, towers[hand.outcome.tower_to] - 1)
        hand = dataclasses.replace(hand, outcome=None, proved=None)
        self._state = MatchState(Phase.PLAY, towers, hand.n, hand.dealer, hand=hand)


def _new_tower(towers: tuple[int, int], phase: Phase, options: TowersAndBowersOptions) -> MatchState:
    """Return a tower that is to begin (TB-3); its dealer is None where a starter has to find one."""
    dealer = {"procedure": None, "fixed": 0, "alternate": sum(towers) % 2}[options.starter]
    return MatchState(phase, towers, options.first_n, dealer)


def replace_value(pair: tuple[int, int], player: int, value: int) -> tuple[int, int]:
    """Return a pair with another value for one player."""
    return (value, pair[1]) if player == 0 else (pair[0], value)
