"""A game of Bowers that people or programs drive step by step (BO-1 .. BO-14)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from games.bowers.bidding import MISERE, OPEN, PASS, PLAYERS, THROWN_IN, WON, Auction, call_text, parse_call
from games.bowers.dealing import HAND_SIZE, bid_trumps, deal_hands, from_bid_order, shuffled_pack, to_bid_order
from games.bowers.options import BowersOptions
from games.bowers.records import (
    Buried,
    CallMade,
    DealState,
    Dealt,
    GameState,
    Outcome,
    Phase,
    Played,
    Three,
    Trick,
    View,
)
from games.bowers.scoring import deal_points, game_winner, next_dealer, next_factor
from games.bowers.view import followed_field, view_of
from games.cards import (
    JOKER_1,
    NO_TRUMP_FIELD,
    SUITS,
    card_text,
    card_texts,
    cards_mask,
    holds,
    mask_cards,
    mask_text,
    parse_suit,
    sorted_cards,
)
from games.engine import CARD, CARDS, WHOLE, Action, Choices, Engine, Reader, Result, one, possible, read_card_set
from games.errors import IllegalAction, demand
from games.tricks import beats, legal_followers

GAME: Final = "bowers"


class BowersGame(Engine[BowersOptions, GameState]):
    """A game of Bowers; see `games.engine` for how it is driven.

    >>> game = BowersGame()
    >>> game.phase, game.can_call(0)
    (<Phase.DEAL: 'DEAL'>, False)
    """

    GAME = GAME
    OPTIONS = BowersOptions
    ACTIONS = ("deal", "call", "bury", "play")
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {
        "pack": CARDS,
        "dealer": WHOLE,
        "call.call": one(str, "a text such as 5S", parse_call),
        "cards": read_card_set,
        "card": CARD,
        "names": one(str, "a text such as S", parse_suit),
    }

    def __init__(self, options: BowersOptions | None = None) -> None:
        options = options or BowersOptions()
        self._rules = options.rules()
        super().__init__(options, GameState(Phase.DEAL))

    # ------------------------------------------------------------------------------------------------ what is seen

    @property
    def seats(self) -> range:
        """The three players."""
        return range(PLAYERS)

    @property
    def to_act(self) -> int | None:
        """Whom the game waits for; None before a deal and after the end."""
        if self.phase == Phase.BID:
            return self._deal.seat_of(self._deal.auction.speaker)
        if self.phase == Phase.BURY:
            return self._deal.bidder
        if self.phase == Phase.PLAY:
            return (_sure(self._deal.leader) + len(self._deal.plays)) % PLAYERS
        return None

    @property
    def result(self) -> Result | None:
        """The winner and the points (BO-14)."""
        if self.phase != Phase.OVER:
            return None
        return Result((_sure(self._state.winner),), self._state.scores, f"{self.options.target} points")

    def legal_plays(self) -> int:
        """Printed mask of the cards that the player to act may play; 0 when no card is due (BO-8, BO-9)."""
        if self.phase != Phase.PLAY:
            return 0
        deal = self._deal
        hand = deal.hands[_sure(self.to_act)]
        if not deal.plays:
            return hand
        field = followed_field(deal.call, deal.plays[0], deal.named, self._rules.names_suit)
        followers = int(legal_followers(int(to_bid_order(hand, deal.call)), field))
        return int(from_bid_order(followers, deal.call))

    def _view(self, seat: int) -> View:
        return view_of(self._state, seat, self.to_act, self.legal_plays(), self._rules)

    def _choices(self, seat: int) -> Choices:
        if seat != self.to_act:
            return Choices()
        if self.phase == Phase.BURY:
            held = card_texts(sorted_cards(self._deal.hands[seat]))
            return Choices.of_subsets(
                held, self.options.kitty, lambda cards: {"action": "bury", "player": seat, "cards": cards}
            )
        if self.phase == Phase.BID:
            calls = map(call_text, self._deal.auction.legal_calls())
            return Choices.of({"action": "call", "player": seat, "call": call} for call in calls)
        plays = [{"action": "play", "player": seat, "card": card_text(card)} for card in mask_cards(self.legal_plays())]
        joker = card_text(JOKER_1)
        if not self._names_suit(JOKER_1):
            return Choices.of(plays)
        named = [{**play, "names": suit} for play in plays if play["card"] == joker for suit in SUITS]
        return Choices.of([play for play in plays if play["card"] != joker] + named)

    def chance(self, rng: np.random.Generator) -> Action:
        """A shuffled pack, and the first dealer (BO-1)."""
        if self.phase != Phase.DEAL:
            raise self._no_chance()
        dealer = int(rng.integers(PLAYERS)) if self._state.dealer is None else self._state.dealer
        return {"action": "deal", "dealer": dealer, "pack": card_texts(shuffled_pack(self.options, rng))}

    # ---------------------------------------------------------------------------------------------------- the deal

    def verify_deal(self, pack: Sequence[int], dealer: int | None = None) -> None:
        """Check `deal`.

        Raises:
            IllegalAction: a deal is in play, not the game's pack, or another player deals.
        """
        self._demand_phase("a deal", "BO-1", Phase.DEAL)
        deck = self.options.deck
        whole = len(pack) == deck.bit_count() and all(holds(deck, card) for card in pack) and cards_mask(pack) == deck
        demand(whole, f"the pack is not the game's {deck.bit_count()} cards, each once", "BO-1")
        expected = self._state.dealer
        if expected is None:
            demand(
                dealer in range(PLAYERS) and type(dealer) is int,
                f"the first dealer is {dealer!r}; expected seat 0, 1 or 2",
                "BO-1",
            )
        else:
            demand(dealer in (None, expected), f"player {dealer!r} is not to deal; expected player {expected}", "BO-1")

    can_deal = possible(verify_deal)

    def deal(self, pack: Sequence[int], dealer: int | None = None) -> Dealt:
        """Deal a shuffled pack, card by card from the dealer's left; the rest is the kitty (BO-1).

        Args:
            pack: cards in order.
            dealer: who deals; only the first deal of a game needs it (he is drawn by lot, B16).
        """
        self.verify_deal(pack, dealer)
        seat = _sure(dealer if self._state.dealer is None else self._state.dealer)
        hands, kitty = deal_hands(pack, seat)
        deal = DealState(seat, self._state.factor, hands, kitty, Auction((), self.options.min_bid))
        self._set(phase=Phase.BID, dealer=seat, deal=deal)
        self._record("deal", dealer=seat, pack=card_texts(pack))
        return Dealt(seat, hands, kitty)

    # ------------------------------------------------------------------------------------------------- the auction

    def verify_call(self, call: int) -> None:
        """Check `call`.

        Raises:
            IllegalAction: nobody is bidding, or the call may not be made.
        """
        self._demand_phase("a call", "BO-3", Phase.BID)
        self._deal.auction.verify(call)

    can_call = possible(verify_call)

    def call(self, call: int) -> CallMade:
        """Bid or pass (BO-3 .. BO-7). The call that ends the auction gives the bidder the kitty, unless at misère."""
        self.verify_call(call)
        player, deal = _sure(self.to_act), self._deal
        auction = deal.auction.after(call)
        self._record("call", player=player, call=call_text(call))
        self._set_deal(auction=auction)
        if auction.status == THROWN_IN:
            return CallMade(player, call, 0, self._close(Outcome(PASS, None, (0, 0, 0), (0, 0, 0))))
        if auction.status == OPEN:
            return CallMade(player, call, 0, None)
        assert auction.status == WON
        bidder = deal.seat_of(_sure(auction.bidder))
        self._set_deal(bidder=bidder, call=auction.standing)
        if auction.standing == MISERE:
            self._begin_play()
            return CallMade(player, call, 0, None)
        self._set_deal(hands=_changed(deal.hands, bidder, deal.hands[bidder] | deal.kitty))
        self._set(phase=Phase.BURY)
        return CallMade(player, call, deal.kitty, None)

    # --------------------------------------------------------------------------------------------------- the burial

    def verify_bury(self, cards: int) -> None:
        """Check `bury`.

        Raises:
            IllegalAction: nobody has taken the kitty, cards not held, or too many or too few.
        """
        self._demand_phase("a burial", "BO-7", Phase.BURY)
        deal, count = self._deal, self.options.kitty
        demand(
            cards >= 0 and cards.bit_count() == count, f"{cards.bit_count()} cards to bury; expected {count}", "BO-7"
        )
        strange = cards & ~deal.hands[_sure(deal.bidder)]
        demand(strange == 0, f"player {deal.bidder} does not hold {mask_text(strange)}", "BO-7")

    can_bury = possible(verify_bury)

    def bury(self, cards: int) -> Buried:
        """Bury as many cards as the kitty had, face down, any of the hand (BO-7).

        Args:
            cards: printed mask.
        """
        self.verify_bury(cards)
        deal, player = self._deal, _sure(self._deal.bidder)
        self._record("bury", player=player, cards=mask_text(cards).split())
        self._set_deal(hands=_changed(deal.hands, player, deal.hands[player] & ~cards), buried=cards)
        self._begin_play()
        return Buried(player, cards)

    # ----------------------------------------------------------------------------------------------------- the play

    def verify_play(self, card: int, names: int | None = None) -> None:
        """Check `play`.

        Raises:
            IllegalAction: not time to play, a card not held or not following, a joker that names no suit.
        """
        self._demand_phase("playing a card", "BO-8", Phase.PLAY)
        player, deal = _sure(self.to_act), self._deal
        name = card_text(card)
        demand(holds(deal.hands[player], card), f"player {player} does not hold {name}", "BO-8")
        if not self.legal_plays() >> card & 1:
            led = card_text(deal.plays[0])
            led += "" if deal.named is None else f" (naming {SUITS[deal.named]})"
            raise IllegalAction(f"{name} does not follow {led}; expected a card of the suit led", "BO-8")
        if self._names_suit(card):
            demand(names in range(4), "a joker led at no trump names a suit; expected S, H, D or C", "BO-9")
        else:
            demand(names is None, f"{name} names no suit here; only a joker led at no trump does", "BO-9")

    can_play = possible(verify_play)

    def play(self, card: int, names: int | None = None) -> Played:
        """Play a card of the player to act; the winner of a trick leads the next (BO-8).

        Args:
            card: its id.
            names: the suit that a joker led at no trump names (BO-9).
        """
        self.verify_play(card, names)
        player, deal = _sure(self.to_act), self._deal
        self._record("play", player=player, card=card_text(card), names=None if names is None else SUITS[names])
        plays = (*deal.plays, card)
        self._set_deal(
            hands=_changed(deal.hands, player, deal.hands[player] & ~(1 << card)),
            plays=plays,
            named=deal.named if deal.plays else names,
        )
        if len(plays) < PLAYERS:
            return Played(player, card, None, None)
        trick = self._finish_trick()
        outcome = self._score() if len(self._deal.tricks) == HAND_SIZE else None
        return Played(player, card, trick, outcome)

    def _names_suit(self, card: int) -> bool:
        """Whether the card, played now, has to name the suit to follow."""
        leads = not self._deal.plays and card == JOKER_1
        return leads and bool(self._rules.names_suit) and int(bid_trumps(self._deal.call)) == NO_TRUMP_FIELD

    def _begin_play(self) -> None:
        deal = self._deal
        self._set_deal(leader=deal.seat_of(0) if self._rules.eldest_leads else deal.bidder)
        self._set(phase=Phase.PLAY)

    def _finish_trick(self) -> Trick:
        deal, leader = self._deal, _sure(self._deal.leader)
        trumps = int(bid_trumps(deal.call))
        cards = [int(to_bid_order(1 << card, deal.call)) for card in deal.plays]
        best = 0
        for place in range(1, PLAYERS):
            if beats(cards[place], cards[best], trumps):
                best = place
        first, second, third = deal.plays
        trick = Trick(leader, (first, second, third), deal.named, (leader + best) % PLAYERS)
        self._set_deal(tricks=(*deal.tricks, trick), leader=trick.winner, plays=(), named=None)
        return trick

    # -------------------------------------------------------------------------------------------------- the scoring

    def _score(self) -> Outcome:
        deal, bidder = self._deal, _sure(self._deal.bidder)
        taken, left = deal.taken, (bidder + 1) % PLAYERS
        made = deal_points(deal.call, taken[bidder], taken[left], deal.factor, self._rules)
        by_seat = {(bidder + step) % PLAYERS: int(points) for step, points in enumerate(made)}
        return self._close(Outcome(deal.call, bidder, taken, (by_seat[0], by_seat[1], by_seat[2])))

    def _close(self, outcome: Outcome) -> Outcome:
        """End the deal: add its points, find the winner or the next dealer (BO-6, BO-13, BO-14)."""
        deal, scores = self._deal, self._state.scores
        first, second, third = (score + points for score, points in zip(scores, outcome.points, strict=True))
        winner = int(game_winner(first, second, third, self._rules.target))
        self._set_deal(outcome=outcome)
        self._set(
            phase=Phase.DEAL if winner < 0 else Phase.OVER,
            scores=(first, second, third),
            dealer=int(next_dealer(deal.dealer, outcome.thrown_in, self._rules)),
            factor=int(next_factor(deal.factor, outcome.thrown_in, self._rules)),
            winner=None if winner < 0 else winner,
        )
        return outcome

    # ---------------------------------------------------------------------------------------------------- the ground

    @property
    def _deal(self) -> DealState:
        if self._state.deal is None:
            raise IllegalAction("no cards have been dealt; expected a deal first", "BO-1")
        return self._state.deal

    def _set_deal(self, **changes: Any) -> None:
        self._set(deal=dataclasses.replace(self._deal, **changes))


def _changed(hands: Three, seat: int, hand: int) -> Three:
    """The hands with one of them replaced."""
    return (hand, hands[1], hands[2]) if seat == 0 else (hands[0], hand, hands[2]) if seat == 1 else (*hands[:2], hand)


def _sure(seat: int | None) -> int:
    assert seat is not None
    return seat
