"""`towerlab move towie`: which card do I play? Also the advice at the table, and what reviews grade plays by."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from towerlab.analysis.claims.answers import MoreKnown
from towerlab.analysis.claims.knowledge import Knowledge, knowledge_of
from towerlab.analysis.moves.answers import MoveAnswer, many_moves, rank_cards
from towerlab.analysis.moves.places import asked_view, tricks_before
from towerlab.analysis.moves.weighing import Likelihood, check_turn, layouts_of, weigh
from towerlab.analysis.towie.claims import SEATING, question_of
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import TRUMPS, to_printed
from towerlab.games.errors import TowerlabError
from towerlab.games.towie.auction import LAST_BID, PASS, parse_call, strain_of
from towerlab.games.towie.dealing import HAND_SIZE
from towerlab.games.towie.engine import GAME
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.play import hand_at
from towerlab.games.towie.records import Contract, TowieView
from towerlab.games.towie.scoring import tricks_needed
from towerlab.sim.towie.outcomes import points_by_tricks
from towerlab.sim.towie.sampling import LENGTHS, RENAMINGS, goulash_likelihood, goulash_pool, length_odds

LAYOUTS: Final = 40
FIRST_LAYOUTS: Final = 8  # with so many cards in a hand that each takes long
LONG: Final = 10
MODEL: Final = (
    "double-dummy: the unseen cards at random, as far as suits shown out allow; then all see all cards; "
    "declarer's points less an opponent's, turned round for defenders"
)


def ask_move(
    hand: str | None = None,
    dummy: str | None = None,
    contract: str | None = None,
    lead: str | None = None,
    *,
    role: str = "declarer",
    vulnerable: bool = False,
    won: int | None = None,
    game: Path | None = None,
    at: str | None = None,
    options: TowieOptions | None = None,
    layouts: int | None = None,
    seed: int = 0,
    **known: Unpack[MoreKnown],
) -> MoveAnswer:
    """Which card to play, once dummy lies open: every legal one with its expected points and how often it makes.

    Args:
        hand: what you hold now, as cards or in PBN; or `game` and `at`.
        dummy: what dummy holds now.
        contract: that is played: ``"4S"``, ``"3NTX"`` doubled, ``"4HXX"`` redoubled.
        lead: who leads the next trick, or has led the one under way; follows from a whole history.
        role: ``"declarer"`` (who plays dummy's cards, too), ``"left"`` or ``"right"``.
        vulnerable: whether declarer has won a game.
        won: of tricks that are not in the history, how many your side took.
        game, at: a saved game and a place in it, ``"3.2"`` for hand 3, trick 2.
        options: rule options; a saved game has its own.
        layouts: drawn where there are too many to count; by default fewer in the first tricks.
        seed: of the draws.
        known: the fields of `analysis.claims.knowledge.Known`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules, or somebody else's turn.
    """
    beside = {"hand": hand, "dummy": dummy, "contract": contract, "lead": lead, "won": won, **known}
    view, rules = asked_view(GAME, game, at, beside, options)
    if view is not None:
        return move_of(view, rules, seed, layouts)
    if hand is None or contract is None:
        missing = "contract" if hand else "hand"
        raise TowerlabError(f"no {missing} is given; expected --hand, --dummy and --contract, or --game and --at")
    options, played = options or TowieOptions(), parse_contract(contract)
    trump = TRUMPS[int(strain_of(played.bid))]
    asked: dict[str, Any] = {"hand": hand, "dummy": dummy, "role": role, "trump": trump, "lead": lead, **known}
    if lead is None:
        asked["first"] = known.get("first") or "left"
    knowledge = knowledge_of(SEATING, asked)
    return rank_plays(knowledge, played, vulnerable, options, won, layouts, seed)


MANY: Final = many_moves(GAME, f"{__name__}:MANY", ask_move, TowieOptions)


def move_of(view: TowieView, options: TowieOptions, seed: int, layouts: int | None = None) -> MoveAnswer:
    """The same for a player on turn at the table.

    Raises:
        TowerlabError: the opening lead, before dummy lies open.
    """
    if view.dummy is None or view.contract is None:
        raise TowerlabError("the opening lead is made before dummy lies open; expected a later card")
    contract, player = view.contract, view.active[(view.dealer + view.contract.declarer) % 3]
    knowledge, goulash = knowledge_of(SEATING, question_of(view)), None
    if view.goulashes:
        goulash = _goulash(view, knowledge, options)
    return rank_plays(knowledge, contract, bool(view.games[player]), options, None, layouts, seed, goulash)


def rank_plays(
    knowledge: Knowledge,
    contract: Contract,
    vulnerable: bool,
    options: TowieOptions,
    won: int | None,
    layouts: int | None,
    seed: int,
    likelihood: Likelihood | None = None,
) -> MoveAnswer:
    """Every legal card of the player on turn.

    Args:
        knowledge: what the player knows.
        contract, vulnerable: what is played, and whether declarer has won a game.
        options: rule options.
        won: as of `ask_move`.
        layouts, seed: of what is drawn.
        likelihood: of layouts after a goulash.
    """
    check_turn(knowledge)
    belief = knowledge.belief
    taken = knowledge.taken[0] + knowledge.taken[2] + tricks_before(knowledge, HAND_SIZE, won)
    need, is_long = int(tricks_needed(contract.bid)), belief.tricks > LONG
    points = points_by_tricks(contract.bid, contract.doubling, int(vulnerable), options.rules())
    points = points[taken : taken + belief.tricks + 1] * (-1 if knowledge.role else 1)
    made = np.arange(taken, taken + belief.tricks + 1) >= need
    found = layouts_of(belief, layouts or (FIRST_LAYOUTS if is_long else LAYOUTS), seed, likelihood)
    weighed = weigh(knowledge, found, points, made, need=min(need - taken, belief.tricks + 1) if is_long else 0)
    model = f"{MODEL}; with more than ten cards in hand only whether the contract makes" if is_long else MODEL
    return rank_cards(weighed, cards=HAND_SIZE, method="pimc", model=model, unit="points", options=options, seed=seed)


def parse_contract(text: str) -> Contract:
    """A contract of declarer's: ``"4S"``, ``"3NTX"``, ``"4HXX"``.

    Raises:
        TowerlabError: no contract that is played.
    """
    bid = text.strip().upper().rstrip("X")
    doubling = {0: 1, 1: 2, 2: 4}.get(len(text.strip()) - len(bid))
    call = parse_call(bid) if bid else PASS
    if doubling is None or not PASS < call <= LAST_BID:
        raise TowerlabError(f"{text!r} is no contract; expected one such as 4S, 3NTX (doubled) or 4HXX (redoubled)")
    return Contract(call, doubling, 0)


def _goulash(view: TowieView, knowledge: Knowledge, options: TowieOptions) -> Likelihood:
    """Suits come in lumps: how likely each layout is by the hands that goulashes give."""
    assert view.contract is not None and view.dealt_dummy is not None
    declarer, (one, two) = view.contract.declarer, knowledge.belief.hidden
    me, first = int(hand_at(knowledge.role, declarer)), int(hand_at(one, declarer))
    odds, pool = np.zeros(LENGTHS), goulash_pool(options.rules(), view.goulashes)
    length_odds(me, view.dealt, view.dealt_dummy, first, pool, RENAMINGS, odds)
    played = knowledge.played[one], knowledge.played[two]

    def likelihood(hands: Ints) -> Floats:
        firsts = np.array([int(to_printed(hand, knowledge.trump, False)) for hand in hands[:, 0].tolist()])
        whole = int(to_printed(int(hands[0].sum()), knowledge.trump, False)) | played[0] | played[1]
        return goulash_likelihood(firsts | played[0], whole, odds)

    return likelihood
