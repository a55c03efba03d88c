"""Gradients from files: every kind of file says the same, is not read as a whole, and is refused where it is wrong."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import numpy as np
import pytest

from sparring import InputError, MissingExtra
from sparring.advising import gradients

RNG = np.random.default_rng(5)
LAYERS = {f"layer{i}": RNG.standard_normal((4, 5 + i, 3)).astype(np.float16) for i in range(3)}


def vectors(found):
    """Every worker's entries, all layers one after the other."""
    return [np.concatenate([*found.blocks(found.layers, r)]) for r in range(found.workers)]


def save(path, arrays):
    np.savez(path, allow_pickle=False, **arrays)


def save_tensors(path, **arrays):
    from safetensors.numpy import save_file

    save_file({name: np.ascontiguousarray(one) for name, one in arrays.items()}, path)


WRITERS = {
    ".npz": np.savez,
    ".packed.npz": np.savez_compressed,
    ".fortran.npz": lambda path, **arrays: save(path, {k: np.asfortranarray(v) for k, v in arrays.items()}),
    ".swapped.npz": lambda path, **arrays: save(path, {k: v.astype(">f2") for k, v in arrays.items()}),
    ".safetensors": save_tensors,
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_all_kinds_of_files_hold_the_same(suffix, tmp_path):
    """One file with all workers, or a file a worker."""
    whole = tmp_path / f"whole{suffix}"
    WRITERS[suffix](whole, **LAYERS)
    parts = [tmp_path / f"worker{r}{suffix}" for r in range(4)]
    for r, path in enumerate(parts):
        WRITERS[suffix](path, **{name: one[r] for name, one in LAYERS.items()})

    for found in (gradients.load([whole]), gradients.load(parts), gradients.held(LAYERS)):
        assert (found.workers, found.n, found.width) == (4, 54, 2)
        assert [(layer.name, layer.size, layer.dtype) for layer in found.layers] == [
            (name, one[0].size, "float16") for name, one in LAYERS.items()
        ]
        for r, x in enumerate(vectors(found)):
            assert x.dtype == np.float32
            assert (x == np.concatenate([one[r].ravel() for one in LAYERS.values()])).all()


def test_one_array_is_one_layer(tmp_path):
    path = tmp_path / "mine.npy"
    np.save(path, LAYERS["layer1"].astype(np.float64))

    found = gradients.load([path])

    assert [layer.name for layer in found.layers] == ["mine"]
    assert (np.array(vectors(found)) == LAYERS["layer1"].reshape(4, -1)).all()


def test_vectors_by_rank(tmp_path):
    save(tmp_path / "x.npz", {f"rank{r}": np.full(3, r, np.float32) for r in range(12)})

    found = gradients.load([tmp_path / "x.npz"])

    assert [x.tolist() for x in vectors(found)] == [[r] * 3 for r in range(12)]


def test_brain_floats(tmp_path):
    """A float32 without its lower half, which numpy does not know."""
    x = np.array([[1.5, -2.0], [0.25, 3.0]], np.float32)
    header = json.dumps({"w": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}).encode()
    upper = (x.view(np.uint32) >> 16).astype("<u2").tobytes()
    (tmp_path / "b.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + upper)

    found = gradients.load([tmp_path / "b.safetensors"])

    assert (found.width, found.layers[0].dtype) == (2, "bfloat16")
    assert (np.array(vectors(found)) == x).all()


def test_a_file_is_not_read_as_a_whole(tmp_path):
    """It may be larger than memory: with half as much of it as the file is long, everything is looked at."""
    path, size = tmp_path / "large.npy", 3 << 28
    mapped = np.lib.format.open_memmap(path, "w+", np.float32, (3, size // 12))
    mapped[2, -1] = 1
    del mapped
    program = (
        "import resource, sys\n"
        "from sparring.advising import gradients\n"
        "found = gradients.load([sys.argv[1]])\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]),) * 2)\n"
        "print(sum(float(x.sum()) for r in range(3) for x in found.blocks(found.layers, r)))\n"
    )

    done = subprocess.run([sys.executable, "-c", program, str(path), str(size // 2)], capture_output=True, text=True,
                          timeout=120, check=False)  # fmt: skip

    assert (done.stdout, done.stderr) == ("1.0\n", "")


ONES = np.ones((2, 3), np.float32)
WRONG = {
    "nothing": ({}, "there is no array in it"),
    "numbers": ({"seed": np.array(3)}, "there is no array in it"),
    "integers": ({"x": ONES.astype(int)}, "entry 'x' has dtype int64; right: bfloat16, float16, float32 or float64"),
    "a worker's": ({"w": ONES, "bias": ONES[0]}, "entry 'bias' has shape (3,); right: the first axis of every array"),
    "other workers": ({"w": ONES, "v": np.ones((3, 2))}, "is the worker, here 2; or give a file a worker"),
    "transposed": ({"w": np.ones((5000, 2))}, "5000 workers; right: 1 to 4096, the first axis (is it transposed?)"),
    "gap": ({"rank0": ONES[0], "rank2": ONES[0]}, "no entry 'rank1' among 2; number them from rank0 on"),
    "lengths": ({"rank0": ONES[0], "rank1": np.ones(2)}, "entry 'rank1' has shape (2,) and dtype float64"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_gradient(case, tmp_path):
    arrays, sentence = WRONG[case]
    np.savez(tmp_path / "x.npz", **arrays)

    with pytest.raises(InputError, match=r"x\.npz: ") as caught:
        gradients.load([tmp_path / "x.npz"])

    assert sentence in str(caught.value)


def test_what_is_not_finite_is_named(tmp_path):
    x = np.zeros((2, gradients.BLOCK + 7), np.float32)
    x[1, gradients.BLOCK + 3] = np.inf
    np.savez(tmp_path / "x.npz", w=x)
    found = gradients.load([tmp_path / "x.npz"])

    with pytest.raises(InputError, match=rf"w, worker 1: entry {gradients.BLOCK + 3} is inf; gradients are finite"):
        vectors(found)


def cut(path):
    path.write_bytes(path.read_bytes()[:-40])


def garbled(path):
    path.write_bytes(path.read_bytes()[:3] + b"?" * 60)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
@pytest.mark.parametrize("spoil", [cut, garbled])
def test_damaged_files(suffix, spoil, tmp_path):
    path = tmp_path / f"x{suffix}"
    {".npy": lambda: np.save(path, ONES), ".npz": lambda: np.savez(path, x=ONES)}.get(
        suffix, lambda: save_tensors(path, x=ONES)
    )()
    spoil(path)

    with pytest.raises(InputError, match=rf"x\{suffix}: "):
        vectors(gradients.load([path]))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "x.npz: no such file"),
        (lambda path: path.write_bytes(b"hello"), "neither an .npy nor an .npz file"),
        (lambda path: np.savez(path, x=np.array([[object()]])), "has dtype object"),
    ],
    ids=["missing", "other", "objects"],
)
def test_other_files(make, sentence, tmp_path):
    make(tmp_path / "x.npz")

    with pytest.raises(InputError) as caught:
        gradients.load([tmp_path / "x.npz"])

    assert sentence in str(caught.value)


def test_workers_files_that_differ(tmp_path):
    np.savez(tmp_path / "a.npz", w=ONES)
    np.savez(tmp_path / "b.npz", v=ONES)
    np.savez(tmp_path / "c.npz", w=ONES[:1])

    with pytest.raises(InputError, match=r"b\.npz: 'v' is in it or in .*a\.npz, not in both"):
        gradients.load([tmp_path / "a.npz", tmp_path / "b.npz"])
    with pytest.raises(InputError, match=r"c\.npz: entry 'w' has shape \(1, 3\)"):
        gradients.load([tmp_path / "a.npz", tmp_path / "c.npz"])
    with pytest.raises(InputError, match=r"no entry 'u'; there are w"):
        gradients.load([tmp_path / "a.npz"], "u")
    with pytest.raises(InputError, match="there are no gradients"):
        gradients.load([])


def test_without_the_package(tmp_path, monkeypatch):
    save_tensors(tmp_path / "x.safetensors", x=ONES)
    monkeypatch.setattr(gradients, "find_spec", lambda name: None)

    with pytest.raises(MissingExtra, match=r'pip install "sparring\[safetensors\]"'):
        gradients.load([tmp_path / "x.safetensors"])
