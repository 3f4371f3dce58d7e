"""A record says where a result comes from, and names no place of the machine that made it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from infmcs import provenance


def test_a_record_is_json_and_names_no_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "infmcs"), "stats", str(tmp_path / "graphs.json"), "--json"])
    text = json.dumps(provenance.record(seed=7, digest="abc"))
    record = json.loads(text)
    assert record["command"] == "infmcs stats graphs.json --json"
    assert (record["seed"], record["digest"]) == (7, "abc")
    assert str(tmp_path) not in text
    assert os.uname().nodename not in text or len(os.uname().nodename) < 3
    assert record["versions"]["infmcs"] == provenance.version()
    assert record["commit"] is None or len(record["commit"].rstrip("+")) == 40


def test_a_digest_sees_content_type_and_shape() -> None:
    zeros = np.zeros(4, np.int32)
    different: list[list[Any]] = [
        [zeros],
        [zeros.reshape(2, 2)],
        [zeros.astype(np.int64)],
        [zeros[:2], zeros[2:]],
        [zeros + 1],
        [b""],
    ]
    assert len({provenance.digest(parts) for parts in different}) == len(different)
    assert provenance.digest([zeros]) == provenance.digest([zeros.copy()])


def test_generators_repeat_by_seed_and_differ_by_purpose() -> None:
    def draw(seed: int, purpose: str) -> tuple[float, ...]:
        return tuple(provenance.generator(seed, purpose).random(3))

    assert draw(1, "split") == draw(1, "split")
    assert len({draw(seed, purpose) for seed in (1, 2) for purpose in ("split", "pairs")}) == 4
