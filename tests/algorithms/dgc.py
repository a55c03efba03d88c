"""What the tests know of dgc."""

from tests.algorithms import NAN, Fault, Known

KNOWN = Known(
    alike=("means are halved", "np.add(held, u, out=held)", "np.add(held, u / 2, out=held)"),
    faults=[
        Fault("what is sent keeps its velocity", "if self._masking:", "if not self._masking:", params={"k": 2}),
        Fault(
            "momentum is made of what waits",
            "else self._velocity) * self._momentum",
            "else self._waiting) * self._momentum",
            params={"k": 2, "masking": 0},
        ),
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"allreduce": "tree"}, "allreduce = 'tree': it must be one of ring_sparse, two_shot_sparse"),
    ],
    different=[
        ({"momentum": 5}, "rank 2 has n=5, k=100, momentum=5, masking=1"),
        ({"allreduce": "ring_allgather"}, "=2"),
    ],
    refused_by_all=[
        ({"momentum": 1000}, "momentum = 1000: it must be less than 1000"),
        ({"masking": 2}, "masking = 2"),
    ],
    spoilt=[({"k": 8}, NAN, [5], True)],
)
