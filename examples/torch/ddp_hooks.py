"""Allreduces of torch, and communication hooks of its DDP, for sparring to judge.

    pip install "sparring[torch]"
    sparring check examples/torch/ddp_hooks.py:allreduce --on torch
    sparring check examples/torch/ddp_hooks.py:fp16 --on ddp --xfail "result=rounds to float16"

DDP looks at a hook's annotations, so this file does without those of __future__.
"""

from importlib.util import find_spec, module_from_spec
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook, quantization_hooks
from torch.futures import Future

import sparring


def allreduce(group: Any, x: Any) -> Any:
    """What gloo's own gives; the input stays as it is."""
    y = x.clone()
    dist.all_reduce(y, group=group)
    return y


def in_place(group: Any, x: Any) -> Any:
    """The same over the input: check finds it touched."""
    dist.all_reduce(x, group=group)
    return x


mean = default_hooks.allreduce_hook
fp16 = default_hooks.fp16_compress_hook
quantised_as_it_is = quantization_hooks.quantization_pertensor_hook
"""Fails on gloo: it takes the first of what a gather's future holds for a tensor of all, as NCCL has it."""


def stacked(ys: list[Any], x: Any, **how: Any) -> Any:
    """A gather whose future holds a list of one tensor, with a row a rank."""
    future = dist.all_gather(ys, x, **how).get_future().then(lambda done: [torch.stack(done.value())])
    return SimpleNamespace(get_future=lambda: future)


def quantised(group: Any, bucket: dist.GradBucket) -> Future[Tensor]:
    """The same hook, in a copy of its module where gloo's futures hold what NCCL's do."""
    return SECOND.quantization_pertensor_hook(group, bucket)


def quantised_by_channel(group: Any, bucket: dist.GradBucket) -> Future[Tensor]:
    """The hook that quantises each 512 entries by themselves, in the same copy."""
    return SECOND.quantization_perchannel_hook(group, bucket)


found = find_spec(quantization_hooks.__name__)
SECOND = module_from_spec(found)
found.loader.exec_module(SECOND)
SECOND.dist = SimpleNamespace(all_gather=stacked, group=dist.group, get_rank=dist.get_rank)


ring_sparse = sparring.torch.hook("ring_sparse")
ring = sparring.torch.hook("ring")


class TopK:
    """Ours that keeps a residual: each model gets its own."""

    def __init__(self, group: Any, n: int, k: int = 1) -> None:
        self.group, self.hook = group, sparring.torch.hook("ring_topk", k=k)

    def __call__(self, bucket: Any) -> Any:
        return self.hook(self.group, bucket)


class PowerSGD:
    """The hook with its state, which a DDP model has for itself; matrices of rank 1, from the third iteration on."""

    def __init__(self, group: Any, n: int, rate: float = 0.1) -> None:
        self.state = powerSGD_hook.PowerSGDState(
            group, start_powerSGD_iter=2, min_compression_rate=rate, orthogonalization_epsilon=1e-8
        )

    def __call__(self, bucket: Any) -> Any:
        return powerSGD_hook.powerSGD_hook(self.state, bucket)
