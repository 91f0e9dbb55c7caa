"""The up-card question against an opponent who bids in a known way: that of ``--method equilibrium``.

Every hand the opponent can hold is counted, weighted by how likely he is to have bid as he did with it; his later
bids follow his way of bidding, the asker's own are best from here on, and the play is double-dummy. Under
``equilibrium`` the way of bidding is the stored one (`analysis.towers_and_bowers.solutions.bidding`), each bid made at
least with its floor;
under ``--against`` it is a player's rule (`analysis.towers_and_bowers.upcard.against`), without a floor.

Where the whole hand has been solved (the smallest ones), what the asker's calls and discards are worth under
``equilibrium`` is not the model's but the game's, hidden hands to the end
(`solver.towers_and_bowers.whole_hand.call_values`); after a
pass that the solution never makes it is the model's again, against all hands alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.towers_and_bowers.solutions.bidding import MODEL, StoredBidding, load_bidding
from analysis.towers_and_bowers.solutions.deal_value import GAME_ITSELF
from analysis.towers_and_bowers.upcard.asking import (
    ACCEPT,
    DIGITS,
    INDIFFERENT,
    PASS,
    SEATS,
    BidderContract,
    ContractValue,
    Losses,
    Mix,
    UpcardAnswer,
    UpcardQuestion,
    best_action,
    lead,
    losses,
    tower_of,
)
from games.cards import SUIT_BITS, SUITS, card_text, mask_cards, parse_card, rank_of, suit_of, to_play_order
from games.towers_and_bowers import tricks_to_deal_next
from solver.towers_and_bowers.bidding.deals import SPADES, Ints, standing_hands
from solver.towers_and_bowers.bidding.layouts import DealerBids, Layouts, NondealerBids, make_layouts, spread
from solver.towers_and_bowers.bidding.packed import floored
from solver.towers_and_bowers.bidding.pairs import Floats
from solver.towers_and_bowers.bidding.strategies import payoffs
from solver.towers_and_bowers.classes import suit_renamings
from solver.towers_and_bowers.upcard import named_suits
from solver.towers_and_bowers.whole_hand.call_values import value_columns

# ------------------------------------------------------------------------------------------- renaming to stored classes


@dataclass(frozen=True)
class Renaming:
    """How the suits of a question are renamed to those of the stored classes.

    Attributes:
        suits: the stored suit of each suit C D H S.
    """

    suits: tuple[int, int, int, int]

    @classmethod
    def to_stored(cls, up: int) -> Renaming:
        """One of the two renamings that make the up-card a spade."""
        return cls(next(names for names in suit_renamings() if names[suit_of(up)] == SPADES))

    def hands(self, hands: Ints) -> Ints:
        """Printed masks renamed."""
        renamed = np.zeros_like(hands)
        for suit, name in enumerate(self.suits):
            renamed |= (hands >> 13 * suit & SUIT_BITS) << 13 * name
        return renamed


class StoredSide:
    """The stored strategies for hands as they were asked: rows found, suits and cards renamed back."""

    def __init__(self, stored: StoredBidding, up: int, hands: Ints) -> None:
        self.stored, self.hands = stored, hands
        self.renaming = Renaming.to_stored(up)
        renamed = self.renaming.hands(hands)
        standing = standing_hands(renamed)
        self.mirrored = standing != renamed
        rows = np.searchsorted(stored.hands, standing)
        self.strategies = stored.strategies_of(rows)
        self.rows_of_values = None if stored.values is None else stored.values[rows]
        self.named = [suit for suit in range(4) if suit != suit_of(up)]

    def bids(self, choice: Floats) -> Floats:
        """P(accept) of each hand, with the floor; `choice` is one of `strategies`."""
        both = np.stack([choice, 1 - choice], axis=1)
        return floored(both, self.stored.floor)[:, 0]

    def suits(self, choice: Floats) -> Floats:
        """Probabilities of the suits that can be named, in order of id, then of a pass if he may; with the floor."""
        return floored(self.by_suit(choice), self.stored.floor)

    def by_suit(self, choice: Floats) -> Floats:
        """What is stored of the suits that can be named, in order of id, then of a pass if it is there."""
        swapped = choice[:, [0, 2, 1, *range(3, choice.shape[1])]]
        stored = np.where(self.mirrored[:, None], swapped, choice)
        order = [self.renaming.suits[suit] for suit in self.named]
        return stored[:, [*order, *range(3, stored.shape[1])]]

    def discards(self, choice: Floats) -> Floats:
        """What is stored of each card, from the lowest."""
        cards = _cards_of(self.hands, self.stored.cards)
        names = np.array(self.renaming.suits, dtype=np.int64)
        swap = np.array([0, 2, 1, 3], dtype=np.int64)
        suits = names[cards // 13]
        suits = np.where(self.mirrored[:, None], swap[suits], suits)
        place = np.argsort(np.argsort(13 * suits + cards % 13, axis=1), axis=1)
        return np.take_along_axis(choice, place, axis=1)

    def worth(self, dealer: bool) -> Worth | None:
        """What the calls and discards of the only hand are worth in the game itself, None where that is not known."""
        if self.rows_of_values is None:
            return None
        values, n = self.rows_of_values.astype(np.float64), self.stored.cards
        at = {name: place for place, name in enumerate(value_columns(n))}

        def of(first: str, last: str) -> Floats:
            return values[:, at[first] : at[last] + 1]

        cards = [card_text(card) for card in mask_cards(int(self.hands[0]))]
        named = [SUITS[suit] for suit in self.named]
        if not dealer:
            second = _known([*named, PASS], self.by_suit(of("name_C", "name_pass")))
            return Worth(_known([ACCEPT, PASS], of("accept", "pass")), second, {})
        first = _known([ACCEPT, PASS], of("answer", "answer_pass"))
        second = _known(named, self.by_suit(of("left_C", "left_H")))
        discards = {
            asker_bids: _known(cards, self.discards(of(f"{stem}_1", f"{stem}_{n}")))
            for asker_bids, stem in ((False, "discard"), (True, "own_discard"))
        }
        return Worth(first, second, discards)


@dataclass(frozen=True)
class Worth:
    """P(win the tower) of a hand's calls and discards in the game itself; what the other never lets happen is missing.

    Attributes:
        first, second: of the calls of each round.
        discards: of the cards of a dealer, by whether he has accepted himself.
    """

    first: Mapping[str, float]
    second: Mapping[str, float]
    discards: Mapping[bool, Mapping[str, float]]

    def calls(self, second_round: bool) -> Mapping[str, float]:
        """Of one round."""
        return self.second if second_round else self.first


def _known(names: Sequence[str], rows: Floats) -> dict[str, float]:
    """The values of the only row by name, without those that are not known."""
    return {name: _rounded(value) for name, value in zip(names, rows[0], strict=True) if not np.isnan(value)}


def _cards_of(hands: Ints, cards: int) -> Ints:
    """int64[hands, n], the cards of each hand from the lowest."""
    found = np.empty((len(hands), cards), dtype=np.int64)
    left = hands.copy()
    for place in range(cards):
        low = left & -left
        found[:, place] = np.round(np.log2(low.astype(np.float64))).astype(np.int64)
        left ^= low
    return found


def stored_nondealer(stored: StoredBidding, up: int, hands: Ints) -> NondealerBids:
    """How non-dealers with these hands bid in equilibrium."""
    side = StoredSide(stored, up, hands)
    return NondealerBids(side.bids(side.strategies.accepts), side.suits(side.strategies.names))


def stored_dealer(stored: StoredBidding, up: int, hands: Ints) -> DealerBids:
    """How dealers with these hands bid and discard in equilibrium."""
    side = StoredSide(stored, up, hands)
    strategies = side.strategies
    return DealerBids(
        side.discards(strategies.discards),
        side.bids(strategies.answers),
        side.discards(strategies.own_discards),
        side.suits(strategies.left),
    )


# ---------------------------------------------------------------------------------------------------------- the answer


class WeightedView:
    """What one player sees, with the values of all that can follow against one way of bidding, for him."""

    def __init__(
        self,
        hand: int,
        up: int,
        layouts: Layouts,
        way: NondealerBids | DealerBids,
        next_deal: float,
        tie_to_bidder: bool,
        worth: Worth | None = None,
    ) -> None:
        self.hand, self.up, self.layouts, self.way = hand, up, layouts, way
        self.worth = worth or Worth({}, {}, {})
        self.cards = hand.bit_count()
        self.as_bidder, self.as_defender = payoffs(self.cards, next_deal, tie_to_bidder)
        self.needed = int(tricks_to_deal_next(self.cards, tie_to_bidder))

    @property
    def dealer(self) -> bool:
        """Whether the asker deals."""
        return isinstance(self.way, NondealerBids)

    def actions(self, second_round: bool) -> dict[str, ContractValue | float]:
        """The asker's calls; a pass has a bare value."""
        made: dict[str, ContractValue | float] = {}
        if second_round:
            weights = self._second_weights()
            for place in self._suits():
                made[SUITS[self._named()[place]]] = self._value(self._in_suit(place, weights), True)
            if isinstance(self.way, DealerBids):
                made[PASS] = self._mine(self._left(self.way, weights))
        else:
            weights = self._first_weights()
            made[ACCEPT] = self._accepted(weights, asker_bids=True)
            made[PASS] = self._mine(self._passed(weights))
        known = self.worth.calls(second_round)
        return {
            name: known.get(name, value) if isinstance(value, float) else _with_tower(value, known.get(name))
            for name, value in made.items()
        }

    def contracts(self, second_round: bool) -> list[BidderContract]:
        """Every contract by either bidder that the asker's round still speaks of, over the layouts that lead to it."""
        way, made = self.way, []
        for bidder, asker_bids in (("me", True), ("them", False)):
            if not second_round:
                if isinstance(way, NondealerBids):
                    weights = self._first_weights() if asker_bids else way.accepts
                else:
                    weights = np.ones(len(self.layouts.hands)) if asker_bids else way.answers
                value = self._known(ACCEPT, self._accepted(weights, asker_bids), asker_bids, False)
                made.append(BidderContract(bidder, SUITS[suit_of(self.up)], value))
            for place in self._suits():
                weights = self._second_weights() if asker_bids else _or_alike(self._names(place))
                suit = SUITS[self._named()[place]]
                value = self._known(suit, self._value(self._in_suit(place, weights), asker_bids), asker_bids, True)
                made.append(BidderContract(bidder, suit, value))
        return made

    def _known(self, call: str, value: ContractValue, asker_bids: bool, second_round: bool) -> ContractValue:
        """A contract of the asker's with what his call is worth in the game itself, where that is known."""
        return _with_tower(value, self.worth.calls(second_round).get(call)) if asker_bids else value

    def likelihood(self, second_round: bool) -> float:
        """How often the opponent bids so as to lead to the asker's decision; 0 if he never does."""
        if isinstance(self.way, NondealerBids):
            passes = 1 - self.way.accepts
            return float((passes * self.way.names[:, 3] if second_round else passes).mean())
        return float((1 - self.way.answers).mean()) if second_round else 1.0

    # ------------------------------------------------------------------------------------------------------- weights

    def _first_weights(self) -> Floats:
        """How likely each layout has led to the asker's first decision."""
        if isinstance(self.way, NondealerBids):
            return _or_alike(1 - self.way.accepts)
        return np.ones(len(self.layouts.hands))

    def _second_weights(self) -> Floats:
        """As `_first_weights`, of the second decision: the up-card has been turned down."""
        if isinstance(self.way, NondealerBids):
            return _or_alike((1 - self.way.accepts) * self.way.names[:, 3])
        return _or_alike(1 - self.way.answers)

    def _names(self, place: int) -> Floats:
        """How likely each layout is to lead to the opponent naming that suit, the asker passing."""
        if isinstance(self.way, NondealerBids):
            return (1 - self.way.accepts) * self.way.names[:, place]
        return (1 - self.way.answers) * self.way.left[:, place]

    # -------------------------------------------------------------------------------------------------------- values

    def _accepted(self, weights: Floats, asker_bids: bool) -> ContractValue:
        """The accepted contract; a dealing asker discards the one card that is best over these layouts."""
        weights = _or_alike(weights)
        way = self.way
        if isinstance(way, DealerBids):
            discards = way.discards if asker_bids else way.own_discards
            return self._value(self._exchanged(discards * weights[:, None]), asker_bids)
        return max(self._kept(weights, asker_bids), key=self._merit)

    def discards(self, asker_bids: bool) -> dict[str, float]:
        """P(the dealing asker wins the tower) by the card he discards, the best one first.

        Args:
            asker_bids: he has accepted himself, after a pass; else the other has.
        """
        assert isinstance(self.way, NondealerBids)
        weights = self._first_weights() if asker_bids else _or_alike(self.way.accepts)
        kept = sorted(self._kept(weights, asker_bids), key=self._merit, reverse=True)
        return {str(value.discard): value.tower for value in kept}

    def _kept(self, weights: Floats, asker_bids: bool) -> list[ContractValue]:
        """The accepted contract after each discard of a dealing asker."""
        known = self.worth.discards.get(asker_bids, {})
        values = [
            self._value(spread(self.layouts.exchanged[:, place], weights), asker_bids, card_text(card))
            for place, card in enumerate(mask_cards(self.hand))
        ]
        return [_with_tower(value, known.get(str(value.discard))) for value in values]

    def _merit(self, value: ContractValue) -> tuple[float, float, int]:
        """Of a discard: most P(win the tower), then most tricks, then the lowest card in play order."""
        place = to_play_order(1 << parse_card(str(value.discard)), suit_of(self.up), True)
        return round(value.tower, 10), round(value.tricks, 10), -int(place)

    def _passed(self, weights: Floats) -> float:
        """The non-dealer's mean value after the asker's first pass."""
        way, total = self.way, weights.sum()
        if isinstance(way, NondealerBids):
            suits = sum(
                float(self.as_bidder @ spread(self.layouts.named[:, place], weights * way.names[:, place]))
                for place in range(3)
            )
            left = weights * way.names[:, 3]
            mine = min(float(self.as_defender @ self._in_suit(place, left)) for place in range(3))
            return (suits + mine) / float(total)
        answered = weights * way.answers
        accepted = float(self.as_defender @ self._exchanged(way.own_discards * answered[:, None]))
        rest = weights * (1 - way.answers)
        named = max(float(self.as_bidder @ self._in_suit(place, rest)) for place in range(3))
        return (accepted + max(named, self._left(way, rest) * float(rest.sum()))) / float(total)

    def _left(self, way: DealerBids, weights: Floats) -> float:
        """The non-dealer's mean value when the dealer is left to name."""
        values = sum(
            float(self.as_defender @ spread(self.layouts.named[:, place], weights * way.left[:, place]))
            for place in range(3)
        )
        total = float(weights.sum())
        return values / total if total else 0.0

    def _exchanged(self, weights: Floats) -> Floats:
        return spread(self.layouts.exchanged, weights)

    def _in_suit(self, place: int, weights: Floats) -> Floats:
        return spread(self.layouts.named[:, place], weights)

    def _value(self, tricks: Floats, asker_bids: bool, discard: str | None = None) -> ContractValue:
        """From weights by the non-dealer's tricks; over all layouts alike where none leads there."""
        share = tricks[: self.cards + 1] / tricks.sum()
        nondealer_bids = asker_bids != self.dealer
        worth = (self.as_bidder if nondealer_bids else self.as_defender)[: self.cards + 1]
        own = share[::-1] if self.dealer else share
        bidder = own if asker_bids else own[::-1]
        return ContractValue(
            make=_rounded(bidder[self.needed :].sum()),
            sweep=_rounded(own[-1]),
            swept=_rounded(own[0]),
            tricks=_rounded(own @ np.arange(self.cards + 1)),
            tower=self._mine(float(share @ worth)),
            discard=discard,
        )

    def _mine(self, nondealer: float) -> float:
        return _rounded(1 - nondealer if self.dealer else nondealer)

    def _named(self) -> tuple[int, int, int]:
        return named_suits(self.up)

    def _suits(self) -> list[int]:
        """Places of the suits that can be named, S H D C."""
        return sorted(range(3), key=lambda place: "SHDC".index(SUITS[self._named()[place]]))


def _with_tower(value: ContractValue, tower: float | None) -> ContractValue:
    """A contract with this P(win the tower), or as it is."""
    return value if tower is None else dataclasses.replace(value, tower=tower)


def _or_alike(weights: Floats) -> Floats:
    """The weights, or ones where no layout has any."""
    return weights if weights.sum() > 0 else np.ones(len(weights))


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)


def answer_equilibrium(question: UpcardQuestion) -> UpcardAnswer | None:
    """The equilibrium of the double-dummy model; None where no solution is at hand."""
    stored = load_bidding(question.hand.bit_count(), rank_of(question.up))
    if stored is None:
        return None
    view = _equilibrium_view(stored, question.hand, question.up, question.dealer)
    mix = _own_mix(stored, question, GAME_ITSELF if view.worth.calls(question.second_round) else MODEL)
    return answer_from(question, view, stored.next_deal, "equilibrium", mix)


@dataclass(frozen=True)
class DiscardAnswer:
    """What a dealer's discards are worth against an opponent who bids as in equilibrium.

    Attributes:
        values: P(win the tower) by card, the best one first.
        mix: what the equilibrium does.
        layouts: hands of the opponent that were counted, weighted by how he has bid.
    """

    values: Mapping[str, float]
    mix: Mix
    layouts: int

    def losses(self) -> Losses:
        """What each discard costs who makes it."""
        return losses(self.values, next(iter(self.values)), self.mix)


def answer_discard(hand: int, up: int, asker_bids: bool) -> DiscardAnswer | None:
    """Which card to give for the up-card; None where no solution is at hand.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted himself, after a pass; else the other has.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    view = _equilibrium_view(stored, hand, up, dealer=True)
    solved = GAME_ITSELF if view.worth.discards.get(asker_bids) else MODEL
    mix = _own_mix(stored, UpcardQuestion(hand, up, dealer=True), solved)
    made = mix.discards["me" if asker_bids else "them"]
    shares = {card: made.get(card, 0.0) for card in map(card_text, mask_cards(hand))}
    mix = dataclasses.replace(mix, probabilities=shares)
    return DiscardAnswer(view.discards(asker_bids), mix, len(view.layouts.hands))


def _equilibrium_view(stored: StoredBidding, hand: int, up: int, dealer: bool) -> WeightedView:
    """What the asker sees, the other bidding as is stored."""
    layouts = make_layouts(hand, up, dealer)
    way = (stored_nondealer if dealer else stored_dealer)(stored, up, layouts.hands)
    worth = StoredSide(stored, up, np.array([hand], dtype=np.int64)).worth(dealer)
    return WeightedView(hand, up, layouts, way, stored.next_deal or 0.0, False, worth)


def _own_mix(stored: StoredBidding, question: UpcardQuestion, values_of: str) -> Mix:
    """The asker's own probabilities: of his calls at this decision, and of his discards by who accepted."""
    side = StoredSide(dataclasses.replace(stored, floor=0.0), question.up, np.array([question.hand], dtype=np.int64))
    strategies = side.strategies
    accepts = float(side.bids(strategies.answers if question.dealer else strategies.accepts)[0])
    told = stored.exploitability, stored.exploitability_of, stored.floor, values_of
    if question.second_round:
        named = [SUITS[suit] for suit in side.named]
        shares = side.suits(strategies.left if question.dealer else strategies.names)[0]
        return Mix(dict(zip([*named, PASS], map(float, shares), strict=False)), {}, *told)
    mix = {ACCEPT: accepts, PASS: 1 - accepts}
    if not question.dealer:
        return Mix(mix, {}, *told)
    cards = [card_text(card) for card in mask_cards(question.hand)]
    discards = {
        bidder: {card: share for card, share in zip(cards, map(float, side.discards(choice)[0]), strict=True) if share}
        for bidder, choice in (("me", strategies.own_discards), ("them", strategies.discards))
    }
    return Mix(mix, discards, *told)


def answer_from(
    question: UpcardQuestion,
    view: WeightedView,
    next_deal: float | None,
    method: str,
    mix: Mix | None = None,
    against: str | None = None,
) -> UpcardAnswer:
    """The answer to a question from what its asker sees."""
    actions = view.actions(question.second_round)
    recommend = best_action(actions)
    if mix is not None:
        mix = mix.complete({name: tower_of(value) for name, value in actions.items()})
        if mix.costs[mix.made[0]] <= INDIFFERENT:
            recommend = mix.made[0]
    return UpcardAnswer(
        cards=view.cards,
        seat=SEATS[0] if question.dealer else SEATS[1],
        up=question.up,
        hand=question.hand,
        second_round=question.second_round,
        layouts=len(view.layouts.hands),
        deal_value=next_deal,
        actions=actions,
        contracts=tuple(view.contracts(question.second_round)),
        recommend=recommend,
        margin=lead(actions, recommend, question.second_round),
        method=method,
        mix=mix,
        against=against,
        likelihood=_rounded(view.likelihood(question.second_round)),
    )
