"""What is the value of every call of an auction? After each call it goes on by a stated rule on common layouts.

A value is the asker's points less those of an average opponent, whichever side declares; a goulash counts 0.
If the scores are given, it is also P(the asker wins the game) when novices play the rest (`Prospects`).

    towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D" --others random
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from towerlab.analysis.bidding.race import Forecast, Solve, in_parts
from towerlab.analysis.bidding.trick_estimate import stored_chances, stored_estimate
from towerlab.analysis.present import number_of
from towerlab.analysis.towie.contracts import ME, TowieStakes
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_52, NO_TRUMP, mask_cards, trump_field
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.towie.auction import CALLERS, auction_of, legal_calls, strain_of
from towerlab.games.towie.dealing import DUMMY, HAND_SIZE
from towerlab.games.towie.options import RETIREE_WAITS
from towerlab.games.towie.records import Contract
from towerlab.games.towie.scoring import change_seats, deal_score, honours_of_sides, next_dealer, tricks_needed
from towerlab.sim.towie.auctions import CALL_RULES, OWN_RULE, sample_after_calls
from towerlab.sim.towie.games import rests_of_games
from towerlab.sim.towie.outcomes import STRAINS, Outcomes, honour_points, in_play_order
from towerlab.sim.towie.sampling import goulash_pool
from towerlab.solver.double_dummy.estimate import steps_of

RESTS: Final = 1000
"""Rests of games simulated for each state that a deal can leave."""
COUNTED_LAYOUTS: Final = 24  # where there is no estimate, all tricks of a strain are counted in so many layouts
GOLDEN: Final = (5**0.5 - 1) / 2
SECOND_COST: Final = 4.0  # work of a second question; a first one is 1
RAREST_SECOND: Final = 1 / 16  # a second question is asked at least so often
WORK: Final = 300  # a first answer may ask about so many contracts in a suit
WITHOUT_TRUMPS: Final = 3  # work of a contract without trumps; one in a suit is 1
LEAST_VARIANCE: Final = 0.0025  # the least p (1 − p) of a chance by the estimate
_SEED: Final = 20261122  # of the rests, the same for every question

ASSUMPTIONS: Final = {
    "novice": "after the call the others call as the player novice does, and what they have called tells their hands "
    "as if they were novices",
    "random": "after the call the others pass or bid at random; what they have called tells nothing",
    "pass": "all pass after the call; what they have called tells nothing",
}


def win_model(players: int) -> str:
    """Return the model behind chances to win, in words."""
    novices = "three novices" if players == CALLERS else f"{players} novices"
    return (
        f"the rest of the game is played by {novices} ({RESTS:,} simulated for each state after this deal); who has "
        "most points at its end wins, equals share"
    )


def auction_model(others: str) -> str:
    """Return the model behind the value of a call, in words."""
    own = "" if others == "pass" else f"; {OWN_RULE}"
    return f"{ASSUMPTIONS[others]}{own}; then all see all cards (double-dummy); a goulash counts 0"


@dataclass(frozen=True)
class TowieQuestion:
    """A question about an auction.

    Attributes:
        hand, exposed: printed masks of the asker's thirteen cards and of dummy's six.
        calls: the auction so far; it is the asker's turn.
        stakes: the options and vulnerability.
        others: the rule by which the others call, one of `sim.towie.auctions.CALL_RULES`.
        goulashes: how many goulashes there were since the last ordinary deal.
    """

    hand: int
    exposed: int
    calls: Sequence[int]
    stakes: TowieStakes
    others: str = "novice"
    goulashes: int = 0

    @property
    def asker(self) -> int:
        """The asker's number as a caller; the dealer is 0."""
        return len(self.calls) % CALLERS


def callers_of(asker: int) -> list[int]:
    """Return the callers' numbers by place: me, left, right."""
    return [(asker + place) % CALLERS for place in range(CALLERS)]


def points_of_calls(question: TowieQuestion, calls: Sequence[int], count: int, random: np.random.Generator) -> Floats:
    """Return the asker's points after each call, float64[calls, layouts]; the solver only says whether contracts make.

    Args:
        question: the asker's cards, the calls so far and the stakes.
        calls: the calls to value.
        count: number of layouts.
        random: the source of the layouts, and of random calls.
    """
    outcomes = Outcomes(deal_layouts(question, count, random), question.exposed)
    rule = CALL_RULES.index(question.others)
    vulnerable = np.zeros(question.stakes.options.n_players, dtype=np.int64)
    vulnerable[callers_of(question.asker)] = [place in question.stakes.vulnerable for place in range(CALLERS)]
    auction = auction_of(question.calls)
    reached = (outcomes.contracts_after(auction, call, rule, random) for call in calls)
    rules = question.stakes.options.rules()
    return np.array([outcomes.points(contracts, question.asker, vulnerable, rules) for contracts in reached])


class TrickQuestions:
    """Estimates the points of a contract by asking the solver one or two yes-or-no questions in each layout.

    To ask whether a number of tricks can be taken is a tenth of the work of counting the tricks. The first question, in
    every layout, is whether the contract makes; the estimate says how likely each number of tricks is then. The second
    question is about a number of tricks drawn at random, more often one that is in doubt and changes the points. Its
    result is weighted by the inverse of its probability (Horvitz and Thompson), so values have no bias however bad the
    estimate is. It is asked as often as narrows an interval most in the same time.

    Args:
        chances: P(tricks) by step of the estimate, float64[steps, tricks + 1].
        points: the points by tricks, float64[tricks + 1].
        needed: how many tricks make the contract.
        steps: the estimate's steps in some likely layouts, int64[layouts].

    Attributes:
        mean: the expected points by step of the estimate, float64[steps].
    """

    def __init__(self, chances: Floats, points: Floats, needed: int, steps: Ints) -> None:
        self.points = points
        self.needed = needed
        tricks = np.arange(len(points))
        split = (chances[:, None, :] + 1e-9) * np.stack((tricks < needed, tricks >= needed))
        made = split.sum(axis=2)
        split /= np.maximum(made, 1e-9)[:, :, None]
        self._given = split @ points  # [steps, made]
        self._tails = split[:, :, :0:-1].cumsum(axis=2)[:, :, ::-1]  # P(at least 1, 2 … tricks), [steps, made, tricks]
        self._gains = np.diff(points)
        is_open = np.stack((tricks[1:] < needed, tricks[1:] > needed))
        doubt = np.sqrt(np.maximum(self._tails * (1 - self._tails), LEAST_VARIANCE)) * abs(self._gains) * is_open
        total = doubt.sum(axis=2)
        self.mean = chances @ points
        first = made.prod(axis=1) * (self._given[:, 1] - self._given[:, 0]) ** 2
        spread = np.sqrt(SECOND_COST * first[steps].mean())
        share = np.clip(total / max(spread, 1e-9), RAREST_SECOND, 1.0)
        self._second_chances = doubt * (share / np.maximum(total, 1e-9))[:, :, None]

    def value(self, steps: Ints, takes: Callable[[Ints, int], Bools], draws: Floats) -> Floats:
        """Return an unbiased estimate of the points in some layouts, float64[layouts].

        Args:
            steps: the estimate's steps, int64[layouts].
            takes: (places among these layouts, tricks) → whether that many tricks can be taken, bool[places].
            draws: uniform random numbers that choose the second question, float64[layouts].
        """
        places = np.arange(len(steps))
        made = takes(places, self.needed).astype(np.int64)
        value = self._given[steps, made]
        asked = self._second_chances[steps, made]
        drawn = (draws[:, None] >= asked.cumsum(axis=1)).sum(axis=1)
        for column in np.unique(drawn[drawn < len(self._gains)]).tolist():
            some = places[drawn == column]
            off = takes(some, column + 1) - self._tails[steps[some], made[some], column]
            value[some] += off * self._gains[column] / asked[some, column]
        return value


class FollowedCalls:
    """The legal calls of a question, each followed to the end of the auction in a pool of layouts.

    Contracts are valued on request (`solver`), by `TrickQuestions`; where there is no estimate, all tricks are counted.

    Args:
        question: the asker's cards, the calls so far and the stakes.
        pool: how many layouts.
        seed: the seed of the layouts.
        prospects: the chances to win the game, if calls are compared by P(the asker wins it); else None.
        how: `jobs` and `quiet`, of `map_chunks`.

    Attributes:
        calls: the legal calls.
        layouts: printed masks of the hands by caller, int64[pool, 4].
        results: where each call leads, int64[pool, calls, 3]: bid, doubling, declarer; zeros for a goulash.
        draws: the random number of each layout that chooses the second question, float64[pool].
        estimate: the estimate of tricks; None after a goulash, whose suits are too long for it, and with `prospects`.
    """

    def __init__(
        self, question: TowieQuestion, pool: int, seed: int, prospects: Prospects | None = None, **how: Any
    ) -> None:
        random = np.random.default_rng(seed)
        auction = auction_of(question.calls)
        rule = CALL_RULES.index(question.others)
        self.question = question
        self.calls: tuple[int, ...] = tuple(legal_calls(auction))
        self.layouts = deal_layouts(question, pool, random)
        self.outcomes = Outcomes(self.layouts, question.exposed)
        reached = [self.outcomes.contracts_after(auction, call, rule, random) for call in self.calls]
        self.results = np.stack(reached, axis=1)
        codes = self.codes(self.results)
        goulashes = [code for code in np.unique(codes).tolist() if self.contract(code) is None]
        self.results[np.isin(codes, goulashes)] = 0
        self.estimate = None if question.goulashes or prospects else stored_estimate("towie")
        self.draws = even_draws(pool, random)
        self._prospects = prospects
        self._how: dict[str, Any] = {**how, "title": "layouts"}
        self._steps: dict[tuple[int, int], Ints] = {}
        self._drawn: dict[tuple[int, int], Ints] = {}
        self._random = random
        self._questions: dict[Contract, TrickQuestions] = {}
        self._honours = honour_points(self.layouts) * int(question.stakes.options.honours)

    def contract(self, code: int) -> Contract | None:
        """Return the contract of a code, its declarer by place; None if it is not played (a goulash)."""
        bid, rest = divmod(code, CALLERS * 5)
        doubling, declarer = divmod(rest, CALLERS)
        if not self.question.stakes.is_game(bid, doubling):
            return None
        return Contract(bid, doubling, (declarer - self.question.asker) % CALLERS)

    @staticmethod
    def codes(results: Ints) -> Ints:
        """Return contracts as numbers, int64[…], from bid, doubling and declarer, int64[…, 3]."""
        return np.asarray((results[..., 0] * 5 + results[..., 1]) * CALLERS + results[..., 2])

    def forecast(self, results: Ints | None = None) -> Forecast:
        """Return what is known of the calls before any contract is solved.

        Args:
            results: other contracts, int64[pool, columns, 3]; None for those of the calls.
        """
        codes = self.codes(self.results if results is None else results)
        if self.estimate is None:
            unknown = Forecast.unknown(codes)
            played = [any(self.contract(int(code)) for code in np.unique(column)) for column in codes.T]
            return unknown._replace(likely=np.where(played, unknown.likely, 0.0))
        expected = np.zeros(codes.shape)
        likely = np.zeros(codes.shape)
        reach = np.zeros(codes.shape)
        for code in np.unique(codes).tolist():
            contract = self.contract(code)
            if contract is None:
                continue
            rows, columns = np.nonzero(codes == code)
            steps = self.steps(contract.declarer, contract.strain)
            questions = self.questions(contract)
            low, high = (self._chances(contract.strain, shift) @ questions.points for shift in (-1.0, 1.0))
            different, places = np.unique(rows, return_inverse=True)
            mean = questions.mean[steps[different]]
            expected[rows, columns] = (mean + self.honours(contract)[different])[places]
            likely[rows, columns] = (self._draw(contract, different) - mean)[places]
            reach[rows, columns] = abs(high - low)[steps[rows]]
        return Forecast(codes, expected, likely, reach.mean(axis=0))

    def effort(self, calls: Ints) -> float:
        """Return the share of the work of a first answer that one layout of some calls takes."""
        codes = np.sort(self.codes(self.results[:, calls]), axis=1)
        is_asked = np.diff(codes, axis=1, prepend=0) != 0  # a goulash, 0, is not
        bids = codes // (CALLERS * 5)
        is_suit = (bids - 1) % STRAINS < NO_TRUMP
        return float((is_asked * np.where(is_suit, 1, WITHOUT_TRUMPS)).sum(axis=1).mean()) / WORK

    def honours(self, contract: Contract) -> Floats:
        """Return the value of a contract's honours to the asker, float64[pool]."""
        declarer = (contract.declarer + self.question.asker) % CALLERS
        points = self._honours[:, declarer, contract.strain] * self.question.stakes.share(contract.declarer)
        return np.asarray(points, dtype=np.float64)

    def steps(self, place: int, strain: int) -> Ints:
        """Return the steps of the estimate (rows of `TrickEstimate.chances`) for a declarer by place, int64[pool]."""
        if (place, strain) not in self._steps:
            assert self.estimate is not None
            hands = in_play_order(self.layouts, (place + self.question.asker) % CALLERS, strain)
            tricks = self.estimate.tricks(hands, int(trump_field(strain)))
            self._steps[place, strain] = steps_of(tricks, HAND_SIZE)
        return self._steps[place, strain]

    def _draw(self, contract: Contract, layouts: Ints) -> Floats:
        """Draw tricks around the estimate and return their points as questions would give them, float64[layouts]."""
        place = contract.declarer
        strain = contract.strain
        steps = self.steps(place, strain)
        if (place, strain) not in self._drawn:
            below = self._chances(strain).cumsum(axis=1)[steps]
            self._drawn[place, strain] = (self._random.random(len(steps))[:, None] >= below[:, :-1]).sum(axis=1)
        tricks = self._drawn[place, strain][layouts]

        def takes(rows: Ints, least: int) -> Bools:
            return np.asarray(tricks[rows] >= least)

        return self.questions(contract).value(steps[layouts], takes, self.draws[layouts])

    def questions(self, contract: Contract) -> TrickQuestions:
        """Return the questions about a contract."""
        if contract not in self._questions:
            points = self.question.stakes.points(contract)
            chances = self._chances(contract.strain)
            steps = self.steps(contract.declarer, contract.strain)
            self._questions[contract] = TrickQuestions(chances, points, contract.needed, steps)
        return self._questions[contract]

    def tricks(self, layouts: Ints, strain: int) -> Floats:
        """Return P(0..13 tricks) of the asker in a strain, by the estimate within the bounds that the solver found."""
        if self.estimate is None:
            counted = self.outcomes.count_tricks(layouts[:COUNTED_LAYOUTS], self.question.asker, strain)
            return np.bincount(counted, minlength=HAND_SIZE + 1) / len(counted)
        least, most = self.outcomes.bounds(layouts, self.question.asker, strain)
        tricks = np.arange(HAND_SIZE + 1)
        possible = (tricks >= least[:, None]) & (tricks <= most[:, None])
        chances = possible * (self._chances(strain)[self.steps(ME, strain)[layouts]] + 1e-9)
        return np.asarray((chances / chances.sum(axis=1, keepdims=True)).mean(axis=0))

    def _chances(self, strain: int, shift: float = 0.0) -> Floats:
        return stored_chances("towie", int(strain == NO_TRUMP), HAND_SIZE, shift)

    def solver(self, results: Ints | None = None) -> Solve:
        """Return a function that solves contracts: (layouts, calls) by number → values, float64[layouts, calls].

        Args:
            results: the same as in `forecast`.
        """
        reached = self.results if results is None else results

        def solve(layouts: Ints, calls: Ints) -> Floats:
            return self.values(layouts, reached[np.ix_(layouts, calls)])

        return in_parts(solve, **self._how)

    def values(self, layouts: Ints, results: Ints) -> Floats:
        """Return the value of contracts to the asker: points, or P(win) with prospects, float64[layouts, columns].

        Args:
            layouts: the numbers of layouts.
            results: the contracts in these layouts, int64[layouts, columns, 3].
        """
        codes = self.codes(results)
        values = np.zeros(codes.shape)
        for code in np.unique(codes).tolist():
            contract = self.contract(code)
            rows, columns = np.nonzero(codes == code)
            different, places = np.unique(rows, return_inverse=True)
            numbers = layouts[different]
            if self._prospects is not None:
                values[rows, columns] = self._wins(numbers, contract)[places]
            elif contract is not None:
                values[rows, columns] = (self._points(numbers, contract) + self.honours(contract)[numbers])[places]
        return values

    def _points(self, layouts: Ints, contract: Contract) -> Floats:
        """Return the value of a contract's tricks, without honours, float64[layouts]."""
        points = self.question.stakes.points(contract)
        declarer = (contract.declarer + self.question.asker) % CALLERS
        strain = contract.strain
        if self.estimate is None:
            return np.asarray(points[self.outcomes.count_tricks(layouts, declarer, strain)])
        steps = self.steps(contract.declarer, strain)[layouts]

        takes = self.outcomes.trick_test(layouts, declarer, strain)
        return self.questions(contract).value(steps, takes, self.draws[layouts])

    def _wins(self, layouts: Ints, contract: Contract | None) -> Floats:
        """Return P(the asker wins) after a contract, or after a goulash (None), float64[layouts]."""
        assert self._prospects is not None
        played = np.zeros((len(layouts), 3), dtype=np.int64)
        tricks = np.zeros(len(layouts), dtype=np.int64)
        if contract is not None:
            played[:] = contract.bid, contract.doubling, contract.declarer
            declarer = (contract.declarer + self.question.asker) % CALLERS
            tricks = self.outcomes.count_tricks(layouts, declarer, contract.strain)
        by_place = self.layouts[layouts][:, [*callers_of(self.question.asker), DUMMY]]
        return self._prospects.win_chances(by_place, played, tricks[:, None])


def even_draws(count: int, random: np.random.Generator) -> Floats:
    """Return uniform random numbers of which any first few are evenly spread, float64[count].

    They are steps of the golden ratio from a random start.
    """
    return np.asarray((random.random() + np.arange(count) * GOLDEN) % 1.0)


def deal_layouts(question: TowieQuestion, count: int, random: np.random.Generator) -> Ints:
    """Return layouts that fit the cards and the calls of novices: masks by caller, int64[count, 4]."""
    spoken = np.array(question.calls if question.others == "novice" else (), dtype=np.int64)
    pool = goulash_pool(question.stakes.options.rules(), question.goulashes) if question.goulashes else None
    return sample_after_calls(spoken, question.asker, question.hand, question.exposed, count, random, pool)[0]


def sample_pairs(hand: int, exposed: int, count: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Return pairs of deals, one with the exposed cards and one with an average dummy, int64[count, 4] each.

    A deal is printed masks by place, the dummy's last. The second deal of a pair is the first one with the exposed
    cards moved to random places among the 39; the other cards keep their places, except those that make room. Each deal
    alone is uniform; the correlation of a pair makes their difference less noisy.

    Args:
        hand, exposed: printed masks of the asker's thirteen cards, and of cards of the dummy.
        count: number of pairs.
        random: the source of the deals.
    """
    unseen = np.array(mask_cards(DECK_52 & ~hand & ~exposed), dtype=np.int64)
    seen = np.tile(np.array(mask_cards(exposed), dtype=np.int64), (count, 1))
    # By place: the exposed cards, then the dummy's other ones, left's, right's.
    dealt = np.concatenate([seen, random.permuted(np.tile(unseen, (count, 1)), axis=1)], axis=1)
    moved = dealt.copy()
    rows = np.arange(count)
    # A shuffle of the first places, run backwards: the exposed cards' new places are a uniform choice.
    for place in reversed(range(exposed.bit_count())):
        other = random.integers(place, moved.shape[1], size=count)
        moved[rows, other], moved[:, place] = moved[:, place].copy(), moved[rows, other].copy()
    return _masks(hand, dealt), _masks(hand, moved)


def _masks(hand: int, places: Ints) -> Ints:
    """Return the masks of me, left, right and dummy, int64[count, 4], from the unseen cards by place."""
    bits = np.left_shift(np.int64(1), places)
    dummy, left, right = (bits[:, HAND_SIZE * k : HAND_SIZE * (k + 1)].sum(axis=1) for k in range(3))
    return np.stack([np.full(len(places), hand, dtype=np.int64), left, right, dummy], axis=1)


class Prospects:
    """P(the asker wins the game) after a deal, from the scores and the games won before it.

    Args:
        scores: the points before the deal of the asker, left, right and the waiting players in order.
        stakes: the options and vulnerability.
        asker: the asker's number as a caller; the dealer is 0.

    Raises:
        TowerlabError: not one score for each player.
    """

    def __init__(self, scores: Sequence[int], stakes: TowieStakes, asker: int) -> None:
        players = stakes.options.n_players
        if len(scores) != players:
            waiting = ", and of those who wait, in order" * (players > CALLERS)
            expected = f"{players}: points of me, left and right{waiting}; option n_players says how many play"
            wrong = f"--scores has {number_of(len(scores), 'number')}; expected {expected}"
            raise blame(TowerlabError(wrong), "scores")
        self._asker = asker
        self._stakes = stakes
        self._rules = stakes.options.rules()
        self._rests: dict[tuple[bool, tuple[int, ...]], Ints] = {}
        self._known: dict[tuple[int, ...], float] = {}
        self._scores = [0] * players
        self._games = [0] * players
        for place, player in enumerate((*callers_of(asker), *range(CALLERS, players))):
            self._scores[player] = scores[place]
            self._games[player] = int(place in stakes.vulnerable)

    def win_chances(self, layouts: Ints, contracts: Ints, tricks: Ints) -> Floats:
        """Return P(the asker wins), float64[layouts].

        Args:
            layouts: printed masks by place, int64[layouts, 4].
            contracts: the bid, doubling and declarer by place, int64[layouts, 3].
            tricks: the declarer's tricks; the mean over a row's numbers counts, int64[layouts, numbers].
        """
        return np.array(
            [
                np.mean([self._win_chance(deal, contract, int(number)) for number in numbers])
                for deal, contract, numbers in zip(layouts, contracts.tolist(), tricks, strict=True)
            ]
        )

    def _win_chance(self, deal: Ints, contract: Sequence[int], tricks: int) -> float:
        bid, doubling, place = contract
        if not self._stakes.is_game(bid, doubling):
            return self._win_share(range(len(self._scores)), self._games, self._scores, goulash=True)
        declarer = callers_of(self._asker)[place]
        honours = honours_of_sides(deal, place, int(strain_of(bid)))
        gained, lost = deal_score(bid, doubling, self._games[declarer], tricks, *honours, self._rules)
        scores = [score + int(gained if player == declarer else lost) for player, score in enumerate(self._scores)]
        games = np.array(self._games)
        games[declarer] += int(tricks >= tricks_needed(bid))
        active = np.arange(CALLERS)
        waiting = np.arange(CALLERS, len(games))
        change_seats(active, waiting, games, declarer, self._rules[RETIREE_WAITS])
        dealer = int(next_dealer(0))
        order = np.concatenate([np.roll(active, -dealer), waiting])
        return self._win_share(order.tolist(), games.tolist(), scores)

    def _win_share(
        self, order: Sequence[int], games: Sequence[int], scores: Sequence[int], *, goulash: bool = False
    ) -> float:
        """Return P(the asker wins) from a state between deals.

        Args:
            order: all players, the next dealer first, those who wait last.
            games, scores: the games won and points, by player.
            goulash: whether the deal is dealt again.
        """
        key = (int(goulash), *order, *games, *scores)
        if key not in self._known:
            ends = np.array([scores])
            if max(games) < 2:
                rest = self._rest(goulash, tuple(games[player] for player in order))
                ends = ends + rest[:, np.argsort(order)]
            best = ends == ends.max(axis=1, keepdims=True)
            self._known[key] = float((best[:, self._asker] / best.sum(axis=1)).mean())
        return self._known[key]

    def _rest(self, goulash: bool, games: tuple[int, ...]) -> Ints:
        if (goulash, games) not in self._rests:
            seed = np.random.SeedSequence(_SEED, spawn_key=(int(goulash), *games))
            self._rests[goulash, games] = rests_of_games(games, goulash, RESTS, seed, self._stakes.options)
        return self._rests[goulash, games]
