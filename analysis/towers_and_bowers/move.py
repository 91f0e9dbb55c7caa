"""Which card do I play, and what is every alternative of a decision worth: P(win the tower) for the player who decides?

Calls and discards are those of `upcard`. Plays with more than three cards left: *self-play*, rollouts of the learned
policy (`rollouts`), sampled; the last three cards are solved with hidden hands (`endings`). Claims are compared with
playing on so. Indifferent alternatives cost nothing; `analysis.towers_and_bowers.answers.Losses` says which are.

Under other rules, or without the whole history: *pimc*, perfect information after the decision. An alternative has the
mean value, over every hand that the opponent can hold, of P(win the tower) when both see all cards from then on. The
hands agree with what the player has seen: the own cards and discard, the up-card and who took it, the cards played,
failures to follow. All count alike; nothing is inferred from how the opponent bid and played. Within the model the
values are exact.

`ask_link` answers whatever a linked position asks (`towerlab open LINK`); `games.towers_and_bowers.links` reads and
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
from towerlab.analysis.knowledge import Knowledge
from towerlab.analysis.moves.answers import DIGITS, LEAST_SHARE, MoveAnswer, many_moves, rank_cards
from towerlab.analysis.moves.weighing import Layouts, Weighed, asked_view, check_turn, news_of, tricks_before
from towerlab.analysis.present import number_of
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.answers import (
    EQUILIBRIUM,
    PIMC,
    SELF_PLAY,
    DiscardAnswer,
    Losses,
    UpcardAnswer,
    losses,
)
from towerlab.analysis.towers_and_bowers.claims import judge_claim
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.endings import HIDDEN_CARDS, HiddenPlay, hidden_play, is_solved, solved_answer
from towerlab.analysis.towers_and_bowers.position import (
    ME,
    THEM,
    Known,
    by_former_names,
    calling_view,
    known_in,
    read_known,
)
from towerlab.analysis.towers_and_bowers.ranges import STRAYS, Range, has_history, policy_calls, range_of
from towerlab.analysis.towers_and_bowers.rollouts import (
    ROLLOUTS,
    TABLE_ROLLOUTS,
    Worth,
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
from towerlab.sim.towers_and_bowers.info_state import (
    MOST_LAYOUTS,
    InfoState,
    legal_plays,
    payoffs_by_size,
)
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
    f"counts (one choice in {STRAYS} taken as random)"
)
SEED: Final = 0


@dataclass(frozen=True)
class Alternatives:
    """The alternatives of one decision.

    Attributes:
        values: P(win the tower) by alternative, in the words that people read, such as ``name S``.
        losses: what each alternative costs, and what it is compared with.
        kinds: how many alternatives differ in meaning: equal cards are one, and so is everything once the tricks left
            can change nothing, or where a solution or the policy says that nothing costs anything.
        layouts: hands of the opponent's that were counted.
        reference: of `answers.METHODS`.
        reason: why, in a sentence; of a call what it makes and what follows a pass.
        estimates: of what is sampled or learned, the cost of each alternative with its interval; else empty.
        basis: how that was sampled or estimated; else empty.
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
        """An alternative of the highest value; the first of equals."""
        return self.losses.best

    def cost(self, action: str, scale: float = 1.0) -> Estimate:
        """Return what an alternative costs, in units of 1/`scale`; a single point where nothing was estimated."""
        cost = round(scale * self.losses.of[action], 6)
        estimate = self.estimates.get(action)
        return Estimate(cost, cost, cost, 1) if estimate is None else estimate.scaled(scale)._replace(mean=cost)

    @property
    def counted(self) -> str:
        """The way to the values in words, counted or sampled; empty where there is none."""
        return self.basis or f"exact: {number_of(self.layouts, 'layout')} counted" * (self.layouts > 0)


def open_choice(values: Mapping[str, float], kinds: int, layouts: int, reference: str = PIMC) -> Alternatives:
    """A choice whose values are those of perfect information."""
    return Alternatives(values, losses(values, max(values, key=values.__getitem__)), kinds, layouts, reference)


def _choice(
    words: Mapping[str, str], answer: UpcardAnswer | DiscardAnswer, values: Mapping[str, float], kinds: int
) -> Alternatives:
    """A choice of a bid or a discard, in the words that people read, such as ``name S``."""
    lost = answer.losses()
    costs = {words[name]: cost for name, cost in lost.of.items()}
    named = {words[name]: value for name, value in values.items()}
    kinds = kinds if answer.method == PIMC or any(costs.values()) else 1
    estimates = {words[name]: estimate for name, estimate in answer.costs.items()}
    reason = answer.why if isinstance(answer, UpcardAnswer) else ""
    lost_words = Losses(words[lost.best], costs)
    return Alternatives(named, lost_words, kinds, answer.layouts, answer.method, reason, estimates, answer.basis)


def _count_kinds(hand: int, up: int, discards: int) -> int:
    """Return how many discards of a dealer (printed masks) differ in meaning."""
    own, held, pack = (int(to_play_order(of, suit_of(up), True)) for of in (discards, hand | 1 << up, DECK_24))
    return int(gaps_between(own, pack & ~held, np.empty(MOST_GAPS, dtype=np.int64)))


class Reference:
    """The values of every kind of decision under given rules."""

    def __init__(self, options: TowersAndBowersOptions, reference: str = EQUILIBRIUM) -> None:
        """
        Args:
            options: the rules.
            reference: `EQUILIBRIUM` for the best there is (`upcard.best_method`), or `PIMC`; of plays `HIDDEN`
                and `SELF_PLAY` leave the other of these two out.
        """
        self.options = options
        self._by_equilibrium = reference != PIMC and rules_are_solved(options)
        self._hides = reference in (EQUILIBRIUM, HIDDEN) and not options.enforces_reneges
        self._learns = reference in (EQUILIBRIUM, SELF_PLAY) and self._by_equilibrium and is_learned()
        self._deal_values = deal_values(options)
        self._payoffs = payoffs_by_size(options, self._deal_values)
        self._layouts, self._weights = np.empty((2, MOST_LAYOUTS), dtype=np.int64)

    # ------------------------------------------------------------------------------------------------- the bidding

    def bid(self, view: View, second_round: bool) -> Alternatives:
        """To accept or pass; in the second round to name a suit or (if allowed) pass."""
        method = None if self._by_equilibrium else PIMC
        question = UpcardQuestion(calling_view(view.hand, view.up, view.deals, second_round), method)
        answer = question.answer(self.options)
        words = {action: f"name {action}" if action in SUITS else action for action in answer.actions}
        return _choice(words, answer, {action: answer.tower(action) for action in words}, len(words))

    def discard(self, view: View) -> Alternatives:
        """Which card to give for the up-card, judged before the first lead (TB-15 lets it come early)."""
        asker_bids = view.bidder in (None, view.player)
        method = best_method(view.hand.bit_count(), self.options) if self._by_equilibrium else PIMC
        answer = value_discards(view.hand, view.up, asker_bids, self.options, method)
        kinds = _count_kinds(view.hand, view.up, cards_mask(map(parse_card, answer.values)))
        return _choice({card: f"discard {card}" for card in answer.values}, answer, answer.values, kinds)

    # ---------------------------------------------------------------------------------------------------- the play

    def play(self, view: View) -> Alternatives:
        """Which card to play."""
        move = self.move(view)
        state = state_of(view)
        values = {f"play {play.card}": play.value for play in move.plays}
        assert view.bidder is not None
        bidder, defender = view.taken[view.bidder], view.taken[1 - view.bidder]
        is_settled = result_is_settled(view.n, bidder, defender, self.options.hand_rules)
        kinds = 1 if is_settled else int(distinct_plays(state)).bit_count()
        lost = losses(values, next(iter(values)))
        if kinds == 1:  # values that are learnt differ in their last digits between cards that are equal
            lost = Losses(lost.best, dict.fromkeys(values, 0.0))
        choice = Alternatives(values, lost, kinds, move.layouts, move.method)
        if move.exact or kinds == 1:
            return choice
        estimates = {f"play {play.card}": play.loss for play in move.plays}
        return replace(choice, estimates=estimates, basis=move.basis)

    def move(self, view: View, rollouts: int = ROLLOUTS) -> MoveAnswer:
        """Every legal card in full, also while a claim waits for an answer.

        Args:
            rollouts: of each card, where the learned policy plays on.
        """
        state = state_of(view)
        knowledge = known_in(view)
        hidden, believed = self._believe(view)
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
            model = PIMC_MODEL + NOT_YET * self._hides
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
        weighed = Weighed(
            knowledge,
            layouts,
            tuple((play, 0) for play in plays),
            self._payoff_of_more(view)[tricks],
            self._makes_of_more(view)[tricks],
            tricks,
            news_of(knowledge, layouts.hands, gaps),
        )
        if hidden is not None and hidden.mix is not None:
            model += f"; a perfect opponent gains at most {100 * hidden.gain:.2f} points"
        model += fallback_words(self.options)
        if view.n > 1:
            model += f"; the next dealer wins the tower {100 * self._deal_values[view.n - 1]:.1f} % of the time"
        answer = rank_cards(weighed, cards=view.n, method=method, model=model, unit="tower", options=self.options)
        if believed is not None:
            return self._played_answer(answer, believed, weighed, kinds, check_rollouts(rollouts))
        return answer if hidden is None or hidden.mix is None else solved_answer(answer, hidden)

    def _played_answer(
        self, answer: MoveAnswer, believed: Range, weighed: Weighed, kinds: Sequence[int], count: int
    ) -> MoveAnswer:
        """Return an answer by open cards with the policy's mix and values by rollouts in their place."""
        view = believed.view
        cards = [parse_card(weighed.text(column)) for column in range(len(weighed.plays))]
        tricks = view.taken[view.player] + weighed.tricks
        renamed = [rename_card(card, believed.names[0]) for card in cards]
        worth = Worth(view.n, float(self._deal_values[view.n - 1]), view.deals)
        places = [kinds.index(kind) for kind in kinds]
        played = play_cards(believed, renamed, places, tricks, worth, count, SEED)
        shares = by_former_names(policy_mix(believed), believed.names)
        numbers = zip(cards, played.means(worth.tower), played.means(worth.make), played.costs(), strict=True)
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

    def _believe(self, view: View) -> tuple[HiddenPlay | None, Range | None]:
        """The last cards as they are solved with hidden hands, or the range of the policy; neither if all are alike."""
        if self._hides and is_solved(view):
            made = self._makes_of_more(view)
            taken = view.taken[view.player]
            payoffs = tuple(self.payoff(view.n, view.bidder == view.player)[: view.n + 1].tolist())
            return hidden_play(view, payoffs, lambda tricks: bool(made[tricks - taken]), self._by_equilibrium), None
        return None, range_of(view, policy_calls) if self._learns and has_history(view) else None

    def play_on(self, view: View) -> tuple[float, str]:
        """The value of going on with the play, in one's own turn (then with the best card) or the other's.

        Returns:
            (value, by what the hands of the other count: of `answers.METHODS`).
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
        hidden, believed = self._believe(view)
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
            worth = Worth(view.n, float(self._deal_values[view.n - 1]), view.deals)
            taken = view.taken[view.player]
            return play_cards(believed, (), (), taken + tricks, worth, ROLLOUTS, SEED).towers[0], SELF_PLAY
        return float(weights @ self._payoff_of_more(view)[tricks[:, 0]]), method

    def value_of_tricks(self, view: View, tricks: int) -> float:
        """The value of ending the hand with so many tricks in all."""
        return float(self.payoff(view.n, view.bidder == view.player)[tricks])

    def value_of_outcome(self, n: int, outcome: Outcome, player: int) -> float:
        """The value to a player of a hand of n cards that is over: the tower, or who deals the next."""
        if outcome.tower_to is not None:
            return float(outcome.tower_to == player)
        dealing = self._deal_values[n - 1]
        return float(dealing if outcome.next_dealer == player else 1 - dealing)

    def payoff(self, n: int, is_bidder: bool) -> Floats:
        """float64[8]: P(win the tower) by all one's tricks in a hand of n cards; beyond n as for n."""
        values: Floats = self._payoffs[n, int(is_bidder)]
        return values

    def _distinct_layouts(self, state: InfoState) -> tuple[Layouts, list[int]]:
        """The hands the opponent can hold, one for all that differ inside a gap, and the gaps (play-order masks)."""
        gaps = np.empty(MOST_GAPS, dtype=np.int64)
        gap_count, count = list_hands(state, gaps, self._layouts, self._weights)
        hands = self._layouts[:count].copy()
        weights = self._weights[:count]
        fitting = int(weights.sum())
        return Layouts(hands[:, None], weights / fitting, fitting, True), gaps[:gap_count].tolist()

    def _makes_of_more(self, view: View) -> Bools:
        """bool[8]: whether the bidder makes the contract, by the tricks still to come for the player."""
        more = np.arange(TRICK_COUNTS)
        left = view.n - sum(view.taken)
        bidders = view.taken[require(view.bidder)] + (more if view.bidder == view.player else left - more)
        made: Bools = bidders >= tricks_to_deal_next(view.n, self.options.hand_rules)
        return made

    def _payoff_of_more(self, view: View) -> Floats:
        """float64[8]: P(win the tower) by the tricks still to come for the player."""
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
    **known: Unpack[Known],
) -> MoveAnswer:
    """Which card to play: every legal one with its chance to win the tower and how often the contract is made.

    Args:
        hand: what you hold now, such as ``"AH 9S"``; or `game` and `at`.
        trump: ``S``, ``H``, ``D`` or ``C``.
        bidder: who accepted or named it, ``"me"`` or ``"them"``.
        lead: who leads the next trick, or has led the one under way; may be left out with a history.
        up: the up-card: gone if it was turned down, the dealer's if it was accepted.
        cards: of a full hand; by default those of the history and of your hand.
        won: of tricks that are not in the history, how many you took.
        game, at: a saved game and a place in it, ``"3.2"`` for hand 3, trick 2.
        method: ``"hidden"``, the last three cards solved with hidden hands (`analysis.towers_and_bowers.endings`);
            ``"self-play"``, values by rollouts of the learned policy (`analysis.towers_and_bowers.rollouts`), which
            needs the default rules, `up` and the whole history; ``"pimc"``, all cards seen after the play. None for the
            first that can be.
        rollouts: of each card, where the learned policy plays on; None for the usual number.
        policy: the folder of a learned policy of the user's, in place of the one that ships.
        options: rule options; a saved game has its own.
        usual_rollouts: of each card, where the question does not say.
        known: what else is known, see `analysis.towers_and_bowers.position.Known`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules, or somebody else's turn.
    """
    given = {"hand": hand, "trump": trump, "bidder": bidder, "lead": lead, "up": up, "cards": cards, "won": won}
    view, rules = asked_view(GAME, game, at, given | known, options)
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
    knowledge = _with_up_card(hand, trump, lead, up, known)
    check_turn(knowledge)
    view = _seen(knowledge, plain_word(bidder) == ME, cards, won, options)
    if up is not None:
        first = 0 if _led_first(knowledge, known) == ME else 1
        view = replace(view, up_card=first_card(parse_mask(up)), dealer=1 - first, bidder=view.bidder)
        view = replace(view, tricks=_tricks(known, first, knowledge.trump), discard=_discard(view, knowledge, known))
    with answer_with(own_bundle(policy)):
        answer = _answer(view, options, method, rollouts, usual_rollouts)
    position = position_of_question(hand, str(trump), known, lead, bidder, up, cards, won)
    return answer if position is None else replace(answer, link=str(position))


MANY: Final = many_moves(GAME, ask_move, TowersAndBowersOptions, "tower", usual_rollouts=TABLE_ROLLOUTS)


def _answer(
    view: View, options: TowersAndBowersOptions, method: str | None, rollouts: int | None, usual: int
) -> MoveAnswer:
    """By a method: see `ask_move`."""
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


def _with_up_card(hand: str, trump: str | None, lead: str | None, up: str | None, known: Known) -> Knowledge:
    """Return what is known, the up-card included."""
    knowledge = read_known(hand, trump, lead, **known)
    if up is None:
        return knowledge
    card = parse_mask(up, DECK_24, "the up-card", 1)
    if card & (parse_mask(f"{hand} {known.get('seen', '')}") | knowledge.played[0] | knowledge.played[1]):
        return knowledge
    more = known.copy()
    if suit_of(first_card(card)) != knowledge.trump:
        more["seen"] = f"{known.get('seen', '')} {mask_text(card)}"
    elif _led_first(knowledge, known) == ME:  # the follower deals, and holds an up-card that was accepted
        held = known.get("opponent_holds", "")
        more["opponent_holds"] = f"{held if isinstance(held, str) else ' '.join(held)} {mask_text(card)}"
    else:
        raise TowerlabError(
            f"the up-card {card_text(first_card(card))} is trump, so the dealer took it, and you deal; expected it in "
            "your hand or the history (or among the seen cards, if it was your discard)"
        )
    return read_known(hand, trump, lead, **more)


def _tricks(known: Known, leader: int, trump: int) -> tuple[Trick, ...]:
    """The whole tricks of a history; none where more is said of the opponent's hand than follows from them."""
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


def _discard(view: View, knowledge: Knowledge, known: Known) -> int | None:
    """Return what a player who has the up-card gave for it: the one card that is seen and was not played."""
    seen = parse_mask(known.get("seen", "")) & ~(knowledge.played[0] | knowledge.played[1])
    takes = view.dealer == view.player and suit_of(view.up) == knowledge.trump
    return first_card(seen) if takes and seen.bit_count() == 1 else None


def _led_first(knowledge: Knowledge, known: Known) -> str:
    """Return the leader of the first trick of the history, or of the next one."""
    return plain_word(known.get("first_lead") or (ME, THEM)[knowledge.belief.leader])


def _seen(
    knowledge: Knowledge, bids: bool, cards: int | None, won: int | None, options: TowersAndBowersOptions
) -> View:
    """The same as a view, as much of it as the value of cards depends on; the player has seat 0."""
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
    """The answer to the position of a link: a call, a card for the up-card, a card to play, or a claim.

    >>> ask_link("ASKSJS9S/QS/d/p").recommend
    'accept'

    Raises:
        TowerlabError: no link, a position without a question, or a question that contradicts itself.
    """
    command, question = read_link(link).question()
    answer: LinkAnswer = ASKS[command](**question, options=options)
    return answer
