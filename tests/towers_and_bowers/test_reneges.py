"""Reneges, their correction, accusations and penalties (TB-22 .. TB-27)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracles.tb_tables import (
    DEALER,
    NON_DEALER,
    deal_hands,
    done,
    held,
    led_to,
    mask,
    name_trump,
    never,
    play,
    stacked_pack,
)
from towerlab.games.cards import DECK_24, SUITS, mask_cards, parse_card
from towerlab.games.errors import IllegalAction
from towerlab.games.towers_and_bowers import Ending, Match, Phase, Renege, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.view import proved_renege
from towerlab.table.commanding import table_of
from towerlab.table.session import Lineup, Session
from towerlab.table.towers_and_bowers.game import advise

PACK = mask_cards(DECK_24)


def refused(rule: str, words: str = "") -> Any:
    return pytest.raises(IllegalAction, match=rf"{words}.*\({rule}\)")


def enforced(nondealer: str, dealer: str, **options: Any) -> Match:
    """A hand at trump H, named by the non-dealer, in which any card may be played."""
    options = {"renege_mode": "enforced", "claims": "free"} | options
    return name_trump(deal_hands(nondealer, dealer, "QS", **options), "H")


def with_renege(**options: Any) -> Match:
    """RULES 1.9, renege (a): KD is led, the dealer holds 9D JD AS and plays the left bower, which wins the trick."""
    match = enforced("KD 9C TC", "9D JD AS", **options)
    play(match, "KD JD")
    return match


def with_two_reneges(**options: Any) -> Match:
    """The dealer reneges in trick 1, the non-dealer in trick 2; the dealer has led to trick 3."""
    match = enforced("KD 9C AH TS", "9D JD QC AS", **options)
    play(match, "KD JD QC TS 9D")
    return match


def swept_by_renege(**options: Any) -> Match:
    """The renege of `with_renege` has won the dealer all three tricks and a tower."""
    match = with_renege(**options)
    outcome = play(match, "AS 9C 9D TC").outcome
    assert outcome.tower_to == DEALER
    return match


# ------------------------------------------------------------------------------------------------------------- TB-22


def test_tb_22_renege_a_is_possible_only_where_enforced() -> None:
    match = with_renege()
    hand = match.state().hand
    assert hand.reneges == (Renege(DEALER, 1),) and hand.tricks[0].winner == DEALER
    legal = name_trump(deal_hands("KD 9C TC", "9D JD AS", "QS"), "H")
    with refused("TB-18"):
        play(legal, "KD JD")


def test_tb_22_renege_b_withholding_the_left_bower() -> None:
    match = enforced("9H 9C", "JD AS")
    play(match, "9H AS")
    hand = match.state().hand
    assert hand.reneges == (Renege(DEALER, 1),) and hand.tricks[0].winner == NON_DEALER


def test_tb_22_renege_c_is_none_without_a_card_of_the_suit() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS")
    hand = match.state().hand
    assert hand.reneges == ()


def test_tb_22_any_card_held_may_be_played_but_no_other() -> None:
    match = enforced("KD 9C TC", "9D JD AS")
    play(match, "KD")
    assert [match.can_play(parse_card(card)) for card in ("9D", "JD", "AS", "9C")] == [True, True, True, False]
    assert match.legal_plays() == mask("9D")


# ------------------------------------------------------------------------------------------------------------- TB-23


def test_tb_23_renege_a_corrected_in_time_gives_the_leader_the_trick() -> None:
    match = with_renege()
    assert done(match, "correct", parse_card("9D")).trick.winner == NON_DEALER
    hand = match.state().hand
    assert hand.reneges == () and hand.taken == (0, 1)
    assert held(match, DEALER) == "AS JD" and match.to_act == NON_DEALER
    assert match.view(NON_DEALER).opponent_holds == mask("JD")  # seen, then taken back
    play(match, "9C")
    assert not done(match, "accuse", NON_DEALER, 1).proven


def test_tb_23_correction_is_too_late_once_the_next_trick_is_led() -> None:
    match = with_renege()
    assert match.can_correct(parse_card("9D"))
    play(match, "AS")
    with refused("TB-23", "no longer"):
        match.correct(parse_card("9D"))


@pytest.mark.parametrize("card", ["JD", "AS", "KD", "9C"])
def test_tb_23_correction_must_follow_suit(card: str) -> None:
    match = with_renege()
    with refused("TB-23", "suit led"):
        match.correct(parse_card(card))


def test_tb_23_nothing_to_correct_after_a_legal_trick() -> None:
    match = enforced("KD 9C TC", "9D JD AS")
    with refused("TB-23"):
        match.correct(parse_card("9D"))
    play(match, "KD 9D")
    with refused("TB-23", "no renege"):
        match.correct(parse_card("JD"))


def test_tb_23_silence_is_permitted_and_the_hand_goes_on() -> None:
    match = swept_by_renege()
    assert match.state().towers == (1, 0)


# ------------------------------------------------------------------------------------------------------------- TB-24


def test_tb_24_no_accusation_while_it_can_be_corrected() -> None:
    match = with_renege()
    with refused("TB-23", "past correction"):
        match.accuse(NON_DEALER, 1)
    play(match, "AS")
    assert match.can_accuse(NON_DEALER, 1)


def test_tb_24_proven_accusation_ends_the_hand_and_offers_the_tower() -> None:
    match = with_renege()
    play(match, "AS")
    accusation = done(match, "accuse", NON_DEALER, 1)
    assert accusation.proven
    assert (accusation.penalty.offender, accusation.penalty.aggrieved, accusation.penalty.trick) == (0, 1, 1)
    assert match.phase == Phase.PENALTY and match.to_act == NON_DEALER
    with refused("TB-18"):
        play(match, "9C")
    with refused("TB-24", "being decided"):
        match.accuse(NON_DEALER, 1)
    outcome = done(match, "take_penalty").outcome
    assert (outcome.ending, outcome.tower_to) == (Ending.PENALTY, NON_DEALER)
    assert match.phase == Phase.TOWER_OVER and match.state().towers == (0, 1)


def test_tb_24_renege_c_accused_before_the_last_lead_offers_the_tower_to_the_accused() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS 9C QC")
    accusation = done(match, "accuse", NON_DEALER, 1)
    assert not accusation.proven
    assert (accusation.penalty.aggrieved, accusation.penalty.trick) == (DEALER, None)
    outcome = done(match, "take_penalty").outcome
    assert outcome.tower_to == DEALER


def test_tb_24_renege_c_accused_after_the_last_lead_leads_to_nothing() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS 9C QC JD")
    before = match.state()
    accusation = done(match, "accuse", NON_DEALER, 1)
    assert not accusation.proven and accusation.penalty is None and match.state() == before
    play(match, "TC")
    assert done(match, "accuse", NON_DEALER, 1).penalty is None


def test_tb_24_disproven_accusation_after_an_accepted_claim_leads_to_nothing() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS")
    match.claim(DEALER, 1)
    match.consent()
    assert done(match, "accuse", NON_DEALER, 1).penalty is None
    assert match.phase == Phase.HAND_OVER


def test_tb_24_an_accusation_silences_a_pending_claim() -> None:
    match = with_renege()
    play(match, "AS")
    match.claim(DEALER, 2)
    assert done(match, "accuse", NON_DEALER, 1).proven
    assert match.state().claim is None and match.phase == Phase.PENALTY
    match.decline_penalty()
    assert match.phase == Phase.PLAY


def test_tb_24_a_false_accusation_declined_resumes_the_hand() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS 9C")
    before = match.state()
    match.accuse(NON_DEALER, 1)
    assert done(match, "decline_penalty").outcome is None
    assert match.state() == before
    play(match, "QC")


@pytest.mark.parametrize("trick", [0, 2, 3, None])
def test_tb_24_accusation_names_a_finished_trick(trick: int | None) -> None:
    match = with_renege()
    play(match, "AS")
    with refused("TB-24"):
        match.accuse(NON_DEALER, trick)


def test_tb_24_to_accuse_the_leader_of_a_trick_is_a_false_accusation() -> None:
    match = with_renege()
    play(match, "AS")
    assert {"action": "accuse", "player": DEALER, "trick": 1} in list(match.legal(DEALER))
    accusation = done(match, "accuse", DEALER, 1)
    assert not accusation.proven
    assert (accusation.penalty.aggrieved, accusation.penalty.trick) == (NON_DEALER, None)
    match.take_penalty()
    assert match.state().towers == (0, 1)


@pytest.mark.parametrize("scope", ["trick", "hand"])
def test_tb_27_after_undo_an_accusation_is_offered_and_false(scope: str) -> None:
    match = with_renege(accuse_scope=scope)
    play(match, "AS")
    match.accuse(NON_DEALER, 1 if scope == "trick" else None)
    match.decline_penalty()
    play(match, "9D 9C")
    for player in (DEALER, NON_DEALER):
        offered = [one for one in match.legal(player) if one["action"] == "accuse"]
        assert len(offered) == 1 and match.can(offered[0])
    assert not done(match, "accuse", NON_DEALER, 1 if scope == "trick" else None).proven


def test_tb_24_naming_the_wrong_trick_is_a_false_accusation() -> None:
    match = enforced("KD AC 9C TC AS", "9D JD QC KC TS")
    play(match, "KD JD KC AC TC QC 9D")  # the dealer reneged in trick 1 and followed in trick 3
    accusation = done(match, "accuse", NON_DEALER, 3)
    assert not accusation.proven and accusation.penalty.aggrieved == DEALER


def test_tb_24_option_accuse_scope_hand_names_no_trick() -> None:
    match = with_renege(accuse_scope="hand")
    play(match, "AS")
    with refused("TB-24", "names no trick"):
        match.accuse(NON_DEALER, 1)
    assert done(match, "accuse", NON_DEALER).proven
    other = enforced("KD 9C TC", "JD AS QC", accuse_scope="hand")
    play(other, "KD AS 9C")
    assert not done(other, "accuse", NON_DEALER).proven


def test_tb_24_no_accusations_where_reneges_are_forbidden() -> None:
    match = name_trump(deal_hands("KD 9C TC", "9D JD AS", "QS"), "H")
    play(match, "KD 9D 9C")
    with refused("TB-24", "renege_mode=forbidden"):
        match.accuse(NON_DEALER, 1)
    with refused("TB-23"):
        match.correct(parse_card("JD"))


def test_tb_24_a_renege_that_can_still_be_corrected_proves_nothing() -> None:
    match = enforced("9C KD TC AC", "QC 9D JD AS", accuse_scope="hand")
    play(match, "9C QC AS TC 9D AC")
    hand = match.state().hand
    assert hand.reneges == (Renege(NON_DEALER, 3),)  # AC on 9D, holding KD
    accusation = done(match, "accuse", DEALER)
    assert not accusation.proven and accusation.penalty is not None
    match.decline_penalty()
    play(match, "JD")
    assert done(match, "accuse", DEALER).proven


def test_tb_24_a_false_accusation_instead_of_an_answer_to_a_claim_resumes_the_play() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS 9C")
    match.claim(NON_DEALER, 1)
    assert not done(match, "accuse", NON_DEALER, 1).proven
    match.decline_penalty()
    assert match.phase == Phase.PLAY and match.state().claim is None
    play(match, "QC")


# ------------------------------------------------------------------------------------------------------------- TB-25


def test_tb_25_late_proven_accusation_overrides_an_awarded_tower() -> None:
    match = swept_by_renege()
    assert match.phase == Phase.TOWER_OVER
    assert done(match, "accuse", NON_DEALER, 1).proven
    match.take_penalty()
    assert match.state().towers == (0, 1)


def test_tb_25_even_the_tower_that_won_the_match() -> None:
    match = swept_by_renege(towers_to_win=1)
    assert match.phase == Phase.MATCH_OVER and match.winner == DEALER
    match.accuse(NON_DEALER, 1)
    match.take_penalty()
    assert match.phase == Phase.MATCH_OVER and match.winner == NON_DEALER


def test_tb_25_a_match_won_by_a_renege_goes_on_when_that_is_undone() -> None:
    match = swept_by_renege(towers_to_win=1)
    match.accuse(NON_DEALER, 1)
    match.decline_penalty()
    assert (match.phase, match.winner, match.state().towers) == (Phase.PLAY, None, (0, 0))


def test_tb_25_deadline_is_the_first_card_of_the_next_hand() -> None:
    match = enforced("KD 9C TC", "9D JD AS")
    play(match, "KD JD")
    match.concede(DEALER, 1)
    match.consent()
    assert match.phase == Phase.HAND_OVER
    match.shuffle(PACK)
    assert match.can_accuse(NON_DEALER, 1)
    match.cut(10)
    assert match.can_accuse(NON_DEALER, 1)
    match.deal()
    with refused("TB-25"):
        match.accuse(NON_DEALER, 1)


def test_tb_25_deadline_is_the_first_card_of_the_next_starter() -> None:
    match = Match(TowersAndBowersOptions(renege_mode="enforced", claims="free", first_n=2))
    match.shuffle_starter(stacked_pack(2, "JS TC", "9D KS", "QD"), DEALER)
    match.turn()
    assert match.state().dealer == NON_DEALER
    match.shuffle(stacked_pack(2, "KD 9C", "9D JD", "QS"))
    match.decline_cut()
    match.deal()  # player 1 deals, so player 0 has KD 9C
    name_trump(match, "H")
    assert play(match, "KD JD 9D 9C").outcome.tower_to == NON_DEALER
    match.shuffle_starter(PACK, NON_DEALER)
    assert match.can_accuse(DEALER, 1)
    match.turn()
    with refused("TB-25"):
        match.accuse(DEALER, 1)


def test_tb_25_an_accepted_claim_is_overridden_too() -> None:
    match = with_renege()
    match.claim(DEALER, 2)
    match.consent()
    assert match.state().towers == (1, 0)
    match.accuse(NON_DEALER, 1)
    match.take_penalty()
    assert match.state().towers == (0, 1)


def test_tb_25_a_true_accusation_overrides_the_tower_of_a_false_one() -> None:
    match = enforced("9C 9D 9S TD KH", "AC AS AD QC QH")
    play(match, "9C AC AS 9D AD TD QC")  # the non-dealer held 9S in trick 2 and followed in trick 3
    assert not done(match, "accuse", DEALER, 3).proven
    match.take_penalty()
    assert match.state().towers == (0, 1)
    assert done(match, "accuse", DEALER, 2).proven
    match.take_penalty()
    assert match.state().towers == (1, 0)


# ------------------------------------------------------------------------------------------------------------- TB-26


@pytest.mark.parametrize("accuser, trick", [(NON_DEALER, 1), (DEALER, 2)])
def test_tb_26_only_the_earliest_renege_is_penalised_even_the_accusers(accuser: int, trick: int) -> None:
    match = with_two_reneges()
    accusation = done(match, "accuse", accuser, trick)
    assert accusation.proven
    assert (accusation.penalty.offender, accusation.penalty.trick) == (DEALER, 1)
    match.take_penalty()
    assert match.state().towers == (0, 1)


def test_tb_26_after_one_penalty_no_other_renege_is_heard() -> None:
    match = with_two_reneges()
    match.accuse(NON_DEALER, 1)
    match.take_penalty()
    with refused("TB-26"):
        match.accuse(DEALER, 2)


# ------------------------------------------------------------------------------------------------------------- TB-27


def test_tb_27_undo_restores_the_bad_trick_and_the_hand_is_played_legally() -> None:
    match = with_renege()
    play(match, "AS 9C 9D")
    match.accuse(NON_DEALER, 1)
    assert done(match, "decline_penalty").outcome is None
    hand = match.state().hand
    assert (match.phase, match.to_act, hand.led, hand.tricks) == (Phase.PLAY, DEALER, parse_card("KD"), ())
    assert (held(match, DEALER), held(match, NON_DEALER)) == ("AS JD 9D", "TC 9C")
    assert match.view(NON_DEALER).opponent_holds == mask("JD AS 9D")
    assert match.view(DEALER).opponent_holds == mask("9C")
    with refused("TB-18"):
        play(match, "JD")
    outcome = play(match, "9D 9C AS TC JD").outcome
    assert outcome.taken == (1, 2) and outcome.next_dealer == NON_DEALER


def test_tb_27_undo_after_the_hand_revokes_the_tower_it_gave() -> None:
    match = swept_by_renege()
    match.accuse(NON_DEALER, 1)
    match.decline_penalty()
    assert match.state().towers == (0, 0)
    assert (match.phase, match.state().n, match.state().dealer) == (Phase.PLAY, 3, DEALER)
    assert match.legal_plays() == mask("9D")


def test_tb_27_undo_drops_the_later_reneges_with_their_tricks() -> None:
    match = with_two_reneges()
    match.accuse(DEALER, 2)
    match.decline_penalty()
    hand = match.state().hand
    assert hand.reneges == () and hand.tricks == () and hand.led == parse_card("KD")


def test_tb_27_option_stand_keeps_the_result_as_played() -> None:
    match = swept_by_renege(renege_declined="stand")
    match.accuse(NON_DEALER, 1)
    match.decline_penalty()
    assert (match.phase, match.state().towers) == (Phase.TOWER_OVER, (1, 0))
    with refused("TB-26"):
        match.accuse(NON_DEALER, 1)


def test_tb_27_option_stand_keeps_the_shuffle_for_the_next_hand() -> None:
    match = with_renege(renege_declined="stand")
    match.claim(DEALER, 1)
    match.consent()
    match.shuffle(PACK)
    match.accuse(NON_DEALER, 1)
    match.decline_penalty()
    assert match.phase == Phase.CUT and match.state().pack == tuple(PACK)


def test_tb_27_option_stand_has_no_result_to_keep_before_the_hand_is_over() -> None:
    match = with_renege(renege_declined="stand")
    play(match, "AS")
    match.accuse(NON_DEALER, 1)
    match.decline_penalty()
    assert match.phase == Phase.PLAY and match.legal_plays() == mask("9D")


@pytest.mark.parametrize("hand_is_over", [False, True])
def test_tb_27_option_award_hand_gives_the_aggrieved_the_next_deal(hand_is_over: bool) -> None:
    match = with_renege(renege_declined="award_hand")
    play(match, "AS 9C 9D TC" if hand_is_over else "AS")
    match.accuse(NON_DEALER, 1)
    outcome = done(match, "decline_penalty").outcome
    assert (outcome.ending, outcome.next_dealer, outcome.tower_to) == (Ending.AWARDED, NON_DEALER, None)
    state = match.state()
    assert (match.phase, state.n, state.dealer, state.towers) == (Phase.HAND_OVER, 2, NON_DEALER, (0, 0))


def test_tb_29_a_void_shown_by_a_renege_is_dropped_when_a_card_contradicts_it() -> None:
    match = enforced("9C KD TC", "9D JD AS")
    match.play(parse_card("KD"))
    play(match, "AS")
    diamonds = SUITS.index("D")
    assert match.view(NON_DEALER).opponent_voids == (diamonds,)
    play(match, "9C 9D")
    assert match.view(NON_DEALER).opponent_voids == (SUITS.index("C"),)


def test_tb_29_a_void_is_dropped_when_the_card_on_the_table_contradicts_it() -> None:
    match = enforced("9C KD TC", "9D JD AS")
    play(match, "KD JD")
    assert match.view(NON_DEALER).opponent_voids == (SUITS.index("D"),)
    play(match, "9D")
    assert match.view(NON_DEALER).opponent_voids == ()


def test_tb_29_a_void_is_no_void_while_the_taken_up_card_is_surely_held() -> None:
    match = deal_hands("9H 9C TC", "9D JD AS", "QH", renege_mode="enforced", claims="free")
    match.accept()
    match.discard(parse_card("9D"))
    play(match, "9H AS")
    view = match.view(NON_DEALER)
    assert view.opponent_holds == mask("QH") and view.opponent_voids == ()


def test_tb_29_voids_that_leave_too_few_cards_are_not_relied_on() -> None:
    """The dealer throws clubs on three other suits: two clubs are unseen, yet they hold four more cards."""
    match = deal_hands("AH AS AD 9H 9S 9D TD", "9C TC QC KH KS KD QD", "KC", renege_mode="enforced", claims="free")
    name_trump(match, "H")
    play(match, "AH 9C AS TC")
    assert match.view(NON_DEALER).opponent_voids == (SUITS.index("H"), SUITS.index("S"))
    play(match, "AD QC")
    assert match.view(NON_DEALER).opponent_voids == ()


# ------------------------------------------------------------------------- claims while a renege can be corrected


def reneged(judge: Any, claims: str = "verified") -> Match:
    """Trumps hearts; the dealer has just answered the ace with a club, though they hold the right bower."""
    match = deal_hands("AH 9H TH", "JH QC 9C", "QS", renege_mode="enforced", claims=claims, judge=judge)
    name_trump(match, "H")
    play(match, "AH QC")
    return match


def test_tb_23_no_void_is_inferred_from_a_card_that_may_still_be_taken_back() -> None:
    asked: list[Any] = []
    match = reneged(lambda question: asked.append(question) or False)
    match.claim(NON_DEALER, 2)
    assert asked[0].opponent_voids == ()  # a void in hearts would have proved it
    match.insist()
    play(match, "9H")  # the next lead: what was shown counts now
    assert match.claim_question(NON_DEALER, 2).opponent_voids == (SUITS.index("H"),)


def test_tb_23_a_proved_claim_leaves_the_correction_open() -> None:
    match = reneged(lambda question: True)
    assert done(match, "claim", NON_DEALER, 2).outcome is not None and match.phase == Phase.TOWER_OVER
    assert not match.can_accuse(NON_DEALER, 1)  # it can still be corrected
    assert {"action": "correct", "player": DEALER, "card": "JH"} in list(match.legal(DEALER))
    assert not any(action["action"] == "correct" for action in match.legal(NON_DEALER))
    match.correct(parse_card("JH"))
    assert (match.phase, match.to_act, match.state().towers) == (Phase.PLAY, DEALER, (0, 0))
    assert match.state().hand.taken == (1, 0)
    again = Match.from_transcript(match.transcript(), judge=lambda question: True)
    assert again.state() == match.state()


def test_tb_28_a_proved_claim_leaves_the_claimants_own_correction_open() -> None:
    match = reneged(lambda question: True)
    match.claim(DEALER, 2)
    assert not match.can_accuse(NON_DEALER, 1)  # not before the next lead, which insisting on play brings about
    assert {"action": "correct", "player": DEALER, "card": "JH"} in list(match.legal(DEALER))
    played_on = Match.from_transcript(match.transcript(), judge=lambda question: True)
    match.correct(parse_card("JH"))
    assert match.phase == Phase.PLAY and match.state().hand.taken == (1, 0)
    played_on.insist()
    play(played_on, "9H")
    assert done(played_on, "accuse", NON_DEALER, 1).proven


@pytest.mark.parametrize("player", [DEALER, NON_DEALER])
def test_tb_23_a_renege_is_corrected_while_a_claim_waits_for_consent(player: int) -> None:
    match = reneged(never, claims="free")
    match.claim(player, 2)
    assert match.phase == Phase.CONSENT and match.can_correct(parse_card("JH"))
    match.correct(parse_card("JH"))
    assert (match.phase, match.state().claim, match.to_act) == (Phase.PLAY, None, DEALER)


@pytest.mark.parametrize("claimant", [DEALER, NON_DEALER])
def test_tb_23_an_accepted_claim_leaves_the_correction_open_and_the_accusation_too(claimant: int) -> None:
    """The sheet: before the next trick is led. None is led after an accepted claim, and nobody can insist any more."""
    match = reneged(never, claims="free")
    match.claim(claimant, 2)
    match.consent()
    assert {"action": "correct", "player": DEALER, "card": "JH"} in list(match.legal(DEALER))
    assert done(match.copy(), "accuse", NON_DEALER, 1).proven
    match.correct(parse_card("JH"))
    assert (match.phase, match.state().towers, match.to_act) == (Phase.PLAY, (0, 0), DEALER)
    again = Match.from_transcript(match.transcript(), judge=never)
    assert again.state() == match.state()


def test_tb_23_a_claim_made_after_the_next_lead_opens_no_correction() -> None:
    match = reneged(never, claims="free")
    play(match, "9H")
    match.claim(NON_DEALER, 2)
    match.consent()
    assert not match.can_correct(parse_card("JH")) and match.can_accuse(NON_DEALER, 1)


# ---------------------------------------------------------------------------------------- reneges the cards prove


@pytest.mark.parametrize("scope", ["trick", "hand"])
def test_tb_24_advice_names_the_renege_that_the_cards_prove(scope: str) -> None:
    options = TowersAndBowersOptions(renege_mode="enforced", claims="free", accuse_scope=scope, first_n=3)
    match = with_renege(accuse_scope=scope)
    play(match, "AS 9C")
    assert proved_renege(match.view(NON_DEALER)) is None  # J♦ on K♦ is none as long as no diamond is seen
    play(match, "9D")
    advice = advise(match.view(NON_DEALER), options)
    assert advice.options[0].note == "100.0 %" and len(advice.options) == 2
    assert advice.options[1].loss.mean == 1000 - advice.options[1].value
    accused = match.copy()
    accused.apply(advice.options[0].action)
    assert led_to(accused).proven
    play(match, "TC")
    late = advise(match.view(NON_DEALER), options)  # until the next hand is dealt (TB-25)
    assert [one.action for one in late.options] == [advice.options[0].action]
    assert advise(match.view(DEALER), options) is None


def test_tb_24_every_renege_that_counts_as_proved_is_proved() -> None:
    """Random hands in which anything may be played: the accusation that a view proves is legal and always wins."""
    random, accused = np.random.default_rng(8), 0
    options = TowersAndBowersOptions(renege_mode="enforced", claims="free", renege_declined="stand", first_n=4)
    for _ in range(60):
        match = Match(options, never)
        for _ in range(45):
            actions = list(match.legal(match.to_act)) if match.to_act is not None else [match.chance(random)]
            said = ("claim", "concede", "accuse")
            actions = [one for one in actions if one["action"] not in said or random.random() < 0.05]
            match.apply(actions[int(random.integers(len(actions)))])
            for player in (DEALER, NON_DEALER):
                trick = proved_renege(match.view(player))
                if trick is not None and match.can_accuse(player, trick):
                    accused += 1
                    assert done(match.copy(), "accuse", player, trick).proven
    assert accused > 100


# ------------------------------------------------------------------------------------------------- offers to undo


@pytest.mark.parametrize("declined", ["undo", "stand", "award_hand"])
def test_tb_27_who_reneged_accepts_or_declines_the_offer_to_undo_it(declined: str) -> None:
    for accepts in (True, False):
        match = swept_by_renege(renege_declined=declined)
        match.accuse(NON_DEALER, 1)
        match.offer_undo()
        assert match.to_act == DEALER
        with refused("TB-24", "not due"):
            match.take_penalty()
        if accepts:
            match.accept_undo()
            hand = match.state().hand
            assert match.phase == Phase.PLAY and hand.tricks == () and match.state().towers == (0, 0)
            with refused("TB-18"):
                play(match, "JD")  # the hand is played out legally
            assert play(match, "9D 9C AS").trick.winner == NON_DEALER
        else:
            match.decline_undo()
            assert match.to_act == NON_DEALER
            with refused("TB-27", "has been declined"):
                match.offer_undo()
            assert done(match, "take_penalty").outcome.tower_to == NON_DEALER
        assert Match.from_transcript(list(match.transcript())).state() == match.state()


def test_tb_27_a_false_accusation_leaves_nothing_to_undo() -> None:
    match = enforced("KD 9C TC", "JD AS QC")
    play(match, "KD AS 9C")
    match.accuse(NON_DEALER, 1)
    with refused("TB-27", "nothing to undo"):
        match.offer_undo()
    assert [one["action"] for one in match.legal(DEALER)][:2] == ["take_penalty", "decline_penalty"]


# ------------------------------------------------------------------------------------------- after an early stop


def test_tb_28_either_player_may_insist_after_an_early_stop_and_nothing_changes() -> None:
    """Whatever is then played, the hand ends as it had ended."""
    rng, found = np.random.default_rng(6), 0
    while found < 30:
        match = Match(TowersAndBowersOptions(claims="off", starter="fixed"), None)
        while match.state().hand is None or match.state().hand.outcome is None:
            match.apply(match.chance(rng) if match.to_act is None else match.legal(match.to_act).sample(rng))
        hand, after = match.state().hand, match.state()
        if not hand.tricks_left:
            with refused("TB-28"):
                match.insist(0)
            continue
        with refused("TB-28", "no player"):
            match.insist(2)
        match.insist(found % 2)
        while match.state().hand.outcome is None:
            match.apply(match.legal(match.to_act).sample(rng))
        said, outcome = match.state(), match.state().hand.outcome
        assert (said.phase, said.towers, said.n, said.dealer) == (after.phase, after.towers, after.n, after.dealer)
        assert (outcome.tower_to, outcome.next_dealer) == (hand.outcome.tower_to, hand.outcome.next_dealer)
        assert not match.state().hand.tricks_left and not match.can_insist(0)
        found += 1


def test_tb_24_a_player_of_the_simulator_accuses_of_what_the_cards_prove() -> None:
    """At a table with one person: the renege of the person, once the card kept back is seen."""
    table = table_of("towers-and-bowers")
    match = with_renege(claims="free")
    play(match, "9D")
    session = Session.begin(table, match.options, Lineup(("human", "random"), 1), None)
    for action in match.actions:
        session._apply(action)
    assert session.step() and session.engine.last_action == {"action": "accuse", "player": NON_DEALER, "trick": 1}
    assert session.step() and session.engine.last_action["action"] == "take_penalty"
    assert session.engine.state().towers == (0, 1)
