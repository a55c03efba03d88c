"""A small house to plant faults in: this checkout's configuration, links and guards, and nothing else."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE")
FACE = ("__init__.py", "errors.py", "py.typed", "pytest_plugin.py")  # pytest loads the plugin by its entry point
ROOMS = ("spec", "impl", "proofs")


class House:
    """A house at ``path``; sound when built, so whatever a tool reports afterwards was planted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in CONFIGURATION:
            self.plant(name, (ROOT / name).read_text(encoding="utf-8"))
        for name in FACE:
            self.plant(f"sparring/{name}", (ROOT / "sparring" / name).read_text(encoding="utf-8"))
        for room in ROOMS:
            self.plant(f"{room}/__init__.py", (ROOT / room / "__init__.py").read_text(encoding="utf-8"))
            shutil.copy(ROOT / "sparring" / room, path / "sparring" / room, follow_symlinks=False)
        self.plant("README.md", "# A house\n")

    def plant(self, name: str, text: str) -> None:
        """Write ``text`` into the file ``name``."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a tool of this environment in the house; ``stdout`` holds its errors too."""
        command = sys.executable if tool == "python" else Path(sysconfig.get_path("scripts")) / tool
        return run(command, *arguments, folder=self.path, MYPY_CACHE_DIR=known_to_mypy())


def run(*command: str | Path, folder: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command there, by default at the top of the checkout; ``stdout`` holds its errors too."""
    return subprocess.run(
        command, cwd=folder, env=os.environ | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=1500, check=False,
    )  # fmt: skip


def python(*arguments: str | Path, folder: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    """Run Python there."""
    return run(sys.executable, *arguments, folder=folder, **env)


@cache
def known_to_mypy() -> str:
    """Where mypy keeps what it knows of the standard library, which is the same for all houses."""
    folder = tempfile.mkdtemp(prefix="sparring-mypy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@pytest.fixture
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A sound house."""
    return House(tmp_path / "house")
