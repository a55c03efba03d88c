"""The console for people."""

from __future__ import annotations

import rich.console


class Console(rich.console.Console):
    """A console whose reader may go away."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command line to end: rich itself would end with 1, which says that something is refuted."""
        self.quiet = True
        raise BrokenPipeError
