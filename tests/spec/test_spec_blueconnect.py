"""BlueConnect sends on each level what its paper's cost says, and on one level of nodes what others send there."""

from collections import Counter
from itertools import pairwise

import pytest

from sparring import run


@pytest.mark.parametrize("sides", [(2, 2, 2), (3, 2, 2), (2, 3, 4), (1, 4, 2), (4, 1, 3), (1, 1, 5)])
def test_levels_send_what_the_paper_says(sides):
    """On a level of ``p_i`` ranks each sends ``2 (p_i - 1)`` messages of ``n / (p_1 ... p_i)`` words, all in rings."""
    m, g, racks = sides
    p = m * g * racks
    n, sent = 2 * p, Counter()
    for wire in run("blueconnect", [[1.0] * n] * p, m=m, g=g).trace:
        sent.update((src, dst, len(entries)) for src, dst, entries in wire)

    expected = Counter()
    for (stride, further), size in zip(pairwise([1, m, m * g, p]), sides):
        for r in range(p) if size > 1 else ():
            neighbour = r // further * further + (r % further + stride) % further
            expected[r, neighbour, n // further] += 2 * (size - 1)
    assert sent == expected


def test_one_node_a_rack_is_two_levels():
    """With one node a rack it has the words of the hierarchical allreduce in rings, rank by rank."""
    xs = [[float(r * i) for i in range(11)] for r in range(6)]
    two = run("hierarchical", xs, m=3, inside="ring", across="ring")
    three = run("blueconnect", xs, m=3, g=1)

    assert three.results == two.results
    assert len(three.trace) == len(two.trace)
