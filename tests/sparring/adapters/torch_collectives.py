"""torch's collectives as targets, with faults that are planted in torch's own functions or in how they are called."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from unittest.mock import patch

from sparring.adapters import extra
from sparring.adapters.collectives import allreduce

under_way = []


def begun(name):
    """A right target that begins each collective and waits for it."""

    def target(group, x):
        return allreduce(group, x, name=name, async_op=True)

    return target


def planted(name, place, fault):
    """The same where ``fault`` stands for torch's function at ``place``; it gets that function first."""

    def target(group, x):
        dist = extra.torch("distributed")
        with patch.object(dist, place, partial(fault, getattr(dist, place))):
            return begun(name)(group, x)

    return target


def not_waited_for(call, *tensors, **how):
    """What waits for it does not wait."""
    under_way.append(call(*tensors, **how))
    return SimpleNamespace(wait=lambda: None)


def last_piece_lost(call, out, x, *, group, async_op):
    call(out, x, group=group)
    if group.rank() == group.size() - 1:
        out.zero_()
    return SimpleNamespace(wait=lambda: None)


def without_last_tensor(call, tensors, **how):
    return call(tensors[:-1], **how)


@contextmanager
def forgets_last_call(manager, group, **how):
    with manager(group, **how) as work:
        yield work
        extra.torch("distributed.distributed_c10d")._world.pg_coalesce_state[group].pop()


def to_the_next(call, out, x, **how):
    """Each piece goes to the rank after the one that it is for."""
    return call(out, x.roll(out.numel() // how["group"].size()), **how)


def own_first(call, out, x, *, group, async_op):
    """What a rank gathers begins with its own."""
    call(out, x, group=group)
    out.copy_(out.roll(-group.rank() * x.numel()))
    return SimpleNamespace(wait=lambda: None)


all_reduce = begun("all_reduce")
returns_early = planted("all_reduce", "all_reduce", not_waited_for)
reduce_scatter = begun("reduce_scatter_tensor+all_gather_into_tensor")
loses_last_piece = planted("reduce_scatter_tensor+all_gather_into_tensor", "reduce_scatter_tensor", last_piece_lost)
all_reduce_coalesced = begun("all_reduce_coalesced")
skips_tensor = planted("all_reduce_coalesced", "all_reduce_coalesced", without_last_tensor)
coalesced = begun("coalesced_reduce_scatter_tensor+all_gather")
skips_call = planted("coalesced_reduce_scatter_tensor+all_gather", "_coalescing_manager", forgets_last_call)
two_shot = begun("all_to_all_single+all_gather_into_tensor")
to_wrong_rank = planted("all_to_all_single+all_gather_into_tensor", "all_to_all_single", to_the_next)
all_gather = begun("all_gather_into_tensor")
gathers_own_first = planted("all_gather_into_tensor", "all_gather_into_tensor", own_first)


def short_piece_lost(group, x):
    """What the number of ranks leaves over at the end is in no piece."""
    dist, each = extra.torch("distributed"), x.numel() // group.size()
    whole, own, y = x[: each * group.size()].clone(), x.new_empty(each), x.new_zeros(x.numel())
    dist.reduce_scatter_tensor(own, whole, group=group)
    dist.all_gather_into_tensor(y[: whole.numel()], own, group=group)
    return y


def coalesced_on_a_device(group, x):
    """A manager that is told a device asks the backend to coalesce whatever comes."""
    dist, y = extra.torch("distributed"), x.clone()
    with dist._coalescing_manager(group, device=x.device):
        dist.all_reduce(y, group=group)
    return y


def coalesced_of_two_dtypes(group, x):
    dist, ys = extra.torch("distributed"), [x.float(), x.double()]
    with dist._coalescing_manager(group):
        for y in ys:
            dist.all_reduce(y, group=group)
    return ys[1].to(x.dtype)


def gathers_unequal_pieces(group, x):
    pieces = [piece.clone() for piece in x.tensor_split(group.size())]
    extra.torch("distributed").all_gather(pieces, pieces[group.rank()].clone(), group=group)
    return x


def exchanges_unequal_pieces(group, x):
    pieces = [*x.tensor_split(group.size())]
    outs = [pieces[group.rank()].clone() for _ in pieces]
    extra.torch("distributed").all_to_all(outs, pieces, group=group)
    return x
