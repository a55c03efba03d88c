"""Published statements: every module here is one source, and is found because it is here.

The first line of its docstring is what is cited; ``statements`` lists what the source says, each a
``Row``, a ``Theorem``, a ``Shown`` or an ``Unjudged`` of :mod:`sparring.literature.statements`.  Where it has
``notation``, that maps an algorithm's name to what the source calls the letters of its page, each a ``Letter`` of
:mod:`sparring.costs.published.notation`.  The id of a source is its module's name with ``-`` for ``_``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from types import ModuleType

from sparring.literature.statements import Source


@cache
def sources() -> Sequence[Source]:
    """Return all sources, by name."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return [source(name, module) for name, module in modules.items()]


def source(name: str, module: ModuleType) -> Source:
    """Return the source that a module is."""
    cited = str(module.__doc__).partition("\n")[0]
    return Source(name.replace("_", "-"), cited, module.statements, getattr(module, "notation", {}))
