"""The engine of Bowers: phases, illegal actions, views, transcripts, and that it plays as the simulator does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import naive_bowers as naive
from towerlab.games.bowers import (
    MISERE,
    PASS,
    BowersGame,
    BowersOptions,
    Outcome,
    Phase,
    buries,
    call_text,
    parse_call,
    shuffled_pack,
)
from towerlab.games.cards import DECK_32, JOKER_1, SUITS, TRUMPS, card_texts, mask_cards, parse_card, parse_mask
from towerlab.games.errors import IllegalAction, TowerlabError, TranscriptError
from towerlab.table.bowers import TABLE

GOLDEN = Path(__file__).parents[1] / "golden" / "bowers.jsonl"
JOKERS = st.sampled_from(["none", "replace_7c", "add"])


def dealt_game(hands: tuple[str, str, str] | None = None, calls: str = "", **options: Any) -> BowersGame:
    """A game in its first deal, player 2 the dealer: so the hands are those of the first, second, third speaker."""
    rules = BowersOptions(**options)
    game = BowersGame(rules)
    pack = mask_cards(rules.deck)
    if hands is not None:
        held = [parse_mask(text, rules.deck, count=10) for text in hands]
        assert held[0] | held[1] | held[2] == held[0] ^ held[1] ^ held[2]
        kitty = mask_cards(rules.deck & ~(held[0] | held[1] | held[2]))
        rows = [mask_cards(hand) for hand in held]
        pack = [rows[place % 3][place // 3] for place in range(30)] + kitty
    game.deal(pack, dealer=2)
    for call in calls.split():
        game.call(parse_call(call))
    return game


def outcome_of(game: BowersGame) -> Outcome:
    deal = game.state().deal
    assert deal.outcome is not None
    return deal.outcome


def play_on(game: BowersGame, random: np.random.Generator, deals: int) -> None:
    """Any legal call, burial and card by lot, until so many deals are over."""
    while game.winner is None and deals:
        if game.phase == Phase.DEAL:
            dealer = int(random.integers(3)) if game.state().dealer is None else None
            game.deal(shuffled_pack(game.options, random), dealer)
        view = game.view(game.to_act or 0)
        if game.phase == Phase.BID:
            game.call(PASS if random.random() < 0.6 else int(random.choice(view.calls)))
        elif game.phase == Phase.BURY:
            game.bury(int(random.choice(buries(view.hand, game.options.kitty))))
        else:
            card = int(random.choice(mask_cards(view.legal)))
            names = int(random.integers(4)) if not game.can_play(card) else None
            game.play(card, names)
        deals -= game.phase in (Phase.DEAL, Phase.OVER)


HANDS = (
    "JC JS AC KC QC TC AH AD AS KS",
    "9C 8C 7C KH QH JH TH 9H 8H 7H",
    "KD QD JD TD 9D 8D 7D QS TS 9S",
)  # the kitty: 8S 7S


# ---------------------------------------------------------------------------------------------------- the whole way


@settings(max_examples=15)
@given(st.integers(0, 2**32), JOKERS, st.booleans(), st.sampled_from(["bidder", "left_of_dealer"]))
def test_no_card_is_lost_and_transcripts_replay(seed: int, joker: str, names: bool, first_lead: str) -> None:
    options = BowersOptions(joker=joker, joker_names_suit=names, first_lead=first_lead)
    game, random = BowersGame(options), np.random.default_rng(seed)
    for _ in range(3):
        play_on(game, random, 1)
        deal = game.state().deal
        played = [card for trick in deal.tricks for card in trick.cards]
        if deal.outcome.thrown_in:
            cards = [*mask_cards(deal.hands[0] | deal.hands[1] | deal.hands[2]), *mask_cards(deal.kitty)]
        else:
            assert sum(deal.outcome.taken) == len(deal.tricks) == 10 and deal.hands == (0, 0, 0)
            cards = [*played, *mask_cards(deal.kitty if deal.call == MISERE else deal.buried)]
        assert sorted(cards) == mask_cards(options.deck)
    again = BowersGame.from_transcript(game.transcript())
    assert again.state() == game.state() and again.actions == game.actions


@settings(max_examples=15)
@given(st.integers(0, 2**32), JOKERS)
def test_play_and_scores_are_those_of_the_naive_twin(seed: int, joker: str) -> None:
    game = BowersGame(BowersOptions(joker=joker))
    play_on(game, np.random.default_rng(seed), 2)
    deal = game.state().deal
    calls = [call_text(call) for call in deal.auction.calls]
    state, bidder, standing = naive.run_auction(calls)
    if bidder is None:
        assert state == "thrown in" and deal.outcome.thrown_in
        return
    seat = (deal.dealer + 1 + bidder) % 3
    assert (state, seat, standing) == ("won", deal.bidder, call_text(deal.call))
    trump = "NT" if standing == "M" else standing.lstrip("0123456789")
    leader = seat
    for trick in deal.tricks:
        assert trick.leader == leader
        leader = (leader + naive.trick_winner(card_texts(trick.cards), trump)) % 3
        assert trick.winner == leader
    turned = [deal.outcome.taken[(seat + step) % 3] for step in range(3)]
    points = naive.points(standing, (turned[0], turned[1], turned[2]), deal.factor)
    assert [deal.outcome.points[(seat + step) % 3] for step in range(3)] == list(points)


def test_bo_7_the_bidder_takes_the_kitty_and_buries_two() -> None:
    game = dealt_game(HANDS, "7C P")
    game.call(PASS)
    assert (game.phase, game.to_act, game.view(0).kitty) == (Phase.BURY, 0, parse_mask("8S 7S"))
    assert game.view(0).hand == parse_mask(HANDS[0]) | parse_mask("8S 7S")
    game.bury(parse_mask("8S AH"))
    assert game.view(0).buried == parse_mask("8S AH") and game.view(0).hand.bit_count() == 10
    assert (game.phase, game.to_act) == (Phase.PLAY, 0)


def test_bo_7_misere_leaves_the_kitty_alone() -> None:
    game = dealt_game(HANDS, "6NT M P P")
    assert (game.phase, game.to_act) == (Phase.PLAY, 1)
    assert all(game.view(seat).kitty == 0 and game.view(seat).unseen & parse_mask("8S") for seat in range(3))
    with pytest.raises(IllegalAction, match=r"a burial is not possible in phase PLAY; expected BURY \(BO-7\)"):
        game.bury(parse_mask("9C 8C"))


def test_bo_6_a_thrown_in_deal_doubles_the_next_and_the_deal_moves_on() -> None:
    game = dealt_game(HANDS, "P P")
    game.call(PASS)
    assert outcome_of(game).thrown_in
    assert (game.phase, game.state().dealer, game.state().factor, game.state().scores) == (Phase.DEAL, 0, 2, (0, 0, 0))
    again = dealt_game(HANDS, "P P P", passout_dealer="same", compound_doubling=True)
    again.deal(mask_cards(DECK_32))
    for _ in range(3):
        again.call(PASS)
    assert (again.state().dealer, again.state().factor) == (2, 4)


def test_bo_8_first_lead_of_the_dealers_left() -> None:
    game = dealt_game(HANDS, "P 5H P P", first_lead="left_of_dealer")
    game.bury(parse_mask("8S 7S"))
    assert game.to_act == 0


def test_bo_13_the_doubled_deal_scores_twice_and_bo_14_ends_the_game() -> None:
    game = dealt_game(HANDS, "P P P", target=20, passout_dealer="same")
    rows = [mask_cards(parse_mask(hand)) for hand in HANDS]
    game.deal([rows[place % 3][place // 3] for place in range(30)] + mask_cards(parse_mask("8S 7S")))
    for call in ("9C", "P", "P"):
        game.call(parse_call(call))
    game.bury(parse_mask("8S 7S"))
    order = [parse_card(text) for text in HANDS[0].split()]
    while game.phase == Phase.PLAY:
        cards = mask_cards(game.legal_plays())
        game.play(next((card for card in order if card in cards), cards[0]))
    assert outcome_of(game).points == (48, 0, 0) and (game.winner, game.phase, game.to_act) == (0, Phase.OVER, None)
    with pytest.raises(IllegalAction, match="a deal is not possible in phase OVER"):
        game.deal(mask_cards(DECK_32))


# ----------------------------------------------------------------------------------------------------- the joker


JOKER_HANDS = (
    "X1 AS KS QS AH KH AD KD AC KC",
    "JS TS 9S QH JH TH QD JD QC JC",
    "8S 7S 9H 8H 7H TD 9D 8D TC 9C",
)  # with `replace_7c`; the kitty: 7D 8C


def test_bo_9_a_joker_led_at_no_trump_names_the_suit_to_follow() -> None:
    game = dealt_game(JOKER_HANDS, "7NT P P", joker="replace_7c")
    game.bury(parse_mask("7D 8C"))
    with pytest.raises(IllegalAction, match=r"a joker led at no trump names a suit; expected S, H, D or C \(BO-9\)"):
        game.play(JOKER_1)
    with pytest.raises(IllegalAction, match=r"AS names no suit here; only a joker led at no trump does \(BO-9\)"):
        game.play(parse_card("AS"), SUITS.index("S"))
    game.play(JOKER_1, SUITS.index("D"))
    assert game.legal_plays() == parse_mask("QD JD")
    with pytest.raises(IllegalAction, match=r"JS does not follow X1 \(naming D\); expected a card of the suit led"):
        game.play(parse_card("JS"))
    game.play(parse_card("QD"))
    game.play(parse_card("TD"))
    (trick,) = game.view(0).tricks
    assert (trick.winner, trick.named) == (0, SUITS.index("D"))
    assert json.loads(list(game.transcript())[6])["names"] == "D"


def test_bo_9_the_table_says_which_suit_a_joker_names() -> None:
    for names in (True, False):
        game = dealt_game(JOKER_HANDS, "7NT P P", joker="replace_7c", joker_names_suit=names)
        game.bury(parse_mask("7D 8C"))
        choices = [one.text for one in TABLE.prompt(game.view(0), game.legal(0)).choices]
        assert choices.count("play Joker1, ♦ to follow") == names and choices.count("play Joker1") == 1 - names
        game.play(JOKER_1, SUITS.index("D") if names else None)
        said = TABLE.tell(game.last_action, game.view(1), ("left", "you", "right"))
        assert said == "left: Joker1" + ", ♦ to follow" * names
        facts = TABLE.scene(game.view(1), ("", "", "")).parts[0].facts
        assert (("joker", "♦ to follow") in facts) == names
        assert TABLE.hindsight(game, 0).words == "10 tricks of the bidder"


def test_bo_9_a_joker_that_names_nothing_lets_everybody_play_anything() -> None:
    game = dealt_game(JOKER_HANDS, "7NT P P", joker="replace_7c", joker_names_suit=False)
    game.bury(parse_mask("7D 8C"))
    game.play(JOKER_1)
    assert game.legal_plays() == parse_mask(JOKER_HANDS[1])


def test_bo_9_a_joker_is_no_card_of_the_suit_led_at_no_trump_but_a_trump_in_a_suit() -> None:
    for call, legal in (("7NT", "AH KH"), ("7H", "X1 AH KH")):
        game = dealt_game(JOKER_HANDS, f"P {call} P P", joker="replace_7c")
        game.bury(parse_mask("7D 8C"))
        game.play(parse_card("QH"))
        game.play(parse_card("7H"))
        assert game.legal_plays() == parse_mask(legal, game.options.deck)


def test_bo_1_an_added_joker_makes_a_kitty_of_three() -> None:
    game = dealt_game(calls="5S P P", joker="add")
    assert game.view(0).hand.bit_count() == 13
    with pytest.raises(IllegalAction, match=r"2 cards to bury; expected 3 \(BO-7\)"):
        game.bury(3 << 5)


# ------------------------------------------------------------------------------------------------ illegal and seen


@pytest.mark.parametrize(
    "calls, action, message",
    [
        ("", {"action": "call", "player": 0, "call": "M"}, "illegal as the opening bid.*BO-4"),
        ("5S", {"action": "call", "player": 1, "call": "5H"}, "call 2, 5H, is illegal over 5S.*BO-3"),
        ("5S", {"action": "call", "player": 2, "call": "6H"}, "action call by player 2; it is player 1's turn"),
        ("5S", {"action": "play", "player": 1, "card": "9C"}, "not possible in phase BID; expected PLAY.*BO-8"),
        ("7C P P", {"action": "bury", "player": 0, "cards": ["8S"]}, "1 cards to bury; expected 2.*BO-7"),
        ("7C P P", {"action": "bury", "player": 0, "cards": ["8S", "9H"]}, "player 0 does not hold 9H.*BO-7"),
        ("6NT M P P", {"action": "play", "player": 1, "card": "AS"}, "player 1 does not hold AS.*BO-8"),
        ("", {"action": "deal", "pack": ["AS"]}, "a deal is not possible in phase BID.*BO-1"),
        ("", {"action": "shout"}, "unknown action 'shout'; expected one of deal, call, bury, play"),
    ],
)
def test_illegal_actions_say_why_and_change_nothing(calls: str, action: dict[str, Any], message: str) -> None:
    game = dealt_game(HANDS, calls)
    before = game.state()
    with pytest.raises(TowerlabError, match=message):
        game.apply(action)
    assert game.state() == before


def test_bo_8_following_suit_is_enforced_with_the_left_bower_as_a_trump() -> None:
    game = dealt_game(HANDS, "P 5S P P")
    game.bury(parse_mask("8S 7S"))
    game.play(parse_card("9C"))
    assert game.legal_plays() == parse_mask(HANDS[2])  # no club
    game.play(parse_card("9S"))
    assert game.legal_plays() == parse_mask("AC KC QC TC")  # JC is a spade now
    with pytest.raises(IllegalAction, match=r"JC does not follow 9C; expected a card of the suit led \(BO-8\)"):
        game.play(parse_card("JC"))


def test_first_deals_that_cannot_be() -> None:
    game = BowersGame()
    with pytest.raises(IllegalAction, match=r"the first dealer is None; expected seat 0, 1 or 2 \(BO-1\)"):
        game.deal(mask_cards(DECK_32))
    with pytest.raises(IllegalAction, match=r"the pack is not the game's 32 cards, each once \(BO-1\)"):
        game.deal([*mask_cards(DECK_32)[:-1], 20], dealer=0)
    assert not game.can_deal(mask_cards(DECK_32)) and game.can_deal(mask_cards(DECK_32), 1)


# ------------------------------------------------------------------------------------------------------ transcripts


def golden() -> list[str]:
    return GOLDEN.read_text().splitlines()


def test_golden_game_holds_what_makes_bowers_odd() -> None:
    game = BowersGame()
    seen: dict[str, int] = {}

    def saw(what: str, condition: bool) -> None:
        seen[what] = seen.get(what, 0) + condition

    for line in golden()[1:]:
        game.apply(json.loads(line))
        deal = game.state().deal
        if deal is None or deal.outcome is None:
            continue
        outcome = deal.outcome
        saw("thrown in", outcome.thrown_in)
        saw("doubled", deal.factor == 2 and not outcome.thrown_in)
        if deal.bidder is None:
            continue
        saw("misere", deal.call == MISERE)
        saw("set", outcome.points[deal.bidder] < 0)
        saw("made", outcome.points[deal.bidder] > 0)
        bidder = deal.auction.bidder
        calls = [call for place, call in enumerate(deal.auction.calls) if place % 3 == bidder]
        saw("re-entry", PASS in calls[: calls.index(deal.call)])
        saw(TRUMPS[4] if deal.call % 5 == 1 else "suit", True)
    assert all(seen[what] for what in ("thrown in", "doubled", "misere", "set", "made", "re-entry", "suit"))
    assert max(game.state().scores) >= 50


def test_a_transcript_that_breaks_a_rule_names_the_line() -> None:
    lines = golden()
    place = next(n for n, line in enumerate(lines) if '"bury"' in line)
    held = lines[place]
    strange = [card for card in ("7C", "7D", "7H", "7S", "8C") if card not in held][:2]
    spoilt = json.dumps(json.loads(held) | {"cards": strange})
    with pytest.raises(TranscriptError, match=rf"line {place + 1}: player \d does not hold"):
        BowersGame.from_transcript([*lines[:place], spoilt])
    with pytest.raises(TranscriptError, match="line 2: action deal: missing a required argument: 'pack'"):
        BowersGame.from_transcript([lines[0], '{"action": "deal"}'])


@pytest.mark.parametrize(
    "calls, record, message",
    [
        (None, {"action": "deal"}, "missing a required argument: 'pack'"),
        (None, {"action": "deal", "dealer": 1.0, "pack": card_texts(mask_cards(DECK_32))}, "dealer is 1.0; expected"),
        (None, {"action": "deal", "dealer": True, "pack": card_texts(mask_cards(DECK_32))}, "dealer is True; expected"),
        (None, {"action": "deal", "dealer": 0, "pack": "AS"}, "pack is 'AS'; expected a list of cards"),
        ("", {"action": "call", "call": None}, "call is None; expected a text"),
        ("", {"action": "call", "call": "P", "loud": True}, "action call has no 'loud'; expected player, call"),
        ("", {"action": "call", "call": "P", "player": "\n"}, r"player is '\\n'; expected a whole number"),
        ("7C P P", {"action": "bury", "cards": 5}, "cards is 5; expected a list of cards"),
        ("7C P P", {"action": "bury", "cards": ["8S", "8S"]}, "8S stands twice in cards"),
        ("6NT M P P", {"action": "play", "card": -1}, "card is -1; expected a text"),
    ],
)
def test_malformed_records_are_refused_in_one_line(calls: str | None, record: dict[str, Any], message: str) -> None:
    game = BowersGame() if calls is None else dealt_game(HANDS, calls)
    before = game.state()
    with pytest.raises(TowerlabError, match=message) as caught:
        game.apply(record)
    assert len(str(caught.value).splitlines()) == 1 and game.state() == before


@pytest.mark.parametrize("dealer", [1.0, True, None, 3, -1])
def test_the_first_dealer_is_a_seat(dealer: Any) -> None:
    assert not BowersGame().can_deal(mask_cards(DECK_32), dealer)
