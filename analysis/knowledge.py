"""What does a player know, who claims or is to play a card? Contradictions are refused.

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
        game: its name on the command line.
        seats: their names.
        dummy: the seat whose hand is open and which the declarer (seat 0) plays, or None.
        deck: printed mask of the pack.
        bowers: whether the jacks of the trump's colour are the highest trumps.
        most: the cards of a full hand.
        lies_out: whether unseen cards may be out of play; else they have been played, unless the question has no
            history.
        names: whether a joker led at no trump names the suit to follow.
        strains: how many of the four suits and no trump, in that order, can be trumps.
        misere: whether a declarer may play for no tricks.
        said: names of the seats in sentences, if others than `seats`.
        options: the rule options behind it.
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
        """The name of a seat in a sentence."""
        return (self.said or self.seats)[seat]

    @property
    def players(self) -> tuple[str, ...]:
        """The seats of people who may claim."""
        return tuple(name for seat, name in enumerate(self.seats) if seat != self.dummy)


class KnownFacts(TypedDict, total=False):
    """The claimant's knowledge besides the hand, as it is typed; every part may be left out.

    Attributes:
        seen: cards that no hidden hand holds: played, or buried by the claimant.
        void: ``SEAT:SUIT``, a suit that a hidden seat cannot hold.
        holds: ``SEAT:CARD``, a card it surely holds.
        trick: the cards of the trick under way in order of play; a joker that names a suit is ``X1:S``.
        history: the whole tricks before it: ``"AH/QC/9H 7S/8S/JS"``, the card led first.
        first: the seat that led the first of them; `lead` may then be left out.
    """

    seen: str
    void: str | Iterable[str]
    holds: str | Iterable[str]
    trick: str
    history: str
    first: str | None


@dataclass(frozen=True)
class Knowledge:
    """The claimant's knowledge, checked.

    Attributes:
        seating: the seats of the game.
        role: the claimant's seat.
        trump: 0..4.
        misere: whether the declarer wants no tricks.
        belief: which cards each hidden hand holds or may hold, in play order; it
            counts the tricks of the claimant's side (of a misère, of the other side).
        played: printed masks by seat, of the cards in the history and in the trick.
        taken: tricks by seat, of the history.
    """

    seating: Seating
    role: int
    trump: SuitId
    misere: bool
    belief: Belief
    played: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()


def describe(knowledge: Knowledge) -> str:
    """Return game and claimant, a word for `repr`."""
    return f"{knowledge.seating.game}:{knowledge.seating.seats[knowledge.role]}"


@dataclass
class Reading:
    """A question while it is read: printed masks and suits by seat."""

    seating: Seating
    trump: int
    hands: dict[int, int]
    role: int
    sure: dict[int, int] = field(default_factory=dict)  # the known cards of hidden hands
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
    """A trick: its name in errors, its cards in order of play, and the suit that a joker names."""

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
    """Read a question.

    Args:
        seating: the seats of the game.
        role: the claimant: one of `Seating.players`.
        hand: the claimant's cards now.
        trump: S, H, D, C or NT.
        lead: the seat that leads the next trick, or has led the one under way.
        dummy: the dummy's cards now.
        misere: the declarer wants no tricks; played at no trump.
        known: further facts.

    Raises:
        TowerlabError: cards unknown, twice or contradictory, a number of cards that cannot be, a history that breaks
            the rules, or no layout that fits.
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
    reading.sure = _read_holds(known.get("holds", ()), reading)
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
    return put_together(reading, leader, trick, gone, voids, len(history), misere)


def knowledge_of(seating: Seating, question: Mapping[str, str]) -> Knowledge:
    """Read a question whose options are texts; empty texts are options not given.

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
    """Texts ``SEAT:WHAT`` as seats and the rest."""
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
    sure = dict.fromkeys(reading.hidden, 0)
    for seat, text in _pairs(texts, "holds", reading):
        card = parse_mask(text, reading.seating.deck, f"what {reading.name(seat)} holds", 1)
        for other in reading.hidden:
            if sure[other] & card:
                raise CardError(f"{mask_text(card)} is said to be held twice; expected every card in one place")
        sure[seat] |= card
    return sure


# -------------------------------------------------------------------------------------------------------- checking


def _check_once(reading: Reading, trick: ReadTrick, seen: int, history: Sequence[ReadTrick]) -> None:
    """Refuse a card in two places; only played cards may be among the seen cards as well."""
    played = {card for done in (trick, *history) for card in done.cards}
    stated: dict[str, Iterable[int]] = {
        **{"your hand" if seat == reading.role else "dummy": mask_cards(hand) for seat, hand in reading.hands.items()},
        "the trick": trick.cards,
        **{f"trick {number} of the history": done.cards for number, done in enumerate(history, 1)},
        **{f"{reading.name(seat)}'s hand": mask_cards(cards) for seat, cards in reading.sure.items()},
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
    """Note every seat's plays and failures to follow; the seat on lead has won the last trick."""
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
        for card in mask_cards(reading.hands.get(seat, reading.sure.get(seat, 0))):
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


def put_together(
    reading: Reading,
    leader: int,
    trick: ReadTrick,
    gone: int,
    voids: Mapping[int, set[int]],
    played: int = 0,
    misere: bool = False,
) -> Knowledge:
    """Return a player's knowledge from the parts that were read.

    Args:
        reading: the open hands, and the known cards of hidden ones.
        leader: the seat that leads, or has led the trick under way.
        trick: that trick.
        gone: printed mask of other cards that no hand holds.
        voids: by hidden seat the suits it cannot hold.
        played: whole tricks before.
        misere: whether the declarer wants no tricks.

    Raises:
        CardError: numbers of cards that cannot be, or no layout that fits.
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
    unseen = seating.deck & ~(held | gone | sum(reading.sure.values()))
    pools = dict.fromkeys(reading.hidden, unseen)
    for seat in reading.hidden:
        if barred := {*voids.get(seat, ()), *reading.failures.get(seat, ())}:
            pools[seat] = cards_mask(card for card in mask_cards(unseen) if reading.suit(card) not in barred)
    own = tuple(reading.play_mask(reading.hands.get(seat, reading.sure.get(seat, 0))) for seat in range(seats))
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
    """The seats whose cards a claimant chooses: the declarer plays dummy's too."""
    return frozenset({0, seating.dummy or 0}) if role == 0 else frozenset({role})


def scoring_seats(seating: Seating, role: int, misere: bool) -> frozenset[int]:
    """Return the side whose tricks the claimant wants: the declarer's or the defenders'."""
    declarers = claimants(seating, 0)
    wants_declarers = (role == 0) != misere
    return declarers if wants_declarers else frozenset(range(len(seating.seats))) - declarers


def _check_counts(reading: Reading, belief: Belief, pools: Mapping[int, int], unseen: int, lies_out: bool) -> None:
    needed = sum(belief.size(seat) for seat in reading.hidden)
    count = unseen.bit_count() + sum(cards.bit_count() for cards in reading.sure.values())
    for seat in reading.hidden:
        size = belief.size(seat)
        certain = reading.sure[seat].bit_count()
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
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
