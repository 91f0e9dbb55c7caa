"""How is Towie driven, step by step, by people or programs? (TO-1 .. TO-22)

>>> game = Towie()
>>> game.phase, game.to_act  # chance is due: a shuffled pack
(<Phase.DEAL: 'DEAL'>, None)
"""

import dataclasses
import functools
import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import card_text, card_texts, holds, mask_cards, mask_text, suit_of
from towerlab.games.engine import (
    CARD,
    CARDS,
    INTEGER,
    Action,
    Choices,
    Engine,
    Reader,
    Result,
    list_reader,
    make_can,
    read_card_set,
    require,
    scalar_reader,
)
from towerlab.games.errors import IllegalAction, TowerlabError, demand
from towerlab.games.towie import dealing
from towerlab.games.towie.auction import (
    BID,
    BIDDER,
    CALLERS,
    DOUBLING,
    auction_is_over,
    auction_of,
    call_text,
    caller_of,
    is_game_contract,
    legal_calls,
    parse_call,
    verify_call,
)
from towerlab.games.towie.options import RANK_DESCENDING, TowieOptions
from towerlab.games.towie.records import Claim, Contract, DealState, GameState, Phase, Score, Trick, View
from towerlab.games.towie.scoring import end_deal, honours_of_sides, next_dealer
from towerlab.games.towie.view import view_of

GAME: Final = "towie"


class Towie(Engine[TowieOptions, GameState]):
    """A game of Towie; see `games.engine` for how it is driven.

    >>> game = Towie()
    >>> game.phase, game.to_act, game.can_call(0)
    (<Phase.DEAL: 'DEAL'>, None, False)
    """

    GAME = GAME
    OPTIONS = TowieOptions
    ACTIONS = ("deal", "expose", "call", "sort", "goulash", "play", "claim", "concede", "consent", "insist")
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {
        "pack": CARDS,
        "cards": read_card_set,
        "call.call": scalar_reader(str, "a text such as 3NT", parse_call),
        "piles": list_reader(CARDS, "a list of four lists of cards"),
        **dict.fromkeys(("cut", "player", "tricks"), INTEGER),
        "pile": CARDS,
        "card": CARD,
    }

    def __init__(self, options: TowieOptions | None = None) -> None:
        options = options or TowieOptions()
        n = options.n_players
        self._rules = options.rules()
        super().__init__(options, GameState(Phase.DEAL, (0, 1, 2), tuple(range(3, n)), 0, (0,) * n, (0,) * n))

    # ------------------------------------------------------------------------------------------- state and views

    @property
    def seats(self) -> range:
        """All players, waiting ones included."""
        return range(self.options.n_players)

    @property
    def to_act(self) -> int | None:
        """The player whose turn it is, declarer for dummy's cards as well; None for chance and after the end."""
        deal = self._state.deal
        if self.phase == Phase.AUCTION:
            return self._deal.players[int(caller_of(self._auction()))]
        if self.phase in (Phase.LEAD, Phase.PLAY):
            return self._deal.players[int(dealing.caller_at(self._position(), self._contract.declarer))]
        if deal is not None and deal.claim is not None:
            return deal.players[(deal.claim.caller + 1 + deal.claim.agreed) % CALLERS]
        return None

    def _begins(self) -> Mapping[str, tuple[int, int, int]]:
        n = self.options.n_players
        return {"score": (n, -99_999, 99_999), "games": (n, 0, 1), "dealer": (1, 0, 2)}

    def _begin_at(self, start: Mapping[str, tuple[int, ...]]) -> GameState:
        zeros = (0,) * self.options.n_players
        ledger = start.get("score", zeros)
        games = start.get("games", zeros)
        (dealer,) = start.get("dealer", (0,))
        return dataclasses.replace(self._first, ledger=ledger, games=games, dealer=dealer)

    @property
    def dealer(self) -> int:
        """The player who deals, or has dealt, and also faces dummy's cards and deals a goulash."""
        return self._state.active[self._state.dealer]

    @property
    def result(self) -> Result | None:
        """The highest total wins; several may share it (TO-21)."""
        if self.phase != Phase.GAME_OVER:
            return None
        ledger = self._state.ledger
        winners = tuple(player for player in self.seats if ledger[player] == max(ledger))
        return Result(winners, ledger, "two games won")

    def _player_of(self, action: str) -> int | None:
        return self.dealer if self.to_act is None and self.result is None else self.to_act

    def _view(self, seat: int) -> View:
        legal = self.legal_plays() if seat == self.to_act else 0
        return view_of(self._state, seat, self.to_act, legal, self.options.goulash_open)

    def _choices(self, seat: int) -> Choices:
        if self.phase == Phase.GOULASH and seat in self._deal.players:
            hands = [self._deal.players.index(seat), *[dealing.DUMMY] * (seat == self.dealer)]
            return functools.reduce(operator.add, (self._sortings(seat, hand) for hand in hands))
        said = self._claims_of(seat)
        if seat != self.to_act:
            return said
        if self.phase == Phase.CLAIM:
            return Choices.of({"action": word, "player": seat} for word in ("consent", "insist"))
        if self.phase == Phase.AUCTION:
            calls = map(call_text, self.legal_calls())
            return Choices.of({"action": "call", "player": seat, "call": call} for call in calls)
        cards = card_texts(mask_cards(self.legal_plays()))
        return Choices.of({"action": "play", "player": seat, "card": card} for card in cards) + said

    def _sortings(self, seat: int, hand: int) -> Choices:
        """Return the ways to sort a hand for a goulash: suits in any order, cards as well unless sorted by rank."""
        cards = mask_cards(self._deal.hands[hand])[::-1]
        twin = self.copy()
        suits = [list(suit) for _, suit in itertools.groupby(cards, suit_of)]
        ways = [1 if self.options.goulash_sort == "rank_desc" else math.factorial(len(suit)) for suit in suits]

        def make(index: int) -> Action:
            index, order = divmod(index, math.factorial(len(suits)))
            pile = list[int]()
            for place in _nth_order(range(len(suits)), order):
                index, order = divmod(index, ways[place])
                pile += _nth_order(suits[place], order)
            return {"action": "sort", "player": seat, "pile": card_texts(pile)}

        def holds_action(action: object) -> bool:
            is_sort = isinstance(action, dict) and (action.get("action"), action.get("player")) == ("sort", seat)
            return is_sort and twin.can(action)  # type: ignore[arg-type]

        return Choices(math.factorial(len(suits)) * math.prod(ways), make, holds_action)

    def _claims_of(self, seat: int) -> Choices:
        """Return a player's claims and concessions: at any time of the play, once a deal."""
        if not make_can(self.verify_claim)(seat, 1):
            return Choices()
        tricks = range(1, dealing.HAND_SIZE - len(self._deal.tricks) + 1)
        words = ((word, number) for word in ("claim", "concede") for number in tricks)
        return Choices.of({"action": word, "player": seat, "tricks": number} for word, number in words)

    def chance(self, rng: np.random.Generator) -> Action:
        """Return a shuffled pack, six of dummy's cards, or a goulash: how the hands are sorted and the stack is cut."""
        if self.phase == Phase.DEAL:
            pack = [int(card) for card in rng.permutation(dealing.PACK_SIZE)]
            return {"action": "deal", "player": self.dealer, "pack": card_texts(pack)}
        if self.phase == Phase.EXPOSE:
            exposed = int(dealing.expose_at_random(self._deal.dealt[dealing.DUMMY], rng))
            return {"action": "expose", "player": self.dealer, "cards": mask_text(exposed).split()}
        if self.phase != Phase.GOULASH:
            raise self._no_chance()
        pile = np.zeros(dealing.HAND_SIZE, dtype=np.int64)
        piles = []
        for hand, done in zip(self._deal.hands, self._deal.sorted, strict=True):
            dealing.sort_hand(hand, int(self._rules[RANK_DESCENDING]), rng, pile)
            piles.append(card_texts(done or pile.tolist()))
        return {
            "action": "goulash",
            "player": self.dealer,
            "piles": piles,
            "cut": int(dealing.draw_cut(self._rules, rng)),
        }

    def legal_calls(self) -> list[int]:
        """Return the calls that may be made now, lowest first; none outside the auction."""
        return legal_calls(self._auction()) if self.phase == Phase.AUCTION else []

    def legal_plays(self) -> int:
        """Printed mask of the cards that may be played now; 0 when none is due."""
        if self.phase not in (Phase.LEAD, Phase.PLAY):
            return 0
        deal = self._deal
        led = 1 << deal.plays[0] if deal.plays else 0
        return int(dealing.legal_cards(deal.hands[self._hand_due()], led, self._contract.strain))

    # -------------------------------------------------------------------------------------------------------- deal

    def verify_deal(self, pack: Sequence[int]) -> None:
        """Check `deal`.

        Raises:
            IllegalAction: not between deals.
            CardError: not the 52 cards.
        """
        self._demand_phase("a deal", "TO-2", Phase.DEAL)
        dealing.check_pack(pack)

    def deal(self, pack: Sequence[int]) -> None:
        """The dealer deals a shuffled pack, top card first, singly from the left (TO-2)."""
        masks = np.zeros(dealing.HANDS, dtype=np.int64)
        dealing.deal_singly(np.array(pack, dtype=np.int64), masks)
        hands = _four(masks)
        state = self._state
        players = tuple(state.active[(state.dealer + caller) % 3] for caller in range(3))
        self._record("deal", player=self.dealer, pack=card_texts(pack))
        self._set(phase=Phase.EXPOSE, deal=DealState((players[0], players[1], players[2]), hands, hands))

    # ------------------------------------------------------------------------------------------------------ expose

    def verify_expose(self, cards: int) -> None:
        """Check `expose`.

        Raises:
            IllegalAction: not after a deal or a goulash.
            CardError: not six of dummy's cards.
        """
        self._demand_phase("facing dummy's cards", "TO-3", Phase.EXPOSE)
        dealing.check_exposed(cards, self._deal.dealt[dealing.DUMMY])

    def expose(self, cards: int) -> None:
        """The dealer faces six of dummy's cards, a printed mask, without looking (TO-3)."""
        self._record("expose", player=self.dealer, cards=mask_text(cards).split())
        self._set(phase=Phase.AUCTION)
        self._set_deal(exposed=cards)

    # -------------------------------------------------------------------------------------------------------- call

    def verify_call(self, call: int) -> None:
        """Check `call`.

        Raises:
            IllegalAction: no auction is going on, or why the call is not legal in it.
        """
        self._demand_phase(f"the call {call_text(call) if 0 <= call <= 37 else call}", "TO-4", Phase.AUCTION)
        verify_call(self._auction(), call)

    def call(self, call: int) -> None:
        """Pass, bid, double or redouble (TO-4); the last call brings the play or a goulash (TO-5 .. TO-7)."""
        self._record("call", player=self.to_act, call=call_text(call))
        self._set_deal(calls=(*self._deal.calls, call))
        auction = self._auction()
        if auction_is_over(auction):
            self._end_auction(auction)

    def _end_auction(self, auction: Ints) -> None:
        bid = int(auction[BID])
        doubling = int(auction[DOUBLING])
        bidder = int(auction[BIDDER])
        if is_game_contract(bid, doubling, int(self.options.doubled_counts)):
            self._set(phase=Phase.LEAD)
            self._set_deal(contract=Contract(bid, doubling, bidder), leader=dealing.LEADER)
        elif self._deal.goulashes == self.options.max_goulash:
            self._set(phase=Phase.DEAL, dealer=int(next_dealer(self._state.dealer)))
        else:
            self._set(phase=Phase.GOULASH)

    # ----------------------------------------------------------------------------------------------------- goulash

    def verify_sort(self, player: int, pile: Sequence[int]) -> None:
        """Check `sort`.

        Raises:
            IllegalAction: no goulash is to come, or another player's hand.
            CardError: not the cards of the hand, or not sorted.
        """
        self._demand_phase("sorting a hand", "TO-9", Phase.GOULASH)
        demand(player in self._deal.players, f"player {player} holds no hand; expected an active player", "TO-9")
        hand = self._hand_sorted(player, pile)
        dealing.check_pile(pile, self._deal.hands[hand], self.options.goulash_sort == "rank_desc")

    def sort(self, player: int, pile: Sequence[int]) -> None:
        """A player sorts the own hand for a goulash, or the dealer dummy's (TO-9); chance sorts the others.

        Args:
            pile: card ids from the top.
        """
        hand = self._hand_sorted(player, pile)
        self._record("sort", player=player, pile=card_texts(pile))
        piles = (tuple(pile) if place == hand else old for place, old in enumerate(self._deal.sorted))
        self._set_deal(sorted=tuple(piles))

    def _hand_sorted(self, player: int, pile: Sequence[int]) -> int:
        """Return which hand a pile is: the dealer's may be dummy's."""
        is_dummys = player == self.dealer and bool(pile) and holds(self._deal.hands[dealing.DUMMY], pile[0])
        return dealing.DUMMY if is_dummys else self._deal.players.index(player)

    def verify_goulash(self, piles: Sequence[Sequence[int]], cut: int) -> None:
        """Check `goulash`.

        Raises:
            IllegalAction: a game contract was reached, hands are not sorted, or the cut cannot be.
            CardError: other cards than were held.
        """
        self._demand_phase("a goulash", "TO-9", Phase.GOULASH)
        if len(piles) != dealing.HANDS:
            raise TowerlabError(f"{len(piles)} sorted hands; expected {dealing.HANDS}: dealer, left, right, dummy")
        for hand, pile in enumerate(piles):
            dealing.check_pile(pile, self._deal.hands[hand], self.options.goulash_sort == "rank_desc")
            done = self._deal.sorted[hand]
            demand(
                not done or done == tuple(pile), "a hand lies as its player has sorted it; expected that pile", "TO-9"
            )
        dealing.check_cut(cut, self.options.goulash_cut)

    def goulash(self, piles: Sequence[Sequence[int]], cut: int) -> None:
        """The hands, sorted, are stacked and cut, and the same dealer deals them 5-5-3 (TO-9, TO-10).

        Args:
            piles: card ids from the top, of the dealer, the left and right neighbour, and dummy.
            cut: the number of cards that go from the top of the stack to its bottom.
        """
        pack = np.zeros(dealing.PACK_SIZE, dtype=np.int64)
        dealing.stack_piles(np.array(piles, dtype=np.int64), cut, pack)
        self._record("goulash", player=self.dealer, piles=[card_texts(pile) for pile in piles], cut=cut)
        self._deal_packets(pack, tuple(tuple(pile) for pile in piles))

    def _deal_packets(self, pack: Ints, piles: tuple[tuple[int, ...], ...] | None) -> None:
        """Deal the stacked cards 5-5-3 to the same players; piles are None if unknown."""
        masks = np.zeros(dealing.HANDS, dtype=np.int64)
        dealing.deal_packets(pack, masks)
        hands = _four(masks)
        old = self._deal
        deal = DealState(old.players, hands, hands, goulashes=old.goulashes + 1, old=old.hands, piles=piles)
        self._set(phase=Phase.EXPOSE, deal=deal)

    # -------------------------------------------------------------------------------------------------------- play

    def verify_play(self, card: int) -> None:
        """Check `play`.

        Raises:
            IllegalAction: no card is due, the hand does not hold it, or it does not follow suit.
        """
        self._demand_phase("playing a card", "TO-8", Phase.LEAD, Phase.PLAY)
        deal = self._deal
        hand = self._hand_due()
        name = card_text(card)
        owner = "dummy" if hand == dealing.DUMMY else f"player {deal.players[hand]}"
        if not holds(deal.hands[hand], card):
            raise IllegalAction(f"{owner} does not hold {name}; expected one of {mask_text(deal.hands[hand])}", "TO-8")
        legal = self.legal_plays()
        if not legal >> card & 1:
            raise IllegalAction(f"{name} does not follow suit; expected one of {mask_text(legal)}", "TO-8")

    def play(self, card: int) -> None:
        """Play a card from the hand whose turn it is; declarer plays dummy's as well (TO-8)."""
        deal = self._deal
        hand = self._hand_due()
        self._record("play", player=self.to_act, card=card_text(card))
        hands = [mask & ~(1 << card) if place == hand else mask for place, mask in enumerate(deal.hands)]
        self._set(phase=Phase.PLAY)
        self._set_deal(hands=tuple(hands), plays=(*deal.plays, card))
        if len(self._deal.plays) == dealing.HANDS:
            self._end_trick()
        if len(self._deal.tricks) == dealing.HAND_SIZE:
            self._end_deal()

    def _end_trick(self) -> None:
        deal = self._deal
        cards = np.zeros(dealing.HANDS, dtype=np.int64)
        for step, card in enumerate(deal.plays):
            cards[(deal.leader + step) % dealing.HANDS] = 1 << card
        winner = int(dealing.trick_winner(cards, deal.leader, self._contract.strain))
        trick = Trick(deal.leader, deal.plays, winner)
        self._set_deal(tricks=(*deal.tricks, trick), plays=(), leader=winner)

    def _end_deal(self) -> None:
        """Score a deal, change seats, pass the deal on or end the game (TO-12 .. TO-22)."""
        state = self._state
        deal = self._deal
        contract = self._contract
        seat = state.active.index(deal.players[contract.declarer])
        ledger, games, active, waiting = map(_array, (state.ledger, state.games, state.active, state.waiting))
        ours, theirs, made, over, entered = end_deal(
            self._auction(), _array(deal.dealt), deal.declarer_tricks, seat, active, waiting, ledger, games, self._rules
        )
        self._set(
            phase=Phase.GAME_OVER if over else Phase.DEAL,
            active=tuple(active.tolist()),
            waiting=tuple(waiting.tolist()),
            dealer=state.dealer if over else int(next_dealer(state.dealer)),
            ledger=tuple(ledger.tolist()),
            games=tuple(games.tolist()),
            played=state.played + 1,
        )
        player = state.active[seat]
        newcomer = None if entered == player else int(entered)
        honours = (0, 0)
        if self.options.honours:
            declarers, other = honours_of_sides(_array(deal.dealt), contract.declarer, contract.strain)
            honours = int(declarers), int(other)
        score = Score(contract, player, deal.declarer_tricks, bool(made), int(ours), int(theirs), honours, newcomer)
        self._set_deal(score=score)

    # ------------------------------------------------------------------------------------------------------ claims

    def verify_claim(self, player: int, tricks: int) -> None:
        """Check `claim`.

        Raises:
            IllegalAction: claims are off, dummy is not open, the player has claimed before, or too many tricks.
        """
        demand(self.options.claims, "claims are off; expected the cards to be played", "TO-8")
        self._demand_phase("a claim", "TO-8", Phase.PLAY)
        deal = self._deal
        left = dealing.HAND_SIZE - len(self._deal.tricks)
        may = player in deal.players and deal.players.index(player) not in deal.faced
        demand(may, f"player {player} cannot claim; expected an active player who has not", "TO-8")
        demand(1 <= tricks <= left, f"{tricks} tricks claimed of {left} left; expected 1 to {left}", "TO-8")

    def claim(self, player: int, tricks: int) -> None:
        """Claim so many of the tricks left for the player's side, the others conceded; the hand is faced (TO-8)."""
        self._state_claim("claim", player, tricks, tricks)

    verify_concede = verify_claim

    def concede(self, player: int, tricks: int) -> None:
        """Concede so many of the tricks left to the other side, the others claimed (TO-8)."""
        self._state_claim("concede", player, tricks, dealing.HAND_SIZE - len(self._deal.tricks) - tricks)

    def verify_consent(self) -> None:
        """Check `consent`.

        Raises:
            IllegalAction: no claim waits for an answer.
        """
        self._demand_phase("an answer to a claim", "TO-8", Phase.CLAIM)

    def consent(self) -> None:
        """Agree to a claim; once both others have, the deal is over (TO-8)."""
        self._record("consent", player=self.to_act)
        deal = self._deal
        claim = require(self._deal.claim)
        if claim.agreed == 0:
            self._set_deal(claim=dataclasses.replace(claim, agreed=1))
            return
        left = dealing.HAND_SIZE - len(deal.tricks)
        ours = claim.tricks if claim.caller == self._contract.declarer else left - claim.tricks
        self._set_deal(claim=None, plays=(), conceded=ours)
        self._end_deal()

    verify_insist = verify_consent

    def insist(self) -> None:
        """Have the cards played; the claimant's hand is open (TO-8)."""
        self._record("insist", player=self.to_act)
        self._set(phase=Phase.PLAY)
        self._set_deal(claim=None)

    def _state_claim(self, action: str, player: int, tricks: int, own: int) -> None:
        self._record(action, player=player, tricks=tricks)
        deal = self._deal
        caller = deal.players.index(player)
        self._set(phase=Phase.CLAIM)
        self._set_deal(claim=Claim(caller, own), faced=(*deal.faced, caller))

    # ----------------------------------------------------------------------------------------------------- helpers

    @property
    def _deal(self) -> DealState:
        return require(self._state.deal)

    @property
    def _contract(self) -> Contract:
        return require(self._deal.contract)

    def _auction(self) -> Ints:
        return auction_of(self._deal.calls)

    def _position(self) -> int:
        """Return the position that plays next."""
        return (self._deal.leader + len(self._deal.plays)) % dealing.HANDS

    def _hand_due(self) -> int:
        """Return the hand that plays next."""
        return int(dealing.hand_at(self._position(), self._contract.declarer))

    def _set_deal(self, **changes: Any) -> None:
        self._set(deal=dataclasses.replace(self._deal, **changes))


def _nth_order(items: Sequence[int], index: int) -> list[int]:
    """Return the index-th order of some items."""
    left = list(items)
    order = list[int]()
    while left:
        index, place = divmod(index, len(left))
        order.append(left.pop(place))
    return order


def _four(masks: Ints) -> tuple[int, int, int, int]:
    return int(masks[0]), int(masks[1]), int(masks[2]), int(masks[3])


def _array(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)
