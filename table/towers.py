"""How is Towers played at the table, as `towerlab play towers` shows it? How it is drawn, who plays it, what advises
each action.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from towerlab.analysis.advice import Advice, AdvisedAction, Choice
from towerlab.analysis.decision import SCALES, exact_costs, paired_costs
from towerlab.analysis.present import number_of
from towerlab.analysis.stats import level_at
from towerlab.analysis.towers.move import MODEL, action_differences, action_kinds, points_now, shown_counts, why_best
from towerlab.games.engine import Engine, require
from towerlab.games.towers.board import RANKS, Board, parse_rank
from towerlab.games.towers.engine import GAME, TowersGame
from towerlab.games.towers.options import TowersOptions
from towerlab.games.towers.records import Phase, Resolution, View, actions_of, record_of
from towerlab.games.towers.state import HAND_SIZE, state_of
from towerlab.games.transcript import Action
from towerlab.sim.towers.seats import state_seen
from towerlab.solver.towers.ending import solve_ending
from towerlab.table.game import Numbering, Prompt, TableGame
from towerlab.table.grading import OpenCards
from towerlab.table.rows import label_values, winning, words
from towerlab.table.scene import BOTTOM, FACE_DOWN, TOP, Block, Cards, Facts, Hand, Scene, Towers

SAMPLES: Final = 200


# ------------------------------------------------------------------------------------------------------- the drawing


def scene(view: View, names: Sequence[str], options: TowersOptions) -> Scene:
    """Return the game as one player sees it."""
    facts = Facts((("points", label_values(names, view.points)), ("still to be drawn", number_of(view.source, "card"))))
    parts: list[Any] = [facts, towers_of(view.board)]
    for seat, held in enumerate(view.counts):
        if seat != view.player:
            shown = view.shown[seat]
            cards = (*shown, *(FACE_DOWN,) * (held - len(shown)))
            due = view.to_act == seat
            badges = (number_of(view.points[seat], "point"),)
            parts.append(Cards(names[seat], cards, "shown" * bool(shown), area=TOP, badges=badges, due=due))
    badges = (number_of(view.points[view.player], "point"),)
    due = view.to_act == view.player
    parts.append(Hand("Your hand", view.hand, own=True, area=BOTTOM, badges=badges, due=due))
    return Scene("Towers", tuple(parts))


def towers_of(board: Board, gone: Collection[tuple[int, int]] = (), title: str = "Towers") -> Towers:
    """Return a board as something to draw; what stands at the places `gone` falls."""
    blocks = []
    for section in board.sections():
        ends = tuple((column, level - 1) for column, level in section.ends)
        blocks.append(Block(section.rank, ends, "bridge" if section.is_bridge else "card", ends[0] in gone))
    return Towers(title, tuple(str(column) for column in range(1, len(board.columns) + 1)), tuple(blocks))


def effects(done: Resolution | None) -> tuple[str, Towers] | None:
    """Return what a play destroyed: in words, and the towers before it with what fell; None where nothing did."""
    if done is None or not (done.removed or done.collected):
        return None
    said = (
        (done.removed, "removed for nobody's score"),
        (
            done.collected,
            f"{'falls' if len(done.collected) == 1 else 'fall'} for {number_of(len(done.collected), 'point')}",
        ),
    )
    news = "; ".join(f"{words(cards)} {how}" for cards, how in said if cards)
    gone = set()
    for column, (old, new) in enumerate(zip(done.before.columns, done.after.columns, strict=True)):
        left = list(new)
        for level, section in enumerate(old):
            if left[:1] == [section]:
                del left[0]
            else:
                gone.add((column, level))
    return news, towers_of(done.before, gone, news)


def winner_words(game: TowersGame, names: Sequence[str]) -> str:
    """Return who won the game and with how many points."""
    result = require(game.result)
    who = f"{winning(result.winners, names)} the game"
    if len(names) > 2:
        return f"{who}: {label_values(names, result.scores)}."
    return f"{who}, {number_of(max(result.scores), 'point')} to {min(result.scores)}."


# ------------------------------------------------------------------------------------------------------- the actions


def prompt(view: View, actions: Sequence[Action]) -> Prompt:
    """Return what a player may do now."""
    razes = view.phase == Phase.RAZE
    question = "No card fits: which tower do you raze?" if razes else "Choose a card, then where it goes."
    if not any(view.board.columns):
        question += " A card that meets its equal at the same height removes both; what then falls scores for you."
    return Prompt(question, tuple(map(_choice, actions)))


def _choice(action: Action) -> Choice:
    if action["action"] == "raze":
        return Choice(action, f"raze tower {action['column']}", (f"raze {action['column']}",))
    card = action["card"]
    place = "-".join(map(str, action["columns"]))
    shown = "10" if card == "T" else card
    where = " and ".join(map(str, action["columns"]))
    text = f"{shown} on tower {where}" if len(action["columns"]) == 1 else f"{shown} across towers {where}"
    return Choice(action, text, (f"{card}:{place}", f"{card} {place}", f"{card} on {place}"), card, place)


def action_line(action: Action, view: View, names: Sequence[str]) -> str | None:
    """Return what happened, as that player may know it."""
    if action["action"] == "deal":
        return f"Five cards each; first to play: {names[action.get('first_player', 0)]}."
    return f"{names[action['player']]}: {_choice(action).text}"


# ---------------------------------------------------------------------------------------------- players and advice


def advise(view: View, options: TowersOptions, seed: int = 0, layouts: int | None = None) -> Advice | None:
    """Return points to come, one's own less the best other player's, of each action."""
    if view.to_act != view.player:
        return None
    state = state_seen(view)
    rules = options.rules()
    actions = actions_of(state, rules)
    shown = shown_counts([list(map(parse_rank, cards)) for cards in view.shown])
    kinds = action_kinds(state, actions, rules)
    differences, exact = action_differences(state, actions, rules, layouts or SAMPLES, None, seed, shown)
    choices = [_choice(record_of(int(action), view.player)) for action in actions]
    basis = "exact: the ending is solved" if exact else f"sampled: {len(differences):,} deals, seed {seed}"
    means = differences.mean(axis=0).tolist()
    level = level_at(layouts, SAMPLES)
    costs = exact_costs(differences[0].tolist()) if exact else paired_costs(differences, level, kinds)
    order = sorted(range(len(means)), key=lambda place: (-round(means[place], 9), place if exact else kinds[place]))
    ranked = tuple(
        AdvisedAction(choices[place].text, means[place], costs[place], choices[place].action, f"{means[place]:+.2f}")
        for place in order
    )
    model = "best play by both sides" if exact else MODEL
    advice = Advice(ranked, SCALES[GAME], basis, 0 if exact else len(differences), "deal", model=model)
    now = dict(zip((choice.text for choice in choices), points_now(state, actions, rules), strict=True))
    return replace(advice, remark=why_best(advice, now))


# ---------------------------------------------------------------------------------------------------------- hindsight


def open_cards(game: TowersGame, seat: int) -> OpenCards | None:
    """Return how many points a player will be ahead; before the source is empty no search reaches the end."""
    state = game.state()
    is_over = state.phase == Phase.OVER
    if not is_over and (len(state.points) != 2 or state.source or state.phase == Phase.DEAL):
        return None
    ahead = _ahead(state.points, seat)
    if state.player is not None and not is_over:
        ending = state_of(state.board.to_array(), state.hands, (), state.player)
        solved = solve_ending(ending, game.options.rules())
        if solved is None:
            return None
        ahead += int(solved.max()) * (1 if state.player == seat else -1)
    words = f"{number_of(abs(ahead), 'point')} {'ahead' if ahead >= 0 else 'behind'}"
    return OpenCards(ahead > 0, words, int(ahead), float(ahead) if is_over else None)


def _ahead(points: Sequence[int], seat: int) -> int:
    """Return a player's points less those of the best other player."""
    return points[seat] - max(other for place, other in enumerate(points) if place != seat)


class TowersTableGame(TableGame):
    """Towers at the table."""

    name = GAME
    about = "Build on four towers. The cards that yours brings down are your points. Two players, about 5 minutes."
    scene = staticmethod(scene)
    prompt = staticmethod(prompt)
    action_line = staticmethod(action_line)
    advise = staticmethod(advise)
    numbering = Numbering(
        cards=frozenset(),
        lengths={"columns": (4, 52), "hand": (5,), "shown": (0, 5), "unseen": (52,)},
        words=lambda: RANKS,
    )
    effects = staticmethod(effects)
    winner_words = staticmethod(winner_words)
    hindsight = staticmethod(open_cards)
    puzzles = MappingProxyType({"card": 40})

    def lead(self, view: View) -> float:
        return float(_ahead(view.points, view.player))

    def place(self, view: Any, action: Action, deal: int, turn: int) -> str:
        return f"turn {turn}"

    def draws(self, action: Action, before: Engine[Any, Any]) -> list[int]:
        """Return the players in turn from the first at the deal, then the player of each card (TR-2, TR-4)."""
        if action["action"] == "deal":
            seats = len(before.seats)
            return [(action["first_player"] + place) % seats for place in range(HAND_SIZE * seats)]
        drawn = action["action"] == "play" and before.state().source
        return [before.to_act] if drawn and before.to_act is not None else []


TABLE: Final = TowersTableGame()
