"""Every command that answers a position, on random legal positions: it answers, or refuses in one line."""

from __future__ import annotations

import importlib
import random
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tests.conftest import Answer, exhaustive
from tests.oracles.naive import PACK, place_of
from towerlab.commands import COMMANDS, Games, load_command, module_of
from towerlab.games.options import parse_options
from towerlab.games.towers import TowersGame, TowersOptions

SUITS = "SHDC"
RANKS = "AKQJT98765432"
PACK_32 = [rank + suit for suit in SUITS for rank in RANKS[:8]]
PACK_52 = [rank + suit for suit in SUITS for rank in RANKS]
Words = list[str]
Dice = random.Random
NO_POSITION = ("check", "compare", "exploit", "open", "simulate", "value")  # a link is tried where an answer prints it


def dealt(dice: Dice, pack: list[str] | tuple[str, ...], *sizes: int) -> list[list[str]]:
    cards = iter(dice.sample(list(pack), sum(sizes)))
    return [[next(cards) for _ in range(size)] for size in sizes]


def maybe(dice: Dice, *words: str, share: float = 0.3) -> Words:
    return list(words) if dice.random() < share else []


def options(dice: Dice, **choices: tuple[str, ...]) -> Words:
    words = []
    for name, values in choices.items():
        words += maybe(dice, "--option", f"{name}={dice.choice(values)}", share=0.25)
    return words


@dataclass
class Played:
    """A hand after some random legal tricks.

    Attributes:
        hands: left now, by seat.
        history: whole tricks as they are written; leader: of the trick under way; trick: its cards.
    """

    hands: list[list[str]]
    trump: str
    leader: int
    bowers: bool
    history: list[str] = field(default_factory=list)
    trick: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def suit(self, card: str) -> str:
        return place_of(card, self.trump, self.bowers)[0]

    @property
    def turn(self) -> int:
        return (self.leader + len(self.trick)) % len(self.hands)

    def play(self, dice: Dice, cards: int) -> Played:
        for _ in range(cards):
            hand = self.hands[self.turn]
            first = self.trick[0] if self.trick else ""
            led = first[3:] or (self.suit(first) if first else "")
            card = dice.choice(sorted([card for card in hand if self.suit(card) == led] or hand))
            hand.remove(card)
            names = not self.trick and self.suit(card) == "X"
            self.add(f"{card}:{dice.choice(SUITS)}" if names else card)
        return self

    def add(self, play: str) -> None:
        """One more card, as it is written, and the taker of a whole trick."""
        self.seen.append(play[:2])
        self.trick.append(play)
        if len(self.trick) < len(self.hands):
            return
        suits = [self.suit(card[:2]) for card in self.trick]
        best = max(
            range(len(suits)),
            key=lambda at: (
                suits[at] in ("X", self.trump),
                suits[at] == suits[0],
                place_of(self.trick[at][:2], self.trump, self.bowers)[1],
            ),
        )
        self.history.append("/".join(self.trick))
        self.leader = (self.leader + best) % len(self.hands)
        self.trick = []


def calls_of_tb(dice: Dice) -> Words:
    (hand, (up,), others) = dealt(dice, PACK, dice.randint(1, 7), 1, 3)
    words = ["--hand", " ".join(hand), "--up", up]
    words += maybe(dice, "--seen", others[0], share=0.1) + maybe(dice, "--opponent-holds", others[1], share=0.1)
    return words + options(
        dice,
        tie_to=("bidder", "defender"),
        allow_discard_upcard=("true", "false"),
        force_dealer_to_name=("true", "false"),
        first_n=("3", "7"),
    )


def upcard(dice: Dice) -> Words:
    words = [*calls_of_tb(dice), "--seat", dice.choice(["dealer", "nondealer"]), *maybe(dice, "--second-round")]
    if "--opponent-holds" in words:
        words[words.index("--opponent-holds") :][:2] = []
    return words + maybe(dice, "--method", dice.choice(["equilibrium", "self-play", "pimc"]))


def discard(dice: Dice) -> Words:
    words = calls_of_tb(dice)
    for name in ("--seen", "--opponent-holds"):
        if name in words:
            del words[words.index(name) : words.index(name) + 2]
    return [
        *words,
        "--bidder",
        dice.choice(["me", "them"]),
        *maybe(dice, "--method", dice.choice(["equilibrium", "pimc"])),
    ]


def two_hands(dice: Dice) -> tuple[Words, Played, str]:
    """A position of a hand of Towers & Bowers with me on turn; and the up-card."""
    size = dice.randint(1, 7)
    (mine, theirs, (up,)) = dealt(dice, PACK, size, size, 1)
    dealer = dice.randrange(2)
    trump = dice.choice([suit for suit in SUITS if suit != up[1]])
    gone = [up]
    if dice.random() < 0.5:
        trump = up[1]
        dealers = (mine, theirs)[dealer]
        dealers.append(up)
        gone = [dealers.pop(dice.randrange(size))]
    played = Played([mine, theirs], trump, 1 - dealer, bowers=True)
    played.play(dice, dice.randrange(2 * size))
    if played.turn:
        played.play(dice, 1)
    if not played.hands[0] or played.turn:
        return two_hands(dice)
    words = ["--hand", " ".join(played.hands[0]), "--trump", trump]
    tricks = [*played.history, *(["/".join(played.trick) + "/"] if played.trick else [])]
    words += ["--seen", gone[0]] if gone == [up] or dealer == 0 else []
    words += ["--history", " ".join(tricks), "--first-lead", ("them", "me")[dealer]] if tricks else ["--lead", "me"]
    return words, played, up


def claim_tb(dice: Dice) -> Words:
    words, played, _ = two_hands(dice)
    most = len(played.hands[0])
    words += maybe(dice, "--opponent-holds", dice.choice([*played.hands[1], "AS"]), share=0.2)
    words += maybe(dice, "--opponent-void", dice.choice(SUITS), share=0.2)
    return [*words, *maybe(dice, "--concede"), "--tricks", str(dice.randint(1, most))]


def move_tb(dice: Dice) -> Words:
    words, _, up = two_hands(dice)
    words += ["--bidder", dice.choice(["me", "them"]), *options(dice, tie_to=("bidder",))]
    words += maybe(dice, "--up", up, share=0.8)
    return words + maybe(dice, "--method", "pimc", share=0.4) + maybe(dice, "--rollouts", "20", share=0.2)


def solve_tb(dice: Dice) -> Words:
    leader, follower = dealt(dice, PACK, *[dice.randint(1, 7)] * 2)
    return ["--leader", " ".join(leader), "--follower", " ".join(follower), "--trump", dice.choice(SUITS)]


# ------------------------------------------------------------------------------------------------------ three and four

JOKERS = {"none": PACK_32, "replace_7c": [*PACK_32[:-1], "X1"], "add": [*PACK_32, "X1"]}
ROLES = ("declarer", "left", "right")


def auction(dice: Dice, bids: list[str], doubles: bool, most: int) -> str:
    """Random legal calls that end nothing."""
    calls: Words = []
    standing = -1
    passes = 0
    doubled = 0
    for _ in range(dice.randint(0, most)):
        kinds = ["pass"] * (passes < (1 if standing >= 0 else 2)) + ["bid"] * (standing + 1 < len(bids))
        kinds += ["double"] * (doubles and standing >= 0 and doubled == 0 and passes == 0)
        kind = dice.choice(kinds)
        if kind == "pass":
            calls.append("P")
            passes += 1
            continue
        passes = 0
        doubled = 1 if kind == "double" else 0
        if kind == "bid":
            standing = min(len(bids) - 1, standing + dice.choice((1, 1, 2, 5, 12)))
        calls.append("X" if kind == "double" else bids[standing])
    return " ".join(calls)


def bowers_rules(dice: Dice) -> tuple[Words, list[str]]:
    joker = dice.choice(["none", "none", *JOKERS])
    more = options(dice, min_bid=("1", "6"), misere_value=("5",), first_lead=("bidder", "left_of_dealer"))
    return ([] if joker == "none" else ["--option", f"joker={joker}"]) + more, JOKERS[joker]


def bid_bowers(dice: Dice) -> Words:
    rules, pack = bowers_rules(dice)
    bids = [f"{level}{suit}" for level in range(1, 11) for suit in ("NT", "C")]
    words = ["--hand", " ".join(dealt(dice, pack, 10)[0]), "--kitties", "2", "--jobs", "1"]
    words += maybe(dice, "--auction", auction(dice, bids, False, 4), share=0.7) + maybe(dice, "--doubled")
    words += maybe(dice, "--others", dice.choice(["novice", "careful", "random", "pass"]))
    return words + maybe(dice, "--scores", ",".join(str(dice.randint(-40, 49)) for _ in range(3))) + rules


def bury(dice: Dice) -> Words:
    rules, pack = bowers_rules(dice)
    bid = dice.choice([f"{level}{suit}" for level in range(1, 11) for suit in ("S", "H", "D", "C", "NT")] + ["M"])
    words = ["--hand", " ".join(dealt(dice, pack, len(pack) - 20)[0]), "--bid", bid, "--layouts", "2", "--jobs", "1"]
    return words + maybe(dice, "--seat", dice.choice(["first", "second", "dealer"])) + rules


def hidden_hands(dice: Dice, seats: int) -> tuple[Words, Played]:
    """A position of one player with two hidden hands, and the words that claims and moves share."""
    rules, pack = ([], PACK_52) if seats == 4 else bowers_rules(dice)
    trump = dice.choice([*SUITS, "NT"])
    size = 13 if seats == 4 else 10
    names = ("declarer", "left", "dummy", "right") if seats == 4 else ROLES
    begin = 1 if seats == 4 else dice.randrange(seats)
    count = dice.randint(size * seats * 6 // 10, size * seats - 2)
    played = Played(dealt(dice, pack, *[size] * seats), trump, begin, seats == 3).play(dice, count)
    role = 0 if names[played.turn] == "dummy" else played.turn
    words = ["--hand", " ".join(played.hands[role]), "--role", names[role], "--history", " ".join(played.history)]
    words += ["--trick", "/".join(played.trick)] if played.trick else []
    if seats == 4:
        words += ["--dummy", " ".join(played.hands[2])]
    words += ["--lead", names[played.leader]]
    hidden = [seat for seat in range(seats) if seat != role and names[seat] != "dummy"]
    held = [(seat, card) for seat in hidden for card in played.hands[seat]]
    if held:
        seat, card = dice.choice(held)
        words += maybe(dice, "--holds", f"{names[seat]}:{card}", share=0.2)
    return words + rules, played


def three_claim(dice: Dice, seats: int) -> Words:
    words, played = hidden_hands(dice, seats)
    words += ["--trump", played.trump, "--limit", str(dice.choice([1, 50, 3000]))]
    kind = dice.choice(["claim", "claim", "concede", "misere"])
    if kind == "misere" and seats == 3:
        return [*words, "--misere"]
    return [*words, *(["--concede"] if kind == "concede" else []), "--tricks", str(dice.randint(1, 3))]


def three_move(dice: Dice, seats: int) -> Words:
    words, played = hidden_hands(dice, seats)
    level = dice.randint(1, 10 if seats == 3 else 7)
    contract = f"{level}{played.trump}" + (dice.choice(["", "", "X", "XX"]) if seats == 4 else "")
    words += ["--contract", contract if seats == 4 or dice.random() < 0.8 else "M", "--layouts", "4"]
    return words + maybe(dice, "--vulnerable" if seats == 4 else "--doubled")


def bid_towie(dice: Dice) -> Words:
    hand, six = dealt(dice, PACK_52, 13, 6)
    shown = ".".join("".join(card[0] for card in hand if card[1] == suit) for suit in SUITS)
    bids = [f"{level}{suit}" for level in range(1, 8) for suit in ("C", "D", "H", "S", "NT")]
    words = ["--hand", shown, "--dummy", " ".join(six), "--layouts", "2", "--until-width", "0.9", "--jobs", "1"]
    words += maybe(dice, "--auction", auction(dice, bids, True, 5), share=0.8)
    words += maybe(dice, "--vul", dice.choice(["none", "all", "me", "left,right"]))
    words += maybe(dice, "--scores", "620,0,150") + maybe(dice, "--goulashes", str(dice.randint(0, 3)), share=0.2)
    words += maybe(dice, "--others", dice.choice(["novice", "random", "pass"]))
    return words + options(dice, doubled_counts=("true", "false"), honours=("false",), insult=("parlett",))


def solve_bowers(dice: Dice) -> Words:
    _, pack = bowers_rules(dice)
    hands = dealt(dice, pack, *[dice.randint(1, 5)] * 3)
    words = [word for name, hand in zip(ROLES, hands, strict=True) for word in (f"--{name}", " ".join(hand))]
    words += ["--option", "joker=add"] if "X1" in pack else []
    words += ["--trump", dice.choice([*SUITS, "NT"]), "--lead", dice.choice(ROLES), *maybe(dice, "--misere")]
    return words + maybe(dice, "--at-least", "2")


def solve_towie(dice: Dice) -> Words:
    size = dice.choice([1, 2, 4, 6, 13])
    hands = dealt(dice, PACK_52, *[size] * 4)
    shown = [".".join("".join(card[0] for card in hand if card[1] == suit) for suit in SUITS) for hand in hands]
    words = ["--deal", f"{dice.choice('NESW')}:{' '.join(shown)}"]
    words += ["--trump", dice.choice([*SUITS, "NT"]), "--lead", dice.choice("NESW")]
    return words + (maybe(dice, "--table", "--vul", dice.choice(["none", "ns", "ew", "all"])) if size < 13 else [])


# ------------------------------------------------------------------------------------------------------- the towers


def towers_view(dice: Dice) -> tuple[Any, Words]:
    """What a player on turn sees in the middle of a game, and the options of the game."""
    rules = options(dice, layout=("square",), support_check=("off",), equal_group=("pair",), uneven_level=("higher",))
    game = TowersGame(parse_options(TowersOptions, [word for word in rules if "=" in word]))
    random = np.random.default_rng(dice.getrandbits(32))
    for _ in range(dice.randint(1, 40)):
        seat = game.to_act
        game.apply(game.chance(random) if seat is None else game.legal()[dice.randrange(len(game.legal()))])
        if game.result is not None:
            return towers_view(dice)
    return game.view(game.to_act or 0), rules


def towers_step(dice: Dice) -> Words:
    view, rules = towers_view(dice)
    column = dice.randint(1, 3)
    play = dice.choice([f"{dice.choice(view.hand)}:{column}", f"{dice.choice(view.hand)}:{column}-{column + 1}"])
    return ["--board", str(view.board), *(["--play", play] if dice.random() < 0.8 else ["--raze", str(column)]), *rules]


def towers_move(dice: Dice) -> Words:
    view, rules = towers_view(dice)
    gone = Counter(dict.fromkeys(RANKS, 4)) - Counter(view.hand) - Counter(view.unseen)
    gone -= Counter(section.rank for section in view.board.sections())
    words = ["--board", str(view.board), "--hand", " ".join(view.hand), "--samples", "2", *rules]
    return words + maybe(dice, "--gone", " ".join(gone.elements()), share=0.7)


def stash(dice: Dice, name: str) -> Words:
    return maybe(dice, name, "".join(dice.choice("LMS") for _ in range(dice.randint(3, 9))), share=0.2)


def war_battle(dice: Dice) -> Words:
    mine, theirs, deck = dealt(dice, [*PACK_52, "X1", "X2"], 3, 3, dice.randint(1, 5))
    words = ["--mine", " ".join(mine), "--leader", dice.choice(["me", "them"])]
    words += ["--theirs", " ".join(theirs)] if dice.random() < 0.5 else ["--their-deck", " ".join(theirs + deck)]
    return words + stash(dice, "--my-stash") + stash(dice, "--their-stash") + options(dice, tie_break=("tens_only",))


def war_move(dice: Dice) -> Words:
    before = dice.randint(0, 2)
    answered = dice.choice([before, before + 1]) if before < 2 else before
    mine, played, theirs, laid, deck = dealt(dice, PACK_52, 3 - before, before, max(3 - answered, 0), answered, 3)
    leader = "them" if answered > before else dice.choice(["me", "them"])
    words = ["--hand", " ".join(mine), "--played", " ".join(played), "--their-played", " ".join(laid)]
    words += ["--theirs", " ".join(theirs)] if dice.random() < 0.6 else ["--their-deck", " ".join(theirs + deck)]
    return [*words, "--leader", leader, *maybe(dice, "--size", dice.choice("LMS"), share=0.5)]


def war_step(dice: Dice) -> Words:
    mine, theirs = dealt(dice, PACK_52, *[dice.randint(1, 3)] * 2)
    return ["--mine", " ".join(mine), "--theirs", " ".join(theirs), "--leader", dice.choice(["me", "them"])]


def drafted(dice: Dice, cards: int) -> tuple[list[str], Words]:
    own = dice.randint(0, 12)
    five, mine, theirs = dealt(dice, [*PACK_52, "X1", "X2"], cards, own, max(own + dice.choice([-1, 0, 1]), 0))
    return five, maybe(dice, "--mine", " ".join(mine), "--theirs", " ".join(theirs), share=0.8)


def war_split(dice: Dice) -> Words:
    five, words = drafted(dice, 5)
    return ["--cards", " ".join(five), *words, *options(dice, deck_size=("3", "10"))]


def war_pick(dice: Dice) -> Words:
    five, words = drafted(dice, 5)
    cut = dice.randint(0, 5)
    return ["--piles", f"{' '.join(five[:cut])} | {' '.join(five[cut:])}", *words]


def war_build(dice: Dice) -> Words:
    return ["--pool", " ".join(dealt(dice, [*PACK_52, "X1", "X2"], dice.randint(14, 19))[0])]


POSITIONS: dict[tuple[str, str], Callable[[Dice], Words]] = {
    ("upcard", ""): upcard,
    ("discard", ""): discard,
    ("claim", "towers-and-bowers"): claim_tb,
    ("move", "towers-and-bowers"): move_tb,
    ("solve", "towers-and-bowers"): solve_tb,
    ("bid", "bowers"): bid_bowers,
    ("bury", "bowers"): bury,
    ("claim", "bowers"): lambda dice: three_claim(dice, 3),
    ("move", "bowers"): lambda dice: three_move(dice, 3),
    ("solve", "bowers"): solve_bowers,
    ("bid", "towie"): bid_towie,
    ("claim", "towie"): lambda dice: three_claim(dice, 4),
    ("move", "towie"): lambda dice: three_move(dice, 4),
    ("solve", "towie"): solve_towie,
    ("step", "towers"): towers_step,
    ("move", "towers"): towers_move,
    ("battle", "tower-war"): war_battle,
    ("move", "tower-war"): war_move,
    ("step", "tower-war"): war_step,
    ("split", "tower-war"): war_split,
    ("pick", "tower-war"): war_pick,
    ("build", "tower-war"): war_build,
}


def questions() -> Iterator[tuple[str, str]]:
    """Every command that is a declared question, with its game where several have the word."""
    for name, where in COMMANDS.items():
        if isinstance(where, Games):
            yield from ((name, game) for game in where.names)
        elif hasattr(getattr(importlib.import_module(f"towerlab.commands.{where}"), name), "question"):
            yield name, ""


def test_every_question_has_random_positions() -> None:
    without = {*questions()} - POSITIONS.keys() - {(name, "") for name in NO_POSITION}
    assert not without, f"no random positions of {without}; expected a generator in POSITIONS of {__file__}"
    assert all(load_command(module_of(game), name) for name, game in POSITIONS if game)


@pytest.mark.parametrize("number", [6, exhaustive(500)])
@pytest.mark.parametrize("question", POSITIONS, ids=" ".join)
def test_every_question_answers_or_refuses_in_a_line(
    inside: Callable[..., Answer], question: tuple[str, str], number: int
) -> None:
    dice = random.Random(f"{question} {number}")
    answered = 0
    links: list[Any] = []
    for _ in range(number):
        words = [*filter(None, question), *POSITIONS[question](dice), *maybe(dice, "--json", share=0.5)]
        answer = inside(*words)
        shown = shlex.join(words)
        assert "Traceback" not in answer.stderr, shown
        if answer.status:
            answer.assert_refused()
        else:
            answered += 1
            assert answer.stdout.strip(), shown
        if answer.status == 0 and "--json" in words and (link := answer.json.get("link")):
            links.append(link)
    for link in links[:3]:
        assert inside("open", link).status == 0, link
    assert answered > number / 4, answered


@pytest.mark.parametrize("number", [8, exhaustive(120)])
@pytest.mark.parametrize("game", ["bowers", "towie"])
def test_cards_are_written_as_they_are_read(inside: Callable[..., Answer], game: str, number: int) -> None:
    """A line of play, with jokers that name suits, is read back as a history: the engine's rules replay it."""
    dice = random.Random(f"{game} {number}")
    names = ROLES if game == "bowers" else ("declarer", "left", "dummy", "right")
    jokers = 0
    for _ in range(number):
        words, played = hidden_hands(dice, len(names))
        asked = ["--trump", played.trump, "--limit", "3000", "--tricks", "1", "--json"]
        answer = inside("claim", game, *words, *asked).json
        line = ((answer["proof"] or answer["refutation"] or {}).get("line")) or []
        hands = [played.hands[names.index(answer["role"])], played.hands[2] if len(names) == 4 else []]
        for card in line[: (len(line) + len(played.trick)) // len(names) * len(names) - len(played.trick)]:
            jokers += card[2:3] == ":"
            for hand in hands:
                if card[:2] in hand:
                    hand.remove(card[:2])
            played.add(card)
        if not hands[0] or played.trick:
            continue
        changes = {"--hand": " ".join(hands[0]), "--history": " ".join(played.history), "--lead": names[played.leader]}
        changes |= {"--dummy": " ".join(hands[1]), "--trick": ""}
        for name, value in changes.items():
            if name in words:
                words[words.index(name) + 1] = value
        if "--holds" in words:
            del words[words.index("--holds") : words.index("--holds") + 2]
        again = inside("claim", game, *words, *asked)
        assert again.status == 0, (again.stderr, shlex.join(words))
    assert jokers or game == "towie" or number < 100
