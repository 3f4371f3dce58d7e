"""What an evaluation says of answers whose worth is known, and of a model from training to table."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from infmcs import Collection, Graph, Question, datasets, evaluate, models, solve, train
from infmcs.errors import DatasetError, QuestionError
from infmcs.evaluate import Parts, trivial
from infmcs.pairs import Metric
from tests.kit import graphs

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def few() -> Parts:
    found = datasets.load("molecules")
    chosen = found.take(np.flatnonzero(found.sizes <= 9)[:120])
    places = np.arange(120)
    return Parts(chosen, places[:80], places[80:95], places[95:], places[95:])


@pytest.fixture(scope="module")
def record(few: Parts) -> dict[str, Any]:
    model = models.build(train.plan("infmcs", **{"model.width": 16}).model, few.graphs)
    return evaluate.evaluation(model, few)


def test_the_exact_answer_is_perfect_and_a_constant_worthless(record: dict[str, Any]) -> None:
    rows = {row["name"]: row for row in record["rows"]}
    assert set(rows) == set(evaluate.STEPS)
    assert rows["exact"]["mse"] == 0
    assert rows["exact"]["rho"] == pytest.approx(1)
    assert rows["exact"]["p@10"]["expected"] == 1
    assert rows["constant"]["rho"] == 0
    assert rows["constant"]["p@10"]["generous"] == 1  # the convention that rewards saying nothing
    assert rows["constant"]["p@10"]["expected"] == pytest.approx(record["chance"]["p@10"])
    assert rows["ridge"]["mse"] < rows["constant"]["mse"]
    assert record["pairs"] == 25 * 24 / 2
    assert record["open"] == 0


@given(st.lists(graphs(labels=True, max_nodes=7), min_size=2, max_size=5))
def test_what_two_graphs_share_is_counted_as_by_hand(some: list[Graph]) -> None:
    collection = Collection.from_graphs(some)
    counts = trivial.Counts(collection)
    i, j = np.triu_indices(len(some), 1)
    shared = counts.shared(np.stack((i, j), axis=1))
    for row, (a, b) in zip(shared, ((some[p], some[q]) for p, q in zip(i, j, strict=True)), strict=True):
        labels = Counter(a.label_names) & Counter(b.label_names)
        assert row[2] == labels.total()
        assert (np.diff(row[2:]) <= 0).all()  # colours only split from round to round


@given(st.lists(graphs(labels=True, max_nodes=6), min_size=2, max_size=4))
def test_bounds_are_never_below_the_truth(some: list[Graph]) -> None:
    collection = Collection.from_graphs(some)
    counts = trivial.Counts(collection)
    rows = np.stack(np.triu_indices(len(some), 1), axis=1)
    edges = Question(induced=False, count="edges")
    asked: list[tuple[Metric, Question]] = [("mcs", Question()), ("mcs", edges), ("ged", Question())]
    for metric, question in asked:
        true = trivial.similarities(collection, rows, metric, question, visits=100_000)
        for labels in (False, True):
            bound = trivial.bound(counts, rows, metric, question, labels=labels)
            assert (bound >= true - 1e-9).all()


def test_renumbered_graphs_share_everything() -> None:
    found = datasets.load("molecules")[:20]
    rng = np.random.default_rng(0)
    twins = Collection.from_graphs([*found, *(graph.renumbered(rng.permutation(graph.size)) for graph in found)])
    counts = trivial.Counts(twins)
    rows = np.stack((np.arange(20), np.arange(20, 40)), axis=1)
    assert counts.shared(rows)[:, 2:].tolist() == [[float(size)] * 4 for size in found.sizes]


def test_scores_pair_by_pair_are_those_of_the_square(few: Parts) -> None:
    model = models.load("molecules-mcs")
    square = evaluate.squares(model, few.graphs)
    rows = np.stack(np.triu_indices(len(few.graphs), 1), axis=1)[::7]
    assert evaluate.scores(model, few.graphs, rows) == pytest.approx(square[rows[:, 0], rows[:, 1]], abs=1e-5)
    assert evaluate.scores(model, few.graphs, []).shape == (0,)


def test_queries_against_another_database_count_every_pair(few: Parts) -> None:
    across = Parts(few.graphs, few.train, few.validation, few.test[:5], few.train[:30])
    told = evaluate.evaluation(models.load("molecules-mcs"), across, "ged")
    assert (told["queries"], told["database"], told["pairs"]) == (5, 30, 150)
    rows = {row["name"]: row for row in told["rows"]}
    assert rows["exact"]["mse"] == 0
    with pytest.raises(QuestionError, match="nothing to evaluate"):
        evaluate.evaluation(
            models.load("molecules-mcs"), Parts(few.graphs, few.train, few.test, few.test[:1], few.test)
        )


def test_the_parts_of_a_protocol_do_not_overlap() -> None:
    for protocol in ("paper", "class-disjoint"):
        found = evaluate.parts("molecules", protocol, 0)
        every = np.concatenate((found.train, found.validation, found.test))
        assert sorted(every.tolist()) == list(range(len(found.graphs)))
        assert not found.selves
    classes = solve.classes(found.graphs)
    assert not set(classes[found.test].tolist()) & set(classes[found.train].tolist())
    with pytest.raises(DatasetError, match="no exact values"):
        evaluate.parts("molecules", "published", 0)
    with pytest.raises(QuestionError, match="no protocol"):
        evaluate.parts("molecules", "mixed", 0)


@pytest.mark.slow
def test_from_training_to_table_on_the_command_line(tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("infmcs"))
    small = ["--set", "pairs=900", "--set", "graphs=10", "--set", "edited=1", "--set", "model.width=16"]
    run = tmp_path / "run"
    words = [command, "train", "molecules", "-o", str(run), *small, "--set", "visits=500", "--set", "mappings=50"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    out = tmp_path / "record.json"
    shown = subprocess.run(
        [command, "evaluate", str(run), "--queries", "12", "-o", str(out)], capture_output=True, text=True, check=True
    )
    assert "nearest training graph" in shown.stdout
    told = json.loads(out.read_text())
    assert (told["set"], told["protocol"], told["seen"]) == ("molecules", "paper", False)
    assert str(tmp_path) not in out.read_text()
    again = subprocess.run(words, capture_output=True, text=True, check=False)
    assert again.returncode == 0  # finished already: nothing is left to do


def test_words_that_are_no_setting_are_refused_by_the_command_line(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from infmcs.cli import app
    from infmcs.errors import ConfigError

    for words, said in ((["--set", "rate"], "NAME=VALUE"), (["--set", "rte=1"], "did you mean train.rate")):
        ran = CliRunner().invoke(app, ["train", "molecules", "-o", str(tmp_path / "run"), *words])
        assert isinstance(ran.exception, ConfigError)
        assert said in str(ran.exception)
    assert not (tmp_path / "run").exists()
