"""Random programs as data: a list of steps, known to all ranks, each of which does its part of every step.

They stay in the deterministic fragment and cannot deadlock, so that every MPI must give the same results.
"""

from itertools import accumulate

import numpy as np
from mpi4py import MPI

OBJECTS = ("bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce", "scan")


def execute(comm, x, plan):
    """Do all steps; everything that this rank received, as one array."""
    got = []
    for i, step in enumerate(plan):
        data = np.arange(40) * 7 + 100 * comm.rank + 1000 * i
        if "messages" in step:
            got += messages(comm, data, step["messages"])
        elif "shift" in step:
            got += shift(comm, data, **step)
        elif "colors" in step:
            part = comm.Split(step["colors"][comm.rank], step["keys"][comm.rank])
            got += [part.rank, part.size, *meeting(part, data, {**step["collective"], "root": 0})]
            part.Free()
        else:
            got += meeting(comm, data, step)
    return np.array(got, float)


def messages(comm, data, plan):
    """All sends are nonblocking and come first; what one rank gets from another comes in the order of the plan."""
    sends = [begin(comm, data, m) for m in plan if m["source"] == comm.rank]
    got = [take(comm, m) for m in plan if m["dest"] == comm.rank]
    requests = [request for _, request in got if request] + sends
    MPI.Request.Waitall(requests)
    for request in requests:
        request.free()
    return [float(x) for y, _ in got for x in y]


def begin(comm, data, m):
    values = data[: m["count"]].astype(m["dtype"])
    if m["how"] == "isend":
        return comm.isend(values, m["dest"], m["tag"])
    spread = np.zeros(m["count"] * m["stride"], m["dtype"])
    spread[:: m["stride"]] = values
    kind = MPI._typedict[m["dtype"]].Create_vector(m["count"], 1, m["stride"]).Commit()
    request = getattr(comm, m["how"])([spread, 1, kind], m["dest"], m["tag"])
    if m["how"] == "Send_init":
        request.Start()
    kind.Free()
    return request


def take(comm, m):
    """The memory in which the message arrives, and the request to wait for, if any."""
    y, where = np.full(m["count"] + 1, -1, m["dtype"]), (m["source"], m["tag"])
    if m["how"] == "isend":
        return [comm.recv(None, *where), None][0], None
    if m["take"] == "Irecv":
        return y, comm.Irecv(y, *where)
    if m["take"] == "Recv_init":
        request = comm.Recv_init(y, *where)
        request.Start()
        return y, request
    status = MPI.Status()
    if m["take"] == "Mprobe":
        comm.Mprobe(*where).Recv(y, status)
    elif m["take"] == "Probe":
        comm.Probe(*where, status)
        comm.Recv(y, status.Get_source(), status.Get_tag())
    else:
        comm.Recv(y, *where, status)
    return [*y, status.Get_tag(), status.Get_count(MPI._typedict[m["dtype"]])], None


def shift(comm, data, shift, replace, wrap):
    """To a neighbour and from one; without ``wrap`` the first and the last have none."""
    to, source = comm.rank + shift, comm.rank - shift
    to, source = (r % comm.size if wrap else r if 0 <= r < comm.size else MPI.PROC_NULL for r in (to, source))
    x, y = data[:4].copy(), np.full(4, -1)
    if replace:
        comm.Sendrecv_replace(x, to, 5, source, 5)
    else:
        comm.Sendrecv(x, to, 5, y, source, 5)
    return [*x.tolist(), *y.tolist()]


def meeting(comm, data, step):
    """One collective, in one of its forms."""
    call, p = step["call"], comm.size
    if call in OBJECTS:
        return objects(comm, data, step)
    n, counts = step["count"], step["counts"][:p]
    y = np.full(max(n * p, sum(counts), p * counts[comm.rank], 1) + 1, -1)
    arguments = given(comm, data, y, n, counts, step)
    name = f"I{call.lower()}" if step["form"] == "I" else call + step["form"]
    request = getattr(comm, name)(*arguments)
    if step["form"] == "_init":
        request.Start()
    if step["form"]:
        request.Wait()
        request.free()
    return y.tolist()


def given(comm, data, y, n, counts, step):
    """The arguments of the call; what is received lands in ``y``."""
    call, root, op, p, mine = step["call"], step["root"], getattr(MPI, step["op"]), comm.size, counts[comm.rank]
    total, starts = sum(counts), list(accumulate(counts, initial=0))[:p]
    y[: data.size] = data[: y.size]  # where the data is in place
    inside = MPI.IN_PLACE if step["inside"] else None
    return {
        "Barrier": lambda: (),
        "Bcast": lambda: ([y, n], root),
        "Gather": lambda: ([data, n], [y, n], root),
        "Scatter": lambda: ([data, n], [y, n], root),
        "Allgather": lambda: (inside or [data, n], [y, n]),
        "Alltoall": lambda: (inside or [data, n], [y, n]),
        "Gatherv": lambda: ([data, mine], [y, (counts, starts)], root),
        "Scatterv": lambda: ([data, counts], [y, mine], root),
        "Allgatherv": lambda: (inside or [data, mine], [y, counts]),
        "Alltoallv": lambda: ([data, counts], [y, [mine] * p]),
        "Reduce": lambda: ([data, n], [y, n], op, root),
        "Allreduce": lambda: (inside or [data, n], [y, n], op),
        "Scan": lambda: (inside or [data, n], [y, n], op),
        "Exscan": lambda: ([data, n], [y, n], op),
        "Reduce_scatter_block": lambda: ([data, n], [y, n], op),
        "Reduce_scatter": lambda: ([data, total], [y, mine], counts, op),
    }[call]()


def objects(comm, data, step):
    """The lower-case collectives; what comes back, flat."""
    call, root, op = step["call"], step["root"], getattr(MPI, step["op"])
    value, each = int(data[step["count"]]), data[: comm.size].tolist()
    arguments = {
        "bcast": (value, root), "gather": (value, root), "scatter": (each, root), "allgather": (value,),
        "alltoall": (each,), "reduce": (value, op, root), "allreduce": (value, op), "scan": (value, op),
    }[call]  # fmt: skip
    return np.ravel(-1 if (got := getattr(comm, call)(*arguments)) is None else got).tolist()
