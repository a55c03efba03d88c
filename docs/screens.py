"""Pictures of ``sparring verify`` in a terminal of 80 x 60, while it runs and when it has ended: docs/screens.py.

tmux is the terminal, and rich draws what is on it.  Run at the top of a checkout: python docs/screens.py
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

WIDTH, HEIGHT = 80, 60
SOME_ROWS = 15
"""So many rows are there when the picture of the running command is taken."""
DONE = "command ended"
FOLDER = Path(__file__).parent
Screen = Callable[[], str]


def main() -> None:
    """Write both pictures."""
    with terminal(f"{sys.executable} -m sparring verify --no-cache") as shown:
        while len(shown().splitlines()) <= SOME_ROWS:
            time.sleep(0.2)
        picture(shown(), "verify-running")
        picture(ended(shown), "verify")


@contextmanager
def terminal(command: str, width: int = WIDTH, height: int = HEIGHT) -> Iterator[Screen]:
    """A command in a terminal of its own; what is on its screen, with colours, is what the screen returns."""
    size = ["-x", str(width), "-y", str(height)]
    begin = f"clear; {command}; printf '%s: %s\\n' '{DONE}' $?; sleep 3600"
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with TemporaryDirectory() as folder:
        server = ["tmux", "-S", f"{folder}/socket", "-f", "/dev/null"]
        subprocess.run([*server, "new-session", "-d", *size, "sh", "-c", begin], check=True, env=env)
        try:
            yield lambda: subprocess.run(
                [*server, "capture-pane", "-e", "-p"], check=True, capture_output=True, text=True
            ).stdout.rstrip("\n")
        finally:
            subprocess.run([*server, "kill-server"], check=False)


def ended(shown: Screen) -> str:
    """The screen when the command has ended."""
    while DONE not in (text := shown()):
        time.sleep(0.2)
    return text.partition(f"\n{DONE}")[0].rstrip("\n")


def picture(text: str, name: str) -> None:
    """Draw a screen, in whichever font of equal widths the reader has."""
    console = Console(width=WIDTH, record=True, file=io.StringIO())
    console.print(Text.from_ansi(text))
    drawn = console.export_svg(title="sparring verify", unique_id=name)
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL).replace("Fira Code, ", "")
    (FOLDER / f"{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
