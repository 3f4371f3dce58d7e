"""`infmcs convert` and `infmcs stats`."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from infmcs import Collection, Graph, formats
from infmcs.statistics import statistics


def run(*words: object, given: bytes | None = None, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    command = Path(sys.executable).with_name("infmcs")
    return subprocess.run([command, *map(str, words)], capture_output=True, check=False, input=given, cwd=folder)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    made = [
        Graph.from_edges(3, [(0, 1), (1, 2)], ["C", "C", "N"], ["single", "double"], name="a"),
        Graph.from_edges(4, [(0, 1), (3, 3)], ["C", "O", "C", "N"], ["single", "x"], name="b"),
    ]
    path = tmp_path / "two.jsonl"
    formats.write(Collection.from_graphs(made, {"class": [1, 2]}), path)
    return path


def test_the_examples_in_the_help_run(tmp_path: Path) -> None:
    for command in ("convert", "stats"):
        text = " ".join(run(command, "--help").stdout.decode().split())
        match = re.search(r"Example: infmcs (.*)", text)
        assert match is not None
        done = run(*shlex.split(match[1]), folder=tmp_path)
        assert done.returncode == 0, done.stderr
    assert len(formats.read(tmp_path / "molecules.graphml")) > 1000


def test_graphs_go_through_pipes_and_come_out_the_same(two: Path) -> None:
    first = run("convert", two, "-", "--to", "graphml")
    second = run("convert", "-", "-", given=first.stdout)
    assert first.returncode == second.returncode == 0
    assert second.stdout == two.read_bytes()
    assert second.stderr == b""


def test_a_pipe_and_a_device_are_written_into_and_never_replaced(two: Path, tmp_path: Path) -> None:
    done = run("convert", two, "/dev/stdout", "--to", "jsonl")
    assert done.stdout.startswith(two.read_bytes())
    assert Path("/dev/stdout").is_symlink()
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        run("convert", two, tmp_path / "pipe", "--to", "jsonl")
        assert reader.communicate()[0] == two.read_bytes()
    assert (tmp_path / "pipe").is_fifo()


def test_what_is_left_out_is_told_on_stderr_and_errors_exit_with_1(two: Path, tmp_path: Path) -> None:
    done = run("convert", two, tmp_path / "two.g6")
    assert done.returncode == 1
    assert b"graph6 holds no loops" in done.stderr
    assert b"hint: write sparse6" in done.stderr
    assert done.stdout == b""
    done = run("convert", two, tmp_path / "two.s6")
    assert done.returncode == 0
    assert done.stderr == b"warning: sparse6 files hold no columns, no edge labels, no labels, no names: left out\n"
    assert not (tmp_path / "two.g6").exists()
    assert b"is not there" in run("stats", tmp_path / "missing").stderr


def test_statistics_are_those_counted_by_hand(two: Path) -> None:
    done = run("stats", two, "--json")
    found = json.loads(done.stdout)
    assert found == statistics(formats.read(two))
    assert (found["graphs"], found["nodes"], found["edges"], found["loops"]) == (2, 7, 4, 1)
    assert (found["nodes_min"], found["nodes_max"], found["nodes_mean"]) == (3, 4, 3.5)
    assert found["directed_edges_mean"] == 3.5  # 4 and 3: a loop is one directed edge
    assert found["connected"] == 1
    assert found["node_labels"] == {"different": 3, "commonest": [["C", 4], ["N", 2], ["O", 1]]}
    assert found["columns"] == {"class": {"kind": "numbers", "different": 2}}
    assert b"mean 3.50" in run("stats", two).stdout


def test_statistics_of_nothing_and_of_slices_hold() -> None:
    assert statistics(Collection.from_graphs([]))["graphs"] == 0
    made = [Graph.from_edges(n, [(0, 0)] if n else [], name=str(n)) for n in (0, 1, 5)]
    assert statistics(Collection.from_graphs(made)[1:])["connected"] == 1
    assert statistics(Collection.from_graphs(made))["without_nodes"] == 1
