"""What does one player of Towie see? Their own hand, the exposed six, all calls and plays, dummy once it is open.

>>> from towerlab.games.towie.engine import Towie
>>> view = Towie().view(0)
>>> view.phase, view.hand, view.dummy
(<Phase.DEAL: 'DEAL'>, 0, None)
"""

from towerlab.games.cards import DECK_52, cards_mask, sorted_cards, suit_of
from towerlab.games.towie.auction import CALLERS
from towerlab.games.towie.dealing import DEALER, DUMMY
from towerlab.games.towie.records import DealState, GameState, View


def view_of(state: GameState, player: int, to_act: int | None, legal: int, open_goulash: bool) -> View:
    """Return the view of one player.

    Args:
        to_act: the player that the game waits for.
        legal: printed mask of the cards the player may play now, 0 when none is due.
        open_goulash: whether all see the old dummy before a goulash (option `goulash_open`).
    """
    public = (player, state.phase, to_act, state.active, state.waiting, state.dealer, state.ledger, state.games)
    deal = state.deal
    if deal is None:
        return View(*public)
    caller = deal.players.index(player) if player in deal.players else None
    faced = deal.dummy_is_faced
    dealt = 0 if caller is None else deal.dealt[caller]
    old_hand, old_dummy = _old_hands(deal, caller, open_goulash)
    played = cards_mask(card for trick in deal.tricks for card in trick.cards) | cards_mask(deal.plays)
    shown = [deal.hands[caller] if caller in deal.faced else 0 for caller in range(CALLERS)]
    seen = dealt | deal.exposed | played | (deal.dealt[DUMMY] if faced else 0) | sum(shown)
    return View(
        *public,
        caller=caller,
        hand=0 if caller is None else deal.hands[caller],
        exposed=deal.exposed,
        dummy=deal.hands[DUMMY] if faced else None,
        dealt=dealt,
        dealt_dummy=deal.dealt[DUMMY] if faced else None,
        calls=deal.calls,
        contract=deal.contract,
        tricks=deal.tricks,
        leader=None if deal.contract is None else deal.leader,
        plays=deal.plays,
        score=deal.score,
        goulashes=deal.goulashes,
        claimant=None if deal.claim is None else deal.claim.caller,
        claimed=None if deal.claim is None else deal.claim.tricks,
        shown=(shown[0], shown[1], shown[2]),
        old_hand=old_hand,
        old_dummy=old_dummy,
        legal=legal,
        unseen=DECK_52 & ~seen,
        voids=_voids(deal),
    )


def _old_hands(deal: DealState, caller: int | None, is_open: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the player's own hand and dummy's before the last goulash, as far as they have been seen (TO-11)."""
    if deal.piles is None or deal.old is None:
        return (), ()
    own = () if caller is None else deal.piles[caller]
    if caller == DEALER:
        return own, deal.piles[DUMMY]
    return own, tuple(sorted_cards(deal.old[DUMMY])) if is_open else ()


def _voids(deal: DealState) -> tuple[tuple[int, ...], ...]:
    """Suits that each position has failed to follow."""
    voids: list[set[int]] = [set(), set(), set(), set()]
    tricks = [(trick.leader, trick.cards) for trick in deal.tricks]
    if deal.plays:
        tricks.append((deal.leader, deal.plays))
    for leader, cards in tricks:
        led = suit_of(cards[0])
        for step, card in enumerate(cards):
            if suit_of(card) != led:
                voids[(leader + step) % 4].add(led)
    return tuple(tuple(sorted(suits)) for suits in voids)
