"""`infmcs datasets` and `infmcs label` from the shell."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from infmcs import datasets, label, solve
from tests.test_cli import run

COMMAND = str(Path(sys.executable).with_name("infmcs"))


def test_datasets_are_listed_with_where_they_are_and_their_licence() -> None:
    rows = {row["name"]: row for row in json.loads(run("datasets", "--json").stdout)}
    assert set(rows) == set(datasets.NAMES)
    assert rows["molecules"]["where"] == "in the package"
    assert all(row["licence"] for row in rows.values())
    assert "molecules" in run("datasets").stdout


def test_one_data_set_is_shown_with_its_statistics() -> None:
    shown = json.loads(run("datasets", "molecules", "--json").stdout)["molecules"]
    assert shown["graphs"] == 4991
    assert shown["classes"] == 4771
    assert run("datasets", "molecule").returncode == 1
    assert "did you mean molecules" in run("datasets", "molecule").stderr


def test_labels_from_the_shell_are_those_of_the_library(tmp_path: Path) -> None:
    output, figure = tmp_path / "labels.parquet", tmp_path / "labels.svg"
    command = ("label", "molecules", "--sample", "500", "-o", str(output), "--plot", str(figure), "--json")
    done = run(*command, "--part", "test", "--protocol", "class-disjoint")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    labels = label.read(output)
    assert (summary["pairs"], summary["exact"]) == (500, 500)
    graphs = datasets.load("molecules")
    assert (labels.lower == solve.pairs(graphs, labels.pairs).lower).all()
    assert set(labels.pairs.ravel()) <= set(datasets.split(graphs, "class-disjoint").test.tolist())
    assert figure.read_text().startswith("<?xml")


def test_ctrl_c_while_labelling_is_exit_code_130_and_the_next_run_goes_on(tmp_path: Path) -> None:
    output = tmp_path / "labels.parquet"
    words = [
        COMMAND,
        *["label", "molecules", "--metric", "ged", "--visits", "1000", "--sample", "1500", "-o"],
        str(output),
    ]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    folder = output.with_name("labels.parquet.part")
    until = time.monotonic() + 60
    while not list(folder.glob("[0-9]*.parquet")) and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert out == ""
    assert not output.exists()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(label.read(output)) == 1500
