"""How do sessions, records and trainings look as HTML? Templates of the folder, filled from what one seat sees.

>>> spoken_name("TH"), corner("TH"), suit_class("TH")
('10 of hearts', ('10', '♥'), 'h')
"""

import dataclasses
import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import jinja2

from towerlab.analysis.advice import Advice, Choice
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.decision import Verdict
from towerlab.analysis.players import written_name
from towerlab.analysis.present import SUIT_NAMES, capital, number_of, printed
from towerlab.analysis.report.drawing import css_variables
from towerlab.games.cards import SUITS
from towerlab.games.options import changed_options, describe_options, typed_text
from towerlab.games.rulebook import read_summary
from towerlab.table.drawing import bid_table, card_words
from towerlab.table.game import HUMAN, Prompt, TableGame
from towerlab.table.grading import ReviewedDecision, total
from towerlab.table.postmortem import PostMortem, final_scene, hand_rows
from towerlab.table.record import Recording
from towerlab.table.scene import ASIDE, BOTTOM, LAST, LEFT, MIDDLE, RIGHT, TOP, Cards, Facts, Part, Scene, Towers
from towerlab.table.session import Session
from towerlab.table.train import RATED, GradedAnswer, Item, Trainer

LOG_LINES: Final = 14
MOST_LETTERS: Final = 6  # of a cost in a cell of the table of bids
ZONES: Final = ("facts", TOP, LEFT, MIDDLE, RIGHT, BOTTOM, ASIDE)
# of a block in a drawing
_WIDTH = 64
_HEIGHT = 34
_GAP = 6
_BRIDGE = 16  # height of a slot for one
_LOWEST = 3  # levels that there is room for at least
# of the graph of a hand, and its longest cost
_LEFT = 66
_RIGHT = 630
_TOP = 10
_GROUND = 90
_DEEP = 40
_MARKUP: Final = re.compile(r"<(style|script|code|textarea)\b.*?</\1>|<[^>]*>|[^<]+", re.DOTALL)
_UNBROKEN: Final = re.compile(r"(?<=[♠♥♦♣]) (?=[+−-]?\d)|(?<=[a-z]) (?=[♠♥♦♣])")
_NAMED: Final = re.compile("(?:10|[9AKQJ])[♣♦♥♠]")
_SUITS: Final = {suit: (suit.lower(), name) for suit, name in zip(SUITS, SUIT_NAMES, strict=True)}
_RANKS: Final = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}


@functools.cache
def _templates() -> jinja2.Environment:
    loader = jinja2.PackageLoader("towerlab.web", "templates")
    made = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"card": card_words, "spoken": spoken_name, "suit": suit_class, "corner": corner}
    made.filters |= {"sentence": capital, "unbroken": unbroken}
    made.globals |= {"tower_drawing": tower_drawing, "number_of": number_of}
    return made


def render(template: str, **values: Any) -> str:
    """A template of this package, its numbers set by `printed`."""
    html = _templates().get_template(template).render(**values)
    return _MARKUP.sub(lambda part: part[0] if part[0].startswith("<") else printed(part[0]), html)


def unbroken(sentence: str) -> str:
    """A sentence in which no line ends between a word or a number and its suit.

    >>> unbroken("naming ♠ 37.4 %").count(chr(0xA0))
    2
    """
    return _UNBROKEN.sub("\u00a0", sentence)


@functools.cache
def static_file(name: str) -> str:
    """A file that pages load; before the style sheet the colours of the reports."""
    text = _templates().loader.get_source(_templates(), name)[0]  # type: ignore[union-attr]
    return f"{css_variables()}\n{text}" if name == "style.css" else text


# ------------------------------------------------------------------------------------------------------------ cards


def spoken_name(card: str) -> str:
    """A card as it is read aloud."""
    if not card:
        return "face down"
    if card in ("X1", "X2"):
        return card_words(card)
    rank = _RANKS.get(card[0], card[0])
    return f"{rank} of {_SUITS[card[1]][1]}" if card[1:] in _SUITS else rank


def corner(card: str) -> tuple[str, str]:
    """Return what stands in a card's corner: its rank and its suit symbol."""
    if card in ("X1", "X2"):
        return "★", ""
    words = card_words(card)
    return (words[:-1], words[-1]) if len(card) == 2 else (words, "")


def suit_class(card: str) -> str:
    """The class of a card's colour."""
    return "back" if not card else _SUITS[card[1]][0] if card[1:] in _SUITS else "plain"


# ----------------------------------------------------------------------------------------------------------- tables


class Button(NamedTuple):
    """A choice on the page.

    Attributes:
        number: the number of the choice as in the terminal, from 1.
        said: the text that the form sends for it; the number where it is empty.
        effect, falls: what the choice would destroy, in words and as a drawing.
        cost, mark: the cost and mark in the advice: ``"-1.23"``; ``"best"``, ``"slip"`` …; empty without advice.
    """

    number: int
    choice: Choice
    cost: str = ""
    mark: str = ""
    said: str = ""
    effect: str = ""
    falls: Part | None = None


def table_page(
    session: Session, seat: int, *, advice: Advice | None = None, at: int | None = None, **shown: Any
) -> str:
    """The table as one seat sees it; everything on it comes from that seat's view and choices.

    Args:
        at: the number of actions after which the table is shown; None for now.
        shown: what else the template shows: `name` of the table, `token`, `message`; whether advice `is_asked` for and
            of how many layouts `more` there could be; the prover's `proof` of a claim; whether it `plays_forced` cards.
    """
    due = at is None and session.waits_for == seat
    length = session.length if at is None else at
    scene = final_scene(session, session.scene(seat) if at is None else session.scene_after(seat, at), seat, length)
    prompt = session.prompt(seat) if due else Prompt("", ())
    tried = [session.preview_effect(seat, choice.action) for choice in prompt.choices]
    numbered = enumerate(zip(prompt.choices, tried, strict=True), 1)
    buttons = [_button(number, choice, advice, *effect) for number, (choice, effect) in numbered]
    sheet = session.hand_ends(seat)
    numbers = [0, *(number for number, _ in session.history(seat))]
    others = [written_name(player) for player in session.seating.players if player != HUMAN]
    hand_over = session.hand_over(seat, length)
    deciders = session.deciders(seat, hand_over)
    report = session.post_mortems.get((seat, hand_over))
    log = session.history(seat, session.hand_began(length), hand_over)
    graded = {number: max(decisions, key=_cost) for number in deciders if (decisions := session.judged.get(number))}
    own = [decision for decision in graded.values() if decision.seat == seat]
    looked = sum(number in session.judged for number in deciders)
    if (decided := graded.get(length + 1)) and decided.is_costly and decided.seat == seat:
        scene = dataclasses.replace(scene, parts=tuple(_compared(part, decided) for part in scene.parts))
    lesson = session.lesson_sentences(seat) if due else ()
    zones, rest = arrange_scene(scene, buttons, prompt, lesson)
    return render(
        "table.html.j2",
        title=f"{session.game.title} – towerlab",
        session=session,
        seat=seat,
        scene=scene,
        zones=zones,
        prompt=prompt,
        rest=[] if prompt.pick else [item for item in rest if not item.choice.is_aside and not item.choice.cell],
        bids=_bids(rest),
        asides=_asides(prompt),
        due=due,
        lesson=lesson,
        sheet=sheet,
        graded=graded,
        looked=looked if at is None or at == hand_over else len(deciders),
        deciders=deciders,
        costliest=max(own, key=_cost, default=None),
        lost=total(own),
        log=log,
        report=report,
        graph=_deal_graph(session.game, report, log, graded, seat, scene) if graded else None,
        at=at,
        stands="" if at is None else capital(session.place(seat, at)) + ".",
        length=length,
        before=max((number for number in numbers if number < (numbers[-1] if at is None else at)), default=None),
        after=None if at is None else min((number for number in numbers if number > at), default=None),
        others=others,
        opponents=dict.fromkeys(map(session.game.level_name, others)),
        options={name: typed_text(value) for name, value in changed_options(session.engine.options).items()},
        rules=read_summary(GAMES[session.game.name].rules),
        advice=advice,
        **shown,
    )


def _deal_graph(
    game: TableGame,
    report: PostMortem | None,
    log: Sequence[tuple[int, str]],
    graded: Mapping[int, ReviewedDecision],
    seat: int,
    scene: Scene,
) -> dict[str, Any]:
    """A deal as a graph: its value to a seat before each of its decisions, a column an action, below it the costs."""
    scale = game.scale
    wide = (_RIGHT - _LEFT) / max(1, len(log))
    own = [decision for decision in graded.values() if decision.seat == seat and decision.value is not None]
    line = report.line if report else [(item.number - 1, item.value) for item in own if item.value is not None]
    values = [scale.number(value) for _, value in sorted(line)]
    is_chance = scale.noun != "points"
    low = 0.0 if is_chance else min([0.0, *values])
    high = 100.0 if is_chance else max([low + 2 * scale.number(scale.blunder), *values])
    places = {number: _LEFT + wide * (column + 0.5) for column, (number, _) in enumerate(log)}
    xs = [places.get(length + 1, places.get(length)) for length, _ in sorted(line)]
    steps = [
        (x, _GROUND - (value - low) / (high - low) * (_GROUND - _TOP)) for x, value in zip(xs, values, strict=True)
    ]
    columns = []
    for number, said in log:
        decided = graded.get(number)
        words = said
        height = 0.0
        if decided is not None and decided.is_costly:
            height = max(3.0, _DEEP * scale.share(decided.cost.mean))
            words = f"{said}: {scale.cost_words(decided.cost.mean)}, {decided.label}"
        left = places[number] - wide / 2
        columns.append({"number": number, "x": left, "cost": height, "words": words, "one": decided})
    return {
        "columns": columns,
        "wide": wide,
        "left": _LEFT,
        "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in steps if x is not None),
        "ends": ("100 %", "0 %") if is_chance and values else (f"{high:.0f}", f"{low:.0f}") if values else (),
        "marks": [(name, _GROUND + 4 + _DEEP * scale.share(least)) for name, least in scale.marks.items()][1:],
        "zero": 0.0 if low >= 0 else _GROUND + low / (high - low) * (_GROUND - _TOP),
        "has_hollow": any(decided.is_costly and decided.label == Verdict.OPEN for decided in graded.values()),
        "has_costs": any(column["cost"] for column in columns),
        "full": scale.words(2 * scale.blunder),
        "numbers_tricks": report is not None and bool(hand_rows(scene)),
    }


def _compared(part: Part, decided: ReviewedDecision) -> Part:
    """Own cards with the better one marked, and the one that was played; other parts as they are.

    A call such as 7♥ is one word and names no card.
    """
    if not isinstance(part, Cards) or not part.own:
        return part
    said = {word: text for word, text in (("better", decided.best), ("chosen", decided.done)) if " " in text}
    named = {word: re.split(" on | across ", text)[0].replace(",", "").split() for word, text in said.items()}
    labels = [" ".join(word for word in named if card_words(card) in named[word]) for card in part.cards]
    marked = tuple(place for place, label in enumerate(labels) if "better" in label)
    return dataclasses.replace(part, labels=tuple(labels), marked=marked)


def _cost(decided: ReviewedDecision) -> float:
    return decided.cost.mean


def option_fields(kind: type[Any]) -> list[dict[str, Any]]:
    """Return every rule option of a game, as `describe_options`, and the words to choose from; None for a number."""
    described = zip(describe_options(kind), dataclasses.fields(kind), strict=True)
    return [
        {
            **vars(option),
            "default": "none" if option.default is None else typed_text(option.default),
            "choices": ("true", "false") if isinstance(option.default, bool) else field.metadata["choices"],
        }
        for option, field in described
    ]


def _bids(buttons: Sequence[Button]) -> dict[str, Any] | None:
    """Choices that are a table: its columns, and its rows with a button or nothing in each cell; None without any."""
    cells = {button.choice.cell: button for button in buttons if button.choice.cell is not None}
    if not cells:
        return None
    levels, suits = bid_table(cells)
    return {"columns": suits, "rows": [(level, [cells.get((level, suit)) for suit in suits]) for level in levels]}


def _asides(prompt: Prompt) -> dict[str, int]:
    """Return the words for claims and concessions, each with the most tricks that it may name."""
    words = (choice.words[0].split() for choice in prompt.choices if choice.is_aside)
    return {verb: int(tricks) for verb, tricks in words}


def _button(number: int, choice: Choice, advice: Advice | None, effect: str, falls: Part | None) -> Button:
    known = None if advice is None else advice.of(choice.action)
    if advice is None or known is None:
        return Button(number, choice, effect=effect, falls=falls)
    cost = advice.scale.change(known.cost.mean)  # the unit stands once, in the table
    cost = advice.word(known) if cost == Verdict.BEST else cost
    if choice.cell is not None and len(cost) > MOST_LETTERS:
        cost = cost.partition(".")[0]
    return Button(number, choice, cost, advice.label(known).replace(" ", "-"), effect=effect, falls=falls)


def arrange_scene(
    scene: Scene, buttons: Sequence[Button], prompt: Prompt, lesson: Sequence[str] = ()
) -> tuple[dict[str, list[dict[str, Any]]], list[Button]]:
    """The parts of a scene by where they lie, own rows with the choices of their cards, and all other choices.

    Args:
        lesson: sentences; a card that they name carries the number of the first one that does.
    """
    named = {card: number for number, said in reversed([*enumerate(lesson, 1)]) for card in _NAMED.findall(said)}
    zones: dict[str, list[dict[str, Any]]] = {zone: [] for zone in ZONES}
    taken = set[int]()
    playable = {button.choice.card for button in buttons} - {""}
    for part in scene.parts:
        row: dict[str, Any] = {"kind": part.kind, "part": part}
        if isinstance(part, Towers):
            row["places"] = sorted({button.choice.label for button in buttons} & _places(part))
        if isinstance(part, Cards):
            pickable = prompt.pick.cards if prompt.pick is not None and part.own else ()
            by_card: dict[str, list[Button]] = {}
            for button in buttons if part.own else ():
                by_card.setdefault(button.choice.card, []).append(button)
            row["cards"] = []
            for place, card in enumerate(part.cards):
                mine = by_card.pop(card, []) if card else []  # of equal cards the first carries the choices
                taken.update(button.number for button in mine)
                plain = next((button for button in mine if not button.choice.label), None)
                row["cards"].append(
                    {
                        "card": card,
                        "label": part.labels[place] if part.labels else "",
                        "area": part.areas[place] if part.areas else "",
                        "marked": place in part.marked,
                        "trump": scene.trumps.get(card, ""),
                        "told": named.get(card_words(card), ""),
                        "dim": part.own and bool(playable) and card not in playable,
                        "play": plain,
                        "pick": card in pickable,
                        "places": [button for button in mine if button is not plain],
                    }
                )
        zones[_zone(part)].append(row)
    return zones, [button for button in buttons if button.number not in taken]


def _zone(part: Cards | Towers | Facts) -> str:
    if isinstance(part, Cards):
        if part.area in ZONES:
            return part.area
        return ASIDE if part.area == LAST else BOTTOM if part.own else MIDDLE
    return MIDDLE if isinstance(part, Towers) else "facts"


def _places(towers: Towers) -> set[str]:
    """Return where a card can be put on towers: ``"2"``, and ``"2-3"`` for a bridge."""
    pairs = itertools.permutations(towers.names, 2)
    return {*towers.names, *map("-".join, pairs)} - {""}


def tower_drawing(towers: Towers, least: int = _LOWEST, places: Sequence[str] = ()) -> dict[str, Any]:
    """Where the blocks of some towers are drawn, in units of an SVG.

    Args:
        least: the number of levels that there is room for at least.
        places: the names (`_places`) of the places where a card may be put; each gets a slot on top.
    """
    height = max(least, towers.height + bool(places))
    width = _WIDTH if len(towers.names) > 1 else 13 * _WIDTH // 5
    step = width + _GAP
    shapes = []
    links = []
    for block in towers.blocks:
        ends = [(_GAP + column * step, (height - 1 - level) * _HEIGHT + 2) for column, level in block.ends]
        x1, y1 = ends[0]
        x2, y2 = ends[-1]
        is_wide = y1 == y2 and abs(x1 - x2) == step  # a bridge over neighbours is one shape
        for x, y in [(min(x1, x2), y1)] if is_wide else ends:
            shapes.append({"block": block, "x": x, "y": y, "width": width + step * is_wide})
        if len(ends) == 2 and not is_wide:
            links.append([end + half for end, half in zip((x1, y1, x2, y2), (width // 2, 16) * 2, strict=True)])
    slots = []
    for place in places:
        columns = [towers.names.index(name) for name in place.split("-")]
        levels = [level for block in towers.blocks for column, level in block.ends if column in columns]
        y = (height - 2 - max(levels, default=-1)) * _HEIGHT + 2
        is_wide = len(columns) == 2 and abs(columns[0] - columns[1]) == 1
        height_of_slot = 32 if len(columns) == 1 else _BRIDGE  # above those of its columns
        top = y if len(columns) == 1 else y - _BRIDGE
        for column in [min(columns)] if is_wide else columns:
            x = _GAP + column * step
            slots.append({"place": place, "x": x, "y": top, "width": width + step * is_wide, "height": height_of_slot})
    return {
        "width": len(towers.names) * step + _GAP,
        "shapes": shapes,
        "links": links,
        "slots": slots,
        "above": _BRIDGE * any("-" in place for place in places),
        "ground": height * _HEIGHT + 2,
        "names": [(_GAP + column * step + width // 2, name) for column, name in enumerate(towers.names)],
        "alt": _tower_words(towers),
    }


def _tower_words(towers: Towers) -> str:
    """The towers in words, for people who cannot see them: column by column from the ground up."""
    words = []
    for column, name in enumerate(towers.names):
        blocks = {level: block for block in towers.blocks for place, level in block.ends if place == column}
        stack = [
            spoken_name(blocks[level].text) + " bridge" * (blocks[level].kind == "bridge") for level in sorted(blocks)
        ]
        words.append(f"{name or towers.title}: {', '.join(stack) or 'empty'}")
    return "; ".join(words)


def record_page(recording: Recording, name: str, token: str, message: str = "") -> str:
    """Return the page on which a real game is entered: the next question, and what has been entered."""
    question = recording.ask()
    prompt = recording.prompt or Prompt("", ())
    buttons = [Button(number, choice, said=choice.text) for number, choice in enumerate(prompt.choices, 1)]
    zones, rest = arrange_scene(recording.scene, buttons, prompt)
    others = [button.said for button in rest] if buttons else question.choices
    return render(
        "record.html.j2",
        title=f"{recording.game.title}, a real game – towerlab",
        recording=recording,
        name=name,
        token=token,
        question=question,
        zones=zones,
        rest=[word for word in others if word not in question.asides],
        taps="a card" if question.cards or len(rest) < len(buttons) or prompt.pick else "an answer",
        log=[line for _, line in recording.event_lines()][-LOG_LINES:],
        message=message,
    )


def training_page(
    trainer: Trainer, game: str, token: str, *, graded: GradedAnswer | None = None, message: str = ""
) -> str:
    """A decision to be answered, or how the last one was."""
    item = trainer.item if graded is None else graded.item
    puzzle = trainer.puzzle(item)
    return render(
        "train.html.j2",
        title=f"{trainer.game.title}, training – towerlab",
        trainer=trainer,
        rated=RATED,
        game=game,
        item=item,
        graded=graded,
        token=token,
        message=message,
        level="" if puzzle is None else puzzle.level(trainer.game),
        **training_parts(trainer, item, is_answered=graded is not None),
    )


def training_parts(trainer: Trainer, item: Item, is_answered: bool = False) -> dict[str, Any]:
    """Return what the templates draw of a decision: the table's zones, the prompt, the choices beside the cards."""
    table = trainer.position(item)
    prompt = table.prompt(item.seat)
    question = Prompt("", ()) if is_answered else prompt
    buttons = [Button(*numbered) for numbered in enumerate(question.choices, 1) if not numbered[1].is_aside]
    zones, rest = arrange_scene(table.scene(item.seat), buttons, question)
    others = [] if question.pick else [numbered for numbered in rest if not numbered.choice.cell]
    return {"prompt": prompt, "zones": zones, "rest": others, "bids": _bids(rest)}


def training_json(trainer: Trainer) -> dict[str, Any]:
    """Return the training as JSON: what the seat sees and may do, and the rating."""
    item = trainer.item
    rating = trainer.rating()
    table = trainer.position(item)
    return {
        "game": trainer.game.name,
        "item": item.number,
        "scene": _plain(table.scene(item.seat)),
        "choices": [choice.to_json() for choice in table.prompt(item.seat).choices],
        "answered": trainer.answered,
        "open": trainer.open,
        "unit": trainer.game.scale.unit,
        "counted": trainer.counted,
        "rating": None if rating is None else rating.cost.mean,
        "interval": None if rating is None else list(rating.cost.ends),
        "novice": None if rating is None else rating.novice,
    }


def table_json(session: Session, seat: int, advice: Advice | None) -> dict[str, Any]:
    """Return what the page shows, as JSON: that seat's view and choices, nothing else."""
    prompt = session.prompt(seat) if session.waits_for == seat else None
    return {
        "game": session.game.name,
        "seat": seat,
        "length": session.length,
        "over": session.is_over,
        "rests": session.is_between_hands,
        "scene": _plain(session.scene(seat)),
        "question": None if prompt is None else prompt.question,
        "choices": [] if prompt is None else [choice.to_json() for choice in prompt.choices],
        "log": session.log(seat),
        "advice": None if advice is None else advice.to_json(),
    }


def _plain(scene: Scene) -> dict[str, Any]:
    parts = [{"kind": part.kind, **dataclasses.asdict(part)} for part in scene.parts]
    return {"heading": scene.heading, "parts": parts, "verdict": scene.verdict}
