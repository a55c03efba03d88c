"""Decides how long examples are tried: until all are, the time is over, or somebody presses Ctrl-C."""

from __future__ import annotations

import math
import time
from types import TracebackType

INTERRUPTED = "no more were tried when this was interrupted"


class Clock:
    """``budget``: the seconds for all examples and for finding smaller ones; ``why`` no more are tried, once none are.

    As a context manager: Ctrl-C ends the block, and no more examples are tried, but what is known stays.
    """

    def __init__(self, budget: float = math.inf) -> None:
        self.budget, self.end, self.why = budget, time.monotonic() + budget, ""

    def over(self) -> str:
        """Say why no more examples are tried; "" as long as they are."""
        if not self.why and time.monotonic() > self.end:
            self.why = f"no more were tried within {self.budget:g} s"
        return self.why

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        if isinstance(error, KeyboardInterrupt):
            self.why = INTERRUPTED
        return isinstance(error, KeyboardInterrupt)
