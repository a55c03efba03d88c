"""A program that adds all ranks' vectors in one process, and does one thing wrong: ``MODE P INPUT OUTPUT``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np


def main() -> None:
    mode, given, written = sys.argv[1], Path(sys.argv[3]), Path(sys.argv[4])
    p = int(sys.argv[2])
    if mode == "exits":
        print("planted")
        sys.exit(3)
    if mode == "hangs":
        child = subprocess.Popen(["sleep", "60"])
        Path(given.parent.parent / "children").write_text(str(child.pid))
        child.wait()
    if mode.startswith("SIG"):
        print("planted", flush=True)
        os.kill(os.getpid(), getattr(signal, mode))
    xs = []
    for r in range(p):
        line, _, body = (given / f"rank{r}.bin").read_bytes().partition(b"\n")
        xs.append(np.frombuffer(body, json.loads(line)["dtype"]))
    y = sum(xs[1:], start=xs[0])
    y = {"shape": y[1:], "dtype": y.astype(np.float32)}.get(mode, y)
    for r in range(p):
        head = {"n": len(y) + (mode == "bytes"), "dtype": "complex64" if mode == "unknown" else str(y.dtype)}
        head |= {"rank": p - 1 - r if mode == "swapped" else r, "ranks": p}
        text = "no JSON" if mode == "header" else json.dumps(head)
        if mode == "missing" and r == 1:
            continue
        if mode in ("npz", "both", "torn"):
            np.savez(written / f"rank{r}.npz", x=y - (mode == "torn"))
        if mode != "npz":
            (written / f"rank{r}.bin").write_bytes(text.encode() + b"\n" + y.tobytes())


if __name__ == "__main__":
    main()
