"""The text of a composition between two of its exchanges: what a rank does there by itself."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from sparring.spec.core.compositions import Text


class Place(NamedTuple):
    """Where a function of the page waits: in which call of it, and at which line."""

    call: FrameType
    line: int


class Span(NamedTuple):
    """Lines of a statement, the first and the last; of one with others inside its head alone."""

    first: int
    last: int


def waiting(text: Text, module: ModuleType) -> list[Place]:
    """Return where a text waits: its own place, then those of the page's generators inside that it goes through."""
    found: list[Place] = []
    inner: Any = text
    while (frame := getattr(inner, "gi_frame", None)) is not None:
        if frame.f_code.co_filename == module.__file__:
            found.append(Place(frame, frame.f_lineno))
        inner = inner.gi_yieldfrom
    return found


class Source:
    """The source of a page, empty where there is none."""

    def __init__(self, module: ModuleType) -> None:
        try:
            self.lines = inspect.getsource(module).splitlines()
        except (OSError, TypeError):
            self.lines = []

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        return [node for node in ast.walk(ast.parse("\n".join(self.lines))) if isinstance(node, ast.FunctionDef)]

    def statement(self, place: Place) -> str:
        """Return the statement at which a function waits."""
        return self.text(self.span(place)) if self.lines else ""

    def between(self, before: Sequence[Place], now: Sequence[Place]) -> str:
        """Return what is done from one place to the next; before the first there is none, and none after the last."""
        return "\n".join(filter(None, self.parts(before, now))) if self.lines else ""

    def parts(self, before: Sequence[Place], now: Sequence[Place]) -> Iterator[str]:
        same = len([*takewhile(lambda both: both[0].call is both[1].call, zip(before, now))])
        for place in reversed(before[same:]):
            yield self.text(Span(self.span(place).last + 1, self.function(place).end_lineno or 0))
        if same:
            yield self.step(before[same - 1], now[same - 1], ends=same == len(now))
        for i, place in enumerate(now[same:], same):
            span, first = self.span(place), body(self.function(place))[0].lineno
            yield self.text(Span(first, span.last if i < len(now) - 1 else span.first - 1))

    def step(self, before: Place, now: Place, *, ends: bool) -> str:
        """Return what one call does between two of its places; a statement at which it still is, is no news."""
        old, new = self.span(before), self.span(now)
        if old.first < new.first:
            return self.text(Span(old.last + 1, new.first - 1 if ends else new.last))
        return self.text(self.loop(now)) if ends else ""

    def function(self, place: Place) -> ast.FunctionDef:
        inside = [one for one in self.functions if one.lineno <= place.line <= (one.end_lineno or 0)]
        return max(inside, key=lambda one: one.lineno)

    def span(self, place: Place) -> Span:
        """Return the lines of the innermost statement at a place, with the heads of those that begin with it."""
        heads = sorted(map(head, self.statements(place, ast.stmt)))
        first, last = heads.pop()
        while heads and heads[-1].last == first - 1:
            first = heads.pop().first
        return Span(first, last)

    def program(self) -> str:
        """Return the body of the page's program, which has no exchanges then."""
        program = next((one for one in self.functions if one.name == "program"), None) if self.lines else None
        return self.text(Span(body(program)[0].lineno, program.end_lineno or 0)) if program else ""

    def loop(self, place: Place) -> Span:
        """Return the innermost loop around a place, whole."""
        around = [Span(one.lineno, one.end_lineno or 0) for one in self.statements(place, ast.For | ast.While)]
        return max(around, default=Span(1, 0))

    def statements(self, place: Place, kind: Any) -> list[Any]:
        found: list[Any] = [one for one in ast.walk(self.function(place)) if isinstance(one, kind)]
        return [one for one in found if one.lineno <= place.line <= one.end_lineno]

    def text(self, span: Span) -> str:
        lines = self.lines[span.first - 1 : span.last]
        return textwrap.dedent("\n".join(lines)).strip("\n")


def body(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return a function's body below its docstring."""
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def head(statement: ast.stmt) -> Span:
    """Return the lines of a statement, of one that has others inside those above them."""
    inside = getattr(statement, "body", None)
    last = inside[0].lineno - 1 if inside else statement.end_lineno or 0
    return Span(statement.lineno, max(statement.lineno, last))
