"""Faults to be planted in implementations, as texts that are replaced: those of published code, and one of a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """``texts``: of which modules of ``sparring.impl`` what is replaced by what; ``page``: whose results it spoils.

    ``breaks``: which properties, messages alone or these among others; ``ranks``: on so many; ``params``: of the page.
    """

    page: str
    name: str
    texts: Sequence[tuple[str, str, str]]
    breaks: AbstractSet[str] = frozenset({"result"})
    ranks: int = 3
    params: Mapping[str, Any] = MappingProxyType({})


def own(page: str, name: str, *texts: tuple[str, str], **more: Any) -> Fault:
    """A fault in the algorithm's own module."""
    return Fault(page, name, [(page, *one) for one in texts], **more)


MESSAGES = {"steps"}
FILTERED = """held = np.flatnonzero(total.values)
    places = held if total.positions is None else total.positions[held]
    total = type(total)(places, total.values[held], total.length)
    """

SENDING = [
    own("rabenseifner", "other halves", ("if not low(v, i):", "if low(v, i):"),
        ("above(first, i, p) if low(v, i) else below(first, i, p)",
         "below(first, i, p) if low(v, i) else above(first, i, p)"), breaks=MESSAGES, ranks=2),
    own("bruck_allgather", "the other way",
        ("outgoing, before(r, d, p), incoming, after(r, d, p)", "outgoing, after(r, d, p), incoming, before(r, d, p)"),
        breaks={"hygiene"}),
    own("pat", "the multiples are even, too", ("range(leap, p, 2 * leap)", "range(leap, p, leap)"), ranks=5),
    own("two_shot_sparse", "without zeros", ("shown = encoded(total)", f"{FILTERED}shown = encoded(total)"), ranks=2),
]  # fmt: skip
MASS = {"result", "conservation"}
SELECTING = [
    own("gtopk", "the published residual, without what one half of the tree cuts of the other's indices",
        ("return shown(self._comm, collected(self._comm, mine, x))",
         ("whole = x.copy()\n        whole[mine.indices] = mine.values\n        "
         "y = shown(self._comm, collected(self._comm, mine, x.copy()))\n        "
         "back = np.setdiff1d(mine.indices, y.indices)\n        x[back] = whole[back]\n        return y")),
        breaks=MASS, ranks=5),
    own("gtopk", "only what is passed on is cut again",
        ("p, r = comm.Get_size(), comm.Get_rank()\n    for i in range(rounds(p)):",
         "p, r, k = comm.Get_size(), comm.Get_rank(), len(mine)\n    for i in range(rounds(p)):"),
        ("comm.Send(wire.pack(mine), before(r, i))\n            return mine",
         "mine = cut(mine, k, waiting)\n            comm.Send(wire.pack(mine), before(r, i))\n            return mine"),
        ("box = wire.room(len(mine),", "box = wire.room(k,"),
        ("mine = cut(added([come, (mine.indices, mine.values)], mine), len(mine), waiting)",
         "mine = added([come, (mine.indices, mine.values)], mine)"),
        ("    return mine\n\n\ndef cut", "    return cut(mine, k, waiting)\n\n\ndef cut"), ranks=5),
    own("spardl", "residuals are of the vector, not of what was cut off",
        ("x[y.indices] = cut_off[y.indices]", "x[y.indices] = 0"), breaks=MASS),
]  # fmt: skip
OFTEN = {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2}
COMMON = "return a[there[a]]"
PROPOSED = "proposed = at[inner] if at.size else np.array(inner, np.int64)"
OKTOPK = [
    own("oktopk", "what was sent is looked for among indices in no order",
        (COMMON, ("if not b.size:\n        return b\n    b = np.roll(b, b.size // 2)\n    "
         "return a[b[np.minimum(np.searchsorted(b, a), b.size - 1)] == a]")), breaks=MASS),
    own("oktopk", "sums are never dealt out", ("mine, sizes = balanced(comm, mine, sizes)", "pass"), breaks=MESSAGES),
    own("oktopk", "a rank that selects nothing looks for its first entry",
        (PROPOSED, "proposed = at[[share(c, at.size, p) for c in range(p)]][1:]"), ranks=1),
    own("oktopk", "one rank looks for the first bound", ("summed = np.empty_like(proposed)",
        "summed = np.empty_like(proposed)\n    assert proposed[0] >= 0"), ranks=1),
]  # fmt: skip
NEAREST = "np.minimum(np.rint({}), {}).astype(np.int64)"
GRID = "(x[some] - low) / step"
DECODED = "read.decode_block(copies[0], total, like.size, block.start)"
FURTHER = "read.decode_block(copy, one, like.size, block.start)"
EXACT = """exact, one = np.empty_like(x[blocks[r]]), np.empty_like(x[blocks[r]])
    first.decode(copies[0], exact)
    for copy in copies[1:]:
        first.decode(copy, one)
        exact += one
    """
GATHERED = "finish(gathered(own, mine, [y[block] for block in blocks], second, coming))"
CODED = [
    own("flash", "the owner of a block keeps its sum, as a published kernel does",
        ("summed(copies, x[blocks[r]]", f"{EXACT}summed(copies, x[blocks[r]]"),
        (GATHERED, f"{GATHERED}\n    y[blocks[r]] = exact")),
    Fault("flash", "codes are cut off", [("codecs.group_quantiser", "np.rint(steps", "np.floor(steps")]),
    own("flash", "a rank adds its own copy as it is",
        ("first, second, mine)", "first, second, mine, r)"),
        ("made: Quantiser, out: Bytes) -> None", "made: Quantiser, out: Bytes, own: int) -> None"),
        (DECODED, f"np.copyto(total, like[block]) if own == 0 else {DECODED}"),
        ("for copy in copies[1:]:", "for q, copy in enumerate(copies[1:], 1):"),
        (FURTHER, f"np.copyto(one, like[block]) if q == own else {FURTHER}")),
    Fault("qgz", "codes are cut off", [("codecs.symmetric_quantiser", "np.rint(rows", "np.trunc(rows")]),
    Fault("qgz", "a step is that of a range", [("codecs.symmetric_quantiser", "most / self._dtype.type(self._half)",
          "(rows.max(axis=1) - rows.min(axis=1)) / self._dtype.type(2 * self._half - 1)")]),
    own("qgz", "a rank adds its own copy as it is", ("coded.decode(coming[q], one)",
        "coded.decode(coming[q], one)\n        one = x[blocks[r]] if q == r else one")),
    Fault("one_bit", "the sign of 0 is -", [("codecs.sign_codec", "np.packbits(x >= 0", "np.packbits(x > 0")]),
    Fault("one_bit", "the first sign is the highest bit of its byte, on both sides", [
        ("codecs.sign_codec", 'np.packbits(x >= 0, bitorder="little")', "np.packbits(x >= 0)"),
        ("codecs.sign_codec", 'count=like.size, bitorder="little"', "count=like.size"),
    ], MESSAGES),
    own("thc", "entries go to the nearest point", (f"rounded({GRID}, chance, most(self._bits))",
        NEAREST.format(GRID, "most(self._bits)"))),
    own("thc", "the grid is that of a rank's own entries",
        ("low, high = every[:, 0].min(), every[:, 1].max()", "low, high = every[r]")),
    own("qsgd", "no signs are sent", ("like.size, sign + 1)", "like.size, sign)"),
        ("integer_bytes.packed(levels, sign + 1)", "integer_bytes.packed(levels & (1 << sign) - 1, sign)")),
]  # fmt: skip
BLOCKS = [
    Fault("omnireduce", "blocks whose entries are 0 or less are left out",
          [("codecs.nonzero_blocks", "np.logical_or.reduceat(x != 0, begins)", "np.maximum.reduceat(x, begins) > 0")]),
    Fault("omnireduce", "the first block is the highest bit of its byte, on both sides", [
        ("codecs.nonzero_blocks", 'np.packbits(sent, bitorder="little")', "np.packbits(sent)"),
        ("codecs.nonzero_blocks", 'count=begins.size, bitorder="little"', "count=begins.size"),
    ], MESSAGES),
]  # fmt: skip
LOW = {"columns": 3, "rank": 2, "rate": 0}
FILLED = "q[gone] = np.bitwise_count(draws).astype(q.dtype) - q.dtype.type(32)"
POWER = [
    own("power_sgd", "each rank draws a factor of its own",
        ("drawn(self._seed, ", "drawn(self._seed + self._comm.Get_rank(), ")),
    own("power_sgd", "the second factor is a sum",
        ("self._mean(crossed(m, p).ravel())", "self._sum(self._comm, crossed(m, p).ravel(), validate=False)")),
    own("power_sgd", "columns of zeros stay, after a first call that draws them", (FILLED,
        f"if not self._calls:\n            {FILLED}")),
    own("power_sgd", "sums down a column are numpy's",
        ("return np.stack([halved(one.T) for one in sums])", "return p @ m")),
]  # fmt: skip
ROWS = {"k": 1, "columns": 2, "sketch": 1}
SIZES = "magnitudes(halved(np.square(near).reshape(self._rows, self._sketch)))"
ROWWISE = [
    own("arc_top_k", "of equal scores the higher index", (f"at = first({SIZES}, self._k)",
        f"size = {SIZES}\n        at = np.sort(size.size - 1 - first(size[::-1], self._k))"), params=ROWS),
    Fault("arc_top_k", "the old mean counts in full", [
        ("core.running_mean", "mean * (WHOLE - momentum) + x * momentum", "mean * WHOLE + x * momentum"),
    ], params={"k": 3, "columns": 4, "feedback": "ef21m", "momentum": 300}),
]  # fmt: skip
TURNS = [
    own("clt_k", "rank 0 leads always", ("return call % p", "return call * 0 % p")),
    own("clt_k", "what is sent leaves its entry in the residual",
        ("held[at] = 0 if self._beta == WHOLE else held[at] - v[at]",
         "held[at] = held[at] if self._beta == WHOLE else held[at] - v[at]"), params={"k": 2}),
    own("clt_k", "the leader's new entries decide, not what it held back",
        ("first(magnitudes(v), self._k)", "first(magnitudes(x), self._k)"), params={"k": 2}),
]  # fmt: skip
MOVED = [
    own("dgc", "what is sent keeps its velocity", ("if self._masking:", "if not self._masking:"), params={"k": 2}),
    own("dgc", "momentum is made of what waits", ("else self._velocity) * self._momentum",
        "else self._waiting) * self._momentum"), params={"k": 2, "masking": 0}),
]  # fmt: skip
SOME = {"lost": 400, "packet": 2}
ARRIVED = "return ~happens(self._seed, self._calls, step, source, to, many, thousandths=self._lost)"
LOSSY = [
    own("lossy_two_shot", "the mask is that of the way back",
        (ARRIVED, ARRIVED.replace("source, to,", "to, source,"))),
    own("lossy_two_shot", "the owner's copy is weighed like the others",
        ("for q in (q for q in every if q != r):", "for q in every:")),
    own("lossy_two_shot", "what does not arrive is zero",
        ("np.copyto(held[shard], came[shard], where=np.repeat(arrived, self._sizes[source]))",
         "held[shard] = came[shard] * np.repeat(arrived, self._sizes[source])")),
]  # fmt: skip
GROUPS = {"m": 3, "chance": 3, "dead": ((1, 0, 1), (2, 1, 0))}
MOSHPIT = [
    Fault("moshpit", "parts are cut elsewhere", [
        ("core.averaging_groups", "whole = sum(wanted)\n", ("whole, many = sum(wanted), len(wanted)\n    "
         "return [i * n // many - (i - 1) * n // many for i in range(1, many + 1)]\n")),
    ], {"result"}, 5, params=GROUPS),
    Fault("moshpit", "who dies sends all before",
          [("core.averaging_groups", "return int(min(left, many))", "return many")],
          params=GROUPS),
]  # fmt: skip
LEVELS = {"m": 2, "inside": "ring"}
HIERARCHICAL = [
    own("hierarchical", "across nodes before inside them", ("near, far = levels(m, p // m)",
        "far, near = levels(m, p // m)\n    r, m = r // m, p // m"), breaks={"result", "steps"}, ranks=6),
    own("hierarchical", "another block", ("block(r % m, y.size, m)", "block((r + 1) % m, y.size, m)"), ranks=4),
    own("hierarchical", "a ring from the other place", ('turn=1 if inside == "ring" else 0', "turn=0"), ranks=6,
        params=LEVELS),
    Fault("hierarchical", "groups of neighbours alone", [("core.lines", "(j - place(r, stride, size)) * stride",
          "j - place(r, stride, size)")], {"hygiene"}, ranks=4),
]  # fmt: skip
TWO = {"k": 2}
ESTIMATING = [
    own("ef21", "of the vector entries are sent, not of the difference",
        ("self._select(self._aim(x) - estimate)", "self._select(self._aim(x))"), params=TWO),
    own("ef21", "an estimate becomes what is sent",
        ("estimate[nearer.indices] += nearer.values", "estimate[nearer.indices] = nearer.values"), params=TWO),
    own("ef21_m", "the mean begins as zeros",
        ("x.copy() if self._mean is None else", "mixed(x * 0, x, kind(self._momentum)) / kind(WHOLE) if False else"),
        ("self._mean: Any = None", "self._mean: Any = 0"), params=TWO),
]  # fmt: skip
FAULTS = [*SENDING, *SELECTING, *CODED, *ROWWISE, *ESTIMATING, *TURNS, *MOVED, *MOSHPIT, *HIERARCHICAL]
FAULTS += [
    fault._replace(params=params)
    for params, some in ((OFTEN, OKTOPK), ({"block": 3}, BLOCKS), (LOW, POWER), (SOME, LOSSY))
    for fault in some
]
