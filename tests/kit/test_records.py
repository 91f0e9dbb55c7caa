"""Real games entered as one seat saw them: random games entered card by card give back the view of the truth."""

from __future__ import annotations

import copy
import dataclasses
import html
import io
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, Answer, exhaustive
from towerlab.analysis.advice import Choice
from towerlab.analysis.catalog import GAMES, find_game
from towerlab.analysis.saved_games import read_lines
from towerlab.games.cards import mask_text, parse_card
from towerlab.games.errors import TowerlabError
from towerlab.games.options import options_in_words
from towerlab.games.towers.board import parse_rank
from towerlab.games.towers.rules import legal_places
from towerlab.table.commanding import table_of
from towerlab.table.fitting_layouts import CardLeft, ExcludedCards, Holdings, NoLayoutFits
from towerlab.table.game import HUMAN, Prompt
from towerlab.table.grading import total
from towerlab.table.many_games import review_folder
from towerlab.table.play import HELP_RECORD
from towerlab.table.reading import plain_words, read_action
from towerlab.table.record import Recording, is_record, read_record, replay_views
from towerlab.table.review import review_lines
from towerlab.table.scene import Cards
from towerlab.table.session import Lineup, Session
from towerlab.table.showing import show_game
from towerlab.table.unknown import cards_in, cards_named, fill_unknown
from towerlab.web.pages import record_page, table_page

HIDDEN = ("discard", "bury", "build")


@pytest.fixture(autouse=True)
def nobody_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No player of the simulator is asked the same questions: that takes long and is tested elsewhere."""
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())


def entering(game: str, *lines: str, seat: int = 0, path: Path | None = None, **options: Any) -> Recording:
    """A record after some answers."""
    record = Recording(table_of(game), GAMES[game].load("options")(**options), seat, path)
    for line in lines:
        record.answer(line)
    return record


@pytest.mark.parametrize("rules", [{}, {"renege_mode": "enforced"}])
def test_objections_to_a_hand_are_asked_for_before_the_next_one(rules: dict[str, str]) -> None:
    """After a claim that was proved the other player may insist (TB-28), after a renege accuse (TB-25)."""
    begun: dict[str, Any] = {"seat": 1, "first_n": 2, "starter": "fixed", **rules}
    recording = entering("towers-and-bowers", "QD", "JD 9S", "accept", "claim 1", **begun)
    assert recording.ask().choices == ("the game goes on", "player 1: insist")
    before = recording.lines()
    with pytest.raises(TowerlabError):
        recording.answer("ZZ")
    assert recording.lines() == before and recording.ask().choices[1] == "player 1: insist"
    recording.answer("player 1: insist")
    assert recording.ask().question == "Your lead: play any card."
    assert recording.take_back()
    for line in ("KH", "QS"):  # an answer about the next hand is that the game goes on
        recording.answer(line)
    assert "QS" in mask_text(recording.layout.engine.view(1).hand)
    if rules:
        again = entering("towers-and-bowers", "QD", "JD 9S", "accept", "JD", "9C", "QD", **begun)
        again.answer(next(words for words in again.ask().choices if "in trick 1" in words and "player 1" not in words))
        assert again.ask().question == "Do you take the tower?"


class Witness:
    """Somebody who was at a game between players who draw lots and tells it as their seat saw it."""

    def __init__(
        self,
        game: str,
        seed: int,
        path: Path | None = None,
        most: int = 160,
        hidden: tuple[str, ...] = HIDDEN,
        seat: int | None = None,
        **options: Any,
    ) -> None:
        self.hidden = hidden
        self.game = table_of(game)
        rules = GAMES[game].load("options")(**options)
        seats = self.game.seats(rules)
        played = Session.begin(
            self.game, rules, Lineup(("novice" if game == "towie" else "random",) * seats, seed), None
        )
        for _ in range(most):  # a few deals
            played.step()
        self.seat = seed % seats if seat is None else seat
        self.left = list(played.engine.actions)
        self.truth = self.game.start(rules)
        self.record = Recording(self.game, rules, self.seat, path)
        self.lines: list[str] = []
        self.asked: list[str] = []
        self.acted = 0
        self._wait()

    def _wait(self) -> None:
        """The true game up to somebody's decision."""
        while self.truth.to_act is None and self.left and self.truth.result is None:
            self.truth.apply(self.left.pop(0))

    def tell(self) -> bool:
        """One answer; whether something was asked that they can tell."""
        asked = self.record.ask()
        layout = self.record.layout
        self.asked.append(asked.question)
        self._follow()
        if asked.is_over or not self.left:
            return False
        if (row := layout.unnamed_row()) is not None:
            line = " ".join(self._row(*row))
        elif layout.engine.to_act is None:
            line = self._lot()
        else:
            line = self._action()
        self.lines.append(line)
        self.record.answer(line)
        self._follow()
        layout = self.record.layout
        is_cut = not self.left and self.truth.to_act != self.seat  # before a discard that went without saying
        if layout.engine.to_act == self.seat and layout.unnamed_row() is None and not is_cut:
            recorded = layout.engine.view(self.seat)
            true = self.truth.view(self.seat)
            if hasattr(true, "old_hand"):  # how the piles of a goulash lay is not recorded
                true = dataclasses.replace(true, old_hand=(), old_dummy=())
            assert recorded == true or true.phase == "TAKE"  # of a draft they may lie the other way round
        return True

    def _follow(self) -> None:
        """The true game up to where the record is: what went without saying was so."""
        layout = self.record.layout
        chosen = [record for record, by in zip(layout.records, layout.by_chance, strict=True) if not by]
        for record in chosen[self.acted : self.acted + len(self.left)]:
            action = self._act()
            others = [one for one in cards_in(record) if one != "?"]
            is_same = set(others) <= set(cards_in(action)) or action["action"] == "take"
            assert is_same and action["action"] == record["action"]
            is_last = record == self.record.layout.records[-1]
            if is_last and action["action"] not in self.hidden and "?" in record.values():
                self.record.answer(f"{action['action']} {action['card']}")

    def _act(self) -> dict[str, Any]:
        """The next action, done in the true game."""
        self.acted += 1
        action = self.left.pop(0)
        self.truth.apply(action)
        self._wait()
        return action

    def _row(self, title: str, labels: list[str]) -> list[str]:
        """The cards of a row that they see and have not named."""
        true, mine = (
            next(
                part.cards
                for part in self.game.scene(engine.view(self.seat), self.record.names, engine.options).parts
                if isinstance(part, Cards) and title in (part.title, part.came)
            )
            for engine in (self.truth, self.record.layout.engine)
        )
        known = Counter(card for card in mine if card) - Counter(label.partition("#")[0] for label in labels)
        return list((Counter(card for card in true if card) - known).elements())

    def _lot(self) -> str:
        """What chance has visibly decided."""
        layout = self.record.layout
        if "the game goes on" in self.record.ask().choices:
            return "the game goes on"
        facts = layout.facts(self.truth), self.truth.to_act
        for words, chain in layout.chance_outcomes().items():
            twin = copy.copy(layout)
            for record in chain:
                twin.add(record)
            if (twin.facts(), twin.engine.to_act) == facts:
                return words
        raise AssertionError("what happened is not offered")

    def _action(self) -> str:
        """What the one on turn does, as it is typed."""
        action = self.left[0]
        seat = action.get("player", self.truth.to_act)
        prompt = self.game.prompt(self.truth.view(seat), self.truth.legal(seat)[:80])
        due, self._piles = self.truth.to_act, getattr(self.truth.view(seat), "piles", None)
        self._act()
        line = self._words(action, seat, prompt)
        return line if seat == due else f"player {seat + 1}: {line}"

    def _words(self, action: dict[str, Any], seat: int, prompt: Any) -> str:
        if seat != self.seat and action["action"] in self.hidden:
            return "?"
        if action["action"] in ("build", "bury"):
            return " ".join(action["cards"])
        if action["action"] == "split":
            return " ".join(action["piles"][0])
        if action["action"] == "take":
            piles = self.record.layout.engine.view(seat).piles
            return f"pile {piles.index(self._piles[action['pile']]) + 1}"
        for choice in prompt.choices:
            if all(action.get(key) == value for key, value in choice.action.items() if key != "player"):
                return str(choice.words[0] if choice.words else choice.text)
        raise AssertionError(f"{action} is not offered")


def entered(game: str, seed: int, most: int, path: Path | None = None, records: int = 160) -> Witness:
    witness = Witness(game, seed, path, records)
    while (len(witness.lines) < most or witness.record.layout.unnamed_row()) and witness.tell():
        pass
    return witness


KEYS = [*map(str, range(21)), *"ATJQKCDHSLMPX?"]


@pytest.mark.parametrize("game", GAMES)
def test_no_keystroke_means_what_is_not_on_the_screen(game: str) -> None:
    """A number is a line of the list, in the terminal; a rank of Towers is a card where it fits one place only."""
    witness = Witness(game, 3, most=200)
    taken = Counter[str]()
    kinds = Counter[Any]()
    while len(witness.lines) < 40 and witness.tell():
        record = witness.record
        asked = witness.record.ask()
        kinds[kind := (record.prompt is None, asked.is_row)] += 1
        for key, numbered in (
            itertools.product(KEYS[::3] if game == "towie" else KEYS, (True, False))  # Towie lays hands out at each
            if kinds[kind] in ((2,) if game in ("towie", "towers") else (2, 5))
            else ()
        ):
            twin = copy.copy(record)
            twin.path = None
            try:
                twin.answer(key, numbered)
            except TowerlabError:
                continue
            said = twin.entries[-1]
            is_line = numbered and key.isdecimal() and 0 < int(key) <= len(asked.choices)
            taken["line" if is_line else "word"] += 1
            if is_line:
                assert said == asked.choices[int(key) - 1]
                assert game != "towers" or plain_words(key) not in record.game.hand(record.layout.engine, record.seat)
                continue
            assert plain_words(key) in re.split(r"[^A-Z0-9?]+", plain_words(said)) and not (
                key.isdecimal() and game != "towers"
            )
            if game == "towers" and not asked.is_row:  # a rank alone
                board = record.layout.engine.state().board.to_array()
                places = legal_places(board, parse_rank(plain_words(key)), record.layout.engine._rules)
                assert int(places).bit_count() == 1
    assert taken["line"]


@pytest.mark.parametrize("game", GAMES)
def test_the_words_of_every_choice_are_taken(game: str) -> None:
    """Whole, up to a colon, and by their first words where no other choice has them; on random positions and rules."""
    dice = random.Random(game)
    rules = {"renege_mode": "enforced", "renege_declined": "undo"} if game == "towers-and-bowers" else {}
    table = table_of(game)
    kinds = set()
    for seed in range(3 if game != "towers-and-bowers" else 12):
        engine = table.start(GAMES[game].load("options")(**rules))
        chance = np.random.default_rng(seed)
        for _ in range(60):
            if engine.result is not None:
                break
            seat = engine.to_act
            if seat is None:
                engine.apply(engine.chance(chance))
                continue
            prompt = table.ask(engine, seat)
            for choice in prompt.choices:
                kinds.add(choice.action["action"])
                assert read_action(choice.text, prompt, numbered=False) == choice.action
                first = plain_words(choice.text.split(":")[0].split()[0])
                alike = [
                    other for other in prompt.choices if re.match(rf"{re.escape(first)}\b", plain_words(other.text))
                ]
                named = [other for other in prompt.choices if first in map(plain_words, other.words)]
                if len(alike) == 1 and first.isalpha() and len(first) > 1 and not named:
                    assert read_action(first, prompt, numbered=False) == choice.action
            legal = engine.legal()
            engine.apply(legal[dice.randrange(len(legal))])
    assert game != "towers-and-bowers" or "accept_undo" in kinds or "take_penalty" in kinds


def test_an_offer_is_answered_by_its_words() -> None:
    choices = tuple(
        Choice({"action": name, "player": 1}, text, (name, text))
        for name, text in (("accept_undo", "accept: play on from that trick"), ("decline_undo", "decline the offer"))
    )
    for word, name in (("accept", "accept_undo"), ("decline", "decline_undo"), ("Decline the", "decline_undo")):
        assert read_action(word, Prompt("?", choices), numbered=False)["action"] == name


def test_a_correction_out_of_turn_is_offered_and_named_as_the_screen_names_its_player() -> None:
    """TB-23: by one's own name while the other is to act, in the choices and in the words behind `?`."""
    lines = ("QS", "9C AD KH", "accept", "9C", "10H", "AD")
    recording = entering("towers-and-bowers", *lines, first_n=3, starter="fixed", renege_mode="enforced")
    asked = recording.ask()
    assert "player 2" in asked.question.casefold()
    assert "you: correct K♥" in asked.choices and "you: correct K♥" in asked.asides
    twin = copy.copy(recording)
    twin.answer("you: correct KH")
    recording.answer(str(asked.choices.index("you: correct K♥") + 1))
    assert recording.layout.engine.state() == twin.layout.engine.state()
    assert recording.layout.engine.state().hand.tricks[-1].reply == parse_card("KH")
    assert "you: correct" in HELP_RECORD


@pytest.mark.exhaustive
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_entered(game: str) -> None:
    witness = entered(game, 7, 100_000, records=100_000)
    assert not witness.left and witness.record.ask().is_over
    assert witness.record.layout.engine.result == witness.truth.result


def readable(game: str, seed: int, seat: int | None, path: Path, records: int) -> Witness:
    """A game entered as a seat saw it gives a file that is read with the same view, and reviewed to its end."""
    witness = Witness(game, seed, path, records, seat=seat)
    while witness.tell():
        pass
    lines = read_lines(path)
    again = read_record(lines, witness.game)  # what the file says is enough
    if witness.record.layout.unnamed_row() is None:  # else the last row is made up
        assert again.layout.engine.view(witness.seat) == witness.record.layout.engine.view(witness.seat)
    mute = copy.copy(witness.game)
    mute.advise = mute.grade = lambda *_: None
    review = review_lines(lines, mute)
    assert review.seats == (witness.seat,) and (review.grading.unadvised > 0 or len(again.layout.records) < 30)
    return witness


@pytest.mark.parametrize(
    ("game", "seed", "records"),
    [
        pytest.param("bowers", 200, 400, marks=pytest.mark.exhaustive),
        pytest.param("bowers", 201, 260, marks=pytest.mark.exhaustive),
        pytest.param("bowers", 205, 400, marks=pytest.mark.exhaustive),
        ("bowers", 210, 200),
        ("towers-and-bowers", 1, 120),
        pytest.param("towers-and-bowers", 2, 120, marks=pytest.mark.exhaustive),
        ("towie", 2, 90),
        pytest.param("towie", 3, 90, marks=pytest.mark.exhaustive),
        ("towers", 1, 20),
        ("tower-war", 2, 60),
        ("tower-war", 7, 60),
    ],
)
def test_what_is_acknowledged_can_be_read_and_reviewed(game: str, seed: int, records: int, tmp_path: Path) -> None:
    """With seeds 201, 205 and 210 declarer of Bowers buried cards that were the only unknown ones of the deal.

    With seed 7 the other player of Tower War plays a joker as a copy.
    """
    witness = readable(game, seed, None, tmp_path / "record.jsonl", records)
    head, *written = map(json.loads, read_lines(tmp_path / "record.jsonl"))
    assert len(witness.lines) >= 20 and head["table"]["seat"] == witness.seat
    said = {plain_words(word) for line in witness.lines for word in re.split(r"[\s,:|]+", line)}
    assert cards_named(written[witness.record.layout.first :]) <= said  # what nobody has named is "?"


def damaged(lines: Sequence[str], dice: random.Random) -> list[str]:
    """A record of which an action is left out or repeated, or names another card or none."""
    records = [json.loads(line) for line in lines]
    place = dice.choice([n for n, record in enumerate(records) if "card" in record])
    match dice.randrange(4):
        case 0:
            del records[place]
        case 1:
            records.insert(place, records[place])
        case _:
            cards = sorted(cards_named(records[1:]))
            records[place]["card"] = dice.choice([*cards, *["?"] * (len(cards) // 2)])
    return list(map(json.dumps, records))


@pytest.mark.parametrize(("game", "many"), [(game, 12) for game in GAMES] + [exhaustive(game, 500) for game in GAMES])
def test_what_is_refused_does_not_depend_on_the_cards_made_up(
    game: str, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card that was played is named; Towers took one that was not, if the card made up happened to fit."""
    witness = entered(game, 4, 1000, records=20 if game == "towers" else 60)
    dice = random.Random(game)
    for _ in range(many):
        lines = damaged(witness.record.lines(), dice)
        verdicts = []
        for seed in (0, 1):
            monkeypatch.setattr("towerlab.table.hidden._SEED", seed)
            try:
                read_record(lines, witness.game)
            except TowerlabError as error:
                assert not str(error).endswith(": ")
                verdicts.append(str(error).partition(":")[0])
            else:
                verdicts.append("")
        assert verdicts[0] == verdicts[1], lines
        assert verdicts[0] or '"play", "player": 1, "card": "?"' not in "".join(lines)


@pytest.mark.exhaustive
@pytest.mark.parametrize("game", GAMES)
def test_two_hundred_games_of_every_seat_can_be_read_and_reviewed(game: str, tmp_path: Path) -> None:
    for seed in range(1000, 1200):
        for seat in table_of(game).start(GAMES[game].load("options")()).seats:
            readable(game, seed, seat, tmp_path / f"{seed}-{seat}.jsonl", 30 if game == "towers" else 120)


def test_a_match_of_which_everything_became_known_is_a_transcript(tmp_path: Path) -> None:
    """What was dealt to nobody may lie as it likes; a discard that nobody named keeps the record one of views."""
    for hidden in ((), HIDDEN):
        path = tmp_path / f"{len(hidden)}.jsonl"
        witness = Witness("towers-and-bowers", 3, path, 100_000, hidden, early_stop=False, towers_to_win=1)
        while witness.tell():
            pass
        truth = witness.truth
        lines = path.read_text().splitlines()
        assert truth.result is not None and is_record(lines) == bool(hidden) == ("?" in path.read_text())
        if not hidden:
            again = witness.game.replay(lines)
            assert again.result == truth.result
            assert all(again.view(seat) == truth.view(seat) for seat in truth.seats)


def test_a_number_means_the_same_when_asked_again() -> None:
    """Chance is sampled to see what it can do: in whatever order it turns up, the list does not change."""
    recording = entering("bowers")
    assert len({recording.ask().choices for _ in range(5)}) == 1 and len(recording.ask().choices) == 3


@pytest.mark.parametrize(
    ("game", "seed", "most"),
    [
        ("towers-and-bowers", 2, 30),
        pytest.param("towie", 101, 40, marks=pytest.mark.exhaustive),
    ],
)
def test_a_record_is_graded_as_views(game: str, seed: int, most: int, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    witness = entered(game, seed, most, path)
    assert any("goulash" in line for line in show_game(read_lines(path), witness.game).lines) == (game == "towie")
    review = review_lines(read_lines(path), witness.game)
    assert review.decisions and {one.seat for one in review.decisions} == {witness.seat}
    with pytest.raises(TowerlabError, match="seat"):
        review_lines(read_lines(path), witness.game, (1 - witness.seat,))


def test_what_nobody_saw_is_averaged_over_in_a_review(tmp_path: Path) -> None:
    """Luck of a record: in every way its cards are laid the seat has seen the same."""
    witness = entered("towers-and-bowers", 4, 20, tmp_path / "record.jsonl")
    lines = read_lines(tmp_path / "record.jsonl")
    engine, _, worlds = replay_views(lines, witness.game, 20)
    assert len(worlds) == 20 and len({tuple(map(str, world.actions)) for world in worlds}) > 10
    for layout in (witness.record.layout, read_record(lines, witness.game).layout) * 2:  # entered or read, asked again
        assert [world.actions for world in layout.sample_games(20)] == [world.actions for world in worlds]
    short = engine.reset_copy()
    for action in engine.actions[: len(worlds[0].actions)]:
        short.apply(action)
    assert all(world.view(witness.seat) == short.view(witness.seat) for world in worlds)
    review = review_lines(lines, witness.game)
    ledger = review.grading.ledger
    assert ledger is not None and "20 ways" in ledger.sentences[1]
    places = {review.place(one.number).partition(" (")[0] for one in review.decisions}
    assert places <= {f"hand {n}" for n in range(1, 9)}


@pytest.mark.parametrize("allowed", [True, False])
def test_tb_11_an_up_card_that_may_be_discarded_is_drawn_as_the_discard(allowed: bool) -> None:
    """Of three cards and the up-card each is as likely, until the lead shows that the dealer kept no trump."""
    lines = ("dealer player 2, your turn", "AH", "QH 9D KC", "pass", "accept")
    record = entering("towers-and-bowers", *lines, allow_discard_upcard=allowed, first_n=3)
    discards = [
        one["card"] for world in record.layout.sample_games(200) for one in world.actions if one["action"] == "discard"
    ]
    assert len(discards) == 200 and len(set(discards)) > 15
    assert 30 < discards.count("AH") < 70 if allowed else "AH" not in discards
    record.answer("QH")
    if allowed:
        record.answer("TS")
        worlds = record.layout.sample_games(200)
        assert worlds and all({"action": "discard", "player": 1, "card": "AH"} in world.actions for world in worlds)
    else:
        with pytest.raises(TowerlabError):
            record.answer("TS")


@pytest.mark.slow
def test_a_folder_is_reviewed_game_by_game(tmp_path: Path) -> None:
    for seed in (1, 4):
        entered("towers", seed, 16, tmp_path / f"{seed}.jsonl")
    (tmp_path / "strange.jsonl").write_text("no game\n")
    (tmp_path / "nobody.jsonl").write_text((ROOT / "tests/golden/towers.jsonl").read_text())
    many = review_folder(tmp_path)
    assert many.games == {"towers": 2} and set(many.skipped) == {"strange.jsonl", "nobody.jsonl"}
    kinds: dict[str, list[float]] = {}
    for path in (tmp_path / "1.jsonl", tmp_path / "4.jsonl"):
        review = review_lines(read_lines(path), table_of("towers"))
        for row in many.rows:
            own = [one for one in review.decisions if one.habit == row.kind and not one.is_forced]
            kinds.setdefault(row.kind, []).append(review.table.scale.number(total(own)))
    for row in many.rows:  # a game is one observation, however many decisions it had
        first, second = kinds[row.kind]
        assert row.cost_per_game.mean == pytest.approx((first + second) / 2) and row.cost_per_game.n == 2
        half = 12.706 * abs(first - second) / 2  # Student's t of two values
        assert row.cost_per_game.high - row.cost_per_game.mean == pytest.approx(half, rel=1e-3, abs=1e-9)
    (tmp_path / "4.jsonl").unlink()
    alone = review_folder(tmp_path)
    assert {row["interval"] for row in alone.to_json()["kinds"]} == {None}  # "failed inside" with --json before
    assert "(no interval)" in str(alone)


def test_a_record_is_entered_in_the_browser(tmp_path: Path) -> None:
    from tests.oracles.serving import visit
    from towerlab.web.app import TableServer

    server = TableServer(tmp_path)
    client = visit(server)
    fields = {"token": server.token, "game": "towers-and-bowers", "seat": "2"}
    begun = client.post("/record", data=fields, follow_redirects=False)
    assert begun.status_code == 303
    page = begun.headers["location"]

    def answer(line: str, **more: str | list[str]) -> int:
        length = client.get(page).text.partition('name="length" value="')[2].partition('"')[0]
        data = {"token": server.token, "length": length, "line": line, **more}
        return client.post(f"{page}/answer", data=data, follow_redirects=False).status_code

    assert answer("dealer player 1, your turn") == 303
    assert client.get(page, params={"format": "json"}).json()["question"] == "Up-card: which card?"
    assert answer("QS") == 303 and answer("<b>") == 400
    hand = ["JS", "AS", "KS", "9S", "AD", "TH", "9C"]  # clicked among the cards that nobody has named
    assert all(f'name="pick" value="{card}"' in client.get(page).text for card in hand)
    assert answer("", pick=hand[:3]) == 400 and answer("", pick=hand) == 303
    assert "[hidden] { display: none !important; }" in client.get("/static/style.css").text  # the Enter key's button
    assert "<b>" not in client.get(page).text and answer("accept (♠ trumps)") == 303
    assert client.post(f"{page}/answer", data={"token": server.token, "length": "0", "line": "x"}).status_code == 409
    shown = client.get(page).text
    again = visit(TableServer(tmp_path))  # the server was killed: the file has everything
    assert "Your lead: play any card." in again.get(page).text  # the dealer's discard goes without saying
    assert answer("", do="back") == 303 and client.get(page).text != shown
    assert client.get("/").text.count(page) == 1


def test_a_hand_in_a_line_a_change_and_the_middle_of_a_match(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    rules = GAMES["towers-and-bowers"].load("options")()
    begun = {"score": [1, 2], "cards": [4], "dealer": [0]}
    record = Recording(table_of("towers-and-bowers"), rules, 0, path, start=begun)
    record.answer("QS AJS KH 9C pass accept 9C 10S/AS JS/9H")
    assert record.layout.engine.state().towers == (1, 2) and record.layout.engine.view(0).taken == (2, 0)
    assert record.ended_hands == []
    assert record.entries[:4] == ["QS", "AS JS KH 9C", "pass", "accept"] and len(record.entries) == 9
    before = path.read_text()
    for wrong in ("#4 pass", "#77 QC", "QS KH/9H 9S", "KH/AS"):  # the eighth answer was 9H, the seventh A♠
        with pytest.raises(TowerlabError):
            record.answer(wrong)
        assert path.read_text() == before
    again = read_record(before.splitlines(), record.game, path)
    again.answer("#9 KS")  # the server was started anew
    assert again.layout.engine.view(0).tricks[-1].reply == parse_card("KS") and again.entries[8] == "KS"
    again.answer("QS/KC KH/KD")  # the last cards are asked for only where they are not known
    assert again.ended_hands == ["Hand of 4: you 4 : 0; towers 2 : 2"]
    assert again.layout.engine.state().towers == (2, 2) and again.ask().question == "Who deals?"
    assert again.take_back() and again.ended_hands == []
    for name, numbers in (("score", [1]), ("dealer", [2]), ("cards", [4]), ("games", [1, 1])):
        with pytest.raises(TowerlabError, match=f"{name}|begin"):
            Recording(record.game, rules, 0, None, start={name: numbers})


def test_the_sample_line_of_the_page_is_understood() -> None:
    page = (ROOT / "docs/play.md").read_text()
    option, line = re.findall(r"`([^`]+)`", page[page.index("Answers go one by one") :])[:2]
    name, cards = option.removeprefix("--option ").split("=")
    record = entering("towers-and-bowers", " ".join(line.split()), **{name: int(cards)})
    assert record.layout.engine.view(0).taken == (2, 0) and len(record.entries) == 10


def test_who_deals_is_said_by_a_part_of_the_words() -> None:
    assert entering("towers-and-bowers", "dealer player 2").ask().question.startswith("Up-card")
    assert entering("bowers", "Dealer you").layout.engine.view(0).dealer == 0


BID_7S = ("dealer player 3", "AKJ9S TH AD KQJ9C", "7S", "pass", "pass")
ALL_PASS = ("dealer player 2", "QD", "JD 9S 9C KC", "pass", "pass", "pass", "S")
ACCEPTED = ("dealer you QS AJS KH 9C pass accept 9C 10S/AS JS/9H",)


@pytest.mark.parametrize(
    ("game", "lines", "wrong", "why"),
    [
        ("towers-and-bowers", (), "player 2", "is no answer; expected one of dealer player 2"),
        ("towers-and-bowers", ("dealer you",), "7S", "7♠ is no card of this game"),
        ("towers-and-bowers", ("dealer you", "QS"), "AJKS AS", "A♠ is told twice"),
        ("towers-and-bowers", (*ALL_PASS, "JD"), "QD", "Q♦ lies in no player's hand"),
        ("bowers", BID_7S, "AS TH", "A♠ was dealt to you"),
        ("bowers", BID_7S, "7D", "1 card told; expected 2"),
        ("bowers", (*BID_7S, "8S 7D  7D TH  AS"), "8S", "was dealt to you"),
        ("bowers", (*BID_7S, "8S 7D  7D TH  AS"), "AS", "left your hand with action 6"),
        ("bowers", (*BID_7S, "8S 7D  7D TH  AS"), "?", "is no card"),
        ("bowers", (*BID_7S, "8S 7D  7D TH  AS", "QS"), "QS", "left player 2's hand"),
        ("towers-and-bowers", ACCEPTED, "claim 7", "claim 7"),
        ("towers-and-bowers", ACCEPTED, "KH/KH", "at word 2 of the line: play K♥"),
        ("towers-and-bowers", ACCEPTED, "KH 7D", "at word 2 of the line: .*7♦"),
        *(("towers-and-bowers", ACCEPTED, wrong, ".") for wrong in ("xx", "", "99", "player 9: pass", "😀" * 50)),
    ],
)
def test_what_cannot_have_been_is_refused_with_its_reason(
    game: str, lines: tuple[str, ...], wrong: str, why: str, tmp_path: Path
) -> None:
    """A card of the wrong place is named as such, and the word of a line that is wrong; the file stays as it is."""
    path = tmp_path / "record.jsonl"
    record = entering(game, *lines, path=path, **{"first_n": 4} if game == "towers-and-bowers" else {})
    entries = record.entries
    before = path.read_bytes() if lines else b""
    with pytest.raises(TowerlabError, match=why) as error:
        record.answer(wrong)
    assert record.entries == entries and "\n" not in str(error.value) and (not lines or path.read_bytes() == before)
    assert lines != BID_7S or record.ask().question == "The kitty: which 2 cards?"


IDENTIFIER = re.compile(r"\b\w*[a-z]_[a-z]\w*")  # of a program, such as decline_cut


def read_by_people(page: str) -> str:
    """The text of a page without markup, scripts and code."""
    page = re.sub(r"<(style|script|code|pre)\b.*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("towers-and-bowers", {}),
        (
            "towers-and-bowers",
            {"renege_mode": "enforced", "claims": "free", "renege_declined": "award_hand", "accuse_scope": "hand"},
        ),
        ("bowers", {"joker": "add", "misere_fail_opponents": "bidder_tricks"}),
        ("towie", {"claims": True, "n_players": 4, "goulash_sort": "rank_desc"}),
        ("towers", {"landing": "both_ends_on_bridge"}),
        ("tower-war", {"short_hand": "lose"}),
    ],
)
def test_no_identifier_reaches_who_plays_or_enters_a_game(game: str, options: dict[str, Any]) -> None:
    """Random games of people who do all by hand, and a record: tables, prompts, logs, questions, choices."""
    table = table_of(game)
    rules = GAMES[game].load("options")(**options)
    session = Session.begin(
        table, rules, Lineup((HUMAN,) * table.seats(rules), 3, by_hand=table.by_hand is not None), None
    )
    random = np.random.default_rng(0)
    texts = [options_in_words(rules)]
    while session.length < 40 and not session.is_over:
        seat = session.waits_for
        if seat is None:
            session.agree(0)
            session.step()
            continue
        shown = {"is_asked": False, "more": 0, "message": "", "proof": [], "plays_forced": False}
        texts.append(read_by_people(table_page(session, seat, name="x", token="x", **shown)))
        prompt = session.prompt(seat)
        choices = [choice.action for choice in prompt.choices]
        if not choices and prompt.pick is not None:
            choices = [prompt.pick.make(prompt.pick.cards[: prompt.pick.least])]
        action = choices[int(random.integers(len(choices)))]
        texts.append(session.place(seat, session.length))
        session.act(seat, action)
    witness = Witness(game, 1, **options)
    for _ in range(20):
        texts.append(read_by_people(record_page(witness.record, "x", "x")))
        texts += [*witness.record.understood, *witness.record.lines_without_question]
        if not witness.tell():
            break
    assert len(texts) > 30 and not {word for text in texts for word in IDENTIFIER.findall(text)}


@pytest.mark.parametrize("game", GAMES)
def test_answers_are_taken_back_after_the_file_was_read(game: str, tmp_path: Path) -> None:
    """One by one to the beginning: what is asked then is what was asked when they were given."""
    witness = Witness(game, 3, tmp_path / "record.jsonl")
    asked = list[Any]()
    for _ in range(9):
        asked.append(witness.record.ask().question)
        witness.tell()
    again = read_record((tmp_path / "record.jsonl").read_text().splitlines(), witness.game)
    for question in reversed(asked):
        assert again.take_back() and again.ask().question == question
    assert not again.take_back() and again.entries == []


def test_a_hand_that_was_shown_to_raze_is_asked_for_once() -> None:
    """Towers: it was asked for again after the next card of its owner, whose rank had been played before."""
    witness = entered("towers", 52, 100, records=40)
    shown = [line for line in witness.lines if line.startswith("raze")]
    asked = [asked for asked in witness.asked if asked.startswith("player 2: which")]
    assert len(asked) <= len(shown) and witness.seat == 0


def test_a_trick_of_two_words_is_entered_where_a_call_of_two_words_could_be() -> None:
    record = entering("towers-and-bowers", *ACCEPTED, "KH/10D", first_n=4)
    assert record.entries[-2:] == ["KH", "10D"] and len(record.entries) == 12


def test_whose_turn_it_is_is_asked_with_who_deals_and_from_where() -> None:
    record = entering("towers-and-bowers", "dealer player 2", "QD", "JD 9S 9C", "pass", first_n=3)
    assert record.ask().question == "Player 2, dealer: a call"
    witness = entered("towie", 50, 60)
    assert any(asked.endswith("a card from dummy") for asked in witness.asked)


def test_what_an_answer_was_taken_for_is_said_and_claims_are_listed_last() -> None:
    record = entering("towers-and-bowers", "dealer player 2", "QD", "JD 9S 9C KC", first_n=4)
    assert record.understood == ["Your hand: J♦ 9♠ 9♣ K♣"]
    for line, said in (
        ("pass", "you: pass"),
        ("accept", "player 2: accept (♦ trumps)"),
        ("9c/ac", "player 2: A♣ (wins)"),
    ):
        record.answer(line)
        assert said in record.understood
        asked = record.ask()
        places = [asked.choices.index(one) for one in asked.asides]
        assert places == [*range(len(asked.choices) - len(places), len(asked.choices))]
    record.answer("#4 pass")
    assert record.understood == ["you: pass"]
    record.take_back()
    assert record.understood == []


def test_an_accusation_that_rests_on_unseen_cards_is_recorded_as_it_ended() -> None:
    """It was judged by the cards as they happened to be made up (TB-24)."""
    lines = ("dealer player 2", "QD", "JD 9S 9C KC", "pass", "pass", "pass", "S", "9C", "QH", "9S", "TH")
    record = entering("towers-and-bowers", *lines, first_n=4, renege_mode="enforced")
    with pytest.raises(TowerlabError, match="rests on cards that nobody saw; expected how it ended"):
        record.answer("accuse of a renege in trick 1")
    for how, offender, question in (
        ("proved", 1, "Do you take the tower?"),
        ("not proved", 0, "Player 2, dealer: an answer"),
    ):
        record.answer(f"accuse of a renege in trick 1, {how}")
        again = read_record(record.lines(), record.game)
        for one in (record, again):
            assert one.layout.engine.state().penalty.offender == offender and one.ask().question == question
        assert all(world.state().penalty.offender == offender for world in again.layout.sample_games(20))
        assert record.take_back()
    record = entering(
        "towers-and-bowers", *lines[:3], "pass", "accept", "JD", "9H", "9C", first_n=4, renege_mode="enforced"
    )
    record.answer("TH")
    with pytest.raises(TowerlabError, match="cannot have been not proved"):  # the up-card is in that hand
        record.answer("accuse of a renege in trick 1, not proved")


def test_a_claim_that_rests_on_unseen_cards_is_left_to_the_other_player() -> None:
    """It was judged by cards made up, and another way of making them up was refused when the file was read."""
    lines = ("dealer player 2", "JS", "9H 9D 9C", "accept", "9H", "claim 2 tricks", "consent")
    record = entering("towers-and-bowers", *lines, first_n=3)
    assert any('"proved": false' in line for line in record.lines())
    assert read_record(record.lines(), record.game).ask().question == record.ask().question


@pytest.mark.parametrize("game", GAMES)
def test_show_prints_no_card_that_nobody_has_named(game: str) -> None:
    """Cards are made up so that the engine can go on; of a hand entered in part the others are ``?``."""
    record = entering(game)
    record.ask()
    symbols = set("\n".join(show_game(record.lines(), record.game).lines)) & set("♣♦♥♠")
    assert not symbols
    record = entering("towers-and-bowers", "dealer player 2", "QS")
    *_, dealt, held = show_game(record.lines(), record.game).lines
    assert dealt.endswith("A hand of 7, dealer: player 2 (human). Up-card Q♠.")
    assert held.endswith("player 1 (human) holds ? ? ? ? ? ? ?")


def test_seats_count_from_one_for_people(
    tmp_path: Path, inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    path = tmp_path / "record.jsonl"
    begun = ("--begin", "dealer=2", "--begin", "cards=4")
    inside("record", "towers-and-bowers", "--seat", "2", "--out", str(path), *begun)
    head = json.loads(path.read_text().splitlines()[0])["table"]
    assert head["seat"] == 1 and head["begun"]["dealer"] == [1]
    inside("record", "bowers", "--begin", "dealer=4").assert_refused("no dealer 4; expected 1 to 3")
    inside("record", "bowers", "--seat", "4").assert_refused("no seat 4; expected 1 to 3")
    inside("play", "bowers", "--seat", "0").assert_refused("--seat")
    golden = str(ROOT / "tests/golden/bowers.jsonl")
    inside("review", golden, "--seat", "4").assert_refused("no seat 4; expected 1 to 3")
    record = entering("bowers", "dealer player 3", "AKJ9S TH AD KQJ9C", "7S", "pass", "pass", "8S 7D 7D 8S")
    with pytest.raises(TowerlabError, match="player 1 does not hold TD"):  # the engine counts from 0
        record.layout.add({"action": "play", "player": 1, "card": "TD"})
    with pytest.raises(TowerlabError, match="nothing that player 2 can do now; expected an answer for you"):
        record.answer("player 2: TD")
    session = Session.begin(record.game, record.options, Lineup(("human", "random", "random"), 1), None)
    with pytest.raises(TowerlabError, match="seat 2 is not a person's; expected 1"):
        session.act(1, {})


@pytest.mark.parametrize(
    ("game", "begun"),
    [
        ("bowers", {"dealer": [2], "score": [4, -3, 9]}),
        ("towie", {"games": [0, 1, 0], "score": [90, 0, -90], "dealer": [1]}),
    ],
)
def test_other_matches_begin_in_the_middle(game: str, begun: dict[str, list[int]]) -> None:
    engine = table_of(game).open_record(GAMES[game].load("options")(), begun)
    engine.apply(engine.chance(np.random.default_rng(0)))
    view = engine.view(0)
    assert (
        list(view.scores if game == "bowers" else view.ledger) == begun["score"] and view.dealer == begun["dealer"][0]
    )
    assert (
        engine.reset_copy().actions == ()
        and engine.reset_copy().state() != table_of(game).start(engine.options).state()
    )


CARDS = ["AS", "KS", "QS", "AH", "KH", "QH"]
HOLDERS = [0, 0, 1, 1, None, None]


def every_way(
    pack: Sequence[str], cards_left: Sequence[CardLeft], bars: Sequence[ExcludedCards]
) -> set[frozenset[Any]]:
    """Who holds each card, and when it left the hand unseen, by trying every order and every card that can leave."""
    seen = {one.card: one for one in cards_left if one.card != "?"}
    unseen = [one for one in cards_left if one.card == "?"]
    found = set()
    for order in itertools.permutations(CARDS):
        holder = dict(zip(order, HOLDERS, strict=True))
        fits = all(card in ("?", other) for card, other in zip(pack, order, strict=True))
        if not fits or any(holder[card] != one.seat for card, one in seen.items()):
            continue
        for gone in itertools.permutations([card for card in CARDS if card not in seen], len(unseen)):
            until = {card: one.step for card, one in zip(gone, unseen, strict=True)}
            ends = until | {card: one.step for card, one in seen.items()}
            barred = any(holder[c] == b.seat and b.step <= ends.get(c, 99) for b in bars for c in b.cards)
            if not barred and all(holder[card] == one.seat for card, one in zip(gone, unseen, strict=True)):
                found.add(frozenset((card, holder[card], until.get(card)) for card in CARDS))
    return found


def laid(way: dict[int, list[str]], pack: Sequence[str]) -> frozenset[Any]:
    """The same of a way."""
    order = fill_unknown({"pack": list(pack)}, way[0])["pack"]
    until = {card: step for step, cards in way.items() if step for card in cards}
    return frozenset((card, seat, until.get(card)) for card, seat in zip(order, HOLDERS, strict=True))


def test_cards_are_laid_wherever_they_can_lie() -> None:
    """A way is found exactly where trying all finds one; those that are drawn are all of them, each as likely."""
    random = np.random.default_rng(5)
    fitting = []
    got = {place: (seat, 0) for place, seat in enumerate(HOLDERS) if seat is not None}
    for _ in range(60):
        order = random.permutation(CARDS)
        pack = [str(card) if random.random() < 0.2 else "?" for card in order]
        cards_left = [
            CardLeft(step, seat, str(order[2 * seat + random.integers(2)]) if random.random() < 0.5 else "?")
            for step, seat in ((2, 0), (4, 1))
            if random.random() < 0.6
        ]
        suits = ({"AS", "KS", "QS"}, {"AH", "KH", "QH"})
        bars = [ExcludedCards(int(random.integers(2)), step, frozenset(suits[random.integers(2)])) for step in (3, 5)]
        ways = every_way(pack, cards_left, bars := bars[: random.integers(3)])
        try:
            holdings = Holdings(CARDS, pack, got, cards_left, bars)
            drawn = [laid(way, pack) for way in itertools.islice(holdings.layouts(random), 40)]
        except NoLayoutFits:
            assert not ways
            continue
        assert ways and laid(next(holdings.layouts(random)), pack) in ways and set(drawn) <= ways
        fitting.append((len(ways), pack, cards_left, bars))
    assert 15 < len(fitting) < 55
    most, pack, cards_left, bars = max((one for one in fitting if one[0] <= 40), key=lambda one: one[0])
    holdings = Holdings(CARDS, pack, got, cards_left, bars)
    drawn = Counter(laid(way, pack) for way in itertools.islice(holdings.layouts(random), 100 * most))
    assert set(drawn) == every_way(pack, cards_left, bars)
    assert sum((many - 100) ** 2 / 100 for many in drawn.values()) < 2.5 * most


def test_a_joker_is_typed_by_its_name() -> None:
    """As the hint and the cards in sight write it; one joker needs no number."""
    options = find_game("bowers").load("options")(joker="add")
    for word in ("Joker1", "joker", "X1"):
        record = Recording(table_of("bowers"), options, seat=0, path=None)
        record.answer("dealer you")
        assert record.ask().hint.startswith("such as ") and record.ask().hint.endswith(" …")
        record.answer(f"{word} JS AS KS QS 9H 10H AH KD 9C")
        assert record.understood == ["Your hand: Joker1 J♠ A♠ K♠ Q♠ 9♥ 10♥ A♥ K♦ 9♣"], word
