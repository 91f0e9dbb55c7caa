"""Decisions: what is best, as good, worse or open, in one sentence; costs whose intervals survive the choice."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.conftest import ROOT
from towerlab.analysis.decision import SCALES, Alternative, Decision, Verdict, exact_costs, name_together, paired_costs
from towerlab.analysis.stats import LEVEL, Estimate, wilson

POINTS = SCALES["bowers"]


def decision(*costs: tuple[float, float, float], drawn: int = 24) -> Decision[Alternative]:
    named = zip(("play 7♠", "play 8♠", "play 9♠", "play 10♠"), costs, strict=False)
    return Decision(tuple(Alternative(text, -cost[0], Estimate(*cost, 24)) for text, cost in named), POINTS, "", drawn)


def naive_costs(samples: list[list[float]]) -> list[tuple[float, float, float]]:
    """As `paired_costs`, pair by pair as Edwards and Hsu say it."""
    n, k = len(samples), len(samples[0])
    level = 1 - (1 - LEVEL) / (k - 1)
    t = float(stats.t.ppf((1 + level) / 2, n - 1))
    span = max(map(max, samples)) - min(map(min, samples))

    def difference(j: int, i: int) -> tuple[float, float]:
        gaps = [row[j] - row[i] for row in samples]
        mean = sum(gaps) / n
        variance = sum((gap - mean) ** 2 for gap in gaps) / (n - 1)
        half = t * math.sqrt(variance / n) if variance > 1e-12 else wilson(0, n, level)[1] * span
        return mean - half, mean + half

    others = {j: [i for i in range(k) if i != j] for j in range(k)}
    may_be_best = [j for j in range(k) if all(difference(j, i)[1] >= 0 for i in others[j])]
    means = [sum(row[i] for row in samples) / n for i in range(k)]
    costs = []
    for i in range(k):
        ends = [(0.0, 0.0) if i == j else tuple(max(0.0, end) for end in difference(j, i)) for j in may_be_best]
        costs.append((max(means) - means[i], min(low for low, _ in ends), max(high for _, high in ends)))
    return costs


@pytest.mark.parametrize(("n", "k", "seed"), [(12, 2, 1), (30, 5, 2), (50, 9, 3), (2, 3, 4)])
def test_costs_are_those_of_the_naive_comparisons_with_the_best(n: int, k: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    samples = random.normal(size=(n, 1)) + random.normal(np.linspace(0, 2, k), size=(n, k))
    samples[:, 1] = samples[:, 0]  # never differ
    for cost, expected in zip(paired_costs(samples), naive_costs(samples.tolist()), strict=True):
        assert cost[:3] == pytest.approx(expected) and cost.n == n
        assert 0 <= cost.low <= cost.mean <= cost.high


def test_intervals_of_all_alternatives_hold_at_once_though_the_best_is_chosen_from_the_same_numbers() -> None:
    """Of 600 decisions with 2 to 20 alternatives, some tied: in 95 of 100 no interval misses its true cost."""
    random = np.random.default_rng(7)
    missed = marked = 0
    for number in range(600):
        k = 2 + number % 19
        true = np.where(random.random(k) < 0.5, 0.0, -random.random(k))
        true[random.integers(k)] = 0.0
        samples = true + random.normal(size=(60, 1)) + random.standard_t(5, size=(60, k))
        costs = paired_costs(samples)
        missed += any(not cost.low <= -mean <= cost.high for cost, mean in zip(costs, true, strict=True))
        marked += any(cost.low > 0 for cost, mean in zip(costs, true, strict=True) if mean == 0)
    assert missed <= 30 and marked <= 18


def test_little_that_was_looked_at_decides_nothing() -> None:
    assert [cost.ends for cost in paired_costs([[1.0, 2.0]])] == [(0.0, math.inf)] * 2
    few, many = (paired_costs([[10.0, 10.0, 0.0]] * n) for n in (6, 2000))
    assert Decision(_named(few), POINTS, "", 6).is_open and not Decision(_named(many), POINTS, "", 2000).is_open
    assert [cost.ends for cost in exact_costs([3.0, 1.0, 3.0 - 1e-12])] == [(0, 0), (2, 2), (0, 0)]


def _named(costs: tuple[Estimate, ...]) -> tuple[Alternative, ...]:
    return tuple(Alternative(f"play {place}♠", -cost.mean, cost) for place, cost in enumerate(costs))


def test_every_verdict_has_one_sentence() -> None:
    sure = decision((0, 0, 0), (0.1, 0, 0.2), (0.9, -0.5, 2.5), (1.4, 0.3, 3.9))
    assert [sure.verdict(item) for item in sure.alternatives] == ["best", "as good", "open", "worse"]
    assert sure.sentence == ("Best: play 7♠. As good, within 0.25 points: play 8♠. May be as good: play 9♠.")
    labels = [sure.label(item) for item in sure.alternatives]
    assert labels == ["best", "as good", "open", "mistake"] and sure.rows[3]["verdict"] == "worse"
    unsure = decision((0, 0, 0.4), (0.1, 0, 0.9), (3.0, 1.0, 5.0))
    assert unsure.is_open and unsure.can_draw_more
    assert unsure.sentence == "7♠ is ahead by a hair; too close to call between 7♠ and 8♠."
    assert [unsure.word(item) for item in unsure.alternatives] == ["ahead", "too close", "blunder"]
    far = decision((0, 0, 2.0), (0, 0, 2.0), (1.5, 0, 4.0), (1.6, 0, 4.0))
    assert far.sentence == "7♠ or 8♠ is ahead; too close to call between them, 9♠ and 10♠."
    assert decision((0, 0, 0), (1, 1, 1)).sentence == "Best: play 7♠." and decision((0, 0, 0)).sentence == ""
    assert decision((0, 0, 0), (0, 0, 0), (2, 2, 2)).sentence == "Best: play 7♠ or 8♠."
    model = decision((0, 0, 1.0), (0.5, 0, 1.5), drawn=0)
    assert model.open_words == "Open within the model's error" and not model.can_draw_more


@pytest.mark.parametrize("game", SCALES)
def test_names_of_costs_begin_where_a_cost_is_surely_one(game: str) -> None:
    scale = SCALES[game]
    marks = [*scale.marks.items()]
    assert [name for name, _ in marks] == ["slip", "mistake", "blunder"]
    assert all(lower < higher for (_, lower), (_, higher) in itertools.pairwise(marks))
    for cost in np.linspace(0, 3 * scale.blunder, 50):
        exact, unsure = (Estimate(cost, low, 2 * cost, 9) for low in (cost, 0.0))
        named = [name for name, least in marks if cost > least or (name != "slip" and cost == least)]
        assert scale.mark(exact._replace(high=cost)) == (named[-1] if named else "") and scale.mark(unsure) == ""
        assert (scale.verdict(exact) == Verdict.WORSE) == bool(scale.mark(exact))
    assert scale.share(0) == 0 and scale.share(scale.blunder) == 0.5 and scale.share(9 * scale.blunder) == 1


def test_costs_are_written_in_the_games_own_unit() -> None:
    chance = SCALES["towers-and-bowers"]
    assert chance.cost_words(21.4) == "−2.14 percentage points" and chance.cost_words(0.04) == "best"
    assert chance.interval_words(Estimate(10, -5, 25, 9)) == "−2.50 to +0.50"
    assert POINTS.words(0.2) == "0.20 points" and POINTS.interval_words(Estimate(1, 1, 1, 1)) == ""
    assert name_together([f"{n} on 2" for n in range(9)], 5) == (
        "0 on 2, 1 on 2, 2 on 2, 3 on 2, 4 on 2 or any of 4 others"
    )


VERDICTS = re.compile(
    r"\b(slips?|mistakes?|blunders?|as good|better by|worse|equally good|indifferent|open after|close call|too close|"
    r"either call|any of these|not proved|gave it away|within the error)\b",
    re.IGNORECASE,
)
PRINTED = {  # templates that print a verdict
    "web/templates/puzzles.html.j2": {"mistake"},
    "table/templates/decided.txt": {"slip"},
    "table/templates/graded.txt": {"as good", "too close", "worse"},
    "table/templates/method.txt": {"slip", "mistake", "blunder"},
    "table/towers_and_bowers/templates/method.txt": {"slip", "mistake", "blunder", "indifferent"},
    "web/templates/style.css": {"as good", "slip", "mistake", "blunder"},
    "web/templates/table.html.j2": {"too close"},
}
COUNTED = {  # columns and sentences that count what has a mark
    "table/commanding.py": {"mistakes"},
    "table/grading.py": {"mistake"},
    "table/present.py": {"mistakes"},
    "table/review.py": {"mistakes"},
    "table/templates/counted.txt": {"slip", "mistake", "blunder", "too close"},
    "table/towers_and_bowers/review.py": {"blunders", "indifferent"},
    "web/templates/review.html.j2": {"mistakes"},
    "web/templates/train.html.j2": {"mistakes"},
}
OTHERWISE = {  # no verdict on a decision: reasons by layouts, players, accusations, words that prose may not hold
    "analysis/moves/answers.py": {"as good", "worse"},
    "analysis/report/prose.py": {"worse"},
    "analysis/towers/report.py": {"as good"},
    "analysis/towers_and_bowers/present.py": {"worse"},
    "analysis/towers_and_bowers/answers.py": {"indifferent"},
    "analysis/towers_and_bowers/report/templates/explorer.js": {"worse"},
    "table/record.py": {"not proved"},
    "table/templates/standing.txt": {"worse"},
    "table/towers_and_bowers/grading.py": {"not proved"},
}


def texts_of(path: Path) -> Iterator[str]:
    """The texts of a source that people may read: literals of Python that are no docstrings, a template whole."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield source
        return
    tree = ast.parse(source)
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            yield node.value


def test_words_and_thresholds_of_verdicts_are_those_of_one_module() -> None:
    spoken = {}
    thresholds = []
    for folder in ("games", "solver", "sim", "analysis", "table", "commands", "web"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".py", ".txt", ".j2", ".js", ".css"):
                continue
            name = str(path.relative_to(ROOT))
            source = path.read_text(encoding="utf-8")
            words = {word.lower() for text in texts_of(path) for word in VERDICTS.findall(text)}
            if words:
                spoken[name] = words
            named = re.findall(
                r"^_?(?:TOO_)?(?:CLOSE|INDIFFERENT|SLIP|MISTAKE|BLUNDER)\b.*=|\bScale\(", source, re.MULTILINE
            )
            thresholds += [name] * bool(named and folder in ("analysis", "table", "commands", "web"))
    own = spoken.pop("analysis/decision.py")
    assert own == {"as good", "worse", "slip", "mistake", "blunder", "open after", "too close"}
    assert spoken == PRINTED | COUNTED | OTHERWISE
    assert thresholds == ["analysis/decision.py"]
