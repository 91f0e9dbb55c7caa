"""Which tricks need no search? Those a side on lead can cash, and those a side off lead can never lose.

Each bound comes with its *relevant* cards: the proof holds for every position with the same suit lengths in which the
cards from the top of each field down to the lowest relevant one are in the same hands.

>>> tricks, relevant = top_trumps(0b11000, 0b00001, 0b00110, 3)
>>> int(tricks), bin(relevant)
(2, '0b1000')
"""

from towerlab.games.bits import highest_bit, lowest_bit, popcount
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS
from towerlab.games.jit import inlined_kernel, kernel
from towerlab.solver.double_dummy.position import LANES, Hands, SearchRules, lane_field

NO_LIMIT = 99


@inlined_kernel
def judge_lead(seat: int, hands: Hands, need: int, tricks: int, game: SearchRules) -> tuple[bool, bool, int]:
    """Return a bound at the start of a trick without search: (decided, won, relevant cards)."""
    if need <= 0:
        return True, True, 0
    if need > tricks:
        return True, False, 0
    attacking = seat & 1 == 0
    if game.maximizer == 1:
        declarer, dummy = (hands.left, hands.right) if seat == 3 else (hands.right, hands.left)
        if attacking or dummy:
            return False, False, 0
        decided, won, relevant = judge_misere(declarer, hands.me, hands.partner, game.trumps)
        return decided and (need == 1 or not won), won, relevant
    trumps = game.trumps
    wanted = need if attacking else tricks - need + 1
    count, relevant = quick_tricks(hands.me, hands.partner, hands.left, hands.right, trumps, wanted)
    if count >= wanted:
        return True, attacking, relevant
    theirs = (hands.left | hands.right) & trumps
    if (hands.me | hands.partner) & trumps > theirs:
        count, relevant = top_trumps(hands.me & trumps, hands.partner & trumps, theirs, wanted)
        if count >= wanted:
            return True, attacking, relevant
    wanted = tricks + 1 - wanted
    count, relevant = sure_tricks(hands.left, hands.right, hands.me, hands.partner, trumps, tricks, wanted)
    return count >= wanted, not attacking, relevant


@inlined_kernel
def judge_second_hand(
    seat: int, hands: Hands, need: int, tricks: int, led: int, card: int, trumps: int
) -> tuple[bool, bool, int]:
    """The same after an opponent's lead: the second hand's side may win this trick and have enough to cash."""
    if card & led == 0 or led == NO_TRUMP_FIELD:  # a joker was led
        return False, False, 0
    attacking = seat & 1 == 0
    wanted = need if attacking else tricks - need + 1
    count, relevant = tricks_of_second_side(hands.me, hands.partner, hands.right, hands.left, trumps, led, card, wanted)
    return count >= wanted, attacking, relevant


@kernel
def quick_tricks(me: int, partner: int, left: int, right: int, trumps: int, wanted: int) -> tuple[int, int]:
    """Return the tricks that the side of `me`, on lead, can cash without losing the lead.

    First `me` runs winners, then crosses once to the partner, who runs theirs.

    Args:
        me, partner, left, right: the hands at the start of a trick.
        wanted: the number of tricks at which to stop.

    Returns:
        a lower bound on the tricks and its relevant cards.
    """
    against = left | right
    left_trumps = popcount(left & trumps)
    right_trumps = popcount(right & trumps)
    total = 0
    partner_total = 0
    if trumps == NO_TRUMP_FIELD:  # a joker takes a trick whatever it names
        if me & trumps:
            total = 1
            if wanted == 1:
                return 1, 0
        elif partner & trumps:
            partner_total = 1
    relevant = 0
    partner_relevant = 0
    crossing = False
    for step in range(LANES):
        lane = (step + 3) & 3  # trumps first
        field = lane_field(lane, trumps)
        mine = me & field
        partners = partner & field
        foes = against & field
        if mine | partners <= foes:  # they have the highest, or no hand has a card
            continue
        left_length = popcount(left & field)
        right_length = popcount(right & field)
        longest = max(left_length, right_length)
        limit = NO_LIMIT  # rounds after which an opponent ruffs
        if field != trumps:
            if left_trumps > 0:
                limit = left_length
            if right_trumps > 0 and right_length < limit:
                limit = right_length
        mine, partners, rounds, low = _run_suit(mine, partners, foes, longest, 0, min(limit, wanted - total))
        total += rounds
        relevant |= low
        if total >= wanted:
            return total, relevant
        if field == trumps:  # drawing trumps takes them out of the opponents' hands
            left_trumps -= rounds
            right_trumps -= rounds
        # After those rounds the partner has lost the lowest cards, I my highest.
        entry = mine != 0
        first = rounds
        _, _, rounds, low = _run_suit(partners, mine, foes, longest, rounds, limit)
        partner_total += rounds - first
        partner_relevant |= low
        if entry and rounds > first:
            crossing = True
    if crossing:
        total += partner_total
        relevant |= partner_relevant
    return total, relevant


@inlined_kernel
def _run_suit(hand: int, partner: int, foes: int, longest: int, rounds: int, limit: int) -> tuple[int, int, int, int]:
    """A hand runs its winners of a field while the partner follows low.

    Args:
        hand, partner, foes: the cards of the field that the hand, its partner and its opponents hold.
        longest: the number of rounds in which an opponent can follow.
        rounds: the number of rounds played before.
        limit: the most rounds in all.

    Returns:
        The remaining cards of hand and partner, the rounds played, and the lowest winner that is relevant.
    """
    low = 0
    while hand and rounds < limit:
        top = highest_bit(hand)
        if rounds < longest and foes > top:
            break
        if partner:
            follow = lowest_bit(partner)
            if follow > top:  # the partner would have to overtake
                break
            partner ^= follow
            low = top
        elif rounds < longest:
            low = top
        hand ^= top
        rounds += 1
    return hand, partner, rounds, low


@kernel
def tricks_of_second_side(
    second: int, fourth: int, leader: int, third: int, trumps: int, led: int, card: int, wanted: int
) -> tuple[int, int]:
    """Tricks that the side of the second hand can cash when one of its hands can win the trick with the highest card.

    Args:
        second, fourth, leader, third: the hands after `card` has been led.
        led: field to follow.
        wanted: the number of tricks looked for, at least 1; no more are.

    Returns:
        a lower bound on the tricks, this one included, and its relevant cards.
    """
    top = highest_bit((second | fourth) & led)
    if led != trumps and (third & led or third & trumps == 0):
        followed = third ^ lowest_bit(third & led)
        if second & led == 0 and second & trumps:
            return _tricks_after_ruff(second, fourth ^ lowest_bit(fourth & led), followed, leader, trumps, wanted)
        if fourth & led == 0 and fourth & trumps:
            return _tricks_after_ruff(fourth, second ^ lowest_bit(second & led), leader, followed, trumps, wanted)
    if top < ((leader | third | card) & led) or (third & led == 0 and third & trumps & ~led):
        return 0, 0
    if wanted == 1:
        return 1, top
    leader |= card  # as if the winner led the highest card to this trick
    if top & second:
        count, relevant = quick_tricks(second, fourth, third, leader, trumps, wanted)
    else:
        count, relevant = quick_tricks(fourth, second, leader, third, trumps, wanted)
    return count, relevant | top


@kernel
def _tricks_after_ruff(ruffer: int, partner: int, left: int, right: int, trumps: int, wanted: int) -> tuple[int, int]:
    """Tricks of a hand that ruffs low and unopposed and then cashes; the others have followed to the trick."""
    if wanted == 1:
        return 1, 0
    count, relevant = quick_tricks(ruffer ^ lowest_bit(ruffer & trumps), partner, left, right, trumps, wanted - 1)
    return count + 1, relevant


@kernel
def sure_tricks(
    left: int, right: int, leader: int, partner: int, trumps: int, tricks: int, wanted: int
) -> tuple[int, int]:
    """Return the tricks that the side off lead, `left` and `right` of the leader, takes whatever happens.

    Args:
        left, right, leader, partner: the hands at the start of a trick.
        tricks: the number of tricks that remain.
        wanted: the number of tricks looked for, at least 1; no more are.

    Returns:
        a lower bound on the tricks and its relevant cards.
    """
    ours = (left | right) & trumps
    theirs = (leader | partner) & trumps
    if ours > theirs:
        return top_trumps(left & trumps, right & trumps, theirs, wanted)
    if wanted > 1 or (theirs and not ours):
        return 0, 0
    if theirs:
        return _guarded_trump(left & trumps, right & trumps, leader & trumps, partner & trumps)
    return _one_stopper(left | right, leader, partner, tricks)


@kernel
def _guarded_trump(left: int, right: int, leader: int, partner: int) -> tuple[int, int]:
    """Return one trick for the second highest trump, when it has a guard and plays after the hand with the highest."""
    top = highest_bit(leader | partner)
    second = highest_bit((leader | left | partner | right) ^ top)
    behind = left if top & leader else right
    if second & behind and second != behind:
        return 1, second
    return 0, 0


@kernel
def _one_stopper(against: int, leader: int, partner: int, tricks: int) -> tuple[int, int]:
    """One trick at no trump, when the leader's side cannot take all from the fields of which it has the highest."""
    running = 0
    relevant = 0
    for lane in range(LANES):
        field = SUIT_BITS << (13 * lane)
        theirs = (leader | partner) & field
        top = highest_bit(against & field)
        if top > theirs:
            if theirs:
                relevant |= top
        else:
            running += max(popcount(leader & field), popcount(partner & field))
    if running < tricks:
        return 1, relevant
    return 0, 0


@kernel
def top_trumps(hand: int, partner: int, theirs: int, wanted: int) -> tuple[int, int]:
    """Tricks taken by the trumps above all of theirs: two of them may fall together when both hands are short."""
    if theirs and wanted == 1:
        return 1, highest_bit(hand | partner)
    above = highest_bit(theirs)
    above = ~(2 * above - 1) if above else -1
    tops = (hand | partner) & above
    count = max(
        max(popcount(hand & above), popcount(partner & above)),
        min(popcount(tops), max(popcount(hand), popcount(partner))),
    )
    return count, lowest_bit(tops) if theirs else 0


@kernel
def judge_misere(declarer: int, leader: int, partner: int, trumps: int) -> tuple[bool, bool, int]:
    """Return whether two opponents, one of them to lead, can make a declarer who plays to lose take a trick.

    Returns:
        whether this is certain, whether declarer takes one, and the relevant cards.
    """
    safe = trumps == NO_TRUMP_FIELD and declarer & trumps == 0
    relevant = 0
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        held = declarer & field
        if held == 0:
            continue
        lowest = lowest_bit(held)
        led = lowest_bit(leader & field)
        follow = lowest_bit(partner & field)
        if led and led < lowest and follow < lowest and (follow or partner & ~trumps) and field != trumps:
            return True, True, lowest  # both play below it
        relevant |= lowest_bit((declarer | leader | partner) & field)
        if safe:
            safe = _always_below(held, (leader | partner) & field)
    return safe, False, relevant


@kernel
def _always_below(held: int, theirs: int) -> bool:
    """Whether a hand that never leads the suit can stay below them: its r-th lowest card is below their r-th lowest."""
    while held and theirs:
        if lowest_bit(held) > lowest_bit(theirs):
            return False
        held &= held - 1
        theirs &= theirs - 1
    return True
