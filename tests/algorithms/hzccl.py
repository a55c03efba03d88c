"""What the tests know of hzccl."""

import numpy as np

from tests.algorithms import NAN, OTHER, TEXTS, Fault, Known, Program


def hzccl(calls, exponent):
    """Each rank rounds by itself to multiples of two bounds; the rest is numpy's sum."""
    for xs in calls:
        step = 2 / 2.0**exponent
        yield [(np.rint(xs / step) * step).sum(axis=0)] * len(xs), ()


BLOCK = "codecs.difference_blocks"

KNOWN = Known(
    alike=("a rank's vector is left out", "total += decode(", "total += (q < 2) * decode("),
    faults=[
        Fault("entries are cut off", "np.rint(steps)", "np.trunc(steps)"),
        Fault("a step is the error bound", "2.0 ** (1 - int(exponent))", "2.0 ** (-int(exponent))"),
        Fault(
            "what has no code is read as the most",
            "np.where(codes < FAR - LARGEST, codes, np.nan)",
            "np.minimum(codes, LARGEST)",
            params={"exponent": 40},
        ),
        Fault(
            "a sign is the highest bit of a code, on both sides",
            "np.bitwise_xor(rows << 1, rows >> 63, out=rows)",
            "np.add(abs(rows) << 1, rows < 0, out=rows)",
            also={"np.bitwise_xor(rows >> 1, -(rows & 1), out=rows)": "rows[...] = (rows >> 1) * (1 - 2 * (rows & 1))"},
            module=BLOCK,
            breaks={"steps"},
        ),
    ],
    aimed=[
        Fault(
            "a second block",
            "rows.reshape(-1)[: q.size] = np.diff(q, prepend=0)",
            "rows.reshape(-1)[: q.size] = q; rows[:, 1:] -= rows[:, :-1].copy(); rows.reshape(-1)[q.size :] = 0",
            also={"np.cumsum(rows.reshape(-1)[:c])": "np.cumsum(rows, axis=1).reshape(-1)[:c]"},
            module=BLOCK,
        ),
    ],
    refused=[({"exponent": 1.5}, "exponent = 1.5: it must be a whole number, -64 or more")],
    different=[({"exponent": 2}, "rank 2 has exponent=2, rank 0 exponent=10")],
    refused_by_all=[({"exponent": 65}, "exponent = 65: it must be at most 64")],
    theorems=[*TEXTS, "claim: error", "claim: unsound entries"],
    wrong_texts=[
        ("return each(value, q, unit)", "return each(value, q, unit * 2)", "result", OTHER),
        ("Differences(wide(BITS, p))", "Differences(BITS)", "volume", "all ranks' numbers"),
        ("Differences(BITS)", "Differences(BITS - 1)", "volume", "a whole number of"),
    ],
    spoilt=[({}, NAN, [5], True)],
    octets=[({}, "float32", 200, 3, [2 * 3, 2 * 3])],
    program=Program(
        hzccl,
        [{"exponent": 0}, {"exponent": 3}, {"exponent": -1}],
        wrong={"sums count twice": ("return each(value, q, unit)", "return each(value, q + q, unit)", {"exponent": 3})},
        exact=False,
    ),
    costed_with=[{}, {"exponent": -3}],
)
