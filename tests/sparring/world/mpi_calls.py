"""Small mpi4py programs for three ranks: sends, probes, requests, types, objects, attributes, and what is refused.

Each is a function of a communicator that returns what a JSON file can hold; ``on_real_ranks.py`` runs them all.
"""

import enum
import json
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


def requests_become_null(comm):
    request = comm.Isend(np.zeros(1), MPI.PROC_NULL)
    before = request == MPI.REQUEST_NULL
    request.Wait()
    null = MPI.Request.Waitany([request]) == MPI.UNDEFINED
    return [before, request == MPI.REQUEST_NULL, bool(request), request.Test(), null, MPI.Request.Waitall([request])]


def gathers_of_unequal_parts(comm):
    x, y = np.arange(comm.rank + 1, dtype="i"), np.arange(2, dtype="i")
    outs = [np.full(10, -1, "i") for _ in range(4)]
    comm.Allgatherv(x, [outs[0], ([1, 2, 3], [0, 2, 5])])
    comm.Allgatherv(x, [outs[1], [1, 2, 3]])
    comm.Allgatherv(y, [outs[2], 2])
    comm.Allgatherv(y, [outs[3], 2, 3, MPI.INT])
    return np.concatenate(outs).tolist()


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
    *(any_tag_takes_the_oldest, a_short_message_leaves_the_rest, nobody, parts_of_buffers, fortran_order),
    *(requests_become_null, gathers_of_unequal_parts, attributes, attributes_are_copied),
    *(all_modes_of_sending, buffered_sends_need_room, probed, matched_probes, persistent, some_and_any),
    *(polled, cancelled, derived_types, objects, refusals),
]


def everything(comm):
    return json.loads(json.dumps({program.__name__: program(comm) for program in PROGRAMS}))
