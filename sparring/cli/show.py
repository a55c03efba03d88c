"""``sparring show``: what an algorithm does, in prose and as a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from sparring.cli import _options
from sparring.errors import InputError, Undecided
from sparring.ranges import LARGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sparring.present.explorer.document import Document
    from sparring.report import Report
    from sparring.spec.core.model import Page


class Files(NamedTuple):
    """The files that pictures are written to, None where one is not asked for, and how the figure is drawn."""

    html: Path | None
    svg: Path | None
    figure: Path | None
    view: str | None
    width: float | None
    step: int | None
    perfetto: Path | None

    def check(self, page: Page, topology: str | None) -> None:
        """Raise InputError for options that do not go together."""
        for option in ("view", "width", "step"):
            if getattr(self, option) is not None and (topology or not (self.svg or self.figure)):
                raise InputError(f"--{option}: right: with --figure FILE and without --topology")
        if self.perfetto and topology:
            raise InputError("--perfetto: a timeline has no links; right: without --topology")
        if self.perfetto and page.composed:
            raise InputError(
                f"{page.name} is a composition: its messages depend on the data; "
                f"right: sparring run {page.name} --perfetto"
            )


@click.command("show")
@_options.algorithm
@click.option("--ranks", "-n", type=click.IntRange(1, LARGEST), default=4, show_default=True)
@_options.parameters
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a page to FILE in which a browser steps through the run, message by message.")  # fmt: skip
@click.option("--figure", "--plot", "figure", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the picture to FILE, a .svg, .pdf, .png or .tex (TikZ); with --topology, how many messages "
              "each link carries.")  # fmt: skip
@click.option(
    "--view",
    type=click.Choice(["spacetime", "ring", "matrix"]),
    help="What that figure shows: all steps one below the other, as by default; each step's messages on a "
    "ring; or how many messages go from each rank to each.",
)
@click.option("--step", type=click.IntRange(0), metavar="T", help="Of a ring or a matrix, this step alone.")
@click.option(
    "--width", type=float, metavar="INCHES", help="How wide that figure is, by default as a paper's column, 3.33."
)
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="With --topology, write a timing in which messages meet to FILE; else as --figure.")  # fmt: skip
@click.option("--topology", metavar="NAME", help="Show instead which messages can meet on a link: ring, torus:k=2, …")
@_options.perfetto
@_options.as_json
def command(
    algorithm: str, ranks: int, params: tuple[tuple[str, Any], ...], topology: str | None, json_: bool, **asked: Any
) -> None:
    """Show what ALGO does: its prose, its formulas and its space-time picture.

    Of a selector: its prose, its formulas and how many entries it takes.
    """
    from sparring import api
    from sparring.present.explorer.document import plain

    given, files = dict(params), Files(**asked)
    if algorithm in api.selectors() and algorithm not in api.pages():
        _options.finish(selector(algorithm, given, (*files, topology), json_), json_)
    page = api.page(algorithm, **given)
    files.check(page, topology)
    document = api.explore(algorithm, ranks=ranks, topology=topology, **given) if files.html or json_ else None
    if page.composed:
        report = program(page, (files.svg, files.figure, None if files.html else topology), json_)
    elif topology:
        report = on_topology(page, topology, ranks, files, json_)
    else:
        report = spacetime(page, ranks, files, json_)
    if document:
        report = replace(report, extra={**report.extra, "explorer": plain(document)})
    if document and files.html:
        write(document, files.html, json_)
    _options.finish(report, json_)


def write(document: Document, file: Path, json_: bool) -> None:
    """Write the page for browsers, and say where; raise InputError where it cannot be written."""
    from sparring.present.explorer import html

    try:
        html.write(document, file)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error
    if not json_:
        written(file)


def written(*files: Path | None) -> None:
    """Say which files have been written."""
    from rich.markup import escape

    for file in filter(None, files):
        _options.console().print(f"\nwritten: {escape(str(file))}", soft_wrap=True)


def spacetime(page: Page, ranks: int, files: Files, json_: bool) -> Report:
    """Report the prose, the formulas and the space-time picture of a page with formulas; write what was asked for."""
    from sparring.present import spacetime as pictures
    from sparring.present.explorer.formulas import helpers, source
    from sparring.present.figures.files import SPACETIME, Drawing, save
    from sparring.present.timelines import steps, timeline
    from sparring.report import Report

    for file in filter(None, (files.svg, files.figure)):
        save(page, ranks, file, Drawing(files.view or SPACETIME, files.width, files.step))
    if files.perfetto:
        timeline.write(steps.of_page(page, ranks), files.perfetto)
    names = [
        *helpers(page.module), "steps", "messages", "chunks", "active", "dst", "src", "chunk", "block", "carries",
        "below", "adds",
    ]  # fmt: skip
    formulas = [text for name in names if (text := source(page.module, name))]
    if not json_:
        console = _options.console()
        told(page.name, page.doc, formulas)
        console.print(pictures.terminal(page, ranks, console.width, ascii_only=console.options.ascii_only))
        written(files.svg, files.figure, files.perfetto)
    extra = {"algorithm": page.name, "ranks": ranks, "prose": prose(page.doc), "formulas": formulas}
    return Report("show", extra=extra)


def told(name: str, doc: str, formulas: Sequence[str]) -> None:
    """Print the prose and the formulas."""
    from rich.markup import escape

    console = _options.console()
    console.print(f"[bold]{escape(name)}[/bold]: {escape(prose(doc))}\n", soft_wrap=True)
    console.print(escape("\n".join(formulas)) + "\n", soft_wrap=True)


def prose(doc: str) -> str:
    """Return a docstring without its examples."""
    from sparring.present.explorer import formulas

    return formulas.prose(doc)


def program(page: Page, drawn: tuple[object, ...], json_: bool) -> Report:
    """Report the prose and the functions of a composition.

    It has no picture here: who sends to whom depends on the data, and the page for browsers shows an example.
    """
    from sparring.present.explorer.formulas import helpers, own, source
    from sparring.report import Report

    if any(drawn):
        raise Undecided(
            f"{page.name} is a composition: its messages depend on the data, so it has no such picture; "
            "right: --html FILE, which shows them on an example"
        )
    functions = [source(page.module, name) for name in [*helpers(page.module), *own(page.module)]]
    if not json_:
        told(page.name, page.doc, functions)
        _options.console().print("Its messages depend on the data: --html FILE shows a run on an example.")
    return Report("show", extra={"algorithm": page.name, "prose": prose(page.doc), "formulas": functions})


ENTRIES = 10_000  # of a vector, in the sentence about how many a selector takes


def selector(name: str, params: dict[str, Any], drawn: tuple[object, ...], json_: bool) -> Report:
    """Report the prose and the functions of a selector, and how many entries it takes."""
    from sparring.present.explorer.formulas import helpers, source
    from sparring.report import Report
    from sparring.spec.core import selectors
    from sparring.spec.core.schedule import number

    if any(drawn):
        raise InputError(f"{name} is a selector: each rank has its own, and there is no picture of messages")
    found = selectors.find(name, **params)
    functions = [*helpers(found.module), *(name for name in selectors.LETTERS if hasattr(found.module, name))]
    formulas = [source(found.module, one) for one in dict.fromkeys(functions)]
    least, most = number(found.least(ENTRIES)), number(found.most(ENTRIES))
    given = ", ".join(f"{letter}={value}" for letter, value in found.params.items())
    if not json_:
        told(name, found.doc, formulas)
        _options.console().print(f"With {given}: of {ENTRIES} entries {span(least, most)}.", soft_wrap=True)
    bounds = {"entries": ENTRIES, "least": least, "most": most}
    extra = {"selector": name, "parameters": dict(found.params), "prose": prose(found.doc), "formulas": formulas}
    return Report("show", extra={**extra, "bounds": bounds})


def span(least: int, most: int) -> str:
    """Return as text how many entries are taken."""
    return f"exactly {most}" if least == most else f"at least {least} and at most {most}"


def on_topology(page: Page, topology: str, ranks: int, files: Files, json_: bool) -> Report:
    """Report how free of contention the page is there, and a timing in which messages meet, where they do."""
    from rich.markup import escape

    from sparring import api
    from sparring.present import timing
    from sparring.report import Report

    if files.figure:
        from sparring.present import linkload
        from sparring.proofs.contention import networks

        linkload.save(linkload.loads(page, networks.find(topology), ranks), files.figure)
    judged = api.contention(page, topology, ranks)
    if files.svg:
        files.svg.write_text(timing.svg(judged), encoding="utf-8")
    if not json_:
        console = _options.console()
        console.print(escape("\n".join(judged.sentences())) + "\n", soft_wrap=True)
        if judged.timing:
            console.print(timing.terminal(judged, console.width, ascii_only=console.options.ascii_only))
        written(files.svg, files.figure)
    return Report("show", extra={"algorithm": page.name, "ranks": ranks, "contention": judged.as_dict()})
