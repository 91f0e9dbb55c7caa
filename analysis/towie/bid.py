"""`towerlab bid towie`: which call to make, from layouts of the 33 unseen cards solved double-dummy.

First some layouts are solved in every strain. Then the contract that the best call leads to is tested on fresh
layouts, one question a layout (does it make?), until P(make) is known well enough: the solved layouts settle how many
are needed at most, an anytime-valid interval may end it sooner (`analysis.stats.PlannedShare`). Should that make
another call the best one, its contract is tested, too. Where the best call leads to a goulash, the asker's
best contract is tested more coarsely. At last the first layouts are solved again in the strain of that contract, with
an average dummy in place of the exposed cards. Layouts depend on the seed and their number alone, so any number of
workers gives the same answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from analysis.present import note
from analysis.present.answers import Answer
from analysis.stats import Estimate, paired_difference
from analysis.study import map_chunks, stream_chunks
from analysis.towie.contracts import SEAT_NAMES, Contract, Evidence, Table, game_bids, gather
from analysis.towie.layouts import (
    EXPOSED_CARDS,
    LEFT,
    ME,
    RIGHT,
    STRAINS,
    sample_layouts,
    sample_pairs,
    solve_makes,
    solve_strains,
    solve_tricks,
)
from games.arrays import Ints
from games.cards import DECK_52, TRUMPS, card_text, mask_text, parse_mask
from games.errors import CardError, TowerlabError, did_you_mean
from games.pbn import hand_text, parse_hand
from games.towie.auction import (
    BID,
    BIDDER,
    CALLERS,
    DOUBLE,
    DOUBLING,
    PASS,
    REDOUBLE,
    auction_is_over,
    auction_of,
    auction_text,
    call_text,
    caller_of,
    parse_auction,
    why_illegal,
)
from games.towie.options import TowieOptions
from games.written import Mask, Record

MODEL: Final = (
    "double-dummy: all see all cards after the auction; unseen cards are equally likely in every way, the calls tell "
    "nothing about them; a call is worth what follows if all pass after it, a goulash 0"
)
Call: TypeAlias = Annotated[int, call_text]
LAYOUTS: Final = 80  # solved in every strain
LAYOUTS_PER_CHUNK: Final = 4
MANY_LAYOUTS: Final = 40  # take so long that the workers are started at once
TESTS_PER_CHUNK: Final = 40
MANY_TESTS: Final = 400
WIDTH: Final = 0.04  # of the interval of P(make): ±2 %
WIDTH_IN_RESERVE: Final = 0.1  # for the best own contract when the recommended call leads to none
_SOLVED, _TESTED = range(2)  # spawn keys: tests are made on fresh layouts


@dataclass(frozen=True)
class ContractValue(Record):
    """A contract and its numbers.

    Attributes:
        make: P(its declarer takes the tricks), with `interval` (95 %) from so many `layouts`.
        score: points of the asker less those of his average opponent, the mean over layouts.
        anytime: whether the interval is valid at every look, else Wilson's for a number fixed beforehand.
    """

    contract: Contract
    make: float
    interval: tuple[float, float]
    score: float
    layouts: int
    anytime: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "contract": str(self.contract),
            "make": self.make,
            "score": self.score,
            "interval": list(self.interval),
            "interval_kind": "anytime" if self.anytime else "wilson",
            "layouts": self.layouts,
        }


@dataclass(frozen=True)
class ExposedValue(Record):
    """What the six exposed cards are worth against an average dummy, on pairs of layouts.

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

    def to_json(self) -> dict[str, Any]:
        return {
            "contract": str(self.contract),
            "tricks": self.tricks.mean,
            "tricks_interval": [self.tricks.low, self.tricks.high],
            "score": self.score.mean,
            "interval": [self.score.low, self.score.high],
            "make_with_average_dummy": self.make,
            "layouts": self.layouts,
        }


@dataclass(frozen=True)
class BidAnswer(Answer, shown_by="analysis.towie.present:bid_report", table="calls"):
    """Which call to make.

    Attributes:
        hand, exposed: printed masks.
        calls: the auction so far, the dealer's call first.
        table: options and who is vulnerable.
        strains: by strain, P(0..13 tricks) of the asker as declarer.
        layouts: solved in every strain.
        contracts: the asker's game contracts, the best first.
        worths: points by call.
        outcomes: by call, the contract that it leads to if all pass; None for a goulash.
        played: numbers of the contract that the recommended call leads to, None for a goulash.
        recommend: the call.
        worth_exposed: of the six cards; None where the asker can play no contract.
        solves, tests: layouts solved for tricks in one strain, and asked whether a contract makes.
    """

    hand: Mask
    exposed: Mask
    calls: tuple[Call, ...]
    table: Table
    strains: tuple[tuple[float, ...], ...]
    layouts: int
    contracts: tuple[ContractValue, ...]
    worths: Mapping[Call, float]
    outcomes: Mapping[Call, Contract | None]
    played: ContractValue | None
    recommend: Call
    worth_exposed: ExposedValue | None
    seed: int
    solves: int
    tests: int
    seconds: float

    @property
    def margin(self) -> float:
        """Lead of the recommended call over the next best, in points."""
        others = [worth for call, worth in self.worths.items() if call != self.recommend]
        return self.worths[self.recommend] - max(others, default=self.worths[self.recommend])

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "game": "towie",
            "model": MODEL,
            "hand": hand_text(self.hand),
            "dummy": mask_text(self.exposed),
            "auction": [call_text(call) for call in self.calls],
            "vulnerable": [SEAT_NAMES[seat] for seat in sorted(self.table.vulnerable)],
            "layouts": self.layouts,
            "strains": {TRUMPS[s]: {"tricks": list(self.strains[s])} for s in reversed(range(STRAINS))},
            "contracts": [value.to_json() for value in self.contracts],
            "calls": {call_text(call): self._call_json(call) for call in self.worths},
            "recommend": call_text(self.recommend),
            "margin": self.margin,
            "played": None if self.played is None else self._played_json(self.played),
            "exposed": None if self.worth_exposed is None else self.worth_exposed.to_json(),
            "seed": self.seed,
            "solves": self.solves,
            "tests": self.tests,
            "seconds": round(self.seconds, 3),
            "solves_per_second": round((self.solves + self.tests) / max(self.seconds, 1e-9), 1),
        }

    def _call_json(self, call: int) -> dict[str, Any]:
        contract = self.outcomes[call]
        if contract is None:
            return {"score": self.worths[call], "leads_to": "goulash"}
        return {"score": self.worths[call], "leads_to": str(contract), "declarer": SEAT_NAMES[contract.declarer]}

    @staticmethod
    def _played_json(value: ContractValue) -> dict[str, Any]:
        return value.to_json() | {"declarer": SEAT_NAMES[value.contract.declarer]}


def ask_bid(
    hand: str,
    dummy: str,
    vul: str = "none",
    auction: str = "",
    options: TowieOptions | None = None,
    *,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
    layouts: int = LAYOUTS,
    width: float = WIDTH,
) -> BidAnswer:
    """Which call to make on a hand and six exposed cards of the dummy.

    Args:
        hand: in PBN, ``AKQJ.T98.765.432``: spades, hearts, diamonds, clubs.
        dummy: the six cards.
        vul: who has won a game: none, all, or some of me, left, right.
        auction: the calls so far, the dealer's first; it must be the asker's turn.
        options: rule options.
        seed: of the layouts.
        jobs: worker processes; the answer does not depend on it.
        quiet: no notes and no progress.
        layouts: how many to solve in every strain.
        width: how narrow the interval of P(make) of the contract to be played must get.

    Raises:
        TowerlabError: cards, calls or names that cannot be; an auction that is over.
    """
    mine = parse_hand(hand, what="the hand")
    exposed = parse_mask(dummy, DECK_52, "--dummy", EXPOSED_CARDS)
    if mine & exposed:
        common = mine & exposed
        raise CardError(f"{card_text((common & -common).bit_length() - 1)} of --dummy is in the hand; expected others")
    calls = parse_auction(auction)
    if auction_is_over(auction_of(calls)):
        raise TowerlabError(f"the auction {auction_text(calls)!r} is over; expected one with a call still to make")
    table = Table(options or TowieOptions(), parse_vulnerable(vul))
    return answer_bid(mine, exposed, calls, table, seed=seed, jobs=jobs, quiet=quiet, layouts=layouts, width=width)


def parse_vulnerable(text: str) -> frozenset[int]:
    """Columns of a deal from ``none``, ``all`` or names such as ``me,left``.

    Raises:
        TowerlabError: another word.
    """
    words = text.replace(",", " ").lower().split()
    seats = {name: seat for seat, name in SEAT_NAMES.items()}
    if words in (["none"], ["all"]):
        return frozenset(seats.values()) if words == ["all"] else frozenset()
    for word in words or [""]:
        if word not in seats:
            raise TowerlabError(f"--vul {text!r} cannot be; {did_you_mean(word, ['none', 'all', *seats])}")
    return frozenset(seats[word] for word in words)


def answer_bid(
    hand: int,
    exposed: int,
    calls: tuple[int, ...],
    table: Table,
    *,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
    layouts: int = LAYOUTS,
    width: float = WIDTH,
) -> BidAnswer:
    """As `ask_bid`, for masks and calls that have been checked."""
    began = time.monotonic()
    outcomes = possible_calls(calls, table)
    theirs = {c.declarer: c.strain for c in outcomes.values() if c is not None and c.declarer != ME}
    work = {"hand": hand, "exposed": exposed, "theirs": tuple(theirs.items())}
    note(f"solving {layouts} layouts in every strain", quiet)
    chunks = -(-layouts // LAYOUTS_PER_CHUNK)
    solved = map_chunks(
        _solve_chunk, chunks, seed=seed, jobs=jobs, parameters=work, quiet=quiet, title="layouts",
        at_once=layouts >= MANY_LAYOUTS,
    )  # fmt: skip
    deals = np.concatenate([chunk["deals"] for chunk in solved])
    tricks = {seat: np.concatenate([chunk["tricks"][seat] for chunk in solved]) for seat in (ME, *theirs)}
    evidence = gather(deals, tricks, table)

    while True:
        worths = {call: _worth(contract, evidence, table) for call, contract in outcomes.items()}
        recommend = max(worths, key=lambda call: worths[call])  # of equal ones the first: pass before all others
        subject = outcomes[recommend] or _best_own(outcomes, worths)
        known = subject is None or subject.needed in evidence[subject.played[:2]].asked
        if subject is None or known:
            break
        enough = width if outcomes[recommend] else max(width, WIDTH_IN_RESERVE)
        _test(subject, evidence, work, enough, seed, jobs, quiet)

    own = [contract for contract in outcomes.values() if contract is not None and contract.declarer == ME]
    ranked = sorted(own, key=lambda contract: -_worth(contract, evidence, table))
    worth_exposed = None
    if ranked:
        note(f"solving {len(deals)} layouts with an average dummy", quiet)
        averages = map_chunks(
            _average_chunk, chunks, seed=seed, jobs=jobs, parameters={**work, "strain": ranked[0].strain}, quiet=quiet,
            title="average dummies", at_once=layouts >= MANY_LAYOUTS,
        )  # fmt: skip
        worth_exposed = _worth_exposed(tricks[ME], np.concatenate(averages), ranked[0], table)
    played = outcomes[recommend]
    return BidAnswer(
        hand=hand,
        exposed=exposed,
        calls=calls,
        table=table,
        strains=tuple(tuple(evidence[ME, s].distribution().tolist()) for s in range(STRAINS)),
        layouts=len(deals),
        contracts=tuple(_value(contract, evidence, table) for contract in ranked),
        worths=worths,
        outcomes=outcomes,
        played=None if played is None else _value(played, evidence, table),
        recommend=recommend,
        worth_exposed=worth_exposed,
        seed=seed,
        solves=len(deals) * (STRAINS + len(theirs) + bool(ranked)),
        tests=sum(share.count for found in evidence.values() for share in found.asked.values()),
        seconds=time.monotonic() - began,
    )


def possible_calls(calls: Sequence[int], table: Table) -> dict[int, Contract | None]:
    """What each call leads to if all pass after it: pass, double or redouble, and every bid of game; None a goulash."""
    auction = auction_of(calls)
    me = int(caller_of(auction))
    candidates = [PASS, *(c for c in (DOUBLE, REDOUBLE) if not why_illegal(auction, c))]
    return {
        call: _contract_after((*calls, call), me, table) for call in (*candidates, *game_bids(int(auction[BID]), table))
    }


def _contract_after(calls: tuple[int, ...], me: int, table: Table) -> Contract | None:
    auction = auction_of(calls)
    bid, doubling = int(auction[BID]), int(auction[DOUBLING])
    if not table.is_game(bid, doubling):
        return None
    return Contract(bid, doubling, (ME, LEFT, RIGHT)[(int(auction[BIDDER]) - me) % CALLERS])


def _worth(contract: Contract | None, evidence: Mapping[tuple[int, int], Evidence], table: Table) -> float:
    return 0.0 if contract is None else evidence[contract.played[:2]].worth(contract, table)


def _best_own(outcomes: Mapping[int, Contract | None], worths: Mapping[int, float]) -> Contract | None:
    """The asker's best contract, where the recommended call leads to a goulash."""
    own = [call for call, contract in outcomes.items() if contract is not None and contract.declarer == ME]
    return outcomes[max(own, key=lambda call: worths[call])] if own else None


def _value(contract: Contract, evidence: Mapping[tuple[int, int], Evidence], table: Table) -> ContractValue:
    found = evidence[contract.played[:2]]
    share = found.share(contract.needed)
    return ContractValue(
        contract, share.mean, (share.low, share.high), found.worth(contract, table), share.n,
        contract.needed in found.asked and found.asked[contract.needed].anytime,
    )  # fmt: skip


def _worth_exposed(given: Ints, average: Ints, best: Contract, table: Table) -> ExposedValue:
    points, with_six = table.points(best), given[:, best.strain]
    return ExposedValue(
        best,
        paired_difference(with_six, average),
        paired_difference(points[with_six], points[average]),
        float((average >= best.needed).mean()),
        len(average),
    )


# --------------------------------------------------------------------------------------------------------- the work


def _solve_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> dict[str, Any]:
    """Some layouts solved."""
    deals, _ = sample_pairs(work["hand"], work["exposed"], LAYOUTS_PER_CHUNK, _random(seed, _SOLVED))
    tricks = {ME: solve_strains(deals)}
    for declarer, strain in work["theirs"]:
        found = np.full((len(deals), STRAINS), -1, dtype=np.int64)
        found[:, strain] = solve_tricks(deals, strain, declarer)
        tricks[declarer] = found
    return {"deals": deals, "tricks": tricks}


def _average_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> Ints:
    """Tricks in one strain on the partners of the layouts of `_solve_chunk`, which have an average dummy."""
    _, deals = sample_pairs(work["hand"], work["exposed"], LAYOUTS_PER_CHUNK, _random(seed, _SOLVED))
    return solve_tricks(deals, work["strain"])


def _test_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> int:
    """Of so many fresh layouts, how many make."""
    deals = sample_layouts(work["hand"], work["exposed"], TESTS_PER_CHUNK, _random(seed, _TESTED))
    declarer, strain, needed = work["played"]
    return int(solve_makes(deals, strain, needed, declarer).sum())


def _test(
    contract: Contract,
    evidence: Mapping[tuple[int, int], Evidence],
    work: Mapping[str, Any],
    width: float,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Test a contract on fresh layouts until its interval is narrow enough."""
    found = evidence[contract.played[:2]]
    share = found.plan(contract.needed, width, TESTS_PER_CHUNK)
    note(f"testing {contract} on up to {share.planned:,} layouts: P(make) to ±{width / 2:.1%}", quiet)
    chunks = stream_chunks(
        _test_chunk, share.planned // TESTS_PER_CHUNK, seed=seed, jobs=jobs,
        parameters={**work, "played": contract.played}, quiet=quiet, title=f"{contract}, may stop early",
        at_once=share.planned >= MANY_TESTS,
    )  # fmt: skip
    with closing(chunks):  # type: ignore[type-var]
        for made in chunks:
            share.add(made, TESTS_PER_CHUNK)
            if share.done and share.anytime:  # closing a generator that is not exhausted ends the workers
                break
    found.asked[contract.needed] = share


def _random(seed: np.random.SeedSequence, phase: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, phase)))
