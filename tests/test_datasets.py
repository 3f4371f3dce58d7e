"""Data sets by name: what is loaded is what the publication describes."""

from __future__ import annotations

import hashlib
import json
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from infmcs import Collection, Graph, datasets, pairs, solve
from infmcs.datasets import reading
from infmcs.errors import DatasetError
from tests.kit import real_data

QUICK = ("aids", "ptc_mm", "linux", "aids700nef")


def load(name: str) -> Collection:
    file = datasets.CATALOG[name].file
    if file is not None:
        real_data(*file.split("/"))
    return datasets.load(name)


def test_molecules_need_neither_rdkit_nor_a_data_folder(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['rdkit'] = None; from infmcs import datasets; print(len(datasets.load('molecules')))"
    )
    bare = {"HOME": str(tmp_path), "PATH": ""}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=bare, check=True)
    assert run.stdout == "4991\n"


def test_molecules_are_under_200_kb_and_are_those_of_their_provenance() -> None:
    packed = reading.BUNDLED.read_bytes()
    assert len(packed) < 200_000
    provenance = json.loads(reading.BUNDLED.with_name("molecules.provenance.json").read_text())
    assert hashlib.sha256(lzma.decompress(packed)).hexdigest() == provenance["sha256 of the text"]
    assert provenance["molecules"] == datasets.CATALOG["molecules"].graphs


def test_molecules_are_what_rdkit_makes_of_their_smiles() -> None:
    pytest.importorskip("rdkit")
    molecules = datasets.load("molecules")
    for place in range(0, len(molecules), 97):
        assert Graph.from_smiles(molecules.columns["smiles"][place]) == molecules[place]


@pytest.mark.parametrize("name", QUICK)
def test_a_data_set_is_the_same_every_time(name: str) -> None:
    graphs = load(name)
    assert len(graphs) == datasets.CATALOG[name].graphs
    assert graphs.digest == load(name).digest


def test_aids_is_1500_graphs_of_2_to_15_nodes_with_elements_for_labels() -> None:
    graphs = load("aids")
    assert (graphs.sizes.min(), graphs.sizes.max()) == (2, 15)
    assert graphs.features is None
    assert {"C", "N", "O"} <= set(graphs.vocabulary.nodes)
    assert graphs.names is not None
    assert len(set(graphs.names)) == 1500


@pytest.mark.parametrize("name", ["aids700nef", "linux"])
def test_published_values_are_those_of_the_pairs_they_are_given_for(name: str) -> None:
    graphs, known = load(name), datasets.published(name)
    assert known.mcs is not None
    assert known.ged is not None
    some = pairs.sample(pairs.among(len(known.pairs)), 300, seed=1)[:][:, 0]
    assert np.array_equal(solve.pairs(graphs, known.pairs[some]).lower, known.mcs[some])
    assert np.array_equal(solve.pairs(graphs, known.pairs[some], metric="ged").lower, known.ged[some])


@pytest.mark.parametrize("name", ["mivia", pytest.param("mivia50", marks=pytest.mark.slow)])
def test_published_sizes_of_mivia_pairs_are_found_again(name: str) -> None:
    graphs, known = load(name), datasets.published(name)
    assert known.mcs is not None
    small = np.flatnonzero(graphs.sizes[known.pairs[:, 0]] == 10)[:60]
    found = solve.pairs(graphs, known.pairs[small], question=known.question)
    assert np.array_equal(found.lower, known.mcs[small])


def test_a_missing_name_is_told_the_nearest() -> None:
    with pytest.raises(DatasetError, match="did you mean aids700nef"):
        datasets.load("aids700")


def test_a_missing_folder_is_told_where_it_was_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INFMCS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(DatasetError, match="INFMCS_DATA") as caught:
        datasets.load("aids")
    assert str(tmp_path) in caught.value.message
    assert datasets.located("aids") is None


def test_another_edition_of_a_data_set_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "LINUX").mkdir()
    with lzma.open(tmp_path / "LINUX" / "LINUX.jsonl.xz", "wt") as file:
        file.write('{"n": 2, "edges": [[0, 1]]}\n')
    monkeypatch.setenv("INFMCS_DATA", str(tmp_path))
    with pytest.raises(DatasetError, match="holds 1 graphs of it, expected 1,000"):
        datasets.load("linux")


def test_values_that_nobody_published_are_an_error() -> None:
    with pytest.raises(DatasetError, match="no exact values of molecules"):
        datasets.published("molecules")
