"""``sparring export``: an algorithm for other programs to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sparring.cli import _options
from sparring.spec.core.model import Page

SCHEDULES = ("msccl", "json", "goal", "chakra")
SIZED = ("goal", "chakra")  # they count bytes


def told() -> list[str]:
    """Return the algorithms that have test vectors."""
    from sparring import api
    from sparring.vectors import covered

    return [name for name in api.pages() if covered(api.page(name))]


def vectors(pages: Sequence[Page], folder: Path) -> list[Path]:
    """Write test vectors; return the files."""
    from sparring.vectors import export

    return export(pages, folder)


def schedules(pages: Sequence[Page], folder: Path, form: str, ranks: int, size: int) -> list[Path]:
    """Write schedule files, ``ALGO-RANKS`` and the format's ending; return the files."""
    from rich.progress import Progress

    from sparring.schedules.checking import export

    console = _options.console(json_=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:

        def track(ranks: Any, description: str) -> Any:
            return progress.track(ranks, description=description)

        return [
            file
            for page in pages
            for file in export(page, ranks, form, folder / f"{page.name}-{ranks}", size=size, track=track)
        ]


@click.command("export")
@_options.algorithms
@click.option("--format", "format_", type=click.Choice(["vectors", *SCHEDULES]), required=True,
              help="vectors: what must be sent and computed on given inputs, as JSON; "
                   "msccl, json, goal, chakra: the schedule for --ranks.")  # fmt: skip
@click.option("--ranks", type=click.IntRange(1), help="Of a schedule: for how many ranks.")
@click.option("--size", type=click.IntRange(1), default=2**20, show_default=True,
              help="Of goal and chakra: the bytes of the vector.")  # fmt: skip
@click.option("--out", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Write to DIR, and replace what is there of those names [schedules: here].")  # fmt: skip
@_options.parameters
@_options.as_json
def command(
    algorithms: tuple[str, ...], format_: str, ranks: int | None, size: int, folder: Path | None,
    params: tuple[tuple[str, Any], ...], json_: bool,
) -> None:  # fmt: skip
    """Write ALGO, by default all, in a format that other programs read.

    Of schedules, msccl and json say what is put and added where; goal and chakra keep only who sends how many
    bytes to whom, and after what.  Chakra has a file for each rank.
    """
    from sparring import api
    from sparring.report import Report

    if format_ == "vectors" and folder is None:
        raise click.UsageError("Missing option '--out'.")
    if format_ in SCHEDULES and (ranks is None or not algorithms):
        raise click.UsageError(f"--format {format_} needs ALGO and --ranks N")
    if format_ == "vectors":
        _options.alone(("ranks", "size"), f"--format {', '.join(SCHEDULES)}")
    if format_ not in SIZED:
        _options.alone(("size",), f"--format {' or '.join(SIZED)}")
    pages = [api.page(algo, **dict(params)) for algo in algorithms or told()]
    if folder is not None and format_ == "vectors":
        written = vectors(pages, folder)
    else:
        written = schedules(pages, folder or Path(), format_, ranks or 1, size)
    if not json_:
        click.echo("\n".join(f"written: {path}" for path in written))
    _options.finish(Report("export", extra={"format": format_, "files": [str(path) for path in written]}), json_)
