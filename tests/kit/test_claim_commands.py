"""`towerlab claim bowers`, `claim towie` and `check` as a user types them, with bad input too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from towerlab.cli import towerlab
from towerlab.games.cards import DECK_32, DECK_52, mask_text, parse_mask
from towerlab.games.errors import TowerlabError

NINE_AND_FOUR = ("--hand", "AKQ2.432.A32.432", "--dummy", "J43.AK5.K54.AK65", "--trump", "NT", "--lead", "left")


def run(*words: str) -> Result:
    return CliRunner().invoke(towerlab, ["claim", *words])


def asked(*words: str) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    return dict(json.loads(result.stdout))


def complaint(*words: str) -> str:
    """The one line with which a question is refused; the command prints it and exits with 2."""
    result = run(*words)
    assert result.exit_code != 0
    error = result.exception
    if isinstance(error, TowerlabError):
        assert "\n" not in str(error), error
        return str(error)
    assert result.exit_code == 2, (result.output, error)
    return result.output


def rest(deck: int, *unseen: str) -> str:
    """Everything of a pack but these cards: what has been seen when they are all that is left."""
    return mask_text(deck & ~parse_mask(" ".join(unseen)))


def test_bowers_top_trumps_are_sound_against_every_layout() -> None:
    answer = asked("bowers", "--hand", "JC JS AC", "--trump", "C", "--lead", "declarer", "--tricks", "3")
    assert (answer["sound"], answer["guaranteed"], answer["role"]) == (True, 3, "declarer")
    assert answer["layouts"] > 9_000_000 and len(answer["proof"]["line"]) == 9 and answer["refutation"] is None


def test_bowers_claim_is_beaten_by_one_layout_with_the_left_bower() -> None:
    answer = asked("bowers", "--hand", "JC AC KC", "--trump", "C", "--lead", "declarer", "--tricks", "3")
    assert (answer["sound"], answer["guaranteed"], answer["refutation"]["kind"]) == (False, 2, "layout")
    assert any("JS" in held for held in answer["refutation"]["layout"].values())


def test_bowers_shown_void_makes_a_claim_sound() -> None:
    question = ("bowers", "--hand", "JC AC KC", "--trump", "C", "--lead", "declarer", "--tricks", "3")
    assert not asked(*question, "--void", "left:C")["sound"]
    assert asked(*question, "--void", "left:C", "--void", "right:C")["sound"]


def test_bowers_misere_declarer_takes_at_most_none() -> None:
    question = ("bowers", "--misere", "--hand", "7S 7H 7D", "--lead", "left")
    answer = asked(*question)
    assert (answer["claim"], answer["sound"], answer["guaranteed"], answer["misere"]) == (0, True, 0, True)
    answer = asked("bowers", "--misere", "--hand", "AS AH 7D", "--lead", "declarer", "--tricks", "1")
    assert (answer["sound"], answer["guaranteed"]) == (False, 3)


def test_bowers_misere_defender_claims_that_declarer_takes_a_trick() -> None:
    seen = rest(DECK_32, "AS", "7S", "8S", "9S", "TS", "KS")
    answer = asked("bowers", "--misere", "--role", "left", "--hand", "7S 8S", "--lead", "declarer", "--seen", seen)
    assert answer["claim"] == 1 and answer["sound"] is False


def test_bowers_joker_tops_trumps_and_names_a_suit() -> None:
    question = ("--trump", "C", "--lead", "declarer", "--tricks", "2", "--option", "joker=add")
    assert asked("bowers", "--hand", "X1 JC", *question)["sound"]
    assert not asked("bowers", "--hand", "JC JS", *question)["sound"]
    led = ("bowers", "--hand", "AS AH", "--trump", "NT", "--lead", "left", "--tricks", "1", "--option", "joker=add")
    assert asked(*led, "--trick", "X1:S 7S")["guaranteed"] == 0  # the joker takes the ace of the suit it names
    assert "names a suit" in complaint(*led, "--trick", "X1 7S")


def test_bowers_defender_counts_their_partners_tricks_but_cannot_rely_on_them() -> None:
    answer = asked("bowers", "--role", "left", "--hand", "JC AC", "--trump", "C", "--lead", "declarer", "--tricks", "2")
    assert answer["sound"] and answer["role"] == "left"


def test_towie_nine_top_tricks_at_no_trump() -> None:
    answer = asked("towie", *NINE_AND_FOUR, "--tricks", "9")
    assert answer["sound"] and answer["guaranteed"] >= 9 and answer["layouts"] == 10_400_600


def test_towie_guess_is_shown_as_a_tree_whose_leaves_are_layouts() -> None:
    seen = rest(DECK_52, *["AS", "JS", "2H", "KS", "TS", "3H", "QS", "9S", "8H", "7H", "6H", "5H"])
    question = ("towie", "--hand", "AS JS 2H", "--dummy", "KS TS 3H", "--trump", "NT", "--seen", seen)
    answer = asked(*question, "--lead", "declarer", "--tricks", "3")
    assert answer["sound"] is False and answer["guaranteed"] == 2
    # With one heart fewer outside all tricks can be taken if the queen is found: a guess.
    seen = rest(DECK_52, *["AS", "JS", "KS", "TS", "QS", "9S", "8S", "7S"])
    answer = asked(
        *("towie", "--hand", "AS JS", "--dummy", "KS TS", "--trump", "NT", "--seen", seen),
        *("--lead", "declarer", "--tricks", "2"),
    )
    assert answer["guaranteed"] == 2  # two cards each: the queen cannot be guarded twice


def test_towie_goulash_hands_and_a_defender() -> None:
    """A goulash deals freak hands: a solid ten-card suit is ten tricks, doubled or not."""
    answer = asked(
        *("towie", "--hand", "AKQJT98765.A.A.A", "--dummy", ".KQJT9.KQJT9.KQJ", "--trump", "S"),
        *("--lead", "left", "--tricks", "10"),
    )
    assert answer["sound"]
    answer = asked(
        *("towie", "--role", "left", "--hand", ".KQJT9.KQJT9.KQJ", "--dummy", "AKQJT98765.A.A.A", "--trump", "S"),
        *("--lead", "left", "--tricks", "1"),
    )
    assert not answer["sound"] and answer["guaranteed"] == 0


def test_history_tells_voids_and_what_has_gone() -> None:
    """Left showed out of spades on the first trick, so right has all that are left of them."""
    unseen = ["QS", "9S", "8S", "5H", "6H", "7H"]
    seen = rest(DECK_52, *["KS", "2S", "AH", "JS", "TS", "KH"], *unseen)
    question = (
        *("towie", "--hand", "KS 2S AH", "--dummy", "JS TS KH", "--trump", "NT", "--tricks", "2"),
        *("--lead", "declarer", "--seen", seen),
    )
    assert asked(*question)["layouts"] == 20
    assert asked(*question, "--history", "AS/2D/3S/4S")["layouts"] == 1
    assert "left did not follow ♠, yet holds QS" in complaint(
        *question, "--history", "AS/2D/3S/4S", "--holds", "left:QS"
    )
    assert "you did not follow" in complaint(*question, "--history", "2H/2D/AD/4H 3S/4S/4D/AS")


def test_concession() -> None:
    answer = asked("bowers", "--hand", "8S 7H", "--trump", "C", "--lead", "left", "--concede")
    assert set(answer) >= {"sound", "possible", "best_play_takes_all", "guaranteed", "layouts"}
    assert answer["sound"] is False and answer["possible"] > 0
    given = answer["refutation"]
    assert given["kind"] == "layout" and set(given["layout"]) == {"left", "right"} and len(given["line"]) == 6
    told = run("bowers", "--hand", "8S 7H", "--trump", "C", "--lead", "left", "--concede").output
    assert "For example, if left holds" in told and "taken by" in told
    seen = rest(DECK_32, "7S", "AS", "KS")
    answer = asked("bowers", "--hand", "7S", "--trump", "C", "--lead", "left", "--concede", "--seen", seen)
    assert answer["sound"] is True and answer["possible"] == 0 and answer["best_play_takes_all"] is True


def test_a_defenders_partner_does_not_help_to_take_all() -> None:
    """Declarer may hold Q♠ 2♦ and right the K♦: then even best play does not take all three conceded tricks."""
    seen = rest(DECK_52, *["9D", "5H", "TD", "AS", "2H", "3H", "AD", "QS", "2D", "KD", "KC", "7C"])
    question = (
        *("towie", "--role", "left", "--hand", "9D 5H", "--dummy", "TD AS", "--trump", "D", "--lead", "declarer"),
        *("--trick", "2H/3H/AD", "--void", "declarer:C", "--seen", seen, "--concede"),
    )
    answer = asked(*question)
    assert (answer["sound"], answer["best_play_takes_all"]) == (False, False)
    assert "best play takes them all" not in run(*question).output


def test_a_search_with_a_small_limit_does_not_guess() -> None:
    answer = asked("towie", *NINE_AND_FOUR, "--tricks", "11", "--limit", "20")
    assert answer["sound"] in (None, False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("bowers --hand JC --trump C --lead declarer --tricks 2", "1 remain"),
        ("bowers --hand JC --trump C --lead declarer", "no number of tricks"),
        ("bowers --hand JC --trump C --tricks 1", "nobody is on lead"),
        ("bowers --hand JC --trump C --lead dummy --tricks 1", "lead 'dummy'"),
        ("bowers --hand 2C --trump C --lead left --tricks 1", "not in this game's pack"),
        ("bowers --hand JC --trump C --lead left --tricks 1 --seen JC", "stands both"),
        ("bowers --hand JC --trump C --lead left --tricks 1 --void me:C", "expected SEAT"),
        ("bowers --hand JC --trump C --lead left --tricks 1 --void left:C --holds left:JS", "void"),
        ("bowers --hand JC --trump C --lead left --tricks 1 --holds left:JS --holds left:AS", "at most 1"),
        ("bowers --hand JC --trump S --lead left --misere", "contradicts --misere"),
        ("bowers --misere --hand 7S --lead left --concede", "cannot be conceded"),
        ("bowers --hand JS,JC --trump C --lead left --tricks 1 --history 7C/8C/7S --trick", "requires an argument"),
        ("bowers --hand JC --trump C --lead left --tricks 1 --history 7C/8C", "2 cards; expected 3"),
        ("bowers --hand JC,AC --trump C --lead declarer --tricks 1 --history 7S/7C/8S,8C/9S/TS", "expected"),
        ("towie --hand AS --trump S --lead left --tricks 1", "no dummy"),
        ("towie --hand AS --dummy 2S,3S --trump S --lead left --tricks 1", "dummy has 2 cards; expected 1"),
        (
            "towie --hand AS --dummy 2S --trump S --lead left --tricks 1",
            "50 cards are unseen, but left 1 and right 1 in hand make 2; expected the 48",
        ),
        ("towie --role dummy --hand AS --dummy 2S --trump S --lead left --tricks 1", "role"),
    ],
)
def test_bad_input_is_one_line_that_says_what_was_expected(words: str, told: str) -> None:
    assert told in complaint(*words.replace("/7C/8S,8C", "/7C/8S 8C").split(" ")), words


def test_a_table_of_questions(tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text(
        "id,hand,trump,lead,tricks,misere,void\n"
        "a,JC JS AC,C,declarer,3,,\nb,7S 7H,,left,0,yes,\nc,JC AC KC,C,declarer,3,,left:C right:C\nd,JC,C,left,4,,\n"
    )
    out = tmp_path / "answers.json"
    result = run("bowers", "--from", str(table), "--out", str(out))
    assert "row 4" in str(result.exception)
    rows = json.loads(out.read_text())
    assert [row.get("sound") for row in rows] == [True, True, True, None] and "error" in rows[3]


@pytest.mark.parametrize(
    "words",
    [
        "bowers|--hand|JC JS AC|--trump|C|--lead|declarer|--tricks|3",
        "bowers|--hand|JC AC KC|--trump|C|--lead|declarer|--tricks|3",
        "bowers|--misere|--hand|7S 7H|--lead|left",
        "bowers|--hand|X1 JC|--trump|C|--lead|declarer|--tricks|2|--option|joker=add",
        "towers-and-bowers|--hand|JH JD AH 9H AS|--trump|H|--lead|me|--tricks|5",
        "towers-and-bowers|--hand|JD 9H|--trump|H|--lead|me|--tricks|1",
    ],
)
def test_certificates_are_checked_by_other_code_and_changed_ones_are_refused(words: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    assert run(*words.split("|"), "--certificate", str(path)).exit_code == 0
    checked = CliRunner().invoke(towerlab, ["check", str(path), "--json"])
    assert json.loads(checked.stdout)["valid"] is True and checked.exit_code == 0
    certificate = json.loads(path.read_text())
    certificate["sound"] = not certificate["sound"]
    certificate["unseen_discards"] = False
    path.write_text(json.dumps(certificate))
    checked = CliRunner().invoke(towerlab, ["check", str(path), "--json"])
    assert json.loads(checked.stdout)["valid"] is False and checked.exit_code == 1


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Of a sound claim at Bowers, left being void in clubs."""
    path = tmp_path_factory.mktemp("certificate") / "claim.json"
    question = ("bowers", "--hand", "JC AC", "--trump", "C", "--lead", "declarer", "--tricks", "1", "--seen", "QS 8C")
    assert run(*question, "--void", "left:C", "--certificate", str(path)).exit_code == 0
    return dict(json.loads(path.read_text()))


def test_a_check_names_its_premises(certificate: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "claim.json"
    path.write_text(json.dumps(certificate))
    shown = CliRunner().invoke(towerlab, ["check", str(path)]).output
    assert "Valid: 1 of 2 tricks are certain for declarer." in shown
    assert "bowers, declarer claims; trump C, declarer to lead" in shown
    assert "Excluded  X1 QS 8C" in shown
    (possible,) = (line for line in shown.splitlines() if line.startswith("Possible  left"))
    assert "KS" in possible and "KC" not in possible and "QS" not in possible


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("claim", 1.9, "claim is a float"),
        ("claim", True, "claim is a bool"),
        ("claim", 3, "claims 3 of 2 tricks"),
        ("claim", float("inf"), "is not JSON"),
        ("tricks", "2", "tricks is a str"),
        ("sound", 1, "sound is a int"),
        ("game", "towie", "seats do not fit declarer of towie"),
        ("game", "whist", "unknown game"),
        ("game", "towers", "has no claims"),
        ("role", "left", "hidden do not fit left"),
        ("role", "dummy", "role is 'dummy'"),
        ("scoring", ["declarer", "left"], "scoring do not fit"),
        ("scoring", ["left", "right"], "scoring do not fit"),  # a misère has no trump
        ("bowers", False, "not "),
        ("hands", {"declarer": [float("nan")], "left": [], "right": []}, "is not JSON"),
        ("hands", {"declarer": ["2C", "3C"], "left": [], "right": []}, "cards do not fit"),
        ("hidden", [], "not a certificate"),
        ("trick", ["KS QS"], "not a certificate"),
        ("named", "S", "not a certificate"),
        ("pools", None, "not a certificate"),
    ],
)
def test_a_certificate_is_of_its_game_and_of_whole_numbers(
    certificate: dict[str, Any], name: str, value: Any, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "claim.json"
    path.write_text(json.dumps(certificate | {name: value}))
    error = CliRunner().invoke(towerlab, ["check", str(path)]).exception
    assert isinstance(error, TowerlabError) and told in str(error) and "\n" not in str(error), error


def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    for text in (
        "{}",
        "[]",
        "nothing",
        '{"format": "towerlab claim 1"}',
        "[" * 100_000,
        "9" * 5_000,
        "Infinity",
        "\ud800",
    ):
        path.write_text(text, errors="surrogatepass")
        error = CliRunner().invoke(towerlab, ["check", str(path)]).exception
        assert isinstance(error, TowerlabError) and "expected" in str(error)
