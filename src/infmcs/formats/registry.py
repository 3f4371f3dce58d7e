"""Which formats there are, and which one a file is: by its name where that decides, else by its first bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats import (
    adjacency,
    attributed,
    chem,
    gexf,
    gml,
    graph6,
    graphml,
    gxl,
    jsonlines,
    store,
    text,
    tu,
)
from infmcs.formats.container import MAGIC
from infmcs.formats.packing import Packer
from infmcs.formats.source import ARCHIVE_SUFFIXES, HEAD, PACKED_SUFFIXES, Member, Source
from infmcs.formats.target import Files


@dataclass(frozen=True)
class Format:
    """One format: how it is recognised, read and written.

    suffixes   names that decide by themselves; `sniffed` decides for all others, from the first bytes
    graphs     adds one file's graphs to a packer; or
    whole      reads these members of a source together, where several files belong together
    options    what `read` may be told about this format
    files      gives a collection as files: their names and their bytes, one piece a graph; or
    save       writes a collection to a path
    holds      what of a collection survives beside nodes and edges; of anything else `write` warns
    several    whether it takes one file a graph
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    sniffed: Callable[[bytes], bool] | None = None
    graphs: Callable[..., None] | None = None
    whole: Callable[..., Collection] | None = None
    options: frozenset[str] = frozenset()
    files: Callable[[Collection, str], Files] | None = None
    save: Callable[[Collection, str], None] | None = None
    holds: frozenset[str] = frozenset()
    several: bool = False

    def read(self, source: Source, members: list[Member], options: dict[str, Any]) -> Collection:
        """The graphs of these members."""
        if self.whole is not None:
            return self.whole(source, members, **options)
        assert self.graphs is not None
        packing = {key: options.pop(key) for key in ("first_node", "directed") if key in options}
        packer = Packer(source, **packing)
        for member in members:
            before = len(packer)
            self.graphs(member, packer, **options)
            if len(packer) == before:
                raise member.error("holds no graph", hint=f"it was read as {self.name} ({self.title})")
        return packer.collection()


PACKING = frozenset({"first_node", "directed"})
EVERYTHING = frozenset({"labels", "edge labels", "features", "directions", "names", "columns"})


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    """Whether a file begins so. Repeats must be possessive: forty blank lines held a pattern up for ever."""
    compiled = re.compile(pattern)
    return lambda head: compiled.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _xml(roots: str) -> Callable[[bytes], bool]:
    """Whether the first element is one of these; UTF-16 too, which XML may be in."""
    compiled = re.compile(rf"\s*+(?:<[?!][^<>]*+>\s*+)*+<([\w.-]+:)?({roots})[\s/>]")

    def sniffed(head: bytes) -> bool:
        utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
        start = head.decode("utf-16" if utf16 else "utf-8-sig", errors="ignore")
        return compiled.match(start) is not None

    return sniffed


_ALL = (
    Format(
        "store",
        "our own store",
        (".infmcs",),
        lambda head: head.startswith(MAGIC),
        whole=store.read,
        save=store.write,
        holds=EVERYTHING,
    ),
    Format(
        "tu",
        "TU data set",
        whole=tu.read,
        options=frozenset({"directed"}),
        files=tu.files,
        holds=frozenset({"labels", "edge labels", "features", "columns"}),
        several=True,
    ),
    Format("acfg", "control-flow graphs, JSON lines", (), _begins(rb'\s*\{.*"succs"\s*:'), jsonlines.read_acfg),
    Format(
        "jsonl",
        "JSON lines",
        (".jsonl", ".ndjson"),
        _begins(rb'\s*\{\s*"'),
        jsonlines.read_graphs,
        options=PACKING,
        files=jsonlines.graph_files,
        holds=EVERYTHING,
    ),
    Format(
        "gspan",
        "t # / v / e lines",
        (".gspan",),
        _begins(rb"(?:[ \t\r]*+(?:[#%][^\n]*+)?\n)*+[ \t]*+t(?: #)? \S"),
        text.read_gspan,
        options=PACKING,
        files=text.gspan_files,
        holds=frozenset({"labels", "edge labels", "names"}),
    ),
    Format(
        "gxl",
        "GXL with .cxl lists, as the IAM sets",
        (".gxl", *gxl.LISTS),
        _xml("gxl|GraphCollection"),
        whole=gxl.read,
        options=attributed.OPTIONS,
        files=gxl.files,
        holds=EVERYTHING,
        several=True,
    ),
    Format(
        "graphml",
        "GraphML",
        (".graphml",),
        _xml("graphml"),
        whole=graphml.read,
        options=attributed.OPTIONS,
        files=graphml.files,
        holds=EVERYTHING,
    ),
    Format(
        "gexf",
        "GEXF, as Gephi writes it",
        (".gexf",),
        _xml("gexf"),
        whole=gexf.read,
        options=attributed.OPTIONS,
        files=gexf.files,
        holds=frozenset({"labels", "edge labels", "features", "directions", "names"}),
        several=True,
    ),
    Format(
        "gml",
        "GML",
        (".gml",),
        _begins(rb"(?:\s*+(?:#|Creator|Version|comment)[^\n]*+\n)*+\s*+graph\s*+\["),
        whole=gml.read,
        options=attributed.OPTIONS,
        files=gml.files,
        holds=EVERYTHING,
    ),
    Format(
        "graph6",
        "graph6, digraph6 and sparse6 lines",
        (".g6", ".graph6", ".d6", ".digraph6"),
        _begins(rb">>(graph6|sparse6|digraph6)<<"),
        graph6.read,
        files=graph6.files,
        holds=frozenset({"directions"}),
    ),
    Format("sparse6", "sparse6 lines", (".s6", ".sparse6"), graphs=graph6.read, files=graph6.sparse_files),
    Format(
        "edgelist",
        "an edge a line",
        (".edgelist", ".edges", ".el"),
        graphs=adjacency.read_edges,
        options=PACKING,
        files=adjacency.edge_files,
        holds=frozenset({"edge labels", "names"}),
        several=True,
    ),
    Format(
        "lad",
        "LAD: a line of neighbours a node",
        (".lad",),
        graphs=adjacency.read_lad,
        options=PACKING,
        files=adjacency.lad_files,
        holds=frozenset({"labels", "edge labels", "names"}),
        several=True,
    ),
    Format("smiles", "SMILES", (".smi", ".smiles"), graphs=chem.read_smiles, options=frozenset({"hydrogens"})),
    Format(
        "sdf",
        "SDF and MOL molecules",
        (".sdf", ".sd", ".mol"),
        _begins(rb"(?s)[^\n]*\n[^\n]*\n[^\n]*\n[^\n]*V[23]000"),
        whole=chem.read_sdf,
        options=frozenset({"hydrogens"}),
    ),
)
FORMATS: dict[str, Format] = {each.name: each for each in _ALL}
BY_SUFFIX = {suffix: each for each in _ALL for suffix in each.suffixes}
NOT_GRAPHS = re.compile(
    r"(?i)(^|/)(\.|__MACOSX/|readme|licen[cs]e|copying|changelog|citation)|\.(md|rst|npy|npz|png|pdf|py)$"
)


def named(name: str, source: Source) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise source.error(f"{name!r} is no format", hint=f"formats are {', '.join(sorted(FORMATS))}")
    return FORMATS[name]


def for_writing(path: str, name: str | None) -> Format:
    """The format of that name, else the one the path's suffix asks for; it must be one that can be written."""
    writable = [each for each in _ALL if each.files or each.save]
    known = ", ".join(sorted(each.name for each in writable))
    if name is not None:
        kind = FORMATS.get(name)
        if kind is None:
            raise FormatError(f"{name!r} is no format", path=path, hint=f"formats that can be written are {known}")
    else:
        plain = path.lower()
        for suffix in (*PACKED_SUFFIXES, ".zip"):
            plain = plain.removesuffix(suffix)
        suffix = PurePosixPath(plain).suffix
        kind = BY_SUFFIX.get(suffix, FORMATS.get(suffix[1:]))
        if kind is None:
            suffixes = ", ".join(each.suffixes[0] for each in writable if each.suffixes)
            raise FormatError(
                "no format could be told from the name",
                path=path,
                hint=f"end it in {suffixes} or .tu.zip; or name one of {known}",
            )
    if kind not in writable:
        raise FormatError(f"{kind.name} ({kind.title}) is read, not written", path=path, hint=f"write one of {known}")
    if kind.save and path.lower().endswith((*PACKED_SUFFIXES, ".zip")):
        raise FormatError("a store is mapped, so it is not packed", path=path, hint="leave the last suffix away")
    return kind


def detected(source: Source) -> tuple[Format, list[Member]]:
    """The format of a source and the members that have it. Files that are plainly no graphs do not count."""
    if source.kind == "file":
        (member,) = source.members
        head = member.head()
        if not head.strip() and len(head) < HEAD:
            raise source.error("is empty")
        found = of_member(member)
        if found is None:
            raise _unknown(source, member)
        return found, source.members
    if tu.sets(source.members):
        return FORMATS["tu"], source.members
    kinds = {member: kind for member in source.members if (kind := of_member(member))}
    names = sorted({kind.name for kind in kinds.values()})
    if not kinds:
        inner = [member.path for member in source.members if member.name.lower().endswith(ARCHIVE_SUFFIXES)]
        raise source.error(
            f"none of its {len(source.members)} files is in a known format",
            hint=f"archives inside are not opened; read {inner[0]} itself"
            if inner
            else f"formats are {', '.join(sorted(FORMATS))}; name one with format=",
        )
    if len(names) > 1:
        raise source.error(f"holds files of several formats: {', '.join(names)}", hint="name one with format=")
    return FORMATS[names[0]], list(kinds)


def of_format(source: Source, wanted: Format) -> list[Member]:
    """The members to read when the format is given: of a folder or archive those that look like it, if any do."""
    if source.kind == "file" or wanted.whole is not None:
        return source.members
    alike = [member for member in source.members if of_member(member) is wanted]
    return alike or [member for member in source.members if not NOT_GRAPHS.search(member.path)]


def of_member(member: Member) -> Format | None:
    """The format of one file, or None."""
    if member.source.kind != "file" and NOT_GRAPHS.search(member.path):
        return None
    suffix = PurePosixPath(member.name).suffix.lower()
    by_name = BY_SUFFIX.get(suffix)
    if by_name is not None and by_name.name != "jsonl":
        return by_name
    head = member.head()
    for each in _ALL:
        if each.sniffed is not None and each.sniffed(head):
            return each
    return by_name


def _unknown(source: Source, member: Member) -> FormatError:
    head = member.head()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.error("is UTF-16 text, expected UTF-8", hint="convert it first: iconv -f utf-16 -t utf-8")
    return source.error(
        "is in no format that could be recognised",
        hint=f"formats are {', '.join(sorted(FORMATS))}; name one with format=",
    )
