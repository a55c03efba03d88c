"""Finds the modules below ``impl`` that an algorithm or a selector loads, by their imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sparring import impl

NAME, ROOM = impl.__name__, Path(str(impl.__file__)).parent
SOURCES: Mapping[str, Path] = {
    ".".join([NAME, *path.relative_to(ROOM).with_suffix("").parts]): path
    for path in sorted(ROOM.rglob("*.py"))
    if path.stem != "__init__"
}
"""All modules, by name."""


@cache
def loaded(module: str) -> frozenset[str]:
    """Return a module and all modules below ``impl`` that it imports, directly or through others."""
    found, open_ = {module}, [module]
    while open_:
        new = imports(open_.pop()) - found
        found |= new
        open_ += new
    return frozenset(found)


@cache
def imports(module: str) -> frozenset[str]:
    """Return the modules below ``impl`` that ``module`` imports itself."""
    nodes = ast.walk(ast.parse(SOURCES[module].read_text(encoding="utf-8")))
    lines = [(node.module, node.names) for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    named = {name for room, names in lines for name in (room, *(f"{room}.{one.name}" for one in names))}
    return frozenset(name for name in named if name in SOURCES)
