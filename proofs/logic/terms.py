"""Arrays of terms: what was added to what, in which order.

A *term* is the value of a sum of named inputs, kept as a formula.  Equal terms mean equal bits, up
to the payload of a NaN, in one floating-point environment: IEEE 754 addition is commutative and
not associative, and so is the sum of two terms.  Code under test sees an array of 64-bit integers,
the terms' random names, which pass through any buffer; a number that names no term betrays
arithmetic that went behind the terms' back.

Zeros.  -0.0 is the exact identity, so ``-0.0 + a`` is ``a``.  Adding +0.0 changes nothing but
-0.0, and a sum is -0.0 only if all its parts are; therefore ``(a + 0.0) + b`` has the bits of
``(a + b) + 0.0``, and a term keeps at most one ``+ 0.0``, outermost.

>>> table = Table()
>>> a, b, c = (leaves(table, [name]) for name in "abc")
>>> table.show((b + a + c)[0]), table.show(((c + 0.0) + a)[0])
('((a+b)+c)', '((a+c)+0.0)')
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, SupportsFloat, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sparring.errors import SparringError

Ids = NDArray[np.int64]
NEVER = "arithmetic on a raw buffer, or memory never written"


class NoTerm(SparringError, ArithmeticError):
    """A number stands where a term should: ``what`` was met, and ``why`` it may be there."""

    def __init__(self, what: str, why: str) -> None:
        self.what, self.why = what, why
        super().__init__(f"{what}: {why}")


class Leaf(NamedTuple):
    """A named input."""

    name: str


class Sum(NamedTuple):
    """The sum of two terms, in the table's own order; ``+`` is commutative."""

    a: int
    b: int


class Normed(NamedTuple):
    """A term without ``+ 0.0``, and 0.0 added to it: -0.0 becomes +0.0."""

    of: int


class Unordered(NamedTuple):
    """The sum of three or more terms in an order that a library chose and does not tell."""

    parts: tuple[int, ...]


Node = Leaf | Sum | Normed | Unordered


class Table:
    """All terms of one run; the same seed and the same additions give the same ids.

    ``identity`` and ``zero`` are the ids of -0.0 and +0.0.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._nodes: dict[int, Node] = {}
        self._ids: dict[Node, int] = {}
        self._order: dict[int, tuple[bool, int]] = {}  # in a sum: sums before inputs, the older before the younger
        self._bare: dict[int, int] = {}
        self._sums: dict[tuple[int, int], int] = {}
        self.identity = self.leaf("-0.0")
        self.zero = self.norm(self.identity)
        self._arrays = type("Terms", (Terms,), {"table": self})  # numpy hands on an array's class, and nothing else

    def leaf(self, name: str) -> int:
        """Return the id of the input called ``name``."""
        return self._intern(Leaf(name))

    def add(self, a: int, b: int) -> int:
        """Return the id of ``a + b``.  Raises NoTerm unless both are ids of terms."""
        known = self._sums.get((a, b))
        if known is None:
            known = self._sums[a, b] = self._sums[b, a] = self._total([a, b])
        return known

    def norm(self, a: int) -> int:
        """Return the id of ``a + 0.0``."""
        if self._known(a) in self._bare:
            return a
        normed = self._intern(Normed(a))
        self._bare[normed] = a
        return normed

    def unordered(self, parts: Iterable[int]) -> int:
        """Return the id of the sum of ``parts`` in an unknown order, which matters from the third part on."""
        return self._total(list(parts))

    def check(self, raw: Ids | Sequence[int]) -> int | None:
        """Return the index of the first entry of ``raw`` that is no term's id; None if all are."""
        ids = raw.tolist() if isinstance(raw, np.ndarray) else raw
        if all(map(self._nodes.__contains__, ids)):
            return None
        return next(at for at, i in enumerate(ids) if i not in self._nodes)

    def array(self, ids: Ids) -> Terms:
        """Return ``ids`` as an array of this table's terms: the same memory, any shape."""
        return cast("Terms", ids.view(self._arrays))

    def show(self, term: int | Terms, limit: int = 2000) -> str:
        """Return the formula, cut off after ``limit`` characters: a term may be exponentially longer than its table."""
        text: list[str] = []
        length = 0
        todo: list[int | str] = [_id(term)]
        while todo and length <= limit:
            item = todo.pop()
            if isinstance(item, str):
                text.append(item)
                length += len(item)
            else:
                todo += reversed(self._spell(item))
        return "".join(text) if length <= limit else "".join(text)[:limit] + "..."

    def evaluate(self, term: int | Terms, values: Mapping[str, SupportsFloat], dtype: DTypeLike) -> Any:
        """Return the number, a numpy scalar of ``dtype``, that the term has when its inputs have ``values``.

        The additions are done one by one in the term's order, in ``dtype``: the bits are those of
        the computation that the term stands for.  Raises SparringError on an unordered sum.
        """
        number: Any = np.dtype(dtype).type
        done: dict[int, Any] = {self.identity: number(-0.0)}
        todo = [_id(term)]
        with np.errstate(all="ignore"):
            while todo:
                node = self._node(todo[-1])
                wanted = [i for i in _parts(node) if i not in done]
                if wanted:
                    todo += wanted
                else:
                    i = todo.pop()
                    done[i] = done[i] if i in done else _value(node, done, values, number)
        return done[_id(term)]

    def _spell(self, i: int) -> list[int | str]:
        match self._node(i):
            case Leaf(name):
                return [name]
            case Sum(a, b):
                return ["(", a, "+", b, ")"]
            case Normed(of):
                return ["(", of, "+0.0)"]
            case Unordered(parts):
                return ["allreduce(", *[x for part in parts for x in (",", part)][1:], ")"]

    def _total(self, parts: list[int]) -> int:
        bare = [self._bare.get(self._known(i), i) for i in parts]
        rest = sorted((i for i in bare if i != self.identity), key=self._order.__getitem__)
        if len(rest) > 1:
            total = self._intern(Sum(*rest) if len(rest) == 2 else Unordered(tuple(rest)))
        else:
            total = rest[0] if rest else self.identity
        return total if bare == parts else self.norm(total)

    def _intern(self, node: Node) -> int:
        if node not in self._ids:
            i = self._new()
            self._ids[node], self._nodes[i] = i, node
            self._order[i] = isinstance(node, Leaf), len(self._order)
        return self._ids[node]

    def _new(self) -> int:
        """Return a random id, never a small number: counts and zeros are no terms."""
        i = self._random.getrandbits(61) | 1 << 61
        return self._new() if i in self._nodes else i

    def _known(self, i: int) -> int:
        self._node(i)
        return i

    def _node(self, i: int) -> Node:
        if i not in self._nodes:
            raise NoTerm(f"{i} is no term", NEVER)
        return self._nodes[i]


def _parts(node: Node) -> tuple[int, ...]:
    match node:
        case Leaf():
            return ()
        case Sum(a, b):
            return (a, b)
        case Normed(of):
            return (of,)
        case Unordered():
            raise SparringError("a library chose the order of this sum, so its bits are not determined")


def _value(node: Node, done: Mapping[int, Any], values: Mapping[str, SupportsFloat], number: Any) -> Any:
    match node:
        case Leaf(name):
            return number(values[name])
        case Sum(a, b):
            return done[a] + done[b]
        case Normed(of):
            return done[of] + number(0)
        case Unordered():
            raise AssertionError("_parts has raised")


class Terms(np.ndarray[Any, np.dtype[np.int64]]):
    """An array of terms, int64 ids of ``table``: elementwise ``+`` and moving entries about, nothing else.

    ``+`` takes terms, raw int64 arrays that hold terms, and the scalars 0 and 0.0 (which mean
    +0.0) and -0.0.  ``x[i]`` is a 0-dimensional array, so that single entries keep the rules.
    ``zeros_like`` gives +0.0, ``full_like`` and assignment take a zero of either sign.  Views of
    another dtype, and ``np.asarray``, give the raw memory.  Numbers computed there are no terms,
    which the next addition or the simulated world finds.  Everything else raises TypeError.
    """

    table: Table | None = None

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        if ufunc is not np.add or method != "__call__" or kwargs:
            how = f".{method}" if method != "__call__" else " with options" if ufunc is np.add else ""
            raise TypeError(f"terms know elementwise + alone, not np.{ufunc.__name__}{how}")
        table = self.table or _table(*inputs, *(out or ()))
        a, b = inputs
        sums = _sums(table, _ids(a, table), _ids(b, table))
        if out is None:
            return table.array(sums)
        target = _ids(out[0], table)
        if target.shape != sums.shape:
            raise ValueError(f"out has shape {target.shape}, the sum {sums.shape}")
        target[...] = sums
        return out[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in FILLS:
            filled: Terms = np.empty_like(args[0], **kwargs)
            filled[...] = FILLS[func](*args[1:])
            return filled
        if func not in MOVES:
            raise TypeError(f"terms know elementwise + alone, not np.{func.__name__}")
        if func is np.copyto and isinstance(args[0], Terms):
            args = (args[0], _ids(args[1], _table(*args)), *args[2:])
        return _keep(super().__array_function__(func, types, args, kwargs), self.table)

    def __getitem__(self, key: Any) -> Any:
        got = np.ndarray.__getitem__(self, key)  # half of a run's slices: super() takes longer
        if isinstance(got, np.ndarray):
            return got
        return super().__getitem__((*key, ...) if isinstance(key, tuple) else (key, ...))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, _ids(value, self.table or _table(value)))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if self.table is None or self.table.check(raw(self).ravel()) is not None:
            return f"Terms({raw(self)!r})"
        shown = [self.table.show(i, 80) for i in raw(self).ravel()[:8].tolist()]
        return f"Terms([{', '.join(shown)}{', ...' if self.size > 8 else ''}])"

    __str__ = __repr__

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Return the view as ndarray does; of another dtype, a plain array over the same memory."""
        seen = super().view(*args, **kwargs)
        return raw(seen) if seen.dtype != np.int64 else seen

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to the array's own dtype only, since an id converted to another is no term."""
        if np.dtype(dtype) != np.int64:
            raise TypeError(f"terms cannot become {np.dtype(dtype)}")
        return super().astype(dtype, *args, **kwargs)

    def fill(self, value: Any) -> None:
        """Fill the array with a term, or with a zero of either sign."""
        self[...] = value


def leaves(table: Table, names: Iterable[str]) -> Terms:
    """Return the 1-D array of the inputs called ``names``."""
    return table.array(np.array([table.leaf(name) for name in names], dtype=np.int64))


def raw(x: NDArray[Any]) -> NDArray[Any]:
    """Return the same memory as a plain array, without the terms' rules."""
    return np.ndarray.view(x, np.ndarray)


FILLS: dict[Any, Any] = {np.zeros_like: lambda: 0.0, np.full_like: lambda value: value}
MOVES = {
    *(np.empty_like, np.copy, np.copyto, np.concatenate, np.split, np.array_split, np.ravel, np.reshape),
    *(np.take, np.roll, np.shape, np.size, np.ndim, np.shares_memory, np.may_share_memory),
    *(np.swapaxes, np.transpose),
}


def _id(term: int | Terms) -> int:
    """Return the id of one term, given as such or as an array of one entry."""
    return int(raw(term).item()) if isinstance(term, Terms) else int(term)


def _table(*arrays: Any) -> Table:
    """Return the table of the first array that knows one."""
    table = next((t for x in arrays if isinstance(t := getattr(x, "table", None), Table)), None)
    if table is None:
        raise TypeError("these terms have lost their table: make buffers with np.empty_like of an array of terms")
    return table


def _ids(x: Any, table: Table) -> Any:
    """Return the ids that ``x`` stands for: terms, a raw array of ids, or a scalar zero."""
    if isinstance(x, np.ndarray) and x.dtype == np.int64 and (x.ndim or isinstance(x, Terms)):
        return raw(x)
    if isinstance(x, (int, float, np.number)) and x == 0:
        return np.array(table.identity if math.copysign(1, x) < 0 else table.zero)
    what = f"an array of {x.dtype}" if isinstance(x, np.ndarray) and x.ndim else f"{x!r}"
    raise TypeError(f"terms go together with terms and the constants 0.0 and -0.0, not with {what}")


def _sums(table: Table, a: Ids, b: Ids) -> Ids:
    if a.shape != b.shape:
        a, b = np.broadcast_arrays(a, b)
    xs, ys = a.ravel().tolist(), b.ravel().tolist()
    try:
        sums = [*map(table.add, xs, ys)]
    except NoTerm:
        at = min(i for i in (table.check(xs), table.check(ys)) if i is not None)
        raise NoTerm(f"adds no term at entry {at}", f"a receive buffer read before its time, {NEVER}") from None
    return np.array(sums, dtype=np.int64).reshape(a.shape)


def _keep(result: Any, table: Table | None) -> Any:
    """Return ``result`` as terms again, where numpy made a plain array or forgot the table."""
    if isinstance(result, np.ndarray) and result.dtype == np.int64 and table is not None:
        return table.array(result)
    return result


def _refuse(name: str) -> Any:
    def refused(_self: Terms, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError(f"terms know elementwise + alone, not {name}")

    return refused


for _name in (
    *("__bool__", "__int__", "__float__", "__complex__", "__index__", "__contains__", "argmax", "argmin"),
    *("argpartition", "argsort", "byteswap", "choose", "conj", "conjugate", "dot", "item", "nonzero", "partition"),
    *("round", "searchsorted", "sort", "tolist", "trace"),
):
    setattr(Terms, _name, _refuse(_name))
