"""``sparring advise``: which allreduce for these gradients, on that machine."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sparring.cli import _options
from sparring.errors import InputError


@click.command("advise")
@click.argument("gradients", nargs=-1, metavar="[GRADIENTS]...", type=click.Path(path_type=Path))
@click.option("--sample", is_flag=True, help="The shipped gradients: 8 workers, scikit-learn's digits.")
@click.option("--key", help="Which array of the file; by default each is a layer.")
@click.option("--machine", default="eth-25g", show_default=True, metavar="NAME|FILE",
              help="eth-25g, ib-hdr, nvlink, or ./file.json.")  # fmt: skip
@click.option("--ranks", "-n", type=_options.Ranks(), help="4,64,1024; by default as many as there are workers.")
@click.option("--density", default="1%", show_default=True, metavar="PART",
              help="Part of its entries that a worker keeps for a sparse allreduce.")  # fmt: skip
@click.option(
    "--topology", default="crossbar", show_default=True, metavar="NAME|FILE", help="Whose links messages share."
)
@click.option(
    "--nodes", type=click.IntRange(1), help="So many neighbouring ranks sit in a node and share its link out."
)
@click.option("--within", default="nvlink", show_default=True, metavar="NAME|FILE",
              help="With --nodes: the machine that a node is.")  # fmt: skip
@click.option("--algorithm", "algorithms", multiple=True, metavar="ALGO", help="Compare these alone.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page that stands alone.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw it: a .svg, .png or .pdf.")
@_options.as_json
def command(
    gradients: tuple[Path, ...], sample: bool, key: str | None, machine: str, ranks: tuple[int, ...] | None,
    density: str, topology: str, nodes: int | None, within: str, algorithms: tuple[str, ...],
    html: Path | None, plot: Path | None, json_: bool,
) -> None:  # fmt: skip
    """Which allreduce should I use? Measures gradients, and compares the costs of all algorithms.

    GRADIENTS is an .npy, .npz or .safetensors file whose arrays are layers, the worker being their
    first axis; or several files, one a worker.  Files may be larger than memory.

    Costs are those of the derived formulas, in lock step, on a machine of three numbers; what is
    assumed beyond that is told as a range or as a risk.
    """
    from rich.progress import track

    from sparring import api
    from sparring.present import crossing, growth
    from sparring.present.advice import page, text
    from sparring.present.advice import plot as picture
    from sparring.report import Report

    if sample == bool(gradients) or (sample and key is not None):
        raise InputError("gradients are files, or --sample alone; right: sparring advise --sample")
    if nodes is None:
        _options.alone(("within",), "--nodes")
    if plot:  # before what takes long
        crossing.check(plot)
        with growth.settings():
            pass
    console, start = _options.console(json_), time.perf_counter()

    def progress(items: Iterable[Any], description: str) -> Iterable[Any]:
        return track(items, description, console=_options.console(json_=True), transient=True)

    found = api.advise(
        gradients or None,
        machine,
        ranks or (),
        density=density,
        key=key,
        topology=topology,
        nodes=nodes,
        within=within,
        algorithms=tuple(dict.fromkeys(algorithms)),
        track=progress,
    )
    if html:
        _options.write(html, page.page(found))
    if plot:
        picture.save(found, plot)
    for part in () if json_ else text.text(found):
        console.print(part)
    extra = {"advice": page.enveloped(found)}
    _options.finish(Report("advise", [], [], time.perf_counter() - start, extra), json_)
