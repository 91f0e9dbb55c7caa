"""How are bridge boards written in LIN? The format of Bridge Base Online: two letters, a bar, a text, a bar.

Read are ``qx`` (a board begins; room and number), ``ah`` (its label), ``pn`` (players S W N E), ``md`` (dealer 1..4 for
S W N E, and their hands), ``sv`` (vulnerability), ``mb`` (calls), ``an`` (what a call means), ``pc`` (cards), ``mc``
(tricks of declarer once a player claims), ``vg`` (the event).

>>> board = read_boards("md|3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432|mb|p|mb|1C|")[0]
>>> board.dealer, board.auction
('N', ('Pass', '1C'))
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote, unquote_plus

from towerlab.games import pbn
from towerlab.games.cards import DECK_52, parse_mask
from towerlab.games.errors import CardError, TowerlabError, quote_value

_PAIRS: Final = re.compile(r"([A-Za-z]{2})\|([^|]*)\|")
_LINKS: Final = re.compile(r"(?<!\S)\S*[?&]lin=[^\n]*")  # from the beginning of a word: one try a word
_CALL: Final = re.compile(pbn.CALL, re.IGNORECASE)
_CARD: Final = re.compile(r"[SHDC](?:10|[2-9TJQKA])")
_LABEL: Final = re.compile(r"(?:board|deal|hand|brd|bd|no|nr|#)\W*(\d+)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\D*(\d+)")
_ROOMS: Final = {"o": "Open", "c": "Closed"}
_FIRST: Final = "S"
_REMARK: Final = "\0"  # before what is said of the call before


def read_boards(text: str) -> list[pbn.BridgeBoard]:
    """Return the boards of a LIN file, in its order; one that cannot be read says why in `BridgeBoard.problem`.

    A table without cards has those of the table before it with the same number. Links to boards are read as well.
    """
    text = _LINKS.sub(_unquote_link, text)
    if re.search(r"%20|%7C", text, re.IGNORECASE):  # the text of a link alone
        text = unquote(text)
    boards: list[pbn.BridgeBoard] = []
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
        if name == "an":  # of the call before it
            parts.setdefault("mb", []).append(_REMARK + value)
        elif pair is not None:
            line, place = line + text.count("\n", place, pair.start()), pair.start()
            first_line = first_line if parts else line
            parts.setdefault(name, []).append(value)
    return boards


def _unquote_link(link: re.Match[str]) -> str:
    """Return the text of a link: a space is %20, or, where a program writes forms, a plus."""
    is_form = "+" in link[0] and " " not in link[0] and "%20" not in link[0]
    return unquote_plus(link[0]) if is_form else unquote(link[0])


def _read_board(
    parts: Mapping[str, Sequence[str]], event: str, line: int, before: Sequence[pbn.BridgeBoard]
) -> pbn.BridgeBoard:
    begins = parts.get("qx", ("",))[0]
    number = _board_number("".join(parts.get("ah", ())[:1]), begins)
    room = _ROOMS.get(begins[:1].lower(), "")
    names = [name.strip() for name in parts["pn"][0].split(",")] + [""] * 8
    first = 4 if room == "Closed" and any(names[4:]) else 0
    south, west, north, east = ("" if name in ("-", pbn.UNKNOWN) else name for name in names[first : first + 4])
    left_out: list[str] = []
    try:
        same = next((board for board in reversed(before) if board.number == number), None)
        if "md" in parts:
            dealer, deal = _read_deal(parts["md"][0])
            pbn.parse_hands(deal)
        elif same is not None:
            dealer = same.dealer
            deal = same.deal
        else:
            raise TowerlabError("no cards are dealt; expected md|… with them")
        vulnerable = "" if same is None else same.vulnerable
        try:
            vulnerable = pbn.parse_vulnerability(parts["sv"][0] or "o") if "sv" in parts else vulnerable
        except TowerlabError as error:
            left_out.append(f"line {line}: {error}")
        auction, remarks = _read_calls(parts.get("mb", ()))
        contract, declarer = pbn.contract_of(dealer, auction) if dealer else ("", "")
        cards = _CARD.findall(" ".join(parts.get("pc", ())).upper().replace("10", "T"))
        claimed = parts.get("mc", ("",))[-1]
        return pbn.BridgeBoard(
            deal=deal,
            number=number,
            event=event,
            dealer=dealer,
            vulnerable=vulnerable,
            declarer=declarer,
            contract=contract,
            players=(north, east, south, west),
            auction=auction,
            remarks=remarks,
            play=tuple(tuple(cards[first : first + 4]) for first in range(0, len(cards), 4)),
            tricks=int(claimed) if claimed.isdecimal() else None,
            claimed=claimed.isdecimal(),
            room=room,
            line=line,
            left_out=tuple(left_out),
        )
    except TowerlabError as error:
        return pbn.BridgeBoard(number=number, event=event, line=line, problem=str(error))


def _board_number(label: str, begins: str) -> str:
    """Return the number of a board: of its label that after "Board", else that of ``qx``, else the label's first."""
    named = _LABEL.findall(label) or _LABEL.findall(begins)
    number = named[-1:] or _NUMBER.findall(begins)[:1] or _NUMBER.findall(label)[:1]
    return "".join(number)


def _read_calls(texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[tuple[int, str], ...]]:
    """Return the calls, and the remarks on some with the place of each."""
    calls: list[str] = []
    remarks: list[tuple[int, str]] = []
    for text in texts:
        if text[:1] != _REMARK:
            calls += map(pbn.parse_call, _CALL.findall(text))
        elif calls and text[1:].strip():
            remarks.append((len(calls) - 1, text[1:].strip()))
    return tuple(calls), tuple(remarks)


def _read_deal(text: str) -> tuple[str, str]:
    """Return the dealer and the deal in PBN: hands from South on, the last of which may be left out."""
    dealer = pbn.seat_after(_FIRST, int(text[0]) - 1) if text[:1] in tuple("1234") else ""  # 0 and none: unknown
    hands = [hand.strip().upper() for hand in text.lstrip("01234").split(",")]
    if not 3 <= len(hands) <= 4:
        raise CardError(
            f"{quote_value(text)} is no deal; expected a dealer 1 to 4 and hands S, W, N, E with commas between"
        )
    masks: dict[str, int] = {}
    for step, hand in enumerate([*hands, ""][:4]):
        seat = pbn.seat_after(_FIRST, step)
        suits = re.findall(r"([SHDC])([^SHDC]*)", hand)
        words = [rank + suit for suit, ranks in suits for rank in re.findall(r"10|[^\s-]", ranks)]
        masks[seat] = parse_mask(" ".join(words), DECK_52, f"{seat}'s hand")
    missing = [seat for seat, mask in masks.items() if not mask]
    if len(missing) > 1:
        raise CardError(f"{missing[0]}'s hand is not given; expected three hands at least")
    for seat in missing:
        masks[seat] = DECK_52 & ~(masks["S"] | masks["W"] | masks["N"] | masks["E"])
    return dealer, pbn.deal_text(tuple(masks[seat] for seat in "NESW"))
