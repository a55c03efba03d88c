"""Jobs on gloo that hang, each with a twin that does not: ``hanging_jobs.py FOLDER RANKS NAME-right|NAME-wrong ...``.

In the wrong ones a timer has each rank dump its flight recorder into the folder, whatever the rank is doing then; in
the right ones ranks dump when they are through.  Those called ``NAME-wrong-watched`` are dumped by
``sparring.torch.watch``, which lists sends and receives, too.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from importlib import import_module
from pathlib import Path

torch, dist = import_module("torch"), import_module("torch.distributed")  # checkers run where torch is missing
recorder, _ = import_module("torch._C._distributed_c10d"), import_module("torch._inductor")  # a first dump imports that

QUIET, PATIENCE = 2.0, 20.0
"""The seconds after which ranks dump, and for which they then wait for one another."""

SETTLING, ABREAST = 1.0, 4
"""The seconds within which the recorder hears that the last call ended, and how many jobs run at a time."""


def skipped(rank, wrong):
    """Rank 1 leaves out one of several calls that look the same."""
    x = torch.ones(4)
    dist.all_reduce(x)
    if not (wrong and rank == 1):
        dist.all_reduce(x)  # skipped by rank 1
    dist.all_reduce(x)
    dist.all_reduce(x)


def only_rank_0(rank, wrong):
    """A collective stands behind ``if rank == 0``."""
    x = torch.ones(4)
    dist.all_reduce(x)
    if rank == 0 or not wrong:
        dist.broadcast(x, 0)
    dist.all_reduce(x)


def shapes(rank, wrong):
    """Rank 2 has one element more; the twin's has as many in another shape."""
    dist.all_reduce(torch.ones(4))
    dist.all_reduce(torch.ones(4) if rank != 2 else torch.ones(5) if wrong else torch.ones(2, 2))
    dist.all_reduce(torch.ones(4))


def dtypes(rank, wrong):
    """Rank 1 adds integers, whose bytes gloo takes for floats: nothing hangs."""
    dist.all_reduce(torch.ones(4))
    dist.all_reduce(torch.ones(4, dtype=torch.int32 if wrong and rank == 1 else torch.float32))


def kinds(rank, wrong):
    """Rank 2 reduces to one rank where the others reduce to all."""
    x = torch.ones(4)
    dist.all_reduce(x)
    if wrong and rank == 2:
        dist.broadcast(x, 2)
    else:
        dist.all_reduce(x)


def swapped(rank, wrong):
    """Rank 1 calls on two groups in the other order."""
    x, groups = torch.ones(4), [dist.new_group([0, 1, 2]), dist.new_group([0, 1], group_desc="pair")]
    mine = groups if rank < 2 else groups[:1]
    for group in mine:
        dist.all_reduce(x, group=group)
    for group in reversed(mine) if wrong and rank == 1 else mine:
        dist.all_reduce(x, group=group)


def slow(rank, wrong):
    """Rank 1 comes after the dump; the twin's comes half a second late."""
    dist.all_reduce(torch.ones(4))
    if rank == 1:
        time.sleep(2 * PATIENCE if wrong else 0.5)  # sleeps
    dist.all_reduce(torch.ones(4))


def dead(rank, wrong):
    """Rank 1 dies and leaves no dump."""
    dist.all_reduce(torch.ones(4))
    if wrong and rank == 1:
        os._exit(1)
    dist.all_reduce(torch.ones(4))


def receives(rank, wrong):
    """Each rank waits for the one before it, and none sends; the twin's rank 0 sends first."""
    x, size = torch.ones(4), dist.get_world_size()
    dist.all_reduce(x)
    if rank == 0 and not wrong:
        dist.send(x, 1)
        dist.recv(x, size - 1)
    else:
        dist.recv(x, (rank - 1) % size)
        dist.send(x, (rank + 1) % size)


def posted(rank, wrong):
    """After a batch that goes well, each rank sends to the rank after it, and waits for a message from that one."""
    x, y, size = torch.ones(4), torch.ones(4), dist.get_world_size()
    after, before = (rank + 1) % size, (rank - 1) % size
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, after), dist.P2POp(dist.irecv, y, before)]):
        work.wait()
    sending = dist.isend(x, after)
    dist.irecv(y, after if wrong else before).wait()  # waits for the wrong rank
    sending.wait()


def pairs(rank, wrong):
    """The same circle, made of broadcasts in groups of two, which gloo's recorder lists."""
    x, size = torch.ones(4), dist.get_world_size()
    groups = [dist.new_group(sorted([r, (r + 1) % size])) for r in range(size)]
    mine = [groups[(rank - 1) % size], groups[rank]]
    for group in mine if rank else reversed(mine):
        dist.barrier(group=group)
    for group in mine if rank or wrong else reversed(mine):
        dist.broadcast(x, dist.get_global_rank(group, 0), group=group)


def dump(rank, ranks, folder, watch):
    """Write the rank's dump, wait for those of the others, and end the process."""
    if watch:
        watch.dump()
    else:
        (folder / "unfinished").mkdir(exist_ok=True)
        path = folder / "unfinished" / str(rank)
        path.write_bytes(recorder._dump_fr_trace())
        path.rename(folder / f"trace_{rank}")
    end = time.monotonic() + PATIENCE
    while len(list(folder.glob("trace_*"))) < ranks and time.monotonic() < end:
        time.sleep(0.05)
    os._exit(0)


def run(name, how, watched, rank, ranks, folder):
    wrong, watch = how == "wrong", None
    if watched:
        del os.environ["TORCH_FR_BUFFER_SIZE"]  # the watch turns the recorder on
        watch = import_module("sparring.torch").watch(folder)
    store = dist.FileStore(str(folder / "store"), ranks)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks)
    dist.barrier()
    left = ranks - (name == "dead" and wrong)
    timer = threading.Timer(QUIET if wrong else PATIENCE, dump, (rank, left, folder, watch))
    timer.start()
    try:
        globals()[name](rank, wrong)
    except RuntimeError as error:  # a rank that died breaks the connections of the others
        print(error)
    if wrong:
        timer.join()
    timer.cancel()
    time.sleep(SETTLING)
    dump(rank, left, folder, watch)


def start(job, ranks, folder):
    """Fork a job's ranks from this process: torch takes seconds to import."""
    folder.mkdir()
    name, how, *watched = job.split("-")
    for rank in range(ranks):
        if os.fork() == 0:
            try:
                run(name, how, watched, rank, ranks, folder)
            finally:
                os._exit(1)


def main(folder, ranks, *jobs):
    """Each job's dumps go to a folder of its name in ``folder``."""
    for first in range(0, len(jobs), ABREAST):
        some = jobs[first : first + ABREAST]
        for job in some:
            start(job, ranks, folder / job)
        for _ in range(ranks * len(some)):
            os.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
