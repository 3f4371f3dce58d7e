"""What a model reads of a graph is right, invariant, and the same alone as among others."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, Graph
from infmcs.batch import (
    BLOCKS,
    FEW,
    SMALL,
    UNREACHABLE,
    Inputs,
    alike,
    blocks_of,
    closeness_ranks,
    least_padding,
    prepare,
    return_probabilities,
)
from infmcs.batch import shortest_paths as all_paths
from infmcs.errors import ModelError
from tests.kit import collections, graphs, renumberings

EVERYTHING = Inputs(ranks="shared", walks=4, paths=True)


def adjacency(graph: Graph) -> np.ndarray:
    matrix = np.zeros((1, graph.size, graph.size), bool)
    for u, v in graph.edges:
        matrix[0, u, v] = matrix[0, v, u] = u != v
    return matrix


def closeness(graph: Graph) -> list[Fraction]:
    """Closeness with component scaling, in fractions, straight from its definition."""
    plain = nx.Graph(graph.to_networkx())
    found = []
    for node in plain:
        lengths = nx.single_source_shortest_path_length(plain, node)
        n, total = len(lengths), sum(lengths.values())
        found.append(Fraction((n - 1) ** 2, (graph.size - 1) * total) if total else Fraction(0))
    return found


@given(graphs(min_nodes=1))
def test_ranks_count_the_nodes_with_larger_closeness(graph: Graph) -> None:
    values = closeness(graph)
    shared = closeness_ranks(all_paths(adjacency(graph)), shared=True)[0]
    assert shared.tolist() == [sum(other > mine for other in values) for mine in values]
    by_number = closeness_ranks(all_paths(adjacency(graph)), shared=False)[0]
    assert by_number.tolist() == [
        sorted(range(len(values)), key=lambda i: -values[i]).index(i) for i in range(len(values))
    ]


def test_closeness_agrees_with_networkx() -> None:
    graph = Graph.from_edges(7, [(0, 1), (1, 2), (2, 3), (1, 4), (5, 6)])
    known = nx.closeness_centrality(nx.Graph(graph.to_networkx()))
    assert [float(value) for value in closeness(graph)] == pytest.approx([known[node] for node in range(7)])


def test_the_papers_example_of_a_rank_is_the_rank_not_the_sorted_order() -> None:
    # A path a-b-c-d-e has closeness rising to its middle; ranks 3, 1, 0, 1, 3 with ties shared.
    path = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert closeness_ranks(all_paths(adjacency(path)), shared=True)[0].tolist() == [3, 1, 0, 1, 3]
    assert closeness_ranks(all_paths(adjacency(path)), shared=False)[0].tolist() == [3, 1, 0, 2, 4]


@given(graphs())
def test_distances_are_those_of_networkx(graph: Graph) -> None:
    known = dict(nx.all_pairs_shortest_path_length(nx.Graph(graph.to_networkx())))
    expected = [[known[u].get(v, -1) for v in range(graph.size)] for u in range(graph.size)]
    assert all_paths(adjacency(graph))[0].tolist() == expected


def test_distances_of_large_graphs_are_found_the_other_way_and_agree() -> None:
    rng = np.random.default_rng(1)
    edges = rng.integers(0, SMALL + 20, (SMALL + 25, 2))
    graph = Graph.from_edges(SMALL + 20, edges)
    known = dict(nx.all_pairs_shortest_path_length(nx.Graph(graph.to_networkx())))
    expected = [[known[u].get(v, -1) for v in range(graph.size)] for u in range(graph.size)]
    assert all_paths(adjacency(graph))[0].tolist() == expected


def test_a_long_path_is_far_but_not_unreachable() -> None:
    path = Graph.from_edges(300, [(i, i + 1) for i in range(299)])
    block = prepare(Collection.from_graphs([path]), EVERYTHING).batch([0]).blocks[0]
    assert block.distances[0, 0, 298] == block.distances[0, 0, 299] == UNREACHABLE - 1
    assert block.distances[0, 0, 253] == 253


def test_a_walk_is_back_with_the_chance_that_counting_gives() -> None:
    triangle = np.array([[[0, 1, 1], [1, 0, 1], [1, 1, 0]]], bool)
    assert return_probabilities(triangle, 3)[0].tolist() == [[0, 0.5, 0.25]] * 3
    alone = np.zeros((1, 1, 1), bool)
    assert return_probabilities(alone, 2)[0].tolist() == [[0, 0]]


def test_the_normalised_adjacency_is_that_of_the_definition() -> None:
    star = Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)])
    block = prepare(Collection.from_graphs([star, Graph.from_edges(3, [])]), Inputs()).batch([1, 0]).blocks[-1]
    closed = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    degrees = closed.sum(1)
    np.testing.assert_allclose(block.normalised[-1].numpy(), closed / np.sqrt(np.outer(degrees, degrees)), rtol=1e-6)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8, unique=True), st.data(), st.integers(1, 4))
def test_no_other_cuts_pad_less(sizes: list[int], data: st.DataObject, groups: int) -> None:
    sizes = sorted(sizes)
    counts = data.draw(st.lists(st.integers(1, 9), min_size=len(sizes), max_size=len(sizes)))

    def padded(cuts: Iterable[int]) -> int:
        ends = [0, *cuts, len(sizes)]
        return sum(sum(counts[a:b]) * max(sizes[a:b], default=0) for a, b in pairwise(ends))

    cuts = least_padding(np.array(sizes), np.array(counts), groups).tolist()
    assert cuts == sorted(set(cuts))
    assert len(cuts) < groups
    assert all(0 < cut < len(sizes) for cut in cuts)
    others = (cut for many in range(groups) for cut in combinations(range(1, len(sizes)), many))
    assert padded(cuts) == min(map(padded, others))


def test_many_graphs_are_cut_by_their_sizes_and_few_into_few_blocks() -> None:
    few, many = np.arange(FEW) % 60, np.arange(FEW + 1) % 60
    assert len(list(blocks_of(few))) == BLOCKS < len(list(blocks_of(many)))
    for sizes in (few, many, np.zeros(0, np.int64), np.full(3, 5)):
        assert sorted(place for places in blocks_of(sizes) for place in places.tolist()) == list(range(len(sizes)))


@settings(max_examples=40)
@given(st.data(), collections(max_graphs=5, labels=None, features=None))
def test_a_graph_reads_the_same_in_any_company(data: st.DataObject, collection: Collection) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(collection))), max_size=6)) if len(collection) else []
    reads_the_same_in_company(collection, chosen)


def test_an_empty_graph_reads_as_nothing_in_any_company() -> None:
    collection = Collection.from_graphs([Graph.from_edges(0, []), Graph.from_edges(3, [(0, 1)])])
    reads_the_same_in_company(collection, [0, 1, 0])


def reads_the_same_in_company(collection: Collection, chosen: list[int]) -> None:
    inputs = EVERYTHING.of(collection)
    packed = prepare(collection, inputs)
    batch = packed.batch(chosen)
    together = {}
    for block in batch.blocks:
        for row, place in enumerate(block.places.tolist()):
            together[place] = (block, row)
    assert sorted(together) == list(range(len(chosen)))
    for place, graph in enumerate(chosen):
        alone = prepare(collection[graph : graph + 1], inputs).batch([0]).blocks[0]
        block, row = together[place]
        size = collection[graph].size
        assert int(block.mask[row].sum()) == size
        for name in ("inputs", "ranks", "walks"):
            torch.testing.assert_close(getattr(block, name)[row, :size], getattr(alone, name)[0, :size])
        torch.testing.assert_close(
            block.distances[row, :size, :size], alone.distances[0, :size, :size]
        )  # a block is at least 1 wide
        first = int(batch.starts[place])
        assert batch.labels[first : first + size].tolist() == collection[graph].label_ids.tolist()


@given(st.data())
def test_what_is_derived_follows_the_nodes_when_they_are_renumbered(data: st.DataObject) -> None:
    graph = data.draw(graphs(min_nodes=1, labels=True))
    order = data.draw(st.permutations(range(graph.size)))
    two = Collection.from_graphs([graph, graph.renumbered(order)])
    block = prepare(two, EVERYTHING.of(two)).batch([0, 1]).blocks[0]
    for name in ("inputs", "ranks", "walks"):
        first, second = getattr(block, name)
        torch.testing.assert_close(first[list(order)], second)
    first, second = block.distances
    assert torch.equal(first[list(order)][:, list(order)], second)


@given(collections(directed=True, labels=None, edge_labels=False))
def test_directions_and_loops_say_nothing_to_an_encoder(collection: Collection) -> None:
    inputs = EVERYTHING.of(collection)
    plain = prepare(collection.undirected(), inputs)
    assert torch.equal(prepare(collection, inputs).distances, plain.distances)
    looped = [
        Graph.from_edges(g.size, [*g.edges.tolist(), *([v, v] for v in range(g.size))], labels=g.label_names)
        for g in collection.undirected()
    ]
    assert torch.equal(prepare(Collection.from_graphs(looped), inputs).distances, plain.distances)


def test_a_label_without_a_column_reads_as_none_of_those() -> None:
    known = Collection.from_graphs([Graph.from_edges(2, [(0, 1)], labels=["C", "N"])])
    strange = Collection.from_graphs([Graph.from_edges(2, [(0, 1)], labels=["N", "Xe"])])
    block = prepare(strange, Inputs().of(known)).batch([0]).blocks[0]
    assert block.inputs[0].tolist() == [[0, 1, 0], [0, 0, 0]] or block.inputs[0].tolist() == [[0, 1], [0, 0]]


def test_features_of_another_width_are_refused() -> None:
    wide = Collection.from_graphs([Graph.from_edges(1, [], features=[[1, 2, 3]])])
    with pytest.raises(ModelError, match="the graphs have 3 features a node, the model reads none"):
        prepare(wide, Inputs())


def test_lines_make_nodes_of_edges() -> None:
    path = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "C", "N"], edge_labels=["single", "double"])
    two = Collection.from_graphs([path])
    packed = prepare(two, Inputs(lines=True).of(two))
    assert packed.sizes.tolist() == [2]
    assert set(packed.inputs.labels) == {("single", "C", "C"), ("double", "C", "N")}


@given(st.lists(st.integers(0, 400), max_size=40), st.integers(1, 10_000))
def test_like_sizes_come_together_and_all_come_once(sizes: list[int], entries: int) -> None:
    array = np.array(sizes, np.int64)
    groups = list(alike(array, entries=entries))
    assert sorted(np.concatenate([*groups, np.zeros(0, int)]).astype(int).tolist()) == list(range(len(sizes)))
    for group in groups:
        here = array[group]
        assert here.max() <= max(3, 1.3 * here.min() + 1)
        assert len(group) == 1 or len(group) * int(here.max()) ** 2 <= entries


@given(renumberings(Graph.from_edges(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])))
def test_a_ring_has_one_rank(ring: Graph) -> None:
    assert set(closeness_ranks(all_paths(adjacency(ring)), shared=True)[0].tolist()) == {0}
