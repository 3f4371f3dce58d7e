"""The data sets beside the paper's table: `python -m benchmarks.datasets`, record in benchmarks/record/datasets.json.

Also how long reading takes (first time, and from our own copy), and finding the isomorphism classes of each set.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from infmcs import datasets, durable, provenance, solve

RECORD = Path(__file__).parent / "record" / "datasets.json"


def main() -> None:
    """Read every set that is here, count, time, print, record."""
    rows: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = empty  # so that the first reading is a first reading
        for name in datasets.NAMES:
            if datasets.located(name) is None:
                print(f"{name:12} is not here")
                continue
            seconds = []
            for _ in range(2):
                started = time.perf_counter()
                graphs = datasets.load(name)
                seconds.append(round(time.perf_counter() - started, 3))
            started = time.perf_counter()
            classes = int(solve.classes(graphs).max()) + 1
            grouped = round(time.perf_counter() - started, 3)
            found = datasets.statistics(graphs)
            assert found.classes == classes
            described = datasets.described(name)
            rows[name] = {
                "graphs": found.graphs,
                "nodes": round(found.nodes, 2),
                "edges": round(found.edges, 2),
                "labels": found.labels,
                "smallest": found.smallest,
                "largest": found.largest,
                "classes": classes,
                "connected": found.connected,
                "paper": None
                if described.paper is None
                else [described.paper.graphs, described.paper.nodes, described.paper.edges, described.paper.labels],
                "same as the paper's": described.same,
                "digest": graphs.digest,
                "seconds": {"first reading": seconds[0], "next": seconds[1], "classes": grouped},
            }
            print(
                f"{name:12} {graphs!r}: {classes:,} classes in {grouped} s, read in {seconds[0]} s, then {seconds[1]} s"
            )
    durable.write_text(RECORD, json.dumps({"sets": rows, "provenance": provenance.record()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
