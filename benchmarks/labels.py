"""What labelling costs over bare solving: `python -m benchmarks.labels`, record in benchmarks/record/labels.json.

All pairs of AIDS, LINUX and PTC_MM by largest common subgraph, in one file with provenance, against the same pairs
solved in one call and forgotten; values compared. Then a run that is killed again and again, against one that is not.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from infmcs import datasets, durable, label, pairs, provenance, solve

RECORD = Path(__file__).parent / "record" / "labels.json"
KILLED = """
import sys
from infmcs import datasets, label, pairs
graphs = datasets.load("aids")
label.label(graphs, pairs.among(len(graphs)), output=sys.argv[1])
"""


def main() -> None:
    """Measure, compare, print, record."""
    rows: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("aids", "linux", "ptc_mm"):
            graphs = datasets.load(name)
            chosen = pairs.among(len(graphs))
            started = time.perf_counter()
            values = solve.pairs(graphs, chosen[:])
            bare = time.perf_counter() - started
            output = Path(folder, f"{name}.parquet")
            started = time.perf_counter()
            labels = label.label(graphs, chosen, output=output)
            kept = time.perf_counter() - started
            assert np.array_equal(values.lower, labels.lower)
            assert labels.proved.all()
            summary = labels.summary()
            rows[name] = {**summary, "seconds solving": round(bare, 3), "seconds labelling": round(kept, 3)}
            rows[name] |= {"pairs a second": round(len(labels) / kept), "bytes": output.stat().st_size}
            print(f"{name:8} {len(labels):>9,} pairs: solving {bare:6.2f} s, labels on disk {kept:6.2f} s")
        rows["killed"] = killed(Path(folder, "killed.parquet"), Path(folder, "aids.parquet"))
    durable.write_text(RECORD, json.dumps({"rows": rows, "provenance": provenance.record()}, indent=1) + "\n")


def killed(output: Path, whole: Path) -> dict[str, Any]:
    """All pairs of AIDS, killed again and again, each time later, until it is done: the labels are those of one run."""
    starts, patience = 0, 4.0
    while not output.exists():
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(output)])
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        starts, patience = starts + 1, patience * 1.5
    one, other = label.read(whole), label.read(output)
    equal = all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("pairs", "lower", "upper", "visited")
    )
    assert equal
    print(f"killed {starts - 1} times: the labels are equal to those of one run")
    return {"times killed": starts - 1, "equal to one run": equal}


if __name__ == "__main__":
    main()
