"""Played bridge deals: LIN and PBN read alike, and the cost of every card as DDS has it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Answer, exhaustive
from tests.kit.test_double_dummy_dds import random_hands
from towerlab.analysis.present.questions import read_boards
from towerlab.analysis.towie.played import CLAIM, grade_play, review_boards
from towerlab.games.cards import card_text, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.pbn import deal_text

dds = pytest.importorskip("endplay.dds")

SEATS = "NESW"
STRAINS = ("C", "D", "H", "S", "NT")
NAMES = ("Anna", "Bert", "Cora", "Dirk")


class Played:
    """A board of random legal cards, and the naive rules of bridge."""

    def __init__(self, random: np.random.Generator, number: int, cards: int = 52) -> None:
        self.number = number
        self.hands = random_hands(random, 13, 0.6)
        self.strain, self.declarer, self.dealer = (int(random.integers(of)) for of in (5, 4, 4))
        left, self.tricks, leader = [set(mask_cards(hand)) for hand in self.hands], [], (self.declarer + 1) % 4
        self.won = 0
        for _ in range(13):
            trick: list[int] = []
            for step in range(4):
                hand = left[(leader + step) % 4]
                follow = [card for card in hand if trick and card // 13 == trick[0] // 13] or list(hand)
                trick.append(int(random.choice(sorted(follow))))
                hand.remove(trick[-1])
                if 4 * len(self.tricks) + len(trick) == cards:
                    break
            self.tricks.append(trick)
            if len(trick) < 4:
                break
            best = max(trick, key=lambda card: (card // 13 == self.strain, card // 13 == trick[0] // 13, card))
            leader = (leader + trick.index(best)) % 4
            self.won += (leader - self.declarer) % 2 == 0
            if 4 * len(self.tricks) == cards:
                break

    @property
    def cards(self) -> list[str]:
        return [card_text(card) for trick in self.tricks for card in trick]

    def lin(self, claimed: int | None = None) -> str:
        hands = [[card_text(card) for card in mask_cards(hand)] for hand in self.hands]
        held = [",".join("".join(s + "".join(c[0] for c in hand if c[1] == s) for s in "SHDC") for hand in
                         (hands[2], hands[3], hands[0])) + ","]  # fmt: skip
        calls = ["p"] * ((self.declarer - self.dealer) % 4) + [f"1{STRAINS[self.strain][0]}!", "d", "p", "p", "p"]
        parts = [("qx", f"o{self.number}"), ("pn", ",".join(NAMES[seat] for seat in (2, 3, 0, 1))), ("st", "")]
        parts += [("md", f"{'SWNE'.index(SEATS[self.dealer]) + 1}{held[0]}"), ("sv", "oneb"[self.number % 4])]
        parts += [*(("mb", call) for call in calls), ("pg", ""), *(("pc", card[1] + card[0]) for card in self.cards)]
        parts += [] if claimed is None else [("mc", str(claimed))]
        return "|".join(f"{name}|{value}" for name, value in parts) + "|\n"

    def pbn(self) -> str:
        """With the columns of the play from West on, whoever leads."""
        holder = {card: seat for seat, hand in enumerate(self.hands) for card in mask_cards(hand)}
        tags = {"Event": "", "Board": self.number, "Dealer": SEATS[self.dealer], "Deal": deal_text(self.hands),
                "Vulnerable": ("None", "NS", "EW", "All")[self.number % 4], "Declarer": SEATS[self.declarer],
                "Contract": f"1{STRAINS[self.strain]}X", "North": NAMES[0], "East": NAMES[1], "South": NAMES[2],
                "West": NAMES[3]}  # fmt: skip
        lines = [f'[{name} "{value}"]' for name, value in tags.items()] + ['[Play "W"]']
        for trick in self.tricks:
            row = dict.fromkeys((3, 0, 1, 2), "-") | {holder[card]: card_text(card)[::-1] for card in trick}
            lines.append(" ".join(row[seat] for seat in (3, 0, 1, 2)))
        return "\n".join(lines) + "\n*\n\n"


def expected_costs(board: Played) -> list[int]:
    """By DDS's own analysis of a play: declarer's tricks before the first card and after each."""
    from endplay.types import Card, Deal, Denom, Player

    deal = Deal(deal_text(board.hands))
    deal.trump = Denom.find(STRAINS[board.strain])
    deal.first = Player.find(SEATS[(board.declarer + 1) % 4])
    tricks = list(dds.analyse_play(deal, [Card(card[1] + card[0]) for card in board.cards]))
    holder = {card_text(card): seat for seat, hand in enumerate(board.hands) for card in mask_cards(hand)}
    sides = [1 if (holder[card] - board.declarer) % 2 == 0 else -1 for card in board.cards]
    changes = [before - after for before, after in itertools.pairwise(tricks)]
    # DDS says nothing after the last trick, in which nobody has a choice.
    return [side * change for side, change in zip(sides, [*changes, 0, 0, 0, 0], strict=False)]


def write(folder: Path, boards: Sequence[Played], suffix: str) -> Path:
    path = folder / f"match.{suffix}"
    path.write_text("".join(board.lin() if suffix == "lin" else board.pbn() for board in boards))
    return path


@pytest.mark.parametrize(("seed", "number"), [(1, 2), exhaustive(2, 30)])
def test_every_card_costs_what_dds_says(seed: int, number: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    boards = [Played(random, place) for place in range(1, number + 1)]
    reviews = [review_boards(write(tmp_path, boards, suffix), jobs=1) for suffix in ("lin", "pbn")]
    assert reviews[0].plays == reviews[1].plays and reviews[0].errors is None and reviews[0].boards == number
    for board in boards:
        rows = [row for row in reviews[0].plays if row["board"] == str(board.number)]
        assert [row["card"] for row in rows] == board.cards
        assert [row["cost"] for row in rows] == expected_costs(board)
        assert rows[-1]["tricks"] == board.won
        assert all(row["player"] != NAMES[(board.declarer + 2) % 4] for row in rows)  # dummy chooses nothing
    assert sum(row["cost"] for row in reviews[0].players) == sum(row["cost"] for row in reviews[0].plays)
    assert sum(row["leads"] for row in reviews[0].players) == number


@pytest.mark.parametrize("cards", [0, 1, 6, 23, 48])
def test_lin_and_pbn_are_read_alike(cards: int, tmp_path: Path) -> None:
    random = np.random.default_rng(cards)
    boards = [Played(random, place, cards) if cards else Played(random, place, 1) for place in range(1, 9)]
    lin, pbn = (read_boards(write(tmp_path, boards, suffix)) for suffix in ("lin", "pbn"))
    for board, one, other in zip(boards, lin, pbn, strict=True):
        assert (one.number, one.deal, one.dealer, one.vulnerable, one.declarer, one.contract, one.players) == (
            (other.number, other.deal, other.dealer, other.vulnerable, other.declarer, other.contract, other.players)
        )  # fmt: skip
        assert [sorted(trick) for trick in one.play] == [sorted(trick) for trick in other.play]
        assert one.deal == deal_text(board.hands) and one.contract == f"1{STRAINS[board.strain]}X"


def test_a_claim_costs_what_it_gives_away(tmp_path: Path) -> None:
    board = Played(np.random.default_rng(5), 1, 20)
    path = tmp_path / "claim.lin"
    path.write_text(board.lin())
    kept = review_boards(path, jobs=1).plays[-1]["tricks"]
    for claimed in (kept - 1, kept, kept + 2):
        path.write_text(board.lin(claimed))
        last = review_boards(path, jobs=1).plays[-1]
        assert (last["card"] == CLAIM) == (claimed != kept)
        if claimed != kept:
            assert last["cost"] == abs(claimed - kept) and last["tricks"] == claimed
            assert (last["seat"] == SEATS[board.declarer]) == (claimed < kept)


DEAL = "N:A2... KQ... 3.2.. 4.3.."


@pytest.mark.parametrize(
    ("play", "why", "graded"),
    [
        ("S4 SA SK S3 / S2 SQ H2 H3", None, 8),
        ("SA S4 S3 SK / S2 SQ", None, 6),
        ("H3 S2 SK S3", "trick 1: S plays 3S; expected a card of the suit led", 3),
        ("H3 S2 SK C3", "a card that is in no hand", 0),
        ("H3 S2 SA", "two of one", 0),
        ("S4 SK / S2 SQ H2 H3", None, 1),  # North's card is unknown
    ],
)
def test_play_that_cannot_be_ends_the_costs(play: str, why: str | None, graded: int) -> None:
    found = grade_play(DEAL, "1NT", "S", play)
    assert len(found["costs"]) == graded
    assert found["problem"] is None if why is None else why in found["problem"]


def test_more_tricks_than_cards_are_no_claim() -> None:
    found = grade_play(DEAL, "1NT", "S", "SA S4 S3 SK", 3)
    assert len(found["costs"]) == 4 and found["problem"] == "declarer took 3 tricks; expected 0 to 2"


def test_the_command_reviews_a_match(tmp_path: Path, inside: Callable[..., Answer]) -> None:
    random = np.random.default_rng(8)
    path = write(tmp_path, [Played(random, 1), Played(random, 2)], "lin")
    path.write_text(path.read_text() + "qx|o9|pn|a,b,c,d|md|1S2,H2|mb|p|\n")
    reviewed = inside("review", str(path), "--out", str(tmp_path / "costs.csv"), "--quiet")
    answer = reviewed.stdout
    assert reviewed.status == 2 and reviewed.stderr.startswith(
        "towerlab: 1 of 3 boards not reviewed: board 9: line 3: '1S2,H2'"
    )
    assert json.loads(inside("review", str(path), "--quiet", "--json").stdout)["errors"].keys() == {"9"}
    assert "3 boards, 104 cards" in answer and "Board 9: line 3: '1S2,H2' is no deal" in answer
    assert len((tmp_path / "costs.csv").read_text().splitlines()) == 105
    with pytest.raises(TowerlabError, match="cannot hold the cost of cards"):
        review_boards(path, tmp_path / "x.pbn")
    with pytest.raises(TowerlabError, match=r"is no file of bridge deals; expected \.pbn or \.lin"):
        review_boards(tmp_path / "costs.csv")
    assert isinstance(review_boards(path, jobs=1).to_frame("players")["cost"].sum(), np.integer)


def test_two_tables_of_a_board_are_told_apart(tmp_path: Path, inside: Callable[..., Answer]) -> None:
    """Open and closed room: their errors, their cards and how many boards a player has played."""
    random = np.random.default_rng(9)
    path = tmp_path / "match.lin"
    played = Played(random, 7).lin()
    wrong = "pn|a,b,c,d|md|1S{},H2|mb|p|\n"
    path.write_text(played + played.replace("qx|o7", "qx|c7") + f"qx|o9|{wrong.format(2)}qx|c9|{wrong.format(3)}")
    review = review_boards(path, jobs=1)
    assert review.errors is not None and [*review.errors] == ["9", "9, table 2"]
    assert "'1S2,H2'" in review.errors["9"] and "'1S3,H2'" in review.errors["9, table 2"]
    assert [(row["board"], row["table"]) for row in review.plays] == [("7", 1)] * 52 + [("7", 2)] * 52
    assert all(row["boards"] == 2 for row in review.players)
    assert "Board 9, table 2: line " in inside("review", str(path), "--quiet").stdout
