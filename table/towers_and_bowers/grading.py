"""What did each decision of a match cost? Against the reference, decision by decision.

Graded are bids, discards, plays, claims and concessions that ended the hand, and answers to claims. A claim that the
other player refused changed nothing and cost nothing; so did a claim proved or accepted for no less than the
value of play. The first renege of a hand that is not corrected counts as the tower given away (TB-24): who checks can
prove it once the cards are played. Its correction is graded as the card would have been, an accusation by how it ended,
the decision of a penalty by the value of declining it, or of undoing the renege (TB-27).

    towerlab review match.jsonl
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from towerlab.analysis.decision import SCALES
from towerlab.analysis.players import Player
from towerlab.analysis.towers_and_bowers.answers import EQUILIBRIUM, PIMC, SELF_PLAY, Losses, losses_of_values
from towerlab.analysis.towers_and_bowers.claims import judge
from towerlab.analysis.towers_and_bowers.move import HIDDEN, Alternatives, Reference, open_card_alternatives
from towerlab.analysis.towers_and_bowers.simulation import seat_in_match
from towerlab.games.cards import SUITS, SYMBOLS, card_symbol, parse_card
from towerlab.games.engine import require
from towerlab.games.towers_and_bowers import (
    GAME,
    ClaimQuestion,
    MatchState,
    PendingClaim,
    Phase,
    TowersAndBowersOptions,
    View,
)
from towerlab.games.towers_and_bowers.links import position_of
from towerlab.games.towers_and_bowers.view import proved_renege
from towerlab.sim.own_players import Act
from towerlab.table.grading import ReviewedDecision
from towerlab.table.towers_and_bowers.steps import Step

MT: Final = 1000.0  # mt a tower: one mt is 0.001 of P(win the tower)

BENCHMARKS: Final = ("novice", "pimc")
"""Players of the simulator that answer the same questions, for comparison."""
BIDDING: Final = ("accept", "pass", "name", "discard")
_GRADERS: Final = {
    EQUILIBRIUM: "by the solution",
    SELF_PLAY: "by the learned policy",
    HIDDEN: "hands hidden",
    PIMC: "all cards seen",
}


@dataclass(frozen=True, kw_only=True)
class GradedDecision(ReviewedDecision):
    """One decision of a player.

    Attributes:
        hand: number of the hand in the match, from 1.
        phase: the phase of the match at the decision (`games.towers_and_bowers.Phase`).
        action: the action that was done: ``"accept"``, ``"name S"``, ``"discard 9C"``, ``"play JS"``, ``"claim 3"`` …
        better: a best alternative; the action itself if it costs nothing. Not to claim is ``"play on"``.
        reference: the method that graded it: ``"equilibrium"``, ``"self-play"``, ``"pimc"`` or ``"hidden"``.
    """

    hand: int
    phase: str
    action: str
    better: str
    reference: str

    def of_match(self) -> dict[str, Any]:
        """Return as in the JSON of a whole match."""
        place = {"hand": self.hand, "phase": self.phase, "player": self.seat}
        done = {"action": self.action, "best": self.better, "cost_mt": self.cost.mean}
        return place | done | {"reference": self.reference, "link": self.link}


class Grader:
    """Finds and grades the decisions of steps, under given rules."""

    def __init__(
        self, options: TowersAndBowersOptions, reference: str = EQUILIBRIUM, players: Sequence[Player] = BENCHMARKS
    ) -> None:
        self._reference = Reference(options, reference)
        self._players = {}
        if options.renege_mode == "forbidden":  # the only rules that players of the simulator know
            self._players = {str(player): seat_in_match(player, options) for player in dict.fromkeys(players)}

    def decisions(
        self,
        steps: Sequence[Step],
        seats: Sequence[int] = (0, 1),
        left_out: Collection[int] = (),
        advance: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Step, GradedDecision]]:
        """Yield every graded decision of some seats with its step, in order.

        Args:
            left_out: the numbers of steps that are left out, from 1.
            advance: a function called after each step.
        """
        for step, following in itertools.zip_longest(steps, steps[1:]):
            if step.action.get("player", step.to_act) in seats and step.number not in left_out:
                for decision in self._of_step(step, following, steps):
                    yield step, decision
            advance()

    def _of_step(self, step: Step, following: Step | None, steps: Sequence[Step]) -> Iterator[GradedDecision]:
        match step.action:
            case {"action": "accept" | "pass" | "name" as word, "player": player}:
                yield self._bid(step, player, " ".join(filter(None, (word, step.action.get("suit")))))
            case {"action": "discard", "player": dealer, "card": card}:
                if step.before.phase == Phase.BID1_D:  # discarding while the up-card is on offer accepts it (TB-14)
                    yield self._bid(step, dealer, "accept")
                choice = self._reference.discard(step.views[dealer])
                others = self._lost_by_others(step.views[dealer], choice) if step.before.phase == Phase.DISCARD else {}
                yield _graded(step, dealer, f"discard {card}", choice, phase=Phase.DISCARD, others=others)
            case {"action": "play", "player": player, "card": card}:
                if step.is_renege:
                    is_first = step.before.hand is not None and not step.before.hand.reneges  # alone penalised (TB-26)
                    if is_first and (following is None or following.name != "correct"):
                        yield self._renege(step, player, f"play {card}")
                else:
                    choice = self._reference.play(step.views[player])
                    others = self._lost_by_others(step.views[player], choice) if step.before.phase == Phase.PLAY else {}
                    yield _graded(step, player, f"play {card}", choice, others=others)
            case {"action": "claim" | "concede"}:
                accepted = following is not None and following.name == "consent"
                if (claim := _claim_in(step.after)) is not None:
                    yield self._statement(step, claim, step.after.claim is None or accepted)
            case {"action": "consent" | "insist" as word}:
                if (claim := _claim_in(step.before)) is not None:
                    yield self._answer(step, claim, word)
            case {"action": "correct", "player": player, "card": card}:
                legal = self._reference.play(_reneged(step, steps).views[player])
                values = {word.replace("play", "correct"): value for word, value in legal.values.items()}
                yield _graded(step, player, f"correct {card}", replace(legal, values=values, losses=_lost(values)))
            case {"action": "accuse", "player": player}:
                yield self._accusation(step, player)
            case {"action": word, "player": player} if step.before.penalty is not None:
                yield self._penalty(step, player, word, steps)

    def _renege(self, step: Step, player: int, word: str) -> GradedDecision:
        """Return a card that does not follow suit, among those that do."""
        legal = self._reference.play(step.views[player])
        values = {**legal.values, word: 0.0}
        choice = replace(legal, values=values, losses=_lost(values), kinds=legal.kinds + 1)
        return _graded(step, player, word, choice, "a renege: the other player may take the tower")

    def _accusation(self, step: Step, player: int) -> GradedDecision:
        """Return the grade of an accusation, by its result, against saying nothing."""
        penalty = step.after.penalty
        quiet, method = self._value_now(step, player)
        said = quiet if penalty is None else float(penalty.aggrieved == player)
        proved = proved_renege(step.views[player]) is not None
        values = {"accuse": said, "play on": quiet}
        note = f"{'proved' if proved else 'not proved'} by the cards seen"
        return _graded(step, player, "accuse", open_card_alternatives(values, 2, 0, reference=method), note)

    def _penalty(self, step: Step, player: int, word: str, steps: Sequence[Step]) -> GradedDecision:
        """Return the grade of taking or declining the tower, of offering to undo a renege, or of the answer."""
        penalty = step.before.penalty
        assert penalty is not None
        value, method = self._value_now(step, player)
        is_undone = word.endswith("undo") or (step.after.hand is not None and step.after.hand.outcome is None)
        if penalty.trick is not None and is_undone:
            value, method = self._reference.play_on(_reneged(step, steps).views[player])
        ends = {"take_penalty": 1.0, "decline_penalty": value, "offer_undo": value}
        if player == penalty.offender:
            ends = {"accept_undo": value, "decline_undo": 0.0}
        values = {answer: ends[answer] for answer in dict.fromkeys((next(iter(ends)), word))}
        return _graded(step, player, word, open_card_alternatives(values, 2, 0, reference=method))

    def _value_now(self, step: Step, player: int) -> tuple[float, str]:
        """Return the value to a player of the hand as it stands, and by what."""
        hand = step.after.hand if step.before.penalty is not None else step.before.hand
        if hand is not None and hand.outcome is not None:
            return self._reference.value_of_outcome(hand.n, hand.outcome, player), PIMC
        return self._reference.play_on(step.views[player])

    def _bid(self, step: Step, player: int, word: str) -> GradedDecision:
        second_round = step.before.phase in (Phase.BID2_ND, Phase.BID2_D)
        choice = self._reference.bid(step.views[player], second_round)
        return _graded(step, player, word, choice, others=self._lost_by_others(step.views[player], choice))

    def _lost_by_others(self, view: View, choice: Alternatives) -> dict[str, float]:
        """Return what players of the simulator would have lost with the same view."""
        words = {name: word_of(player, view) for name, player in self._players.items()}
        return {name: MT * choice.losses.of[word] for name, word in words.items() if word in choice.losses.of}

    def _statement(self, step: Step, claim: PendingClaim, ends_hand: bool) -> GradedDecision:
        """Return the grade of a claim or concession against playing on; a refused one has the value of playing on."""
        view = step.views[claim.player]
        word = f"{'concede' if claim.is_concession else 'claim'} {claim.tricks}"
        play_on, method = self._reference.play_on(view)
        value = self._value_of(step, claim, claim.player) if ends_hand else play_on
        question = ClaimQuestion(view, claim.tricks, claim.is_concession)
        sound = judge(question) if claim.verdict is None else claim.verdict
        note = f"{'sound' if sound else 'not sound'}, {'ends the hand' if ends_hand else 'refused'}"
        choice = open_card_alternatives({word: value, "play on": play_on}, 2, 0, reference=method)
        return _graded(step, claim.player, word, choice, note)

    def _answer(self, step: Step, claim: PendingClaim, word: str) -> GradedDecision:
        """Return the grade of consenting to a claim or concession, or of insisting on play."""
        player = 1 - claim.player
        insist, method = self._reference.play_on(step.views[player])
        values = {"consent": self._value_of(step, claim, player), "insist": insist}
        return _graded(step, player, word, open_card_alternatives(values, 2, 0, reference=method))

    def _value_of(self, step: Step, claim: PendingClaim, player: int) -> float:
        """Return the value to a player of a claim or concession that stands."""
        hand = step.before.hand
        assert hand is not None
        gainer = 1 - claim.player if claim.is_concession else claim.player
        gain = claim.tricks if player == gainer else hand.tricks_left - claim.tricks
        return self._reference.value_of_tricks(step.views[player], hand.taken[player] + gain)


def word_of(act: Act, view: View) -> str:
    """Return what that player bids, discards or plays, in the words of `GradedDecision.action`."""
    action = act(view, (), np.random.default_rng([view.hand, len(view.calls), len(view.tricks)]))
    return " ".join(str(word) for key, word in action.items() if key != "player")


def _reneged(step: Step, steps: Sequence[Step]) -> Step:
    """Return the renege that is corrected, or for which a penalty is decided."""
    penalty = step.before.penalty
    hand = step.before.hand
    trick = len(require(hand).tricks) if penalty is None else penalty.trick
    return next(earlier for earlier in reversed(steps[: step.number]) if earlier.is_renege and earlier.trick == trick)


def _lost(values: Mapping[str, float]) -> Losses:
    return losses_of_values(values, max(values, key=values.__getitem__))


def _claim_in(state: MatchState) -> PendingClaim | None:
    """Return the claim that waits for an answer, or has closed the hand because it was proved."""
    return state.claim or (None if state.hand is None else state.hand.proved)


def _graded(
    step: Step,
    player: int,
    action: str,
    choice: Alternatives,
    note: str = "",
    phase: Phase | None = None,
    others: Mapping[str, float] | None = None,
) -> GradedDecision:
    word = action.split()
    claim = int(word[1]) if word[0] in ("claim", "concede") else None
    better = choice.best if choice.losses.of[action] else action
    named = str(phase or step.before.phase)
    return GradedDecision(
        number=step.number,
        seat=player,
        view=step.views[player],
        habit=word[0].replace("_", " "),
        done=action_text(action),
        best=action_text(better),
        cost=choice.cost(action, MT),
        scale=SCALES[GAME],
        value=MT * choice.values[choice.best],
        others=others or {},
        options=choice.kinds,
        basis=", ".join(filter(None, (choice.basis_words, _GRADERS.get(choice.reference, "")))),
        is_forced=choice.kinds == 1,
        note=note,
        hand=step.hand,
        phase=named,
        action=action,
        better=better,
        reference=choice.reference,
        link=str(position_of(step.views[player], claim, word[0] == "concede")),
    )


def action_text(action: str) -> str:
    """Return an action with suit symbols: ``"play J♠"``, ``"name ♥"``, ``"claim 3"``."""
    word, _, rest = action.partition(" ")
    if word in ("play", "discard", "correct") and rest != "on":
        return f"{word} {card_symbol(parse_card(rest))}"
    return f"{word} {SYMBOLS[SUITS.index(rest)]}" if word == "name" else action.replace("_", " ")
