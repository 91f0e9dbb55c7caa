"""`towerlab move`: equal to brute force over all layouts and to the advice at the table."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import ROOT, Answer, exhaustive
from tests.kit.test_questions import check_rows
from tests.oracles.naive_moves import layouts, values
from tests.towers_and_bowers.test_review import naive_values
from tests.towers_and_bowers.test_upcard_values import bids_of, stored_rows
from towerlab.analysis.bowers.claims import question_of as bowers_question
from towerlab.analysis.bowers.move import ask_move as ask_bowers
from towerlab.analysis.bowers.open_hands import solve_open_hands
from towerlab.analysis.catalog import find_game
from towerlab.analysis.moves.answers import MoveAnswer
from towerlab.analysis.moves.weighing import layouts_of
from towerlab.analysis.saved_games import read_lines
from towerlab.analysis.towers_and_bowers.move import ask_move as ask_tb
from towerlab.analysis.towers_and_bowers.ranges import calls_likelihood, calls_of
from towerlab.analysis.towie.claims import question_of as towie_question
from towerlab.analysis.towie.move import ask_move as ask_towie
from towerlab.games.bowers import MISERE, BowersOptions, call_level, call_text, call_trump
from towerlab.games.cards import DECK_24, SUITS, card_symbol, card_text, mask_text, parse_card, parse_mask, suit_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions, View
from towerlab.games.towie.auction import strain_of
from towerlab.games.towie.dealing import hand_at
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.scoring import deal_score, tricks_needed
from towerlab.sim.bowers.habits import counted_tricks
from towerlab.table.review import review_lines

GAMES = ("towers-and-bowers", "bowers", "towie")
FILES = {name: ROOT / "tests" / "golden" / f"{name}.jsonl" for name in ("bowers", "towie")}
FILES["towers-and-bowers"] = ROOT / "tests" / "golden" / "towers-and-bowers-match.jsonl"


def decisions(name: str, seed: int, most: int) -> Iterator[tuple[Any, Any]]:
    """Games in which calls are a novice's and cards random: the view and the options of each card with a choice."""
    game = find_game(name).load("table")
    random = np.random.default_rng(seed)
    options = find_game(name).load("options")(**({"claims": "off"} if name == "towers-and-bowers" else {}))
    calls = game.simulation.seat("novice", options)
    while True:
        engine = game.start(options)
        while engine.result is None and len(engine.actions) < 800:
            if (seat := engine.to_act) is None:
                engine.apply(engine.chance(random))
                continue
            view = engine.view(seat)
            if not view.legal:
                engine.apply(calls(view, (), random))
                continue
            held = max(view.hand.bit_count(), (getattr(view, "dummy", 0) or 0).bit_count())
            if view.legal & (view.legal - 1) and held <= most and getattr(view, "dummy", 0) is not None:
                yield view, options
            plays = [action for action in engine.legal(seat) if action["action"] == "play"]
            engine.apply(plays[random.integers(len(plays))])


def typed(name: str, view: Any, options: Any, method: str | None = None) -> MoveAnswer:
    """The question of a player on turn, as it is typed; `method` is for Towers & Bowers."""
    if name == "bowers":
        question = bowers_question(view)
        misere = question.pop("misere")
        trump = question.pop("trump")
        assert bool(misere) != bool(trump)
        return ask_bowers(bid=call_text(view.call), doubled=view.factor == 2, options=options, **question)
    if name == "towie":
        question = towie_question(view)
        del question["trump"]
        winner = view.games[view.active[(view.dealer + view.contract.declarer) % 3]]
        return ask_towie(contract=str(view.contract), vulnerable=bool(winner), options=options, **question)
    return typed_tb(view, options, method)


def typed_tb(view: View, options: TowersAndBowersOptions, method: str | None = None) -> MoveAnswer:
    tricks = [f"{card_text(one.led)}/{card_text(one.reply)}" for one in view.tricks]
    led = [] if view.led is None else [f"{card_text(view.led)}/"]
    first = view.tricks[0].leader if view.tricks else view.leader
    assert view.trump is not None
    return ask_tb(
        mask_text(view.hand),
        SUITS[view.trump],
        "me" if view.bidder == view.player else "them",
        "me" if view.leader == view.player else "them",
        up=card_text(view.up),
        history=" ".join(tricks + led),
        first_lead="me" if first == view.player else "them",
        seen="" if view.discard is None else card_text(view.discard),
        method=method,
        options=options,
    )


def naive(name: str, view: Any, options: Any) -> dict[str, float]:
    """The same by brute force."""
    return {"bowers": naive_bowers, "towie": naive_towie, "towers-and-bowers": naive_tb}[name](view, options)


def naive_tb(view: View, options: TowersAndBowersOptions) -> dict[str, float]:
    return {word.removeprefix("play "): value for word, value in naive_values(view).items()}


def naive_bowers(view: Any, options: BowersOptions) -> dict[str, float]:
    others = [(view.player + step) % 3 for step in (1, 2)]
    counts = view.counts[others[0]], view.counts[others[1]]
    found = list(layouts(view.unseen, (view.possible[others[0]], view.possible[others[1]]), counts))
    weights = [1.0] * len(found)
    trump = 4 if view.call == MISERE else int(call_trump(view.call))
    if view.player != view.bidder and view.call != MISERE:
        played = [0, 0, 0]
        for trick in view.tricks:
            for step, card in enumerate(trick.cards):
                played[(trick.leader + step) % 3] |= 1 << card
        for step, card in enumerate(view.plays):
            played[(view.leader + step) % 3] |= 1 << card
        place = others.index(view.bidder)
        tricks = [int(counted_tricks(one[place] | played[view.bidder], trump)) for one in found]
        least = min(8 * int(call_level(view.call)), float(np.quantile(tricks, 0.75)))
        weights = [float(count >= least) for count in tricks]

    def hands(layout: tuple[int, int]) -> list[int]:
        held = {view.player: view.hand, others[0]: layout[0], others[1]: layout[1]}
        return [held[(view.bidder + step) % 3] for step in range(3)]

    def points(more: int) -> float:
        tricks = view.taken[view.bidder] + more
        if view.call == MISERE:
            won = tricks == 0
            worth = 10
            tricks = tricks if view.taken[view.bidder] else min(tricks, 1)  # made or not is all that counts yet
        else:
            level = int(call_level(view.call))
            won = tricks >= level
            worth = level + {7: 5, 8: 5, 9: 15, 10: 15}.get(level, 0)
        bidder, other = (worth, 0) if won else (-worth, 10 - tricks)
        own = bidder - other if view.player == view.bidder else other - (bidder + other) / 2
        return float(own * view.factor)

    turn = (view.leader - view.bidder) % 3, (view.player - view.bidder) % 3
    fewest = view.call == MISERE and not view.taken[view.bidder]
    return dict(values(hands, found, weights, view.legal, turn, view.plays, trump, True, points, fewest))


def test_bo_9_a_joker_that_names_no_suit_is_weighed_and_solved() -> None:
    """A card for a card by minimax in all layouts; the same hands with the name come out otherwise."""
    named, silent = (BowersOptions(joker="add", joker_names_suit=names) for names in (True, False))
    held = parse_mask("X1 KS 7H", named.deck)
    pool = parse_mask("AS QS AH 8H 9D TD JC", named.deck)
    found = list(layouts(pool, (pool, pool), (3, 3)))
    points = {0: -17.0, 1: -16.0, 2: 12.0, 3: 12.0}  # of a bid of seven with five tricks won
    seen = mask_text(named.deck & ~held & ~pool)
    for options in (silent, named):
        answer = ask_bowers(mask_text(held), "7NT", "declarer", won=5, seen=seen, options=options)
        valued = {play.card: play.value for play in answer.plays}
        twin = values(
            lambda layout: (held, *layout), found, [1.0] * len(found), held, (0, 0), (), 4, True, points.__getitem__,
            names=False,
        )  # fmt: skip
        assert answer.layouts == len(found)
        assert (valued == pytest.approx(twin)) == (options is silent), (valued, twin)
    for options, tricks in ((silent, 1), (named, 2)):
        solved = solve_open_hands("X1 KS", "AS 8H", "QS 7H", trump="NT", options=options)
        assert solved.tricks == tricks
    assert solved.to_json()["options"] == {"joker": "add"}  # of the last


def naive_towie(view: Any, options: TowieOptions) -> dict[str, float]:
    declarer = view.contract.declarer
    bid = int(view.contract.bid)
    at = [int(hand_at(place, declarer)) for place in range(4)]
    me = at.index(view.caller)
    hidden = [place for place in range(4) if place not in (me, 2)]
    done = len(view.tricks)
    tricks_left = 13 - len(view.tricks)
    on_table = {(view.leader + step) % 4 for step in range(len(view.plays))}
    may = [sum(1 << card for card in range(52) if suit_of(card) not in view.voids[place]) for place in hidden]
    counts = [tricks_left - (place in on_table) for place in hidden]
    found = list(layouts(view.unseen, (may[0], may[1]), (counts[0], counts[1])))
    won = sum(trick.winner % 2 == 0 for trick in view.tricks)
    vulnerable = int(view.games[view.active[(view.dealer + declarer) % 3]] > 0)

    def hands(layout: tuple[int, int]) -> list[int]:
        held = {me: view.hand, 2: view.dummy, hidden[0]: layout[0], hidden[1]: layout[1]}
        return [held[place] for place in range(4)]

    def points(more: int) -> float:
        mine, theirs = deal_score(bid, view.contract.doubling, vulnerable, won + more, 0, 0, options.rules())
        return float((mine - theirs) * (1 if me == 0 else -1))

    assert done + tricks_left == 13 and tricks_needed(bid) <= 13
    turn = view.leader, (view.leader + len(view.plays)) % 4
    trump = int(strain_of(bid))
    return dict(values(hands, found, [1.0] * len(found), view.legal, turn, view.plays, trump, False, points))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("count", "most", "seed"), [(20, 3, 1), exhaustive(500, 4, 2)])
def test_answers_are_those_of_brute_force(name: str, count: int, most: int, seed: int) -> None:
    compared = 0
    for view, options in decisions(name, seed, most):
        if getattr(view, "goulashes", 0):  # suits come in lumps: `test_after_a_goulash…`
            continue
        answer = typed(name, view, options, "pimc")
        wanted = naive(name, view, options)
        assert answer.exact
        assert {play.card: play.value for play in answer.plays} == pytest.approx(wanted, abs=1e-9), (name, view)
        best = max(wanted.values())
        assert answer.best.value == pytest.approx(best, abs=1e-9)
        for play in answer.plays:
            assert play.loss.mean == pytest.approx(best - wanted[play.card], abs=2e-9)
        compared += 1
        if compared == count:
            return


FEW = [("towers-and-bowers", 2, 5, 0.3, 3), ("bowers", 4, 5, 0.3, 3), ("towie", 4, 5, 0.3, 3)]
MANY = [exhaustive(name, 200, 6, share, 200) for name, share in zip(GAMES, (1.0, 0.12, 0.12), strict=True)]


@pytest.mark.parametrize(("name", "games", "seed", "share", "least"), FEW + MANY)
def test_answers_are_the_advice_at_the_table(name: str, games: int, seed: int, share: float, least: int) -> None:
    """Typed questions of random games against the table's advice on the same views."""
    random = np.random.default_rng(seed)
    table = find_game(name).load("table")
    compared = 0
    seen = 0
    before = -1
    for view, options in decisions(name, seed, 13):
        tricks = len(view.tricks)
        seen += tricks < before  # another hand has begun
        before = tricks
        if seen >= games:
            break
        if random.random() < share and not getattr(view, "goulashes", 0):
            advice = table.advise(view, options)
            answer = typed(name, view, options)
            scale = 1000.0 if name == "towers-and-bowers" else 1.0
            advised = [(one.action["card"], one.value, one.cost.mean) for one in advice.alternatives]
            mine = [(play.card.split(":")[0], scale * play.value, scale * play.loss.mean) for play in answer.plays]
            assert mine == advised, (name, view)
            compared += 1
    assert compared > least


@pytest.mark.parametrize(
    ("name", "at"), [("bowers", "2.8"), ("towie", "1.10"), ("towie", "1.1"), ("towers-and-bowers", "1.3")]
)
def test_a_place_in_a_saved_game_is_asked_like_the_table(name: str, at: str, inside: Callable[..., Answer]) -> None:
    answer = json.loads(inside("move", name, "--game", str(FILES[name]), "--at", at, "--json").stdout)
    game = find_game(name).load("table")
    engine = game.replay(read_lines(FILES[name]))
    again = game.start(engine.options)
    hand = 0
    found = None
    for action in engine.actions:
        seat = again.to_act
        if seat is not None and action["action"] == "play" and found is None:
            view = again.view(seat)
            if (hand, len(view.tricks) + 1) == tuple(map(int, at.split("."))):
                found = game.advise(view, again.options)
        again.apply(action)
        hand += action["action"] == "deal"
    scale = 1000.0 if name == "towers-and-bowers" else 1.0
    told = [(play["card"], scale * play["value"]) for play in answer["plays"]]
    assert told == [(one.action["card"], one.value) for one in found.alternatives]
    assert answer["best"] == told[0][0]


def test_a_review_grades_a_card_as_move_answers_for_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sample for the same place: the card costs what `move` says it costs."""
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())
    lines = read_lines(FILES["bowers"])[:13]
    review = review_lines(lines, find_game("bowers").load("table"), [1, 2])
    sampled = [one for one in review.decisions if one.habit == "play" and one.basis.startswith("sampled")]
    for one in sampled:
        answer = ask_bowers(game=FILES["bowers"], at=f"1.{len(one.view.tricks) + 1}.{len(one.view.plays) + 1}")
        costs = {f"play {card_symbol(parse_card(play.card))}": play.loss for play in answer.plays}
        assert costs[one.done] == one.cost
    assert [one.done for one in sampled][-1] == "play J♥"


def test_reasons_are_counted() -> None:
    """The worse card is worse exactly where the reason says so: by hand, over the three hands of two unseen cards."""
    answer = ask_tb("AH KS", "H", "me", "me", seen="JH JD KH QH TH 9H AS QS JS TS 9S AD KD QD TD 9D AC KC QC")
    assert {play.card for play in answer.plays} == {"AH", "KS"} and answer.layouts == 3
    assert answer.proved == {"tricks": 2}


def test_more_is_known_of_hidden_cards_than_the_history_tells() -> None:
    held = ask_tb("AH KS", "H", "me", "me", cards=7, won=3, opponent_holds="JH", seen="JD")
    assert held.layouts == 20 and all(play.value < 1 for play in held.plays)
    void = ask_tb("AH KS", "H", "me", "me", cards=7, won=3, opponent_void="H")
    assert void.layouts == 16 * 15 // 2 and void.best.make == 1


def test_layouts_are_drawn_as_often_as_they_are_likely() -> None:
    view, options = next(decisions("bowers", 3, 10))
    belief = typed("bowers", view, options).knowledge.belief
    first = int(belief.pools[0]) & -int(belief.pools[0])
    found = layouts_of(belief, 4000, 1, lambda hands: np.where(hands[:, 0] & first, 3.0, 1.0))
    plain = layouts_of(belief, 4000, 1)
    share = float((plain.hands[:, 0] & first > 0).mean())
    wanted = 3 * share / (3 * share + 1 - share)
    assert not found.exact and float((found.hands[:, 0] & first > 0).mean()) == pytest.approx(wanted, abs=0.04)


def bid_share(view: View, dealt: set[str], given: str) -> float:
    """How likely the equilibrium has bid (and exchanged) as was done with these cards: call by call."""
    hand = parse_mask(" ".join(dealt))
    of_dealer = view.dealer != view.player
    bids = bids_of(hand, view.up)
    floor = stored_rows(view.n, view.up % 13)[0].floor
    accepts = floor + (1 - 2 * floor) * (bids.answers if of_dealer else bids.accepts)
    names = bids.left if of_dealer else bids.names
    likely = 1.0
    passes = 0
    for call in view.calls:
        if call.player != view.player and passes >= 2:
            share = names[SUITS[call.suit] if call.suit is not None else call.call]
            likely *= floor + (1 - len(names) * floor) * share
        elif call.player != view.player:
            likely *= accepts if call.call == "accept" else 1 - accepts
        passes += call.call == "pass"
    discards = bids.own_discards if view.calls[-1].player != view.player else bids.discards
    return likely * (discards[given] if given else 1.0)


def test_hands_are_as_likely_as_the_equilibrium_bids_so_with_them() -> None:
    """In first tricks: hands that the other can have been dealt, with every discard, in every seat."""
    seen = set()
    for view, _ in decisions("towers-and-bowers", 11, 12):
        if view.n not in (2, 3) or view.hand.bit_count() < view.n:
            continue
        up = card_text(view.up_card)
        of_dealer = view.dealer != view.player
        calls = calls_of(view)
        unseen = set(mask_text(DECK_24 & ~view.hand).split()) - {up}
        likely = calls_likelihood(calls, of_dealer)
        assert likely is not None
        for dealt in map(set, list(itertools.combinations(sorted(unseen), view.n))[:: 7 * view.n]):
            for given in sorted(dealt) if calls.accepted and of_dealer else [""]:
                found = likely(np.array([parse_mask(" ".join(dealt))]), np.array([parse_mask(given) if given else 0]))
                assert found[0] == pytest.approx(bid_share(view, dealt, given), abs=1e-9)
        seen.add((calls.accepted, of_dealer))
        if len(seen) == 4:
            return


@pytest.mark.parametrize("name", GAMES)
def test_a_table_is_answered_as_its_rows_are(name: str) -> None:
    """Also a broken row, which is named and does not stop the others."""
    rows = {
        "towers-and-bowers": {"hand": "AH KS", "trump": "H", "bidder": "me", "history": "JH/9H", "first_lead": "me"},
        "bowers": {"hand": "JC AC 7H", "bid": "8C", "won": 7, "seen": "JS KC", "lead": "declarer", "layouts": 5},
        "towie": {"game": str(FILES["towie"]), "at": "1.9"},
    }
    asked = [rows[name], {**rows[name], "at": "0.0"} if name == "towie" else {**rows[name], "hand": "AH AH"}]
    found = tl.move_many(pd.DataFrame(asked), name, jobs=1)
    ask = getattr(tl, "move" if name == "towers-and-bowers" else f"move_{name}")
    assert check_rows(found, asked, ask) == [1] and len({*found} - {*rows[name]}) <= 28


@pytest.mark.parametrize(
    ("game", "option", "question"),
    [
        (
            "towers-and-bowers",
            "tie_to=bidder",
            {"hand": "AH 9H KS 9C", "trump": "H", "bidder": "them", "lead": "me"},
        ),
        (
            "bowers",
            "joker=add",
            {"hand": "X1 AC 7H", "bid": "8C", "lead": "declarer", "won": "6", "seen": "JS KC QC TC 9C 8C"},
        ),
    ],
)
def test_a_single_question_knows_the_rule_options_as_a_table_does(
    game: str, option: str, question: dict[str, str], inside: Callable[..., Answer], tmp_path: Path
) -> None:
    words = [word for name, value in question.items() for word in (f"--{name}", value)]
    alone = inside("move", game, *words, "--option", option, "--json").json
    assert alone["options"] == dict([option.split("=")])
    pd.DataFrame([question]).to_csv(tmp_path / "moves.csv", index=False)
    rows = inside("move", game, "--from", str(tmp_path / "moves.csv"), "--option", option, "--jobs", "1", "--json")
    row = rows.json["answers"][0]
    (best, *_) = alone["plays"]
    assert (row["best"], row["make"], row["fitting_layouts"]) == (best["card"], best["make"], alone["layouts"])
    inside("move", game, "--game", str(FILES[game]), "--at", "1.1", "--option", option).assert_refused(
        "--option cannot be combined with --game"
    )


def test_all_hands_count_alike_where_the_history_is_not_known() -> None:
    question = ("JD AD JH QH", "H", "me", "me")
    assert ask_tb(*question, up="AS").method == "self-play"
    alike = ask_tb(*question)
    assert alike.method == "pimc" and "counts alike" in alike.model
    with pytest.raises(TowerlabError, match=r"needs the default rules, the up-card \(--up\) and the whole history"):
        ask_tb(*question, method="self-play")


def test_of_bowers_the_bid_is_named_only_where_it_is_used() -> None:
    for role, lead in (("left", "left"), ("declarer", None)):
        answer = ask_bowers("AH KH QH TH 9H 8H 7H AD KD QD", "6S", lead, role=role, layouts=4)
        assert ("and the bid allow" in answer.model) is (role == "left")
