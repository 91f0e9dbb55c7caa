"""The answers of `upcard` for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.towers_and_bowers.ranges import STRAYS
from towerlab.analysis.towers_and_bowers.solutions.bidding import fallback_words
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    ACCEPT,
    AGAINST,
    HARDLY_EVER,
    PASS,
    PIMC,
    SEATS,
    ContractValue,
    Mix,
    UpcardAnswer,
)
from towerlab.games.cards import SUITS, card_symbol, parse_card, suit_of

_CLOSE = 0.005  # a lead below half a percent point is called close


def upcard_report(answer: UpcardAnswer) -> RenderableType:
    """The sentence that answers the question, the actions, the contracts, and how the numbers were got."""
    held = present.cards(answer.hand, suit_of(answer.up), bowers=True)
    seat = "dealer" if answer.seat == "dealer" else "non-dealer"
    question = f"You hold {held}, the up-card is {card_symbol(answer.up)}, you are the {seat}."
    contracts = ["", _contracts(answer)] if answer.reachable else []
    return Group(question, "", _sentence(answer), answer.why, "", _actions(answer), *contracts, "", _method(answer))


def _sentence(answer: UpcardAnswer) -> Text:
    best = answer.recommend
    if answer.mix is not None and len(answer.mix.made) > 1:
        return _mixed_sentence(answer, answer.mix)
    second = max((name for name in answer.actions if name != best), key=answer.tower)
    lead = answer.tower(best) - answer.tower(second)
    lead_words = f"{points(lead)} better than" if lead > 0 else "no better and no worse than"
    call = _words(best).capitalize()
    value = answer.actions[best]
    if isinstance(value, ContractValue) and value.discard:
        call += f" and discard {card_symbol(parse_card(value.discard))}"
    won, lost = present.percent(answer.tower(best)), present.percent(answer.tower(second))
    close = _too_close(answer) or " A close call." * (lead < _CLOSE)
    rest = f": it wins the tower {won} of the time, {lead_words} {_doing(second)} ({lost}).{close}"
    return Text(call, style="bold").append(rest, style="not bold")


def _too_close(answer: UpcardAnswer) -> str:
    return " Too close to call in this model." if answer.too_close else ""


def points(difference: float) -> str:
    """A difference of two chances, in percentage points.

    >>> points(0.289), points(0.0034), points(0.00002)
    ('28.9 points', '0.34 points', 'less than 0.01 points')
    """
    digits = 1 if difference >= 0.01 else 2
    return f"{100 * difference:.{digits}f} points" if difference >= 0.0001 else "less than 0.01 points"


def _mixed_sentence(answer: UpcardAnswer, mix: Mix) -> Text:
    parts = [f"{_words(name)} {present.percent(mix.probabilities[name])}" for name in mix.made]
    text = Text("Mix: ", style="bold").append(" and ".join(parts) + " of the time.", style="not bold")
    cost = max(mix.costs[name] for name in mix.made)
    won = present.percent(answer.tower(answer.recommend))
    words = f" Either call wins the tower {won} of the time, within {100 * cost:.2f} points"
    return text.append(words + f": the opponent must not know which.{_too_close(answer)}", style="not bold")


def _words(action: str) -> str:
    return {ACCEPT: "accept", PASS: "pass"}.get(action) or f"name {present.suit(SUITS.index(action))}"


def _doing(action: str) -> str:
    return {ACCEPT: "accepting", PASS: "passing"}.get(action) or f"naming {present.suit(SUITS.index(action))}"


def _actions(answer: UpcardAnswer) -> RenderableType:
    mix = answer.mix.probabilities if answer.mix is not None and answer.mix.holds else None
    shown = () if mix is None else ("mix",)
    table = present.table("your call", *shown, "wins the tower", "makes it", "sweeps", "is swept", "tricks")
    for name, value in answer.actions.items():
        often = () if mix is None else (present.percent(mix[name]),)
        numbers = _numbers(value) if isinstance(value, ContractValue) else (present.percent(value.tower),)
        table.add_row(_words(name), *often, *numbers)
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
    """A short list: what was counted, the model, how far it may be off, what else to know."""
    lines = [("Counted", _counted(answer)), ("Model", _model(answer)), ("Accuracy", _accuracy(answer))]
    return present.listed(*lines, *_notes(answer))


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
        strays = f"; a call made less than once in {STRAYS} counts as made so often" * (answer.against is None)
        return f"{bids}{answer.values_of}, cards hidden to the end{strays}"
    if answer.against is not None:
        return f"the opponent bids like {answer.against}; {after}"
    if answer.mix is None:
        return f"perfect information: after your call both players see all cards{fallback_words(answer.options)}"
    return "equilibrium of the whole hand, cards hidden to the end"


def _accuracy(answer: UpcardAnswer) -> str:
    """How far the numbers may be off, as far as it is known."""
    if answer.rollouts is not None and answer.interval is not None:
        low, high = (f"{100 * end:+.1f}" for end in answer.interval)
        sample = f"±{100 * answer.rollouts.error:.2f} by the deals"
        policy = "the policy's distance from the game was not measured"
        if answer.model_error is not None:
            policy = f"±{answer.model_error / 10:.2f} by the policy"
        return f"the margin is {low} to {high} points, 95 in 100 (standard errors: {sample}, {policy})"
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
    elif answer.too_close and answer.make_needed is not None:
        bid = answer.actions[answer.best_bid]
        other = _words(answer.best_other)
        assert isinstance(bid, ContractValue)
        needed = present.percent(answer.make_needed)
        counted = present.percent(bid.make)
        call = f"{_words(answer.best_bid)} is right if you make it more than {needed} of the time"
        yield "Close", f"{call} ({counted} here), else {other}"
    if mix is None:
        return
    if not mix.holds and mix.reached >= HARDLY_EVER:
        yield "Note", "what the equilibrium does with this hand is not learnt to the end: the values decide"
    elif not mix.holds:
        yield "Note", "the equilibrium hardly ever comes here: the values decide"
