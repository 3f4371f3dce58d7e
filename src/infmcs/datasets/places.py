"""Where data sets are on this machine: below INFMCS_DATA, else in the user's cache folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from infmcs.errors import DatasetError

VARIABLE = "INFMCS_DATA"


def roots() -> list[Path]:
    """The folders that are searched, in this order."""
    given = os.environ.get(VARIABLE)
    return [*([Path(given)] if given else []), cache() / "data"]


def cache() -> Path:
    """The folder where this user's programs keep what they can make again."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "infmcs"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "infmcs"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path.home() / ".cache") / "infmcs"


def find(file: str) -> Path | None:
    """The file of that name (FOLDER/FILE) below the first root that has it."""
    return next((root / file for root in roots() if (root / file).is_file()), None)


def require(name: str, file: str) -> Path:
    """`find`, or the error that says where it was looked for."""
    found = find(file)
    if found is None:
        raise DatasetError(
            f"{name}: {file} is in none of {', '.join(map(str, roots()))}",
            hint=f"set {VARIABLE} to the folder that holds {file.split('/')[0]}/; see `infmcs datasets`",
        )
    return found
