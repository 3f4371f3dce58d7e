"""Giving memory back: what a burst of work has freed, the C library keeps for the next one unless it is told."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import Callable

PAUSE = 2.0  # seconds between looks


async def given_back(busy: Callable[[], bool], done: Callable[[], int]) -> None:
    """Whenever there has been work and there is none now, return what it left to the system. Ends when cancelled."""
    before = done()
    while True:
        await asyncio.sleep(PAUSE)
        now = done()
        if now != before and not busy():
            before = now
            await asyncio.to_thread(_give_back)


def _give_back() -> None:
    gc.collect()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return  # another C library than GNU's
    trim(0)
