"""Puzzles: their answers are the commands', their reasons are true, and no page tells a theme before the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import exhaustive
from tests.oracles.browser import PROGRAM, Browser
from tests.oracles.page_elements import check_html
from tests.oracles.serving import visit
from towerlab.analysis.catalog import GAMES, find_report
from towerlab.analysis.decision import Verdict
from towerlab.analysis.present import capital, printed
from towerlab.analysis.report.page import ReportError
from towerlab.analysis.report.write import SingleFile, write_file
from towerlab.games.towers_and_bowers.links import position_of
from towerlab.table.commanding import table_of
from towerlab.table.puzzles import Puzzle, read_puzzles
from towerlab.table.puzzles.__main__ import CALL, Maker
from towerlab.table.train import GradedAnswer, Trainer, item_of
from towerlab.web.app import TableServer
from towerlab.web.puzzles import build_page

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here")
RIGHT = (Verdict.BEST, Verdict.AS_GOOD)
ROUNDING = 0.00006  # of stored numbers


def test_there_are_three_hundred_and_they_ship_small() -> None:
    files = [Path(__file__).parents[2] / "table" / "puzzles" / f"{game}.jsonl" for game in GAMES]
    assert sum(len(read_puzzles(game)) for game in GAMES) >= 200
    assert sum(path.stat().st_size for path in files) < 1_000_000
    assert not read_puzzles("chess")


@pytest.mark.parametrize("game", GAMES)
def test_every_puzzle_is_sound(game: str) -> None:
    """Counted from the stored numbers: the lead, the order, the kinds, the parts of accept and pass."""
    puzzles = read_puzzles(game)
    table = table_of(game)
    assert len({(str(puzzle.actions), puzzle.seat) for puzzle in puzzles}) == len(puzzles)
    assert [puzzle.difficulty for puzzle in puzzles] == sorted(puzzle.difficulty for puzzle in puzzles)
    for puzzle in puzzles:
        engine = puzzle.position(table, None)
        advice = puzzle.advice(table, engine)
        wrong = [option for option in advice.alternatives if advice.verdict(option) not in RIGHT]
        assert engine.to_act == puzzle.seat and wrong and advice.verdict(advice.best) == Verdict.BEST
        assert all(advice.mark(option) in ("mistake", "blunder") for option in wrong)
        listed = {choice.text for choice in table.ask(engine, puzzle.seat).choices if not choice.is_aside}
        assert listed == {option.text for option in advice.alternatives}
    calls = [puzzle.answers[0][0] == "pass" for puzzle in puzzles if puzzle.kind == CALL]
    assert not calls or 0.45 <= sum(calls) / len(calls) <= 0.55
    assert {puzzle.kind for puzzle in puzzles} <= table.puzzles.keys()


def sample(game: str, count: int) -> list[Puzzle]:
    """Some puzzles of a game, spread over it, of each kind one at least."""
    puzzles = read_puzzles(game)
    kinds = [next(puzzle for puzzle in puzzles if puzzle.kind == kind) for kind in {p.kind for p in puzzles}]
    cheap = [puzzle for puzzle in kinds if count > 10 or (game, puzzle.kind) != ("towie", CALL)]  # seconds each
    return [*cheap, *puzzles[:: max(1, len(puzzles) // count)]][: max(count, len(cheap))]


@pytest.mark.parametrize(
    ("game", "count"),
    [row for game in GAMES for row in ((game, 4), exhaustive(game, 1000))],
)
def test_a_puzzle_has_the_answer_of_the_advice_and_a_true_reason(game: str, count: int) -> None:
    """Asked again: what every alternative makes and costs, what the players do, the numbers of answer and reason."""
    table = table_of(game)
    for puzzle in sample(game, count):
        engine = puzzle.position(table, None)
        stored = puzzle.advice(table, engine)
        advice = table.advise(engine.view(puzzle.seat), engine.options)
        assert advice is not None and stored.method == advice.method and stored.sentence == advice.sentence
        again = {option.text: option for option in advice.alternatives}
        for option in stored.alternatives:
            other = again[option.text]
            assert option.action == other.action and option.note == other.note and option.reason == other.reason
            assert option.value == pytest.approx(other.value, abs=ROUNDING)
            assert option.cost == pytest.approx(other.cost, abs=ROUNDING)
        players = dict(Maker(table, {})._choices(engine, puzzle.seat, advice))
        assert players == {name: (text, pytest.approx(cost)) for name, (text, cost) in puzzle.players.items()}
        theme = puzzle.theme(table)
        loses = re.search(r"the ([^.]*) player chooses (.*) and loses (.*)\.$", theme)
        if loses:
            player = table.levels[loses[1]][0] if loses[1] in table.levels else loses[1]
            text, cost = players[player]
            assert (loses[2], loses[3]) == (text.removeprefix("play "), table.scale.words(cost))
        else:
            assert theme == "Easy: every computer player gets it right."
            assert all(cost <= table.scale.tolerance for _, cost in players.values())


@pytest.mark.parametrize("game", GAMES)
def test_the_reason_speaks_of_the_choice_and_then_of_the_best(game: str) -> None:
    """Of every alternative of every puzzle: its first sentence names it, with its value and another's, or says that the
    values give no reason; nothing else is said of alternatives that are neither chosen nor best."""
    trainer = Trainer(table_of(game), None)
    for puzzle in read_puzzles(game):
        item = item_of(puzzle)
        advice = puzzle.advice(trainer.game, trainer.position(item).engine)
        for option in advice.alternatives:
            graded = GradedAnswer(item, option, advice)
            first, *others = graded.why
            named = capital(option.subject)
            assert graded.sentence.endswith(".") and option.subject in graded.sentence.lower() + graded.sentence
            values = [other.note.partition(", made")[0] for other in advice.alternatives]
            if option.note:
                own = re.escape(option.note.partition(", made")[0])
                assert re.match(
                    rf"{re.escape(named)} (wins the (game|tower|war)|makes) {own} (of the time|points on average), ",
                    first,
                )
                assert any(f"{value}." in f"{first}." for value in values)
            else:
                assert re.match(rf"{re.escape(named)} (is|costs) \d", first) and first.endswith(
                    "why was not worked out."
                )
            about = (option.subject.lower(), advice.best.subject.lower())
            assert all(any(subject in said.lower() for subject in about) for said in others)


@pytest.mark.parametrize("kind", ["call", "discard", "card"])
def test_a_puzzle_of_towers_and_bowers_has_the_answer_of_the_command(kind: str) -> None:
    """By its link: `upcard`, `discard` and `move` recommend what the puzzle calls right."""
    from towerlab.analysis.towers_and_bowers.move import ASKS

    table = table_of("towers-and-bowers")
    puzzles = [puzzle for puzzle in read_puzzles(table.name) if puzzle.kind == kind]
    for puzzle in puzzles[:: len(puzzles) // 3]:
        engine = puzzle.position(table, None)
        advice = puzzle.advice(table, engine)
        command, question = position_of(engine.view(puzzle.seat)).question()
        answer = ASKS[command](**question)
        best = answer.recommend if hasattr(answer, "recommend") else answer.plays[0].card
        right = [option.action for option in advice.alternatives if advice.verdict(option) in RIGHT]
        assert best in [word for action in right for word in (action["action"], action.get("card"), action.get("suit"))]


@pytest.mark.parametrize("game", GAMES)
def test_the_server_tells_no_theme_before_the_answer(game: str, tmp_path: Path) -> None:
    client = visit(TableServer(tmp_path))
    table = table_of(game)
    trainer = Trainer(table, None)
    for kind in ("", *trainer.kinds):
        first = next(puzzle for puzzle in read_puzzles(game) if kind in ("", puzzle.kind))
        advice = first.advice(table, first.position(table, None))
        page = client.get(f"/train/{game}", params={"series": kind}).text
        assert "is best" not in page and not any(
            option.note in page for option in advice.alternatives if len(option.note) > 5
        )
        assert all(f"Ten {other}s" in page for other in trainer.kinds)
    assert client.get(f"/train/{game}", params={"series": "x"}).status_code == 400


@pytest.fixture(scope="module")
def page() -> SingleFile:
    return build_page(table_of("tower-war"), read_puzzles("tower-war"), "towerlab report tower-war --page puzzles")


@pytest.fixture(scope="module")
def browser(page: SingleFile, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(write_file(tmp_path_factory.mktemp("pages") / "puzzles", page)) as opened:
        yield opened


def test_the_page_is_sound(page: SingleFile) -> None:
    assert find_report("tower-war", "puzzles").file == "puzzles.html"
    others = {f"../{game}/puzzles.html" for game in GAMES if game != "tower-war"}
    check_html(page.html, {"../index.html", "index.html", *others})
    with pytest.raises(ReportError, match="has no puzzles"):
        build_page(table_of("tower-war"), (), "")


@needs_browser
def test_the_page_tells_nothing_before_the_answer_and_all_after_it(browser: Browser) -> None:
    browser.run("localStorage.clear()")
    table = table_of("tower-war")
    trainer = Trainer(table, None)
    for number, puzzle in list(enumerate(read_puzzles("tower-war"), 1))[::9]:
        browser.run(f"location.hash = '#p{number}'; new Promise(done => setTimeout(done, 50))")
        assert browser.run("document.getElementById('stage').dataset.puzzle") == f"p{number}"
        engine = puzzle.position(table, None)
        advice = puzzle.advice(table, engine)
        theme = puzzle.theme(table)
        before = str(browser.run("document.body.innerText"))
        assert "is best" not in before and theme not in before and "costs" not in before.partition("How it is known")[0]
        choices = trainer.position(item_of(puzzle)).prompt(puzzle.seat).choices
        wanted = advice.best if number % 2 else advice.alternatives[-1]
        chosen = next(place for place, choice in enumerate(choices, 1) if choice.text == wanted.text)
        browser.run(f"document.querySelector('#stage button[value=\"{chosen}\"]').click()")
        said = " ".join(str(browser.run("document.getElementById('stage').innerText")).split())
        graded = GradedAnswer(item_of(puzzle), wanted, advice)
        told = (graded.sentence, *graded.why, theme)
        assert all(" ".join(printed(sentence).split()) in said for sentence in told)
        assert told[0].startswith("Right: " if number % 2 else "Wrong, a ")


@needs_browser
def test_wrong_ones_come_back_as_in_training(browser: Browser) -> None:
    address = str(browser.run("localStorage.clear(); location.href.split('#')[0]"))
    browser.open(f"{address}?again")
    trainer = Trainer(table_of("tower-war"), None)
    numbers = {str(puzzle.actions): f"p{number}" for number, puzzle in enumerate(read_puzzles("tower-war"), 1)}
    for answered in range(9):
        item = trainer.item
        asked = str(browser.run("document.getElementById('stage').dataset.puzzle"))
        assert asked == numbers[str(item.actions)]
        puzzle = next(puzzle for puzzle in read_puzzles("tower-war") if puzzle.actions == item.actions)
        advice = puzzle.advice(trainer.game, trainer.position(item).engine)
        option = advice.alternatives[0 if answered else -1]
        choices = trainer.position(item).prompt(item.seat).choices
        chosen = next(place for place, choice in enumerate(choices, 1) if choice.text == option.text)
        trainer.answer(option.action)
        browser.run(f"document.querySelector('#stage button[value=\"{chosen}\"]').click()")
        standing = str(browser.run("document.getElementById('standing').textContent"))
        assert standing.split(" (")[0].split(".")[0] == trainer.standing.split(" (")[0].split(".")[0]
        browser.run("document.querySelector('.next').click()")
