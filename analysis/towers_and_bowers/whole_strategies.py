"""What is the value of dealing, how exploitable is its solution, and what does it do in every information set?

`ask_value` answers ``towerlab value``. Up to the largest solved hand size the values are the game's own; above it they
are sampled from games of the learned policy against itself.

The study `hand-equilibrium` solves whole strategies, play included. Those of one and two cards ship as
``data/exact-strategy-N.npz``, so that they can be checked: `measure_whole_hand` computes the best responses of both
sides again, and `export_strategy` writes the probability of each action in every information set, in words.

The play of three cards is too large to ship (0.3 GB). ``towerlab study towers-and-bowers hand-equilibrium --set cards=3
--set play=true --out FOLDER`` makes it as ``exact-play-3.npy``; it is read from the folder that `TOWERLAB_DATA` names.
The play of four cards, 21 GB, is not kept.

`StrategyFile` is a strategy as Parquet (information_set, action, probability), the user's or one that was exported.
Sets are those of an up-card of spades, which stand for all others, or of any up-card in its own suits.

>>> measure_whole_hand(1) < 1e-6
True
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import note, open_progress
from towerlab.analysis.question_rows import read_parquet
from towerlab.analysis.towers_and_bowers.deal_value import (
    ValueOfDeal,
    best_deal_value,
    deal_value,
    hidden_value,
    whole_hand_values,
)
from towerlab.analysis.towers_and_bowers.position import cards_played
from towerlab.analysis.towers_and_bowers.shipped import FOLDER_VARIABLE, data_file, shipped_file
from towerlab.analysis.towers_and_bowers.stored_bidding import bidding_at_hand, check_solved, read_arrays
from towerlab.analysis.whole_files import whole_file
from towerlab.games.arrays import Floats, Floats32
from towerlab.games.cards import SUITS, card_text, mask_cards, parse_card
from towerlab.games.engine import Action, require
from towerlab.games.errors import TowerlabError, quote_value
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, Phase, TowersAndBowersOptions, View
from towerlab.sim.own_players import OwnPlayer
from towerlab.sim.towers_and_bowers.equilibrium import stack_play
from towerlab.sim.towers_and_bowers.info_state import SolvedPlay
from towerlab.sim.towers_and_bowers.seats import Views, view_at
from towerlab.sim.towers_and_bowers.seats import actions_of as actions_of_row
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, Strategy, hand_game, normalise_bidding
from towerlab.solver.towers_and_bowers.whole_hand.arrays import LARGEST_PLAYED, REAL_SUITS, RENAMED_SUITS, UP_SUIT
from towerlab.solver.towers_and_bowers.whole_hand.iteration import DECISIONS, MOST_ENTRIES
from towerlab.solver.towers_and_bowers.whole_hand.solve import exploitability, without_mirror
from towerlab.solver.towers_and_bowers.whole_hand.strategies import (
    InformationSet,
    actions_of,
    as_strategy,
    probabilities,
)
from towerlab.solver.two_hands.tablebase import MOST_CARDS

SIZES: Final = (1, 2)
PLAY_STEM: Final = "exact-play-"
NO_PLAY: Final = (
    "the play of {cards} cards does not ship, so that there is nothing to check; towerlab study towers-and-bowers "
    f"hand-equilibrium --set cards={{cards}} --set play=true --out DIR makes it, {FOLDER_VARIABLE}=DIR uses it"
)
NOT_KEPT: Final = (
    "the play of {cards} cards takes 21 GB and is not kept; towerlab study towers-and-bowers hand-equilibrium measures "
    f"it as it solves the hand; expected 1 to {LARGEST_PLAYED} cards"
)


@functools.lru_cache(maxsize=2)
def load_strategy(cards: int, rank: int) -> tuple[HandGame, Strategy]:
    """Return the game of one hand size and up-card rank, and the strategy that ships for it.

    Raises:
        TowerlabError: none ships for this hand size.
    """
    if cards not in SIZES:
        raise TowerlabError(f"no whole strategy of {cards} cards is at hand; expected one of 1 and 2")
    stored = read_arrays(shipped_file(f"exact-strategy-{cards}.npz"), card_text(13 * UP_SUIT + rank))
    next_deal = whole_hand_values()[cards - 1].dealer if cards > 1 else 0.0
    game = hand_game(cards, rank, next_deal, mirror=True)
    shape = (DECISIONS, int(game.sets[cards]), MOST_ENTRIES)
    strategy = Strategy(np.zeros(shape), np.zeros(game.play_size))
    strategy.bidding.reshape(-1)[stored["bidding-entry"]] = stored["bidding-probability"]
    if "play-entry" in stored:  # one card is played without a choice
        strategy.play[stored["play-entry"]] = stored["play-probability"]
    return game, Strategy(normalise_bidding(strategy.bidding, cards), strategy.play)  # stored in single precision


def load_play(sizes: tuple[int, ...]) -> SolvedPlay:
    """Return the play of these hand sizes, as far as it is at hand, as the player `equilibrium` takes it.

    Raises:
        TowerlabError: a file is damaged, or of a study that was not finished.
    """
    games: dict[tuple[int, int], HandGame] = {}
    weights = {}
    for cards in range(2, LARGEST_PLAYED + 1):  # one card is played without a choice
        made = data_file(f"{PLAY_STEM}{cards}.npy")
        if cards not in sizes or (made is None and cards not in SIZES):
            continue
        of_size = games_of(cards)
        games |= {(cards, rank): game for rank, game in of_size.items()}
        weights[cards] = _shipped_play(cards, of_size) if made is None else _read_play_file(made, of_size)
    return stack_play(games, weights)


def games_of(cards: int) -> dict[int, HandGame]:
    """Return the game of each rank of the up-card, for the places where play is stored; W(n - 1) is left out."""
    return {rank: hand_game(cards, rank, 0.0, mirror=True) for rank in UP_RANKS}


def play_shape(games: Mapping[int, HandGame]) -> tuple[int, int]:
    """Return a row a rank of the up-card, as long as the longest."""
    return len(games), max(game.play_size for game in games.values())


def _shipped_play(cards: int, games: Mapping[int, HandGame]) -> Floats32:
    """Return the play of every rank of the up-card, float32[ranks, longest]."""
    play = np.zeros(play_shape(games), dtype=np.float32)
    for row, (rank, game) in zip(play, games.items(), strict=True):
        row[: game.play_size] = load_strategy(cards, rank)[1].play
    return play


def _read_play_file(path: Path, games: Mapping[int, HandGame]) -> Floats32:
    """Return the play in a file that the study has left; it stays on disk until it is read."""
    expected = play_shape(games)
    try:
        play = np.load(path, mmap_mode="c", allow_pickle=False)
    except (ValueError, EOFError):
        play = np.empty(0)
    if play.shape != expected or play.dtype != np.float32:
        raise TowerlabError(f"{path} is damaged; expected {expected[0]} by {expected[1]} numbers in single precision")
    for row, game in zip(play, games.values(), strict=True):
        if not row[: int(np.sort(game.node_starts[game.node_starts >= 0])[1])].any():  # the first lead
            raise TowerlabError(f"{path} is of a study that was not finished; expected the whole of it (--resume)")
    weights: Floats32 = play.view(np.ndarray)
    return weights


def measure_whole_hand(cards: int, done: Callable[[], None] | None = None) -> float:
    """Return the exploitability of the whole strategy at hand, averaged over up-cards: best responses computed anew.

    Args:
        cards: 1..3; the play of three cards is what the study has left.
        done: a function that is called after every up-card.

    Raises:
        TowerlabError: no play of that size is at hand.
    """
    gains = []
    for rank in UP_RANKS:
        gains.append(exploitability(*stored_strategy(cards, rank)))
        if done is not None:
            done()
    return float(np.mean(gains))


def stored_strategy(cards: int, rank: int) -> tuple[HandGame, Strategy]:
    """Return as `load_strategy`; of three cards the bidding that ships and the play that the study has left.

    Raises:
        TowerlabError: no play of that size is at hand.
    """
    if cards in SIZES:
        return load_strategy(cards, rank)
    check_play(cards)
    stored = bidding_at_hand(cards, rank)
    game = hand_game(cards, rank, stored.next_deal or 0.0, mirror=True)
    made = _read_play_file(data_file(f"{PLAY_STEM}{cards}.npy"), games_of(cards))
    play = made[UP_RANKS.index(rank), : game.play_size].astype(np.float64)
    return game, as_strategy(game, rank, make_deals(cards, stored.up), stored.strategies, play)


@functools.lru_cache(maxsize=6)
def whole_game(cards: int, rank: int) -> HandGame:
    """Return the game of one hand size and rank of the up-card, later hands at W(n - 1), not mirrored.

    Raises:
        TowerlabError: a hand size that is not solved.
    """
    if not 1 <= cards <= LARGEST_PLAYED:
        raise TowerlabError(f"hands of {cards} cards cannot be measured exactly; expected 1..{LARGEST_PLAYED}")
    return hand_game(cards, rank, deal_value(cards - 1))


@functools.lru_cache(maxsize=1)
def unmirrored_solution(cards: int, rank: int) -> Strategy:
    """Return the solution at hand in the places of `whole_game`.

    Raises:
        TowerlabError: there is none, such as the play of three cards, which does not ship.
    """
    game, strategy = stored_strategy(cards, rank)
    return without_mirror(game, whole_game(cards, rank), strategy)


def solved_bidding(cards: int, rank: int) -> Floats:
    """Return `Strategy.bidding` of the solution, which ships for every size."""
    if cards in SIZES:
        return load_strategy(cards, rank)[1].bidding
    stored = bidding_at_hand(cards, rank)
    deals = make_deals(cards, stored.up)
    return as_strategy(whole_game(cards, rank), rank, deals, stored.strategies, np.zeros(0)).bidding


def check_play(cards: int) -> None:
    """Refuse a hand size whose play is not at hand.

    Raises:
        TowerlabError: it says how to make it.
    """
    if cards > LARGEST_PLAYED:
        raise TowerlabError(NOT_KEPT.format(cards=cards))
    if cards not in SIZES and data_file(f"{PLAY_STEM}{cards}.npy") is None:
        raise TowerlabError(NO_PLAY.format(cards=cards))


def export_strategy(path: str | Path, cards: int | None = None, options: TowersAndBowersOptions | None = None) -> int:
    """Write the strategies of one and two cards, or of one of these sizes, as Parquet; returns the number of rows.

    Columns: cards, up, information_set, action, probability. An information set reads ``player | up-card | cards held
    | discard | calls so far | cards played``; an action is a call, a card to play or a card to discard.

    Args:
        path: the path of the file.
        cards: 1, 2 or None for both.
        options: the options of the rules; only those that change no solution.

    Raises:
        TowerlabError: no whole strategy of that size is at hand, or rules not solved.
        OSError: the file cannot be written.
    """
    check_solved(options)
    return write_rows(
        Path(path),
        (
            row
            for size in ([cards] if cards is not None else SIZES)
            for rank in UP_RANKS
            for known, shares in probabilities(load_strategy(size, rank)[0], rank, load_strategy(size, rank)[1])
            for row in rows_of(size, known, shares)
        ),
    )


_TOO_LONG: Final = "takes minutes: ask for it with --cards"
_NOT_SOLVED: Final = "is not solved: nobody knows how exploitable the learned policy is there"


@dataclass(frozen=True)
class ValueAnswer(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present:value_report",
    table="values",
    keys="values unchecked?",
):
    """The answer of `towerlab value`."""

    values: tuple[ValueOfDeal, ...]
    unchecked: Mapping[int, str] = field(default_factory=dict)  # by hand size, why it was not checked though asked for
    cards: int | None = None  # the one that was asked for


def ask_value(
    cards: int | None = None,
    check: bool = False,
    quiet: bool = True,
    options: TowersAndBowersOptions | None = None,
    export: Path | None = None,
) -> ValueAnswer:
    """Return the value of dealing a hand of `cards`, or of every size that is at hand.

    Args:
        cards: 1..7, None for all.
        check: whether to compute the best responses again; without `cards` for the sizes where that takes seconds.
        quiet: no progress on stderr.
        options: the options of the rules; only those that change no solution.
        export: a file to write the whole strategy of one and two cards to.

    Raises:
        TowerlabError: a hand size that is not at hand or cannot be checked; rules not solved.
    """
    if export is not None:
        note(f"{export_strategy(export, cards):,} rows written to {export}", quiet)
    check_solved(options)
    sizes = range(1, MOST_CARDS + 1)
    values = [value for value in map(hidden_value, sizes) if value] if cards is None else [best_deal_value(cards)]
    if not check:
        return ValueAnswer(tuple(values), cards=cards, options=options)
    unchecked = {value.cards: _NOT_SOLVED for value in values if value.exploitability is None}
    if cards is not None and unchecked:
        raise TowerlabError(f"a hand of {cards} cards {_NOT_SOLVED}; expected the question without --check")
    if cards is None:
        unchecked = {value.cards: _TOO_LONG for value in values if value.cards not in SIZES} | unchecked
    checked = [value if value.cards in unchecked else _check_value(value, quiet) for value in values]
    return ValueAnswer(tuple(checked), unchecked, cards, options=options)


def _check_value(value: ValueOfDeal, quiet: bool) -> ValueOfDeal:
    """Return the value of a deal with its exploitability computed again."""
    with open_progress(f"best responses, {number_of(value.cards, 'card')}", len(up_cards()), quiet) as advance:
        return replace(value, checked=measure_whole_hand(value.cards, advance))


_TURNS: Final = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D, Phase.DISCARD, Phase.PLAY)
_NEEDED: Final = ("information_set", "action", "probability")
MOST_ROWS: Final = 2_000_000
"""Most rows of a strategy file; hands of two cards with all 24 up-cards have 1,822,536."""
LARGEST_FILE: Final = 50_000_000
"""Most bytes of a strategy file."""
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
SharesBySet = Mapping[str, Mapping[str, float]]
Rename = Callable[[int], int]  # of cards


class StrategyFile:
    """A player who acts by the probabilities in a file; where the file has none, all actions are equally likely.

    Attributes:
        path: the path of the file.
        shares: the probabilities by hand size, information set and action.

    Raises:
        TowerlabError: no such table, more rows than `MOST_ROWS`, a text that is no information set, or numbers that are
            no probabilities.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        try:
            status = self.path.stat()
        except OSError as error:
            raise TowerlabError(f"{path} cannot be read: {error.strerror}; expected {_EXPECTED}") from error
        self.shares = _read_shares(self.path, status.st_mtime_ns, status.st_size)

    def __reduce__(self) -> tuple[type[StrategyFile], tuple[str]]:
        return StrategyFile, (str(self.path),)

    def size(self, cards: int | None = None) -> int:
        """Return the hand size, or if it is None the only one in the file.

        Raises:
            TowerlabError: no row of that size, or None and several sizes.
        """
        if cards is None and len(self.shares) == 1:
            return next(iter(self.shares))
        if cards is None or cards not in self.shares:
            what = "rows of hands" if cards is None else f"no row of hands of {cards} cards, only"
            sizes = " and ".join(map(str, self.shares))
            raise TowerlabError(f"{self.path} has {what} of {sizes}; expected one of these sizes (--cards)")
        return cards

    def probabilities(self, views: Views) -> Floats:
        """Return the probabilities of the actions in many views, float64[rows, `Views.columns`]."""
        shares = np.zeros((may := views.may).shape)
        options = TowersAndBowersOptions()
        for row in range(len(may)):
            shares[row, may[row]] = self._shares(view_at(views, row, options), actions_of_row(views, row))
        return shares

    def _shares(self, view: View, legal: Sequence[Action]) -> Floats:
        """Return the probabilities of the legal actions in one view, float64[legal]."""
        up = view.up_card
        stored = {} if view.n < min(self.shares) else self.shares[self.size(view.n)]
        for rename in (int, _to_spades(require(up))):
            known = str(_set_of_view(view, rename))
            if known in stored:
                return np.array(
                    check_probabilities(known, stored[known], [action_word(action, rename) for action in legal])
                )
        return np.full(len(legal), 1 / len(legal))


def player_of_file(text: str) -> OwnPlayer:
    """Return the player that a file of probabilities is.

    Raises:
        TowerlabError: no such file, or other columns.
    """
    return OwnPlayer(text, StrategyFile(text))


def information_set(view: View, renamed: bool = True) -> InformationSet:
    """Return the information set of a view.

    Args:
        view: the view of the player whose turn it is, after the deal.
        renamed: whether to rename the suits so that the up-card is a spade, as in solved strategies; else the suits are
            the view's. The actions have the same order in both.

    Raises:
        TowerlabError: it is not this player's turn to bid, to discard or to play.
    """
    if view.to_act != view.player or view.phase not in _TURNS or view.up_card is None:
        raise TowerlabError(f"it is not player {view.player + 1}'s turn; expected a view of the player to act")
    known = _set_of_view(view, _to_spades(view.up_card))
    known = replace(known, actions=actions_of(known))
    return known if renamed else in_suits_of(known, view.up_card)


def _to_spades(up: int) -> Rename:
    """Return how a card is renamed when the suit of the up-card becomes spades."""
    suits = RENAMED_SUITS[up // 13].tolist()
    return lambda card: 13 * suits[card // 13] + card % 13


def write_strategy(
    path: Path | str, strategy: Mapping[InformationSet, Sequence[float] | Mapping[int | str, float]]
) -> int:
    """Write a strategy as a file, which can play (`simulate`) and be measured (`exploit --strategy`).

    Args:
        path: the path of the Parquet file.
        strategy: the probabilities of the actions in each information set, in the actions' order or by action.

    Returns:
        The number of rows.

    Raises:
        TowerlabError: an action is impossible there, or numbers are no probabilities.
        OSError: the file cannot be written.
    """
    each = (
        rows_of(len(known.dealt), known, check_probabilities(known, of, known.actions))
        for known, of in strategy.items()
    )
    return write_rows(Path(path), itertools.chain.from_iterable(each))


def _set_of_view(view: View, rename: Rename) -> InformationSet:
    """Return the information set of a view, in suits renamed by cards, without the actions."""
    calls = tuple(call.call if call.suit is None else SUITS[call.suit] for call in view.calls)
    held = tuple(mask_cards(view.hand))
    seat = int(view.deals)
    return _rename_set(InformationSet(seat, view.up, held, view.discard, calls, tuple(cards_played(view)), ()), rename)


def action_word(action: Action, rename: Rename) -> str:
    """Return an action as `InformationSet` prints it."""
    if "card" in action:
        return card_text(rename(parse_card(action["card"])))
    return _rename_call(action["suit"], rename) if "suit" in action else str(action["action"])


# ------------------------------------------------------------------------------------------------ reading, writing


@functools.lru_cache(maxsize=2)
def _read_shares(path: Path, *_: int) -> dict[int, SharesBySet]:
    rows = read_parquet(path, _EXPECTED, MOST_ROWS, _NEEDED, LARGEST_FILE)
    shares: dict[int, dict[str, dict[str, float]]] = {}
    columns = [rows[name].tolist() if name in rows else [None] * len(rows) for name in (*_NEEDED, "cards")]
    for number, (known, action, share, cards) in enumerate(zip(*columns, strict=True), 1):
        set_ = _SET.fullmatch(known) if isinstance(known, str) else None
        size = 0 if set_ is None else len(set_[1].split()) + len(set_[2].split()) // 2
        if not 1 <= size <= LARGEST_HAND or cards not in (None, size):
            what = (
                "no information set" if cards is None else f"no information set of hands of {quote_value(cards)} cards"
            )
            raise TowerlabError(
                f"{_row(path, number, known, action)}: {what}; expected such as {_SUCH_AS!r} of one card"
            )
        if isinstance(share, bool) or not isinstance(share, (int, float)) or share != share:
            problem = f"probability {quote_value(share)} is no number; expected one from 0 to 1"
            raise TowerlabError(f"{_row(path, number, known, action)}: {problem}")
        row = shares.setdefault(size, {}).setdefault(known, {})
        if str(action) in row:
            row_words = _row(path, number, known, action)
            raise TowerlabError(f"{row_words} is there twice; expected one row an information set and action")
        row[str(action)] = share
    for known, row in itertools.chain.from_iterable(stored.items() for stored in shares.values()):
        check_probabilities(known, row, row)
    if not shares:
        raise TowerlabError(f"{path} has no row; expected some of {', '.join(_NEEDED)}")
    return {size: shares[size] for size in sorted(shares)}


def _row(path: Path, number: int, known: object, action: object) -> str:
    return f"{path}, row {number} ({quote_value(known)}, {quote_value(action)})"


def check_probabilities(
    known: object, given: Sequence[float] | Mapping[Any, float], actions: Collection[int | str]
) -> list[float]:
    """Return probabilities in the order of the actions; what a mapping leaves out is never done.

    Args:
        known: the information set, for messages.
        given: a number for each action, in their order or by action; cards by number or as texts.
        actions: the cards and calls, in either form.

    Raises:
        TowerlabError: an action does not exist there, or the numbers are no probabilities that add up to 1.
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
        raise TowerlabError(f"{known}: the policy says {quote_value(given)}; {wanted}")
    return shares


def rows_of(cards: int, known: InformationSet, shares: Iterable[float]) -> list[Row]:
    """Return a set as rows of such a table: cards, up, information_set, action, probability."""
    words = (action if isinstance(action, str) else card_text(action) for action in known.actions)
    return [(cards, card_text(known.up), str(known), word, share) for word, share in zip(words, shares, strict=True)]


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Write the rows of a strategy file, and return their number.

    Raises:
        OSError: the file cannot be written.
    """
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["cards", "up", *_NEEDED])
    with whole_file(path) as unfinished:
        frame.to_parquet(unfinished, index=False, compression="zstd")
    return len(frame)


def in_suits_of(known: InformationSet, up: int, mirrored: bool = False) -> InformationSet:
    """Return an information set (its up-card a spade) in the suits of another up-card; `mirrored` swaps red suits."""
    clubs, diamonds, hearts, spades = REAL_SUITS[up // 13].tolist()
    suits = (clubs, hearts, diamonds, spades) if mirrored else (clubs, diamonds, hearts, spades)
    return _rename_set(known, lambda card: 13 * suits[card // 13] + card % 13)


def _rename_set(known: InformationSet, rename: Rename) -> InformationSet:
    """Return an information set whose cards, and with them the suits of calls, are renamed."""
    up = rename(known.up)
    actions = known.actions
    return replace(
        known,
        up=up,
        held=tuple(sorted(map(rename, known.held), key=lambda card: (card == up, card))),
        discard=None if known.discard is None else rename(known.discard),
        calls=tuple(_rename_call(call, rename) for call in known.calls),
        played=tuple(map(rename, known.played)),
        actions=tuple(_rename_call(each, rename) if isinstance(each, str) else rename(each) for each in actions),
    )


def _rename_call(call: str, rename: Rename) -> str:
    return SUITS[rename(13 * SUITS.index(call)) // 13] if call in SUITS else call
