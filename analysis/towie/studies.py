"""The studies of Towie, by name."""

from __future__ import annotations

from typing import Final

from analysis.study import Study
from analysis.towie.auction import AUCTION, GAMES
from analysis.towie.exposed import EXPOSED
from analysis.towie.goulash import GOULASH
from analysis.towie.goulash import warm_up as warm_up

STUDIES: Final[dict[str, Study]] = {study.name: study for study in (GOULASH, EXPOSED, AUCTION, GAMES)}
