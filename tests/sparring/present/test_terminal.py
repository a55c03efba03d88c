"""``sparring verify`` in a real terminal: tmux, whose screen is read while it runs and when it has ended."""

from __future__ import annotations

import runpy
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.text import Text

from sparring.present.overview import Overview
from tests.sweeps import sweep

SCREENS = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[3] / "docs/screens.py")))
NAMES = ("ring_allgather", "sampled")
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed (apt-get install tmux)")


@needs_tmux
@pytest.mark.parametrize(("width", "asked"), sweep([(60, ""), (80, "--no-cache"), (120, "")], few=[(60, "")]))
def test_rows_stand_in_a_terminal(width, asked):
    """The head, a bar while something is judged, then each row in one line; at the end the bar is gone."""
    with SCREENS.terminal(f"{sys.executable} -m sparring verify {' '.join(NAMES)} --ranks 1 {asked}", width) as shown:
        seen = [lines(shown())]
        while not any(SCREENS.DONE in line for line in seen[-1]):
            time.sleep(0.05)
            seen.append(lines(shown()))

    head, last = Overview(NAMES, width).head().plain.rstrip(), seen[-1]
    bars = [screen for screen in seen if any("━" in line for line in screen)]
    assert last[0] == head and last not in bars
    assert not asked or (len(bars) > 1 and all(screen[0] == head for screen in bars))
    rows = [line for line in last if line.startswith(NAMES)]
    assert sorted(row.split()[0] for row in rows) == [*NAMES]
    assert all(len(row) == len(head) for row in rows)
    assert f"{SCREENS.DONE}: 0" in last and max(map(len, last)) <= width


def lines(screen: str) -> list[str]:
    """What is on it, without colours."""
    return [line.rstrip() for line in Text.from_ansi(screen).plain.splitlines()]
