"""``sparring show``: what an algorithm does, in prose and as a picture."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options
from sparring.errors import InputError, Undecided
from sparring.ranges import LARGEST

if TYPE_CHECKING:
    from sparring.report import Report
    from sparring.spec.core.blocks import Chunks
    from sparring.spec.core.model import Page


@click.command("show")
@_options.algorithm
@click.option("--ranks", "-n", type=click.IntRange(1, LARGEST), default=4, show_default=True)
@_options.parameters
@click.option("--svg", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the picture to FILE as SVG.")  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="The same; with --topology, how many messages each link carries: a .svg, .png or .pdf.")  # fmt: skip
@click.option("--topology", metavar="NAME", help="Show instead which messages can meet on a link: ring, torus:k=2, …")
@_options.as_json
def command(
    algorithm: str, ranks: int, params: tuple[tuple[str, Any], ...], file: Path | None, plot: Path | None,
    topology: str | None, json_: bool,
) -> None:  # fmt: skip
    """Show what ALGO does: its prose, its formulas and its space-time picture.

    Of a selector: its prose, its formulas and how many entries it takes.
    """
    from rich.markup import escape

    from sparring import api
    from sparring.present import spacetime
    from sparring.report import Report
    from sparring.spec.core.schedule import number, step_sends

    if algorithm in api.selectors() and algorithm not in api.pages():
        _options.finish(selector(algorithm, dict(params), (file, plot, topology), json_), json_)
    page = api.page(algorithm, **dict(params))
    if page.composed:
        _options.finish(program(page, (file, plot, topology), json_), json_)
    if topology and plot:
        from sparring.present import linkload
        from sparring.proofs.contention import networks

        linkload.save(linkload.loads(page, networks.find(topology), ranks), plot)
    if topology:
        _options.finish(on_topology(page, topology, ranks, file, plot, json_), json_)
    file = file or plot
    if file and file.suffix in (".png", ".pdf"):
        raise InputError(f"--plot {file}: this picture is an .svg; with --topology it may be a .png or .pdf")
    if file:
        file.write_text(spacetime.svg(page, ranks), encoding="utf-8")
    names = [
        *helpers(page.module), "steps", "messages", "chunks", "active", "dst", "src", "chunk", "block", "adds",
    ]  # fmt: skip
    formulas = [source for name in names if (source := formula(page.module, name))]
    if not json_:
        console = _options.console()
        console.print(f"[bold]{escape(page.name)}[/bold]: {escape(prose(page.doc))}\n", soft_wrap=True)
        console.print(escape("\n".join(formulas)) + "\n", soft_wrap=True)
        console.print(spacetime.terminal(page, ranks, console.width, ascii_only=console.options.ascii_only))
        if file:
            console.print(f"\nwritten: {escape(str(file))}")
    trace = [
        [{"src": src, "dst": dst} | held(page, chunks) for src, dst, chunks in step_sends(page, t, ranks)]
        for t in range(number(page.steps(ranks)))
    ]
    extra = {"algorithm": page.name, "ranks": ranks, "prose": prose(page.doc), "formulas": formulas, "steps": trace}
    _options.finish(Report("show", extra=extra), json_)


def program(page: Page, drawn: tuple[object, ...], json_: bool) -> Report:
    """Report the prose and the functions of a composition.

    It has no picture: who sends to whom depends on the data.
    """
    from rich.markup import escape

    from sparring.report import Report

    if any(drawn):
        raise Undecided(f"{page.name} is a composition: its messages depend on the data, so it has no picture")
    functions = [formula(page.module, name) for name in [*helpers(page.module), *own(page.module)]]
    if not json_:
        console = _options.console()
        console.print(f"[bold]{escape(page.name)}[/bold]: {escape(prose(page.doc))}\n", soft_wrap=True)
        console.print(escape("\n".join(functions)) + "\n", soft_wrap=True)
    extra = {"algorithm": page.name, "prose": prose(page.doc), "formulas": functions}
    return Report("show", [], [f"{page.name}: no picture, since its messages depend on the data"], extra=extra)


ENTRIES = 10_000  # of a vector, in the sentence about how many a selector takes


def selector(name: str, params: dict[str, Any], drawn: tuple[object, ...], json_: bool) -> Report:
    """Report the prose and the functions of a selector, and how many entries it takes."""
    from rich.markup import escape

    from sparring.report import Report
    from sparring.spec.core import selectors
    from sparring.spec.core.schedule import number

    if any(drawn):
        raise InputError(f"{name} is a selector: each rank has its own, and there is no picture of messages")
    found = selectors.find(name, **params)
    functions = [*helpers(found.module), *(name for name in selectors.LETTERS if hasattr(found.module, name))]
    formulas = [formula(found.module, one) for one in dict.fromkeys(functions)]
    least, most = number(found.least(ENTRIES)), number(found.most(ENTRIES))
    given = ", ".join(f"{letter}={value}" for letter, value in found.params.items())
    if not json_:
        console = _options.console()
        console.print(f"[bold]{escape(name)}[/bold]: {escape(prose(found.doc))}\n", soft_wrap=True)
        console.print(escape("\n".join(formulas)) + "\n", soft_wrap=True)
        console.print(f"With {given}: of {ENTRIES} entries {span(least, most)}.", soft_wrap=True)
    bounds = {"entries": ENTRIES, "least": least, "most": most}
    extra = {"selector": name, "parameters": dict(found.params), "prose": prose(found.doc), "formulas": formulas}
    return Report("show", extra={**extra, "bounds": bounds})


def span(least: int, most: int) -> str:
    """Return as text how many entries are taken."""
    return f"exactly {most}" if least == most else f"at least {least} and at most {most}"


def own(module: Any) -> list[str]:
    """Return the names of the module's functions that are called as formulas are."""
    from sparring.spec.core.vocabulary import LETTERS

    return [name for name in LETTERS if hasattr(module, name)]


def held(page: Page, chunks: Chunks) -> dict[str, Any]:
    """Return the chunk of a message; where the page sends blocks, the first and their number."""
    return {"chunk": chunks.start} | ({"chunks": len(chunks)} if page.blocks else {})


def on_topology(
    page: Page, topology: str, ranks: int, file: Path | None, plot: Path | None, json_: bool
) -> Report:  # fmt: skip
    """Report how free of contention the page is there, and a timing in which messages meet, where they do."""
    from rich.markup import escape

    from sparring import api
    from sparring.present import timing
    from sparring.report import Report

    judged = api.contention(page, topology, ranks)
    if file:
        file.write_text(timing.svg(judged), encoding="utf-8")
    if not json_:
        console = _options.console()
        console.print(escape("\n".join(judged.sentences())) + "\n", soft_wrap=True)
        if judged.timing:
            console.print(timing.terminal(judged, console.width, ascii_only=console.options.ascii_only))
        for drawn in filter(None, (file, plot)):
            console.print(f"\nwritten: {escape(str(drawn))}")
    return Report("show", extra={"algorithm": page.name, "ranks": ranks, "contention": judged.as_dict()})


def prose(doc: str) -> str:
    """Return a page's docstring without its examples."""
    paragraphs = doc.strip().split("\n\n")
    return "\n\n".join(p for p in paragraphs if not p.startswith(">>>"))


def helpers(module: Any) -> list[str]:
    """Return the names of the functions of its own that a page's formulas use."""
    from sparring.spec.core.vocabulary import LETTERS

    own = inspect.getmembers(module, lambda f: inspect.isfunction(f) and f.__module__ == module.__name__)
    return sorted((n for n, _ in own if n not in LETTERS), key=lambda n: getattr(module, n).__code__.co_firstlineno)


def formula(module: Any, name: str) -> str:
    """Return a formula's source lines, empty where the page leaves it out or holds no source."""
    try:
        return inspect.getsource(getattr(module, name)).rstrip()
    except (AttributeError, OSError, TypeError):
        return ""
