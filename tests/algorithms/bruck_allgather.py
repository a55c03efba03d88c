"""What the tests know of bruck_allgather."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"for q in range(p)]\n": "for q in range(min(p, 3))]\n"}),
    faults=[
        Fault(
            "the other way",
            {
                "outgoing, before(r, d, p), incoming, after(r, d, p)": (
                    "outgoing, after(r, d, p), incoming, before(r, d, p)"
                )
            },
            breaks={"hygiene"},
        )
    ],
    open_obligations={"shifts of holds", "shifts of the schedule"},
    no_pattern="partners do not differ in one bit",
)
