"""Published statements: every module here is one source, and is found because it is here.

The first line of its docstring is what is cited; ``statements`` lists what the source says, each a
``Row``, a ``Theorem``, a ``Shown`` or an ``Unjudged`` of :mod:`sparring.literature.statements`.  The id of a source is
its module's name with ``-`` for ``_``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache

from sparring.literature.statements import Source


@cache
def sources() -> Sequence[Source]:
    """Return all sources, by name."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return [Source(x.replace("_", "-"), str(m.__doc__).partition("\n")[0], m.statements) for x, m in modules.items()]
