"""What the tests know of thc."""

from tests.algorithms import INF, PARTIAL, TEXTS, Fault, Known

KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "total += integer_bytes.unpacked(coming[q], lengths[r], bits)",
        "total += integer_bytes.unpacked(coming[q], lengths[r], bits) * (q != 0)",
    ),
    faults=[
        Fault(
            "entries go to the nearest point",
            "rounded((x[some] - low) / step, chance, most(self._bits))",
            "np.minimum(np.rint((x[some] - low) / step), most(self._bits)).astype(np.int64)",
        ),
        Fault(
            "the grid is that of a rank's own entries",
            "low, high = every[:, 0].min(), every[:, 1].max()",
            "low, high = every[r]",
        ),
    ],
    aimed=[
        Fault("a second block", "for i in range(0, x.size, BLOCK):", "for i in range(0, min(x.size, BLOCK), BLOCK):"),
        Fault("many ranks", "return bits + (p - 1).bit_length()", "return bits + min((p - 1).bit_length(), 4)"),
        Fault("a third call", "self._calls += 1", "self._calls = 1"),
        Fault("another seed", "drawn(self._seed,", "drawn(0,"),
    ],
    refused=[
        ({"bits": 0}, "bits = 0: it must be a whole number, 1 or more"),
        ({"seed": -1}, "seed = -1: it must be a whole number, 0 or more"),
    ],
    different=[({"bits": 9}, "bits=9")],
    refused_by_all=[({"bits": 9}, "bits = 9: a code must have 1 to 8 bits")],
    theorems=[*TEXTS, "claim: result"],
    wrong_texts=[
        (
            "    ends = yield gather(extremes(x), Raw())\n    at = grid(ends,",
            "    at = grid(extremes(x),",
            "agreement",
            PARTIAL,
        ),
        ("low * p + step * q", "low + step * q", "claim: result", "of no rank"),
        ("wide(params.bits, p)", "wide(p, params.bits)", "volume", "all ranks' numbers"),
    ],
    gone_through=True,
    open_obligations={"the sum of all", "the sum of one more"},
    spoilt=[({}, -INF, range(8), True)],
    octets=[
        *(
            ({"bits": 3}, "float32", 16 * p, p, [8 * (p - 1), 6 * (p - 1), 2 * (p - 1) * (3 + b)])
            for p, b in [(2, 1), (3, 2), (4, 2), (7, 3), (8, 3), (33, 6)]
        )
    ],
    costed_with=[{}, {"bits": 3, "seed": 7}, {"bits": 8}],
    reader="codes.py",
    reader_defects={
        "always the lower code": ("(chance < (t - math.floor(t)) * 2.0**53)", "0"),
        "the nearer code": ("(chance < (t - math.floor(t)) * 2.0**53)", "(t - math.floor(t) >= 0.5)"),
        "a chance of other bits": ('parameters["seed"], call, r, i) >> 11', 'parameters["seed"], call, r, i) % 2**53'),
        "the same chance in every call": ("call, r, i)", "0, r, i)"),
        "one bit too wide": ("(p - 1).bit_length()", "p.bit_length()"),
        "the least entry once": ("at.mul(low, p)", "low"),
        "one step too many": ("at.div(at.sub(high, low), (1 << bits) - 1)", "at.div(at.sub(high, low), 1 << bits)"),
        "what has no range is read as 0": ("low = step = math.nan", "low = step = 0.0"),
    },
)
