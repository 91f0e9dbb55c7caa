"""What do the drawings of several games share? Rows of cards, words and choices, and sentences written in files.

The files in the folders ``templates`` are Jinja; each text is a point of a list.

>>> does("you", "win"), does("player 2", "win")
('you win', 'player 2 wins')
"""

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2

from towerlab.analysis.advice import Choice
from towerlab.analysis.present import capital, number_of
from towerlab.games.cards import NO_TRUMP, SYMBOLS, card_texts, effective_suit, mask_cards, mask_text
from towerlab.games.transcript import Action
from towerlab.table.drawing import card_words
from towerlab.table.scene import LAST, MIDDLE, Cards, Facts


def texts(cards: int, trump: int = NO_TRUMP, bowers: bool = False) -> tuple[str, ...]:
    """Return the cards of a mask, sorted as a player would."""
    return tuple(mask_text(cards, trump, bowers).split())


def words(cards: Iterable[str]) -> str:
    """Return cards with their suit symbols: ``"10♥ J♠"``."""
    return " ".join(map(card_words, cards))


def possessive(name: str) -> str:
    """Return the name of a player as the owner of something: ``"your"``, ``"player 2's"``."""
    return "your" if name == "you" else f"{name}'s"


def does(name: str, verb: str) -> str:
    """Return what a player does, in a sentence: ``"you win"``, ``"player 2 wins"``."""
    return f"{name} {verb}" if name == "you" else f"{name} {verb}s"


def winning(winners: Sequence[int], names: Sequence[str]) -> str:
    """Return who wins something: ``"you win"``, ``"you and player 2 share"``, ``"nobody wins"``."""
    if len(winners) == 1:
        return does(names[winners[0]], "win")
    return f"{' and '.join(names[seat] for seat in winners)} share" if winners else "nobody wins"


def label_values(names: Iterable[str], values: Iterable[object]) -> str:
    """Return names with what each has: ``"you 3, beginner 0"``, ``"you 3, player 2: 0"``."""
    headed = (f"{name}:" if name[-1:].isdigit() else name for name in names)
    return ", ".join(f"{name} {value}" for name, value in zip(headed, values, strict=True))


def gains(names: Iterable[str], points: Iterable[int]) -> str:
    """Return names with their points, signed: ``"you +3, player 2: 0"``."""
    return label_values(names, (f"{gain:+d}" if gain else "0" for gain in points))


def auction(callers: Sequence[str], calls: Sequence[str]) -> Facts:
    """Return the calls so far, by callers in their order."""
    return Facts((("auction", label_values((callers[place % len(callers)] for place in range(len(calls))), calls)),))


def card_choice(action: Action) -> Choice:
    """Return the choice of an action whose only argument is a card, ``"play J♠"``."""
    verb = action["action"]
    card = action["card"]
    return Choice(action, f"{verb} {card_words(card)}", (card, f"{verb} {card}"), card)


def taken_words(taken: int, needed: int = 0) -> str:
    """Return how many tricks a player has: ``"2 of 4 tricks"`` until more than are needed, ``"5 tricks"``."""
    return f"{taken} of {number_of(needed, 'trick')}" if taken <= needed > 0 else number_of(taken, "trick")


def claim_choice(action: Action) -> Choice:
    """Return the choice of a claim or a concession, said at any time: ``"claim 3 tricks"``."""
    verb = action["action"]
    tricks = action["tricks"]
    return Choice(action, f"{verb} {number_of(tricks, 'trick')}", (f"{verb} {tricks}",), is_aside=True)


def follow_words(suit: int, trump: int, hand: int, *, bowers: bool, owner: str = "you have") -> str:
    """Return what must be played to a suit: ``"♥ is led: follow with a ♥."``, or any card without one.

    Args:
        suit, trump: the suit that is led and the trump, as `effective_suit` takes them.
        hand: the mask of the hand.
        owner: the words for the owner of the hand with the verb: ``"dummy has"``.
    """
    if suit == NO_TRUMP:
        return "Play any card."
    led, name = ("A trump", "trump") if suit == trump else (SYMBOLS[suit], SYMBOLS[suit])
    holds = any(effective_suit(card, trump, bowers) == suit for card in mask_cards(hand))
    return f"{led} is led: follow with a {name}." if holds else f"{led} is led and {owner} none: play any card."


def trick(
    title: str,
    leader: int,
    cards: Sequence[int],
    places: Sequence[tuple[str, str]],
    winner: int | None = None,
    area: str = MIDDLE,
) -> Cards:
    """Return the row of a trick.

    Args:
        leader, winner: the places of the leader and of the winner in the order of play.
        cards: the cards in the order in which they fell.
        places: the side of the table and the name of each hand, in the order of play.
    """
    around = [(leader + step) % len(places) for step in range(len(cards))]
    sides, names = zip(*(places[place] for place in around), strict=True)
    marked = () if winner is None else (around.index(winner),)
    return Cards(title, tuple(card_texts(cards)), marked=marked, labels=names, area=area, areas=sides)


def tricks(
    taken: Sequence[Any], leader: int | None, cards: Sequence[int], places: Callable[[], Sequence[tuple[str, str]]]
) -> list[Cards]:
    """Return the rows of the last trick and of the one on the table.

    Args:
        taken: the tricks played, each with its `leader`, `cards` and `winner`.
        leader, cards: the leader and the cards of the trick on the table.
        places: () → the places that `trick` takes; asked where there is a row.
    """
    rows = []
    if taken:
        last = taken[-1]
        rows.append(trick("Last trick", last.leader, last.cards, places(), last.winner, LAST if cards else MIDDLE))
    if cards and leader is not None:
        rows.append(trick("On the table", leader, cards, places()))
    return rows


# --------------------------------------------------------------------------------------------------------- sentences


@functools.cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    made = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals |= {"capital": capital, "number_of": number_of, "possessive": possessive, "does": does}
    return made


def sentences(file: str, **values: Any) -> tuple[str, ...]:
    """Return the points of a file, each in a line.

    Args:
        file: the path of the file below this folder.
        values: the values that the file shows, by name.
    """
    points = re.split("^- ", _templates().get_template(file).render(**values), flags=re.MULTILINE)[1:]
    return tuple(re.sub(r"[ \n]+", " ", point).strip() for point in points)
