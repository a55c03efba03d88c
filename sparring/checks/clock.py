"""Decides how long examples are tried: until all are, the time is over, or somebody presses Ctrl-C."""

from __future__ import annotations

import math
import time
from types import TracebackType

INTERRUPTED = "no more were tried when this was interrupted"


class Clock:
    """``budget``: the seconds for all examples and for finding smaller ones; ``why`` no more are tried, once none are.

    As a block: Ctrl-C ends it, and all that would come after it, but not what is known.
    """

    def __init__(self, budget: float = math.inf) -> None:
        self.budget, self.end, self.why = budget, time.monotonic() + budget, ""

    def over(self) -> str:
        """Why no more examples are tried; empty as long as they are."""
        if not self.why and time.monotonic() > self.end:
            self.why = f"no more were tried within {self.budget:g} s"
        return self.why

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        if isinstance(error, KeyboardInterrupt):
            self.why = INTERRUPTED
        return isinstance(error, KeyboardInterrupt)
