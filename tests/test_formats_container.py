"""One file of named arrays in which no wrong byte goes unnoticed."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from infmcs.errors import FormatError
from infmcs.formats import container
from infmcs.formats.container import HEADER, Container

KINDS = ["<i4", "<i8", "<u2", "|u1", "<f4", "<f8", "|b1", "<f2"]
ANY_ARRAYS = st.sampled_from(KINDS).flatmap(
    lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
)


def small(path: Path) -> Path:
    with container.writing(path, "test", facts={"answer": 42}) as file:
        file.add("numbers", np.arange(10, dtype=np.int32))
        file.add_parts("rows", (np.full((k, 3), k, np.float32) for k in (2, 0, 1)))
        file.add_texts("words", ["a", "", "größer", "∀"])
        file.add_json("tree", {"leaves": [1, None, "x"]})
        file.add("nothing", np.zeros((0, 4), np.float64))
    return path


def written(path: Path, sections: list[tuple[str, Any]]) -> None:
    with container.writing(path, "test") as file:
        for name, array in sections:
            file.add(name, array)


def taken(opened: Container) -> None:
    opened.verify()
    opened.texts("words")
    opened.json("tree")


@given(st.dictionaries(st.text(min_size=1, max_size=5), ANY_ARRAYS, max_size=4))
def test_arrays_come_back_as_they_were(tmp_path_factory: Any, sections: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("container") / "file"
    with container.writing(path, "test") as file:
        for name, array in sections.items():
            file.add(name, array)
    opened = Container.open(path, "test")
    assert opened.names == tuple(sections)
    for name, array in sections.items():
        back = opened[name]
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert back.tobytes() == array.tobytes()
        assert not back.flags.writeable


def test_parts_are_joined_and_texts_and_json_come_back(tmp_path: Path) -> None:
    opened = Container.open(small(tmp_path / "file"))
    assert opened.kind == "test"
    assert opened.facts["answer"] == 42
    assert opened.facts["provenance"]["versions"]["infmcs"]
    assert opened["rows"].tolist() == [[2] * 3, [2] * 3, [1] * 3]
    assert list(opened.texts("words")) == ["a", "", "größer", "∀"]
    assert opened.json("tree") == {"leaves": [1, None, "x"]}
    assert opened["nothing"].shape == (0, 4)
    assert all(opened[name].ctypes.data % 64 == 0 for name in ("numbers", "rows", "words.offsets"))


def test_every_flipped_bit_and_every_cut_is_noticed(tmp_path: Path) -> None:
    whole = small(tmp_path / "file").read_bytes()
    taken(Container(whole))
    for length in range(len(whole)):
        with pytest.raises(FormatError):
            Container(whole[:length])
    with pytest.raises(FormatError, match="damaged"):
        Container(whole + b"\0")
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        with pytest.raises(FormatError):
            taken(Container(bytes(changed)))


def test_a_damaged_section_is_found_when_it_is_taken_and_the_others_still_serve(tmp_path: Path) -> None:
    path = small(tmp_path / "file")
    changed = bytearray(path.read_bytes())
    changed[HEADER.size] ^= 1  # in the first section
    path.write_bytes(changed)
    opened = Container.open(path, "test")
    assert opened["rows"].shape == (3, 3)
    with pytest.raises(FormatError, match=r"file: is damaged: section 'numbers' does not have its checksum"):
        opened["numbers"]
    with pytest.raises(FormatError):
        opened.verify()


@pytest.mark.parametrize(
    "change",
    [
        {"sections": 3},
        {"sections": [{}]},
        {"sections": []},
        {"kind": None, "sections": [[]]},
        {"facts": 7},
        {"version": "x"},
        {"sections[0].dtype": "|O"},
        {"sections[0].dtype": ["<i4"]},
        {"sections[0].shape": [1 << 60]},
        {"sections[0].shape": [-1]},
        {"sections[0].shape": [True]},
        {"sections[0].shape": 5},
        {"sections[0].place": 0},
        {"sections[0].place": 64.0},
        {"sections[0].name": "rows"},
        {"sections[1].shape": [0, 1 << 47, 1 << 47]},
    ],
    ids=str,
)
def test_a_forged_table_with_right_checksums_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    whole = small(tmp_path / "file").read_bytes()
    *_, place, _, _, _ = HEADER.unpack(whole[: HEADER.size])
    table = json.loads(whole[place:])
    for key, value in change.items():
        if "[" in key:
            table["sections"][int(key[9])][key.split(".")[1]] = value
        else:
            table[key] = value
    content = json.dumps(table).encode()
    head = HEADER.pack(container.MAGIC, 1, zlib.crc32(content), place, len(content), place + len(content), 0)[:-4]
    with pytest.raises(FormatError, match="table makes no sense"):
        taken(Container(head + struct.pack("<I", zlib.crc32(head)) + whole[HEADER.size : place] + content))


def test_other_kinds_newer_versions_and_missing_sections_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with container.writing(path, "index", version=3) as file:
        file.add("a", np.zeros(1))
    with pytest.raises(FormatError, match="holds 'index', expected 'collection'"):
        Container.open(path, "collection")
    with pytest.raises(FormatError, match="version 3 was written by a newer infmcs; this one reads up to 2"):
        Container.open(path, "index", version=2)
    assert Container.open(path, "index", version=4).version == 3
    with pytest.raises(FormatError, match="has no section 'b'"):
        Container.open(path, "index", version=3)["b"]
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="is empty"):
        Container.open(path)
    path.write_bytes(b"something else entirely")
    with pytest.raises(FormatError, match="is no file of infmcs"):
        Container.open(path)
    with pytest.raises(FormatError, match="No such file"):
        Container.open(tmp_path / "missing")


def test_an_array_outlives_the_file_it_came_from(tmp_path: Path) -> None:
    path = small(tmp_path / "file")
    numbers = Container.open(path)["numbers"]
    with container.writing(path, "test") as file:
        file.add("numbers", np.zeros(10, np.int32))
    path.unlink()
    assert numbers.tolist() == list(range(10))


def test_a_writer_refuses_what_would_not_come_back(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for sections in (
        [("a", np.zeros(1)), ("a", np.zeros(1))],
        [("a", np.array(["x"], object))],
        [("a", np.zeros(1, np.complex64))],
    ):
        with pytest.raises(ValueError, match="container"):
            written(path, sections)
    with pytest.raises(ValueError, match="continue"), container.writing(path, "test") as file:
        file.add_parts("a", [np.zeros((1, 2)), np.zeros((1, 3))])
    with pytest.raises(ValueError, match="at least one"), container.writing(path, "test") as file:
        file.add_parts("a", [])
    assert not list(tmp_path.iterdir())
