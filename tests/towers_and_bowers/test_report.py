"""The Towers & Bowers report, on a made-up book of three-card hands whose every number is known."""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.ladder import shortest_good_rung
from analysis.report import Check, Figure, ReportError, Table, render_page
from analysis.report.studies import Run
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers import report as towers_and_bowers
from analysis.towers_and_bowers.report import PLAYED, REPORT
from analysis.towers_and_bowers.report.findings import find
from analysis.towers_and_bowers.report.leaks import (
    checks_of_the_bidding,
    checks_of_the_claims,
)
from analysis.towers_and_bowers.report.played import checks_of_the_gap, checks_of_the_tournament
from analysis.towers_and_bowers.report.sums import checks_of_the_book, checks_of_the_findings
from analysis.towers_and_bowers.report.tables import habits
from analysis.towers_and_bowers.report.view import (
    SEATS,
    card_worth,
    decisions_by,
    holding_name,
    side_points,
    view_book,
)
from analysis.towers_and_bowers.solutions import deal_value
from analysis.towers_and_bowers.upcard.answers import HIDDEN_MODEL
from analysis.towers_and_bowers.upcard.book import book_rows
from games.cards import mask_cards, parse_mask, rank_of
from tests.oracles.tb_report_page import (
    CARDS,
    SCOPE,
    book,
    build,
    deal_values,
    page,
    runs,
    side,
    trumps,
)

SAMPLED = {"leaks", "rule-ladder", "mistakes", "tournament", "dealer-share", "models", "deals-played",
           "ways-of-claiming", "sound-claims"}  # fmt: skip


def changed_run(name: str, table: str, column: str, change: Any) -> Run:
    """A run in which the last row of a table says something else."""
    run = runs()[name]
    frame = run.tables[table].copy()
    frame[column] = frame[column].astype(float)
    frame.loc[frame.index[-1], column] = change(frame[column].iloc[-1])
    return dataclasses.replace(run, result=StudyResult({**run.tables, table: frame}, run.result.summary))


def checks(changed: pd.DataFrame, values: pd.DataFrame | None = None) -> list[Check]:
    deal = (deal_values() if values is None else values).set_index("cards")["dealer"].to_dict()
    return checks_of_the_book(view_book(changed), SCOPE, deal)


@functools.cache
def view() -> pd.DataFrame:
    return view_book(book())


def block(name: str) -> Any:
    return next(found for found in page().blocks() if isinstance(found, (Figure, Table)) and found.name == name)


# ------------------------------------------------------------------------------------------------------- the page


def test_everything_adds_up_and_the_page_is_sound() -> None:
    assert [check.claim for check in page().checks if not check.holds] == []
    html = render_page(page())
    assert len(html.encode()) < 1_000_000


def test_the_exact_book_of_three_cards_adds_up() -> None:
    rows = view_book(book_rows(CARDS, 0, SCOPE.all_classes))
    deal = {value.cards: value.dealer for value in deal_value.deal_values()}
    found = find(rows, habits(rows, SCOPE))
    made = (*checks_of_the_book(rows, SCOPE, deal), *checks_of_the_findings(rows, found))
    assert [check for check in made if not check.holds] == []


def test_the_report_is_written_from_its_studies_and_the_same_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run_study(study: Study, out: Path, **how: Any) -> StudyResult:
        asked.append((study.name, out, how["seed"], how["resume"]))
        return StudyResult({"book": book()}, {}) if study.name == "upcard-book" else runs()[study.name].result

    values = [deal_value.DealValue(**row) for row in deal_values().to_dict("records")]
    monkeypatch.setattr("analysis.report.studies.run_study", run_study)
    monkeypatch.setattr(towers_and_bowers, "deal_values", lambda: values)
    small = {name: run.sizes for name, run in runs().items()}
    first = REPORT.write(tmp_path / "first", seed=3, work=tmp_path / "work", sizes=small)
    second = REPORT.write(tmp_path / "second", seed=3, work=tmp_path / "work", resume=True, sizes=small)
    names = [part.study.name for part in REPORT.parts]
    assert names[0] == "upcard-book" and asked[: len(names)] == asked[len(names) :]
    assert asked[: len(names)] == [  # nothing is sampled in the book
        (name, tmp_path / "work" / name, 0 if name == "upcard-book" else 3, True) for name in names
    ]
    files = {path.name: path.read_bytes() for path in first.parent.iterdir()}
    assert files == {path.name: path.read_bytes() for path in second.parent.iterdir()}
    assert {"index.html", "ledger.csv", "ledger.parquet", "README.md", "manifest.json"} <= set(files)
    assert b"towerlab report towers-and-bowers" in files["index.html"]


def test_the_page_says_on_its_face_that_the_model_sees_all_cards() -> None:
    html = render_page(page())
    assert html.index("both players see all cards") < html.index("<nav")


def test_every_figure_and_table_states_rules_size_model_and_certainty() -> None:
    for table in page().tables():
        exact = table.name.removesuffix("-numbers") not in SAMPLED
        by = "equilibrium" if table.name == "table-card" else "perfect information"
        model = (by, "exact: ") if exact else ("sampled: n = ", "95 % intervals, seed 3")
        for words in ("default rules", "n = ", *model):
            assert words in table.caption.conditions, table.name


def test_the_page_has_what_a_first_report_needs() -> None:
    names = {found.name for found in page().blocks() if isinstance(found, (Figure, Table))}
    figures = {"accept-chart-dealer", "accept-chart-nondealer", "how-often", "closeness", "outcomes", "deal-values"}
    assert figures | {"table-card", "ledger", "habits", "striking-hands", "when-to-pass"} | SAMPLED == names


@pytest.mark.parametrize(
    ("column", "change", "claim"),
    [
        ("weight", lambda old: old + 1, "every hand with every up-card"),
        ("nondealer_accept", lambda old: old + 1e-3, "mean value of accepting is 1 − W(3)"),
        ("dealer_accept", lambda old: old + 1e-6, "endings of every class give its value (dealer, accept)"),
        ("dealer_pass_ahead", lambda old: old - 1e-6, "endings of every class add up to one (dealer, pass)"),
        ("dealer_make", lambda old: old * float("nan"), "endings of every class add up to one (dealer, accept)"),
    ],
)
def test_a_book_that_contradicts_itself_is_noticed(column: str, change: Any, claim: str) -> None:
    changed = book().copy()
    changed.loc[changed.index[-1], column] = change(changed[column].iloc[-1])
    broken = [check.claim for check in checks(changed) if not check.holds]
    assert any(claim in one for one in broken), broken


def test_a_pass_that_gains_contradicts_what_the_page_says() -> None:
    changed = book().copy()
    changed.loc[changed.index[-1], "nondealer_pass"] += 0.02
    rows = view_book(changed)
    broken = [check.claim for check in checks_of_the_findings(rows, find(rows, habits(rows, SCOPE))) if not check.holds]
    assert broken == ["no pass of the non-dealer gains"]


def test_an_incomplete_book_makes_no_page() -> None:
    with pytest.raises(ReportError, match="the book has every class"):
        render_page(build(book().iloc[:-1]))


def test_a_wrong_value_of_the_deal_is_noticed() -> None:
    values = deal_values()
    values.loc[1, "dealer"] += 1e-6
    broken = [check.claim for check in checks(book(), values) if not check.holds]
    assert [claim.partition(" (")[0] for claim in broken] == ["the endings of every class give its value"] * 4


def test_a_side_strength_that_the_book_does_not_bear_out_is_noticed() -> None:
    changed = book().copy()
    queens = np.array([any(rank_of(card) == 10 for card in mask_cards(hand)) for hand in changed["hand"].tolist()])
    for seat in SEATS:
        changed.loc[queens, f"{seat}_accept"] += 0.1
    rows = view_book(changed)
    broken = [check.claim for check in checks_of_the_findings(rows, find(rows, habits(rows, SCOPE))) if not check.holds]
    assert [claim[-9:] for claim in broken] == ["3 : 2 : 1"]


# ------------------------------------------------------------------------------------------------- what it is made of


def test_side_strength_counts_aces_kings_and_queens_outside_trumps() -> None:
    hands = [parse_mask(text) for text in ("AS JC AH", "KC QC 9D", "JH JD TH", "AC KD QH")]
    assert side_points(np.array(hands)).tolist() == [3, 3, 0, 6] == [side(hand) for hand in hands]
    everything = book()["hand"].to_numpy()
    assert side_points(everything).tolist() == [side(hand) for hand in everything.tolist()]


def test_holdings_are_trumps_and_bowers() -> None:
    rows = view()
    bowers = [(parse_mask("JS JC") & hand).bit_count() for hand in rows["hand"].tolist()]
    assert rows["bowers"].tolist() == bowers
    assert rows["holding"].tolist() == [holding_name(*held) for held in zip(rows["trumps"], bowers, strict=True)]
    assert set(rows["holding"]) == {
        "none",
        "1",
        "1, a bower",
        "2",
        "2, a bower",
        "2, both",
        "3",
        "3, a bower",
        "3, both",
    }


def test_groups_are_weighted_by_how_often_a_hand_is_dealt() -> None:
    rows = view()
    table = decisions_by(rows, "dealer", ("trumps", "other_jacks")).set_index(["trumps", "other_jacks"])
    for (held, jacks), part in rows.groupby(["trumps", "other_jacks"]):
        pairs = sum(part["weight"].tolist())
        gap = sum(w * g for w, g in zip(part["weight"], part["dealer_gap"], strict=True)) / pairs
        passes = sum(w for w, g in zip(part["weight"], part["dealer_gap"], strict=True) if g < 0) / pairs
        found = table.loc[(held, jacks)]
        assert found["pairs"] == pairs
        assert found["gap"] == pytest.approx(gap)
        assert found["passes"] == pytest.approx(passes)
        assert found["against"] == pytest.approx(passes if gap >= 0 else found["accepts"])
    assert table["share"].sum() == pytest.approx(1)


def test_card_worth_finds_what_the_book_was_made_of() -> None:
    worth = card_worth(view(), book()["nondealer_make"])
    expected = {"trump": 0.15, "ace": 0.09, "king": 0.06, "queen": 0.03}
    for card in worth:
        assert worth[card] == pytest.approx(expected.get(card, 0), abs=1e-9), card


def test_charts_show_letters_gaps_and_dissent() -> None:
    chart = block("accept-chart-dealer")
    rows = view()
    cell = rows[(rows["up_rank"] == "9") & (rows["trumps"] == 0) & (rows["side_name"] == "0–1")]
    gap = float(np.average(cell["dealer_gap"], weights=cell["weight"]))
    against = float(np.average((cell["dealer_gap"] < 0) != (gap < 0), weights=cell["weight"]))
    assert against >= 0.05
    assert gap != 0
    text = re.search(r'<text [^>]*paint-order="stroke">([AP]) (\d+|&lt;1)</text>', chart.drawing)
    assert text is not None
    assert text[1] == ("A" if gap > 0 else "P")
    assert text[2] == f"{abs(gap):.0f}"
    assert ">=</text>" in block("accept-chart-nondealer").drawing
    assert ">P " not in block("accept-chart-nondealer").drawing


def test_striking_hands_fit_their_criteria_and_differ() -> None:
    rows = view()
    table = block("striking-hands").frame.set_index(["why", "seat"])
    assert not table.duplicated(["hand", "up_card"]).any()
    passes = rows[rows["dealer_gap"] <= -5]
    found = table.loc[("most trumps, and still a clear pass", "dealer")]
    assert trumps(parse_mask(found["hand"])) == passes["trumps"].max()
    assert table.loc[("accepting costs most", "dealer"), "gap"] < 0
    assert table.loc[("passing costs most", "dealer"), "gap"] == pytest.approx(rows["dealer_gap"].max())
    assert table.loc[("passing costs most", "nondealer"), "gap"] == pytest.approx(rows["nondealer_gap"].max())
    assert table.loc[("most trumps, and a pass costs nothing", "nondealer"), "gap"] == 0
    assert (table.xs("dealer", level="seat")["discard"] != "").all()


def test_habits_cost_what_they_lose_hand_by_hand() -> None:
    rows = view()
    costs = block("habits").frame.set_index("habit")
    total = rows["weight"].sum()
    lost = [w * (g if g > 0 and t < 2 else -g if g < 0 and t >= 2 else 0) for w, g, t in zip(
        rows["weight"], rows["dealer_gap"], rows["trumps"], strict=True)]  # fmt: skip
    assert costs.loc["accept with 2 trumps or more", "dealer"] == pytest.approx(sum(lost) / total)
    assert costs.loc["always accept", "nondealer"] == 0
    assert costs.loc["never accept", "accepted"] == 0


def test_gap_sizes_are_told_apart() -> None:
    sizes = block("closeness").frame.set_index("size")
    assert list(sizes.index) == ["none", "< 1", "1–5", "5–25", "25–75", "75–200", "200 +"]
    rows = view()
    assert sizes.loc["none", "nondealer"] == pytest.approx(
        rows.loc[rows["trumps"] < 2, "weight"].sum() / rows["weight"].sum()
    )
    assert sizes.loc["5–25", "nondealer"] == pytest.approx(1 - sizes.loc["none", "nondealer"])


def test_sentences_quote_the_tables() -> None:
    costs = block("habits").frame.set_index("habit")
    answer = " ".join(next(section for section in page().sections if section.name == "open-cards").blocks[0].sentences)
    assert f"passing every hand costs {costs.loc['never accept', 'nondealer']:.2f} mt" in answer
    assert f"Accepting every hand costs {costs.loc['always accept', 'dealer']:.2f} mt" in answer
    lost = dataclasses.replace(page(), title="x").key_numbers[3]
    assert lost.value == f"{costs.loc['always accept', 'dealer']:.2f} mt"


# ------------------------------------------------------------------------------------------- studies of played matches


@pytest.mark.parametrize(
    ("study", "table", "column", "checks_of", "claim"),
    [
        ("bidding-accuracy", "rules", "cost_mt", checks_of_the_bidding, "so do their costs"),
        ("bidding-accuracy", "ladder", "fitted_cost_mt", checks_of_the_bidding, "no clause raises the cost"),
        ("tournament", "units", "share", checks_of_the_tournament, "ranking is by the shares"),
        ("tournament", "hands", "pairs", checks_of_the_tournament, "played more often than another"),
        ("double-dummy-gap", "contracts", "gap", checks_of_the_gap, "make up every contract's gap"),
        ("double-dummy-gap", "contracts", "hands", checks_of_the_gap, "hold every hand played"),
        ("claim-accuracy", "sound", "positions", checks_of_the_claims, "holds every position"),
        ("claim-accuracy", "sound", "open_cards", checks_of_the_claims, "never promise less"),
    ],
)
def test_a_study_that_contradicts_itself_is_noticed(
    study: str, table: str, column: str, checks_of: Any, claim: str
) -> None:
    shift = -5 if column == "open_cards" else 0.3 if column == "share" else 5
    broken = [check.claim for check in checks_of(changed_run(study, table, column, lambda old: old + shift))
              if not check.holds]  # fmt: skip
    assert any(claim in one for one in broken), broken


def test_findings_on_play_quote_the_studies() -> None:
    html = render_page(page())
    rules = runs()["bidding-accuracy"].tables["rules"].query("seat == 'both'")
    search, thumb = rules[rules["rule"] == "player pimc"], rules[rules["rule"] != "player pimc"]
    best = thumb.loc[thumb["cost_mt"].idxmin()]
    assert f"“{best['rule']}” is the cheapest: {best['cost_mt']:.1f} mt" in html
    assert f"as if both saw all cards afterwards, costs {search['cost_mt'].iloc[0]:.1f} mt" in html
    assert f"reference: {HIDDEN_MODEL} (n = 1 to " in html
    gap = runs()["double-dummy-gap"].result.summary["gap"]["mt"]
    assert f"the bidders made {gap:+.1f} mt".replace("-", "−") in html
    for run in runs().values():
        assert run.command in html


def test_the_grid_shows_every_pairing_from_both_sides() -> None:
    units = runs()["tournament"].tables["units"]
    drawn = re.findall(r">(\d+)</text>", block("tournament").drawing)
    row = units[units["unit"] == "match"].iloc[0]
    assert len(drawn) == 3 * 30
    assert {f"{100 * row['share']:.0f}", f"{100 * (1 - row['share']):.0f}"} <= set(drawn)
    assert len(block("tournament").frame) == 3 * 15


def test_the_rung_shown_is_the_shortest_within_the_interval_of_the_cheapest() -> None:
    ladder = pd.DataFrame({"clauses": [1, 2, 3], "cost_mt": [20.0, 1.6, 1.5], "high": [22.0, 1.9, 1.8]})
    assert shortest_good_rung(ladder, "cost_mt")["clauses"] == 2
    assert shortest_good_rung(ladder.assign(high=ladder["cost_mt"]), "cost_mt")["clauses"] == 3


def test_played_studies_run_in_the_sizes_of_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, made = {}, {}

    def run_study(study: Study, out: Path, **how: Any) -> StudyResult:
        asked[study.name] = (how["seed"], how["parameters"])
        return runs()[study.name].result

    def build(done: dict[str, Run], seed: int, command: str) -> Any:
        made.update(done)
        return page()

    monkeypatch.setattr("analysis.report.studies.run_study", run_study)
    dataclasses.replace(REPORT, parts=PLAYED, build=build).write(tmp_path / "page", seed=7, work=tmp_path / "work")
    for part in PLAYED:
        seed, parameters = asked[part.study.name]
        assert (seed, parameters) == (7, {**part.study.parameters, **part.sizes}) and part.sizes
        assert made[part.study.name].command.endswith("--seed 7")
