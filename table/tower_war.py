"""How is Tower War played at the table, as `towerlab play tower-war` shows it? How it is drawn, who plays it, what
advises each action.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.decision import SCALES
from towerlab.analysis.present import number_of
from towerlab.analysis.stats import Estimate
from towerlab.analysis.tower_war import drafting
from towerlab.analysis.tower_war.move import rank_options
from towerlab.games.arrays import Ints
from towerlab.games.cards import (
    DECK_54,
    SYMBOLS,
    card_text,
    cards_mask,
    former_names,
    mask_cards,
    mask_text,
    parse_card,
    parse_cards,
    parse_mask,
    rename_card,
    suit_of,
)
from towerlab.games.engine import Engine, require
from towerlab.games.errors import demand
from towerlab.games.tower_war import TowerWarOptions, rules
from towerlab.games.tower_war.engine import GAME, TowerWar
from towerlab.games.tower_war.records import NO_PYRAMIDS, ROUNDS, Phase, View
from towerlab.games.tower_war.turns import battle_cards, draw_card, drawable_cards
from towerlab.games.transcript import Action
from towerlab.sim.tower_war import setting_of
from towerlab.sim.tower_war.seats import card_of, draw_opponent_hands, seats_of, tower_of
from towerlab.solver.tower_war.decks import deck_value
from towerlab.solver.tower_war.model import battle_stakes, shipped_hand_values
from towerlab.solver.tower_war.pimc import Battle
from towerlab.table.drawing import card_words
from towerlab.table.game import Numbering, Pick, Prompt, TableGame
from towerlab.table.reading import plain_words
from towerlab.table.rows import card_choice, does, possessive, sentences, texts, winning, words
from towerlab.table.scene import (
    ASIDE,
    BOTTOM,
    FACE_DOWN,
    MIDDLE,
    TOP,
    Block,
    Cards,
    Facts,
    Hand,
    HandEnd,
    Scene,
    Towers,
    side_of,
)

PERCENT: Final = 100
_DRAFT: Final = (Phase.DEAL, Phase.SPLIT, Phase.TAKE, Phase.BASE)
_GOOD_CARDS: Final = "In a battle your cards of one suit multiply, and jokers copy."
_NAMES: Final = ("large", "medium", "small")
BATTLE_MODEL: Final = (
    "every hand the other player's likely deck still allows counts alike; both see all hands from here on; "
    "percentage points of P(win the war)"
)


# ------------------------------------------------------------------------------------------------------- the drawing


def scene(view: View, names: Sequence[str], options: TowerWarOptions) -> Scene:
    """Return the game as one player sees it."""
    me = view.player
    other = 1 - view.player
    pyramids = ("pyramids", "; ".join(f"{names[seat]} {_pyramid_words(view.stashes[seat])}" for seat in (me, other)))
    parts: list[Any] = []
    if view.phase in _DRAFT:
        parts.append(Facts((("round", f"{min(view.round, ROUNDS)} of {ROUNDS}"), pyramids)))
        parts.append(_drafted(view, other, names))
        if view.phase == Phase.TAKE:
            parts += [
                Cards(f"Pile {place + 1}", texts(pile), _with_pyramids(view, place))
                for place, pile in enumerate(view.piles)
            ]
        elif view.face_up:
            parts.append(Cards("Face up", texts(view.face_up), own=view.to_act == me, area=MIDDLE))
        parts.append(_drafted(view, me, names))
        return Scene("Tower War: the draft", tuple(parts))
    if view.phase == Phase.BUILD:
        base = Cards("Base of the tower", () if view.base is None else (card_text(view.base),))
        pool = Cards("You drafted", texts(view.pools[me] or 0), own=True, area=BOTTOM)
        parts += [Facts((pyramids,)), _drafted(view, other, names), base, pool]
        return Scene("Tower War: the decks", tuple(parts))
    parts += [Facts((("battle", str(view.battle)), ("plays first", names[view.leader]), pyramids)), _tower(view, names)]
    hand, deck = view.counts[other]
    parts.append(_seat(Cards(names[other], (FACE_DOWN,) * hand, f"{deck} more in the deck"), view, other))
    parts += [_played(view, seat, names, options) for seat in (other, me) if view.played[seat]]
    own = Hand("Your hand", texts(view.hand), f"{view.counts[me][1]} more in the deck", own=True)
    parts.append(_seat(own, view, me))
    for title, cards in (("cards in the tower", view.built), ("discards", view.discards)):
        rows = (Cards(f"{possessive(names[seat])} {title}", texts(cards[seat]), area=ASIDE) for seat in (me, other))
        parts += [row for row in rows if row.cards]
    return Scene(f"Tower War: battle {view.battle}", tuple(parts))


def _pyramid_words(stash: Sequence[int]) -> str:
    """Return the pyramids of a stash: ``"5 large, 5 medium, 5 small"``."""
    return ", ".join(f"{count} {name}" for count, name in zip(stash, _NAMES, strict=True))


def _stash_words(view: View, seat: int) -> str:
    return f"pyramids: {_pyramid_words(view.stashes[seat])}"


def _seat(row: Cards, view: View, seat: int) -> Cards:
    """Return a player's cards with what is known of the player."""
    badges = (_stash_words(view, seat), *["plays first"] * (view.leader == seat))
    return replace(row, area=side_of(seat - view.player, 2), badges=badges, due=view.to_act == seat)


def _profile(view: View, seat: int) -> Ints:
    """Return the profile of the cards that a player has played."""
    return rules.profile_of([rules.NO_CARD if card is None else card for card in view.shown[seat]])


def hand_end(view: View, names: Sequence[str], options: TowerWarOptions) -> HandEnd | None:
    """Return the end of the battle whose three skirmishes are played."""
    if not view.battle or min(map(len, view.played)) < rules.SKIRMISHES:
        return None
    totals = [int(_profile(view, seat)[rules.TOTAL]) for seat in range(2)]
    order = sorted(range(2), key=lambda seat: -totals[seat])
    shown = [[card for card in view.shown[seat] if card is not None] for seat in order]
    plain = [sum(map(int, map(rules.card_points, cards))) for cards in shown]
    winner, loser = (names[seat] for seat in order)
    said = sentences(
        "templates/ended-tower-war.txt",
        totals=totals,
        winner=winner,
        loser=loser,
        products="; ".join(f"{possessive(names[seat])} total is {_total_words(view, seat)}" for seat in order),
        plain=plain,
        by_suits=plain[0] <= plain[1],
        is_over=view.phase == Phase.OVER,
    )
    name = f"Battle {view.battle}" + ", with the draft" * (view.battle == 1)
    return HandEnd(name, said, (totals[0], totals[1]), _battles_won(view), ("total", "battles won"))


def _battles_won(view: View) -> tuple[int, int]:
    """Return how many battles each player has won; the loser of one lays a card on the tower, at last."""
    lost = [cards.bit_count() for cards in view.built]
    totals = [int(_profile(view, seat)[rules.TOTAL]) for seat in range(2)]
    if min(map(len, view.played)) == rules.SKIRMISHES and totals[0] != totals[1]:
        loser = int(totals[0] > totals[1])
        is_stacked = view.built[loser] & cards_mask(card for card in view.played[loser] if card is not None)
        lost[loser] += not is_stacked
    return lost[1], lost[0]


def winner_words(game: TowerWar, names: Sequence[str]) -> str:
    """Return who won the war and by how many battles; whose card lies on the tower has lost one."""
    result = require(game.result)
    battles = _battles_won(game.view(0))
    reason = game.REASONS[result.reason].replace("the loser", names[1 - result.winners[0]] if result.winners else "")
    return f"{winning(result.winners, names)} the war, {max(battles)} battles to {min(battles)}: {reason}."


def _with_pyramids(view: View, pile: int) -> str:
    pyramids, place = view.offer
    return f"with {_pyramid_words(pyramids)}" if any(pyramids) and place == pile else ""


def _drafted(view: View, seat: int, names: Sequence[str]) -> Cards:
    """Return the cards that a player has drafted; face down where they are not remembered."""
    pool = view.pools[seat]
    cards = (FACE_DOWN,) * view.pool_counts[seat] if pool is None else texts(pool)
    is_own = seat == view.player
    title = "You drafted" if is_own else f"{names[seat]} drafted"
    badges = (_stash_words(view, seat),)
    return Cards(title, cards, area=BOTTOM if is_own else TOP, badges=badges, due=view.to_act == seat)


def _tower(view: View, names: Sequence[str]) -> Towers:
    """Return the tower: its base, a block a level, and on top the pyramids of the level that is being filled."""
    base = "" if view.base is None else card_text(view.base)
    blocks = [Block(base, ((0, 0),))]
    blocks += [Block(f"level {level + 1}", ((0, level),), "level") for level in range(1, view.levels)]
    if view.top_size is not None:
        text = f"level {view.levels + 1}: {view.top_count} {_NAMES[view.top_size]}"
        blocks.append(Block(text, ((0, view.levels),), "level"))
    return Towers("The tower", ("",), tuple(blocks), _standing(view, names))


def _standing(view: View, names: Sequence[str]) -> str:
    """Return who wins the battle by the cards played so far: ``"As it stands you win the battle, 100 to 29."``."""
    me = view.player
    own, other = (int(_profile(view, seat)[rules.TOTAL]) for seat in (me, 1 - me))
    if not (view.played[0] and view.played[1]) or min(map(len, view.played)) == rules.SKIRMISHES:
        return ""
    if own == other:
        return f"As it stands nobody wins the battle, {own} to {other}."
    winner = does(names[me if own > other else 1 - me], "win")
    return f"As it stands {winner} the battle, {max(own, other)} to {min(own, other)}."


def _played(view: View, seat: int, names: Sequence[str], options: TowerWarOptions) -> Cards:
    cards = tuple("" if card is None else card_text(card) for card in view.played[seat])
    profiles = (_profile(view, seat), _profile(view, 1 - seat))
    both = min(map(len, view.played))
    winners = [rules.skirmish_winner(*profiles, place, options.tens_only) for place in range(both)]
    marked = tuple(place for place in range(both) if winners[place] == rules.LEADER)
    values = profiles[0][rules.VALUE : rules.VALUE + len(cards)].tolist()
    labels = tuple(f"{value} wins" if place in marked else f"counts {value}" for place, value in enumerate(values))
    note = f"total {_total_words(view, seat)}"
    for card, copied in zip(view.played[seat], view.shown[seat], strict=True):
        if card is not None and copied is not None and card != copied:
            note += f", {card_words(card_text(card))} as {card_words(card_text(copied))}"
    is_cap = view.phase == Phase.CAP and view.to_act == seat == view.player
    area = side_of(seat - view.player, 2)
    return Cards(f"Played by {names[seat]}", cards, note, is_cap, marked, labels, area=area)


def _total_words(view: View, seat: int) -> str:
    """Return a player's total with the products that it adds up: ``"110: 10 × 10 in ♣ + 10 in ♠"``."""
    shown = [card for card in view.shown[seat] if card is not None]
    suits = {
        suit: [int(rules.card_points(card)) for card in shown if suit_of(card) == suit] for suit in map(suit_of, shown)
    }
    products = [f"{' × '.join(map(str, points))} in {SYMBOLS[suit]}" for suit, points in suits.items()]
    total = int(_profile(view, seat)[rules.TOTAL])
    return f"{total}: {' + '.join(products)}" if len(shown) > 1 else f"{total}"


# ------------------------------------------------------------------------------------------------------- the actions


def prompt(view: View, actions: Sequence[Action]) -> Prompt:
    """Return what a player may do now."""
    choices = tuple(_choice(action, view) for action in actions if "pyramids" not in action)
    if view.phase == Phase.BUILD:
        pool = texts(view.pools[view.player] or 0)
        size = len(actions[0]["cards"])
        first = Choice(actions[0], f"the first {size} of your pool")
        pick = Pick(
            pool, size, size, lambda cards: {**actions[0], "cards": _in_order(cards, pool)}, "take", "Build this deck"
        )
        return Prompt(f"Choose {size} cards for your deck; the others are out of the war.", (first,), pick)
    if view.phase == Phase.SPLIT:
        cards = texts(view.face_up)

        def split(chosen: Sequence[str]) -> Action:
            pile = _in_order(chosen, cards)
            return next(choice.action for choice in choices if pile in choice.action["piles"])

        also = f"+LLS lays two large and a small pyramid beside them ({_pyramid_words(view.third_stash)} are left)"
        stash = zip(rules.SIZE_LETTERS, _NAMES, view.third_stash, strict=True)
        pick = Pick(
            cards, 1, 4, split, "lay on one pile", "Make these two piles", also if any(view.third_stash) else "",
            tuple((letter, name, most) for letter, name, most in stash if most),
            lambda line: _read_split(line, view),
        )  # fmt: skip
        return Prompt(f"Make two piles: your opponent takes one, you get the other. {_GOOD_CARDS}", choices, pick)
    if view.phase == Phase.PLAY:
        return Prompt(f"{_card_question(view)}{_joker_words(view, actions)}", choices)
    question = {
        Phase.TAKE: f"Take one of the piles: your opponent gets the other. {_GOOD_CARDS}",
        Phase.ADD: _add_question(view),
        Phase.CAP: "You lost the battle: which of your three cards do you lay on the tower?",
        Phase.TAKE_BACK: "Equal totals: take a pyramid back.",
    }.get(view.phase, "")
    return Prompt(question, choices)


def _add_question(view: View) -> str:
    """Return the question for a pyramid: after a skirmish, or to fill the level after the battle."""
    number = min(map(len, view.played))
    if not 0 < number < rules.SKIRMISHES:
        return "Which pyramid do you add to the tower?"
    own, other = (words([card_text(require(view.played[seat][number - 1]))]) for seat in (view.player, 1 - view.player))
    return f"Your {own} loses skirmish {number} to {other}: which pyramid do you add to the tower?"


def _card_question(view: View) -> str:
    """Return the question for a card: the player leads a skirmish, or answers a card of some value."""
    other = 1 - view.player
    number = len(view.played[view.player]) + 1
    if len(view.played[other]) < number:
        return f"Skirmish {number}: your card comes first."
    led = words([card_text(require(view.played[other][-1]))])
    return f"Skirmish {number}: your answer to {led}, which counts {_profile(view, other)[rules.VALUE + number - 1]}."


def _joker_words(view: View, actions: Sequence[Action]) -> str:
    """Return what a joker of the hand is, where there is one."""
    if not any(card in ("X1", "X2") for card in texts(view.hand)):
        return ""
    if any(action["card"] in ("X1", "X2") for action in actions):
        return " A joker becomes a copy of a card that you have played in this battle."
    return " A joker cannot be your first card: it copies one that you have played."


def _in_order(chosen: Sequence[str], cards: Sequence[str]) -> list[str]:
    return [card for card in cards if card in chosen]


def _read_split(line: str, view: View) -> Action | None:
    """Return the division of a line such as ``"AH TC +LLS and 6C 9S X1"``, one pile and its pyramids or both piles.

    Raises:
        IllegalAction: other piles (TW-3), or pyramids that cannot be laid (TW-6).
    """
    line = line.upper().replace(" AND ", " | ")
    if not {"+", "|"} & set(line):
        return None
    cards = texts(view.face_up)
    names = {plain_words(name): card for card in cards for name in (card, card_words(card))}
    parts = [part.partition("+") for part in line.replace(",", " ").split("|")]
    piles = [[names.get(word, word) for word in words.split()] for words, _, _ in parts]
    if len(piles) == 1:
        piles.append([card for card in cards if card not in piles[0]])
    whole = len(piles) == 2 and all(piles) and sorted(piles[0] + piles[1]) == sorted(cards)
    demand(whole, f"{line!r} is not understood; expected two piles of the five cards", "TW-3")
    given = [(place, letters) for place, (_, _, letters) in enumerate(parts) if letters.strip()]
    demand(len(given) < 2, f"pyramids beside both in {line!r}; expected some beside one of the piles", "TW-6")
    action: Action = {"action": "split", "player": view.player, "piles": [_in_order(pile, cards) for pile in piles]}
    for place, letters in given:
        pyramids = drafting.read_pyramids(letters.strip(), view.third_stash, "is not in the third stash", "TW-6")
        action |= {"pyramids": list(pyramids), "beside": place}
    return action


def _choice(action: Action, view: View) -> Choice:
    name = action["action"]
    if name == "split":
        piles = [words(pile) for pile in action["piles"]]
        pyramids = zip(rules.SIZE_LETTERS, action.get("pyramids", NO_PYRAMIDS), strict=True)
        if letters := "".join(letter * n for letter, n in pyramids):
            piles[action["beside"]] += f" +{letters}"
        return Choice(action, " and ".join(piles))
    if name == "take":
        pile = words(texts(view.piles[action["pile"]]))
        number = action["pile"] + 1
        return Choice(action, f"take pile {number}: {pile}", (f"pile {number}",))
    if name == "play":
        card = action["card"]
        copied = action.get("copies")
        if copied is None:
            return card_choice(action)
        text = f"play {card_words(card)} as {card_words(copied)}"
        return Choice(action, text, (f"{card}:{copied}", f"{card} {copied}"), card, f"as {card_words(copied)}")
    if name == "add":
        size = action["size"]
        return Choice(action, f"add a {_NAMES[rules.SIZE_LETTERS.index(size)]} pyramid", (size,))
    if name == "cap":
        return Choice(action, f"lay {card_words(action['card'])} on the tower", (action["card"],), action["card"])
    if name == "build":
        return Choice(action, "build " + words(action["cards"]))
    if name == "adjust":
        return Choice(action, "adjust the pyramids on top", (name,))
    return Choice(action, "take one back", (name,))


def action_line(action: Action, view: View, names: Sequence[str]) -> str | None:
    """Return what happened, as that player may know it."""
    name = action["action"]
    player = action.get("player")
    if name == "deal":
        return f"Face up: {words(action['cards'])}"
    if name == "base":
        return f"The base is {card_words(action['card'])}."
    if player is None:
        return None
    if name == "fall":
        return f"THE TOWER FALLS under {names[player]}." if action["falls"] else None
    own = player == view.player
    if name == "draw":
        drawn = words(action["cards"]) if own else number_of(len(action["cards"]), "card")
        return f"Battle {view.battle}. {names[player]}: draw {drawn}"
    if name == "split":
        return f"{names[player]}: piles {_choice(action, view).text}"
    if name == "take":
        return f"{names[player]}: take pile {action['pile'] + 1}"
    if name == "build":
        return f"{names[player]}: the deck is built" + (f", {words(action['cards'])}" if own else "")
    return f"{names[player]}: {_choice(action, view).text}"


# ---------------------------------------------------------------------------------------------- players and advice


def advise(view: View, options: TowerWarOptions, seed: int = 0, *_: object) -> Advice | None:
    """Return P(win the war) of each action in per cent, as far as that player can know."""
    seat = view.player
    if view.phase == Phase.BUILD and not view.has_built[seat]:
        return _advise_deck(view, options)
    if view.to_act != seat:
        return None
    if view.phase in (Phase.SPLIT, Phase.TAKE):
        return _advise_draft(view, options)
    if view.phase == Phase.CAP:
        return _advise_cap(view)
    if view.phase == Phase.PLAY or (view.phase == Phase.ADD and view.top_size is None):
        return _advise_battle(view, options, seed)
    return None


def _advice(
    values: Sequence[tuple[Action, float]],
    view: View,
    basis: str,
    model: str,
    grade: Callable[[Action], AdvisedAction | None] | None = None,
    is_chance: bool = True,
) -> Advice:
    """Return actions with their P(win the war), the best first.

    Args:
        is_chance: whether the values are chances; else they say only how much less than the best an action is.
    """
    best = max(value for _, value in values)
    common = {"action": view.phase.lower(), "player": view.player}
    ordered = sorted(values, key=lambda item: -item[1])
    ranked = tuple(_advised({**common, **given}, view, value, best, is_chance) for given, value in ordered)
    return Advice(ranked, SCALES[GAME], basis, model=model, grade=grade)


def _advised(action: Action, view: View, value: float, best: float, is_chance: bool = True) -> AdvisedAction:
    cost = PERCENT * (best - value)
    shown = PERCENT * value if is_chance else -cost
    note = f"{shown:.1f} %" * is_chance
    return AdvisedAction(_choice(action, view).text, shown, Estimate(cost, cost, cost, 1), action, note)


def _advise_draft(view: View, options: TowerWarOptions) -> Advice:
    judge = drafting.split_judge(
        view.face_up, (view.pools[view.player] or 0, view.pools[1 - view.player] or 0), options
    )
    if view.phase == Phase.TAKE:
        first, second = judge(view.piles, *view.offer).values  # where the other one takes it
        values = [({"pile": 0}, second), ({"pile": 1}, first)]
        return _advice(values, view, "both piles valued", drafting.MODEL_NAME)
    splits = drafting.best_splits(judge, view.face_up, view.third_stash)

    def grade(action: Action) -> AdvisedAction:
        first, second = (parse_mask(" ".join(pile), DECK_54) for pile in action["piles"])
        split = judge((first, second), tuple(action.get("pyramids", NO_PYRAMIDS)), action.get("beside", 0))
        return _advised(action, view, split.value, splits[0].value)

    given: list[tuple[Action, float]] = []
    for split in splits:
        gift = {"pyramids": list(split.pyramids), "beside": split.pyramid_pile} if any(split.pyramids) else {}
        given.append(({"piles": [list(texts(pile)) for pile in split.piles], **gift}, split.value))
    return _advice(given, view, "every division valued", drafting.MODEL_NAME, grade)


def _advise_deck(view: View, options: TowerWarOptions) -> Advice:
    pool = view.pools[view.player] or 0
    best = drafting.build_deck(mask_text(pool), options)

    def grade(action: Action) -> AdvisedAction | None:
        deck = sum(1 << card for card in parse_cards(" ".join(action["cards"]), pool))
        lost = best.log_odds - float(deck_value(deck, shipped_hand_values()))
        return _advised(action, view, 1 / (1 + math.exp(lost)), 0.5, is_chance=False)  # this deck against the best one

    basis = f"{best.subsets:,} decks valued" if best.exact else f"a search among {best.subsets:,} decks"
    return _advice(
        [({"cards": mask_text(best.deck).split()}, 0.5)], view, basis, drafting.MODEL_NAME, grade, is_chance=False
    )


def _advise_cap(view: View) -> Advice:
    """Return which card the deck misses least: P(win) of the deck without it against the deck without the best one."""
    rows = seats_of(view)
    hand_values = shipped_hand_values()
    cards = int(battle_cards(rows, view.player))
    deck = cards | view.draws | view.discards[view.player]
    left = {card: float(deck_value(deck & ~(1 << card), hand_values)) for card in mask_cards(cards)}
    most = max(left.values())
    values = [({"card": card_text(card)}, 1 / (1 + math.exp(most - value))) for card, value in left.items()]
    return _advice(values, view, "every card's deck valued", drafting.MODEL_NAME, is_chance=False)


def _advise_battle(view: View, options: TowerWarOptions, seed: int) -> Advice:
    rows = seats_of(view)
    tower = tower_of(view)
    hands = _likely_hands(view, options, seed)
    stakes = battle_stakes(options, tower)
    adds = view.phase == Phase.ADD
    ranked = rank_options(Battle(rows, tower, view.leader), view.player, hands, adds, stakes)
    choices = [
        ({"size": rules.SIZE_LETTERS[card]} if shown is None else card_of(card, shown), value)
        for card, shown, value in ranked
    ]
    return _advice(choices, view, f"counted: {number_of(len(hands), 'hand')} of the other player", BATTLE_MODEL)


def _likely_hands(view: View, options: TowerWarOptions, seed: int) -> Ints:
    """Return the hands that the other player's likely deck allows: int64[hands]; which suits are which is no matter."""
    played = [cards_mask(card for card in cards if card is not None) for cards in view.played]
    drafted = [pool or 0 for pool in view.pools]
    own = view.player, 1 - view.player
    masks = [part[seat] for part in (drafted, view.discards, view.built, view.reshuffled, played) for seat in own]
    names = drafting.order_suits(*masks, view.opponent_cards, view.hand, view.draws)

    def renamed(item: Any) -> Any:
        return item if item is None else cards_mask(drafting.rename_suits(mask_cards(item), names))

    def card(item: int | None) -> int | None:
        return item if item is None else rename_card(item, names)

    changes: dict[str, Any] = {
        **{name: tuple(map(renamed, getattr(view, name))) for name in ("pools", "discards", "built", "reshuffled")},
        **{name: tuple(tuple(map(card, cards)) for cards in getattr(view, name)) for name in ("played", "shown")},
        **{name: renamed(getattr(view, name)) for name in ("opponent_cards", "hand", "draws")},
    }
    alike = replace(view, **changes)
    hands = draw_opponent_hands(alike, seats_of(alike), setting_of(options, 0), np.random.default_rng(seed))
    back = former_names(names)
    return np.array(
        [cards_mask(drafting.rename_suits(mask_cards(hand), back)) for hand in hands.tolist()], dtype=np.int64
    )


def guess(engine: Engine[Any, Any], seat: int, records: Sequence[Action], full: Action) -> Action:
    """Return a deck or a hand that the other player can have had, by what was recorded from then on.

    It holds what was played in this battle; the rest is what was seen to be needed latest, so that the deck, and later
    the discards, still hold what was played in between.
    """
    other = 1 - seat
    if full.get("player") != other or full["action"] not in ("build", "draw") or "?" not in records[0]["cards"]:
        return full
    next_use: dict[str, int] = {card: 0 for card in records[0]["cards"] if card != "?"}
    battle = 0
    for record in records[1:]:
        if record.get("player") == other:
            battle += record["action"] == "draw"
            if record["action"] in ("play", "cap"):
                next_use.setdefault(record["card"], battle)
    if full["action"] == "build":
        pool = mask_text(engine.state().pools[other]).split()
        wished = [*(card for card in next_use if card in pool), *full["cards"], *pool]
        return {**full, "cards": list(dict.fromkeys(wished))[: len(full["cards"])]}
    rows = np.array(engine.state().cards, np.int64)
    drawn = list[str]()
    while len(drawn) < len(full["cards"]) and (drawable := int(drawable_cards(rows, other))):
        cards = mask_text(drawable).split()
        needed = [card for card in cards if next_use.get(card) == 0]
        latest = max(cards, key=lambda card: (next_use.get(card, len(records)), card in full["cards"]))
        drawn.append(needed[0] if needed else latest)
        draw_card(rows, other, parse_card(drawn[-1]))
    return {**full, "cards": drawn}


class TowerWarTableGame(TableGame):
    """Tower War at the table."""

    name = GAME
    about = "Draft cards and build a deck. Win battles of three cards at a tower. Two players, about 10 minutes."
    scene = staticmethod(scene)
    prompt = staticmethod(prompt)
    action_line = staticmethod(action_line)
    advise = staticmethod(advise)
    numbering = Numbering(
        cards=frozenset({"face_up", "piles", "pools", "deck", "unused", "opponent_cards", "hand", "draws"})
        | {"discards", "built", "reshuffled"},
        lengths=dict.fromkeys(("offer", "third_stash", "stashes"), (3,)) | dict.fromkeys(("played", "shown"), (0, 3)),
        words=lambda: rules.SIZE_LETTERS,
    )
    hand_end = staticmethod(hand_end)
    winner_words = staticmethod(winner_words)
    guess = staticmethod(guess)
    draws_seat = True  # TW-2
    puzzles = MappingProxyType({"take": 28, "card": 46, "cap": 18})

    def place(self, view: Any, action: Action, deal: int, turn: int) -> str:
        return f"battle {view.battle}" if view.battle else f"draft, round {deal}"


TABLE: Final = TowerWarTableGame()
