"""Common subgraphs: how fast, beside plain McSplit, RDKit and networkx, in one run, with every answer checked.

    python -m benchmarks.mcs              all groups but mivia, about two minutes of one core
    python -m benchmarks.mcs mivia        the MIVIA pairs: ten seconds a pair, up to half an hour, in pieces if wanted
    python -m benchmarks.mcs docs         no run: the record as tables into docs/solvers.md

Plain McSplit is native/tests/plain_mcsplit.hpp, compiled here with the core's flags. Times are CPU seconds of one
process on one thread, the best of three runs where a run is short; ours are whole calls from Python on collections
whose graphs are prepared, without mappings unless said. Needs INFMCS_DATA and g++.
"""

from __future__ import annotations

import functools
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from infmcs import Collection, Graph, Question, datasets, provenance, solve
from infmcs.datasets import Published
from infmcs.solve import Budget, bulk

RECORD = Path(__file__).parent / "record" / "mcs.json"
HERE = Path(__file__).parent
SEED = 7

Row = dict[str, Any]
PairArray = npt.NDArray[np.int64]

CONNECTED, ANY = Question(), Question(connected=False)
MCES = Question(induced=False, count="edges")


def main(groups: list[str]) -> None:
    """Run the groups, print their rows, and put them into the record."""
    known: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {"rows": {}}
    if groups == ["docs"]:
        return write_docs(known["rows"])
    for name, group in GROUPS.items():
        if name not in groups if groups else name == "mivia":
            continue
        print(f"\n{name}", flush=True)
        rows = group()
        known["rows"][name] = {"rows": rows, **provenance.record(seed=SEED)}
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    return None


def write_docs(known: dict[str, Any]) -> None:
    """The record as tables, between the markers of docs/solvers.md."""
    import re

    def table(rows: list[Row], columns: list[str]) -> str:
        cells = [[_cell(row.get(column)) for column in columns] for row in rows]
        lines = [columns, ["---"] * len(columns), *cells]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def merged(row: Row) -> Row:
        kinds = [key.removesuffix(", nodes") for key in row if key.endswith(", nodes")]
        return {"work": row["work"]} | {
            kind: f"{_cell(row[f'{kind}, nodes'])} · {_cell(row[f'{kind}, µs'])} µs" for kind in kinds
        }

    worth = [merged(row) for row in known["reductions"]["rows"]]
    speed = [
        table(
            known["small"]["rows"],
            ["work", "pairs", "pairs a second", "target", "worst ms", "sample, pairs a second", "times plain"],
        ),
        table(
            known["peers"]["rows"],
            ["work", "pairs", "pairs a second", "times rdkit", "times networkx", "target", "answers that agree"],
        ),
        table(known["mivia"]["rows"], list(known["mivia"]["rows"][0])) if "mivia" in known else "",
    ]
    one, two = known["calls"]["rows"]
    speed.append(
        f"One call from Python for a pair of 10 nodes takes {one['microseconds']} µs, certificate included; the search "
        f"is {one['of these searching']} µs of it. Two threads gave {two['times']} times the pairs of one, in wall "
        f"time, while other work kept a load of {two['load of the two cores']} on two cores.\n"
    )
    file = HERE.parent / "docs" / "solvers.md"
    text = file.read_text()
    for name, filling in (("reductions", table(worth, list(worth[0]))), ("speed", "\n".join(speed))):
        marked = rf"<!-- {name} -->\n(?:.*?<!-- end of {name} -->\n)?"
        text = re.sub(marked, f"<!-- {name} -->\n{filling}<!-- end of {name} -->\n", text, flags=re.S)
    file.write_text(text)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


# -- small graphs --------------------------------------------------------------------------------------------------


def small() -> list[Row]:
    """All pairs of the small sets, and random graphs, against plain McSplit on a sample of the same pairs."""
    aids, ptc = _aids(), datasets.load("ptc_mm")
    dense = Collection.from_graphs([_random_graph(np.random.default_rng((SEED, k)), 25, 0.2) for k in range(20)])
    return [
        _all_pairs_row("AIDS(2-15), connected", aids, CONNECTED, 30_000, target=1_000_000, ratio=6),
        _all_pairs_row("AIDS(2-15), connected, with mappings", aids[:400], CONNECTED, 0, mappings=True),
        _all_pairs_row("AIDS(2-15), any", aids, ANY, 30_000, ratio=6),
        _all_pairs_row("AIDS(2-15), most common edges, connected", aids[:700], MCES, 0),
        _all_pairs_row("LINUX-like trees", trees(1500), ANY, 10_000, target=600_000),
        _all_pairs_row("LINUX-like trees, connected", trees(1500), CONNECTED, 5_000, target=400_000),
        _all_pairs_row("LINUX(1000), connected", datasets.load("linux"), CONNECTED, 5_000),
        _all_pairs_row("PTC_MM, connected", ptc, CONNECTED, 1_000, target=60_000),
        _pairs_row("random, 25 nodes, density .2", dense, ANY, np.arange(20).reshape(10, 2), ratio=7),
        _pairs_row("the same, connected", dense, CONNECTED, np.arange(20).reshape(10, 2), ratio=7),
    ]


def _all_pairs_row(
    name: str,
    graphs: Collection,
    question: Question,
    sample: int,
    target: float | None = None,
    ratio: float | None = None,
    *,
    mappings: bool = False,
) -> Row:
    solve.pairs(graphs, [(0, 1)], question=question)  # prepares all
    seconds, values = _timed(lambda: solve.all_pairs(graphs, question=question, mappings=mappings))
    assert values.proved.all()
    row: Row = {"work": name, "pairs": len(values), "pairs a second": len(values) / seconds, "target": target}
    hardest = values.pairs[np.argsort(values.visited)[-5:]]
    one_by_one = [
        _timed(functools.partial(solve.pairs, graphs, hardest[k : k + 1], question=question))[0] for k in range(5)
    ]
    row["worst ms"] = 1e3 * max(one_by_one)
    if sample:
        chosen = np.random.default_rng(SEED).choice(len(values), min(sample, len(values)), replace=False)
        chosen.sort()
        rows = values.pairs[chosen]
        ours, _ = _timed(lambda: solve.pairs(graphs, rows, question=question))
        sizes, proved, visited, theirs = plain(graphs, rows, question.connected)
        assert proved.all()
        assert (sizes == values.lower[chosen]).all()
        row |= _against_plain(len(rows), ours, theirs, values.visited[chosen], visited, ratio)
    return _show(row)


def _pairs_row(name: str, graphs: Collection, question: Question, rows: PairArray, ratio: float | None = None) -> Row:
    seconds, values = _timed(lambda: solve.pairs(graphs, rows, question=question))
    sizes, proved, visited, theirs = plain(graphs, rows, question.connected)
    assert values.proved.all()
    assert proved.all()
    assert (sizes == values.lower).all()
    row: Row = {"work": name, "pairs": len(rows), "pairs a second": len(rows) / seconds}
    return _show(row | _against_plain(len(rows), seconds, theirs, values.visited, visited, ratio))


def _against_plain(
    pairs: int, ours: float, theirs: float, visited: Any, plain_visited: Any, ratio: float | None
) -> Row:
    return {
        "sample": pairs,
        "sample, pairs a second": pairs / ours,
        "plain, pairs a second": pairs / theirs,
        "times plain": theirs / ours,
        "times plain, target": ratio,
        "search nodes": float(np.mean(visited)),
        "plain, search nodes": float(np.mean(plain_visited)),
    }


# -- one pair, threads ---------------------------------------------------------------------------------------------


def calls() -> list[Row]:
    """What one call from Python costs over its search, and what two threads give on this machine."""
    aids = _aids()
    tens = [aids[int(k)] for k in np.flatnonzero(aids.sizes == 10)[:60]]
    pairs = list(zip(tens, tens[7:] + tens[:7], strict=True))
    for a, b in pairs:
        solve.max_common_subgraph(a, b)
    best, inside = 1e9, 0.0
    for _ in range(20):
        started = time.process_time()
        searched = sum(solve.max_common_subgraph(a, b).seconds for a, b in pairs)
        spent = time.process_time() - started
        if spent < best:
            best, inside = spent, searched
    one = {
        "work": "one pair of 10 nodes, certified",
        "microseconds": 1e6 * best / len(pairs),
        "of these searching": 1e6 * inside / len(pairs),
        "over the search, target": 10,
    }
    rows = np.stack(np.triu_indices(700, 1), axis=1)
    wall = {}
    for threads in (1, 2):
        times = []
        for _ in range(3):
            started = time.perf_counter()
            solve.pairs(aids, rows, threads=threads)
            times.append(time.perf_counter() - started)
        wall[threads] = min(times)
    load = Path("/proc/loadavg").read_text().split()[0] if Path("/proc/loadavg").exists() else "?"
    two = {
        "work": "two threads, AIDS(2-15)",
        "pairs a second, one thread (wall)": len(rows) / wall[1],
        "pairs a second, two threads (wall)": len(rows) / wall[2],
        "times": wall[1] / wall[2],
        "load of the two cores": load,
    }
    return [_show(one), _show(two)]


# -- peers ---------------------------------------------------------------------------------------------------------


def peers() -> list[Row]:
    """RDKit's FindMCS on the same molecules under the same rules; networkx on very small graphs.

    igraph has subgraph isomorphism, but no search for common subgraphs, so it has no row.
    """
    rows = [
        _rdkit_row("rdkit FindMCS, AIDS(2-15)", _aids(), 2_000),
        _rdkit_row("rdkit FindMCS, AIDS, all sizes up to 30", _aids(30), 2_000),
    ]
    return [*rows, _networkx_row()]


def _rdkit_row(name: str, graphs: Collection, count: int) -> Row:
    from rdkit import Chem
    from rdkit.Chem import rdFMCS

    rng = np.random.default_rng(SEED)
    rows = rng.integers(0, len(graphs), (count, 2))

    def molecule(graph: Graph) -> Any:
        made = Chem.RWMol()
        for name in graph.label_names:  # the set names elements by numbers of its own: any different ones do
            made.AddAtom(Chem.Atom(int(str(name)) + 1))
        for u, v in graph.edges.tolist():
            made.AddBond(u, v, Chem.BondType.SINGLE)
        Chem.FastFindRings(made)
        return made.GetMol()

    molecules = {int(i): molecule(graphs[int(i)]) for i in np.unique(rows)}
    options: Any = rdFMCS.MCSParameters()
    options.AtomTyper = rdFMCS.AtomCompare.CompareElements
    options.BondTyper = rdFMCS.BondCompare.CompareAny
    options.MaximizeBonds = True
    options.Timeout = 20
    theirs, spent, late = [], 0.0, 0
    for i, j in rows.tolist():
        started = time.process_time()
        found = rdFMCS.FindMCS([molecules[i], molecules[j]], options)
        spent += time.process_time() - started
        late += found.canceled
        theirs.append(-1 if found.canceled else found.numBonds)
    solve.pairs(graphs, rows[:1], question=MCES)
    seconds, values = _timed(lambda: solve.pairs(graphs, rows, question=MCES, mappings=False))
    told = np.array(theirs)
    agree = (told == values.lower) | (told < 0)
    return _show(
        {
            "work": name,
            "pairs": count,
            "pairs a second": count / seconds,
            "rdkit, pairs a second": count / spent,
            "times rdkit": spent / seconds,
            "target": 20,
            "rdkit out of time": late,
            "answers that agree": int(agree.sum()),
            "ours larger": int((values.lower > told)[told >= 0].sum()),
            "rdkit larger": int((values.lower < told).sum()),
        }
    )


def _networkx_row() -> Row:
    from networkx.algorithms.isomorphism import ISMAGS, categorical_node_match

    aids = _aids()
    tiny = aids.take(np.flatnonzero(aids.sizes <= 8))
    rows = np.random.default_rng(SEED).integers(0, len(tiny), (30, 2))
    match = categorical_node_match("label", None)
    spent, sizes = 0.0, []
    for i, j in rows.tolist():
        a, b = sorted((tiny[i].to_networkx(), tiny[j].to_networkx()), key=len, reverse=True)
        started = time.process_time()
        sizes.append(len(next(ISMAGS(a, b, node_match=match).largest_common_subgraph(), {})))
        spent += time.process_time() - started
    seconds, values = _timed(lambda: solve.pairs(tiny, rows, question=ANY))
    return _show(
        {
            "work": "networkx ISMAGS, AIDS, 2-8 nodes, any",
            "pairs": len(rows),
            "pairs a second": len(rows) / seconds,
            "networkx, pairs a second": len(rows) / spent,
            "times networkx": spent / seconds,
            "answers that agree": int((np.array(sizes) == values.lower).sum()),
        }
    )


# -- reductions ----------------------------------------------------------------------------------------------------


def reductions() -> list[Row]:
    """What each reduction is worth: search nodes and microseconds a pair, with all, without one, without any."""
    rng = np.random.default_rng(SEED)
    ptc, forest, aids = datasets.load("ptc_mm"), trees(1500), _aids()
    sparse = Collection.from_graphs([_random_graph(rng, 25, 0.2) for _ in range(8)])
    sets = [
        ("AIDS(2-15)", aids, rng.integers(0, len(aids), (20_000, 2))),
        ("PTC_MM", ptc, rng.integers(0, len(ptc), (3_000, 2))),
        ("trees", forest, rng.integers(0, len(forest), (8_000, 2))),
        ("random 25, .2", sparse, np.arange(8).reshape(4, 2)),
        ("stars with tails", _bushes(200), rng.integers(0, 200, (400, 2))),
    ]
    named = {"all": 15, "no right twins": 14, "no left twins": 13, "no reach": 11, "not from above": 7, "none": 0}
    rows = []
    for name, graphs, pairs in sets:
        for question in (CONNECTED, ANY, MCES):
            if question is MCES and name == "random 25, .2":
                continue
            row: Row = {
                "work": f"{name}, {'edges' if question is MCES else 'connected' if question.connected else 'any'}"
            }
            told = None
            for what, bits in named.items():
                bulk._REDUCTIONS = bits
                seconds, values = _timed(
                    lambda: solve.pairs(graphs, pairs, question=question, budget=Budget(visits=2_000_000))  # noqa: B023 (called at once)
                )
                row[f"{what}, nodes"] = float(values.visited.mean())
                row[f"{what}, µs"] = 1e6 * seconds / len(pairs)
                told = values if told is None else told
                both = told.proved & values.proved
                assert (told.lower == values.lower)[both].all()
            bulk._REDUCTIONS = 15
            rows.append(_show(row))
    return rows


# -- MIVIA ---------------------------------------------------------------------------------------------------------

SAMPLE = 12  # pairs a size and question, drawn from as many families of graphs as there are
LIMIT = 10.0  # seconds of processor time a pair and program
QUESTIONS = {"mivia": "no labels", "mivia33": "labels at 33 %", "mivia50": "labels at 50 %"}


def mivia() -> list[Row]:
    """Pairs of the MIVIA database that a published solver finished: how many are proved in ten seconds.

    Each pair done is put down beside the record at once, so that a run that was broken off goes on where it stopped.
    """
    kept = RECORD.with_name("mcs_mivia.jsonl")
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    met = {(row["labels"], row["pair"]) for row in done}
    for name, labels in QUESTIONS.items():
        graphs, known = datasets.load(name), datasets.published(name)
        for k in _drawn(graphs, known):
            if (labels, k) in met:
                continue
            done.append({"labels": labels, "pair": k} | _mivia_pair(graphs, known, k))
            with kept.open("a") as file:
                file.write(json.dumps(done[-1]) + "\n")
    return [_show(row) for row in _shares(done)]


def _drawn(graphs: Collection, known: Published) -> list[int]:
    """Of each size, pairs of different families (density or mesh, share in common) in turn, by a fixed seed."""
    sizes, drawn = graphs.sizes[known.pairs[:, 0]], []
    families = [_family(graphs[int(i)]) for i in known.pairs[:, 0]]
    for size in sorted({int(size) for size in sizes}):
        mixed = np.random.default_rng((SEED, size)).permutation(np.flatnonzero(sizes == size)).tolist()
        turn: dict[str, int] = {}
        places: list[tuple[int, int, int]] = []
        for k in mixed:
            turn[families[k]] = turn.get(families[k], 0) + 1
            places.append((turn[families[k]], len(places), k))
        drawn += [k for _, _, k in sorted(places)[:SAMPLE]]
    return drawn


def _family(graph: Graph) -> str:
    return (graph.name or "").split(".")[0]


def _mivia_pair(graphs: Collection, known: Published, k: int) -> Row:
    a, b = (graphs[int(i)] for i in known.pairs[k])
    assert known.mcs is not None
    size = int(known.mcs[k])
    started = time.process_time()
    found = _for_processor_seconds(LIMIT, lambda: solve.max_common_subgraph(a, b, known.question))
    ours = time.process_time() - started
    assert found.lower <= size <= found.upper
    sizes, proved, _, theirs = plain(Collection.from_graphs([a, b]), np.array([(0, 1)]), False, LIMIT)
    assert not proved[0] or sizes[0] == size
    return {
        "size": a.size,
        "family": _family(a),
        "largest": size,
        "lower": found.lower,
        "upper": found.upper,
        "seconds": round(ours, 3),
        "plain lower": int(sizes[0]),
        "plain proved": bool(proved[0]),
        "plain seconds": round(theirs, 3),
        "solved by": int(known.other["solved by"][k]),
    }


def _for_processor_seconds(limit: float, search: Callable[[], solve.Solution]) -> solve.Solution:
    """What the search found by then: the clock of the process presses Ctrl-C."""
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return search()
    except solve.Interrupted as interrupted:
        return cast(solve.Solution, interrupted.found)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _shares(done: list[Row]) -> list[Row]:
    rows = []
    for labels in QUESTIONS.values():
        for size in sorted({row["size"] for row in done}):
            here = [row for row in done if row["labels"] == labels and row["size"] == size]
            if not here:
                continue
            rows.append(
                {
                    "labels": labels,
                    "size": size,
                    "pairs": len(here),
                    "proved": float(np.mean([row["lower"] == row["upper"] for row in here])),
                    "plain McSplit": float(np.mean([row["plain proved"] for row in here])),
                    "largest found": float(np.mean([row["lower"] == row["largest"] for row in here])),
                    "by plain": float(np.mean([row["plain lower"] == row["largest"] for row in here])),
                    "of 7 published solvers, in 1000 s": None
                    if labels != "no labels"  # theirs were not asked with labels
                    else float(np.mean([row["solved by"] for row in here])) / 7,
                    "mean seconds": float(np.mean([row["seconds"] for row in here])),
                }
            )
    return rows


# -- material and clocks -------------------------------------------------------------------------------------------


def plain(graphs: Collection, rows: PairArray, connected: bool, seconds: float = 1e6) -> tuple[Any, Any, Any, float]:
    """Sizes, proofs, search nodes and CPU seconds of plain McSplit on these pairs."""
    lines = [str(len(graphs))]
    for graph in graphs:
        numbers = [graph.size, len(graph.edges), *graph.label_ids.tolist(), *graph.edges.ravel().tolist()]
        lines.append(" ".join(map(str, numbers)))
    lines.append(f"{len(rows)} {int(connected)} {seconds}")
    lines += [f"{i} {j}" for i, j in rows.tolist()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pairs.txt")
        file.write_text("\n".join(lines))
        told = subprocess.run([_compiled(), file], capture_output=True, text=True, check=True).stdout.split("\n")
    table = np.array([line.split() for line in told[: len(rows)]], np.int64)
    return table[:, 0], table[:, 1].astype(bool), table[:, 2], float(told[len(rows)])


@functools.cache
def _compiled() -> Path:
    program = Path(tempfile.mkdtemp(), "plain_mcsplit")
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "-march=x86-64-v2"]
    subprocess.run(["g++", *flags, "-o", program, HERE / "native" / "plain_mcsplit.cpp"], check=True)
    return program


def _timed(work: Callable[[], solve.Values]) -> tuple[float, solve.Values]:
    best, values = 1e9, None
    for _ in range(3):
        started = time.process_time()
        values = work()
        best = min(best, time.process_time() - started)
        if best > 5:
            break
    return best, cast(solve.Values, values)


def _aids(most: int = 15) -> Collection:
    from infmcs import formats
    from infmcs.datasets.places import require

    every = formats.read(require("aids", "AIDS/AIDS.zip"))
    return every.take(np.flatnonzero((every.sizes >= 2) & (every.sizes <= most)))


def trees(count: int) -> Collection:
    """Random trees of 4 to 15 nodes, 9.5 on average, without labels: each node hangs on any earlier one."""
    rng = np.random.default_rng(SEED)
    made = []
    for _ in range(count):
        size = int(rng.integers(4, 16))
        made.append(Graph.from_edges(size, [(int(rng.integers(0, v)), v) for v in range(1, size)]))
    return Collection.from_graphs(made)


def _bushes(count: int) -> Collection:
    """Trees with many equal leaves, where twins matter: a path of 4 to 8 nodes, each with up to 4 leaves."""
    rng = np.random.default_rng(SEED)
    made = []
    for _ in range(count):
        spine = int(rng.integers(4, 9))
        edges = [(v, v + 1) for v in range(spine - 1)]
        for v in range(spine):
            edges += [(v, len(edges) + 1 + k) for k in range(int(rng.integers(0, 5)))]
        made.append(Graph.from_edges(len(edges) + 1, edges))
    return Collection.from_graphs(made)


def _random_graph(rng: np.random.Generator, size: int, density: float) -> Graph:
    return Graph.from_edges(size, np.argwhere(np.triu(rng.random((size, size)) < density, 1)))


def _show(row: Row) -> Row:
    shown = {key: f"{value:,.4g}" if isinstance(value, float) else value for key, value in row.items()}
    print("  " + " · ".join(f"{key}: {value}" for key, value in shown.items() if value is not None), flush=True)
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in row.items()}


GROUPS: dict[str, Callable[[], list[Row]]] = {
    "small": small,
    "calls": calls,
    "peers": peers,
    "reductions": reductions,
    "mivia": mivia,
}

if __name__ == "__main__":
    main(sys.argv[1:])
