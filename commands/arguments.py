"""Arguments that several questions have, and how they are typed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from towerlab.commands.question import Typed

Cards: TypeAlias = str | Sequence[str]
File: TypeAlias = str | Path
GameName: TypeAlias = Annotated[str, Typed(name="", completes="games")]
Seed: TypeAlias = Annotated[int, Typed("Random seed.", least=0)]
Jobs: TypeAlias = Annotated[int | None, Typed("Worker processes.  [default: all cores]", least=1)]
Quiet: TypeAlias = Annotated[bool, Typed("No notes and no progress on stderr.")]
UntilWidth: TypeAlias = Annotated[
    float | None, Typed("Stop as soon as that interval is so narrow, such as 0.005.", "W", least=0, above=True)
]
UntilDecided: TypeAlias = Annotated[bool, Typed("Stop as soon as a 95 % interval valid at every look decides.")]

# of a claim, and of a card to play
Tricks: TypeAlias = Annotated[
    int | None, Typed("Tricks claimed, or conceded with --concede.  [default with --concede: all]")
]
Concede: TypeAlias = Annotated[bool, Typed("Concede the tricks instead of claiming them.")]
Certificate: TypeAlias = Annotated[
    File | None, Typed("Write the strategy, or refutation, of a claim (no concession) for `towerlab check`.", "FILE")
]
Held: TypeAlias = Annotated[Cards, Typed("Your cards now.", "CARDS")]
HeldNow: TypeAlias = Annotated[Cards | None, Typed("Your cards now.", "CARDS")]
Won: TypeAlias = Annotated[int | None, Typed("Tricks that your side took before the history.", least=0)]
SavedGame: TypeAlias = Annotated[File | None, Typed("A saved game instead, with --at.", "FILE")]
At: TypeAlias = Annotated[
    str | None, Typed("The place in it: 3.2 is hand 3, trick 2; 3.2.2 its second card.", "HAND.TRICK")
]

# where two hands are hidden
Role: TypeAlias = Literal["declarer", "left", "right"]
Trump: TypeAlias = Annotated[str | None, Typed("S, H, D, C or NT.", "SUIT")]
Lead: TypeAlias = Annotated[str | None, Typed("The leader of the next trick, or of the one under way.", "SEAT")]
Void: TypeAlias = Annotated[Cards, Typed("A suit that a hidden hand cannot hold.", "SEAT:SUIT", several=True)]
Holds: TypeAlias = Annotated[Cards, Typed("A card that a hidden hand surely holds.", "SEAT:CARD", several=True)]
Trick: TypeAlias = Annotated[Cards, Typed("The trick under way, in order of play.", "CARDS")]
Limit: TypeAlias = Annotated[int | None, Typed("Positions a search may visit.  [default: 1000000]", least=1)]
Buried: TypeAlias = Annotated[Cards, Typed("Cards no hidden hand holds: played, buried by you.", "CARDS")]
History: TypeAlias = Annotated[Cards, Typed("The tricks played, such as AH/QC/9H, the card led first.", "TRICKS")]
