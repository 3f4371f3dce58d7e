"""Where a result comes from: versions, commit, command, machine, seeds, digests. Every file we write carries it.

No path of the machine enters a record: records are committed and mailed around.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

PACKAGES = ("infmcs", "numpy", "scipy", "networkx", "pyarrow", "torch", "rdkit")


def version() -> str:
    """The version of the installed package."""
    return metadata.version("infmcs")


def record(**facts: Any) -> dict[str, Any]:
    """What is worth knowing about this run, as JSON-ready values, plus the given facts (config, seed, digest)."""
    return {
        "command": command(),
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": dict(_versions()),
        "commit": commit(),
        "machine": machine(),
        **facts,
    }


def command() -> str:
    """The command line, with every path cut down to its last part."""
    words = [PurePath(sys.argv[0]).name, *sys.argv[1:]] if sys.argv else []
    return " ".join(PurePath(word).name if os.sep in word else word for word in words)


def machine() -> dict[str, Any]:
    """Kind of processor, cores and system; no host name."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


@functools.cache
def commit() -> str | None:
    """The commit of the checkout this code runs from, with '+' when files differ; None for an installed package."""
    here = Path(__file__).resolve().parent
    try:
        top = _git(here, "rev-parse", "--show-toplevel")
        if not (Path(top) / "src" / "infmcs").is_dir():
            return None
        changed = _git(here, "status", "--porcelain", "--untracked-files=no")
        return _git(here, "rev-parse", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None


def digest(parts: Iterable[Any]) -> str:
    """A short, stable name for data: blake2b over shape, type and content of each part (bytes or arrays)."""
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        view = memoryview(part)
        total.update(f"{view.format}{view.shape}".encode())
        total.update(view.cast("B") if view.nbytes else b"")
    return total.hexdigest()


def generator(seed: int, purpose: str) -> np.random.Generator:
    """A random generator for one purpose. Other purposes under the same seed draw independent numbers."""
    import numpy as np

    word = int.from_bytes(hashlib.blake2b(purpose.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng([seed, word])


@functools.cache
def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _git(folder: Path, *words: str) -> str:
    run = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True, timeout=10)
    return run.stdout.strip()


@functools.cache
def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
