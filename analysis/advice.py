"""What is advice about a decision at the table? Its alternatives as actions of the game, and how people say them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from towerlab.analysis.decision import Alternative, Decision, Verdict, name_together, subject_of
from towerlab.analysis.present import capital
from towerlab.games.transcript import Action
from towerlab.games.written import Record


@dataclass(frozen=True)
class Choice(Record, keys="text action"):
    """A legal action as a person takes it.

    Attributes:
        action: the engine's record.
        text: the action in words, ``"play J♠"``.
        words: the other words to type for it besides its number, in any case: ``("JS",)``.
        card: the card of the own hand that it is about, if any.
        label: the text of a button beneath that card; empty where the card itself is the button.
        is_aside: whether it is possible at any time, such as a claim; then it is listed in a line of its own.
        button: the words of its button, where they say more than the text.
        cell: the row and the column, where the choices are a table, such as bids by tricks and suits.
    """

    action: Action
    text: str
    words: tuple[str, ...] = ()
    card: str = ""
    label: str = ""
    is_aside: bool = False
    button: str = ""
    cell: tuple[str, str] | None = None

    @property
    def is_card(self) -> bool:
        """Whether the choice is a card of the hand and nothing more."""
        return bool(self.card) and not self.label


@dataclass(frozen=True)
class AdvisedAction(Alternative, keys="text action value reason loss=cost.mean interval=cost.ends"):
    """One action as the advice values it.

    Attributes:
        action: the engine's record.
        note: the action's value as people read it, ``"58.4 %"``.
        reason: why it has that value, in a line.
    """

    action: Action = field(default_factory=dict)
    note: str = ""
    reason: str = ""

    @property
    def subject(self) -> str:
        """Return the action as the subject of a sentence, as `subject_of`."""
        return subject_of(self.text)


@dataclass(frozen=True)
class Advice(Decision[AdvisedAction], keys="unit=scale.unit basis model remark verdict=sentence actions=rows"):
    """The actions of a decision and their values.

    Attributes:
        model: the assumption, in words.
        remark: one more line of text, such as a claim that is sound now.
        grade: the function that judges actions which are not listed, where there are too many.
    """

    model: str = ""
    remark: str = ""
    grade: Callable[[Action], AdvisedAction | None] | None = None

    @property
    def headline(self) -> str:
        """The verdict on the decision, and where there is one action that action."""
        return self.sentence or f"Best: {self.best.text}."

    @property
    def lines(self) -> list[tuple[str, AdvisedAction]]:
        """The actions, those that are alike in one line: its words, and the first of them."""
        return [(name_together([option.text for option in same]), same[0]) for same in self.groups]

    @property
    def method(self) -> str:
        """How the values were got, in two sentences; before them how much was looked at without deciding."""
        is_undecided = any(self.verdict(option) == Verdict.OPEN for option in self.alternatives)
        looked = f"{self.open_words}. " * is_undecided
        return f"{looked}{capital(self.basis)}. Model: {self.model.rstrip('.')}."

    def cost_cell(self, advised: AdvisedAction) -> str:
        """Return an action's verdict and its cost in the scale's unit: ``"best"``, ``"slip −1.23"``."""
        cost = self.scale.change(advised.cost.mean)
        return self.word(advised) + f" {cost}" * (cost != Verdict.BEST)

    def of(self, action: Action) -> AdvisedAction | None:
        """Return the advised action that a record is; None where it is none."""
        advised = next((option for option in self.alternatives if option.action == action), None)
        return self.grade(action) if advised is None and self.grade is not None else advised

    def explain(self, done: AdvisedAction) -> tuple[str, ...]:
        """Return why an action costs something, or why it is right: first of this action, then of the best.

        Args:
            done: one of the alternatives.
        """
        others = (option for option in self.alternatives if self.verdict(option) == Verdict.WORSE)
        rival = self.best if done is not self.best else next(others, None)
        if rival is None:
            return ()
        spoken = self.remark.lower()
        is_about_both = all(option.subject.lower() in spoken for option in (done, rival))
        clauses = [self.remark] if is_about_both else re.split(r"(?<=[.;]) ", self.remark)
        about_best = [
            f"{capital(clause.rstrip('.;'))}." for clause in clauses if self.best.subject.lower() in clause.lower()
        ]
        return f"{self._compare(done, rival)}.", *about_best

    def _compare(self, done: AdvisedAction, rival: AdvisedAction) -> str:
        """Return an action against the best, or the best against another, without a full stop."""
        if not (done.note and rival.note):
            words = self.scale.words(max(done.cost.mean, rival.cost.mean))
            lead = f"is {words} ahead of" if done is self.best else f"costs {words} against"
            return f"{capital(done.subject)} {lead} {rival.subject}; why was not worked out"
        is_chance = done.note.endswith("%") and "," not in done.note
        won = self.scale.value.removeprefix("your chance to win ")
        verb, rest = (f"wins {won}", "of the time") if is_chance else ("makes", "points on average")
        made, other = (option.note.partition(", made")[0] for option in (done, rival))
        reason = f". {capital(done.subject)}: {done.reason}" if done.reason and done is not self.best else ""
        return f"{capital(done.subject)} {verb} {made} {rest}, {rival.subject} {other}{reason}"
