"""What the documentation publishes of MPI libraries is what the command says of the one that is installed."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from sparring.libraries.audit import SIZES, compared, counted
from sparring.libraries.collectives import COLLECTIVES
from sparring.libraries.selection import NAMES, installed
from sparring.proofs.logic.verdicts import Word

ROOM = Path(__file__).parents[2] / "docs/libraries"


def published(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOM / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_all_collectives_of_every_library_are_published(name):
    told = published(name)
    assert {one["collective"] for one in told["algorithms"]} == set(COLLECTIVES)
    for one in told["algorithms"]:
        assert one["verdicts"] or all("refused" in run for run in one["runs"]), one["algorithm"]
        assert bool(one["refuted"]) == ("refuted" in one["verdicts"].values())


def test_what_is_kept_of_a_report():
    """The worst verdict of a group, and the first lines of what is refuted."""
    rows = [("sum", "tested (3 examples)"), ("edge sizes", "refuted"), ("agreement", "tested (1 example)")]
    results = [
        {"subject": "bcast: a", "property": prop, "verdict": verdict, "detail": "p=2: wrong. Run: python x"}
        for prop, verdict in rows
    ]
    library = {"algorithms": [{"collective": "bcast", "algorithm": "a", "seconds": 1.0}]}
    (kept,) = runpy.run_path(str(ROOM / "keep.py"))["kept"]({"library": library, "results": results})["algorithms"]
    assert kept["verdicts"] == {"sum": "refuted", "bits": "tested"}
    assert kept["refuted"] == ["edge sizes: p=2: wrong"]


@pytest.mark.runtimes
@pytest.mark.timeout(300)
def test_what_is_published_is_what_the_library_lets_one_choose_and_sends():
    """Of the version that is published; where it tells its messages, those of all allreduces are counted again."""
    library = installed()
    told = published(library.name)
    if told["version"] != library.version:
        pytest.skip(f"{library.version} is not the published {told['version']}")
    choices = library.choices(tuple(COLLECTIVES))
    assert [(one.collective, one.name) for one in choices] == [
        (one["collective"], one["algorithm"]) for one in told["algorithms"]
    ]
    some = [one for one in choices if one.collective == "allreduce"]
    sent = counted(library, some, (2, 3, 4, 6))
    for one, kept in zip(some, told["algorithms"]):
        runs = {(p, n): sent[one.collective, one.name, p, n] for p in (2, 3, 4, 6) for n in SIZES} if sent else {}
        totals = {(run["ranks"], run["size"]): run["sent"] for run in kept["runs"]}
        for run, found in runs.items():
            messages, nbytes = (sum(column) for column in zip(*found.pairs.values()))
            assert totals[run] == {"messages": messages, "nbytes": nbytes}
        assert not runs or compared(one, runs)[0].verdict.word is Word.TESTED
