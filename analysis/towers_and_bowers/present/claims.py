"""What people see of a claim or a concession: a sentence, then the line that proves it or what refutes it."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.claims.answers import hidden_hands, printed_line
from analysis.claims.knowledge import Knowledge
from analysis.claims.present import count_tricks, line_table, shown_tree
from analysis.present import card, cards
from analysis.towers_and_bowers.claims import ClaimAnswer, ConcessionAnswer
from solver.claims.explanation import Refutation


def report(answer: ClaimAnswer | ConcessionAnswer) -> Group:
    """The answer for people."""
    return claim_report(answer) if isinstance(answer, ClaimAnswer) else concession_report(answer)


def claim_report(answer: ClaimAnswer) -> Group:
    """Whether a claim is sound, and the proof or the refutation."""
    known = answer.position.general
    parts: list[RenderableType] = [_claim_sentence(answer)]
    if len(set(answer.plays.values())) > 1:
        parts.append(_plays_sentence(answer.plays))
    if answer.line is not None:
        parts += [Text("\nIf the opponent resists as long as he can:"), line_table(known, answer.line)]
    if answer.refutation is not None:
        parts += _refutation_parts(known, answer.refutation)
    return Group(*parts)


def concession_report(answer: ConcessionAnswer) -> Group:
    """Whether a concession gives anything away."""
    exact = f"({answer.layouts:,} hands he can hold, exact)"
    if answer.sound:
        most = "no trick" if answer.possible == 0 else f"more than {answer.possible} of {answer.remaining} tricks"
        verb = "can give you" if answer.possible == 0 else "cannot give you"
        return Group(Text(f"Sound: whatever the opponent holds and plays, he {verb} {most} {exact}."))
    parts: list[RenderableType] = [
        Text(
            f"Not sound: you give up {count_tricks(answer.claim)} of {answer.remaining}, "
            f"yet {count_tricks(answer.possible)} can still fall to you {exact}."
        )
    ]
    if answer.best_play_takes_all:
        parts.append(Text("Still, whatever he holds, the opponent's best play takes them all."))
    if answer.layout is not None and answer.line is not None:
        held = cards(answer.layout, answer.position.trump, bowers=True)
        parts += [
            Text("\nFor example, if he holds ") + held + Text(":"),
            line_table(answer.position.general, answer.line),
        ]
    return Group(*parts)


def _claim_sentence(answer: ClaimAnswer) -> Text:
    hands = "the one hand" if answer.layouts == 1 else f"all {answer.layouts:,} hands"
    against = f"against {hands} the opponent can hold (exact)"
    if answer.sound:
        more = f"; you claim {answer.claim}" if answer.guaranteed > answer.claim else ""
        return Text(f"Sound: you take {answer.guaranteed} of {answer.remaining} {against}{more}.")
    sure = "none is" if answer.guaranteed == 0 else f"only {answer.guaranteed} {_are(answer.guaranteed)}"
    return Text(f"Not sound: you claim {answer.claim} of {answer.remaining}, but {sure} certain {against}.")


def _plays_sentence(plays: Mapping[int, int]) -> Text:
    """What each play still guarantees, best first."""
    groups = []
    for value in sorted(set(plays.values()), reverse=True):
        same = Text(" ").join(card(one) for one, tricks in plays.items() if tricks == value)
        groups.append(same + Text(f" {'keeps' if len(same.plain.split()) == 1 else 'keep'} {value}"))
    return Text(", ").join(groups) + Text(".")


def _refutation_parts(knowledge: Knowledge, refutation: Refutation) -> list[RenderableType]:
    assert refutation.layout is not None
    held = cards(hidden_hands(refutation.layout, knowledge)[1], knowledge.trump, bowers=True)
    line = line_table(knowledge, printed_line(refutation.line, knowledge))
    if refutation.tree is None:
        return [Text("\nOne hand is enough: if the opponent holds ") + held + Text(", best play goes"), line]
    return [
        Text("\nNo single hand beats the claim, but you have to guess; whatever you play, some hand beats it:"),
        *shown_tree(refutation.tree, knowledge),
        Text("\nFor example, with ") + held + Text(" against you:"),
        line,
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
