"""How does a fast player of Towie sit in the interactive engine? Its view becomes the state that kernels read.

>>> from towerlab.games.towie.engine import Towie
>>> game = Towie()
>>> random = np.random.default_rng(1)
>>> for _ in range(2):  # a deal, and six of dummy's cards
...     game.apply(game.chance(random))
>>> SeatedPlayer("novice", game.options).choose(game.view(game.to_act), random)["action"]
'call'
"""

import functools
from collections.abc import Iterator, Sequence

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import (
    card_text,
    card_texts,
    cards_mask,
    first_card,
    mask_cards,
    parse_card,
    to_play_order,
    trump_field,
)
from towerlab.games.jit import uncompiled
from towerlab.games.shuffling import shuffle_cards
from towerlab.games.towie.auction import call_text, make_call, start_auction
from towerlab.games.towie.dealing import DUMMY, EXPOSED, HAND_SIZE, HANDS, PACK_SIZE, hand_at, stack_piles
from towerlab.games.towie.engine import Towie
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract, Phase, View
from towerlab.games.transcript import Action
from towerlab.sim.batch import BatchRequest, Stream, make_constant
from towerlab.sim.towie.games import generators
from towerlab.sim.towie.pimc import Pimc
from towerlab.sim.towie.players import PIMC, PLAYERS, choose
from towerlab.sim.towie.state import (
    AUCTION,
    CARDS_IN_TRICK,
    DEALER_SEAT,
    FACED,
    GOULASHES,
    LEAD_POSITION,
    LED,
    PHASE,
    PLAY,
    WON,
    TowieState,
    new_state,
)
from towerlab.solver.double_dummy import Position, shared_solver


class SeatedPlayer:
    """A player of the simulator in a seat of the engine: it decides by the same kernels, from its view alone.

    Args:
        name: the name of the player, one of `PLAYERS`.
        options: the options of the rules.
    """

    def __init__(self, name: str, options: TowieOptions) -> None:
        self._kind = PLAYERS[name].kind
        self._options = options
        self._pimc = Pimc(options) if self._kind == PIMC else None

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """Return the record of its action."""
        if view.phase == Phase.CLAIM:
            return {"action": "consent" if is_fair(view) else "insist", "player": view.player}
        state = state_of(view, self._options)
        pimc = self._pimc
        fast = uncompiled(choose)
        chosen = int(fast(self._kind, state, random) if pimc is None else pimc.choose(state, random))
        if view.phase == Phase.AUCTION:
            return {"action": "call", "player": view.player, "call": call_text(chosen)}
        return {"action": "play", "player": view.player, "card": card_text(first_card(chosen))}


def tricks_to_come(hands: Sequence[int], contract: Contract, leader: int, plays: Sequence[int]) -> int:
    """Return declarer's and dummy's tricks with best play by all, the trick under way included.

    Args:
        hands: printed masks by hand, dummy's last.
        leader: the position that leads, or has led.
        plays: cards on the table, ids in order.
    """
    strain = contract.strain
    return shared_solver().tricks(
        Position(
            hands=tuple(
                int(to_play_order(hands[int(hand_at(position, contract.declarer))], strain, False))
                for position in range(HANDS)
            ),
            trumps=int(trump_field(strain)),
            leader=leader,
            trick=tuple(int(to_play_order(1 << card, strain, False)) for card in plays),
        )
    )


def is_fair(view: View) -> bool:
    """Return whether a claim leaves the answering side the tricks that best play gives it, all cards seen."""
    contract = view.contract
    assert contract is not None and view.caller is not None and view.leader is not None and view.dummy is not None
    assert view.claimed is not None and view.claimant is not None
    held = {view.claimant: view.shown[view.claimant], view.caller: view.hand, DUMMY: view.dummy}
    best = tricks_to_come([held.get(hand, view.unseen) for hand in range(HANDS)], contract, view.leader, view.plays)
    left = HAND_SIZE - len(view.tricks)
    declarers = view.claimed if view.claimant == contract.declarer else left - view.claimed
    return declarers >= best if view.caller == contract.declarer else declarers <= best


def state_of(view: View, options: TowieOptions) -> TowieState:
    """Return the state that kernels read from the view of the player on turn.

    Unseen cards are put into hands that may hold them, in an arbitrary order: the players look
    at those hands together, never apart.
    """
    state = new_state(options, options.n_players)
    now = state.now
    caller = view.caller
    assert caller is not None
    now[DEALER_SEAT] = view.dealer
    now[GOULASHES] = view.goulashes
    now[FACED] = view.exposed
    now[PHASE] = AUCTION if view.phase == Phase.AUCTION else PLAY
    state.active[:] = view.active
    state.ledger[:] = view.ledger
    state.games[:] = view.games
    state.waiting[:] = view.waiting
    start_auction(state.auction)
    for place, call in enumerate(view.calls):
        state.calls[place] = call
        make_call(state.auction, call)
    played = [0] * HANDS
    if view.contract is not None:
        assert view.leader is not None
        for leader, cards in [(trick.leader, trick.cards) for trick in view.tricks] + [(view.leader, view.plays)]:
            for step, card in enumerate(cards):
                played[int(hand_at((leader + step) % HANDS, view.contract.declarer))] |= 1 << card
        for step, card in enumerate(view.plays):
            state.trick[(view.leader + step) % HANDS] = 1 << card
        now[LEAD_POSITION] = view.leader
        now[CARDS_IN_TRICK] = len(view.plays)
        now[LED] = 1 << view.plays[0] if view.plays else 0
        now[WON] = sum(trick.winner % 2 == 0 for trick in view.tricks)
        for position, suits in enumerate(view.voids):
            state.voids[position] = sum(1 << suit for suit in suits)
    known = {place: played[place] | held for place, held in enumerate(view.shown) if held} | {caller: view.dealt}
    if view.dealt_dummy is not None:
        known[DUMMY] = view.dealt_dummy
    unseen = mask_cards(view.unseen)
    for hand in range(HANDS):
        dealt = known.get(hand)
        if dealt is None:
            dealt = played[hand] | (view.exposed if hand == DUMMY else 0)
            missing = HAND_SIZE - dealt.bit_count()
            dealt |= cards_mask(unseen[:missing])
            unseen = unseen[missing:]
        state.dealt[hand] = dealt
        state.hands[hand] = dealt & ~played[hand]
    assert not unseen and view.exposed.bit_count() == EXPOSED
    return state


def streams(request: BatchRequest) -> Iterator[Stream]:
    """Yield the random draws of each game of a batch in `simulate_games`; the engine has no limit of deals."""
    for cards, choices in generators(request.seed, request.first_unit, request.units, len(request.players)):
        chance = functools.partial(_next_cards, np.arange(PACK_SIZE, dtype=np.int64), cards)
        yield Stream(chance, make_constant(choices))


def _next_cards(pack: Ints, cards: np.random.Generator, game: Towie) -> Action:
    """Return the action of chance, drawn as in `sim.towie.state.deal_cards`; `pack` is left as it lay before a deal."""
    if game.phase == Phase.DEAL:
        shuffle_cards(pack, PACK_SIZE, cards)
        return {"action": "deal", "player": game.dealer, "pack": card_texts(pack.tolist())}
    action = game.chance(cards)
    if game.phase == Phase.GOULASH:
        piles = [[parse_card(card) for card in pile] for pile in action["piles"]]
        stack_piles(np.array(piles), action["cut"], pack)
    return action
