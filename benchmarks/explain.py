"""How good the explanations of the package's models are, on test pairs of the sets they were trained for.

    python -m benchmarks.explain [--pairs 1000] [MODEL ...]

Beside each trained model stands an untrained one of the same form: what that has, form and solver give alone.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import infmcs
from infmcs import datasets, durable, explain, models, provenance
from infmcs import pairs as pairing

RECORD = Path(__file__).parent / "record" / "explain.json"
SETS = {"aids-mcs": "aids", "linux-mcs": "linux", "ptc-mcs": "ptc_mm", "molecules-mcs": "molecules"}
COLUMNS: tuple[str, ...] = (
    "invalid",
    "likeness",
    "overlap",
    "agreement",
    "size_error",
    "decoded_gap",
    "decoded_optimal",
)
COLUMNS += ("repaired_gap", "repaired_optimal", "loss", "random_loss", "proof_loss")


def main() -> None:
    """Measure, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--pairs", type=int, default=1000)
    chosen = parser.parse_args()
    rows = []
    for name in chosen.models or [name for name in SETS if name in models.pretrained()]:
        graphs = datasets.load(SETS[name])
        test = datasets.split(SETS[name]).test
        selection = pairing.among(test)
        rows_asked = pairing.sample(selection, min(chosen.pairs, len(selection)), seed=0)[:]
        trained = infmcs.load(name)
        fresh = models.build(trained.settings, graphs[:1000], seed=0).eval()
        for kind, model in ((name, trained), (f"{name}, untrained", fresh)):
            started = time.perf_counter()
            found = explain.measure(model, graphs, rows_asked)
            seconds = time.perf_counter() - started
            rows.append({"model": kind, "set": SETS[name], **found.to_dict(), "seconds": round(seconds, 1)})
            print(f"{kind} ({found.pairs} pairs, {found.left_out} left out, {seconds:.0f} s)")
            print("   " + "  ".join(f"{column} {rows[-1][column]:.3f}" for column in COLUMNS), flush=True)
    durable.write_text(RECORD, json.dumps(provenance.record(rows=rows), indent=1) + "\n")


if __name__ == "__main__":
    main()
