"""What is read from the words of a claim, and what a match asks its judge (vectors of 1.9 are rows of situations)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from tests.oracles.claim_beliefs import belief_of
from tests.oracles.match_driver import random_action
from towerlab.analysis.towers_and_bowers.claims import judge, judge_claim, read_question
from towerlab.analysis.towers_and_bowers.position import HandFacts, known_in
from towerlab.games.cards import SUITS, card_text, cards_mask, mask_text, parse_cards, to_play_order
from towerlab.games.towers_and_bowers import ClaimQuestion, Match, Phase, TowersAndBowersOptions, View
from towerlab.solver.claims.judging import split_belief
from towerlab.solver.claims.search import guaranteed_tricks, possible_tricks

C1: dict[str, Any] = {"history": "AH/QC", "first_lead": "me"}  # the other threw a plain queen: they are void in hearts


def claim(hand: str, lead: str | None, tricks: int, **known: Any) -> Any:
    return judge_claim(hand, "H", lead, tricks, **known)


# ------------------------------------------------------------------------------------------------- reading a history


def test_an_unfinished_trick_makes_it_the_other_ones_turn() -> None:
    mine = read_question("JD 9H", "H", None, 1, history="9C/AC AH/", first_lead="me").knowledge.belief
    theirs = read_question("JD", "H", None, 1, history="9C/AC TH/", first_lead="them").knowledge.belief
    assert mine.leader == 1 and mine.size(1) == 1 and mine.tricks == 2
    assert theirs.leader == 0 and theirs.size(1) == 2 and theirs.tricks == 2


def test_the_left_bower_follows_trumps_in_a_history() -> None:
    followed = claim("AH", None, 1, history="9H/JD", first_lead="me").knowledge.belief  # with a jack of diamonds
    void = claim("AH", None, 1, history="9D/JD", first_lead="me").knowledge.belief  # it did not follow diamonds
    assert followed.pools[0].bit_count() == 21 and void.pools[0].bit_count() == 17


def test_knowledge_said_twice_is_no_contradiction() -> None:
    once = claim("9H TH", None, 2, **C1)
    twice = claim("9H TH", "me", 2, seen="AH QC", opponent_void=["H"], opponent_cards=2, **C1)
    assert once == replace(twice, link=once.link)  # a link says what was said
    listed = claim("9H TH", "me", 1, opponent_void=["S", "C"], opponent_holds=["AD", "KD"])
    assert listed == claim("9H TH", "me", 1, opponent_void="S, C", opponent_holds="AD KD")


def test_a_void_in_trumps_takes_the_left_bower_away_and_a_void_in_its_suit_does_not() -> None:
    without_trumps = read_question("9H 9S", "H", "me", 1, opponent_void=["H"]).knowledge.belief
    without_diamonds = read_question("9H 9S", "H", "me", 1, opponent_void=["D"]).knowledge.belief
    left_bower = int(to_play_order(cards_mask(parse_cards("JD")), 2, True))
    assert not without_trumps.pools[0] & left_bower and without_trumps.pools[0].bit_count() == 16
    assert without_diamonds.pools[0] & left_bower and without_diamonds.pools[0].bit_count() == 17


# ---------------------------------------------------------------------------------------------- the interactive game


def test_what_the_judge_accepts_is_true_of_the_cards_as_they_lie() -> None:
    """Every claim and concession that could be made in some random matches."""
    accepted = {True: 0, False: 0}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        match = Match(TowersAndBowersOptions(starter="fixed", towers_to_win=1), judge)
        while match.phase != Phase.MATCH_OVER:
            if match.phase == Phase.PLAY:
                for player in (0, 1):
                    for tricks in range(1, match.view(player).opponent_cards + 1):
                        for concede in (False, True):
                            accepted[concede] += verdict_as_the_cards_lie(match, player, tricks, concede)
            match.apply(random_action(match, rng))
    assert accepted[False] > 20 and accepted[True] > 20, accepted


def verdict_as_the_cards_lie(match: Match, player: int, tricks: int, concede: bool) -> bool:
    """The judge's verdict, which has to hold for the hand that the other player really has."""
    if not match.can_claim(player, tricks):
        return False
    question = match.claim_question(player, tricks, concede)
    hand = match.state().hand
    belief = known_in(question.view).belief
    layout = int(to_play_order(hand.hands[1 - player], hand.trump, True))
    _, sure, pool, *_ = split_belief(belief)
    assert layout & sure == sure and not layout & ~(sure | pool)
    if not judge(question):
        return False
    known = belief.with_layout((layout,))
    if concede:
        assert possible_tricks(known) <= known.tricks - tricks
    else:
        assert guaranteed_tricks(known) >= tricks
    return True


def test_a_history_in_words_tells_what_the_match_knows() -> None:
    """At every point of some random hands, both players."""
    compared = unfinished = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        match = Match(TowersAndBowersOptions(starter="fixed", towers_to_win=1, claims="free"))
        while match.phase != Phase.MATCH_OVER:
            for player in (0, 1):
                if match.phase == Phase.PLAY and match.can_claim(player, 1):
                    words = knowledge_in_words(match, player)
                    view = match.view(player)
                    lead = "me" if view.leader == player else "them"
                    asked = read_question(mask_text(view.hand), SUITS[view.trump or 0], lead, 1, **words).knowledge
                    assert asked.belief == known_in(match.claim_question(player, 1).view).belief
                    compared += 1
                    unfinished += view.led is not None
            match.apply(random_action(match, rng))
    assert compared > 100 and unfinished > 30


def knowledge_in_words(match: Match, player: int) -> HandFacts:
    """The options of the command that say what a player has seen."""
    view = match.view(player)
    leaders = [trick.leader for trick in view.tricks] + ([view.leader] if view.led is not None else [])
    tricks = [f"{card_text(trick.led)}/{card_text(trick.reply)}" for trick in view.tricks]
    tricks += [] if view.led is None else [f"{card_text(view.led)}/"]
    first = leaders[0] if leaders else view.leader
    played = cards_mask(card for trick in view.tricks for card in (trick.led, trick.reply))
    played |= 0 if view.led is None else 1 << view.led
    return HandFacts(
        seen=mask_text(view.gone & ~played),
        opponent_holds=[mask_text(view.opponent_holds)],
        opponent_cards=view.opponent_cards,
        history=" ".join(tricks),
        first_lead="me" if first == player else "them",
    )


def test_tb_29_question_of_the_match_is_judged_like_the_command() -> None:
    """A claim question and the same knowledge in words get the same verdict."""
    verdicts = set()
    for hand, tricks in (("9H TH", 2), ("9H TH", 1), ("AS KS", 2), ("AS 9C", 2)):
        for leads in (True, False):
            mask = cards_mask(parse_cards(hand))
            view = View(
                0, Phase.PLAY, 0, (0, 0), 3, None, mask, trump=2, leader=1 - leads,
                gone=cards_mask(parse_cards("AH QC")), opponent_voids=(2,), opponent_cards=2,
            )  # fmt: skip
            question = ClaimQuestion(view, tricks, False)
            in_words = claim(hand, "me" if leads else "them", tricks, seen="AH QC", opponent_void=["H"])
            assert judge(question) == in_words.sound
            verdicts.add((hand, leads, in_words.sound))
    assert {sound for *_, sound in verdicts} == {True, False}


# ---------------------------------------------------------------------------------------------------- two processes


def test_tb_c1_strategy_wins_against_every_single_hand() -> None:
    """The guarantee is against each hand by itself too: a hand known beforehand never takes more."""
    question = read_question("9H TH", "H", None, 2, **C1)
    belief = question.knowledge.belief
    cards = [1 << card for card in range(56) if belief.pools[0] >> card & 1]
    for held in combinations(cards, 2):
        assert guaranteed_tricks(belief_of(belief.own[0], sum(held), 0)) == 2
