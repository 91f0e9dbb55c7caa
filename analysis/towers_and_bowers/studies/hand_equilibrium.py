"""How are hands solved, and players measured? The studies `hand-equilibrium`, `exploitability` and `deal-outcomes`.

`hand-equilibrium` solves the whole hand of 1 to 4 cards with hidden hands; a chunk is an up-card and a start. Every
call has at least a small probability with any hand (Selten's trembles). So every decision is reached and learnt, and
one solution answers after any calls. The solution ships as it was learnt, and is measured so; advice leaves out calls
that lose against it (`solver.towers_and_bowers.bidding`). With ``starts=3`` every up-card is solved again from random
regrets, and from a non-dealer who accepts every hand: the differences between the values then ship with each kind of
decision.

The study writes, for N cards:

- ``exact-bidding-N``: the solution in the form of `analysis.towers_and_bowers.stored_bidding`;
- ``exact-values-N``: the values with and without floors, and the exploitability of both;
- ``exact-strategy-N``, for one and two cards: the whole strategy, play included, which others can check;
- ``exact-play-N.npy``, with ``play=true``: the play of every up-card as one array in single precision, which players
  use.

Four cards take 14 GB and hours, in two threads; their play is not kept.

`exploitability` measures what `towerlab exploit` answers of many players; a chunk is a player with one rank of the
up-card. Three cards (``--set sizes=3``) take minutes and, a chunk, 4 GB. `equilibrium` needs the play that
``towerlab study towers-and-bowers hand-equilibrium --set cards=3 --set play=true`` leaves.

`deal-outcomes` counts all deals of 1 to 7 cards by what each contract yields, the data behind W(n): it makes
``data/deal_outcomes.csv``, which `analysis.towers_and_bowers.deal_value` reads.

    towerlab study towers-and-bowers hand-equilibrium --set cards=2 --out folder
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.study.workers import map_in_threads
from towerlab.analysis.towers_and_bowers.deal_value import next_deal_of
from towerlab.analysis.towers_and_bowers.exploitability import (
    MEASURED_PLAYERS,
    combine_ranks,
    measure_rank,
    source_of_player,
)
from towerlab.analysis.towers_and_bowers.shipped import stamp_study_files
from towerlab.analysis.towers_and_bowers.stored_bidding import (
    DECISION_NAMES,
    SHARE_UNIT,
    WHOLE_HAND,
    class_rows,
    contract_table_rows,
    join_values,
    pack_archive,
    shipped_files,
)
from towerlab.analysis.towers_and_bowers.whole_strategies import NOT_KEPT, PLAY_STEM, games_of, play_shape
from towerlab.games.cards import RANKS, card_text
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import (
    FINE,
    UpCardClasses,
    make_deals,
    pack,
    remove_floor,
    unpack,
    up_card_classes,
    value_columns,
)
from towerlab.solver.towers_and_bowers.layout_counts import count_classes
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, HandSolver, Schedule, Strategy, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    DEALER,
    LARGEST_PLAYED,
    LARGEST_SOLVED,
    NONDEALER,
    UP_SUIT,
)
from towerlab.solver.towers_and_bowers.whole_hand.iteration import ACCEPT_COLUMN, FIRST_CALL
from towerlab.solver.towers_and_bowers.whole_hand.solve import (
    PlayPasses,
    contract_outcomes,
    gains_inside,
    measure_plays,
    values_of_calls,
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import (
    as_strategy,
    bidding_by_class,
    numbers_of,
    probabilities,
)

LARGEST_EXPORTED: Final = 2  # hand size whose whole strategy is written
TARGETS: Final = {1: 1e-8, 2: 1e-6, 3: 1e-5, 4: 1e-4}  # exploitability to reach in the game with floors
STEPS: Final = {1: 50, 2: 500, 3: 240, 4: 20}  # iterations before the first measurement and between two
MOST_STEPS: Final = {1: 1_000, 2: 5_000, 3: 240, 4: 20}
SCHEDULES: Final = Schedule(average_every=3), Schedule(alpha=2.0, beta=0.0, average_every=2)  # up to three cards, four
AVERAGES_FROM: Final = 8  # of four cards
FLOOR: Final = 1 / 3000
FIRST_REGRETS: Final = 50.0  # at most, of another start: those of some iterations
SPREAD_DIGITS: Final = 5  # a thousandth of a percentage point
PARAMETERS: Final = {
    "cards": 2,
    "next_deal": None,
    "target": None,
    "every": None,
    "most": None,
    "floor": FLOOR,
    "starts": 1,
    "play": False,
}
SECONDS_OF_SILENCE: Final = 20.0


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """Return the number of chunks, one for each up-card and start.

    Raises:
        TowerlabError: a hand size that is not solved whole, or whose play is too large to be kept; other starts.
    """
    cards = int(parameters["cards"])
    if not 1 <= cards <= LARGEST_SOLVED:
        raise TowerlabError(f"cards={cards} is not solved whole; expected 1 to {LARGEST_SOLVED}")
    if parameters["play"] and cards > LARGEST_PLAYED:
        raise TowerlabError(NOT_KEPT.format(cards=cards))
    if int(parameters["starts"]) not in (1, 2, 3):
        raise TowerlabError(f"starts={parameters['starts']} is unknown; expected 1, 2 or 3")
    return len(UP_RANKS) * int(parameters["starts"])


def solve_chunk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    """Solve one up-card and measure it exactly, as it was learnt and as it ships; the seed is of random regrets."""
    start, place = divmod(chunk, len(UP_RANKS))
    rank = UP_RANKS[place]
    solver = solve_up_card(rank, parameters, checkpoint, start, seed)
    if parameters["play"] and not start:
        game = solver.game
        shared = checkpoint.shared_array(f"{PLAY_STEM}{game.cards}", play_shape(games_of(game.cards)))
        shared[place, : game.play_size] = solver.strategy().play
        shared.flush()
    return solved_up_card(solver, rank, next_deal_of(parameters), float(parameters["floor"])).assign(start=start)


def solve_up_card(
    rank: int, parameters: Mapping[str, Any], checkpoint: Checkpoint, start: int, seed: np.random.SeedSequence
) -> HandSolver:
    """Iterate until the game with floors is as hard to exploit as asked for, or the most iterations are done.

    Args:
        rank: the rank of the up-card.
        parameters: the parameters of the study.
        checkpoint: where the solver's state is kept.
        start: 0 begins with no regrets, 1 with random ones, 2 with those of a non-dealer who accepts every hand.
        seed: the seed of random regrets.
    """
    cards = int(parameters["cards"])
    every = int(parameters["every"] or STEPS[cards])
    target = float(parameters["target"] or TARGETS[cards])
    most = int(parameters["most"] or MOST_STEPS[cards])
    game = hand_game(cards, rank, next_deal_of(parameters), mirror=True)
    schedule = replace(
        SCHEDULES[cards > 3],
        averages_from=AVERAGES_FROM if cards > 3 else every // 2 + 1,
        floor=float(parameters["floor"]),
    )
    solver = HandSolver(game, schedule, both=_in_threads if cards > 3 else map)
    size = (sum(array.nbytes for array in solver.play) + game.node_starts.nbytes) / 1e9
    part = f"{cards} cards, {RANKS[rank]} turned up"
    checkpoint.note(f"{part}: {game.play_size:,} entries, {size:.1f} GB")
    state = checkpoint.latest()
    if state is not None:
        solver.restore(state[1])
    elif start == 1:
        random = np.random.default_rng(seed)
        for regrets in (solver.bidding.regrets, solver.play.regrets):
            regrets[:] = FIRST_REGRETS * random.random(regrets.shape)
    elif start == 2:
        solver.bidding.regrets[FIRST_CALL, :, ACCEPT_COLUMN] = FIRST_REGRETS
    while solver.iterations < most:
        began = time.monotonic()
        solver.run(1)
        seconds = time.monotonic() - began
        if seconds > SECONDS_OF_SILENCE:
            hours = (most - solver.iterations) * seconds / 3600
            done = f"{solver.iterations} iterations, {seconds:.0f} s each"
            checkpoint.note(f"{part}: {done}, at most {hours:.1f} hours left")
        if solver.iterations % every == 0:
            gain = sum(solver.measure(floor=schedule.floor)[1:])
            checkpoint.note(f"{part}: {solver.iterations} iterations, exploitability {gain:.2e}")
            if gain <= target:
                break
        checkpoint.offer(solver.iterations, solver.state())  # before it is left, so that who goes on does the same
    return solver


def _in_threads(function: Callable[[int], None], bidders: Iterable[int]) -> list[None]:
    return list(map_in_threads(function, list(bidders), 2))


# ------------------------------------------------------------------------------------------------------- what ships


def solved_up_card(solver: HandSolver, rank: int, next_deal: float, floor: float) -> pd.DataFrame:
    """Return a table of two kinds of rows: the classes, and the entries of the whole strategy."""
    up = 13 * UP_SUIT + rank
    game = solver.game
    passes = PlayPasses(game, solver.play, solver.both, np.float64)
    deals, learnt = bidding_by_class(game, rank, Strategy(solver.bids(), np.zeros(0)))
    packed = pack(remove_floor(learnt, floor), FINE)
    ships = [
        as_strategy(game, rank, deals, unpack(packed, game.cards, FINE), np.zeros(0), least) for least in (0.0, floor)
    ]
    strategy = ships[0]
    bidding = ships[1].bidding
    numbers = numbers_of(game, rank)
    hands = np.array([numbers[int(hand)] for hand in deals.classes])
    plays, floored_plays = ([passes.best_plays(of.bidding, seat) for seat in (NONDEALER, DEALER)] for of in ships)
    values = values_of_calls(game, bidding, hands, *(of[hands] for of in floored_plays))
    floored = measure_plays(game, floored_plays, floor)._asdict()
    measures = (
        measure_plays(game, plays)._asdict()
        | {f"floored_{name}": value for name, value in floored.items()}
        | gains_inside(game, bidding, floored_plays)
        | {"next_deal": next_deal, "floor": floor, SHARE_UNIT: FINE}
    )
    table = contract_outcomes(passes, bidding, floored_plays)
    values_once_reached = join_values(game.cards, values, contract_table_rows(game.cards, table.values, hands))
    tricks = contract_table_rows(game.cards, table.tricks, hands)
    classes = class_rows(game.cards, up, deals.classes, packed, measures, values_once_reached, tricks).assign(
        kind="class", iterations=solver.iterations
    )
    parts = [classes]
    if game.cards <= LARGEST_EXPORTED:
        parts.append(_strategy_rows(game, rank, Strategy(strategy.bidding, solver.strategy().play)))
    return pd.concat(parts, ignore_index=True).assign(up=up)


def _strategy_rows(game: HandGame, rank: int, strategy: Strategy) -> pd.DataFrame:
    rows = [
        ("bidding" if known.is_bidding else "play", entry, share)
        for known, shares in probabilities(game, rank, strategy)
        for entry, share in zip(known.entries, shares, strict=True)
        if share > 0
    ]
    return pd.DataFrame(rows, columns=["part", "entry", "probability"]).assign(kind="strategy")


def combine_chunks(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the files that ship."""
    cards = int(parameters["cards"])
    frame = pd.concat(frames, ignore_index=True)
    kinds = dict(list(frame[frame["start"] == 0].groupby("kind")))
    shipped = kinds["class"]
    others = frame[(frame["start"] > 0) & (frame["kind"] == "class")]
    if len(others):
        shipped = pd.concat(
            [part.assign(**spreads(cards, part, others[others["up"] == up])) for up, part in shipped.groupby("up")]
        )
    classes, by_up = shipped_files(cards, shipped)
    stems = [f"exact-bidding-{cards}", *([f"{PLAY_STEM}{cards}"] if parameters["play"] else [])]
    files = {f"exact-bidding-{cards}.npz": classes} | stamp_study_files(*stems)
    values = _values(by_up)
    tables_by_name = {
        f"exact-bidding-{cards}-up-cards": by_up,
        f"exact-values-{cards}": values,
    }
    if "strategy" in kinds:
        files[f"exact-strategy-{cards}.npz"] = pack_archive(
            {
                f"{card_text(int(str(up)))}-{part}-{column}": entries[column].to_numpy().astype(kind)
                for (up, part), entries in kinds["strategy"].groupby(["up", "part"])
                for column, kind in (("entry", np.int32), ("probability", np.float32))
            }
        )
    last = values.iloc[-1]
    done = kinds["class"].groupby("up")["iterations"].first()
    summary = {
        "cards": cards,
        "classes": len(kinds["class"]),
        "next_deal": float(by_up["next_deal"].iloc[0]) if cards > 1 else None,
        "dealer": float(last.dealer),
        "exploitability": float(last.exploitability),
        "exploitability_of": WHOLE_HAND,
        "floored_dealer": float(last.floored_dealer),
        "floored_exploitability": float(last.floored_exploitability),
        "iterations": {card_text(int(str(up))): int(number) for up, number in done.items()},
    }
    return StudyResult(tables_by_name, summary, files)


def spreads(cards: int, classes: pd.DataFrame, others: pd.DataFrame) -> dict[str, float]:
    """Return how far a solution's values of hands are from those of other solutions, by kind of decision.

    Args:
        cards: n.
        classes: the table of the solution for one up-card.
        others: the tables of solutions from other starts, which ``start`` tells apart.

    Returns:
        The mean (``…_spread``) and the 95 % quantile (``…_spread_most``) over all hands, P(win the tower); the
        largest of all other solutions.
    """
    weights = make_deals(cards, int(classes["up"].iloc[0])).weights
    spreads: dict[str, float] = {}
    for _, other in others.groupby("start"):
        names = value_columns(cards)
        for name, size in zip(DECISION_NAMES, (2, 4, cards, 2, cards, 3), strict=True):
            calls, names = [f"value_{call}" for call in names[:size]], names[size:]
            apart = np.abs(classes[calls].max(axis=1).to_numpy() - other[calls].max(axis=1).to_numpy())
            order = np.argsort(apart)
            above = np.searchsorted(np.cumsum(weights[order]), 0.95 * weights.sum())
            for end, value in ("", np.average(apart, weights=weights)), ("_most", apart[order][above]):
                key = f"{name}_spread{end}"
                spreads[key] = max(spreads.get(key, 0.0), round(float(value), SPREAD_DIGITS))
    return spreads


def _values(by_up: pd.DataFrame) -> pd.DataFrame:
    """Return the dealer's value by up-card and over all of them, which are equally likely.

    In the game without floors, where what ships is followed, and in the one with floors that was solved.
    """
    differences = pd.DataFrame({"cards": by_up.cards, "up": by_up.up.str[:-1]})
    for kind in ("", "floored_"):
        differences[f"{kind}dealer"] = 1 - by_up[f"{kind}nondealer"]
        differences[f"{kind}exploitability"] = (by_up[f"{kind}nondealer_gain"] + by_up[f"{kind}dealer_gain"]).clip(
            lower=0.0
        )
    every = {"cards": differences.cards.iloc[0], "up": "all"} | differences.drop(
        columns=["cards", "up"]
    ).mean().to_dict()
    return pd.concat([differences, pd.DataFrame([every])], ignore_index=True)


HAND_EQUILIBRIUM: Final = Study(
    game="towers-and-bowers",
    name="hand-equilibrium",
    help="Solve the whole hand of 1 to 4 cards with hidden hands, bidding, discard and play; how exploitable it is.",
    parameters=PARAMETERS,
    count_chunks=count_chunks,
    run_chunk=solve_chunk,
    combine=combine_chunks,
    keeps_checkpoints=True,
)


def _parts_of_strategies(parameters: Mapping[str, Any]) -> list[tuple[int, str, int]]:
    """Return (cards, player, rank of the up-card)."""
    return [*itertools.product(map(int, parameters["sizes"]), parameters["players"], UP_RANKS)]


def _count_parts(parameters: Mapping[str, Any]) -> int:
    """Return as many as `_parts_of_strategies`.

    Raises:
        TowerlabError: no such player or hand size.
    """
    for cards, player in itertools.product(parameters["sizes"], parameters["players"]):
        source_of_player(player, int(cards))
    return len(_parts_of_strategies(parameters))


def _measure_player(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Nothing is drawn."""
    cards, player, rank = _parts_of_strategies(parameters)[chunk]
    source = source_of_player(player, cards)
    return pd.DataFrame(measure_rank(source, rank)).assign(cards=cards, player=player, method=source.method)


def _combine_players(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the tables ``players``, loss in mt; ``worsts``, the fields of `WorstDecision`."""
    measured = pd.concat(list(frames), ignore_index=True)
    answers = [
        combine_ranks(str(player), int(str(cards)), str(rows["method"].iloc[0]), rows)
        for (cards, player), rows in measured.groupby(["cards", "player"], sort=False)
    ]
    keyed = [({"cards": answer.cards, "player": answer.player}, answer) for answer in answers]
    made = {
        "players": pd.DataFrame([
            {**key, **answer.parts, **answer.loss, "information_sets": answer.information_sets} for key, answer in keyed
        ]),
        "worsts": pd.DataFrame([
            {**key, **vars(worst), "does": json.dumps(worst.does)} for key, answer in keyed for worst in answer.worst
        ]),
    }  # fmt: skip
    lost = {f"{answer.player}, n = {answer.cards}": sum(answer.loss.values()) for answer in answers}
    return StudyResult(made, {"lost_mt": lost})


EXPLOITABILITY: Final = Study(
    game="towers-and-bowers",
    name="exploitability",
    help="What a best response takes from players in hands of one to three cards, exactly.",
    parameters={"players": list(MEASURED_PLAYERS), "sizes": [1, 2]},
    count_chunks=_count_parts,
    run_chunk=_measure_player,
    combine=_combine_players,
    players=("players",),
)


COLUMNS: Final = ("cards", "discard_up_card", "accepted", "most", "fewest", "deals")
_CLASSES_A_CHUNK: Final = 8_000


def _count_deals(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Count the deals of one chunk of classes (nothing is sampled: the seed is not used)."""
    cards, first = _parts_of_deals(parameters)[chunk]
    classes = up_card_classes(cards)
    part = UpCardClasses(*(column[first : first + _CLASSES_A_CHUNK] for column in classes))
    rows = [
        (cards, int(allowed), *map(int, place), int(counts[tuple(place)]))
        for allowed in (False, True)
        for counts in [count_classes(part, TowersAndBowersOptions(allow_discard_upcard=allowed).hand_rules)]
        for place in np.argwhere(counts)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _add_deals(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Add the chunks up: table ``deal_outcomes`` is the data file."""
    added = pd.concat(frames).groupby(list(COLUMNS[:-1]), as_index=False).sum()
    totals = added[added.discard_up_card == 0].groupby("cards").deals.sum()
    return StudyResult({"deal_outcomes": added}, {"deals": {str(cards): int(n) for cards, n in totals.items()}})


def _parts_of_deals(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return (hand size, first class) of every chunk."""
    sizes = range(1, int(parameters["most_cards"]) + 1)
    return [(n, first) for n in sizes for first in range(0, len(up_card_classes(n).ups), _CLASSES_A_CHUNK)]


DEAL_OUTCOMES: Final = Study(
    game="towers-and-bowers",
    name="deal-outcomes",
    help="Count all deals of 1..7 cards by what each contract yields: the data file behind W(n).",
    parameters={"most_cards": 7},
    count_chunks=lambda parameters: len(_parts_of_deals(parameters)),
    run_chunk=_count_deals,
    combine=_add_deals,
)
