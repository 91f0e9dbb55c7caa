"""`towerlab step tower-war`: a battle scored as it was played."""

from __future__ import annotations

from dataclasses import dataclass

from towerlab.analysis.present.answers import Answer
from towerlab.analysis.tower_war.reading import check_apart
from towerlab.games.cards import cards_mask
from towerlab.games.errors import demand
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.battle import (
    FOLLOWER,
    LEADER,
    SKIRMISHES,
    TOTAL,
    VALUE,
    battle_loser,
    profile_of,
    skirmish_adder,
    skirmish_winner,
)
from towerlab.games.tower_war.records import parse_played
from towerlab.games.written import CardId, Record


@dataclass(frozen=True)
class Skirmish(Record, keys="my_card mine their_card theirs winner adds"):
    """One skirmish: the cards as played, their values, the winner and the player who adds a pyramid, or None."""

    my_card: CardId | None
    their_card: CardId | None
    mine: int
    theirs: int
    winner: str
    adds: str | None


@dataclass(frozen=True)
class BattleStep(
    Answer,
    game="tower-war",
    method="exact",
    shown_by="towerlab.analysis.tower_war.present:battle_report",
    table="skirmishes",
    keys="skirmishes totals loser",
):
    """A battle as played; `loser` of equal totals is ``"tie"``."""

    skirmishes: tuple[Skirmish, ...]
    my_total: int
    their_total: int
    loser: str

    @property
    def totals(self) -> dict[str, int]:
        return {"mine": self.my_total, "theirs": self.their_total}


def step_battle(mine: str, theirs: str, leader: str = "me", options: TowerWarOptions | None = None) -> BattleStep:
    """Score a battle (TW-11..17).

    Args:
        mine, theirs: cards in the order played, jokers as ``X1:TC``; with fewer than three cards (a short hand, or a
            battle not finished) a missing card has no value (TW-9).
        leader: ``"me"`` or ``"them"``; the first player in the battle, without effect on the values of cards.
        options: `tie_break` and `short_hand` matter.

    Raises:
        CardError: a card that does not exist or is played twice (TW-1).
        IllegalAction: more than three cards (TW-9), a joker misplayed (TW-13), or a short hand where it loses (TW-9).
    """
    options = options or TowerWarOptions()
    my_cards, my_shown = parse_played(mine, "my cards")
    their_cards, their_shown = parse_played(theirs, "their cards")
    check_apart({"my cards": cards_mask(my_cards), "their cards": cards_mask(their_cards)})
    short = options.short_hand == "lose" and min(len(my_cards), len(their_cards)) < SKIRMISHES
    demand(not short, "a hand of fewer than three cards has lost with short_hand=lose; expected three", "TW-9")
    names = {LEADER: "me", FOLLOWER: "them"}
    sides = (profile_of(my_shown), profile_of(their_shown))

    def skirmish(k: int) -> Skirmish:
        return Skirmish(
            my_card=my_shown[k] if k < len(my_shown) else None,
            their_card=their_shown[k] if k < len(their_shown) else None,
            mine=int(sides[0][VALUE + k]),
            theirs=int(sides[1][VALUE + k]),
            winner=names.get(int(skirmish_winner(*sides, k, options.tens_only)), "tie"),
            adds=names.get(int(skirmish_adder(*sides, k, options.tens_only))),
        )

    return BattleStep(
        skirmishes=tuple(map(skirmish, range(max(len(my_cards), len(their_cards))))),
        my_total=int(sides[0][TOTAL]),
        their_total=int(sides[1][TOTAL]),
        loser=names.get(int(battle_loser(*sides)), "tie"),
        options=options,
    )
