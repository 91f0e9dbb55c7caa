"""Solved hands as people name them: printed cards instead of play order, and the best leads first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from towerlab.games.bits import lowest_index
from towerlab.games.cards import to_printed
from towerlab.games.written import CardId, Record, SuitId, named_card
from towerlab.solver.double_dummy.position import PLAIN_FIELDS
from towerlab.solver.double_dummy.solver import CardValue


@dataclass(frozen=True)
class Lead(Record, keys="card tricks names=named?"):
    """A card that may be led and the tricks its side then takes; `named` is the suit a joker names, else None."""

    card: CardId
    named: SuitId | None
    tricks: int


def printed_leads(
    cards: Iterable[CardValue], trump: int, bowers: bool, *, mine: bool, size: int, fewest: bool = False
) -> tuple[Lead, ...]:
    """Tricks of the leader's side for each lead, best first.

    Args:
        cards: of `DoubleDummy.cards`.
        trump, bowers: the play order, as `games.cards.to_play_order` takes them.
        mine: whether the leader is on the declarer's side, whose tricks `cards` counts.
        size: cards in a hand.
        fewest: whether the declarer wants few tricks.
    """
    leads = []
    for value in cards:
        (card,) = printed_cards((value.card,), trump, bowers)
        named = PLAIN_FIELDS.index(value.named) if value.named else None
        leads.append(Lead(card, named, value.tricks if mine else size - value.tricks))
    # At misère both sides want few tricks: a trick of one side spares the other.
    return tuple(sorted(leads, key=lambda lead: lead.tricks if fewest else -lead.tricks))


def printed_plays(plays: Iterable[tuple[int, int]], trump: int, bowers: bool) -> tuple[int, ...]:
    """Cards and the fields that led jokers name (else 0) as `games.written.PlayId`."""
    return tuple(
        named_card(printed_cards((card,), trump, bowers)[0], PLAIN_FIELDS.index(named) if named else None)
        for card, named in plays
    )


def printed_cards(cards: Iterable[int], trump: int, bowers: bool) -> tuple[int, ...]:
    """Cards (masks of one bit in play order) as printed card numbers."""
    return tuple(int(lowest_index(int(to_printed(card, trump, bowers)))) for card in cards)
