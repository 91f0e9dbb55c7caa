"""How do the fast players of Bowers bid, bury and play? `random`, and `novice`, who counts tricks.

A player's kernel gets its own cards and the open ones, and no other card. Cards are in the play order of the bid
(games/cards.py), except in the auction, where no bid is settled yet.

>>> from towerlab.games.bowers.options import BowersOptions
>>> from towerlab.games.bowers.rules import call_text
>>> from towerlab.games.cards import parse_mask
>>> hand = parse_mask("JS JC AS KS QS 10S 9S AH AD AC")  # every trick but one is sure with spades as trumps
>>> call_text(novice_call(hand, 0, BowersOptions().rules()))
'10S'
"""

from typing import Final, NamedTuple

from numpy.random import Generator

from towerlab.games.beating import cards_that_beat
from towerlab.games.bits import highest_bit, highest_index, lowest_bit, popcount
from towerlab.games.bowers.options import BowersRules
from towerlab.games.bowers.rules import (
    CALLS,
    MISERE,
    MOST_TRICKS,
    PASS,
    bid_of,
    call_key,
    call_level,
    call_trump,
    is_legal_call,
)
from towerlab.games.cards import (
    JOKER_1,
    LEFT_BOWER,
    NO_TRUMP,
    NO_TRUMP_FIELD,
    PLAY_JOKERS,
    RIGHT_BOWER,
    SUIT_BITS,
    TRUMP_SHIFT,
    to_play_order,
    trump_field,
)
from towerlab.games.jit import brief_kernel, kernel
from towerlab.games.tricks import field_of
from towerlab.sim.choices import draw_number

ACE: Final = 12
SEVEN: Final = 5

TRUMP_VALUE: Final = 1000
NEVER: Final = 1 << 40

# The novice's counts, in eighths of a trick: fitted to the double-dummy tricks of 4,000 random deals, with the kitty
# taken and `habitual_bury`, and rounded.
EIGHTHS: Final = 8
SUIT_START: Final = -11
SUIT_TRUMP = 7
SUIT_RIGHT = 12
SUIT_LEFT = 8
SUIT_ACE = 5
SUIT_KING = 2
SIDE_ACE = 8
SIDE_KING = 3
SIDE_SHORT = 1
NT_START: Final = 2
NT_ACE = 12
NT_KING = 3
NT_QUEEN = 2
NT_LENGTH = 7
NT_ACE_KING = 9
JOKER: Final = 12
UNLIKE_MISERE: Final = 5 * EIGHTHS  # how far any hand with a high card is from a misère


@kernel
def side_field(index: int, trumps: int) -> int:
    """Return a plain field by its number 0..3; the fourth exists at no trump only (0 otherwise)."""
    if index < 3:
        return SUIT_BITS << (13 * index)
    return SUIT_BITS << TRUMP_SHIFT if trumps == NO_TRUMP_FIELD else 0


# --------------------------------------------------------------------------------------------------------- burying


@kernel
def keeping_value(card: int, hand: int, trumps: int) -> int:
    """Return how much a card is worth keeping by habit: trumps most, then aces, at no trump long suits."""
    if card & trumps:
        return TRUMP_VALUE + popcount(hand & trumps & (card - 1))
    suit = hand & field_of(card, trumps)
    length = popcount(suit)
    rank = _rank(card)
    value = 2 * rank
    if rank == ACE:
        value += 60
    elif rank == ACE - 1:
        value += 24 if length >= 2 else 2
    elif rank == ACE - 2:
        value += 8 if length >= 3 else 1
    return value + (8 if trumps == NO_TRUMP_FIELD else 4) * length


@kernel
def _rank(card: int) -> int:
    """Rank 0..12 of a plain card in play order."""
    return highest_index(card) % 13


@brief_kernel
def habitual_bury(hand: int, trumps: int, count: int) -> int:
    """Return the cards that the hand needs least, chosen one after the other: low ones of short suits.

    Args:
        hand: play-order mask, kitty included.
        count: the number of cards to bury.
    """
    buried = 0
    for _ in range(count):
        buried |= cheapest_card(hand & ~buried, hand & ~buried, trumps)
    return buried


@kernel
def cheapest_card(cards: int, hand: int, trumps: int) -> int:
    """Return the card that the hand needs least of these."""
    chosen = 0
    least = NEVER
    while cards:
        card = lowest_bit(cards)
        cards ^= card
        value = keeping_value(card, hand, trumps)
        if value < least:
            chosen = card
            least = value
    return chosen


# --------------------------------------------------------------------------------------------------------- bidding


@kernel
def counted_tricks(hand: int, trump: int) -> int:
    """Return the tricks that the novice expects as the bidder, in eighths.

    Args:
        hand: printed mask of ten cards.
        trump: the trump suit 0..3 or `NO_TRUMP`.
    """
    trumps = trump_field(trump)
    play = to_play_order(hand, trump, True)
    held = play & trumps
    count = NT_START if trump == NO_TRUMP else SUIT_START + SUIT_TRUMP * popcount(held)
    if held & PLAY_JOKERS:
        count += JOKER
    if trump != NO_TRUMP:
        count += SUIT_RIGHT if held & RIGHT_BOWER else 0
        count += SUIT_LEFT if held & LEFT_BOWER else 0
        count += SUIT_ACE if held >> (TRUMP_SHIFT + ACE) & 1 else 0
        count += SUIT_KING if held >> (TRUMP_SHIFT + ACE - 1) & 1 else 0
    longest = 0
    for index in range(4):
        field = side_field(index, trumps)
        length = popcount(play & field)
        longest = max(longest, length)
        suit = (play >> (13 * index)) & SUIT_BITS if field else 0
        ace = suit >> ACE & 1
        king = suit >> (ACE - 1) & 1
        queen = suit >> (ACE - 2) & 1
        if trump == NO_TRUMP:
            count += NT_ACE * ace + NT_KING * (king if length >= 2 else 0) + NT_QUEEN * (queen if length >= 3 else 0)
            count += NT_ACE_KING * ace * king
        else:
            count += SIDE_ACE * ace + SIDE_KING * (king if length >= 2 else 0)
            if field:
                count += SIDE_SHORT * max(0, 2 - length)
    return count + (NT_LENGTH * max(0, longest - 4) if trump == NO_TRUMP else 0)


@kernel
def looks_like_misere(hand: int) -> bool:
    """Return whether the hand may take no trick: its i-th lowest card of every suit is low enough for another to win.

    Args:
        hand: printed mask.
    """
    if hand >> JOKER_1:
        return False
    for suit in range(4):
        cards = (hand >> (13 * suit + SEVEN)) & 0xFF
        place = 0
        while cards:
            low = lowest_bit(cards)
            cards ^= low
            if low > 1 << (2 * place + 1):
                return False
            place += 1
    return True


@kernel
def counted_levels(hand: int) -> tuple[int, int, int, int, int]:
    """Return the tricks that the novice would bid in each trump, C D H S NT, at most ten; below one it would not bid.

    Args:
        hand: printed mask of ten cards.
    """
    return (
        _counted_level(hand, 0),
        _counted_level(hand, 1),
        _counted_level(hand, 2),
        _counted_level(hand, 3),
        _counted_level(hand, NO_TRUMP),
    )


@kernel
def _counted_level(hand: int, trump: int) -> int:
    return min(counted_tricks(hand, trump) // EIGHTHS, MOST_TRICKS)


@kernel
def highest_bid(levels: tuple[int, int, int, int, int], spare: int, standing: int, rules: BowersRules) -> int:
    """Return the highest legal bid of `spare` tricks less than the level of its trump; a pass where there is none."""
    best = PASS
    most = 0
    for trump in range(NO_TRUMP + 1):
        if levels[trump] > spare:
            call = bid_of(levels[trump] - spare, trump)
            if call_key(call) > most and is_legal_call(standing, call, rules.min_bid):
                best = call
                most = call_key(call)
    return best


@kernel
def highest_call(
    levels: tuple[int, int, int, int, int], spare: int, low: bool, standing: int, rules: BowersRules
) -> int:
    """Return the `highest_bid`; if none keeps tricks in hand, that of the full count; then misère; then a pass.

    Args:
        levels: the levels that `counted_levels` returns.
        spare: tricks that the player keeps in hand: 0 the novice, 1 the careful one.
        low: whether the hand looks like a misère.
        standing: the standing bid, or `PASS`.
        rules: the rules by which the game is played.
    """
    best = highest_bid(levels, spare, standing, rules)
    if best == PASS and spare:
        best = highest_bid(levels, 0, standing, rules)
    if best == PASS and low and is_legal_call(standing, MISERE, rules.min_bid):
        return MISERE
    return best


@brief_kernel
def novice_call(hand: int, standing: int, rules: BowersRules) -> int:
    """Return the highest legal bid that the hand counts enough tricks for; misère on low cards; else a pass.

    Args:
        hand: printed mask of ten cards.
        standing: the standing bid, or `PASS`.
    """
    return highest_call(counted_levels(hand), 0, looks_like_misere(hand), standing, rules)


@kernel
def call_misfit(hand: int, spare: int, standing: int, made: int, rules: BowersRules) -> int:
    """Return how far a hand is, in eighths of a trick, from a hand that makes a call; 0 where it makes the call itself.

    Args:
        hand: printed mask of ten cards.
        spare: tricks that the player keeps in hand where possible, as of `highest_call`.
        standing: the bid over which the call was made, or `PASS`.
        made: the call.
        rules: the rules by which the game is played.
    """
    if made == MISERE:
        return 0 if looks_like_misere(hand) else UNLIKE_MISERE
    if made != PASS:
        level = call_level(made)
        trump = call_trump(made)
        over = counted_tricks(hand, trump) - EIGHTHS * level
        forced = level == 1 or not is_legal_call(standing, bid_of(level - 1, trump), rules.min_bid)
        too_many = over - (EIGHTHS * (spare + 1) - 1) if level + spare < MOST_TRICKS else 0
        return max(0, (0 if forced else EIGHTHS * spare) - over, too_many)
    most = 0
    for trump in range(NO_TRUMP + 1):
        level = max(rules.min_bid, 1)
        while level <= MOST_TRICKS and not is_legal_call(standing, bid_of(level, trump), rules.min_bid):
            level += 1
        if level <= MOST_TRICKS:
            most = max(most, counted_tricks(hand, trump) + 1 - EIGHTHS * level)
    return most


@kernel
def random_call(standing: int, min_bid: int, random: Generator) -> int:
    """Return a pass half the time, else one of the bids of the lowest rung that may be bid, at random.

    Any legal bid at random would lead to bids that no player can make, and to games that never end.
    """
    if draw_number(random, 2) == 0:
        return PASS
    lowest = 1
    while lowest < CALLS and not is_legal_call(standing, lowest, min_bid):
        lowest += 1
    count = 0
    while lowest + count < CALLS and call_key(lowest + count) == call_key(lowest):
        count += 1
    return lowest + draw_number(random, count) if count else PASS


# --------------------------------------------------------------------------------------------------------- playing


class TrickView(NamedTuple):
    """The knowledge of the player who is to play a card; masks in play order.

    Attributes:
        hand: the player's cards.
        legal: the cards that may be played.
        unseen: cards that may be in other hands.
        led: field to follow, 0 for a lead.
        best: the card that is winning the trick.
        enemy_wins: 1 if it is an opponent's.
        declarer_to_come: 1 if the declarer plays to this trick later.
        is_declarer: 1 if the player is the declarer.
        wants_none: 1 if the declarer plays to lose.
        trumps: the trump field.
    """

    hand: int
    legal: int
    unseen: int
    led: int
    best: int
    enemy_wins: int
    declarer_to_come: int
    is_declarer: int
    wants_none: int
    trumps: int


@kernel
def master_cards(cards: int, unseen: int, trumps: int) -> int:
    """Return those of some cards that no unseen card of their field beats."""
    winners = 0
    while cards:
        card = lowest_bit(cards)
        cards ^= card
        if unseen & field_of(card, trumps) & -card == 0:
            winners |= card
    return winners


@brief_kernel
def novice_card(sight: TrickView) -> int:
    """Return a card: draws trumps as the bidder, cashes masters, wins cheaply, throws low cards; ducks at misère."""
    if sight.wants_none:
        return _card_at_misere(sight)
    if sight.led == 0:
        return _novice_lead(sight)
    winners = _winners(sight)
    if sight.enemy_wins and winners:
        if sight.is_declarer or not sight.declarer_to_come:
            return _lowest(winners, sight.trumps)
        strong = master_cards(winners, sight.unseen, sight.trumps)
        if strong:
            return _lowest(strong, sight.trumps)
    return cheapest_card(sight.legal, sight.hand, sight.trumps)


@kernel
def _winners(sight: TrickView) -> int:
    """Return the legal cards that beat the best one so far."""
    return cards_that_beat(sight.legal, sight.best, sight.trumps)


@kernel
def _lowest(cards: int, trumps: int) -> int:
    """Return the lowest card, plain ones before trumps."""
    plain = cards & ~trumps
    return lowest_bit(plain) if plain else lowest_bit(cards)


@kernel
def _novice_lead(sight: TrickView) -> int:
    """Masters first, the bidder's trumps before all; else gives up a low card of a short suit."""
    held = sight.hand & sight.trumps
    if sight.is_declarer and held and sight.unseen & sight.trumps:
        top = highest_bit(held)
        if master_cards(top, sight.unseen, sight.trumps) or popcount(held) >= 4:
            return top
    strong = master_cards(sight.hand & ~sight.trumps, sight.unseen, sight.trumps)
    if strong:
        return lowest_bit(strong)
    return cheapest_card(sight.hand, sight.hand, sight.trumps)


@kernel
def _card_at_misere(sight: TrickView) -> int:
    """At misère the bidder ducks as high as possible; the others stay below and get rid of high cards."""
    winners = _winners(sight) if sight.led else 0
    losers = sight.legal & ~winners
    if sight.is_declarer:
        if sight.led == 0 or losers == 0:
            return _lowest_rank(sight.legal, sight.trumps)
        return highest_bit(losers & ~sight.trumps) if losers & ~sight.trumps else highest_bit(losers)
    if sight.led and not sight.declarer_to_come and sight.enemy_wins == 0:
        return highest_bit(sight.legal)
    return _lowest_rank(losers if losers else sight.legal, sight.trumps)


@kernel
def _lowest_rank(cards: int, trumps: int) -> int:
    """Return the card of the lowest rank, whatever its suit; a joker last."""
    chosen = lowest_bit(cards)
    least = NEVER
    while cards:
        card = lowest_bit(cards)
        cards ^= card
        rank = 99 if card & trumps else _rank(card)
        if rank < least:
            chosen = card
            least = rank
    return chosen
