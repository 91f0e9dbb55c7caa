"""What can be asked about Tower War? battle, step, move, split, pick, build.

Example:
    towerlab battle tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from towerlab.commands.question import Cards, OptionSpec, arguments, question

if TYPE_CHECKING:
    from towerlab.analysis.tower_war.battle import BattleAnswer, BattleStep
    from towerlab.analysis.tower_war.drafting import BuildAnswer, PickAnswer, SplitAnswer
    from towerlab.analysis.tower_war.move import MoveAnswer
    from towerlab.games.tower_war import TowerWarOptions

_Side: TypeAlias = Literal["me", "them"]
_Mine: TypeAlias = Annotated[Cards, OptionSpec("The cards I have drafted before.", "CARDS")]
_Theirs: TypeAlias = Annotated[Cards, OptionSpec("The cards they have drafted before.", "CARDS")]


@question("tower-war")
def step(
    mine: Annotated[Cards, "CARDS"],
    theirs: Annotated[Cards, "CARDS"],
    leader: _Side = "me",
    options: "TowerWarOptions | Mapping[str, object] | None" = None,
) -> "BattleStep":
    """Score a battle: values when played, pyramids added, and the loser.

    Args:
        mine: My cards in the order played; a joker as X1:TC.
        theirs: Their cards in the order played.
        leader: The leader of the battle.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab step tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"
        towerlab step tower-war --mine "TC 9C X1:TC" --theirs "AS KS 9D" --leader them
    """
    from towerlab.analysis.tower_war.battle import step_battle

    return step_battle(**arguments())


@question("tower-war")
def battle(
    mine: Annotated[Cards, "CARDS"],
    theirs: Annotated[Cards, "CARDS"] = "",
    *,
    their_deck: Annotated[Cards, "CARDS"] = "",
    my_deck: Annotated[Cards, "CARDS"] = "",
    leader: _Side = "me",
    my_stash: Annotated[str | None, "LLMS…"] = None,
    their_stash: Annotated[str | None, "LLMS…"] = None,
    levels: Annotated[int | None, "N"] = None,
    options: "TowerWarOptions | Mapping[str, object] | None" = None,
) -> "BattleAnswer":
    """Find the best play of a battle about to begin: exact with hands known, an equilibrium with decks known.

    Args:
        mine: My three cards.
        theirs: Their three cards, where I know them.
        their_deck: Instead: the cards of which they hold three.
        my_deck: With --their-deck: the cards of which they think I hold three.
        leader: The leader of the battle.
        my_stash: My pyramids.  [default: five of each size]
        their_stash: Their pyramids.  [default: five of each size]
        levels: Cards in the tower.  [default: the fewest possible]

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab battle tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"
        towerlab battle tower-war --mine "AH TC 6C" --their-deck "9S 4S 2S KD QD 7D 5H" --leader them
    """
    from towerlab.analysis.tower_war.battle import ask_battle

    return ask_battle(**arguments())


@question("tower-war")
def move(
    hand: Annotated[Cards, "CARDS"] = "",
    *,
    played: Annotated[Cards, "CARDS"] = "",
    their_played: Annotated[Cards, "CARDS"] = "",
    theirs: Annotated[Cards, "CARDS"] = "",
    their_deck: Annotated[Cards, "CARDS"] = "",
    leader: _Side = "me",
    size: Annotated[str | None, "L|M|S"] = None,
    my_stash: Annotated[str | None, "LLMS…"] = None,
    their_stash: Annotated[str | None, "LLMS…"] = None,
    levels: Annotated[int | None, "N"] = None,
    options: "TowerWarOptions | Mapping[str, object] | None" = None,
) -> "MoveAnswer":
    """Which card next in the middle of a battle? Which size of pyramid, where I add the level's first?

    Args:
        hand: The cards I still hold.
        played: My cards of this battle in the order played; a joker as X1:TC.
        their_played: Their cards of this battle.
        theirs: The cards they still hold, where I know them.
        their_deck: Instead: the cards from which the rest of their hand comes.
        leader: The leader of the battle.
        size: Of the pyramids that were added in this battle; leave it out where I am to choose.
        my_stash: My pyramids when the battle began.  [default: five of each size]
        their_stash: Their pyramids when the battle began.  [default: five of each size]
        levels: Cards in the tower.  [default: the fewest possible]

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab move tower-war --hand "8C 2H" --played TC --their-played 9S --their-deck "4S 2S KD QD 7D" --size M
        towerlab move tower-war --hand "8C 2H" --played 9C --their-played TS --theirs "4S 2S"
    """
    from towerlab.analysis.tower_war.move import ask_move

    return ask_move(**arguments())


@question("tower-war")
def split(
    cards: Annotated[Cards, "CARDS"],
    mine: _Mine = "",
    theirs: _Theirs = "",
    options: "TowerWarOptions | Mapping[str, object] | None" = None,
    third_stash: Annotated[str | None, "LLMS…"] = None,
) -> "SplitAnswer":
    """Find the best division of five cards, and the value of each pile.

    Args:
        cards: The five cards dealt.
        third_stash: Advanced draft: the pyramids left in it.  [default: all fifteen]

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab split tower-war --cards "AH TC 6C 9S X1" --mine "KC QC" --theirs "AS 9H 2D"
    """
    from towerlab.analysis.tower_war.drafting import split_cards

    return split_cards(**arguments())


@question("tower-war")
def pick(
    piles: Annotated[str, "'CARDS | CARDS'"],
    mine: _Mine = "",
    theirs: _Theirs = "",
    options: "TowerWarOptions | Mapping[str, object] | None" = None,
    pyramids: Annotated[str, "LLS…"] = "",
    beside: Literal["first", "second"] | int = "first",
) -> "PickAnswer":
    """Find the better of two piles.

    Args:
        piles: The two piles.
        pyramids: Advanced draft: pyramids that go with a pile.
        beside: The pile they go with.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab pick tower-war --piles "AH TC | 6C 9S 2D" --mine "KC QC" --theirs "AS 9H 3D"
    """
    from towerlab.analysis.tower_war.drafting import pick_pile

    return pick_pile(**arguments())


@question("tower-war")
def build(
    pool: Annotated[Cards, "CARDS"],
    options: "TowerWarOptions | Mapping[str, object] | None" = None,
) -> "BuildAnswer":
    """Find the best fifteen cards of a pool: exact up to four million choices, else by a search.

    Args:
        pool: The cards drafted.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab build tower-war --pool "AC KC QC TC 8C 5C AH KH 9H 8H 7S 5S 4D 3D TD 9D 2S JS X1"
    """
    from towerlab.analysis.tower_war.drafting import build_deck

    return build_deck(**arguments())
