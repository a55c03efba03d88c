"""What the tests know of clt_k."""

from tests.algorithms import NAN, Fault, Known

KNOWN = Known(
    alike=("what is not sent is forgotten", "held[at] = 0 if self._beta == WHOLE else held[at] - v[at]", "held[:] = 0"),
    faults=[
        Fault("rank 0 leads always", "return call % p", "return call * 0 % p"),
        Fault(
            "what is sent leaves its entry in the residual",
            "held[at] = 0 if self._beta == WHOLE else held[at] - v[at]",
            "held[at] = held[at] if self._beta == WHOLE else held[at] - v[at]",
            params={"k": 2},
        ),
        Fault(
            "the leader's new entries decide, not what it held back",
            "first(magnitudes(v), self._k)",
            "first(magnitudes(x), self._k)",
            params={"k": 2},
        ),
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"beta": 0}, "beta = 0: it must be a whole number, 1 or more"),
        ({"beta": 1001}, "beta = 1001: it must be 1000 or less, thousandths"),
        ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot"),
    ],
    different=[({"beta": 999}, "rank 2 has n=5, k=100, beta=999, through=0, rank 0 n=5, k=100, beta=1000")],
    spoilt=[({"k": 8}, NAN, [5], True)],
)
