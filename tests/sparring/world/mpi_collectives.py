"""More small mpi4py programs for three ranks: all collectives, communicators, groups, grids.

As ``mpi_calls.py``.
"""

import json

import numpy as np
from mpi4py import MPI


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
    v = np.arange(2 * p) + r
    comm.Reduce_scatter_block(MPI.IN_PLACE, v)
    if r == 2:
        comm.Reduce(MPI.IN_PLACE, w, MPI.MIN, 2)
    else:
        comm.Reduce(w, None, MPI.MIN, 2)
    return got + x.tolist() + u[:1].tolist() + v[:2].tolist() + (w.tolist() if r == 2 else [])


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


def two_groups(comm):
    mine = comm.rank % 2
    part = comm.Split(mine)
    between = part.Create_intercomm(0, comm, 1 - mine, 5)
    twin = between.Dup()
    got = [between.Is_inter(), between.Is_intra(), between.is_inter, part.is_inter, between.rank, between.size]
    got += [between.remote_size, between.Get_remote_group().Translate_ranks(None, comm.Get_group()), twin == between]
    got += [[isinstance(one, kind) for one in (part, between) for kind in (MPI.Comm, MPI.Intracomm, MPI.Intercomm)]]
    got += [refused(lambda: between.Send(np.empty(1), 2))]
    y, status = np.zeros(1, int), MPI.Status()
    if mine:
        for q in range(2):
            between.Isend(np.array([q + 5]), q).Wait()
        for q in range(2):
            got += [twin.recv(source=1 - q, status=status), status.Get_source()]
    else:
        between.Recv(y)
        twin.send(f"from {part.rank}", 0)
    for one in (twin, between, part):
        one.Free()
    return [*got, int(y[0]), bool(between)]


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


def neighbours_on_a_grid(comm):
    r, got = comm.rank, []
    for dims, periods in (([3], True), ([3], False), ([3, 1], [True, True])):
        grid = comm.Create_cart(dims, periods)
        y = np.full((2 * len(dims), 2), -1)
        grid.Neighbor_allgather(np.array([r, 10 + r]), y)
        z = np.full_like(y, -1)
        grid.Ineighbor_allgather(np.array([r, 20 + r]), z).Wait()
        got += [y.tolist(), z.tolist(), grid.neighbor_allgather(f"from {r}")]
        got += [refused(lambda grid=grid: grid.Neighbor_allgather(np.zeros(2), np.zeros(7)))]
        grid.Free()
    pair = comm.Create_cart([2], [True])  # each is the other's neighbour on both sides
    return [*got, pair.neighbor_allgather(r) if pair != MPI.COMM_NULL else None]


def refused(call):
    try:
        call()
    except MPI.Exception:
        return "MPI"
    except Exception as error:
        return type(error).__name__


PROGRAMS = [
    *(collectives_on_objects, typed_exchange, reductions_to_parts, places_of_extremes, own_operations),
    *(parts_of_a_communicator, two_groups, groups, grids, neighbours_on_a_grid),
]


def everything(comm):
    return json.loads(json.dumps({program.__name__: program(comm) for program in PROGRAMS}))
