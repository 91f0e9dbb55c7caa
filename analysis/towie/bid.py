"""`towerlab bid towie`: which call to make, from layouts of the 33 unseen cards solved double-dummy.

Every legal call is judged on the same layouts (`analysis.towie.calls`): the auction goes on by a stated rule, and the
contract it reaches is solved. If the best call is a game of the asker's own, fresh layouts then test P(it makes), a yes
or no each, until its interval is narrow enough: the solved layouts limit how many are needed, an anytime-valid interval
may end the test sooner (`analysis.stats.PlannedShare`). Last, pairs of layouts, with the six in the dummy and with an
average dummy, give the value of the six. Layouts depend on the seed and their number alone, so any number of workers
gives the same answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from towerlab.analysis.bidding.arguments import LARGEST, read_scores
from towerlab.analysis.present import note
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.faults import at_fault, blame
from towerlab.analysis.stats import Estimate, mean_interval, paired_difference, share_interval
from towerlab.analysis.study import map_chunks, stream_chunks
from towerlab.analysis.towie.calls import (
    ComparedCalls,
    Prospects,
    TowieQuestion,
    deal_layouts,
    goes_on,
    join_layouts,
    judge_calls,
    sample_pairs,
    win_model,
)
from towerlab.analysis.towie.contracts import ME, PLACES, Evidence, TowieStakes
from towerlab.games.arrays import Ints
from towerlab.games.cards import DECK_52, TRUMPS, card_text, mask_cards, mask_text, parse_mask
from towerlab.games.errors import CardError, TowerlabError, did_you_mean
from towerlab.games.pbn import hand_text, parse_hand
from towerlab.games.towie.auction import (
    BID,
    BIDDER,
    CALLERS,
    DOUBLING,
    LAST_BID,
    auction_is_over,
    auction_of,
    auction_text,
    call_text,
    parse_auction,
)
from towerlab.games.towie.dealing import EXPOSED, HAND_SIZE
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract
from towerlab.games.written import Mask, Record
from towerlab.sim.towie.outcomes import STRAINS, Outcomes

CONTRACT_MODEL: Final = "double-dummy; the contract is played as it stands, undoubled: no call follows it"
Call: TypeAlias = Annotated[int, call_text]
LAYOUTS: Final = 80  # solved in every strain
LAYOUTS_PER_CHUNK: Final = 4
TESTS_PER_CHUNK: Final = 40
WIDTH: Final = 0.04  # of the interval of P(make): ±2 %
_SOLVED, _TESTED, _PAIRED = range(3)  # spawn keys: each on layouts of its own


@dataclass(frozen=True)
class ScoredContract(Record, keys="contract make=make.mean score interval=make.ends interval_kind layouts=make.n"):
    """A contract and its numbers.

    Attributes:
        make: P(its declarer takes the tricks), over layouts.
        score: points of the asker less those of an average opponent, the mean over layouts.
        interval_kind: of `make`: ``"anytime"``, valid at every look, or ``"wilson"``, for a sample size fixed before.
    """

    contract: Contract
    make: Estimate
    score: float
    interval_kind: str


@dataclass(frozen=True)
class ExposedValue(
    Record,
    keys="contract tricks=tricks.mean tricks_interval=tricks.ends score=score.mean interval=score.ends "
    "make_with_average_dummy=make layouts",
):
    """The value of the six exposed cards against an average dummy, on pairs of layouts.

    Attributes:
        contract: the asker's best contract.
        tricks: in its strain, with the six less with an average dummy.
        score: its points with the six less with an average dummy, honours left out.
        make: P(it makes) with an average dummy, on these layouts.
        layouts: pairs of layouts.
    """

    contract: Contract
    tricks: Estimate
    score: Estimate
    make: float
    layouts: int


@dataclass(frozen=True)
class CallOutcome(Record, keys="contract=leads_to declarer? share make score"):
    """Where a call leads on some of the layouts.

    Attributes:
        contract: None for a goulash.
        share: of the layouts.
        make: how often the contract is made on these layouts; None for a goulash.
        score: the asker's mean points on these layouts.
    """

    contract: Contract | None
    share: float
    make: float | None
    score: float

    @property
    def leads_to(self) -> str:
        return "goulash" if self.contract is None else str(self.contract)

    @property
    def declarer(self) -> str | None:
        return None if self.contract is None else PLACES[self.contract.declarer]


@dataclass(frozen=True)
class CallValue(
    Record,
    keys="score=score.mean interval=score.ends behind=behind.mean behind_interval=behind.ends "
    "leads_to=outcomes.0.leads_to declarer=outcomes.0.declarer? outcomes win=win.mean? win_interval=win.ends?",
):
    """The value of a call.

    Attributes:
        call: the call.
        score: points of the asker less those of an average opponent, with its 95 % interval over the layouts.
        behind: points of the recommended call minus those of this one, on the same layouts (paired).
        outcomes: the contracts it leads to, the most frequent first.
        win: P(the asker wins the game) after it; None where no scores were given.
    """

    call: Call
    score: Estimate
    behind: Estimate
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
        contract: the standing one.
        make: how often it is made, with its interval (Wilson).
        score: as it is; doubled: where it may be doubled, else None.
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
    Answer,
    game="towie",
    method="sampled",
    shown_by="towerlab.analysis.towie.present:bid_report",
    table="calls",
    keys="model=others assumptions hand dummy=exposed auction goulashes vulnerable=others scores others "
    "layouts strains contracts calls defending recommend margin played=tested exposed=worth_exposed tests seconds",
):
    """Which call to make.

    Attributes:
        hand, exposed: printed masks.
        auction: the calls so far, the dealer's first.
        goulashes: since the last ordinary deal.
        table: options and vulnerability.
        scores: of asker, left, right and waiting players, before the deal; calls are ranked by P(win) if given.
        others: the rule by which the others call.
        strains: by strain, P(0..13 tricks) of the asker as declarer.
        layouts: solved in every strain.
        contracts: the asker's game contracts without further calls, the best first.
        calls: every legal one, the best first.
        defending: of a standing bid of another player.
        tested: numbers of the recommended contract from fresh layouts; None where the call is no game of the asker's.
        worth_exposed: of the six cards; None where the asker can play no contract, and after a goulash.
        tests: layouts on which P(make) of the recommended contract was tested.
    """

    cards = HAND_SIZE

    hand: Mask
    exposed: Mask
    auction: tuple[Call, ...]
    goulashes: int
    table: TowieStakes
    scores: tuple[int, ...] | None
    others: str
    strains: tuple[tuple[float, ...], ...]
    layouts: int
    contracts: tuple[ScoredContract, ...]
    calls: tuple[CallValue, ...]
    defending: Defending | None
    tested: ScoredContract | None
    worth_exposed: ExposedValue | None
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
        """Lead of the recommended call over the next best, in points (of P(win), where calls are ranked by it)."""
        if len(self.calls) < 2:
            return 0.0
        if self.best.win is not None and self.calls[1].win is not None:
            return self.best.win.mean - self.calls[1].win.mean
        return self.calls[1].behind.mean

    @property
    def assumptions(self) -> dict[str, str]:
        """The assumptions of each kind of number."""
        assumptions = {"calls": goes_on(self.others), "contracts": CONTRACT_MODEL}
        return assumptions | ({"win": win_model(self.table.options.n_players)} if self.scores is not None else {})

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return super().to_json() | {
            "model": goes_on(self.others),
            "hand": hand_text(self.hand),
            "dummy": mask_text(self.exposed),
            "vulnerable": [place_name(place) for place in sorted(self.table.vulnerable)],
            "strains": {TRUMPS[s]: {"tricks": list(self.strains[s])} for s in reversed(range(STRAINS))},
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
    layouts: int = LAYOUTS,
    until_width: float = WIDTH,
) -> BidAnswer:
    """Which call to make on a hand and six exposed cards of the dummy.

    Args:
        hand: in PBN, ``AKQJ.T98.765.432``: spades, hearts, diamonds, clubs.
        dummy: the six cards.
        vul: the players who have won a game: none, all, or some of me, left, right and, where more than three play,
            the waiting players in order: waiting-1, waiting-2.
        auction: the calls so far, the dealer's first; it must be the asker's turn.
        options: rule options.
        others: the rule by which the others call: novice, random, or pass for all pass after any call.
        scores: points before the deal of asker, left, right and waiting players, in order, ``620,0,150``; calls are
            then ranked by P(win).
        goulashes: since the last ordinary deal; 0 for an ordinary deal.
        seed: of the layouts.
        jobs: worker processes; the answer does not depend on it.
        quiet: no notes and no progress.
        layouts: how many to solve in every strain.
        until_width: how narrow the interval of P(make) of the contract to be played must get.

    Raises:
        TowerlabError: cards, calls or names that cannot be; an auction that is over.
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
    table = TowieStakes(options, parse_vulnerable(vul, options.n_players))
    ledger = read_scores(scores, "620,0,150", least=0, most=LARGEST) if scores.strip() else None
    began = time.monotonic()
    question = TowieQuestion(mine, exposed, calls, table, others, goulashes)
    prospects = None if ledger is None else Prospects(ledger, table, question.asker)
    note(f"solving {layouts} layouts in every strain", quiet)
    work: Mapping[str, Any] = {"question": question}
    how: Mapping[str, Any] = {"seed": seed, "jobs": jobs, "quiet": quiet, "threads": True}
    judged = judge_layouts(question, layouts, **how)
    values = rank_calls(judged, table, prospects)
    evidence = [Evidence(judged.own[:, s], table.honours(judged.layouts, s, ME)) for s in range(STRAINS)]
    tested = None
    best = Contract(values[0].call) if values[0].call <= LAST_BID and table.is_game(values[0].call, 1) else None
    if best is not None:
        tested = _test(best, evidence[best.strain], work, until_width, how)
    standing = int(auction_of(calls)[BID])
    own = [Contract(bid) for bid in range(standing + 1, LAST_BID + 1) if table.is_game(bid, 1)]
    ranked = sorted(own, key=lambda contract: -evidence[contract.strain].value(contract, table))
    worth_exposed = None
    if ranked and not goulashes:
        note(f"solving {len(judged.layouts)} pairs of layouts with the six and with an average dummy", quiet)
        pairing = {**work, "strain": ranked[0].strain}
        pairs = map_chunks(_pair_chunk, _chunks(layouts), parameters=pairing, title="average dummies", **how)
        worth_exposed = _worth_exposed(np.concatenate(pairs), ranked[0], table)
    return BidAnswer(
        hand=mine,
        exposed=exposed,
        auction=calls,
        goulashes=goulashes,
        table=table,
        scores=ledger,
        others=others,
        strains=tuple(tuple(tricks.distribution().tolist()) for tricks in evidence),
        layouts=len(judged.layouts),
        contracts=tuple(_value(contract, evidence[contract.strain], table) for contract in ranked),
        calls=values,
        defending=_defending(judged, calls, table),
        tested=tested,
        worth_exposed=worth_exposed,
        seed=seed,
        tests=0 if tested is None else tested.make.n,
        seconds=time.monotonic() - began,
        options=table.options,
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
    """A place as it is typed."""
    return PLACES[place] if place < CALLERS else f"waiting-{place - CALLERS + 1}"


def rank_calls(judged: ComparedCalls, table: TowieStakes, prospects: Prospects | None = None) -> tuple[CallValue, ...]:
    """Return the value of every call, the best first: by P(win) where prospects are known, else by points.

    Equal calls keep their order: a pass before all bids, a lower bid before a higher one.
    """
    wins = None
    if prospects is not None:
        rows = zip(judged.contracts, judged.tricks, strict=True)
        wins = np.array([prospects.wins(judged.layouts, contracts, tricks) for contracts, tricks in rows])
    means = (judged.points if wins is None else wins).mean(axis=1).round(9)
    order = sorted(range(len(judged.calls)), key=lambda place: -means[place])
    return tuple(
        CallValue(
            judged.calls[place],
            mean_interval(judged.points[place]),
            paired_difference(judged.points[order[0]], judged.points[place]),
            _outcomes(judged, place, table),
            None if wins is None else mean_interval(wins[place]),
        )
        for place in order
    )


def _outcomes(judged: ComparedCalls, place: int, table: TowieStakes) -> tuple[CallOutcome, ...]:
    """Return the contracts that a call leads to, the most frequent first."""
    groups: dict[Contract | None, list[int]] = {}
    for row, (bid, doubling, declarer) in enumerate(judged.contracts[place].tolist()):
        contract = Contract(bid, doubling, declarer) if table.is_game(bid, doubling) else None
        groups.setdefault(contract, []).append(row)
    outcomes = []
    for contract, rows in groups.items():
        make = None if contract is None else float((judged.tricks[place, rows] >= contract.needed).mean())
        outcomes.append(
            CallOutcome(contract, len(rows) / len(judged.layouts), make, float(judged.points[place, rows].mean()))
        )
    return tuple(sorted(outcomes, key=lambda outcome: -outcome.share))


def _defending(judged: ComparedCalls, calls: tuple[int, ...], table: TowieStakes) -> Defending | None:
    auction = auction_of(calls)
    bid = int(auction[BID])
    doubling = int(auction[DOUBLING])
    declarer = (int(auction[BIDDER]) - len(calls)) % CALLERS
    if not bid or declarer == ME:
        return None
    contract = Contract(bid, doubling, declarer)
    doubled = Contract(bid, 2, declarer) if doubling == 1 and table.is_game(bid, 2) else None
    tricks = judged.standing
    honours = table.honours(judged.layouts, contract.strain, declarer)

    def value(played: Contract) -> Estimate:
        if not table.is_game(played.bid, played.doubling):
            return Estimate(0.0, 0.0, 0.0, len(tricks))
        return mean_interval(table.points(played)[tricks] + honours)

    make = share_interval(int((tricks >= contract.needed).sum()), len(tricks))
    return Defending(contract, make, value(contract), None if doubled is None else value(doubled))


def _value(contract: Contract, evidence: Evidence, table: TowieStakes) -> ScoredContract:
    test = evidence.tested(contract.needed)
    kind = "anytime" if test is not None and test.anytime else "wilson"
    return ScoredContract(contract, evidence.share(contract.needed), evidence.value(contract, table), kind)


def _worth_exposed(pairs: Ints, best: Contract, table: TowieStakes) -> ExposedValue:
    points = table.points(best)
    exposed = pairs[:, 0]
    average = pairs[:, 1]
    tricks = paired_difference(exposed, average)
    score = paired_difference(points[exposed], points[average])
    return ExposedValue(best, tricks, score, float((average >= best.needed).mean()), len(pairs))


# --------------------------------------------------------------------------------------------------------- the work


def judge_layouts(
    question: TowieQuestion, layouts: int, among: Sequence[int] | None = None, **how: Any
) -> ComparedCalls:
    """Every legal call, or some, judged on the layouts that an answer is from.

    Args:
        question: the asker's cards, the calls so far and the stakes.
        layouts: how many, in whole chunks.
        among: calls to judge; None for all legal ones.
        how: the seed and the work's division, as of `map_chunks`.
    """
    work = {"question": question, "among": among}
    return join_layouts(map_chunks(_solve_chunk, _chunks(layouts), parameters=work, title="layouts", **how))


def _chunks(layouts: int) -> int:
    return -(-layouts // LAYOUTS_PER_CHUNK)


def _solve_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> ComparedCalls:
    """Judge calls on some layouts."""
    return judge_calls(work["question"], LAYOUTS_PER_CHUNK, _random(seed, _SOLVED), among=work["among"])


def _pair_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> Ints:
    """Return tricks in one strain [pairs, 2], with the six and with an average dummy; calls are not weighed here."""
    question: TowieQuestion = work["question"]
    pairs = sample_pairs(question.hand, question.exposed, LAYOUTS_PER_CHUNK, _random(seed, _PAIRED))
    rows = np.arange(LAYOUTS_PER_CHUNK)
    return np.stack([Outcomes(deals, question.exposed).count(rows, ME, work["strain"]) for deals in pairs], axis=1)


def _test_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> int:
    """Return in how many of `TESTS_PER_CHUNK` fresh layouts the contract makes."""
    question: TowieQuestion = work["question"]
    fresh = Outcomes(deal_layouts(question, TESTS_PER_CHUNK, _random(seed, _TESTED)), question.exposed)
    contract: Contract = work["contract"]
    return int(fresh.takes(np.arange(TESTS_PER_CHUNK), question.asker, contract.strain, contract.needed).sum())


def _test(
    contract: Contract, evidence: Evidence, work: Mapping[str, Any], width: float, how: Mapping[str, Any]
) -> ScoredContract:
    """Test a contract on fresh layouts until its interval is narrow enough; `how` is of `stream_chunks`."""
    share = evidence.plan_test(contract.needed, width, TESTS_PER_CHUNK)
    note(f"testing {contract} on up to {share.planned:,} layouts: P(make) to ±{width / 2:.1%}", how["quiet"])
    test = {**work, "contract": contract}
    count = share.planned // TESTS_PER_CHUNK
    chunks = stream_chunks(_test_chunk, count, parameters=test, title=f"{contract}, may stop early", **how)
    with closing(chunks):  # type: ignore[type-var]
        for successes in chunks:
            share.add(successes, TESTS_PER_CHUNK)
            if share.done and share.anytime:  # closing a generator that is not exhausted ends the workers
                break
    return _value(contract, evidence, work["question"].table)


def _random(seed: np.random.SeedSequence, phase: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, phase)))
