"""The double-dummy solver against plain minimax, on endings of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.conftest import exhaustive, slow
from tests.oracles.naive_double_dummy import naive_tricks
from towerlab import claim_bowers, solve_bowers, solve_towie
from towerlab.games.cards import (
    DECK_32,
    DECK_52,
    DECK_54,
    JOKER_1,
    NO_TRUMP,
    NO_TRUMP_FIELD,
    TRUMPS,
    card_texts,
    cards_mask,
    mask_cards,
    parse_mask,
    to_play_order,
    trump_field,
)
from towerlab.games.errors import CardError
from towerlab.games.pbn import hand_text
from towerlab.games.written import named_card, play_text
from towerlab.solver.double_dummy import PLAIN_FIELDS, DoubleDummy, Position
from towerlab.solver.double_dummy.position import legal_moves, play_card


def random_ending(random: np.random.Generator, sizes: tuple[int, ...]) -> Position:
    """An ending of 3 or 4 hands, with or without trumps, bowers and a joker, perhaps in the middle of a trick."""
    count = int(random.integers(3, 5))
    size = int(random.choice(sizes))
    suits = int(random.integers(-(-count * size // 13), 5))
    pack = [13 * suit + rank for suit in range(suits) for rank in range(13)]
    low = int(random.integers(0, 13 * suits - count * size + 1)) if random.random() < 0.5 else 0
    pack = pack[low:]
    if random.random() < 0.3:
        pack.append(JOKER_1)
    cards = random.permutation(pack)[: count * size]
    if random.random() < 0.5 and JOKER_1 in pack and JOKER_1 not in cards:
        cards[0] = JOKER_1
    trump = int(random.integers(0, 5))
    bowers = bool(random.random() < 0.5)
    hands = tuple(
        int(to_play_order(cards_mask(int(c) for c in cards[seat * size : (seat + 1) * size]), trump, bowers))
        for seat in range(count)
    )
    position = Position(
        hands,
        int(trump_field(trump)),
        leader=int(random.integers(count)),
        declarer=int(random.integers(count)),
        fewest=bool(random.random() < 0.3),
        names=bool(random.random() < 0.6),
    )
    for _ in range(int(random.integers(0, count))):
        position = play_random_card(position, random)
    return position


def play_random_card(position: Position, random: np.random.Generator) -> Position:
    """The position after a random legal card."""
    moves = legal_moves(position)
    return play_card(position, *moves[int(random.integers(len(moves)))])[0]


def naive_value(position: Position) -> int:
    names = ("hands", "trumps", "leader", "trick", "named", "declarer", "fewest", "names")
    return naive_tricks(*(getattr(position, name) for name in names))


def naive_after(position: Position, card: int, named: int) -> int:
    """Tricks of the declarer's side from the position on when that card is played."""
    after, won = play_card(position, card, named)
    return won + naive_value(after)


def endings(seed: int, number: int, sizes: tuple[int, ...]) -> Iterator[Position]:
    random = np.random.default_rng(seed)
    for _ in range(number):
        yield random_ending(random, sizes)


@pytest.mark.parametrize(
    ("seed", "number", "sizes", "cards_every"),
    [
        (1, 500, (1, 2, 3, 4), 5),
        slow(105, 20, (5,), 20),
        *(exhaustive(seed, 5000, (2, 3, 4, 4), 10) for seed in (101, 102, 103)),
    ],
)
def test_equals_minimax(seed: int, number: int, sizes: tuple[int, ...], cards_every: int) -> None:
    """Values of many endings, and now and then every card, each zero window and the line."""
    solver = DoubleDummy()
    for index, position in enumerate(endings(seed, number, sizes)):
        expected = naive_value(position)
        assert solver.tricks(position) == expected, position
        if index % cards_every:
            continue
        cards = solver.cards(position)
        assert expected in {value.tricks for value in cards}
        for value in cards:
            assert value.tricks == naive_after(position, value.card, value.named), (position, value)
        size = max(hand.bit_count() for hand in position.hands)
        for tricks in range(size + 2):
            assert solver.at_least(position, tricks) == (expected >= tricks), (position, tricks)


@pytest.fixture(scope="module")
def solver() -> DoubleDummy:
    return DoubleDummy()


def test_table_that_is_always_full_changes_nothing() -> None:
    tiny = DoubleDummy(16)
    solver = DoubleDummy()
    random = np.random.default_rng(7)
    for position in endings(7, 300, (4, 5, 6)):
        guess = int(random.integers(7))
        assert tiny.tricks(position, guess) == solver.tricks(position), position


def test_table_is_kept_along_a_line_of_play() -> None:
    """Every value on the way is right, and found in fewer nodes than by solvers that know nothing."""
    solver = DoubleDummy()
    position = next(p for p in endings(8, 50, (8,)) if len(p.hands) == 4 and not p.fewest and not p.trick)
    tricks = solver.tricks(position)
    line = solver.line(position)
    nodes = solver.nodes
    visited = 0
    for card, named in line[:12]:
        position, won = play_card(position, card, named)
        tricks -= won
        fresh = DoubleDummy()
        assert solver.tricks(position) == tricks == fresh.tricks(position)
        visited += fresh.nodes
    assert solver.nodes - nodes < visited / 2


def test_line_is_legal_and_takes_the_value(solver: DoubleDummy) -> None:
    for position in endings(2, 200, (2, 3, 4, 5)):
        assert follow_line(position, solver.line(position)) == solver.tricks(position), position


def follow_line(position: Position, line: tuple[tuple[int, int], ...]) -> int:
    """Tricks of the declarer's side when a line is played card by card, each checked to be legal."""
    ours = 0
    for move in line:
        assert move in legal_moves(position)
        position, won = play_card(position, *move)
        ours += won
    assert not any(position.hands)
    return ours


def test_bo_9_a_joker_that_names_no_suit_lets_all_throw_what_they_like(solver: DoubleDummy) -> None:
    """The same hands without the name: nobody has to give up the ace."""
    hands = tuple(
        int(to_play_order(parse_mask(text, DECK_54), NO_TRUMP, False)) for text in ("X1 KS", "AS 2H", "2S 3H")
    )
    position = Position(hands, NO_TRUMP_FIELD, leader=0, names=False)
    assert [(value.named, value.tricks) for value in solver.cards(position)] == [(0, 1), (0, 1)]
    with pytest.raises(CardError, match="a led joker names no suit"):
        joker = hands[0] & NO_TRUMP_FIELD
        led = replace(position, hands=(hands[0] ^ joker, *hands[1:]), trick=(joker,))
        assert solver.tricks(led) == 1
        solver.tricks(replace(led, named=PLAIN_FIELDS[0]))


@pytest.mark.parametrize("is_shared", [False, True])
def test_two_threads_do_not_disturb_each_other(is_shared: bool) -> None:
    positions = list(endings(5, 300, (5, 6, 7)))
    alone = DoubleDummy()
    expected = [alone.tricks(position) for position in positions]

    def solve_all(_: int) -> list[int]:
        own = alone if is_shared else DoubleDummy()
        return [own.tricks(position) for position in positions]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(solve_all, range(2))) == [expected, expected]


def test_memory_of_a_solver_stays_below_64_megabytes(solver: DoubleDummy) -> None:
    board, table, weights = solver._workspace
    assert 32 * 2**20 < sum(array.nbytes for array in (board, weights, *table)) <= 64 * 2**20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hands": (1, 2)}, "2 hands; expected 3 or 4"),
        ({"hands": (3, 4, 8)}, "hands of 2, 1, 1 cards"),
        ({"hands": (1, 2, 2)}, "stands twice"),
        ({"hands": (DECK_52 & 0x3FFF, 0x3FFF << 14, 0x3FFF << 28)}, "hands of 14 cards"),
        ({"hands": (1, 2, 1 << 60)}, "beyond the 56"),
        ({"leader": 3}, "leader 3 has no seat; expected 0 to 2"),
        ({"declarer": -1}, "declarer -1 has no seat"),
        ({"trumps": 7}, "not a trump field"),
        ({"trick": (8, 16, 32)}, "3 cards in the trick; expected fewer than 3"),
        ({"trick": (24,)}, "masks of one bit"),
        ({"named": PLAIN_FIELDS[0]}, "no joker has been led"),
        ({"hands": (0, 2, 4), "trick": (1 << 54,)}, "the suit it names"),
        ({"hands": (1, 2, 4 | 8), "trick": (16, 1 << 14)}, "does not follow"),
        ({"hands": (1 << 54, 1 << 55, 4)}, "two jokers at no trump"),
    ],
)
def test_impossible_positions_are_refused(solver: DoubleDummy, change: dict[str, object], message: str) -> None:
    position = Position((1, 2, 4), NO_TRUMP_FIELD, leader=0)
    with pytest.raises(CardError, match=message):
        solver.tricks(replace(position, **change))  # type: ignore[arg-type]


def test_many_deals_in_one_call_equal_one_by_one(solver: DoubleDummy) -> None:
    random = np.random.default_rng(6)
    for count, leader, fewest in ((3, 0, False), (3, 2, True), (4, 1, False), (4, 0, True)):
        deals = np.array(
            [
                [cards_mask(int(c) for c in cards[5 * seat : 5 * seat + 5]) for seat in range(count)]
                for cards in (random.permutation(52) for _ in range(20))
            ]
        )
        like = Position((), NO_TRUMP_FIELD, leader, fewest=fewest)
        single = [solver.tricks(replace(like, hands=tuple(int(hand) for hand in deal))) for deal in deals]
        many = solver.tricks_of_many(deals, NO_TRUMP_FIELD, leader, fewest=fewest)
        assert many.tolist() == single
        for tricks in (0, 2, 6):
            made = solver.many_at_least(deals, tricks, NO_TRUMP_FIELD, leader, fewest=fewest)
            assert made.tolist() == [value >= tricks for value in single]


def test_deals_that_share_what_has_been_found_out_equal_minimax(solver: DoubleDummy) -> None:
    """Other hands of the declarer beside the same others, and other layouts beside the same declarer."""
    random = np.random.default_rng(12)
    for case in range(60):
        count = 3 + case % 2
        trump = int(random.integers(5))
        pack = [13 * suit + rank for suit in range(count) for rank in range(8, 13)]
        cards = random.permutation([*pack, JOKER_1]).tolist()
        deals = []
        for row in range(8):
            own = cards[:6]
            rest = cards[6:]
            (own if row < 4 else rest)[:] = random.permutation(own if row < 4 else rest).tolist()
            hands = [own[:3], *(rest[3 * seat : 3 * seat + 3] for seat in range(count - 1))]
            deals.append([to_play_order(cards_mask(hand), trump, True) for hand in hands])
        field = int(trump_field(trump))
        fewest = bool(random.random() < 0.5)
        found = solver.tricks_of_many(np.array(deals), field, 1, fewest=fewest)
        like = Position((), field, 1, fewest=fewest)
        assert found.tolist() == [naive_value(replace(like, hands=tuple(map(int, deal)))) for deal in deals]


def test_one_impossible_deal_among_many_is_refused(solver: DoubleDummy) -> None:
    with pytest.raises(CardError, match="hands of 2, 1, 1 cards"):
        solver.tricks_of_many(np.array([[1, 2, 4], [3, 4, 8]]), NO_TRUMP_FIELD, 0)
    with pytest.raises(CardError, match=r"expected \(number, 3\) or \(number, 4\)"):
        solver.tricks_of_many(np.array([[1, 2]]), NO_TRUMP_FIELD, 0)


# ------------------------------------------------------------------------------------------- a trick under way, typed


def test_the_value_of_a_position_is_that_of_its_best_card_in_the_middle_of_a_trick() -> None:
    """`solve --trick` along lines of both games: what a lead is worth is what is left once it has been played."""
    random = np.random.default_rng(6)
    jokers = 0
    for number in range(30):
        four = number % 2 == 0
        size = int(random.integers(2, 5))
        deck = DECK_52 if four else DECK_32 | 1 << JOKER_1
        seats = ("N", "E", "S", "W") if four else ("declarer", "left", "right")
        dealt = random.permutation(mask_cards(deck))[: len(seats) * size].tolist()
        if not four:
            dealt[number % 3] = JOKER_1 if JOKER_1 not in dealt else dealt[number % 3]
        hands = [dealt[size * at : size * (at + 1)] for at in range(len(seats))]
        trump = random.choice(TRUMPS)
        lead = int(random.integers(len(seats)))
        played = list[str]()
        more = []

        def ask(
            four: bool = four, seats: tuple[str, ...] = seats, hands: list[list[int]] = hands, trump: str = trump,
            lead: int = lead, played: list[str] = played,
        ) -> Any:  # fmt: skip
            if four:
                deal = "N:" + " ".join(hand_text(cards_mask(hand)) for hand in hands)
                return solve_towie(deal, trump=trump, lead=seats[lead], trick=" ".join(played))
            texts = [" ".join(card_texts(hand)) for hand in hands]
            return solve_bowers(*texts, trump=trump, lead=seats[lead], trick=" ".join(played))

        total = ask().tricks
        for step in range(len(seats) - 1):
            found = ask()
            side = (lead + step) % len(seats) in ((0, 2) if four else (0,))
            best = found.leads[0]
            assert found.tricks == total and best.tricks == (total if side else size - total)
            assert found.to_json().get("trick", []) == played and len(found.line) == len(seats) * size - step
            more = play_text(named_card(best.card, best.named))
            jokers += ":" in more
            assert more in {play_text(named_card(one.card, one.named)) for one in found.leads}
            hands[(lead + step) % len(seats)].remove(best.card)
            played.append(more)
        assert ask().tricks == total
        assert (":" in " ".join(played)) == (trump == "NT" and played[0].startswith("X1"))
    assert jokers


def test_a_joker_that_is_led_names_its_suit_in_every_line() -> None:
    answer = solve_bowers("X1 AS", "KC QC", "TC 7H", trump="NT", lead="declarer")
    assert any(text.startswith("X1:") for text in answer.to_json()["line"]) and "X1:" in str(answer).split("line")[1]
    claim = claim_bowers("X1 AS KS", trump="NT", lead="declarer", tricks=3, options={"joker": "add"})
    lines = [*claim.to_json()["proof"]["line"], *(trick["declarer"] for trick in claim.played)]
    assert [text for text in lines if text.startswith("X1")] == [text for text in lines if text.startswith("X1:")] != []


def test_the_line_of_open_hands_names_seats_and_winners_that_add_up() -> None:
    deal = "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763"
    for trump, side in (("S", ("N", "S")), ("NT", ("N", "S"))):
        answer = solve_towie(deal=deal, trump=trump, lead="W")
        rows = [line.split() for line in str(answer).splitlines() if line[:2].strip().isdigit()]
        winners = [row[-1] for row in rows if len(row) == 10]
        assert len(winners) == 13 and sum(seat in side for seat in winners) == answer.tricks
        assert [row[1] for row in rows[1:]] == winners[:-1]  # who wins a trick leads the next
