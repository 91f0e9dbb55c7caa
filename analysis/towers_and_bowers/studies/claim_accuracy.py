"""How often claims and concessions are sound in play, and how often the usual ways of claiming get it wrong.

`pimc` plays matches against itself. At every start of a trick with at least two tricks to come, both players are asked
what they could claim: the prover says how many tricks one strategy takes against every hand the other can hold
(TB-29), and whether any continuation gives a trick (TB-30). Both are exact for each position; the positions are
sampled. Positions of a match hang together, so intervals are of means a match.

Ways of claiming, each a number of tricks:

- *top trumps*: as many as the trumps held above every trump unseen;
- *boss cards*: as many as the cards held that are highest in their suit, whatever may ruff them;
- *only winners*: everything, when all cards held are such boss cards, else nothing;
- *open cards*: as many as best play takes against each hand the other can hold when both see all cards.

Ways of conceding everything: holding *no boss card*, or *no trick with open cards* against any hand. Rates are
per 1,000 positions; a way *misses* what is proved and it does not claim or concede.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.claims.answers import refutation_json
from analysis.claims.knowledge import Knowledge
from analysis.stats import Estimate, mean_interval
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.claims import known_in
from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from games.bits import popcount
from games.cards import SUITS, TRUMP_FIELD, mask_text, to_printed
from games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from games.towers_and_bowers.view import question_of
from games.tricks import field_of
from sim.towers_and_bowers import KernelPlayer
from sim.towers_and_bowers.seats import take_step
from solver.claims.belief import Belief, bits_upward
from solver.claims.refutation import layout_with, refute_on_tables
from solver.claims.two_hands import CLAIMANT, guaranteed_tricks, parts, possible_tricks
from solver.two_hands.tablebase import load_tables

OPTIONS: Final = TowersAndBowersOptions(claims="off")
CLAIMS: Final = ("top trumps", "boss cards", "only winners", "open cards")
CONCESSIONS: Final = ("no boss card", "no trick with open cards")
EXAMPLE: Final = ("hand", "sure", "pool", "trump", "refutation")  # of a position in which open cards mislead
_FEWEST_TRICKS: Final = 2  # to come: with one left there is nothing to save


# -------------------------------------------------------------------------------------------------------- the sample


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a position and player."""
    random = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for place in range(parameters["matches"]):
        named = {"match": chunk * int(parameters["matches"]) + place}
        rows += [named | judged(cards, position) for cards, position in positions_of_match(random)]
    return pd.DataFrame(rows)


def positions_of_match(random: np.random.Generator) -> Iterator[tuple[int, Knowledge]]:
    """Play a match; at every start of a trick, for both players, the size of the hand and what the player knows."""
    player = KernelPlayer("pimc", OPTIONS, believed_deal_values(OPTIONS))
    match = Match(OPTIONS)
    while match.winner is None:
        hand = match.state().hand
        if match.phase == Phase.PLAY and hand is not None and hand.led is None and hand.tricks_left >= _FEWEST_TRICKS:
            for seat in range(2):
                yield hand.n, known_in(question_of(match.view(seat), 1, False))
        take_step(match, (player, player), random)


def judged(cards: int, position: Knowledge) -> dict[str, Any]:
    """What is proved in a position and what the usual ways would claim or concede."""
    belief = position.belief
    guaranteed, possible = guaranteed_tricks(belief), possible_tricks(belief)
    fewest, most = (open_card_tricks(belief, worst) for worst in (True, False))
    bosses = boss_cards(belief)
    row = {
        "cards": cards,
        "to_come": belief.tricks,
        "leads": belief.turn == CLAIMANT,
        "guaranteed": guaranteed,
        "possible": possible,
        "top trumps": popcount(bosses & TRUMP_FIELD),
        "boss cards": popcount(bosses),
        "only winners": belief.tricks if bosses == belief.own[0] else 0,
        "open cards": fewest,
        "no boss card": bosses == 0,
        "no trick with open cards": most == 0,
        **dict.fromkeys(EXAMPLE, ""),
    }
    if fewest > guaranteed:  # the claimant has to guess: kept as an example
        row |= _example(position, fewest)
    return row


def _example(position: Knowledge, tricks: int) -> dict[str, str]:
    """A position in words, and what shows that a claim of so many tricks is unsound (keys of `towerlab claim`)."""
    belief, trump = position.belief, position.trump
    refutation = refute_on_tables(belief, tricks, load_tables())
    assert refutation is not None
    masks = dict(zip(("hand", "sure", "pool"), parts(belief), strict=False))
    words = {name: mask_text(int(to_printed(mask, trump, True)), trump, True) for name, mask in masks.items()}
    shown = refutation_json(refutation, position)
    return words | {"trump": SUITS[trump], "refutation": json.dumps(shown)}


def boss_cards(belief: Belief) -> int:
    """Cards of the claimant above every card of their field that the other may hold."""
    hand, sure, pool, *_ = parts(belief)
    unseen = sure | pool
    return sum(card for card in bits_upward(hand) if card > unseen & field_of(card, TRUMP_FIELD))


def open_card_tricks(belief: Belief, worst: bool) -> int:
    """The claimant's tricks against the worst (or best) hand the other can hold, both seeing all cards."""
    return layout_with(belief, load_tables(), worst)[1]


# --------------------------------------------------------------------------------------------------------- the tables


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``sound`` (by hand size and tricks to come), ``ways`` (false and missed), ``guesses`` (refuted)."""
    rows = pd.concat(tables, ignore_index=True)
    sound = pd.DataFrame([_sound_row(group) for _, group in rows.groupby(["cards", "to_come"])])
    ways = pd.DataFrame(
        [_way_row(way, "claim", rows[way] > 0, rows[way] > rows["guaranteed"], rows) for way in CLAIMS]
        + [_way_row(way, "concession", rows[way], rows[way] & (rows["possible"] > 0), rows) for way in CONCESSIONS]
    )
    columns = ["match", "cards", "to_come", "leads", "open cards", "guaranteed", *EXAMPLE]
    guesses = rows[rows["open cards"] > rows["guaranteed"]][columns].reset_index(drop=True)
    return StudyResult({"sound": sound, "ways": ways, "guesses": guesses}, _summary(rows, ways))


def _sound_row(rows: pd.DataFrame) -> dict[str, Any]:
    """How often something, and how often everything to come, can be claimed or must be conceded."""
    return {
        **rows[["cards", "to_come"]].iloc[0],
        "positions": len(rows),
        "some_claim": (rows["guaranteed"] > 0).mean(),
        "whole_claim": (rows["guaranteed"] == rows["to_come"]).mean(),
        "whole_concession": (rows["possible"] == 0).mean(),
        "guaranteed": rows["guaranteed"].mean(),
        "open_cards": rows["open cards"].mean(),
    }


def _way_row(way: str, kind: str, made: pd.Series[Any], wrong: pd.Series[Any], rows: pd.DataFrame) -> dict[str, Any]:
    """Of 1,000 positions: how many a way claims, claims falsely, or misses (part of what is sound)."""
    if kind == "claim":
        missed = rows["guaranteed"] > rows[way]
    else:
        missed = (rows["possible"] == 0) & ~made
    row: dict[str, Any] = {"way": way, "kind": kind, "positions": len(rows), "made": 1000 * made.mean()}
    for name, places in (("false", wrong), ("missed", missed)):
        rate = _rate(places, rows)
        row |= rate._replace(low=float(np.maximum(0.0, rate.low))).row(name)  # which may be no number
    return row


def _rate(places: pd.Series[Any], rows: pd.DataFrame) -> Estimate:
    """Per 1,000 positions, with an interval over matches.

    Matches differ in length: the interval is that of a ratio, from what each match has above the common rate. It is
    not a number where it happened never or always: that says nothing of its spread.
    """
    rate = float(places.mean())
    by_match = (places - rate).groupby(rows["match"]).sum()
    matches = len(by_match)
    spread = mean_interval(by_match)
    scale = 1000 * matches / len(rows) if 0 < rate < 1 else np.nan
    return Estimate(1000 * rate, 1000 * rate + scale * spread.low, 1000 * rate + scale * spread.high, len(rows))


def _summary(rows: pd.DataFrame, ways: pd.DataFrame) -> dict[str, Any]:
    by_way = {str(row["way"]): row for row in ways.to_dict("records")}
    whole = _rate(rows["guaranteed"] == rows["to_come"], rows)
    open_cards, bosses = by_way["open cards"], by_way["boss cards"]
    return {
        "matches": int(rows["match"].nunique()),
        "positions": len(rows),
        "some_claim_per_1000": _in_json(_rate(rows["guaranteed"] > 0, rows)),
        "whole_claim_per_1000": _in_json(whole),
        "whole_concession_per_1000": _in_json(_rate(rows["possible"] == 0, rows)),
        "ways": {way: {"false": row["false"], "missed": row["missed"]} for way, row in by_way.items()},
        "finding": (
            f"Of 1,000 positions with two or more tricks to come {whole.mean:.0f} (95 % {whole.low:.0f} to "
            f"{whole.high:.0f}) allow a sound claim of everything. Counting boss cards claims too much in "
            f"{_range(bosses, 'false')}; open cards against every hand do so in {_range(open_cards, 'false')}, "
            f"which is where a claimant would have to guess."
        ),
    }


def _in_json(rate: Estimate) -> dict[str, Any]:
    return {"mean": rate.mean, "interval": [float(np.maximum(0.0, rate.low)), rate.high]}


def _range(row: Mapping[Any, Any], name: str) -> str:
    between = f" ({row[f'{name}_low']:.1f} to {row[f'{name}_high']:.1f})" if 0 < row[name] < 1000 else ""
    return f"{row[name]:.1f}{between}"


CLAIMING: Final = Study(
    game="towers-and-bowers",
    name="claim-accuracy",
    help="How often claims and concessions are sound in pimc's play, and what the usual ways get wrong.",
    parameters={"chunks": 20, "matches": 10},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
