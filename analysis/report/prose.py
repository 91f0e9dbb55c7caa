"""How is a page written in a file? In Markdown with Jinja, with tables and charts in place.

A game's page is a file in the folder ``templates`` of its package, and uses the results of its studies::

    # Towers: which column to start in          the title, the question, then the answer; a paragraph a sentence or two
    > The model: …                              the assumption; shown as a warning
    {{ number("61 %", "of starts", exact(12, "starts")) }}
    {{ draw_hand(mask, up) }}                  a hand drawn as cards; or a chart: the first screen
    ## Columns {#columns}                       a section with its id, which no table has; the last is the method
    The cheapest costs {{ (costs | row(rule="low")) | estimate(".1f", "cost") }}.
    {% call bars("costs", costs, "rule", "cost", size="5 cards", model="pimc", sure=exact(12, "starts")) %}
    ### What rules cost                         its title
    **The lowest card costs least.**            the finding, where there is one
    Lost against pimc.                          the caption
    | rule    | rule                            columns of the numbers: name, heading, format, help;
    | cost ±  | cost, mt | .1f                  with ± also the ends of its interval
    {% endcall %}

`table`, `bars`, `dots`, `lines` (`analysis.report.plots`) and `chart` (a drawing made elsewhere) are called
alike; a chart draws the rows of `drawn`, if given, instead of its whole table. `tabs` places the parts under lines
``=== title``. Filters: `form`, `estimate`, `row` and `rows` of a table. Comments are between ``<!--`` and
``-->``. A missing value, column, row or part of a caption is an error. So is a number in the prose that comes from no
value, and a word that claims (`CLAIMS`) without its test: ``{{ "better" | claim(row.edge > 0) }}``.
``{% include "claims.md" %}`` places a section that pages share, from the folder ``templates`` here.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import jinja2
import pandas as pd
from jinja2 import nodes
from markupsafe import Markup

from towerlab.analysis.question_rows import frame_rows
from towerlab.analysis.report import plots
from towerlab.analysis.report.page import (
    DEFAULT_RULES,
    Block,
    Caption,
    Certainty,
    Check,
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
)
from towerlab.analysis.report.plots import FINDING, ends_of, estimate, findings
from towerlab.analysis.report.render import template_text
from towerlab.analysis.report.wording import cards_html, hand_html

_SECTION: Final = re.compile(r"^## (.+?) \{#(\S+)\}$", re.MULTILINE)
_TAB: Final = re.compile(r"^=== (.+)$", re.MULTILINE)
_PLACED: Final = re.compile(r"\n\n@(\d+)@\n\n")
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_MOST: Final = 40  # numbers of a chart that are read out one by one
_NUMBER: Final = re.compile(r"(?<![\w.])\d[\d,.]*")
CLAIMS: Final = re.compile(
    r"\b(?:better|worse|rarely|seldom|hardly|usually|mostly|clearly|cheapest|dearest|significant(?:ly)?|nearly all"
    r"|as (?:good|many|much) as|no (?:measurable |sure )?difference)\b",
    re.I,
)
ALWAYS: Final = {"cards": cards_html, "finding": FINDING, "findings": findings}
_UNTOLD: Final = re.compile(r"^\|.*$|`[^`]*`|\{#.*?\}|<!--.*?-->", re.MULTILINE | re.DOTALL)


def read_page(
    package: str,
    file: str,
    values: Mapping[str, Any],
    *,
    command: str,
    checks: tuple[Check, ...],
    runs: Mapping[str, Any] | None = None,
    sources: Mapping[str, Any] | None = None,
    quantities: Mapping[str, float] | None = None,
) -> Page:
    """Return the page of a file.

    Args:
        package: the package with the file in its folder ``templates``.
        file: the name of the file.
        values: names for the prose besides `ALWAYS`: tables, numbers, runs, and functions as formats of columns.
        command, checks, quantities: the same as in `Page`.
        runs: `analysis.report.studies.Run` of each study, by name: the prose may name their `seeds`, and as `changes`
            the changes of rule options.
        sources: the same as in `Page`, besides the runs.

    Raises:
        ReportError: the file uses an unknown name, or has no title, warning or method.
    """
    runs = runs or {}
    seeds = {name: {"seed": run.seed} for name, run in runs.items()}
    known = ALWAYS | {"seeds": {name: run.seed for name, run in runs.items()}}
    if "rule-options" in runs:
        known["changes"] = runs["rule-options"].tables["changes"]
    written = _Written({**known, **values})
    text = template_text(file, package)
    try:
        more: dict[str, Any] = {"sources": {**seeds, **(sources or {})}, "quantities": quantities or {}}
        again = functools.partial(read_page, package, file, values, command=command, checks=checks, runs=runs, **more)
        return written.page(text, command=command, checks=checks, read_again=again, **more)
    except (jinja2.TemplateError, ReportError) as error:
        line = f" line {error.lineno}" if isinstance(error, jinja2.TemplateSyntaxError) else ""
        raise ReportError(f"{file}{line}: {error}") from None


class _Written:
    """The parts that a file places on its page while it is read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._blocks: list[Block] = []
        self._numbers: list[KeyNumber] = []
        self._jinja = jinja2.Environment(
            autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
            comment_start_string="<!--", comment_end_string="-->", loader=jinja2.FunctionLoader(template_text),
        )  # fmt: skip
        self._jinja.filters |= {
            "claim": _claimed, "form": format, "row": one_row, "rows": frame_rows, "estimate": estimate,
        }  # fmt: skip

    def page(self, text: str, **rest: Any) -> Page:
        charts = {name: self._builder(getattr(plots, name)) for name in ("bars", "dots", "lines")}
        placing = {"table": self._table, "chart": self._chart, "tabs": self._tabs}
        words = self._jinja.from_string(text).render(
            **self._values, **charts, **placing, number=self._number, exact=Exact, sampled=Sampled, draw_hand=hand_html
        )
        first, *parts = _SECTION.split(words)
        opening = [*self._parts(first)]
        title, *paragraphs = re.split(
            r"\n\s*\n", "\n\n".join(part for part in opening if isinstance(part, str)).strip()
        )
        self._refuse_untested(text)
        sentences = [Markup(part) for part in paragraphs if not part.startswith("> ")]
        warning = " ".join(re.sub("^> ", "", part, flags=re.M) for part in paragraphs if part.startswith("> "))
        if not title.startswith("# ") or not warning or len(sentences) < 2 or not parts:
            raise ReportError("expected '# title', a question, an answer, '> what is assumed' and '## sections {#id}'")
        *sections, method = (
            Section(name, Markup(heading), tuple(self._parts(body)))
            for heading, name, body in zip(*(parts[place::3] for place in range(3)), strict=True)
        )
        return Page(
            title=_plain(title[2:]), question=_plain(sentences[0]), answer=tuple(sentences[1:]),
            warning=Markup(warning), sections=tuple(sections), method=method, key_numbers=tuple(self._numbers),
            opening=tuple(part for part in opening if not isinstance(part, str)), **rest,
        )  # fmt: skip

    def _refuse_untested(self, text: str) -> None:
        """Refuse numbers and claims written out in the prose, included files too."""
        tree = self._jinja.parse(text)
        included = [
            node.template.value for node in tree.find_all(nodes.Include) if isinstance(node.template, nodes.Const)
        ]
        for source in (text, *map(template_text, included)):
            written = self._jinja.parse(source)
            constants = [each for shown in written.find_all(nodes.Output) for each in shown.nodes]
            for data in (*written.find_all(nodes.TemplateData), *constants):
                words = data.data if isinstance(data, nodes.TemplateData) else ""
                words = _UNTOLD.sub(" ", str(data.value) if isinstance(data, nodes.Const) else words)
                if match := _NUMBER.search(words) or CLAIMS.search(words):
                    near = " ".join(words[max(0, match.start() - 40) : match.end() + 20].split())
                    line = data.lineno + words[: match.start()].count("\n")
                    raise ReportError(f"line {line}: {match.group()!r} comes from no table or test: … {near} …")

    def _parts(self, words: str) -> Iterator[Block]:
        """Yield Markdown and placed parts, in order."""
        for place, part in enumerate(_PLACED.split(words)):
            if place % 2:
                yield self._blocks[int(part)]
            elif part.strip():
                yield Markup(part.strip("\n"))

    # ------------------------------------------------------------------------------------- what a file may call

    def _place(self, block: Block) -> str:
        self._blocks.append(block)
        return f"\n\n@{len(self._blocks) - 1}@\n\n"

    def _number(self, value: str, label: str, sure: Certainty) -> str:
        self._numbers.append(KeyNumber(value, label, sure))
        return ""

    def _tabs(self, name: str, caller: Callable[[], str], chosen: int = 0) -> str:
        _, *parts = _TAB.split(str(caller()))
        tabs = [
            Tab(_plain(title), tuple(self._parts(body))) for title, body in zip(parts[::2], parts[1::2], strict=True)
        ]
        return self._place(Tabs(name, tuple(tabs), chosen))

    def _table(self, name: str, frame: pd.DataFrame, caller: Callable[[], str], **how: Any) -> str:
        title, caption, columns = self._described(frame, str(caller()), how)
        return self._place(Table(name, title, frame, caption, columns, **how))

    def _chart(
        self, name: str, frame: pd.DataFrame, drawing: Any, alt: str, caller: Callable[[], str], **how: Any
    ) -> str:
        title, caption, columns = self._described(frame, str(caller()), how)
        return self._place(Figure(name, title, drawing, alt, caption, frame, columns, **how))

    def _builder(self, draw: Callable[..., Any]) -> Callable[..., str]:
        """Return a chart function that draws its own table and describes it in words."""

        def build(name: str, frame: pd.DataFrame, label: str, value: Any, caller: Callable[[], str], **how: Any) -> str:
            caption: dict[str, Any] = {
                key: how.pop(key) for key in ("size", "model", "sure", "rules", "rows") if key in how
            }
            drawn = how.pop("drawn", frame)
            keys = [value] if isinstance(value, str) else value
            names = [*(how[key] for key in ("panels", "by") if key in how), label]
            _refuse_missing(drawn, (*names, *keys))
            alt = _read_out(drawn, names, keys)
            caption["narrow"] = draw(drawn, label, value, width=plots.NARROW, **how)
            return self._chart(name, frame, draw(drawn, label, value, **how), alt, caller, **caption)

        return build

    def _described(
        self, frame: pd.DataFrame, words: str, how: dict[str, Any]
    ) -> tuple[str, Caption, tuple[Column, ...]]:
        """Return the title, caption and columns of a table or chart; takes the caption's parts out of `how`."""
        head, _, rest = words.strip().partition("\n")
        title = _plain(head).removeprefix("### ")
        rows = [line.strip("| ").split("|") for line in rest.splitlines() if line.startswith("|")]
        text = "\n".join(line for line in rest.splitlines() if not line.startswith("|")).strip()
        finding = _BOLD.match(text)
        text = text[finding.end() :] if finding else text
        if missing := [part for part in ("size", "model", "sure") if part not in how]:
            raise ReportError(f"the caption of {title!r} says nothing about its {', '.join(missing)}")
        rules, size, model, sure = (how.pop(part, DEFAULT_RULES) for part in ("rules", "size", "model", "sure"))
        caption = Caption(Markup(text), rules, size, model, sure, Markup(finding[1] if finding else ""))
        columns = [column for row in rows for column in self._columns(frame, [cell.strip() for cell in row])]
        return title, caption, tuple(columns)

    def _columns(self, frame: pd.DataFrame, cells: list[str]) -> tuple[Column, ...]:
        """Return the columns of one line: name, heading, format, help."""
        name, title, form, words = (*cells, *[""] * (4 - len(cells)))
        show = self._values.get(form, form)
        key = name.removesuffix("±").strip()
        _refuse_missing(frame, [key])
        title, words = _plain(title or key.replace("_", " ")), _plain(words)
        ends = zip(ends_of(key, frame), ("95 % from", "to"), strict=True) if key != name else ()
        return Column(key, title, show, words), *(Column(end, where, show, of=title) for end, where in ends)


def _claimed(word: str, test: bool) -> str:
    """Return the word, if its test holds."""
    if not test:
        raise ReportError(f"{word!r} is claimed, and its test fails")
    return word


def one_row(frame: pd.DataFrame, **where: Any) -> dict[str, Any]:
    """Return the one row of a table in which columns have these values.

    Raises:
        ReportError: no row or several rows have them, or there is no such column.
    """
    _refuse_missing(frame, where)
    rows = frame[(frame[list(where)] == pd.Series(where)).all(axis=1)]
    if len(rows) != 1:
        raise ReportError(f"expected one row with {where}, found {len(rows)}")
    return frame_rows(rows)[0]


def _refuse_missing(frame: pd.DataFrame, names: Any) -> None:
    if missing := [name for name in names if name and name not in frame]:
        raise ReportError(f"no column {missing[0]!r} in the table; it has {list(frame.columns)}")


def _read_out(frame: pd.DataFrame, names: list[str], keys: list[str]) -> str:
    """Return the numbers of a chart in words, of a large one the least and the greatest."""
    wide = frame.melt(names, keys, "@key", "@value").dropna(subset="@value")
    if len(wide) > _MOST:
        wide = wide.sort_values("@value", kind="stable").iloc[[0, -1]]
    named = [*names, "@key"] if len(keys) > 1 else names
    rows = (", ".join(str(row[name]).replace("_", " ") for name in named) for row in frame_rows(wide))
    return "; ".join(f"{words}: {value:.3g}" for words, value in zip(rows, wide["@value"], strict=True)) + "."


def _plain(words: str) -> str:
    """Return a text without tags, in one line."""
    return Markup(words).striptags()
