"""`towerlab value`: the value of dealing, checked, or written to a file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from towerlab.commands.arguments import File, Quiet
from towerlab.commands.question import Typed, arguments, question

if TYPE_CHECKING:
    from towerlab.analysis.towers_and_bowers.solutions.value import ValueAnswer
    from towerlab.games.towers_and_bowers import TowersAndBowersOptions


@question("towers-and-bowers")
def value(
    cards: Annotated[int | None, Typed(least=1, most=7)] = None,
    check: bool = False,
    quiet: Quiet = True,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
    *,
    export: Annotated[File | None, Typed()] = None,
) -> "ValueAnswer":
    """The value of dealing a hand of Towers & Bowers when hands are hidden: P(the dealer wins the tower).

    Of the options only those that change no hand are taken: the others are not solved.

    Args:
        cards: Hand size.  [default: all]
        check: Compute the best responses again.
        export: Write the whole strategy of one and two cards as Parquet: every information set, action, probability.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab value
        towerlab value --cards 2 --check
        towerlab value --cards 1 --export strategy.parquet
    """
    from towerlab.analysis.towers_and_bowers.solutions.value import ask_value

    return ask_value(**arguments())
