"""What people see of the questions of Towie."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from analysis import present
from analysis.present.double_dummy import open_hands_report, trumps_and_lead
from analysis.stats import Estimate
from analysis.towie.bid import MODEL, BidAnswer, ContractValue, ExposedValue
from analysis.towie.contracts import SEAT_NAMES, Contract
from analysis.towie.open_hands import OpenHands
from games.cards import NO_TRUMP, SYMBOLS, TRUMPS
from games.pbn import SEATS
from games.towie.auction import DOUBLE, PASS, REDOUBLE, auction_text, level_of, strain_of

_SHOWN = 8  # contracts
_CLOSE = 30.0  # points: an odd trick or so


def bid_report(answer: BidAnswer) -> RenderableType:
    """The question, the call and why, the contracts, tricks by strain, what the six are worth, how it was got."""
    question = Text.assemble(
        "You hold ", present.cards(answer.hand), ", the dummy shows ", present.cards(answer.exposed), "."
    )
    if answer.calls:
        question.append(f" The auction: {auction_text(answer.calls)}.")
    parts: list[RenderableType] = [question, "", _sentence(answer), ""]
    if answer.contracts:
        parts += [_contracts(answer.contracts), ""]
    parts += [_strains(answer), ""]
    if answer.worth_exposed is not None:
        parts += [_exposed(answer.worth_exposed), ""]
    return Group(*parts, _method(answer))


def hands_report(answer: OpenHands) -> Group:
    """Four open hands and what best play takes in them, of every declarer if that was asked."""
    headline = f"{trumps_and_lead(answer.trump, answer.lead)}: North-South take {answer.tricks}, "
    headline += f"East-West {answer.others}"
    table = None
    if answer.table is not None:
        order = ("NT", "S", "H", "D", "C")
        table = present.table("declarer", *order)
        for seat in SEATS:
            table.add_row(seat, *(str(answer.table[seat, TRUMPS.index(trump)]) for trump in order))
    if answer.par is not None:
        headline += f". {answer.par}"
    return open_hands_report(answer.hands, answer.trump, answer.leads, answer.line, headline, bowers=False, table=table)


def _sentence(answer: BidAnswer) -> Text:
    best = answer.recommend
    made = Text(_verb(best), style="bold")
    outcome = f": worth {_points(answer.worths[best])}"
    if answer.played is not None:
        low, high = answer.played.interval
        who = "it makes" if answer.played.contract.declarer == 0 else _whose(answer.played.contract) + " makes"
        outcome += f"; {who} {present.percent(answer.played.make)} of the time ({low:.1%} to {high:.1%})"
    others = [call for call in answer.worths if call != best]
    if others:
        second = max(others, key=lambda call: answer.worths[call])
        weight = "a close call, before" if answer.margin < _CLOSE else "rather than"
        outcome += f". That is {weight} {_words(second)} ({_points(answer.worths[second])})"
    return made.append(outcome + ".", style="not bold")


def _verb(call: int) -> str:
    return {PASS: "Pass", DOUBLE: "Double", REDOUBLE: "Redouble"}.get(call) or f"Bid {_words(call)}"


def _words(call: int) -> str:
    known = {PASS: "pass", DOUBLE: "double", REDOUBLE: "redouble"}
    return known.get(call) or f"{level_of(call)}{_strain(int(strain_of(call)))}"


def _strain(strain: int) -> str:
    return "NT" if strain == NO_TRUMP else SYMBOLS[strain]


def _whose(contract: Contract) -> str:
    doubled = {1: "", 2: " doubled", 4: " redoubled"}[contract.doubling]
    whose = "your" if contract.declarer == 0 else f"{SEAT_NAMES[contract.declarer]}'s"
    return f"{whose} {_words(contract.bid)}{doubled}"


def _points(worth: float) -> str:
    return f"{worth:+.0f} points"


def _contracts(values: tuple[ContractValue, ...]) -> RenderableType:
    table = present.table("your contract", "is made", "95 % interval", "points", "layouts")
    for value in values[:_SHOWN]:
        low, high = value.interval
        name = _whose(value.contract).removeprefix("your ")
        table.add_row(
            name, present.percent(value.make), f"{low:.1%} – {high:.1%}", f"{value.score:+.0f}", f"{value.layouts:,}"
        )
    if len(values) > _SHOWN:
        table.add_row(f"… {len(values) - _SHOWN} more, all worse")
    return table


def _strains(answer: BidAnswer) -> RenderableType:
    """Tricks from the fewest to the most that occur, in percent."""
    numbers = [t for t in range(14) if any(shares[t] > 0 for shares in answer.strains)]
    table = present.table("tricks, %", "mean", *(str(t) for t in numbers))
    for strain in reversed(range(len(answer.strains))):
        shares = answer.strains[strain]
        mean = sum(t * share for t, share in enumerate(shares))
        cells = (f"{100 * shares[t]:.0f}" if shares[t] > 0 else "" for t in numbers)
        table.add_row(present.suit(strain), f"{mean:.2f}", *cells)
    return table


def _exposed(worth: ExposedValue) -> Text:
    make = present.percent(worth.make)
    return Text(
        f"In {_words(worth.contract.bid)} the six cards are worth {_difference(worth.tricks, '+.1f')} tricks and "
        f"{_difference(worth.score, '+.0f')} points against an average dummy, with which it makes {make} of the time "
        f"(95 %, {worth.layouts} pairs of layouts)."
    )


def _difference(value: Estimate, form: str) -> str:
    return f"{value.mean:{form}} ({value.low:{form}} to {value.high:{form}})"


def _method(answer: BidAnswer) -> Text:
    rate = (answer.solves + answer.tests) / max(answer.seconds, 1e-9)
    return Text(
        f"sampled: {answer.layouts} layouts solved in every strain, {answer.tests:,} more asked whether the contract "
        f"is made, seed {answer.seed}; {answer.seconds:.0f} s, {rate:.0f} solves a second. Points are yours less those "
        f"of your average opponent. Model: {MODEL}.",
        style="dim",
    )
