"""Claims of Bowers and Towie as a user types them: tables, certificates, and what `check` says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from towerlab.cli import towerlab
from towerlab.games.errors import TowerlabError


def run(*words: str) -> Result:
    return CliRunner().invoke(towerlab, ["claim", *words])


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
