"""Should I accept the up-card, or which suit should I name? Which card should a dealer discard for the up-card?

A question is texts; it is checked, and answered by a method:

- *equilibrium* (`values`): the solution of hands of up to four cards, hidden to the end;
- *self-play* (`played`): with more cards, or if something is known of the opponent's hand, the learned policy plays
  every call out, cards hidden to the end;
- *pimc* (`values.evaluate_view`): both players see all cards after the call; under rules that are not solved, too.

``--against PLAYER`` answers an opponent who calls as that player does (`simulation`).

The discard comes before the first lead (TB-10). The value of a discard is P(win the tower), from the same numbers as
the contract's in `ask_upcard`. Advice, reviews and training ask the same functions.

>>> ask_upcard("JS AS KS 9S AD 10H 9C", "QS", "nondealer").recommend
'accept'
>>> ask_discard("AH KH 9C", "JD", "them").recommend
'9C'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Unpack

from towerlab.analysis.decision import SCALES, Alternative, Decision
from towerlab.analysis.players import Player, find_player, stored_player
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import note
from towerlab.analysis.question_rows import Arguments, BatchQuestion, Row
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.answers import (
    AGAINST,
    EQUILIBRIUM,
    METHODS,
    PIMC,
    SEATS,
    SELF_PLAY,
    DiscardAnswer,
    Mix,
    Rollouts,
    UpcardAnswer,
    known_cards,
)
from towerlab.analysis.towers_and_bowers.deal_value import Accuracy
from towerlab.analysis.towers_and_bowers.played import VALUES_OF, answer_by_policy, discard_played
from towerlab.analysis.towers_and_bowers.position import ME, THEM, OpponentFacts, calling_view, read_known
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS, TABLE_ROLLOUTS, check_rollouts
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED, LEARNED_FILE, is_learned, other_rules
from towerlab.analysis.towers_and_bowers.stored_bidding import (
    WHOLE_HAND,
    is_at_hand,
    missing_words,
    rules_are_solved,
    unsolved_words,
)
from towerlab.analysis.towers_and_bowers.values import answer_solved, discard_solved, evaluate_discard, evaluate_view
from towerlab.games.cards import DECK_24, NO_TRUMP, card_symbol, card_text, parse_card, parse_mask, rank_of, to_printed
from towerlab.games.errors import CardError, TowerlabError, at_fault, blame, plain_word
from towerlab.games.towers_and_bowers import GAME, TowersAndBowersOptions, View
from towerlab.games.towers_and_bowers.links import LinkedPosition
from towerlab.games.written import CardId, Mask, Record
from towerlab.solver.towers_and_bowers.self_play.policies import answer_with, bundle_in_use, own_bundle
from towerlab.solver.two_hands.tablebase import MOST_CARDS

NOT_PLAYED: Final = (
    "cannot be: nothing is played out where the solution or open cards answer; expected five cards or more under the "
    f"default rules, or --method {SELF_PLAY}"
)


@dataclass(frozen=True)
class UpcardQuestion:
    """A checked bidding decision.

    Attributes:
        view: the view of the player who is to call, with what else is known of the opponent's hand.
        method: one of `METHODS`, or None for the best one that can answer.
        against: the player model of the opponent's calls, or None.
        rollouts: number of deals on which each call is played out; None for the usual number.
        seed: the seed of these deals.
        policy: the folder of the user's own learned policy; "" for the one that ships.
    """

    view: View
    method: str | None = None
    against: Player | None = None
    rollouts: int | None = None
    seed: int = 0
    policy: str = ""

    def answer(
        self,
        options: TowersAndBowersOptions | None = None,
        ready: UpcardAnswer | None = None,
        rollouts: int = ROLLOUTS,
    ) -> UpcardAnswer:
        """Return the answer; the module explains the methods.

        Args:
            options: the rules; None for the defaults.
            ready: the method's answer, if the caller has it already.
            rollouts: number of deals of each call, where the question does not say.

        Raises:
            TowerlabError: `against` or the method does not cover these rules.
        """
        with answer_with(own_bundle(self.policy)):
            return self._answer_by_policy(options or TowersAndBowersOptions(), ready, rollouts)

    def _answer_by_policy(
        self, options: TowersAndBowersOptions, ready: UpcardAnswer | None, rollouts: int
    ) -> UpcardAnswer:
        check_size(self.view.n, options)
        count = check_rollouts(rollouts if self.rollouts is None else self.rollouts)
        if self.against is not None:
            from towerlab.analysis.towers_and_bowers.simulation import (
                answer_against,  # the only one that needs a simulator
            )

            ready = answer_against(self.view, options, self.against, count, self.seed)
            return self._finish(ready, options, AGAINST)
        if ready is None:
            ready = self._answer(options, count)
        if self.rollouts is not None and ready.rollouts is None:
            raise blame(TowerlabError(f"--rollouts {count} {NOT_PLAYED}"), "rollouts")
        return self._finish(ready, options, self.method)

    def _answer(self, options: TowersAndBowersOptions, count: int) -> UpcardAnswer:
        method = self.choose_method(options)
        if method is None:
            raise no_solution_error(self.view.n, options, str(self.method))
        if method == PIMC:
            return evaluate_view(self.view, options)
        view = self.view
        if method == EQUILIBRIUM and known_cards(view) is None:
            return answer_solved([view])[0]
        check_self_play(options)
        return answer_by_policy(bundle_in_use(), view, method == EQUILIBRIUM, count, self.seed)

    def _finish(self, answer: UpcardAnswer, options: TowersAndBowersOptions, method: str | None) -> UpcardAnswer:
        view = self.view
        gone = view.gone & ~(1 << view.up)
        calls = "p" * len(view.calls)
        link = str(LinkedPosition(view.hand, view.up, view.deals, calls, gone=gone, holds=view.opponent_holds))
        policy = "" if answer.rollouts is None else bundle_in_use().digest
        return replace(answer, options=options, method_asked=method, link=link, policy=policy)

    def choose_method(self, options: TowersAndBowersOptions) -> str | None:
        """Return the method that answers if `against` is None; None where the question's method cannot."""
        best = best_method(self.view.n, options)
        return self.method if self.method in (PIMC, SELF_PLAY) else best if self.method in (None, best) else None


def check_self_play(options: TowersAndBowersOptions) -> None:
    """Refuse rules that the learned policy cannot play out.

    Raises:
        TowerlabError: the policy was learned under other rules, or there is none.
    """
    if not rules_are_solved(options):
        why = "it was learned under the default rules"
    elif not is_learned():
        why = other_rules(LEARNED_FILE)
    else:
        return
    fault = TowerlabError(f"--method {SELF_PLAY} cannot answer: {why}; expected the question without it")
    raise blame(fault, "method")


def _answer_solved(views: Sequence[View]) -> list[UpcardAnswer]:
    """Return the solution's answers; views of one size, up-card and seat are looked up together."""
    groups: dict[tuple[int, int, bool], list[int]] = {}
    for place, view in enumerate(views):
        groups.setdefault((view.n, rank_of(view.up), view.deals), []).append(place)
    answers: dict[int, UpcardAnswer] = {}
    for places in groups.values():
        answers |= zip(places, answer_solved([views[place] for place in places]), strict=True)
    return [answers[place] for place in range(len(views))]


def best_method(cards: int, options: TowersAndBowersOptions) -> str:
    """Return the method that answers by default: the solution, else the learned policy, else open cards."""
    if not rules_are_solved(options):
        return PIMC
    if cards > LARGEST_STORED:
        return SELF_PLAY if is_learned() else PIMC
    return EQUILIBRIUM if is_at_hand(cards) else PIMC


def check_size(cards: int, options: TowersAndBowersOptions) -> None:
    """Refuse a hand with more cards than a match has.

    Raises:
        CardError: the hand has too many cards.
    """
    if cards > options.first_n:
        raise blame(CardError(f"{cards} cards in a full hand cannot be; expected 1 to {options.first_n}"), "hand")


def why_open_cards(cards: int, options: TowersAndBowersOptions) -> str:
    """Return why pimc answers a question that asks for no method, and what to do about it."""
    if not rules_are_solved(options):
        return unsolved_words(options)
    return (
        other_rules(LEARNED_FILE) if cards > LARGEST_STORED else missing_words(f"equilibrium of {cards} cards", cards)
    )


def no_solution_error(cards: int, options: TowersAndBowersOptions, method: str) -> TowerlabError:
    """Return the error for a question that asked for a method that cannot answer."""
    why = f"hands of more than {LARGEST_STORED} cards are not solved"
    if cards <= LARGEST_STORED or not rules_are_solved(options):
        why = why_open_cards(cards, options)
    return blame(TowerlabError(f"--method {method} cannot answer: {why}; expected --method pimc or none"), "method")


def ask_upcard(
    *values: str,
    against: object = None,
    options: TowersAndBowersOptions | None = None,
    quiet: bool = True,
    **question: Any,
) -> UpcardAnswer:
    """Return the answer to a question given as texts.

    >>> ask_upcard("JS AS KS 9S AD 10H 9C", "QS", "nondealer").recommend
    'accept'

    Args:
        values, question: the arguments of `read_question`.
        against: the player model of the opponent's calls: a name, or the user's own (`analysis.players.find_player`).
        options: the rules; None for the defaults.
        quiet: no progress on stderr, and no note if pimc answers because nothing better can.

    Raises:
        TowerlabError: as `read_question`, or `against` is no player who can call here.
    """
    player = None if against is None else find_player(against, GAME)
    answer = read_question(*values, **question, against=player).answer(options)
    if answer.method_asked is None and answer.method == PIMC:
        note(f"{why_open_cards(answer.cards, answer.options)}; pimc answers", quiet)
    return answer


def read_question(
    hand: str,
    up: str,
    seat: str,
    *,
    second_round: bool = False,
    method: str | None = None,
    against: Player | None = None,
    rollouts: int | None = None,
    seed: int = 0,
    policy: str = "",
    **known: Unpack[OpponentFacts],
) -> UpcardQuestion:
    """Return a question given as texts, checked.

    Args:
        hand: the 1..7 dealt cards, without the up-card.
        up: the up-card.
        seat: ``"dealer"`` or ``"nondealer"``.
        second_round: whether the up-card has been turned down.
        method: one of `METHODS`, or None for the best one that can answer.
        against: the player model of the opponent's calls: a name of `towerlab players towers-and-bowers`, or a player.
        rollouts: number of deals on which each call is played out; None for the usual number.
        seed: the seed of these deals.
        policy: the folder of the user's own learned policy (`self_play.policies`).
        known: what else is known of the opponent's hand.

    Raises:
        CardError: a card is unknown or named twice, the number of cards is impossible, or the up-card is in the hand.
        TowerlabError: an unknown seat or method, or both a method and a player.
    """
    if (seat := plain_word(seat)) not in SEATS:
        raise blame(TowerlabError(f"unknown seat {seat!r}; expected {' or '.join(SEATS)}"), "seat")
    if method is not None and method not in METHODS:
        raise blame(TowerlabError(f"unknown method {method!r}; expected {' or '.join(METHODS)}"), "method")
    if method is not None and against is not None:
        wrong = f"--method {method} and --against {against} are two ways of bidding; expected one of them"
        raise blame(TowerlabError(wrong), "method", "against")
    held = parse_mask(hand, DECK_24, "the hand")
    if not 1 <= held.bit_count() <= MOST_CARDS:
        count = f"the hand has {held.bit_count()} cards; expected the 1 to {MOST_CARDS} cards dealt"
        raise blame(CardError(count), "hand")
    turned = parse_card(up)
    if not DECK_24 >> turned & 1:
        raise blame(CardError(f"the up-card {card_text(turned)} is not in this game's pack of 24 cards"), "up")
    if held >> turned & 1:
        held_too = f"the up-card {card_text(turned)} is in the hand too; expected the dealt cards without it"
        raise blame(CardError(held_too), "up")
    gone, holds = _read_known(hand, turned, known) if any(known.values()) else (0, 0)
    with at_fault("against"):
        player = stored_player(against, GAME) if isinstance(against, str) else against
    view = calling_view(held, turned, seat == "dealer", second_round, gone & ~held, holds)
    return UpcardQuestion(view, method, player, rollouts, seed, policy)


def _read_known(hand: str, up: int, known: OpponentFacts) -> tuple[int, int]:
    """Return printed masks of the cards that the opponent lacks and holds, read in the way of `claim` and `move`."""
    if not parse_mask(known.get("seen") or "", DECK_24, "the seen cards") >> up & 1:
        known["seen"] = f"{known.get('seen') or ''} {card_text(up)}"
    belief = read_known(hand, "NT", ME, strains=NO_TRUMP + 1, **known).belief
    holds, possible = (int(to_printed(mask, NO_TRUMP, True)) for mask in (belief.own[1], belief.pools[0]))
    return DECK_24 & ~(holds | possible), holds


def _answer_rows(questions: Sequence[Arguments], options: TowersAndBowersOptions) -> Iterator[Row | TowerlabError]:
    """Yield the answer of each row of a table; those that the solution answers are looked up together."""
    read: list[UpcardQuestion | TowerlabError] = [_try_read(question) for question in questions]
    alike = [
        question
        for question in read
        if isinstance(question, UpcardQuestion) and known_cards(question.view) is None and question.against is None
    ]
    best = {cards: best_method(cards, options) for cards in {question.view.n for question in alike}}
    solved = [
        question
        for question in alike
        if question.method in (None, EQUILIBRIUM) and best[question.view.n] == EQUILIBRIUM
    ]
    ready = dict(zip(map(id, solved), _answer_solved([question.view for question in solved]), strict=True))
    for question in read:
        if isinstance(question, TowerlabError):
            yield question
            continue
        try:
            yield question.answer(options, ready.get(id(question)), TABLE_ROLLOUTS).to_row()
        except TowerlabError as error:
            yield error


def _try_read(question: Arguments) -> UpcardQuestion | TowerlabError:
    try:
        return read_question(**question)
    except TowerlabError as error:
        return error


def _sharing_key(cells: Mapping[str, str]) -> str:
    """Return the hand size and rank of the up-card: what bidding is stored by."""
    return f"{len(cells.get('hand', '').replace(',', ' ').split())} {cells.get('up', '').upper().strip(' SHDC♠♥♦♣')}"


_PERCENTS: Final = "accept pass name_S name_H name_D name_C make sweep swept equilibrium likelihood deal_value"
_KINDS: Final = {
    **dict.fromkeys(("cards", "layouts", "rollouts"), "Int64"),
    **dict.fromkeys(("method_used", "recommend"), "string"),
    "margin_points": "Float64",
    **dict.fromkeys((f"{name}_percent" for name in _PERCENTS.split()), "Float64"),
    "tricks": "Float64",
    "discard": "string",
    **dict.fromkeys(("verdict", "as_good"), "string"),
    **dict.fromkeys(("model_error_points", "sample_error_points"), "Float64"),
}
BATCH: Final = BatchQuestion(
    GAME, read_question, _answer_rows, TowersAndBowersOptions, rows=1_000, together=_sharing_key, kinds=_KINDS
)


BIDDERS: Final = (ME, THEM)
OPEN_CARDS: Final = "perfect information"


@dataclass(frozen=True)
class RankedDiscard(Record, keys="card tower cost probability interval? error?"):
    """The value of a discard.

    Attributes:
        card: the card.
        tower: P(the dealer wins the tower) after the discard.
        cost: the cost against the best discard.
        probability: how often the solution or the policy discards the card; None where that is not known.
        interval: the interval of the cost, simultaneous over all cards, where cards were played out.
        error: the standard error of `tower`, where cards were played out.
    """

    card: str
    tower: float
    cost: float
    probability: float | None
    interval: tuple[float, float] | None = None
    error: float | None = None


@dataclass(frozen=True)
class RankedDiscards(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present:discard_report",
    table="discards",
    keys="dealt up bidder layouts exact recommend margin discards values_of rollouts? accuracy?",
):
    """The value of every discard of the dealer, the best first.

    Attributes:
        dealt: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        bidder: ``"me"`` if the dealer accepted, ``"them"`` if the non-dealer did.
        layouts: how many hands of the opponent were counted, all of them.
        discards: the cards, the best first.
        method: one of `METHODS`.
        values_of: the game or model in which the values are exact.
        mix: the equilibrium's mix, else None.
        rollouts: how cards were played out, else None.
    """

    dealt: Mask
    up: CardId
    bidder: str
    layouts: int
    discards: tuple[RankedDiscard, ...]
    method: str
    values_of: str
    mix: Mix | None = None
    rollouts: Rollouts | None = None

    @property
    def accuracy(self) -> Accuracy | None:
        """The error of the equilibrium's values; None by another method."""
        return None if self.mix is None else self.mix.accuracy

    @property
    def accuracy_words(self) -> str:
        """How accurate the costs are, in words."""
        if self.method == SELF_PLAY:
            return "costs with 95 % intervals of the sample; how far the policy's play is from the game's is not known"
        return "exact in this model" if self.mix is None else self.mix.accuracy_words

    @property
    def decision(self) -> Decision[Alternative]:
        """The cards as alternatives, the recommended one first; chances in mt."""
        cards = []
        for ranked in self.discards:
            low, high = ranked.interval or (ranked.cost, ranked.cost)
            cost = Estimate(ranked.cost, low, high, 1).scaled(1000)
            cards.append(Alternative(f"discard {card_symbol(parse_card(ranked.card))}", 1000 * ranked.tower, cost))
        drawn = 0 if self.rollouts is None else self.rollouts.n
        return Decision(tuple(cards), SCALES[GAME], drawn=drawn, draws="deal")

    @property
    def exact(self) -> bool:
        """Whether the values are the game's own."""
        return self.values_of == WHOLE_HAND

    @property
    def cards(self) -> int:
        """Hand size n."""
        return self.dealt.bit_count()

    @property
    def recommend(self) -> str:
        return self.discards[0].card

    @property
    def margin(self) -> float:
        """The least cost above 0; 0 if no card costs anything."""
        return next((ranked.cost for ranked in self.discards if ranked.cost > 0), 0.0)


def ask_discard(
    hand: str,
    up: str,
    bidder: str,
    *,
    method: str | None = None,
    rollouts: int | None = None,
    policy: str = "",
    options: TowersAndBowersOptions | None = None,
) -> RankedDiscards:
    """Return the value of every discard of the dealer.

    Args:
        hand: the dealer's cards as they were dealt.
        up: the up-card.
        bidder: ``"me"`` if the dealer accepted, ``"them"`` if the non-dealer did.
        method: ``"equilibrium"``, ``"self-play"``, ``"pimc"``, or None for the best one that can answer.
        rollouts: number of deals on which each card is played out; None for the usual number.
        policy: the folder of the user's own learned policy; "" for the one that ships.
        options: the rules; None for the defaults.

    Raises:
        TowerlabError: impossible cards, or a method that cannot answer.
    """
    with answer_with(own_bundle(policy)):
        return _rank_discards(hand, up, bidder, method, rollouts, options)


def _rank_discards(
    hand: str, up: str, bidder: str, method: str | None, rollouts: int | None, options: TowersAndBowersOptions | None
) -> RankedDiscards:
    question = read_question(hand, up, "dealer", method=method)
    view = question.view
    options = options or TowersAndBowersOptions()
    check_size(view.n, options)
    model = question.choose_method(options)
    if model is None or (model == SELF_PLAY and not rules_are_solved(options)):
        raise no_solution_error(view.n, options, str(method))
    count = check_rollouts(ROLLOUTS if rollouts is None else rollouts)
    answer = value_discards(view.hand, view.up, bidder == BIDDERS[0], options, model, count)
    if rollouts is not None and answer.rollouts is None:
        raise blame(TowerlabError(f"--rollouts {rollouts} {NOT_PLAYED}"), "rollouts")
    lost = answer.losses()
    mix = answer.mix
    probabilities = answer.policy_mix if mix is None else mix.probabilities if mix.applies else {}
    ends = {card: cost.ends for card, cost in answer.costs.items()}
    ranked = [
        RankedDiscard(card, value, lost.of[card], probabilities.get(card), ends.get(card), answer.errors.get(card))
        for card, value in answer.values.items()
    ]
    position = LinkedPosition(view.hand, view.up, True, "pa" if bidder == BIDDERS[0] else "a")
    return RankedDiscards(
        dealt=view.hand,
        up=view.up,
        bidder=bidder,
        layouts=answer.layouts,
        discards=tuple(sorted(ranked, key=lambda ranked: (ranked.card != lost.best, ranked.cost, -ranked.tower))),
        method=answer.method,
        method_asked=method,
        values_of=mix.values_of if mix is not None else VALUES_OF if answer.policy_mix else OPEN_CARDS,
        mix=mix,
        rollouts=answer.rollouts,
        options=options,
        link=str(position),
        policy="" if answer.rollouts is None else bundle_in_use().digest,
    )


def value_discards(
    hand: int, up: int, asker_bids: bool, options: TowersAndBowersOptions, method: str, count: int = ROLLOUTS
) -> DiscardAnswer:
    """Return the value of each discard.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer accepted.
        options: the rules.
        method: one of `answers.METHODS` that can answer (`best_method`).
        count: the number of deals on which each card is played out.
    """
    if method == SELF_PLAY:
        return discard_played(bundle_in_use(), hand, up, asker_bids, count)
    answer = discard_solved(hand, up, asker_bids) if method == EQUILIBRIUM else None
    return answer or evaluate_discard(hand, up, asker_bids, options)
