"""Execution plans as MSCCL++ writes them, small and made here: every block of a rank has a channel to each other."""

from __future__ import annotations

import json


def here(kind, index, size=1):
    """Chunks of the rank itself."""
    return {"type": kind, "index": index, "size": size}


def there(r, q, kind, index, size=1):
    """Chunks of rank ``q``, as rank ``r`` names them."""
    return {"buffer_id": 3 * place(r, q) + "ios".index(kind), "index": index, "size": size}


def switch(index, size=1):
    """Chunks of all ranks."""
    return {"switch_channel_id": 0, "index": index, "size": size}


def place(r, q):
    """Which of the others ``q`` is for ``r``."""
    return q - (q > r)


def op(name, src=(), dst=(), to=None, wire="memory", **more):
    """An operation; ``to``: the places of channels."""
    made = {"name": name}
    if src or dst:
        made |= {"src_buff": list(src), "dst_buff": list(dst)}
    if to is not None:
        made["channel_ids"] = list(to)
    if src or dst or to is not None:
        made["channel_type"] = wire
    return made | more


def nop():
    """All threads meet."""
    return op("nop")


def others(p, r):
    """All ranks but one."""
    return [q for q in range(p) if q != r]


def theirs(p, r, kind, index):
    """The same chunk of all others."""
    return [there(r, q, kind, index) for q in others(p, r)]


def puts(p, r, **more):
    """The rank's chunk goes to all others."""
    return op("put", [here("o", r) for _ in range(p - 1)], theirs(p, r, "o", r), **more)


def meet(p, wire="memory", how=""):
    """Signals to all others, and waits for theirs."""
    to = range(p - 1)
    return [nop(), op(f"{how}signal", to=to, wire=wire), nop(), op(f"{how}wait", to=to, wire=wire), nop()]


def plan(ranks, collective="allgather", sizes=(1, 2, 0), inplace=True, semaphores=0, wire="memory", **more):
    """The file; ``ranks``: of each its blocks, of each its operations."""
    p = len(ranks)
    gpus = []
    for r, blocks in enumerate(ranks):
        made = [
            {
                "id": b,
                "ops": ops,
                "channels": [
                    {"channel_type": wire, "channel_ids": [b * (p - 1) + i for i in range(p - 1)]},
                    {"channel_type": "switch", "channel_ids": [0]},
                ],
                "remote_buffer_refs": [{"access_channel_type": wire, "remote_buffer_ids": list(range(3 * (p - 1)))}],
            }
            for b, ops in enumerate(blocks)
        ]
        gpus.append({
            "id": r, "input_chunks": sizes[0], "output_chunks": sizes[1], "scratch_chunks": sizes[2],
            "threadblocks": made,
            "channels": [
                {"channel_type": wire, "connected_to": others(p, r) * len(blocks)},
                {"channel_type": "switch", "buffer_type": "i",
                 "rank_groups": [{"size": p, "ranks": list(range(p))}]},
            ],
            "remote_buffers": [{"rank": q, "type": t, "access_channel_types": [wire]}
                               for q in others(p, r) for t in "ios"],
            "semaphores": [{"init_value": 0}] * semaphores,
        })  # fmt: skip
    whole = {
        "name": "mine", "collective": collective, "protocol": "Simple", "inplace": inplace, "reuse_resources": False,
        "gpus": gpus, "num_threads_per_block": 1024, "use_double_scratch_buffer": False, "buffer_alignment": 16,
        "min_message_size": 0, "max_message_size": 2**64 - 1,
    }  # fmt: skip
    return json.dumps(whole | more).encode()


def gathered(p, wire="memory"):
    """An allgather in place: each puts its chunk to all others."""
    to = range(p - 1) if wire == "port" else None
    return [[[*meet(p, wire), puts(p, r, to=to, wire=wire), *meet(p, wire)]] for r in range(p)]


def sliced(p):
    """The same, of two blocks that put a half of the chunk each."""
    halves = [{"tb_id": b, "tbg_size": 2} for b in range(2)]
    return [[[*meet(p), puts(p, r, tbg_info=half), *meet(p)] for half in halves] for r in range(p)]


def barred(p):
    """One not in place: a block copies the own chunk, and after a barrier another puts it to all."""
    wait = op("barrier", barrier_id=0, num_threadblocks=2)
    return [
        [[op("copy", [here("i", 0)], [here("o", r)]), wait], [*meet(p), wait, puts(p, r), *meet(p)]] for r in range(p)
    ]


def added(p, r, source, target):
    """The rank reads its chunk of all others, adds them up, and writes the sum to all."""
    return op("rres", [here(source, r), *theirs(p, r, source, r)], [here(target, r), *theirs(p, r, target, r)],
              reduce_op="sum")  # fmt: skip


def reduced(p):
    """An allreduce in place."""
    return [[[*meet(p), added(p, r, "i", "i"), *meet(p)]] for r in range(p)]


def packed(p):
    """An allreduce in place with packets: every two blocks of two ranks need no signal."""
    return [
        [
            [op("ppkt", [here("i", q)], [there(r, q, "s", r)]) for q in others(p, r)],
            [op("respkt", [here("i", r), *(here("s", q) for q in others(p, r))],
                [here("i", r), *theirs(p, r, "s", p + r)], reduce_op="sum")],
            [op("upkt", [here("s", p + q)], [here("i", q)]) for q in others(p, r)],
        ]
        for r in range(p)
    ]  # fmt: skip


def switched(p, how=""):
    """An allreduce in place by a switch that adds; ``how`` the others are told that it has."""
    return [
        [[*meet(p, how="rlx"), op("glres", [switch(r)], [switch(r)], wire="switch"), *meet(p, how=how)]]
        for r in range(p)
    ]


def piped(p):
    """One not in place, in pipelines of two blocks with a semaphore: copy to the scratch, then read and send."""
    context = {"unit_size": 2**20, "num_chunks": 1}
    copies = [op("copy", [here("i", c)], [here("s", c)]) for c in range(p)]
    return [
        [
            [op("pipeline", iter_context=context, ops=ops)]
            for ops in (
                [*copies, *meet(p), op("sem_release", semaphore_ids=[0])],
                [op("sem_acquire", semaphore_ids=[0]), nop(), added(p, r, "s", "o"), *meet(p)],
            )
        ]
        for r in range(p)
    ]
