"""The lossy two-shot allreduce beside numpy's masked means, call after call; its packets, versions and edges."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from sparring.analysis.packet_loss.patterns import over
from sparring.errors import InputError
from sparring.impl.lossy_two_shot import AGGREGATORS
from sparring.spec.core.vectors import Vector
from sparring.spec.library import lossy_links
from sparring.spec.library.lossy_links import (
    COLLECTING,
    HANDING,
    Losing,
    Packet,
    checked,
    collect,
    hand,
    packets,
    received,
    weighed,
)
from sparring.spec.lossy_two_shot import Params


def drawn(p, n, seed=0):
    """Small fractions by rank."""
    rng = np.random.default_rng([p, n, seed])
    return [[Fraction(int(v), 3) for v in rng.integers(-9, 10, n)] for _ in range(p)]


def shard(c, n, p):
    """Where it lies."""
    return slice(c * n // p, (c + 1) * n // p)


def recorded(params, found):
    """The links of these parameters, which tell what they lose."""
    links = Losing(params.seed, params.lost)

    def arriving(step, src, dst, i, sent):
        came = links(step, src, dst, i, sent)
        found[step, src, dst, i] = not came
        return came

    return arriving


def masked(xs, r, cut, i, lost, aggregator, q):
    """The owner's mean of a packet, by numpy's masked arrays."""
    gone = [lost.get((COLLECTING, s, r, i), False) for s in range(len(xs))]
    if aggregator != "ratio0":
        gone[r] = False
    values = np.ma.array([x[cut] for x in xs], mask=np.array([[g] * (cut.stop - cut.start) for g in gone]))
    if aggregator in ("ratio", "ratio0"):
        return values.mean(axis=0).filled(0)
    weight = np.array([[1.0 if s == r or aggregator == "zero" else 1 / (1 - q)] for s in range(len(xs))])
    return (values * weight).filled(0).sum(axis=0) / len(xs)


@pytest.mark.parametrize("aggregator", AGGREGATORS)
@pytest.mark.parametrize("p", range(1, 7))
def test_every_call_is_numpys_masked_mean_and_who_loses_it_keeps_what_it_had(aggregator, p):
    for n, packet, lost, running in [(3 * p + 1, 2, 400, 0), (p - 1, 1, 700, 1), (2 * p, 9, 0, 1), (7, 3, 950, 0)]:
        params, state = Params(aggregator, lost, packet, running, seed=p), None
        rng = np.random.default_rng([p, n])
        shards, replicas = np.zeros(n), np.zeros((p, n))
        for _ in range(4):
            xs, gone = [*rng.standard_normal((p, n))], {}
            state = over(recorded(params, gone), xs, state, params)
            for c in range(p):
                for i, cut in enumerate(packets(shard(c, n, p), packet)):
                    mean = masked(xs, c, cut, i, gone, aggregator, lost / 1000)
                    shards[cut] = shards[cut] * running + mean
                    for r in range(p):
                        if r == c or not gone[HANDING, c, r, i]:
                            replicas[r][cut] = shards[cut]
            np.testing.assert_allclose([[*y] for y in state.replicas], replicas, rtol=1e-13, atol=1e-15)


def test_the_oracle_tells_an_aggregator_from_another():
    """On the same losses each of the four makes something else."""
    xs, q = [np.array([1.0]), np.array([2.0]), np.array([4.0])], 0.4
    lost = {(COLLECTING, 0, 2, 0): True}
    found = {a: float(masked(xs, 2, slice(0, 1), 0, lost, a, q)[0]) for a in AGGREGATORS}
    assert found == pytest.approx({"ht": (2 / 0.6 + 4) / 3, "ratio": 3, "ratio0": 3, "zero": 2})
    lost[COLLECTING, 2, 2, 0] = True
    assert float(masked(xs, 2, slice(0, 1), 0, lost, "ratio0", q)[0]) == 2


def test_copies_order_and_late_packets_change_nothing():
    """A packet that comes again, before or after others, or once more calls later, is as if it came once, or not."""
    p, n, params = 3, 6, Params("ht", lost=300, packet=1, running=1, seed=2)
    sent_before = []

    def unruly(step, src, dst, i, sent):
        came = Losing(params.seed, params.lost)(step, src, dst, i, sent)
        late = [one for where, one in sent_before if where == (step, src, dst, i)]
        sent_before.append(((step, src, dst, i), sent))
        return [*late, *came, *came, *late]

    rough = plain = None
    for call in range(5):
        xs = drawn(p, n, call)
        rough = over(unruly, xs, rough, params)
        plain = over(Losing(params.seed, params.lost), xs, plain, params)
        assert [[*y] for y in rough.replicas] == [[*y] for y in plain.replicas]
        assert rough.versions == plain.versions


def test_of_equal_versions_the_last_is_there():
    assert received([Packet(1, "first"), Packet(1, "last")], Packet(0, "")).entries == "last"


def lossy(step, src, dst, i, sent):
    """From rank 0 nothing comes."""
    return [] if src == 0 else [sent]


def test_who_gets_what():
    """In the first step own copies come where they need no link; in the second an owner has its own anyway."""
    xs = [Vector([1, 2]), Vector([3, 4])]
    for own, there in ((True, [5, 0]), (False, [0, 0])):
        carried = collect(xs[0], lossy, 1, 5, own=own).carry([collect(x, lossy, 1, 5, own=own) for x in xs])
        first = carried.results[0]
        assert [[*one] for one in first.version] == [[there[0]], [5]]
        assert [[*one] for one in first.entries] == [[1 if own else 0], [3]]
        assert [*carried.results[1].version[0]] == [0]
        assert [len(wire) for wire in carried.trace] == [2]
    handed = hand(xs[0][:1], lossy, 1, 5).carry([hand(x[:1], lossy, 1, 5) for x in xs]).results
    assert [[*one.entries] for one in handed] == [[1, 3], [0, 3]]
    assert [one.packets for one in handed] == [[[5], [5]], [[0], [5]]]


def test_weights():
    assert weighed(Fraction(7), 300) == 10 and weighed(0, 300) == 0 and weighed(Fraction(7), 0) == 7
    assert lossy_links.over(6, 3) == 2 and lossy_links.over(0, 0) == 0
    checked(SimpleNamespace(aggregator="zero", lost=1000))
    with pytest.raises(InputError, match="lost = 1000 with aggregator ht"):
        checked(SimpleNamespace(aggregator="ht", lost=1000))
