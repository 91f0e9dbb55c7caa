"""The study `hand-departures`: what contracts are worth, of 1, 2 or 3 cards where best play would not have come, too.

It goes on from the solution of the whole hand (the study `hand-equilibrium`), which says nothing of
what it never comes to: whoever left its path did so with any hand alike, and from there on the rest is solved in its
own right, one chunk an up-card. What it writes is read by `analysis.towers_and_bowers.solutions.departures`.

At odd n the payoff does not depend on who bid. The non-dealer accepts at once. After a pass the dealer does, too, which
is then the same game; beside a nine, a ten or a queen it passes with some hands with red jacks (2.6, 1.1 and 0.6 % of
all), too seldom for a second round to be counted as on the path of that game (`RARE_PASS`). There the non-dealer names.
What a pass of the dealer's is worth is that of the game after the first pass.

Of four cards only the game after the non-dealer has accepted is solved (hardly anybody accepts a jack); every other
contract is valued in the solution, and whoever reads it asks how often best play comes there. Its play must have been
left by ``hand-equilibrium --set play=true`` (18 GB in memory, two threads). In place of the other games' exploitability
stands what best replies gain in each part of the solution, given that play comes there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.study.workers import map_in_threads
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, load_bidding
from towerlab.analysis.towers_and_bowers.solutions.departures import (
    GAINS,
    are_solved,
    choice_columns,
    contract_rows,
    departure_files,
    worth_columns,
)
from towerlab.analysis.towers_and_bowers.solutions.rules import stamped
from towerlab.analysis.towers_and_bowers.solutions.stored_side import choices_off_the_path
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import stored_strategy
from towerlab.analysis.towers_and_bowers.studies.hand_equilibrium import FLOOR, SCHEDULES, count_chunks, warm_up
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import RANKS
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.bidding.packed import columns, pack, value_columns
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, HandSolver, exploitability, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.best_response import Strategy, best_response_values
from towerlab.solver.towers_and_bowers.whole_hand.by_class import by_class, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.departures import (
    ContractTable,
    Source,
    alone,
    contract_table,
    played_alone,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand import ACCEPTED, PASSED
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import deals as count_deals

TARGET: Final = 1e-5  # exploitability of each game, given that play comes there
EVERY: Final = {1: 30, 2: 200, 3: 60, 4: 20}  # iterations between two measurements
MOST: Final = {1: 30, 2: 4_000, 3: 480, 4: 20}
TWICE: Final = PASSED + 1
THRICE: Final = PASSED + 2
SHARPER: Final = {ACCEPTED: 0.3, PASSED: 0.35}  # the fastest to be learnt, and met most
RARE_PASS: Final = (
    0.05  # how often a dealer may pass after a pass, as any hand sees it, and the non-dealer learn nothing
)
SELDOM: Final = 0.01  # a contract that these games come to less often, with a hand, is one that all hands come to alike
_DISCARDS: Final = 1  # the place of the discards after an acceptance in `choices_off_the_path`
_PARTS: Final = 20  # of the hands of an up-card, whose play takes long
PARAMETERS: Final = {"cards": 2, "target": TARGET}


class _Games:
    """The games of one up-card, each solved when it is first asked for."""

    def __init__(self, stored: StoredBidding, game: HandGame, rank: int, target: float, note: Callable[[str], None]):
        self.stored, self.game, self.rank, self.target, self.note = stored, game, rank, target, note
        self.gains: dict[str, float] = {}
        self._solved: dict[int, Strategy] = {}

    def solved(self, part: int) -> Strategy:
        """A part; kept in a dict of its own, so that the memory is given back with the object."""
        if part not in self._solved:
            self._solved[part] = self._solve(part)
        return self._solved[part]

    def _solve(self, part: int) -> Strategy:
        cards = self.game.cards
        schedule = replace(SCHEDULES[cards > 3], averages_from=EVERY[cards] // 2 + 1, floor=FLOOR)
        solver = HandSolver(self.game, schedule, part)
        gain = np.inf
        while gain > self.target * SHARPER.get(part, 1.0) and solver.iterations < MOST[cards]:
            solver.run(EVERY[cards])
            if solver.compact:
                gain = sum(solver.measure()[1:])
            else:
                gain = exploitability(self.game, self.rank, solver.strategy(), part)
            self.note(f"{cards} cards, {RANKS[self.rank]} turned up, part {part}: {solver.iterations}, {gain:.2e}")
        name = {
            ACCEPTED: "accepted_gain",
            PASSED: "passed_gain",
            TWICE: "passed_twice_gain",
            THRICE: "passed_thrice_gain",
        }
        kind = name.get(part, "named_gain")
        self.gains[kind] = max(self.gains.get(kind, 0.0), gain, 0.0)
        return solver.strategy()

    def worth(self, part: int, seat: int, made: int) -> Floats:
        """float64[sets]: what the solution of a part is worth to each hand of a seat that has made the calls of one."""
        won = best_response_values(self.game, self.rank, self.solved(part), seat, made)
        dealt = int(self.game.dealt.sum())
        return won / (count_deals(self.game) / dealt)

    def shares(self) -> BiddingStrategies:
        """Calls and discards where whoever comes there does so with any hand alike."""
        if self.game.cards % 2 == 0 and not self.off_path[:, _DISCARDS].any():
            return self.stored.strategies
        accepted = by_class(self.game, self.rank, self.solved(ACCEPTED))[1]
        if self.game.cards % 2 == 0:
            return replace(self.stored.strategies, discards=accepted.discards)
        passed, names, left = (by_class(self.game, self.rank, self.solved(part))[1] for part in (PASSED, TWICE, THRICE))
        if (often := self._passes(passed.answers).max()) > RARE_PASS:
            raise TowerlabError(
                f"the dealer passes after a pass {often:.1%} of the time; expected at most {RARE_PASS:.0%}"
            )
        given = accepted.discards
        return replace(accepted, names=names.names, answers=passed.answers, own_discards=given, left=left.left)

    def _passes(self, answers: Floats) -> Floats:
        """float64[classes]: how often the dealer passes after a pass, as each hand of the non-dealer sees it."""
        deals = make_deals(self.game.cards, self.stored.up)
        meets = (deals.classes[:, None] & deals.hands) == 0
        found: Floats = meets @ (1 - answers)[deals.row] / meets.sum(1)
        return found

    def part(self, part: int, contract: int) -> Callable[[], Source]:
        """A contract in a part."""

        def ask() -> Source:
            strategy = self.solved(part)
            return Source(strategy, contract, SELDOM)

        return ask

    def main(self, contract: int) -> Callable[[], Source]:
        """A contract in the solution of the whole hand."""
        return lambda: Source(self.whole, contract, self.stored.least_likelihood)

    @functools.cached_property
    def off_path(self) -> Bools:
        """`choices_off_the_path` of the classes."""
        return choices_off_the_path(self.stored)

    @functools.cached_property
    def whole(self) -> Strategy:
        """The solution of the whole hand, which ships of two cards."""
        return stored_strategy(self.game.cards, self.rank)[1]

    def alone(self, contract: int) -> Callable[[], Source]:
        """A contract that all hands come to."""
        part, played = played_alone(self.game, contract)
        return lambda: Source(alone(self.game, played, self.solved(part)), played, 0.0)

    def sources(self, contract: int) -> list[Callable[[], Source]]:
        """Where a contract is valued, in turn."""
        if not are_solved(self.game.cards):
            return [lambda: Source(self.whole, contract, 0.0)]
        odd = self.game.cards % 2 == 1
        if odd and contract <= DEALER_ACCEPTS:
            return [self.part(ACCEPTED, NONDEALER_ACCEPTS)]
        if odd:
            return [self.part(TWICE if contract < DEALER_NAMES else THRICE, contract), self.alone(contract)]
        rest = self.part(ACCEPTED, NONDEALER_ACCEPTS) if contract == NONDEALER_ACCEPTS else self.alone(contract)
        return [self.main(contract), rest]


def solve_chunk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    """One up-card (nothing is drawn: the seed is not used)."""
    return solve_up_card(UP_RANKS[chunk], int(parameters["cards"]), float(parameters["target"]), checkpoint.note)


def solve_up_card(rank: int, cards: int, target: float, note: Callable[[str], None]) -> pd.DataFrame:
    """A row a class of one up-card: the columns of `analysis.towers_and_bowers.solutions.departures`."""
    stored = load_bidding(cards, rank)
    assert stored is not None and stored.values is not None
    game = hand_game(cards, rank, stored.next_deal or 0.0, mirror=True)
    games, numbers = _Games(stored, game, rank, target, note), numbers_of(game, rank)
    hands, odd = np.array([numbers[int(hand)] for hand in stored.hands]), cards % 2 == 1
    found = contract_table(game, rank, hands, games.sources) if are_solved(cards) else _in_the_solution(games, hands)
    worth = dict(zip(value_columns(cards), stored.values.T.astype(np.float64), strict=True))
    table: dict[str, Floats | Ints] = {}
    for name, (seat, contract, place) in contract_rows(cards).items():
        solved, tricks = found.worth[seat, :, contract, place], found.tricks[seat, :, contract, place]
        if odd and contract <= DEALER_ACCEPTS:  # one game, whoever accepts
            worth[name] = worth[name.replace("answered", "accept").replace("own_", "")]
        else:
            known = worth.get(name, solved)
            worth[name] = np.where(odd | np.isnan(known) | (found.place[seat, :, contract] > 0), solved, known)
        table |= {f"tricks_{name}_{taken}": tricks[:, taken] for taken in range(1, cards + 1)}
    if odd:
        worth["name_pass"] = games.worth(THRICE, NONDEALER, THRICE)[hands]
        worth["answer"] = np.max([worth[f"own_discard_{place}"] for place in range(1, cards + 1)], axis=0)
        worth["answer_pass"] = games.worth(PASSED, DEALER, TWICE)[hands]
    table |= {f"worth_{name}": worth[name] for name in worth_columns(cards)}
    off = np.zeros((len(hands), len(columns(cards))), dtype=bool)
    for places, of in zip(choice_columns(cards), games.off_path.T, strict=True):
        off[:, places] = of[:, None]
    table |= dict(zip(columns(cards), np.where(off, pack(games.shares()), 0).T, strict=True))
    gains = {name: games.gains.get(name, 0.0) for name in GAINS}
    return pd.DataFrame({"up": stored.up, "hand": stored.hands} | table | gains)


def _in_the_solution(games: _Games, hands: Ints) -> ContractTable:
    """`contract_table` in the solution alone, in two threads, and after an acceptance that never comes in that game."""
    parts = np.array_split(hands, _PARTS)
    assert len(games.whole.play) == games.game.play_size  # read before there are threads

    def table(_: None, part: int) -> ContractTable:
        found = contract_table(games.game, games.rank, parts[part], games.sources)
        games.note(f"{games.game.cards} cards, {RANKS[games.rank]} turned up: hands, part {part + 1} of {_PARTS}")
        return found

    tables = map_in_threads(table, range(_PARTS), lambda: None, 2)
    found = ContractTable(*(np.concatenate(of, axis=1) for of in zip(*tables, strict=True)))
    games.gains = gains_inside(games.stored, found)
    rows = games.off_path[:, _DISCARDS]
    if rows.any():
        accepted = [games.part(ACCEPTED, NONDEALER_ACCEPTS)]
        rest = contract_table(
            games.game, games.rank, hands[rows], lambda contract: accepted if contract == NONDEALER_ACCEPTS else []
        )
        for whole, part in zip(found, rest, strict=True):
            whole[DEALER, rows, NONDEALER_ACCEPTS] = part[DEALER, :, NONDEALER_ACCEPTS]
        found.place[DEALER, rows, NONDEALER_ACCEPTS] = 1  # not in the solution
    return found


def gains_inside(stored: StoredBidding, found: ContractTable) -> dict[str, float]:
    """What best replies of both players win in each part of the solution, given that play comes there.

    Args:
        stored: the bidding.
        found: of its classes, every contract valued in the solution.
    """
    made, deals = stored.strategies, make_deals(stored.cards, stored.up)
    weights = deals.weights / deals.weights.sum()
    own, theirs = found.worth * found.likelihood[..., None]  # float64[classes, 8, n] each: reached and won
    names, leaves = (slice(first, first + 3) for first in (NONDEALER_NAMES, DEALER_NAMES))
    passes, left = 1 - made.accepts, own[:, leaves, 0].sum(1)
    named = np.maximum(own[:, names, 0].max(1), left)
    last = theirs[:, leaves, 0].max(1)
    takes, later = theirs[:, DEALER_ACCEPTS].max(1), theirs[:, names, 0].sum(1) + last
    comes = found.likelihood[NONDEALER]
    parts = {  # what each wins there, and how often play comes there
        "accepted_gain": (
            made.accepts * own[:, NONDEALER_ACCEPTS, 0],
            theirs[:, NONDEALER_ACCEPTS].max(1),
            made.accepts,
        ),
        "passed_gain": (passes * (own[:, DEALER_ACCEPTS, 0] + named), np.maximum(takes, later), passes),
        "passed_twice_gain": (passes * named, (1 - made.answers) * later, passes * comes[:, NONDEALER_NAMES]),
        "passed_thrice_gain": (
            passes * made.names[:, 3] * left,
            (1 - made.answers) * last,
            passes * made.names[:, 3] * comes[:, NONDEALER_NAMES],
        ),
    }
    return {
        name: float(weights @ (mine + yours) / (weights @ reach) - 1)
        for name, (mine, yours, reach) in parts.items()
        if reach.any()
    }


def combine_chunks(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """The files that ship."""
    cards, found = int(parameters["cards"]), pd.concat(tables, ignore_index=True)
    arrays, by_up = departure_files(cards, found)
    summary = {"cards": cards, "target": float(parameters["target"]), "gains": by_up[list(GAINS)].max().to_dict()}
    made = {f"departures-{cards}.npz": arrays} | stamped(f"departures-{cards}")
    return StudyResult({f"departures-{cards}-up-cards": by_up}, summary, made)


HAND_DEPARTURES: Final = Study(
    game="towers-and-bowers",
    name="hand-departures",
    help="What contracts are worth in the whole hand of 1 to 4 cards; of 1 to 3 also where best play does not come.",
    parameters=PARAMETERS,
    count_chunks=count_chunks,
    run_chunk=solve_chunk,
    combine=combine_chunks,
    warm_up=warm_up,
    keeps_checkpoints=True,
)
