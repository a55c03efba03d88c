"""The runs that the gallery shows beside those of the algorithms: faults, and what others have written.

A story is a function here, which returns an explorer's page, and a tile in ``gallery.md``.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import sparring
from sparring import world
from sparring.present.explorer import examples, html, pages, worlds
from sparring.schedules import checking

PROGRAMS = Path(__file__).parents[1] / "stories"
SCHEDULES = Path(__file__).parents[2] / "tests/sparring/schedules/samples"


def dead_rank() -> str:
    """Return Moshpit on nine ranks, of which rank 4 dies in round 0 after two messages."""
    return html.page(pages.document(examples.page("moshpit", 9, m=3, dead=[[4, 0, 2]]), 9))


def failing_ring() -> str:
    """Return the check of a ring that overwrites where it must add once more."""
    xs = [np.full(4, 10**r) for r in range(4)]
    with TemporaryDirectory() as folder, chdir(folder):  # a check writes what refutes into the current folder
        target = f"{PROGRAMS / 'my_ring.py'}:allreduce"
        report = sparring.check(target, "ring", level="steps", only=["steps"], examples=[(xs, "result")])
        return report.explorers["steps"]()


def deadlock() -> str:
    """Return a run in which each of four ranks waits for the next."""
    exchange = runpy.run_path(str(PROGRAMS / "circle.py"))["exchange"]
    ran = world.run(exchange, 4, [np.arange(3.0)] * 4)
    return html.page(worlds.document(ran, "Four ranks that send first, and hear afterwards"))


def public_schedule() -> str:
    """Return a schedule that an example program of msccl-tools has written."""
    return checking.check_schedule(SCHEDULES / "allreduce_hierarchical_8.xml").explorers[""]()


STORIES: Mapping[str, Callable[[], str]] = {
    "failing-ring": failing_ring,
    "deadlock": deadlock,
    "moshpit-dead": dead_rank,
    "msccl-hierarchical": public_schedule,
}
"""By the names of their files."""
