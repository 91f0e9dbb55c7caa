"""How are the answers of Tower War shown in a terminal?

Example:
    towerlab step tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"
"""

from rich.console import Group, RenderableType
from rich.text import Text

from towerlab.analysis.decision import SCALES
from towerlab.analysis.present import cards, percent, table
from towerlab.analysis.tower_war.battle import MODEL, BattleAnswer, BattleStep
from towerlab.analysis.tower_war.drafting import MODEL_NAME, BuildAnswer, PickAnswer, SplitAnswer
from towerlab.analysis.tower_war.move import MODEL as MOVE_MODEL
from towerlab.analysis.tower_war.move import MoveAnswer
from towerlab.games.cards import card_symbol

_VALUES = ("P(I win the war)", f"costs, {SCALES['tower-war'].short}", "verdict")
_WHO = {"me": "I", "them": "they", "tie": "nobody", None: "nobody"}


def battle_report(step: BattleStep) -> Group:
    """Return the text of a battle: its skirmishes and its loser."""
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
    """Return the text of an answer about a battle: how to begin it, the value of each card, and the model."""
    known = answer.pairs == 1
    led = answer.leader == "them"
    rows = table(*(["they lead"] if led else []), "my card", "how often", *_VALUES)
    options = [(decision, option) for decision in answer.decisions for option in decision.alternatives]
    for play, (decision, option) in zip(answer.plays, options, strict=True):
        how_often = *([_card(play.led)] if led else []), _card(play.card), percent(play.mix)
        rows.add_row(*how_often, percent(play.win), decision.scale.cost_cell(option.cost), decision.word(option))
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
    """Return the text of an answer about a play: each card or size with the chance to win, and how it was found."""
    decision = answer.decision
    head = "size" if answer.decides == "size" else "card"
    rows = table(head, *_VALUES, texts=1)
    for play, option in zip(answer.plays, decision.alternatives, strict=True):
        cost = decision.scale.cost_cell(option.cost)
        rows.add_row(play.words, percent(play.win), cost, decision.word(option))
    sentence = decision.sentence or f"Best: {decision.best.text}, the only choice."
    known = "the hand that they hold" if answer.hands == 1 else f"all {answer.hands:,} hands that they can hold"
    return Group(sentence, rows, f"Counted  {known}", f"Model    {MOVE_MODEL}")


def _card(shown: int | None) -> str:
    return "–" if shown is None else card_symbol(shown)


def split_report(answer: SplitAnswer) -> Group:
    """Return the text of an answer about a split: the divisions of five cards, the best first."""
    decision = answer.decision
    rows = table("division", "value", "value", "they take", "P(I win)", f"costs, {decision.scale.short}", "verdict")
    for split, option in zip(answer.splits, decision.alternatives, strict=True):
        rows.add_row(
            split.words, *(f"{1000 * value:+.0f}" for value in split.pile_gains), ("first", "second")[split.take],
            percent(split.value), decision.scale.cost_cell(option.cost), decision.word(option),
        )  # fmt: skip
    model = f"Round {answer.round}. Values in 0.001 of P(win the war). Model: {MODEL_NAME}."
    return Group(decision.sentence, rows, model)


def pick_report(answer: PickAnswer) -> Group:
    """Return the text of an answer about a pick: the value of each pile."""
    decision = answer.decision
    rows = table("pile", "P(I win)", f"costs, {decision.scale.short}", "verdict")
    for option in decision.alternatives:
        pile = option.text.removeprefix("take ")
        rows.add_row(pile, percent(option.value / 100), decision.scale.cost_cell(option.cost), decision.word(option))
    return Group(decision.sentence, rows, f"Round {answer.round}. Model: {MODEL_NAME}.")


def build_report(answer: BuildAnswer) -> Group:
    """Return the text of an answer about a deck: its cards, and those left out."""
    how = "all of them looked at" if answer.exact else "a search by swaps"
    return Group(
        f"Deck   {cards(answer.deck)}",
        f"Unused {cards(answer.unused)}",
        f"Found among {answer.subsets:,} decks, {how}; by the model it beats the deck of most points in "
        f"{percent(answer.beats_points)} of wars.",
        f"Model: {MODEL_NAME}.",
    )
