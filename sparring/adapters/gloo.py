"""Code on ``torch.distributed``: processes of its gloo backend, which play examples as those of MPI do.

The processes are forked from one that has imported torch, since the import takes seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from sparring.adapters import collectives, extra, hooks
from sparring.checks.ranks.answers import Examined
from sparring.checks.ranks.group import Group
from sparring.checks.ranks.workers import Workers
from sparring.errors import InputError
from sparring.refinement.example import DTYPES

if TYPE_CHECKING:
    from sparring.checks.question import Question

SECONDS = 120.0
"""Seconds for importing torch and meeting each other."""


class GlooWorkers(Workers):
    """Waiting processes of ``torch.distributed``; ``kind`` is what their targets are.

    It is "function", "hook", or "new hook" for one that is judged from its first call on.
    """

    def __init__(self, size: int, timeout: float, kind: str) -> None:
        self.kind = kind
        super().__init__(size, timeout)

    def launched(self, output: IO[bytes], env: dict[str, str]) -> subprocess.Popen[bytes]:
        command = ["-P", "-m", "sparring.adapters.gloo_rank", str(self.folder), str(self.size), self.kind]
        return subprocess.Popen(
            [sys.executable, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env={**env, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": loopback()}, start_new_session=True,
        )  # fmt: skip

    def starter(self) -> str:
        return "the process that starts torch's ranks"


def loopback() -> str:
    """Return the network interface by which processes of one machine talk; without it gloo looks up the host's name."""
    return os.environ.get("GLOO_SOCKET_IFNAME") or ("lo" if Path("/sys/class/net/lo").exists() else "lo0")


class Functions(Group):
    """``f(group, x, /, **params) -> y`` with a process group and tensors on the CPU, or a class as for MPI."""

    dtypes: ClassVar[Sequence[str]] = DTYPES
    examples: ClassVar[int] = 100
    patience: ClassVar[float] = 10.0
    costly: ClassVar[bool] = True
    kind: str = "function"
    found: ClassVar[Callable[..., tuple[Any, Mapping[str, Any]]]] = staticmethod(collectives.found)
    """How torch's own targets are found by their names."""

    def __init__(self, question: Question) -> None:
        extra.there()
        if question.level != "result":
            raise InputError(f"level {question.level!r}: what torch sends is not seen; leave it out")
        if question.sparse or (question.stateful and not question.reduces):
            raise InputError("on torch a target takes and returns dense tensors: no algorithm of sparse vectors")
        self.found(question.target, question.params)
        super().__init__(max(question.ranks), timeout=SECONDS)

    def load(self, target: Any) -> None:
        super().load(self.found(target)[0])

    def start(self) -> Workers:
        if self.workers is None:
            self.workers = GlooWorkers(self.size, SECONDS, self.kind)
        return self.workers

    def examine(self, target: Any, xs: Sequence[Any], *, trace: bool = False, **asked: Any) -> Examined:
        """Examine as :meth:`Group.examine` does, without a record of messages."""
        target, told = self.found(target)
        return super().examine(target, xs, trace=False, **{**asked, **told})


class Hooks(Functions):
    """Communication hooks of DDP: ``hook(group, bucket) -> Future``, or a class ``T(group, n)`` called with a bucket.

    A hook returns the mean: the division, and the multiplication that turns the mean into the sum, round once each.
    """

    dtypes: ClassVar[Sequence[str]] = ("float32", "float64")
    kind: str = "hook"
    found: ClassVar[Callable[..., tuple[Any, Mapping[str, Any]]]] = staticmethod(hooks.found)

    def __init__(self, question: Question) -> None:
        if question.averages:
            raise InputError(
                "on ddp the mean that a hook leaves is multiplied by the number of ranks, and judged as the sum is: "
                "leave mean out of the contract"
            )
        if not isinstance(buckets := question.params.get(hooks.BUCKETS, 1), int) or buckets < 1:
            raise InputError(f"{hooks.BUCKETS}={buckets!r}: it must be a whole number, 1 or more")
        self.kind = "new hook" if question.reduces else "hook"
        super().__init__(question)

    def examine(self, target: Any, xs: Sequence[Any], **asked: Any) -> Examined:
        unseen = {
            "input untouched": "a hook may do with the bucket what it likes",
            "own memory": "a hook's result is what DDP makes of it",
            "special values": "a hook gives a mean, which rounds what is next to zero",
        }
        return super().examine(target, xs, **asked)._replace(unseen=unseen, roundings=2)
