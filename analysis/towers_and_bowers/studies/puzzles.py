"""The study `puzzles`: positions of one to four cards whose exact answer is hard to find, for the page of that name.

Accept or pass, which card to give for the up-card, which card to lead. Hands are dealt at random; whoever is asked has
called as in equilibrium so far, the other at random. A position counts where the game itself is solved and the best
answer leads the next by `LEAST` to `MOST` percentage points. Half of the puzzles are such that the player `novice` or
open cards (``--method pimc``) get them wrong, as far as there are such.

The table `puzzles`, a row a puzzle in the order in which they are set: ``link``, ``kind`` (bid, discard, lead),
``cards``, ``chances`` (percent of each answer, JSON, the best first), ``right`` (answers that are as good as the best),
``gap_points``, ``novice``, ``open_cards`` (what they answer), ``missed`` (by either), ``make_percent`` (of accepting).
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.discard import RankedDiscards
from towerlab.analysis.towers_and_bowers.links import ASKS
from towerlab.analysis.towers_and_bowers.reference import HIDDEN
from towerlab.analysis.towers_and_bowers.simulation import seat_in_match
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.upcard.answers import ACCEPT, INDIFFERENT, UpcardAnswer
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions, View, shuffled_pack
from towerlab.games.towers_and_bowers.links import position_of

LEAST: Final = 3.0  # percentage points: a smaller lead is close
MOST: Final = 20.0  # a larger one is no puzzle
TABLE: Final = "puzzles"
OPEN_CARDS: Final = "pimc"
NOVICE: Final = "novice"
# Cards, kind and share of each chunk; first leads of three cards take longest.
_SHARES: Final = (
    (3, "lead", 4), (3, "lead", 4), (3, "lead", 4), (1, "bid", 4), (2, "bid", 16), (2, "discard", 8), (2, "lead", 10),
    (3, "bid", 18), (3, "discard", 8), (4, "bid", 18), (4, "discard", 6),
)  # fmt: skip
_ASKED_IN: Final = {"bid": (Phase.BID1_ND, Phase.BID1_D), "discard": (Phase.DISCARD,), "lead": (Phase.PLAY,)}
_CALLS: Final = ("accept", "pass", "name", "discard")
_DEALS: Final = 40  # a puzzle, at most


def _kinds(parameters: Mapping[str, Any]) -> list[tuple[int, str, int]]:
    """Cards, kind and how many puzzles of each chunk."""
    most, puzzles = int(parameters["most_cards"]), int(parameters["puzzles"])
    if not (1 <= most <= LARGEST_STORED and puzzles >= 1):
        raise TowerlabError(
            f"most_cards={most}, puzzles={puzzles} cannot be; expected 1 to {LARGEST_STORED}, and one puzzle or more"
        )
    shares = [one for one in _SHARES if one[0] <= most]
    total = sum(share for *_, share in shares)
    return [(cards, kind, math.ceil(1.3 * puzzles * share / total)) for cards, kind, share in shares]


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    cards, kind, wanted = _kinds(parameters)[chunk]
    random, found = np.random.default_rng(seed), dict[str, dict[str, Any]]()
    left = {missed: math.ceil(wanted / 2) for missed in (True, False)}
    for _ in range(_DEALS * wanted):
        view = _dealt(cards, kind, random)
        puzzle = None if view is None else _puzzle(view, kind, alike=left[False] > 0)
        if puzzle is not None and left[puzzle["missed"]] > 0 and puzzle["link"] not in found:
            found[puzzle["link"]] = puzzle
            left[puzzle["missed"]] -= 1
        if not any(left.values()):
            break
    return pd.DataFrame(found.values())


def _dealt(cards: int, kind: str, random: np.random.Generator) -> View | None:
    """Return the view of the player who is asked, where the hand comes to such a question."""
    match = Match(TowersAndBowersOptions(starter="fixed", first_n=cards, claims="off"))
    match.shuffle(shuffled_pack(random))
    match.decline_cut()
    match.deal()
    dealer = match.state().dealer
    assert dealer is not None
    asked = 1 - dealer if kind == "lead" else dealer if kind == "discard" else int(random.integers(2))
    while (due := match.to_act) is not None:
        view: View = match.view(due)
        if due == asked and view.phase in _ASKED_IN[kind]:
            return view
        actions = [action for action in match.legal() if action["action"] in _CALLS]
        if due == asked:
            command, question = position_of(view).question()
            best = ASKS[command](**question).recommend
            actions = [one for one in actions if best in (one["action"], one.get("suit"))]
        if not actions:
            return None
        match.apply(actions[int(random.integers(len(actions)))])
    return None


def _puzzle(view: View, kind: str, alike: bool) -> dict[str, Any] | None:
    """A row of the table; None where the answer is close, or not the game's.

    Args:
        alike: whether one is wanted in which novice and open cards say the same: else nothing is solved there.
    """
    position, action = position_of(view), _novice()(view, (), np.random.default_rng(0))
    command, asked = position.question()
    opened, novice = chances_of(ASKS[command](**asked, method=OPEN_CARDS)), str(action.get("card", action["action"]))
    seen = max(opened, key=opened.__getitem__)
    if not alike and novice == seen:
        return None
    answer = ASKS[command](**asked)
    if not (answer.method == HIDDEN if kind == "lead" else answer.exact):
        return None
    chances = dict(sorted(chances_of(answer).items(), key=lambda one: -one[1]))
    best = max(chances.values())
    right = [name for name, chance in chances.items() if best - chance <= INDIFFERENT]
    gap = 100 * (best - max((chance for name, chance in chances.items() if name not in right), default=best))
    if not LEAST <= round(gap, 1) <= MOST:
        return None
    return {
        "link": str(position),
        "kind": kind,
        "cards": view.n,
        "chances": json.dumps({name: round(100 * chance, 1) for name, chance in chances.items()}),
        "right": " ".join(right),
        "gap_points": round(gap, 1),
        "novice": novice,
        "open_cards": seen,
        "missed": not {novice, seen} <= set(right),
        "make_percent": round(100 * answer.actions[ACCEPT].make) if kind == "bid" else None,
    }


def chances_of(answer: Any) -> dict[str, float]:
    """P(win the tower) by what is called, given or played."""
    if isinstance(answer, UpcardAnswer):
        return {name: answer.tower(name) for name in answer.actions}
    if isinstance(answer, RankedDiscards):
        return {one.card: one.tower for one in answer.discards}
    return {play.card: play.value for play in answer.plays}


@functools.cache
def _novice() -> Any:
    return seat_in_match(NOVICE, TowersAndBowersOptions())


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Half of them missed and half not, as far as there are, in an order that leaves nothing to expect."""
    found = pd.concat(tables, ignore_index=True).drop_duplicates("link")
    mixed, wanted = found.sample(frac=1, random_state=0), int(parameters["puzzles"])
    half = mixed[mixed["missed"]].head(math.ceil(wanted / 2))
    rest = mixed[~mixed["missed"]].head(wanted - len(half))
    table = pd.concat([half, rest]).sample(frac=1, random_state=1).reset_index(drop=True)
    kinds = {f"{cards} cards, {kind}": len(part) for (cards, kind), part in table.groupby(["cards", "kind"])}
    summary = {"puzzles": len(table), "missed": int(table["missed"].sum()), "exact": True, "kinds": kinds}
    return StudyResult({TABLE: table}, summary)


PUZZLES: Final = Study(
    game="towers-and-bowers",
    name="puzzles",
    help="Hands of one to four cards whose exact answer is hard and not close: a puzzle a day.",
    parameters={"puzzles": 400, "most_cards": LARGEST_STORED},
    count_chunks=lambda parameters: len(_kinds(parameters)),
    run_chunk=_run_chunk,
    combine=_combine,
)
