"""Each rank's own modules: what processes do not share, ranks in one process must not share either."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Self

from sparring.proofs.world.constants import Unsupported

PLANTED: dict[str, CodeType] = {}
"""Code that modules of these names have for all ranks, instead of what is in their files: planted faults."""


@lru_cache(maxsize=1000)
def code(name: str, path: str, written: int, size: int) -> CodeType | None:  # noqa: ARG001  # a new file, new code
    """The code in a file, last written at ``written``, compiled once for all ranks of all runs."""
    return SourceFileLoader(name, path).get_code(name)


class Compiled(SourceFileLoader):
    """Loads a module; ``state`` is what the file was like when its place was found."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, path)
        stat = Path(path).stat()
        self.state = stat.st_mtime_ns, stat.st_size

    def get_code(self, fullname: str) -> CodeType | None:
        return PLANTED.get(fullname) or code(fullname, self.path, *self.state)


def written(module: ModuleType) -> bool:
    """Whether the module's file was written since the module was found."""
    loader = module.__loader__
    return not isinstance(loader, Compiled) or Compiled(loader.name, loader.path).state != loader.state


class Finder(MetaPathFinder):
    """Finds the modules below ``roots`` once for all ranks, notes their names, refuses what the simulated MPI lacks."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = roots
        self.names: set[str] = set()
        self.found: dict[str, ModuleSpec] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if below(name, ["mpi4py"]):
            raise Unsupported(name)
        if not below(name, self.roots):
            return None
        self.names.add(name)
        if name not in self.found:
            spec = PathFinder.find_spec(name, path)
            if spec is None or type(spec.loader) is not SourceFileLoader:
                return spec
            spec.loader = Compiled(name, spec.loader.path)
            self.found[name] = spec
        spec = copy(self.found[name])
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [*spec.submodule_search_locations]  # a package's path is a rank's own
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
        self.hidden = {name: sys.modules[name] for name in among(self.before, [*self.roots, "mpi4py"])}
        _swap(self.hidden, self.common, self.roots)
        sys.meta_path.insert(0, self.finder)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.meta_path.remove(self.finder)
        self._note()
        _swap({**self.common, **self._shown()}, self.hidden, self.roots)
        for name in [name for name in sys.modules.keys() - self.before if self._tainted(sys.modules[name])]:
            del sys.modules[name]

    def enter(self, rank: int) -> None:
        """Rank ``rank`` runs from now on."""
        if rank != self.now:
            self._note()
            _swap(self._shown(), self.own[rank], self.roots)
            self.now = rank

    def loaded(self) -> dict[str, ModuleType]:
        """What the running rank has imported."""
        self._note()
        return {**self._shown()}

    def adopt(self, modules: Mapping[str, ModuleType]) -> None:
        """The running rank has imported these."""
        before = {**self._shown()}
        self._shown().update(modules)
        _swap(before, self._shown(), self.roots)

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
    return bool(among([name], roots))


def among(names: Iterable[str], roots: Sequence[str]) -> list[str]:
    """Those of the modules that are one of ``roots`` or lie in one."""
    inside = tuple([f"{root}." for root in roots])
    return [name for name in names if name.startswith(inside) or name in roots]


def _swap(old: dict[str, ModuleType], new: dict[str, ModuleType], roots: Sequence[str]) -> None:
    """Take ``old`` out of ``sys.modules`` and put ``new`` in, as attributes of the roots' parents too."""
    if old.keys() != new.keys():
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
