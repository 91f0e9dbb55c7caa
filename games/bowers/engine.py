"""How is Bowers driven, step by step, by people or programs? (BO-1 .. BO-14)

>>> game = BowersGame()
>>> game.apply(game.chance(np.random.default_rng(7)))
>>> game.phase, game.to_act
(<Phase.BID: 'BID'>, 0)
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from towerlab.games.bowers.options import BowersOptions
from towerlab.games.bowers.records import DealState, GameState, Phase, Trick, View, as_triple
from towerlab.games.bowers.rules import (
    PLAYERS,
    Auction,
    bid_trumps,
    call_text,
    from_bid_order,
    parse_call,
    shuffled_pack,
    to_bid_order,
)
from towerlab.games.bowers.state import (
    BEST_SEAT,
    DEALER,
    DEALS,
    FACTOR,
    SCORES,
    TO_ACT,
    act,
    legal_cards,
    new_state,
    start_game,
)
from towerlab.games.bowers.state import deal as deal_cards
from towerlab.games.bowers.view import view_of
from towerlab.games.cards import (
    JOKER_1,
    NO_TRUMP_FIELD,
    SUIT_BITS,
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
from towerlab.games.engine import (
    CARD,
    CARDS,
    INTEGER,
    Action,
    Choices,
    Engine,
    Reader,
    Result,
    read_card_set,
    require,
    scalar_reader,
)
from towerlab.games.errors import IllegalAction, demand
from towerlab.games.jit import uncompiled

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
    PLAYERS = PLAYERS
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {
        "pack": CARDS,
        "dealer": INTEGER,
        "call.call": scalar_reader(str, "a text such as 5S", parse_call),
        "cards": read_card_set,
        "card": CARD,
        "names": scalar_reader(str, "a text such as S", parse_suit),
    }

    def __init__(self, options: BowersOptions | None = None) -> None:
        options = options or BowersOptions()
        self._rules = options.rules()
        array = new_state()
        start_game(array, 0)
        super().__init__(options, GameState(tuple(array.tolist()), Auction()))

    # ------------------------------------------------------------------------------------------------ what is seen

    @property
    def to_act(self) -> int | None:
        """The seat that acts next; None before a deal and after the end."""
        return None if self.phase in (Phase.DEAL, Phase.OVER) else self._state.array[TO_ACT]

    @property
    def result(self) -> Result | None:
        """The winner and the points (BO-14)."""
        if self.phase != Phase.OVER:
            return None
        return Result((require(self._state.winner),), self._state.scores, f"{self.options.target} points")

    def _begins(self) -> Mapping[str, tuple[int, int, int]]:
        return {"score": (PLAYERS, -999, self.options.target - 1), "dealer": (1, 0, PLAYERS - 1), "factor": (1, 1, 99)}

    def _begin_at(self, start: Mapping[str, tuple[int, ...]]) -> GameState:
        array = np.array(self._first.array)
        array[SCORES : SCORES + PLAYERS] = start.get("score", (0,) * PLAYERS)
        (array[FACTOR],) = start.get("factor", (1,))
        (array[DEALER],) = start.get("dealer", (0,))
        array[DEALS] = "dealer" in start  # as after a deal that was thrown in
        return GameState(tuple(array.tolist()), Auction())

    def legal_plays(self) -> int:
        """Printed mask of the cards that the player to act may play; 0 when no card is due (BO-8, BO-9)."""
        if self.phase != Phase.PLAY:
            return 0
        return int(from_bid_order(legal_cards(np.array(self._state.array)), self._deal.call))

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
        """Return a shuffled pack, and the first dealer (BO-1)."""
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

    def deal(self, pack: Sequence[int], dealer: int | None = None) -> None:
        """Deal a shuffled pack, card by card from the dealer's left; the rest is the kitty (BO-1).

        Args:
            pack: cards in order.
            dealer: the seat that deals; only the first deal of a game needs it (drawn at random, B16).
        """
        seat = require(dealer if self._state.dealer is None else self._state.dealer)
        array = np.array(self._state.array)
        array[DEALER] = seat
        deal_cards(array, np.array(pack, dtype=np.int64))
        self._state = GameState(tuple(array.tolist()), Auction((), self.options.min_bid))
        self._record("deal", dealer=seat, pack=card_texts(pack))

    # ------------------------------------------------------------------------------------------------- the auction

    def verify_call(self, call: int) -> None:
        """Check `call`.

        Raises:
            IllegalAction: nobody is bidding, or the call may not be made.
        """
        self._demand_phase("a call", "BO-3", Phase.BID)
        self._deal.auction.verify(call)

    def call(self, call: int) -> None:
        """Bid or pass (BO-3 .. BO-7). The call that ends the auction gives the bidder the kitty, unless at misère."""
        self._record("call", player=require(self.to_act), call=call_text(call))
        self._act(call, auction=self._deal.auction.after(call))

    # --------------------------------------------------------------------------------------------------- the burial

    def verify_bury(self, cards: int) -> None:
        """Check `bury`.

        Raises:
            IllegalAction: nobody has taken the kitty, cards not held, or too many or too few.
        """
        self._demand_phase("a burial", "BO-7", Phase.BURY)
        deal = self._deal
        count = self.options.kitty
        demand(
            cards >= 0 and cards.bit_count() == count, f"{cards.bit_count()} cards to bury; expected {count}", "BO-7"
        )
        strange = cards & ~deal.hands[require(deal.bidder)]
        demand(strange == 0, f"player {deal.bidder} does not hold {mask_text(strange)}", "BO-7")

    def bury(self, cards: int) -> None:
        """Bury as many cards as the kitty had, face down, any of the hand (BO-7).

        Args:
            cards: printed mask.
        """
        self._record("bury", player=require(self._deal.bidder), cards=mask_text(cards).split())
        self._act(cards)

    # ----------------------------------------------------------------------------------------------------- the play

    def verify_play(self, card: int, names: int | None = None) -> None:
        """Check `play`.

        Raises:
            IllegalAction: not time to play, a card not held or not following, a joker that names no suit.
        """
        self._demand_phase("playing a card", "BO-8", Phase.PLAY)
        player = require(self.to_act)
        deal = self._deal
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

    def play(self, card: int, names: int | None = None) -> None:
        """Play a card of the player to act; the winner of a trick leads the next (BO-8).

        Args:
            card: the id of the card.
            names: the suit that a joker led at no trump names (BO-9).
        """
        deal = self._deal
        named = None if names is None else SUITS[names]
        self._record("play", player=require(self.to_act), card=card_text(card), names=named)
        bit = int(to_bid_order(1 << card, deal.call))
        plays = (*deal.plays, card)
        field = 0 if names is None else int(to_bid_order(SUIT_BITS << 13 * names, deal.call))
        self._act(bit, field, plays=plays if len(plays) < PLAYERS else ())
        if len(plays) == PLAYERS:
            trick = Trick(require(deal.leader), as_triple(plays), deal.named, self._state.array[BEST_SEAT])
            self._set(tricks=(*deal.tricks, trick))

    def _names_suit(self, card: int) -> bool:
        """Return whether the card, played now, has to name the suit to follow."""
        leads = not self._deal.plays and card == JOKER_1
        return leads and bool(self._rules.names_suit) and int(bid_trumps(self._deal.call)) == NO_TRUMP_FIELD

    def _act(self, choice: int, named: int = 0, **history: Any) -> None:
        """Let the kernels take a decision; `history` is what they do not keep."""
        array = np.array(self._state.array)
        uncompiled(act)(array, choice, named, self._rules)
        self._set(array=tuple(array.tolist()), **history)

    @property
    def _deal(self) -> DealState:
        if self._state.deal is None:
            raise IllegalAction("no cards have been dealt; expected a deal first", "BO-1")
        return self._state.deal
