"""How chemists search, beside us: `python -m benchmarks.rdkit_search`.

RDKit: Morgan fingerprints (radius 2, 2,048 bits) of all bundled molecules once; a query takes the most similar by
Tanimoto, as many as the shortlist is long, and re-ranks them by FindMCS (atoms by element, any bond, most atoms, one
second a pair at most). Ours: the exact search of the index. Truth: the exact ranking, all of it proven; the recall of a
list is the share of its first ten that belong there, where graphs as similar as the tenth are all right.

FindMCS looks for subgraphs that need not be induced, another question; a re-rank by our exact similarity of the same
shortlist is measured, too, so that what the fingerprints lose is seen apart from that.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import infmcs
from infmcs import Index, datasets, durable, provenance

RECORD = Path(__file__).parent / "record" / "rdkit_search.json"
QUERIES = 25
SHORTLISTS = (10, 50, 200)
TOP = 10
SEED = 7


def main() -> None:
    """Measure, print, record."""
    from rdkit import Chem, DataStructs, rdBase
    from rdkit.Chem import rdFingerprintGenerator, rdFMCS

    rdBase.DisableLog("rdApp.*")
    graphs = datasets.load("molecules")
    molecules = [Chem.MolFromSmiles(text) for text in graphs.columns["smiles"]]
    readable = np.array([molecule is not None for molecule in molecules])
    graphs = graphs.take(np.flatnonzero(readable))
    molecules = [molecule for molecule in molecules if molecule is not None]
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    started = time.perf_counter()
    prints = [generator.GetFingerprint(molecule) for molecule in molecules]
    fingerprinted = time.perf_counter() - started
    started = time.perf_counter()
    index = Index.build(graphs)
    index.search(graphs[0], TOP)
    built = time.perf_counter() - started

    queries = provenance.generator(SEED, "queries").choice(len(graphs), QUERIES, replace=False).tolist()
    ours: list[float] = []
    theirs: dict[int, list[float]] = {size: [] for size in SHORTLISTS}
    recalls: dict[str, list[float]] = {f"{kind} {size}": [] for size in SHORTLISTS for kind in ("findmcs", "exact")}
    for query in queries:
        started = time.perf_counter()
        result = index.search(graphs[query], TOP)
        ours.append(time.perf_counter() - started)
        assert result.complete
        least = result.hits[-1].similarity
        started = time.perf_counter()
        alike = np.array(DataStructs.BulkTanimotoSimilarity(prints[query], prints))
        order = np.argsort(-alike, kind="stable")
        screened = time.perf_counter() - started
        scores: list[float] = []
        spent: list[float] = []
        for other in order[: max(SHORTLISTS)].tolist():
            started = time.perf_counter()
            found = rdFMCS.FindMCS(
                [molecules[query], molecules[other]],
                maximizeBonds=False,
                timeout=1,
                atomCompare=rdFMCS.AtomCompare.CompareElements,
                bondCompare=rdFMCS.BondCompare.CompareAny,
            )
            atoms = found.numAtoms if found.numBonds else 1  # FindMCS finds no subgraph without a bond
            scores.append(2 * atoms / (molecules[query].GetNumAtoms() + molecules[other].GetNumAtoms()))
            spent.append(time.perf_counter() - started)
        true = [infmcs.compare(graphs[query], graphs[int(other)]).similarity for other in order[: max(SHORTLISTS)]]
        for size in SHORTLISTS:
            theirs[size].append(screened + sum(spent[:size]))
            for kind, values in (("findmcs", scores), ("exact", true)):
                ranked = np.argsort(-np.array(values[:size]), kind="stable")[:TOP]
                right = sum(true[k] >= least - 1e-12 for k in ranked)
                recalls[f"{kind} {size}"].append(right / TOP)

    told: dict[str, Any] = {
        "graphs": len(graphs),
        "queries": QUERIES,
        "index_build_seconds": built,
        "fingerprint_build_seconds": fingerprinted,
        "ours": _spread(ours) | {"recall": 1.0, "proven": True},
        "rdkit": {
            str(size): _spread(theirs[size])
            | {
                "recall": float(np.mean(recalls[f"findmcs {size}"])),
                "recall_of_exact_rerank": float(np.mean(recalls[f"exact {size}"])),
            }
            for size in SHORTLISTS
        },
    }
    print(f"{len(graphs):,} molecules, {QUERIES} queries, top {TOP}")
    print(f"ours, exact and proven: {_times(told['ours'])}, recall 1.000; index built in {built:.2f} s")
    for size in SHORTLISTS:
        row = told["rdkit"][str(size)]
        ratio = row["median_seconds"] / told["ours"]["median_seconds"]
        print(
            f"rdkit, {size:3} by fingerprint, re-ranked by FindMCS: {_times(row)}, {ratio:,.1f} × ours, "
            f"recall {row['recall']:.3f} (re-ranked exactly {row['recall_of_exact_rerank']:.3f})"
        )
    record = provenance.record(seed=SEED, graphs=graphs.digest)
    RECORD.parent.mkdir(exist_ok=True)
    durable.write_text(RECORD, json.dumps({"record": record, **told}, indent=1) + "\n")


def _spread(seconds: list[float]) -> dict[str, Any]:
    return {"median_seconds": float(np.median(seconds)), "p95_seconds": float(np.quantile(seconds, 0.95))}


def _times(row: dict[str, Any]) -> str:
    return f"median {row['median_seconds'] * 1e3:,.1f} ms, p95 {row['p95_seconds'] * 1e3:,.1f} ms"


if __name__ == "__main__":
    main()
