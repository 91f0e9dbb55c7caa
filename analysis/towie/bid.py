"""Which call should I make in Towie? `towerlab bid towie` solves layouts of the 33 unseen cards double-dummy.

1. The legal calls run a race on the same layouts (`analysis.bidding.race`). After each call the auction goes on by a
   stated rule (`analysis.towie.calls`), and the contract it reaches is solved as far as the race needs it.
2. If the best call is a game contract of the asker's, fresh layouts test on request how often it makes, until the
   interval is narrow enough.
3. Pairs of layouts, one with the six exposed cards in the dummy and one with an average dummy, give the value of the
   six.

The answer does not depend on the number of workers.

    towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"
"""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from towerlab.analysis.bidding.answers import LARGEST, ComparedAnswer, read_scores, tolerance_of
from towerlab.analysis.bidding.race import Forecast, Race
from towerlab.analysis.bidding.trick_estimate import stored_estimate
from towerlab.analysis.present import note
from towerlab.analysis.stats import Estimate, planned_size, share_interval
from towerlab.analysis.study import map_chunks
from towerlab.analysis.towie.calls import (
    FollowedCalls,
    Prospects,
    TowieQuestion,
    TrickQuestions,
    auction_model,
    deal_layouts,
    even_draws,
    sample_pairs,
    win_model,
)
from towerlab.analysis.towie.contracts import ME, PLACES, TowieStakes
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_52, NO_TRUMP, TRUMPS, card_text, mask_cards, mask_text, parse_mask, trump_field
from towerlab.games.errors import CardError, TowerlabError, at_fault, blame, did_you_mean
from towerlab.games.pbn import hand_text, parse_hand
from towerlab.games.towie.auction import (
    BID,
    BIDDER,
    CALLERS,
    DOUBLING,
    LAST_BID,
    PASS,
    auction_is_over,
    auction_of,
    auction_text,
    call_text,
    parse_auction,
    strain_of,
)
from towerlab.games.towie.dealing import EXPOSED, HAND_SIZE
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract, call_symbol
from towerlab.games.written import Mask, Record
from towerlab.sim.towie.outcomes import STRAINS, Outcomes, in_play_order
from towerlab.solver.double_dummy.estimate import steps_of

CONTRACT_MODEL: Final = "double-dummy; the contract is played as it stands, undoubled: no call follows it"
Call: TypeAlias = Annotated[int, call_text]
LAYOUTS: Final = 64  # the most that are solved by default; fewer where a first answer would take too long
POOL: Final = 2000  # the auction is followed in at least so many layouts
PAIRS: Final = 16
TESTS_PER_CHUNK: Final = 40
_TESTED, _PAIRED = 1, 2  # spawn keys: each on layouts of its own


@dataclass(frozen=True)
class ScoredContract(
    Record, keys="contract make=make.mean score=score.mean interval=make.ends interval_kind layouts=make.n"
):
    """A contract of the asker's, played without further calls.

    Attributes:
        make: P(the contract makes), over layouts; None where its call was not solved in any.
        score: the points of the asker less those of an average opponent; None where `make` is.
        interval_kind: the kind of the interval of `make`: ``"wilson"``, for a sample size fixed in advance.
    """

    contract: Contract
    make: Estimate | None = None
    score: Estimate | None = None
    interval_kind: str | None = None


@dataclass(frozen=True)
class ExposedValue(
    Record,
    keys="contract tricks=tricks.mean tricks_interval=tricks.ends score=score.mean interval=score.ends "
    "make_with_average_dummy=make layouts",
):
    """The value of the six exposed cards against an average dummy, on pairs of layouts.

    Attributes:
        contract: the contract of the asker's that the recommended call leads to.
        tricks: the tricks in its strain with the six, less those with an average dummy.
        score: the same for its points, honours left out.
        make: P(the contract makes) with an average dummy.
        layouts: number of pairs of layouts.
    """

    contract: Contract
    tricks: Estimate
    score: Estimate
    make: float
    layouts: int


@dataclass(frozen=True)
class CallOutcome(Record, keys="contract=leads_to declarer? share make score"):
    """A contract, or a goulash, that a call leads to in some of the layouts.

    Attributes:
        contract: the contract; None for a goulash.
        share: the share of the layouts in which the call leads to it.
        make: how often it makes in the solved ones of these; None for a goulash, or where none was solved.
        score: the asker's mean points in the solved ones; None where none was solved.
    """

    contract: Contract | None
    share: float
    make: float | None
    score: float | None

    @property
    def leads_to(self) -> str:
        return "goulash" if self.contract is None else str(self.contract)

    @property
    def declarer(self) -> str | None:
        return None if self.contract is None else PLACES[self.contract.declarer]


@dataclass(frozen=True)
class CallValue(
    Record,
    keys="score=score.mean interval=score.ends behind=cost.mean behind_interval=cost.ends layouts=score.n "
    "leads_to=outcomes.0.leads_to declarer=outcomes.0.declarer? outcomes win=win.mean? win_interval=win.ends?",
):
    """The value of a call.

    Attributes:
        call: the call.
        score: the asker's points less those of an average opponent; over 0 layouts where only the estimate is known.
        cost: the cost against the recommended call on the same layouts: points, or P(the asker wins) with scores.
        outcomes: the contracts that the call leads to, the most frequent first.
        win: P(the asker wins the game) after the call; None where no scores were given.
    """

    call: Call
    score: Estimate
    cost: Estimate
    outcomes: tuple[CallOutcome, ...]
    win: Estimate | None = None


@dataclass(frozen=True)
class Defending(
    Record,
    keys="contract declarer make=make.mean make_interval=make.ends score=score.mean interval=score.ends "
    "doubled=if_doubled",
):
    """The value to the asker of another player's standing contract if all pass.

    Attributes:
        contract: the standing contract.
        make: how often it makes, with Wilson's interval.
        score: the asker's points less those of an average opponent.
        doubled: the same if the asker doubles; None where that is not possible.
    """

    contract: Contract
    make: Estimate
    score: Estimate
    doubled: Estimate | None

    @property
    def declarer(self) -> str:
        return PLACES[self.contract.declarer]

    @property
    def if_doubled(self) -> dict[str, Any] | None:
        return None if self.doubled is None else {"score": self.doubled.mean, "interval": self.doubled.ends}


@dataclass(frozen=True)
class BidAnswer(
    ComparedAnswer,
    game="towie",
    shown_by="towerlab.analysis.towie.present:bid_report",
    table="calls",
    keys="model=others assumptions hand dummy=exposed auction goulashes vulnerable=others scores others "
    "layouts strains contracts calls defending recommend margin decided verdict played=tested "
    "exposed=exposed_value tests seconds",
):
    """The value of every legal call, and which one to make.

    Attributes:
        hand, exposed: printed masks.
        auction: the calls so far, the dealer's first.
        goulashes: how many goulashes there were since the last ordinary deal.
        stakes: the options and vulnerability.
        scores: those before the deal of asker, left, right and waiting players; calls are ranked by P(win) if given.
        others: the rule by which the others call.
        strains: P(0..13 tricks) of the asker as declarer in each strain; None where no call in it was solved.
        layouts: how many were solved for the recommended call.
        contracts: the asker's game contracts without further calls, the best first.
        calls: every legal call, the best first.
        defending: the value of another player's standing bid; None where there is none.
        tested: the recommended contract, from fresh layouts where a test was asked for; None where the call is no game
            contract of the asker's.
        exposed_value: the value of the six cards; None where the recommended call leads to no contract of the asker's,
            and after a goulash.
        tests: how many layouts tested the recommended contract.
        seconds: the wall time of the answer.
    """

    cards = HAND_SIZE

    hand: Mask
    exposed: Mask
    auction: tuple[Call, ...]
    goulashes: int
    stakes: TowieStakes
    scores: tuple[int, ...] | None
    others: str
    strains: tuple[tuple[float, ...] | None, ...]
    layouts: int
    contracts: tuple[ScoredContract, ...]
    calls: tuple[CallValue, ...]
    defending: Defending | None
    tested: ScoredContract | None
    exposed_value: ExposedValue | None
    tests: int
    seconds: float

    @property
    def best(self) -> CallValue:
        """The recommended call."""
        return self.calls[0]

    @property
    def recommend(self) -> Call:
        """The recommended call."""
        return self.best.call

    @property
    def margin(self) -> float:
        """The lead of the recommended call over the next, in points, or in P(win) if calls are ranked by it."""
        return self.calls[1].cost.mean if len(self.calls) > 1 else 0.0

    @property
    def by_chances(self) -> bool:
        return self.scores is not None

    def alternative_values(self) -> Iterable[tuple[str, Estimate, Estimate]]:
        return ((call_symbol(value.call), value.win or value.score, value.cost) for value in self.calls)

    @property
    def assumptions(self) -> dict[str, str]:
        """The assumption behind each kind of number, by its key in JSON."""
        assumptions = {"calls": auction_model(self.others), "contracts": CONTRACT_MODEL}
        return assumptions | ({"win": win_model(self.stakes.options.n_players)} if self.scores is not None else {})

    def to_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return super().to_json() | {
            "model": auction_model(self.others),
            "hand": hand_text(self.hand),
            "dummy": mask_text(self.exposed),
            "vulnerable": [place_name(place) for place in sorted(self.stakes.vulnerable)],
            "strains": {TRUMPS[s]: {"tricks": self.strains[s]} for s in reversed(range(STRAINS))},
            "calls": {call_text(value.call): value.to_json() for value in self.calls},
            "seconds": round(self.seconds, 3),
        }


def ask_bid(
    hand: str,
    dummy: str,
    vul: str = "none",
    auction: str = "",
    options: TowieOptions | None = None,
    *,
    others: str = "novice",
    scores: str = "",
    goulashes: int = 0,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
    layouts: int | None = None,
    until_width: float | None = None,
) -> BidAnswer:
    """Return the value of every legal call on a hand and six exposed cards of the dummy, and which one to make.

    Args:
        hand: the hand in PBN, ``AKQJ.T98.765.432``: spades, hearts, diamonds, clubs.
        dummy: the six cards.
        vul: the players who have won a game: none, all, or some of me, left, right and, where more than three play, the
            waiting players in order: waiting-1, waiting-2.
        auction: the calls so far, the dealer's first; it must be the asker's turn.
        options: rule options.
        others: the rule by which the others call: novice, random, or pass for all pass after any call.
        scores: points before the deal of asker, left, right and waiting players, in order, ``620,0,150``; calls are
            then ranked by P(win).
        goulashes: how many goulashes there were since the last ordinary deal.
        seed: the seed of the layouts.
        jobs: worker processes; the answer does not depend on it.
        quiet: no notes and no progress.
        layouts: how many to solve at most; fewer once the best call is known. By default 64, and fewer where many calls
            are close or without trumps.
        until_width: test on fresh layouts how often the recommended contract makes, until the interval is so narrow.

    Raises:
        TowerlabError: impossible cards, calls or names; an auction that is over.
    """
    with at_fault("hand"):
        mine = parse_hand(hand, what="the hand")
    with at_fault("dummy"):
        exposed = parse_mask(dummy, DECK_52, "--dummy", EXPOSED)
        if common := mine & exposed:
            raise CardError(f"{card_text(mask_cards(common)[0])} of --dummy is in the hand; expected others")
    calls = parse_auction(auction)
    if auction_is_over(auction_of(calls)):
        raise TowerlabError(f"the auction {auction_text(calls)!r} is over; expected one with a call still to make")
    options = options or TowieOptions()
    stakes = TowieStakes(options, parse_vulnerable(vul, options.n_players))
    ledger = read_scores(scores, "620,0,150", least=0, most=LARGEST) if scores.strip() else None
    question = TowieQuestion(mine, exposed, calls, stakes, others, goulashes)
    how: dict[str, Any] = {"layouts": layouts, "seed": seed, "jobs": jobs, "quiet": quiet}
    return judge_auction(question, ledger, until_width, **how)


def judge_auction(
    question: TowieQuestion,
    ledger: tuple[int, ...] | None = None,
    until_width: float | None = None,
    *,
    layouts: int | None = None,
    seed: int = 0,
    values_six: bool = True,
    **how: Any,
) -> BidAnswer:
    """Return the answer of `ask_bid` to a question that has been read and checked.

    Args:
        question: the asker's cards, the calls so far and the stakes.
        ledger: the scores, the asker's first; None to compare calls by points.
        until_width, layouts, seed: the same as in `ask_bid`.
        values_six: whether to compare the six with an average dummy as well.
        how: `jobs` and `quiet`, of `map_chunks`; the answer does not depend on them.
    """
    began = time.monotonic()
    stakes = question.stakes
    prospects = None if ledger is None else Prospects(ledger, stakes, question.asker)
    most = layouts or LAYOUTS
    pool = most if ledger is not None or question.goulashes else max(POOL, most)
    deals = FollowedCalls(question, pool, seed, prospects, **how)
    tolerance = tolerance_of("towie", prospects is not None)
    race = Race(deals.forecast(), tolerance, watched=deals.calls.index(PASS))
    race.run(deals.solver(), most, deals.effort if layouts is None else None)
    scored = deals if prospects is None else FollowedCalls(question, pool, seed, **how)
    points = race if prospects is None else race.revalue(scored.forecast(), scored.solver())
    solved = SolvedCalls(scored, race)
    values = [
        CallValue(
            call=call,
            score=points.value(place),
            cost=race.costs[place],
            outcomes=solved.outcomes(place),
            win=None if prospects is None else race.value(place),
        )
        for place, call in enumerate(deals.calls)
    ]
    values.sort(key=lambda value: (value.cost.mean, -(value.win or value.score).mean))
    contracts = solved.contracts()
    tested = next((item for item in contracts if item.contract.bid == values[0].call), None)
    if tested is not None and until_width is not None:
        tested = _test_contract(tested, question, until_width, seed, how)
    leads_to = values[0].outcomes[0].contract
    exposed_value = None
    if values_six and leads_to is not None and leads_to.declarer == ME and not question.goulashes:
        exposed_value = _value_exposed(question, Contract(leads_to.bid), stakes, seed)
    return BidAnswer(
        hand=question.hand,
        exposed=question.exposed,
        auction=tuple(question.calls),
        goulashes=question.goulashes,
        stakes=stakes,
        scores=ledger,
        others=question.others,
        strains=solved.strains(),
        layouts=int(race.solved.max()),
        contracts=tuple(contracts),
        calls=tuple(values),
        defending=solved.defending(),
        tested=tested,
        exposed_value=exposed_value,
        seed=seed,
        tests=0 if until_width is None or tested is None or tested.make is None else tested.make.n,
        seconds=time.monotonic() - began,
        options=stakes.options,
    )


def parse_vulnerable(text: str, players: int) -> frozenset[int]:
    """Read places from ``none``, ``all`` or names such as ``me,left``.

    Raises:
        TowerlabError: another word.
    """
    words = text.replace(",", " ").lower().split()
    places = {place_name(place): place for place in range(players)}
    if words in (["none"], ["all"]):
        return frozenset(places.values()) if words == ["all"] else frozenset()
    for word in words or [""]:
        if word not in places:
            wrong = f"--vul {text!r} cannot be; {did_you_mean(word, ['none', 'all', *places])}"
            raise blame(TowerlabError(wrong), "vul")
    return frozenset(places[word] for word in words)


def place_name(place: int) -> str:
    """Return the name of a place as it is typed."""
    return PLACES[place] if place < CALLERS else f"waiting-{place - CALLERS + 1}"


class SolvedCalls:
    """The contracts and tricks in the solved layouts of a race.

    Args:
        deals: the calls, followed to the end of the auction.
        race: the race of these calls, after it was run.
    """

    def __init__(self, deals: FollowedCalls, race: Race) -> None:
        self._deals = deals
        self._race = race
        self._stakes = deals.question.stakes
        self._asker = deals.question.asker

    def outcomes(self, place: int) -> tuple[CallOutcome, ...]:
        """Return the contracts that a call leads to, the most frequent first."""
        results = self._deals.results[:, place]
        solved = np.arange(self._race.solved[place])
        values = self._deals.values(solved, results[solved, None])[:, 0]
        codes = self._deals.codes(results)
        outcomes = []
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            contract = self._deals.contract(int(code))
            here = codes[solved] == code
            make = score = None
            if here.any():
                score = float(values[here].mean())
                if contract is not None:
                    make = float(self._makes(contract, solved[here]).mean())
            outcomes.append(CallOutcome(contract, float(count / len(codes)), make, score))
        return tuple(sorted(outcomes, key=lambda outcome: -outcome.share))

    def contracts(self) -> list[ScoredContract]:
        """Return the asker's game contracts that can still be bid, the best first; those not solved last."""
        scored = []
        for place, bid in enumerate(self._deals.calls):
            if PASS < bid <= LAST_BID and self._stakes.is_game(bid, 1):
                contract = Contract(bid)
                solved = np.arange(self._race.solved[place])
                if not len(solved):
                    scored.append(ScoredContract(contract))
                    continue
                score = self._contract_value(contract, place)
                scored.append(ScoredContract(contract, self._make_share(contract, solved), score, "wilson"))
        return sorted(scored, key=lambda item: -math.inf if item.score is None else item.score.mean, reverse=True)

    def strains(self) -> tuple[tuple[float, ...] | None, ...]:
        """Return P(0..13 tricks) of the asker in each strain, over solved layouts; None without one."""
        shares: list[tuple[float, ...] | None] = []
        for strain in range(STRAINS):
            solved = [
                int(self._race.solved[place])
                for place, bid in enumerate(self._deals.calls)
                if PASS < bid <= LAST_BID and int(strain_of(bid)) == strain
            ]
            rows = np.arange(max(solved, default=0))
            shares.append(tuple(self._deals.tricks(rows, strain).tolist()) if len(rows) else None)
        return tuple(shares)

    def defending(self) -> Defending | None:
        """Return the value of a standing bid of another player if all pass."""
        auction = auction_of(self._deals.question.calls)
        bid = int(auction[BID])
        doubling = int(auction[DOUBLING])
        declarer = (int(auction[BIDDER]) - self._asker) % CALLERS
        if not bid or declarer == ME:
            return None
        contract = Contract(bid, doubling, declarer)
        doubled = Contract(bid, 2, declarer) if doubling == 1 and self._stakes.is_game(bid, 2) else None
        make = self._make_share(contract, np.arange(self._race.solved.max()))
        return Defending(
            contract, make, self._contract_value(contract), None if doubled is None else self._contract_value(doubled)
        )

    def _makes(self, contract: Contract, rows: Ints) -> Bools:
        declarer = (contract.declarer + self._asker) % CALLERS
        return self._deals.outcomes.takes(rows, declarer, contract.strain, contract.needed)

    def _make_share(self, contract: Contract, rows: Ints) -> Estimate:
        """Return how often a contract makes in some layouts, with Wilson's interval."""
        return share_interval(int(self._makes(contract, rows).sum()), len(rows))

    def _contract_value(self, contract: Contract, place: int | None = None) -> Estimate:
        """Return the value of a contract without further calls, on the solved layouts of a call (None for the best)."""
        declarer = (contract.declarer + self._asker) % CALLERS
        results = np.tile([contract.bid, contract.doubling, declarer], (len(self._deals.layouts), 1, 1))
        return self._race.revalue(self._deals.forecast(results), self._deals.solver(results), place).value(0)


# --------------------------------------------------------------------------------------------------------- the work


def _value_exposed(question: TowieQuestion, best: Contract, stakes: TowieStakes, seed: int) -> ExposedValue:
    """Compare the six with an average dummy on pairs of layouts; these do not depend on the calls so far."""
    random = _random(np.random.SeedSequence(seed), _PAIRED)
    pairs = sample_pairs(question.hand, question.exposed, POOL, random)
    estimate = stored_estimate("towie")
    trumps = int(trump_field(best.strain))
    chances = estimate.chances(int(best.strain == NO_TRUMP), HAND_SIZE)
    steps = [steps_of(estimate.tricks(in_play_order(deals, ME, best.strain), trumps), HAND_SIZE) for deals in pairs]
    outcomes = [Outcomes(deals[:PAIRS], question.exposed) for deals in pairs]
    takers = [solved.trick_test(np.arange(PAIRS), ME, best.strain) for solved in outcomes]
    draws = even_draws(PAIRS, random)

    def difference(values: Floats) -> Estimate:
        asked = TrickQuestions(chances, values, best.needed, np.concatenate(steps))
        expected = asked.mean[steps[0]] - asked.mean[steps[1]]
        six, average = (asked.value(tricks[:PAIRS], deals, draws) for tricks, deals in zip(steps, takers, strict=True))
        race = Race(Forecast.of_one(expected))
        race.run(lambda rows, calls: (six - average)[rows, None], PAIRS)
        return race.value(0)

    make = float(takers[1](np.arange(PAIRS), best.needed).mean())
    return ExposedValue(best, difference(np.arange(HAND_SIZE + 1.0)), difference(stakes.points(best)), make, PAIRS)


def _test_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> int:
    """Return in how many of `TESTS_PER_CHUNK` fresh layouts the contract makes."""
    question: TowieQuestion = work["question"]
    fresh = Outcomes(deal_layouts(question, TESTS_PER_CHUNK, _random(seed, _TESTED)), question.exposed)
    contract: Contract = work["contract"]
    return int(fresh.takes(np.arange(TESTS_PER_CHUNK), question.asker, contract.strain, contract.needed).sum())


def _test_contract(
    item: ScoredContract, question: TowieQuestion, width: float, seed: int, how: Mapping[str, Any]
) -> ScoredContract:
    """Return a contract with P(make) tested on enough fresh layouts for its interval; `how` is of `map_chunks`."""
    assert item.make is not None
    count = -(-planned_size(item.make, width) // TESTS_PER_CHUNK)
    note(f"testing {item.contract} on {count * TESTS_PER_CHUNK:,} layouts: P(make) to ±{width / 2:.1%}", how["quiet"])
    work = {"question": question, "contract": item.contract}
    made = map_chunks(_test_chunk, count, parameters=work, title=str(item.contract), seed=seed, threads=True, **how)
    return replace(item, make=share_interval(sum(made), count * TESTS_PER_CHUNK))


def _random(seed: np.random.SeedSequence, phase: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, phase)))
