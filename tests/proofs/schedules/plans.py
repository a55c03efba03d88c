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


def meet(p, wire="memory", how=""):
    """Signals to all others, and waits for theirs."""
    others = range(p - 1)
    return [nop(), op(f"{how}signal", to=others, wire=wire), nop(), op(f"{how}wait", to=others, wire=wire), nop()]


def plan(ranks, collective="allgather", sizes=(1, 2, 0), inplace=True, semaphores=0, wire="memory", **more):
    """The file; ``ranks``: of each its blocks, of each its operations."""
    p = len(ranks)
    gpus = []
    for r, blocks in enumerate(ranks):
        others = [q for q in range(p) if q != r]
        made = [
            {
                "id": b, "ops": ops,
                "channels": [
                    {"channel_type": wire, "channel_ids": [b * (p - 1) + i for i in range(p - 1)]},
                    {"channel_type": "switch", "channel_ids": [0]},
                ],
                "remote_buffer_refs": [
                    {"access_channel_type": wire, "remote_buffer_ids": list(range(3 * (p - 1)))}
                ],
            }
            for b, ops in enumerate(blocks)
        ]  # fmt: skip
        gpus.append({
            "id": r, "input_chunks": sizes[0], "output_chunks": sizes[1], "scratch_chunks": sizes[2],
            "threadblocks": made,
            "channels": [
                {"channel_type": wire, "connected_to": others * len(blocks)},
                {"channel_type": "switch", "buffer_type": "i",
                 "rank_groups": [{"size": p, "ranks": list(range(p))}]},
            ],
            "remote_buffers": [{"rank": q, "type": t, "access_channel_types": [wire]} for q in others for t in "ios"],
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
    return [
        [[
            *meet(p, wire),
            op("put", [here("o", r) for _ in range(p - 1)], [there(r, q, "o", r) for q in range(p) if q != r],
               range(p - 1) if wire == "port" else None, wire),
            *meet(p, wire),
        ]]
        for r in range(p)
    ]  # fmt: skip


def reduced(p):
    """An allreduce in place: rank r reads chunk r of all others, adds them up, and writes the sum to all."""
    return [
        [[
            *meet(p),
            op("rres", [here("i", r), *(there(r, q, "i", r) for q in range(p) if q != r)],
               [here("i", r), *(there(r, q, "i", r) for q in range(p) if q != r)], reduce_op="sum"),
            *meet(p),
        ]]
        for r in range(p)
    ]  # fmt: skip


def packed(p):
    """An allreduce in place with packets: every two blocks of two ranks need no signal."""
    ranks = []
    for r in range(p):
        others = [q for q in range(p) if q != r]
        ranks.append([
            [op("ppkt", [here("i", q)], [there(r, q, "s", r)]) for q in others],
            [op("respkt", [here("i", r), *(here("s", q) for q in others)],
                [here("i", r), *(there(r, q, "s", p + r) for q in others)], reduce_op="sum")],
            [op("upkt", [here("s", p + q)], [here("i", q)]) for q in others],
        ])  # fmt: skip
    return ranks


def switched(p, how=""):
    """An allreduce in place by a switch that adds; ``how`` the others are told that it has."""
    return [[[*meet(p, how="rlx"), op("glres", [switch(r)], [switch(r)], wire="switch"), *meet(p, how=how)]]
            for r in range(p)]  # fmt: skip


def piped(p):
    """One not in place, in pipelines of two blocks with a semaphore: copy to the scratch, then read and send."""
    ranks = []
    for r in range(p):
        others = [q for q in range(p) if q != r]
        first = [
            *(op("copy", [here("i", c)], [here("s", c)]) for c in range(p)), *meet(p),
            op("sem_release", semaphore_ids=[0]),
        ]  # fmt: skip
        then = [
            op("sem_acquire", semaphore_ids=[0]), nop(),
            op("rres", [here("s", r), *(there(r, q, "s", r) for q in others)],
               [here("o", r), *(there(r, q, "o", r) for q in others)], reduce_op="sum"),
            *meet(p),
        ]  # fmt: skip
        context = {"unit_size": 2**20, "num_chunks": 1}
        ranks.append([[op("pipeline", iter_context=context, ops=ops)] for ops in (first, then)])
    return ranks


def sliced(p):
    """An allgather in place, of two blocks that put a half of the chunk each."""
    return [
        [[
            *meet(p),
            op("put", [here("o", r) for _ in range(p - 1)], [there(r, q, "o", r) for q in range(p) if q != r],
               tbg_info={"tb_id": b, "tbg_size": 2}),
            *meet(p),
        ] for b in range(2)]
        for r in range(p)
    ]  # fmt: skip


def barred(p):
    """An allgather not in place: one block copies the own chunk, and after a barrier another puts it to all."""
    wait = op("barrier", barrier_id=0, num_threadblocks=2)
    return [
        [
            [op("copy", [here("i", 0)], [here("o", r)]), wait],
            [*meet(p), wait,
             op("put", [here("o", r) for _ in range(p - 1)], [there(r, q, "o", r) for q in range(p) if q != r]),
             *meet(p)],
        ]
        for r in range(p)
    ]  # fmt: skip
