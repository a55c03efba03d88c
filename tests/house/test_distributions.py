"""What the wheel and the sdist hold: the whole package once, under one name, and nothing else."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.house.conftest import ROOMS, ROOT, python

FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", "README.md", "CHANGELOG.md", "constraints.txt")
SHIPPED = {".c", ".css", ".h", ".js", ".json", ".npz", ".py", ".sha256", ".typed", ".v"}


def build(tree: Path, kind: str) -> Path:
    """The wheel or sdist of ``tree``, built without an index."""
    script = f"from setuptools import build_meta; build_meta.build_{kind}('dist')"
    done = python("-c", script, folder=tree)
    assert done.returncode == 0, done.stdout
    (made,) = (tree / "dist").glob({"wheel": "*.whl", "sdist": "*.tar.gz"}[kind])
    return made


def names(wheel: Path) -> set[str]:
    """The files in a wheel, without its own notes."""
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def package_names(tree: Path) -> set[str]:
    """The files that belong to the package: code, proofs and data, the rooms seen through their links."""
    roots = {tree / "sparring": "sparring", **{tree / room: f"sparring/{room}" for room in ROOMS}}
    return {
        f"{name}/{path.relative_to(root).as_posix()}"
        for root, name in roots.items()
        for path in root.rglob("*")
        if path.suffix in SHIPPED and path.is_file() and not (root.name == "sparring" and inside_link(path, root))
    }


def inside_link(path: Path, root: Path) -> bool:
    """``path`` lies behind one of the links in ``root``."""
    return (root / path.relative_to(root).parts[0]).is_symlink()


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of this checkout, as far as a build reads it."""
    root, copy = ROOT, tmp_path_factory.mktemp("tree")
    for folder in ("sparring", *ROOMS):
        shutil.copytree(root / folder, copy / folder, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(root / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(tree) -> Path:
    """Its wheel."""
    return build(tree, "wheel")


def test_the_wheel_holds_the_package_and_nothing_else(tree, wheel):
    """Every module, Coq file and data file of the checkout is in it, under ``sparring`` alone; and the command."""
    assert names(wheel) == package_names(tree)
    with ZipFile(wheel) as archive:
        notes = {name.partition(".dist-info/")[2]: name for name in archive.namelist() if ".dist-info/" in name}
        assert "sparring = sparring.cli:main" in archive.read(notes["entry_points.txt"]).decode()
        assert b"License-Expression: Apache-2.0" in archive.read(notes["METADATA"])
        assert b"Apache License" in archive.read(notes["licenses/LICENSE"])


def test_what_it_finds_a_checkout_recalls(tree, wheel, tmp_path):
    """Results are kept under a digest of the code, which is the same wherever it lies, and another for other code."""
    for folder in ("here", "there"):
        with ZipFile(wheel) as archive:
            archive.extractall(tmp_path / folder)
    with (tmp_path / "there/sparring/impl/ring.py").open("a", encoding="utf-8") as file:
        file.write("\n")

    of_tree, here, there = map(digest, (tree, tmp_path / "here", tmp_path / "there"))
    assert of_tree == here != there


def digest(folder: Path) -> str:
    """Under which the package there keeps what it finds."""
    code = (
        "from sparring import disk_cache; from sparring.verification.theorems import PACKAGES, ROOMS; "
        "print(disk_cache.installed(ROOMS, PACKAGES))"
    )
    return python("-c", code, folder=folder, PYTHONPATH=str(folder)).stdout


def test_the_sdist_holds_what_the_wheel_holds(tree, wheel):
    """The sdist has the rooms as real folders; what is built from it is the same wheel."""
    with tarfile.open(build(tree, "sdist")) as sdist:
        sdist.extraction_filter = getattr(tarfile, "data_filter", None)  # as an argument, from Python 3.11.4 on
        sdist.extractall(tree / "unpacked")
    (unpacked,) = (tree / "unpacked").iterdir()
    assert not (unpacked / "spec").exists()
    assert names(build(unpacked, "wheel")) == names(wheel)


def test_a_file_that_would_stay_behind_is_seen(house):
    """A folder without ``__init__.py``, or data that no rule ships, is missing from the wheel, and we notice."""
    planted = {"proofs/attic/part.py", "impl/data/table.npz"}
    for fault in planted:
        house.plant(fault, "")
    left = package_names(house.path) - names(build(house.path, "wheel"))
    assert left == {f"sparring/{fault}" for fault in planted}
