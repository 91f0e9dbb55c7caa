"""Which card should I play, and what is the value of every alternative of a decision? Values are P(win the tower).

`upcard` values calls and discards. Three methods value plays:

- *hidden*: the last three cards are solved with hidden hands (`last_cards`);
- *self-play*: with more cards left, the learned policy plays the hand out many times (`rollouts`); needs the default
  rules and the whole history;
- *pimc*, in all other cases: both players see all cards after the play. The value is the mean over every hand that the
  opponent can hold. Such a hand fits the player's own cards and discard, the up-card, the cards played and the failures
  to follow. All these hands count alike: the opponent's calls and plays say nothing. Within the model values are exact.

A claim is compared with playing on, by the same method. Indifferent alternatives cost nothing
(`analysis.towers_and_bowers.answers.Losses`).

`ask_link` answers the question of a linked position (`towerlab open LINK`); `games.towers_and_bowers.links` reads and
writes links.

>>> answer = ask_move("AH 9S", "H", "me", lead="me")
>>> answer.best.card, answer.layouts
('AH', 231)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias, Unpack

import numpy as np

from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
from towerlab.analysis.moves.answers import DIGITS, LEAST_SHARE, MoveAnswer, batch_of_moves, rank_cards
from towerlab.analysis.moves.weighing import (
    CardResults,
    Layouts,
    check_turn,
    layout_facts,
    tricks_before,
    view_at_place,
)
from towerlab.analysis.player_knowledge import Knowledge
from towerlab.analysis.present import number_of
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.answers import (
    EQUILIBRIUM,
    PIMC,
    SELF_PLAY,
    DiscardAnswer,
    Losses,
    UpcardAnswer,
    losses_of_values,
)
from towerlab.analysis.towers_and_bowers.claims import judge_claim
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.last_cards import (
    HIDDEN_CARDS,
    HiddenPlay,
    hidden_play,
    is_solved,
    put_hidden_play,
)
from towerlab.analysis.towers_and_bowers.position import (
    ME,
    THEM,
    HandFacts,
    by_former_names,
    calling_view,
    known_in,
    read_known,
)
from towerlab.analysis.towers_and_bowers.ranges import STRAY_ODDS, Range, has_history, policy_calls, range_of
from towerlab.analysis.towers_and_bowers.rollouts import (
    ROLLOUTS,
    TABLE_ROLLOUTS,
    ResultValues,
    check_rollouts,
    play_cards,
    policy_mix,
)
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED, is_learned
from towerlab.analysis.towers_and_bowers.stored_bidding import fallback_words, rules_are_solved
from towerlab.analysis.towers_and_bowers.upcard import (
    RankedDiscards,
    UpcardQuestion,
    ask_discard,
    ask_upcard,
    best_method,
    value_discards,
)
from towerlab.games.arrays import Bools, Floats
from towerlab.games.cards import (
    DECK_24,
    SUITS,
    card_text,
    cards_mask,
    first_card,
    mask_cards,
    mask_text,
    parse_card,
    parse_mask,
    rename_card,
    suit_of,
    to_play_order,
    to_printed,
)
from towerlab.games.engine import require
from towerlab.games.errors import TowerlabError, blame, plain_word
from towerlab.games.towers_and_bowers import GAME, Outcome, Phase, TowersAndBowersOptions, View, result_is_settled
from towerlab.games.towers_and_bowers.links import position_of, position_of_question, read_link
from towerlab.games.towers_and_bowers.records import Trick
from towerlab.games.towers_and_bowers.rules import card_led_wins, tricks_to_deal_next
from towerlab.sim.towers_and_bowers.info_state import MOST_LAYOUTS, InfoState, legal_plays, payoffs_by_size
from towerlab.sim.towers_and_bowers.pimc import (
    MOST_GAPS,
    distinct_plays,
    gaps_between,
    list_hands,
    tricks_of_plays,
    tricks_when_opponent_leads,
)
from towerlab.sim.towers_and_bowers.seats import state_of
from towerlab.solver.towers_and_bowers.bidding import in_play_order
from towerlab.solver.towers_and_bowers.self_play.policies import answer_with, bundle_in_use, own_bundle
from towerlab.solver.towers_and_bowers.upcard import TRICK_COUNTS
from towerlab.solver.two_hands.tablebase import load_tablebase

HIDDEN: Final = "hidden"
NOT_YET: Final = f" (hidden play is solved for the last {HIDDEN_CARDS} cards)"
PIMC_MODEL: Final = "every hand the other player can hold counts alike; both see all cards after the play (pimc)"


BIDS_AND_PLAYS: Final = "the policy bids and plays"
MODEL: Final = (
    "the learned policy plays on, cards hidden to the end; the likelier {calls} a hand of the other so, the more it "
    f"counts (one choice in {STRAY_ODDS} taken as random)"
)
SEED: Final = 0


@dataclass(frozen=True)
class Alternatives:
    """The alternatives of one decision.

    Attributes:
        values: P(win the tower) by alternative, in the words that people read, such as ``name S``.
        losses: what each alternative costs, and what it is compared with.
        kinds: how many alternatives really differ. Equal cards count as one; all count as one where the result is
            settled or nothing costs anything.
        layouts: how many hands of the opponent were counted.
        reference: the method that gave the values, one of `answers.METHODS`.
        reason: why the best alternative is best, in a sentence.
        estimates: the cost of each alternative with its interval, where it was sampled or learned; else empty.
        basis: how it was sampled or estimated; else empty.
    """

    values: Mapping[str, float]
    losses: Losses
    kinds: int
    layouts: int
    reference: str
    reason: str = ""
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    basis: str = ""

    @property
    def best(self) -> str:
        """The alternative with the highest value; the first of equals."""
        return self.losses.best

    def cost(self, action: str, scale: float = 1.0) -> Estimate:
        """Return the cost of an alternative, in units of 1/`scale`; without an interval where nothing was estimated."""
        cost = round(scale * self.losses.of[action], 6)
        estimate = self.estimates.get(action)
        return Estimate(cost, cost, cost, 1) if estimate is None else estimate.scaled(scale)._replace(mean=cost)

    @property
    def basis_words(self) -> str:
        """How the values were got, in words: counted or sampled; empty where there is nothing to say."""
        return self.basis or f"exact: {number_of(self.layouts, 'layout')} counted" * (self.layouts > 0)


def open_card_alternatives(
    values: Mapping[str, float], kinds: int, layouts: int, reference: str = PIMC
) -> Alternatives:
    """Return the alternatives of a choice whose values are those of perfect information."""
    return Alternatives(
        values, losses_of_values(values, max(values, key=values.__getitem__)), kinds, layouts, reference
    )


def _name_alternatives(
    words: Mapping[str, str], answer: UpcardAnswer | DiscardAnswer, values: Mapping[str, float], kinds: int
) -> Alternatives:
    """Return the alternatives of a call or a discard, in the words that people read, such as ``name S``."""
    lost = answer.losses()
    costs = {words[name]: cost for name, cost in lost.of.items()}
    named = {words[name]: value for name, value in values.items()}
    kinds = kinds if answer.method == PIMC or any(costs.values()) else 1
    estimates = {words[name]: estimate for name, estimate in answer.costs.items()}
    reason = answer.why if isinstance(answer, UpcardAnswer) else ""
    lost_words = Losses(words[lost.best], costs)
    return Alternatives(named, lost_words, kinds, answer.layouts, answer.method, reason, estimates, answer.basis)


def _count_kinds(hand: int, up: int, discards: int) -> int:
    """Return how many of a dealer's discards (printed masks) differ: neighbours in play order are equal."""
    own, held, pack = (int(to_play_order(of, suit_of(up), True)) for of in (discards, hand | 1 << up, DECK_24))
    return int(gaps_between(own, pack & ~held, np.empty(MOST_GAPS, dtype=np.int64)))


class Reference:
    """The values of every kind of decision under given rules."""

    def __init__(self, options: TowersAndBowersOptions, reference: str = EQUILIBRIUM) -> None:
        """
        Args:
            options: the rules.
            reference: `EQUILIBRIUM` for the best method there is (`upcard.best_method`), or `PIMC`. For plays also
                `HIDDEN` or `SELF_PLAY`, which leave out the other of these two.
        """
        self.options = options
        self._by_equilibrium = reference != PIMC and rules_are_solved(options)
        self._find_hidden_suit = reference in (EQUILIBRIUM, HIDDEN) and not options.enforces_reneges
        self._learns = reference in (EQUILIBRIUM, SELF_PLAY) and self._by_equilibrium and is_learned()
        self._deal_values = deal_values(options)
        self._payoffs = payoffs_by_size(options, self._deal_values)
        self._layouts, self._weights = np.empty((2, MOST_LAYOUTS), dtype=np.int64)

    # ------------------------------------------------------------------------------------------------- the bidding

    def bid(self, view: View, second_round: bool) -> Alternatives:
        """Return the alternatives of a call: accept or pass; in the second round each suit and, if allowed, a pass."""
        method = None if self._by_equilibrium else PIMC
        question = UpcardQuestion(calling_view(view.hand, view.up, view.deals, second_round), method)
        answer = question.answer(self.options)
        words = {action: f"name {action}" if action in SUITS else action for action in answer.actions}
        return _name_alternatives(words, answer, {action: answer.tower(action) for action in words}, len(words))

    def discard(self, view: View) -> Alternatives:
        """Return the alternatives of the discard for the up-card, valued before the first lead (see TB-15)."""
        asker_bids = view.bidder in (None, view.player)
        method = best_method(view.hand.bit_count(), self.options) if self._by_equilibrium else PIMC
        answer = value_discards(view.hand, view.up, asker_bids, self.options, method)
        kinds = _count_kinds(view.hand, view.up, cards_mask(map(parse_card, answer.values)))
        return _name_alternatives({card: f"discard {card}" for card in answer.values}, answer, answer.values, kinds)

    # ---------------------------------------------------------------------------------------------------- the play

    def play(self, view: View) -> Alternatives:
        """Return the alternatives of a play."""
        move = self.move(view)
        state = state_of(view)
        values = {f"play {play.card}": play.value for play in move.plays}
        assert view.bidder is not None
        bidder, defender = view.taken[view.bidder], view.taken[1 - view.bidder]
        is_settled = result_is_settled(view.n, bidder, defender, self.options.hand_rules)
        kinds = 1 if is_settled else int(distinct_plays(state)).bit_count()
        lost = losses_of_values(values, next(iter(values)))
        if kinds == 1:  # values that are learnt differ in their last digits between cards that are equal
            lost = Losses(lost.best, dict.fromkeys(values, 0.0))
        choice = Alternatives(values, lost, kinds, move.layouts, move.method)
        if move.exact or kinds == 1:
            return choice
        estimates = {f"play {play.card}": play.loss for play in move.plays}
        return replace(choice, estimates=estimates, basis=move.basis)

    def move(self, view: View, rollouts: int = ROLLOUTS) -> MoveAnswer:
        """Return the answer about every legal card, also while a claim waits for an answer.

        Args:
            view: the view of the player who is to play.
            rollouts: the number of rollouts of each card, where the learned policy plays on.
        """
        state = state_of(view)
        knowledge = known_in(view)
        hidden, believed = self._find_beliefs(view)
        gaps = list[int]()
        if believed is not None:
            hands = in_play_order(believed.former_hands, knowledge.trump)[:, None]
            method = SELF_PLAY
            layouts = Layouts(hands, believed.weights, believed.fitting, len(hands) == believed.fitting)
            calls = BIDS_AND_PLAYS if view.n > LARGEST_STORED else "the solution bids and the policy plays"
            model = MODEL.format(calls=calls)
        elif hidden is None:
            layouts, gaps = self._distinct_layouts(state)
            method = PIMC
            model = PIMC_MODEL + NOT_YET * self._find_hidden_suit
        else:
            hands = in_play_order(hidden.hands, require(view.trump))[:, None]
            method = HIDDEN
            model = hidden.model
            layouts = Layouts(hands, hidden.weights, len(hands), True)
        distinct = int(distinct_plays(state))
        by_kind = np.empty((len(layouts.hands), distinct.bit_count()), dtype=np.int64)
        tricks_of_plays(load_tablebase(), state, layouts.hands[:, 0], by_kind)
        plays = [1 << card for card in mask_cards(int(legal_plays(state)))]
        # A card stands in the column of the lowest card that is equal to it.
        kinds = [(distinct & (2 * play - 1)).bit_count() - 1 for play in plays]
        tricks = by_kind[:, kinds]
        weighed = CardResults(
            knowledge,
            layouts,
            tuple((play, 0) for play in plays),
            self._payoff_of_more(view)[tricks],
            self._makes_of_more(view)[tricks],
            tricks,
            layout_facts(knowledge, layouts.hands, gaps),
        )
        if hidden is not None and hidden.mix is not None:
            model += f"; a perfect opponent gains at most {100 * hidden.gain:.2f} points"
        model += fallback_words(self.options)
        if view.n > 1:
            model += f"; the next dealer wins the tower {100 * self._deal_values[view.n - 1]:.1f} % of the time"
        answer = rank_cards(weighed, cards=view.n, method=method, model=model, unit="tower", options=self.options)
        if believed is not None:
            return self._played_answer(answer, believed, weighed, kinds, check_rollouts(rollouts))
        return answer if hidden is None or hidden.mix is None else put_hidden_play(answer, hidden)

    def _played_answer(
        self, answer: MoveAnswer, believed: Range, weighed: CardResults, kinds: Sequence[int], count: int
    ) -> MoveAnswer:
        """Replace the open-card values of an answer by the policy's mix and the values of rollouts."""
        view = believed.view
        cards = [parse_card(weighed.text(column)) for column in range(len(weighed.plays))]
        tricks = view.taken[view.player] + weighed.tricks
        renamed = [rename_card(card, believed.names[0]) for card in cards]
        result_values = ResultValues(view.n, float(self._deal_values[view.n - 1]), view.deals)
        places = [kinds.index(kind) for kind in kinds]
        played = play_cards(believed, renamed, places, tricks, result_values, count, SEED)
        shares = by_former_names(policy_mix(believed), believed.names)
        numbers = zip(
            cards, played.means(result_values.tower), played.means(result_values.make), played.costs(), strict=True
        )
        plays = []
        for card, value, make, loss in numbers:
            old = next(play for play in answer.plays if parse_card(play.card) == card)
            share = shares[card]
            why = (
                f"the policy does so {100 * share:.0f} % of the time"
                if share >= LEAST_SHARE
                else "the policy hardly ever does so"
            )
            why += f"; with all cards seen it wins {100 * old.value:.1f} %"
            value, make = round(value, DIGITS), round(make, DIGITS)
            plays.append(replace(old, value=value, make=make, loss=loss, reason=why, share=share))
        plays.sort(key=lambda play: (-play.value, -(play.share or 0.0)))
        sampled = replace(answer, plays=tuple(plays), layouts=believed.fitting, counted=count, exact=False, seed=SEED)
        return replace(sampled, is_played_out=True)

    def _find_beliefs(self, view: View) -> tuple[HiddenPlay | None, Range | None]:
        """Return the solution of the last cards with hidden hands, or the opponent's range, or neither.

        Neither means that every hand the opponent can hold is equally likely.
        """
        if self._find_hidden_suit and is_solved(view):
            made = self._makes_of_more(view)
            taken = view.taken[view.player]
            payoffs = tuple(self.payoff(view.n, view.bidder == view.player)[: view.n + 1].tolist())
            return hidden_play(view, payoffs, lambda tricks: bool(made[tricks - taken]), self._by_equilibrium), None
        return None, range_of(view, policy_calls) if self._learns and has_history(view) else None

    def play_on(self, view: View) -> tuple[float, str]:
        """Return the value of playing on instead of claiming, and the method that gave it (one of `answers.METHODS`).

        On the player's own turn it is the value of the best card.
        """
        if not view.hand and view.led is None:  # the last trick is taken: only a penalty is still open
            return self.value_of_tricks(view, view.taken[view.player]), PIMC
        if view.led is not None and view.leader == view.player:  # the value of that card, as if it were led now
            hand = view.hand | 1 << view.led
            gone = view.gone & ~(1 << view.led)
            before = replace(view, hand=hand, gone=gone, led=None)
            choice = self.play(before)
            return choice.values[f"play {card_text(view.led)}"], choice.reference
        if view.led is not None or view.leader == view.player:
            choice = self.play(view)
            return max(choice.values.values()), choice.reference
        hidden, believed = self._find_beliefs(view)
        if hidden is not None and hidden.waiting is not None:
            return hidden.waiting, HIDDEN
        known = hidden or believed
        if known is None:
            layouts, _ = self._distinct_layouts(state_of(view))
            hands = layouts.hands[:, 0]
            weights = layouts.weights
            method = PIMC
        else:
            held = known.former_hands if isinstance(known, Range) else known.hands
            hands = in_play_order(held, require(view.trump))
            weights = known.weights
            method = HIDDEN
        tricks = np.empty((len(hands), 1), dtype=np.int64)
        tricks_when_opponent_leads(load_tablebase(), state_of(view), hands, tricks)
        if believed is not None:
            result_values = ResultValues(view.n, float(self._deal_values[view.n - 1]), view.deals)
            taken = view.taken[view.player]
            return play_cards(believed, (), (), taken + tricks, result_values, ROLLOUTS, SEED).towers[0], SELF_PLAY
        return float(weights @ self._payoff_of_more(view)[tricks[:, 0]]), method

    def value_of_tricks(self, view: View, tricks: int) -> float:
        """Return the value to the player of ending the hand with a number of tricks in all."""
        return float(self.payoff(view.n, view.bidder == view.player)[tricks])

    def value_of_outcome(self, n: int, outcome: Outcome, player: int) -> float:
        """Return the value to a player of a finished hand of n cards: the tower, or who deals the next hand."""
        if outcome.tower_to is not None:
            return float(outcome.tower_to == player)
        dealing = self._deal_values[n - 1]
        return float(dealing if outcome.next_dealer == player else 1 - dealing)

    def payoff(self, n: int, is_bidder: bool) -> Floats:
        """Return P(win the tower) by the player's tricks of a whole hand of n cards, float64[8]; beyond n as for n."""
        values: Floats = self._payoffs[n, int(is_bidder)]
        return values

    def _distinct_layouts(self, state: InfoState) -> tuple[Layouts, list[int]]:
        """Return the opponent's possible hands, one for all that differ inside a gap, and the gaps (play-order masks).

        A gap is a run of unseen cards with no card of the player's between them.
        """
        gaps = np.empty(MOST_GAPS, dtype=np.int64)
        gap_count, count = list_hands(state, gaps, self._layouts, self._weights)
        hands = self._layouts[:count].copy()
        weights = self._weights[:count]
        fitting = int(weights.sum())
        return Layouts(hands[:, None], weights / fitting, fitting, True), gaps[:gap_count].tolist()

    def _makes_of_more(self, view: View) -> Bools:
        """Return whether the contract is made, by the tricks that the player still takes, bool[8]."""
        more = np.arange(TRICK_COUNTS)
        left = view.n - sum(view.taken)
        bidders = view.taken[require(view.bidder)] + (more if view.bidder == view.player else left - more)
        made: Bools = bidders >= tricks_to_deal_next(view.n, self.options.hand_rules)
        return made

    def _payoff_of_more(self, view: View) -> Floats:
        """Return P(win the tower) by the tricks that the player still takes, float64[8]."""
        payoff = self.payoff(view.n, view.bidder == view.player)[view.taken[view.player] :]
        return np.pad(payoff, (0, TRICK_COUNTS - len(payoff)), mode="edge")


def ask_move(
    hand: str | None = None,
    trump: str | None = None,
    bidder: str | None = None,
    lead: str | None = None,
    *,
    up: str | None = None,
    cards: int | None = None,
    won: int | None = None,
    game: Path | None = None,
    at: str | None = None,
    method: str | None = None,
    rollouts: int | None = None,
    policy: str = "",
    options: TowersAndBowersOptions | None = None,
    usual_rollouts: int = ROLLOUTS,
    **known: Unpack[HandFacts],
) -> MoveAnswer:
    """Return every legal card with P(win the tower) and how often the contract is made.

    Args:
        hand: what you hold now, such as ``"AH 9S"``; or `game` and `at`.
        trump: ``S``, ``H``, ``D`` or ``C``.
        bidder: who accepted or named it, ``"me"`` or ``"them"``.
        lead: who leads the next trick, or has led the one under way; may be left out with a history.
        up: the up-card: gone if it was turned down, the dealer's if it was accepted.
        cards: how many cards a full hand has; by default those of the history and of your hand.
        won: how many tricks you took that are not in the history.
        game, at: a saved game and a place in it, ``"3.2"`` for hand 3, trick 2.
        method: ``"hidden"``, the last three cards solved with hidden hands (`analysis.towers_and_bowers.last_cards`);
            ``"self-play"``, values by rollouts of the learned policy (`analysis.towers_and_bowers.rollouts`), which
            needs the default rules, `up` and the whole history; ``"pimc"``, all cards seen after the play. None takes
            the first of these that the question allows.
        rollouts: the number of rollouts of each card, where the learned policy plays on; None for the usual number.
        policy: the folder of a learned policy of the user's, in place of the one that ships.
        options: rule options; a saved game has its own.
        usual_rollouts: the number of rollouts of each card, where the question does not say.
        known: what else is known, see `analysis.towers_and_bowers.position.HandFacts`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules, or somebody else's turn.
    """
    given = {"hand": hand, "trump": trump, "bidder": bidder, "lead": lead, "up": up, "cards": cards, "won": won}
    view, rules = view_at_place(GAME, game, at, given | known, options)
    if view is not None:
        with answer_with(own_bundle(policy)):
            return replace(_answer(view, rules, method, rollouts, usual_rollouts), link=str(position_of(view)))
    if hand is None or bidder is None:
        missing = "bidder" if hand else "hand"
        raise TowerlabError(f"no {missing} is given; expected --hand, --trump and --bidder, or --game and --at")
    if plain_word(bidder) not in (ME, THEM):
        raise TowerlabError(f"bidder {bidder!r} is unknown; expected {ME} or {THEM}")
    options = options or TowersAndBowersOptions()
    known.setdefault("first_n", options.first_n)
    knowledge = _read_with_up_card(hand, trump, lead, up, known)
    check_turn(knowledge)
    view = _make_view(knowledge, plain_word(bidder) == ME, cards, won, options)
    if up is not None:
        first = 0 if _first_leader(knowledge, known) == ME else 1
        view = replace(view, up_card=first_card(parse_mask(up)), dealer=1 - first, bidder=view.bidder)
        view = replace(
            view, tricks=_read_tricks(known, first, knowledge.trump), discard=_find_discard(view, knowledge, known)
        )
    with answer_with(own_bundle(policy)):
        answer = _answer(view, options, method, rollouts, usual_rollouts)
    position = position_of_question(hand, str(trump), known, lead, bidder, up, cards, won)
    return answer if position is None else replace(answer, link=str(position))


BATCH: Final = batch_of_moves(GAME, ask_move, TowersAndBowersOptions, "tower", usual_rollouts=TABLE_ROLLOUTS)


def _answer(
    view: View, options: TowersAndBowersOptions, method: str | None, rollouts: int | None, usual: int
) -> MoveAnswer:
    """Return the answer to `ask_move` about a view.

    Raises:
        TowerlabError: the view does not allow the method, or the rollouts.
    """
    if method not in (None, HIDDEN, SELF_PLAY, PIMC):
        raise TowerlabError(f"method {method!r} is unknown; expected {HIDDEN}, {SELF_PLAY} or {PIMC}")
    answer = Reference(options, method or EQUILIBRIUM).move(view, usual if rollouts is None else rollouts)
    if rollouts is not None and not answer.is_played_out:
        why = "the default rules, the up-card (--up) and the whole history, and of "
        why += f"{HIDDEN_CARDS} cards or fewer --method {SELF_PLAY}"
        fault = TowerlabError(f"--rollouts {rollouts} needs {why}; expected the question without it")
        raise blame(fault, "rollouts")
    if method == HIDDEN != answer.method:
        raise TowerlabError(
            f"hidden cards are solved for the last {HIDDEN_CARDS} of a hand, where nobody may renege; expected "
            f"--method {SELF_PLAY} or {PIMC}, or none"
        )
    if method not in (None, answer.method):
        raise TowerlabError(
            f"--method {method} needs the default rules, the up-card (--up) and the whole history; expected --method "
            f"{PIMC} or none"
        )
    return replace(answer, method_asked=method, policy=bundle_in_use().digest if answer.is_played_out else "")


def _read_with_up_card(hand: str, trump: str | None, lead: str | None, up: str | None, known: HandFacts) -> Knowledge:
    """Read what the player knows, with what follows from the up-card.

    Raises:
        TowerlabError: the up-card is in a hand that cannot hold it, or as `read_known`.
    """
    knowledge = read_known(hand, trump, lead, **known)
    if up is None:
        return knowledge
    card = parse_mask(up, DECK_24, "the up-card", 1)
    if card & (parse_mask(f"{hand} {known.get('seen', '')}") | knowledge.played[0] | knowledge.played[1]):
        return knowledge
    more = known.copy()
    if suit_of(first_card(card)) != knowledge.trump:
        more["seen"] = f"{known.get('seen', '')} {mask_text(card)}"
    elif _first_leader(knowledge, known) == ME:  # the follower deals, and holds an up-card that was accepted
        held = known.get("opponent_holds", "")
        more["opponent_holds"] = f"{held if isinstance(held, str) else ' '.join(held)} {mask_text(card)}"
    else:
        raise TowerlabError(
            f"the up-card {card_text(first_card(card))} is trump, so the dealer took it, and you deal; expected it in "
            "your hand or the history (or among the seen cards, if it was your discard)"
        )
    return read_known(hand, trump, lead, **more)


def _read_tricks(known: HandFacts, leader: int, trump: int) -> tuple[Trick, ...]:
    """Read the whole tricks of a history; none where the question says more of the opponent's hand than they do."""
    tricks: list[Trick] = []
    if known.get("opponent_void") or known.get("opponent_holds"):
        return ()
    for word in known.get("history", "").replace(",", " ").split():
        led, _, reply = word.partition("/")
        if reply:
            cards = parse_card(led), parse_card(reply)
            winner = leader if card_led_wins(1 << cards[0], 1 << cards[1], trump) else 1 - leader
            tricks.append(Trick(leader, *cards, winner))
            leader = winner
    return tuple(tricks)


def _find_discard(view: View, knowledge: Knowledge, known: HandFacts) -> int | None:
    """Return the discard of a dealer who took the up-card: the one seen card that was not played."""
    seen = parse_mask(known.get("seen", "")) & ~(knowledge.played[0] | knowledge.played[1])
    takes = view.dealer == view.player and suit_of(view.up) == knowledge.trump
    return first_card(seen) if takes and seen.bit_count() == 1 else None


def _first_leader(knowledge: Knowledge, known: HandFacts) -> str:
    """Return the leader of the first trick of the history, or of the next one."""
    return plain_word(known.get("first_lead") or (ME, THEM)[knowledge.belief.leader])


def _make_view(
    knowledge: Knowledge, bids: bool, cards: int | None, won: int | None, options: TowersAndBowersOptions
) -> View:
    """Return the knowledge as a view of seat 0, with all that the value of cards depends on."""
    belief = knowledge.belief
    trump = knowledge.trump
    size = cards or sum(knowledge.taken) + belief.tricks
    if not belief.tricks + sum(knowledge.taken) <= size <= options.first_n:
        least = belief.tricks + sum(knowledge.taken)
        raise TowerlabError(f"{size} cards in a full hand cannot be; expected {least} to {options.first_n}")
    before = tricks_before(knowledge, size, won)
    mine = knowledge.taken[0] + before
    own, sure = (int(to_printed(mask, trump, True)) for mask in belief.own)
    (pool,) = belief.pools
    possible = int(to_printed(pool, trump, True))
    return View(
        player=0,
        phase=Phase.PLAY,
        to_act=0,
        towers=(0, 0),
        n=size,
        dealer=None,
        hand=own,
        trump=trump,
        bidder=0 if bids else 1,
        leader=belief.leader,
        led=first_card(int(to_printed(belief.trick[0], trump, True))) if belief.trick else None,
        taken=(mine, size - belief.tricks - mine),
        legal=own,
        gone=DECK_24 & ~(own | sure | possible),  # cards of a suit they have not got are as good as gone
        opponent_cards=belief.size(1),
        opponent_holds=sure,
    )


LinkAnswer: TypeAlias = UpcardAnswer | RankedDiscards | MoveAnswer | ClaimAnswer | ConcessionAnswer
ASKS: Final[Mapping[str, Callable[..., Any]]] = {
    "upcard": ask_upcard,
    "discard": ask_discard,
    "move": ask_move,
    "claim": judge_claim,
}


def ask_link(link: str, *, options: TowersAndBowersOptions | None = None) -> LinkAnswer:
    """Return the answer to the question of a linked position: a call, a discard, a play, or a claim.

    >>> ask_link("ASKSJS9S/QS/d/p").recommend
    'accept'

    Raises:
        TowerlabError: no link, a position without a question, or a question that contradicts itself.
    """
    command, question = read_link(link).question()
    answer: LinkAnswer = ASKS[command](**question, options=options)
    return answer
