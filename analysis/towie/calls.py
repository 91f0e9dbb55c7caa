"""The value of every call of an auction, which continues by stated rules on common layouts up to a scored contract.

A call's value is the asker's points less those of an average opponent, whichever side plays; a goulash counts 0. If the
ledger is known it is also P(the asker wins the game), the rest of which is played by novices (`Prospects`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.analysis.present import number_of
from towerlab.analysis.present.faults import blame
from towerlab.analysis.towie.contracts import TowieStakes
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_52, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.towie.auction import BID, BIDDER, CALLERS, auction_of, legal_calls, strain_of
from towerlab.games.towie.dealing import DUMMY, HAND_SIZE
from towerlab.games.towie.options import RETIREE_WAITS
from towerlab.games.towie.scoring import deal_score, honours_of_sides, tricks_needed
from towerlab.games.towie.seats import change_seats, next_dealer
from towerlab.sim.towie.auctions import OTHERS, OWN_RULE, sample_after_calls
from towerlab.sim.towie.games import rests_of_games
from towerlab.sim.towie.outcomes import Outcomes
from towerlab.sim.towie.sampling import goulash_pool

RESTS: Final = 1000
"""Rests of games simulated for each state that a deal can leave."""
_SEED: Final = 20261122  # of those: the same for every question

ASSUMPTIONS: Final = {
    "novice": "after the call the others call as the player novice does, and what they have called tells their hands "
    "as if they were novices",
    "random": "after the call the others pass or bid by lot; what they have called tells nothing",
    "pass": "all pass after the call; what they have called tells nothing",
}


def win_model(players: int) -> str:
    """Return the model behind chances to win, in words."""
    novices = "three novices" if players == CALLERS else f"{players} novices"
    return (
        f"the rest of the game is played by {novices} ({RESTS:,} simulated for each state after this deal); who has "
        "most points at its end wins, equals share"
    )


def goes_on(others: str) -> str:
    """Return the model behind the value of a call, in words."""
    own = "" if others == "pass" else f"; {OWN_RULE}"
    return f"{ASSUMPTIONS[others]}{own}; then all see all cards (double-dummy); a goulash counts 0"


@dataclass(frozen=True)
class TowieQuestion:
    """A question about an auction.

    Attributes:
        hand, exposed: printed masks of thirteen cards and of dummy's six.
        calls: so far; the asker's turn is next.
        table: options and vulnerability.
        others: the rule by which the others call, of `OTHERS`.
        goulashes: since the last ordinary deal.
    """

    hand: int
    exposed: int
    calls: Sequence[int]
    table: TowieStakes
    others: str = "novice"
    goulashes: int = 0

    @property
    def asker(self) -> int:
        """The asker as caller, the dealer 0."""
        return len(self.calls) % CALLERS


@dataclass(frozen=True)
class ComparedCalls:
    """Calls on common layouts.

    Attributes:
        layouts: printed masks [number, 4] by place (me, left, right), the dummy's last.
        own: tricks of the asker as declarer [number, 5]; −1 where they were not counted.
        calls: the legal ones.
        contracts: where each leads [calls, number, 3]: bid, doubling, the declarer's place.
        tricks: of the declarer [calls, number, 2], two numbers that are as likely.
        points: [calls, number].
        standing: tricks of the standing bid's declarer [number]; −1 where there is none or they were not counted.
    """

    layouts: Ints
    own: Ints
    calls: tuple[int, ...]
    contracts: Ints
    tricks: Ints
    points: Floats
    standing: Ints


def join_layouts(parts: Sequence[ComparedCalls]) -> ComparedCalls:
    """The same calls judged on all layouts of the parts."""
    axes = {"layouts": 0, "own": 0, "contracts": 1, "tricks": 1, "points": 1, "standing": 0}
    joined = {name: np.concatenate([getattr(part, name) for part in parts], axis) for name, axis in axes.items()}
    return ComparedCalls(calls=parts[0].calls, **joined)


def callers_of(asker: int) -> list[int]:
    """The callers by place: me, left, right."""
    return [(asker + place) % CALLERS for place in range(CALLERS)]


def judge_calls(
    question: TowieQuestion,
    count: int,
    random: np.random.Generator,
    *,
    exact: bool = True,
    among: Sequence[int] | None = None,
) -> ComparedCalls:
    """Every legal call on the same layouts.

    Args:
        question: the asker's cards, the calls so far and the stakes.
        count: of layouts.
        random: source of the layouts, and of calls at random.
        exact: whether tricks are counted or only compared with the contract.
        among: calls to judge; None for all legal ones, and tricks in every strain of the asker as well.
    """
    auction = auction_of(question.calls)
    asker = question.asker
    rule = OTHERS.index(question.others)
    deals = deal_layouts(question, count, random)
    outcomes = Outcomes(deals, question.exposed, exact)
    chosen = tuple(legal_calls(auction) if among is None else among)
    rules = question.table.options.rules()
    callers = callers_of(asker)
    vulnerable = np.zeros(question.table.options.n_players, dtype=np.int64)
    vulnerable[callers] = [place in question.table.vulnerable for place in range(CALLERS)]
    shape = len(chosen), count
    contracts = np.zeros((*shape, 3), dtype=np.int64)
    tricks = np.zeros((*shape, 2), dtype=np.int64)
    points = np.zeros(shape)
    for place, call in enumerate(chosen):
        reached = outcomes.contracts_after(auction, call, rule, random)
        tricks[place] = outcomes.tricks(reached, rules)
        points[place] = outcomes.points(reached, asker, vulnerable, rules)
        reached[:, 2] = (reached[:, 2] - asker) % CALLERS
        contracts[place] = reached
    own = np.full((count, 5), -1, dtype=np.int64)
    standing = np.full(count, -1, dtype=np.int64)
    if exact and among is None:
        own = np.stack([outcomes.count(np.arange(count), asker, strain) for strain in range(5)], axis=1)
    if exact and auction[BID]:
        standing = outcomes.count(np.arange(count), int(auction[BIDDER]), int(strain_of(auction[BID])))
    return ComparedCalls(deals[:, [*callers, DUMMY]], own, chosen, contracts, tricks, points, standing)


def deal_layouts(question: TowieQuestion, count: int, random: np.random.Generator) -> Ints:
    """Layouts by caller that fit the cards and, if the others are novices, their calls: masks, int64[count, 4]."""
    spoken = np.array(question.calls if question.others == "novice" else (), dtype=np.int64)
    pool = goulash_pool(question.table.options.rules(), question.goulashes) if question.goulashes else None
    return sample_after_calls(spoken, question.asker, question.hand, question.exposed, count, random, pool)[0]


def sample_pairs(hand: int, exposed: int, count: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Return pairs of deals, one with the exposed cards in the dummy and one with an average dummy, each [count, 4].

    A deal is printed masks by place, the dummy's last. The second deal is the first one with the exposed cards moved to
    random places among the 39; the other cards keep their places, except those that make room. Each deal is uniform;
    their correlation makes the difference less noisy.

    Args:
        hand, exposed: printed masks of thirteen cards, and of cards of the dummy.
        count: how many.
        random: source of the layouts.
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
    """Deals [count, 4] of me, left, right, dummy, from cards by place."""
    bits = np.left_shift(np.int64(1), places)
    dummy, left, right = (bits[:, HAND_SIZE * k : HAND_SIZE * (k + 1)].sum(axis=1) for k in range(3))
    return np.stack([np.full(len(places), hand, dtype=np.int64), left, right, dummy], axis=1)


class Prospects:
    """P(the asker wins the game) after a deal, from the ledgers and the games won.

    Args:
        scores: points of the asker, left and right before the deal, and of waiting players in order.
        table: options and vulnerability.
        asker: the asker as caller, the dealer 0.

    Raises:
        TowerlabError: other than one number a player.
    """

    def __init__(self, scores: Sequence[int], table: TowieStakes, asker: int) -> None:
        players = table.options.n_players
        if len(scores) != players:
            waiting = ", and of those who wait, in order" * (players > CALLERS)
            expected = f"{players}: points of me, left and right{waiting}; option n_players says how many play"
            wrong = f"--scores has {number_of(len(scores), 'number')}; expected {expected}"
            raise blame(TowerlabError(wrong), "scores")
        self._asker = asker
        self._table = table
        self._rules = table.options.rules()
        self._rests: dict[tuple[bool, tuple[int, ...]], Ints] = {}
        self._known: dict[tuple[int, ...], float] = {}
        self._scores = [0] * players
        self._games = [0] * players
        for place, player in enumerate((*callers_of(asker), *range(CALLERS, players))):
            self._scores[player] = scores[place]
            self._games[player] = int(place in table.vulnerable)

    def wins(self, layouts: Ints, contracts: Ints, tricks: Ints) -> Floats:
        """P(the asker wins) [layouts]; arguments as a row of `ComparedCalls`."""
        return np.array(
            [
                np.mean([self._win(deal, contract, int(number)) for number in numbers])
                for deal, contract, numbers in zip(layouts, contracts.tolist(), tricks, strict=True)
            ]
        )

    def _win(self, deal: Ints, contract: Sequence[int], tricks: int) -> float:
        bid, doubling, place = contract
        if not self._table.is_game(bid, doubling):
            return self._share(range(len(self._scores)), self._games, self._scores, goulash=True)
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
        return self._share(order.tolist(), games.tolist(), scores)

    def _share(
        self, order: Sequence[int], games: Sequence[int], scores: Sequence[int], *, goulash: bool = False
    ) -> float:
        """P(the asker wins) from a state between deals.

        Args:
            order: all players, from the next dealer on, those who waited last.
            games, scores: by player.
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
            self._rests[goulash, games] = rests_of_games(games, goulash, RESTS, seed, self._table.options)
        return self._rests[goulash, games]
