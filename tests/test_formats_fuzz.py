"""Spoiled files of every format: graphs or a FormatError come out, nothing else. `benchmarks.fuzz` runs many more."""

from __future__ import annotations

import io
import warnings

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from infmcs import formats
from infmcs.errors import FormatError
from tests.kit import files

STEPS = st.lists(
    st.tuples(st.sampled_from(files.KINDS), st.floats(0, 1), st.floats(0, 1), st.integers(0, 255)), max_size=4
)
NAMES = sorted(files.whole_files())


@pytest.mark.parametrize("name", NAMES)
@given(steps=STEPS, told=st.booleans())
@example(steps=[], told=True)
@settings(max_examples=30)
def test_a_spoiled_file_gives_graphs_or_a_format_error(name: str, steps: list[files.Step], told: bool) -> None:
    content = files.spoiled(name, steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read = formats.read(io.BytesIO(content), files.format_of(name) if told else None)
        except FormatError:
            if steps or not told:
                return
            raise
    for graph in read:  # what was read is whole: every graph can be looked at
        assert graph.edges.max(initial=-1) < max(graph.size, 1)
        assert len(graph.label_names) == graph.size
