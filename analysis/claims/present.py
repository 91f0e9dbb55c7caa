"""How is the verdict on a claim shown? As a sentence, then the line that proves it or its refutation.

Example:
    towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5
"""

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table

from towerlab.analysis.claims.answers import (
    ClaimAnswer,
    ConcessionAnswer,
    hidden_hands,
    line_tricks,
    printed_line,
    printed_play,
)
from towerlab.analysis.player_knowledge import Knowledge
from towerlab.analysis.present import cards, number_of, table
from towerlab.games.engine import require
from towerlab.games.written import play_symbol
from towerlab.solver.claims.explanation import Branch, Leaf, Refutation
from towerlab.solver.claims.judging import HiddenHands

MOST_TREE_LINES = 24


def claim_report(answer: ClaimAnswer) -> Group:
    """Return the text of an answer about a claim: whether it is sound, and its proof or refutation."""
    parts: list[RenderableType] = [_claim_sentence(answer)]
    if len(set(answer.plays.values())) > 1:
        parts.append(_plays_sentence(answer.plays))
    if answer.line is not None and answer.line:
        parts += ["\nIf they resist as long as they can:", line_table(answer.knowledge, answer.line)]
    if answer.refutation is not None:
        parts += _refutation_parts(answer, answer.refutation)
    return Group(*parts)


def concession_report(answer: ConcessionAnswer) -> Group:
    """Return the text of an answer about a concession: whether it gives anything away."""
    exact = f"({_layouts(answer)}, exact)"
    if answer.sound is None:
        return Group(f"Not settled in {answer.limit:,} positions: somebody may still give you a trick.")
    if answer.sound:
        most = "no trick" if answer.high == 0 else f"at most {answer.high} of {answer.remaining} tricks"
        return Group(f"Sound: however the cards lie and whatever is played, you get {most} {exact}.")
    conceded = number_of(answer.claim, "trick")
    possible = number_of(answer.possible, "trick")
    parts: list[RenderableType] = [
        f"Not sound: you give up {conceded} of {answer.remaining}, yet {possible} can still fall to you {exact}."
    ]
    if answer.best_play_takes_all:
        parts.append("Still, however the cards lie, their best play takes them all.")
    if answer.given is not None and answer.given.layout is not None:
        parts += _example(answer.given, answer.knowledge, "For example, if ", ":")
    return Group(*parts)


def _claim_sentence(answer: ClaimAnswer) -> str:
    against = f"against {_layouts(answer)}"
    if answer.knowledge.misere:
        return _misere_sentence(answer, against)
    claimed = f"you claim {answer.claim} of {answer.remaining}"
    known = f"{answer.low} are certain" if answer.low != 1 else "1 is certain"
    if answer.sound:
        bound = "" if answer.low == answer.high else "at least "
        taken = f"you take {bound}{answer.low} of {answer.remaining} {against}"
        more = f"; you claim {answer.claim}" if answer.low > answer.claim else ""
        return f"Sound: {taken} ({'proved' if bound else 'exact'}){more}."
    if answer.sound is None:
        return f"Not settled in {answer.limit:,} positions: {claimed}, {known} {against}; do not claim it."
    sure = "none is certain" if answer.low == 0 else f"only {known}"
    open_end = "" if answer.low == answer.high else f" at least, {answer.high} at most"
    return f"Not sound: {claimed}, but {sure}{open_end} {against} (exact)."


def _misere_sentence(answer: ClaimAnswer, against: str) -> str:
    of = f"of {answer.remaining}"
    if answer.is_upper:
        claimed = f"you claim to take at most {answer.claim} {of}"
        fact = f"you can be forced to take {answer.guaranteed}"
        sound = f"you take no more than {answer.guaranteed} {of} {against}"
    else:
        claimed = f"you claim that declarer takes {answer.claim} {of}"
        fact = f"only {answer.guaranteed} can be forced"
        sound = f"declarer takes at least {answer.guaranteed} {of} {against}"
    if answer.sound:
        return f"Sound: {sound} (exact)."
    if answer.sound is None:
        return f"Not settled in {answer.limit:,} positions: {claimed}; do not claim it."
    return f"Not sound: {claimed}, but {fact} {against} (exact)."


def _plays_sentence(plays: Mapping[int, int]) -> str:
    """Return the tricks that each play still guarantees, best first."""
    groups = []
    for value in sorted(set(plays.values()), reverse=True):
        same = [play_symbol(play) for play, tricks in plays.items() if tricks == value]
        groups.append(f"{' '.join(same)} {'keeps' if len(same) == 1 else 'keep'} {value}")
    return f"{', '.join(groups)}."


def _refutation_parts(answer: ClaimAnswer, refutation: Refutation) -> list[RenderableType]:
    knowledge = answer.knowledge
    layout = "hand" if answer.knowledge.belief.is_two_handed else "layout"
    if refutation.layout is None:
        return [
            f"\nNo single layout that was tried beats it, but whatever you play, some layout does. The tree is too "
            f"large to read; the search went through {answer.nodes:,} positions (--certificate writes it)."
        ]
    if refutation.tree is None:
        going = ", best play goes" if refutation.line else ", no play of yours takes as many"
        return _example(refutation, knowledge, f"One {layout} is enough: if ", going)
    return [
        f"\nNo single {layout} beats the claim, but you have to guess; whatever you play, some {layout} beats it:",
        *tree_lines(refutation.tree, knowledge),
        *_example(refutation, knowledge, "For example, if ", ":"),
    ]


def _example(refutation: Refutation, knowledge: Knowledge, before: str, after: str) -> list[RenderableType]:
    """Return a layout and its line of play."""
    line = [line_table(knowledge, printed_line(refutation.line, knowledge))] if refutation.line else []
    return [f"\n{before}{_hands(require(refutation.layout), knowledge)}{after}", *line]


def _hands(layout: HiddenHands, knowledge: Knowledge) -> str:
    """Return ``left holds ♠Q ♥J and right ♣8 ♣7``."""
    seating = knowledge.seating
    texts = [
        f"{seating.called(seat)} {'holds ' * (not place)}{cards(hand, knowledge.trump, seating.bowers) or 'nothing'}"
        for place, (seat, hand) in enumerate(hidden_hands(layout, knowledge).items())
    ]
    return " and ".join(texts)


def line_table(knowledge: Knowledge, line: Iterable[int]) -> Table:
    """Return a row a trick: the cards in order of play with their seats, and the seat that takes it."""
    seats = len(knowledge.seating.seats)
    rows = table("trick", "lead", *(["reply"] if seats == 2 else [""] * (seats - 1)), "taken by")
    for number, trick in enumerate(line_tricks(knowledge, line), 1):
        names = (_name(knowledge, (trick.leader + place) % seats) for place in range(seats))
        shown = [f"{name} {play_symbol(play)}" for name, play in zip(names, trick.cards, strict=True)]
        rows.add_row(str(number), *shown, _name(knowledge, trick.taker))
    return rows


def _name(knowledge: Knowledge, seat: int) -> str:
    return "you" if seat == knowledge.role else knowledge.seating.called(seat).removeprefix("the ")


def tree_lines(tree: Branch, knowledge: Knowledge) -> list[str]:
    """Return the first lines of a tree, and how many more there are."""
    lines = list(_branch_lines(tree, knowledge, "  "))
    rest = len(lines) - MOST_TREE_LINES
    return lines if rest <= 0 else [*lines[:-rest], f"  … and {rest} more lines; --json has the whole tree"]


def _branch_lines(branch: Branch, knowledge: Knowledge, indent: str) -> Iterator[str]:
    if branch.others:
        yield f"{indent}they play {' '.join(map(play_symbol, printed_line(branch.others, knowledge)))}"
    for play, after in branch.you.items():
        yours = f"{indent}you {play_symbol(printed_play(play, knowledge))}:"
        if isinstance(after, Leaf):
            yield f"{yours} {_hands(after.layout, knowledge) if any(after.layout) else 'falls short'}"
        else:
            yield yours
            yield from _branch_lines(after, knowledge, indent + "    ")


def _layouts(answer: ClaimAnswer | ConcessionAnswer) -> str:
    single, many = (
        ("hand", "hands the opponent can hold") if answer.knowledge.belief.is_two_handed else ("layout", "layouts")
    )
    return f"the one {single} left" if answer.layouts == 1 else f"all {answer.layouts:,} {many}"
