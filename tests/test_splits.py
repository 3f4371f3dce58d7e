"""Splits: together everything, nothing twice, disjoint where they say so, and the same for ever."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Collection, Graph, datasets, solve
from infmcs.datasets import lists
from infmcs.datasets.splits import STORED_SEEDS, Protocol
from infmcs.errors import DatasetError, QuestionError
from tests.kit import collections, real_data, wrong


def parts(split: datasets.Split) -> list[list[int]]:
    return [split.train.tolist(), split.validation.tolist(), split.test.tolist()]


@given(collections(max_graphs=12, max_nodes=3), st.integers(0, 3), st.sampled_from(["paper", "class-disjoint"]))
def test_every_graph_is_in_one_part(some: Collection, seed: int, protocol: Protocol) -> None:
    split = datasets.split(some, protocol, seed)
    assert sorted(itertools.chain(*parts(split))) == list(range(len(some)))


@given(collections(max_graphs=12, max_nodes=3), st.integers(0, 3))
def test_no_class_is_in_two_parts(some: Collection, seed: int) -> None:
    owner = solve.classes(some)
    found = [set(owner[part].tolist()) for part in parts(datasets.split(some, "class-disjoint", seed))]
    assert sum(map(len, found)) == len(set(owner.tolist()))


def test_a_function_is_in_one_part_and_shares_are_of_functions() -> None:
    names = [f"f{k // 3}" for k in range(300)]
    some = Collection.from_graphs([Graph.from_edges(1, [])] * 300, {"function": names})
    split = datasets.split(some, "function")
    owners = [{names[place] for place in part} for part in parts(split)]
    assert [len(owner) for owner in owners] == [80, 10, 10]


def test_graphs_without_function_names_cannot_be_split_by_them() -> None:
    with pytest.raises(DatasetError, match="no column 'function'"):
        datasets.split(Collection.from_graphs([]), "function")
    with pytest.raises(QuestionError, match="no protocol"):
        datasets.split(Collection.from_graphs([]), wrong("by hand"))


def test_the_order_of_places_is_fixed_for_ever() -> None:
    assert lists.order(6, 0, "test").tolist() == [5, 3, 2, 0, 4, 1]
    assert sorted(lists.order(500, 1, "test").tolist()) == list(range(500))
    assert lists.order(500, 1, "test").tolist() != lists.order(500, 2, "test").tolist()


@pytest.mark.parametrize(("name", "sizes"), [("aids", (1200, 150, 150)), ("ptc_mm", (268, 34, 34))])
def test_the_papers_shares_are_80_10_10(name: str, sizes: tuple[int, int, int]) -> None:
    split = datasets.split(name)
    assert (len(split.train), len(split.validation), len(split.test)) == sizes


@pytest.mark.parametrize("name", ["aids", "ptc_mm", "linux", "aids700nef"])
def test_stored_lists_are_what_is_computed(name: str) -> None:
    real_data(*str(datasets.CATALOG[name].file).split("/"))
    graphs = datasets.load(name)
    for protocol in ("paper", "class-disjoint"):
        for seed in (0, STORED_SEEDS[-1]):
            assert f"{name}/{protocol}/{seed}" in lists.stored()
            assert parts(datasets.split(name, protocol, seed)) == parts(datasets.split(graphs, protocol, seed))


def test_the_stored_choice_of_aids_is_what_is_computed() -> None:
    assert lists.stored()["aids"] == lists.drawn().tolist()


def test_linux_has_no_test_class_among_its_training_classes() -> None:
    real_data("LINUX", "LINUX.jsonl.xz")
    owner, split = solve.classes(datasets.load("linux")), datasets.split("linux", "class-disjoint")
    assert not np.intersect1d(owner[split.train], owner[split.test]).size
    assert not np.intersect1d(owner[split.train], owner[split.validation]).size
    assert abs(len(split.test) - 100) < 30
