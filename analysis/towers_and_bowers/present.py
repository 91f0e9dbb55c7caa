"""How are the answers of Towers & Bowers shown in a terminal?

Example:
    towerlab upcard --hand "JS AS" --up 9S --seat nondealer
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.decision import CHANCES
from towerlab.analysis.towers_and_bowers.answers import (
    ACCEPT,
    AGAINST,
    HARDLY_EVER,
    PASS,
    PIMC,
    SEATS,
    ContractValue,
    Mix,
    UpcardAnswer,
    call_words,
)
from towerlab.analysis.towers_and_bowers.deal_value import Floored, ValueOfDeal
from towerlab.analysis.towers_and_bowers.played import VALUES_OF
from towerlab.analysis.towers_and_bowers.ranges import STRAY_ODDS
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.stored_bidding import WHOLE_HAND, fallback_words
from towerlab.analysis.towers_and_bowers.upcard import BIDDERS, OPEN_CARDS, RankedDiscards
from towerlab.games.cards import SUITS, card_symbol, parse_card, suit_of

if TYPE_CHECKING:  # what an up-card does not need
    from towerlab.analysis.towers_and_bowers.exploitability import ExploitAnswer, Matchup
    from towerlab.analysis.towers_and_bowers.open_hands import OpenHands
    from towerlab.analysis.towers_and_bowers.whole_strategies import ValueAnswer


def upcard_report(answer: UpcardAnswer) -> RenderableType:
    """Return the sentence that answers the question, the actions, the contracts, and how the numbers were got."""
    held = present.cards(answer.hand, suit_of(answer.up), bowers=True)
    seat = "dealer" if answer.seat == "dealer" else "non-dealer"
    question = f"You hold {held}, the up-card is {card_symbol(answer.up)}, you are the {seat}."
    contracts = ["", _contracts(answer)] if answer.reachable else []
    return Group(question, "", _sentence(answer), answer.why, "", _actions(answer), *contracts, "", _method(answer))


def _sentence(answer: UpcardAnswer) -> Text:
    best = answer.recommend
    if answer.mix is not None and len(answer.mix.mixed_calls) > 1:
        return _mixed_sentence(answer, answer.mix)
    second = max((name for name in answer.actions if name != best), key=answer.tower)
    lead = answer.tower(best) - answer.tower(second)
    lead_words = f"{points(lead)} better than" if lead > 0 else "no better and no worse than"
    call = call_words(best).capitalize()
    value = answer.actions[best]
    if isinstance(value, ContractValue) and value.discard:
        call += f" and discard {card_symbol(parse_card(value.discard))}"
    won, lost = present.percent(answer.tower(best)), present.percent(answer.tower(second))
    rest = f": it wins the tower {won} of the time, {lead_words} {_doing(second)} ({lost}). {answer.decision.rivals}"
    return Text(call, style="bold").append(rest.rstrip(), style="not bold")


def points(difference: float) -> str:
    """Return a difference of two chances, in percentage points.

    >>> points(0.289), points(0.0034), points(0.00002)
    ('28.9 percentage points', '0.34 percentage points', 'less than 0.01 percentage points')
    """
    digits = 1 if difference >= 0.01 else 2
    number = f"{100 * difference:.{digits}f}" if difference >= 0.0001 else "less than 0.01"
    return f"{number} {CHANCES.noun}"


def _mixed_sentence(answer: UpcardAnswer, mix: Mix) -> Text:
    parts = [f"{call_words(name)} {present.percent(mix.probabilities[name])}" for name in mix.mixed_calls]
    text = Text("Mix: ", style="bold").append(" and ".join(parts) + " of the time.", style="not bold")
    cost = max(mix.costs[name] for name in mix.mixed_calls)
    won = present.percent(answer.tower(answer.recommend))
    words = f" Each wins the tower {won} of the time, within {100 * cost:.2f} {CHANCES.noun}"
    return text.append(f"{words}: the opponent must not know which.", style="not bold")


def _doing(action: str) -> str:
    return {ACCEPT: "accepting", PASS: "passing"}.get(action) or f"naming {present.suit(SUITS.index(action))}"


def _actions(answer: UpcardAnswer) -> RenderableType:
    mix = answer.mix.probabilities if answer.mix is not None and answer.mix.applies else None
    shown = () if mix is None else ("mix",)
    table = present.table("your call", *shown, "wins the tower", "makes it", "sweeps", "is swept", "tricks")
    for name, value in answer.actions.items():
        often = () if mix is None else (present.percent(mix[name]),)
        numbers = _numbers(value) if isinstance(value, ContractValue) else (present.percent(value.tower),)
        table.add_row(call_words(name), *often, *numbers)
    return table


def _contracts(answer: UpcardAnswer) -> RenderableType:
    table = present.table("if reached", "wins the tower", "is made", "you sweep", "you are swept", "your tricks")
    for contract in answer.reachable:
        bidder = "you" if contract.bidder == "me" else "they"
        trump = present.suit(SUITS.index(contract.trump))
        table.add_row(f"{bidder} bid {trump}{' *' * contract.off_path}", *_numbers(contract.value))
    return table


def _numbers(value: ContractValue) -> tuple[str, ...]:
    shares = (value.tower, value.make, value.sweep, value.swept)
    return (*(present.percent(share) for share in shares), f"{value.tricks:.2f}")


def _method(answer: UpcardAnswer) -> RenderableType:
    """Return a short list: what was counted, the model, how far it may be off, what else to know."""
    lines = [("Counted", _counted(answer)), ("Model", _model(answer)), ("Accuracy", _accuracy(answer))]
    return present.closing_lines(*lines, *_notes(answer))


def _counted(answer: UpcardAnswer) -> str:
    if answer.rollouts is not None:
        deals = f"{answer.rollouts.n:,} deals of each call, a quarter of each contract, seed {answer.rollouts.seed}"
        return f"{deals}; of {_hands(answer)}"
    return _hands(answer)


def _hands(answer: UpcardAnswer) -> str:
    """Return the range in words."""
    other = SEATS[answer.seat == SEATS[0]].replace("nond", "non-d")
    every = f"all {answer.layouts:,} hands" if answer.layouts > 1 else "the one hand"
    hands = f"{every} the {other} can hold{', by what you know' * (answer.known is not None)}"
    if answer.likelihood == 0:
        return f"{hands}, all alike: this opponent never lets it come to this"
    if answer.likelihood is None or answer.likelihood == 1:
        return f"{hands}, all alike"
    return f"{hands}, weighted by the bids (which lead here {present.percent(answer.likelihood)} of the time)"


def _model(answer: UpcardAnswer) -> str:
    after = "from the first lead on both players see all cards"
    if answer.rollouts is not None:
        bids = f"the opponent bids like {answer.against}; then " * (answer.against is not None)
        strays = f"; a call made less than once in {STRAY_ODDS} counts as made so often" * (answer.against is None)
        return f"{bids}{answer.values_of}, cards hidden to the end{strays}"
    if answer.against is not None:
        return f"the opponent bids like {answer.against}; {after}"
    if answer.mix is None:
        return f"perfect information: after your call both players see all cards{fallback_words(answer.options)}"
    return "equilibrium of the whole hand, cards hidden to the end"


def _accuracy(answer: UpcardAnswer) -> str:
    """Return how far the numbers may be off, as far as it is known."""
    if answer.rollouts is not None and answer.interval is not None:
        low, high = (f"{100 * end:+.1f}" for end in answer.interval)
        sample = f"±{100 * answer.rollouts.error:.2f} by the deals"
        margin = f"the margin is {low} to {high} {CHANCES.noun}"
        if answer.model_error is None:
            return (
                f"{margin}, 95 in 100 (standard error: {sample}); the policy's distance from the game was not measured"
            )
        errors = f"standard errors: {sample}, ±{answer.model_error / 10:.2f} by the policy"
        if answer.held is None:
            estimated = f"{errors}, estimated from errors at {LARGEST_STORED} cards"
            return f"{margin} ({estimated}); how often that holds was not counted"
        counted = f"{answer.held.percent:.0f} of 100, counted on {answer.held.hands} hands"
        return f"{margin}; such intervals held {counted} ({errors})"
    return "exact in this model" if answer.mix is None else answer.mix.accuracy_words


def _notes(answer: UpcardAnswer) -> Iterator[tuple[str, str]]:
    if answer.deal_value is not None:
        yield "Note", f"The next dealer wins the tower {present.percent(answer.deal_value)} of the time."
    mix = answer.mix
    is_open = answer.method in (PIMC, AGAINST) or answer.known is not None
    off = [contract.trump for contract in answer.reachable if contract.off_path]
    if off:
        yield "*", "their bids never lead to this contract: all their hands count alike"
    if is_open:
        return
    if answer.seat == SEATS[1] and not answer.second_round and answer.cards % 2:
        yield "Note", "With an odd number of cards, passing gains nothing: the dealer can accept as well."
    elif answer.decision.is_open and answer.make_needed is not None:
        bid = answer.actions[answer.best_bid]
        other = call_words(answer.best_other)
        assert isinstance(bid, ContractValue)
        needed = present.percent(answer.make_needed)
        counted = present.percent(bid.make)
        call = f"{call_words(answer.best_bid)} is right if you make it more than {needed} of the time"
        yield "Threshold", f"{call} ({counted} here), else {other}"
    if mix is None:
        return
    if not mix.applies and mix.reached >= HARDLY_EVER:
        yield "Note", "what the equilibrium does with this hand is not learnt to the end: the values decide"
    elif not mix.applies:
        yield "Note", "the equilibrium hardly ever comes here: the values decide"


def discard_report(answer: RankedDiscards) -> RenderableType:
    """Return the card to give, a row a card, how it was found."""
    who = "you accepted" if answer.bidder == BIDDERS[0] else "they accepted"
    held = present.cards(answer.dealt, suit_of(answer.up), bowers=True)
    head = f"You deal and hold {held}, {who} {card_symbol(answer.up)}."
    rows = present.table("discard", "wins the tower", "costs, points", "mix")
    for discard in answer.discards:
        often = "" if discard.probability is None else present.percent(discard.probability)
        cost = f"{100 * discard.cost:.2f}" if discard.cost > 0 else "–"
        if discard.interval and discard.card != answer.recommend:
            cost += f" ({100 * discard.interval[0]:.2f} to {100 * discard.interval[1]:.2f})"
        rows.add_row(card_symbol(parse_card(discard.card)), present.percent(discard.tower), cost, often)
    hands = f"all {answer.layouts:,} hands" if answer.layouts > 1 else "the one hand"
    bidding = answer.method != PIMC
    counted = f"{hands} the non-dealer can hold, {'weighted by the bids' if bidding else 'all alike'}"
    models = {
        OPEN_CARDS: "perfect information: after the discard both players see all cards",
        WHOLE_HAND: "equilibrium of the whole hand, cards hidden to the end",
        VALUES_OF: "the learned policy bids, chooses and plays on, cards hidden to the end",
    }
    if answer.rollouts is not None:
        counted = f"{answer.rollouts.n:,} deals of each card, of {counted}, seed {answer.rollouts.seed}"
    model = models[answer.values_of] + fallback_words(answer.options)
    said = Text(f"Discard {card_symbol(parse_card(answer.recommend))}", style="bold")
    facts = present.closing_lines(("Counted", counted), ("Model", model), ("Accuracy", answer.accuracy_words))
    return Group(head, "", said, "", rows, "", facts)


_BOUNDS: Final = (
    "The game's own: bounds of the dealer's value, from its exploitability, where it is solved; else nobody knows."
)
_FLOORS: Final = (
    "With floors: every call is made at least once in {often} times, with any hand. That game's solution, mixes "
    "settled, answers everywhere; without floors it is as exploitable as the last column says, which is what --check "
    "measures."
)


def value_report(answer: ValueAnswer) -> RenderableType:
    """Return a table of hand sizes, one of up-cards where a single size was asked, and how the numbers were got."""
    checked = any(value.checked is not None for value in answer.values)
    names = ["cards", "dealer", "non-dealer", "the game's own", "exploitability", *["measured now"] * checked, "of"]
    table = present.table(*names)
    for value in answer.values:
        chances = f"{value.dealer:.5f}", f"{value.nondealer:.5f}"
        cells = [str(value.cards), *chances, _between(value), _gain(value.exploitability)]
        if checked:
            cells.append(_gain(value.checked))
        table.add_row(*cells, value.exploitability_of)
    parts: list[RenderableType] = [table, ""]
    if len(answer.values) == 1:
        if sampled := answer.values[0].sampled:
            played = f"95 % of samples of {sampled.n:,} hands lie as close as {sampled.low:.4f} to {sampled.high:.4f}."
            parts += [Text(played, style="dim"), ""]
        ups = (("10" if rank == "T" else rank, f"{dealer:.5f}") for rank, dealer in answer.values[0].by_up.items())
        parts += [present.table("up-card", "dealer", rows=ups), ""]
    floored = [(value.cards, value.floored) for value in answer.values if value.floored]
    if floored:
        parts += [_floored_table(floored), ""]
    words = {value.exploitability_of: value.method for value in answer.values}
    parts += [Text(f"{name}: {method}.", style="dim") for name, method in words.items()]
    parts.append(Text(_BOUNDS, style="dim"))
    for why in dict.fromkeys(answer.unchecked.values()):
        sizes = ", ".join(str(cards) for cards, reason in answer.unchecked.items() if reason == why)
        parts.append(Text(f"Not measured now: {sizes} cards, which {why}.", style="dim"))
    if floored:
        often = f"{1 / floored[0][1].floor:,.0f}"
        parts.append(Text(_FLOORS.format(often=often), style="dim"))
    parts.append(Text("Exploitability: what best responses of both sides gain, added up; exact.", style="dim"))
    return Group(*parts)


def _gain(gain: float | None) -> str:
    return "" if gain is None else f"{gain:.1e}"


def _floored_table(values: Sequence[tuple[int, Floored]]) -> RenderableType:
    rows = (
        (str(cards), f"{value.dealer:.5f}", f"{value.exploitability:.1e}", f"{value.without_floor:.1e}")
        for cards, value in values
    )
    return present.table("cards", "dealer, with floors", "exploitability", "of what answers", rows=rows)


def _between(value: ValueOfDeal) -> str:
    lower, upper = value.bounds
    if lower is None or upper is None:
        return ""
    digits = 6 if upper - lower < 0.001 else 3
    return f"{lower:.{digits}f} to {upper:.{digits}f}"


def open_hands_report(answer: OpenHands) -> RenderableType:
    """Return the tricks of both hands, the tricks that each lead keeps, and a line of best play."""
    cards = answer.leader.bit_count()
    leader, follower = (present.cards(hand, answer.trump, bowers=True) for hand in (answer.leader, answer.follower))
    head = f"{leader} leads against {follower}, trumps {present.suit(answer.trump)}."
    verdict = Text(f"The leader takes {answer.leader_tricks} of {cards} tricks", style="bold")
    table = present.table("lead", "tricks of the leader")
    for card, tricks in answer.leads.items():
        table.add_row(card_symbol(card), str(tricks))
    tricks_played = zip(answer.line[::2], answer.line[1::2], strict=True)
    line = "A line of best play: " + "  ".join("/".join(map(card_symbol, trick)) for trick in tricks_played)
    exact = Text("exact: both hands seen, every continuation counted", style="dim")
    return Group(head, "", verdict.append(", whatever the other does.", style="not bold"), "", table, "", line, exact)


def exploit_report(answer: ExploitAnswer) -> RenderableType:
    """Return the loss of each seat, of each part of the play, and the costliest decisions."""
    both = sum(answer.loss.values())
    size = present.number_of(answer.cards, "card")
    taken = f"{answer.player}, {size}: a best response takes {_mt(both)} mt from it in the two seats."
    losses = present.table("seat", "value between solutions", "against the best response", "loses, mt")
    for seat in answer.seats:
        values = f"{seat.value:.5f}", f"{seat.against_best:.5f}", _mt(seat.loss_mt)
        losses.add_row(seat.seat.replace("nondealer", "non-dealer"), *values)
    lost = ((part, "not at hand" if loss is None else _mt(loss)) for part, loss in answer.parts.items())
    parts = present.table("part", "loses in place of the solution's, mt", rows=lost)
    worst = present.table("costs, mt", "comes", "who", "up", "holds", "so far", "does", "best")
    for row in answer.worst:
        does = ", ".join(
            action if share > 0.9995 else f"{action} {present.percent(share, 0)}" for action, share in row.does.items()
        )
        costs = (f"{row.cost:.4f}", present.percent(row.reach, 4))
        where = (row.seat, row.up, row.hand)
        worst.add_row(*costs, *where, row.history or "-", does, row.best)
    rows: list[RenderableType] = [taken, "", losses, "", parts, ""]
    if answer.worst:
        rows += ["The decisions that give most away to that best response, each on its own:", worst, ""]
    if answer.missing is not None:
        missing = present.number_of(answer.missing["count"], "missing information set")
        said = f"{missing}, where every action is as likely. The first of them:"
        rows += [said, *answer.missing["sets"], ""]
    sets = present.number_of(answer.information_sets, "information set")
    words = f"exact: {sets}; {answer.method}. Parts need not add up."
    return Group(*rows, Text(words, style="dim"))


def matchup_report(answer: Matchup) -> RenderableType:
    """Return the chance of the first in each seat."""
    chances = (("dealer", answer.as_dealer), ("non-dealer", answer.as_nondealer))
    rows = [(seat, present.percent(chance)) for seat, chance in chances]
    sentence = f"{answer.first} against {answer.second}: {answer.edge:+.2f} mt more than half when the seats alternate."
    return Group(sentence, "", present.table(f"{answer.first} as", "wins the tower", rows=rows))


def _mt(loss: float) -> str:
    """Return a loss as a decimal number; less than a millionth of an mt is rounding."""
    if abs(loss) < 1e-6:
        return "0"
    return f"{loss:.2f}" if abs(loss) >= 0.01 else f"{loss:.6f}"
