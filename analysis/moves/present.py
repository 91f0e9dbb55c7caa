"""The answer to "which card?" as people read it: a sentence, a row a card, three lines on how it was found."""

from __future__ import annotations

from rich.console import Group

from towerlab.analysis.claims.advising import claimable
from towerlab.analysis.moves.answers import MoveAnswer, RankedCard
from towerlab.analysis.present import percent, table


def move_report(answer: MoveAnswer) -> Group:
    """Return which card to play, the value of every card, and why."""
    best = answer.best
    rest = [play for play in answer.plays[1:] if play not in answer.same]
    tried = "rollouts" if answer.is_played_out else "layouts"
    same = ", ".join(play.symbol for play in answer.same)
    also = f"; {same} {'wins' if len(answer.same) == 1 else 'win'} as much" if same else ""
    if answer.mix:
        sentence = f"Mix {answer.mix}."
    elif len(answer.plays) == 1:
        sentence = f"Play {best.symbol}: it is the only card you may play."
    elif not rest:
        sentence = "Play any card: they all win as much."
    elif rest[0].loss.low <= 0:
        sentence = f"Play {best.symbol}{also}; {rest[0].symbol} is too close to call in {answer.counted:,} {tried}."
    else:
        sentence = f"Play {best.symbol}{also}."
    gives = "gives away" if answer.unit == "tower" else "costs, points"
    rows = table("card", "tower" if answer.unit == "tower" else "points", "makes", gives, "why", texts=1)
    rows.columns[-1].justify = "left"
    for play in answer.plays:
        value = percent(play.value) if answer.unit == "tower" else f"{play.value:+.2f}"
        rows.add_row(play.symbol, value, percent(play.make), _cost(answer, play), play.reason)
    counted = "the one layout" if answer.layouts == 1 else f"all {answer.layouts:,} layouts"
    if not answer.exact:
        counted = f"{answer.counted:,} of {answer.layouts:,} layouts, drawn with seed {answer.seed}"
    if answer.is_played_out:
        counted = answer.basis.removeprefix("sampled: ")
    claim = claimable(answer.knowledge, answer.sure)
    last = [f"Claim    {claim}"] if claim else []
    return Group(sentence, "", rows, "", f"Counted  {counted}", f"Model    {answer.model}", *last)


def _cost(answer: MoveAnswer, play: RankedCard) -> str:
    """Return what a card gives away, with its interval where layouts were drawn."""
    if play is answer.best or play.loss.mean == 0:
        return "–"
    scale, form = (100.0, "{:.1f}") if answer.unit == "tower" else (1.0, "{:.2f}")
    mean, low, high = (form.format(scale * part) for part in play.loss[:3])
    return mean if play.loss.low == play.loss.high else f"{mean} ({low} to {high})"
