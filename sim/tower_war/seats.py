"""How do the fast players of Tower War sit in the interactive engine? Their view becomes the arrays that kernels read.

For example::

    towerlab play tower-war
"""

from collections.abc import Iterator

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.cards import DECK_54, card_text, card_texts, cards_mask, mask_cards, mask_text
from towerlab.games.engine import require
from towerlab.games.jit import uncompiled
from towerlab.games.tower_war import TowerWar, TowerWarOptions, rules
from towerlab.games.tower_war.records import ROUND_CARDS, Phase, View
from towerlab.games.tower_war.turns import BUILT, CARD, CERTAIN, DECK, DISCARD, HAND, PLAYED, SEAT_SIZE, SHOWN, SOURCE
from towerlab.games.transcript import Action
from towerlab.sim.batch import BatchRequest, Stream
from towerlab.sim.tower_war import players
from towerlab.sim.tower_war.war import MAX_HANDS, Setting, draw_hand, setting_of, shuffled_pack
from towerlab.solver.tower_war.battle import WAY_CARD, WAY_ROOM, WAY_SHOWN, WAY_SIZE
from towerlab.solver.tower_war.decks import search_deck
from towerlab.solver.tower_war.pimc import Battle


class SeatedPlayer:
    """A player of the simulator in a seat of the engine: it decides by the same kernels, from that seat's view alone.

    Args:
        name: the name of the player, one of `PLAYERS`.
        options: the options of the rules.
    """

    def __init__(self, name: str, options: TowerWarOptions) -> None:
        self._kind = players.PLAYERS[name]
        self._setting = setting_of(options)

    def choose(self, view: View, random: np.random.Generator) -> Action:
        """Return the record of the player's action."""
        return {"action": view.phase.lower(), "player": view.player, **self._arguments(view, random)}

    def _arguments(self, view: View, random: np.random.Generator) -> Action:
        setting = self._setting
        kind = self._kind
        seat = view.player
        if view.phase == Phase.SPLIT:
            return self._split(view, random)
        if view.phase == Phase.TAKE:
            offer = np.array([*view.offer[0], view.offer[1]], dtype=np.int64)
            pile = uncompiled(players.choose_pile)(
                kind.take, pools_of(view), seat, *view.piles, setting.draft, offer, random
            )  # fmt: skip
            return {"pile": int(pile)}
        if view.phase == Phase.BUILD:
            deck = players.choose_deck(kind.build, view.pools[seat] or 0, setting.draft, random)
            return {"cards": mask_text(int(deck)).split()}
        if view.phase == Phase.CAP:
            card = players.choose_cap(kind.row()[players.CAP], seats_of(view), seat, setting.draft.hand_values, random)
            return {"card": card_text(int(card))}
        return {} if view.phase == Phase.TAKE_BACK else self._battle(view, random)

    def _split(self, view: View, random: np.random.Generator) -> Action:
        setting = self._setting
        offer = np.zeros(4, dtype=np.int64)
        cards = np.array(mask_cards(view.face_up), dtype=np.int64)
        stash = np.array(view.third_stash, dtype=np.int64)
        pools = pools_of(view)
        draft = setting.draft
        pile = int(
            uncompiled(players.choose_split)(self._kind.split, pools, view.player, cards, draft, stash, random, offer)
        )
        piles = [mask_text(pile).split(), mask_text(view.face_up & ~pile).split()]
        more = {"pyramids": offer[:3].tolist(), "beside": int(offer[3])} if offer[:3].any() else {}
        return {"piles": piles, **more}

    def _battle(self, view: View, random: np.random.Generator) -> Action:
        """Return a card, or the size of a pyramid."""
        adds = view.phase == Phase.ADD
        if adds and view.top_size is not None:
            return {"size": rules.SIZE_LETTERS[view.top_size]}
        rows = seats_of(view)
        tower = tower_of(view)
        seat = view.player
        looks = self._kind.play == players.MODEL
        hands = draw_opponent_hands(view, rows, self._setting, random) if looks else np.zeros(0, dtype=np.int64)
        ways = np.zeros((WAY_ROOM, WAY_SIZE), dtype=np.int64)
        battle = Battle(rows, tower, view.leader)
        stakes = self._setting.stakes
        chosen = int(players.decide(self._kind.play, adds, battle, seat, hands, stakes, random, ways))
        if adds:
            return {"size": rules.SIZE_LETTERS[chosen]}
        place = int(rows[seat, PLAYED])
        return card_of(int(ways[chosen, WAY_CARD + place]), int(ways[chosen, WAY_SHOWN + place]))


def card_of(card: int, shown: int) -> Action:
    """Return a card as a record names it, a joker with the card it copies."""
    return {"card": card_text(card)} | ({} if card == shown else {"copies": card_text(shown)})


def draw_opponent_hands(view: View, rows: Array, setting: Setting, random: np.random.Generator) -> Array:
    """Return the other player's possible hands, `setting.worlds` hands of it (0: all): int64[hands].

    Arrays: rows int64[2, SEAT_SIZE].
    """
    opponent = 1 - view.player
    size = setting.draft.deck_size
    hands = np.zeros(MAX_HANDS, dtype=np.int64)
    pool = view.pools[opponent]
    own = view.pools[view.player]
    if pool is None:  # as in `war.play_games`
        pool = DECK_54 & ~(require(own) | 1 << require(view.base))
    guess = int(search_deck(pool, size, setting.draft.hand_values))
    return hands[: players.opponent_hands(rows, opponent, pool, size, guess, setting.worlds, random, hands)]


def pools_of(view: View) -> Array:
    """Return both pools, nothing where one is not remembered: int64[2]."""
    return np.array([pool or 0 for pool in view.pools], dtype=np.int64)


def seats_of(view: View) -> Array:
    """Return both seats, of the other's hand only the number of cards true: int64[2, SEAT_SIZE]."""
    rows = np.zeros((2, SEAT_SIZE), dtype=np.int64)
    for player in range(2):
        row = rows[player]
        row[CARD : CARD + rules.SKIRMISHES] = rules.NO_CARD
        row[SHOWN : SHOWN + rules.SKIRMISHES] = rules.NO_CARD
        row[DISCARD] = view.discards[player]
        row[BUILT] = view.built[player]
        row[PLAYED] = len(view.played[player])
        for place, (card, shown) in enumerate(zip(view.played[player], view.shown[player], strict=True)):
            row[CARD + place] = rules.NO_CARD if card is None else card
            row[SHOWN + place] = rules.NO_CARD if shown is None else shown
    rows[view.player, HAND], rows[view.player, DECK] = view.hand, view.draws
    theirs = mask_cards(view.opponent_cards)
    hand, deck = view.counts[1 - view.player]
    rows[1 - view.player, HAND] = cards_mask(theirs[:hand])
    rows[1 - view.player, DECK] = cards_mask(theirs[hand : hand + deck])
    # kernels look at the old discards alone, and whether there are any
    rows[:, CERTAIN] = rows[:, SOURCE] = view.reshuffled
    return rows


def tower_of(view: View) -> Array:
    """Return the tower and the stashes: int64[TOWER_SIZE]."""
    tower = np.zeros(rules.TOWER_SIZE, dtype=np.int64)
    tower[rules.LEVELS] = view.levels
    tower[rules.TOP_COUNT] = view.top_count
    tower[rules.TOP_SIZE] = rules.EMPTY if view.top_size is None else view.top_size
    for player in range(2):
        tower[rules.STASH + 3 * player : rules.STASH + 3 * player + 3] = view.stashes[player]
        tower[rules.PLACED + player] = view.placed[player]
    return tower


def streams(request: BatchRequest) -> Iterator[Stream]:
    """Yield the random draws of each game of a batch in `sim.tower_war.war.play_batch_of_games`."""
    random = np.random.default_rng(request.seed)
    for _ in range(request.units):
        draws = _Draws(random)
        yield Stream(draws.chance, draws.choices)
        if draws.game:
            draws.choices(draws.game)  # of what ended the war


class _Draws:
    """The draws of a game in `sim.tower_war.war`: the pack at once, both hands of a battle at once, player one's first,
    and a number for whatever is put on the tower or taken off, also where it cannot fall.
    """

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._pack = list[int]()
        self._hands = dict[int, Array]()
        self.game: TowerWar | None = None

    def choices(self, game: TowerWar) -> np.random.Generator:
        """Return the generator after unused draws."""
        self.game = game
        last = game.last_action if game.actions else {}
        if last.get("falls") is False and last["action"] != "fall":
            self._random.random()
        return self._random

    def chance(self, game: TowerWar) -> Action:
        """Return the action of chance."""
        random = self.choices(game)
        state = game.state()
        self._pack = self._pack or shuffled_pack(random).tolist()
        dealt = len(self._pack) - state.undealt.bit_count()
        if game.phase == Phase.DEAL:
            return {"action": "deal", "cards": card_texts(self._pack[dealt : dealt + ROUND_CARDS])}
        if game.phase == Phase.BASE:
            return {"action": "base", "card": card_text(self._pack[dealt])}
        if game.phase != Phase.DRAW:
            return game.chance(random)
        if not self._hands:
            rows = game.seats_array()
            self._hands = {player: draw_hand(rows, player, random) for player in range(2)}
        cards = [int(card) for card in self._hands.pop(state.player) if card != rules.NO_CARD]
        return {"action": "draw", "player": state.player, "cards": card_texts(cards)}
