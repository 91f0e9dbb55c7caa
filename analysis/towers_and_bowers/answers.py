"""What does an answer about calls hold? The values of contracts, the equilibrium's mix, and the cost of each call.

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
from towerlab.analysis.towers_and_bowers.deal_value import Accuracy, Coverage, accuracy_words
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
DIGITS: Final = 12  # of reported values: smaller differences are rounding errors of sums
HARDLY_EVER: Final = 0.01  # a decision that the equilibrium reaches less often is off its path
_TOLD: Final = 0.01  # sentences leave out smaller shares
_MIXED: Final = 0.01  # calls with a smaller printed share are not part of a mix
_SUIT_ORDER: Final = "SHDC"


@dataclass(frozen=True)
class ContractValue(Record, keys="make sweep swept tricks tower discard error?"):
    """The value of a contract to the asker, the mean over the layouts.

    Attributes:
        make: P(the bidder takes the majority).
        sweep, swept: P(the asker takes all tricks), P(the asker takes none).
        tricks: the asker's mean tricks.
        tower: P(the asker wins the tower).
        discard: the card that an asking dealer discards in all layouts, or None.
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
    """The value of a pass, with all that may follow; `tower` and `error` as in `ContractValue`."""

    tower: float
    error: float | None = None


@dataclass(frozen=True)
class BidderContract(
    Record,
    keys="bidder trump make=value.make sweep=value.sweep swept=value.swept tricks=value.tricks tower=value.tower "
    "discard=value.discard off_path?",
):
    """A contract (the accepted up-card or a named suit) with its value if it is reached.

    Attributes:
        bidder: ``"me"`` or ``"them"``.
        trump: the letter of the trump suit.
        value: the value to the asker, in the model of the answer.
        off_path: whether the opponent's calls never lead there; the value then takes all hands as equally likely.
    """

    bidder: str
    trump: str
    value: ContractValue
    off_path: bool = False


@dataclass(frozen=True)
class KnownCards(Record):
    """Facts about the opponent's hand: printed masks of the cards that it holds, and of those that it lacks."""

    holds: Mask
    lacks: Mask

    def fits(self, hands: Ints) -> Bools:
        """Return which hands (printed masks) fit, bool[hands]."""
        fitting: Bools = (hands & (self.holds | self.lacks)) == self.holds
        return fitting


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
        probabilities: the probability of each call.
        discards: a dealer's probabilities of each discard, by who has accepted, ``"me"`` or ``"them"``.
        exploitability: the exploitability of the whole strategy.
        floor: the least probability of every call of the opponent, in the perturbed game.
        values_of: the game that the values and the exploitability belong to: ``"game"``.
        accuracy: the accuracy of the values of this decision; None where only that of the whole strategy is known.
        reached: how often the equilibrium reaches this decision with the asker's hand, by the calls of both.
        costs: how much worse than the best one each call is, if it is always made.
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
        """The mean error of the values, in words."""
        return accuracy_words(self.exploitability, self.accuracy)

    @property
    def indifferent(self) -> bool:
        """Whether another call is as good as the best one, or nearly so."""
        return sorted(self.costs.values())[1] <= INDIFFERENT if len(self.costs) > 1 else False

    @property
    def usual(self) -> str:
        """The most frequent call."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def applies(self) -> bool:
        """Whether the mix is advice: the decision is on the path, and the usual call costs nothing.

        Where the equilibrium hardly ever comes, its probabilities are arbitrary: there values decide.
        """
        return self.reached >= HARDLY_EVER and self.costs.get(self.usual, 0.0) <= INDIFFERENT

    @property
    def mixed_calls(self) -> list[str]:
        """The calls to mix, the most frequent first, without those that cost anything; none unless the mix applies."""
        often = [name for name, share in self.probabilities.items() if round(share, 3) >= _MIXED]
        sound = [name for name in often if self.applies and self.costs[name] <= INDIFFERENT]
        return sorted(sound, key=lambda name: -self.probabilities[name])


@dataclass(frozen=True)
class Rollouts(Record):
    """How the learned policy played calls out, all on the same deals.

    Attributes:
        n: number of deals for each call.
        seed: the seed of the opponent's hands and the policy's actions.
        error: the standard error of the margin, from paired differences.
    """

    n: int
    seed: int
    error: float

    def basis(self, alternative: str, hands: int) -> str:
        """Return ``"sampled: 2,000 deals of each call, of 11,440 hands, seed 0"``."""
        return f"sampled: {self.n:,} deals of each {alternative}, of {number_of(hands, 'hand')}, seed {self.seed}"


@dataclass(frozen=True)
class Losses:
    """The costs of the alternatives of a decision, by which a player is graded; indifferent ones cost nothing.

    With open cards, the cost of an alternative is the difference of its value from the best one's. By a solution or a
    policy, differences up to `INDIFFERENT` cost nothing: the stored solutions are exploitable by a tenth of that on the
    mean over hands, and the error of a single hand may be larger.

    Attributes:
        best: the alternative that the others are compared with.
        of: P(win the tower) lost by each alternative, never negative.
    """

    best: str
    of: Mapping[str, float]


def losses_of_values(values: Mapping[str, float], best: str, is_learned: bool = False) -> Losses:
    """Return the costs of the alternatives of a decision.

    Args:
        values: P(win the tower) of each alternative.
        best: an alternative with the highest value.
        is_learned: whether the values come from a solution or a policy, which are accurate only on the mean.
    """
    least = INDIFFERENT if is_learned else ROUNDING
    lost = {name: values[best] - value for name, value in values.items()}
    return Losses(best, {name: cost if cost > least else 0.0 for name, cost in lost.items()})


@dataclass(frozen=True)
class DiscardAnswer:
    """The value of each discard of a dealer.

    Attributes:
        values: P(win the tower) by card, the best one first.
        mix: the equilibrium's mix; None with open cards.
        layouts: how many hands of the opponent were counted.
        policy_mix: how often the learned policy makes each discard, where it plays on; else empty.
        costs: the cost by card against the best with simultaneous intervals, where cards were played out; else empty.
        errors: the standard error of each card's value, where cards were played out; else empty.
        rollouts: how cards were played out; else None.
    """

    values: Mapping[str, float]
    mix: Mix | None
    layouts: int
    policy_mix: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[str, Estimate] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    rollouts: Rollouts | None = None

    @property
    def method(self) -> str:
        """The method that gave the values, one of `METHODS`."""
        return SELF_PLAY if self.policy_mix else PIMC if self.mix is None else EQUILIBRIUM

    @property
    def basis(self) -> str:
        """How cards were played out; empty where they were not."""
        return "" if self.rollouts is None else self.rollouts.basis("card", self.layouts)

    def losses(self) -> Losses:
        """Return the cost of each discard to the player who makes it."""
        return losses_of_values(self.values, next(iter(self.values)), self.method != PIMC)


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
        layouts: how many hands of the opponent were counted, all of them.
        deal_value: the W(n - 1) used, None at n = 1.
        actions: the value of each call, by ``"accept"``, ``"pass"`` or a suit letter.
        contracts: the value of each contract if it is reached.
        recommend: the best call.
        method: ``"pimc"``, ``"equilibrium"``, ``"self-play"`` or ``"against"``.
        mix: the equilibrium's mix, else None.
        against: the player whose calls the opponent makes, else None.
        likelihood: P(the opponent's calls so far), else None.
        taken: how often the dealer accepts after the asker's pass; None where that does not follow or is not known.
        model_error: the root mean square difference, in mt, of such a margin of the policy from the game's
            (`deal_value`); 0 for a solution, None where it is not known.
        held: how often such an interval held the game's gap; None where that was not counted.
        known: what else is known of the opponent's hand.
        values_of: the play that the learned policy's values come from; None where it is not used, see `Mix`.
        rollouts: how calls were played out, else None.
        costs: the cost of each call against the best with simultaneous intervals, where calls were played out; else
            empty.
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
    held: Coverage | None = None
    known: KnownCards | None = None
    values_of: str | None = None
    rollouts: Rollouts | None = None
    costs: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `gap` where calls were played out, from the errors of the sample and of the policy."""
        if self.rollouts is None:
            return None
        half = normal_quantile(LEVEL) * math.hypot(self.rollouts.error, (self.model_error or 0.0) / 1000)
        return round_value(self.gap - half), round_value(self.gap + half)

    @property
    def basis(self) -> str:
        """How calls were played out; empty where they were not."""
        return "" if self.rollouts is None else self.rollouts.basis("call", self.layouts)

    @property
    def decision(self) -> Decision[Alternative]:
        """The calls as alternatives, the recommended one first; chances in mt."""
        costs = self.costs or {name: Estimate(cost, cost, cost, 1) for name, cost in self.losses().of.items()}
        order = sorted(self.actions, key=lambda name: (name != self.recommend, -self.tower(name)))
        calls = (Alternative(call_words(name), 1000 * self.tower(name), costs[name].scaled(1000)) for name in order)
        drawn = 0 if self.rollouts is None else self.rollouts.n
        return Decision(tuple(calls), SCALES[GAME], drawn=drawn, draws="deal")

    @property
    def exact(self) -> bool:
        """Whether the values are the game's own, every hand counted; a model's values never are."""
        return self.mix is not None and self.mix.values_of == WHOLE_HAND

    @property
    def gap(self) -> float:
        """P(win the tower) of accepting less that of passing; in the second round the recommended call's lead.

        Its sign may contradict `recommend`, by `INDIFFERENT` at most: the equilibrium's usual call may have a slightly
        lower value than another one.
        """
        if not self.second_round:
            return round_value(self.tower(ACCEPT) - self.tower(PASS))
        others = [value.tower for name, value in self.actions.items() if name != self.recommend]
        return round_value(self.tower(self.recommend) - max(others))

    @property
    def margin(self) -> float:
        """`gap` as it is reported: 0, a tie, where the recommended call has the lower value."""
        return 0.0 if (-self.gap if self.recommend == PASS and not self.second_round else self.gap) < 0 else self.gap

    @property
    def why(self) -> str:
        """How often the best bid makes, and what follows a pass, in a sentence."""
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
            then = f"the dealer accepts {percent(taken)} of the time; you then win the tower {percent(won)} of the time"
            also = f", else {percent(rest)}" if taken < 1 - _TOLD else ""
            return f"{said}. After a pass {then}{also}."
        against = (
            f"{SYMBOLS[SUITS.index(suit)]} {percent(won)}"
            for suit, won in theirs.items()
            if self.second_round or suit != SUITS[suit_of(self.up)]
        )
        by_suit = f"by the suit that your opponent names: {', '.join(against)}"
        return f"{said}. After a pass you win the tower {percent(passing.tower)} of the time; {by_suit}."

    @property
    def reachable(self) -> tuple[BidderContract, ...]:
        """The contracts that can follow the recommended calls: none if they all name the trump."""
        calls = [self.recommend, *(self.mix.mixed_calls if self.mix else ())]
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
        """The best bid: accepting, or the best suit to name."""
        return max((name for name in self.actions if name != PASS), key=self.tower)

    @property
    def best_other(self) -> str:
        """The best call other than `best_bid`."""
        return max((name for name in self.actions if name != self.best_bid), key=self.tower)

    @property
    def make_needed(self) -> float | None:
        """How often the best bid has to make to be as good as the best other call.

        Sweeps and the value of the other call stay the same. None where this cannot decide: with one card, or where
        sweeps leave no such number.
        """
        bid = self.actions[self.best_bid]
        if not isinstance(bid, ContractValue) or self.deal_value is None:
            return None
        lead = bid.tower - self.tower(self.best_other)
        needed = bid.make - lead / (2 * self.deal_value - 1)  # who makes it deals next, else the other
        return round_value(needed) if bid.sweep <= needed <= 1 - bid.swept else None

    def tower(self, action: str) -> float:
        """Return P(win the tower) of an action."""
        return self.actions[action].tower

    def losses(self) -> Losses:
        """Return the cost of each call to the player who makes it."""
        return losses_of_values(
            {name: self.tower(name) for name in self.actions}, self.recommend, self.method in _LEARNED
        )

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
            action["probability"] = self.mix.probabilities[name] if self.mix.applies else None
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
            "equilibrium": mix.probabilities[self.recommend] if mix is not None and mix.applies else None,
            "likelihood": self.likelihood,
            "deal_value": self.deal_value,
        }
        return {
            "cards": self.cards,
            "layouts": self.layouts,
            "method_used": self.method,
            "recommend": self.recommend,
            "margin_points": round_value(100 * self.margin),
            **{f"{name}_percent": None if of is None else round_value(100 * of) for name, of in chances.items()},
            "tricks": None if bid is None else bid.tricks,
            "discard": None if bid is None else bid.discard,
            "verdict": str(decision.verdict(decision.best)),
            "as_good": ", ".join(
                item.text for item in decision.alternatives if decision.verdict(item) == Verdict.AS_GOOD
            ),
            "model_error_points": None if self.model_error is None else round_value(self.model_error / 10),
            "rollouts": None if self.rollouts is None else self.rollouts.n,
            "sample_error_points": None if self.rollouts is None else round_value(100 * self.rollouts.error),
        }


def call_words(action: str) -> str:
    """Return ``"accept"``, ``"pass"``, ``"name ♥"``."""
    return {ACCEPT: "accept", PASS: "pass"}.get(action) or f"name {SYMBOLS[SUITS.index(action)]}"


def recommend_call(actions: Mapping[str, ContractValue | PassValue], mix: Mix | None) -> tuple[str, Mix | None]:
    """Return the best call, or the usual one of a mix that holds; the mix with what its calls cost."""
    if mix is None:
        return best_action(actions), None
    towers = {name: value.tower for name, value in actions.items()}
    best = max(towers.values())
    mix = replace(mix, costs={name: round_value(best - tower) for name, tower in towers.items()})
    return mix.usual if mix.applies else best_action(actions), mix


def best_action(actions: Mapping[str, ContractValue | PassValue]) -> str:
    """Return the call with the highest P(win the tower); of equals, more tricks, a bid before a pass, then S H D C."""

    def merit(name: str) -> tuple[float, float]:
        call = actions[name]
        return call.tower, call.tricks if isinstance(call, ContractValue) else -1.0

    return max(actions, key=merit)


def round_value(value: float) -> float:
    """Return a value as it is reported."""
    return round(float(value), DIGITS)
