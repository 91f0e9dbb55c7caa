"""A game that people or programs drive step by step (TO-1 .. TO-22)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from games.cards import card_text, card_texts, cards_mask, mask_text, parse_card
from games.errors import IllegalAction, TowerlabError, allowed
from games.towie.auction import (
    BID,
    BIDDER,
    DOUBLING,
    Ints,
    auction_is_over,
    auction_of,
    call_text,
    caller_of,
    is_game_contract,
    legal_calls,
    parse_call,
    strain_of,
    verify_call,
)
from games.towie.dealing import (
    DUMMY,
    HAND_SIZE,
    HANDS,
    PACK_SIZE,
    check_cut,
    check_exposed,
    check_pack,
    check_pile,
    deal_packets,
    deal_singly,
    masks_of,
    stack_piles,
)
from games.towie.ledger import NOBODY, game_is_over, is_vulnerable, overall_winner, post
from games.towie.options import TowieOptions
from games.towie.play import LEADER, caller_at, hand_at, legal_cards, trick_winner
from games.towie.records import (
    CallMade,
    Contract,
    DealState,
    Dealt,
    Exposed,
    GameState,
    Goulashed,
    Phase,
    Played,
    Score,
    Trick,
    View,
)
from games.towie.scoring import deal_score, honours_in, tricks_needed
from games.towie.seats import change_seats, next_dealer
from games.towie.view import view_of
from games.transcript import replay, take_action, transcript_lines

GAME: Final = "towie"
ACTIONS: Final = ("deal", "expose", "call", "goulash", "play")


class Towie:
    """A game of Towie.

    `phase` says what the game waits for and `to_act` whom. Every action x comes as three methods: `can_x` tells
    whether it is possible, `verify_x` raises the reason why not, `x` takes it and returns a frozen record. What chance
    decides (the pack, the six cards, how hands are sorted and cut) is told by the caller.

    >>> game = Towie()
    >>> game.phase, game.to_act, game.can_call(0)
    (<Phase.DEAL: 'DEAL'>, 0, False)
    """

    def __init__(self, options: TowieOptions | None = None) -> None:
        self.options = options or TowieOptions()
        n = self.options.n_players
        self._rules = self.options.rules()
        self._actions: list[dict[str, Any]] = []
        self._state = GameState(Phase.DEAL, (0, 1, 2), tuple(range(3, n)), 0, (0,) * n, (0,) * n)

    # ------------------------------------------------------------------------------------------- what can be seen

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        return self._state.phase

    @property
    def actions(self) -> tuple[dict[str, Any], ...]:
        """The JSON actions so far, chance included."""
        return tuple(dict(action) for action in self._actions)

    @property
    def to_act(self) -> int | None:
        """The player whose turn it is: the dealer for what chance decides, declarer for dummy's cards too."""
        state, deal = self._state, self._state.deal
        if state.phase == Phase.GAME_OVER:
            return None
        if state.phase == Phase.AUCTION:
            return self._deal.players[int(caller_of(self._auction()))]
        if state.phase in (Phase.LEAD, Phase.PLAY):
            assert deal is not None and deal.contract is not None
            return deal.players[int(caller_at(self._position(), deal.contract.declarer))]
        return state.active[state.dealer]

    @property
    def winner(self) -> int | None:
        """The player with the highest total of a finished game, None where several share it."""
        return self._state.winner

    def state(self) -> GameState:
        """A snapshot; equal snapshots and options mean games that go on alike."""
        return self._state

    def view(self, player: int) -> View:
        """What a player has seen.

        Raises:
            TowerlabError: no such player.
        """
        if not 0 <= player < self.options.n_players:
            raise TowerlabError(f"{player!r} is no player; expected 0 to {self.options.n_players - 1}")
        legal = self.legal_plays() if player == self.to_act else 0
        return view_of(self._state, player, self.to_act, legal, self.options.goulash_open)

    def legal_calls(self) -> list[int]:
        """The calls that may be made now, lowest first; none outside the auction."""
        return legal_calls(self._auction()) if self.phase == Phase.AUCTION else []

    def legal_plays(self) -> int:
        """Printed mask of the cards that may be played now; 0 when none is due."""
        if self.phase not in (Phase.LEAD, Phase.PLAY):
            return 0
        deal = self._deal
        assert deal.contract is not None
        hand = deal.hands[int(hand_at(self._position(), deal.contract.declarer))]
        led = 1 << deal.table[0] if deal.table else 0
        return int(legal_cards(hand, led, int(strain_of(deal.contract.bid))))

    # -------------------------------------------------------------------------------------------------------- deal

    def can_deal(self, pack: Sequence[int]) -> bool:
        """Whether `deal` is possible."""
        return allowed(self.verify_deal, pack)

    def verify_deal(self, pack: Sequence[int]) -> None:
        """Check `deal`.

        Raises:
            IllegalAction: not between deals.
            CardError: not the 52 cards.
        """
        self._demand_phase("a deal", "TO-2", Phase.DEAL)
        check_pack(pack)

    def deal(self, pack: Sequence[int]) -> Dealt:
        """The dealer deals a shuffled pack, top card first, singly from his left (TO-2)."""
        self.verify_deal(pack)
        masks = np.zeros(HANDS, dtype=np.int64)
        deal_singly(np.array(pack, dtype=np.int64), masks)
        hands = _four(masks)
        state = self._state
        players = tuple(state.active[(state.dealer + caller) % 3] for caller in range(3))
        self._record("deal", pack=card_texts(pack))
        self._set(phase=Phase.EXPOSE, deal=DealState((players[0], players[1], players[2]), hands, hands))
        return Dealt(players[0], hands)

    # ------------------------------------------------------------------------------------------------------ expose

    def can_expose(self, cards: int) -> bool:
        """Whether `expose` is possible."""
        return allowed(self.verify_expose, cards)

    def verify_expose(self, cards: int) -> None:
        """Check `expose`.

        Raises:
            IllegalAction: not after a deal or a goulash.
            CardError: not six of dummy's cards.
        """
        self._demand_phase("facing dummy's cards", "TO-3", Phase.EXPOSE)
        check_exposed(cards, self._deal.dealt[DUMMY])

    def expose(self, cards: int) -> Exposed:
        """The dealer faces six of dummy's cards, a printed mask, unseen by him (TO-3)."""
        self.verify_expose(cards)
        self._record("expose", cards=mask_text(cards).split())
        self._set(phase=Phase.AUCTION)
        self._set_deal(exposed=cards)
        return Exposed(self._deal.players[0], cards)

    # -------------------------------------------------------------------------------------------------------- call

    def can_call(self, call: int) -> bool:
        """Whether `call` is possible."""
        return allowed(self.verify_call, call)

    def verify_call(self, call: int) -> None:
        """Check `call`.

        Raises:
            IllegalAction: no auction is going on, or why the call is not legal in it.
        """
        self._demand_phase(f"the call {call_text(call) if 0 <= call <= 37 else call}", "TO-4", Phase.AUCTION)
        verify_call(self._auction(), call)

    def call(self, call: int) -> CallMade:
        """Pass, bid, double or redouble (TO-4); the last call brings the play or a goulash (TO-5 .. TO-7)."""
        self.verify_call(call)
        player = self.to_act
        assert player is not None
        self._record("call", call=call_text(call))
        self._set_deal(calls=(*self._deal.calls, call))
        auction = self._auction()
        if auction_is_over(auction):
            self._end_auction(auction)
        return CallMade(player, call, self._deal.contract, self.phase)

    def _end_auction(self, auction: Ints) -> None:
        bid, doubling, bidder = int(auction[BID]), int(auction[DOUBLING]), int(auction[BIDDER])
        if is_game_contract(bid, doubling, int(self.options.doubled_counts)):
            self._set(phase=Phase.LEAD)
            self._set_deal(contract=Contract(bid, doubling, bidder), leader=LEADER)
        elif self._deal.goulashes == self.options.max_goulash:
            self._set(phase=Phase.DEAL, dealer=int(next_dealer(self._state.dealer)))
        else:
            self._set(phase=Phase.GOULASH)

    # ----------------------------------------------------------------------------------------------------- goulash

    def can_goulash(self, piles: Sequence[Sequence[int]], cut: int) -> bool:
        """Whether `goulash` is possible."""
        return allowed(self.verify_goulash, piles, cut)

    def verify_goulash(self, piles: Sequence[Sequence[int]], cut: int) -> None:
        """Check `goulash`.

        Raises:
            IllegalAction: a game contract was reached, hands are not sorted, or the cut cannot be.
            CardError: other cards than were held.
        """
        self._demand_phase("a goulash", "TO-9", Phase.GOULASH)
        if len(piles) != HANDS:
            raise TowerlabError(f"{len(piles)} sorted hands; expected {HANDS}: dealer, left, right, dummy")
        for hand, pile in enumerate(piles):
            check_pile(pile, self._deal.hands[hand], self.options.goulash_sort == "rank_desc")
        check_cut(cut, self.options.goulash_cut)

    def goulash(self, piles: Sequence[Sequence[int]], cut: int) -> Goulashed:
        """The hands, sorted, are stacked and cut, and the same dealer deals them 5-5-3 (TO-9, TO-10).

        Args:
            piles: card ids from the top, of the dealer, his left and right neighbour, and dummy.
            cut: how many cards go from the top of the stack to its bottom.
        """
        self.verify_goulash(piles, cut)
        pack, dealt = np.zeros(PACK_SIZE, dtype=np.int64), np.zeros((HANDS, HAND_SIZE), dtype=np.int64)
        masks = np.zeros(HANDS, dtype=np.int64)
        stack_piles(np.array(piles, dtype=np.int64), cut, pack)
        deal_packets(pack, dealt)
        masks_of(dealt, masks)
        hands, old = _four(masks), self._deal
        self._record("goulash", piles=[card_texts(pile) for pile in piles], cut=cut)
        self._set(phase=Phase.EXPOSE)
        self._set(
            deal=DealState(
                old.players,
                hands,
                hands,
                goulashes=old.goulashes + 1,
                old=old.hands,
                piles=tuple(tuple(pile) for pile in piles),
            )
        )
        return Goulashed(old.players[0], cut, hands)

    # -------------------------------------------------------------------------------------------------------- play

    def can_play(self, card: int) -> bool:
        """Whether `play` is possible."""
        return allowed(self.verify_play, card)

    def verify_play(self, card: int) -> None:
        """Check `play`.

        Raises:
            IllegalAction: no card is due, the hand does not hold it, or it does not follow suit.
        """
        self._demand_phase("playing a card", "TO-8", Phase.LEAD, Phase.PLAY)
        deal = self._deal
        assert deal.contract is not None
        hand = int(hand_at(self._position(), deal.contract.declarer))
        name = card_text(card) if 0 <= card < PACK_SIZE else repr(card)
        whose = "dummy" if hand == DUMMY else f"player {deal.players[hand]}"
        if not 0 <= card < PACK_SIZE or not deal.hands[hand] >> card & 1:
            raise IllegalAction(f"{whose} does not hold {name}; expected one of {mask_text(deal.hands[hand])}", "TO-8")
        legal = self.legal_plays()
        if not legal >> card & 1:
            raise IllegalAction(f"{name} does not follow suit; expected one of {mask_text(legal)}", "TO-8")

    def play(self, card: int) -> Played:
        """Play a card from the hand whose turn it is; declarer plays dummy's too (TO-8)."""
        self.verify_play(card)
        deal, position, player = self._deal, self._position(), self.to_act
        assert deal.contract is not None and player is not None
        self._record("play", card=card_text(card))
        hand = int(hand_at(position, deal.contract.declarer))
        hands = [mask & ~(1 << card) if place == hand else mask for place, mask in enumerate(deal.hands)]
        self._set(phase=Phase.PLAY)
        self._set_deal(hands=tuple(hands), table=(*deal.table, card))
        if len(self._deal.table) < HANDS:
            return Played(player, position, card, None, None)
        trick = self._end_trick()
        score = self._end_deal() if len(self._deal.tricks) == HAND_SIZE else None
        return Played(player, position, card, trick, score)

    def _end_trick(self) -> Trick:
        deal = self._deal
        assert deal.contract is not None
        cards = np.zeros(HANDS, dtype=np.int64)
        for step, card in enumerate(deal.table):
            cards[(deal.leader + step) % HANDS] = 1 << card
        winner = int(trick_winner(cards, deal.leader, int(strain_of(deal.contract.bid))))
        trick = Trick(deal.leader, deal.table, winner)
        self._set_deal(tricks=(*deal.tricks, trick), table=(), leader=winner)
        return trick

    def _end_deal(self) -> Score:
        """Score a deal, change seats, pass the deal on or end the game (TO-12 .. TO-22)."""
        state, deal = self._state, self._deal
        contract = deal.contract
        assert contract is not None
        player, strain = deal.players[contract.declarer], int(strain_of(contract.bid))
        honours = [int(honours_in(hand, strain)) for hand in deal.dealt]
        our_honours = honours[contract.declarer] + honours[DUMMY]
        ledger, games = _array(state.ledger), _array(state.games)
        tricks = deal.declarer_tricks
        made = tricks >= int(tricks_needed(contract.bid))
        points = deal_score(
            contract.bid,
            contract.doubling,
            int(is_vulnerable(games, player)),
            tricks,
            our_honours,
            sum(honours) - our_honours,
            self._rules,
        )
        ours, theirs = int(points[0]), int(points[1])
        post(ledger, games, player, ours, theirs, made)
        active, waiting = _array(state.active), _array(state.waiting)
        over = bool(game_is_over(games))
        entered = None
        if not over:
            seat = state.active.index(player)
            newcomer = int(change_seats(active, waiting, games, seat, int(self.options.retiree_waits)))
            entered = None if newcomer == player else newcomer
        winner = int(overall_winner(ledger)) if over else NOBODY
        self._set(
            phase=Phase.GAME_OVER if over else Phase.DEAL,
            active=tuple(active.tolist()),
            waiting=tuple(waiting.tolist()),
            dealer=state.dealer if over else int(next_dealer(state.dealer)),
            ledger=tuple(ledger.tolist()),
            games=tuple(games.tolist()),
            played=state.played + 1,
            winner=None if winner == NOBODY else winner,
        )
        score = Score(contract, player, tricks, made, ours, theirs, entered)
        self._set_deal(score=score)
        return score

    # ------------------------------------------------------------------------------------------------- transcripts

    def apply(self, action: dict[str, Any]) -> object:
        """Take one JSON action, such as ``{"action": "play", "card": "JS"}``, and return its record.

        Raises:
            IllegalAction: the rules do not allow it now.
            TowerlabError: no such action, an argument of the wrong kind, or another player's turn.
        """
        return take_action(self, action, ACTIONS, _read_argument, lambda name: self.to_act)

    def transcript(self) -> Iterator[str]:
        """The game so far as JSON lines."""
        return transcript_lines(GAME, self.options, self._actions)

    @classmethod
    def from_transcript(cls, lines: Iterable[str]) -> Towie:
        """Replay a transcript to the same state.

        Raises:
            TranscriptError: the number of the line and what is wrong with it.
        """
        return replay(lines, GAME, TowieOptions, cls, lambda game, action: game.apply(action))

    # ----------------------------------------------------------------------------------------------------- helpers

    @property
    def _deal(self) -> DealState:
        assert self._state.deal is not None
        return self._state.deal

    def _auction(self) -> Ints:
        return auction_of(self._deal.calls)

    def _position(self) -> int:
        """The position whose card is due."""
        return (self._deal.leader + len(self._deal.table)) % HANDS

    def _demand_phase(self, action: str, rule: str, *phases: Phase) -> None:
        if self.phase not in phases:
            expected = " or ".join(phases)
            raise IllegalAction(f"{action} is not possible in phase {self.phase}; expected {expected}", rule)

    def _set(self, **changes: Any) -> None:
        self._state = dataclasses.replace(self._state, **changes)

    def _set_deal(self, **changes: Any) -> None:
        self._set(deal=dataclasses.replace(self._deal, **changes))

    def _record(self, action: str, **arguments: Any) -> None:
        """Write an action down; before it changes who is to act."""
        self._actions.append({"action": action, "player": self.to_act, **arguments})


def _four(masks: Ints) -> tuple[int, int, int, int]:
    return int(masks[0]), int(masks[1]), int(masks[2]), int(masks[3])


def _array(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def _read_argument(action: str, name: str, value: Any) -> Any:
    """An argument of a JSON action as the methods take it."""
    if name in ("pack", "cards"):
        cards = _read_cards(name, value)
        return cards if action == "deal" else cards_mask(cards)
    if name == "piles":
        if not isinstance(value, list):
            raise TowerlabError(f"piles is {value!r}; expected a list of four lists of cards")
        return [_read_cards("a pile", pile) for pile in value]
    kind, expected = (int, "a whole number") if name == "cut" else (str, "a text")
    if type(value) is not kind:
        raise TowerlabError(f"{name} is {value!r}; expected {expected}")
    parse: Callable[[Any], Any] = {"card": parse_card, "call": parse_call}.get(name, lambda given: given)
    return parse(value)


def _read_cards(name: str, value: Any) -> list[int]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TowerlabError(f"{name} is {value!r}; expected a list of cards")
    return [parse_card(item) for item in value]
