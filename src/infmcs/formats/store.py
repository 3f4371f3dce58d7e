"""Our own store: one file a collection, memory-mapped, so that 80,000 graphs are there in a blink.

It is a `container` of kind "collection": the arrays as they are in memory, vocabulary and column names beside them.
Opening checks all of it, checksums and graphs, and copies nothing; the arrays live in the mapped file.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection, Texts
from infmcs.errors import FormatError, GraphError
from infmcs.formats import container
from infmcs.formats.container import Container
from infmcs.formats.source import Member, Source
from infmcs.vocabulary import Vocabulary

KIND = "collection"
VERSION = 1


def write(collection: Collection, path: str | os.PathLike[str]) -> None:
    """The collection as one file, whole or not at all."""
    nodes, edges = collection.nodes_here, collection.edges_here
    facts = {"graphs": len(collection), "directed": collection.directed, "columns": list(collection.columns)}
    try:
        with container.writing(path, KIND, VERSION, facts) as file:
            file.add("node_offsets", collection.node_offsets - collection.node_offsets[0])
            file.add("edge_offsets", collection.edge_offsets - collection.edge_offsets[0])
            file.add("labels", collection.labels[nodes])
            file.add("edges", collection.edges[edges])
            if collection.edge_labels is not None:
                file.add("edge_labels", collection.edge_labels[edges])
            if collection.features is not None:
                file.add("features", collection.features[nodes])
            file.add_json("vocabulary", [collection.vocabulary.nodes, collection.vocabulary.edges])
            if collection.names is not None:
                file.add_texts("names", collection.names)
            for place, column in enumerate(collection.columns.values()):
                add: Any = file.add_texts if isinstance(column, Texts) else file.add
                add(f"column {place}", column)
    except ValueError as error:  # a column of long doubles, a label of 5,000 digits
        raise FormatError(f"cannot be written: {error}", path=os.fspath(path)) from None


def read(source: Source, members: list[Member]) -> Collection:
    """The one store among these members: mapped where it is a plain file, else from its unpacked bytes."""
    if len(members) > 1:
        raise source.error(f"holds {len(members)} stores: {', '.join(m.path for m in members[:3])}", hint="read one")
    (member,) = members
    if member.file is not None:
        return of(Container.open(member.file, KIND, VERSION))
    return of(
        Container(member.content(), f"{source.path}, {member.path}" if member.path else source.path, KIND, VERSION)
    )


def of(opened: Container) -> Collection:
    """The collection in an open container."""
    try:
        nodes, edges = opened.json("vocabulary")
        columns: dict[str, Any] = {}
        for place, key in enumerate(opened.facts["columns"]):
            section = f"column {place}"
            columns[str(key)] = opened[section] if section in opened else opened.texts(section)
        return Collection.from_arrays(
            node_offsets=_taken(opened, "node_offsets", np.int64),
            edge_offsets=_taken(opened, "edge_offsets", np.int64),
            labels=_taken(opened, "labels", np.int32),
            edges=_taken(opened, "edges", np.int32),
            edge_labels=_taken(opened, "edge_labels", np.int32) if "edge_labels" in opened.names else None,
            features=_taken(opened, "features", np.float32) if "features" in opened.names else None,
            directed=opened.facts["directed"] is True,
            vocabulary=Vocabulary(nodes, edges),
            names=opened.texts("names") if "names.offsets" in opened else None,
            columns=columns,
        )
    except (GraphError, KeyError, TypeError, ValueError, IndexError, RecursionError) as error:
        what = error.message if isinstance(error, GraphError) else error
        raise FormatError(f"makes no sense as a collection: {what}", path=opened.path) from None


def _taken(opened: Container, section: str, dtype: Any) -> npt.NDArray[Any]:
    array = opened[section]
    if array.dtype != dtype:
        raise TypeError(f"section {section!r} holds {array.dtype}, expected {np.dtype(dtype)}")
    return array
