"""Exact values that others published, as pairs of places in what `load` gives: what solvers are tested with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.certify import Question
from infmcs.datasets import catalog, places, reading
from infmcs.errors import DatasetError

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """What is known of some pairs of a data set.

    pairs      (count, 2) places in the collection; part: which block of the publication each pair stands in
    mcs, ged   exact sizes and distances, one a pair; None where none are published. −1: not known of this pair
    question   which common subgraphs were meant; edits cost 1, edge labels ignored
    other      values of approximate methods by name, for the pairs of part "test × train"
    """

    pairs: npt.NDArray[np.int64]
    part: npt.NDArray[np.str_]
    mcs: npt.NDArray[np.int64] | None
    ged: npt.NDArray[np.int64] | None
    question: Question
    other: Mapping[str, Array]


def published(name: str) -> Published:
    """The exact values published of pairs of this data set."""
    dataset = catalog.described(name)
    if dataset.truth is None or dataset.file is None:
        known = ", ".join(each.name for each in catalog.CATALOG.values() if each.truth)
        raise DatasetError(f"no exact values of {name} are published", hint=f"there are some of {known}")
    folder = str(Path(dataset.file).parent)
    path = places.require(name, f"{folder}/{dataset.truth}")
    return _mivia(path, name) if name.startswith("mivia") else _matrices(path, name)


def _matrices(path: Path, name: str) -> Published:
    """Matrices test × train and train × train. Of the square one each pair is taken once, and no graph with itself."""
    graphs = catalog.load(name)
    assert graphs.names is not None
    place = {given: k for k, given in enumerate(graphs.names)}
    with np.load(path, allow_pickle=False) as file:
        tables = {key: file[key] for key in file.files}
    train, test = (np.array([place[str(number)] for number in tables[f"{part}_ids"]]) for part in ("train", "test"))
    across = np.stack(np.meshgrid(test, train, indexing="ij"), axis=-1).reshape(-1, 2)
    first, second = np.triu_indices(len(train), 1)
    within = np.stack((train[first], train[second]), axis=1)

    def values(of_tests: str, of_trains: str) -> npt.NDArray[np.int64]:
        joined = np.concatenate((tables[of_tests].ravel(), tables[of_trains][first, second]))
        return joined.astype(np.int64)

    distance = "ged_astar" if "ged_astar_test_train" in tables else "ged"
    other = {
        key.removeprefix("ged_").removesuffix("_test_train"): table.ravel()
        for key, table in tables.items()
        if key.endswith("_test_train") and key not in (f"{distance}_test_train", "mcs_test_train")
    }
    return Published(
        pairs=np.concatenate((across, within)),
        part=np.repeat(["test × train", "train × train"], (len(across), len(within))),
        mcs=values("mcs_test_train", "mcs_train_train"),
        ged=values(f"{distance}_test_train", f"{distance}_train_train"),
        question=Question(),
        other=other,
    )


def _mivia(path: Path, name: str) -> Published:
    pairs = reading.mivia_pairs(path)
    percent = name.removeprefix("mivia")
    sizes = np.array([pair.get(f"mcs_vlabels{percent}" if percent else "mcs_unlabelled", -1) for pair in pairs])
    kept = np.flatnonzero(sizes >= 0)
    return Published(
        pairs=np.stack((2 * kept, 2 * kept + 1), axis=1),
        part=np.array([pairs[k]["a"].split("_")[0] for k in kept]),
        mcs=sizes[kept].astype(np.int64),
        ged=None,
        question=Question(connected=False, node_labels=bool(percent)),
        other={"solved by": np.array([pairs[k]["solved_by"] for k in kept])},
    )
