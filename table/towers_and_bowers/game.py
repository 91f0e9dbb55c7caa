"""How is Towers & Bowers played at the table? How it is drawn, who plays it, what advises each action.

Bids, discards and plays are advised by the equilibrium where it is at hand (`review.reference`, the same that grades a
match), the last three cards of a hand as they are solved with hidden hands; tricks that can be claimed now by the
prover.

    towerlab play towers-and-bowers --lesson
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.claims.answers import CheckedClaim, ClaimAnswer, ConcessionAnswer
from towerlab.analysis.decision import SCALES
from towerlab.analysis.present import SUIT_NAMES, capital, number_of
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towers_and_bowers.answers import HIDDEN_MODEL, PIMC
from towerlab.analysis.towers_and_bowers.move import PIMC_MODEL, Alternatives, Reference
from towerlab.analysis.towers_and_bowers.open_hands import open_tricks
from towerlab.analysis.towers_and_bowers.position import known_in
from towerlab.analysis.towers_and_bowers.rollouts import ROLLOUTS
from towerlab.games.cards import (
    DECK_24,
    NO_TRUMP,
    SUITS,
    SYMBOLS,
    bower_cards,
    card_symbol,
    card_text,
    card_texts,
    effective_suit,
    mask_cards,
    suit_of,
)
from towerlab.games.engine import Engine, require
from towerlab.games.towers_and_bowers import GAME, Ending, Match, Phase, TowersAndBowersOptions, View
from towerlab.games.towers_and_bowers.dealing import PACK_SIZE
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    SMALLEST_PART,
    hand_result,
    tricks_to_deal_next,
)
from towerlab.games.towers_and_bowers.view import proved_renege
from towerlab.games.transcript import Action
from towerlab.solver.claims.judging import NODES
from towerlab.table.drawing import card_words
from towerlab.table.game import GuidedGame, Numbering, Prompt, TableGame
from towerlab.table.grading import OpenCards
from towerlab.table.rows import (
    card_choice,
    claim_choice,
    does,
    follow_words,
    label_values,
    sentences,
    taken_words,
    texts,
    trick,
    winning,
)
from towerlab.table.scene import (
    ASIDE,
    BOTTOM,
    FACE_DOWN,
    LAST,
    MIDDLE,
    TOP,
    Cards,
    Facts,
    Hand,
    HandEnd,
    Scene,
    trump_names,
)
from towerlab.table.towers_and_bowers.grading import MT
from towerlab.table.towers_and_bowers.review import grade, judge_decisions

_PENALTIES: Final = {
    "take_penalty": "take the tower",
    "decline_penalty": "decline it",
    "offer_undo": "offer to undo the renege",
    "accept_undo": "accept: play on from that trick",
    "decline_undo": "decline the offer",
}
_BIDS: Final = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D)


# ------------------------------------------------------------------------------------------------------- the drawing


def scene(view: View, names: Sequence[str], options: TowersAndBowersOptions) -> Scene:
    """The match as one player sees it."""
    me = view.player
    other = 1 - view.player
    needed = tricks_to_deal_next(view.n, options.hand_rules)
    facts = [("towers", _both(view.towers, me, names)), ("hand", number_of(view.n, "card"))]
    if view.dealer is not None:
        facts.append(("dealer", names[view.dealer]))
    if view.up_card is None:
        return Scene("Towers & Bowers", (Facts(tuple(facts)),))
    if view.bidder is not None:
        trump = "" if view.trump is None else f", {SYMBOLS[view.trump]} trumps"
        facts.append(("bidder", f"{names[view.bidder]}{trump}, needs {needed}"))
        facts.append(("tricks", _both(view.taken, me, names)))
    known = card_texts(mask_cards(view.opponent_holds))
    theirs = Cards(names[other], (*known, *(FACE_DOWN,) * (view.opponent_cards - len(known))))
    order = NO_TRUMP if view.trump is None else view.trump
    mine = Hand("Your hand", texts(view.hand, order, bowers=True), own=True)
    parts: list[Any] = [Facts(tuple(facts)), _seat(theirs, view, other, TOP, needed), _up_card(view)]
    parts += _tricks(view, names)
    parts.append(_seat(mine, view, me, BOTTOM, needed))
    if view.discard is not None:
        parts.append(Cards("You discarded", (card_text(view.discard),), area=ASIDE))
    trumps = {} if view.trump is None else trump_names(view.trump, DECK_24, bowers=True)
    return Scene(f"Towers & Bowers: hand of {view.n}", tuple(parts), trumps=trumps)


def _seat(row: Cards, view: View, seat: int, area: str, needed: int) -> Cards:
    """A player's cards with what is known of the player; a bidder's tricks with those that are `needed`."""
    badges = ["dealer"] * (view.dealer == seat)
    said = [call for call in view.calls if call.player == seat]
    if view.bidder == seat:
        badges.append("bidder" if view.trump is None else f"bid {SYMBOLS[view.trump]}")
    elif said and view.bidder is None:
        badges.append(said[-1].call)
    if view.bidder is not None:
        badges.append(taken_words(view.taken[seat], needed if view.bidder == seat else 0))
    return replace(row, area=area, badges=tuple(badges), due=view.to_act == seat)


def _up_card(view: View) -> Cards:
    assert view.up_card is not None
    calls = [call.call for call in view.calls]
    note = "on offer"
    if "accept" in calls:
        note = "accepted: the dealer's"
    elif calls.count("pass") >= 2:
        note = "turned down"
    return Cards(
        "Up-card", (card_text(view.up_card),), note, area="" if view.phase in (*_BIDS, Phase.DISCARD) else ASIDE
    )


def _tricks(view: View, names: Sequence[str]) -> list[Cards]:
    """The tricks that were played, and the one on the table: while nothing is led the last one."""
    sides = {view.player: BOTTOM, 1 - view.player: TOP}
    before = view.tricks if view.led is not None else view.tricks[:-1]
    cards = tuple(card_text(card) for trick in before for card in (trick.led, trick.reply))
    marked = tuple(2 * place + (trick.winner != trick.leader) for place, trick in enumerate(before))
    parts = [Cards("Played", cards, marked=marked, area=LAST)] if before else []
    if view.led is not None:
        leader = 1 - view.player if view.leader is None else view.leader
        led = (card_text(view.led),)
        parts.append(Cards("On the table", led, f"led by {names[leader]}", area=MIDDLE, areas=(sides[leader],)))
    elif view.tricks:
        last = view.tricks[-1]
        places = [(sides[seat], names[seat]) for seat in range(2)]
        parts.append(trick("Last trick", last.leader, (last.led, last.reply), places, last.winner))
    return parts


def hand_end(view: View, names: Sequence[str], options: TowersAndBowersOptions) -> HandEnd | None:
    """How the hand ended that is just over."""
    outcome = view.outcome
    if outcome is None or view.phase not in (Phase.HAND_OVER, Phase.TOWER_OVER, Phase.MATCH_OVER):
        return None
    suit = "" if view.trump is None else SYMBOLS[view.trump]
    need = tricks_to_deal_next(view.n, options.hand_rules)
    file = "towers_and_bowers/templates/ended.txt"
    said = sentences(file, view=view, names=names, suit=suit, need=need)
    return HandEnd(f"Hand of {view.n}", said, outcome.taken, view.towers, ("tricks", "towers"))


def winner_words(match: Match, names: Sequence[str]) -> str:
    """Who won the match, with the towers of both."""
    result = require(match.result)
    (winner,) = result.winners
    towers = number_of(result.scores[winner], "tower")
    return f"{winning(result.winners, names)} the game, {towers} to {result.scores[1 - winner]}."


def prove(view: View, action: Action) -> ClaimAnswer | ConcessionAnswer:
    """Whether a claim, or a concession, of the player on turn is sound, by what that player has seen."""
    return CheckedClaim(known_in(view), action["tricks"], action["action"] == "concede", NODES).answer()


def _both(pair: tuple[int, int], me: int, names: Sequence[str]) -> str:
    return label_values((names[me], names[1 - me]), (pair[me], pair[1 - me]))


# ------------------------------------------------------------------------------------------------------- the actions


def prompt(view: View, actions: Sequence[Action]) -> Prompt:
    """Return what a player may do now."""
    is_offered = view.penalty is not None and view.penalty.offered
    question = {
        Phase.DISCARD: "Which card do you give for the up-card?",
        Phase.PLAY: _card_question(view),
        Phase.CONSENT: "Do you accept?",
        Phase.PENALTY: "Do you accept that the renege is undone?" if is_offered else "Do you take the tower?",
    }.get(view.phase, _call_question(view, actions) if view.to_act is not None else "The hand is over.")
    return Prompt(question, tuple(_choice(action, view) for action in actions), gives=view.phase == Phase.DISCARD)


def _call_question(view: View, actions: Sequence[Action]) -> str:
    """Return what a call may be."""
    may_pass = ", or pass" * any(action["action"] == "pass" for action in actions)
    if view.phase in (Phase.BID1_ND, Phase.BID1_D) and view.up_card is not None:
        return f"Your call: accept the {card_symbol(view.up_card)}{may_pass}."
    return f"Your call: name trumps{may_pass}."


def _card_question(view: View) -> str:
    """Return what may be played: any card to lead, else what is to be followed."""
    if view.led is None:
        return "Your lead: play any card."
    trump = NO_TRUMP if view.trump is None else view.trump
    return follow_words(effective_suit(view.led, trump, bowers=True), trump, view.hand, bowers=True)


def by_hand(match: Engine[Any, Any], seat: int, rng: np.random.Generator) -> Prompt | None:
    """The cut, and insisting on the tricks that an early stop has left (TB-7, TB-28)."""
    view = match.view(seat)
    if view.phase == Phase.CUT and seat != match.state().dealer:
        cuts = [Choice({"action": "decline_cut", "player": seat}, "do not cut", ("decline",))]
        for position in range(SMALLEST_PART, PACK_SIZE - SMALLEST_PART + 1):
            action = {"action": "cut", "player": seat, "position": position}
            cuts.append(Choice(action, f"cut {position}", (f"cut {position}",)))
        return Prompt("Do you cut the pack?", tuple(cuts))
    has_stopped = view.outcome is not None and view.outcome.ending == Ending.PLAYED
    return prompt(view, match.legal(seat)) if has_stopped and match.can({"action": "insist", "player": seat}) else None


def explain(view: View) -> tuple[str, ...]:
    """Return what a newcomer has to know before a decision: what is on offer, trumps, bowers, following."""
    if view.up_card is None or view.to_act != view.player:
        return ()
    trump = suit_of(view.up_card) if view.trump is None else view.trump
    held = [card for card in mask_cards(view.hand) if effective_suit(card, trump, True) == trump]
    legal = view.legal & view.hand
    led = view.led
    field = None if led is None else effective_suit(led, trump, True)
    follows = led is not None and all(effective_suit(card, trump, True) == field for card in mask_cards(legal))
    right, left = bower_cards(trump)
    phases = {Phase.BID1_ND: "first", Phase.BID1_D: "first", Phase.BID2_ND: "second", Phase.BID2_D: "second"}
    phase = phases.get(view.phase, "discard" if view.phase == Phase.DISCARD else "lead" if led is None else "reply")
    shown = {
        "up": card_symbol(view.up_card),
        "right": card_symbol(right),
        "left": card_symbol(left),
        "trumps": " ".join(map(card_words, texts(sum(1 << card for card in held), trump, True))),
        "led": "" if led is None else card_symbol(led),
        "follows": " or ".join(map(card_words, texts(legal, trump, True))) if follows else "",
        "led_trump": field == trump,
        "left_stays": bool(view.hand >> left & 1) and field == suit_of(left) and led != left,
    }
    need = tricks_to_deal_next(view.n, DEFAULT_RULES)
    file = "towers_and_bowers/templates/lesson.txt"
    is_dealer = view.dealer == view.player
    return sentences(
        file,
        phase=phase,
        suit=SUIT_NAMES[trump],
        one=SUIT_NAMES[trump][:-1],
        n=view.n,
        need=need,
        deals=is_dealer,
        **shown,
    )


def _choice(action: Action, view: View) -> Choice:
    name = str(action["action"])
    if name in ("play", "discard", "correct"):
        choice = card_choice(action)
        return replace(choice, label=name, words=choice.words[1:]) if name == "correct" else choice
    if name == "name":
        suit = str(action["suit"])
        return Choice(action, f"name {SYMBOLS[SUITS.index(suit)]}", (suit, f"name {suit}"))
    if name == "accept":
        trump = SYMBOLS[suit_of(view.up_card or 0)]
        return Choice(action, f"accept ({trump} trumps)", ("accept", "a"))
    if name in ("claim", "concede"):
        return claim_choice(action)
    text = _PENALTIES.get(name, name)
    if name == "accuse":
        text = "accuse of a renege" + (f" in trick {action['trick']}" if "trick" in action else "")
    return Choice(action, text, (name, text))


def _button(choice: Choice, view: View, need: str) -> str:
    """The words of a call's button; empty where they are the call's own."""
    match choice.action["action"]:
        case "accept":
            return f"accept: {SYMBOLS[suit_of(view.up_card or 0)]} trumps, {need}"
        case "name":
            return f"{choice.text}: {need}"
    return ""


def action_line(action: Action, view: View, names: Sequence[str]) -> str | None:
    """Return what happened, as that player may know it."""
    name = str(action["action"])
    if name == "turn":
        return None if view.dealer is None else f"{capital(does(names[view.dealer], 'deal'))} first."
    if name == "deal":
        assert view.up_card is not None and view.dealer is not None
        return f"A hand of {view.n}, dealer: {names[view.dealer]}. Up-card {card_words(card_text(view.up_card))}."
    player = action.get("player")
    if player is None or name in ("shuffle", "shuffle_starter", "cut", "decline_cut"):
        return None
    said = _said(name, action, view, player == view.player)
    return f"{names[player]}: {said}{_ending(view, names)}"


def _said(name: str, action: Action, view: View, is_own: bool) -> str:
    if name == "discard":
        return f"discard {card_words(action['card'])}" if is_own else "discard, face down"
    if name == "play":
        trick = view.tricks[-1] if view.tricks and view.led is None else None
        return card_words(action["card"]) + ("" if trick is None else " (wins)" * (trick.winner == action["player"]))
    return _choice(action, view).text


def _ending(view: View, names: Sequence[str]) -> str:
    outcome = view.outcome
    if outcome is None:
        return ""
    tricks = _both(outcome.taken, view.player, names)
    if outcome.tower_to is not None:
        return f". Tricks {tricks}. {capital(does(names[outcome.tower_to], 'take'))} the tower."
    if outcome.next_dealer is not None:
        return f". Tricks {tricks}. {capital(does(names[outcome.next_dealer], 'deal'))} next."
    return ". Thrown in."


# ------------------------------------------------------------------------------------------------------- the players


# -------------------------------------------------------------------------------------------------------- the advice


def advise(view: View, options: TowersAndBowersOptions, seed: int = 0, layouts: int | None = None) -> Advice | None:
    """The value of each action to that player, by what can be known: P(win the tower) in mt."""
    renege = proved_renege(view) if options.enforces_reneges else None
    if view.to_act != view.player:
        return None if view.to_act is not None or renege is None else _accusing(view, renege, options)
    reference = _reference(options)
    if view.phase == Phase.PLAY:
        advice = reference.move(view, layouts or ROLLOUTS).advice(lambda action: _choice(action, view), view.player)
        if renege is not None:
            return _accusing(view, renege, options, advice)
        return advice
    if view.phase in _BIDS:
        graded = reference.bid(view, view.phase in (Phase.BID2_ND, Phase.BID2_D))
    elif view.phase == Phase.DISCARD:
        graded = reference.discard(view)
    else:
        return None
    best = graded.values[graded.best]
    listed = [_advised(word, view, graded, best) for word in graded.values]
    listed.sort(key=lambda option: (option.cost.mean, -option.value, option.text))
    model = PIMC_MODEL if graded.reference == PIMC else HIDDEN_MODEL
    return Advice(tuple(listed), SCALES[GAME], graded.basis_words, model=model, remark=graded.reason)


def _accusing(view: View, trick: int, options: TowersAndBowersOptions, plays: Advice | None = None) -> Advice:
    """To accuse of a renege that the cards prove takes the tower (TB-24); a card costs what is short of that."""
    action = _accusation(view, trick, options)
    taken = AdvisedAction(_choice(action, view).text, MT, Estimate(0.0, 0.0, 0.0, 1), action, "100.0 %")
    lost = ((option, MT - option.value) for option in (plays.alternatives if plays else ()))
    others = (replace(option, cost=Estimate(cost, cost, cost, option.cost.n)) for option, cost in lost)
    how = f"The cards prove a renege in trick {trick}: the accusation takes the tower."
    if plays is None:
        return Advice((taken,), SCALES[GAME], "exact: proved by the cards", model="the rules (TB-24)", remark=how)
    return replace(plays, alternatives=(taken, *others), remark=how)


def _accusation(view: View, trick: int, options: TowersAndBowersOptions) -> Action:
    named = {"trick": trick} if options.accuse_scope == "trick" else {}
    return {"action": "accuse", "player": view.player, **named}


@functools.lru_cache(maxsize=8)
def _reference(options: TowersAndBowersOptions) -> Reference:
    return Reference(options)


def _advised(word: str, view: View, graded: Alternatives, best: float) -> AdvisedAction:
    action = action_of(word, view.player)
    value = graded.values[word]
    return AdvisedAction(_choice(action, view).text, MT * value, graded.cost(word, MT), action, f"{100 * value:.1f} %")


def open_cards(match: Match, seat: int) -> OpenCards | None:
    """Return what a player makes of the hand with all cards seen: it is won by taking the tower or dealing next."""
    state = match.state()
    hand = state.hand
    if hand is None or hand.bidder is None:
        return None
    over = hand.outcome
    if over is not None:
        if over.next_dealer is None and over.tower_to is None:
            return None  # thrown in
        value = MT * _reference(match.options).value_of_outcome(hand.n, over, seat)
        taken = over.taken[seat]
        return OpenCards(seat in (over.tower_to, over.next_dealer), number_of(taken, "trick"), taken, value)
    if state.phase not in (Phase.PLAY, Phase.CONSENT):
        return None
    tricks = open_tricks(hand, seat)
    bidder = tricks if seat == hand.bidder else hand.n - tricks
    bidder_wins = int(hand_result(hand.n, bidder, match.options.hand_rules)) in (BIDDER_SWEEPS, BIDDER_DEALS)
    return OpenCards(bidder_wins == (seat == hand.bidder), number_of(tricks, "trick"), tricks)


def action_of(word: str, player: int) -> Action:
    """The record of an alternative in the words of a review: ``"name S"``, ``"discard 9D"``, ``"pass"``."""
    name, _, rest = word.partition(" ")
    key = {"name": "suit", "discard": "card", "play": "card"}.get(name)
    return {"action": name, "player": player} | ({key: rest} if key else {})


class TowersAndBowersTableGame(TableGame):
    """Towers & Bowers at the table."""

    name = GAME
    about = (
        "Choose trumps and take more than half of the tricks. Hands shrink from seven cards to one. "
        "Two players, about 15 minutes."
    )
    scene = staticmethod(scene)
    prompt = staticmethod(prompt)
    action_line = staticmethod(action_line)
    advise = staticmethod(advise)
    numbering = Numbering(
        cards=frozenset({"hand", "legal", "gone", "opponent_holds"}),
        lengths={"calls": (4,), "tricks": (7,), "opponent_voids": (4,), "turned": (24,)},
        words=lambda: SUITS,
    )
    hindsight = staticmethod(open_cards)
    grade = staticmethod(grade)
    judge = staticmethod(judge_decisions)
    hand_end = staticmethod(hand_end)
    winner_words = staticmethod(winner_words)
    prove = staticmethod(prove)
    against = "learned:14"
    by_hand = staticmethod(by_hand)
    puzzles = MappingProxyType({"call": 44, "discard": 24, "card": 32})
    puzzle_starts = tuple({"cards": [cards], "dealer": [dealer]} for cards in (2, 3, 4) for dealer in (0, 1))
    lesson = GuidedGame(("first_n=3", "towers_to_win=1"), "beginner", 157, explain)

    def ask(self, engine: Engine[Any, Any], seat: int) -> Prompt:
        """Return the question as every game does; the buttons of calls say how many tricks the bidder then needs."""
        prompt = super().ask(engine, seat)
        view = engine.view(seat)
        if view.phase not in _BIDS:
            return prompt
        need = f"you need {tricks_to_deal_next(view.n, engine.options.hand_rules)} of {view.n}"
        choices = (replace(choice, button=_button(choice, view, need)) for choice in prompt.choices)
        return replace(prompt, choices=tuple(choices))

    def place(self, view: View, action: Action, deal: int, turn: int) -> str:
        """Return the place of an action: ``"hand 2 (6 cards), trick 3"``."""
        hand, comma, where = super().place(view, action, deal, turn).partition(", ")
        return f"{hand} ({number_of(view.n, 'card')}){comma}{where}" if view.n else f"{hand}{comma}{where}"

    def interruption(self, view: View, options: TowersAndBowersOptions) -> Action | None:
        """Return an accusation of a renege that the cards prove (TB-24)."""
        trick = proved_renege(view) if options.enforces_reneges else None
        return None if trick is None else _accusation(view, trick, options)

    def rests_on(self, engine: Engine[Any, Any], action: Action) -> int | None:
        """Return the accused where some cards are unseen, the claimant where claims are verified (TB-24, TB-29)."""
        hand = engine.state().hand
        if action["action"] == "accuse":
            accused = 1 - int(action["player"])
            return accused if hand is not None and hand.hands[accused] else None
        is_judged = action["action"] in ("claim", "concede") and engine.options.claims == "verified"
        return int(action["player"]) if is_judged else None

    def is_proved(self, engine: Engine[Any, Any], action: Action) -> bool:
        state = engine.state()
        if action["action"] == "accuse":
            return state.penalty is not None and state.penalty.trick is not None
        return state.claim is None


TABLE: Final = TowersAndBowersTableGame()
