"""Each rank's own modules: what processes do not share, ranks in one process must not share either."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Self

from sparring.proofs.world.constants import Unsupported


class Compiled(SourceFileLoader):
    """Loads a module whose code is compiled once for all ranks."""

    def __init__(self, name: str, path: str, codes: dict[str, CodeType | None]) -> None:
        super().__init__(name, path)
        self.codes = codes

    def get_code(self, fullname: str) -> CodeType | None:
        if fullname not in self.codes:
            self.codes[fullname] = super().get_code(fullname)
        return self.codes[fullname]


PLANTED: dict[str, CodeType | None] = {}
"""Code that modules of these names have for all ranks, instead of what is in their files: planted faults."""


class Finder(MetaPathFinder):
    """Finds the modules below ``roots``, notes their names, and refuses what the simulated mpi4py lacks."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = roots
        self.names: set[str] = set()
        self.codes = dict(PLANTED)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if below(name, ["mpi4py"]):
            raise Unsupported(name)
        if not below(name, self.roots):
            return None
        self.names.add(name)
        spec = PathFinder.find_spec(name, path)
        if spec and type(spec.loader) is SourceFileLoader:
            spec.loader = Compiled(name, spec.loader.path, self.codes)
        return spec


class Modules:
    """While entered, ``sys.modules`` holds, below ``roots``, the modules of the rank that runs.

    ``common`` modules, the simulated mpi4py, hide the real ones for all ranks.  Afterwards the
    host's modules are what they were.
    """

    def __init__(self, p: int, roots: Sequence[str], common: dict[str, ModuleType]) -> None:
        self.roots, self.common = roots, common
        self.finder = Finder(roots)
        self.own: list[dict[str, ModuleType]] = [{} for _ in range(p)]
        self.now: int | None = None

    def __enter__(self) -> Self:
        self.before = set(sys.modules)
        self.hidden = {name: m for name, m in sys.modules.items() if below(name, [*self.roots, "mpi4py"])}
        _swap(self.hidden, self.common, self.roots)
        sys.meta_path.insert(0, self.finder)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.meta_path.remove(self.finder)
        self._note()
        _swap({**self.common, **self._shown()}, self.hidden, self.roots)
        for name in [name for name in sys.modules if name not in self.before and self._tainted(sys.modules[name])]:
            del sys.modules[name]

    def enter(self, rank: int) -> None:
        """Rank ``rank`` runs from now on."""
        if rank != self.now:
            self._note()
            _swap(self._shown(), self.own[rank], self.roots)
            self.now = rank

    def _shown(self) -> dict[str, ModuleType]:
        return {} if self.now is None else self.own[self.now]

    def _note(self) -> None:
        """What the running rank has imported since is its own."""
        for name in (*self.finder.names, *self.roots):
            if name in sys.modules:
                self._shown()[name] = sys.modules[name]
        self.finder.names.clear()

    def _tainted(self, module: ModuleType) -> bool:
        """Whether a shared module, imported meanwhile, took something of the simulated mpi4py."""
        values = list(getattr(module, "__dict__", {}).values())
        return any(value is common for value in values for common in self.common.values())


def below(name: str, roots: Sequence[str]) -> bool:
    """Whether the module ``name`` is one of ``roots`` or lies in one."""
    return any(name == root or name.startswith(root + ".") for root in roots)


def _swap(old: dict[str, ModuleType], new: dict[str, ModuleType], roots: Sequence[str]) -> None:
    """Take ``old`` out of ``sys.modules`` and put ``new`` in, as attributes of the roots' parents too."""
    for name in old:
        sys.modules.pop(name, None)
    sys.modules.update(new)
    for root in roots:
        parent, _, attribute = root.rpartition(".")
        if parent in sys.modules:
            names = vars(sys.modules[parent])
            names.pop(attribute, None)
            if root in new:
                names[attribute] = new[root]
