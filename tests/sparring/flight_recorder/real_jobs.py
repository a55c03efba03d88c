"""Runs the jobs of ``hanging_jobs.py`` on real ranks of gloo, three each, with a time limit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sparring.adapters.gloo import loopback

PROGRAM = Path(__file__).with_name("hanging_jobs.py")
RANKS, SECONDS = 3, 100


def run_job(name: str, how: str, folder: Path) -> Path:
    """Run a job, "right" or "wrong"; return the folder with its dumps."""
    folder.mkdir()
    env = {**os.environ, "TORCH_FR_BUFFER_SIZE": "2000", "GLOO_SOCKET_IFNAME": loopback(), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, str(PROGRAM), name, how]
    ranks = [
        subprocess.Popen([*words, str(rank), str(RANKS), str(folder)], env=env, stderr=subprocess.DEVNULL)
        for rank in range(RANKS)
    ]
    try:
        for rank in ranks:
            rank.wait(SECONDS)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    return folder
