"""What people see of a claim or a concession: a sentence, then the line that proves it or what refutes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis.claims.present import count_tricks, shown_tree
from analysis.present import card, cards, table
from analysis.towers_and_bowers.claims import ClaimAnswer, ConcessionAnswer
from analysis.towers_and_bowers.claims.answers import printed_card, printed_line
from analysis.towers_and_bowers.claims.position import Position
from games.cards import to_play_order, to_printed
from solver.claims.refutation import Branch, Leaf, Refutation
from solver.claims.two_hands import CLAIMANT


def report(answer: ClaimAnswer | ConcessionAnswer) -> Group:
    """The answer for people."""
    return claim_report(answer) if isinstance(answer, ClaimAnswer) else concession_report(answer)


def claim_report(answer: ClaimAnswer) -> Group:
    """Whether a claim is sound, and the proof or the refutation."""
    parts: list[RenderableType] = [_claim_sentence(answer)]
    if len(set(answer.plays.values())) > 1:
        parts.append(_plays_sentence(answer.plays))
    if answer.line is not None:
        parts += [Text("\nIf the opponent resists as long as he can:"), _line_table(answer.position, answer.line)]
    if answer.refutation is not None:
        parts += _refutation_parts(answer.position, answer.refutation)
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
        parts += [Text("\nFor example, if he holds ") + held + Text(":"), _line_table(answer.position, answer.line)]
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


def _refutation_parts(position: Position, refutation: Refutation) -> list[RenderableType]:
    held = cards(int(to_printed(refutation.layout, position.trump, True)), position.trump, bowers=True)
    line = _line_table(position, printed_line(refutation.line, position.trump))
    if refutation.tree is None:
        return [Text("\nOne hand is enough: if the opponent holds ") + held + Text(", best play goes"), line]
    return [
        Text("\nNo single hand beats the claim, but you have to guess; whatever you play, some hand beats it:"),
        *shown_tree(_branch_lines(refutation.tree, position.trump, "  ")),
        Text("\nFor example, with ") + held + Text(" against you:"),
        line,
    ]


# ---------------------------------------------------------------------------------------------------------- lines


def _line_table(position: Position, line: Iterable[int]) -> Table:
    """A row a trick: who leads what, what the other plays, who takes it."""
    rows = table("trick", "lead", "reply", "taken by")
    belief = position.belief
    lead = Text("" if position.led is None else _WHO[1 - belief.turn])
    if position.led is not None:
        lead += Text(" ") + card(position.led)
    number = 1
    for one in line:
        turn = belief.turn
        shown = Text(f"{_WHO[turn]} ") + card(one)
        belief, _ = belief.after(int(to_play_order(1 << one, position.trump, True)))
        if belief.led:
            lead = shown
        else:
            rows.add_row(str(number), lead, shown, _WHO[belief.turn])
            number += 1
    return rows


def _branch_lines(branch: Branch, trump: int, indent: str) -> Iterator[Text]:
    if branch.opponent:
        yield Text(f"{indent}he plays ") + _cards_in_order(branch.opponent, trump)
    for play, after in branch.you.items():
        yours = Text(f"{indent}{_WHO[CLAIMANT]} ") + card(printed_card(play, trump))
        if isinstance(after, Leaf):
            held = cards(int(to_printed(after.layout, trump, True)), trump, bowers=True)
            yield yours + (Text(": falls short") if not after.layout else Text(": he holds ") + held)
        else:
            yield yours + Text(":")
            yield from _branch_lines(after, trump, indent + "    ")


def _cards_in_order(plays: Iterable[int], trump: int) -> Text:
    return Text(" ").join(card(one) for one in printed_line(plays, trump))


_WHO = ("you", "he")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
