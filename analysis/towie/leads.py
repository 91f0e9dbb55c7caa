"""Which card to lead against a contract, when the other hands are only known by layouts that fit what has been heard.

>>> from analysis.towie.leads import compare_leads
>>> from games.cards import NO_TRUMP
>>> from games.pbn import parse_deal
>>> layouts = [parse_deal("N:A2... KQ... 3.2.. 4.3.."), parse_deal("N:A3... KQ... 2.2.. 4.3..")]
>>> [str(lead) for lead in compare_leads(layouts, NO_TRUMP, leader=1, contract=2)]
['K♠: beats it 100.0 %, 1.00 tricks', 'Q♠: beats it 100.0 %, 1.00 tricks']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.stats import Estimate, wilson
from games.cards import card_symbol, to_play_order, trump_field
from games.errors import CardError
from games.written import CardId
from solver.double_dummy import DoubleDummy, Position
from solver.double_dummy.printed import printed_cards


@dataclass(frozen=True)
class LeadSuccess:
    """What a lead achieves over the layouts.

    Attributes:
        card: printed card.
        beats: share of the layouts in which it beats the contract, with best play by all after it, and its interval.
        tricks: of the leader's side on the average.
    """

    card: CardId
    beats: Estimate
    tricks: float

    def __str__(self) -> str:
        return f"{card_symbol(self.card)}: beats it {100 * self.beats.mean:.1f} %, {self.tricks:.2f} tricks"


def compare_leads(layouts: Sequence[Sequence[int]], trump: int, leader: int, contract: int) -> tuple[LeadSuccess, ...]:
    """How often each lead beats a contract.

    Args:
        layouts: printed masks of N, E, S, W, the leader's hand alike in all.
        trump: 0..4 for C D H S NT.
        leader: 0..3 for N E S W.
        contract: tricks that the other side needs.

    Returns:
        the leads, those that beat it most often first, then by tricks.

    Raises:
        CardError: no layouts, or such as cannot be, or in which the leader's hand differs.
    """
    if not layouts or len({layout[leader] for layout in layouts}) != 1:
        raise CardError("the leader's hand differs from layout to layout, or there is none; expected one and the same")
    solver, taken = DoubleDummy(), dict[int, list[int]]()
    for layout in layouts:
        masks = tuple(int(to_play_order(hand, trump, False)) for hand in layout)
        # The leader is declarer here: its side's tricks are counted.
        for value in solver.cards(Position(masks, int(trump_field(trump)), leader, declarer=leader)):
            taken.setdefault(value.card, []).append(value.tricks)
    size = layouts[0][leader].bit_count()
    leads = []
    for card, tricks in taken.items():
        (printed,) = printed_cards((card,), trump, False)
        beats = int(np.sum(np.array(tricks) > size - contract))
        share = Estimate(beats / len(layouts), *wilson(beats, len(layouts)), len(layouts))
        leads.append(LeadSuccess(printed, share, float(np.mean(tricks))))
    return tuple(sorted(leads, key=lambda lead: (-lead.beats.mean, -lead.tricks, -lead.card)))
