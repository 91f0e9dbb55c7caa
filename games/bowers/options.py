"""Which rules of Bowers can be chosen? The rule options, and the small tuple in which the kernels read them.

>>> BowersOptions(joker="add").rules().kitty
3
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from towerlab.games.cards import DECK_32, JOKER_1, cards_mask, parse_card
from towerlab.games.options import GameOptions, option

JOINT_TRICKS, BIDDER_TRICKS, NOTHING = range(3)
SEVEN_OF_CLUBS: Final = parse_card("7C")


class BowersRules(NamedTuple):
    """The options in their order, then what follows from them, all as int64.

    Attributes:
        target: points that win the game (BO-14).
        min_bid: lowest number of tricks that may be bid (BO-3).
        misere_value: V(misère) (BO-12).
        failed_misere: `JOINT_TRICKS`, `BIDDER_TRICKS` or `NOTHING` (BO-12).
        passout_stays: 1 if the same dealer deals after three opening passes, 0 if the deal moves on (BO-6).
        compounds: 1 if each pass-out doubles once more (BO-6).
        eldest_leads: 1 if the dealer's left leads first, 0 if the bidder does (BO-8).
        made_scores: 1 if the opponents score their own tricks when the bid is made (BO-11).
        joker: 1 if a joker replaces the 7C, 2 if it is added (BO-9).
        names_suit: 1 if a joker led at no trump names the suit to follow (BO-9).
        deck: printed mask of the pack (BO-1).
        kitty: cards in the kitty, as many as are buried (BO-1, BO-7).
    """

    target: int
    min_bid: int
    misere_value: int
    failed_misere: int
    passout_stays: int
    compounds: int
    eldest_leads: int
    made_scores: int
    joker: int
    names_suit: int
    deck: int
    kitty: int


@dataclass(frozen=True)
class BowersOptions(GameOptions):
    """The rules that may be played differently; the defaults are what "the game" means.

    Two rulings of our own. With `opponents_score_when_made` they score their own tricks of a made misère too. With a
    `min_bid` above 6 nobody can be at 6, and so nobody can bid misère.
    """

    target: int = option(50, "BO-14", "points that win the game", low=1, high=1000)
    min_bid: int = option(1, "BO-3", "lowest number of tricks that may be bid", low=1, high=10)
    misere_value: int = option(10, "BO-12", "points of a misère, made or failed", low=0, high=100)
    misere_fail_opponents: str = option(
        "joint_tricks",
        "BO-12",
        "what each opponent scores when a misère fails: their joint tricks, the bidder's, or nothing",
        choices=("joint_tricks", "bidder_tricks", "zero"),
    )
    passout_dealer: str = option(
        "next", "BO-6", "who deals after three opening passes: the next player, or the same", choices=("next", "same")
    )
    compound_doubling: bool = option(False, "BO-6", "pass-outs in a row double the stakes again and again")
    first_lead: str = option(
        "bidder", "BO-8", "who leads first: the bidder, or the dealer's left", choices=("bidder", "left_of_dealer")
    )
    opponents_score_when_made: bool = option(False, "BO-11", "opponents score their own tricks when the bid is made")
    joker: str = option(
        "none",
        "BO-9",
        "a joker in the pack: none, instead of the 7C, or as a 33rd card (kitty of three)",
        choices=("none", "replace_7c", "add"),
    )
    joker_names_suit: bool = option(True, "BO-9", "a joker led at no trump names the suit to follow")

    @property
    def deck(self) -> int:
        """Printed mask of the pack: 32 or 33 cards (BO-1)."""
        joker = 0 if self.joker == "none" else 1 << JOKER_1
        return (DECK_32 | joker) & ~(cards_mask([SEVEN_OF_CLUBS]) if self.joker == "replace_7c" else 0)

    @property
    def kitty(self) -> int:
        """Cards in the kitty, as many as the bidder buries: 2, or 3 with an added joker (BO-1, BO-7)."""
        return 3 if self.joker == "add" else 2

    def rules(self) -> BowersRules:
        """Return the options as the kernels read them."""
        return BowersRules._make((*self.numbers().tolist(), self.deck, self.kitty))
