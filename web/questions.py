"""Questions as forms: what is asked is handed in by `commands.forms`, here is how a form and its answer are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis import present
from games.errors import TowerlabError
from web.pages import render

LONGEST_ANSWER = 400  # rows of a table


class QuestionError(TowerlabError):
    """What is wrong with the answers to a form, and in which field (empty: not one field's fault)."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Attributes:
        name: as the option on the command line: ``"their-deck"``.
        help: what it is.
        kind: ``"text"``, ``"number"``, ``"choice"`` or ``"flag"``.
        choices: where it is a choice; the empty one is the default.
        hint: what may be written, or what it is if left empty.
        is_required: whether it must be filled in.
        example: what the form is filled in with at first.
    """

    name: str
    help: str
    kind: str
    choices: tuple[str, ...] = ()
    hint: str = ""
    is_required: bool = False
    example: str = ""

    @property
    def label(self) -> str:
        return self.name.replace("-", " ")


@dataclass(frozen=True)
class Question:
    """A question that can be asked in a form.

    Attributes:
        path: ``"upcard"``, ``"claim/bowers"``.
        title, help: for people.
        fields: in order.
        answer: values by field → the answer; raises `QuestionError`.
        game: its name.
    """

    path: str
    title: str
    help: str
    fields: tuple[Field, ...]
    answer: Callable[[Mapping[str, str]], present.Shown]
    game: str

    @property
    def first_values(self) -> dict[str, str]:
        """The example it is filled in with."""
        return {field.name: field.example for field in self.fields if field.example}


def question_page(
    question: Question, values: Mapping[str, str], answer: present.Shown | None, error: QuestionError | None
) -> str:
    """The form with what was filled in, and the answer or what is wrong."""
    wanted = [field for field in question.fields if field.is_required or field.example or values.get(field.name)]
    return render(
        "question.html.j2",
        title=f"{question.title} – towerlab",
        question=question,
        groups=[("", wanted), ("More", [field for field in question.fields if field not in wanted])],
        values=values,
        error=error,
        parts=[] if answer is None else list(_parts(answer.__rich__())),
    )


def _parts(shown: RenderableType) -> Iterator[dict[str, Any]]:
    """What the terminal shows, as paragraphs and tables."""
    if isinstance(shown, Group):
        for one in shown.renderables:
            yield from _parts(one)
    elif isinstance(shown, Table):
        rows = list(zip(*([_plain(cell) for cell in column.cells] for column in shown.columns), strict=True))
        yield {
            "title": _plain(shown.title or ""),
            "columns": [(_plain(column.header), column.justify == "right") for column in shown.columns],
            "rows": rows[:LONGEST_ANSWER],
        }
    elif text := _plain(shown).strip("\n"):
        yield {"text": text}


def _plain(shown: Any) -> str:
    if isinstance(shown, str):
        return Text.from_markup(shown).plain
    return shown.plain if isinstance(shown, Text) else present.as_text(shown)


def by_game(questions: Sequence[Question], titles: Mapping[str, str]) -> list[tuple[str, list[Question]]]:
    """Questions of each game, for a list."""
    return [(title, [one for one in questions if one.game == game]) for game, title in titles.items()]
