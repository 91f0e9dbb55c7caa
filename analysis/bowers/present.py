"""How are the answers of Bowers shown in a terminal?

Example:
    towerlab bid bowers --hand "JS JC AS KS QS TS 9S AH AD 7C" --kitties 30
"""

import itertools

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from towerlab.analysis.bowers import BidAnswer, BuryAnswer
from towerlab.analysis.bowers.bid import Defending
from towerlab.analysis.bowers.bury import MODEL as BURY_MODEL
from towerlab.analysis.bowers.bury import Bury
from towerlab.analysis.bowers.open_hands import OpenHands
from towerlab.analysis.present import cards, closing_lines, interval, number_of, percent, stack_parts, suit, table
from towerlab.analysis.present.open_hands import open_hands_report
from towerlab.analysis.stats import Estimate
from towerlab.games.bowers import call_symbol, call_trump
from towerlab.games.cards import NO_TRUMP
from towerlab.sim.bowers.continuation import MISERE_STRAIN

SHOWN = 10  # rows of a long list
_ACCURACY = ("Accuracy", "95 % intervals, valid at every look")


def bid_report(answer: BidAnswer) -> Group:
    """Return the advice, the best calls, the value of defending, the tricks in each trump; the model."""
    columns = {"score": "Points", "win": "Wins", "make": "Makes it, tricks", "defending": "Defending"}
    models = [(columns[key], text) for key, text in answer.assumes.items() if key in columns]
    defending = [] if answer.defending is None else [_defending(answer.defending)]
    counted = f"{number_of(answer.kitties, 'kitty')}, each in a layout of its own, drawn at random"
    return stack_parts(
        f"You hold {cards(answer.hand)}{_over(answer)}",
        Group(Text(_bid_advice(answer), style="bold"), answer.why, *defending),
        _calls(answer),
        _tricks(answer),
        closing_lines(("Counted", counted), *models, _ACCURACY),
    )


def bury_report(answer: BuryAnswer) -> Group:
    """Return the advice and the best buries; equivalent ones in one row."""
    trump = int(call_trump(answer.call))
    shown, ties = _one_of_each(answer)
    rows = table("bury", "makes it", "tricks", "points", "against the best", "95 %", "same as")
    for bury in shown[:SHOWN]:
        more = f"{ties[bury.cards]} more" if ties[bury.cards] else ""
        rows.add_row(
            cards(bury.cards, trump, bowers=True), percent(bury.make), f"{bury.tricks:.2f}", f"{bury.score.mean:+.2f}",
            f"{bury.difference.mean:+.2f}", _interval(bury.difference), more,
        )  # fmt: skip
    question = f"You hold {cards(answer.hand, trump, bowers=True)} and play {call_symbol(answer.call)}."
    counted = f"{answer.layouts} layouts, the same for all {len(answer.buries)} buries ({answer.distinct} differ)"
    points = ("Points", "yours less the mean of the others'")
    facts = closing_lines(("Counted", counted), ("Model", BURY_MODEL), points, _ACCURACY)
    return stack_parts(question, Group(Text(answer.verdict, style="bold"), answer.why), rows, facts)


def hands_report(answer: OpenHands) -> Group:
    """Return the text of three open hands and the tricks of best play."""
    tricks = f": the declarer takes {answer.tricks}, the defenders {answer.others}"
    if answer.misere:
        tricks = f", misère: the declarer is held to {answer.tricks} at the fewest"
    more = []
    if answer.at_least is not None:
        needed, made = answer.at_least
        more.append(f"The declarer {'takes' if made else 'does not take'} at least {needed}.")
    return open_hands_report(answer, tricks, more=more)


def _over(answer: BidAnswer) -> str:
    if not answer.auction.calls:
        return " and open the auction."
    return " after " + ", ".join(call_symbol(call) for call in answer.auction.calls) + "."


def _bid_advice(answer: BidAnswer) -> str:
    best = answer.best
    if len(answer.actions) < 2:
        return "Pass: no higher bid is left."
    value = f"{best.score.mean:+.2f} points against the mean of the others"
    if best.win is not None:
        value = f"wins the game {percent(best.win.mean)} of the time"
    return f"{answer.verdict} {call_symbol(best.call).capitalize()}: {value}."


def _defending(defending: Defending) -> str:
    """Return the score of defending against the standing bid, in a sentence."""
    return (
        f"Defending against {call_symbol(defending.call)} as it stands makes {defending.score.mean:+.2f} points "
        f"({_interval(defending.score)}): the player on your {defending.by} makes it "
        f"{percent(defending.make)} of the time."
    )


def _calls(answer: BidAnswer) -> Table:
    wins = answer.scores is not None
    names = ("wins", "95 %", "points") if wins else ("points", "95 %")
    rows = table("call", *names, "costs", "makes it", "you play", "you defend", "kitties")
    for action, alternative in zip(answer.ranked[:SHOWN], answer.decision.alternatives, strict=False):
        points = f"{action.score.mean:+.2f}"
        win = action.win
        values: tuple[str, ...] = (points, _interval(action.score))
        if win is not None:
            values = (percent(win.mean), f"{percent(win.low)} to {percent(win.high)}", points)
        made = "" if action.make is None else percent(action.make)
        cost = answer.decision.scale.words(alternative.cost.mean) if alternative.cost.mean else ""
        seats = percent(action.declares), percent(action.defends)
        rows.add_row(call_symbol(action.call), *values, cost, made, *seats, str(action.score.n))
    if len(answer.actions) > SHOWN:
        rows.add_row(f"and {len(answer.actions) - SHOWN} more")
    return rows


def _tricks(answer: BidAnswer) -> Table:
    """Return P(exactly t tricks) by trump."""
    rows = table("trump", *(str(tricks) for tricks in range(answer.tricks.shape[1])))
    for row in (*range(NO_TRUMP - 1, -1, -1), NO_TRUMP, MISERE_STRAIN):
        name = "misère" if row == MISERE_STRAIN else suit(row)
        cells = [f"{100 * share:.0f} %" if share else "·" for share in answer.tricks[row]]
        rows.add_row(name, *(["not looked at"] if np.isnan(answer.tricks[row, 0]) else cells))
    return rows


def _one_of_each(answer: BuryAnswer) -> tuple[list[Bury], dict[int, int]]:
    """Yield the first bury of every class of equivalent ones, and how many more it has."""
    alike = [list(same) for _, same in itertools.groupby(answer.buries, lambda bury: bury.same_as)]
    return [first for first, *_ in alike], {first.cards: len(more) for first, *more in alike}


def _interval(estimate: Estimate) -> str:
    return interval(estimate, "+.2f")
