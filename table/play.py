"""How are games played, trained and recorded in a terminal? What the seat sees is printed, a line is read. Knows no
game.

Lines come from a keyboard or a pipe alike. `1` is the first of the numbered actions.

    towerlab play towers --seed 3
"""

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.advice import Advice
from towerlab.games.errors import TowerlabError
from towerlab.table.drawing import advice_lines, draw_choices, draw_scene, line_width
from towerlab.table.game import Prompt
from towerlab.table.postmortem import final_scene, hand_rows, post_mortem
from towerlab.table.reading import pick_hint, read_action, typing_hint
from towerlab.table.record import Recording
from towerlab.table.review import judge_some
from towerlab.table.session import Session
from towerlab.table.train import RATED, Trainer

HELP: Final = (
    "a number or card to act; ? advice, u take back, c costliest decision of the last hand, s save, l legal actions, "
    "h help, q leave"
)
LOOKING: Final = 2.0  # seconds at what the decisions of a hand cost, at its end, where somebody waits
HELP_RECORD: Final = (
    "Enter what you saw, one answer or several in a line: 9C/AC AH/QC; AKJS are three cards. "
    "What is said out of turn has a name before it: you: correct AS, player 2: claim 3. "
    "u takes back, l lists your answers, #7 QC changes the seventh, ? says this again, q leaves; all is saved at once."
)
HELP_TRAINING: Final = (
    "Type a number or a card to answer; l lists what is legal, h says this again, q leaves. "
    "For hearts type the number, or: name h."
)
MOST_ADVISED: Final = 14  # actions that stand one a line with what they cost
_QUIT: Final = ("q", "quit", "exit")


def typed_lines() -> Iterator[str]:
    """Lines of standard input; bytes that are no text count as question marks."""
    stream = sys.stdin
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    while line := stream.readline():
        yield line.rstrip("\r\n")[:200]


class Screen:
    """Prints lines and reads answers.

    Args:
        lines: the lines that are typed, without line ends; where they end, the user leaves.
        show: a function that prints a line.
    """

    def __init__(self, lines: Iterable[str] | None = None, show: Callable[[Text], None] | None = None) -> None:
        self._lines = iter(typed_lines() if lines is None else lines)
        self._show = present.console().print if show is None else show

    def print_lines(self, *lines: str) -> None:
        """Lines as they are."""
        self.draw(map(Text, lines))

    def draw(self, lines: Iterable[Text]) -> None:
        """Lines in colour."""
        for line in lines:
            self._show(line)

    def print_wrapped(self, *sentences: str) -> None:
        """Sentences, wrapped."""
        self.print_lines(*(line for sentence in sentences for line in textwrap.wrap(sentence, line_width())))

    def offer(self, prompt: Prompt, advice: Advice | None = None, *, lists_all: bool = False) -> None:
        """The actions of a prompt, with advice what each costs.

        Args:
            lists_all: whether the actions that the numbers of the hand stand for are listed too.
        """
        is_listed = advice is not None and _is_short(prompt, advice)
        if is_listed or prompt.pick is None or lists_all:
            self.draw(draw_choices(prompt.choices, advice if is_listed else None, lists_cards=lists_all))
        if advice is not None and not is_listed:
            self.draw(advice_lines(advice))
        if prompt.pick is not None:
            self.print_wrapped(pick_hint(prompt.pick))

    def ask(self, question: str) -> str | None:
        """The next line; None at the end of input and where it says to leave."""
        *first, last = textwrap.wrap(f"{question} >", line_width() - 1)
        self.print_lines(*first, f"{last} ")
        line = next(self._lines, "q").strip()
        return None if line.lower() in _QUIT else line

    @contextlib.contextmanager
    def report_errors(self) -> Iterator[None]:
        """Say whatever is wrong inside."""
        try:
            yield
        except TowerlabError as error:
            self.print_wrapped(" ".join(str(error).split()))


class Terminal(Screen):
    """One session at one screen.

    Args:
        session: the session to be played.
        lines, show: the arguments of `Screen`.
        advice: "off", "ask" or "always": never, when asked, or before every decision.
        clear: a function that empties the screen, between two people who share it.
        looking: seconds in which a hand that is over is graded.
    """

    def __init__(
        self,
        session: Session,
        lines: Iterable[str] | None = None,
        show: Callable[[Text], None] | None = None,
        advice: str = "ask",
        clear: Callable[[], None] = lambda: None,
        looking: float = 0.0,
    ) -> None:
        super().__init__(lines, show)
        self.session = session
        self.advice_mode = advice
        self._clear = clear
        self._looking = looking
        self._last_over = dict[int, int]()  # by person, the action that ended the last hand
        self._seen = dict.fromkeys(session.seating.humans, 0)
        self._at_screen: int | None = None
        self._hint = "h help" if advice == "off" else "? advice, h help"  # of the first question

    def run(self) -> bool:
        """Play until the game is over or nobody goes on; whether it is over."""
        session = self.session
        if session.length:
            self.print_lines(f"The game goes on after {session.length} actions.")
        session.advance()
        while (seat := session.waits_for) is not None:
            if not self._hand_over(seat) or not self._decide(seat):
                break
            session.advance()
        else:
            for seat in session.seating.humans[:1]:
                self._news(seat)
        if session.path is not None:
            self.print_lines(f"Saved in {session.path}")
        if session.is_over and session.seating.lesson:
            name = session.game.name
            self.print_lines(
                f"Next: towerlab play {name}, puzzles with towerlab train {name}, the same hands with --lesson."
            )
        return session.is_over

    def _decide(self, seat: int) -> bool:
        """One decision of a person; False on leaving."""
        session = self.session
        prompt = session.prompt(seat)
        self._news(seat, prompt)
        length = session.length
        for sentence in session.lesson_sentences(seat):
            self.draw(Text(line, style="italic") for line in textwrap.wrap(f"» {sentence}", line_width()))
        self.offer(prompt, self._advice(seat) if self.advice_mode == "always" else None)
        ended = session.engine.to_act is None
        while session.length == length and session.waits_for == seat:
            hints = ["Enter goes on"] if ended else [typing_hint(prompt), self._hint]
            hint = "; ".join(filter(None, hints))
            line, self._hint = self.ask(prompt.question + f" ({hint})" * bool(hint)), ""
            if line is None:
                return False
            word = line.lower()
            if ended and not word:
                session.agree(seat)
            elif word in ("", "h", "help"):
                self.print_wrapped(HELP)
            elif word in ("s", "save"):
                self.print_lines(f"Saved in {session.path}" if session.path else "This game is kept nowhere.")
            elif word in ("l", "legal"):
                self.offer(prompt, lists_all=True)
            elif word in ("u", "undo"):
                if session.take_back(seat):
                    self._seen = dict.fromkeys(self._seen, session.length)
                else:
                    self.print_lines("There is nothing to take back.")
            elif word == "?":
                self._tell_advice(seat, prompt)
            elif word == "c":
                self._tell_costliest(seat)
            else:
                with self.report_errors():
                    session.act(seat, read_action(line, prompt))
        return True

    def _hand_over(self, seat: int) -> bool:
        """Before a person's turn at a shared screen; False when nobody goes on."""
        if len(self.session.seating.humans) > 1 and self._at_screen not in (seat, None):
            self._clear()
            if self.ask(f"Pass the screen to player {seat + 1}, who presses Enter") is None:
                return False
            self._clear()
        self._at_screen = seat
        return True

    def _news(self, seat: int, prompt: Prompt | None = None) -> None:
        """Print what happened since that seat looked last, and what it sees now."""
        news = self.session.log(seat, self._seen[seat])
        ended = self.session.hand_ends(seat, self._seen[seat])
        self._seen[seat] = self.session.length
        self.print_wrapped(*([f"… {len(news) - 7} more", *news[-7:]] if len(news) > 8 else news))
        for number, end in ended:
            self.print_lines("")
            self.print_wrapped(f"{end.name}: {end.said[0]}", *end.said[1:])
            self._last_over[seat] = number
            self._tell_hands(seat, number)
            if self._looking:
                self._tell_costliest(seat, self._looking, draws=False)
            self.print_lines("")
        self.draw(draw_scene(self.session.scene(seat), prompt))

    def _tell_hands(self, seat: int, length: int) -> None:
        """All hands of a deal that is over."""
        session = self.session
        scene = final_scene(session, session.scene_after(seat, length), seat, length)
        if rows := hand_rows(scene):
            self.draw(draw_scene(replace(scene, heading="All hands, before each card its trick:", parts=tuple(rows))))

    def _tell_costliest(self, seat: int, seconds: float = 600.0, draws: bool = True) -> None:
        """The decision of the last hand that cost most, and the table before it."""
        session = self.session
        if (length := session.length if session.is_over else self._last_over.get(seat)) is None:
            self.print_lines("No hand has ended yet.")
            return
        numbers = session.deciders(seat, length)
        due = {number: actor for number, actor in numbers.items() if number not in session.judged}
        session.judged |= judge_some(session.game, session.engine, due, seconds) if due else {}
        graded = [decision for number in numbers for decision in session.judged.get(number, ())]
        looked = len([number for number in numbers if number in session.judged])
        if looked == len(numbers):
            self.print_wrapped(
                *post_mortem(session.game, session.engine, session.names(seat), seat, length, graded).sentences
            )
        own = [decision for decision in graded if decision.seat == seat]
        worst = max(own, key=lambda decision: decision.cost.mean, default=None)
        so_far = f" ({looked} of {len(numbers)} decisions looked at)"
        if worst is None or not worst.is_costly:
            scale = session.game.scale
            self.print_wrapped(f"No decision of yours cost more than {scale.words(scale.tolerance)}{so_far}.")
            return
        self.print_wrapped(
            f"Your costliest decision: {worst.lost} ({worst.verdict_words}){so_far}." + " c shows it." * (not draws)
        )
        if draws:
            self.draw(draw_scene(session.scene_after(seat, worst.number - 1)))

    def _advice(self, seat: int) -> Advice | None:
        try:
            return self.session.advice(seat)
        except TowerlabError as error:
            self.print_lines(f"No advice: {error}")
            return None

    def _tell_advice(self, seat: int, prompt: Prompt) -> None:
        if self.advice_mode == "off":
            self.print_lines("Advice is off in this game.")
            return
        advice = self._advice(seat)
        if advice is None or not advice.alternatives:
            self.print_lines("There is no advice for this.")
        elif _is_short(prompt, advice):
            self.offer(prompt, advice)
        else:
            self.draw(advice_lines(advice))


def _is_short(prompt: Prompt, advice: Advice) -> bool:
    """Whether the actions of a prompt can stand one a line, each with its advice."""
    numbered = [choice for choice in prompt.choices if not choice.is_aside]
    return len(numbered) <= MOST_ADVISED and all(advice.of(choice.action) for choice in numbered)


def play_at_terminal(session: Session, advice: str = "ask") -> bool:
    """Play a session with the keyboard, or with the lines of a pipe; whether it came to its end."""
    console = present.console()
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    clear, looking = (console.clear, LOOKING) if interactive else (lambda: None, 0.0)
    return Terminal(session, None, console.print, advice, clear, looking).run()


def train_at_terminal(trainer: Trainer) -> None:
    """Answer decisions with the keyboard, or with the lines of a pipe."""
    screen = Screen()
    screen.print_wrapped(HELP_TRAINING, "Every answer is saved at once.")
    while True:
        item = trainer.item
        answered = trainer.answered
        table = trainer.position(item)
        prompt = table.prompt(item.seat)
        screen.print_lines("")
        screen.draw(draw_scene(table.scene(item.seat), prompt))
        screen.offer(prompt)
        while trainer.answered == answered:
            if (line := screen.ask(prompt.question)) is None:
                screen.print_lines(trainer.standing, f"Saved in {trainer.path}")
                return
            if line.lower() in ("", "h", "help", "?"):
                screen.print_wrapped("The advice comes after your answer." if line == "?" else HELP_TRAINING)
                continue
            if line.lower() in ("l", "legal"):
                screen.offer(prompt, lists_all=True)
                continue
            with screen.report_errors():
                graded = trainer.answer(read_action(line, prompt))
                screen.print_wrapped(graded.sentence, *graded.why, *filter(None, [graded.theme]))
                screen.draw(advice_lines(replace(graded.advice, remark="")))  # said above
                done = min(trainer.counted, RATED)  # the browser draws a bar of its own
                screen.print_lines(trainer.standing, *[f"[{'#' * done}{'.' * (RATED - done)}]"] * (done < RATED))


def record_at_terminal(recording: Recording) -> None:
    """Enter a real game with the keyboard, or with the lines of a pipe."""
    screen = Screen()
    screen.print_lines(HELP_RECORD)
    drawn: list[str] | None = None
    while True:
        ask = recording.ask()
        question = ""
        if drawn == recording.entries:  # after a mistake the question alone
            question = ask.question
        else:
            drawn = [*recording.entries]
            screen.print_lines("")
            screen.draw(draw_scene(recording.scene))
            screen.print_lines(ask.question, *[f"    {ask.hint}"] * bool(ask.hint))
            numbered = [(number, choice) for number, choice in enumerate(ask.choices, 1)]
            screen.print_lines(*(f"{number:3} {choice}" for number, choice in numbered if choice not in ask.asides))
            if asides := [f"{number} {choice}" for number, choice in numbered if choice in ask.asides]:
                screen.print_lines(f"    or say: {' … '.join(dict.fromkeys((asides[0], asides[-1])))}")
        if (line := screen.ask(question)) is None:
            break
        with screen.report_errors():
            if line.lower() in ("u", "undo"):
                if not recording.take_back():
                    screen.print_lines("There is nothing to take back.")
            elif line.lower() in ("?", "help"):
                screen.print_lines(HELP_RECORD)
            elif line.lower() == "l":
                screen.print_lines(*(f"{number:4}: {said}" for number, said in enumerate(recording.entries, 1)))
            elif line:
                recording.answer(line)
                screen.print_lines(*(f"Understood: {said}" for said in recording.understood))
                screen.print_lines(
                    *(f"Written down unasked: {said}" for said in recording.lines_without_question),
                    *recording.ended_hands,
                )
            else:
                drawn = None
    if recording.path is not None and recording.path.exists():
        screen.print_lines(f"Saved in {recording.path}")
