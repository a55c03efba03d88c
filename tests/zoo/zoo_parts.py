"""What the programs of the zoo are made of: calls by their names, ranks, marks, and places in a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import indent
from typing import NamedTuple

from sparring.world import Kind

EITHER = ("synchronous", "unbounded")
HEAD = """\
import numpy as np
from mpi4py import MPI

KEPT = []


def main(comm):
    me, p = comm.Get_rank(), comm.Get_size()
    you, x, y, z = (me + 1) % p, np.arange(4.0) + me, np.empty(4), np.empty(4 * p)
"""


class Specimen(NamedTuple):
    """``bad`` has a finding of ``kind`` with each of ``buffers``, ``good`` has none.

    ``real``: what the bad one does on real MPI: it "raises", it "ends", or who knows ("").
    """

    name: str
    bad: str
    good: str
    kind: Kind
    ranks: int = 2
    buffers: tuple[str, ...] = EITHER
    real: str = ""


def blamed(source: str) -> set[int]:
    """The numbers of the marked lines."""
    return {i for i, line in enumerate(source.splitlines(), start=1) if line.endswith("# bug")}


def specimen(name: str, bad: str, good: str, kind: Kind, **more: object) -> Specimen:
    """Bodies of ``main``."""
    return Specimen(name, *(HEAD + indent(body.strip("\n") + "\n", "    ") for body in (bad, good)), kind, **more)  # type: ignore[arg-type]  # the fields by name


def ranks(*bodies: str) -> str:
    """What rank 0 does, what rank 1 does, ..."""
    heads = ["if me == 0:", *(f"elif me == {r}:" for r in range(1, len(bodies)))]
    return "".join(f"{head}\n{indent(body or 'pass', '    ')}\n" for head, body in zip(heads, bodies))


def marked(body: str, call: str = "") -> str:
    """The line with ``call``, or the first one, may be blamed."""
    lines = body.split("\n")
    at = next(i for i, line in enumerate(lines) if call in line)
    return "\n".join(line + "  # bug" * (i == at) for i, line in enumerate(lines))


COLLECTIVES = {
    "Barrier": "comm.Barrier()",
    "Bcast": "comm.Bcast(x, 0)",
    "Reduce": "comm.Reduce(x, y, MPI.SUM, 0)",
    "Allreduce": "comm.Allreduce(x, y)",
    "Allgather": "comm.Allgather(x, z)",
    "Alltoall": "comm.Alltoall(x, y)",
    "Scan": "comm.Scan(x, y)",
    "Gather": "comm.Gather(x, z, 0)",
    "Scatter": "comm.Scatter(z, x, 0)",
    "Reduce_scatter_block": "comm.Reduce_scatter_block(x, y[:2])",
    "Ibarrier": "comm.Ibarrier().Wait()",
    "Iallreduce": "comm.Iallreduce(x, y).Wait()",
    "Ibcast": "comm.Ibcast(x, 0).Wait()",
    "allreduce": "comm.allreduce(me)",
    "bcast": "comm.bcast(me)",
    "Dup": "comm.Dup().Free()",
}
SENDS = {
    "Send": "comm.Send(x, you)",
    "Ssend": "comm.Ssend(x, you)",
    "Isend": "comm.Isend(x, you).Wait()",
    "Issend": "comm.Issend(x, you).Wait()",
    "Send_init": "request = comm.Send_init(x, you)\nrequest.Start()\nrequest.Wait()\nrequest.Free()",
}
OBJECT_SENDS = {
    "send": "comm.send(x, you)",
    "ssend": "comm.ssend(x, you)",
    "isend": "comm.isend(x, you).wait()",
    "issend": "comm.issend(x, you).wait()",
}
RECEIVES = {
    "Recv": "comm.Recv(y, you)",
    "Irecv": "comm.Irecv(y, you).Wait()",
    "Recv_init": "request = comm.Recv_init(y, you)\nrequest.Start()\nrequest.Wait()\nrequest.Free()",
    "Mprobe": "comm.Mprobe(you).Recv(y)",
    "Probe": "comm.Probe(you)\ncomm.Recv(y, you)",
}
OBJECT_RECEIVES = {"recv": "comm.recv(source=you)", "irecv": "comm.irecv(source=you).wait()"}
COPIED = ("Send", "Isend", "Send_init", "send", "isend")  # what MPI may complete by copying


def began(call: str, body: str) -> str:
    """Marked where the operation begins, as findings tell it."""
    return marked(body, "Start" if call.endswith("_init") else "")


def pairs() -> Iterator[tuple[str, str, str, str]]:
    """Each send with each receive that fits it."""
    for sends, receives in ((SENDS, RECEIVES), (OBJECT_SENDS, OBJECT_RECEIVES)):
        for (send, sending), (receive, receiving) in ((s, r) for s in sends.items() for r in receives.items()):
            yield send, sending, receive, receiving


def alone(source: str) -> str:
    """As it is."""
    return source


def later(source: str) -> str:
    """Behind an allreduce."""
    return source.replace(HEAD, f"{HEAD}    comm.Allreduce(x, y)\n")


def helped(source: str) -> str:
    """In a function that the program calls."""
    return source.replace("def main(comm):", "def main(comm):\n    return helper(comm)\n\n\ndef helper(comm):")


def handling(source: str) -> str:
    """In a handler of exceptions."""
    body = indent(source.removeprefix(HEAD), "    ")
    return f"{HEAD}    try:\n        raise KeyError\n    except KeyError:\n{body}"


SHAPES = {shape.__name__: shape for shape in (alone, later, helped, handling)}
"""Where in a program it stands."""


def slug(text: str) -> str:
    """Part of a file's name."""
    return re.sub(r"\W+", "_", text).strip("_")
