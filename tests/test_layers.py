"""Data flows one way: a module imports only from layers above its own."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import infmcs

SRC = Path(infmcs.__file__).parent
LAYERS = (
    "errors provenance durable _native",
    "config vocabulary",
    "graph interchange",
    "collection",
    "formats certify statistics",
    "solve",
    "pairs prices draw metrics",
    "datasets label",
    "batch",
    "models",
    "train",
    "evaluate",
    "explain",
    "answers index",
    "report web cluster reproduce",
    "cli",
)
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row.split()}
TORCHLESS = [
    name
    for row in LAYERS[: [row.split()[0] for row in LAYERS].index("batch")]
    for name in row.split()
    if (SRC / name).exists() or (SRC / f"{name}.py").exists()
]

SILENCED = re.compile(r"(?:type: ignore\[[\w, -]+\]|noqa: [A-Z]+\d+|NOLINT\w*)(.*)")


def modules_imported_by(file: Path) -> set[str]:
    """First names below `infmcs` that a file imports when it is run, not those for the type checker alone."""
    found = set()
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "infmcs":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("infmcs."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("infmcs.")}
    return found


@pytest.mark.parametrize("file", sorted(SRC.rglob("*.py")), ids=lambda file: str(file.relative_to(SRC)))
def test_imports_point_down(file: Path) -> None:
    here = file.relative_to(SRC).with_suffix("").parts[0]
    if here in ("__init__", "__main__"):
        return  # one names its modules and imports them when asked, the other begins the command
    assert here in RANK, f"{here} has no layer"
    for there in modules_imported_by(file):
        conversions = {here, there} == {"graph", "interchange"}  # Graph.from_networkx and its sisters hand over
        assert there == here or RANK[there] < RANK[here] or conversions, f"{here} imports {there}, which comes later"


def test_everything_before_batch_works_without_torch() -> None:
    imports = "; ".join(f"import infmcs.{name}" for name in TORCHLESS)
    program = f"import sys; sys.modules['torch'] = None; {imports}"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_bare_import_loads_neither_torch_nor_numpy() -> None:
    program = "import sys, infmcs; assert not {'torch', 'numpy', 'scipy', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_silenced_check_has_its_reason_on_the_same_line() -> None:
    root = Path(__file__).parents[1]
    folders = ("src", "tests", "benchmarks", "reproduction", "tools", "examples", "native")
    files = [file for folder in folders for kind in ("py", "cpp", "hpp") for file in (root / folder).rglob(f"*.{kind}")]
    given = [
        (file.name, reason.strip("# ()"))
        for file in files
        for reason in SILENCED.findall(file.read_text(encoding="utf-8"))
    ]
    assert len(given) > 5
    assert [file for file, reason in given if len(reason) < 8] == []


def test_the_public_names_exist() -> None:
    for name in infmcs.__all__:
        assert getattr(infmcs, name).__module__.startswith("infmcs")
    assert set(infmcs.__all__) == set(infmcs._HOMES)
