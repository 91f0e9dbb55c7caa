"""The report infrastructure: what a page must have, and what must not get into one."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pyarrow.parquet
import pytest

from tests.oracles.page_elements import Elements, check_html
from towerlab.analysis.report.drawing import INK, PALETTE, accept_or_pass, colour, drawing, ink_on, inline_svg
from towerlab.analysis.report.page import (
    Caption,
    Column,
    Exact,
    Figure,
    KeyNumber,
    Page,
    ReportError,
    Sampled,
    Section,
    Tab,
    Table,
    Tabs,
    check_equal,
    check_sum,
    check_that,
)
from towerlab.analysis.report.render import CSP, PAGE_LIMIT, Cell, Panel, files_of, grid_svg, render_page
from towerlab.analysis.report.wording import cards_html, fit, typeset
from towerlab.analysis.report.write import write_report
from towerlab.games.cards import parse_mask

ROOT = Path(__file__).parents[2]
CAPTION = Caption(
    "Share of hands by trumps.",
    rules="default rules",
    size="n = 7",
    model="perfect information",
    certainty=Exact(12, "classes"),
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{}</svg>'


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {"hand": ["three", "two", "<one>"], "share": [0.5, -0.25, float("nan")], "weight": [1200, 30, 4]}
    )


def bars() -> Any:
    with drawing(6, 3) as (figure, axes):
        axes.bar(["three", "two"], [0.5, 0.25], color=[colour("accept-3"), colour("pass-3")], hatch="//", edgecolor=INK)
        axes.text(0, 0.2, "on paper", color=INK)
        axes.set_xlabel("trumps & others")
    return figure


def page(**changes: Any) -> Page:
    columns = (Column("hand", "hand"), Column("share", "share", ".2f", help="of all"), Column("weight", "weight"))
    figure = Figure("shares", "Shares", bars(), "Two bars, the left one higher.", CAPTION, frame())
    table = Table("ledger", "Ledger", frame(), CAPTION, columns)
    content = {
        "title": "A & B",
        "question": "Which?",
        "answer": ("This one.",),
        "warning": "The model sees all cards.",
        "sections": (Section("first", "First", ("A paragraph.\n\n- a point", figure, table)),),
        "method": Section("method", "Method", ("As said.",)),
        "command": "towerlab report x --out 'a b'",
        "checks": (check_sum("shares add up", [0.5, 0.5], 1.0),),
        "key_numbers": (KeyNumber("50 %", "of hands", Sampled(100, "deals", 3, "Wilson")),),
    }
    return Page(**(content | changes))  # type: ignore[arg-type]


def html_of(*blocks: Any) -> str:
    """The page of one section with these blocks."""
    return render_page(page(sections=(Section("first", "First", blocks),)))


def with_table(name: str, content: pd.DataFrame, **changes: Any) -> Page:
    """The page with one more table."""
    (section,) = page().sections
    more = dataclasses.replace(section, blocks=(*section.blocks, Table(name, name.capitalize(), content, CAPTION)))
    return page(sections=(more,), **changes)


# ------------------------------------------------------------------------------------------------------- the page


def test_page_is_sound_has_language_skip_link_and_one_title() -> None:
    elements = Elements(render_page(page()))
    check_html(
        render_page(page()),
        {
            "README.md",
            "manifest.json",
            *(name for table in page().tables() for name in files_of(table.name, table.frame)),
        },
    )
    assert CSP == "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    assert elements.all("html") == [{"lang": "en"}]
    assert elements.all("a")[0] == {"class": "skip", "href": "#main"}
    assert [main["id"] for main in elements.all("main")] == ["main"]
    assert (
        next(tag for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)) == "h1" and len(elements.all("h1")) == 1
    )


def test_page_gives_the_answer_first_and_the_method_last() -> None:
    html = render_page(page())
    order = [html.index(text) for text in ("This one.", "The model sees all cards.", ">First<", "As said.", "--out")]
    assert order == sorted(order)


def test_what_stands_under_tabs_is_part_of_the_page_without_a_script() -> None:
    table = Table("under", "Under", frame(), CAPTION)
    tabs = Tabs("sizes", (Tab("one card", ("One.",)), Tab("two cards", ("Two.", table))), chosen=1)
    made = page(sections=(Section("first", "First", (tabs,)),))
    assert [each.name for each in made.tables()] == ["under"]
    html = render_page(made)
    assert html.index("one card") < html.index("<p>One.") < html.index("two cards") < html.index('<table id="under">')
    assert 'class="shut"' not in html and 'data-chosen="1"' in html


def test_page_says_how_sure_its_numbers_are() -> None:
    html = render_page(page())
    assert "default rules · n = 7 · perfect information · exact: 12 classes" in html
    assert "sampled: n = 100 deals, Wilson 95\u202f% intervals, seed 3" in html


def test_page_escapes_text_and_shows_markup_of_our_own() -> None:
    html = html_of("1 < 2 & so on, by deck_size", cards_html(parse_mask("JS 9H")))
    assert "1 &lt; 2 &amp; so on, by <code>deck_size</code>" in html
    assert '<span class="card h">9♥</span>' in html


TWICE = Section("first", "Again", (cards_html(parse_mask("JS")),))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: page(sections=(TWICE, TWICE)), "'first' stands twice"),
        (lambda: with_table("ledger", frame()), "the id 'ledger' stands twice"),
        (lambda: html_of("Text."), "sections of words alone: First; expected a figure or a table"),
        (lambda: html_of(Table("t", "T", frame(), CAPTION, (Column("nope", "x"),))), "has no column 'nope'"),
        (lambda: page(checks=()), "at least one check"),
    ],
)
def test_what_is_twice_or_missing_is_refused(made: Callable[[], Any], words: str) -> None:
    with pytest.raises(ReportError, match=words):
        render_page(made())


def test_a_finding_stands_first_under_its_chart() -> None:
    found = dataclasses.replace(CAPTION, finding="Three trumps take -4% more.")
    figure = Figure("shares", "Shares", bars(), "Two bars.", found, frame())
    table = Table("ledger", "Ledger", frame(), found)
    html = html_of(figure, table)
    assert html.count("<strong>Three trumps take −4\u202fpp more.</strong> Share of hands by trumps.") == 2
    assert "pp: percentage points" in html and "pp: percentage points" not in render_page(page())


def test_an_interval_of_no_width_is_not_shown() -> None:
    rows = pd.DataFrame({"hand": ["a", "b"], "made": [1.0, 0.5], "made_low": [1.0, 0.4], "made_high": [1.0, 0.6]})
    table = Table("made", "Made", rows, CAPTION, tuple(Column(name, name, ".0%") for name in rows))
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", html_of(table))
    assert cells[:6] == ["100\u202f%", "–", "–", "50\u202f%", "40\u202f%", "60\u202f%"]


def test_headings_that_collide_are_refused() -> None:
    with drawing(4, 3, ncols=2) as (figure, panels):
        for axes in panels:
            axes.set_title("Unbreakable-heading-of-half-a-page-and-more")
    with pytest.raises(ReportError, match="collide"):
        inline_svg(figure, "chart", "Chart", "Two panels.")


def test_a_page_over_one_megabyte_is_refused_with_its_largest_part() -> None:
    long = Table("longest", "Long", pd.DataFrame({"text": ["four words of it " * 60] * 1001}), CAPTION)
    with pytest.raises(ReportError, match=r"expected at most 1,000,000 \(its largest parts: longest"):
        html_of(long)
    shortened = dataclasses.replace(long, rows=10)
    assert "10 of 1,001 rows." in html_of(shortened)


# --------------------------------------------------------------------------------------------------- what adds up


def test_a_page_that_does_not_add_up_is_not_built() -> None:
    checks = (
        check_sum("shares add up", [0.5, 0.4], 1.0),
        check_that("all are probabilities", False),
        check_sum("both means", [1.0], 1.0),
    )
    with pytest.raises(ReportError, match=r"shares add up \(0.9 against 1, within 1e-09\); all are probabilities") as e:
        render_page(page(checks=checks))
    assert "both means" not in str(e.value)


def test_columns_that_say_the_same_have_differences_that_vanish() -> None:
    assert check_equal("x", [1e-12, -1e-12]).holds
    assert not check_equal("x", [0.0, -1e-6]).holds
    assert not check_equal("x", [0.0, float("nan")]).holds


def test_not_a_number_adds_up_to_nothing() -> None:
    assert not check_sum("x", [float("nan")], float("nan")).holds


@pytest.mark.parametrize("part", ["text", "rules", "size", "model"])
def test_a_caption_has_to_say_everything(part: str) -> None:
    with pytest.raises(ReportError, match=f"nothing about its {part}"):
        dataclasses.replace(CAPTION, **{part: " "})
    with pytest.raises(TypeError):
        Caption("text", "rules", "size", "model")  # type: ignore[call-arg]


# --------------------------------------------------------------------------------------------------------- tables


def test_tables_sort_by_numeric_keys_and_are_labelled() -> None:
    html = render_page(page())
    table = ElementTree.fromstring(re.search(r'<table id="ledger">.*?</table>', html, re.S)[0].replace("<br>", ""))  # type: ignore[index]
    heads = table.findall("thead/tr/th")
    assert [head.get("scope") for head in heads] == ["col"] * 3
    assert [head.find("button").text for head in heads] == ["hand", "share", "weight"]  # type: ignore[union-attr]
    assert heads[1].find("button").get("title") == "of all"  # type: ignore[union-attr]
    rows = table.findall("tbody/tr")
    assert [row[0].get("scope") for row in rows] == ["row"] * 3
    assert [row[1].get("data-v") for row in rows] == ["0.5", "-0.25", ""]
    assert [row[1].text for row in rows] == ["0.50", "−0.25", "–"]
    assert [float(row[2].get("data-v") or "nan") for row in rows] == [1200, 30, 4]
    assert rows[0][2].text == "1,200"
    assert rows[2][0].text == "<one>"
    assert rows[0][0].get("data-v") is None
    caption = table.find("caption")
    assert "exact: 12 classes" in "".join(caption.itertext())


def test_a_column_can_be_shown_by_a_function() -> None:
    columns = (Column("hand", "hand", str.upper),)
    html = html_of(Table("t", "T", frame(), CAPTION, columns))
    assert '<th scope="row">THREE</th>' in html


# ------------------------------------------------------------------------------------------------------- drawings


def test_a_drawing_suits_light_and_dark() -> None:
    root = ElementTree.fromstring(inline_svg(bars(), "shares", "Shares", "Two bars."))
    assert root.get("role") == "img"
    assert root.get("fill") == "currentColor"
    assert [child.tag for child in root][:2] == ["title", "desc"]
    assert [child.text for child in root][:2] == ["Shares", "Two bars."]
    assert root.get("aria-labelledby") == "shares-title shares-desc"
    text = ElementTree.tostring(root, encoding="unicode")
    assert "var(--accept-3)" in text
    assert "var(--pass-3)" in text
    assert "currentColor" in text
    assert "#000000" not in text
    assert "<style" not in text
    assert "<metadata" not in text
    assert "trumps &amp; others" in text
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert ids
    assert all(one.startswith("shares-") for one in ids if one)
    references = re.findall(r'(?:url\(#|href="#)([^")]+)', text)
    assert references
    assert set(references) <= set(ids)
    assert len(text) < 10_000


def test_svg_of_our_own_is_taken_and_checked() -> None:
    drawn = inline_svg(
        SVG.format('<g id="x" fill="#000"><text>a<tspan>b</tspan> c</text></g><use href="#x"/>'), "own", "T", "D"
    )
    assert '<g id="own-x" fill="currentColor"><text>a<tspan>b</tspan> c</text></g>' in drawn
    for bad, words in (
        (SVG.format("<script>x</script>"), "<script>"),
        (SVG.format('<image href="x.png"/>'), "<image>"),
        ('<svg xmlns="http://www.w3.org/2000/svg"/>', "viewBox"),
        ("<svg>", "is not SVG"),
    ):
        with pytest.raises(ReportError, match=words):
            inline_svg(bad, "own", "T", "D")


def test_grids_show_text_and_shade() -> None:
    cells = {
        ("low", "a"): Cell("A 3", "accept-1"),
        ("high", "b"): Cell("P <9", "pass-3", tells=("7", "+3"), link="x.html"),
    }
    panels = [Panel("one & all", cells), Panel("two", {})]
    grid = grid_svg(panels, ("low", "high"), ("a", "b"), row_axis="r", column_axis="c", tells=("hands", "gap"))
    drawn, second = (inline_svg(panel, "g", "G", "x") for panel in grid)
    assert 'data-names="hands|gap"' in drawn and "two" in second
    texts = list(ElementTree.fromstring(drawn).iter("text"))
    assert {"one & all", "A 3", "P <9", "low", "high", "a", "b", "r", "c"} <= {text.text for text in texts}
    assert next(text for text in texts if text.text == "P <9").get("fill") == "var(--paper)"
    assert drawn.count('fill="var(--accept-1)"') == 1
    assert drawn.count('fill="var(--pass-3)" data-tells="7|+3" data-link="x.html"') == 1


# -------------------------------------------------------------------------------------------------------- colours


def _luminance(code: str) -> float:
    channels = [int(code[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG contrast ratio."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_keep_their_contrast(mode: str) -> None:
    shown = {token: getattr(colours, mode) for token, colours in PALETTE.items()}
    for token in shown:
        if token.startswith(("accept", "pass", "even")):
            assert contrast(shown[token], shown[ink_on(token)]) >= 4.5, token  # text in the cell
        if token.startswith("series") or token.endswith(("-3", "-4")) or token == "line":
            assert contrast(shown[token], shown["paper"]) >= 3, token  # a shape on the page
    for text in ("ink", "muted", "clubs", "diamonds", "hearts", "series-1"):
        assert contrast(shown[text], shown["paper"]) >= 4.5, text
        assert contrast(shown[text], shown["faint"]) >= 4.5, text
    for strength in range(1, 4):  # stronger means further from the page
        for side in ("accept", "pass"):
            weaker, stronger = (contrast(shown[f"{side}-{s}"], shown["paper"]) for s in (strength, strength + 1))
            assert stronger > weaker


def test_every_token_has_a_code_of_its_own() -> None:
    codes = [colours.light for colours in PALETTE.values()]
    assert len(codes) == len(set(codes))


def test_shades_follow_the_gap() -> None:
    shades = [accept_or_pass(gap, (5, 25, 75, 200)) for gap in (-300, -75, -6, 0, 4, 5, 25, 199, 200)]
    assert shades == ["pass-4", "pass-3", "pass-1", "even", "even", "accept-1", "accept-2", "accept-3", "accept-4"]


# --------------------------------------------------------------------------------------------------------- folders


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_report_has_its_tables_and_its_command_beside_it(tmp_path: Path) -> None:
    extra = pd.DataFrame({"a": [1, 2]})
    written = write_report(tmp_path / "reports" / "x", with_table("extra", extra))
    folder = written.parent
    assert written.name == "index.html"
    tables = {f"tables/{name}.{kind}" for name in ("ledger", "shares", "extra") for kind in ("csv", "parquet")}
    assert set(contents(folder)) == {"index.html", "README.md", "manifest.json", "tables/columns.md"} | tables
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "tables/ledger.parquet"), frame(), check_dtype=False)
    pd.testing.assert_frame_equal(pd.read_csv(folder / "tables/extra.csv"), extra)
    schema = pyarrow.parquet.read_schema(folder / "tables/ledger.parquet")
    assert schema.field("share").metadata == {b"column": b"share", b"what": b"share: of all", b"unit": b""}
    assert {b"page", b"towerlab", b"made by", b"seeds", b"rules", b"size", b"model", b"certainty"} <= {*schema.metadata}
    assert "| `share` | share: of all |" in (folder / "tables/columns.md").read_text("utf-8")
    for name in ("index.html", "README.md"):
        assert "towerlab report x --out" in (folder / name).read_text("utf-8")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["command"] == page().command
    for name, entry in manifest["files"].items():
        content = (folder / name).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    assert set(manifest["files"]) == set(contents(folder)) - {"manifest.json"}


def test_a_report_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    write_report(tmp_path / "a", page())
    write_report(tmp_path / "b", page())
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_report_that_fails_leaves_the_old_one_alone(tmp_path: Path) -> None:
    write_report(tmp_path, page())
    before = contents(tmp_path)
    with pytest.raises(ReportError):
        write_report(tmp_path, page(checks=(check_that("it adds up", False),)))
    unwritable = pd.DataFrame({"mixed": [1, "one", None, object()]})
    with pytest.raises(Exception, match="object"):
        write_report(tmp_path, with_table("extra", unwritable, title="Other"))
    assert contents(tmp_path) == before


def test_a_new_report_takes_the_place_of_the_old_one_and_of_nothing_else(tmp_path: Path) -> None:
    write_report(tmp_path, with_table("gone", frame()))
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "book").mkdir()
    write_report(tmp_path, page(title="New"))
    assert (tmp_path / "book").is_dir() and "notes.txt" in contents(tmp_path)
    assert not {"tables/gone.csv", "tables/gone.parquet"} & set(contents(tmp_path))
    assert "<h1>New</h1>" in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.parametrize("folder", sorted(path.parent for path in ROOT.glob("reports/**/manifest.json")), ids=str)
def test_published_reports_are_whole_and_sound(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for name, entry in manifest["files"].items():
        content = (folder / name).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(content), hashlib.sha256(content).hexdigest()), name
    page = (folder / "index.html").read_text("utf-8")
    assert len(page.encode()) <= PAGE_LIMIT
    pages = {os.path.relpath(file, folder) for file in (ROOT / "reports").rglob("*.html")}
    check_html(page, beside=set(manifest["files"]) | {"manifest.json"} | pages)
    assert manifest["command"] in unescape(page)


def test_large_tables_are_parquet_alone_and_every_count_is_n(tmp_path: Path) -> None:
    long = pd.DataFrame({"text": ["x" * 100] * 1000, "deals": 7, "200 layouts": 0.5})
    write_report(tmp_path, with_table("long", long))
    assert "tables/long.csv" not in contents(tmp_path)
    assert list(pd.read_parquet(tmp_path / "tables/long.parquet")) == ["text", "n", "layouts_200"]


def test_a_first_screen_of_many_words_is_refused() -> None:
    figure = Figure("opening", "Opening", bars(), "Two bars.", CAPTION, frame(), narrow=bars())
    html = render_page(page(opening=(figure,)))
    assert html.index('id="opening"') < html.index("The model sees all cards.") < html.index(">First<")
    assert 'id="opening-narrow-title"' in html and "sampled: n = 100" in html
    with pytest.raises(
        ReportError, match=r"the first screen has (9[1-9]|1[0-9]{2}) words, the page 1 sections; expected at most 90"
    ):
        render_page(page(opening=(figure,), answer=("word " * 85,)))
    with pytest.raises(ReportError, match="6 sections"):
        sections = tuple(Section(f"s{n}", "S", (cards_html(parse_mask("JS")),)) for n in range(6))
        render_page(page(opening=(figure,), sections=sections))


def test_published_pages_agree_on_every_quantity() -> None:
    told: dict[str, tuple[float, str]] = {}
    for path in sorted((ROOT / "reports").rglob("*manifest.json")):
        manifest = json.loads(path.read_text("utf-8"))
        for name, value in manifest.get("quantities", {}).items():
            first, where = told.setdefault(name, (value, str(path)))
            assert value == pytest.approx(first, rel=1e-9), f"{name} is {value} in {path} and {first} in {where}"
    assert told


@pytest.mark.parametrize("fault", ["a `raw word", "inf tricks", "nan", "every deck_size", "100 (100–100)"])
def test_words_that_no_page_may_show_are_refused(fault: str) -> None:
    with pytest.raises(ReportError, match="shows what none may show"):
        inline_svg(SVG.format(f"<text>{fault}</text>"), "own", "T", "D")
    with pytest.raises(ReportError, match="shows what none may show"):
        fit(fault)
    assert typeset("`nan` or deck_size: −0.01 mt, an infinity of nannies").count("<code>") == 2


def test_a_long_word_is_looked_at_once() -> None:
    """Not once from each of its letters: 200,000 took minutes."""
    assert fit("9" * 200_000) == "9" * 200_000


def test_sentences_tables_and_captions_are_set_alike() -> None:
    table = Table("signs", "Signs", pd.DataFrame({"mt": [-2.31, -0.001, math.inf], "share": ["-3.2%"] * 3}), CAPTION,
                  (Column("mt", "mt", ".1f"), Column("share", "share")))  # fmt: skip
    html = html_of("Made by `x -1`: -2.3 mt, 41%.", table)
    assert "Made by <code>x -1</code>: −2.3 mt, 41\u202f%." in html
    assert [cell in html for cell in (">−2.3<", ">0.0<", ">–<")] == [True] * 3
