"""Ending work that nobody waits for any more: what Ctrl-C is to the main thread, for any other."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

from infmcs import _native

T = TypeVar("T")


class Stopped(KeyboardInterrupt):
    """The work was no longer wanted. Like Ctrl-C, it passes through `except Exception`."""


class Stoppable:
    """Work in one thread that any other may end: searches within 20 ms, and Python code at its next step.

    `run` raises `Stopped` in the working thread once `stop` was called; what it had found out is dropped. Where Python
    drops the exception instead (in a destructor, in a callback of the garbage collector), the next search ends it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopped

    def stop(self) -> None:
        """End the work, or keep it from beginning. Work that has ended is left alone."""
        with self._lock:
            self._stopped = True
            if self._thread is not None:
                _native.stop_thread(self._thread, True)
                _raise_in(self._thread, Stopped)

    def run(self, work: Callable[[], T]) -> T:
        """What the work gives; `Stopped` if it was stopped."""
        try:
            with self._lock:
                if self._stopped:
                    raise Stopped
                self._thread = threading.get_ident()
            return work()
        except KeyboardInterrupt:
            if self._stopped:
                raise Stopped from None
            raise
        finally:
            self._leave()

    def _leave(self) -> None:
        """Nothing that was meant for this work may reach what the thread does next."""
        while True:
            try:
                with self._lock:
                    if self._thread is not None:
                        _native.stop_thread(self._thread, False)
                        _raise_in(self._thread, None)
                        self._thread = None
                return
            except Stopped:
                continue


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    raised = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
