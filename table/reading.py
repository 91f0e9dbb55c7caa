"""What does a typed line mean? An action, by its number, its words or its cards.

Example:
    towerlab play towers-and-bowers
"""

import re

from towerlab.games.cards import split_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.table.drawing import card_words
from towerlab.table.game import Pick, Prompt


class Ambiguous(TowerlabError):
    """A line that may mean several actions."""


def pick_hint(pick: Pick) -> str:
    """Return how a set of cards is named."""
    also = f"; {pick.also}" if pick.also else ""
    last = len(pick.cards)
    numbers = " ".join(map(str, range(last - pick.least + 1, last + 1)))
    cards = " ".join(pick.cards[last - pick.least :])
    return f"Type {pick.many} of the cards to {pick.verb}, by number or name, such as {numbers} or {cards}{also}"


def typing_hint(prompt: Prompt) -> str:
    """Return what may be typed at a prompt, with an example: ``"1 to 5, or KH"``; empty where another line says it."""
    listed = [choice for choice in prompt.choices if not choice.is_aside]
    if prompt.pick is not None or not listed:
        return ""
    numbers = {1: "1", 2: "1 or 2"}.get(len(listed), f"1 to {len(listed)}")
    example = listed[-1].words[-1 if listed[-1].label else 0] if listed[-1].words else ""
    return f"{numbers}, or {re.sub(r'^T', '10', example)}" if example else numbers


def read_action(line: str, prompt: Prompt, numbered: bool = True) -> Action:
    """Return the action that a line means: its number, its words, or a set of cards.

    Args:
        line: the line as it was typed.
        prompt: the question, with the actions that may answer it.
        numbered: whether the choices stand numbered on the screen.

    Raises:
        TowerlabError: it means none, or several; says what is legal.
    """
    if prompt.pick is not None and (picked := _picked(line, prompt.pick, numbered)) is not None:
        return picked
    choices = prompt.choices
    word = plain_words(line)
    number = line.strip().removeprefix("#")
    is_number = number.isdecimal() and number.isascii()
    named = [
        choice for choice in choices if word in {plain_words(name) for name in (*choice.words, choice.text)} - {""}
    ]
    meant = named or [choice for choice in choices if choice.card and word == plain_words(card_words(choice.card))]
    if not meant and word and not is_number:  # the first words of one choice alone
        begun = [choice for choice in choices if re.match(rf"{re.escape(word)}\b\W", plain_words(choice.text) + " ")]
        meant = begun if len({choice.text for choice in begun}) == 1 else []
    if numbered and is_number and prompt.pick is None and len(number) < 6 and 1 <= int(number) <= len(choices):
        meant = [choices[int(number) - 1], *meant]
    if len(texts := list(dict.fromkeys(choice.text for choice in meant))) > 1:
        raise Ambiguous(f"{number!r} may mean {' or '.join(texts)}; expected the words of one")
    if meant:
        return meant[0].action
    shown = line if len(line) <= 30 else line[:30] + "…"
    if prompt.pick is not None:
        raise TowerlabError(f"{shown!r} is not legal here. {pick_hint(prompt.pick)}")
    if is_number and numbered:
        raise TowerlabError(f"no action {shown}; expected a number from 1 to {len(choices)}")
    listed = [choice.text for choice in choices if not choice.is_aside]
    few = ", ".join(listed[:6]) + (f" … ({len(listed)} in all, l lists them)" if len(listed) > 6 else "")
    raise TowerlabError(f"{shown!r} is not legal here; expected {few}")


def _picked(line: str, pick: Pick, numbered: bool) -> Action | None:
    """The action of a set of cards, named by their places from 1 or as cards; None where the line names none.

    Raises:
        TowerlabError: twice the same card, or another number of cards than expected.
    """
    if (action := pick.read(plain_words(line))) is not None:
        return action
    known = {plain_words(name): card for card in pick.cards for name in (card, card_words(card))}
    words = [word.removeprefix("#") for word in line.replace(",", " ").split()]
    if numbered and all(word.isdecimal() for word in words):
        known = {str(number): card for number, card in enumerate(pick.cards, 1)}
        words = [word.lstrip("0") for word in words]
    else:
        words = [plain_words(word) for word in split_cards(line)]
    if not words or any(word not in known for word in words):
        return None
    cards = [known[word] for word in words]
    if len(set(cards)) != len(cards):
        raise TowerlabError("a card is named twice; expected every card once")
    if not pick.least <= len(cards) <= pick.most:
        raise TowerlabError(f"that is {' '.join(map(card_words, cards))}; expected {pick.many} cards to {pick.verb}")
    return pick.make(cards)


def plain_words(text: str) -> str:
    """Return a word in the form in which words are compared: ``"10♥"`` is ``"TH"``, ``"Name s"`` is ``"NAME S"``."""
    for symbol, letter in zip("♣♦♥♠", "CDHS", strict=True):
        text = text.replace(symbol, letter)
    return " ".join(text.upper().replace("10", "T").split())
