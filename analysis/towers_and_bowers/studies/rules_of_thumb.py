"""What do rules of thumb cost, which claims are sound, and what do rule options change? Three studies.

`rules-of-thumb` measures rules that say which card to discard, which suit to name and which card to play. The cost of a
rule is the value of the best choice less the value of the rule's choice, in mt (0.001 of P(win the tower)), per
decision in which the values differ.

- Discards and suits: random hands, as many of each size; `discard` and `upcard` give the value of every alternative.
  Intervals are over hands.
- Plays: `pimc` plays matches against itself. At the first lead of a hand, and with three cards left as leader and as
  follower, the value of a card is the mean over all hands that the opponent can hold, if both see all cards from then
  on (`move`). Decisions of one match depend on each other, so intervals are over matches.

`claim-accuracy` asks what both players could claim in played matches. `rule-options` measures what each rule option
changes in towers between two novices, the first dealer fixed.

    towerlab study towers-and-bowers rules-of-thumb --out folder
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.claims.accuracy import accuracy_study
from towerlab.analysis.claims.asking import FEWEST_TRICKS, Claimant
from towerlab.analysis.players import Player, find_player
from towerlab.analysis.printed_rules import Clause, PrintedRule
from towerlab.analysis.simulation.rule_options import Played, rule_options_study
from towerlab.analysis.stats import ratio_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.answers import PIMC
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.move import Reference
from towerlab.analysis.towers_and_bowers.position import calling_view, known_in
from towerlab.analysis.towers_and_bowers.simulation import play_batch, seat_in_match
from towerlab.analysis.towers_and_bowers.upcard import UpcardQuestion, best_method, value_discards
from towerlab.games.cards import (
    DECK_24,
    RANKS,
    SUITS,
    TRUMP_FIELD,
    bower_cards,
    card_text,
    mask_cards,
    rank_of,
    suit_of,
    to_play_order,
)
from towerlab.games.towers_and_bowers import LARGEST_HAND, Match, Phase, TowersAndBowersOptions, View, legal_replies
from towerlab.sim.batch import BatchRequest
from towerlab.sim.own_players import PlayerError
from towerlab.sim.towers_and_bowers import KernelPlayer
from towerlab.sim.towers_and_bowers.match import deal_hand, generators
from towerlab.sim.towers_and_bowers.seats import take_step
from towerlab.solver.towers_and_bowers.upcard import named_suits

OPTIONS: Final = TowersAndBowersOptions(claims="off")
LAST: Final = 3  # cards left in the endings that are looked at
_FREE: Final = 0.05  # mt: what is called free
_ACE: Final = 12  # rank
_WORDS: Final = {3: "three", 4: "four"}
Row = dict[str, Any]


@dataclass(frozen=True)
class Holding:
    """Cards of a player, trumps apart from the rest.

    Attributes:
        cards: card ids.
        trump: the trump suit.
        unseen: printed mask of the cards that the other may hold.
        led: the card to reply to, if there is one.
    """

    cards: tuple[int, ...]
    trump: int
    unseen: int = 0
    led: int | None = None

    def strength(self, card: int) -> int:
        """Return a card's height: of two cards of a suit, the higher one wins."""
        return int(to_play_order(1 << card, self.trump, True))

    def is_trump(self, card: int) -> bool:
        """Return whether a card is a trump, bowers included."""
        return bool(self.strength(card) & TRUMP_FIELD)

    @property
    def trumps(self) -> list[int]:
        """The trumps, lowest first."""
        return sorted(filter(self.is_trump, self.cards), key=self.strength)

    @property
    def side(self) -> list[int]:
        """The side cards, by suit as dealt."""
        return [card for card in self.cards if not self.is_trump(card)]

    def height(self, card: int) -> int:
        """Return a key that orders trumps by height, and side cards of any suits by rank."""
        return self.strength(card) if self.is_trump(card) else rank_of(card)

    def length(self, card: int, trumps: bool = False) -> int:
        """Return the number of cards in a side card's suit; 0 for a trump unless trumps count as well."""
        if self.is_trump(card):
            return len(self.trumps) if trumps else 0
        return sum(suit_of(other) == suit_of(card) for other in self.side)

    def wins(self, card: int) -> bool:
        """Return whether a card beats the one that was led."""
        assert self.led is not None
        if self.same_suit(card, self.led):
            return self.strength(card) > self.strength(self.led)
        return self.is_trump(card)

    def is_boss(self, card: int) -> bool:
        """Return whether nothing unseen in its suit beats it."""
        mine = self.strength(card)
        return not any(self.strength(other) > mine and self.same_suit(other, card) for other in mask_cards(self.unseen))

    def same_suit(self, first: int, other: int) -> bool:
        """Return whether two cards are of one suit, as suits are followed."""
        trumps = self.is_trump(first), self.is_trump(other)
        return trumps == (True, True) or (trumps == (False, False) and suit_of(first) == suit_of(other))


HoldingClause = Clause[Holding]
_SIDE = HoldingClause("a side card", lambda holding, card: not holding.is_trump(card))
_LOWEST = HoldingClause("the lowest", lambda holding, card: -holding.height(card))
_HIGHEST = HoldingClause("the highest", lambda holding, card: holding.height(card))
_LONG = HoldingClause("from the longest suit", lambda holding, card: holding.length(card))
_SHORT = HoldingClause("from the shortest suit", lambda holding, card: -holding.length(card))
_TRUMP = HoldingClause("a trump if there is one", lambda holding, card: holding.is_trump(card))

DISCARDS: Final = (
    PrintedRule(_SIDE, _LOWEST, HoldingClause("of equals from the shorter suit", _SHORT.key)),
    PrintedRule(
        _SIDE,
        HoldingClause("no bare ace", lambda holding, card: holding.length(card) > 1 or rank_of(card) != _ACE),
        _SHORT,
        _LOWEST,
        sentence="the lowest card of your shortest side suit; keep a lone ace",
    ),
    PrintedRule(_SIDE, _LONG, _LOWEST),
)


# ------------------------------------------------------------------------------------------------ the suit to name


def suit_points(hand: int, suit: int) -> tuple[int, int]:
    """Return the number of trumps, and their honours: right bower 5, left bower 4, ace 3, king 2, queen 1."""
    held = Holding(tuple(mask_cards(hand)), suit).trumps
    points = {13 * suit + RANKS.index(rank): number for number, rank in enumerate("QKA", 1)}
    points |= dict(zip(bower_cards(suit), (5, 4), strict=True))
    return len(held), sum(points.get(card, 0) for card in held)


NameClause = Clause[tuple[int, int]]  # of a hand and an up-card; an option is a suit, or None for a pass
_LONGEST = NameClause("the longest suit, bowers counted", lambda hand_up, suit: suit_points(hand_up[0], suit)[0])
_POINTS = NameClause("of equals the one of most honours", lambda hand_up, suit: suit_points(hand_up[0], suit)[1])
_PASS = NameClause("pass", lambda hand_up, suit: suit is None)


def _only_with(cards: int) -> PrintedRule[tuple[int, int]]:
    """Return the rule to pass without a suit of `cards` cards."""

    def enough(hand_up: tuple[int, int], suit: int | None) -> float:
        return 0.5 if suit is None else suit_points(hand_up[0], suit)[0] >= cards

    def longest(hand_up: tuple[int, int], suit: int | None) -> tuple[int, int]:
        return (0, 0) if suit is None else suit_points(hand_up[0], suit)

    return PrintedRule(
        NameClause(f"a suit of {_WORDS[cards]} cards or more, else pass", enough),
        NameClause("the longest, of equals the one of most honours", longest),
    )


NAMES: Final = (
    PrintedRule(_LONGEST, _POINTS),
    PrintedRule(
        NameClause("the most cards and honours together", lambda hand_up, suit: sum(suit_points(hand_up[0], suit)))
    ),
    PrintedRule(
        NameClause("the suit of most honours", _POINTS.key), NameClause("of equals the one of most cards", _LONGEST.key)
    ),
    PrintedRule(NameClause("the suit of the up-card's colour", lambda hand_up, suit: suit == 3 - suit_of(hand_up[1]))),
)
PASSES: Final = (PrintedRule(_PASS), _only_with(3), _only_with(4))


# ------------------------------------------------------------------------------------------------------- the play

_BOSS = HoldingClause("a card that nothing unseen beats", lambda holding, card: holding.is_boss(card))
LEADS: Final = (
    PrintedRule(
        HoldingClause("from the longest suit, trumps too", lambda holding, card: holding.length(card, trumps=True)),
        HoldingClause("of equals trumps", _TRUMP.key),
        _HIGHEST,
    ),
    PrintedRule(_TRUMP, _HIGHEST),
    PrintedRule(_SIDE, _HIGHEST),
    PrintedRule(_SIDE, _LONG, _HIGHEST, sentence="the highest card of your longest side suit"),
    PrintedRule(_SIDE, _LOWEST),
    PrintedRule(
        _BOSS,
        HoldingClause("of those a trump", lambda holding, card: holding.is_boss(card) and holding.is_trump(card)),
        HoldingClause("else a side card", lambda holding, card: holding.is_boss(card) or not holding.is_trump(card)),
        HoldingClause("the lowest", lambda holding, card: not holding.is_boss(card) and -holding.height(card)),
    ),
)

_WINS = HoldingClause("win", lambda holding, card: holding.wins(card))
_NO_RUFF = HoldingClause("without a trump", _SIDE.key)
REPLIES: Final = (
    PrintedRule(_WINS, _NO_RUFF, HoldingClause("as low as possible", _LOWEST.key)),
    PrintedRule(
        _WINS,
        HoldingClause("with the highest card", lambda holding, card: holding.wins(card) and holding.strength(card)),
        HoldingClause("else a side card", lambda holding, card: holding.wins(card) or not holding.is_trump(card)),
        HoldingClause("the lowest", lambda holding, card: not holding.wins(card) and -holding.height(card)),
    ),
    PrintedRule(HoldingClause("never a trump unless nothing else may be played", _SIDE.key), _WINS, _LOWEST),
    PrintedRule(_SIDE, _LOWEST),
)


# ------------------------------------------------------------------------------------------------------ the sample


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each decision and rule: decision, cards, group (hand or match), rule, cost in mt, found."""
    deals, random = generators(seed)
    rows: list[Row] = []
    for cards in range(1, LARGEST_HAND + 1):
        for place in range(parameters["hands"]):
            *hands, up = deal_hand(cards, deals)
            group = (chunk * LARGEST_HAND + cards) * int(parameters["hands"]) + place
            rows += [{"group": group, "cards": cards} | row for row in _bidding_rows(hands[0], hands[1], up)]
    for place in range(parameters["matches"]):
        rows += [{"group": -1 - chunk * int(parameters["matches"]) - place} | row for row in _match_rows(random)]
    return pd.DataFrame(rows).assign(found=chunk % 2 == 0)


def _bidding_rows(nondealer: int, dealer: int, up: int) -> Iterator[Row]:
    holding = Holding(tuple(mask_cards(dealer)), suit_of(up))
    for asker_bids, words in ((True, "discard, the dealer bid"), (False, "discard, the other bid")):
        method = best_method(dealer.bit_count(), OPTIONS)
        discard = value_discards(dealer, up, asker_bids, OPTIONS, method)
        yield from _scored(words, discard.losses().of, DISCARDS, holding, holding.cards, card_text)
    for seat, hand in (("nondealer", nondealer), ("dealer", dealer)):
        answer = UpcardQuestion(calling_view(hand, up, seat == "dealer", True)).answer(TowersAndBowersOptions())
        suits = named_suits(up)
        lost = answer.losses().of
        for rules, options in ((NAMES, suits), (PASSES, (*suits, None)))[: 1 + (seat == "nondealer")]:
            yield from _scored(f"second round, {seat}", lost, rules, (hand, up), options, _call)


def _match_rows(random: np.random.Generator) -> Iterator[Row]:
    """Play a match; the rows of its first leads and of its endings."""
    act = KernelPlayer("pimc", OPTIONS, deal_values(OPTIONS)).act
    reference = Reference(OPTIONS, PIMC)
    match = Match(OPTIONS)
    while match.winner is None:
        hand = match.state().hand
        if match.phase == Phase.PLAY and hand is not None and match.to_act is not None:
            view = match.view(match.to_act)
            held = view.hand.bit_count()
            if (view.led is None and held == hand.n) or held == LAST:
                yield from ({"cards": hand.n} | row for row in _play_rows(reference, view, held == hand.n))
        take_step(match, (act, act), random)


def _play_rows(reference: Reference, view: View, first: bool) -> Iterator[Row]:
    assert view.trump is not None
    choice = reference.play(view)
    if choice.kinds == 1:
        return
    best = max(choice.values.values())
    lost = {action.removeprefix("play "): best - value for action, value in choice.values.items()}
    holding = Holding(tuple(mask_cards(view.hand)), view.trump, DECK_24 & ~(view.hand | view.gone), view.led)
    if view.led is None:
        words = "first lead" if first else f"lead with {LAST} cards left"
        yield from _scored(words, lost, LEADS, holding, holding.cards, card_text)
        return
    legal = mask_cards(int(legal_replies(view.hand, 1 << view.led, view.trump)))
    yield from _scored(f"reply with {LAST} cards left", lost, REPLIES, holding, legal, card_text)


def _call(suit: int | None) -> str:
    return "pass" if suit is None else SUITS[suit]


def _scored(
    decision: str,
    lost: Mapping[str, float],
    rules: Iterable[PrintedRule[Any]],
    situation: object,
    options: Iterable[Any],
    name: Callable[[Any], str],
) -> Iterator[Row]:
    """Yield the cost of each rule in a decision, the mean over what its sentence leaves open."""
    if max(lost.values()) > 0:
        for rule in rules:
            costs = [1000 * lost[name(option)] for option in rule.choices(situation, options)]
            yield {"decision": decision, "rule": str(rule), "cost": float(np.mean(costs))}


def _combine(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table ``rules``: by decision and rule, over all sizes.

    The costs are those of every second chunk; ``found_mt`` is that of the others, in which a reader may look for the
    cheapest rule.
    """
    every = pd.concat(frames, ignore_index=True)
    rows = every[~every["found"]] if not every["found"].all() else every
    means = every[every["found"]].groupby(["decision", "rule"])["cost"].mean()
    table = rows.groupby(["decision", "rule"], sort=False)
    scored = pd.DataFrame([dict(zip(("decision", "rule"), key, strict=True)) | _score(part) for key, part in table])
    scored["found_mt"] = [means[key] for key in zip(scored["decision"], scored["rule"], strict=True)]
    scored = scored.sort_values(["decision", "cost_mt"], ignore_index=True)
    counts = scored.groupby("decision")["decisions"].first()
    summary = {
        "decisions": {str(name): int(count) for name, count in counts.items()},
        "matches": int(parameters["matches"]) * int(parameters["chunks"]),
    }
    return StudyResult({"rules": scored}, summary)


def _score(rows: pd.DataFrame) -> Row:
    """Return the mean cost of a decision, with an interval of the ratio of sums over groups."""
    groups = rows.groupby("group")["cost"].agg(["sum", "count"])
    cost = ratio_interval(groups["sum"], groups["count"]).within(0.0).row("cost_mt", bare=True)
    return {"decisions": len(rows), **cost, "free": float((rows["cost"] <= _FREE).mean())}


RULES_OF_THUMB: Final = Study(
    game="towers-and-bowers",
    name="rules-of-thumb",
    help="What rules of thumb cost: which card to discard, which suit to name, the first lead, the last three cards.",
    parameters={"chunks": 20, "hands": 30, "matches": 10},
    run_chunk=_run_chunk,
    combine=_combine,
)


def positions_of_match(player: str, random: np.random.Generator) -> Iterator[Claimant]:
    """Yield every start of a trick of a match of a player against itself: both players are asked."""
    act = seat_in_match(find_player(player, "towers-and-bowers"), OPTIONS)
    match = Match(OPTIONS)
    while match.winner is None:
        hand = match.state().hand
        if match.phase == Phase.PLAY and hand is not None and hand.led is None and hand.tricks_left >= FEWEST_TRICKS:
            for seat in range(2):
                yield position_of(match, seat)
        take_step(match, (act, act), random)


def position_of(match: Match, seat: int) -> Claimant:
    """Return what a player knows at the start of a trick, and the actual hands."""
    hand = match.state().hand
    assert hand is not None and hand.trump is not None
    hands = tuple(int(to_play_order(hand.hands[place], hand.trump, True)) for place in (seat, 1 - seat))
    return Claimant(f"{hand.n} cards", known_in(match.view(seat)), hands)


def _positions(parameters: Mapping[str, Any], number: int, random: np.random.Generator) -> Iterator[Claimant]:
    return positions_of_match(parameters["player"], random)


CLAIMING: Final = accuracy_study("towers-and-bowers", _positions, None, chunks=20, deals=10, player="pimc")


MEASURE: Final = "towers that the first dealer wins, of a hundred"
CHANGES: Final = {
    "tie_to=bidder": "ties: the bidder deals next",
    "allow_discard_upcard=true": "the up-card may be discarded",
    "force_dealer_to_name=false": "four passes: thrown in",
    "first_n=5": "towers begin with five cards",
    "first_n=6": "towers begin with six cards",
    "early_stop=false": "settled hands are played out",
}


def play(
    players: Sequence[Player], options: TowersAndBowersOptions, seed: np.random.SeedSequence, games: int
) -> Played:
    """Return towers, each from its own seed; the players take turns to deal first. 100: the first dealer wins."""
    fixed = replace(options, starter="fixed")
    given = tuple(players)
    played = [
        play_batch(BatchRequest(given, number, 1, child, "tower", None, fixed))
        for number, child in enumerate(seed.spawn(games))
    ]
    if failure := next((games.failure for games in played if games.failure), ""):
        raise PlayerError(failure)
    won = np.concatenate([games.winners for games in played])
    first = won == np.arange(games) % 2
    return Played(100.0 * first, first[:, None].astype(np.int64), won)


RULE_OPTIONS: Final = rule_options_study(
    "towers-and-bowers", TowersAndBowersOptions, play, MEASURE, CHANGES, players=2, games=40_000
)
