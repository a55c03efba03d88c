"""What the tests know of hierarchical."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=("a part is not delivered", "shown(rail, mine)", "shown(rail, mine[:0])"),
    faults=[
        Fault(
            "across nodes before inside them",
            "near, far = levels(m, p // m)",
            "far, near = levels(m, p // m)\n    r, m = r // m, p // m",
            breaks={"result", "steps"},
            ranks=6,
        ),
        Fault("another block", "block(r % m, y.size, m)", "block((r + 1) % m, y.size, m)", ranks=4),
        Fault(
            "a ring from the other place",
            'turn=1 if inside == "ring" else 0',
            "turn=0",
            ranks=6,
            params={"m": 2, "inside": "ring"},
        ),
        Fault(
            "groups of neighbours alone",
            "(j - place(r, stride, size)) * stride",
            "j - place(r, stride, size)",
            module="core.lines",
            breaks={"hygiene"},
            ranks=4,
        ),
    ],
    refused=[
        ({"m": 0}, "m = 0: it must be a whole number, 1 or more"),
        ({"inside": "tree"}, "inside = 'tree': it must be one of direct, ring"),
        ({"across": "direct"}, "across = 'direct': it must be one of ring, two_shot"),
    ],
    different=[({"m": 3}, "rank 2 has m=3, inside=0, across=0, rank 0 m=2"), ({"inside": "ring"}, "inside=1")],
    costed_with=[{}, {"m": 4, "inside": "ring", "across": "two_shot"}],
    reader="levels.py",
    reader_defects={
        "one level": ("if p % m:", "if True:"),
        "added from the last place on": ("for part in parts))", "for part in parts[::-1]))"),
        "a ring that begins at home": ("parts[r][(r - 1 - t) % m])", "parts[r][(r - t) % m])"),
        "the ring alone": (
            'way = len(xs), parameters["m"], parameters["across"]',
            'way = len(xs), parameters["m"], "ring"',
        ),
        "direct inside": ('parameters["inside"] == "ring"', "False"),
        "node after node": ("key=lambda one: one[0]", "key=lambda one: one[1]"),
    },
)
