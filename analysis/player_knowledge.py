"""What does a player know when claiming tricks or choosing a card? The question is read; contradictions are refused.

Example:
    towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, Unpack

from towerlab.games.beating import winning_place
from towerlab.games.cards import (
    NO_TRUMP,
    SYMBOLS,
    card_text,
    cards_mask,
    effective_suit,
    mask_cards,
    mask_text,
    parse_card,
    parse_mask,
    parse_suit,
    parse_trump,
    to_play_order,
    trump_field,
)
from towerlab.games.errors import CardError, TowerlabError, blame, plain_word
from towerlab.games.pbn import is_hand, parse_hand
from towerlab.games.written import SuitId
from towerlab.solver.claims.belief import Belief


@dataclass(frozen=True)
class Seating:
    """The seats of a game in order of play, and its pack.

    Attributes:
        game: the game's name on the command line.
        seats: the names of the seats.
        dummy: the seat whose hand is open and is played by the declarer (seat 0), or None.
        deck: printed mask of the pack.
        bowers: whether the jacks of the trump's colour are the highest trumps.
        most: number of cards in a full hand.
        lies_out: whether cards may be out of play from the start. If not, all cards that no hand holds have been
            played.
        names: whether a joker led at no trump names the suit to follow.
        strains: how many of the four suits and no trump, in that order, can be trumps.
        misere: whether a declarer may play for no tricks.
        said: the names of the seats in sentences, if they differ from `seats`.
        options: the rule options of the game.
    """

    game: str
    seats: tuple[str, ...]
    dummy: int | None
    deck: int
    bowers: bool
    most: int
    lies_out: bool
    names: bool = True
    strains: int = 5
    misere: bool = False
    said: tuple[str, ...] = ()
    options: Any = None

    def called(self, seat: int) -> str:
        """Return the name of a seat in a sentence."""
        return (self.said or self.seats)[seat]

    @property
    def players(self) -> tuple[str, ...]:
        """The seats whose players may claim: all but the dummy."""
        return tuple(name for seat, name in enumerate(self.seats) if seat != self.dummy)


class KnownFacts(TypedDict, total=False):
    """What a player knows besides the hand, as it is typed; every part may be left out.

    Attributes:
        seen: cards that no hidden hand holds: played, or buried by the player.
        void: ``SEAT:SUIT``, a suit that a hidden seat cannot hold.
        holds: ``SEAT:CARD``, a card that a hidden seat surely holds.
        trick: the cards of the trick under way in order of play; a joker that names a suit is ``X1:S``.
        history: the whole tricks before: ``"AH/QC/9H 7S/8S/JS"``, the card led first.
        first: the seat that led the first trick of the history; `lead` may then be left out.
    """

    seen: str
    void: str | Iterable[str]
    holds: str | Iterable[str]
    trick: str
    history: str
    first: str | None


@dataclass(frozen=True)
class Knowledge:
    """What a player knows, read and checked.

    Attributes:
        seating: the seats of the game.
        role: the player's seat.
        trump: 0..4 for C D H S NT.
        misere: whether the declarer wants no tricks.
        belief: the cards that each hidden hand holds or may hold, in play order. It counts the tricks of the player's
            side; in a misère, those of the other side.
        played: printed mask by seat of the cards played, in the history and in the trick under way.
        taken: the tricks taken in the history, by seat.
    """

    seating: Seating
    role: int
    trump: SuitId
    misere: bool
    belief: Belief
    played: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()


def describe(knowledge: Knowledge) -> str:
    """Return the game and the player's seat, as a word for `repr`."""
    return f"{knowledge.seating.game}:{knowledge.seating.seats[knowledge.role]}"


@dataclass
class Reading:
    """What has been read of a question so far: printed masks and suits by seat."""

    seating: Seating
    trump: int
    hands: dict[int, int]
    role: int
    known_cards: dict[int, int] = field(default_factory=dict)  # the known cards of hidden hands
    played: dict[int, int] = field(default_factory=dict)
    taken: dict[int, int] = field(default_factory=dict)
    failures: dict[int, dict[int, str]] = field(default_factory=dict)  # by seat the suits not followed, and where

    def name(self, seat: int) -> str:
        return self.seating.called(seat)

    def suit(self, card: int) -> int:
        return effective_suit(card, self.trump, self.seating.bowers)

    def play_mask(self, mask: int) -> int:
        return int(to_play_order(mask, self.trump, self.seating.bowers))

    @functools.cached_property
    def hidden(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(len(self.seating.seats)) if seat not in self.hands)


@dataclass(frozen=True)
class ReadTrick:
    """A trick as it was read: its name in errors, its cards in order of play, and the suit that a joker names."""

    what: str
    cards: tuple[int, ...]
    named: int | None


def read_knowledge(
    seating: Seating,
    *,
    role: str,
    hand: str,
    trump: str | None,
    lead: str | None,
    dummy: str | None = None,
    misere: bool = False,
    **known: Unpack[KnownFacts],
) -> Knowledge:
    """Return what the player of a question knows.

    Args:
        seating: the seats of the game.
        role: the player's seat, one of `Seating.players`.
        hand: the player's cards now.
        trump: S, H, D, C or NT.
        lead: the seat that leads the next trick, or has led the one under way.
        dummy: the dummy's cards now.
        misere: whether the declarer wants no tricks; it is played at no trump.
        known: further facts about the hands.

    Raises:
        TowerlabError: a card is unknown or in two places, facts contradict each other, a number of cards is impossible,
            the history breaks the rules, or no layout fits.
    """
    role = role if role in seating.seats else plain_word(role)
    if role not in seating.players:
        raise blame(TowerlabError(f"role {role!r} is unknown; expected {one_of(seating.players)}"), "role")
    strain = _read_trump(trump, misere, seating)
    seat = seating.seats.index(role)
    hands = {seat: _read_hand(hand, seating, "your hand")}
    if seating.dummy is not None:
        if dummy is None:
            raise blame(TowerlabError("no dummy is given; expected the cards that dummy holds now"), "dummy")
        hands[seating.dummy] = _read_hand(dummy, seating, "dummy")
    elif dummy is not None:
        raise blame(TowerlabError(f"there is no dummy in {seating.game}; expected a hand only"), "dummy")
    reading = Reading(seating, strain, hands, seat)
    trick = _read_trick(known.get("trick", ""), "the trick", reading)
    seen = parse_mask(known.get("seen", ""), seating.deck, "the seen cards")
    reading.known_cards = _read_holds(known.get("holds", ()), reading)
    voids: dict[int, set[int]] = {}
    for place, text in _pairs(known.get("void", ()), "void", reading):
        voids.setdefault(place, set()).add(parse_suit(text))
    words = enumerate(known.get("history", "").split(), 1)
    history = [_read_trick(word, f"trick {number} of the history ({word})", reading) for number, word in words]
    steps = _winning_places(reading, history, trick)
    leader = _read_lead(lead, known, steps, seating)
    _check_once(reading, trick, seen, history)
    _replay(reading, history, steps, trick, leader)
    _check_suits(reading, voids)
    gone = seen | cards_mask(card for done in history for card in done.cards)
    return build_knowledge(reading, leader, trick, gone, voids, len(history), misere)


def knowledge_from_texts(seating: Seating, question: Mapping[str, str]) -> Knowledge:
    """Return what the player of a question knows, from options as texts; an empty text is an option that is not given.

    Raises:
        TowerlabError: as `read_knowledge`.
    """
    words: dict[str, Any] = {name: text for name, text in question.items() if text}
    # The dummy, like a hand, may be empty: its last card is on the table.
    words |= {"trump": words.get("trump"), "lead": words.get("lead"), "dummy": question.get("dummy")}
    return read_knowledge(seating, **words | {"hand": question["hand"], "misere": bool(question.get("misere"))})


# --------------------------------------------------------------------------------------------------------- reading


def _read_trump(trump: str | None, misere: bool, seating: Seating) -> int:
    if misere:
        if trump is not None and parse_trump(trump) != NO_TRUMP:
            wrong = f"trump {trump} contradicts --misere, which is played without trumps; expected NT"
            raise blame(TowerlabError(wrong), "misere")
        return NO_TRUMP
    expected = "S, H, D, C or NT" if seating.strains > NO_TRUMP else "S, H, D or C"
    if trump is None:
        raise blame(TowerlabError(f"no trump is given; expected {expected}"), "trump")
    strain = parse_trump(trump)
    if strain >= seating.strains:
        raise blame(TowerlabError(f"trump {trump} is not of {seating.game}; expected {expected}"), "trump")
    return strain


def _read_hand(text: str, seating: Seating, what: str) -> int:
    if is_hand(text):
        mask = parse_hand(text, None, what)
        if mask & ~seating.deck:
            raise CardError(f"{mask_text(mask & ~seating.deck)} in {what} is not in this game's pack")
    else:
        mask = parse_mask(text, seating.deck, what)
    if mask.bit_count() > seating.most:
        raise CardError(f"{what} has {mask.bit_count()} cards; expected at most {seating.most}")
    return mask


def _read_lead(lead: str | None, known: KnownFacts, steps: list[int], seating: Seating) -> int:
    """Return the seat on lead, as given or from the first leader and the winners of the tricks."""
    seats: list[int | None] = []
    for name, text in (("lead", lead), ("first-lead", known.get("first"))):
        word = None if text is None else plain_word(text)
        if word is not None and word not in seating.seats:
            raise TowerlabError(f"{name} {text!r} is unknown; expected {one_of(seating.seats)}")
        seats.append(None if word is None else seating.seats.index(word))
    given, first = seats
    if first is None:
        if given is None:
            raise blame(TowerlabError(f"nobody is on lead; expected a lead: {one_of(seating.seats)}"), "lead")
        return given
    leader = (first + sum(steps)) % len(seating.seats)
    if given not in (None, leader):
        played = f"after {known['history'].split()[-1]}" if steps else "no trick is played;"
        wrong = f"lead {lead} contradicts the history: {played} the lead is with {seating.seats[leader]}"
        raise blame(TowerlabError(wrong), "lead")
    return leader


def _read_trick(text: str, what: str, reading: Reading) -> ReadTrick:
    words = text.replace("/", " ").replace(",", " ").split()
    named = None
    if words and ":" in words[0]:
        words[0], _, suit = words[0].partition(":")
        named = parse_suit(suit)
    cards = []
    for word in words:
        try:
            card = parse_card(word)
        except CardError as error:
            raise CardError(f"{what}: {error}") from None
        if not reading.seating.deck >> card & 1:
            count = reading.seating.deck.bit_count()
            raise CardError(f"{what}: {card_text(card)} is not in this game's pack of {count} cards")
        cards.append(card)
    if cards:
        names = reading.trump == NO_TRUMP and reading.suit(cards[0]) == NO_TRUMP and reading.seating.names
        if names and named is None:
            raise CardError(
                f"{what}: a joker led at no trump names a suit; expected {card_text(cards[0])}:S or the like"
            )
        if named is not None and not names:
            raise CardError(f"{what}: {card_text(cards[0])} names no suit; only a joker led at no trump does")
    return ReadTrick(what, tuple(cards), named)


def _pairs(texts: str | Iterable[str], what: str, reading: Reading) -> list[tuple[int, str]]:
    """Return the seat and the rest of each text ``SEAT:…``."""
    words = (texts if isinstance(texts, str) else " ".join(texts)).replace(",", " ").split()
    hidden = [reading.seating.seats[seat] for seat in reading.hidden]
    pairs = []
    for word in words:
        name, colon, rest = word.partition(":")
        if not colon or name.lower() not in hidden:
            raise TowerlabError(f"{what} {word!r} is not understood; expected SEAT:… with {one_of(hidden)}")
        pairs.append((reading.seating.seats.index(name.lower()), rest))
    return pairs


def _read_holds(texts: str | Iterable[str], reading: Reading) -> dict[int, int]:
    known_cards = dict.fromkeys(reading.hidden, 0)
    for seat, text in _pairs(texts, "holds", reading):
        card = parse_mask(text, reading.seating.deck, f"what {reading.name(seat)} holds", 1)
        for other in reading.hidden:
            if known_cards[other] & card:
                raise CardError(f"{mask_text(card)} is said to be held twice; expected every card in one place")
        known_cards[seat] |= card
    return known_cards


# -------------------------------------------------------------------------------------------------------- checking


def _check_once(reading: Reading, trick: ReadTrick, seen: int, history: Sequence[ReadTrick]) -> None:
    """Refuse a card in two places; only a played card may be among the seen cards as well."""
    played = {card for done in (trick, *history) for card in done.cards}
    stated: dict[str, Iterable[int]] = {
        **{"your hand" if seat == reading.role else "dummy": mask_cards(hand) for seat, hand in reading.hands.items()},
        "the trick": trick.cards,
        **{f"trick {number} of the history": done.cards for number, done in enumerate(history, 1)},
        **{f"{reading.name(seat)}'s hand": mask_cards(cards) for seat, cards in reading.known_cards.items()},
        "the seen cards": [card for card in mask_cards(seen) if card not in played],
    }
    places: dict[int, str] = {}
    for place, cards in stated.items():
        for card in cards:
            if card in places:
                raise CardError(
                    f"{card_text(card)} stands both in {places[card]} and in {place}; expected every card in one place"
                )
            places[card] = place


def _winning_places(reading: Reading, history: Sequence[ReadTrick], trick: ReadTrick) -> list[int]:
    """Return how many seats after its leader the winner of each trick sits."""
    seats = len(reading.seating.seats)
    for done in history:
        if len(done.cards) != seats:
            raise TowerlabError(f"{done.what} has {len(done.cards)} cards; expected {seats} joined by slashes")
    if len(trick.cards) >= seats:
        raise TowerlabError(f"the trick has {len(trick.cards)} cards; expected fewer than {seats}")
    return [winning_place(done.cards, reading.trump, reading.seating.bowers) for done in history]


def _replay(
    reading: Reading, history: Sequence[ReadTrick], steps: Sequence[int], trick: ReadTrick, leader: int
) -> None:
    """Note every seat's plays and failures to follow, from the seat that leads now backwards."""
    seats = len(reading.seating.seats)
    first = (leader - sum(steps)) % seats  # the only first leader after whom `leader` is on lead now
    for done, step in zip(history, steps, strict=True):
        _note_plays(reading, done, first)
        first = (first + step) % seats
        reading.taken[first] = reading.taken.get(first, 0) + 1
    _note_plays(reading, trick, leader)


def _note_plays(reading: Reading, trick: ReadTrick, leader: int) -> None:
    for step, card in enumerate(trick.cards):
        seat = (leader + step) % len(reading.seating.seats)
        suit = reading.suit(card)
        failures = reading.failures.setdefault(seat, {})
        if suit in failures:
            raise TowerlabError(
                f"{trick.what}: {_who(reading, seat)} played {card_text(card)}, yet did not follow "
                f"{_suit_text(suit)} in {failures[suit]}; expected a hand that follows"
            )
        reading.played[seat] = reading.played.get(seat, 0) | 1 << card
        led = trick.named if trick.named is not None else reading.suit(trick.cards[0])
        if step and suit != led:
            failures[led] = trick.what


def _check_suits(reading: Reading, voids: Mapping[int, set[int]]) -> None:
    """Refuse a hand with a card of a suit that it did not follow or is void in."""
    for seat in sorted({*reading.failures, *voids}):
        failures = reading.failures.get(seat, {})
        for card in mask_cards(reading.hands.get(seat, reading.known_cards.get(seat, 0))):
            suit = reading.suit(card)
            if suit in failures:
                raise TowerlabError(
                    f"{failures[suit]}: {_who(reading, seat)} did not follow {_suit_text(suit)}, yet "
                    f"{'hold' if seat == reading.role else 'holds'} {card_text(card)}; expected a hand that follows"
                )
            if suit in voids.get(seat, ()):
                left = " (the left bower is a trump)" if reading.seating.bowers and reading.trump != NO_TRUMP else ""
                raise CardError(
                    f"{reading.name(seat)} is said to hold {card_text(card)} and to be void in "
                    f"{_suit_text(suit)}; expected one or the other{left}"
                )


def build_knowledge(
    reading: Reading,
    leader: int,
    trick: ReadTrick,
    gone: int,
    voids: Mapping[int, set[int]],
    played: int = 0,
    misere: bool = False,
) -> Knowledge:
    """Return what a player knows, from the parts that were read.

    Args:
        reading: the open hands, and the known cards of hidden ones.
        leader: the seat that leads the next trick, or has led the one under way.
        trick: the trick under way.
        gone: printed mask of other cards that no hand holds.
        voids: the suits that each hidden seat cannot hold, by seat.
        played: number of whole tricks before.
        misere: whether the declarer wants no tricks.

    Raises:
        CardError: a number of cards is impossible, or no layout fits.
    """
    seating = reading.seating
    seats = len(reading.seating.seats)
    lies_out = seating.lies_out or not (gone or played)  # the question gives no played cards
    gone |= cards_mask(trick.cards)
    on_table = {(leader + step) % seats for step in range(len(trick.cards))}
    sizes = {seat: hand.bit_count() + (seat in on_table) for seat, hand in reading.hands.items()}
    tricks = sizes[reading.role]
    if tricks == 0:
        raise blame(CardError(f"your hand is empty; expected 1 to {seating.most} cards"), "hand")
    if seating.dummy is not None and sizes[seating.dummy] != tricks:
        raise CardError(
            f"dummy has {reading.hands[seating.dummy].bit_count()} cards; expected "
            f"{tricks - (seating.dummy in on_table)}, which goes with your hand and the trick under way"
        )
    if tricks + played > seating.most:
        raise CardError(f"{tricks} tricks are left and {played} played; expected at most {seating.most} in all")
    held = sum(reading.hands.values())
    unseen = seating.deck & ~(held | gone | sum(reading.known_cards.values()))
    pools = dict.fromkeys(reading.hidden, unseen)
    for seat in reading.hidden:
        if barred := {*voids.get(seat, ()), *reading.failures.get(seat, ())}:
            pools[seat] = cards_mask(card for card in mask_cards(unseen) if reading.suit(card) not in barred)
    own = tuple(reading.play_mask(reading.hands.get(seat, reading.known_cards.get(seat, 0))) for seat in range(seats))
    belief = Belief(
        own=own,
        hidden=reading.hidden,
        pools=tuple(reading.play_mask(pools[seat]) for seat in reading.hidden),
        claimant=claimants(seating, reading.role),
        scoring=scoring_seats(seating, reading.role, misere),
        tricks=tricks,
        turn=(leader + len(trick.cards)) % seats,
        trumps=int(trump_field(reading.trump)),
        trick=tuple(reading.play_mask(1 << card) for card in trick.cards),
        named=0 if trick.named is None else 0x1FFF << 13 * trick.named,
        names=seating.names,
    )
    _check_counts(reading, belief, pools, unseen, lies_out)
    by_seat = (tuple(of.get(seat, 0) for seat in range(seats)) for of in (reading.played, reading.taken))
    return Knowledge(seating, reading.role, reading.trump, misere, belief, *by_seat)


def claimants(seating: Seating, role: int) -> frozenset[int]:
    """Return the seats whose cards a claimant chooses: the declarer plays dummy's as well."""
    return frozenset({0, seating.dummy or 0}) if role == 0 else frozenset({role})


def scoring_seats(seating: Seating, role: int, misere: bool) -> frozenset[int]:
    """Return the seats whose tricks the claimant wants: the declarer's side or the defenders."""
    declarers = claimants(seating, 0)
    wants_declarers = (role == 0) != misere
    return declarers if wants_declarers else frozenset(range(len(seating.seats))) - declarers


def _check_counts(reading: Reading, belief: Belief, pools: Mapping[int, int], unseen: int, lies_out: bool) -> None:
    needed = sum(belief.size(seat) for seat in reading.hidden)
    count = unseen.bit_count() + sum(cards.bit_count() for cards in reading.known_cards.values())
    for seat in reading.hidden:
        size = belief.size(seat)
        certain = reading.known_cards[seat].bit_count()
        most = certain + pools[seat].bit_count()
        if certain > size:
            raise CardError(f"{reading.name(seat)} is said to hold {certain} cards; expected at most {size}")
        if most < size:
            raise CardError(
                f"{reading.name(seat)} holds {size} cards, yet only {most} unseen ones may be there; expected fewer "
                "voids or fewer seen cards"
            )
    if belief.layouts and (count == needed or (count > needed and lies_out)):
        return
    hands = " and ".join(f"{reading.name(seat)} {belief.size(seat)}" for seat in reading.hidden)
    unfit = f"{count} cards are unseen, but {hands} in hand make {needed}; expected"
    if count > needed and not lies_out:
        raise CardError(f"{unfit} the {count - needed} that have been played among the seen cards or in the history")
    if count < needed:
        raise CardError(f"{unfit} {needed - count} fewer among the seen cards and in the history")
    raise CardError(f"no layout fits the voids and counts ({hands} cards); expected at least one")


def _who(reading: Reading, seat: int) -> str:
    return "you" if seat == reading.role else reading.name(seat)


def _suit_text(suit: int) -> str:
    return SYMBOLS[suit] if suit < NO_TRUMP else "the joker"


def one_of(names: Iterable[str], word: str = "or") -> str:
    """Return names as a list in words: ``"me, left or right"``."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
