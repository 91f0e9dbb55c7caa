"""Does a certificate prove its claim? The checker plays a written strategy against every other play, without code of
the provers.

A certificate states the position, the claim, and a strategy: for a sound claim the claimant's play in every position
that it can reach, else the play of the others. `check` follows it and tries *every* play of the other side. `key`
distinguishes positions: for each suit, from its highest live card down, the seats that hold it or may hold it. With
``unseen_discards`` the claimant ignores the discards of hidden hands, which stay possible everywhere. That is harder
for the claimant, so a claim proved in this way is sound.

    towerlab check claim.json
"""

import functools
import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from towerlab.games.cards import (
    DECK_54,
    NO_TRUMP,
    SUIT_BITS,
    mask_cards,
    parse_mask,
    parse_trump,
    to_play_order,
    trump_field,
)
from towerlab.games.errors import TowerlabError
from towerlab.games.tricks import beats, field_of, legal_followers

FORMAT: Final = "towerlab claim 1"
UNSEEN: Final = -1  # a discard that is not shown


@dataclass(frozen=True)
class CertificateRules:
    """The rules of a certificate, which stay as they are: seats as numbers in order of play."""

    seats: int
    hidden: tuple[int, ...]
    claimant: frozenset[int]
    scoring: frozenset[int]
    trump: int
    bowers: bool
    names: bool
    unseen: bool

    @cached_property
    def lanes(self) -> tuple[int, ...]:
        """The fields of the suits; the trumps are the last."""
        plain = tuple(SUIT_BITS << 13 * lane for lane in range(4 if self.trump == NO_TRUMP else 3))
        return (*plain, int(trump_field(self.trump)))


@dataclass(frozen=True)
class CertificateState:
    """A position: cards seen (or surely held) by seat, pools of the hidden seats, the trick under way."""

    hands: tuple[int, ...]
    pools: tuple[int, ...]
    tricks: int
    turn: int
    trick: tuple[int, ...] = ()
    led: int = 0
    best: int = 0
    best_seat: int = 0


def size(state: CertificateState, seat: int, rules: CertificateRules) -> int:
    """Return how many cards a seat holds: one fewer if it has played to the trick."""
    return state.tricks - ((seat - state.turn + len(state.trick)) % rules.seats < len(state.trick))


def has_layout(state: CertificateState, rules: CertificateRules) -> bool:
    """Return whether the hidden hands can be filled from their pools."""
    wanted = [size(state, seat, rules) - state.hands[seat].bit_count() for seat in rules.hidden]
    enough = all(0 <= need <= pool.bit_count() for need, pool in zip(wanted, state.pools, strict=True))
    return enough and sum(wanted) <= (state.pools[0] | state.pools[-1]).bit_count()


def narrow_pools(state: CertificateState, rules: CertificateRules) -> CertificateState:
    """Return the position without pool cards that are in no possible layout."""
    pools = [0] * len(state.pools)
    for place, seat in enumerate(rules.hidden):
        for card in (1 << number for number in mask_cards(state.pools[place])):
            hands = tuple(hand | card if at == seat else hand for at, hand in enumerate(state.hands))
            others = tuple(pool & ~card for pool in state.pools)
            pools[place] |= card * has_layout(replace(state, hands=hands, pools=others), rules)
    return replace(state, pools=tuple(pools))


def plays(state: CertificateState, rules: CertificateRules) -> list[tuple[int, int]]:
    """Return all legal plays: (card, field named or 0); `UNSEEN` for a discard that is not shown."""
    seat = state.turn
    led = state.led
    if seat not in rules.hidden:
        hand = state.hands[seat]
        cards = [1 << card for card in mask_cards(int(legal_followers(hand, led)) if led else hand)]
    else:
        place = rules.hidden.index(seat)
        cards = [1 << card for card in mask_cards(state.hands[seat] | state.pools[place])]
        cards = [card for card in cards if has_layout(_play_card(state, card, rules), rules)]
        if led and state.hands[seat] & led:
            cards = [card for card in cards if card & led]
        if rules.unseen and led and any(not card & (led | rules.lanes[-1]) for card in cards):
            cards = [card for card in cards if card & (led | rules.lanes[-1])] + [UNSEEN]
    naming = led == 0 and rules.trump == NO_TRUMP and rules.names
    return [(c, lane) for c in cards for lane in (rules.lanes[:4] if naming and c & rules.lanes[-1] else (0,))]


def _play_card(state: CertificateState, card: int, rules: CertificateRules) -> CertificateState:
    """Return the position after a card, before the end of the trick; a discard takes the suit led out of the pool."""
    gone = 0 if card == UNSEEN else card
    pools = [pool & ~gone for pool in state.pools]
    if state.turn in rules.hidden and state.led and not gone & state.led:
        pools[rules.hidden.index(state.turn)] &= ~state.led
    hands = tuple(hand & ~gone for hand in state.hands)
    turn = (state.turn + 1) % rules.seats
    return replace(state, hands=hands, pools=tuple(pools), trick=(*state.trick, gone), turn=turn)


def after(state: CertificateState, play: tuple[int, int], rules: CertificateRules) -> tuple[CertificateState, int]:
    """Return the position after a play, and 1 if a trick was counted."""
    card, named = play
    left = _play_card(state, card, rules)
    if state.led == 0:
        left = replace(left, led=named or int(field_of(card, rules.lanes[-1])), best=card, best_seat=state.turn)
    elif card != UNSEEN and beats(card, state.best, rules.lanes[-1]):
        left = replace(left, best=card, best_seat=state.turn)
    if len(left.trick) < rules.seats:
        return narrow_pools(left, rules), 0
    ended = CertificateState(left.hands, left.pools, left.tricks - 1, left.best_seat)
    return narrow_pools(ended, rules), int(left.best_seat in rules.scoring)


def key(state: CertificateState, rules: CertificateRules) -> str:
    """Return the position as a text; a strategy depends on nothing else."""
    owners = dict.fromkeys(mask_cards(state.best), "x")
    for seat, hand in enumerate(state.hands):
        owners |= dict.fromkeys(mask_cards(hand), str(seat))
    for place, pool in enumerate(state.pools):
        for card in mask_cards(pool):
            owners[card] = "c" if card in owners else "ab"[place]
    lanes = ["".join(owners[card] for card in sorted(owners)[::-1] if lane >> card & 1) for lane in rules.lanes]
    led = rules.lanes.index(state.led) if state.led else "-"
    return f"{state.tricks}.{state.turn}.{len(state.trick)}.{led}.{state.best_seat} " + "/".join(lanes)


def play_name(state: CertificateState, play: tuple[int, int], rules: CertificateRules) -> str:
    """Return a play as a strategy writes it: suit and place from the top among the live cards, and the suit named."""
    card, named = play
    lane = next(number for number, field in enumerate(rules.lanes) if field & card)
    live = functools.reduce(operator.or_, (state.best, *state.hands, *state.pools))
    above = (live & rules.lanes[lane] & -(card << 1)).bit_count()
    return f"{lane}.{above}" + (f".{rules.lanes.index(named)}" if named else "")


def check(certificate: Mapping[str, Any]) -> tuple[bool, int]:
    """Return whether a certificate proves its claim, and its number of positions; TowerlabError if it is none."""
    try:
        rules, state = read(certificate)
        strategy, need, sound = (
            _read_field(certificate, *part) for part in (("strategy", dict), ("claim", int), ("sound", bool))
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TowerlabError(f"not a certificate ({error}); expected one written by --certificate") from None
    if not 0 <= need <= state.tricks:
        raise TowerlabError(f"the certificate claims {need} of {state.tricks} tricks; expected 0 to {state.tricks}")
    if not has_layout(state, rules) or (rules.unseen and (not sound or any(state.hands[h] for h in rules.hidden))):
        raise TowerlabError("the certificate's position contradicts itself; expected a layout that fits")
    done: dict[tuple[str, int], bool] = {}

    def holds(state: CertificateState, need: int) -> bool:
        if need <= 0 or need > state.tricks:
            return bool((need <= 0) == sound)
        place = (key(state, rules), need)
        if place not in done:
            choices = plays(state, rules)
            if (state.turn in rules.claimant) == sound:
                choices = [play for play in choices if play_name(state, play, rules) == strategy.get(place[0])]
            children = [after(state, play, rules) for play in choices]
            done[place] = bool(children) and all(holds(child, need - won) for child, won in children)
        return done[place]

    return holds(narrow_pools(state, rules), need), len(strategy)


def _read_field(certificate: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a field of just that type: no 5.9 for 5, no 1 for true."""
    value = certificate[name]
    if type(value) is not kind:
        raise TypeError(f"{name} is a {type(value).__name__}, expected {kind.__name__}")
    return value


def read(certificate: Mapping[str, Any]) -> tuple[CertificateRules, CertificateState]:
    """Return the rules and the position of a certificate; raises KeyError, TypeError or ValueError if it is none."""
    if certificate["format"] != FORMAT:
        raise ValueError("another format")
    seats = _read_field(certificate, "seats", list)
    trump = parse_trump(_read_field(certificate, "trump", str))
    roles = (_read_field(certificate, name, list) for name in ("hidden", "claimant", "scoring"))
    hidden, claimant, scoring = (tuple(seats.index(name) for name in role) for role in roles)
    if not (
        len(_read_field(certificate, "trick", list)) < len(seats) <= 4 and len(set(hidden)) == len(hidden) in (1, 2)
    ):
        raise ValueError("seats that cannot be")
    if not claimant or {*claimant} & {*hidden}:
        raise ValueError("a claimant who sees no hand")
    bowers, names, unseen = (_read_field(certificate, name, bool) for name in ("bowers", "names", "unseen_discards"))
    rules = CertificateRules(len(seats), hidden, frozenset(claimant), frozenset(scoring), trump, bowers, names, unseen)

    def mask(cards: list[str]) -> int:
        return int(to_play_order(parse_mask(" ".join(cards), DECK_54), trump, bowers))

    held, possible = (_read_field(certificate, name, dict) for name in ("hands", "pools"))
    hands = tuple(mask(_read_field(held, name, list)) for name in seats)
    pools = tuple(mask(_read_field(possible, seats[seat], list)) for seat in hidden)
    if len(held) > len(hands) or len(possible) > len(pools):
        raise ValueError("cards of a seat that is not there")
    trick = tuple(mask([card]) for card in certificate["trick"])
    led = int(field_of(trick[0], rules.lanes[-1])) if trick else 0
    if trump == NO_TRUMP and names and led == rules.lanes[-1]:
        led = rules.lanes[list("CDHS").index(certificate["named"])]
    elif certificate["named"] is not None:
        raise ValueError("a suit is named without a joker that does so")
    state = CertificateState(
        hands, pools, _read_field(certificate, "tricks", int), seats.index(certificate["turn"]), trick, led
    )
    for place, card in enumerate(trick):
        if place == 0 or beats(card, state.best, rules.lanes[-1]):
            state = replace(state, best=card, best_seat=(state.turn - len(trick) + place) % len(seats))
    seen = (seat for seat in range(len(seats)) if seat not in hidden)
    short = any(card.bit_count() != 1 for card in trick) or any(
        hands[seat].bit_count() != size(state, seat, rules) for seat in seen
    )
    cards = [card for mask in (*hands, *trick, pools[0] | pools[-1]) for card in mask_cards(mask)]
    if short or len(set(cards)) < len(cards):
        raise ValueError("hands of different sizes, or a card twice")
    return rules, state
