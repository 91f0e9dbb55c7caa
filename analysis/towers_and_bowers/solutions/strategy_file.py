"""Strategies as Parquet: information_set, action, probability, as `towerlab value --export` writes them.

Sets are those of an up-card of spades, which stand for all others, or of any up-card in its own suits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from towerlab.games.arrays import Floats
from towerlab.games.cards import SUITS, card_text, mask_cards, parse_card
from towerlab.games.engine import Action
from towerlab.games.errors import TowerlabError, shown
from towerlab.games.towers_and_bowers import View
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.solved_play import suit_beside
from towerlab.sim.towers_and_bowers.whole_strategy import real_suit
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import InformationSet

_NEEDED = ("information_set", "action", "probability")
Row = tuple[int, str, str, str, float]


class StrategyFile:
    """Who plays as a file says, and where it says nothing every action alike; so in hands smaller than all in it."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        check_columns(self.path)
        self._table = functools.cache(self._of_size)

    def __reduce__(self) -> tuple[type[StrategyFile], tuple[str]]:
        return StrategyFile, (str(self.path),)

    def _of_size(self, cards: int) -> dict[str, dict[str, float]]:
        return {} if cards < min(_sizes(self.path), default=0) else read_table(self.path, cards)

    def probabilities(self, view: View, legal: Sequence[Action]) -> Floats:
        """float64[legal]."""
        up, table = view.up_card, self._table(view.n)
        assert up is not None

        def beside_spades(card: int) -> int:
            return 13 * int(suit_beside(card // 13, up // 13)) + card % 13

        for rename in (int, beside_spades):
            given = table.get(set_of(view, rename))
            if given is not None:
                shares = np.array([given.get(word_of(action, rename), 0.0) for action in legal])
                break
        else:
            shares = np.ones(len(legal))
        total: float = shares.sum()
        return np.asarray(shares / total, dtype=np.float64)


def player_of_file(text: str) -> OwnPlayer:
    """The player that a file of probabilities is.

    Raises:
        TowerlabError: no such file, or other columns.
    """
    return OwnPlayer(text, StrategyFile(text))


def set_of(view: View, rename: Callable[[int], int]) -> str:
    """As `InformationSet` prints it, in suits renamed by cards."""
    assert view.up_card is not None
    up, held = rename(view.up_card), [rename(card) for card in mask_cards(view.hand)]
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    played += [] if view.led is None else [view.led]
    calls = (call.call if call.suit is None else SUITS[rename(13 * call.suit) // 13] for call in view.calls)
    known = InformationSet(
        int(view.player == view.dealer),
        up,
        tuple(sorted(held, key=lambda card: (card == up, card))),
        None if view.discard is None else rename(view.discard),
        tuple(calls),
        tuple(map(rename, played)),
        (),
    )
    return str(known)


def word_of(action: Action, rename: Callable[[int], int]) -> str:
    """An action as `InformationSet` prints it."""
    if "card" in action:
        return card_text(rename(parse_card(action["card"])))
    return SUITS[rename(13 * SUITS.index(action["suit"])) // 13] if "suit" in action else str(action["action"])


# ------------------------------------------------------------------------------------------------ reading, writing


def check_columns(path: Path) -> None:
    """Refuse what is no such table.

    Raises:
        TowerlabError: why not.
    """
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    if not path.is_file():
        raise TowerlabError(f"{path} is not a regular file; expected a table as Parquet")
    try:
        found = parquet.read_schema(path).names
    except (arrow.ArrowException, OSError) as error:
        raise TowerlabError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}") from error
    if any(name not in found for name in _NEEDED):
        raise TowerlabError(f"{path} has columns {', '.join(found)}; expected {', '.join(_NEEDED)}")


def _sizes(path: Path) -> list[int]:
    """The hand sizes in a table; none where it does not tell them."""
    import pyarrow.parquet as parquet

    if "cards" not in parquet.read_schema(path).names:
        return []
    return list(parquet.read_table(path, columns=["cards"])["cards"].unique().to_pylist())


def read_table(path: Path, cards: int) -> dict[str, dict[str, float]]:
    """Probabilities by information set and action, of one hand size.

    Raises:
        TowerlabError: no such table, no row of that size, or what is no probability.
    """
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    check_columns(path)
    try:
        found = parquet.read_table(path)
    except (arrow.ArrowException, OSError) as error:
        raise TowerlabError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}") from error
    if "cards" in found.column_names:
        found = found.filter(arrow.compute.equal(found["cards"], cards))
    table: dict[str, dict[str, float]] = {}
    rows = zip(*(found[name].to_pylist() for name in _NEEDED), strict=True)
    for number, (known, action, share) in enumerate(rows, 1):
        place = f"{path}, row {number} of {cards} cards ({known!s}, {action!s})"
        if isinstance(share, bool) or not isinstance(share, (int, float)):
            raise TowerlabError(f"{place}: probability {shown(share)} is no number; expected one from 0 to 1")
        if str(action) in table.setdefault(str(known), {}):
            raise TowerlabError(f"{place} is there twice; expected one row an information set and action")
        table[str(known)][str(action)] = share
    if not table:
        raise TowerlabError(f"{path} has no row of hands of {cards} cards; expected some (--cards)")
    return table


def rows_of(cards: int, known: InformationSet, shares: Iterable[float]) -> list[Row]:
    """A set as rows of such a table: cards, up, information_set, action, probability."""
    words = (action if isinstance(action, str) else card_text(action) for action in known.actions)
    return [(cards, card_text(known.up), str(known), word, share) for word, share in zip(words, shares, strict=True)]


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Write such a table; how many rows it has.

    Raises:
        OSError: the file cannot be written.
    """
    import pandas as pd

    table = pd.DataFrame(rows, columns=["cards", "up", *_NEEDED])
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path, index=False, compression="zstd")
    return len(table)


def in_suits_of(known: InformationSet, up: int, mirrored: bool = False) -> InformationSet:
    """An information set of an up-card of spades, in the suits of another up-card; red suits swapped before."""

    def suit_of_it(suit: int) -> int:
        return real_suit(3 - suit if mirrored and suit in (1, 2) else suit, up)

    def renamed(card: int) -> int:
        return 13 * suit_of_it(card // 13) + card % 13

    def call(word: str) -> str:
        return SUITS[suit_of_it(SUITS.index(word))] if word in SUITS else word

    return replace(
        known,
        up=up,
        held=tuple(sorted(map(renamed, known.held), key=lambda card: (card == up, card))),
        discard=None if known.discard is None else renamed(known.discard),
        calls=tuple(map(call, known.calls)),
        played=tuple(map(renamed, known.played)),
        actions=tuple(call(action) if isinstance(action, str) else renamed(action) for action in known.actions),
    )
