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
from towerlab.table.hindsight import OpenCards, better_action, look_back
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


def course_words(analysis: PostMortem, log: Sequence[tuple[int, str]]) -> str:
    """Return what a side makes with all cards seen, and the plays that change it: ``"4 tricks, 2 after you: 9♣"``."""
    lines = dict(log)
    words = [analysis.course[0][1].words]
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
    start = engine.reset_copy()
    actions = engine.actions[began:length]
    for action in engine.actions[:began]:
        start.apply(action)
    try:
        own = look_back(start, actions, seat, game.hindsight)
        if own is None:
            return None
        deal = own
        loser = seat
        for rival in engine.seats if own.won else ():
            theirs = None if rival == seat else look_back(start, actions, rival, game.hindsight)
            if theirs is not None and theirs.won is False and theirs.lost_at is not None:
                deal = theirs
                loser = rival
        values = dict[str, Any](own=own)
        lost_at = deal.lost_at
        if lost_at is not None:
            seen = dict(deal.course)
            values |= _turning(game, start, actions[:lost_at], loser, names)
            values |= {"before": seen[lost_at], "after": seen.get(lost_at + 1)}
            values["place"] = next(itertools.islice(game.places(engine), began + lost_at - 1, None)).rpartition(", ")[2]
    except TowerlabError:  # rules that the solver does not know
        return None
    (said,) = sentences("templates/decided.txt", lost_at=lost_at, **values)
    course = tuple((began + number - 1, seen) for number, seen in own.course)
    return PostMortem(said, None if lost_at is None else began + lost_at, course)


def _turning(
    game: TableGame, start: Engine[Any, Any], actions: Sequence[Action], loser: int, names: Sequence[str]
) -> dict[str, str]:
    """Return what is said of the action that lost a deal: by whom, itself and a better one.

    Args:
        start: the game before the deal.
        actions: of the deal, up to that action.
        loser: the seat that lost the deal.
    """
    assert game.hindsight is not None
    before = start.copy()
    (*earlier, done) = actions
    for action in earlier:
        before.apply(action)
    actor = done.get("player", before.to_act)
    assert isinstance(actor, int)
    better = better_action(before, done, loser, game.hindsight)

    def tell(action: Action) -> str:
        return game.prompt(before.view(actor), [action]).choices[0].text.removeprefix("play ")

    return {
        "by": capital(possessive(names[actor])),
        "done": tell(done),
        "better": "" if better is None else tell(better),
    }
