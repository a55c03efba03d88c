"""Keeps what `sparring check --library` says of an MPI library, a file a library, beside this one.

Run:  sparring check --library --json | python docs/libraries/keep.py
"""

import json
import sys
from pathlib import Path
from typing import Any

GROUPS = {"agreement": "bits", "reproducibility": "bits", "in place": "in place", "messages": "messages"}
"""The groups of properties that have a column; all others are the sum's."""

LINES = 3


def kept(told: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a report: for each algorithm its verdicts by group, and what it sends."""
    library: dict[str, Any] = told["library"]
    for one in library["algorithms"]:
        found = [r for r in told["results"] if r["subject"] == f"{one['collective']}: {one['algorithm']}"]
        one["verdicts"] = {}
        for r in sorted(found, key=lambda r: r["verdict"] == "refuted"):
            if r["verdict"] != "not covered" or r["property"] in GROUPS:
                one["verdicts"][GROUPS.get(r["property"], "sum")] = r["verdict"].partition(" (")[0]
        one["refuted"] = [f"{r['property']}: {short(r['detail'])}" for r in found if r["verdict"] == "refuted"]
        del one["seconds"]
    return library


def short(detail: str) -> str:
    """Return the first lines of a detail, without the script that shows it."""
    return " ".join(detail.partition(". Run: ")[0].split("\n")[:LINES])


def written(library: dict[str, Any]) -> str:
    """Return the text of a file: a line an algorithm."""
    rows = ",\n  ".join(map(json.dumps, library["algorithms"]))
    return json.dumps(library | {"algorithms": []}, indent=1).replace("[]", f"[\n  {rows}\n ]") + "\n"


if __name__ == "__main__":
    report = kept(json.load(sys.stdin))
    Path(__file__).with_name(f"{report['name']}.json").write_text(written(report), encoding="utf-8")
