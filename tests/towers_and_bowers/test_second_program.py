"""The solution with floors of three cards against a second program that has its own rules and solver."""

from __future__ import annotations

import csv
import itertools

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.oracles.second_program import MIRRORED, SPADES, Array, Calls, meets, solve_calls, values

DATA = ROOT / "analysis" / "towers_and_bowers" / "data"
RANKS = "9TJQKA"
DECISIONS = (  # in the order of the file's probabilities, and what each can choose of in that of its values
    ("accept", "pass"),
    ("name_C", "name_D", "name_H", "name_pass"),
    ("discard_1", "discard_2", "discard_3"),
    ("answer", "answer_pass"),
    ("own_discard_1", "own_discard_2", "own_discard_3"),
    ("left_C", "left_D", "left_H"),
)
SPREAD = np.array([13 * (card // 6) + 7 + card % 6 for card in range(24)])  # the bit of each card in the file


def shipped(rank: str) -> tuple[list[Array], Array, dict[str, str]]:
    """By class: P(each choice) of every decision, the values beside them; the row of the up-card in the table."""
    with (DATA / "exact-bidding-3-up-cards.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["up"] == f"{rank}S")
    stored = np.load(DATA / "exact-bidding-3.npz")
    parts = np.split(stored[f"{rank}S-shares"].T / float(row["one"]), np.cumsum([1, 4, 3, 1, 3]), axis=1)
    mixes = [np.hstack([part, 1 - part]) if part.shape[1] == 1 else part for part in parts]
    return [mix / mix.sum(1, keepdims=True) for mix in mixes], stored[f"{rank}S-values"].T, row


def every_hand(rank: str, mixes: list[Array], floor: float) -> tuple[Calls, Array]:
    """What is done with every hand, no call less than the floor, and the row of each class among the hands."""
    up = 6 * SPADES + RANKS.index(rank)
    hands = np.array(list(itertools.combinations([card for card in range(24) if card != up], 3)))
    twins = np.sort(MIRRORED[hands], 1)
    masks, twin_masks = ((1 << SPREAD[cards]).sum(1) for cards in (hands, twins))
    classes = {mask: row for row, mask in enumerate(np.cumsum(np.load(DATA / "exact-bidding-3.npz")[f"{rank}S-hands"]))}
    stands = np.array([mask in classes for mask in masks])
    of = [classes[mask] for mask in np.where(stands, masks, twin_masks)]
    first, names, discards, answers, own_discards, left = (mix[of] for mix in mixes)
    swapped = [0, 2, 1, 3]
    names[~stands], left[~stands] = names[~stands][:, swapped], left[~stands][:, swapped[:3]]
    places = np.where(stands[:, None], range(3), (MIRRORED[hands][..., None] > twins[:, None]).sum(2))
    discards, own_discards = (np.take_along_axis(part, places, 1) for part in (discards, own_discards))
    first, names, answers, left = (floor + (1 - floor * part.shape[1]) * part for part in (first, names, answers, left))
    every = Calls(hands, first[:, 0], names, discards, answers[:, 0], own_discards, left)
    return every, np.flatnonzero(stands)[np.argsort(masks[stands])]


@pytest.mark.exhaustive
@pytest.mark.parametrize("rounds", [(2,), (1, 2)])  # two and some eight minutes of processor an up-card
@pytest.mark.parametrize("rank", RANKS)
def test_three_cards_with_floors_agree_with_a_second_program(rank: str, rounds: tuple[int, ...]) -> None:
    """Beside an up-card, all 1,001 classes of hands: what each call wins who makes it, within what best replies gain.

    Given who calls what, a contract has one value, but plays that are as good to a fraction of a mt: single hands win
    more by one and less by another (beside a nine 3 mt on the mean, 58 at most), so that means of a call are compared.
    """
    mixes, stored, row = shipped(rank)
    calls, rows = every_hand(rank, mixes, float(row["floor"]))
    found, gains = values(6 * SPADES + RANKS.index(rank), calls, float(row["next_deal"]), 24, rounds)
    assert max(gains.values()) < 3e-4
    most = max(gains.values()) + sum(float(row[name]) for name in ("passed_twice_gain", "named_gain"))
    dealt = (1 << calls.hands).sum(1)
    met, passes, refuses = meets(dealt, dealt), 1 - calls.accept, 1 - calls.answer
    reach = {"accept": calls.accept, "answer": calls.answer * (met @ passes)}
    for place, suit in enumerate("CDH"):
        reach[f"name_{suit}"] = passes * calls.names[:, place] * (met @ refuses)
        reach[f"left_{suit}"] = refuses * calls.left[:, place] * (met @ (passes * calls.names[:, 3]))
    reach["name_pass"] = passes * calls.names[:, 3] * (met @ refuses)
    twins = 2 - (np.sort(MIRRORED[calls.hands], 1) == calls.hands).all(1)[rows]
    columns = {name: column for column, name in enumerate(itertools.chain.from_iterable(DECISIONS))}
    for name in reach.keys() & found.keys():
        more = found[name][rows] - stored[:, columns[name]]
        assert abs(np.average(more, weights=twins * reach[name][rows])) < most, name


@pytest.mark.exhaustive
@pytest.mark.parametrize("rank", "TQA")
def test_three_cards_solved_anew_are_as_far_away_as_is_said(rank: str) -> None:
    """The second program learns the calls, too: by decision, values of hands within the spread that ships.

    Four minutes of processor an up-card.
    """
    mixes, stored, row = shipped(rank)
    calls, rows = every_hand(rank, mixes, float(row["floor"]))
    up, deal = 6 * SPADES + RANKS.index(rank), float(row["next_deal"])
    found = solve_calls(up, calls, deal, float(row["floor"]), 40)[1]
    hands = 2 - (np.sort(MIRRORED[calls.hands], 1) == calls.hands).all(1)[rows]
    columns = {name: column for column, name in enumerate(itertools.chain.from_iterable(DECISIONS))}
    measured = {}
    for decision, name in zip(DECISIONS, ("accept", "name", "discard", "answer", "own_discard", "left"), strict=True):
        theirs = np.stack([found[call][rows] for call in decision], axis=1)
        ours = stored[:, [columns[call] for call in decision]]
        apart = np.abs(theirs.max(1) - ours.max(1))
        lost = theirs.max(1) - theirs[np.arange(len(ours)), ours.argmax(1)]
        measured[name] = np.average(apart, weights=hands), float(row[f"{name}_spread"]), apart.max(), lost.max()
        print(
            f"{name}: mt apart, that ships, worst, best call loses:", *(f"{1e3 * each:.2f}" for each in measured[name])
        )
    for name, (mean, spread, _, lost) in measured.items():
        assert mean <= spread + 1e-4, name
        assert lost <= 0.01, name  # no call that is named as the best loses more than a point
