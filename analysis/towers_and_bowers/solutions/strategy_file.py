"""Strategies as Parquet: information_set, action, probability, as `towerlab value --export` writes them.

Sets are those of an up-card of spades, which stand for all others, or of any up-card in its own suits.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.tables import read_parquet
from towerlab.analysis.whole_files import whole_file
from towerlab.games.arrays import Floats
from towerlab.games.cards import SUITS, card_text, mask_cards, parse_card
from towerlab.games.engine import Action
from towerlab.games.errors import TowerlabError, shown
from towerlab.games.towers_and_bowers import LARGEST_HAND, Phase, TowersAndBowersOptions, View
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.players.seats import Views, view_at
from towerlab.sim.towers_and_bowers.players.seats import actions_of as actions_of_row
from towerlab.solver.towers_and_bowers.whole_hand.strategies import InformationSet, actions_of
from towerlab.solver.towers_and_bowers.whole_hand.tables import REAL_SUITS, RENAMED_SUITS

_TURNS: Final = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D, Phase.DISCARD, Phase.PLAY)
_NEEDED: Final = ("information_set", "action", "probability")
MOST_ROWS: Final = 2_000_000
"""Of such a file: hands of two cards have 1,822,536, beside up-cards of every suit."""
LARGEST_FILE: Final = 50_000_000
"""Bytes."""
_TOLERANCE: Final = 1e-6  # how far from one the probabilities of a set may add up
_CARD: Final = "[9TJQKA][SHDC]"
_CARDS = f"(?:{_CARD}(?: {_CARD})*)?"
_CALL = "(?:pass|accept|[SHDC])"
_SET: Final = re.compile(
    rf"(?:nondealer|dealer) \| {_CARD} \| ({_CARDS}) \| (?:{_CARD})? \| (?:{_CALL}(?: {_CALL})*)? \| ({_CARDS})"
)
_EXPECTED: Final = "a strategy as Parquet"
_SUCH_AS: Final = "nondealer | QS | JS |  |  | "
Row = tuple[int, str, str, str, float]
Table = Mapping[str, Mapping[str, float]]
Rename = Callable[[int], int]  # of cards


class StrategyFile:
    """A player by the probabilities of a file; where the file has none, as in smaller hands, every action alike.

    Attributes:
        path: of the file.
        tables: by hand size, probabilities by information set and action.

    Raises:
        TowerlabError: no such table, more than `MOST_ROWS`, a text that is no information set, or what are no
            probabilities.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        try:
            status = self.path.stat()
        except OSError as error:
            raise TowerlabError(f"{path} cannot be read: {error.strerror}; expected {_EXPECTED}") from error
        self.tables = _read(self.path, status.st_mtime_ns, status.st_size)

    def __reduce__(self) -> tuple[type[StrategyFile], tuple[str]]:
        return StrategyFile, (str(self.path),)

    def size(self, cards: int | None = None) -> int:
        """The hand size that is asked for, or the only one.

        Raises:
            TowerlabError: no row of that size, or several sizes and none asked for.
        """
        if cards is None and len(self.tables) == 1:
            return next(iter(self.tables))
        if cards is None or cards not in self.tables:
            what = "rows of hands" if cards is None else f"no row of hands of {cards} cards, only"
            sizes = " and ".join(map(str, self.tables))
            raise TowerlabError(f"{self.path} has {what} of {sizes}; expected one of these sizes (--cards)")
        return cards

    def probabilities(self, views: Views) -> Floats:
        """float64[rows, `Views.columns`]."""
        shares = np.zeros((may := views.may).shape)
        options = TowersAndBowersOptions()
        for row in range(len(may)):
            shares[row, may[row]] = self._shares(view_at(views, row, options), actions_of_row(views, row))
        return shares

    def _shares(self, view: View, legal: Sequence[Action]) -> Floats:
        """float64[legal], of one view."""
        up = view.up_card
        table = {} if view.n < min(self.tables) else self.tables[self.size(view.n)]
        assert up is not None
        for rename in (int, _to_spades(up)):
            known = str(_known(view, rename))
            if known in table:
                return np.array(shares_of(known, table[known], [word_of(action, rename) for action in legal]))
        return np.full(len(legal), 1 / len(legal))


def player_of_file(text: str) -> OwnPlayer:
    """The player that a file of probabilities is.

    Raises:
        TowerlabError: no such file, or other columns.
    """
    return OwnPlayer(text, StrategyFile(text))


def information_set(view: View, renamed: bool = True) -> InformationSet:
    """The information set in which a player of a hand is who has this view.

    Args:
        view: of the player whose turn it is, after the deal.
        renamed: with the suits renamed so that the up-card is a spade, as strategies are measured and solved; else in
            the suits of the view. The actions of both stand in the same order.

    Raises:
        TowerlabError: it is not this player's turn to bid, to discard or to play.
    """
    if view.to_act != view.player or view.phase not in _TURNS or view.up_card is None:
        raise TowerlabError(
            f"it is not player {view.player + 1}'s turn; expected the view of who bids, discards or plays"
        )
    known = _known(view, _to_spades(view.up_card))
    known = replace(known, actions=actions_of(known))
    return known if renamed else in_suits_of(known, view.up_card)


def _to_spades(up: int) -> Rename:
    """How a card is renamed when the suit of the up-card becomes spades."""
    suits = RENAMED_SUITS[up // 13].tolist()
    return lambda card: 13 * suits[card // 13] + card % 13


def write_strategy(
    path: Path | str, strategy: Mapping[InformationSet, Sequence[float] | Mapping[int | str, float]]
) -> int:
    """Write a strategy as a file that plays (`simulate`) and is measured (`exploit --strategy`).

    Args:
        path: of the Parquet file.
        strategy: by information set how likely each of its actions is, in their order or by action.

    Returns:
        How many rows it has.

    Raises:
        TowerlabError: an action that cannot be done there, or what are no probabilities.
        OSError: the file cannot be written.
    """
    each = (rows_of(len(known.dealt), known, shares_of(known, of, known.actions)) for known, of in strategy.items())
    return write_rows(Path(path), itertools.chain.from_iterable(each))


def _known(view: View, rename: Rename) -> InformationSet:
    """Return where a player is who has this view, in suits renamed by cards, without the actions."""
    assert view.up_card is not None
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    played += [] if view.led is None else [view.led]
    calls = tuple(call.call if call.suit is None else SUITS[call.suit] for call in view.calls)
    held = tuple(mask_cards(view.hand))
    seat = int(view.player == view.dealer)
    return _renamed(InformationSet(seat, view.up_card, held, view.discard, calls, tuple(played), ()), rename)


def word_of(action: Action, rename: Rename) -> str:
    """An action as `InformationSet` prints it."""
    if "card" in action:
        return card_text(rename(parse_card(action["card"])))
    return _renamed_call(action["suit"], rename) if "suit" in action else str(action["action"])


# ------------------------------------------------------------------------------------------------ reading, writing


@functools.lru_cache(maxsize=2)
def _read(path: Path, *_: int) -> dict[int, Table]:
    rows = read_parquet(path, _EXPECTED, MOST_ROWS, _NEEDED, LARGEST_FILE)
    tables: dict[int, dict[str, dict[str, float]]] = {}
    columns = [rows[name].tolist() if name in rows else [None] * len(rows) for name in (*_NEEDED, "cards")]
    for number, (known, action, share, cards) in enumerate(zip(*columns, strict=True), 1):
        set_ = _SET.fullmatch(known) if isinstance(known, str) else None
        size = 0 if set_ is None else len(set_[1].split()) + len(set_[2].split()) // 2
        if not 1 <= size <= LARGEST_HAND or cards not in (None, size):
            what = "no information set" if cards is None else f"no information set of hands of {shown(cards)} cards"
            raise TowerlabError(
                f"{_row(path, number, known, action)}: {what}; expected such as {_SUCH_AS!r} of one card"
            )
        if isinstance(share, bool) or not isinstance(share, (int, float)) or share != share:
            problem = f"probability {shown(share)} is no number; expected one from 0 to 1"
            raise TowerlabError(f"{_row(path, number, known, action)}: {problem}")
        row = tables.setdefault(size, {}).setdefault(known, {})
        if str(action) in row:
            row_words = _row(path, number, known, action)
            raise TowerlabError(f"{row_words} is there twice; expected one row an information set and action")
        row[str(action)] = share
    for known, row in itertools.chain.from_iterable(table.items() for table in tables.values()):
        shares_of(known, row, row)
    if not tables:
        raise TowerlabError(f"{path} has no row; expected some of {', '.join(_NEEDED)}")
    return {size: tables[size] for size in sorted(tables)}


def _row(path: Path, number: int, known: object, action: object) -> str:
    return f"{path}, row {number} ({shown(known)}, {shown(action)})"


def shares_of(
    known: object, given: Sequence[float] | Mapping[Any, float], actions: Collection[int | str]
) -> list[float]:
    """Probabilities in the order of the actions; what a mapping leaves out is never done.

    Args:
        known: the information set, for messages.
        given: a number an action, in their order or by action; cards by number or as texts.
        actions: cards and calls, in either form.

    Raises:
        TowerlabError: an action that there is not, or what are no probabilities that add up to 1.
    """
    names = [action if isinstance(action, str) else card_text(action) for action in actions]
    if isinstance(given, Mapping):
        by_name = {name if isinstance(name, str) else card_text(name): share for name, share in given.items()}
        strange = next((name for name in by_name if name not in names), None)
        if strange is not None:
            raise TowerlabError(f"{known}: {strange!r} cannot be done; expected of {', '.join(names)}")
        given = [by_name.get(name, 0.0) for name in names]
    try:
        shares = [float(share) for share in given]
    except (TypeError, ValueError):
        shares = []
    right = len(shares) == len(names) and all(share >= 0 for share in shares)
    if not right or not abs(sum(shares) - 1) <= _TOLERANCE:
        wanted = f"expected {len(names)} probabilities that add up to 1"
        raise TowerlabError(f"{known}: the policy says {shown(given)}; {wanted}")
    return shares


def rows_of(cards: int, known: InformationSet, shares: Iterable[float]) -> list[Row]:
    """A set as rows of such a table: cards, up, information_set, action, probability."""
    words = (action if isinstance(action, str) else card_text(action) for action in known.actions)
    return [(cards, card_text(known.up), str(known), word, share) for word, share in zip(words, shares, strict=True)]


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Write such a table; returns its number of rows.

    Raises:
        OSError: the file cannot be written.
    """
    import pandas as pd

    table = pd.DataFrame(rows, columns=["cards", "up", *_NEEDED])
    with whole_file(path) as unfinished:
        table.to_parquet(unfinished, index=False, compression="zstd")
    return len(table)


def in_suits_of(known: InformationSet, up: int, mirrored: bool = False) -> InformationSet:
    """An information set of an up-card of spades, in the suits of another up-card; red suits swapped before."""
    clubs, diamonds, hearts, spades = REAL_SUITS[up // 13].tolist()
    suits = (clubs, hearts, diamonds, spades) if mirrored else (clubs, diamonds, hearts, spades)
    return _renamed(known, lambda card: 13 * suits[card // 13] + card % 13)


def _renamed(known: InformationSet, rename: Rename) -> InformationSet:
    """Return an information set whose cards, and with them the suits of calls, are renamed."""
    up = rename(known.up)
    actions = known.actions
    return replace(
        known,
        up=up,
        held=tuple(sorted(map(rename, known.held), key=lambda card: (card == up, card))),
        discard=None if known.discard is None else rename(known.discard),
        calls=tuple(_renamed_call(call, rename) for call in known.calls),
        played=tuple(map(rename, known.played)),
        actions=tuple(_renamed_call(each, rename) if isinstance(each, str) else rename(each) for each in actions),
    )


def _renamed_call(call: str, rename: Rename) -> str:
    return SUITS[rename(13 * SUITS.index(call)) // 13] if call in SUITS else call
