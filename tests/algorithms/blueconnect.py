"""What the tests know of blueconnect."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=("a part is not delivered", "ring.allgather(level, y)", "ring.allgather(level, y[:0])"),
    faults=[
        Fault(
            "levels from the last on",
            "(1, m), (m, g), (m * g, racks)",
            "(m * g, racks), (m, g), (1, m)",
            ranks=8,
            params={"m": 2, "g": 1},
        ),
        Fault(
            "another block", "place(comm.Get_rank(), stride, size)", "place(comm.Get_rank() + 1, stride, size)", ranks=4
        ),
        Fault("a ring from the other place", "turn=1", "turn=0", ranks=4),
        Fault("no racks", "(m, g), (m * g, racks)", "(m, g), (m, racks)", breaks={"hygiene"}, ranks=8),
    ],
    refused=[
        ({"m": 0}, "m = 0: it must be a whole number, 1 or more"),
        ({"g": 0}, "g = 0: it must be a whole number, 1 or more"),
    ],
    different=[({"m": 4}, "rank 2 has m=4, g=2, rank 0 m=2"), ({"g": 1}, "g=1")],
    costed_with=[{}, {"m": 3, "g": 1}, {"m": 1, "g": 4}],
)
