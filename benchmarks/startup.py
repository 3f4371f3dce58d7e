"""How long it takes until something happens: `python -m benchmarks.startup`, record in benchmarks/record/startup.json.

Each line is a new process; the time of an interpreter that does nothing is printed beside it, because it is part of
every figure. Medians of many runs, in turn, so that a busy moment hits all alike. Processor time is what the process
itself needs; wall time on a shared machine also counts the waiting for its turn.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from infmcs import durable, provenance

RECORD = Path(__file__).parent / "record" / "startup.json"
RUNS = 21
COMMAND = str(Path(sys.executable).with_name("infmcs"))
LINES = {
    "python": ([sys.executable, "-c", "pass"], None),
    "import infmcs": ([sys.executable, "-c", "import infmcs"], 0.15),
    "import infmcs, with Graph": ([sys.executable, "-c", "import infmcs; infmcs.Graph"], None),
    "infmcs --version": ([COMMAND, "--version"], 0.3),
    "infmcs --help": ([COMMAND, "--help"], 0.3),
    "infmcs datasets": ([COMMAND, "datasets"], None),
}


def main() -> None:
    """Measure, print, record."""
    times: dict[str, list[float]] = {name: [] for name in LINES}
    work: dict[str, list[float]] = {name: [] for name in LINES}
    for _ in range(RUNS):
        for name, (words, _limit) in LINES.items():
            started, before = time.perf_counter(), _processor_time()
            subprocess.run(words, check=True, capture_output=True)
            times[name].append(time.perf_counter() - started)
            work[name].append(_processor_time() - before)
    rows = []
    for name, (_, limit) in LINES.items():
        median, least, needed = statistics.median(times[name]), min(times[name]), statistics.median(work[name])
        row = {"what": name, "median": median, "least": least, "processor": needed, "limit": limit}
        rows.append({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()})
        target = "" if limit is None else f"   at most {limit} s: {'reached' if needed <= limit else 'MISSED'}"
        print(f"{name:28} processor {needed:6.3f} s   wall: median {median:6.3f} s, least {least:6.3f} s{target}")
    program = "import sys, infmcs; print(*sorted({'torch', 'numpy', 'scipy'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    record = {"rows": rows, "runs": RUNS, "loaded by import infmcs": loaded, "provenance": provenance.record()}
    durable.write_text(RECORD, json.dumps(record, indent=1) + "\n")


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
