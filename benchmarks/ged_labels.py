"""All pairs of AIDS(2-15), LINUX and PTC_MM labelled with edit distances: how long, how many exact, how wide the rest.

    python -m benchmarks.ged_labels FOLDER              labels go into FOLDER, one file a data set
    python -m benchmarks.ged_labels FOLDER ptc_mm 4000  of one set, so many pairs by chance: a row of its own

One thread. AIDS(2-15) and LINUX run without a limit, PTC_MM (graphs up to 64 nodes) under a budget of search nodes, the
same on every machine. The paper needed 1,000 seconds a pair for PTC_MM. Needs INFMCS_DATA.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from infmcs import datasets, label, pairs, provenance
from infmcs.solve import Budget

RECORD = Path(__file__).parent / "record" / "ged_labels.json"
SETS = {"linux": None, "aids": None, "ptc_mm": 100_000}
UNLIMITED = 2**62


def main(folder: Path, only: str | None = None, sample: int | None = None) -> None:
    """Label every set, or one, or a sample of it, and record what the labels are like."""
    folder.mkdir(exist_ok=True)
    known: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name, visits in SETS.items():
        if only not in (None, name):
            continue
        graphs = datasets.load(name)
        selection = pairs.among(len(graphs))
        if sample is not None:
            name = f"{name}, {sample} pairs by chance"
            selection = pairs.sample(selection, sample, seed=0)
        begun, cpu = time.perf_counter(), time.process_time()
        labels = label.label(
            graphs,
            selection,
            output=folder / f"{name.replace(', ', '-').replace(' ', '-')}.parquet",
            metric="ged",
            budget=Budget(visits=visits or UNLIMITED),
        )
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
        width = labels.upper - labels.lower
        left, right = graphs.sizes[labels.pairs].T
        similarity = pairs.nged(labels.upper, left, right)
        row = {
            "graphs": len(graphs),
            "pairs": len(labels.pairs),
            "visits a pair": visits,
            "wall seconds": seconds,
            "cpu seconds": cpu,
            "share exact": float(labels.proved.mean()),
            "distance": _described(labels.upper),
            "similarity": _described(similarity),
            "interval width": _described(width),
            "interval width where not exact": _described(width[~labels.proved]) if (~labels.proved).any() else None,
            "visits": _described(labels.visited),
        }
        print(name, json.dumps(row, indent=1))
        known[name] = row | provenance.record(digest=graphs.digest)
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def _described(values: np.ndarray[Any, Any]) -> dict[str, float]:
    return {"mean": float(values.mean()), "variance": float(values.var()), "most": float(values.max())}


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), given[1] if given[1:] else None, int(given[2]) if given[2:] else None)
