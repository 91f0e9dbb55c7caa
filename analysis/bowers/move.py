"""Which card should I play in Bowers? `towerlab move bowers`, the advice at the table, and the grades of reviews.

>>> answer = ask_move("JC AC", "8C", lead="declarer", won=7, seen="JS KC QC TC 9C")
>>> answer.best.card, answer.layouts
('AC', 75900)
"""

from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from towerlab.analysis.bowers.claims import question_of, seating
from towerlab.analysis.moves.answers import MoveAnswer, batch_of_moves, rank_cards
from towerlab.analysis.moves.weighing import (
    Likelihood,
    check_turn,
    layouts_of,
    solve_cards,
    tricks_before,
    view_at_place,
)
from towerlab.analysis.player_knowledge import Knowledge, KnownFacts, knowledge_from_texts
from towerlab.analysis.stats import FIRST_LOOK
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import HAND_SIZE, MISERE, PASS, PLAYERS, BowersOptions, call_trump, is_made, parse_call
from towerlab.games.bowers.engine import GAME
from towerlab.games.bowers.options import JOINT_TRICKS
from towerlab.games.bowers.records import View
from towerlab.games.bowers.rules import to_bid_order
from towerlab.games.cards import TRUMPS
from towerlab.games.errors import TowerlabError
from towerlab.sim.bowers.continuation import result_values
from towerlab.sim.bowers.pimc import fits_bid

LAYOUTS: Final = 40
MODEL: Final = (
    "double-dummy: the unseen cards at random, as far as {known} allow; then all three see all cards; points less the "
    "mean of the others'"
)


def ask_move(
    hand: str | None = None,
    bid: str | None = None,
    lead: str | None = None,
    *,
    role: str = "declarer",
    doubled: bool = False,
    won: int | None = None,
    game: Path | None = None,
    at: str | None = None,
    options: BowersOptions | None = None,
    layouts: int | None = None,
    seed: int = 0,
    **known: Unpack[KnownFacts],
) -> MoveAnswer:
    """Return every legal card with its expected points and how often the bid is made.

    Args:
        hand: your cards now, such as ``"JC AC"``; or `game` and `at`.
        bid: the bid that is played: ``"8C"``, ``"7NT"``, ``"M"`` for a misère.
        lead: the leader of the next trick, or of the one under way; follows from a whole history.
        role: ``"declarer"``, ``"left"`` or ``"right"``.
        doubled: whether the deal counts twice.
        won: how many tricks your side took that are not in the history.
        game, at: a saved game and a place in it, ``"3.2"`` for hand 3, trick 2.
        options: rule options; a saved game has its own.
        layouts: how many layouts to draw if there are too many to count, 40 by default.
        seed: the seed of the sample.
        known: the fields of `analysis.player_knowledge.KnownFacts`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules, or another player's turn.
    """
    view, rules = view_at_place(GAME, game, at, {"hand": hand, "bid": bid, "lead": lead, "won": won, **known}, options)
    if view is not None:
        return move_of(view, rules, seed, layouts)
    if hand is None or bid is None:
        raise TowerlabError(f"no {'bid' if hand else 'hand'} is given; expected --hand and --bid, or --game and --at")
    options, call = options or BowersOptions(), parse_call(bid)
    if call == PASS:
        raise TowerlabError("a pass is not played; expected the bid that won the auction, such as 6S")
    contract = {"misere": "yes"} if call == MISERE else {"trump": TRUMPS[int(call_trump(call))]}
    question: dict[str, Any] = {"hand": hand, "role": role, "lead": lead, **known, **contract}
    if lead is None and not options.rules().eldest_leads:
        question["first"] = known.get("first") or "declarer"  # the bidder leads
    knowledge = knowledge_from_texts(seating(options), question)
    return rank_plays(knowledge, call, 1 + doubled, options, won, layouts, seed)


BATCH: Final = batch_of_moves(GAME, ask_move, BowersOptions)


def move_of(
    view: View, options: BowersOptions, seed: int, layouts: int | None = None, level: float = FIRST_LOOK
) -> MoveAnswer:
    """Return the cards of a player on turn at the table, ranked by `rank_plays`."""
    knowledge = knowledge_from_texts(seating(options), question_of(view))
    return rank_plays(knowledge, view.call, view.factor, options, None, layouts, seed, level)


def rank_plays(
    knowledge: Knowledge,
    call: int,
    factor: int,
    options: BowersOptions,
    won: int | None,
    layouts: int | None,
    seed: int,
    level: float = FIRST_LOOK,
) -> MoveAnswer:
    """Return every legal card of the player on turn.

    Args:
        knowledge: what the player knows.
        call, factor: the contract, and the factor of its points.
        options: rule options.
        won: the same as in `ask_move`.
        layouts, seed: the number of layouts in a sample, and its seed.
        level: the level of the intervals.
    """
    check_turn(knowledge)
    belief = knowledge.belief
    role = knowledge.role
    rules = options.rules()
    taken = knowledge.taken[0] + tricks_before(knowledge, HAND_SIZE, won)
    lost = call == MISERE and taken > 0
    points = result_values(options)[call, -role % PLAYERS] * factor
    if call == MISERE and not lost:
        points = np.where(np.arange(len(points)) > 0, points[1], points[0])  # made or not is all that counts yet
    points = points[taken : taken + belief.tricks + 1]
    made = np.array([bool(is_made(call, taken + more)) for more in range(len(points))])
    bidding = _bidding(knowledge, call)
    sample = layouts_of(belief, layouts or LAYOUTS, seed, bidding)
    weighed = solve_cards(
        knowledge, sample, points, made, call == MISERE and not (lost and rules.failed_misere == JOINT_TRICKS)
    )
    model = MODEL.format(known="suits shown out" if bidding is None else "suits shown out and the bid")
    how: dict[str, Any] = {"method": "pimc", "model": model, "unit": "points", "seed": seed, "level": level}
    return rank_cards(weighed, cards=HAND_SIZE, options=options, **how)


def _bidding(knowledge: Knowledge, call: int) -> Likelihood | None:
    """Return, for a defender, a function that keeps layouts in which a novice counts the bid tricks at the bidder.

    Where the bidder has so many tricks in hardly any layout, it keeps the quarter with the most.
    """
    belief = knowledge.belief
    if knowledge.role == 0 or call == MISERE or sum(knowledge.taken) + belief.tricks < HAND_SIZE:
        return None
    played = int(to_bid_order(knowledge.played[0], call))

    def likelihood(hands: Ints) -> Floats:
        return fits_bid(hands[:, belief.hidden.index(0)] | played, call).astype(np.float64)

    return likelihood
