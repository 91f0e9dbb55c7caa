"""What did both players see before each action of a match? The match, replayed step by step.

Example:
    towerlab review match.jsonl
"""

from dataclasses import dataclass
from typing import Any, Final

from towerlab.analysis.towers_and_bowers.claims import judge
from towerlab.games.cards import holds, parse_card
from towerlab.games.towers_and_bowers import Match, MatchState, View

# Between two hands; what changes the odds here is chance: who deals, and the cards.
CHANCE: Final = ("shuffle_starter", "turn", "shuffle", "cut", "decline_cut", "deal")
_BEGINS_A_HAND: Final = ("turn", "deal")  # until the first card the last hand can be accused of a renege (TB-25)


@dataclass(frozen=True)
class Step:
    """One action.

    Attributes:
        number: the number of the action, from 1.
        hand: number of the hand it belongs to, from 1; the starter belongs to the hand that follows.
        action: the action as in the transcript.
        before, after: the match around it.
        views: the views of player 0 and player 1 before it.
        to_act: the player whose turn it was, or None where either could act.
    """

    number: int
    hand: int
    action: dict[str, Any]
    before: MatchState
    after: MatchState
    views: tuple[View, View]
    to_act: int | None

    @property
    def name(self) -> str:
        """The action's word."""
        return str(self.action["action"])

    @property
    def is_renege(self) -> bool:
        """Whether a card was played that does not follow suit though another could."""
        action = self.action
        return self.name == "play" and not holds(self.views[action["player"]].legal, parse_card(action["card"]))

    @property
    def trick(self) -> int:
        """The number of the trick under way, from 1."""
        return 1 if self.before.hand is None else len(self.before.hand.tricks) + 1

    @property
    def is_chance(self) -> bool:
        """Whether the odds change here by chance only."""
        return self.name in CHANCE


def steps_of(match: Match) -> list[Step]:
    """Return every action of a match, played again from its beginning."""
    again = match.reset_copy()
    steps = list[Step]()
    deals = 0
    again.judge = judge
    for number, action in enumerate(match.actions, 1):
        before = again.state()
        views = (again.view(0), again.view(1))
        to_act = again.to_act
        again.apply(action)
        hand = deals + (before.hand is None or action["action"] in _BEGINS_A_HAND)
        deals += action["action"] == "deal"
        steps.append(Step(number, hand, action, before, again.state(), views, to_act))
    return steps
