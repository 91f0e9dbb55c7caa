"""Are the stored files still true after an edit of the rules? Then this stamps them, so that they are used again.

One small part of them is computed again first: how the deals of two cards end, and best responses to the solved hand of
two cards with a queen turned up. Where that is not what is stored, nothing is stamped, and studies have to make the
files again. Without arguments it stamps the files that ship::

    python -m towerlab.analysis.towers_and_bowers.stamp [FILE…]
"""

import sys
from pathlib import Path
from typing import Final

from towerlab.analysis.present.progress import note
from towerlab.analysis.towers_and_bowers.deal_value import deal_outcomes, whole_hand_values
from towerlab.analysis.towers_and_bowers.shipped import SHIPPED, SUFFIX, stamp_files
from towerlab.analysis.towers_and_bowers.whole_strategies import load_strategy
from towerlab.analysis.whole_files import write_whole
from towerlab.games.cards import RANKS
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import up_card_classes
from towerlab.solver.towers_and_bowers.layout_counts import count_classes
from towerlab.solver.towers_and_bowers.self_play.policies import BUNDLE_FILE, STORED, bundle_files, stored_bundle
from towerlab.solver.towers_and_bowers.whole_hand.arrays import DEALER, NONDEALER, count_deals
from towerlab.solver.towers_and_bowers.whole_hand.solve import best_response_values

HAND_SIZE: Final = 2
UP_RANK: Final = "Q"
CLOSE_ENOUGH: Final = 1e-5  # P(win the tower); rounding of what ships is a hundredth of it


def check_small_files() -> None:
    """Compute hands of two cards again and compare them with what is stored.

    Raises:
        TowerlabError: they differ.
    """
    for allowed in (False, True):
        rules = TowersAndBowersOptions(allow_discard_upcard=allowed).hand_rules
        if (count_classes(up_card_classes(HAND_SIZE), rules) != deal_outcomes(HAND_SIZE, rules)).any():
            raise TowerlabError(f"deals of {HAND_SIZE} cards end otherwise than deal_outcomes.csv has it")
    game, strategy = load_strategy(HAND_SIZE, RANKS.index(UP_RANK))
    stored = whole_hand_values()[HAND_SIZE].by_up[UP_RANK]
    for seat, expected in ((DEALER, stored), (NONDEALER, 1 - stored)):
        value = float(best_response_values(game, strategy, seat).sum() / count_deals(game))
        if abs(value - expected) > CLOSE_ENOUGH:
            side = "dealer" if seat == DEALER else "non-dealer"
            raise TowerlabError(f"the {side} of {HAND_SIZE} cards wins {value:.6f}, not {expected:.6f} as stored")


def stamp_checked(names: list[str]) -> list[Path]:
    """Stamp the files that ship, and those named, with the present rules, if `check_small_files` agrees.

    Returns:
        The files that were stamped.

    Raises:
        TowerlabError: it does not; then nothing is stamped.
    """
    folder = Path(str(SHIPPED))
    stamps = folder / f"all{SUFFIX}"
    before = stamps.read_text(encoding="utf-8")
    shipped = sorted(path for path in folder.iterdir() if not path.name.endswith(SUFFIX))
    stamp_files(folder, *(path.name for path in shipped))
    try:
        check_small_files()
    except TowerlabError:
        write_whole(stamps, before)
        raise
    write_whole(STORED / BUNDLE_FILE, bundle_files(stored_bundle().files)[BUNDLE_FILE].decode())
    own = [Path(name) for name in names]
    for file in own:
        stamp_files(file.parent, file.name)
    return [*shipped, STORED / BUNDLE_FILE, *own]


if __name__ == "__main__":
    note(f"computing hands of {HAND_SIZE} cards again: minutes, where kernels have to be compiled first")
    try:
        print(*(f"stamped {file}" for file in stamp_checked(sys.argv[1:])), sep="\n")
    except TowerlabError as error:
        sys.exit(f"not stamped: {error}; the edit changes results: expected studies to make the files again")
