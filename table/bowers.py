"""How is Bowers played at the table, as `towerlab play bowers` shows it? How it is drawn, who plays it, what advises
each action.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.bowers.bid import MODEL as BID_MODEL
from towerlab.analysis.bowers.bid import judge_calls
from towerlab.analysis.bowers.bury import MODEL as BURY_MODEL
from towerlab.analysis.bowers.bury import judge_buries
from towerlab.analysis.bowers.move import LAYOUTS as CARD_LAYOUTS
from towerlab.analysis.bowers.move import move_of
from towerlab.analysis.decision import SCALES
from towerlab.analysis.present import capital, number_of
from towerlab.analysis.stats import Estimate, level_at
from towerlab.games.bowers import BowersOptions, rules
from towerlab.games.bowers.engine import GAME, BowersGame
from towerlab.games.bowers.records import Phase, View
from towerlab.games.bowers.state import BIDDER, CARDS_IN_TRICK, HANDS, NAMED, STANDING, TO_ACT, TRICK
from towerlab.games.cards import (
    DECK_32,
    DECK_54,
    JOKERS,
    NO_TRUMP,
    SUITS,
    SYMBOLS,
    card_texts,
    effective_suit,
    mask_cards,
    mask_text,
    parse_mask,
)
from towerlab.games.engine import require
from towerlab.games.transcript import Action
from towerlab.solver.double_dummy import Position, shared_solver
from towerlab.table.drawing import card_words
from towerlab.table.game import Numbering, Pick, Prompt, TableGame
from towerlab.table.grading import OpenCards
from towerlab.table.rows import (
    auction,
    card_choice,
    does,
    follow_words,
    gains,
    label_values,
    sentences,
    taken_words,
    texts,
    tricks,
    winning,
    words,
)
from towerlab.table.scene import ASIDE, FACE_DOWN, Cards, Facts, Hand, HandEnd, Scene, side_of, trump_names

LAYOUTS: Final = 128  # at most, or kitties: more while one waits


# ------------------------------------------------------------------------------------------------------- the drawing


def scene(view: View, names: Sequence[str], options: BowersOptions) -> Scene:
    """Return the game as one player sees it."""
    facts = [("score", label_values(names, view.scores))]
    if view.dealer is not None:
        facts.append(("dealer", names[view.dealer]))
    if view.factor > 1:
        facts.append(("points", f"× {view.factor}"))
    if view.named is not None:
        facts.append(("joker", f"{SYMBOLS[view.named]} to follow"))
    if view.bidder is not None:
        facts.append(("bid", f"{_bid_words(view.call)} by {names[view.bidder]}"))
        facts.append(("tricks", label_values(names, view.taken)))
    parts: list[Any] = [Facts(tuple(facts))]
    if view.auction is None:
        return Scene("Bowers", tuple(parts))
    for step in (1, 2):
        seat = (view.player + step) % rules.PLAYERS
        parts.append(_seat(Cards(names[seat], (FACE_DOWN,) * view.counts[seat]), view, seat))
    if view.auction.calls and view.bidder is None:
        first = (view.dealer or 0) + 1
        parts.append(auction([*names[first:], *names[:first]], list(map(rules.call_symbol, view.auction.calls))))
    places = [(side_of(seat - view.player, rules.PLAYERS), name) for seat, name in enumerate(names)]
    parts += tricks(view.tricks, view.leader, view.plays, lambda: places)
    trump = NO_TRUMP if view.bidder is None else int(rules.call_trump(view.call))
    note = f"kitty {words(card_texts(mask_cards(view.kitty)))}" if view.kitty and view.phase == Phase.BURY else ""
    own = Hand("Your hand", texts(view.hand, trump, bowers=True), note, own=True, came="The kitty")
    parts.append(_seat(own, view, view.player))
    if view.buried:
        parts.append(Cards("You buried", texts(view.buried), area=ASIDE))
    trumps = {} if view.bidder is None else trump_names(trump, DECK_32 | JOKERS, bowers=True)
    return Scene("Bowers", tuple(parts), trumps=trumps)


def _seat(row: Cards, view: View, seat: int) -> Cards:
    """Return a player's cards with what is known of the player."""
    badges = ["dealer"] * (view.dealer == seat and view.bidder is None)
    said = require(view.auction).calls[(seat - require(view.dealer) - 1) % rules.PLAYERS :: rules.PLAYERS]
    if view.bidder is None and said:
        badges.append(rules.call_symbol(said[-1]))
    elif view.bidder is not None:
        badges += [f"bid {rules.call_symbol(view.call)}"] * (view.bidder == seat)
        promised = int(rules.call_level(view.call)) if view.bidder == seat else 0
        badges.append(taken_words(view.taken[seat], promised))
    area = side_of(seat - view.player, rules.PLAYERS)
    return replace(row, area=area, badges=tuple(badges), due=view.to_act == seat)


def hand_end(view: View, names: Sequence[str], options: BowersOptions) -> HandEnd | None:
    """Return how the deal ended that is just over."""
    outcome = view.outcome
    if outcome is None or view.dealer is None:
        return None
    made = outcome.bidder is not None and rules.is_made(outcome.call, outcome.taken[outcome.bidder])
    dealer = names[
        rules.next_dealer(view.dealer, int(outcome.thrown_in), options.rules())
    ]  # the view names who has dealt
    factor = rules.next_factor(view.factor, int(outcome.thrown_in), options.rules())
    shown = {
        "call": rules.call_symbol(outcome.call),
        "points": gains(names, outcome.points),
        "names": names,
        "factor": factor,
    }
    file = "templates/ended-bowers.txt"
    is_next = view.phase == Phase.DEAL
    said = sentences(file, outcome=outcome, made=made, dealer=dealer, is_next=is_next, **shown)
    return HandEnd("Deal", said, outcome.points, view.scores, ("points", "points"))


def winner_words(game: BowersGame, names: Sequence[str]) -> str:
    """Return who won the game and with how many points."""
    result = require(game.result)
    winner = result.winners[0]
    others = [seat for seat in range(rules.PLAYERS) if seat != winner]
    behind = label_values((names[seat] for seat in others), (result.scores[seat] for seat in others))
    return f"{winning(result.winners, names)} the game with {number_of(result.scores[winner], 'point')}; {behind}."


# ------------------------------------------------------------------------------------------------------- the actions


def prompt(view: View, actions: Sequence[Action]) -> Prompt:
    """Return what a player may do now."""
    if view.phase == Phase.BURY:
        size = len(actions[0]["cards"])

        def bury(chosen: Sequence[str]) -> Action:
            return {**actions[0], "cards": list(texts(parse_mask(" ".join(chosen), DECK_54)))}

        pick = Pick(texts(view.hand), size, size, bury, "bury")
        return Prompt(f"Choose {size} cards to bury.", tuple(map(_choice, actions)), pick, gives=True)
    return Prompt(_question(view), tuple(map(_choice, actions)))


def _question(view: View) -> str:
    """Return the question for a call or a card: who leads, or what is to be followed."""
    if view.phase == Phase.BID:
        return "Your call: bid how many tricks you take and the trumps, or pass."
    if not view.plays:
        return "Your lead: play any card."
    trump = int(rules.call_trump(view.call))
    led = effective_suit(view.plays[0], trump, bowers=True) if view.named is None else view.named
    return follow_words(led, trump, view.hand, bowers=True)


def _bid_words(call: int) -> str:
    """Return a bid and what it means: ``"6♦ (6 tricks, ♦ trumps)"``."""
    if call == rules.MISERE:
        return f"{rules.call_symbol(call)} (no trick at all)"
    trump = int(rules.call_trump(call))
    trumps = "no trumps" if trump == NO_TRUMP else f"{SYMBOLS[trump]} trumps"
    return f"{rules.call_symbol(call)} ({number_of(int(rules.call_level(call)), 'trick')}, {trumps})"


def _choice(action: Action) -> Choice:
    if action["action"] == "call":
        call = rules.parse_call(action["call"])
        text = rules.call_symbol(call)
        level = str(rules.call_level(call))
        cell = None if level == "0" else (level, text.removeprefix(level))
        return Choice(action, text, (action["call"], text), cell=cell)
    if action["action"] == "bury":
        return Choice(action, f"bury {words(action['cards'])}", (" ".join(action["cards"]),))
    card = action["card"]
    if named := action.get("names"):
        suit = SYMBOLS[SUITS.index(named)]
        return Choice(
            action, f"play {card_words(card)}, {suit} to follow", (f"{card}:{named}", f"{card} {named}"), card, suit
        )
    return card_choice(action)


def action_line(action: Action, view: View, names: Sequence[str]) -> str | None:
    """Return what happened, as that player may know it."""
    if action["action"] == "deal":
        return None if view.dealer is None else f"A new deal, dealer: {names[view.dealer]}."
    player = action["player"]
    if action["action"] == "bury":
        cards = words(action["cards"]) if player == view.player else f"{len(action['cards'])} cards face down"
        return f"{names[player]}: bury {cards}"
    if action["action"] == "call":
        won = ""
        if view.bidder is not None:
            won = f". {capital(does(names[view.bidder], 'play'))} {rules.call_symbol(view.call)}."
        return f"{names[player]}: {rules.call_symbol(rules.parse_call(action['call']))}{won}{_ending(view, names)}"
    taken = "" if view.plays or not view.tricks else f" ({does(names[view.tricks[-1].winner], 'take')} the trick)"
    named = f", {SYMBOLS[SUITS.index(action['names'])]} to follow" if "names" in action else ""
    return f"{names[player]}: {card_words(action['card'])}{named}{taken}{_ending(view, names)}"


def _ending(view: View, names: Sequence[str]) -> str:
    outcome = view.outcome
    if outcome is None:
        return ""
    if outcome.thrown_in:
        return ". Thrown in."
    return f". Points: {gains(names, outcome.points)}."


# -------------------------------------------------------------------------------------------------------- the advice

_ALONE: Final[Mapping[str, Any]] = {"jobs": 1, "quiet": True}


def advise(view: View, options: BowersOptions, seed: int = 0, layouts: int | None = None) -> Advice | None:
    """Return the value of each action, as far as that player can know: points less the mean of the others'."""
    if view.to_act != view.player or view.phase not in (Phase.BID, Phase.BURY, Phase.PLAY):
        return None
    if view.phase == Phase.BID:
        return _advise_call(view, options, seed, layouts or LAYOUTS)
    if view.phase == Phase.BURY:
        return _advise_bury(view, options, seed, layouts or LAYOUTS)
    level = level_at(layouts, CARD_LAYOUTS)
    return move_of(view, options, seed, layouts, level).advice(_choice, view.player)


def _advise_call(view: View, options: BowersOptions, seed: int, kitties: int) -> Advice:
    answer = judge_calls(
        view.hand, require(view.auction), options, factor=view.factor, kitties=kitties, seed=seed, **_ALONE
    )
    acting: Action = {"action": "call", "player": view.player}
    rows = [(acting | {"call": rules.call_text(value.call)}, value.score.mean, value.cost) for value in answer.ranked]
    basis = f"sampled: {number_of(answer.kitties, 'kitty')}, seed {seed}"
    return _advice(rows, basis, BID_MODEL, answer.why, answer.kitties)


def _advise_bury(view: View, options: BowersOptions, seed: int, layouts: int) -> Advice:
    assert view.auction is not None and view.auction.bidder is not None
    place = view.auction.bidder
    answer = judge_buries(
        view.hand, view.call, options, place, factor=view.factor, layouts=layouts, seed=seed, **_ALONE
    )
    acting: Action = {"action": "bury", "player": view.player}
    rows = [(acting | {"cards": mask_text(bury.cards).split()}, bury.score.mean, bury.cost) for bury in answer.buries]
    basis = f"sampled: {number_of(answer.layouts, 'layout')}, seed {seed}"
    return _advice(rows, basis, BURY_MODEL, answer.why, answer.layouts)


def _advice(rows: Sequence[tuple[Action, float, Estimate]], basis: str, model: str, remark: str, drawn: int) -> Advice:
    options = (
        AdvisedAction(_choice(action).text, score, cost, action, f"{score:+.2f}") for action, score, cost in rows
    )
    return Advice(tuple(options), SCALES[GAME], basis, drawn, model=model, remark=remark)


# ---------------------------------------------------------------------------------------------------------- hindsight


def open_cards(game: BowersGame, seat: int) -> OpenCards | None:
    """Return what a player makes of the deal: the bidder wins it by making the bid, the other two by setting it."""
    state = game.state()
    deal = state.deal
    if deal is None or deal.bidder is None or deal.leader is None:
        return None
    is_over = deal.outcome is not None
    if not is_over and state.phase != Phase.PLAY:
        return None
    names = game.options.joker_names_suit
    made = deal.taken[deal.bidder] + (0 if is_over else _tricks_to_come(state.array, names))
    won = bool(rules.is_made(deal.call, made)) == (seat == deal.bidder)
    end = None
    if deal.outcome is not None:
        points = deal.outcome.points
        end = points[seat] - (sum(points) - points[seat]) / (len(points) - 1)
    return OpenCards(won, f"{number_of(made, 'trick')} for the bidder", int(made), end)


def _tricks_to_come(array: tuple[int, ...], names: bool) -> int:
    """Return the tricks still to come for the bidder, the trick under way included."""
    bid = array[STANDING]
    cards_in_trick = array[CARDS_IN_TRICK]
    return shared_solver().tricks(
        Position(
            hands=array[HANDS : HANDS + rules.PLAYERS],
            trumps=int(rules.bid_trumps(bid)),
            leader=(array[TO_ACT] - cards_in_trick) % rules.PLAYERS,
            trick=array[TRICK : TRICK + cards_in_trick],
            named=array[NAMED],
            declarer=array[BIDDER],
            fewest=bid == rules.MISERE,
            names=names,
        )
    )


class BowersTableGame(TableGame):
    """Bowers at the table."""

    name = GAME
    about = "Bid how many of ten tricks you take. The other two defend. Three players, about 25 minutes."
    scene = staticmethod(scene)
    prompt = staticmethod(prompt)
    action_line = staticmethod(action_line)
    advise = staticmethod(advise)
    numbering = Numbering(
        cards=frozenset({"hand", "kitty", "buried", "legal", "unseen", "possible"}),
        lengths={"calls": (60,), "tricks": (10,), "plays": (3,)},
        words=lambda: [*map(rules.call_text, range(rules.HIGHEST_BID + 1)), *SUITS],
    )
    hand_end = staticmethod(hand_end)
    winner_words = staticmethod(winner_words)
    hindsight = staticmethod(open_cards)
    puzzles = MappingProxyType({"call": 24, "card": 40})


TABLE: Final = BowersTableGame()
