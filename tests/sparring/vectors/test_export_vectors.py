"""``sparring export --format vectors`` and its function: what they write, and what they refuse."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import sparring
from sparring import vectors
from sparring.errors import InputError, OtherBits
from sparring.vectors import export
from tests.sparring.calling import called, envelope_of, refused
from tests.vector_files import DATA

TEMPLATE = Path(sparring.__file__).parent / "templates" / "page.py"


def test_the_command_writes_what_the_digests_say(tmp_path):
    """The algorithm's file and the schema, to a folder that it makes; the envelope names them."""
    folder = tmp_path / "new" / "folder"
    told = envelope_of("export", "recursive_doubling", "--format", "vectors", "--out", folder)
    files = [folder / "vectors.schema.json", folder / "recursive_doubling.json"]
    assert told["files"] == list(map(str, files))
    assert sorted(folder.iterdir()) == sorted(files)
    assert files[0].read_bytes() == (DATA / files[0].name).read_bytes()
    subprocess.run(["sha256sum", "--check", DATA / "recursive_doubling.sha256"], cwd=folder, timeout=60, check=True)


def test_other_bits_than_the_release_has_are_refused(tmp_path, monkeypatch):
    """One sentence says so, and nothing is written; a page of other parameters has no digest."""
    monkeypatch.setattr(vectors, "text", lambda _: "{}\n")
    with pytest.raises(
        OtherBits, match=r"recursive_doubling\.json would not be the file of this release, whose digest"
    ):
        export(["recursive_doubling"], tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert len(export([sparring.page("recursive_multiplying", radix=2)], tmp_path)) == 2


def test_a_page_of_ones_own(tmp_path):
    """What ``sparring new`` writes has vectors too, and they replace what is there."""
    (tmp_path / "mine.py").write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "mine.json").write_text("old", encoding="utf-8")
    assert "mine.json" in called("export", tmp_path / "mine.py", "--format", "vectors", "--out", tmp_path)[1]
    file = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert (file["algorithm"], file["test_count"]) == ("mine", sum(len(group["tests"]) for group in file["groups"]))


def test_a_parameter_is_taken(tmp_path):
    """Radices go from the least to the one that is given."""
    called("export", "recursive_multiplying", "-P", "radix=2", "--format", "vectors", "--out", tmp_path)
    file = json.loads((tmp_path / "recursive_multiplying.json").read_text(encoding="utf-8"))
    assert {group["parameters"]["radix"] for group in file["groups"]} == {2}


def test_unknown_algorithms_and_formats_are_refused(tmp_path):
    """With nothing written."""
    assert "did you mean 'ring'" in refused("export", "rng", "--format", "vectors", "--out", tmp_path)
    assert "'vector' is not one of" in refused("export", "ring", "--format", "vector", "--out", tmp_path)
    told = refused("export", "ring", "--format", "vectors", "--ranks", 3, "--out", tmp_path)
    assert "--ranks goes with --format msccl, json, goal, chakra" in told
    told = refused("export", "ring", "--format", "msccl", "--ranks", 3, "--size", 8, "--out", tmp_path)
    assert "--size goes with --format goal or chakra" in told
    twice = ("-P", "radix=3", "-P", "radix=4")
    assert "radix has 2 values" in refused("export", "ring", "--format", "vectors", *twice, "--out", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none_is_refused(tmp_path):
    """In one sentence that names it."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"file/inside cannot be written: Not a directory"):
        export(["recursive_doubling"], tmp_path / "file" / "inside")


def test_two_of_one_name_are_refused(tmp_path):
    """Their files would be one."""
    with pytest.raises(InputError, match="two algorithms are called 'ring'"):
        export(["ring", "ring"], tmp_path)


def planted(tmp_path: Path, *lines: str) -> str:
    """The ring, and lines of our own below."""
    ring = (Path(sparring.__file__).parent / "spec" / "ring.py").read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text("\n".join([ring, *lines]), encoding="utf-8")
    return str(tmp_path / "mine.py")


def test_what_is_no_allreduce_is_refused(tmp_path):
    """A reduce-scatter has no result that all ranks share."""
    mine = planted(tmp_path, 'kind = "reduce_scatter"')
    with pytest.raises(InputError, match="mine is a reduce_scatter: there are test vectors of allreduces only"):
        export([mine], tmp_path)


def test_parameters_are_whole_numbers(tmp_path):
    """Others the schema does not know."""
    mine = planted(tmp_path, "from typing import NamedTuple", "class Params(NamedTuple):", "    rate: float = 2.5")
    with pytest.raises(InputError, match=r"mine: rate = 2\.5; in test vectors parameters are whole"):
        export([mine], tmp_path)


def test_ranks_that_disagree_are_refused(tmp_path):
    """A page that stops a lap early has no result to write down."""
    mine = planted(tmp_path, "def steps(p: Int) -> Int:", "    return p - 1")
    with pytest.raises(InputError, match="mine: at p=2 rank 1 ends with other bits than rank 0"):
        export([mine], tmp_path)
    assert not (tmp_path / "mine.json").exists()


@pytest.mark.parametrize(("ours", "mine"), [("oktopk", "mine"), ("flash", "flash")])
def test_a_program_of_ones_own_is_refused(tmp_path, ours, mine):
    """Readers know the rules of ours alone, even if it has the name of one of these."""
    text = (Path(sparring.__file__).parent / "spec" / f"{ours}.py").read_text(encoding="utf-8")
    (tmp_path / f"{mine}.py").write_text(text, encoding="utf-8")
    why = f"{mine} is a composition: what it sends depends on the data, by rules that no test"
    with pytest.raises(InputError, match=why):
        export([str(tmp_path / f"{mine}.py")], tmp_path)


def test_parameters_of_a_program_are_taken(tmp_path):
    """They are the page's own in a part of the tests."""
    export([sparring.page("flash", g=7)], tmp_path)
    file = json.loads((tmp_path / "flash.json").read_text(encoding="utf-8"))
    assert {7, 3, 2, 1} <= {group["parameters"]["g"] for group in file["groups"]}
