"""Information sets to OpenSpiel's information-state strings and back (`HandObserver.string_from`); needs no OpenSpiel.

Both sides have the same sets wherever there is a choice. OpenSpiel lists hands of which one card may be played too.
"""

from __future__ import annotations

from dataclasses import replace

from towerlab.games.cards import card_text, cards_mask, mask_cards, mask_text, parse_card
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import DEALER
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import InformationSet, actions_of


def to_openspiel(known: InformationSet) -> str:
    """``"p1 dealt QD JC up 9S calls pass accept discard QD exchanged plays 0:KH"``."""
    words = [f"p{known.player}", "dealt", mask_text(cards_mask(known.dealt)), "up", card_text(known.up), "calls"]
    words += known.calls
    if known.discard is not None:
        words += ["discard", card_text(known.discard)]
    exchanged = known.calls[-1:] == ("accept",) and not known.discards
    words += ["exchanged"] if exchanged else []
    return " ".join([*words, "plays", *(f"{player}:{card_text(card)}" for player, card in known.plays)])


def from_openspiel(text: str) -> InformationSet:
    """The other way.

    Raises:
        TowerlabError: not such a string, or of a hand that is still being dealt.
    """
    try:
        return _read(text)
    except (ValueError, IndexError) as error:
        raise TowerlabError(f"{text!r} is no information state of a hand that has been dealt") from error


def _read(text: str) -> InformationSet:
    before, _, after = text.partition(" plays")
    words = before.split()
    player, up_at, calls_at = int(words[0].removeprefix("p")), words.index("up"), words.index("calls")
    dealt, up = cards_mask(map(parse_card, words[2:up_at])), parse_card(words[up_at + 1])
    said = [word for word in words[calls_at + 1 :] if word != "exchanged"]
    discard = parse_card(said.pop()) if "discard" in said else None
    calls = tuple(word for word in said if word != "discard")
    plays = [(int(word[0]), parse_card(word[2:])) for word in after.split()]
    takes_up = player == DEALER and "exchanged" in words
    gone = cards_mask(card for who, card in plays if who == player) | (0 if discard is None else 1 << discard)
    held = tuple(mask_cards(dealt & ~gone)) + ((up,) if takes_up and not gone >> up & 1 else ())
    known = InformationSet(player, up, held, discard, calls, tuple(card for _, card in plays), ())
    return replace(known, actions=actions_of(known))
