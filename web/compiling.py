"""How far kernels are compiled, for pages that wait for it."""

from __future__ import annotations

from numba.core.event import Event, Listener, register


class _Compiling(Listener):  # type: ignore[misc]
    """Counts kernels that are compiled in this process."""

    under_way = done = 0

    def on_start(self, event: Event) -> None:
        self.under_way += 1

    def on_end(self, event: Event) -> None:
        self.under_way, self.done = self.under_way - 1, self.done + 1


_counted = _Compiling()


def watch() -> None:
    """Count from now on."""
    register("numba:compile", _counted)


def has_compiled() -> bool:
    """Whether something had to be compiled so far."""
    return _counted.done > 0


def words() -> str:
    """Return what is compiled now, in words; empty where nothing is."""
    return f"Compiling for the first time: {_counted.done} functions so far." if _counted.under_way else ""
