"""The arrays that kernels and their callers pass around. One home, and no kernel: a change here compiles nothing."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
