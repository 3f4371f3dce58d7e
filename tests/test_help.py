"""Every command ends its help with an example, and the example runs."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from infmcs.cli import app

COMMAND = str(Path(sys.executable).with_name("infmcs"))
ROOT = typer.main.get_command(app)
BEFORE = {"molecules.index": "infmcs index molecules -o molecules.index"}  # what an example takes for granted
ENDLESS = {"serve"}  # until Ctrl-C
LONG = {"train"}  # minutes; shown with less work by the tests of training


def commands(group: object = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, TyperCommand]]:
    assert isinstance(group, TyperGroup)
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))
        else:
            assert isinstance(command, TyperCommand)
            yield " ".join((*path, name)), command


ALL = dict(commands())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    (folder / "reproduction").symlink_to(Path(__file__).parents[1] / "reproduction")  # some run in a checkout
    return folder


def example(name: str) -> str:
    epilog = ALL[name].epilog or ""
    assert epilog.startswith(f"Example: infmcs {name} "), f"infmcs {name} --help ends without an example"
    return epilog.removeprefix("Example: ")


def run(line: str, place: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(line)
    return subprocess.run([COMMAND, *words[1:]], cwd=place, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ALL)
def test_the_help_says_what_a_command_does(name: str) -> None:
    assert (ALL[name].help or "").strip()
    for parameter in ALL[name].params:
        assert getattr(parameter, "help", None), f"infmcs {name}: {parameter.name} has no help"
    example(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ALL) - ENDLESS - LONG))
def test_the_example_at_the_end_of_the_help_runs(name: str, place: Path) -> None:
    line = example(name)
    for file, before in BEFORE.items():
        if file in line and before != line and not (place / file).exists():
            assert run(before, place).returncode == 0
    done = run(line, place)
    assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ENDLESS & set(ALL)))
def test_the_example_runs_until_it_is_stopped(name: str, place: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, *shlex.split(example(name))[1:]],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    until, told = time.monotonic() + 120, ""
    while "://" not in told and time.monotonic() < until and process.poll() is None:
        told += process.stdout.readline()
    process.send_signal(signal.SIGINT)
    told += process.communicate(timeout=60)[0]
    assert "://" in told
    assert process.returncode in (0, 130), told
