"""The answer to "which card do I give for the up-card?" in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.towers_and_bowers.discard import BIDDERS, OPEN_CARDS, RankedDiscards
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, fallback_words
from towerlab.analysis.towers_and_bowers.upcard.answers import PIMC
from towerlab.analysis.towers_and_bowers.upcard.played import VALUES_OF
from towerlab.games.cards import card_symbol, parse_card, suit_of


def discard_report(answer: RankedDiscards) -> RenderableType:
    """The card to give, a row a card, how it was found."""
    who = "you accepted" if answer.bidder == BIDDERS[0] else "they accepted"
    held = present.cards(answer.dealt, suit_of(answer.up), bowers=True)
    head = f"You deal and hold {held}, {who} {card_symbol(answer.up)}."
    rows = present.table("discard", "wins the tower", "costs, points", "mix")
    for discard in answer.discards:
        often = "" if discard.probability is None else present.percent(discard.probability)
        cost = f"{100 * discard.cost:.2f}" if discard.cost > 0 else "–"
        if discard.interval and discard.card != answer.recommend:
            cost += f" ({100 * discard.interval[0]:.2f} to {100 * discard.interval[1]:.2f})"
        rows.add_row(card_symbol(parse_card(discard.card)), present.percent(discard.tower), cost, often)
    hands = f"all {answer.layouts:,} hands" if answer.layouts > 1 else "the one hand"
    bidding = answer.method != PIMC
    counted = f"{hands} the non-dealer can hold, {'weighted by the bids' if bidding else 'all alike'}"
    models = {
        OPEN_CARDS: "perfect information: after the discard both players see all cards",
        WHOLE_HAND: "equilibrium of the whole hand, cards hidden to the end",
        VALUES_OF: "the learned policy bids, chooses and plays on, cards hidden to the end",
    }
    if answer.rollouts is not None:
        counted = f"{answer.rollouts.n:,} deals of each card, of {counted}, seed {answer.rollouts.seed}"
    model = models[answer.values_of] + fallback_words(answer.options)
    said = Text(f"Discard {card_symbol(parse_card(answer.recommend))}", style="bold")
    facts = present.listed(("Counted", counted), ("Model", model), ("Accuracy", answer.accuracy_words))
    return Group(head, "", said, "", rows, "", facts)
