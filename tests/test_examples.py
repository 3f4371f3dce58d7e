"""The examples run as they stand, are short, and print what they promise."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "own_graphs.py": ("proved", "edit distance", "the ranking is proven: True"),
    "train_on_own_graphs.py": ("· by model", "· exact"),
    "molecules_from_smiles.py": ("aspirin", "ruled out by bounds alone"),
    "pyg_data.py": ("ladder of 6 rungs: 1.000, proved: True", "as Data again: (2, 8)"),
    "large_collection.py": ("opened in", "proven: True", "4990 graphs now"),
}
NEEDS = {"molecules_from_smiles.py": "rdkit", "pyg_data.py": "torch_geometric"}
SLOW = {"train_on_own_graphs.py", "pyg_data.py"}  # torch and PyG take seconds to load


def test_every_example_is_tried_here() -> None:
    assert {file.name for file in EXAMPLES.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in PROMISES]
)
def test_the_example_runs_and_keeps_its_promise(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, EXAMPLES / name], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    for promise in PROMISES[name]:
        assert promise in run.stdout, run.stdout


def test_the_code_in_the_documentation_runs(tmp_path: Path) -> None:
    text = (EXAMPLES.parent / "docs" / "compare.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    for promised in re.findall(r"print\(.*?\)  # (.*)", text):
        assert promised in run.stdout


@pytest.mark.parametrize("name", PROMISES)
def test_the_example_is_short_and_says_what_it_shows(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    assert len(text.splitlines()) < 60
    assert ast.get_docstring(ast.parse(text))
