"""What the tests know of zen."""

from tests.algorithms import NAN, OTHER, TEXTS, Fault, Known

PUSH = "sums = yield reduce_scatter(hashed(x, params.seed), PUSH)"
PULL = "y = yield allgather(sums, PULL)"
PAIRS = "codecs.nonzero_pairs"
KNOWN = Known(
    alike=("a rank's vector is left out", "for part in parts])), [", "for part in parts])[:2]), ["),
    faults=[
        Fault("each rank has an order of its own", "permuted(int(seed),", "permuted(int(seed) + own.Get_rank(),"),
        Fault("entries come back to other indices", "y[part] = entries", "y[np.sort(part)] = entries"),
        Fault("what is 0 or less is not pushed", "np.flatnonzero(x)", "np.flatnonzero(x > 0)", module=PAIRS),
        Fault(
            "the last pair is lost",
            "start : start + m * like",
            "start : start + (m - 1) * like",
            {"y[places] = ": "y[places[:-1]] = "},
            module=PAIRS,
        ),
        Fault(
            "places are counted from 1, on both sides",
            "[places.size, *places]",
            "[places.size, *(places + 1)]",
            {".view(PLACE)\n    y[": ".view(PLACE) - 1\n    y["},
            module=PAIRS,
            breaks={"steps"},
        ),
        Fault(
            "the order is the other way round",
            "permuted(int(seed), x.size)",
            "permuted(int(seed), x.size)[::-1]",
            breaks={"steps"},
        ),
    ],
    refused=[({"seed": 1.5}, "seed = 1.5: it must be a whole number, 0 or more")],
    different=[({"seed": 2}, "rank 2 has seed=2, rank 0 seed=0")],
    theorems=[*TEXTS, "claim: result", "claim: volume"],
    wrong_texts=[
        (PUSH, PUSH.replace("hashed(x, params.seed)", "x"), "result", OTHER),
        (PUSH, PUSH.replace("params.seed", "params.seed + 1"), "result", OTHER),
        ("restored(y, params.seed))", "y)", "result", OTHER),
        (PULL, f"{PULL.replace('y = ', '')}; y = sums", "agreement", "is shard"),
    ],
    spoilt=[({}, NAN, [5], True)],
    octets=[({"seed": 7}, "float32", 81, 3, [2 * 4] * 2)],
    costed_with=[{}],
)
