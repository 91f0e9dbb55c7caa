"""Gaps as they are played with hidden cards: the control variate, contracts, the statistics, what ships."""

from __future__ import annotations

import dataclasses
import itertools
from math import comb

import numpy as np
import pandas as pd
import pytest

from tests.conftest import ROOT, slow
from tests.oracles.tb_played import read_record
from towerlab.analysis.towers_and_bowers.explorer.kinds import turned_calls as count_turned
from towerlab.analysis.towers_and_bowers.solutions.accuracy import ALL, BANDS, FEWEST_CARDS, model_errors, turned_calls
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.studies.hidden_play import (
    COLUMNS,
    HIDDEN_PLAY,
    MT,
    PlaySetup,
    find_decision,
    follow,
    run_chunk,
)
from towerlab.analysis.towers_and_bowers.upcard.answers import ContractValue
from towerlab.analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from towerlab.games.cards import DECK_24, SUITS, mask_cards, parse_card, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.hand import DEALER, NONDEALER, new_record, play_contracts, play_hand
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, make_model, rules_of
from towerlab.sim.towers_and_bowers.players import FAMILY, NOVICE

SMALL = {"sizes": [2, 4], "hands": 2, "second_round_hands": 1, "deals": 60, "widest": 30.0}


def test_contracts_are_played_as_hands_are() -> None:
    """Hands played whole, then their contracts alone: the same tricks."""
    options, random, record = TowersAndBowersOptions(early_stop=False), np.random.default_rng(3), new_record()
    rules, model = rules_of(options), make_model(options, (0.0, 0.9, 0.7, 0.7, 0.6, 0.6, 0.6, 0.6))
    for cards in [1, 2, 4, 5, 7] * 3:
        *dealt, up = random.permutation(mask_cards(DECK_24))[: 2 * cards + 1].tolist()
        hands = (sum(1 << card for card in dealt[:cards]), sum(1 << card for card in dealt[cards:]))
        play_hand((NOVICE, FAMILY), hands, up, rules, model, random, record)
        whole = read_record(record)
        assert whole.bidder is not None
        contract = [whole.bidder, whole.trump, NO_CARD if whole.discard is None else whole.discard]
        taken = np.full(1, -1)
        contracts = np.array([contract])
        play_contracts((NOVICE, FAMILY), np.array([hands]), up, contracts, rules, model, random, record, taken)
        assert (int(taken[0]), read_record(record).plays) == (whole.taken[NONDEALER], whole.plays)


@pytest.mark.parametrize(
    ("hand", "up", "dealer", "second_round"),
    [
        ("JS 9S AD 10H", "QS", True, False),
        slow("KS 9S AD 10H", "9C", False, False),
        ("KS 9S AD 10H", "9C", False, True),
        slow("KS QS KD 10H 9H", "JC", True, True),
        ("9S KS", "QS", False, False),
    ],
)
def test_the_mean_with_open_cards_is_the_models_gap(hand: str, up: str, dealer: bool, second_round: bool) -> None:
    """The number subtracted from the control variate is its mean."""
    held, turned = parse_mask(hand, DECK_24, "the hand"), parse_card(up)
    decision, random, table = find_decision(held, turned, dealer, second_round), np.random.default_rng(0), PlaySetup()
    answer = UpcardQuestion(held, turned, dealer, second_round).answer()
    if len(hand.split()) > LARGEST_STORED:
        assert decision.gap == pytest.approx(abs(answer.margin) if second_round else answer.margin)
    paths = decision.way.paths()
    weights = paths.second if second_round else paths.first
    rows = random.choice(len(weights), size=6000, p=weights / weights.sum())
    first, second = (
        table.values(decision, rows, follow(decision, call, rows, random), random)[1] for call in decision.calls
    )
    error = np.std(first - second) / np.sqrt(len(rows))
    assert abs((first - second).mean() - MT * decision.gap) < 4 * error + 1e-9


def test_a_call_comes_to_contracts_that_the_rules_allow() -> None:
    random = np.random.default_rng(1)
    hand, up = parse_mask("KS 9S AD 10H", DECK_24, "the hand"), parse_card("9C")
    for dealer, second_round in itertools.product((True, False), repeat=2):
        decision = find_decision(hand, up, dealer, second_round)
        for call in decision.calls:
            made = follow(decision, call, np.arange(500), random)
            assert set(made.bidder) <= {NONDEALER, DEALER} and set(made.suit) <= {0, 1, 2, 3}
            assert not second_round or 3 not in made.suit
            assert np.isin(made.given[made.suit == 3], range(4)).all()
            if call == "accept" or call in SUITS:
                assert set(made.bidder) == {int(dealer)}
            if call == "accept":
                assert set(made.suit) == {3}


def test_the_study_is_the_same_from_the_same_seed() -> None:
    first, second = (run_chunk(0, np.random.SeedSequence(5), SMALL) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert len(first) == 2 * 2 * 3 and (first["gap"].abs() < SMALL["widest"]).all()
    assert first.loc[(first["cards"] == 4) & (first["round"] == 1), "truth"].notna().all()


def test_sizes_of_which_nothing_can_be_played_out_are_refused() -> None:
    for sizes in (["1"], [8], ["x"], []):
        with pytest.raises(TowerlabError, match="expected hand sizes from 2 to 7"):
            HIDDEN_PLAY.count_chunks({**SMALL, "chunks": 1, "sizes": sizes})
    assert HIDDEN_PLAY.count_chunks({**SMALL, "chunks": 3, "sizes": ["2", "7"]}) == 3


def made_up(error: float, noise: float, bias: float, hands: int = 4000, slope: float = 1.0) -> pd.DataFrame:
    """Hands of one kind whose model is off by so much, measured with so much noise a hand."""
    random, deals = np.random.default_rng(2), 100
    gap = random.uniform(-30, 30, hands)
    luck = random.normal(0, 40, hands) / np.sqrt(deals) * 10
    played = slope * gap + bias + random.normal(0, error, hands) + random.normal(0, noise, hands) + 0.8 * luck
    frame = pd.DataFrame(
        {
            "gap": gap,
            "played": played,
            "open": gap + luck,
            "open_variance": 160000.0,
            "covariance": 0.8 * 160000.0,
            "played_variance": 0.64 * 160000.0 + deals * noise**2,
        }
    )
    kind = {"cards": 5, "seat": "dealer", "round": 1, "hand": 0, "up": 0, "truth": np.nan}
    return frame.assign(**kind, deals=deals)[list(COLUMNS)]


def test_the_error_is_told_without_the_noise_of_the_deals() -> None:
    row = HIDDEN_PLAY.combine([made_up(error=12, noise=20, bias=5)], {"deals": 100}).tables["model_error"].iloc[0]
    assert row["band"] == ALL and row["model_error"] == pytest.approx(13, abs=1.0)
    assert row["model_error_low"] < 13 < row["model_error_high"]
    assert row["bias"] == pytest.approx(5, abs=1.5) and row["slope_low"] < 1 < row["slope_high"]


@pytest.mark.parametrize("noise", [0.0, 25.0])
def test_turned_signs_are_those_of_the_hands_not_of_the_noise(noise: float) -> None:
    hands = made_up(error=10, noise=noise, bias=0, hands=8000)
    random = np.random.default_rng(9)
    gap = hands["gap"][hands["gap"].abs() >= 1].to_numpy()
    truly = (np.sign(gap) != np.sign(gap + random.normal(0, 10, len(gap)))).mean()
    row = HIDDEN_PLAY.combine([hands], {"deals": 100}).tables["model_error"].iloc[0]
    assert row["turned"] == pytest.approx(truly, abs=0.02)


def test_what_ships_is_whole() -> None:
    assert set(model_errors()) == {
        (cards, seat) for cards in range(FEWEST_CARDS, 8) for seat in ("dealer", "nondealer")
    }
    assert all(0 <= error < 60 for error in model_errors().values())


def test_upcard_tells_the_error_of_its_model() -> None:
    close = UpcardQuestion(parse_mask("JS AS KS 9S AD 10H 9C", DECK_24, "the hand"), parse_card("QS"), False).answer()
    assert close.to_json()["model_error"] == close.model_error == model_errors()[7, "nondealer"]
    assert close.too_close == (1000 * abs(close.margin) < model_errors()[7, "nondealer"])
    solved = UpcardQuestion(parse_mask("JS AS", DECK_24, "the hand"), parse_card("QS"), False).answer()
    assert solved.model_error == 0 and not solved.too_close
    second = UpcardQuestion(parse_mask("JS 9S AD 10H 9H", DECK_24, "the hand"), parse_card("QS"), False, True).answer()
    assert second.model_error is None and not second.too_close
    assert "model_error" not in UpcardQuestion(close.hand, close.up, False, method="pimc").answer().to_json()


def test_how_often_hidden_play_turns_a_call_is_said_of_its_own_kind() -> None:
    asked = {  # five cards as dealer: a lead of 1 to 2 points, one of more than was sampled; four cards, solved
        lead: UpcardQuestion(parse_mask(hand, DECK_24, "the hand"), parse_card(up), True).answer()
        for lead, hand, up in ((2, "KS QS QD JH QH", "9C"), (50, "JS AS KS 9S AD", "QS"), (0, "AC JD 9H TH", "JS"))
    }
    known, unknown, solved = asked.values()
    assert known.turned is not None and known.turned.least <= 100 * abs(known.margin) < known.turned.most
    assert known.to_json()["turned"] == known.turned.to_json() and not known.exact
    said = f"{100 * known.turned.share:.0f} % of such calls (5 cards, dealer, first call"
    assert said in " ".join(str(known).split())
    assert unknown.turned is None and unknown.to_json()["turned"] is None
    assert "Turned" not in str(unknown)
    assert solved.exact and "turned" not in solved.to_json() and "turns" not in str(solved)
    pimc = UpcardQuestion(known.hand, known.up, True, method="pimc").answer()
    assert not pimc.exact and not pimc.to_json()["exact"]  # a model's values are never exact


def test_the_document_has_every_share_of_turned_calls() -> None:
    document = (ROOT / "docs" / "methods" / "hidden-play.md").read_text(encoding="utf-8")
    for (cards, seat, turn), known in turned_calls().items():
        kind = f"| {cards}, {seat.replace('nond', 'non-d')}, {('first', 'second')[turn - 1]} |"
        cells = next(line for line in document.splitlines() if line.startswith(kind)).split(" | ")[1:]
        shown = {one.least: one for one in known}
        for cell, least in zip(cells, BANDS[1:-1], strict=True):
            one, cell = shown.get(least), cell.removesuffix(" |")
            if one is None:
                assert cell == "?"
            elif one.low == one.high:  # every hand is counted
                assert cell == f"{100 * one.share:.1f}"
            else:
                interval = f"{100 * one.low:.0f} to {100 * one.high:.0f}"
                assert cell == f"{100 * one.share:.0f} ({interval}; {one.n})"


def test_turned_calls_of_two_cards_are_made_again() -> None:
    made = count_turned(2)
    for row in made.to_dict("records"):
        (one,) = (one for one in turned_calls()[2, row["seat"], row["round"]] if one.least == row["least"])
        assert (one.most, one.n) == (row["most"], row["n"]) and one.share == pytest.approx(row["turned"], abs=1e-6)
    pairs = made.groupby(["seat", "round"])["n"].sum()
    assert set(pairs) == {comb(23, 2) * 24}  # every hand beside every up-card


def test_too_close_is_said() -> None:
    answer = UpcardQuestion(parse_mask("JS AS KS 9S AD 10H 9C", DECK_24, "the hand"), parse_card("QS"), False).answer()
    assert "Too close to call in this model." in str(dataclasses.replace(answer, model_error=50.0))
    assert "too close" not in str(dataclasses.replace(answer, model_error=0.1))


def test_a_close_call_says_what_it_needs_to_be_right() -> None:
    for hand, up in (("KS QD QH JD 9S", "AC"), ("JC KC KH QH AC JH", "AD"), ("JS 9S AD 10H 9H", "QS")):
        question = UpcardQuestion(parse_mask(hand, DECK_24, "the hand"), parse_card(up), True)
        close = dataclasses.replace(question.answer(), model_error=1000.0)
        accepts, deal = close.actions["accept"], close.deal_value
        assert isinstance(accepts, ContractValue)

        def tower(make: float, of: ContractValue = accepts, deal: float = deal) -> float:
            return of.sweep + (make - of.sweep) * deal + (1 - make - of.swept) * (1 - deal)

        assert tower(accepts.make) == pytest.approx(accepts.tower, abs=1e-9)
        if close.make_needed is not None:
            assert tower(close.make_needed) == pytest.approx(close.tower("pass"), abs=1e-9)
            assert f"if you make it more than {100 * close.make_needed:.1f} % of the time" in str(close).replace(
                "\n", " "
            )
        else:
            assert "accept is right if" not in str(close)
