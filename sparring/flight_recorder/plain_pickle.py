"""A reader of pickles that hold plain data: dictionaries, lists, tuples, text, bytes, numbers, booleans and None.

A pickle is a program (Python's ``pickletools`` lists its opcodes).  This reader knows the opcodes that build plain data
and refuses every other one by its name, so that no class is ever looked up and nothing is ever called.

A pickle may mention a value again.  A few bytes could so stand for billions of values, or for a list that holds
itself.  Two rules prevent this: a mention counts as many values as it stands for, and a list or a dictionary that has
been mentioned again may not grow any more.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from typing import Any

from sparring.errors import InputError

DEPTH, VALUES = 32, 2**23
"""How deep values may lie in one another, and how many there may be, mentions included."""
VALUE_OPCODES: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BININT",
         "BININT1", "BININT2", "LONG1", "BINFLOAT"), lambda arg: arg),
    "NONE": lambda _: None, "NEWTRUE": lambda _: True, "NEWFALSE": lambda _: False,
    "EMPTY_LIST": lambda _: [], "EMPTY_DICT": lambda _: {}, "EMPTY_TUPLE": lambda _: (),
}  # fmt: skip
"""The opcodes that push a value."""
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
CONTAINERS = (list, dict, tuple)


def loads(data: bytes) -> Any:
    """Return the value of a pickle; raise InputError for an opcode that builds no plain data, and for a broken pickle.

    >>> import pickle
    >>> loads(pickle.dumps({"ranks": [0, 1], "name": ("0", None)}))
    {'ranks': [0, 1], 'name': ('0', None)}
    >>> loads(pickle.dumps(print))
    Traceback (most recent call last):
    sparring.errors.InputError: opcode STACK_GLOBAL at byte 30 of the pickle; right: only opcodes of plain data
    """
    machine = Machine()
    try:
        for opcode, arg, place in pickletools.genops(data):
            machine.at = place or 0
            if opcode.name == "STOP":
                break
            machine.step(opcode.name, arg)
        [value] = machine.stack
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        told = f"broken pickle behind byte {machine.at} ({error})"
        raise InputError(f"{told}; right: one whole pickle of plain data") from None
    return value


class Machine:
    """The stack on which a pickle builds its value."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.sizes: dict[int, tuple[int, int]] = {}
        """The values and the depth of each container, by its identity; none is ever freed."""
        self.closed: set[int] = set()
        self.values = 0
        self.at = 0
        """The byte of the pickle at which the opcode stands."""

    def step(self, name: str, arg: Any) -> None:
        """Run one opcode."""
        if name in VALUE_OPCODES:
            self.push(VALUE_OPCODES[name](arg))
        elif name in TUPLES:
            self.make_tuple(len(self.stack) - TUPLES[name])
        elif handler := HANDLERS.get(name):
            handler(self, arg)
        elif name not in {"PROTO", "FRAME"}:
            raise InputError(f"opcode {name} at byte {self.at} of the pickle; right: only opcodes of plain data")

    def push(self, value: Any) -> None:
        """Push a value, old or new, and count what it stands for."""
        self.values += self.size(value)[0]
        if self.values > VALUES:
            raise InputError(f"the pickle stands for more than {VALUES} values; at most so many are read")
        self.stack.append(value)

    def size(self, value: Any) -> tuple[int, int]:
        """Return how many values this one stands for, and how deep they lie."""
        return self.sizes.get(id(value), (1, 1)) if isinstance(value, CONTAINERS) else (1, 0)

    def grow(self, container: Any, items: list[Any]) -> None:
        """Count the items as values of the container."""
        if id(container) in self.closed:
            raise InputError(
                f"a value grows at byte {self.at} of the pickle after it was mentioned again; right: before"
            )
        values, depth = self.size(container)
        found = [self.size(item) for item in items]
        depth = max([depth, *(1 + deep for _, deep in found)])
        if depth > DEPTH:
            raise InputError(f"values more than {DEPTH} deep at byte {self.at} of the pickle; at most so deep is read")
        self.sizes[id(container)] = values + sum(count for count, _ in found), depth

    def popped(self, start: int) -> list[Any]:
        """Take the values from ``start`` on off the stack."""
        if not 0 <= start <= len(self.stack):
            raise ValueError("the stack is too short")
        items, self.stack[start:] = self.stack[start:], []
        return items

    def marked(self) -> list[Any]:
        return self.popped(self.marks.pop())

    def make_tuple(self, start: int) -> None:
        items = self.popped(start)
        made = tuple(items)
        if made:
            self.grow(made, items)
        self.stack.append(made)

    def extend(self, items: list[Any]) -> None:
        """Append the items to the list on top."""
        if not isinstance(top := self.stack[-1], list):
            raise TypeError("items for what is no list")
        self.grow(top, items)
        top.extend(items)

    def update(self, items: list[Any]) -> None:
        """Put keys and values, one after the other, into the dictionary on top."""
        keys, values = items[::2], items[1::2]
        if not isinstance(top := self.stack[-1], dict) or len(keys) != len(values):
            raise TypeError("items for what is no dictionary")
        self.grow(top, values)
        for key, value in zip(keys, values):
            if not isinstance(key, (str, int)) or key in top:
                raise TypeError("a key twice, or one that is neither text nor a number")
            top[key] = value

    def put(self, number: int) -> None:
        self.memo[number] = self.stack[-1]

    def get(self, number: int) -> None:
        """Mention a value again."""
        value = self.memo[number]
        self.closed.add(id(value))
        self.push(value)


HANDLERS: Mapping[str, Callable[[Machine, Any], None]] = {
    "MARK": lambda machine, _: machine.marks.append(len(machine.stack)),
    "TUPLE": lambda machine, _: machine.make_tuple(machine.marks.pop()),
    "APPEND": lambda machine, _: machine.extend([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.marked()),
    "SETITEM": lambda machine, _: machine.update(machine.popped(len(machine.stack) - 2)),
    "SETITEMS": lambda machine, _: machine.update(machine.marked()),
    "BINPUT": Machine.put, "LONG_BINPUT": Machine.put, "MEMOIZE": lambda machine, _: machine.put(len(machine.memo)),
    "BINGET": Machine.get, "LONG_BINGET": Machine.get,
}  # fmt: skip
"""The opcodes that put values together."""
