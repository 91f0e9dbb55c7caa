"""The tricks already played, read from text and checked against the rules (TB-17, TB-18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from games.cards import DECK_24, SYMBOLS, card_text, effective_suit, parse_card
from games.errors import TowerlabError
from games.towers_and_bowers import card_led_wins

ME: Final = "me"
THEM: Final = "them"


class HistoryError(TowerlabError):
    """A history that breaks the rules; the message names the trick."""


@dataclass(frozen=True)
class History:
    """What the tricks played so far tell.

    Attributes:
        mine, theirs: printed masks of the cards each has played.
        led: card of the trick under way, or None at the start of a trick.
        leader: `ME` or `THEM`, who leads or has led the trick that comes now.
        voids: effective suits the opponent has shown out of.
    """

    mine: int
    theirs: int
    led: int | None
    leader: str
    voids: frozenset[int]


@dataclass(frozen=True)
class _Trick:
    """One word of a history: ``AH/QC``, or ``AH/`` if it is unfinished."""

    number: int
    text: str
    leader: str
    led: int
    reply: int | None

    def card_of(self, player: str) -> int | None:
        return self.led if player == self.leader else self.reply

    def refuse(self, problem: str) -> HistoryError:
        return HistoryError(f"trick {self.number} of the history ({self.text}): {problem}")


def read_history(text: str, first_leader: str, hand: int, trump: int, held: int = 0) -> History:
    """Read a history and check that both sides kept the rules.

    Args:
        text: tricks in order, the card led first, such as ``"9C/AC AH/QC"``; the last may be unfinished (``AH/``).
        first_leader: `ME` or `THEM`.
        hand: printed mask of what I hold now.
        trump: suit 0..3.
        held: printed mask of cards the opponent is known to hold now.

    Raises:
        HistoryError: not a trick, a card twice, or a failure to follow by somebody who held the suit.
    """
    tricks = _read_tricks(text, first_leader, trump)
    _check_cards_once(tricks, hand, held)
    _check_following(tricks, ME, hand, trump)
    _check_following(tricks, THEM, held, trump)
    last = tricks[-1] if tricks else None
    under_way = last is not None and last.reply is None
    leader = first_leader if last is None else last.leader if under_way else _winner(last, trump)
    return History(
        mine=_played(tricks, ME),
        theirs=_played(tricks, THEM),
        led=last.led if last is not None and under_way else None,
        leader=leader,
        voids=frozenset(suit for _, suit in _failures_to_follow(tricks, THEM, trump)),
    )


def _read_tricks(text: str, first_leader: str, trump: int) -> list[_Trick]:
    words = text.replace(",", " ").split()
    tricks: list[_Trick] = []
    leader = first_leader
    for number, word in enumerate(words, 1):
        led, slash, reply = word.partition("/")
        named = f"trick {number} of the history ({word})"
        if not slash or not led:
            raise HistoryError(f"{named} is not a trick; expected two cards such as AH/QC, or AH/ for the last")
        if not reply and number < len(words):
            raise HistoryError(f"{named} is unfinished; expected only the last one to be")
        cards = [_read_card(card, named) for card in (led, reply) if card]
        tricks.append(_Trick(number, word, leader, cards[0], cards[1] if reply else None))
        if reply:
            leader = _winner(tricks[-1], trump)
    return tricks


def _read_card(text: str, named: str) -> int:
    try:
        card = parse_card(text)
    except TowerlabError as error:
        raise HistoryError(f"{named}: {error}") from error
    if not DECK_24 >> card & 1:
        raise HistoryError(f"{named}: {card_text(card)} is not in this game's pack of 24 cards")
    return card


def _winner(trick: _Trick, trump: int) -> str:
    """Who leads after a finished trick."""
    assert trick.reply is not None
    second = THEM if trick.leader == ME else ME
    return trick.leader if card_led_wins(1 << trick.led, 1 << trick.reply, trump) else second


def _check_cards_once(tricks: list[_Trick], hand: int, held: int) -> None:
    seen: dict[int, int] = {}
    for trick in tricks:
        for card in (trick.led, trick.reply):
            if card is None:
                continue
            if card in seen:
                raise trick.refuse(f"{card_text(card)} was played in trick {seen[card]}; expected every card once")
            if (hand | held) >> card & 1:
                holder = "you hold it" if hand >> card & 1 else "the opponent is said to hold it"
                raise trick.refuse(f"{card_text(card)} was played, yet {holder} now; expected every card once")
            seen[card] = trick.number


def _failures_to_follow(tricks: list[_Trick], player: str, trump: int) -> list[tuple[_Trick, int]]:
    """The tricks in which a player, second to play, did not follow, and the effective suit led."""
    return [
        (trick, effective_suit(trick.led, trump, bowers=True))
        for trick in tricks
        if trick.leader != player
        and trick.reply is not None
        and effective_suit(trick.reply, trump, bowers=True) != effective_suit(trick.led, trump, bowers=True)
    ]


def _check_following(tricks: list[_Trick], player: str, held: int, trump: int) -> None:
    """A player who failed to follow held no card of that suit, so none turns up later."""
    who = "you did" if player == ME else "the opponent did"
    for trick, suit in _failures_to_follow(tricks, player, trump):
        holds = "you hold" if player == ME else "he is said to hold"
        for card in range(52):
            if held >> card & 1 and effective_suit(card, trump, bowers=True) == suit:
                raise trick.refuse(f"{who} not follow {SYMBOLS[suit]}, yet {holds} {card_text(card)} (TB-18)")
        for later in tricks[trick.number :]:
            shown = later.card_of(player)
            if shown is not None and effective_suit(shown, trump, bowers=True) == suit:
                played = f"played {card_text(shown)} in trick {later.number}"
                raise trick.refuse(f"{who} not follow {SYMBOLS[suit]}, yet {played} (TB-18)")


def _played(tricks: list[_Trick], player: str) -> int:
    cards = (trick.card_of(player) for trick in tricks)
    return sum(1 << card for card in cards if card is not None)
