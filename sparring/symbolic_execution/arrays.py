"""Arrays of forms, which numpy and Python code gets instead of its vector.

They can be added, multiplied by constants and compared elementwise; they have magnitudes; and their entries can be
moved.  Whatever depends on the inputs (a comparison, the place of an entry in an order) is decided by the running
cells, and is an ordinary truth or number from then on.  Every other operation raises NoForm, which names it.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparring.symbolic_execution.cells import running
from sparring.symbolic_execution.conditions import sign
from sparring.symbolic_execution.forms import Form, NoForm, Table, constant, minus, plus, times, value

DTYPE = np.dtype(np.float64)
ARRAY: Any = np.asarray  # the real one, whatever the name means while code runs


FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""Functions of numpy whose results depend on forms; :mod:`sparring.symbolic_execution.orders` has them."""


class Open(ABC):
    """An array whose entries are computed only when somebody looks at them."""

    @abstractmethod
    def settled(self) -> NDArray[Any]:
        """Return the array."""


def settled(x: Any) -> Any:
    """Return ``x``; the array itself where it is open."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(settled, x))
    return x.settled() if isinstance(x, Open) else x


class Forms(np.ndarray[Any, np.dtype[np.float64]]):
    """An array of forms, by their ids.  A single entry stays an array, of no dimension, and keeps the rules."""

    @property
    def table(self) -> Table:
        """The table of these forms."""
        return running().table

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        if kwargs.get("where", True) is not True or kwargs.keys() - {"axis", "keepdims", "dtype", "where", "initial"}:
            refuse(f"np.{ufunc.__name__} with {', '.join(kwargs)}")
        if method == "at" and ufunc is np.add and len(inputs) == 3:
            return added_at(*inputs)
        if method == "reduce" and ufunc in REDUCED:
            return stored(reduced(ufunc, inputs[0], kwargs), out)
        if method != "__call__" or ufunc not in ELEMENTWISE:
            refuse(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method}")
        return stored(elementwise(ELEMENTWISE[ufunc], *inputs), out)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in FUNCTIONS:
            return FUNCTIONS[func](*args, **kwargs)
        if any(isinstance(x, Open) for x in (*args, *kwargs.values())):
            return func(*map(settled, args), **{name: settled(x) for name, x in kwargs.items()})
        if func not in MOVES:
            refuse(f"np.{func.__name__}")
        return formed(super().__array_function__(func, types, args, kwargs))

    def __getitem__(self, key: Any) -> Any:
        return formed(ARRAY(super().__getitem__(key)))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth of an array with several entries is ambiguous")
        return running().holds(sign(form(as_plain_array(self).item()), (-1, 1)))

    def __repr__(self) -> str:
        return f"Forms([{', '.join(shown(x) for x in as_plain_array(self).ravel().tolist())}])"

    __str__ = __repr__
    __hash__ = None

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to its own dtype; constants, such as indices sent beside values, also to another."""
        if np.dtype(dtype) == DTYPE:
            return self.copy()
        known = [number(f, f"converting to {np.dtype(dtype)}") for f in read(self)]
        return ARRAY(known, DTYPE).reshape(self.shape).astype(dtype)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Return a view, as ndarray's; of another dtype, a plain array over the same memory."""
        seen = super().view(*args, **kwargs)
        return as_plain_array(seen) if seen.dtype != DTYPE else seen

    def __float__(self) -> float:
        return number(form(as_plain_array(self).item()), "__float__")

    def __int__(self) -> int:
        return int(number(form(as_plain_array(self).item()), "__int__"))

    def __index__(self) -> int:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def tolist(self) -> Any:
        """Return the entries as nested lists."""
        return self[()] if not self.ndim else [x.tolist() for x in self]

    def item(self, *at: Any) -> Any:
        """Return one entry."""
        return self.reshape(-1)[at[0] if at else 0]

    def sum(self, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return the sum, as numpy's."""
        return np.add.reduce(self, axis=axis)


def refuse(what: str) -> NoReturn:
    """Raise NoForm, and make sure that this run is not judged, even if somebody catches that."""
    trouble = NoForm(f"linear forms know sums, multiples, magnitudes, comparisons and orders, not {what}")
    running().trouble.append(trouble)
    raise trouble


def number(a: Form, what: str) -> float:
    """Return the constant that a form is; refuse another one, which has no ``what``."""
    known = value(a)
    if known is None:
        refuse(what)
    return float(known)


def form(number: float) -> Form:
    """Return the form that a number of an array stands for."""
    try:
        return running().table.form(number)
    except NoForm as trouble:
        running().trouble.append(trouble)
        raise


def shown(number: float) -> str:
    """Return the form of a number as text, for printing."""
    try:
        return running().table.show(running().table.form(number))
    except NoForm:
        return repr(number)


def as_plain_array(x: Any) -> NDArray[Any]:
    """Return the same memory, or an array of numbers, without the rules of forms."""
    return np.ndarray.view(x, np.ndarray) if isinstance(x, np.ndarray) else ARRAY(x)


def formed(x: Any) -> Any:
    """Return arrays of float64 as forms, also in lists and tuples."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(formed, x))
    return np.ndarray.view(x, Forms) if isinstance(x, np.ndarray) and x.dtype == DTYPE else x


def made(forms: list[Form]) -> Any:
    """Return a vector of these forms."""
    return formed(ARRAY([running().table.id(f) for f in forms], DTYPE))


def read(x: Any) -> list[Form]:
    """Return all entries as forms."""
    return [form(number) for number in as_plain_array(x).ravel().tolist()]


def stored(result: Any, out: Any) -> Any:
    """Return ``result`` in the array that was asked for."""
    if out is None:
        return result
    target = out[0] if isinstance(out, tuple) else out
    as_plain_array(target)[...] = as_plain_array(result)
    return target


def elementwise(function: Callable[..., Any], *inputs: Any) -> Any:
    """Apply ``function`` to the entries one by one; return forms, or truths."""
    arrays = [as_plain_array(a) for a in np.broadcast_arrays(*map(as_plain_array, inputs))]
    entries = zip(*(a.ravel().tolist() for a in arrays))
    if function in TRUTHS:
        truths = [function(*map(form, numbers)) for numbers in entries]
        return np.ndarray.reshape(ARRAY(truths, np.bool_), arrays[0].shape)[()]
    results = [computed(function, numbers) for numbers in entries]
    return formed(ARRAY(results, DTYPE).reshape(arrays[0].shape))


def computed(function: Callable[..., Form], numbers: tuple[float, ...]) -> float:
    """Return the id of the form that ``function`` makes of these entries."""
    table = running().table
    if function not in PURE:
        return table.id(function(*map(form, numbers)))
    known = table.done.get((function, numbers))
    if known is None:
        known = table.done[function, numbers] = table.id(function(*map(form, numbers)))
    return float(known)


def magnitude(a: Form) -> Form:
    """Return ``|a|``."""
    return running().table.magnitude(a)


def multiplied(a: Form, b: Form) -> Form:
    """Return the product, where one of the two is a constant."""
    if (known := value(a)) is not None:
        return times(known, b)
    if (known := value(b)) is not None:
        return times(known, a)
    refuse("the product of two of them")


def divided(a: Form, b: Form) -> Form:
    """Return the quotient by a constant."""
    known = value(b)
    if not known:
        refuse("division by one of them, or by zero")
    return times(Fraction(1) / known, a)


def larger(a: Form, b: Form) -> Form:
    """Return the maximum."""
    return a if running().holds(sign(minus(a, b), (0, 1))) else b


def smaller(a: Form, b: Form) -> Form:
    """Return the minimum."""
    return a if running().holds(sign(minus(a, b), (-1, 0))) else b


def comparison(*signs: int) -> Callable[[Form, Form], bool]:
    """Return a function that tells whether the difference of two forms has one of these signs."""
    return lambda a, b: running().holds(sign(minus(a, b), signs))


COMPARISONS: dict[Any, Callable[[Form, Form], bool]] = {
    np.less: comparison(-1), np.less_equal: comparison(-1, 0), np.equal: comparison(0),
    np.greater: comparison(1), np.greater_equal: comparison(0, 1), np.not_equal: comparison(-1, 1),
}  # fmt: skip
KNOWN: dict[Any, Callable[[Form], bool]] = {
    np.isnan: lambda a: False,
    np.isinf: lambda a: False,
    np.isfinite: lambda a: True,
}
TRUTHS = {*COMPARISONS.values(), *KNOWN.values()}
ELEMENTWISE: dict[Any, Callable[..., Any]] = {
    np.add: plus, np.subtract: minus, np.multiply: multiplied, np.true_divide: divided,
    np.negative: lambda a: times(-1, a), np.positive: lambda a: a,
    np.absolute: magnitude, np.fabs: magnitude,
    np.sign: lambda a: constant(running().sign(a)), np.maximum: larger, np.minimum: smaller,
    **COMPARISONS, **KNOWN,
}  # fmt: skip
PURE = {ELEMENTWISE[ufunc] for ufunc in (np.add, np.subtract, np.negative, np.positive, np.absolute)}
"""The functions that no cell decides."""
REDUCED: dict[Any, Callable[[Form, Form], Form]] = {np.add: plus, np.maximum: larger, np.minimum: smaller}


def reduced(ufunc: np.ufunc, x: Any, options: dict[str, Any]) -> Any:
    """Reduce all entries, or along one axis."""
    axis, array = options.get("axis", 0), as_plain_array(x)
    if axis is None:
        array, axis = array.ravel(), 0
    if options.get("keepdims") or options.get("initial") not in (None, np._NoValue) or not isinstance(axis, int):
        refuse(f"np.{ufunc.__name__}.reduce with {', '.join(options)}")
    columns = np.moveaxis(array, axis, 0)
    if not len(columns) and ufunc is not np.add:
        raise ValueError("zero-size array to reduction operation which has no identity")
    start = [constant(0)] * columns[0].size if not len(columns) else None
    rows = [read(row) for row in columns]
    total = functools.reduce(lambda a, b: list(map(REDUCED[ufunc], a, b)), rows) if rows else start or [constant(0)]
    return made(total).reshape(columns.shape[1:])


def added_at(target: Any, at: Any, parts: Any) -> None:
    """Do as ``np.add.at`` does with a vector."""
    flat = np.arange(as_plain_array(target).size).reshape(as_plain_array(target).shape)[at]
    for i, part in zip(flat.ravel().tolist(), np.broadcast_to(as_plain_array(parts), flat.shape).ravel().tolist()):
        total = plus(form(as_plain_array(target).flat[i].item()), form(part))
        as_plain_array(target).flat[i] = running().table.id(total)


MOVES = {
    *(np.zeros_like, np.ones_like, np.full_like, np.empty_like, np.copy, np.copyto, np.concatenate, np.split),
    *(np.array_split, np.ravel, np.reshape, np.take, np.roll, np.shape, np.size, np.ndim, np.stack, np.vstack),
    *(np.hstack, np.column_stack, np.swapaxes, np.transpose, np.squeeze, np.expand_dims, np.broadcast_to, np.tile),
    *(np.repeat, np.delete, np.insert, np.append, np.put, np.flip, np.where, np.atleast_1d, np.take_along_axis),
    *(np.shares_memory, np.may_share_memory, np.put_along_axis, np.place, np.pad, np.moveaxis, np.result_type),
    *(np.compress, np.extract, np.diff, np.resize, np.array2string),
}


def _refused(name: str) -> Any:
    def method(_self: Forms, *_args: Any, **_kwargs: Any) -> NoReturn:
        refuse(f"{name}()")

    return method


for _name in (
    *("__complex__", "byteswap", "choose", "cumprod", "cumsum", "dot", "partition", "prod"),
    *("round", "searchsorted", "std", "trace", "var", "__contains__", "__pow__", "__divmod__", "__matmul__"),
):
    setattr(Forms, _name, _refused(_name))
