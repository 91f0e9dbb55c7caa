"""With all cards seen, who takes how many tricks of two hands, and what is P(win the match) of any state?

`solve_open_hands` asks the tablebase about two hands. `Equity` is what luck and the hands that decided a match are
measured with: between hands P(win the tower) is W(n) (`deal_value`). Of a deal before its bidding it is W(n) and nine
tenths of what perfect information adds for its trick counts: so its mean over all deals is exactly the value before,
and what a deal changes is a control variate in the manner of AIVAT (Burch, Schmid, Moravčík, Morrill & Bowling 2018),
zero on average however the players play. From the first call on it is that of best play with all cards seen. Towers to
come are won as often as W and the option `starter` say: half of them each where a starter is turned. At the default
rules a player who wins each tower with probability p (and q = 1 − p) wins a match at 0–0 with probability p³(1 + 3q +
6q²).

    towerlab solve towers-and-bowers --trump H --leader "JH 9S" --follower "AH AS"
"""

import functools
from dataclasses import dataclass
from typing import Any, Final

from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.open_hands import hands_row
from towerlab.analysis.question_rows import BatchQuestion, answer_each
from towerlab.analysis.towers_and_bowers.deal_value import deal_outcomes, deal_value, deal_values
from towerlab.games.arrays import Floats
from towerlab.games.cards import (
    DECK_24,
    NO_TRUMP,
    card_text,
    mask_cards,
    parse_mask,
    parse_trump,
    sorted_cards,
    suit_of,
    to_play_order,
)
from towerlab.games.errors import CardError
from towerlab.games.towers_and_bowers import HandState, MatchState, Phase, TowersAndBowersOptions
from towerlab.games.written import CardId, Mask, SuitId
from towerlab.sim.towers_and_bowers.info_state import payoffs_by_size
from towerlab.solver.towers_and_bowers.upcard import OpenBidding, named_suits, open_bidding
from towerlab.solver.two_hands.tablebase import Tablebase, lead_tricks, leader_tricks, load_tablebase, printed_tricks


@dataclass(frozen=True)
class OpenHands(
    Answer,
    game="towers-and-bowers",
    method="double-dummy",
    shown_by="towerlab.analysis.towers_and_bowers.present:open_hands_report",
    table="leads",
    keys="trump tricks leads line",
):
    """A solved position.

    Attributes:
        trump: the trump suit, 0..3.
        leader, follower: printed masks.
        leader_tricks: the tricks of the leader under best play.
        leads: the leader's tricks with each card that the leader can lead, best first.
        line: the cards of one game of best play, in order of play.
    """

    trump: SuitId
    leader: Mask
    follower: Mask
    leader_tricks: int
    leads: dict[CardId, int]
    line: tuple[CardId, ...]

    @property
    def cards(self) -> int:
        """Number of cards in each hand."""
        return self.leader.bit_count()

    @property
    def tricks(self) -> dict[str, int]:
        """The tricks of each side, by its name."""
        return {"leader": self.leader_tricks, "follower": self.cards - self.leader_tricks}

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table of answers."""
        best = [card_text(card) for card, tricks in self.leads.items() if tricks == self.leader_tricks]
        return hands_row(self.tricks) | {"best_leads": " ".join(best)}

    def to_json(self) -> dict[str, Any]:
        leads = [{"card": card_text(card), "tricks": tricks} for card, tricks in self.leads.items()]
        return super().to_json() | {"leads": leads}


def solve_open_hands(leader: str, follower: str, trump: str) -> OpenHands:
    """Solve two hands given as texts.

    >>> solve_open_hands("JH 9S", "AH AS", "H").leader_tricks
    1

    Raises:
        CardError: an unknown card, one held twice, unequal hands, more than seven cards, or no trump suit.
    """
    suit = parse_trump(trump)
    if suit == NO_TRUMP:
        raise CardError("NT is not a trump of this game; expected S, H, D or C")
    hands = parse_mask(leader, DECK_24, "the leader's hand"), parse_mask(follower, DECK_24, "the follower's hand")
    if hands[0] & hands[1]:
        shared = card_text(sorted_cards(hands[0] & hands[1])[0])
        raise CardError(f"{shared} is in both hands; expected every card once")
    tablebase = Tablebase.load()
    tricks = tablebase.tricks(*hands, suit)
    values = tablebase.leads(*hands, suit)
    order = sorted_cards(hands[0], suit, bowers=True)
    return OpenHands(
        trump=suit,
        leader=hands[0],
        follower=hands[1],
        leader_tricks=tricks,
        leads={card: values[card] for card in sorted(order, key=lambda card: -values[card])},
        line=tuple(card for trick in tablebase.line(*hands, suit) for card in trick),
    )


BATCH: Final = BatchQuestion(
    "towers-and-bowers", solve_open_hands, answer_each(lambda row, _: solve_open_hands(**row).to_row()), rows=1_000
)


_SHARE: Final = 0.9  # of a deal's value with all cards seen, that survives hidden cards: luck scatters least by it


def score_equity(towers: tuple[int, int], to_win: int, fresh: tuple[float, ...]) -> float:
    """Return P(player 0 wins the match) when a tower is about to begin.

    Args:
        towers: the towers won by player 0 and by player 1.
        to_win: how many towers win the match.
        fresh: P(player 0 wins a tower) by the number of towers already won, modulo the length.

    >>> score_equity((0, 0), 3, (0.5,)), score_equity((2, 1), 3, (0.5,))
    (0.5, 0.75)
    """

    @functools.cache
    def equity(mine: int, theirs: int) -> float:
        if to_win in (mine, theirs):
            return float(mine == to_win)
        win = fresh[(mine + theirs) % len(fresh)]
        return win * equity(mine + 1, theirs) + (1 - win) * equity(mine, theirs + 1)

    return equity(*towers)


class Equity:
    """P(player 0 wins the match) of match states under given rules."""

    def __init__(self, options: TowersAndBowersOptions) -> None:
        self.options = options
        self._payoffs = payoffs_by_size(options, deal_values(options))
        dealer = deal_value(options.first_n, options)
        self._fresh = {"procedure": (0.5,), "fixed": (dealer,), "alternate": (dealer, 1 - dealer)}[options.starter]

    def of(self, state: MatchState) -> float:
        """Return P(player 0 wins the match)."""
        towers = self.towers(state)
        if state.winner is not None and state.penalty is None:
            return float(state.winner == 0)
        return self.of_score((towers[0], towers[1] + 1)) + self.of_tower(state) * self.leverage(towers)

    def of_score(self, towers: tuple[int, int]) -> float:
        """Return P(player 0 wins the match) when a tower is about to begin."""
        return score_equity(towers, self.options.towers_to_win, self._fresh)

    def leverage(self, towers: tuple[int, int]) -> float:
        """Return how much P(win the match) depends on the tower under way."""
        return self.of_score((towers[0] + 1, towers[1])) - self.of_score((towers[0], towers[1] + 1))

    @staticmethod
    def towers(state: MatchState) -> tuple[int, int]:
        """The score of the tower under way; a tower that a pending penalty can still take back does not count."""
        outcome = state.hand.outcome if state.hand is not None else None
        if state.penalty is None or outcome is None or outcome.tower_to is None:
            return state.towers
        mine, theirs = state.towers
        return (mine - 1, theirs) if outcome.tower_to == 0 else (mine, theirs - 1)

    def of_tower(self, state: MatchState) -> float:
        """Return P(player 0 wins the tower under way, or that which begins next)."""
        hand = state.hand
        if state.penalty is not None:
            return float(state.penalty.aggrieved == 0)
        if hand is not None and hand.outcome is None:
            return self._of_hand(hand, state.phase)
        if state.dealer is None:
            return 0.5
        return _of_player_0(state.dealer, deal_value(state.n, self.options))

    def _of_hand(self, hand: HandState, phase: Phase) -> float:
        if phase in (Phase.PLAY, Phase.CONSENT):
            return float(self._payoffs[hand.n, int(hand.bidder == 0)][open_tricks(hand, 0)])
        bidding = _bidding(hand.n, self.options)
        hands = hand.hands[1 - hand.dealer], hand.hands[hand.dealer]
        if phase == Phase.DISCARD:
            ending = bidding.dealer_bids if hand.bidder == hand.dealer else bidding.nondealer_bids
            tricks = _accepted_tricks(hands, hand.led, hand.up_card, self.options)
            return _of_player_0(1 - hand.dealer, float(ending.value[tricks]))
        accepted, most, fewest = hand_tricks(*hands, hand.up_card, self.options)
        nondealer = {
            Phase.BID1_ND: dealt_values(hand.n, self.options)[accepted, most, fewest],
            Phase.BID1_D: bidding.dealer_answers.value[accepted, most, fewest],
            Phase.BID2_ND: bidding.second_round.value[most, fewest],
            Phase.BID2_D: bidding.dealer_names.value[fewest],
        }[phase]
        return _of_player_0(1 - hand.dealer, float(nondealer))


@functools.lru_cache(maxsize=64)
def _bidding(cards: int, options: TowersAndBowersOptions) -> OpenBidding:
    """Return the bidding of a hand size with all cards seen."""
    return open_bidding(cards, deal_values(options), options.hand_rules)


@functools.lru_cache(maxsize=64)
def dealt_values(cards: int, options: TowersAndBowersOptions) -> Floats:
    """float64[8, 8, 8], the non-dealer's P(win the tower) of a deal before anybody has bid, by its trick counts:
    if the up-card is accepted, most and fewest in a named suit. Their mean over all deals is 1 − W(cards)."""
    deals = deal_outcomes(cards, options.hand_rules)
    seen = _bidding(cards, options).first_round.value
    values: Floats = 1 - deal_value(cards, options) + _SHARE * (seen - (deals * seen).sum() / deals.sum())
    return values


def open_tricks(hand: HandState, player: int) -> int:
    """All tricks of a player in a hand under way, those already taken included, if both see all cards from here on."""
    assert hand.trump is not None
    leader = hand.leader
    hands = [int(to_play_order(mask, hand.trump, True)) for mask in hand.hands]
    tricks = _leader_tricks(hands[leader], hands[1 - leader], hand.led, hand.trump)
    return hand.taken[player] + (tricks if leader == player else hand.tricks_left - tricks)


def hand_tricks(nondealer: int, dealer: int, up: int, options: TowersAndBowersOptions) -> tuple[int, int, int]:
    """Return tricks of the non-dealer when the up-card is accepted, and the most and fewest over the other suits.

    Args:
        nondealer, dealer: printed masks.
    """
    named = [int(printed_tricks(load_tablebase(), nondealer, dealer, suit)) for suit in named_suits(up)]
    return _accepted_tricks((nondealer, dealer), None, up, options), max(named), min(named)


def _accepted_tricks(hands: tuple[int, int], led: int | None, up: int, options: TowersAndBowersOptions) -> int:
    """Return tricks of the non-dealer in the accepted contract after the dealer's best discard, led already or not."""
    trump = suit_of(up)
    follower = hands[1] | 1 << up
    discards = mask_cards(follower if options.allow_discard_upcard else hands[1])
    leads = int(to_play_order(hands[0], trump, True))
    hands_left = [int(to_play_order(follower & ~(1 << card), trump, True)) for card in discards]
    return min(_leader_tricks(leads, dealer, led, trump) for dealer in hands_left)


def _leader_tricks(leader: int, follower: int, led: int | None, trump: int) -> int:
    """Return tricks of the leader from this trick on (play-order masks; the card led is in no hand)."""
    if led is None:
        return int(leader_tricks(load_tablebase(), leader, follower))
    card = int(to_play_order(1 << led, trump, True))
    return int(lead_tricks(load_tablebase(), leader | card, follower, card))


def _of_player_0(owner: int, value: float) -> float:
    """Return player 0's probability of taking the tower, given the owner's."""
    return value if owner == 0 else 1 - value
