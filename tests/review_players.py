"""Players for tests of the review: one who always follows the reference, one who never thinks, and a match of both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.review.reference import Choice, Reference
from games.cards import SUITS, parse_card
from games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from tests.tb_tables import random_action

Act = Callable[[Match], None]
DECISIONS = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D, Phase.DISCARD, Phase.PLAY)


def choice_of(match: Match, reference: Reference) -> Choice:
    """The alternatives of whom the match waits for."""
    assert match.to_act is not None
    view = match.view(match.to_act)
    if match.phase == Phase.DISCARD:
        return reference.discard(view)
    if match.phase == Phase.PLAY:
        return reference.play(view)
    return reference.bid(view, second_round=match.phase in (Phase.BID2_ND, Phase.BID2_D))


def act(match: Match, words: str) -> None:
    """Take an action named as in a review."""
    word, _, rest = words.partition(" ")
    if word in ("play", "discard"):
        getattr(match, word)(parse_card(rest))
    elif word == "name":
        match.name(SUITS.index(rest))
    else:
        match.apply({"action": word})


def follower(options: TowersAndBowersOptions) -> Act:
    """A player who always follows the reference."""
    reference = Reference(options)
    return lambda match: act(match, choice_of(match, reference).best)


def careless(rng: np.random.Generator) -> Act:
    """A player who takes any legal action."""
    return lambda match: act_at_random(match, rng)


def act_at_random(match: Match, rng: np.random.Generator) -> None:
    """One of the possible actions that are no claims."""
    while True:
        action = random_action(match, rng)
        if action["action"] not in ("claim", "concede"):
            match.apply(action)
            return


def play_match(players: tuple[Act, Act], options: TowersAndBowersOptions, rng: np.random.Generator) -> Match:
    """A whole match without claims; what is not decided by players 0 and 1 is random."""
    match = Match(options)
    while match.phase != Phase.MATCH_OVER:
        if match.phase in DECISIONS:
            assert match.to_act is not None
            players[match.to_act](match)
        else:
            act_at_random(match, rng)
    return match
