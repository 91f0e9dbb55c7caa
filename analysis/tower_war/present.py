"""The answers of Tower War in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis.present import cards, percent, table
from towerlab.analysis.tower_war.battle import MODEL, BattleAnswer
from towerlab.analysis.tower_war.drafting import MODEL_NAME, BuildAnswer, PickAnswer, Split, SplitAnswer
from towerlab.analysis.tower_war.move import MODEL as MOVE_MODEL
from towerlab.analysis.tower_war.move import MoveAnswer
from towerlab.analysis.tower_war.step import BattleStep
from towerlab.games.cards import card_symbol, parse_card
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
    return Group(rows, f"{totals} {endings[step.loser]}")


def equilibrium_report(answer: BattleAnswer) -> Group:
    """Show how to begin a battle, the value of each card, and the model."""
    known = answer.pairs == 1
    led = answer.leader == "them"
    rows = table(*(["they lead"] if led else []), "my card", "how often", "P(I win the war)")
    for play in answer.plays:
        rows.add_row(*([_card(play.led)] if led else []), _card(play.card), percent(play.mix), percent(play.win))
    begin = "They lead; by the answers below I" if led else f"I lead {_card(answer.plays[0].card)} and"
    held = f"I hold {cards(answer.mine)}. They hold {'' if known else 'three of '}{cards(answer.theirs)}."
    parts: list[RenderableType] = [held, f"{begin} win the war {percent(answer.win)} of the time.", rows]
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
    advice = f"{'Add a pyramid of size' if answer.decides == 'size' else 'Play'} {_option(answer.recommend)}."
    known = "the hand that they hold" if answer.hands == 1 else f"all {answer.hands:,} hands that they can hold"
    return Group(advice, rows, f"Counted  {known}", f"Model    {MOVE_MODEL}")


def _option(play: str) -> str:
    return play if play in tuple(SIZE_LETTERS) else " as ".join(_card(parse_card(card)) for card in play.split(":"))


def _card(shown: int | None) -> str:
    return "–" if shown is None else card_symbol(shown)


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
    advice = f"Split {_pile(best, 0)}  |  {_pile(best, 1)}"
    return Group(advice, rows, f"Round {answer.round}. Values in 0.001 of P(win the war). Model: {MODEL_NAME}.")


def pick_report(answer: PickAnswer) -> Group:
    """Show the value of each pile."""
    rows = table("pile", "P(I win)")
    for pile, value in zip(answer.piles, answer.values, strict=True):
        rows.add_row(cards(pile), percent(value))
    advice = f"Take {cards(answer.piles[answer.take])}, by {1000 * answer.margin:.0f} thousandths."
    return Group(advice, rows, f"Round {answer.round}. Model: {MODEL_NAME}.")


def build_report(answer: BuildAnswer) -> Group:
    """Show the deck and the cards left out."""
    how = f"exact, all {answer.subsets:,} decks" if answer.exact else f"by search among {answer.subsets:,} decks"
    return Group(
        f"Deck   {cards(answer.deck)}",
        f"Unused {cards(answer.unused)}",
        f"Found {how}; beats the deck of most points in {percent(answer.beats_points)} of wars.",
        f"Model: {MODEL_NAME}.",
    )


def _pile(split: Split, pile: int) -> str:
    pyramids = "".join(n * letter for n, letter in zip(split.pyramids, SIZE_LETTERS, strict=True))
    return cards(split.piles[pile]) + f" + {pyramids}" * bool(pyramids and split.pyramid_pile == pile)
