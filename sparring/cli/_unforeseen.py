"""Errors that nobody foresaw: who raised them, and which exit code says so; none of them is a verdict."""

from __future__ import annotations

import errno
import os
import select
import sys
import sysconfig
import traceback
from pathlib import Path

import click

import sparring

BAD_INPUT, OWN_FAULT = 2, 70
"""The exit codes: 1, which Python gives by default, would say that something is refuted."""
OURS = {Path(sparring.__file__).parent.resolve(), *(p.resolve() for p in Path(sparring.__file__).parent.iterdir())}
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""The errors of a write to what is full or broken."""
NOBODYS = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}


def told(error: Exception) -> int:
    """Say on standard error what was raised, in one sentence if a user's file did it, and return the exit code."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((i for i, frame in enumerate(frames) if below(frame.filename, OURS)), len(frames))
    theirs = [one for one in frames[first:] if one.lineno and not below(one.filename, OURS | NOBODYS)]
    if not theirs or theirs[-1].filename.startswith("<"):
        if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
            leave_output()
            click.echo(f"sparring: the output cannot be written: {error.strerror}", err=True)
            return BAD_INPUT
        if isinstance(error, MemoryError):
            click.echo("sparring: that does not fit into memory; right: smaller vectors, numbers or files", err=True)
            return BAD_INPUT
        traceback.print_exception(error)
        click.echo("sparring: an error of its own, and no verdict", err=True)
        return OWN_FAULT
    last, said = theirs[-1], traceback.format_exception_only(error)[-1].strip()
    click.echo(f"sparring: {Path(last.filename).name}:{last.lineno}: {last.name} raises {said}", err=True)
    return BAD_INPUT


def below(file: str, folders: set[Path]) -> bool:
    """Return whether a file lies in one of these folders or below."""
    return not folders.isdisjoint(Path(file).resolve().parents)


def unread() -> bool:
    """Return whether nobody reads what we print any more; then nothing more is printed."""
    outputs = select.poll()
    for descriptor in (1, 2):
        outputs.register(descriptor, 0)
    if not any(event & select.POLLERR for _, event in outputs.poll(0)):
        return False
    leave_output()
    return True


def leave_output() -> None:
    """Let standard output lead nowhere, so that what waits there cannot fail once more as Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
