"""The players and what each decides: dispatch by number, since kernels take no functions."""

from __future__ import annotations

from typing import Any, Final

from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import HandRules
from towerlab.sim.choices import random_card
from towerlab.sim.own import KnownPlayer
from towerlab.sim.towers_and_bowers.players.equilibrium import NOT_STORED, equilibrium_bids, solved_play
from towerlab.sim.towers_and_bowers.players.habits import (
    family_bids,
    family_play,
    novice_bids,
    novice_play,
    random_bids,
)
from towerlab.sim.towers_and_bowers.players.knowledge import BidPlan, History, InfoState, Model, legal_plays
from towerlab.sim.towers_and_bowers.players.pimc import cautious_play, pimc_bids, pimc_play

RANDOM: Final = 0
NOVICE: Final = 1
FAMILY: Final = 2
PIMC: Final = 3
CAUTIOUS: Final = 4
EQUILIBRIUM: Final = 5

PLAYERS: Final = {
    "random": KnownPlayer("every legal call and card alike", RANDOM),
    "novice": KnownPlayer("bids on three trumps; leads high, follows with the cheapest winner", NOVICE),
    "family": KnownPlayer("counts points; draws trumps with the boss, cashes boss cards, throws losers", FAMILY),
    "pimc": KnownPlayer(
        "best on average over every hand the opponent can hold, all cards seen afterwards (nothing is sampled)", PIMC
    ),
    "cautious": KnownPlayer("as pimc, but keeps whatever the claim prover shows to be safe", CAUTIOUS),
    "equilibrium": KnownPlayer(
        "bids and discards hands of up to 4 cards as solved, and plays hands of 1 or 2 so; else as pimc", EQUILIBRIUM
    ),
}
PLAYER_IDS: Final = {name: player.kind for name, player in PLAYERS.items()}


@kernel
def plan_bids(player: int, hand: int, up: int, is_dealer: bool, rules: HandRules, model: Model, random: Any) -> BidPlan:
    """How a player will bid.

    Args:
        player: `RANDOM` … `EQUILIBRIUM`.
        hand: printed mask of the cards dealt to the player.
        up: the up-card.
        is_dealer: the player's seat.
        rules, model: as the game is played.
        random: a numpy Generator for players who toss coins.
    """
    if follows_habits(player):
        return habitual_bids(player, hand, up, is_dealer, rules, random)
    return searched_bids(player, hand, up, is_dealer, rules, model, random)


@kernel
def habitual_bids(player: int, hand: int, up: int, is_dealer: bool, rules: HandRules, random: Any) -> BidPlan:
    """`plan_bids` for players who follow habits."""
    if player == RANDOM:
        return random_bids(hand, up, is_dealer, rules, random)
    if player == NOVICE:
        return novice_bids(hand, up, is_dealer, rules)
    return family_bids(hand, up, is_dealer, rules)


@kernel
def searched_bids(
    player: int, hand: int, up: int, is_dealer: bool, rules: HandRules, model: Model, random: Any
) -> BidPlan:
    """`plan_bids` for the others."""
    if player == EQUILIBRIUM:
        return equilibrium_bids(hand, up, is_dealer, rules, model, random)
    return pimc_bids(hand, up, is_dealer, rules, model)


@kernel
def choose_play(player: int, state: InfoState, history: History, values: Any, model: Model, random: Any) -> int:
    """The card a player plays, as a play-order mask.

    Args:
        player: `RANDOM` … `EQUILIBRIUM`.
        state: what the player knows.
        history: how it came about.
        values: float64[8], P(winning the tower) by the player's tricks of the hand (a row of `Model.payoffs`).
        model: tables and workspace.
        random: a numpy Generator.
    """
    if follows_habits(player):
        return habitual_play(player, state, random)
    return searched_play(player, state, history, values, model, random)


@kernel
def follows_habits(player: int) -> bool:
    """Whether the player decides without searching, and hence without a `Model`."""
    return player <= FAMILY


@kernel
def habitual_play(player: int, state: InfoState, random: Any) -> int:
    """`choose_play` for players who follow habits."""
    if player == RANDOM:
        return random_card(legal_plays(state), random)
    if player == NOVICE:
        return novice_play(state)
    return family_play(state)


@kernel
def searched_play(player: int, state: InfoState, history: History, values: Any, model: Model, random: Any) -> int:
    """`choose_play` for the others."""
    if player == EQUILIBRIUM:
        card = solved_play(state, history, model.solution.play, random)
        if card != NOT_STORED:
            return card
    if player == CAUTIOUS:
        return cautious_play(state, values, model)
    return pimc_play(state, values, model)
