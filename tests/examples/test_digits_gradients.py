"""The example that makes the shipped gradients: it is right, it is repeatable, and it made them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sparring.spec.core.modules import from_file

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "digits_gradients.py"
SHIPPED = ROOT / "sparring" / "data" / "digits_gradients.npz"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """The script as a module; needs the extra 'examples'."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'sparring[examples]'")
    return from_file(SCRIPT)


def test_gradient_is_the_slope_of_the_loss(example: ModuleType) -> None:
    """Backpropagation agrees with central differences of the loss in every parameter."""
    training, _ = example.digits(seed=0)
    data, theta = training.pick(slice(20)), example.initial(hidden=3, seed=1)
    step = 1e-6
    nudges = step * np.eye(theta.size)
    slopes = [(example.loss(theta + e, data) - example.loss(theta - e, data)) / (2 * step) for e in nudges]
    assert theta.size == 75 * 3 + 10
    # The differences' own error: rounding, about 1e-16 / step, and step squared.
    assert np.abs(example.gradient(theta, data) - slopes).max() < 1e-8
    assert np.abs(slopes).max() > 0.01


def test_shards_partition_the_training_images(example: ModuleType) -> None:
    """No worker sees the images held out, and all workers' mean gradient is the full batch's, cut the same."""
    training, test = example.digits(seed=0)
    assert (len(training.labels), len(test.labels)) == (1500, 297)
    theta = example.initial(hidden=4, seed=0)
    shards = [training.pick(slice(w, None, 4)) for w in range(4)]
    mean = np.mean([example.gradient(theta, shard) for shard in shards], axis=0)
    np.testing.assert_allclose(mean, example.gradient(theta, training), rtol=0, atol=1e-14)


def test_run_is_determined_by_its_seed(example: ModuleType) -> None:
    """The same seed gives the same bits, another one does not; a row is a worker."""
    first, again, other = (example.train(workers=3, hidden=5, steps=10, seed=s) for s in (7, 7, 8))
    assert list(first) == [0, 1, 10]
    assert all(first[t].shape == (3, 75 * 5 + 10) for t in first)
    assert all(first[t].tobytes() == again[t].tobytes() for t in first)
    assert not np.array_equal(first[10], other[10])


def test_script_makes_the_shipped_file(example: ModuleType, tmp_path: Path) -> None:
    """Run as the documentation says, it trains to over 0.9 and writes what is shipped, entry by entry."""
    out = tmp_path / "digits_gradients.npz"
    command = [sys.executable, str(SCRIPT), "--out", str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    accuracies = [float(line.rpartition(" ")[2]) for line in ran.stdout.splitlines()]
    assert accuracies[0] < 0.5 and accuracies[-1] > 0.9
    assert SHIPPED.stat().st_size <= 1_000_000
    with np.load(out, allow_pickle=False) as made, np.load(SHIPPED, allow_pickle=False) as shipped:
        assert made.files == shipped.files
        for name in made.files:
            assert (made[name].shape, made[name].dtype) == (shipped[name].shape, shipped[name].dtype)
            if made[name].dtype == np.float32:
                # Trained in float64 and rounded: another BLAS may change the last bit, and by far
                # less than that what is nearly zero by cancellation.
                np.testing.assert_allclose(made[name], shipped[name], rtol=2**-22, atol=1e-12)
            else:
                assert np.array_equal(made[name], shipped[name])


def test_bad_settings_are_refused(example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """No workers, or no hidden unit, is a usage error of one sentence, not a traceback."""
    for option in ("--workers", "--hidden"):
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), option, "0"])
        with pytest.raises(SystemExit) as ended:
            example.main()
        assert ended.value.code == 2
        assert "there must be 1 to 1500 workers" in capsys.readouterr().err
