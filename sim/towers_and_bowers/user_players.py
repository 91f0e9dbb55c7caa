"""How do players of the user's play the games of the simulator? Many hands side by side, or card by card in the engine.

`play_units_in_lockstep` is for players with arrays: each is asked once a step about all hands in which it acts. The
rules are those of `match`, applied row by row; a player of the simulator may sit opposite. With the draws of `streams`
the engine plays the same games, for players with `act` and for transcripts.

    towerlab simulate towers-and-bowers --players mine:Player,novice --games 100
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import (
    DECK_24,
    SUITS,
    card_text,
    card_texts,
    cards_mask,
    mask_cards,
    parse_card,
    to_play_order,
    to_printed,
)
from towerlab.games.engine import Action, Result, require
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.records import Ending
from towerlab.games.towers_and_bowers.rules import HandRules, packet_schedules
from towerlab.sim.batch import BatchRequest, Stream
from towerlab.sim.own_players import OwnPlayer, PlayerError
from towerlab.sim.towers_and_bowers.info_state import (
    NO_CARD,
    NO_SOLUTION,
    NO_SUIT,
    MatchRules,
    Model,
    SolvedGame,
    legal_plays,
    rules_of,
)
from towerlab.sim.towers_and_bowers.match import (
    BIDDER,
    DEALER,
    DISCARDED,
    HELD,
    NO_SEAT,
    NONDEALER,
    NOT_MADE,
    POSITION_SIZE,
    RECORD_BIDDER,
    RECORD_CALLS,
    RECORD_DISCARD,
    RECORD_IS_TOWER,
    RECORD_PLAYED,
    RECORD_PLAYS,
    RECORD_SIZE,
    RECORD_TRICKS,
    RECORD_TRUMP,
    RECORD_WINNER,
    SIZE,
    TAKEN,
    TRUMP,
    UP,
    choose_card,
    deal_hand,
    dealt_hands,
    first_dealer,
    generators,
    lay_out,
    model_of,
    record_card,
    seat_to_play,
    state_at,
    write_result,
)
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, habitual_play
from towerlab.sim.towers_and_bowers.seats import PythonPlayer, Views, bidding_views, plan_all

_PHASES: Final = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D)
_SUITS_BUT: Final = np.array([[suit for suit in range(4) if suit != up] + [NO_SUIT] for up in range(4)])


class PlayedHand(NamedTuple):
    """A hand of a unit.

    Attributes:
        dealer: the dealer's seat in the match.
        dealt: int64[3], printed masks of non-dealer, dealer and up-card.
        record: int64[`RECORD_SIZE`].
    """

    dealer: int
    dealt: Ints
    record: Ints


class _Unit:
    """A hand, tower or match under way."""

    def __init__(self, first_n: int) -> None:
        self.n = first_n
        self.dealer = -1
        self.won = [0, 0]
        self.hands = list[PlayedHand]()


def play_units_in_lockstep(
    request: BatchRequest, deal_values: tuple[float, ...], solution: SolvedGame = NO_SOLUTION
) -> tuple[Ints, Floats, str, list[list[PlayedHand]]]:
    """As `simulate_units`, for players of which one or both take arrays.

    Single hands have the cards of `simulate_units`; towers and matches have others, since all units draw in turn. A
    player with arrays draws from a generator of its own.

    Returns:
        besides: what a player did that cannot be done, then no unit is returned; the hands of each unit.
    """
    rules = rules_of(request.options)
    deals, choices = generators(request.seed)
    unit = request.unit
    units = request.units
    dealt = dealt_hands(request, deals)
    pair = _Pair(request, model_of(request, deal_values, solution), choices)
    winners = np.full(units, -1, dtype=np.int64)
    towers = np.zeros((units, 2))
    each = [_Unit(rules.first_n) for _ in range(units)]
    active = list(range(units))
    while active:
        for row in active:
            if each[row].dealer < 0:
                each[row].dealer = 0 if unit == "hand" else int(first_dealer(rules, sum(each[row].won), choices))
        hands = np.array([deal_hand(each[row].n, deals) for row in active]) if dealt is None else dealt
        dealers = np.array([each[row].dealer for row in active])
        shifts = (request.first_unit + np.array(active)) % 2  # player p sits in seat (p + shift) % 2 of the match
        if dealt is None:
            hands[:, 2] = np.left_shift(1, hands[:, 2])
        try:
            records = pair.play(hands, (dealers + shifts) % 2)
        except PlayerError as error:
            return winners[:0], towers[:0], str(error), []
        following = []
        for place, row in enumerate(active):
            state = each[row]
            record = records[place]
            state.hands.append(PlayedHand(state.dealer, hands[place], record))
            if not _goes_on(state, record, unit, rules, dealt is not None):
                if record[RECORD_WINNER] != NO_SEAT:
                    winners[row] = (state.dealer + shifts[place]) % 2
                    towers[row] = [state.won[(player + shifts[place]) % 2] for player in range(2)]
            else:
                following.append(row)
        active = following
    return winners, towers, "", [state.hands for state in each]


def _goes_on(state: _Unit, record: Ints, unit: str, rules: MatchRules, is_dealt: bool) -> bool:
    """Return whether a unit goes on after a hand; the winner of the hand becomes its dealer (TB-2, TB-20)."""
    if record[RECORD_WINNER] == NO_SEAT:
        return not is_dealt
    if record[RECORD_WINNER] != DEALER:
        state.dealer = 1 - state.dealer
    state.won[state.dealer] += int(record[RECORD_IS_TOWER])
    if unit == "hand":
        return False
    if not record[RECORD_IS_TOWER]:
        state.n -= 1
        return True
    if unit == "tower" or state.won[state.dealer] == rules.towers_to_win:
        return False
    state.n = rules.first_n
    state.dealer = -1
    return True


def actions_of_hand(played: PlayedHand) -> list[Action]:
    """Return the calls, the discard and the cards of a hand as the engine's records, without the player."""
    record = played.record.tolist()
    actions = list[Action]()
    for place, call in enumerate(record[RECORD_CALLS:RECORD_DISCARD]):
        if call == NO_SUIT:
            actions.append({"action": "pass"})
        elif call != NOT_MADE:
            actions.append({"action": "accept"} if place < 2 else {"action": "name", "suit": SUITS[call]})
    if record[RECORD_DISCARD] != NO_CARD:
        actions.append({"action": "discard", "card": card_text(record[RECORD_DISCARD])})
    cards = record[RECORD_PLAYS : RECORD_PLAYS + record[RECORD_PLAYED]]
    return actions + [{"action": "play", "card": card_text(card)} for card in cards]


class _Pair:
    """Two players, who play many hands side by side.

    Args:
        players: the players by place, each a name of `PLAYERS` or a player with arrays.
        options: the options of the rules.
        model: the model of the players of the simulator, None where none of them searches.
        seed: the seed of the players with arrays.
        choices: the generator of what the players of the simulator draw.
    """

    def __init__(self, request: BatchRequest, model: Model | None, choices: np.random.Generator) -> None:
        self._players = [
            PythonPlayer(player, request.options) if isinstance(player, OwnPlayer) else PLAYER_IDS[player]
            for player in request.players
        ]
        words = request.seed.generate_state(4)
        self._draws = [np.random.default_rng([*words, (request.first_unit + place) % 2]) for place in range(2)]
        self._rules = rules_of(request.options).hand
        self._model = model
        self._choices = choices

    def play(self, dealt: Ints, dealing: Ints) -> Ints:
        """int64[hands, RECORD_SIZE]: the records of some hands.

        Args:
            dealt: int64[hands, 3], printed masks of non-dealer, dealer and up-card.
            dealing: int64[hands], the place of the player that deals.
        """
        records = np.zeros((len(dealt), RECORD_SIZE), dtype=np.int64)
        ups = np.bitwise_count(dealt[:, 2] - 1).astype(np.int64)
        seats = np.stack([1 - dealing, dealing], axis=1)  # the player in the non-dealer's and the dealer's seat
        self._bid(dealt[:, :2], ups, seats, records)
        positions = np.zeros((len(dealt), POSITION_SIZE), dtype=np.int64)
        lay_out_all(dealt, ups, self._rules, records, positions)
        while (held := positions[:, HELD] | positions[:, HELD + 1]).any():
            self._play_card(positions, np.flatnonzero(held), seats, records)
        finish_all(positions, self._rules, records)
        return records

    def _bid(self, hands: Ints, ups: Ints, seats: Ints, records: Ints) -> None:
        """Write both rounds of bidding and the discard into the records (TB-10 .. TB-13)."""
        records[:, RECORD_CALLS:RECORD_DISCARD] = NOT_MADE
        records[:, RECORD_DISCARD] = NO_CARD
        records[:, RECORD_BIDDER] = NO_SEAT
        plans = self._plan(hands, ups, seats)
        for place, phase in enumerate(_PHASES):
            seat = place % 2
            is_open = records[:, RECORD_BIDDER] == NO_SEAT
            accepts = plans[:, seat, 0] != 0
            names = plans[:, seat, 1]
            calls = np.where(accepts, ups // 13, NO_SUIT) if place < 2 else names
            for player, rows in self._rows_of_arrays(seats[:, seat], is_open):
                columns = self._choose(player, bidding_views(hands[rows, seat], ups[rows], phase))
                suits = ups[rows] // 13
                calls[rows] = np.where(columns == 0, suits, NO_SUIT) if place < 2 else _SUITS_BUT[suits, columns]
            records[is_open, RECORD_CALLS + place] = calls[is_open]
            bids = is_open & (calls != NO_SUIT)
            records[bids, RECORD_BIDDER], records[bids, RECORD_TRUMP] = seat, calls[bids]
        accepted = (records[:, RECORD_BIDDER] != NO_SEAT) & (records[:, RECORD_TRUMP] == ups // 13)
        bidders = records[:, RECORD_BIDDER]
        discards = np.where(bidders == DEALER, plans[:, DEALER, 2], plans[:, DEALER, 3])
        for player, rows in self._rows_of_arrays(seats[:, DEALER], accepted):
            views = bidding_views(hands[rows, DEALER], ups[rows], Phase.DISCARD, bidders[rows])
            discards[rows] = _card_of(views.hand, self._choose(player, views))
        records[accepted, RECORD_DISCARD] = discards[accepted]

    def _plan(self, hands: Ints, ups: Ints, seats: Ints) -> Ints:
        """int64[hands, 2, 4]: by seat the fields of the `BidPlan` of the simulator's players; 0 for others."""
        plans = np.zeros((len(hands), 2, 4), dtype=np.int64)
        for seat in (NONDEALER, DEALER):
            for place, player in enumerate(self._players):
                if isinstance(player, int):
                    rows = seats[:, seat] == place
                    given = player, hands[rows, seat], ups[rows], seat == DEALER, self._rules, self._model
                    plans[rows, seat] = plan_all(*given, self._choices)
        return plans

    def _rows_of_arrays(self, seated: Ints, chosen: Bools) -> list[tuple[int, Ints]]:
        """Return the places of players with arrays, and the chosen rows in which each sits there."""
        places = [place for place, player in enumerate(self._players) if isinstance(player, PythonPlayer)]
        each = [(place, np.flatnonzero(chosen & (seated == place))) for place in places]
        return [(place, rows) for place, rows in each if len(rows)]

    def _choose(self, place: int, views: Views) -> Ints:
        """int64[rows]: the columns that a player draws."""
        player = self._players[place]
        assert isinstance(player, PythonPlayer)
        sums = np.cumsum(player.action_probabilities(views), axis=1)
        draws = self._draws[place].random(len(sums))
        return np.asarray(np.argmax(sums > draws[:, None] * sums[:, -1:], axis=1))

    def _play_card(self, positions: Ints, rows: Ints, seats: Ints, records: Ints) -> None:
        """Play the next card of some hands that have cards left."""
        turns = turns_of(positions, rows)
        cards = np.zeros(len(rows), dtype=np.int64)
        seated = seats[rows, turns]
        for place, player in enumerate(self._players):
            if isinstance(player, int):
                mine = seated == place
                cards[mine] = choose_cards(player, positions, rows[mine], self._model, self._choices)
        for seat in (NONDEALER, DEALER):
            for place, mine in self._rows_of_arrays(seated, turns == seat):
                views = play_views(positions, rows[mine], seat, records)
                lone = views.legal & (views.legal - 1) == 0
                cards[mine[lone]] = views.legal[lone]
                if not lone.all():
                    some = views.at(~lone)
                    cards[mine[~lone]] = np.left_shift(1, _card_of(some.hand, self._choose(place, some)))
        record_cards(positions, rows, cards, self._rules, records)


def _card_of(hands: Ints, columns: Ints) -> Ints:
    """int64[rows]: the card (id) of each hand that stands at a place, from the lowest."""
    left = hands.copy()
    for column in range(int(columns.max(initial=0))):
        left = np.where(columns > column, left & (left - 1), left)
    return np.asarray(np.bitwise_count((left & -left) - 1), dtype=np.int64)


def play_views(positions: Ints, rows: Ints, seat: int, records: Ints) -> Views:
    """Return the `Views` of a seat that is to play a card.

    Args:
        positions: int64[hands, POSITION_SIZE].
        rows: int64[rows], the hands.
        seat: `NONDEALER` or `DEALER`.
        records: int64[hands, RECORD_SIZE], the cards played so far.
    """
    held, legal, sure, pool = cards_seen(positions, rows, seat)
    some = positions[rows]
    cards = records[rows, RECORD_PLAYS:]
    played = np.where(np.arange(cards.shape[1]) < records[rows, RECORD_PLAYED][:, None], cards, -1)
    discards = some[:, DISCARDED] if seat == DEALER else np.full(len(rows), NO_CARD)
    public = some[:, SIZE], some[:, UP], some[:, BIDDER], some[:, TRUMP]
    played = played[:, : 2 * int(some[:, SIZE].max(initial=1))]
    return Views(
        str(Phase.PLAY), seat == DEALER, *public, held, discards, played, legal, sure, pool, some[:, TAKEN + seat]
    )


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def lay_out_all(dealt: Any, ups: Any, rules: HandRules, records: Any, positions: Any) -> None:
    """Write the positions before the first lead of the hands that have been bid; the others stay without cards."""
    for row in range(dealt.shape[0]):
        bidder = records[row, RECORD_BIDDER]
        trump = records[row, RECORD_TRUMP]
        given = records[row, RECORD_DISCARD]
        if bidder != NO_SEAT:
            hands = (dealt[row, 0], dealt[row, 1])
            lay_out(hands, ups[row], bidder, trump, given, rules, positions[row])


@kernel
def turns_of(positions: Any, rows: Any) -> Any:
    """Return int64[rows]: the seats that are to play a card."""
    turns = np.empty(rows.shape[0], dtype=np.int64)
    for place in range(rows.shape[0]):
        turns[place] = seat_to_play(positions[rows[place]])
    return turns


@kernel
def choose_cards(player: int, positions: Any, rows: Any, model: Model | None, random: Any) -> Any:
    """Return int64[rows]: the cards (printed masks) that a player of the simulator plays whose turn it is.

    Args:
        player: the number of the player.
        positions: int64[hands, POSITION_SIZE].
        rows: int64[rows], the hands.
        model: the model of the players; None where the player follows habits.
        random: a numpy Generator.
    """
    cards = np.empty(rows.shape[0], dtype=np.int64)
    for place in range(rows.shape[0]):
        position = positions[rows[place]]
        if model is None:
            card = habitual_play(player, state_at(position, seat_to_play(position)), random)
        else:
            card = choose_card(player, position, model, random)
        cards[place] = to_printed(card, position[TRUMP], True)
    return cards


@kernel
def cards_seen(positions: Any, rows: Any, seat: int) -> Any:
    """Return int64[4, rows]: the printed masks `hand`, `legal`, `holds` and `unseen` of `Views`."""
    cards = np.empty((4, rows.shape[0]), dtype=np.int64)
    for place in range(rows.shape[0]):
        state = state_at(positions[rows[place]], seat)
        trump = positions[rows[place], TRUMP]
        cards[0, place] = to_printed(state.hand, trump, True)
        cards[1, place] = to_printed(legal_plays(state), trump, True)
        cards[2, place] = to_printed(state.opponent_holds, trump, True)
        cards[3, place] = to_printed(state.pool, trump, True)
    return cards


@kernel
def record_cards(positions: Any, rows: Any, cards: Any, rules: HandRules, records: Any) -> None:
    """Play a card (a printed mask) in each of some hands; where that settles the hand, put the other cards away."""
    for place in range(rows.shape[0]):
        position = positions[rows[place]]
        card = to_play_order(cards[place], position[TRUMP], True)
        if record_card(position, card, rules, records[rows[place]]):
            position[HELD : HELD + 2] = 0


@kernel
def finish_all(positions: Any, rules: HandRules, records: Any) -> None:
    """Write the tricks and the results of hands that have been played."""
    for row in range(records.shape[0]):
        records[row, RECORD_WINNER] = NO_SEAT
        if records[row, RECORD_BIDDER] != NO_SEAT:
            records[row, RECORD_TRICKS], records[row, RECORD_TRICKS + 1] = (
                positions[row, TAKEN],
                positions[row, TAKEN + 1],
            )
            write_result(positions[row, SIZE], rules, records[row])


MOST_THROWN_IN: Final = 1_000  # hands in a row: between players that never name a trump there is no end (TB-12)
_BLACK_JACK = parse_card("JC")
_STEPS: Final = {Phase.TURN: "turn", Phase.CUT: "decline_cut", Phase.DEAL: "deal"}


def streams(request: BatchRequest) -> Iterator[Stream]:
    """Yield the random draws of each unit of a batch in `simulate_units`.

    Each Python player has its own random generator, by unit and seat. One that does not randomise plays the same games
    in every form.
    """
    deals, choices = generators(request.seed)
    dealt = dealt_hands(request, deals)
    for row in range(request.units):
        draws = _UnitDraws(request, row, None if dealt is None else dealt[row], deals, choices)
        yield Stream(draws.chance, draws.choices)


class _UnitDraws:
    """What a unit draws in the engine.

    Args:
        request: the request of the batch.
        row: the row of the unit in the batch.
        dealt: the cards of a single hand, from `dealt_hands`; else None.
        deals, choices: the generators of the cards and of everything else, from `generators`.
    """

    def __init__(
        self,
        request: BatchRequest,
        row: int,
        dealt: Ints | None,
        deals: np.random.Generator,
        choices: np.random.Generator,
    ) -> None:
        self._name = f"{request.unit} {request.first_unit + row + 1}"
        self._rules = rules_of(request.options)
        self._dealt = dealt
        self._deals = deals
        self._choices = choices
        players = [request.players[(seat - request.first_unit - row) % 2] for seat in range(2)]
        words = request.seed.generate_state(4)
        own = [np.random.default_rng([*words, row, seat]) for seat in range(2)]
        self._lots = [None if isinstance(player, str) else own[seat] for seat, player in enumerate(players)]
        self._before_plan: dict[int, np.random.Generator] = {}
        self._thrown_in = 0

    def chance(self, match: Match) -> Action:
        """Return the next step of the procedure before a hand."""
        state = match.state()
        if match.phase in _STEPS:
            return {"action": _STEPS[match.phase]}
        if state.dealer is None:
            dealer = 0 if self._dealt is not None else int(first_dealer(self._rules, sum(state.towers), self._choices))
            pack = (_BLACK_JACK, *_other_cards(1 << _BLACK_JACK))
            return {"action": "shuffle_starter", "turner": 1 - dealer, "pack": card_texts(pack)}
        is_thrown_in = state.hand is not None and require(state.hand.outcome).ending == Ending.THROWN_IN
        self._thrown_in = self._thrown_in + 1 if is_thrown_in else 0
        if self._thrown_in == MOST_THROWN_IN:
            in_a_row = f"hands of {self._name} are thrown in one after the other"
            raise PlayerError(f"{MOST_THROWN_IN:,} {in_a_row}; expected players that name a trump")
        self._before_plan = {}
        dealt = self._dealt
        if dealt is None:
            first, second, up = deal_hand(state.n, self._deals)
            dealt = np.array([first, second, 1 << up])
        return {"action": "shuffle", "pack": card_texts(_pack(state.n, dealt))}

    def choices(self, match: Match) -> np.random.Generator:
        """Return the generator of the player on turn; kernels draw their bids and their discard once a hand."""
        seat = require(match.to_act)
        own = self._lots[seat]
        if own is not None:
            return own
        if match.phase == Phase.PLAY:
            return self._choices
        if seat in self._before_plan:
            return copy.deepcopy(self._before_plan[seat])
        self._before_plan[seat] = copy.deepcopy(self._choices)
        return self._choices


def result_of(unit: str, match: Match) -> Result | None:
    """Return how a hand, tower or match ended; None while it goes on."""
    hand = match.state().hand
    if hand is None or hand.outcome is None:
        return None
    outcome = hand.outcome
    if unit == "match" or (unit == "tower" and outcome.tower_to is None):
        return match.result
    if outcome.ending == Ending.THROWN_IN:
        return Result((), match.state().towers)
    gainer = outcome.next_dealer if outcome.tower_to is None else outcome.tower_to
    return Result((require(gainer),), match.state().towers)


def replay(options: TowersAndBowersOptions, hands: Iterable[PlayedHand]) -> tuple[Action, ...]:
    """Return the actions of a unit that has been played elsewhere, its hands in their order."""
    match = Match(dataclasses.replace(options, claims="off"))
    for hand in hands:
        _deal_cards(match, hand.dealer, hand.dealt)
        for action in actions_of_hand(hand):
            match.apply(action | {"player": match.to_act})
    return match.actions


def _deal_cards(match: Match, dealer: int, dealt: Ints) -> None:
    """Deal these cards (int64[3], as of `dealt_hands`), and before the first hand of a tower name the dealer."""
    if match.state().dealer is None:
        match.shuffle_starter((_BLACK_JACK, *_other_cards(1 << _BLACK_JACK)), 1 - dealer)
        match.turn()
    match.shuffle(_pack(match.state().n, dealt))
    match.decline_cut()
    match.deal()


def _pack(n: int, dealt: Ints) -> tuple[int, ...]:
    """Return a pack from which the non-dealer, the dealer and the table are dealt these cards."""
    nondealers, dealers = (mask_cards(int(hand)) for hand in dealt[:2])
    cards: list[int] = []
    for size in packet_schedules(n)[0]:
        cards += [nondealers.pop() for _ in range(size)] + [dealers.pop() for _ in range(size)]
    cards.append(int(lowest_index(int(dealt[2]))))
    return (*cards, *_other_cards(cards_mask(cards)))


def _other_cards(mask: int) -> tuple[int, ...]:
    return tuple(mask_cards(DECK_24 & ~mask))
