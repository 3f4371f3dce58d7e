"""What a training makes small: how far similarities lie outside what is proven, and nodes from the optimal ones."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (its usual name)

from infmcs.models import Infmcs
from infmcs.models.infmcs import Tile
from infmcs.train.recipe import Recipe
from infmcs.train.supply import Optima, Step


def losses(model: Infmcs, step: Step, recipe: Recipe) -> dict[str, Tensor]:
    """The parts of the loss of one step, already weighted."""
    sizes = step.batch.sizes.to(step.lower.device)
    tiles = list(model.tiles(step.batch))
    predicted = model.square(tiles, sizes)
    i, j = torch.triu_indices(len(sizes), len(sizes), 1, device=sizes.device)
    weight = balanced(step.lower[i, j]) if recipe.balance else None
    low, high, scale = step.lower[i, j], step.upper[i, j], (sizes[i] + sizes[j]) / 2

    def error(found: Tensor) -> Tensor:
        if recipe.loss == "entropy":
            each = F.binary_cross_entropy(found.clamp(1e-6, 1 - 1e-6), low, reduction="none")
        else:
            outside = found - torch.minimum(torch.maximum(found, low), high)  # 0 inside what is proven
            each = (outside * (scale if recipe.loss == "nodes" else 1.0)).square()
        return each.mean() if weight is None else (weight * each).mean()

    found = predicted[i, j]
    parts = {"similarity": error(found)}
    if model.settings.whole != "none":  # a staircase is flat at whole numbers, wrong ones too: it teaches itself alone
        parts["whole"] = error(model.whole(found.detach(), scale.clamp(min=0.5)))
    if step.optima is not None:
        nodes, attention = supervision(tiles, step.optima)
        parts |= {"nodes": recipe.node_weight * nodes, "attention": recipe.attention_weight * attention}
    return parts


def supervision(tiles: list[Tile], optima: Optima) -> tuple[Tensor, Tensor]:
    """Cross entropy of node scores to the share of largest common subgraphs that use a node, and of attention to who
    its partners are there; means over the nodes of the smaller graphs, and over their shares.
    """
    nodes, partners, count, total = [], [], torch.zeros(()), torch.zeros(())
    for tile in tiles:
        meant = tile.meant.view(*tile.meant.shape, 1, 1)
        shares = optima.of(tile.left, tile.right, *tile.attention.shape[2:]) * meant
        target = shares.sum(-1).clamp(max=1)
        inside = (torch.arange(target.shape[-1], device=target.device) < optima.ends[tile.left].unsqueeze(-1)) & (
            meant.squeeze(-1)
        )
        scores = tile.scores.clamp(1e-6, 1 - 1e-6)
        nodes.append(F.binary_cross_entropy(scores, target, weight=inside.to(scores), reduction="sum"))
        partners.append(-(shares * tile.attention.clamp(min=1e-6).log()).sum())
        count, total = count + inside.sum().cpu(), total + shares.sum().cpu()
    return torch.stack(nodes).sum() / count.clamp(min=1), torch.stack(partners).sum() / total.clamp(min=1)


def balanced(values: Tensor) -> Tensor:
    """Weights with mean 1 under which each tenth of the scale that occurs counts alike."""
    tenth = (values * 10).long().clamp(max=9)
    counts = torch.bincount(tenth, minlength=10)
    return len(values) / (counts[tenth] * (counts > 0).sum())
