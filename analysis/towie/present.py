"""How are the answers of Towie shown in a terminal?

Example:
    towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"
"""

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from towerlab.analysis import present
from towerlab.analysis.present.open_hands import EXACT, open_hands_report
from towerlab.analysis.stats import Estimate
from towerlab.analysis.towie.bid import BidAnswer, CallOutcome, CallValue, Defending, ExposedValue, ScoredContract
from towerlab.analysis.towie.contracts import PLACES
from towerlab.analysis.towie.open_hands import STRAINS, DealTable, OpenHands, Table, by_seat
from towerlab.analysis.towie.played import PlayReview, name_table
from towerlab.games.cards import TRUMPS, card_symbol, parse_card
from towerlab.games.towie.auction import DOUBLE, PASS, REDOUBLE, auction_text
from towerlab.games.towie.records import Contract, call_symbol

_SHOWN = 8  # contracts
_SHOWN_OUTCOMES = 3
_SHOWN_CARDS = 20


def bid_report(answer: BidAnswer) -> RenderableType:
    """Return the text of a bid: question, call and why, calls, contracts, tricks, the value of the six, method."""
    question = f"You hold {present.cards(answer.hand)}, the dummy shows {present.cards(answer.exposed)}."
    if answer.goulashes:
        question += f" Goulashes before this deal: {answer.goulashes}."
    if answer.auction:
        question += f" The auction: {auction_text(answer.auction)}."
    return present.stack_parts(
        question, _sentence(answer), _calls(answer),
        None if answer.defending is None else _defending(answer.defending),
        _contracts(answer.contracts) if answer.contracts else None, _strains(answer),
        None if answer.exposed_value is None else _exposed(answer.exposed_value), _method(answer),
    )  # fmt: skip


def hands_report(answer: OpenHands) -> Group:
    """Return four open hands and the tricks of best play, of every declarer if the answer has the table."""
    par = "" if answer.par is None else f". {answer.par}"
    tricks = f": North-South take {answer.tricks}, East-West {answer.others}{par}"
    table = None if answer.table is None else _tricks_table(answer.table)
    return open_hands_report(answer, tricks, table=table)


def table_report(answer: DealTable) -> RenderableType:
    """Return the tricks of every declarer, and par."""
    par = None if answer.par is None else Text(f"{answer.par}", style="bold")
    return present.stack_parts(_tricks_table(answer.table), par, Text(EXACT, style="dim"))


def _tricks_table(tricks: Table) -> RichTable:
    rows = ((seat, *map(str, by_trump.values())) for seat, by_trump in by_seat(tricks).items())
    return present.table("declarer", *(TRUMPS[trump] for trump in STRAINS), rows=rows)


def play_report(answer: PlayReview) -> RenderableType:
    """Return the players, and the cards that cost most."""
    names = ("player", "boards", "cards", "costly cards", "cost", "leads", "lead cost")
    players = present.table(*names, rows=[[str(cell) for cell in row.values()] for row in answer.players])
    costly = sorted((row for row in answer.plays if row["cost"]), key=lambda row: -row["cost"])
    rows = []
    for row in costly[:_SHOWN_CARDS]:
        player = f"{row['player']} ({row['seat']})"
        cost = f"−{row['cost']}"
        about = name_table(row["board"], row["table"]), row["contract"], player, str(row["trick"])
        rows.append((*about, _card(row["card"]), cost, str(row["tricks"])))
    cards = present.table("board", "contract", "player", "trick", "card", "cost", "tricks of declarer", rows=rows)
    rest = len(costly) - len(rows)
    more = f"{rest} more cost tricks; --out FILE.csv has them all." if rest else None
    wrong = "\n".join(f"Board {board}: {problem}" for board, problem in (answer.errors or {}).items())
    counted = f"{present.number_of(answer.boards, 'board')}, {present.number_of(len(answer.plays), 'card')}"
    summary = f"{counted}. Cost: tricks that best play by all, all cards seen, kept."
    return present.stack_parts(summary, players, cards if rows else "Nothing cost a trick.", more, wrong or None)


def _card(text: str) -> str:
    return text if len(text) > 2 else card_symbol(parse_card(text))


def _sentence(answer: BidAnswer) -> Text:
    best = answer.best
    verb = {PASS: "Pass", DOUBLE: "Double", REDOUBLE: "Redouble"}.get(best.call) or f"Bid {call_symbol(best.call)}"
    sentence = Text(verb, style="bold")
    outcome = f": {_value(best)}"
    if answer.tested is not None and answer.tested.make is not None:
        made, low, high, _ = answer.tested.make
        outcome += f"; played as it stands it makes {present.percent(made)} of the time"
        outcome += f" ({present.percent(low)} to {present.percent(high)})"
    if len(answer.calls) > 1:
        second = answer.calls[1]
        outcome += f"; next is {call_symbol(second.call)} ({_value(second)})"
    return sentence.append(f"{outcome}. {answer.verdict}", style="not bold")


def _value(value: CallValue) -> str:
    points = f"{value.score.mean:+.0f} points"
    return points if value.win is None else f"{present.percent(value.win.mean)} of games won, {points}"


def _calls(answer: BidAnswer) -> RenderableType:
    """Return the best calls, pass and double always among them; bids of the value of a pass are left out."""
    wins = answer.scores is not None
    names = ("wins",) if wins else ()
    table = present.table("your call", *names, "points", "95 % interval", "costs", "layouts", "leads to")
    passed = next(value for value in answer.calls if value.call == PASS)
    shown = [v for v in answer.calls if v.call == PASS or v.call >= DOUBLE or v.score != passed.score]
    costs = {item.text: item.cost for item in answer.decision.alternatives}
    for value in (v for at, v in enumerate(shown) if at < _SHOWN or v.call == PASS or v.call >= DOUBLE):
        score = value.score
        leads = ", ".join(_leads(outcome) for outcome in value.outcomes[:_SHOWN_OUTCOMES])
        name = call_symbol(value.call)
        table.add_row(
            name, *((present.percent(value.win.mean),) if value.win is not None else ()), f"{score.mean:+.0f}",
            present.interval(score, "+.0f", " – "), answer.decision.scale.cost_cell(costs[name]),
            str(score.n) if score.n else "not looked at further", leads,
        )  # fmt: skip
    return table


def _leads(outcome: CallOutcome) -> str:
    if outcome.contract is None:
        return f"{present.percent(outcome.share, 0)} goulash"
    score = "" if outcome.score is None else f" ({outcome.score:+.0f})"
    return f"{present.percent(outcome.share, 0)} {_contract_name(outcome.contract)}{score}"


def _defending(value: Defending) -> str:
    """Return the asker's score for the standing bid if all pass, and doubled, in sentences."""
    if value.score.low == value.score.high == 0.0:
        sentence = f"If all pass {_contract_name(value.contract)} is below game: a goulash, 0 points."
    else:
        sentence = (
            f"Defending {_contract_name(value.contract)} makes {_difference(value.score, '+.0f')} points if all pass; "
            f"it makes {present.percent(value.make.mean)} of the time."
        )
    if value.doubled is not None:
        sentence += f" Doubled, and all pass: {_difference(value.doubled, '+.0f')} points."
    return sentence


def _contract_name(contract: Contract) -> str:
    doubled = {1: "", 2: " doubled", 4: " redoubled"}[contract.doubling]
    owner = "your" if contract.declarer == 0 else f"{PLACES[contract.declarer]}'s"
    return f"{owner} {call_symbol(contract.bid)}{doubled}"


def _contracts(values: tuple[ScoredContract, ...]) -> RenderableType:
    table = present.table("your contract", "is made", "95 % interval", "points", "layouts")
    known = [value for value in values if value.make is not None and value.score is not None]
    for value in known[:_SHOWN]:
        assert value.make is not None and value.score is not None
        made, low, high, layouts = value.make
        name = _contract_name(value.contract).removeprefix("your ")
        ends = map(present.percent, (low, high))
        table.add_row(name, present.percent(made), " – ".join(ends), f"{value.score.mean:+.0f}", f"{layouts:,}")
    if len(known) > _SHOWN:
        table.add_row(f"… {len(known) - _SHOWN} more")
    if len(values) > len(known):
        table.add_row(f"… {len(values) - len(known)} not looked at further")
    return table


def _strains(answer: BidAnswer) -> RenderableType:
    """Return the table of tricks in percent, from the fewest to the most that occur."""
    counted = [shares for shares in answer.strains if shares is not None]
    numbers = [t for t in range(14) if any(shares[t] > 0 for shares in counted)]
    table = present.table("tricks, %", "mean", *(str(t) for t in numbers))
    for strain in reversed(range(len(answer.strains))):
        shares = answer.strains[strain]
        if shares is None:
            table.add_row(present.suit(strain), "not looked at further")
            continue
        mean = sum(t * share for t, share in enumerate(shares))
        cells = (f"{100 * shares[t]:.0f}" if shares[t] > 0 else "" for t in numbers)
        table.add_row(present.suit(strain), f"{mean:.2f}", *cells)
    return table


def _exposed(value: ExposedValue) -> str:
    make = present.percent(value.make)
    return (
        f"In {call_symbol(value.contract.bid)} the six cards add {_difference(value.tricks, '+.1f')} tricks and "
        f"{_difference(value.score, '+.0f')} points against an average dummy, with which it makes {make} of the time "
        f"(95 %, {present.number_of(value.layouts, 'pair')} of layouts)."
    )


def _difference(value: Estimate, form: str) -> str:
    return f"{value.mean:{form}} ({present.interval(value, form)})"


def _method(answer: BidAnswer) -> RenderableType:
    tests = f"; {answer.tests:,} more asked whether the contract is made" if answer.tests else ""
    layouts = present.number_of(answer.layouts, "layout")
    return present.closing_lines(
        ("Counted", f"{layouts}, the same for all calls{tests}; {answer.seconds:.0f} s"),
        *((kind.capitalize(), assumption) for kind, assumption in answer.assumptions.items()),
        ("Points", "yours less those of your average opponent"),
        ("Accuracy", "95 % intervals"),
    )
