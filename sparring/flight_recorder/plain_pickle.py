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
"""How deep values may lie in one another, and for how many all mentions together may stand."""
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
        """How many values each container holds, and how deep they lie, by its identity; none is ever freed."""
        self.closed: set[int] = set()
        self.mentioned = 0
        self.at = 0
        """The byte of the pickle at which the opcode stands."""

    def step(self, name: str, arg: Any) -> None:
        """Run one opcode."""
        if name not in HANDLERS:
            raise InputError(f"opcode {name} at byte {self.at} of the pickle; right: only opcodes of plain data")
        HANDLERS[name](self, arg)

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def size(self, container: Any) -> tuple[int, int]:
        """Return how many values the container stands for, and how deep they lie."""
        return self.sizes.get(id(container), (1, 1))

    def grow(self, container: Any, items: list[Any]) -> None:
        """Count the items as values of the container."""
        if id(container) in self.closed:
            raise InputError(
                f"a value grows at byte {self.at} of the pickle after it was mentioned again; right: never"
            )
        values, depth = self.size(container)
        held = [self.size(item) for item in items if isinstance(item, CONTAINERS)]
        depth = max([depth, *(1 + deep for _, deep in held)])
        if depth > DEPTH:
            raise InputError(f"values more than {DEPTH} deep at byte {self.at} of the pickle; at most so deep is read")
        values += len(items) - len(held) + sum(count for count, _ in held)
        self.sizes[id(container)] = values, depth

    def popped(self, start: int) -> list[Any]:
        """Take the values from ``start`` on off the stack."""
        if not 0 <= start <= len(self.stack):
            raise ValueError("the stack is too short")
        items, self.stack[start:] = self.stack[start:], []
        return items

    def marked(self) -> list[Any]:
        return self.popped(self.marks.pop())

    def make_tuple(self, items: list[Any]) -> None:
        made = tuple(items)
        if made:
            self.grow(made, items)
        self.push(made)

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
        if isinstance(value, CONTAINERS):
            self.closed.add(id(value))
            self.mentioned += self.size(value)[0]
            if self.mentioned > VALUES:
                raise InputError(f"the pickle mentions more than {VALUES} values again; at most so many are read")
        self.push(value)


Handler = Callable[[Machine, Any], None]
HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda machine, _: None),
    **dict.fromkeys(
        ("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BININT",
         "BININT1", "BININT2", "LONG1", "BINFLOAT"), Machine.push),
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "MARK": lambda machine, _: machine.marks.append(len(machine.stack)),
    "TUPLE": lambda machine, _: machine.make_tuple(machine.marked()),
    "TUPLE1": lambda machine, _: machine.make_tuple(machine.popped(len(machine.stack) - 1)),
    "TUPLE2": lambda machine, _: machine.make_tuple(machine.popped(len(machine.stack) - 2)),
    "TUPLE3": lambda machine, _: machine.make_tuple(machine.popped(len(machine.stack) - 3)),
    "APPEND": lambda machine, _: machine.extend([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.marked()),
    "SETITEM": lambda machine, _: machine.update(machine.popped(len(machine.stack) - 2)),
    "SETITEMS": lambda machine, _: machine.update(machine.marked()),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT"), Machine.put),
    "MEMOIZE": lambda machine, _: machine.put(len(machine.memo)),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), Machine.get),
}  # fmt: skip
"""The opcodes that build plain data."""
