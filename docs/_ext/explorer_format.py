"""Writes the explorer's format from its classes: what each is, and each field with what stands there in JSON."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sparring.present.explorer import document

ENTRIES = [
    document.Versioned, document.Document, document.Run, document.Stage, document.Step, document.Message,
    document.Detail, document.Cell, document.Formula, document.Finding, document.Wait, document.Topology,
    document.Route,
]  # fmt: skip


class Format(SphinxDirective):
    """``explorer-format``: a section a class."""

    def run(self) -> list[Node]:
        """Return the sections."""
        lines = [line for struct in ENTRIES for line in section(struct)]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def section(struct: type[msgspec.Struct]) -> list[str]:
    """Return what a class is and its fields, in Markdown."""
    kind = "A list, in this order." if struct.__struct_config__.array_like else "An object."
    told = [line.replace("``", "`") for line in (inspect.getdoc(struct) or "").splitlines()]
    rows = [f"| `{one.encode_name}` | {written(one.type)} | {default(one)} |" for one in fields(struct)]
    head = ["| field | JSON | if left out |", "|---|---|---|"]
    return [f"### {struct.__name__}", "", *told, "", kind, "", *head, *rows, ""]


def fields(struct: type[msgspec.Struct]) -> tuple[msgspec.inspect.Field, ...]:
    """Return the fields of a class, with their types."""
    found: Any = msgspec.inspect.type_info(struct)
    return found.fields


def written(kind: Any) -> str:
    """Return a type as it stands in JSON, in words.

    >>> written(msgspec.inspect.type_info(list[int] | None))
    'list of integers, or null'
    """
    one, _ = words(kind)
    return one


def words(kind: Any) -> tuple[str, str]:
    """Return the name of a type, and of many of it."""
    match kind:
        case msgspec.inspect.UnionType(types=types):
            first = next(one for one in types if not isinstance(one, msgspec.inspect.NoneType))
            return f"{written(first)}, or null", f"{words(first)[1]}, or null"
        case msgspec.inspect.ListType(item_type=item):
            return f"list of {words(item)[1]}", f"lists of {words(item)[1]}"
        case msgspec.inspect.DictType():
            return "object of integers by name", "objects of integers by name"
        case msgspec.inspect.StructType(cls=cls):
            return f"[{cls.__name__}](#{cls.__name__.lower()})", f"[{cls.__name__}](#{cls.__name__.lower()})"
        case msgspec.inspect.IntType(ge=0):
            return "integer from 0", "integers from 0"
    name = {"IntType": "integer", "BoolType": "boolean", "StrType": "text"}[type(kind).__name__]
    return name, f"{name}s"


def default(field: msgspec.inspect.Field) -> str:
    """Return what a field is that is left out."""
    if field.required:
        return "must be there"
    if field.default_factory is not msgspec.NODEFAULT:
        return "empty"
    return {None: "null", "": "empty"}.get(field.default, f"`{field.default}`")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_directive("explorer-format", Format)
    return {"parallel_read_safe": True}
