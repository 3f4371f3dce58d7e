"""The data sets as their READMEs and the paper's table count them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from infmcs import formats
from tests.kit import real_data


@pytest.mark.parametrize(
    ("parts", "graphs", "nodes", "edges", "labels"),
    [
        (("AIDS", "AIDS.zip"), 2000, 15.69, 32.39 / 2, 38),
        (("PTC_MM", "PTC_MM.zip"), 336, 13.97, 28.64 / 2, 20),
        (("AIDS700nef", "AIDS700nef.jsonl.xz"), 700, 8.90, 8.80, 29),
        (("LINUX", "LINUX.jsonl.xz"), 1000, 7.58, 13.87 / 2, 1),
        (("LINUX",), 1000, 7.58, 13.87 / 2, 1),
    ],
)
def test_counts_are_those_of_the_data_set(
    parts: tuple[str, ...], graphs: int, nodes: float, edges: float, labels: int
) -> None:
    read = formats.read(real_data(*parts))
    assert len(read) == graphs
    assert round(float(read.sizes.mean()), 2) == nodes
    assert read.edge_counts.mean() == pytest.approx(edges, abs=0.006)
    assert len(read.vocabulary.nodes) == labels
    assert not read.directed


def test_the_ffmpeg_archive_is_read_whole() -> None:
    read = formats.read(real_data("FFmpeg_CFG", "ffmpeg_cfg_min50_6of8.tar.xz"))
    assert (len(read), round(float(read.sizes.mean()), 2), round(float(read.edge_counts.mean()), 2)) == (
        7262,
        92.36,
        142.72,
    )
    assert read.directed
    assert read.features is not None
    assert read.features.shape[1] == 6
    assert len(set(read.columns["function"])) == 2365
    builds = list(read.columns["build"])
    assert builds.count("ACFG_ffmpeg_g_clang_O1") == 1004
    assert builds.count("ACFG_ffmpeg_g_gcc_O3") == 1478


@pytest.mark.slow
def test_the_openssl_archive_has_the_papers_counts() -> None:
    read = formats.read(real_data("OpenSSL_CFG", "openssl_cfg.tar.xz"))
    for least, graphs, nodes, edges in ((3, 73953, 15.73, 21.97), (20, 15800, 44.89, 67.15), (50, 4308, 83.68, 127.75)):
        kept = read.sizes >= least
        assert kept.sum() == graphs
        assert round(float(read.sizes[kept].mean()), 2) == nodes
        assert round(float(read.edge_counts[kept].mean()), 2) == edges
    assert len(set(read.columns["function"])) == 4249
    assert len(set(read.columns["build"])) == 24


@pytest.mark.slow
def test_the_aids_screen_is_read_whole() -> None:
    read = formats.read(real_data("AIDS_DTP42k", "AIDS_42k.txt.xz"))
    assert len(read) == 42689
    assert (len(read.vocabulary.nodes), len(read.vocabulary.edges)) == (68, 3)
    assert int(((read.sizes >= 2) & (read.sizes <= 15)).sum()) == 5412


def test_tu_files_give_classes_labels_and_attributes() -> None:
    read = formats.read(real_data("AIDS", "AIDS.zip"))
    assert np.bincount(np.asarray(read.columns["class"])).tolist() == [400, 1600]
    assert read.features is not None
    assert read.features[0].tolist() == pytest.approx([1.0, 0.0, 9.7767, -3.549], abs=1e-4)
    assert set(read.vocabulary.edges) == {0, 1, 2}
    assert read[0].label_names[0] == 0


def test_json_lines_give_names_splits_and_labels() -> None:
    read = formats.read(real_data("AIDS700nef", "AIDS700nef.jsonl.xz"))
    first = read[0]
    assert first.name == "4"
    assert first.label_names == ("C", "C", "S", "S", "O", "O", "O", "O", "O", "O")
    assert first.edges.tolist() == [[0, 1], [0, 2], [1, 3], [2, 4], [2, 5], [2, 6], [3, 7], [3, 8], [3, 9]]
    assert first.edge_label_names == (1, 1, 1, 2, 2, 1, 2, 2, 1)
    assert list(read.columns["split"]).count("train") == 560


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in formats.FORMATS.items() if kind.files or kind.save])
def test_a_real_data_set_comes_back_from_every_format(name: str, tmp_path: Path) -> None:
    given = formats.read(real_data("AIDS", "AIDS.zip"))
    path = tmp_path / ("aids.zip" if formats.FORMATS[name].several else "aids")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the format does not hold
        formats.write(given, path, name)
    back = formats.read(path, name)
    holds = formats.FORMATS[name].holds
    assert len(back) == len(given)
    assert np.array_equal(back.sizes, given.sizes)
    assert np.array_equal(back.edges, given.edges)
    if "labels" in holds:
        assert np.array_equal(back.label_ids, given.label_ids)
    if "edge labels" in holds:
        assert np.array_equal(np.asarray(back.edge_label_ids), np.asarray(given.edge_label_ids))
    if "features" in holds:
        assert np.array_equal(np.asarray(back.features), np.asarray(given.features))
    if "columns" in holds:
        assert list(back.columns["class"]) == list(given.columns["class"])
