"""More small mpi4py programs for three ranks: probes, persistent requests, types, all collectives, communicators.

As ``mpi_programs.py``, whose docstring says how they run.
"""

import enum
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI


class Fruit(enum.Enum):
    """Each rank has its own, with members of its own."""

    APPLE = "a"
    PEAR = "p"


class Task(NamedTuple):
    """What is sent in one piece."""

    fruit: Fruit
    data: np.ndarray


def neighbours(comm):
    return (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size


def told(status):
    return [status.Get_source(), status.Get_tag(), status.Get_count(MPI.INT), status.Get_elements(MPI.INT)]


def all_modes_of_sending(comm):
    to, source = neighbours(comm)
    MPI.Attach_buffer(bytearray(2 * (40 + MPI.BSEND_OVERHEAD)))
    x, got = np.arange(3) + comm.rank, []
    for send, isend in ((comm.Send, comm.Isend), (comm.Ssend, comm.Issend), (comm.Bsend, comm.Ibsend)):
        for nonblocking in (False, True):
            y = np.full(3, -1)
            request = comm.Irecv(y, source, 4)
            comm.Barrier()
            if nonblocking:
                isend(x, to, 4).Wait()
            else:
                send(x, to, 4)
            request.Wait()
            got += y.tolist()
    detached: Any = MPI.Detach_buffer()
    return [*got, len(detached)]


def buffered_sends_need_room(comm):
    MPI.Attach_buffer(bytearray(100 + MPI.BSEND_OVERHEAD))
    said = refused(lambda: comm.Bsend(np.zeros(100), comm.rank))
    comm.Bsend(np.arange(2.0), comm.rank)
    y = np.empty(2)
    comm.Recv(y, comm.rank)
    MPI.Detach_buffer()
    return [said, *y.tolist(), refused(lambda: comm.Bsend(y, comm.rank)), refused(MPI.Detach_buffer)]


def replaced(comm):
    to, source = neighbours(comm)
    x, status = np.array([comm.rank, 7], "i"), MPI.Status()
    comm.Sendrecv_replace(x, to, 2, source, 2, status)
    return x.tolist() + told(status)


def probed(comm):
    to, source = neighbours(comm)
    sends = [comm.Isend(np.arange(n, dtype="i"), to, tag) for n, tag in ((2, 5), (4, 3))]
    status, got = MPI.Status(), []
    for tag in (3, MPI.ANY_TAG):
        comm.Probe(source, tag, status)
        y = np.empty(status.Get_count(MPI.INT), "i")
        comm.Recv(y, status.Get_source(), status.Get_tag())
        got += [*told(status), *y.tolist()]
    MPI.Request.Waitall(sends)
    comm.Barrier()  # before a neighbour sends what the next program wants
    got.append(comm.Iprobe(source))
    comm.Barrier()
    return got


def matched_probes(comm):
    to, source = neighbours(comm)
    status, got = MPI.Status(), []
    sends = [comm.Isend(np.arange(n, dtype="i"), to, 5) for n in (1, 2)] + [comm.isend({"n": 3}, to, 6)]
    first, second = comm.Mprobe(source, 5, status), comm.Mprobe(source, 5)
    for message in (second, first):
        y = np.full(3, -1, "i")
        message.Irecv(y).Wait(status)
        got += y.tolist() + told(status)
    third = None
    while third is None:
        third = comm.improbe(source, 6)
    got += [third.recv(), third == MPI.MESSAGE_NULL, first == MPI.MESSAGE_NULL]
    nobody = comm.Mprobe(MPI.PROC_NULL)
    got += [nobody == MPI.MESSAGE_NO_PROC, nobody.recv(), comm.Iprobe(MPI.PROC_NULL)]
    MPI.Request.Waitall(sends)
    return got


def persistent(comm):
    to, source = neighbours(comm)
    x, y = np.zeros(2), np.zeros(2)
    requests = [comm.Send_init(x, to, 1), comm.Recv_init(y, source, 1)]
    got = [bool(requests[0]), MPI.Request.Waitall(requests)]
    for turn in range(3):
        x[:] = [turn, comm.rank]
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        got += y.tolist()
    for request in requests:
        request.Free()
    return [*got, requests[0] == MPI.REQUEST_NULL]


def some_and_any(comm):
    to, source = neighbours(comm)
    ys = np.full((3, 1), -1.0)
    receives = [comm.Irecv(ys[i], source, i) for i in range(3)]
    sends = [comm.Isend(np.array([10.0 + i]), to, i) for i in range(3)]
    done = [MPI.Request.Waitany(receives)]
    while (more := MPI.Request.Waitsome(receives)) is not None:
        done += more
    MPI.Request.Waitall(sends)
    flag, found = MPI.Request.Testany(receives), MPI.Request.Testsome(receives)
    return [sorted(done), ys.ravel().tolist(), list(flag), found, MPI.Request.Testall(receives)]


def polled(comm):
    to, source = neighbours(comm)
    y, status = np.empty(2, "i"), MPI.Status()
    receive, send = comm.Irecv(y, source), comm.Isend(np.array([comm.rank, 3], "i"), to)
    while not receive.Get_status(status):
        pass
    before = bool(receive)
    while not receive.Test():
        pass
    send.Wait()
    return [*told(status), before, bool(receive), *y.tolist()]


def cancelled(comm):
    y, status = np.full(2, 5.0), MPI.Status()
    request = comm.Irecv(y, comm.rank, 9)
    request.Cancel()
    request.Wait(status)
    return [status.Is_cancelled(), *y.tolist()]


def derived_types(comm):
    to, source = neighbours(comm)
    grid = np.arange(12, dtype="i").reshape(3, 4) + 100 * comm.rank
    column = MPI.INT.Create_vector(3, 1, 4).Commit()
    pair = MPI.INT.Create_contiguous(2).Commit()
    some = MPI.INT.Create_indexed([1, 2], [0, 5]).Commit()
    box = MPI.INT.Create_subarray([3, 4], [2, 2], [1, 1]).Commit()
    narrow = column.Create_resized(0, 4).Commit()
    status, got = MPI.Status(), []
    for kind, count in ((column, 1), (pair, 2), (some, 1), (box, 1), (narrow, 3)):
        there = np.full((3, 4), -1, "i")
        comm.Sendrecv([grid, count, kind], to, 0, [there, count, kind], source, 0, status)
        flat = np.full(12, -1, "i")
        comm.Sendrecv([grid, count, kind], to, 0, flat, source, 0)
        got += [there.ravel().tolist(), flat.tolist(), status.Get_count(kind), status.Get_elements(kind)]
        got += [kind.Get_size(), list(kind.Get_extent()), list(kind.Get_true_extent())]
        kind.Free()
    return [
        *got,
        column == MPI.DATATYPE_NULL,
        refused(lambda: comm.Send([grid, 1, MPI.INT.Create_vector(1, 1, 1)], to)),
    ]


def objects(comm):
    to, source = neighbours(comm)
    status = MPI.Status()
    task = Task(Fruit.PEAR, np.arange(2) + comm.rank)
    request = comm.isend(task, to, 8)
    got = comm.recv(source=source, tag=8, status=status)
    request.wait()
    data = {"a": [1, (2.5, None)], "me": comm.rank}
    data["self"] = data
    other = comm.sendrecv(data, to, source=source)
    waited = comm.irecv(source=comm.rank)
    comm.issend({3, 4}, comm.rank).wait()
    return [
        *[got.fruit is Fruit.PEAR, isinstance(got, Task), got.data.tolist(), status.Get_tag(), status.Get_source()],
        *[other["a"], other["me"], other["self"] is other, sorted(waited.wait())],
    ]


def sent_objects_may_change_at_once(comm):
    to, source = neighbours(comm)
    data = [1, [2]]
    request = comm.isend(data, to)
    data[1][0] = 99
    got = comm.recv(source=source)
    request.wait()
    return got


def collectives_on_objects(comm):
    r, p = comm.rank, comm.size
    got = [comm.bcast({"from": r} if r == 1 else None, 1), comm.gather((r, "x"), 2), comm.allgather([r])]
    got += [
        comm.scatter([f"to {i}" for i in range(p)] if r == 0 else None),
        comm.alltoall([10 * r + i for i in range(p)]),
    ]
    got += [comm.reduce(r + 1), comm.allreduce([r], MPI.SUM), comm.reduce((r % 2, r), MPI.MAXLOC, 1)]
    got += [comm.scan(r + 1, MPI.PROD), comm.exscan(r + 1), comm.allreduce(r, lambda a, b: a * 10 + b)]
    comm.barrier()
    return [*got, refused(lambda: comm.scatter([1], r))]


def to_and_from_a_root(comm):
    r, p = comm.rank, comm.size
    x, y, got = np.arange(2, dtype="i") + 10 * r, np.full(2 * p, -1, "i"), []
    comm.Bcast(x if r == 1 else y[:2], 1)
    got += y.tolist()
    comm.Gather(x, y if r == 0 else None)
    got += y.tolist()
    z = np.full(3, -1, "i")
    comm.Scatter([np.arange(9, dtype="i"), MPI.INT] if r == 2 else None, z, 2)
    got += z.tolist()
    counts = [1, 2, 3]
    w = np.full(8, -1, "i")
    comm.Gatherv(np.full(counts[r], r, "i"), [w, (counts, [5, 0, 2])] if r == 1 else None, 1)
    got += w.tolist()
    v = np.full(counts[r], -1, "i")
    comm.Scatterv([w, counts, None, MPI.INT] if r == 1 else None, v, 1)
    got += v.tolist()
    if r == 0:
        comm.Gather(MPI.IN_PLACE, y)
        comm.Scatter(y, MPI.IN_PLACE)
    else:
        comm.Gather(x, None)
        comm.Scatter(None, x)
    return got + y.tolist() + x.tolist()


def typed_exchange(comm):
    p = comm.size
    x, y = np.arange(p * p, dtype="i").reshape(p, p) + 100 * comm.rank, np.full((p, p), -1, "i")
    column, row = MPI.INT.Create_vector(p, 1, p).Commit(), MPI.INT.Create_contiguous(p).Commit()
    starts = [4 * i for i in range(p)], [4 * p * i for i in range(p)]
    comm.Alltoallw([x, ([1] * p, starts[0]), [column] * p], [y, ([1] * p, starts[1]), [row] * p])
    return y.ravel().tolist()


def reductions_to_parts(comm):
    r, p = comm.rank, comm.size
    x, got = np.arange(2 * p) * (r + 1), []
    y, z, w = np.full(2, -1), np.full(r + 1, -1), np.full(2 * p, -1)
    comm.Reduce(x, w, root=1)
    comm.Reduce_scatter_block(x, y)
    comm.Reduce_scatter(x, z, [1, 2, 3], MPI.MAX)
    got += w.tolist() + y.tolist() + z.tolist()
    comm.Scan(x, w, MPI.SUM)
    got += w.tolist()
    w[:] = -1
    comm.Exscan(x, w)
    got += w.tolist() if r else []
    comm.Scan(MPI.IN_PLACE, x)
    u = np.arange(3) + r
    comm.Reduce_scatter(MPI.IN_PLACE, u, [1, 1, 1])
    if r == 2:
        comm.Reduce(MPI.IN_PLACE, w, MPI.MIN, 2)
    else:
        comm.Reduce(w, None, MPI.MIN, 2)
    return got + x.tolist() + u[:1].tolist() + (w.tolist() if r == 2 else [])


def places_of_extremes(comm):
    pairs = np.zeros(3, np.dtype([("value", "f8"), ("index", "i4")], align=True))
    pairs["value"], pairs["index"] = [1.0, comm.rank, -comm.rank], 5 - comm.rank
    got = []
    for op in (MPI.MAXLOC, MPI.MINLOC):
        out = np.zeros_like(pairs)
        comm.Allreduce([pairs, 3, MPI.DOUBLE_INT], [out, 3, MPI.DOUBLE_INT], op)
        got += out["value"].tolist() + out["index"].tolist()
    return got


def own_operations(comm):
    def digits(a, b, datatype):
        x, y = np.frombuffer(a, "i8"), np.frombuffer(b, "i8")
        y[:] = 10 * x + y

    op = MPI.Op.Create(digits, commute=False)
    x, y = np.array([comm.rank, comm.rank + 1]), np.empty(2, int)
    comm.Allreduce(x, y, op)
    got = [*y.tolist(), op.Is_commutative(), MPI.SUM.Is_commutative()]
    comm.Scan(x, y, op)
    MPI.SUM.Reduce_local(x, y)
    op.Free()
    return got + y.tolist()


def nonblocking_collectives(comm):
    r, p = comm.rank, comm.size
    a, b, c, d = np.arange(2) + 5 * (r == 1), np.empty(p, int), np.empty(1, int), np.arange(p) * r
    requests = [comm.Ibarrier(), comm.Ibcast(a, 1), comm.Iallgather(np.array([r]), b)]
    requests += [comm.Iallreduce(np.array([r]), c, MPI.MAX), comm.Ialltoall(MPI.IN_PLACE, d)]
    MPI.Request.Waitall(requests[::-1])
    e = np.full(p, -1)
    again = comm.Gather_init(c, e if r == 0 else None)
    for _ in range(2):
        again.Start()
        again.Wait()
        c += 1
    again.Free()
    return [x.tolist() for x in (a, b, c, d, e)]


def parts_of_a_communicator(comm):
    r, p = comm.rank, comm.size
    half = comm.Split(r % 2, -r)
    got = [half.rank, half.size, half.allgather(r)]
    none = comm.Split(MPI.UNDEFINED if r == 1 else 0)
    got += [none == MPI.COMM_NULL, 0 if r == 1 else none.allreduce(r)]
    group = comm.Get_group()
    ends = group.Incl([p - 1, 0])
    pair = comm.Create(ends)
    got += [pair == MPI.COMM_NULL, ends.Get_rank() == MPI.UNDEFINED, ends.Translate_ranks([0, 1], group)]
    if r != 1:
        other = comm.Create_group(ends, 3)
        other.Sendrecv_replace(x := np.array([r]), 1 - other.rank, 0, 1 - other.rank, 0)
        status = MPI.Status()
        said = other.isend("hi", 1 - other.rank)
        got += [int(x[0]), other.recv(status=status), status.Get_source() == 1 - other.rank]
        said.wait()
        got += [MPI.Comm.Compare(pair, other) == MPI.CONGRUENT, MPI.Comm.Compare(other, other) == MPI.IDENT]
        got += [other.Compare(MPI.COMM_SELF) == MPI.UNEQUAL]
        other.Free()
    twin = comm.Dup()
    twin.Set_name("twin")
    got += [twin.Get_name(), MPI.COMM_WORLD.name, MPI.COMM_SELF.size, MPI.COMM_SELF.allreduce(r)]
    got += [twin.Compare(comm) == MPI.CONGRUENT, comm.Split_type(MPI.COMM_TYPE_SHARED).size]
    return got


def groups(comm):
    whole = comm.Get_group()
    a, b = whole.Incl([2, 0]), whole.Excl([0])
    made = [MPI.Group.Union(a, b), MPI.Group.Intersection(a, b), MPI.Group.Difference(a, b)]
    made += [whole.Range_incl([(2, 0, -1)]), whole.Range_excl([(0, 2, 2)]), MPI.GROUP_EMPTY]
    got = [[group.size, group.rank == MPI.UNDEFINED, group.Translate_ranks(None, whole)] for group in made]
    return [
        *got,
        whole.Compare(made[3]) == MPI.SIMILAR,
        whole.Compare(a) == MPI.UNEQUAL,
        refused(lambda: whole.Incl([7])),
    ]


def grids(comm):
    line = comm.Create_cart([3], [True])
    got = [line.Get_topo(), line.Shift(0, 1), line.Shift(0, -2), line.Get_cart_rank([4]), line.Get_coords(2)]
    small = comm.Create_cart([2, 1], [False, True])
    if small != MPI.COMM_NULL:
        got += [small.Get_topo(), small.Shift(0, 1), small.Shift(1, 1), small.Sub([True, False]).Get_topo(), small.dims]
        got += [refused(lambda: small.Get_cart_rank([2, 0])), small.Dup().Get_topo(), small.Get_dim()]
    dims = [MPI.Compute_dims(n, [0] * k) for n in (*range(1, 33), 60, 96, 100) for k in (1, 2, 3)]
    return [got, dims, MPI.Compute_dims(12, [0, 3]), refused(lambda: MPI.Compute_dims(7, [2, 0]))]


def refusals(comm):
    calls = (
        lambda: comm.Recv(np.empty(1), 9),
        lambda: comm.Bcast(np.empty(1), 9),
        lambda: comm.Gather(np.empty(1), np.empty(4), comm.rank),
        lambda: comm.Send([np.zeros(1), 1, "no such type"], 0),
        lambda: comm.Allreduce(np.zeros(2), np.zeros(3)),
        lambda: comm.Alltoallv([np.zeros(3), [1, 1]], np.zeros(3)),
        lambda: comm.Sendrecv(np.zeros(1), 0, 0, b"read only", 0, 0),
        MPI.INT.Free,
        MPI.COMM_NULL.Get_size,
        lambda: comm.Send(np.zeros(1, ">f8"), 0),
    )
    return [refused(call) for call in calls]


def refused(call):
    try:
        call()
    except MPI.Exception:
        return "MPI"
    except Exception as error:
        return type(error).__name__


PROGRAMS = [
    *(
        all_modes_of_sending,
        buffered_sends_need_room,
        replaced,
        probed,
        matched_probes,
        persistent,
        some_and_any,
        polled,
    ),
    *(cancelled, derived_types, objects, sent_objects_may_change_at_once, collectives_on_objects, to_and_from_a_root),
    *(typed_exchange, reductions_to_parts, places_of_extremes, own_operations, nonblocking_collectives),
    *(parts_of_a_communicator, groups, grids, refusals),
]


def everything(comm):
    return json.loads(json.dumps({program.__name__: program(comm) for program in PROGRAMS}))


def main(path):
    comm = MPI.COMM_WORLD
    results = comm.gather(everything(comm))
    if comm.rank == 0:
        Path(path).write_text(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1])
