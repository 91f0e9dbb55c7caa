"""How often does each player win, and what is the best call against a player's own way of bidding?

`SIMULATION` is ``towerlab simulate towers-and-bowers``: the players of `sim.towers_and_bowers`, who count with
`deal_value`. `answer_against` is ``towerlab upcard --against PLAYER``.

    towerlab simulate towers-and-bowers --players pimc,family --games 2000
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from towerlab.analysis.players import Player
from towerlab.analysis.simulation import play_in_engine, seats_of, seeds_of, transcript
from towerlab.analysis.towers_and_bowers.answers import AGAINST, UpcardAnswer, known_cards, round_value
from towerlab.analysis.towers_and_bowers.claims import judge
from towerlab.analysis.towers_and_bowers.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.last_cards import HIDDEN_CARDS, HiddenPlay, hidden_play
from towerlab.analysis.towers_and_bowers.played import answer_played
from towerlab.analysis.towers_and_bowers.position import standard_names
from towerlab.analysis.towers_and_bowers.ranges import CallModel, policy_calls, range_of, solved_calls
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED, is_learned
from towerlab.analysis.towers_and_bowers.stored_bidding import RenamedHands, load_bidding, rules_are_solved
from towerlab.analysis.towers_and_bowers.values import SeatValues, count_layouts, make_answer, weighted_values
from towerlab.analysis.towers_and_bowers.whole_strategies import load_play
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import card_text, first_card, former_names, mask_cards, rank_of, to_printed
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.options import changed_options
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, Match, Phase, TowersAndBowersOptions, View
from towerlab.games.transcript import Action
from towerlab.sim import towers_and_bowers as sim
from towerlab.sim.batch import BatchRequest, BatchResult, Decider, GameSimulation
from towerlab.sim.own_players import Act, KnownPlayer, OwnPlayer
from towerlab.sim.towers_and_bowers import UNITS, simulate_units
from towerlab.sim.towers_and_bowers.equilibrium import stack_mixes
from towerlab.sim.towers_and_bowers.info_state import NO_SOLUTION, SolvedGame, make_model, payoffs_by_size, rules_of
from towerlab.sim.towers_and_bowers.learned import LEARNED, learned_player, trained_player
from towerlab.sim.towers_and_bowers.pimc import distinct_plays, tricks_of_plays
from towerlab.sim.towers_and_bowers.seats import act_of, dealer_plans, nondealer_plans, ready_player, state_of
from towerlab.sim.towers_and_bowers.user_players import play_units_in_lockstep, replay, result_of, streams
from towerlab.solver.towers_and_bowers.bidding import (
    SPADES,
    DealerBids,
    NondealerBids,
    in_play_order,
    rename,
    up_card_classes,
    up_cards,
)
from towerlab.solver.towers_and_bowers.layout_counts import layout_hands
from towerlab.solver.towers_and_bowers.self_play.policies import SPADE_FRAME
from towerlab.solver.towers_and_bowers.upcard import named_suits, open_bidding
from towerlab.solver.two_hands.tablebase import load_tablebase

ENDGAME: Final = "endgame"
EQUILIBRIUM: Final = "equilibrium"
PLAYERS: Final[Mapping[str, KnownPlayer]] = {
    **sim.PLAYERS,
    LEARNED: KnownPlayer("by a network trained against itself with hidden hands", is_counted=True),
    **{
        f"{LEARNED}:{number}": KnownPlayer(f"as learned, but errs: the network's logits divided by {number}")
        for number in (7, 14, 30)
    },
    ENDGAME: KnownPlayer(
        "as equilibrium, but plays the last three cards as they are solved with hidden hands (a second a hand)"
    ),
}


def bidder_of(player: Player) -> Player:
    """Return the player who bids and discards like this one and whose plans can be listed."""
    return EQUILIBRIUM if player == ENDGAME else player


class Endgame:
    """A player who plays as another until three cards are left, then draws from the solved mix.

    Args:
        options: the rules.
        before: the function of that other player, which bids, discards and plays until then.
    """

    def __init__(self, options: TowersAndBowersOptions, before: Act) -> None:
        self._payoffs = payoffs_by_size(options, deal_values(options))
        self._before = before
        self._weighs_bids = rules_are_solved(options)

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """Return the player's call, discard or play, as a record."""
        if view.phase != Phase.PLAY or view.hand.bit_count() > HIDDEN_CARDS:
            return self._before(view, legal, random)
        payoffs = self._payoffs[view.n, int(view.bidder == view.player), : view.n + 1]
        hidden = hidden_play(view, tuple(payoffs.tolist()), None, self._weighs_bids)
        if hidden.mix is None:
            card = _best_on_average(view, hidden, payoffs)
        else:
            card = int(random.choice(list(hidden.mix), p=list(hidden.mix.values())))
        return {"action": "play", "player": view.player, "card": card_text(card)}


def _best_on_average(view: View, hidden: HiddenPlay, payoffs: Floats) -> int:
    """Return the card that wins most over the hands the other can hold, where what follows is forced."""
    assert view.trump is not None
    state = state_of(view)
    distinct = int(distinct_plays(state))
    tricks = np.empty((len(hidden.hands), distinct.bit_count()), dtype=np.int64)
    tricks_of_plays(load_tablebase(), state, in_play_order(hidden.hands, view.trump), tricks)
    won = hidden.weights @ payoffs[np.minimum(view.taken[view.player] + tricks, view.n)]
    return first_card(int(to_printed(1 << mask_cards(distinct)[int(won.argmax())], view.trump, True)))


def stored_solution(players: tuple[Player, ...], unit: str, options: TowersAndBowersOptions) -> SolvedGame:
    """Return the stored solution that the player `equilibrium` uses, for the hand sizes of a match.

    Args:
        players: names of those who play.
        unit: ``"hand"`` of `options.first_n` cards, or one that goes down from there.
        options: the options of the rules.

    Raises:
        TowerlabError: a stored file is damaged, or `equilibrium` is to play by rules that are not solved.
    """
    if EQUILIBRIUM not in players:
        return NO_SOLUTION
    check_player(EQUILIBRIUM, options)
    smallest = options.first_n if unit == "hand" else 1
    return _solution_of_sizes(tuple(range(smallest, options.first_n + 1)))


def _make_player(player: Player, options: TowersAndBowersOptions) -> Player:
    """Return the player, `endgame` and `learned` as the objects that decide."""
    if player != ENDGAME:
        return learned_player(player) or player if isinstance(player, str) else player
    return OwnPlayer(ENDGAME, Endgame(options, seat_in_match(EQUILIBRIUM, options)), is_ours=True)


def seat_in_match(player: Player, options: TowersAndBowersOptions) -> Act:
    """Return the decisions of a player in one seat of one match.

    Raises:
        TowerlabError: rules that the player cannot play.
    """
    solution = stored_solution((player,), "tower", options)
    return act_of(_make_player(player, options), options, deal_values(options), solution)


def decider(name: str | OwnPlayer, options: TowersAndBowersOptions) -> Decider:
    """Return the decisions of a player of the simulator, who follows suit and accepts any claim that costs nothing."""
    act = seat_in_match(name, dataclasses.replace(options, renege_mode="forbidden"))

    def decide(view: View, random: np.random.Generator) -> Action:
        seat = view.player
        if view.phase == Phase.CONSENT and view.claim is not None:  # all that is left, conceded, costs nothing
            left = view.hand.bit_count() + (view.led is not None and view.leader == seat)
            consents = view.claim.is_concession and view.claim.tricks == left
            return {"action": "consent" if consents else "insist", "player": seat}
        if view.phase == Phase.PENALTY:
            offered = view.penalty is not None and view.penalty.offered
            return {"action": "accept_undo" if offered else "take_penalty", "player": seat}
        return act(view, (), random)

    return decide


def check_player(player: Player, options: TowersAndBowersOptions) -> None:
    """Refuse a player who cannot play by these rules.

    Raises:
        TowerlabError: `equilibrium` under rules that have not been solved, only the default ones have.
    """
    if player == EQUILIBRIUM and not rules_are_solved(options):
        given = ", ".join(f"{name}={value}" for name, value in changed_options(options).items())
        raise TowerlabError(
            f"the player equilibrium knows the default rules only, not {given}; expected another player, such as pimc"
        )


@functools.lru_cache(maxsize=8)  # every hand size alone, and a match
def _solution_of_sizes(sizes: tuple[int, ...]) -> SolvedGame:
    """Return the solution of every size for which a file is at hand."""
    parts = {}
    for cards in sizes:
        classes = None
        for up in up_cards():
            stored = load_bidding(cards, rank_of(up))
            if stored is not None:
                classes = classes or up_card_classes(cards)
                made = stored.strategies
                mixes = np.concatenate([array.reshape(len(array), -1) for _, array in made.arrays()], axis=1)
                parts[cards, rank_of(up)] = classes.hands[classes.ups == up], mixes
    return SolvedGame(stack_mixes(parts), load_play(sizes))


def play_batch(request: BatchRequest) -> BatchResult:
    """Play a batch between players who count with `deal_values`.

    Kernels play it, or hands side by side for players with arrays; the engine does where a player has `act`, and for
    transcripts. `cards` is the size of a hand, or of the first hand of each tower. A single hand is played twice, the
    players changing seats on the same deal with the same draws: by units of an even number and the next.

    Raises:
        TowerlabError: rules the players cannot play (``renege_mode=enforced``), or a condition on more than a hand.
        DealError: a condition that cannot be read, or that no deal fits.
    """
    if request.unit != "hand":
        return _play_units(request)
    deals = -(-request.units // 2)
    halves = [
        _play_units(dataclasses.replace(request, units=deals, first_unit=request.first_unit + half)) for half in (0, 1)
    ]
    played = min(2 * min(len(half.winners) for half in halves), request.units)
    units = [(halves[(unit // 2 + unit) % 2], unit // 2) for unit in range(played)]  # who sits where changes in each
    return BatchResult(
        np.array([half.winners[deal] for half, deal in units], dtype=np.int64),
        np.array([half.points[deal] for half, deal in units]).reshape(played, 2),
        next((half.failure for half in halves if half.failure), ""),
        tuple(half.transcripts[deal] for half, deal in units) if request.recorded else (),
    )


def _play_units(request: BatchRequest) -> BatchResult:
    """Play the units of a batch, the players changing seats after each."""
    options: TowersAndBowersOptions = request.options
    if request.cards is not None:
        options = dataclasses.replace(options, first_n=request.cards)
    if request.where and request.unit != "hand":
        raise TowerlabError(f"a condition fits single hands, not a {request.unit}; expected --unit hand with it")
    unit = request.unit
    solution = stored_solution(request.players, unit, options)
    ready = tuple(_make_player(player, options) for player in request.players)
    request = dataclasses.replace(request, players=ready, options=options, cards=None)
    values = deal_values(options)
    seeds = seeds_of(request)
    python = [player for player in ready if isinstance(player, OwnPlayer)]
    if python and all(player.takes_arrays for player in python):
        winners, towers, failure, hands = play_units_in_lockstep(request, values, solution)
        written = [
            transcript(GAME, options, seats_of(ready, request.first_unit + row), seed, replay(options, unit))
            for row, (seed, unit) in enumerate(zip(seeds, hands, strict=False))
            if request.recorded
        ]
        return BatchResult(winners, towers, failure, tuple(written))
    if not python and not request.recorded:
        return BatchResult(*simulate_units(request, values, solution))
    rules = dataclasses.replace(options, claims="off")
    return play_in_engine(
        GAME,
        request,
        zip(seeds, streams(request), strict=True),
        start=lambda _: Match(rules),
        seat=lambda player, _: act_of(player, rules, values, solution),
        result_of=functools.partial(result_of, unit),
    )


SIMULATION: Final = GameSimulation(
    play_batch,
    start=lambda options: Match(options, judge),
    decider=decider,
    counts="towers",
    units=UNITS,
    units_per_chunk={"match": 50, "tower": 150, "hand": 500},
    searched_units_per_chunk={"match": 200, "tower": 600, "hand": 2_000},
    named_player=learned_player,
    trained_player=trained_player,
    hand_sizes=tuple(range(1, LARGEST_HAND + 1)),
    takes_conditions=True,
    plays_own=True,
    takes_arrays=True,
    paired_units=("hand",),
)


def answer_against(view: View, options: TowersAndBowersOptions, player: Player, count: int, seed: int) -> UpcardAnswer:
    """Return the answer to an opponent who bids like a player: played out, under other rules with all cards seen.

    Args:
        view: what the asker sees, and what else is known.
        options: the rules.
        player: how the opponent bids.
        count, seed: the number of deals that are played out, and their seed.

    Raises:
        TowerlabError: rules that are not covered.
    """
    if options.allow_discard_upcard or not options.force_dealer_to_name:
        wrong = "--against counts with allow_discard_upcard=false and force_dealer_to_name=true only"
        raise blame(TowerlabError(wrong), "against")
    bidder = bidder_of(player)
    check_player(bidder, options)
    if rules_are_solved(options) and is_learned():
        own = policy_calls if view.n > LARGEST_STORED else solved_calls
        is_symmetric = not isinstance(bidder, OwnPlayer) or bidder.is_symmetric
        other = _call_model(view, bidder, options)
        believed = range_of(view, other, least=0.0, is_symmetric=is_symmetric)
        return answer_played(view, believed, own, count, seed, method=AGAINST, against=str(player))
    hands = opponent_hands(view)
    bids = _planned_bids(bidder, hands, view.up, view.deals, options)
    next_deal = deal_value(view.n - 1, options)
    likelihood = round_value(bids.paths().likelihood(view.is_second_round))
    values = values_against(view, bids, options)
    if not likelihood:  # the value of a pass if the player got here with any hand alike, and bids on as ever
        never = np.zeros(len(hands))
        if isinstance(bids, NondealerBids):
            bids = NondealerBids(never, bids.names)
        else:
            bids = dataclasses.replace(bids, answers=never)
        again = values_against(view, bids, options)
        values = dataclasses.replace(values, passing=again.passing)
    return make_answer(view, values, next_deal or None, AGAINST, against=str(player), likelihood=likelihood)


def _call_model(view: View, bidder: Player, options: TowersAndBowersOptions) -> CallModel:
    """Return how a player calls with hands under the standard names; it is asked under those of the question."""
    if bidder == EQUILIBRIUM and view.n <= LARGEST_STORED:
        return functools.partial(solved_calls, floor=0.0)  # the player never errs
    names = standard_names(view)[0]

    def calls(hands: Ints, up: int, seat: int) -> Floats:
        bids = _planned_bids(bidder, rename(hands, former_names(names)), view.up, not seat, options)
        accepts, named = (bids.accepts, bids.names) if isinstance(bids, NondealerBids) else (bids.answers, bids.left)
        columns = np.zeros((len(hands), 5))
        columns[:, 0] = accepts
        for place, suit in enumerate(named_suits(view.up)):
            columns[:, SPADE_FRAME.index(names[suit])] = named[:, place]
        if seat == 0:
            columns[:, 4] = named[:, 3]
        return columns

    return calls


def opponent_hands(view: View) -> Ints:
    """Return every hand that the other can hold with what is known, printed masks, int64[layouts]."""
    hands = layout_hands(view.hand, view.up)
    known = known_cards(view)
    return hands if known is None else hands[known.fits(hands)]


def values_against(view: View, bids: NondealerBids | DealerBids, options: TowersAndBowersOptions) -> SeatValues:
    """Return the values of both decisions of a player, against known bids with each layout (`opponent_hands`)."""
    bidding = open_bidding(view.n, deal_values(options), options.hand_rules)
    views = count_layouts(view, bids, bidding, options.hand_rules)
    return weighted_values(views, view.n, deal_value(view.n - 1, options), options.hand_rules)


def _planned_bids(
    player: Player, hands: Ints, up: int, dealer: bool, options: TowersAndBowersOptions
) -> DealerBids | NondealerBids:
    """Return a player's own plans.

    Ours are asked with a spade turned up, with each hand and with its mirror image: of equal suits, which such a rule
    takes in their order, each is as likely as the other. A player of the user's may bid every suit in its own way.
    """
    given = rules_of(options).hand, make_model(options, deal_values(options))
    ready = ready_player(player, options)
    plans = nondealer_plans if dealer else dealer_plans  # of the other
    if isinstance(player, OwnPlayer) and not player.is_symmetric:
        made: Iterable[Floats] = plans(ready, hands, up, *given)
    else:
        images = []
        for swapped in (False, True):
            side = RenamedHands(up, hands, swapped)
            order = np.argsort(side.renamed)  # a network rounds by the order of its rows
            made = plans(ready, side.renamed[order], 13 * SPADES + rank_of(up), *given)
            *others, names = (each[np.argsort(order)] for each in made)
            images.append([*(each if each.ndim == 1 else side.discards(each) for each in others), side.suits(names)])
        made = [np.mean(both, axis=0) for both in zip(*images, strict=True)]
    return NondealerBids(*made) if dealer else DealerBids(*made)
