"""`towerlab bid bowers`: the value of each call with ten cards in hand.

>>> answer = ask_bid("JS JC AS KS QS TS 9S AH AD 7C", kitties=4, quiet=True)
>>> answer.recommend, answer.layouts
('9S', 8)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import numpy as np

from towerlab.analysis.bidding.arguments import read_scores
from towerlab.analysis.bowers.ranking import Race, bounded_mean
from towerlab.analysis.bowers.score_states import SCORES_MODEL, win_tables
from towerlab.analysis.present import percent
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.stats import Estimate
from towerlab.analysis.study import stream_chunks
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import (
    CALLS,
    HAND_SIZE,
    MISERE,
    MOST_TRICKS,
    OPEN,
    PASS,
    PLAYERS,
    Auction,
    BowersOptions,
    BowersRules,
    bid_of,
    bid_trumps,
    call_key,
    call_symbol,
    call_text,
    game_winner,
    is_made,
)
from towerlab.games.cards import NO_TRUMP, TRUMPS, mask_text, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.written import Mask, Record
from towerlab.sim.bowers.continuation import (
    MISERE_STRAIN,
    OTHERS,
    SILENT,
    PlayedBid,
    SolvedBids,
    draw_layouts,
    leader_seat,
    spare_buries,
    spoken_calls,
    strain_of,
    worth_tables,
)
from towerlab.sim.bowers.deciding import NOVICE

Call: TypeAlias = Annotated[int, call_text]
Buries: TypeAlias = dict[int, Ints]  # by kitty, the hand after the bury for every trump, in its play order [5]
KITTIES: Final = 400  # at most, by default
KITTIES_PER_CHUNK: Final = 10
LAYOUTS_PER_KITTY: Final = 2  # fresh ones, on which the chosen bury is judged
COMMON_LAYOUTS: Final = 3  # of a kitty, on which its bury is chosen
SPARE_CARDS: Final = 4  # among which; five cards and four layouts would add less than 0.02 tricks (measured)
STRAINS: Final = (*TRUMPS, "misere")

BURYING: Final = (
    f"for each kitty one bury is chosen without sight of the other hands (the most tricks on {COMMON_LAYOUTS} layouts, "
    f"of the {SPARE_CARDS} cards that a quick guess spares) and judged on fresh layouts"
)
OTHERS_IN_WORDS: Final = {
    "novice": "the others call and bury as novices on their sampled hands, drawn so that novices would have made the "
    "calls made so far (the closest, where too few fit)",
    "careful": "the others call as novices who keep a trick in hand where they may, and bury as novices, on their "
    "sampled hands, drawn so that they would have made the calls made so far (the closest, where too few fit)",
    "random": "the others call by lot, and their calls so far say nothing",
    "pass": "the others pass from now on, and their calls so far say nothing",
}


MODEL: Final = "double-dummy: the others call and bury as novices while you pass; then all three see all cards"


@dataclass(frozen=True)
class CallValue(
    Record,
    keys="bid=call make score=score.mean interval=score.ends win=win.mean? win_interval=win.ends? declares defends",
):
    """The value of a legal call.

    Attributes:
        call: its number (`games.bowers.bidding`).
        make: how often it is made if it is played; None for a pass.
        score: the asker's points less the mean of the others', a deal, after the rest of the auction.
        declares, defends: how often the asker then plays a contract, and how often another player does.
        behind: what the best call scores more, on the same layouts.
        win: P(the asker wins the game), where the scores were given.
    """

    call: Call
    make: float | None
    score: Estimate
    declares: float
    defends: float
    behind: Estimate
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
    Answer,
    game="bowers",
    method="sampled",
    shown_by="towerlab.analysis.bowers.present:bid_report",
    table="ranked",
    keys="hand=held auction=called others scores doubled assumes kitties layouts actions defending tricks=by_strain "
    "recommend runner_up=second decided as_good interval_kind:anytime why",
):
    """The value of every legal call, and which to make.

    Attributes:
        hand: printed mask.
        auction: the calls before this one.
        actions: every legal call in the order of the ladder.
        defending: the value of the standing bid; None where there is none.
        tricks: P(the bidder takes t tricks), float [6, 11]: C D H S NT with the kitty, and misère without.
        best: the recommended call: the most points, or the most games won where the scores were given.
        runner_up: the next best legal call; None where passing is all that is left.
        lead: the difference between the two, in points a deal or in P(win the game).
        as_good: the calls that the best one does not surely beat, at 95 % for all comparisons together; it is
            `decided` where there are none.
        kitties, layouts: how many were drawn; layouts of one kitty share a bury.
        others: the rule by which the others call, a key of `sim.bowers.OTHERS`.
        scores: of the asker, of the player on the left and of the one on the right, where given.
        doubled: whether the deal counts twice (BO-6).
    """

    cards = HAND_SIZE

    hand: Mask
    auction: Auction
    actions: tuple[CallValue, ...]
    defending: Defending | None
    tricks: Floats
    best: Call
    runner_up: Call | None
    lead: Estimate | None
    as_good: tuple[Call, ...]
    kitties: int
    layouts: int
    others: str
    scores: tuple[int, int, int] | None
    doubled: bool

    @property
    def decided(self) -> bool:
        return not self.as_good

    @property
    def recommend(self) -> str:
        """The recommended call in the notation of JSON."""
        return call_text(self.best)

    @property
    def why(self) -> str:
        """Return what the best bid and a pass lead to, in a sentence."""
        values = {action.call: action for action in self.actions}
        passed = values[PASS]
        bid = values.get((self.runner_up or PASS) if self.best == PASS else self.best)
        after = f"after a pass you defend {percent(passed.defends)} of the time"
        after += f" and make {passed.score.mean:+.2f} points"
        if bid is None or bid.make is None:  # no bid is left
            return f"{after.capitalize()}."
        makes = f"{call_symbol(bid.call)} is made {percent(bid.make)} of the time"
        return f"{makes} and makes {bid.score.mean:+.2f} points; {after}."

    @property
    def assumes(self) -> dict[str, str]:
        """Return the assumption behind each kind of number, by its key in JSON."""
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
    def ranked(self) -> tuple[CallValue, ...]:
        """The legal calls, the best first."""
        return tuple(sorted(self.actions, key=lambda action: -(action.win or action.score).mean))

    @property
    def called(self) -> Sequence[Call]:
        return self.auction.calls

    @property
    def by_strain(self) -> dict[str, Floats]:
        order = (*range(NO_TRUMP - 1, -1, -1), NO_TRUMP, MISERE_STRAIN)
        return {STRAINS[row]: self.tricks[row] for row in order}

    @property
    def second(self) -> dict[str, Any] | None:
        if self.runner_up is None or self.lead is None:
            return None
        return {"bid": call_text(self.runner_up), "behind": self.lead.mean, "interval": self.lead.ends}


@dataclass(frozen=True)
class BowersQuestion:
    """The question as workers take it; seats are counted from the asker.

    Attributes:
        hand: printed mask.
        auction: so far.
        rules: as the game is played.
        rule: by which the others call, of `sim.bowers.OTHERS`.
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
        """Of the asker in the auction, 0 for the dealer's left."""
        return len(self.auction.calls) % PLAYERS

    @property
    def standing(self) -> tuple[int, int, int]:
        """The standing bid, the seat of its bidder or −1, and the passes since."""
        bidder = self.auction.bidder
        return self.auction.standing, -1 if bidder is None else (bidder - self.place) % PLAYERS, self.auction.passes

    def contract(self, call: int) -> PlayedBid:
        """A bid as the asker plays it."""
        return PlayedBid(call, leader_seat(self.rules, self.place), bool(self.rules.names_suit))


class Followed(NamedTuple):
    """Results of some layouts; those of one kitty are consecutive.

    Attributes:
        hands: printed masks of the others, int64[kitties · layouts, 2].
        own: the asker's tricks in every trump, and at misère, int64[kitties · layouts, 6].
        results: the winning bid after each call and the seat of its bidder, int64[kitties · layouts, calls, 2].
        tricks: of that bidder, int64[kitties · layouts, calls].
        standing: the tricks of the standing bid's bidder if all pass, int64[kitties · layouts].
    """

    hands: Ints
    own: Ints
    results: Ints
    tricks: Ints
    standing: Ints


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
        hand: ten cards.
        auction: the calls so far, the dealer's left first; the next player is the asker.
        options: rule options; None for the defaults.
        others, kitties, seed, jobs, quiet: as of `judge_calls`.
        scores: before the deal, of the asker, the player on the left, the one on the right: ``"38,12,44"``; calls
            are then compared by P(win the game).
        doubled: whether the deal counts twice (BO-6).

    Raises:
        TowerlabError: cards that are no hand, an auction that is illegal or over, rules that cannot be solved, an
            unknown rule for the others, scores with which the game is over.
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
    """Return the answer of `ask_bid` to what has been read and checked.

    Args:
        hand: printed mask.
        others: the rule by which the others call, a key of `sim.bowers.OTHERS`.
        before: the scores, the asker's first.
        factor: what the points are multiplied by (BO-6).
        kitties: how many to draw at most; fewer once a call is surely the best.
        seed: of the sample.
        how: `jobs` and `quiet`, of `stream_chunks`; the answer does not depend on them.
    """
    question = BowersQuestion(hand, auction, options.rules(), OTHERS[others])
    points = worth_tables(options) * factor
    values = points if before is None else win_tables(before, question.place, factor, options, seed)
    race, scored = (Race(*_bounds(question, table)) for table in (values, points))
    chunks = follow_calls(question, kitties, seed, **how)
    parts = race.run(chunks, lambda followed: call_scores(followed, values))
    followed = join_kitties(parts)
    scored.add(call_scores(followed, points))
    counts = np.stack([np.bincount(tricks, minlength=MOST_TRICKS + 1) for tricks in followed.own.T])
    best = race.best()
    following = race.runner_up(best)
    seats = followed.results[..., 1]
    actions = tuple(
        CallValue(
            call,
            None if call == PASS else made_share(call, counts),
            scored.estimate(place),
            float((seats[:, place] == 0).mean()),
            float((seats[:, place] > 0).mean()),
            scored.difference(best, place),
            None if before is None else race.estimate(place),
        )
        for place, call in enumerate(question.calls)
    )
    return BidAnswer(
        hand=hand,
        auction=auction,
        actions=actions,
        defending=_defending(question, followed.standing, points),
        tricks=counts / counts.sum(axis=1, keepdims=True),
        best=question.calls[best],
        runner_up=None if following is None else question.calls[following],
        lead=None if following is None else race.difference(best, following),
        as_good=tuple(question.calls[place] for place in race.as_good(best)),
        kitties=len(race.values),
        layouts=len(race.values) * LAYOUTS_PER_KITTY,
        seed=seed,
        others=others,
        scores=before,
        doubled=factor == 2,
        options=options,
    )


def call_scores(followed: Followed, table: Floats) -> Floats:
    """Return the value of each call, mean over the layouts of each kitty.

    Args:
        followed: the results of the calls.
        table: values by bid, seat and tricks, such as `sim.bowers.worth_tables`.

    Returns:
        [kitties, calls].
    """
    values = table[followed.results[..., 0], followed.results[..., 1], followed.tricks]
    means: Floats = values.reshape(-1, LAYOUTS_PER_KITTY, values.shape[1]).mean(axis=1)
    return means


def follow_calls(question: BowersQuestion, kitties: int, seed: int, **how: Any) -> Iterator[Followed]:
    """Yield the results of `sample_calls`, some kitties at a time; `how` is of `stream_chunks`."""
    work = {"question": question, "kitties": kitties, "seed": seed, "chosen": {}}
    how |= {"seed": seed, "title": "kitties", "threads": True}
    return stream_chunks(_run_chunk, -(-kitties // KITTIES_PER_CHUNK), parameters=work, **how)


def join_kitties(parts: Iterable[Followed]) -> Followed:
    """The results of all parts."""
    return Followed._make(map(np.concatenate, zip(*parts, strict=True)))


def sample_calls(
    question: BowersQuestion, kitties: int, rng: np.random.Generator, seed: int = 0, chosen: Buries | None = None
) -> Followed:
    """Return the results of each call in `LAYOUTS_PER_KITTY` layouts of each of some kitties.

    Args:
        question: the asker's hand, the auction and the rules.
        kitties: how many are drawn.
        rng: random numbers.
        seed: of the layouts on which buries are chosen.
        chosen: buries by kitty, filled here; they do not depend on the order in which kitties are drawn.
    """
    spoken = spoken_calls(question.auction.calls)
    draw = partial(draw_layouts, spoken=spoken, rule=question.rule, rules=question.rules)
    drawn = draw(question.unseen, number=kitties, random=rng)
    fresh = np.repeat(drawn, LAYOUTS_PER_KITTY, axis=0)
    for row in range(1, len(fresh), LAYOUTS_PER_KITTY):
        more = draw(question.unseen & ~fresh[row, 2], number=COMMON_LAYOUTS, random=rng)
        fresh[row : row + LAYOUTS_PER_KITTY - 1, :2] = more[: LAYOUTS_PER_KITTY - 1, :2]
    chosen = {} if chosen is None else chosen
    new = [kitty for kitty in np.unique(drawn[:, 2]).tolist() if kitty not in chosen]
    if new:
        common = np.empty((len(new), COMMON_LAYOUTS, 2), dtype=np.int64)
        for place, kitty in enumerate(new):
            random = np.random.default_rng((seed, kitty))
            common[place] = draw(question.unseen & ~kitty, number=COMMON_LAYOUTS, random=random)[:, :2]
        chosen.update(zip(new, _choose_hands(question, np.array(new), common), strict=True))
    remaining = np.array([chosen[kitty] for kitty in fresh[:, 2].tolist()])
    contracts = SolvedBids(question.hand, fresh, question.place, question.rules)
    own = sample_tricks(question, remaining, fresh[:, :2])
    contracts.tricks[:, 0] = own
    results = contracts.follow(question.calls, question.standing, question.rule, rng)
    as_it_stands = np.broadcast_to(np.array(question.standing[:2]), (len(fresh), 1, 2))
    return Followed(fresh[:, :2], own, results, contracts.of(results), contracts.of(as_it_stands)[:, 0])


def _choose_hands(question: BowersQuestion, kitties: Ints, common: Ints) -> Ints:
    """Return the hands after the best bury of spare cards on common layouts in every trump, in play order [kitties, 5].

    Args:
        question: the asker's hand and the rules.
        kitties: printed masks.
        common: layouts of each kitty, printed masks [kitties, layouts, 2].
    """
    remaining = np.empty((len(kitties), NO_TRUMP + 1), dtype=np.int64)
    for trump in range(NO_TRUMP + 1):
        contract = question.contract(int(bid_of(1, trump)))
        trumps = int(bid_trumps(contract.call))
        own = contract.orders(question.hand | kitties)
        buried = [spare_buries(hand, trumps, question.rules.kitty, SPARE_CARDS) for hand in own.tolist()]
        ways = own[:, None] & ~np.array(buried)
        best = contract.tricks(ways, contract.orders(common)).sum(axis=2).argmax(axis=1)
        remaining[:, trump] = ways[np.arange(len(ways)), best]
    return remaining


def sample_tricks(question: BowersQuestion, remaining: Ints, hands: Ints) -> Ints:
    """Return the asker's tricks in every trump, and at misère, with best play by all.

    Args:
        question: the asker's hand and the rules.
        remaining: the asker's hands after the bury for every trump, in its play order [layouts, 5].
        hands: of the left and of the right, printed masks [layouts, 2].

    Returns:
        tricks [layouts, 6].
    """
    tricks = np.empty((len(hands), len(STRAINS)), dtype=np.int64)
    for row in range(len(STRAINS)):
        contract = question.contract(MISERE if row == MISERE_STRAIN else int(bid_of(1, row)))
        own = contract.order(question.hand) if row == MISERE_STRAIN else remaining[:, row, None]
        tricks[:, row] = contract.tricks(own, contract.orders(hands)[:, None])[:, 0, 0]
    return tricks


def made_share(call: int, counts: Ints) -> float:
    """How often a call is made, from how often the bidder took t tricks, by trump [6, 11]."""
    made = sum(int(counts[strain_of(call), t]) for t in range(MOST_TRICKS + 1) if is_made(call, t))
    return made / int(counts[strain_of(call)].sum())


def _run_chunk(chunk: int, seed: np.random.SeedSequence, work: Mapping[str, Any]) -> Followed:
    number = min(KITTIES_PER_CHUNK, work["kitties"] - chunk * KITTIES_PER_CHUNK)
    return sample_calls(work["question"], number, np.random.default_rng(seed), work["seed"], work["chosen"])


def _bounds(question: BowersQuestion, values: Floats) -> tuple[Floats, Floats]:
    """Return bounds of the calls' values: this bid (after a pass the standing one) is played, or a higher one."""
    standing, bidder, _ = question.standing
    keys = np.array([call_key(call) for call in range(CALLS)])
    bounds = []
    for call in question.calls:
        bid, seat = (standing, max(bidder, 0)) if call == PASS else (call, 0)
        higher = values[(keys > keys[bid]) & (question.rule != SILENT)]
        possible = np.append(higher, values[bid, seat])
        bounds.append((possible.min(), possible.max()))
    low, high = np.array(bounds).T
    return low, high


def _defending(question: BowersQuestion, tricks: Ints, points: Floats) -> Defending | None:
    standing, bidder, _ = question.standing
    if standing == PASS:
        return None
    values = points[standing, bidder]
    means = values[tricks].reshape(-1, LAYOUTS_PER_KITTY).mean(axis=1)
    score = bounded_mean(means, float(values.min()), float(values.max()))
    made = float(np.mean([is_made(standing, int(taken)) for taken in tricks]))
    return Defending(standing, ("left", "right")[bidder - 1], made, score)


def _check_scores(text: str, options: BowersOptions) -> tuple[int, int, int]:
    """
    Raises:
        TowerlabError: not three scores, or scores with which the game is over.
    """
    mine, left, right = read_scores(text, "38,12,44")
    if game_winner(mine, left, right, options.target) >= 0:
        raise TowerlabError(f"the game is over at {mine}, {left}, {right}; expected nobody alone at {options.target}")
    return mine, left, right
