"""The interactive match of Towers & Bowers: dealing, bidding, play, towers (TB-1 .. TB-21) and its options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.tb_tables import (
    DEALER,
    NON_DEALER,
    deal_hands,
    done,
    held,
    is_possible,
    led_to,
    mask,
    name_trump,
    never,
    play,
    random_action,
    random_match,
    start_tower,
)
from towerlab.games.cards import DECK_24, SUITS, cards_mask, mask_cards, parse_card, parse_cards
from towerlab.games.errors import CardError, IllegalAction, TowerlabError
from towerlab.games.towers_and_bowers import (
    Ending,
    Match,
    Phase,
    TowersAndBowersOptions,
    legal_replies,
    packet_schedules,
    shuffled_pack,
)

SEVEN = ("JS AS KS QS TS 9S JC", "AH KH QH TH 9H AD KD", "QD")  # the non-dealer holds every spade and both bowers
SPOKEN = ("shuffle", "accuse", "claim", "concede")  # actions whose player is an argument
PLAIN = TowersAndBowersOptions(claims="off")


def pack_of(words: str) -> list[int]:
    top = parse_cards(words)
    return top + [card for card in mask_cards(DECK_24) if card not in top]


def refused(rule: str, words: str = "") -> Any:
    return pytest.raises(IllegalAction, match=rf"{words}.*\({rule}\)")


# ---------------------------------------------------------------------------------------- match and tower (TB-1 .. 4)


def sweep(match: Match) -> Any:
    """The non-dealer names spades and takes all seven tricks."""
    match.shuffle(pack_of("JS AS AH KH KS QS QH TH TS 9S JC 9H AD KD QD"))
    match.decline_cut()
    match.deal((2, 2, 3))
    name_trump(match, "S")
    while match.phase == Phase.PLAY:
        match.play(mask_cards(match.legal_plays())[-1])
    return led_to(match)


def test_tb_1_three_towers_win_the_match() -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    for tower in (1, 2, 3):
        assert match.winner is None
        outcome = sweep(match).outcome
        assert outcome.tower_to == NON_DEALER and outcome.taken == (0, 7)
        assert match.state().towers == (0, tower)
    assert match.phase == Phase.MATCH_OVER and match.winner == NON_DEALER
    with refused("TB-7"):
        match.shuffle(mask_cards(DECK_24))


@pytest.mark.parametrize("towers", [1, 2])
def test_tb_1_option_towers_to_win(towers: int) -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off", towers_to_win=towers))
    for _ in range(towers):
        assert match.phase != Phase.MATCH_OVER
        sweep(match)
    assert match.winner == NON_DEALER


def test_tb_2_hands_of_a_tower_have_7_to_1_cards_and_one_card_always_ends_it() -> None:
    rng = np.random.default_rng(5)
    shortest, longest = 8, 0
    for _ in range(60):
        match = Match(TowersAndBowersOptions(claims="off", towers_to_win=1, starter="fixed"))
        sizes = []
        while match.phase != Phase.MATCH_OVER:
            action = random_action(match, rng)
            match.apply(action)
            if action["action"] == "deal":
                sizes.append(match.state().n)
        assert sizes == list(range(7, 7 - len(sizes), -1))
        shortest, longest = min(shortest, len(sizes)), max(longest, len(sizes))
    assert longest == 7 and shortest < 7


@pytest.mark.parametrize("n", range(1, 8))
def test_tb_2_option_first_n(n: int) -> None:
    rng = np.random.default_rng(n)
    match = Match(TowersAndBowersOptions(claims="off", towers_to_win=1, first_n=n))
    start_tower(match, rng)
    match.shuffle(shuffled_pack(rng))
    match.decline_cut()
    match.deal()
    assert [hand.bit_count() for hand in match.state().hand.hands] == [n, n]
    while match.phase != Phase.MATCH_OVER:
        match.apply(random_action(match, rng))
    assert match.winner in (0, 1)


def test_tb_3_next_tower_begins_at_seven_with_a_new_starter() -> None:
    match = Match(PLAIN)
    assert match.phase == Phase.STARTER and match.to_act is None
    match.shuffle_starter(pack_of("JS"), 1)
    match.turn()
    sweep(match)
    state = match.state()
    assert match.phase == Phase.TOWER_OVER and state.n == 7 and state.dealer is None
    with refused("TB-6", "starter first"):
        match.shuffle(mask_cards(DECK_24))
    match.shuffle_starter(mask_cards(DECK_24), 0)
    assert match.phase == Phase.TURN


def test_tb_4_pack_must_be_the_24_cards() -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    whole = mask_cards(DECK_24)
    for pack in (whole[:-1], [*whole[:-1], whole[0]], [*whole[:-1], parse_card("8S")], [*whole[:-1], 99], [-1] * 24):
        assert not match.can_shuffle(pack)
        with pytest.raises(CardError, match="24 cards once"):
            match.shuffle(pack)
    assert match.can_shuffle(whole[::-1])


# ------------------------------------------------------------------------------------ starter and deal (TB-5 .. TB-9)


@pytest.mark.parametrize("player", [None, 0, 1])
def test_tb_5_either_player_may_shuffle(player: int | None) -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    match.shuffle(mask_cards(DECK_24), player)
    assert match.actions[-1]["player"] == (player or 0)
    assert match.phase == Phase.CUT


@pytest.mark.parametrize("turner", [0, 1])
@pytest.mark.parametrize("place", [1, 2, 3, 4, 23])
def test_tb_6_first_card_goes_to_the_other_player_and_first_black_jack_deals(turner: int, place: int) -> None:
    red = [card for card in mask_cards(DECK_24) if card not in parse_cards("JC JS")]
    pack = [*red[: place - 1], parse_card("JC"), *red[place - 1 :], parse_card("JS")]
    match = Match(PLAIN)
    match.shuffle_starter(pack, turner)
    assert match.to_act is None and match.chance(np.random.default_rng(0))["player"] == turner
    for k in range(place):
        assert match.state().dealer is None and match.view(0).turned == tuple(pack[:k])
        match.turn()
    assert match.state().dealer == (1 - turner if place % 2 else turner)
    assert match.phase == Phase.SHUFFLE
    with refused("TB-6"):
        match.turn()


def test_tb_6_option_starter_fixed_and_alternate_turn_no_cards() -> None:
    dealers: dict[str, list[int | None]] = {"fixed": [], "alternate": []}
    for starter, seen in dealers.items():
        match = Match(TowersAndBowersOptions(starter=starter, claims="off"))
        while match.phase != Phase.MATCH_OVER:
            seen.append(match.state().dealer)
            with refused("TB-6"):
                match.shuffle_starter(mask_cards(DECK_24), 0)
            sweep(match)  # won by each tower's non-dealer
    assert dealers == {"fixed": [0, 0, 0], "alternate": [0, 1, 0, 1, 0]}


@pytest.mark.parametrize("position", [4, 12, 20])
def test_tb_7_cut_leaves_four_cards_in_each_part(position: int) -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    pack = shuffled_pack(np.random.default_rng(1))
    match.shuffle(pack)
    assert match.chance(np.random.default_rng(0))["player"] == NON_DEALER
    match.cut(position)
    assert match.state().pack == pack[position:] + pack[:position]
    assert match.chance(np.random.default_rng(0))["player"] == DEALER


@pytest.mark.parametrize("position", [-1, 0, 3, 21, 24])
def test_tb_7_smaller_parts_are_refused(position: int) -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    match.shuffle(mask_cards(DECK_24))
    assert not match.can_cut(position)
    with refused("TB-7", "expected 4 to 20"):
        match.cut(position)


def test_tb_7_cut_may_be_declined_but_comes_before_the_deal() -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    match.shuffle(mask_cards(DECK_24))
    with refused("TB-8", "phase CUT"):
        match.deal()
    match.decline_cut()
    assert match.state().pack == tuple(mask_cards(DECK_24))
    with refused("TB-7"):
        match.cut(10)


@pytest.mark.parametrize("n", range(1, 8))
def test_tb_8_every_packet_schedule_deals_the_non_dealer_first(n: int) -> None:
    pack = shuffled_pack(np.random.default_rng(n))
    for schedule in packet_schedules(n):
        match = Match(TowersAndBowersOptions(starter="fixed", first_n=n, claims="off"))
        match.shuffle(pack)
        match.decline_cut()
        match.deal(schedule)
        dealt = match.state().hand
        expected: dict[int, list[int]] = {DEALER: [], NON_DEALER: []}
        rest = list(pack)
        for size in schedule:
            for player in (NON_DEALER, DEALER):
                expected[player] += [rest.pop(0) for _ in range(size)]
        assert dealt.hands == (cards_mask(expected[DEALER]), cards_mask(expected[NON_DEALER]))
        assert (dealt.up_card, match.actions[-1]["packets"]) == (rest[0], list(schedule))


@pytest.mark.parametrize("packets", [(7,), (2, 2, 2, 1), (1,) * 7, (3, 3, 1), (2, 2), ()])
def test_tb_8_other_packets_are_refused(packets: tuple[int, ...]) -> None:
    match = Match(TowersAndBowersOptions(starter="fixed", claims="off"))
    match.shuffle(mask_cards(DECK_24))
    match.decline_cut()
    assert not match.can_deal(packets)
    with refused("TB-8", "2-2-3 or 2-3-2 or 3-2-2"):
        match.deal(packets)


def test_tb_9_up_card_is_turned_and_the_rest_stays_unseen() -> None:
    match = deal_hands(*SEVEN)
    hand = match.state().hand
    assert hand.up_card == parse_card("QD") and len(hand.stock) == 23 - 2 * 7
    assert match.view(0).up_card == match.view(1).up_card == parse_card("QD")


# --------------------------------------------------------------------------------------------- bidding (TB-10 .. 15)


def test_tb_10_dealer_accepts_discards_and_takes_the_up_card() -> None:
    match = deal_hands("JS AS KS QS TS 9S JC", "AH KH 9C TH 9H AD KD", "QH")
    match.pass_()
    assert match.phase == Phase.BID1_D and match.to_act == DEALER
    match.accept()
    assert (match.phase, match.to_act) == (Phase.DISCARD, DEALER)
    match.discard(parse_card("9C"))
    hand = match.state().hand
    assert hand.trump == SUITS.index("H")
    assert (hand.discard, hand.up_card) == (parse_card("9C"), parse_card("QH"))
    assert hand.hands[DEALER] == mask("AH KH TH 9H AD KD QH") and hand.bidder == DEALER
    assert match.to_act == NON_DEALER


def test_tb_10_dealer_exchanges_also_when_the_non_dealer_accepts() -> None:
    match = deal_hands(*SEVEN)
    assert match.to_act == NON_DEALER
    match.accept()
    assert (match.phase, match.to_act) == (Phase.DISCARD, DEALER)
    match.discard(parse_card("9H"))
    hand = match.state().hand
    assert hand.bidder == NON_DEALER and hand.trump == SUITS.index("D")
    assert hand.hands[DEALER] == mask("AH KH QH TH AD KD QD")


@pytest.mark.parametrize("card", ["JS", "9C"])
def test_tb_10_only_a_dealt_card_may_be_the_discard(card: str) -> None:
    match = deal_hands(*SEVEN)
    match.accept()
    assert not match.can_discard(parse_card(card))
    with refused("TB-10"):
        match.discard(parse_card(card))


def test_tb_11_up_card_may_not_be_the_discard() -> None:
    match = deal_hands(*SEVEN)
    match.accept()
    with refused("TB-11"):
        match.discard(parse_card("QD"))


def test_tb_11_option_allow_discard_upcard() -> None:
    match = deal_hands(*SEVEN, allow_discard_upcard=True)
    match.accept()
    match.discard(parse_card("QD"))
    assert held(match, DEALER) == "AH KH QH TH 9H AD KD"
    assert match.view(NON_DEALER).opponent_holds == 0  # the non-dealer cannot know
    assert not match.view(NON_DEALER).gone & mask("QD")
    assert match.view(DEALER).gone == mask("QD")


def test_tb_12_both_pass_and_the_up_card_is_out_of_play() -> None:
    match = deal_hands("9H TH", "AS KS", "JS")
    match.pass_()
    match.pass_()
    assert (match.phase, match.to_act) == (Phase.BID2_ND, NON_DEALER)
    assert match.view(0).gone == match.view(1).gone == mask("JS")
    assert [suit for suit in SUITS if match.can_name(SUITS.index(suit))] == ["C", "D", "H"]
    with refused("TB-12", "S cannot be named; expected one of C, D, H"):
        match.name(SUITS.index("S"))
    match.pass_()
    assert (match.phase, match.to_act) == (Phase.BID2_D, DEALER)
    assert not match.can_pass_()
    with refused("TB-12", "may not pass a second time"):
        match.pass_()
    match.name(SUITS.index("C"))
    assert match.view(DEALER).trump == SUITS.index("C") and match.phase == Phase.PLAY
    assert held(match, DEALER) == "AS KS"


def test_tb_12_option_force_dealer_to_name_off_throws_the_hand_in() -> None:
    match = deal_hands("9H TH", "AS KS", "JS", force_dealer_to_name=False)
    for _ in range(3):
        assert done(match, "pass_").outcome is None
    outcome = done(match, "pass_").outcome
    assert (outcome.ending, outcome.next_dealer, outcome.tower_to) == (Ending.THROWN_IN, DEALER, None)
    state = match.state()
    assert (match.phase, state.n, state.dealer, state.towers) == (Phase.HAND_OVER, 2, DEALER, (0, 0))
    assert match.can_shuffle(mask_cards(DECK_24))


def test_tb_12_second_round_is_not_open_in_the_first() -> None:
    match = deal_hands("9H TH", "AS KS", "JS")
    with refused("TB-12"):
        match.name(0)
    match.accept()
    with refused("TB-12"):
        match.pass_()
    with refused("TB-10"):
        match.accept()


@pytest.mark.parametrize("calls, bidder", [("a", NON_DEALER), ("pa", DEALER), ("ppn", NON_DEALER), ("pppn", DEALER)])
def test_tb_13_bidder_is_who_accepted_or_named(calls: str, bidder: int) -> None:
    match = deal_hands("9H TH", "AS KS", "JS")
    for call in calls:
        {"a": match.accept, "p": match.pass_, "n": lambda: match.name(0)}[call]()
    hand = match.state().hand
    assert hand.bidder == bidder
    assert [call.player for call in hand.calls] == [NON_DEALER, DEALER, NON_DEALER, DEALER][: len(calls)]


def test_tb_14_a_discard_is_an_acceptance() -> None:
    silent, spoken = (deal_hands("9H TH", "AS KS", "QH") for _ in range(2))
    for match in (silent, spoken):
        match.pass_()
    spoken.accept()
    for match in (silent, spoken):
        match.discard(parse_card("KS"))
    assert silent.state() == spoken.state()


def test_tb_15_the_non_dealer_may_lead_before_the_discard() -> None:
    early, waiting = (deal_hands("9H TH", "AS KS", "QH") for _ in range(2))
    for match in (early, waiting):
        match.accept()
    early.play(parse_card("TH"))
    with refused("TB-15", "expected the dealer's discard"):
        early.play(parse_card("9H"))
    for match in (early, waiting):
        match.discard(parse_card("KS"))
    waiting.play(parse_card("TH"))
    assert early.state() == waiting.state()
    assert early.to_act == DEALER and early.legal_plays() == mask("QH")


def test_tb_14_the_up_card_belongs_to_the_dealer_before_their_discard() -> None:
    match = deal_hands("9H TH", "AS KS", "QH")
    match.accept()
    view = match.view(NON_DEALER)
    assert view.opponent_holds == mask("QH") and view.gone == 0 and view.opponent_cards == 2


# ------------------------------------------------------------------------------------------------ play (TB-16 .. 19)


@pytest.mark.parametrize(
    "led, others, follower, trump, legal",
    [
        pytest.param("JD", "TC AC", "9H AS KD", "H", "9H", id="TB-V1"),
        pytest.param("9H", "TC AC", "JD AS 9D", "H", "JD", id="TB-V2"),
        pytest.param("KD", "TC AC", "9D JD AS", "H", "9D", id="TB-V3"),
        pytest.param("KD", "TC", "JD AS", "H", "JD AS", id="TB-V4"),
        pytest.param("KC", "TH", "JC 9H", "S", "JC 9H", id="TB-V5"),
    ],
)
def test_tb_17_tb_18_only_cards_that_follow_may_be_played(
    led: str, others: str, follower: str, trump: str, legal: str
) -> None:
    match = name_trump(deal_hands(f"{led} {others}", follower, "QC" if trump != "C" else "QS"), trump)
    play(match, led)
    assert match.legal_plays() == match.view(DEALER).legal == mask(legal)
    assert match.view(NON_DEALER).legal == 0
    for card in mask_cards(mask(follower) & ~mask(legal)):
        assert not match.can_play(card)
        with refused("TB-18", "does not follow"):
            match.play(card)
    assert match.can_play(mask_cards(mask(legal))[0])


@pytest.mark.parametrize("bidder", [NON_DEALER, DEALER])
def test_tb_18_non_dealer_leads_first_whoever_bids_then_the_winner(bidder: int) -> None:
    match = deal_hands("9H TS", "AH KS", "QC")
    for _ in range(2 if bidder == NON_DEALER else 3):
        match.pass_()
    match.name(SUITS.index("D"))
    assert match.to_act == NON_DEALER
    play(match, "9H AH")
    assert match.to_act == DEALER
    with refused("TB-18", "player 0 does not hold TS"):
        play(match, "TS")


@pytest.mark.parametrize(
    "led, reply, winner",
    [
        ("KD", "AD", DEALER),
        ("KD", "9D", NON_DEALER),
        ("KD", "AS", NON_DEALER),
        ("KD", "9H", DEALER),
        ("JD", "AH", NON_DEALER),
        ("JD", "JH", DEALER),
        ("AH", "JD", DEALER),
    ],
)
def test_tb_19_highest_trump_wins_else_highest_of_the_suit_led(led: str, reply: str, winner: int) -> None:
    match = name_trump(deal_hands(f"{led} 9C", f"{reply} TC", "QC"), "H")
    trick = play(match, f"{led} {reply}").trick
    assert trick.winner == winner


# ---------------------------------------------------------------------------------------- results (TB-20 and TB-21)


def test_tb_20_one_all_of_two_gives_the_defender_the_deal_of_one() -> None:
    match = name_trump(deal_hands("AH 9S", "KH TS", "QC"), "H")
    outcome = play(match, "AH KH 9S TS").outcome
    assert (outcome.taken, outcome.next_dealer) == ((1, 1), DEALER)
    assert (match.phase, match.state().n, match.state().dealer) == (Phase.HAND_OVER, 1, DEALER)


def test_tb_20_option_tie_to_bidder() -> None:
    match = name_trump(deal_hands("AH 9S", "KH TS", "QC", tie_to="bidder"), "H")
    outcome = play(match, "AH KH 9S TS").outcome
    assert outcome.next_dealer == NON_DEALER


def test_tb_20_the_only_trick_of_one_is_a_tower() -> None:
    match = name_trump(deal_hands("9S", "TS", "QC"), "H")
    outcome = play(match, "9S TS").outcome
    assert outcome.tower_to == DEALER
    assert match.state().towers == (1, 0) and match.phase == Phase.TOWER_OVER


def test_tb_20_a_defender_who_takes_all_gets_the_tower() -> None:
    match = name_trump(deal_hands("9S 9D", "TS TD", "QC"), "H")
    outcome = play(match, "9S TS TD 9D").outcome
    assert (outcome.taken, outcome.tower_to) == ((2, 0), DEALER)


@pytest.mark.parametrize("early_stop, ending_cards", [(True, ""), (False, "9D TD 9S TS")])
def test_tb_21_four_won_and_one_lost_of_seven_stops_with_the_option(early_stop: bool, ending_cards: str) -> None:
    match = deal_hands("JH JD AH KH 9C 9D 9S", "QH TH 9H QD AC TD TS", "KC", early_stop=early_stop)
    name_trump(match, "H")
    assert play(match, "JH QH JD TH AH 9H KH QD").outcome is None  # four tricks won: the sweep is alive
    outcome = play(match, "9C AC").outcome
    if not early_stop:
        assert outcome is None
        outcome = play(match, "TS 9S TD 9D").outcome
        assert outcome.taken == (3, 4)
    else:
        assert outcome.taken == (1, 4)
    assert outcome.next_dealer == NON_DEALER and match.state().n == 6


@pytest.mark.parametrize("tie_to", ["defender", "bidder"])
def test_tb_21_stopping_early_never_changes_a_result(tie_to: str) -> None:
    rng = np.random.default_rng(21)
    stopped = 0
    for _ in range(60):
        match = Match(TowersAndBowersOptions(claims="off", starter="fixed", early_stop=False, tie_to=tie_to))
        twin = Match(TowersAndBowersOptions(claims="off", starter="fixed", early_stop=True, tie_to=tie_to))
        while match.state().hand is None or match.state().hand.outcome is None:
            action = random_action(match, rng)
            match.apply(action)
            if twin.state().hand is None or twin.state().hand.outcome is None:
                twin.apply(action)
            else:
                stopped += 1
        full, early = match.state().hand.outcome, twin.state().hand.outcome
        assert (full.tower_to, full.next_dealer) == (early.tower_to, early.next_dealer)
    assert stopped > 50


# --------------------------------------------------------------------------------------------- views and the triples


def test_view_holds_what_a_player_has_seen_and_nothing_else() -> None:
    match = deal_hands("JH 9D AS", "KH QD TS", "TH")
    match.pass_()
    match.accept()
    match.discard(parse_card("TS"))
    play(match, "AS QD")
    mine, theirs = match.view(DEALER), match.view(NON_DEALER)
    assert mine.hand == mask("KH TH") and theirs.hand == mask("JH 9D")
    assert mine.discard == parse_card("TS") and theirs.discard is None
    assert mine.gone == mask("AS QD TS") and theirs.gone == mask("AS QD")
    assert mine.opponent_holds == 0 and theirs.opponent_holds == mask("TH")
    assert mine.opponent_voids == () and theirs.opponent_voids == (SUITS.index("S"),)
    assert mine.opponent_cards == theirs.opponent_cards == 2
    assert mine.claim is None and mine.penalty is None and mine.outcome is None
    assert mine.taken == (0, 1) and mine.bidder == DEALER and mine.trump == SUITS.index("H")
    assert (theirs.to_act, theirs.legal, mine.legal) == (NON_DEALER, mask("JH 9D"), 0)


def test_view_voids_are_effective_suits() -> None:
    match = name_trump(deal_hands("9D JH", "JD AS", "QC"), "H")
    play(match, "9D JD")
    assert match.view(NON_DEALER).opponent_voids == (SUITS.index("D"),)
    assert match.view(DEALER).opponent_voids == ()


def test_view_before_any_deal_is_empty() -> None:
    view = Match(PLAIN).view(0)
    assert (view.hand, view.up_card, view.trump, view.phase) == (0, None, None, Phase.STARTER)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from(["forbidden", "enforced"]))
def test_views_never_contradict_the_cards(seed: int, renege_mode: str) -> None:
    rng = np.random.default_rng(seed)
    options = TowersAndBowersOptions(claims="free", renege_mode=renege_mode, towers_to_win=1)
    match = Match(options)
    for _ in range(400):
        if match.phase == Phase.MATCH_OVER:
            break
        match.apply(random_action(match, rng))
        hand = match.state().hand
        if hand is None:
            continue
        for player in (0, 1):
            view, theirs = match.view(player), hand.hands[1 - player]
            assert view.hand == hand.hands[player] and view.opponent_cards == theirs.bit_count()
            assert view.gone & (view.hand | theirs) == 0
            if match.phase != Phase.DISCARD:
                assert view.opponent_holds & ~theirs == 0
            if view.trump is not None and not hand.reneges:
                for suit in view.opponent_voids:
                    led = mask("A" + SUITS[suit])
                    following = legal_replies(theirs, led, view.trump) if theirs else 0
                    assert following == theirs and not theirs & led


def test_every_action_is_a_triple_and_is_refused_with_a_rule_out_of_its_phase() -> None:
    match = Match(PLAIN)
    pack = mask_cards(DECK_24)
    bare = ("turn", "decline_cut", "deal", "accept", "pass_", "take_penalty", "decline_penalty", "consent", "insist")
    calls: dict[str, tuple[Any, ...]] = dict.fromkeys(bare, ())
    calls |= {"shuffle": (pack,), "cut": (12,), "name": (0,), "discard": (pack[0],), "play": (pack[0],)}
    calls |= {"correct": (pack[0],), "accuse": (0, 1), "claim": (0, 1), "concede": (0, 1)}
    before = match.state()
    for name, arguments in calls.items():
        assert not getattr(match, f"can_{name}")(*arguments)
        for form in (f"verify_{name}", name):
            with pytest.raises(IllegalAction, match=r"\(TB-\d+\)$"):
                getattr(match, form)(*arguments)
    assert match.state() == before and match.actions == ()
    assert match.can_shuffle_starter(pack, 0)
    match.verify_shuffle_starter(pack, 0)
    assert match.state() == before
    match.shuffle_starter(pack, 0)
    assert match.state() != before and len(match.actions) == 1


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), enforced=st.booleans())
def test_can_tells_exactly_which_actions_are_taken_and_a_refused_one_changes_nothing(seed: int, enforced: bool) -> None:
    rng = np.random.default_rng(seed)
    options = TowersAndBowersOptions(renege_mode="enforced" if enforced else "forbidden", towers_to_win=1)
    actions = random_match(rng, options).actions
    match, other = Match(options, never), random_match(rng, options).actions
    for action in actions:
        tried = other[int(rng.integers(len(other)))]
        if not is_possible(match, {key: tried[key] for key in tried if key != "player" or tried["action"] in SPOKEN}):
            before = match.state(), match.actions
            with pytest.raises(TowerlabError):
                match.apply(tried)
            assert (match.state(), match.actions) == before
        match.apply(action)


@pytest.mark.parametrize(
    "options",
    [
        TowersAndBowersOptions(claims="off"),
        TowersAndBowersOptions(claims="free", tie_to="bidder", starter="alternate", force_dealer_to_name=False),
        TowersAndBowersOptions(renege_mode="enforced", allow_discard_upcard=True, starter="fixed"),
        TowersAndBowersOptions(renege_mode="enforced", renege_declined="stand", accuse_scope="hand", claims="free"),
        TowersAndBowersOptions(renege_mode="enforced", renege_declined="award_hand", claims="off", first_n=4),
    ],
    ids=["default", "tie-alternate", "enforced", "stand-hand", "award"],
)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_random_matches_conserve_cards_and_end(options: TowersAndBowersOptions, seed: int) -> None:
    rng = np.random.default_rng(seed)
    match = Match(options, judge=lambda question: bool(question.hand & 1 << parse_card("AS")))
    while match.phase != Phase.MATCH_OVER:
        assert len(match.actions) < 20_000
        match.apply(random_action(match, rng))
        assert_cards_are_conserved(match)
    assert sorted(match.state().towers)[1] == options.towers_to_win
    assert match.state().towers[match.winner] == options.towers_to_win


def assert_cards_are_conserved(match: Match) -> None:
    hand = match.state().hand
    if hand is None:
        return
    places = [*mask_cards(hand.hands[0]), *mask_cards(hand.hands[1]), *hand.stock]
    places += [card for trick in hand.tricks for card in (trick.led, trick.reply)]
    places += [] if hand.led is None else [hand.led]
    places.append(hand.up_card if hand.discard is None else hand.discard)
    assert sorted(places) == mask_cards(DECK_24)
    if hand.trump is not None and match.phase != Phase.DISCARD:
        cards = [held.bit_count() + len(hand.tricks) for held in hand.hands]
        if hand.led is not None:
            cards[hand.leader] += 1
        assert cards == [hand.n, hand.n]


def test_tb_29_verified_claims_need_a_judge() -> None:
    with pytest.raises(TowerlabError, match="claims=verified needs a judge"):
        Match()
    assert Match(judge=never).options.claims == "verified"


def test_a_random_match_of_towers_is_won_by_somebody_with_three() -> None:
    towers = random_match(np.random.default_rng(3), TowersAndBowersOptions(claims="off")).state().towers
    assert max(towers) == 3 and min(towers) < 3
