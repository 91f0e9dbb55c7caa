"""What is the answer to a question of calls made of? Contracts, the equilibrium's mix, what a call costs.

>>> from towerlab.games.cards import parse_card
>>> call_words("S"), [*suits_to_name(parse_card("QS"))]
('name ♠', ['H', 'D', 'C'])
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from towerlab.analysis.decision import INDIFFERENT, ROUNDING, SCALES, Alternative, Decision, Verdict
from towerlab.analysis.present import number_of, percent
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.stats import LEVEL, Estimate, normal_quantile
from towerlab.analysis.towers_and_bowers.deal_value import Accuracy, Held, accuracy_words
from towerlab.analysis.towers_and_bowers.stored_bidding import WHOLE_HAND
from towerlab.games.arrays import Bools, Ints
from towerlab.games.cards import SUITS, SYMBOLS, suit_of
from towerlab.games.towers_and_bowers import GAME, View
from towerlab.games.written import CardId, Mask, Record
from towerlab.solver.towers_and_bowers.upcard import named_suits

EQUILIBRIUM: Final = "equilibrium"
SELF_PLAY: Final = "self-play"
PIMC: Final = "pimc"
METHODS: Final = (EQUILIBRIUM, SELF_PLAY, PIMC)
AGAINST: Final = "against"
_LEARNED: Final = METHODS[:2]
HIDDEN_MODEL: Final = "cards hidden to the end; hands of up to 4 cards follow the solution, others the learned policy"
SEATS: Final = ("dealer", "nondealer")
PASS: Final = "pass"
ACCEPT: Final = "accept"
DIGITS: Final = 12  # values are rounded here: what differs less is an artefact of adding in floating point
HARDLY_EVER: Final = 0.01  # a decision that the equilibrium reaches less often is off its path
_TOLD: Final = 0.01  # a share below which a sentence does not tell it
_MIXED: Final = 0.01  # a call that is less often made, as printed, is not part of a mix
_SUIT_ORDER: Final = "SHDC"


@dataclass(frozen=True)
class ContractValue(Record, keys="make sweep swept tricks tower discard error?"):
    """A contract for the asker, averaged over the layouts.

    Attributes:
        make: P(the bidder takes the majority).
        sweep, swept: P(the asker takes all tricks / none).
        tricks: the asker's mean tricks.
        tower: P(the asker wins the tower).
        discard: the one card the asking dealer discards in all layouts, or None.
        error: the standard error of `tower` where it was played out, else None.
    """

    make: float
    sweep: float
    swept: float
    tricks: float
    tower: float
    discard: str | None = None
    error: float | None = None


@dataclass(frozen=True)
class PassValue(Record, keys="tower error?"):
    """A pass, whatever follows it: `tower` is P(the asker wins the tower), `error` as of `ContractValue`."""

    tower: float
    error: float | None = None


@dataclass(frozen=True)
class BidderContract(
    Record,
    keys="bidder trump make=value.make sweep=value.sweep swept=value.swept tricks=value.tricks tower=value.tower "
    "discard=value.discard off_path?",
):
    """A contract evaluated as if reached: the accepted up-card or a named suit, in the model of the answer.

    Attributes:
        bidder: ``"me"`` or ``"them"``.
        trump: suit letter.
        value: for the asker.
        off_path: the opponent's bids never lead there: as if they did with any hand alike.
    """

    bidder: str
    trump: str
    value: ContractValue
    off_path: bool = False


@dataclass(frozen=True)
class KnownCards(Record):
    """More known of the opponent's hand: printed masks of cards that it holds, and that it does not."""

    holds: Mask
    lacks: Mask

    def among(self, hands: Ints) -> Bools:
        """Return which hands (printed masks) fit, bool[hands]."""
        fits: Bools = (hands & (self.holds | self.lacks)) == self.holds
        return fits


def known_cards(view: View) -> KnownCards | None:
    """Return what a view tells of the opponent's hand besides the player's own cards; None where it is nothing."""
    knows_more = view.opponent_holds or view.gone & ~(view.hand | 1 << view.up)
    return KnownCards(view.opponent_holds, view.gone | view.hand) if knows_more else None


def seat_of(view: View) -> str:
    """Return the player's seat, of `SEATS`."""
    return SEATS[not view.deals]


def suits_to_name(up: int) -> dict[str, int]:
    """Return the suits that can be named, in the order S H D C, and their place among `named_suits`."""
    return {SUITS[suit]: place for place, suit in reversed([*enumerate(named_suits(up))])}


@dataclass(frozen=True)
class Mix(Record, keys="indifferent discards exploitability exploitability_of=values_of accuracy? floor values_of"):
    """The equilibrium's mix of calls and discards with the asker's hand.

    Attributes:
        probabilities: of each call.
        discards: of each card that can be discarded, by who has accepted, ``"me"`` or ``"them"``; a dealer's.
        exploitability: of the whole strategy.
        floor: least probability of every bid of the opponent: the perturbed game.
        values_of: what the values of the calls, and the exploitability, are of: ``"game"``.
        accuracy: of the values of this decision; None where only that of the whole strategy is known.
        reached: how often the equilibrium comes to this decision with the asker's hand, by the calls of both.
        costs: by how much each call, made always, is worse than the best one.
    """

    probabilities: Mapping[str, float]
    discards: Mapping[str, Mapping[str, float]]
    exploitability: float
    floor: float
    values_of: str
    accuracy: Accuracy | None = None
    reached: float = 1.0
    costs: Mapping[str, float] = field(default_factory=dict)

    @property
    def accuracy_words(self) -> str:
        """How far the values may be off on the mean."""
        return accuracy_words(self.exploitability, self.accuracy)

    @property
    def indifferent(self) -> bool:
        """Whether another call is as good as the best one, or all but."""
        return sorted(self.costs.values())[1] <= INDIFFERENT if len(self.costs) > 1 else False

    @property
    def usual(self) -> str:
        """The call that is made most often."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def holds(self) -> bool:
        """Whether the mix says what to do: on the path, where it costs nothing.

        Where the equilibrium hardly ever comes, learning has left anything at all: there values decide.
        """
        return self.reached >= HARDLY_EVER and self.costs.get(self.usual, 0.0) <= INDIFFERENT

    @property
    def made(self) -> list[str]:
        """The calls to mix, the most frequent first: none where the mix does not hold, none that costs anything."""
        often = [name for name, share in self.probabilities.items() if round(share, 3) >= _MIXED]
        sound = [name for name in often if self.holds and self.costs[name] <= INDIFFERENT]
        return sorted(sound, key=lambda name: -self.probabilities[name])


@dataclass(frozen=True)
class Rollouts(Record):
    """How calls were played out by the learned policy, all on the same deals.

    Attributes:
        n: deals of each call.
        seed: draws the other's hands and what the policy does.
        error: the standard error of the margin; of pairs.
    """

    n: int
    seed: int
    error: float

    def basis(self, alternative: str, hands: int) -> str:
        """Return ``"sampled: 2,000 deals of each call, of 11,440 hands, seed 0"``."""
        return f"sampled: {self.n:,} deals of each {alternative}, of {number_of(hands, 'hand')}, seed {self.seed}"


@dataclass(frozen=True)
class Losses:
    """The costs of the alternatives of a decision when somebody is graded by them; indifferent ones cost nothing.

    With open cards an alternative costs what its value is below the best one's. By a solution or a policy it costs
    nothing up to `INDIFFERENT`: the stored solutions are exploitable by a tenth of that, on the mean over hands, and a
    single hand may be further off.

    Attributes:
        best: what the others are compared with.
        of: P(win the tower) lost by each alternative, never negative.
    """

    best: str
    of: Mapping[str, float]


def losses(values: Mapping[str, float], best: str, is_learned: bool = False) -> Losses:
    """Return the costs of the alternatives of a decision.

    Args:
        values: P(win the tower) of each.
        best: one of the highest value.
        is_learned: whether the values are of a solution or a policy, which are exact only on the mean.
    """
    least = INDIFFERENT if is_learned else ROUNDING
    lost = {name: values[best] - value for name, value in values.items()}
    return Losses(best, {name: cost if cost > least else 0.0 for name, cost in lost.items()})


@dataclass(frozen=True)
class DiscardAnswer:
    """The value of each discard of a dealer.

    Attributes:
        values: P(win the tower) by card, the best one first.
        mix: what the equilibrium does; None where all cards are seen.
        layouts: hands of the opponent that were counted.
        made: how often the learned policy makes each, where it plays on; else empty.
        costs: by card, against the best, as it was played out, with simultaneous intervals; else empty.
        errors: by card, the standard error of its value; else empty.
        rollouts: how; else None.
    """

    values: Mapping[str, float]
    mix: Mix | None
    layouts: int
    made: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[str, Estimate] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    rollouts: Rollouts | None = None

    @property
    def method(self) -> str:
        """Of `METHODS`."""
        return SELF_PLAY if self.made else PIMC if self.mix is None else EQUILIBRIUM

    @property
    def basis(self) -> str:
        """How cards were played out; empty where they were not."""
        return "" if self.rollouts is None else self.rollouts.basis("card", self.layouts)

    def losses(self) -> Losses:
        """Return the cost of each discard to the player who makes it."""
        return losses(self.values, next(iter(self.values)), self.method != PIMC)


@dataclass(frozen=True)
class UpcardAnswer(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present:upcard_report",
    table="actions",
    keys="seat up layouts exact deal_value recommend verdict=decision.sentence margin actions contracts likelihood? "
    "taken? why against? known? values_of? interval? interval_held=held? rollouts?",
):
    """The answer to a bidding decision; `to_json` gives the keys of the command.

    Attributes:
        cards: hand size n.
        seat: ``"dealer"`` or ``"nondealer"``.
        up: the up-card.
        hand: printed mask of the dealt cards.
        second_round: whether the decision is the second one.
        layouts: how many opponent's hands were counted, all of them.
        deal_value: the W(n - 1) used, None at n = 1.
        actions: by ``"accept"``, ``"pass"`` or a suit letter: its contract, or a pass.
        recommend: the best action.
        method: ``"pimc"``, ``"equilibrium"``, ``"self-play"`` or ``"against"``.
        mix: of the equilibrium, else None.
        against: the player whose way of bidding is answered, else None.
        likelihood: how often the other bids so as to lead to this decision, else None.
        taken: how often the dealer accepts after the asker's pass; None where that is not asked or not known.
        model_error: root mean square, in mt, of how far such a margin of the policy is from that of the game
            (`deal_value`); 0 of a solution, None where nobody knows.
        held: how often such an interval held the game's gap; None where that was not counted.
        known: what else is known of the opponent's hand.
        values_of: of the learned policy, what the values are of; else None: see `Mix`.
        rollouts: how calls were played out, else None.
        costs: of each call against the best where they were played out, with simultaneous intervals; else empty.
    """

    cards: int
    seat: str
    up: CardId
    hand: Mask
    second_round: bool
    layouts: int
    deal_value: float | None
    actions: Mapping[str, ContractValue | PassValue]
    contracts: tuple[BidderContract, ...]
    recommend: str
    method: str = "pimc"
    mix: Mix | None = None
    against: str | None = None
    likelihood: float | None = None
    taken: float | None = None
    model_error: float | None = None
    held: Held | None = None
    known: KnownCards | None = None
    values_of: str | None = None
    rollouts: Rollouts | None = None
    costs: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the gap lies in 95 of 100, of calls played out: by the sample's error and the policy's together."""
        if self.rollouts is None:
            return None
        half = normal_quantile(LEVEL) * math.hypot(self.rollouts.error, (self.model_error or 0.0) / 1000)
        return rounded(self.gap - half), rounded(self.gap + half)

    @property
    def basis(self) -> str:
        """How calls were played out; empty where they were not."""
        return "" if self.rollouts is None else self.rollouts.basis("call", self.layouts)

    @property
    def decision(self) -> Decision[Alternative]:
        """Return the calls as alternatives, the recommended one first; chances in mt."""
        costs = self.costs or {name: Estimate(cost, cost, cost, 1) for name, cost in self.losses().of.items()}
        order = sorted(self.actions, key=lambda name: (name != self.recommend, -self.tower(name)))
        calls = (Alternative(call_words(name), 1000 * self.tower(name), costs[name].scaled(1000)) for name in order)
        drawn = 0 if self.rollouts is None else self.rollouts.n
        return Decision(tuple(calls), SCALES[GAME], drawn=drawn, draws="deal")

    @property
    def exact(self) -> bool:
        """Whether the values are those of the game itself, every hand counted; a model's never are."""
        return self.mix is not None and self.mix.values_of == WHOLE_HAND

    @property
    def gap(self) -> float:
        """P(win the tower) of accepting less that of passing, or the lead of what is recommended over the next best.

        Its sign may contradict `recommend`, by `INDIFFERENT` at most: the equilibrium's usual call may have been left a
        little less than another by learning.
        """
        if not self.second_round:
            return rounded(self.tower(ACCEPT) - self.tower(PASS))
        others = [value.tower for name, value in self.actions.items() if name != self.recommend]
        return rounded(self.tower(self.recommend) - max(others))

    @property
    def margin(self) -> float:
        """`gap` as it is reported: a tie, 0, where what is recommended is not the better call."""
        return 0.0 if (-self.gap if self.recommend == PASS and not self.second_round else self.gap) < 0 else self.gap

    @property
    def why(self) -> str:
        """Return what the best bid makes, and what follows a pass, in a sentence."""
        bid = self.actions[self.best_bid]
        passing = self.actions.get(PASS)
        assert isinstance(bid, ContractValue)
        named = f"Naming {SYMBOLS[SUITS.index(self.best_bid)]}" if self.second_round else "Accepting"
        said = f"{named} makes the contract {percent(bid.make)} of the time" + f" (a sweep {percent(bid.sweep)})" * (
            bid.sweep >= _TOLD
        )
        theirs = {contract.trump: contract.value.tower for contract in self.contracts if contract.bidder == "them"}
        if passing is None:
            return f"{said}."
        if self.taken is not None:
            taken = self.taken
            won = theirs[SUITS[suit_of(self.up)]]
            rest = passing.tower if taken >= 1 else min(1.0, max(0.0, (passing.tower - taken * won) / (1 - taken)))
            then = f"the dealer accepts {percent(taken)} of the time, and you then win {percent(won)}"
            also = f"; else you win {percent(rest)}" if taken < 1 - _TOLD else ""
            return f"{said}. After a pass {then}{also}."
        against = (
            f"{SYMBOLS[SUITS.index(suit)]} {percent(won)}"
            for suit, won in theirs.items()
            if self.second_round or suit != SUITS[suit_of(self.up)]
        )
        return f"{said}. After a pass you win {percent(passing.tower)}, by the suit they name: {', '.join(against)}."

    @property
    def reachable(self) -> tuple[BidderContract, ...]:
        """Return the contracts that can follow what is recommended: none once it names trumps."""
        calls = [self.recommend, *(self.mix.made if self.mix else ())]
        up = SUITS[suit_of(self.up)]
        if PASS not in calls:
            return ()
        mine = [
            contract
            for contract in self.contracts
            if not (contract.bidder == "me" and (self.second_round or contract.trump == up))
        ]
        return tuple(contract for contract in mine if contract.trump != up or self.seat == SEATS[1])

    @property
    def best_bid(self) -> str:
        """The bid that makes a close call: accepting, or the best suit to name."""
        return max((name for name in self.actions if name != PASS), key=self.tower)

    @property
    def best_other(self) -> str:
        """The best call beside `best_bid`."""
        return max((name for name in self.actions if name != self.best_bid), key=self.tower)

    @property
    def make_needed(self) -> float | None:
        """How often the asker has to make the best bid for it to be as good as the best other call.

        Sweeps and the value of the other call stay as they were counted. None where makes alone cannot decide: with one
        card, or beyond what sweeps leave.
        """
        bid = self.actions[self.best_bid]
        if not isinstance(bid, ContractValue) or self.deal_value is None:
            return None
        lead = bid.tower - self.tower(self.best_other)
        needed = bid.make - lead / (2 * self.deal_value - 1)  # who makes it deals next, else the other
        return rounded(needed) if bid.sweep <= needed <= 1 - bid.swept else None

    def tower(self, action: str) -> float:
        """Return P(win the tower) of an action."""
        return self.actions[action].tower

    def losses(self) -> Losses:
        """Return the cost of each call to who makes it."""
        return losses({name: self.tower(name) for name in self.actions}, self.recommend, self.method in _LEARNED)

    def to_json(self) -> dict[str, Any]:
        """Return the object of `towerlab upcard --json`; a mix that does not hold has no probabilities."""
        answer = super().to_json()
        decision = self.decision
        verdicts = {item.text: str(decision.verdict(item)) for item in decision.alternatives}
        for name, action in answer["actions"].items():
            action["verdict"] = verdicts[call_words(name)]
        if self.mix is None:
            return answer if self.values_of is None else answer | {"model_error": self.model_error}
        for name, action in answer["actions"].items():
            action["probability"] = self.mix.probabilities[name] if self.mix.holds else None
            action["cost"] = self.mix.costs[name]
        return answer | self.mix.to_json() | {"model_error": self.model_error}

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table of answers: percents are chances, points their differences."""
        call = self.actions[self.recommend]
        mix = self.mix
        decision = self.decision
        bid = call if isinstance(call, ContractValue) else None
        towers = {name: self.tower(name) if name in self.actions else None for name in (ACCEPT, PASS, *_SUIT_ORDER)}
        chances = {f"name_{name}" if name in SUITS else name: tower for name, tower in towers.items()}
        chances |= {name: None if bid is None else getattr(bid, name) for name in ("make", "sweep", "swept")}
        chances |= {
            "equilibrium": mix.probabilities[self.recommend] if mix is not None and mix.holds else None,
            "likelihood": self.likelihood,
            "deal_value": self.deal_value,
        }
        return {
            "cards": self.cards,
            "layouts": self.layouts,
            "method_used": self.method,
            "recommend": self.recommend,
            "margin_points": rounded(100 * self.margin),
            **{f"{name}_percent": None if of is None else rounded(100 * of) for name, of in chances.items()},
            "tricks": None if bid is None else bid.tricks,
            "discard": None if bid is None else bid.discard,
            "verdict": str(decision.verdict(decision.best)),
            "as_good": ", ".join(
                item.text for item in decision.alternatives if decision.verdict(item) == Verdict.AS_GOOD
            ),
            "model_error_points": None if self.model_error is None else rounded(self.model_error / 10),
            "rollouts": None if self.rollouts is None else self.rollouts.n,
            "sample_error_points": None if self.rollouts is None else rounded(100 * self.rollouts.error),
        }


def call_words(action: str) -> str:
    """Return ``"accept"``, ``"pass"``, ``"name ♥"``."""
    return {ACCEPT: "accept", PASS: "pass"}.get(action) or f"name {SYMBOLS[SUITS.index(action)]}"


def recommended(actions: Mapping[str, ContractValue | PassValue], mix: Mix | None) -> tuple[str, Mix | None]:
    """Return the best call, or the usual one of a mix that holds; the mix with what its calls cost."""
    if mix is None:
        return best_action(actions), None
    towers = {name: value.tower for name, value in actions.items()}
    best = max(towers.values())
    mix = replace(mix, costs={name: rounded(best - tower) for name, tower in towers.items()})
    return mix.usual if mix.holds else best_action(actions), mix


def best_action(actions: Mapping[str, ContractValue | PassValue]) -> str:
    """Return the call with the highest P(win the tower); of equals, more tricks, a bid before a pass, then S H D C."""

    def merit(name: str) -> tuple[float, float]:
        call = actions[name]
        return call.tower, call.tricks if isinstance(call, ContractValue) else -1.0

    return max(actions, key=merit)


def rounded(value: float) -> float:
    """Return a value as it is reported."""
    return round(float(value), DIGITS)
