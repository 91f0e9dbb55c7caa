"""Studies and report of Towers, on samples far too small to publish."""

from __future__ import annotations

import dataclasses
import functools
from xml.etree import ElementTree

import numpy as np
import pytest

from analysis.report.checks import run_checks
from analysis.report.render import render_page
from analysis.report.studies import Run
from analysis.stats import mean_interval
from analysis.study import StudyResult, map_chunks
from analysis.towers.boards import boards_svg
from analysis.towers.report import build
from analysis.towers.studies import CELLS, STUDIES, by_rotation, combine, count_chunks, mean_of_moments, run_chunk
from games.towers import Board, TowersOptions
from sim.towers.games import PLAYERS

TINY = {"games": 24, "search_games": 4, "builder_games": 8, "chunks": 2}


@functools.cache
def tiny_studies():
    runs = {}
    for name, study in STUDIES.items():
        parameters = {key: TINY.get(key, value) for key, value in study.parameters.items()}
        chunks = study.count_chunks(parameters)
        done = map_chunks(study.run_chunk, chunks, seed=3, jobs=1, parameters=parameters, quiet=True)
        runs[name] = Run(study, 3, study.combine(done, parameters), {})
    return runs


def test_the_page_is_built_and_adds_up():
    page = build(tiny_studies(), 3, "towerlab report towers --seed 3")
    run_checks(page.checks)
    html = render_page(page)
    assert len(html) < 1_000_000
    for words in ("first player", "razing", "square", "supports never fail", "builder leads greedy"):
        assert words in html
    for figure in page.figures():
        assert figure.caption.certainties


def test_a_page_of_other_rules_says_which_and_compares_no_rule_with_itself():
    tiny = tiny_studies()
    studies = {name: dataclasses.replace(tiny[name], rules="rules: layout=square") for name in tiny}
    means = studies["rules"].tables["means"].copy()
    means.loc[means["cell"] == "layout=square", ["mean", "low", "high"]] = 0.0  # the rule in force changes nothing
    changed = dataclasses.replace(studies["rules"], result=StudyResult({"means": means}, {}))
    page = build(studies | {"rules": changed}, 3, "towerlab report towers")
    assert "layout" not in [section.name for section in page.sections]
    captions = [table.caption.rules for table in page.tables()]
    assert sum("rules: layout=square" in rules for rules in captions) == len(captions) - 2  # but for the examples
    rules = next(table for table in page.tables() if table.name == "rule-options").frame
    assert len(rules) and "layout=square" not in set(rules["rule"])


def test_every_study_answers_for_every_cell():
    for name, run in tiny_studies().items():
        means = run.tables["means"]
        cells = CELLS[name](STUDIES[name].parameters | TINY)
        assert set(means["cell"]) == {cell.name for cell in cells}
        assert (means["low"] <= means["mean"]).all()
        assert (means["mean"] <= means["high"]).all()


def test_strength_compares_every_pair_of_players_on_shared_packs():
    cells = CELLS["strength"](STUDIES["strength"].parameters)
    assert {frozenset(cell.players) for cell in cells} == {
        frozenset((a, b)) for a in PLAYERS for b in PLAYERS if a != b and "random" not in (a, b)
    }
    assert all(cell.same_pack for cell in cells)


def test_results_do_not_depend_on_when_a_chunk_runs():
    parameters = STUDIES["habits"].parameters | {"games": 40}
    seeds = [np.random.SeedSequence(5, spawn_key=(chunk,)) for chunk in range(count_chunks(parameters))]
    forward = [run_chunk(chunk, seed, parameters) for chunk, seed in enumerate(seeds[:6])]
    again = [run_chunk(chunk, seed, parameters) for chunk, seed in reversed(list(enumerate(seeds[:6])))][::-1]
    first, second = (combine(frames, parameters).tables for frames in (forward, again))
    assert first["means"].equals(second["means"])
    assert first["cascades"].equals(second["cascades"])


def test_moments_give_the_interval_of_the_values():
    values = np.random.default_rng(1).normal(2.0, 3.0, 4_000)
    mean, half = mean_of_moments(len(values), values.sum(), (values**2).sum())
    expected = mean_interval(values)
    assert mean == pytest.approx(expected.mean)
    assert half == pytest.approx(expected.high - expected.mean, rel=1e-3)


def test_an_observation_is_a_whole_rotation():
    assert by_rotation(np.array([1, 3, 5, 9, 100]), 2).tolist() == [2.0, 7.0]


def test_boards_are_drawn_with_every_section():
    boards = [Board.parse("8 3b | Q 9 3b | K | -"), Board.parse("9 Kb | 8 | 7 | 6 Kb", TowersOptions(layout="square"))]
    root = ElementTree.fromstring(boards_svg([("left", boards[0]), ("right", boards[1])]))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert {"8", "3", "Q", "9", "K", "T1", "left", "right", "K →", "→ K"} <= set(texts)
    shapes = [element.get("points") for element in root.iter() if element.tag.endswith("polygon")]
    assert len(shapes) == 5 + 6  # a bridge round the edge is drawn as two stubs
    slanted = [points for points in shapes if len({corner.split(",")[1] for corner in points.split()}) > 2]
    assert len(slanted) == 1
