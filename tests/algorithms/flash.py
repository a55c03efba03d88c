"""What the tests know of flash."""

from tests.algorithms import NAN, OTHER, TEXTS, Fault, Known

KNOWN = Known(
    alike=("a rank's vector is left out", "for copy in copies[1:]:", "for copy in copies[2:]:"),
    faults=[
        Fault(
            "the owner of a block keeps its sum, as a published kernel does",
            "summed(copies, x[blocks[r]]",
            (
                "exact, one = np.empty_like(x[blocks[r]]), np.empty_like(x[blocks[r]])\n"
                "    first.decode(copies[0], exact)\n    for copy in copies[1:]:\n"
                "        first.decode(copy, one)\n        exact += one\n    summed(copies, x[blocks[r]]"
            ),
            also={
                "finish(gathered(own, mine, [y[block] for block in blocks], second, coming))": (
                    "finish(gathered(own, mine, [y[block] for block in blocks], second, coming))"
                    "\n    y[blocks[r]] = exact"
                )
            },
        ),
        Fault("codes are cut off", "np.rint(steps", "np.floor(steps", module="codecs.group_quantiser"),
        Fault(
            "a rank adds its own copy as it is",
            "first, second, mine)",
            "first, second, mine, r)",
            also={
                "made: Quantiser, out: Bytes) -> None": "made: Quantiser, out: Bytes, own: int) -> None",
                "read.decode_block(copies[0], total, like.size, block.start)": (
                    "np.copyto(total, like[block]) if own == 0 else read.decode_block(copies[0], total, "
                    "like.size, block.start)"
                ),
                "for copy in copies[1:]:": "for q, copy in enumerate(copies[1:], 1):",
                "read.decode_block(copy, one, like.size, block.start)": (
                    "np.copyto(one, like[block]) if q == own else read.decode_block(copy, one, like.size, block.start)"
                ),
            },
        ),
    ],
    aimed=[
        Fault(
            "a second block",
            "at = begin + first * width // EIGHT\n            out[at",
            "at = begin\n            out[at",
            module="codecs.bit_planes",
        ),
        Fault("groups longer than 65,536", "for w in (1, 2, 4)", "for w in (1, 2, 3)", module="codecs.group_quantiser"),
        Fault("another width in the second step", "for b in (b1, b2))", "for b in (b1, b1))"),
    ],
    refused=[({"b1": 4.5}, "b1 = 4.5: it must be a whole number, 1 or more")],
    different=[({"b1": 5}, "b1=5, b2=8, g=128, spikes=0"), ({"g": (1 << 32) + 1}, "g=4294967297")],
    refused_by_all=[({"b1": 9}, "b1 = 9"), ({"spikes": 2}, "spikes = 2"), ({"g": (1 << 32) + 1}, "g = 4294967297")],
    theorems=[*TEXTS, "claim: error"],
    wrong_texts=[
        ("return (yield allgather(sums,", "return sums; (yield allgather(sums,", "agreement", "is shard"),
        ("reduce_scatter(x,", "reduce_scatter(x + x,", "result", OTHER),
    ],
    gone_through=True,
    spoilt=[({"g": 4}, NAN, range(4, 8), True)],
    octets=[
        ({"b1": 4, "b2": 2, "g": 10}, "float32", 30, 3, [2 * (5 + 8), 2 * (3 + 8)]),
        ({"b1": 8, "b2": 8, "g": 4, "spikes": 1}, "float64", 8, 2, [4 + 2 * 16 // 2 + 2 + 16] * 2),
    ],
    costed_with=[{}, {"b1": 3, "b2": 5, "g": 2, "spikes": 1}, {"b1": 4, "g": 3}],
    reader="codes.py",
    reader_defects={
        "of two codes the upper one": (
            "round(at.div(at.sub(v, low), step))",
            "int(at.div(at.sub(v, low), step) + 0.5)",
        ),
        "codes cut and not rounded": ("round(at.div(at.sub(v, low), step))", "int(at.div(at.sub(v, low), step))"),
        "the last of equal spikes": ("x.index(max(x))", "len(x) - 1 - x[::-1].index(max(x))"),
        "spikes have codes": ("0 if not step or i in places else", "0 if not step else"),
        "spikes are in the range": ("if i not in places] or kept[:1]", "if True] or kept[:1]"),
        "group by group": (
            "at.octets([one.told[kind] for kind in range(4 if spikes else 2) for one in found])",
            "at.octets([v for one in found for v in one.told])",
        ),
        "places have one byte": ("1 if g <= 256 else 2", "1 if g <= 65536 else 2"),
        "places the higher byte first": ('"little"', '"big"'),
        "the widths of both steps swapped": ('parameters["b2"], parameters', 'parameters["b1"], parameters'),
        "one rank alone makes codes": ("if p == 1:", "if p == 0:"),
        "an owner keeps its sum": (
            "[[v for one in told for v in one.read]] * p",
            "[[v for c, one in enumerate(told) for v in (sums[c] if c == r else one.read)] for r in range(p)]",
        ),
    },
)
