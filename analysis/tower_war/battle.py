"""How should I play my hand in a battle that is about to begin? `towerlab battle tower-war`; `step` scores a battle.

If both hands are known, the answer is exact minimax for P(win the war). If only decks are known, each hand is any three
cards of its deck, equally likely and hidden from the other side: the answer is an equilibrium, with its exploitability.
The war table (`solver.tower_war.battle`), a model of the later battles, values the outcome of the battle.

>>> from towerlab.analysis.tower_war.battle import ask_battle
>>> answer = ask_battle("AH TC 6C", "9S 4S 2S")
>>> answer.recommend == answer.plays[0].card, answer.pairs
(True, 1)
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from towerlab.analysis.decision import Alternative, Decision
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.tower_war.drafting import (
    check_apart,
    order_suits,
    read_cards,
    read_tower,
    rename_suits,
    war_decision,
)
from towerlab.games.arrays import Array
from towerlab.games.cards import (
    JOKER_1,
    JOKER_2,
    card_symbol,
    card_text,
    cards_mask,
    former_names,
    mask_cards,
    mask_text,
    rename_card,
)
from towerlab.games.errors import CardError, demand
from towerlab.games.tower_war import TowerWarOptions, rules
from towerlab.games.tower_war.records import parse_played
from towerlab.games.written import CardId, Mask, Record
from towerlab.solver.tower_war import equilibrium as tree
from towerlab.solver.tower_war.battle import (
    MAX_WAYS,
    WAY_CARD,
    WAY_ROOM,
    WAY_SHOWN,
    WAY_SIZE,
    battle_payoffs,
    ways_to_play,
)
from towerlab.solver.tower_war.model import battle_stakes

MODEL: Final = "what a battle's outcome is worth is read from the table of later battles, whose outcomes are drawn"
MOST_PAIRS: Final = 2_500
ITERATIONS: Final = 200


@dataclass(frozen=True)
class FirstCard(Record):
    """A first card of mine.

    Attributes:
        led: the card of theirs that it answers; None if I lead.
        card: the card.
        mix: how often the equilibrium plays it.
        win: P(I win the war) after it.
    """

    led: CardId | None
    card: CardId
    mix: float
    win: float


@dataclass(frozen=True)
class BattleAnswer(
    Answer,
    game="tower-war",
    method="model",
    shown_by="towerlab.analysis.tower_war.present:equilibrium_report",
    table="plays",
    keys="leader mine theirs my_deck levels pairs win seen planned recommend plays line exploitability model",
):
    """The best play of my hand.

    Attributes:
        leader: ``"me"`` or ``"them"``.
        mine: my hand.
        theirs: their hand, or the cards from which their three come.
        my_deck: the cards from which they believe that my three come; my hand if they see it.
        levels: number of cards in the tower, the base included.
        pairs: number of equally likely pairs of hands; 1 if both are known.
        win: P(I win the war) with this hand.
        seen: P(I win the war) if both sides saw both hands.
        planned: P(I win the war) with the best single plan, if they see my hand and play each of theirs double-dummy;
            None unless only my hand is open.
        plays: my first cards, the best first; if they lead, by the card led.
        line: a line of best play if both hands are known: cards as played, and sizes of a level.
        exploitability: the mean gain of a best response, per side.
    """

    leader: str
    mine: Mask
    theirs: Mask
    my_deck: Mask
    levels: int
    pairs: int
    win: float
    seen: float
    planned: float | None
    plays: tuple[FirstCard, ...]
    line: tuple[str, ...] | None
    exploitability: float

    model = MODEL
    cards = rules.SKIRMISHES

    @property
    def recommend(self) -> CardId | None:
        """The first card to play; None if that depends on their lead."""
        return self.plays[0].card if self.leader == "me" else None

    @property
    def decisions(self) -> tuple[Decision[Alternative], ...]:
        """My first cards as alternatives, in their order; if they lead, a decision for each of their cards."""
        leads = itertools.groupby(self.plays, lambda play: play.led)
        return tuple(
            war_decision([(f"play {card_symbol(play.card)}", play.win) for play in plays], MODEL) for _, plays in leads
        )

    def to_json(self) -> dict[str, Any]:
        answer = super().to_json()
        verdicts = (str(decision.verdict(item)) for decision in self.decisions for item in decision.alternatives)
        rows = zip(answer["plays"], verdicts, strict=True)
        return answer | {"plays": [{**play, "verdict": verdict} for play, verdict in rows]}


def ask_battle(
    mine: str,
    theirs: str = "",
    *,
    their_deck: str = "",
    my_deck: str = "",
    leader: str = "me",
    my_stash: str | None = None,
    their_stash: str | None = None,
    levels: int | None = None,
    options: TowerWarOptions | None = None,
) -> BattleAnswer:
    """Return the best play of the three cards of a battle that is about to begin.

    Args:
        mine: my hand.
        theirs: their hand, if it is known.
        their_deck: otherwise, the cards from which their three come.
        my_deck: the cards from which they believe that my three come, with `their_deck`; by default they see my hand.
        leader: ``"me"`` or ``"them"``.
        my_stash, their_stash, levels: the same as in `read_tower`; I am player one.
        options: rule options.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: a hand that is not three cards (TW-9), a deck that is too small or too large, impossible stashes
            (TW-15), or levels that do not fit them (TW-17).
    """
    options = options or TowerWarOptions()
    known = bool(theirs.strip())
    demand(known != bool(their_deck.strip()), "expected either the hand they hold or the deck it comes from", "TW-9")
    alone = my_deck.strip() and not their_deck.strip()
    demand(not alone, "my deck matters where theirs is given; expected their deck with it", "TW-9")
    read_hand = functools.partial(read_cards, fewest=rules.SKIRMISHES, most=rules.SKIRMISHES)
    hand = read_hand(mine, "my hand")
    others = read_hand(theirs, "their hand") if known else read_cards(their_deck, "their deck")
    own = read_cards(my_deck, "my deck") if my_deck.strip() else hand
    if hand & ~own:
        raise CardError(f"{mask_text(hand & ~own)} of my hand is not in my deck; expected all of it there (TW-9)")
    check_apart({"my deck" if own != hand else "my hand": own, "their cards": others})
    names = order_suits(hand, others, own)
    renamed = [cards_mask(rename_suits(mask_cards(mask), names)) for mask in (hand, own, others)]
    hands, names = (_list_hands(renamed[1]), _list_hands(renamed[2])), former_names(names)
    pairs = len(hands[0]) * len(hands[1])
    place = hands[0].index(renamed[0])
    demand(pairs <= MOST_PAIRS, f"{pairs:,} pairs of hands are too many; expected at most {MOST_PAIRS:,}", "TW-9")
    side = rules.LEADER if leader == "me" else rules.FOLLOWER
    tower = read_tower(options, my_stash, their_stash, levels)
    payoffs = battle_payoffs(tower, side, 0, battle_stakes(options, tower))
    game = tree.battle_game(hands[side], hands[1 - side], payoffs, options.tens_only)
    seen, open_strategy = tree.open_play(game)
    known = pairs == 1
    equilibrium = (
        tree.Equilibrium(float(seen[0]), 0.0, open_strategy, 0) if known else tree.solve_equilibrium(game, ITERATIONS)
    )
    values, reach = (seen, np.ones(len(seen))) if known else tree.strategy_values(game, equilibrium.strategy, side)
    deals = np.flatnonzero(game.nodes[:pairs, tree.FIRST + side] == place)
    planned = None if known or len(hands[0]) > 1 else _my_chance(tree.best_single_strategy(game, side)[0], side)
    plays = list(_list_first_cards(game, side, hands, place, names, equilibrium.strategy, values, reach))
    plays.sort(key=lambda play: (play.led is not None and -play.led, -round(play.mix, 9), -play.win))
    return BattleAnswer(
        leader=leader,
        mine=hand,
        theirs=others,
        my_deck=own,
        levels=int(tower[rules.LEVELS]),
        pairs=pairs,
        win=_my_chance(values[deals].mean(), side),
        seen=_my_chance(seen[deals].mean(), side),
        planned=planned,
        plays=tuple(plays),
        line=_best_line(game, hands, side, names, seen) if known else None,
        exploitability=equilibrium.exploitability,
        options=options,
    )


def _my_chance(leader_wins: Any, side: int) -> float:
    """Return P(I win) from P(the leader wins)."""
    return float(leader_wins if side == rules.LEADER else 1.0 - leader_wins)


def _list_first_cards(
    game: tree.BattleGame,
    side: int,
    hands: tuple[list[int], list[int]],
    place: int,
    names: Sequence[int],
    strategy: Array,
    values: Array,
    reach: Array,
) -> Iterator[FirstCard]:
    """Yield my first cards with one hand, for every card that they may lead, also those never led in equilibrium."""
    nodes = game.nodes
    ways = _renamed_ways(hands[0][place], names)
    chosen = (nodes[:, tree.DEPTH] == side + 1) & (nodes[:, tree.PLY] == side + 1)
    groups: dict[tuple[int, int], list[int]] = {}
    for child in np.flatnonzero(chosen).tolist():
        parent = nodes[child, tree.PARENT]
        if nodes[parent, tree.FIRST + side] == place:
            groups.setdefault((int(nodes[parent, tree.KEY]), int(nodes[child, tree.ACTION])), []).append(child)
    for (key, action), children in groups.items():
        weights = reach[nodes[children, tree.PARENT]]
        chance = np.average(values[children], weights=weights if weights.sum() > 0 else None)
        led = None
        if side == rules.FOLLOWER:
            other = _renamed_ways(hands[1][nodes[children[0], tree.FIRST]], names)
            led = int(other[nodes[children[0], tree.ROW], WAY_CARD])
        card = int(ways[nodes[children[0], tree.ROW + side], WAY_CARD])
        yield FirstCard(led, card, float(strategy[key, action]), _my_chance(chance, side))


def _best_line(
    game: tree.BattleGame, hands: tuple[list[int], list[int]], side: int, names: Sequence[int], values: Array
) -> tuple[str, ...]:
    """Return a line of best play of two known hands."""
    nodes = game.nodes
    node = 0
    line = []
    ways = [_renamed_ways(hands[side][0], names), _renamed_ways(hands[1 - side][0], names)]
    while nodes[node, tree.MOVER] != tree.LEAF:
        children = np.flatnonzero(nodes[:, tree.PARENT] == node)
        sign = 1 if nodes[node, tree.MOVER] == rules.LEADER else -1
        child = int(children[np.argmax(sign * values[children])])
        if nodes[child, tree.PLY] == nodes[node, tree.PLY]:
            line.append(f"size {rules.SIZE_LETTERS[nodes[child, tree.SIZE]]}")
        else:
            mover = nodes[node, tree.PLY] % 2
            skirmish = nodes[node, tree.PLY] // 2
            line.append(_played_word(ways[mover][nodes[child, (tree.ROW, tree.COLUMN)[mover]]], int(skirmish)))
        node = child
    return tuple(line)


def _played_word(way: Array, skirmish: int) -> str:
    card = int(way[WAY_CARD + skirmish])
    shown = int(way[WAY_SHOWN + skirmish])
    return "none" if card == rules.NO_CARD else played_text(card, shown)


def played_text(card: int, shown: int) -> str:
    """Return a card as it is played: ``"TC"``, ``"X1:TC"``."""
    return f"{card_text(card)}:{card_text(shown)}" if card >= JOKER_1 else card_text(card)


def _renamed_ways(hand: int, names: Sequence[int]) -> Array:
    """Return the ways to play a hand, the suits of its cards renamed."""
    ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    ways_to_play(hand, 0, ways)
    renamed = np.array([*(rename_card(card, names) for card in range(JOKER_2 + 1)), rules.NO_CARD])
    cards = ways[:, : WAY_SHOWN + rules.SKIRMISHES]
    cards[:] = renamed[cards]
    return ways[:MAX_WAYS]


def _list_hands(deck: int) -> list[int]:
    return [cards_mask(hand) for hand in itertools.combinations(mask_cards(deck), rules.SKIRMISHES)]


@dataclass(frozen=True)
class Skirmish(Record, keys="my_card mine their_card theirs winner adds"):
    """One skirmish: the cards as played, their values, the winner, and the player who adds a pyramid (or None)."""

    my_card: CardId | None
    their_card: CardId | None
    mine: int
    theirs: int
    winner: str
    adds: str | None


@dataclass(frozen=True)
class BattleStep(
    Answer,
    game="tower-war",
    method="exact",
    shown_by="towerlab.analysis.tower_war.present:battle_report",
    table="skirmishes",
    keys="skirmishes totals loser",
):
    """A battle as it was played; with equal totals `loser` is ``"tie"``."""

    skirmishes: tuple[Skirmish, ...]
    my_total: int
    their_total: int
    loser: str

    @property
    def totals(self) -> dict[str, int]:
        return {"mine": self.my_total, "theirs": self.their_total}


def step_battle(mine: str, theirs: str, leader: str = "me", options: TowerWarOptions | None = None) -> BattleStep:
    """Return the score of a battle (TW-11..17).

    Args:
        mine, theirs: the cards in the order played, jokers as ``X1:TC``. With fewer than three cards (a short hand, or
            an unfinished battle) a missing card has no value (TW-9).
        leader: ``"me"`` or ``"them"``, the first player; this does not change the values of cards.
        options: rule options; `tie_break` and `short_hand` matter.

    Raises:
        CardError: a card does not exist or is played twice (TW-1).
        IllegalAction: more than three cards (TW-9), a misplayed joker (TW-13), or a short hand if that loses (TW-9).
    """
    options = options or TowerWarOptions()
    my_cards, my_shown = parse_played(mine, "my cards")
    their_cards, their_shown = parse_played(theirs, "their cards")
    check_apart({"my cards": cards_mask(my_cards), "their cards": cards_mask(their_cards)})
    short = options.short_hand == "lose" and min(len(my_cards), len(their_cards)) < rules.SKIRMISHES
    demand(not short, "a hand of fewer than three cards has lost with short_hand=lose; expected three", "TW-9")
    names = {rules.LEADER: "me", rules.FOLLOWER: "them"}
    sides = (rules.profile_of(my_shown), rules.profile_of(their_shown))

    def skirmish(k: int) -> Skirmish:
        return Skirmish(
            my_card=my_shown[k] if k < len(my_shown) else None,
            their_card=their_shown[k] if k < len(their_shown) else None,
            mine=int(sides[0][rules.VALUE + k]),
            theirs=int(sides[1][rules.VALUE + k]),
            winner=names.get(int(rules.skirmish_winner(*sides, k, options.tens_only)), "tie"),
            adds=names.get(int(rules.skirmish_adder(*sides, k, options.tens_only))),
        )

    return BattleStep(
        skirmishes=tuple(map(skirmish, range(max(len(my_cards), len(their_cards))))),
        my_total=int(sides[0][rules.TOTAL]),
        their_total=int(sides[1][rules.TOTAL]),
        loser=names.get(int(rules.battle_loser(*sides)), "tie"),
        options=options,
    )
