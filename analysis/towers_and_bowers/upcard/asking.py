"""Should I accept the up-card? Questions as texts, checked, and answered by the model that was asked for.

``--method equilibrium``, the default where a solution is at hand: the opponent bids as in the equilibrium with hidden
hands (`analysis.towers_and_bowers.upcard.weighted`); ``--method pimc``: both see all cards after the call
(`analysis.towers_and_bowers.upcard.open_cards`); ``--against PLAYER``: they bid as that player
(`analysis.towers_and_bowers.upcard.against`). These three count every hand the opponent can hold. ``--method
self-play``: two of the learned policy, cards hidden to the end (`analysis.towers_and_bowers.upcard.self_play`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Unpack

from towerlab.analysis.players import Player, find_player, stored_player
from towerlab.analysis.present.faults import at_fault, blame
from towerlab.analysis.present.progress import note
from towerlab.analysis.question_tables import Arguments, Many, Row
from towerlab.analysis.towers_and_bowers.knowledge import ME, OfHand, read_known
from towerlab.analysis.towers_and_bowers.solutions.bidding import none_at_hand, rules_are_solved, unsolved
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    METHODS,
    SEATS,
    SELF_PLAY,
    BidderView,
    KnownCards,
    UpcardAnswer,
)
from towerlab.analysis.towers_and_bowers.upcard.open_cards import evaluate_view
from towerlab.analysis.towers_and_bowers.upcard.weighted import answer_equilibria, answer_knowing
from towerlab.games.cards import DECK_24, NO_TRUMP, card_text, parse_card, parse_mask, to_printed
from towerlab.games.errors import CardError, TowerlabError, plain_word
from towerlab.games.towers_and_bowers import GAME, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.links import LinkedPosition
from towerlab.solver.two_hands.tablebase import MOST_CARDS


@dataclass(frozen=True)
class UpcardQuestion(BidderView):
    """A checked bidding decision.

    Attributes:
        method: one of `METHODS`, `SELF_PLAY`, or None for the best there is.
        against: a player whose way of bidding is answered, or None.
    """

    method: str | None = None
    against: Player | None = None

    def answer(self, options: TowersAndBowersOptions | None = None, found: UpcardAnswer | None = None) -> UpcardAnswer:
        """Count every layout; see the module's text for the models.

        Args:
            options: the rules.
            found: the equilibrium's answer, or the learned policy's, if somebody has it.

        Raises:
            TowerlabError: rules that `against`, or the method asked for, does not cover.
        """
        options = options or TowersAndBowersOptions()
        check_size(self.cards, options)
        if self.method == SELF_PLAY:
            from towerlab.analysis.towers_and_bowers.upcard.self_play import answer_self_play, check_self_play

            check_self_play(self, options)
            return self._asked(found or answer_self_play([self])[0], options, SELF_PLAY)
        if self.against is not None:
            from towerlab.analysis.towers_and_bowers.upcard.against import (
                answer_against,  # the only one that needs a simulator
            )

            return self._asked(answer_against(self, options, self.against), options, "against")
        if found is None and self.wants_equilibrium(options):
            found = answer_equilibria([self])[0] if self.known is None else answer_knowing(self)
        if found is None and self.method == "equilibrium":
            raise no_equilibrium(self.cards, options)
        return self._asked(found or evaluate_view(self, options), options, self.method)

    def _asked(self, answer: UpcardAnswer, options: TowersAndBowersOptions, method: str | None) -> UpcardAnswer:
        known = self.known or KnownCards(0, 0)
        gone, calls = known.lacks & ~(self.hand | 1 << self.up), "p" * (self.dealer + 2 * self.second_round)
        link = str(LinkedPosition(self.hand, self.up, self.dealer, calls, gone=gone, holds=known.holds))
        return replace(answer, options=options, method_asked=method, link=link)

    def wants_equilibrium(self, options: TowersAndBowersOptions) -> bool:
        """Whether the equilibrium answers, where one is at hand."""
        return self.against is None and self.method in (None, "equilibrium") and rules_are_solved(options)


def check_size(cards: int, options: TowersAndBowersOptions) -> None:
    """Refuse a hand larger than a match has.

    Raises:
        CardError: it says how many cards a hand has.
    """
    if cards > options.first_n:
        raise blame(CardError(f"{cards} cards in a full hand cannot be; expected 1 to {options.first_n}"), "hand")


def why_no_equilibrium(cards: int, options: TowersAndBowersOptions) -> str:
    """Why a question was not answered from an equilibrium, and what to do about it."""
    if not rules_are_solved(options):
        return unsolved(options)
    return none_at_hand(f"equilibrium of {cards} cards", cards)


def no_equilibrium(cards: int, options: TowersAndBowersOptions) -> TowerlabError:
    """Return the error for a question that asked for an equilibrium which is not at hand."""
    why = why_no_equilibrium(cards, options)
    return blame(TowerlabError(f"--method equilibrium cannot answer: {why}; expected --method pimc or none"), "method")


def ask_upcard(
    *values: str,
    against: object = None,
    rollouts: int | None = None,
    seed: int = 0,
    options: TowersAndBowersOptions | None = None,
    quiet: bool = True,
    **question: Any,
) -> UpcardAnswer:
    """Answer a question given as texts.

    >>> ask_upcard("JS AS KS 9S AD 10H 9C", "QS", "nondealer").recommend
    'accept'

    Args:
        values, question: the arguments of `read_question`.
        against: the player whose bids are answered: a name, or one of the user's (`analysis.players.find_player`).
        rollouts: deals on which the learned policy plays every call out, beside the answer.
        seed: of the rollouts.
        options: the rules.
        quiet: no progress on stderr, and no note if pimc answers for want of an equilibrium.

    Raises:
        TowerlabError: as `read_question`, or `against` is no player who can bid here.
    """
    player = None if against is None else find_player(against, GAME)
    asked = read_question(*values, **question, against=player)
    answer = asked.answer(options)
    if rollouts is not None:
        from towerlab.analysis.towers_and_bowers.upcard.self_play import check_self_play, play_calls

        check_self_play(asked, answer.options, f"--rollouts {rollouts}")
        answer = replace(answer, rollouts=play_calls(asked, rollouts, seed, quiet))
    if answer.method_asked is None and answer.method != "equilibrium":
        note(f"{why_no_equilibrium(answer.cards, answer.options)}; pimc answers", quiet)
    return answer


def read_question(
    hand: str,
    up: str,
    seat: str,
    *,
    second_round: bool = False,
    method: str | None = None,
    against: Player | None = None,
    **known: Unpack[OfHand],
) -> UpcardQuestion:
    """Check a question given as texts.

    Args:
        hand: the 1..7 dealt cards, without the up-card.
        up: the up-card.
        seat: ``"dealer"`` or ``"nondealer"``.
        second_round: the up-card has been turned down; which suit to name, or pass?
        method: how the other plays, one of `METHODS` or `SELF_PLAY`; None for the equilibrium where it is at hand.
        against: the player whose bids are answered, of `towerlab players towers-and-bowers` or found before.
        known: what else is known of the opponent's hand.

    Raises:
        CardError: an unknown card, one named twice, an impossible number of cards, the up-card in the hand.
        TowerlabError: an unknown seat or method, or a method beside a player.
    """
    if (seat := plain_word(seat)) not in SEATS:
        raise blame(TowerlabError(f"unknown seat {seat!r}; expected {' or '.join(SEATS)}"), "seat")
    methods = (*METHODS, SELF_PLAY)
    if method is not None and method not in methods:
        raise blame(TowerlabError(f"unknown method {method!r}; expected {' or '.join(methods)}"), "method")
    if method is not None and against is not None:
        raise blame(
            TowerlabError(f"--method {method} and --against {against} are two ways of bidding; expected one of them"),
            "method",
            "against",
        )
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
    cards = _read_known(hand, turned, known) if any(known.values()) else None
    with at_fault("against"):
        player = stored_player(against, GAME) if isinstance(against, str) else against
    return UpcardQuestion(held, turned, seat == "dealer", second_round, cards, method, player)


def _read_known(hand: str, up: int, known: OfHand) -> KnownCards:
    """As `claim` and `move` read it; nothing is trump yet."""
    if not parse_mask(known.get("seen") or "", DECK_24, "the seen cards") >> up & 1:
        known["seen"] = f"{known.get('seen') or ''} {card_text(up)}"
    belief = read_known(hand, "NT", ME, strains=NO_TRUMP + 1, **known).belief
    holds, possible = (int(to_printed(mask, NO_TRUMP, True)) for mask in (belief.own[1], belief.pools[0]))
    return KnownCards(holds, DECK_24 & ~(holds | possible))


def _answers(asked: Sequence[Arguments], options: TowersAndBowersOptions) -> Iterator[Row | TowerlabError]:
    """Rows of a table, as `read_question` and `UpcardQuestion.answer` answer each; those of a method all at once."""
    read = [_read(one) for one in asked]
    questions = [one for one in read if isinstance(one, UpcardQuestion) and one.known is None]
    wanting = [one for one in questions if one.wants_equilibrium(options)]
    ready = dict(zip(map(id, wanting), answer_equilibria(wanting), strict=True))
    learned = [one for one in questions if one.method == SELF_PLAY]
    if learned and rules_are_solved(options):
        from towerlab.analysis.towers_and_bowers.upcard.self_play import answer_self_play
        from towerlab.solver.towers_and_bowers.self_play.contract_values import TAUGHT

        learned = [one for one in learned if one.cards in TAUGHT]
        ready |= zip(map(id, learned), answer_self_play(learned), strict=True)
    for question in read:
        if isinstance(question, TowerlabError):
            yield question
            continue
        try:
            yield question.answer(options, ready.get(id(question))).to_row()
        except TowerlabError as error:
            yield error


def _read(one: Arguments) -> UpcardQuestion | TowerlabError:
    try:
        return read_question(**one)
    except TowerlabError as error:
        return error


def _together(cells: Mapping[str, str]) -> str:
    """Hand size and rank of the up-card: what bidding is stored by."""
    return f"{len(cells.get('hand', '').replace(',', ' ').split())} {cells.get('up', '').upper().strip(' SHDC♠♥♦♣')}"


_PERCENTS: Final = "accept pass name_S name_H name_D name_C make sweep swept equilibrium likelihood deal_value"
_KINDS: Final = {
    **dict.fromkeys(("cards", "layouts"), "Int64"),
    **dict.fromkeys(("method_used", "recommend"), "string"),
    "margin_points": "Float64",
    **dict.fromkeys((f"{name}_percent" for name in _PERCENTS.split()), "Float64"),
    "tricks": "Float64",
    "discard": "string",
    **dict.fromkeys(("indifferent", "too_close"), "boolean"),
    **dict.fromkeys(("model_error_points", "turned_percent"), "Float64"),
    "turned_hands": "Int64",
}
MANY: Final = Many(GAME, read_question, _answers, TowersAndBowersOptions, rows=1_000, together=_together, kinds=_KINDS)
