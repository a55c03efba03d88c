"""Modules by dotted name or by file, which pages and selectors may be."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from sparring.errors import InputError, UnknownPage
from sparring.spec.core.origins import trusted


def from_name(name: str) -> ModuleType:
    """The module of that dotted name."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise UnknownPage(f"no algorithm {name!r}: it is no dotted name such as mine.page, no file such as ./x.py")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise UnknownPage(f"no module {error.name!r}, wanted for algorithm {name!r}") from error
    except Exception as error:
        raise InputError(f"{name} does not load: {type(error).__name__}: {error}") from error


def from_file(path: Path) -> ModuleType:
    """The module in that file, executed afresh."""
    if not path.is_file():
        raise UnknownPage(f"no file {path}")
    if trusted(path.stem, ""):  # its functions would count as those of the other module, which proofs believe
        better = f"{path.stem.split('.')[-1]}_page.py"
        raise InputError(f"{path} has the name of a module that proofs trust: call it {better}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # leave no __pycache__ beside a user's file
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{path} does not load: {type(error).__name__}: {error}") from error
    finally:
        sys.dont_write_bytecode = writes
    return module
