"""What a seat is sent does not depend on cards it may not know: the same game with hidden cards exchanged."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from towerlab.analysis.catalog import GAMES
from towerlab.games.cards import card_texts, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.tower_war.seats import DECK, HAND
from towerlab.table.commanding import table_of
from towerlab.table.session import Lineup, Session
from towerlab.web import pages
from towerlab.web.app import review_table
from towerlab.web.reviews import review_page

TWINS = 4


def hidden_cards(game: str, engine: Any, actions: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """The record that dealt the cards in play, and cards in it that seat 0 cannot have seen, by the referee's state."""
    state = engine.state()
    last = {action["action"]: place for place, action in enumerate(actions)}
    if game == "towers-and-bowers":
        if state.hand is None or state.hand.outcome is not None or "shuffle" not in last:
            return 0, []
        unseen = mask_cards(state.hand.hands[1] & ~(1 << state.hand.up_card)) + list(state.hand.stock)
        return last["shuffle"], card_texts(unseen)
    if game == "bowers":
        if state.deal is None or state.deal.outcome is not None:
            return 0, []
        mask = state.deal.hands[1] | state.deal.hands[2]
        mask |= state.deal.kitty if state.deal.bidder is None else 0
        return last["deal"], card_texts(mask_cards(mask))
    if game == "towie":
        deal = state.deal
        if deal is None or deal.goulashes or deal.score is not None or not deal.exposed:
            return 0, []
        others = [hand for hand in range(3) if deal.players[hand] != 0] + ([] if deal.dummy_is_faced else [3])
        mask = 0
        for hand in others:
            mask |= deal.hands[hand]
        return last["deal"], card_texts(mask_cards(mask & ~deal.exposed))
    draws = [place for place, action in enumerate(actions) if action["action"] == "draw" and action["player"] == 1]
    if not draws or engine.phase not in ("PLAY", "ADD"):
        return 0, []
    return draws[-1], card_texts(mask_cards(state.cards[1][HAND] | state.cards[1][DECK]))


def exchanged(game: str, engine: Any, rng: np.random.Generator) -> list[dict[str, Any]] | None:
    """The records of the same game with two hidden cards exchanged; None where that cannot be."""
    actions = [dict(action) for action in engine.actions]
    if game == "towers":
        pack = list(actions[0]["pack"])
        drawn = 52 - len(engine.state().source)
        if drawn > 50:
            return None
        one, other = sorted(int(place) for place in rng.choice(np.arange(drawn, 52), 2, replace=False))
        pack[one], pack[other] = pack[other], pack[one]
        return None if pack[one] == pack[other] else [{**actions[0], "pack": pack}, *actions[1:]]
    place, unseen = hidden_cards(game, engine, actions)
    if len(unseen) < 2:
        return None
    one, other = (str(card) for card in rng.choice(unseen, 2, replace=False))
    key = "cards" if game == "tower-war" else "pack"
    swap = {one: other, other: one}
    cards = [swap.get(card, card) for card in actions[place][key]]
    return (
        None
        if cards == actions[place][key]
        else [*actions[:place], {**actions[place], key: cards}, *actions[place + 1 :]]
    )


def sent(session: Session, advised: bool) -> tuple[object, ...]:
    """Everything that seat 0 is sent now."""
    advice = session.advice(0) if advised and session.waits_for == 0 else None
    page = pages.table_page(session, "table", 0, "token", advice=advice, asked=advice is not None)
    past = pages.table_page(session, "table", 0, "token", advice=None, asked=False, at=session.length // 2)
    return page, past if session.length % 10 == 0 else "", str(pages.table_json(session, 0, advice)), session.told(0)


def looked_back(session: Session) -> tuple[str, ...]:
    """What seat 0 is told who asks for advice, for the review of a game in play, and for the proofs of all claims."""
    review = review_table(session.game, session.engine.copy(), session.seating.names(0), 0)
    told = [str(sent(session, True)), str(review.to_json()), review_page(review)]
    if session.waits_for == 0 and session.game.prove is not None:
        claims = [one.action for one in session.prompt(0).choices if one.is_aside and "tricks" in one.action]
        told += [str(session.game.prove(session.engine.view(0), claim).to_json()) for claim in claims]
    return tuple(told)


def compare(game: str, seed: int, back: bool = False) -> int:
    """One random game up to a random moment and its twins, step by step; how many twins there were.

    Args:
        back: compare what is `looked_back` at too.
    """
    rng = np.random.default_rng(seed)
    table = table_of(game)
    options = GAMES[game].load("options")()
    seating = Lineup(("human", *("random",) * (table.seats(options) - 1)), seed)
    session, twins = Session.begin(table, options, seating, None), 0
    shown = [sent(session, False)]
    until = int(rng.integers(2, {"towers": 60, "towers-and-bowers": 90, "tower-war": 140}.get(game, 70)))
    while session.length < until and not session.is_over:
        if session.waits_for is None:
            session.step()
        else:
            session.act(0, session.engine.legal(0).sample(rng))
        shown.append(sent(session, False))
    for _ in range(TWINS):
        records = exchanged(game, session.engine, rng)
        if records is None:
            continue
        twin = Session.begin(table, options, seating, None)
        try:
            seen = [sent(twin, False)]
            for action in records:
                twin._apply(action)
                seen.append(sent(twin, False))
        except TowerlabError:  # the others could not have played as they did with these cards
            continue
        assert seen == shown  # the cards are hidden to the end, so at no step does anything differ
        assert twin.engine.actions != session.engine.actions
        advised = game in ("towers", "tower-war") and seed % 10 == 0
        assert sent(twin, advised) == sent(session, advised)
        if back and not twins:
            assert looked_back(twin) == looked_back(session)
        twins += 1
    return twins


@pytest.mark.parametrize("game", GAMES)
def test_hidden_cards_change_nothing_that_is_sent(game: str) -> None:
    """Games until some twins have been compared: in Tower War few moments have cards that nobody knows."""
    twins = itertools.accumulate(compare(game, seed) for seed in range(60))
    assert next((True for found in itertools.islice(twins, 3, None) if found > 2), False)


@pytest.mark.exhaustive
@pytest.mark.parametrize("game", GAMES)
def test_hidden_cards_change_nothing_in_300_games(game: str) -> None:
    assert sum(compare(game, 1000 + seed, seed % 10 == 0) for seed in range(300)) > 100
