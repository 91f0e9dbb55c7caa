"""Which learned policy answers, and what does it do with many hands?

A bundle is the policy and what belongs to it, one folder, whose files name each other:

    policy.npz   the policy
    values.csv   how hands of five to seven cards end between two players of it: W(5) to W(7)
    errors.csv   how far values by it may be off, by seat, round and hand size
    bundle.json  the digests of these files and of the rules that the policy learned

A folder of one training has the policy at least; the studies `self-play-values` and `self-play-accuracy` make a folder
with one file more from it. Files that were not made for each other are refused by name.

`class_calls` has the policy's calls with every hand, `play_out` plays deals out, every alternative on the same deals.
The up-card is a spade. Of a hand and its mirror image (`solver.towers_and_bowers.bidding`) one stands for both, and a
hand that is its own mirror image names mirrored suits alike, so that no answer depends on the names of suits. A
*contract* is a number: 0 to 3 the non-dealer bids in suit 0 to 3 of the up-card frame, 4 to 7 the dealer does; 0 and 4
are the up-card accepted.

>>> sorted(stored_bundle().files)
['errors.csv', 'policy.npz', 'values.csv']
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_24, mask_cards, rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.digest import rules_digest
from towerlab.games.untrusted import read_json
from towerlab.solver.towers_and_bowers.bidding import SPADES, in_play_order, make_deals, mirror, standing_hands
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACCEPT_ACTION,
    ACTIONS,
    FOLLOW,
    NAME_ACTION,
    PASS_ACTION,
    PLACES,
    SECOND_PASS_ACTION,
    State,
    copy_hands,
    next_choices,
    of_seat,
    select_hands,
    start,
    step,
    to_trump_frame,
)
from towerlab.solver.towers_and_bowers.self_play.network import (
    INPUTS,
    Policy,
    act_by,
    action_probabilities,
    read_policy,
)
from towerlab.solver.two_hands.tablebase import load_tablebase, rest_tricks

STORED: Final = Path(__file__).parents[1] / "learned"
POLICY_FILE: Final = "policy.npz"
VALUES_FILE: Final = "values.csv"
ERRORS_FILE: Final = "errors.csv"
BUNDLE_FILE: Final = "bundle.json"
_FILES: Final = (POLICY_FILE, VALUES_FILE, ERRORS_FILE)


@dataclass(frozen=True, eq=False)
class Bundle:
    """A policy with what was measured of it.

    Attributes:
        folder: the folder of the bundle.
        files: the content of its files by name.
        rules: the digest of the rules that the policy learned.
        policy: the policy that decides.
    """

    folder: Path
    files: Mapping[str, bytes]
    rules: str
    policy: Policy

    @functools.cached_property
    def digest(self) -> str:
        """The digest of all files."""
        return _digest(_manifest(self.files, self.rules))

    @functools.cached_property
    def exact_policy(self) -> Policy:
        """The policy in double precision: its answers do not depend on what else is asked."""
        return self.policy._replace(network=self.policy.network.in_double())

    @property
    def is_current(self) -> bool:
        """Whether the policy learned the rules as they are."""
        return self.rules == rules_digest()

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a CSV file by column; none where it has not been made."""
        return list(csv.DictReader(self.files.get(name, b"").decode().splitlines()))

    def with_file(self, name: str, content: bytes) -> dict[str, bytes]:
        """Return the files of a bundle that has one more, or a newer one; what depends on it is left out."""
        kept = {known: self.files[known] for known in _FILES[: _FILES.index(name)] if known in self.files}
        return bundle_files(kept | {name: content}, self.rules)


def bundle_files(files: Mapping[str, bytes], rules: str = "") -> dict[str, bytes]:
    """Return the files of a bundle, `BUNDLE_FILE` among them.

    Args:
        files: the content of `POLICY_FILE` and, if they were made with it, of the others.
        rules: the digest of the rules that it learned; by default of those as they are.
    """
    return dict(files) | {BUNDLE_FILE: _manifest(files, rules or rules_digest())}


def read_bundle(folder: Path) -> Bundle:
    """Return the bundle of a folder.

    Raises:
        TowerlabError: there is none, or its files were not made for each other.
    """
    if not (folder / BUNDLE_FILE).is_file():
        raise TowerlabError(
            f"{folder} holds no learned policy; expected a folder of `towerlab study towers-and-bowers self-play`"
        )
    manifest = read_json(folder / BUNDLE_FILE, "the files of a learned policy")
    named = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(named, dict) or POLICY_FILE not in named or not set(named) <= set(_FILES):
        raise TowerlabError(f"{folder / BUNDLE_FILE} names no {POLICY_FILE}; expected a file that a study has written")
    files = {}
    for name, digest in named.items():
        path = folder / name
        content = path.read_bytes() if path.is_file() else b""
        if _digest(content) != digest:
            raise TowerlabError(
                f"{path} is not the file that {BUNDLE_FILE} names; expected the files of one training together"
            )
        files[name] = content
    return Bundle(folder, files, str(manifest.get("rules")), policy_of(files[POLICY_FILE], folder / POLICY_FILE))


def current_bundle(folder: Path) -> Bundle:
    """Return the bundle of a folder, of the rules as they are.

    Raises:
        TowerlabError: as `read_bundle`, or it was made for other rules.
    """
    bundle = read_bundle(folder)
    if not bundle.is_current:
        raise TowerlabError(f"{folder} was trained before the rules were edited; expected a training of these rules")
    return bundle


def own_bundle(folder: str) -> Bundle | None:
    """Return the bundle of a folder that the user names, read once until it is written again; None for no name.

    Raises:
        TowerlabError: as `current_bundle`.
    """
    if not folder:
        return None
    written = Path(folder) / BUNDLE_FILE
    return _own_bundle(folder, written.stat().st_mtime_ns if written.is_file() else 0)


@functools.lru_cache(maxsize=4)
def _own_bundle(folder: str, written: int) -> Bundle:
    del written
    return current_bundle(Path(folder))


def policy_of(content: bytes, path: Path) -> Policy:
    """Return the policy in the content of a file.

    Raises:
        TowerlabError: it has none.
    """
    try:
        policy = read_policy(io.BytesIO(content))
        fits = policy.network.hidden[0].weight.shape[0] == INPUTS and len(policy.network.bias) == ACTIONS
    except (OSError, ValueError, LookupError, EOFError, BadZipFile):
        fits = False
    if not fits:
        raise TowerlabError(f"{path} is no policy; expected a {POLICY_FILE} of the study self-play")
    return policy


@functools.cache
def stored_bundle() -> Bundle:
    """Return the bundle that ships."""
    return read_bundle(STORED)


_IN_USE: ContextVar[Bundle | None] = ContextVar("learned policy", default=None)


def bundle_in_use() -> Bundle:
    """Return the bundle that answers: the one that ships, or another within `answer_with`."""
    return _IN_USE.get() or stored_bundle()


def policy_in_use() -> Policy:
    """Return the policy of the bundle that answers."""
    return bundle_in_use().policy


def exact_policy_in_use() -> Policy:
    """As `policy_in_use`, in double precision: its answers do not depend on what else is asked."""
    return bundle_in_use().exact_policy


@contextmanager
def answer_with(bundle: Bundle | None) -> Iterator[None]:
    """Let another bundle answer in this thread; None leaves what is in use."""
    token = _IN_USE.set(bundle or _IN_USE.get())
    try:
        yield
    finally:
        _IN_USE.reset(token)


def _manifest(files: Mapping[str, bytes], rules: str) -> bytes:
    names = {name: _digest(files[name]) for name in _FILES if name in files}
    return (json.dumps({"rules": rules, "files": names}, indent=1) + "\n").encode()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


# [up-card's suit, suit]: the suit's number in the up-card frame; both in the order C D H S.
FRAME_SUITS: Final = np.array([(0, 3, 2, 1), (3, 0, 1, 2), (3, 1, 0, 2), (1, 3, 2, 0)], dtype=np.int32)
# The printed suits C D H S = 0..3 in the order of the up-card frame of a spade.
SPADE_FRAME: Final = tuple(np.argsort(FRAME_SUITS[3]).tolist())
MIRRORED_CALLS: Final = (0, 1, 3, 2, 4)  # the columns of `call_probabilities` with suits 2 and 3 swapped
_RANKS: Final = 63  # six ranks of a suit, 9 the lowest of them
_LOWEST: Final = 7  # its place in the 13 of a printed suit


def to_frame(masks: Ints, up_suit: Ints | int = SPADE_FRAME[0]) -> NDArray[np.int32]:
    """int32: printed masks in the frame of an up-card of that suit."""
    ranks = [masks >> 13 * suit + _LOWEST & _RANKS for suit in range(4)]
    return np.asarray(sum(of << 6 * FRAME_SUITS[up_suit, suit] for suit, of in enumerate(ranks)), dtype=np.int32)


def card_numbers(masks: Ints, trump: int) -> Ints:
    """int64[cards]: the numbers in the trump frame of cards beside a spade, masks of one card each."""
    framed = to_trump_frame(to_frame(masks), np.full(len(masks), trump, dtype=np.int32))
    return np.asarray(np.bitwise_count(framed - 1), dtype=np.int64)


_CARDS: Final = np.array(mask_cards(DECK_24))
_BY_PLACE: Final = _CARDS[np.argsort(card_numbers(1 << _CARDS, 0))]  # the cards by place in the frame of trump spades


def frame_in_play_order(masks: NDArray[np.int32]) -> Ints:
    """int64: masks of the trump frame in play order, as the tablebase takes them."""
    moved = np.zeros(masks.shape, dtype=np.int64)
    for place, card in enumerate(in_play_order(1 << _BY_PLACE, SPADES).tolist()):
        moved |= (masks >> place & 1) * np.int64(card)
    return np.asarray(moved)


def call_probabilities(policy: Policy, hands: Ints, up: int, seat: int) -> Floats:
    """float64[hands, 5]: P(accept), then in the second round P(each of suits 1, 2, 3 of the frame) and P(pass).

    A dealer has no pass in the second round: the last column is 0.

    Args:
        policy: the policy that decides.
        hands: int64[hands], printed masks of one size; a spade is turned up.
        up: the up-card.
        seat: 0 the non-dealer, 1 the dealer.
    """
    own = deal_one_seat(hands, up, seat)
    first, second = (
        ((), (PASS_ACTION, PASS_ACTION))
        if seat == 0
        else ((PASS_ACTION,), (PASS_ACTION, PASS_ACTION, SECOND_PASS_ACTION))
    )
    accepts = _probabilities(policy, own, *first)[:, ACCEPT_ACTION]
    calls = np.column_stack([accepts, _probabilities(policy, own, *second)[:, NAME_ACTION:]])
    is_mirrored = mirror(hands) == hands
    calls[is_mirrored, 2:4] = calls[is_mirrored, 2:4].mean(axis=1, keepdims=True)
    return np.asarray(calls)


class ClassCalls:
    """How a policy calls with the classes of one hand size and up-card, each worked out when it is needed.

    Args:
        policy: the policy, in double precision.
        cards: hand size n.
        up: the up-card, a spade.
    """

    def __init__(self, policy: Policy, cards: int, up: int) -> None:
        self._policy = policy
        self._up = up
        self._classes = make_deals(cards, up).classes
        self._calls = np.full((2, len(self._classes), 5), np.nan)

    def probabilities(self, hands: Ints, seat: int) -> Floats:
        """Return `call_probabilities` of hands, int64[hands], printed masks."""
        standing = standing_hands(hands)
        rows = np.searchsorted(self._classes, standing)
        known = self._calls[seat]
        missing = np.unique(rows[np.isnan(known[rows, 0])])
        if len(missing):
            known[missing] = call_probabilities(self._policy, self._classes[missing], self._up, seat)
        calls = known[rows]
        is_mirrored = standing != hands
        calls[is_mirrored] = calls[is_mirrored][:, MIRRORED_CALLS]
        return np.asarray(calls)


def class_calls(cards: int, up: int) -> ClassCalls:
    """Return the table of a hand size and up-card, of the policy in use."""
    return _class_calls(bundle_in_use(), cards, up)


@functools.lru_cache(maxsize=4)
def _class_calls(bundle: Bundle, cards: int, up: int) -> ClassCalls:
    return ClassCalls(bundle.exact_policy, cards, up)


def deal_one_seat(hands: Ints, up: int, seat: int) -> State:
    """Return hands before the first call, one seat's cards in sight and the other's left out."""
    own = np.zeros((len(hands), 2), dtype=np.int32)
    own[:, seat] = to_frame(hands)
    size = np.full(len(hands), int(hands[0]).bit_count())
    return start(size, own, np.full(len(hands), 1 << rank_of(up) - _LOWEST, dtype=np.int32))


def _probabilities(policy: Policy, state: State, *calls: int) -> Floats:
    """float64[hands, 30], after some calls."""
    for call in calls:
        state = step(state, np.full(len(state.size), call))
    return action_probabilities(policy, state)


CONTRACTS: Final = 8
_STAY: Final = -1
_CALLS: Final = np.array(
    [
        [ACCEPT_ACTION, _STAY, _STAY, _STAY],
        *([PASS_ACTION, PASS_ACTION, NAME_ACTION + suit, _STAY] for suit in range(3)),
        [PASS_ACTION, ACCEPT_ACTION, _STAY, _STAY],
        *([PASS_ACTION, PASS_ACTION, SECOND_PASS_ACTION, NAME_ACTION + suit] for suit in range(3)),
    ]
)


def bid_contracts(size: int, hands: NDArray[np.int32], up: int, contract: Ints) -> State:
    """Return hands after the calls that lead to a contract: before the discard, or the first lead.

    Args:
        size: the number of cards dealt to each player.
        hands: int32[hands, 2], masks of the up-card frame, of the non-dealer and of the dealer.
        up: mask of the up-card.
        contract: int[hands], 0 to 7.
    """
    count = len(hands)
    state = start(np.full(count, size), hands, np.full(count, up, dtype=np.int32))
    for column in _CALLS[contract].T:
        state = select_hands(column != _STAY, step(state, np.maximum(column, 0)), state)
    return state


def draw_numbers(deals: int, random: np.random.Generator) -> Floats:
    """float64[deals, 19]: the random numbers of deals, one for each place in a hand.

    Places are the four calls, the discard and fourteen cards, so that alternatives of one deal have the same number for
    the same decision.
    """
    return random.random((deals, PLACES))


def play_out(policy: Policy, state: State, draws: Floats, together: int = 1, to_end: bool = True) -> State:
    """Return hands at their end, all decisions from here on being a policy's.

    Args:
        policy: the policy that makes all decisions.
        state: hands before a decision.
        draws: float64[hands / together, `PLACES`].
        together: the number of rows in turn that share their numbers.
        to_end: whether they are played on where no card left can change the result.
    """
    played = copy_hands(state)
    rows = np.arange(len(state.size))
    while True:
        rows, places = next_choices(played, rows, to_end)
        if not len(rows):
            return played
        act_by(policy, played, rows, draws[rows // together, places])


def final_tricks(state: State) -> Ints:
    """int64[hands]: the non-dealer's tricks of hands that are over or settled, the rest played with all cards seen."""
    leads = np.where(state.decision == FOLLOW, 1 - state.turn, state.turn)
    leader, follower, led = (
        frame_in_play_order(cards)
        for cards in (of_seat(state.hands, leads), of_seat(state.hands, 1 - leads), state.led)
    )
    rest = rest_tricks(load_tablebase(), leader, follower, led)
    left = np.bitwise_count(leader | led).astype(np.int64)
    return np.asarray(state.tricks[:, 0] + np.where(leads == 0, rest, left - rest))
