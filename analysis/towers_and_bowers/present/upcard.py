"""The answers of `upcard` and `solve towers-and-bowers` for people."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from analysis import present
from analysis.towers_and_bowers.open_hands import OpenHands
from analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND
from analysis.towers_and_bowers.solutions.model_error import WIDEST
from analysis.towers_and_bowers.upcard.answers import ACCEPT, HARDLY_EVER, PASS, ContractValue, Mix, UpcardAnswer
from games.cards import SUITS, parse_card, suit_of

_CLOSE = 0.005  # a lead below half a percent point is called close


def upcard_report(answer: UpcardAnswer) -> RenderableType:
    """The sentence that answers the question, the actions, the contracts, and how the numbers were got."""
    question = Text.assemble(
        "You hold ",
        present.cards(answer.hand, suit_of(answer.up), bowers=True),
        ", the up-card is ",
        present.card(answer.up),
        ", you are the ",
        "dealer" if answer.seat == "dealer" else "non-dealer",
        ".",
    )
    return Group(question, "", _sentence(answer), "", _actions(answer), "", _contracts(answer), "", _method(answer))


def _sentence(answer: UpcardAnswer) -> Text:
    best = answer.recommend
    if answer.mix is not None and len(answer.mix.made) > 1:
        return _mixed_sentence(answer, answer.mix)
    names = [name for name in answer.actions if name != best]
    if not names:
        return Text("Only one call is possible.")
    second = max(names, key=answer.tower)
    lead = answer.tower(best) - answer.tower(second)
    if answer.too_close:
        weight = "too close for the model, before"
    elif lead == 0:
        weight = "no better and no worse than to"
    elif lead < _CLOSE:
        weight = "a close call, before"
    else:
        weight = "rather than"
    verb = {ACCEPT: "Accept", PASS: "Pass"}.get(best)
    made = Text(verb or "Name ", style="bold")
    if verb is None:
        made.append(present.suit(SUITS.index(best)))
    value = answer.actions[best]
    if isinstance(value, ContractValue) and value.discard:
        made.append(" and discard ").append(present.card(parse_card(value.discard)))
    won = present.percent(answer.tower(best))
    rest = (
        f": it wins the tower {won} of the time, {weight} {_words(second)} ({present.percent(answer.tower(second))})."
    )
    return made.append(rest, style="not bold")


def _mixed_sentence(answer: UpcardAnswer, mix: Mix) -> Text:
    parts = [f"{_words(name)} {present.percent(mix.probabilities[name])}" for name in mix.made]
    text = Text("Mix: ", style="bold").append(" and ".join(parts) + " of the time.", style="not bold")
    cost = max(mix.costs[name] for name in mix.made)
    won = present.percent(answer.tower(answer.recommend))
    words = f" Either call wins the tower {won} of the time, within {1000 * cost:.1f} mt"
    close = " Too close for the model." if answer.too_close else ""
    return text.append(words + f": the other must not know which.{close}", style="not bold")


def _at_odd_sizes(answer: UpcardAnswer) -> str:
    """What is so of every first call of a non-dealer with an odd number of cards."""
    if answer.mix is None or answer.seat == "dealer" or answer.second_round or answer.cards % 2 == 0:
        return ""
    return (
        " With an odd number of cards a pass gains nothing against best play: somebody has the majority whoever bids,"
        " and the dealer can accept."
    )


def _words(action: str) -> str:
    return {ACCEPT: "accept", PASS: "pass"}.get(action) or f"name {present.suit(SUITS.index(action))}"


def _actions(answer: UpcardAnswer) -> RenderableType:
    mix = answer.mix.probabilities if answer.mix is not None and answer.mix.holds else None
    shown = () if mix is None else ("mix",)
    table = present.table("your call", *shown, "wins the tower", "makes it", "sweeps", "is swept", "tricks")
    for name, value in answer.actions.items():
        label = Text(name) if name in (ACCEPT, PASS) else Text("name ").append(present.suit(SUITS.index(name)))
        often = () if mix is None else (present.percent(mix[name]),)
        if isinstance(value, ContractValue):
            table.add_row(label, *often, *_numbers(value))
        else:
            table.add_row(label, *often, present.percent(value.tower), "", "", "", "")
    return table


def _contracts(answer: UpcardAnswer) -> RenderableType:
    table = present.table(
        "contract, if reached", "wins the tower", "is made", "you sweep", "you are swept", "your tricks"
    )
    for contract in answer.contracts:
        label = Text("you bid " if contract.bidder == "me" else "they bid ")
        table.add_row(label.append(present.suit(SUITS.index(contract.trump))), *_numbers(contract.value))
    return table


def _numbers(value: ContractValue) -> tuple[str, ...]:
    shares = (value.tower, value.make, value.sweep, value.swept)
    return (*(present.percent(share) for share in shares), f"{value.tricks:.2f}")


def _method(answer: UpcardAnswer) -> Text:
    worth = "" if answer.deal_value is None else f" Dealing next is worth {present.percent(answer.deal_value)}."
    return Text(
        f"exact: {answer.layouts:,} layouts of the other hand, all counted{_weighting(answer)}. Model: {_model(answer)}"
        f"{worth}{_error(answer)}{_at_odd_sizes(answer)}{_without_a_mix(answer)}",
        style="dim",
    )


def _error(answer: UpcardAnswer) -> str:
    """How far play with hidden cards is from the model."""
    if not answer.model_error or 1000 * abs(answer.margin) >= WIDEST:
        return ""
    return (
        f" Played with hidden cards, margins below {WIDEST:g} mt come out {answer.model_error:.1f} mt off (root mean"
        " square, two of pimc)."
    )


def _weighting(answer: UpcardAnswer) -> str:
    """How far the other's bids tell his hands apart."""
    if answer.likelihood is None or answer.likelihood == 1:
        return ""
    if answer.likelihood == 0:
        return " alike, since this opponent never lets it come to this"
    return f", weighted by his bids (he lets it come to this {present.percent(answer.likelihood)} of the time)"


def _without_a_mix(answer: UpcardAnswer) -> str:
    """Why values decide where the equilibrium's mix does not."""
    if answer.mix is None or answer.mix.holds:
        return ""
    if answer.mix.reached >= HARDLY_EVER:
        return " What the equilibrium does with this hand has not been learnt to the end: the values decide."
    return (
        " In equilibrium it hardly ever comes to this, and what it would do here means little: the values decide,"
        " against all the hands with which the other might have strayed."
    )


def _model(answer: UpcardAnswer) -> str:
    if answer.against is not None:
        return f"the other bids like {answer.against}; after the bidding both sides see all cards."
    if answer.mix is None:
        return "after this call both sides see all cards and play to win the tower."
    after = "after the bidding both see all cards."
    if answer.mix.values_of == WHOLE_HAND:
        after = (
            "hands stay hidden to the end for what your calls win; all other columns and contracts are as if both saw"
            " all cards after the bidding."
        )
    return (
        "both bid in equilibrium, not seeing the other hand, each bid with a probability of at least"
        f" {answer.mix.floor:g}; {after} Best responses gain"
        f" {1000 * answer.mix.exploitability:.3f} mt in the {answer.mix.exploitability_of}."
    )


def open_hands_report(answer: OpenHands) -> RenderableType:
    """Tricks of both, what each lead keeps, and a line of best play."""
    cards = answer.leader.bit_count()
    head = Text.assemble(
        present.cards(answer.leader, answer.trump, bowers=True),
        " leads against ",
        present.cards(answer.follower, answer.trump, bowers=True),
        ", trumps ",
        present.suit(answer.trump),
        ".",
    )
    verdict = Text(f"The leader takes {answer.leader_tricks} of {cards} tricks", style="bold")
    table = present.table("lead", "tricks of the leader")
    for card, tricks in answer.leads.items():
        table.add_row(present.card(card), str(tricks))
    line = Text("A line of best play: ")
    for place in range(0, len(answer.line), 2):
        led, reply = answer.line[place : place + 2]
        line.append(present.card(led)).append("/").append(present.card(reply)).append("  ")
    exact = Text("exact: both hands seen, every continuation counted", style="dim")
    return Group(head, "", verdict.append(", whatever the other does.", style="not bold"), "", table, "", line, exact)
