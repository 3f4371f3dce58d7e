"""Statistics in the form of the paper's table, beside the paper's figures where the sets are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from infmcs import Collection, datasets
from infmcs.datasets.catalog import CATALOG
from tests.kit import collections, real_data

SAME = [each.name for each in CATALOG.values() if each.same]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if CATALOG[name].slow else []) for name in SAME]
)
def test_the_same_sets_have_the_papers_figures(name: str) -> None:
    real_data(*str(CATALOG[name].file).split("/"))
    assert datasets.statistics(name).figures == CATALOG[name].paper


def test_another_draw_of_aids_comes_close_to_the_papers() -> None:
    real_data("AIDS", "AIDS.zip")
    ours, paper = datasets.statistics("aids"), CATALOG["aids"].paper
    assert paper is not None
    assert (ours.graphs, ours.labels) == (paper.graphs, paper.labels)
    assert ours.nodes == pytest.approx(paper.nodes, abs=0.02)
    assert ours.edges == pytest.approx(paper.edges, abs=0.06)


@given(collections(directed=None, labels=None))
def test_statistics_are_what_each_graph_says(some: Collection) -> None:
    found = datasets.statistics(some[1:])
    graphs = list(some[1:])
    assert found.graphs == len(graphs)
    assert found.nodes * len(graphs) == pytest.approx(sum(graph.size for graph in graphs))
    ways = 1 if some.directed else 2
    assert found.edges * len(graphs) == pytest.approx(ways * sum(len(graph.edges) for graph in graphs))
    assert found.connected == sum(len(graph.components()) <= 1 for graph in graphs)


@pytest.mark.slow
def test_a_slow_set_is_kept_and_made_again_when_its_copy_is_damaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real_data("FFmpeg_CFG", "ffmpeg_cfg_min50_6of8.tar.xz")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    digest = datasets.load("ffmpeg").digest
    (copy,) = tmp_path.rglob("*.infmcs")
    assert datasets.load("ffmpeg").digest == digest
    copy.write_bytes(copy.read_bytes()[:1000])
    assert datasets.load("ffmpeg").digest == digest
    (tmp_path / "infmcs" / "store").chmod(0o500)
    assert datasets.load("ffmpeg").digest == digest
