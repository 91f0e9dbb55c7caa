"""A card with more than three left: how the learned policy plays, and the value of each card by rollouts.

The range: each hand that the other can hold, of a dealer who took the up-card with each discard, as likely as the
policy makes the other's calls, discard and plays so far with it. Up to four cards the solution makes the calls and the
discard. An action that the policy makes less than once in `STRAYS` counts as made so often: no hand is ruled out by
a stray. Of more than `MOST_LAYOUTS` such hands so many are drawn.

The value of a card is the mean of rollouts in which both play on as the policy does, all cards on the same hands and by
the same random numbers; a card that the policy never plays is judged alike. The result of the same hands with all
cards seen is the control variate: its mean over the range is counted, and rollouts say what hidden cards change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from towerlab.analysis.moves.answers import DIGITS, LEAST_SHARE, MoveAnswer
from towerlab.analysis.moves.weighing import Weighed
from towerlab.analysis.present.faults import blame
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.bids import Calls, calls_likelihood, played_cards
from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.rules import is_learned
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.solutions.stored_side import rename
from towerlab.analysis.towers_and_bowers.suit_names import (
    Names,
    by_former_names,
    rename_view,
    standard_names,
)
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import (
    DECK_24,
    cards_mask,
    effective_suit,
    former_names,
    mask_cards,
    parse_card,
    rename_card,
    suit_of,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions, View
from towerlab.solver.towers_and_bowers.classes import hands_from
from towerlab.solver.towers_and_bowers.self_play import environment as env
from towerlab.solver.towers_and_bowers.self_play.calls import SPADE_FRAME, to_frame
from towerlab.solver.towers_and_bowers.self_play.network import (
    action_probabilities,
    answering_policy,
    stored_policy,
)
from towerlab.solver.towers_and_bowers.self_play.playouts import calls_to, play_together

ROLLOUTS: Final = 400
STRAYS: Final = 100
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
    """The belief of a player on turn about the other's cards.

    Attributes:
        names: of suits, as `suit_names.standard_names` has them.
        hands, away: int64[layouts], what the other can hold now, and a dealer's discard or 0, printed masks.
        weights: float64[layouts], how likely each is; they add up to 1.
        fitting: how many layouts fit what is known.
        seat, trump: of the player, and of the hand, as the environment numbers them.
        state: the hands before the decision under the names, a row a layout.
        mix: how likely the policy plays each card (id).
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
    """Return the range of a player on turn, `can_play_on` being true of the view."""
    names = standard_names(view)
    seen, back = rename_view(view, names[0]), former_names(names[0])
    assert seen.trump is not None
    hands, away, fitting = _layouts(seen)
    trump, seat = SPADE_FRAME.index(seen.trump), int(view.player == view.dealer)
    state, weights = _replayed(seen, seat, trump, hands, away)
    first, cards = _rows(state, np.array([0])), mask_cards(seen.hand)
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
        _rows(state, likely),
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


def _replayed(view: View, seat: int, trump: int, hands: Ints, away: Ints) -> tuple[env.State, Floats]:
    """Each layout before the decision, and how likely the other has acted so with it."""
    assert view.up_card is not None and view.trump is not None
    own, theirs = played_cards(view)
    dealt, takes, up = [np.full_like(hands, view.hand | own), hands | theirs], _takes_up_card(view), 1 << view.up_card
    if takes:  # the dealer's, before the exchange
        away = np.full_like(hands, 1 << (view.discard or 0)) if seat else away
        dealt[1 - seat] = dealt[1 - seat] & ~up | away
    pair = np.stack([to_frame(of) for of in (dealt if seat == 0 else dealt[::-1])], axis=1)
    state = env.start(np.full(len(hands), view.n), pair, to_frame(np.full_like(hands, up)))
    calls = calls_to(trump + 4 * (view.bidder == view.dealer))
    actions: list[Any] = [*calls, *([_numbers_of(away, trump)] if takes else [])]
    calls_end = len(actions)
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    actions += _numbers(played + ([] if view.led is None else [view.led]), trump).tolist()
    weights, solved = np.ones(len(hands)), None
    if view.n <= LARGEST_STORED:
        solved = calls_likelihood(Calls(view.n, view.up_card, view.trump, view.bidder != view.dealer), seat == 0)
    if solved is not None:
        weights = solved(dealt[1], away)
    for place, action in enumerate(np.broadcast_to(action, len(hands)) for action in actions):
        if int(state.turn[0]) != seat and (solved is None or place >= calls_end):
            some = np.flatnonzero(weights > 0)
            possible = env.legal(_rows(state, some))
            shares = np.maximum(action_probabilities(stored_policy(), _rows(state, some)), 1 / STRAYS) * possible
            weights[some] *= np.take_along_axis(shares, action[some, None], 1)[:, 0]
        state = env.step(state, action)
    return state, weights


def _numbers(cards: Sequence[int], trump: int) -> Ints:
    """int64[cards]: the numbers of cards (ids) in the trump frame."""
    return _numbers_of(np.array([1 << card for card in cards], dtype=np.int64), trump)


def _numbers_of(masks: Ints, trump: int) -> Ints:
    framed = env.to_trump_frame(to_frame(masks), np.full(len(masks), trump, dtype=np.int32))
    return np.asarray(np.bitwise_count(framed - 1), dtype=np.int64)


def _rows(state: env.State, rows: Ints) -> env.State:
    some: list[Any] = [array[rows] for array in state]
    return env.State(*some)


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
    likeliest: dict[int, int] = {}
    for kind, card in sorted(zip(kinds, cards, strict=True), key=lambda pair: believed.mix[pair[1]]):
        likeliest[kind] = card
    rows, won, made = _play_out(believed, list(likeliest.values()), next_deal, count)
    columns = [list(likeliest).index(kind) for kind in kinds]
    values, makes = (
        _Means(of[:, columns], opened.astype(np.float64), rows, believed, cards)
        for of, opened in ((won, weighed.values), (made, weighed.makes))
    )
    best, plays = int(values.means.argmax()), []
    for place, card in enumerate(cards):
        old, share = next(play for play in answer.plays if parse_card(play.card) == card), believed.mix[card]
        loss = values.behind(best, place)
        why = f"played {100 * share:.0f} %" if share >= LEAST_SHARE else "not in the mix"
        why += f"; all cards seen {100 * old.value:.1f} %"
        value, make = (round(float(np.clip(of.means[place], 0, 1)), DIGITS) for of in (values, makes))
        plays.append(replace(old, value=value, make=make, loss=loss, reason=why, share=share))
    plays.sort(key=lambda play: (play.loss.mean, -(play.share or 0.0)))
    sampled = replace(answer, plays=tuple(plays), layouts=believed.fitting, counted=count, exact=False, seed=_SEED)
    return replace(sampled, is_played_out=True)


def _play_out(
    believed: LearnedRange, cards: Sequence[int], next_deal: float, count: int
) -> tuple[Ints, Floats, Floats]:
    """Return the layout of each rollout, int64[count], and the chance and the contract of each card there."""
    random = np.random.default_rng(_SEED)
    ends = np.cumsum(believed.weights)
    rows = np.searchsorted(ends, (np.arange(count) + random.random()) / count * ends[-1], side="right")
    rows = np.minimum(rows, len(ends) - 1)
    numbers = _numbers([rename_card(card, believed.names[0]) for card in cards], believed.trump)
    parts = []
    for some in np.array_split(rows, max(1, count * len(cards) // _AT_ONCE)):
        led = env.step(_rows(believed.state, np.repeat(some, len(cards))), np.tile(numbers, len(some)))
        ended = play_together(stored_policy(), led, len(cards), random)
        won = env.payoffs(ended, np.full(8, next_deal))[:, believed.seat]
        made = env.of_seat(ended.tricks, ended.bidder, np) >= env.contract(ended.size)
        parts.append(np.stack([won, made]).reshape(2, len(some), -1))
    won, made = np.concatenate(parts, axis=1)
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
        first, last = believed.names[0], believed.names[-1]
        images = [cards.index(rename_card(rename_card(card, last), former_names(first))) for card in cards]
        changed = played - opened[rows]
        self._changed, self._opened = ((of + of[:, images]) / 2 for of in (changed, opened))
        self._weights, self._is_drawn = believed.weights, believed.fitting > MOST_LAYOUTS
        self.means = self._weights @ self._opened + self._changed.mean(0)

    def behind(self, best: int, place: int) -> Estimate:
        """Return the loss of a card against the best, with its paired 95 % interval."""
        gap, changed = float(self.means[best] - self.means[place]), self._changed[:, best] - self._changed[:, place]
        squares = changed.var(ddof=1) / len(changed)
        if self._is_drawn:
            opened = self._opened[:, best] - self._opened[:, place]
            squares += float((self._weights**2) @ (opened - self._weights @ opened) ** 2)
        off = _WITHIN_95 * float(np.sqrt(squares))
        return Estimate(gap, gap - off, gap + off, len(changed))
