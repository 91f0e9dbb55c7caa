"""The interactive game of Towie: phases, actions, transcripts, views, PBN."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import naive_towie as naive
from tests.oracles.towie_driver import dealt_game, play_out, random_game
from towerlab.games.cards import card_text, parse_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.towie import Phase, Towie, TowieOptions, deal_to_pbn
from towerlab.games.towie.auction import contract_text
from towerlab.games.towie.scoring import settlement

GOLDEN = Path(__file__).parents[1] / "golden" / "towie.jsonl"


def deal_of(game: Towie):  # type: ignore[no-untyped-def]
    deal = game.state().deal
    assert deal is not None
    return deal


# ---------------------------------------------------------------------------------------------------- whole games


def judge(game: Towie) -> list[int]:
    """The ledger by the naive rules, from the JSON actions alone."""
    options = game.options
    n = game.options.n_players
    active = [0, 1, 2]
    waiting = list(range(3, n))
    dealer = 0
    ledger = [0] * n
    games = [0] * n
    hands: dict[str, set[str]] = {}
    dealt: dict[str, set[str]] = {}
    calls: list[str] = []
    goulashes = 0
    trick: list[str] = []
    won = [0, 0]
    for action in game.actions:
        match action["action"]:
            case "deal":
                hands = {place: set(cards) for place, cards in naive.naive_deal(action["pack"]).items()}
                calls = []
                goulashes = 0
            case "goulash":
                piles = dict(zip("DLRN", action["piles"], strict=True))
                assert {place: set(cards) for place, cards in piles.items()} == hands
                hands = {place: set(cards) for place, cards in naive.naive_goulash(piles, action["cut"]).items()}
                calls, goulashes = [], goulashes + 1
            case "expose":
                assert set(action["cards"]) <= hands["N"] and len(set(action["cards"])) == 6
                dealt = {place: set(cards) for place, cards in hands.items()}
            case "call":
                assert action["call"] in naive.naive_legal_calls(calls)
                assert action["player"] == active[(dealer + len(calls)) % 3]
                calls.append(action["call"])
                contract = naive.naive_contract(calls)
                if naive.naive_is_over(calls):
                    played = contract is not None and naive.naive_is_game(
                        contract[0], contract[2], options.doubled_counts
                    )
                    if not played and goulashes == options.max_goulash:
                        dealer = (dealer + 1) % 3
                    if played:
                        d = contract[1]
                        order = ["DLR"[(d + 1) % 3], "N", "DLR"[(d + 2) % 3], "DLR"[d]]
                        leader = 0
                        won = [0, 0]
            case "play":
                place = order[(leader + len(trick)) % 4]
                card = action["card"]
                assert card in naive.naive_legal_cards(hands[place], trick[0] if trick else None)
                hands[place].remove(card)
                caller = "DLR".index(place) if place != "N" else contract[1]
                assert action["player"] == active[(dealer + caller) % 3]
                trick.append(card)
                if len(trick) < 4:
                    continue
                leader = (leader + naive.naive_trick(trick, contract[0][1:])) % 4
                won[leader % 2] += 1  # order[1] is dummy, order[3] declarer
                trick = []
                if sum(won) < 13:
                    continue
                player = active[(dealer + contract[1]) % 3]
                ours, theirs = naive.naive_score(
                    contract[0], contract[2], games[player] > 0, won[1], parlett=options.insult == "parlett"
                )
                strain = contract[0][1:]
                own = "DLR"[contract[1]]
                if options.honours:
                    for place in "DLRN":
                        points = naive.naive_honours(dealt[place], strain)
                        ours, theirs = (ours + points, theirs) if place in (own, "N") else (ours, theirs + points)
                ledger = [total + (ours if one == player else theirs) for one, total in enumerate(ledger)]
                games[player] += won[1] >= int(contract[0][0]) + 6
                if max(games) < 2:
                    vulnerable = {str(one) for one, count in enumerate(games) if count}
                    seated, queue = naive.naive_change_seats(
                        [str(one) for one in active], [str(one) for one in waiting], vulnerable,
                        active.index(player), options.retiree_waits,
                    )  # fmt: skip
                    active = [int(one) for one in seated]
                    waiting = [int(one) for one in queue]
                    dealer = (dealer + 1) % 3
    assert game.state().games == tuple(games)
    assert game.state().active == tuple(active) and game.state().waiting == tuple(waiting)
    return ledger


@settings(max_examples=6)
@given(
    st.integers(0, 10_000),
    st.integers(3, 6),
    st.booleans(),
    st.sampled_from([None, 0, 1]),
    st.booleans(),
    st.sampled_from(["random", "rank_desc"]),
)
def test_games_by_lot_are_judged_alike_by_the_naive_rules(
    seed: int, n: int, doubled_counts: bool, limit: int | None, retiree_waits: bool, sort: str
) -> None:
    options = TowieOptions(
        n_players=n, doubled_counts=doubled_counts, max_goulash=limit, retiree_waits=retiree_waits,
        goulash_sort=sort, insult="parlett",
    )  # fmt: skip
    game = random_game(seed, options, deals=4)
    assert judge(game) == list(game.state().ledger)
    replayed = Towie.from_transcript(list(game.transcript()))
    assert replayed.state() == game.state() and replayed.actions == game.actions


def test_golden_game_of_five_replays_and_holds_a_goulash_a_double_and_a_re_entry() -> None:
    lines = GOLDEN.read_text().splitlines()
    game = Towie.from_transcript(lines)
    assert list(game.transcript()) == lines
    state = game.state()
    assert game.phase == Phase.GAME_OVER and state.played == 7 and game.winner == 2
    assert state.games == (0, 1, 2, 1, 0) and state.ledger == (50, 970, 3850, 950, 200) == tuple(judge(game))
    assert settlement(state.ledger) == [-5770, -1170, 13230, -1270, -5020]
    actions = [action["action"] for action in game.actions]
    assert actions.count("goulash") == 3 and actions.count("play") == 7 * 52


# --------------------------------------------------------------------------------------------------------------- PBN


def test_pbn_of_an_unfinished_trick_ends_with_a_star() -> None:
    game = dealt_game("1S pass 3NT pass pass")
    for card in parse_cards("AC AH 2S 2D KC"):
        game.play(card)
    assert deal_to_pbn(deal_of(game)).endswith('[Play "W"]\nCA HA S2 D2\nCK -  -  -\n*\n')
    assert "[Contract" not in deal_to_pbn(deal_of(dealt_game("1C")))


@pytest.mark.parametrize(
    ("calls", "contract"),
    [
        ("1S pass 4S pass pass", "4S"),
        ("2S X pass pass", "2S"),
        ("pass 4S pass pass", "4S"),
        ("1S pass 3NT pass pass", "3NT"),
    ],
)
def test_pbn_is_read_by_endplay(calls: str, contract: str) -> None:
    pbn = pytest.importorskip("endplay.parsers.pbn")
    game = dealt_game(calls)
    play_out(game)
    deal = deal_of(game)
    (board,) = pbn.loads("% PBN 2.1\n" + deal_to_pbn(deal))
    assert str(board.contract).startswith(contract[0]) and board.contract.declarer.abbr == "S"
    assert len(board.play) == 52
    order = [card for trick in deal.tricks for card in trick.cards]
    assert [str(card) for card in board.play] == [str(pbn_card(card)) for card in order]
    made = board.contract.result + 6 + int(contract[0])
    assert contract_text(deal.contract.bid) == contract and made == deal.score.tricks


def pbn_card(card: int) -> str:
    from endplay.types import Card

    return str(Card(card_text(card)[::-1]))


def test_to_1_more_than_ten_play() -> None:
    game = random_game(5, TowieOptions(n_players=23), deals=3)
    state = game.state()
    assert len(state.ledger) == 23 and len(state.waiting) == 20 and game.view(22).caller is None
    assert Towie.from_transcript(game.transcript()).state() == state
    with pytest.raises(TowerlabError, match="n_players=61 cannot be"):
        TowieOptions(n_players=61)
