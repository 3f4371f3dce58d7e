"""Molecules through RDKit (extra `chem`): SMILES, one a line, and SDF. They are read, not written: a graph does not say
where hydrogens and charges are.

smiles   `SMILES name`, blanks or a tab between; the rest of the line is the name. A first line that begins with the
         word smiles is a heading.
sdf      molfiles, each ended by `$$$$`. The first line is the name; data fields that every molecule has become columns.
         A .mol file is one molecule.
Node labels are element symbols, edge labels bond kinds; hydrogens=True keeps hydrogens.
"""

from __future__ import annotations

import re
from typing import Any

from infmcs import interchange
from infmcs.collection import Collection
from infmcs.errors import GraphError
from infmcs.formats.attributed import shared_columns
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member, Source
from infmcs.formats.words import label
from infmcs.graph import Graph

LONGEST = 100_000  # characters of a SMILES, lines of a molfile: RDKit's time grows faster than the molecule


def read_smiles(member: Member, packer: Packer, hydrogens: bool = False) -> None:
    """Add every line of a SMILES file."""
    heading = True
    for place, line in member.lines():
        words = member.decoded(line, place).split(maxsplit=1)
        if not words or words[0].startswith("#"):
            continue
        if heading and words[0].lower() in ("smiles", "smi", "canonical_smiles"):
            heading = False
            continue
        heading = False
        if len(words[0]) > LONGEST:
            raise member.error(f"a SMILES of {len(words[0]):,} characters", line=place)
        try:
            graph = Graph.from_smiles(words[0], hydrogens)
        except GraphError as error:
            raise member.error(error.message[:200], line=place, hint=error.hint) from None
        _add(member, packer, graph, words[1].strip() if len(words) == 2 else None, {}, place)


def read_sdf(source: Source, members: list[Member], hydrogens: bool = False) -> Collection:
    """The molecules of SDF and MOL files."""
    packer = Packer(source)
    found: list[tuple[Member, Graph, str | None, int]] = []
    fields: list[dict[str, Any]] = []
    for member in members:
        before = len(found)
        for block, place in _blocks(member):
            body = re.split(r"(?m)^M  END.*\n?", block, maxsplit=1)
            found.append((member, _molecule(member, body[0] + "M  END\n", place, hydrogens), _title(block), place))
            fields.append(dict(_fields(body[1] if len(body) == 2 else "")))
        if len(found) == before:
            raise member.error("holds no molecule", hint="an SDF file is molfiles, each ended by $$$$")
    for (member, graph, name, place), columns in zip(found, shared_columns(source, fields), strict=True):
        _add(member, packer, graph, name, columns, place)
    return packer.collection()


def _blocks(member: Member) -> Any:
    """Each record's text and its first line."""
    lines: list[str] = []
    start = 1
    for place, line in member.lines():
        text = member.decoded(line, place)
        if text.startswith("$$$$"):
            yield "\n".join([*lines, ""]), start
            lines, start = [], place + 1
            continue
        lines.append(text)
        if len(lines) > LONGEST:
            raise member.error(f"a record of more than {LONGEST:,} lines", line=start)
    if any(line.strip() for line in lines):
        yield "\n".join([*lines, ""]), start


def _molecule(member: Member, block: str, place: int, hydrogens: bool) -> Graph:
    try:
        chem = interchange.chemistry()
        from rdkit import rdBase

        with rdBase.BlockLogs():
            molecule = chem.MolFromMolBlock(block, removeHs=not hydrogens)
    except GraphError as error:
        raise member.error(error.message, hint=error.hint) from None
    except (RuntimeError, ValueError) as error:
        raise member.error(f"is no molfile that RDKit can read: {str(error).strip()[:80]}", line=place) from None
    if molecule is None:
        raise member.error(
            "is no molecule that RDKit can read", line=place, hint="a bad valence or a cut off molfile are usual causes"
        )
    return interchange.from_rdkit(molecule)


def _title(block: str) -> str | None:
    return block.split("\n", 1)[0].strip() or None


def _fields(text: str) -> Any:
    """`> <NAME>` lines and the value under each."""
    lines = text.split("\n")
    for place, line in enumerate(lines[:-1]):
        match = re.match(r">.*<([^<>]+)>", line)
        if match:
            yield match[1], label(lines[place + 1].strip())


def _add(member: Member, packer: Packer, graph: Graph, name: str | None, columns: dict[str, Any], place: int) -> None:
    packer.add(
        member,
        graph.size,
        graph.edges.ravel().tolist(),
        labels=graph.label_names,
        edge_labels=graph.edge_label_names,
        name=name,
        columns=columns,
        line=place,
    )
