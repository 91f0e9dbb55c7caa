"""The whole review of a match: decisions, players, hands."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.players import Player
from towerlab.analysis.present import number_of
from towerlab.analysis.towers_and_bowers.equity import Equity
from towerlab.analysis.towers_and_bowers.hidden import CARDS
from towerlab.analysis.towers_and_bowers.reference import EQUILIBRIUM, EQUILIBRIUM_MODEL, HIDDEN, PIMC
from towerlab.analysis.towers_and_bowers.upcard.answers import HIDDEN_MODEL, INDIFFERENT
from towerlab.analysis.towers_and_bowers.upcard.asking import why_no_equilibrium
from towerlab.games.cards import SYMBOLS, card_symbol
from towerlab.games.towers_and_bowers import GAME, Match, MatchState
from towerlab.table.grading import Grading, Ledger, in_points, total
from towerlab.table.scene import capital
from towerlab.table.towers_and_bowers.grading import (
    BENCHMARKS,
    BIDDING,
    MARKS,
    MT,
    RENEGES,
    Decision,
    Grader,
)
from towerlab.table.towers_and_bowers.ledger import (
    HandReview,
    average_hands,
    match_luck,
    points,
    review_hands,
)
from towerlab.table.towers_and_bowers.steps import Step, steps_of

OPEN_MODEL: Final = "perfect information after the decision (pimc)"
_UNITS: Final = {"mt": (1.0, "1 mt is a thousandth"), "points": (0.1, "Costs are percentage points")}
_DETAILS: Final = Path(__file__).with_name("templates") / "method.txt"
_COLUMNS: Final = ("hand", "cards", "score", "up", "trumps", "before", "after", "luck", "costs", "theirs", "unseen")


def grade(
    match: Match,
    names: Sequence[str],
    seats: Sequence[int],
    reference: str,
    beside: Player | None = None,
    worlds: Sequence[Any] | None = None,
) -> Grading:
    """What there is to say of a match as far as it was played; see the package's text for the models.

    Args:
        match: finished or not.
        names, seats, reference, beside, worlds: as of `TableGame.grade`; of a record of views luck is averaged
            over the worlds.
    """
    steps, is_whole = steps_of(match), worlds is None
    graded = list(
        Grader(match.options, reference, [*BENCHMARKS, *([] if beside is None else [beside])]).decisions(
            steps, (0, 1) if is_whole else seats
        )
    )
    decisions = [decision for _, decision in graded]
    sizes = _unsolved(graded) if reference == EQUILIBRIUM else []
    unsolved, fallback = _sizes(sizes) if sizes else "", None
    if sizes:
        fallback = f"{why_no_equilibrium(sizes[-1], match.options)}; pimc grades bids and discards of {unsolved}"
    ways = [steps] if worlds is None else [steps_of(world) for world in worlds]
    equity = Equity(match.options) if ways else None
    hands, spread = average_hands([review_hands(way, graded, equity) for way in ways] if equity else [()])
    players = [_player([one for one in decisions if one.seat == player]) for player in (0, 1)]
    luck = match_luck(hands, spread)
    whole = {
        "game": GAME,
        "players": players,
        "decisions": [one.of_match() for one in decisions],
        "reference": reference,
        "fallback": fallback,
        "hands": [hand.to_json() for hand in hands],
        "match": None if luck is None else luck.to_json(),
    }
    return Grading(
        tuple(one for one in decisions if one.seat in seats),
        ledger=_ledger(hands, names, seats, spread, len(ways)),
        summary=_summary(players, match.state(), names) if is_whole else (),
        method=_method(decisions, unsolved, match.options.enforces_reneges, "points"),
        model=_method(decisions, unsolved, match.options.enforces_reneges, "mt"),
        details=tuple(_DETAILS.read_text(encoding="utf-8").splitlines()),
        caution=fallback or "",
        whole=whole,
    )


def judge_decisions(match: Match, seat: int, left_out: Collection[int]) -> Iterator[Decision]:
    """Yield the decisions of one player as `grade` has them, but those of some actions."""
    for _, decision in Grader(match.options, beside=()).decisions(steps_of(match), (seat,), left_out):
        yield decision


def _player(own: Sequence[Decision]) -> dict[str, Any]:
    """What a player's decisions cost, and the error rates that players of the simulator would have had instead."""
    unforced = [one for one in own if not one.is_forced]
    cost = round(total(own), 6)
    beside = dict.fromkeys([*BENCHMARKS, *(name for one in unforced for name in one.others)])
    lost = {name: [one.others[name] for one in unforced if name in one.others] for name in beside}
    return {
        "decisions": len(own),
        "unforced": len(unforced),
        "cost_mt": cost,
        "mt_per_decision": cost / len(unforced) if unforced else None,
        "blunders": sum(one.mark == MARKS[-1][1] for one in own),
        "beside": {name: math.fsum(costs) / len(costs) for name, costs in lost.items() if costs},
    }


def _summary(players: Sequence[dict[str, Any]], end: MatchState, names: Sequence[str]) -> tuple[str, ...]:
    """Who played better by the reference, and how far an unfinished match went."""
    mine, theirs = (player["mt_per_decision"] for player in players)
    compared = "Not both players had something to decide."
    if mine is not None and theirs is not None:
        better = "neither" if mine == theirs else names[int(theirs < mine)]
        first, second = in_points(mine, "mt"), in_points(theirs, "mt")
        compared = f"{capital(names[0])} lost {first:.2f} percentage points per unforced decision, "
        compared += f"{names[1]} {second:.2f}: {better} played better by the reference."
    score = f"{end.towers[0]}–{end.towers[1]}"
    return (compared, *((f"The match is unfinished at {score} towers.",) if end.winner is None else ()))


def _method(decisions: Sequence[Decision], unsolved: str, may_renege: bool, unit: str) -> tuple[str, ...]:
    """How it was graded, in sentences; costs in a unit of `_UNITS`."""
    model, indifference, (scale, meaning) = OPEN_MODEL, "", _UNITS[unit]
    if any(one.reference == EQUILIBRIUM for one in decisions):
        other = f"; those of {unsolved}: {OPEN_MODEL}" if unsolved else ""
        plays = f"{EQUILIBRIUM_MODEL}, all alike where that tells nothing"
        if any(one.reference == HIDDEN for one in decisions):
            plays += f", the last {CARDS} cards of a hand solved with hidden hands"
        model = f"bids and discards: {HIDDEN_MODEL}{other}; plays and claims: {plays}"
        within = f"{scale * MT * INDIFFERENT:g} {unit}"
        indifference = f"Bids and discards within {within} of the best are indifferent and cost nothing."
    doubtful, mistake, blunder = (f"{scale * least:g}" for least, _ in MARKS)
    sentences = (
        f"Exact: {len(decisions):,} decisions graded. Model: {model}.",
        indifference,
        f"{meaning} of the chance to win the tower; from {doubtful} {unit} on a decision is doubtful, from {mistake} a "
        f"mistake, from {blunder} a blunder.",
        RENEGES if may_renege else "",
    )
    return tuple(filter(None, sentences))


def _ledger(
    hands: Sequence[HandReview], names: Sequence[str], seats: Sequence[int], spread: float, ways: int
) -> Ledger | None:
    """Where the first player's chance to win the match went."""
    if (luck := match_luck(hands, spread)) is None:
        return None
    own, gained = (sum(hand.skill[player] for hand in hands) for player in (0, 1))
    costs = f"Of the skill, {points(own)} points are costs of {names[0]} and {points(gained)} those of {names[1]}"
    rest = f"{costs}; the rest is what the unseen cards made of the decisions."
    if ways > 1:
        side, cost = names[seats[0]], points((own, gained)[seats[0]])
        rest = f"Of the skill, {cost} points are costs of {side}; the rest is the other's costs and the unseen cards."
        rest += f" Averaged over {ways} ways in which the unseen cards can lie, drawn alike by what was told (seed 0)."
    return Ledger(
        (luck.sentence(names[0]), rest),
        (hands[0].before, *(hand.after for hand in hands)),
        _COLUMNS,
        tuple(_row(hand, seats if ways > 1 else (0, 1)) for hand in hands),
        luck.to_json(),
    )


def _row(hand: HandReview, graded: Sequence[int]) -> tuple[str, ...]:
    last, dealt = hand.last, ("–",) * 3
    if last is not None:
        dealt = str(last.n), card_symbol(last.up_card), "–" if last.trump is None else SYMBOLS[last.trump]
    cards, up_card, trump = dealt
    costs = (points(cost) if seat in graded else "–" for seat, cost in enumerate(hand.skill))
    score = f"{hand.towers[0]}–{hand.towers[1]}"
    chances = f"{hand.before:.1%}", f"{hand.after:.1%}", points(hand.luck)
    return (str(hand.number), cards, score, up_card, trump, *chances, *costs, points(hand.unseen))


def _unsolved(graded: Iterable[tuple[Step, Decision]]) -> list[int]:
    """Hand sizes with bids or discards that were graded by perfect information for want of a solution."""
    return sorted(
        {
            step.before.hand.n
            for step, one in graded
            if one.habit in BIDDING and one.reference == PIMC and step.before.hand is not None
        }
    )


def _sizes(sizes: Sequence[int]) -> str:
    """``"5, 6 and 7 cards"``."""
    *rest, last = map(str, sizes)
    return f"{', '.join(rest)} and {last} cards" if rest else number_of(int(last), "card")
