"""Where a target ends the process that simulates its ranks, somebody is left who says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("ending.py")
PLAYED = "sparring: the check ended while simulated ranks played p=3 n="


def checked(folder, how):
    """The command on a target of which rank 2 ends so."""
    asked = ["--ranks", "3", "--only", "result", "--max-examples", "3", "-P", f"how={how}"]
    command = [sys.executable, "-m", "sparring", "check", f"{FILE}:in_allreduce", *asked]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(("how", "number"), [("SIGKILL", 9), ("SIGSEGV", 11), ("SIGABRT", 6)])
def test_what_ends_the_process_is_told(tmp_path, how, number):
    """With the example, and of a fault with the line of the target."""
    done = checked(tmp_path, how)
    assert done.returncode == -number
    assert PLAYED in done.stderr and "holds" not in done.stdout
    assert ("ending.py" in done.stderr) is (how != "SIGKILL")


def test_nothing_is_said_of_others(tmp_path):
    """Nor of one that ends its rank in a way that is judged."""
    right, ended = checked(tmp_path, ""), checked(tmp_path, "_exit")
    assert (right.returncode, right.stderr) == (0, "")
    assert (ended.returncode, ended.stderr) == (1, "")


def test_nothing_is_said_where_nothing_is_played(tmp_path):
    """Whoever ends the process then."""
    code = """
import os, signal, sys
from sparring.checks.ranks.watcher import playing, watching
with watching():
    with playing("p=2 n=3"):
        os.kill(os.getpid(), signal.SIGKILL) if sys.argv[1:] else None
    os.kill(os.getpid(), signal.SIGKILL)
"""
    said = [
        subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, timeout=60, check=False)
        for more in ([], ["while"])
    ]
    assert said[0].stderr == "" and "ranks played p=2 n=3: the target" in said[1].stderr


def test_a_process_that_the_target_leaves_is_not_waited_for(tmp_path):
    """Though it holds what this one has open."""
    (tmp_path / "mine.py").write_text(
        "import os, time\nimport numpy as np\n\ndef allreduce(comm, x):\n"
        "    if not comm.rank and not os.fork():\n"
        "        os.closerange(0, 3)\n        time.sleep(5)\n        os.abort()\n"
        "    y = np.empty_like(x)\n    comm.Allreduce(x, y)\n    return y\n",
        encoding="utf-8",
    )
    asked = ["--ranks", "2", "--only", "result", "--max-examples", "1"]
    command = [sys.executable, "-m", "sparring", "check", "mine.py:allreduce", *asked]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")
