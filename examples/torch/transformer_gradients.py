"""Per-worker gradients of a small transformer, layer by layer, for ``sparring advise``.

    pip install "sparring[torch]"
    python examples/torch/transformer_gradients.py --out transformer.npz
    sparring advise transformer.npz --ranks 8,64

The gradients that ship with sparring were made so, by an early version of its text:

    python examples/torch/transformer_gradients.py --width 16 --steps 301 --moments 0,30,300

It predicts the next character of sparring's own source files, which are wherever sparring is.  The
workers train as data-parallel ones do: each has its own part of the text, all add their gradients
up, and take the same step.  What is saved is each worker's gradient before the last step; every
parameter is an array whose first axis is the worker.  Or, of several moments, ``step0``, ``step30``, ...,
the whole gradient: a row a worker.
"""

import argparse
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

CONTEXT = 64  # characters that are looked at
BATCH = 8  # pieces of text a worker and step
RATE = 3e-3


class Transformer(nn.Module):
    """Characters in, for each the scores of the next one out."""

    def __init__(self, characters: int, width: int, depth: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(characters, width)
        self.position = nn.Parameter(0.02 * torch.randn(CONTEXT, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.out = nn.Linear(width, characters)

    def forward(self, text: Tensor) -> Tensor:
        """``text``: pieces by characters, as numbers."""
        length = text.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        return self.out(self.blocks(self.embedding(text) + self.position[:length], mask=mask, is_causal=True))


def source() -> str:
    """The text of all files of the package, in the order of their names."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(found(Path(str(files("sparring"))))))


def found(folder: Path) -> Iterator[Path]:
    """The Python files below a folder."""
    for path in folder.iterdir():
        if path.is_dir():
            yield from found(path)
        elif path.suffix == ".py":
            yield path


def pieces(text: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Some pieces of a worker's text, and the characters that follow."""
    starts = rng.integers(0, len(text) - CONTEXT - 1, BATCH)
    return tuple(torch.stack([text[s + shift : s + shift + CONTEXT] for s in starts]) for shift in (0, 1))


def gradients(model: Transformer, text: Tensor, rng: np.random.Generator) -> tuple[dict[str, Tensor], float]:
    """A worker's gradient of the mean cross-entropy, by parameter, and that loss."""
    inputs, targets = pieces(text, rng)
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    loss.backward()
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters()}, loss.item()


def train(workers: int, steps: int, width: int, depth: int, seed: int) -> Iterator[dict[str, np.ndarray]]:
    """Train; before each step, every worker's gradient by parameter, the worker being the first axis."""
    torch.manual_seed(seed)
    text = source()
    letters = sorted({*text})
    number = {letter: i for i, letter in enumerate(letters)}
    shards = torch.tensor([number[letter] for letter in text]).chunk(workers)
    rngs = [np.random.default_rng([seed, w]) for w in range(workers)]
    model = Transformer(len(letters), width, depth)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE)
    for step in range(steps):
        told = [gradients(model, shard, rng) for shard, rng in zip(shards, rngs, strict=True)]
        stacked = {name: torch.stack([gradient[name] for gradient, _ in told]) for name in told[0][0]}
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step:4}: loss {np.mean([loss for _, loss in told]):.3f}")
        yield {name: gradient.numpy() for name, gradient in stacked.items()}
        for name, parameter in model.named_parameters():
            parameter.grad = stacked[name].mean(0)
        optimiser.step()


def whole(layers: dict[str, np.ndarray]) -> np.ndarray:
    """A row a worker: its layers one after the other."""
    return np.concatenate([layer.reshape(len(layer), -1) for layer in layers.values()], axis=1)


def numbers(text: str) -> set[int]:
    """Those that commas separate."""
    return {int(number) for number in text.split(",")}


def main() -> None:
    """Read the command line, train, write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("transformer.npz"))
    parser.add_argument("--moments", type=numbers, help="whole gradients before these steps, such as 0,30,300")
    given = parser.parse_args()
    moments = given.moments or {given.steps - 1}
    if not moments <= {*range(given.steps)}:
        parser.error(f"argument --moments: steps are 0 to {given.steps - 1}")
    seen = enumerate(train(given.workers, given.steps, given.width, given.depth, given.seed))
    kept = {step: layers for step, layers in seen if step in moments}
    layers = next(iter(kept.values()))
    arrays = {f"step{step}": whole(each) for step, each in kept.items()} if given.moments else layers
    np.savez(given.out, allow_pickle=False, **arrays)
    print(f"{given.out}: {given.workers} workers, {whole(layers).shape[1]} entries each in {len(layers)} layers")


if __name__ == "__main__":
    main()
