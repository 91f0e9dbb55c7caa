"""The study `strategy`: simulated games behind the report.

An arm is two players under some rule options. In a paired arm every pack is played twice with the seats swapped, and
the mean of the two games is one observation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from towerlab.analysis.simulation.rule_options import Played, rule_options_study
from towerlab.analysis.stats import Estimate, mean_interval, wilson
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.cards import JOKER_1
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.turns import BATTLE
from towerlab.sim.tower_war import PLAYERS, GameBatch, play_batch_of_games, setting_of
from towerlab.sim.tower_war.players import LOW, MODEL, POINTS, TENS, Player, count_in_tens


@dataclass(frozen=True)
class Arm:
    """Games of one kind.

    Attributes:
        players: names in `PLAYERS` or `RULES`; the share of wins is that of the first.
        games: a chunk of them, and how many chunks there are.
        chunks: see `games`.
        options: changes of the default rules.
        paired: whether every pack is played twice with the seats swapped.
    """

    players: tuple[str, str]
    games: int
    chunks: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    paired: bool = False


_COUNTS = {
    name: int(count_in_tens(card))
    for name, card in zip(("joker", "ace", "king", "queen", "jack", "ten"), (JOKER_1, 12, 11, 10, 9, 8), strict=True)
}
DRAFT = (
    f"count {', '.join(f'{name} {count}' for name, count in _COUNTS.items())}, others nothing. Split so that the "
    "counts are nearest, take the pile and build the deck that count more"
)
TIES = (
    "Of splits equally near, the pile that counts less gets as many cards as it can; if both count the same, two lie "
    "against three; then the pile of fewer cards gets the highest. Of piles that count the same take the one with the "
    "highest card; of cards that count the same build in the deck the highest. Higher is the rank, then the suit: "
    "spades, hearts, diamonds, clubs"
)
IN_PLAY = (
    "lead the card of the highest value, answer with the lowest value that wins, else with the lowest. The value is "
    "what a card scores as played, a joker's that of its copy; equal values go by rank, equal ranks by suit, clubs "
    "before diamonds, hearts, spades and a joker's copy, which is of the card played first"
)
STACK = (
    "On an empty level place the size of which you hold most, of equal ones the largest. Build in your card of fewest "
    "points, of equal ones the lowest rank, then clubs before diamonds, hearts and spades, a joker last"
)
"""The table card in words; `TENS` and `POINTS` below are how it is played."""

# pimc with one part of the game played by a rule: its losses against pimc are the cost of the rule.
RULES: dict[str, Player] = {
    "tens split": Player(TENS, MODEL, MODEL, MODEL, "splits by the count"),
    "points split": Player(POINTS, MODEL, MODEL, MODEL, "splits as evenly in points as can be"),
    "even split": PLAYERS["even"],
    "tens draft": Player(TENS, TENS, TENS, MODEL, "splits, takes and builds by the count"),
    "high lead": Player(MODEL, MODEL, MODEL, POINTS, "leads high, wins cheaply", cap=MODEL),
    "low lead": Player(MODEL, MODEL, MODEL, LOW, "leads low, wins cheaply", cap=MODEL),
    "low cap": Player(MODEL, MODEL, MODEL, MODEL, "builds in the lowest card", cap=POINTS),
    "card": Player(TENS, TENS, TENS, POINTS, "plays the whole card"),
}
KAPPAS = (0.25, 0.5, 1.0, 2.0, 4.0)
ARMS: dict[str, Arm] = {
    **{name: Arm((name, "pimc"), 250, 16 if name.startswith("tens") else 8, paired=True) for name in RULES},
    "card against novice": Arm(("card", "novice"), 2500, 32, paired=True),
    "pimc": Arm(("pimc", "pimc"), 500, 6),
    "novice": Arm(("novice", "novice"), 25_000, 48),
    **{f"kappa {k:g}": Arm(("novice", "novice"), 8000, 1, {"kappa_one": k}) for k in KAPPAS},
}


def arm_chunks(parameters: Mapping[str, Any]) -> list[tuple[str, Arm, int]]:
    """Name, arm and games of every chunk, `scale` times the games of the arms."""
    scale = parameters["scale"]
    return [(name, arm, max(2, round(scale * arm.games))) for name, arm in ARMS.items() for _ in range(arm.chunks)]


def play_arm(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a game (a pair of games in a paired arm)."""
    name, arm, games = arm_chunks(parameters)[chunk]
    player_one, player_two = (RULES.get(player) or PLAYERS[player] for player in arm.players)
    players = player_one, player_two
    setting = setting_of(TowerWarOptions(**{**parameters["options"], **arm.options}), players=players)
    if not arm.paired:
        return _rows(name, play_batch_of_games(players, games, setting, np.random.default_rng(seed)))
    seeds = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 0)).spawn(games // 2)
    batches = (
        [play_batch_of_games(players, 1, setting, np.random.default_rng(child), unit) for child in seeds]
        for unit in (0, 1)  # the same seeds twice: equal packs, seats swapped
    )
    first, second = (pd.concat([_rows(name, batch) for batch in same], ignore_index=True) for same in batches)
    return first.assign(**{name: (first[name] + second[name]) / 2 for name in ("won", "seat_one", "battles")})


def _rows(name: str, batch: GameBatch) -> pd.DataFrame:
    seat = batch.winning_seat
    winners = batch.winners
    return pd.DataFrame(
        {
            "arm": name,
            "won": np.where(winners < 0, 0.5, winners == 0).astype(np.float64),
            "seat_one": np.where(seat < 0, 0.5, seat == 0).astype(np.float64),
            "battles": batch.results[:, BATTLE].astype(np.float64),
        }
    )


def combine_arms(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """One row an arm with intervals."""
    games = pd.concat(list(chunks), ignore_index=True)
    rows: list[dict[str, Any]] = []
    for name, arm in ARMS.items():
        of_arm = games[games["arm"] == name]
        about = {"arm": name, "players": " v ".join(arm.players), "observations": len(of_arm), "paired": arm.paired}
        about |= _share(of_arm["won"], arm.paired).row("won") | _share(of_arm["seat_one"], arm.paired).row("player_one")
        rows.append(about | mean_interval(of_arm["battles"]).row("battles"))
    summary = {row["arm"]: [row[key] for key in ("won", "won_low", "won_high")] for row in rows}
    return StudyResult({"arms": pd.DataFrame(rows)}, summary)


def _share(values: pd.Series, paired: bool) -> Estimate:
    """A share of wins with its interval: Wilson's, Student's for the means of pairs."""
    if paired:
        return mean_interval(values)
    return Estimate(float(values.mean()), *wilson(round(values.sum()), len(values)), len(values))


STRATEGY = Study(
    game="tower-war",
    name="strategy",
    help="what rules win and cost, who wins by seat and steadiness of hand",
    parameters={"scale": 1.0},
    count_chunks=lambda parameters: len(arm_chunks(parameters)),
    run_chunk=play_arm,
    combine=combine_arms,
    rule_options=TowerWarOptions,
)

CHANGES = {
    "advanced=true": "pyramids are drafted, too",
    "deck_size=12": "decks of twelve",
    "deck_size=18": "decks of eighteen",
    "tie_break=tens_only": "ranks break ties of ten-pointers only",
    "short_hand=lose": "who cannot draw three cards loses",
    "recall=none": "nobody remembers the draft",
    "max_battles=20": "a draw after twenty battles",
    "collapse=none": "towers never fall",
}


def play(players: Sequence[str], options: TowerWarOptions, seed: np.random.SeedSequence, games: int) -> Played:
    """Play wars, each from a seed of its own; the outcome is the whole record of their end."""
    first, second = (PLAYERS[name] for name in players)
    setting = setting_of(options, players=(first, second))
    batches = [
        play_batch_of_games((first, second), 1, setting, np.random.default_rng(child), number * (first != second))
        for number, child in enumerate(seed.spawn(games))
    ]
    results = np.concatenate([batch.results for batch in batches])
    return Played(results[:, BATTLE].astype(np.float64), results, np.concatenate([batch.winners for batch in batches]))


RULE_OPTIONS = rule_options_study(
    "tower-war", TowerWarOptions, play, "battles of a war", CHANGES, players=2, games=2_000
)
