"""How is Tower War driven, step by step? A draft, two decks and a war, every action checked, recorded and replayable.

>>> from towerlab.games.cards import cards_mask
>>> war = TowerWar(TowerWarOptions(deck_size=3))
>>> war.decks([cards_mask([0, 13, 26]), cards_mask([1, 14, 27])])
>>> war.phase, war.state().player
(<Phase.DRAW: 'DRAW'>, 0)
"""

import operator
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.cards import JOKER_1, card_text, card_texts, holds, mask_cards, mask_text
from towerlab.games.engine import (
    BOOLEAN,
    CARD,
    CARDS,
    INTEGER,
    INTEGERS,
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
from towerlab.games.errors import demand, quote_value
from towerlab.games.tower_war import records, rules, turns
from towerlab.games.tower_war.options import BASIC_STASH, TowerWarOptions
from towerlab.games.tower_war.records import GameState, Handling, Phase, Pyramids, View
from towerlab.games.tower_war.rules import NO_CARD, SKIRMISHES, profile_of
from towerlab.games.tower_war.turns import War
from towerlab.games.tower_war.view import view_of

GAME: Final = "tower-war"
_CHANCE: Final = (Phase.DEAL, Phase.BASE, Phase.DRAW, Phase.FALL)
_PHASES: Final = (Phase.DRAW, Phase.PLAY, Phase.ADD, Phase.TAKE_BACK, Phase.CAP, Phase.OVER)  # of the kernels


class TowerWar(Engine[TowerWarOptions, GameState]):
    """A game of Tower War; see `games.engine` for how it is driven.

    An action that may make the tower fall records whether it did (``falls``), or waits in phase FALL for chance.
    """

    GAME = GAME
    OPTIONS = TowerWarOptions
    ACTIONS = (
        *("decks", "deal", "split", "take", "base", "build"),
        *("draw", "play", "add", "adjust", "cap", "take-back", "fall"),
    )
    REASONS: ClassVar[Mapping[str, str]] = {
        "fall": "the tower fell",
        "stash": "the loser had no pyramid of a size that could be added",
        "short": "the loser had no card left",
        "battles": "as many battles as were agreed",
    }
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {
        "decks": list_reader(read_card_set, "two lists of cards"),
        "stashes": list_reader(INTEGERS, "two lists of whole numbers"),
        "piles": list_reader(read_card_set, "two lists of cards"),
        "pyramids": INTEGERS,
        **dict.fromkeys(("beside", "pile", "player"), INTEGER),
        "deal.cards": read_card_set,
        "build.cards": read_card_set,
        "draw.cards": CARDS,
        **dict.fromkeys(("card", "copies"), CARD),
        "size": scalar_reader(str, "L, M or S", rules.parse_size),
        "falls": BOOLEAN,
    }

    def __init__(self, options: TowerWarOptions | None = None) -> None:
        options = options or TowerWarOptions()
        self._hazard = options.hazard()
        self._limits = options.max_battles, options.tens_only, options.short_hand == "lose"
        super().__init__(
            options, GameState(third_stash=records.THIRD_STASH if options.advanced else records.NO_PYRAMIDS)
        )

    # ------------------------------------------------------------------------------------------------ state and views

    @property
    def to_act(self) -> int | None:
        """The player to act, while decks are built the first without a deck; None for chance and after the end."""
        return None if self.phase in (*_CHANCE, Phase.OVER) else self._state.player

    @property
    def result(self) -> Result | None:
        """The loser and why: a fall (TW-21a), the stash (TW-21b), no card (TW-9); or a draw by battles (TW-21)."""
        if self.phase != Phase.OVER:
            return None
        loser = self._state.loser
        scores = (0, 0) if loser is None else (loser, 1 - loser)
        return Result(() if loser is None else (1 - loser,), scores, self._state.reason)

    def _player_of(self, action: str) -> int | None:
        return self._state.player if self.phase in (Phase.DRAW, Phase.FALL) else self.to_act

    def _view(self, seat: int) -> View:
        return view_of(self._state, seat, self.to_act, self.options.recall == "perfect")

    def _choices(self, seat: int) -> Choices:
        state = self._state
        word = self.phase.lower()
        if self.phase == Phase.BUILD and not state.decks[seat]:
            pool = card_texts(mask_cards(state.pools[seat]))
            return Choices.of_subsets(
                pool, self._deck_size(seat), lambda cards: {"action": word, "player": seat, "cards": cards}
            )
        if seat != self.to_act:
            return Choices()
        if self.phase == Phase.SPLIT:
            return records.split_choices(seat, state.face_up, state.third_stash)
        adjusting = [{"action": "adjust", "player": seat}] * make_can(self.verify_adjust)()
        return Choices.of([*({"action": word, "player": seat, **rest} for rest in self._arguments(seat)), *adjusting])

    def _arguments(self, seat: int) -> list[Action]:
        """Return the arguments with which the action of this phase can be taken."""
        if self.phase == Phase.TAKE:
            return [{"pile": 0}, {"pile": 1}]
        if self.phase == Phase.PLAY:
            playable = mask_cards(int(turns.playable_cards(self.seats_array(), seat)))
            return [
                {"card": card_text(card)} | ({"copies": card_text(copy)} if card >= JOKER_1 else {})
                for card in playable
                for copy in self.copies(card)
            ]
        if self.phase == Phase.ADD:
            return [{"size": letter} for letter in self._addable()]
        if self.phase == Phase.CAP:
            own = int(turns.battle_cards(self.seats_array(), seat))
            return [{"card": card} for card in card_texts(mask_cards(own))]
        return [{}] if self.phase == Phase.TAKE_BACK else []

    def chance(self, rng: np.random.Generator) -> Action:
        """Five cards, the base, a hand, or whether the tower falls."""
        state = self._state
        if self.phase == Phase.DEAL:
            return {"action": "deal", "cards": card_texts(_sample(state.undealt, records.ROUND_CARDS, rng))}
        if self.phase == Phase.BASE:
            return {"action": "base", "card": card_text(_sample(state.undealt, 1, rng)[0])}
        if self.phase == Phase.DRAW:
            rows = self.seats_array()
            drawn = list[int]()
            while len(drawn) < turns.HAND_SIZE and (drawable := int(turns.drawable_cards(rows, state.player))):
                drawn += _sample(drawable, 1, rng)
                turns.draw_card(rows, state.player, drawn[-1])
            return {"action": "draw", "player": state.player, "cards": card_texts(drawn)}
        if state.handling is None:
            raise self._no_chance()
        falls = bool(rng.random() < self.fall_probability(state.handling.action, state.handling.size))
        return {"action": "fall", "player": state.player, "falls": falls}

    # ------------------------------------------------------------------------------------------------- the draft

    def verify_decks(self, decks: Sequence[int], stashes: Sequence[Pyramids] = (BASIC_STASH, BASIC_STASH)) -> None:
        """Check `decks`.

        Raises:
            IllegalAction: the draft has begun, or stashes that cannot be.
            CardError: a deck of the wrong size, or a card in both.
        """
        self._demand_phase("laying down decks", "TW-7", Phase.DEAL)
        demand(not self._lines, "decks can be laid down only instead of the draft; it has begun", "TW-7")
        records.check_decks(decks, stashes, self.options.deck_size)

    def decks(self, decks: Sequence[int], stashes: Sequence[Pyramids] = (BASIC_STASH, BASIC_STASH)) -> None:
        """Begin the war with these decks and stashes instead of a draft."""
        both = (decks[0], decks[1])
        held = (tuple(stashes[0]), tuple(stashes[1]))
        self._record("decks", decks=[mask_text(deck).split() for deck in both], stashes=[list(stash) for stash in held])
        self._set(pools=both, decks=both, stashes=held)
        self._start_war()

    def verify_deal(self, cards: int) -> None:
        """Check `deal`."""
        self._demand_phase("a deal", "TW-3", Phase.DEAL)
        fits = cards.bit_count() == records.ROUND_CARDS and not cards & ~self._state.undealt
        demand(fits, f"{_text(cards)} cannot be dealt; expected five cards still in the pack", "TW-3")

    def deal(self, cards: int) -> None:
        """Lay five cards face up (TW-3)."""
        self._set(
            face_up=cards,
            undealt=self._state.undealt & ~cards,
            phase=Phase.SPLIT,
            player=(self._state.round - 1) % 2,
        )
        self._record("deal", cards=mask_text(cards).split())

    def verify_split(
        self, piles: Sequence[int], pyramids: Sequence[int] = records.NO_PYRAMIDS, beside: int = 0
    ) -> None:
        """Check `split`."""
        self._demand_phase("a division", "TW-3", Phase.SPLIT)
        records.check_split(piles, pyramids, beside, self._state.face_up, self._state.third_stash)

    def split(self, piles: Sequence[int], pyramids: Sequence[int] = records.NO_PYRAMIDS, beside: int = 0) -> None:
        """Divide the five cards into two piles, with pyramids of the third stash for pile 0 or 1 (TW-3, TW-6)."""
        player = self._state.player
        both = (piles[0], piles[1])
        offer = tuple(pyramids)
        texts = [mask_text(part).split() for part in both]
        self._record("split", player=player, piles=texts, pyramids=list(offer), beside=beside)
        self._set(piles=both, offer=(offer, beside), phase=Phase.TAKE, player=1 - player)

    def verify_take(self, pile: int) -> None:
        """Check `take`."""
        self._demand_phase("taking a pile", "TW-3", Phase.TAKE)
        demand(pile in (0, 1), f"there is no pile {pile!r}; expected 0 or 1", "TW-3")

    def take(self, pile: int) -> None:
        """Take a pile with its pyramids; the splitter gets the other (TW-3, TW-6)."""
        state = self._state
        taker = self._state.player
        self._record("take", player=taker, pile=pile)
        pools = list(state.pools)
        stashes = list(state.stashes)
        pyramids, pyramid_pile = state.offer
        for player, part in ((taker, pile), (1 - taker, 1 - pile)):
            pools[player] |= state.piles[part]
        gainer = taker if pile == pyramid_pile else 1 - taker
        stashes[gainer] = tuple(map(operator.add, stashes[gainer], pyramids))
        drafted = state.round == records.ROUNDS
        self._set(
            pools=tuple(pools),
            stashes=tuple(stashes),
            third_stash=tuple(map(operator.sub, state.third_stash, pyramids)),
            face_up=0,
            piles=(0, 0),
            offer=(records.NO_PYRAMIDS, 0),
            round=state.round + 1,
            phase=Phase.BASE if drafted else Phase.DEAL,
            player=0 if drafted else state.round % 2,
        )

    def verify_base(self, card: int) -> None:
        """Check `base`."""
        self._demand_phase("laying the base", "TW-5", Phase.BASE)
        last = holds(self._state.undealt, card)
        demand(last, f"{card_text(card)} is not among the last four cards of the pack", "TW-5")

    def base(self, card: int) -> None:
        """One of the last four cards is the base of the tower (TW-5)."""
        self._record("base", card=card_text(card))
        self._set(base=card, phase=Phase.BUILD, player=0)

    def verify_build(self, player: int, cards: int) -> None:
        """Check `build`."""
        self._demand_phase("building a deck", "TW-7", Phase.BUILD)
        may = player in (0, 1) and not self._state.decks[player]
        demand(may, f"player {player} cannot build a deck now; expected {self._state.player}", "TW-7")
        strange = cards & ~self._state.pools[player]
        demand(not strange, f"{_text(strange)} was not drafted by player {player}", "TW-7")
        size = self._deck_size(player)
        demand(cards.bit_count() == size, f"a deck of {cards.bit_count()} cards; expected {size}", "TW-7")

    def build(self, player: int, cards: int) -> None:
        """Choose a deck out of one's pool, in either order and hidden from the other (TW-7)."""
        decks = list(self._state.decks)
        unused = list(self._state.unused)
        decks[player], unused[player] = cards, self._state.pools[player] & ~cards
        self._record("build", player=player, cards=mask_text(cards).split())
        self._set(decks=tuple(decks), unused=tuple(unused), player=1 - player)
        if all(decks):
            self._start_war()

    def _deck_size(self, player: int) -> int:
        return min(self.options.deck_size, self._state.pools[player].bit_count())

    # ----------------------------------------------------------------------------------------------- the battles

    def verify_draw(self, cards: Sequence[int]) -> None:
        """Check `draw`."""
        self._demand_phase("drawing", "TW-9", Phase.DRAW)
        trial = self.seats_array()
        player = self._state.player
        for card in cards:
            drawable = holds(int(turns.drawable_cards(trial, player)), card) and len(cards) <= turns.HAND_SIZE
            demand(drawable, f"{card_text(card)} cannot be drawn by player {player} now", "TW-9")
            turns.draw_card(trial, player, card)
        short = len(cards) < turns.HAND_SIZE and turns.drawable_cards(trial, player)
        demand(not short, f"player {player} drew {len(cards)} cards; expected three", "TW-9")

    def draw(self, cards: Sequence[int]) -> None:
        """Draw three cards one at a time; an empty deck is refilled from the discards (TW-9)."""
        war = self._war()
        player = self._state.player
        turns.start_drawing(war.seats, player)
        for card in cards:
            turns.draw_card(war.seats, player, card)
        self._record("draw", player=player, cards=card_texts(cards))
        turns.after_draw(war)
        self._keep(war)

    def verify_play(self, card: int, copies: int | None = None) -> None:
        """Check `play`."""
        self._demand_phase("playing a card", "TW-10", Phase.PLAY)
        player = self._state.player
        rows = self.seats_array()
        held = holds(int(rows[player, turns.HAND]), card)
        demand(held, f"player {player} does not hold {card_text(card)}", "TW-10")
        first = not holds(int(turns.playable_cards(rows, player)), card)
        demand(not first, "a joker cannot be the first card of a battle", "TW-13")
        wanted = "a card" if copies is None else card_text(copies)
        expected = " or ".join(card_texts(self.copies(card)))
        fits = self._shown(card, copies) in self.copies(card)
        demand(fits, f"{card_text(card)} cannot be played as {wanted}; expected {expected}", "TW-13")

    def play(self, card: int, copies: int | None = None) -> None:
        """Play a card, a joker as the earlier card `copies` of the same player (TW-10, TW-13)."""
        war = self._war()
        as_played = self._shown(card, copies)
        copied = None if card < JOKER_1 else card_text(as_played)
        self._record("play", player=self._state.player, card=card_text(card), copies=copied)
        turns.play(war, card, as_played)
        self._keep(war)

    def verify_add(self, size: int, falls: bool | None = None) -> None:
        """Check `add`."""
        self._demand_phase("adding a pyramid", "TW-15", Phase.ADD)
        fit = self._addable()
        name = rules.SIZE_LETTERS[size] if size in range(3) else quote_value(size)
        player = self._state.player
        demand(name in fit, f"player {player} cannot add size {name}; expected {' or '.join(fit)}", "TW-15")
        self._verify_fall(falls, Handling(rules.PLACE, size))

    def add(self, size: int, falls: bool | None = None) -> None:
        """Put a pyramid on the top level; it may fall (TW-15, TW-17, TW-21)."""
        self._handle(Handling(rules.PLACE, size), falls, "add", size=rules.SIZE_LETTERS[size])

    def _addable(self) -> list[str]:
        """Return the letters of the sizes that can be added."""
        sizes = int(rules.addable_sizes(self.tower_array(), self._state.player))
        return [letter for bit, letter in enumerate(rules.SIZE_LETTERS) if sizes >> bit & 1]

    def verify_adjust(self, falls: bool | None = None) -> None:
        """Check `adjust`."""
        self._demand_phase("adjusting", "TW-20", Phase.ADD, Phase.CAP)
        demand(self.options.steady < 1, "adjusting makes nothing steadier with steady=1; expected less", "TW-20")
        may = self._state.tower[rules.TOP_COUNT] and not self._state.adjusted
        demand(bool(may), "nothing on top is still to be adjusted; expected a pyramid or a card to be added", "TW-20")
        self._verify_fall(falls, self._on_top(rules.ADJUST))

    def adjust(self, falls: bool | None = None) -> None:
        """Straighten the top level before adding a pyramid or a card: it may fall, or become steadier.

        The model: each adds the hazard `alpha_adjust`; the hazard of the next addition is multiplied by `steady`.
        """
        self._handle(self._on_top(rules.ADJUST), falls, "adjust")

    def verify_cap(self, card: int, falls: bool | None = None) -> None:
        """Check `cap`."""
        self._demand_phase("stacking a card", "TW-17", Phase.CAP)
        own = int(turns.battle_cards(self.seats_array(), self._state.player))
        demand(holds(own, card), f"{card_text(card)} cannot be stacked; expected one of {mask_text(own)}", "TW-17")
        self._verify_fall(falls, self._on_top(rules.STACK, card))

    def cap(self, card: int, falls: bool | None = None) -> None:
        """The loser of the battle stacks one of the own cards of this battle on the full level (TW-17)."""
        self._handle(self._on_top(rules.STACK, card), falls, "cap", card=card_text(card))

    def verify_take_back(self, falls: bool | None = None) -> None:
        """Check `take_back`."""
        self._demand_phase("taking a pyramid back", "TW-18", Phase.TAKE_BACK)
        self._verify_fall(falls, self._on_top(rules.REMOVE))

    def take_back(self, falls: bool | None = None) -> None:
        """After equal totals take one own pyramid back: the leader all of them first, then the other (TW-18)."""
        self._handle(self._on_top(rules.REMOVE), falls, "take-back")

    def verify_fall(self, falls: bool) -> None:
        """Check `fall`."""
        self._demand_phase("a fall", "TW-21", Phase.FALL)

    def fall(self, falls: bool) -> None:
        """Let the tower fall or stand after the last action on it (TW-21)."""
        done = require(self._state.handling)
        self._record("fall", player=self._state.player, falls=falls)
        self._finish(done, falls)

    # ------------------------------------------------------------------------------------------- looking at it

    def seats_array(self) -> Array:
        """Return the players' cards as the kernels of `games.tower_war.turns` take them; a fresh array."""
        return np.array(self._state.cards, np.int64)

    def tower_array(self) -> Array:
        """Return the tower as the kernels of `games.tower_war.rules` take it; a fresh array."""
        return np.array(self._state.tower, np.int64)

    def profile(self, player: int) -> Array:
        """Return values, ranks, doubles and the total of a player's cards in this battle."""
        return profile_of(list(self._state.cards[player][turns.SHOWN : turns.SHOWN + SKIRMISHES]))

    def fall_probability(self, action: int, size: int) -> float:
        """Chance that the acting player's next pyramid (or card) makes the tower fall."""
        state = self._state
        hazard = self._hazard.copy()
        if action == rules.ADJUST:
            action = rules.PLACE
            pyramids = state.tower[rules.TOP_COUNT]
            hazard[rules.ALPHA + action] = self.options.alpha_adjust * pyramids
        elif state.adjusted:
            hazard[rules.KAPPA : rules.ALPHA] *= self.options.steady
        return float(rules.fall_probability(hazard, state.player, action, size, state.tower[rules.LEVELS]))

    def copies(self, card: int) -> list[int]:
        """Return the cards that a card can stand for: a joker for the player's earlier cards, others for themselves."""
        if card < JOKER_1:
            return [card]
        row = self._state.cards[self._state.player]
        return sorted({card for card in row[turns.SHOWN : turns.SHOWN + row[turns.PLAYED]] if card != NO_CARD})

    # ---------------------------------------------------------------------------------------- hazards of a fall

    def _verify_fall(self, falls: bool | None, handling: Handling) -> None:
        can_fall = not falls or self.fall_probability(handling.action, handling.size) > 0
        demand(can_fall, "the tower cannot fall with these options; expected falls=false", "TW-21")

    def _on_top(self, action: int, card: int = NO_CARD) -> Handling:
        return Handling(action, self._state.tower[rules.TOP_SIZE], card)

    def _handle(self, handling: Handling, falls: bool | None, word: str, **details: str) -> None:
        """Do something to the tower; where `falls` is None chance decides next."""
        if falls is None and self.fall_probability(handling.action, handling.size) == 0:
            falls = False
        self._record(word, player=self._state.player, **details, falls=falls)
        if falls is None:
            self._set(phase=Phase.FALL, handling=handling)
        else:
            self._finish(handling, falls)

    def _finish(self, handling: Handling, falls: bool) -> None:
        war = self._war()
        action = handling.action
        self._set(handling=None, adjusted=action == rules.ADJUST)
        if action == rules.ADJUST:
            full = war.tower[rules.TOP_COUNT] == rules.LEVEL_PYRAMIDS
            war.turn[turns.PHASE] = turns.CAPPING if full else turns.ADDING
        else:
            turns.handle(war, action, handling.size, handling.card)
        if falls:
            turns.end_war(war.turn, self._state.player, turns.BY_FALL)
        elif action != rules.ADJUST:
            turns.after_handling(war, action)
        self._keep(war)

    # ------------------------------------------------------------------------------------------ the war of the kernels

    def _war(self) -> War:
        state = self._state
        turn = [turns.NO_LOSER, turns.NO_REASON, state.battle, state.leader, turns.OVER, state.player, 0]
        profiles = np.array([self.profile(0), self.profile(1)])
        return War(self.seats_array(), self.tower_array(), np.array(turn, np.int64), profiles, *self._limits)

    def _start_war(self) -> None:
        rows = turns.new_seats(*self._state.decks)
        pyramids = rules.new_tower(*self._state.stashes)
        self._keep(turns.start_war(rows, pyramids, *self._limits))

    def _keep(self, war: War) -> None:
        """Store the arrays that kernels have changed."""
        loser, reason, battle, leader, phase, player, _ = war.turn.tolist()
        self._set(
            cards=tuple(map(tuple, war.seats.tolist())),
            tower=tuple(war.tower.tolist()),
            phase=_PHASES[phase],
            player=player,
            leader=leader,
            battle=battle,
            loser=None if loser == turns.NO_LOSER else loser,
            reason="" if reason == turns.NO_REASON else turns.REASONS[reason],
        )

    def _shown(self, card: int, copies: int | None) -> int:
        """Return the card that one is played as: the one named, itself, or the only card a joker can copy."""
        if copies is not None:
            return copies
        known = self.copies(card)
        return known[0] if len(known) == 1 else NO_CARD


def _sample(mask: int, count: int, rng: np.random.Generator) -> list[int]:
    return [int(card) for card in rng.choice(mask_cards(mask), count, replace=False)]


def _text(cards: int) -> str:
    return mask_text(cards) or "nothing"
