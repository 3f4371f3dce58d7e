"""read(write(x)) is x in every format that can be written, within what the format holds; or nothing is written."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph, formats
from infmcs.errors import FormatError
from infmcs.formats import FORMATS
from tests.kit import collections
from tests.kit.strategies import graphs

WRITABLE = [name for name, kind in FORMATS.items() if kind.files or kind.save]
WORDS = st.one_of(st.integers(-5, 10**17), st.text("abcXYZ+-#:_é", min_size=1, max_size=4))


def told(graph: Graph, holds: frozenset[str], directed: bool) -> Any:
    """What a graph says, leaving out what the format does not hold."""
    nodes = [
        (
            name if "labels" in holds else None,
            graph.features[v].tolist() if "features" in holds and graph.features is not None else None,
        )
        for v, name in enumerate(graph.label_names)
    ]
    names = graph.edge_label_names if "edge labels" in holds and graph.edge_label_names else (None,) * len(graph.edges)
    return nodes, list(zip(map(tuple, graph.edges.tolist()), names, strict=True)), directed


def back_again(collection: Collection, name: str, path: Path) -> Collection:
    kind = FORMATS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formats.write(collection, path, name)
    options: dict[str, Any] = {"directed": True} if collection.directed and "directions" not in kind.holds else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return formats.read(path, name, **options)


def agree(collection: Collection, back: Collection, name: str) -> None:
    holds = FORMATS[name].holds
    assert len(back) == len(collection)
    for graph, other in zip(collection, back, strict=True):
        assert told(graph, holds, collection.directed) == told(other, holds, back.directed)
    if "names" in holds and collection.names is not None:
        assert list(back.names or ()) == list(collection.names)
    if holds >= {"columns", "directions"}:
        assert {key: list(values) for key, values in back.columns.items()} == {
            key: list(values) for key, values in collection.columns.items()
        }


@pytest.mark.parametrize("name", WRITABLE)
@given(
    collection=collections(labels=None, edge_labels=None, directed=None, features=None, loops=True), pack=st.booleans()
)
@settings(max_examples=15)
def test_any_collection_comes_back_or_is_refused_whole(
    tmp_path_factory: pytest.TempPathFactory, name: str, collection: Collection, pack: bool
) -> None:
    folder = tmp_path_factory.mktemp("laws")
    path = folder / ("graphs.zip" if pack and not FORMATS[name].save else "graphs")
    if not len(collection):
        return
    try:
        back = back_again(collection, name, path)
    except FormatError as error:
        refused: FormatError | None = error
    else:
        refused = None
        agree(collection, back, name)
    if refused is not None:
        assert str(path) in str(refused)
        assert refused.hint
        assert not list(folder.iterdir())


@st.composite
def sayable(draw: st.DrawFn, name: str) -> Collection:
    """Graphs that the format can say, of every kind it knows."""
    holds = FORMATS[name].holds
    directed = "directions" in holds and draw(st.booleans())
    words = draw(st.sampled_from([st.integers(0, 99), st.text("abXY", min_size=1, max_size=3)]))
    words = st.integers(100, 999) if name in ("tu", "lad") else words
    made = []
    count = draw(st.integers(1, 4))
    labelled, edge_labelled, featured = (
        what in holds and draw(st.booleans()) for what in ("labels", "edge labels", "features")
    )
    for _ in range(count):
        least = 0 if name not in ("tu", "edgelist") else 1
        graph = draw(
            graphs(min_nodes=least, directed=directed, loops=name != "graph6", labels=False, edge_labels=False)
        )
        made.append(
            Graph.from_edges(
                graph.size,
                graph.edges,
                draw(st.lists(words, min_size=graph.size, max_size=graph.size))
                if labelled or (edge_labelled and name == "lad")
                else None,
                draw(st.lists(words, min_size=len(graph.edges), max_size=len(graph.edges))) if edge_labelled else None,
                np.full((graph.size, 2), 0.1, np.float32) if featured else None,
                directed,
            )
        )
    named = "names" in holds and count > 1 and draw(st.booleans())
    collection = Collection.from_graphs(made)
    if not named:
        return collection
    return Collection.from_graphs(
        [
            Graph.from_edges(
                g.size,
                g.edges,
                g.label_names,
                g.edge_label_names,
                g.features,
                g.directed,
                f"{'abcd'[i]} x"[: 3 if name in ("jsonl", "store", "graphml", "gml", "gxl") else 1],
            )
            for i, g in enumerate(made)
        ]
    )


@pytest.mark.parametrize("name", WRITABLE)
@given(data=st.data())
@settings(max_examples=15)
def test_what_a_format_can_say_is_never_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    collection = data.draw(sayable(name))
    agree(collection, back_again(collection, name, tmp_path_factory.mktemp("laws") / "graphs"), name)


@pytest.mark.parametrize("name", ["jsonl", "gspan", "edgelist", "gxl", "graphml", "gml", "gexf", "lad"])
@given(label=st.one_of(WORDS, st.text(max_size=5), st.floats(allow_nan=False), st.integers()))
@settings(max_examples=30)
def test_any_single_label_comes_back_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, label: Any
) -> None:
    graph = Graph.from_edges(2, [(0, 1)], [label, label], [label])
    path = tmp_path_factory.mktemp("laws") / "graphs"
    try:
        back = back_again(Collection.from_graphs([graph]), name, path)
    except FormatError:
        return
    agree(Collection.from_graphs([graph]), back, name)


@pytest.mark.parametrize("name", ["jsonl", "graphml", "gxl", "gml", "store"])
@given(text=st.text(max_size=8), number=st.floats(-1e9, 1e9))
@settings(max_examples=20)
def test_names_and_columns_of_any_text_come_back_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, text: str, number: float
) -> None:
    made = [Graph.from_edges(1, [], name=text), Graph.from_edges(0, [], name="b")]
    collection = Collection.from_graphs(made, {"kind": [text, "x"], "score": [number, 1.5], "fold": [1, 2]})
    try:
        back = back_again(
            collection,
            name,
            tmp_path_factory.mktemp("laws") / "graphs.zip"
            if name == "gxl"
            else tmp_path_factory.mktemp("laws") / "graphs",
        )
    except FormatError:
        return
    agree(collection, back, name)


@given(graphs(max_nodes=70, directed=False, loops=True, labels=False, edge_labels=False))
@settings(max_examples=15)
def test_graph6_and_sparse6_are_those_of_networkx(tmp_path_factory: pytest.TempPathFactory, graph: Graph) -> None:
    path = tmp_path_factory.mktemp("laws") / "graph.s6"
    formats.write(Collection.from_graphs([graph]), path)
    if graph.size == 1:
        return  # nauty needs no bit to number one node, networkx takes one; we do as nauty does
    theirs = networkx.from_sparse6_bytes(path.read_bytes().strip())
    assert {tuple(sorted(edge)) for edge in theirs.edges()} == set(map(tuple, graph.edges.tolist()))
    assert len(theirs) == graph.size
    path.write_bytes(networkx.to_sparse6_bytes(graph.to_networkx(), header=False))
    assert formats.read(path)[0] == graph
    if any(u == v for u, v in graph.edges):
        return
    path = path.with_suffix(".g6")
    formats.write(Collection.from_graphs([graph]), path)
    assert path.read_bytes() == networkx.to_graph6_bytes(graph.to_networkx(), header=False)


@pytest.mark.parametrize("name", ["graphml", "gexf", "gml", "edgelist"])
@given(graph=graphs(min_nodes=1, labels=None, edge_labels=False, directed=None, loops=True))
@settings(max_examples=15)
def test_what_networkx_writes_is_read(tmp_path_factory: pytest.TempPathFactory, name: str, graph: Graph) -> None:
    graph = Graph.from_edges(
        graph.size,
        graph.edges,
        [str(n)[:1] for n in graph.label_names] if graph.labelled else None,
        directed=graph.directed,
    )
    path = tmp_path_factory.mktemp("laws") / f"graph.{name}"
    made = graph.to_networkx()
    if name in ("gml", "gexf") and graph.labelled:
        for _, values in made.nodes(data=True):
            values["kind"] = values.pop("label")
    if name == "edgelist":
        if not len(graph.edges):
            return  # networkx leaves an empty file, in which nobody can find a graph
        networkx.write_edgelist(made, path)
    else:
        getattr(networkx, f"write_{name}")(made, path)
    options: dict[str, Any] = {"directed": graph.directed} if name == "edgelist" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        back = formats.read(path, **options)[0]
    holds = FORMATS[name].holds
    if name == "edgelist":
        assert {frozenset(e) if not graph.directed else tuple(e) for e in back.edges.tolist()} == {
            frozenset(e) if not graph.directed else tuple(e) for e in graph.edges.tolist()
        }
    else:
        assert told(back, holds, graph.directed) == told(graph, holds, back.directed)


@pytest.mark.parametrize("name", ["graphml", "gexf", "gml", "edgelist"])
@given(graph=graphs(min_nodes=1, labels=False, edge_labels=False, directed=None, loops=True))
@settings(max_examples=20)
def test_networkx_reads_what_is_written(tmp_path_factory: pytest.TempPathFactory, name: str, graph: Graph) -> None:
    path = tmp_path_factory.mktemp("laws") / f"graph.{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formats.write(Collection.from_graphs([graph]), path)
    options: dict[str, Any] = {"label": "id"} if name == "gml" else {}
    if name == "edgelist":
        options = {"create_using": networkx.DiGraph if graph.directed else networkx.Graph}
    theirs = getattr(networkx, f"read_{name}")(path, **options)
    ends = {(int(u), int(v)) for u, v in theirs.edges()}
    ours = set(map(tuple, graph.edges.tolist()))
    assert ends == ours or (not graph.directed and {tuple(sorted(e)) for e in ends} == ours)
    if name != "edgelist":
        assert len(theirs) == graph.size
