"""``sparring export``: an algorithm for other programs to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from sparring.cli import _options
from sparring.spec.core.model import Page


def vectors(pages: Sequence[Page], folder: Path) -> list[Path]:
    """Test vectors."""
    from sparring.vectors import export

    return export(pages, folder)


WRITERS: Mapping[str, Callable[[Sequence[Page], Path], list[Path]]] = {"vectors": vectors}
"""By format, what writes these pages to a folder and returns the files."""


@click.command("export")
@_options.algorithms
@click.option("--format", "format_", type=click.Choice([*WRITERS]), required=True,
              help="vectors: what must be sent and computed on given inputs, as JSON.")  # fmt: skip
@click.option("--out", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", required=True,
              help="Write to DIR, and replace what is there of the same names.")  # fmt: skip
@_options.parameters
@_options.as_json
def command(
    algorithms: tuple[str, ...], format_: str, folder: Path, params: tuple[tuple[str, Any], ...], json_: bool
) -> None:
    """Write ALGO, by default all, in a format that other programs read."""
    from sparring import api
    from sparring.report import Report

    pages = [api.page(algo, **dict(params)) for algo in algorithms or api.pages()]
    written = WRITERS[format_](pages, folder)
    if not json_:
        click.echo("\n".join(f"written: {path}" for path in written))
    _options.finish(Report("export", extra={"format": format_, "files": [str(path) for path in written]}), json_)
