"""What holds for every engine: random games replay, records that cannot be are refused, views hide what is hidden."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import exhaustive
from tests.oracles.hidden_cards import twins
from towerlab.analysis.catalog import find_game
from towerlab.analysis.simulation import simulate
from towerlab.games import engine
from towerlab.games.bowers import BowersGame
from towerlab.games.cards import card_text, card_texts, mask_cards, sorted_cards
from towerlab.games.engine import Choices, Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.options import option, solutions_hold
from towerlab.games.tower_war import TowerWar
from towerlab.games.towers import TowersGame
from towerlab.games.towers_and_bowers import ClaimQuestion, Match
from towerlab.games.towie import Towie
from towerlab.sim.own_players import OwnPlayer

MOST_RECORDS = 600


def judge(question: ClaimQuestion) -> bool:
    """As good as drawn by lot, and the same for the same question."""
    return hash((question.view.hand, question.view.gone, question.tricks, question.is_concession)) % 3 == 0


GAMES: dict[str, tuple[type[Engine[Any, Any]], dict[str, Any]]] = {
    "towers-and-bowers": (Match, {"judge": judge}),
    "bowers": (BowersGame, {}),
    "tower-war": (TowerWar, {}),
    "towers": (TowersGame, {}),
    "towie": (Towie, {}),
}
each_game = pytest.mark.parametrize("name", GAMES)


def random_options(kind: type[Any], rng: np.random.Generator) -> Any:
    """Every option drawn by lot: a word, a truth, or a number near the lower end of what is allowed."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        choices, low, high = (field.metadata[key] for key in ("choices", "low", "high"))
        if choices is not None:
            values[field.name] = choices[int(rng.integers(len(choices)))]
        elif isinstance(field.default, bool):
            values[field.name] = bool(rng.integers(2))
        elif isinstance(field.default, float):
            values[field.name] = float(rng.uniform(low, min(high, 2)))
        else:
            values[field.name] = int(rng.integers(low, min(high or low + 12, low + 12) + 1))
    return kind(**values)


def start(name: str, rng: np.random.Generator) -> Engine[Any, Any]:
    """A game by random options."""
    kind, given = GAMES[name]
    return kind(random_options(kind.OPTIONS, rng), **given)


def step(game: Engine[Any, Any], rng: np.random.Generator) -> Any:
    """The next record of a random game, chance or choice, applied."""
    record = game.chance(rng) if game.to_act is None else game.legal().sample(rng)
    assert game.can(record), record
    return game.apply(record)


def random_game(name: str, seed: int, steps: int = MOST_RECORDS) -> Engine[Any, Any]:
    """A random game by random options, to its end or so many records."""
    rng = np.random.default_rng(seed)
    game = start(name, rng)
    for _ in range(steps):
        if game.result is not None:
            break
        step(game, rng)
    return game


@each_game
@pytest.mark.parametrize("games", [4, exhaustive(300)])
def test_random_games_replay_to_the_identical_state(name: str, games: int) -> None:
    kind, given = GAMES[name]
    ended = 0
    for seed in range(games):
        game = random_game(name, seed)
        again = kind.from_transcript(game.transcript(), **given)
        assert again.state() == game.state(), seed
        assert again.actions == game.actions and again.result == game.result
        ended += game.result is not None
    assert ended > 0.4 * games or name == "towie"  # few contracts are made by lot, and two games end it


GOLDEN = sorted(
    path
    for path in (Path(__file__).parents[1] / "golden").glob("*.jsonl")
    if path.stem != "answers" and not path.stem.startswith("self_play")
)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_transcripts_replay_to_the_same_lines_and_are_over(path: Path) -> None:
    lines = path.read_text().splitlines()
    kind, given = GAMES[json.loads(lines[0])["game"]]
    game = kind.from_transcript(lines, **given)
    assert list(game.transcript()) == lines
    assert game.result is not None and game.to_act is None
    assert [json.dumps(action) for action in game.actions] == lines[1:]


@each_game
def test_chance_is_due_exactly_when_nobody_is_to_act(name: str) -> None:
    rng = np.random.default_rng(3)
    game = start(name, rng)
    for _ in range(300):
        if game.result is not None:
            break
        before = game.state()
        if game.to_act is None:
            assert game.can(game.chance(rng))
        else:
            assert game.to_act in game.seats and len(game.legal(game.to_act))
            with pytest.raises(TowerlabError, match="nothing is left to chance"):
                game.chance(rng)
        assert game.state() == before  # looking changes nothing
        step(game, rng)


CHANCE = {
    "towers-and-bowers": {"shuffle_starter", "turn", "shuffle", "cut", "decline_cut", "deal"},
    "bowers": {"deal"},
    "tower-war": {"decks", "deal", "base", "draw", "fall"},
    "towers": {"deal"},
    "towie": {"deal", "expose", "goulash"},
}
ORDERS = [*itertools.permutations("CDHS")]
ASIDES = {"claim", "concede", "accuse", "correct"}


def hands_of(name: str, game: Engine[Any, Any]) -> list[list[str]]:
    """The hands, pools and cards turned up of a game, as its actions list them."""
    state = game.state()
    if name == "bowers":
        return [card_texts(sorted_cards(game.view(seat).hand)) for seat in game.seats]
    if name == "tower-war":
        return [card_texts(mask_cards(mask)) for mask in (*state.pools, state.face_up)]
    return [card_texts(mask_cards(mask)) for mask in state.deal.hands] if name == "towie" and state.deal else []


def sorted_by(order: Sequence[str], cards: list[str], rng: np.random.Generator) -> list[str]:
    """The cards suit by suit, each suit's from the highest or in any order."""
    any_order = dict(zip(cards, rng.permutation(len(cards)) * rng.integers(2), strict=True))
    return sorted(cards, key=lambda card: (order.index(card[1]), any_order[card], -"23456789TJQKA".index(card[0])))


def conceivable(name: str, game: Engine[Any, Any], rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Every action of players that anybody could try, whatever the position; of sets of cards some at random."""
    pack = [*map(card_text, range(54))]
    held = [cards for cards in hands_of(name, game) if cards]
    places = [[one] for one in range(1, 5)] + [[one, two] for one in range(1, 5) for two in range(1, 5)]
    values: dict[str, list[Any]] = {
        "card": [*"A23456789TJQK"] if name == "towers" else pack,
        "copies": [None, *(pack if game.phase == "PLAY" and rng.random() < 0.1 else [])],
        "suit": [*"CDHS"], "names": [None, *"CDHS"], "size": [*"LMS"], "column": [*range(6)], "columns": places,
        "call": ["P", "X", "XX", "0", *(f"{number}{suit}" for number in range(1, 11) for suit in ("NT", *"CDHS"))],
        "pile": [0, 1, 2],
        "sort.pile": [sorted_by(order, some, rng) for some in held for order in ORDERS if name == "towie"],
        "cards": [[one for one in some if one in rng.permutation(some)[:n]] for some in held for n in range(2, 26)],
        "piles": [[some[:size], some[size:]] for some in held if len(some) == 5 for size in (1, 2, 3)],
        "pyramids": [None], "beside": [None],
    }  # fmt: skip
    for action in set(game.ACTIONS) - CHANCE[name] - ASIDES:
        method = getattr(game, engine._method_name(action))
        keys = [key for key in inspect.signature(method).parameters if key not in ("player", "falls")]
        for seat, *given in itertools.product(
            game.seats, *(values.get(f"{action}.{key}", values.get(key)) for key in keys)
        ):
            record = {"action": action, "player": seat, **dict(zip(keys, given, strict=True))}
            yield {key: value for key, value in record.items() if value is not None}


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        *((name, [2 if name == "towie" else 0]) for name in GAMES),  # games with every action, a goulash among them
        *(exhaustive(name, range(100)) for name in GAMES),
    ],
)
def test_what_is_possible_is_listed_and_what_is_listed_is_possible(name: str, seeds: Sequence[int]) -> None:
    """But for claims and accusations, and that the dealer may accept by discarding (TB-14)."""
    seen = set()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        game = start(name, rng)
        phase = None
        for number in range(120):
            if number % 20 == 0 or game.to_act is None or game.phase != phase:
                legal = [game.legal(seat) for seat in game.seats]
                for record in conceivable(name, game, rng):
                    if game.can(record) and not (record["action"] == "discard" and game.phase != "DISCARD"):
                        assert is_listed(game, record, legal[record["player"]]), record
                        seen.add(record["action"])
                phase = game.phase
                assert all(game.can(game.legal().sample(rng)) for _ in range(min(9, len(game.legal()))))
            if game.result is not None:
                break
            regular = [one for one in game.legal()[:500] if one["action"] not in ASIDES or rng.random() < 0.05]
            if game.to_act is None and (not regular or rng.random() < 0.8):
                game.apply(game.chance(rng))
            else:
                game.apply(regular[int(rng.integers(len(regular)) * (rng.random() < 0.7))])
    rare = {
        "accept_undo",
        "decline_undo",
        "offer_undo",
        "take_penalty",
        "decline_penalty",
        "consent",
        "insist",
        "adjust",
        "take-back",
    }
    assert seen >= {*game.ACTIONS} - CHANCE[name] - ASIDES - rare, seen


def is_listed(game: Engine[Any, Any], record: dict[str, Any], legal: Choices) -> bool:
    """Whether a record as the game writes it is among some actions; neither of two piles is the first."""
    (after := game.copy()).apply(record)
    whole = {"player": record["player"], **after.last_action}
    written = {key: whole[key] for key in record if key in whole}
    return any(one in legal for one in (record, whole, written, {**written, "piles": written.get("piles", [])[::-1]}))


@each_game
def test_a_copy_goes_its_own_way_and_records_cannot_be_changed_from_outside(name: str) -> None:
    game = random_game(name, 5, steps=12)
    twin = game.copy()
    state = game.state()
    lines = list(game.transcript())
    for record in game.actions:
        for value in record.values():
            if isinstance(value, list):
                value.clear()
    step(twin, np.random.default_rng(0))
    assert game.state() == state and list(game.transcript()) == lines
    assert len(twin.actions) == len(game.actions) + 1


@each_game
@pytest.mark.parametrize("seat", [-1, 99, 1.0, True, None, "0"])
def test_a_seat_that_does_not_exist_is_refused(name: str, seat: Any) -> None:
    game = random_game(name, 1, steps=5)
    calls: list[Callable[[Any], Any]] = [game.view] if seat is None else [game.view, game.legal]
    for call in calls:
        with pytest.raises(TowerlabError, match="is no player; expected 0 to "):
            call(seat)


def test_choices_are_a_lazy_list() -> None:
    made: list[int] = []
    decks = Choices.of_subsets(range(25), 15, lambda chosen: made.append(1) or {"deck": chosen})  # type: ignore[func-returns-value]
    both = Choices.of([{"pass": 1}]) + decks
    assert len(both) == 1 + 3_268_760 and made == []
    assert both[0] == {"pass": 1} and both[1] == {"deck": list(range(15))} and both[-1] == {"deck": list(range(10, 25))}
    assert [one["deck"][-1] for one in both[1:4]] == [14, 15, 16]
    assert len(both.sample(np.random.default_rng(0))["deck"]) == 15
    with pytest.raises(TowerlabError, match="no action is possible"):
        Choices().sample(np.random.default_rng(0))


def test_an_action_is_found_among_thousands_without_walking_through_them() -> None:
    made: list[int] = []
    decks = Choices.of_subsets([*"ABCDEF"], 3, lambda chosen: {"cards": chosen, "player": 0})
    both = Choices.of([{"cards": []}]) + decks + Choices.of([{"pass": 1}])
    for count in range(5):
        for chosen in itertools.permutations("ABCDEFG", count):
            for action in ({"cards": [*chosen], "player": 0}, {"cards": [*chosen]}, {"cards": chosen, "player": 0}):
                assert (action in both) == any(action == one for one in both)
    assert {"cards": ["A", "A", "B"], "player": 0} not in both and {"pass": 1} in both and 5 not in both
    assert {"cards": [[], {}, None], "player": 0} not in both
    many = Choices.of_subsets(range(25), 12, lambda chosen: made.append(1) or {"deck": chosen})  # type: ignore[func-returns-value]
    assert {"deck": [*range(13, 25)]} in many and {"deck": [*range(12, 0, -1)]} not in many and len(made) < 3


def test_tw_7_a_deck_of_a_players_own_is_checked_without_walking_through_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """147,055 decks lie before the last one."""
    made: list[int] = []
    plain = engine._nth_subset
    monkeypatch.setattr(engine, "_nth_subset", lambda *given: made.append(1) or plain(*given))  # type: ignore[func-returns-value]
    last = OwnPlayer("last", lambda view, legal, random: legal[-1])
    simulate(find_game("tower-war"), [last, "random"], 1, jobs=1, quiet=True)
    assert 0 < len(made) < 10


@pytest.mark.parametrize("name", ["towers-and-bowers", "bowers", "towie", "tower-war"])
@pytest.mark.parametrize("card", [-1, -60, 54, 99])
def test_cards_that_do_not_exist_cannot_be_played(name: str, card: int) -> None:
    game: Any = random_game(name, 4, steps=30)
    rng = np.random.default_rng(0)
    while game.result is None:
        before = game.state()
        assert not game.can_play(card)
        if isinstance(game, Match):
            assert not game.can_discard(card) and not game.can_correct(card)
        if isinstance(game, TowerWar):
            assert not game.can_cap(card) and not game.can_base(card) and not game.can_draw([card])
        assert game.state() == before
        if game.phase == "PLAY" and game.can(game.legal()[0]):
            break
        step(game, rng)


# ------------------------------------------------------------------------------------------- records that cannot be

JUNK: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 7, 54, 10**12, -(10**5000), 1.0, 1.5, float("nan"), float("inf")),
    *("", "\n", "\u2028", "x", "JS", "X1", "P", "S", "\x00", "9" * 5000, [], {}, [[]], [None], [1, 5, 5], [-1]),
    *(["JS"], ["JS", "JS"], ["\n"], [["JS"], []], {"a": 1}, "action", "deal", "play", "call", "split"),
]
GARBLED = ["{", "[1]", "null", '{"action": "play"', "[" * 100_000, '{"action": ' + "9" * 5000 + "}", '"\\ud800"', "{}"]


def mutated(record: dict[str, Any], others: list[dict[str, Any]], rng: np.random.Generator) -> dict[str, Any]:
    """A record with one to three things changed in it."""
    changed: dict[Any, Any] = copy.deepcopy(record)
    for _ in range(int(rng.integers(1, 4))):
        junk = JUNK[int(rng.integers(len(JUNK)))]
        keys = list(changed) or ["action"]
        key = keys[int(rng.integers(len(keys)))]
        match int(rng.integers(7)):
            case 0:
                changed.pop(key, None)
            case 1:
                changed[key] = junk
            case 2:
                changed[["player", "card", "falls", "depth", "", 5][int(rng.integers(6))]] = junk
            case 3 if isinstance(changed.get(key), list) and changed[key]:
                changed[key][int(rng.integers(len(changed[key])))] = junk
            case 4 if isinstance(changed.get(key), list) and changed[key]:
                changed[key].pop()
            case 5:
                other = others[int(rng.integers(len(others)))]
                changed |= {one: copy.deepcopy(other[one]) for one in list(other)[: int(rng.integers(1, 4))]}
            case _:
                changed["player"] = int(rng.integers(-1, 4))
    return changed


def check_refused_or_new(game: Engine[Any, Any], record: Any) -> bool:
    """Apply a record to a copy: a new state, or one line and the old state. Whether it was taken."""
    twin = game.copy()
    state = game.state()
    lines = list(game.transcript())
    try:
        twin.apply(record)
    except TowerlabError as error:
        assert len(str(error).splitlines()) == 1, (str(error), record)
        assert twin.state() == state and list(twin.transcript()) == lines, record
        assert not game.can(record)
        return False
    assert len(twin.actions) == len(lines)
    assert game.state() == state and list(game.transcript()) == lines
    return True


@each_game
@pytest.mark.parametrize("records", [400, exhaustive(20_000)])
def test_records_that_cannot_be_are_refused_in_one_line(name: str, records: int) -> None:
    """Mutated records in random games, every eighth in a transcript."""
    kind, given = GAMES[name]
    rng = np.random.default_rng(11)
    taken = 0
    done = 0
    while done < records:
        game = random_game(name, int(rng.integers(2**32)), steps=int(rng.integers(60)))
        due = game.result is None and game.to_act is None
        others = [*game.actions, *(game.legal()[:3])] + ([game.chance(rng)] if due else [])
        if not others:
            continue
        for _ in range(40):
            record = mutated(others[int(rng.integers(len(others)))], others, rng)
            taken += check_refused_or_new(game, record)
        for _ in range(5):
            lines = list(game.transcript())
            place = int(rng.integers(len(lines)))
            record = mutated(json.loads(lines[place]), others, rng)
            if rng.random() < 0.2:
                lines[place] = GARBLED[int(rng.integers(len(GARBLED)))]
            else:
                with contextlib.suppress(ValueError):  # Python does not print a number of 5,000 digits
                    lines[place] = json.dumps(record)
            try:
                again = kind.from_transcript(lines, **given)
            except TowerlabError as error:  # a record may be possible, and one that follows not
                named = re.match(r"line (\d+)\b.*$", str(error))
                assert named and place < int(named[1]) <= len(lines), (str(error), lines[place])
            else:
                assert kind.from_transcript(again.transcript(), **given).state() == again.state()
        done += 45
    assert taken > records / 200


@each_game
@pytest.mark.parametrize("record", [None, 5, [], "deal", {}, {"action": []}, {"action": "deal\n"}, {5: 5}])
def test_what_is_no_record_is_refused(name: str, record: Any) -> None:
    assert not check_refused_or_new(start(name, np.random.default_rng(2)), record)


# ------------------------------------------------------------------------------------------------- what views hide


HIDING = {"claims": "off", "renege_mode": "forbidden"}  # who claims or reneges tells the others something


@each_game
@pytest.mark.parametrize(("games", "every"), [(1, 16), exhaustive(30, 8)])
def test_a_view_is_the_same_whatever_a_seat_has_not_seen(name: str, games: int, every: int) -> None:
    """Compare the views of a seat, every so many steps, in twin games that differ in what they have not seen."""
    rng = np.random.default_rng(21)
    compared = 0
    differ = 0
    kind = GAMES[name][0]
    for _ in range(games):
        options = random_options(kind.OPTIONS, rng)
        if name == "towers-and-bowers":
            options = dataclasses.replace(options, **HIDING)
        game = kind(options)
        for step_number in range(150):
            if game.result is not None:
                break
            step(game, rng)
            if step_number % every:
                continue
            for seat in list(game.seats)[:4]:
                for twin in twins(game, seat, rng):
                    assert twin.view(seat) == game.view(seat), (seat, game.actions)
                    assert list(twin.legal(seat)[:20]) == list(game.legal(seat)[:20])
                    compared += 1
                    differ += twin.state() != game.state()
    assert compared > 20 * games and differ > 0.5 * compared, (compared, differ)


# --------------------------------------------------------------------------------------------------------- options


@dataclasses.dataclass(frozen=True)
class ToyOptions:
    """One option that solutions do not notice, and a new one that nobody has thought about."""

    rounds: int = option(3, "T-1", "rounds of a match", low=1, solved=True)
    wild: bool = option(False, "T-2", "a wild card")


def changes_a_hand(field: dataclasses.Field[Any]) -> bool:
    """Whether a value of an option of Towers & Bowers changes the rules of a hand, or what may be played in it."""
    values = field.metadata["choices"] or (
        range(field.metadata["low"], 4) if type(field.default) is int else (True, False)
    )
    games = [Match.OPTIONS(**{field.name: value}) for value in values]
    # Stopping early changes no result (test_stopping_early_changes_no_result).
    rules = {(options.hand_rules._replace(early_stop=1), options.enforces_reneges) for options in games}
    return len(rules) > 1


def test_an_option_says_itself_whether_stored_solutions_hold() -> None:
    assert solutions_hold(ToyOptions(rounds=9)) and not solutions_hold(ToyOptions(wild=True))
    assert {field.name for field in dataclasses.fields(Match.OPTIONS) if not field.metadata["solved"]} == {
        field.name for field in dataclasses.fields(Match.OPTIONS) if changes_a_hand(field)
    }, "options that change what a call is worth are those without solved=True in games/towers_and_bowers/options.py"
    assert solutions_hold(Match.OPTIONS(claims="off", first_n=3, starter="fixed"))
    assert not solutions_hold(Match.OPTIONS(tie_to="bidder"))
