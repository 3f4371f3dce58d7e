"""Edit distances: how fast, against networkx and the classical A*, in one run, with every answer checked.

    python -m benchmarks.ged            all rows, about two minutes of one core
    python -m benchmarks.ged exact      one group: exact, bounds, peers, sizes, ablation

Times are the process's CPU seconds on one thread, preparation of the graphs left out, the best of three runs where a
run is short. Needs INFMCS_DATA.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import ged_ablation
from infmcs import Collection, EditCosts, Graph, certify, datasets, provenance, solve
from infmcs.solve.ged import Method

RECORD = Path(__file__).parent / "record" / "ged.json"
SEED = 4

Row = dict[str, Any]
PairArray = npt.NDArray[np.int64]


def main(groups: list[str]) -> None:
    """Run the groups, print their rows, and put them into the record."""
    known: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {"rows": {}}
    for name, group in GROUPS.items():
        if groups and name not in groups:
            continue
        print(f"\n{name}")
        rows = group()
        known["rows"][name] = {"rows": rows, **provenance.record(seed=SEED)}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


# -- exact ---------------------------------------------------------------------------------------------------------


def exact() -> list[Row]:
    """The rows of the issue's table: pairs a second, and the slowest of them."""
    aids = _small_aids()
    return [
        _exact_row("AIDS(2-15)", aids, 20_000, target=10_000, worst=True),
        _exact_row("AIDS700nef", datasets.load("aids700nef"), 40_000, target=30_000),
        _exact_row("LINUX(1000)", datasets.load("linux"), 100_000, target=150_000),
        _exact_row("trees, 2-15 nodes, LINUX-like", trees(1_000), 20_000, target=40_000),
        _exact_row("molecules, 16-20 nodes", _molecules(16, 20), 150, target=15, worst=True),
        _exact_row("molecules, 20 nodes", _molecules(20, 20), 100, target=None, worst=True),
        _exact_row("AIDS(2-15), edge labels count", aids, 2_000, None, costs=EditCosts(edge_labels=True)),
        _exact_row("AIDS(2-15), prices 1, 2 and 3", aids, 1_000, None, costs=DEARER),
    ]


LIMIT = solve.Budget(visits=20_000_000)  # about ten seconds
DEARER = EditCosts(insert_node=3.0, delete_node=3.0, relabel_node=2.0)


def _exact_row(
    name: str,
    graphs: Collection,
    count: int,
    target: float | None,
    *,
    worst: bool = False,
    costs: EditCosts = EditCosts(),
) -> Row:
    pairs = _pairs(graphs, count)
    seconds, values = _timed(lambda: solve.pairs(graphs, pairs, metric="ged", costs=costs))
    assert values.proved.all()
    _check(graphs, values, costs)
    row: Row = {"work": name, "pairs": count, "pairs a second": count / seconds, "target": target}
    row["mean distance"] = float(values.upper.mean())
    if worst:
        # One call a pair costs tens of microseconds more; the visits say which pairs to time.
        hardest = np.argsort(-values.visited)[: min(200, count)]
        each = [_timed(partial(solve.pairs, graphs, pairs[k : k + 1], metric="ged"))[0] for k in hardest]
        row["worst ms"] = 1000 * max(each)
        if count <= 200:
            row["median ms"] = 1000 * float(np.median(each))
    return _shown(row)


# -- bounds --------------------------------------------------------------------------------------------------------


def bounds() -> list[Row]:
    """The classical methods with their edit paths on AIDS(2-15): speed, and how far they are from the distance."""
    graphs = _small_aids()
    pairs = _pairs(graphs, 20_000)
    exact = solve.pairs(graphs, pairs, metric="ged").upper
    rows = []
    targets: dict[Method, int | None] = {
        "hungarian": 150_000,
        "vj": 150_000,
        "hed": 300_000,
        "beam": 15_000,
        "branch": None,
        "descent": None,
    }
    for method, target in targets.items():
        some = pairs[: 4_000 if method == "beam" else None]
        seconds, native = _timed(partial(_with_images, graphs, some, method))
        lower, upper = native[0], native[1]
        truth = exact[: len(some)]
        assert (lower <= truth + 1e-9).all()
        assert (truth <= upper + 1e-9).all()
        values = solve.pairs(graphs, some[:500], metric="ged", method=method, mappings=True)  # certified
        assert np.array_equal(values.upper, upper[:500])
        row = {"work": method, "pairs": len(some), "pairs a second": len(some) / seconds, "target": target}
        row["mean excess"] = None if method == "hed" else float((upper - truth).mean())
        row["share exact"] = None if method == "hed" else float((upper == truth).mean())
        row["mean shortfall of the lower bound"] = float((truth - lower).mean())
        rows.append(_shown(row))
    return rows


def _with_images(graphs: Collection, pairs: PairArray, method: Method) -> tuple[Any, ...]:
    """Values and node images straight from the core: the edit path before `certify` writes it out in Python."""
    from infmcs import _native
    from infmcs.solve import ged

    under, _ = ged.priced_pair(graphs, graphs, ged.UNIT)
    visits, seconds, below = np.array([2**63 - 1]), np.array([np.inf]), np.array([-1.0])
    number = ged.METHODS[method]
    return _native.priced_edit_distances(*under, number, 10, pairs, visits, seconds, below, True, 1, None)


# -- peers ---------------------------------------------------------------------------------------------------------


def peers() -> list[Row]:
    """networkx, the classical A* and our search on the same small pairs: same distances, how much faster."""
    import networkx as nx

    graphs = _small_aids()
    sizes = graphs.sizes
    small = graphs.take(np.flatnonzero(sizes <= 7))
    pairs = _pairs(small, 60)
    ours_seconds, ours = _timed(lambda: solve.pairs(small, pairs, metric="ged"))
    astar_seconds, astar = _timed(lambda: solve.pairs(small, pairs, metric="ged", method="astar"))
    assert np.array_equal(astar.upper, ours.upper)
    made = [(_networkx(small[i]), _networkx(small[j])) for i, j in pairs.tolist()]
    begun = time.process_time()
    for (a, b), distance in zip(made, ours.upper.tolist(), strict=True):
        assert nx.graph_edit_distance(a, b, node_match=lambda x, y: x["label"] == y["label"]) == distance
    networkx_seconds = time.process_time() - begun
    rows = []
    for name, seconds in (("this search", ours_seconds), ("A*", astar_seconds), ("networkx", networkx_seconds)):
        rows.append(_shown({"work": f"{name}, at most 7 nodes", "pairs": 60, "pairs a second": 60 / seconds,
                            "times slower": seconds / ours_seconds}))  # fmt: skip
    pairs = _pairs(graphs, 300)
    ours_seconds, ours = _timed(lambda: solve.pairs(graphs, pairs, metric="ged"))
    budget = solve.Budget(visits=100_000)
    seconds, astar = _timed(lambda: solve.pairs(graphs, pairs, metric="ged", method="astar", budget=budget))
    assert (astar.lower <= ours.upper).all()
    assert np.array_equal(astar.upper[astar.proved], ours.upper[astar.proved])
    rows.append(_shown({"work": "this search, AIDS(2-15)", "pairs": 300, "pairs a second": 300 / ours_seconds}))
    rows.append(
        _shown(
            {
                "work": "A*, AIDS(2-15), at most 100,000 open paths expanded",
                "pairs": 300,
                "pairs a second": 300 / seconds,
                "share proved": float(astar.proved.mean()),
                "times slower": seconds / ours_seconds,
            }
        )
    )
    return rows


def _networkx(graph: Graph) -> Any:
    import networkx as nx

    made = nx.Graph()
    made.add_nodes_from((v, {"label": name}) for v, name in enumerate(graph.label_names))
    made.add_edges_from(graph.edges.tolist())
    return made


# -- time against size ---------------------------------------------------------------------------------------------


def sizes() -> list[Row]:
    """Exact distances of molecules of equal size: 'no algorithm can do more than 16', it says."""
    rows = []
    for size in (8, 10, 12, 14, 16, 18, 20, 22, 24):
        graphs = _molecules(size, size)
        pairs = _pairs(graphs, 60 if size <= 18 else 30)
        each, proved = [], []
        for k in range(len(pairs)):
            seconds, values = _once(partial(solve.pairs, graphs, pairs[k : k + 1], metric="ged", budget=LIMIT))
            each.append(seconds)
            proved.append(bool(values.proved[0]))
        row = {"work": f"molecules of {size} nodes", "pairs": len(pairs), "median ms": 1000 * float(np.median(each))}
        row |= {"mean ms": 1000 * float(np.mean(each)), "worst ms": 1000 * max(each)}
        rows.append(_shown(row | {"share proved": float(np.mean(proved))}))
    return rows


# -- what each idea is worth ---------------------------------------------------------------------------------------


def ablation() -> list[Row]:
    """The whole search, and the search without each of its ideas."""
    works = {
        "AIDS(2-15)": (_small_aids(), 1_500),
        "LINUX(1000)": (datasets.load("linux"), 20_000),
        "molecules of 16–18 nodes": (_molecules(16, 18), 40),
        "20 nodes": (_molecules(20, 20), 30),
    }
    return ged_ablation.ablation({name: (graphs, _pairs(graphs, count)) for name, (graphs, count) in works.items()})


# -- small parts ---------------------------------------------------------------------------------------------------


def trees(count: int) -> Collection:
    """Random unlabelled trees of 2 to 15 nodes, each node on a recent one, as program dependence graphs are."""
    rng = provenance.generator(SEED, "trees")
    made = []
    for _ in range(count):
        size = int(rng.integers(2, 16))
        edges = [(int(rng.integers(max(0, v - 5), v)), v) for v in range(1, size)]
        made.append(Graph.from_edges(size, edges))
    return Collection.from_graphs(made)


def _small_aids() -> Collection:
    return datasets.load("aids")


def _molecules(least: int, most: int) -> Collection:
    graphs = datasets.load("aids42k")
    return graphs.take(np.flatnonzero((graphs.sizes >= least) & (graphs.sizes <= most))[:2_000])


def _pairs(graphs: Collection, count: int) -> PairArray:
    return provenance.generator(SEED, "pairs").integers(0, len(graphs), (count, 2))


def _once(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    answer = work()
    return time.process_time() - begun, answer


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least CPU seconds of three runs, or of one that lasts."""
    seconds, answer = _once(work)
    for _ in range(2):
        if seconds > 5:
            break
        seconds = min(seconds, _once(work)[0])
    return seconds, answer


def _check(graphs: Collection, values: solve.Values, costs: EditCosts) -> None:
    """A hundred pairs once more: with certified mappings, and from the other side."""
    some = values.pairs[:: max(1, len(values) // 100)]
    there = solve.pairs(graphs, some, metric="ged", costs=costs, mappings=True)
    back = solve.pairs(graphs, some[:, ::-1], metric="ged", costs=costs)
    assert np.array_equal(there.upper, values.upper[:: max(1, len(values) // 100)])
    assert np.array_equal(there.upper, back.upper)
    assert there.mappings is not None
    for (i, j), mapping, upper in zip(some.tolist(), there.mappings, there.upper, strict=True):
        assert certify.edit_path(graphs[i], graphs[j], mapping, costs).cost == upper


def _shown(row: Row) -> Row:
    cells = []
    for key, value in row.items():
        if value is not None and key != "work":
            cells.append(f"{key} {value:,.4g}" if isinstance(value, float) and value < 1000 else f"{key} {value:,.0f}")
    print(f"  {row['work']}: " + ", ".join(cells))
    return row


GROUPS: dict[str, Callable[[], list[Row]]] = {
    "exact": exact,
    "bounds": bounds,
    "peers": peers,
    "sizes": sizes,
    "ablation": ablation,
}

if __name__ == "__main__":
    main(sys.argv[1:])
