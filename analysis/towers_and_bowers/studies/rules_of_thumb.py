"""What rules of thumb cost after the bidding has begun: which card to discard, which suit to name, what to play.

Discards and suits: random hands, as many of each size; what every alternative is worth is exact, the other bidding as
in equilibrium (`analysis.towers_and_bowers.upcard.weighted`). Plays: *pimc* plays matches against itself; at the first
lead of a hand, and with three cards left as leader and as follower, every card is worth the mean over all hands that
the other can hold when both see all cards from then on (`analysis.towers_and_bowers.review.reference`), which infers
nothing from how they bid. A rule costs what its choice is worth less than the best one, in mt (0.001 of P(win the
tower)), per unforced decision: one in which not every alternative is worth the same. Decisions of one match hang
together: intervals are over matches; those on discards and suits are over hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats import ratio_interval
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.review.reference import Reference
from analysis.towers_and_bowers.review.reference import warm_up as warm_up_reference
from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from analysis.towers_and_bowers.upcard.weighted import answer_discard
from games.cards import DECK_24, JACK, SUITS, TRUMP_FIELD, card_text, mask_cards, rank_of, suit_of, to_play_order
from games.towers_and_bowers import LARGEST_HAND, Match, Phase, TowersAndBowersOptions, View, legal_replies
from sim.towers_and_bowers import KernelPlayer
from sim.towers_and_bowers.hand import deal_hand
from sim.towers_and_bowers.match import generators
from sim.towers_and_bowers.seats import take_step
from solver.towers_and_bowers.upcard import named_suits

OPTIONS: Final = TowersAndBowersOptions(claims="off")
LAST: Final = 3  # cards left in the endings that are looked at
_FREE: Final = 0.05  # mt: what is called free
_ACE: Final = 12  # rank
Row = dict[str, Any]


@dataclass(frozen=True)
class Holding:
    """Cards of a player, trumps told from the rest.

    Attributes:
        cards: card ids.
        trump: suit.
        unseen: printed mask of the cards that the other may hold.
    """

    cards: tuple[int, ...]
    trump: int
    unseen: int = 0

    def strength(self, card: int) -> int:
        """Higher beats lower in the same suit; 0 is no trump's."""
        return int(to_play_order(1 << card, self.trump, True))

    def is_trump(self, card: int) -> bool:
        """Bowers included."""
        return bool(self.strength(card) & TRUMP_FIELD)

    @property
    def trumps(self) -> list[int]:
        """Rising."""
        return sorted(filter(self.is_trump, self.cards), key=self.strength)

    @property
    def side(self) -> list[int]:
        """The others, by suit as dealt."""
        return [card for card in self.cards if not self.is_trump(card)]

    def length(self, card: int) -> int:
        """Cards of a side card's suit."""
        return sum(suit_of(other) == suit_of(card) for other in self.side)

    def is_boss(self, card: int) -> bool:
        """Whether nothing unseen in its suit beats it."""
        mine = self.strength(card)
        return not any(self.strength(other) > mine and self.same_suit(other, card) for other in mask_cards(self.unseen))

    def same_suit(self, one: int, other: int) -> bool:
        """As suits are followed."""
        trumps = self.is_trump(one), self.is_trump(other)
        return trumps == (True, True) or (trumps == (False, False) and suit_of(one) == suit_of(other))


def _lowest(holding: Holding, cards: Iterable[int]) -> int:
    """The lowest side card, of equals from the shorter suit; a trump only if there is nothing else."""
    side = [card for card in cards if not holding.is_trump(card)]
    if side:
        return min(side, key=lambda card: (rank_of(card), holding.length(card), card))
    return min(cards, key=holding.strength)


def _from_shortest(holding: Holding) -> int:
    """The lowest card of the shortest side suit, a bare ace spared."""
    side = [card for card in holding.side if holding.length(card) > 1 or rank_of(card) != _ACE] or holding.side
    if not side:
        return _lowest(holding, holding.cards)
    return min(side, key=lambda card: (holding.length(card), rank_of(card), card))


def _from_longest(holding: Holding) -> int:
    side = holding.side
    if not side:
        return _lowest(holding, holding.cards)
    return min(side, key=lambda card: (-holding.length(card), rank_of(card), card))


DISCARDS: Final[Mapping[str, Callable[[Holding], int]]] = {
    "the lowest side card": lambda holding: _lowest(holding, holding.cards),
    "the lowest card of the shortest side suit, no bare ace": _from_shortest,
    "the lowest card of the longest side suit": _from_longest,
}


# ------------------------------------------------------------------------------------------------ the suit to name


def suit_points(hand: int, suit: int) -> tuple[int, int]:
    """Cards as trumps, and points among them: right bower 5, left bower 4, ace 3, king 2, queen 1."""
    held = Holding(tuple(mask_cards(hand)), suit).trumps
    honours = (rank_of(card) - JACK if rank_of(card) > JACK else 0 for card in held)
    bowers = sum(5 if suit_of(card) == suit else 4 for card in held if rank_of(card) == JACK)
    return len(held), sum(honours) + bowers


def _best_suit(value: Callable[[tuple[int, int]], tuple[int, ...]]) -> Callable[[int, int], int]:
    """The suit whose cards and points are worth most; of equal ones the highest."""
    return lambda hand, up: max(named_suits(up), key=lambda suit: (*value(suit_points(hand, suit)), suit))


_longest = _best_suit(lambda held: held)


def _only_with(trumps: int) -> Callable[[int, int], int | None]:
    def name(hand: int, up: int) -> int | None:
        suit = _longest(hand, up)
        return suit if suit_points(hand, suit)[0] >= trumps else None

    return name


NAMES: Final[Mapping[str, Callable[[int, int], int | None]]] = {
    "the longest suit, bowers counted": _longest,
    "the most cards and points together": _best_suit(lambda held: (sum(held),)),
    "the strongest suit by points": _best_suit(lambda held: held[::-1]),
    "the suit of the up-card's colour": lambda hand, up: 3 - suit_of(up),
}
PASSES: Final[Mapping[str, Callable[[int, int], int | None]]] = {
    "always pass": lambda hand, up: None,
    "the longest suit if of three cards, else pass": _only_with(3),
    "the longest suit if of four cards, else pass": _only_with(4),
}


# ------------------------------------------------------------------------------------------------------- the play


def _lead_boss(holding: Holding) -> int:
    """A winner that nothing unseen beats, trumps first; else the lowest card."""
    bosses = [card for card in reversed(holding.trumps) if holding.is_boss(card)]
    bosses += [card for card in holding.side if holding.is_boss(card)]
    return bosses[0] if bosses else _lowest(holding, holding.cards)


def _top_side(holding: Holding) -> int:
    found = max(holding.side, key=lambda card: (rank_of(card), holding.strength(card)), default=None)
    return holding.trumps[-1] if found is None else found


def _lead_long(holding: Holding) -> int:
    side = holding.side
    if not side:
        return holding.trumps[-1]
    return max(side, key=lambda card: (holding.length(card), rank_of(card), card))


def _lead_longest(holding: Holding) -> int:
    longest = max(map(holding.length, holding.side), default=0)
    return holding.trumps[-1] if len(holding.trumps) >= longest else _lead_long(holding)


LEADS: Final[Mapping[str, Callable[[Holding], int]]] = {
    "the highest card of the longest suit, trumps too": _lead_longest,
    "the highest trump": lambda holding: holding.trumps[-1] if holding.trumps else _top_side(holding),
    "the highest side card": _top_side,
    "the highest card of the longest side suit": _lead_long,
    "the lowest side card": lambda holding: _lowest(holding, holding.cards),
    "a card that nothing unseen beats, trumps first; else the lowest": _lead_boss,
}


def _wins(holding: Holding, card: int, led: int) -> bool:
    if holding.same_suit(card, led):
        return holding.strength(card) > holding.strength(led)
    return holding.is_trump(card)


def _cheapest_win(holding: Holding, legal: list[int], led: int) -> int:
    wins = [card for card in legal if _wins(holding, card, led)]
    if not wins:
        return _lowest(holding, legal)
    return min(wins, key=lambda card: (holding.is_trump(card), holding.strength(card)))


def _dearest_win(holding: Holding, legal: list[int], led: int) -> int:
    wins = [card for card in legal if _wins(holding, card, led)]
    return max(wins, key=holding.strength) if wins else _lowest(holding, legal)


REPLIES: Final[Mapping[str, Callable[[Holding, list[int], int], int]]] = {
    "win as cheaply as possible, else the lowest": _cheapest_win,
    "win with the highest, else the lowest": _dearest_win,
    "never ruff": lambda holding, legal, led: _cheapest_win(
        holding, [card for card in legal if not holding.is_trump(card)] or legal, led
    ),
    "always the lowest": lambda holding, legal, led: _lowest(holding, legal),
}


# ------------------------------------------------------------------------------------------------------ the sample


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a decision and rule: decision, cards, group (hand or match), rule, cost in mt, spread of the values."""
    deals, random = generators(seed)
    rows: list[Row] = []
    for cards in range(1, LARGEST_HAND + 1):
        for place in range(parameters["hands"]):
            *hands, up = deal_hand(cards, deals)
            group = (chunk * LARGEST_HAND + cards) * int(parameters["hands"]) + place
            rows += [{"group": group, "cards": cards} | row for row in _bidding_rows(hands[0], hands[1], up)]
    for place in range(parameters["matches"]):
        rows += [{"group": -1 - chunk * int(parameters["matches"]) - place} | row for row in _match_rows(random)]
    return pd.DataFrame(rows)


def _bidding_rows(nondealer: int, dealer: int, up: int) -> Iterator[Row]:
    holding = Holding(tuple(mask_cards(dealer)), suit_of(up))
    for asker_bids, words in ((True, "discard, the dealer bid"), (False, "discard, the other bid")):
        discard = answer_discard(dealer, up, asker_bids)
        assert discard is not None
        yield from _scored(
            words, discard.losses().of, {name: card_text(rule(holding)) for name, rule in DISCARDS.items()}
        )
    for seat, hand in (("nondealer", nondealer), ("dealer", dealer)):
        answer = UpcardQuestion(hand, up, seat == "dealer", True).answer(TowersAndBowersOptions())
        rules = NAMES if seat == "dealer" else {**NAMES, **PASSES}
        named = {name: rule(hand, up) for name, rule in rules.items()}
        calls = {name: "pass" if suit is None else SUITS[suit] for name, suit in named.items()}
        yield from _scored(f"second round, {seat}", answer.losses().of, calls)


def _match_rows(random: np.random.Generator) -> Iterator[Row]:
    """Play a match; the rows of its first leads and of its endings."""
    player, reference = KernelPlayer("pimc", OPTIONS, believed_deal_values(OPTIONS)), Reference(OPTIONS)
    match = Match(OPTIONS)
    while match.winner is None:
        hand = match.state().hand
        if match.phase == Phase.PLAY and hand is not None and match.to_act is not None:
            view = match.view(match.to_act)
            held = view.hand.bit_count()
            if (view.led is None and held == hand.n) or held == LAST:
                yield from ({"cards": hand.n} | row for row in _play_rows(reference, view, held == hand.n))
        take_step(match, (player, player), random)


def _play_rows(reference: Reference, view: View, first: bool) -> Iterator[Row]:
    assert view.trump is not None
    choice = reference.play(view)
    if choice.kinds == 1:
        return
    best = max(choice.values.values())
    lost = {action.removeprefix("play "): best - value for action, value in choice.values.items()}
    holding = Holding(tuple(mask_cards(view.hand)), view.trump, DECK_24 & ~(view.hand | view.gone))
    if view.led is None:
        words = "first lead" if first else f"lead with {LAST} cards left"
        yield from _scored(words, lost, {name: card_text(rule(holding)) for name, rule in LEADS.items()})
        return
    legal = mask_cards(int(legal_replies(view.hand, 1 << view.led, view.trump)))
    chosen = {name: card_text(rule(holding, legal, view.led)) for name, rule in REPLIES.items()}
    yield from _scored(f"reply with {LAST} cards left", lost, chosen)


def _scored(decision: str, lost: Mapping[str, float], chosen: Mapping[str, str]) -> Iterator[Row]:
    if max(lost.values()) > 0:
        for rule, action in chosen.items():
            yield {"decision": decision, "rule": rule, "cost": 1000 * lost[action]}


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``rules``: by decision and rule, over all sizes (``cards`` 0) and, of discards and suits, by size."""
    rows = pd.concat(tables, ignore_index=True)
    dealt = rows[rows["group"] >= 0]
    odd = dealt[dealt["decision"].str.startswith("second")]
    parts = [rows.assign(cards=0), dealt, odd.assign(cards=-1 - odd["cards"] % 2)]
    table = pd.concat(parts).groupby(["decision", "cards", "rule"], sort=False)
    scored = pd.DataFrame(
        [dict(zip(("decision", "cards", "rule"), key, strict=True)) | _score(part) for key, part in table]
    )
    scored = scored.sort_values(["decision", "cards", "cost_mt"], ignore_index=True)
    best = scored[scored["cards"] == 0].groupby("decision").first()
    reported = "; ".join(f"{decision}: {row['rule']}, {row['cost_mt']:.1f} mt" for decision, row in best.iterrows())
    summary = {
        "decisions": {str(name): int(count) for name, count in best["decisions"].items()},
        "matches": int(parameters["matches"]) * int(parameters["chunks"]),
        "finding": f"The cheapest rule of each decision, with what it costs: {reported}.",
    }
    return StudyResult({"rules": scored}, summary)


def _score(rows: pd.DataFrame) -> Row:
    """Cost a decision: the mean, with an interval of the ratio of sums over groups."""
    groups = rows.groupby("group")["cost"].agg(["sum", "count"])
    cost = ratio_interval(groups["sum"], groups["count"]).within(0.0).row("cost_mt", bare=True)
    return {"decisions": len(rows), **cost, "free": float((rows["cost"] <= _FREE).mean())}


def _warm_up() -> None:
    warm_up()
    warm_up_reference()
    for cards in (3, 4):
        *hands, up = deal_hand(cards, np.random.default_rng(0))
        list(_bidding_rows(hands[0], hands[1], up))


RULES_OF_THUMB: Final = Study(
    game="towers-and-bowers",
    name="rules-of-thumb",
    help="What rules of thumb cost: which card to discard, which suit to name, the first lead, the last three cards.",
    parameters={"chunks": 10, "hands": 30, "matches": 10},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
