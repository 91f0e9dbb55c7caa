"""Errors that carry the names of the wrong arguments, so that a form can mark their fields."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from towerlab.games.errors import OptionError, TowerlabError

Refusal = TypeVar("Refusal", bound=TowerlabError)
_KEPT = "fields"


def blame(error: Refusal, *fields: str) -> Refusal:
    """Return the error with the names of the wrong arguments, unless it already has some."""
    error.__dict__.setdefault(_KEPT, fields)
    return error


@contextmanager
def at_fault(*fields: str) -> Iterator[None]:
    """Blame these arguments for every error inside."""
    try:
        yield
    except TowerlabError as error:
        blame(error, *fields)
        raise


def fields_of(error: Exception) -> tuple[str, ...]:
    """Return the names of the wrong arguments; empty where the error has none."""
    fields: tuple[str, ...] = error.__dict__.get(_KEPT, ("option",) if isinstance(error, OptionError) else ())
    return fields
