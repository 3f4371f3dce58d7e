"""The frame of the command line: what every command can rely on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
