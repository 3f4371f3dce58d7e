"""Work over a whole index: many queries, the neighbours of every graph, what occurs more than once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from infmcs import solve
from infmcs.certify import Question
from infmcs.errors import QuestionError
from infmcs.index import searching
from infmcs.index.contents import Contents
from infmcs.index.result import Result
from infmcs.index.searching import Wishes
from infmcs.index.segment import joined
from infmcs.solve import Budget

T = TypeVar("T")
Progress = Callable[[int], object]


@dataclass(frozen=True)
class Duplicates:
    """Which graphs occur more than once.

    same      groups of ids of isomorphic graphs, each by its smallest.
    near      (id, id, similarity) of graphs of different groups, each group standing by its smallest id; the least
              similarity that is proven.
    complete  near ones are all known.
    """

    same: tuple[tuple[int, ...], ...]
    near: tuple[tuple[int, int, float], ...]
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "same": [list(group) for group in self.same],
            "near": [list(pair) for pair in self.near],
            "complete": self.complete,
        }


def each(
    work: Callable[[T], Result], items: Sequence[T], threads: int, progress: Progress | None = None
) -> list[Result]:
    """The work of each item, in their order; threads share it, for the native search leaves Python alone."""
    if threads < 1:
        raise QuestionError(f"work needs at least one thread, not {threads}")
    found: list[Result] = []
    if threads == 1:
        for item in items:
            found.append(work(item))
            if progress is not None:
                progress(len(found))
        return found
    pool = ThreadPoolExecutor(threads)
    try:
        for result in pool.map(work, items):
            found.append(result)
            if progress is not None:
                progress(len(found))
    finally:
        pool.shutdown(cancel_futures=True)
    return found


def neighbours(
    contents: Contents, wishes: Wishes, budget: Budget, threads: int, progress: Progress | None
) -> dict[int, Result]:
    """The graphs most similar to each, without itself."""

    def of(place: int) -> Result:
        others = contents.alive.copy()
        others[place] = False
        return searching.search(contents, None, contents.graph(place), wishes, others, budget)

    places = np.flatnonzero(contents.alive).tolist()
    found = each(of, places, threads, progress)
    return {int(contents.ids[place]): result for place, result in zip(places, found, strict=True)}


def duplicates(
    contents: Contents,
    threshold: float,
    question: Question,
    budget: Budget,
    threads: int,
    progress: Progress | None,
) -> Duplicates:
    """Isomorphic graphs by their classes; near ones by a threshold search for one graph of each class."""
    places = np.flatnonzero(contents.alive)
    if not len(places):
        return Duplicates((), (), True)
    parts = []
    for segment, start in zip(contents.segments, contents.starts, strict=False):
        here = places[(places >= start) & (places < start + len(segment))] - start
        if len(here):
            parts.append((segment, here))
    classes = solve.classes(joined(parts), question)
    groups: dict[int, list[int]] = {}
    for place, kind in zip(places.tolist(), classes.tolist(), strict=True):
        groups.setdefault(kind, []).append(place)
    same = tuple(tuple(int(contents.ids[place]) for place in group) for group in groups.values() if len(group) > 1)
    if threshold == 1:
        return Duplicates(same, (), True)
    heads = sorted(group[0] for group in groups.values())
    wishes = replace(
        Wishes.of(None, threshold, "mcs", question, exact=True, ties=False, order="bounds"),
    )

    def after(place: int) -> Result:
        chosen = np.zeros(len(contents), bool)
        chosen[[head for head in heads if head > place]] = True
        return searching.search(contents, None, contents.graph(place), wishes, chosen, budget)

    found = each(after, heads, threads, progress)
    near = tuple(
        (int(contents.ids[head]), hit.id, hit.lower)
        for head, result in zip(heads, found, strict=True)
        for hit in result
        if hit.lower >= threshold
    )
    return Duplicates(same, near, all(result.complete for result in found))
