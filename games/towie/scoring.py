"""How many points is a deal worth, and what does everybody pay in the end?

Points of a played deal (TO-12 .. TO-18) go to declarer or to each opponent: the two defenders and every player who
waits. The ledger adds them up, counts games (TO-13, TO-21) and settles (TO-19). Then who sits and who waits (TO-20),
and who deals (TO-22), is settled: the three active seats are 0, 1, 2 clockwise; the vacant place, where dummy is dealt,
is always opposite the dealer.

>>> settlement([700, 100, 100])
[1200, -600, -600]
"""

from collections.abc import Sequence
from typing import Final

from towerlab.games.arrays import Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import NO_TRUMP, RANKS
from towerlab.games.jit import kernel
from towerlab.games.towie.auction import BID, BIDDER, CALLERS, DOUBLING, level_of, strain_of, trick_value
from towerlab.games.towie.dealing import DUMMY
from towerlab.games.towie.options import HONOURS, NO_SLAMS, OVERTRICK, PARLETT_INSULT, RETIREE_WAITS

BOOK: Final = 6
FIRST_GAME: Final = 500
SECOND_GAME: Final = 1000
_TOP_FIVE: Final = 0b11111 << RANKS.index("T")
_ACES: Final = sum(1 << 13 * suit + RANKS.index("A") for suit in range(4))


@kernel
def tricks_needed(bid: int) -> int:
    """Return the tricks of 13 that declarer contracts for (TO-8)."""
    return BOOK + level_of(bid)


@kernel
def made_score(bid: int, doubling: int, vulnerable: int, overtricks: int, rules: Ints) -> int:
    """Declarer's points for a contract made, without honours (TO-12 .. TO-16).

    Args:
        bid: the bid of the contract.
        doubling: the factor of the stakes: 1, 2 doubled, 4 redoubled.
        vulnerable: 1 if declarer had won a game before this deal, else 0.
        overtricks: tricks above the contract.
        rules: the rules, from `TowieOptions.rules`, int64[12].
    """
    level = level_of(bid)
    score = trick_value(strain_of(bid)) * level * doubling
    score += SECOND_GAME if vulnerable else FIRST_GAME
    if doubling == 1:
        score += overtricks * rules[OVERTRICK]
    else:
        score += overtricks * 50 * doubling * (1 + vulnerable)
        insult = 25 * doubling if rules[PARLETT_INSULT] else 50
        score += insult * (1 + vulnerable)
    if level == 6 and not rules[NO_SLAMS]:
        score += 750 if vulnerable else 500
    elif level == 7 and not rules[NO_SLAMS]:
        score += 1500 if vulnerable else 1000
    return score


@kernel
def undertrick_score(doubling: int, vulnerable: int, undertricks: int) -> int:
    """Points of each opponent for a contract that failed, without honours (TO-18); arguments as of `made_score`."""
    if doubling == 1:
        return 200 * undertricks - 100 if vulnerable else 50 * undertricks
    if vulnerable:
        doubled = 400 * undertricks - 200
    elif undertricks <= 2:
        doubled = 100 * undertricks
    elif undertricks <= 4:
        doubled = 200 * undertricks - 200
    else:
        doubled = 400 * undertricks - 1000
    return doubled * doubling // 2


@kernel
def honours_in(hand: int, strain: int) -> int:
    """Points for the honours in one hand (TO-17): 100 for four of A K Q J T of trumps, 150 for five or four aces.

    Args:
        hand: printed mask of the 13 cards dealt.
        strain: the strain of the contract.
    """
    if strain == NO_TRUMP:
        return 150 if hand & _ACES == _ACES else 0
    held = popcount((hand >> (13 * strain)) & _TOP_FIVE)
    if held == 5:
        return 150
    return 100 if held == 4 else 0


@kernel
def honours_of_sides(hands: Ints, declarer: int, strain: int) -> tuple[int, int]:
    """`honours_in` of declarer's side and of the two defenders, added up.

    Args:
        hands: printed masks by caller, dummy's last, int64[4].
    """
    ours, theirs = honours_in(hands[declarer], strain) + honours_in(hands[DUMMY], strain), 0
    for caller in range(CALLERS):
        if caller != declarer:
            theirs += honours_in(hands[caller], strain)
    return ours, theirs


@kernel
def deal_score(
    bid: int, doubling: int, vulnerable: int, tricks: int, our_honours: int, their_honours: int, rules: Ints
) -> tuple[int, int]:
    """Declarer's points and each opponent's points for a played deal.

    Args:
        bid: the bid of the contract.
        doubling: the factor of the stakes: 1, 2 doubled, 4 redoubled.
        vulnerable: 1 if declarer had won a game before this deal, else 0.
        tricks: the tricks that declarer and dummy took.
        our_honours: `honours_in` of declarer's hand and of dummy's, added up.
        their_honours: `honours_in` of the two defenders' hands, added up.
        rules: the rules, from `TowieOptions.rules`, int64[12].
    """
    ours, theirs = 0, 0
    over = tricks - tricks_needed(bid)
    if over >= 0:
        ours = made_score(bid, doubling, vulnerable, over, rules)
    else:
        theirs = undertrick_score(doubling, vulnerable, -over)
    if rules[HONOURS]:
        ours += our_honours
        theirs += their_honours
    return ours, theirs


GAMES_TO_WIN: Final = 2
NOBODY: Final = -1


@kernel
def post(ledger: Ints, games: Ints, declarer: int, declarer_points: int, opponent_points: int, made: bool) -> None:
    """Enter a played deal: every player but declarer scores the opponents' points, waiting ones too (TO-18).

    Args:
        ledger: points, int64[players], added to.
        games: games won, int64[players], added to when the contract was made (TO-13).
    """
    for player in range(len(ledger)):
        ledger[player] += declarer_points if player == declarer else opponent_points
    if made:
        games[declarer] += 1


@kernel
def is_vulnerable(games: Ints, player: int) -> int:
    """1 for a player who has won one of the games, int64[players], else 0 (TO-13)."""
    return 1 if games[player] > 0 else 0


@kernel
def game_is_over(games: Ints) -> bool:
    """Return whether somebody owns two of the games, int64[players] (TO-21)."""
    return games.max() >= GAMES_TO_WIN  # type: ignore[no-any-return]


@kernel
def overall_winner(ledger: Ints) -> int:
    """Return the player with the highest total in a ledger, int64[players] (TO-21); `NOBODY` where several share it."""
    best = int(ledger.argmax())
    return NOBODY if (ledger == ledger[best]).sum() > 1 else best


def settlement(ledger: Sequence[int]) -> list[int]:
    """Return what each player receives when all debts are paid, less what they pay; adds up to zero (TO-19)."""
    return [len(ledger) * points - sum(ledger) for points in ledger]


@kernel
def next_dealer(dealer: int) -> int:
    """Return the seat that deals after a played deal (TO-22)."""
    return (dealer + 1) % CALLERS


@kernel
def change_seats(active: Ints, waiting: Ints, games: Ints, seat: int, retiree_waits: int) -> int:
    """The declarer retires after a played deal and a waiting player takes the seat (TO-20).

    The first in the queue comes in, but no vulnerable player while one waits who is not. The retiree goes to the
    end of the queue afterwards; with `retiree_waits` before, and so can be the one to come in.

    Args:
        active: players in seats 0..2, int64[3], changed.
        waiting: players who wait, the one who waits longest first, int64[players - 3], changed; may be empty.
        games: games won, int64[players], the deal just played included.
        seat: the seat of the declarer.
        retiree_waits: the option.

    Returns:
        the player who came in; the declarer where nobody else could.
    """
    retiree: int = active[seat]
    count = len(waiting)
    if count == 0:
        return retiree
    chosen = -1
    for place in range(count):
        if not is_vulnerable(games, waiting[place]):
            chosen = place
            break
    if chosen < 0:
        if retiree_waits and not is_vulnerable(games, retiree):
            return retiree
        chosen = 0
    entering: int = waiting[chosen]
    for place in range(chosen, count - 1):
        waiting[place] = waiting[place + 1]
    waiting[count - 1] = retiree
    active[seat] = entering
    return entering


@kernel
def end_deal(
    auction: Ints,
    dealt: Ints,
    tricks: int,
    seat: int,
    active: Ints,
    waiting: Ints,
    ledger: Ints,
    games: Ints,
    rules: Ints,
) -> tuple[int, int, bool, bool, int]:
    """Score a played deal and change seats, unless it ended the game (TO-12 .. TO-21).

    Args:
        auction: the auction that has ended, int64[5].
        dealt: printed masks by caller, dummy's last, int64[4].
        tricks: the tricks of declarer and dummy.
        seat: the seat of the declarer.
        active, waiting: the active players by seat and those who wait, changed.
        ledger, games: the points and the games won by player, added to.
        rules: the rules, from `TowieOptions.rules`.

    Returns:
        points of the declarer and of each other player, whether the contract was made, whether the game is over, and
        the player in the declarer's seat now.
    """
    bid = auction[BID]
    doubling = auction[DOUBLING]
    declarer = auction[BIDDER]
    player: int = active[seat]
    ours, theirs = honours_of_sides(dealt, declarer, strain_of(bid))
    gained, lost = deal_score(bid, doubling, is_vulnerable(games, player), tricks, ours, theirs, rules)
    made = tricks >= tricks_needed(bid)
    post(ledger, games, player, gained, lost, made)
    over = game_is_over(games)
    entered = player if over else change_seats(active, waiting, games, seat, rules[RETIREE_WAITS])
    return gained, lost, made, over, entered
