"""Pages written in a file: what stands where, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from towerlab.analysis.report import render
from towerlab.analysis.report.page import Figure, Page, ReportError, Table, Tabs, check_that
from towerlab.analysis.report.prose import read_page
from towerlab.analysis.report.render import render_page
from towerlab.analysis.report.wording import card_html

ROWS = [("low", "a & b", 1.25, 1.0, 2.0), ("high", "c", 2.5, 2.0, 3.0)]
COSTS = pd.DataFrame(ROWS, columns=["rule", "seat", "cost", "cost_low", "cost_high"])
TEXT = """
# Towers & so on

Which?

It is “{{ (costs | row(rule="low")).rule }}”: {{ (costs | row(rule="low")) | estimate(".2f", "cost") }}.

> Beware
> of models.

{{ number("61 %", "of starts", exact(12, "starts")) }}

## Rules {#rules}

Made by `towerlab x`, with {{ card(9) }}.

{% for row in costs | rows %}
- {{ row.seat }}: {{ row.cost | form(".1f") }}
{% endfor %}

{% call bars("costs", costs, "rule", "cost", size="n = 5", model="pimc", sure=sampled(9, "games", 7, "paired")) %}
### What rules cost
**The low card costs least.**
Lost against pimc.
| rule   | rule
| seat   | who  | upper
| cost ± | cost, mt | .1f | of all
{% endcall %}

## Method {#method}

{% call tabs("sizes", chosen=1) %}
=== one card

{% call table("one", costs, size="n = 1", model="pimc", sure=exact(2, "rules"), rows=1) %}
### One
As said.
{% endcall %}

=== two cards

Nothing.
{% endcall %}
"""


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads a text as the page of a package."""

    def reading(text: str, **values: Any) -> Page:
        (tmp_path / "templates").mkdir(exist_ok=True)
        (tmp_path / "templates" / "toy.md").write_text(text, encoding="utf-8")
        given = {"costs": COSTS, "card": card_html, "upper": str.upper} | values
        with monkeypatch.context() as here:
            here.setattr(render.resources, "files", lambda package: tmp_path)
            return read_page("toy", "toy.md", given, command="x", checks=(check_that("one is one", True),), sources={})

    return reading


def test_what_is_written_stands_on_the_page(read: Any) -> None:
    page = read(TEXT)
    assert (page.title, page.question, page.warning) == ("Towers & so on", "Which?", "Beware\nof models.")
    assert page.answer == ("It is “low”: 1.25 (1.00 to 2.00).",)
    _, figure = page.sections[0].blocks
    assert isinstance(figure, Figure) and figure.alt == "low: 1.25; high: 2.5."
    assert (figure.title, figure.caption.finding) == ("What rules cost", "The low card costs least.")
    assert [column.name for column in figure.columns] == ["rule", "seat", "cost", "cost_low", "cost_high"]
    assert "sampled: n = 9 games, paired 95 % intervals, seed 7" in figure.caption.conditions
    (tabs,) = page.method.blocks
    assert isinstance(tabs, Tabs) and tabs.chosen == 1 and isinstance(tabs.tabs[0].blocks[0], Table)
    html = render_page(page)
    assert "<h1>Towers &amp; so on</h1>" in html and "Beware\nof models." in html
    assert '<p>Made by <code>towerlab x</code>, with <span class="card c">J♣</span>.</p>' in html
    assert "<ul>\n<li>a &amp; b: 1.2</li>\n<li>c: 2.5</li>\n</ul>" in html


OPENING = """
{% call bars("first", costs, "rule", "cost", size="n = 5", model="pimc", sure=exact(2, "rules")) %}
### First
Lost.
{% endcall %}
"""


@pytest.mark.parametrize("untold", ["It costs 3.", "It costs {{ 3 }}.", "Low is better.", "It is rarely so.",
                                    '{{ "better" | claim(costs.cost.min() > 5) }}'])  # fmt: skip
def test_numbers_and_claims_that_nothing_carries_are_refused(read: Any, untold: str) -> None:
    opened = TEXT.replace("> Beware", f"{OPENING}\n> Beware")
    carried = 'Low is {{ "better" | claim(costs.cost.min() < 2) }} (`n = 3`): {{ costs.cost.min() }}.'
    (figure,) = read(opened.replace("As said.", carried)).opening
    assert figure.narrow is not None
    with pytest.raises(ReportError, match=r"toy.md: .*(comes from no table or test|its test fails)"):
        read(opened.replace("As said.", untold))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("row(rule=\"low\")).rule", "row(rule=\"no\")).rule", "expected one row with .*'no'.*, found 0"),
        ("row.seat", "row.seats", "has no attribute 'seats'"),
        ("card(9)", "cost(9)", "'cost' is undefined"),
        ('"rule", "cost", size', '"rule", "costs", size', "no column 'costs' in the table"),
        ("| seat ", "| seats", "no column 'seats' in the table"),
        ('model="pimc", sure=sampled', "sure=sampled", "'What rules cost' says nothing about its model"),
        ("Lost against pimc.", "", "says nothing about its text"),
        ("> Beware\n> of models.", "", "expected '# title', a question"),
        ("{% endfor %}", "", "Unexpected end of template"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(read: Any, old: str, new: str, fault: str) -> None:
    assert old in TEXT
    with pytest.raises(ReportError, match=f"toy.md.*: .*{fault}"):
        read(TEXT.replace(old, new, 1))
