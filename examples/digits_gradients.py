"""Real gradients to reduce: a perceptron trained data-parallel on scikit-learn's bundled digits.

Each worker owns a shard of the training images.  In every step it computes the gradient of the
mean cross-entropy of its own minibatch; the workers' mean gradient is what an allreduce would
give each of them, and all take the same step of SGD with it.

    python examples/digits_gradients.py --out digits_gradients.npz

The file has, in this order, one array ``step0``, ``step30``, … a snapshot: shape (workers, n),
float32, row ``w`` the gradient of worker ``w`` before that step; then the settings as 0-D
integers, and the 0-D string ``about``.  Nothing in it needs pickle.  It takes about a second.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

PIXELS, CLASSES = 64, 10
BATCH, RATE, HELD_OUT = 32, 0.5, 297
ABOUT = "Per-worker gradients of a perceptron on scikit-learn's digits; sparring's examples/digits_gradients.py."


class Data(NamedTuple):
    """Images, one a row of 64 pixels in 0..1, and the digit that each one shows."""

    images: Array
    labels: Labels

    def pick(self, which: slice | Labels) -> Data:
        """Some of them."""
        return Data(self.images[which], self.labels[which])


class Layers(NamedTuple):
    """A perceptron with one hidden layer of rectified linear units."""

    w1: Array  # (64, hidden)
    b1: Array  # (hidden,)
    w2: Array  # (hidden, 10)
    b2: Array  # (10,)


def flatten(layers: Layers) -> Array:
    """All parameters as one vector, the way in which an allreduce sees them."""
    return np.concatenate([part.ravel() for part in layers])


def unflatten(theta: Array) -> Layers:
    """The layers whose parameters the vector ``theta`` holds (views, no copies)."""
    hidden = (theta.size - CLASSES) // (PIXELS + 1 + CLASSES)
    w1, b1, w2, b2 = np.split(theta, np.cumsum([PIXELS * hidden, hidden, hidden * CLASSES]))
    return Layers(w1.reshape(PIXELS, hidden), b1, w2.reshape(hidden, CLASSES), b2)


def initial(hidden: int, seed: int) -> Array:
    """Random weights of He's variance, zero biases; flattened."""
    rng = np.random.default_rng(seed)
    w1 = rng.normal(0, np.sqrt(2 / PIXELS), (PIXELS, hidden))
    w2 = rng.normal(0, np.sqrt(2 / hidden), (hidden, CLASSES))
    return flatten(Layers(w1, np.zeros(hidden), w2, np.zeros(CLASSES)))


def forward(theta: Array, images: Array) -> tuple[Array, Array]:
    """The hidden activations, and the logarithm of the probability of each class; one row an image."""
    w1, b1, w2, b2 = unflatten(theta)
    active = np.maximum(images @ w1 + b1, 0)
    scores = active @ w2 + b2
    scores -= scores.max(axis=1, keepdims=True)
    return active, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def loss(theta: Array, data: Data) -> float:
    """The mean cross-entropy."""
    _, log_p = forward(theta, data.images)
    return float(-log_p[np.arange(len(data.labels)), data.labels].mean())


def gradient(theta: Array, data: Data) -> Array:
    """The gradient of :func:`loss` by ``theta``, by backpropagation."""
    active, log_p = forward(theta, data.images)
    d_scores = np.exp(log_p)
    d_scores[np.arange(len(data.labels)), data.labels] -= 1
    d_scores /= len(data.labels)
    d_active = (d_scores @ unflatten(theta).w2.T) * (active > 0)
    return flatten(Layers(data.images.T @ d_active, d_active.sum(0), active.T @ d_scores, d_scores.sum(0)))


def accuracy(theta: Array, data: Data) -> float:
    """The share of images whose likeliest class is the right one."""
    _, log_p = forward(theta, data.images)
    return float((log_p.argmax(axis=1) == data.labels).mean())


def digits(seed: int) -> tuple[Data, Data]:
    """The 1797 digits, shuffled, as 1500 to train on and 297 to test with."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    data = Data(images[order] / 16, labels[order].astype(np.int64))
    return data.pick(slice(HELD_OUT, None)), data.pick(slice(HELD_OUT))


def minibatch(shard: Data, rng: np.random.Generator) -> Data:
    """Some of a worker's images, drawn without replacement."""
    return shard.pick(rng.choice(len(shard.labels), min(BATCH, len(shard.labels)), replace=False))


def train(workers: int, hidden: int, steps: int, seed: int) -> dict[int, Array]:
    """Train, report, and return the gradients (workers, n) before steps 0, steps // 10 and ``steps``."""
    training, test = digits(seed)
    shards = [training.pick(slice(w, None, workers)) for w in range(workers)]
    rngs = [np.random.default_rng([seed, w]) for w in range(workers)]
    theta, snapshots = initial(hidden, seed), {}
    for t in range(steps + 1):
        batches = [minibatch(shard, rng) for shard, rng in zip(shards, rngs, strict=True)]
        gradients = np.stack([gradient(theta, batch) for batch in batches])
        if t in (0, steps // 10, steps):
            snapshots[t] = gradients
            print(f"step {t:4}: loss {loss(theta, training):.4f}, accuracy on new digits {accuracy(theta, test):.3f}")
        theta = theta - RATE * gradients.mean(axis=0)
    return snapshots


def save(path: Path, snapshots: Mapping[int, Array], **settings: int) -> None:
    """Write the snapshots as float32, then the settings.

    Training runs in float64, so that another BLAS changes the saved numbers by a rounding at most.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {f"step{t}": g.astype(np.float32) for t, g in snapshots.items()}
    arrays |= {name: np.array(value) for name, value in settings.items()}
    np.savez_compressed(path, allow_pickle=False, **arrays, about=np.array(ABOUT))


def main() -> None:
    """Read the command line, train, write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=128, help="hidden units; n = 75 * hidden + 10")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("digits_gradients.npz"))
    args = parser.parse_args()
    if not (1 <= args.workers <= 1500 and args.hidden >= 1 and args.steps >= 0):
        parser.error("there must be 1 to 1500 workers, at least 1 hidden unit, and 0 steps or more")
    settings = {"workers": args.workers, "hidden": args.hidden, "steps": args.steps, "seed": args.seed}
    save(args.out, train(**settings), **settings)


if __name__ == "__main__":
    main()
