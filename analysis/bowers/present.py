"""What people see of the questions of Bowers."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from analysis.bowers import BidAnswer, BuryAnswer
from analysis.bowers.bid import MISERE_ROW, MODEL, CallValue
from analysis.bowers.bury import MODEL as BURY_MODEL
from analysis.bowers.bury import Bury
from analysis.bowers.open_hands import OpenHands
from analysis.present import cards, percent, suit, table
from analysis.present.double_dummy import open_hands_report, trumps_and_lead
from analysis.stats import Estimate
from games.bowers import PASS, call_symbol, call_trump
from games.cards import NO_TRUMP

SHOWN = 10  # rows of a long list


def bid_report(answer: BidAnswer) -> Group:
    """The advice, the best calls, and how many tricks each trump takes."""
    return Group(
        Text.assemble("You hold ", cards(answer.hand), _over(answer)),
        Text(),
        Text(_bid_advice(answer), style="bold"),
        Text(),
        _calls(answer),
        Text(),
        _tricks(answer),
        Text(),
        Text(
            f"sampled: {answer.kitties} kitties, {answer.layouts} layouts, 95 % intervals valid at every look, seed "
            f"{answer.seed}. Model: {MODEL}",
            style="dim",
        ),
    )


def bury_report(answer: BuryAnswer) -> Group:
    """The advice and the best buries; those that come to the same stand in one row."""
    best = answer.buries[0]
    trump = int(call_trump(answer.call))
    sure = "surely the best" if answer.decided else "the best so far, though others may equal it"
    shown, ties = _one_of_each(answer)
    rows = table("bury", "makes it", "tricks", "points", "against the best", "95 %", "same as")
    for bury in shown[:SHOWN]:
        more = f"{ties[bury.cards]} more" if ties[bury.cards] else ""
        rows.add_row(
            cards(bury.cards, trump, bowers=True), percent(bury.make), f"{bury.tricks:.2f}", f"{bury.score:+.2f}",
            f"{bury.difference.mean:+.2f}", _interval(bury.difference), more,
        )  # fmt: skip
    return Group(
        Text.assemble("You hold ", cards(answer.hand, trump, bowers=True), f" and play {call_symbol(answer.call)}."),
        Text(),
        Text.assemble("Bury ", cards(best.cards, trump, bowers=True), f": {sure}."),
        Text(),
        rows,
        Text(),
        Text(
            f"sampled: {answer.layouts} layouts, the same for all {len(answer.buries)} buries ({answer.distinct} that "
            f"differ); 95 % intervals valid at every look, seed {answer.seed}. Points: yours less the mean of the "
            f"others'. Model: {BURY_MODEL}.",
            style="dim",
        ),
    )


def hands_report(answer: OpenHands) -> Group:
    """Three open hands and what best play takes in them."""
    headline = trumps_and_lead(answer.trump, answer.lead)
    if answer.misere:
        headline += f", misère: the declarer is held to {answer.tricks} at the fewest"
    else:
        headline += f": the declarer takes {answer.tricks}, the defenders {answer.others}"
    more = []
    if answer.at_least is not None:
        asked, made = answer.at_least
        more.append(Text(f"The declarer {'takes' if made else 'does not take'} at least {asked}."))
    return open_hands_report(answer.hands, answer.trump, answer.leads, answer.line, headline, bowers=True, more=more)


def _over(answer: BidAnswer) -> str:
    if not answer.auction.calls:
        return " and open the auction."
    return " after " + ", ".join(call_symbol(call) for call in answer.auction.calls) + "."


def _bid_advice(answer: BidAnswer) -> str:
    best = next(action for action in answer.actions if action.call == answer.best)
    if answer.runner_up is None or answer.lead is None:
        return "Pass: no higher bid is left."
    name = "Pass" if best.call == PASS else f"Bid {call_symbol(best.call)}"
    worth = "" if best.call == PASS else f", worth {best.score.mean:+.2f} points against the mean of the others"
    if answer.decided:
        return f"{name}{worth}."
    return (
        f"{name}{worth}; close to {call_symbol(answer.runner_up)}, {answer.lead.mean:.2f} points behind "
        f"({_interval(answer.lead)})."
    )


def _calls(answer: BidAnswer) -> Table:
    rows = table("call", "makes it", "points", "95 %")
    ranked = sorted(answer.actions, key=lambda action: -action.score.mean)
    for action in ranked[:SHOWN]:
        rows.add_row(call_symbol(action.call), _made(action), f"{action.score.mean:+.2f}", _interval(action.score))
    if len(ranked) > SHOWN:
        rows.add_row(f"and {len(ranked) - SHOWN} worse ones", "", "", "")
    return rows


def _made(action: CallValue) -> str:
    return "" if action.make is None else percent(action.make)


def _tricks(answer: BidAnswer) -> Table:
    """P(exactly t tricks) by trump."""
    rows = table("trump", *(str(tricks) for tricks in range(answer.tricks.shape[1])))
    for row in (*range(NO_TRUMP - 1, -1, -1), NO_TRUMP, MISERE_ROW):
        name = Text("misère") if row == MISERE_ROW else suit(row)
        rows.add_row(name, *(f"{100 * share:.0f} %" if share else "·" for share in answer.tricks[row]))
    return rows


def _one_of_each(answer: BuryAnswer) -> tuple[list[Bury], dict[int, int]]:
    """The first bury of every group that comes to the same, and how many more are in it."""
    shown: list[Bury] = []
    more: dict[int, int] = {}
    for bury in answer.buries:
        if shown and bury.same_as == shown[-1].same_as:
            more[shown[-1].cards] += 1
        else:
            shown.append(bury)
            more[bury.cards] = 0
    return shown, more


def _interval(estimate: Estimate) -> str:
    return f"{estimate.low:+.2f} to {estimate.high:+.2f}"
