"""What the tests know of qsgd."""

from tests.algorithms import INF, OTHER, TEXTS, Fault, Known, Same

KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "y += read(coming[q], x, self._levels)",
        "y += read(coming[q], x, self._levels) * (q < 3)",
    ),
    faults=[
        Fault(
            "no signs are sent",
            "like.size, sign + 1)",
            "like.size, sign)",
            also={"integer_bytes.packed(levels, sign + 1)": "integer_bytes.packed(levels & (1 << sign) - 1, sign)"},
        )
    ],
    aimed=[
        Fault("a second block", "np.arange(some.start, some.stop)", "np.arange(some.stop - some.start)"),
        Fault("by the greatest magnitude", "norm = sizes.max() if by_max else", "norm ="),
    ],
    refused=[
        ({"levels": 0}, "levels = 0: it must be a whole number, 1 or more"),
        ({"by_max": -1}, "by_max = -1: it must be a whole number, 0 or more"),
    ],
    different=[({"seed": 2}, "seed=2")],
    refused_by_all=[
        ({"levels": 65537}, "levels = 65537: there must be 1 to 65536"),
        ({"by_max": 2}, "by_max = 2: it must"),
    ],
    theorems=[*TEXTS, "claim: result", "claim: volume"],
    wrong_texts=[
        (
            "each(level, x, one, chances(params.seed, call, r, x), params.levels)\n    y",
            "each(level, x, one, chances(params.seed, call, r + 1, x), params.levels)\n    y",
            "result",
            OTHER,
        ),
        ("Levels(params.levels)", "Levels(one)", "deadlock", "different terms"),
        ("rises(t, chance), levels)", "rises(t, chance), levels) + 1", "claim: result", "none below 0"),
    ],
    same_texts=[Same("    return plain(y)", "    z = y\n    return plain(z)", slow=True)],
    gone_through=True,
    spoilt=[({}, INF, range(8), True), ({}, 1e200, range(8), True), ({"by_max": 1}, 1e200, (), True)],
    octets=[
        *(
            ({"levels": s}, "float32", 16, 3, [2 * (4 + 2 * b)])
            for s, b in [(1, 2), (3, 3), (4, 4), (127, 8), (255, 9), (65536, 18)]
        )
    ],
    costed_with=[{}, {"levels": 300}, {"by_max": 1}],
    reader="codes.py",
    reader_defects={
        "the sign below the level": ("[q | (v < 0) << sign for", "[q << 1 | (v < 0) for"),
        "the unit before it is rounded": ("at.rounded(norm / ", "(norm / "),
        "added in a row": ("double.halved(", "sum("),
        "added in the vector's type": ('Numbers("float64")', "at"),
        "the greatest entry, and not its magnitude": ("max(map(abs, x))", "abs(max(x))"),
        "the norm, whatever is asked for": ('if parameters["by_max"]', "if False"),
        "added from the last rank on": ("for one in codes))", "for one in codes[::-1]))"),
    },
)
