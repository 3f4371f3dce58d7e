"""Graphs one after another into flat arrays, checked in bulk at the end, without making `Graph` objects on the way."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection, Texts
from infmcs.errors import FormatError, GraphError
from infmcs.formats.source import Member, Source
from infmcs.vocabulary import Name, Vocabulary, name_of


class Packer:
    """Takes the graphs of a source and gives their `Collection`. An error names the file, the line and the graph.

    first_node   the number of the first node in the file's edges
    directed     True or False to read every graph so; None to read each as its file says
    """

    def __init__(self, source: Source, first_node: int = 0, directed: bool | None = None) -> None:
        if first_node not in (0, 1):
            raise source.error(f"first_node must be 0 or 1, not {first_node!r}")
        self.source = source
        self.first_node = first_node
        self.forced = directed
        self._directed: bool | None = directed
        self._sizes, self._counts, self._ends = array("q"), array("q"), array("i")
        self._labels, self._edge_labels, self._features = array("i"), array("i"), array("f")
        self._node_codes, self._edge_codes = _Codes(), _Codes()
        self._nodes = self._edges = 0
        self._labelled = self._edge_labelled = self._named = False
        self._width: int | None = None
        self._names: list[str | None] = []
        self._columns: dict[str, list[Any]] = {}
        self._lines, self._members = array("q"), array("q")
        self._known_members: dict[int, int] = {}
        self._member_list: list[Member] = []

    def __len__(self) -> int:
        return len(self._sizes)

    def add(
        self,
        member: Member,
        size: int,
        ends: Sequence[int],
        *,
        labels: Sequence[Any] | None = None,
        edge_labels: Sequence[Any] | None = None,
        features: Sequence[Sequence[float]] | None = None,
        name: str | None = None,
        columns: Mapping[str, Any] | None = None,
        directed: bool = False,
        line: int | None = None,
    ) -> None:
        """One graph more. `ends` are the edges' ends, first and second in turn, numbered as in the file."""
        self._lines.append(0 if line is None else line)
        self._members.append(self._member(member))
        self._check_direction(directed)
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            self._fail(f"the number of nodes must be a count, not {size!r:.60}")
        self._nodes += size
        if self._nodes > self.source.limits.nodes:
            self._fail(
                f"the graphs have more than {self.source.limits.nodes:,} nodes",
                hint="if you trust the file, raise the limit: Limits(nodes=...)",
            )
        count = len(ends) // 2
        self._sizes.append(size)
        self._counts.append(count)
        try:
            self._ends.extend(ends)
        except TypeError:
            self._fail(f"an edge names a node by {self._first_odd(ends)!r:.60}, expected a whole number")
        except OverflowError:
            self._fail("an edge names a node by a number beyond 2147483647")
        self._add_labels(size, labels)
        self._add_edge_labels(count, edge_labels)
        self._edges += count
        self._add_features(size, features)
        self._names.append(name)
        self._named |= name is not None
        self._add_columns(columns or {})

    def _member(self, member: Member) -> int:
        if id(member) not in self._known_members:
            self._known_members[id(member)] = len(self._member_list)
            self._member_list.append(member)
        return self._known_members[id(member)]

    def _check_direction(self, directed: bool) -> None:
        if self.forced is not None:
            return
        if self._directed is None:
            self._directed = directed
        elif directed != self._directed:
            self._fail(
                f"the graph is {'' if directed else 'un'}directed, those before are not",
                hint="directed=False drops all directions",
            )

    def _add_labels(self, size: int, labels: Sequence[Any] | None) -> None:
        if labels is None:
            if self._labelled:
                self._labels.extend([self._node_codes[None]] * size)
            return
        if len(labels) != size:
            self._fail(f"{len(labels)} node labels for {size} nodes")
        if not self._labelled:
            self._labelled = True
            self._labels.frombytes(bytes(4 * (self._nodes - size)))  # those before have the label None, code 0
            if self._nodes > size:
                self._node_codes[None]
        self._labels.extend(self._coded(self._node_codes, labels, "node"))

    def _add_edge_labels(self, count: int, labels: Sequence[Any] | None) -> None:
        if labels is None:
            if self._edge_labelled:
                self._edge_labels.extend([self._edge_codes[None]] * count if count else [])
            return
        if len(labels) != count:
            self._fail(f"{len(labels)} edge labels for {count} edges")
        if not self._edge_labelled:
            self._edge_labelled = True
            self._edge_labels.frombytes(bytes(4 * self._edges))
            if self._edges:
                self._edge_codes[None]
        self._edge_labels.extend(self._coded(self._edge_codes, labels, "edge"))

    def _coded(self, codes: _Codes, labels: Sequence[Any], what: str) -> list[int]:
        try:
            return [codes[label] for label in labels]
        except TypeError:  # a list in JSON stands for a tuple
            pass
        except GraphError as error:
            self._fail(f"{what} label: {error.message}", hint=error.hint)
        try:
            return [codes[name_of(label)] for label in labels]
        except (GraphError, RecursionError, OverflowError) as error:
            self._fail(f"{what} label: {error.message if isinstance(error, GraphError) else error}")

    def _add_features(self, size: int, rows: Sequence[Sequence[float]] | None) -> None:
        if rows is None:
            if self._width is not None and size:
                self._fail(f"the graph has no node features, those before have {self._width} a node")
            return
        try:
            widths = set(map(len, rows))
        except TypeError:
            self._fail("node features must be one row of numbers a node")
        if len(rows) != size or len(widths) > 1:
            self._fail(f"node features must be {size} rows of one length, one a node")
        if not widths:
            return
        (width,) = widths
        if self._width is None:
            if self._nodes > size:
                self._fail("the graph has node features, those before have none")
            self._width = width
        if width != self._width:
            self._fail(f"the graph has {width} features a node, those before {self._width}")
        try:
            self._features.extend(itertools.chain.from_iterable(rows))
        except (TypeError, OverflowError):
            self._fail("a node feature is not a number within float32")

    def _add_columns(self, columns: Mapping[str, Any]) -> None:
        here = len(self) - 1
        if here and columns.keys() != self._columns.keys():
            odd = min(columns.keys() ^ self._columns.keys())
            what = ("has", "lack") if odd in columns else ("lacks", "have")
            self._fail(f"the graph {what[0]} {odd!r}, which those before {what[1]}")
        for key, value in columns.items():
            self._columns.setdefault(key, []).append(value)

    def packed(
        self,
        member: Member,
        sizes: npt.NDArray[Any],
        counts: npt.NDArray[Any],
        ends: npt.NDArray[Any],
        *,
        labels: Sequence[Any] | None = None,
        edge_labels: Sequence[Any] | None = None,
        features: npt.NDArray[Any] | None = None,
        columns: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> Collection:
        """The collection of graphs that are packed already: edges counted from 0 in each graph, graph by graph."""
        self._directed = bool(self.forced)
        self._lines.frombytes(bytes(8 * len(sizes)))
        self._members.extend([self._member(member)] * len(sizes))
        self._nodes, self._edges = int(sizes.sum()), int(counts.sum())
        self._sizes.frombytes(sizes.astype(np.int64).tobytes())
        self._counts.frombytes(counts.astype(np.int64).tobytes())
        self._ends.frombytes(ends.astype(np.int32).tobytes())
        if labels is not None:
            self._labelled = True
            self._labels.extend(self._coded(self._node_codes, labels, "node"))
        if edge_labels is not None:
            self._edge_labelled = True
            self._edge_labels.extend(self._coded(self._edge_codes, edge_labels, "edge"))
        if features is not None:
            self._width = features.shape[1]
            with np.errstate(over="ignore"):  # beyond float32 is infinite, which the check below refuses
                self._features.frombytes(features.astype(np.float32).tobytes())
        self._names = [None] * len(sizes)
        self._columns = {key: values.tolist() for key, values in (columns or {}).items()}
        return self.collection()

    # -- the end -------------------------------------------------------------------------------------------------

    def collection(self) -> Collection:
        """All graphs taken, checked."""
        if not len(self):
            raise self.source.error("holds no graph")
        sizes = np.frombuffer(self._sizes, np.int64)
        counts = np.frombuffer(self._counts, np.int64)
        ends = np.frombuffer(self._ends, np.int32) if self._edges else np.zeros(0, np.int32)
        owner = np.repeat(np.arange(len(self)), counts)
        edges = ends.reshape(-1, 2) - np.int32(self.first_node) if self.first_node else ends.reshape(-1, 2)
        self._check_ends(edges, owner, sizes)
        codes = np.frombuffer(self._edge_labels, np.int32) if self._edge_labelled and self._edges else None
        if codes is None and self._edge_labelled:
            codes = np.zeros(0, np.int32)
        edges, codes, owner = self._tidied(edges, codes, owner)
        labels = (
            np.frombuffer(self._labels, np.int32) if self._labelled and self._nodes else np.zeros(self._nodes, np.int32)
        )
        return self._built(sizes, np.bincount(owner, minlength=len(self)), labels, edges, codes)

    def _built(self, sizes: Any, counts: Any, labels: Any, edges: Any, codes: Any) -> Collection:
        features = None
        if self._width is not None:
            features = np.frombuffer(self._features, np.float32) if self._features else np.zeros(0, np.float32)
            features = features.reshape(self._nodes, self._width)
            self._check_features(features, sizes)
        try:
            names = Texts.of(str(i) if name is None else name for i, name in enumerate(self._names))
            for text in itertools.chain(self._node_codes, self._edge_codes, self._columns):
                str(text).encode()
            return Collection.from_arrays(
                node_offsets=np.concatenate(([0], np.cumsum(sizes))),
                edge_offsets=np.concatenate(([0], np.cumsum(counts))),
                labels=labels,
                edges=edges,
                edge_labels=codes,
                features=features,
                directed=bool(self._directed),
                vocabulary=Vocabulary(tuple(self._node_codes) or (None,), tuple(self._edge_codes)),
                names=names if self._named else None,
                columns={key: _column(values) for key, values in self._columns.items()},
            )
        except GraphError as error:
            raise self.source.error(error.message, hint=error.hint) from None
        except UnicodeEncodeError as error:
            raise self.source.error(f"holds half a character, {error.object!r:.60}, that is no Unicode text") from None

    def _check_ends(self, edges: Any, owner: Any, sizes: Any) -> None:
        wrong = (edges.min(axis=1, initial=0) < 0) | (edges.max(axis=1, initial=-1) >= sizes[owner])
        if not wrong.any():
            return
        edge = int(np.argmax(wrong))
        graph, first = int(owner[edge]), self.first_node
        u, v = (int(end) + first for end in edges[edge])
        size = int(sizes[graph])
        missing = u if not first <= u < size + first else v
        span = (
            f"{size} nodes ({first}–{size - 1 + first})" if size > 1 else f"one node ({first})" if size else "no nodes"
        )
        hint = None
        if first == 0 and missing == size:
            hint = "node numbers start at 0; pass first_node=1 if the file counts from 1"
        if first == 1 and missing == 0:
            hint = "first_node=1 was given, but the file seems to count from 0"
        raise self._error(graph, f"edge {u}–{v} names node {missing}, but the graph has {span}", hint)

    def _tidied(self, edges: Any, codes: Any, owner: Any) -> tuple[Any, Any, Any]:
        """Edges sorted within each graph, each once; two labels on one edge are an error."""
        if not self._directed:
            edges = np.sort(edges, axis=1)
        key = edges[:, 0].astype(np.int64) << 32 | edges[:, 1]
        same = owner[1:] == owner[:-1]
        if (same & (key[1:] <= key[:-1])).any():
            order = np.lexsort((key, owner))
            edges, key, owner = edges[order], key[order], owner[order]
            codes = None if codes is None else codes[order]
            again = np.zeros(len(key), bool)
            again[1:] = (key[1:] == key[:-1]) & (owner[1:] == owner[:-1])
            if codes is not None:
                self._refuse_two_labels(edges, codes, owner, again)
                codes = codes[~again]
            edges, owner = edges[~again], owner[~again]
        return edges, codes, owner

    def _refuse_two_labels(self, edges: Any, codes: Any, owner: Any, again: Any) -> None:
        clash = again[1:] & (codes[1:] != codes[:-1])
        if not clash.any():
            return
        k = int(np.argmax(clash))
        names = tuple(self._edge_codes)
        u, v = (int(end) + self.first_node for end in edges[k])
        raise self._error(
            int(owner[k]),
            f"edge {u}–{v} is given twice, with labels {names[codes[k]]!r} and {names[codes[k + 1]]!r}",
            None if self._directed else "if the two directions carry different labels, pass directed=True",
        )

    def _check_features(self, features: Any, sizes: Any) -> None:
        if np.isfinite(features).all():
            return
        node = int(np.argmax(~np.isfinite(features).all(axis=1)))
        graph = int(np.searchsorted(np.cumsum(sizes), node, side="right"))
        start = int(np.sum(sizes[:graph]))
        raise self._error(
            graph, f"a feature of node {node - start + self.first_node} is not a finite number within float32", None
        )

    def _fail(self, message: str, hint: str | None = None) -> NoReturn:
        raise self._error(len(self._lines) - 1, message, hint)

    def _error(self, graph: int, message: str, hint: str | None) -> FormatError:
        member = self._member_list[self._members[graph]]
        return member.error(message, line=self._lines[graph] or None, graph=graph, hint=hint)

    def _first_odd(self, ends: Iterable[Any]) -> Any:
        return next(end for end in ends if not isinstance(end, int))


class _Codes(dict[Any, int]):
    """Label names and their codes, in order of first sight; looking up a new name gives it the next code."""

    def __missing__(self, label: Any) -> int:
        name: Name = name_of(label)
        return self.setdefault(name, len(self))


def _column(values: list[Any]) -> Any:
    if any(isinstance(value, str) for value in values):
        return Texts.of(str(value) for value in values)
    return np.array(values)
