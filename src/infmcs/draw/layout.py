"""Where nodes stand: the distances on paper follow the distances in the graph. Deterministic, numpy alone.

Stress majorisation (Gansner, Koren, North 2004): every pair of nodes wants to be as far apart as its shortest path is
long, near pairs most of all. Nodes may be held in place, so that two graphs can show what they share alike.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from infmcs.graph import Graph

Positions = npt.NDArray[np.float64]  # (nodes, 2), an edge about 1 long, y downwards

STEPS = 80
STILL = 1e-3  # of an edge: movements below this end the work
GOLDEN_ANGLE = 2.399963


def positions(graph: Graph, held: Mapping[int, tuple[float, float]] | None = None) -> Positions:
    """A place for each node; those of `held` stand where it says."""
    if graph.size == 0:
        return np.zeros((0, 2))
    held = held or {}
    wanted = _distances(graph)
    start = _scaled(wanted) + _spiral(graph.size)
    fixed = np.array(sorted(held), np.int64)
    if len(fixed):
        anchors = np.array([held[node] for node in fixed.tolist()], np.float64)
        start = _laid_over(start, fixed, anchors)
        start[fixed] = anchors
    placed = _relaxed(start, wanted, fixed)
    return placed if len(fixed) else _lengthwise(placed)


def _distances(graph: Graph) -> Positions:
    from scipy.sparse import csgraph, csr_matrix

    ends = (graph.edges[:, 0], graph.edges[:, 1])
    matrix = csr_matrix((np.ones(len(graph.edges)), ends), shape=(graph.size, graph.size))
    paths: Positions = csgraph.shortest_path(matrix, directed=False, unweighted=True)
    far = np.isinf(paths)
    if far.any():  # pieces stand apart, further apart the more of them there are
        paths[far] = max(2.0, float(paths[~far].max()) / 2 + 1.5, float(np.sqrt(far.mean() * graph.size)))
    return paths


def _scaled(wanted: Positions) -> Positions:
    """Classical scaling: the two directions in which the distances spread most, each with a fixed sign."""
    squares = wanted**2
    centred = -(squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(centred)
    plane = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    if plane.shape[1] < 2:
        plane = np.pad(plane, ((0, 0), (0, 2 - plane.shape[1])))
    signs = np.sign(plane[np.abs(plane).argmax(axis=0), (0, 1)])
    return np.asarray(plane * np.where(signs == 0, 1, signs))


def _spiral(count: int) -> Positions:
    """A little of its own for every node: those that nothing tells apart would lie on one another for ever."""
    turn = np.arange(count) * GOLDEN_ANGLE
    return 0.05 * np.stack((np.cos(turn), np.sin(turn)), axis=1)


def _laid_over(places: Positions, fixed: npt.NDArray[np.int64], anchors: Positions) -> Positions:
    """All places turned, mirrored and moved so that the fixed ones come nearest to their anchors."""
    here, there = places[fixed].mean(0), anchors.mean(0)
    left, _, right = np.linalg.svd((places[fixed] - here).T @ (anchors - there))
    return np.asarray((places - here) @ (left @ right) + there)


def _relaxed(placed: Positions, wanted: Positions, fixed: npt.NDArray[np.int64]) -> Positions:
    free = np.setdiff1d(np.arange(len(placed)), fixed)
    if not len(free) or len(placed) == 1:
        return placed
    with np.errstate(divide="ignore"):
        weights = np.where(wanted > 0, wanted**-2.0, 0.0)
    pull = np.diag(weights.sum(1)) - weights
    within = pull[np.ix_(free, free)]
    if not len(fixed):
        within = within + 1 / len(placed)  # nothing holds the picture as a whole: it stays where it is
    inverse = np.linalg.inv(within)
    towards = pull[np.ix_(free, fixed)] @ placed[fixed]
    for _ in range(STEPS):
        apart = placed[:, None, :] - placed[None, :, :]
        lengths = np.maximum(np.sqrt((apart**2).sum(-1)), 1e-9)
        goal = ((weights * wanted / lengths)[:, :, None] * apart).sum(1)[free]
        moved = inverse @ (goal - towards)
        change = float(np.abs(moved - placed[free]).max())
        placed[free] = moved
        if change < STILL:
            break
    return placed


def _lengthwise(placed: Positions) -> Positions:
    """The picture turned so that it is wider than high."""
    centred: Positions = placed - placed.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    if len(axes) < 2:
        return centred
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    turned: Positions = centred @ (axes * signs[:, None]).T
    return turned
