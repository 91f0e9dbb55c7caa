"""How is a match driven step by step? `Match`, for people and programs (TB-1 .. TB-30).

>>> import numpy as np
>>> match = Match(TowersAndBowersOptions(claims="off"))
>>> match.apply(match.chance(np.random.default_rng(1)))  # the pack in which a starter is sought
>>> match.phase
<Phase.TURN: 'TURN'>
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from towerlab.games.cards import SUITS, card_texts, mask_cards, parse_suit, suit_of
from towerlab.games.engine import CARD, CARDS, INTEGER, INTEGERS, Action, Choices, Reader, make_can, scalar_reader
from towerlab.games.towers_and_bowers.bidding import Bidding
from towerlab.games.towers_and_bowers.claiming import Accusing, Claiming
from towerlab.games.towers_and_bowers.dealing import Dealing
from towerlab.games.towers_and_bowers.options import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.progress import other
from towerlab.games.towers_and_bowers.records import HandState, Phase

GAME: Final = "towers-and-bowers"


class Match(Dealing, Bidding, Claiming, Accusing):
    """A match of Towers & Bowers; see `games.engine` for how it is driven.

    Args:
        options: the options of the rules.
        judge: the function that decides claims with ``claims=verified``; see `ClaimQuestion`.

    Raises:
        TowerlabError: ``claims=verified`` without a judge.

    >>> match = Match(TowersAndBowersOptions(claims="off", starter="fixed"))
    >>> match.phase, match.can_accept()
    (<Phase.SHUFFLE: 'SHUFFLE'>, False)
    """

    GAME = GAME
    OPTIONS = TowersAndBowersOptions
    ACTIONS = (
        *("shuffle_starter", "turn", "shuffle", "cut", "decline_cut", "deal"),
        *("accept", "pass", "name", "discard", "play", "correct"),
        *("accuse", "take_penalty", "decline_penalty", "offer_undo", "accept_undo", "decline_undo"),
        *("claim", "concede", "consent", "insist"),
    )
    ARGUMENTS: ClassVar[Mapping[str, Reader]] = {
        **dict.fromkeys(("player", "turner", "position", "tricks", "trick"), INTEGER),
        "pack": CARDS,
        "packets": INTEGERS,
        "card": CARD,
        "suit": scalar_reader(str, "a text such as S", parse_suit),
    }

    def _player_of(self, action: str) -> int | None:
        if action == "play":
            return self._player_to_play()
        if action == "correct":
            return other(self._hand.tricks[-1].leader)
        return self.to_act if self.to_act is not None else self._player_of_chance()

    # ------------------------------------------------------------------------------------------- what can be done

    def _choices(self, seat: int) -> Choices:
        hand = self._state.hand
        if hand is None:
            return Choices()
        actions = [*self._turn(seat), *self._at_any_time(seat, hand)]
        return Choices.of({"action": action.pop("action"), "player": seat, **action} for action in actions)

    def _turn(self, seat: int) -> Iterator[Action]:
        """Yield the actions of a player at their turn; while the dealer discards the other may already lead."""
        if self._player_to_play() == seat:
            hand = self._hand
            any_card = self.options.enforces_reneges and not hand.legal_only
            yield from _with_cards("play", hand.hands[seat] if any_card else self.legal_plays())
        if self.to_act != seat:
            return
        match self.phase:
            case Phase.BID1_ND | Phase.BID1_D:
                yield from ({"action": "accept"}, {"action": "pass"})
            case Phase.BID2_ND | Phase.BID2_D:
                nameable = (suit for suit in range(4) if suit != suit_of(self._hand.up_card))
                yield from ({"action": "name", "suit": SUITS[suit]} for suit in nameable)
                if make_can(self.verify_pass_)():
                    yield {"action": "pass"}
            case Phase.DISCARD:
                own = 1 << self._hand.up_card if self.options.allow_discard_upcard else 0
                yield from _with_cards("discard", self._hand.hands[seat] | own)
            case Phase.PENALTY:
                words = ("take_penalty", "decline_penalty", "offer_undo", "accept_undo", "decline_undo")
                yield from ({"action": word} for word in words if make_can(getattr(self, f"verify_{word}"))())
            case Phase.CONSENT:
                yield from ({"action": "consent"}, {"action": "insist"})

    def _at_any_time(self, seat: int, hand: HandState) -> Iterator[Action]:
        """Claims, concessions, insisting on play, corrections and accusations: whose turn it is does not matter."""
        if self.phase == Phase.PLAY and self.options.claims != "off":
            for word in ("claim", "concede"):
                yield from ({"action": word, "tricks": tricks} for tricks in range(1, hand.tricks_left + 1))
        if self.phase != Phase.CONSENT and make_can(self.verify_insist)(seat):
            yield {"action": "insist"}
        if not self.options.enforces_reneges:
            return
        if hand.tricks and hand.tricks[-1].leader != seat:
            held = hand.hands[seat] & ~(1 << hand.tricks[-1].reply)
            fits = make_can(self.verify_correct)
            yield from _with_cards("correct", sum(1 << card for card in mask_cards(held) if fits(card)))
        may_accuse = make_can(self.verify_accuse)
        if self.options.accuse_scope == "hand":
            yield from ({"action": "accuse"} for _ in range(may_accuse(seat)))
        else:
            tricks = range(1, hand.closed_tricks() + 1)
            yield from ({"action": "accuse", "trick": trick} for trick in tricks if may_accuse(seat, trick))


def _with_cards(action: str, mask: int) -> Iterator[Action]:
    return ({"action": action, "card": card} for card in card_texts(mask_cards(mask)))
