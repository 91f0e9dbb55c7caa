"""Reneges that the cards prove (TB-24), and play on after an early stop (TB-28)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracles.match_driver import DEALER, NON_DEALER, deal_hands, done, led_to, name_trump, never, play
from towerlab.games.errors import IllegalAction
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.view import proved_renege
from towerlab.table.commanding import table_of
from towerlab.table.session import Lineup, Session
from towerlab.table.towers_and_bowers.game import advise


def with_renege(**options: Any) -> Match:
    """KD is led, the dealer holds 9D JD AS and plays the left bower, which wins the trick."""
    options = {"renege_mode": "enforced", "claims": "free"} | options
    match = name_trump(deal_hands("KD 9C TC", "9D JD AS", "QS", **options), "H")
    play(match, "KD JD")
    return match


@pytest.mark.parametrize("scope", ["trick", "hand"])
def test_tb_24_advice_names_the_renege_that_the_cards_prove(scope: str) -> None:
    options = TowersAndBowersOptions(renege_mode="enforced", claims="free", accuse_scope=scope, first_n=3)
    match = with_renege(accuse_scope=scope)
    play(match, "AS 9C")
    assert proved_renege(match.view(NON_DEALER)) is None  # J♦ on K♦ is none as long as no diamond is seen
    play(match, "9D")
    advice = advise(match.view(NON_DEALER), options)
    assert advice.alternatives[0].note == "100.0 %" and len(advice.alternatives) == 2
    assert advice.alternatives[1].cost.mean == 1000 - advice.alternatives[1].value
    accused = match.copy()
    accused.apply(advice.alternatives[0].action)
    assert led_to(accused).proven
    play(match, "TC")
    late = advise(match.view(NON_DEALER), options)  # until the next hand is dealt (TB-25)
    assert [one.action for one in late.alternatives] == [advice.alternatives[0].action]
    assert advise(match.view(DEALER), options) is None


def test_tb_24_every_renege_that_counts_as_proved_is_proved() -> None:
    """Random hands in which anything may be played: the accusation that a view proves is legal and always wins."""
    random = np.random.default_rng(8)
    accused = 0
    options = TowersAndBowersOptions(renege_mode="enforced", claims="free", renege_declined="stand", first_n=4)
    for _ in range(60):
        match = Match(options, never)
        for _ in range(45):
            actions = list(match.legal(match.to_act)) if match.to_act is not None else [match.chance(random)]
            said = ("claim", "concede", "accuse")
            actions = [one for one in actions if one["action"] not in said or random.random() < 0.05]
            match.apply(actions[int(random.integers(len(actions)))])
            for player in (DEALER, NON_DEALER):
                trick = proved_renege(match.view(player))
                if trick is not None and match.can_accuse(player, trick):
                    accused += 1
                    assert done(match.copy(), "accuse", player, trick).proven
    assert accused > 100


def test_tb_28_either_player_may_insist_after_an_early_stop_and_nothing_changes() -> None:
    """Whatever is then played, the hand ends as it had ended."""
    rng = np.random.default_rng(6)
    found = 0
    while found < 30:
        match = Match(TowersAndBowersOptions(claims="off", starter="fixed"), None)
        while match.state().hand is None or match.state().hand.outcome is None:
            match.apply(match.chance(rng) if match.to_act is None else match.legal(match.to_act).sample(rng))
        hand = match.state().hand
        after = match.state()
        if not hand.tricks_left:
            with pytest.raises(IllegalAction, match=r"\(TB-28\)"):
                match.insist(0)
            continue
        with pytest.raises(IllegalAction, match=r"no player.*\(TB-28\)"):
            match.insist(2)
        match.insist(found % 2)
        while match.state().hand.outcome is None:
            match.apply(match.legal(match.to_act).sample(rng))
        said = match.state()
        outcome = match.state().hand.outcome
        assert (said.phase, said.towers, said.n, said.dealer) == (after.phase, after.towers, after.n, after.dealer)
        assert (outcome.tower_to, outcome.next_dealer) == (hand.outcome.tower_to, hand.outcome.next_dealer)
        assert not match.state().hand.tricks_left and not match.can_insist(0)
        found += 1


def test_tb_24_a_player_of_the_simulator_accuses_of_what_the_cards_prove() -> None:
    """At a table with one person: the renege of the person, once the card kept back is seen."""
    table = table_of("towers-and-bowers")
    match = with_renege(claims="free")
    play(match, "9D")
    session = Session.begin(table, match.options, Lineup(("human", "random"), 1), None)
    for action in match.actions:
        session._apply(action)
    assert session.step() and session.engine.last_action == {"action": "accuse", "player": NON_DEALER, "trick": 1}
    assert session.step() and session.engine.last_action["action"] == "take_penalty"
    assert session.engine.state().towers == (0, 1)
