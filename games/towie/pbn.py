"""Deals of Towie in PBN, the Portable Bridge Notation, so that bridge programs can read them.

A record we write has declarer in the South (without a contract the dealer), so that dummy is North, and West
leads: what other programs know of it (deal, contract, result, play) is a bridge deal. The rest stands in tags of
our own: ``TowieDummy``, ``TowieExposed``, ``TowieGoulashes``, ``TowieAuction``, ``TowieScore``. Vulnerability
is declarer's; that of the others scores nothing.
"""

from __future__ import annotations

from typing import Final

from towerlab.games.cards import card_text, mask_text
from towerlab.games.pbn import SEATS, deal_text
from towerlab.games.towie.auction import auction_text
from towerlab.games.towie.dealing import DUMMY, HAND_SIZE, HANDS
from towerlab.games.towie.play import LEADER, hand_at
from towerlab.games.towie.records import DealState

_COMPASS: Final = "SWNE"  # by position from declarer


def deal_to_pbn(deal: DealState, vulnerable: bool = False) -> str:
    """A deal as a PBN record.

    Args:
        deal: at any moment.
        vulnerable: whether declarer had won a game before it.
    """
    south = 0 if deal.contract is None else deal.contract.declarer
    place = {int(hand_at(position, south)): _COMPASS[position] for position in range(HANDS)}
    hands = {place[hand]: mask for hand, mask in enumerate(deal.dealt)}
    tags = {
        "Event": "Towie",
        "Dealer": place[0],
        "Vulnerable": "NS" if vulnerable else "None",
        "Deal": deal_text(tuple(hands[seat] for seat in SEATS)),
        "TowieDummy": place[DUMMY],
        "TowieExposed": mask_text(deal.exposed),
        "TowieGoulashes": str(deal.goulashes),
        "TowieAuction": auction_text(deal.calls),
    }
    if deal.contract is not None:
        tags |= {"Declarer": "S", "Contract": str(deal.contract)}
    if deal.score is not None:
        ours, theirs = deal.score.declarer_points, deal.score.opponent_points
        tags |= {"Result": str(deal.score.tricks), "Score": f"NS {ours}" if deal.score.made else f"EW {theirs}"}
        tags["TowieScore"] = f"{ours} {theirs}"
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join(lines + _play_lines(deal)) + "\n"


def _play_lines(deal: DealState) -> list[str]:
    """The play section: a row a trick, its columns W N E S whichever seat led."""
    if not deal.dummy_is_faced:
        return []
    tricks = [(trick.leader, trick.cards) for trick in deal.tricks]
    if deal.table:
        tricks.append((deal.leader, deal.table))
    rows = ['[Play "W"]']
    for leader, cards in tricks:
        row = ["- "] * HANDS
        for step, card in enumerate(cards):
            text = card_text(card)
            row[(leader + step - LEADER) % HANDS] = text[1] + text[0]
        rows.append(" ".join(row).rstrip())
    return rows if len(deal.tricks) == HAND_SIZE else [*rows, "*"]
