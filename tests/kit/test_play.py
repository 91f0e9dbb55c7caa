"""The table in a terminal: pipes, resuming, taking back, mistakes, two people, a pseudo-terminal."""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.conftest import exhaustive
from tests.oracles.serving import visit
from towerlab.analysis.catalog import GAMES
from towerlab.games.errors import TowerlabError
from towerlab.table.commanding import open_session, read_session, table_of
from towerlab.table.drawing import card_words
from towerlab.table.play import Terminal
from towerlab.table.reading import pick_hint, read_action, typing_hint
from towerlab.table.session import Lineup, Session
from towerlab.web.app import TableServer

TABLES = [name for name, game in GAMES.items() if game.table]
ONES = ["1", *(" ".join(map(str, range(1, last + 1))) for last in range(2, 16))]  # a number, or that many cards


def play(session: Session, lines: object, advice: str = "ask") -> tuple[bool, list[str]]:
    """Play with these lines; whether the game is over, and what was printed."""
    printed: list[str] = []
    over = Terminal(session, lines, lambda line: printed.append(line.plain), advice).run()  # type: ignore[arg-type]
    return over, printed


def begin(game: str, path: Path | None = None, against: str = "novice", **given: object) -> Session:
    table = table_of(game)
    options = GAMES[game].load("options")(**given)
    players = ("human", *(against,) * (table.seats(options) - 1))
    return Session.begin(table, options, Lineup(players, 5), path)


@pytest.mark.parametrize("game", TABLES)
def test_a_pipe_of_ones_finishes_any_game(game: str, tmp_path: Path) -> None:
    session = begin(game, tmp_path / "game.jsonl")
    over, printed = play(session, itertools.cycle(ONES))
    assert over and session.engine.result is not None
    assert max(map(len, printed)) <= 100 and any(re.search("(wins?|share) the (game|war)", line) for line in printed)
    again = read_session(tmp_path / "game.jsonl")
    assert again.engine.state() == session.engine.state() and again.log(0) == session.log(0)


@pytest.mark.parametrize("game", TABLES)
def test_lines_of_a_drawing_fit_80_columns(game: str) -> None:
    session = begin(game)
    _, printed = play(session, ["1", "l", "1", "l", "1", "?", "1"])
    too_long = [line for line in printed if len(line) > 80 and not line.startswith(("left", "right", "you", "novice"))]
    assert not too_long


def test_in_60_columns_a_list_is_broken_between_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, printed = play(begin("towers-and-bowers"), ["1", "?", "1", "l", "1"])
    assert max(map(len, printed)) < 60
    choices = [line for line in printed if re.match(r"1 play", line)]
    assert choices and not any(line.endswith(tuple(" 123456789")) for line in choices), choices


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("game", TABLES)
def test_a_small_terminal_breaks_no_line(game: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    _, printed = play(begin(game), ["l", *ONES, "x", "h"] * 8)
    assert [line for line in printed if len(line.rstrip()) >= columns] == []


@pytest.mark.parametrize("game", TABLES)
def test_a_prompt_says_what_may_be_typed(game: str) -> None:
    """The range of numbers is that of the actions, the example is one of them; of a set of cards so many."""
    session = begin(game)
    session.advance()
    seen = set()
    for _ in range(40):
        if (seat := session.waits_for) is not None:
            prompt = session.prompt(seat)
            listed = [choice.action for choice in prompt.choices if not choice.is_aside]
            if prompt.pick is None:
                numbers, _, example = typing_hint(prompt).partition(", or ")
                last = re.fullmatch(r"1(?: (?:to|or) (\d+))?", numbers)
                assert last is not None and int(last[1] or 1) == len(listed)
                assert not example or read_action(example, prompt) == listed[-1]
            else:
                example = pick_hint(prompt.pick).partition(", such as ")[2].partition(";")[0]
                numbers, _, cards = example.partition(" or ")
                assert read_action(numbers, prompt) == read_action(cards, prompt)
            seen.add(prompt.pick is None)
            session.act(seat, listed[-1])
        session.advance()
    assert True in seen and (game != "tower-war" or False in seen)


def test_a_number_alone_is_a_card_where_several_are_to_be_named() -> None:
    session = begin("bowers")
    session.advance()
    session.act(0, read_action("10C", session.prompt(0)))
    session.advance()
    prompt = session.prompt(0)
    assert prompt.pick is not None and prompt.pick.least == 2
    with pytest.raises(TowerlabError, match=f"that is {card_words(prompt.pick.cards[0])}; expected 2 cards to bury"):
        read_action("1", prompt)
    assert set(read_action("#1 02", prompt)["cards"]) == {*prompt.pick.cards[:2]}
    for wrong in ("1 1", "1 99", "1 2 3", "13"):
        with pytest.raises(TowerlabError, match=r"expected|Type 2 of the cards to bury"):
            read_action(wrong, prompt)


@pytest.mark.parametrize("game", TABLES)
def test_a_game_goes_on_where_it_was_left_and_as_it_would_have(game: str, tmp_path: Path) -> None:
    whole = begin(game)
    lines = ONES * 30
    play(whole, lines)
    parts = begin(game, tmp_path / "game.jsonl")
    play(parts, lines[:100])
    _, printed = play(read_session(tmp_path / "game.jsonl"), lines[100:])
    assert "goes on" in printed[0]
    resumed = read_session(tmp_path / "game.jsonl")
    shorter = min(resumed.length, whole.length)
    assert resumed.engine.actions[:shorter] == whole.engine.actions[:shorter] and shorter > 20


def test_every_action_is_in_the_file_at_once(tmp_path: Path) -> None:
    session = begin("towers", tmp_path / "game.jsonl")
    while not session.is_over:
        session.step()
        if session.waits_for is not None:
            session.act(0, session.engine.legal(0)[0])
        lines = (tmp_path / "game.jsonl").read_text().splitlines()
        assert len(lines) == 1 + session.length
        assert json.loads(lines[-1]) == session.engine.actions[-1]


def test_take_back_returns_to_the_last_decision_and_same_cards_come_again(tmp_path: Path) -> None:
    session = begin("towers", tmp_path / "game.jsonl")
    session.advance()
    before = session.engine.state()
    first = session.engine.legal(0)
    session.act(0, first[0])
    session.advance()
    assert session.take_back(0) and session.engine.state() == before
    assert len((tmp_path / "game.jsonl").read_text().splitlines()) == 1 + session.length
    assert not session.take_back(0)
    session.act(0, first[3])
    again = session.branch(0, None)
    again.advance()
    assert again.engine.state() == before
    branch = session.branch(session.length, None)
    assert branch.engine.state() == session.engine.state() and branch.engine is not session.engine


@pytest.mark.parametrize("line", ["x", "0", "99", "-1", "1.5", "9" * 300, "JS JS", "\x00\x1b[2J", "№7", "＄", "۱"])
def test_any_text_at_a_prompt_gets_one_line(line: str) -> None:
    session = begin("bowers")
    session.advance()
    prompt = session.prompt(0)
    with pytest.raises(TowerlabError) as caught:
        read_action(line, prompt)
    assert "\n" not in str(caught.value) and "expected" in str(caught.value)
    before = session.length
    over, printed = play(session, [line])
    assert not over and session.length == before and any("expected" in words for words in printed)


def test_cards_and_words_act_as_numbers_do() -> None:
    session = begin("bowers")
    session.advance()
    prompt = session.prompt(0)
    for number, choice in enumerate(prompt.choices, 1):
        for word in (str(number), choice.text, *choice.words):
            assert read_action(word, prompt) == choice.action
    assert read_action("p", prompt)["call"] == "P" if prompt.choices[0].text == "pass" else True


def test_two_people_pass_the_screen_and_never_see_each_others_hand(tmp_path: Path) -> None:
    session = open_session("towers", people=2, record=tmp_path / "game.jsonl", seed=1)
    _, printed = play(session, ["1", "", "1", "", "1", "q"])
    assert sum("Pass the screen" in line for line in printed) >= 2
    hands = [line for line in printed if line.startswith("Your hand")]
    assert hands and all("face down" in line for line in printed if line.startswith("player") and "on" not in line)


@pytest.mark.parametrize("game", [game if game == "towers" else exhaustive(game) for game in TABLES])
def test_a_game_in_a_pseudo_terminal(game: str, tmp_path: Path) -> None:
    """80 by 24, without colour: every prompt answered with 1 until the command ends."""
    text = in_a_pseudo_terminal(["play", game, "--against", "novice", "--seed", "3"], tmp_path, itertools.cycle(ONES))
    assert re.search("(wins?|share) the game", text)


@pytest.mark.slow
def test_recording_and_training_in_a_pseudo_terminal(tmp_path: Path) -> None:
    answers = ["2", "QS", "JS AS KS 9S AD TH 9C", "zz", "pass", "u", "accept", "?", "2", "q"]
    text = in_a_pseudo_terminal(["record", "towers-and-bowers"], tmp_path, answers)
    assert "Up-card: which card?" in text and "Player 2: a call" in text
    text = in_a_pseudo_terminal(["train", "towers-and-bowers"], tmp_path, ["1", "zz", "1", "q"])
    assert re.search(r"Right at the first attempt: \d of 2\.", text)


def in_a_pseudo_terminal(words: list[str], tmp_path: Path, lines: Iterable[str]) -> str:
    """What a command shows at 80 by 24 without colour, a line typed at every prompt."""
    main, beside = pty.openpty()
    command = [sys.executable, "-m", "towerlab", *words]
    environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "NO_COLOR": "1", "TERM": "xterm"}
    environment["TOWERLAB_TABLES"] = str(tmp_path)
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, stdin=beside, stdout=beside, stderr=beside, env=environment, cwd=root)
    os.close(beside)
    text = ""
    seen = 0
    until = time.monotonic() + 300
    typed = iter(lines)
    while time.monotonic() < until:
        ready, _, _ = select.select([main], [], [], 300)
        try:
            part = os.read(main, 65536).decode() if ready else ""
        except OSError:
            break
        if not part:
            break
        text += part
        if (prompts := text.count(" > \r\n")) > seen:
            seen = prompts
            os.write(main, f"{next(typed)}\n".encode())
    assert process.wait(timeout=300) == 0, text[-2000:]
    os.close(main)
    assert "Saved in" in text and "\x1b[3" not in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(len(line) for line in plain.replace("\r", "").split("\n") if str(tmp_path) not in line) <= 80
    return text


def test_tw_2_who_is_player_one_is_drawn_unless_a_seat_is_named(tmp_path: Path) -> None:
    def seat(seed: int, **given: int) -> int:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        return open_session("tower-war", record=path, seed=seed, **given).seating.humans[0]  # type: ignore[arg-type]

    seats = [seat(seed) for seed in range(12)]
    assert set(seats) == {0, 1} and seats == [seat(seed) for seed in range(12)]
    assert {seat(seed, seat=1) for seed in range(4)} == {1} and seat(0, people=2) == 0


def proved_claim(*lines: str) -> tuple[Session, list[str]]:
    """Two people at one screen: player 2 accepts, claims a trick and proves it; then these lines."""
    options = GAMES["towers-and-bowers"].load("options")(first_n=2)
    session = Session.begin(table_of("towers-and-bowers"), options, Lineup(("human", "human"), 17), None)
    _, printed = play(session, ["accept", "", "1", "", "claim 1", "", *lines, "q"])
    return session, printed


def test_after_a_proved_claim_the_other_person_may_insist_on_play() -> None:
    session, printed = proved_claim()
    assert session.waits_for == 0 and printed[-1].startswith("The hand is over. (Enter goes on)")
    session, _ = proved_claim("insist")
    assert session.engine.last_action == {"action": "insist", "player": 0} and session.engine.phase == "PLAY"
    session, _ = proved_claim("")
    assert session.engine.state().n == 1 and session.engine.last_action["action"] == "deal"


def test_a_renege_is_accused_after_the_hand_and_after_the_match() -> None:
    """Until the next hand is dealt each person is asked, and asked again after whatever else was said (TB-25)."""
    rules = GAMES["towers-and-bowers"].load("options")
    options = rules(first_n=2, renege_mode="enforced", claims="free", towers_to_win=1)
    for seed in range(200):
        session = Session.begin(table_of("towers-and-bowers"), options, Lineup(("human", "human"), seed), None)
        session.advance()
        while session.engine.to_act is not None:
            seat = session.engine.to_act
            words = ("accept", "discard", "play")
            plays = [one for one in session.engine.legal(seat) if one["action"] in words]
            session.act(seat, plays[seed % 7 % len(plays)])
        if session.is_over and (reneges := session.engine.state().hand.reneges):
            break
    (renege,) = reneges
    seats = [session.waits_for]
    session.agree(session.waits_for)
    seats.append(session.waits_for)
    assert sorted(seats) == [0, 1] and not session.step()
    session.act(1 - renege.player, {"action": "accuse", "trick": renege.trick})
    assert not session.is_over and session.waits_for == 1 - renege.player
    session.act(1 - renege.player, {"action": "take_penalty"})
    assert session.engine.winner == 1 - renege.player


def test_in_the_browser_too_the_other_person_may_insist(tmp_path: Path) -> None:
    session, _ = proved_claim()
    server = TableServer(tmp_path)
    name = server.sessions.add(session.branch(session.length, tmp_path / "two.jsonl"))
    client = visit(server)
    fields = {"token": server.token, "seat": "1", "length": str(session.length)}
    client.post(f"/table/{name}/show", data=fields)
    page = client.get(f"/table/{name}", params={"seat": "1"}).text
    assert "The hand is over." in page and "Insist" in page and 'id="continue"' in page
    client.post(f"/table/{name}/advance", data=fields)
    assert client.get(f"/table/{name}", params={"seat": "1", "format": "json"}).json()["length"] > session.length


def test_bids_stand_as_a_table_by_level_and_suit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, printed = play(begin("bowers"), [])
    rows = [[*re.finditer(r"\d+ (\d+)(NT|[♣♦♥♠])", line)] for line in printed]
    table = [row for row in rows if len(row) == 5]
    assert [[bid[2] for bid in row] for row in table] == [["NT", "♣", "♦", "♥", "♠"]] * 10  # as they rank: BO-3
    assert [{bid[1] for bid in row} for row in table] == [{str(level)} for level in range(1, 11)]
    assert len({tuple(bid.start() for bid in row) for row in table}) == 1


def test_a_lesson_wraps_once_in_60_columns_and_ends_in_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    session = open_session("towers-and-bowers", record=None, seed=None, lesson=True)
    over, printed = play(session, itertools.cycle(ONES))
    told = [number for number, line in enumerate(printed) if line.startswith("»")]
    assert over and told and all(len(printed[place + step]) <= 59 for place in told for step in range(3))
    assert "towerlab train towers-and-bowers" in printed[-1]
