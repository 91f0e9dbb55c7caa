"""What every contract is worth, and hands of one, two and three cards wherever best play has left its path.

The files are those of the study `hand-departures`: ``departures-N.npz`` with three arrays an up-card, a column a class
in the order of ``exact-bidding-N.npz``:

    shares   uint16, what `analysis.towers_and_bowers.solutions.bidding` stores of calls and discards, for those that
             best play never comes to; zeros elsewhere
    worth    float32, `worth_columns`: P(win the tower) in every contract, once it is reached, and of every pass
    tricks   uint16, how likely the hand takes 1 to n tricks in each of `contract_rows`, in 65,535ths

and ``departures-N-up-cards.csv`` with a checksum and the exploitability of each game after a departure. Of four cards
only the game after the non-dealer has accepted is solved; the other gains are those of best replies in each part of the
solution, given that play comes there. To be short ``worth`` is in steps (`solutions.bidding.stored_chances`), without
what ``exact-bidding-4`` has, and ``tricks`` uint8 in 255ths.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    FEWEST_STEPPED,
    UP_CARDS,
    WHOLE_HAND,
    StoredBidding,
    archive,
    as_chances,
    checksum,
    data_file,
    load_bidding,
    read_arrays,
    stored_chances,
    up_card_rows,
)
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import card_text, parse_card, rank_of
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding.packed import Shares, columns, value_columns

if TYPE_CHECKING:
    import pandas as pd

GAINS: Final = ("accepted_gain", "passed_gain", "passed_twice_gain", "passed_thrice_gain", "named_gain")
_ONE: Final = 65_535
_OF_BYTE: Final = 257  # 65,535 / 255
_SUITS: Final = "CDH"
_DISCARD: Final = "discard_"


@functools.cache
def contract_rows(cards: int) -> dict[str, tuple[int, int, int]]:
    """Every contract as a seat meets it: (seat, contract 0..7, place of the dealer's discard).

    ``name_C`` and ``met_C`` are named by the non-dealer, as told by that player and by the dealer; ``named_C`` and
    ``left_C`` by the dealer.
    """
    rows = {"accept": (0, 0, 0), "answered": (0, 1, 0)}
    for seat, stems in ((0, ("name", "named")), (1, ("met", "left"))):
        rows |= {
            f"{stem}_{suit}": (seat, first + place, 0)
            for first, stem in zip((2, 5), stems, strict=True)
            for place, suit in enumerate(_SUITS)
        }
    for contract, stem in enumerate(("discard", "own_discard")):
        rows |= {f"{stem}_{place + 1}": (1, contract, place) for place in range(cards)}
    return rows


def worth_columns(cards: int) -> list[str]:
    """Contracts, then passes and the dealer's answer."""
    return [*contract_rows(cards), "pass", "name_pass", "answer", "answer_pass"]


def choice_columns(cards: int) -> tuple[slice, ...]:
    """Where the four decisions of `choices_off_the_path` stand among the columns of shares."""
    return slice(1, 5), slice(5, 5 + cards), slice(5 + cards, 6 + 2 * cards), slice(6 + 2 * cards, None)


@dataclass(frozen=True)
class Departures:
    """What ships of one hand size and up-card.

    Attributes:
        shares: uint16[classes, 2 n + 9], of the choices that best play never comes to, else 0.
        worth: float32[classes, 2 n + 18], `worth_columns`.
        tricks: uint16[classes, 14 + 2 n, n], by `contract_rows`: how likely the hand takes 1..n tricks.
        gain: the largest of what best replies gain in the games after a departure.
    """

    shares: Shares
    worth: NDArray[np.float32]
    tricks: NDArray[np.uint16]
    gain: float


def load_departures(stored: StoredBidding) -> Departures | None:
    """What is at hand beside a stored solution of the whole hand; None if nothing is, or only the bidding was solved.

    Raises:
        TowerlabError: a file is damaged.
    """
    return _load(stored.cards, rank_of(stored.up)) if stored.exploitability_of == WHOLE_HAND else None


def are_solved(cards: int) -> bool:
    """Whether all games after a departure are, too; of four cards that after the non-dealer has accepted is."""
    return cards < FEWEST_STEPPED


def bids_everywhere(stored: StoredBidding) -> StoredBidding:
    """What is stored, with the calls and discards after a departure where best play never comes."""
    found = load_departures(stored)
    if found is None:
        return stored
    packed = stored.packed.copy()
    for places in choice_columns(stored.cards):
        off = found.shares[:, places].any(1)
        packed[off, places] = found.shares[off, places]
    return replace(stored, packed=packed)


@functools.lru_cache(maxsize=UP_CARDS)
def _load(cards: int, rank: int) -> Departures | None:
    stem = f"departures-{cards}"
    row = next((row for row in up_card_rows(stem) if rank_of(parse_card(row["up"])) == rank), None)
    path, bidding = data_file(f"{stem}.npz"), load_bidding(cards, rank)
    if row is None or path is None or bidding is None or bidding.values is None:
        return None
    stored = read_arrays(path, row["up"])
    try:
        shares, worth, tricks = stored["shares"], stored["worth"], stored["tricks"]
        whole = _checksum(shares, worth, tricks) == row["checksum"]
    except KeyError:
        whole = False
    if not whole:
        raise TowerlabError(f"{path} is damaged: expected checksum {row['checksum']} for the up-card {row['up']}")
    table = dict(zip(value_columns(cards), bidding.values.T, strict=True))
    places = _places_of_discards(cards)
    for name, of in zip(_columns_of_worth(cards), as_chances(worth), strict=True):
        table[name] = of if are_solved(cards) or name not in table else np.where(shares[places].any(0), of, table[name])
    by_row = (tricks if tricks.dtype == np.uint16 else tricks.astype(np.uint16) * _OF_BYTE).T
    return Departures(
        shares.T,
        np.stack([table[name] for name in worth_columns(cards)], axis=1),
        by_row.reshape(len(by_row), -1, cards),
        max(float(row[name]) for name in GAINS),
    )


def _columns_of_worth(cards: int) -> list[str]:
    """Those that ship with the departures; the discards of four cards only where `exact-bidding-4` does not come."""
    known = [] if are_solved(cards) else [name for name in value_columns(cards) if not name.startswith(_DISCARD)]
    return [name for name in worth_columns(cards) if name not in known]


def _places_of_discards(cards: int) -> list[int]:
    """Where the discards after the non-dealer has accepted stand among the `columns`."""
    return [place for place, name in enumerate(columns(cards)) if name.startswith(_DISCARD)]


def trick_shares(tricks: NDArray[np.uint16]) -> Floats:
    """float64[..., n + 1]: how likely 0..n tricks are."""
    some = tricks / _ONE
    found: Floats = np.concatenate([1 - some.sum(-1, keepdims=True), some], axis=-1)
    return found


def departure_files(cards: int, table: pd.DataFrame) -> tuple[bytes, pd.DataFrame]:
    """What ships of a hand size, (the archive of the classes, the table of up-cards), from what the study finds."""
    import pandas as pd

    arrays: dict[str, NDArray[Any]] = {}
    rows = []
    taken = [f"tricks_{row}_{number}" for row in contract_rows(cards) for number in range(1, cards + 1)]
    for number, part in table.groupby("up"):
        up = card_text(int(str(number)))
        shares = np.ascontiguousarray(part[columns(cards)].to_numpy().T, dtype=np.uint16)
        found = part[[f"worth_{name}" for name in _columns_of_worth(cards)]].copy()
        if not are_solved(cards):
            met = ~shares[_places_of_discards(cards)].any(0)
            found.loc[met, [f"worth_{_DISCARD}{place}" for place in range(1, cards + 1)]] = 0.0
        worth = stored_chances(found.to_numpy().T, cards)
        one, kind = (_ONE, np.uint16) if are_solved(cards) else (_ONE // _OF_BYTE, np.uint8)
        tricks = np.ascontiguousarray(_quantised(part[taken].to_numpy(), cards, one).T, dtype=kind)
        arrays |= {f"{up}-shares": shares, f"{up}-worth": worth, f"{up}-tricks": tricks}
        gains = part.iloc[0][list(GAINS)].to_dict()
        rows.append({"cards": cards, "up": up, **gains, "checksum": _checksum(shares, worth, tricks)})
    return archive(arrays), pd.DataFrame(rows)


def _quantised(shares: Floats, cards: int, one: int) -> Ints:
    """In so many parts of one; those of a contract never add up to more."""
    by_row = np.rint(np.maximum(shares, 0.0) * one).astype(np.int64).reshape(len(shares), -1, cards)
    over = np.maximum(by_row.sum(-1) - one, 0)
    most: Ints = by_row.argmax(-1)[..., None]
    np.put_along_axis(by_row, most, np.take_along_axis(by_row, most, -1) - over[..., None], -1)
    packed: Ints = by_row.reshape(len(shares), -1)
    return packed


def _checksum(shares: Shares, worth: NDArray[Any], tricks: NDArray[Any]) -> str:
    return checksum(np.concatenate([shares, tricks]), worth)
