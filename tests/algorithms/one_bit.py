"""What the tests know of one_bit."""

import numpy as np

from tests.algorithms import INF, NAN, TEXTS, Fault, Known, Program


def one_bit(calls, norm):
    """As the published code has it, with the norms and signs of numpy; chunks are of equal length."""
    _, p, n = calls.shape
    worker, server = np.zeros((p, n)), np.zeros((p, n // p))

    def coded(v):
        return np.linalg.norm(v, norm) / (v.size if norm == 1 else np.sqrt(v.size)) * np.where(np.signbit(v), -1.0, 1.0)

    for xs in calls:
        ms = xs + worker
        read = [*map(coded, ms)]
        chunks = (sum(read) / p).reshape(p, -1) + server
        results = [*map(coded, chunks)]
        worker, server = ms - read, chunks - results
        yield [np.concatenate(results)] * p, [*worker, *server]


KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "total += sign_codec.decode(coming[q], pieces[r])",
        "total += sign_codec.decode(coming[q], pieces[r]) * (q < 2)",
    ),
    faults=[
        Fault("the sign of 0 is -", "np.packbits(x >= 0", "np.packbits(x > 0", module="codecs.sign_codec"),
        Fault(
            "the first sign is the highest bit of its byte, on both sides",
            'np.packbits(x >= 0, bitorder="little")',
            "np.packbits(x >= 0)",
            also={'count=like.size, bitorder="little"': "count=like.size"},
            module="codecs.sign_codec",
            breaks={"steps"},
        ),
    ],
    aimed=[
        Fault(
            "another norm",
            "found = total if norm == 1 else np.sqrt(total)",
            "found = np.sqrt(total)",
            module="codecs.sign_codec",
        )
    ],
    refused=[({"norm": 0}, "norm = 0: it must be a whole number, 1 or more")],
    different=[({"norm": 1}, "norm=1")],
    refused_by_all=[({"norm": 3}, "norm = 3: it must be 1 or 2")],
    theorems=[*TEXTS, "conservation"],
    wrong_texts=[
        (
            "left(v, read(code, v)), left(s, read(code, s))",
            "left(s, read(code, s)), left(v, read(code, v))",
            "result",
            "a rank combines what it has itself with what only the owner of the index has",
        ),
        ("where(is_number(read), v - read, 0)", "v - read", "result", "nothing of it is in worker"),
    ],
    gone_through=True,
    spoilt=[({}, NAN, range(8), True), ({}, -INF, range(8), True), ({}, 1e200, range(8), True)],
    octets=[({}, "float32", 999, 3, [2 * (4 + 42)] * 2)],
    program=Program(
        one_bit,
        [{"norm": norm} for norm in (1, 2)],
        exact=False,
        lengths=lambda p: (p, 8 * p),
        kept=lambda state: [*state.worker, *state.server],
    ),
    costed_with=[{}, {"norm": 1}],
    reader="codes.py",
    reader_defects={
        "zero has the sign -": ("v >= 0 for v in x]", "v > 0 for v in x]"),
        "-0.0 has the sign -": ("v >= 0 for v in x]", "math.copysign(1, v) > 0 for v in x]"),
        "the other norm": ("norm == 1", "norm == 2"),
        "worker errors forgotten": ("[[*map(at.add, x, error)] for x", "[x for x"),
    },
)
