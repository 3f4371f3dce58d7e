"""What a built wheel holds: every tracked file of the package, the compiled core with its types, and nothing else.

python -m tools.wheel dist/infmcs-0.1.0-….whl
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def differences(wheel: Path) -> list[str]:
    """What is missing from a wheel, and what should not be in it."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    wanted = {name.removeprefix("src/") for name in tracked.stdout.splitlines()} | {"infmcs/_native.pyi"}
    core = {name for name in held if name.startswith("infmcs/_native.") and name.endswith((".so", ".pyd"))}
    about = {name for name in held if name.split("/")[0].endswith(".dist-info")}
    return [
        *(f"missing: {name}" for name in sorted(wanted - held)),
        *(f"should not be there: {name}" for name in sorted(held - wanted - core - about)),
        *(["missing: the compiled core"] if len(core) != 1 else []),
        *(["missing: the licence"] if not any(name.endswith("licenses/LICENSE") for name in about) else []),
    ]


if __name__ == "__main__":
    found = [f"{name}: {line}" for name in sys.argv[1:] for line in differences(Path(name))]
    print("\n".join(found) or f"{len(sys.argv) - 1} wheel: whole, and nothing besides")
    sys.exit(bool(found))
