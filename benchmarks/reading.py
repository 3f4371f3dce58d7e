"""How fast graphs come in: `python -m benchmarks.reading [openssl] [formats]`; openssl needs INFMCS_DATA.

Archive: all 73,953 OpenSSL control-flow graphs from their packed archive, in a process of its own on one core, with its
peak memory; the peer does the least in plain Python: unpack, json, one networkx graph a line. Store: the same graphs
from our own file: opening, with every checksum, and a pass over all bytes, beside one over memory.
Formats: bundled molecules as one file a graph, or one file where that is usual, and one graph of 20,000 nodes, read by
us, by networkx and by igraph. The nodes and edges that come out are counted against what was written.

Times are those of one core, the archive's also by the clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import networkx
import numpy as np

from infmcs import Collection, Graph, datasets, durable, formats, provenance

RECORD = Path(__file__).parent / "record" / "reading.json"
TARGETS = {"archive_seconds": 12.0, "archive_megabytes": 1000, "open_seconds": 0.3}
GRAPHS = 73_953
MOLECULES = 200
SEED = 3

OURS = """
import json, resource, sys, time
from infmcs import formats
before, core = time.perf_counter(), time.process_time()
graphs = formats.read(sys.argv[1])
seconds, core = time.perf_counter() - before, time.process_time() - core
print(json.dumps([seconds, core, len(graphs), int(graphs.sizes.sum()), int(graphs.edge_counts.sum())]))
"""
PLAIN = """
import json, resource, sys, tarfile, time
import networkx
before, core = time.perf_counter(), time.process_time()
graphs = []
with tarfile.open(sys.argv[1]) as archive:
    for member in archive:
        if member.name.endswith(".json"):
            for line in archive.extractfile(member):
                entry = json.loads(line)
                graph = networkx.DiGraph()
                graph.add_nodes_from((k, {"features": row}) for k, row in enumerate(entry["features"]))
                graph.add_edges_from((u, v) for u, to in enumerate(entry["succs"]) for v in to)
                graphs.append(graph)
seconds, core = time.perf_counter() - before, time.process_time() - core
print(json.dumps([seconds, core, len(graphs), sum(map(len, graphs)), sum(g.number_of_edges() for g in graphs)]))
"""
MEMORY = "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"


def in_a_process(program: str, path: Path) -> dict[str, Any]:
    """What a program did on one core: seconds, counts, peak memory."""
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    command = [sys.executable, "-c", program + MEMORY, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | alone)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    answer, megabytes = done.stdout.splitlines()
    seconds, core, *counts = json.loads(answer)
    return {"seconds": seconds, "core_seconds": core, "megabytes": float(megabytes), "counts": counts}


def archive(path: Path) -> dict[str, Any]:
    """All OpenSSL graphs, ours and the plain way, with the same counts."""
    ours = [in_a_process(OURS, path) for _ in range(2)]
    plain = in_a_process(PLAIN, path)
    assert ours[0]["counts"] == plain["counts"]
    assert plain["counts"][0] == GRAPHS
    best = min(ours, key=lambda each: float(each["core_seconds"]))
    return {"infmcs": best, "plain Python with networkx": plain, "ratio": plain["core_seconds"] / best["core_seconds"]}


def store(path: Path, folder: Path) -> dict[str, Any]:
    """The same graphs from our own file."""
    graphs = formats.read(path)
    file = folder / "openssl.infmcs"
    started = time.perf_counter()
    formats.write(graphs, file)
    written = time.perf_counter() - started
    opened = []
    for _ in range(5):
        started = time.process_time()
        mapped = formats.read(file)
        opened.append(time.process_time() - started)
    assert mapped.digest == graphs.digest
    arrays = [mapped.labels, mapped.edges, mapped.features, mapped.node_offsets, mapped.edge_offsets]
    size = sum(array.nbytes for array in arrays if array is not None)
    passed, _ = best_of(5, lambda: [array.sum() for array in arrays if array is not None])
    copies = [array.copy() for array in arrays if array is not None]
    memory, _ = best_of(5, lambda: [array.sum() for array in copies])
    return {
        "megabytes": file.stat().st_size / 1e6,
        "write_seconds": written,
        "open_seconds": min(opened),
        "pass_seconds": passed,
        "pass_gigabytes_a_second": size / 1e9 / passed,
        "the same pass over memory": size / 1e9 / memory,
    }


def best_of(rounds: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one core, the best of some rounds because this machine has other work; and what came out."""
    best = np.inf
    for _ in range(rounds):
        started = time.process_time()
        found = work()
        best = min(best, time.process_time() - started)
    return float(best), found


def large() -> Graph:
    """One graph of 20,000 nodes and about 100,000 edges."""
    random = np.random.default_rng(SEED)
    return Graph.from_edges(20_000, random.integers(0, 20_000, (100_000, 2)), name="large")


def every_format(folder: Path) -> dict[str, Any]:
    """Molecules and the large graph in each format, ours beside networkx and igraph."""
    whole = datasets.load("molecules")
    molecules = whole.take(np.arange(0, len(whole), len(whole) // MOLECULES)[:MOLECULES])
    rows: dict[str, Any] = {}
    for title, graphs in (("molecules", molecules), ("large", Collection.from_graphs([large()]))):
        for name in ("graphml", "gexf", "gml", "edgelist", "graph6", "sparse6", "lad", "gxl", "jsonl", "gspan"):
            if (name, title) == ("graph6", "large"):
                continue  # 25 MB of zeros
            paths = written(graphs, name, folder / f"{title}-{name}")
            row = rows[f"{title}, {name}"] = {"megabytes": sum(path.stat().st_size for path in paths) / 1e6}
            row |= read_by_all(graphs, name, paths)
            print(f"{title}, {name}: " + ", ".join(f"{key} {value:.4g}" for key, value in row.items()))
    return rows


def written(graphs: Collection, name: str, folder: Path) -> list[Path]:
    """One file a graph; one file in all for formats that are lines."""
    folder.mkdir()
    lines = name in ("graph6", "sparse6", "jsonl", "gspan")
    parts = [graphs] if lines else [graphs[k : k + 1] for k in range(len(graphs))]
    paths = [folder / f"{k:05}.{name}" for k in range(len(parts))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a format cannot hold is not asked for here
        for part, path in zip(parts, paths, strict=True):
            formats.write(part, path, name)
    return paths


def read_by_all(graphs: Collection, name: str, paths: list[Path]) -> dict[str, float]:
    """Seconds of each reader that there is."""
    truth = (len(graphs), int(graphs.sizes.sum()), int(graphs.edge_counts.sum()))

    def ours() -> tuple[int, int, int]:
        read = formats.read(paths[0].parent, name)
        return len(read), int(read.sizes.sum()), int(read.edge_counts.sum())

    def theirs(read: Callable[[Path], Iterable[Any]], nodes: str, edges: str) -> tuple[int, int, int]:
        found = [graph for path in paths for graph in read(path)]
        total = sum(getattr(graph, nodes)() for graph in found), sum(getattr(graph, edges)() for graph in found)
        return len(found), *total

    readers: dict[str, Callable[[], tuple[int, int, int]]] = {"infmcs": ours}
    if name in NETWORKX:
        readers["networkx"] = lambda: theirs(NETWORKX[name], "number_of_nodes", "number_of_edges")
    if name in IGRAPH:
        readers["igraph"] = lambda: theirs(IGRAPH[name], "vcount", "ecount")
    row: dict[str, float] = {}
    for reader, read in readers.items():
        row[reader], found = best_of(2, read)
        complete = found == truth or (name == "edgelist" and reader != "infmcs")  # networkx drops lone nodes there
        assert complete, f"{reader} {name}: {found} instead of {truth}"
    return row | {f"{peer} / infmcs": row[peer] / row["infmcs"] for peer in row if peer != "infmcs"}


def many(read: Callable[[Path], Any]) -> Callable[[Path], Iterable[Any]]:
    """A networkx reader that gives a list of graphs, or one graph where there is one."""

    def listed(path: Path) -> Iterable[Any]:
        found = read(path)
        return found if isinstance(found, list) else [found]

    return listed


NETWORKX: dict[str, Callable[[Path], Iterable[Any]]] = {
    "graphml": many(networkx.read_graphml),
    "gexf": many(networkx.read_gexf),
    "gml": many(lambda path: networkx.read_gml(path, label="id")),
    "edgelist": many(lambda path: networkx.read_edgelist(path, nodetype=int, data=(("label", str),))),
    "graph6": many(networkx.read_graph6),
    "sparse6": many(networkx.read_sparse6),
}


def _igraph(method: str) -> Callable[[Path], Iterable[Any]]:
    def read(path: Path) -> Iterable[Any]:
        import igraph

        return [getattr(igraph.Graph, method)(str(path))]

    return read


IGRAPH = {"graphml": _igraph("Read_GraphML"), "gml": _igraph("Read_GML")}


def openssl(folder: Path) -> dict[str, Any]:
    """The archive and the store, and which targets were missed."""
    path = datasets.located("openssl")
    if path is None:
        raise SystemExit("the OpenSSL graphs are not there: set INFMCS_DATA")
    found = {"archive": archive(Path(path)), "store": store(Path(path), folder)}
    print(json.dumps(found, indent=1))
    reached = {
        "archive_seconds": found["archive"]["infmcs"]["core_seconds"],
        "archive_megabytes": found["archive"]["infmcs"]["megabytes"],
        "open_seconds": found["store"]["open_seconds"],
    }
    return found | {"targets": TARGETS, "missed": [key for key, value in reached.items() if value > TARGETS[key]]}


def main(parts: list[str]) -> int:
    """The parts named, or both; the record keeps what the last run of each part found. 1 when a target was missed."""
    record: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    missed = []
    for part in parts or ["openssl", "formats"]:
        with tempfile.TemporaryDirectory() as folder:
            found = openssl(Path(folder)) if part == "openssl" else every_format(Path(folder))
        missed += found.get("missed", [])
        record[part] = found | {"provenance": provenance.record(seed=SEED)}
    RECORD.parent.mkdir(exist_ok=True)
    durable.write_text(RECORD, json.dumps(record, indent=1) + "\n")
    print("missed:", ", ".join(missed) or "nothing")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
