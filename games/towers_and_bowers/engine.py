"""A match that people or programs drive step by step (TB-1 .. TB-30)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from games import transcript
from games.cards import parse_card, parse_suit
from games.errors import TowerlabError
from games.towers_and_bowers.accusing import Accusing
from games.towers_and_bowers.bidding import Bidding
from games.towers_and_bowers.claiming import Claiming
from games.towers_and_bowers.dealing import Dealing
from games.towers_and_bowers.options import TowersAndBowersOptions
from games.towers_and_bowers.records import Judge
from games.towers_and_bowers.table import other

GAME: Final = "towers-and-bowers"

# The words of JSON actions: the names of methods, `pass` standing for `pass_`; arguments bear the same names.
ACTIONS: Final = (
    *("shuffle_starter", "turn", "shuffle", "cut", "decline_cut", "deal"),
    *("accept", "pass", "name", "discard", "play", "correct"),
    *("accuse", "take_penalty", "decline_penalty", "claim", "concede", "consent", "insist"),
)
_SAYS_WHO: Final = ("shuffle", "accuse", "claim", "concede")  # either player may; their `player` is an argument


class Match(Dealing, Bidding, Claiming, Accusing):
    """A match of Towers & Bowers.

    `phase` says what the match waits for and `to_act` whom. Every action x comes as three methods: `can_x` tells
    whether it is possible, `verify_x` raises the reason why not, `x` takes it and returns a frozen record.

    Args:
        options: of the rules.
        judge: decides claims with ``claims=verified``; see `ClaimQuestion`.

    Raises:
        TowerlabError: ``claims=verified`` without a judge.

    >>> match = Match(TowersAndBowersOptions(claims="off", starter="fixed"))
    >>> match.phase, match.can_accept()
    (<Phase.SHUFFLE: 'SHUFFLE'>, False)
    """

    def apply(self, action: dict[str, Any]) -> object:
        """Take one JSON action, such as ``{"action": "play", "card": "JS"}``, and return its record.

        Raises:
            IllegalAction: the rules do not allow it now.
            TowerlabError: no such action, an argument of the wrong kind, or another player's turn.
        """
        return transcript.take_action(self, action, ACTIONS, _read_argument, self._player_of, _SAYS_WHO)

    def _player_of(self, action: str) -> int | None:
        """Who takes an action that only one player can take now."""
        if action == "play":
            return self._player_to_play()
        if action == "correct":
            return other(self._hand.tricks[-1].leader)
        return self.to_act

    def transcript(self) -> Iterator[str]:
        """The match so far as JSON lines."""
        return transcript.transcript_lines(GAME, self.options, self._actions)

    @classmethod
    def from_transcript(cls, lines: Iterable[str], judge: Judge | None = None) -> Match:
        """Replay a transcript to the same state.

        Raises:
            TranscriptError: the number of the line and what is wrong with it.
        """
        return transcript.replay(
            lines,
            GAME,
            TowersAndBowersOptions,
            lambda options: cls(options, judge),
            lambda match, action: match.apply(action),
        )


def _read_argument(_action: str, name: str, value: Any) -> Any:
    """An argument of a JSON action as the methods take it."""
    parse = {"card": parse_card, "suit": parse_suit, "pack": parse_card}.get(name)
    kind, expected = (int, "a whole number") if parse is None else (str, "a text")
    items = value if name in ("pack", "packets") else [value]
    if not isinstance(items, list) or not all(type(item) is kind for item in items):
        raise TowerlabError(f"{name} is {value!r}; expected {expected if items is not value else 'a list'}")
    read = items if parse is None else [parse(item) for item in items]
    return read if items is value else read[0]
