"""Our own store: what went in comes out, mapped, and nothing else is ever read from it."""

from __future__ import annotations

import gzip
import io
import mmap
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from infmcs import Collection, Graph, formats
from infmcs.errors import FormatError
from infmcs.formats import container
from tests.kit import collections
from tests.kit.strategies import graphs


def same(left: Collection, right: Collection) -> bool:
    """Equal graphs, names and columns."""
    return (
        left == right
        and left.digest == right.digest
        and left.columns.keys() == right.columns.keys()
        and all(list(left.columns[key]) == list(right.columns[key]) for key in left.columns)
    )


def small(**columns: Any) -> Collection:
    made = [
        Graph.from_edges(3, [(0, 1), (1, 2)], ["C", 6, ("a", 1.5)], ["x", None], [[1, 2]] * 3, name="größer"),
        Graph.from_edges(0, [], features=np.zeros((0, 2)), name=""),
        Graph.from_edges(1, [(0, 0)], [None], [2], [[0.1, -1e30]], name="a\nb"),
    ]
    return Collection.from_graphs(made, columns)


@given(collections(labels=None, edge_labels=None, directed=None, features=None, loops=True))
def test_any_collection_comes_back(tmp_path_factory: pytest.TempPathFactory, collection: Collection) -> None:
    path = tmp_path_factory.mktemp("store") / "graphs.infmcs"
    formats.write(collection, path)
    back = formats.read(path)
    assert same(back, collection)
    assert back.vocabulary == collection.vocabulary


def test_names_columns_and_features_come_back_from_a_file_a_stream_and_an_archive(tmp_path: Path) -> None:
    collection = small(kind=["a", "b", "ü"], score=[0.5, np.nan, 2.0], fold=np.array([1, 2, 3], np.uint8))
    path = tmp_path / "graphs.infmcs"
    formats.write(collection, path)
    content = path.read_bytes()
    packed, archive = tmp_path / "graphs.gz", tmp_path / "graphs.zip"
    packed.write_bytes(gzip.compress(content))
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("inner/graphs.infmcs", content)
    for readable in (path, io.BytesIO(content), packed, archive):
        back = formats.read(readable)
        assert back == collection
        assert list(back.names or ()) == ["größer", "", "a\nb"]
        assert list(back.columns["kind"]) == ["a", "b", "ü"]
        assert np.array_equal(np.asarray(back.columns["score"]), [0.5, np.nan, 2.0], equal_nan=True)
        assert np.asarray(back.columns["fold"]).dtype == np.uint8
        assert back[0].features is not None


def test_a_slice_is_written_alone(tmp_path: Path) -> None:
    collection = small(k=[0, 1, 2])
    formats.write(collection[1:], tmp_path / "part.infmcs")
    back = formats.read(tmp_path / "part.infmcs")
    assert same(back, collection[1:])
    assert len(back.labels) == 1


def test_reading_copies_nothing_and_the_arrays_outlive_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graphs.infmcs"
    formats.write(small(), path)
    back = formats.read(path)
    for array in (back.labels, back.edges, back.features, back.node_offsets, back[0].edges):
        assert array is not None
        owner: Any = array
        while isinstance(owner, np.ndarray):
            assert not owner.flags.writeable
            owner = owner.base
        assert isinstance(owner, mmap.mmap)
    formats.write(small()[:1], path)
    os.unlink(path)
    assert back == small()


def test_every_flipped_byte_and_every_cut_is_a_format_error(tmp_path: Path) -> None:
    path = tmp_path / "graphs.infmcs"
    formats.write(small(kind=["a", "b", "c"]), path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[place] ^= 0x10
        with pytest.raises(FormatError):
            formats.read(io.BytesIO(bytes(changed)), "store")
        with pytest.raises(FormatError):
            formats.read(io.BytesIO(whole[:place]), "store")


@pytest.mark.parametrize(
    ("section", "array"),
    [
        ("edges", np.array([[0, 9]], np.int32)),
        ("edges", np.array([[0, 1]], np.float64)),
        ("edges", np.array([0, 1], np.int32)),
        ("labels", np.array([0, 7], np.int32)),
        ("labels", np.array([[0], [0]], np.int32)),
        ("node_offsets", np.array([0, 3], np.int64)),
        ("node_offsets", np.array(2, np.int64)),
        ("edge_offsets", np.array([0, 0, 1], np.int64)),
        ("features", np.array([[np.nan], [0]], np.float32)),
    ],
)
def test_a_forged_store_with_right_checksums_is_refused(tmp_path: Path, section: str, array: Any) -> None:
    path = tmp_path / "forged.infmcs"
    sections: dict[str, Any] = {
        "node_offsets": np.array([0, 2], np.int64),
        "edge_offsets": np.array([0, 1], np.int64),
        "labels": np.zeros(2, np.int32),
        "edges": np.array([[0, 1]], np.int32),
    }
    facts = {"directed": False, "columns": []}
    for given_sections, fine in ((sections, True), (sections | {section: array}, False)):
        with container.writing(path, "collection", facts=facts) as file:
            for name, content in given_sections.items():
                file.add(name, content)
            file.add_json("vocabulary", [[None], []])
        if fine:
            assert len(formats.read(path)) == 1
        else:
            with pytest.raises(FormatError, match=r"forged\.infmcs: makes no sense as a collection"):
                formats.read(path)


def test_an_index_and_a_newer_store_are_told_from_a_store(tmp_path: Path) -> None:
    path = tmp_path / "x.infmcs"
    with container.writing(path, "index") as file:
        file.add("a", np.zeros(1))
    with pytest.raises(FormatError, match="holds 'index', expected 'collection'"):
        formats.read(path)
    with container.writing(path, "collection", version=99) as file:
        file.add("a", np.zeros(1))
    with pytest.raises(FormatError, match="newer infmcs"):
        formats.read(path)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "missing" / "x.infmcs", "cannot be written: No such file or directory"),
        (tmp_path / "x.unknown", "no format could be told from the name"),
        (tmp_path / "x.infmcs.gz", "a store is mapped"),
    ):
        with pytest.raises(FormatError, match=message):
            formats.write(small(), path)
    assert not list(tmp_path.iterdir())


def test_a_full_device_and_a_folder_in_the_way_are_told(tmp_path: Path) -> None:
    for path, message in (("/dev/full", "No space left on device"), (tmp_path, "Is a directory")):
        with pytest.raises(FormatError, match=f"cannot be written: {message}"):
            formats.write(small(), path, "jsonl")
    with pytest.raises(FormatError, match="not a stream"):
        formats.write(small(), io.BytesIO(), "store")
    assert not list(tmp_path.iterdir())


def test_an_empty_collection_comes_back(tmp_path: Path) -> None:
    formats.write(Collection.from_graphs([]), tmp_path / "none.infmcs")
    assert len(formats.read(tmp_path / "none.infmcs")) == 0


@given(graphs(features=None))
def test_one_graph_comes_back(tmp_path_factory: pytest.TempPathFactory, graph: Graph) -> None:
    path = tmp_path_factory.mktemp("store") / "graph.infmcs"
    formats.write(Collection.from_graphs([graph]), path)
    assert formats.read(path)[0] == graph
