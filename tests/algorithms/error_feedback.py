"""What the tests know of error_feedback."""

from tests.algorithms import LOST, TEXTS, Fault, Known, Same

KNOWN = Known(
    alike=("what is not sent is forgotten", "waiting[sent.indices] = 0", "waiting[:] = 0"),
    aimed=[
        Fault("no second exchange of arguments", "validate=False)", "validate=True)"),
        Fault("another selector", "made(selector, k, params)", 'made("topk", k, {})'),
    ],
    made_with={"k": 2},
    refused=[
        ({"selector": 5}, "selector = 5: it must be a selector's name, or a function of a vector"),
        ({"selector": "top"}, "no selector 'top': right is the name of a module of sparring.impl.selectors"),
        ({"allreduce": "rinng"}, "no allreduce 'rinng': right is the name of a module of sparring.impl"),
    ],
    different=[({"n": 6}, "rank 2 has n=6"), ({"allreduce": "ring_allgather"}, "allreduce=4, rank 0 n=5")],
    theorems=[*TEXTS, "conservation"],
    wrong_texts=[
        ("where(sent, 0, v)", "where(y > 0, 0, v)", "conservation", LOST),
        (
            "sparse_allreduce(v, sent, params.allreduce)",
            "sparse_allreduce(v, v <= v, params.allreduce)",
            "conservation",
            LOST,
        ),
        (
            "y = yield sparse_allreduce(v, sent, params.allreduce)",
            (
                "y = yield sparse_allreduce(v, sent, params.allreduce)\n"
                "    y = yield sparse_allreduce(y, sent, params.allreduce)"
            ),
            "result",
            "which has been added up already",
        ),
        ("params.allreduce)", "'ring')", "result", "its data is vector"),
    ],
    same_texts=[Same("where(sent, 0, v)", "v - where(sent, v, 0)", slow=True)],
    other_ways={"allreduce": "bruck_allgather"},
)
