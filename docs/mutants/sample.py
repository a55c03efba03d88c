"""Plants faults at random below ``impl``, asks ``verify``, and keeps what became of them beside this file.

Run:  python docs/mutants/sample.py [COUNT [SEED [JOBS]]]

Why a survivor may live is written into the file by hand, and stays there as long as the fault does.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from sparring.mutation.sampled import Fault, fates

FILE = Path(__file__).with_name("sample") / "sample.json"


def part(count: int, seed: int, parts: int, at: int) -> list[Fault]:
    """The fates of one part."""
    return [*fates(count, seed, at, parts)]


def main(count: int = 200, seed: int = 22, jobs: int = 2) -> None:
    """Writes all."""
    with ProcessPoolExecutor(jobs) as pool:
        found = [one for some in pool.map(partial(part, count, seed, jobs), range(jobs)) for one in some]
    before = json.loads(FILE.read_text(encoding="utf-8"))["faults"] if FILE.exists() else []
    known = {(one["module"], one["line"], one["change"]): one["why"] for one in before if one["word"] == "survived"}
    told = [
        one._replace(why=known.get((one.module, one.line, one.change), "")) if one.word == "survived" else one
        for one in sorted(found)
    ]
    FILE.parent.mkdir(exist_ok=True)
    text = json.dumps({"count": count, "seed": seed, "faults": [one._asdict() for one in told]}, indent=1)
    FILE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
