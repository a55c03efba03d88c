"""Each rank's own modules: what processes do not share, ranks in one process must not share either."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
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
    """Finds the modules below ``roots`` once for all ranks, notes their names, refuses what the simulated MPI lacks.

    With ``all_users`` a module that a user wrote becomes a root when it is first imported.
    """

    def __init__(self, roots: list[str], *, all_users: bool) -> None:
        self.roots, self.all_users = roots, all_users
        self.names: set[str] = set()
        self.found: dict[str, ModuleSpec] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if below(name, ["mpi4py"]):
            raise Unsupported(name)
        if not below(name, self.roots):
            if not (self.all_users and "." not in name and users(PathFinder.find_spec(name))):
                return None
            self.roots.append(name)
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

    ``common`` modules, the simulated mpi4py, hide the real ones for all ranks.  ``all_users``: all modules that
    users wrote are roots, too.  Afterwards the host's modules, and where it looks for them, are what they were.
    """

    def __init__(self, p: int, roots: Sequence[str], common: dict[str, ModuleType], *, all_users: bool = False) -> None:
        self.roots, self.common = [*roots], common
        self.finder = Finder(self.roots, all_users=all_users)
        self.own: list[dict[str, ModuleType]] = [{} for _ in range(p)]
        self.now: int | None = None

    def __enter__(self) -> Self:
        self.before, self.path = set(sys.modules), [*sys.path]
        if self.finder.all_users:
            tops = [name for name in sys.modules if "." not in name and name not in self.roots]
            self.roots += [name for name in tops if users(getattr(sys.modules[name], "__spec__", None))]
        self.hidden = {name: sys.modules[name] for name in among(self.before, [*self.roots, "mpi4py"])}
        _swap(self.hidden, self.common, self.roots)
        sys.meta_path.insert(0, self.finder)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.path[:] = self.path
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


def users(spec: ModuleSpec | None) -> bool:
    """Whether this is a module that a user wrote, in Python: not the library's, and of no distribution."""
    if spec is None or spec.name in (*sys.stdlib_module_names, "sparring", "__main__"):
        return False
    return written_by_users(spec.origin or "", tuple(spec.submodule_search_locations or ()))


@lru_cache(maxsize=10_000)
def written_by_users(origin: str, folders: tuple[str, ...]) -> bool:
    """Whether a file, or a package in these folders, lies elsewhere than what is installed."""
    places = [origin] if origin.endswith(".py") else folders if not origin else ()
    return bool(places) and not any(place.startswith(INSTALLED) for place in places)


LIBRARY = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
INSTALLED = tuple({f"{place}{os.sep}" for place in (*LIBRARY, *site.getsitepackages(), site.getusersitepackages())})
"""Where the library and distributions are."""


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
