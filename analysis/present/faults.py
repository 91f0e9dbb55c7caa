"""Whose fault a refused question is: errors carry the arguments that are wrong, so that a form marks a field."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from towerlab.games.errors import OptionError, TowerlabError

Refusal = TypeVar("Refusal", bound=TowerlabError)
_KEPT = "fields"


def blame(error: Refusal, *fields: str) -> Refusal:
    """The error, which says that these arguments are wrong, unless it knows better."""
    error.__dict__.setdefault(_KEPT, fields)
    return error


@contextmanager
def at_fault(*fields: str) -> Iterator[None]:
    """Blame these arguments for whatever is refused inside."""
    try:
        yield
    except TowerlabError as error:
        blame(error, *fields)
        raise


def fields_of(error: Exception) -> tuple[str, ...]:
    """The arguments that are wrong; empty where nobody said."""
    fields: tuple[str, ...] = error.__dict__.get(_KEPT, ("option",) if isinstance(error, OptionError) else ())
    return fields
