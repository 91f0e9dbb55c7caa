"""Random positions with one or two hidden hands, as the oracle and as the prover take them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from tests.oracles import hidden_hands as oracle
from towerlab.games.cards import DECK_54, SUIT_BITS, parse_mask, parse_trump, to_play_order, trump_field
from towerlab.solver.claims.belief import Belief

RANKS = "23456789TJQKA"


class Case(NamedTuple):
    game: oracle.Game
    state: oracle.State
    belief: Belief


def mask(cards: Iterable[str], game: oracle.Game) -> int:
    printed = parse_mask(" ".join(sorted(cards)), DECK_54)
    return int(to_play_order(printed, parse_trump(game.trump), game.bowers))


def table_of(name: str, draw: random.Random) -> oracle.Game:
    """Who is who: a declarer or a defender of Towie or Bowers, or a player of Towers & Bowers."""
    trump = draw.choice(("NT", "S", "H", "D", "C"))
    if name == "towie":
        seat = draw.choice((0, 0, 1, 3))
        claimant = frozenset({0, 2}) if seat == 0 else frozenset({seat})
        hidden = {0: (1, 3), 1: (0, 3), 3: (0, 1)}[seat]
        return oracle.Game(4, hidden, claimant, frozenset({0, 2} if seat == 0 else {1, 3}), trump, False)
    if name == "bowers":
        seat = draw.choice((0, 0, 1, 2))
        scoring = frozenset({0} if seat == 0 else {1, 2})
        if draw.random() < 0.25:
            scoring = frozenset({0, 1, 2}) - scoring  # misère
        hidden = tuple(other for other in range(3) if other != seat)
        names = draw.random() < 0.8
        return oracle.Game(3, hidden, frozenset({seat}), scoring, trump, True, names)
    return oracle.Game(2, (1,), frozenset({0}), frozenset({0}), draw.choice("SHDC"), True)


def random_case(name: str, draw: random.Random, most_cards: int, most_layouts: int | None, out: int = 2) -> Case:
    """Any moment of a trick, with voids, sure cards and cards out of play; without a limit no layouts are listed."""
    while True:
        game = table_of(name, draw)
        size = draw.randint(1, most_cards)
        low = draw.choice((0, 5, 7)) if name == "towie" else 5 if name == "bowers" else 7
        pack = [rank + suit for suit in "SHDC" for rank in RANKS[low:]]
        if name == "bowers" and draw.random() < 0.3:
            pack.append("X1")
        if draw.random() < 0.6:  # few suits make long ones
            kept = draw.sample("SHDC", draw.choice((1, 2, 3)))
            pack = [card for card in pack if card[1] in kept or card == "X1"]
        draw.shuffle(pack)
        left_over = 0 if name == "towie" else draw.randint(0, out)
        if len(pack) < size * game.seats + left_over:
            continue
        hands = [frozenset(pack[size * seat : size * seat + size]) for seat in range(game.seats)]
        rest = pack[size * game.seats :][:left_over]
        case = _play_into(game, hands, rest, draw, most_layouts)
        if case is not None:
            return case


def two_handed_cases(
    count: int, most_cards: int, seed: int, most_layouts: int | None = 200, out: int = 6
) -> list[Case]:
    """So many cases of Towers & Bowers; the arguments are those of `random_case`."""
    draw = random.Random(seed)
    return [random_case("towers-and-bowers", draw, most_cards, most_layouts, out) for _ in range(count)]


def _play_into(
    game: oracle.Game, hands: list[frozenset[str]], rest: list[str], draw: random.Random, most_layouts: int | None
) -> Case | None:
    """Play some cards of a trick, then forget where the hidden cards are as far as the voids and sure cards allow."""
    leader = draw.randrange(game.seats)
    trick: list[oracle.Play] = []
    size = len(hands[0])
    voids: dict[int, set[str]] = {seat: set() for seat in game.hidden}
    for _ in range(draw.choice((0, 0, *range(game.seats)))):
        seat = (leader + len(trick)) % game.seats
        play = draw.choice(oracle.legal(hands[seat], tuple(trick), game))
        if trick and seat in game.hidden:
            led = trick[0][1] if trick[0][1] != " " else oracle.suit(trick[0][0], game)
            if oracle.suit(play[0], game) != led:
                voids[seat].add(led)
        hands[seat] = hands[seat] - {play[0]}
        trick.append(play)
    for seat in game.hidden:  # a void shown before
        missing = set("SHDC") - {oracle.suit(card, game) for card in hands[seat]}
        if missing and draw.random() < 0.3:
            voids[seat].add(draw.choice(sorted(missing)))
    sure = {
        seat: frozenset(card for card in hands[seat] if draw.random() < draw.choice((0.0, 0.0, 0.3)))
        for seat in game.hidden
    }
    unseen = {card for seat in game.hidden for card in hands[seat] - sure[seat]} | set(rest)
    pools = {seat: {card for card in unseen if oracle.suit(card, game) not in voids[seat]} for seat in game.hidden}
    layouts: oracle.Layouts = frozenset()
    if most_layouts is not None:
        layouts = oracle.layouts(pools, sure, {seat: len(hands[seat]) for seat in game.hidden})
    known = tuple(frozenset() if seat in game.hidden else hands[seat] for seat in range(game.seats))
    if (most_layouts is not None and not 1 <= len(layouts) <= most_layouts) or (not any(hands) and not trick):
        return None
    state = oracle.State(known, layouts, leader, tuple(trick))
    own = tuple(mask(sure[seat] if seat in game.hidden else hands[seat], game) for seat in range(game.seats))
    named = SUIT_BITS << 13 * "CDHS".index(trick[0][1]) if trick and trick[0][1] != " " else 0
    belief = Belief(
        own=own,
        hidden=game.hidden,
        pools=tuple(mask(pools[seat], game) for seat in game.hidden),
        claimant=game.claimant,
        scoring=game.scoring,
        tricks=size,
        turn=(leader + len(trick)) % game.seats,
        trumps=int(trump_field(parse_trump(game.trump))),
        trick=tuple(mask([card], game) for card, _ in trick),
        named=named,
        names=game.names,
    )
    return Case(game, state, belief)
