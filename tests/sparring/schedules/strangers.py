"""Files as others write them, small and made here: ForestColl's trees, TE-CCL's flows, MSCCL's JSON, TACCL's XML."""

from __future__ import annotations

import json

BOX = "(0, 'GPU', {})"
"""A node's name as the writer makes it of a tuple."""


def trees(p, k=1, name=BOX):
    """The sends of each tree, by root and index: from the root to the next, and from there to all others."""
    found = {}
    for root in range(p):
        for index in range(k):
            hub = (root + 1 + index) % p
            hub = hub if hub != root else (root + 1) % p
            others = [q for q in range(p) if q not in (root, hub)]
            edges = [(root, hub), *((hub, q) for q in others)] if p > 1 else []
            found[name.format(root), index] = [(name.format(a), name.format(b)) for a, b in edges]
    return found


def forest(found, k=1, count=1):
    """The file."""
    lines = [f'<Algo nchunkspernode="{k * count}">']
    for (root, index), sends in found.items():
        lines.append(f'  <tree root="{root}" index="{index}" nchunks="{count}" height="2">')
        lines += [f'    <send src="{a}" dst="{b}" path="{a},(-1, \'NVSwitch\', 0),{b}"/>' for a, b in sends]
        lines.append("  </tree>")
    return "\n".join([*lines, "</Algo>"]).encode()


GPUS = [1, 2, 4, 5]
"""0 and 3 are switches."""


def flow(chunk, source, src, dst, epoch, *, volume="", via=""):
    """A line."""
    volume = f" with volume {volume}" if volume else ""
    return f"Chunk {chunk} from {source} traveled over {src}->{dst}{volume} in epoch {epoch}" + (
        f" via switches {via}" if via else ""
    )


def output(flows, pairs, **new):
    """The file, whose demands are of those pairs of destination, source and chunk."""
    met = {}
    for d, s, c in pairs:
        met.setdefault(f"GPU {d}", {}).setdefault(f"GPU {s}", {})[f"Chunk {c}"] = 2e-09
    whole = {
        "1-Epoch_Duration": 1e-09, "2-Expected_Epoch_Duration": 1e-09, "3-Epochs_Required": 3,
        "4-Collective_Finish_Time": 3e-09, "5-Algo_Bandwidth": 0.5, "6-Demand_Met": met, "7-Flows": flows,
        "8-Chunk paths": {f"Demand at {d} for chunk {c} from {s} met by epoch 1": ["1->2 in epoch 0"]
                          for d, s, c in pairs},
        "Solver_Time": 1.5, **new,
    }  # fmt: skip
    return json.dumps({key: value for key, value in whole.items() if value is not None}).encode()


def ring(chunks=1):
    """An allgather: in epoch t each passes on what came in the one before."""
    return [
        flow(c, GPUS[(r - t) % 4], GPUS[r], GPUS[(r + 1) % 4], t, via="0 -> 3" if r == 1 else "")
        for t in range(3)
        for r in range(4)
        for c in range(chunks)
    ]


PAIRS = [(d, s, 0) for d in GPUS for s in GPUS if d != s]


def exchange(p=4, share=2):
    """An alltoall: rank 0 sends for ranks from 2 on by way of rank 1, all else goes straight."""
    lines = []
    for m in range(share):
        for s in range(p):
            for t in range(p):
                c = t + m * p
                if s == 0 and t >= 2:
                    lines += [flow(c, 0, 0, 1, m, volume="1.0"), flow(c, 0, 1, t, m + 1, volume="0.9999999")]
                elif s != t:
                    lines.append(flow(c, s, s, t, m, volume="1.0", via="9"))
    return lines


def algorithm(p, steps, chunks, name="Allgather"):
    """MSCCL's JSON as msccl-tools writes it, which all ranks follow step by step."""
    collective = {
        "msccl_type": "collective", "name": f"{name}(n={p})", "nodes": p, "triggers": {}, "runtime_name": name.lower(),
        "chunks": [{"msccl_type": "chunk", "pre": pre, "post": post, "addr": addr} for pre, post, addr in chunks],
    }  # fmt: skip
    whole = {
        "msccl_type": "algorithm", "name": "mine", "input_map": {}, "output_map": {}, "collective": collective,
        "instance": {"msccl_type": "instance", "steps": len(steps), "extra_rounds": 0},
        "steps": [{"msccl_type": "step", "rounds": 1, "sends": sends} for sends in steps],
        "topology": {"msccl_type": "topology", "name": "full", "links": [], "switches": []},
    }  # fmt: skip
    return json.dumps(whole).encode()


def addressed(p, steps):
    """An allgather."""
    return algorithm(p, steps, [([r], [*range(p)], r) for r in range(p)])


def reduced(p, steps):
    """An allreduce of one address a rank."""
    return algorithm(p, steps, [([r], [*range(p)], a) for a in range(p) for r in range(p)], "Allreduce")


LAPS = [[[(r - t) % 3, r, (r + 1) % 3] for r in range(3)] for t in range(4)]
"""The ring's: the first two steps add, or gather; the others take the place of what is there."""


def step(s, op, buffer, index, after=(-1, -1)):
    """A line of TACCL's: a step that uses one place."""
    return (
        f'<step s="{s}" type="{op}" srcbuf="{buffer}" srcoff="{index}" dstbuf="{buffer}" dstoff="{index}" cnt="1" '
        f'depid="{after[0]}" deps="{after[1]}" hasdep="0"/>'
    )


def taccl(collective, inputs, copies, blocks, *, inplace):
    """TACCL's XML: for each rank the copies, each from where to where, and the blocks, each with its ends and steps."""
    p = len(blocks)
    head = f'name="taccl" nchannels="1" nchunksperloop="{p}" proto="Simple" coll="{collective}" inplace="{inplace:d}"'
    lines = [f'<algo {head} outofplace="{not inplace:d}" minBytes="0" maxBytes="0" redop="nop" ngpus="{p}">']
    for r in range(p):
        lines.append(f'  <gpu id="{r}" i_chunks="{inputs}" o_chunks="{p}" s_chunks="0">')
        lines += [f'    <copy i_off="{i}" o_off="{o}"/>' for i, o in copies[r]]
        for b, (send, recv, steps) in enumerate(blocks[r]):
            lines.append(f'    <tb id="{b}" send="{send}" recv="{recv}" chan="0">')
            lines += [f"      {one}" for one in steps] + ["    </tb>"]
        lines.append("  </gpu>")
    return "\n".join([*lines, "</algo>"]).encode()


def copied_ring(p, copies=None, *, inplace=True):
    """An allgather: its steps name the output alone, so each rank's own chunk is copied there."""
    blocks = [
        [
            ((r + 1) % p, -1, [step(t, "s", "o", (r - t) % p, (1, t - 1) if t else (-1, -1)) for t in range(p - 1)]),
            (-1, (r - 1) % p, [step(t, "r", "o", (r - 1 - t) % p) for t in range(p - 1)]),
        ]
        for r in range(p)
    ]
    return taccl("allgather", 1, copies or [[(0, r)] for r in range(p)], blocks, inplace=inplace)


def copied_exchange(p, copies=None):
    """An alltoall, not in place: each rank copies its own part."""
    blocks = [[(q, q, [step(0, "s", "i", q), step(1, "r", "o", q)]) for q in range(p) if q != r] for r in range(p)]
    return taccl("alltoall", p, copies or [[(r, r)] for r in range(p)], blocks, inplace=False)
