"""The player `equilibrium` in the play of the smallest hands: by the solution, whose arrays are read in another way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.oracles.equilibrium_model import model_of
from tests.oracles.naive_equilibrium import Own, SolverOdds
from tests.oracles.replayed_deals import STANDARD, deals, dealt_match
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.towers_and_bowers import whole_strategies
from towerlab.analysis.towers_and_bowers.deal_value import best_deal_value, deal_values
from towerlab.analysis.towers_and_bowers.shipped import FOLDER_VARIABLE, stamp_files
from towerlab.analysis.towers_and_bowers.simulation import stored_solution
from towerlab.analysis.towers_and_bowers.studies import hand_equilibrium
from towerlab.analysis.towers_and_bowers.whole_strategies import play_shape
from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards, rank_of, suit_of, to_play_order
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions, View
from towerlab.sim.batch import BatchRequest
from towerlab.sim.towers_and_bowers import simulate_units
from towerlab.sim.towers_and_bowers.equilibrium import NOT_STORED, card_number, list_shares, solved_play, stack_play
from towerlab.sim.towers_and_bowers.info_state import NO_SOLVED_PLAY, SolvedPlay
from towerlab.sim.towers_and_bowers.players import EQUILIBRIUM, searched_play
from towerlab.sim.towers_and_bowers.seats import history_of, state_of
from towerlab.solver.towers_and_bowers.bidding import suit_renamings
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, Strategy, hand_game

SEED = np.random.SeedSequence(0)
# ranks
NINE = 7
QUEEN = 10


# --------------------------------------------------------------------------------------------------- the naive reading


def decisions(cards: int, count: int, ranks: tuple[int, ...] | None = None) -> Iterator[tuple[View, tuple[int, int]]]:
    """Views of players with more than one legal card, in hands bid, discarded and played at random; the cards dealt."""
    random = np.random.default_rng(cards)
    for deal in deals(cards, count, seed=cards):
        if ranks is not None and rank_of(deal[2]) not in ranks:
            continue
        match = dealt_match(deal, STANDARD)
        while match.state().hand.outcome is None:
            player = match.to_act
            assert player is not None
            view = match.view(player)
            if match.phase == Phase.PLAY and view.legal.bit_count() > 1:
                yield view, deal[:2]
            _at_random(match, view, random)


def _at_random(match: Match, view: View, random: np.random.Generator) -> None:
    if match.phase == Phase.PLAY:
        match.play(int(random.choice(mask_cards(view.legal))))
    elif match.phase == Phase.DISCARD:
        match.discard(int(random.choice(mask_cards(view.hand))))
    elif match.can_accept():
        match.accept() if random.random() < 0.4 else match.pass_()
    elif view.phase != Phase.BID2_D and random.random() < 0.6:
        match.pass_()
    else:
        match.name(int(random.choice([suit for suit in range(4) if suit != suit_of(view.up_card or 0)])))


def naive_shares(view: View, dealt: tuple[int, int], solved: dict[int, tuple[HandGame, Strategy]]) -> dict[int, float]:
    """P(card) from card texts, after a renaming of suits that leaves nothing mirrored."""
    for names in suit_renamings():
        if names[suit_of(view.up)] == 3 and not _comes_second(view, names):
            break
    texts = {card: card_text(13 * names[card // 13] + card % 13) for card in range(52)}
    held = dealt[int(view.deals)]
    own = Own(tuple(texts[card] for card in mask_cards(held)), "" if view.discard is None else texts[view.discard])
    words = ["discards"] if view.calls[-1].call == "accept" else []
    words = [SUITS[names[call.suit]] if call.call == "name" else call.call for call in view.calls] + words
    legal = mask_cards(view.legal)
    odds = SolverOdds(solved[rank_of(view.up)][0], texts[view.up], solved[rank_of(view.up)][1])
    shares = odds(own, (*words, *(texts[card] for card in _played(view))), [texts[card] for card in legal])
    return dict(zip(legal, shares, strict=True))


def _comes_second(view: View, names: tuple[int, ...]) -> bool:
    """Whether this renaming has hearts as trumps, or hearts played before diamonds: the mirror image is stored."""
    suits = [names[view.trump or 0], *(names[suit_of(card)] for card in _played(view))]
    return next((suit for suit in suits if suit in (1, 2)), 1) == 2


def _played(view: View) -> list[int]:
    cards = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    return cards if view.led is None else [*cards, view.led]


def kernel_shares(view: View, solved: SolvedPlay) -> dict[int, float]:
    """P(card) by the kernel."""
    up = view.up
    cards = np.empty(4, dtype=np.int64)
    shares = np.empty(4)
    count = list_shares(state_of(view), history_of(view), solved, cards, shares)
    numbers = {int(card_number(card, up)): card for card in mask_cards(DECK_24)}
    found = {numbers[card]: share for card, share in zip(cards[:count], shares[:count], strict=True)}
    assert all(share == 0 for card, share in found.items() if not view.legal >> card & 1)
    return {card: float(found[card]) for card in mask_cards(view.legal)}


# ----------------------------------------------------------------------------------------------------------- the play


def test_cards_of_two_are_as_likely_as_what_ships_says() -> None:
    solved = model_of(2).solution.play
    strategies = {rank: whole_strategies.load_strategy(2, rank) for rank in UP_RANKS}
    mixed = 0
    for view, dealt in decisions(2, 250):
        shares = naive_shares(view, dealt, strategies)
        assert kernel_shares(view, solved) == pytest.approx(shares, abs=1e-6)
        mixed += 0.01 < max(shares.values()) < 0.99
    assert mixed > 20


def test_cards_of_three_are_as_likely_as_any_weights_say() -> None:
    """Two up-cards, whose games differ in size."""
    games = {rank: hand_game(3, rank, 0.0, mirror=True) for rank in (NINE, QUEEN)}
    weights = np.random.default_rng(0).random(play_shape(games), dtype=np.float32)
    solved = stack_play({(3, rank): game for rank, game in games.items()}, {3: weights})
    strategies = {
        rank: (game, Strategy(np.zeros((6, 0, 4)), row))
        for (rank, game), row in zip(games.items(), weights, strict=True)
    }
    seen = set()
    for view, dealt in decisions(3, 400, tuple(games)):
        assert kernel_shares(view, solved) == pytest.approx(naive_shares(view, dealt, strategies))
        seen.add((rank_of(view.up_card or 0), len(view.tricks), view.led is None, view.discard is None))
    assert len(seen) == 14  # of each up-card all but one: nobody has put a card away who leads to the first trick


def test_cards_are_drawn_as_likely_as_that() -> None:
    model = model_of(2)
    random = np.random.default_rng(3)
    tested = 0
    for view, _ in decisions(2, 60):
        shares = kernel_shares(view, model.solution.play)
        if not 0.05 < max(shares.values()) < 0.95 or tested == 5:
            continue
        values = model.payoffs[2, int(view.bidder == view.player)]
        drawn = [
            searched_play(EQUILIBRIUM, state_of(view), history_of(view), values, model, random) for _ in range(800)
        ]
        trump = view.trump or 0
        made = [drawn.count(int(to_play_order(1 << card, trump, True))) for card in shares]
        assert sum(made) == 800
        assert chisquare(made, np.array(list(shares.values())) * 800).pvalue > 1e-5
        tested += 1
    assert tested == 5


def test_what_is_not_stored_is_not_played() -> None:
    view, _ = next(decisions(3, 10))
    stored = (NO_SOLVED_PLAY, model_of(2).solution.play)
    for solved in stored:
        assert solved_play(state_of(view), history_of(view), solved, np.random.default_rng(0)) == NOT_STORED


@pytest.mark.parametrize("cards", [1, 2])
def test_against_itself_the_dealer_wins_what_the_deal_is_worth(cards: int) -> None:
    options = TowersAndBowersOptions(first_n=cards)
    players = ("equilibrium", "equilibrium")
    solution = stored_solution(players, "hand", options)
    hands = 20_000
    values = deal_values(options)
    winners, won = simulate_units(BatchRequest(players, 0, hands, SEED, "hand", None, options), values, solution)
    dealer = winners == np.arange(hands) % 2
    next_deal = best_deal_value(cards - 1).dealer if cards > 1 else 0.0
    found = mean_interval(np.where(won.sum(1) > 0, dealer, np.where(dealer, next_deal, 1 - next_deal)))
    assert found.low <= best_deal_value(cards).dealer <= found.high


# --------------------------------------------------------------------------------------------------- made by the study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The play of two cards after a few iterations, as the study leaves it; that of one up-card stands for all."""
    folder = tmp_path_factory.mktemp("study")
    parameters = hand_equilibrium.PARAMETERS | {"cards": 2, "every": 4, "most": 4, "target": 1e-300, "play": True}
    (folder / "chunks").mkdir()
    checkpoint = Checkpoint(folder / "chunks", 3)
    hand_equilibrium.solve_chunk(3, SEED, parameters, checkpoint)
    play = np.load(folder / "exact-play-2.npy", mmap_mode="r+")
    assert play.any(1).tolist() == [False, False, False, True, False, False]
    assert checkpoint.shared_array("exact-play-2", play.shape)[3].tolist() == play[3].tolist()  # it is made once
    play[:] = play[3]
    stamp_files(folder, "exact-play-2.npy")
    return folder


def test_the_play_that_a_study_leaves_is_played(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = model_of(2).solution.play
    monkeypatch.setenv(FOLDER_VARIABLE, str(made))
    found = whole_strategies.load_play((2,))
    assert [path.name for path in made.iterdir() if path.suffix == ".npy"] == ["exact-play-2.npy"]
    other = 0
    for view, _ in decisions(2, 60):
        shares = kernel_shares(view, found)
        assert sum(shares.values()) == pytest.approx(1.0)
        other += shares != pytest.approx(kernel_shares(view, shipped), abs=1e-3)
    assert other > 10  # four iterations are not yet the solution


@pytest.mark.parametrize("harm", ["cut short", "another shape", "unfinished"])
def test_damaged_play_is_refused(harm: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "exact-play-2.npy"
    whole = np.load(made / "exact-play-2.npy")
    if harm == "unfinished":
        whole[3] = 0
    np.save(path, whole[:5] if harm == "another shape" else whole)
    if harm == "cut short":
        path.write_bytes(path.read_bytes()[:-1])
    stamp_files(tmp_path, "exact-play-2.npy")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(TowerlabError, match="not finished" if harm == "unfinished" else "damaged"):
        whole_strategies.load_play((2,))


@pytest.mark.slow
def test_the_play_that_a_study_leaves_is_checked(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cards stand for three, whose play does not ship."""
    np.save(tmp_path / "exact-play-2.npy", whole_strategies._shipped_play(2, whole_strategies.games_of(2)))
    stamp_files(tmp_path, "exact-play-2.npy")
    shipped = whole_strategies.measure_whole_hand(2)
    monkeypatch.setattr(whole_strategies, "SIZES", (1,))
    gains = []
    for folder in (tmp_path, made):
        monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
        gains.append(whole_strategies.measure_whole_hand(2))
    assert gains[0] == pytest.approx(shipped, abs=1e-4)  # bids and discards as they ship are rounded
    assert gains[1] > gains[0] + 1e-3  # four iterations
