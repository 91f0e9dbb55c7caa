"""What does one player of Towers & Bowers see? Their own cards, the up-card, all calls and plays, cards that the other
has shown and taken back.

>>> from towerlab.games.towers_and_bowers.engine import Match
>>> view = Match(TowersAndBowersOptions(claims="off")).view(1)
>>> view.towers, view.hand
((0, 0), 0)
"""

from towerlab.games.cards import DECK_24, cards_mask, effective_suit, mask_cards
from towerlab.games.towers_and_bowers.options import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.progress import other
from towerlab.games.towers_and_bowers.records import Ending, HandState, MatchState, View
from towerlab.games.towers_and_bowers.rules import is_renege


def view_of(
    state: MatchState,
    player: int,
    to_act: int | None,
    legal: int,
    options: TowersAndBowersOptions,
    for_judge: bool = False,
) -> View:
    """Return the view of one player.

    Args:
        to_act: the player that the match waits for.
        legal: printed mask of the cards the player may play now, 0 when none is due.
        options: an up-card that the dealer took may be the discard, a failure to follow may be a renege.
        for_judge: whether no void is inferred from a card that may still be taken back (TB-23).
    """
    hand = state.hand
    if hand is None:
        turned = state.pack[: state.turned]
        return View(player, state.phase, to_act, state.towers, state.n, state.dealer, turned=turned)
    opponent = other(player)
    holds = _surely_held(hand, opponent, options)
    gone = _cards_gone(hand, player)
    certain_only = for_judge and options.enforces_reneges
    return View(
        player=player,
        phase=state.phase,
        to_act=to_act,
        towers=state.towers,
        n=hand.n,
        dealer=hand.dealer,
        hand=hand.hands[player],
        up_card=hand.up_card,
        discard=hand.discard if player == hand.dealer else None,
        calls=hand.calls,
        trump=hand.trump,
        bidder=hand.bidder,
        tricks=hand.tricks,
        leader=hand.leader,
        led=hand.led,
        taken=hand.taken,
        outcome=hand.outcome,
        claim=state.claim,
        penalty=state.penalty,
        legal=legal,
        gone=gone,
        opponent_cards=hand.hands[opponent].bit_count(),
        opponent_holds=holds,
        opponent_voids=_voids(hand, opponent, holds, DECK_24 & ~gone & ~hand.hands[player], certain_only),
    )


def proved_renege(view: View) -> int | None:
    """Return the trick of a renege for which an accusation is proved by what this player has seen (TB-22, TB-24).

    The other player did not follow in it and held a card of the suit led, as they played or showed later.

    Returns:
        the number of the trick, which is past correction; None without such a renege, and where this player reneged
        before it: only the first is penalised (TB-26).
    """
    ending = None if view.outcome is None else view.outcome.ending
    if view.trump is None or ending not in (None, Ending.PLAYED, Ending.CLAIMED):
        return None
    for number, trick in enumerate(view.tricks, 1):
        player = other(trick.leader)
        held = view.hand if player == view.player else view.opponent_holds
        held |= cards_mask(later.card_of(player) for later in view.tricks[number:])
        held |= 1 << view.led if view.led is not None and view.leader == player else 0
        if is_renege(held | 1 << trick.reply, 1 << trick.led, 1 << trick.reply, view.trump):
            past = number < len(view.tricks) or view.led is not None or ending == Ending.PLAYED
            return number if player != view.player and past else None
    return None


def _cards_played(hand: HandState) -> int:
    """Printed mask of all cards on the table."""
    played = cards_mask(card for trick in hand.tricks for card in (trick.led, trick.reply))
    return played if hand.led is None else played | 1 << hand.led


def _dealer_takes_upcard(hand: HandState) -> bool:
    """Return whether the up-card was accepted: it is the dealer's even before the discard for it (TB-14)."""
    return bool(hand.calls) and hand.calls[-1].call == "accept"


def _cards_gone(hand: HandState, player: int) -> int:
    """Return the cards that the player knows to be in neither hand."""
    gone = _cards_played(hand)
    if player == hand.dealer and hand.discard is not None:
        gone |= 1 << hand.discard
    if not _dealer_takes_upcard(hand):
        gone |= 1 << hand.up_card
    return gone


def _surely_held(hand: HandState, player: int, options: TowersAndBowersOptions) -> int:
    """Return the cards that the other player knows this one to hold."""
    known = hand.shown[player]
    if player == hand.dealer and _dealer_takes_upcard(hand) and not options.allow_discard_upcard:
        known |= 1 << hand.up_card
    return known & ~_cards_played(hand)


def _voids(hand: HandState, player: int, holds: int, unseen: int, certain_only: bool) -> tuple[int, ...]:
    """Effective suits that a player cannot hold, because they were not followed.

    Where reneges are enforced a failure to follow may have been one. A void that a card seen later contradicts is
    dropped, with `certain_only` one that rests on a card which may still be taken back (TB-23) too; if the voids leave
    fewer unseen cards than the player holds, none of them can be relied on.
    """
    if hand.trump is None:
        return ()
    voids: set[int] = set()
    certain = hand.closed_tricks() if certain_only else len(hand.tricks)
    for number, trick in enumerate(hand.tricks, 1):
        suit_led = effective_suit(trick.led, hand.trump, bowers=True)
        suit_played = effective_suit(trick.card_of(player), hand.trump, bowers=True)
        voids.discard(suit_played)
        if player != trick.leader and suit_played != suit_led and number <= certain:
            voids.add(suit_led)
    shown = holds if hand.led is None or hand.leader != player else holds | 1 << hand.led
    voids -= {effective_suit(card, hand.trump, bowers=True) for card in mask_cards(shown)}
    possible = [card for card in mask_cards(unseen) if effective_suit(card, hand.trump, bowers=True) not in voids]
    if len(possible) < hand.hands[player].bit_count():
        return ()
    return tuple(sorted(voids))
