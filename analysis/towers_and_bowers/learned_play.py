"""A discard, or a card with more than three left: what the learned policy does, and the value of each by rollouts.

The range: each hand that the other can hold, of a dealer who took the up-card with each discard, as likely as its
actions so far are with it (`bids.replay`). Of more than `MOST_LAYOUTS` such hands so many are drawn.

The value of a card is the mean of rollouts in which both play on as the policy does, all cards on the same hands and by
the same random numbers; a card that the policy never plays is judged alike. The result of the same hands with all
cards seen is the control variate: its mean over the range is counted, and rollouts say what hidden cards change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from towerlab.analysis.moves.answers import DIGITS, LEAST_SHARE, MoveAnswer, rollouts_basis
from towerlab.analysis.moves.weighing import Weighed
from towerlab.analysis.present.faults import blame
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.bids import STRAYS, calls_of, cards_played, played_cards, replay
from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.solutions.rules import is_learned
from towerlab.analysis.towers_and_bowers.solutions.stored_side import LearnedSide, rename
from towerlab.analysis.towers_and_bowers.suit_names import Names, by_former_names, rename_view, standard_names
from towerlab.analysis.towers_and_bowers.upcard.answers import DiscardAnswer
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import (
    DECK_24,
    card_text,
    cards_mask,
    effective_suit,
    former_names,
    mask_cards,
    parse_card,
    rename_card,
    suit_of,
    to_play_order,
    to_printed,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Phase, TowersAndBowersOptions, View
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.sim.towers_and_bowers.players.pimc import MOST_GAPS, gaps_between, tricks_when_opponent_leads
from towerlab.sim.towers_and_bowers.players.seats import state_of
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.classes import hands_from
from towerlab.solver.towers_and_bowers.self_play import environment as env
from towerlab.solver.towers_and_bowers.self_play.calls import SPADE_FRAME, card_numbers
from towerlab.solver.towers_and_bowers.self_play.network import action_probabilities, answering_policy, stored_policy
from towerlab.solver.towers_and_bowers.self_play.playouts import play_together
from towerlab.solver.two_hands.tablebase import load_tables

ROLLOUTS: Final = 400
MOST_LAYOUTS: Final = 3_000
MODEL: Final = (
    "the learned policy plays on, cards hidden to the end; hands of the other as likely as {calls} so with them, a "
    f"stray once in {STRAYS}"
)
_MOST_ROLLOUTS: Final = 1_000_000
_SEED: Final = 0
_AT_ONCE: Final = 2_000  # hands that are played out together
_WITHIN_95: Final = 1.96


@dataclass(frozen=True)
class LearnedRange:
    """The belief of a player about the other's cards.

    Attributes:
        names: of suits, as `suit_names.standard_names` has them.
        hands, away: int64[layouts], what the other can hold now, and a dealer's discard or 0, printed masks.
        weights: float64[layouts], how likely each is; they add up to 1.
        fitting: how many layouts fit what is known.
        seat, trump: of the player, and of the hand, as the environment numbers them.
        state: the hands before the decision under the names, a row a layout.
        mix: how likely the policy plays, or discards, each card (id); empty where the other is on turn.
    """

    names: Sequence[Names]
    hands: Ints
    away: Ints
    weights: Floats
    fitting: int
    seat: int
    trump: int
    state: env.State
    mix: dict[int, float]


def can_play_on(view: View, options: TowersAndBowersOptions) -> bool:
    """Whether the policy can play on from a view: default rules, and the whole history of the hand known."""
    if not (rules_are_solved(options) and is_learned()):
        return False
    if view.up_card is None or view.dealer is None or view.bidder is None or view.trump is None:
        return False
    own, theirs = played_cards(view)
    whole = (view.hand | own).bit_count() == view.n == theirs.bit_count() + view.opponent_cards
    return whole and not (_takes_up_card(view) and view.player == view.dealer and view.discard is None)


def learned_range(view: View) -> LearnedRange:
    """Return the range of a player, `can_play_on` being true of the view, or of a dealer who discards."""
    names = standard_names(view)
    seen = rename_view(view, names[0])
    back = former_names(names[0])
    assert seen.trump is not None
    hands, away, fitting = _layouts(seen)
    trump = SPADE_FRAME.index(seen.trump)
    seat = int(view.player == view.dealer)
    own, theirs = played_cards(seen)
    held = [np.full_like(hands, seen.hand | own), hands | theirs]
    given = None if seat and seen.phase == Phase.DISCARD else away  # a lead may come before the discard (TB-15)
    if seen.discard is not None:
        given = np.full_like(away, 1 << seen.discard)
    state, weights = replay(calls_of(seen), cards_played(seen), 1 - seat, held[::-1] if seat else held, given)
    weights = weights if weights.any() else np.ones_like(weights)
    first = env.rows_of(state, np.array([0]))
    cards = mask_cards(seen.hand) if state.turn[0] == seat else []
    shares, possible = (
        of[0][_numbers(cards, trump)] for of in (action_probabilities(answering_policy(), first), env.legal(first))
    )
    mix = {card: float(share) for card, share, may in zip(cards, shares, possible, strict=True) if may}
    likely = np.flatnonzero(weights > 0)
    return LearnedRange(
        names,
        rename(hands[likely], back),
        rename(away[likely], back),
        weights[likely] / weights.sum(),
        fitting,
        seat,
        trump,
        env.rows_of(state, likely),
        by_former_names(mix, names),
    )


def _takes_up_card(view: View) -> bool:
    assert view.up_card is not None
    return suit_of(view.up_card) == view.trump


def _layouts(view: View) -> tuple[Ints, Ints, int]:
    """Hands of the other, the discard of each or 0, printed masks, and how many there are in all."""
    assert view.trump is not None and view.up_card is not None
    suits = {card: effective_suit(card, view.trump, True) for card in mask_cards(DECK_24)}
    void = cards_mask(card for card, suit in suits.items() if suit in view.opponent_voids)
    own, theirs = played_cards(view)
    unseen = DECK_24 & ~(view.hand | own | theirs | 1 << view.up_card)
    possible = unseen & ~(void | view.gone | view.opponent_holds)
    hands = hands_from(mask_cards(possible), view.opponent_cards - view.opponent_holds.bit_count())
    hands, away = hands | view.opponent_holds, np.zeros_like(hands)
    if _takes_up_card(view) and view.player != view.dealer:
        pairs = np.broadcast_arrays(hands[:, None], np.array([1 << card for card in mask_cards(unseen)]))
        hands, away = (of.ravel() for of in pairs)
        hands, away = hands[hands & away == 0], away[hands & away == 0]
    fitting = len(hands)
    if fitting > MOST_LAYOUTS:
        drawn = np.sort(np.random.default_rng(_SEED).choice(fitting, MOST_LAYOUTS, replace=False))
        hands, away = hands[drawn], away[drawn]
    return hands, away, fitting


def _numbers(cards: Sequence[int], trump: int) -> Ints:
    """int64[cards]: the numbers of cards (ids) in the trump frame."""
    return card_numbers(np.array([1 << card for card in cards], dtype=np.int64), trump)


# ------------------------------------------------------------------------------------------------------------ rollouts


def played_answer(
    answer: MoveAnswer,
    believed: LearnedRange,
    weighed: Weighed,
    kinds: Sequence[int],
    next_deal: float,
    count: int | None = None,
) -> MoveAnswer:
    """An answer by open cards with the policy's mix and values by rollouts in their place.

    Args:
        answer: the answer by open cards.
        believed: the range.
        weighed: what each card comes to on its layouts with all cards seen.
        kinds: of each of its columns: cards that are equal are one kind, and played out once.
        next_deal: W(n - 1).
        count: rollouts of each card, by default `ROLLOUTS`.
    """
    count = ROLLOUTS if count is None else count
    if not 2 <= count <= _MOST_ROLLOUTS:
        raise blame(TowerlabError(f"{count:,} rollouts cannot be; expected 2 to {_MOST_ROLLOUTS:,}"), "rollouts")
    cards = [parse_card(weighed.text(column)) for column in range(len(weighed.plays))]
    rows, won, made = _play_out(believed, cards, kinds, next_deal, count)
    values, makes = (
        _Means(of, opened.astype(np.float64), rows, believed, cards)
        for of, opened in ((won, weighed.values), (made, weighed.makes))
    )
    best = int(values.means.argmax())
    plays = []
    for place, card in enumerate(cards):
        old = next(play for play in answer.plays if parse_card(play.card) == card)
        share = believed.mix[card]
        loss = values.behind(best, place)
        why = f"played {100 * share:.0f} %" if share >= LEAST_SHARE else "not in the mix"
        why += f"; all cards seen {100 * old.value:.1f} %"
        value, make = (of.rounded(place) for of in (values, makes))
        plays.append(replace(old, value=value, make=make, loss=loss, reason=why, share=share))
    plays.sort(key=lambda play: (play.loss.mean, -(play.share or 0.0)))
    sampled = replace(answer, plays=tuple(plays), layouts=believed.fitting, counted=count, exact=False, seed=_SEED)
    return replace(sampled, is_played_out=True)


def played_discards(hand: int, up: int, asker_bids: bool) -> DiscardAnswer:
    """Which card to give for the up-card: the learned policy's, with the value of each by rollouts.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted, after a pass; else the other has.
    """
    cards = mask_cards(hand)
    trump = suit_of(up)
    n = hand.bit_count()
    next_deal = deal_value(hand.bit_count() - 1)
    own = LearnedSide(up, np.array([hand])).dealer()
    shares = (own.own_discards if asker_bids else own.discards)[0].tolist()
    view = View(0, Phase.DISCARD, 0, (0, 0), n, 0, hand, up, trump=trump, bidder=int(not asker_bids), opponent_cards=n)
    believed = replace(learned_range(view), mix=dict(zip(cards, shares, strict=True)))
    others = in_play_order(believed.hands, trump)
    tricks = np.empty((len(cards), len(believed.hands), 1), np.int64)
    for card, of in zip(cards, tricks, strict=True):
        after = state_of(replace(view, hand=(hand | 1 << up) & ~(1 << card)))
        tricks_when_opponent_leads(load_tables(), after, others, of)
    opened = 1 - payoffs(n, next_deal, DEFAULT_RULES)[int(asker_bids)][n - tricks[..., 0].T]
    gaps = discard_gaps(hand, up, hand)
    kinds = [next(place for place, gap in enumerate(gaps) if gap >> card & 1) for card in cards]
    rows, won, _ = _play_out(believed, cards, kinds, next_deal, ROLLOUTS)
    values = _Means(won, opened, rows, believed, cards)
    best = int(np.argmax(shares))
    names = list(map(card_text, cards))
    order = np.argsort(-values.means, kind="stable").tolist()
    return DiscardAnswer(
        {names[place]: values.rounded(place) for place in order},
        None,
        believed.fitting,
        dict(zip(names, shares, strict=True)),
        {names[place]: values.behind(best, place) for place in order},
        rollouts_basis(ROLLOUTS, believed.fitting, _SEED),
    )


def discard_gaps(hand: int, up: int, discards: int) -> list[int]:
    """Return some discards of a dealer as printed masks, each of cards that are equal."""
    own, held, pack = (int(to_play_order(of, suit_of(up), True)) for of in (discards, hand | 1 << up, DECK_24))
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    count = int(gaps_between(own, pack & ~held, gaps))
    return [int(to_printed(gap, suit_of(up), True)) for gap in gaps[:count].tolist()]


def played_on(believed: LearnedRange, opened: Floats, next_deal: float) -> float:
    """Return P(the player wins the tower) while the other is on turn; `opened` is float64[layouts], all cards seen."""
    rows, won, _ = _play_out(believed, (), (0,), next_deal, ROLLOUTS)
    return _Means(won, opened[:, None], rows, believed, ()).rounded(0)


def _play_out(
    believed: LearnedRange, cards: Sequence[int], kinds: Sequence[int], next_deal: float, count: int
) -> tuple[Ints, Floats, Floats]:
    """Return the layout of each rollout, int64[count], and the chance and the contract of each card there.

    Args:
        believed: the range.
        cards: the alternatives (ids); none where the other is on turn.
        kinds: of each; of equal cards the one that the policy plays most is played out.
        next_deal: W(n - 1).
        count: rollouts of each kind.
    """
    random = np.random.default_rng(_SEED)
    likeliest = dict.fromkeys(sorted(kinds, key=kinds.index), -1)
    for kind, card in sorted(zip(kinds, cards, strict=False), key=lambda pair: believed.mix[pair[1]]):
        likeliest[kind] = card
    ends = np.cumsum(believed.weights)
    rows = np.searchsorted(ends, (np.arange(count) + random.random()) / count * ends[-1], side="right")
    rows = np.minimum(rows, len(ends) - 1)
    numbers = _numbers([rename_card(card, believed.names[0]) for card in likeliest.values() if cards], believed.trump)
    parts = []
    for some in np.array_split(rows, max(1, count * len(likeliest) // _AT_ONCE)):
        led = env.rows_of(believed.state, np.repeat(some, len(likeliest)))
        ended = play_together(
            stored_policy(), env.step(led, np.tile(numbers, len(some))) if cards else led, len(likeliest), random
        )
        won = env.payoffs(ended, np.full(8, next_deal))[:, believed.seat]
        made = env.of_seat(ended.tricks, ended.bidder) >= env.contract(ended.size)
        parts.append(np.stack([won, made]).reshape(2, len(some), -1))
    won, made = np.concatenate(parts, axis=1)[..., [list(likeliest).index(kind) for kind in kinds]]
    return rows, won, made


class _Means:
    """Means of each card over a range, open cards being the control variate.

    Args:
        played: float64[rollouts, cards].
        opened: float64[layouts, cards], the same with all cards seen.
        rows: int64[rollouts], the layout of each.
        believed: the range.
        cards: the cards (ids); of a view that is its own mirror image mirrored ones have one mean.
    """

    def __init__(
        self, played: Floats, opened: Floats, rows: Ints, believed: LearnedRange, cards: Sequence[int]
    ) -> None:
        first = believed.names[0]
        last = believed.names[-1]
        images = [cards.index(rename_card(rename_card(card, last), former_names(first))) for card in cards] or [0]
        changed = played - opened[rows]
        self._changed, self._opened = ((of + of[:, images]) / 2 for of in (changed, opened))
        self._weights = believed.weights
        self._is_drawn = believed.fitting > MOST_LAYOUTS
        self.means = self._weights @ self._opened + self._changed.mean(0)

    def rounded(self, place: int) -> float:
        """Return the chance of a card as it is reported."""
        return round(float(np.clip(self.means[place], 0, 1)), DIGITS)

    def behind(self, best: int, place: int) -> Estimate:
        """Return the loss of a card against the best, with its paired 95 % interval."""
        gap = float(self.means[best] - self.means[place])
        changed = self._changed[:, best] - self._changed[:, place]
        squares = changed.var(ddof=1) / len(changed)
        if self._is_drawn:
            opened = self._opened[:, best] - self._opened[:, place]
            squares += float((self._weights**2) @ (opened - self._weights @ opened) ** 2)
        off = _WITHIN_95 * float(np.sqrt(squares))
        return Estimate(gap, gap - off, gap + off, len(changed))
