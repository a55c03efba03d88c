"""Each rank's own modules: what processes do not share, ranks in one process must not share either."""

from __future__ import annotations

import importlib
import os
import site
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Self

from sparring.world.core.constants import Unsupported

PLANTED: dict[str, CodeType] = {}
"""Code that modules of these names have for all ranks, instead of what is in their files: planted faults."""


EXTENSIONS: dict[str, ModuleType] = {}
"""Compiled modules in ranks' packages: they cannot be loaded twice in one process, so all ranks have the same."""
MOST = 40
"""So many files a distribution's package may have, so that each rank loads its own."""
COMMON = ("sparring", "numpy", "mpi4py", "pytest", "__main__")
"""Modules that nobody copies, beside the standard library.  Of pytest test files take nothing that has state."""


@lru_cache(maxsize=1000)
def code(name: str, path: str, written: int, size: int) -> CodeType | None:  # noqa: ARG001  # a new file, new code
    """Return the code in a file, last written at ``written``, compiled once for all ranks of all runs."""
    return SourceFileLoader(name, path).get_code(name)


@lru_cache(maxsize=1000)
def mentioned(text: CodeType) -> frozenset[str]:
    """Return all names in the code, so those of the modules that it imports."""
    inside = [mentioned(part) for part in text.co_consts if isinstance(part, CodeType)]
    return frozenset(text.co_names).union(*inside)


def nothing(text: CodeType) -> None:
    """Look at no code before it runs."""


class Compiled(SourceFileLoader):
    """A loader of one module; ``state`` is what the file was like when its place was found.  ``meet`` gets its code."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, path)
        stat = Path(path).stat()
        self.state = stat.st_mtime_ns, stat.st_size
        self.meet: Callable[[CodeType], None] = nothing

    def get_code(self, fullname: str) -> CodeType | None:
        found = PLANTED.get(fullname) or code(fullname, self.path, *self.state)
        if found:
            self.meet(found)
        return found


class Once(Loader):
    """A loader that loads a compiled module for the first rank that imports it; all others get the same."""

    def __init__(self, loader: ExtensionFileLoader) -> None:
        self.loader, self.new = loader, False

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self.new = spec.name not in EXTENSIONS
        return self.loader.create_module(spec) if self.new else EXTENSIONS[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        if self.new:
            self.loader.exec_module(module)
            EXTENSIONS[module.__name__] = module


def written(module: ModuleType) -> bool:
    """Return whether the module's file was written since the module was found."""
    loader = module.__loader__
    return not isinstance(loader, Compiled) or Compiled(loader.name, loader.path).state != loader.state


class Finder(MetaPathFinder):
    """A finder of the modules below ``roots``: once for all ranks; it refuses what the simulated MPI lacks.

    ``meet`` gets their code.  With ``all_users`` a module that a user wrote becomes a root when it is first imported,
    and so does a :func:`small` one of a distribution, if a rank's own code imports it.
    """

    def __init__(self, roots: list[str], meet: Callable[[CodeType], None], *, all_users: bool) -> None:
        self.roots, self.meet, self.all_users = roots, meet, all_users
        self.names: set[str] = set()
        self.found: dict[str, ModuleSpec] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if below(name, ["mpi4py"]):
            raise Unsupported(name)
        if not below(name, self.roots):
            if not self.all_users or "." in name:
                return None
            spec = PathFinder.find_spec(name)
            if not (users(spec) or (small(spec) and self.asked())):
                return None
            self.roots.append(name)
        self.names.add(name)
        if name not in self.found:
            spec = PathFinder.find_spec(name, path)
            if spec is not None and isinstance(spec.loader, ExtensionFileLoader):
                spec.loader = Once(spec.loader)
                return spec
            if spec is None or type(spec.loader) is not SourceFileLoader:
                return spec
            spec.loader = Compiled(name, spec.loader.path)
            spec.loader.meet = self.meet
            self.found[name] = spec
        spec = copy(self.found[name])
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [*spec.submodule_search_locations]  # a package's path is a rank's own
        return spec

    def asked(self) -> bool:
        """Return whether a rank's own code imports, and no library that all ranks have in common."""
        frame: FrameType | None = sys._getframe(2)
        while frame and frame.f_code.co_filename.startswith(("<frozen importlib", importlib.__file__)):
            frame = frame.f_back
        name = frame.f_globals.get("__name__", "") if frame else ""
        ours = below(name, self.roots)
        return ours or not (name.startswith("sparring") or (frame and frame.f_code.co_filename.startswith(INSTALLED)))


class Loaded:
    """The names of all modules that this process has or had, by their first parts.

    Kept from run to run: there are thousands where tests run, and few that a run has not seen.
    """

    def __init__(self) -> None:
        self.seen = set[str]()
        self.inside: dict[str, list[str]] = {}
        self.others: list[str] = []  # tops that may be a user's
        self.hidden: dict[str, ModuleType] = {}  # by the last run

    def update(self) -> None:
        """Note what was loaded since."""
        for name in [] if self.seen.issuperset(sys.modules) else [*sys.modules.keys() - self.seen]:
            top = name.partition(".")[0]
            self.seen.add(name)
            self.inside.setdefault(top, []).append(name)
            if name == top and not pythons(name):
                self.others.append(name)

    def among(self, roots: Sequence[str]) -> list[str]:
        """Return those that are there now, and are one of ``roots`` or lie in one."""
        found = [name for root in roots for name in below_top(root, self.inside.get(root.partition(".")[0], []))]
        return [name for name in found if name in sys.modules]

    def keep_compiled(self, hidden: dict[str, ModuleType]) -> None:
        """Keep the compiled ones of those that a run hides; mostly the same as in the run before."""
        if hidden != self.hidden:
            self.hidden = {**hidden}
            EXTENSIONS.update({name: module for name, module in hidden.items() if compiled(module)})


def below_top(root: str, names: list[str]) -> list[str]:
    """Return those of ``names``, which have the first part of ``root``, that are ``root`` or lie in it."""
    return among(names, [root]) if "." in root else names


LOADED = Loaded()


class Modules:
    """The modules of the rank that runs, below ``roots``, in ``sys.modules`` while this is entered.

    ``common`` modules, the simulated mpi4py, hide the real ones for all ranks.  With ``look``, all modules that users
    wrote are roots, too, and those of distributions that are :func:`small`, where a rank's code names them; ``look``
    gets each other one that it names, before it runs.  Afterwards the host's modules, and where it looks for them, are
    what they were.
    """

    def __init__(
        self, p: int, roots: Sequence[str], common: dict[str, ModuleType], look: Callable[[ModuleType], None] | None
    ) -> None:
        self.roots, self.common, self.look = [*roots], common, look
        self.finder = Finder(self.roots, self.meet, all_users=look is not None)
        self.own: list[dict[str, ModuleType]] = [{} for _ in range(p)]
        self.met: set[str] = set()
        self.settled = False
        self.now: int | None = None

    def __enter__(self) -> Self:
        self.before, self.path = set(sys.modules), [*sys.path]
        LOADED.update()
        if self.finder.all_users:
            tops = [name for name in LOADED.others if name in sys.modules and name not in self.roots]
            self.roots += [name for name in tops if users(getattr(sys.modules[name], "__spec__", None))]
        self.hidden = {name: sys.modules[name] for name in LOADED.among([*self.roots, "mpi4py"])}
        if self.look:
            LOADED.keep_compiled(self.hidden)
            for name in among(EXTENSIONS, self.roots):
                self.look(EXTENSIONS[name])
        _swap(self.hidden, self.common, self.roots)
        sys.meta_path.insert(0, self.finder)
        return self

    def meet(self, text: CodeType) -> None:
        """Make the modules that code names the running rank's own, or look at them, before the code runs."""
        if self.look:
            new = mentioned(text) - self.met
            self.met |= new
            self.see(new)

    def settle(self) -> None:
        """Note that the first rank has loaded the target, and with it perhaps modules that all have in common."""
        if not self.settled:
            self.settled = True
            self.see(self.met)

    def see(self, names: Iterable[str]) -> None:
        """Make modules of these names, which this process has, the rank's own where they can be; look at others."""
        numpys = {f"numpy.{name}" for name in names} if "numpy" in names else ()
        for name in sys.modules.keys() & {*names, *numpys} if self.look else ():
            if below(name, [*self.roots, *self.common]):
                continue
            top = name.partition(".")[0]
            if small(getattr(sys.modules.get(top), "__spec__", None)):
                self.roots.append(top)
                self.hidden |= {inside: sys.modules.pop(inside) for inside in among([*sys.modules], [top])}
            elif self.look:
                self.look(sys.modules[name])

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.path[:] = self.path
        sys.meta_path.remove(self.finder)
        self._note()
        _swap({**self.common, **self._shown()}, self.hidden, self.roots)
        new = () if self.before.issuperset(sys.modules) else sys.modules.keys() - self.before
        for name in [name for name in new if self._tainted(sys.modules[name])]:
            del sys.modules[name]

    def enter(self, rank: int) -> None:
        """Let rank ``rank`` run from now on."""
        if rank != self.now:
            self._note()
            _swap(self._shown(), self.own[rank], self.roots)
            self.now = rank

    def loaded(self) -> dict[str, ModuleType]:
        """Return what the running rank has imported."""
        self._note()
        return {**self._shown()}

    def adopt(self, modules: Mapping[str, ModuleType]) -> None:
        """Give the running rank these as its imports."""
        before = {**self._shown()}
        self._shown().update(modules)
        _swap(before, self._shown(), self.roots)

    def _shown(self) -> dict[str, ModuleType]:
        return {} if self.now is None else self.own[self.now]

    def _note(self) -> None:
        """Note as the running rank's own what it has imported since."""
        for name in (*self.finder.names, *self.roots):
            if name in sys.modules:
                self._shown()[name] = sys.modules[name]
        self.finder.names.clear()

    def _tainted(self, module: ModuleType) -> bool:
        """Return whether a shared module, imported meanwhile, took something of the simulated mpi4py."""
        values = list(getattr(module, "__dict__", {}).values())
        return any(value is common for value in values for common in self.common.values())


def compiled(module: ModuleType) -> bool:
    """Return whether a module is no Python."""
    return isinstance(getattr(module, "__loader__", None), ExtensionFileLoader)


def pythons(name: str) -> bool:
    """Return whether a module of this name is Python's, or one that nobody copies."""
    return name in COMMON or name in sys.stdlib_module_names


def users(spec: ModuleSpec | None) -> bool:
    """Return whether a user wrote this module, in Python: it is not the library's, and of no distribution."""
    if spec is None or pythons(spec.name):
        return False
    return written_by_users(spec.origin or "", tuple(spec.submodule_search_locations or ()))


def small(spec: ModuleSpec | None) -> bool:
    """Return whether each rank can load this module or package of a distribution: Python alone, and not much of it."""
    if spec is None or pythons(spec.name):
        return False
    return python_alone(spec.origin or "", tuple(spec.submodule_search_locations or ()))


@lru_cache(maxsize=10_000)
def python_alone(origin: str, folders: tuple[str, ...]) -> bool:
    """Return whether a file, or a package in these folders, is Python alone, in at most ``MOST`` files."""
    number = 0
    for folder in folders:
        for _, _, names in os.walk(folder):
            number += sum(name.endswith(".py") for name in names)
            if number > MOST or any(name.endswith((".so", ".pyd")) for name in names):
                return False
    return bool(folders) or origin.endswith(".py")


@lru_cache(maxsize=10_000)
def written_by_users(origin: str, folders: tuple[str, ...]) -> bool:
    """Return whether a file, or a package in these folders, lies elsewhere than what is installed."""
    places = [origin] if origin.endswith(".py") else folders if not origin else ()
    return bool(places) and not any(place.startswith(INSTALLED) for place in places)


LIBRARY = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
INSTALLED = tuple({f"{place}{os.sep}" for place in (*LIBRARY, *site.getsitepackages(), site.getusersitepackages())})
"""Where the library and distributions are."""


def below(name: str, roots: Sequence[str]) -> bool:
    """Return whether the module ``name`` is one of ``roots`` or lies in one."""
    return bool(among([name], roots))


def among(names: Iterable[str], roots: Sequence[str]) -> list[str]:
    """Return those of the modules that are one of ``roots`` or lie in one."""
    inside = tuple([f"{root}." for root in roots])
    return [name for name in names if name.startswith(inside) or name in roots]


def _swap(old: dict[str, ModuleType], new: dict[str, ModuleType], roots: Sequence[str]) -> None:
    """Take ``old`` out of ``sys.modules`` and put ``new`` in, as attributes of the roots' parents too."""
    if old.keys() != new.keys():
        for name in old:
            sys.modules.pop(name, None)
    sys.modules.update(new)
    for root in roots:
        parent, dot, attribute = root.rpartition(".")
        if dot and parent in sys.modules:
            names = vars(sys.modules[parent])
            names.pop(attribute, None)
            if root in new:
                names[attribute] = new[root]
