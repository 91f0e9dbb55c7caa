"""Files that somebody has damaged, by the thousand, of every kind the program reads: bytes and JSON values changed.

Whatever a file holds is read, or refused with one line (a `TowerlabError`) in little time; nothing else is ever raised.
"""

from __future__ import annotations

import datetime
import io
import json
import math
import random
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tests.conftest import ROOT, STRANGERS, exhaustive
from towerlab.analysis.batches import answer_file
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.claims.answers import ClaimAnswer
from towerlab.analysis.claims.asking import check_file, write_certificate
from towerlab.analysis.players import find_player
from towerlab.analysis.present.questions import read_boards
from towerlab.analysis.study.folder import _read_manifest
from towerlab.analysis.towers_and_bowers.exploitability import source_of_file
from towerlab.analysis.towers_and_bowers.stored_bidding import read_arrays
from towerlab.analysis.towers_and_bowers.upcard import BATCH
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.sim.own_players import OwnPlayer, offered_actions
from towerlab.table.commanding import of_every_game, open_recording, open_session, open_training, read_session
from towerlab.table.record import is_record, read_record
from towerlab.table.review import review_lines
from towerlab.table.showing import show_game, to_pbn
from towerlab.web.sessions import Sessions

LONGEST_SECONDS = 120.0  # of the processor: the machine may have other work, and kernels to compile
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 99, 10**18, 10**39, 0.5, -1e308, "", "x", "JS", "X1", "?", "10♥", "pass",
    "é" * 300, "human", "novice", "novice:3", *STRANGERS, "equilibrium", "towers", "deal", "play", "undo",
    "claim", [], [[]], [None], ["JS"], ["JS", "JS"], {}, {"a": 1}, {"player": 0}, [[["x"] * 3] * 3] * 3,
)  # fmt: skip
SET = "nondealer | QS | JS |  |  | "
CELLS: tuple[Any, ...] = (
    None, True, 0, -1, 10**18, 0.5, -1e308, math.nan, math.inf, "", "x", "é" * 30_000, b"JS", [], ["JS"], [[0]],
    {"a": 1}, datetime.date(2026, 1, 1), Decimal("0.5"),
)  # fmt: skip
BYTES = (b"", b"\n", b"\r", b"[" * 200, b"1" * 60, *b'\x00 \xff { } " \\ , NaN 1e999 - \\ud800'.split(b" "))


@pytest.fixture(autouse=True)
def nobody_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No player of the simulator is asked the same questions: that takes long and is tested elsewhere."""
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())


@dataclass(frozen=True)
class Kind:
    """Files of one kind: the name of one, what a whole one holds, how they are read, and how they are damaged."""

    name: str
    whole: bytes
    read: Callable[[Path], object]
    damage: Callable[[bytes, random.Random], bytes] = lambda whole, dice: damaged(whole, dice)


def damaged_table(whole: bytes, dice: random.Random) -> bytes:
    """A Parquet file with a column of another kind, too many rows, a column more or fewer; or with other bytes."""
    if dice.random() < 0.3:
        return damaged(whole, dice)
    table = parquet.read_table(io.BytesIO(whole))
    place = dice.randrange(table.num_columns)
    rows = table.num_rows
    name = table.column_names[place]
    cells = table[place].to_pylist()
    changes: tuple[Callable[[], arrow.Table], ...] = (
        lambda: table.drop_columns([name]),
        lambda: table.append_column(dice.choice((name, "hand", "x")), table[place]),
        lambda: table.rename_columns([one if one != name else "x" for one in table.column_names]),
        lambda: table.slice(0, dice.randrange(rows + 1)),
        lambda: arrow.table({name: arrow.nulls(40_000_000)}),
        lambda: arrow.concat_tables([table] * 3),
        lambda: table.replace_schema_metadata({"pandas": dice.choice(("{", "[]", "{}"))}),
        lambda: table.set_column(place, name, arrow.array([str(one).encode() + b"\xff" for one in cells])),
        lambda: table.set_column(place, name, arrow.array([b"\xff"] * rows).view(arrow.string())),
        *(lambda value=value: table.set_column(place, name, arrow.array([value] * rows)) for value in CELLS),
    )
    found = io.BytesIO()
    parquet.write_table(dice.choice(changes)(), found)
    return found.getvalue()


def damaged(whole: bytes, dice: random.Random) -> bytes:
    """One to three things wrong: bytes, a line, or a value of JSON."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        if whole.startswith(b"{\n") and dice.random() < 0.5:
            whole = changed(whole, dice)  # one value in lines, such as a certificate
            continue
        lines = whole.split(b"\n")
        at = dice.randrange(len(lines))
        match dice.randrange(8):
            case 0:
                place = dice.randrange(len(whole) + 1)
                whole = whole[:place] + dice.choice(BYTES) + whole[place + dice.randrange(4) :]
                continue
            case 1:
                whole = whole[: dice.randrange(len(whole) + 1)]
                continue
            case 2:
                lines[at : at + 1] = dice.choice(([], [lines[at]] * 2, [lines[at], dice.choice(lines)], [b""]))
            case _:
                lines[at] = changed(lines[at], dice)
        whole = b"\n".join(lines)
    return whole


def changed(line: bytes, dice: random.Random) -> bytes:
    """A line of JSON with another value, key or item somewhere; of other text another word."""
    try:
        entry = json.loads(line)
    except ValueError:
        words = line.split(b",")
        words[dice.randrange(len(words))] = str(dice.choice(VALUES)).encode()
        return b",".join(words)
    places = list(_places(entry))
    if not places:
        return json.dumps(dice.choice(VALUES)).encode()
    inside, key = dice.choice(places)
    value = dice.choice((*VALUES, inside[key]))
    if isinstance(inside[key], list) and dice.random() < 0.3:
        inside[key] = dice.choice((inside[key][:-1], inside[key][:2], inside[key] * 2, inside[key][::-1]))
    elif dice.random() < 0.15:
        del inside[key]
    elif isinstance(inside, dict) and dice.random() < 0.15:
        inside[dice.choice(("player", "table", "options", "seed", "cards", "card", "action", "x"))] = value
    else:
        inside[key] = value
    return json.dumps(entry).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = [value]
    while inside:
        one = inside.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            yield one, key
            inside.append(one[key])


# ------------------------------------------------------------------------------------------------------------- kinds


def transcripts(folder: Path) -> Iterator[Kind]:
    """Golden games, saved ones and records; what is no longer whole is also resumed, shown and listed."""

    def read(path: Path) -> None:
        Sessions(path.parent, read_session).list_latest()
        shown = of_every_game(path, show_game)
        if shown[0].game == "towie":
            of_every_game(path, to_pbn)
        try:
            session = read_session(path)
        except TowerlabError:
            return
        if seats := session.seating.humans:
            session.scene(seats[0])
            session.step()

    for path in sorted((ROOT / "tests" / "golden").glob("*.jsonl")):
        lines = path.read_bytes().splitlines(keepends=True)
        if path.stem not in ("answers", "self_play"):
            yield Kind(path.name, b"".join(lines[:70]), read)
    for game in GAMES:
        path = folder / f"saved-{game}.jsonl"
        session = open_session(game, record=path, seed=4)
        for _ in range(25):
            if not session.step() and (seat := session.waits_for) is not None:
                session.act(seat, session.prompt(seat).choices[0].action)
        yield Kind(path.name, path.read_bytes(), read)


def others(folder: Path) -> Iterator[Kind]:
    """Records, trainings, certificates, manifests, questions, deals, strategies, archives."""
    for game in GAMES:
        path = folder / f"record-{game}.jsonl"
        recording = open_recording(game, seat=0, record=path, resume=None)
        for _ in range(4):
            asked = recording.ask()
            words = [" ".join(asked.cards[: asked.many]), *asked.choices, asked.hint.removeprefix("such as "), "?"]
            for word in filter(None, words):
                try:
                    recording.answer(word)
                except TowerlabError:
                    continue
                break
        yield Kind(path.name, path.read_bytes(), lambda path: of_every_game(path, _record))
    trainer = open_training("towers", folder)
    trainer.answer(trainer.position(trainer.item).prompt(trainer.item.seat).choices[0].action)
    trainer.item  # noqa: B018  # is drawn and written
    yield Kind("towers.jsonl", (folder / "towers.jsonl").read_bytes(), _train)

    import towerlab as tl

    claim = tl.claim_bowers("JC JS AC", trump="C", lead="declarer", tricks=3)
    assert isinstance(claim, ClaimAnswer)
    write_certificate(folder / "certificate.json", claim)
    yield Kind("certificate.json", (folder / "certificate.json").read_bytes(), check_file)
    manifest = {"format": 1, "game": "towers", "parameters": {"a": [1, 2.5]}, "seed": 3, "hash": "0" * 32}
    yield Kind("manifest.json", json.dumps(manifest).encode(), _read_manifest)
    cells = (
        b"id,hand,up,seat,method,against\n1,JS,QS,dealer,pimc,\n2,AH KH,JD,nondealer,,novice\n3,9C,AS,dealer,pimc,\n"
    )
    yield Kind("questions.csv", cells, _answer)
    yield Kind(
        "deals.pbn", b'[Deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.."]\n[Contract "3NT"]\n[Declarer "N"]\n\n', read_boards
    )
    frame = pd.DataFrame(
        {"information_set": [SET, SET], "action": ["accept", "pass"], "probability": [0.25, 0.75], "cards": [1, 1]}
    )
    frame.to_parquet(folder / "strategy.parquet")
    strategy = (folder / "strategy.parquet").read_bytes()
    yield Kind("strategy.parquet", strategy, _strategy, damaged_table)
    pd.read_csv(io.BytesIO(cells), dtype=str).to_parquet(folder / "questions.parquet")
    yield Kind("questions.parquet", (folder / "questions.parquet").read_bytes(), _answer, damaged_table)
    np.savez_compressed(folder / "arrays.npz", **{"QS-hands": np.arange(9), "QS-shares": np.ones((9, 3), np.uint16)})
    yield Kind("archive.npz", (folder / "arrays.npz").read_bytes(), lambda path: read_arrays(path, "QS"))


def _answer(path: Path) -> None:
    answer_file(BATCH, path, None, {}, TowersAndBowersOptions(), quiet=True, jobs=1)


def _record(lines: list[str], game: Any) -> None:
    show_game(lines, game)
    if not is_record(lines):
        return
    recording = read_record(lines, game)
    recording.ask()
    recording.scene  # noqa: B018
    review_lines(lines, game)


def _strategy(path: Path) -> None:
    """As who plays at the table, and as whose strategy is measured."""
    player = find_player(str(path), "towers-and-bowers")
    assert isinstance(player, OwnPlayer)
    match = Match(TowersAndBowersOptions(first_n=1, starter="fixed"))
    random = np.random.default_rng(3)
    while match.to_act is None:
        match.apply(match.chance(random))
    player.seat()(match.view(match.to_act), offered_actions(match, match.to_act), random)
    source_of_file(path, 1)


def _train(path: Path) -> None:
    trainer = open_training("towers", path.parent)
    trainer.standing  # noqa: B018
    if trainer._current is not None:
        trainer.position(trainer.item).prompt(trainer.item.seat)


# ------------------------------------------------------------------------------------------------------------- tests


@pytest.mark.usefixtures("strange")
@pytest.mark.parametrize("kinds", [transcripts, others])
@pytest.mark.parametrize(("files", "seed"), [(16, 1), *(exhaustive(1_000, 100 + part) for part in range(10))])
def test_damaged_files_are_read_or_refused(
    kinds: Callable[[Path], Iterator[Kind]], files: int, seed: int, tmp_path: Path
) -> None:
    folder = tmp_path
    dice = random.Random(seed)
    found = list(kinds(tmp_path))
    refused = 0
    failures = dict[str, str]()
    for number in range(files):
        kind = found[number % len(found)]
        path = folder / "damaged" / kind.name
        path.parent.mkdir(exist_ok=True)
        content = kind.damage(kind.whole, dice)
        path.write_bytes(content)
        began = time.process_time()
        try:
            kind.read(path)
        except TowerlabError as error:
            refused += 1
            assert "\n" not in str(error).strip() or "questions" in kind.name, (kind.name, str(error))
        except Exception as error:
            kept = folder / f"failed-{number}-{kind.name}"
            kept.write_bytes(content)
            at = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(at.filename).name}:{at.lineno} {type(error).__name__}: {str(error)[:100]}"
            failures.setdefault(place, f"{kind.name} ({kept})")
        assert time.process_time() - began < LONGEST_SECONDS, kind.name
        path.unlink()
    assert not failures, "\n".join(f"{place}: {kept}" for place, kept in failures.items())
    assert refused > files / 4
