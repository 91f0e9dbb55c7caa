"""The answer to "which card?" as people read it: a sentence, a row a card, three lines on how it was found."""

from rich.console import Group

from towerlab.analysis.claims.asking import claimable
from towerlab.analysis.moves.answers import MoveAnswer
from towerlab.analysis.present import percent, table


def move_report(answer: MoveAnswer) -> Group:
    """Return which card to play, the value of every card, and why."""
    decision = answer.decision
    sentence = decision.sentence or f"Play {answer.best.symbol}: it is the only card you may play."
    if answer.mix:
        sentence = f"Mix {answer.mix}."
    values = "tower" if answer.unit == "tower" else "points"
    rows = table("card", values, "makes", f"costs, {decision.scale.short}", "verdict", "why", texts=1)
    for column in rows.columns[-2:]:
        column.justify = "left"
    for play, card in zip(answer.plays, decision.alternatives, strict=True):
        value = percent(play.value) if answer.unit == "tower" else f"{play.value:+.2f}"
        cost = decision.scale.cost_cell(card.cost)
        rows.add_row(play.symbol, value, percent(play.make), cost, decision.label(card), play.reason)
    counted = "the one layout" if answer.layouts == 1 else f"all {answer.layouts:,} layouts"
    if not answer.exact:
        counted = f"{answer.counted:,} of {answer.layouts:,} layouts, drawn with seed {answer.seed}"
    if answer.is_played_out:
        counted = answer.basis.removeprefix("sampled: ")
    claim = claimable(answer.knowledge, answer.sure)
    last = [f"Claim    {claim}"] if claim else []
    return Group(sentence, "", rows, "", f"Counted  {counted}", f"Model    {answer.model}", *last)
