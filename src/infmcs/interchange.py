"""Graphs to and from the objects of other libraries: networkx, PyTorch Geometric, RDKit. Each is imported when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from infmcs.errors import GraphError
from infmcs.graph import Graph

if TYPE_CHECKING:
    import networkx

BONDS = ("single", "double", "triple", "aromatic")


def from_networkx(graph: networkx.Graph[Any], label: str, edge_label: str, features: str) -> Graph:
    """See Graph.from_networkx."""
    place = {node: i for i, node in enumerate(graph)}
    named = [graph.nodes[node].get(label) for node in place]
    rows = [graph.nodes[node].get(features) for node in place]
    if any(row is None for row in rows) and any(row is not None for row in rows):
        lacking = next(node for node, row in zip(place, rows, strict=True) if row is None)
        raise GraphError(f"node {lacking!r} has no {features!r}, but others have")
    edges = [(place[u], place[v]) for u, v in graph.edges()]
    edge_names = [values.get(edge_label) for _, _, values in graph.edges(data=True)]
    return Graph.from_edges(
        len(place),
        edges,
        labels=named if any(name is not None for name in named) else None,
        edge_labels=edge_names if any(name is not None for name in edge_names) else None,
        features=rows if rows and rows[0] is not None else None,
        directed=graph.is_directed(),
        name=graph.name or None,
    )


def to_networkx(graph: Graph) -> networkx.Graph[int]:
    """See Graph.to_networkx."""
    import networkx

    made: networkx.Graph[int] = (networkx.DiGraph if graph.directed else networkx.Graph)(name=graph.name or "")
    for node, name in enumerate(graph.label_names):
        made.add_node(node, **({} if name is None else {"label": name}))
        if graph.features is not None:
            made.nodes[node]["features"] = graph.features[node].tolist()
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for (u, v), name in zip(graph.edges.tolist(), names, strict=True):
        made.add_edge(u, v, **({} if name is None else {"label": name}))
    return made


def from_pyg(data: Any, labels: str | None, edge_labels: str | None) -> Graph:
    """See Graph.from_pyg. A `Data` whose edges all occur in both directions is read as undirected."""
    if data.edge_index is None or data.num_nodes is None:
        raise GraphError("the PyG graph has no edge_index or no known number of nodes")
    edges = data.edge_index.t().cpu().numpy()
    pairs = {(u, v) for u, v in edges.tolist()}
    directed = any((v, u) not in pairs for u, v in pairs)
    return Graph.from_edges(
        int(data.num_nodes),
        edges,
        labels=_attribute(data, labels),
        edge_labels=_attribute(data, edge_labels),
        features=None if data.x is None or labels == "x" else data.x.detach().cpu().numpy(),
        directed=directed,
    )


def to_pyg(graph: Graph) -> Any:
    """See Graph.to_pyg."""
    import torch
    from torch_geometric.data import Data

    edges, codes = graph.edges, graph.edge_labels
    if not graph.directed:
        back = edges[:, 0] != edges[:, 1]
        edges = np.concatenate((edges, edges[back, ::-1]))
        codes = None if codes is None else np.concatenate((codes, codes[back]))
    made = Data(edge_index=torch.from_numpy(np.ascontiguousarray(edges.T, np.int64)), num_nodes=graph.size)
    if graph.labelled:
        made.labels = torch.from_numpy(graph.labels.astype(np.int64))
    if codes is not None:
        made.edge_labels = torch.from_numpy(codes.astype(np.int64))
    if graph.features is not None:
        made.x = torch.from_numpy(graph.features.copy())
    return made


def from_smiles(smiles: str, hydrogens: bool) -> Graph:
    """See Graph.from_smiles."""
    chem = chemistry()
    from rdkit import rdBase

    with rdBase.BlockLogs():
        molecule = chem.MolFromSmiles(smiles)
        if molecule is None:
            raise GraphError(f"{smiles!r} is not a SMILES that RDKit can read")
        molecule = chem.AddHs(molecule) if hydrogens else molecule
    return from_rdkit(molecule, name=smiles)


def from_rdkit(molecule: Any, name: str | None = None) -> Graph:
    """A molecule as a graph: element symbols and bond kinds."""
    bonds = list(molecule.GetBonds())
    return Graph.from_edges(
        molecule.GetNumAtoms(),
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        labels=[atom.GetSymbol() for atom in molecule.GetAtoms()],
        edge_labels=[str(bond.GetBondType()).lower() for bond in bonds],
        name=name,
    )


def to_rdkit(graph: Graph) -> Any:
    """See Graph.to_rdkit. Atoms take no implicit hydrogens: a graph does not say where they are."""
    chem = chemistry()
    kinds: dict[Any, Any] = {name: getattr(chem.BondType, name.upper()) for name in BONDS}
    kinds |= {1: chem.BondType.SINGLE, 2: chem.BondType.DOUBLE, 3: chem.BondType.TRIPLE, None: chem.BondType.SINGLE}
    molecule = chem.RWMol()
    for node, name in enumerate(graph.label_names):
        try:
            atom = chem.Atom(name)
        except (RuntimeError, TypeError, ValueError):
            raise GraphError(f"node {node} is labelled {name!r}, which is not a chemical element") from None
        atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    names = graph.edge_label_names or (None,) * len(graph.edges)
    for (u, v), name in zip(graph.edges.tolist(), names, strict=True):
        if u == v:
            raise GraphError(f"node {u} has a loop, which no molecule has")
        molecule.AddBond(u, v, kinds.get(name, chem.BondType.UNSPECIFIED))
        if name == "aromatic":
            for end in (u, v):
                molecule.GetAtomWithIdx(end).SetIsAromatic(True)
            molecule.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
    return molecule.GetMol()


def _attribute(data: Any, name: str | None) -> list[Any] | None:
    if name is None:
        return None
    if name not in data:
        raise GraphError(f"the PyG graph has no attribute {name!r}", hint=f"it has {', '.join(data.keys())}")
    values = data[name].detach().cpu().numpy()
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    return list(values) if values.ndim == 1 else [tuple(row) for row in values.tolist()]


def chemistry() -> Any:
    """RDKit's Chem, or the error that says how to get it."""
    try:
        from rdkit import Chem
    except ImportError:
        raise GraphError("molecules need RDKit", hint="pip install 'infmcs[chem]'") from None
    return Chem
