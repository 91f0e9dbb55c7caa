"""How is a claim's proof written down? As a certificate: the whole strategy of a sound claim, or the whole refutation,
in the form of `checker.py`.

The positions are walked with the checker's own rules, so that the strategy knows every position that can come up; the
prover says what to play in each. Positions that differ only in cards that are gone are written once.

    towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5 --certificate claim.json
"""

from typing import Any, Final

from towerlab.games.cards import NO_TRUMP, card_text, mask_cards, to_printed
from towerlab.games.errors import TowerlabError
from towerlab.solver.claims import checker
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.search import PROVED, REFUTED, prover

MOST_POSITIONS: Final = 200_000


class _NotThisWay(Exception):
    """A proof that works with discards seen only, or not within the limit."""


def certify(
    belief: Belief, need: int, sound: bool, trump: int, bowers: bool, seats: tuple[str, ...], limit: int
) -> dict[str, Any]:
    """Return the position, rules and strategy of a certificate; the caller adds further keys.

    Args:
        belief: the knowledge of the claimant.
        need: tricks of the scoring seats that are claimed.
        sound: whether the claim is proved, or refuted.
        trump, bowers: the play order by which cards are printed.
        seats: the names of the seats, in order of play.
        limit: nodes that a question may visit.

    Raises:
        TowerlabError: a strategy of more than `MOST_POSITIONS` positions, or one that is not found within the limit.
    """
    for unseen in (True, False) if sound else (False,):
        rules = checker.CertificateRules(
            len(belief.own), belief.hidden, belief.claimant, belief.scoring, trump, bowers, belief.names, unseen
        )
        root = checker.narrow_pools(_state(belief, unseen), rules)
        try:
            strategy = _strategy(root, rules, need, sound, limit)
        except _NotThisWay:
            continue
        return _write_position(root, rules, seats) | {"claim": need, "sound": sound, "strategy": strategy}
    raise TowerlabError(f"no strategy is found within {limit:,} positions a question; expected a higher --limit")


def _state(belief: Belief, unseen: bool) -> checker.CertificateState:
    """Return the belief as the checker takes it."""
    hands = list(belief.own)
    pools = list(belief.pools)
    if unseen:
        for place, seat in enumerate(belief.hidden):
            pools[place] |= hands[seat]
            hands[seat] = 0
    now = belief.arguments()[2]
    best_seat = now.best_seat if belief.trick else 0
    return checker.CertificateState(
        tuple(hands), tuple(pools), now.tricks, now.turn, belief.trick, now.led, now.best, best_seat
    )


def _belief(state: checker.CertificateState, rules: checker.CertificateRules) -> Belief:
    """Return the inverse of `_state`; of a trick under way only the card led and the winning one matter."""
    trick = state.trick
    named = state.led if trick and not trick[0] & state.led else 0
    return Belief(
        state.hands, rules.hidden, state.pools, rules.claimant, rules.scoring, state.tricks, state.turn,
        rules.lanes[-1], trick, named, rules.names,
    )  # fmt: skip


def _strategy(
    root: checker.CertificateState, rules: checker.CertificateRules, need: int, sound: bool, limit: int
) -> dict[str, str]:
    """Yield, by position, the play of the proving side; below it every play of the others."""
    wanted = PROVED if sound else REFUTED
    strategy: dict[str, str] = {}
    done: dict[str, int] = {}
    waiting = [(root, need)]
    while waiting:
        state, left = waiting.pop()
        if left <= 0 or left > state.tricks:
            continue
        place = checker.key(state, rules)
        if place in done and (done[place] >= left if sound else done[place] <= left):
            continue
        done[place] = left
        if len(done) > MOST_POSITIONS:
            raise TowerlabError(f"the strategy has more than {MOST_POSITIONS:,} positions; expected a later claim")
        children = [(play, *checker.after(state, play, rules)) for play in checker.plays(state, rules)]
        if (state.turn in rules.claimant) == sound:
            play, child, won = next(
                (option for option in children if _judge_state(option[1], rules, left - option[2], limit) == wanted),
                (None, state, 0),
            )
            if play is None:
                raise _NotThisWay
            strategy[place] = checker.play_name(state, play, rules)
            waiting.append((child, left - won))
        else:
            waiting += [(child, left - won) for _, child, won in children]
    return strategy


def _judge_state(state: checker.CertificateState, rules: checker.CertificateRules, need: int, limit: int) -> int:
    if need <= 0 or need > state.tricks:
        return PROVED if need <= 0 else REFUTED
    return prover().takes(_belief(state, rules), need, limit, unseen=rules.unseen)


def _write_position(
    state: checker.CertificateState, rules: checker.CertificateRules, seats: tuple[str, ...]
) -> dict[str, Any]:
    """Return the position as `checker.read` reads it."""

    def texts(mask: int) -> list[str]:
        return [card_text(card) for card in mask_cards(int(to_printed(mask, rules.trump, rules.bowers)))[::-1]]

    named = (
        rules.trump == NO_TRUMP and state.trick and state.trick[0] & rules.lanes[-1] and state.led in rules.lanes[:4]
    )
    return {
        "format": checker.FORMAT,
        "seats": list(seats),
        "hidden": [seats[seat] for seat in rules.hidden],
        "claimant": [seats[seat] for seat in sorted(rules.claimant)],
        "scoring": [seats[seat] for seat in sorted(rules.scoring)],
        "trump": "NT" if rules.trump == NO_TRUMP else "CDHS"[rules.trump],
        "bowers": rules.bowers,
        "names": rules.names,
        "unseen_discards": rules.unseen,
        "hands": {name: texts(hand) for name, hand in zip(seats, state.hands, strict=True)},
        "pools": {seats[seat]: texts(pool) for seat, pool in zip(rules.hidden, state.pools, strict=True)},
        "trick": [texts(card)[0] for card in state.trick],
        "named": "CDHS"[rules.lanes.index(state.led)] if named else None,
        "turn": seats[state.turn],
        "tricks": state.tricks,
    }
