"""Which cards may the unnamed cards of a record have been? ``"?"`` stands for a card that nobody has named.

Example:
    towerlab record towers-and-bowers --out match.jsonl
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action

UNKNOWN: Final = "?"
PROVED: Final = "proved"
"""Key of an accusation that rests on cards nobody saw: whether it was proved at the table."""
CARD_KEYS: Final = ("card", "cards", "pack", "piles", "decks")


def cards_in(record: Action) -> list[str]:
    """Return the cards of a record in their order, `UNKNOWN` where nobody named one."""

    def flat(value: Any) -> Iterator[str]:
        if isinstance(value, list):
            for item in value:
                yield from flat(item)
        else:
            yield value

    return [card for key in CARD_KEYS if key in record for card in flat(record[key])]


def with_cards(record: Action, cards: Iterable[str]) -> Action:
    """Return the record with other cards, one for each of its own in their order."""
    following: Iterator[str] = iter(cards)

    def put(value: Any) -> Any:
        return [put(item) for item in value] if isinstance(value, list) else next(following)

    return {**record, **{key: put(record[key]) for key in CARD_KEYS if key in record}}


def all_unknown(action: Action) -> Action:
    """Return a record with all its cards unknown."""
    return with_cards(action, [UNKNOWN] * len(cards_in(action)))


def is_open(record: Action) -> bool:
    """Return whether all cards of a record are named."""
    return UNKNOWN not in cards_in(record)


def cards_named(records: Iterable[Action]) -> set[str]:
    """Return the cards that records name."""
    return {card for record in records for card in cards_in(record)} - {UNKNOWN}


def fill_unknown(record: Action, cards: Iterable[str]) -> Action:
    """Return a record with those cards, in their order, in the place of the unknown ones."""
    spare = iter(cards)
    return with_cards(record, [next(spare) if card == UNKNOWN else card for card in cards_in(record)])


def complete_record(record: Action, sample: Action) -> Action:
    """Return a record with the cards of another one, as far as it does not name them, in the place of the unknown ones.

    Raises:
        TowerlabError: it has more cards, or fewer, or one that the other does not have.
    """
    spare = cards_in(sample)
    cards = cards_in(record)
    if len(spare) != len(cards):
        key = next((key for key in CARD_KEYS if key in record), "cards")
        raise TowerlabError(f"{record['action']} has {len(cards)} cards as its {key}; expected {len(spare)}")
    for card in cards:
        if card in spare:
            spare.remove(card)
        elif card != UNKNOWN:
            raise TowerlabError(f"{record['action']} cannot have {card}; expected every card of the pack once")
    return fill_unknown(record, spare)
