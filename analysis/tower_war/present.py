"""The answers of Tower War in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis.present import card, cards, percent, table
from towerlab.analysis.tower_war.battle import MODEL, BattleAnswer
from towerlab.analysis.tower_war.drafting import MODEL_NAME, BuildAnswer, PickAnswer, Split, SplitAnswer
from towerlab.analysis.tower_war.move import MODEL as MOVE_MODEL
from towerlab.analysis.tower_war.move import MoveAnswer
from towerlab.analysis.tower_war.step import BattleStep
from towerlab.games.cards import parse_card
from towerlab.games.tower_war.tower import SIZE_LETTERS

_WHO = {"me": "I", "them": "they", "tie": "nobody", None: "nobody"}


def battle_report(step: BattleStep) -> Group:
    """Show the skirmishes of a battle and its loser."""
    rows = table("skirmish", "mine", "value", "theirs", "value", "won by", "adds a pyramid")
    for number, skirmish in enumerate(step.skirmishes, 1):
        rows.add_row(
            str(number), _card(skirmish.my_card), str(skirmish.mine), _card(skirmish.their_card), str(skirmish.theirs),
            _WHO[skirmish.winner], _WHO[skirmish.adds],
        )  # fmt: skip
    totals = f"Totals: mine {step.my_total}, theirs {step.their_total}."
    endings = {
        "me": "I lose the battle: I fill the level to three pyramids and stack one of my cards.",
        "them": "They lose the battle: they fill the level to three pyramids and stack one of their cards.",
        "tie": "A tie: all pyramids of this battle go back to their owners, no card is stacked.",
    }
    return Group(rows, Text(f"{totals} {endings[step.loser]}"))


def equilibrium_report(answer: BattleAnswer) -> Group:
    """Show how to begin a battle, the value of each card, and the model."""
    known = answer.pairs == 1
    led = answer.leader == "them"
    parts: list[RenderableType]
    rows = table(*(["they lead"] if led else []), "my card", "how often", "P(I win the war)")
    for play in answer.plays:
        rows.add_row(*([_card(play.led)] if led else []), card(play.card), percent(play.mix), percent(play.win))
    theirs = "They hold " if known else "They hold three of "
    chance = percent(answer.win)
    begin: RenderableType = Text.assemble(
        "I lead ", card(answer.plays[0].card), f" and win the war {chance} of the time."
    )
    if led:
        begin = f"They lead; by the answers below I win the war {chance} of the time."
    parts = [Text.assemble("I hold ", cards(answer.mine), ". ", theirs, cards(answer.theirs), "."), begin, rows]
    if answer.options is not None and answer.options.advanced:
        parts.append(f"Cards in the tower: {answer.levels}.")
    if answer.line is not None:
        parts.append(f"A line of best play, in the order played: {' '.join(answer.line)}.")
    how = "exact: both hands seen, every continuation counted."
    if not known:
        seen = f"Seeing both hands I would win {percent(answer.seen)}"
        if answer.planned is not None:
            seen += f"; with one plan against somebody who sees my hand {percent(answer.planned)}"
        parts.append(f"{seen}.")
        gain = f"{1000 * answer.exploitability:.3f} thousandths of a war"
        how = f"equilibrium over {answer.pairs:,} pairs of hands; best responses gain {gain} a side."
    return Group(*parts, Text(f"{how} Model: {MODEL}.", style="dim"))


def move_report(answer: MoveAnswer) -> Group:
    """Show each card or size, the chance to win after it, and how it was found."""
    rows = table("size" if answer.decides == "size" else "card", "P(I win the war)", "costs, points", texts=1)
    for play in answer.plays:
        rows.add_row(_option(play.play), percent(play.win), f"{100 * play.cost:.1f}" if play.cost else "–")
    advice = Text("Add a pyramid of size " if answer.decides == "size" else "Play ").append(_option(answer.recommend))
    known = "the hand that they hold" if answer.hands == 1 else f"all {answer.hands:,} hands that they can hold"
    return Group(advice.append("."), rows, Text(f"Counted  {known}"), Text(f"Model    {MOVE_MODEL}"))


def _option(play: str) -> Text:
    name, _, copied = play.partition(":")
    if name in tuple(SIZE_LETTERS):
        return Text(name)
    shown = card(parse_card(name))
    return shown.append(" as ").append(card(parse_card(copied))) if copied else shown


def _card(shown: int | None) -> Text:
    return Text("–") if shown is None else card(shown)


def split_report(answer: SplitAnswer) -> Group:
    """Show the divisions of five cards, the best first."""
    rows = table("first pile", "second pile", "value", "value", "they take", "P(I win)")
    for split in answer.splits:
        first, second = (_pile(split, pile) for pile in (0, 1))
        rows.add_row(
            first, second, *(f"{1000 * value:+.0f}" for value in split.worths),
            ("first", "second")[split.take], percent(split.value),
        )  # fmt: skip
    best = answer.splits[0]
    advice = Text.assemble("Split ", _pile(best, 0), "  |  ", _pile(best, 1))
    return Group(advice, rows, Text(f"Round {answer.round}. Values in 0.001 of P(win the war). Model: {MODEL_NAME}."))


def pick_report(answer: PickAnswer) -> Group:
    """Show the value of each pile."""
    rows = table("pile", "P(I win)")
    for pile, value in zip(answer.piles, answer.values, strict=True):
        rows.add_row(cards(pile), percent(value))
    advice = Text.assemble("Take ", cards(answer.piles[answer.take]), f", by {1000 * answer.margin:.0f} thousandths.")
    return Group(advice, rows, Text(f"Round {answer.round}. Model: {MODEL_NAME}."))


def build_report(answer: BuildAnswer) -> Group:
    """Show the deck and the cards left out."""
    how = f"exact, all {answer.subsets:,} decks" if answer.exact else f"by search among {answer.subsets:,} decks"
    return Group(
        Text.assemble("Deck   ", cards(answer.deck)),
        Text.assemble("Unused ", cards(answer.pool & ~answer.deck)),
        Text(f"Found {how}; beats the deck of most points in {percent(answer.beats_points)} of wars."),
        Text(f"Model: {MODEL_NAME}."),
    )


def _pile(split: Split, pile: int) -> Text:
    text = cards(split.piles[pile])
    if any(split.pyramids) and split.pyramid_pile == pile:
        text = text + Text(" + " + "".join(n * letter for n, letter in zip(split.pyramids, SIZE_LETTERS, strict=True)))
    return text
