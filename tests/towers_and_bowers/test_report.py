"""The Towers & Bowers report: the first screen, charts by kind of hand, sections over very small studies."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.oracles.small_page import page, runs, written
from towerlab.analysis.claims.accuracy import checks_of_claims
from towerlab.analysis.report.page import Figure, Table, Tabs
from towerlab.analysis.report.studies import Run
from towerlab.analysis.simulation.rule_options import Played
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.answers import SEATS, UpcardAnswer
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.report import REPORT
from towerlab.analysis.towers_and_bowers.report.page import (
    TableCard,
    charted_kinds,
    checks_of_kinds,
    checks_of_the_choices,
    every_pair,
    hands_in_order,
)
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS, TABLE_ROLLOUTS
from towerlab.analysis.towers_and_bowers.studies.call_rule import accepts, sentence
from towerlab.analysis.towers_and_bowers.studies.hand_kinds import DISSENT, KIND, UP_LETTERS, stored_kinds
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import play
from towerlab.analysis.towers_and_bowers.upcard import UpcardQuestion
from towerlab.games.cards import DECK_24, card_text, mask_cards, mask_text, parse_card, parse_mask
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import up_cards

PLAYED_OUT = {"stakes", "chart-dealer-6", "chart-nondealer-6"}
SAMPLED = {"ways-of-claiming", "choice-rules", "play-rules", "rule-options", *PLAYED_OUT}
CHARTS = {f"chart-{seat}-{n}" for seat in ("dealer", "nondealer") for n in (2, 4, 6)}


def changed_run(name: str, table: str, column: str, change: Any) -> Run:
    """A run in which the last row of a table says something else."""
    run = runs()[name]
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


@pytest.mark.slow
def test_the_report_is_written_from_its_studies_and_the_same_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run_study(study: Study, out: Path, **how: Any) -> StudyResult:
        asked.append((study.name, out, how["seed"], how["resume"]))
        return runs()[study.name].result

    monkeypatch.setattr("towerlab.analysis.report.studies.run_study", run_study)
    small = {name: run.sizes for name, run in runs().items()}
    pages = [REPORT.write(tmp_path / name, seed=3, work=tmp_path / "work", sizes=small) for name in ("first", "second")]
    studies = [part.study.name for part in REPORT.parts]
    assert asked == len(pages) * [(name, tmp_path / "work" / name, 3, True) for name in studies]
    files, *again = ({path.name: path.read_bytes() for path in page.parent.rglob("*.*")} for page in pages)
    assert all(other == files for other in again)
    assert {"index.html", "chart-dealer-6.csv", "stakes.parquet", "README.md", "manifest.json"} <= set(files)
    assert b"towerlab report towers-and-bowers" in files["index.html"]


def test_the_first_screen_has_the_rule_its_cost_and_the_model() -> None:
    html = unescape(written())
    first = html[html.index("<h1>") : html.index("<!-- opening -->")]
    assert f"Dealer: {sentence('dealer')}.<br" in first and f"Non-dealer: {sentence('nondealer')}." in first
    assert first.count('class="card') == 7 and "lose over two points" in first
    assert (
        html.index("<!-- opening -->")
        < html.index('id="hands"')
        < html.index('id="stakes"')
        < html.index("a learned policy")
    )


def test_a_hand_has_the_same_numbers_on_the_page_and_by_the_command() -> None:
    """The worked hand had 18 points, the worst one 17.5 and 17; hands in order had the mean of their kind."""
    html = unescape(written())
    card = TableCard()
    worked = UpcardQuestion(calling_view(*card.worst_to_accept(6), dealer=False)).answer()
    lead = re.search(r"([\d.]+) percentage points better than", " ".join(str(worked).split()))
    assert lead and f"Non-dealer: {worked.recommend}, {lead[1]} points" in html.replace("\n", " ")
    for row in hands_in_order(4).to_dict("records"):
        hand, _, up = row["hand"].partition(" up ")
        answer = UpcardQuestion(calling_view(parse_mask(hand), parse_card(up), row["seat"] == "dealer")).answer()
        assert row["gap"] == pytest.approx(100 * answer.margin, abs=1e-9)
        assert f">{row['gap']:+.1f}<".replace("-", "−") in html
        assert row["best"] == answer.recommend or abs(answer.margin) < 1e-4
    worst = max(card.frame().to_dict("records"), key=lambda row: row["worst"])
    hand, _, up = worst["worst_hand"].partition(" up ")
    answer = UpcardQuestion(calling_view(parse_mask(hand), parse_card(up), worst["seat"] == "dealer")).answer()
    assert f"with its worst hand {100 * abs(answer.margin):.1f}:" in html.replace("\n", " ")


def test_the_printed_rule_is_the_measured_one() -> None:
    """By a second reading of the sentences, card by card; the cost with one card, question by question."""
    assert sentence("dealer") == (
        "accept. Pass only with 2, 4 or 6 cards, no trump, a card of the up-card's colour (♠♣/♥♦), a jack of the other "
        "colour, at most half your cards in each of its suits"
    )
    assert sentence("nondealer") == (
        "pass. Accept only with an odd number of cards, or 4+ trumps, no jack up and not both jacks of the other colour"
    )
    random = np.random.default_rng(1)
    passed = 0
    for number in range(2_000):
        up, *held = [card_text(card) for card in random.permutation(mask_cards(DECK_24))[: 2 + number % 7]]
        trumps = [card for card in held if card[1] == "S" or card == "JC"]
        other = [max(sum(card[1] == suit for card in held) for suit in "HD"), {"JH", "JD"} & {*held}]
        colour = any(card[1] == "C" and card != "JC" for card in held)
        passes = len(held) % 2 == 0 and not trumps and colour and other[1] and 2 * other[0] <= len(held)
        asked = len(held), np.array([parse_mask(" ".join(held))]), np.array([parse_card(up)])
        assert accepts("dealer", *asked)[0] == (not passes)
        many = len(trumps) >= 4 and up[0] != "J" and not {"JH", "JD"} <= {*held}
        assert accepts("nondealer", *asked)[0] == (len(held) % 2 == 1 or many)
        passed += bool(passes)
    assert passed > 20
    pairs = [(1 << hand, up) for up in up_cards() for hand in mask_cards(DECK_24 & ~(1 << up))]
    lost = [max(0, -1000 * UpcardQuestion(calling_view(*pair, True)).answer().margin) for pair in pairs]
    assert TableCard().cost(1, "dealer") == pytest.approx(np.mean(lost), abs=1e-3)


def test_the_published_page_shows_the_values_of_today() -> None:
    folder = Path(__file__).parents[2] / "reports" / "towers-and-bowers"
    published = json.loads((folder / "manifest.json").read_text("utf-8"))["quantities"]
    assert published == pytest.approx(page().quantities, abs=1e-12), "stale; expected a page made again"


def test_every_figure_and_table_states_rules_size_model_and_certainty() -> None:
    for table in page().tables():
        name = table.name
        for words in ("default rules", "n = ", "sampled: n = " if name in SAMPLED else "exact: "):
            assert words in table.caption.conditions, table.name
        if name in CHARTS:
            assert ("a learned policy" if name.endswith("6") else "the game itself") in table.caption.conditions


def test_the_page_has_what_a_player_looks_for() -> None:
    names = {found.name for found in page().blocks() if isinstance(found, (Figure, Table))}
    assert names == CHARTS | SAMPLED | {"hands"}
    tabs = next(found for found in page().blocks() if isinstance(found, Tabs))
    assert [tab.title for tab in tabs.tabs] == ["two cards", "four cards", "six cards"] and tabs.chosen == 2


# ----------------------------------------------------------------------------------------------- charts and hands


def test_a_cell_has_a_letter_only_where_its_hands_agree() -> None:
    kinds = stored_kinds()
    for name in sorted(CHARTS):
        _, seat, cards = name.split("-")
        rows = kinds[(kinds["seat"] == seat) & (kinds["cards"] == int(cards))]
        agree = (rows["accepts"] - 0.5).abs() >= 0.5 - DISSENT
        texts = re.findall(r">([AP] (?:\d+\.\d|&lt;0\.1)|\d+%)</text>", "".join(block(name).drawing))
        letters = [text for text in texts if text[0] in "AP"]
        assert len(letters) == agree.sum() and len(texts) == len(rows), name
        assert sum(text[0] == "P" for text in letters) == (agree & (rows["accepts"] < 0.5)).sum()


def test_a_cell_tells_its_hands_and_leads_to_the_explorer() -> None:
    row = stored_kinds().query("cards == 6 and seat == 'dealer' and holding == 'none' and up == 'Q'").iloc[0]
    drawn = "".join(block("chart-dealer-6").drawing)
    hand = mask_text(parse_mask(row["example"])).replace(" ", "")
    told = re.search(rf'data-tells="([^"]*)" data-link="explorer.html#{hand}/', drawn)
    assert told[1].split("|")[1] == f"{100 * row['accepts']:.0f}\u202f%"
    assert f'data-link="explorer.html#{hand}/QS/d/p"' in drawn


def test_cells_that_do_not_add_up_are_noticed() -> None:
    every = charted_kinds()
    card = TableCard()
    assert all(check.holds for check in checks_of_kinds(every, card))
    every.loc[3, "pairs"] += 4
    broken = " ".join(check.claim for check in checks_of_kinds(every, card) if not check.holds)
    assert "the cells hold every hand" in broken


def test_hands_stand_in_order_and_the_losses_are_those_of_the_command() -> None:
    ordered = hands_in_order(4)
    costs = TableCard().frame()
    assert len(ordered) == 12 and ordered.groupby("seat")["gap"].apply(lambda gaps: gaps.is_monotonic_decreasing).all()
    for row in costs.to_dict("records"):
        hand, _, up = row["worst_hand"].partition(" up ")
        answer = UpcardQuestion(calling_view(parse_mask(hand), parse_card(up), row["seat"] == "dealer")).answer()
        within = max(0.02, 100 * sampled_within(answer))
        assert row["worst"] == 0 or 100 * abs(answer.margin) == pytest.approx(row["worst"], abs=within)
        seat = SEATS[row["seat"] != "dealer"]
        accepting = bool(accepts(seat, row["cards"], np.array([parse_mask(hand)]), np.array([parse_card(up)]))[0])
        assert row["worst"] < within or (answer.margin > 0) != accepting


def sampled_within(answer: UpcardAnswer) -> float:
    """Four standard errors of a margin in the book, which plays out fewer deals; 0 where the hand is solved."""
    return 0.0 if answer.rollouts is None else 4 * answer.rollouts.error * math.sqrt(ROLLOUTS / TABLE_ROLLOUTS)


@pytest.mark.parametrize("cards", range(1, 8))
def test_the_kinds_that_ship_say_what_the_command_says(cards: int) -> None:
    rows = stored_kinds().query(f"cards == {cards}")
    assert rows.drop_duplicates([*KIND]).shape == rows.shape
    assert set(rows.groupby("seat")["pairs"].sum()) == {every_pair(cards)}
    for row in rows.iloc[:: max(1, len(rows) // 5)].to_dict("records"):
        up = 39 + "23456789TJQKA".index(row["up"])
        answer = UpcardQuestion(calling_view(parse_mask(row["example"]), up, row["seat"] == "dealer")).answer()
        within = max(0.06, 1000 * sampled_within(answer))
        assert row["least"] - within <= 1000 * answer.margin <= row["most"] + within
        assert row["least"] - 0.06 <= row["gap"] <= row["most"] + 0.06
        if row["accepts"] in (0.0, 1.0) and abs(answer.margin) > max(1e-5, sampled_within(answer)):
            assert answer.recommend == ("accept" if row["accepts"] else "pass")
    assert set(rows["up"]) <= set(UP_LETTERS)


def test_sentences_quote_the_rule_that_was_found_and_what_it_costs_elsewhere() -> None:
    rules = runs()["rules-of-thumb"].tables["rules"].query("decision == 'first lead'")
    best = rules.loc[rules["found_mt"].idxmin()]
    assert f"Lead {best['rule']}" in written() and f"That costs {best['cost_mt'] / 10:.2f}" in written()
    for run in runs().values():
        assert run.command in written()


def test_options_are_compared_on_the_same_towers() -> None:
    def towers(**changed: Any) -> Played:
        return play(["novice"] * 2, TowersAndBowersOptions(**changed), np.random.SeedSequence(4), 30)

    usual = towers()
    assert set(usual.measure) == {0.0, 100.0} and (usual.measure / 100).tolist() == usual.outcome[:, 0].tolist()
    assert (towers(early_stop=False).outcome == usual.outcome).all()
    assert (towers(first_n=5).outcome != usual.outcome).any()


# ------------------------------------------------------------------------------------------- studies of played matches


@pytest.mark.parametrize(
    ("study", "table", "column", "checks_of", "claim"),
    [
        ("claim-accuracy", "ways", "positions", checks_of_claims, "every position stands once"),
        ("claim-accuracy", "ways", "false", checks_of_claims, "prover's claims are never false"),
        ("rules-of-thumb", "rules", "cost_mt", checks_of_the_choices, "no rule costs less than the best choice"),
    ],
)
def test_a_study_that_contradicts_itself_is_noticed(
    study: str, table: str, column: str, checks_of: Any, claim: str
) -> None:
    shift = -1e4 if checks_of is checks_of_the_choices else 5
    broken = [check.claim for check in checks_of(changed_run(study, table, column, lambda old: old + shift))
              if not check.holds]  # fmt: skip
    assert any(claim in one for one in broken), broken
