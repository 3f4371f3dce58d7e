"""What each idea of the edit search is worth: the search compiled once without each, on the same pairs.

    python -m benchmarks.ged ablation

Compiled from the sources beside this folder with the flags of the core; needs g++.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs import Collection

NATIVE = Path(__file__).parents[1] / "native"
DRIVER = Path(__file__).parent / "native" / "ged_ablation.cpp"
FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-march=x86-64-v2", "-fPIC", "-pthread"]

# What a row is called, and the ideas of native/ideas.hpp that it does without.
VARIANTS = {
    "all ideas": "",
    "best mapping never shaken": "shaking",
    "… and no descent at the root": "shaking|descending",
    "assignments inside the search give no upper bound": "inner_upper",
    "label sets alone, no branch matching": "matching",
    "branch matching down to the last node (not only above 5 open ones)": "stopping_matching",
    "branch matching without label sets": "label_sets",
    "twins not told apart from others": "twins",
    "nodes placed in a fixed order, not the one with fewest images first": "fewest_first",
    "a fresh assignment for each state, parent's duals not kept": "kept_duals",
    "pairs not ruled out by duals": "ruling_out",
}

Works = dict[str, tuple[Collection, npt.NDArray[np.int64]]]


def ablation(works: Works) -> list[dict[str, Any]]:
    """Pairs a second, median and search nodes a pair of each variant; every one finds the same distances."""
    rows: list[dict[str, Any]] = []
    truths: dict[str, npt.NDArray[np.int32]] = {}
    with tempfile.TemporaryDirectory() as folder:
        shared = [
            _object(NATIVE / "connected_order.cpp", Path(folder, "connected_order.o")),
            _object(NATIVE / "parallel.cpp", Path(folder, "parallel.o")),
            _object(DRIVER, Path(folder, "driver.o")),
        ]
        for k, (name, without) in enumerate(VARIANTS.items()):
            search = _object(NATIVE / "ged.cpp", Path(folder, f"search{k}.o"), f"-DINFMCS_GED_WITHOUT=({without or 0})")
            library = Path(folder, f"search{k}.so")
            # -Bsymbolic: each library keeps to its own search, though all are loaded.
            subprocess.run(["g++", "-shared", "-Wl,-Bsymbolic", "-pthread", "-o", library, search, *shared], check=True)
            solver = ctypes.CDLL(str(library))
            row: dict[str, Any] = {"work": name, "without": without}
            for work, (graphs, pairs) in works.items():
                seconds, upper, visited = _solved(solver, graphs, pairs)
                assert np.array_equal(upper, truths.setdefault(work, upper)), (name, work)
                row[work] = {
                    "pairs": len(pairs),
                    "pairs a second": len(pairs) / float(seconds.sum()),
                    "median ms": 1000 * float(np.median(seconds)),
                    "visits a pair": float(visited.mean()),
                }
            print(f"  {name}: " + ", ".join(f"{work} {row[work]['pairs a second']:,.0f}/s" for work in works))
            rows.append(row)
    return rows


def _object(source: Path, made: Path, *more: str) -> Path:
    subprocess.run(["g++", *FLAGS, *more, "-c", source, "-o", made], check=True)
    return made


def _solved(solver: ctypes.CDLL, graphs: Collection, pairs: npt.NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Seconds, distance and search nodes of each pair; of short work the fastest of three runs."""
    graphs = graphs.undirected(False)
    arrays = [
        np.ascontiguousarray(array, kind)
        for array, kind in (
            (graphs.node_offsets, np.int64),
            (graphs.edge_offsets, np.int64),
            (graphs.label_ids, np.int32),
            (graphs.edges, np.int32),
        )
    ]
    pairs = np.ascontiguousarray(pairs, np.int64)
    upper, visited = np.zeros(len(pairs), np.int32), np.zeros(len(pairs), np.int64)
    best = np.full(len(pairs), np.inf)
    for _ in range(3):
        seconds = np.zeros(len(pairs))
        told: list[Any] = [len(graphs), *arrays, len(pairs), pairs, seconds, upper, visited]
        assert solver.solve_pairs(
            *(ctypes.c_void_p(x.ctypes.data) if isinstance(x, np.ndarray) else ctypes.c_size_t(x) for x in told)
        )
        if seconds.sum() < best.sum():
            best = seconds
        if seconds.sum() > 0.3:
            break
    return best, upper, visited
