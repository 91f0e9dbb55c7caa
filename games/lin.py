"""Bridge boards in LIN, the format of Bridge Base Online: two letters, a bar, a text, a bar.

Read are ``qx`` (a board begins), ``ah`` (its number), ``pn`` (players S W N E), ``md`` (dealer 1..4 for S W N E,
and their hands), ``sv`` (vulnerability), ``mb`` (calls), ``pc`` (cards), ``mc`` (tricks of declarer once a player
claims), ``vg`` (the event).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from towerlab.games.cards import DECK_52, parse_mask
from towerlab.games.errors import CardError, TowerlabError, shown
from towerlab.games.pbn import BridgeBoard, contract_of, deal_text, following, parse_hands

_PAIRS: Final = re.compile(r"([A-Za-z]{2})\|([^|]*)\|")
_CALL: Final = re.compile(r"[1-7](?:NT?|[SHDC])|P(?:ASS)?|XX|X|R(?:DBL)?|D(?:BL)?")
_CARD: Final = re.compile(r"[SHDC](?:10|[2-9TJQKA])")
_VULNERABLE: Final = {"o": "None", "0": "None", "": "", "n": "NS", "e": "EW", "b": "All"}
_FIRST: Final = "S"


def read_boards(text: str) -> list[BridgeBoard]:
    """The boards of a LIN file, in its order; one that cannot be read says why in `BridgeBoard.problem`.

    A table without cards has those of the table before it with the same number. A link to a board is read as well.
    """
    text = unquote(text) if "md%7C" in text else text
    boards: list[BridgeBoard] = []
    event = ""
    everybody = ""
    parts: dict[str, list[str]] = {}
    line = 1
    place = 0
    first_line = 1
    for pair in itertools.chain(_PAIRS.finditer(text), [None]):
        name, value = ("qx", "") if pair is None else (pair[1].lower(), pair[2].strip())
        if name == "vg":
            event = value.partition(",")[0]
        if name == "pn" and not parts.keys() & {"qx", "md"}:
            everybody = value
        if name == "qx" or (name in ("md", "pn") and name in parts):
            if parts.keys() & {"md", "mb", "pc"}:
                boards.append(_read_board({"pn": [everybody], **parts}, event, first_line, boards))
                parts = {}
            parts = {} if name == "qx" else parts
        if pair is not None:
            line, place = line + text.count("\n", place, pair.start()), pair.start()
            first_line = first_line if parts else line
            parts.setdefault(name, []).append(value)
    return boards


def _read_board(
    parts: Mapping[str, Sequence[str]], event: str, line: int, before: Sequence[BridgeBoard]
) -> BridgeBoard:
    number = re.sub(r"\D", "", "".join(parts.get("ah", parts.get("qx", ("",)))[:1]))
    vulnerable = parts.get("sv", ("",))[0].lower()
    names = [name.strip() for name in parts["pn"][0].split(",")] + [""] * 8
    first = 4 if parts.get("qx", ("",))[0].startswith("c") and any(names[4:]) else 0  # the closed room
    south, west, north, east = names[first : first + 4]
    try:
        same = next((board for board in reversed(before) if board.number == number), None)
        if "md" in parts:
            dealer, deal = _read_deal(parts["md"][0])
            parse_hands(deal)
        elif same is not None:
            dealer = same.dealer
            deal = same.deal
        else:
            raise TowerlabError("no cards are dealt; expected md|… with them")
        calls = _CALL.findall(" ".join(parts.get("mb", ())).upper())
        contract, declarer = contract_of(dealer, calls)
        cards = _CARD.findall(" ".join(parts.get("pc", ())).upper())
        claimed = parts.get("mc", ("",))[-1]
        return BridgeBoard(
            deal=deal,
            number=number,
            event=event,
            dealer=dealer,
            vulnerable=_VULNERABLE.get(vulnerable, "?") if "sv" in parts or same is None else same.vulnerable,
            declarer=declarer,
            contract=contract,
            players=(north, east, south, west),
            play=tuple(tuple(cards[first : first + 4]) for first in range(0, len(cards), 4)),
            tricks=int(claimed) if claimed.isdecimal() else None,
            line=line,
        )
    except TowerlabError as error:
        return BridgeBoard(number=number, event=event, line=line, problem=str(error))


def _read_deal(text: str) -> tuple[str, str]:
    """The dealer and the deal in PBN: hands from South on, the last of which may be left out."""
    dealer = text[:1]
    hands = [hand.strip().upper() for hand in text[1:].split(",")]
    if dealer not in tuple("1234") or not 3 <= len(hands) <= 4:
        raise CardError(f"{shown(text)} is no deal; expected a dealer 1 to 4 and hands S, W, N, E with commas between")
    masks: dict[str, int] = {}
    for step, hand in enumerate(hands):
        seat = following(_FIRST, step)
        if not hand and seat != "E":
            raise CardError(f"{seat}'s hand is not given; expected the hands S, W and N at least")
        suits = re.findall(r"([SHDC])([^SHDC]*)", hand)
        words = [rank + suit for suit, ranks in suits for rank in re.findall(r"10|\S", ranks)]
        masks[seat] = parse_mask(" ".join(words), DECK_52, f"{seat}'s hand")
    if not masks.get("E"):
        masks["E"] = DECK_52 & ~(masks["S"] | masks["W"] | masks["N"])
    return following(_FIRST, int(dealer) - 1), deal_text(tuple(masks[seat] for seat in "NESW"))
