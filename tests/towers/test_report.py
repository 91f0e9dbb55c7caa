"""Studies and report of Towers, on samples far too small to publish."""

from __future__ import annotations

import functools
from xml.etree import ElementTree

import numpy as np
import pytest

from towerlab.analysis.report.render import render_page
from towerlab.analysis.report.studies import Run
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study import map_chunks
from towerlab.analysis.study.definition import default_parameters
from towerlab.analysis.towers.report import REPORT, board_svg, build
from towerlab.analysis.towers.studies import (
    RULE,
    STUDIES,
    TIES,
    combine,
    mean_of_moments,
    rule_cells,
    seat_cells,
    weights_of,
)
from towerlab.games.towers import Board, TowersOptions
from towerlab.games.towers.records import actions_of
from towerlab.games.towers.rules import NO_LOG, PACK_SIZE, resolve
from towerlab.games.towers.state import HANDS, NOBODY, ON_TURN, PACK, act, deal, new_state
from towerlab.sim.towers.games import best_points, choose_as_builder, new_memory, shuffled_packs
from towerlab.solver.towers.search import count_unseen

SMALL = {part.study.name: part.small for part in REPORT.parts}


@functools.cache
def tiny_studies():
    runs = {}
    for name, study in STUDIES.items():
        parameters = default_parameters(study) | SMALL[name]
        chunks = study.count_chunks(parameters)
        done = map_chunks(study.run_chunk, chunks, seed=3, jobs=1, parameters=parameters, quiet=True)
        runs[name] = Run(study, 3, study.combine(done, parameters), {})
    return runs


@pytest.mark.slow
def test_the_page_is_built_and_adds_up(monkeypatch):
    monkeypatch.setattr("towerlab.analysis.towers.report._DEALS", 2_000)  # of the worked hands: 10,000 take 14 seconds
    page = build(tiny_studies(), 3, "towerlab report towers --seed 3")
    assert not page.answer[0].startswith("{")
    html = render_page(page)
    assert len(html) < 1_000_000
    for words, _ in RULE:
        assert words.lower() in html.lower()
    assert "supports never fail" in html and "ever came up in" in html


def test_the_rule_for_the_table_is_what_its_clauses_say():
    """In random games the builder with the rule's weights plays what the sentence leaves, read clause by clause."""
    rules = TowersOptions().rules()
    memory = new_memory(2, 2, weights_of(len(RULE)))
    random = np.random.default_rng(4)
    asked = razed = 0
    for pack in shuffled_packs(5, random):
        state = new_state(2)
        state[PACK, 1 : PACK_SIZE + 1] = pack
        deal(state, 0)
        while state[ON_TURN, 0] != NOBODY:
            legal = actions_of(state, rules).tolist()
            chosen = choose_as_builder(state, rules, random, memory)
            keys = {action: _keys(state, action, rules, memory) for action in legal}
            assert chosen == max(keys, key=keys.__getitem__)
            asked += len(legal) > 1
            razed += legal[0] < 8
            act(state, chosen, rules, NO_LOG)
    assert asked > 50 and razed > 5
    assert (
        "a tower before a bridge, the one farthest left" in TIES and "to raze, choose the tower in the same way" in TIES
    )


def _keys(state, action, rules, memory):
    """What the sentence compares of a play or a raze, each clause counted afresh."""
    me = state[ON_TURN, 0]
    seen = state[:4].copy()
    now = resolve(seen, action, rules, NO_LOG)
    spent = action >> 3
    held = [int(state[HANDS + me, value]) - (value == spent) for value in range(1, 14)]
    unseen = np.zeros(14, dtype=np.int64)
    total = count_unseen(state, me, unseen)
    other = (me + 1) % 2
    can = [value for value in range(1, 14) if unseen[value] and state[HANDS + other, 0] and total]
    taken = max((best_points(seen, value, rules, memory) for value in can), default=0)
    mine = max((best_points(seen, v, rules, memory) for v in range(1, 14) if held[v - 1]), default=0)
    return now, -taken, mine, -spent, -(action & 7)


def test_every_study_answers_for_every_cell():
    for name, cells_of in (("rule", rule_cells), ("seats", seat_cells)):
        means = tiny_studies()[name].tables["means"]
        cells = cells_of(default_parameters(STUDIES[name]) | SMALL[name])
        assert set(means["cell"]) == {cell.name for cell in cells}
        assert (means["low"] <= means["mean"]).all()
        assert (means["mean"] <= means["high"]).all()


def test_results_do_not_depend_on_when_a_chunk_runs():
    study = STUDIES["rule"]
    parameters = default_parameters(study) | {"games": 40, "search_games": 4}
    assert study.count_chunks(parameters) > 6

    def run(chunk):
        return study.run_chunk(chunk, np.random.SeedSequence(5, spawn_key=(chunk,)), parameters)

    forward = list(map(run, range(6)))
    again = list(map(run, reversed(range(6))))[::-1]
    first, second = (combine(frames, parameters).tables for frames in (forward, again))
    assert first["means"].equals(second["means"])


def test_moments_give_the_interval_of_the_values():
    values = np.random.default_rng(1).normal(2.0, 3.0, 4_000)
    mean, half = mean_of_moments(len(values), values.sum(), (values**2).sum())
    expected = mean_interval(values)
    assert mean == pytest.approx(expected.mean)
    assert half == pytest.approx(expected.high - expected.mean, rel=1e-3)


def test_a_board_is_drawn_with_every_section():
    root = ElementTree.fromstring(board_svg(Board.parse("8 3b | Q 9 3b | K | -")))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert sorted(texts) == sorted(["8", "3", "Q", "9", "K", "T1", "T2", "T3", "T4"])
    shapes = [element.get("points") for element in root.iter() if element.tag.endswith("polygon")]
    slanted = [points for points in shapes if len({corner.split(",")[1] for corner in points.split()}) > 2]
    assert len(shapes) == 5 and len(slanted) == 1
