"""The Towers & Bowers report: the first screen, charts by kind of hand, sections over very small studies."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from analysis.claims.page import checks_of_claims
from analysis.report.checks import Check
from analysis.report.page import Figure, Table, Tabs
from analysis.report.studies import Run
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.explorer.kinds import DISSENT, KIND, UP_RANKS, stored
from analysis.towers_and_bowers.report import PLAYED, REPORT
from analysis.towers_and_bowers.report.bidding import checks_of_the_bidding
from analysis.towers_and_bowers.report.card import TableCard
from analysis.towers_and_bowers.report.choices import BIDDING, PLAY, checks_of_the_choices
from analysis.towers_and_bowers.report.exploitability import checks_of_the_tournament
from analysis.towers_and_bowers.report.lookup import Lookup, every_pair
from analysis.towers_and_bowers.upcard.answers import HIDDEN_MODEL
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.cards import parse_mask
from tests.oracles.tb_report_page import page, runs, small_run, written

SAMPLED = {"rule-costs", "decision-lists", "mistakes",
           "ways-of-claiming", "every-way", "by-tricks", "concessions", "discard-rules", "suit-rules", "play-rules",
           "rules-by-size"}  # fmt: skip
CHARTS = {f"chart-dealer-{n}" for n in range(1, 8)} | {f"chart-nondealer-{n}" for n in (2, 4, 6)}


def changed_run(name: str, table: str, column: str, change: Any) -> Run:
    """A run in which the last row of a table says something else."""
    run = small_run("tournament") if name == "tournament" else runs()[name]
    frame = run.tables[table].copy()
    frame[column] = frame[column].astype(float)
    frame.loc[frame.index[-1], column] = change(frame[column].iloc[-1])
    return dataclasses.replace(run, result=StudyResult({**run.tables, table: frame}, run.result.summary))


def block(name: str) -> Any:
    return next(found for found in page().blocks() if isinstance(found, (Figure, Table)) and found.name == name)


# ------------------------------------------------------------------------------------------------------- the page


def test_everything_adds_up_and_the_page_is_sound() -> None:
    assert [check.claim for check in page().checks if not check.holds] == []
    html = written()
    assert len(html.encode()) < 1_000_000


def test_the_report_is_written_from_its_studies_and_the_same_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run_study(study: Study, out: Path, **how: Any) -> StudyResult:
        asked.append((study.name, out, how["seed"], how["resume"]))
        return runs()[study.name].result

    monkeypatch.setattr("analysis.report.studies.run_study", run_study)
    small = {name: run.sizes for name, run in runs().items()}
    first = REPORT.write(tmp_path / "first", seed=3, work=tmp_path / "work", sizes=small)
    second = REPORT.write(tmp_path / "second", seed=3, work=tmp_path / "work", resume=True, sizes=small)
    names = [part.study.name for part in REPORT.parts]
    assert asked == 2 * [(name, tmp_path / "work" / name, 3, True) for name in names]
    files, again = ({path.name: path.read_bytes() for path in folder.parent.rglob("*.*")} for folder in (first, second))
    assert files == again
    assert {"index.html", "chart-dealer-7.csv", "table-card.parquet", "README.md", "manifest.json"} <= set(files)
    assert b"towerlab report towers-and-bowers" in files["index.html"]


def test_the_first_screen_has_the_rule_its_cost_and_the_model() -> None:
    html = written()
    first = html[: html.index("<nav")]
    assert "always accept" in first and "165" in first and "Equilibrium" in first


def test_every_figure_and_table_states_rules_size_model_and_certainty() -> None:
    for table in page().tables():
        name = table.name
        for words in ("default rules", "n = ", "sampled: n = " if name in SAMPLED else "exact: "):
            assert words in table.caption.conditions, table.name
        if name in CHARTS:
            assert "equilibrium" in table.caption.conditions


def test_the_page_has_what_a_player_looks_for() -> None:
    names = {found.name for found in page().blocks() if isinstance(found, (Figure, Table))}
    decides = {f"decides-{n}" for n in (2, 3, 4, 6)}
    assert names == CHARTS | decides | SAMPLED | {"table-card", "striking-hands", "best-answers"}
    tabs = next(found for found in page().blocks() if isinstance(found, Tabs))
    assert [tab.title for tab in tabs.tabs][::6] == ["one card", "seven cards"] and tabs.chosen == 5


# ----------------------------------------------------------------------------------------------- charts and hands


def test_a_cell_has_a_letter_only_where_its_hands_agree() -> None:
    kinds = stored("kinds")
    for name in sorted(CHARTS):
        _, seat, cards = name.split("-")
        rows = kinds[(kinds["seat"] == seat) & (kinds["cards"] == int(cards))]
        agree = (rows["accepts"] - 0.5).abs() >= 0.5 - DISSENT
        texts = re.findall(r">([AP] (?:\d+|&lt;1)|\d+%)</text>", "".join(block(name).drawing))
        letters = [text for text in texts if text[0] in "AP"]
        assert len(letters) == agree.sum() and len(texts) == len(rows), name
        assert sum(text[0] == "P" for text in letters) == (agree & (rows["accepts"] < 0.5)).sum()


def test_a_cell_tells_its_hands_and_leads_to_the_explorer() -> None:
    row = stored("kinds").query("cards == 6 and seat == 'dealer' and holding == 'none' and up == 'Q'").iloc[0]
    drawn = "".join(block("chart-dealer-6").drawing)
    told = re.search(rf'data-tells="([^"]*)" data-link="explorer.html#{row["example"].replace(" ", "-")}/', drawn)
    assert told is not None and told[1].split("|")[1] == f"{row['accepts']:.0%}"
    assert f'data-link="explorer.html#{row["example"].replace(" ", "-")}/QS/dealer/1"' in drawn


def test_cells_and_parts_that_do_not_add_up_are_noticed() -> None:
    lookup, card = Lookup(), TableCard()
    assert all(check.holds for check in lookup.checks(card))
    lookup.kinds.loc[3, "pairs"] += 4
    lookup.parts.loc[0, "pairs"] += 4
    broken = " ".join(check.claim for check in lookup.checks(card) if not check.holds)
    assert "the cells hold every hand of n = 1, dealer" in broken and "parts of every cell" in broken


@pytest.mark.parametrize("cards", range(1, 8))
def test_the_kinds_that_ship_say_what_the_command_says(cards: int) -> None:
    rows = stored("kinds").query(f"cards == {cards}")
    assert rows.drop_duplicates([*KIND]).shape == rows.shape
    assert set(rows.groupby("seat")["pairs"].sum()) == {every_pair(cards)}
    for row in rows.iloc[:: max(1, len(rows) // 5)].to_dict("records"):
        up = 39 + "23456789TJQKA".index(row["up"])
        answer = UpcardQuestion(parse_mask(row["example"]), up, row["seat"] == "dealer").answer()
        assert row["least"] - 0.06 <= 1000 * answer.margin <= row["most"] + 0.06
        assert row["least"] - 0.06 <= row["gap"] <= row["most"] + 0.06
        if row["accepts"] in (0.0, 1.0) and abs(answer.margin) > 1e-5:
            assert answer.recommend == ("accept" if row["accepts"] else "pass")
    assert set(rows["up"]) <= set(UP_RANKS)


def test_striking_hands_are_those_of_the_command_and_fit_their_criteria() -> None:
    table = block("striking-hands").frame
    assert len(table) >= 10 and not table.duplicated(["hand", "up"]).any()
    for row in table.to_dict("records"):
        question = UpcardQuestion(parse_mask(row["hand"]), row["up"], row["seat"] == "dealer")
        answer = question.answer()
        assert (answer.recommend, 1000 * answer.margin) == (row["call"], row["gap"])
        if "clear pass" in row["why"]:
            assert row["gap"] <= -5
        if "clearly accept" in row["why"]:
            assert row["gap"] >= 5


def test_sentences_quote_the_tables() -> None:
    choices = runs()["rules-of-thumb"].tables["rules"]
    html = written()
    for decision, words in {**BIDDING, **PLAY}.items():
        rules = choices[(choices["decision"] == decision) & (choices["cards"] == 0)]
        best = rules.sort_values("cost_mt", kind="stable").iloc[0]
        said = f"{words}: of {len(rules)} rules the cheapest is “{best['rule']}”, {best['cost_mt']:.1f} ("
        assert said in html.replace("&#39;", "'")


# ------------------------------------------------------------------------------------------- studies of played matches


def checks_of_the_claims(run: Run) -> tuple[Check, ...]:
    return checks_of_claims(run)


@pytest.mark.parametrize(
    ("study", "table", "column", "checks_of", "claim"),
    [
        ("bidding-accuracy", "rules", "cost", checks_of_the_bidding, "so do their costs"),
        ("bidding-accuracy", "lists", "fitted_cost", checks_of_the_bidding, "no clause raises the cost"),
        ("tournament", "units", "share", checks_of_the_tournament, "ranking is by the shares"),
        ("tournament", "hands", "pairs", checks_of_the_tournament, "played more often than another"),
        ("claim-accuracy", "tricks", "positions", checks_of_the_claims, "every position stands once"),
        ("claim-accuracy", "tricks", "whole", checks_of_the_claims, "what is proved is not refuted"),
        ("rules-of-thumb", "rules", "cost_mt", checks_of_the_choices, "no rule costs less than the best choice"),
    ],
)
def test_a_study_that_contradicts_itself_is_noticed(
    study: str, table: str, column: str, checks_of: Any, claim: str
) -> None:
    shift = -1e4 if checks_of is checks_of_the_choices else 0.3 if column == "share" else 5
    broken = [check.claim for check in checks_of(changed_run(study, table, column, lambda old: old + shift))
              if not check.holds]  # fmt: skip
    assert any(claim in one for one in broken), broken


def test_findings_on_play_quote_the_studies() -> None:
    html = written()
    rules = runs()["bidding-accuracy"].tables["rules"].query("kind == 'both seats'")
    search, thumb = rules[rules["rule"] == "player pimc"], rules[~rules["rule"].str.startswith("player")]
    best = thumb.loc[thumb["cost"].idxmin()]
    assert f"“{best['rule']}” is the cheapest, {best['cost']:.1f} (" in html
    assert f"to bid as pimc costs {search['cost'].iloc[0]:.1f} (" in html
    assert f"reference: {HIDDEN_MODEL} (n = 1 to " in html
    for run in runs().values():
        assert run.command in html


def test_played_studies_run_in_the_sizes_of_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, made = {}, {}

    def run_study(study: Study, out: Path, **how: Any) -> StudyResult:
        asked[study.name] = (how["seed"], how["parameters"])
        return runs()[study.name].result

    def build(done: dict[str, Run], seed: int, command: str) -> Any:
        made.update(done)
        return dataclasses.replace(page(), sections=())

    monkeypatch.setattr("analysis.report.studies.run_study", run_study)
    dataclasses.replace(REPORT, parts=PLAYED, build=build).write(tmp_path / "page", seed=7, work=tmp_path / "work")
    for part in PLAYED:
        seed, parameters = asked[part.study.name]
        assert (seed, parameters) == (7, {**part.study.parameters, **part.sizes}) and part.sizes
        assert made[part.study.name].command.endswith("--seed 7")
