"""A study of what each rule option changes: the same games under the usual rules and with one option changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats import LEVEL, normal_quantile, share_interval
from analysis.study import Study, StudyResult
from games.arrays import Floats
from games.options import changed_options, parse_options

Play = Callable[[Any, np.random.SeedSequence, int], tuple[Floats, Any]]
"""(options, seed, games) → what is compared, float64[games], and the whole outcome of each game, an array [games, k].

A game must depend on the seed and its own number alone, so that it is the same where an option never came up.
"""
CHUNKS: Final = 4  # for each option


def changed_games(
    usual: Any, changes: Mapping[str, str], play: Play, chunk: int, seed: np.random.SeedSequence, games: int
) -> pd.DataFrame:
    """One row: moments of the difference that one option makes in some games; none where it is in force already.

    Args:
        usual: the options that stay.
        changes: ``"name=value"`` → in words.
        play: plays games.
        chunk: `CHUNKS` for each change, in order.
        seed: of the games.
        games: of all chunks of a change together.
    """
    change = list(changes)[chunk // CHUNKS]
    changed = type(usual)(**{**vars(usual), **changed_options(parse_options(type(usual), [change]))})
    columns = ["option", "rule", "games", "before", "added", "squares", "changed"]
    if changed == usual:
        return pd.DataFrame([], columns=columns)
    entropy = seed.entropy, seed.spawn_key
    (before, outcome), (after, other) = (
        play(options, np.random.SeedSequence(entropy[0], spawn_key=entropy[1]), games // CHUNKS)
        for options in (usual, changed)
    )
    added = after - before
    differs = (np.asarray(outcome) != np.asarray(other)).any(axis=1).sum()
    row = change, changes[change], len(added), before.sum(), added.sum(), (added**2).sum(), differs
    return pd.DataFrame([row], columns=columns)


def combine_changes(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``changes``: option, rule (in words), usual, change (low, high), n, changed (share of games), came_up."""
    sums = pd.concat([chunk for chunk in chunks if len(chunk)]).groupby(["option", "rule"], sort=False).sum()
    n = sums["games"]
    mean = sums["added"] / n
    half = normal_quantile(LEVEL) * np.sqrt((sums["squares"] / n - mean**2).clip(lower=0).astype(float) / (n - 1))
    table = sums.assign(usual=sums["before"] / n, change=mean, low=mean - half, high=mean + half, n=n)
    shares = [share_interval(int(some), int(all_)) for some, all_ in zip(sums["changed"], n, strict=True)]
    table = table.assign(came_up=[share.mean for share in shares], most=[share.high for share in shares]).reset_index()
    kept = ["option", "rule", "usual", "change", "low", "high", "came_up", "most", "n"]
    return StudyResult({"changes": table[kept]}, {"games": int(n.min())})


def rule_options_study(game: str, options: type[Any], changes: Mapping[str, str], **how: Any) -> Study:
    """The study `rule-options` of a game; `how` has at least ``run_chunk`` and ``parameters`` with ``games``."""
    return Study(
        game=game,
        name="rule-options",
        help="what each rule option changes, the same games between novices with and without it",
        count_chunks=lambda parameters: CHUNKS * len(changes),
        combine=combine_changes,
        rule_options=options,
        **how,
    )
