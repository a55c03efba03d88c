"""The communication hooks that torch ships, as targets, by their own names: ``torch:fp16_compress_hook``.

They are classes, made once a model: DDP looks at the annotations of functions.  ``torch:ddp`` is DDP without a hook.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sparring.adapters import OWN, extra
from sparring.errors import InputError, did_you_mean

BUCKETS = "buckets"
"""The parameter that says into how many weights, each a bucket of its own, the gradient is cut."""


class NoHook:
    """Stands for no hook: DDP reduces as it does by default."""


class Shipped:
    """A hook of one of torch's modules, which is given the group."""

    def __init__(self, group: Any, n: int, *, module: str, name: str) -> None:
        self.state, self.hook = group, getattr(shipped(module), name)

    def __call__(self, bucket: Any) -> Any:
        return self.hook(self.state, bucket)


class PowerSGD(Shipped):
    """PowerSGD with its state, from the third iteration on; whatever the size of a matrix, it is compressed."""

    def __init__(self, group: Any, n: int, *, module: str, name: str, **options: Any) -> None:
        super().__init__(group, n, module=module, name=name)
        how = {"start_powerSGD_iter": 2, "min_compression_rate": 0.1, **options}
        self.state, self.n = shipped(module).PowerSGDState(group, **how), n
        self.none = extra.torch().zeros(n)

    def __call__(self, bucket: Any) -> Any:
        self.none = self.none.to(bucket.buffer())
        return super().__call__(bucket)

    @property
    def residual(self) -> Any:
        """What is kept of the only bucket: zeros as long as nothing has been compressed; None of several buckets."""
        kept = [*self.state.error_dict.values()] or [self.none]
        return kept[0][: self.n] if len(kept) == 1 else None


class LocalSGD(Shipped):
    """Reduces the gradients of so many iterations, by default two, and none after them."""

    def __init__(
        self,
        group: Any,
        n: int,
        *,
        module: str,
        name: str,
        start_localSGD_iter: int = 2,  # noqa: N803  # torch's name
    ) -> None:
        super().__init__(group, n, module=module, name=name)
        own = {"subgroup": None, "post_local_gradient_allreduce": False}
        self.state = shipped(module).PostLocalSGDState(group, start_localSGD_iter=start_localSGD_iter, **own)


def shipped(module: str) -> Any:
    """Return a module of torch's hooks."""
    return extra.torch(f"distributed.algorithms.ddp_comm_hooks.{module}")


MODULES: Mapping[str, str] = {
    **dict.fromkeys(("allreduce_hook", "fp16_compress_hook", "bf16_compress_hook"), "default_hooks"),
    **dict.fromkeys(("quantization_pertensor_hook", "quantization_perchannel_hook"), "quantization_hooks"),
    **dict.fromkeys(("powerSGD_hook", "batched_powerSGD_hook"), "powerSGD_hook"),
    "post_localSGD_hook": "post_localSGD_hook",
    "noop_hook": "debugging_hooks",
}
"""The hooks, and where they are."""
CLASSES: Mapping[str, type[Shipped]] = {"powerSGD_hook": PowerSGD, "post_localSGD_hook": LocalSGD}
"""How the hooks of some modules are called."""
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "powerSGD_hook": (
        "matrix_approximation_rank", "start_powerSGD_iter", "min_compression_rate", "use_error_feedback", "warm_start",
        "orthogonalization_epsilon", "batch_tensors_with_same_shape",
    ),
    "post_localSGD_hook": ("start_localSGD_iter",),
}  # fmt: skip
"""What their states take."""
NAMES = ("ddp", *MODULES)
"""The targets' names, without what all begin with."""


def found(target: Any, params: Mapping[str, Any] = MappingProxyType({})) -> tuple[Any, dict[str, str]]:
    """Return a target as ranks find it, and what they tell it: of torch's own hooks, where they are.

    Raises InputError for a name that is none, and for parameters that the hook does not take.
    """
    if not (isinstance(target, str) and target.startswith(OWN)):
        return target, {}
    name = target.removeprefix(OWN)
    if name not in NAMES:
        raise InputError(f"{target}: {did_you_mean(name, NAMES)}the hooks are {', '.join(NAMES)}")
    module = MODULES.get(name, "")
    known = (BUCKETS, *OPTIONS.get(module, ()))
    if unknown := [one for one in params if one not in known]:
        raise InputError(f"{target} takes {', '.join(known)}, not {unknown[0]!r}")
    made = CLASSES.get(module, Shipped if module else NoHook)
    return f"{__name__}:{made.__name__}", {"module": module, "name": name} if module else {}
