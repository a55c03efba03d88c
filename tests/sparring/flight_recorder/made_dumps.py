"""Dumps made by hand, of NCCL as its recorder writes them: groups with their ranks, sends and receives too."""

from __future__ import annotations

import json
import pickle
from itertools import count
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def call(kind="all_reduce", number=1, *, group="0", sizes=(4,), dtype="Float", done=True, line=10, **other) -> Entry:
    """A call of NCCL's, of one tensor each way, at a line of ``train.py``."""
    desc = "default_pg" if group == "0" else "undefined"
    frames = [
        {"name": kind, "filename": "/env/torch/distributed/distributed_c10d.py", "line": 3245},
        {"name": "step", "filename": "/job/train.py", "line": line},
    ]
    return {
        "process_group": (group, desc), "profiling_name": f"nccl:{kind}", "collective_seq_id": number, "p2p_seq_id": 0,
        "input_sizes": [list(sizes)], "output_sizes": [list(sizes)], "input_dtypes": [dtype], "output_dtypes": [dtype],
        "state": "completed" if done else "started", "retired": done, "is_p2p": False, "frames": frames,
        "time_created_ns": number * 10**9, "time_discovered_completed_ns": None,
    } | other  # fmt: skip


def message(kind, own, peer, number=1, **how) -> Entry:
    """A send to ``peer`` or a receive from it; ranks count within the group."""
    arrow = "->" if kind == "send" else "<-"
    return {**call(f"{kind} {own}{arrow}{peer}", 0, **how), "p2p_seq_id": number, "is_p2p": True}


def dump(entries: list[Entry], groups: dict[str, list[int]], first: int = 0) -> dict[str, Any]:
    """The dump of one rank, whose first record has that number."""
    config = {name: {"name": name, "desc": "", "ranks": str(ranks)} for name, ranks in groups.items()}
    numbered = [{**entry, "record_id": record} for entry, record in zip(entries, count(first))]
    return {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": numbered}


def job(folder: Path, calls: dict[int, list[Entry]], form: str = "pickle", first: int = 0, **groups: Any) -> Path:
    """A folder with the dumps of a job; by default the group 0 has all ranks that left one.

    Groups are given as ``g1=[0, 2]``.
    """
    folder.mkdir(exist_ok=True)
    named = {name.removeprefix("g"): ranks for name, ranks in {"g0": sorted(calls), **groups}.items()}
    for rank, entries in calls.items():
        one = dump(entries, named, first)
        if form == "json":
            for entry in one["entries"]:
                del entry["frames"]
                entry["time_discovered_completed_ns"] = entry["time_discovered_completed_ns"] or 0
            if not one["entries"]:
                del one["entries"]
            (folder / f"nccl_trace_rank_{rank}.json").write_text(json.dumps(one), encoding="utf-8")
        else:
            (folder / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(one, protocol=2))
    return folder
