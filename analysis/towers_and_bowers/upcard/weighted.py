"""The up-card question against an opponent who bids in a known way: that of ``--method equilibrium``.

Every hand the opponent can hold is counted, weighted by how likely the bids so far are with it; the opponent's later
bids follow the same strategy, the asker's own are best from here on, and the play is double-dummy. Under
``equilibrium`` the way of bidding is the stored one (`analysis.towers_and_bowers.solutions.bidding`), each bid made at
least with its floor; under ``--against`` it is a player's rule (`analysis.towers_and_bowers.upcard.against`), without
a floor.

Where the whole hand has been solved (the smallest ones), what the asker's calls and discards are worth under
``equilibrium`` is not the model's but the game's, hidden hands to the end
(`solver.towers_and_bowers.whole_hand.call_values`); contracts stay the model's. Where the opponent's bids never lead
(`StoredBidding.least_likelihood`) the solution means nothing: decisions are answered by
`analysis.towers_and_bowers.upcard.open_cards`, and contracts count all hands alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, WHOLE_HAND, StoredBidding, load_bidding
from analysis.towers_and_bowers.solutions.model_error import model_errors
from analysis.towers_and_bowers.solutions.stored_side import NOTHING_STORED, OwnHand, StoredSide, own_hand
from analysis.towers_and_bowers.upcard.answers import (
    OFF_PATH,
    PASS,
    SEATS,
    DiscardAnswer,
    Mix,
    Prospects,
    UpcardAnswer,
    View,
    make_answer,
    rounded,
)
from analysis.towers_and_bowers.upcard.open_cards import evaluate_discard, evaluate_upcard
from analysis.towers_and_bowers.upcard.values import ACCEPTED, Side, Values, discard_values, make_prospects
from games.cards import rank_of
from solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from solver.towers_and_bowers.bidding.views import (
    DealerViews,
    NondealerViews,
    dealer_views,
    layout_hands,
    nondealer_views,
)
from solver.towers_and_bowers.open_bidding import open_bidding


@dataclass(frozen=True)
class Weighing:
    """One player's view, the layouts behind it weighted by the bids of the other.

    Attributes:
        view: the asker's.
        values: of a batch of this hand alone.
        way: how the other bids with each layout (`layout_hands`).
        own: what is stored of the asker's hand: known values of calls and discards stand for the model's.
    """

    view: View
    values: Values
    way: NondealerBids | DealerBids
    own: OwnHand = NOTHING_STORED

    def prospects(self, second_round: bool) -> Prospects:
        """All that the asker's first or second decision can lead to."""
        return make_prospects(self.view, self.values, second_round, self.own)

    def discards(self, asker_bids: bool) -> dict[str, float]:
        """P(the dealing asker wins the tower) by the card discarded, the best one first."""
        return discard_values(self.view, self.values, asker_bids, self.own)


def weigh(
    view: View,
    way: NondealerBids | DealerBids,
    next_deal: float | None,
    *,
    tie_to_bidder: bool = False,
    own: OwnHand = NOTHING_STORED,
    least: float = 0.0,
) -> Weighing:
    """What a player sees, the other bidding in a known way with each layout (`layout_hands`)."""
    hands, bidding = np.array([view.hand], dtype=np.int64), open_bidding(view.cards, next_deal or 0.0, tie_to_bidder)
    views: DealerViews | NondealerViews
    if isinstance(way, NondealerBids):
        views = dealer_views(hands, view.up, way, bidding)
    else:
        views = nondealer_views(hands, view.up, way, bidding)
    side = Side(view.cards, view.dealer, next_deal or 0.0, tie_to_bidder)
    return Weighing(view, side.weighted(views, least), way, own)


# ----------------------------------------------------------------------------------------------------- the equilibrium


def answer_equilibrium(hand: int, up: int, dealer: bool, second_round: bool) -> UpcardAnswer | None:
    """The equilibrium of the bidding, or of the whole hand; None where no solution is at hand.

    Where the opponent never lets it come to this, pimc answers: `UpcardAnswer.off_path`.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    weighing = against_equilibrium(stored, hand, up, dealer)
    own, likelihood = weighing.own, float(weighing.values.likelihood[second_round][0])
    if likelihood <= stored.least_likelihood:
        return replace(evaluate_upcard(hand, up, dealer, second_round), off_path=True)
    discards = {} if second_round else own.discards
    mix = _mix(
        stored,
        own.second if second_round else own.first,
        WHOLE_HAND if own.worth(second_round) else DOUBLE_DUMMY,
        {"me" if by else "them": {card: p for card, p in shares.items() if p} for by, shares in discards.items()},
        likelihood * (own.first[PASS] if second_round else 1.0),
    )
    told = weighing.prospects(second_round), weighing.values.layouts, stored.next_deal
    measured = None if second_round else model_errors().get((hand.bit_count(), SEATS[not dealer]))
    error = 0.0 if mix.values_of == WHOLE_HAND else measured
    likelihood = rounded(likelihood)
    return make_answer(weighing.view, *told, "equilibrium", mix=mix, likelihood=likelihood, model_error=error)


def answer_discard(hand: int, up: int, asker_bids: bool) -> DiscardAnswer | None:
    """Which card to give for the up-card; None where no solution is at hand.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted, after a pass; else the other has.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    weighing = against_equilibrium(stored, hand, up, dealer=True)
    if weighing.values.off_path[asker_bids, ACCEPTED][0]:
        return replace(evaluate_discard(hand, up, asker_bids), note=OFF_PATH)
    solved = WHOLE_HAND if weighing.own.discards_worth.get(asker_bids) else DOUBLE_DUMMY
    mix = _mix(stored, weighing.own.discards[asker_bids], solved)
    return DiscardAnswer(weighing.discards(asker_bids), mix, weighing.values.layouts)


def against_equilibrium(stored: StoredBidding, hand: int, up: int, dealer: bool) -> Weighing:
    """What the asker sees, the other bidding as is stored."""
    side = StoredSide(stored, up, layout_hands(hand, up))
    way = side.nondealer() if dealer else side.dealer()
    own = own_hand(stored, up, hand, dealer)
    return weigh(View(hand, up, dealer), way, stored.next_deal, own=own, least=stored.least_likelihood)


def _mix(
    stored: StoredBidding,
    shares: Mapping[str, float],
    values_of: str,
    discards: Mapping[str, Mapping[str, float]] | None = None,
    reached: float = 1.0,
) -> Mix:
    """What is stored of one decision."""
    told = stored.exploitability, stored.exploitability_of, stored.floor
    return Mix(shares, discards or {}, *told, values_of, reached)
