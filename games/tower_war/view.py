"""What does one player of Tower War see? Their own cards, the open ones, and what they remember of the draft.

>>> from towerlab.games.tower_war.engine import TowerWar
>>> view = TowerWar().view(0)
>>> view.phase, view.has_built
(<Phase.DEAL: 'DEAL'>, (False, False))
"""

import dataclasses

from towerlab.games.cards import DECK_54, cards_mask
from towerlab.games.tower_war import rules, turns
from towerlab.games.tower_war.records import GameState, Phase, View
from towerlab.games.tower_war.rules import NO_CARD, SKIRMISHES

_DRAFT = (Phase.DEAL, Phase.SPLIT, Phase.TAKE, Phase.BASE)


def view_of(state: GameState, player: int, to_act: int | None, remembers: bool) -> View:
    """Return the view of one player.

    Args:
        remembers: whether both know each other's piles, which are face down (option `recall`).
    """
    other = 1 - player
    seen = [remembers or (seat == player and state.phase not in _DRAFT) for seat in range(2)]
    pools = tuple(pool if is_seen else None for pool, is_seen in zip(state.pools, seen, strict=True))
    elsewhere = state.face_up | (0 if state.base is None else 1 << state.base) | (pools[player] or 0)
    possible = state.pools[other] if remembers else DECK_54 & ~elsewhere
    common = View(
        player=player,
        phase=state.phase,
        to_act=to_act,
        round=state.round,
        face_up=state.face_up,
        piles=state.piles,
        offer=state.offer,
        third_stash=state.third_stash,
        stashes=state.stashes,
        pools=pools,
        pool_counts=(state.pools[0].bit_count(), state.pools[1].bit_count()),
        has_built=(state.decks[0] != 0, state.decks[1] != 0),
        deck=state.decks[player],
        unused=state.unused[player],
        base=state.base,
        battle=state.battle,
        leader=state.leader,
        opponent_cards=possible,
    )
    return _in_war(common, state) if state.battle else common


def _in_war(view: View, state: GameState) -> View:
    """Return the view with the fields of the war."""
    rows = state.cards
    pyramids = state.tower
    place = rules.stash_index
    played = [row[turns.CARD : turns.CARD + SKIRMISHES][: row[turns.PLAYED]] for row in rows]
    shown = [row[turns.SHOWN : turns.SHOWN + SKIRMISHES][: row[turns.PLAYED]] for row in rows]
    theirs = rows[1 - view.player]
    seen = theirs[turns.DISCARD] | theirs[turns.BUILT]
    seen |= cards_mask(card for card in played[1 - view.player] if card != NO_CARD)
    return dataclasses.replace(
        view,
        stashes=(pyramids[place(0, 0) : place(0, 0) + 3], pyramids[place(1, 0) : place(1, 0) + 3]),
        opponent_cards=view.opponent_cards & ~seen,
        hand=rows[view.player][turns.HAND],
        draws=rows[view.player][turns.DECK],
        counts=tuple((row[turns.HAND].bit_count(), row[turns.DECK].bit_count()) for row in rows),
        discards=tuple(row[turns.DISCARD] for row in rows),
        built=tuple(row[turns.BUILT] for row in rows),
        reshuffled=tuple(row[turns.SOURCE] if row[turns.CERTAIN] else 0 for row in rows),
        played=tuple(map(_cards, played)),
        shown=tuple(map(_cards, shown)),
        levels=pyramids[rules.LEVELS],
        top_size=None if pyramids[rules.TOP_SIZE] == rules.EMPTY else pyramids[rules.TOP_SIZE],
        top_count=pyramids[rules.TOP_COUNT],
        placed=(pyramids[rules.PLACED], pyramids[rules.PLACED + 1]),
        adjusted=state.adjusted,
    )


def _cards(cards: tuple[int, ...]) -> tuple[int | None, ...]:
    return tuple(None if card == NO_CARD else card for card in cards)
