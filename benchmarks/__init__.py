"""How much faster or slower than a named yardstick, measured in the same run? Nothing here is a test.

Example:
    python -m benchmarks.double_dummy
"""

import time
from collections.abc import Callable


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time of one call; other programs disturb it less than time on the clock."""
    start = time.process_time()
    call()
    return time.process_time() - start


def count_seconds(call: Callable[[], object]) -> float:
    """Return the time of a call on the clock, which includes other processes' work for it."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def print_ratio(what: str, ratio: float, yardstick: str, figure: str, aim: str = "–") -> None:
    """One row of a benchmark's table."""
    print(f"{what:<44} {ratio:9.2f}× {yardstick:<34} {figure:<28} aim {aim}", flush=True)
