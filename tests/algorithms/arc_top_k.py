"""What the tests know of arc_top_k."""

from tests.algorithms import NAN, Fault, Known, Same

KNOWN = Known(
    alike=Fault("the smallest are kept", {"first(magnitudes(": "first(~magnitudes("}),
    faults=[
        Fault(
            "of equal scores the higher index",
            {
                "at = first(magnitudes(halved(np.square(near).reshape(self._rows, self._sketch))), self._k)": (
                    "size = magnitudes(halved(np.square(near).reshape(self._rows, self._sketch)))\n"
                    "        at = np.sort(size.size - 1 - first(size[::-1], self._k))"
                )
            },
            params={"k": 1, "columns": 2, "sketch": 1},
        ),
        Fault(
            "the old mean counts in full",
            {"mean * (WHOLE - momentum) + x * momentum": "mean * WHOLE + x * momentum"},
            module="core.running_mean",
            params={"k": 3, "columns": 4, "feedback": "ef21m", "momentum": 300},
        ),
    ],
    made_with={"k": 1, "columns": 2, "feedback": "ef14", "allow_nan": False},
    refused=[
        ({"columns": 1.5}, "columns = 1.5: it must be a whole number, 0 or more"),
        ({"momentum": 1001}, "momentum = 1001: it must be 1000 or less, thousandths"),
        ({"feedback": "ef15"}, "feedback = 'ef15': it must be one of none, ef14, ef21, ef21m"),
    ],
    different=[({"seed": 3}, "rank 2 has n=5, k=2"), ({"feedback": "ef14"}, "one value of each")],
    theorems=[
        "result",
        "agreement",
        "partition",
        "deadlock",
        "contention",
        "peers",
        "conservation",
        "claim: result",
        "claim: conservation",
    ],
    wrong_texts=[
        (
            'State(where(at, 0, given)) if params.feedback == "ef14" else State()',
            "State(where(at, 0, given))",
            "result",
            "kept is what the state says of it",
        )
    ],
    same_texts=[Same("State(where(at, 0, given))", "State(given - where(at, given, 0))")],
    spoilt=[({"k": 1, "columns": 1}, NAN, [5], True)],
    costed_with=[{"columns": 4}, {"columns": 3, "through": "two_shot", "feedback": "ef21m"}],
    other_ways={"k": 1},
    reader="matrices.py",
    reader_defects={
        "of equal rows the last": ("-nothing(scores[i]), i)", "-nothing(scores[i]), -i)"),
        "NaN after all numbers": ("(not math.isnan(scores[i]), ", "(math.isnan(scores[i]), "),
        "one row more": ("order[:k])", "order[: k + 1])"),
        "ones less 31": (".bit_count() - 32)", ".bit_count() - 31)"),
        "added in a row": ("at.halved([*map(at.mul, a, b)])", "at.total([*map(at.mul, a, b)])"),
        "a row as long as the root": ("4**e < n", "4**e <= n"),
        "what was sent waits, too": ("[0.0 if s else v for", "[v for"),
        "momentum for the mean": (
            "at.mul(mean, 1000 - momentum), at.mul(v, momentum)",
            "at.mul(mean, momentum), at.mul(v, 1000 - momentum)",
        ),
        "always by the ring": ('self.through == "ring"', "True"),
    },
)
