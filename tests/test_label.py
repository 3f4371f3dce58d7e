"""Labels: what a plain call of the solver says, whatever happened to the run in between."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Collection, EditCosts, Graph, Question, datasets, durable, label, pairs, solve
from infmcs.errors import FormatError, QuestionError
from infmcs.label import run, table
from infmcs.solve import Budget
from tests.kit import collections

SLOW_WORK = """
import sys
from infmcs import datasets, label, pairs
from infmcs.label import run
run.LARGEST_CHUNK = 512
graphs = datasets.load("molecules")[:120]
label.label(graphs, pairs.among(len(graphs)), output=sys.argv[1], metric="ged", budget=label.run.Budget(visits=300))
"""


@pytest.fixture(scope="module")
def molecules() -> Collection:
    return datasets.load("molecules")[:120]


def columns(labels: label.Labels) -> dict[str, list[object]]:
    return {field.name: getattr(labels, field.name).tolist() for field in dataclasses.fields(labels)[:-1]}


@settings(max_examples=25)
@given(some=collections(max_graphs=6, max_nodes=6, labels=None, directed=None), metric=st.sampled_from(pairs.METRICS))
def test_labels_are_what_the_solver_says_of_each_pair(
    some: Collection, metric: pairs.Metric, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chosen = pairs.among(len(some), selves=True)
    output = tmp_path_factory.mktemp("labels") / "labels.parquet"
    labels = label.label(some, chosen, output=output, metric=metric)
    values = solve.pairs(some, chosen[:], metric=metric)
    assert np.array_equal(labels.pairs, chosen[:])
    assert np.array_equal(labels.lower, values.lower)
    assert labels.proved.all()
    assert not output.with_name("labels.parquet.part").exists()
    formula = pairs.nmcs if metric == "mcs" else pairs.nged
    assert np.allclose(labels.similarity, formula(values.lower, *(some.sizes[side] for side in chosen[:].T)))


@pytest.mark.parametrize("costs", [EditCosts(insert_node=2.0, delete_node=0.5), EditCosts(edge_labels=True)])
def test_prices_that_differ_by_direction_are_kept_apart(
    costs: EditCosts, molecules: Collection, tmp_path: Path
) -> None:
    small = molecules.take(np.flatnonzero(molecules.sizes <= 8)[:8])
    both = pairs.between(len(small), len(small))
    labels = label.label(small, both, output=tmp_path / "labels.parquet", metric="ged", costs=costs)
    assert np.allclose(labels.upper, solve.pairs(small, both[:], metric="ged", costs=costs).upper)


def test_what_the_solver_calls_proved_is_proved_at_prices_that_are_no_round_numbers(
    molecules: Collection, tmp_path: Path
) -> None:
    chosen, costs, budget = pairs.among(30), EditCosts(insert_node=0.1, relabel_node=2**0.5), Budget(visits=40)
    labels = label.label(
        molecules[:30], chosen, output=tmp_path / "labels.parquet", metric="ged", costs=costs, budget=budget
    )
    values = solve.pairs(molecules[:30], chosen[:], metric="ged", costs=costs, budget=budget)
    assert np.array_equal(labels.proved, values.proved)
    assert 0 < labels.proved.sum() < len(chosen)


def test_labels_do_not_depend_on_chunks_threads_or_the_order_of_pairs(
    molecules: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = pairs.sample(pairs.among(len(molecules)), 2000, seed=1)
    budget = Budget(visits=300)
    one = label.label(molecules, mixed, output=tmp_path / "one.parquet", metric="ged", budget=budget)
    monkeypatch.setattr(run, "LARGEST_CHUNK", 100)
    monkeypatch.setattr(run, "KNOWN_CLASSES", 0)
    two = label.label(molecules, mixed, output=tmp_path / "two.parquet", metric="ged", budget=budget, threads=2)
    assert columns(one) == columns(two)
    assert not one.proved.all()
    assert (one.similarity <= one.most).all()


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_loses_nothing_and_repeats_nothing(
    molecules: Collection, tmp_path: Path
) -> None:
    budget, chosen = Budget(visits=300), pairs.among(len(molecules))
    whole = label.label(molecules, chosen, output=tmp_path / "whole.parquet", metric="ged", budget=budget)
    output, killed = tmp_path / "killed.parquet", 0
    before: dict[str, tuple[int, label.Labels]] = {}
    rng = np.random.default_rng(3)
    while not output.exists():
        process = subprocess.Popen([sys.executable, "-c", SLOW_WORK, str(output)])
        folder = output.with_name("killed.parquet.part")
        while process.poll() is None and len(list(folder.glob("[0-9]*.parquet"))) <= len(before):
            time.sleep(0.005)  # every life finishes a chunk, so that a slow machine comes to an end as well
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += process.returncode != 0
        if folder.exists() and not output.exists():
            files = {file.name: (file.stat().st_mtime_ns, table.read(file)) for file in sorted(folder.glob("[0-9]*"))}
            for name, (written, _) in before.items():
                assert files[name][0] == written, "a finished chunk was written again"
            before = files
    assert killed
    assert columns(label.read(output)) == columns(whole)


def test_chunks_of_a_stopped_run_are_used_and_not_computed_again(
    molecules: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "LARGEST_CHUNK", 256)
    output, chosen = tmp_path / "labels.parquet", pairs.among(60)

    def stop(done: int) -> None:
        if done >= 512:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        label.label(molecules, chosen, output=output, progress=stop)
    assert not output.exists()
    with pytest.raises(FormatError, match="not there"):
        label.read(output)
    told: list[int] = []
    labels = label.label(molecules, chosen, output=output, progress=told.append)
    assert min(told) >= 512
    assert len(labels) == len(chosen)
    assert np.array_equal(labels.lower, solve.pairs(molecules, chosen[:]).lower)


def test_a_full_disk_is_an_error_that_loses_no_chunk(tmp_path: Path) -> None:
    output = tmp_path / "labels.parquet"
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
    program = limited + SLOW_WORK.replace('metric="ged", budget=label.run.Budget(visits=300)', "").replace(
        "512", "4096"
    )
    run_ = subprocess.run([sys.executable, "-c", program, str(output)], capture_output=True, text=True, check=False)
    assert "cannot be written: File too large" in run_.stderr
    assert "finished chunks are safe in labels.parquet.part" in run_.stderr
    folder = output.with_name("labels.parquet.part")
    safe = [table.read(file) for file in sorted(folder.glob("[0-9]*"))]
    assert safe
    assert not output.exists()
    graphs = datasets.load("molecules")[:120]
    labels = label.label(graphs, pairs.among(len(graphs)), output=output)
    assert np.array_equal(labels.lower, solve.all_pairs(graphs).lower)


def test_two_processes_on_one_output_are_refused(molecules: Collection, tmp_path: Path) -> None:
    output = tmp_path / "labels.parquet"
    folder = output.with_name("labels.parquet.part")
    folder.mkdir()
    with durable.held(folder / "lock") as ours:
        assert ours
        with pytest.raises(FormatError, match="another process is labelling into it"):
            label.label(molecules, pairs.among(3), output=output)
    label.label(molecules, pairs.among(3), output=output)


def test_other_settings_do_not_continue_what_was_begun(molecules: Collection, tmp_path: Path) -> None:
    output = tmp_path / "labels.parquet"
    label.label(molecules, pairs.among(9), output=output)
    again = label.label(molecules, pairs.among(9), output=output)
    assert len(again) == 36
    with pytest.raises(FormatError, match="budget"):
        label.label(molecules, pairs.among(9), output=output, budget=Budget(visits=7))
    with pytest.raises(FormatError, match="digest"):
        label.label(molecules[::-1], pairs.among(9), output=output)
    with pytest.raises(FormatError, match="question"):
        label.label(molecules, pairs.among(9), output=output, question=Question(connected=False))


def test_the_file_says_how_it_came_about(molecules: Collection, tmp_path: Path) -> None:
    labels = label.label(molecules, pairs.among(4), output=tmp_path / "labels.parquet")
    assert labels.facts["digest"] == molecules.digest
    assert labels.facts["provenance"]["versions"]["infmcs"]
    assert str(tmp_path) not in json.dumps(labels.facts["provenance"])


def test_a_budget_in_seconds_is_refused(molecules: Collection, tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="seconds"):
        label.label(molecules, pairs.among(3), output=tmp_path / "x", budget=Budget(seconds=1))


def test_an_output_that_cannot_be_written_is_an_error_at_once(molecules: Collection, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be written"):
        label.label(molecules, pairs.among(3), output=tmp_path / "no" / "labels.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1 nonsense", b"x" * 5000])
def test_a_file_that_holds_no_labels_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "labels.parquet").write_bytes(content)
    with pytest.raises(FormatError):
        label.read(tmp_path / "labels.parquet")


def test_a_file_cut_off_anywhere_is_refused(molecules: Collection, tmp_path: Path) -> None:
    output = tmp_path / "labels.parquet"
    label.label(molecules, pairs.among(9), output=output)
    whole = output.read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 40)):
        output.write_bytes(whole[:end])
        with pytest.raises(FormatError):
            label.read(output)


def test_no_pairs_give_a_file_without_rows(molecules: Collection, tmp_path: Path) -> None:
    labels = label.label(molecules[:1], pairs.among(1), output=tmp_path / "labels.parquet")
    assert labels.summary()["pairs"] == 0
    label.plot(labels, tmp_path / "labels.svg")


def test_the_summary_counts_exact_and_open_pairs(molecules: Collection, tmp_path: Path) -> None:
    labels = label.label(
        molecules, pairs.among(30), output=tmp_path / "a.parquet", metric="ged", budget=Budget(visits=50)
    )
    summary = labels.summary()
    assert 0 < summary["exact"] < summary["pairs"] == 435
    assert summary["exact share"] == pytest.approx(summary["exact"] / 435)
    assert summary["interval width, mean of open"] > summary["interval width, mean of all"] > 0
    assert summary["variance of similarity"] == pytest.approx(float(labels.similarity.var()))
    label.plot(labels, tmp_path / "a.svg")
    assert "exact" in (tmp_path / "a.svg").read_text()


def test_a_figure_of_an_unknown_kind_is_an_error(molecules: Collection, tmp_path: Path) -> None:
    labels = label.label(molecules, pairs.among(3), output=tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="cannot be drawn"):
        label.plot(labels, tmp_path / "a.xyz")


def test_empty_graphs_can_be_labelled(tmp_path: Path) -> None:
    empty = Collection.from_graphs([Graph.from_edges(0, []), Graph.from_edges(1, []), Graph.from_edges(0, [])])
    labels = label.label(empty, pairs.among(3), output=tmp_path / "a.parquet")
    assert labels.similarity.tolist() == [0.0, 1.0, 0.0]
    assert os.listdir(tmp_path) == ["a.parquet"]
