"""How are bridge boards written in PBN, the Portable Bridge Notation 2.1 (tistis.nl/pbn)? Deals, hands, files.

A deal is a seat and a colon, then the four hands clockwise from that seat, separated by spaces; each hand is its
spades, hearts, diamonds and clubs, separated by dots: ``N:AKQJ.T98.76.5432 …``. A void is an empty suit or a dash.

A file is a sequence of tags ``[Name "value"]`` with comments between them. A record ends where the next one begins:
at a second ``Event``, ``Board`` or ``Deal``, or after an empty line where a tag comes again.

>>> read_boards('[Deal "N:A... K... Q... J..."]')[0].deal
'N:A... K... Q... J...'
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from towerlab.games.cards import (
    RANKS,
    SUITS,
    TRUMPS,
    card_text,
    distinct_mask,
    mask_cards,
    parse_trump,
    rank_of,
    suit_of,
)
from towerlab.games.errors import CardError, TowerlabError, quote_value

COMPASS_SEATS: Final = "NESW"
_SUIT_ORDER: Final = "SHDC"
_SECTIONS: Final = ("Auction", "Play")
_NAMES: Final = ("North", "East", "South", "West")
_READ: Final = {
    "Event",
    *_NAMES,
    "Room",
    "Board",
    "Dealer",
    "Vulnerable",
    "Deal",
    "Declarer",
    "Contract",
    "Result",
    *_SECTIONS,
}
LONGEST: Final = 1000  # words of a section, and letters of a word
_BEGINNINGS: Final = ("Event", "Board", "Deal")  # each begins a record where it comes again
UNKNOWN: Final = "?"
VULNERABLE: Final = {
    "None": "none neither nobody nil love loveall - o 0",
    "NS": "ns sn n s nordsud",
    "EW": "ew we e w estouest",
    "All": "all both a b game gameall everybody",
}
"""The words of PBN, each with those of other programs (LIN's letters among them), without what is between letters."""
_NAMES_A_BOARD: Final = re.compile(r"\[\s*(Deal|Board)\b", re.IGNORECASE)
_SAYS_NOTHING: Final = ("", UNKNOWN, "-")
_TOKENS: Final = re.compile(
    r'(?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?>\\["\\]|[^"\n]|"(?!\s*\])){0,4000})"\s*\])'
    r"|^(?P<escape>%.*)|(?P<comment>;.*|\{[^}]*(?:\}|\Z))|(?P<bracket>\[.*)"
    r'|^(?P<empty>[^\S\n]*)$|(?P<word>"[^"\n]*"|[^\s\[{;]+)',
    re.MULTILINE,
)
_NOTES: Final = r"\$\d+|=\d+=|\^[ISRL]|"
CALL: Final = r"A(?:LL[ -]?)?P(?:ASS)?|P(?:ASS)?|XX|X|R(?:E?DBL|EDOUBLE)?|D(?:BL|OUBLE)?|[1-7](?:NT?|[SHDC])"
"""A call as files have it."""
_CALLS: Final = re.compile(_NOTES + rf"(?<![A-Z\d])({CALL})(?![A-Z\d])|(\*)", re.IGNORECASE)
_CARDS: Final = re.compile(_NOTES + r"([SHDC](?:10|[2-9TJQKA])|[-+*])", re.IGNORECASE)
_CONTRACT: Final = re.compile(
    r"([1-7]) ?(NT?|[SHDC♠♥♦♣]) ?(X{0,2}|\*{1,2}|D(?:D|BL)?|R(?:R|E?DBL)?) ?(?:[+-]\d{1,2}|=)?"
)
_PASSED_OUT: Final = re.compile(r"A?P|PO|(A(LL)?[ -]?)?PASS(E[DS])?([ -]?OUT)?")


@dataclass(frozen=True)
class BridgeBoard:
    """A board of a file, as it was dealt, bid and played; texts are empty where nothing is known.

    Attributes:
        deal: the deal in PBN.
        number, event: the number and the event as the file has them.
        dealer, declarer: the seats of dealer and declarer, letters of ``NESW``.
        vulnerable: a word of PBN; ``"?"`` for unknown.
        contract: ``"3NT"``, ``"4SXX"`` or ``"Pass"``.
        players: names of N, E, S, W.
        auction: the calls from the dealer's on: ``"1NT"``, ``"Pass"``, ``"X"``, ``"XX"``.
        remarks: explanations of calls, each with the place of its call in the auction.
        play: tricks of up to four cards, the cards of each in any order.
        tricks: the tricks that declarer took in the end, or None.
        claimed: whether the play ends with a claim.
        room: ``"Open"`` or ``"Closed"`` of a match.
        line: the line of the file where the board, or what is wrong with it, stands.
        text: the record as it is written.
        problem: the reason why the board cannot be read, or None.
        left_out: the words for what else of it cannot be read, and why.
        encoding, newline: the encoding of the file and its line ends.
    """

    deal: str = ""
    number: str = ""
    event: str = ""
    dealer: str = ""
    vulnerable: str = ""
    declarer: str = ""
    contract: str = ""
    players: tuple[str, ...] = ("", "", "", "")
    auction: tuple[str, ...] = ()
    remarks: tuple[tuple[int, str], ...] = ()
    play: tuple[tuple[str, ...], ...] = ()
    tricks: int | None = None
    claimed: bool = False
    room: str = ""
    line: int = 1
    text: str = ""
    problem: str | None = None
    left_out: tuple[str, ...] = ()
    encoding: str = "utf-8"
    newline: str = "\n"

    @property
    def trump_and_lead(self) -> tuple[str, str] | None:
        """Trump and opening leader, if somebody declared."""
        if not self.declarer or self.contract in ("", "Pass"):
            return None
        return self.contract[1:].rstrip("X"), seat_after(self.declarer)


class Tag(NamedTuple):
    """A tag of a file: its value, its line, the words of a section of calls or cards, and its place in the text."""

    value: str
    line: int
    words: list[str] | None
    start: int


BoardTags = dict[str, Tag]
_BROKEN: Final = ""
"""The name under which a record keeps what is no tag."""


def seat_after(seat: str, steps: int = 1) -> str:
    """Return the seat so many places clockwise."""
    return COMPASS_SEATS[(COMPASS_SEATS.index(seat) + steps) % 4]


# --------------------------------------------------------------------------------------------------- deals and hands


def parse_deal(text: str) -> tuple[int, int, int, int]:
    """Return the four hands N, E, S, W of a deal or of an ending of one, as printed masks.

    Args:
        text: the text with or without the ``[Deal "…"]`` around it; ranks in upper or lower case, ten as ``T``.

    Raises:
        CardError: not four equal hands of different cards; the message names the hand or the card.
    """
    hands = parse_hands(text)
    sizes = [hand.bit_count() for hand in hands]
    if len(set(sizes)) != 1 or not 1 <= sizes[0] <= 13:
        counts = ", ".join(f"{seat} {size}" for seat, size in zip(COMPASS_SEATS, sizes, strict=True))
        raise CardError(f"hands of different sizes ({counts}); expected the same number of cards, 1 to 13, in each")
    return hands


def parse_hands(text: str) -> tuple[int, int, int, int]:
    """As `parse_deal`, hands of any size.

    Raises:
        CardError: not four hands of different cards.
    """
    body = text.strip()
    if body.startswith("[Deal"):
        body = body.removeprefix("[Deal").removesuffix("]").strip().strip('"')
    first, colon, rest = body.partition(":")
    first = first.strip().upper()
    if not colon or len(first) != 1 or first not in COMPASS_SEATS:
        raise CardError(
            f"deal {quote_value(text)} does not begin with a seat; expected N:, E:, S: or W: before the hands"
        )
    words = rest.split()
    if len(words) != len(COMPASS_SEATS):
        raise CardError(f"deal of {len(words)} hands; expected 4, separated by spaces")
    hands = [0, 0, 0, 0]
    seen: dict[int, str] = {}
    for step, word in enumerate(words):
        seat = seat_after(first, step)
        for card in _parse_hand(word, f"{seat}'s hand"):
            if card in seen:
                holder = "twice in" if seen[card] == seat else f"in {seen[card]}'s hand and in"
                raise CardError(f"{card_text(card)} stands {holder} {seat}'s hand; expected every card once")
            seen[card] = seat
            hands[COMPASS_SEATS.index(seat)] |= 1 << card
    return hands[0], hands[1], hands[2], hands[3]


def is_hand(text: str) -> bool:
    """Return whether a hand is written in PBN, not card by card."""
    return text.count(".") == 3


def parse_hand(text: str, count: int | None = 13, what: str = "the hand") -> int:
    """Return one hand, ``AKQJ.T98.76.5432``, as a printed mask.

    Args:
        text: spades, hearts, diamonds and clubs, separated by dots.
        count: the number of cards that it must have; None for any number.
        what: the words for the hand in the message.

    Raises:
        CardError: not so many different cards.
    """
    hand = distinct_mask(_parse_hand("".join(text.split()), what), what)
    if count is not None and hand.bit_count() != count:
        raise CardError(f"{what} has {hand.bit_count()} cards; expected {count}")
    return hand


def deal_text(hands: tuple[int, ...]) -> str:
    """Four printed masks N, E, S, W in PBN, from North."""
    return "N:" + " ".join(hand_text(hand) for hand in hands)


def _parse_hand(word: str, what: str) -> list[int]:
    if word == "-":
        raise CardError(f"{what} is not given; expected spades, hearts, diamonds and clubs separated by three dots")
    suits = word.upper().replace("10", "T").split(".")
    if len(suits) != len(_SUIT_ORDER):
        raise CardError(
            f"{what} {quote_value(word)} has {len(suits)} suits; expected spades, hearts, diamonds and clubs "
            "separated by three dots"
        )
    cards = []
    for suit, ranks in zip(_SUIT_ORDER, suits, strict=True):
        for rank in "" if ranks in ("-", "--") else ranks:
            if rank not in RANKS:
                raise CardError(f"{rank!r} in {what} {quote_value(word)} is not a rank; expected some of {RANKS[::-1]}")
            cards.append(13 * SUITS.index(suit) + RANKS.index(rank))
    return cards


def hand_text(hand: int) -> str:
    """Return a printed mask in PBN: spades, hearts, diamonds and clubs, separated by dots."""
    suits = dict.fromkeys(_SUIT_ORDER, "")
    for card in reversed(mask_cards(hand)):
        suits[SUITS[suit_of(card)]] += RANKS[rank_of(card)]
    return ".".join(suits.values())


# ----------------------------------------------------------------------------------------------------------- contracts


def parse_contract(text: str) -> str:
    """A contract as ``"3NT"``, ``"4SX"`` or ``"Pass"``, from ``3N``, ``3NTX``, ``3NR``, ``4♠*``, ``4H+1``, ``Passed``.

    Raises:
        TowerlabError: it is none.
    """
    word = text.strip().upper()
    if _PASSED_OUT.fullmatch(word):
        return "Pass"
    match = _CONTRACT.fullmatch(word)
    if match is None:
        raise TowerlabError(
            f"{quote_value(text)} is no contract; expected one such as 4S, 3NTX (doubled) or 4HXX (redoubled)"
        )
    doubled = {"": "", "*": "X", "D": "X", "DBL": "X", "X": "X"}.get(match[3], "XX")
    return match[1] + TRUMPS[parse_trump(match[2])] + doubled


def parse_vulnerability(text: str) -> str:
    """``"None"``, ``"NS"``, ``"EW"``, ``"All"``, or ``"?"`` for unknown, from the words of PBN, LIN and people.

    Raises:
        TowerlabError: another word.
    """
    word = re.sub(r"(?<=.)\W+(?=.)", "", text.strip().lower())
    if word in ("", UNKNOWN):
        return UNKNOWN
    if (side := next((side for side, words in VULNERABLE.items() if word in words.split()), None)) is None:
        expected = ", ".join(VULNERABLE).lower()
        raise TowerlabError(f"vulnerability {quote_value(text)} is unknown; expected one of {expected}")
    return side


def parse_call(word: str) -> str:
    """Return a call that `CALL` matches, as PBN writes it: ``"1NT"``, ``"Pass"``, ``"AP"``, ``"X"``, ``"XX"``."""
    word = word.upper()
    if word[0] in "1234567":
        return parse_contract(word)
    return {"P": "Pass", "A": "AP", "D": "X", "R": "XX"}.get(word[0], word)


def contract_of(dealer: str, calls: Iterable[str]) -> tuple[str, str]:
    """Return the contract and the declarer of a finished auction; both are empty while it is going on.

    Args:
        dealer: the letter of the dealer, of ``NESW``.
        calls: the calls as `parse_call` returns them, the dealer's first.
    """
    bid = ""
    bidder = 0
    doubled = ""
    passes = 0
    firsts: dict[tuple[int, str], int] = {}  # by side and strain
    for place, call in enumerate(calls):
        if call in ("Pass", "AP"):
            passes += 4 if call == "AP" else 1
            continue
        passes = 0
        if call in ("X", "XX"):
            doubled = call
        else:
            bid = call
            bidder = place
            doubled = ""
            firsts.setdefault((place % 2, bid[1:]), place)
    if passes < (3 if bid else 4):
        return "", ""
    return (bid + doubled, seat_after(dealer, firsts[bidder % 2, bid[1:]])) if bid else ("Pass", "")


# --------------------------------------------------------------------------------------------------- files of boards


def read_boards(text: str) -> list[BridgeBoard]:
    """Return the boards of a PBN file, in its order; one without a deal says why in `BridgeBoard.problem`."""
    boards: list[BridgeBoard] = []
    previous: dict[str, str] = {}
    lasting: dict[str, str] = {}
    by_number: dict[str, BridgeBoard] = {}
    records = _read_records(text)
    ends = [min(tag.start for tag in record.values()) for record in records[1:]] + [len(text)]
    start = 0
    for record, end in zip(records, ends, strict=bool(records)):
        values = dict(lasting)
        for name, tag in record.items():
            value = tag.value.strip()
            if value.startswith("##"):
                lasting[name] = value = value[2:]
            elif value == "#":
                value = previous.get(name, "")
            if name in lasting:
                lasting[name] = value
            previous[name] = values[name] = value
        known = {name: value for name, value in values.items() if value not in _SAYS_NOTHING}
        if not known.keys() & {"Board", "Deal", "Declarer", "Contract", "Result"} and "Deal" not in record:
            continue  # a header
        shared = by_number.get(known["Board"]) if "Board" in known else (boards[-1] if boards else None)
        board = _read_board(record, known, values.get("Vulnerable", ""), shared)
        boards.append(replace(board, text=text[start:end]))
        start = end
        if "Deal" in known:
            by_number[board.number] = board
    if boards and start < len(text):  # records without a board
        boards[-1] = replace(boards[-1], text=boards[-1].text + text[start:])
    return boards


def add_sections(board: BridgeBoard, sections: Mapping[str, tuple[str, Sequence[str]]]) -> str:
    """The record of a board with more tags at its end, each a value and the lines below it; old ones of the name go."""
    text = board.text or board_text(board)
    old = {name.lower() for name in sections}
    goes = False
    end = 0
    ended = False
    pieces = []
    place = 0
    for token in _TOKENS.finditer(text):
        kind = token.lastgroup
        if kind == "tag":
            goes = token["name"].lower() in old
        if kind in ("tag", "word", "bracket"):
            ended = False
            if goes:
                pieces += [text[place : token.start()], "\0"]
                place = token.end()
        ended = ended or kind == "empty"
        end = end if ended else token.end()
    head = "".join([*pieces, text[place:end]])
    head = re.sub(r"^[^\S\n]*\0[\0\s]*?(?:\n|\Z)", "", head, flags=re.MULTILINE).replace("\0", "").rstrip()
    added = "".join(
        _tag_line(name, value) + "".join(f"{row}\n" for row in rows) for name, (value, rows) in sections.items()
    )
    rest = text[end:].strip()
    return f"{head}\n{added}\n" + (f"{rest}\n\n" if rest else "")


def board_text(board: BridgeBoard) -> str:
    """Return the record of a board that no PBN file has: everything that is known of it, in the standard's order."""
    north, east, south, west = board.players
    tags = {
        "Event": board.event, "Board": board.number, "Room": board.room, "West": west, "North": north, "East": east,
        "South": south, "Dealer": board.dealer, "Vulnerable": board.vulnerable, "Deal": board.deal,
        "Declarer": board.declarer, "Contract": board.contract,
        "Result": "" if board.tricks is None else str(board.tricks),
    }  # fmt: skip
    text = "".join(_tag_line(name, _as_value(value)) for name, value in tags.items() if value not in _SAYS_NOTHING)
    if board.auction and board.dealer:
        notes = {place: f" ={number}=" for number, (place, _) in enumerate(board.remarks, 1)}
        calls = [call + notes.get(place, "") for place, call in enumerate(board.auction)]
        calls += [] if board.contract else ["*"]
        text += _tag_line("Auction", board.dealer) + _rows(calls)
        remarks = (f"{number}:{remark}" for number, (_, remark) in enumerate(board.remarks, 1))
        text += "".join(_tag_line("Note", _as_value(remark)) for remark in remarks)
    if board.play and board.declarer:
        cards = [card for trick in board.play for card in _by_seat(board, trick)]
        is_played_out = sum(map(len, board.play)) == sum(hand.bit_count() for hand in parse_hands(board.deal))
        ends = ["*"] if board.claimed else [] if is_played_out else ["+"]
        text += _tag_line("Play", seat_after(board.declarer)) + _rows(cards + ends)
    return text


def _by_seat(board: BridgeBoard, trick: Sequence[str]) -> list[str]:
    """The cards of a trick by the seats that hold them, the opening leader's first; a dash for a card not known."""
    holders = [hand_cards(hand) for hand in parse_hands(board.deal)]
    first = COMPASS_SEATS.index(seat_after(board.declarer))
    row = ["-"] * len(COMPASS_SEATS)
    for card in trick:
        seat = next((seat for seat, cards in enumerate(holders) if card in cards), first)
        place = (seat - first) % len(COMPASS_SEATS)
        row[place if row[place] == "-" else row.index("-")] = card
    return row


def hand_cards(hand: int) -> list[str]:
    """Return the cards of a printed mask as PBN writes them: ``"SA"``."""
    return [card_text(card)[::-1] for card in mask_cards(hand)]


def _rows(words: Sequence[str]) -> str:
    """Lines of four words."""
    return "".join(" ".join(words[place : place + 4]) + "\n" for place in range(0, len(words), 4))


def _tag_line(name: str, value: str) -> str:
    return f'[{name} "{value}"]\n'


def _as_value(text: str) -> str:
    """Return a text as the value of a tag: in one line, with quotes and backslashes escaped."""
    return re.sub(r'(["\\])', r"\\\1", " ".join(text.split()))


def _read_board(
    record: BoardTags, known: Mapping[str, str], vulnerable: str, shared: BridgeBoard | None
) -> BridgeBoard:
    """Return a board of a record; what it leaves out is that of the board whose deal it `shared`.

    Without a deal it has a problem; of another tag that cannot be read `BridgeBoard.left_out` says why.
    """
    like = shared if shared is not None and "Deal" not in known else BridgeBoard()
    left_out: list[str] = []
    line = next(iter(record.values())).line

    def read(parse: Callable[[str], Any], name: str, value: str) -> Any:
        """Return the meaning of a tag, "" where it cannot be read."""
        try:
            return parse(value) if value else ""
        except TowerlabError as error:
            left_out.append(f"line {record[name].line if name in record else line}: {error}")
            return ""

    board = BridgeBoard(
        deal=known.get("Deal", like.deal),
        number=known.get("Board", like.number),
        event=known.get("Event", like.event),
        players=tuple(known.get(name, "") for name in _NAMES),
        room=known.get("Room", ""),
        line=line,
    )
    broken = record.get(_BROKEN)
    wrong = "" if broken is None else f'{quote_value(broken.value)} is no tag; expected [Name "value"]'
    if broken is not None and (broken.value[0] == "{" or ("Deal" not in record and _NAMES_A_BOARD.match(broken.value))):
        return replace(board, line=broken.line, problem=wrong)
    if broken is not None:
        left_out.append(f"line {broken.line}: {wrong}")
    try:
        if not board.deal:
            raise TowerlabError("no deal is given, nor by a board of this number before; expected a Deal")
        parse_hands(board.deal)
    except TowerlabError as error:
        return replace(board, line=record["Deal"].line if "Deal" in record else line, problem=str(error))
    if read(parse_vulnerability, "Vulnerable", vulnerable) == "":
        vulnerable = UNKNOWN if vulnerable else like.vulnerable
    named = ("Dealer", "Declarer", "Auction")
    seats = {name: read(partial(_parse_seat, name.lower()), name, known.get(name, "")) for name in named}
    dealer = seats["Dealer"] or like.dealer or seats["Auction"]  # the value of Auction is the dealer
    contract = read(parse_contract, "Contract", known.get("Contract", ""))
    declarer = seats["Declarer"]
    calls, _ = _words(_CALLS, record.get("Auction"))
    auction = tuple(map(parse_call, calls))
    if not (declarer and contract) and auction and dealer:
        contract, declarer = contract_of(dealer, auction)
    cards, claimed = _words(_CARDS, record.get("Play"))
    tricks = [tuple(filter(str.isalnum, cards[first : first + 4])) for first in range(0, len(cards), 4)]
    return replace(
        board,
        vulnerable=vulnerable,
        dealer=dealer,
        declarer=declarer,
        contract=contract,
        auction=auction,
        play=tuple(filter(None, tricks)),
        tricks=_tricks(known.get("Result", ""), declarer, contract),
        claimed=claimed,
        left_out=tuple(left_out),
    )


def _parse_seat(who: str, text: str) -> str:
    seat = text.upper().removeprefix("^")
    if seat.title() not in (*COMPASS_SEATS, *_NAMES):
        raise TowerlabError(f"{who} {quote_value(text)} is not a seat; expected one of {', '.join(COMPASS_SEATS)}")
    return seat[0]


def _tricks(result: str, declarer: str, contract: str) -> int | None:
    """Declarer's tricks: ``9``, ``NS 9``, or by the contract ``=``, ``+1``, ``-2``."""
    over = re.fullmatch(r"\^?(?:=|([+-]\d{1,2}))", result)
    if over is not None and contract[:1].isdigit():
        return 6 + int(contract[0]) + int(over[1] or 0)
    taken = re.match(r"\^?(NS|EW|) ?(1?\d)\b", result)
    if taken is None:
        return None
    return int(taken[2]) if declarer in taken[1] or not taken[1] else 13 - int(taken[2])


def _words(pattern: re.Pattern[str], tag: Tag | None) -> tuple[list[str], bool]:
    """Return the calls or cards of a section up to an asterisk, without annotations; and whether there is one."""
    words = " ".join(tag.words or ()) if tag is not None else ""
    parsed = [match[match.lastindex].upper().replace("10", "T") for match in pattern.finditer(words) if match.lastindex]
    ends = "*" in parsed
    return parsed[: parsed.index("*")] if ends else parsed, ends


def _read_records(text: str) -> list[BoardTags]:
    """Return the records of a file: of each its tags by name, the first of each name."""
    records: list[BoardTags] = []
    for block in _read_blocks(text):
        first, *others = _split_block(block)
        if records and not records[-1].keys() & first.keys() - {_BROKEN, "Note"}:
            records[-1] |= first  # an empty line within a record
        else:
            records.append(first)
        records += others
    return records


def _split_block(block: Iterable[tuple[str, Tag]]) -> Iterator[BoardTags]:
    """The records of lines without an empty one; what comes again right before a record begins belongs to that."""
    before: BoardTags = {}
    record: BoardTags = {}
    again: BoardTags = {}
    for name, tag in block:
        if name not in record:
            record[name] = tag
            again = {}
        elif name in _BEGINNINGS:
            yield before | record
            before, record, again = again, {name: tag}, {}
        else:
            again.setdefault(name, tag)
    yield before | record


def _read_blocks(text: str) -> Iterator[list[tuple[str, Tag]]]:
    """Return the tags between empty lines."""
    block: list[tuple[str, Tag]] = []
    line = 1
    place = 0
    for token in _TOKENS.finditer(text):
        line, place = line + text.count("\n", place, token.start()), token.start()
        kind = token.lastgroup
        word = token[0]
        if kind == "tag":
            value = re.sub(r'\\(["\\])', r"\1", token["value"])
            name = sys.intern(token["name"].capitalize())
            block.append((name, Tag(value if name in _READ else "", line, [] if name in _SECTIONS else None, place)))
        elif kind == "bracket" or (kind == "comment" and word[0] == "{" and word[-1] != "}"):
            block.append((_BROKEN, Tag(word[:LONGEST], line, None, place)))
        elif kind == "word" and block and (words := block[-1][1].words) is not None and len(words) < LONGEST:
            words.append(word[:LONGEST])
        elif kind == "empty" and block:
            yield block
            block = []
    if block:
        yield block
