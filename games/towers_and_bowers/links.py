"""How is a position of a hand written as one short text? As a link, which stands in an address as it is.

    HAND/UP-CARD/SEAT/CALLS/PLAYS/KNOWN/CLAIM

Parts at the end that are empty are left out; `docs/formats.md` has the notation. What is not known is ``?``.

>>> position = read_link("9SASKSJS/QS/d/p")
>>> position.question()
('upcard', {'hand': 'AS KS JS 9S', 'up': 'QS', 'seat': 'dealer', 'second_round': False})
>>> str(position)
'ASKSJS9S/QS/d/p'
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from towerlab.games.cards import (
    DECK_24,
    SUITS,
    card_text,
    card_texts,
    cards_mask,
    mask_text,
    parse_card,
    parse_mask,
    parse_suit,
    suit_of,
)
from towerlab.games.errors import CardError, TowerlabError, plain_word, quote_value
from towerlab.games.towers_and_bowers.records import View

_CARD: Final = "[9TJQKA][SHDC]"
_PARTS: Final[Mapping[str, tuple[str, str]]] = {
    "hand": (f"(?:{_CARD}){{1,7}}", "1 to 7 cards such as JSTH"),
    "up-card": (rf"{_CARD}|\?", "a card, or ? where it is not known"),
    "seat": (r"[dn?]", "d for the dealer, n for the non-dealer, or ?"),
    "calls": (r"p{0,3}|p?a|ppp?[SHDC]|[mt?][SHDC]", "p for each pass, a or a suit: pa, ppH; mH, tH, ?H: my, their bid"),
    "plays": (rf"[mt]?(?:\?\?[mt])*(?:{_CARD})*", "cards as they fell, AHQC9S; tricks not known as ??m or ??t"),
    "known": (
        f"(?:-(?:{_CARD})+)?(?:[+](?:{_CARD})+)?(?:~[SHDC]+)?",
        "cards that they cannot hold after -, that they hold after +, suits that they lack after ~",
    ),
    "claim": ("(?:claim|concede)[1-7]|", "claim or concede and a number of tricks, such as claim3"),
}
DEALERS_TURN: Final = {"": False, "p": True, "pp": False, "ppp": True}
_SIDES: Final = {"m": "me", "t": "them"}


@dataclass(frozen=True)
class LinkedPosition:
    """The knowledge of a player who has something to decide in a hand.

    Attributes:
        hand: printed mask of the cards held now.
        up: the up-card (a card id), None where it is not known.
        dealer: whether the player deals, None where it is not known.
        calls: ``p`` for each pass, then ``a`` or the suit named; or who bid, ``m`` (the player), ``t`` or ``?``, and
            the trump, where it is not known how.
        plays: the cards in the order they fell. Tricks that are not known come first, each with who took it, ``??m``
            or ``??t``; a letter before all says who led first where `dealer` does not.
        gone, holds: printed masks of other cards that the opponent cannot hold, and that it holds.
        voids: the suits that the opponent lacks, besides those that the plays show.
        claim: the number of tricks claimed, or conceded; None where nothing is.
        concede: whether they are conceded.
    """

    hand: int
    up: int | None = None
    dealer: bool | None = None
    calls: str = ""
    plays: str = ""
    gone: int = 0
    holds: int = 0
    voids: str = ""
    claim: int | None = None
    concede: bool = False

    def __str__(self) -> str:
        """Return the link."""
        seat = "?" if self.dealer is None else "nd"[self.dealer]
        marked = (("-", _cards(self.gone)), ("+", _cards(self.holds)), ("~", self.voids))
        known = "".join(f"{mark}{cards}" for mark, cards in marked if cards)
        claim = "" if self.claim is None else f"{'concede' if self.concede else 'claim'}{self.claim}"
        up = "?" if self.up is None else card_text(self.up)
        return "/".join((_cards(self.hand), up, seat, self.calls, self.plays, known, claim)).rstrip("/")

    def question(self) -> tuple[str, dict[str, Any]]:
        """Return the command that answers it, and its options.

        Raises:
            TowerlabError: it is not this player's turn, or what the question needs is not known.
        """
        common = {"hand": mask_text(self.hand), "up": None if self.up is None else card_text(self.up)}
        seen = mask_text(self.gone)
        holds = mask_text(self.holds)
        known = {"seen": seen, "opponent_holds": holds, "opponent_void": " ".join(self.voids)}
        known = {name: text for name, text in known.items() if text}
        if self.calls in DEALERS_TURN:
            self._check_turn()
            seat = "dealer" if self.dealer else "nondealer"
            return "upcard", common | {"seat": seat, "second_round": len(self.calls) > 1} | known
        if self._gives_a_card():
            return "discard", common | {"bidder": "me" if self.calls == "pa" else "them"}
        played = common | self._bid() | known | self._played()
        if self.claim is None:
            if played["bidder"] is None:
                raise TowerlabError(f"the calls {self.calls} of this link do not say who bid; expected m or t for ?")
            return "move", played
        unneeded = ("up", "bidder", "cards", "won")
        put = {name: text for name, text in played.items() if name not in unneeded} | self._up_card(known)
        return "claim", put | {"tricks": self.claim, "concede": self.concede}

    def _check_turn(self) -> None:
        if self.plays or self.claim is not None:
            raise TowerlabError(f"nothing is trump after the calls {self.calls!r} of this link; expected a bid")
        if self.up is None:
            raise TowerlabError("the up-card of this link is not known; expected a card where somebody is to bid")
        if self.dealer is not DEALERS_TURN[self.calls]:
            due = ("n", "d")[DEALERS_TURN[self.calls]]
            raise TowerlabError(
                f"the seat of this link is not on turn after the calls {self.calls!r}; expected the seat {due}"
            )

    def _gives_a_card(self) -> bool:
        """Whether a dealer who takes the up-card has yet to discard for it: the other may have led already (TB-15)."""
        if self.up is None or not self.dealer or self.calls not in ("a", "pa") or self.claim is not None:
            return False
        return not self.gone and not (self.hand | _mask(self.plays)) >> self.up & 1

    def _bid(self) -> dict[str, Any]:
        """Return the trump and the bidder."""
        if self.calls[0] in "mt?":
            return {"trump": self.calls[1], "bidder": _SIDES.get(self.calls[0])}
        if self.calls[-1] == "a" and self.up is None:
            raise TowerlabError(f"the up-card of this link is not known; expected mS or tS for the calls {self.calls}")
        trump = SUITS[suit_of(self.up)] if self.calls[-1] == "a" and self.up is not None else self.calls[-1]
        dealers_bid = self.calls == "pa" or len(self.calls) == 4
        bidder = None if self.dealer is None else _SIDES["tm"[self.dealer is dealers_bid]]
        return {"trump": trump, "bidder": bidder}

    def _played(self) -> dict[str, Any]:
        """Return the leader, the history, and how many tricks were before it."""
        first, unknown, cards = _split(self.plays)
        leader = (unknown or first)[-1:] or ("" if self.dealer is None else "mt"[self.dealer])
        if not leader:
            raise TowerlabError("this link does not say who leads; expected m or t before its plays")
        tricks = [cards[place : place + 2] for place in range(0, len(cards), 2)]
        history = " ".join(f"{trick[0]}/{''.join(trick[1:])}" for trick in tricks)
        led = {"first_lead": _SIDES[leader], "history": history} if history else {"lead": _SIDES[leader]}
        if not unknown:
            return led
        before = len(unknown) // 3
        return led | {"cards": self.hand.bit_count() + len(cards) // 2 + before, "won": unknown.count("m")}

    def _up_card(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the option that gives the place of the up-card: seen, or held by the opponent."""
        elsewhere = self.hand | self.gone | self.holds | _mask(self.plays)
        if self.up is None or elsewhere >> self.up & 1:
            return {}
        name = "seen" if self.calls[-1] != "a" else "" if self.dealer is not False else "opponent_holds"
        return {name: f"{known.get(name, '')} {card_text(self.up)}".strip()} if name else {}


def _split(plays: str) -> tuple[str, str, list[str]]:
    """Split plays into the first leader, the unknown tricks, and the cards."""
    first, unknown, cards = re.fullmatch(rf"([mt]?)((?:\?\?[mt])*)((?:{_CARD})*)", plays).groups()  # type: ignore[union-attr]
    return first, unknown, re.findall(_CARD, cards)


def _cards(mask: int) -> str:
    return mask_text(mask).replace(" ", "")


def read_link(text: str) -> LinkedPosition:
    """Return the position of a link, or of an address that ends in one after ``#``.

    Raises:
        TowerlabError: which part is wrong, and what was expected.
    """
    parts = unquote(text.strip()).rpartition("#")[2].split("/")
    if not 3 <= len(parts) <= len(_PARTS):
        raise TowerlabError(
            f"{quote_value(text)} is no link; expected hand, up-card, seat, calls, plays, such as JSAS9H/QS/d/p"
        )
    for (name, (form, expected)), part in zip(_PARTS.items(), parts, strict=False):
        if not re.fullmatch(form, part):
            raise TowerlabError(f"the {name} {quote_value(part)} of this link is not understood; expected {expected}")
    hand, up, seat, calls, plays, known, claim = (*parts, *[""] * (len(_PARTS) - len(parts)))
    gone, holds, voids = re.fullmatch(r"(?:-(\w*))?(?:[+](\w*))?(?:~(\w*))?", known).groups("")  # type: ignore[union-attr]
    placed = [card for part in (hand, plays, gone, holds) for card in re.findall(_CARD, part)]
    twice = next((card for place, card in enumerate(placed) if card in placed[:place]), None)
    turned = None if up == "?" else parse_card(up)
    if calls in DEALERS_TURN and up in placed:
        twice = up
    if twice is not None:
        raise CardError(f"{twice} stands twice in this link; expected every card once")
    if turned is not None and calls[:2] == "pp" and calls[2:].strip("p") == SUITS[suit_of(turned)]:
        raise TowerlabError(f"{calls[-1]} was turned down and cannot be named; expected another suit in this link")
    return LinkedPosition(
        _mask(hand), turned, {"d": True, "n": False}.get(seat), calls, plays, _mask(gone), _mask(holds), voids,
        int(claim[-1]) if claim else None, claim.startswith("concede"),
    )  # fmt: skip


def _mask(text: str) -> int:
    return cards_mask(map(parse_card, re.findall(_CARD, text)))


def position_of(view: View, claim: int | None = None, concede: bool = False) -> LinkedPosition:
    """Return the position of a player in a match.

    Args:
        view: the view of that player, once cards are dealt.
        claim, concede: the tricks of a claim or a concession, and which it is.
    """
    calls = "".join("p" if c.call == "pass" else "a" if c.suit is None else SUITS[c.suit] for c in view.calls)
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    plays = "".join(card_texts(played if view.led is None else [*played, view.led]))
    gone = 0 if view.discard is None else 1 << view.discard
    up = 0 if view.up_card is None else 1 << view.up_card
    dealer = view.dealer == view.player
    return LinkedPosition(
        view.hand, view.up_card, dealer, calls, plays, gone, view.opponent_holds & ~up, claim=claim, concede=concede
    )


def position_of_question(
    hand: str,
    trump: str,
    known: Mapping[str, Any],
    lead: str | None = None,
    bidder: str | None = None,
    up: str | None = None,
    cards: int | None = None,
    won: int | None = None,
    claim: int | None = None,
    concede: bool = False,
) -> LinkedPosition | None:
    """Return the position of a question that has been answered, from its options, those of `move` and `claim`.

    Args:
        hand, trump, lead, bidder, up, cards, won: the options of `move`.
        known: the other options.
        claim, concede: the options of `claim`.

    Returns:
        None where who leads took none of the tricks before, so that nobody could have come there.
    """
    held = parse_mask(hand)
    suit = SUITS[parse_suit(trump)]
    played = known.get("history", "").replace(",", " ").replace("/", " ").split()
    fallen = card_texts(map(parse_card, played))
    me_first = plain_word(known.get("first_lead") or lead or "") == "me"
    before = max((cards or 0) - held.bit_count() - len(fallen) // 2, 0)
    took = "m" * (won or 0) + "t" * (before - (won or 0))
    last = "m" if me_first else "t"
    if before and last not in took:
        return None
    took = took.replace(last, "", 1) + last if before else ""
    dealer = None if before else not me_first
    turned = None if up is None else parse_card(up)
    calls = f"{'?' if bidder is None else plain_word(bidder)[0]}{suit}"
    if turned is not None and bidder is not None and dealer is not None:
        passes = "p" * ((plain_word(bidder) == "me") == dealer)
        calls = f"{passes}a" if suit_of(turned) == parse_suit(trump) else f"pp{passes}{suit}"
    gone = parse_mask(known.get("seen") or "", DECK_24) & ~cards_mask(map(parse_card, fallen))
    voids = "".join(sorted({SUITS[parse_suit(word)] for word in _split_words(known.get("opponent_void"))}))
    holds = parse_mask(" ".join(_split_words(known.get("opponent_holds"))))
    plays = "".join(f"??{letter}" for letter in took) + "".join(fallen)
    return LinkedPosition(held, turned, dealer, calls, plays, gone, holds, voids, claim, concede)


def _split_words(texts: str | Iterable[str] | None) -> list[str]:
    together = texts if isinstance(texts, str) else " ".join(texts or ())
    return together.replace(",", " ").split()
