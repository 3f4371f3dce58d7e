"""Random choices that are the same everywhere and for ever: the order of places by a hash, and the lists made from it.

No library's random numbers: their streams change between versions. The lists the study needs are stored as well, in
`lists.json`; a test compares them with what this module computes.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Places: TypeAlias = npt.NDArray[np.int64]

AIDS_ELIGIBLE, AIDS_DRAWN = 1610, 1500
STORED = Path(__file__).with_name("lists.json")


def order(count: int, seed: int, purpose: str) -> Places:
    """A random order of 0..count-1: by the hash of seed, purpose and place."""
    start = hashlib.blake2b(f"{seed}/{purpose}/".encode(), digest_size=8)
    keys = np.empty(count, np.uint64)
    for place in range(count):
        here = start.copy()
        here.update(b"%d" % place)
        keys[place] = int.from_bytes(here.digest(), "big")
    return np.argsort(keys, kind="stable")


def drawn() -> Places:
    """The 1,500 of the graphs with 2–15 nodes that make up `aids`, ascending. The paper's own draw is not published."""
    return np.sort(order(AIDS_ELIGIBLE, 0, "aids")[:AIDS_DRAWN])


@cache
def stored() -> dict[str, Any]:
    """The stored lists: `aids`, and for SET/PROTOCOL/SEED one letter a graph, t(rain), v(alidation) or x for test."""
    lists: dict[str, Any] = json.loads(STORED.read_text())
    return lists
