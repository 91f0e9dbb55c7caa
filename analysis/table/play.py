"""The game in a terminal: what the seat sees is printed, a line is read, an action taken. Knows no game.

Lines come from a keyboard or a pipe alike. `1` is the first of the numbered actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from rich.text import Text

from analysis.table.drawing import advice_lines, card_words, draw_choices, draw_scene
from analysis.table.game import Advice, Pick, Prompt
from analysis.table.session import Session
from games.errors import TowerlabError
from games.transcript import Action

HELP: Final = "a number or card to act; ? advice, u take back, s save, l legal actions, h help, q leave"
MOST_ADVISED: Final = 14  # actions that stand one a line with what they cost
_QUIT: Final = ("q", "quit", "exit")


class Terminal:
    """One session at one screen.

    Args:
        session: to be played.
        lines: what is typed, without line ends; its end leaves the game.
        show: prints a line.
        advice: "off", "ask" or "always": never, when asked, or before every decision.
        clear: empties the screen, between two people who share it.
    """

    def __init__(
        self,
        session: Session,
        lines: Iterable[str],
        show: Callable[[Text], None],
        advice: str = "ask",
        clear: Callable[[], None] = lambda: None,
    ) -> None:
        self.session, self.advice_mode = session, advice
        self._lines, self._show, self._clear = iter(lines), show, clear
        self._seen = dict.fromkeys(session.seating.humans, 0)
        self._at_screen: int | None = None

    def run(self) -> bool:
        """Play until the game is over or nobody goes on; whether it is over."""
        session = self.session
        if session.length:
            self._say(f"The game goes on after {session.length} actions.")
        while True:
            session.advance()
            seat = session.waits_for
            if seat is None:
                break
            if not self._hand_over(seat) or not self._decide(seat):
                self._say(self.saved())
                return False
        for seat in session.seating.humans[:1]:
            self._news(seat)
            self._draw(seat)
        self._say(self.saved())
        return True

    def saved(self) -> str:
        """Where the game lies."""
        return "" if self.session.path is None else f"Saved in {self.session.path}"

    # ------------------------------------------------------------------------------------------------- one decision

    def _decide(self, seat: int) -> bool:
        """One decision of a person; False on leaving."""
        session = self.session
        self._news(seat)
        self._draw(seat)
        prompt = session.prompt(seat)
        advice = self._advice(seat) if self.advice_mode == "always" else None
        self._list(prompt, advice)
        while True:
            line = self._ask(f"{prompt.question} > ")
            if line is None or line.lower() in _QUIT:
                return False
            word = line.lower()
            if word in ("", "h", "help"):
                self._say(HELP)
            elif word in ("s", "save"):
                self._say(self.saved() or "This game is kept nowhere.")
            elif word in ("l", "legal"):
                self._list(prompt, None)
            elif word in ("u", "undo"):
                if session.take_back(seat):
                    self._seen = dict.fromkeys(self._seen, session.length)
                    return True
                self._say("There is nothing to take back.")
            elif word == "?":
                self._tell_advice(seat, prompt)
            else:
                try:
                    session.act(seat, read_action(line, prompt))
                except TowerlabError as error:
                    self._say(" ".join(str(error).split()))
                    continue
                return True

    def _hand_over(self, seat: int) -> bool:
        """Before a person's turn at a shared screen; False when nobody goes on."""
        if len(self.session.seating.humans) > 1 and self._at_screen not in (seat, None):
            self._clear()
            if self._ask(f"Pass the screen to player {seat + 1}, who presses Enter > ") is None:
                return False
            self._clear()
        self._at_screen = seat
        return True

    def _news(self, seat: int) -> None:
        news = self.session.told(seat, self._seen[seat])
        self._seen[seat] = self.session.length
        if len(news) > 8:
            news = [f"… {len(news) - 7} more", *news[-7:]]
        self._say("")
        for line in news:
            self._say(line)

    def _draw(self, seat: int) -> None:
        for line in draw_scene(self.session.scene(seat)):
            self._show(line)

    def _list(self, prompt: Prompt, advice: Advice | None) -> None:
        for line in draw_choices(prompt.choices, advice):
            self._show(line)
        if prompt.pick is not None:
            self._say(pick_hint(prompt.pick))

    def _advice(self, seat: int) -> Advice | None:
        try:
            return self.session.advice(seat)
        except TowerlabError as error:
            self._say(f"No advice: {error}")
            return None

    def _tell_advice(self, seat: int, prompt: Prompt) -> None:
        if self.advice_mode == "off":
            self._say("Advice is off in this game.")
            return
        advice = self._advice(seat)
        if advice is None or not advice.options:
            self._say("There is no advice for this.")
        elif len(numbered := [one for one in prompt.choices if not one.is_aside]) <= MOST_ADVISED and all(
            advice.of(one.action) for one in numbered
        ):
            self._list(prompt, advice)
        else:
            for line in advice_lines(advice):
                self._show(line)

    def _ask(self, question: str) -> str | None:
        """The next line; None at the end of input."""
        self._show(Text(question))
        line = next(self._lines, None)
        return None if line is None else line.strip()

    def _say(self, line: str) -> None:
        if line:
            self._show(Text(line))


def pick_hint(pick: Pick) -> str:
    """How a set of cards is named."""
    return f"Or name {pick.many} of the cards to {pick.verb}, such as {' '.join(pick.cards[: pick.least])}"


def read_action(line: str, prompt: Prompt) -> Action:
    """The action that a line means: its number, its words, or a set of cards.

    Raises:
        TowerlabError: it means none; says what is legal.
    """
    choices = prompt.choices
    word, number = _normal(line), line.strip()
    is_number = number.isdecimal() and number.isascii()
    if is_number and len(number) < 6 and 1 <= int(number) <= len(choices):
        return choices[int(number) - 1].action
    for choice in choices:
        if word in {_normal(name) for name in (*choice.words, choice.text, card_words(choice.card))} - {""}:
            return choice.action
    if prompt.pick is not None and (picked := _picked(line, prompt.pick)) is not None:
        return picked
    shown = line if len(line) <= 30 else line[:30] + "…"
    if is_number:
        raise TowerlabError(f"no action {shown}; expected a number from 1 to {len(choices)}")
    listed = [choice.text for choice in choices if not choice.is_aside]
    few = ", ".join(listed[:6]) + (f" … ({len(listed)} in all, l lists them)" if len(listed) > 6 else "")
    raise TowerlabError(f"{shown!r} is not legal here; expected {few}")


def _picked(line: str, pick: Pick) -> Action | None:
    words = [_normal(word) for word in line.replace(",", " ").split()]
    known = {_normal(name): card for card in pick.cards for name in (card, card_words(card))}
    if not words or any(word not in known for word in words):
        return None
    cards = [known[word] for word in words]
    if len(set(cards)) != len(cards):
        raise TowerlabError("a card is named twice; expected every card once")
    pick.check(len(cards))
    return pick.make(cards)


def _normal(text: str) -> str:
    """As words are compared: ``"10♥"`` is ``"TH"``, ``"Name s"`` is ``"NAME S"``."""
    for symbol, letter in zip("♣♦♥♠", "CDHS", strict=True):
        text = text.replace(symbol, letter)
    return " ".join(text.upper().replace("10", "T").split())
