"""What all records that answer a question have in common: they show themselves as a person would write them.

`repr` writes cards instead of numbers, `print` and a notebook show what the command line shows, and `to_frame` gives
the table in it. A record says so in three places: the base class, the types of its fields
(`games.written`) and where its picture is made::

    @dataclass(frozen=True)
    class OpenHands(Answer, shown_by="analysis.towers_and_bowers.present.upcard:open_hands_report", table="leads"):
        leader: Mask
        leads: Mapping[CardId, int]
        line: tuple[CardId, ...]
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from games.errors import TowerlabError
from games.written import Record

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType


class Answer(Record):
    """Base of the records that answer a question.

    Args of a subclass:
        shown_by: ``"module:function"`` that makes a rich renderable of the record, loaded when it is shown.
        table: the key of `to_json` that holds the rows of `to_frame`: a list of objects, or objects by name.
    """

    _shown_by: ClassVar[str] = ""
    _table: ClassVar[str] = ""

    def __init_subclass__(cls, shown_by: str = "", table: str = "", **given: Any) -> None:
        super().__init_subclass__(**given)
        cls._shown_by = shown_by or cls._shown_by
        cls._table = table or cls._table

    def to_frame(self) -> pd.DataFrame:
        """The table in the answer, a row an alternative, columns named as in JSON.

        Raises:
            TowerlabError: there is no table in it.
        """
        import pandas as pd

        rows = self.to_json().get(self._table)
        if isinstance(rows, Mapping):
            name = self._table.rstrip("s")
            rows = [{name: key, **(row if isinstance(row, Mapping) else {"value": row})} for key, row in rows.items()]
        if not isinstance(rows, list):
            raise TowerlabError(f"{type(self).__name__} is no table; expected to_json() or its fields to be read")
        return pd.json_normalize(rows)

    def __rich__(self) -> RenderableType:
        module, _, name = self._shown_by.partition(":")
        shown: RenderableType = getattr(importlib.import_module(module), name)(self)
        return shown

    def __str__(self) -> str:
        from analysis.present import as_text

        return as_text(self.__rich__())

    def _repr_html_(self) -> str:
        from analysis.present import as_html

        return as_html(self.__rich__())
