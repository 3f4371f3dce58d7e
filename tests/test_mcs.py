"""The largest common subgraph: equal to exhaustive search, to laws, and to published tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Question, certify, solve
from tests.kit import comparable_graphs, oracles


@pytest.mark.parametrize("question", oracles.QUESTIONS, ids=str)
@pytest.mark.parametrize("words", [1, 2])
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_answer_is_that_of_exhaustive_search(question: Question, words: int, data: st.DataObject) -> None:
    a, b = data.draw(comparable_graphs(max_nodes=4, edge_labels=None, directed=question.directed, loops=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infmcs.solve.mcs._LEAST_WORDS", words)
        found = solve.max_common_subgraph(a, b, question)
    assert found.proved
    assert certify.common_subgraph(a, b, found.mapping, question).size == found.lower
    assert found.lower == oracles.largest_common_subgraph(a, b, question)
