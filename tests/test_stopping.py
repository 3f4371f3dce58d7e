"""Work that nobody waits for is ended from another thread, in the core and in Python, and leaves its thread clean."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from infmcs import Collection, Graph, solve
from infmcs.solve.stopping import Stoppable, Stopped


def hard_pair() -> tuple[Graph, Graph]:
    """Two unlabelled random graphs whose largest common subgraph takes hours to prove."""
    draw = np.random.default_rng(5)
    dense = [np.argwhere(np.triu(draw.random((60, 60)) < 0.5, 1)) for _ in range(2)]
    return Graph.from_edges(60, dense[0]), Graph.from_edges(60, dense[1])


def one_search() -> None:
    solve.max_common_subgraph(*hard_pair())


def many_searches() -> None:
    a, b = hard_pair()
    solve.pairs(Collection.from_graphs([a, b]), pairs=[(0, 1)] * 3)


def one_distance() -> None:
    solve.edit_distance(*hard_pair())


def python_alone() -> None:
    while True:
        time.sleep(0.001)


@pytest.mark.parametrize("work", [one_search, many_searches, one_distance, python_alone])
def test_work_in_another_thread_ends_when_it_is_stopped(work: Callable[[], None]) -> None:
    seen: list[Any] = []
    stoppable = Stoppable()

    def labour() -> None:
        try:
            stoppable.run(work)
        except Stopped as stopped:
            seen.append(stopped)
        small = Graph.from_edges(3, [(0, 1), (1, 2)])
        seen.append(solve.max_common_subgraph(small, small).lower)  # the thread is as good as new

    thread = threading.Thread(target=labour)
    thread.start()
    time.sleep(0.1)
    assert thread.is_alive()
    stoppable.stop()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert isinstance(seen[0], Stopped)
    assert seen[1] == 3


def test_work_that_was_stopped_before_it_began_does_not_begin() -> None:
    stoppable = Stoppable()
    stoppable.stop()
    with pytest.raises(Stopped):
        stoppable.run(lambda: pytest.fail("it began"))


def test_work_that_ended_is_left_alone() -> None:
    stoppable = Stoppable()
    assert stoppable.run(lambda: 7) == 7
    stoppable.stop()
    assert stoppable.stopped
    node = Graph.from_edges(1, [])
    assert solve.max_common_subgraph(node, node).proved


def test_an_error_of_the_work_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        Stoppable().run(lambda: 1 // 0)
