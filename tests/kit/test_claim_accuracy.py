"""The studies `claim-accuracy` of Bowers and Towie: the positions, the ways of claiming, the tables."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from towerlab.analysis.bowers.studies import claim_accuracy as bowers
from towerlab.analysis.catalog import find_study
from towerlab.analysis.claims.accuracy import (
    ALL,
    FEW,
    MANY,
    PROVER,
    TOP,
    TRUMPS,
    combine,
    fewest_tricks,
    judge_position,
    top_tricks,
)
from towerlab.analysis.claims.asking import Claimant
from towerlab.analysis.study.definition import default_parameters, parse_parameters
from towerlab.analysis.towie.studies import claim_accuracy as towie
from towerlab.games.bowers import BowersOptions
from towerlab.games.towie import TowieOptions
from towerlab.solver.claims.certificate import certify
from towerlab.solver.claims.checker import check
from towerlab.solver.claims.judging import all_layouts, draw_layout, guaranteed_between
from towerlab.solver.double_dummy import Position, shared_solver

SMALL: dict[str, Any] = {"nodes": 500, "limit": 2_000, "layouts": 300}


def bowers_positions(number: int, joker: str = "none") -> list[Claimant]:
    options = BowersOptions(joker=joker)
    return list(bowers.positions_of_deal(options, "novice", number, np.random.default_rng(number)))


def towie_positions(seed: int) -> list[Claimant]:
    return list(towie.positions_of_deal(TowieOptions(), "novice", np.random.default_rng(seed)))


def late(positions: list[Claimant]) -> list[Claimant]:
    return [one for one in positions if one.knowledge.belief.tricks <= 5]


def fits(one: Claimant) -> bool:
    """Whether the cards lie as the claimant thinks possible."""
    belief = one.knowledge.belief
    pools = dict(zip(belief.hidden, belief.pools, strict=True))
    return all(
        belief.own[seat] & ~hand == 0 and hand & ~(belief.own[seat] | pools.get(seat, 0)) == 0
        for seat, hand in enumerate(one.hands)
    )


def test_positions_of_bowers_are_possible_and_every_fourth_deal_is_a_misere() -> None:
    for number, joker in ((0, "none"), (1, "none"), (3, "add"), (4, "add"), (5, "replace_7c")):
        positions = bowers_positions(number, joker)
        assert all(fits(one) for one in positions), number
        roles = {one.role for one in positions}
        assert roles == ({"misère"} if number % 4 == 0 else {"declarer", "defender"})
        assert [one.knowledge.belief.tricks for one in positions if one.knowledge.role == 0] == list(range(10, 1, -1))


def test_positions_of_towie_are_possible_and_there_are_goulashes_and_doubled_contracts() -> None:
    deals = [towie_positions(seed) for seed in range(24)]
    assert all(fits(one) for deal in deals for one in deal)
    contracts = {deal[0].contract for deal in deals}
    assert any("goulash" in words for words in contracts) and any("X" in words for words in contracts)
    for deal in deals:
        assert [one.knowledge.belief.tricks for one in deal[::2]] == list(range(12, 1, -1))
        assert {one.role for one in deal} == {"declarer", "defender"}


@pytest.mark.parametrize("kind", ["misère", "joker", "goulash", "doubled"])
def test_what_is_proved_of_a_position_is_certified_and_checked(kind: str) -> None:
    if kind in ("misère", "joker"):
        deals = [bowers_positions(4 if kind == "misère" else 1, "add" if kind == "joker" else "none")]
    else:
        deals = [towie_positions(seed) for seed in range(24)]
    mark = {"misère": "misère", "joker": "", "goulash": "goulash", "doubled": "X"}[kind]
    one = next(one for deal in deals for one in late(deal) if mark in one.contract and one.role != "defender")
    known = one.knowledge
    seating = one.knowledge.seating
    low, _ = guaranteed_between(known.belief, 50_000)
    written = certify(known.belief, low, True, known.trump, seating.bowers, seating.seats, 50_000)
    assert check(written)[0]


def test_fewest_tricks_are_those_of_the_worst_layout() -> None:
    draw = random.Random(1)
    positions = [*late(bowers_positions(1)), *late(bowers_positions(0)), *late(towie_positions(2))]
    for one in positions:
        belief = one.knowledge.belief
        misere = one.knowledge.misere
        layouts = [draw_layout(belief, draw) for _ in range(6)]
        tricks = []
        for layout in layouts:
            position = Position(belief.with_layout(layout).own, belief.trumps, belief.leader, fewest=misere)
            declarers = shared_solver().tricks(position)
            tricks.append(declarers if 0 in belief.scoring else belief.tricks - declarers)
        assert fewest_tricks(belief, layouts, misere) == min(tricks)
        for below in range(belief.tricks + 1):
            assert fewest_tricks(belief, layouts, misere, below) == min(below, *tricks)


def test_what_is_proved_is_never_more_than_double_dummy_play_takes_in_any_layout() -> None:
    seen = 0
    for one in [*late(bowers_positions(2)), *late(bowers_positions(4)), *late(towie_positions(3))]:
        belief = one.knowledge.belief
        if belief.layouts > 300:
            continue
        row = judge_position(one, random.Random(0), SMALL)
        every = fewest_tricks(belief, list(all_layouts(belief)), one.knowledge.misere)
        assert row["low"] <= row["high"] <= every
        if not one.knowledge.misere:
            assert row["low"] >= row[PROVER] and row[FEW] >= row[MANY] >= row[ALL] == every
        seen += 1
    assert seen > 6


@pytest.mark.parametrize(
    ("words", "tricks"),
    [
        ("bowers --hand JC,JS,AC --trump C --lead declarer", 3),
        ("bowers --hand JC,AC,KC --trump C --lead declarer", 1),  # the left bower is out
        ("bowers --hand JC,AC,KC,AS --trump C --lead declarer --void left:C --void right:C", 4),
        ("bowers --misere --hand 7S,8S,TH --lead left", 2),
        ("towie --hand AK2.A.. --dummy Q43.K.. --trump NT --lead declarer", 4),  # the king falls with the ace
        ("towie --role left --hand A2... --dummy K3... --trump NT --lead declarer", 1),
    ],
)
def test_top_tricks(words: str, tricks: int) -> None:
    question: dict[str, Any] = {}
    game, *rest = words.split()
    for name, text in zip(rest, [*rest[1:], ""], strict=True):
        if name.startswith("--"):
            question[name[2:]] = True if name == "--misere" else (question.get(name[2:], "") + " " + text).strip()
    room = {"bowers": "towerlab.analysis.bowers.claims", "towie": "towerlab.analysis.towie.claims"}[game]
    reader = __import__(room, fromlist=["read_question"]).read_question
    if game == "towie":
        question["seen"] = _rest_of_the_pack(question["hand"], question["dummy"])
    question.setdefault("trump", None)
    assert top_tricks(reader(**question, tricks=1).knowledge.belief) == tricks


def _rest_of_the_pack(hand: str, dummy: str) -> str:
    """Seen cards that leave the hidden hands as many as they need: low clubs and diamonds."""
    from towerlab.games.cards import DECK_52, mask_cards, mask_text
    from towerlab.games.pbn import parse_hand

    size = sum(rank.isalnum() for rank in hand)
    held = [parse_hand(text, size, "a hand") for text in (hand, dummy)]
    unseen = mask_cards(DECK_52 & ~sum(held))[: 2 * size]
    return mask_text(DECK_52 & ~sum(held) & ~sum(1 << card for card in unseen))


def frame(rows: list[Mapping[str, Any]]) -> pd.DataFrame:
    usual = {"role": "declarer", "contract": "4S", "layouts": 10, TOP: 0.0, FEW: 0.0, ALL: np.nan}
    usual |= {TRUMPS: 0.0}
    return pd.DataFrame([usual | {MANY: 0.0, PROVER: 0.0} | row for row in rows])


def test_false_unsettled_and_missed_claims_are_counted() -> None:
    names = ("deal", "to_come", "low", "high", TOP, MANY, PROVER)
    counted = [(0, 3, 2, 2, 1.0, 3.0, 2.0), (0, 2, 2, 2, 2.0, 2.0, 0.0)]
    counted += [(1, 3, 1, 2, 1.0, 2.0, 1.0), (1, 2, 0, 0, 0.0, 1.0, 0.0)]
    others = ({}, {}, {"contract": "4SX"}, {})
    rows = frame([dict(zip(names, row, strict=True)) | more for row, more in zip(counted, others, strict=True)])
    result = combine([rows], default_parameters(towie.CLAIMING))
    ways = result.tables["ways"].set_index("way")
    assert ways.loc[MANY, ["claims", "false", "unsettled", "missed"]].tolist() == [4, 50, 25, 0]
    assert ways.loc[TOP, ["claims", "false", "unsettled"]].tolist() == [3, 0, 0]
    assert ways.loc[TOP, "missed"] == pytest.approx(100 / 3) and ways.loc[PROVER, "missed"] == 100
    assert ways.loc[ALL, "claims"] == 0
    assert 0 < ways.loc[TOP, "false_high"] <= 100  # nothing found in two deals is not nothing at all
    assert result.summary["settled"]["mean"] == 0.75 and result.summary["doubled_deals"] == 1


@pytest.mark.parametrize(("game", "options"), [("bowers", ["joker=add"]), ("towie", [])])
def test_a_small_study_is_the_same_twice(game: str, options: list[str]) -> None:
    study = find_study(game, "claim-accuracy")
    sizes = [f"{name}={value}" for name, value in {**SMALL, "chunks": 1, "deals": 1}.items()]
    parameters = parse_parameters(study, sizes, options)
    rows = [study.run_chunk(1, np.random.SeedSequence(3), parameters) for _ in range(2)]
    pd.testing.assert_frame_equal(*rows)
    assert (rows[0]["low"] <= rows[0]["high"]).all() and (rows[0]["high"] <= rows[0]["to_come"]).all()
