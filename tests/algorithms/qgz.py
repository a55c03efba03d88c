"""What the tests know of qgz."""

from tests.algorithms import NAN, OTHER, TEXTS, Fault, Known

KNOWN = Known(
    alike=("a rank's vector is left out", "np.add(total, one, out=total)", "np.add(total, one * (q < 2), out=total)"),
    faults=[
        Fault("codes are cut off", "np.rint(rows", "np.trunc(rows", module="codecs.symmetric_quantiser"),
        Fault(
            "a step is that of a range",
            "most / self._dtype.type(self._half)",
            "(rows.max(axis=1) - rows.min(axis=1)) / self._dtype.type(2 * self._half - 1)",
            module="codecs.symmetric_quantiser",
        ),
        Fault(
            "a rank adds its own copy as it is",
            "coded.decode(coming[q], one)",
            "coded.decode(coming[q], one)\n        one = x[blocks[r]] if q == r else one",
        ),
    ],
    refused=[
        ({"bits": 4.5}, "bits = 4.5: it must be a whole number, 4 or more"),
        ({"g": 0}, "g = 0: it must be a whole number, 1 or more"),
    ],
    different=[({"bits": 8}, "rank 2 has bits=8, g=128, rank 0 bits=4, g=128")],
    refused_by_all=[
        ({"bits": 5}, "bits = 5: it must be 4 or 8"),
        ({"g": 65537}, "g = 65537: it must be at most 65536"),
    ],
    theorems=[*TEXTS, "claim: error"],
    wrong_texts=[
        ("return (yield allgather(sums", "return sums; (yield allgather(sums", "agreement", "is shard"),
        ("reduce_scatter(x,", "reduce_scatter(x + x,", "result", OTHER),
    ],
    spoilt=[({"g": 4}, NAN, range(4, 8), True)],
    octets=[
        ({"g": 10}, "float32", 33, 3, [2 * 2 * (4 + 5), 2 * 44]),
        ({"bits": 8, "g": 3}, "float64", 6, 2, [8 + 3, 24]),
    ],
    costed_with=[{}],
)
