"""NCCL tests, bus bandwidth in doc/PERFORMANCE.md, at github.com/NVIDIA/nccl-tests.

It was at hand.  Times S / B times a factor are the least of any algorithm; here they are compared with rings, which
reach them.
"""

from sparring.literature.formulas import share, twice
from sparring.literature.statements import Row, Theorem, collective

statements = [
    Row("allreduce", "AllReduce", "V", "ring", "words", twice, given="p | n"),
    Row("allreduce-pat", "AllReduce; that PAT reaches it, too, is ours", "DV", "pat", "words",
        twice, given="p | n"),
    Row("reduce-scatter", "ReduceScatter", "V", collective("ring_reduce_scatter"), "words", share, given="p | n"),
    Row("reduce-scatter-additions", "ReduceScatter, n - 1 additions of each element, dealt out; that is ours", "DV",
        collective("ring_reduce_scatter"), "added", share, given="p | n"),
    Row("all-gather", "AllGather", "V", collective("dense_ring_allgather"), "words", share, given="p | n"),
    Row("broadcast", "Broadcast; of one rank alone it is too high", "V", collective("chain_bcast"), "words",
        lambda n, p, k: n, bound=True),
    Row("reduce", "Reduce; of one rank alone it is too high", "V", collective("chain_reduce"), "words",
        lambda n, p, k: n, bound=True),
    Row("alltoall", "AlltoAll", "V", collective("pairwise_alltoall"), "words", share, given="p | n"),
    Row("alltoall-linear", "AlltoAll; that all at once is no more, is ours", "DV", collective("linear_alltoall"),
        "words", share, given="p | n"),
    Theorem("transfers", "AllReduce: 2 (n - 1) transfers of each of S elements, on n links", "V",
            "S (2 (p - 1)) / (p B) = S / B (2 (p - 1) / p)", hypotheses="B >= 1"),
]  # fmt: skip
