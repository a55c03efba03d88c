"""Finding topologies, by name or by file, and routing messages through them.

What stands wherever a topology is asked for is ``NAME``, ``NAME:k=8`` or ``./file.py``, a module as
``sparring.proofs.contention.topologies`` describes.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from sparring.errors import InputError, did_you_mean
from sparring.proofs.contention import topologies
from sparring.proofs.contention.links import Link
from sparring.spec.core.calling import parameters
from sparring.spec.core.modules import from_file

Edge = tuple[Hashable, Hashable]
"""A directed link, from a node to a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """Nodes, links, and the route of a message; equal to itself alone, so that it can be a key for results."""

    name: str
    """The name as it is asked for, with the parameters that were given."""
    doc: str
    params: Mapping[str, Any]
    walk: Callable[[int, int, int], list[Edge]]
    links: tuple[Link, ...]
    """Formulas for every p; empty where there are none."""
    scope: str
    """The subject of the formulas, for a sentence."""
    sides: Callable[[int], list[int]] = lambda _p: []
    """Where nodes are a grid: how many there are along each dimension, for so many ranks; else empty."""

    def route(self, src: int, dst: int, p: int) -> list[Edge]:
        """Return the directed links that a message from rank ``src`` to rank ``dst`` of ``p`` crosses, in their order.

        Raises InputError where the topology's route is no way from the one to the other, or reuses a link.
        """
        way = self.walk(src, dst, p)
        if fault := misled(way, src, dst):
            raise InputError(f"topology {self.name}: the route from rank {src} to {dst} of {p} {fault}")
        return way


def misled(way: list[Edge], src: int, dst: int) -> str:
    """Return what is wrong with this route from ``src`` to ``dst``; empty where it is right."""
    if not way or (way[0][0], way[-1][1]) != (src, dst):
        return f"is {', '.join(map(edge, way)) or 'empty'}; it must lead from {src} to {dst}"
    for before, after in pairwise(way):
        if before[1] != after[0]:
            return f"breaks off between {edge(before)} and {edge(after)}"
    if len(set(way)) < len(way):
        twice = next(link for link in way if way.count(link) > 1)
        return f"crosses {edge(twice)} twice; it must cross each link once"
    return ""


def edge(link: Edge) -> str:
    """Return a directed link in print."""
    return f"{link[0]}->{link[1]}"


@cache
def names() -> list[str]:
    """Return the names of all topologies, looked up once since runs ask for the same ones over and over."""
    return sorted(m.name for m in pkgutil.iter_modules(topologies.__path__))


def find(text: str) -> Topology:
    """Return the topology that ``text`` asks for; raise InputError where there is none.

    >>> find("torus:k=2").route(0, 3, 4)
    [(0, 1), (1, 3)]
    """
    name, _, given = text.partition(":")
    if name.endswith(".py"):
        return made(from_file(Path(name)), Path(name).stem, given)
    if name not in names():
        hint = did_you_mean(name, names())
        raise InputError(f"no topology {name!r}; {hint}there are {', '.join(names())}; ./file.py works too.")
    return known(text)


@cache
def known(text: str) -> Topology:
    """Return one of our topologies, made once since proofs name the same ones over and over."""
    name, _, given = text.partition(":")
    return made(importlib.import_module(f"{topologies.__name__}.{name}"), name, given)


def made(module: ModuleType, name: str, given: str) -> Topology:
    """Return the topology that a module defines."""
    if not callable(getattr(module, "route", None)):
        raise InputError(f"topology {name} lacks the function route(src, dst, p)")
    walk: Any = module.route
    params = parameters(module, name, settings(name, given))
    letters = ["src", "dst", "p", *params]
    if list(inspect.signature(walk).parameters) != letters:
        raise InputError(f"topology {name}: route must ask for {', '.join(letters)}, in this order")
    doc, values = inspect.getdoc(module) or name, tuple(params.values())
    links = getattr(module, "links", lambda *_: ())(*values)
    label = f"{name}:{given}" if given else name
    told = f"the {name.replace('_', ' ')}" + "".join(f" with {key} = {value}" for key, value in params.items())
    scope = getattr(module, "scope", told)
    grid: Any = getattr(module, "sides", lambda *_: [])
    return Topology(
        label, doc, params, lambda src, dst, p: walk(src, dst, p, *values), links, scope, lambda p: grid(p, *values)
    )


def settings(name: str, given: str) -> dict[str, int]:
    """Return the names and numbers of a text such as ``k=2,m=3``."""
    found: dict[str, int] = {}
    for part in filter(None, given.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value.isdigit():
            raise InputError(f"topology {name}:{given}: write a parameter as name=number, such as {name}:k=4")
        found[key] = int(value)
    return found
