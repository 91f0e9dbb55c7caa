"""How is Towie played at the table, as `towerlab play towie` shows it? How it is drawn, who plays it, what advises each
action.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
from towerlab.analysis.decision import SCALES
from towerlab.analysis.present import number_of
from towerlab.analysis.stats import level_at
from towerlab.analysis.towie.bid import judge_auction
from towerlab.analysis.towie.calls import TowieQuestion
from towerlab.analysis.towie.claims import judge_claim, question_of
from towerlab.analysis.towie.contracts import LEFT, ME, RIGHT, TowieStakes
from towerlab.analysis.towie.move import FIRST_LAYOUTS as CARD_LAYOUTS
from towerlab.analysis.towie.move import move_of
from towerlab.games.cards import DECK_52, NO_TRUMP, SUITS, SYMBOLS, card_texts, effective_suit, mask_cards, suit_of
from towerlab.games.engine import CARDS, Engine, Reader, require
from towerlab.games.towie.auction import CALLERS, REDOUBLE, call_text, parse_call
from towerlab.games.towie.dealing import DEALER, DUMMY, EXPOSED, HAND_SIZE, HANDS, check_pack, hand_at
from towerlab.games.towie.engine import GAME, Towie
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Phase, View, call_symbol, deal_to_pbn
from towerlab.games.transcript import Action
from towerlab.sim.towie.seats import tricks_to_come
from towerlab.table.drawing import card_words
from towerlab.table.game import Numbering, Pick, Prompt, TableGame
from towerlab.table.grading import OpenCards
from towerlab.table.rows import (
    auction,
    card_choice,
    claim_choice,
    does,
    follow_words,
    gains,
    label_values,
    sentences,
    texts,
    tricks,
    words,
)
from towerlab.table.scene import FACE_DOWN, TOP, Cards, Facts, Hand, HandEnd, Scene, side_of, trump_names

BID_MODEL: Final = (
    "the others call as novices while you pass or double; then all see all cards (double-dummy); a goulash counts 0"
)


# ------------------------------------------------------------------------------------------------------- the drawing


def scene(view: View, names: Sequence[str], options: TowieOptions) -> Scene:
    """Return the game as one player sees it."""
    totals = [
        f"{points}" + f" ({number_of(games, 'game')})" * (games > 0)
        for points, games in zip(view.ledger, view.games, strict=True)
    ]
    facts = [("points", label_values(names, totals)), ("dealer", names[view.active[view.dealer]])]
    vulnerable = [name for name, games in zip(names, view.games, strict=True) if games]
    facts.append(("vulnerable", ", ".join(vulnerable) or "nobody"))
    if view.waiting:
        facts.append(("waiting", ", ".join(names[player] for player in view.waiting)))
    players = _players(view)
    if view.contract is not None:
        declarer = names[players[view.contract.declarer]]
        won = sum(trick.winner % 2 == 0 for trick in view.tricks)
        need = view.contract.needed
        facts.append(("contract", f"{view.contract.symbol} by {declarer}, needs {number_of(need, 'trick')}"))
        facts.append(("tricks", f"declarer {won}, defenders {len(view.tricks) - won}"))
    if view.goulashes:
        facts.append(("goulashes", str(view.goulashes)))
    parts: list[Any] = [Facts(tuple(facts))]
    if view.exposed or view.dummy is not None:
        parts += [_others(view, hand, names) for hand in range(CALLERS) if hand != view.caller]
        parts.append(_seat(_dummy(view), view, DUMMY))
    if view.calls and view.contract is None:
        parts.append(auction([names[player] for player in players], list(map(call_symbol, view.calls))))
    parts += tricks(view.tricks, view.leader, view.plays, lambda: _places(view, names))
    trump = NO_TRUMP if view.contract is None else view.contract.strain
    if view.caller is not None:
        parts.append(_seat(Hand("Your hand", texts(view.hand, trump), own=True), view, view.caller))
    return Scene("Towie", tuple(parts), trumps=trump_names(trump, DECK_52, bowers=False))


def _players(view: View) -> tuple[int, ...]:
    """Return the players by caller: the dealer, the left, the right; of a deal that is over as they were."""
    active = view.active
    dealer = view.dealer
    score = view.score
    if score is not None:
        active = (*(score.player if player == score.entered else player for player in active),)  # type: ignore[assignment]
        dealer = active.index(score.player) - score.contract.declarer
    return tuple(active[(dealer + caller) % CALLERS] for caller in range(CALLERS))


def _sides(view: View) -> dict[int, str]:
    """Return the side of the table where each hand lies, dummy's opposite while it is bid for."""
    me = view.caller or 0
    if view.contract is None:
        return {(me + step) % CALLERS: side_of(step, CALLERS) for step in range(CALLERS)} | {DUMMY: TOP}
    order = [int(hand_at(position, view.contract.declarer)) for position in range(HANDS)]
    return {hand: side_of(place - order.index(me), HANDS) for place, hand in enumerate(order)}


def _others(view: View, hand: int, names: Sequence[str]) -> Cards:
    """Return the cards of another player, face down."""
    left = HAND_SIZE - len(view.tricks)
    if view.contract is not None and view.leader is not None:
        played = ((view.leader + step) % HANDS for step in range(len(view.plays)))
        left -= hand in {int(hand_at(position, view.contract.declarer)) for position in played}
    shown = texts(view.shown[hand], NO_TRUMP if view.contract is None else view.contract.strain)
    return _seat(Cards(names[_players(view)[hand]], shown or (FACE_DOWN,) * left), view, hand)


def _seat(row: Cards, view: View, hand: int) -> Cards:
    """Return a hand with what is known of its player."""
    badges = list[str]()
    due = view.contract is not None and view.leader is not None and view.to_act is not None
    if due and view.contract is not None and view.leader is not None:
        due = int(hand_at((view.leader + len(view.plays)) % HANDS, view.contract.declarer)) == hand
    if hand != DUMMY:
        player = _players(view)[hand]
        due = due or (view.contract is None and view.to_act == player)
        badges = ["vulnerable"] * bool(view.games[player])
        if view.contract is None:
            badges += ["dealer"] * (hand == DEALER) + [call_symbol(call) for call in view.calls[hand::CALLERS][-1:]]
        elif view.contract.declarer == hand:
            won = sum(trick.winner % 2 == 0 for trick in view.tricks)
            badges += [f"plays {view.contract.symbol}", f"{won} of {max(won, view.contract.needed)} tricks"]
    return replace(row, area=_sides(view)[hand], badges=tuple(badges), due=due)


def hand_end(view: View, names: Sequence[str], options: TowieOptions) -> HandEnd | None:
    """Return how the deal ended that is just over."""
    score = view.score
    if score is None:
        return None
    said = sentences("templates/ended-towie.txt", score=score, view=view, names=names, is_next=view.phase == Phase.DEAL)
    gains = tuple(
        score.declarer_points if player == score.player else score.opponent_points for player in range(len(names))
    )
    return HandEnd("Deal", said, gains, view.ledger, ("points", "points"))


def _dummy(view: View) -> Cards:
    trump = NO_TRUMP if view.contract is None else view.contract.strain
    if view.dummy is not None:
        plays = view.contract is not None and view.caller == view.contract.declarer and view.to_act == view.player
        return Cards("Dummy", texts(view.dummy, trump), own=plays)
    return Cards("Dummy", (*texts(view.exposed, trump), *(FACE_DOWN,) * 7))


def _places(view: View, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the side of the table and the name of each hand, in the order of play from declarer's left on."""
    hands = [int(hand_at(position, require(view.contract).declarer)) for position in range(HANDS)]
    sides = _sides(view)
    players = _players(view)
    return [(sides[hand], "dummy" if hand == DUMMY else names[players[hand]]) for hand in hands]


# ------------------------------------------------------------------------------------------------------- the actions


def prompt(view: View, actions: Sequence[Action]) -> Prompt:
    """Return what a player may do now."""
    question = "Your call: bid how many tricks above six you take and the trumps, or pass."
    source = ""
    if view.phase == Phase.CLAIM:
        question = "Do you agree?"
    elif view.contract is not None and view.leader is not None:
        source = "dummy" if (view.leader + len(view.plays)) % HANDS == 2 else ""
        question = f"{'Dummy leads' if source else 'Your lead'}: play any card."
        if view.plays:
            trump = view.contract.strain
            hand = require(view.dummy) if source else view.hand
            led = effective_suit(view.plays[0], trump, bowers=False)
            owner = "dummy has" if source else "you have"
            question = "From dummy. " * bool(source) + follow_words(led, trump, hand, bowers=False, owner=owner)
    return Prompt(question, tuple(map(_choice, actions)), source=source)


def _choice(action: Action) -> Choice:
    if action["action"] == "call":
        text = call_symbol(parse_call(action["call"]))
        words = (action["call"], text, *({"pass": ("p",)}.get(action["call"], ())))
        return Choice(action, text, words, cell=(text[0], text[1:]) if text[0].isdigit() else None)
    if action["action"] in ("claim", "concede"):
        return claim_choice(action)
    if action["action"] in ("consent", "insist", "sort"):
        text = " ".join((action["action"], *map(card_words, action.get("pile", ()))))
        return Choice(action, text, (text,))
    return card_choice(action)


def by_hand(game: Towie, seat: int, rng: np.random.Generator) -> Prompt | None:
    """Return the prompt to face dummy's six without looking, or to sort hands for a goulash (TO-3, TO-9)."""
    deal = game.state().deal
    if game.phase == Phase.EXPOSE and seat == game.dealer:
        lying = rng.permutation(mask_cards(require(deal).dealt[DUMMY])).tolist()

        def face(places: Sequence[str]) -> Action:
            cards = card_texts(sorted(lying[int(place) - 1] for place in places))
            return {"action": "expose", "player": seat, "cards": cards}

        places = tuple(map(str, range(1, HAND_SIZE + 1)))
        return Prompt("Which six of dummy's cards do you turn up?", (), Pick(places, EXPOSED, EXPOSED, face, "turn up"))
    if game.phase != Phase.GOULASH or deal is None or seat not in deal.players:
        return None
    hands = [deal.players.index(seat), *[DUMMY] * (seat == game.dealer)]
    hand = next((place for place in hands if not deal.sorted[place]), None)
    if hand is None:
        return None
    suits = {SUITS[suit_of(card)] for card in mask_cards(deal.hands[hand])}
    ways = [_sorting(seat, deal.hands[hand], "".join(order)) for order in itertools.permutations(sorted(suits))]
    held = words(texts(deal.hands[hand]))
    owner = f"dummy's hand, {held}," if hand == DUMMY else "your hand"
    return Prompt(f"Sort {owner} for the goulash: which suits from the top?", tuple(ways))


def _sorting(seat: int, hand: int, order: str) -> Choice:
    cards = sorted(mask_cards(hand), key=lambda card: (order.index(SUITS[suit_of(card)]), -card))
    text = " ".join(SYMBOLS[SUITS.index(suit)] for suit in order)
    return Choice({"action": "sort", "player": seat, "pile": card_texts(cards)}, text, (order,))


def prove(view: View, action: Action) -> ClaimAnswer | ConcessionAnswer:
    """Return whether a claim, or a concession, of a player is sound, by what that player has seen."""
    return judge_claim(**question_of(view), tricks=action["tricks"], concede=action["action"] == "concede")


def action_line(action: Action, view: View, names: Sequence[str]) -> str | None:
    """Return what happened, as that player may know it."""
    kind = action["action"]
    if kind == "deal":
        return f"A new deal, dealer: {names[view.active[view.dealer]]}."
    if kind == "expose":
        return f"Dummy's six: {words(texts(view.exposed))}"
    if kind == "goulash":
        return "No game contract: a goulash."
    player = action["player"]
    if kind == "sort":
        return f"{names[player]}: a hand is sorted"
    if kind in ("claim", "concede", "insist") or (kind == "consent" and view.claimant is not None):
        return f"{names[player]}: {_choice(action).text}"
    if kind == "call":
        won = ""
        if view.contract is not None:
            won = f". Contract: {view.contract.symbol} by {names[_players(view)[view.contract.declarer]]}."
        return f"{names[player]}: {call_symbol(parse_call(action['call']))}{won}"
    if kind == "consent":
        return f"{names[player]}: consent. {_outcome(view)}"
    taken = (
        ""
        if view.plays or not view.tricks
        else f" ({does(_places(view, names)[view.tricks[-1].winner][1], 'take')} the trick)"
    )
    leader, played = (view.leader, view.plays) if view.plays else (view.tricks[-1].leader, view.tricks[-1].cards)
    who = "dummy" if ((leader or 0) + len(played) - 1) % HANDS == 2 else names[player]
    score = view.score
    if score is None:
        return f"{who}: {card_words(action['card'])}{taken}"
    return f"{who}: {card_words(action['card'])}. {_outcome(view)}"


def _outcome(view: View) -> str:
    score = view.score
    assert score is not None
    points = gains(("declarer", "the others"), (score.declarer_points, score.opponent_points))
    return f"{score.contract.symbol} {'made' if score.made else 'down'}: {points}."


# -------------------------------------------------------------------------------------------------------- the advice


def advise(view: View, options: TowieOptions, seed: int = 0, layouts: int | None = None) -> Advice | None:
    """Return the value of each action in points, as far as that player can know."""
    if view.to_act != view.player or view.caller is None:
        return None
    if view.phase == Phase.AUCTION:
        return _advise_call(view, options, seed, layouts)
    if view.phase not in (Phase.LEAD, Phase.PLAY):
        return None
    level = level_at(layouts, CARD_LAYOUTS)
    return move_of(view, options, seed, layouts, level).advice(_choice, view.player)


def _advise_call(view: View, options: TowieOptions, seed: int, layouts: int | None) -> Advice:
    """Return the advice on a call, from layouts that double in number until the best call is known or all are drawn."""
    players = _players(view)
    assert view.caller is not None
    columns = {ME: view.caller, LEFT: (view.caller + 1) % 3, RIGHT: (view.caller + 2) % 3}
    vulnerable = frozenset(column for column, caller in columns.items() if view.games[players[caller]])
    stakes = TowieStakes(options, vulnerable)
    question = TowieQuestion(view.hand, view.exposed, view.calls, stakes, goulashes=view.goulashes)
    answer = judge_auction(question, layouts=layouts, seed=seed, values_six=False, jobs=1, quiet=True)
    ranked = []
    for value in answer.calls:
        choice = _choice({"action": "call", "player": view.player, "call": call_text(value.call)})
        score = value.score.mean
        ranked.append(AdvisedAction(choice.text, score, value.cost, choice.action, f"{score:+.0f}"))
    basis = f"sampled: {number_of(answer.layouts, 'layout')}, seed {seed}"
    return Advice(tuple(ranked), SCALES[GAME], basis, answer.layouts, model=BID_MODEL)


def to_pbn(game: Engine[Any, Any]) -> str:
    """Return every played deal in the Portable Bridge Notation."""
    again = Towie(game.options)
    records = []
    for action in game.actions:
        before = again.state()
        again.apply(action)
        deal = again.state().deal
        if deal is not None and deal.score is not None and action["action"] == "play":
            records.append(deal_to_pbn(deal, bool(before.games[deal.score.player])))
    return "\n".join(records)


class RecordedTowie(Towie):
    """Towie as seen from a seat: of a goulash one's own cards are known, not how the piles lay."""

    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {**Towie.ARGUMENTS, "goulash.pack": CARDS}

    def verify_goulash(self, pack: Sequence[int]) -> None:  # type: ignore[override]
        """Check `goulash`."""
        self._demand_phase("a goulash", "TO-9", Phase.GOULASH)
        check_pack(pack)

    def goulash(self, pack: Sequence[int]) -> None:  # type: ignore[override]
        """The same dealer deals the cards, as they lay after the cut, 5-5-3 (TO-9)."""
        self._deal_packets(np.array(pack, dtype=np.int64), None)
        self._record("goulash", player=self.dealer, pack=card_texts(pack))

    def chance(self, rng: np.random.Generator) -> Action:
        """Return as in Towie, a goulash by its pack."""
        if self.phase != Phase.GOULASH:
            return super().chance(rng)
        pack = [int(card) for card in rng.permutation(HANDS * HAND_SIZE)]
        return {"action": "goulash", "player": self.dealer, "pack": card_texts(pack)}


# ---------------------------------------------------------------------------------------------------------- hindsight


def open_cards(game: Towie, seat: int) -> OpenCards | None:
    """Return what a player makes of the deal: the declarer wins by making the contract, all others by setting it."""
    deal = game.state().deal
    if deal is None or deal.contract is None or seat not in deal.players:
        return None
    declarer = deal.players[deal.contract.declarer]
    more = 0 if deal.score is not None else tricks_to_come(deal.hands, deal.contract, deal.leader, deal.plays)
    taken = deal.declarer_tricks + more
    made = taken >= deal.contract.needed
    end = None
    if deal.score is not None:
        ahead = deal.score.declarer_points - deal.score.opponent_points
        end = float(ahead if seat == declarer else -ahead)
    return OpenCards(made == (seat == declarer), f"{number_of(taken, 'trick')} of the declarer", taken, end)


class TowieTableGame(TableGame):
    """Towie at the table."""

    name = GAME
    about = (
        "The highest bidder plays with a dummy, as at bridge. The other two defend. Three players, about 10 minutes."
    )
    scene = staticmethod(scene)
    prompt = staticmethod(prompt)
    action_line = staticmethod(action_line)
    advise = staticmethod(advise)
    numbering = Numbering(
        cards=frozenset({"hand", "exposed", "dummy", "dealt", "dealt_dummy", "shown", "legal", "unseen"}),
        lengths={"calls": (60,), "tricks": (13,), "cards": (4,), "plays": (3,), "voids": (4,), "shown": (3,)}
        | dict.fromkeys(("old_hand", "old_dummy"), (13,)),
        words=lambda: map(call_text, range(REDOUBLE + 1)),
    )
    hand_end = staticmethod(hand_end)
    hindsight = staticmethod(open_cards)
    pbn = staticmethod(to_pbn)
    prove = staticmethod(prove)
    by_hand = staticmethod(by_hand)
    puzzles = MappingProxyType({"call": 12, "card": 56})

    def open_record(self, options: Any, start: Mapping[str, Sequence[int]]) -> Engine[Any, Any]:
        return RecordedTowie(options).starting_from(start)


TABLE: Final = TowieTableGame()
