"""The names of labels. A label is any string, number or tuple of those; arrays hold codes into a `Vocabulary`.

Two graphs made apart have different codes for the same name; they are compared through ids, which stand for one name
in the whole process.
"""

from __future__ import annotations

import numbers
import threading
from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from infmcs.errors import GraphError

Name: TypeAlias = "str | int | float | tuple[Name, ...] | None"
Ids: TypeAlias = npt.NDArray[np.int32]


class Vocabulary:
    """The names behind the label codes of nodes and of edges. The name None stands for 'no label'."""

    __slots__ = ("__dict__", "edges", "nodes")

    def __init__(self, nodes: Iterable[Any] = (None,), edges: Iterable[Any] = ()) -> None:
        self.nodes: tuple[Name, ...] = tuple(name_of(name) for name in nodes)
        self.edges: tuple[Name, ...] = tuple(name_of(name) for name in edges)
        for names in (self.nodes, self.edges):
            if len(set(names)) < len(names):
                raise GraphError(f"a vocabulary names a label twice: {_first_repeated(names)!r}")

    @cached_property
    def node_ids(self) -> Ids:
        """For each node label code, a number that stands for its name in this whole process."""
        return _ids(self.nodes)

    @cached_property
    def edge_ids(self) -> Ids:
        """For each edge label code, a number that stands for its name in this whole process."""
        return _ids(self.edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self is other or (self.nodes == other.nodes and self.edges == other.edges)

    def __hash__(self) -> int:
        return hash((self.nodes, self.edges))

    def __repr__(self) -> str:
        return f"Vocabulary({len(self.nodes)} node labels, {len(self.edges)} edge labels)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self.nodes, self.edges)


def name_of(name: Any) -> Name:
    """A label name in its one form: equal labels are equal names (numpy's 6, 6.0 and 6 are all 6; '6' is not)."""
    if name is None or type(name) is str or type(name) is int:
        return cast(Name, name)
    if isinstance(name, np.generic):
        return name_of(name.item())
    if isinstance(name, str):
        return str(name)
    if isinstance(name, numbers.Integral):
        return int(name)
    if isinstance(name, numbers.Real):
        value = float(name)
        if value != value:
            raise GraphError("a label is NaN, which equals nothing, itself included")
        return int(value) if value.is_integer() else value
    if isinstance(name, tuple | list):
        return tuple(name_of(part) for part in name)
    raise GraphError(
        f"{name!r} cannot be a label", hint="labels are strings, numbers, tuples of those, or None for no label"
    )


_numbers: dict[Name, int] = {None: 0}
_numbers_lock = threading.Lock()


def _ids(names: tuple[Name, ...]) -> Ids:
    with _numbers_lock:
        return np.array([_numbers.setdefault(name, len(_numbers)) for name in names], np.int32)


def _first_repeated(names: tuple[Name, ...]) -> Name:
    return next(name for i, name in enumerate(names) if name in names[:i])


UNLABELLED = Vocabulary()
