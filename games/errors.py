"""Every error a user can cause. Each message says what is wrong and what was expected, in one line."""


class TowerlabError(ValueError):
    """A question or an action that cannot be taken; the command line prints its message and exits with 2."""


class CardError(TowerlabError):
    """A card that does not exist, is named twice, or a set of cards of the wrong size."""


class OptionError(TowerlabError):
    """A rule option that does not exist, or a value it cannot take."""


class TranscriptError(TowerlabError):
    """A recorded game that cannot be read back; the message names the line."""


class IllegalAction(TowerlabError):
    """An action that the rules do not allow now.

    Args:
        reason: what is wrong and what was expected.
        rule: id of the rule that forbids it, such as ``"TB-18"``.
    """

    def __init__(self, reason: str, rule: str) -> None:
        super().__init__(f"{reason} ({rule})")
        self.reason = reason
        self.rule = rule
