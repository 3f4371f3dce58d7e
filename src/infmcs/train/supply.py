"""What a training step is fed: graphs drawn afresh, and the true similarity of all their pairs.

What is drawn depends on the seed, the step and the process alone, so a training that was killed goes on exactly as it
would have. Labels come from the exact solver when they are needed: microseconds a pair, less than a file would cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from infmcs import pairs, provenance, solve
from infmcs.batch import Batch, Inputs, Prepared, prepare
from infmcs.certify import Question
from infmcs.collection import Collection, Texts
from infmcs.errors import ConfigError, QuestionError
from infmcs.solve.budget import Budget
from infmcs.train.edits import copies
from infmcs.train.recipe import Recipe

CHUNK = 100_000  # pairs between two looks at the progress


@dataclass(frozen=True)
class Truth:
    """Between which proven bounds the similarity of each two graphs lies: squares, 1 on the diagonal."""

    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]

    def of(self, places: npt.NDArray[np.int64]) -> Truth:
        """The same of some of the graphs."""
        cells = np.ix_(places, places)
        return Truth(self.lower[cells], self.upper[cells])

    @property
    def middle(self) -> npt.NDArray[np.float64]:
        """The true value where it is proven, else the middle of what is possible."""
        return (self.lower + self.upper) / 2


def truth(
    graphs: Collection,
    recipe: Recipe,
    question: Question = Question(),
    *,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Truth:
    """The similarity of all pairs of these graphs, each within the recipe's budget; question: see `Inputs.question`."""
    if recipe.metric == "class":
        values = _column(graphs, recipe.column)
        same = (values[:, None] == values).astype(np.float64)
        return Truth(same, same)
    return _solved(graphs, np.arange(len(graphs)), recipe, question, threads, progress)


@dataclass(frozen=True)
class Step:
    """The graphs of one step and their truth."""

    graphs: npt.NDArray[np.int64]  # places in the pool
    batch: Batch
    lower: Tensor  # (graphs, graphs) similarity; on the device
    upper: Tensor
    optima: Optima | None = None


@dataclass(frozen=True)
class Optima:
    """In what share of the largest common subgraphs two nodes are partners, for each pair of a step, packed."""

    shares: Tensor  # (sum of size products + 1,) a matrix a pair, one after another; the last is 0
    begins: Tensor  # (graphs, graphs) where the matrix of two graphs begins
    ends: Tensor  # (graphs,) sizes

    def of(self, left: Tensor, right: Tensor, nodes: int, partners: int) -> Tensor:
        """The shares of all these lefts with all these rights: (rights, lefts, nodes, partners), 0 in the padding."""
        first, second = left.view(1, -1, 1, 1), right.view(-1, 1, 1, 1)
        n, m = self.ends[first], self.ends[second]
        i = torch.arange(nodes, device=left.device).view(-1, 1)
        j = torch.arange(partners, device=left.device)
        ahead = first < second  # the matrix has the rows of the graph that comes first in the step
        cells = self.begins[first, second] + i * torch.where(ahead, m, 1) + j * torch.where(ahead, 1, n)
        found: Tensor = self.shares[torch.where((i < n) & (j < m) & (first != second), cells, len(self.shares) - 1)]
        return found


@dataclass(frozen=True)
class Supply:
    """Training graphs and their edited copies, and steps of them."""

    graphs: Collection
    recipe: Recipe
    inputs: Inputs
    seed: int
    known: Truth | None = None  # of the training graphs, where it need not be solved

    @cached_property
    def pool(self) -> Collection:
        """Training graphs, then their copies."""
        if not self.recipe.copies:
            return self.graphs
        if self.inputs.question.edge_labels:
            raise ConfigError("edited copies have no edge labels, which this model compares", hint="train.copies = 0")
        rng = provenance.generator(self.seed, "edited copies")
        made = copies(self.graphs, self.recipe.edited, self.recipe.edits, rng)
        return Collection.from_graphs([*self.graphs, *made])

    @cached_property
    def prepared(self) -> Prepared:
        """The pool as the model reads it."""
        return prepare(self.pool, self.inputs)

    def step(self, number: int, process: int = 0, device: torch.device | str = "cpu") -> Step:
        """What this process sees in this step."""
        rng = provenance.generator(self.seed, f"step {number} of process {process}")
        chosen = self._drawn(rng)
        supervised = self.recipe.node_weight or self.recipe.attention_weight
        true, optima = self._all_optima(chosen) if supervised else (self._truth(chosen), None)
        lower = torch.from_numpy(true.lower).to(device, torch.float32)
        upper = torch.from_numpy(true.upper).to(device, torch.float32)
        if optima is not None:
            optima = Optima(optima.shares.to(device), optima.begins.to(device), optima.ends.to(device))
        return Step(chosen, self.prepared.batch(chosen, device), lower, upper, optima)

    def _all_optima(self, chosen: npt.NDArray[np.int64]) -> tuple[Truth, Optima]:
        """Similarities and node targets from one enumeration of all largest common subgraphs."""
        i, j = np.triu_indices(len(chosen), 1)
        rows = np.stack((chosen[i], chosen[j]), axis=1)
        found = solve.marginals(rows, self.pool, limit=self.recipe.mappings, budget=Budget(visits=self.recipe.visits))
        sizes = self.pool.sizes[chosen]
        most = np.where(found.proved, found.sizes, np.minimum(sizes[i], sizes[j]))
        low, high = pairs.interval("mcs", found.sizes, most, sizes[i], sizes[j])
        lower, upper = np.eye(len(chosen)), np.eye(len(chosen))
        lower[i, j] = lower[j, i] = low
        upper[i, j] = upper[j, i] = high
        begins = np.zeros((len(chosen),) * 2, np.int64)
        begins[i, j] = begins[j, i] = found.partner_offsets[:-1]
        shares = torch.from_numpy(np.concatenate((found.partners, np.zeros(1, np.float32))))
        return Truth(lower, upper), Optima(shares, torch.from_numpy(begins), torch.from_numpy(sizes))

    def _drawn(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Different graphs; of the copies, half belong to training graphs of the step and half to any."""
        recipe, count = self.recipe, len(self.graphs)
        wanted = min(recipe.graphs, len(self.pool))
        edited = min(round(wanted * recipe.copies), wanted)
        if recipe.metric == "class":
            return self._mates(rng, wanted)
        originals = rng.choice(count, min(count, wanted - edited), replace=False)
        near = rng.choice(originals, edited // 2)
        far = rng.integers(0, count, edited - len(near))
        owners = np.concatenate((near, far))
        copied = count + owners * recipe.edited + rng.integers(0, recipe.edited, len(owners))
        return np.concatenate((originals, np.unique(copied))).astype(np.int64)

    def _mates(self, rng: np.random.Generator, wanted: int) -> npt.NDArray[np.int64]:
        """Two graphs of each of some classes, where a class has two: else hardly any pair would be of one class."""
        classes = self._classes
        picked = rng.permutation(len(classes))[: -(-wanted // 2)]
        found = [rng.choice(classes[k], min(2, len(classes[k])), replace=False) for k in picked]
        return np.concatenate(found)[:wanted]

    @cached_property
    def _classes(self) -> list[npt.NDArray[np.int64]]:
        values = _column(self.graphs, self.recipe.column)
        _, inverse = np.unique(values, return_inverse=True)
        return [np.flatnonzero(inverse == k) for k in range(inverse.max(initial=-1) + 1)]

    def _truth(self, chosen: npt.NDArray[np.int64]) -> Truth:
        if self.recipe.metric == "class":
            values = _column(self.graphs, self.recipe.column)[chosen]
            same = (values[:, None] == values).astype(np.float64)
            return Truth(same, same)
        if self.known is not None and not self.recipe.copies:
            return self.known.of(chosen)
        return _solved(self.pool, chosen, self.recipe, self.inputs.question)


def _solved(
    graphs: Collection,
    places: npt.NDArray[np.int64],
    recipe: Recipe,
    question: Question,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Truth:
    assert recipe.metric != "class"
    i, j = np.triu_indices(len(places), 1)
    rows = np.stack((places[i], places[j]), axis=1)
    lower, upper = np.eye(len(places)), np.eye(len(places))
    counted = pairs.sizes(graphs, recipe.metric, question)
    for first in range(0, len(rows), CHUNK):
        part = slice(first, first + CHUNK)
        found = solve.pairs(
            graphs,
            rows[part],
            metric=recipe.metric,
            question=question,
            budget=Budget(visits=recipe.visits),
            threads=threads,
        )
        sizes = counted[rows[part]]
        low, high = pairs.interval(recipe.metric, found.lower, found.upper, sizes[:, 0], sizes[:, 1])
        lower[i[part], j[part]] = lower[j[part], i[part]] = low
        upper[i[part], j[part]] = upper[j[part], i[part]] = high
        if progress is not None:
            progress(min(first + CHUNK, len(rows)))
    return Truth(lower, upper)


def _column(graphs: Collection, name: str) -> npt.NDArray[np.generic]:
    if name not in graphs.columns:
        known = ", ".join(graphs.columns) or "none"
        raise QuestionError(f"the graphs have no column {name!r} that says their class", hint=f"columns: {known}")
    column = graphs.columns[name]
    return np.array(list(column)) if isinstance(column, Texts) else np.asarray(column)
