"""An auction of Towie that goes on by the novice's rule, on words, in the plain engine: oracle of the fast kernels."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tests.oracles.naive_towie import (
    BIDS,
    CALLS,
    RANKS,
    TRICK_POINTS,
    naive_contract,
    naive_honours,
    naive_legal_calls,
    naive_score,
)
from towerlab.games.towie import Phase, Towie
from towerlab.solver.double_dummy import trick_table

STRAINS = list(TRICK_POINTS)  # C D H S NT
HIGH_CARDS = {"A": 4, "K": 3, "Q": 2, "J": 1}
GAME_LEVELS = {"C": 5, "D": 5, "H": 4, "S": 4, "NT": 3}


def card_words(mask: int) -> set[str]:
    return {RANKS[card % 13] + STRAINS[card // 13] for card in range(52) if mask >> card & 1}


def high_cards(hand: set[str]) -> int:
    return sum(HIGH_CARDS.get(card[0], 0) for card in hand)


def in_suit(hand: set[str], suit: str) -> set[str]:
    return {card for card in hand if card[1] == suit}


def naive_novice_call(hand: set[str], six: set[str], calls: Sequence[str]) -> str:
    """Their points and fit, the hidden seven of dummy as an average of what is unseen; else perhaps a double."""
    contract = naive_contract(calls)
    if contract is not None and contract[1] == len(calls) % 3:
        return "pass"
    seen = high_cards(hand | six)
    points = seen + (40 - seen) * 7 / 33
    offers = []
    for strain in STRAINS:
        if strain == "NT":
            strength = points - 1.5 * sum(high_cards(in_suit(hand | six, suit)) < 2 for suit in "CDHS")
        else:
            held = len(in_suit(hand | six, strain))
            trumps = held + (13 - held) * 7 / 33
            if trumps < 7.5:
                continue
            short = sum(max(0, 3 - len(in_suit(hand, suit))) for suit in "CDHS" if suit != strain)
            strength = points + 1.5 * (trumps - 8) + short
        least = 28 if strain in ("C", "D") else 25
        level = 7 if strength >= 37 else 6 if strength >= 33 else GAME_LEVELS[strain] if strength >= least else 0
        bid = f"{level}{strain}"
        if level and (contract is None or BIDS.index(bid) > BIDS.index(contract[0])):
            merit = strength + (0 if strain in ("C", "D") else 3) + (10 if level >= 6 else 0)
            offers.append((merit, -STRAINS.index(strain), bid))
    return max(offers)[2] if offers else naive_novice_double(hand, calls)


def naive_novice_double(hand: set[str], calls: Sequence[str]) -> str:
    contract = naive_contract(calls)
    if "X" not in naive_legal_calls(calls) or contract is None or int(contract[0][0]) < 3:
        return "pass"
    trumps = len(in_suit(hand, contract[0][1:])) if contract[0][1:] != "NT" else 0
    return "X" if high_cards(hand) + 2 * max(0, trumps - 3) >= 15 else "pass"


def naive_continuation(hands: Sequence[int], six: int, calls: Sequence[int], asker: int) -> tuple[str, str, int] | None:
    """Contract, doubling and caller when the others go on as novices and the asker bids no more; None for a goulash.

    Args:
        hands: printed masks by caller, dummy last.
        six: dummy's exposed cards.
        calls: so far, by number.
        asker: a caller.
    """
    game = Towie()
    piles = [[card for card in range(52) if hands[place] >> card & 1] for place in (1, 3, 2, 0)]  # from dealer's left
    game.deal([piles[place % 4][place // 4] for place in range(52)])
    game.expose(six)
    for call in calls:
        game.call(call)
    while game.phase == Phase.AUCTION:
        deal = game.state().deal
        told = [CALLS[call] for call in deal.calls]
        caller = len(told) % 3
        hand = card_words(hands[caller])
        word = naive_novice_double(hand, told) if caller == asker else naive_novice_call(hand, card_words(six), told)
        game.call(CALLS.index(word))
    deal = game.state().deal
    found = naive_contract([CALLS[call] for call in deal.calls])
    if game.phase == Phase.GOULASH:
        return None
    return found[0], found[2], found[1]


def naive_points(
    contract: tuple[str, str, int] | None, hands: Sequence[int], asker: int, vulnerable: Sequence[bool]
) -> float:
    """The asker's points less the mean of the two others' with best play, honours included; arguments by caller."""
    if contract is None:
        return 0.0
    bid, doubled, declarer = contract
    left, right = (declarer + 1) % 3, (declarer + 2) % 3
    tricks = _tricks_of_south(hands[3], hands[right], hands[declarer], hands[left])[2, STRAINS.index(bid[1:])]
    ours, theirs = naive_score(bid, doubled, vulnerable[declarer], tricks)
    honours = [naive_honours(card_words(hand), bid[1:]) for hand in hands]
    ours += honours[declarer] + honours[3]
    theirs += honours[left] + honours[right]
    return float(ours - theirs) if declarer == asker else (theirs - ours) / 2


@functools.cache
def _tricks_of_south(*hands: int) -> dict[tuple[int, int], int]:
    return trick_table(hands)  # type: ignore[arg-type]
