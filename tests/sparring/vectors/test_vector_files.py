"""The test vectors: of the digests that ship, closed by their schema, true of implementations, complete."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import sparring
from sparring.vectors import dense, digest
from sparring.vectors.dense.flags import COMMON
from sparring.vectors.flags import FLAGS, applying
from tests.sweeps import sweep
from tests.vector_files import ALGORITHMS, DATA, EXAMPLES, KINDS, OWN, SHOWN, content, loaded

SIZE = 1_500_000  # bytes of a file
SMALL, TOGETHER = 500_000, 2_100_000  # bytes of a file of these, and of all
CLOSED = ("ring", "recursive_doubling")  # their costs have closed forms for every n


def each_test(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each test of a file, behind its group."""
    return ((group, test) for group in loaded(name)["groups"] for test in group["tests"])


def test_there_is_a_digest_for_each_algorithm():
    """And the schema; nothing else ships."""
    assert {path.name for path in DATA.iterdir()} == {"vectors.schema.json", *(f"{name}.sha256" for name in ALGORITHMS)}


@pytest.mark.parametrize("name", sweep(ALGORITHMS, few=KINDS))
def test_a_file_has_the_digest_that_ships(name):
    """Where that is meant to change: python -m tests.vector_files."""
    assert (DATA / f"{name}.sha256").read_text(encoding="utf-8") == digest(sparring.page(name), content(name))


def test_files_are_small():
    """So that whoever reads one sees something."""
    sizes = {name: len(content(name)) for name in KINDS}
    assert max(sizes.values()) <= SIZE
    small = {name: size for name, size in sizes.items() if name in OWN}
    assert max(small.values()) <= SMALL and sum(small.values()) <= TOGETHER


@pytest.mark.parametrize("name", SHOWN)
def test_a_file_that_is_shown_is_made_so(name):
    """Beside the programs that read it."""
    assert ((EXAMPLES / f"{name}.json").read_text(encoding="utf-8") == content(name)) is True


def test_a_file_does_not_depend_on_the_process(tmp_path):
    """Neither on how texts are hashed, nor on which instructions numpy finds in the processor."""
    names = ["ring", "one_bit", "moshpit", "power_sgd"]
    script = f"from sparring.vectors import export; export({names}, {str(tmp_path)!r})"
    odd = {"PYTHONHASHSEED": "7", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], env=os.environ | odd, timeout=60, check=True)
    assert [name for name in names if (tmp_path / f"{name}.json").read_text(encoding="utf-8") != content(name)] == []


@pytest.mark.parametrize("name", sweep(ALGORITHMS, few=KINDS))
def test_every_flag_that_applies_occurs(name):
    """Each is found in a test, not in all, has its note, and no note is without a test."""
    found = [set(test["flags"]) for _, test in each_test(name)]
    assert sorted(set().union(*found)) == sorted(applying(sparring.page(name))) == sorted(loaded(name)["notes"])
    assert [flag for flag in applying(sparring.page(name)) if all(flag in flags for flags in found)] == []


def test_every_flag_applies_to_some_algorithm():
    """None is left over, neither of those that several have nor of a program's own."""
    own = {flag for name in OWN for flag in getattr(dense.own(sparring.page(name)), "FLAGS", {})}
    assert {*FLAGS, *COMMON, *own} == {flag for name in ALGORITHMS for flag in applying(sparring.page(name))}


def test_every_encoding_occurs():
    """The sparse ring's messages come in all four."""
    calls = [call for _, test in each_test("ring_sparse") for call in test["calls"]]
    found = {name for call in calls for step in call["encodings"] for name in step}
    assert found == {"dense", "pairs", "offsets", "bitmap"}


@pytest.mark.parametrize("name", CLOSED)
def test_costs_are_the_closed_forms(name):
    """The words of the busiest rank and of the busiest path step by step, as sympy derives them from the page."""
    cost = sparring.cost(name)
    found = {(g["p"], t["n"]): t["calls"][0]["costs"] for g, t in each_test(name) if g["p"] in (1, 3, 8)}
    assert len(found) > 12
    for (p, n), told in found.items():
        point = cost.at(p=p, n=n)
        assert (point.words, point.critical) == (max(told["words"]), told["critical_words"])


# The schema.


@pytest.fixture(scope="module")
def validator() -> Any:
    """Judges files by the schema."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install 'sparring[test]'")
    schema = json.loads((DATA / "vectors.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", sweep(ALGORITHMS, few=["ring_sparse", "flash"]))
def test_files_are_as_the_schema_says(name, validator):
    """All of them, in all."""
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(loaded(name))] == []


def small(name: str) -> dict[str, Any]:
    """A file with one test, on two ranks."""
    whole = copy.deepcopy(loaded(name))  # tests change it
    group = next(group for group in whole["groups"] if group["p"] == 2)
    tests = group["tests"][2:3] or group["tests"][:1]
    return {**whole, "groups": [{**group, "tests": tests}]}


def objects(x: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value."""
    inner = list(x.values()) if isinstance(x, dict) else x if isinstance(x, list) else []
    if isinstance(x, dict):
        yield x
    for item in inner:
        yield from objects(item)


def test_the_schema_knows_all_kinds(validator):
    """A test of each."""
    assert [name for name in KINDS if not validator.is_valid(small(name))] == []


@pytest.mark.parametrize("name", ["ring", "ring_allgather", "ring_sparse", "ring_topk", "oktopk", "flash", "one_bit"])
def test_the_schema_is_closed(name, validator):
    """Wherever an object has one entry more, or one fewer, the schema refuses it."""
    sound, open_ = small(name), ("parameters", "notes", "state")
    assert validator.is_valid(sound)
    free = [id(x[key]) for x in objects(sound) for key in open_ if key in x]
    for x in objects(sound):
        x["planted"] = None
        assert not validator.is_valid(sound), x
        del x["planted"]
        for key in () if id(x) in free else [*x]:
            value = x.pop(key)
            assert not validator.is_valid(sound), key
            x[key] = value
    assert validator.is_valid(sound)


@pytest.mark.parametrize("octets", ["3f8", "3F", [1.0], 7, None])
def test_the_schema_knows_messages(octets, validator):
    """An even number of digits, small ones; or numbers."""
    file = small("flash")
    file["groups"][0]["tests"][0]["calls"][0]["messages"][0][0] = octets
    assert not validator.is_valid(file)


def test_the_schema_knows_whose_parameters_are_texts(validator):
    """Those of programs on whole vectors, and of no others; and these have no schedule."""
    file, ring = small("arc_top_k"), small("ring")
    assert file["groups"][0]["parameters"]["feedback"] in ("none", "ef14", "ef21", "ef21m")
    ring["groups"][0]["parameters"]["through"] = "ring"
    assert not validator.is_valid(ring)
    file["groups"][0] |= {"chunks": 2, "steps": []}
    assert not validator.is_valid(file)


@pytest.mark.parametrize("bits", ["3f80000", "3F800000", "0x3f8000", 1.0, None])
def test_the_schema_knows_bits(bits, validator):
    """Eight or sixteen digits, small ones."""
    file = small("ring")
    file["groups"][0]["tests"][0]["calls"][0]["result"][0] = bits
    assert not validator.is_valid(file)
