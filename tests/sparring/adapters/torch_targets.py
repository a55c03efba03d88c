"""Functions and hooks for torch, some with a planted bug."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module

from sparring.adapters import extra
from sparring.adapters.over_torch import Comm


def allreduce(group, x):
    dist = extra.torch("distributed")
    y = x.clone()
    dist.all_reduce(y, group=group)
    return y


def default_group(_group, x):
    """Reduces over whatever the default group is."""
    return allreduce(None, x)


def lossy(group, x):
    y = allreduce(group, x)
    y[-1:] = 0
    return y


def own_bits(group, x):
    """Every rank adds in an order of its own, from itself on."""
    torch, dist = extra.torch(), extra.torch("distributed")
    ys = [torch.empty_like(x) for _ in range(group.size())]
    dist.all_gather(ys, x, group=group)
    first = group.rank()
    y = ys[first]
    for z in [*ys[first + 1 :], *ys[:first]]:
        y = y + z
    return y


def in_place(group, x):
    x[:] = allreduce(group, x)
    return x.clone()


def mean_of_all(group, x):
    return (allreduce(group, x) / group.size()).to(x.dtype)


def without_last(group, x):
    return allreduce(group, x * (group.rank() < max(1, group.size() - 1)))


def through_float32(group, x):
    """Floats stay as they are."""
    return allreduce(group, x) if x.is_floating_point() else allreduce(group, x.float()).to(x.dtype)


def without_nan(group, x):
    y = allreduce(group, x)
    y[y.isnan()] = 0
    return y


def hangs(group, x):
    return x if group.rank() == 0 else allreduce(group, x)


def raises(_group, _x):
    raise ValueError("planted")


def dies(group, x):
    if group.rank() == 1:
        print("planted", flush=True)
        sys.exit(3)
    return allreduce(group, x)


def is_killed(group, x):
    """The others' calls raise then, since their peer has gone."""
    if group.rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return allreduce(group, x)


def is_stopped(group, x):
    if group.rank() == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    return allreduce(group, x)


def mean(group, bucket):
    """A hook that does what DDP does by default.

    What it leaves for later does not hold the group: else gloo's own thread may be the one that ends it, and aborts.
    """
    dist, size = extra.torch("distributed"), group.size()
    reduced = dist.all_reduce(bucket.buffer(), group=group, async_op=True).get_future()
    return reduced.then(lambda f: f.value()[0] / size)


def sum_of_all(group, bucket):
    """A hook that forgets to divide."""
    dist = extra.torch("distributed")
    reduced = dist.all_reduce(bucket.buffer(), group=group, async_op=True).get_future()
    return reduced.then(lambda f: f.value()[0])


def mean_of_others(group, bucket):
    """A hook that leaves this rank's own gradient out."""
    dist, others = extra.torch("distributed"), max(1, group.size() - 1)
    own = bucket.buffer().clone()
    reduced = dist.all_reduce(bucket.buffer(), group=group, async_op=True).get_future()
    return reduced.then(lambda f: (f.value()[0] - own) / others)


def first_bucket_only(group, bucket):
    """A hook that reduces one bucket, and leaves the others as they are."""
    if bucket.index() == 0:
        return mean(group, bucket)
    future = extra.torch("futures").Future()
    future.set_result(bucket.buffer())
    return future


def over_torch(name):
    def target(group, x):
        allreduce = import_module(f"sparring.impl.{name}").allreduce
        return extra.torch().from_numpy(allreduce(Comm(group), x.numpy()))

    return target


ring, rabenseifner = over_torch("ring"), over_torch("rabenseifner")
recursive_doubling, recursive_multiplying = over_torch("recursive_doubling"), over_torch("recursive_multiplying")


class TopK:
    """Each rank's k largest entries are added; the rest is kept for the next call."""

    def __init__(self, group, n, k):
        self.group, self.k = group, k
        self.residual = extra.torch().zeros(n)

    def __call__(self, x):
        x = x + self.residual.to(x.dtype)
        at = x.abs().topk(min(self.k, x.numel())).indices
        mine = x * 0
        mine[at] = x[at]
        self.residual = self.kept(x, mine)
        extra.torch("distributed").all_reduce(mine, group=self.group)
        return mine

    def kept(self, x, mine):
        return x - mine


class Forgets(TopK):
    """Nothing is kept."""

    def kept(self, x, mine):
        return x * 0


class FirstEntry:
    """A hook that reduces a bucket's first entry, and keeps the rest for the next call."""

    def __init__(self, group, n):
        self.group, self.residual = group, extra.torch().zeros(n)

    def __call__(self, bucket):
        x = bucket.buffer()
        x += self.residual.to(x)
        self.residual = self.kept(x)
        x[1:] = 0
        return mean(self.group, bucket)

    def kept(self, x):
        rest = x.clone()
        rest[0] = 0
        return rest


class LosesLast(FirstEntry):
    """The last entry is not kept."""

    def kept(self, x):
        rest = super().kept(x)
        rest[-1] = 0
        return rest


buffers = {}


def returns_its_buffer(group, x):
    y = buffers.setdefault((x.numel(), x.dtype), x.clone()).copy_(x)
    extra.torch("distributed").all_reduce(y, group=group)
    return y
