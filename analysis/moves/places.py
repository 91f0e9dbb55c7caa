"""A decision in a saved game: hand 3, trick 2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from towerlab.analysis.catalog import find_game
from towerlab.analysis.knowledge import Knowledge, claimants
from towerlab.analysis.saved_games import read_header, read_lines
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.options import changed_options


def asked_view(
    game: str, path: Path | None, at: str | None, others: Mapping[str, Any], options: Any = None
) -> tuple[Any, Any]:
    """Return the view of the player on turn at a place of a saved game, and its rule options; None without a file.

    Args:
        game: the expected game.
        path: of the file.
        at: ``"3.2"``, or ``"3.2.2"`` for the second card of that trick.
        others: the question's other arguments, none of which may be given together with a file.
        options: rule options, not to be given with a file, which has its own.

    Raises:
        TowerlabError: the file is another game, has no such place, or does not record the view there.
    """
    if path is None:
        if at is not None:
            raise TowerlabError(f"--at {at} is a place in a saved game; expected --game FILE beside it")
        return None, None
    others = {**others, "option": options is not None and changed_options(options)}
    if given := [name.replace("_", "-") for name, value in others.items() if value]:
        raise TowerlabError(f"--{given[0]} cannot stand beside --game, where it is told; expected --game and --at")
    lines = read_lines(path)
    if (recorded := read_header(lines)["game"]) != game:
        raise TowerlabError(f"{path} is a game of {recorded}; expected towerlab move {recorded}, or a game of {game}")
    numbers = tuple(map(int, at.split("."))) if at and re.fullmatch(r"\d{1,6}(\.\d{1,3}){1,2}", at) else ()
    if not numbers:
        raise TowerlabError(f"at {at!r} is no place; expected HAND.TRICK such as 3.2, or 3.2.2 for its second card")
    table = find_game(game).load("table")
    engine, seats, _ = find_game(game).load("views")(lines, table)
    places: dict[tuple[int, ...], Any] = {}
    for place, view in _decisions(engine):
        if seats is None or view.player in seats:
            places.setdefault(place, view)
    view = next((there for place, there in places.items() if place[: len(numbers)] == numbers), None)
    if view is None:
        hands = [place for place in places if place[0] == numbers[0]]
        last = max(hands or places or [(0, 0)])
        what = f"hand {numbers[0]} ends with trick {last[1]}" if hands else f"the last hand with a card is {last[0]}"
        raise TowerlabError(f"no card was played at {at}: {what}; expected HAND.TRICK such as 1.1")
    return view, engine.options


def _decisions(engine: Engine[Any, Any]) -> Iterator[tuple[tuple[int, int, int], Any]]:
    """Yield the place of every card that was to be played, and its player's view."""
    again = engine.reset_copy()
    hand = 0
    before = (0, 0)
    card = 0
    for action in (*engine.actions, None):
        view = None if again.to_act is None else again.view(again.to_act)
        if view is not None and view.legal and (action is None or action["action"] == "play"):
            trick = hand, len(view.tricks) + 1
            card = card + 1 if trick == before else 1
            before = trick
            yield (*trick, card), view
        if action is not None:
            again.apply(action)
            hand += action["action"] == "deal"


def tricks_before(knowledge: Knowledge, size: int, won: int | None) -> int:
    """Return the declarer's tricks among those that the history leaves out.

    Args:
        knowledge: of the player.
        size: cards of a full hand.
        won: how many of them the player's side took.

    Raises:
        TowerlabError: `won` is missing, or impossible: without a history the leader took the last trick.
    """
    missing = size - knowledge.belief.tricks - sum(knowledge.taken)
    if missing and won is None:
        raise TowerlabError(
            f"{missing} of {size} tricks are neither in the history nor to come; expected them in the history, or "
            f"--won with how many of them your side took"
        )
    is_declarers = 0 in claimants(knowledge.seating, knowledge.role)
    leads = ""
    ours = won or 0
    least = 0
    most = missing
    if missing and not any(knowledge.taken):
        leads = ", as whoever leads took the last of them"
        leader_is_ours = (knowledge.belief.leader in claimants(knowledge.seating, 0)) == is_declarers
        least, most = (1, missing) if leader_is_ours else (0, missing - 1)
    if not least <= ours <= most:
        raise TowerlabError(f"won {won} of the tricks before the history; expected {least} to {most}{leads}")
    return ours if is_declarers else missing - ours
