"""Before the bidding: the starter, the shuffle, the cut and the deal (TB-5 .. TB-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.cards import DECK_24, card_text, cards_mask, mask_cards, parse_card
from games.errors import CardError, allowed
from games.towers_and_bowers.records import CardTurned, Dealt, HandState, PackCut, Phase, Shuffled
from games.towers_and_bowers.rules import SMALLEST_PART, packet_schedules
from games.towers_and_bowers.table import Table, demand, other

if TYPE_CHECKING:
    import numpy as np

BLACK_JACKS = cards_mask(parse_card(text) for text in ("JC", "JS"))
PACK_SIZE = DECK_24.bit_count()


def shuffled_pack(rng: np.random.Generator) -> tuple[int, ...]:
    """The 24 cards in a random order, top first."""
    return tuple(int(card) for card in rng.permutation(mask_cards(DECK_24)))


class Dealing(Table):
    """Actions from the starter to the deal."""

    # -------------------------------------------------------------------------------------------------- the starter

    def can_shuffle_starter(self, pack: Sequence[int], turner: int) -> bool:
        """Whether `shuffle_starter` is possible."""
        return allowed(self.verify_shuffle_starter, pack, turner)

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

    def shuffle_starter(self, pack: Sequence[int], turner: int) -> Shuffled:
        """Shuffle for the starter; `turner`, chosen at random for each tower, will turn the cards (TB-6)."""
        self.verify_shuffle_starter(pack, turner)
        self._set(phase=Phase.TURN, pack=tuple(pack), turner=turner, turned=0)
        self._record("shuffle_starter", turner=turner, pack=[card_text(card) for card in pack])
        return Shuffled(turner, tuple(pack))

    def can_turn(self) -> bool:
        """Whether `turn` is possible."""
        return allowed(self.verify_turn)

    def verify_turn(self) -> None:
        """Check `turn`.

        Raises:
            IllegalAction: no starter is going on.
        """
        self._demand_phase("turning a card", "TB-6", Phase.TURN)

    def turn(self) -> CardTurned:
        """Turn the next card of the starter, the first to the other player; a black jack makes its owner dealer."""
        self.verify_turn()
        state = self._state
        assert state.turner is not None
        card = state.pack[state.turned]
        owner = other(state.turner) if state.turned % 2 == 0 else state.turner
        self._record("turn", player=state.turner)
        self._set(turned=state.turned + 1, hand=None)  # the first card ends the time of late accusations (TB-25)
        if not BLACK_JACKS >> card & 1:
            return CardTurned(owner, card, None)
        self._set(phase=Phase.SHUFFLE, dealer=owner, turner=None, pack=(), turned=0)
        return CardTurned(owner, card, owner)

    # ----------------------------------------------------------------------------------------------- shuffle and cut

    def can_shuffle(self, pack: Sequence[int], player: int | None = None) -> bool:
        """Whether `shuffle` is possible."""
        return allowed(self.verify_shuffle, pack, player)

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

    def shuffle(self, pack: Sequence[int], player: int | None = None) -> Shuffled:
        """Shuffle for the next deal; either player may (TB-5), the dealer unless another is named."""
        self.verify_shuffle(pack, player)
        assert self._state.dealer is not None
        shuffler = self._state.dealer if player is None else player
        self._set(phase=Phase.CUT, pack=tuple(pack))
        self._record("shuffle", player=shuffler, pack=[card_text(card) for card in pack])
        return Shuffled(shuffler, tuple(pack))

    def can_cut(self, position: int) -> bool:
        """Whether `cut` is possible."""
        return allowed(self.verify_cut, position)

    def verify_cut(self, position: int) -> None:
        """Check `cut`.

        Raises:
            IllegalAction: not offered, or fewer than four cards left in one part.
        """
        self._demand_phase("a cut", "TB-7", Phase.CUT)
        low, high = SMALLEST_PART, PACK_SIZE - SMALLEST_PART
        demand(low <= position <= high, f"cut at {position}; expected {low} to {high}, four cards in each part", "TB-7")

    def cut(self, position: int) -> PackCut:
        """The non-dealer puts the first `position` cards below the others (TB-7)."""
        self.verify_cut(position)
        player, pack = self._actor(), self._state.pack
        self._set(phase=Phase.DEAL, pack=pack[position:] + pack[:position])
        self._record("cut", player=player, position=position)
        return PackCut(player, position)

    def can_decline_cut(self) -> bool:
        """Whether `decline_cut` is possible."""
        return allowed(self.verify_decline_cut)

    def verify_decline_cut(self) -> None:
        """Check `decline_cut`.

        Raises:
            IllegalAction: no cut has been offered.
        """
        self._demand_phase("declining a cut", "TB-7", Phase.CUT)

    def decline_cut(self) -> PackCut:
        """The non-dealer leaves the pack as it is (TB-7)."""
        self.verify_decline_cut()
        player = self._actor()
        self._set(phase=Phase.DEAL)
        self._record("decline_cut", player=player)
        return PackCut(player, None)

    # ------------------------------------------------------------------------------------------------------ the deal

    def can_deal(self, packets: Sequence[int] | None = None) -> bool:
        """Whether `deal` is possible."""
        return allowed(self.verify_deal, packets)

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

    def deal(self, packets: Sequence[int] | None = None) -> Dealt:
        """Deal in packets of these sizes, the non-dealer first, and turn up the next card (TB-8, TB-9)."""
        self.verify_deal(packets)
        state, dealer = self._state, self._actor()
        schedule = packet_schedules(state.n)[0] if packets is None else tuple(packets)
        hands, place = [0, 0], 0
        for size in schedule:
            for player in (other(dealer), dealer):
                hands[player] |= cards_mask(state.pack[place : place + size])
                place += size
        dealt = (hands[0], hands[1])
        up_card, stock = state.pack[place], state.pack[place + 1 :]
        hand = HandState(state.n, dealer, dealt, up_card, stock, leader=other(dealer))
        self._set(phase=Phase.BID1_ND, pack=(), hand=hand)
        self._record("deal", player=dealer, packets=list(schedule))
        return Dealt(dealer, schedule, dealt, up_card, len(stock))


def _check_pack(pack: Sequence[int]) -> None:
    whole = all(isinstance(card, int) and 0 <= card < 52 for card in pack)
    if not whole or len(pack) != PACK_SIZE or cards_mask(pack) != DECK_24:
        raise CardError(f"the pack of {len(pack)} cards is not whole; expected each of the {PACK_SIZE} cards once")
