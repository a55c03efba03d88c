"""The prose and the formulas of a page, as its module has them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from sparring.present.explorer.document import Formula
from sparring.spec.core.vocabulary import LETTERS

OF_MESSAGES = ("active", "dst", "src", "chunk", "block", "carries", "below", "adds")
"""The formulas that say of a message who sends it to whom, and what is in it."""


def prose(doc: str) -> str:
    """Return a page's docstring without its examples."""
    paragraphs = doc.strip().split("\n\n")
    return "\n\n".join(p for p in paragraphs if not p.startswith(">>>"))


def helpers(module: ModuleType) -> list[str]:
    """Return the names of the functions of its own that a page's formulas use."""
    mine = inspect.getmembers(module, lambda f: inspect.isfunction(f) and f.__module__ == module.__name__)
    return sorted((n for n, _ in mine if n not in LETTERS), key=lambda n: getattr(module, n).__code__.co_firstlineno)


def own(module: ModuleType) -> list[str]:
    """Return the names of the module's functions that are called as formulas are."""
    return [name for name in LETTERS if hasattr(module, name)]


def source(module: ModuleType, name: str) -> str:
    """Return a formula's source lines, empty where the page leaves it out or holds no source."""
    try:
        return inspect.getsource(getattr(module, name)).rstrip()
    except (AttributeError, OSError, TypeError):
        return ""


def formulas(module: ModuleType) -> list[Formula]:
    """Return all formulas of a page: its helpers, and those that sparring calls; what they use of other pages first.

    A composition also calls functions that are no formulas: these are its page's own alone.
    """
    used = [] if hasattr(module, "program") else borrowed(module)
    names = dict.fromkeys([*used, *helpers(module), *own(module)])
    return [formula(module, name, text) for name in names if (text := source(module, name))]


def borrowed(module: ModuleType) -> list[str]:
    """Return the names of the helpers that it has from another page."""
    return [n for n, f in inspect.getmembers(module, inspect.isfunction) if n not in LETTERS and from_page(f, module)]


def from_page(function: Callable[..., Any], module: ModuleType) -> bool:
    """Whether a function is of another page, and not of the language that pages are written in."""
    home = function.__module__
    return home != module.__name__ and home.startswith("sparring.spec.") and not home.startswith("sparring.spec.core.")


def formula(module: ModuleType, name: str, text: str) -> Formula:
    """Return the formula of this name, whose source is ``text``."""
    letters = [*inspect.signature(getattr(module, name)).parameters]
    return Formula(name, letters, text, expression(text))


def expression(text: str) -> str:
    """Return what a function returns, where its body is a docstring at most and one return; else nothing.

    >>> expression("def dst(r, p):  return (r + 1) % p  # the next")
    '(r + 1) % p'
    """
    found = ast.parse(textwrap.dedent(text)).body[0]
    body = found.body if isinstance(found, ast.FunctionDef) else []
    rest = body[1:] if body and ast.get_docstring(found) is not None else body  # type: ignore[arg-type]  # a function
    if len(rest) == 1 and isinstance(rest[0], ast.Return) and rest[0].value is not None:
        return ast.unparse(rest[0].value)
    return ""


def of_messages(found: Sequence[Formula], first: int = 0) -> list[int]:
    """Return the numbers of those formulas that speak of messages; the numbers begin with ``first``."""
    return [first + i for i, one in enumerate(found) if one.name in OF_MESSAGES]
