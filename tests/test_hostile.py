"""What users do to a program without meaning well: odd names, odd numbers, full disks, Ctrl-C. Each ends in words."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from infmcs import Collection, Graph, durable, formats
from infmcs.cli import app, output
from infmcs.errors import InfmcsError, QuestionError
from infmcs.index import Index

COMMAND = str(Path(sys.executable).with_name("infmcs"))
NAMES = ["[bold]x[/bold]", "[/red]", "c1cc[nH]c1", ":bug:", "a\nb", "\x1b[31mred", "left\u202eright", "Grüße 🎉"]
SHOWN = ["[bold]x[/bold]", "[/red]", "c1cc[nH]c1", ":bug:", "a\\nb", "\\x1b[31mred", "left\\u202eright", "Grüße 🎉"]


def run(*words: object) -> Result:
    """A command within this process, which is quicker; what `main` makes of an error is tested elsewhere."""
    return CliRunner().invoke(app, [str(word) for word in words])


def process(*words: str, place: Path, output: Any = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    given = [COMMAND, *words]
    return subprocess.run(given, cwd=place, stdout=output, stderr=subprocess.PIPE, text=True, check=False, timeout=120)


@pytest.fixture
def named(tmp_path: Path) -> Path:
    file = tmp_path / "named.jsonl"
    formats.write(Collection.from_graphs([Graph.from_edges(2, [(0, 1)], name=name) for name in NAMES]), file)
    return file


def test_names_are_shown_as_they_are_and_steer_no_terminal(named: Path) -> None:
    for words in (["search", named, "0"], ["duplicates", named], ["compare", f"{named}#2", f"{named}#5"]):
        told = run(*words).stdout
        assert all(one.isprintable() for line in told.split("\n") for one in line)
        for name in SHOWN if words[0] != "compare" else (SHOWN[2], SHOWN[5]):
            assert name in told
    assert [hit["name"] for hit in json.loads(run("search", named, "0", "--json").stdout)["hits"]] == NAMES


def test_progress_shows_the_name_of_a_file_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "PATIENCE", -1.0)
    with output.progress("reading [/x]", 2) as tell:
        tell(1, "[/y]")


@pytest.mark.parametrize(
    "given", ["²", "①", "99999999999999999999", "named.jsonl#²", "named.jsonl#99999999999999999999"]
)
def test_a_number_that_is_none_names_no_graph(named: Path, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(named.parent)
    for words in (["search", named, given], ["compare", given, f"{named}#0"]):
        assert isinstance(run(*words).exception, InfmcsError)


@pytest.mark.parametrize("where", ["nodes=a..b", "name=1..2", "nodes=..x"])
def test_a_range_of_what_cannot_be_compared_is_refused(named: Path, where: str) -> None:
    assert "cannot be compared" in str(run("search", named, "0", "--where", where).exception)
    with pytest.raises(QuestionError, match="cannot be compared"):
        Index.build(formats.read(named)).search(Graph.from_edges(1, []), filter={"name": ("a", 3)})


def test_a_search_that_nothing_passes_claims_no_last_hit(named: Path) -> None:
    assert "there is no such graph" in run("search", named, "0", "--where", "nodes=7..9").stdout


def test_an_index_is_a_collection_to_every_command(named: Path) -> None:
    index = named.parent / "an.index"
    run("index", named, "-o", index)
    assert json.loads(run("stats", index, "--json").stdout)["graphs"] == len(NAMES)
    run("convert", index, named.parent / "back.jsonl")
    assert [graph.name for graph in formats.read(named.parent / "back.jsonl")] == NAMES
    assert run("compare", f"{index}#2", f"{index}#3").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["index", "named.jsonl", "-o", ""],
        ["report", "named.jsonl", "0", "-o", ""],
        ["label", "named.jsonl", "-o", ""],
        ["compare", "named.jsonl#0", "named.jsonl#1", "--draw", ""],
        ["search", "named.jsonl", "0", "--draw", ""],
    ],
)
def test_an_empty_word_is_no_place_to_write_to(named: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(named.parent)
    done = run(*words)
    assert done.exit_code == 2
    assert "names no file" in " ".join(done.output.replace("│", " ").split())
    assert os.listdir(named.parent) == ["named.jsonl"]


@pytest.mark.parametrize(
    "words",
    [
        ["report", "named.jsonl", "0", "-o", "folder"],
        ["compare", "named.jsonl#0", "named.jsonl#1", "--draw", "folder.svg"],
        ["search", "named.jsonl", "0", "--top", "1", "--draw", "named.jsonl"],
        ["index", "named.jsonl", "-o", "named.jsonl"],
        ["label", "named.jsonl", "-o", "nowhere/labels.parquet"],
        ["convert", "named.jsonl", "nowhere/x.jsonl"],
    ],
)
def test_a_place_that_cannot_be_written_is_named(
    named: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(named.parent)
    for folder in ("folder", "folder.svg"):
        (named.parent / folder).mkdir()
    before = named.read_bytes()
    error = run(*words).exception
    assert isinstance(error, InfmcsError | OSError)  # `main` makes words of both
    assert words[-1] in (error.message if isinstance(error, InfmcsError) else error.filename)
    assert named.read_bytes() == before
    assert not list(named.parent.glob("**/*.part"))


def test_what_the_system_refuses_is_one_line_with_the_file(named: Path) -> None:
    (named.parent / "folder").mkdir()
    done = process("report", "named.jsonl", "0", "-o", "folder", place=named.parent)
    assert (done.returncode, done.stderr) == (1, "infmcs: folder: Is a directory\n")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no full device here")
@pytest.mark.parametrize("words", [["datasets", "--json"], ["--version"]])
def test_a_full_disk_behind_the_output_is_told(words: list[str], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = process(*words, place=tmp_path, output=full)
    assert (done.returncode, done.stderr) == (1, "infmcs: the output: No space left on device\n")


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "report.html"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        durable.write_text(pipe, "through")
        assert reader.communicate()[0] == "through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_folder_is_not_replaced_and_the_error_names_what_was_wanted(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as told:
        durable.write_text(tmp_path, "text")
    assert told.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as told_:
        durable.write_text(tmp_path / "no" / "file", "text")
    assert told_.value.filename == str(tmp_path / "no" / "file")
    with pytest.raises(FileNotFoundError, match="empty name"):
        durable.write_text("", "text")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["label", "hard.jsonl", "--no-connected", "-o", "labels.parquet", "--visits", "1000000000"],
        ["search", "hard.jsonl", "0"],
    ],
)
def test_ctrl_c_ends_work_in_a_word_and_with_130(tmp_path: Path, words: list[str]) -> None:
    random = np.random.default_rng(3)
    hard = [Graph.from_edges(60, np.argwhere(np.triu(random.random((60, 60)) < 0.4, 1))) for _ in range(3)]
    formats.write(Collection.from_graphs(hard), tmp_path / "hard.jsonl")
    running = subprocess.Popen(
        [COMMAND, *words], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(4)
    assert running.poll() is None, running.communicate()
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=30)
    assert "Traceback" not in told
    assert "stopped" in told
    assert running.returncode == (130 if words[0] == "label" else 0)  # a search shows what is known by then
