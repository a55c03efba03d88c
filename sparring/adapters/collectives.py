"""The collectives of ``torch.distributed`` as targets, by their own names: ``torch:all_reduce``.

Some leave the sum.  Others leave it after a second one, whose name follows a plus, as FSDP reduces gradients and
gathers what it has made of them: ``torch:reduce_scatter_tensor+all_gather_into_tensor``.  These collectives want
pieces of equal length: where the number of ranks does not divide the vector's length, zeros follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sparring.adapters import OWN, extra
from sparring.errors import InputError, did_you_mean

COALESCED = "coalesced_"
"""How the names of collectives begin that torch's manager gathers into one."""
TENSORS = 3
"""Into how many tensors a coalesced collective's vector is cut: the last ones of a short vector are empty."""


class Calls(NamedTuple):
    """Collectives on a group, each over when its method returns; ``async_op``: begun, and then waited for."""

    group: Any
    async_op: bool

    @property
    def p(self) -> int:
        """The number of ranks."""
        return int(self.group.size())

    def one(self, name: str, *tensors: Any, **more: int) -> None:
        """Call one collective."""
        call = getattr(extra.torch("distributed"), name)
        work = call(*tensors, group=self.group, async_op=self.async_op, **more)
        if self.async_op:
            work.wait()

    def many(self, name: str, tensors: Sequence[Sequence[Any]]) -> None:
        """Call one collective several times; several whose name says so are coalesced."""
        if not name.startswith(COALESCED):
            for some in tensors:
                self.one(name, *some)
            return
        dist = extra.torch("distributed")
        with dist._coalescing_manager(self.group, async_ops=self.async_op) as manager:
            for some in tensors:
                getattr(dist, name.removeprefix(COALESCED))(*some, group=self.group)
        if self.async_op:
            manager.wait()


def all_reduce(name: str, calls: Calls, x: Any) -> Any:
    """Return the sum."""
    parts = [part.clone() for part in x.tensor_split(number(name))]
    calls.many(name, [(part,) for part in parts])
    return extra.torch().cat(parts)


def all_reduce_coalesced(name: str, calls: Calls, x: Any) -> Any:
    """Return the sum, of a list of tensors."""
    parts = [part.clone() for part in x.tensor_split(TENSORS)]
    calls.one(name, parts)
    return extra.torch().cat(parts)


def reduce(name: str, calls: Calls, x: Any) -> Any:
    """Return the sum on rank 0."""
    y = x.clone()
    calls.one(name, y, group_dst=0)
    return y


def broadcast(name: str, calls: Calls, x: Any) -> Any:
    """Return what rank 0 has."""
    calls.one(name, x, group_src=0)
    return x


def scatter_tensor(name: str, calls: Calls, x: Any) -> Any:
    """Return this rank's piece of the sum."""
    columns = [part.reshape(-1) for part in padded(x, calls.p).tensor_split(number(name), dim=1)]
    outs = [column.new_empty(column.numel() // calls.p) for column in columns]
    calls.many(name, [*zip(outs, columns, strict=True)])
    return extra.torch().cat(outs)


def scatter_list(name: str, calls: Calls, x: Any) -> Any:
    """Return this rank's piece of the sum, of a list of pieces."""
    rows = [*padded(x, calls.p)]
    out = extra.torch().empty_like(rows[0])
    calls.one(name, out, rows)
    return out


def exchange_tensor(name: str, calls: Calls, x: Any) -> Any:
    """Return this rank's piece of the sum, from all ranks' pieces."""
    rows = padded(x, calls.p)
    outs = extra.torch().empty_like(rows)
    calls.one(name, outs.reshape(-1), rows.reshape(-1))
    return added(outs)


def exchange_list(name: str, calls: Calls, x: Any) -> Any:
    """Return this rank's piece of the sum, from a list of all ranks' pieces."""
    rows = padded(x, calls.p)
    outs = extra.torch().empty_like(rows)
    calls.one(name, [*outs], [*rows])
    return added(outs)


def gather_tensor(name: str, calls: Calls, x: Any) -> Any:
    """Return what all ranks have, a row a rank."""
    parts = x.tensor_split(number(name))
    outs = [part.new_empty(calls.p * part.numel()) for part in parts]
    calls.many(name, [*zip(outs, parts, strict=True)])
    return extra.torch().cat([out.reshape(calls.p, part.numel()) for out, part in zip(outs, parts, strict=True)], 1)


def gather_list(name: str, calls: Calls, x: Any) -> Any:
    """Return what all ranks have, a row a rank, from a list."""
    outs = x.new_empty(calls.p, x.numel())
    calls.one(name, [*outs], x)
    return outs


def number(name: str) -> int:
    """Return into how many tensors the collective's vector is cut."""
    return TENSORS if name.startswith(COALESCED) else 1


def padded(x: Any, p: int) -> Any:
    """Return a copy of the vector as ``p`` rows of equal length, with zeros where it ends before."""
    return extra.torch().cat([x, x.new_zeros(-x.numel() % p)]).reshape(p, -(-x.numel() // p))


def added(rows: Any) -> Any:
    """Return the sum of rows, from the first to the last."""
    total = rows[0].clone()
    for row in rows[1:]:
        total += row
    return total


Collective = Callable[[str, Calls, Any], Any]
SUMS: Mapping[str, Collective] = {
    "all_reduce": all_reduce,
    "coalesced_all_reduce": all_reduce,
    "all_reduce_coalesced": all_reduce_coalesced,
}
"""What leaves the sum of whole vectors."""
SCATTERS: Mapping[str, Collective] = {
    "reduce_scatter": scatter_list,
    **dict.fromkeys(("reduce_scatter_tensor", "reduce_scatter_single"), scatter_tensor),
    **dict.fromkeys(("coalesced_reduce_scatter_tensor", "coalesced_reduce_scatter_single"), scatter_tensor),
    "all_to_all": exchange_list,
    "all_to_all_single": exchange_tensor,
}
"""What leaves a piece of the sum on each rank."""
GATHERS: Mapping[str, Collective] = {
    "all_gather": gather_list,
    **dict.fromkeys(("all_gather_into_tensor", "all_gather_single"), gather_tensor),
    **dict.fromkeys(("coalesced_all_gather_into_tensor", "coalesced_all_gather_single"), gather_tensor),
}
"""What leaves all pieces on each rank; alone, it gathers whole vectors, and they are added in the order of ranks."""
ROOTED: Mapping[str, Collective] = {"reduce": reduce, "broadcast": broadcast}
"""What leaves the sum on one rank, and what leaves it on all."""
NAMES = (*SUMS, *GATHERS, *(f"{first}+{second}" for first in SCATTERS for second in GATHERS), "+".join(ROOTED))
"""The targets' names, without what all begin with."""


def allreduce(group: Any, x: Any, /, *, name: str, async_op: bool = False) -> Any:
    """Return the sum of all ranks' vectors by the collectives of that name, one of ``NAMES``."""
    calls, (first, _, second) = Calls(group, async_op), name.partition("+")
    if first in GATHERS:
        return added(GATHERS[first](first, calls, x))
    y = {**SUMS, **SCATTERS, **ROOTED}[first](first, calls, x)
    if second in ROOTED:
        return ROOTED[second](second, calls, y)
    return GATHERS[second](second, calls, y).reshape(-1)[: x.numel()].clone() if second else y


def found(target: Any, params: Mapping[str, Any] = MappingProxyType({})) -> tuple[Any, dict[str, str]]:
    """Return a target as ranks find it, and what they tell it: of torch's own, its name.

    Raises InputError for a name that is none, and for parameters that torch's own do not take.
    """
    if not (isinstance(target, str) and target.startswith(OWN)):
        return target, {}
    name = target.removeprefix(OWN)
    if name not in NAMES:
        alone = ", ".join([*SUMS, *GATHERS, "+".join(ROOTED)])
        pairs = f"one of {', '.join(SCATTERS)}, with + and one of {', '.join(GATHERS)}"
        raise InputError(f"{target}: {did_you_mean(name, NAMES)}there are {alone}; and {pairs}")
    if unknown := [one for one in params if one != "async_op"]:
        raise InputError(f"{target} takes async_op alone, not {unknown[0]!r}")
    if not isinstance(given := params.get("async_op", False), bool):
        raise InputError(f"{target}: async_op={given!r}: it must be true or false")
    return f"{__name__}:{allreduce.__name__}", {"name": name}
