"""``check --perfetto``: when the ranks of a recorded run did what, as a file that Perfetto opens."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparring.errors import InputError
from sparring.flight_recorder import dumps
from sparring.flight_recorder.meetings import assemble
from sparring.flight_recorder.timeline import of_job
from sparring.present.timelines import timeline, traces
from sparring.trace import files

WANTED = "right: a trace, or a folder of flight-recorder dumps; sparring run and show have it for algorithms"


def write(target: Any, ranks: Iterable[int] | None, file: Path) -> None:
    """Write the timeline of a trace or of dumps; raise InputError for any other target, or where one is malformed."""
    path = Path(target) if isinstance(target, (str, Path)) else Path()
    if dumps.is_job(target):
        found = of_job(assemble(dumps.read(path), max(ranks or (), default=None)), path.name)
    elif path.suffix == ".jsonl" or (path / "rank0.jsonl").is_file():
        found = traces.of_trace(files.read(path), path.name)
    else:
        raise InputError(f"--perfetto: {target} is nothing that was recorded; {WANTED}")
    timeline.write(found, file)
