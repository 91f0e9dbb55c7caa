"""What wins wars, and why? The studies of Tower War by name.

`value-model`: values of hands, pools and pyramids, fitted on simulated wars and tested on others.

1. Games are drafted at random (random splits, picks at random or by points, decks by points or at random) and the
   wars played by `pimc`. In every other chunk the draft is advanced, with random pyramids.
2. Hands and pyramids: logistic regression of "player one won" on the difference of the two decks' mean hand features
   and of the drafted pyramids, with an intercept for player one. Weights are log-odds of the war.
3. Pools: for each round of the draft, least squares of the difference of the best final decks' values (by the weights
   of step 2) on the difference of the two pools' features after that round.
4. The last quarter of the chunks is not fitted on: the model and simpler ones are scored there.

solver/tower_war/data/tower_war.json is the `model` of the summary of `towerlab study tower-war value-model --out DIR`.

`card-values`: the value of each rank in a deck. Decks are drafted at random and by points (`STYLES`), the wars played
by `pimc`. A logistic regression of the winner has one free term a rank, so that no form is laid upon the ranks.
Intervals come from whole wars drawn again (`analysis.stats.bootstrap_errors`).

`strategy`: simulated games behind the report. An arm is two players under some rule options. In a paired arm every pack
is played twice with the seats swapped, and the mean of the two games is one observation.

>>> list(STUDIES)
['strategy', 'card-values', 'rule-options', 'value-model']
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from towerlab.analysis.simulation.rule_options import Played, rule_options_study
from towerlab.analysis.stats import LEVEL, Estimate, bootstrap_errors, mean_interval, normal_quantile, wilson
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.arrays import Array
from towerlab.games.cards import JOKER_1, RANKS, mask_cards
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.records import ROUNDS
from towerlab.games.tower_war.rules import OUTCOMES, SIZE_LETTERS, STASH
from towerlab.games.tower_war.turns import BATTLE
from towerlab.sim.tower_war.players import LOW, MODEL, PLAYERS, POINTS, RANDOM, TENS, Player, count_in_tens, sum_points
from towerlab.sim.tower_war.war import GameBatch, play_batch_of_games, setting_of
from towerlab.solver.tower_war.decks import HAND_FEATURES, POOL_FEATURES, pool_features, triple_index
from towerlab.solver.tower_war.model import WarModel, shared_triple_features

PACK: Final = 54
RANK_NAMES: Final = (*(rank.replace("T", "10") for rank in RANKS), "joker")


HELD_OUT = 0.25
_HAND = [f"hand {feature}" for feature in range(HAND_FEATURES)]
_PYRAMIDS = [f"pyramids {letter}" for letter in SIZE_LETTERS]
_POOLS = [f"pool {seat} round {number}" for number in range(1, ROUNDS + 1) for seat in (1, 2)]
_OUTCOME_COLUMNS = [f"outcome {outcome}" for outcome in range(OUTCOMES)]
DECK_SIZE = TowerWarOptions().deck_size
# How piles are taken and decks built: random ones spread the features, people choose by points.
STYLES = ((RANDOM, RANDOM), (POINTS, POINTS), (RANDOM, POINTS), (POINTS, MODEL))


def simulate_drafts(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row a game: the winner, hand features and pyramids of player one minus player two, and both pools."""
    rng = np.random.default_rng(seed)
    setting = setting_of(TowerWarOptions(advanced=chunk % 2 == 1))
    take, build = STYLES[chunk // 2 % len(STYLES)]
    player = Player("", split=RANDOM, take=take, build=build)
    batch = play_batch_of_games((player, player), parameters["games_per_chunk"], setting, rng)
    winner = batch.winning_seat
    frame = pd.DataFrame(
        [_mean_hand(first) - _mean_hand(second) for first, second in batch.decks.tolist()], columns=_HAND
    )
    stashes = batch.towers[:, STASH : STASH + 6]
    frame[_PYRAMIDS] = stashes[:, :3] - stashes[:, 3:]
    frame["points"] = [sum_points(int(first)) - sum_points(int(second)) for first, second in batch.decks]
    frame["won"] = np.where(winner < 0, 0.5, winner == 0)
    frame["chunk"] = chunk
    pools = pd.DataFrame(batch.drafted.reshape(len(winner), -1), columns=_POOLS)
    return pd.concat([frame, pools, pd.DataFrame(batch.outcomes, columns=_OUTCOME_COLUMNS)], axis=1)


def _mean_hand(deck: int) -> Array:
    """Return the mean of `triple_features` over all hands of a deck: float64 [HAND_FEATURES]."""
    hands = [triple_index(*hand) for hand in itertools.combinations(mask_cards(deck), 3)]
    means: Array = shared_triple_features()[hands].mean(axis=0, dtype=np.float64)
    return means


def fit_model(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Fit on the first chunks, score on the last quarter."""
    games = pd.concat(list(chunks), ignore_index=True)
    held_out = games["chunk"] >= (1 - HELD_OUT) * parameters["chunks"]
    training = games[~held_out]
    testing = games[held_out]
    names = [*_HAND, *_PYRAMIDS]
    weights, intercept = logistic_fit(training[names].to_numpy(), training["won"].to_numpy())
    hand_weights = weights[:HAND_FEATURES]
    pyramid_weights = weights[HAND_FEATURES:]
    outcomes = games[_OUTCOME_COLUMNS].to_numpy().sum(axis=0)
    model = WarModel(
        frequencies=outcomes / outcomes.sum(),
        hand_weights=hand_weights,
        pool_weights=np.zeros((ROUNDS, POOL_FEATURES)),
        pyramid_weights=pyramid_weights,
        made={
            "study": "towerlab study tower-war value-model",
            "parameters": dict(parameters),
            "wars": len(games),
            "battles": int(outcomes.sum()),
            "player_one_log_odds": round(intercept, 4),
        },
    )
    hand_values = model.hand_values()
    points, points_intercept = logistic_fit(training[["points"]].to_numpy(), training["won"].to_numpy())
    predictions = {
        "decks and pyramids": testing[names].to_numpy() @ weights + intercept,
        "sum of points (baseline)": testing["points"].to_numpy() * points[0] + points_intercept,
        "constant (baseline)": np.full(len(testing), intercept),
    }
    scores = [_score(name, logits, testing["won"]) for name, logits in predictions.items()]
    target = _pool_differences(training, ROUNDS, hand_values)[:, 0]  # of the best decks
    for number in range(1, ROUNDS + 1):
        fitted = _pool_differences(training, number, hand_values)
        model.pool_weights[number - 1] = np.linalg.lstsq(fitted, target, rcond=None)[0]
    model.made["scores"] = scores
    losses = (score["log_loss"] for score in scores)
    summary: dict[str, Any] = dict(zip(("log_loss_decks", "log_loss_points", "log_loss_constant"), losses, strict=True))
    summary |= {"held_out_wars": len(testing), "model": model.to_json()}
    return StudyResult({"scores": pd.DataFrame(scores)}, summary)


def logistic_fit(features: Array, won: Array, ridge: float = 1.0) -> tuple[Array, float]:
    """Return weights and intercept of a logistic regression, by maximum likelihood with a weak ridge.

    Args:
        features: float [games, features].
        won: 1, 0, or 0.5 for a drawn war.
        ridge: the penalty on squared weights of features scaled to unit variance, in observations.

    Arrays: won float64[games].
    """
    scale = features.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.column_stack([features / scale, np.ones(len(features))])

    penalty = np.append(np.full(features.shape[1], ridge), 0.0)
    solution = np.zeros(design.shape[1])
    for _ in range(50):  # Newton's method; a direction without information in the games does not change
        chance = special.expit(design @ solution)
        slope = design.T @ (chance - won) + penalty * solution
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.lstsq(bend, slope, rcond=1e-12)[0]
        solution -= step
        if np.abs(step).max() < 1e-9:
            break
    weights: Array = solution[:-1] / scale
    return weights, float(solution[-1])


def _score(name: str, logits: Array, won: pd.Series) -> dict[str, Any]:
    """Return the log loss (nats) of predictions on wars not fitted on, and their calibration slope."""
    observed = won.to_numpy()
    score = {"predictor": name, "wars": len(observed), "log_loss": np.mean(np.logaddexp(0, logits) - observed * logits)}
    if logits.std() > 0:
        score["calibration_slope"] = logistic_fit(logits[:, None], observed, ridge=0.0)[0][0]
    return {key: value if isinstance(value, str | int) else float(value) for key, value in score.items()}


def _pool_differences(games: pd.DataFrame, number: int, hand_values: Array) -> Array:
    """Return pool features after a round, player one's minus player two's: float [games, POOL_FEATURES]."""
    features = np.zeros((2, POOL_FEATURES))
    rows = []
    for pools in zip(games[f"pool 1 round {number}"], games[f"pool 2 round {number}"], strict=True):
        for seat in range(2):
            pool_features(int(pools[seat]), DECK_SIZE, hand_values, features[seat])
        rows.append(features[0] - features[1])
    return np.array(rows)


VALUE_MODEL = Study(
    game="tower-war",
    name="value-model",
    help="what hands, pools and pyramids are worth, fitted on simulated wars and tested on others",
    parameters={"chunks": 96, "games_per_chunk": 250},
    run_chunk=simulate_drafts,
    combine=fit_model,
)


def play_wars(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row a war: both decks as masks, and 1 if player one won, 0 if player two did, 0.5 for a draw."""
    take, build = STYLES[chunk % len(STYLES)]
    player = Player("", split=RANDOM, take=take, build=build)
    setting = setting_of(TowerWarOptions(**parameters["options"]))
    batch = play_batch_of_games((player, player), parameters["wars_per_chunk"], setting, np.random.default_rng(seed))
    won = np.where(batch.winning_seat < 0, 0.5, batch.winning_seat == 0)
    return pd.DataFrame({"one": batch.decks[:, 0], "two": batch.decks[:, 1], "won": won})


def combine_wars(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the values of cards in thousandths of P(win the war), with their intervals."""
    wars = pd.concat(list(chunks), ignore_index=True)
    won = wars["won"].to_numpy()
    ranks = rank_counts(wars["one"].to_numpy()) - rank_counts(wars["two"].to_numpy())

    def values_of(rows: NDArray[np.int64]) -> Array:
        return rank_values(logistic_fit(ranks[rows], won[rows])[0])

    mean = values_of(np.arange(len(wars)))
    error = bootstrap_errors(values_of, len(wars), int(parameters["resamples"]))
    half = normal_quantile(LEVEL) * error
    frame = pd.DataFrame({"name": RANK_NAMES, "mean": mean, "low": mean - half, "high": mean + half, "n": len(wars)})
    return StudyResult({"values": frame}, {"wars": len(wars)})


def rank_counts(decks: Array) -> Array:
    """Return how many cards of each rank are in some decks, jokers last: float [decks, 14]."""
    rank_of_card = np.where(np.arange(PACK) >= JOKER_1, 13, np.arange(PACK) % 13)
    held = (decks[:, None] >> np.arange(PACK)) & 1
    return np.asarray(held.astype(float) @ (rank_of_card[:, None] == np.arange(14)).astype(float))


def rank_values(weights: Array) -> Array:
    """Return the gain of a card of each rank over an average card, in thousandths of P(win the war), at even chances.

    Arrays: weights float64[14], log-odds of the war.
    """
    return np.asarray(1000 * (special.expit(weights - np.average(weights, weights=[4] * 13 + [2])) - 0.5))


CARD_VALUES = Study(
    game="tower-war",
    name="card-values",
    help="what cards add to a deck, fitted on simulated wars with a free term a rank",
    parameters={"chunks": 40, "wars_per_chunk": 500, "resamples": 200},
    run_chunk=play_wars,
    combine=combine_wars,
    rule_options=TowerWarOptions,
)


@dataclass(frozen=True)
class Arm:
    """Games of one kind.

    Attributes:
        players: names in `PLAYERS` or `RULES`; the share of wins is that of the first.
        games: the number of games in a chunk.
        chunks: the number of chunks.
        options: the changes of the default rules.
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
    f"count {', '.join(f'{name} {count}' for name, count in _COUNTS.items())}, others nothing. Make two piles "
    "that count as nearly the same as can be; of two piles take the one that counts more; build your deck of the cards "
    "that count most"
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
    "tens split": Player("splits by the count", split=TENS),
    "points split": Player("splits as evenly in points as can be", split=POINTS),
    "even split": PLAYERS["even"],
    "tens draft": Player("splits, takes and builds by the count", split=TENS, take=TENS, build=TENS),
    "high lead": Player("leads high, wins cheaply", play=POINTS, cap=MODEL),
    "low lead": Player("leads low, wins cheaply", play=LOW, cap=MODEL),
    "low cap": Player("builds in the lowest card", cap=POINTS),
    "card": Player("plays the whole card", split=TENS, take=TENS, build=TENS, play=POINTS),
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
    """Return the name, arm and games of every chunk, `scale` times the games of the arms."""
    scale = parameters["scale"]
    return [(name, arm, max(2, round(scale * arm.games))) for name, arm in ARMS.items() for _ in range(arm.chunks)]


def play_arm(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each game (in a paired arm, for each pair of games)."""
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
    """Return a row for each arm, with intervals."""
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
    """Return a share of wins with its interval: Wilson's, Student's for the means of pairs."""
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


STUDIES: dict[str, Study] = {study.name: study for study in (STRATEGY, CARD_VALUES, RULE_OPTIONS, VALUE_MODEL)}
