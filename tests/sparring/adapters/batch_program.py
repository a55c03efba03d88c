"""A program that adds all ranks' vectors in one process, example after example, and does one thing wrong.

``MODE P BATCH``, where what goes wrong in the middle goes wrong on four entries of two ranks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np


def main() -> None:
    mode, p, batch = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    left = {"half": (len(list(batch.iterdir())) + 1) // 2, "first": 1}.get(mode)
    for i in range(left) if left is not None else count():
        if not (batch / str(i)).is_dir():
            break
        play(mode, p, batch, i)
    if mode == "fails":
        sys.exit(4)


def play(mode: str, p: int, batch: Path, i: int) -> None:
    """One example."""
    given, written = batch / str(i) / "input", batch / str(i) / "output"
    xs = [read(given / f"rank{r}.bin") for r in range(p)]
    marked = (p, xs[0].size) == (2, 4)
    if marked or mode in ("tires", "slow"):
        early(mode, batch, i)
    y = summed(mode, xs, i)
    for r in range(p if not (mode == "skips" and marked) else 0):
        write(written / f"rank{r}.bin", y, broken=mode == "breaks" and marked and r == 1)


def early(mode: str, batch: Path, i: int) -> None:
    """What goes wrong before anything is written."""
    if mode == "slow":
        time.sleep(0.3)
    if mode == "ahead" and i:  # as if rank 1 were behind
        (batch / str(i - 1) / "output" / "rank1.bin").unlink()
    if mode in ("crashes", "ahead") or (mode == "tires" and i == 3):
        print("planted")
        sys.exit(3)
    if mode == "hangs":
        child = subprocess.Popen(["sleep", "60"])
        Path(batch.parent.parent / "children").write_text(str(child.pid))
        child.wait()


def summed(mode: str, xs: list[np.ndarray], i: int) -> np.ndarray:
    """The sum, or something like it."""
    y = sum(xs[1:], start=xs[0])
    if mode == "forgets" and y.size % len(xs):
        y = np.append(y[:-1], xs[0][-1:])
    if mode == "turns" and i % 2:
        y = np.nextafter(y, y.dtype.type(0))
    return y


def read(path: Path) -> np.ndarray:
    line, _, body = path.read_bytes().partition(b"\n")
    return np.frombuffer(body, json.loads(line)["dtype"])


def write(path: Path, y: np.ndarray, *, broken: bool) -> None:
    head = json.dumps({"n": y.size + broken, "dtype": str(y.dtype)}).encode() + b"\n"
    path.write_bytes(head + y.tobytes())


if __name__ == "__main__":
    main()
