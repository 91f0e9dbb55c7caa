"""Which bits are set, and how many? Operations on int64 masks, most of which compile to one machine instruction.

>>> bin(nth_bit(0b101100, 1)), int(binomial(7, 2))
('0b1000', 21)
"""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

from towerlab.games.arrays import Ints
from towerlab.games.jit import JIT_ENABLED, kernel, lean_kernel


def _call_of(name: str, *flags: int) -> Callable[..., Any]:
    """How numba makes the call of that LLVM instruction of int64s; the flags are its last arguments."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        bit = ir.IntType(1)
        kind = ir.FunctionType(word, [word] * len(arguments) + [bit] * len(flags))
        function = builder.module.declare_intrinsic(f"llvm.{name}", fnty=kind)
        return builder.call(function, [*arguments, *(ir.Constant(bit, flag) for flag in flags)])

    return generate


def _unary(name: str, *flags: int) -> Any:
    """Return an intrinsic int64 → int64 for the LLVM instruction of that name."""

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(typing_context: Any, mask: Any) -> Any:
        return types.int64(types.int64), _call_of(f"{name}.i64", *flags)

    return instruction


def _has_bit_extract() -> bool:
    """Return whether the processor that numba compiles for has PEXT and PDEP (x86-64 with BMI2)."""
    named = numba.config.CPU_FEATURES  # of the environment; numba takes the host's where it is None
    features = binding.get_host_cpu_features().flatten() if named is None else named
    return "+bmi2" in features.split(",")


def _selecting(name: str) -> Any:
    """Return an intrinsic (mask, selected) → int64 for the x86 instruction of that name."""

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(typing_context: Any, mask: Any, selected: Any) -> Any:
        return types.int64(types.int64, types.int64), _call_of(f"x86.bmi.{name}.64")

    return instruction


if JIT_ENABLED:
    _ctpop = _unary("ctpop")
    _cttz = _unary("cttz", 0)
    _ctlz = _unary("ctlz", 0)

    @kernel
    def popcount(mask: int) -> int:
        """Return how many cards a mask holds."""
        return _ctpop(mask)  # type: ignore[no-any-return]

    @kernel
    def lowest_index(mask: int) -> int:
        """Position of the lowest bit; 64 for an empty mask."""
        return _cttz(mask)  # type: ignore[no-any-return]

    @kernel
    def highest_index(mask: int) -> int:
        """Position of the highest bit; -1 for an empty mask."""
        return 63 - _ctlz(mask)  # type: ignore[no-any-return]

else:

    def popcount(mask: int) -> int:
        return int(mask).bit_count()

    def lowest_index(mask: int) -> int:
        return (int(mask) & -int(mask)).bit_length() - 1 if mask else 64

    def highest_index(mask: int) -> int:
        return int(mask).bit_length() - 1


@kernel
def lowest_bit(mask: int) -> int:
    """Return the lowest card as a mask of one bit; 0 for an empty mask."""
    return mask & -mask


@kernel
def highest_bit(mask: int) -> int:
    """Return the highest card as a mask of one bit; 0 for an empty mask."""
    return 1 << highest_index(mask) if mask else 0


@kernel
def extract_bits_portably(mask: int, selected: int) -> int:
    """As `extract_bits`, on any processor: one step a selected place."""
    extracted = 0
    place = 1
    while selected:
        low = selected & -selected
        if mask & low:
            extracted |= place
        place <<= 1
        selected ^= low
    return extracted


@kernel
def deposit_bits_portably(mask: int, selected: int) -> int:
    """As `deposit_bits`, on any processor: one step a selected place."""
    deposited = 0
    while selected:
        low = selected & -selected
        if mask & 1:
            deposited |= low
        mask >>= 1
        selected ^= low
    return deposited


if JIT_ENABLED and _has_bit_extract():
    _pext = _selecting("pext")
    _pdep = _selecting("pdep")

    @kernel
    def extract_bits(mask: int, selected: int) -> int:
        """Return the bits of `mask` at the places of `selected`, pushed together at the low end."""
        return _pext(mask, selected)  # type: ignore[no-any-return]

    @kernel
    def deposit_bits(mask: int, selected: int) -> int:
        """Return the inverse of `extract_bits`: the low bits of `mask` at the places of `selected`."""
        return _pdep(mask, selected)  # type: ignore[no-any-return]

else:
    extract_bits = extract_bits_portably
    deposit_bits = deposit_bits_portably


@kernel
def nth_bit(mask: int, n: int) -> int:
    """Return the n-th bit of a mask from the lowest, counted from 0, as a mask; 0 where there are no more than n."""
    return deposit_bits(1 << n, mask)


@kernel
def list_cards(mask: int, cards: Ints) -> int:
    """Write the cards of a mask as numbers, lowest first, into int64[cards or more]; returns how many."""
    count = 0
    while mask:
        cards[count] = lowest_index(mask)
        mask &= mask - 1
        count += 1
    return count


@kernel
def next_subset(chosen: int) -> int:
    """Return the next larger mask with as many bits; `chosen` is not empty."""
    low = chosen & -chosen
    carried = chosen + low
    return carried | ((chosen ^ carried) // low >> 2)


@lean_kernel
def binomial(size: int, count: int) -> int:
    """Return how many subsets of `count` a set of `size` has; none where `count` is negative or too large."""
    if count < 0 or count > size:
        return 0
    ways = 1
    for taken in range(count):
        ways = ways * (size - taken) // (taken + 1)
    return ways
