"""Spoiled files against every reader, many of them: `python -m benchmarks.fuzz [inputs for each] [seed]`.

Each kind of file has a process of its own, with 2 GB of memory and 10 seconds for each input; what does not come out as
graphs or as a FormatError counts as a failure, a crash of the process or a spent limit too. Counts of inputs and
outcomes, the slowest input and the memory go to record/fuzz.json. It ends with 1 when anything failed.
"""

from __future__ import annotations

import io
import json
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from tests.kit import files

from infmcs import durable, formats, provenance
from infmcs.errors import FormatError

RECORD = Path(__file__).parent / "record" / "fuzz.json"
MEMORY = 2 << 30
SECONDS = 10


def steps(chance: random.Random) -> list[files.Step]:
    """Some ways to spoil a file."""
    return [
        (chance.choice(files.KINDS), chance.random(), chance.random(), chance.randrange(256))
        for _ in range(chance.choice((1, 1, 1, 2, 3, 5)))
    ]


def outcome(content: bytes, name: str | None) -> str:
    """What came of one input: 'graphs', 'FormatError', or the trace of what should not have happened."""
    signal.alarm(SECONDS)
    try:
        formats.read(io.BytesIO(content), name)
    except FormatError:
        return "FormatError"
    except BaseException:
        return traceback.format_exc(limit=-3)
    finally:
        signal.alarm(0)
    return "graphs"


def one_kind(name: str, inputs: int, seed: int) -> None:
    """All inputs of one kind; prints its counts as JSON. Runs in its own process, see `main`."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError(f"more than {SECONDS} s")))
    warnings.simplefilter("ignore")
    told: dict[str, Any] = {"graphs": 0, "FormatError": 0, "failures": [], "slowest_seconds": 0.0}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for place in range(inputs):
        chance = random.Random(f"{seed} {name} {place}")
        content = files.spoiled(name, steps(chance))
        started = time.perf_counter()
        found = outcome(content, files.format_of(name) if chance.random() < 0.7 else None)
        told["slowest_seconds"] = max(told["slowest_seconds"], time.perf_counter() - started)
        if found in told:
            told[found] += 1
        else:
            print(name, place, found, file=sys.stderr)
            told["failures"].append({"input": place, "error": found.splitlines()[-1]})
    told["megabytes_grown"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps(told))


def main(inputs: int = 10_000, seed: int = 1) -> int:
    """All kinds of files, one after another."""
    rows: dict[str, Any] = {}
    for name in sorted(files.whole_files()):
        command = [sys.executable, "-m", "benchmarks.fuzz", "--kind", name, str(inputs), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            rows[name] = {"failures": [{"crash": done.returncode}], "graphs": 0, "FormatError": 0}
        else:
            rows[name] = json.loads(done.stdout)
        row = rows[name]
        print(
            f"{name:14} {row['graphs']:8,} graphs {row['FormatError']:8,} FormatError {len(row['failures']):4} failed,"
            f" slowest {row.get('slowest_seconds', 0):.3f} s, {row.get('megabytes_grown', 0):.0f} MB more"
        )
        print(done.stderr[-2000:], end="", file=sys.stderr)
    total = {key: sum(row[key] for row in rows.values()) for key in ("graphs", "FormatError")}
    total["failures"] = sum(len(row["failures"]) for row in rows.values())
    print(
        f"{'all':14} {total['graphs']:8,} graphs {total['FormatError']:8,} FormatError {total['failures']:4} failures"
    )
    record = {"inputs_each": inputs, "seed": seed, "total": total, "kinds": rows, "provenance": provenance.record()}
    RECORD.parent.mkdir(exist_ok=True)
    durable.write_text(RECORD, json.dumps(record, indent=1) + "\n")
    return 1 if total["failures"] else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["--kind"]:
        one_kind(words[1], int(words[2]), int(words[3]))
    else:
        sys.exit(main(*map(int, words)))
