"""Stored files are of the rules as they are, or refused."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.conftest import Answer, copy_of_the_package, run_python
from towerlab.analysis.towers_and_bowers import shipped, stamp, stored_bidding
from towerlab.analysis.towers_and_bowers.shipped import FOLDER_VARIABLE
from towerlab.analysis.towers_and_bowers.upcard import why_open_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions, digest

SOURCES = digest._sources()


def edited(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    changed = tuple(text.replace(old, new) for text in SOURCES)
    assert changed != SOURCES
    monkeypatch.setattr(digest, "_sources", lambda: changed)


def test_every_file_that_ships_is_of_these_rules() -> None:
    names = [path.name for path in shipped.SHIPPED.iterdir() if not path.name.endswith(shipped.SUFFIX)]
    assert len(names) > 12
    stale = [name for name in names if not shipped.is_current(shipped.SHIPPED, name)]
    assert not stale, f"made for other rules; the same results? {shipped.STAMP}"


def test_a_file_of_digests_is_read_once_until_it_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Mock(wraps=shipped.read_json)
    monkeypatch.setattr(shipped, "read_json", reading)
    shipped.stamp_files(tmp_path, "exact-bidding-4.npz")
    current = [shipped.is_current(tmp_path, name) for name in ("exact-bidding-4.npz", "exact-bidding-3.npz")]
    assert current == [True, False] and reading.call_count == 1
    shipped.stamp_files(tmp_path, "exact-bidding-3.npz")  # which reads it, too
    assert all(shipped.is_current(tmp_path, name) for name in ("exact-bidding-4.npz", "exact-bidding-3.npz"))
    assert reading.call_count == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# ----", "# another comment ----"),
        ('"""Which cards follow suit, and which card wins', '"""Who follows and who wins'),
        ("    if bidder_tricks == n:\n", "    if (\n        bidder_tricks\n        == n\n    ):\n"),
        ("def packet_schedules(n: int)", "def packet_schedules(size: int)"),  # of the engine alone
    ],
)
def test_words_and_layout_are_no_rules(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(monkeypatch, old, new)
    assert shipped.is_current(shipped.SHIPPED, "exact-bidding-4.npz")
    assert shipped.data_file("exact-bidding-4.npz") is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return n // 2 + 1", "return n // 2"),
        ("return card > best and", "return card >= best and"),
        ("_SHIFT: Final = 39", "_SHIFT: Final = 40"),
        ("allow_discard_upcard = False", "allow_discard_upcard = True"),
        ("tie_to = 'defender'", "tie_to = 'bidder'"),
    ],
)
def test_edited_rules_are_not_answered_by_what_is_stored(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(monkeypatch, old, new)
    assert (
        stored_bidding.load_bidding.__wrapped__(4, 10) is None and stored_bidding.up_card_rows("exact-bidding-4") == []
    )
    why = why_open_cards(4, TowersAndBowersOptions())
    assert (
        "rules were edited since exact-bidding-4.npz was made; towerlab study towers-and-bowers hand-equilibrium" in why
    )
    for name in ("deal_outcomes.csv", "kinds.csv"):
        with pytest.raises(TowerlabError, match=f"{name} is not used: the rules were edited .* towerlab study"):
            shipped.shipped_file(name)


def test_files_are_stamped_only_where_a_small_one_computed_again_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shipped.SHIPPED, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(stamp, "SHIPPED", tmp_path)
    stamps = tmp_path / f"all{shipped.SUFFIX}"
    stamps.write_text(stamps.read_text().replace('"deal_outcomes.csv": "', '"deal_outcomes.csv": "0'))
    stale = stamps.read_text()
    with monkeypatch.context() as stricter:
        stricter.setattr(stamp, "CLOSE_ENOUGH", -1.0)
        with pytest.raises(TowerlabError, match=r"the dealer of 2 cards wins 0\.643402, not 0\.643399 as"):
            stamp.stamp_checked([])
    assert stamps.read_text() == stale
    stamped = stamp.stamp_checked([str(tmp_path / "another.csv")])
    assert {path.name for path in stamped} >= {"deal_outcomes.csv", "bundle.json", "another.csv"}
    assert shipped.is_current(tmp_path, "deal_outcomes.csv") and shipped.is_current(tmp_path, "another.csv")


def test_files_of_your_own_say_for_which_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(shipped.SHIPPED / "exact-bidding-1.npz", tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(TowerlabError, match=r"beside it says for which; towerlab study .* hand-equilibrium"):
        shipped.data_file("exact-bidding-1.npz")
    for name, content in shipped.stamp_study_files("exact-bidding-1").items():
        (tmp_path / name).write_bytes(content)
    assert shipped.data_file("exact-bidding-1.npz") == tmp_path / "exact-bidding-1.npz"
    edited(monkeypatch, "return n // 2 + 1", "return n // 2")
    with pytest.raises(TowerlabError, match="edited since"):
        shipped.data_file("exact-bidding-1.npz")


def test_a_copy_with_another_rule_is_refused(tmp_path: Path) -> None:
    copy_of_the_package(tmp_path)

    def asked() -> subprocess.CompletedProcess[str]:
        words = ["-m", "towerlab", "value", "--cards", "4"]
        return run_python(*words, cwd=tmp_path, check=False, PYTHONPATH=str(tmp_path))

    path = tmp_path / "towerlab" / "games" / "towers_and_bowers" / "rules.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "\n# a comment\n", encoding="utf-8")
    answer = asked()
    assert answer.returncode == 0 and "0." in answer.stdout, answer.stderr
    path.write_text(text.replace("return n // 2 + 1", "return n // 2"), encoding="utf-8")
    answer = asked()
    assert answer.returncode != 0 and answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    assert "rules were edited since exact-bidding-4.npz was made" in line and "--set cards=4 --out DIR makes it" in line


@pytest.mark.parametrize("command", [("value", "--cards", "1"), ("exploit", "random", "--cards", "1", "--quiet")])
def test_options_that_change_a_hand_are_refused(command: tuple[str, ...], inside: Callable[..., Answer]) -> None:
    answer = inside(*command, "--option", "towers_to_win=5").stdout
    assert answer.replace(" · towers_to_win=5", "") == inside(*command).stdout != answer  # it names its rules
