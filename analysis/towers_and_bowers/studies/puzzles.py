"""The study `puzzles`: positions of one to four cards whose exact answer is hard to find, for the page of that name.

Accept or pass, which card to give for the up-card, which card to lead. Hands are dealt at random; whoever is asked has
called as in equilibrium so far, the other at random. A position counts where the game itself is solved, the best answer
leads the next by a mistake (`analysis.decision.CHANCES`) to `MOST` percentage points, and the printed rule or open
cards (``--method pimc``) miss it; in half of them at least the rule does, as far as there are such. To accept is right
as often as to pass, so that there are fewer than asked for where too few such hands are dealt.

The table `puzzles`, a row a puzzle in the order in which they are set: ``link``, ``kind`` (bid, discard, lead),
``cards``, ``theme``, ``difficulty``, ``chances`` (percent of each answer, JSON, the best first), ``right`` (answers as
good as the best), ``gap_points``, ``rule`` (what the printed rule leaves), ``open_cards``, ``reason``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.decision import CHANCES
from towerlab.analysis.present import percent
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.answers import ACCEPT, PASS, UpcardAnswer, seat_of
from towerlab.analysis.towers_and_bowers.move import ASKS, HIDDEN
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.stored_bidding import stored_suits
from towerlab.analysis.towers_and_bowers.studies.answer_book import accepts
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import PRINTED_DISCARD, PRINTED_LEAD, Holding
from towerlab.analysis.towers_and_bowers.upcard import RankedDiscards
from towerlab.games.cards import (
    DECK_24,
    card_symbol,
    card_text,
    effective_suit,
    mask_cards,
    parse_card,
    rank_of,
    suit_of,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions, View, shuffled_pack
from towerlab.games.towers_and_bowers.links import position_of
from towerlab.solver.towers_and_bowers.bidding import SPADES, rename

MOST: Final = 20.0  # percentage points: a larger lead is no puzzle
TABLE: Final = "puzzles"
OPEN_CARDS: Final = "pimc"
# Cards, kind and share of each chunk; first leads of three cards take longest. With three cards no bid is a puzzle: the
# printed rule and open cards find all that are not close.
_SHARES: Final = (
    (3, "lead", 4), (3, "lead", 4), (3, "lead", 4), (2, "bid", 20), (2, "discard", 1), (2, "lead", 14),
    (3, "discard", 14), (4, "bid", 27), (4, "discard", 12),
)  # fmt: skip
_ASKED_IN: Final = {"bid": (Phase.BID1_ND, Phase.BID1_D), "discard": (Phase.DISCARD,), "lead": (Phase.PLAY,)}
_CALLS: Final = ("accept", "pass", "name", "discard")
_DIFFICULTIES: Final = ("easy", "medium", "hard")
_DEALS: Final = 100  # a puzzle, at most


def _kinds(parameters: Mapping[str, Any]) -> list[tuple[int, str, int]]:
    """Cards, kind and how many puzzles of each chunk."""
    most = int(parameters["most_cards"])
    puzzles = int(parameters["puzzles"])
    if not (1 <= most <= LARGEST_STORED and puzzles >= 1):
        raise TowerlabError(
            f"most_cards={most}, puzzles={puzzles} cannot be; expected 1 to {LARGEST_STORED}, and one puzzle or more"
        )
    shares = [share for share in _SHARES if share[0] <= most]
    total = sum(share for *_, share in shares)
    return [(cards, kind, math.ceil(1.3 * puzzles * share / total)) for cards, kind, share in shares]


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    cards, kind, wanted = _kinds(parameters)[chunk]
    random = np.random.default_rng(seed)
    groups = (ACCEPT, PASS) if kind == "bid" else ("",)
    share = math.ceil(wanted / len(groups))
    missed: dict[str, dict[str, Any]] = {group: {} for group in groups}
    others: dict[str, dict[str, Any]] = {group: {} for group in groups}
    for _ in range(_DEALS * wanted):
        view = _dealt(cards, kind, random)
        if view is not None and (puzzle := _puzzle(view, kind)) is not None:
            misses = not {*puzzle["rule"].split()} & {*puzzle["right"].split()}
            (missed if misses else others)[puzzle["right"] if kind == "bid" else ""][puzzle["link"]] = puzzle
        if all(len(missed[group]) + min(len(others[group]), share // 2) >= share for group in groups):
            break
    rows = [[*missed[group].values(), *others[group].values()][:share] for group in groups]
    return pd.DataFrame([row for group in rows for row in group[: min(map(len, rows))]])


def _dealt(cards: int, kind: str, random: np.random.Generator) -> View | None:
    """Return the view of the player to decide, None where the hand never comes to such a question."""
    match = Match(TowersAndBowersOptions(starter="fixed", first_n=cards, claims="off"))
    match.shuffle(shuffled_pack(random))
    match.decline_cut()
    match.deal()
    dealer = match.state().dealer
    assert dealer is not None
    seat = 1 - dealer if kind == "lead" else dealer if kind == "discard" else int(random.integers(2))
    while (due := match.to_act) is not None:
        view: View = match.view(due)
        if due == seat and view.phase in _ASKED_IN[kind]:
            return view
        actions = [action for action in match.legal() if action["action"] in _CALLS]
        if due == seat:
            command, question = position_of(view).question()
            best = ASKS[command](**question).recommend
            actions = [action for action in actions if best in (action["action"], action.get("suit"))]
        if not actions:
            return None
        match.apply(actions[int(random.integers(len(actions)))])
    return None


def _puzzle(view: View, kind: str) -> dict[str, Any] | None:
    """A row of the table; None where the answer is close, not the game's, or what the rule and open cards say."""
    position = position_of(view)
    by_rule = printed_choices(view, kind)
    command, question = position.question()
    opened = chances_of(ASKS[command](**question, method=OPEN_CARDS))
    seen = max(opened, key=opened.__getitem__)
    if kind == "lead" and by_rule == [seen]:
        return None  # where both say the same mostly both are right, and nothing has to be solved
    answer = ASKS[command](**question)
    if not (answer.method == HIDDEN if kind == "lead" else answer.exact):
        return None
    chances = dict(sorted(chances_of(answer).items(), key=lambda item: -item[1]))
    best = max(chances.values())
    right = [name for name, chance in chances.items() if 1000 * (best - chance) <= CHANCES.tolerance]
    gap = 100 * (best - max((chance for name, chance in chances.items() if name not in right), default=best))
    fails = [not {*by_rule} & {*right}, seen not in right]
    if not (CHANCES.number(CHANCES.mistake) <= gap <= MOST and any(fails)):
        return None
    return {
        "link": str(position),
        "kind": kind,
        "cards": view.n,
        "theme": _theme(view, kind, right[0]),
        "difficulty": "hard" if all(fails) else "medium" if gap < CHANCES.number(CHANCES.blunder) else "easy",
        "chances": json.dumps({name: round(100 * chance, 2) for name, chance in chances.items()}),
        "right": " ".join(right),
        "gap_points": round(gap, 2),
        "rule": " ".join(by_rule),
        "open_cards": seen,
        "reason": reason_of(answer, chances, right),
    }


def printed_choices(view: View, kind: str) -> list[str]:
    """Return the choices that the strategy page's rule leaves, in the words of the answers."""
    trump = suit_of(view.up) if view.trump is None else view.trump
    cards = tuple(mask_cards(view.hand))
    if kind == "bid":
        seat = seat_of(view)
        hand = rename(np.array([view.hand]), stored_suits(view.up))
        ups = np.array([13 * SPADES + rank_of(view.up)])
        return [ACCEPT if accepts(seat, view.n, hand, ups)[0] else PASS]
    rule = PRINTED_DISCARD if kind == "discard" else PRINTED_LEAD
    holding = Holding(cards, trump, DECK_24 & ~(view.hand | view.gone))
    return [card_text(card) for card in rule.choices(holding, cards)]


def reason_of(answer: Any, chances: Mapping[str, float], right: Sequence[str]) -> str:
    """Why the best answer is the best, in a sentence of numbers."""
    if isinstance(answer, UpcardAnswer):
        return answer.why
    verb = "Without" if isinstance(answer, RankedDiscards) else "Leading"
    best = right[0]
    other = next(name for name in chances if name not in right)
    won = (
        f"{verb} {card_symbol(parse_card(card))} you win the tower {percent(chances[card])}" for card in (best, other)
    )
    first, second = won
    return f"{first} of the time. {second}."


def _theme(view: View, kind: str, best: str) -> str:
    """Return the theme of a puzzle."""
    if kind != "bid":
        return {"discard": "which discard", "lead": "first lead"}[kind]
    trump = suit_of(view.up)
    side = [suit_of(card) for card in mask_cards(view.hand) if effective_suit(card, trump, True) != trump]
    if max(map(side.count, side), default=0) > view.n / 2:
        return "long side suit"
    return f"{'dealer' if view.deals else 'non-dealer'}'s {'accept' if best == ACCEPT else 'pass'}"


def chances_of(answer: Any) -> dict[str, float]:
    """P(win the tower) by what is called, given or played."""
    if isinstance(answer, UpcardAnswer):
        return {name: answer.tower(name) for name in answer.actions}
    if isinstance(answer, RankedDiscards):
        return {discard.card: discard.tower for discard in answer.discards}
    return {play.card: play.value for play in answer.plays}


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Easy ones first, of equal ones in an order that leaves nothing to expect; to accept as often as to pass."""
    puzzles = pd.concat(tables, ignore_index=True).drop_duplicates("link").sample(frac=1, random_state=0)
    groups = puzzles["kind"].where(puzzles["kind"] != "bid", puzzles["right"])
    share = min(1.0, int(parameters["puzzles"]) / len(puzzles))
    places = puzzles.groupby(groups).cumcount() / groups.map(groups.value_counts())
    chosen = puzzles[places.rank(method="first") <= round(share * len(puzzles))]
    table = chosen.sort_values("difficulty", key=lambda column: column.map(_DIFFICULTIES.index), kind="stable")
    table = table.reset_index(drop=True)
    kinds = {f"{cards} cards, {kind}": len(part) for (cards, kind), part in table.groupby(["cards", "kind"])}
    themes = {str(theme): len(part) for theme, part in table.groupby("theme")}
    return StudyResult({TABLE: table}, {"puzzles": len(table), "exact": True, "kinds": kinds, "themes": themes})


PUZZLES: Final = Study(
    game="towers-and-bowers",
    name="puzzles",
    help="Hands of one to four cards whose exact answer is hard and not close.",
    parameters={"puzzles": 400, "most_cards": LARGEST_STORED},
    count_chunks=lambda parameters: len(_kinds(parameters)),
    run_chunk=_run_chunk,
    combine=_combine,
)
