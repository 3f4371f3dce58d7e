"""Labels as arrays and as a Parquet file: one row a pair, the facts of the run in the file's metadata."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from infmcs import durable
from infmcs.errors import FormatError
from infmcs.pairs import Metric

if TYPE_CHECKING:
    import pyarrow

KIND, VERSION = "labels", 1
KEY = b"infmcs"

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What is known of each pair, in the order of the selection.

    pairs       (count, 2) places in the collection
    lower       of the MCS size or the edit distance; upper likewise
    proved      where they meet: the value is exact
    visited     search nodes spent on the pair, or on the pair of equal graphs that was solved in its place
    similarity  of the value that a mapping shows (`value`); the true similarity is not less, and not more than `most`
    facts       metric, question or costs, budget, digest of the collection, provenance
    """

    pairs: npt.NDArray[np.int64]
    lower: Array
    upper: Array
    proved: npt.NDArray[np.bool_]
    visited: npt.NDArray[np.int64]
    similarity: npt.NDArray[np.float64]
    most: npt.NDArray[np.float64]
    facts: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def metric(self) -> Metric:
        """What was measured."""
        metric: Metric = self.facts["metric"]
        return metric

    @property
    def value(self) -> Array:
        """The size or the distance that a mapping shows; exact where proved."""
        return self.lower if self.metric == "mcs" else self.upper

    def summary(self) -> dict[str, Any]:
        """The figures a study prints of its labels. The variance is the error of the best constant answer."""
        count, width = len(self), self.most - self.similarity
        open_ = ~self.proved

        def of(function: Any, values: Array) -> float | None:
            return float(function(values)) if len(values) else None

        return {
            "metric": self.metric,
            "pairs": count,
            "exact": int(self.proved.sum()),
            "exact share": of(np.mean, self.proved),
            "mean value": of(np.mean, self.value),
            "mean similarity": of(np.mean, self.similarity),
            "variance of similarity": of(np.var, self.similarity),
            "interval width, mean of all": of(np.mean, width),
            "interval width, mean of open": of(np.mean, width[open_]),
            "interval width, largest": of(np.max, width),
            "visits": int(self.visited.sum()),
        }


COLUMNS = ("left", "right", "lower", "upper", "proved", "visited", "similarity", "most")


def read(path: str | os.PathLike[str]) -> Labels:
    """The labels of a file that `label` finished."""
    path = Path(path)
    return joined([_read(path)])


def facts_of(path: Path) -> dict[str, Any]:
    """The facts of a label file; an error where it is none."""
    import pyarrow.parquet as parquet

    try:
        metadata = parquet.read_schema(path).metadata or {}
        facts = json.loads(metadata[KEY])
        if facts["kind"] != KIND or facts["version"] > VERSION:
            raise ValueError(f"it holds {facts['kind']} of version {facts['version']}")
    except KeyError:
        raise FormatError("is a Parquet file, but not of labels", path=path) from None
    except FileNotFoundError:
        raise FormatError("is not there", path=path, hint="`infmcs label SET -o FILE` makes labels") from None
    except (OSError, ValueError, TypeError) as error:
        raise FormatError(f"is not a file of labels: {error}", path=path) from None
    return dict(facts)


def _read(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    import pyarrow.parquet as parquet

    facts = facts_of(path)
    try:
        table = parquet.read_table(path, columns=list(COLUMNS))
        return {name: table[name].to_numpy() for name in COLUMNS}, facts
    except (OSError, ValueError, KeyError) as error:
        raise FormatError(f"cannot be read: {error}", path=path) from None


def joined(parts: Iterable[tuple[dict[str, Array], dict[str, Any]]]) -> Labels:
    """One table of several, in their order."""
    tables, facts = zip(*parts, strict=True)
    whole = {name: np.concatenate([table[name] for table in tables]) for name in COLUMNS}
    both = np.stack((whole.pop("left"), whole.pop("right")), axis=1).astype(np.int64)
    return Labels(pairs=both, facts=facts[0], **whole)


def write(labels: Labels, path: Path) -> None:
    """One file, whole or not at all."""
    write_parts([labels], labels.facts, path)


def write_parts(parts: Iterable[Labels], facts: Mapping[str, Any], path: Path) -> None:
    """One file of several tables; only one of them is held at a time."""
    import pyarrow.parquet as parquet

    with durable.writing(path) as file:
        writer = None
        for part in parts:
            table = _arrow(dataclasses.replace(part, facts=facts))
            writer = writer or parquet.ParquetWriter(file, table.schema, compression="zstd")
            writer.write_table(table)
        if writer is not None:
            writer.close()


def _arrow(labels: Labels) -> pyarrow.Table:
    import pyarrow

    columns = {name: getattr(labels, name) for name in COLUMNS[2:]}
    columns = {"left": labels.pairs[:, 0].astype(np.int32), "right": labels.pairs[:, 1].astype(np.int32), **columns}
    table = pyarrow.table(columns)
    return table.replace_schema_metadata({KEY: json.dumps(dict(labels.facts), ensure_ascii=False).encode()})
