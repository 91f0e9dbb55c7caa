"""Which call has the most value with ten cards in hand? `towerlab bid bowers`.

>>> answer = ask_bid("JS JC AS KS QS TS 9S AH AD 7C", kitties=4, quiet=True)
>>> answer.recommend, answer.layouts
('9S', 4)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from towerlab.analysis.bidding.answers import ComparedAnswer, read_scores, tolerance_of
from towerlab.analysis.bidding.race import Forecast, Race, Solve, in_parts
from towerlab.analysis.bidding.trick_estimate import stored_estimate
from towerlab.analysis.bowers.score_states import SCORES_MODEL, win_chances
from towerlab.analysis.decision import Verdict
from towerlab.analysis.present import percent
from towerlab.analysis.stats import Estimate
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import (
    HAND_SIZE,
    MOST_TRICKS,
    OPEN,
    PASS,
    PLAYERS,
    Auction,
    BowersOptions,
    BowersRules,
    bid_trumps,
    call_symbol,
    call_text,
    game_winner,
    is_made,
)
from towerlab.games.cards import NO_TRUMP, TRUMPS, mask_text, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.written import Mask, Record
from towerlab.sim.bowers.continuation import (
    CALL_RULES,
    MISERE_STRAIN,
    SolvedBids,
    bid_of_strain,
    call_strains,
    calls_of_others,
    draw_layouts,
    result_values,
    strain_of,
)
from towerlab.sim.bowers.deciding import NOVICE
from towerlab.solver.double_dummy import shared_solver
from towerlab.solver.double_dummy.estimate import steps_of

Call: TypeAlias = Annotated[int, call_text]
KITTIES: Final = 400  # at most, by default
POOL: Final = 2000  # layouts in which the auction is followed, at least
FAILED_MISERE: Final = [1, 2, 3]  # tricks that a failing misère may take, as the estimate has it
STRAINS: Final = (*TRUMPS, "misere")
DRAWS: Final = 20261129  # seed of the tricks that are drawn around estimates

BURYING: Final = "every bidder buries by habit: low cards of short suits"
OTHERS_IN_WORDS: Final = {
    "novice": "the others call as novices on their sampled hands, drawn so that novices would have made the "
    "calls made so far (the closest, where too few fit)",
    "careful": "the others call as novices who keep a trick in hand where they may, on their sampled hands, drawn so "
    "that they would have made the calls made so far (the closest, where too few fit)",
    "random": "the others call at random, and their calls so far say nothing",
    "pass": "the others pass from now on, and their calls so far say nothing",
}


MODEL: Final = "double-dummy: the others call as novices while you pass, all bury by habit; then all see all cards"


@dataclass(frozen=True)
class CallValue(
    Record,
    keys="bid=call make score=score.mean interval=score.ends win=win.mean? win_interval=win.ends? declares defends "
    "cost=cost.mean cost_interval=cost.ends kitties=score.n",
):
    """The value of a legal call.

    Attributes:
        call: the number of the call (`games.bowers.rules`).
        make: how often the bid is made if it is played; None for a pass.
        score: the asker's points in the deal, less the mean of the others', after the rest of the auction.
        declares: how often the asker then plays a contract.
        defends: how often another player does.
        cost: the cost against the best call, in points, or in P(the asker wins the game) where scores were given.
        win: P(the asker wins the game), where scores were given.
    """

    call: Call
    make: float | None
    score: Estimate
    declares: float
    defends: float
    cost: Estimate
    win: Estimate | None


@dataclass(frozen=True)
class Defending(Record, keys="bid=call by make score=score.mean interval=score.ends"):
    """The value of the standing bid to the asker if all pass.

    Attributes:
        call: the standing bid.
        by: ``"left"`` or ``"right"``, the seat of its bidder.
        make: how often it is made.
        score: the asker's points less the mean of the others'.
    """

    call: Call
    by: str
    make: float
    score: Estimate


@dataclass(frozen=True)
class BidAnswer(
    ComparedAnswer,
    game="bowers",
    shown_by="towerlab.analysis.bowers.present:bid_report",
    table="ranked",
    keys="hand=held auction=called others scores doubled assumes kitties layouts actions defending "
    "tricks=by_strain recommend runner_up=second decided as_good verdict interval_kind:anytime why",
):
    """The value of every legal call, and which to make.

    Attributes:
        hand: printed mask.
        auction: the calls before this one.
        actions: every legal call in the order of the ladder.
        defending: the value of the standing bid; None where there is none.
        tricks: P(the bidder takes t tricks), float64[6, 11]: rows C D H S NT (with the kitty) and misère (without);
            NaN where no bid is left.
        kitties: the most kitties drawn for a call; each has a layout of its own.
        others: the rule by which the others call, a key of `sim.bowers.CALL_RULES`.
        scores: the scores of the asker, of the player on the left and of the one on the right, where given.
        doubled: whether the deal counts twice (BO-6).
    """

    cards = HAND_SIZE
    draws = "kitty"

    hand: Mask
    auction: Auction
    actions: tuple[CallValue, ...]
    defending: Defending | None
    tricks: Floats
    kitties: int
    others: str
    scores: tuple[int, int, int] | None
    doubled: bool

    @property
    def best(self) -> CallValue:
        """The recommended call."""
        return self.ranked[0]

    @cached_property
    def ranked(self) -> tuple[CallValue, ...]:
        """The legal calls, the best first: the most points, or the most games won where the scores were given."""
        return tuple(sorted(self.actions, key=lambda value: (-(value.win or value.score).mean, value.cost.mean)))

    @property
    def layouts(self) -> int:
        """The number of layouts: as many as kitties, since each is drawn with a layout of the other hands."""
        return self.kitties

    @property
    def by_chances(self) -> bool:
        return self.scores is not None

    def alternative_values(self) -> Iterable[tuple[str, Estimate, Estimate]]:
        return ((call_symbol(value.call), value.win or value.score, value.cost) for value in self.ranked)

    @property
    def as_good(self) -> tuple[Call, ...]:
        """The calls that are as good as the best one, or may be."""
        verdicts = map(self.decision.verdict, self.decision.alternatives)
        pairs = zip(self.ranked[1:], [*verdicts][1:], strict=True)
        return tuple(value.call for value, verdict in pairs if verdict != Verdict.WORSE)

    @property
    def recommend(self) -> str:
        """The recommended call in the notation of JSON."""
        return call_text(self.best.call)

    @property
    def why(self) -> str:
        """What the best bid and a pass lead to, in a sentence."""
        passed = next(value for value in self.actions if value.call == PASS)
        bid = next((value for value in self.ranked if value.call != PASS), None)
        after = f"after a pass you defend {percent(passed.defends)} of the time"
        after += f" and make {passed.score.mean:+.2f} points"
        if bid is None or bid.make is None:  # no bid is left; only a pass has no chance to be made
            return f"{after.capitalize()}."
        makes = f"{call_symbol(bid.call)} is made {percent(bid.make)} of the time"
        return f"{makes} and makes {bid.score.mean:+.2f} points; {after}."

    @property
    def assumes(self) -> dict[str, str]:
        """The assumption behind each kind of number, by its key in JSON."""
        assumptions = {
            "score": f"the auction goes on, {OTHERS_IN_WORDS[self.others]}; you pass from then on; double-dummy play "
            "after the bury; your points less the mean of the others', 0 for a deal thrown in",
            "make": f"the bid is played as it stands: double-dummy, {BURYING}",
            "tricks": f"you play in this trump: double-dummy, {BURYING}; misère for as few tricks as possible",
            "defending": "the standing bid is played as it stands, on the same layouts: double-dummy",
        }
        return assumptions | ({} if self.scores is None else {"win": f"after the deal so valued {SCORES_MODEL}"})

    @property
    def held(self) -> str:
        return mask_text(self.hand)

    @property
    def called(self) -> Sequence[Call]:
        return self.auction.calls

    @property
    def by_strain(self) -> dict[str, Floats | None]:
        order = (*range(NO_TRUMP - 1, -1, -1), NO_TRUMP, MISERE_STRAIN)
        return {STRAINS[row]: None if np.isnan(self.tricks[row, 0]) else self.tricks[row] for row in order}

    @property
    def second(self) -> dict[str, Any] | None:
        if len(self.actions) < 2:
            return None
        other = self.ranked[1]
        return {"bid": call_text(other.call), "behind": other.cost.mean, "interval": other.cost.ends}


@dataclass(frozen=True)
class BowersQuestion:
    """A question about an auction, as workers take it; seats are counted from the asker.

    Attributes:
        hand: printed mask of the asker's cards.
        auction: the calls so far.
        rules: the rules of the game.
        rule: the rule by which the others call, a value of `sim.bowers.CALL_RULES`.
    """

    hand: int
    auction: Auction
    rules: BowersRules
    rule: int = NOVICE

    @property
    def unseen(self) -> int:
        """Printed mask of all other cards."""
        return self.rules.deck & ~self.hand

    @cached_property
    def calls(self) -> tuple[int, ...]:
        """The legal calls."""
        return self.auction.legal_calls()

    @property
    def place(self) -> int:
        """The asker's place in the auction, 0 for the dealer's left."""
        return len(self.auction.calls) % PLAYERS

    @property
    def standing(self) -> tuple[int, int, int]:
        """The standing bid, the seat of its bidder or −1, and the passes since."""
        bidder = self.auction.bidder
        return self.auction.standing, -1 if bidder is None else (bidder - self.place) % PLAYERS, self.auction.passes


def ask_bid(
    hand: str,
    auction: str = "",
    options: BowersOptions | None = None,
    *,
    others: str = "novice",
    scores: str | None = None,
    doubled: bool = False,
    kitties: int = KITTIES,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
) -> BidAnswer:
    """Return the value of every legal call, and which to make.

    Args:
        hand: the asker's ten cards.
        auction: the calls so far, the dealer's left first; the next player is the asker.
        options: rule options; None for the defaults.
        others, kitties, seed, jobs, quiet: the same as in `judge_calls`.
        scores: those before the deal of the asker, the left player and the right player: ``"38,12,44"``. Calls
            are then compared by P(win the game).
        doubled: whether the deal counts twice (BO-6).

    Raises:
        TowerlabError: the cards are no hand, the auction is illegal or over, the rules cannot be solved, the rule for
            the others is unknown, or the game is over at these scores.
    """
    options = options or BowersOptions()
    mask = parse_mask(hand, options.deck, "the hand", HAND_SIZE)
    called = Auction.parse(auction, options.min_bid)
    if called.status != OPEN:
        raise TowerlabError(f"the auction {auction.strip()!r} is over; expected one in which somebody is to call")
    before = None if scores is None else _check_scores(scores, options)
    how: dict[str, Any] = {"kitties": kitties, "seed": seed, "jobs": jobs, "quiet": quiet}
    return judge_calls(mask, called, options, others=others, before=before, factor=1 + doubled, **how)


def judge_calls(
    hand: int,
    auction: Auction,
    options: BowersOptions,
    *,
    others: str = "novice",
    before: tuple[int, int, int] | None = None,
    factor: int = 1,
    kitties: int = KITTIES,
    seed: int = 0,
    **how: Any,
) -> BidAnswer:
    """Return the answer of `ask_bid` to a question that has been read and checked.

    Args:
        hand: printed mask of the asker's cards.
        auction: the calls so far.
        options: rule options.
        others: the rule by which the others call, a key of `sim.bowers.CALL_RULES`.
        before: the scores before the deal, the asker's first.
        factor: the number that multiplies the points of the deal (BO-6).
        kitties: how many to draw at most; fewer once the best call is known.
        seed: the seed of the sample.
        how: `jobs` and `quiet`, of `map_chunks`; the answer does not depend on them.
    """
    question = BowersQuestion(hand, auction, options.rules(), CALL_RULES[others])
    deals = FollowedCalls(question, max(POOL, kitties), seed, **how)
    points = result_values(options) * factor
    values = points if before is None else win_chances(before, question.place, factor, options, seed)
    tolerance = tolerance_of("bowers", before is not None)
    race = Race(deals.forecast(values), tolerance)
    race.run(deals.solver(values), kitties)
    scored = race if before is None else race.revalue(deals.forecast(points), deals.solver(points))
    seats = deals.results[..., 1]
    counts = deals.own_tricks(race)
    actions = tuple(
        CallValue(
            call=question.calls[place],
            make=made_share(question.calls[place], counts),
            score=scored.value(place),
            declares=float((seats[:, place] == 0).mean()),
            defends=float((seats[:, place] > 0).mean()),
            cost=race.costs[place],
            win=None if before is None else race.value(place),
        )
        for place in range(len(question.calls))
    )
    return BidAnswer(
        hand=hand,
        auction=auction,
        actions=actions,
        defending=_value_standing_bid(deals, race, points),
        tricks=counts,
        kitties=int(race.solved.max()),
        seed=seed,
        others=others,
        scores=before,
        doubled=factor == 2,
        options=options,
    )


class FollowedCalls:
    """The legal calls of a question, each followed to the end of the auction in a pool of layouts.

    Contracts are solved on request (`solver`).

    Args:
        question: the asker's hand, the auction and the rules.
        pool: how many layouts.
        seed: the seed of the layouts.
        how: `jobs` and `quiet`, of `map_chunks`.

    Attributes:
        results: the bid that wins the auction after each call and the seat of its bidder, int64[pool, calls, 2].
        estimate: the estimate of tricks; None with a joker and where the dealer's left leads, since it was not fitted
            for these.
    """

    def __init__(self, question: BowersQuestion, pool: int, seed: int, **how: Any) -> None:
        random = np.random.default_rng(seed)
        spoken = calls_of_others(question.auction.calls)
        layouts = draw_layouts(question.unseen, spoken, question.rule, question.rules, pool, random)
        random.shuffle(layouts)  # they come in the order of how well they fit the calls
        self.question = question
        self.contracts = SolvedBids(question.hand, layouts, question.place, question.rules, counts_misere=True)
        self.results = self.contracts.follow(question.calls, question.standing, question.rule, random)
        is_fitted = not question.rules.joker and not question.rules.eldest_leads
        self.estimate = stored_estimate("bowers") if is_fitted else None
        self._how: dict[str, Any] = {**how, "title": "kitties"}

    def forecast(self, values: Floats, results: Ints | None = None) -> Forecast:
        """Return what is known of the calls before any contract is solved.

        Args:
            values: float64[bids, seats, tricks], such as `sim.bowers.result_values`.
            results: results other than those of the calls.
        """
        reached = self.results if results is None else results
        bids = reached[..., 0]
        seats = reached[..., 1]
        codes = bids * PLAYERS + seats
        if self.estimate is None:
            unknown = Forecast.unknown(codes)
            return unknown._replace(likely=np.where((seats < 0).all(axis=0), 0.0, unknown.likely))
        steps = self._steps(bids, seats)
        expected = self._by_step(values)[bids, seats, steps]
        drawn = values[bids, seats, self._draw(bids, seats, steps)]
        return Forecast(codes, expected, drawn - expected, np.full(codes.shape[1], np.inf))

    def _steps(self, bids: Ints, seats: Ints) -> Ints:
        """Return the step of each contract's estimate, int64[pool, calls]; for a misère, whether it fails."""
        assert self.estimate is not None
        layouts = np.arange(len(self.results))
        contracts = np.where(seats < 0, -1, seats * len(STRAINS) + call_strains()[bids])
        steps = np.zeros_like(bids)
        for contract in np.unique(contracts[seats >= 0]):
            seat, strain = divmod(int(contract), len(STRAINS))
            is_it = contracts == contract
            rows = np.flatnonzero(is_it.any(axis=1))
            hands = self.contracts.played_hands(layouts[rows], seat, strain)
            trumps = int(bid_trumps(bid_of_strain(strain)))
            row_steps = np.zeros(len(layouts), dtype=np.int64)
            if strain == MISERE_STRAIN:
                row_steps[rows] = shared_solver().many_at_least(hands, 1, trumps, 0, fewest=True)
            else:
                row_steps[rows] = steps_of(self.estimate.tricks(hands, trumps), MOST_TRICKS)
            steps = np.where(is_it, row_steps[:, None], steps)
        return steps

    @cached_property
    def _chances(self) -> Floats:
        """P(tricks) by strain and step of the estimate, float64[strains, steps, tricks + 1]."""
        assert self.estimate is not None
        suit, no_trump = (self.estimate.chances(without, MOST_TRICKS) for without in (0, 1))
        misere = np.zeros_like(suit)
        misere[0, 0] = 1.0
        misere[1, FAILED_MISERE] = 1 / len(FAILED_MISERE)
        return np.stack((*[suit] * NO_TRUMP, no_trump, misere))

    def _by_step(self, values: Floats) -> Floats:
        """Return the mean values by bid, seat and step of the estimate."""
        means = np.einsum("bst,bet->bse", values, self._chances[call_strains()])
        means[PASS] = 0.0
        return np.asarray(means)

    def _draw(self, bids: Ints, seats: Ints, steps: Ints) -> Ints:
        """Draw tricks around the estimates, int64[pool, calls]; equal contracts get the same tricks."""
        strains = call_strains()[bids]
        draws = np.random.default_rng(DRAWS).random((len(bids), PLAYERS, len(STRAINS)))
        uniform = draws[np.arange(len(bids))[:, None], seats, strains]
        below = self._chances.cumsum(axis=2)[strains, steps, :-1]
        return np.asarray((uniform[..., None] >= below).sum(axis=-1))

    def solver(self, values: Floats, results: Ints | None = None) -> Solve:
        """Return a function that solves contracts: (layouts, calls) by number → values, float64[layouts, calls].

        Args:
            values, results: the same as in `forecast`.
        """
        reached = self.results if results is None else results

        def solve(layouts: Ints, calls: Ints) -> Floats:
            played = reached[np.ix_(layouts, calls)]
            return np.asarray(values[played[..., 0], played[..., 1], self.contracts.tricks_of(played, layouts)])

        return in_parts(solve, **self._how)

    def own_tricks(self, race: Race) -> Floats:
        """Return P(the asker takes t tricks) in every strain, float64[6, 11]; NaN where no bid is left."""
        shares = np.full((len(STRAINS), MOST_TRICKS + 1), np.nan)
        strains = np.array([-1 if call == PASS else strain_of(call) for call in self.question.calls])
        for strain in np.unique(strains[strains >= 0]):
            some = np.arange(race.solved[strains == strain].max())
            tricks = self.contracts.tricks_of(np.tile([bid_of_strain(int(strain)), 0], (len(some), 1, 1)), some)[:, 0]
            shares[strain] = np.bincount(tricks, minlength=MOST_TRICKS + 1) / len(some)
        return shares


def made_share(call: int, shares: Floats) -> float | None:
    """Return how often a bid is made, from P(t tricks) by strain, float64[6, 11]; None for a pass."""
    made = sum(float(shares[strain_of(call), t]) for t in range(MOST_TRICKS + 1) if is_made(call, t))
    return None if call == PASS else made


def _value_standing_bid(deals: FollowedCalls, race: Race, points: Floats) -> Defending | None:
    standing, bidder, _ = deals.question.standing
    if standing == PASS:
        return None
    as_it_stands = np.tile([standing, bidder], (len(deals.results), 1, 1))
    score = race.revalue(deals.forecast(points, as_it_stands), deals.solver(points, as_it_stands)).value(0)
    some = np.arange(race.solved.max())
    tricks = deals.contracts.tricks_of(as_it_stands[some], some)[:, 0]
    made = np.array([is_made(standing, int(taken)) for taken in tricks])
    return Defending(standing, ("left", "right")[bidder - 1], float(made.mean()), score)


def _check_scores(text: str, options: BowersOptions) -> tuple[int, int, int]:
    """Read the scores before the deal, the asker's first.

    Raises:
        TowerlabError: not three scores, or the game is over at them.
    """
    mine, left, right = read_scores(text, "38,12,44")
    if game_winner(mine, left, right, options.target) >= 0:
        raise TowerlabError(f"the game is over at {mine}, {left}, {right}; expected nobody alone at {options.target}")
    return mine, left, right
