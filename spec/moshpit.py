"""Moshpit All-Reduce: the mean over many ranks, in rounds of small groups [R21]_.

Ranks lie on a grid with ``d`` sides of length ``m``, no more than one in a cell.  In a round those average
that differ in one digit of their cell alone, each group in two steps: all members send each other their
copies of each other's parts, and then each sends the mean of its own part to all.  The index of the part
that a member looked after takes the place of the digit; so no two of a group meet in the next round,
which goes along the next side.  The key of a group is what its members' cells have in common, ``d - 1`` chunk
indices, of which in each round the oldest makes room for the newest.

Requires: ``p >= 1``; ``m >= 2``; numbers that can be divided.
Ensures:  the results are means, not the sum, and each rank's is its own; in exact arithmetic all are the
mean of all vectors if ``p`` is a power of ``m``, all weights are alike, nobody dies, and there are
``d`` rounds (``rounds`` of 0), whichever part each member looks after.

In any case no entry is beyond the largest and smallest of that place; and all results, each times its weight, add
up to what the vectors do, unless a rank dies in the middle of a round, when some of its messages have been sent, or
fails when its copies have been sent and its means have not.

A rank whose weight is 0 is an auxiliary: it looks after a part, but sends nothing of its own, and keeps
its vector.  A rank whose bandwidth is 0 is a client: it looks after no part.  Other parts are as long as
makes the slowest member fastest, as in the published code, whose linear program has a closed form.

A rank dies, ``(rank, t, sent)``, in round ``t`` after its first ``sent`` messages of that round, or with -1 before
groups are formed: then there is one member less.  Parts that it sent are in the means, with its weight, and
later ones are not; the part it looked after stays as it is on all ranks that do not get its mean.

A rank that is failing, ``(rank, t, sent)``, sends no more in that round either, but stays, hears, and goes on in the
next.  It gets the means that have its copies, and no others: who waited for its copy in vain does not answer it.
Without all its copies sent it has no mean of its own part, which then stays as it is on all ranks.

Where the paper is silent: rounds go along digit 0, 1, ...; a cell is at first the rank; indices are drawn, member
by member; a part without entries is not sent; a mean of one copy is that copy; members send to those after
them in turn; a rank that dies keeps what it had before that round, and hears what is sent in the step in
which it dies; one that fails and dies in a round dies; ranks that are not there may be said to die or to fail;
weights and bandwidths that are not given are 1.

>>> from sparring import run
>>> ran = run("moshpit", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
>>> for t, messages in enumerate(ran.trace):
...     print(t, *(f"{src}->{dst}:{list(entries)}" for src, dst, entries in messages))
0 0->1:[2.0] 1->0:[3.0] 2->3:[5.0] 3->2:[8.0]
1 0->1:[2.0] 1->0:[3.0] 2->3:[7.0] 3->2:[6.0]
2 0->3:[2.0] 1->2:[2.0] 2->1:[7.0] 3->0:[7.0]
3 0->3:[5.0] 1->2:[5.0] 2->1:[4.0] 3->0:[4.0]
>>> ran.results[3], run("moshpit", [[1.0, 2.0], [3.0, 4.0]], dead=[[0, 0, 1]]).results
([4.0, 5.0], [[1.0, 2.0], [3.0, 3.0]])
>>> [run("moshpit", [[1.0, 2.0], [3.0, 4.0]], failing=[[0, 0, sent]]).results for sent in range(2)]
[[[1.0, 2.0], [3.0, 4.0]], [[2.0, 3.0], [3.0, 3.0]]]

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate, count, pairwise
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core.cells import copy
from sparring.spec.core.chance import permuted
from sparring.spec.core.digits import power, put
from sparring.spec.core.numbers import Int
from sparring.spec.core.runner import Message, Outcome, Played
from sparring.spec.core.schedule import number

data = "dense"
agrees = False
averages = True
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``m``: the largest group; ``rounds``: how many, with 0 one for each side; ``chance``: draws depend on it.

    By rank: ``weights``, of its vector in a mean, and ``bandwidths``, whole numbers.  ``dead``: who dies,
    and ``failing``: who fails, each as ``(rank, t, sent)``.
    """

    m: int = 2
    rounds: int = 0
    chance: int = 0
    weights: Sequence[int] = ()
    bandwidths: Sequence[int] = ()
    dead: Sequence[Sequence[int]] = ()
    failing: Sequence[Sequence[int]] = ()


class Group(NamedTuple):
    """By member, in the order of chunk indices: its rank, its part, its vector's weight, what it can still send.

    ``stays``: whether it is there when that has been sent.
    """

    ranks: Sequence[int]
    parts: Sequence[slice]
    weights: Sequence[int]
    left: Sequence[int | None]
    stays: Sequence[bool]


Vectors = Sequence[Any]  # lists or arrays
Sends = Sequence[Sequence[int]]  # by member, to which members


def checked(params: Params) -> None:
    """Raises InputError for a parameter that means nothing."""
    if found := faults(params):
        raise InputError(found[0])


def faults(params: Params) -> list[str]:
    """What is wrong with parameters, in words."""
    least, named = {"m": 2, "rounds": 0, "chance": 0}, params._asdict()
    points = "must be a rank, a round from 0, and a number of messages"
    return [
        *(f"{name} = {named[name]}: it must be {x} or more" for name, x in least.items() if named[name] < x),
        *(
            f"{one}: {x} is less than 0, which none can be"
            for one in ("weights", "bandwidths")
            for x in named[one]
            if x < 0
        ),
        *(f"dead: {[*one]} {points}, or -1" for one in params.dead if not point(one, -1)),
        *(f"failing: {[*one]} {points}" for one in params.failing if not point(one, 0)),
        *(["dead: a rank dies once at most"] if twice(one[:1] for one in params.dead) else []),
        *(["failing: a rank fails once a round at most"] if twice(one[:2] for one in params.failing) else []),
    ]


def point(one: Sequence[int], least: int) -> bool:
    """Whether it is a rank, a round, and a number of messages that is not less."""
    return len(one) == 3 and all(x >= low for x, low in zip(one, (0, 0, least)))


def twice(items: Iterable[Sequence[int]]) -> bool:
    """Whether two are the same."""
    found = sorted(map(tuple, items))
    return any(a == b for a, b in pairwise(found))


def sides(p: int, m: int) -> int:
    """The least ``d >= 1`` for which a grid of ``m**d`` cells has room for all ranks."""
    return next(d for d in count(1) if number(power(m, d)) >= p)


def line(z: Int, e: Int, m: Int) -> Int:
    """What is common to the cells of a group, which differ in digit ``e`` alone."""
    return put(z, e, 0, m)


def moved(z: Int, e: Int, c: Int, m: Int) -> Int:
    """The cell of a member that looked after the part with chunk index ``c``."""
    return put(z, e, c, m)


def indices(key: int, t: int, params: Params) -> Sequence[int]:
    """The chunk indices that the members of a group have, in the order of their ranks."""
    return permuted(params.chance, params.m, t, key)


def given(values: Sequence[int], r: int) -> int:
    """Rank ``r``'s weight or bandwidth."""
    return values[r] if r < len(values) else 1


def scores(bandwidths: Sequence[int]) -> list[Fraction]:
    """How much of a vector each member is to look after, in proportion: the optimum of the published linear program.

    Of ``n`` members one that looks after the fraction ``w`` sends and hears ``1 + (n - 2) w`` vectors each; the
    largest such load over bandwidth is as small as can be.  For two all parts are as good; then they are alike.
    """
    n, able = len(bandwidths), [b for b in bandwidths if b]
    if n <= 2 or not able:
        return [Fraction(b > 0) for b in bandwidths]
    time = max(Fraction(len(able) + n - 2, sum(able)), Fraction(1, min(able)))
    return [time * b - 1 if b else Fraction(0) for b in bandwidths]


def shares(n: int, wanted: Sequence[Fraction]) -> list[int]:
    """``n`` entries in these proportions; those left go to the largest quotients, after Hagenbach-Bischoff."""
    if not (total := sum(wanted)):
        return [0] * len(wanted)
    found = [int(rounded(n * s, total)) for s in wanted]
    while sum(found) < n:
        found[max(range(len(found)), key=lambda i: (wanted[i] / (found[i] + 1), -i))] += 1
    return found


def rounded(amount: Any, total: Any) -> Any:
    return amount // total  # of n entries, as many as such a score of all scores has at least


def grouped(cells: Mapping[int, int], t: int, e: int, params: Params) -> list[dict[int, int]]:
    """The groups of round ``t``, along digit ``e``: by rank, chunk indices; ``cells``: of those that live."""
    found: dict[int, list[int]] = {}
    for r, z in sorted(cells.items()):
        found.setdefault(number(line(z, e, params.m)), []).append(r)
    return [dict(zip(ranks, indices(key, t, params))) for key, ranks in found.items()]


def group(chunks: Mapping[int, int], n: int, t: int, params: Params) -> Group:
    """A group in round ``t`` that averages ``n`` entries; ``chunks``: by rank, its chunk index."""
    ranks = sorted(chunks, key=lambda r: chunks[r])
    ends = [*accumulate(shares(n, scores([given(params.bandwidths, r) for r in ranks])), initial=0)]
    weights, dying = [given(params.weights, r) for r in ranks], ending(t, params.dead)
    left, parts = ending(t, params.failing) | dying, [slice(*cut) for cut in pairwise(ends)]
    return Group(ranks, parts, weights, [left.get(r) for r in ranks], [r not in dying for r in ranks])


def ending(t: int, points: Sequence[Sequence[int]]) -> dict[int, int]:
    """Of those who die, or fail, who does in round ``t``, and after how many of its messages."""
    return {rank: sent for rank, when, sent in points if when == t}


def after(i: int, n: int) -> list[int]:
    """The members after the ``i``-th, in turn."""
    return [number(turn(i, j, n)) for j in range(1, n)]


def turn(i: Int, j: Int, n: Int) -> Int:
    """Which of ``n`` members the ``i``-th sends to as its ``j``-th, ``j = 1, ..., n - 1``."""
    return (i + j) % n


def full(part: slice) -> bool:
    """Whether there is an entry in it."""
    return bool(part.start < part.stop)


def copying(one: Group) -> Sends:
    """Each member sends each other one a copy of that one's part; an auxiliary sends none."""
    n = len(one.ranks)
    return [[j for j in after(i, n) if full(one.parts[j])] if one.weights[i] else [] for i in range(n)]


def cut_off(sends: Sends, left: Sequence[int | None]) -> Sends:
    """What is sent of it by members that can send so many messages, or with None any number."""
    return [to[:most] for to, most in zip(sends, left)]


def whole(sends: Sends, sent: Sends) -> list[int]:
    """The members that have sent all."""
    return [i for i, to in enumerate(sends) if len(sent[i]) == len(to)]


def there(one: Group, done: Sequence[int]) -> list[int]:
    """The members that still hear, where these have sent all."""
    return [i for i, stays in enumerate(one.stays) if stays or i in done]


def contributors(one: Group, sent: Sends, up: Sequence[int]) -> Sends:
    """By member, whose copies go into the mean of its part; none where there is no such mean."""
    n = len(one.ranks)
    return [
        [i for i in range(n) if one.weights[i] and (i == j or j in sent[i])] if j in up and full(one.parts[j]) else []
        for j in range(n)
    ]


def telling(came: Sends, hearing: Sequence[int]) -> Sends:
    """Each member that has a mean sends it to each other one that hears, and whose copy is in it."""
    return [[k for k in after(j, len(came)) if k in who and k in hearing] for j, who in enumerate(came)]


def mean(values: Sequence[Any], weights: Sequence[int]) -> Any:
    """The sum of values times their weights, in this order, over the sum of weights; of one value, that."""
    first, *others = values
    if not others:
        return first
    return reduce(lambda a, b: a + b, (weighed(x, w) for w, x in zip(weights, values))) / sum(weights)


def weighed(x: Any, w: Any) -> Any:
    return w * x


def means(one: Group, xs: Vectors, came: Sends) -> Vectors:
    """By member, the mean of its part."""
    return [
        [mean(values, [one.weights[i] for i in who]) for values in zip(*(xs[one.ranks[i]][part] for i in who))]
        for who, part in zip(came, one.parts)
    ]


def meeting(one: Group, xs: Vectors) -> tuple[list[Message], list[Message], dict[int, Any]]:
    """What is sent in a group's two steps, and the vectors of those that live on and have one."""
    sent = cut_off(copying(one), one.left)
    up = whole(copying(one), sent)
    came = contributors(one, sent, up)
    found, due = means(one, xs, came), telling(came, there(one, up))
    told = cut_off(due, [None if m is None else m - len(to) for m, to in zip(one.left, sent)])
    copies = [Message(r, one.ranks[j], xs[r][one.parts[j]]) for r, to in zip(one.ranks, sent) for j in to]
    ends = [Message(r, one.ranks[k], found[j]) for j, r in enumerate(one.ranks) for k in told[j]]
    living = {i: one.ranks[i] for i in there(one, whole(due, told)) if i in there(one, up) and one.weights[i]}
    return copies, ends, {r: with_means(i, xs[r], one, found, told) for i, r in living.items()}


def with_means(i: int, x: Any, one: Group, found: Vectors, told: Sends) -> Any:
    """Member ``i``'s vector ``x`` with the means that it has in their places."""
    y = copy(x)
    for j, part in enumerate(one.parts):
        if found[j] and (j == i or i in told[j]):
            y[part] = found[j]
    return y


def program(xs: Vectors, state: Any, params: Params) -> Played:
    """All rounds: what is sent, step by step; then every rank's vector."""
    checked(params)
    d, now, cells, [n, *_] = sides(len(xs), params.m), [*xs], {r: r for r in range(len(xs))}, map(len, xs)
    for t in range(params.rounds or d):
        dying = ending(t, params.dead)
        cells = {r: z for r, z in cells.items() if dying.get(r) != -1}
        groups = grouped(cells, t, t % d, params)
        met = [meeting(group(chunks, n, t, params), now) for chunks in groups]
        yield in_order(copies for copies, _, _ in met)
        yield in_order(means for _, means, _ in met)
        later = {r: x for _, _, vectors in met for r, x in vectors.items()}
        now = [later.get(r, x) for r, x in enumerate(now)]
        moves = ((r, c) for one in groups for r, c in one.items() if r not in dying)
        cells = {r: number(moved(cells[r], t % d, c, params.m)) for r, c in moves}
    return Outcome(now, [], state)


def in_order(messages: Iterable[list[Message]]) -> list[Message]:
    """All groups' messages of a step, by sender."""
    return sorted((message for each in messages for message in each), key=lambda message: message.src)
