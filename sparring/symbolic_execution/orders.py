"""Orders of forms, which are decided lazily: only as much of a sorted vector as the code reads.

``np.argsort(size)[:k]`` needs the ``k`` first and their order, and nothing of the others;
``np.sort(np.argsort(size)[:k])`` needs only which they are.  Where numpy leaves open which of equal entries comes
first, every answer is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from sparring.symbolic_execution.arrays import (
    COMPARISONS,
    FUNCTIONS,
    Forms,
    Open,
    as_plain_array,
    elementwise,
    read,
    refuse,
    settled,
)
from sparring.symbolic_execution.cells import running
from sparring.symbolic_execution.conditions import FALSE, TRUE, Condition, both, either, equal, less
from sparring.symbolic_execution.forms import Form, times

Keys = tuple[tuple[Form, ...], ...]
"""Columns to sort by, the most significant first."""
EITHER = "may take either of equal entries"


class Question:
    """The question how ``size`` entries are ordered by ``keys``; among equal ones by index, or as ``open_to`` says."""

    def __init__(self, keys: Keys, open_to: str = "") -> None:
        self.keys, self.open_to, self.size = keys, open_to, len(keys[0])
        self.parted_at: int | None = None

    def before(self, i: int, j: int) -> Condition:
        """Return the condition that entry ``i`` may come before entry ``j``."""
        rest: Condition = TRUE if self.open_to or i < j else FALSE
        for column in reversed(self.keys):
            a, b = column[i], column[j]
            rest = either(less(a, b, or_equal=False), both(equal(a, b), rest))
        return rest

    def first(self, chosen: Sequence[int], others: Sequence[int]) -> Condition:
        """Return the condition that all of ``chosen`` may come before all others."""
        return both(*(self.before(i, j) for i in chosen for j in others))

    def one(self, rest: Sequence[int], last: bool = False) -> int:
        """Return which of ``rest`` comes first, or last."""
        others = [[j for j in rest if j != i] for i in rest]
        ways = [self.first(some, [i]) if last else self.first([i], some) for i, some in zip(rest, others)]
        return int(self._found(rest, ways))

    def sequence(self, start: int, end: int) -> list[int]:
        """Return the entries at these places of the order, in its order."""
        known: tuple[list[int], list[int]] = running().kept.setdefault((self.keys, self.open_to), ([], []))
        front, back = known
        if end <= self.size - start:  # sooner found from the front
            while len(front) < end and len(front) + len(back) < self.size:
                front.append(self.one(self._rest(known)))
        else:
            while len(back) < self.size - start and len(front) + len(back) < self.size:
                back.append(self.one(self._rest(known), last=True))
        found = dict(enumerate(front)) | {self.size - 1 - at: i for at, i in enumerate(back)}
        return [found[at] for at in range(start, end)]

    def set(self, count: int) -> list[int]:
        """Return the entries at the first ``count`` places, ascending."""
        count = max(0, min(count, self.size))
        key, known = (self.keys, self.open_to, count), running().kept
        if key not in known:
            done = running().table.done  # the same in every cell
            sets, ways = done.get(key) or done.setdefault(key, self._sets(count))
            known[key] = self._found(sets, ways)
        return list(known[key])

    def _sets(self, count: int) -> tuple[list[tuple[int, ...]], list[Condition]]:
        sets = list(combinations(range(self.size), count))
        return sets, [self.first(s, [i for i in range(self.size) if i not in s]) for s in sets]

    def _rest(self, known: tuple[list[int], list[int]]) -> list[int]:
        return [i for i in range(self.size) if i not in known[0] and i not in known[1]]

    def _found(self, answers: Sequence[Any], ways: Sequence[Condition]) -> Any:
        return answers[running().choose(ways, self.open_to) if len(answers) > 1 else 0]


def largest(sizes: Sequence[Form], k: int) -> list[int]:
    """Return the indices of the ``k`` largest, ascending; of equal ones the lower index: a selector's contract."""
    return descending(sizes).set(k)


def contract(sizes: Sequence[Form], chosen: Sequence[int]) -> Condition:
    """Return the condition that these are the largest."""
    return descending(sizes).first(chosen, [i for i in range(len(sizes)) if i not in chosen])


def descending(sizes: Sequence[Form]) -> Question:
    """Return the question how entries are ordered for selection: the largest first."""
    return Question((tuple(times(-1, size) for size in sizes),))


class Order(np.lib.mixins.NDArrayOperatorsMixin, Open):
    """Some places of an order, as an array of the indices there, or of ``values`` there.

    An array asks which these indices are only once it is needed.

    ``parted``: only all entries up to one of these places, or all from it on, may be read, since numpy leaves the order
    inside such parts open; a part is taken in ascending order.
    """

    def __init__(self, question: Question, places: range, values: Any = None, parted: tuple[int, ...] = ()) -> None:
        self.question, self.places, self.values, self.parted = question, places, values, parted

    def settled(self) -> Any:
        """Return the array."""
        at = np.array(self._part() if self.parted else self._sequence(), np.int64)
        return at if self.values is None else self.values[at]

    def sorted(self) -> Any:
        """Return the array sorted; for indices it is enough to know which they are."""
        known = None if self.values is not None or self.parted else self._which()
        return np.sort(self.settled()) if known is None else np.array(known, np.int64)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        found = as_plain_array(self.settled())
        return found if dtype is None else found.astype(dtype)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.sort and args[0] is self and self.values is None:
            return self.sorted()
        return func(*map(settled, args), **{name: settled(x) for name, x in kwargs.items()})

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*map(settled, inputs), **kwargs)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Order(self.question, self.places[key], self.values, self.parted)
        if isinstance(key, (int, np.integer)):
            place = self.places[key]
            return Order(self.question, range(place, place + 1), self.values, self.parted).settled()[0]
        return self.settled()[key]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.settled())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.settled(), name)

    def __repr__(self) -> str:
        return repr(self.settled())

    def __reduce__(self) -> Any:
        return self.settled().__reduce__()  # what travels is an array

    def _sequence(self) -> list[int]:
        if not self.places:
            return []
        start = min(self.places)
        found = self.question.sequence(start, max(self.places) + 1)
        return [found[place - start] for place in self.places]

    def _which(self) -> list[int] | None:
        """Return which indices they are, if they begin at the first place or end at the last; else None."""
        size, places = self.question.size, sorted(self.places)
        if not places or places != list(range(places[0], places[-1] + 1)):
            return None
        if places[0] == 0:
            return self.question.set(len(places))
        if places[-1] == size - 1:
            return sorted({*range(size)} - {*self.question.set(places[0])})
        return None

    def _part(self) -> list[int]:
        """Return a whole part, or the one entry whose value is settled."""
        size, step = self.question.size, self.places.step
        start, stop = min(self.places, default=0), max(self.places, default=-1) + 1
        if not self.places or (self.values is not None and stop - start == 1 and start in self.parted):
            return self._sequence()
        ends = {0, size, *self.parted, *(at + 1 for at in self.parted)}
        if abs(step) != 1 or not {start, stop} <= ends or (start > 0 and stop < size):
            refuse("the order inside what np.argpartition and np.partition part")
        end = start or stop
        if self.question.parted_at not in (None, end):
            refuse("what np.argpartition and np.partition part, at two places")
        self.question.parted_at = end
        running().free.add("what np.argpartition and np.partition part is taken in one order")
        found = self._sequence() if stop - start == size else self._which() or []
        return found[:: 1 if stop - start == size else step]


def vector(x: Any, axis: Any = -1) -> Any:
    """Return ``x``; refuse it unless it is a vector."""
    if np.ndim(x) != 1 or axis not in (-1, 0, None):
        refuse("orders of arrays that are no vectors")
    return x


def argsort(a: Any, axis: Any = -1, kind: Any = None, *_: Any, stable: Any = None) -> Order:
    """Do as numpy's ``argsort``."""
    kept = stable or kind in ("stable", "mergesort")
    question = Question((tuple(read(vector(a, axis))),), "" if kept else f"np.argsort, not being stable, {EITHER}")
    return Order(question, range(question.size))


def ordered(a: Any, axis: Any = -1, *_: Any, **__: Any) -> Order:
    """Do as numpy's ``sort``; equal values are the same, whichever comes first."""
    question = Question((tuple(read(vector(a, axis))),))
    return Order(question, range(question.size), values=a.copy())


def lexsort(keys: Any, axis: Any = -1) -> Order:
    """Do as numpy's ``lexsort``."""
    columns = [tuple(read(vector(settled(key), axis))) for key in keys]
    question = Question(tuple(reversed(columns)))
    return Order(question, range(question.size))


def argpartition(a: Any, kth: Any, axis: Any = -1, *_: Any, **__: Any) -> Order:
    """Do as numpy's ``argpartition``."""
    question = Question((tuple(read(vector(a, axis))),), f"np.argpartition {EITHER}")
    return Order(question, range(question.size), parted=parted_at(kth, question.size))


def parted_at(kth: Any, size: int) -> tuple[int, ...]:
    """Return the places of the partition; raise ValueError, as numpy does, where there is no such place."""
    places = [int(at) for at in np.atleast_1d(np.asarray(kth)).tolist()]
    if odd := [at for at in places if not -size <= at < size]:
        raise ValueError(f"kth(={odd[0]}) out of bounds ({size})")
    return tuple(at % size for at in places)


def partition(a: Any, kth: Any, axis: Any = -1, *_: Any, **__: Any) -> Order:
    """Do as numpy's ``partition``; equal values are the same, whichever comes first."""
    found = ordered(a, axis)
    return Order(found.question, found.places, found.values, parted_at(kth, found.question.size))


def argmax(a: Any, axis: Any = None, **_: Any) -> np.int64:
    """Do as numpy's ``argmax``: of equal ones the first."""
    return np.int64(Question((tuple(times(-1, f) for f in read(vector(a, axis))),)).sequence(0, 1)[0])


def argmin(a: Any, axis: Any = None, **_: Any) -> np.int64:
    """Do as numpy's ``argmin``: of equal ones the first."""
    return np.int64(Question((tuple(read(vector(a, axis))),)).sequence(0, 1)[0])


def on_truths(function: Any) -> Any:
    """Return ``function`` applied to the truths which entries are not zero."""
    return lambda a, *args, **kwargs: function(elementwise(COMPARISONS[np.not_equal], a, 0.0), *args, **kwargs)


def folded(ufunc: np.ufunc) -> Any:
    """Return the function of numpy that is this reduction."""
    return lambda a, axis=None, **_: ufunc.reduce(a, axis=axis)


FUNCTIONS |= {
    np.argsort: argsort, np.sort: ordered, np.lexsort: lexsort, np.argpartition: argpartition,
    np.partition: partition, np.argmax: argmax, np.argmin: argmin, np.max: folded(np.maximum),
    np.min: folded(np.minimum), np.sum: folded(np.add), np.mean: lambda a: np.add.reduce(a, axis=None) / np.size(a),
    np.array_equal: lambda a, b: bool(np.shape(a) == np.shape(b) and np.all(a == b)),
}  # fmt: skip
TRUTHFUL: tuple[Any, ...] = (np.flatnonzero, np.nonzero, np.count_nonzero, np.argwhere, np.any, np.all)
FUNCTIONS |= {function: on_truths(function) for function in TRUTHFUL}


def sort_in_place(a: Forms, *args: Any, **kwargs: Any) -> None:
    """Sort, as the method of ndarray does."""
    a[...] = settled(ordered(a, *args, **kwargs))


for _name, _method in {
    "argsort": argsort, "argpartition": argpartition, "argmax": argmax, "argmin": argmin, "sort": sort_in_place,
    "nonzero": FUNCTIONS[np.nonzero], "any": FUNCTIONS[np.any],
    "all": FUNCTIONS[np.all], "mean": FUNCTIONS[np.mean],
}.items():  # fmt: skip
    setattr(Forms, _name, _method)
