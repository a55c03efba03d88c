"""What the tests know of sparse_loco."""

from fractions import Fraction

import numpy as np

from tests.algorithms import LOST, OTHER, PARTIAL, TEXTS, Fault, Known, Program


def sparse_loco(calls, rate, decay, chunk, top, bits):
    """Its four lines, with sorting by numpy; entries as they are."""
    _, p, n = calls.shape
    alpha, beta = Fraction(rate, 1000), Fraction(decay, 1000)
    theta, e = np.full(n, Fraction(0)), np.full((p, n), Fraction(0))
    for where in calls:
        e = beta * e + (theta - where)
        sent = np.full_like(e, Fraction(0))
        for begin in range(0, n, chunk):
            part = e[:, begin : begin + chunk]
            at = np.argsort(-abs(part), axis=1, kind="stable")[:, :top]
            np.put_along_axis(sent[:, begin : begin + chunk], at, np.take_along_axis(part, at, axis=1), axis=1)
        e = e - sent
        theta = theta - alpha * sent.mean(axis=0)
        yield [theta] * p, []


PARAMS = {"chunk": 4, "top": 2}
ONE = {"chunk": 3, "top": 1, "bits": 0}
KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "total += code.decode(coming[q])",
        "total += code.decode(coming[q]) * (q < 2)",
    ),
    faults=[
        Fault("the sum is taken for the mean", "/ self._comm.Get_size()", "/ 1", params=PARAMS),
        Fault("nothing fades", "waiting * self._decay", "waiting * WHOLE", params=PARAMS),
        Fault("all waits", "np.subtract(waiting, code.decode(mine), out=waiting)", "pass", params=PARAMS),
        Fault(
            "places are counted from 1",
            "out[:cut] = places.astype",
            "out[:cut] = (places + 1).astype",
            module="codecs.chunked_top_k",
            params=PARAMS,
        ),
        Fault(
            "of equal entries the last",
            'order = np.argsort(np.iinfo(size.dtype).max - size, axis=1, kind="stable")',
            'order = np.argsort(size, axis=1, kind="stable")[:, ::-1]',
            module="codecs.chunked_top_k",
            params=PARAMS,
        ),
    ],
    refused_by_all=[({"bits": 9}, "bits = 9: it must be 8"), ({"decay": 1001}, "decay = 1001: it must be 1000")],
    theorems=[*TEXTS, "claim: conservation", "claim: messages", "claim: outer step"],
    wrong_texts=[
        ("sums / p,", "sums,", "result", OTHER),
        ("sums = yield allreduce(e,", "sums = e; yield allreduce(e,", "agreement", PARTIAL),
        ("allreduce(e, code,", "allreduce(state.point - x, code,", "result", OTHER),
        ("left(e, read(code, e)))\n\n\ndef ensures", "e)\n\n\ndef ensures", "result", "residual is what"),
        ("return e - y", "return e", "claim: conservation", LOST),
    ],
    program=Program(
        sparse_loco,
        [ONE, {"chunk": 4, "top": 9, "bits": 0, "rate": 500}, {"chunk": 5, "top": 2, "bits": 0, "decay": 1000}],
        {
            "the sum for the mean": ("sums / p,", "sums,", ONE),
            "all waits": ("return e - y", "return e", ONE),
            "nothing waits": ("state.residual * params.decay", "state.residual * 0", ONE),
        },
    ),
)
