"""How ranks and source lines are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from sparring.flight_recorder.dumps import Frame

TORCH = ("/torch/distributed/", "/torch/nn/", "/torch/autograd/", "/torch/_")
"""Where frames of torch itself lie: those that say nothing of the caller."""
SHOWN = 8
"""The most spans of ranks that a sentence lists."""


def ranks_told(ranks: Iterable[int]) -> str:
    """Return ranks as text.

    >>> ranks_told([3]), ranks_told([0, 2]), ranks_told([0, 1, 2, 3, 7])
    ('rank 3', 'ranks 0 and 2', 'ranks 0-3 and 7')
    """
    found = sorted(ranks)
    spans = [[r for _, r in run] for _, run in groupby(enumerate(found), key=lambda pair: pair[1] - pair[0])]
    texts = [text for s in spans for text in ([f"{s[0]}-{s[-1]}"] if len(s) > 2 else map(str, s))]
    if len(texts) > SHOWN:
        texts = [*texts[: SHOWN - 1], f"{len(found)} ranks in all"]
    joined = " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]
    return f"rank{'s' * (len(found) > 1)} {joined}"


def line_told(frames: Sequence[Frame]) -> str:
    """Return the source line of a call, the innermost that is not torch's own; empty where there are no frames."""
    own = [frame for frame in frames if not any(part in frame.filename.replace("\\", "/") for part in TORCH)]
    for frame in own or frames:
        return printable(f"{PurePosixPath(frame.filename.replace(chr(92), '/')).name}:{frame.line}")
    return ""


def parted(values: Mapping[int, str]) -> list[tuple[list[int], str]]:
    """Return the ranks of each value, the value of the fewest ranks first.

    >>> parted({0: "a", 1: "b", 2: "a"})
    [([1], 'b'), ([0, 2], 'a')]
    """
    ranks: dict[str, list[int]] = {}
    for rank, value in sorted(values.items()):
        ranks.setdefault(value, []).append(rank)
    return sorted(((found, value) for value, found in ranks.items()), key=lambda pair: (len(pair[0]), pair[0]))


def printable(text: str) -> str:
    """Return what a file says, without characters that would steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


LONG = 200


def cut(text: str) -> str:
    """Return a text that is not too long for a sentence."""
    return text if len(text) <= LONG else f"{text[:LONG]} …"


def at(line: str) -> str:
    """Return " at LINE", or nothing where the line is not known."""
    return f" at {line}" if line else ""
