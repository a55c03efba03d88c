"""A user's file of indices and values gives sparse vectors or one clear sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.errors import InputError
from sparring.inputs import load, load_vectors
from sparring.sparse import Sparse
from tests.sparring.input_files import EIGHT, npz

PARTS: dict[str, Any] = {
    "indices0": np.array([1, 4], np.int32),
    "values0": np.array([1.0, 2.0]),
    "indices1": np.array([0, 2, 5]),
    "values1": np.array([3.0, 4.0, 5.0]),
    "n": np.array(6),
}
"""What makes two sparse vectors."""

BAD_PARTS: dict[str, tuple[dict[str, Any], str]] = {
    "no n": ({"n": None}, r"no entry 'n' \(the length of all vectors\); right: indices0, values0"),
    "no indices": ({"indices1": None}, r"no entry 'indices1' \(rank 1\); right"),
    "no values": ({"values1": None}, r"no entry 'values1' \(rank 1\); right"),
    "gap": ({"indices0": None, "values0": None}, r"no entry 'indices0' \(rank 0\); right"),
    "lengths": ({"n": np.array([6, 6])}, r"'n' \(the length of all vectors\) is 1-D; right: 0-D"),
    "half": ({"n": np.array(6.5)}, r"'n' \(the length of all vectors\) has dtype float64; right: int32 or int64"),
    "negative n": ({"n": np.array(-1)}, r"'indices0' \(rank 0\): n = -1: it must be a whole number, 0 or more"),
    "short": ({"n": np.array(5)}, r"'indices1' \(rank 1\): index out of range: indices\[2\]=5, but n=5"),
    "negative": ({"indices1": np.array([-1, 2, 5])}, r"'indices1' \(rank 1\): index out of range: indices\[0\]=-1"),
    "unsorted": ({"indices1": np.array([2, 0, 5])}, r"'indices1' \(rank 1\): indices not .*\[1\]=0 follows 2"),
    "twice": ({"indices0": np.array([4, 4])}, r"'indices0' \(rank 0\): indices not strictly ascending.*=4 follows 4"),
    "counts": ({"values1": np.zeros(2)}, r"'indices1' \(rank 1\): 3 indices and 2 values"),
    "2-D": ({"indices0": np.array([[1, 4]])}, r"'indices0' \(rank 0\) is 2-D; right: 1-D"),
    "unsigned": ({"indices1": np.array([0, 2, 5], "u4")}, r"'indices1' \(rank 1\) has dtype uint32; right: int32 or"),
    "float indices": ({"indices1": np.zeros(3)}, r"'indices1' \(rank 1\) has dtype float64; right: int32 or int64"),
    "float16": ({"values0": np.zeros(2, "f2")}, r"'values0' \(rank 0\) has dtype float16; right: float32, float64"),
    "objects": ({"values0": np.array([None, 1])}, r"'values0' \(rank 0\) has dtype object; right: float32"),
    "mixed": ({"values1": np.zeros(3, "f4")}, r"'values1' \(rank 1\) has dtype float32, rank 0 has float64; right"),
}


@pytest.mark.parametrize("case", BAD_PARTS)
def test_bad_parts_give_one_sentence(case: str, tmp_path: Path) -> None:
    """The error names the file, the part and the rank, in one line that a person can read."""
    change, message = BAD_PARTS[case]
    npz(**{name: part for name, part in {**PARTS, **change}.items() if part is not None})(path := tmp_path / "bad.npz")
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 250


def test_which_vectors_a_file_has(tmp_path: Path) -> None:
    """A key or a ``rank0`` stands for whole vectors, parts go before a 2-D array; the rest is left alone."""
    npz(a=EIGHT, note=np.array("hello"), **PARTS)(path := tmp_path / "x.npz")
    first, second = load(path)
    assert isinstance(first, Sparse)
    assert isinstance(second, Sparse)
    assert (first.n, first.indices.dtype, first.dense().tolist()) == (6, np.int32, [0, 1, 0, 0, 2, 0])
    assert second.dense().tolist() == [3, 0, 4, 0, 0, 5]
    assert len(load(path, ranks=1)) == 1
    assert np.array_equal(load(path, key="a"), EIGHT)
    assert np.array_equal(load_vectors(path), EIGHT)
    npz(rank0=np.zeros(3), **PARTS)(path)
    assert np.array_equal(load(path), [np.zeros(3)])
    npz(a=EIGHT, values="text")(path)
    assert np.array_equal(load(path), EIGHT)
    with pytest.raises(InputError, match="for 2 ranks; 3 are asked for"):
        load(path, ranks=3)


supports = st.lists(st.sets(st.integers(0, 9)).map(sorted), min_size=1, max_size=4)


@given(
    supports=supports,
    index=st.sampled_from(["<i4", ">i4", "<i8", ">i8"]),
    value=st.sampled_from(["<f4", ">f8", "<i4", ">i8"]),
    compress=st.booleans(),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_good_parts_round_trip(supports: Any, index: str, value: str, compress: bool, tmp_path: Path) -> None:
    """Of either width and byte order; ranks may have no entries."""
    parts: dict[str, Any] = {f"indices{r}": np.array(at, index) for r, at in enumerate(supports)}
    parts |= {f"values{r}": np.arange(len(at)).astype(value) for r, at in enumerate(supports)}
    (np.savez_compressed if compress else np.savez)(path := tmp_path / "x.npz", n=10, **parts)
    for r, x in enumerate(vectors := load(path)):
        assert isinstance(x, Sparse)
        assert (x.n, x.indices.tolist(), x.values.tolist()) == (10, supports[r], list(range(len(supports[r]))))
        assert (x.dtype, x.indices.dtype) == (np.dtype(value).newbyteorder("="), np.dtype(index).newbyteorder("="))
    assert len(vectors) == len(supports)
