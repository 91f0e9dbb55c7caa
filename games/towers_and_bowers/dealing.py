"""What comes before the bidding? The starter, the shuffle, the cut and the deal (TB-5 .. TB-9).

>>> import numpy as np
>>> pack = shuffled_pack(np.random.default_rng(1))
>>> len(pack), cards_mask(pack) == DECK_24
(24, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from towerlab.games.cards import DECK_24, card_texts, cards_mask, mask_cards, parse_card
from towerlab.games.engine import Action, require
from towerlab.games.errors import CardError, demand
from towerlab.games.towers_and_bowers.progress import MatchProgress, other
from towerlab.games.towers_and_bowers.records import HandState, Phase
from towerlab.games.towers_and_bowers.rules import SMALLEST_PART, packet_schedules

if TYPE_CHECKING:
    import numpy as np

BLACK_JACKS = cards_mask(parse_card(text) for text in ("JC", "JS"))
PACK_SIZE = DECK_24.bit_count()


def shuffled_pack(rng: np.random.Generator) -> tuple[int, ...]:
    """Return the 24 cards in a random order, top first."""
    return tuple(int(card) for card in rng.permutation(mask_cards(DECK_24)))


class Dealing(MatchProgress):
    """Actions from the starter to the deal."""

    # -------------------------------------------------------------------------------------------------- the starter

    def verify_shuffle_starter(self, pack: Sequence[int], turner: int) -> None:
        """Check `shuffle_starter`.

        Raises:
            IllegalAction: not at the beginning of a tower whose dealer is found by a starter.
            CardError: not the 24 cards.
        """
        self._demand_phase("a starter", "TB-6", Phase.STARTER, Phase.TOWER_OVER)
        demand(self._state.dealer is None, f"no starter is turned with starter={self.options.starter}", "TB-6")
        demand(turner in (0, 1), f"turner {turner!r} is no player; expected 0 or 1", "TB-6")
        _check_pack(pack)

    def shuffle_starter(self, pack: Sequence[int], turner: int) -> None:
        """Shuffle for the starter; `turner`, chosen at random for each tower, will turn the cards (TB-6)."""
        self._set(phase=Phase.TURN, pack=tuple(pack), turner=turner, turned=0)
        self._record("shuffle_starter", turner=turner, pack=card_texts(pack))

    def verify_turn(self) -> None:
        """Check `turn`.

        Raises:
            IllegalAction: no starter is going on.
        """
        self._demand_phase("turning a card", "TB-6", Phase.TURN)

    def turn(self) -> None:
        """Turn the next card of the starter, the first to the other player; a black jack makes its owner dealer."""
        state = self._state
        turner = require(state.turner)
        card = state.pack[state.turned]
        owner = other(turner) if state.turned % 2 == 0 else turner
        self._record("turn", player=turner)
        self._set(turned=state.turned + 1, hand=None)  # the first card ends the time of late accusations (TB-25)
        if BLACK_JACKS >> card & 1:
            self._set(phase=Phase.SHUFFLE, dealer=owner, turner=None, pack=(), turned=0)

    # ----------------------------------------------------------------------------------------------- shuffle and cut

    def verify_shuffle(self, pack: Sequence[int], player: int | None = None) -> None:
        """Check `shuffle`.

        Raises:
            IllegalAction: not between hands, or the dealer is not known yet.
            CardError: not the 24 cards.
        """
        self._demand_phase("a shuffle", "TB-7", Phase.SHUFFLE, Phase.HAND_OVER, Phase.TOWER_OVER)
        demand(self._state.dealer is not None, "the dealer is not known; expected a starter first", "TB-6")
        demand(player in (None, 0, 1), f"{player!r} is no player; expected 0 or 1", "TB-5")
        _check_pack(pack)

    def shuffle(self, pack: Sequence[int], player: int | None = None) -> None:
        """Shuffle for the next deal; either player may (TB-5), the dealer unless another is named."""
        self._set(phase=Phase.CUT, pack=tuple(pack))
        self._record("shuffle", player=self._dealer() if player is None else player, pack=card_texts(pack))

    def verify_cut(self, position: int) -> None:
        """Check `cut`.

        Raises:
            IllegalAction: not offered, or fewer than four cards left in one part.
        """
        self._demand_phase("a cut", "TB-7", Phase.CUT)
        low, high = SMALLEST_PART, PACK_SIZE - SMALLEST_PART
        demand(low <= position <= high, f"cut at {position}; expected {low} to {high}, four cards in each part", "TB-7")

    def cut(self, position: int) -> None:
        """The non-dealer puts the first `position` cards below the others (TB-7)."""
        pack = self._state.pack
        self._set(phase=Phase.DEAL, pack=pack[position:] + pack[:position])
        self._record("cut", player=self._cutter(), position=position)

    def verify_decline_cut(self) -> None:
        """Check `decline_cut`.

        Raises:
            IllegalAction: no cut has been offered.
        """
        self._demand_phase("declining a cut", "TB-7", Phase.CUT)

    def decline_cut(self) -> None:
        """The non-dealer leaves the pack as it is (TB-7)."""
        self._set(phase=Phase.DEAL)
        self._record("decline_cut", player=self._cutter())

    # ------------------------------------------------------------------------------------------------------ the deal

    def verify_deal(self, packets: Sequence[int] | None = None) -> None:
        """Check `deal`.

        Raises:
            IllegalAction: not time to deal, or packets other than of two or three (one card is dealt singly).
        """
        self._demand_phase("a deal", "TB-8", Phase.DEAL)
        schedules = packet_schedules(self._state.n)
        expected = " or ".join("-".join(map(str, schedule)) for schedule in schedules)
        legal = packets is None or tuple(packets) in schedules
        demand(legal, f"packets {packets!r} for {self._state.n} cards; expected {expected}", "TB-8")

    def deal(self, packets: Sequence[int] | None = None) -> None:
        """Deal in packets of these sizes, the non-dealer first, and turn up the next card (TB-8, TB-9)."""
        state = self._state
        dealer = self._dealer()
        schedule = packet_schedules(state.n)[0] if packets is None else tuple(packets)
        hands = [0, 0]
        place = 0
        for size in schedule:
            for player in (other(dealer), dealer):
                hands[player] |= cards_mask(state.pack[place : place + size])
                place += size
        up_card = state.pack[place]
        stock = state.pack[place + 1 :]
        hand = HandState(state.n, dealer, (hands[0], hands[1]), up_card, stock, leader=other(dealer))
        self._set(phase=Phase.BID1_ND, pack=(), hand=hand)
        self._record("deal", player=dealer, packets=list(schedule))

    # ------------------------------------------------------------------------------------------------------- chance

    def chance(self, rng: np.random.Generator) -> Action:
        """Return the next step of the procedure before a hand: starter, shuffle, cut (half of them declined), deal."""
        player = self._player_of_chance()
        if self.phase == Phase.TURN:
            return {"action": "turn", "player": player}
        if self.phase == Phase.CUT:
            position = int(rng.integers(2)) * int(rng.integers(SMALLEST_PART, PACK_SIZE - SMALLEST_PART + 1))
            cut = {"action": "cut", "player": player, "position": position}
            return cut if position else {"action": "decline_cut", "player": player}
        if self.phase == Phase.DEAL:
            schedules = packet_schedules(self._state.n)
            packets = list(schedules[int(rng.integers(len(schedules)))])
            return {"action": "deal", "player": player, "packets": packets}
        if self.phase not in (Phase.STARTER, Phase.SHUFFLE, Phase.HAND_OVER, Phase.TOWER_OVER):
            raise self._no_chance()
        pack = card_texts(shuffled_pack(rng))
        if self._state.dealer is None:
            return {"action": "shuffle_starter", "turner": int(rng.integers(2)), "pack": pack}
        return {"action": "shuffle", "player": self._dealer(), "pack": pack}

    def _player_of_chance(self) -> int | None:
        """Return the player who turns, cuts or deals."""
        if self.phase == Phase.TURN:
            return self._state.turner
        if self.phase == Phase.CUT:
            return self._cutter()
        return self._dealer() if self.phase == Phase.DEAL else None

    def _dealer(self) -> int:
        return require(self._state.dealer)

    def _cutter(self) -> int:
        return other(self._dealer())


def _check_pack(pack: Sequence[int]) -> None:
    whole = all(isinstance(card, int) and 0 <= card < 52 for card in pack)
    if not whole or len(pack) != PACK_SIZE or cards_mask(pack) != DECK_24:
        raise CardError(f"the pack of {len(pack)} cards is not whole; expected each of the {PACK_SIZE} cards once")
