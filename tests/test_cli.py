"""The frame of the command line: what every command can rely on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import infmcs


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("infmcs")
    return subprocess.run([command, *words], capture_output=True, text=True, check=False)


def test_the_version_is_printed_without_loading_the_rest() -> None:
    assert run("--version").stdout == f"infmcs {infmcs.__version__}\n"
    program = """
import sys
from infmcs.cli import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    assert not {"torch", "numpy", "scipy", "matplotlib", "networkx"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_wrong_usage_exits_with_2_and_help_with_0() -> None:
    assert run("--help").returncode == 0
    assert "Exit codes" in run("--help").stdout
    assert run("no-such-command").returncode == 2
    assert run("no-such-command").stdout == ""


COMPLETIONS = {
    "bash": {"COMP_WORDS": "infmcs stats mole", "COMP_CWORD": "2"},
    "zsh": {"_TYPER_COMPLETE_ARGS": "infmcs stats mole"},
    "fish": {"_TYPER_COMPLETE_ARGS": "infmcs stats mole", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_the_shell_completes_data_sets_and_files(shell: str, tmp_path: Path) -> None:
    (tmp_path / "molehill.jsonl").touch()
    (tmp_path / "moles").mkdir()
    asked = {**os.environ, **COMPLETIONS[shell], "_INFMCS_COMPLETE": f"complete_{shell}"}
    command = Path(sys.executable).with_name("infmcs")
    told = subprocess.run([command], env=asked, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    for word in ("molecules", "molehill.jsonl", "moles/"):
        assert word in told
    assert "aids" not in told


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_there_is_a_completion_to_install_for_each_shell(shell: str) -> None:
    from typer._completion_shared import get_completion_script

    assert "infmcs" in get_completion_script(prog_name="infmcs", complete_var="_INFMCS_COMPLETE", shell=shell)
    assert "--install-completion" in run("--help").stdout


def test_what_is_not_there_is_one_message_and_exit_code_1() -> None:
    done = run("stats", "no/such/file")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("infmcs: no/such/file: is not there\nhint: ")


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = Path(sys.executable).with_name("infmcs")
    line = f"{command} datasets | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("missing", "words", "extra"),
    [
        ("uvicorn", ["serve", "molecules", "--port", "0"], "serve"),
        ("fastapi_offline", ["serve", "molecules", "--port", "0"], "serve"),
        ("rdkit", ["compare", "--smiles", "CCO", "CCN"], "chem"),
    ],
)
def test_a_missing_extra_is_named_with_what_installs_it(missing: str, words: list[str], extra: str) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv[1:] = {words!r}; from infmcs.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert f"infmcs[{extra}]" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_is_heard_while_the_command_is_loaded() -> None:
    program = """
import sys
class Pressed:
    def find_spec(self, name, *_):
        if name == "infmcs.cli.compare":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Pressed())
from infmcs.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "infmcs", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"infmcs {infmcs.__version__}\n")
