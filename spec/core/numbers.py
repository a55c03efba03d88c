"""Integers that may be symbols, and truths about them.

A page's formulas are plain arithmetic.  Run on ``int`` they give numbers; run on :class:`Sym`
they give a term, which a :class:`Reader` turns into whatever a solver wants.  One term class
serves every reader: sympy's ``==`` is structural and z3's ``%`` cannot be intercepted, so
neither can stand in a page itself.

>>> p, r = Sym.var("p"), Sym.var("r")
>>> (r + 1) % p
((r + 1) % p)
>>> evaluate((r + 1) % p, p=4, r=3)
0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar


class Node:
    """A term: an operator and its operands.  Terms are compared by identity; ``==`` builds a term."""

    __slots__ = ("_names", "args", "op")

    def __init__(self, op: str, *args: Any) -> None:
        self.op, self.args = op, args
        self._names: frozenset[str] | None = None

    def __hash__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} is a symbol, not a number, and no dict, set or cache looks it up: "
            "write where(p == 3, a, b) instead of {3: a}.get(p, b), either(p == 2, p == 4) instead of p in {2, 4}"
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} is a symbol and has no truth value: "
            "write where(c, a, b), both(a, b), either(a, b) instead of if, and, or, min, max, chained < or assert"
        )

    def __index__(self) -> NoReturn:
        raise TypeError(f"{self!r} is a symbol, not a number: range, indexing and 2**t are not formulas")

    @property
    def names(self) -> frozenset[str]:
        """Of its variables; looked for once, since solvers and samples ask again and again."""
        if self._names is None:
            parts = (a.names for a in self.args if isinstance(a, Node))
            self._names = frozenset([self.args[0]]) if self.op == "var" else frozenset().union(*parts)
        return self._names

    def __repr__(self) -> str:
        if self.op == "var":
            return str(self.args[0])
        if len(self.args) == 2 and not self.op[0].isalpha():
            return f"({self.args[0]!r} {self.op} {self.args[1]!r})"
        return f"{self.op}({', '.join(map(repr, self.args))})"


class Sym(Node):
    """An integer term."""

    __slots__ = ()

    @staticmethod
    def var(name: str) -> Sym:
        """The variable called ``name``."""
        return Sym("var", name)

    def __add__(self, o: Int) -> Sym: return Sym("+", self, o)
    def __radd__(self, o: int) -> Sym: return Sym("+", o, self)
    def __sub__(self, o: Int) -> Sym: return Sym("-", self, o)
    def __rsub__(self, o: int) -> Sym: return Sym("-", o, self)
    def __mul__(self, o: Int) -> Sym: return Sym("*", self, o)
    def __rmul__(self, o: int) -> Sym: return Sym("*", o, self)
    def __neg__(self) -> Sym: return Sym("-", 0, self)
    def __mod__(self, o: Int) -> Sym: return Sym("%", self, o)
    def __rmod__(self, o: int) -> Sym: return Sym("%", o, self)
    def __floordiv__(self, o: Int) -> Sym: return Sym("//", self, o)
    def __rfloordiv__(self, o: int) -> Sym: return Sym("//", o, self)
    def __xor__(self, o: Int) -> Sym: return Sym("^", self, o)
    def __rxor__(self, o: int) -> Sym: return Sym("^", o, self)
    def __lshift__(self, o: Int) -> Sym: return Sym("<<", self, o)
    def __rlshift__(self, o: int) -> Sym: return Sym("<<", o, self)
    def __rshift__(self, o: Int) -> Sym: return Sym(">>", self, o)
    def __rrshift__(self, o: int) -> Sym: return Sym(">>", o, self)
    def __lt__(self, o: Int) -> Truth: return Truth("<", self, o)
    def __le__(self, o: Int) -> Truth: return Truth("<=", self, o)
    def __gt__(self, o: Int) -> Truth: return Truth("<", o, self)
    def __ge__(self, o: Int) -> Truth: return Truth("<=", o, self)
    def __eq__(self, o: Int) -> Truth: return Truth("==", self, o)  # type: ignore[override]  # builds a term
    def __ne__(self, o: Int) -> Truth: return Truth("not", Truth("==", self, o))  # type: ignore[override]  # likewise
    __hash__ = Node.__hash__

    def bit_length(self) -> Sym:
        """As an int's: of a positive number, one more than the whole part of its binary logarithm."""
        return Sym("bit_length", self)


class Truth(Node):
    """A term that is true or false."""

    __slots__ = ()
    __hash__ = Node.__hash__

    def __eq__(self, o: object) -> NoReturn:
        raise TypeError(
            f"{self!r} is a symbol, and == {o!r} asks which truth it is: write where(c, a, b) or negate(c) instead"
        )


Int: TypeAlias = int | Sym
Bool: TypeAlias = bool | Truth
Either = TypeVar("Either", Bool, Int, str)


def where(c: Bool, a: Either, b: Either) -> Either:
    """``a`` where ``c`` holds, else ``b``.

    >>> where(2 < 1, 5, 7)
    7
    >>> where(1 < 2, "pairs", "values")
    'pairs'
    >>> where(Sym.var("r") < 1, 5, 7)
    where((r < 1), 5, 7)
    """
    if isinstance(c, bool):
        return a if c else b
    if isinstance(c, Truth):
        term = Truth if isinstance(a, (bool, Truth)) else Sym
        return term("where", c, a, b)  # type: ignore[return-value]  # the class that a's type names
    if hasattr(c, "chooses"):  # of a vector, or of a point of one, which choose entry by entry
        return c.chooses(a, b)
    return a if bool(c) else b  # a truth of numpy's, as its numbers tell


def both(a: Bool, b: Bool) -> Bool:
    """Logical and.

    >>> both(True, Sym.var("r") < 1)
    (r < 1)
    """
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    return Truth("and", a, b)


def either(a: Bool, b: Bool) -> Bool:
    """Logical or.

    >>> either(1 < 2, Sym.var("r") < 1)
    True
    """
    if isinstance(a, bool):
        return True if a else b
    if isinstance(b, bool):
        return True if b else a
    return Truth("or", a, b)


def negate(a: Bool) -> Bool:
    """Logical not.

    >>> negate(1 < 2)
    False
    """
    return not a if isinstance(a, bool) else Truth("not", a)


def reverse(x: Int, bits: Int) -> Int:
    """The lowest ``bits`` bits of ``x``, in reverse order.

    >>> reverse(6, 3), reverse(6, 4), reverse(Sym.var("r"), 3)
    (3, 6, reverse(r, 3))
    """
    if isinstance(x, int) and isinstance(bits, int):
        return backwards(x, bits)
    return Sym("reverse", x, bits)


def backwards(x: int, bits: int) -> int:
    """The same of numbers."""
    return sum((x >> i & 1) << (bits - 1 - i) for i in range(bits))


Value = TypeVar("Value")


class Reader(Generic[Value]):
    """Reads a term bottom-up, each shared node once.

    A subclass says what a constant, a variable and an operator become.  Nodes are kept alive
    while their reading is remembered, since the memory is by identity.
    """

    def __init__(self) -> None:
        self._read: dict[int, tuple[Node, Value]] = {}

    def __call__(self, x: Int | Bool) -> Value:
        if not isinstance(x, Node):
            return self.constant(x)
        if id(x) not in self._read:
            self.read(x)
        return self._read[id(x)][1]

    def read(self, x: Node) -> None:
        """Read a node after its operands, in a loop: formulas that call one another make terms of any depth."""
        waiting = [x]
        while waiting:
            node = waiting[-1]
            operands = () if node.op == "var" else node.args
            if unread := [a for a in operands if isinstance(a, Node) and id(a) not in self._read]:
                waiting += reversed(unread)
                continue
            waiting.pop()
            if id(node) not in self._read:  # a shared node waits more than once
                self._read[id(node)] = node, self.fresh(node)

    def fresh(self, x: Node) -> Value:
        """Read a node whose operands are read."""
        return self.variable(x.args[0]) if x.op == "var" else self.operator(x, [self(a) for a in x.args])

    def constant(self, x: int | bool) -> Value:
        raise NotImplementedError

    def variable(self, name: str) -> Value:
        raise NotImplementedError

    def operator(self, x: Node, args: list[Value]) -> Value:
        raise NotImplementedError


MEANING: dict[str, Callable[..., int | bool]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "//": lambda a, b: a // b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "bit_length": lambda a: a.bit_length(),
    "reverse": backwards,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "not": lambda a: not a,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "where": lambda c, a, b: a if c else b,
}


class Evaluator(Reader[int | bool]):
    """Reads a term as the number or truth that it has under given values."""

    def __init__(self, values: dict[str, int]) -> None:
        super().__init__()
        self.values = values

    def __call__(self, x: Int | Bool) -> int | bool:
        """As any reader's, in half the time: most of what is proved is evaluated at many points first."""
        if not isinstance(x, Node):
            return x
        if (known := self._read.get(id(x))) is not None:
            return known[1]
        value = self.values[x.args[0]] if x.op == "var" else MEANING[x.op](*map(self, x.args))
        self._read[id(x)] = x, value
        return value


def evaluate(x: Int | Bool, /, **values: int) -> int | bool:
    """What ``x`` is when its variables have these values; raises KeyError for one that has none."""
    return Evaluator(values)(x)


def variables(x: Int | Bool) -> frozenset[str]:
    """The names of the variables in ``x``.

    >>> sorted(variables((Sym.var("r") + 1) % Sym.var("p")))
    ['p', 'r']
    """
    return x.names if isinstance(x, Node) else frozenset()
