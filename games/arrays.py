"""What types have the arrays that kernels and their callers pass around? One home, and no kernel: a change here
compiles nothing.

>>> hands: Ints = np.array([0b1011, 0b0110], dtype=np.int64)  # two sets of cards
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Bools = NDArray[np.bool_]
Array = NDArray[Any]  # of a type that its docstring gives
