"""``sparring check --library``: an MPI library's own collectives, a row an algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from pathlib import Path

    from sparring.libraries.audit import Row

OPTIONS = ("library", "words", "ranks", "max_examples", "seed", "json_", "junit", "fail_under")
"""The options of ``check`` that count here."""

option = click.option("--library", is_flag=False, flag_value="", default=None, metavar="[NAME]",
                      help="Judge the collectives of an MPI library: openmpi, mpich or impi, by default the one that "
                           "is installed; TARGETs are their names, allreduce, by default all.")  # fmt: skip


def dispatch(
    library: str | None, words: Sequence[str], json_: bool, junit: Path | None, fail_under: str | None
) -> None:
    """Judge the library and leave, if one was asked for; without one there must be a TARGET."""
    if library is not None:
        audited(library, [collective(word) for word in words], json_, junit, fail_under)
    if not words:
        raise click.UsageError("Missing argument 'TARGET | -- COMMAND'.")


def audited(library: str, names: Sequence[str], json_: bool, junit: Path | None, fail_under: str | None) -> NoReturn:
    """Judge the library's collectives, and leave with the report's exit code."""
    from sparring.libraries.audit import audit
    from sparring.libraries.showing import LibraryOverview

    ctx = click.get_current_context()
    given = [name for name in ctx.params if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if odd := [name for name in given if name not in OPTIONS]:
        raise click.UsageError(f"--{odd[0].strip('_').replace('_', '-')} does not go with --library")
    console = _options.console(json_)
    overview = LibraryOverview(width=console.width, encoding=console.encoding)
    asked: dict[str, Any] = {name: ctx.params[name] for name in ("ranks", "max_examples", "seed")}

    def advance(row: Row) -> None:
        for line in overview.lines(row) if not json_ else ():
            console.print(line, soft_wrap=True, markup=False, emoji=False)

    report = audit(library, names, advance=advance, **asked)
    weak = _options.weak(report, fail_under, junit)
    if not json_:
        for line in overview.end(report):
            console.print(line, soft_wrap=True, markup=False, emoji=False)
    _options.finish(report, json_, weak)


def collective(word: str) -> str:
    """Return the name of a collective that is written as MPI does, ``MPI_Allreduce``, or ``allreduce``."""
    return word.lower().removeprefix("mpi_")
