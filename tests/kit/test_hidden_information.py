"""What a seat is sent does not depend on cards it may not know: the same game with hidden cards exchanged."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.oracles.hidden_cards import twins
from towerlab.analysis.catalog import GAMES
from towerlab.table.commanding import table_of
from towerlab.table.session import Lineup, Session
from towerlab.web import pages
from towerlab.web.app import review_table
from towerlab.web.reviews import review_page

TWINS = 2


def sent(session: Session, advised: bool) -> tuple[object, ...]:
    """Everything that seat 0 is sent now."""
    advice = session.advice(0) if advised and session.waits_for == 0 else None
    page = pages.table_page(session, 0, advice=advice, is_asked=advice is not None)
    past = pages.table_page(session, 0, at=session.length // 2)
    return page, past if session.length % 10 == 0 else "", str(pages.table_json(session, 0, advice)), session.log(0)


def looked_back(session: Session) -> tuple[str, ...]:
    """What seat 0 sees that asks for advice, for the review of a game in play, and for the proofs of all claims."""
    review = review_table(session.game, session.engine.copy(), session.seating.names(0), 0)
    answers = [str(sent(session, True)), str(review.to_json()), review_page(review)]
    if session.waits_for == 0 and session.game.prove is not None:
        claims = [one.action for one in session.prompt(0).choices if one.is_aside and "tricks" in one.action]
        answers += [str(session.game.prove(session.engine.view(0), claim).to_json()) for claim in claims]
    return tuple(answers)


def replayed(session: Session, engine: Any) -> tuple[Session, list[tuple[object, ...]]]:
    """A game of an engine at the same table, and what seat 0 was sent at every step."""
    twin = Session.begin(session.game, session.engine.options, session.seating, None)
    seen = [sent(twin, False)]
    for action in engine.actions:
        twin._apply(action)
        seen.append(sent(twin, False))
    return twin, seen


def compare(game: str, seed: int, back: bool = False) -> int:
    """One random game up to a random moment and its twins, step by step; how many twins there were.

    Args:
        back: compare what is `looked_back` at too.
    """
    rng = np.random.default_rng(seed)
    table = table_of(game)
    options = GAMES[game].load("options")()
    session = Session.begin(table, options, Lineup(("human", *("random",) * (table.seats(options) - 1)), seed), None)
    until = int(rng.integers(2, {"towers": 60, "towers-and-bowers": 90, "tower-war": 140}.get(game, 70)))
    while session.length < until and not session.is_over:
        if session.waits_for is None:
            session.step()
        else:
            session.act(0, session.engine.legal(0).sample(rng))
    found = list(itertools.islice(twins(session.engine, 0, rng), TWINS))
    shown = replayed(session, session.engine)[1] if found else []
    for place, engine in enumerate(found):
        twin, seen = replayed(session, engine)
        assert seen == shown  # the cards are hidden to the end, so at no step does anything differ
        assert twin.engine.actions != session.engine.actions
        advised = game in ("towers", "tower-war") and seed % 10 == 0
        assert sent(twin, advised) == sent(session, advised)
        if back and not place:
            assert looked_back(twin) == looked_back(session)
    return len(found)


@pytest.mark.parametrize("game", GAMES)
def test_hidden_cards_change_nothing_that_is_sent(game: str) -> None:
    """Games until some twins have been compared: in Tower War few moments have cards that nobody knows."""
    twins = itertools.accumulate(compare(game, seed) for seed in range(60))
    assert next((True for found in itertools.islice(twins, 2, None) if found > 2), False)


@pytest.mark.exhaustive
@pytest.mark.parametrize("game", GAMES)
def test_hidden_cards_change_nothing_in_300_games(game: str) -> None:
    assert sum(compare(game, 1000 + seed, seed % 10 == 0) for seed in range(300)) > 100
