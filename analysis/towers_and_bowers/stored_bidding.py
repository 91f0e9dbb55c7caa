"""What does the solution of hands of one to four cards do, and what values does it give calls, contracts and discards?

Cards stay hidden to the end of the hand. For each hand size N there are two files, in ``data/`` or in the folder that
the environment variable ``TOWERLAB_DATA`` names:

``exact-bidding-N.npz``: arrays by up-card, of which a question reads only its own:

- ``QS-hands``: the hands that stand for the classes, in the order of `solver.towers_and_bowers.bidding.up_card_classes`
  (differences of neighbours, which pack well);
- ``QS-shares``: their probabilities, a row for each of `solver.towers_and_bowers.bidding.columns`;
- ``QS-values``: P(win the tower) of every call, discard and contract, a row for each of `all_value_columns`; with four
  cards in steps of `CHANCE_STEPS` (0.03 mt);
- ``QS-tricks``: the probability of 1 to n tricks in each contract (`trick_columns`), in 65,535ths; with four cards in
  255ths.

``exact-bidding-N-up-cards.csv``: a row for each up-card, with its value, the gains of best responses, the W(n - 1) and
the floor that were used, and a checksum.

``towerlab study towers-and-bowers hand-equilibrium --set cards=N --out FOLDER`` writes both. In the solution every call
has at least the probability of the floor with any hand, so no call is off the path.

The stored up-card is a spade, and one of two mirrored hands is stored (`solver.towers_and_bowers.bidding`);
`StoredSide` answers in the suits of the question.

>>> from towerlab.games.cards import RANKS, cards_mask
>>> stored = load_bidding(1, RANKS.index("Q"))
>>> [mix] = hand_mixes(stored, parse_card("QH"), np.array([cards_mask([parse_card("JH")])]), dealer=False)
>>> mix.first
{'accept': 1.0, 'pass': 0.0}
"""

from __future__ import annotations

import functools
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from towerlab.analysis.towers_and_bowers.shipped import (
    FOLDER_VARIABLE,
    LARGEST_STORED,
    SHIPPED,
    STAMP_WORDS,
    data_file,
    is_current,
    rows_of_file,
)
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import SUITS, card_text, mask_cards, parse_card, rank_of, suit_of
from towerlab.games.errors import TowerlabError
from towerlab.games.options import solutions_hold, typed_text, unsolved_options
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import (
    COARSE,
    MIRRORED_SUITS,
    SPADES,
    BiddingStrategies,
    DealerBids,
    NondealerBids,
    Shares,
    apply_floor,
    columns,
    mirror,
    purify,
    rename,
    standing_hands,
    suit_renamings,
    unpack,
    value_columns,
)
from towerlab.solver.towers_and_bowers.layout_counts import places_of
from towerlab.solver.towers_and_bowers.upcard import named_suits

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

FULL_SHARE: Final = 65_535  # the stored number of a share of 1
OF_BYTE: Final = 257  # FULL_SHARE / 255: with four cards shares are stored as bytes
_SUITS: Final = "CDH"


@functools.cache
def contract_rows(cards: int) -> dict[str, tuple[int, int, int]]:
    """Return every contract of either seat by name: (seat, contract 0..7, place of the dealer's discard).

    A suit that the non-dealer names is ``name_C`` to the non-dealer and ``met_C`` to the dealer; one that the dealer
    names is ``left_C`` to the dealer and ``named_C`` to the non-dealer.
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


def contract_names(cards: int, dealer: bool, bids: bool) -> list[str]:
    """Return the names in `contract_rows` of the contracts that a seat bids (or, without `bids`, defends).

    The suits named come first, then the up-card accepted, for a dealer by the discard.
    """
    stem = ("left" if bids else "met") if dealer else ("name" if bids else "named")
    discards = [f"{'own_' * bids}discard_{place + 1}" for place in range(cards)]
    return [*(f"{stem}_{suit}" for suit in _SUITS), *(discards if dealer else ["accept" if bids else "answered"])]


def contract_table_rows(cards: int, table: Floats, hands: Ints) -> Floats:
    """Return the rows of a contract table for the given hands, float64[hands, 14 + 2 n, ..], by `contract_rows`.

    Args:
        cards: n.
        table: `ContractOutcomes.values` or `.tricks`.
        hands: int64[hands], numbers of sets of n cards.
    """
    seats, contracts, places = np.array(list(contract_rows(cards).values())).T
    rows: Floats = table[seats[:, None], hands, contracts[:, None], places[:, None]].swapaxes(0, 1)
    return rows


def all_value_columns(cards: int) -> list[str]:
    """Return the names of all stored values: those of `value_columns`, then the other contracts."""
    values = value_columns(cards)
    return [*values, *(name for name in contract_rows(cards) if name not in values)]


def join_values(cards: int, values: Floats, contracts: Floats) -> Floats:
    """Return the values of calls and contracts, float64[classes, 2 n + 18], by `all_value_columns`.

    Args:
        cards: n.
        values: float64[classes, 2 n + 11], by `value_columns`.
        contracts: float64[classes, 14 + 2 n], by `contract_rows`.
    """
    rows = list(contract_rows(cards))
    rest = [rows.index(name) for name in all_value_columns(cards)[values.shape[1] :]]
    return np.hstack((values, contracts[:, rest]))


def trick_columns(cards: int) -> list[str]:
    """Return the names of the shares of 1..n tricks in each of `contract_rows`."""
    return [f"tricks_{row}_{taken}" for row in contract_rows(cards) for taken in range(1, cards + 1)]


def unpack_tricks(tricks: NDArray[np.uint16]) -> Floats:
    """Return the chances of 0..n tricks, float64[..., n + 1], from the stored shares of 1..n tricks."""
    some = tricks / FULL_SHARE
    shares: Floats = np.concatenate([1 - some.sum(-1, keepdims=True), some], axis=-1)
    return shares


def match_values(shares: Floats, payoff: Floats, values: Floats) -> Floats:
    """Return the nearest shares whose mean payoff is the value; values are stored more finely than shares.

    Args:
        shares: float64[.., n + 1], chances of 0..n tricks.
        payoff: float64[n + 1], P(win the tower) by tricks.
        values: float64[..], P(win the tower).
    """
    matched = shares
    free = np.ones(shares.shape, dtype=bool)
    for _ in payoff:  # each round may leave another share at 0
        mean = free @ payoff / free.sum(-1)
        spread = free * (payoff - mean[..., None])
        positive = free * shares
        missing = 1 - positive.sum(-1)
        step = (values - positive @ payoff - missing * mean) / np.maximum((spread**2).sum(-1), 1e-12)
        matched = positive + free * (missing / free.sum(-1))[..., None] + step[..., None] * spread
        free = free & (matched > 0)
    return np.clip(matched, 0.0, 1.0)


def pack_tricks(shares: Floats, cards: int, stepped: bool) -> NDArray[Any]:
    """Return shares as whole numbers, int[classes, (14 + 2 n) n]; a contract's sum to at most `FULL_SHARE`, or 255.

    Args:
        shares: float64[classes, (14 + 2 n) n], by `trick_columns`.
        cards: n.
        stepped: whether to store bytes.
    """
    whole, kind = (FULL_SHARE // OF_BYTE, np.uint8) if stepped else (FULL_SHARE, np.uint16)
    contract_table_rows = np.rint(np.maximum(shares, 0.0) * whole).astype(np.int64).reshape(len(shares), -1, cards)
    over = np.maximum(contract_table_rows.sum(-1) - whole, 0)
    most: Ints = contract_table_rows.argmax(-1)[..., None]
    np.put_along_axis(
        contract_table_rows, most, np.take_along_axis(contract_table_rows, most, -1) - over[..., None], -1
    )
    packed: NDArray[Any] = contract_table_rows.reshape(len(shares), -1).astype(kind)
    return packed


WHOLE_HAND: Final = "game"  # the game that a solution is of, in the words of `exploitability_of`
HOW_TO_MAKE: Final = (
    "towerlab study towers-and-bowers hand-equilibrium --set cards={cards} --out DIR makes it, "
    f"{FOLDER_VARIABLE}=DIR uses it"
)
CHANCE_STEPS: Final = 1 << 15
FEWEST_STEPPED: Final = 4  # with fewer cards chances ship in single precision
LARGEST: Final = 200_000_000  # bytes of an archive, unpacked; ours have at most 41 million
DECISION_NAMES: Final = ("accept", "name", "discard", "answer", "own_discard", "left")  # in the order of values
UP_CARDS: Final = LARGEST_STORED * 6  # all pairs of a hand size and a rank of the up-card
MEASURED_COLUMNS: Final = ("nondealer", "nondealer_gain", "dealer_gain", "next_deal", "floor")  # of each up-card
GAINS: Final = ("accepted_gain", "passed_gain", "passed_twice_gain", "passed_thrice_gain", "named_gain")
SHARE_UNIT: Final = "one"  # the column with the stored number of a share of 1; 10,000 without it
SPREADS: Final = tuple(f"{name}_spread{end}" for name in DECISION_NAMES for end in ("", "_most"))
FLOORED: Final = ("floored_nondealer", "floored_nondealer_gain", "floored_dealer_gain")


@dataclass(frozen=True)
class StoredBidding:
    """The stored solution of one hand size and up-card.

    Attributes:
        cards: n.
        up: the up-card, a spade.
        hands: int64[classes], the hand that stands for each class, ascending: those of `make_deals(cards, up)`.
        packed: uint16[classes, 2 n + 9], probabilities as they ship.
        scale: the stored number of a probability of 1.
        dealer: P(the dealer wins the tower) if both players follow the solution.
        exploitability: the sum of the gains of both best responses.
        next_deal: the W(n - 1) that was used, None at n = 1.
        floor: the least probability of every call in the perturbed game that was solved.
        values: float32[classes, 2 n + 18], P(win the tower) of every call, discard, contract (`all_value_columns`).
        tricks: uint16[classes, 14 + 2 n, n], the probability of 1..n tricks in each of `contract_rows`.
    """

    cards: int
    up: int
    hands: Ints
    packed: Shares
    dealer: float
    exploitability: float
    next_deal: float | None
    floor: float
    values: NDArray[np.float32]
    tricks: NDArray[np.uint16]
    scale: int = COARSE

    @property
    def strategies(self) -> BiddingStrategies:
        """The strategies of both players, by class."""
        return self.strategies_of(np.arange(len(self.hands)))

    def strategies_of(self, rows: Ints) -> BiddingStrategies:
        """Return the strategies of both players for some classes."""
        return unpack(self.packed[rows], self.cards, self.scale)


def missing_words(what: str, cards: int) -> str:
    """Return why there is no solution of a hand size, and what makes one."""
    if cards > LARGEST_STORED:
        return f"no {what} is at hand: hands of up to {LARGEST_STORED} cards are solved"
    name = f"exact-bidding-{cards}.npz"
    edited = SHIPPED.joinpath(name).is_file() and not is_current(SHIPPED, name)
    why = f": the rules were edited since {name} was made" if edited else ""
    return f"no {what} is at hand{why}; {HOW_TO_MAKE.format(cards=cards)}{STAMP_WORDS if edited else ''}"


def rules_are_solved(options: TowersAndBowersOptions) -> bool:
    """Return whether the solutions are of these rules: the default ones, as far as they change the value of a bid."""
    return solutions_hold(options)


def is_at_hand(cards: int) -> bool:
    """Return whether the solution of whole hands of `cards` cards is at hand."""
    return bool(up_card_rows(f"exact-bidding-{cards}"))


def check_solved(options: TowersAndBowersOptions | None) -> None:
    """Refuse rules without a solution.

    Raises:
        TowerlabError: the rules have no solution; it names the options.
    """
    if options is not None and not rules_are_solved(options):
        raise TowerlabError(f"{unsolved_words(options)}; expected the default rules of hands and of dealing next")


def unsolved_words(options: TowersAndBowersOptions) -> str:
    """Return which options have no solution, in a sentence."""
    given = ", ".join(f"{name}={typed_text(value)}" for name, value in unsolved_options(options).items())
    return f"hands are not solved with {given}"


def fallback_words(options: TowersAndBowersOptions | None) -> str:
    """Return the words that an answer's model ends with if its rules have no solution; else none."""
    return "" if options is None or rules_are_solved(options) else f"; {unsolved_words(options)}"


@functools.lru_cache(maxsize=UP_CARDS)
def load_bidding(cards: int, rank: int) -> StoredBidding | None:
    """Return the stored bidding of a hand size and the rank 7..12 of an up-card; None if there is none.

    Raises:
        TowerlabError: a file is damaged.
    """
    stem = f"exact-bidding-{cards}"
    row = next((row for row in up_card_rows(stem) if rank_of(parse_card(row["up"])) == rank), None)
    path = data_file(f"{stem}.npz")
    if row is None or path is None:
        return None
    stored = read_arrays(path, row["up"])
    try:
        hands = np.cumsum(stored["hands"])
        shares = stored["shares"]
        values = stored["values"]
        tricks = stored["tricks"]
        whole = checksum(shares, values, tricks) == row["checksum"]
    except KeyError:
        whole = False
    if not whole:
        raise TowerlabError(f"{path} is damaged: expected checksum {row['checksum']} for the up-card {row['up']}")
    parts = tricks if tricks.dtype == np.uint16 else tricks.astype(np.uint16) * OF_BYTE
    return StoredBidding(
        cards,
        parse_card(row["up"]),
        hands,
        shares.T,
        1 - float(row["nondealer"]),
        max(0.0, float(row["nondealer_gain"]) + float(row["dealer_gain"])),
        float(row["next_deal"]) if cards > 1 else None,
        float(row["floor"]),
        unpack_chances(values).T,
        parts.T.reshape(parts.shape[1], -1, cards),
        int(row.get(SHARE_UNIT) or COARSE),
    )


def bidding_at_hand(cards: int, rank: int) -> StoredBidding:
    """Return `load_bidding`; an error where it is None.

    Raises:
        TowerlabError: nothing is at hand.
    """
    stored = load_bidding(cards, rank)
    if stored is None:
        raise TowerlabError(missing_words(f"equilibrium of {cards} cards", cards))
    return stored


def read_arrays(path: Any, up: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an up-card in an archive, by name; the rest of the file is not read.

    Raises:
        TowerlabError: the file is no archive, or damaged.
    """
    try:
        with as_file(path) as file, np.load(file, allow_pickle=False) as pack_archive:
            if sum(entry.file_size for entry in pack_archive.zip.infolist()) > LARGEST:
                raise ValueError(f"it unpacks to more than {LARGEST:,} bytes")
            return {
                name.removeprefix(f"{up}-"): pack_archive[name]
                for name in pack_archive.files
                if name.startswith(f"{up}-")
            }
    except Exception as problem:  # whatever zipfile, zlib and numpy raise for bytes that are damaged
        raise TowerlabError(f"{path} is damaged: {problem}; expected what a study of ours has left") from problem


def _value_names(cards: int) -> list[str]:
    return [f"value_{name}" for name in all_value_columns(cards)]


def up_card_rows(stem: str) -> list[dict[str, str]]:
    """Return the measurements of each up-card, from the file next to the probabilities; empty without one."""
    path = data_file(f"{stem}-up-cards.csv")
    return [] if path is None else rows_of_file(path)


# ------------------------------------------------------------------------------------------------ writing the files


def class_rows(
    cards: int,
    up: int,
    hands: Ints,
    packed: Shares,
    measured: Mapping[str, float],
    values: Floats,
    tricks: Floats,
) -> pd.DataFrame:
    """Return the table of a study's chunk: a row for each class of one up-card; the measurements repeat in each.

    Args:
        cards, up: hand size n and the up-card.
        hands: int64[classes], the hand that stands for each class.
        packed: uint16[classes, columns], in the order of `columns(cards)`.
        measured: a value for each name of `MEASURED_COLUMNS`, `SHARE_UNIT`, `FLOORED` and `GAINS`.
        values: float64[classes, 2 n + 18], by `all_value_columns`.
        tricks: float64[classes, 14 + 2 n, n + 1], the probability of 0..n tricks, by `contract_rows`.
    """
    import pandas as pd

    made = pd.DataFrame(packed, columns=columns(cards)).assign(up=np.int64(up), hand=hands)
    won = pd.DataFrame(values.astype(np.float32), columns=_value_names(cards))
    taken = pd.DataFrame(tricks[..., 1:].reshape(len(hands), -1), columns=trick_columns(cards))
    return pd.concat([made, won, taken], axis=1).assign(**measured)


def shipped_files(cards: int, classes: pd.DataFrame) -> tuple[bytes, pd.DataFrame]:
    """Return the files that ship for a hand size from `class_rows`: an archive of classes, a table of up-cards."""
    import pandas as pd

    shares = columns(cards)
    measures = [name for name in (*MEASURED_COLUMNS, SHARE_UNIT, *FLOORED, *GAINS, *SPREADS) if name in classes]
    arrays: dict[str, NDArray[Any]] = {}
    rows = []
    for number, part in classes.groupby("up"):
        up = card_text(int(str(number)))
        packed = np.ascontiguousarray(part[shares].to_numpy().T, dtype=np.uint16)
        values = pack_chances(part[_value_names(cards)].to_numpy().T, cards)
        taken = pack_tricks(part[trick_columns(cards)].to_numpy(), cards, cards >= FEWEST_STEPPED)
        tricks = np.ascontiguousarray(taken.T)
        arrays[f"{up}-hands"] = np.diff(part["hand"].to_numpy().astype(np.int64), prepend=0)
        arrays[f"{up}-shares"] = packed
        arrays |= {f"{up}-values": values, f"{up}-tricks": tricks}
        measured = part.iloc[0][measures].to_dict()
        rows.append({"cards": cards, "up": up, **measured, "checksum": checksum(packed, values, tricks)})
    return pack_archive(arrays), pd.DataFrame(rows)


def pack_chances(chances: Floats, cards: int) -> NDArray[Any]:
    """Return chances as they ship: float32, from `FEWEST_STEPPED` cards on uint16 in steps of `CHANCE_STEPS`."""
    if cards < FEWEST_STEPPED:
        return np.ascontiguousarray(chances, dtype=np.float32)
    return np.ascontiguousarray(np.rint(chances * CHANCE_STEPS), dtype=np.uint16)


def unpack_chances(stored: NDArray[Any]) -> NDArray[np.float32]:
    """Return the inverse of `pack_chances`, as far as rounding allows."""
    if stored.dtype == np.float32:
        return stored
    return (stored / CHANCE_STEPS).astype(np.float32)


def pack_archive(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return named arrays as a compressed ``.npz``; the same arrays give the same bytes."""
    made = io.BytesIO()
    np.savez_compressed(made, allow_pickle=False, **arrays)
    return made.getvalue()


def checksum(shares: Shares, values: NDArray[Any], tricks: NDArray[Any]) -> str:
    """Return the checksum of the probabilities of an up-card, of its values and tricks, as they are stored."""
    digest = hashlib.blake2b(digest_size=8)
    for array, kind in ((shares, "<u2"), (values, "<f4"), (tricks, "<u2")):
        digest.update(np.ascontiguousarray(array, dtype=kind).data)
    return digest.hexdigest()


def stored_suits(up: int) -> tuple[int, int, int, int]:
    """Return the stored suit of each suit C D H S: one of the two renamings that make the up-card a spade."""
    return next(names for names in suit_renamings() if names[suit_of(up)] == SPADES)


_STORED: Final = np.array([stored_suits(13 * suit) for suit in range(4)], dtype=np.int64)  # by the up-card's suit
_NAMED: Final = np.array([named_suits(13 * suit) for suit in range(4)], dtype=np.int64)


class RenamedHands:
    """Hands with their suits renamed so that the up-card is a spade; translates stored columns to the question's suits.

    Args:
        up: the up-card, or the up-card of each hand.
        hands: int64[hands], printed masks in the suits of the question.
        swapped: whether diamonds and hearts are swapped as well; None to swap them where the stored one of two mirrored
            hands needs it (`standing_hands`).

    Attributes:
        hands: int64[hands], printed masks in the suits of the question.
        ups: int64[hands], the up-card of each hand.
        renamed: int64[hands], the hands with their suits renamed.
    """

    def __init__(self, up: int | Ints, hands: Ints, swapped: bool | None = None) -> None:
        self.hands = hands
        self.ups = np.broadcast_to(np.asarray(up, dtype=np.int64), hands.shape)
        suits = _STORED[self.ups // 13]
        plain = rename(hands, suits.T)
        is_swapped = standing_hands(plain) != plain if swapped is None else np.full(hands.shape, swapped)
        self.renamed = np.where(is_swapped, mirror(plain), plain)
        self._suits = np.where(is_swapped[:, None], MIRRORED_SUITS[suits], suits)
        self._named = np.take_along_axis(self._suits, _NAMED[self.ups // 13], 1)
        self._as_given = not is_swapped.any() and bool((self.ups // 13 == SPADES).all())

    def suits(self, choice: Floats) -> Floats:
        """Translate columns of the suits that can be named (then a pass, if any), to the order of the suits' ids."""
        if self._as_given:
            return choice
        return np.concatenate([np.take_along_axis(choice, self._named, 1), choice[:, 3:]], axis=1)

    def discards(self, choice: Floats) -> Floats:
        """Translate columns of the hand's cards to their order in the question, from the lowest."""
        if self._as_given:
            return choice
        cards = places_of(self.hands, choice.shape[1])
        suits = np.take_along_axis(self._suits, cards // 13, 1)
        place = np.argsort(np.argsort(13 * suits + cards % 13, axis=1), axis=1)
        return np.take_along_axis(choice, place, axis=1)

    def contracts(self, choice: Floats) -> Floats:
        """Translate columns of the contracts: the suits named, then the accepted up-card, by the discard if any."""
        return np.concatenate([self.suits(choice[:, :3]), self.discards(choice[:, 3:])], axis=1)


class StoredSide(RenamedHands):
    """The stored solution for some hands with an up-card of one rank, in the suits and cards of the question.

    Args:
        stored: the solution of a hand size and rank of the up-card.
        up, hands: the same as in `RenamedHands`.
        floor: the least probability of every call; None for the solution's own.
        advised: whether to leave out calls that lose against the stored solution (`bidding.purify`): how to call
            oneself, not what to expect of an opponent.

    Attributes:
        rows: int64[hands], the class of each hand.
        strategies: the strategy of each hand, in the suits and cards of the stored classes.
    """

    def __init__(
        self, stored: StoredBidding, up: int | Ints, hands: Ints, floor: float | None = None, advised: bool = False
    ) -> None:
        super().__init__(up, hands)
        self._floor = stored.floor if floor is None else floor
        self.rows = np.searchsorted(stored.hands, self.renamed)
        self.strategies = stored.strategies_of(self.rows)
        if advised:
            self.strategies = purify(self.strategies, stored.values[self.rows].astype(np.float64))

    def calls(self, dealer: bool) -> tuple[Floats, Floats]:
        """Return P(a seat accepts), float64[hands], and its second call (`suits`), each at least the floor."""
        made = self.strategies
        accepts, names = (made.answers, made.left) if dealer else (made.accepts, made.names)
        return self._floor + (1 - 2 * self._floor) * accepts, apply_floor(self.suits(names), self._floor)

    def nondealer(self) -> NondealerBids:
        """Return how a non-dealer calls with the hands."""
        return NondealerBids(*self.calls(False))

    def dealer(self) -> DealerBids:
        """Return how a dealer calls and discards with the hands."""
        answers, left = self.calls(True)
        made = self.strategies
        return DealerBids(self.discards(made.discards), answers, self.discards(made.own_discards), left)


@dataclass(frozen=True)
class HandMixes:
    """The stored mixes of one hand and seat, by call and card.

    Attributes:
        first, second: the probabilities of the calls in each round.
        discards: a dealer's probabilities of the discards, by whether the dealer has accepted.
    """

    first: Mapping[str, float]
    second: Mapping[str, float]
    discards: Mapping[bool, Mapping[str, float]]


def hand_mixes(stored: StoredBidding, ups: int | Ints, hands: Ints, dealer: bool) -> list[HandMixes]:
    """Return the mixes of each hand of a seat, without calls that lose; its arguments are those of `StoredSide`."""
    side = StoredSide(stored, ups, hands, floor=0.0, advised=True)
    rows_of_up = []
    accepts, second = side.calls(dealer)
    made = side.strategies
    given = {True: made.own_discards, False: made.discards} if dealer else {}
    discards = {by: side.discards(choice).tolist() for by, choice in given.items()}
    rows = zip(side.hands.tolist(), side.ups.tolist(), accepts.tolist(), second.tolist(), strict=True)
    for row, (hand, up, accept, names) in enumerate(rows):
        suits = [SUITS[suit] for suit in named_suits(up)] + ([] if dealer else ["pass"])
        cards = [card_text(card) for card in mask_cards(hand)]
        first = {"accept": accept, "pass": 1 - accept}
        own = {by: dict(zip(cards, of[row], strict=True)) for by, of in discards.items()}
        rows_of_up.append(HandMixes(first, dict(zip(suits, names, strict=True)), own))
    return rows_of_up
