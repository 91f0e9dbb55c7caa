"""Which card do I play at Towie? `towerlab move towie`; also the advice at the table, and the grades of reviews.

Example:
    towerlab move towie --game towie.jsonl --at 1.3
"""

from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from towerlab.analysis.moves.answers import MoveAnswer, batch_of_moves, rank_cards
from towerlab.analysis.moves.weighing import (
    Layouts,
    Likelihood,
    check_turn,
    layouts_of,
    solve_cards,
    tricks_before,
    view_at_place,
)
from towerlab.analysis.player_knowledge import Knowledge, KnownFacts, claimants, knowledge_from_texts, scoring_seats
from towerlab.analysis.stats import FIRST_LOOK
from towerlab.analysis.towie.claims import SEATING, question_of
from towerlab.games import pbn
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_52, TRUMPS, mask_text, parse_mask, to_play_order, to_printed, trump_field
from towerlab.games.errors import CardError, TowerlabError, at_fault, blame
from towerlab.games.pbn import is_hand, parse_hand
from towerlab.games.towie.auction import CALLERS, parse_call, strain_of
from towerlab.games.towie.dealing import EXPOSED, HAND_SIZE, HANDS, hand_at
from towerlab.games.towie.engine import GAME
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Contract, View
from towerlab.sim.towie.auctions import sample_after_calls
from towerlab.sim.towie.outcomes import in_play_order, points_by_tricks
from towerlab.sim.towie.sampling import goulash_likelihood, goulash_pool
from towerlab.solver.claims.belief import Belief

LAYOUTS: Final = 40
FIRST_LAYOUTS: Final = 8  # with so many cards in hand that each layout takes long
LONG: Final = 10
LEADS: Final = 80  # layouts for an opening lead
MODEL: Final = (
    "double-dummy: the unseen cards at random, as far as suits shown out allow; then all see all cards; "
    "declarer's points less an opponent's, turned round for defenders"
)
LEAD_MODEL: Final = (
    "double-dummy: the declarer's hand, the partner's and dummy's other seven at random; then all see all cards; an "
    "opponent's points less the declarer's"
)
LEADING: Final = "leader"
FITTING: Final = comb(33, 7) * comb(26, 13)  # layouts of the unseen cards at the opening lead
CALLED: Final = "double-dummy: the other hands as likely as novices call so with them"


def ask_move(
    hand: str | None = None,
    dummy: str | None = None,
    contract: str | None = None,
    lead: str | None = None,
    *,
    role: str = "declarer",
    vulnerable: bool = False,
    won: int | None = None,
    shown: str = "",
    game: Path | None = None,
    at: str | None = None,
    options: TowieOptions | None = None,
    layouts: int | None = None,
    seed: int = 0,
    **known: Unpack[KnownFacts],
) -> MoveAnswer:
    """Return every legal card with its expected points and how often the contract is made.

    Args:
        hand: your cards now, as cards or in PBN; or `game` and `at`.
        dummy: dummy's cards now.
        contract: the contract that is played: ``"4S"``, ``"3NTX"`` doubled, ``"4HXX"`` redoubled.
        lead: the leader of the next trick, or of the one under way; follows from a whole history.
        role: ``"declarer"`` (playing dummy's cards as well), ``"left"``, ``"right"``, or ``"leader"`` before dummy is
            open, with thirteen cards and `shown`.
        vulnerable: whether declarer has won a game.
        won: how many tricks your side took that are not in the history.
        shown: dummy's six exposed cards, for the opening lead.
        game, at: a saved game and a place in it, ``"3.2"`` for hand 3, trick 2.
        options: rule options; a saved game has its own.
        layouts: how many layouts to draw where there are too many to count; by default fewer in the first tricks.
        seed: the seed of the sample.
        known: the fields of `analysis.player_knowledge.KnownFacts`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules, or another player's turn.
    """
    position = {"hand": hand, "dummy": dummy, "contract": contract, "lead": lead, "won": won, "shown": shown, **known}
    view, rules = view_at_place(GAME, game, at, position, options)
    if view is not None:
        return move_of(view, rules, seed, layouts)
    if hand is None or contract is None:
        missing = "contract" if hand else "hand"
        raise TowerlabError(f"no {missing} is given; expected --hand, --dummy and --contract, or --game and --at")
    options, played = options or TowieOptions(), parse_contract(contract)
    if role == LEADING or shown:
        others = {"dummy": dummy, "lead": lead, "won": won, **known}
        cards = read_lead(hand, shown, role, [name for name, value in others.items() if value])
        return rank_leads(*cards, played, vulnerable, options, layouts, seed)
    trump = TRUMPS[int(strain_of(played.bid))]
    question: dict[str, Any] = {"hand": hand, "dummy": dummy, "role": role, "trump": trump, "lead": lead, **known}
    if lead is None:
        question["first"] = known.get("first") or "left"
    knowledge = knowledge_from_texts(SEATING, question)
    return rank_plays(knowledge, played, vulnerable, options, won, layouts, seed)


BATCH: Final = batch_of_moves(GAME, ask_move, TowieOptions)


def move_of(
    view: View, options: TowieOptions, seed: int, layouts: int | None = None, level: float = FIRST_LOOK
) -> MoveAnswer:
    """Return the ranked cards of a player on turn at the table; the calls weight layouts for the opening lead."""
    contract = view.contract
    assert contract is not None
    vulnerable = bool(view.games[view.active[(view.dealer + contract.declarer) % 3]])
    if view.dummy is None:
        auction = view.calls, view.goulashes
        return rank_leads(view.hand, view.exposed, contract, vulnerable, options, layouts, seed, *auction, level)
    knowledge = knowledge_from_texts(SEATING, question_of(view))
    goulash = _goulash_likelihood(view, knowledge, options) if view.goulashes else None
    return rank_plays(knowledge, contract, vulnerable, options, None, layouts, seed, goulash, level)


def read_lead(hand: str, shown: str, role: str, others: Sequence[str]) -> tuple[int, int]:
    """Return the leader's hand and dummy's six as printed masks.

    Args:
        hand, shown, role: the same as in `ask_move`.
        others: the names of the other arguments that were given.

    Raises:
        TowerlabError: other than thirteen and six different cards, another role, or facts that a leader cannot know.
    """
    if role != LEADING:
        raise blame(TowerlabError(f"--shown is for the opening lead; expected --role {LEADING}, not {role}"), "role")
    if others:
        name = others[0].replace("_", "-")
        raise blame(TowerlabError(f"--{name} is not known at the opening lead; expected --shown only"), others[0])
    if not shown:
        raise blame(TowerlabError("no cards are shown; expected --shown with dummy's six that lie open"), "shown")
    with at_fault("hand"):
        mine = read_cards(hand, HAND_SIZE, "your hand")
    with at_fault("shown"):
        six = read_cards(shown, EXPOSED, "the shown cards")
        if mine & six:
            raise CardError(f"{mask_text(mine & six)} of the shown cards is in your hand; expected others")
    return mine, six


def read_cards(text: str, count: int, what: str) -> int:
    """Return a number of cards, in PBN or one by one, as a printed mask."""
    return parse_hand(text, count, what) if is_hand(text) else parse_mask(text, DECK_52, what, count)


def rank_leads(
    hand: int,
    shown: int,
    contract: Contract,
    vulnerable: bool,
    options: TowieOptions,
    layouts: int | None,
    seed: int,
    calls: Sequence[int] = (),
    goulashes: int = 0,
    level: float = FIRST_LOOK,
) -> MoveAnswer:
    """Return every opening lead of the player on declarer's left.

    Args:
        hand, shown: printed masks of the leader's thirteen cards and of dummy's six.
        contract, vulnerable: the contract, and whether declarer has won a game.
        options: rule options.
        layouts, seed: the number of layouts in a sample, and its seed.
        calls: the calls of the auction; layouts are weighted as if the others called as novices.
        goulashes: how many goulashes there were before this deal.
        level: the level of the intervals.
    """
    leader = (contract.declarer + 1) % CALLERS
    strain = contract.strain
    pool = goulash_pool(options.rules(), goulashes)
    spoken = np.array(calls, dtype=np.int64)
    count = layouts or LEADS
    random = np.random.default_rng(seed)
    deals, _ = sample_after_calls(spoken, leader, hand, shown, count, random, pool)
    hands = in_play_order(deals, contract.declarer, strain)
    hidden = (0, 2, 3)
    unseen, own = ((int(to_play_order(cards, strain, False))) for cards in (DECK_52 & ~hand & ~shown, hand))
    belief = Belief(
        own=(0, own, int(to_play_order(shown, strain, False)), 0),
        hidden=hidden,
        pools=(unseen,) * len(hidden),
        claimant=claimants(SEATING, 1),
        scoring=scoring_seats(SEATING, 1, False),
        tricks=HAND_SIZE,
        turn=1,
        trumps=int(trump_field(strain)),
    )
    knowledge = Knowledge(SEATING, 1, strain, False, belief, (0,) * HANDS, (0,) * HANDS)
    sample = Layouts(hands[:, hidden], np.full(count, 1 / count), FITTING, False)
    points = -points_by_tricks(contract.bid, contract.doubling, int(vulnerable), options.rules())
    weighed = solve_cards(knowledge, sample, points, np.arange(HAND_SIZE + 1) >= contract.needed)
    model = f"{CALLED}; {LEAD_MODEL.partition('; ')[2]}" if calls else LEAD_MODEL
    how: dict[str, Any] = {"method": "pimc", "model": model, "unit": "points", "seed": seed, "level": level}
    return rank_cards(weighed, cards=HAND_SIZE, options=options, **how)


def rank_plays(
    knowledge: Knowledge,
    contract: Contract,
    vulnerable: bool,
    options: TowieOptions,
    won: int | None,
    layouts: int | None,
    seed: int,
    likelihood: Likelihood | None = None,
    level: float = FIRST_LOOK,
) -> MoveAnswer:
    """Return every legal card of the player on turn.

    Args:
        knowledge: what the player knows.
        contract, vulnerable: the contract, and whether declarer has won a game.
        options: rule options.
        won: the same as in `ask_move`.
        layouts, seed: the number of layouts in a sample, and its seed.
        likelihood: the likelihood of layouts after a goulash.
        level: the level of the intervals.
    """
    check_turn(knowledge)
    belief = knowledge.belief
    taken = knowledge.taken[0] + knowledge.taken[2] + tricks_before(knowledge, HAND_SIZE, won)
    need = contract.needed
    is_long = belief.tricks > LONG
    points = points_by_tricks(contract.bid, contract.doubling, int(vulnerable), options.rules())
    points = points[taken : taken + belief.tricks + 1] * (-1 if knowledge.role else 1)
    made = np.arange(taken, taken + belief.tricks + 1) >= need
    sample = layouts_of(belief, layouts or (FIRST_LAYOUTS if is_long else LAYOUTS), seed, likelihood)
    weighed = solve_cards(knowledge, sample, points, made, need=min(need - taken, belief.tricks + 1) if is_long else 0)
    model = f"{MODEL}; with more than ten cards in hand only whether the contract makes" if is_long else MODEL
    how: dict[str, Any] = {"method": "pimc", "model": model, "unit": "points", "seed": seed, "level": level}
    return rank_cards(weighed, cards=HAND_SIZE, options=options, **how)


def parse_contract(text: str) -> Contract:
    """Return a contract of declarer's: ``"4S"``, ``"3NTX"``, ``"4HXX"``.

    Raises:
        TowerlabError: no contract that is played.
    """
    word = pbn.parse_contract(text)
    bid = word.rstrip("X")
    if word == "Pass":
        raise TowerlabError("nobody plays a passed-out deal; expected a contract such as 4S, 3NTX or 4HXX")
    return Contract(parse_call(bid), 1 << len(word) - len(bid), 0)


def _goulash_likelihood(view: View, knowledge: Knowledge, options: TowieOptions) -> Likelihood:
    """Return a function that weights layouts by the long suits that goulashes deal."""
    assert view.contract is not None and view.dealt_dummy is not None
    declarer = view.contract.declarer
    seat = knowledge.belief.hidden[0]
    me = int(hand_at(knowledge.role, declarer))
    first = int(hand_at(seat, declarer))
    known = me, view.dealt, view.dealt_dummy, first, goulash_pool(options.rules(), view.goulashes)

    def likelihood(hands: Ints) -> Floats:
        firsts = np.array([int(to_printed(hand, knowledge.trump, False)) for hand in hands[:, 0].tolist()])
        return goulash_likelihood(firsts | knowledge.played[seat], *known)

    return likelihood
