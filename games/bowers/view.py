"""What one player of Bowers has seen: his own cards, all calls and plays, the kitty only if he took it."""

from __future__ import annotations

from games.bowers.bidding import MISERE, PASS, PLAYERS
from games.bowers.dealing import bid_trumps, field_to_follow, from_bid_order, to_bid_order
from games.bowers.options import Rules
from games.bowers.records import DealState, GameState, Phase, Three, View
from games.cards import SUIT_BITS, cards_mask


def view_of(state: GameState, player: int, to_act: int | None, legal: int, rules: Rules) -> View:
    """The view of one player.

    Args:
        to_act: whom the game waits for.
        legal: printed mask of the cards that the player to act may play, 0 when none is due.
    """
    deal = state.deal
    if deal is None:
        return View(player, state.phase, to_act, state.scores, state.dealer, state.factor)
    took = deal.kitty if player == deal.bidder and deal.call != MISERE else 0
    buried = deal.buried if player == deal.bidder else 0
    unseen = rules.deck & ~(deal.hands[player] | buried | played_cards(deal))
    return View(
        player=player,
        phase=state.phase,
        to_act=to_act,
        scores=state.scores,
        dealer=deal.dealer,
        factor=deal.factor,
        hand=deal.hands[player],
        kitty=took,
        buried=buried,
        calls=deal.auction.legal_calls() if to_act == player and state.phase == Phase.BID else (),
        legal=legal if to_act == player else 0,
        auction=deal.auction,
        bidder=deal.bidder,
        call=deal.call,
        tricks=deal.tricks,
        leader=deal.leader,
        plays=deal.plays,
        named=deal.named,
        taken=deal.taken,
        counts=_three([hand.bit_count() for hand in deal.hands]),
        unseen=unseen,
        possible=_three(
            [deal.hands[seat] if seat == player else unseen & ~void for seat, void in enumerate(voids(deal, rules))]
        ),
        outcome=deal.outcome,
    )


def played_cards(deal: DealState) -> int:
    """Printed mask of all cards played so far."""
    return cards_mask(card for trick in deal.tricks for card in trick.cards) | cards_mask(deal.plays)


def voids(deal: DealState, rules: Rules) -> Three:
    """By seat, printed mask of the cards a player cannot hold since he did not follow."""
    found = [0, 0, 0]
    if deal.call == PASS or deal.leader is None:
        return 0, 0, 0
    tricks = [(trick.leader, trick.cards, trick.named) for trick in deal.tricks]
    for leader, cards, named in [*tricks, (deal.leader, deal.plays, deal.named)]:
        for step, card in enumerate(cards[1:], 1):
            field = followed_field(deal.call, cards[0], named, rules.names_suit)
            if not int(to_bid_order(1 << card, deal.call)) & field:
                found[(leader + step) % PLAYERS] |= field
    # Only cards that exist: a suit without its jack has a hole where the bower's printed place is.
    deck = int(to_bid_order(rules.deck, deal.call))
    return _three([int(from_bid_order(field & deck, deal.call)) for field in found])


def followed_field(call: int, led: int, named: int | None, names_suit: int) -> int:
    """The play-order field to follow when this card was led, a joker at no trump naming the suit `named`."""
    field = 0 if named is None else int(to_bid_order(SUIT_BITS << 13 * named, call))
    return int(field_to_follow(int(to_bid_order(1 << led, call)), field, int(bid_trumps(call)), names_suit))


def _three(values: list[int]) -> Three:
    first, second, third = values
    return first, second, third
