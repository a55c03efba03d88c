"""``sparring check --library``: an MPI library's own collectives, a row an algorithm."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sparring.cli import _options
from sparring.errors import InputError

if TYPE_CHECKING:
    from sparring.libraries.audit import Row

OPTIONS = ("library", "words", "ranks", "max_examples", "seed", "json_", "junit", "fail_under", "html")
"""The options of ``check`` that count here."""

SELECTING = ("library", "selection", "machine", "words", "ranks", "budget", "json_")
"""Those that count with --selection."""

library = click.option("--library", is_flag=False, flag_value="", default=None, metavar="[NAME]",
                       help="Judge the collectives of an MPI library: openmpi, mpich or impi, by default the one that "
                            "is installed; TARGETs are their names, allreduce, by default all.")  # fmt: skip
selection = click.option("--selection", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                         help="With --library and one collective: which algorithm the library chooses by itself, and "
                              "what that costs; drawn into a .svg, .png or .pdf.")  # fmt: skip
machine = click.option("--machine", default=None, metavar="NAME|FILE", show_default="fitted to the times",
                       help="With --selection: what costs are derived for, eth-25g or ./file.json.")  # fmt: skip


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of this module."""
    return library(selection(machine(command)))


def dispatch(
    asked: dict[str, Any], words: Sequence[str], json_: bool, junit: Path | None, fail_under: str | None
) -> None:
    """Judge the library and leave, if one was asked for; without one there must be a TARGET.

    Takes the options of this module out of ``asked``.
    """
    name, file, place = (asked.pop(one) for one in ("library", "selection", "machine"))
    if name is None and (file or place):
        raise click.UsageError(f"--{'selection' if file else 'machine'} goes with --library")
    names = [collective(word) for word in words]
    if name is not None and file:
        selected(name, names, file, place, json_)
    if name is not None:
        audited(name, names, json_, junit, fail_under)
    if not words:
        raise click.UsageError("Missing argument 'TARGET | -- COMMAND'.")


def selected(library: str, names: Sequence[str], file: Path, place: str | None, json_: bool) -> NoReturn:
    """Audit what the library chooses by itself, draw it, and leave."""
    import msgspec

    from sparring.costs.links import machines
    from sparring.libraries import choice_picture
    from sparring.libraries.choice_audit import audit_choices
    from sparring.libraries.choice_tables import lines
    from sparring.present import crossing, growth
    from sparring.report import Report

    _options.only(SELECTING, "--selection")
    if len(names) != 1:
        raise InputError(
            "--selection is of one collective; right: check --library openmpi allreduce --selection FILE.svg"
        )
    crossing.check(file, "--selection")  # before what takes long
    with growth.settings():
        pass
    params, start = click.get_current_context().params, time.perf_counter()
    progress = _options.console(json_=True)
    found = audit_choices(
        names[0], library, machine=machines.machine(place) if place else None, ranks=params["ranks"],
        budget=params["budget"], tell=lambda text: progress.print(text, style="dim", markup=False),
    )  # fmt: skip
    choice_picture.save(found, file)
    for line in () if json_ else lines(found):
        _options.tell(_options.console(), line)
    extra = {"selection": msgspec.to_builtins(found)}
    _options.finish(Report("check --library --selection", [], [], time.perf_counter() - start, extra), json_)


def audited(library: str, names: Sequence[str], json_: bool, junit: Path | None, fail_under: str | None) -> NoReturn:
    """Judge the library's collectives, and leave with the report's exit code."""
    from sparring.libraries.audit import audit
    from sparring.libraries.showing import LibraryOverview

    _options.only(OPTIONS, "--library")
    ctx = click.get_current_context()
    console = _options.console(json_)
    overview = LibraryOverview(width=console.width, encoding=console.encoding)
    asked: dict[str, Any] = {name: ctx.params[name] for name in ("ranks", "max_examples", "seed")}

    def advance(row: Row) -> None:
        for line in overview.lines(row) if not json_ else ():
            console.print(line, soft_wrap=True, markup=False, emoji=False)

    report = audit(library, names, advance=advance, **asked)
    weak = _options.weak(report, fail_under, junit, ctx.params["html"])
    if not json_:
        for line in overview.end(report):
            console.print(line, soft_wrap=True, markup=False, emoji=False)
    _options.finish(report, json_, weak)


def collective(word: str) -> str:
    """Return the name of a collective that is written as MPI does, ``MPI_Allreduce``, or ``allreduce``."""
    return word.lower().removeprefix("mpi_")
