"""The rules of Towie again, on words and slowly: the oracle of kernels, engine and simulator."""

from __future__ import annotations

from collections.abc import Sequence

BIDS = [f"{level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")]
CALLS = ["pass", *BIDS, "X", "XX"]
RANKS = "23456789TJQKA"
TRICK_POINTS = {"C": 20, "D": 20, "H": 30, "S": 30, "NT": 35}
LOWEST_GAME = {  # TO-7, the table of the sheet
    "": {"C": 5, "D": 5, "H": 4, "S": 4, "NT": 3},
    "X": {"C": 3, "D": 3, "H": 2, "S": 2, "NT": 2},
    "XX": {"C": 2, "D": 2, "H": 1, "S": 1, "NT": 1},
}
UNDERTRICKS = {  # TO-18, a row a state, an entry for each undertrick
    ("", False): [50] * 13,
    ("X", False): [100, 100, 200, 200, *[400] * 9],
    ("", True): [100, *[200] * 12],
    ("X", True): [200, *[400] * 12],
}


def naive_contract(calls: Sequence[str]) -> tuple[str, int, str] | None:
    """The last bid, its caller 0..2 from the dealer, and "", "X" or "XX"; None when nobody bid."""
    contract = None
    for number, call in enumerate(calls):
        if call in BIDS:
            contract = (call, number % 3, "")
        elif call != "pass":
            contract = (contract[0], contract[1], call)
    return contract


def naive_is_over(calls: Sequence[str]) -> bool:
    if all(call == "pass" for call in calls):
        return len(calls) == 3
    return list(calls[-2:]) == ["pass", "pass"]


def naive_legal_calls(calls: Sequence[str]) -> set[str]:
    if naive_is_over(calls):
        return set()
    contract = naive_contract(calls)
    if contract is None:
        return {"pass", *BIDS}
    bid, bidder, doubled = contract
    legal = {"pass", *BIDS[BIDS.index(bid) + 1 :]}
    if doubled == "" and bidder != len(calls) % 3:
        legal.add("X")
    if doubled == "X" and bidder == len(calls) % 3:
        legal.add("XX")
    return legal


def naive_is_game(bid: str, doubled: str, doubled_counts: bool = True) -> bool:
    return int(bid[0]) >= LOWEST_GAME[doubled if doubled_counts else ""][bid[1:]]


def naive_score(
    bid: str,
    doubled: str,
    vulnerable: bool,
    tricks: int,
    *,
    parlett: bool = False,
    slams: bool = True,
    overtrick: int = 50,
) -> tuple[int, int]:
    """Declarer's points and each opponent's, without honours."""
    level = int(bid[0])
    over = tricks - level - 6
    if over < 0:
        lost = sum(UNDERTRICKS["X" if doubled else "", vulnerable][:-over])
        return 0, lost * (2 if doubled == "XX" else 1)
    points = level * TRICK_POINTS[bid[1:]] * {"": 1, "X": 2, "XX": 4}[doubled]
    points += 1000 if vulnerable else 500
    if doubled:
        points += (
            over * {("X", False): 100, ("X", True): 200, ("XX", False): 200, ("XX", True): 400}[doubled, vulnerable]
        )
        insult = 100 if doubled == "XX" and parlett else 50
        points += 2 * insult if vulnerable else insult
    else:
        points += over * overtrick
    if slams:
        points += {6: (500, 750), 7: (1000, 1500)}.get(level, (0, 0))[vulnerable]
    return points, 0


def naive_honours(hand: set[str], strain: str) -> int:
    if strain == "NT":
        return 150 if {"AS", "AH", "AD", "AC"} <= hand else 0
    return {4: 100, 5: 150}.get(len({rank + strain for rank in "AKQJT"} & hand), 0)


def naive_deal(pack: Sequence[str]) -> dict[str, list[str]]:
    """One card at a time to L, N, R, D."""
    return {place: list(pack[start::4]) for start, place in enumerate("LNRD")}


def naive_goulash(piles: dict[str, list[str]], cut: int) -> dict[str, list[str]]:
    """Stack D, L, N, R from the bottom, cut, deal 5-5-3 to L, N, R, D."""
    stack: list[str] = []
    for place in "DLNR":
        stack = piles[place] + stack
    stack = stack[cut:] + stack[:cut]
    hands: dict[str, list[str]] = {place: [] for place in "LNRD"}
    for size in (5, 5, 3):
        for place in "LNRD":
            hands[place] += stack[:size]
            stack = stack[size:]
    return hands


def naive_trick(cards: Sequence[str], trump: str) -> int:
    """Which card of a trick in order of play wins it."""

    def strength(card: str) -> tuple[int, int]:
        return (2 if card[1] == trump else 1 if card[1] == cards[0][1] else 0, RANKS.index(card[0]))

    return max(range(len(cards)), key=lambda place: strength(cards[place]))


def naive_legal_cards(hand: set[str], led: str | None) -> set[str]:
    following = {card for card in hand if led is not None and card[1] == led[1]}
    return following or hand


def naive_change_seats(
    active: list[str], waiting: list[str], vulnerable: set[str], seat: int, retiree_waits: bool
) -> tuple[list[str], list[str]]:
    """Active and waiting players after the declarer in `seat` has retired."""
    if not waiting:
        return active, waiting
    retiree = active[seat]
    candidates = waiting + [retiree] * retiree_waits
    preferred = [player for player in candidates if player not in vulnerable] or candidates
    entering = preferred[0]
    if entering == retiree:
        return active, waiting
    queue = [player for player in waiting if player != entering] + [retiree]
    return [entering if player == retiree else player for player in active], queue
