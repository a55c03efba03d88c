"""The table of ``docs/howto/hanging_jobs.md``: what sparring and torch's own analyser say of the same jobs.

``python -m tests.sparring.flight_recorder.analysed`` runs the jobs on gloo, which needs torch, and prints the table.
torch's analyser needs to know which ranks a group has, which gloo's dumps do not tell; it gets dumps that do.  What it
says of the dumps as they are goes to standard error.
"""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from sparring.flight_recorder.checking import check_dumps
from tests.sparring.flight_recorder.real_jobs import RANKS, run_jobs

JOBS = {
    "skipped": "rank 1 leaves out one of several calls",
    "only_rank_0": "a collective behind `if rank == 0`",
    "shapes": "rank 2 brings one element more",
    "dtypes": "rank 1 brings integers",
    "kinds": "rank 2 calls another collective",
    "swapped": "rank 1 uses two groups in the other order",
    "pairs": "a circle of groups of two",
    "slow": "rank 1 is slow",
    "dead": "rank 1 is dead",
    "receives": "a circle of blocking receives",
}
WATCHED = {
    "receives": "the same, watched",
    "posted": "sends to the next rank, receives from the next rank, watched",
    "slow": "rank 1 is slow, watched",
}
"""Jobs that ``sparring.torch.watch`` dumps; torch's analyser gets the same as pickles."""
TWINS = {"shapes": "its twin: rank 2 brings as many in another shape"}
"""What is remarkable about right jobs; of these a line is printed only where something is said."""
TOLD = re.compile(
    r"^(?:(?P<head>Not all ranks joining collective|Collective)[^\d]*(?P<seq>\d+).*|group info: (?P<group>.+)"
    r"|missing ranks: (?P<missing>.+)|error msg: (?P<error>.+)|(?P<raised>\w+Error: .+))$",
    re.MULTILINE,
)


def completed(folder: Path, out: Path) -> Path:
    """Write the dumps of a job again, with the ranks of each group."""
    dumps = {path.name: pickle.loads(path.read_bytes()) for path in folder.glob("trace_*")}
    users: dict[tuple[str, str], set[int]] = defaultdict(set)
    for name, dump in dumps.items():
        for entry in dump["entries"]:
            users[entry["process_group"]].add(int(name.removeprefix("trace_")))
    out.mkdir()
    for name, dump in dumps.items():
        dump["pg_config"] = {
            group: {"name": group, "desc": desc, "ranks": str([*range(RANKS)] if group == "0" else sorted(ranks))}
            for (group, desc), ranks in users.items()
            if int(name.removeprefix("trace_")) in ranks
        }
        (out / name).write_bytes(pickle.dumps(dump, protocol=2))
    return out


def pickled(folder: Path, out: Path) -> Path:
    """Write JSON dumps again as pickles, which alone torch's analyser reads."""
    out.mkdir()
    for path in folder.glob("trace_*"):
        (out / path.stem).write_bytes(pickle.dumps(json.loads(path.read_text(encoding="utf-8")), protocol=2))
    return out


def torchs(folder: Path) -> str:
    """What torch's analyser says of the dumps in a folder, the words without the stacks."""
    words = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    said = [match.group().strip() for match in TOLD.finditer(done.stdout + done.stderr)]
    return "; ".join(said) or "nothing"


def row(name: str, how: str, temporary: Path) -> str:
    """A line of the table: the job, or its twin, and what both say."""
    job = f"{name}-{how}"
    run_jobs(temporary, job)
    folder, bare = temporary / job, temporary / "bare"
    bare.mkdir()
    for path in folder.glob("trace_*"):
        (bare / path.name).write_bytes(path.read_bytes())
    first = check_dumps(bare).extra["first_divergence"]
    said = [first["sentence"] if first else "nothing", torchs(completed(bare, temporary / "told"))]
    print(f"{name} {how}, as dumped: {torchs(bare)}", file=sys.stderr)
    if how == "right" and said == ["nothing", "nothing"]:
        return ""
    cells = [JOBS[name] if how == "wrong" else TWINS.get(name, "its twin")]
    told = " | ".join(cells + ["nothing" if text == "nothing" else f"`{text}`" for text in said])
    return f"| {told} |\n"


def watched(name: str, temporary: Path) -> str:
    """A line of the table: a job that was watched, and what both say."""
    run_jobs(temporary, f"{name}-wrong-watched")
    folder = temporary / f"{name}-wrong-watched"
    first = check_dumps(folder).extra["first_divergence"]
    said = torchs(pickled(folder, temporary / "pickled"))
    return f"| {WATCHED[name]} | `{first['sentence']}` | {said if said == 'nothing' else f'`{said}`'} |\n"


def main() -> None:
    print("| the job | `sparring check` | `torchfrtrace`, told the groups |\n|---|---|---|")
    for name in JOBS:
        for how in ("wrong", "right"):
            with tempfile.TemporaryDirectory() as temporary:
                print(row(name, how, Path(temporary)), end="", flush=True)
    for name in WATCHED:
        with tempfile.TemporaryDirectory() as temporary:
            print(watched(name, Path(temporary)), end="", flush=True)


if __name__ == "__main__":
    main()
