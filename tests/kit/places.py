"""Where the real data sets are. Tests skip without them, or fail where INFMCS_REQUIRE_DATA asks for that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def real_data(*parts: str) -> Path:
    """A file or folder below INFMCS_DATA; skips the test, or fails it, when it is not there."""
    root = os.environ.get("INFMCS_DATA")
    path = Path(root, *parts) if root else None
    if path is not None and path.exists():
        return path
    what = f"{'/'.join(parts)} is not below INFMCS_DATA" if root else "INFMCS_DATA is not set"
    if os.environ.get("INFMCS_REQUIRE_DATA"):
        pytest.fail(what)
    pytest.skip(what)
