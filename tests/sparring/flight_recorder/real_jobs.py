"""Runs the jobs of ``hanging_jobs.py`` on real ranks of gloo, three each, with a time limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from sparring.adapters.gloo import loopback

PROGRAM = Path(__file__).with_name("hanging_jobs.py")
RANKS, SECONDS = 3, 200


def run_jobs(folder: Path, *jobs: str) -> None:
    """Run jobs, "NAME-right", "NAME-wrong" or "NAME-wrong-watched"; their dumps go to such folders in ``folder``."""
    env = {**os.environ, "TORCH_FR_BUFFER_SIZE": "2000", "GLOO_SOCKET_IFNAME": loopback(), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(PROGRAM), str(folder), str(RANKS), *jobs]
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, start_new_session=True) as program:
        try:
            program.wait(SECONDS)
        finally:
            with suppress(ProcessLookupError):  # all have ended
                os.killpg(program.pid, signal.SIGKILL)
