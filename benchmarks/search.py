"""How fast an index answers, and what makes it so: `python -m benchmarks.search [--moses WHEEL]`.

One core. Exact answers are checked against brute force with the same solver over the whole collection, and every
ranking is proven. Approximate answers are judged by the exact ones. Times are processor time of this process, because
the machine has other work; the share of that time that passed on the clock is recorded. RDKit's fingerprints with a
re-ranking by FindMCS stand beside ours on the same molecules.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_matrix, csgraph

from infmcs import Collection, Graph, Question, datasets, durable, models, pairs, provenance, solve
from infmcs.batch import prepare
from infmcs.index import Index, Result, shelves, vectors
from infmcs.models import Settings
from infmcs.solve import Budget

RECORD = Path(__file__).parent / "record" / "search.json"
SEED = 7
QUERIES = 60
LIMIT = Budget(visits=20_000_000)  # of one query: two or three seconds; what is not proven by then is told
HEAD = Settings(width=32, heads=4, encoder="gin", matching="labels", norm="pre", readout="bounded", twins=True)


def timed(work: Callable[..., Any], *given: Any, rounds: int = 1, **named: Any) -> tuple[float, Any]:
    """Least processor seconds over some rounds of a call, and its answer."""
    best, answer = np.inf, None
    for _ in range(rounds):
        started = time.process_time()
        answer = work(*given, **named)
        best = min(best, time.process_time() - started)
    return float(best), answer


def spread(seconds: list[float]) -> dict[str, float]:
    """Median, 95th percentile and worst, in milliseconds."""
    ms = 1000 * np.array(seconds)
    return {
        "median_ms": float(np.median(ms)),
        "p95_ms": float(np.percentile(ms, 95)),
        "mean_ms": float(ms.mean()),
        "worst_ms": float(ms.max()),
    }


def brute(query: Graph, graphs: Collection) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The similarity to every graph: each pair solved in full by the same solver."""
    one = Collection.from_graphs([query])
    rows = np.stack((np.zeros(len(graphs), np.int64), np.arange(len(graphs))), axis=1)
    common = solve.pairs(one, rows, graphs).lower
    return pairs.nmcs(common, np.full(len(graphs), query.size), graphs.sizes)


def chosen(count: int, many: int, seed: int = SEED) -> list[int]:
    """Queries by chance."""
    return [int(i) for i in np.random.default_rng(seed).choice(many, min(count, many), replace=False)]


# -- late interaction ----------------------------------------------------------------------------------------------


def late_interaction(graphs: Collection) -> dict[str, Any]:
    """Seconds a pair of 10-node graphs from stored vectors, and from the whole forward pass of the same pairs."""
    tens = graphs.take(np.flatnonzero(graphs.sizes == 10)[:400])
    told = {}
    kinds: list[tuple[str, Settings, vectors.Precision, float]] = [
        ("32 wide, int8", HEAD, "int8", 0.5),
        ("128 wide, float32", Settings(**{**vars(HEAD), "width": 128, "heads": 8}), "float32", 2.0),
    ]
    for name, settings, precision, goal in kinds:
        model = models.build(settings, tens, seed=1).eval()
        index = Index.build(tens, model, precision=precision)
        head = vectors.Head(model)
        query = head.query(model, tens[0])
        stored = vectors.stored(index._contents.segments[0], head.width)
        places = np.tile(np.arange(len(tens)), 50)
        ours, found = timed(head.scores, query, stored, places, rounds=5)
        full, expected = timed(_forward, model, tens, rounds=3)
        two = [Collection.from_graphs([tens[0], tens[k]]) for k in range(1, 30)]
        one_by_one, _ = timed(lambda model, two: [_forward(model, pair) for pair in two], model, two, rounds=2)
        others = graphs.take(np.flatnonzero((graphs.sizes == 9) | (graphs.sizes == 11))[:400])
        uneven = vectors.stored(
            Index.build(others, model, precision=precision)._contents.segments[0],
            head.width,
        )
        one_way, _ = timed(head.scores, query, uneven, places, rounds=5)
        told[name] = {
            "us_a_pair": 1e6 * ours / len(places),
            "us_a_pair_of_10_and_9_or_11_nodes": 1e6 * one_way / len(places),
            "goal_us": goal,
            "times_faster_than_a_batched_forward": (full / len(tens)) / (ours / len(places)),
            "times_faster_than_a_forward_of_the_pair": (one_by_one / 29) / (ours / len(places)),
            "largest_difference": float(np.abs(found[: len(tens)] - expected.numpy()).max()),
        }
    return told


def _forward(model: models.Infmcs, graphs: Collection) -> torch.Tensor:
    """The whole forward pass of the first graph with each."""
    everything = torch.arange(len(graphs))
    with torch.no_grad():
        batch = prepare(graphs, model.inputs).batch(range(len(graphs)))
        scores: torch.Tensor = model(batch, torch.zeros_like(everything), everything)
        return scores


# -- exact search --------------------------------------------------------------------------------------------------


def exact(
    index: Index, graphs: Collection, queries: list[int], checks: int, **wishes: Any
) -> tuple[dict[str, Any], list[Result]]:
    """Top 10 of each query, and brute force for some of them."""
    index.search(graphs[0], 1)
    seconds, results = [], []
    for i in queries:
        query = graphs[i]
        took, result = timed(index.search, query, 10, ties=False, budget=LIMIT, **wishes)
        assert isinstance(result, Result)
        seconds.append(took)
        results.append(result)
    slow, fast = [], []
    easy = np.argsort(seconds, kind="stable")[: max(checks, len(queries) // 2)]  # a hard query takes brute force hours
    for k in np.sort(easy)[:checks].tolist():
        i, result = queries[k], results[k]
        fast.append(seconds[k])
        took, values = timed(brute, graphs[i], graphs)
        slow.append(took)
        best = np.sort(values)[::-1][:10]
        assert np.array_equal([hit.similarity for hit in result], best), f"query {i}: not the answer of brute force"
        assert all(values[hit.id] == hit.similarity for hit in result)
    ratio = np.array(slow) / np.array(fast)
    told = {
        "graphs": len(graphs),
        "queries": len(queries),
        **spread(seconds),
        "proven": float(np.mean([result.complete for result in results])),
        "checked_against_brute_force": checks,
        "brute_force_median_ms": 1000 * float(np.median(slow)) if checks else None,
        "times_faster_median": float(np.median(ratio)) if checks else None,
        "solved_a_query": float(np.mean([result.solved for result in results])),
        "search_nodes_a_query": float(np.mean([result.visited for result in results])),
    }
    return told, results


def pruning(index: Index, graphs: Collection, queries: list[int], results: list[Result]) -> dict[str, float]:
    """What share of the graphs each bound leaves, against the similarity of the tenth hit."""
    left: dict[str, list[float]] = {"size": [], "labels and pairs": [], "nodes outside": []}
    for i, result in zip(queries, results, strict=True):
        query, floor = graphs[i], result.hits[-1].similarity
        question, contents = Question(), index._contents
        bounds = {
            "size": np.minimum(query.size, graphs.sizes),
            "labels and pairs": shelves.most_common(contents, query, question, sharp=False),
            "nodes outside": shelves.most_common(contents, query, question, sharp=True),
        }
        for name, most in bounds.items():
            left[name].append(float((2 * most / (query.size + graphs.sizes) > floor).mean()))
    return {name: float(np.mean(shares)) for name, shares in left.items()}


def approximate(index: Index, graphs: Collection, queries: list[int], truths: list[Result]) -> dict[str, Any]:
    """Time of the approximate top 10, and how much of the exact top 10 it finds (ties count for each other)."""
    seconds, recall, values = [], [], []
    for i, truth in zip(queries, truths, strict=True):
        if not truth.complete:
            continue
        took, result = timed(index.search, graphs[i], 10, exact=False)
        seconds.append(took)
        floor = truth.hits[-1].similarity
        recall.append(sum(hit.similarity >= floor for hit in result) / len(truth))
        values.append(np.mean([hit.similarity for hit in result]) / np.mean([hit.similarity for hit in truth]))
    return {**spread(seconds), "recall_at_10": float(np.mean(recall)), "similarity_kept": float(np.mean(values))}


def edit_distances(name: str, model: str | None) -> dict[str, Any]:
    """Top 10 by edit distance of the published test graphs among the training graphs, against the published distances:
    the exact search must give them, the approximate one is judged by them (ties count for each other).
    """
    graphs, known = datasets.load(name), datasets.published(name)
    assert known.ged is not None
    across = known.part == "test × train"
    tests, trains = (np.unique(known.pairs[across, side]) for side in (0, 1))
    table = np.full((len(graphs), len(graphs)), -1.0)
    table[known.pairs[across, 0], known.pairs[across, 1]] = known.ged[across]
    index = Index.build(graphs.take(trains), None if model is None else models.load(model))
    told: dict[str, Any] = {"graphs": len(trains), "queries": len(tests), "model": model}
    for exact_ in (True, False):
        seconds, recall, kept, solved = [], [], [], []
        for i in tests.tolist():
            values = pairs.nged(table[i, trains], np.full(len(trains), graphs[i].size), graphs.sizes[trains])
            best = np.sort(values)[::-1][:10]
            took, result = timed(index.search, graphs[i], 10, exact=exact_, metric="ged", ties=False)
            assert isinstance(result, Result)
            if exact_:
                assert np.allclose([hit.similarity for hit in result], best), f"query {i}: not the published ranking"
            assert all(np.isclose(values[hit.id], hit.similarity) for hit in result if hit.proved)
            seconds.append(took)
            recall.append(float(np.mean([values[hit.id] >= best[-1] - 1e-12 for hit in result])))
            kept.append(values[[hit.id for hit in result]].mean() / best.mean())
            solved.append(result.solved)
        told["exact" if exact_ else "approximate"] = {
            **spread(seconds),
            "recall_at_10": float(np.mean(recall)),
            "similarity_kept": float(np.mean(kept)),
            "solved_a_query": float(np.mean(solved)),
        }
    return told


# -- size, memory, build -------------------------------------------------------------------------------------------


def size_and_build(graphs: Collection) -> dict[str, Any]:
    """Seconds to build with and without a model, and bytes on disk of graphs with 25 nodes."""
    plain, _ = timed(Index.build, graphs)
    model = models.build(HEAD, graphs, seed=1).eval()
    with_model, index = timed(Index.build, graphs, model, precision="int8")
    alike = graphs.take(np.flatnonzero(graphs.sizes == 25))
    with tempfile.TemporaryDirectory() as folder:
        Index.build(alike, model, precision="int8").save(Path(folder, "a"))
        bytes_each = next(Path(folder, "a").glob("segment-*")).stat().st_size / len(alike)
        index.save(Path(folder, "b"))
        opening, opened = timed(Index.open, Path(folder, "b"), rounds=5)
        first, _ = timed(opened.search, graphs[0])
    return {
        "graphs": len(graphs),
        "build_seconds": plain,
        "build_seconds_with_model_of_width_32": with_model,
        "bytes_a_graph_of_25_nodes_int8": bytes_each,
        "open_ms": 1000 * opening,
        "first_search_ms": 1000 * first,
    }


def memory() -> float:
    """Megabytes this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# -- rdkit ---------------------------------------------------------------------------------------------------------


def beside_rdkit(index: Index, graphs: Collection, queries: list[int]) -> dict[str, Any]:
    """Morgan fingerprints for a shortlist of 50, re-ranked by FindMCS: what cheminformatics does today."""
    from rdkit import Chem, DataStructs, rdBase
    from rdkit.Chem import rdFingerprintGenerator, rdFMCS

    rdBase.DisableLog("rdApp.*")
    molecules = [Chem.MolFromSmiles(smiles) for smiles in graphs.columns["smiles"]]
    maker = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    prints = [maker.GetFingerprint(molecule) for molecule in molecules]
    ours, theirs, recall = [], [], []
    for i in queries:
        took, result = timed(index.search, graphs[i], 10, ties=False)
        ours.append(took)
        floor, values = result.hits[-1].similarity, brute(graphs[i], graphs)

        def shortlisted(i: int) -> list[int]:
            alike = np.array(DataStructs.BulkTanimotoSimilarity(prints[i], prints))
            short = np.argsort(-alike, kind="stable")[:50]
            shared = [
                2 * rdFMCS.FindMCS([molecules[i], molecules[int(j)]], timeout=2).numAtoms
                / (molecules[i].GetNumAtoms() + molecules[int(j)].GetNumAtoms())
                for j in short
            ]  # fmt: skip
            return [int(short[k]) for k in np.argsort(-np.array(shared), kind="stable")[:10]]

        took, found = timed(shortlisted, i)
        theirs.append(took)
        recall.append(np.mean([values[j] >= floor for j in found]))
    return {
        "graphs": len(graphs),
        "ours": spread(ours),
        "rdkit": spread(theirs),
        "rdkit_recall_of_the_true_top_10": float(np.mean(recall)),
        "times_faster_median": float(np.median(np.array(theirs) / np.array(ours))),
    }


# -- a million -----------------------------------------------------------------------------------------------------


def million(wheel: Path, kept: Path | None, count: int, queries: int, limit: float) -> dict[str, Any]:
    """A million molecules of MOSES: exact with a budget of seconds, and approximate."""
    from benchmarks import moses

    told: dict[str, Any] = {}
    if kept is None or not kept.exists():
        told["read_seconds"], graphs = timed(moses.read, wheel, count)
        told["build_seconds"], index = timed(Index.build, graphs)
        if kept is not None:
            index.save(kept)
    else:
        told["open_ms"], index = timed(Index.open, kept)
        told["open_ms"] *= 1000
    told["bytes_a_graph"] = sum(len(s.container._content) for s in index._contents.segments) / len(index)
    took, _ = timed(index.search, index.graph(0), 1)
    told["first_search_seconds"] = took
    seconds, results, quick, recall = [], [], [], []
    for i in chosen(queries, len(index)):
        query = index.graph(i)
        took, result = timed(index.search, query, 10, ties=False, budget=Budget(seconds=limit))
        seconds.append(took)
        results.append(result)
        took, few = timed(index.search, query, 10, exact=False)
        quick.append(took)
        if result.complete:
            recall.append(sum(hit.similarity >= result.hits[-1].similarity for hit in few) / 10)
    return {
        **told,
        "graphs": len(index),
        "queries": queries,
        "budget_seconds": limit,
        "exact": spread(seconds),
        "proven": float(np.mean([result.complete for result in results])),
        "solved_a_query": float(np.mean([result.solved for result in results])),
        "tenth_similarity": float(np.mean([result.hits[-1].similarity for result in results])),
        "approximate": spread(quick),
        "recall_at_10": float(np.mean(recall)) if recall else None,
        "memory_mb": memory(),
    }


def connected(graphs: Collection) -> Collection:
    """The graphs in one piece."""
    starts = np.repeat(graphs.node_offsets[:-1], graphs.edge_counts)
    ends = (graphs.edges[:, 0] + starts, graphs.edges[:, 1] + starts)
    total = int(graphs.node_offsets[-1])
    count, part = csgraph.connected_components(coo_matrix((np.ones(len(starts)), ends), shape=(total, total)), False)
    owner = np.zeros(count, np.int64)
    owner[part] = np.repeat(np.arange(len(graphs)), graphs.sizes)
    return graphs.take(np.bincount(owner, minlength=len(graphs)) == 1)


def on_aids() -> dict[str, Any]:
    """AIDS(2-15), every query checked."""
    graphs = datasets.load("aids")
    return exact(Index.build(graphs), graphs, chosen(200, len(graphs)), 200)[0]


def on_aids42k() -> dict[str, Any]:
    """The connected compounds of AIDS42k, all sizes; two easy queries checked."""
    graphs = connected(datasets.load("aids42k"))
    index, queries = Index.build(graphs), chosen(200, len(graphs))
    told, results = exact(index, graphs, queries, 2)
    cold = memory()
    index.warm()
    warm, _ = exact(index, graphs, queries, 0)
    return {
        **told,
        "warm": warm,
        "memory_mb_cold_and_warm": [cold, memory()],
        "bounds_leave": pruning(index, graphs, queries, results),
        "approximate": approximate(index, graphs, queries, results),
    }


def order_by_model() -> dict[str, Any]:
    """What the model's favourites first save, and what a model adds to an approximate search."""
    graphs = datasets.load("molecules")
    index, some = Index.build(graphs, models.load("molecules-mcs")), chosen(QUERIES, len(graphs))
    told, results = exact(index, graphs, some, 0)
    return {
        "bounds first": told,
        "model first": exact(index, graphs, some, 0, order="model")[0],
        "approximate": approximate(Index.build(graphs), graphs, some, results),
        "approximate with model": approximate(index, graphs, some, results),
    }


def with_rdkit() -> dict[str, Any]:
    """Ours beside RDKit on the bundled molecules."""
    graphs = datasets.load("molecules")
    return beside_rdkit(Index.build(graphs), graphs, chosen(8, len(graphs)))


PARTS: dict[str, Callable[[], Any]] = {
    "late interaction": lambda: late_interaction(datasets.load("aids")),
    "aids": on_aids,
    "aids42k": on_aids42k,
    "order by model": order_by_model,
    "edit distance": lambda: {
        "aids700nef": edit_distances("aids700nef", None),
        "aids700nef with aids-ged": edit_distances("aids700nef", "aids-ged"),
        "linux": edit_distances("linux", None),
    },
    "beside rdkit": with_rdkit,
    "size and build": lambda: size_and_build(datasets.load("aids42k")),
}


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be repeated")
    parser.add_argument("--moses", type=Path, help="the wheel of molsets: the million molecules alone")
    parser.add_argument("--kept", type=Path, help="where the index of the million is kept between runs")
    parser.add_argument("--count", type=int, default=1_000_000, help="of the million, so many")
    parser.add_argument("--queries", type=int, default=25, help="to the million")
    parser.add_argument("--seconds", type=float, default=20.0, help="budget of each of these")
    given = parser.parse_args()
    torch.set_num_threads(1)
    told = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    work = {name: PARTS[name] for name in given.part or PARTS}
    if given.moses is not None:
        work = {
            f"moses {given.count:,}": lambda: million(
                given.moses, given.kept, given.count, given.queries, given.seconds
            )
        }
    for name, part in work.items():
        started = time.perf_counter(), time.process_time()
        facts = part()
        spent = time.process_time() - started[1]
        facts["share_of_a_core"] = spent / (time.perf_counter() - started[0])
        facts["memory_mb"] = memory()
        told[name] = {"facts": facts, "record": provenance.record(seed=SEED)}
        durable.write_text(RECORD, json.dumps(told, indent=1) + "\n")
        print(f"{name}: {json.dumps(facts, indent=1)}", flush=True)


if __name__ == "__main__":
    main()
