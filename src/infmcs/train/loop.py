"""The training itself: steps, the running mean of the weights, validation, checkpoints, and going on after a kill.

All chance is drawn from the seed and the number of the step, and a checkpoint holds everything else, so a training that
was killed and resumed ends with the very weights it would have had.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from infmcs import provenance
from infmcs.errors import ModelError
from infmcs.models import Infmcs
from infmcs.train.loss import losses
from infmcs.train.recipe import Plan
from infmcs.train.supply import Supply
from infmcs.train.together import Together

Validate = Callable[[Infmcs], dict[str, float]]


@dataclass
class Progress:
    """How far a training is, and how good its best weights are."""

    step: int = 0
    best: float = math.inf
    best_step: int = 0
    waited: int = 0  # validations since the best
    seconds: float = 0.0


class Training:
    """A model on its way. `advance` takes one step; everything that changes is in `tensors` and `progress`."""

    def __init__(self, plan: Plan, model: Infmcs, supply: Supply, seed: int, together: Together) -> None:
        self.plan, self.model, self.supply, self.seed, self.together = plan, model, supply, seed, together
        recipe = plan.train
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=recipe.rate, weight_decay=recipe.decay, foreach=False, fused=False
        )
        self.mean = {name: weight.detach().clone() for name, weight in model.state_dict().items()}
        self.progress = Progress()

    def advance(self) -> dict[str, float]:
        """One step; what its losses were. A loss that is no number stops the training before it spoils the weights."""
        started, recipe, progress = time.monotonic(), self.plan.train, self.progress
        number = progress.step
        for group in self.optimizer.param_groups:
            group["lr"] = rate(recipe, number)
        step = self.supply.step(number, self.together.rank, self.together.device)
        self.model.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_seed(self.seed, number, self.together.rank))
            parts = losses(self.model, step, recipe)
            total = sum(parts.values(), torch.zeros((), device=self.together.device))
            self.optimizer.zero_grad(set_to_none=True)
            total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        self.together.mean(weight.grad for weight in self.model.parameters())
        longest = recipe.clip or math.inf
        length = torch.nn.utils.clip_grad_norm_(self.model.parameters(), longest, foreach=False)
        told = {name: float(value.detach()) for name, value in parts.items()}
        if not (math.isfinite(sum(told.values())) and bool(torch.isfinite(length))):
            graphs = ", ".join(str(graph) for graph in step.graphs[:8])
            raise ModelError(
                f"step {number + 1}: the loss or its gradient is no number ({told}); graphs {graphs}, …",
                hint="the last good weights are kept; a lower train.rate or train.clip = 1 may help",
            )
        self.optimizer.step()
        self._follow()
        progress.step += 1
        progress.seconds += time.monotonic() - started
        return told

    def _follow(self) -> None:
        """The running mean moves towards the weights; faster at the start, when old weights are worth nothing."""
        done = self.progress.step
        share = min(self.plan.train.average, (1 + done) / (10 + done)) if self.plan.train.average else 0.0
        for name, weight in self.model.state_dict().items():
            if weight.is_floating_point() and share:
                self.mean[name].lerp_(weight, 1 - share)
            else:
                self.mean[name].copy_(weight)

    def averaged(self) -> Infmcs:
        """The model with the running mean of its weights, ready to compare."""
        model = Infmcs(self.model.settings, self.model.inputs).to(self.together.device)
        model.load_state_dict(self.mean)
        return model.eval()

    # -- checkpoints ------------------------------------------------------------------------------------------

    def tensors(self) -> dict[str, Tensor]:
        """All that changes in a training but `progress`, by name."""
        found = {f"weights.{name}": weight for name, weight in self.model.state_dict().items()}
        found |= {f"mean.{name}": weight for name, weight in self.mean.items()}
        for (name, weight), state in self._moments().items():
            found[f"{name}.{weight}"] = state
        return found

    def restore(self, tensors: dict[str, Tensor], progress: Progress) -> None:
        """Go on from a checkpoint."""
        device = self.together.device
        parts: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            part, _, weight = name.partition(".")
            parts.setdefault(part, {})[weight] = tensor.to(device)
        self.model.load_state_dict(parts["weights"])
        self.mean = parts["mean"]
        self.progress = progress
        if progress.step:
            state = {
                number: {
                    "step": torch.tensor(float(progress.step)),
                    "exp_avg": parts["first"][name],
                    "exp_avg_sq": parts["second"][name],
                }
                for number, (name, _) in enumerate(self.model.named_parameters())
            }
            groups: list[dict[str, Any]] = self.optimizer.state_dict()["param_groups"]
            self.optimizer.load_state_dict({"state": state, "param_groups": groups})

    def _moments(self) -> dict[tuple[str, str], Tensor]:
        found = {}
        for name, weight in self.model.named_parameters():
            state = self.optimizer.state.get(weight, {})
            if state:
                found["first", name], found["second", name] = state["exp_avg"], state["exp_avg_sq"]
        return found


def rate(recipe: Any, step: int) -> float:
    """The learning rate of a step."""
    if recipe.schedule == "constant":
        return float(recipe.rate)
    rise = max(1, min(500, recipe.steps // 20))
    if step < rise:
        return float(recipe.rate * (step + 1) / rise)
    done = (step - rise) / max(1, recipe.steps - rise)
    return float(recipe.rate * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2))


def _seed(seed: int, step: int, process: int) -> int:
    return int(provenance.generator(seed, f"dropout of step {step}, process {process}").integers(2**62))
