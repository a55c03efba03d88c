"""Defects that users reported of real libraries, made again as small allreduces; issue numbers stand beside each.

Only what was wrong is taken over: how the arithmetic went astray, which wait was missing.
"""

from functools import reduce

import numpy as np
from mpi4py import MPI


def gathered(comm, x):
    """Every rank's vector."""
    all_ = np.empty((comm.Get_size(), x.size), x.dtype)
    comm.Allgather(x, all_)
    return list(all_)


def right(comm, x):
    """The twin of those that return a wrong sum."""
    return reduce(np.add, gathered(comm, x), np.zeros_like(x))


def own_order(comm, x):
    """Each rank adds in another order, beginning with its own vector (ompi#12258, ompi#11871)."""
    vectors, r = gathered(comm, x), comm.Get_rank()
    return reduce(np.add, vectors[r:] + vectors[:r], np.zeros_like(x))


def in_place_of_four(comm, x):
    """In place, from four ranks on, what a rank had is overwritten before it is added (ompi#9385)."""
    vectors = gathered(comm, x)
    if comm.Get_size() >= 4:
        vectors[comm.Get_rank()] = vectors[0]
    return reduce(np.add, vectors, np.zeros_like(x))


def corrupts_its_input(comm, x):
    """The caller's vector serves as scratch memory where ranks are no power of two (E3SM#3106)."""
    total = right(comm, x)
    if comm.Get_size() & (comm.Get_size() - 1) and x.flags.writeable:
        x[: x.size // 2] = total[: x.size // 2]
    return total


def same_block_for_all(comm, x):
    """Blocks are mixed up, which data that is constant on a rank does not show (msccl#50, mscclpp#198)."""
    total = right(comm, x)
    return np.roll(total, comm.Get_size() - 1)


def whole_blocks_only(comm, x):
    """The last entries are left out where the ranks do not divide the length (Ok-Topk#1, tt-metal#14004)."""
    total, p = right(comm, x), comm.Get_size()
    total[x.size // p * p :] = x[x.size // p * p :]
    return total


def empty_is_an_error(comm, x):
    """Vectors shorter than there are ranks make an empty block, which raises on one rank (Ok-Topk#2)."""
    p, r = comm.Get_size(), comm.Get_rank()
    block = x[r * x.size // p : (r + 1) * x.size // p]
    block.max()
    return right(comm, x)


def powers_of_two_only(comm, x):
    """floor(log2 p) rounds: for other p one rank raises, and the others wait (gTop-k, in Ok-Topk)."""
    p, r, total = comm.Get_size(), comm.Get_rank(), x.copy()
    partners = list(range(1 << (p.bit_length() - 1)))
    for round_ in range(p.bit_length() - 1):
        other = np.empty_like(x)
        peer = partners[r] ^ 1 << round_
        comm.Sendrecv(total, peer, recvbuf=other, source=peer)
        total = np.add(*(total, other) if r < peer else (other, total))
    return total + x.dtype.type(0)


def size_overwritten(comm, x):
    """The length to come is sent without a request, and overwritten in the next turn (Ok-Topk, allreducer)."""
    p, r = comm.Get_size(), comm.Get_rank()
    size = np.empty(1, np.int64)
    for hop in range(1, p):
        size[0] = x.size
        comm.Isend([size, MPI.INT64_T], (r + hop) % p, hop)  # bug
        size[0] = 0
    for hop in range(1, p):
        comm.Recv(np.empty(1, np.int64), (r - hop) % p, hop)
    return right(comm, x)


def size_kept(comm, x):
    """Its twin."""
    p, r = comm.Get_size(), comm.Get_rank()
    sizes = [np.array([x.size]) for _ in range(1, p)]
    requests = [comm.Isend(size, (r + hop) % p, hop) for hop, size in enumerate(sizes, start=1)]
    for hop in range(1, p):
        comm.Recv(np.empty(1, np.int64), (r - hop) % p, hop)
    MPI.Request.Waitall(requests)
    return right(comm, x)


def two_in_flight(comm, x):
    """Two messages are under way before one is received (astra-sim#370): a channel needs two places."""
    p, r = comm.Get_size(), comm.Get_rank()
    if p > 1:
        for _ in range(2):
            comm.Send(x, (r + 1) % p)
        for _ in range(2):
            comm.Recv(np.empty_like(x), (r - 1) % p)
    return right(comm, x)


def indices_as_floats(comm, indices):
    """Indices travel in a float32 buffer, which is exact below 2**24 alone (Ok-Topk, packing)."""
    packed = indices.astype(np.float32)
    comm.Bcast(packed, 0)
    return packed.astype(np.int64).tolist()


def indices_as_integers(comm, indices):
    """Its twin."""
    packed = indices.copy()
    comm.Bcast(packed, 0)
    return packed.tolist()
