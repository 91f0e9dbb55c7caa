"""The interactive game: a draft, two decks and a war, every action checked, recorded and replayable.

>>> war = TowerWar.war_between(cards_mask([0, 13, 26]), cards_mask([1, 14, 27]), TowerWarOptions(deck_size=3))
>>> war.phase, war.player
('draw', 0)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from games.cards import (
    DECK_54,
    JOKER_1,
    card_text,
    cards_mask,
    mask_cards,
    mask_text,
    parse_card,
)
from games.errors import CardError, IllegalAction, TowerlabError
from games.tower_war import draft, seats, tower
from games.tower_war.battle import (
    DOUBLE,
    NO_CARD,
    NOBODY,
    PROFILE_SIZE,
    SKIRMISHES,
    VALUE,
    Array,
    battle_loser,
    skirmish_adder,
    skirmish_winner,
)
from games.tower_war.options import BASIC_STASH, TowerWarOptions
from games.tower_war.records import (
    Added,
    BaseLaid,
    Built,
    Capped,
    Dealt,
    Drawn,
    Played,
    Split,
    Taken,
    TakenBack,
    WarResult,
)
from games.transcript import Action, replay, transcript_lines

GAME = "tower-war"
# Phases in the order of the game; deal, base and draw are chance's.
DEAL, SPLIT, TAKE, BASE, BUILD, DRAW, PLAY, ADD, CAP, TAKE_BACK, OVER = (
    "deal",
    "split",
    "take",
    "base",
    "build",
    "draw",
    "play",
    "add",
    "cap",
    "take-back",
    "over",
)


class TowerWar:
    """A game of Tower War.

    Each action is a triple `can_x / verify_x / x`: the first answers, the second raises `IllegalAction` with the rule
    that forbids it, the third acts and returns a record. Chance (deals, draws, falls) is told by the caller, or
    sampled when the game was given a random generator.

    Attributes:
        phase: what has to happen next, one of the phases above.
        player: who has to act; in `build` the first who has not built yet.
        pools, unused: card masks [2], drafted and left out of the decks.
        stashes, tower, seats: arrays of games/tower_war/tower.py and games/tower_war/seats.py.
        battle: number of the running battle, from 1.
        leader: who leads it.
        result: None until the war is over.
        actions: everything that happened, as JSON.
    """

    def __init__(self, options: TowerWarOptions | None = None, rng: np.random.Generator | None = None) -> None:
        self.options = options or TowerWarOptions()
        self.rng = rng
        self.phase = DEAL
        self.player = 0
        self.round = 1
        self.undealt = DECK_54
        self.face_up = 0
        self.piles = (0, 0)
        self.offer: tuple[tuple[int, ...], int] = (draft.NO_PYRAMIDS, 0)
        self.third_stash: tuple[int, ...] = draft.THIRD_STASH if self.options.advanced else draft.NO_PYRAMIDS
        self.stashes: list[tuple[int, ...]] = [BASIC_STASH, BASIC_STASH]
        self.pools = [0, 0]
        self.decks = [0, 0]
        self.unused = [0, 0]
        self.base: int | None = None
        self.battle = 0
        self.leader = 1  # the first battle turns it to player one (TW-8)
        self.tower = tower.new_tower(*self.stashes)
        self.seats = seats.new_seats(0, 0)
        self.result: WarResult | None = None
        self.actions: list[Action] = []
        self._hazard = self.options.hazard()

    @classmethod
    def war_between(
        cls,
        deck_one: int,
        deck_two: int,
        options: TowerWarOptions | None = None,
        rng: np.random.Generator | None = None,
        stashes: tuple[tuple[int, ...], tuple[int, ...]] = (BASIC_STASH, BASIC_STASH),
    ) -> TowerWar:
        """A game whose draft and deck building are done.

        Raises:
            CardError: a deck of the wrong size, or a card in both.
        """
        game = cls(options, rng)
        for name, deck in (("one", deck_one), ("two", deck_two)):
            if not 1 <= deck.bit_count() <= game.options.deck_size:
                size = game.options.deck_size
                raise CardError(f"deck {name} has {deck.bit_count()} cards; expected 1 to {size} (TW-7)")
        if deck_one & deck_two:
            raise CardError(f"{mask_text(deck_one & deck_two)} is in both decks; expected every card once (TW-1)")
        game.decks = game.pools = [deck_one, deck_two]
        game.stashes = [stashes[0], stashes[1]]
        decks = [mask_text(deck).split() for deck in game.decks]
        game._record("decks", decks=decks, stashes=[list(stash) for stash in stashes])
        game._start_war()
        return game

    # ------------------------------------------------------------------------------------------------- the draft

    def can_deal(self, cards: int | None = None) -> bool:
        return _is_legal(self.verify_deal, cards)

    def verify_deal(self, cards: int | None = None) -> None:
        self._verify_phase(DEAL, "TW-3")
        if cards is not None and (cards.bit_count() != draft.ROUND_CARDS or cards & ~self.undealt):
            raise IllegalAction(f"{mask_text(cards)} cannot be dealt; expected five cards still in the pack", "TW-3")

    def deal(self, cards: int | None = None) -> Dealt:
        """Lay five cards face up (TW-3)."""
        self.verify_deal(cards)
        self.face_up = cards_mask(self._sample(self.undealt, draft.ROUND_CARDS)) if cards is None else cards
        self.undealt &= ~self.face_up
        self.phase, self.player = SPLIT, (self.round - 1) % 2
        self._record(DEAL, cards=mask_text(self.face_up).split())
        return Dealt(self.face_up)

    def can_split(self, pile: int, pyramids: tuple[int, ...] = draft.NO_PYRAMIDS, beside: int = 0) -> bool:
        return _is_legal(self.verify_split, pile, pyramids, beside)

    def verify_split(self, pile: int, pyramids: tuple[int, ...] = draft.NO_PYRAMIDS, beside: int = 0) -> None:
        self._verify_phase(SPLIT, "TW-3")
        if not pile or pile == self.face_up or pile & ~self.face_up:
            raise IllegalAction(
                f"{mask_text(pile) or 'nothing'} is no pile; expected one to four of the five cards", "TW-3"
            )
        if any(pyramids) and not self.options.advanced:
            raise IllegalAction("pyramids are drafted in the advanced game only; expected none", "TW-6")
        if not all(0 <= count <= left for count, left in zip(pyramids, self.third_stash, strict=True)):
            raise IllegalAction(f"pyramids {pyramids} are not in the third stash of {self.third_stash}", "TW-6")
        if beside not in (0, 1):
            raise IllegalAction(f"there is no pile {beside!r} for the pyramids; expected 0 or 1", "TW-6")

    def split(self, pile: int, pyramids: tuple[int, ...] = draft.NO_PYRAMIDS, beside: int = 0) -> Split:
        """Divide the five cards into `pile` and the rest, with pyramids of the third stash beside pile 0 or 1."""
        self.verify_split(pile, pyramids, beside)
        self.piles = (pile, self.face_up & ~pile)
        self.offer = (pyramids, beside)
        record = Split(self.player, self.piles, pyramids, beside)
        texts = [mask_text(part).split() for part in self.piles]
        self._record(SPLIT, player=self.player, piles=texts, pyramids=list(pyramids), beside=beside)
        self.phase, self.player = TAKE, 1 - self.player
        return record

    def can_take(self, pile: int) -> bool:
        return _is_legal(self.verify_take, pile)

    def verify_take(self, pile: int) -> None:
        self._verify_phase(TAKE, "TW-3")
        if pile not in (0, 1):
            raise IllegalAction(f"there is no pile {pile!r}; expected 0 or 1", "TW-3")

    def take(self, pile: int) -> Taken:
        """Take a pile and what lies beside it; the splitter gets the other (TW-3, TW-6)."""
        self.verify_take(pile)
        taker = self.player
        self._record(TAKE, player=taker, pile=pile)
        for player, part in ((taker, pile), (1 - taker, 1 - pile)):
            self.pools[player] |= self.piles[part]
            pyramids, beside = self.offer
            if part == beside:
                self.stashes[player] = _plus(self.stashes[player], pyramids, 1)
                self.third_stash = _plus(self.third_stash, pyramids, -1)
        self.face_up = 0
        self.round += 1
        self.phase, self.player = (DEAL, (self.round - 1) % 2) if self.round <= draft.ROUNDS else (BASE, 0)
        return Taken(taker, pile)

    def can_lay_base(self, card: int | None = None) -> bool:
        return _is_legal(self.verify_lay_base, card)

    def verify_lay_base(self, card: int | None = None) -> None:
        self._verify_phase(BASE, "TW-5")
        if card is not None and not self.undealt >> card & 1:
            raise IllegalAction(f"{card_text(card)} is not among the last four cards of the pack", "TW-5")

    def lay_base(self, card: int | None = None) -> BaseLaid:
        """One of the last four cards is the base of the tower (TW-5)."""
        self.verify_lay_base(card)
        self.base = self._sample(self.undealt, 1)[0] if card is None else card
        self._record(BASE, card=card_text(self.base))
        self.phase, self.player = BUILD, 0
        return BaseLaid(self.base)

    def can_build(self, player: int, deck: int) -> bool:
        return _is_legal(self.verify_build, player, deck)

    def verify_build(self, player: int, deck: int) -> None:
        self._verify_phase(BUILD, "TW-7")
        if player not in (0, 1) or self.decks[player]:
            raise IllegalAction(f"player {player} cannot build a deck now; expected {self.player}", "TW-7")
        size = min(self.options.deck_size, self.pools[player].bit_count())
        if deck & ~self.pools[player]:
            raise IllegalAction(f"{mask_text(deck & ~self.pools[player])} was not drafted by player {player}", "TW-7")
        if deck.bit_count() != size:
            raise IllegalAction(f"a deck of {deck.bit_count()} cards; expected {size}", "TW-7")

    def build(self, player: int, deck: int) -> Built:
        """Choose a deck out of one's pool, in either order and hidden from the other (TW-7)."""
        self.verify_build(player, deck)
        self.decks[player] = deck
        self.unused[player] = self.pools[player] & ~deck
        self._record(BUILD, player=player, cards=mask_text(deck).split())
        self.player = 1 - player
        if all(self.decks):
            self._start_war()
        return Built(player, deck)

    # ----------------------------------------------------------------------------------------------- the battles

    def can_draw(self, cards: Iterable[int] | None = None) -> bool:
        return _is_legal(self.verify_draw, cards)

    def verify_draw(self, cards: Iterable[int] | None = None) -> None:
        self._verify_phase(DRAW, "TW-9")
        if cards is None:
            return
        trial = self.seats.copy()
        drawn = list(cards)
        for card in drawn:
            if not int(seats.drawable_cards(trial, self.player)) >> card & 1 or len(drawn) > seats.HAND_SIZE:
                raise IllegalAction(f"{card_text(card)} cannot be drawn by player {self.player} now", "TW-9")
            seats.draw_card(trial, self.player, card)
        if len(drawn) < seats.HAND_SIZE and seats.drawable_cards(trial, self.player):
            raise IllegalAction(f"player {self.player} drew {len(drawn)} cards; expected three", "TW-9")

    def draw(self, cards: Iterable[int] | None = None) -> Drawn:
        """Draw three cards one at a time; an empty deck is made anew from the discards (TW-9)."""
        chosen = None if cards is None else list(cards)
        self.verify_draw(chosen)
        player = self.player
        seats.start_drawing(self.seats, player)
        piled = int(self.seats[player, seats.DISCARD])
        drawn: list[int] = []
        for place in range(seats.HAND_SIZE):
            drawable = int(seats.drawable_cards(self.seats, player))
            if not drawable:
                break
            drawn.append(self._sample(drawable, 1)[0] if chosen is None else chosen[place])
            seats.draw_card(self.seats, player, drawn[-1])
        self._record(DRAW, player=player, cards=[card_text(card) for card in drawn])
        shuffled = piled != int(self.seats[player, seats.DISCARD])
        if len(drawn) < seats.HAND_SIZE and self.options.short_hand == "lose":
            self._end(player, "short")
        elif player == self.leader:
            self.player = 1 - player
        else:
            self._next_turn(self.leader)
        return Drawn(player, tuple(drawn), shuffled)

    def can_play(self, card: int, shown: int | None = None) -> bool:
        return _is_legal(self.verify_play, card, shown)

    def verify_play(self, card: int, shown: int | None = None) -> None:
        self._verify_phase(PLAY, "TW-10")
        if not int(self.seats[self.player, seats.HAND]) >> card & 1:
            raise IllegalAction(f"player {self.player} does not hold {card_text(card)}", "TW-10")
        if not int(seats.playable_cards(self.seats, self.player)) >> card & 1:
            raise IllegalAction("a joker cannot be the first card of a battle", "TW-13")
        if not seats.can_show(self.seats, self.player, card, self._shown(card, shown)):
            wanted = "a card" if shown is None else card_text(shown)
            raise IllegalAction(
                f"{card_text(card)} cannot be played as {wanted}; expected {self._copies(card)}", "TW-13"
            )

    def play(self, card: int, shown: int | None = None) -> Played:
        """Play a card, a joker as the earlier card `shown` of the same player (TW-10, TW-13)."""
        self.verify_play(card, shown)
        player, as_played = self.player, self._shown(card, shown)
        copies = {} if card < JOKER_1 else {"copies": card_text(as_played)}
        self._record(PLAY, player=player, card=card_text(card), **copies)
        k = int(self.seats[player, seats.PLAYED])
        seats.play_card(self.seats, player, card, as_played)
        profile = self.profile(player)
        value, is_double = int(profile[VALUE + k]), bool(profile[DOUBLE + k])
        if player == self.leader:
            self._next_turn(1 - player)
            return Played(player, card, as_played, value, is_double)
        winner, adder = self._skirmish(k)
        self._end_skirmish()
        return Played(player, card, as_played, value, is_double, True, winner, adder)

    def can_add(self, size: int, falls: bool | None = None) -> bool:
        return _is_legal(self.verify_add, size, falls)

    def verify_add(self, size: int, falls: bool | None = None) -> None:
        self._verify_phase(ADD, "TW-15")
        sizes = int(tower.addable_sizes(self.tower, self.player))
        if size not in (0, 1, 2) or not sizes >> size & 1:
            names = " or ".join(letter for bit, letter in enumerate(tower.SIZE_LETTERS) if sizes >> bit & 1)
            raise IllegalAction(f"player {self.player} cannot add size {_size_text(size)}; expected {names}", "TW-15")
        self._verify_fall(falls, tower.PLACE, size)

    def add(self, size: int, falls: bool | None = None) -> Added:
        """Put a pyramid on the top level; it may fall (TW-15, TW-17, TW-21)."""
        self.verify_add(size, falls)
        player = self.player
        fell = self._falls(falls, tower.PLACE, size)
        self._record(ADD, player=player, size=tower.SIZE_LETTERS[size], falls=fell)
        tower.add_pyramid(self.tower, player, size)
        if fell:
            self._end(player, "fall")
        elif self._skirmishes_played() < SKIRMISHES:
            self._next_turn(self.leader)
        else:
            self._finish_battle()
        return Added(player, size, fell)

    def can_cap(self, card: int, falls: bool | None = None) -> bool:
        return _is_legal(self.verify_cap, card, falls)

    def verify_cap(self, card: int, falls: bool | None = None) -> None:
        self._verify_phase(CAP, "TW-17")
        own = int(seats.battle_cards(self.seats, self.player))
        if not own >> card & 1:
            raise IllegalAction(f"{card_text(card)} cannot be stacked; expected one of {mask_text(own)}", "TW-17")
        self._verify_fall(falls, tower.STACK, int(self.tower[tower.TOP_SIZE]))

    def cap(self, card: int, falls: bool | None = None) -> Capped:
        """The loser of the battle stacks one of his cards of this battle on the full level (TW-17)."""
        self.verify_cap(card, falls)
        player = self.player
        fell = self._falls(falls, tower.STACK, int(self.tower[tower.TOP_SIZE]))
        self._record(CAP, player=player, card=card_text(card), falls=fell)
        tower.stack_card(self.tower)
        seats.clear_battle(self.seats, player, card)
        if fell:
            self._end(player, "fall")
        else:
            self._start_battle()
        return Capped(player, card, fell)

    def can_take_back(self, falls: bool | None = None) -> bool:
        return _is_legal(self.verify_take_back, falls)

    def verify_take_back(self, falls: bool | None = None) -> None:
        self._verify_phase(TAKE_BACK, "TW-18")
        self._verify_fall(falls, tower.REMOVE, int(self.tower[tower.TOP_SIZE]))

    def take_back(self, falls: bool | None = None) -> TakenBack:
        """After equal totals take one own pyramid back: the leader all of his first, then the other (TW-18)."""
        self.verify_take_back(falls)
        player = self.player
        fell = self._falls(falls, tower.REMOVE, int(self.tower[tower.TOP_SIZE]))
        self._record(TAKE_BACK, player=player, falls=fell)
        tower.take_pyramid_back(self.tower, player)
        if fell:
            self._end(player, "fall")
        else:
            self._finish_battle()
        return TakenBack(player, fell)

    # ------------------------------------------------------------------------------------------- looking at it

    def profile(self, player: int) -> Array:
        """Values, ranks, doubles and the total of what a player has played in this battle."""
        profile = np.zeros(PROFILE_SIZE, np.int64)
        seats.profile_seat(self.seats, player, profile)
        return profile

    def fall_probability(self, action: int, size: int) -> float:
        """Chance that the acting player's next pyramid (or card) makes the tower fall (RULES 2.4)."""
        return float(tower.fall_probability(self._hazard, self.player, action, size, int(self.tower[tower.LEVELS])))

    def copies(self, card: int) -> list[int]:
        """What a card of the acting player can be played as: a joker as his earlier cards, others as themselves."""
        if card < JOKER_1:
            return [card]
        earlier = self.seats[self.player, seats.SHOWN : seats.SHOWN + int(self.seats[self.player, seats.PLAYED])]
        return sorted({int(shown) for shown in earlier if shown != NO_CARD})

    def transcript(self) -> Iterator[str]:
        """The lines of this game's transcript (games/transcript.py)."""
        return transcript_lines(GAME, self.options, map(json.dumps, self.actions))

    @classmethod
    def from_transcript(cls, lines: Iterable[str]) -> TowerWar:
        """Play a transcript again.

        Raises:
            TranscriptError: the number of the line and what is wrong with it.
        """
        return replay(lines, GAME, TowerWarOptions, cls, cls.apply)

    def apply(self, action: Action) -> object:
        """Take an action as the transcript writes it.

        Raises:
            TowerlabError: an unknown or illegal action.
        """
        kind = action["action"]
        if kind == "decks":
            stash_one, stash_two = (tuple(stash) for stash in action["stashes"])
            deck_one, deck_two = (_mask(deck) for deck in action["decks"])
            begun = TowerWar.war_between(deck_one, deck_two, self.options, self.rng, (stash_one, stash_two))
            self.__dict__.update(begun.__dict__)
            return None
        if kind not in _READERS:
            raise TowerlabError(f"unknown action {kind!r}; expected one of {', '.join(_READERS)}")
        if kind != BUILD and action.get("player", self.player) != self.player:
            raise IllegalAction(f"player {action['player']} cannot {kind} now; expected {self.player}", "TW-10")
        return _READERS[kind](self, action)

    # ------------------------------------------------------------------------------------- the course of a war

    def _start_war(self) -> None:
        self.tower = tower.new_tower(*self.stashes)
        self.seats = seats.new_seats(*self.decks)
        self._start_battle()

    def _start_battle(self) -> None:
        if self.battle == self.options.max_battles:
            self._end(None, "battles")
            return
        self.battle += 1
        self.leader = 1 - self.leader
        self.phase, self.player = DRAW, self.leader

    def _next_turn(self, player: int) -> None:
        """`player` plays next; without a playable card he forfeits this skirmish (W5, W6)."""
        self.phase, self.player = PLAY, player
        if seats.playable_cards(self.seats, player):
            return
        seats.play_card(self.seats, player, NO_CARD, NO_CARD)
        if player == self.leader:
            self._next_turn(1 - player)
        else:
            self._end_skirmish()

    def _end_skirmish(self) -> None:
        """Both cards lie: the loser adds, or the battle goes on."""
        done = self._skirmishes_played()
        _, adder = self._skirmish(done - 1)
        if adder is not None:
            self._must_add(adder)
        elif done < SKIRMISHES:
            self._next_turn(self.leader)
        else:
            self._finish_battle()

    def _must_add(self, player: int) -> None:
        self.phase, self.player = ADD, player
        if not tower.addable_sizes(self.tower, player):
            self._end(player, "stash")

    def _finish_battle(self) -> None:
        """After three skirmishes: equal totals take back, the lower total fills the level and caps it."""
        profiles = self.profile(self.leader), self.profile(1 - self.leader)
        loser = self._player(int(battle_loser(*profiles)))
        if loser is None:
            self._return_pyramids()
        elif self.tower[tower.TOP_COUNT] < tower.LEVEL_PYRAMIDS:
            self._must_add(loser)
        else:
            self.phase, self.player = CAP, loser
            if not seats.battle_cards(self.seats, loser):
                self._end(loser, "short")

    def _return_pyramids(self) -> None:
        for player in (self.leader, 1 - self.leader):
            if self.tower[tower.PLACED + player]:
                self.phase, self.player = TAKE_BACK, player
                return
        seats.clear_battle(self.seats, 0, NO_CARD)
        self._start_battle()

    def _end(self, loser: int | None, reason: str) -> None:
        self.phase, self.result = OVER, WarResult(loser, reason)

    def _skirmishes_played(self) -> int:
        return int(self.seats[:, seats.PLAYED].min())

    def _skirmish(self, k: int) -> tuple[int | None, int | None]:
        """Winner and adder of skirmish k as players."""
        profiles = self.profile(self.leader), self.profile(1 - self.leader)
        tens_only = self.options.tens_only
        winner = skirmish_winner(*profiles, k, tens_only)
        return self._player(int(winner)), self._player(int(skirmish_adder(*profiles, k, tens_only)))

    def _player(self, side: int) -> int | None:
        """The player behind `LEADER`, `FOLLOWER` or `NOBODY`."""
        return None if side == NOBODY else (self.leader + side) % 2

    # ------------------------------------------------------------------------------------------ checks and chance

    def _verify_phase(self, phase: str, rule: str) -> None:
        if self.phase != phase:
            raise IllegalAction(f"cannot {phase} now; expected: {self.phase}", rule)

    def _verify_fall(self, falls: bool | None, action: int, size: int) -> None:
        if falls and self.fall_probability(action, size) == 0:
            raise IllegalAction("the tower cannot fall with these options; expected falls=false", "TW-21")

    def _falls(self, falls: bool | None, action: int, size: int) -> bool:
        if falls is not None:
            return falls
        probability = self.fall_probability(action, size)
        return probability > 0 and self._generator().random() < probability

    def _sample(self, mask: int, count: int) -> list[int]:
        return [int(card) for card in self._generator().choice(mask_cards(mask), count, replace=False)]

    def _generator(self) -> np.random.Generator:
        if self.rng is None:
            raise TowerlabError("chance was not told its outcome; expected the cards or falls, or a random generator")
        return self.rng

    def _shown(self, card: int, shown: int | None) -> int:
        """What a card is played as when nothing was said: itself, a joker the only card it can copy."""
        if shown is not None:
            return shown
        copies = self.copies(card)
        return copies[0] if len(copies) == 1 else NO_CARD

    def _copies(self, card: int) -> str:
        return " or ".join(card_text(copy) for copy in self.copies(card))

    def _record(self, kind: str, **details: Any) -> None:
        self.actions.append({"action": kind, **details})


def _is_legal(verify: Any, *arguments: Any) -> bool:
    try:
        verify(*arguments)
    except IllegalAction:
        return False
    return True


def _plus(counts: tuple[int, ...], others: tuple[int, ...], sign: int) -> tuple[int, ...]:
    return tuple(a + sign * b for a, b in zip(counts, others, strict=True))


def _mask(texts: list[str]) -> int:
    return cards_mask(parse_card(text) for text in texts)


def _size_text(size: int) -> str:
    return tower.SIZE_LETTERS[size] if size in (0, 1, 2) else repr(size)


def _read_play(game: TowerWar, action: Action) -> Played:
    copies = action.get("copies")
    return game.play(parse_card(action["card"]), None if copies is None else parse_card(copies))


def _read_split(game: TowerWar, action: Action) -> Split:
    pile, other = (_mask(part) for part in action["piles"])
    if pile | other != game.face_up or pile & other:
        raise IllegalAction("the two piles are not the five cards", "TW-3")
    return game.split(pile, tuple(action.get("pyramids", draft.NO_PYRAMIDS)), action.get("beside", 0))


# How a transcript's action is taken on the engine.
_READERS: dict[str, Any] = {
    DEAL: lambda game, action: game.deal(_mask(action["cards"])),
    SPLIT: _read_split,
    TAKE: lambda game, action: game.take(action["pile"]),
    BASE: lambda game, action: game.lay_base(parse_card(action["card"])),
    BUILD: lambda game, action: game.build(action["player"], _mask(action["cards"])),
    DRAW: lambda game, action: game.draw([parse_card(card) for card in action["cards"]]),
    PLAY: _read_play,
    ADD: lambda game, action: game.add(tower.SIZE_LETTERS.find(action["size"]), action["falls"]),
    CAP: lambda game, action: game.cap(parse_card(action["card"]), action["falls"]),
    TAKE_BACK: lambda game, action: game.take_back(action["falls"]),
}
