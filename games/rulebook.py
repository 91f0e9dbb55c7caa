"""What are the rules of a game, in our own words? Those of ``rules.md`` in its package: a line a rule, with the id that
errors cite.

>>> read_rules("towerlab.games.bowers", "BO-10")[0].text
'A bid is worth its number of tricks; five more at seven or eight, fifteen more at nine or ten. Tricks beyond it count \
nothing.'
"""

import functools
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from towerlab.games.errors import TowerlabError, did_you_mean

_OURS: Final = "Ours"  # begins every sentence that goes beyond the game's own sheet
_SHORT: Final = "In short: "
_RULE: Final = re.compile(r"([A-Z]{2}-\d+): (.+)")
_PART: Final = re.compile(r"(?<=\d)[ABC]$")  # TR-5b


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        id: the id of the rule, such as ``"TB-17"``.
        section: the heading of its section.
        text: the rule in our own words.
        ours: whether it is, or holds, a ruling of this program where the sheet is silent; the text says which part.
    """

    id: str
    section: str
    text: str
    ours: bool


def read_rules(package: str, wanted: str | None = None) -> list[Rule]:
    """Return the rules of the game in a package, in order, or a single one.

    Args:
        package: the name of the package, such as ``"towerlab.games.bowers"``.
        wanted: an id, upper or lower case; a letter behind the number (``TR-5b``) names a part of the rule.

    Raises:
        TowerlabError: the game has no written rules, or no rule of that id.
    """
    section = ""
    rules = []
    for line in _read_sheet(package):
        if line.startswith("## "):
            section = line[3:]
        elif match := _RULE.fullmatch(line):
            rules.append(Rule(match[1], section, match[2], _OURS in match[2]))
    if wanted is None:
        return rules
    name = _PART.sub("", wanted.strip().upper())
    known = {rule.id: rule for rule in rules}
    if name not in known:
        raise TowerlabError(f"there is no rule {wanted!r}; {did_you_mean(name, known)}")
    return [known[name]]


@functools.cache
def read_summary(package: str) -> str:
    """Return how the game is played, in a paragraph."""
    return next(line.removeprefix(_SHORT) for line in _read_sheet(package) if line.startswith(_SHORT))


def _read_sheet(package: str) -> list[str]:
    sheet = files(package).joinpath("rules.md")
    if not sheet.is_file():
        raise TowerlabError(f"{package} has no written rules; expected a game of `towerlab options`")
    return sheet.read_text(encoding="utf-8").splitlines()
