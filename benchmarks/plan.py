"""Fits what exact answers cost: `python -m benchmarks.plan` measures searches and writes answers/solver_costs.json.

Pairs: the bundled molecules, and random graphs of many sizes, densities and numbers of labels. Each is searched for up
to CAP search nodes; a search that hits the cap says only 'at least so many' and enters the fit as such. Search nodes
are counted, because they do not depend on how busy the machine is; seconds of the processor a node are the median of
long searches.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import infmcs
from infmcs import Collection, Graph, Question, datasets, durable, provenance, solve
from infmcs.answers import plan
from infmcs.solve import Budget, Solution

HOME = Path(infmcs.__file__).parent / "answers" / "solver_costs.json"
CAP = {"mcs": 300_000, "ged": 60_000, "loose": 60_000}
LARGEST = {"mcs": 200, "ged": 40, "loose": 40}  # nodes: beyond, all but trivial searches are open
LOOSE = Question(induced=False, count="edges")
PAIRS = {"molecules": 1200, "random": 1600}
RIDGE = 1e-2
SEED = 11


def random_graph(rng: np.random.Generator) -> Graph:
    """A graph of 3 to 60 nodes: a tree, a sparse graph or a dense one, with 1 to 8 labels."""
    size = round(float(np.exp(rng.uniform(np.log(3), np.log(60)))))
    labels = rng.integers(0, int(rng.choice([1, 1, 2, 4, 8])), size)
    tree = [(int(rng.integers(0, v)), v) for v in range(1, size)]
    density = float(rng.choice([0.0, 0.0, 0.05, 0.2, 0.5]))
    more = [(u, v) for v in range(size) for u in range(v) if rng.random() < density]
    return Graph.from_edges(size, tree + more, labels.tolist())


def searched(a: Graph, b: Graph, kind: str) -> Solution:
    """One search, up to the cap."""
    budget = Budget(visits=CAP[kind])
    if kind == "ged":
        return solve.edit_distance(a, b, budget=budget)
    return solve.max_common_subgraph(a, b, LOOSE if kind == "loose" else Question(), budget)


def measured(pairs: list[tuple[Graph, Graph]], kind: str) -> dict[str, Any]:
    """Features, search nodes and seconds of each pair; `open` where the cap was hit."""
    rows, visits, seconds, open_ = [], [], [], []
    for a, b in pairs:
        started = time.process_time()
        found = searched(a, b, kind)
        seconds.append(time.process_time() - started)
        rows.append(plan.features(a, b))
        visits.append(found.visited + 1)
        open_.append(not found.proved)
    return {"rows": np.array(rows), "visits": np.array(visits), "seconds": np.array(seconds), "open": np.array(open_)}


def fitted(rows: Any, visits: Any, open_: Any) -> tuple[Any, float]:
    """Weights and spread. An open search is set to what the fit expects of it, given that it is beyond the cap."""
    target = np.log(visits)
    weights = np.zeros(rows.shape[1])
    for _ in range(40):
        weights = np.linalg.solve(rows.T @ rows + RIDGE * np.eye(rows.shape[1]), rows.T @ target)
        guess = rows @ weights
        target = np.where(open_, np.maximum(np.log(visits) + 0.5, guess), np.log(visits))
    spread = float(np.sqrt(np.mean((target - rows @ weights) ** 2)))
    return weights, spread


def main() -> None:
    """Measure, fit, judge on pairs held back, write."""
    rng = provenance.generator(SEED, "pairs to fit solver costs")
    molecules = datasets.load("molecules")
    drawn = [molecules[int(i)] for i in rng.integers(0, len(molecules), 2 * PAIRS["molecules"])]
    made = [random_graph(rng) for _ in range(2 * PAIRS["random"])]
    every = [*drawn, *made]
    record: dict[str, Any] = {}
    digest = Collection.from_graphs([graph.undirected(False) for graph in made]).digest
    for kind in CAP:
        pairs = list(zip(every[::2], every[1::2], strict=True))
        pairs = [(a, b) for a, b in pairs if max(a.size, b.size) <= LARGEST[kind]]
        pairs = pairs if kind == "mcs" else pairs[::2]
        told = measured(pairs, kind)
        held = np.arange(len(pairs)) % 5 == 0
        weights, _ = fitted(told["rows"][~held], told["visits"][~held], told["open"][~held])
        level = told["rows"][held] @ weights
        closed = ~told["open"][held]
        error = float(np.median(np.abs(level[closed] - np.log(told["visits"][held][closed])))) / np.log(10)
        weights, spread = fitted(told["rows"], told["visits"], told["open"])
        sure = told["rows"] @ weights + plan.SURE * spread <= np.log(CAP[kind])
        long = told["visits"] > 2_000
        record[kind] = {
            "weights": [round(float(w), 6) for w in weights],
            "spread": round(spread, 4),
            "seconds_a_visit": float(f"{np.median(told['seconds'][long] / told['visits'][long]):.3g}"),
            "pairs": len(pairs),
            "open": int(told["open"].sum()),
            "cap": CAP[kind],
            "held_back_median_error_decades": round(error, 3),
            "held_back_called_affordable_and_were": [
                int((sure & ~told["open"])[held].sum()),
                int(sure[held].sum()),
            ],
        }
        print(kind, json.dumps(record[kind], indent=1))
    record["record"] = provenance.record(seed=SEED, molecules=molecules.digest, random=digest)
    durable.write_text(HOME, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
