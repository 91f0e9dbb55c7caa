r"""A question is declared once: as a function whose annotations and docstring say how each argument is typed::

    @question("bowers", "bury:ask_bury")
    def bury(hand: Annotated[Cards, "CARDS"], bid: Annotated[str, "BID"], …, seed: Seed = 0) -> BuryAnswer:
        \"\"\"Rank every bury; stops as soon as one is surely the best.

        Args:
            hand: Your ten cards and the kitty.
            …
        \"\"\"

`commands.options.command_of` makes the command of it, `commands.forms` the form in the browser, and it is itself the
function of `towerlab`: it checks what it is given and asks the function that answers, which is loaded then. An argument
without a help text, here or in `commands.arguments`, is Python's alone.
"""

from __future__ import annotations

import functools
import inspect
import math
import pkgutil
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from towerlab.games.errors import TowerlabError, did_you_mean, plain_word, shown

_PART: Final = re.compile(r"^(Args|Raises|Example):\n((?:(?: .*)?\n?)*)", re.MULTILINE)
_ENTRY: Final = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
DEFAULT_GAME: Final = "towers-and-bowers"  # whose functions bear the name of the command alone
Function = TypeVar("Function", bound=Callable[..., Any])
_KINDS: Final[Mapping[Any, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    Path: "a path",
    Mapping: "values by name",
    Sequence: "a list",
    Callable: "a function",
}


class ArgumentError(TowerlabError, TypeError):
    """Arguments that a function does not take."""


@dataclass(frozen=True)
class Typed:
    """How an argument is typed, and what it may be.

    Attributes:
        help: what it means, where the question's docstring does not say.
        metavar: what stands for its value in help texts.
        name: of the option where it is not that of the parameter; "" where it stands alone, without an option.
        also: another name of the option.
        several: whether the option may be given several times.
        least, most: bounds of a number, which `above` leaves out the least of.
        exists: whether a file must be there already.
        completes: what Tab offers, of `commands.completion`.
    """

    help: str = ""
    metavar: str | None = None
    name: str | None = None
    also: str | None = None
    several: bool = False
    least: float | None = None
    most: float | None = None
    above: bool = False
    exists: bool = False
    completes: str = ""

    def allows(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        least, most = (-math.inf if self.least is None else self.least), (math.inf if self.most is None else self.most)
        return (least < number if self.above else least <= number) and number <= most and math.isfinite(number)

    @property
    def range(self) -> str:
        """The bounds in words."""
        bounds = {"more than" if self.above else "at least": self.least, "at most": self.most}
        return " and ".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None) or "a number"


@dataclass(frozen=True)
class Question:
    """A declared question besides its function.

    Attributes:
        game: whose rules its `options` are; of any game that its argument `game` names, "".
        asks: ``"module:function"`` that answers it.
        many: ``"module:MANY"`` of the tables of it, if there are any.
        help: of the command.
        examples: command lines that work.
        parameters: by name.
        typed: how those are typed that can be.
    """

    game: str
    asks: str
    many: str | None
    help: str
    examples: str
    parameters: Mapping[str, inspect.Parameter]
    typed: Mapping[str, Typed]


def question(game: str, asks: str, *, many: bool = False) -> Callable[[Function], Function]:
    """Make a question of a declaration.

    Args:
        game: as on the command line, or "".
        asks: ``"module:function"`` that answers it, below the analysis of the game, if it is of one.
        many: whether tables of it are in `MANY` beside that.
    """
    place = f"towerlab.analysis.{game.replace('-', '_')}.{asks}" if game else f"towerlab.{asks}"

    def declare(declared: Function) -> Function:
        text = inspect.cleandoc(declared.__doc__ or "")
        help, parts = parts_of(text)
        helps = {name: re.sub(r"\n +", " ", help) for name, help in _ENTRY.findall(parts.get("Args", ""))}
        parameters = inspect.signature(declared).parameters
        typed = {name: replace(how, help=helps.get(name, how.help)) for name, how in map(_how, parameters.values())}
        typed = {name: how for name, how in typed.items() if how.help or how.name == ""}
        tables = f"{place.partition(':')[0]}:MANY" if many else None
        asked = Question(game, place, tables, help, parts.get("Example", ""), parameters, typed)
        answer = checked(declared, asked)
        shared = "".join(f"\n    {name}: {how.help}" for name, how in typed.items() if how.help and name not in helps)
        text = text.replace("\n\nRaises:", f"{shared}\n\nRaises:") if helps else text
        lines = "".join(f"    {line}\n" for line in python_examples(asked, declared.__name__))
        shown = text.partition("\n\nExample:")[0]
        answer.__doc__ = f"{shown}\n\nExample:\n{lines}".rstrip() if lines else shown
        answer.__dict__["question"] = asked
        return answer

    return declare


def parts_of(docstring: str) -> tuple[str, dict[str, str]]:
    """Return what a docstring says first, and what stands under its headings, by heading."""
    text = inspect.cleandoc(docstring)
    return _PART.split(text)[0], dict(_PART.findall(text))


def python_examples(asked: Question, name: str) -> Iterator[str]:
    """The examples of a question, which are command lines, as calls in Python; those of other commands are left out."""
    spoken = asked.game not in ("", DEFAULT_GAME) or name == "solve"
    function = f"{name}_{asked.game.replace('-', '_')}" if spoken else name
    options = {how.name or f"--{key.replace('_', '-')}": key for key, how in asked.typed.items() if how.name != ""}
    options |= {how.also: key for key, how in asked.typed.items() if how.also}
    alone = [key for key, how in asked.typed.items() if how.name == ""]
    for line in inspect.cleandoc(asked.examples).replace("\\\n", " ").splitlines():
        _, command, *words = shlex.split(line)
        if command != name:
            continue
        words = words[words[:1] == [asked.game] :]
        places, given = iter(alone), dict[str, Any]()
        try:
            while words:
                word = words.pop(0)
                key = options[word] if word.startswith("--") else next(places)
                kinds = kinds_of(asked.parameters[key])
                value = True if bool in kinds else words.pop(0) if word.startswith("--") else word
                _give(given, key, value, kinds, asked.typed[key])
        except (KeyError, StopIteration):  # of the command alone, such as --from
            continue
        yield f"tl.{function}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def _give(given: dict[str, Any], key: str, value: Any, kinds: Sequence[Any], how: Typed) -> None:
    """Put an argument as it is typed among those of a call."""
    number = re.fullmatch(r"\d+(\.\d+)?", str(value))
    if number and {int, float} & set(kinds):
        value = float(value) if number[1] else int(value)
    if key == "options":
        name, _, values = str(value).partition("=")
        several = values.split(",") if how.several else [values]
        value = {**given.get(key, {}), name: several if len(several) > 1 else values}
    elif how.several:
        value = [*given.get(key, []), value]
    elif str not in kinds and Sequence in {get_origin(kind) for kind in kinds}:
        value = str(value).split(",")
    given[key] = value


def _how(parameter: inspect.Parameter) -> tuple[str, Typed]:
    how = parameter.annotation.__metadata__[0] if _is_typed(parameter) else Typed()
    return parameter.name, Typed(metavar=how) if isinstance(how, str) else how


def checked(function: Function, asked: Question | None = None) -> Function:
    """The function, which refuses in a line what its annotations do not allow; of a question, what answers it.

    A hand may come as a list of cards, a path as a text, options as a mapping, a number as numpy has it.

    Raises:
        TowerlabError: an argument that is missing, unknown or of another type.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def ask(*given: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            wrong = next((name for name in named if name not in signature.parameters), "")
            hint = did_you_mean(wrong, signature.parameters) if wrong else f"expected {', '.join(signature.parameters)}"
            raise ArgumentError(f"{function.__name__}: {error}; {hint}") from None
        ruled = asked.game or bound.arguments.get("game", "") if asked is not None else None
        for name, value in bound.arguments.items():
            one = signature.parameters[name]
            if one.kind is not one.VAR_KEYWORD:
                bound.arguments[name] = _understood(one, value, ruled)
        answer = function if asked is None else pkgutil.resolve_name(asked.asks)
        return answer(*bound.args, **bound.kwargs) if asked is None else answer(**bound.arguments)

    plain = [one.replace(annotation=kind_of(one)) for one in signature.parameters.values()]
    ask.__dict__["__signature__"] = signature.replace(parameters=plain)
    return ask  # type: ignore[return-value]


def kind_of(parameter: inspect.Parameter) -> Any:
    """The type of a parameter without how it is typed."""
    return parameter.annotation.__origin__ if _is_typed(parameter) else parameter.annotation


def kinds_of(parameter: inspect.Parameter) -> tuple[Any, ...]:
    """The types that it may have."""
    kind = kind_of(parameter)
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def words_of(kinds: Sequence[Any]) -> tuple[str, ...]:
    """The words that it may be, of a parameter that is one of some."""
    return tuple(word for one in kinds if get_origin(one) is Literal for word in get_args(one))


def _is_typed(parameter: inspect.Parameter) -> bool:
    return get_origin(parameter.annotation) is Annotated


def _understood(parameter: inspect.Parameter, value: Any, game: str | None) -> Any:
    """A value as its parameter wants it; rule options as those of the game of a question.

    Raises:
        TowerlabError: it cannot be of that type, or is out of bounds.
    """
    name, kind = parameter.name, kind_of(parameter)
    if name == "options" and game is not None and value is not None and not _is_typed(parameter):
        return rules_of(game, value)
    kinds = kinds_of(parameter)
    if hasattr(value, "tolist") and not {str, int, float, bool}.isdisjoint(kinds):  # of numpy or pandas
        value = value.tolist()
    if isinstance(kind, str) or kind in (object, Any) or (value is None and type(None) in kinds):
        return value
    words = words_of(kinds)
    if words and isinstance(value, str):
        return word_of(value, words, name)
    if Path in kinds and isinstance(value, (str, Path)):
        return Path(value)
    if str in kinds and isinstance(value, (str, list, tuple, Set)):
        if isinstance(value, str):
            return value
        between = "," if all(isinstance(part, Integral) for part in value) else " "
        parts = list(map(str, value))
        return between.join(sorted(parts) if isinstance(value, Set) else parts)
    classes = tuple(get_origin(one) or one for one in kinds if get_origin(one) is not Literal)
    if isinstance(value, classes) and not isinstance(value, (bytes, bytearray)):
        return _within(parameter, value)
    if float in kinds and isinstance(value, Real):
        return _within(parameter, float(value))
    if int in kinds and (isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())):
        return _within(parameter, int(value))
    expected = [f"one of {', '.join(words)}"] * bool(words)
    expected += [_KINDS.get(one, one.__name__) for one in classes if one is not type(None)]
    raise TowerlabError(f"{name}={shown(value)} is not understood; expected {' or '.join(dict.fromkeys(expected))}")


def _within(parameter: inspect.Parameter, value: Any) -> Any:
    how = _how(parameter)[1]
    if isinstance(value, (int, float)) and not how.allows(value):
        raise TowerlabError(f"{parameter.name}={shown(value)} is out of range; expected {how.range}")
    return value


def word_of(given: str, words: Sequence[str], name: str) -> str:
    """One of some words, however it is written: ``non-dealer`` is ``nondealer``.

    Raises:
        TowerlabError: it is none of them.
    """
    if (word := plain_word(given)) not in words:
        raise TowerlabError(f"{name}={shown(given)} is not understood; {did_you_mean(word, words)}")
    return word


def rules_of(game: str, given: Any) -> Any:
    """The rule options of a game, given as its dataclass, by name or as None for the defaults.

    Raises:
        TowerlabError: no such game or option, a value that it cannot have, or what is no options at all.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.options import as_typed, parse_options

    kind = find_game(game).load("options")
    if isinstance(given, kind):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise TowerlabError(f"options={shown(given)} is not understood; expected {kind.__name__}, or options by name")
    return parse_options(kind, [f"{name}={as_typed(value)}" for name, value in (given or {}).items()])
