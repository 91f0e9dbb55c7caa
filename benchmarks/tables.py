"""How much faster are many questions at once than a loop of single ones?

Random questions of seed 1 from Python, one process: up-card questions of mixed sizes, seats and rounds; claims of one
to seven cards, some cards seen; whole bridge deals at no trump, a tenth as many. The loop asks at most 200 of each.

    python -m benchmarks.tables [questions, default 5000]
"""

import random
import sys
from collections.abc import Callable
from typing import Any, Final

import pandas as pd

import towerlab as tl
from benchmarks import print_ratio, seconds
from towerlab.games.cards import DECK_24, DECK_52, card_text, cards_mask, mask_cards
from towerlab.games.pbn import deal_text

LOOP: Final = 200
AIMS: Final = {"upcard": "0.8 ms", "claim": "0.1 ms", "solve": "11 ms"}


def ask(draw: random.Random, question: str) -> dict[str, Any]:
    """Return the columns of a row."""
    if question == "solve":
        cards = draw.sample(mask_cards(DECK_52), 52)
        hands = tuple(cards_mask(cards[13 * seat : 13 * seat + 13]) for seat in range(4))
        return {"deal": deal_text(hands), "trump": "NT", "lead": "W"}
    held = draw.randint(1, 7)
    names = list(map(card_text, draw.sample(mask_cards(DECK_24), held + 7)))
    hand = " ".join(names[:held])
    if question == "upcard":
        seat = draw.choice(("dealer", "nondealer"))
        return {"hand": hand, "up": names[held], "seat": seat, "second_round": draw.random() < 0.5}
    lead = draw.choice(("me", "them"))
    seen = " ".join(names[held : held + draw.randint(0, 6)])
    return {"hand": hand, "trump": draw.choice("SHDC"), "lead": lead, "tricks": draw.randint(1, held), "seen": seen}


def measure(question: str, number: int, table: Callable[..., pd.DataFrame], single: Callable[..., Any]) -> None:
    """A row: milliseconds of the processor a question, in the table and in the loop."""
    draw = random.Random(1)
    rows = [ask(draw, question) for _ in range(number)]
    frame = pd.DataFrame(rows)
    loop = rows[:LOOP]
    table(frame[:2], jobs=1)
    together = 1000 * seconds(lambda: table(frame, jobs=1)) / number
    alone = 1000 * seconds(lambda: [single(**row) for row in loop]) / len(loop)
    figure = f"{together:.2f} ms of {alone:.1f}"
    print_ratio(f"{number:,} × {question}", together / alone, "a loop of single questions", figure, AIMS[question])


def main() -> None:
    """The table."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    measure("upcard", number, tl.upcard_many, tl.upcard)
    measure("claim", number, tl.claim_many, tl.claim)
    measure("solve", max(number // 10, 1), tl.solve_many, tl.solve_towie)


if __name__ == "__main__":
    main()
