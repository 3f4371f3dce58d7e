"""One process, or several that torchrun started: each draws its own pairs, and all take the mean gradient."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed

from infmcs.errors import ConfigError

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Together:
    """Which of how many processes this is, and on what it computes."""

    rank: int = 0
    count: int = 1
    device: torch.device = CPU

    def mean(self, gradients: Iterable[Tensor | None]) -> None:
        """Every gradient becomes the mean over the processes."""
        if self.count > 1:
            found = [gradient for gradient in gradients if gradient is not None]
            flat = torch.cat([gradient.reshape(-1) for gradient in found])
            distributed.all_reduce(flat)
            flat /= self.count
            for gradient, part in zip(found, torch.split(flat, [g.numel() for g in found]), strict=True):
                gradient.copy_(part.view_as(gradient))

    @property
    def first(self) -> bool:
        """Whether this process writes files and speaks."""
        return self.rank == 0


@contextmanager
def together(device: str = "auto") -> Iterator[Together]:
    """Where this process stands among those torchrun started; alone when nothing did. Alike on CPU and GPU."""
    if device not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"device = {device!r}", hint="auto, cpu or cuda")
    gpu = torch.cuda.is_available()
    if device == "cuda" and not gpu:
        raise ConfigError("device = 'cuda', but torch sees no GPU here", hint="device = 'auto' takes what there is")
    kind = "cuda" if gpu and device != "cpu" else "cpu"
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Together(device=torch.device(kind))
        return
    local = torch.device(kind, int(os.environ["LOCAL_RANK"])) if kind == "cuda" else torch.device(kind)
    distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
    try:
        yield Together(distributed.get_rank(), distributed.get_world_size(), local)
    finally:
        distributed.destroy_process_group()
