"""Write the stored lists: which graphs make up `aids`, and the splits of the study's sets for the first seeds.

    INFMCS_DATA=... python tools/store_lists.py

They are computed without any library's random numbers, so the file only changes when a definition does.
"""

from __future__ import annotations

import json

import numpy as np

from infmcs import datasets, durable
from infmcs.datasets import lists, splits

SETS = ("aids", "ptc_mm", "linux", "aids700nef")


def content() -> dict[str, object]:
    """What the file holds: one letter a graph, t(rain), v(alidation) or x for test."""
    stored: dict[str, object] = {"aids": lists.drawn().tolist()}
    for name in SETS:
        graphs = datasets.load(name)
        for protocol in ("paper", "class-disjoint"):
            for seed in splits.STORED_SEEDS:
                made = datasets.split(graphs, protocol, seed)
                letters = np.full(len(graphs), "t")
                letters[made.validation], letters[made.test] = "v", "x"
                stored[f"{name}/{protocol}/{seed}"] = "".join(letters)
    return stored


if __name__ == "__main__":
    durable.write_text(lists.STORED, json.dumps(content(), indent=1).replace(",\n  ", ", ") + "\n")
