r"""How is a question declared? As a function whose annotations and docstring describe the options of the command::

    @question("bowers")
    def bury(hand: Annotated[Cards, "CARDS"], bid: Annotated[str, "BID"], …, seed: Seed = 0) -> BuryAnswer:
        \"\"\"Rank every bury; stops as soon as one is surely the best.

        Args:
            hand: Your ten cards and the kitty.
            …
        \"\"\"
        from towerlab.analysis.bowers.bury import ask_bury

        return ask_bury(**arguments())

The body imports the function that answers and calls it. `commands.options.command_of` makes the command of it, and
`commands.table` the form in the browser. In Python, `towerlab` has the function itself, which checks its arguments. An
argument without a help text, in the docstring or in its type, exists in Python only. Where Python runs without
docstrings (`-OO`), they are read from the source.

This module also declares the types of arguments that several questions share.
"""

import ast
import functools
import inspect
import math
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from towerlab.commands import COMMANDS, Games
from towerlab.games.errors import TowerlabError, did_you_mean, plain_word, quote_value


def docstring_of(function: Callable[..., Any]) -> str:
    """Return the docstring of a function, from its source where Python has dropped it."""
    if function.__doc__ is not None:
        return inspect.cleandoc(function.__doc__)
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    return ast.get_docstring(definition) or "" if isinstance(definition, ast.FunctionDef) else ""


_PART: Final = re.compile(r"^(Args|Raises|Example):\n((?:(?: .*)?\n?)*)", re.MULTILINE)
_ENTRY: Final = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
DEFAULT_GAME: Final = "towers-and-bowers"  # its functions have the name of the command alone
Function = TypeVar("Function", bound=Callable[..., Any])
_TYPE_NAMES: Final[Mapping[Any, str]] = {
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
class OptionSpec:
    """How an argument is typed on the command line.

    Attributes:
        help: what it means, if the question's docstring does not say so.
        metavar: the name of its value in help texts.
        name: the option's name, if it differs from the parameter's; "" for a positional argument.
        also: another name of the option.
        several: whether the option may be repeated.
        least, most: the bounds of a number.
        above: whether the number must be above `least`, not equal to it.
        exists: whether the file must exist.
        completes: what Tab offers (`commands.options`): ``games``, ``players`` or ``options``.
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
        """Return whether a number is within the bounds."""
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        return (least < number if self.above else least <= number) and number <= most and math.isfinite(number)

    @property
    def range(self) -> str:
        """The bounds in words."""
        bounds = {"more than" if self.above else "at least": self.least, "at most": self.most}
        return " and ".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None) or "a number"


@dataclass(frozen=True)
class Question:
    """A declared question.

    Attributes:
        game: the game of the rule options; "" if the argument `game` names it.
        answer: the declared function, without a check of its arguments.
        tables: ``"module:BATCH"``, which answers tables of the question, or None.
        help: the text of the command's help.
        examples: command lines that work.
        parameters: the parameters of the function, by name.
        typed: the option of each parameter that has one on the command line.
    """

    game: str
    answer: Callable[..., Any]
    tables: str | None
    help: str
    examples: str
    parameters: Mapping[str, inspect.Parameter]
    typed: Mapping[str, OptionSpec]


def question(game: str, *, tables: str | None = None) -> Callable[[Function], Function]:
    """Return a decorator that declares a function as a question.

    Args:
        game: the game's name on the command line; "" if the argument `game` names it.
        tables: the module below the game's analysis whose `BATCH` answers tables of it.
    """
    many = None if tables is None else f"towerlab.analysis.{game.replace('-', '_')}.{tables}:BATCH"

    def declare(function: Function) -> Function:
        text = docstring_of(function)
        help, parts = docstring_parts(text)
        helps = {name: re.sub(r"\n +", " ", help) for name, help in _ENTRY.findall(parts.get("Args", ""))}
        parameters = inspect.signature(function).parameters
        typed = {
            name: replace(how, help=helps.get(name, how.help)) for name, how in map(_typed_of, parameters.values())
        }
        typed = {name: how for name, how in typed.items() if how.help or how.name == ""}
        checking = check_arguments(function, game, of_other_games=_functions_of_games(function.__name__))
        declared = Question(game, function, many, help, parts.get("Example", ""), parameters, typed)
        shared = "".join(f"\n    {name}: {how.help}" for name, how in typed.items() if how.help and name not in helps)
        text = text.replace("\n\nRaises:", f"{shared}\n\nRaises:") if helps else text
        lines = "".join(f"    {line}\n" for line in python_examples(declared, function.__name__))
        shown = text.partition("\n\nExample:")[0]
        checking.__doc__ = f"{shown}\n\nExample:\n{lines}".rstrip() if lines else shown
        checking.__dict__["question"] = declared
        return checking

    return declare


def arguments() -> dict[str, Any]:
    """Return the arguments of the calling function by name, leaving out None."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    code = frame.f_back.f_code
    values = frame.f_back.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return {name: values[name] for name in names if values[name] is not None}


def docstring_parts(docstring: str) -> tuple[str, dict[str, str]]:
    """Return the beginning of a docstring, and the text under each of its headings."""
    text = inspect.cleandoc(docstring)
    return _PART.split(text)[0], dict(_PART.findall(text))


def python_examples(question: Question, name: str) -> Iterator[str]:
    """Yield the examples of a question, which are command lines, as calls in Python."""
    function = function_name(name, question.game)
    options = {how.name or f"--{key.replace('_', '-')}": key for key, how in question.typed.items() if how.name != ""}
    options |= {how.also: key for key, how in question.typed.items() if how.also}
    positional = [key for key, how in question.typed.items() if how.name == ""]
    for line in inspect.cleandoc(question.examples).replace("\\\n", " ").splitlines():
        _, command, *words = shlex.split(line)
        if command != name:
            continue
        words = words[words[:1] == [question.game] :]
        places = iter(positional)
        call = dict[str, Any]()
        try:
            while words:
                word = words.pop(0)
                key = options[word] if word.startswith("--") else next(places)
                kinds = types_of(question.parameters[key])
                value = True if bool in kinds else words.pop(0) if word.startswith("--") else word
                _add_argument(call, key, value, kinds, question.typed[key])
        except (KeyError, StopIteration):  # an option of the command alone, such as --from
            continue
        yield f"tl.{function}({', '.join(f'{key}={value!r}' for key, value in call.items())})"


def _add_argument(call: dict[str, Any], key: str, value: Any, kinds: Sequence[Any], how: OptionSpec) -> None:
    """Add an argument of the command line to those of a call."""
    number = re.fullmatch(r"\d+(\.\d+)?", str(value))
    if number and {int, float} & set(kinds):
        value = float(value) if number[1] else int(value)
    if key == "options":
        name, _, values = str(value).partition("=")
        several = values.split(",") if how.several else [values]
        value = {**call.get(key, {}), name: several if len(several) > 1 else values}
    elif how.several:
        value = [*call.get(key, []), value]
    elif str not in kinds and Sequence in {get_origin(kind) for kind in kinds}:
        value = str(value).split(",")
    call[key] = value


def _typed_of(parameter: inspect.Parameter) -> tuple[str, OptionSpec]:
    how = parameter.annotation.__metadata__[0] if _is_typed(parameter) else OptionSpec()
    return parameter.name, OptionSpec(metavar=how) if isinstance(how, str) else how


def _functions_of_games(command: str) -> Mapping[str, str]:
    """Return the functions of a command by game, where several games have one."""
    place = COMMANDS.get(command)
    games = place.names if isinstance(place, Games) else ()
    return {game: function_name(command, game) for game in games}


def function_name(command: str, game: str) -> str:
    """Return the name in `towerlab` of a game's command: ``"bid_bowers"``; for `DEFAULT_GAME` ``"claim"``."""
    has_game = game not in ("", DEFAULT_GAME) or command == "solve"
    return f"{command}_{game.replace('-', '_')}" if has_game else command


def check_arguments(
    function: Function,
    game: str | None = None,
    name: str | None = None,
    of_other_games: Mapping[str, str] | None = None,
) -> Function:
    """Return the function with a check of its arguments: a value that its annotations forbid is a one-line error.

    A hand may be a list of cards, a path a text, options a mapping, and a number one of numpy's.

    Args:
        function: any function.
        game: the game of its rule options; "" if its argument `game` names it; None if it reads options itself.
        name: the name in `towerlab` of a function of another module, whose annotations are texts.
        of_other_games: the name by game of the function in `towerlab` that a call with a game as first value means.

    Raises:
        TowerlabError: an argument is missing, unknown or of another type.
    """
    signature = inspect.signature(function, eval_str=name is not None)

    @functools.wraps(function)
    def check(*values: Any, **named: Any) -> Any:
        if of_other_games and values and isinstance(values[0], str) and values[0] in of_other_games:
            asked = function_name(check.__name__, game or "")
            raise ArgumentError(f"tl.{asked} takes no game; expected tl.{of_other_games[values[0]]}(…)")
        try:
            bound = signature.bind(*values, **named)
        except TypeError as error:
            wrong = next((name for name in named if name not in signature.parameters), "")
            hint = did_you_mean(wrong, signature.parameters) if wrong else f"expected {', '.join(signature.parameters)}"
            raise ArgumentError(f"{check.__name__}: {error}; {hint}") from None
        rules = None if game is None else game or bound.arguments.get("game", "")
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind is not parameter.VAR_KEYWORD:
                bound.arguments[name] = _convert(parameter, value, rules)
        return function(*bound.args, **bound.kwargs)

    plain = [parameter.replace(annotation=type_of(parameter)) for parameter in signature.parameters.values()]
    check.__dict__["__signature__"] = signature.replace(parameters=plain)
    if name is not None:
        check.__name__ = name
        check.__qualname__ = name
        check.__module__ = "towerlab"
    return check  # type: ignore[return-value]


def type_of(parameter: inspect.Parameter) -> Any:
    """Return the type of a parameter without its `OptionSpec`."""
    return parameter.annotation.__origin__ if _is_typed(parameter) else parameter.annotation


def types_of(parameter: inspect.Parameter) -> tuple[Any, ...]:
    """Return the types that a parameter may have."""
    kind = type_of(parameter)
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def allowed_words(kinds: Sequence[Any]) -> tuple[str, ...]:
    """Return the allowed words of a parameter, if its types list them."""
    return tuple(word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind))


def _is_typed(parameter: inspect.Parameter) -> bool:
    return get_origin(parameter.annotation) is Annotated


def _convert(parameter: inspect.Parameter, value: Any, game: str | None) -> Any:
    """Convert a value to its parameter's type, rule options to those of the game.

    Raises:
        TowerlabError: the value cannot be of that type, or is out of bounds.
    """
    name = parameter.name
    kind = type_of(parameter)
    if name == "options" and game is not None and value is not None and not _is_typed(parameter):
        return options_of_game(game, value)
    kinds = types_of(parameter)
    if hasattr(value, "tolist") and not {str, int, float, bool}.isdisjoint(kinds):  # of numpy or pandas
        value = value.tolist()
    if isinstance(kind, str) or kind in (object, Any) or (value is None and type(None) in kinds):
        return value
    words = allowed_words(kinds)
    if words and isinstance(value, str):
        return match_word(value, words, name)
    if Path in kinds and isinstance(value, (str, Path)):
        return Path(value)
    if str in kinds and isinstance(value, (str, list, tuple, Set)):
        if isinstance(value, str):
            return value
        between = "," if all(isinstance(part, Integral) for part in value) else " "
        parts = list(map(str, value))
        return between.join(sorted(parts) if isinstance(value, Set) else parts)
    classes = tuple(get_origin(kind) or kind for kind in kinds if get_origin(kind) is not Literal)
    if isinstance(value, classes) and not isinstance(value, (bytes, bytearray)):
        return _within_bounds(parameter, value)
    if float in kinds and isinstance(value, Real):
        return _within_bounds(parameter, float(value))
    if int in kinds and (isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())):
        return _within_bounds(parameter, int(value))
    expected = [f"one of {', '.join(words)}"] * bool(words)
    expected += [_TYPE_NAMES.get(kind, kind.__name__) for kind in classes if kind is not type(None)]
    raise TowerlabError(
        f"{name}={quote_value(value)} is not understood; expected {' or '.join(dict.fromkeys(expected))}"
    )


def _within_bounds(parameter: inspect.Parameter, value: Any) -> Any:
    how = _typed_of(parameter)[1]
    if isinstance(value, (int, float)) and not how.allows(value):
        raise TowerlabError(f"{parameter.name}={quote_value(value)} is out of range; expected {how.range}")
    return value


def match_word(text: str, words: Sequence[str], name: str) -> str:
    """Return the word that a text means; capitals and hyphens do not matter: ``non-dealer`` is ``nondealer``.

    Raises:
        TowerlabError: the text is none of the words.
    """
    plain = {plain_word(word): word for word in words}
    if (word := plain_word(text)) not in plain:
        raise TowerlabError(f"{name}={quote_value(text)} is not understood; {did_you_mean(word, words)}")
    return plain[word]


def options_of_game(game: str, options: Any) -> Any:
    """Return the rule options of a game.

    Args:
        game: the game's name on the command line.
        options: an object of its dataclass, values by name, or None for the defaults.

    Raises:
        TowerlabError: no such game or option, or an impossible value.
    """
    from towerlab.analysis.catalog import find_game
    from towerlab.games.options import parse_options, typed_text

    kind = find_game(game).load("options")
    if isinstance(options, kind):
        return options
    if options is not None and not isinstance(options, Mapping):
        raise TowerlabError(
            f"options={quote_value(options)} is not understood; expected {kind.__name__}, or options by name"
        )
    return parse_options(kind, [f"{name}={typed_text(value)}" for name, value in (options or {}).items()])


Cards: TypeAlias = str | Sequence[str]
File: TypeAlias = str | Path
GameName: TypeAlias = Annotated[str, OptionSpec(name="", completes="games")]
Seed: TypeAlias = Annotated[int, OptionSpec("Random seed.", least=0)]
Jobs: TypeAlias = Annotated[int | None, OptionSpec("Worker processes.  [default: all cores]", least=1)]
Quiet: TypeAlias = Annotated[bool, OptionSpec("No notes and no progress on stderr.")]
UntilWidth: TypeAlias = Annotated[
    float | None, OptionSpec("Stop as soon as that interval is so narrow, such as 0.005.", "W", least=0, above=True)
]
UntilDecided: TypeAlias = Annotated[bool, OptionSpec("Stop as soon as a 95 % interval valid at every look decides.")]

# of a claim, and of a card to play
Tricks: TypeAlias = Annotated[
    int | None, OptionSpec("Tricks claimed, or conceded with --concede.  [default with --concede: all]")
]
Concede: TypeAlias = Annotated[bool, OptionSpec("Concede the tricks instead of claiming them.")]
Certificate: TypeAlias = Annotated[
    File | None,
    OptionSpec("Write the strategy, or refutation, of a claim (no concession) for `towerlab check`.", "FILE"),
]
Held: TypeAlias = Annotated[Cards, OptionSpec("Your cards now.", "CARDS")]
HeldNow: TypeAlias = Annotated[Cards | None, OptionSpec("Your cards now.", "CARDS")]
Won: TypeAlias = Annotated[int | None, OptionSpec("Tricks that your side took before the history.", least=0)]
SavedGame: TypeAlias = Annotated[File | None, OptionSpec("A saved game instead, with --at.", "FILE")]
At: TypeAlias = Annotated[
    str | None, OptionSpec("The place in it: 3.2 is hand 3, trick 2; 3.2.2 its second card.", "HAND.TRICK")
]

# where two hands are hidden
Role: TypeAlias = Literal["declarer", "left", "right"]
Trump: TypeAlias = Annotated[str | None, OptionSpec("S, H, D, C or NT.", "SUIT")]
Lead: TypeAlias = Annotated[str | None, OptionSpec("The leader of the next trick, or of the one under way.", "SEAT")]
Void: TypeAlias = Annotated[Cards, OptionSpec("A suit that a hidden hand cannot hold.", "SEAT:SUIT", several=True)]
Holds: TypeAlias = Annotated[Cards, OptionSpec("A card that a hidden hand surely holds.", "SEAT:CARD", several=True)]
Trick: TypeAlias = Annotated[Cards, OptionSpec("The trick under way, in order of play.", "CARDS")]
Limit: TypeAlias = Annotated[int | None, OptionSpec("Positions a search may visit.  [default: 1000000]", least=1)]
Buried: TypeAlias = Annotated[Cards, OptionSpec("Cards no hidden hand holds: played, buried by you.", "CARDS")]
History: TypeAlias = Annotated[Cards, OptionSpec("The tricks played, such as AH/QC/9H, the card led first.", "TRICKS")]
