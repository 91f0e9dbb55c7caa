"""How was a match played? The whole review: decisions, players, hands.

Example:
    towerlab review match.jsonl --out review.html
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from towerlab.analysis.decision import CHANCES, INDIFFERENT
from towerlab.analysis.players import Player
from towerlab.analysis.present import capital, number_of, percent
from towerlab.analysis.towers_and_bowers.answers import EQUILIBRIUM, HIDDEN_MODEL, PIMC
from towerlab.analysis.towers_and_bowers.last_cards import HIDDEN_CARDS
from towerlab.analysis.towers_and_bowers.move import BIDS_AND_PLAYS, MODEL, PIMC_MODEL
from towerlab.analysis.towers_and_bowers.open_hands import Equity
from towerlab.analysis.towers_and_bowers.upcard import why_open_cards
from towerlab.games.cards import SYMBOLS, card_symbol
from towerlab.games.towers_and_bowers import GAME, Match
from towerlab.table.grading import Grading, Ledger, total
from towerlab.table.rows import sentences
from towerlab.table.towers_and_bowers.grading import BENCHMARKS, BIDDING, MT, GradedDecision, Grader
from towerlab.table.towers_and_bowers.ledger import HandReview, average_hands, match_luck, points, review_hands
from towerlab.table.towers_and_bowers.steps import Step, steps_of

_TEXTS: Final = "towers_and_bowers/templates/"
_MODELS: Final = {
    "open_model": "perfect information after the decision (pimc)",
    "pimc_model": PIMC_MODEL,
    "play_model": MODEL.format(calls=BIDS_AND_PLAYS),
    "hidden_model": HIDDEN_MODEL,
    "cards": HIDDEN_CARDS,
    "indifferent": MT * INDIFFERENT,
    "marks": CHANCES.marks,
}
_COLUMNS: Final = ("hand", "cards", "score", "up", "trumps", "before", "after", "luck", "costs", "theirs", "unseen")


def grade(
    match: Match,
    names: Sequence[str],
    seats: Sequence[int],
    reference: str,
    player: Player | None = None,
    worlds: Sequence[Any] | None = None,
    advance: Callable[[], None] = lambda: None,
) -> Grading:
    """Grade a match as far as it was played; see the package's text for the models.

    Args:
        match: the match, finished or not.
        names, seats, reference, player, worlds, advance: the arguments of `TableGame.grade`; luck in a record of views
            is averaged over the worlds.
    """
    steps = steps_of(match)
    is_whole = worlds is None
    graded = list(
        Grader(match.options, reference, [*BENCHMARKS, *([] if player is None else [player])]).decisions(
            steps, (0, 1) if is_whole else seats, advance=advance
        )
    )
    decisions = [decision for _, decision in graded]
    sizes = _unsolved(graded) if reference == EQUILIBRIUM else []
    unsolved = _sizes(sizes) if sizes else ""
    fallback = None
    if sizes:
        fallback = f"{why_open_cards(sizes[-1], match.options)}; pimc grades bids and discards of {unsolved}"
    ways = [steps] if worlds is None else [steps_of(world) for world in worlds]
    equity = Equity(match.options) if ways else None
    hands, spread = average_hands([review_hands(way, graded, equity) for way in ways] if equity else [()])
    players = [_player([decision for decision in decisions if decision.seat == player]) for player in (0, 1)]
    costs = [None if row["mt_per_decision"] is None else row["mt_per_decision"] / CHANCES.per_word for row in players]
    ledger = _ledger(hands, names, seats, spread, len(ways))
    whole = {
        "game": GAME,
        "players": players,
        "decisions": [decision.of_match() for decision in decisions],
        "reference": reference,
        "fallback": fallback,
        "hands": [hand.to_json() for hand in hands],
        "match": None if ledger is None else ledger.totals,
    }
    return Grading(
        tuple(decision for decision in decisions if decision.seat in seats),
        ledger=ledger,
        summary=sentences(_TEXTS + "summary.txt", costs=costs, names=names, end=match.state(), capital=capital)
        if is_whole
        else (),
        method=_method(decisions, seats, unsolved, match.options.enforces_reneges, "points"),
        model=_method(decisions, seats, unsolved, match.options.enforces_reneges, "mt"),
        caution=fallback or "",
        whole=whole,
    )


def judge_decisions(match: Match, seat: int, left_out: Collection[int]) -> Iterator[GradedDecision]:
    """Yield the decisions of one player as `grade` has them, but those of some actions."""
    for _, decision in Grader(match.options, players=()).decisions(steps_of(match), (seat,), left_out):
        yield decision


def _player(own: Sequence[GradedDecision]) -> dict[str, Any]:
    """Return what a player's decisions cost, and the error rates of players of the simulator in the player's place."""
    unforced = [decision for decision in own if not decision.is_forced]
    cost = round(total(own), 6)
    names = dict.fromkeys([*BENCHMARKS, *(name for decision in unforced for name in decision.others)])
    lost = {name: [decision.others[name] for decision in unforced if name in decision.others] for name in names}
    return {
        "decisions": len(own),
        "unforced": len(unforced),
        "cost_mt": cost,
        "mt_per_decision": cost / len(unforced) if unforced else None,
        "blunders": sum(decision.is_mistake and decision.cost.mean >= CHANCES.blunder for decision in own),
        "beside": {name: statistics.fmean(costs) for name, costs in lost.items() if costs},
    }


def _method(
    decisions: Sequence[GradedDecision], seats: Collection[int], unsolved: str, may_renege: bool, unit: str
) -> tuple[str, ...]:
    """Return how it was graded, in sentences; costs in ``"mt"`` or ``"points"``."""
    return sentences(
        _TEXTS + "method.txt",
        choices=[decision for decision in decisions if decision.seat in seats and not decision.is_forced],
        references={decision.reference for decision in decisions},
        unsolved=unsolved,
        may_renege=may_renege,
        unit=unit,
        scale=1 / CHANCES.per_word if unit == "points" else 1.0,
        **_MODELS,
    )


def _ledger(
    hands: Sequence[HandReview], names: Sequence[str], seats: Sequence[int], spread: float, ways: int
) -> Ledger | None:
    """Return how the first player's chance to win the match changed."""
    if (luck := match_luck(hands, spread)) is None:
        return None
    costs = [sum(hand.skill[player] for hand in hands) for player in (0, 1)]
    return Ledger(
        sentences(_TEXTS + "luck.txt", luck=luck, costs=costs, names=names, seats=seats, ways=ways, points=points),
        (hands[0].before, *(hand.after for hand in hands)),
        _COLUMNS,
        tuple(_row(hand, seats if ways > 1 else (0, 1)) for hand in hands),
        luck.to_json(),
    )


def _row(hand: HandReview, graded: Sequence[int]) -> tuple[str, ...]:
    last = hand.last
    dealt = ("–",) * 3
    if last is not None:
        dealt = str(last.n), card_symbol(last.up_card), "–" if last.trump is None else SYMBOLS[last.trump]
    cards, up_card, trump = dealt
    costs = (points(cost) if seat in graded else "–" for seat, cost in enumerate(hand.skill))
    score = f"{hand.towers[0]}–{hand.towers[1]}"
    chances = percent(hand.before), percent(hand.after), points(hand.luck)
    return (str(hand.number), cards, score, up_card, trump, *chances, *costs, points(hand.unseen))


def _unsolved(graded: Iterable[tuple[Step, GradedDecision]]) -> list[int]:
    """Return hand sizes with bids or discards that were graded by perfect information for want of a solution."""
    return sorted(
        {
            step.before.hand.n
            for step, decision in graded
            if decision.habit in BIDDING and decision.reference == PIMC and step.before.hand is not None
        }
    )


def _sizes(sizes: Sequence[int]) -> str:
    """Return ``"5, 6 and 7 cards"``."""
    *rest, last = map(str, sizes)
    return f"{', '.join(rest)} and {last} cards" if rest else number_of(int(last), "card")
