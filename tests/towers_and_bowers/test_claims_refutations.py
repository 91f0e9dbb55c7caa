"""Refutations of unsound claims: both kinds, every leaf replayed and solved again by the slow oracle."""

from __future__ import annotations

import pytest

from tests.oracles import hidden_hands as oracle
from tests.oracles.claim_beliefs import belief_of, play_mask, refuted
from tests.oracles.hidden_positions import Case, two_handed_cases
from towerlab.games.cards import SUITS, card_text, mask_cards, to_printed
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.explanation import GUESS, LAYOUT, Branch, Leaf, Refutation, replay_tricks
from towerlab.solver.claims.judging import OPPONENT, HiddenHands, claimant_tricks, layout_with, split_belief
from towerlab.solver.claims.search import guaranteed_tricks
from towerlab.solver.two_hands.tablebase import load_tablebase


def card_texts(mask: int) -> frozenset[str]:
    """A mask in play order as the cards it would be with hearts for trumps; any trump would do."""
    return frozenset(card_text(card) for card in mask_cards(int(to_printed(mask, SUITS.index("H"), True))))


def oracle_tricks(belief: Belief, layout: HiddenHands) -> int:
    """Double-dummy tricks by the oracle."""
    hand, _, _, led, turn = split_belief(belief)
    game = oracle.Game(2, (1,), frozenset({0}), frozenset({0}), "H", bowers=True)
    layouts = frozenset({(card_texts(*layout),)})
    trick = tuple((card, " ") for card in card_texts(led))
    return oracle.value(oracle.State((card_texts(hand), frozenset()), layouts, (turn - len(trick)) % 2, trick), game)


def is_consistent(belief: Belief, layout: HiddenHands | None) -> bool:
    _, sure, pool, *_ = split_belief(belief)
    return layout[0] & sure == sure and not layout[0] & ~(sure | pool) and layout[0].bit_count() == belief.size(1)


def check_tree(node: Leaf | Branch, belief: Belief, need: int) -> int:
    """Check a tree to the bottom; how many leaves it has."""
    if isinstance(node, Leaf):
        assert is_consistent(belief, node.layout)
        assert len(node.line) == 2 * belief.tricks - len(belief.trick)
        assert replay_tricks(belief, node.layout, node.line) == oracle_tricks(belief, node.layout) < need
        return 1
    for play in node.others:
        assert belief.turn == OPPONENT and play in belief.plays()
        belief, won = belief.after(play)
        need -= won
    assert belief.turn != OPPONENT
    assert list(node.you) == belief.plays()  # every legal play is answered
    leaves = 0
    for play, after in node.you.items():
        left, won = belief.after(play)
        leaves += check_tree(after, left, need - won)
    return leaves


def check_principal_variation(node: Leaf | Branch, line: list[int]) -> None:
    """The line of a guess is a path of its tree, down to the line of a leaf."""
    while isinstance(node, Branch):
        for play in node.others:
            assert line.pop(0) == play
        node = node.you[line.pop(0)]
    assert tuple(line) == node.line


def check(refutation: Refutation, belief: Belief, claim: int) -> None:
    assert refutation.layout is not None and is_consistent(belief, refutation.layout)
    assert len(refutation.line) == 2 * belief.tricks - len(belief.trick)
    assert replay_tricks(belief, refutation.layout, refutation.line) < claim
    if refutation.kind == LAYOUT:
        assert refutation.tree is None
        assert replay_tricks(belief, refutation.layout, refutation.line) == oracle_tricks(belief, refutation.layout)
    else:
        assert refutation.tree is not None
        assert check_tree(refutation.tree, belief, claim) >= 2
        check_principal_variation(refutation.tree, list(refutation.line))


def values_of_layouts(case: Case) -> list[int]:
    """Double-dummy tricks with each layout, by the oracle."""
    layouts = (case.state._replace(layouts=frozenset({layout})) for layout in case.state.layouts)
    return [oracle.value(state, case.game) for state in layouts]


def test_every_unsound_claim_is_refuted_and_both_kinds_occur() -> None:
    kinds: dict[str, int] = {LAYOUT: 0, GUESS: 0}
    for case in two_handed_cases(150, 3, seed=11) + two_handed_cases(100, 4, seed=13):
        belief = case.belief
        guaranteed = guaranteed_tricks(belief)
        seeing = min(values_of_layouts(case))
        for claim in range(guaranteed + 1, belief.tricks + 1):
            refutation = refuted(belief, claim)
            check(refutation, belief, claim)
            assert refutation.kind == (LAYOUT if seeing < claim else GUESS)
            kinds[refutation.kind] += 1
    assert kinds[LAYOUT] > 130 and kinds[GUESS] >= 1, kinds


@pytest.mark.exhaustive
def test_guesses_with_up_to_seven_cards_are_refuted() -> None:
    guesses = 0
    for _, _, belief in two_handed_cases(2500, 7, seed=13, most_layouts=None, out=8):
        claim = guaranteed_tricks(belief) + 1
        refutation = refuted(belief, claim) if claim <= belief.tricks else None
        if refutation is not None and refutation.kind == GUESS and belief.tricks <= 6:
            check(refutation, belief, claim)
            guesses += 1
    assert guesses >= 3, guesses


def two_aces() -> Belief:
    """Clubs are trumps; the opponent leads and holds two of the three other cards."""
    return belief_of(play_mask(("AS", "AH"), "C"), 0, play_mask(("9S", "TH", "QC"), "C"), turn=OPPONENT)


def test_two_aces_after_a_trump_is_led_are_a_guess() -> None:
    """They lead the queen of clubs, then the suit of the ace that was let go."""
    belief = two_aces()
    refutation = refuted(belief, 1)
    assert refutation.kind == GUESS
    check(refutation, belief, 1)
    assert len(refutation.tree.others) == 1
    assert all(isinstance(leaf, Leaf) for leaf in refutation.tree.you.values())
    hands = {leaf.layout for leaf in refutation.tree.you.values() if isinstance(leaf, Leaf)}
    assert len(hands) == 2


def test_extreme_layouts_equal_the_oracle_over_all_layouts() -> None:
    tablebase = load_tablebase()
    for case in two_handed_cases(200, 3, seed=14, most_layouts=60):
        values = values_of_layouts(case)
        belief = case.belief
        for (layout, tricks), expected in (
            (layout_with(belief, tablebase, worst=True), min(values)),
            (layout_with(belief, tablebase, worst=False), max(values)),
        ):
            assert tricks == expected
            assert is_consistent(belief, layout)
            hand, _, _, led, turn = split_belief(belief)
            assert claimant_tricks(tablebase, hand, layout[0], led, turn) == expected


def test_prover_equals_the_tablebase_when_the_hand_is_known_and_never_exceeds_its_worst_layout() -> None:
    tablebase = load_tablebase()
    sizes = set()
    for _, _, belief in two_handed_cases(300, 7, seed=15, most_layouts=None):
        layout, tricks = layout_with(belief, tablebase, worst=True)
        assert guaranteed_tricks(belief.with_layout(layout)) == tricks
        assert guaranteed_tricks(belief) <= tricks
        sizes.add(belief.tricks)
    assert sizes == set(range(1, 8))


def test_a_line_that_breaks_the_rules_is_refused_by_the_replay() -> None:
    belief = two_aces()
    with pytest.raises(ValueError, match="breaks the rules"):
        replay_tricks(belief, (belief.pools[0] & -belief.pools[0],), (belief.own[0] & -belief.own[0],))
