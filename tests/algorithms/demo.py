"""What the tests know of demo."""

import numpy as np

from tests.algorithms import LOST, NAN, OTHER, PARTIAL, TEXTS, Fault, Known, Program


def demo(calls, decay, chunk, top, signs, **_):
    """Its lines, with a matrix of cosines for each chunk, and sorting by numpy."""
    _, p, n = calls.shape
    m = np.zeros((p, n))
    for xs in calls:
        m = decay / 1000 * m + xs
        total, sent = np.zeros(n), np.zeros((p, n))
        for begin in range(0, n, chunk):
            part = slice(begin, min(begin + chunk, n))
            c = part.stop - part.start
            u, i = np.mgrid[:c, :c]
            by = np.sqrt(np.where(u == 0, 1, 2) / c) * np.cos(np.pi / c * (i + 1 / 2) * u)
            q = m[:, part] @ by.T
            order = np.argsort(-np.abs(q.round(9)), axis=1, kind="stable")
            np.put_along_axis(q, order[:, top:], 0, axis=1)
            sent[:, part], total[part] = q @ by, q.sum(axis=0) @ by
        m = m - sent
        yield [np.sign(total.round(9)) if signs else total] * p, m


PARAMS = {"chunk": 4, "top": 2}
SUMS = {"chunk": 5, "top": 2, "signs": 0, "decay": 500}
SENT = "sums = yield allreduce(q, code,"
KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "total += code.decode(coming[q])",
        "total += code.decode(coming[q]) * (q < 2)",
    ),
    faults=[
        Fault(
            "all stays",
            "np.subtract(momentum, transformed(code.decode(mine), self._chunk, back=True), out=momentum)",
            "pass",
            params=SUMS,
        ),
        Fault("nothing fades", "momentum * self._decay", "momentum * WHOLE", params=SUMS),
        Fault("there as back", "(by.T if back else by)", "by", params=SUMS),
        Fault("cosines of whole places", "(2 * i + 1) * u", "2 * i * u", params=SUMS),
        Fault("all frequencies weigh alike", "min(u + 1, 2)", "2", params=SUMS),
        Fault("a chunk that is not full is left out", "(many, x.size, x.size - many)", "(0, 0, 1)", params=SUMS),
        Fault("signs of zeros are 1", "np.sign(y) if", "np.where(y < 0, -1, 1).astype(y.dtype) if", params=PARAMS),
    ],
    refused_by_all=[
        ({"decay": 1001}, "decay = 1001: it must be 1000 or less"),
        ({"chunk": 1025}, "chunk = 1025: it must be 1024 or less"),
        ({"signs": 2}, "signs = 2: it must be 1 or less"),
    ],
    refused=[({"top": 1.5}, "top = 1.5: it must be a whole number, 1 or more")],
    different=[({"top": 2}, "rank 2 has")],
    theorems=[*TEXTS, "claim: conservation", "claim: messages", "claim: signs"],
    wrong_texts=[
        (SENT, f"{SENT.replace('q,', 'm,')}", "result", OTHER),
        ("sums = yield allreduce(q,", "sums = q; yield allreduce(q,", "agreement", PARTIAL),
        (
            "left(m, back(read(code, q), params.chunk)))\n\n\ndef ensures",
            "m)\n\n\ndef ensures",
            "result",
            "momentum is what",
        ),
        ("return m - y", "return m", "claim: conservation", LOST),
        ("(momentum * decay + x * WHOLE) / WHOLE", "momentum + x", "claim: conservation", "enters"),
    ],
    spoilt=[(SUMS, NAN, range(5, 8), False)],
    octets=[({"chunk": 4, "top": 2}, "float32", 10, 3, [2 * 3 * 2 * 5])],
    costed_with=[{}, {"chunk": 5, "top": 9}],
    program=Program(
        demo,
        [SUMS, {"chunk": 4, "top": 9, "signs": 0}, {"chunk": 3, "top": 1, "signs": 0, "decay": 0}],
        {
            "all stays": ("return m - y", "return m", SUMS),
            "what is sent is not transformed back": ("return gone(back(sums, params.chunk)", "return gone(sums", SUMS),
        },
        exact=False,
        kept=lambda state: [*state.momentum],
    ),
)
