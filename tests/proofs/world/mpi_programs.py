"""Small mpi4py programs for three ranks, to be run in the simulated world and under mpiexec.

Each is a function of a communicator that returns what a JSON file can hold.  Run as a program,
this file runs them all and rank 0 writes everyone's results to the path given.
"""

import json

import numpy as np
from mpi4py import MPI


def neighbours(comm):
    return (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size


def tags_are_matched_out_of_order(comm):
    to, source = neighbours(comm)
    first, second = np.empty(1), np.empty(1)
    sends = [comm.Isend(np.array([10.0 * comm.rank + tag]), to, tag) for tag in (1, 2)]
    comm.Recv(second, source, 2)
    comm.Recv(first, source, 1)
    MPI.Request.Waitall(sends)
    return [first[0], second[0]]


def any_tag_takes_the_oldest(comm):
    to, source = neighbours(comm)
    sends = [comm.Isend(np.array([tag]), to, tag) for tag in (5, 3, 4)]
    got, status = [], MPI.Status()
    for _ in sends:
        x = np.empty(1, int)
        comm.Recv(x, source, MPI.ANY_TAG, status)
        got += [int(x[0]), status.Get_tag(), status.Get_source() - source]
    MPI.Request.Waitall(sends)
    return got


def a_short_message_leaves_the_rest(comm):
    to, source = neighbours(comm)
    x, status = np.full(5, -1.0, "f"), MPI.Status()
    comm.Sendrecv(np.arange(3, dtype="f"), to, 7, x, source, 7, status)
    counts = [status.Get_count(), status.Get_count(MPI.FLOAT), status.Get_count(MPI.DOUBLE), status.count]
    return x.tolist() + counts


def nobody(comm):
    x, status = np.full(3, -1.0), MPI.Status()
    comm.Send(x, MPI.PROC_NULL)
    comm.Recv(x, MPI.PROC_NULL, 5, status)
    return [*x.tolist(), status.Get_source() == MPI.PROC_NULL, status.Get_tag() == MPI.ANY_TAG, status.Get_count()]


def parts_of_buffers(comm):
    to, source = neighbours(comm)
    x, y = np.arange(5.0) + comm.rank, np.full(6, -1.0)
    comm.Sendrecv([x, (2, 1)], to, 0, [y, (2, 3), MPI.DOUBLE], source, 0)
    comm.Sendrecv([x, 1, MPI.DOUBLE], to, 0, [y, 1, MPI.DOUBLE], source, 0)
    raw = bytearray(5)
    comm.Sendrecv([b"abc", MPI.BYTE], to, 0, raw, source, 0)
    return y.tolist() + list(raw)


def fortran_order(comm):
    to, source = neighbours(comm)
    y = np.zeros(6)
    comm.Sendrecv(np.arange(6.0).reshape(2, 3).T, to, 0, y, source, 0)
    return y.tolist()


def to_oneself(comm):
    y = np.empty(2)
    request = comm.Irecv(y, comm.rank)
    comm.Send(np.array([1.0, comm.rank]), comm.rank)
    request.Wait()
    return y.tolist()


def requests_become_null(comm):
    request = comm.Isend(np.zeros(1), MPI.PROC_NULL)
    before = request == MPI.REQUEST_NULL
    request.Wait()
    null = MPI.Request.Waitany([request]) == MPI.UNDEFINED
    return [before, request == MPI.REQUEST_NULL, bool(request), request.Test(), null, MPI.Request.Waitall([request])]


def duplicates_are_apart(comm):
    to, source = neighbours(comm)
    twin = comm.Dup()
    x, y = np.empty(1), np.empty(1)
    receives = [comm.Irecv(x, source), twin.Irecv(y, source)]
    sends = [twin.Isend(np.array([2.0]), to), comm.Isend(np.array([1.0]), to)]
    MPI.Request.Waitall(receives + sends)
    twin.Free()
    return [x[0], y[0], twin == MPI.COMM_NULL, comm == MPI.COMM_WORLD]


def reductions(comm):
    x = np.array([comm.rank + 1, 4 - comm.rank], "i")
    results = []
    for op in (MPI.SUM, MPI.PROD, MPI.MAX, MPI.MIN, MPI.LAND, MPI.LOR, MPI.LXOR, MPI.BAND, MPI.BOR, MPI.BXOR):
        y = np.empty_like(x)
        comm.Allreduce(x, y, op)
        results += y.tolist()
    comm.Allreduce(MPI.IN_PLACE, x)
    return results + x.tolist()


def gathers(comm):
    p, r = comm.size, comm.rank
    x = np.array([r, r], "i")
    a, b, c = np.full(2 * p, -1, "i"), np.full(2 * p + 1, -1, "i"), np.arange(p) * (np.arange(p) == r)
    comm.Allgather(x, a)
    comm.Allgather([x, 2, MPI.INT], [b, 2, MPI.INT])
    comm.Allgather(MPI.IN_PLACE, c)
    return a.tolist() + b.tolist() + c.tolist()


def gathers_of_unequal_parts(comm):
    x, y = np.arange(comm.rank + 1, dtype="i"), np.arange(2, dtype="i")
    outs = [np.full(10, -1, "i") for _ in range(4)]
    comm.Allgatherv(x, [outs[0], ([1, 2, 3], [0, 2, 5])])
    comm.Allgatherv(x, [outs[1], [1, 2, 3]])
    comm.Allgatherv(y, [outs[2], 2])
    comm.Allgatherv(y, [outs[3], 2, 3, MPI.INT])
    return np.concatenate(outs).tolist()


def all_to_all(comm):
    p, r = comm.size, comm.rank
    x, y = np.arange(2 * p) + 100 * r, np.full(2 * p, -1)
    comm.Alltoall(x, y)
    z = np.arange(p) + 10 * r
    comm.Alltoall(MPI.IN_PLACE, z)
    return y.tolist() + z.tolist()


def all_to_all_of_unequal_parts(comm):
    p, r = comm.size, comm.rank
    counts = [(r + q) % 3 for q in range(p)]
    x, y = np.arange(sum(counts)) + 100 * r, np.full(9, -1)
    comm.Alltoallv([x, counts], [y, (counts, [0, 3, 6])])
    return y.tolist()


def attributes(comm):
    log = []
    one = MPI.Comm.Create_keyval(delete_fn=lambda c, k, v: log.append([1, v]))
    two = MPI.Comm.Create_keyval(delete_fn=lambda c, k, v: log.append([2, v]))
    twin = comm.Dup()
    twin.Set_attr(one, "a")
    twin.Set_attr(two, "b")
    twin.Set_attr(one, "c")
    other = twin.Dup()
    log.append(other.Get_attr(one))
    freed = MPI.Comm.Free_keyval(one) == MPI.KEYVAL_INVALID
    twin.Delete_attr(two)
    twin.Delete_attr(two)
    twin.Set_attr(two, "z")
    twin.Free()
    other.Free()
    return [log, freed]


def attributes_are_copied(comm):
    log = []
    counted = MPI.Comm.Create_keyval(copy_fn=lambda c, k, v: v + 1, delete_fn=lambda c, k, v: log.append(v))
    shared = MPI.Comm.Create_keyval(copy_fn=True)  # type: ignore[arg-type] - as mpi4py takes it
    twin = comm.Dup()
    twin.Set_attr(counted, 5)
    twin.Set_attr(shared, 7)
    other = twin.Dup()
    got = [other.Get_attr(counted), other.Get_attr(shared), comm.Get_attr(counted)]
    twin.Free()
    other.Free()
    return [got, log]


def refusals(comm):
    calls = (
        lambda: comm.Send(np.zeros(1), 17),
        lambda: comm.Send(np.zeros(1), 0, -5),
        lambda: comm.Send([np.zeros(1)], 0),
        lambda: comm.Send([1, 2, 3, 4, 5], 0),
        lambda: comm.Send(None, 0),
        lambda: comm.Send(3.0, 0),
        lambda: comm.Send(np.zeros(6)[::2], 0),
        lambda: comm.Send(np.zeros(6, object), 0),
        lambda: comm.Recv(b"123", 0),
        lambda: comm.Allgather(np.zeros(1), np.zeros(4)),
        lambda: comm.Get_attr(123456),
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
    *(tags_are_matched_out_of_order, any_tag_takes_the_oldest, a_short_message_leaves_the_rest, nobody),
    *(parts_of_buffers, fortran_order, to_oneself, requests_become_null, duplicates_are_apart, reductions),
    *(gathers, gathers_of_unequal_parts, all_to_all, all_to_all_of_unequal_parts),
    *(attributes, attributes_are_copied, refusals),
]


def everything(comm):
    return json.loads(json.dumps({program.__name__: program(comm) for program in PROGRAMS}))
