"""graph6, digraph6 and sparse6: unlabelled graphs as printable characters, one a line, as nauty's tools write them.

A line is graph6; after `&` digraph6; after `:` sparse6. Six bits a character, the number of nodes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.collection import Collection
from infmcs.errors import FormatError
from infmcs.formats.packing import Packer
from infmcs.formats.source import Member
from infmcs.formats.target import Files
from infmcs.graph import Graph

HEADERS = (b">>graph6<<", b">>sparse6<<", b">>digraph6<<")
Bits = npt.NDArray[np.uint8]


def read(member: Member, packer: Packer) -> None:
    """Add every line."""
    for place, line in member.lines():
        for header in HEADERS if place == 1 else ():
            line = line.removeprefix(header)
        line = line.strip()
        if not line:
            continue
        kind, body = (line[:1], line[1:]) if line[:1] in b":&;" else (b"", line)
        values = np.frombuffer(body, np.uint8).astype(np.int16) - 63
        if kind == b";":
            raise member.error("incremental sparse6 is not read", line=place, hint="write plain sparse6")
        if not len(values) or values.min() < 0 or values.max() > 63:
            odd = next((byte for byte in body if not 63 <= byte <= 126), None)
            what = "the line ends too early" if odd is None else f"byte 0x{odd:02x} is not between '?' and '~'"
            raise member.error(what, line=place, hint="one graph a line, in graph6, digraph6 or sparse6")
        size, rest = _size(member, place, values)
        bits = np.unpackbits(rest.astype(np.uint8)[:, None], axis=1)[:, 2:].ravel()
        if kind == b":":
            ends = _sparse_ends(size, bits)
        else:
            wanted = size * size if kind else size * (size - 1) // 2
            if len(rest) != -(-wanted // 6):
                raise member.error(
                    f"{len(rest)} characters of edges for {size} nodes, expected {-(-wanted // 6)}", line=place
                )
            ends = _dense_ends(size, bits[:wanted], directed=bool(kind))
        packer.add(member, size, ends, directed=kind == b"&", line=place)


def _size(member: Member, place: int, values: npt.NDArray[np.int16]) -> tuple[int, npt.NDArray[np.int16]]:
    """The number of nodes (1, 4 or 8 characters) and the characters after it."""
    long = values[0] == 63
    longest = long and len(values) > 1 and values[1] == 63
    start, end = (2, 8) if longest else (1, 4) if long else (0, 1)
    if len(values) < end:
        raise member.error("the line ends inside the number of nodes", line=place)
    size = 0
    for value in values[start:end].tolist():
        size = size << 6 | value
    return size, values[end:]


def _dense_ends(size: int, bits: Bits, directed: bool) -> list[int]:
    at = np.flatnonzero(bits)
    if directed:
        u, v = at // max(1, size), at % max(1, size)
    else:  # column by column above the diagonal: bit v (v - 1) / 2 + u is edge u–v
        v = ((1 + np.sqrt(1 + 8 * at.astype(np.float64))) / 2).astype(np.int64)
        v -= v * (v - 1) // 2 > at
        v += (v + 1) * v // 2 <= at
        u = at - v * (v - 1) // 2
    ends: list[int] = np.stack((u, v), axis=1).ravel().tolist()
    return ends


def _sparse_ends(size: int, bits: Bits) -> list[int]:
    """The edges of a sparse6 graph: a walk over v, each step one bit 'next' and one number."""
    width = max(0, size - 1).bit_length()
    steps = len(bits) // (width + 1)
    table = bits[: steps * (width + 1)].reshape(steps, width + 1)
    numbers = table[:, 1:] @ (1 << np.arange(width - 1, -1, -1, dtype=np.int64))
    ends: list[int] = []
    v = 0
    for step, x in zip(table[:, 0].tolist(), numbers.tolist(), strict=True):
        v += step
        if v >= size or x >= size:
            break
        if x > v:
            v = x
        else:
            ends += (x, v)
    return ends


# -- writing -------------------------------------------------------------------------------------------------------


def files(collection: Collection, stem: str) -> Files:
    """The collection as graph6, or digraph6 where it is directed."""
    yield f"{stem}.{'d6' if collection.directed else 'g6'}", (_dense(graph) for graph in collection)


def sparse_files(collection: Collection, stem: str) -> Files:
    """The collection as sparse6."""
    if collection.directed:
        raise FormatError("sparse6 holds undirected graphs", hint="write graph6, which becomes digraph6")
    yield f"{stem}.s6", (_sparse(graph) for graph in collection)


def _dense(graph: Graph) -> bytes:
    size, u, v = graph.size, graph.edges[:, 0].astype(np.int64), graph.edges[:, 1].astype(np.int64)
    if graph.directed:
        bits, at = np.zeros(size * size, np.uint8), u * size + v
    else:
        if (u == v).any():
            raise FormatError("graph6 holds no loops", hint="write sparse6")
        bits, at = np.zeros(size * (size - 1) // 2, np.uint8), v * (v - 1) // 2 + u
    bits[at] = 1
    return (b"&" if graph.directed else b"") + _size_text(size) + _text(bits) + b"\n"


def _sparse(graph: Graph) -> bytes:
    size = graph.size
    width = max(0, size - 1).bit_length()
    bits: list[Any] = []
    here = 0
    for v, u in sorted(graph.edges[:, ::-1].tolist()):  # the larger end first
        if v == here + 1:
            bits += (1, u)
        elif v > here:
            bits += (1, v, 0, u)
        else:
            bits += (0, u)
        here = v
    flat = [
        bit
        for step, number in zip(bits[::2], bits[1::2], strict=True)
        for bit in (step, *(number >> k & 1 for k in range(width - 1, -1, -1)))
    ]
    spare = -len(flat) % 6
    padding = [1] * spare
    if size == 1 << width and spare > width and here == size - 2:
        padding[0] = 0  # ones alone would be read as a loop at the last node
    return b":" + _size_text(size) + _text(np.array(flat + padding, np.uint8)) + b"\n"


def _text(bits: Bits) -> bytes:
    padded = np.concatenate((bits, np.zeros(-len(bits) % 6, np.uint8))).reshape(-1, 6)
    return (np.packbits(padded, axis=1)[:, 0] // 4 + 63).astype(np.uint8).tobytes()


def _size_text(size: int) -> bytes:
    if size <= 62:
        return bytes([size + 63])
    digits = 3 if size <= 258047 else 6
    return b"~" * (1 if digits == 3 else 2) + bytes((size >> 6 * k & 63) + 63 for k in range(digits - 1, -1, -1))
