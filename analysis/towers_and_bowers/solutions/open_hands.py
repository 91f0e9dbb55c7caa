"""Two hands with all cards seen: who takes how many tricks, and how (the tablebase's friendly face)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.open_hands import hands_row
from towerlab.analysis.question_tables import Many, each
from towerlab.games.cards import DECK_24, NO_TRUMP, card_text, parse_mask, parse_trump, sorted_cards
from towerlab.games.errors import CardError
from towerlab.games.written import CardId, Mask, SuitId
from towerlab.solver.two_hands.tablebase import Tablebase


@dataclass(frozen=True)
class OpenHands(
    Answer,
    game="towers-and-bowers",
    method="double-dummy",
    shown_by="towerlab.analysis.towers_and_bowers.present:open_hands_report",
    table="leads",
    keys="trump tricks leads line",
):
    """A solved position.

    Attributes:
        trump: suit 0..3.
        leader, follower: printed masks.
        leader_tricks: tricks of the leader under best play.
        leads: their tricks for each card they can lead, best first.
        line: one game of best play, in order of play.
    """

    trump: SuitId
    leader: Mask
    follower: Mask
    leader_tricks: int
    leads: dict[CardId, int]
    line: tuple[CardId, ...]

    @property
    def cards(self) -> int:
        """That each holds."""
        return self.leader.bit_count()

    @property
    def tricks(self) -> dict[str, int]:
        """By side."""
        return {"leader": self.leader_tricks, "follower": self.cards - self.leader_tricks}

    def to_row(self) -> dict[str, Any]:
        """One row of a table of answers."""
        best = [card_text(card) for card, tricks in self.leads.items() if tricks == self.leader_tricks]
        return hands_row(self.tricks) | {"best_leads": " ".join(best)}

    def to_json(self) -> dict[str, Any]:
        leads = [{"card": card_text(card), "tricks": tricks} for card, tricks in self.leads.items()]
        return super().to_json() | {"leads": leads}


def solve_open_hands(leader: str, follower: str, trump: str) -> OpenHands:
    """Solve two hands given as texts.

    >>> solve_open_hands("JH 9S", "AH AS", "H").leader_tricks
    1

    Raises:
        CardError: an unknown card, one held twice, unequal hands, more than seven cards, or no trump suit.
    """
    suit = parse_trump(trump)
    if suit == NO_TRUMP:
        raise CardError("NT is not a trump of this game; expected S, H, D or C")
    hands = parse_mask(leader, DECK_24, "the leader's hand"), parse_mask(follower, DECK_24, "the follower's hand")
    if hands[0] & hands[1]:
        shared = card_text(sorted_cards(hands[0] & hands[1])[0])
        raise CardError(f"{shared} is in both hands; expected every card once")
    tablebase = Tablebase.load()
    tricks = tablebase.tricks(*hands, suit)
    values = tablebase.leads(*hands, suit)
    order = sorted_cards(hands[0], suit, bowers=True)
    return OpenHands(
        trump=suit,
        leader=hands[0],
        follower=hands[1],
        leader_tricks=tricks,
        leads={card: values[card] for card in sorted(order, key=lambda card: -values[card])},
        line=tuple(card for trick in tablebase.line(*hands, suit) for card in trick),
    )


MANY: Final = Many(
    "towers-and-bowers", solve_open_hands, each(lambda row, _: solve_open_hands(**row).to_row()), rows=1_000
)
