"""What do bidding rules of Bowers cost? The study `bidding-accuracy`: points a deal, all in the same first calls.

The players before have called as novices; each deal gives one decision, in each place equally often. Every legal call
is valued as by `towerlab bid`, in points, except that all bury by habit. The reference chooses on seven eighths of the
layouts and is scored on the last one, in turn (`analysis.bidding.accuracy`).
The count and its deduction were fitted on seeds 1 and 1001.

    towerlab study bowers bidding-accuracy --out folder
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.bidding.accuracy import HELP, PASSING, REFERENCE, decision_scores, rule_rows
from towerlab.analysis.bowers.bid import BowersQuestion
from towerlab.analysis.bowers.bury import fields_of
from towerlab.analysis.printed_rules import single_losses
from towerlab.analysis.stats import mean_interval, paired_difference
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import (
    HAND_SIZE,
    MISERE,
    MOST_TRICKS,
    PASS,
    PLAYERS,
    Auction,
    BowersOptions,
    bid_of,
    bid_trumps,
    call_level,
    call_text,
    is_legal_call,
    to_bid_order,
)
from towerlab.games.bowers.state import BID, BIDDER, DEALER, DEALS, HANDS, PASSES, PHASE, STANDING, TO_ACT, new_state
from towerlab.games.cards import LEFT_BOWER, NO_TRUMP, RIGHT_BOWER, TRUMPS, cards_mask, mask_cards, mask_text
from towerlab.sim.bowers import PLAYERS as KNOWN
from towerlab.sim.bowers import result_values, seat_player
from towerlab.sim.bowers.continuation import SolvedBids, calls_of_others, draw_layouts
from towerlab.sim.bowers.deciding import NOVICE, choose
from towerlab.sim.bowers.habits import novice_call

COUNT: Final = {"trumps": 1.0, "aces": 1.0, "bowers": 1.25, "top": 0.25, "kings": 0.25, "voids": 0.25}
OFF: Final = 2.25  # tricks
_WORDS: Final = {
    "trumps": "each trump {}", "aces": "side ace {}", "bowers": "bower {} more",
    "top": "trump ace/king/queen {} more", "kings": "guarded king {}", "voids": "void {}",
}  # fmt: skip
RULE: Final = (
    f"count tricks for each suit: {', '.join(_WORDS[name].format(f'{tricks:g}') for name, tricks in COUNT.items())}. "
    f"Take off {OFF:g} and bid the rest, rounded down, in your best suit"
)
TIES: Final = (
    "A jack of the suit or of its colour is a bower and a trump; a guarded king is one of a side suit of which "
    "you hold another card, a void a side suit of which you hold none. Of suits that count the same take clubs "
    "before diamonds, hearts, spades. Bid ten at most; pass where the bid is below one or does not beat the last one"
)
"""The table card in words; `call_of_count` is how it is played."""
RESAMPLES: Final = 200
OPTIONS: Final = BowersOptions()
LAYOUTS: Final = 40
FOLDS: Final = 8
DECISIONS_A_CHUNK: Final = 30
MUCH: Final = 2.0  # points that are many for a single hand to lose


ALL = "all first calls"
OPENING = "nobody has bid"
OVER = "over a bid"
CARD_RULE: Final = "the count"
PLAYERS_OF: Final = {  # rules that no person could follow
    name: f"player {name}" for name, player in KNOWN.items() if player.is_measured
}
IN_MISERE: Final = "misère"


# ------------------------------------------------------------------------------------------------------- the sample


def observe_bidding(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each decision."""
    number = min(DECISIONS_A_CHUNK, int(parameters["decisions"]) - chunk * DECISIONS_A_CHUNK)
    rng = np.random.default_rng(seed)
    return pd.DataFrame([_decision(rng, place % PLAYERS) for place in range(number)])


def _decision(rng: np.random.Generator, place: int) -> dict[str, Any]:
    """Return a player's first call: the hand, the points of each rule, the tricks in every suit."""
    rules = OPTIONS.rules()
    cards = [int(card) for card in rng.permutation(mask_cards(OPTIONS.deck))]
    hands = [cards_mask(cards[HAND_SIZE * seat : HAND_SIZE * (seat + 1)]) for seat in range(PLAYERS)]
    auction = Auction()
    for seat in range(place):
        auction = auction.after(int(novice_call(hands[seat], auction.standing, rules)))
    hand = hands[place]
    question = BowersQuestion(hand, auction, rules)
    layouts = draw_layouts(question.unseen, calls_of_others(auction.calls), NOVICE, rules, LAYOUTS, rng)
    contracts = SolvedBids(hand, layouts, place, rules)
    calls = question.calls
    results = contracts.follow(calls, question.standing, NOVICE, rng)
    values = result_values(OPTIONS)[results[..., 0], results[..., 1], contracts.tricks_of(results)]
    bids = [(int(bid_of(1, trump)), 0) for trump in range(NO_TRUMP)]
    own = contracts.tricks_of(np.broadcast_to(np.array(bids), (LAYOUTS, len(bids), 2))).mean(axis=0)
    made = {
        CARD_RULE: call_of_count(count_tricks(hand), auction.standing),
        **{label: _call_of(name, _table(hand, place, auction), rng) for name, label in PLAYERS_OF.items()},
        PASSING: PASS,
        IN_MISERE: MISERE,
    }
    row = {"hand": hand, "standing": auction.standing, "said": made[CARD_RULE]}
    row |= decision_scores(values, calls, made, CARD_RULE, FOLDS)
    return row | {f"tricks {TRUMPS[trump]}": float(own[trump]) for trump in range(NO_TRUMP)}


def _call_of(name: str, state: Ints, rng: np.random.Generator) -> int:
    """Return the call of one of our players on turn."""
    kind, outside = seat_player(name, OPTIONS, rng)
    value, _ = outside.choose(state) if outside is not None else choose(state, kind, OPTIONS.rules(), rng)
    return int(value)


def _table(hand: int, place: int, auction: Auction) -> Ints:
    """Return the table as the player on turn sees it."""
    state = new_state()
    state[PHASE] = BID
    state[DEALS] = 1
    state[TO_ACT] = place
    state[DEALER] = 2
    state[HANDS + place] = hand
    state[STANDING] = auction.standing
    state[PASSES] = auction.passes
    state[BIDDER] = -1 if auction.bidder is None else auction.bidder
    return state


# ----------------------------------------------------------------------------------------------------------- counting


def count_rows(views: pd.DataFrame) -> pd.DataFrame:
    """Return the count: tricks with the kitty as a sum over ten cards, least squares over every suit of every hand.

    Returns:
        A row for each term: counted (the constant as ``to begin with``), tricks with the 95 % interval of `RESAMPLES`
        resamples of the hands, printed (as `COUNT` has it), n.
    """
    features = np.array([[[1.0, *(suit[name] for name in COUNT)] for suit in describe(hand)] for hand in views["hand"]])
    tricks = views[[f"tricks {TRUMPS[trump]}" for trump in range(NO_TRUMP)]].to_numpy()
    random = np.random.default_rng(0)
    drawn = [random.integers(len(views), size=len(views)) for _ in range(RESAMPLES)]
    low, high = np.quantile([_least_squares(features[some], tricks[some]) for some in drawn], (0.025, 0.975), axis=0)
    names = ["to begin with", *COUNT]
    printed = [-OFF, *COUNT.values()]
    row = {"tricks": _least_squares(features, tricks), "tricks_low": low, "tricks_high": high}
    return pd.DataFrame({"counted": names, **row, "printed": printed, "n": len(views)})


def _least_squares(features: Floats, tricks: Floats) -> Floats:
    """Return least-squares weights, float64[terms], from float64[hands, trumps, terms] and float64[hands, trumps]."""
    flat = features.reshape(-1, features.shape[-1])
    return np.asarray(np.linalg.lstsq(flat, tricks.ravel(), rcond=None)[0], dtype=np.float64)


@lru_cache(maxsize=100_000)
def describe(hand: int) -> tuple[dict[str, int], ...]:
    """Return the counted cards of a hand, by suit of trumps."""
    return tuple(
        describe_hand(int(to_bid_order(hand, bid_of(1, trump))), int(bid_trumps(bid_of(1, trump))))
        for trump in range(NO_TRUMP)
    )


def describe_hand(hand: int, trumps: int) -> dict[str, int]:
    """Return a player's count of a hand.

    Args:
        hand: the mask of the hand in play order.
        trumps: the trump field.

    Returns:
        The numbers of trumps (bowers included), bowers, top (ace, king, queen of trumps), aces, kings (with another
        card of the suit) and voids outside trumps.
    """
    plain = fields_of(trumps)[:-1]
    places = [field & -field for field in plain]  # the two of each suit
    held = [(hand & field).bit_count() for field in plain]
    return {
        "trumps": (hand & trumps).bit_count(),
        "bowers": (hand & (LEFT_BOWER | RIGHT_BOWER)).bit_count(),
        "top": (hand >> 39 & 0b111 << 10).bit_count(),
        "aces": sum(hand & two << 12 != 0 for two in places),
        "kings": sum(hand & two << 11 != 0 and cards > 1 for two, cards in zip(places, held, strict=True)),
        "voids": held.count(0),
    }


def count_tricks(hand: int) -> Floats:
    """Return the tricks of the printed count in each trump suit, before deductions, float64[4]."""
    return np.array([sum(COUNT[name] * held[name] for name in COUNT) for held in describe(hand)])


def call_of_count(count: Floats, standing: int) -> int:
    """Return the call of a count: the suit of the highest count, and that many tricks less `OFF`, rounded down.

    Args:
        count: float64[4].
        standing: the bid to beat.

    A bid that is not legal, or below one, is a pass.
    """
    trump = int(count.argmax())
    level = min(int(np.floor(count[trump] - OFF)), MOST_TRICKS)
    bid = int(bid_of(level, trump)) if level >= 1 else PASS
    return bid if is_legal_call(standing, bid, OPTIONS.min_bid) else PASS


# ------------------------------------------------------------------------------------------------------------ the score


def combine_bidding(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the tables ``rules`` (`rule_rows`), ``single`` (`single_losses`), ``count``, ``calls`` and ``gained``."""
    views = pd.concat(chunks, ignore_index=True)
    opens = (views["standing"] == PASS).to_numpy()
    novice = PLAYERS_OF["novice"]
    kinds = {OPENING: opens, OVER: ~opens}
    shown = views.assign(hand=views["hand"].map(mask_text), over_bid=views["standing"].map(call_text))
    shown["said"] = views["said"].map(call_text)
    rules = (CARD_RULE, *PLAYERS_OF.values(), PASSING, REFERENCE)
    tables = {
        "rules": rule_rows({ALL: opens | True} | kinds, views, rules),
        "single": single_losses(kinds, shown, MUCH, ("hand", "over_bid", "said")),
        "count": count_rows(views),
        "calls": _call_rows(views),
        "gained": pd.DataFrame([{"less": novice, **paired_difference(views[CARD_RULE], views[novice]).row()}]),
    }
    return StudyResult(tables, {"scored": len(views), "layouts": LAYOUTS})


def _call_rows(views: pd.DataFrame) -> pd.DataFrame:
    """Return the mean points of passing, of the reference and of misère, where each is legal."""
    rows = []
    levels = np.array([6 if bid == MISERE else int(call_level(bid)) for bid in views["standing"]])
    for name, part in (
        (OPENING, views["standing"] == PASS), ("over 1 to 4", (levels >= 1) & (levels <= 4)), ("over 5", levels == 5),
        ("over 6", levels == 6), ("over 7 or more", levels >= 7),
    ):  # fmt: skip
        for what, rule in (("passing", PASSING), ("the reference", REFERENCE), (IN_MISERE, IN_MISERE)):
            known = views.loc[part, rule].dropna()
            if len(known) >= 2:
                rows.append({"when": name, "what": what, **mean_interval(known)._asdict()})
    return pd.DataFrame(rows)


BIDDING: Final = Study(
    game="bowers",
    name="bidding-accuracy",
    help=HELP,
    parameters={"decisions": 600},
    count_chunks=lambda parameters: -(-int(parameters["decisions"]) // DECISIONS_A_CHUNK),
    run_chunk=observe_bidding,
    combine=combine_bidding,
)
