"""``sparring new``: a page to start from, and an implementation of it."""

from __future__ import annotations

import keyword
import shlex
from importlib.resources import files
from pathlib import Path

import click

from sparring.cli import _options
from sparring.errors import InputError


@click.command("new")
@click.argument("file", metavar="FILE.py", type=click.Path(path_type=Path))
@click.option("--impl", is_flag=True, help="Write an implementation on mpi4py, FILE_impl.py, beside it.")
@_options.as_json
def command(file: Path, impl: bool, json_: bool) -> None:
    """Write a commented page to FILE.py, the start of an algorithm of your own.

    As it stands it passes 'show', 'prove' and 'verify'. The implementation is a file of its own: it
    must not look anything up in the page that it is compared with.
    """
    from sparring.report import Report

    written = write(file, impl)
    steps = follow_up(*written)
    if not json_:
        click.echo(f"written: {', '.join(map(str, written))}\n\nnext:")
        for step in steps:
            click.echo(f"  {step}")
    extra = {"files": [str(path) for path in written], "next": steps}
    _options.finish(Report("new", extra=extra), json_)


def write(page: Path, impl: bool) -> list[Path]:
    """Write the page and, if wanted, the implementation; raise InputError, as a rule before anything is written."""
    if page.suffix != ".py" or not page.stem.isidentifier() or keyword.iskeyword(page.stem):
        raise InputError(f"{page}: a page is a module, so its name must be a Python name with .py, such as my_ring.py")
    if not page.parent.is_dir():
        raise InputError(f"no folder {page.parent}, wanted for {page.name}: make it first")
    texts = {page: "page.py"} | ({page.with_name(f"{page.stem}_impl.py"): "implementation.py"} if impl else {})
    try:
        for path in texts:
            if path.exists() or path.is_symlink():
                raise InputError(f"{path} exists already: take another name; nothing was written")
        for path, template in texts.items():
            with path.open("x", encoding="utf-8") as file:
                file.write((files("sparring") / "templates" / template).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{error.filename} cannot be written: {error.strerror}") from error
    return list(texts)


def follow_up(page: Path, impl: Path | None = None) -> list[str]:
    """Return the commands to go on with."""
    name = shlex.quote(str(page))
    if impl is None:
        return [f"sparring show {name}", f"sparring prove {name}", f"sparring verify {name}"]
    target = shlex.quote(f"{impl}:allreduce")
    return [f"sparring show {name}", f"sparring verify {name}", f"sparring check {target} --algorithm {name}"]
