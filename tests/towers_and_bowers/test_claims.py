"""Claims and concessions in the match (TB-28 .. TB-30) with judges that are told what to say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracles.tb_tables import DEALER, NON_DEALER, deal_hands, done, mask, name_trump, play
from towerlab.games.cards import SUITS, parse_card
from towerlab.games.errors import IllegalAction, TowerlabError
from towerlab.games.towers_and_bowers import ClaimQuestion, Ending, Match, Outcome, PendingClaim, Phase


class Judge:
    """Says the same always and keeps what it was asked."""

    def __init__(self, verdict: bool) -> None:
        self.verdict = verdict
        self.asked: list[ClaimQuestion] = []

    def __call__(self, question: ClaimQuestion) -> bool:
        self.asked.append(question)
        return self.verdict


def refused(words: str) -> Any:
    return pytest.raises(IllegalAction, match=rf"{words}.*\(TB-28\)")


def c1_position(judge: Any = None, **options: Any) -> Match:
    """TB-C1: the non-dealer led AH and the dealer threw QC; they hold 9H TH and lead."""
    options = {"claims": "verified"} | options
    match = name_trump(deal_hands("AH 9H TH", "QC 9S KD", "QS", judge=judge, **options), "H")
    play(match, "AH QC")
    return match


def outcome_of(record: Any) -> Outcome:
    assert record.outcome is not None
    return record.outcome


# ------------------------------------------------------------------------------------------------------- three modes


def test_tb_28_option_claims_off_refuses_both() -> None:
    match = c1_position(claims="off")
    for action in (match.claim, match.concede):
        with refused("claims are off"):
            action(NON_DEALER, 2)
    assert not match.can_claim(NON_DEALER, 2) and not match.can_concede(NON_DEALER, 2)


def test_tb_29_verified_a_sound_claim_closes_the_hand_at_once() -> None:
    match = c1_position(Judge(True))
    record = done(match, "claim", NON_DEALER, 2)
    outcome = outcome_of(record)
    assert record.claim.verdict is True
    assert (outcome.ending, outcome.taken, outcome.tower_to) == (Ending.CLAIMED, (0, 3), NON_DEALER)
    assert match.phase == Phase.TOWER_OVER


def test_tb_28_verified_an_unproved_claim_needs_consent() -> None:
    match = c1_position(Judge(False))
    before = match.state()
    record = done(match, "claim", NON_DEALER, 2)
    assert record.claim.verdict is False and record.outcome is None
    assert match.phase == Phase.CONSENT and match.to_act == DEALER
    assert match.view(DEALER).claim == record.claim
    assert not match.can_play(parse_card("9H")) and not match.can_claim(DEALER, 1)
    match.insist()
    assert match.state() == before
    play(match, "9H 9S TH KD")


def test_tb_28_verified_an_unproved_claim_stands_when_accepted() -> None:
    match = c1_position(Judge(False))
    match.claim(NON_DEALER, 1)
    outcome = outcome_of(done(match, "consent"))
    assert (outcome.taken, outcome.next_dealer) == ((1, 2), NON_DEALER)
    assert match.phase == Phase.HAND_OVER and match.state().n == 2


def test_tb_28_free_mode_asks_no_judge() -> None:
    judge = Judge(True)
    match = c1_position(judge, claims="free")
    record = done(match, "claim", NON_DEALER, 2)
    assert record.claim.verdict is None and match.phase == Phase.CONSENT and judge.asked == []
    assert outcome_of(done(match, "consent")).tower_to == NON_DEALER


# --------------------------------------------------------------------------------------------- what may be stated


@pytest.mark.parametrize("tricks", [-1, 0, 3, 7])
def test_tb_28_a_claim_is_of_tricks_that_are_left(tricks: int) -> None:
    match = c1_position(Judge(True))
    with refused("expected 1 to 2"):
        match.claim(NON_DEALER, tricks)
    with refused("expected 1 to 2"):
        match.concede(DEALER, tricks)


def test_tb_28_only_during_the_play() -> None:
    match = deal_hands("9H TH", "AS KS", "QH")
    assert not match.can_claim(NON_DEALER, 1)
    match.accept()
    with refused("phase DISCARD"):
        match.claim(NON_DEALER, 1)


@pytest.mark.parametrize("player", [DEALER, NON_DEALER])
def test_tb_28_either_player_may_claim_at_any_time_of_a_trick(player: int) -> None:
    for cards in ("", "9H"):
        match = c1_position(Judge(True))
        play(match, cards)
        assert outcome_of(done(match, "claim", player, 2)).taken[player] >= 2


def test_tb_28_a_claim_of_fewer_gives_the_other_player_the_rest() -> None:
    assert outcome_of(done(c1_position(Judge(True)), "claim", NON_DEALER, 1)).taken == (1, 2)
    assert outcome_of(done(c1_position(Judge(True)), "claim", DEALER, 1)).taken == (1, 2)


def test_a15_a_claim_of_all_with_all_won_is_a_sweep() -> None:
    match = c1_position(Judge(True))
    assert outcome_of(done(match, "claim", NON_DEALER, 2)).tower_to == NON_DEALER


# ------------------------------------------------------------------------------------------------------- concessions


def test_tb_30_a_sound_concession_of_all_closes_the_hand() -> None:
    judge = Judge(True)
    outcome = outcome_of(done(c1_position(judge), "concede", DEALER, 2))
    assert outcome.taken == (0, 3) and judge.asked[0].is_concession


def test_tb_30_an_unsound_concession_binds_when_accepted() -> None:
    match = c1_position(Judge(False))
    match.concede(NON_DEALER, 2)  # they hold the two highest trumps left
    assert match.phase == Phase.CONSENT and match.to_act == DEALER
    assert outcome_of(done(match, "consent")).taken == (2, 1)


def test_tb_30_a_concession_of_some_tricks_is_for_the_other_player_to_accept() -> None:
    """It would otherwise secure the conceder the rest without proof."""
    judge = Judge(True)
    match = c1_position(judge)
    assert done(match, "concede", DEALER, 1).claim.verdict is None
    assert judge.asked == [] and match.phase == Phase.CONSENT
    assert outcome_of(done(match, "consent")).taken == (1, 2)


# ------------------------------------------------------------------------------- what the claimant has seen (TB-29)


def test_tb_c1_question_knows_the_void_from_the_failure_to_follow() -> None:
    judge = Judge(True)
    c1_position(judge).claim(NON_DEALER, 2)
    asked = ClaimQuestion(
        hand=mask("9H TH"), trump=SUITS.index("H"), claimant_leads=True, led=None, gone=mask("AH QC QS"),
        opponent_voids=(SUITS.index("H"),), opponent_holds=0, opponent_cards=2, tricks=2, is_concession=False,
    )  # fmt: skip
    assert judge.asked == [asked]


def test_tb_c3_question_of_a_player_who_has_seen_no_play() -> None:
    match = name_trump(deal_hands("JH JD AH 9H AS", "KH QH TC 9C TD", "QS"), "H")
    question = match.claim_question(NON_DEALER, 5)
    assert (question.hand, question.gone) == (mask("JH JD AH 9H AS"), mask("QS"))
    assert (question.opponent_voids, question.opponent_holds, question.opponent_cards) == ((), 0, 5)


def test_tb_c4_question_when_the_other_player_is_on_lead() -> None:
    match = name_trump(deal_hands("JD 9H TC", "AS KS AC", "QS"), "H")
    play(match, "TC AC")
    question = match.claim_question(NON_DEALER, 1)
    assert not question.claimant_leads and question.led is None and question.opponent_voids == ()
    play(match, "AS")
    question = match.claim_question(NON_DEALER, 1)
    assert not question.claimant_leads and question.led == parse_card("AS")
    assert question.opponent_cards == 1 and question.gone == mask("TC AC AS QS")
    mine = match.claim_question(DEALER, 1)
    assert mine.claimant_leads and mine.led == parse_card("AS") and mine.opponent_cards == 2


def test_tb_x2_question_of_a_concession_knows_that_the_spade_was_trumped() -> None:
    judge = Judge(True)
    match = deal_hands("AS KS QS JS 9C", "9H TH QH TD KD", "QC", judge=judge)
    name_trump(match, "H")
    play(match, "AS 9H")
    assert outcome_of(done(match, "concede", NON_DEALER, 4)).tower_to == DEALER
    question = judge.asked[0]
    assert question.is_concession and question.tricks == 4 and not question.claimant_leads
    assert question.opponent_voids == (SUITS.index("S"),) and question.gone == mask("AS 9H QC")


def test_tb_29_question_after_an_exchange() -> None:
    """The non-dealer knows the up-card in the dealer's hand until it is played; the dealer knows their discard."""
    match = deal_hands("AH 9C TC", "KD QC 9D", "TH")
    match.accept()
    match.discard(parse_card("9D"))
    question = match.claim_question(NON_DEALER, 1)
    assert (question.opponent_holds, question.gone) == (mask("TH"), 0)
    question = match.claim_question(DEALER, 1)
    assert (question.opponent_holds, question.gone) == (0, mask("9D"))
    play(match, "AH TH")
    question = match.claim_question(NON_DEALER, 1)
    assert (question.opponent_holds, question.gone) == (0, mask("AH TH"))


def test_tb_29_option_allow_discard_upcard_makes_the_taken_card_unsure() -> None:
    match = deal_hands("AH 9C TC", "KD QC 9D", "TH", allow_discard_upcard=True)
    match.accept()
    match.discard(parse_card("9D"))
    question = match.claim_question(NON_DEALER, 1)
    assert question.opponent_holds == 0 and not question.gone & mask("TH")


# ------------------------------------------------------------------------------ insisting on play (RULES 1.7, TB-28)


def proved_sweep() -> Match:
    """The non-dealer has claimed the whole hand, and the tower went to them."""
    match = name_trump(deal_hands("JH JD AH", "KD QC 9D", "QS", judge=lambda question: True), "H")
    assert done(match, "claim", NON_DEALER, 3).outcome is not None
    assert match.state().towers == (0, 1) and match.phase == Phase.TOWER_OVER
    return match


def test_tb_28_a_proved_claim_is_played_out_when_the_other_player_insists() -> None:
    match = proved_sweep()
    assert list(match.legal(DEALER)) == [{"action": "insist", "player": DEALER}] and not len(match.legal(NON_DEALER))
    with pytest.raises(TowerlabError, match="expected player 0 to insist"):
        match.apply({"action": "insist", "player": NON_DEALER})
    match.insist()
    assert (match.phase, match.to_act, match.state().towers) == (Phase.PLAY, NON_DEALER, (0, 0))
    again = Match.from_transcript(match.transcript(), judge=lambda question: True)
    assert again.state() == match.state()
    match.claim(NON_DEALER, 3)  # what is claimed from now on needs consent
    assert match.phase == Phase.CONSENT and match.state().claim == PendingClaim(NON_DEALER, 3, False, None)
    match.consent()
    assert match.state().towers == (0, 1) and not match.can_insist()  # an accepted claim is final


def test_tb_28_insisting_is_possible_until_the_first_card_of_the_next_deal() -> None:
    rng = np.random.default_rng(4)
    match = proved_sweep()
    while match.phase != Phase.BID1_ND:
        assert match.can_insist()
        late = match.copy()
        late.insist()
        assert late.phase == Phase.PLAY and late.state().towers == (0, 0)
        match.apply(match.chance(rng))
    assert not match.can_insist()


def test_tb_28_insisting_takes_back_the_end_of_the_match() -> None:
    match = deal_hands("JH JD AH", "KD QC 9D", "QS", judge=lambda question: True, towers_to_win=1)
    name_trump(match, "H").claim(NON_DEALER, 3)
    assert match.result.winners == (NON_DEALER,)
    match.insist()
    assert match.result is None and match.winner is None and match.phase == Phase.PLAY


def test_tb_28_what_was_played_or_consented_to_is_not_played_again() -> None:
    match = name_trump(deal_hands("JH JD AH", "KD QC 9D", "QS", claims="free"), "H")
    match.claim(NON_DEALER, 3)
    match.consent()
    with pytest.raises(IllegalAction, match="insisting on play is not possible"):
        match.insist()
