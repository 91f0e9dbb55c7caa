"""Deals of Towie in PBN, the Portable Bridge Notation, so that bridge programs can read them and we theirs.

A record we write has declarer in the South (without a contract the dealer), so that dummy lies in the North, and West
leads: what other programs know of it (deal, contract, result, play) is a bridge deal. What they do not know stands in
tags of our own: ``TowieDummy``, ``TowieExposed``, ``TowieGoulashes``, ``TowieAuction``, ``TowieScore``. Vulnerability
is declarer's; that of the others scores nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from games.cards import card_text, mask_text, parse_card, parse_mask
from games.errors import CardError, TowerlabError
from games.pbn import SEATS, deal_text, parse_deal
from games.towie.auction import BID, auction_of, auction_text, parse_auction, strain_of
from games.towie.dealing import DUMMY, EXPOSED, HAND_SIZE, HANDS, pack_of
from games.towie.engine import Towie
from games.towie.play import LEADER, hand_at, trick_winner
from games.towie.records import DealState, Score

_COMPASS: Final = "SWNE"  # by position from declarer
_TAG = re.compile(r'\[(\w+)\s+"([^"]*)"\]')


@dataclass(frozen=True)
class DealRecord:
    """A deal read from PBN, as far as it was recorded.

    Attributes:
        hands: of dealer, left, right, dummy as dealt, printed masks.
        exposed: printed mask of the six faced cards, 0 when they are not recorded.
        calls: from the dealer's, as in `games.towie.auction`.
        cards: played, in order of play.
    """

    hands: tuple[int, int, int, int]
    exposed: int = 0
    calls: tuple[int, ...] = ()
    cards: tuple[int, ...] = ()


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
        tags |= {"Result": str(deal.score.tricks), "Score": _score_text(deal.score)}
        tags["TowieScore"] = f"{deal.score.declarer_points} {deal.score.opponent_points}"
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join(lines + _play_lines(deal)) + "\n"


def _score_text(score: Score) -> str:
    return f"NS {score.declarer_points}" if score.made else f"EW {score.opponent_points}"


def _play_lines(deal: DealState) -> list[str]:
    """The play section: a row a trick, its columns W N E S whoever led."""
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


def deal_from_pbn(text: str) -> DealRecord:
    """A deal from a PBN record: one we wrote, or any bridge deal, whose dummy is then opposite the dealer (TO-2).

    Of a bridge deal only the cards are taken, since four have bid.

    Raises:
        TowerlabError: no deal, or one that cannot be; a card that its hand does not hold, an illegal auction.
    """
    tags = dict(_TAG.findall(text))
    if "Deal" not in tags:
        raise TowerlabError('the record has no [Deal "…"]; expected a PBN deal')
    compass = dict(zip(SEATS, parse_deal(tags["Deal"]), strict=True))
    size = next(iter(compass.values())).bit_count()
    if size != HAND_SIZE:
        raise CardError(f"hands of {size} cards; expected {HAND_SIZE}")
    order = _seats_of(tags)
    hands = (compass[order[0]], compass[order[1]], compass[order[2]], compass[order[DUMMY]])
    exposed = tags.get("TowieExposed", "")
    faced = parse_mask(exposed, hands[DUMMY], "the exposed cards", EXPOSED) if exposed else 0
    calls = parse_auction(tags.get("TowieAuction", ""))
    if "TowieDummy" not in tags or not calls:
        return DealRecord(hands, faced)
    return DealRecord(hands, faced, calls, _cards_played(text, calls))


def _seats_of(tags: dict[str, str]) -> list[str]:
    """The compass seats of dealer, left, right, dummy."""
    dealer = tags.get("Dealer", "S").upper()
    if dealer not in tuple(SEATS):
        raise TowerlabError(f"dealer {dealer!r} is no seat; expected N, E, S or W")
    opposite = SEATS[(SEATS.index(dealer) + 2) % 4]
    dummy = tags.get("TowieDummy", opposite)
    if dummy not in tuple(SEATS) or dummy == dealer:
        raise TowerlabError(f"TowieDummy {dummy!r}; expected another seat than the dealer's")
    clockwise = [SEATS[(SEATS.index(dealer) + step) % 4] for step in range(4)]
    return [seat for seat in clockwise if seat != dummy] + [dummy]


def _cards_played(text: str, calls: tuple[int, ...]) -> tuple[int, ...]:
    """The cards of the play section in order of play."""
    _, found, section = text.partition('[Play "W"]')
    if not found:
        return ()
    strain = int(strain_of(int(auction_of(calls)[BID])))
    played: list[int] = []
    leader = LEADER
    for line in section.split("[", 1)[0].splitlines():
        words = [word for word in line.split() if word != "*"]
        if not words:
            continue
        row = dict(enumerate(words + ["-"] * (HANDS - len(words))))
        cards = np.zeros(HANDS, dtype=np.int64)
        for step in range(HANDS):
            position = (leader + step) % HANDS
            word = row[(position - LEADER) % HANDS]
            if word == "-":
                return tuple(played)
            played.append(parse_card(word))
            cards[position] = 1 << played[-1]
        leader = int(trick_winner(cards, leader, strain))
    return tuple(played)


def enter_record(game: Towie, record: DealRecord) -> None:
    """Deal a recorded deal in a game that waits for one, and take every action that is recorded.

    Raises:
        IllegalAction: the game waits for something else, or the record holds what the rules do not allow.
    """
    game.deal(pack_of(record.hands))
    if not record.exposed:
        return
    game.expose(record.exposed)
    for call in record.calls:
        game.call(call)
    for card in record.cards:
        game.play(card)
