"""Graphs go to other libraries and come back the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import networkx
import pytest
from hypothesis import given

from infmcs import Graph
from infmcs.errors import GraphError
from tests.kit import graphs

ANY: dict[str, Any] = {"labels": None, "directed": None, "features": None, "loops": True}


@given(graphs(**ANY, edge_labels=None))
def test_networkx_gives_back_what_it_got(graph: Graph) -> None:
    back = Graph.from_networkx(graph.to_networkx())
    if graph.edge_labels is None or len(graph.edges):
        assert back.edge_label_names == graph.edge_label_names
    assert (back.label_names, back.edges.tolist()) == (graph.label_names, graph.edges.tolist())
    assert graph.size == 0 or (back.features is None) == (graph.features is None)


def test_networkx_nodes_of_any_name_are_numbered_in_their_order() -> None:
    made: networkx.Graph[Any] = networkx.Graph(name="named")
    made.add_node("b", colour="red")
    made.add_node("a", colour="blue")
    made.add_edge("a", "b", kind=(1, 2))
    graph = Graph.from_networkx(made, label="colour", edge_label="kind")
    assert (graph.label_names, graph.edge_label_names, graph.name) == (("red", "blue"), ((1, 2),), "named")


def test_features_on_some_networkx_nodes_only_are_refused() -> None:
    made: networkx.Graph[int] = networkx.path_graph(2)
    made.nodes[1]["features"] = [1.0]
    with pytest.raises(GraphError, match="node 0 has no 'features'"):
        Graph.from_networkx(made)


@given(graphs(**ANY))
def test_pyg_gives_back_what_it_got(graph: Graph) -> None:
    pytest.importorskip("torch_geometric")
    back = Graph.from_pyg(graph.to_pyg())
    if not graph.directed:
        assert (back.size, back.edges.tolist()) == (graph.size, graph.edges.tolist())
    assert back.size == graph.size
    assert graph.features is None or (back.features is not None and (back.features == graph.features).all())


def test_pyg_labels_are_read_from_the_attribute_that_is_named() -> None:
    pytest.importorskip("torch_geometric")
    graph = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "N", "C"], edge_labels=["single", "double"])
    made = graph.to_pyg()
    back = Graph.from_pyg(made, labels="labels", edge_labels="edge_labels")
    assert back.label_names == (0, 1, 0)
    assert back.edge_label_names == (0, 1)
    with pytest.raises(GraphError, match="no attribute 'color'"):
        Graph.from_pyg(made, labels="color")


def test_a_smiles_becomes_atoms_and_bonds_and_goes_back() -> None:
    chem = pytest.importorskip("rdkit.Chem")
    graph = Graph.from_smiles("c1ccccc1C#N")
    assert graph.label_names == ("C",) * 7 + ("N",)
    assert Counter(graph.edge_label_names or ()) == {"aromatic": 6, "single": 1, "triple": 1}
    molecule = graph.to_rdkit()
    assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == list(graph.label_names)
    bonds = Counter(str(bond.GetBondType()).lower() for bond in molecule.GetBonds())
    assert bonds == Counter(graph.edge_label_names or ())
    assert Graph.from_smiles("[H]O[H]", hydrogens=True).size == 3
    assert chem.MolFromSmiles("O").GetNumAtoms() == Graph.from_smiles("O").size


def test_bad_molecules_are_refused_with_the_reason() -> None:
    pytest.importorskip("rdkit")
    with pytest.raises(GraphError, match="'C1CC' is not a SMILES"):
        Graph.from_smiles("C1CC")
    with pytest.raises(GraphError, match="node 0 is labelled 'Foo'"):
        Graph.from_edges(1, [], labels=["Foo"]).to_rdkit()
    with pytest.raises(GraphError, match="node 0 has a loop"):
        Graph.from_edges(1, [(0, 0)], labels=["C"]).to_rdkit()
