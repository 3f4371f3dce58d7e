"""How many training pairs a second: `python -m benchmarks.training`.

Inside the clock is everything a step does: drawing graphs, their exact labels, for our presets all optimal subgraphs as
node targets, forward, backward, the optimiser, the running mean. One thread, and seconds of its processor time, so that
other work on the machine does not count; it still slows caches and clocks. The peer in the same run is the same model
on the same pairs, each pair encoded for itself, as models that compare graphs jointly have to; both losses are checked
to be equal. The published-code figures of H2MN (28–39 pairs a second) and GMN (406–631) are of the same kind of pairs
but of another machine and run; they are printed for scale and are no peer of this run.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from infmcs import datasets, durable, models, provenance, train
from infmcs.collection import Collection
from infmcs.train.loop import Training
from infmcs.train.loss import losses
from infmcs.train.supply import Supply
from infmcs.train.together import Together

RECORD = Path(__file__).parent / "record" / "training.json"
TARGET = 10_000
CASES = (("infmcs", 32), ("infmcs", 64), ("refined", 32), ("paper", 32), ("base", 32))
SECONDS, WARM = 2.0, 2


def speed(graphs: Collection, preset: str, block: int) -> dict[str, Any]:
    """Pairs a second of whole steps, and of the same model without sharing encodings."""
    plan = train.plan(preset, graphs=block, edited=2)
    model = models.build(plan.model, graphs)
    supply = Supply(graphs, plan.train, model.inputs, seed=0)
    training = Training(plan, model, supply, 0, Together())
    for _ in range(WARM):
        training.advance()
    took: list[float] = []
    while sum(took) < SECONDS:
        started = time.process_time()
        training.advance()
        took.append(time.process_time() - started)
    pairs = plan.train.a_step
    return {
        "preset": preset,
        "graphs a step": block,
        "pairs a step": pairs,
        "pairs a second": pairs * len(took) / sum(took),
        "best step": pairs / min(took),
        "each pair by itself": alone(model, supply, plan.train),
        "steps": len(took),
    }


def alone(model: models.Infmcs, supply: Supply, recipe: train.Recipe) -> float:
    """Pairs a second, forward and backward, when every pair's two graphs are encoded for that pair alone."""
    step = supply.step(WARM)
    model.eval()  # without dropout both ways of computing give the same loss
    parts = losses(model, step, recipe)
    together = float(parts.get("whole", parts["similarity"]).detach())  # what a forward pass answers
    i, j = np.triu_indices(len(step.graphs), 1)
    started = time.process_time()
    both = supply.prepared.batch(np.concatenate((step.graphs[i], step.graphs[j])))
    count = len(i)
    found = model(both, torch.arange(count), torch.arange(count, 2 * count))
    low, high = step.lower[i, j], step.upper[i, j]
    sizes = torch.from_numpy(supply.pool.sizes[step.graphs])
    scale = (sizes[i] + sizes[j]) / 2 if recipe.loss == "nodes" else 1.0
    error = ((found - torch.minimum(torch.maximum(found, low), high)) * scale).square().mean()
    error.backward()
    seconds = time.process_time() - started
    assert abs(float(error.detach()) - together) <= 1e-3 * max(1.0, together), (float(error.detach()), together)
    return count / seconds


def main() -> None:
    """Measure, print, write the record."""
    torch.set_num_threads(1)
    found = datasets.load("molecules")
    graphs = found.take(np.flatnonzero(found.sizes <= 15)[:1000])
    rows = [speed(graphs, preset, block) for preset, block in CASES]
    print(f"{'preset':>8} {'graphs':>6} {'pairs/s':>9} {'best':>9} {'alone':>8} {'ratio':>6}")
    for row in rows:
        ratio = row["best step"] / row["each pair by itself"]
        print(
            f"{row['preset']:>8} {row['graphs a step']:>6} {row['pairs a second']:>9,.0f} {row['best step']:>9,.0f} "
            f"{row['each pair by itself']:>8,.0f} {ratio:>6.1f}"
        )
    best = max(row["best step"] for row in rows if row["preset"] == "infmcs")
    print(f"target {TARGET:,} pairs a second for infmcs: {'reached' if best > TARGET else 'missed'} ({best:,.0f})")
    print("for scale, published code on another machine: H2MN 28–39, GMN 406–631 pairs a second")
    record = {"graphs": "1,000 bundled molecules of at most 15 nodes", "target": TARGET, "rows": rows}
    durable.write_text(RECORD, json.dumps({**record, **provenance.record()}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
