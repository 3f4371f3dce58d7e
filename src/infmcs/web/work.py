"""Work in threads: so many at a time, so many waiting, each ended when its client leaves or its time is over.

Each kind of work has workers of its own, so that a picture does not wait behind a hundred searches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

from fastapi import Request

from infmcs.solve.stopping import Stoppable, Stopped
from infmcs.web.limits import Limits
from infmcs.web.metrics import Metrics
from infmcs.web.problems import RefusedError

T = TypeVar("T")
Kind: TypeAlias = Literal["search", "pair", "look"]
GRACE = 2.0  # seconds beyond its budget in which work has to come to its end


class GoneError(Exception):
    """The client left before its answer was ready."""


@dataclass
class Lane:
    """The workers of one kind of work, and how many wait for one."""

    free: asyncio.Semaphore
    waiting: int = 0


class Workshop:
    """Answers in the making. `answer` waits for one while watching its client."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._limits, self._metrics = limits, metrics
        kinds: tuple[Kind, ...] = get_args(Kind)
        self._threads = ThreadPoolExecutor(limits.workers * len(kinds), thread_name_prefix="infmcs")
        self._lanes = {kind: Lane(asyncio.Semaphore(limits.workers)) for kind in kinds}
        self._running: set[Stoppable] = set()
        self.closed = False

    @property
    def running(self) -> int:
        """Answers that are worked on."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Requests that wait for a worker."""
        return sum(lane.waiting for lane in self._lanes.values())

    async def answer(
        self, request: Request, work: Callable[[], T], seconds: float | None = None, kind: Kind = "look"
    ) -> T:
        """What the work gives. A client that leaves ends it, and so does time; without room, `RefusedError` (503)."""
        gone = asyncio.ensure_future(_left(request))
        task = asyncio.ensure_future(self._do(work, (seconds or self._limits.seconds) + GRACE, self._lanes[kind]))
        try:
            await asyncio.wait({gone, task}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            self._metrics.count("infmcs_abandoned_total")
            raise GoneError
        except asyncio.CancelledError:  # so does a stream's end when its client leaves
            self._metrics.count("infmcs_abandoned_total")
            raise
        finally:
            for one in (gone, task):
                one.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await one

    async def _do(self, work: Callable[[], T], seconds: float, lane: Lane) -> T:
        await self._enter(lane)
        stoppable = Stoppable()
        self._running.add(stoppable)
        loop = asyncio.get_running_loop()
        finished = loop.run_in_executor(self._threads, _guarded, stoppable, work)

        def leave(_: asyncio.Future[Any]) -> None:
            self._running.discard(stoppable)
            lane.free.release()

        finished.add_done_callback(leave)
        try:
            done, value = await asyncio.wait_for(asyncio.shield(finished), seconds)
        except TimeoutError:
            self._metrics.count("infmcs_overtime_total")
            stoppable.stop()
            raise RefusedError(
                503, f"there was no answer within {seconds:g} seconds", "ask for less, or later"
            ) from None
        except asyncio.CancelledError:
            stoppable.stop()
            finished.add_done_callback(lambda one: one.cancelled() or one.exception())
            raise
        if not done:
            raise RefusedError(503, "the service is stopping")
        return cast(T, value)

    async def _enter(self, lane: Lane) -> None:
        if self.closed:
            raise RefusedError(503, "the service is stopping")
        if lane.free.locked() and lane.waiting >= self._limits.queue:
            self._metrics.count("infmcs_overload_total")
            raise RefusedError(503, f"{lane.waiting} requests are waiting already", "come back in a moment")
        lane.waiting += 1
        try:
            async with asyncio.timeout(self._limits.patience):  # not wait_for, which may swallow a client's leaving
                await lane.free.acquire()
        except TimeoutError:
            self._metrics.count("infmcs_overload_total")
            raise RefusedError(
                503, f"no worker was free within {self._limits.patience:g} seconds", "come back in a moment"
            ) from None
        finally:
            lane.waiting -= 1

    def close(self) -> None:
        """End all work and let the threads go."""
        self.closed = True
        for stoppable in list(self._running):
            stoppable.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)


def _guarded(stoppable: Stoppable, work: Callable[[], T]) -> tuple[bool, Any]:
    """Whether the work came to its end, and what it gave: `Stopped` must not reach the event loop."""
    try:
        return True, stoppable.run(work)
    except Stopped:
        return False, None


async def _left(request: Request) -> None:
    """Returns when the client of a request, whose body has been read, is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
