"""Oracles of Bowers, written on texts from the rule sheet and sharing no code with the kernels."""

from __future__ import annotations

from tests.oracles.naive import MATES, strength, suit_followed

SUITS = "CDHS"
LADDER: list[list[str]] = []  # rungs, lowest first; calls on one rung do not beat each other
for _level in range(1, 11):
    LADDER += [[f"{_level}NT"], [f"{_level}{suit}" for suit in SUITS]]
    if _level == 6:
        LADDER.append(["M"])
ALL_CALLS = ["P", *(call for rung in LADDER for call in rung)]


def rung(call: str) -> int:
    return next((place for place, calls in enumerate(LADDER, 1) if call in calls), 0)


def level(call: str) -> int:
    return int(call.rstrip("NTCDHS")) if call not in ("P", "M") else 0


def is_legal(standing: str, call: str, min_bid: int = 1) -> bool:
    if call == "P":
        return True
    if call == "M":
        return standing in ("6NT", "6C", "6D", "6H", "6S")
    return rung(call) > rung(standing) and level(call) >= min_bid


def run_auction(calls: list[str]) -> tuple[str, int | None, str]:
    """(``open``, ``won`` or ``thrown in``; who bid last; their bid) after these calls."""
    standing = "P"
    bidder = None
    passed = 0
    for place, call in enumerate(calls):
        if call == "P":
            passed += 1
        else:
            standing = call
            bidder = place % 3
            passed = 0
    if bidder is None:
        return ("thrown in" if passed == 3 else "open"), None, "P"
    return ("won" if passed == 2 else "open"), bidder, standing


VALUES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 12, 8: 13, 9: 24, 10: 25}


def points(
    call: str,
    taken: tuple[int, int, int],
    factor: int = 1,
    misere_value: int = 10,
    fail: str = "joint_tricks",
    made_scores: bool = False,
) -> tuple[int, ...]:
    """Points of bidder, left and right opponent who took so many tricks."""
    value = misere_value if call == "M" else VALUES[level(call)]
    bidder = taken[0]
    if bidder == 0 if call == "M" else bidder >= level(call):
        scores = [value, taken[1] if made_scores else 0, taken[2] if made_scores else 0]
    else:
        joint = taken[1] + taken[2]
        each = {"joint_tricks": joint, "bidder_tricks": bidder, "zero": 0}[fail] if call == "M" else joint
        scores = [-value, each, each]
    return tuple(factor * score for score in scores)


# ----------------------------------------------------------------------------------------------------------- play


def legal_cards(hand: list[str], led: str | None, trump: str, named: str = "") -> list[str]:
    if led is None:
        return sorted(hand)
    suit = suit_followed(led, trump)
    if suit == "X":
        suit = named
    following = [card for card in hand if suit_followed(card, trump) == suit]
    return sorted(following or hand)


def trick_winner(cards: list[str], trump: str) -> int:
    """Place of the card that wins."""
    joker_or_trump = "X" if trump == "NT" else trump
    trumps = [card for card in cards if suit_followed(card, trump) == joker_or_trump]
    running = trumps or [card for card in cards if suit_followed(card, trump) == suit_followed(cards[0], trump)]
    return cards.index(max(running, key=lambda card: strength(card, trump)))


# --------------------------------------------------------------------------------------------------------- habits

SIDE_ORDER = "CDHS"


def by_suit(hand: list[str], trump: str) -> dict[str, list[str]]:
    """Cards by the suit they follow."""
    return {suit: [card for card in hand if suit_followed(card, trump) == suit] for suit in (*SIDE_ORDER, "X")}


def counted_eighths(hand: list[str], trump: str) -> int:
    """What the novice counts in ten cards, in eighths of a trick."""
    suits = by_suit(hand, trump)
    count = 12 * ("X1" in hand)
    if trump == "NT":
        count += 2
        for suit in SIDE_ORDER:
            ranks = [card[0] for card in suits[suit]]
            count += 12 * ("A" in ranks) + 9 * ("A" in ranks and "K" in ranks)
            count += 3 * ("K" in ranks and len(ranks) >= 2) + 2 * ("Q" in ranks and len(ranks) >= 3)
        return count + 7 * max(0, max(len(suits[suit]) for suit in SIDE_ORDER) - 4)
    count += -11 + 7 * len(suits[trump])
    worth = {"J" + trump: 12, "J" + MATES[trump]: 8, "A" + trump: 5, "K" + trump: 2}
    count += sum(worth.get(card, 0) for card in hand)
    for suit in set(SIDE_ORDER) - {trump}:
        ranks = [card[0] for card in suits[suit]]
        count += 8 * ("A" in ranks) + 3 * ("K" in ranks and len(ranks) >= 2) + max(0, 2 - len(ranks))
    return count


def keeping_worth(card: str, hand: list[str], trump: str) -> int:
    suit = by_suit(hand, trump)[suit_followed(card, trump)]
    if suit_followed(card, trump) == ("X" if trump == "NT" else trump):
        return 1000 + sum(strength(other, trump) < strength(card, trump) for other in suit)
    worth = 2 * "23456789TJQKA".index(card[0]) + (8 if trump == "NT" else 4) * len(suit)
    if card[0] == "A":
        worth += 60
    if card[0] == "K":
        worth += 24 if len(suit) >= 2 else 2
    if card[0] == "Q":
        worth += 8 if len(suit) >= 3 else 1
    return worth


def goes_first(hand: list[str], order: tuple[str, ...], trump: str) -> bool:
    """Whether each of these cards is, when it goes, one that is worth keeping least."""
    left = list(hand)
    for card in order:
        if keeping_worth(card, left, trump) > min(keeping_worth(other, left, trump) for other in left):
            return False
        left.remove(card)
    return True


# -------------------------------------------------------------------------------------------------------- auctions


def looks_low(hand: list[str]) -> bool:
    """Whether the i-th lowest card of every suit is at most the (2 i − 1)-th lowest of the pack."""
    if "X1" in hand:
        return False
    return all(
        "789TJQKA".index(card[0]) <= 2 * place
        for suit in SIDE_ORDER
        for place, card in enumerate(sorted((c for c in hand if c[1] == suit), key=lambda c: "789TJQKA".index(c[0])))
    )


def novice_bids(hand: list[str], standing: str, min_bid: int = 1, others: str = "novice") -> str:
    """The highest legal bid that a novice counts enough tricks for, clubs first of equal ones; misère; or a pass.

    Who is careful takes the highest of those a trick below what they count, if any is legal.
    """
    counted = {trump: min(10, counted_eighths(hand, trump) // 8) for trump in (*SIDE_ORDER, "NT")}
    for less in (1, 0) if others == "careful" else (0,):
        bids = [f"{tricks - less}{trump}" for trump, tricks in counted.items() if tricks - less >= 1]
        legal = [bid for bid in bids if is_legal(standing, bid, min_bid)]
        if legal:
            return max(legal, key=rung)
    return "M" if is_legal(standing, "M", min_bid) and looks_low(hand) else "P"


def play_auction_on(hands: list[list[str]], before: list[str], call: str, others: str, min_bid: int = 1) -> list[str]:
    """The whole auction after `before`: `call` by player 0 of `hands`, who then passes, and what the others call."""
    calls = [*before, call]
    place = len(before) % 3
    while True:
        how, _, standing = run_auction(calls)
        if how != "open":
            return calls
        seat = (len(calls) - place) % 3
        calls.append(novice_bids(hands[seat], standing, min_bid, others) if seat and others != "pass" else "P")
