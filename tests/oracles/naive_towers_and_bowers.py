"""A referee of Towers & Bowers, on words and slowly: the oracle of matches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.oracles import naive


def naive_referee(actions: Iterable[dict[str, Any]]) -> list[tuple[int, int, int, int, str]]:
    """Judge a match that was played legally and without claims, from its JSON actions alone.

    Returns:
        For each hand: cards, dealer, tricks of players 0 and 1, and what followed: ``"tower 0"``, ``"deals 1"``.
    """
    hands: list[tuple[int, int, int, int, str]] = []
    pack: list[str] = []
    n, dealer, turned, table = 7, -1, 0, _Hand([], [], "", 0)
    for action in actions:
        match action["action"]:
            case "shuffle_starter":
                pack, turned, turner = action["pack"], 0, action["turner"]
            case "turn":
                if pack[turned] in ("JC", "JS"):
                    dealer = 1 - turner if turned % 2 == 0 else turner
                turned += 1
            case "shuffle":
                pack = list(action["pack"])
            case "cut":
                pack = pack[action["position"] :] + pack[: action["position"]]
            case "deal":
                table = _deal(pack, action["packets"], dealer)
            case "accept" | "name":
                table.bidder = action["player"]
                table.trump = action.get("suit", table.up_card[1])
            case "discard":
                table.held[dealer].remove(action["card"])
                table.held[dealer].append(table.up_card)
            case "play" if table.play(action["card"]):
                taken, bidder = table.taken, table.bidder
                if n in taken:
                    end, n, dealer = f"tower {taken.index(n)}", 7, -1
                else:
                    dealer = bidder if taken[bidder] > n / 2 else 1 - bidder
                    end, n = f"deals {dealer}", n - 1
                hands.append((sum(taken), table.dealer, *taken, end))
    return hands


class _Hand:
    def __init__(self, first: list[str], second: list[str], up_card: str, dealer: int) -> None:
        self.held = [first, second]
        self.up_card, self.dealer, self.trump, self.bidder = up_card, dealer, "", -1
        self.taken, self.to_act, self.led = [0, 0], 1 - dealer, ""

    def play(self, card: str) -> bool:
        """Whether that was the last card of the hand."""
        hand = self.held[self.to_act]
        assert card in (naive.legal_replies(hand, self.led, self.trump) if self.led else hand)
        hand.remove(card)
        if not self.led:
            self.led, self.to_act = card, 1 - self.to_act
            return False
        if naive.leader_wins(self.led, card, self.trump):
            self.to_act = 1 - self.to_act
        self.taken[self.to_act] += 1
        self.led = ""
        return not hand


def _deal(pack: list[str], packets: list[int], dealer: int) -> _Hand:
    held: list[list[str]] = [[], []]
    rest = list(pack)
    for size in packets:
        for player in (1 - dealer, dealer):
            held[player] += rest[:size]
            rest = rest[size:]
    return _Hand(held[0], held[1], rest[0], dealer)
