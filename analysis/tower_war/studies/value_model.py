"""The study `value-model`: values of hands, pools and pyramids, fitted on simulated wars and tested on others.

1. Games are drafted at random (random splits, picks at random or by points, decks by points or at random) and the
   wars played by `pimc`. In every other chunk the draft is advanced, with random pyramids.
2. Hands and pyramids: logistic regression of "player one won" on the difference of the two decks' mean hand features
   and of the drafted pyramids, with an intercept for player one. Weights are log-odds of the war.
3. Pools: for each round of the draft, least squares of the difference of the best final decks' values (by the weights
   of step 2) on the difference of the two pools' features after that round.
4. The last quarter of the chunks is not fitted on: the model and simpler ones are scored there.

solver/tower_war/data/tower_war.json is the `model` of the summary of `towerlab study tower-war value-model --out DIR`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from towerlab.analysis.study import Study, StudyResult
from towerlab.games.cards import mask_cards
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.battle import OUTCOMES, Array
from towerlab.games.tower_war.draft import ROUNDS
from towerlab.games.tower_war.tower import SIZE_LETTERS, STASH
from towerlab.sim.tower_war.players import MODEL, POINTS, RANDOM, Player, sum_points
from towerlab.sim.tower_war.war import play_batch_of_games, setting_of
from towerlab.solver.tower_war.decks import HAND_FEATURES, triple_index
from towerlab.solver.tower_war.model import WarModel, triple_features_table
from towerlab.solver.tower_war.pools import POOL_FEATURES, pool_features

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
    player = Player(RANDOM, take, build, MODEL, "")
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
    """The mean of `triple_features` over all hands of a deck: float64 [HAND_FEATURES]."""
    hands = [triple_index(*hand) for hand in itertools.combinations(mask_cards(deck), 3)]
    means: Array = triple_features_table()[hands].mean(axis=0, dtype=np.float64)
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
    """Weights and intercept of a logistic regression, by maximum likelihood with a weak ridge.

    Args:
        features: float [games, features].
        won: 1, 0, or 0.5 for a drawn war.
        ridge: penalty on squared weights of features scaled to unit variance, in observations.

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
    """Pool features after a round, player one's minus player two's: float [games, POOL_FEATURES]."""
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
