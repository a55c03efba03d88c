"""What the tests know of bine_reduce_scatter."""

from tests.algorithms.collectives import Collective


def places(half):
    """Where the authors' library puts the chunks of each number, so that what is sent lies in a row.

    Bits in base -2 of the number, or of its negative if it is even; of these the Gray code, read backwards.
    """
    bits = half.bit_length() - 1
    code = {sum((-2) ** k for k in range(bits) if word >> k & 1) % half: word for word in range(half)}
    words = [code[(v if v % 2 else -v) % half] for v in range(half)]
    return [sum(((w ^ w >> 1) >> k & 1) << (bits - 1 - k) for k in range(bits)) for w in words]


def bine(p):
    """The butterfly in these places, of which each message has those that begin as its receiver's do."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    chunks = [(2 * v, 2 * v + 1) if v < rest else (v + rest,) for v in range(half)]
    place = places(half)
    assert sorted(place) == [*range(half)]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    far, size, power = 0, half // 2, 1
    while size:
        far, power = far + power, -2 * power
        peers = [(v - far if v % 2 else v + far) % half for v in range(half)]
        given = [[w for w in range(half) if place[w] // size == place[peer] // size] for peer in peers]
        yield {(rank[v], rank[peers[v]], tuple(c for w in given[v] for c in chunks[w])) for v in range(half)}
        size //= 2
    if rest:
        yield {(2 * v + 1, 2 * v, (2 * v,)) for v in range(rest)}


KNOWN = Collective(
    messages=bine,
    wrong_texts=[
        ("end - reach(i)", "end - reach(i + 1)"),
        ("done(t, p) + 1, p)", "done(t, p), p)"),
        ("c == dst(r, t, p)", "c == r"),
    ],
    slow=True,
    forms=("p = 2^m, p | n", "log2(p)", "n*(p - 1)/p"),
    slow_forms=True,
)
