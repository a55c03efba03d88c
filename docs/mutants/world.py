"""Plants faults at random in the simulated MPI, asks ``verify``, and keeps what became of them beside this file.

Run:  python docs/mutants/world.py [COUNT [SEED [JOBS]]]

A fault is planted in a copy of the package, since whoever looks for it stands on what is broken.  Drawn are faults on
lines that such a look runs; it is that of ``verify`` on few algorithms and ranks, without proofs.  Why a survivor may
live is written into the file by hand, and stays there as long as the fault does.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import sparring
from sparring.proofs import world
from sparring.proofs.mutants.syntax import Mutant, mutants

FILE = Path(__file__).with_name("sample") / "world.json"
PACKAGE, ROOM = Path(sparring.__file__).parent, Path(world.__file__).parent
LOOK = """
import sparring
from sparring import verification
from sparring.reached import Reached

plan = verification.Plan(terms=(1, 2, 3), numbers=(1, 2, 3), gradients=(2,))
for name in ("ring", "recursive_multiplying", "ring_topk", "one_bit"):
    page = sparring.page(name)
    target = verification.judged(page)
    found = verification.run_simulated(page, target, plan, lambda items, _: items, Reached(page, target))
    for result in found.values():
        if result.verdict.word.exit_code:
            raise SystemExit(f"{name}: {result.property}: {result.verdict}: {result.detail}")
"""
"""One of each kind of data, and one that sends several messages in a step."""
WATCHED = f"""
import json, sys
from coverage import Coverage

seen = Coverage(data_file=None, config_file=False, include=[{str(ROOM)!r} + "/*"], concurrency=["greenlet"])
seen.start()
{LOOK}
seen.stop()
json.dump({{file: seen.get_data().lines(file) for file in seen.get_data().measured_files()}}, sys.stdout)
"""
PATIENCE = 300
"""Seconds after which such a look hangs; without a fault it takes ten."""

Told = dict[str, str]


def main(count: int = 100, seed: int = 22, jobs: int = 2) -> None:
    """Writes all."""
    drawn = random.Random(seed).sample(sites(), count)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        copies = [copied(Path(folder) / str(job)) for job in range(jobs)]
        parts = pool.map(lambda job: [fate(copies[job], *one) for one in drawn[job::jobs]], range(jobs))
        found = [told for part in parts for told in part]
    FILE.write_text(json.dumps({"count": count, "seed": seed, "faults": explained(found)}, indent=1) + "\n", "utf-8")


def explained(found: Sequence[Told]) -> list[Told]:
    """With the reasons that the file has of those that live."""
    before = json.loads(FILE.read_text("utf-8"))["faults"] if FILE.exists() else []
    known = {place(one): one["why"] for one in before if one["word"] == "survived"}
    return [one | {"why": known.get(place(one), "")} if one["word"] == "survived" else one for one in
            sorted(found, key=place)]  # fmt: skip


def place(one: Mapping[str, str]) -> tuple[str, ...]:
    """Which fault it is."""
    return one["module"], one["function"], one["line"], one["change"]


def sites() -> list[tuple[str, Mutant]]:
    """All faults on lines that a look runs, with their modules."""
    lines = {Path(file).stem: {*ran} for file, ran in json.loads(looked(PACKAGE.parent, WATCHED)[1]).items()}
    sources = {path.stem: path.read_text("utf-8") for path in sorted(ROOM.glob("*.py"))}
    every = [(module, mutant) for module, source in sources.items() for mutant in mutants(source)]
    return [(module, mutant) for module, mutant in every if mutant.line in lines.get(module, ())]


def copied(folder: Path) -> Path:
    """A folder with a copy of the package, links followed."""
    shutil.copytree(PACKAGE, folder / "sparring", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def fate(folder: Path, module: str, mutant: Mutant) -> Told:
    """What such a look says with this fault in the copy."""
    file = folder / "sparring/proofs/world" / f"{module}.py"
    before = file.read_text("utf-8")
    file.write_text(ast.unparse(mutant.tree), "utf-8")
    try:
        code, why = looked(folder, LOOK)
    finally:
        file.write_text(before, "utf-8")
    word = "killed" if code else "survived"
    last = (why.strip().splitlines() or [""])[-1] if code else ""
    return {"module": module, "function": mutant.function, "line": mutant.text, "change": mutant.told, "word": word,
            "why": last[:200]}  # fmt: skip


def looked(folder: Path, code: str) -> tuple[int, str]:
    """The exit code of such a look at the package in ``folder``, and what it printed."""
    run = partial(subprocess.run, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, text=True, check=False)
    command = [sys.executable, "-B", "-c", code]
    try:
        done = run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return 1, f"no answer within {PATIENCE} s"
    return done.returncode, done.stdout


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
