"""What is advice about a decision at the table? Its alternatives as actions of the game, and how people say them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from towerlab.analysis.decision import Alternative, Decision, Verdict, name_together
from towerlab.analysis.present import capital
from towerlab.games.transcript import Action
from towerlab.games.written import Record


@dataclass(frozen=True)
class Choice(Record, keys="text action"):
    """A legal action as a person takes it.

    Attributes:
        action: the engine's record.
        text: the action in words, ``"play J♠"``.
        words: other words to type for it besides its number, in any case: ``("JS",)``.
        card: the card of the own hand that it is about, if any.
        label: for a button beneath that card; empty where the card itself is the button.
        is_aside: possible at any time, such as a claim; listed in a line of its own.
        button: the words of its button, where they say more than the text.
        cell: row and column, where the choices are a table, such as bids by tricks and suits.
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
class Advised(Alternative, keys="text action value reason loss=cost.mean interval=cost.ends"):
    """One action as the advice values it.

    Attributes:
        action: the engine's record.
        note: its value as people read it, ``"58.4 %"``.
        reason: why, in a line.
    """

    action: Action = field(default_factory=dict)
    note: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Advice(Decision[Advised], keys="unit=scale.unit basis model remark verdict=sentence actions=rows"):
    """The actions of a decision and their values.

    Attributes:
        model: the assumption, in words.
        remark: one more line, such as a claim that is sound now.
        grade: judges actions that are not listed, where there are too many.
    """

    model: str = ""
    remark: str = ""
    grade: Callable[[Action], Advised | None] | None = None

    @property
    def lines(self) -> list[tuple[str, Advised]]:
        """The actions, those that are alike in one line: its words, and the first of them."""
        return [(name_together([option.text for option in same]), same[0]) for same in self.groups]

    @property
    def method(self) -> str:
        """How the values were got, in two sentences; before them how much was looked at without deciding."""
        is_undecided = any(self.verdict(option) == Verdict.OPEN for option in self.alternatives)
        looked = f"{self.open_words}. " * is_undecided
        return f"{looked}{capital(self.basis)}. Model: {self.model.rstrip('.')}."

    def cost_cell(self, advised: Advised) -> str:
        """Return an action's verdict and its cost in the scale's unit: ``"best"``, ``"slip −1.23"``."""
        cost = self.scale.cost_words(advised.cost.mean).partition(" ")[0]
        return self.word(advised) + f" {cost}" * (cost != Verdict.BEST)

    def of(self, action: Action) -> Advised | None:
        """Return the advised action that a record is; None where it is none."""
        advised = next((option for option in self.alternatives if option.action == action), None)
        return self.grade(action) if advised is None and self.grade is not None else advised

    def why(self, advised: Advised) -> str:
        """Return the reason for an action's cost, as a sentence; that of the whole decision where it has none."""
        return f"{capital(advised.reason)}." if advised.reason else self.remark
