"""How many tricks does best play make of three open hands of Bowers? And one line of it.

>>> from towerlab.analysis.bowers.open_hands import solve_open_hands
>>> solve_open_hands("JC JS", "KC 7H", "AH KH", trump="C").tricks
2
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from towerlab.analysis.present.open_hands import SolvedHands, hands_row, with_trick
from towerlab.analysis.question_rows import Arguments, BatchQuestion, Row, answer_each
from towerlab.games.bits import lowest_index
from towerlab.games.bowers import ANY_PACK, HAND_SIZE, BowersOptions
from towerlab.games.cards import card_text, parse_mask, parse_trump, to_play_order, trump_field
from towerlab.games.errors import CardError, TowerlabError, blame
from towerlab.solver.double_dummy import Position, shared_solver

SEATS: Final = ("declarer", "left", "right")


@dataclass(frozen=True)
class OpenHands(
    SolvedHands,
    shown_by="towerlab.analysis.bowers.present:hands_report",
    keys="trump lead trick? tricks=by_side leads line misere at_least=reached?",
):
    """Best play of three hands, the declarer against both.

    Attributes:
        misere: whether the declarer plays to lose.
        at_least: a number of tricks and whether the declarer takes it, or None.
    """

    game = "bowers"
    sides = ("declarer", "defenders")
    bowers = True

    misere: bool = False
    at_least: tuple[int, bool] | None = None

    def to_row(self) -> dict[str, Any]:
        return _row(self.tricks, self.tricks + self.others, None if self.at_least is None else self.at_least[0])

    @property
    def reached(self) -> Mapping[str, Any] | None:
        return None if self.at_least is None else dict(zip(("tricks", "made"), self.at_least, strict=True))


def solve_open_hands(*hands: str, **question: Any) -> OpenHands:
    """Return best play of three open hands; its arguments and errors are those of `read_position`."""
    position, by_seat, suit = read_position(*hands, **question)
    answer = OpenHands.of(position, by_seat, suit)
    at_least = question.get("at_least")
    reached = None if at_least is None else (at_least, answer.tricks >= at_least)
    return replace(answer, misere=position.fewest, at_least=reached, options=question.get("options"))


def read_position(
    declarer: str,
    left: str,
    right: str,
    *,
    trump: str,
    lead: str = SEATS[0],
    trick: str = "",
    misere: bool = False,
    at_least: int | None = None,
    options: BowersOptions | None = None,
) -> tuple[Position, dict[str, int], int]:
    """Return the position to solve, the printed hands by seat, and the trump 0..4.

    Args:
        declarer, left, right: their cards, as many in each; the joker X1 may be among them.
        trump: S, H, D, C or NT.
        lead: ``"declarer"``, ``"left"`` or ``"right"``: the leader of the next trick, or of the one under way.
        trick: the trick's cards in order of play, which no hand holds any more; a joker led at no trump as ``X1:D``.
        misere: the declarer wants as few tricks as possible.
        at_least: a number of tricks; the answer then also says whether the declarer takes so many.
        options: the rule options: whether a joker led at no trump names a suit (BO-9).

    Raises:
        TowerlabError: cards, trump or seat that cannot be; hands of different sizes.
    """
    if misere and at_least is not None:
        fault = TowerlabError("--at-least asks for tricks, --misere for none; expected one of them")
        raise blame(fault, "at_least", "misere")
    suit = parse_trump(trump)
    texts = dict(zip(SEATS, (declarer, left, right), strict=True))
    hands = {seat: parse_mask(text, ANY_PACK, f"{seat}'s hand") for seat, text in texts.items()}
    _check_hands(hands, bool(trick))
    if lead not in SEATS:
        raise blame(TowerlabError(f"{lead!r} is not a seat; expected one of {', '.join(SEATS)}"), "lead")
    size = max(hand.bit_count() for hand in hands.values())
    if at_least is not None and not 0 <= at_least <= size:
        raise blame(TowerlabError(f"--at-least {at_least}; expected 0 to {size} tricks"), "at_least")
    masks = tuple(int(to_play_order(hand, suit, True)) for hand in hands.values())
    names = options is None or options.joker_names_suit
    leader = SEATS.index(lead)
    position = Position(masks, int(trump_field(suit)), leader, fewest=misere, names=names)
    return with_trick(position, trick, suit, True), hands, suit


def _check_hands(hands: Mapping[str, int], mid_trick: bool) -> None:
    sizes = {seat: hand.bit_count() for seat, hand in hands.items()}
    if (len(set(sizes.values())) != 1 and not mid_trick) or not 1 <= max(sizes.values()) <= HAND_SIZE:
        counts = ", ".join(f"{seat} {size}" for seat, size in sizes.items())
        raise CardError(f"hands of {counts} cards; expected the same number, 1 to {HAND_SIZE}, in each")
    for first, second in itertools.combinations(hands, 2):
        if common := hands[first] & hands[second]:
            card = card_text(int(lowest_index(common)))
            raise CardError(f"{card} stands in {first}'s and in {second}'s hand; expected every card once")


def _answer(arguments: Arguments, options: BowersOptions) -> Row:
    position, hands, _ = read_position(**arguments, options=options)
    size = max(hand.bit_count() for hand in hands.values())
    return _row(shared_solver().tricks(position), size, arguments.get("at_least"))


def _row(tricks: int, size: int, at_least: int | None) -> dict[str, Any]:
    made = {} if at_least is None else {"made": tricks >= at_least}
    return hands_row({"declarer": tricks, "defenders": size - tricks}) | made


BATCH: Final = BatchQuestion("bowers", read_position, answer_each(_answer), BowersOptions, rows=100)
