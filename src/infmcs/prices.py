"""What edits cost, from a TOML file, for the graphs at hand.

`EditCosts` wants a price for every label it meets; a file names the labels that matter, as they are printed, and prices
all others with "*". Here one becomes the other. The file's names are those of `EditCosts`:

    edge_labels = true
    insert_node = 2          # one price for all labels

    [insert_edge]            # or a price for each
    double = 1.5
    "*" = 1

    [relabel_node]           # from, then to
    C.N = 0.5
    C."*" = 0.8              # from C to any other
    "*" = 1
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from itertools import product
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from infmcs import config
from infmcs.certify import EditCosts, Price
from infmcs.collection import Collection
from infmcs.errors import ConfigError
from infmcs.graph import Graph
from infmcs.vocabulary import Name

ANY = "*"
EDITS = tuple(field.name for field in dataclasses.fields(EditCosts) if field.name.endswith(("_node", "_edge")))
COUNTS = tuple(field.name for field in dataclasses.fields(EditCosts) if field.name not in EDITS)

Graphs: TypeAlias = "Graph | Collection"


def read(path: str | os.PathLike[str], left: Graphs, right: Graphs, **instead: Any) -> EditCosts:
    """The costs of a file for turning left graphs into right ones; `instead` stands in place of what the file says."""
    said = config.read(path)
    config.refuse_unknown(said, (*COUNTS, *EDITS), str(path))
    for name, value in said.items():
        if name in COUNTS and not isinstance(value, bool):
            raise ConfigError(f"{path}: {name} must be true or false, not {value!r:.60}")
        if name in EDITS:
            _refuse_what_is_no_price(str(path), (name,), value, deep=name.startswith("relabel"))
    said |= instead
    edges = said.get("edge_labels", False)
    for name in EDITS:
        if isinstance(table := said.get(name), Mapping):
            if name.endswith("edge") and not edges:
                raise ConfigError(
                    f"{path}: {name} has a price for each label, but labels of edges do not count",
                    hint="edge_labels = true makes them count",
                )
            sides = [_labels(graphs, edges=name.endswith("edge")) for graphs in (left, right)]
            said[name] = _priced(str(path), name, table, *sides)
    return EditCosts(**said)


def _priced(path: str, name: str, table: Mapping[str, Any], left: list[Name], right: list[Name]) -> Price:
    """The prices of one edit for all labels it can meet."""
    if not name.startswith("relabel"):
        labels = left if name.startswith("delete") else right
        return {label: _found(path, name, (str(label),), [table]) for label in labels}
    rows = {key: row if isinstance(row, Mapping) else {ANY: row} for key, row in table.items()}
    return {
        (here, there): _found(
            path, name, (str(here), str(there)), [rows[key] for key in (str(here), ANY) if key in rows]
        )
        for here, there in product(left, right)
        if here != there
    }


def _found(path: str, name: str, labels: tuple[str, ...], rows: Iterable[Mapping[str, float]]) -> float:
    """The first price for a label, or for any, in rows from the nearest to the most general."""
    for row in rows:
        for key in (labels[-1], ANY):
            if key in row:
                return float(row[key])
    raise ConfigError(
        f"{path}: {name} names no price for label {' to '.join(labels)}", hint='"*" stands for every other label'
    )


def _refuse_what_is_no_price(path: str, key: tuple[str, ...], value: Any, *, deep: bool) -> None:
    if isinstance(value, Mapping) and len(key) < 2 + deep:
        for label, inner in value.items():
            _refuse_what_is_no_price(path, (*key, label), inner, deep=deep)
    elif isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        example = 'C = { N = 0.5, "*" = 1 }' if deep else "C = 2"
        raise ConfigError(
            f"{path}: {'.'.join(key)} must be a number, finite and not negative, not {value!r:.60}",
            hint=f'or a table: {key[0]} = {{ {example}, "*" = 1 }}',
        )


def _labels(graphs: Graphs, *, edges: bool) -> list[Name]:
    codes, names = (graphs.edge_labels, graphs.vocabulary.edges) if edges else (graphs.labels, graphs.vocabulary.nodes)
    return [None] if codes is None else [names[code] for code in np.unique(codes).tolist()]
