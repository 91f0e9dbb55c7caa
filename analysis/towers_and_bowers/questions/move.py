"""`towerlab move towers-and-bowers`: which card do I play? The advice at the table, and what reviews grade plays by.

>>> answer = ask_move("AH 9S", "H", "me", lead="me")
>>> answer.best.card, answer.layouts
('AH', 231)

`ask_link` answers whatever a linked position asks (`towerlab open LINK`); `games.towers_and_bowers.links` reads and
writes links.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias, Unpack

from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
from towerlab.analysis.knowledge import Knowledge
from towerlab.analysis.moves.answers import MoveAnswer, many_moves
from towerlab.analysis.moves.weighing import asked_view, check_turn, tricks_before
from towerlab.analysis.towers_and_bowers.claims import judge_claim
from towerlab.analysis.towers_and_bowers.endings import HIDDEN_CARDS
from towerlab.analysis.towers_and_bowers.position import ME, THEM, Known, read_known
from towerlab.analysis.towers_and_bowers.questions.alternatives import HIDDEN, Reference
from towerlab.analysis.towers_and_bowers.questions.answers import EQUILIBRIUM, PIMC, SELF_PLAY, UpcardAnswer
from towerlab.analysis.towers_and_bowers.questions.discard import RankedDiscards, ask_discard
from towerlab.analysis.towers_and_bowers.questions.upcard import ask_upcard
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS, TABLE_ROLLOUTS
from towerlab.games.cards import DECK_24, card_text, first_card, mask_text, parse_card, parse_mask, suit_of, to_printed
from towerlab.games.errors import TowerlabError, blame, plain_word
from towerlab.games.towers_and_bowers import GAME, Phase, TowersAndBowersOptions, View
from towerlab.games.towers_and_bowers.links import position_asked, position_of, read_link
from towerlab.games.towers_and_bowers.records import Trick
from towerlab.games.towers_and_bowers.rules import card_led_wins
from towerlab.solver.towers_and_bowers.self_play.bundle import bundle_in_use, own_bundle, playing_by


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
        with playing_by(own_bundle(policy)):
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
    with playing_by(own_bundle(policy)):
        answer = _answer(view, options, method, rollouts, usual_rollouts)
    position = position_asked(hand, str(trump), known, lead, bidder, up, cards, won)
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
    assert view.up_card is not None
    seen = parse_mask(known.get("seen", "")) & ~(knowledge.played[0] | knowledge.played[1])
    takes = view.dealer == view.player and suit_of(view.up_card) == knowledge.trump
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
