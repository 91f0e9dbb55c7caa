"""What decided a deal that is over? All hands face up, and the costs of its decisions.

First come the costs by what players could know; then, named as such, what each side could still make with open cards.

    towerlab play bowers
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeGuard

from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.table.game import TableGame
from towerlab.table.grading import OpenCards, ReviewedDecision
from towerlab.table.rows import possessive, sentences
from towerlab.table.scene import BOTTOM, LAST, LEFT, RIGHT, TOP, Cards, Hand, Part, Scene
from towerlab.table.session import Session

MOST_TRIED: Final = 100
"""Legal actions among which that of a better alternative is looked for."""
_SIDES: Final = (BOTTOM, LEFT, TOP, RIGHT)


class PostMortem(NamedTuple):
    """A deal that is over, by its graded decisions.

    Attributes:
        sentences: the sentences about what decided the deal, and what all cards seen add to that.
        turn: the number of the costliest decision; None where none cost more than the tolerance.
        line: points (number of actions, value to the seat): one before each of the seat's decisions, and the result.
    """

    sentences: tuple[str, ...]
    turn: int | None
    line: tuple[tuple[int, float], ...]


def is_face_up(session: Session, length: int) -> bool:
    """Return whether all hands may be seen after `length` actions: that deal is over, and nobody can play it on."""
    if session.game.hindsight is None or not session.seating.humans:
        return False
    if session.is_over and length == session.length:
        return True
    is_over = session.hand_end(session.seating.humans[0], length) is not None
    later = session.engine.actions[length:]
    return is_over and (session.is_between_hands if not later else any(action["action"] == "deal" for action in later))


def final_scene(session: Session, scene: Scene, seat: int, length: int) -> Scene:
    """The scene of a seat after `length` actions; of a deal that is over with all hands, each card with its trick."""
    if not is_face_up(session, length):
        return scene
    hands, tricks = _first_hands(session, seat, length)
    if not tricks:  # such as in a game that is no deal: who holds what at its end is what lies there
        return scene
    parts = (
        replace(part, cards=hands[part.title], labels=tuple(tricks.get(card, "") for card in hands[part.title]))
        if isinstance(part, Cards) and part.area in _SIDES and hands.get(part.title)
        else part
        for part in scene.parts
        if not (isinstance(part, Cards) and part.area == LAST)  # what the numbers of tricks tell
    )
    return replace(scene, parts=tuple(parts))


def hand_rows(scene: Scene) -> list[Cards]:
    """Return the rows of a final scene that are hands, labelled by the tricks of their cards."""
    rows = (part for part in scene.parts if isinstance(part, Cards) and part.area in _SIDES and part.labels)
    return [row for row in rows if "".join(row.labels).isdecimal()]


def _first_hands(session: Session, seat: int, length: int) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return the hands of a deal at its first card, by the titles of their rows, and the trick of each card."""
    game = session.game
    names = session.names(seat)
    engine = session.engine.reset_copy()
    began = session.hand_began(length)
    hands = dict[str, tuple[str, ...]]()
    cards = list[str]()
    for number, action in enumerate(session.engine.actions[:length], 1):
        is_played = number > began and action["action"] in ("play", "correct") and "card" in action
        if is_played and not cards:
            held = {names[place]: game.hand(engine, place) for place in engine.seats}
        engine.apply(action)
        if is_played and not cards:  # after the first card dummy lies open
            rows = [part for part in game.scene(engine.view(seat), names, engine.options).parts if _is_hand(part)]
            hands = {
                row.title: held["you"] if isinstance(row, Hand) else held.get(row.title, row.cards) for row in rows
            }
        if is_played:
            cards[len(cards) - (action["action"] == "correct") :] = [action["card"]]
    is_pack_of_equals = len(set(cards)) < len(cards)  # equal cards share a text
    tricks = {card: str(1 + place // max(1, len(hands))) for place, card in enumerate(cards)}
    return hands, {} if is_pack_of_equals else tricks


def _is_hand(part: Part) -> TypeGuard[Cards]:
    return isinstance(part, Cards) and part.area in _SIDES and not part.areas


def post_mortem(
    game: TableGame,
    engine: Engine[Any, Any],
    names: Sequence[str],
    seat: int,
    length: int,
    decisions: Sequence[ReviewedDecision],
) -> PostMortem:
    """Return what decided a deal, from the decisions of everybody in it.

    Args:
        game, engine: the game, played as far as it was.
        names: the names of all seats as that seat reads them.
        seat: the seat whose values are drawn as a line.
        length: the number of actions after which the deal was over.
        decisions: all graded decisions of the deal.
    """
    own = [decision for decision in decisions if decision.seat == seat]
    worst = max(decisions, key=lambda decision: decision.cost.mean, default=None)
    if worst is not None and not worst.is_costly:
        worst = None
    again = engine.reset_copy()
    turned = None
    place = ""
    for number, (action, where) in enumerate(zip(engine.actions[:length], game.places(engine), strict=False), 1):
        if worst is not None and number == worst.number:
            turned = _turned(game, again, action, worst)
            place = where.rpartition(", ")[2]
        again.apply(action)
    result = _seen(game, again, seat)
    said = sentences(
        "templates/decided.txt",
        worst=worst,
        whose="" if worst is None else "yours" if worst.seat == seat else possessive(names[worst.seat]),
        place=place,
        turned=turned,
        is_lost=result is not None and not result.wins,
        tolerance=game.scale.words(game.scale.tolerance),
        is_clean=all(decision.cost.mean < decision.scale.mistake for decision in own),
    )
    line = [(decision.number - 1, decision.value) for decision in own if decision.value is not None]
    if result is not None and result.end is not None:
        line.append((length, result.end))
    return PostMortem(said, None if worst is None else worst.number, tuple(line))


def _seen(game: TableGame, engine: Engine[Any, Any], seat: int) -> OpenCards | None:
    """Return what a side makes with all cards seen; None where no search can say."""
    try:
        return None if game.hindsight is None else game.hindsight(engine, seat)
    except TowerlabError:  # rules that the solver does not know
        return None


def _turned(
    game: TableGame, before: Engine[Any, Any], done: Action, decision: ReviewedDecision
) -> tuple[OpenCards, OpenCards] | None:
    """Return what the decision's side makes with all cards seen after the best action and after that; None if unknown.

    Args:
        before: the game before the decision.
        done: the action that was done.
    """
    legal = itertools.islice(before.legal(decision.seat), MOST_TRIED)
    for action in legal:
        if game.prompt(before.view(decision.seat), [action]).choices[0].text == decision.best:
            results = []
            for tried in (action, done):
                after = before.copy()
                after.apply(tried)
                results.append(_seen(game, after, decision.seat))
            best, made = results
            return None if best is None or made is None else (best, made)
    return None
