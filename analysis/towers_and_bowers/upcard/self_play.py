"""The up-card question between two players of the learned policy: of five to seven cards, and ``--method self-play``.

Cards are hidden to the end. The values are those of `solver.towers_and_bowers.self_play.contract_values`, a network;
nothing is counted or played out when somebody asks, unless by ``--rollouts``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from towerlab.analysis.present.faults import blame
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.towers_and_bowers.solutions.accuracy import self_play_error
from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.solutions.rules import LEARNED_FILE, is_learned, other_rules
from towerlab.analysis.towers_and_bowers.solutions.stored_side import LearnedSide, RenamedHands
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    ACCEPT,
    DIGITS,
    PASS,
    SELF_PLAY,
    BidderView,
    PlayedCall,
    Rollouts,
    UpcardAnswer,
)
from towerlab.analysis.towers_and_bowers.upcard.values import Values, make_answer, numbers_of
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids
from towerlab.solver.towers_and_bowers.bidding.views import layout_hands
from towerlab.solver.towers_and_bowers.self_play.calls import NAMES, SPADE_FRAME, dealer_bids, nondealer_bids, to_frame
from towerlab.solver.towers_and_bowers.self_play.contract_values import TAUGHT, call_values, contracts_of, stored_values
from towerlab.solver.towers_and_bowers.self_play.environment import ACCEPT as ACCEPTS
from towerlab.solver.towers_and_bowers.self_play.environment import PASS as PASSES
from towerlab.solver.towers_and_bowers.self_play.environment import SECOND_PASS, payoffs
from towerlab.solver.towers_and_bowers.self_play.network import answering_policy, stored_policy
from towerlab.solver.towers_and_bowers.self_play.playouts import CONTRACTS, play_on
from towerlab.solver.towers_and_bowers.upcard import named_suits

_VALUES_OF: Final = "the learned policy against itself, by a network"
_HALF: Final = CONTRACTS // 2
_AT_ONCE: Final = 2_000  # rollouts
_MOST_ROLLOUTS: Final = 10_000_000
_SPADE_SUIT: Final = 13 * SPADES
_PLACES: Final = tuple(SPADE_FRAME.index(suit) for suit in named_suits(_SPADE_SUIT))  # of C D H in the up-card frame


def check_self_play(view: BidderView, options: TowersAndBowersOptions, option: str = f"--method {SELF_PLAY}") -> None:
    """Refuse what the learned policy has no values of.

    Args:
        view: what the asker sees.
        options: the rules.
        option: the option that asks for the policy, as it was typed.

    Raises:
        TowerlabError: other rules, rollouts with cards known of the opponent, or a size that was not taught.
    """
    if not rules_are_solved(options):
        why = "it was learned under the default rules"
    elif view.known is not None and option != f"--method {SELF_PLAY}":
        why = "it does not count what else is known of the opponent's hand"
    elif view.cards not in TAUGHT:
        why = f"its networks were taught hands of {TAUGHT[0]} to {TAUGHT[-1]} cards"
    elif not is_learned():
        why = other_rules(LEARNED_FILE)
    else:
        return
    fault = TowerlabError(f"{option} cannot answer: {why}; expected the question without it")
    raise blame(fault, option.split()[0].removeprefix("--"))


def answer_self_play(views: Sequence[BidderView], hands: Ints, ups: Ints) -> list[UpcardAnswer]:
    """As `answer_solved`, by the learned policy; the views have been checked (`check_self_play`)."""
    side = RenamedHands(ups, hands)
    first = views[0]
    values = learned_values(side.renamed, _SPADE_SUIT + rank_of(first.up), first.dealer).of_questions(side)
    return [_answer(view, values, row) for row, view in enumerate(views)]


def _answer(view: BidderView, values: Values, row: int) -> UpcardAnswer:
    answer = make_answer(view, values, deal_value(view.cards - 1) or None, SELF_PLAY, row=row)
    error = self_play_error(view.cards, view.seat, 1 + view.second_round, 1000 * abs(answer.gap))
    return replace(answer, values_of=_VALUES_OF, model_error=error)


def learned_values(hands: Ints, up: int, dealer: bool) -> Values:
    """Return the values of both decisions of a seat.

    Args:
        hands: int64[hands], classes beside a spade, printed masks of one size n.
        up: the up-card.
        dealer: whether the seat deals.
    """
    cards = int(hands[0]).bit_count()
    seat = int(dealer)
    next_deal = deal_value(cards - 1)
    bids = (dealer_bids if dealer else nondealer_bids)(answering_policy(), hands, up)
    contracts = contracts_of(stored_values(cards), hands, up, seat, bids)
    calls = call_values(contracts, seat, cards, next_deal)
    lets = 1 - contracts.accepts
    likelihood = (lets, lets * contracts.names[:, 3]) if seat else (np.ones(len(hands)), lets)
    places = np.array([*_PLACES, 0])
    numbers = {
        mine: numbers_of(
            contracts.tricks[:, places + _HALF * (mine == dealer)], mine, dealer, cards, next_deal, DEFAULT_RULES
        )
        for mine in (True, False)
    }
    discards = None
    if isinstance(bids, DealerBids):
        discards = {True: bids.own_discards.argmax(1), False: bids.discards.argmax(1)}
    passing = np.round(calls.passes, DIGITS), None if seat else np.round(calls.passes_again, DIGITS)
    return Values(numbers, passing, likelihood, {}, len(layout_hands(int(hands[0]), up)), discards=discards)


# ------------------------------------------------------------------------------------------------------------ rollouts


def play_calls(view: BidderView, count: int, seed: int, quiet: bool) -> Rollouts:
    """Play each call out by the policy, all on the same deals.

    The other's hand is drawn as likely as the policy's own calls so far make it.

    Args:
        view: what the asker sees, checked.
        count: deals.
        seed: draws the other's hands and what the policy does.
        quiet: no progress on stderr.

    Raises:
        TowerlabError: so many cannot be played.
    """
    if not 2 <= count <= _MOST_ROLLOUTS:
        raise blame(TowerlabError(f"{count:,} rollouts cannot be; expected 2 to {_MOST_ROLLOUTS:,}"), "rollouts")
    random = np.random.default_rng(seed)
    policy = stored_policy()
    side = RenamedHands(view.up, np.array([view.hand]))
    standing = int(side.renamed[0])
    turned = _SPADE_SUIT + rank_of(view.up)
    seat = int(view.dealer)
    passes = int(view.dealer) + 2 * view.second_round
    layouts = layout_hands(standing, turned)
    chance = _likely(layouts, turned, seat, passes)
    own = int(to_frame(side.renamed)[0])
    others = to_frame(layouts)
    actions = _actions(view, side)
    next_deal = np.full(8, deal_value(view.cards - 1))
    up = to_frame(np.array([1 << turned]))[0]
    won = []
    starts = range(0, count, _AT_ONCE)
    with open_progress("rollouts", len(starts), quiet) as advance:
        for start in starts:
            size = min(_AT_ONCE, count - start)
            drawn = others[random.choice(len(layouts), size, p=chance)]
            pair: list[Any] = [np.full(size, own, dtype=np.int32), drawn]
            hands = np.stack(pair[::-1] if seat else pair, axis=1)
            sizes = np.full(size, view.cards)
            ups = np.full(size, up)
            ended = [
                play_on(policy, sizes, hands, ups, np.tile([(*_PASSES[:passes], action)], (size, 1)), random)
                for action in actions.values()
            ]
            won.append(np.stack([payoffs(state, next_deal)[:, seat] for state in ended], axis=1))
            advance()
    return _summed(list(actions), np.concatenate(won), seed)


_PASSES: Final = (PASSES, PASSES, SECOND_PASS)


def _likely(layouts: Ints, up: int, seat: int, passes: int) -> Floats:
    """float64[layouts]: how likely each hand of the other is after its passes."""
    if passes == 0:
        return np.full(len(layouts), 1 / len(layouts))
    side = LearnedSide(up, layouts)
    paths = (side.nondealer() if seat else side.dealer()).paths()
    chance = paths.second if passes > 1 else paths.first
    return np.asarray(chance / chance.sum())


def _actions(view: BidderView, side: RenamedHands) -> dict[str, int]:
    """The calls of the asker, as the environment numbers them."""
    if not view.second_round:
        return {ACCEPT: ACCEPTS, PASS: PASSES}
    numbers = side.suits(np.array([NAMES]))[0].tolist()
    calls = {name: int(numbers[place]) for name, place in view.suits.items()}
    return calls if view.dealer else calls | {PASS: SECOND_PASS}


def _summed(names: list[str], won: np.ndarray, seed: int) -> Rollouts:
    mean = won.mean(0)
    error = won.std(0, ddof=1) / np.sqrt(len(won))
    best, following = np.argsort(-mean, kind="stable")[:2] if ACCEPT not in names else (0, 1)
    gaps = won[:, best] - won[:, following]
    actions = {name: PlayedCall(float(value), float(off)) for name, value, off in zip(names, mean, error, strict=True)}
    return Rollouts(len(won), seed, actions, float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(won))))
