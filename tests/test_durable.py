"""A file is whole or not there, whatever happens while it is written."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from infmcs import durable

ENDLESS = """
import sys
from infmcs import durable
with durable.writing(sys.argv[1]) as file:
    file.write(b"new " * 1000)
    file.flush()
    print("written", flush=True)
    while True:
        pass
"""


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    durable.write_text(path, "néw")
    assert path.read_text(encoding="utf-8") == "néw"
    assert os.listdir(tmp_path) == ["file"]


def test_an_error_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail_half_way() -> None:
        with durable.writing(path) as file:
            file.write(b"new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "written\n"
        writer.send_signal(signal.SIGKILL)
    assert path.read_bytes() == b"old"


def test_ctrl_c_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", ENDLESS, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "written\n"
        time.sleep(0.1)
        writer.send_signal(signal.SIGINT)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    program = "import sys; from infmcs import durable; durable.write_bytes(sys.argv[1], b'x' * 100_000)"

    def little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write past the limit then fails like one on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], preexec_fn=little_room, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "File too large" in run.stderr
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_modes_are_those_a_plain_open_would_give(tmp_path: Path) -> None:
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_bytes(b"")
    durable.write_bytes(ours, b"")
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    ours.chmod(0o640)
    durable.write_bytes(ours, b"again")
    assert stat.S_IMODE(ours.stat().st_mode) == 0o640


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        durable.write_bytes(tmp_path / "none" / "file", b"")
