"""Information sets to OpenSpiel's information-state strings (`HandObserver.string_from`); needs no OpenSpiel.

Both sides have the same sets wherever there is a choice. OpenSpiel lists hands of which one card may be played too.
"""

from __future__ import annotations

from towerlab.games.cards import card_text, cards_mask, mask_text
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import InformationSet


def to_openspiel(known: InformationSet) -> str:
    """Return OpenSpiel's string: ``"p1 dealt QD JC up 9S calls pass accept discard QD exchanged plays 0:KH"``.

    Args:
        known: an information set, whose `str` is the key of strategy files.

    Raises:
        TowerlabError: from `towerlab.openspiel_key`, not an information set.
    """
    words = [f"p{known.player}", "dealt", mask_text(cards_mask(known.dealt)), "up", card_text(known.up), "calls"]
    words += known.calls
    if known.discard is not None:
        words += ["discard", card_text(known.discard)]
    exchanged = known.calls[-1:] == ("accept",) and not known.discards
    words += ["exchanged"] if exchanged else []
    return " ".join([*words, "plays", *(f"{player}:{card_text(card)}" for player, card in known.plays)])
