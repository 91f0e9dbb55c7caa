"""Sentences written in files of the folders ``templates``: Jinja, each text a point of a list."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import jinja2

from towerlab.analysis.present import number_of


@functools.cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    made = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals["number_of"] = number_of
    return made


def sentences(file: str, **values: Any) -> tuple[str, ...]:
    """Return the points of a file, each in a line.

    Args:
        file: below this folder.
        values: what the file shows, by name.
    """
    points = re.split("^- ", _templates().get_template(file).render(**values), flags=re.MULTILINE)[1:]
    return tuple(re.sub(r"[ \n]+", " ", point).strip() for point in points)
