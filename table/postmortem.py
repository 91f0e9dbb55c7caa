"""A deal that is over, looked back at: all hands face up, and what decided it with all cards seen."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeGuard

from towerlab.analysis.advice import capital
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.table.game import TableGame
from towerlab.table.hindsight import OpenCards, look_back
from towerlab.table.hindsight import Part as Deal
from towerlab.table.rows import possessive
from towerlab.table.scene import BOTTOM, LAST, LEFT, RIGHT, TOP, Cards, Hand, Part, Scene
from towerlab.table.sentences import sentences
from towerlab.table.session import Session

_SIDES: Final = (BOTTOM, LEFT, TOP, RIGHT)


class PostMortem(NamedTuple):
    """A deal of a seat, with all cards seen and best play by everybody.

    Attributes:
        sentence: what decided it.
        turn: number of the action that did; None where the cards or the bids did.
        course: (how many actions had been taken, what the seat's side then still made), from the first card on.
    """

    sentence: str
    turn: int | None
    course: tuple[tuple[int, OpenCards], ...]


def is_face_up(session: Session, length: int) -> bool:
    """Whether all hands may be seen after so many actions: that deal is over, and nobody can play it on."""
    if session.game.hindsight is None or not session.seating.humans:
        return False
    if session.is_over and length == session.length:
        return True
    is_over = session.ended(session.seating.humans[0], length) is not None
    later = session.engine.actions[length:]
    return is_over and (session.rests if not later else any(action["action"] == "deal" for action in later))


def final_scene(session: Session, scene: Scene, seat: int, length: int) -> Scene:
    """The scene of a seat after so many actions; of a deal that is over with all hands, each card with its trick."""
    if not is_face_up(session, length):
        return scene
    hands, tricks = _first_hands(session, seat, length)
    parts = (
        replace(part, cards=hands[part.title], labels=tuple(tricks.get(card, "") for card in hands[part.title]))
        if isinstance(part, Cards) and part.area in _SIDES and hands.get(part.title)
        else part
        for part in scene.parts
        if not (isinstance(part, Cards) and part.area == LAST)  # what the numbers of tricks tell
    )
    return replace(scene, parts=tuple(parts))


def hand_rows(scene: Scene) -> list[Cards]:
    """The rows of a final scene that are hands."""
    return [part for part in scene.parts if isinstance(part, Cards) and part.area in _SIDES and part.labels]


def _first_hands(session: Session, seat: int, length: int) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """By the titles of their rows the hands of a deal as its first card was played, and the trick of each card."""
    game, names, engine = session.game, session.names(seat), session.engine.reset_copy()
    began, hands, cards = session.hand_began(length), dict[str, tuple[str, ...]](), list[str]()
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
    is_pack_of_equals = len(set(cards)) < len(cards)  # whose cards cannot be told apart
    tricks = {card: str(1 + place // max(1, len(hands))) for place, card in enumerate(cards)}
    return hands, {} if is_pack_of_equals else tricks


def course_words(analysis: PostMortem, log: Sequence[tuple[int, str]]) -> str:
    """Return what a side makes with all cards seen, and the plays that change it: ``"4 tricks, 2 after you: 9♣"``."""
    lines, words = dict(log), [analysis.course[0][1].words]
    for (_, before), (number, after) in itertools.pairwise(analysis.course):
        if after.made != before.made:
            words.append(f"{after.made} after {lines.get(number, '')}".partition(". ")[0])
    return ", ".join(words)


def _is_hand(part: Part) -> TypeGuard[Cards]:
    return isinstance(part, Cards) and part.area in _SIDES and not part.areas


def post_mortem(
    game: TableGame, engine: Engine[Any, Any], names: Sequence[str], seat: int, began: int, length: int
) -> PostMortem | None:
    """Return the play that decided a deal between two numbers of actions; None where no search can say."""
    if game.hindsight is None:
        return None
    start, actions = engine.reset_copy(), engine.actions[began:length]
    for action in engine.actions[:began]:
        start.apply(action)

    def tell(action: Action, before: Engine[Any, Any]) -> str:
        actor = action.get("player", before.to_act)
        assert isinstance(actor, int)
        return game.prompt(before.view(actor), [action]).choices[0].text.removeprefix("play ")

    try:
        parts = look_back(start, actions, game.hindsight, tell)
    except TowerlabError:  # rules that the solver does not know
        return None
    own = [part for part in parts if part.seat == seat]
    if not own:
        return None
    rivals = [part for part in parts if part.seat != seat and part.won is False and part.lost_at is not None]
    part = rivals[-1] if own[-1].won and rivals else own[-1]
    course = tuple((began + number - 1, seen) for number, seen in own[-1].course)
    turn = None if part.lost_at is None else began + part.lost_at
    place = "" if turn is None else _place(game, start, actions, part, seat)
    made = dict(part.course)
    shown = {"before": made.get(part.lost_at or 0), "after": made.get((part.lost_at or 0) + 1), "place": place}
    by = "" if part.lost_by is None else capital(possessive(names[part.lost_by]))
    (said,) = sentences("templates/decided.txt", part=part, own=own[-1], by=by, **shown)
    return PostMortem(said, turn, course)


def _place(game: TableGame, start: Engine[Any, Any], actions: Sequence[Action], part: Deal, seat: int) -> str:
    """Where the action stands that lost a deal: ``"trick 3"``."""
    assert part.lost_at is not None
    before, turns = start.copy(), 1
    for action in actions[: part.lost_at - 1]:
        turns += before.to_act is not None
        before.apply(action)
    return game.place(before.view(seat), actions[part.lost_at - 1], 1, turns).rpartition(", ")[2]
