"""Ranks for targets that are no mpi4py functions: programs, and code on ``torch.distributed``.

``check`` plays its examples through an adapter, which knows how to run them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from sparring.errors import InputError

if TYPE_CHECKING:
    from sparring.checks.question import Question
    from sparring.checks.ranks.answers import Examined

NAMES: Mapping[str, str] = {
    "command": "sparring.adapters.executable:Executable",
    "torch": "sparring.adapters.gloo:Functions",
    "ddp": "sparring.adapters.gloo:Hooks",
}
"""The adapters' modules, by the name that ``check`` gives to the place ``on`` which they run a target."""
OWN = "torch:"
"""How the names of targets begin that are torch's own."""
BATCHES = "sparring.adapters.batches:Batches"
"""The adapter of commands that play many examples in one launch."""


class Adapter(Protocol):
    """A way to run the examples of one question on ranks.

    Creating it raises InputError where it cannot serve the question.
    """

    dtypes: ClassVar[Sequence[str]]
    """The dtypes of vectors that its targets can take at all."""
    examples: ClassVar[int]
    """How many examples are drawn by default."""
    patience: ClassVar[float]
    """Seconds after which an example counts as hanging, unless the target is known to need more."""
    costly: ClassVar[bool]
    """Whether a failure costs more than a success, so that failing examples are not repeated."""

    def __init__(self, question: Question) -> None: ...

    def load(self, target: Any) -> None:
        """Import the target on ranks that stay, unless they have it; raise InputError where it does not load."""
        ...

    def examine(
        self, target: Any, xs: Sequence[Any], *, calls: int, rows: bool, trace: bool, timeout: float, **params: Any
    ) -> Examined:
        """Run ``target`` where rank ``r`` has ``xs[r]``; raise RankFailed or Hang."""
        ...

    def stop(self) -> None:
        """End what was started, and remove what was written."""
        ...


def place_of(target: Any, on: str) -> str:
    """Return where ``target`` runs: a command on ranks of its own, everything else as asked.

    Raises InputError where the two do not belong together.
    """
    words = isinstance(target, list | tuple)
    if words and on not in ("simulated", "command"):
        raise InputError(f"on={on!r}: a program runs by its own command; leave it out")
    if on == "command" and not words:
        raise InputError(f"on='command': {target!r} is no list of words such as ['mpiexec', './a.out', …]")
    if isinstance(target, str) and target.startswith(OWN) and on not in ("torch", "ddp"):
        raise InputError(f"{target}: {not_there(on)}; right: on='torch', its backend gloo, or on='ddp' for hooks")
    return "command" if words else on


def not_there(on: str) -> str:
    """Say why torch's own collectives do not run in that place."""
    if on != "mpi":
        return "torch's own run on torch alone"
    from sparring.adapters import extra

    built = extra.torch("distributed").is_mpi_available()
    return "torch's backend mpi is not tried" if built else "this torch is built without MPI"


def find(on: str, target: Any) -> type[Adapter] | None:
    """Return the adapter for that target in that place; None where there is none."""
    if on not in NAMES:
        return None
    batched = on == "command" and any("{batch}" in word for word in target)
    home, _, name = (BATCHES if batched else NAMES[on]).partition(":")
    return cast("type[Adapter]", getattr(import_module(home), name))
