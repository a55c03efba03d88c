"""The text of a function: where it is written, and whether a part of it is pure."""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType
from typing import Any
from weakref import finalize

from sparring.errors import InputError
from sparring.spec.core.numbers import Sym, Truth
from sparring.spec.core.origins import TELLING

MAKING = {"__init__", "__post_init__", "__new__"}
"""Functions that may give an object its attributes."""
SEEDED = {"default_rng", "Generator", "SeedSequence", "PCG64", "Philox"}
"""What a code may draw with, if it says from which seed."""
SETTING = {"setflags", "seterr", "seterrcall", "setbufsize", "set_printoptions"}
"""Functions of numpy that later calls see."""
READING = {"get", "items", "keys", "values", "index", "count"}
"""Methods of lists, dicts and sets that leave them as they are."""
TREES: dict[int, ast.Module] = {}
"""Trees of code that was compiled from a tree and not from a file, by identity: equal code may outlive it."""
OF_SYMBOLS = {name for kind in (Sym, Truth) for name in dir(kind) if not name.startswith("__")} - {*dir(int)}
"""Attributes of symbols that no number has: a formula that reads one is read, and has no value."""
KEPT = "a code keeps nothing from call to call, and draws from a seed that it is given"
ONE = "asks whether two objects are one"
ARGUMENTS = "a page's functions may read their arguments and what never changes"


class Text:
    """The text of one function."""

    def __init__(self, file: str, code: CodeType, name: str) -> None:
        self.file, self.code, self.name = file, code, name

    @cached_property
    def node(self) -> ast.AST:
        """The function's part of its tree; a lambda's is found by its line, and of several there by its columns."""
        found = [node for node in ast.walk(TREES.get(id(self.code)) or tree(self.file)) if self.begins(node)]
        if len(found) > 1:
            found = [node for node in found if isinstance(node, ast.Lambda) and holds_all(node.body, self.code)]
        if not found:
            raise InputError(f"{self.place(self.code.co_firstlineno)}: its text is not in this file")
        return found[-1]  # the innermost, as a walk comes to it last

    def begins(self, node: ast.AST) -> bool:
        """Whether a function that has this one's name begins at its line."""
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
        lines = {node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))}
        return self.code.co_firstlineno in lines and getattr(node, "name", "<lambda>") == self.code.co_name

    def nodes(self, kind: Any) -> Iterator[Any]:
        """All nodes of a kind in it."""
        return (node for node in ast.walk(self.node) if isinstance(node, kind))

    def place(self, line: int) -> str:
        """A line of it, as errors name it."""
        return f"{Path(self.file).name}:{line}: {self.name}"

    def line(self, name: str) -> int:
        """The first line that reads that name, which may have dots."""
        return min((node.lineno for node in self.named(name)), default=self.code.co_firstlineno)

    def changes(self, name: str) -> int:
        """The first line that does more with the value of that name than read a part of it; 0 where none does."""
        read = {id(part) for node in ast.walk(self.node) for part in reading(node)}
        return min((node.lineno for node in self.named(name) if id(node) not in read), default=0)

    def aliases(self, name: str) -> bool:
        """Whether it does more with the value of that name than ask for an attribute."""
        asked = {id(node.value) for node in self.nodes(ast.Attribute)}
        return any(id(node) not in asked for node in self.named(name))

    def named(self, name: str) -> Iterator[Any]:
        """All nodes that are that name, which may have dots."""
        return (node for node in self.nodes((ast.Name, ast.Attribute)) if dotted(node) == name)

    def asked_for(self) -> Iterator[ast.Name]:
        """The names of constants that it asks whether an object is."""
        for node in self.nodes(ast.Compare):
            for sides in identified(node):
                yield from (one for one in sides if isinstance(one, ast.Name) and one.id.isupper())

    def binds(self, name: str) -> bool:
        """Whether it gives that name a value itself."""
        kinds = {node.arg for node in self.nodes(ast.arg)}
        return name in kinds or any(node.id == name for node in self.nodes(ast.Name) if isinstance(node.ctx, ast.Store))

    def check(self, found: Callable[[ast.AST, str], str] | None = None, rule: str = "") -> None:
        """Raise InputError for the first part in which something is ``found``, by default whatever is not pure."""
        told = {id(part) for node in self.nodes(ast.Raise) for part in ast.walk(node)}
        told |= {id(node.value) for node in self.nodes(ast.Expr) if isinstance(node.value, ast.Constant)}  # docstrings
        for node in ast.walk(self.node):
            if (why := (found or impure)(node, self.code.co_name)) and id(node) not in told:
                line = getattr(node, "lineno", self.code.co_firstlineno)
                raise InputError(f"{self.place(line)} {why}; {rule or ARGUMENTS}")


def holds_all(part: ast.expr, code: CodeType) -> bool:
    """Return whether all that a function does is written in a part of a text."""
    begins, ends = (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
    written = [one for one in code.co_positions() if None not in one and one[3]]  # its beginning has no columns
    return bool(written) and all(begins <= (line, at) and (last, to) <= ends for line, last, at, to in written)


def dotted(node: ast.AST) -> str:
    """Return a name, or an attribute of one, as it is written; "" for any other part."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr) if name := dotted(value):
            return f"{name}.{attr}"
    return ""


def reading(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of a node that are only read there, item by item."""
    match node:
        case ast.Subscript(value=part, ctx=ast.Load()):
            return [part]
        case ast.For(iter=part) | ast.comprehension(iter=part):
            return [part]
        case ast.Compare(comparators=parts, ops=ops) if all(isinstance(op, ast.In | ast.NotIn) for op in ops):
            return parts
        case ast.Call(func=ast.Attribute(value=part, attr=attr)) if attr in READING:
            return [part]
        case ast.Call(func=ast.Name(id="len"), args=parts):
            return parts
    return []


def impure(node: ast.AST, function: str) -> str:
    """Return what is not pure in a part of a text; "" where nothing is."""
    match node:
        case ast.Import() | ast.ImportFrom():
            return "imports a module when it is called"
        case ast.Global() | ast.Nonlocal():
            return f"binds {node.names[0]} anew for later calls"
        case ast.Attribute(ctx=ast.Store() | ast.Del()) if function not in MAKING:
            return f"sets the attribute {node.attr}, which later calls may read"
        case ast.Attribute(attr=attr) if attr in TELLING or (attr.startswith("__") and attr not in MAKING):
            return f"asks for {attr}"
        case ast.Attribute(attr=attr) if attr in OF_SYMBOLS:
            return f"asks for {attr}, which symbols have and numbers do not"
        case ast.Try() | ast.TryStar():
            return "catches errors, which symbols raise where numbers do not"
        case ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Await():
            return "enters a context"
        case ast.MatchClass() | ast.MatchSequence() | ast.MatchMapping():
            return "asks for the class of an object"
    return apart(node)


def apart(node: ast.AST) -> str:
    """Return what a part of a text does that tells symbols from numbers by how they look or which they are; else ""."""
    match node:
        case ast.Constant(value=str() | bytes() as said) if percents(said):
            return "makes a text of what it is given"
        case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str() | bytes()), op=ast.Mod()):
            return "makes a text of what it is given"
        case ast.MatchSingleton(value=bool()):
            return ONE
        case ast.Compare() if not all(any(map(fixed, sides)) for sides in identified(node)):
            return ONE
    return ""


def percents(said: str | bytes) -> bool:
    """Return whether ``said % p`` may be a text of ``p``."""
    return "%" in said if isinstance(said, str) else b"%" in said


def identified(node: ast.Compare) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the two sides of each question in a comparison whether two objects are one."""
    for op, *sides in zip(node.ops, [node.left, *node.comparators], node.comparators):
        if isinstance(op, ast.Is | ast.IsNot):
            yield sides[0], sides[1]


def fixed(node: ast.AST) -> bool:
    """Return whether a part is None, or a constant by its name, whose value is for others to ask."""
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Name) and node.id.isupper())


def keeping(node: ast.AST, function: str) -> str:
    """Return what a part of a code's text keeps for later calls, or draws from no seed; "" where it does neither."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Attribute(attr="__setattr__" | "__dict__"):
            return f"sets the attribute {node.attr}, which later calls may read"
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in SETTING:
            return f"asks {name}, which later calls see"
        case ast.Attribute(value=ast.Attribute(attr="random"), attr=attr) if attr not in SEEDED:
            return f"draws with {attr} from no seed of its own"
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in SEEDED:
            given = [*node.args, *(one.value for one in node.keywords)]
            seeded = any(not (isinstance(one, ast.Constant) and one.value is None) for one in given)
            return "" if seeded else "draws from no seed"
        case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
            return impure(node, function)
    return ""


def globals_of(code: CodeType) -> set[str]:
    """Return the names that a function, or one inside of it, reads from its module."""
    read = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return read.union(*(globals_of(one) for one in code.co_consts if isinstance(one, CodeType)))


def compiled_from(tree: ast.Module, code: CodeType) -> None:
    """Remember the tree that a module's code was compiled from, for each function in it."""
    TREES[id(code)] = tree
    finalize(code, TREES.pop, id(code)).atexit = False
    for one in code.co_consts:
        if isinstance(one, CodeType):
            compiled_from(tree, one)


def tree(file: str) -> ast.Module:
    """Return the tree of a file, which is read once unless it is written again."""
    try:
        stat = Path(file).stat()
        return parsed(file, stat.st_mtime_ns, stat.st_size)
    except (OSError, SyntaxError, ValueError) as fault:
        raise InputError(f"{file}: the text of a page's function cannot be read: {fault}") from fault


@lru_cache(maxsize=500)
def parsed(file: str, written: int, size: int) -> ast.Module:  # a new file, a new tree
    """Return the tree of a file that was last written then."""
    return ast.parse(Path(file).read_text(encoding="utf-8"))
