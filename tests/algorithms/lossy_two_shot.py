"""What the tests know of lossy_two_shot."""

from tests.algorithms import OTHER, Fault, Known, Same

PARAMS = {"lost": 400, "packet": 2}
KNOWN = Known(
    alike=(
        "a part is not delivered",
        "for q in others:\n            self._take",
        "for q in others[1:]:\n            self._take",
    ),
    faults=[
        Fault(
            "the mask is that of the way back",
            "return ~happens(self._seed, self._calls, step, source, to, many, thousandths=self._lost)",
            "return ~happens(self._seed, self._calls, step, to, source, many, thousandths=self._lost)",
            params=PARAMS,
        ),
        Fault(
            "the owner's copy is weighed like the others",
            "for q in (q for q in every if q != r):",
            "for q in every:",
            params=PARAMS,
        ),
        Fault(
            "what does not arrive is zero",
            "np.copyto(held[shard], came[shard], where=np.repeat(arrived, self._sizes[source]))",
            "held[shard] = came[shard] * np.repeat(arrived, self._sizes[source])",
            params=PARAMS,
        ),
    ],
    aimed=[
        Fault("another aggregator", 'if self._aggregator != "ratio0":', "if True:"),
        Fault("running sums", "mine if self._running else 0", "0"),
        Fault("another seed", "~happens(self._seed,", "~happens(0,"),
    ],
    made_with={"lost": 300, "packet": 1},
    keeps="the calls before",
    refused=[
        ({"aggregator": "mean"}, "aggregator = 'mean': it must be one of ht, ratio, ratio0, zero"),
        ({"packet": 0}, "packet = 0: it must be a whole number, 1 or more"),
        ({"running": 2}, "running = 2: it must be 0 to 1"),
        ({"lost": 1001, "aggregator": "zero"}, "lost = 1001: it must be 0 to 1000"),
    ],
    different=[({"lost": 200}, "rank 2 has n=5, lost=200"), ({"aggregator": "zero"}, "one value of each")],
    refused_by_all=[({"lost": 1000}, "lost = 1000 with aggregator ht: what never arrives has no weight; right is")],
    theorems=["result", "partition", "deadlock", "contention", "volume", "peers", "claim: staleness"],
    wrong_texts=[
        ("own_chunk(held, r, p) + new", "own_chunk(x, r, p) + new", "result", OTHER),
        ("where(own, v, weighed(v, lost))", "where(own, 0, weighed(v, lost))", "result", OTHER),
        ("new = mean(got, now, p, params)", "new = got.entries", "result", "not the owner's"),
        ("Losing(params.seed, params.lost), x", "Losing(r, params.lost), x", "deadlock", "different terms"),
        ("return version == call", "return version <= call", "claim: staleness", "from the owner's"),
    ],
    same_texts=[Same("own_chunk(held, r, p) + new", "new + own_chunk(held, r, p)")],
    gone_through=True,
    other_ways={"lost": 500, "packet": 4},
    reader="averages.py",
    reader_defects={
        "the steps' losses swapped": ("arrives(1, c, r, i)", "arrives(0, c, r, i)"),
        "sender and receiver swapped": ("step, src, dst, i)", "step, dst, src, i)"),
        "one packet more is lost": ('>= parameters["lost"]', '> parameters["lost"] + 90'),
        "the own copy weighs more, too": ('if kind == "ht" and q != owner else', 'if kind == "ht" else'),
        "divided by all ranks": ('len(there) if kind.startswith("ratio") else p', "p"),
        "the own copy is never lost": ('own = parameters["aggregator"] != "ratio0"', "own = True"),
        "means are not added up": ('if parameters["running"] else moves', "if False else moves"),
        "what is lost is zero": (
            "if r == c or arrives(1, c, r, i):",
            "replicas[r][cut] = [0.0] * len(held)\n            if r == c or arrives(1, c, r, i):",
        ),
    },
)
