"""A collection is a list of graphs in flat arrays: the same graphs come out as went in, however it is cut."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Collection, Graph
from infmcs.collection import Texts
from infmcs.errors import GraphError
from tests.kit import collections, graphs

ANY: dict[str, Any] = {"labels": None, "edge_labels": None, "directed": None, "features": None, "loops": True}


@given(st.data(), st.booleans(), st.booleans())
def test_what_goes_in_comes_out(data: st.DataObject, directed: bool, features: bool) -> None:
    wish: dict[str, Any] = {"labels": None, "edge_labels": None, "directed": directed, "features": features}
    given_graphs = data.draw(st.lists(graphs(**wish, loops=True), max_size=6))
    packed = Collection.from_graphs(given_graphs)
    assert len(packed) == len(given_graphs)
    edged = any(graph.edge_labels is not None for graph in given_graphs)
    for graph, back in zip(given_graphs, packed, strict=True):
        assert (back.size, back.label_names) == (graph.size, graph.label_names)
        assert back.edges.tolist() == graph.edges.tolist()
        if edged:  # graphs without edge labels among others with them carry the label None
            assert back.edge_label_names == (graph.edge_label_names or (None,) * len(graph.edges))
        else:
            assert back.edge_label_names is None


@given(st.data(), collections(**ANY))
def test_a_slice_is_the_slice_of_the_list(data: st.DataObject, packed: Collection) -> None:
    cut = data.draw(st.slices(len(packed)))
    assert list(packed[cut]) == list(packed)[cut]
    ids = data.draw(st.lists(st.integers(0, len(packed) - 1))) if len(packed) else []
    assert list(packed.take(ids)) == [packed[i] for i in ids]


def test_slicing_and_indexing_share_the_arrays() -> None:
    packed = Collection.from_graphs([Graph.from_edges(3, [(0, 1)]), Graph.from_edges(2, [(0, 1)])])
    assert np.shares_memory(packed[1:].labels, packed.labels)
    assert np.shares_memory(packed[1].edges, packed.edges)


@given(collections(**ANY))
def test_equal_content_has_an_equal_digest_however_it_was_cut(packed: Collection) -> None:
    copy = packed.take(range(len(packed)))
    assert copy == packed
    assert copy.digest == packed[:].digest == packed.digest
    assert pickle.loads(pickle.dumps(packed)).digest == packed.digest  # noqa: S301  # our own bytes


def test_any_change_of_content_changes_the_digest() -> None:
    base: dict[str, Any] = {"labels": ["C", "N"], "edge_labels": ["single"], "features": [[1.0], [2.0]], "name": "a"}
    changes: list[dict[str, Any]] = [
        {},
        {"labels": ["C", "O"]},
        {"edge_labels": ["double"]},
        {"features": [[1.0], [3.0]]},
        {"name": "b"},
        {"directed": True},
        {"features": None},
        {"edge_labels": None},
    ]
    digests = {Collection.from_graphs([Graph.from_edges(2, [(0, 1)], **base | change)]).digest for change in changes}
    assert len(digests) == len(changes)


def test_columns_follow_their_graphs() -> None:
    packed = Collection.from_graphs(
        [Graph.from_edges(n, [], name=f"g{n}") for n in range(5)], {"class": [4, 3, 2, 1, 0], "part": list("abcde")}
    )
    assert list(packed[1:3].columns["class"]) == [3, 2]
    assert list(packed.take([4, 0]).columns["part"]) == ["e", "a"]
    assert [graph.name for graph in packed[::-2]] == ["g4", "g2", "g0"]


def test_many_strings_are_read_like_a_list() -> None:
    words = ["", "é", "node", "日本"]
    texts = Texts.of(words)
    assert list(texts) == words
    assert texts[1:3] == Texts.of(words[1:3])
    assert list(texts[::-1]) == words[::-1]
    assert texts[-1] == "日本"
    with pytest.raises(IndexError):
        texts[4]


def test_mixtures_are_refused_with_the_first_that_differs() -> None:
    plain = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(GraphError, match="graph 1 is directed, those before are not"):
        Collection.from_graphs([plain, Graph.from_edges(2, [], directed=True)])
    with pytest.raises(GraphError, match="graph 1 has 2 features a node, those before none"):
        Collection.from_graphs([plain, Graph.from_edges(1, [], features=[[1.0, 2.0]])])


def arrays(**changes: Any) -> dict[str, Any]:
    """A path of three nodes and an edge of two, as arrays, with something changed."""
    return {
        "node_offsets": np.array([0, 3, 5]),
        "edge_offsets": np.array([0, 2, 3]),
        "labels": np.zeros(5, np.int32),
        "edges": np.array([[0, 1], [1, 2], [0, 1]]),
    } | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_offsets": np.array([0, 5])}, "1 graphs by nodes, but 2 by edges"),
        ({"node_offsets": np.array([0, 6, 5])}, "node offsets must rise from 0 to 5"),
        ({"edge_offsets": np.array([0, 2, 4])}, "edge offsets must rise from 0 to 3"),
        ({"node_offsets": np.array([], np.int64)}, "must rise"),
        ({"labels": np.array([0, 0, 0, 0, 1])}, "label code 1 is outside the vocabulary of 1"),
        ({"edges": np.array([[0, 1], [1, 3], [0, 1]])}, "graph 0: edge 1–3 names node 3, but the graph has 3 nodes"),
        ({"edges": np.array([[0, 1], [1, 2], [0, 2]])}, "graph 1: edge 0–2 names node 2"),
        ({"edges": np.array([[1, 2], [0, 1], [0, 1]])}, "must be sorted"),
        ({"edges": np.array([[0, 1], [0, 1], [0, 1]])}, "must be sorted, each once"),
        ({"edges": np.array([[0, 1], [2, 1], [0, 1]])}, "smaller node first"),
        ({"edges": np.array([0, 1, 2])}, "shape"),
        (
            {"features": np.array([[1.0], [1], [1], [np.nan], [1]])},
            "graph 1: a feature of node 0 is not a finite number",
        ),
        ({"features": np.ones((4, 1))}, r"shape \(5, width\)"),
        ({"edge_labels": np.array([0, 0])}, r"\(2,\) edge labels for 3 edges"),
        ({"names": Texts.of(["a"])}, "1 names for 2 graphs"),
        ({"columns": {"class": [1]}}, "column 'class' has 1 values for 2 graphs"),
        ({"columns": {"class": [object(), object()]}}, "must hold numbers or strings"),
    ],
)
def test_arrays_that_hold_no_graphs_are_refused_with_the_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Collection.from_arrays(**arrays(**changes))


def test_the_repr_says_what_there_is() -> None:
    assert repr(Collection.from_arrays(**arrays())) == "Collection(2 graphs, 2–3 nodes, 2.50 on average, 1.50 edges)"
    assert repr(Collection.from_graphs([])) == "Collection(no graphs)"
