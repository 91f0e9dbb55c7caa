"""What does every answer say of itself? The base of all records that answer a question: they show themselves, say what
they are, and are cited.

`repr` writes cards instead of numbers, `print` and a notebook show what the command line shows, and `to_frame` gives
the table in it. Every answer says by which version, of which game, under which rules and by which method it was got
(`about`). A record says so in three places: the base class, the types of its fields (`games.written`) and where its
picture is made::

    @dataclass(frozen=True)
    class OpenHands(Answer, game="towie", shown_by="towerlab.analysis.towie.present:hands_report", table="leads"):
        leader: Mask
        leads: Mapping[CardId, int]
        line: tuple[CardId, ...]
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from towerlab.analysis.catalog import GAMES
from towerlab.analysis.version import exact_version
from towerlab.games.errors import TowerlabError, quote_value
from towerlab.games.options import changed_options, options_text
from towerlab.games.written import Record, as_json

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType


ABOUT: Final = ("game", "options", "cards", "seed", "method", "method_asked")
_LONGEST_METHOD: Final = 20  # letters; longer texts are in the text above


@dataclass(frozen=True)
class Answer(Record):
    """Base of the records that answer a question.

    Args of a subclass:
        game: the game's name on the command line, where all its records are of one; else a field says it.
        method: how all its records are got, if all are got in one way; else a field says it.
        shown_by: ``"module:function"`` that makes a rich renderable of the record, loaded when it is shown.
        table: where the rows of `to_frame` are, a key of `to_json` or an attribute: objects in a list or by name.

    Attributes:
        options: the rule options; None where the game has none.
        seed: the seed of the sample; None where nothing is drawn.
        method_asked: the method in the question, None for the best one.
        link: the position as a short text, of games that have one.
        policy: the digest of the learned policy that played the alternatives out; empty where none did.
    """

    _shown_by: ClassVar[str] = ""
    _table: ClassVar[str] = ""

    options: Any = field(default=None, kw_only=True, repr=False, hash=False)
    seed: int | None = field(default=None, kw_only=True, repr=False)
    method_asked: str | None = field(default=None, kw_only=True, repr=False)
    link: str = field(default="", kw_only=True, repr=False)
    policy: str = field(default="", kw_only=True, repr=False)

    def __init_subclass__(cls, shown_by: str = "", table: str = "", game: str = "", method: str = "", **given: Any):
        super().__init_subclass__(**given)
        cls._shown_by = shown_by or cls._shown_by
        cls._table = table or cls._table
        for name, always in (("game", game), ("method", method)):
            if always:
                setattr(cls, name, always)

    def __bool__(self) -> bool:
        """Refuse ``if answer:``, which would hold of an unsound claim, too.

        Raises:
            TypeError: always.
        """
        verdict = next(
            (name for name in ("sound", "valid", "recommend", "best") if hasattr(self, name)), "one of its fields"
        )
        raise TypeError(
            f"{type(self).__name__} is neither true nor false; expected a question such as `answer.{verdict}`"
        )

    @property
    def rules(self) -> str:
        """The options that differ from the defaults, in words."""
        return options_text(self.about()["options"])

    def about(self) -> dict[str, Any]:
        """Return the keys of every answer: version, game, changed options, hand size n, seed, methods."""
        about = {name: as_json(getattr(self, name, None)) for name in ABOUT if name != "options"}
        changed = {} if self.options is None else changed_options(self.options)
        linked = {name: getattr(self, name) for name in ("link", "policy") if getattr(self, name)}
        return {"version": exact_version(), "game": about.pop("game"), "options": changed, **about, **linked}

    def to_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints: `about`, and the keys of the question."""
        return self.about() | super().to_json()

    def to_frame(self, table: str = "") -> pd.DataFrame:
        """Return the table that is printed, columns named as in JSON; an answer that prints none is one row.

        Args:
            table: another table of the answer, by its key in JSON.

        Raises:
            TowerlabError: there is no such table in it.
        """
        import pandas as pd

        answer = self.to_json()
        name = table or self._table
        rows = [answer] if not name else answer[name] if name in answer else as_json(getattr(self, name, None))
        if isinstance(rows, Mapping):
            each = {key: row if isinstance(row, Mapping) else {"value": row} for key, row in rows.items()}
            rows = [{name.rstrip("s"): key, **row} for key, row in each.items()]
        if not isinstance(rows, list):
            known = ", ".join(key for key, value in answer.items() if isinstance(value, (list, dict)))
            raise TowerlabError(f"there is no table {name!r} in this answer; expected one of {known}")
        frame = pd.json_normalize([dict(row) if isinstance(row, Mapping) else {name.rstrip("s"): row} for row in rows])
        frame.attrs = dict(self.about().items())  # which Parquet keeps
        return frame

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        shown: RenderableType = pkgutil.resolve_name(self._shown_by)(self)
        last = [Text(f"Link  {self.link}")] if self.link else []
        return Group(shown, "", *last, Text(self._last_line(), style="dim"))

    def _last_line(self) -> str:
        """Return ``"towerlab 1.0.0 · Towie · 13 cards · seed 7 · sampled"``."""
        about = self.about()
        game = GAMES.get(about["game"])
        n = about["cards"]
        method = about["method"] or ""
        parts = (
            f"towerlab {about['version']}",
            game.title if game else "",
            f"{n} card{'s' * (n > 1)}" if n else "",
            self.rules,
            "" if about["seed"] is None else f"seed {about['seed']}",
            method if len(method) <= _LONGEST_METHOD else "",
        )
        return " · ".join(filter(None, parts))

    def __str__(self) -> str:
        from towerlab.analysis.present import as_text

        return as_text(self.__rich__())

    def _repr_html_(self) -> str:
        from towerlab.analysis.present import as_html

        return as_html(self.__rich__())


def cite(answer: Answer | None = None) -> str:
    """Return a reference to towerlab as BibTeX, to paste into a paper; its DOI is left open until there is one.

    Args:
        answer: whose number is quoted: the note then names its game, changed rule options, hand size, seed and method.

    Raises:
        TowerlabError: `answer` is no answer.

    >>> print(cite().splitlines()[0])
    @software{towerlab,
    """
    note = ""
    if answer is not None:
        if not isinstance(answer, Answer):
            raise TowerlabError(
                f"{quote_value(answer)} is no answer; expected what a question or a simulation returned"
            )
        about = answer.about()
        seed = "" if about["seed"] is None else f"seed {about['seed']}"
        cards = f"{about['cards']} cards" if about["cards"] else ""
        note = "; ".join(filter(None, (about["game"], answer.rules, cards, seed, about["method"])))
    fields = {
        "author": "{The towerlab maintainers}",
        "title": "towerlab: exact solvers, {Monte Carlo} studies and strategy reports for five card games",
        "version": exact_version(),
        "note": note,
        "doi": "",
    }
    return "\n".join(["@software{towerlab,", *(f"  {name} = {{{value}}}," for name, value in fields.items()), "}"])
