"""Molecules as chemists draw them, where labels are element symbols and RDKit is there to place the atoms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from infmcs import interchange
from infmcs.draw.layout import Positions
from infmcs.errors import GraphError
from infmcs.graph import Graph

BOND_LENGTH = 1.5  # RDKit's
MOST_BONDS = 6  # of one atom
LINES = {"single": 1, "double": 2, "triple": 3, "aromatic": 2, 1: 1, 2: 2, 3: 3, None: 1}


def is_one(graph: Graph) -> bool:
    """Whether a graph can be drawn as a molecule: its labels are elements, its edges bonds, and RDKit is there."""
    if graph.directed or not graph.size or not _rdkit_is_there():
        return False
    if graph.edge_labels is not None and not set(graph.edge_label_names or ()) <= LINES.keys():
        return False
    names = set(graph.label_names)
    if graph.edge_labels is None and "C" not in names:
        return False  # letters alone make no molecule
    if graph.degrees().max() > MOST_BONDS or (graph.edges[:, 0] == graph.edges[:, 1]).any():
        return False
    try:
        return all(isinstance(name, str) for name in names) and graph.to_rdkit() is not None
    except GraphError:
        return False


def positions(graph: Graph, held: Mapping[int, tuple[float, float]] | None = None) -> Positions:
    """A place for each atom, a bond about 1 long; those of `held` stand where it says."""
    from rdkit import rdBase
    from rdkit.Chem import rdDepictor
    from rdkit.Geometry import Point2D

    molecule = _opened(graph)
    places = {node: Point2D(x * BOND_LENGTH, -y * BOND_LENGTH) for node, (x, y) in (held or {}).items()}
    with rdBase.BlockLogs():
        if places:
            rdDepictor.Compute2DCoords(molecule, coordMap=places, canonOrient=False)
        else:
            rdDepictor.Compute2DCoords(molecule, canonOrient=True)
    found = np.asarray(molecule.GetConformer().GetPositions(), np.float64)[:, :2] / BOND_LENGTH * (1, -1)
    for node, place in (held or {}).items():
        found[node] = place
    return found


def inner_sides(graph: Graph, placed: Positions) -> dict[int, tuple[float, float]]:
    """For each bond in a ring, by its place in `edges`, the middle of its smallest ring: where a second line goes."""
    molecule = _opened(graph)  # its rings live as long as it does
    rings = sorted(molecule.GetRingInfo().AtomRings(), key=len)
    bonds = {(u, v): k for k, (u, v) in enumerate(graph.edges.tolist())}
    sides: dict[int, tuple[float, float]] = {}
    for ring in rings:
        middle = placed[list(ring)].mean(0)
        for u, v in zip(ring, (*ring[1:], ring[0]), strict=True):
            sides.setdefault(bonds[min(u, v), max(u, v)], (float(middle[0]), float(middle[1])))
    return sides


def _opened(graph: Graph) -> Any:
    """An RDKit molecule that knows its rings. Its valences are not looked at: a part of a molecule has odd ones."""
    from rdkit.Chem import FastFindRings, GetSymmSSSR

    molecule = interchange.to_rdkit(graph)
    molecule.UpdatePropertyCache(strict=False)
    FastFindRings(molecule)
    GetSymmSSSR(molecule)
    return molecule


@cache
def _rdkit_is_there() -> bool:
    from importlib.util import find_spec

    return find_spec("rdkit") is not None
