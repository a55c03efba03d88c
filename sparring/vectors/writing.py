"""JSON that reads well and whose changes show line by line."""

from __future__ import annotations

import json
from typing import Any

WIDTH = 120


def text(x: Any) -> str:
    """Return data as text, the same on every machine, ending with a newline."""
    return f"{lines(x, 0)}\n"


def lines(x: Any, depth: int) -> str:
    """Return JSON on one line if it fits or nests no list or object; else an item a line, indented by ``depth`` more.

    >>> print(lines({"a": [1, 2], "b": {"c": "x" * 100}}, 1))
    {
      "a": [1, 2],
      "b": {"c": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
     }
    """
    whole = json.dumps(x, ensure_ascii=False, allow_nan=False)
    inner = list(x.values()) if isinstance(x, dict) else x
    if len(whole) + depth <= WIDTH or not isinstance(x, (dict, list)) or not nested(inner):
        return whole
    if isinstance(x, dict):
        items, (start, end) = [f"{json.dumps(key)}: {lines(value, depth + 1)}" for key, value in x.items()], "{}"
    else:
        items, (start, end) = [lines(value, depth + 1) for value in x], "[]"
    indented = ",\n".join(" " * (depth + 1) + item for item in items)
    return f"{start}\n{indented}\n{' ' * depth}{end}"


def nested(items: list[Any]) -> bool:
    """Return whether there are lists or objects among the items."""
    return any(isinstance(item, (dict, list)) for item in items)
